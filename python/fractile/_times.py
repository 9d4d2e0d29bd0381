"""Dates and times: into the program's words, and back from its ticks (days, or microseconds, since 1970) and texts."""

from __future__ import annotations

import datetime as dt
import re
from array import array
from collections.abc import Sequence
from typing import Any, Union

from ._errors import UsageError

#: A date, or a datetime: without a zone, or with one, of which the library keeps the moment in UTC.
Time = Union[dt.date, dt.datetime]

_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
#: Units of numpy's datetime64 and what of Arrow's timestamps they are; the others are read as seconds.
_UNITS = {"s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"}


def _refuse(field: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{field}: {what}", hint, field)


def _numpy_unit(dtype: Any) -> str:
    """The unit of a dtype datetime64[ns] or timedelta64[ns]; "" of another one."""
    found = re.fullmatch(r"(?:datetime|timedelta)64\[(\w+)\]", getattr(dtype, "name", ""))
    return found.group(1) if found else ""


def _of_numpy(value: Any, field: str) -> Any:
    """A datetime64 or timedelta64 as what Python has for it."""
    unit = _numpy_unit(value.dtype)
    if not unit or unit in ("Y", "M"):
        raise _refuse(field, f"{value!r} has no unit of fixed length", "write days or a smaller unit")
    near = value.astype(f"{value.dtype.kind}8[{'D' if unit in ('D', 'W') and value.dtype.kind == 'M' else 'us'}]")
    if near != value:  # NaT is not itself
        raise _refuse(field, f"{value!r} is finer than a microsecond, or no time", "write whole microseconds")
    return near.item()


def word(value: Any, field: str) -> str | None:
    """A date or time as the library reads it; None for anything else."""
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        value = _of_numpy(value, field)
    if not isinstance(value, dt.date):
        return None
    if value != value or getattr(value, "nanosecond", False):  # pandas' NaT is a datetime
        raise _refuse(field, f"{value!r} is finer than a microsecond, or no time", "write whole microseconds")
    if not isinstance(value, dt.datetime):
        return value.isoformat()
    plain = dt.datetime(*value.timetuple()[:6], value.microsecond)
    offset = value.utcoffset()
    return plain.isoformat() if offset is None else (plain - offset).isoformat() + "Z"


def span(value: Any, field: str) -> str | None:
    """A timedelta as the library reads it; None for anything else."""
    if getattr(getattr(value, "dtype", None), "kind", "") == "m":
        value = _of_numpy(value, field)
    if not isinstance(value, dt.timedelta):
        return None
    if value != value or getattr(value, "nanoseconds", False):
        raise _refuse(field, f"{value!r} is finer than a microsecond, or no time", "write whole microseconds")
    if value <= dt.timedelta(0):
        raise _refuse(field, "the step is not above 0", "write for example timedelta(days=1)")
    return f"{value // _MICROSECOND}us"


def is_time(text: str) -> bool:
    """Whether a text was meant to be a date."""
    return re.match(r"\s*\d{4}[-/]", text) is not None


def of_ticks(kind: str, ticks: int) -> Time:
    if kind == "date":
        return (_EPOCH + dt.timedelta(days=ticks)).date()
    moment = _EPOCH + ticks * _MICROSECOND
    return moment.replace(tzinfo=dt.timezone.utc) if kind == "instant" else moment


def of_text(kind: str, text: str) -> Time:
    """What a receipt holds."""
    if kind == "date":
        return dt.date.fromisoformat(text)
    moment = dt.datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=dt.timezone.utc) if kind == "instant" else moment


def difference(kind: str, ticks: int) -> dt.timedelta:
    return dt.timedelta(days=ticks) if kind == "date" else ticks * _MICROSECOND


def plain(values: Sequence[Any], kind: str) -> Any:
    """Times as a pandas array, whatever the year."""
    import pandas as pd

    return pd.array(list(values), dtype="datetime64[us, UTC]" if kind == "instant" else "datetime64[us]")


def numbers_of(data: Any) -> tuple[Any, str] | None:
    """An array or Series of datetime64 as whole numbers and their type as Arrow writes it; None for anything else."""
    zone = ""
    if str(data.dtype).startswith("datetime64[") and getattr(data.dtype, "tz", None) is not None:
        data, zone = data.dt.tz_convert("UTC").dt.tz_localize(None), "UTC"
    unit = _numpy_unit(data.dtype)
    if not unit:
        return None
    if unit in ("Y", "M", "W", "ps", "fs", "as") or data.dtype.kind != "M":
        hint = 'convert it: astype("datetime64[us]")'
        raise UsageError(f"data: an array of {data.dtype} holds no dates or times that are read", hint, "data")
    values = data.to_numpy() if hasattr(data, "to_numpy") else data
    if unit not in _UNITS:
        values, unit = values.astype("datetime64[s]"), "s"
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values.view("int64"), _UNITS[unit] + zone


def numbers_of_list(data: Sequence[Any]) -> tuple[array[int], str] | None:
    """The same of a list of dates, of datetimes without a zone or of datetimes with one; None for anything else."""
    if not data or not all(isinstance(value, dt.date) for value in data):
        return None
    kinds = {(isinstance(value, dt.datetime), isinstance(value, dt.datetime) and value.utcoffset() is not None) for value in data}
    if len(kinds) != 1:
        raise UsageError("data: a list holds dates alone, or times alone, all with a zone or all without", "make them alike", "data")
    texts = [word(value, "data") or "" for value in data]
    moments = [dt.datetime.fromisoformat(text.removesuffix("Z")) for text in texts]
    return array("q", [(moment - _EPOCH) // _MICROSECOND for moment in moments]), "tsu:UTC" if kinds == {(True, True)} else "tsu:"
