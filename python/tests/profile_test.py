"""Profiles and audits."""

import copy
import datetime as dt
import hmac
import json
import pickle
from pathlib import Path

import fractile
import numpy as np
import pytest


def test_profiles_merge():
    lattice = fractile.Lattice(0, 125, 1)
    ages = np.random.default_rng(1).integers(0, 90, 10_000)
    whole = fractile.profile(ages, lattice=lattice)
    first, second = fractile.profile(ages[:4000], lattice=lattice), fractile.profile(ages[4000:], lattice=lattice)
    assert first.merge(second, disjoint_persons=True) == whole
    assert (first | second).counts == whole.counts
    assert whole.records == 10_000
    assert dict(whole.counts) == {2 * int(v) + 1: int(c) for v, c in zip(*np.unique(ages, return_counts=True))}
    assert fractile.Profile.from_bytes(whole.to_bytes()) == whole
    assert str(whole.records) not in repr(whole)  # this number is part of the data
    with pytest.raises(fractile.UsageError):
        whole.merge(fractile.profile(ages, lattice=fractile.Lattice(0, 126, 1)))


LATTICES = [
    fractile.Lattice(-2.5, 2**40, "0.25"),
    fractile.Lattice(candidates=[1, "2.5", 7]),
    fractile.Lattice(dt.date(2020, 1, 1), dt.date(2026, 1, 1), "1d"),
    fractile.Lattice("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "15min"),
    fractile.Lattice(candidates=["2020-01-01T00:00:00", "2021-01-01T00:00:00"]),
]


@pytest.mark.parametrize("lattice", LATTICES, ids=repr)
def test_lattices_are_copied_and_pickled(lattice):
    for same in (copy.copy(lattice), copy.deepcopy(lattice), pickle.loads(pickle.dumps(lattice))):
        assert same == lattice and hash(same) == hash(lattice) and same.kind == lattice.kind and same.upper == lattice.upper


def test_a_lattice_says_what_is_missing():
    for make in (fractile.Lattice, lambda: fractile.Lattice(0), lambda: fractile.Lattice(None, 9, 1), lambda: fractile.profile_of_counts([1], [1])):
        with pytest.raises(fractile.UsageError, match="^bounds is missing: the smallest and largest possible value") as raised:
            make()
        assert raised.value.field == "bounds"
    with pytest.raises(fractile.UsageError, match="^step is missing"):
        fractile.Lattice(0, 9)
    with pytest.raises(TypeError, match="integer"):
        fractile.Lattice(0, 9, 1)[1.5]


def test_a_profile_carries_its_bound(tmp_path):
    """A profile keeps its records per person through bytes, pickle, files and merges. A release of it must not declare fewer."""
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"person": [f"p{i % 7}" for i in range(700)], "pay": [i % 90 for i in range(700)]})
    lattice = fractile.Lattice(0, 100, 1)
    sampled = fractile.profile(frame, "pay", lattice=lattice, person="person", records_per_person=20)
    declared = fractile.profile(frame, "pay", lattice=lattice, records_per_person=100)
    counted = fractile.profile_of_counts([5, 6], [3, 4], bounds=(0, 100), step=1, records_per_person=4)
    assert (sampled.records, sampled.records_per_person, sampled.person) == (140, 20, "person")
    assert (declared.records, declared.records_per_person, declared.person) == (700, 100, "")
    for number, profile in enumerate((sampled, declared, counted)):
        bound = profile.records_per_person
        back = [fractile.Profile.from_bytes(profile.to_bytes()), pickle.loads(pickle.dumps(profile))]
        both, apart = profile | back[0], profile.merge(back[1], disjoint_persons=True)
        assert back == [profile, profile] and both.records_per_person == 2 * bound and apart.records_per_person == bound
        assert both.declared == [] and apart.declared == (apart | apart).declared == ["disjoint_persons"]
        for name, each in (("one", profile), ("both", both), ("apart", apart), ("back", back[0])):
            path = tmp_path / f"{name}{number}"
            each.write(path, column="pay")
            details = fractile.release(counts=path, epsilon=1).details
            assert details.records_per_person == each.records_per_person
            assert json.loads(fractile.release(counts=path, epsilon=1).receipt)["source"].get("person", "") == profile.person
            with pytest.raises(fractile.UsageError, match=f"may hold {each.records_per_person} records"):
                fractile.release(counts=path, epsilon=1, records_per_person=each.records_per_person - 1)
            with pytest.raises(fractile.UsageError, match=f"may hold {each.records_per_person} records") as refused:
                each.write(tmp_path / "less", column="pay", records_per_person=each.records_per_person - 1)
            assert refused.value.field == "records_per_person" and not (tmp_path / "less").exists()
        profile.write(tmp_path / f"more{number}", column="pay", records_per_person=1000)
        assert fractile.release(counts=tmp_path / f"more{number}", epsilon=1).details.records_per_person == 1000


def test_a_profile_knows_its_sampling_keys():
    """The profile holds identifiers of the keys, never the keys themselves."""
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"person": ["a", "a", "b"], "pay": [1, 2, 3]})
    keys = [bytes(range(32)), bytes(32)]
    parts = [fractile.profile(frame, "pay", lattice=fractile.Lattice(0, 10, 1), person="person", sampling_key=key) for key in keys]
    names = [hmac.new(key, b"key", "sha256").hexdigest()[:32].encode() for key in keys]
    for part, name, key in zip(parts, names, keys):
        assert b"key " + name in part.to_bytes() and key not in part.to_bytes()
    both = fractile.Profile.from_bytes((parts[0] | parts[1]).to_bytes())
    assert all(b"key " + name in both.to_bytes() for name in names)


def test_merged_profiles_go_together():
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"person": ["a", "b"], "other": ["a", "b"], "pay": [1, 2]})
    lattice = fractile.Lattice(0, 10, 1)
    one, other, declared = (fractile.profile(frame, "pay", lattice=lattice, person=who) for who in ("person", "other", None))
    for second in (other, declared):
        with pytest.raises(fractile.UsageError, match="different columns of persons"):
            one | second
    with pytest.raises(fractile.UsageError, match="a Profile is expected"):
        one.merge(lattice)
    with pytest.raises(TypeError):
        one | 3


def test_groups_of_a_counting_carry_its_bound():
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"person": ["a"] * 9, "town": ["n", "s", "s"] * 3, "pay": [1] * 9})
    asked = {"lattice": fractile.Lattice(0, 10, 1), "by": "town", "keys": ["n", "s"]}
    groups = fractile.profile(frame, "pay", person="person", records_per_person=5, **asked)
    assert [group.records_per_person for group in groups.values()] == [5, 5]
    assert sum(group.records for group in groups.values()) == 5
    groups = fractile.profile(frame, "pay", records_per_person=9, **asked)
    assert [(group.records_per_person, group.person) for group in groups.values()] == [(9, "")] * 2


def test_what_was_declared_stands_on_the_receipt(tmp_path):
    part = fractile.profile([1, 2], lattice=fractile.Lattice(0, 10, 1))
    (part | part).write(tmp_path / "added", column="pay")
    part.merge(part, disjoint_persons=True).write(tmp_path / "declared", column="pay")
    added, declared = (fractile.release(counts=tmp_path / name, epsilon=1) for name in ("added", "declared"))
    assert "declared" not in json.loads(added.receipt)["source"]
    assert json.loads(declared.receipt)["source"]["declared"] == ["disjoint_persons"]
    sentence = "o person has records in two of the profiles that were merged"
    assert sentence in declared.explain() and sentence in declared.to_html() and sentence in declared.to_html(public=True)
    assert sentence not in added.explain()


def old_bytes(lattice, counts):
    return json.dumps({"format": "fractile profile 1", "lattice": lattice, "counts": counts}).encode()


REGULAR = {"lower": "0", "upper": "10", "step": "1"}


def test_bytes_of_earlier_versions_do_not_say_their_bound():
    old = old_bytes(REGULAR, [[1, 5], [7, 2]])
    with pytest.raises(fractile.UsageError, match="records_per_person is missing"):
        fractile.Profile.from_bytes(old)
    read = fractile.Profile.from_bytes(old, records_per_person=20)
    assert read.counts == [(1, 5), (7, 2)] and read.records_per_person == 20
    assert fractile.Profile.from_bytes(read.to_bytes()) == read
    with pytest.raises(fractile.UsageError, match="may hold 20 records"):
        fractile.Profile.from_bytes(read.to_bytes(), records_per_person=19)


def test_bytes_that_are_no_profile():
    whole = fractile.profile([1, 2], lattice=fractile.Lattice(0, 10, 1)).to_bytes()
    texts = [b"", b"{}", b"[1]", b"3", b"\xff", b"[" * 100_000, b'{"format":"fractile profile 1"}']
    texts += [old_bytes({}, []), old_bytes(REGULAR, [[1, -1]]), old_bytes(REGULAR, [[1, 2**70]]), old_bytes(REGULAR, [[99, 1]])]
    texts += [old_bytes(REGULAR, counts) for counts in ([[2, 1]], [[3, 1], [1, 1]], [[1, 0]], [[1, 2**48]], [["a", 1]], 3, [[1]])]
    texts += [old_bytes({"candidates": ["2", "1"]}, []), old_bytes({"lower": "31415", "upper": "1", "step": "1"}, [])]
    texts += [whole[:-1], whole + b"x", whole[:20], whole[:-9] + b"x" + whole[-8:], None, 7, bytearray(b"x")]
    for bad in texts:
        for asked in ({}, {"records_per_person": 1}):
            with pytest.raises(fractile.DataError, match="these bytes are not a profile") as refused:
                fractile.Profile.from_bytes(bad, **asked)
            assert refused.value.__context__ is None and refused.value.__cause__ is None


def test_persons_by_a_key():
    """Each person's sample is a function of the key and their own records. Parts with whole persons add up to the whole, in any order."""
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
        first = first.merge(other, disjoint_persons=True)
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
    assert repr(fractile.Lattice(candidates=range(20))).endswith("18, 19])")
    assert repr(fractile.Lattice(candidates=range(30))).endswith("18, 19, ... 10 more])")
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


@pytest.mark.parametrize("numbers", [lambda x: x, lambda x: x / 4], ids=["whole numbers", "doubles"])
def test_counts_by_value_are_the_records(numbers):
    column = numbers(np.random.default_rng(5).integers(-20, 200, 10_000))
    values, counts = np.unique(column, return_counts=True)
    counted = fractile.profile_of_counts(values, counts, bounds=(0, 125), step="1/2")
    assert counted == fractile.profile(column, lattice=fractile.Lattice(0, 125, "1/2"))
    assert counted == fractile.profile_of_counts(list(values.tolist()), list(counts.tolist()), bounds=(0, 125), step=0.5)


def test_counts_of_decimals_and_dates():
    pa = pytest.importorskip("pyarrow")
    values = pa.array(["0.10", None, "7.25"], pa.string()).cast(pa.decimal128(9, 2))
    counted = fractile.profile_of_counts(values, [3, 5, 2**40], bounds=(0, 10), step="0.05")
    assert counted.counts == [(2 * 2 + 1, 3), (2 * 145 + 1, 2**40)]
    with pytest.raises(fractile.DataError, match="NULL or NaN"):
        fractile.profile_of_counts(values, [3, 5, 1], bounds=(0, 10), step="0.05", null="error")
    days = fractile.profile_of_counts(
        [dt.date(2024, 1, 2)], [4], bounds=(dt.date(2024, 1, 1), dt.date(2024, 1, 31)), step="1d"
    )
    assert days.counts == [(3, 4)]


def test_possible_values_are_given_once():
    for asked in ({"bounds": (0, 9)}, {"step": 1}, {"bounds": (0, 9), "step": 1}):
        with pytest.raises(fractile.UsageError, match="candidates takes the place of bounds") as caught:
            fractile.profile_of_counts([1], [1], candidates=[1, 2], **asked)
        assert caught.value.field == "candidates"


def test_bytes_of_every_type():
    profile = fractile.profile([1.0], lattice=fractile.Lattice(0, 9, 1))
    for kind in (bytes, bytearray, memoryview):
        assert fractile.Profile.from_bytes(kind(profile.to_bytes())) == profile


def test_counts_that_are_none():
    for counts, error in (([1, -1], "not a count"), ([1.0, 2.0], "not whole numbers"), ([1], "2 values and 1 counts")):
        with pytest.raises(fractile.Error, match=error):
            fractile.profile_of_counts([1, 2], counts, bounds=(0, 10), step=1)


def test_hints_about_data_name_what_the_function_takes():
    lattice = fractile.Lattice(0, 9, 1)
    for data in (None, 5, "people.csv", Path("people.csv"), [Path("people.csv")]):
        with pytest.raises(fractile.UsageError) as caught:
            fractile.profile(data, lattice=lattice)
        assert "fractile.count()" in caught.value.hint and "the path of" not in caught.value.hint
    for values, counts in ((["1", "2"], [1, 2]), ([1, 2], ["1", "2"]), ([1, 2], [True, True])):
        with pytest.raises(fractile.DataError, match="row 1") as caught:
            fractile.profile_of_counts(values, counts, bounds=(0, 9), step=1)
        assert "missing=" not in caught.value.hint and "Path" not in caught.value.hint


def test_a_profile_is_released_as_a_file(tmp_path):
    values, counts = np.unique(np.arange(1000) % 100, return_counts=True)
    profile = fractile.profile_of_counts(values, counts, bounds=(0, 125), step=1)
    output = tmp_path / "ages.profile"
    profile.write(output, column="age", source="warehouse")
    assert output.stat().st_mode & 0o777 == 0o600
    from_counts = fractile.release(counts=output, epsilon=1, unsafe_seed=7)
    from_records = fractile.release(np.arange(1000) % 100, "age", bounds=(0, 125), step=1, epsilon=1, unsafe_seed=7)
    assert from_counts.quantiles == from_records.quantiles
    with pytest.raises(fractile.UsageError):
        profile.write(output, column="age")
