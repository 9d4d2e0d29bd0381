"""Several files that form one table."""

import json
import pathlib

import pytest

import fractile

ASKED = {"bounds": (0, 10), "step": 1, "quantiles": [0.4, 0.6], "epsilon": 1000}


@pytest.fixture
def halves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.csv").write_text("x\n" + "3\n" * 50)
    pathlib.Path("b.csv").write_text("x\n" + "7\n" * 51)
    return [pathlib.Path("a.csv"), pathlib.Path("b.csv")]


@pytest.mark.filterwarnings("ignore:an epsilon above 20")
def test_are_named_by_a_pattern_a_folder_or_paths(halves):
    for data in ("?.csv", ".", pathlib.Path(), halves):
        r = fractile.release(data, "x", **ASKED)
        assert [int(value) for value in r.values()] == [3, 7]
        assert json.loads(r.receipt)["source"]["files"] == (["./a.csv", "./b.csv"] if data in (".", pathlib.Path()) else ["a.csv", "b.csv"])
    fractile.count(halves, "x", bounds=(0, 10), step=1, output="x.profile")
    assert [int(value) for value in fractile.release(counts="x.profile", quantiles=[0.4, 0.6], epsilon=1000).values()] == [3, 7]
    assert [column.name for column in fractile.columns(halves)] == ["x"]


def test_texts_in_a_list_are_records():
    with pytest.raises(fractile.DataError, match="row 1, column 'x': not a number") as caught:
        fractile.release(["a.csv", "b.csv"], "x", **ASKED)
    assert 'names of files are Paths: [Path("a.csv"), Path("b.csv")]' in caught.value.hint


def test_the_first_ones_columns_are_all_ones_columns(halves):
    halves[1].write_text("Ada\n36\n")
    with pytest.raises(fractile.DataError, match="b.csv: its first line has other column names than those of a.csv") as error:
        fractile.release(halves, "x", **ASKED)
    assert "Ada" not in str(error.value)
