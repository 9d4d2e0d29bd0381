"""Releases: what is asked, and what comes back."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _core, _frames, _notebook, _numbers, _times, _words
from ._arguments import Event, require_event, suggesting
from ._choices import Base, InputFormat, Mechanism, Neighbors, Null, Of, PerPerson, Quantiles, Rates, Unreadable
from ._errors import DataError, UsageError, warn, warn_of
from ._members import documented
from ._numbers import Number

if TYPE_CHECKING:
    from ._ledger import Ledger

#: An exact value: a Decimal, or a Fraction where its decimals do not end; or a date or datetime, as the bounds were.
Value = Union[Decimal, Fraction, dt.date]
#: A possible value: a number, a date, or a datetime with or without a zone; or one of them as a str.
Bound = Union[Number, dt.date]
#: The distance of possible values: a number, or of dates and times a timedelta or a str such as "1d".
Step = Union[Number, dt.timedelta]
#: The keys of groups: those of one column; or of several columns those of each, or the groups as tuples or a frame.
Keys = Union[Iterable[str], Mapping[str, Iterable[str]], Iterable[Sequence[str]], Any]
#: The key of a group: a str, or with several key columns a tuple of them.
Key = Union[str, tuple[str, ...]]


@documented
class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        lower: its lower end.
        upper: its upper end.
        or_below: whether the lower end is the range's, and the quantile may lie below it.
        or_above: whether the upper end is the range's, and the quantile may lie above it.
    """

    lower: Value | dt.timedelta
    upper: Value | dt.timedelta
    or_below: bool = False
    or_above: bool = False


@documented
class Estimate(NamedTuple):
    """A difference or a ratio with the interval in which it lies.

    Attributes:
        value: the difference or ratio of the released values. The difference of dates or times is a timedelta.
        interval: the interval in which that of the true ones lies.
    """

    value: Value | dt.timedelta
    interval: Interval


@documented
class Comparison(NamedTuple):
    """One quantile against another one, or against that of another group.

    Attributes:
        key: the key of the group; "" without groups.
        quantile: the quantile that is compared, as the receipt has it.
        against: the other quantile, or the key of the other group.
        difference: the other one less the first one.
        ratio: the other one over the first one; None where that is not defined.
    """

    key: Key
    quantile: str
    against: str
    difference: Estimate
    ratio: Estimate | None


@documented
class Spent(NamedTuple):
    """What a part of a release cost.

    Attributes:
        part: which part: "quantiles", "rows", "counts" and so on.
        amount: how much of epsilon or of rho, exactly.
    """

    part: str
    amount: str


@documented
class Count(NamedTuple):
    """A number of records. With weights it is their total weight, exactly.

    Attributes:
        value: as it was drawn: below 0 where there are hardly any.
        lower: the lower end of the interval in which the table's lies.
        upper: its upper end.
    """

    value: int | Fraction
    lower: int | Fraction
    upper: int | Fraction

    def __contains__(self, number: object) -> bool:
        return isinstance(number, (int, float, Fraction, Decimal)) and self.lower <= number <= self.upper


@documented
class Ratio(NamedTuple):
    """A share of the records, or their mean.

    Attributes:
        value: as it was released; None where the released count is not positive.
        lower: the lower end of the interval in which the table's lies.
        upper: its upper end.
    """

    value: Value | None
    lower: Value
    upper: Value


@dataclass(frozen=True)
class Below:
    """How many records lie below a value.

    Attributes:
        count: their number.
        share: which share of the records they are.
    """

    count: Count
    share: Ratio


@dataclass(frozen=True)
class Statistics:
    """What was published beside the quantiles of a group, or of a whole column. Each interval by itself has the release's level.

    Attributes:
        count: how many records count.
        below: how many of them lie below each value that was asked for.
        mean: the mean of the values at which they count; None where it was not asked for.
    """

    count: Count
    below: dict[Value, Below]
    mean: Ratio | None


@documented
class Charge(NamedTuple):
    """The entry of a ledger that paid for a release.

    Attributes:
        dataset: whose budget it is. Older receipts do not say it: it is empty then.
        entry: its number.
    """

    dataset: str
    entry: int


def _value(kind: str, value: Fraction) -> Value:
    return _numbers.decimal(value) if kind == "number" else _times.of_ticks(kind, int(value))


class Group(Mapping[Fraction, Value]):
    """The quantiles of one group, or of a whole column: a mapping from quantiles to exact values, and what is known of them."""

    def __init__(self, key: Key, number: int, release: Release) -> None:
        self.key = key
        self._number = number
        self._release = release
        core = release._core
        self._values = {q: _value(core.kind, v) for q, v in zip(core.quantiles, core.values(number))}

    def __getitem__(self, quantile: Number) -> Value:
        if type(quantile) is Fraction and quantile in self._values:
            return self._values[quantile]
        wanted = self._fraction(quantile)
        if wanted is None or wanted not in self._values:
            raise KeyError(f"{quantile} was not released; these were: {', '.join(map(str, self._values))}")
        return self._values[wanted]

    @staticmethod
    def _fraction(quantile: Any) -> Fraction | None:
        """None for a text that is no number: no quantile, as in any mapping."""
        if quantile == "median":
            return Fraction(1, 2)
        try:
            return _numbers.fraction(quantile, "quantile")
        except UsageError:
            if isinstance(quantile, str):
                return None
            raise

    def __iter__(self) -> Iterator[Fraction]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Group({self.key!r}, {{{', '.join(f'{q}: {v}' for q, v in self._values.items())}}})"

    @property
    def column(self) -> str:
        """The column that was published."""
        return self._release.column

    @property
    def intervals(self) -> dict[Fraction, Interval]:
        """The intervals of a release that was asked for them; otherwise empty."""
        core = self._release._core
        ends = [
            Interval(_value(core.kind, lower), _value(core.kind, upper), or_below, or_above)
            for lower, upper, or_below, or_above in core.intervals(self._number)
        ]
        return dict(zip(self._values, ends))

    @property
    def statistics(self) -> Statistics | None:
        """What `count`, `below` and `mean` asked for; None where they were not."""
        core = self._release._core
        raw = self._release._statistics_of(self._number)
        if raw is None:
            return None
        count, below, mean = raw

        def ratio(kind: str, parts: tuple[Any, ...]) -> Ratio:
            value, lower, upper = (None if part is None else _value(kind, part) for part in parts)
            assert lower is not None and upper is not None
            return Ratio(value, lower, upper)

        return Statistics(
            Count(*count),
            {_value(core.kind, at): Below(Count(*number), ratio("number", share)) for at, number, share in below},
            None if mean is None else ratio(core.kind, mean),
        )

    @property
    def rank_errors(self) -> dict[Fraction, int | None]:
        """By how many records that count a value misses its quantile at most, with probability 0.95; None where no bound is known."""
        return dict(zip(self._values, self._release.details.rank_errors(self._number)))

    @property
    def mechanism(self) -> str:
        """What ran."""
        return self._release._core.mechanism(self._number)

    @property
    def reason(self) -> str:
        """Why "auto" chose it; empty where it was asked for."""
        return self._release._core.reason(self._number)

    @property
    def spent(self) -> list[Spent]:
        """The cost, part by part; of several groups, in each."""
        return [Spent(*part) for part in self._release._core.spent(self._number)]


class Release(Mapping[Any, Any]):
    """Published quantiles: one column's, or one per group. It holds nothing that was not paid for.

    A mapping from quantiles to exact values, or from keys to groups: `r[0.5]`, `g["north"][0.5]`. `receipt` is what
    `fractile release --receipt` writes, byte for byte. It can be copied and pickled.
    """

    def __init__(self, core: _core.Release, released: _core.Released | None = None, ledger: str = "") -> None:
        self._core = core
        self._groups: dict[Key, Group] | None = None
        self._account = released.account if released is not None else None
        self._stored = released is not None and released.stored
        self._is_new = released is not None
        self._ledger = ledger

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.receipt, self._stored, self._is_new, self._ledger)

    # --- What was published -------------------------------------------------------------------------------------------

    @property
    def receipt(self) -> str:
        """The receipt: JSON, as docs/receipt.md describes it. Composed when it is first asked for."""
        return self.details.receipt

    @property
    def details(self) -> _core.Release:
        """All that the receipt says."""
        if not self._core.receipt:
            self._core = self._core.with_receipt()
        return self._core

    @property
    def _all(self) -> dict[Key, Group]:
        if self._groups is None:
            keys = self._core.keys or [""]
            self._groups = {key: self._group(key, number) for number, key in enumerate(keys)}
        return self._groups

    def _group(self, key: Key, number: int) -> Group:
        return Group(key, number, self)

    def _statistics_of(self, number: int) -> Any:
        return self._core.statistics(number)

    @property
    def kind(self) -> str:
        """What the values are: "number", "date", "timestamp" (a datetime without a zone) or "instant" (one in UTC)."""
        return self._core.kind

    @property
    def is_grouped(self) -> bool:
        """Whether it maps keys to groups, and not quantiles to values."""
        return bool(self._core.keys)

    @property
    def column(self) -> str:
        """The column that was published."""
        return self._core.column

    @property
    def quantiles(self) -> dict[Fraction, Value]:
        """Quantiles and values of a release without groups."""
        return dict(self._only._values)

    @property
    def _only(self) -> Group:
        if self.is_grouped:
            raise UsageError(f"there are several groups: {self._some_keys}", "name one of them, g[key]", "key")
        return next(iter(self._all.values()))

    @property
    def _some_keys(self) -> str:
        return ", ".join(key if isinstance(key, str) else repr(key) for key in self._core.keys[:20])

    @property
    def _mapping(self) -> Mapping[Any, Any]:
        return self._all if self.is_grouped else self._only

    @overload
    def __getitem__(self, which: Key) -> Group: ...
    @overload
    def __getitem__(self, which: float | Fraction | Decimal) -> Value: ...
    def __getitem__(self, which: Any) -> Group | Value:
        if not self.is_grouped:
            return self._only[which]
        if which not in self._all:
            raise KeyError(f"{which!r} is no key of a group; the keys are: {self._some_keys}")
        return self._all[which]

    def __len__(self) -> int:
        return len(self._mapping)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._mapping)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.receipt == other.receipt

    def __hash__(self) -> int:
        return hash(self.receipt)

    # --- What is known of it; of groups, each says it of itself ---------------------------------------------------------

    @property
    def has_intervals(self) -> bool:
        """Whether it was asked for intervals."""
        return self._core.interval_level is not None

    @property
    def intervals(self) -> dict[Fraction, Interval]:
        """The intervals of a release without groups that was asked for them; otherwise empty."""
        return self._only.intervals

    @property
    def statistics(self) -> Statistics | None:
        """As those of a group, of a release without groups."""
        return self._only.statistics

    @property
    def rank_errors(self) -> dict[Fraction, int | None]:
        """As those of a group, of a release without groups."""
        return self._only.rank_errors

    @property
    def cost(self) -> str:
        """The cost of all groups together."""
        return self._core.cost

    @property
    def mechanism(self) -> str:
        """What ran, of a release without groups."""
        return self._only.mechanism

    @property
    def spent(self) -> list[Spent]:
        """The cost, part by part, of a release without groups."""
        return self._only.spent

    @property
    def charge(self) -> Charge | None:
        """The entry of a ledger that paid; None when none did."""
        return None if self._core.charge is None else Charge(*self._core.charge)

    @property
    def from_ledger(self) -> bool:
        """Whether the ledger held this release already, so that nothing was read or spent."""
        return self._stored

    def compare(self, first: Number, second: Number) -> list[Comparison]:
        """Differences and ratios of two groups (their keys) or of two quantiles, with intervals, for no further budget.

        With several key columns two keys of one of them are compared in all groups that have the same keys otherwise.

        For dates and times there are only differences, as timedeltas.

        Raises:
            UsageError: without intervals, and for what was not released.
        """

        def estimate(parts: tuple[Any, ...]) -> Estimate:
            value, lower, upper = (
                _numbers.decimal(part) if self.kind == "number" else _times.difference(self.kind, int(part)) for part in parts[:3]
            )
            return Estimate(value, Interval(lower, upper, *parts[3:]))

        names = [_numbers.word(name, "compare") for name in (first, second)]
        return [
            Comparison(key, quantile, against, estimate(difference), None if ratio is None else estimate(ratio))
            for key, quantile, against, difference, ratio in _core.comparisons(self._core, *names)
        ]

    # --- How it is shown ----------------------------------------------------------------------------------------------

    def explain(self, format: str = "text", compare: Sequence[Number] | None = None, *, guess: str | None = None) -> str:
        """The receipt in plain words: "text" or "markdown".

        With `guess`, such as "above:30000", also how often an attacker's guess is right whether a person's value is above that.
        """
        return _core.explain(self.details, _in_markdown(format), _pair(compare), _guess(guess))

    def to_html(
        self,
        *,
        about: Mapping[str, str] | None = None,
        public: bool = False,
        compare: Sequence[Number] | None = None,
        guess: str | None = None,
    ) -> str:
        """The page of `fractile explain --format html`: one file, which holds the receipt unless it is `public`. `guess` as in `explain`."""
        return self._page(about, public, compare, guess)[0]

    def figures(
        self, *, about: Mapping[str, str] | None = None, public: bool = False, compare: Sequence[Number] | None = None
    ) -> dict[str, str]:
        """The page's figures as SVG, and their tables as CSV, by the names of their files."""
        return self._page(about, public, compare, None)[1]

    def to_registry(self, about: Mapping[str, str]) -> str:
        """A record for the public registry of deployments of differential privacy, as YAML."""
        return _core.registry(self.details, _words.texts(about, "about"))

    def to_csv(self, *, compare: Sequence[Number] | None = None) -> str:
        """A line a value, as `fractile release --format csv` prints it; with `compare` its differences and ratios."""
        return _core.to_csv(self._core, _pair(compare))

    def _page(
        self, about: Mapping[str, str] | None, public: bool, compare: Sequence[Number] | None, guess: str | None
    ) -> tuple[str, dict[str, str]]:
        return _core.page(self.details, _words.texts(about, "about"), _words.flag(public, "public"), _pair(compare), self._account, _guess(guess))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the receipt durably, or for a name that ends with .html the page; never replaces a file."""
        _save(self, path)

    def to_pandas(self) -> Any:
        """A Series indexed by quantile, as Series.quantile gives; with intervals a DataFrame; of groups a DataFrame with one row per key.

        Values are floats, or ints when all are whole; dates and times are Timestamps. Exact ones: `quantiles`.
        """
        import pandas as pd

        if self.is_grouped and self.kind != "number":
            quantiles = list(next(iter(self._all.values())))
            frame = pd.DataFrame(
                {float(q): self._plain([group[q] for group in self._all.values()]) for q in quantiles},
                index=self._index(),
            )
            return frame.rename_axis(columns="quantile")
        if self.is_grouped:
            frame = pd.DataFrame(
                [_plain(group.values()) for group in self._all.values()],
                index=self._index(),
                columns=[float(q) for q in next(iter(self._all.values()))],
            )
            return frame.rename_axis(columns="quantile")
        index = pd.Index([float(q) for q in self._only], name="quantile", dtype="float64")
        if not self.has_intervals:
            return pd.Series(self._plain(self._only.values()), index=index, name=self.column)
        intervals = self.intervals.values()
        return pd.DataFrame(
            {
                "value": self._plain(self._only.values()),
                "lower": self._plain(i.lower for i in intervals),
                "upper": self._plain(i.upper for i in intervals),
            },
            index=index,
        )

    def _index(self) -> Any:
        """The keys of groups, for pandas: of several columns a MultiIndex."""
        import pandas as pd

        if len(self._core.by) > 1:
            return pd.MultiIndex.from_tuples(self._core.keys, names=self._core.by)
        return pd.Index(self._core.keys, name=next(iter(self._core.by), ""))

    def _plain(self, values: Iterable[Any]) -> Any:
        """For a column of pandas."""
        return _plain(values) if self.kind == "number" else _times.plain(list(values), self.kind)

    def to_dict(self) -> dict[Any, Any]:
        """Plain values by quantile, both floats or ints; dates and times stay. With groups, a dict for each key. `quantiles` has the exact
        values."""
        plain = {key: dict(zip(map(float, group), self._native(group.values()))) for key, group in self._all.items()}
        return plain if self.is_grouped else next(iter(plain.values()))

    def _native(self, values: Iterable[Any]) -> list[Any]:
        return _plain(values) if self.kind == "number" else list(values)

    def to_polars(self) -> Any:
        """A DataFrame of polars with the columns of to_arrow(); numbers are the nearest doubles, times have microseconds."""
        import polars as pl

        types: dict[str, Any] = {
            "number": pl.Float64,
            "date": pl.Date,
            "timestamp": pl.Datetime("us"),
            "instant": pl.Datetime("us", "UTC"),
        }
        columns = self._columns()
        typed = {name: types[self.kind] if name in ("value", "lower", "upper") else pl.String for name in columns}
        if self.kind == "number":
            columns = {
                name: values if typed[name] == pl.String else [float(each) for each in values]
                for name, values in columns.items()
            }
        return pl.DataFrame(columns, schema=typed)

    def to_arrow(self) -> Any:
        """A pyarrow.Table with one row per value: key (of groups), quantile as a fraction, value and, with intervals, lower and upper.

        With several key columns there is one for each in place of `key`, by its name, as `to_csv` has them.

        Values are decimals, exactly; dates are date32, times timestamps in microseconds.
        """
        import pyarrow as pa

        return pa.table(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        """The columns of frames with one row per value."""
        rows = [(key, quantile, value) for key, group in self._all.items() for quantile, value in group.items()]
        columns: dict[str, Any] = {}
        names = self._key_names(("quantile", "value", "lower", "upper")) if self.is_grouped else []
        for number, name in enumerate(names):
            columns[name] = [key if isinstance(key, str) else key[number] for key, _, _ in rows]
        columns["quantile"] = [str(quantile) for _, quantile, _ in rows]
        columns["value"] = [value for _, _, value in rows]
        if self.has_intervals:
            intervals = [interval for group in self._all.values() for interval in group.intervals.values()]
            columns["lower"] = [interval.lower for interval in intervals]
            columns["upper"] = [interval.upper for interval in intervals]
        return columns

    def _key_names(self, others: Sequence[str]) -> list[str]:
        """What the columns of keys are called beside others."""
        if len(self._core.by) < 2:
            return ["key"]
        return [f"key.{name}" if name in others else name for name in self._core.by]

    def plot(self, ax: Any = None) -> Any:
        """Values against quantiles on matplotlib axes, which are returned; one line per group, and intervals as bars."""
        import matplotlib.pyplot as plt  # pyright: ignore[reportMissingImports]

        axes = ax if ax is not None else plt.gca()
        for key, group in self._all.items():
            label = (key if isinstance(key, str) else ", ".join(key)) or None
            shares, values = [float(q) for q in group], [self._drawn_at(v) for v in group.values()]
            intervals = group.intervals.values()
            if intervals:
                bars = [
                    [v - self._drawn_at(i.lower) for v, i in zip(values, intervals)],
                    [self._drawn_at(i.upper) - v for v, i in zip(values, intervals)],
                ]
                axes.errorbar(shares, values, yerr=bars, marker="o", capsize=3, label=label)
            else:
                axes.plot(shares, values, marker="o", label=label)
        axes.set(xlabel="quantile", ylabel=self.column)
        if self.is_grouped:
            axes.legend(title=", ".join(self._core.by))
        return axes

    def _drawn_at(self, value: Any) -> Any:
        return float(value) if self.kind == "number" else value

    def __repr__(self) -> str:
        return _core.to_table(self._core).rstrip("\n")

    def _repr_html_(self) -> str:
        note = _notebook.unpaid("release") if self._is_new and not self._ledger else ""
        return note + _notebook.in_frame(self.to_html(), "The release", repr(self))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Release:
        """A receipt, or a page that holds one, from a file. A receipt that was changed since it was written is refused.

        Raises:
            DataError: when there is no such file, or no whole receipt in it.
        """
        return cls.from_text(_receipt_in(path), _words.path(path, "path"))

    @classmethod
    def from_text(cls, text: str, name: str = "the receipt") -> Release:
        """Reads the text of such a file. Warns of a page that does not show what its receipt says."""
        read = _core.read_receipt(_without_page(text), name)
        _warn_of_altered(_core.altered_parts(text, read))
        return cls(read)


def _in_markdown(format: str) -> bool:
    if format not in ("text", "markdown"):
        raise UsageError(f"format: '{format}' is not known", 'choose "text" or "markdown"', "format")
    return format == "markdown"


def _save(published: Any, path: str | os.PathLike[str]) -> None:
    """The receipt, or the page, which holds it."""
    name = _words.path(path, "path")
    _core.write_durably(name, published.to_html() if name.endswith(".html") else published.receipt)


def _without_page(text: str) -> str:
    """The receipt in a page; any other text as it is."""
    return _core.receipt_of_page(text) if text.startswith("<!DOCTYPE html>") else text


def _warn_of_altered(parts: Sequence[str]) -> None:
    """Says where a page is not what is made of its receipt."""
    if parts:
        more = f" and in {len(parts) - 1} more of its parts" if len(parts) > 1 else ""
        warn(
            f"the page does not show what its receipt says, in '{parts[0]}'{more}: it was altered, saved in another form, or made "
            "by another version; what is read is the receipt"
        )


def _receipt_in(path: str | os.PathLike[str]) -> str:
    """The text of a file that save() has written."""
    name = _words.path(path, "path")
    try:
        return Path(name).read_text(encoding="utf-8", errors="strict")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    # Out here, so that what is raised has nothing of the file as its context.
    raise DataError(f"the receipt '{name}' cannot be read: {reason}", "name a file that save() has written")


def _restored(receipt: str, stored: bool, is_new: bool, ledger: str) -> Release:
    release = Release.from_text(receipt)
    release._stored, release._is_new, release._ledger = stored, is_new, ledger
    return release


def _plain(values: Iterable[Any]) -> list[int] | list[float]:
    """For tables: whole numbers as int, others as the nearest float."""
    listed = list(values)
    if all(value == int(value) for value in listed):
        return [int(value) for value in listed]
    return [float(value) for value in listed]


def _pair(compare: Sequence[Number] | None) -> tuple[str, str] | None:
    return None if compare is None else _words.compared(compare)


def _guess(guess: str | None) -> str:
    return "" if guess is None else _words.text(guess, "guess")


@suggesting
def release(
    data: Any = None,
    column: str | None = None,
    *,
    counts: str | os.PathLike[str] | None = None,
    postgres: str | None = None,
    quantiles: Quantiles | Iterable[Number] | None = None,
    synthetic_rows: int | None = None,
    bounds: tuple[Bound, Bound] | str | None = None,
    step: Step | None = None,
    bounds_budget: Number | None = None,
    candidates: Iterable[Bound] | None = None,
    by: str | Sequence[str] | None = None,
    keys: Keys | None = None,
    keys_file: str | os.PathLike[str] | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    neighbors: Neighbors | None = None,
    records_per_person: int | None = None,
    person: str | None = None,
    per_person: PerPerson | None = None,
    weight_stability: int | None = None,
    public_rows: bool = False,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    again: bool = False,
    source: str | None = None,
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
    below: Iterable[Bound] | None = None,
    mean: bool = False,
    count_budget: Number | None = None,
    null: Null | None = None,
    missing: Iterable[str | float] | None = None,
    unreadable: Unreadable | None = None,
    sql: str | None = None,
    sql_stability: int | None = None,
    table: Mapping[str, str | os.PathLike[str]] | None = None,
    input_format: InputFormat | None = None,
    delimiter: str | None = None,
    single_line_records: bool = False,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    duckdb: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory: str | None = None,
    receipt: str | os.PathLike[str] | None = None,
    unsafe_seed: int | None = None,
    cancel: Event | None = None,
) -> Release:
    """Publishes quantiles of a column with differential privacy.

    The arguments are the options of the program `fractile release`, which `fractile release --help` describes; they mean the same
    and have the same defaults, and one seed gives one receipt.

    Args:
        data: a column or a frame (pandas, polars, pyarrow, duckdb, whatever speaks Arrow; numpy, array, memoryview), or the path of
            a CSV, TSV, Parquet or JSON file; a folder, a pattern ("2024-*.csv") and a list of pathlib.Path are one table in several
            files. It is not copied, and of a frame only the named columns are read.
        column: the column to publish; of a frame of one column, and of a column, it may be left out.
        counts: in place of data, a profile file that `count` or `merge` wrote; column, bounds and groups are the file's.
        postgres: in place of data, the address of a PostgreSQL database, "postgres://user@host/database"; `sql` reads one of its tables.
        bounds: the smallest and the largest possible value, known without looking at the data; or "auto", to pay for finding them.
            Numbers, or dates or datetimes (without a zone, or with one): the values come back as such.
        step: the distance between possible values; of dates and times a timedelta, or a str: "1d", "15min".
        by, keys: the columns of groups, and their keys, which are public and never come from the data: by="region", keys=["n", "s"]; of
            several columns by=["region", "sex"] and keys={"region": ["n", "s"], "sex": ["f", "m"]}, for all combinations, or the groups
            themselves, [("n", "f"), ("s", "m")] or a frame with these columns.
        weight, weight_bounds, weight_step: the column of weights, as surveys have them, the smallest and the largest weight, and the
            distance between weights: a record of weight w counts as w / weight_step records.
        epsilon, rho, delta: the budget; it has no default. "ln 3" is a number, too.
        person, per_person: the column that identifies the person, and what of that person's records counts: `per_person="sum"` is one
            value each, with `by` one in each group (then `records_per_person` says in how many groups a person may count). Without
            `per_person` at most `records_per_person` of their records, chosen at random.
        count, below, mean: beside the quantiles, how many records count, how many and which share lie below each of these values, and the
            mean: `r.statistics`. They have 1/10 of the budget together, with the mean 1/5, or `count_budget`.
        cancel: an event, such as a threading.Event. Once another thread sets it, the release ends where it reads records or waits for a
            ledger.

    Returns:
        The release: `r[0.5]`, `r.quantiles`, `r.receipt`, and of groups `g["north"]`, or of several columns `g["north", "f"]`.

    Raises:
        UsageError: an argument is wrong; nothing was read.
        DataError: the frame, file, table or a cell is unusable.
        BudgetError: the ledger refuses; nothing was spent.
        LedgerError: the ledger is unusable.
        CanceledError: `cancel` was set.
    """
    words = _words.words({name: value for name, value in locals().items() if name not in ("data", "keys", "cancel")})
    require_event(cancel)
    groups = _words.groups(by, keys)
    frame = None
    files: list[str] = []
    if _frames.names_files(data):
        files = _frames.paths_of(data)
    elif data is not None:
        others = [name for name in (person, *groups.by) if name]
        frame, words["column"] = _framed(data, column, others, words, weight)
    elif not table and counts is None and postgres is None:
        raise UsageError("data is missing", "give a column, a frame or the path of a file", "data")
    if counts is not None and frame is not None:
        raise UsageError("counts stands instead of data", "give one or the other", "counts")
    if frame is None and counts is None:
        _words.bring_engine()
    return _released(words, files, groups, frame, cancel=cancel)


def _released(
    words: _words.Words,
    files: list[str],
    groups: _words.Groups,
    frame: _core.Frame | None,
    counter: Any = None,
    cancel: Event | None = None,
) -> Release:
    """`counter` counts the records that a frame does not have."""
    released = _core.release(words, files, groups.lists, groups.tuples, frame, counter, cancel)
    made = Release(released.release, released, *words.get("ledger", []))
    warn_of(made, released.warnings)
    return made


def _framed(
    data: Any, column: str | None, others: list[str], words: dict[str, list[str]], weight: str | None = None
) -> tuple[_core.Frame, list[str]]:
    frame, name = _frames.frame_of(data, column or "", others, _asked_of(words), weight)
    return frame, [name]


def _asked_of(words: dict[str, list[str]]) -> _frames.Asked:
    """What decides how cells are read. No cell decides whether a paid release comes about: what cannot be read is missing there."""
    bounds = words.get("bounds", [])
    possible = bounds or words.get("candidates", [""])[0].split(",")
    try:
        exact = len(bounds) != 2 or _frames.are_doubles_exact(*map(Fraction, bounds))
    except ValueError:  # which the library explains
        exact = True
    unreadable = words.get("unreadable", ["missing" if "ledger" in words else "error"]) == ["missing"]
    texts = frozenset(words["missing"][0].split(",")) if "missing" in words else frozenset[str]()
    any_cells = words.get("per_person") == ["count"]
    return _frames.Asked(_times.kind_of(possible[0]), exact, words.get("null") != ["error"], unreadable, texts, any_cells)
