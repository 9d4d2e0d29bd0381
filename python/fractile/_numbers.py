"""Numbers become the words that the library reads, exactly."""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Union

from . import _looks, _times
from ._errors import UsageError, warn

#: An exact number. A float means the decimal that Python prints for it: 0.1 is 1/10.
Number = Union[int, float, str, Fraction, Decimal]

#: Arguments that may be dates or times.
_OF_TIMES = frozenset({"bounds", "candidates", "below"})
#: Types of a frame's library that users also write themselves, such as pd.Timestamp("2020-01-01").
_TYPED_BY_HAND = frozenset({"Timestamp", "Timedelta", "datetime64", "timedelta64"})
#: The largest exponent, and the most characters of a number, that the library reads.
_MOST = 10_000
_DECIMAL = re.compile(r"[+-]?([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
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
    value = out_of_array(value)
    if isinstance(value, bool) or value is None:
        usual = "write for example intervals=0.95" if field == "intervals" else 'write a number such as 1, 0.5, "1/3" or Fraction(1, 3)'
        raise _refuse(field, f"{value} is not a number", usual)
    if _holds_several(value):
        raise _refuse(field, f"{type(value).__name__} holds several values", "give one number")
    is_scalar = _looks.of_a_frame(value)
    if public and looks_computed(value):
        warn_of_the_data(value, field)
    if isinstance(value, str):
        return require_text(str(value).strip(), field)
    time = _times.word(value, field) if field in _OF_TIMES else _times.span(value, field) if field == "step" else None
    if time is not None:
        return time
    if isinstance(value, Fraction):
        return _digits(value, field)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _refuse(field, f"{value} is not a number", "write a finite number")
        # The library refuses a larger exponent, which would be as many digits here.
        return format(value, "f") if abs(value.adjusted()) <= _MOST else str(value)
    if isinstance(value, float):
        return _of_float(value, field)
    index = index_of(value)
    if index is not None:
        return _digits(index, field)
    if is_scalar and _looks.has(value, "__float__"):  # numpy.float32 prints the shortest decimal for its width
        return str(value)
    raise _refuse(
        field, f"{type(value).__name__} is not a number", 'write an int, float, str, Fraction or Decimal, such as "1/3"'
    )


def out_of_array(value: Any) -> Any:
    """The scalar that an array of numpy without a dimension holds; any other value unchanged."""
    return value[()] if type(value).__name__ == "ndarray" and _looks.is_scalar(value) else value


def index_of(value: Any) -> int | None:
    """The whole number that the value is; None if it is none, as numpy's truth values are, whose __index__ raises."""
    if not _looks.has(value, "__index__") or type(value).__name__ in ("bool", "bool_"):
        return None
    try:
        return operator.index(value)
    except (ArithmeticError, RuntimeError, TypeError, ValueError):  # a TimeoutError that a signal's handler raises passes
        return None


def _holds_several(value: Any) -> bool:
    """Whether the value is an array, column or frame rather than a scalar."""
    if isinstance(value, (int, float, str, Fraction, Decimal)):
        return False
    return _looks.of_duckdb(value) or (_looks.has(value, "shape") and value.shape != ())


def _digits(number: int | Fraction, field: str) -> str:
    """The number as a text. Python writes no whole number that has more digits than a limit of the process."""
    try:
        return str(number)
    except ValueError:
        pass
    raise _too_long(field, _most_digits())


def _most_digits() -> int:
    """The most digits of a whole number that Python reads and writes; versions before 3.10.7 have no limit."""
    most = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else 0
    return most or 2 * _MOST


def _too_long(field: str, digits: int) -> UsageError:
    return _refuse(field, f"a number of more than {digits} digits", "write fewer digits")


def require_short(text: str, field: str) -> str:
    """The text. Refuses a number that the library would refuse for its size, before it is computed here, and one whose digits Python could
    not write: such numbers come back as values and bounds."""
    if len(text) > _MOST:
        raise _refuse(field, f"a number of more than {_MOST} characters", "write fewer digits")
    for part in text.split("/"):
        found = _DECIMAL.fullmatch(part.strip())
        if found is None:
            continue
        whole, decimals, power = (each or "" for each in found.groups())
        size = power.lstrip("+-").lstrip("0")
        if len(size) > 5 or int(size or "0") > _MOST:
            raise _refuse(field, f"the exponent of '{text[:40]}' is too large", f"exponents reach from -{_MOST} to {_MOST}")
        up, down = (0, int(size or "0")) if power.startswith("-") else (int(size or "0"), 0)
        if max(len(whole) + up, len(decimals) + down) > _most_digits():
            raise _too_long(field, _most_digits())
    return text


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
    items = items_of(values)
    if items is None:
        raise _refuse(field, f"a list is expected, not {type(values).__name__}", f"write {field}=[...]")
    return items


def items_of(values: Any) -> list[Any] | None:
    """The items of anything that can become a list; None for a text, or for a single value such as an array without a dimension."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or _looks.is_scalar(values):
        return None
    if _looks.of_duckdb(values) or _looks.is_lazy(values):  # iterable by their types only
        return None
    return list(values)


def pair(values: Any, field: str, what: str, hint: str) -> tuple[Any, Any]:
    """The two items; refuses anything that does not have exactly two."""
    items = items_of(values)
    if items is None or len(items) != 2:
        raise _refuse(field, what, hint)
    return items[0], items[1]


def looks_computed(value: Any) -> bool:
    return _looks.of_a_frame(value) and type(value).__name__ not in _TYPED_BY_HAND


def warn_of_the_data(value: Any, field: str) -> None:
    """Warns of a value that may come from the data, before anything is spent."""
    warn(
        f"{field} is a {type(value).__module__}.{type(value).__name__}, which looks computed from the data; it must be "
        "known without looking at the data"
    )


def warn_of_computed(listed: Any, items: Iterable[Any], field: str) -> None:
    """Gives one warning for a list that looks computed, by its own type or by that of an item."""
    computed = next((value for value in (listed, *items) if looks_computed(value)), None)
    if computed is not None:
        warn_of_the_data(computed, field)


def each_word(values: Iterable[Any], field: str) -> list[str]:
    """As word() of each."""
    return [require_short(word(value, field), field) for value in values]


def words(values: Any, field: str, public: bool = False) -> str:
    """One number, a name such as quartiles, or several numbers with commas between them."""
    if isinstance(values, str):
        return ",".join(require_short(part, field) for part in values.split(","))
    items = items_of(values)
    if items is None:
        return require_short(word(values, field, public), field)
    if public:
        warn_of_computed(values, items, field)
    try:
        return ",".join(each_word(items, field))
    except UsageError as error:
        hint = _steps_meant(items) if all(isinstance(value, float) and math.isfinite(value) for value in items) else ""
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
    text = require_short(word(value, field, public), field)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise _refuse(field, f"'{text[:40]}' is not a number", 'write a number such as 0.5, "1/3" or Fraction(1, 3)')


def exact_word(value: Any, field: str, public: bool = False) -> str:
    """The number as a text without decimals, such as 1/3."""
    return _digits(fraction(value, field, public), field)


def whole(value: Any, field: str) -> int:
    """A count that must fit in 32 bits."""
    number = fraction(value, field)
    if number.denominator != 1 or not 0 <= number < 2**32:
        raise _refuse(field, f"{str(number)[:40]} is not a whole number from 0 to 2^32 - 1", f"write a whole number, {field}=1 or more")
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
