"""Plans: what a release will cost, and how wrong it may be, before anything is spent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, overload

from . import _core, _frames, _notebook, _words
from ._arguments import suggesting
from ._choices import Base, Mechanism, Neighbors, Of, Quantiles, Rates, Shape, SolveFor
from ._errors import UsageError
from ._members import Unchanging, documented
from ._numbers import Number
from ._publication import PublicationPlan, plan_of_file
from ._release import Bound, Step


@documented
class PlannedQuantile(NamedTuple):
    """Rank errors: by how many records a value misses its quantile. Only records that count are meant, at the values at which they count.

    Attributes:
        quantile: the quantile.
        worst_case: the error that the release of any table exceeds with probability at most 1 - `confidence`; None if no bound is known.
        median: the error that half of the releases of the public table do not exceed.
        nine_in_ten: the error that nine in ten of these releases do not exceed.
    """

    quantile: Fraction
    worst_case: int | None
    median: float
    nine_in_ten: float


class Plan(Unchanging):
    """What a query would run, what it would cost, and how accurate it would be. No table was read and nothing was spent.

    A plan can be copied and pickled. It is computed again where it is unpickled, from the same arguments.
    """

    def __init__(self, report: _core.PlanReport, words: _words.Words) -> None:
        self._report = report
        self._words = words

    def __reduce__(self) -> tuple[Any, ...]:
        return _planned, (self._words,)

    @property
    def quantiles(self) -> list[PlannedQuantile]:
        """The errors to expect, for each quantile."""
        r = self._report
        return [PlannedQuantile(*row) for row in zip(r.quantiles, r.worst_case, r.typical, r.nine_in_ten)]

    @property
    def cost(self) -> str:
        """The budget; if an error was asked for, the smallest budget that achieves it."""
        return self._report.cost

    @property
    def mechanism(self) -> str:
        """The mechanism that would run."""
        return self._report.mechanism

    @property
    def together(self) -> int | None:
        """The worst case for all quantiles at once; None if no bound is known."""
        return self._report.together

    @property
    def interval_widths(self) -> list[float]:
        """The median width of each requested interval, in records between its ends; one per quantile."""
        return list(self._report.interval_widths)

    def to_pandas(self) -> Any:
        """A DataFrame with one row per quantile: worst_case, median and nine_in_ten, in records."""
        import pandas as pd

        rows = self.quantiles
        return pd.DataFrame(
            {
                "worst_case": pd.array([row.worst_case for row in rows], dtype="Int64"),
                "median": [row.median for row in rows],
                "nine_in_ten": [row.nine_in_ten for row in rows],
            },
            index=pd.Index([float(row.quantile) for row in rows], name="quantile"),
        )

    def to_json(self) -> str:
        """The plan as `fractile plan --format json` prints it."""
        return self._report.json()

    def to_csv(self) -> str:
        """The plan as CSV, one line per quantile."""
        return self._report.csv()

    def to_html(self, *, about: Mapping[str, str] | None = None) -> str:
        """The page of `fractile plan --format html`."""
        return _core.plan(self._words, True).page(_words.texts(about, "about"))[0]

    def figures(self, *, about: Mapping[str, str] | None = None) -> dict[str, str]:
        """The page's figures as SVG, and their tables as CSV, by the names of their files."""
        return _core.plan(self._words, True).page(_words.texts(about, "about"))[1]

    def __repr__(self) -> str:
        return self._report.table()

    def _repr_html_(self) -> str:
        return _notebook.in_frame(self.to_html(), "The plan", repr(self))


def _planned(words: _words.Words) -> Plan:
    return Plan(_core.plan(words, False), words)


@overload
def plan(file: str | os.PathLike[str], *, duckdb: str | os.PathLike[str] | None = None) -> PublicationPlan: ...


@overload
def plan(
    *,
    quantiles: Quantiles | Iterable[Number] | None = None,
    synthetic_rows: int | None = None,
    bounds: tuple[Bound, Bound] | str | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    neighbors: Neighbors | None = None,
    records_per_person: int | None = None,
    weight_stability: int | None = None,
    rank_error: int | None = None,
    percentile_error: Number | None = None,
    solve_for: SolveFor | None = None,
    confidence: Number | None = None,
    shape: Shape | None = None,
    guess: str | None = None,
    analyst: str | os.PathLike[str] | None = None,
    reference: str | os.PathLike[str] | None = None,
    reference_column: str | None = None,
    duckdb: str | os.PathLike[str] | None = None,
    mechanism: Mechanism | None = None,
    expected_rows: int | None = None,
    expected_weight: Number | None = None,
    no_interpolation: bool = False,
    base: Base | None = None,
    rates: Rates | None = None,
    intervals: Number | None = None,
    of: Of | None = None,
    together: bool = False,
    count: bool = False,
    below: Bound | Iterable[Bound] | None = None,
    mean: bool = False,
    count_budget: Number | None = None,
) -> Plan: ...


@suggesting
def plan(
    file: str | os.PathLike[str] | None = None,
    *,
    quantiles: Quantiles | Iterable[Number] | None = None,
    synthetic_rows: int | None = None,
    bounds: tuple[Bound, Bound] | str | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    neighbors: Neighbors | None = None,
    records_per_person: int | None = None,
    weight_stability: int | None = None,
    rank_error: int | None = None,
    percentile_error: Number | None = None,
    solve_for: SolveFor | None = None,
    confidence: Number | None = None,
    shape: Shape | None = None,
    guess: str | None = None,
    analyst: str | os.PathLike[str] | None = None,
    reference: str | os.PathLike[str] | None = None,
    reference_column: str | None = None,
    duckdb: str | os.PathLike[str] | None = None,
    mechanism: Mechanism | None = None,
    expected_rows: int | None = None,
    expected_weight: Number | None = None,
    no_interpolation: bool = False,
    base: Base | None = None,
    rates: Rates | None = None,
    intervals: Number | None = None,
    of: Of | None = None,
    together: bool = False,
    count: bool = False,
    below: Bound | Iterable[Bound] | None = None,
    mean: bool = False,
    count_budget: Number | None = None,
) -> Plan | PublicationPlan:
    """What a release will cost, and how wrong it may be. No table is read, except for a public `reference`, and nothing is spent.

    The arguments are the options of the program `fractile plan`. `rank_error` in place of a budget asks for the smallest budget at which each
    quantile, taken by itself, misses by at most this many records. `guess` ("value", "presence" or "above:30000") also asks how often an
    attacker's best guess about a person is right. `analyst` names a file that says which loss the analyst accepts. Epsilon is then a range,
    "0.01..5", and the plan is for the least epsilon in it that serves the analyst.

    With `file`, the file of a publication, all its tables are planned: what each level costs, and how accurate each cell will be.

    Raises:
        UsageError: an argument is wrong, or no budget achieves the error.
        DataError: the publication's file cannot be read, or is not a valid one.
    """
    words = _words.words({name: value for name, value in locals().items() if name != "file"})
    if file is not None:
        for name in words if _frames.is_path(file) else []:  # plan_of_file() refuses what is no path
            if name != "duckdb":
                raise UsageError(f"{name} does not go with file, which says what is asked", "write it there, or leave it out", name)
        return plan_of_file(file, words)
    return _planned(words)
