"""Arguments become words, as the program's options do, so that both are read by the same code and mean the same."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _numbers
from ._errors import UsageError

Words = dict[str, list[str]]

#: Options that take no value.
FLAGS = frozenset({"public_rows", "again", "no_interpolation", "together", "single_line_records", "groups", "any_prior", "disjoint_persons",
                   "allow_equal_files", "check"})
#: Exact numbers; those of _PUBLIC must not come from the data.
_NUMBERS = frozenset(
    {
        "step", "bounds_budget", "epsilon", "rho", "delta", "records_per_person", "expected_rows", "intervals", "sql_stability",
        "threads", "unsafe_seed", "synthetic_rows", "rank_error", "percentile_error", "confidence", "claim", "records", "values",
        "doublings", "points", "within",
    }
)  # fmt: skip
_LISTS = frozenset({"quantiles", "candidates"})
_PUBLIC = frozenset({"bounds", "step", "candidates", "expected_rows"})
_PATHS = frozenset({"counts", "keys_file", "duckdb", "output", "receipt", "reference", "witness"})


def _bounds(value: Any) -> list[str]:
    if isinstance(value, str):
        if value == "auto":
            return ["auto", "auto"]
    elif isinstance(value, Iterable):
        ends = list(value)
        if len(ends) == 2:
            return [_numbers.word(end, "bounds", public=True) for end in ends]
    raise UsageError(
        "bounds: these are the smallest and the largest possible value", 'write bounds=(0, 125), or bounds="auto"', "bounds"
    )


def _tables(value: Any) -> list[str]:
    if not isinstance(value, Mapping):
        raise UsageError("table: names and files are expected", 'write table={"visits": "visits.csv"}', "table")
    return [f"{name}={os.fspath(file)}" for name, file in value.items()]


def missing_texts(value: Any) -> list[str]:
    """What counts as missing, as texts."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError("missing: a list of texts and numbers is expected", 'write missing=["NA", -9]', "missing")
    listed = [text.strip() if isinstance(text, str) else _numbers.word(text, "missing") for text in value]
    if any("," in text for text in listed):
        raise UsageError("missing: a text has a comma in it", "make such cells missing by sql", "missing")
    _require_text(listed, "missing")
    return listed


def _compare(value: Any) -> list[str]:
    if isinstance(value, str) or len(list(value)) != 2:
        raise UsageError("compare: two keys or two quantiles are expected", 'write compare=("north", "south")', "compare")
    return [_numbers.words(value, "compare")]


def _word(name: str, value: Any) -> list[str]:
    if name == "bounds":
        return _bounds(value)
    if name == "table":
        return _tables(value)
    if name == "missing":
        return [",".join(missing_texts(value))]
    if name in _LISTS:
        return [_numbers.words(value, name, public=name in _PUBLIC)]
    if name in _NUMBERS:
        return [_numbers.word(value, name, public=name in _PUBLIC)]
    if name in _PATHS:
        return [os.fspath(value)]
    if not isinstance(value, str):
        raise UsageError(f"{name}: a str is expected, not {type(value).__name__}", f'write {name}="..."', name)
    return [value]


def words(arguments: Mapping[str, Any]) -> Words:
    """Of all arguments that were given: not None, and flags that are True."""
    given: Words = {}
    for name, value in arguments.items():
        if name in FLAGS:
            if not isinstance(value, bool):
                raise UsageError(f"{name}: True or False is expected", f"write {name}=True", name)
            if value:
                given[name] = ["true"]
        elif value is not None:
            texts = _word(name, value)
            if any(not text for text in texts):
                raise UsageError(f"{name} is empty", "leave it out, or write what it is", name)
            _require_text(texts, name)
            given[name] = texts
    return given


def keys(value: Any) -> list[str]:
    """The keys of groups, as texts."""
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError("keys: a list of keys is expected", 'write keys=["north", "south"]', "keys")
    if _numbers.of_a_frame(value):
        _numbers.warn_of_the_data(value, "keys")
    listed = [key if isinstance(key, str) else _numbers.word(key, "keys") for key in value]
    if not listed:
        raise UsageError("keys: the list is empty", 'write keys=["north", "south"]', "keys")
    _require_text(listed, "keys")
    return listed


def _require_text(texts: list[str], name: str) -> None:
    if not all(map(_is_text, texts)):
        raise UsageError(f"{name}: half of a surrogate pair is no character", "write it without", name)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def add_engine(given: Words) -> None:
    """The engine that the package duckdb has in it, unless another one is named."""
    library = "" if "duckdb" in given else engine()
    if library:
        given["duckdb"] = [library]


def engine() -> str:
    """The engine to name: "" where the library finds one by itself, as by FRACTILE_DUCKDB."""
    return "" if os.environ.get("FRACTILE_DUCKDB") else duckdb_library()


def duckdb_library() -> str:
    """The path of the duckdb package's own shared object; "" when the package is not here. It is not imported."""
    for name in ("_duckdb", "duckdb.duckdb"):
        try:
            spec = importlib.util.find_spec(name)
        except ImportError:
            continue
        if spec is not None and spec.origin and Path(spec.origin).suffix == ".so":
            return spec.origin
    return ""
