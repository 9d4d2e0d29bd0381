"""Profile files: columns that are counted in one place and released in another. They are as sensitive as the data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from . import _core, _frames, _words
from ._arguments import Event, require_event, suggesting
from ._choices import InputFormat, Null, PerPerson, Unreadable
from ._errors import UsageError, warn
from ._numbers import Number
from ._release import Bound, Keys, Step


@suggesting
def count(
    data: str | os.PathLike[str] | Sequence[os.PathLike[str]] | None = None,
    column: str | None = None,
    *,
    output: str | os.PathLike[str],
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    by: str | Sequence[str] | None = None,
    keys: Keys | None = None,
    keys_file: str | os.PathLike[str] | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    records_per_person: int | None = None,
    person: str | None = None,
    per_person: PerPerson | None = None,
    source: str | None = None,
    null: Null | None = None,
    missing: Iterable[Number] | None = None,
    unreadable: Unreadable | None = None,
    sql: str | None = None,
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
    unsafe_seed: int | None = None,
    cancel: Event | None = None,
) -> None:
    """Counts a column of a file into a new profile file, as `fractile count` does.

    Nothing is published and nothing is charged: `release(counts=output, epsilon=...)` does both. The file is as sensitive as the data, and
    only its owner can read it. The arguments are the options of the program `fractile count`; `cancel` is as in `release`.

    Raises:
        UsageError: an argument is wrong, or `output` already exists; nothing was read.
        DataError: the file, table or a cell is unusable; nothing was written.
        CanceledError: `cancel` was set; nothing was written.
    """
    given = {name: value for name, value in locals().items() if name not in ("data", "keys", "cancel")}
    require_event(cancel)
    if data is not None and not _frames.names_files(data):
        raise UsageError("data: the path of a file is expected", "count columns in memory by fractile.profile(...)", "data")
    words = _words.words(given)
    _words.bring_engine()
    groups = _words.groups(by, keys)
    _core.count(words, _frames.paths_of(data), groups.lists, groups.tuples, cancel)


def merge(
    *files: str | os.PathLike[str],
    output: str | os.PathLike[str],
    disjoint_persons: bool = False,
    allow_equal_files: bool = False,
    cancel: Event | None = None,
) -> None:
    """Adds up profile files of equal questions and writes a new one, as `fractile merge` does.

    Bounds on records per person add up, unless `disjoint_persons` declares that no person is in two of the files. Files of equal contents
    are refused as the same file named twice, unless `allow_equal_files` declares that they hold different records. Files without records
    may always be equal. A FractileWarning names a source that was counted in several of the files. `cancel` is as in `release`.

    Raises:
        UsageError: the files do not go together, two are equal, or `output` already exists.
        DataError: a file is unusable or damaged; nothing was written.
        CanceledError: `cancel` was set; nothing was written.
    """
    require_event(cancel)
    for file in files:
        if isinstance(file, (list, tuple)):
            hint = 'write merge("a.profile", "b.profile", output=...)'
            raise UsageError("files: the files are named one by one, not in a list", hint, "files")
    words = _words.words({"output": output, "disjoint_persons": disjoint_persons, "allow_equal_files": allow_equal_files})
    for what, hint in _core.merge(words, [_words.path(file, "files") for file in files], cancel):
        warn(f"{what}; {hint}")
