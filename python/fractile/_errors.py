"""Errors: what is wrong and where, and what to do about it. No message holds a value of the data."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, ClassVar, TypeVar

_E = TypeVar("_E", bound="Error")

_OPTION = re.compile(r"--([a-z][a-z-]*)")
_END = r"(-?[0-9][0-9A-Z.:-]*|LO|HI)"
_PAIR = re.compile(rf"--(bounds) {_END} {_END}")
_NUMBER = re.compile(r"--([a-z][a-z-]*) (\"[^\"]*\"|'[^']*'|-?[0-9][^\s,;)]*)")
_LIST = re.compile(r"--(keys|compare|quantiles|candidates) ([^\s;,]+(?:,[^\s;,]+)+)")
_TABLE = re.compile(r"--table (\w+)=([^\s,;]+)")
_ARGUMENTS = re.compile(r"(=(?:\([^)]*\)|\[[^]]*\]|\"[^\"]*\"|[^\s,;()\"\[]+)) (?=[a-z_]+=)")
_WORD = re.compile(r"--([a-z][a-z-]*) (?!out\b)([a-z][a-z-]*)(?=$|[,;)]| [a-z_]+=)")
_COMMAND = re.compile(r"(\bfractile [a-z]+[^,;]*)")


def _name(option: str) -> str:
    return option.replace("-", "_")


def _value(text: str) -> str:
    if text[0] in "\"'" or re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        return text
    return f'"{text}"'


def _end(text: str) -> str:
    """Of bounds: a number, a date or time, or LO."""
    return text if text in ("LO", "HI") else _value(text)


def _in_python(text: str) -> str:
    """The program's words as Python's: "--step 1" is "step=1". A command to type stays as it is."""
    return "".join(part if _COMMAND.fullmatch(part) else _arguments_in(part) for part in _COMMAND.split(text))


def _arguments_in(text: str) -> str:
    text = _PAIR.sub(lambda m: f"{m[1]}=({_end(m[2])}, {_end(m[3])})", text)
    text = text.replace("--bounds auto", 'bounds="auto"')
    text = _TABLE.sub(r'table={"\1": "\2"}', text)
    text = _LIST.sub(lambda m: f"{_name(m[1])}=[{', '.join(_value(item) for item in m[2].split(','))}]", text)
    text = _NUMBER.sub(lambda m: f"{_name(m[1])}={_value(m[2])}", text)
    if re.search(r"\b(write|example|pass|use|take|with)\b", text):
        text = _WORD.sub(lambda m: f'{_name(m[1])}="{m[2]}"', text)
    text = _ARGUMENTS.sub(r"\1, ", text)
    return _OPTION.sub(lambda m: _name(m[1]), text)


class Error(Exception):
    """Every failure of fractile.

    Attributes:
        message: what is wrong, and where.
        hint: what to do next; "" when there is nothing to say.
        field: the argument that is wrong; "" when it is none of them alone.
        code: the exit code that the program `fractile` has for it.
    """

    code: ClassVar[int] = 70

    def __init__(self, message: str, hint: str = "", field: str = "") -> None:
        super().__init__(message + (f"\n  {hint}" if hint else ""))
        self.message = message
        self.hint = hint
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.field)

    @classmethod
    def of_core(cls: type[_E], what: str, hint: str) -> _E:
        """The library's error in Python's words."""
        named = re.match(r"--([a-z][a-z-]*)", what)
        field = _name(named[1]) if named else ""
        return cls(_in_python(what), _in_python(hint), field)


class UsageError(Error, ValueError):
    """An argument is wrong; nothing was read or spent."""

    code = 2


class DataError(Error):
    """A frame, file, table or cell is unusable."""

    code = 3


class BudgetError(Error):
    """The privacy budget does not allow it; nothing was spent."""

    code = 4


class LedgerError(Error):
    """The ledger is locked, corrupt or of a newer version."""

    code = 5


class InternalError(Error):
    """A defect, or the system failed."""

    code = 70


class FractileWarning(UserWarning):
    """What may be a mistake: a budget that promises nothing, values that are mostly noise, bounds that look computed."""


def warn(text: str) -> None:
    """A FractileWarning at the line that called the package, however deep in it this is."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "fractile":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, FractileWarning, stacklevel=level)
