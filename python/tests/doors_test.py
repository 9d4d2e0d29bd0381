"""Every kind of input gives what a file gives: the same records in the same order, and so the same values with the same seed."""

import array
import ctypes
import datetime
import io
import mmap
import multiprocessing
import pickle
import sys
from decimal import Decimal
from fractions import Fraction

import duckdb
import fractile
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

AGES = {"bounds": (0, 125), "step": 1, "epsilon": 1, "unsafe_seed": 7}

COLUMNS = {
    "pandas": lambda p: pd.Series(p["age"], name="age"),
    "pandas, nullable": lambda p: pd.Series(p["age"], dtype="Int64"),
    "pandas, Arrow": lambda p: pd.Series(p["age"], dtype="int64[pyarrow]"),
    "pandas, nullable with NA": lambda p: pd.Series([pd.NA, *p["age"], pd.NA], dtype="Int64"),
    "pandas, nullable doubles with NA": lambda p: pd.Series([pd.NA, *p["age"]], dtype="Float64"),
    "pandas, Arrow with NA": lambda p: pd.Series([pd.NA, *p["age"]], dtype="int64[pyarrow]"),
    "pandas, Arrow decimals": lambda p: pd.Series([Decimal(a) for a in p["age"]], dtype=pd.ArrowDtype(pa.decimal128(20, 2))),
    "pandas, doubles": lambda p: pd.Series(p["age"], dtype=float),
    "polars": lambda p: pl.Series("age", p["age"]),
    "polars, in pieces": lambda p: pl.concat([pl.Series("age", p["age"][:100]), pl.Series("age", p["age"][100:])], rechunk=False),
    "pyarrow": lambda p: pa.array(p["age"]),
    "pyarrow, in pieces": lambda p: pa.chunked_array([p["age"][:7], p["age"][7:]]),
    "pyarrow, a slice": lambda p: pa.array([3, 4, 5, *p["age"], 6]).slice(3, len(p["age"])),
    "pyarrow, NULLs": lambda p: pa.array([None, *p["age"], None]),
    "pyarrow, decimals": lambda p: pa.array([Decimal(a) for a in p["age"]], pa.decimal128(20, 2)),
    "numpy": lambda p: np.array(p["age"]),
    "numpy, doubles with NaN": lambda p: np.array([np.nan, *p["age"]]),
    "numpy, half": lambda p: np.array(p["age"], dtype=np.float16),
    "numpy, backwards": lambda p: np.array(p["age"][::-1])[::-1],
    "numpy, every second": lambda p: np.repeat(np.array(p["age"]), 2)[::2],
    "array": lambda p: array.array("i", p["age"]),
    "memoryview": lambda p: memoryview(array.array("d", p["age"])),
    "memoryview, every second": lambda p: memoryview(np.repeat(np.array(p["age"]), 2))[::2],
    "memoryview of a bytes buffer": lambda p: memoryview(mapped(array.array("d", p["age"]).tobytes())).cast("d"),
    "ctypes": lambda p: (ctypes.c_int * len(p["age"]))(*p["age"]),
    "ctypes, bytes": lambda p: (ctypes.c_uint8 * len(p["age"]))(*p["age"]),
    "ctypes, shared by processes": lambda p: multiprocessing.RawArray("d", p["age"]),
    "list of Decimal": lambda p: [Decimal(a) for a in p["age"]],
    "list of Fraction": lambda p: [Fraction(a) for a in p["age"]],
    "list of numpy's floats": lambda p: list(np.array(p["age"], dtype="float32")),
    "list": lambda p: p["age"],
    **{f"numpy {kind}": lambda p, kind=kind: np.array(p["age"], dtype=kind) for kind in "bhilBHILfd"},
}


def mapped(contents):
    memory = mmap.mmap(-1, len(contents))
    memory.write(contents)
    return memory


#: Names that the libraries of frames use themselves.
TAKEN = ("column_names", "columns", "collect", "collect_schema", "schema", "dtype", "shape", "iloc", "select", "limit", "project", "name", "mask")


def with_taken_names(make):
    """The frame, with columns of such names beside its own, which hold secrets."""
    return lambda p: make(p | {name: ["SECRET"] * len(p["id"]) for name in TAKEN})


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, taken names": with_taken_names(pd.DataFrame),
    "polars, taken names": with_taken_names(pl.DataFrame),
    "polars, lazy, taken names": with_taken_names(pl.LazyFrame),
    "pyarrow, taken names": with_taken_names(pa.table),
    "duckdb, taken names": with_taken_names(lambda p: duckdb.from_arrow(pa.table(p))),
    "pandas, categories": lambda p: pd.DataFrame(p).astype({"region": "category"}),
    "pandas, nullable": lambda p: pd.DataFrame(p).convert_dtypes(),
    "pandas, Arrow": lambda p: pd.DataFrame(p).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, persons as text": lambda p: pd.DataFrame(p).astype({"id": str}),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "polars, categories": lambda p: pl.DataFrame(p).with_columns(pl.col("region").cast(pl.Categorical)),
    "pyarrow": pa.table,
    "pyarrow, a batch": lambda p: pa.RecordBatch.from_pydict(p),
    "pyarrow, in pieces": lambda p: pa.Table.from_batches(pa.table(p).to_batches(max_chunksize=37)),
    "pyarrow, large text": lambda p: pa.table(p).set_column(2, "region", pa.array(p["region"], pa.large_string())),
    "pyarrow, views": lambda p: pa.table(p).set_column(2, "region", pa.array(p["region"], pa.string_view())),
    "duckdb": lambda p: duckdb.from_arrow(pa.table(p)),
}


@pytest.fixture(scope="module")
def ages(csv):
    return fractile.release(csv, "age", **AGES).quantiles


@pytest.mark.parametrize("door", COLUMNS)
def test_columns(door, people, ages):
    assert fractile.release(COLUMNS[door](people), **AGES).quantiles == ages


@pytest.mark.parametrize("door", FRAMES)
def test_frames(door, people, ages):
    release = fractile.release(FRAMES[door](people), "age", **AGES)
    assert release.quantiles == ages
    assert release.column == "age"


@pytest.mark.parametrize("door", FRAMES)
def test_persons_and_groups(door, people, csv):
    asked = {"by": "region", "keys": ["north", "south"], "person": "id", "records_per_person": 2, "bounds": (0, 500_000)}
    asked |= {"step": "0.01", "epsilon": "ln 3", "unsafe_seed": 7}
    release = fractile.release(FRAMES[door](people), "income", **asked)
    of_file = fractile.release(csv, "income", **asked)
    assert {key: dict(release[key]) for key in release} == {key: dict(of_file[key]) for key in ("north", "south")}


def test_a_series_in_a_loop_of_strides(people):
    matrix = np.array([people["age"], people["id"]]).T
    assert fractile.release(matrix[:, 0], **AGES).quantiles == fractile.release(people["age"], **AGES).quantiles


def test_a_broadcast_number():
    # The stride is 0, so every element is the same number.
    release = fractile.release(np.broadcast_to(np.array([40.0]), (1000,)), quantiles="median", **AGES)
    assert release[0.5] == 40


def test_only_named_columns_are_exported(people):
    class Watched(pl.DataFrame):
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("the whole frame was exported")

    frame = Watched(people)
    assert len(fractile.release(frame.select("age"), "age", **AGES)) == 3


def test_decimals_are_exact():
    # 0.15 lies halfway between 0.1 and 0.2; its nearest double lies below.
    exact = pa.array([Decimal("0.15")] * 4000, pa.decimal128(5, 2))
    asked = {"bounds": (0, 1), "step": "0.1", "quantiles": "median", "epsilon": 10, "mechanism": "exponential"}
    assert fractile.release(exact, **asked)[0.5] == Decimal("0.2")
    assert fractile.release([0.15] * 4000, **asked)[0.5] == Decimal("0.1")


def test_whole_numbers_are_exact_beyond_2_to_the_53():
    large = 2**53 + 1
    asked = {"bounds": (large - 5, large + 5), "step": 1, "quantiles": "median", "epsilon": 10, "mechanism": "exponential"}
    for kind in (pa.int64(), pa.uint64(), pa.decimal128(20, 0)):
        assert fractile.release(pa.array([large] * 4000).cast(kind), **asked)[0.5] == large


def test_unsigned_numbers_clamp():
    release = fractile.release(np.full(4000, 2**64 - 1, dtype=np.uint64), quantiles="median", mechanism="exponential", **AGES)
    assert release[0.5] == 125


@pytest.mark.parametrize("kind", ["Int64", "Float64", "int64[pyarrow]"])
def test_missing_values_of_pandas(kind):
    with pytest.raises(fractile.DataError, match="row 2, column 'x'"):
        fractile.release(pd.Series([1, None, 2], dtype=kind, name="x"), null="error", **AGES)


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]"])
def test_whole_numbers_of_pandas_are_exact_beside_a_missing_one(kind):
    large = 2**53 + 1
    asked = {"bounds": (large - 5, large + 5), "step": 1, "quantiles": "median", "epsilon": 10, "mechanism": "exponential"}
    assert fractile.release(pd.Series([pd.NA] + [large] * 4000, dtype=kind), **asked)[0.5] == large


@pytest.mark.parametrize("kind", ["boolean", "bool[pyarrow]", "string", "period[D]", "Sparse[int]"])
def test_what_of_pandas_is_no_number(kind):
    values = {"string": ["1"], "period[D]": ["2020-01-01"], "Sparse[int]": [1]}.get(kind, [True])
    with pytest.raises((fractile.DataError, fractile.UsageError)) as caught:
        fractile.release(pd.Series(values, dtype=kind), **AGES)
    assert caught.value.hint


def test_a_frame_of_pandas_with_a_type_that_arrow_does_not_have():
    frame = pd.DataFrame({"x": [1, 2], "id": pd.Series([1, 2], dtype="Sparse[int]")})
    with pytest.raises(fractile.DataError, match="column 'id' has the dtype Sparse") as caught:
        fractile.release(frame, "x", person="id", **AGES)
    assert caught.value.hint == "give data['id'].sparse.to_dense()"


def test_a_column_of_pandas_whose_records_have_fields():
    frame = pd.DataFrame({"x": pd.interval_range(0, 3)})
    for data in (frame, frame["x"]):  # once, "the frame has no column 'x'; it has 'left', 'right'"
        with pytest.raises(fractile.DataError, match="column 'x' has the dtype interval.* whose records have several fields"):
            fractile.release(data, "x", **AGES)


def test_pandas_without_pyarrow(monkeypatch):
    column = pd.Series([1, pd.NA], dtype="Int64", name="x")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(fractile.UsageError, match="through pyarrow") as caught:
        fractile.release(column, **AGES)
    assert caught.value.hint == "pip install pyarrow"


def test_null_policy(people):
    with pytest.raises(fractile.DataError, match="row 3, column 'x'"):
        fractile.release(pa.table({"x": [1, 2, None]}), "x", null="error", **AGES)
    with pytest.raises(fractile.DataError, match="row 2, column 'x'"):
        fractile.release(pd.Series([1.0, float("nan")], name="x"), null="error", **AGES)
    assert len(fractile.release(people["age"], null="error", **AGES)) == 3


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["1", "2"]),
        pa.array([True, False]),
        pa.array([datetime.date(2020, 1, 1)]),
        np.array(["a"]),
        np.array([True]),
        np.array([1 + 2j]),
        ["a"],
        {"a": 1},
        3,
    ],
    ids=str,
)
def test_what_is_no_column_of_numbers(column):
    with pytest.raises((fractile.DataError, fractile.UsageError)) as caught:
        fractile.release(column, **AGES)
    assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [pd.Timestamp("2020-01-01"), pd.NaT, pd.NA, pd.Timedelta(1), pd.DataFrame, pd, (ctypes.c_bool * 2)(), ((ctypes.c_int * 2) * 2)(),
     (ctypes.c_void_p * 2)(), ctypes.c_double(1), np.datetime64("2020-01-01")],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_what_is_no_column_at_all(data):
    with pytest.raises(fractile.UsageError, match="is not a column of numbers") as caught:
        fractile.release(data, **AGES)
    assert caught.value.__context__ is None


TABLE = b"x\n1\n2\n"


@pytest.mark.parametrize(
    "data",
    [mapped(TABLE), memoryview(mapped(TABLE)), io.BytesIO(TABLE).getbuffer(), pickle.PickleBuffer(TABLE), pa.py_buffer(TABLE), TABLE, bytearray(TABLE)],
    ids=lambda data: type(data).__name__,
)
def test_bytes_are_no_numbers(data):
    with pytest.raises(fractile.UsageError, match="neither a column nor a path") as caught:
        fractile.release(data, **AGES)
    assert "name the file" in caught.value.hint


class OneItem:
    """An object that exports Arrow wrongly."""

    def __init__(self, exported):
        self.exported = exported

    def __arrow_c_array__(self, requested_schema=None):
        return self.exported


class OneStream:
    """An object that exports a stream of Arrow wrongly."""

    def __init__(self, exported):
        self.exported = exported

    def __arrow_c_stream__(self, requested_schema=None):
        return self.exported


@pytest.mark.parametrize("kind", [OneItem, OneStream])
@pytest.mark.parametrize("exported", [(1,), (1, 2), (1, 2, 3), (None, None), 5, None], ids=str)
def test_wrong_exports_of_arrow(exported, kind):
    with pytest.raises(fractile.UsageError, match="capsule") as caught:
        fractile.release(kind(exported), **AGES)
    assert "pyarrow.array" in caught.value.hint
    with pytest.raises(fractile.UsageError, match="capsule"):
        fractile.release(kind(exported), "age", **AGES)


def test_records_of_other_columns_than_the_schema_are_refused():
    schema, _ = pa.array([{"age": 1.0, "x": 2}]).__arrow_c_array__()
    _, records = pa.array([{"age": 1.0}]).__arrow_c_array__()
    with pytest.raises(fractile.DataError, match="not of the columns that its schema names"):
        fractile.release(OneItem((schema, records)), "age", **AGES)


@pytest.mark.parametrize(
    "data",
    [pd.Series([1.0], name="\ud800"), pd.Series([1.0], name="a\0b"), pl.Series("a\0b", [1]), pl.DataFrame({"a\0b": [1]}), pl.LazyFrame({"a\0b": [1]}),
     pd.DataFrame({"a\0b": [1.0]}), pa.table({"a\0b": [1.0]}), pl.Series("x", [{"a\0b": 1}]), pl.DataFrame({"x": [[{"a\0b": 1}]]})],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_names_that_cannot_be(data):
    with pytest.raises(fractile.UsageError, match="column: .* NUL character|column: half of a surrogate") as caught:
        fractile.release(data, **AGES)
    assert caught.value.field == "column"
    if isinstance(data, pd.Series):
        assert fractile.release(data, "age", **AGES).column == "age"


def test_labels_of_rows_are_no_attributes(people):
    labels = [*TAKEN, *range(len(people["age"]) - len(TAKEN))]
    assert fractile.release(pd.Series(people["age"], index=labels), **AGES).quantiles == fractile.release(people["age"], **AGES).quantiles
    assert fractile.release(pd.Series([1.0, 2.0], name=pd.NA), **AGES).column == "value"


def test_errors_quote_no_cell_of_a_column_of_names(people):
    frame = pd.DataFrame({"age": people["age"], "column_names": ["SECRET"] * len(people["age"])})
    for ask in (
        lambda: fractile.release(frame, "ages", **AGES),
        lambda: fractile.profile(frame, "ages", lattice=fractile.Lattice(0, 9, 1)),
        lambda: fractile.release(people, by="region", keys=frame, **AGES),
    ):
        with pytest.raises(fractile.Error) as caught:
            ask()
        assert "SECRET" not in str(caught.value) and "age" in str(caught.value)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pl.DataFrame(), pl.LazyFrame(), pa.table({}), pa.table({}).to_reader()], ids=lambda frame: type(frame).__name__
)
@pytest.mark.parametrize("column", [{}, {"column": "a"}], ids=str)
def test_frames_without_columns(frame, column):
    with pytest.raises(fractile.DataError, match="the frame has no columns"):
        fractile.release(frame, **column, **AGES)


SINGLE = {
    "pandas": pd.Series([1.0], name="age"),
    "polars": pl.Series("age", [1.0]),
    "pyarrow": pa.array([1.0]),
    "numpy": np.array([1.0]),
    "list": [1.0],
}


@pytest.mark.parametrize("named", [{"person": "id"}, {"by": "id", "keys": ["1"]}, {"weight": "w", "weight_bounds": (0, 1), "weight_step": 1}], ids=str)
@pytest.mark.parametrize("data", SINGLE.values(), ids=SINGLE)
def test_a_single_column_has_no_others(named, data):
    with pytest.raises(fractile.UsageError, match="the data are a single column"):
        fractile.release(data, **named, **AGES)


def test_columns_of_duckdb_that_differ_in_case():
    relation = duckdb.sql('SELECT 5 AS "A", 1 AS a, 7 AS "x""y", 2 AS id, 3 AS "ID" FROM range(1000)')
    exact = AGES | {"quantiles": "median", "epsilon": 100}
    for column, value in {"A": 5, "a": 1, 'x"y': 7}.items():
        assert fractile.release(relation, column, **exact)[0.5] == value
    assert fractile.release(relation, "a", by="ID", keys=["2", "3"], count=True, **exact)["3"].statistics.count.value == pytest.approx(1000, abs=50)


def test_a_reader_gives_its_records_once(people, tmp_path):
    reader = pa.table(people).to_reader()
    ledger = fractile.Ledger(tmp_path / "budget.db").init("people", epsilon=1)
    asked = AGES | {"unsafe_seed": None}
    with pytest.raises(fractile.BudgetError):
        fractile.release(reader, "age", ledger=ledger, **asked | {"epsilon": 2})
    fractile.release(reader, "age", ledger=ledger, **asked | {"epsilon": "1/2"})  # what was refused has read nothing
    for ask in (
        lambda: fractile.release(reader, "age", ledger=ledger, **asked | {"epsilon": "1/2"}),
        lambda: fractile.profile(reader, "age", lattice=fractile.Lattice(0, 9, 1)),
    ):
        with pytest.raises(fractile.UsageError, match="the reader was read before"):
            ask()
    assert len(ledger.entries) == 1


def test_counts_take_the_place_of_any_data(people):
    for data in (pd.DataFrame(people), people["age"], "people.csv"):
        with pytest.raises(fractile.UsageError, match="counts takes the place of data"):
            fractile.release(data, counts="a.profile", epsilon=1)


def test_missing_columns(people):
    for frame in (pd.DataFrame(people), pl.DataFrame(people), pl.LazyFrame(people), pa.table(people)):
        with pytest.raises(fractile.DataError, match="no column 'ages'"):
            fractile.release(frame, "ages", **AGES)
        with pytest.raises(fractile.UsageError, match="column is missing"):
            fractile.release(frame, **AGES)
    with pytest.raises(fractile.UsageError, match="a single column"):
        fractile.release(people["age"], person="id", **AGES)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=lambda frame: frame.__name__)
@pytest.mark.parametrize("kind", ["float64", "Int64"])
def test_the_only_column_may_have_no_name(frame, kind):
    data = {"": pd.array([1, 2], dtype=kind)}
    assert len(fractile.release(frame(data if frame is pd.DataFrame else {"": [1, 2]}), **AGES)) == 3


TWINS = {
    "pandas": lambda: pd.DataFrame([[1, 2, 3]], columns=["x", "y", "x"]),
    "pandas, as numbers": lambda: pd.DataFrame([[1, 2, 3]], columns=[1, "y", "1"]).rename(columns={1: "x", "1": "x"}),
    "pyarrow": lambda: pa.table([[1], [2], [3]], names=["x", "y", "x"]),
    "pyarrow, a batch": lambda: pa.record_batch([pa.array([1]), pa.array([2]), pa.array([3])], names=["x", "y", "x"]),
    "pyarrow, a reader": lambda: pa.table([[1], [2], [3]], names=["x", "y", "x"]).to_reader(),
    "duckdb": lambda: duckdb.sql("SELECT 1 AS x, 2 AS y, 3 AS x"),
}


@pytest.mark.parametrize("door", TWINS)
def test_two_columns_of_one_name(door):
    for asked in ({"column": "x"}, {"column": "y", "person": "x"}, {"column": "y", "by": "x", "keys": ["1"]}):
        with pytest.raises(fractile.DataError, match="the frame has more than one column 'x'") as caught:
            fractile.release(TWINS[door](), **asked, **AGES)
        assert caught.value.hint == "rename one of them"
    assert fractile.release(TWINS[door](), "y", **AGES).column == "y"  # this column exists once


def test_two_columns_of_one_name_in_a_lazy_frame_are_polars_error():
    frame = pl.LazyFrame({"x": [1]}).with_columns(pl.col("x").alias("y"), pl.col("x").alias("y"))
    with pytest.raises(fractile.DataError, match="polars raises [A-Z][A-Za-z]+Error"):
        fractile.release(frame, "x", **AGES)


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pl.LazyFrame({"x": ["1", "secret"]}).with_columns(pl.col("x").cast(pl.Int64)),
        lambda: duckdb.sql("SELECT CAST(v AS INTEGER) AS x FROM (VALUES ('1'), ('secret')) AS t(v)"),
    ],
    ids=["polars", "duckdb"],
)
def test_a_frame_that_fails_tells_no_value(frame):
    """A frame that is not yet computed fails when its columns are requested. The error of its library quotes the cell."""
    with pytest.raises(fractile.DataError) as caught:
        fractile.release(frame(), "x", **AGES)
    assert "secret" not in str(caught.value)
    assert "the frame's records cannot be computed" in str(caught.value)
    assert caught.value.hint
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_pandas_labels_that_are_no_text(people):
    ages = fractile.release(people["age"], **AGES).quantiles
    for frame in (pd.DataFrame({0: people["age"], "0x": people["id"]}), pd.DataFrame({(0): people["age"]})):
        assert fractile.release(frame, "0", **AGES).quantiles == ages
    assert fractile.release(pd.DataFrame({7: people["age"]}), **AGES).column == "7"
    frame = pd.DataFrame({0: people["income"], 1: people["region"], 2: people["id"]})
    named = frame.set_axis(["0", "1", "2"], axis=1)
    asked = {"by": "1", "keys": ["north"], "person": "2", "bounds": (0, 500_000), "step": 1, "epsilon": 1, "unsafe_seed": 7}
    assert fractile.release(frame, "0", **asked).receipt == fractile.release(named, "0", **asked).receipt
    with pytest.raises(fractile.UsageError, match="column: a str is expected, not int"):
        fractile.release(frame, 0, **AGES)


def test_readers_of_batches(people):
    """Only its stream reveals whether a reader yields a table or a single column."""
    asked = {"by": "region", "keys": ["north", "south"], "person": "id", **AGES}
    table = pa.table(people)
    assert fractile.release(table.to_reader(), "age", **asked).receipt == fractile.release(table, "age", **asked).receipt
    assert fractile.release(table.select(["age"]).to_reader(), **AGES).column == "age"
    with pytest.raises(fractile.DataError, match="no column 'ages'; it has 'age', 'income'"):
        fractile.release(table.to_reader(), "ages", **AGES)
    with pytest.raises(fractile.UsageError, match="column is missing"):
        fractile.release(table.to_reader(), **AGES)
    with pytest.raises(fractile.UsageError, match="a single column"):
        fractile.release(pa.chunked_array([people["age"]]), person="id", **AGES)


@pytest.mark.parametrize("values", [[9007199254740993, None], [1, None], [0.5, 1.5]])
def test_pandas_may_have_rounded_where_bounds_are_wide_whatever_the_values(values):
    with pytest.warns(fractile.FractileWarning, match="Int64"):
        fractile.release(pd.Series(values), bounds=(0, 2**60), step=1, epsilon=1)


def test_pandas_objects_are_refused_before_their_values_are_seen(people):
    for values in ([1, 2, "secret"], [1, 2, None], [1, 2]):
        column = pd.Series(values, dtype=object, name="age")
        for data in (column, column.to_frame()):
            with pytest.raises(fractile.DataError, match="dtype object") as caught:
                fractile.release(data, **AGES)
            assert "secret" not in str(caught.value)


DAYS = {"bounds": ("2019-01-01", "2022-01-01"), "step": "1d", "epsilon": 1}
MOMENTS = {"bounds": ("2019-01-01T00:00Z", "2022-01-01T00:00Z"), "step": "1d", "epsilon": 1}


@pytest.mark.parametrize(
    ("objects", "asked", "hint", "convert"),
    [
        ([1, None], AGES, 'astype("Int64")', lambda x: x.astype("Int64")),
        ([1.5, None], AGES, "astype(float)", lambda x: x.astype(float)),
        ([Decimal("1.5"), None], AGES, "astype(pandas.ArrowDtype(pyarrow.decimal128(18, 2)))",
         lambda x: x.astype(pd.ArrowDtype(pa.decimal128(18, 2)))),
        ([datetime.date(2020, 1, 1), None], DAYS, "pandas.to_datetime(column)", pd.to_datetime),
        ([datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)], MOMENTS, "pandas.to_datetime(column, utc=True)",
         lambda x: pd.to_datetime(x, utc=True)),
    ],
    ids=str,
)  # fmt: skip
def test_hints_for_pandas_objects_work(objects, asked, hint, convert):
    column = pd.Series(objects, dtype=object)
    with pytest.raises(fractile.DataError) as caught:
        fractile.release(column, **asked)
    assert hint in caught.value.hint
    assert fractile.release(convert(column), **asked)


def test_pandas_objects_name_persons_and_keys_each_by_itself(people):
    asked = {"by": "region", "keys": sorted(set(people["region"])), "person": "id", "records_per_person": 2, **AGES}
    frame = pd.DataFrame(people)
    objects = frame.astype({"region": object, "id": object})
    assert fractile.release(objects, "age", **asked).receipt == fractile.release(frame, "age", **asked).receipt


def test_one_record_does_not_decide_what_categories_are(people, tmp_path):
    """Once, a category that is no text was refused before the charge: of whole numbers, or beside texts."""
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=9, person="id", records_per_person=2)
    texts = [f"p{i}" for i in range(len(people["age"]))]
    for last in ("p", 7, 1.5, b"p"):
        frame = pd.DataFrame({"age": people["age"], "id": pd.Series([*texts[:-1], last]).astype("category")})
        fractile.release(frame, "age", person="id", records_per_person=2, ledger=ledger, **AGES | {"unsafe_seed": None})
    assert len(ledger.entries) == 4
    asked = {"by": "id", "keys": [1, 2, 3], **AGES}
    numbers = pd.DataFrame({"age": people["age"], "id": [i % 3 + 1 for i in range(len(texts))]})
    assert fractile.release(numbers.astype({"id": "category"}), "age", **asked).receipt == fractile.release(numbers, "age", **asked).receipt


def test_one_record_does_not_decide_whether_there_are_categories(tmp_path):
    """Once, a column of categories of which no record had one was refused before the charge, as doubles."""
    paid = {"ledger": fractile.Ledger(tmp_path / "people.db").init("people", epsilon=90), **AGES | {"unsafe_seed": None}}
    persons = {"ledger": fractile.Ledger(tmp_path / "persons.db").init("people", epsilon=90, person="g", records_per_person=1), **AGES}
    for value in (None, "a", 5):
        frame = pd.DataFrame({"x": [1.0, 2], "g": pd.Categorical([None, value])})
        fractile.release(frame, "x", by="g", keys=["a"], **paid)
        fractile.release(frame, "x", person="g", records_per_person=1, **persons | {"unsafe_seed": None})
    assert [entry.state for name in (paid, persons) for entry in name["ledger"].entries] == ["committed"] * 6


def test_one_record_does_not_decide_what_categories_are_counted(tmp_path):
    asked = {"person": "p", "records_per_person": 1, "per_person": "count", **AGES}
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=9, person="p", records_per_person=1)
    for value, records in (("v", 2), (5, 2), (1.5, 2), (None, 1)):
        frame = pd.DataFrame({"x": pd.Categorical(["u", value]), "p": ["1", "2"]})
        fractile.release(frame, "x", ledger=ledger, **asked | {"unsafe_seed": None})
        count = {"person": "p", "per_person": "count", "lattice": fractile.Lattice(0, 9, 1)}
        assert fractile.profile(frame, "x", **count).counts[-1] == (3, records), value
    assert [entry.state for entry in ledger.entries] == ["committed"] * 4


class OwnFrame(pd.DataFrame):
    """As GeoDataFrame is one: a frame of pandas that has a class, and columns of a class, of its own."""

    _constructor = property(lambda self: OwnFrame)
    _constructor_sliced = property(lambda self: OwnSeries)


class OwnSeries(pd.Series):
    _constructor = property(lambda self: OwnSeries)


class OwnPolars(pl.DataFrame):
    pass


class OwnLazy(pl.LazyFrame):
    pass


class OwnColumn(pl.Series):
    pass


def test_a_frame_of_a_derived_class_is_read_as_one_of_its_base(tmp_path):
    """Once, such frames were exported whole, as their library exports them: one record decided whether the release was charged."""
    asked = {"person": "p", "records_per_person": 1, **AGES | {"unsafe_seed": None}}
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=9, person="p", records_per_person=1)
    for last in ("c", 7):
        frame = OwnFrame({"x": [1.0, 2, 3], "p": pd.Series(["a", "b", last], dtype=object)})
        fractile.release(frame, "x", ledger=ledger, **asked)
    assert [entry.state for entry in ledger.entries] == ["committed"] * 2
    for frame, column in ((pd.DataFrame, pd.Series), (OwnFrame, OwnSeries)):
        for data in (frame({"x": pd.period_range("1970-01", periods=2, freq="M")}), column(pd.period_range("1970-01", periods=2, freq="M"))):
            with pytest.raises(fractile.DataError, match="holds periods, not numbers"):
                fractile.release(data, **AGES)
        for data in (frame({"x": pd.Series([1, 2], dtype=object)}), column([1, "a"], dtype=object)):
            with pytest.raises(fractile.DataError, match="has the dtype object"):
                fractile.release(data, **AGES)
        with pytest.warns(fractile.FractileWarning, match="holds doubles, and the bounds go beyond"):
            fractile.release(column([1.0, 2]), bounds=(0, 2**60), step=2**50, epsilon=1)
        with pytest.warns(fractile.FractileWarning, match="looks computed from the data"):
            fractile.release([1.0], bounds=column([0, 125]), step=1, epsilon=1)


def test_a_frame_of_a_class_derived_from_polars_exports_only_what_is_read():
    """polars ends the process when it exports a name with a NUL character."""
    for frame in (OwnPolars, OwnLazy):
        assert len(fractile.release(frame({"x": [1.0], "b\0": [1]}), "x", **AGES)) == 3
        with pytest.raises(fractile.UsageError, match="NUL character"):
            fractile.release(frame({"x": [1.0], "b\0": [1]}), "b\0", **AGES)
    with pytest.raises(fractile.UsageError, match="NUL character"):
        fractile.release(OwnColumn("b\0", [1.0]), **AGES)


@pytest.mark.parametrize("name", ["pandas.period", "geoarrow.point", "own.codes"])
def test_extension_types_are_not_counted_by_their_storage(name, tmp_path):
    """Once, the ordinals of periods were counted."""
    of_type = {"ARROW:extension:name": name, "ARROW:extension:metadata": ""}
    fields = [pa.field("x", pa.int64(), metadata=of_type), pa.field("y", pa.float64())]
    table = pa.table({"x": [1, 2], "y": [1.0, 2]}, schema=pa.schema(fields))
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=9)
    for asked in ({"column": "x"}, {"column": "y", "by": "x", "keys": ["1"]}):
        with pytest.raises(fractile.DataError, match=f"column 'x' is extension type {name}, n") as caught:
            fractile.release(table, ledger=ledger, **asked, **AGES | {"unsafe_seed": None})
        assert caught.value.hint
    assert ledger.entries == []
    assert fractile.profile(table, "y", lattice=fractile.Lattice(0, 9, 1)).records == 2


def test_extension_types_of_arrow_that_are_their_storage():
    periods = pa.Table.from_pandas(pd.DataFrame({"x": pd.period_range("1970-01", periods=2, freq="M")}))
    with pytest.raises(fractile.DataError, match="extension type pandas.period"):
        fractile.profile(periods, "x", lattice=fractile.Lattice(0, 9, 1))
    texts = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["a", "b", "a"]))
    truths = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 1], pa.int8()))
    table = pa.table({"x": truths, "k": texts})
    found = fractile.profile(table, "x", lattice=fractile.Lattice(0, 9, 1), by="k", keys=["a", "b"])
    assert [each.records for each in found.values()] == [2, 1]


def test_bounds_from_the_data_are_warned_of(people):
    ages = np.array(people["age"])
    with pytest.warns(fractile.FractileWarning, match="looks computed from the data"):
        fractile.release(ages, bounds=(ages.min(), ages.max() + 100), step=1, epsilon=1)


class Exported:
    """An object that exports Arrow and reveals nothing else about itself."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_what_speaks_arrow_and_nothing_else(people):
    asked = {"by": "region", "keys": ["north", "south"], "person": "id", **AGES}
    table = pa.table(people)
    assert fractile.release(Exported(table), "age", **asked).receipt == fractile.release(table, "age", **asked).receipt
    assert fractile.release(Exported(table.select(["age"])), **AGES).column == "age"
    assert fractile.release(Exported(table["age"]), **AGES).quantiles == fractile.release(table, "age", **AGES).quantiles
    with pytest.raises(fractile.UsageError, match="column is missing") as caught:
        fractile.release(Exported(table), **AGES)
    assert caught.value.hint == 'name the column to publish, column="age"'  # the hint works
    assert fractile.release(Exported(table), column="age", **AGES).column == "age"


class Expression:
    """A table as in Ibis: its columns are known, and exporting it runs a query."""

    __module__ = "ibis.expr.types.relations"
    executed = 0

    def __init__(self, table):
        self.table = table
        self.columns = tuple(table.column_names)

    def select(self, *names):
        return Expression(self.table.select(list(names)))

    def limit(self, rows):
        return Expression(self.table.slice(0, rows))

    def __arrow_c_stream__(self, requested_schema=None):
        Expression.executed += self.table.num_rows
        return self.table.__arrow_c_stream__(requested_schema)


def test_expressions_of_ibis_run_after_the_charge(people, tmp_path):
    asked = {"by": "region", "keys": ["north", "south"], "person": "id", **AGES}
    table = pa.table(people)
    assert fractile.release(Expression(table), "age", **asked).receipt == fractile.release(table, "age", **asked).receipt
    assert Expression.executed == table.num_rows
    ledger = fractile.Ledger(tmp_path / "budget.db").init("people", epsilon=1)
    usual = {"bounds": (0, 125), "step": 1}
    with pytest.raises(fractile.BudgetError):
        fractile.release(Expression(table), "age", epsilon=2, ledger=ledger, **usual)
    with pytest.raises(fractile.DataError, match="has no column 'ages'"):
        fractile.release(Expression(table), "ages", epsilon=1, ledger=ledger, **usual)
    assert Expression.executed == table.num_rows
    fractile.release(Expression(table), "age", epsilon=1, ledger=ledger, **usual)
    assert Expression.executed == 2 * table.num_rows


class OneColumn:
    """A column as in Ibis: it does not export Arrow, but it can be turned into a table."""

    __module__ = "ibis.expr.types.numeric"

    def __init__(self, table, name):
        self.table, self.name = table, name

    def as_table(self):
        return Expression(self.table.select([self.name]))


class GroupedTable:
    """A grouped table as in Ibis: every attribute name is one of its columns."""

    __module__ = "ibis.expr.types.groupby"

    def __getattr__(self, name):
        return object()


def test_columns_of_ibis_are_tables_of_one(people):
    table = pa.table(people)
    assert fractile.release(OneColumn(table, "age"), **AGES).receipt == fractile.release(table.select(["age"]), **AGES).receipt


def test_records_in_groups_are_refused(people):
    for grouped in (GroupedTable(), pd.DataFrame(people).groupby("region"), pl.DataFrame(people).group_by("region")):
        with pytest.raises(fractile.UsageError, match="has its records in groups"):
            fractile.release(grouped, "age", **AGES)


def test_ibis_itself(people):
    ibis = pytest.importorskip("ibis")
    table = ibis.memtable(people)
    asked = {"by": "region", "keys": ["north", "south"], "person": "id", **AGES}
    assert fractile.release(table, "age", **asked).receipt == fractile.release(pa.table(people), "age", **asked).receipt
    assert fractile.release(table.age, **AGES).receipt == fractile.release(pa.table(people).select(["age"]), **AGES).receipt
    with pytest.raises(fractile.UsageError, match="has its records in groups"):
        fractile.release(table.group_by("region"), "age", **AGES)
