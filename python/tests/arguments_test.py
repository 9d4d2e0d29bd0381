"""Arguments as people type them: names from other libraries, computed lists, and values from the frame itself."""

import inspect
import re
import typing
import warnings
from fractions import Fraction

import fractile
import numpy as np
import pandas as pd
import polars as pl
import pytest
from fractile import _choices

AGES = {"bounds": (0, 125), "step": 1, "epsilon": 1, "expected_rows": 1000}


@pytest.mark.parametrize(
    "typed, meant",
    [("eps", "epsilon"), ("quantile", "quantiles"), ("quantile_s", "quantiles"), ("groupby", "by"), ("seed", "unsafe_seed"), ("neighbours", "neighbors")],
)
def test_other_names(typed, meant):
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release([1.0], **AGES, **{typed: 1})
    assert (caught.value.message, caught.value.hint) == (f"release has no argument '{typed}'", f"did you mean {meant}=?")
    assert caught.value.field == typed


@pytest.mark.parametrize(
    ("argument", "hint"),
    [("compare", "r.compare(0.25, 0.75)"), ("dry_run", "fractile.plan(...).cost"), ("guess", "r.to_html(guess="), ("sql_file", "sql=...")],
)
def test_options_of_the_program_that_are_methods_here(argument, hint):
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release([1.0], **AGES, **{argument: 1})
    assert caught.value.message == f"release has no argument '{argument}'" and hint in caught.value.hint


def test_names_that_mean_nothing():
    with pytest.raises(fractile.UsageError, match=r"plan has no argument 'xyzzy'\n  see help\(fractile.plan\)"):
        fractile.plan(xyzzy=1)


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ("eps", "did you mean epsilon=?"),
        ("quantiles", "leave it out, since it is an argument of release(); see help(fractile.Ledger.init)"),
        ("xyzzy", "see help(fractile.Ledger.init)"),
    ],
)
def test_a_ledger_suggests_arguments_of_a_dataset(argument, hint, tmp_path):
    ledger = fractile.Ledger(tmp_path / "budget.db")
    with pytest.raises(fractile.UsageError) as caught:
        ledger.init("people", **{argument: 1})
    assert (caught.value.message, caught.value.hint) == (f"Ledger.init has no argument '{argument}'", hint)
    assert caught.value.field == argument and not (tmp_path / "budget.db").exists()


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ("person", "records_per_person says what a plan needs"),
        ("weight", "weight_bounds and weight_step say what a plan needs"),
        ("by", "a plan is of one group"),
        ("ledger", "it is an argument of release()"),
        ("expected_row", "did you mean expected_rows=?"),
    ],
)
def test_a_plan_says_what_to_do_instead(argument, hint):
    with pytest.raises(fractile.UsageError) as caught:
        fractile.plan(**AGES, **{argument: "x"})
    assert hint in caught.value.hint and ("did you mean" in caught.value.hint) == ("did you mean" in hint)


def test_guesses_that_a_hint_names_are_possible():
    release = fractile.release([31.0, 44.0] * 500, **AGES)
    for ask in (lambda guess: release.explain(guess=guess), lambda guess: fractile.plan(**AGES, guess=guess)):
        with pytest.raises(fractile.UsageError) as caught:
            ask("age")
        named = re.findall('guess="(.*?)"', caught.value.hint)
        assert named and "among" not in caught.value.hint
        for guess in named:
            ask(guess.replace("30000", "40"))


def test_a_plan_of_a_frame_suggests_a_plan():
    with pytest.raises(fractile.UsageError) as caught:
        fractile.plan(pd.DataFrame(FRAME))
    assert "fractile.plan(" in caught.value.hint and "publish" not in caught.value.hint


@pytest.mark.parametrize("arguments", [(pd.DataFrame({"age": [1]}),), (pd.DataFrame({"age": [1]}), "age")])
def test_a_plan_of_a_frame_with_other_arguments_is_told_that_it_reads_none(arguments):
    """A TypeError told of "3 keyword-only arguments", and the refusal for one frame was about a file."""
    with pytest.raises(fractile.UsageError, match="without a name" if len(arguments) > 1 else "a plan reads no records"):
        fractile.plan(*arguments, **AGES)


def test_arguments_without_a_name_that_a_function_does_not_take():
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release([1.0], "age", (0, 125), 1, epsilon=1)
    assert caught.value.message == "release takes data and column without a name, and no more"
    assert "help(fractile.release)" in caught.value.hint


@pytest.mark.parametrize(
    ("typed", "hint"), [("agee", "did you mean 'age'?"), ("AGE", "did you mean 'age'?"), ("regoin", "did you mean 'region'?"), ("x", "name one of the columns")]
)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_columns_of_frames_are_suggested(typed, hint, library):
    """As those of files with a schema are."""
    frame = library({"age": [1], "region": ["north"]})
    for asked in ({"column": typed}, {"column": "age", "by": typed, "keys": ["north"]}):
        with pytest.raises(fractile.DataError) as caught:
            fractile.release(frame, **asked, bounds=(0, 125), step=1, epsilon=1)
        assert caught.value.hint == hint


def test_intervals_are_a_level():
    with pytest.raises(fractile.UsageError) as caught:
        fractile.release([1.0], bounds=(0, 125), step=1, epsilon=1, intervals=True)
    assert caught.value.hint == "write for example intervals=0.95"


def test_a_query_over_a_frame_is_refused_as_such():
    """The frame lacked the column that the query would make."""
    with pytest.raises(fractile.UsageError, match="sql describes a file, and the records are in memory") as caught:
        fractile.release(pd.DataFrame({"age": [1]}), "months", sql="SELECT age * 12 AS months FROM input", bounds=(0, 9), step=1, epsilon=1)
    assert "compute the column" in caught.value.hint


def test_files_to_merge_are_named_one_by_one(tmp_path):
    with pytest.raises(fractile.UsageError) as caught:
        fractile.merge(["a.profile", "b.profile"], output=tmp_path / "all.profile")
    assert caught.value.hint == 'write merge("a.profile", "b.profile", output=...)'


def test_a_profile_is_no_file():
    profile = fractile.profile([1.0], lattice=fractile.Lattice(0, 9, 1))
    for asked in ({"counts": profile}, {"data": profile, "bounds": (0, 9), "step": 1}):
        with pytest.raises(fractile.UsageError) as caught:
            fractile.release(**asked, epsilon=1)
        assert caught.value.hint.startswith("write profile.write(")


def test_signatures_stay():
    for function in (
        fractile.release, fractile.plan, fractile.count, fractile.columns, fractile.profile, fractile.audit, fractile.Ledger.init
    ):  # fmt: skip
        assert {"kwargs", "named"}.isdisjoint(inspect.signature(function).parameters)
        assert function.__doc__


def test_computed_lists_are_told_how_to_be_written():
    for listed, meant in [
        (np.linspace(0.1, 0.9, 9), "[Fraction(k, 10) for k in range(1, 10)]"),
        ([0.1 * k for k in range(1, 10)], "[Fraction(k, 10) for k in range(1, 10)]"),
        (np.arange(0.05, 1, 0.05), "[Fraction(k, 20) for k in range(1, 20)]"),
    ]:
        with pytest.raises(fractile.UsageError) as caught:
            fractile.release([1.0], **AGES, quantiles=listed)
        assert caught.value.hint == f"write {meant}"
        assert caught.value.__context__ is None
        written = eval(meant, {"Fraction": Fraction})
        assert [float(each) for each in written] == pytest.approx(list(listed))
        assert len(fractile.release([1.0] * 1000, **AGES, quantiles=written).quantiles) == len(listed)


def test_other_computed_lists_name_one_number():
    with pytest.raises(fractile.UsageError, match=r'write "1/3"'):
        fractile.release([1.0], **AGES, quantiles=[1 / 3, 0.5])


FRAME = {"age": [31.0, 44.0] * 500, "region": ["north", "south"] * 500}
REGIONS = {"by": "region", **AGES}


@pytest.mark.parametrize("keys", [pd.Series(FRAME["region"]).unique(), pd.Series(FRAME["region"]).drop_duplicates(), np.unique(FRAME["region"]),
                                  pl.Series(FRAME["region"]).unique(), pd.Index(["north", "south"])])  # fmt: skip
def test_keys_that_a_frame_computed_are_warned_of_before_the_charge(keys, tmp_path):
    ledger = fractile.Ledger(tmp_path / "budget.db").init(dataset="people", epsilon=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fractile.FractileWarning)
        with pytest.raises(fractile.FractileWarning, match="keys is a .*, which looks computed from the data"):
            fractile.release(pd.DataFrame(FRAME), "age", **REGIONS, keys=keys, ledger=ledger, source="people")
    assert not ledger.entries


REGION = pd.Series(FRAME["region"])
OF_A_FRAME = {
    "bounds": lambda asked: fractile.release([1.0] * 50, bounds=asked, step=1, epsilon=1),
    "candidates": lambda asked: fractile.release([1.0] * 50, candidates=asked, epsilon=1),
    "below": lambda asked: fractile.release([1.0] * 50, below=asked, bounds=(-1, 9), step=1, epsilon=1),
    "weight_bounds": lambda asked: fractile.release(
        pd.DataFrame({"x": [1.0] * 50, "w": 1.0}), "x", weight="w", weight_bounds=asked, weight_step=1, bounds=(0, 9), step=1, epsilon=1
    ),
}


@pytest.mark.parametrize("field", OF_A_FRAME)
@pytest.mark.parametrize("listed", [pl.Series([0, 5]), pd.Series([0, 5]), pd.Index([0, 5]), np.array([0, 5])], ids=lambda listed: type(listed).__module__)
def test_lists_that_a_frame_computed_are_warned_of_once(field, listed):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        OF_A_FRAME[field](listed)
    assert [str(each.message).partition(" is a ")[0] for each in said if "looks computed" in str(each.message)] == [field]


@pytest.mark.parametrize(
    "keys", [{"region": REGION.unique(), "x": ["1"]}, {"region": pl.Series(["north"]), "x": ["1"]}, [(np.str_("north"), "1")]], ids=str
)
def test_lists_of_keys_that_a_frame_computed_are_warned_of(keys):
    with pytest.warns(fractile.FractileWarning, match="keys is a .*, which looks computed from the data"):
        fractile.release(pd.DataFrame(FRAME | {"x": ["1", "2"] * 500}), "age", by=["region", "x"], keys=keys, **AGES)


def test_points_that_a_frame_computed_are_warned_of_once():
    points = np.unique(np.linspace(0, 9, 30).round(2))
    for asked in (lambda: fractile.release([1.0] * 50, candidates=points, epsilon=1), lambda: fractile.Lattice(candidates=points)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            asked()
        assert [str(each.message).partition(" is a ")[0] for each in said if "looks computed" in str(each.message)] == ["candidates"]


def test_keys_that_people_write_are_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error", fractile.FractileWarning)
        assert len(fractile.release(pd.DataFrame(FRAME), "age", **REGIONS, keys=["north", "south"]).receipt) > 100


def test_choices_are_the_library_s():
    """Every listed choice is accepted, and any other value is refused."""
    for name in ("neighbors", "null", "unreadable", "of", "base", "rates", "mechanism", "shape", "solve_for"):
        annotation = getattr(_choices, {"solve_for": "SolveFor"}.get(name, name.capitalize()))
        for chosen in (*typing.get_args(annotation), "nonesuch"):
            try:
                asked(name, chosen)
            except fractile.UsageError as error:
                assert (chosen == "nonesuch") == (error.field in (name, name.replace("_", "-")) and "nonesuch" in error.message), (name, chosen, error)


def asked(name, chosen):
    if name in ("shape", "solve_for"):
        target = {"rank_error": 100} if name == "solve_for" else {"epsilon": 1}
        return fractile.plan(bounds=(0, 100), step=1, quantiles="median", expected_rows=1000, **target, **{name: chosen})
    more = {"intervals": 0.95} if name == "of" else {}
    return fractile.release([1.0] * 1000, **AGES, quantiles="median", **more, **{name: chosen})
