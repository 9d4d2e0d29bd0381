"""Columns without a type: lists, and pandas' objects as persons and keys. Each cell is read by itself, so that no cell decides how another
one is read. No cell is looked at before records are counted."""

from __future__ import annotations

import datetime as dt
import numbers
import operator
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from . import _core, _times
from ._errors import DataError, is_of_a_signal

#: The largest number of 64 bits, and the number that stands for NaT.
_MOST = 2**63 - 1
_NO_TIME = -(2**63)


@dataclass(frozen=True)
class Asked:
    """The public facts about a release that decide how cells are read.

    Attributes:
        kind: what the possible values are: "number", "timestamp" (also for dates) or "instant".
        exact: whether every whole number between the bounds is a double.
        missing: whether a record without a number is left out; otherwise it is an error.
        unreadable: whether a cell that cannot be read counts as missing; otherwise it is an error.
        texts: texts that are declared to be missing. (The library itself finds missing numbers, and missing names of persons.)
        any_cells: whether every record that holds something is counted, whatever it holds.
        declares: whether the function has an argument `missing`, which a hint may name.
    """

    kind: str = "number"
    exact: bool = True
    missing: bool = True
    unreadable: bool = False
    texts: frozenset[str] = frozenset()
    any_cells: bool = False
    declares: bool = True


class _Unreadable(Exception):
    pass


def _is_missing(value: Any) -> bool:
    """Whether this is None, NaN, NaT or pandas' NA, of whatever type."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except Exception as error:  # an array raises, for example
        if is_of_a_signal(error):
            raise
        return False


def _read_all(values: Sequence[Any], name: str, asked: Asked, read: Callable[[Any], Any], what: str, missing: Any) -> list[Any]:
    """read(value) of each value, or `missing`. Errors name rows and hold no value. `what`: what a cell should be, in words."""
    cells = []

    def is_missing(value: Any) -> bool:
        return value in asked.texts if isinstance(value, str) else _is_missing(value)

    for value in values:
        if is_missing(value):
            if not asked.missing:
                break
            cells.append(missing)
            continue
        try:
            cells.append(read(value))
        except Exception as error:  # whatever a cell's own class raises: no record decides whether what is paid for succeeds
            if is_of_a_signal(error):
                raise
            if not asked.unreadable:
                break
            cells.append(missing)
    if len(cells) == len(values):
        return cells
    # Raised outside of `except`, so that no other exception, which may hold a value, is the context of this error.
    row = f"row {len(cells) + 1}, column '{name}'"
    if is_missing(values[len(cells)]):
        raise DataError(f"{row}: NULL or NaN", 'fill the cell, or leave such records out with null="drop"')
    hint = f"make it a {what}, or None"
    if asked.declares:
        hint += '; or say what counts as missing: missing=["NA"]'
        hint += '; names of files are Paths: [Path("a.csv"), Path("b.csv")]' if isinstance(values[len(cells)], str) else ""
    raise DataError(f"{row}: not a {what}, and not missing", hint)


# --- Numbers ----------------------------------------------------------------------------------------------------------


def _number(value: Any) -> int | float:
    if isinstance(value, bool):
        raise _Unreadable
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (Decimal, Fraction)):
        return _of_exact(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return float(value)  # numpy's floats that are not Python's
    return operator.index(value)  # numpy's whole numbers


def _of_exact(value: Decimal | Fraction) -> int | float:
    """The whole number, or the nearest double."""
    if isinstance(value, Decimal) and (not value.is_finite() or value.adjusted() > 20):  # beyond 64 bits: not written out
        return float(value)
    return int(value) if value == int(value) else _double(value)


def _is_double(number: int | float) -> bool:
    """Whether the number equals its nearest double; numbers beyond 64 bits count as that double."""
    return isinstance(number, float) or not -_MOST - 1 <= number <= _MOST or float(number) == number


def _double(number: int | float | Decimal | Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _numbers(values: Sequence[Any], name: str, asked: Asked) -> list[_core.Frame]:
    """A frame of doubles, and another one of whole numbers that are not doubles. So a number's position does not depend on the other
    numbers."""
    if all(type(value) is int for value in values):
        try:
            return [_core.Frame.of_numbers(array("q", values), name)]
        except OverflowError:
            pass
    cells = _read_all(values, name, asked, _number, "number", float("nan"))
    frames = [_core.Frame.of_numbers(array("d", [_double(cell) for cell in cells if _is_double(cell)]), name)]
    whole = [cell for cell in cells if not _is_double(cell)]
    return [*frames, _core.Frame.of_numbers(array("q", whole), name)] if whole else frames


# --- Dates and times --------------------------------------------------------------------------------------------------


def _tick(kind: str) -> Callable[[Any], int]:
    """A function from a date or time of this kind to microseconds since 1970; finer parts are cut off."""

    def read(value: Any) -> int:
        if not isinstance(value, dt.date):
            raise _Unreadable
        offset = value.utcoffset() if isinstance(value, dt.datetime) else None
        if (offset is not None) != (kind == "instant"):
            raise _Unreadable
        return _times.ticks(value, offset)

    return read


def _times_of(values: Sequence[Any], name: str, asked: Asked) -> list[_core.Frame]:
    what = "time with a zone" if asked.kind == "instant" else "date or time without a zone"
    cells = _read_all(values, name, asked, _tick(asked.kind), what, _NO_TIME)
    return [_core.Frame.of_numbers(array("q", cells), name, _arrow_type(asked.kind))]


def _arrow_type(kind: str) -> str:
    return "tsu:UTC" if kind == "instant" else "tsu:"


def of_list(data: Sequence[Any], name: str, asked: Asked) -> _core.Frame:
    """A list as a frame: of int and float, or of dates and times if the bounds are dates or times."""
    if asked.kind == "number":
        columns, read = _core.Frame.of_numbers(array("d"), name), _numbers
    else:
        columns, read = _core.Frame.of_numbers(array("q"), name, _arrow_type(asked.kind)), _times_of
    return _core.Frame.later(columns, lambda: read(data, name, asked))


# --- Persons and keys -------------------------------------------------------------------------------------------------


def _name(value: Any) -> str:
    text = value.decode() if isinstance(value, bytes) else str(value)
    text.encode()  # raises for half a surrogate pair
    return text


def names_of(values: Sequence[Any], name: str, asked: Asked) -> Any:
    """Texts of pyarrow: a cell's text, or str() of a cell that is not a text. A missing cell names no person."""
    import pyarrow

    # The library itself refuses records without a person, where it must.
    with_missing = Asked(asked.kind, asked.exact, True, asked.unreadable)
    return pyarrow.array(_read_all(values, name, with_missing, _name, "text", None), pyarrow.string())
