"""Profile files: counted, merged and released as the program does it."""

import inspect
import os
import stat

import fractile
import pytest
from fractile import _core

LATTICE = {"bounds": (0, 125), "step": 1}


def test_python_lacks_no_option():
    verbs = (("count", fractile.count, {"--data"}), ("merge", fractile.merge, {"--files"}), ("columns", fractile.columns, {"--data"}))
    for verb, function, others in verbs:
        arguments = {"--" + name.replace("_", "-") for name in inspect.signature(function).parameters} - others
        mine = {"--ledger", "--format"} if verb == "columns" else set()  # nothing is paid for, and what comes back is printed by others
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
    with pytest.raises(fractile.UsageError, match="exists already"):
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
    assert column == ("x", "VARCHAR", "numbers", 1, 1, 1, (3,))
    assert "numbers,1,1,1,3" in program("columns", path, "--check", "--missing", "NA", "--format", "csv")
    with pytest.raises(fractile.UsageError, match="the path of a file is expected"):
        fractile.columns([1, 2])
    with pytest.raises(fractile.UsageError, match="missing goes with check"):
        fractile.columns(path, missing=["NA"])
