"""Arguments become words, as the program's options do, so that the same code reads both and they mean the same."""

from __future__ import annotations

import datetime
import functools
import importlib.util
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from . import _core, _looks, _numbers
from ._choices import PerPerson
from ._errors import UsageError, is_of_a_signal

Words = dict[str, list[str]]

#: Options that take no value.
FLAGS = frozenset({"public_rows", "again", "no_interpolation", "together", "single_line_records", "groups", "any_prior", "disjoint_persons",
                   "allow_equal_files", "check", "count", "mean", "weights_as_they_are"})
#: Arguments that are exact numbers; the arguments in _PUBLIC must not come from the data.
_NUMBERS = frozenset(
    {
        "step", "bounds_budget", "count_budget", "epsilon", "rho", "delta", "records_per_person", "expected_rows", "intervals", "sql_stability",
        "threads", "unsafe_seed", "synthetic_rows", "rank_error", "percentile_error", "confidence", "claim", "records", "values",
        "doublings", "points", "within", "weight_step", "weight_stability", "expected_weight",
    }
)  # fmt: skip
_LISTS = frozenset({"quantiles", "candidates", "below"})
_PUBLIC = frozenset({"bounds", "step", "candidates", "expected_rows", "below", "weight_bounds", "weight_step", "expected_weight"})
_PATHS = frozenset({"counts", "keys_file", "duckdb", "output", "receipt", "reference", "witness", "ledger"})


def _ends(given: Any, field: str, what: str, hint: str) -> list[str]:
    ends = _numbers.pair(given, field, f"these are the smallest and the largest {what}", hint)
    _numbers.warn_of_computed(given, ends, field)
    return _numbers.each_word(ends, field)


def weight_words(weight: str | None, weight_bounds: Any, weight_step: Any) -> list[str]:
    """The words for weights: their column, the smallest and the largest weight, and the distance between weights; none without weights."""
    given = {"weight": weight, "weight_bounds": weight_bounds, "weight_step": weight_step}
    if weight is None:
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} goes with weight", 'name the column of weights, weight="w"', name)
        return []
    for name, value in given.items():
        if value is None:
            raise UsageError(
                f"{name} is missing: weights are points of a grid that is public", "write weight_bounds=(0, 300), weight_step=0.5", name
            )
    texts = words(given)
    return [*texts["weight"], *texts["weight_bounds"], *texts["weight_step"]]


def per_person(how: str | None) -> str:
    """How a person's records become one value; "" if the records themselves count."""
    return "" if how is None else choice(how, "per_person", get_args(PerPerson))


def choice(value: Any, field: str, known: Sequence[str]) -> str:
    """The value; refuses one that is not among the known ones."""
    if isinstance(value, str) and value in known:
        return value
    hint = f"choose one of {', '.join(json.dumps(each) for each in known)}"
    if isinstance(value, str):
        raise UsageError(f"{field}: '{_numbers.require_text(value, field)}' is not known", hint, field)
    raise UsageError(f"{field}: a str is expected, not {type(value).__name__}", hint, field)


def _tables(value: Any) -> list[str]:
    if not isinstance(value, Mapping):
        raise UsageError("table: names and files are expected", 'write table={"visits": "visits.csv"}', "table")
    return [f"{name}={path(file, 'table')}" for name, file in value.items()]


def missing_texts(value: Any) -> list[str]:
    """The texts that count as missing."""
    items = _numbers.items_of(value)
    if items is None:
        raise UsageError("missing: a list of texts and numbers is expected", 'write missing=["NA", -9]', "missing")
    listed = [text.strip() if isinstance(text, str) else _numbers.word(text, "missing") for text in items]
    if any("," in text for text in listed):
        raise UsageError("missing: a text has a comma in it", "make such cells missing by sql", "missing")
    _require_text(listed, "missing")
    return listed


def compared(value: Any) -> tuple[str, str]:
    """The words for two keys or two quantiles."""
    first, second = _numbers.pair(value, "compare", "two keys or two quantiles are expected", 'write compare=("north", "south")')
    return _numbers.word(first, "compare"), _numbers.word(second, "compare")


def _word(name: str, value: Any) -> list[str]:
    if name == "bounds" and isinstance(value, str) and value == "auto":
        return ["auto", "auto"]
    if name == "bounds":
        return _ends(value, name, "possible value", 'write bounds=(0, 125), or bounds="auto"')
    if name == "weight_bounds":
        return _ends(value, name, "weight", "write weight_bounds=(0, 300)")
    if name == "table":
        return _tables(value)
    if name == "missing":
        return [",".join(missing_texts(value))]
    if name == "by":
        return _names(value)
    if name in _LISTS:
        return [_numbers.words(value, name, public=name in _PUBLIC)]
    if name in _NUMBERS:
        return [_numbers.require_short(_numbers.word(value, name, public=name in _PUBLIC), name)]
    if name in _PATHS:  # a Ledger is a path, too
        return [path(value, name)]
    return [text(value, name)]


def words(arguments: Mapping[str, Any]) -> Words:
    """The words for all given arguments: those that are not None, and flags that are True."""
    given: Words = {}
    for name, value in arguments.items():
        if name in FLAGS:
            if flag(value, name):
                given[name] = ["true"]
        elif value is not None:
            texts = _word(name, value)
            if any(not text for text in texts):
                raise UsageError(f"{name} is empty", "leave it out, or write what it is", name)
            _require_text(texts, name)
            given[name] = texts
    return given


class Groups(NamedTuple):
    """The key columns, and the keys: either a list for each column, whose combinations are the groups, or the groups themselves."""

    by: list[str]
    lists: list[list[str]]
    tuples: list[list[str]]

    @property
    def keys(self) -> list[Any]:
        """One str per group; with several key columns, one tuple of str."""
        if self.tuples:
            return [tuple(key) for key in self.tuples]
        return list(self.lists[0]) if len(self.lists) == 1 else list(itertools.product(*self.lists))


def by_names(value: Any) -> list[str]:
    """The key columns: one name, or several."""
    if value is None:
        return []
    # An array or a column holds records. It is no list of names, and no message may repeat it.
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
        raise UsageError("by: a str is expected, or a list of them", 'write by="region", or by=["region", "sex"]', "by")
    return list(names)


def groups(by: Any, keys: Any) -> Groups:
    """The requested groups. `keys` is a list of keys; for several columns, it maps each column to its list, or has the groups as tuples or
    as a frame with these columns."""
    names = by_names(by)
    if keys is None:
        return Groups(names, [], [])
    if not names and (isinstance(keys, Mapping) or _looks.has_columns(keys) or _looks.is_lazy(keys)):
        raise UsageError("keys without the column that holds the keys", 'name it, for example by="region"', "keys")
    several = _several(names)
    if isinstance(keys, Mapping):
        for listed in keys.values():
            _warn_of_computed_keys(listed)
    else:
        _warn_of_computed_keys(keys)
    if _looks.has_columns(keys) or _looks.is_lazy(keys):
        keys = _rows(keys, names) if several else [key for (key,) in _rows(keys, names)]
    if not isinstance(keys, Mapping):
        keys = _items(keys, several or 'keys=["north", "south"]')
    if isinstance(keys, Mapping):
        if set(keys) != set(names):
            raise UsageError(f"keys: a list for each of the columns {', '.join(names)} is expected", f"write {several or 'keys=[...]'}", "keys")
        return Groups(names, [_texts(keys[name], several) for name in names], [])
    if not several:
        if any(isinstance(key, (tuple, list)) for key in keys):
            raise UsageError("keys: a key of one column is a text, not a tuple", 'write keys=["north", "south"]', "keys")
        return Groups(names, [_texts(keys, 'keys=["north", "south"]')], [])
    tuples = [_tuple(key, len(names), several) for key in keys]
    if not tuples:
        raise UsageError("keys: the list is empty", f"write {several}", "keys")
    return Groups(names, [], tuples)


def _several(names: list[str]) -> str:
    """What to write for several columns."""
    return "" if len(names) < 2 else "keys={" + ", ".join(f"{name!r}: [...]" for name in names) + "}, or a list of tuples"


def _warn_of_computed_keys(listed: Any) -> None:
    rows = listed if isinstance(listed, (list, tuple)) else []
    parts = [part for row in rows for part in (row if isinstance(row, (list, tuple)) else [row])]
    _numbers.warn_of_computed(listed, parts, "keys")


def _items(listed: Any, hint: str) -> list[Any]:
    """The items of a list of keys."""
    items = listed.to_pylist() if _looks.has(listed, "to_pylist") else _numbers.items_of(listed)
    if items is None:
        raise UsageError("keys: a list of keys is expected", f"write {hint}", "keys")
    return items


def _texts(listed: Any, hint: str) -> list[str]:
    texts = [_key(key) for key in _items(listed, hint)]
    if not texts:
        raise UsageError("keys: the list is empty", f"write {hint}", "keys")
    _require_text(texts, "keys")
    return texts


def _key(key: Any) -> str:
    """A key as a text: a str, or a whole number, which is its digits."""
    key = _numbers.out_of_array(key)
    if isinstance(key, str):
        return key
    if isinstance(key, bool) or type(key).__name__ in ("bool", "bool_"):  # numpy's, too
        raise UsageError("keys: a truth value is not a key", 'write the texts that the column holds: keys=["no", "yes"]', "keys")
    if key is None or type(key).__name__ in ("NAType", "NaTType") or (isinstance(key, float) and key != key):
        raise UsageError("keys: a missing value is not a key", "leave it out: a record without a key is in no group", "keys")
    if isinstance(key, datetime.date) or type(key).__name__ == "datetime64":  # a datetime is a date
        raise UsageError("keys: a date or time is not a key", 'make the column and the keys text: keys=["2024-01-31"]', "keys")
    return _numbers.word(key, "keys")


def _tuple(key: Any, columns: int, hint: str) -> list[str]:
    texts = _texts(key, hint)
    if len(texts) != columns:
        given = "1 key" if len(texts) == 1 else f"{len(texts)} keys"
        raise UsageError(f"keys: a group has {given}, and there are {columns} columns", f"write {hint}", "keys")
    return texts


def _rows(frame: Any, names: list[str]) -> list[Any]:
    """The rows of a frame, which must have exactly these columns."""
    try:
        if _looks.is_lazy(frame):
            frame = frame.collect()
        columns = _looks.columns_of(frame)
    except Exception as error:
        if is_of_a_signal(error):
            raise
        failure = type(error).__name__
    else:
        if sorted(columns) != sorted(names):
            raise UsageError(
                f"keys: the frame has the columns {', '.join(columns)}", f"give one with the columns {', '.join(names)} alone", "keys"
            )
        try:
            return list(zip(*_lists(frame, columns, names)))
        except Exception as error:
            if is_of_a_signal(error):
                raise
            failure = type(error).__name__
    # Raised outside of `except`: the frame's own error, which may quote a cell, must not be the context.
    what = f"keys: the frame cannot be read: {_looks.module(frame)} raises {failure}"
    raise UsageError(what, "collect or fetch it yourself to see why", "keys")


def _lists(frame: Any, columns: list[str], names: list[str]) -> list[list[Any]]:
    """The columns of a frame, in the order of `names`, as lists."""
    places = [columns.index(name) for name in names]
    if _looks.of_duckdb(frame):
        rows = frame.project("*").fetchall()  # another relation: the caller's stays unread
        return [[row[place] for row in rows] for place in places]
    if _looks.has(frame, "iloc"):
        return [list(frame.iloc[:, place]) for place in places]
    if _looks.has(frame, "column_names"):
        return [frame.column(place).to_pylist() for place in places]
    if _looks.module(frame) == "polars":
        return [frame[name].to_list() for name in names]
    return [list(frame[name]) for name in names]


def _names(value: Any) -> list[str]:
    """One text for --by: names with commas between them, each in quotes if CSV needs them."""

    def quoted(name: str) -> str:
        is_plain = name == name.strip(" ") and not any(mark in name for mark in '",\r\n')
        return name if is_plain else '"' + name.replace('"', '""') + '"'

    return [",".join(quoted(name) for name in by_names(value))]


def _require_text(texts: list[str], name: str) -> None:
    for each in texts:
        _numbers.require_text(each, name)


def flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{field}: True or False is expected", f"write {field}=True", field)
    return value


def refuse_profile(value: Any, field: str) -> None:
    """Refuses a profile where a file or a column is expected."""
    if isinstance(value, _core.Counted) or type(value).__name__ == "Profile" and _looks.module(value) == "fractile":
        raise UsageError(
            f"{field}: a Profile is in memory, and is released from a file",
            'write profile.write("all.profile", column="age"), then release(counts="all.profile", ...)',
            field,
        )


def path(value: Any, field: str) -> str:
    """A path as a text."""
    refuse_profile(value, field)
    try:
        text = os.fspath(value)
    except TypeError:
        text = b""
    if not isinstance(text, str):
        raise UsageError(f"{field}: a path is expected", "write it as a str or a pathlib.Path", field)
    if "\0" in text:
        raise UsageError(f"{field}: no path has a NUL character", "write it without", field)
    _require_text([text], field)
    return text


def text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{field}: a str is expected, not {type(value).__name__}", f'write {field}="..."', field)
    _require_text([value], field)
    return value


def texts(value: Mapping[str, str] | None, field: str) -> dict[str, str]:
    """A publisher's texts by name, such as the title and curator of a page."""
    said = {} if value is None else dict(value) if isinstance(value, Mapping) else None
    if said is None or not all(isinstance(text, str) for pair in said.items() for text in pair):
        raise UsageError(f"{field}: names and texts are expected", f'write {field}={{"title": "Wages"}}', field)
    _require_text([*said, *said.values()], field)
    return said


@functools.cache
def bring_engine() -> None:
    """Tells the library where the package duckdb has its engine. The library uses it unless `duckdb=` or FRACTILE_DUCKDB names another. It
    must not become a word of the request, because these words must match what a ledger's owner declared."""
    _core.set_default_engine(duckdb_library())


def duckdb_library() -> str:
    """The path of the duckdb package's shared object; "" if the package is not installed. The package is not imported."""
    for name in ("_duckdb", "duckdb.duckdb"):
        try:
            spec = importlib.util.find_spec(name)
        except ImportError:
            continue
        if spec is not None and spec.origin and Path(spec.origin).suffix == ".so":
            return spec.origin
    return ""
