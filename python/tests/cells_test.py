"""No record decides whether a release is charged, or how another record is read. No error, nor any exception behind it, holds a cell."""

import base64
import datetime as dt
import decimal
import json
import re
import struct
import traceback
import warnings

import duckdb
import fractile
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SECRET = "31415"
ASKED = {"bounds": (0, 125), "step": 1, "epsilon": "1/2"}


@pytest.fixture
def ledger(tmp_path):
    return fractile.Ledger(tmp_path / "budget.db").init("people", epsilon=100)


def everything_in(error):
    """All text that a program can find in an exception and in the exceptions behind it."""
    seen, texts = set(), []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        texts += [str(one), repr(vars(one)), repr(one.args), *traceback.format_exception_only(one)]
        waiting += [one.__cause__, one.__context__]
    return "\n".join(texts)


def refused(kind, data, **asked):
    with pytest.raises(kind) as caught:
        fractile.release(data, **ASKED | asked)
    assert SECRET not in everything_in(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert caught.value.hint
    return caught.value


def reader_that_fails():
    def batches():
        yield pa.record_batch({"x": [1, 2]})
        raise ValueError(f"a cell of {SECRET}")

    return pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())


COMPUTED = {
    "polars": lambda: pl.LazyFrame({"x": ["1", SECRET + "x"]}).with_columns(pl.col("x").cast(pl.Int64)),
    "polars, a function": lambda: pl.LazyFrame({"x": [1, 31415]}).with_columns(
        pl.col("x").map_elements(lambda v: v if v < 9 else int(f"{v}x"), return_dtype=pl.Int64)
    ),
    "duckdb": lambda: duckdb.sql(f"SELECT CAST(v AS INTEGER) AS x FROM (VALUES ('1'), ('{SECRET}x')) AS t(v)"),
    "a reader": reader_that_fails,
}


@pytest.mark.parametrize("door", COMPUTED)
def test_what_fails_when_it_is_computed_is_charged_first(door, ledger):
    refused(fractile.DataError, COMPUTED[door](), column="x")
    error = refused(fractile.DataError, COMPUTED[door](), column="x", ledger=ledger)
    assert "stays reserved" in error.hint
    assert [entry.state for entry in ledger.entries] == ["reserved"]


class Foreign:
    """An object that reveals its columns only by computing them, and fails when it does."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise ValueError(f"a cell of {SECRET}")


class ForeignLazy(Foreign):
    def collect(self):
        raise AssertionError

    def collect_schema(self):
        raise ValueError(f"a cell of {SECRET}")


@pytest.mark.parametrize("data", [Foreign(), ForeignLazy()])
def test_what_fails_before_the_charge_stands_behind_no_error(data, ledger):
    assert "raises ValueError" in refused(fractile.DataError, data, column="x", ledger=ledger).message
    assert ledger.entries == []


@pytest.mark.parametrize("door", COMPUTED)
def test_what_is_computed_is_asked_for_its_columns_first(door, ledger):
    """What the schema shows is refused before the charge, and before the records are computed."""
    for asked in ({"column": "y"}, {"column": "x", "person": "y"}):
        refused((fractile.DataError, fractile.UsageError), COMPUTED[door](), ledger=ledger, **asked)
    with pytest.raises(fractile.BudgetError):
        fractile.release(COMPUTED[door](), "x", ledger=ledger, **ASKED | {"epsilon": 1000})
    assert ledger.entries == []
    days = {"bounds": ("2020-01-01", "2021-01-01"), "step": "1d"}
    refused(fractile.DataError, COMPUTED[door](), column="x", ledger=ledger, **days)
    assert ledger.entries == []


def test_bounds_that_a_type_cannot_have_are_refused_before_the_charge(ledger):
    wide = {"bounds": (0, 2**63), "step": 2**63, "epsilon": 1}
    for column in (pa.array([1], pa.uint64()), pa.array([decimal.Decimal(1)], pa.decimal128(20, 2)), np.array([1], dtype="u8")):
        refused(fractile.UsageError, column, ledger=ledger, **wide)
    assert ledger.entries == []


def test_an_answer_of_the_ledger_computes_nothing(ledger):
    calls = []

    def lazily():
        noted = pl.col("x").map_batches(lambda column: calls.append(1) or column, return_dtype=pl.Int64)
        return pl.LazyFrame({"x": [1, 2, 3]}).with_columns(noted)

    asked = ASKED | {"column": "x", "ledger": ledger, "source": "people 2026"}
    first = fractile.release(lazily(), **asked)
    computed = len(calls)
    again = fractile.release(lazily(), **asked)
    assert computed > 0 and again.from_ledger and again.receipt == first.receipt and len(calls) == computed


#: Cells of a list, and what an error says about each.
CELLS = {
    "text": (SECRET, "not a number"),
    "bytes": (b"\xff31415", "not a number"),
    "surrogate": ("\ud80031415", "not a number"),
    "bool": (True, "not a number"),
    "complex": (complex(31415), "not a number"),
    "date": (dt.date(2020, 1, 1), "not a number"),
    "list": ([31415], "not a number"),
    "array": (np.array([31415, 2]), "not a number"),
    "None": (None, "NULL or NaN"),
    "NaN": (float("nan"), "NULL or NaN"),
    "NA": (pd.NA, "NULL or NaN"),
    "NaT": (pd.NaT, "NULL or NaN"),
}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("others", [[40] * 50, [40.5] * 50], ids=["int", "float"])
def test_a_cell_of_a_list_that_is_no_number_counts_as_missing_in_what_is_paid(cell, others, ledger):
    value, what = CELLS[cell]
    column = [*others, value, *others]
    fractile.release(column, ledger=ledger, **ASKED)
    assert [entry.state for entry in ledger.entries] == ["committed"]
    error = refused(fractile.DataError, column, null="error", ledger=ledger)
    assert "row 51" in error.message or what == "not a number"
    if what == "NULL or NaN":
        assert fractile.profile(column, lattice=fractile.Lattice(0, 125, 1)).records == 100
        assert "row 51, column 'value': NULL or NaN" in refused(fractile.DataError, column, null="error").message
    else:
        assert "row 51, column 'value': not a number" in refused(fractile.DataError, column).message


def test_a_number_of_a_list_lies_where_it_lies_whatever_else_is_there():
    large = 2**53 + 1
    lattice = fractile.Lattice(large - 5, large + 5, 1)
    alone = fractile.profile([large, large + 2, 7], lattice=lattice)
    assert dict(alone.counts) == {1: 1, 11: 1, 15: 1}
    for beside in ([1.5], [None, 0.5], [2**70, -(2**70), 10**400], [float("inf")]):
        counts = dict(fractile.profile([large, large + 2, 7, *beside], lattice=lattice).counts)
        assert counts[11] == counts[15] == 1, beside
    assert fractile.profile([large, 0.5], lattice=lattice, records_per_person=2).records == 2
    clamped = fractile.release([2**70] * 500, quantiles="median", **ASKED | {"epsilon": 20})
    assert clamped[0.5] == 125
    assert fractile.profile([np.int64(3), 3, 3.0], lattice=fractile.Lattice(0, 9, 1)).counts == [(7, 3)]
    with pytest.raises(fractile.UsageError, match="give them one type"):
        fractile.profile_of_counts([large, 0.5], [1, 2], bounds=(0, 9), step=1)


def test_times_of_a_list_are_read_one_by_one(ledger):
    days = {"bounds": ("2020-01-01", "2021-01-01"), "step": "1d", "epsilon": 1}
    usual = [dt.date(2020, 5, 1), dt.datetime(2020, 5, 1, 17)] * 20
    aware = dt.datetime(2020, 5, 1, tzinfo=dt.timezone.utc)
    for value in (aware, 31415, "2020-05-01", pd.Timestamp("2020-05-01", tz="Asia/Tokyo")):
        error = refused(fractile.DataError, [*usual, value], **days)
        assert "row 41, column 'value': not a date or time without a zone" in error.message
        fractile.release([*usual, value], ledger=ledger, **days)
    early = dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14)))
    in_utc = fractile.Lattice("2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z", "1d")
    assert fractile.profile([early, aware, pd.NaT, None], lattice=in_utc).counts == [(1, 1), (2 * 121 + 1, 1)]
    fine = fractile.profile([pd.Timestamp("2020-05-01T00:00:00.000000999")], lattice=in_utc.__class__("2020-01-01", "2020-12-31", "1d"))
    assert fine.counts == [(2 * 121 + 1, 1)]  # what is finer than a microsecond is cut off


#: Cells of persons in a column of objects that are not texts, and whether each of them identifies a person.
NAMES = {
    "bytes": (b"\xff31415", None),
    "surrogate": ("\ud80031415", None),
    "None": (None, False),
    "NaN": (float("nan"), False),
    "NaT": (pd.NaT, False),
    "NA": (pd.NA, False),
    "decimal NaN": (decimal.Decimal("NaN"), False),
    "empty": ("", False),
    "blank": ("  ", False),
    "number": (31415, True),
    "text": (SECRET, True),
    "readable bytes": (b"31415", True),
}


@pytest.mark.parametrize("kind", ["object", "string[python]", "category"])
@pytest.mark.parametrize("cell", NAMES)
def test_a_person_that_cannot_be_read_is_nobody_in_what_is_paid(cell, kind, ledger):
    value, is_somebody = NAMES[cell]
    if kind == "string[python]" and not isinstance(value, str):
        pytest.skip("such a column holds texts")
    try:
        persons = pd.Series(["a", "b", value, "b", "c"], dtype=kind)
    except Exception:
        pytest.skip("pandas does not hold it")
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5]}).assign(id=persons)
    asked = {"column": "x", "person": "id", "records_per_person": 9}
    fractile.release(frame, ledger=ledger, **ASKED | asked)
    assert [entry.state for entry in ledger.entries] == ["committed"]
    count = {"lattice": fractile.Lattice(0, 9, 1), **asked}
    if is_somebody is None:
        assert "row 3, column 'id': not a text" in refused(fractile.DataError, frame, **asked).message
        with pytest.raises(fractile.DataError, match="row 3, column 'id'"):
            fractile.profile(frame, **count)
    else:
        assert fractile.profile(frame, **count).records == (5 if is_somebody else 4)
    if is_somebody is False:
        assert "row 3, column 'id': empty or NULL" in refused(fractile.DataError, frame, null="error", **asked).message


PERSONS = {
    "pyarrow": lambda ids: pa.array(ids, pa.int64()),
    "pyarrow, unsigned": lambda ids: pa.array(ids, pa.uint64()),
    "pandas": lambda ids: pd.Series(ids, dtype="Int64"),
    "pandas, Arrow": lambda ids: pd.Series(ids, dtype="int64[pyarrow]"),
    "polars": lambda ids: pl.Series(ids, dtype=pl.Int32),
}


@pytest.mark.parametrize("door", PERSONS)
def test_whole_numbers_of_persons_that_are_null_are_nobody(door):
    ids = PERSONS[door]([7, None, 7, None, 0])
    table = {"polars": pl.DataFrame, "pyarrow": pa.table}.get(door.partition(",")[0], pd.DataFrame)({"x": [1, 2, 3, 4, 5], "id": ids})
    count = {"column": "x", "person": "id", "lattice": fractile.Lattice(0, 9, 1)}
    counted = fractile.profile(table, records_per_person=9, **count)
    assert counted.counts == [(3, 1), (7, 1), (11, 1)]
    assert fractile.profile(table, records_per_person=1, **count).records == 2


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_floating_point_numbers_of_persons_are_refused(table, ledger):
    frame = table({"x": [1, 2], "id": [1.0, float("nan")]})
    # The hint was once "convert it to text first": pandas 2 makes a person "nan" of all missing persons.
    assert 'astype("Int64")' in refused(fractile.DataError, frame, column="x", person="id", ledger=ledger).hint
    assert ledger.entries == []


def test_records_that_are_null_as_a_whole_are_missing(ledger):
    structs = pa.array([{"x": 1}, None, {"x": 3}, {"x": None}])
    assert fractile.profile(structs, "x", lattice=fractile.Lattice(0, 9, 1)).counts == [(3, 1), (7, 1)]
    fractile.release(structs, "x", ledger=ledger, **ASKED)
    assert [entry.state for entry in ledger.entries] == ["committed"]
    assert "row 2, column 'x'" in refused(fractile.DataError, structs, column="x", null="error").message


#: Objects that are not columns. They are refused before the charge, in words that say what to give and that hold none of their text.
NO_DATA = {
    "bytes": lambda: b"age\n31415\n",
    "bytearray": lambda: bytearray(b"age\n31415\n"),
    "a view of bytes": lambda: memoryview(b"age\n31415\n"),
    "the text of a CSV": lambda: "age\n31415\n",
    "JSON": lambda: '{"age": 31415}',
    "a long text": lambda: "31415 " * 100,
    "a text with a zero": lambda: "31415\0",
    "groups of pandas": lambda: pd.DataFrame({"age": [31415], "r": [1]}).groupby("r"),
    "a column in groups": lambda: pd.DataFrame({"age": [31415], "r": [1]}).groupby("r")["age"],
    "groups of polars": lambda: pl.DataFrame({"age": [31415], "r": [1]}).group_by("r"),
    "groups of pyarrow": lambda: pa.table({"age": [31415], "r": [1]}).group_by("r"),
    "two dimensions": lambda: np.array([[31415]]),
    "records": lambda: np.array([(31415, 1)], dtype=[("age", "i4"), ("r", "i4")]),
    "texts": lambda: np.array([SECRET]),
    "objects": lambda: np.array([SECRET, 1], dtype=object),
    "long doubles": lambda: np.array([31415], dtype=np.longdouble),
    "a masked table": lambda: np.ma.masked_equal([[31415, 2]], 2),
    "a set": lambda: {31415},
    "a moment": lambda: np.datetime64("2020-01-01"),
    "an array of one moment": lambda: np.array(np.datetime64("2020-01-01")),
    "no moment": lambda: np.datetime64("NaT"),
    "a number": lambda: np.float64(31415),
}


@pytest.mark.parametrize("door", NO_DATA)
def test_what_is_no_column_is_refused(door, ledger):
    error = refused(fractile.UsageError, NO_DATA[door](), column="age", ledger=ledger)
    assert error.field == "data" and ledger.entries == []
    assert "a ndarray" not in str(error) and "give a numpy array" not in str(error)


def test_a_file_of_such_a_name_is_read(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("{a}.csv", "two\nlines.csv"):
        (tmp_path / name).write_text("age\n40\n")
        assert len(fractile.release(name, "age", **ASKED)) == 3


def test_hints_of_arrays_work():
    packed = np.array([(40.0, 1)] * 500, dtype=[("age", "f8"), ("r", "i1")])
    ages = {"quantiles": "median", "bounds": (0, 125), "step": 1, "epsilon": 20}
    for data, column in ((packed, packed["age"]), (np.full((500, 2), 40.0), np.full((500, 2), 40.0)[:, 0])):
        hint = refused(fractile.UsageError, data).hint
        assert fractile.release(eval(hint.partition("data")[1] + hint.partition("data")[2], {"data": data}), **ages)[0.5] == 40
        assert fractile.release(column, **ages)[0.5] == 40
    assert refused(fractile.UsageError, packed, column="r").hint == "give one of their fields, data['r']"
    texts = np.array(["40"] * 500)
    assert fractile.release(eval(refused(fractile.UsageError, texts).hint.partition(", ")[2], {"data": texts}), **ages)[0.5] == 40
    took = pd.Series(pd.to_timedelta([40] * 500, unit="s"))
    hint = refused(fractile.UsageError, took, bounds=("2020-01-01", "2021-01-01"), step="1d").hint
    assert fractile.release(eval(hint.partition(": ")[2], {"column": took}), **ages)[0.5] == 40
    hint = refused(fractile.UsageError, took.to_numpy()).hint
    assert fractile.release(eval(hint.partition(": ")[2], {"array": took.to_numpy(), "numpy": np}), **ages)[0.5] == 40
    unknown = np.append(took.to_numpy(), np.timedelta64("NaT"))  # as a whole number, NaT would be the smallest of all
    counted = fractile.profile(eval(hint.partition(": ")[2], {"array": unknown, "numpy": np}), lattice=fractile.Lattice(0, 125, 1))
    assert counted.records == 500
    frame = pl.DataFrame({"took": pl.Series([40] * 500).cast(pl.Duration("ms")) * 1000})
    hint = refused(fractile.DataError, frame, column="took").hint
    seconds = frame.select(eval("pl.col('took')" + re.search(r"[.]dt[.]\w+\(\)", hint)[0], {"pl": pl}))
    assert fractile.release(seconds, "took", **ages)[0.5] == 40


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "u2", "u4", "u8"])
def test_numbers_in_any_order_of_bytes_and_any_place_are_read(kind, order):
    numbers = [int(n) for n in np.random.default_rng(1).integers(0, 120, 200)]
    lattice = fractile.Lattice(0, 125, 1)
    packed = np.zeros(200, dtype=[("flag", "i1"), ("x", order + kind)])
    packed["x"] = numbers
    for column in (np.array(numbers, dtype=order + kind), packed["x"], packed["x"][::-1], packed["x"][::3], packed[:0]["x"]):
        assert fractile.profile(column, lattice=lattice) == fractile.profile([float(n) for n in column], lattice=lattice)


def test_masks_of_numpy_are_missing():
    asked = {"bounds": (0, 120), "step": 1, "epsilon": 20}
    masked = np.ma.masked_equal(np.array([40.0, -999.0] * 500), -999.0)
    assert set(fractile.release(masked, **asked).quantiles.values()) == {40}
    assert "row 2, column 'value': NULL or NaN" in refused(fractile.DataError, masked, null="error").message
    lattice = fractile.Lattice(0, 120, 1)
    for kind in ("f8", ">f8", "i4", "u8", ">i2"):
        numbers = np.ma.array(np.arange(100, dtype=kind), mask=np.arange(100) % 3 == 0)
        expected = fractile.profile(np.arange(100)[np.arange(100) % 3 != 0], lattice=lattice)
        assert fractile.profile(numbers, lattice=lattice) == expected
        assert fractile.profile(numbers[::-1], lattice=lattice) == expected
        assert fractile.profile(np.ma.array(np.arange(100, dtype=kind)), lattice=lattice).records == 100
        assert fractile.profile(np.ma.array(np.arange(100, dtype=kind), mask=True), lattice=lattice).records == 0
    days = np.ma.array(np.array(["2020-01-02", "2020-01-03", "NaT"], "datetime64[D]"), mask=[True, False, False])
    assert fractile.profile(days, lattice=fractile.Lattice("2020-01-01", "2020-01-31", "1d")).counts == [(5, 1)]


class MaskedColumn(np.ndarray):
    """An array as astropy makes them: a class of its own, with the mask as a separate attribute."""

    @property
    def unmasked(self):
        return np.asarray(self)

    @property
    def mask(self):
        return np.asarray(self) < 0


def test_masks_of_others_are_missing():
    column = np.array([40.0, -999.0] * 500, dtype=">f8").view(MaskedColumn)
    assert set(fractile.release(column, bounds=(-1000, 120), step=1, epsilon=20).quantiles.values()) == {40}


def test_distant_days_of_numpy_lie_at_the_ends():
    days = np.array([2**60, -(2**60), 18_262, np.datetime64("NaT").astype("int64")]).view("datetime64[D]")
    lattice = fractile.Lattice("2020-01-01", "2020-01-31", "1d")
    assert fractile.profile(days, lattice=lattice).counts == [(1, 2), (61, 1)]


def test_a_stream_is_read_once():
    class Spent:
        capsule = pa.table({"x": [1, 2]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    assert len(fractile.release(Spent(), "x", **ASKED)) == 3
    with pytest.raises(fractile.UsageError, match="already read"):
        fractile.release(Spent(), "x", **ASKED)


MEDIAN = {"bounds": (-20, 120), "step": 1, "epsilon": 20, "quantiles": "median"}
CODED = [7] * 60 + [-9] * 90
#: Columns in which -9 stands for a missing value, and possibly other marks do, too.
MISSING = {
    "list": lambda: CODED + ["NA"] * 30,
    "list of doubles": lambda: [float(x) for x in CODED],
    "tuple": lambda: (*CODED, "NA"),
    "numpy": lambda: np.array(CODED),
    "numpy, bytes": lambda: np.array(CODED, dtype="i1"),
    "numpy, singles": lambda: np.array(CODED, dtype="f4"),
    "pandas": lambda: pd.Series(CODED),
    "pandas, nullable": lambda: pd.Series(CODED, dtype="Int64"),
    "polars": lambda: pl.Series(CODED),
    "pyarrow": lambda: pa.array(CODED),
    "pyarrow, decimals": lambda: pa.array([decimal.Decimal(x) for x in CODED], pa.decimal128(9, 2)),
    "duckdb": lambda: duckdb.sql("SELECT CASE WHEN i < 60 THEN 7 ELSE -9 END AS x FROM range(150) t(i)"),
    "polars, lazy": lambda: pl.LazyFrame({"x": CODED}),
}


@pytest.mark.parametrize("door", MISSING)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_what_is_declared_to_be_missing(door, ledger):
    asked = MEDIAN | {"missing": ["NA", -9]}
    for paid in ({}, {"ledger": ledger}):
        release = fractile.release(MISSING[door](), **asked | paid)
        assert release[0.5] == 7
        assert json.loads(release.receipt)["source"]["missing"] == ["NA", "-9"]
    assert "Also declared to be missing: 'NA', '-9'." in " ".join(release.explain().split())
    with pytest.raises(fractile.DataError, match="NULL or NaN"):
        fractile.release(MISSING[door](), **asked | {"null": "error"})


NINES = 99999999999999999999
#: Columns of 40, a code beyond 64 bits with a sign, and a neighbor of this code.
BEYOND = {
    "numpy": (2**64 - 1, lambda code: np.array([40, code, code - 1], dtype="u8")),
    "polars": (2**63, lambda code: pl.Series([40, code, code + 1], dtype=pl.UInt64)),
    "pandas, Arrow": (2**64 - 1, lambda code: pd.Series([40, code, code - 1], dtype="uint64[pyarrow]")),
    "pyarrow, decimals": (NINES, lambda code: pa.array([40, code, code + 1], pa.decimal128(38, 0))),
    "pyarrow, negative": (-NINES, lambda code: pa.array([40, code, code + 1], pa.decimal128(38, 0))),
    "duckdb": (NINES, lambda code: duckdb.sql(f"SELECT unnest([40, {code}, {code} + 1])::HUGEINT AS x")),
}


@pytest.mark.parametrize("door", BEYOND)
def test_what_is_declared_to_be_missing_is_exact_beyond_64_bits(door):
    code, column = BEYOND[door]
    lattice = fractile.Lattice(0, 125, 1)
    assert fractile.profile(column(code), lattice=lattice, missing=[code]).records == 2
    for other in (2**63 - 1, -(2**63), code + 2):
        assert fractile.profile(column(code), lattice=lattice, missing=[other]).records == 3


def test_what_is_declared_to_be_missing_is_the_nearest_number_of_the_column(tmp_path, engine):
    lattice = fractile.Lattice(0, 125, 1)
    for kind in ("f2", "f4", "f8"):
        for column in (np.array([40, -9.9, -9.8], kind), pa.array(np.array([40, -9.9, -9.8], kind))):
            assert fractile.profile(column, lattice=lattice, missing=[-9.9]).counts == [(1, 1), (81, 1)], kind
    for kind, code in (("f2", -9.8984375), ("f4", -9.9), ("f8", -9.9)):  # the engine reads 16 bits as 32
        pq.write_table(pa.table({"x": np.array([7] * 60 + [code] * 90, kind)}), tmp_path / "coded.parquet")
        assert fractile.release(tmp_path / "coded.parquet", "x", **MEDIAN | {"missing": [code]})[0.5] == 7


def test_texts_that_are_declared_to_be_missing_are_exact():
    with pytest.raises(fractile.DataError, match=r"row 151, .*not a number, and not missing"):
        fractile.release(CODED + ["na"], **MEDIAN | {"missing": ["NA"]})
    assert fractile.release(CODED + ["na"], **MEDIAN | {"missing": ["NA", "-9.0"], "unreadable": "missing"})[0.5] == 7
    with pytest.raises(fractile.DataError):
        fractile.release(CODED + ["na"], **MEDIAN)
    receipt = fractile.release(CODED + ["na"], **MEDIAN | {"unreadable": "missing"}).receipt
    assert '"unreadable": "missing"' in receipt and '"domain": "anything"' in receipt


def test_times_that_are_declared_to_be_missing():
    days = [dt.date(2020, 5, 5)] * 60 + [dt.date(9999, 12, 31)] * 90
    asked = {"bounds": (dt.date(2020, 1, 1), dt.date(2020, 12, 31)), "step": "1d", "epsilon": 20, "quantiles": "median"}
    for data in (days, pa.array(days), pl.Series(days), np.array(days, dtype="datetime64[D]")):
        assert fractile.release(data, **asked | {"missing": ["9999-12-31", "never"]})[0.5] == dt.date(2020, 5, 5)
        assert fractile.release(data, **asked)[0.5] == dt.date(2020, 12, 31)


@pytest.mark.parametrize("kind", ["int64", "string", "object"])
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_persons_that_are_declared_to_be_missing(kind):
    frame = pd.DataFrame({"x": [90] * 200 + [7] * 50, "who": [-9] * 200 + list(range(50))}).astype({"who": kind})
    asked = MEDIAN | {"person": "who", "records_per_person": 100, "epsilon": 4000}
    assert fractile.release(frame, "x", **asked)[0.5] == 90
    for missing in ([-9], ["-9.0"], ["NA", "-9"]):
        assert fractile.release(frame, "x", **asked | {"missing": missing})[0.5] == 7
    with pytest.raises(fractile.DataError, match="row 1, column 'who': empty or NULL"):
        fractile.release(frame, "x", **asked | {"missing": [-9], "null": "error"})


def test_profiles_carry_what_is_missing():
    lattice = fractile.Lattice(-20, 120, 1)
    coded = fractile.profile(CODED, lattice=lattice, missing=[-9])
    assert coded.records == 60
    plain = fractile.profile([7] * 60, lattice=lattice)
    assert coded.counts == plain.counts
    with pytest.raises(fractile.UsageError, match="different declarations of what is missing"):
        coded | plain
    again = fractile.profile(np.array(CODED), lattice=lattice, missing=["-9"])
    assert (coded | again).records == 120
    assert (fractile.Profile.from_bytes(coded.to_bytes()) | again).records == 120
    with pytest.raises(fractile.UsageError, match="a list of texts and numbers"):
        fractile.profile(CODED, lattice=lattice, missing="NA")


class Keys:
    """A service that keeps keys, as pyarrow asks for one. It hides nothing."""

    def __init__(self):
        from pyarrow.parquet import encryption

        class Client(encryption.KmsClient):
            def wrap_key(self, key_bytes, master_key_identifier):
                return base64.b64encode(key_bytes)

            def unwrap_key(self, wrapped_key, master_key_identifier):
                return base64.b64decode(wrapped_key)

        made = encryption.EncryptionConfiguration
        self._configuration = lambda plain: made(footer_key="k", column_keys={"k": ["age"]}, plaintext_footer=plain)
        self._connection = encryption.KmsConnectionConfig()
        self._factory = encryption.CryptoFactory(lambda configuration: Client())

    def write(self, path, table, plaintext_footer):
        how = self._factory.file_encryption_properties(self._connection, self._configuration(plaintext_footer))
        with pq.ParquetWriter(path, table.schema, encryption_properties=how) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_encrypted_parquet_is_refused_before_the_charge(tmp_path, engine, ledger, plaintext_footer):
    """A footer that is not encrypted was once called text that is not UTF-8."""
    pytest.importorskip("pyarrow.parquet.encryption")
    path = tmp_path / "t.parquet"
    Keys().write(path, pa.table({"age": [40] * 9, "r": ["a"] * 9}), plaintext_footer)
    with pytest.raises(fractile.DataError, match="is an encrypted Parquet file by its f"):
        fractile.release(path, "age", ledger=ledger, **ASKED)
    assert not ledger.entries


def counted(path, **asked):
    """The released number of records, which has hardly any noise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fractile.FractileWarning)
        release = fractile.release(path, bounds=(0, 4000), step=1, epsilon=1000, count=True, **asked)
    return json.loads(release.receipt)["count"]["value"]


def test_ranges_in_a_footer_decide_nothing(tmp_path, engine):
    """The footer says that all values are 5 or 6, and all texts zzzzy or zzzzz."""
    values = [2001, *(2002 + i % 997 for i in range(998)), 2999]
    table = pa.table({"x": values, "f": pa.array(values, pa.float64()), "g": ["kkeya", "kkeyb"] * 500})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, use_dictionary=False, compression="none")
    whole = path.read_bytes()
    begin = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    footer = whole[begin:]
    for true, false in ((struct.pack("<q", 2001), struct.pack("<q", 5)), (struct.pack("<q", 2999), struct.pack("<q", 6)),
                        (struct.pack("<d", 2001), struct.pack("<d", 5)), (struct.pack("<d", 2999), struct.pack("<d", 6)),
                        (b"kkeya", b"zzzzy"), (b"kkeyb", b"zzzzz")):
        assert true in footer
        footer = footer.replace(true, false)
    path.write_bytes(whole[:begin] + footer)
    statistics = pq.ParquetFile(path).metadata.row_group(0).column(0).statistics
    assert (statistics.min, statistics.max) == (5, 6)
    many = sum(value > 2500 for value in values)
    assert counted(path, column="x") == counted(path, column="f") == len(values)
    for name in ("x", "f"):
        assert counted(path, column=name, sql=f"FROM input WHERE {name} > 2500") == many
    assert counted(path, column="x", sql="FROM input WHERE g = 'kkeya'") == 500
    groups = json.loads(fractile.release(path, "x", by="g", keys=["kkeya", "kkeyb"], bounds=(0, 4000), step=1, epsilon=20, count=True).receipt)
    assert all(abs(group["count"]["value"] - 500) < 100 for group in groups["groups"])


def test_no_record_decides_whether_nan_meets_the_condition_of_a_declared_query(tmp_path, engine):
    """The range in a footer leaves NaN out. A record of 11 brought 100 others into the result, where one was declared."""
    asked = {"column": "f", "sql": "SELECT CASE WHEN isnan(f) THEN 50 ELSE f END AS f FROM input WHERE f > 10"}
    for more in ([], [11.0]):
        path = tmp_path / f"{len(more)}.parquet"
        pq.write_table(pa.table({"f": [1.0, 2.0] * 50 + [float("nan")] * 100 + more}), path)
        assert counted(path, **asked) == counted(path, **asked, sql_stability=1) == 100 + len(more)
