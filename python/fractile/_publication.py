"""Publications: many tables from one file, under one budget."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _core, _frames, _notebook, _times, _words
from ._arguments import Event, require_event, suggesting
from ._errors import UsageError, warn_of
from ._members import Unchanging
from ._release import Group, Key, Release, Value, _in_markdown, _key_names, _receipt_in, _save, _shown, _warn_of_altered, _without_page

if TYPE_CHECKING:
    from ._ledger import Ledger

_AFTER_KEYS = ("statistic", "quantile", "value", "lower", "upper", "mark")
_VALUES = ("value", "lower", "upper")


class _Row(NamedTuple):
    """A line of the CSV: a value of a cell, as texts. A key is "" if the level is not divided by its column."""

    table: str
    keys: tuple[str, ...]
    statistic: str
    quantile: str
    value: str
    lower: str
    upper: str
    mark: str


class PublishedCell(Group):
    """A group, with the marks of its values."""

    @property
    def marks(self) -> dict[Fraction, str]:
        """The marks of values, by quantile: "unreliable", or "hidden" for values that frames and CSV leave out. The receipt and this cell
        hold the values of hidden cells, too."""
        level = self._release
        assert isinstance(level, PublishedLevel)
        return level._marks_of(self.key)


class PublishedLevel(Release):
    """A level of a table, which is a release: a mapping from keys to cells or, for everyone, from quantiles to values.

    Whatever a level shows by itself (its repr, explain(), frames, CSV and page) has the values of hidden cells, because its receipt has
    them. The frames, CSV, words and pages of the publication leave them out.
    """

    def __init__(self, tables: PublishedTables, number: int) -> None:
        super().__init__(tables._core.release(number))
        self._tables = tables
        self._number = number
        self._account = tables._core.account
        self._table, by, self._stored = tables._core.levels[number]
        self._by = tuple(by)
        self._is_new, self._is_paid = tables._is_new, tables._is_paid

    def __reduce__(self) -> tuple[Any, ...]:
        return PublishedLevel, (self._tables, self._number)

    @overload
    def __getitem__(self, which: str) -> Any: ...
    @overload
    def __getitem__(self, which: tuple[str, ...]) -> PublishedCell: ...
    @overload
    def __getitem__(self, which: float | Fraction | Decimal) -> Value: ...
    def __getitem__(self, which: Any) -> Any:
        return super().__getitem__(which)

    def _group(self, key: Key, number: int) -> Group:
        return PublishedCell(key, number, self)

    def _statistics_of(self, number: int) -> Any:
        """In a margin, the sums of the released numbers of its finest cells."""
        return self._beside[number] if self._beside else None

    @cached_property
    def _beside(self) -> list[Any]:
        return self._tables._core.statistics(self._number)

    def _marks_of(self, key: Key) -> dict[Fraction, str]:
        named = dict(zip(self._by, (key,) if isinstance(key, str) else key))
        return self._tables._marks.get((self._table, tuple(named.get(column, "") for column in self._tables._key_columns)), {})

    @property
    def by(self) -> tuple[str, ...]:
        """The columns by which the level is divided into cells; none for everyone."""
        return self._by

    @property
    def marks(self) -> dict[Fraction, str]:
        """The marks of values, by quantile, in the level of everyone. In other levels each cell has its marks."""
        return self._marks_of(self._only.key)


class _Tidy:
    """Rows of values, as frames."""

    def _tidy(self) -> tuple[list[_Row], tuple[str, ...], dict[str, str]]:
        """Rows, the headings of their keys, and the kind of each table's values."""
        raise NotImplementedError

    def _columns(self) -> tuple[dict[str, list[Any]], str]:
        """Columns by their names, and the kind of the values: "number", "date", "timestamp", "instant", or "text" for several kinds."""
        rows, headings, kinds = self._tidy()
        of_rows = {kinds[row.table] if row.statistic in ("quantile", "mean") else "number" for row in rows}
        kind = of_rows.pop() if len(of_rows) == 1 else "text"
        columns: dict[str, list[Any]] = {"table": [row.table for row in rows]}
        for place, heading in enumerate(headings):
            columns[heading] = [row.keys[place] or None for row in rows]
        for name in _AFTER_KEYS:
            texts = [getattr(row, name) or None for row in rows]
            columns[name] = [None if text is None else _typed(kind, text) for text in texts] if name in _VALUES else texts
        return columns, kind

    def to_pandas(self) -> Any:
        """A DataFrame with one row per value, and the columns of the program's CSV: table, a column for each key column, statistic,
        quantile (as a fraction), value, lower, upper, mark. Values that do not apply are missing.

        Numbers are the nearest doubles; an open end of an interval is infinite. Dates and times are Timestamps; an open end is missing. If
        the tables hold values of several kinds, all values are texts.
        """
        import pandas as pd

        columns, kind = self._columns()
        typed: dict[str, Any] = dict(columns)
        for name in _VALUES:
            if kind == "number":
                typed[name] = [float("nan") if value is None else value for value in columns[name]]
            elif kind != "text":
                typed[name] = _times.plain(columns[name], kind)
        return pd.DataFrame(typed)

    def to_polars(self) -> Any:
        """The rows of to_pandas() as a DataFrame of polars; dates and times are Date and Datetime in microseconds."""
        import polars as pl

        columns, kind = self._columns()
        of_values = _times.polars_type(kind)
        return pl.DataFrame(columns, schema={name: of_values if name in _VALUES else pl.String for name in columns})

    def to_arrow(self) -> Any:
        """The rows of to_pandas() as a pyarrow.Table; dates are date32, times are timestamps in microseconds."""
        import pyarrow as pa

        columns, kind = self._columns()
        types = {
            "number": pa.float64(),
            "date": pa.date32(),
            "timestamp": pa.timestamp("us"),
            "instant": pa.timestamp("us", "UTC"),
            "text": pa.string(),
        }
        return pa.table({name: pa.array(values, types[kind] if name in _VALUES else pa.string()) for name, values in columns.items()})


class PublishedTable(_Tidy, Mapping[tuple[str, ...], PublishedLevel]):
    """A table: a mapping from columns to the level by them, `table["region", "sex"]`, `table["region"]`, `table[()]` for everyone."""

    def __init__(self, tables: PublishedTables, name: str) -> None:
        self._tables = tables
        self.name = name
        self._numbers = {tuple(by): number for number, (table, by, _) in enumerate(tables._core.levels) if table == name}
        self._levels: dict[tuple[str, ...], PublishedLevel] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return PublishedTable, (self._tables, self.name)

    def level(self, *by: str) -> PublishedLevel:
        """The level with cells by these columns, in any order; without columns, the level of everyone.

        Raises:
            KeyError: the level was not published.
        """
        for columns, number in self._numbers.items():
            if all(isinstance(column, str) for column in by) and sorted(columns) == sorted(by):
                if columns not in self._levels:
                    self._levels[columns] = PublishedLevel(self._tables, number)
                return self._levels[columns]
        there = ", ".join(repr(columns) for columns in self._numbers)
        raise KeyError(f"table '{self.name}' has no level {_shown(by)}; it has {there}")

    def __getitem__(self, by: str | tuple[str, ...]) -> PublishedLevel:
        return self.level(*by) if isinstance(by, tuple) else self.level(by)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def column(self) -> str:
        """The column that is published."""
        return self._first.column

    @property
    def by(self) -> tuple[str, ...]:
        """The columns by which the finest level is divided into cells."""
        return next(iter(self._numbers))

    @property
    def from_ledger(self) -> bool:
        """Whether the ledger already held all levels of this table."""
        return all(self._tables._core.levels[number][2] for number in self._numbers.values())

    @property
    def _first(self) -> PublishedLevel:
        return self.level(*self.by)

    def _tidy(self) -> tuple[list[_Row], tuple[str, ...], dict[str, str]]:
        all_rows, headings, _ = self._tables._tidy()
        used = [place for place, column in enumerate(self._tables._key_columns) if column in self.by]
        rows = [row._replace(keys=tuple(row.keys[place] for place in used)) for row in all_rows if row.table == self.name]
        return rows, tuple(headings[place] for place in used), {self.name: self._first.kind}

    def __repr__(self) -> str:
        return f"PublishedTable({self.name!r}, levels: {', '.join(map(repr, self._numbers))})"


class PublishedTables(_Tidy, Unchanging, Mapping[str, PublishedTable]):
    """The published tables: a mapping from names to tables. It holds nothing that was not paid for.

    `p["pay"].level("region", "sex")["north", "f"][0.5]` is an exact value. `receipt` is the receipt that `fractile publish` writes, byte
    for byte. This object can be copied and pickled. A page that is made after pickling or reading lacks the ledger's balance, which the
    receipt does not hold.
    """

    def __init__(self, core: _core.PublishedTables, is_new: bool = False, is_paid: bool = False) -> None:
        self._core = core
        self._is_new = is_new
        self._is_paid = is_paid
        self._key_columns = [column for column, _, _ in core.keys]
        self._all = {name: PublishedTable(self, name) for name in dict.fromkeys(table for table, _, _ in core.levels)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.receipt, self._is_new, self._is_paid)

    def __getitem__(self, name: str) -> PublishedTable:
        if not isinstance(name, str) or name not in self._all:
            raise KeyError(f"there is no table {_shown(name)}; there are {', '.join(map(repr, self._all))}")
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublishedTables) and self.receipt == other.receipt

    def __hash__(self) -> int:
        return hash(self.receipt)

    @property
    def title(self) -> str:
        """The publication's title."""
        return self._core.title

    @property
    def receipt(self) -> str:
        """The receipt: JSON, which holds a receipt for each level."""
        return self._core.receipt

    @property
    def cost(self) -> str:
        """What all tables together cost one person, including the tables that a ledger already held."""
        return self._core.cost

    @property
    def from_ledger(self) -> bool:
        """Whether the ledger already held all tables; then nothing was read or spent."""
        return all(stored for _, _, stored in self._core.levels)

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """The labels that readers see in place of keys, for each column that has labels."""
        return {column: dict(zip(keys, labels)) for column, keys, labels in self._core.keys if labels}

    def explain(self, format: str = "text") -> str:
        """The receipt in plain words: "text" or "markdown"."""
        return self._core.explain(_in_markdown(format))

    def to_html(self, *, about: Mapping[str, str] | None = None, public: bool = False) -> str:
        """The page that `fractile publish` writes: one file, which holds the receipt unless it is `public`."""
        return self._core.page(_words.texts(about, "about"), _words.flag(public, "public"))[0]

    def to_registry(self, about: Mapping[str, str]) -> str:
        """A record of all tables together for the public registry of deployments of differential privacy, as YAML."""
        return self._core.registry(_words.texts(about, "about"))

    def to_csv(self) -> str:
        """The CSV that `fractile publish` writes, one line per value."""
        return self._core.csv()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the receipt, which is JSON, durably, or the page if the name ends with .html. Never replaces a file. `to_csv()` gives CSV.

        Raises:
            UsageError: the name ends like that of a table, such as .csv.
            DataError: there is a file of this name, or the file cannot be written.
        """
        _save(self, path)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> PublishedTables:
        """Reads a receipt, or a page that holds a receipt, from a file. Refuses a receipt that was changed after it was written.

        Raises:
            DataError: there is no such file, or it holds no whole receipt of a publication.
        """
        return cls.from_text(_receipt_in(path), _words.path(path, "path"))

    @classmethod
    def from_text(cls, text: str, name: str = "the receipt") -> PublishedTables:
        """Reads the text of a receipt or page. Warns of a page that does not show what its receipt says."""
        read = _core.read_publication_receipt(_without_page(text), _words.text(name, "name"))
        _warn_of_altered(_core.altered_parts_of_tables(text, read))
        return cls(read)

    @cached_property
    def _lines(self) -> tuple[list[_Row], tuple[str, ...]]:
        """The rows of the CSV, and the headings of their keys."""
        heading, *lines = csv.reader(io.StringIO(self.to_csv(), newline=""))
        end = len(heading) - len(_AFTER_KEYS)  # where the keys end
        headings = _key_names(self._key_columns, ("table", *_AFTER_KEYS))
        return [_Row(line[0], tuple(line[1:end]), *line[end:]) for line in lines], tuple(headings)

    @cached_property
    def _marks(self) -> dict[tuple[str, tuple[str, ...]], dict[Fraction, str]]:
        """The marks of each cell that has marks, by its table and its keys in all key columns."""
        marks: dict[tuple[str, tuple[str, ...]], dict[Fraction, str]] = {}
        for row in self._lines[0]:
            if row.mark and row.statistic == "quantile":
                marks.setdefault((row.table, row.keys), {})[Fraction(row.quantile)] = row.mark
        return marks

    def _tidy(self) -> tuple[list[_Row], tuple[str, ...], dict[str, str]]:
        return *self._lines, {name: table._first.kind for name, table in self._all.items()}

    def __repr__(self) -> str:
        return self._core.table().rstrip("\n")

    def _repr_html_(self) -> str:
        note = _notebook.unpaid("publication") if self._is_new and not self._is_paid else ""
        return note + _notebook.in_frame(self.to_html(), "The publication", repr(self))


def _restored(receipt: str, is_new: bool, is_paid: bool) -> PublishedTables:
    return PublishedTables(_core.read_publication_receipt(receipt, "the receipt"), is_new, bool(is_paid))


def _typed(kind: str, text: str) -> Any:
    if kind == "text":
        return text
    if kind == "number":
        return float(Fraction(text)) if "/" in text else float(text)
    return None if text in ("-inf", "inf") else _times.of_text(kind, text)


# --- Asked ------------------------------------------------------------------------------------------------------------


def _publication_in(file: Any, words: _words.Words, verb: str = "publish") -> _core.PublicationFile:
    if not _frames.is_path(file):
        hint = f'write fractile.{verb}("earnings.toml")'
        if verb == "plan":
            hint += ", or fractile.plan(bounds=(0, 125), step=1, epsilon=1): a plan reads no records"
        raise UsageError("file: the path of a publication's file is expected", hint, "file")
    _words.bring_engine()  # public files are read by the engine, too
    return _core.read_publication(_words.path(file, "file"), words)


def _asked_of(file: _core.PublicationFile) -> dict[str, _frames.Asked]:
    """For each counted column, how the cells of a frame are read, as the publication's file says."""
    exact: dict[str, bool] = {}
    any_cells: dict[str, bool] = {}
    for name, kind, lower, upper, counts_any_cells in file.columns:
        exact[name] = exact.get(name, True) and (kind != "number" or _frames.are_doubles_exact(lower, upper))
        any_cells[name] = any_cells.get(name, True) and counts_any_cells
    return {
        name: _frames.Asked(exact=each, unreadable=not file.refuses_unreadable, any_cells=any_cells[name]) for name, each in exact.items()
    }


@suggesting
def publish(
    file: str | os.PathLike[str],
    *,
    data: Any = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    again: bool = False,
    source: str | None = None,
    output: str | os.PathLike[str] | None = None,
    duckdb: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory: str | None = None,
    unsafe_seed: int | None = None,
    cancel: Event | None = None,
) -> PublishedTables:
    """Publishes all tables of a publication's file under its budget, with differential privacy.

    All records are read once; all tables are paid for in one transaction and published together. The arguments are the options of the
    program `fractile publish`, and the same seed gives the same receipt. `fractile.plan(file)` predicts the accuracy of all cells.

    Args:
        file: the path of a TOML file, which docs/publication.md describes and `fractile publish --example` shows.
        data: a frame (pandas, polars, pyarrow, duckdb, or anything that exports Arrow) with the columns that the file names, in place of
            the records that its [input] would name. Only these columns are read. [input] still says what counts as missing.
        ledger: the ledger that pays for all levels of all tables, or for none. Levels that it already holds stay as they are. Without a
            ledger, nothing adds up what is spent.
        dataset: the dataset that pays, if the ledger has several.
        again: whether to draw and pay for all tables again, even those that the ledger holds.
        source: with a ledger, the name of a frame's records. Without a name, the ledger cannot recognize the frame the next time.
        output: a folder for a tidy CSV, the receipt and the page, which are named after the file; nothing is overwritten.
        threads, memory: how many threads read, and how much memory they may take, "2GB". Neither changes a number.
        unsafe_seed: makes the draws reproducible and not private, for tests; not with a ledger.
        cancel: an event, such as a threading.Event. Once another thread sets it, the publication ends where it reads records or waits for a
            ledger.

    Returns:
        The tables: `p["pay"].level("region", "sex")["north", "f"][0.5]`, `p.to_pandas()`, `p.receipt`, `p.cost`. Values are in the units of
        their columns.

    Raises:
        UsageError: an argument is wrong, or data are given twice or not at all; nothing was read.
        DataError: the publication's file, a frame, a table or a cell is unusable.
        BudgetError: the ledger refuses, or the file's budget has nothing left; nothing was spent.
        LedgerError: the ledger is unusable.
        CanceledError: `cancel` was set.
    """
    words = _words.words({name: value for name, value in locals().items() if name not in ("file", "data", "cancel")})
    require_event(cancel)
    publication = _publication_in(file, words)
    frame = None
    if data is not None:
        publication.require_no_records()
        frame = _frames.frame_of_several(data, _asked_of(publication), list(publication.names))
    elif not publication.names_records:
        raise UsageError(
            f"data: [input] of '{publication.name}' names no records, and none are given",
            'give data=, or write below [input] file = "payroll.csv"',
            "data",
        )
    return _published(publication, words, frame, cancel=cancel)


def _published(
    publication: _core.PublicationFile,
    words: _words.Words,
    frame: _core.Frame | None,
    counter: Any = None,
    cancel: Event | None = None,
) -> PublishedTables:
    """Publishes. `counter` counts the records if `frame` has only columns."""
    published = _core.publish(publication, words, frame, counter, cancel)
    made = PublishedTables(published.tables, True, "ledger" in words)
    warn_of(made, published.warnings)
    return made


class PublicationPlan(Unchanging):
    """What the tables of a publication's file will cost, level by level, and how accurate each cell will be. No record was read and nothing
    was spent.

    A plan can be copied and pickled. It is computed again where it is unpickled, from the same file.
    """

    def __init__(self, plan: _core.PublicationPlan, file: str, words: _words.Words) -> None:
        self._plan, self._file, self._words = plan, file, words

    def __reduce__(self) -> tuple[Any, ...]:
        return plan_of_file, (self._file, self._words)

    def to_json(self) -> str:
        """The plan as `fractile plan FILE --format json` prints it."""
        return self._plan.json()

    def to_csv(self) -> str:
        """The plan as CSV, one line per cell."""
        return self._plan.csv()

    def __repr__(self) -> str:
        return self._plan.table().rstrip("\n")


def plan_of_file(file: str | os.PathLike[str], words: _words.Words) -> PublicationPlan:
    planned = _core.plan_publication(_publication_in(file, words, "plan"))
    return PublicationPlan(planned, os.path.abspath(file), words)
