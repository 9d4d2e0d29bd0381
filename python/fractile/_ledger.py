"""Ledgers: what may be spent on a dataset, and what was spent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core, _notebook, _numbers, _words
from ._arguments import suggesting
from ._choices import InputFormat, Neighbors, Null, Unreadable
from ._errors import UsageError
from ._numbers import Number


class Ledger:
    """A durable ledger of privacy budgets: a file, or for a team the address of a PostgreSQL database,
    "postgres://user@host:port/database". The program `fractile ledger` uses the same ledgers.

    Any number of processes may use a ledger at once. This object keeps nothing open: every method reads the ledger again, and checks it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _words.path(path, "path")

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"Ledger({_core.ledger_shown(self.path)!r})"

    @suggesting
    def init(
        self,
        dataset: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        neighbors: Neighbors | None = None,
        unit: str | None = None,
        person: str | None = None,
        records_per_person: int | None = None,
        source: str | None = None,
        postgres: str | None = None,
        input_format: InputFormat | None = None,
        delimiter: str | None = None,
        single_line_records: bool = False,
        decimal: str | None = None,
        thousands: str | None = None,
        encoding: str | None = None,
        disjoint_persons: bool = False,
        null: Null | None = None,
        missing: Iterable[Number] | None = None,
        unreadable: Unreadable | None = None,
        table: Mapping[str, str | os.PathLike[str]] | None = None,
        sql_stability: int | None = None,
        sql: str | None = None,
        public_rows: bool = False,
        weights_as_they_are: bool = False,
        weight_stability: int | None = None,
        keys_file: str | os.PathLike[str] | None = None,
        duckdb: str | os.PathLike[str] | None = None,
        witness: str | os.PathLike[str] | None = None,
    ) -> Ledger:
        """Adds a dataset, which never changes afterwards, and returns this ledger. Makes the file if it does not exist. The arguments say
        what the dataset's releases must or may have; `fractile ledger init --help` describes them.

        Raises:
            UsageError: there is already a dataset of this name, or an argument is wrong.
            LedgerError: the file is not a ledger, or cannot be written.
        """
        words = _words.words({name: value for name, value in locals().items() if name != "self"})
        _core.ledger_add(self.path, words)
        return self

    def statement(self, dataset: str = "") -> _core.Statement:
        """Datasets with their balances (`accounts`) and all entries (`entries`), as of now."""
        return _core.ledger_statement(self.path, _words.text(dataset, "dataset"))

    @property
    def accounts(self) -> list[_core.Account]:
        """The datasets, with what was spent and what remains of each budget."""
        return list(self.statement().accounts)

    @property
    def entries(self) -> list[_core.Entry]:
        """All entries, from the first one on."""
        return list(self.statement().entries)

    def verify(self, head: str = "") -> str:
        """Checks everything, and returns the hash of the log's last line. `head`: the hash of an earlier line, kept elsewhere.

        Raises:
            UsageError: `head` is not a hash.
            LedgerError: something is wrong; the error names the first fault.
        """
        return _core.ledger_verify(self.path, _words.text(head, "head"))

    def void(self, entry: int, reason: str) -> None:
        """Declares that a reserved entry's release was never published. The entry then no longer counts."""
        number = None if isinstance(entry, bool) else _numbers.index_of(entry)
        if number is None or not 0 < number < 2**63:
            raise UsageError("entry: the number of an entry is expected", "see ledger.entries", "entry")
        _core.ledger_void(self.path, number, _words.text(reason, "reason"))

    def witness(self, *, accept: bool = False) -> list[str]:
        """Checks that the ledger has all that its datasets' witnesses have seen, and returns the paths of the witnesses. `accept`: after a
        backup was restored, charges what is missing again, as `fractile ledger witness --accept` does.

        Raises:
            LedgerError: the ledger lacks something that a witness has seen, or a witness cannot be used.
        """
        return _core.ledger_witness(self.path, _words.flag(accept, "accept"))

    def export(self, format: str = "json") -> str:
        """The whole ledger as a text: "json" or "csv"."""
        _words.choice(format, "format", ("json", "csv"))
        statement = self.statement()
        return statement.csv(True) if format == "csv" else statement.json(True)

    def to_pandas(self) -> Any:
        """A DataFrame with one row per entry."""
        import pandas as pd

        names = ("id", "dataset", "cost", "state", "reserved_at", "settled_at", "query", "reason")
        entries = self.entries
        return pd.DataFrame({name: [getattr(entry, name) for entry in entries] for name in names}).set_index("id")

    def to_html(self, *, about: Mapping[str, str] | None = None) -> str:
        """The page of `fractile ledger show --format html`."""
        return self.statement().page(_words.texts(about, "about"))[0]

    def _repr_html_(self) -> str:
        return _notebook.in_frame(self.to_html(), "The ledger", self.statement().table())
