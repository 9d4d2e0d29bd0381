"""Converts dates and times to the program's words, and back from texts and ticks (days or microseconds since 1970)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, Union

from . import _looks
from ._errors import UsageError

#: A date, or a datetime without or with a zone. The library keeps a datetime with a zone as a moment in UTC.
Time = Union[dt.date, dt.datetime]

_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
#: Units of numpy's datetime64, and the units of Arrow's timestamps that they are read as; other units are read as seconds.
_UNITS = {"s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"}
_SECONDS = {"m": 60, "h": 3600, "D": 86400}


def _refuse(field: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{field}: {what}", hint, field)


def _numpy_unit(dtype: Any) -> str:
    """The unit of a dtype such as datetime64[ns] or timedelta64[25us]; "" for any other dtype."""
    found = re.fullmatch(r"(?:datetime|timedelta)64\[(\w+)\]", getattr(dtype, "name", ""))
    return found.group(1) if found else ""


def _of_numpy(value: Any, field: str) -> Any:
    """A datetime64 or timedelta64 as a type of Python's datetime module."""
    unit = _numpy_unit(value.dtype).lstrip("0123456789")  # 25us is a multiple of us
    if not unit or unit in ("Y", "M"):
        raise _refuse(field, f"{value!r} has no unit of fixed length", "write days or a smaller unit")
    near = value.astype(f"{value.dtype.kind}8[{'D' if unit in ('D', 'W') and value.dtype.kind == 'M' else 'us'}]")
    if near != value:  # NaT does not equal itself
        raise _refuse(field, f"{value!r} is finer than a microsecond, or not a time", "write whole microseconds")
    return near.item()


def _kind_of_numpy(value: Any) -> str:
    """The kind of numpy's dtype: "M" for a datetime64, "m" for a timedelta64; "" for anything that is not a scalar of numpy."""
    return str(getattr(value.dtype, "kind", "")) if _looks.has(value, "dtype") and _looks.is_scalar(value) else ""


def word(value: Any, field: str) -> str | None:
    """A date or time as the library reads it; None for anything else."""
    if _kind_of_numpy(value) == "M":
        value = _of_numpy(value, field)
    if not isinstance(value, dt.date):
        return None
    if value != value or getattr(value, "nanosecond", False):  # pandas' NaT is a datetime
        raise _refuse(field, f"{value!r} is finer than a microsecond, or not a time", "write whole microseconds")
    if not isinstance(value, dt.datetime):
        return value.isoformat()
    try:
        plain = dt.datetime(*value.timetuple()[:6], value.microsecond)
        offset = value.utcoffset()
        return plain.isoformat() if offset is None else (plain - offset).isoformat() + "Z"
    except (OverflowError, NotImplementedError):  # pandas has years beyond those of Python's datetime
        pass
    raise _refuse(field, "the time lies outside of the years 1 to 9999 in UTC", "write a time within them")


def span(value: Any, field: str) -> str | None:
    """A timedelta as the library reads it; None for anything else."""
    if _kind_of_numpy(value) == "m":
        value = _of_numpy(value, field)
    if not isinstance(value, dt.timedelta):
        return None
    if value != value or getattr(value, "nanoseconds", False):
        raise _refuse(field, f"{value!r} is finer than a microsecond, or not a time", "write whole microseconds")
    if value <= dt.timedelta(0):
        raise _refuse(field, "the step is not above 0", "write for example timedelta(days=1)")
    return f"{value // _MICROSECOND}us"


def is_time(text: str) -> bool:
    """Whether a text was meant to be a date."""
    return re.match(r"\s*\d{4}[-/]", text) is not None


def kind_of(text: str) -> str:
    """The kind of a bound or candidate, judged by its text: "number", "timestamp" (also for dates) or "instant"."""
    if not is_time(text):
        return "number"
    return "instant" if re.search(r"\d[T ].*\d\s*(Z|[+-]\d{2}(:?\d{2})?)\s*$", text) else "timestamp"


def of_ticks(kind: str, ticks: int) -> Time:
    if kind == "date":
        return (_EPOCH + dt.timedelta(days=ticks)).date()
    moment = _EPOCH + ticks * _MICROSECOND
    return moment.replace(tzinfo=dt.timezone.utc) if kind == "instant" else moment


def of_text(kind: str, text: str) -> Time:
    """A date or time from the text in a receipt."""
    if kind == "date":
        return dt.date.fromisoformat(text)
    moment = dt.datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=dt.timezone.utc) if kind == "instant" else moment


def difference(kind: str, ticks: int) -> dt.timedelta:
    return dt.timedelta(days=ticks) if kind == "date" else ticks * _MICROSECOND


def plain(values: Sequence[Any], kind: str) -> Any:
    """Times of any year as a pandas array."""
    import pandas as pd

    return pd.array(list(values), dtype="datetime64[us, UTC]" if kind == "instant" else "datetime64[us]")


def polars_type(kind: str) -> Any:
    """The type of polars for values of this kind, or for "text"."""
    import polars as pl

    types: dict[str, Any] = {
        "number": pl.Float64,
        "date": pl.Date,
        "timestamp": pl.Datetime("us"),
        "instant": pl.Datetime("us", "UTC"),
        "text": pl.String,
    }
    return types[kind]


def numbers_of(data: Any) -> tuple[Any, str] | None:
    """An array or Series of datetime64 as whole numbers, with their type in Arrow's notation; None for anything else."""
    zone = ""
    if str(data.dtype).startswith("datetime64[") and getattr(data.dtype, "tz", None) is not None:
        zoned = data.dt if _looks.has(data, "dt") else data  # an index and its array have no `dt`
        data, zone = zoned.tz_convert(None), "UTC"
    unit = _numpy_unit(data.dtype)
    if not unit:
        return None
    if data.dtype.kind != "M":
        has_dt = _looks.has(data, "dt")
        hint = "release seconds: column.dt.total_seconds()" if has_dt else 'release seconds: array / numpy.timedelta64(1, "s")'
        raise UsageError(f"data: a column of {data.dtype} holds durations, not dates or times", hint, "data")
    if unit not in _UNITS and unit not in _SECONDS:
        raise UsageError(
            f"data: an array of {data.dtype} holds no dates or times that Fractile reads", 'convert it: astype("datetime64[us]")', "data"
        )
    values = data.to_numpy() if _looks.has(data, "to_numpy") else data
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    numbers = values.view("int64")
    return (numbers, _UNITS[unit] + zone) if unit in _UNITS else (_in_seconds(numbers, _SECONDS[unit]), _UNITS["s"] + zone)


def _in_seconds(numbers: Any, seconds: int) -> Any:
    """Seconds from longer units. The smallest number means NaT and stays as it is; all others are clamped to 64 bits."""
    most = (2**63 - 1) // seconds
    longer = numbers.clip(-most, most) * seconds
    longer[numbers == -(2**63)] = -(2**63)
    return longer


def ticks(value: Time, offset: dt.timedelta | None) -> int:
    """Microseconds since 1970 in UTC, for a date or a datetime with this offset; finer parts are cut off."""
    clock = value.timetuple()
    plain = dt.datetime(*clock[:6], getattr(value, "microsecond", 0))
    return (plain - _EPOCH) // _MICROSECOND - (offset or dt.timedelta()) // _MICROSECOND
