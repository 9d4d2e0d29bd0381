"""Releases: the function `release`, and what it returns."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _core, _frames, _notebook, _numbers, _times, _words
from ._arguments import Event, require_event, suggesting
from ._choices import Base, InputFormat, Mechanism, Neighbors, Null, Of, PerPerson, Quantiles, Rates, Unreadable
from ._errors import DataError, UsageError, warn, warn_of
from ._members import Unchanging, documented
from ._numbers import Number

if TYPE_CHECKING:
    from ._ledger import Ledger

#: An exact value: a Decimal, or a Fraction if its decimal expansion does not end; a date or datetime if the bounds are dates or times.
Value = Union[Decimal, Fraction, dt.date]
#: A possible value: a number, a date, or a datetime with or without a zone; each may also be a str.
Bound = Union[Number, dt.date]
#: The distance of possible values: a number; for dates and times a timedelta, or a str such as "1d".
Step = Union[Number, dt.timedelta]
#: The keys of groups: a list for one column; for several columns a list for each, or the groups as tuples or as a frame.
Keys = Union[Iterable[str], Mapping[str, Iterable[str]], Iterable[Sequence[str]], Any]
#: The key of a group: a str; with several key columns, a tuple of str.
Key = Union[str, tuple[str, ...]]


@documented
class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        lower: the lower end.
        upper: the upper end.
        or_below: whether the lower end is the lower bound of the possible values, and the quantile may lie below it.
        or_above: whether the upper end is the upper bound of the possible values, and the quantile may lie above it.
    """

    lower: Value | dt.timedelta
    upper: Value | dt.timedelta
    or_below: bool = False
    or_above: bool = False


@documented
class Estimate(NamedTuple):
    """A difference or a ratio, with its interval.

    Attributes:
        value: the difference or ratio of the released values. The difference of dates or times is a timedelta.
        interval: the interval for the difference or ratio of the true quantiles.
    """

    value: Value | dt.timedelta
    interval: Interval


@documented
class Comparison(NamedTuple):
    """A comparison of two quantiles, or of one quantile in two groups.

    Attributes:
        key: the key of the group; "" without groups. It is the second of two keys that were given to `compare`.
        quantile: the quantile that is compared, as the receipt writes it: the second of two quantiles that were given.
        against: what is compared with: the key of the other group, or the other quantile. It is the first one that was given.
        difference: the value of this key and quantile, minus the value of `against`.
        ratio: the value of this key and quantile, divided by the value of `against`; None if this is not defined.
    """

    key: Key
    quantile: str
    against: str
    difference: Estimate
    ratio: Estimate | None


@documented
class Spent(NamedTuple):
    """The cost of a part of a release.

    Attributes:
        part: the part: "quantiles", "rows", "counts" and so on.
        amount: its epsilon or rho, exactly.
    """

    part: str
    amount: str


@documented
class Count(NamedTuple):
    """A released number of records. With weights, it is their total weight, exactly.

    Attributes:
        value: the number as it was drawn; it may be negative if there are few records.
        lower: the lower end of the interval for the table's number.
        upper: the upper end of this interval.
    """

    value: int | Fraction
    lower: int | Fraction
    upper: int | Fraction

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, (numbers.Real, Decimal)):  # numpy's numbers are of these, too
            return False
        value: Any = number
        return bool(self.lower <= value <= self.upper)


@documented
class Ratio(NamedTuple):
    """A share of the records, or their mean.

    Attributes:
        value: the released share or mean; None if the released count is not positive.
        lower: the lower end of the interval for the table's share or mean.
        upper: the upper end of this interval.
    """

    value: Value | None
    lower: Value
    upper: Value


@dataclass(frozen=True)
class Below:
    """How many records lie below a value.

    Attributes:
        count: the number of these records.
        share: their share of all records.
    """

    count: Count
    share: Ratio


@dataclass(frozen=True)
class Statistics:
    """Counts, shares and mean of a group or of a whole column. Each interval has the release's level by itself.

    Attributes:
        count: the number of records that count.
        below: for each requested value, how many of these records lie below it.
        mean: the mean of the values at which records count; None if it was not asked for.
    """

    count: Count
    below: dict[Union[Value, int], Below]
    mean: Ratio | None


@documented
class Charge(NamedTuple):
    """The entry of a ledger that paid for a release.

    Attributes:
        dataset: the dataset whose budget paid; empty in older receipts, which do not say it.
        entry: the number of the entry.
    """

    dataset: str
    entry: int


def _value(kind: str, value: Fraction) -> Value:
    return _numbers.decimal(value) if kind == "number" else _times.of_ticks(kind, int(value))


class Group(Mapping[Fraction, Value]):
    """The quantiles of one group, or of a whole column: a mapping from quantiles to exact values, with their intervals and errors."""

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
        """The quantile as a fraction; None for a text that is not a number, so that the mapping has no such key."""
        if isinstance(quantile, str) and quantile == "median":
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
        """The intervals by quantile; empty if the release was not asked for intervals."""
        core = self._release._core
        ends = [
            Interval(_value(core.kind, lower), _value(core.kind, upper), or_below, or_above)
            for lower, upper, or_below, or_above in core.intervals(self._number)
        ]
        return dict(zip(self._values, ends))

    @property
    def statistics(self) -> Statistics | None:
        """The results of `count`, `below` and `mean`; None if none of them was asked for."""
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
        """For each quantile, by how many records its value misses it at most, with probability at least 0.95; None if no bound is known."""
        return dict(zip(self._values, self._release.details.rank_errors(self._number)))

    @property
    def mechanism(self) -> str:
        """The mechanism that ran."""
        return self._release._core.mechanism(self._number)

    @property
    def reason(self) -> str:
        """Why "auto" chose this mechanism; empty if the mechanism was named."""
        return self._release._core.reason(self._number)

    @property
    def spent(self) -> list[Spent]:
        """The cost, part by part; with several groups, the cost in each group."""
        return [Spent(*part) for part in self._release._core.spent(self._number)]


class Release(Unchanging, Mapping[Any, Any]):
    """Published quantiles of a column, or of each group. A release holds nothing that was not paid for.

    A mapping from quantiles to exact values, or from keys to groups: `r[0.5]`, `g["north"][0.5]`. `receipt` is the receipt that
    `fractile release --receipt` writes, byte for byte. A release can be copied and pickled. A page that is made after pickling or reading
    lacks the ledger's balance, which the receipt does not hold.
    """

    def __init__(self, core: _core.Release, released: _core.Released | None = None, is_paid: bool = False) -> None:
        self._core = core
        self._groups: dict[Key, Group] | None = None
        self._account = released.account if released is not None else None
        self._stored = released is not None and released.stored
        self._is_new = released is not None
        self._is_paid = is_paid  # not from which ledger: an address may hold a password, and a pickle goes to others

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.receipt, self._stored, self._is_new, self._is_paid)

    # --- What was published -------------------------------------------------------------------------------------------

    @property
    def receipt(self) -> str:
        """The receipt: JSON, as docs/receipt.md describes it. It is composed on first use."""
        return self.details.receipt

    @property
    def details(self) -> _core.Release:
        """Everything that the receipt says."""
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
        """The kind of the values: "number", "date", "timestamp" (a datetime without a zone) or "instant" (a datetime in UTC)."""
        return self._core.kind

    @property
    def is_grouped(self) -> bool:
        """Whether the release maps keys to groups, rather than quantiles to values."""
        return bool(self._core.keys)

    @property
    def column(self) -> str:
        """The column that was published."""
        return self._core.column

    @property
    def quantiles(self) -> dict[Fraction, Value]:
        """The values by quantile, in a release without groups."""
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

    # A text is the key of a group, or a quantile such as "median" or "1/2": only the release itself knows which.
    @overload
    def __getitem__(self, which: str) -> Any: ...
    @overload
    def __getitem__(self, which: tuple[str, ...]) -> Group: ...
    @overload
    def __getitem__(self, which: float | Fraction | Decimal) -> Value: ...
    def __getitem__(self, which: Any) -> Any:
        if not self.is_grouped:
            return self._only[which]
        if not isinstance(which, (str, tuple)) or which not in self._all:
            keys = ", ".join(map(repr, self._core.keys[:20]))  # in quotes: a key that was a number is a text
            raise KeyError(f"{_shown(which)} is not the key of a group; the keys are: {keys}")
        return self._all[which]

    def __len__(self) -> int:
        return len(self._mapping)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._mapping)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.receipt == other.receipt

    def __hash__(self) -> int:
        return hash(self.receipt)

    # --- Intervals, errors and costs; with groups, ask each group -------------------------------------------------------

    @property
    def has_intervals(self) -> bool:
        """Whether the release was asked for intervals."""
        return self._core.interval_level is not None

    @property
    def intervals(self) -> dict[Fraction, Interval]:
        """The intervals by quantile, in a release without groups; empty if the release was not asked for intervals."""
        return self._only.intervals

    @property
    def statistics(self) -> Statistics | None:
        """Group.statistics, for a release without groups."""
        return self._only.statistics

    @property
    def rank_errors(self) -> dict[Fraction, int | None]:
        """Group.rank_errors, for a release without groups."""
        return self._only.rank_errors

    @property
    def cost(self) -> str:
        """The cost of all groups together."""
        return self._core.cost

    @property
    def mechanism(self) -> str:
        """The mechanism that ran, in a release without groups."""
        return self._only.mechanism

    @property
    def spent(self) -> list[Spent]:
        """The cost, part by part, in a release without groups."""
        return self._only.spent

    @property
    def charge(self) -> Charge | None:
        """The ledger's entry that paid; None if no ledger paid."""
        return None if self._core.charge is None else Charge(*self._core.charge)

    @property
    def from_ledger(self) -> bool:
        """Whether the ledger already held this release; then nothing was read or spent."""
        return self._stored

    def compare(self, first: Number, second: Number) -> list[Comparison]:
        """Differences and ratios of two groups (by their keys) or of two quantiles, with intervals, at no further cost.

        With several key columns, two keys of one column are compared, in all pairs of groups that differ only in this key.

        Dates and times have only differences, as timedeltas.

        Raises:
            UsageError: the release has no intervals, or no such group or quantile.
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

        With `guess`, such as "above:30000", also how often an attacker guesses correctly whether a person's value is above this limit.
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
        """The CSV that `fractile release --format csv` prints, one line per value; with `compare`, differences and ratios."""
        return _core.to_csv(self._core, _pair(compare))

    def _page(
        self, about: Mapping[str, str] | None, public: bool, compare: Sequence[Number] | None, guess: str | None
    ) -> tuple[str, dict[str, str]]:
        return _core.page(self.details, _words.texts(about, "about"), _words.flag(public, "public"), _pair(compare), self._account, _guess(guess))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the receipt, which is JSON, durably, or the page if the name ends with .html. Never replaces a file. `to_csv()` gives CSV.

        Raises:
            UsageError: the name ends like that of a table, such as .csv.
            DataError: there is a file of this name, or the file cannot be written.
        """
        _save(self, path)

    def to_pandas(self) -> Any:
        """A Series indexed by quantile, as from Series.quantile; with intervals a DataFrame; with groups a DataFrame, one row per key.

        Values are floats, or ints if all are whole; if a value lies beyond the floats, all are exact, as in `quantiles`. Dates and times
        are Timestamps.
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
        """The keys of groups, for pandas: with several key columns, a MultiIndex."""
        import pandas as pd

        if len(self._core.by) > 1:
            return pd.MultiIndex.from_tuples(self._core.keys, names=self._core.by)
        return pd.Index(self._core.keys, name=next(iter(self._core.by), ""))

    def _plain(self, values: Iterable[Any]) -> Any:
        """Values for a column of pandas."""
        return _plain(values) if self.kind == "number" else _times.plain(list(values), self.kind)

    def to_dict(self) -> dict[Any, Any]:
        """Values by quantile, as floats or ints, or exact if one lies beyond the floats; dates and times stay. With groups, a dict for each
        key. `quantiles` has the exact values."""
        plain = {key: dict(zip(map(float, group), self._native(group.values()))) for key, group in self._all.items()}
        return plain if self.is_grouped else next(iter(plain.values()))

    def _native(self, values: Iterable[Any]) -> list[Any]:
        return _plain(values) if self.kind == "number" else list(values)

    def to_polars(self) -> Any:
        """A DataFrame of polars with the columns of to_arrow(); numbers are the nearest doubles, times have microseconds. If a number lies
        beyond the doubles, all numbers are exact texts."""
        import polars as pl

        columns = self._columns()
        type_of_values = _times.polars_type(self.kind)
        if self.kind == "number":
            doubles = {name: _doubles(columns[name]) for name in self._names_of_values}
            if all(doubles.values()):
                columns |= doubles
            else:
                columns, type_of_values = self._in_texts(columns), pl.String
        return pl.DataFrame(columns, schema={name: type_of_values if name in self._names_of_values else pl.String for name in columns})

    def to_arrow(self) -> Any:
        """A pyarrow.Table with one row per value: key (with groups), quantile as a fraction, value and, with intervals, lower and upper.

        With several key columns, these columns replace `key`, under the names that `to_csv` gives them.

        Values are exact decimals; if a number has more digits than Arrow's decimals (76), all numbers are exact texts. Dates are date32,
        and times are timestamps in microseconds.
        """
        import pyarrow as pa

        columns = self._columns()
        try:
            return pa.table(columns)
        except pa.ArrowException:
            pass
        return pa.table(self._in_texts(columns))

    @property
    def _names_of_values(self) -> tuple[str, ...]:
        """The columns of a frame that hold values."""
        return ("value", "lower", "upper") if self.has_intervals else ("value",)

    def _in_texts(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The columns with texts in place of values: decimals without an exponent, or fractions."""

        def text(value: Any) -> str:
            return f"{value:f}" if isinstance(value, Decimal) else str(value)

        return columns | {name: [text(value) for value in columns[name]] for name in self._names_of_values}

    def _columns(self) -> dict[str, list[Any]]:
        """The columns of a frame with one row per value."""
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
        """The names of the columns of keys, which differ from `others`."""
        return ["key"] if len(self._core.by) < 2 else _key_names(self._core.by, others)

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
        note = _notebook.unpaid("release") if self._is_new and not self._is_paid else ""
        return note + _notebook.in_frame(self.to_html(), "The release", repr(self))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Release:
        """Reads a receipt, or a page that holds a receipt, from a file. Refuses a receipt that was changed after it was written.

        Raises:
            DataError: there is no such file, or it holds no whole receipt.
        """
        return cls.from_text(_receipt_in(path), _words.path(path, "path"))

    @classmethod
    def from_text(cls, text: str, name: str = "the receipt") -> Release:
        """Reads the text of a receipt or page. Warns of a page that does not show what its receipt says."""
        read = _core.read_receipt(_without_page(text), _words.text(name, "name"))
        _warn_of_altered(_core.altered_parts(text, read))
        return cls(read)


def _key_names(by: Sequence[str], others: Sequence[str]) -> list[str]:
    """The names of the columns of keys in a frame: those of `by`, with "key." before a name that is among `others`, as often as it takes
    for all names to differ."""
    names = list(by)
    for place, name in enumerate(by):
        while name in others or name in names[:place] or name in names[place + 1 :]:
            name = f"key.{name}"
        names[place] = name
    return names


def _shown(key: Any) -> str:
    """A key as an error shows it. Anything but texts and numbers may be data, such as a column, and is called by its type."""
    plain = all(isinstance(part, (str, int, float)) for part in (key if isinstance(key, tuple) else (key,)))
    return repr(key) if plain else f"a {type(key).__name__}"


def _in_markdown(format: str) -> bool:
    return _words.choice(format, "format", ("text", "markdown")) == "markdown"


def _save(published: Any, path: str | os.PathLike[str]) -> None:
    """Writes the receipt, or the page, which holds the receipt."""
    name = _words.path(path, "path")
    suffix = Path(name).suffix.lower()
    if suffix in (".csv", ".tsv", ".parquet", ".xlsx"):
        raise UsageError(
            f"path: save() writes the receipt or the page, and no '{suffix}'",
            'name the receipt "r.json" or the page "r.html"; to_csv() and to_pandas() give tables',
            "path",
        )
    _core.write_durably(name, published.to_html() if suffix in (".html", ".htm") else published.receipt)


def _without_page(text: str) -> str:
    """The receipt in a page; any other text unchanged."""
    _words.text(text, "text")
    return _core.receipt_of_page(text) if text.startswith("<!DOCTYPE html>") else text


def _warn_of_altered(parts: Sequence[str]) -> None:
    """Warns of the parts in which a page differs from the page that its receipt makes."""
    if parts:
        more = f" and in {len(parts) - 1} more of its parts" if len(parts) > 1 else ""
        warn(
            f"the page does not show what its receipt says, in '{parts[0]}'{more}: it was altered, saved in another form, or made "
            "by another version; the receipt was read"
        )


def _receipt_in(path: str | os.PathLike[str]) -> str:
    """The text of a file that save() has written."""
    name = _words.path(path, "path")
    most = _core.most_receipt_bytes >> 20
    reason: str | None = f"larger than {most} MiB"
    try:
        with Path(name).open(encoding="utf-8") as file:
            pieces = list(islice(iter(lambda: file.read(1 << 20), ""), most + 1))  # a device may have no end
        if len(pieces) <= most:
            return "".join(pieces)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    # Raised outside of `except`, so that the error's context holds nothing of the file.
    raise DataError(f"the receipt '{name}' cannot be read: {reason}", "name a file that save() wrote")


def _restored(receipt: str, stored: bool, is_new: bool, is_paid: bool) -> Release:
    release = Release.from_text(receipt)
    release._stored, release._is_new, release._is_paid = stored, is_new, bool(is_paid)
    return release


def _plain(values: Iterable[Any]) -> list[Any]:
    """Values for tables: ints if all are whole, and otherwise the nearest floats; exact numbers if one lies beyond the floats."""
    listed = list(values)
    if all(value == int(value) for value in listed):
        return [int(value) for value in listed]
    return _doubles(listed) or listed


def _doubles(values: Sequence[Any]) -> list[float]:
    """The nearest doubles; none if a number lies beyond all doubles."""
    try:
        doubles = [float(value) for value in values]
    except OverflowError:
        return []
    return doubles if all(map(math.isfinite, doubles)) else []


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
    below: Bound | Iterable[Bound] | None = None,
    mean: bool = False,
    count_budget: Number | None = None,
    null: Null | None = None,
    missing: Iterable[Number] | None = None,
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

    The arguments are the options of the program `fractile release`, which `fractile release --help` describes. They have the same meaning
    and the same defaults, and the same seed gives the same receipt.

    Args:
        data: a column or a frame (pandas, polars, pyarrow, duckdb, or anything that exports Arrow; numpy, array, memoryview), or the path
            of a CSV, TSV, Parquet or JSON file. A folder, a pattern ("2024-*.csv") or a list of pathlib.Path is one table in several files.
            Data in memory are not copied, and only the named columns of a frame are read.
        column: the column to publish; not needed for a column or a frame of one column.
        counts: in place of data, a profile file that `count` or `merge` wrote; it decides the column, bounds and groups.
        postgres: in place of data, the address of a PostgreSQL database, "postgres://user@host/database"; `sql` reads one of its tables.
        bounds: the smallest and the largest possible value, known without looking at the data; or "auto", to pay for finding them. They are
            numbers, dates or datetimes (without a zone, or with one), and so are the published values.
        step: the distance between possible values; for dates and times a timedelta, or a str: "1d", "15min".
        by, keys: the columns of groups, and their keys, which are public and never come from the data: by="region", keys=["n", "s"]. For
            several columns, by=["region", "sex"] and keys={"region": ["n", "s"], "sex": ["f", "m"]} for all combinations, or the groups
            themselves: [("n", "f"), ("s", "m")] or a frame with these columns.
        weight, weight_bounds, weight_step: the column of weights, as in surveys, the smallest and the largest weight, and the distance
            between weights. A record of weight w counts as w / weight_step records.
        epsilon, rho, delta: the budget, which has no default. "ln 3" is a number, too.
        person, per_person: the column that identifies the person, and how that person's records count. `per_person="sum"` makes one value
            of them, or with `by` one value in each group; `records_per_person` is then the number of groups in which a person may count.
            Without `per_person`, at most `records_per_person` of a person's records count, chosen at random.
        count, below, mean: also publish how many records count, how many and what share of them lie below each of these values, and the mean,
            in `r.statistics`. Together these take 1/10 of the budget, or 1/5 with the mean; `count_budget` sets another share.
        ledger, dataset, source, again: the ledger that pays, and which of its datasets. A file's release that was made before is given again
            and costs nothing, except with `again=True`. A frame has no name, so its release pays each time, also when a notebook's cell runs
            twice, unless `source="payroll 2026"` says what the frame is.
        cancel: an event, such as a threading.Event. Once another thread sets it, the release ends where it reads records or waits for a
            ledger.

    Returns:
        The release: `r[0.5]`, `r.quantiles`, `r.receipt`. With groups, `g["north"]`, or `g["north", "f"]` for several key columns.

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
    if counts is not None and data is not None:
        raise UsageError("counts takes the place of data", "give one or the other", "counts")
    frame = None
    files: list[str] = []
    if _frames.names_files(data):
        files = _frames.paths_of(data)
    elif data is not None:
        if sql is not None:  # it may make the column, so the frame need not have it
            hint = 'name the file in place of the records, or compute the column there: df.assign(monthly=df["income"] / 12)'
            raise UsageError("sql describes a file, and the records are in memory", hint, "sql")
        others = [name for name in (person, *groups.by) if name]
        frame, name = _frames.frame_of(data, column or "", others, _asked_of(words), weight)
        words["column"] = [name]
    elif not table and counts is None and postgres is None:
        raise UsageError("data is missing", "give a column, a frame or the path of a file", "data")
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
    """Releases. `counter` counts the records if `frame` has only columns."""
    released = _core.release(words, files, groups.lists, groups.tuples, frame, counter, cancel)
    made = Release(released.release, released, "ledger" in words)
    warn_of(made, released.warnings)
    return made


def _asked_of(words: dict[str, list[str]]) -> _frames.Asked:
    """The public facts that decide how cells are read. No cell may end a release that a ledger pays for: an unreadable cell is missing."""
    bounds = words.get("bounds", [])
    possible = bounds or words.get("candidates", [""])[0].split(",")
    try:
        exact = len(bounds) != 2 or _frames.are_doubles_exact(*map(Fraction, bounds))
    except (ValueError, ZeroDivisionError):  # the library will explain it
        exact = True
    unreadable = words.get("unreadable", ["missing" if "ledger" in words else "error"]) == ["missing"]
    texts = frozenset(words["missing"][0].split(",")) if "missing" in words else frozenset[str]()
    any_cells = words.get("per_person") == ["count"]
    return _frames.Asked(_times.kind_of(possible[0]), exact, words.get("null") != ["error"], unreadable, texts, any_cells)
