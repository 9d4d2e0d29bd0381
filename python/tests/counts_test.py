"""Profile files are counted, merged and released exactly as the program does it."""

import inspect
import json
import os
import stat

import fractile
import pandas as pd
import pytest
from fractile import _core

LATTICE = {"bounds": (0, 125), "step": 1}


def test_python_lacks_no_option():
    verbs = (("count", fractile.count, {"--data"}), ("merge", fractile.merge, {"--files"}), ("columns", fractile.columns, {"--data"}))
    for verb, function, others in verbs:
        arguments = {"--" + name.replace("_", "-") for name in inspect.signature(function).parameters} - others - {"--cancel"}
        mine = {"--ledger", "--format"} if verb == "columns" else set()  # this function charges nothing, and its caller prints the result
        mine |= {"--candidates-file", "--sql-file"}  # Python code can read files itself
        assert arguments == {name for name, *_ in _core.options(verb)} - mine


def test_files_and_releases_are_those_of_the_program(csv, program, tmp_path):
    mine, its = tmp_path / "mine", tmp_path / "its"
    fractile.count(csv, "age", output=mine, **LATTICE)
    program("count", csv, "--column", "age", "--bounds", "0", "125", "--step", "1", "--output", str(its))
    assert mine.read_bytes() == its.read_bytes()
    assert stat.S_IMODE(os.stat(mine).st_mode) == 0o600
    release = fractile.release(counts=mine, epsilon=1, unsafe_seed=7)
    assert release.receipt == program("release", "--counts", str(mine), "--epsilon", "1", "--unsafe-seed", "7", "--format", "json")
    assert release.quantiles == fractile.release(csv, "age", epsilon=1, unsafe_seed=7, **LATTICE).quantiles


def test_merged_files_add_bounds_unless_persons_are_disjoint(csv, tmp_path):
    for name in ("a", "b"):
        fractile.count(csv, "age", output=tmp_path / name, source=name, **LATTICE)
    fractile.merge(tmp_path / "a", tmp_path / "b", output=tmp_path / "both")
    fractile.merge(tmp_path / "b", tmp_path / "a", output=tmp_path / "disjoint", disjoint_persons=True)
    for name, records in (("both", "2"), ("disjoint", "1")):
        assert fractile.release(counts=tmp_path / name, epsilon=1).details.records_per_person == int(records)
    with pytest.raises(fractile.UsageError, match="may hold 2 records of one person"):
        fractile.release(counts=tmp_path / "both", epsilon=1, records_per_person=1)


def test_a_counting_is_added_once(csv, tmp_path):
    for name in ("a", "b"):
        fractile.count(csv, "age", output=tmp_path / name, source="people", **LATTICE)
    with pytest.raises(fractile.UsageError, match="have equal contents") as refused:
        fractile.merge(tmp_path / "a", tmp_path / "b", output=tmp_path / "both")
    assert "allow_equal_files" in refused.value.hint and not (tmp_path / "both").exists()
    with pytest.warns(fractile.FractileWarning, match="'people' was counted in 2 of the files"):
        fractile.merge(tmp_path / "a", tmp_path / "b", output=tmp_path / "both", allow_equal_files=True)
    assert fractile.release(counts=tmp_path / "both", epsilon=1).details.records_per_person == 2


def test_damage_and_doubles_are_refused(csv, tmp_path):
    fractile.count(csv, "age", output=tmp_path / "a", **LATTICE)
    with pytest.raises(fractile.UsageError, match="already exists"):
        fractile.count(csv, "age", output=tmp_path / "a", **LATTICE)
    data = bytearray((tmp_path / "a").read_bytes())
    data[-40] ^= 1
    (tmp_path / "hurt").write_bytes(data)
    with pytest.raises(fractile.DataError, match="is damaged"):
        fractile.release(counts=tmp_path / "hurt", epsilon=1)
    with pytest.raises(fractile.UsageError, match="counts"):
        fractile.release([1.0, 2.0], counts=tmp_path / "a", epsilon=1)
    with pytest.raises(fractile.UsageError, match="path of a file"):
        fractile.count([1.0, 2.0], "age", output=tmp_path / "b", **LATTICE)


def test_columns_of_a_file(csv, program, tmp_path):
    listed = fractile.columns(csv)
    assert [column.name for column in listed] == ["age", "income", "region", "id"]
    assert {column.type for column in listed} == {"VARCHAR"} and {column.read_as for column in listed} == {""}
    checked = {column.name: column for column in fractile.columns(csv, check=True)}
    assert (checked["age"].read_as, checked["age"].read, checked["region"].read_as) == ("numbers", 3000, "text")
    path = tmp_path / "t.csv"
    path.write_text("x\n1\nNA\n2,5\n".replace("2,5", '"2,5"'), encoding="utf-8")
    (column,) = fractile.columns(path, check=True, missing=["NA"])
    assert column == ("x", "VARCHAR", "numbers", 1, 1, 1, (3,), ())
    assert "numbers,1,1,1,3" in program("columns", path, "--check", "--missing", "NA", "--format", "csv")
    with pytest.raises(fractile.UsageError, match="the path of a file is expected"):
        fractile.columns([1, 2])
    with pytest.raises(fractile.UsageError, match="missing goes with check"):
        fractile.columns(path, missing=["NA"])


WEIGHTED = {"weight": "income", "weight_bounds": (0, 100_000), "weight_step": 100}
WEIGHTED_WORDS = ["--weight", "income", "--weight-bounds", "0", "100000", "--weight-step", "100"]


def test_weighted_counts_are_released_as_the_table_is(people, csv, program, tmp_path):
    mine, its = tmp_path / "mine", tmp_path / "its"
    fractile.count(csv, "age", output=mine, by="region", keys=["north", "south"], **WEIGHTED, **LATTICE)
    words = [*WEIGHTED_WORDS, "--column", "age", "--bounds", "0", "125", "--step", "1", "--by", "region", "--keys", "north,south"]
    program("count", csv, *words, "--output", str(its))
    assert mine.read_bytes() == its.read_bytes()
    table = fractile.release(csv, "age", epsilon=1, unsafe_seed=7, by="region", keys=["north", "south"], **WEIGHTED, **LATTICE)
    counted = fractile.release(counts=mine, epsilon=1, unsafe_seed=7)
    assert [dict(group) for group in counted.values()] == [dict(group) for group in table.values()]
    assert json.loads(counted.receipt)["source"]["weights"] == json.loads(table.receipt)["source"]["weights"]
    declared = fractile.release(counts=mine, epsilon=1, weight_stability=4)
    assert json.loads(declared.receipt)["privacy"]["records_per_person"] == 4000
    frame = fractile.release(pd.DataFrame(people), "age", epsilon=1, unsafe_seed=7, by="region", keys=["north", "south"], **WEIGHTED, **LATTICE)
    assert [dict(group) for group in frame.values()] == [dict(group) for group in table.values()]


def test_weighted_counts_merge_with_those_of_equal_weights(csv, tmp_path):
    def count(name, **changes):
        fractile.count(csv, "age", output=tmp_path / name, source=name, **(WEIGHTED | LATTICE | changes))
        return tmp_path / name

    fractile.merge(count("a"), count("b"), output=tmp_path / "both")
    receipt = json.loads(fractile.release(counts=tmp_path / "both", epsilon=1).receipt)
    assert receipt["privacy"]["records_per_person"] == 2000 and receipt["source"]["weights"]["records_per_person"] == 2
    for name, changes in (("c", {"weight_step": 50}), ("d", {"weight": "age"}), ("e", {"weight_bounds": (0, 50_000)})):
        with pytest.raises(fractile.UsageError, match="profiles of different weights cannot merge"):
            fractile.merge(tmp_path / "a", count(name, **changes), output=tmp_path / "none")
    fractile.count(csv, "age", output=tmp_path / "plain", **LATTICE)
    with pytest.raises(fractile.UsageError, match="profiles of different weights cannot merge"):
        fractile.merge(tmp_path / "a", tmp_path / "plain", output=tmp_path / "none")
    with pytest.raises(fractile.UsageError, match="weight_step: the profile file has its own"):
        fractile.release(counts=tmp_path / "a", epsilon=1, weight_step=1)
    with pytest.raises(fractile.UsageError, match="weight: the profile file was counted without weights"):
        fractile.release(counts=tmp_path / "plain", epsilon=1, weight="income")


def test_profiles_in_memory_carry_weights(people, csv, tmp_path):
    lattice = fractile.Lattice(0, 125, 1)
    frame = pd.DataFrame(people)
    profile = fractile.profile(frame, "age", lattice=lattice, **WEIGHTED)
    units = [min(1000, int(income / 100 + 0.5)) for income in people["income"]]
    assert profile.records == sum(units)
    profile.write(tmp_path / "p", column="age")
    table = fractile.release(csv, "age", epsilon=1, unsafe_seed=7, **WEIGHTED, **LATTICE)
    assert fractile.release(counts=tmp_path / "p", epsilon=1, unsafe_seed=7).quantiles == table.quantiles
    counted = fractile.profile_of_counts(people["age"], units, bounds=(0, 125), step=1, **WEIGHTED)
    assert counted == profile
    counted.write(tmp_path / "c", column="age")
    assert fractile.release(counts=tmp_path / "c", epsilon=1, unsafe_seed=7).quantiles == table.quantiles
    assert fractile.Profile.from_bytes(profile.to_bytes()) == profile
    with pytest.raises(fractile.UsageError, match="weight_step is missing"):
        fractile.profile(frame, "age", lattice=lattice, weight="income", weight_bounds=(0, 1))
    with pytest.raises(fractile.UsageError, match="weight_bounds goes with weight"):
        fractile.profile(frame, "age", lattice=lattice, weight_bounds=(0, 1))
