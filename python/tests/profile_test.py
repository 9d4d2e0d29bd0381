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


def test_persons_by_a_key():
    """Each person's sample is a function of the key and their own records: parts by person add up to the whole, in any order."""
    pa = pytest.importorskip("pyarrow")
    lattice = fractile.Lattice(0, 100, 1)
    rows = [(f"p{i % 400}" if i % 400 else None, "ns"[i % 5 % 2], i * 31 % 101) for i in range(6000)]

    def counted(some, key, **asked):
        person, town, pay = zip(*some)
        frame = pa.table({"person": person, "town": town, "pay": pay})
        return fractile.profile(frame, "pay", lattice=lattice, person="person", records_per_person=3, sampling_key=key, **asked)

    key = bytes(range(32))
    whole = counted(rows, key)
    assert whole.records == 3 * 399
    assert counted(rows[::-1], key) == whole
    parts = [[row for row in rows if hash(row[0]) % 3 == part] for part in range(3)]
    first, *others = [counted(part, key) for part in parts if part]
    for other in others:
        first = first | other
    assert first == whole
    assert counted(rows, bytes(32)) != whole
    groups = counted(rows, key, by="town", keys=["s", "n"])
    assert list(groups) == ["s", "n"]
    assert groups["s"].records + groups["n"].records == 3 * 399
    assert counted(rows, key, by="town", keys=["n"])["n"].records >= groups["n"].records


def test_a_key_that_is_none():
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"person": ["a", "a"], "pay": [1, 2]})
    lattice = fractile.Lattice(0, 10, 1)
    assert fractile.profile(frame, "pay", lattice=lattice, person="person").records == 1
    with pytest.raises(fractile.UsageError, match="32 bytes"):
        fractile.profile(frame, "pay", lattice=lattice, person="person", sampling_key=b"short")
    with pytest.raises(fractile.UsageError, match="goes with person"):
        fractile.profile(frame, "pay", lattice=lattice, sampling_key=bytes(32))
    with pytest.raises(fractile.UsageError, match="at least one record"):
        fractile.profile(frame, "pay", lattice=lattice, person="person", records_per_person=0)


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
