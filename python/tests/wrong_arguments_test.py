"""A wrong type, or a value that is not a number, text or path, raises a fractile.Error about the argument, without a cause or context."""

import datetime as dt
import inspect

import duckdb
import fractile
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fractile import constructors, flow


class Index:
    def __index__(self):
        raise ValueError("secret")


class Exchanged:
    """As what __dataframe__() gives."""

    def column_names(self):
        return ["a"]

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table({"a": ["secret"]}).__arrow_c_stream__(requested_schema)


#: Values that most arguments do not accept. They are made anew each time, because some can be used only once.
ODD = {
    "a huge number": lambda: 2**70,
    "a negative number": lambda: -1,
    "a float": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "a truth value": lambda: True,
    "NaT": lambda: np.datetime64("NaT"),
    "a span": lambda: dt.timedelta(1),
    "half a character": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "nothing": lambda: "",
    "bytes": lambda: b"x",
    "an object": object,
    "a type": lambda: type,
    "a function": lambda: lambda: 0,
    "an array": lambda: np.array([1.0]),
    "an array without a dimension": lambda: np.array(5),
    "an array of a half": lambda: np.array(0.5),
    "an array of a truth value": lambda: np.array(True),
    "an index that raises": Index,
    "a moment of pandas": lambda: pd.Timestamp("2020-01-01"),
    "pandas' NaT": lambda: pd.NaT,
    "pandas' NA": lambda: pd.NA,
    "a column": lambda: pd.Series([1.0, 2.0]),
    "a column of moments": lambda: pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])),
    "a frame": lambda: pd.DataFrame({"a": [1.0], "b": [2.0]}),
    "a lazy frame": lambda: pl.LazyFrame({"a": [1.0]}),
    "a relation": lambda: duckdb.sql("SELECT 1 AS a"),
    "an array of Arrow": lambda: pa.array([1.0, 2.0]),
    "a number of 5001 digits": lambda: 10**5000,
    "a number of a large exponent": lambda: "1e9999999",
    "a list of a large exponent": lambda: ["1e9999999"],
    "a list of NaN": lambda: [0.5, float("nan")],
    "a list of infinity": lambda: [1.0, float("inf")],
    "a span of twelve months": lambda: np.timedelta64(1, "12M"),
    "moments in steps of 25": lambda: np.array([0], "datetime64[25us]"),
    "a range up to a division by zero": lambda: (0, "1/0"),
    "a frame that names its columns by a method": lambda: Exchanged(),
    "a distant time": lambda: dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))),
    "an iterator": lambda: iter([1]),
    "no list": list,
    "a list of None": lambda: [None],
    "a list of half a character": lambda: ["\ud800"],
    "a list of huge numbers": lambda: [2**70],
    "a list of lists": lambda: [[["x"]]],
    "a mapping": lambda: {"a": object()},
    "a mapping of numbers": lambda: {5: 5},
}


def wrong(function, asked, odd):
    """For each argument in turn, what the function raises if that is not a fractile.Error, or has a cause or context."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        positional = [odd()] if parameter.kind is parameter.VAR_POSITIONAL else []
        named = asked if positional else {**asked, name: odd()}
        try:
            function(*positional, **named)
        except KeyError:  # what a mapping raises
            pass
        except fractile.Error as error:
            if error.__context__ is not None or error.__cause__ is not None:
                yield name, error.__context__ or error.__cause__
        except Exception as error:
            yield name, error


ASKED = {"bounds": (0, 9), "step": 1}
PIPELINE = {"participants": 2, "values": [0, 1], "perturber": "geometric", "post": {"query": "count", "of": [0]}}
ROWS = constructors.vector_domain(float, nullable=False)


@pytest.fixture
def functions(tmp_path, monkeypatch):
    """Functions and methods, with the arguments that they need."""
    monkeypatch.chdir(tmp_path)
    ledger = fractile.Ledger("people.db").init("people", epsilon=1)
    release = fractile.release([1.0, 2.0], epsilon=1, **ASKED)
    profile = fractile.profile([1.0], lattice=fractile.Lattice(0, 9, 1))
    pipeline = flow.Pipeline(**PIPELINE)
    channel = flow.Channel([["1/2", "1/2"], [0, 1]])
    scores = constructors.make_quantile_score_candidates(ROWS, [1.0, 2.0], "1/2")
    select = scores >> constructors.make_gumbel_max(scores, temperature=4, optimize="min")
    plan = fractile.plan(epsilon=1, quantiles="median", expected_rows=100, **ASKED)
    return [
        (fractile.release, {"data": [1.0, 2.0], "column": "", "epsilon": 1, **ASKED}),
        (fractile.plan, {"epsilon": 1, "quantiles": "median", "expected_rows": 100, **ASKED}),
        (fractile.count, {"data": [1.0], "output": "o.profile", **ASKED}),
        (fractile.columns, {"data": "none.csv"}),
        (fractile.merge, {"output": "m.profile"}),
        (fractile.publish, {"file": "none.toml"}),
        (fractile.Release.from_text, {"text": release.receipt}),
        (fractile.PublishedTables.from_text, {"text": "{}"}),
        (fractile.PublishedTables.read, {"path": "none.json"}),
        (plan.to_html, {}),
        (plan.figures, {}),
        (ledger.witness, {}),
        (release.figures, {}),
        (release.to_csv, {}),
        (release.__getitem__, {"which": 0.5}),
        (flow.verify, {"certificate": "{}"}),
        (flow.bayes_risk, {"secrets": 2}),
        (flow.squared_error, {"values": [0, 1]}),
        (select.map, {"d_in": 1}),
        (select, {"data": [1.0]}),
        (fractile.profile, {"data": [1.0], "lattice": fractile.Lattice(0, 9, 1)}),
        (fractile.profile_of_counts, {"values": [1.0], "counts": [1], **ASKED}),
        (profile.write, {"output": "p.profile", "column": "x"}),
        (profile.merge, {"other": profile}),
        (fractile.Profile.from_bytes, {"data": profile.to_bytes()}),
        (fractile.audit, {"mechanism": "exponential", "epsilon": 1, "records": 1, "values": 2}),
        (fractile.Lattice, {"lower": 0, "upper": 9, "step": 1}),
        (fractile.Ledger, {"path": "people.db"}),
        (fractile.read_receipt, {"path": "none.json"}),
        (ledger.init, {"dataset": "others", "epsilon": 1}),
        (ledger.void, {"entry": 1, "reason": "never published"}),
        (ledger.verify, {}),
        (ledger.statement, {}),
        (ledger.export, {}),
        (ledger.to_html, {}),
        (release.compare, {"first": "1/4", "second": "3/4"}),
        (release.explain, {}),
        (release.to_html, {}),
        (release.to_registry, {"about": {}}),
        (release.save, {"path": "none/none.json"}),
        (flow.Pipeline, PIPELINE),
        (flow.Channel, {"rows": [["1/2", "1/2"], [0, 1]]}),
        (flow.compare, {"first": "none.toml", "second": "none.toml"}),
        (pipeline.check, {"epsilon": ("ln 2", "ln 3")}),
        (pipeline.loss, {"epsilon": "ln 2"}),
        (pipeline.loss_curve, {"epsilon": ("ln 2", "ln 3"), "points": 2}),
        (pipeline.channel, {"epsilon": "ln 2"}),
        (channel.refines, {"other": channel}),
        (channel.kronecker, {"other": channel}),
        (channel.smallest_epsilon, {}),
        (channel.expected_loss, {"losses": [[0, 1], [1, 0]]}),
        (flow.linear_error, {"values": [0, 1]}),
        (constructors.vector_domain, {"kind": float}),
        (constructors.make_clamp, {"domain": ROWS, "lower": 0.0, "upper": 1.0}),
        (constructors.make_quantile_score_candidates, {"domain": ROWS, "candidates": [1.0], "alpha": "1/2"}),
        (constructors.make_gumbel_max, {"scores": scores, "temperature": 1, "optimize": "min"}),
        (constructors.make_permute_and_flip, {"scores": scores, "temperature": 1, "optimize": "min"}),
        (constructors.make_quantile, {"domain": ROWS, "lattice": fractile.Lattice(0, 9, 1), "alpha": "1/2", "epsilon": 1}),
        (constructors.index_into, {"candidates": [1.0]}),
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_wrong_arguments_are_errors_of_ours(functions, odd):
    found = [(getattr(function, "__qualname__", function), *what) for function, asked in functions for what in wrong(function, asked, odd)]
    assert found == []
