"""Numbers are exact. Errors say what is wrong, where it is and what to write next, in Python's terms."""

import ast
import inspect
import pickle
import re
from decimal import Decimal
from fractions import Fraction

import fractile
import numpy as np
import pandas as pd
import pyarrow
import pytest

AGES = [20, 30, 40] * 100
USUAL = {"bounds": (0, 125), "step": 1, "epsilon": 1}


@pytest.mark.parametrize("step", [1, 1.0, "1", Fraction(1), Decimal("1"), Decimal("1E+0"), np.int64(1), np.float64(1.0)], ids=repr)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_numbers_that_are_one(step):
    assert fractile.release(AGES, **USUAL | {"step": step, "unsafe_seed": 3}).receipt == fractile.release(AGES, **USUAL, unsafe_seed=3).receipt


@pytest.mark.parametrize("epsilon", [0.1, "0.1", "1/10", Fraction(1, 10), Decimal("0.1"), np.float64(0.1), np.float32(0.1)], ids=repr)
def test_a_float_means_its_printed_decimal(epsilon):
    assert fractile.release(AGES, **USUAL | {"epsilon": epsilon}).cost == "epsilon = 1/10"


def test_a_float_that_looks_computed_is_refused():
    with pytest.raises(fractile.UsageError, match="0.30000000000000004") as caught:
        fractile.release(AGES, **USUAL | {"epsilon": 0.1 + 0.2})
    assert caught.value.field == "epsilon"
    assert caught.value.hint == 'write "3/10"'
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(AGES, **USUAL, quantiles=[1 / 3, 2 / 3])
    assert caught.value.hint == 'write "1/3"'


@pytest.mark.parametrize("number", [True, None, float("nan"), float("inf"), Decimal("nan"), 1 + 2j, b"1", "x", [1]], ids=repr)
def test_what_is_no_number(number):
    with pytest.raises(fractile.UsageError):
        fractile.plan(bounds=(0, number), step=1, epsilon=1)


def test_values_are_exact():
    release = fractile.release([0.1] * 5000, bounds=(0, 1), step="0.1", epsilon=10, mechanism="exponential", quantiles="median")
    assert release[0.5] == Decimal("0.1")
    assert isinstance(release[0.5], Decimal)
    assert list(release.quantiles) == [Fraction(1, 2)]
    assert release["1/2"] == release[Fraction(1, 2)] == release[0.5]
    assert "median" in release and "medain" not in release and release.get("medain") is None
    with pytest.raises(KeyError, match="medain was not released; these were: 1/2"):
        release["medain"]
    with pytest.raises(KeyError, match="1/2"):
        release[0.25]


def test_texts_that_are_no_key_are_missing(people):
    release = fractile.release(AGES, **USUAL)
    groups = fractile.release(pd.DataFrame(people), "age", by="region", keys=["north"], **USUAL)
    for mapping, keys in ((release, ["1e9999999", "9" * 5000]), (groups, ["1e9999999", ["north"], pd.DataFrame(people)])):
        for key in keys:
            assert key not in mapping
            with pytest.raises(KeyError) as caught:
                mapping[key]
            assert "income" not in str(caught.value)  # a column of the frame


LARGE = "exponents reach from -10000 to 10000"


@pytest.mark.parametrize(
    ("number", "what"),
    [("1e9999999", LARGE), ("1e-9999999", LARGE), ("1/1e9999999", LARGE), (Decimal("1e9999999"), LARGE), ("1e" + "0" * 5000 + "1" * 6, LARGE),
     ("1e5000", "digits"), ("1e-5000", "digits"), (10**5000, "digits"), (Fraction(1, 10**5000), "digits"), ("9" * 5000, "digits"),
     ("9" * 20_000, "characters")],
    ids=lambda each: repr(each)[:20] if isinstance(each, str) else type(each).__name__,
)  # fmt: skip
def test_numbers_that_are_too_long_are_refused_at_once(number, what):
    """Such numbers come back as values and bounds, which Python could not write. The limits are the library's and Python's."""
    lattice = fractile.Lattice(0, 9, 1)
    for ask in (
        lambda: fractile.release(AGES, **USUAL | {"bounds": (0, number)}),
        lambda: fractile.release(AGES, **USUAL | {"step": number}),
        lambda: fractile.release(AGES, **USUAL | {"epsilon": number}),
        lambda: fractile.release(AGES, **USUAL, quantiles=[number]),
        lambda: fractile.release(AGES, candidates=[0, number], epsilon=1),
        lambda: fractile.plan(**USUAL | {"bounds": (0, number)}),
        lambda: fractile.Lattice(0, number, 1),
        lambda: fractile.Lattice(candidates=[0, number]),
        lambda: fractile.profile(AGES, lattice=lattice, records_per_person=number),
        lambda: fractile.flow.linear_error([0, number]),
    ):
        with pytest.raises(fractile.UsageError) as caught:
            ask()
        assert what in str(caught.value) and len(str(caught.value)) < 300
        assert caught.value.__context__ is None


@pytest.mark.parametrize("listed", [[0.5, float("nan")], [0.5, float("inf")], [float("nan")]], ids=str)
def test_lists_of_numbers_that_are_none(listed):
    for ask in (
        lambda: fractile.release(AGES, **USUAL, quantiles=listed),
        lambda: fractile.release(AGES, **USUAL, below=listed),
        lambda: fractile.release(AGES, candidates=listed, epsilon=1),
        lambda: fractile.plan(candidates=listed, epsilon=1),
        lambda: fractile.audit("exponential", epsilon=1, quantiles=listed),
    ):
        with pytest.raises(fractile.UsageError, match="is not a number"):
            ask()


def test_numbers_beyond_the_doubles_stay_exact():
    asked = {"bounds": ("1e400", "9e400"), "step": "1e400", "epsilon": 1, "intervals": 0.9, "unsafe_seed": 7}
    release = fractile.release(AGES, **asked)
    exact = [f"{value:f}" for value in release.quantiles.values()]
    for table in (release.to_arrow().to_pydict(), release.to_polars().to_dict(as_series=False)):
        assert table["value"] == exact and all(isinstance(end, str) for end in table["lower"] + table["upper"])
    assert [int(value) for value in exact] == list(release.to_dict().values()) == list(release.to_pandas()["value"])
    halves = fractile.release(AGES, **asked | {"bounds": ("1e400", "1e400"), "candidates": None, "step": "0.5"})
    assert list(halves.to_dict().values()) == list(halves.quantiles.values())
    wide = fractile.release(AGES, **asked | {"bounds": ("1e80", "9e80"), "step": "1e80"})
    assert wide.to_arrow()["value"].to_pylist() == [f"{value:f}" for value in wide.quantiles.values()]
    assert wide.to_polars()["value"].to_list() == [float(value) for value in wide.quantiles.values()]


def test_decimals_in_a_list_are_exact_if_whole():
    large = 2**53 + 1
    asked = {"bounds": (large - 5, large + 5), "step": 1, "quantiles": "median", "epsilon": 10, "mechanism": "exponential"}
    assert fractile.release([Decimal(large)] * 4000, **asked)[0.5] == large == fractile.release([Fraction(large)] * 4000, **asked)[0.5]
    lattice = fractile.Lattice(0, 9, 1)
    assert fractile.profile([Decimal("1e999999"), Decimal("-1e999999"), Fraction(1, 4), Decimal("NaN")], lattice=lattice).records == 3


BUDGET = 'write epsilon=1 (pure) or rho="1/2" (zero-concentrated)'
OTHER = "give one or the other"


@pytest.mark.parametrize(
    ("asked", "field", "hint"),
    [
        ({"step": None}, "step", "for whole numbers, write step=1"),
        ({"step": 0}, "step", "write the distance between neighboring values, such as 1 or 0.01"),
        ({"bounds": None}, "bounds", "for ages, write bounds=(0, 125), step=1"),
        ({"bounds": (0, 1, 2)}, "bounds", 'write bounds=(0, 125), or bounds="auto"'),
        ({"bounds": (9, 0)}, "bounds", "write the lower bound first"),
        ({"bounds": ("2024-01-01", "soon")}, "bounds", None),
        ({"bounds": ("2024-01-01", "2024-12-31"), "step": None}, "step", 'write for example step="1d"'),
        ({"bounds": ("2024-01-01", "2024-12-31"), "step": "1h"}, "step", 'write step="1d", or the bounds as times: 2024-01-31T00:00:00'),
        ({"bounds": "auto", "step": "1d"}, "bounds",
         'write bounds that are wide enough for all: bounds=("1900-01-01", "2100-01-01"); a wide range costs little accuracy'),
        ({"bounds_budget": 0.1}, "bounds_budget", "leave it out"),
        ({"bounds": "auto", "bounds_budget": 2}, "bounds_budget", "write for example bounds_budget=0.1"),
        ({"candidates": [1, 2]}, "candidates", OTHER),
        ({"epsilon": None}, "", BUDGET),
        ({"rho": 1}, "", BUDGET),
        ({"epsilon": 0}, "epsilon", "write for example epsilon=1"),
        ({"epsilon": "much"}, "epsilon", None),
        ({"epsilon": None, "rho": 0}, "rho", 'write for example rho="1/2"'),
        ({"epsilon": None, "rho": 1, "delta": 0.1}, "delta", "leave it out"),
        ({"delta": 2}, "delta", "write for example delta=1e-6"),
        ({"delta": 0.1, "mechanism": "joint"}, "delta", 'leave the delta out, or use mechanism="independent"'),
        ({"quantiles": "quartile"}, "quantiles", "did you mean quartiles?"),
        ({"quantiles": ""}, "quantiles", None),
        ({"quantiles": [0.5, 0.25]}, "quantiles", "write them once each, in increasing order"),
        ({"quantiles": "median", "synthetic_rows": 9}, "synthetic_rows", OTHER),
        ({"synthetic_rows": 0}, "synthetic_rows", "write for example synthetic_rows=1"),
        ({"mechanism": "best"}, "mechanism", None),
        ({"mechanism": "exponential"}, "mechanism", 'use mechanism="approximate" for several'),
        ({"mechanism": "tree", "base": "adaptive"}, "base", "leave base out"),
        ({"mechanism": "joint", "no_interpolation": True}, "no_interpolation", 'leave it out, or write mechanism="auto"'),
        ({"rates": "as-published"}, "rates", 'write mechanism="approximate", or leave rates out'),
        ({"together": True}, "together", "write for example intervals=0.95"),
        ({"together": 1}, "together", "write together=True"),
        ({"intervals": 95, "expected_rows": 300}, "intervals", "write for example intervals=0.95"),
        ({"records_per_person": 0}, "records_per_person", "write for example records_per_person=1"),
        ({"neighbors": "next"}, "neighbors", "choose one of add-remove, change-one"),
        ({"sql": "SELECT 1"}, "sql", 'name the file in place of the records, or compute the column there: df.assign(monthly=df["income"] / 12)'),
        ({"delimiter": ";"}, "delimiter", "leave it out, or name the file in place of the records"),
        ({"postgres": "postgres://"}, "postgres", "leave it out, or name the file in place of the records"),
        ({"keys": "north"}, "keys", 'write keys=["north", "south"]'),
        ({"keys": ["north"]}, "keys", 'name it, for example by="region"'),
        ({"by": "region", "keys": ["a"], "keys_file": "b"}, "keys_file", OTHER),
        ({"threads": 0}, "threads", "write for example threads=1"),
        ({"memory": "1KB"}, "memory", 'write for example memory="2GB"'),
        ({"again": True}, "again", "name the ledger, or leave it out"),
        ({"dataset": "people"}, "dataset", "name the ledger, or leave it out"),
        ({"null": "keep"}, "null", "choose one of drop, error"),
    ],
    ids=str,
)  # fmt: skip
def test_errors_in_pythons_words(asked, field, hint):
    data = {"x": AGES, "region": ["a"] * 300} if "by" in asked else AGES
    column = {"column": "x"} if "by" in asked else {}
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(pd.DataFrame(data) if column else data, **USUAL | column | asked)
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.field == field
    assert "--" not in str(error)
    assert error.hint
    if hint is not None:
        assert error.hint == hint
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.hint, again.field) == (error.message, error.hint, error.field)


@pytest.mark.parametrize(
    ("asked", "field", "hint"),
    [
        ({"input_format": "xml"}, "input_format", 'pass input_format="csv", tsv, parquet or json'),
        ({"delimiter": "tab"}, "delimiter", 'pass input_format="tsv"'),
        ({"delimiter": "long one"}, "delimiter", 'pass e.g. delimiter=";"'),
        ({"table": {"2": "t.csv"}, "sql": "SELECT x FROM input"}, "table", 'write for example table={"visits": "visits.csv"}'),
        ({"table": {"two": "t.csv"}}, "table", "write a query, or leave the option out"),
        ({"sql": "SELECT sum(x) AS x FROM input"}, "sql",
         "ask row by row, SELECT ... FROM input WHERE ..., or declare with sql_stability=N that one record more or less changes "
         "at most N rows of the result, such as 3 for a join in which a record matches at most 3 others"),
        ({"sql": "SELECT x FROM visits"}, "sql",
         'name the file outside of the query: FILE is the table input, table={"NAME": "FILE"} makes another one'),
        ({"public_rows": True, "sql": "SELECT x FROM input"}, "public_rows", "leave it out"),
        ({"person": "x", "sql": "SELECT x FROM input", "sql_stability": 1}, "person",
         "leave person out: sql_stability says how many rows one record changes; or leave that out, if the query is row-wise"),
    ],
    ids=str,
)  # fmt: skip
def test_errors_about_files(asked, field, hint, engine, tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(str(tmp_path / "t.csv"), "x", **USUAL | asked)
    assert (caught.value.field, caught.value.hint) == (field, hint)
    assert "--" not in str(caught.value)


def test_errors_about_cells(engine, tmp_path):
    (tmp_path / "t.csv").write_text("x\nmany\n\n")
    with pytest.raises(fractile.DataError) as caught:
        fractile.release(str(tmp_path / "t.csv"), "x", **USUAL)
    assert caught.value.field == ""
    assert 'leave such records out with unreadable="missing", say what counts as missing: missing=["NA"]' in caught.value.hint
    assert caught.value.hint.endswith('for a column of dates, write dates: bounds=("2020-01-01", "2026-01-01"), step="1d"')
    with pytest.raises(fractile.DataError) as caught:
        fractile.release([1.0, float("nan")], null="error", **USUAL)
    assert caught.value.hint == 'fill the cell, or leave such records out with null="drop"'


#: Names that look like an option of the program, an argument of Python, a placeholder or a command.
FOREIGN = ("--epsilon 3", "--bounds 0 125", "a --null drop", "{epsilon}", "{}", "%s", "epsilon = 1", "epsilon=1", "--epsilon", "it's \"--by\"",
           "fractile release --epsilon 1", "write --step 1", "--table a=b", "-- records_per_person", "\\1", "Größe --step 1d")  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_name_stays_what_it_is(name):
    """Nothing in the name of a column or in a key is mistaken for an option or an argument."""
    table = pyarrow.table({name: pyarrow.array([1.0, None]), "region": ["a", "b"]})
    asked = USUAL | {"column": name}
    with pytest.raises(fractile.DataError) as caught:
        fractile.release(table, null="error", **asked)
    assert caught.value.message == f"row 2, column '{name}': NULL or NaN"
    with pytest.raises(fractile.DataError) as caught:
        fractile.release(table.append_column("x", table["region"]), **asked | {"column": "x", "person": name})
    assert "column 'x'" in caught.value.message
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(table, by="region", keys=[name, name], **asked)
    assert (caught.value.message, caught.value.field) == (f"keys: the key '{name}' appears twice", "keys")
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(table, mechanism=name, **asked)
    assert (caught.value.message, caught.value.field) == (f"mechanism: '{name}' is not known", "mechanism")


@pytest.mark.parametrize("name", FOREIGN)
def test_a_hint_quotes_a_name_for_python(name, tmp_path):
    """A ledger's dataset pins the column of persons. The hint is valid Python."""
    ledger = fractile.Ledger(tmp_path / "budget.db")
    ledger.init("people", epsilon=1, person=name)
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(AGES, ledger=ledger, **USUAL)
    assert f"by the column '{name}'" in caught.value.message
    assert caught.value.field == "person"
    argument = caught.value.hint.removeprefix("write person=")
    assert ast.literal_eval(argument) == name


#: Values that almost no argument accepts.
JUNK = ("junk", "--epsilon 3", "", "-1", "1/0", 0, -1, 10**30, [], ["a", "a"], (1, 0), {"a": "b"}, True, False, object)


@pytest.mark.parametrize("name", [name for name in inspect.signature(fractile.release).parameters if name not in ("data", "receipt")])
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_an_error_names_arguments_of_python(name):
    """Whatever value an argument has, no message names an option of the program, and the error's field is an argument."""
    parameters = inspect.signature(fractile.release).parameters
    refused = 0
    for junk in JUNK:
        try:
            fractile.release(AGES, **USUAL | {name: junk})
        except fractile.Error as error:
            refused += 1
            assert error.field in {"", *parameters}
            said = re.sub(r"fractile ledger init .*", "", str(error).replace("--epsilon 3", ""))  # these are commands to type
            assert "--" not in said, said
        except (TypeError, OSError):  # Python's error for a value that is not a path or a sequence
            pass
    assert refused > 0


def test_errors_have_the_programs_codes():
    codes = {kind.__name__: kind.code for kind in fractile.Error.__subclasses__()}
    assert codes == {"UsageError": 2, "DataError": 3, "BudgetError": 4, "LedgerError": 5, "InternalError": 70, "CanceledError": 130}


def test_warnings_are_at_the_line_that_called():
    wide = {"bounds": (0, 2**60), "step": 1, "epsilon": 1}
    table = pd.DataFrame({"x": [1.0, 2.0], "id": [1, 2]})
    calls = [
        lambda: fractile.release(AGES, **USUAL | {"epsilon": 30}),
        lambda: fractile.release(AGES, **USUAL | {"bounds": (np.int64(0), 125)}),
        lambda: fractile.plan(**USUAL | {"candidates": np.array([1, 2]), "bounds": None, "step": None}),
        lambda: fractile.Lattice(np.int64(0), 9, 1),
        lambda: fractile.release(table["x"], **wide),
        lambda: fractile.release(table, "x", **wide),
        lambda: fractile.release(table, "x", person="id", **wide),
        lambda: fractile.profile(table["x"], lattice=fractile.Lattice(0, 2**60, 1)),
    ]
    for call in calls:
        with pytest.warns(fractile.FractileWarning) as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}
        assert {warning.lineno for warning in caught} == {call.__code__.co_firstlineno}


def test_warnings():
    with pytest.warns(fractile.FractileWarning, match="promises next to nothing"):
        fractile.release(AGES, **USUAL | {"epsilon": 30})
    with pytest.warns(fractile.FractileWarning, match="quarter|noise|say little"):
        fractile.release(AGES, **USUAL | {"epsilon": "0.001", "expected_rows": 300})
