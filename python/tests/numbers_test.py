"""Numbers are exact, and errors say what, where and what to write next, in Python's words."""

import pickle
from decimal import Decimal
from fractions import Fraction

import fractile
import numpy as np
import pandas as pd
import pytest
from fractile import _errors

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
    with pytest.raises(KeyError, match="1/2"):
        release[0.25]


@pytest.mark.parametrize(
    ("asked", "field", "hint"),
    [
        ({"step": None}, "step", "for whole numbers, write step=1"),
        ({"bounds": None}, "bounds", "for ages, write bounds=(0, 125), step=1"),
        ({"bounds": (0, 1, 2)}, "bounds", 'write bounds=(0, 125), or bounds="auto"'),
        ({"epsilon": None}, "", 'write epsilon=1 (pure) or rho="1/2" (zero-concentrated)'),
        ({"quantiles": "quartile"}, "quantiles", "did you mean quartiles?"),
        ({"mechanism": "best"}, "mechanism", None),
        ({"together": True}, "together", None),
        ({"together": 1}, "together", "write together=True"),
        ({"sql": "SELECT 1"}, "sql", None),
        ({"keys": "north"}, "keys", 'write keys=["north", "south"]'),
        ({"quantiles": ""}, "quantiles", None),
    ],
    ids=str,
)
def test_errors_in_pythons_words(asked, field, hint):
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release(AGES, **USUAL | asked)
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
    ("typed", "argument"),
    [
        ("write --bounds LO HI", "write bounds=(LO, HI)"),
        ("for ages, write --bounds 0 125 --step 1", "for ages, write bounds=(0, 125), step=1"),
        ("write --bounds 2024-01-01 2024-12-31 --step 1d; or not", 'write bounds=("2024-01-01", "2024-12-31"), step="1d"; or not'),
        ("write --bounds 2024-01-01T00:00Z 2025-01-01T00:00Z", 'write bounds=("2024-01-01T00:00Z", "2025-01-01T00:00Z")'),
        ("for example --quantiles 0.25,0.5,0.75", "for example quantiles=[0.25, 0.5, 0.75]"),
        ("write both, for example --by region --keys north,south", 'write both, for example by="region", keys=["north", "south"]'),
        ("write --mechanism approximate, or leave --rates out", 'write mechanism="approximate", or leave rates out'),
        ("use --mechanism auto", 'use mechanism="auto"'),
        ("pass e.g. --delimiter ';'", "pass e.g. delimiter=';'"),
        ('write --epsilon "ln 3"', 'write epsilon="ln 3"'),
        ("write for example --table visits=visits.csv", 'write for example table={"visits": "visits.csv"}'),
        ("leave it out: fractile explain R --compare a,b tells them", "leave it out: fractile explain R --compare a,b tells them"),
        ("see what fractile ledger verify says; --again asks anew", "see what fractile ledger verify says; again asks anew"),
        ("fractile ledger void b.db --entry 1 --reason TEXT gives it back", "fractile ledger void b.db --entry 1 --reason TEXT gives it back"),
    ],
)
def test_hints_are_what_to_type(typed, argument):
    assert _errors._in_python(typed) == argument


def test_errors_have_the_programs_codes():
    codes = {kind.__name__: kind.code for kind in fractile.Error.__subclasses__()}
    assert codes == {"UsageError": 2, "DataError": 3, "BudgetError": 4, "LedgerError": 5, "InternalError": 70}


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
