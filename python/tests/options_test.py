"""Every option of the program's release and plan exists in Python, and both print the same bytes."""

import datetime as dt
import inspect
import re
import sys
import typing

import fractile
import fractile.spark
import pandas as pd
import pytest
from fractile import _core

#: Options that are methods of the result in Python.
METHODS = {
    "release": {"--format": "to_html", "--about": "to_html", "--figures": "figures", "--public": "to_html", "--compare": "compare", "--guess": "to_html"},
    "plan": {"--format": "to_json", "--about": "to_html", "--figures": "figures"},
}
#: Python code can read files itself, and a dry run is for people who type commands.
NOT_HERE = {"--quantiles-file", "--candidates-file", "--sql-file", "--dry-run"}
RESULTS = {"release": fractile.Release, "plan": fractile.Plan}


def options_of(verb):
    return {name: argument for name, argument, *_ in _core.options(verb)}


@pytest.mark.parametrize("verb", ["release", "plan"])
def test_python_lacks_none(verb):
    arguments = {"--" + name.replace("_", "-") for name in inspect.signature(getattr(fractile, verb)).parameters} - {"--data", "--file", "--cancel"}
    assert arguments == set(options_of(verb)) - set(METHODS[verb]) - NOT_HERE
    for method in METHODS[verb].values():
        assert hasattr(RESULTS[verb], method)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="overloads are not kept")
@pytest.mark.parametrize("function", [fractile.plan, fractile.profile, fractile.spark.profile])
def test_types_lack_none(function):
    typed = [inspect.signature(each).parameters for each in typing.get_overloads(function)]
    whole = inspect.signature(function).parameters
    assert set().union(*typed) == set(whole)
    for parameters in typed:
        for name, parameter in parameters.items():
            assert parameter.default in (whole[name].default, inspect.Parameter.empty), name


@pytest.mark.parametrize("verb", ["release", "plan"])
def test_the_options_are_those_that_the_program_lists(verb, program):
    assert set(re.findall(r"^  (--[a-z-]+)", program(verb, "--help"), re.MULTILINE)) == set(options_of(verb))


WEIGHTED = {"weight": "income", "weight_bounds": (0, 100_000), "weight_step": 100}
WEIGHTED_WORDS = ["--weight", "income", "--weight-bounds", "0", "100000", "--weight-step", "100"]

#: For each option of release: additional arguments in Python, and additional words for the program.
RELEASE = {
    "--column": ({}, []),
    "--quantiles": ({"quantiles": [0.1, "1/2", 0.9]}, ["--quantiles", "0.1,1/2,0.9"]),
    "--synthetic-rows": ({"synthetic_rows": 8}, ["--synthetic-rows", "8"]),
    "--bounds": ({"bounds": (0, 200)}, ["--bounds", "0", "200"]),
    "--step": ({"step": 0.5}, ["--step", "0.5"]),
    "--bounds-budget": ({"bounds": "auto", "bounds_budget": "1/4"}, ["--bounds", "auto", "--bounds-budget", "1/4"]),
    "--candidates": ({"candidates": [0, 18, 65, 120], "bounds": None, "step": None}, ["--candidates", "0,18,65,120"]),
    "--by": ({"by": "region", "keys": ["north", "south"]}, ["--by", "region", "--keys", "north,south"]),
    "--keys": ({"by": "region", "keys": ["east"]}, ["--by", "region", "--keys", "east"]),
    "--keys-file": ({"by": "region", "keys_file": "KEYS"}, ["--by", "region", "--keys-file", "KEYS"]),
    "--weight": (WEIGHTED, WEIGHTED_WORDS),
    "--weight-bounds": (WEIGHTED | {"weight_bounds": ("500", 20_000)}, [*WEIGHTED_WORDS[:2], "--weight-bounds", "500", "20000", *WEIGHTED_WORDS[5:]]),
    "--weight-step": (WEIGHTED | {"weight_step": 50.0}, [*WEIGHTED_WORDS[:5], "--weight-step", "50"]),
    "--weight-stability": (WEIGHTED | {"weight_stability": 3}, [*WEIGHTED_WORDS, "--weight-stability", "3"]),
    "--expected-weight": (
        WEIGHTED | {"expected_weight": 35_000, "expected_rows": 3000},
        [*WEIGHTED_WORDS, "--expected-weight", "35000", "--expected-rows", "3000"],
    ),
    "--epsilon": ({"epsilon": "ln 3"}, ["--epsilon", "ln 3"]),
    "--rho": ({"epsilon": None, "rho": 0.125}, ["--rho", "0.125"]),
    "--delta": ({"delta": 1e-6}, ["--delta", "1e-06"]),
    "--neighbors": ({"neighbors": "change-one"}, ["--neighbors", "change-one"]),
    "--records-per-person": ({"records_per_person": 3}, ["--records-per-person", "3"]),
    "--person": ({"person": "id", "records_per_person": 2}, ["--person", "id", "--records-per-person", "2"]),
    "--per-person": ({"person": "id", "per_person": "mean"}, ["--person", "id", "--per-person", "mean"]),
    "--public-rows": ({"public_rows": True}, ["--public-rows"]),
    "--mechanism": ({"mechanism": "approximate"}, ["--mechanism", "approximate"]),
    "--expected-rows": ({"expected_rows": 3000}, ["--expected-rows", "3000"]),
    "--count": ({"count": True}, ["--count"]),
    "--below": ({"below": [18, 65]}, ["--below", "18,65"]),
    "--mean": ({"mean": True}, ["--mean"]),
    "--count-budget": ({"count": True, "count_budget": "1/4"}, ["--count", "--count-budget", "1/4"]),
    "--no-interpolation": ({"quantiles": "deciles", "no_interpolation": True}, ["--quantiles", "deciles", "--no-interpolation"]),
    "--base": ({"base": "uniform"}, ["--base", "uniform"]),
    "--rates": ({"mechanism": "approximate", "rates": "as-published"}, ["--mechanism", "approximate", "--rates", "as-published"]),
    "--intervals": ({"intervals": 0.95, "expected_rows": 3000}, ["--intervals", "0.95", "--expected-rows", "3000"]),
    "--of": ({"intervals": 0.9, "expected_rows": 3000, "of": "table"}, ["--intervals", "0.9", "--expected-rows", "3000", "--of", "table"]),
    "--together": (
        {"intervals": 0.9, "expected_rows": 3000, "together": True},
        ["--intervals", "0.9", "--expected-rows", "3000", "--together"],
    ),
    "--null": ({"null": "error"}, ["--null", "error"]),
    "--missing": ({"missing": ["NA", -9, 40.0]}, ["--missing", "NA,-9,40.0"]),
    "--unreadable": ({"unreadable": "missing"}, ["--unreadable", "missing"]),
    "--sql": ({"sql": "SELECT TRY_CAST(age AS DOUBLE) + 1 AS age FROM input"}, ["--sql", "SELECT TRY_CAST(age AS DOUBLE) + 1 AS age FROM input"]),
    "--sql-stability": (
        {"sql": "SELECT max(TRY_CAST(age AS DOUBLE)) AS age FROM input GROUP BY id", "sql_stability": 1},
        ["--sql", "SELECT max(TRY_CAST(age AS DOUBLE)) AS age FROM input GROUP BY id", "--sql-stability", "1"],
    ),
    "--table": (
        {"sql": "SELECT TRY_CAST(age AS DOUBLE) AS age FROM again", "table": {"again": "CSV"}},
        ["--sql", "SELECT TRY_CAST(age AS DOUBLE) AS age FROM again", "--table", "again=CSV"],
    ),
    "--input-format": ({"input_format": "csv"}, ["--input-format", "csv"]),
    "--delimiter": ({"delimiter": ","}, ["--delimiter", ","]),
    "--single-line-records": ({"single_line_records": True}, ["--single-line-records"]),
    "--decimal": ({"decimal": ","}, ["--decimal", ","]),
    "--thousands": ({"thousands": ","}, ["--thousands", ","]),
    "--encoding": ({"encoding": "latin1"}, ["--encoding", "latin1"]),
    "--duckdb": ({"duckdb": "DUCKDB"}, ["--duckdb", "DUCKDB"]),
    "--threads": ({"threads": 2}, ["--threads", "2"]),
    "--memory": ({"memory": "200MB", "person": "id"}, ["--memory", "200MB", "--person", "id"]),
    "--receipt": ({"receipt": "RECEIPT-python"}, ["--receipt", "RECEIPT-program"]),
    "--unsafe-seed": ({"unsafe_seed": 8}, ["--unsafe-seed", "8"]),
}
LEDGER = {"--ledger", "--dataset", "--again", "--source"}  # ledger_test: options_of_ledgers
COUNTS = {"--counts"}  # counts_test
POSTGRES = {"--postgres"}  # postgres_test


def test_every_option_is_tried():
    assert set(RELEASE) | LEDGER | COUNTS | POSTGRES == set(options_of("release")) - set(METHODS["release"]) - NOT_HERE


@pytest.mark.parametrize("option", RELEASE)
def test_release_equals_the_program(option, csv, program, engine, tmp_path):
    arguments, words = RELEASE[option]
    keys = tmp_path / "keys.txt"
    keys.write_text("north\neast\n", encoding="utf-8")
    named = {"KEYS": str(keys), "CSV": csv, "DUCKDB": engine}

    def filled(value):
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, str):
            for name, text in named.items():
                value = value.replace(name, text)
            value = value.replace("RECEIPT", str(tmp_path / "receipt"))
        return value

    given = {"bounds": (0, 125), "step": 1, "epsilon": 1, "unsafe_seed": 7} | filled(arguments)
    typed = [filled(word) for word in words]
    for name, usual in (("--bounds", ["0", "125"]), ("--step", ["1"]), ("--epsilon", ["1"]), ("--unsafe-seed", ["7"])):
        if name not in typed and given.get(name[2:].replace("-", "_")) is not None:
            typed += [name, *usual]
    printed = program("release", csv, "--column", "age", *typed, "--format", "json")
    release = fractile.release(csv, "age", **given)
    assert release.receipt == printed
    if option == "--receipt":
        assert (tmp_path / "receipt-python").read_text() == (tmp_path / "receipt-program").read_text() == printed


@pytest.fixture
def about(tmp_path):
    """What a page says about its release, in the program's form and in Python's."""
    (tmp_path / "about.toml").write_text('title = "Ages"\ncurator = "An office"\n', encoding="utf-8")
    return str(tmp_path / "about.toml"), {"title": "Ages", "curator": "An office"}


def files_of(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_what_a_release_shows_equals_the_program(csv, program, about, tmp_path):
    file, texts = about
    asked = {"bounds": (0, 125), "step": 1, "epsilon": 1, "intervals": 0.9, "expected_rows": 3000, "unsafe_seed": 7}
    words = ["release", csv, "--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1", "--intervals", "0.9"]
    words += ["--expected-rows", "3000", "--unsafe-seed", "7"]
    release = fractile.release(csv, "age", **asked)
    compared = ["--compare", "0.25,0.75"]
    assert release.to_csv() == program(*words, "--format", "csv")
    assert release.to_csv(compare=(0.25, 0.75)) == program(*words, "--format", "csv", *compared)
    assert release.to_html() == program(*words, "--format", "html")
    page = program(*words, "--format", "html", "--public", "--about", file, "--figures", tmp_path / "figures", *compared)
    shown = {"about": texts, "public": True, "compare": (0.25, 0.75)}
    assert release.to_html(**shown) == page
    assert release.figures(**shown) == files_of(tmp_path / "figures")
    assert "comparisons.csv" in release.figures(**shown)
    release = fractile.release(csv, "age", bounds=(0, 125), step=1, epsilon=1)
    release.save(tmp_path / "receipt.json")
    guess = f"above:{release[0.5]}"
    for method, form in ((release.to_html, "html"), (release.explain, "text")):
        assert method(guess=guess) == program("explain", tmp_path / "receipt.json", "--format", form, "--guess", guess)
        assert "What an attacker gains" in method(guess=guess) and "What an attacker gains" not in method()


PLAN = {
    "--quantiles": ({"quantiles": "deciles"}, ["--quantiles", "deciles"]),
    "--synthetic-rows": ({"synthetic_rows": 8}, ["--synthetic-rows", "8"]),
    "--bounds": ({"bounds": (0, 200)}, ["--bounds", "0", "200"]),
    "--step": ({"step": 0.5}, ["--step", "0.5"]),
    "--candidates": ({"candidates": [0, 18, 65, 120], "bounds": None, "step": None}, ["--candidates", "0,18,65,120"]),
    "--epsilon": ({"epsilon": 2}, ["--epsilon", "2"]),
    "--rho": ({"epsilon": None, "rho": "1/8"}, ["--rho", "1/8"]),
    "--delta": ({"delta": 1e-6}, ["--delta", "1e-06"]),
    "--neighbors": ({"neighbors": "change-one"}, ["--neighbors", "change-one"]),
    "--records-per-person": ({"records_per_person": 3}, ["--records-per-person", "3"]),
    "--rank-error": ({"epsilon": None, "rank_error": 100}, ["--rank-error", "100"]),
    "--percentile-error": (
        {"epsilon": None, "percentile_error": 5, "expected_rows": 3000},
        ["--percentile-error", "5", "--expected-rows", "3000"],
    ),
    "--solve-for": ({"epsilon": None, "rank_error": 100, "solve_for": "rho"}, ["--rank-error", "100", "--solve-for", "rho"]),
    "--confidence": ({"confidence": 0.9}, ["--confidence", "0.9"]),
    "--shape": ({"shape": "uniform"}, ["--shape", "uniform"]),
    "--guess": ({"guess": "above:40"}, ["--guess", "above:40"]),
    "--analyst": (
        {"analyst": "ANALYST", "epsilon": "0.01..2", "expected_rows": 1000, "mechanism": "exponential"},
        ["--analyst", "ANALYST", "--epsilon", "0.01..2", "--expected-rows", "1000", "--mechanism", "exponential"],
    ),
    "--reference": (  # its column has the usual name
        {"guess": "value", "reference": "REFERENCE"},
        ["--guess", "value", "--reference", "REFERENCE"],
    ),
    "--reference-column": (
        {"guess": "presence", "reference": "REFERENCE", "reference_column": "value"},
        ["--guess", "presence", "--reference", "REFERENCE", "--reference-column", "value"],
    ),
    "--duckdb": (
        {"guess": "value", "reference": "REFERENCE", "duckdb": "LIBRARY"},
        ["--guess", "value", "--reference", "REFERENCE", "--duckdb", "LIBRARY"],
    ),
    "--mechanism": ({"mechanism": "approximate"}, ["--mechanism", "approximate"]),
    "--expected-rows": ({"expected_rows": 3000}, ["--expected-rows", "3000"]),
    "--no-interpolation": (  # the step is so fine that the option matters, as for --together
        {"quantiles": "deciles", "step": 0.01, "no_interpolation": True},
        ["--quantiles", "deciles", "--step", "0.01", "--no-interpolation"],
    ),
    "--base": ({"base": "uniform"}, ["--base", "uniform"]),
    "--rates": ({"mechanism": "approximate", "rates": "as-published"}, ["--mechanism", "approximate", "--rates", "as-published"]),
    "--intervals": ({"intervals": 0.95, "expected_rows": 3000}, ["--intervals", "0.95", "--expected-rows", "3000"]),
    "--of": ({"intervals": 0.9, "expected_rows": 3000, "of": "table"}, ["--intervals", "0.9", "--expected-rows", "3000", "--of", "table"]),
    "--together": (
        {"quantiles": "1/4,3/4", "step": 0.01, "intervals": 0.9, "expected_rows": 3000, "together": True},
        ["--quantiles", "1/4,3/4", "--step", "0.01", "--intervals", "0.9", "--expected-rows", "3000", "--together"],
    ),
    "--count": ({"count": True}, ["--count"]),
    "--below": ({"below": [18, 65]}, ["--below", "18,65"]),
    "--mean": ({"mean": True}, ["--mean"]),
    "--count-budget": ({"count": True, "count_budget": "1/4"}, ["--count", "--count-budget", "1/4"]),
}


PLANNED_WEIGHTS = (
    {"weight_bounds": (0, 300), "weight_step": 0.5, "expected_rows": 3000, "expected_weight": 40},
    ["--weight-bounds", "0", "300", "--weight-step", "0.5", "--expected-rows", "3000", "--expected-weight", "40"],
)
PLAN |= {option: PLANNED_WEIGHTS for option in ("--weight-bounds", "--weight-step", "--expected-weight")}
PLAN["--weight-stability"] = (PLANNED_WEIGHTS[0] | {"weight_stability": 2}, [*PLANNED_WEIGHTS[1], "--weight-stability", "2"])


def test_every_option_of_plan_is_tried():
    assert set(PLAN) == set(options_of("plan")) - set(METHODS["plan"]) - NOT_HERE


@pytest.mark.parametrize("option", PLAN)
def test_plan_equals_the_program(option, program, engine, tmp_path):
    public = tmp_path / "public.csv"
    public.write_text("value\n" + "".join(f"{age}\n" for age in range(20, 70)), encoding="utf-8")
    analyst = tmp_path / "analyst.toml"
    analyst.write_text('[analyst]\nloss = "missed-records"\nmost = 20\n', encoding="utf-8")
    places = {"REFERENCE": str(public), "ANALYST": str(analyst), "LIBRARY": engine}
    arguments, words = PLAN[option]
    arguments = {name: places.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}
    words = [places.get(word, word) for word in words]
    usual = {
        "--quantiles": ("1/3", ["1/3"]),  # a plan for several quantiles takes a hundred times as long
        "--bounds": ((0, 125), ["0", "125"]),
        "--step": (1, ["1"]),
        "--epsilon": (1, ["1"]),
    }
    if option == "--synthetic-rows":
        del usual["--quantiles"]
    given = {name[2:]: value for name, (value, _) in usual.items()} | arguments
    typed = list(words)
    for name, (_, texts) in usual.items():
        if name not in typed and given.get(name[2:]) is not None:
            typed += [name, *texts]
    plan = fractile.plan(**given)
    assert plan.to_json() == program("plan", *typed, "--format", "json")
    assert plan.to_csv() == program("plan", *typed, "--format", "csv")
    assert len(plan.to_pandas()) == len(plan.quantiles)


def test_what_a_plan_shows_equals_the_program(program, about, tmp_path):
    file, texts = about
    words = ["plan", "--bounds", "0", "125", "--step", "1", "--epsilon", "1", "--quantiles", "quartiles", "--format", "html"]
    plan = fractile.plan(bounds=(0, 125), step=1, epsilon=1, quantiles="quartiles")

    def page(*more):  # the command is left out, because it is not typed in Python
        return re.sub(r"<section>\n<h2>To repeat it</h2>.*?</section>\n", "", program(*words, *more), count=1, flags=re.DOTALL)

    assert plan.to_html() == page()
    assert plan.to_html(about=texts) == page("--about", file, "--figures", tmp_path / "figures")
    assert plan.figures(about=texts) == files_of(tmp_path / "figures")


#: For dates and times: bounds, step and candidates in Python's form, and as they are typed.
TIMES = {
    "dates": (
        {"bounds": (dt.date(2020, 1, 1), dt.date(2026, 1, 1)), "step": dt.timedelta(days=1)},
        ["--bounds", "2020-01-01", "2026-01-01", "--step", "1d"],
    ),
    "timestamps": (
        {"bounds": (dt.datetime(2020, 1, 1), dt.datetime(2026, 1, 1)), "step": dt.timedelta(hours=1)},
        ["--bounds", "2020-01-01T00:00", "2026-01-01 00:00", "--step", "60min"],
    ),
    "candidates": (
        {"candidates": [dt.date(2020, 1, 1), dt.date(2022, 2, 2), dt.date(2025, 5, 5)]},
        ["--candidates", "2020-01-01,2022-02-02,2025-05-05"],
    ),
}


@pytest.mark.parametrize("kind", TIMES)
def test_dates_equal_the_program(kind, program, engine, tmp_path):
    start = dt.datetime(2020, 1, 1)
    lines = [f"{start + i * dt.timedelta(minutes=1931)},{'ab'[i % 2]},{i // 2}" for i in range(1500)]
    path = str(tmp_path / "seen.csv")
    (tmp_path / "seen.csv").write_text("\n".join(["seen,town,id", *lines]) + "\n", encoding="utf-8")
    arguments, words = TIMES[kind]
    more = (
        ({}, []),
        ({"quantiles": "deciles", "rho": 1}, ["--quantiles", "deciles", "--rho", "1"]),
        ({"by": "town", "keys": ["a", "b"], "person": "id"}, ["--by", "town", "--keys", "a,b", "--person", "id"]),
        ({"intervals": 0.9, "expected_rows": 1500}, ["--intervals", "0.9", "--expected-rows", "1500"]),
        ({"synthetic_rows": 5, "null": "error"}, ["--synthetic-rows", "5", "--null", "error"]),
    )
    for also, typed in more:
        given = arguments | {"unsafe_seed": 7} | also | ({} if "rho" in also else {"epsilon": 1})
        typed = [*words, "--unsafe-seed", "7", *typed, *([] if "rho" in also else ["--epsilon", "1"])]
        release = fractile.release(path, "seen", **given)
        assert release.receipt == program("release", path, "--column", "seen", *typed, "--format", "json")
    plan = fractile.plan(**arguments, epsilon=1, quantiles="median")
    assert plan.to_json() == program("plan", *words, "--epsilon", "1", "--quantiles", "median", "--format", "json")


def test_half_of_a_surrogate_pair_is_no_text():
    usual = {"bounds": (0, 125), "step": 1, "epsilon": 1}
    frame = pd.DataFrame({"x": [1, 2], "r": ["a", "b"]})
    for name, asked in (("keys", {"by": "r", "keys": ["a", "\ud800"]}), ("by", {"by": "\ud800", "keys": ["a"]}), ("source", {"source": "\ud800"})):
        with pytest.raises(fractile.UsageError, match="half of a surrogate pair") as refused:
            fractile.release(frame, "x", **usual, **asked)
        assert refused.value.field == name and refused.value.__context__ is None
