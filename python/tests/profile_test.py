"""Profiles and audits."""

import json

import fractile
import numpy as np
import pytest


def test_profiles_merge():
    lattice = fractile.Lattice(0, 125, 1)
    ages = np.random.default_rng(1).integers(0, 90, 10_000)
    whole = fractile.profile(ages, lattice=lattice)
    parts = fractile.profile(ages[:4000], lattice=lattice) | fractile.profile(ages[4000:], lattice=lattice)
    assert parts == whole
    assert whole.records == 10_000
    assert dict(whole.counts) == {2 * int(v) + 1: int(c) for v, c in zip(*np.unique(ages, return_counts=True))}
    assert fractile.Profile.from_bytes(whole.to_bytes()) == whole
    assert str(whole.records) not in repr(whole)  # it is the data
    with pytest.raises(fractile.UsageError):
        whole.merge(fractile.profile(ages, lattice=fractile.Lattice(0, 126, 1)))
    for bad in (b"", b"{}", b"[1]", b'{"format":"fractile profile 1"}', json.dumps({"format": "fractile profile 1", "lattice": {}}).encode()):
        with pytest.raises(fractile.DataError):
            fractile.Profile.from_bytes(bad)


def test_lattices():
    lattice = fractile.Lattice(0, 1, "0.1")
    assert lattice.size == len(lattice) == 11
    assert str(lattice[3]) == "3/10"
    assert fractile.Lattice(candidates=[0, 18, 65]) == fractile.Lattice(candidates=["0", 18.0, 65])
    assert fractile.Lattice(0, 2**61, 1).size == 2**61 + 1
    with pytest.raises(fractile.UsageError):
        fractile.Lattice(1, 0, 1)
    with pytest.raises(fractile.UsageError):
        fractile.Lattice(0, 1, 1, candidates=[1])


def test_audits_equal_the_program(program):
    audit = fractile.audit("approximate", records=3, values=4, epsilon=1)
    words = ["audit", "--mechanism", "approximate", "--records", "3", "--values", "4", "--epsilon", "1", "--format", "json"]
    printed = json.loads(program(*words))
    assert audit.holds
    assert (audit.attained, audit.pairs) == (str(printed["attained"]), printed["pairs"])
    assert not fractile.audit("approximate", records=3, values=4, epsilon=1, claim="1/2").holds
    with pytest.raises(fractile.UsageError):
        fractile.audit("none", epsilon=1)
