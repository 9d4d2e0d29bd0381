"""Lists a file's columns and, for the data's owner only, what cannot be read in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from . import _core, _frames, _words
from ._arguments import Event, require_event, suggesting
from ._choices import InputFormat
from ._errors import UsageError
from ._members import documented
from ._numbers import Number


@documented
class Column(NamedTuple):
    """A column. Without `check`, only its name and the engine's type are known.

    Attributes:
        name: its name.
        type: the engine's type; VARCHAR in text files and JSON, whatever the cells hold.
        read_as: what most cells can be read as: "numbers", "dates", "dates or times", "times in UTC"; "text" or "nothing" if no cell can;
            "" without `check`.
        read: how many cells can be read so.
        missing: how many cells are NULL, empty, NaN or declared to be missing.
        unreadable: how many cells are neither read nor missing.
        unreadable_rows: the first rows with an unreadable cell, counted from 1.
        unreadable_files: for several files, the file in which each of these rows stands and is numbered. Empty for one file, for `sql`, and
            for JSON, whose records are numbered across all files.
    """

    name: str
    type: str
    read_as: str = ""
    read: int = 0
    missing: int = 0
    unreadable: int = 0
    unreadable_rows: tuple[int, ...] = ()
    unreadable_files: tuple[str, ...] = ()


@suggesting
def columns(
    data: str | os.PathLike[str] | Sequence[os.PathLike[str]] | None = None,
    *,
    check: bool = False,
    missing: Iterable[Number] | None = None,
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
    memory: str | None = None,
    cancel: Event | None = None,
) -> list[Column]:
    """The columns of a file, as `fractile columns` lists them. With `check`, all records are read and the result is not private: it is for
    the data's owner, before anything is paid for. `cancel` is as in `release`.

    Raises:
        UsageError: an argument is wrong; or a JSON file, which has no schema, is listed without `check`.
        DataError: the file is unusable.
        CanceledError: `cancel` was set.
    """
    given = {name: value for name, value in locals().items() if name not in ("data", "cancel")}
    require_event(cancel)
    if data is not None and not _frames.names_files(data):
        raise UsageError("data: the path of a file is expected", "a frame lists its columns itself", "data")
    words = _words.words(given)
    _words.bring_engine()
    described = json.loads(_core.columns(words, _frames.paths_of(data), cancel))["columns"]
    lists = ("unreadable_rows", "unreadable_files")
    return [Column(**column | {name: tuple(column.get(name, ())) for name in lists}) for column in described]
