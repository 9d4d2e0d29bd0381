"""Errors: what is wrong and where, and what to do about it. No message holds a value of the data."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any, ClassVar


class Error(Exception):
    """Every failure of fractile.

    Attributes:
        message: what is wrong, and where.
        hint: what to do next; "" when there is nothing to say.
        field: the argument that is wrong; "" unless it is a single argument.
        code: the exit code of the program `fractile` for this error.
    """

    code: ClassVar[int] = 70

    def __init__(self, message: str, hint: str = "", field: str = "") -> None:
        super().__init__(message + (f"\n  {hint}" if hint else ""))
        self.message = message
        self.hint = hint
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.field)


class UsageError(Error, ValueError):
    """An argument is wrong; nothing was read or spent."""

    code = 2


class DataError(Error):
    """A frame, file, table or cell is unusable."""

    code = 3


class BudgetError(Error):
    """The privacy budget does not allow the release; nothing was spent."""

    code = 4


class LedgerError(Error):
    """The ledger is locked, corrupt or of a newer version."""

    code = 5


class InternalError(Error):
    """A defect of fractile, or a failure of the system."""

    code = 70


class CanceledError(Error):
    """The event that was given as `cancel` was set. The hint says what became of the charge, if a ledger was charged."""

    code = 130


class FractileWarning(UserWarning):
    """A warning of a likely mistake: a budget that promises nothing, values that are mostly noise, bounds that look computed.

    If the mistake can be seen in the arguments, the warning comes before anything is spent. Where a program turns warnings into errors, a
    warning that is raised after a release was made holds that release.

    Attributes:
        release: the Release or PublishedTables that was made; None before a release.
    """

    release: Any = None


def canceled(hint: str) -> CanceledError:
    return CanceledError("cancel: the event was set, and the call has ended", hint, "cancel")


def look_at(cancel: Any) -> None:
    """Raises CanceledError if the event is set."""
    if cancel is not None and cancel.is_set():
        raise canceled("nothing was charged or published")


def is_of_a_signal(error: BaseException) -> bool:
    """Whether a signal's handler raised this, rather than the code that the signal interrupted. Python calls a handler with the interrupted
    frame, which is the caller of the handler's own. Whatever is no Exception, such as KeyboardInterrupt, counts as a signal's."""
    if not isinstance(error, Exception):
        return True
    asking = sys._getframe().f_back  # it caught the error, and so is no handler's; it may have many cells to look at
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame is not asking and _is_of_a_handler(trace.tb_frame):
            return True
        trace = trace.tb_next
    return False


def _is_of_a_handler(frame: FrameType) -> bool:
    interrupted = frame.f_back
    if interrupted is None:
        return False
    few = 9  # as in handler(*arguments); a longer tuple may be data
    return any(
        value is interrupted or (type(value) is tuple and len(value) <= few and any(each is interrupted for each in value))
        for value in frame.f_locals.values()
    )


def warn(text: str) -> None:
    """Gives a FractileWarning at the line that called the package, from any depth within the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "fractile":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, FractileWarning, stacklevel=level)


def warn_of(made: Any, said: list[tuple[str, str]]) -> None:
    """Gives the warnings of a release that was made."""
    for what, hint in said:
        try:
            warn(f"{what}; {hint}")
        except FractileWarning as raised:
            raised.release = made
            raise
