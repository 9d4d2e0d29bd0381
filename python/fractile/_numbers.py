"""Numbers become the words that the library reads, exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Union

from . import _times
from ._errors import UsageError, warn

#: An exact number. A float means the decimal that Python prints for it: 0.1 is 1/10.
Number = Union[int, float, str, Fraction, Decimal]

#: Arguments that may be dates or times.
_OF_TIMES = frozenset({"bounds", "candidates", "below"})
#: Types of a frame's library that users also write themselves, such as pd.Timestamp("2020-01-01").
_TYPED_BY_HAND = frozenset({"Timestamp", "Timedelta", "datetime64", "timedelta64"})
_LONG = 16  # a float with at least this many significant digits looks computed


def _refuse(field: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{field}: {what}", hint, field)


def _of_float(value: float, field: str) -> str:
    if not math.isfinite(value):
        raise _refuse(field, f"{value} is not a number", "write a finite number")
    text = float.__repr__(value)
    digits = re.sub(r"e.*|[-.]", "", text).strip("0")
    if len(digits) < _LONG:
        return text
    near = Fraction(value).limit_denominator(10_000)
    meant = f'"{near}"' if abs(float(near) - value) <= 1e-15 * max(1.0, abs(value)) else "a str, Fraction or Decimal"
    raise _refuse(
        field, f"{text} is a float that looks computed, and would be taken for exactly this decimal", f"write {meant}"
    )


def word(value: Any, field: str, public: bool = False) -> str:
    """The number as the library reads it. `public`: it must not come from the data, so a numpy or pandas scalar gives a warning."""
    if isinstance(value, bool) or value is None:
        raise _refuse(field, f"{value} is not a number", 'write a number such as 1, 0.5, "1/3" or Fraction(1, 3)')
    if getattr(value, "shape", ()) != ():
        raise _refuse(field, f"{type(value).__name__} holds several values", "give one number")
    is_scalar = of_a_frame(value)
    if public and _looks_computed(value):
        warn_of_the_data(value, field)
    if isinstance(value, str):
        return require_text(str(value).strip(), field)
    time = _times.word(value, field) if field in _OF_TIMES else _times.span(value, field) if field == "step" else None
    if time is not None:
        return time
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _refuse(field, f"{value} is not a number", "write a finite number")
        return format(value, "f")
    if isinstance(value, float):
        return _of_float(value, field)
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if is_scalar and hasattr(value, "__float__"):  # numpy.float32 prints the shortest decimal for its width
        return str(value)
    raise _refuse(
        field, f"{type(value).__name__} is not a number", 'write an int, float, str, Fraction or Decimal, such as "1/3"'
    )


def require_text(text: str, field: str) -> str:
    """The text; refuses one with half a surrogate pair."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        pass
    raise _refuse(field, "half of a surrogate pair is not a character", "write it without")


def listed(values: Any, field: str) -> list[Any]:
    """The items of a list, or of anything that can become a list."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise _refuse(field, f"a list is expected, not {type(values).__name__}", f"write {field}=[...]")
    return list(values)


def pair(values: Any, field: str, what: str, hint: str) -> tuple[Any, Any]:
    """The two items; refuses anything that does not have exactly two."""
    items = [] if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) else list(values)
    if len(items) != 2:
        raise _refuse(field, what, hint)
    return items[0], items[1]


def of_a_frame(value: Any) -> bool:
    """Whether the value has a type in which frames and their columns return values."""
    return type(value).__module__.partition(".")[0] in ("numpy", "pandas", "polars", "pyarrow")


def _looks_computed(value: Any) -> bool:
    return of_a_frame(value) and type(value).__name__ not in _TYPED_BY_HAND


def warn_of_the_data(value: Any, field: str) -> None:
    """Warns of a value that may come from the data, before anything is spent."""
    warn(
        f"{field} is a {type(value).__module__}.{type(value).__name__}, which looks computed from the data; it must be "
        "known without looking at the data"
    )


def each_word(values: list[Any], field: str, public: bool = False) -> list[str]:
    """As word() of each; there is one warning for all of them."""
    computed = next((value for value in values if _looks_computed(value)), None) if public else None
    if computed is not None:
        warn_of_the_data(computed, field)
    return [word(value, field) for value in values]


def words(values: Any, field: str, public: bool = False) -> str:
    """One number, a name such as quartiles, or several numbers with commas between them."""
    if isinstance(values, str):
        return values
    if not isinstance(values, Iterable):
        return word(values, field, public)
    listed = list(values)
    try:
        return ",".join(each_word(listed, field, public))
    except UsageError as error:
        hint = _steps_meant(listed) if all(isinstance(value, float) for value in listed) else ""
        if not hint:
            raise
        raised = UsageError(error.message, hint, field)
    raise raised


def _steps_meant(values: list[float]) -> str:
    """What to write in place of computed floats that are multiples of a small fraction, such as those of numpy.linspace."""
    near = [Fraction(value).limit_denominator(1000) for value in values]
    steps = {after - before for before, after in zip(near, near[1:])}
    if len(values) < 3 or len(steps) != 1 or any(abs(float(each) - value) > 1e-12 for each, value in zip(near, values)):
        return ""
    step = steps.pop()
    if step.numerator != 1 or (near[0] / step).denominator != 1:
        return ""
    return f"write [Fraction(k, {step.denominator}) for k in range({near[0] / step}, {near[-1] / step + 1})]"


def fraction(value: Any, field: str, public: bool = False) -> Fraction:
    """The number as a Fraction."""
    text = word(value, field, public)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise _refuse(field, f"'{text}' is not a number", 'write a number such as 0.5, "1/3" or Fraction(1, 3)')


def whole(value: Any, field: str) -> int:
    """A number of records, which must fit in 32 bits."""
    number = fraction(value, field)
    if number.denominator != 1 or not 0 <= number < 2**32:
        raise _refuse(field, f"{number} is not a number of records", f"write a whole number, {field}=1 or more")
    return int(number)


def decimal(value: Fraction) -> Decimal | Fraction:
    """The number as a Decimal if its decimal expansion ends, and unchanged otherwise."""
    denominator = value.denominator
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    if denominator != 1:
        return value
    places = max(twos, fives)
    unscaled = value.numerator * 10**places // value.denominator
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -places))
