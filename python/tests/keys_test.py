"""Groups by several columns: keys for each column, whose combinations are all groups, or an explicit list of groups."""

import datetime
import itertools
import json
import pickle
import subprocess

import duckdb
import fractile
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import program_path

ASKED = {"bounds": (0, 500_000), "step": 1, "epsilon": 1, "unsafe_seed": 7}
REGIONS = ["north", "south"]
KINDS = ["a,b", 'c "d"', "e"]
GROUPS = {"by": ["region", "kind"], "keys": {"kind": KINDS, "region": REGIONS}}


@pytest.fixture(scope="module")
def records(people):
    return people | {"kind": [KINDS[i % 3] if i % 7 else "other" for i in range(len(people["id"]))]}


@pytest.fixture(scope="module")
def file(records, tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "people.parquet"
    pq.write_table(pa.table(records), path)
    return str(path)


@pytest.mark.parametrize("person", [{}, {"person": "id", "records_per_person": 2}])
def test_every_door_gives_what_the_program_gives(records, file, person, tmp_path):
    keys = ["--keys", "region=north,south", "--keys", "kind=e"]
    tuples = [(region, "e") for region in REGIONS]
    options = ["--column", "income", "--bounds", "0", "500000", "--step", "1", "--epsilon", "1", "--unsafe-seed", "7", "--format", "csv"]
    words = [word for name, value in person.items() for word in ("--" + name.replace("_", "-"), str(value))]
    run = [program_path(), "release", file, *options, "--by", "region,kind", *keys, *words]
    expected = subprocess.run(run, capture_output=True, check=True, text=True).stdout
    for frame in (pd.DataFrame(records), pl.DataFrame(records), pa.table(records), file):
        for given in ({"region": REGIONS, "kind": ["e"]}, tuples):
            r = fractile.release(frame, "income", by=["region", "kind"], keys=given, **person, **ASKED)
            assert r.to_csv() == expected
    assert list(r) == tuples


def test_keys_are_tuples(records):
    r = fractile.release(pd.DataFrame(records), "income", **GROUPS, **ASKED)
    assert list(r) == list(itertools.product(REGIONS, KINDS))
    assert r["south", "a,b"].key == ("south", "a,b") and len(r["south", "a,b"]) == 3
    assert fractile.Release.from_text(r.receipt) == r and pickle.loads(pickle.dumps(r)) == r
    with pytest.raises(KeyError, match="north"):
        r["north"]
    frame = r.to_pandas()
    assert list(frame.index.names) == ["region", "kind"] and list(frame.index) == list(r)
    table = r.to_arrow()
    assert table.column_names == ["region", "kind", "quantile", "value"]
    assert table.column("kind").to_pylist()[:6] == ["a,b"] * 3 + ['c "d"'] * 3
    polars = r.to_polars()
    assert polars.columns == table.column_names and polars["value"].dtype == pl.Float64
    assert polars["value"].to_list() == [float(value) for value in table["value"].to_pylist()]
    plain = r.to_dict()
    assert list(plain) == list(r) and json.loads(json.dumps(plain["south", "e"])) == {str(q): v for q, v in plain["south", "e"].items()}
    assert plain["south", "e"][0.5] == r["south", "e"]["median"] == r["south", "e"][0.5]


def test_a_frame_has_the_groups(records):
    tuples = [("south", "e"), ("north", "a,b")]
    expected = fractile.release(pl.DataFrame(records), "income", by=["region", "kind"], keys=tuples, **ASKED)
    rows = {"kind": ["e", "a,b"], "region": ["south", "north"]}
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)):
        with pytest.warns(fractile.FractileWarning, match="keys is a .* which looks computed from the data"):
            r = fractile.release(pl.DataFrame(records), "income", by=["region", "kind"], keys=frame, **ASKED)
        assert r == expected
    one = fractile.release(pl.DataFrame(records), "income", by=["region"], keys={"region": REGIONS}, **ASKED)
    assert one == fractile.release(pl.DataFrame(records), "income", by="region", keys=REGIONS, **ASKED)
    assert list(one) == REGIONS


@pytest.mark.parametrize(
    "keys",
    [pl.LazyFrame({"region": REGIONS}), duckdb.sql("SELECT * FROM (VALUES ('north'), ('south')) AS t(region)"), pa.table({"region": REGIONS}),
     pa.array(REGIONS), pa.chunked_array([REGIONS]), pl.Series(REGIONS), pd.DataFrame({"region": REGIONS})],
    ids=lambda keys: type(keys).__name__,
)  # fmt: skip
def test_lists_of_keys_of_every_kind(records, keys):
    with pytest.warns(fractile.FractileWarning, match="keys is a .* which looks computed from the data"):
        assert list(fractile.release(pl.DataFrame(records), "income", by="region", keys=keys, **ASKED)) == REGIONS


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pl.LazyFrame({"region": ["SECRET"]}).with_columns(pl.col("region").cast(pl.Int64)),
        lambda: duckdb.sql("SELECT CAST(v AS INTEGER) AS region FROM (VALUES ('SECRET')) AS t(v)"),
    ],
    ids=["polars", "duckdb"],
)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_a_frame_of_keys_that_fails_tells_no_value(records, frame):
    with pytest.raises(fractile.UsageError, match="keys: the frame cannot be read") as caught:
        fractile.release(pl.DataFrame(records), "income", by="region", keys=frame(), **ASKED)
    assert "SECRET" not in str(caught.value) and caught.value.__context__ is None


def test_columns_of_keys_have_names_of_their_own(records):
    names = ["value", "key.value", "quantile"]
    frame = pl.DataFrame({"x": [1.0] * 100, "value": ["a"] * 100, "key.value": ["b"] * 100, "quantile": ["c"] * 100})
    r = fractile.release(frame, "x", by=names, keys=[("a", "b", "c")], bounds=(0, 9), step=1, epsilon=1, quantiles="median")
    expected = ["key.key.value", "key.value", "key.quantile", "quantile", "value"]
    assert r.to_arrow().column_names == r.to_polars().columns == expected
    assert [r.to_polars().row(0)[place] for place in range(3)] == ["a", "b", "c"]


def test_numbers_are_keys(records):
    groups = {"by": ["age", "region"], "keys": [(30, "north"), ("31", "south")]}
    profiles = fractile.profile(pa.table(records), "income", lattice=fractile.Lattice(0, 500_000, 1), **groups)
    rows = list(zip(records["age"], records["region"]))
    assert {key: p.records for key, p in profiles.items()} == {
        ("30", "north"): rows.count((30, "north")), ("31", "south"): rows.count((31, "south"))
    }  # fmt: skip


def test_profile_files(file, tmp_path):
    asked = {name: ASKED[name] for name in ("bounds", "step")}
    fractile.count(file, "income", output=tmp_path / "p", **GROUPS, **asked)
    r = fractile.release(counts=tmp_path / "p", epsilon=1, unsafe_seed=7)
    direct = fractile.release(file, "income", **GROUPS, **ASKED)
    assert list(r) == list(itertools.product(REGIONS, KINDS)) and r.to_csv() == direct.to_csv()


def test_two_keys_of_a_column_are_compared(records):
    r = fractile.release(pa.table(records), "income", **GROUPS, **ASKED | {"epsilon": 5}, intervals=0.9, quantiles=[0.5])
    assert [(c.key, c.against) for c in r.compare("north", "south")] == [(("south", kind), "north") for kind in KINDS]


@pytest.mark.parametrize(
    ("by", "keys", "message"),
    [
        (["region", "kind"], ["north", "south"], "keys: a list of keys is expected"),
        (["region", "kind"], [("north",)], "keys: a group has 1 key, and there are 2 columns"),
        (["region", "kind"], [], "keys: the list is empty"),
        (["region", "kind"], {"region": REGIONS}, "keys: a list for each of the columns region, kind is expected"),
        (["region", "kind"], {"region": REGIONS, "kind": []}, "keys: the list is empty"),
        (["region", "kind"], [("north", "e"), ("north", "e")], "keys: the group 'north, e' appears twice"),
        (["region", "region"], [("north", "north")], "by: the key column 'region' appears twice"),
        (["region", 3], [("north", "e")], "by: a str is expected, or a list of them"),
        ([], ["north"], "by: a str is expected, or a list of them"),
        (["region"], [("north",), ("south",)], "keys: a key of one column is a text, not a tuple"),
        ("region", [False, True], "keys: a truth value is not a key"),
        ("region", [None], "keys: a missing value is not a key"),
        ("region", ["north", float("nan")], "keys: a missing value is not a key"),
        ("region", [datetime.date(2024, 1, 31)], "keys: a date or time is not a key"),
        (None, {"region": REGIONS}, "keys without the column that holds the keys"),
        (None, pd.DataFrame({"region": REGIONS}), "keys without the column that holds the keys"),
    ],
)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_what_cannot_be(records, by, keys, message):
    with pytest.raises(fractile.UsageError) as raised:
        fractile.release(pa.table(records), "income", by=by, keys=keys, **ASKED)
    assert message in raised.value.message


@pytest.mark.parametrize("column", [pd.Series, pl.Series, np.array, pd.Index])
def test_a_column_as_by_is_refused_unread(records, column):
    """Once, the hint listed the values of all records."""
    with pytest.raises(fractile.UsageError) as raised:
        fractile.release(pa.table(records), "income", by=column(["secret", "other"]), keys=["north"], **ASKED)
    assert (raised.value.message, raised.value.field) == ("by: a str is expected, or a list of them", "by")
    assert "secret" not in str(raised.value)


def test_an_unknown_key_is_told_that_keys_are_texts():
    frame = pd.DataFrame({"x": [1.0, 2.0] * 500, "k": [1, 2] * 500})
    release = fractile.release(frame, "x", by="k", keys=[1, 2], bounds=(0, 9), step=1, epsilon=1)
    with pytest.raises(KeyError, match="1 is not the key of a group; the keys are: '1', '2'"):
        release[1]
    assert release["1"].key == "1"
