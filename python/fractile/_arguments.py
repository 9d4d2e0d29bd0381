"""Suggests which argument was meant by one that a function does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

from ._errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Names that other libraries use, and ours.
_ELSEWHERE = {
    "eps": "epsilon", "quantile": "quantiles", "q": "quantiles", "probs": "quantiles", "alpha": "quantiles", "lower": "bounds",
    "upper": "bounds", "range": "bounds", "limits": "bounds", "col": "column", "groupby": "by", "group_by": "by", "groups": "keys",
    "seed": "unsafe_seed", "random_state": "unsafe_seed", "path": "data", "file": "data", "df": "data", "frame": "data",
    "user": "person", "user_id": "person", "privacy_unit": "person", "max_rows": "records_per_person", "contributions": "records_per_person",
    "confidence": "intervals", "ci": "intervals", "budget": "epsilon",
}  # fmt: skip


class Event(Protocol):
    """What another thread sets to end a call: a threading.Event, or any object with is_set()."""

    def is_set(self) -> bool:
        """Whether the call should end."""
        ...


def require_event(cancel: Any) -> None:
    if cancel is not None and not callable(getattr(cancel, "is_set", None)):
        raise UsageError("cancel: an event is expected", "write event = threading.Event(), pass cancel=event, and call event.set() to end the call", "cancel")


#: How like a name must be to be a misspelling. `person` is like `epsilon` to 0.62, and `weight` like `weight_step` to 0.71.
_ALIKE = 0.75
#: What to write in a plan in place of an argument of `release` that needs records.
_IN_A_PLAN = {
    "person": "leave it out: records_per_person says what a plan needs to know of persons",
    "per_person": "leave it out: records_per_person says what a plan needs to know of persons",
    "weight": "leave it out: weight_bounds and weight_step say what a plan needs to know of weights",
    "by": "leave it out: a plan is of one group, and a record is in no more than one",
    "keys": "leave it out: a plan is of one group, and a record is in no more than one",
    "data": "leave it out: a plan reads no records",
}  # fmt: skip
#: What to write in Python in place of an option of the program's `release`.
_IN_PYTHON = {
    "compare": 'call it on the release: r.compare(0.25, 0.75) or g.compare("north", "south")',
    "dry_run": "fractile.plan(...).cost says what a release costs, and ledger.accounts what remains",
    "format": "call it on the release: to_pandas(), to_csv() or to_html()",
    "about": "give it to the page: r.to_html(about={...})",
    "public": "give it to the page: r.to_html(public=True)",
    "guess": 'give it to the page: r.to_html(guess="above:30000")',
    "figures": "r.figures() has them",
    "candidates_file": "read the file, and give the list: candidates=[...]",
    "quantiles_file": "read the file, and give the list: quantiles=[...]",
    "sql_file": "read the file, and give its text: sql=...",
}  # fmt: skip


def _meant(name: str, known: list[str]) -> str:
    if _ELSEWHERE.get(name.lower()) in known:
        return _ELSEWHERE[name.lower()]
    near = difflib.get_close_matches(name, known, 1, _ALIKE)
    return near[0] if near else ""


def _hint(function: Callable[..., Any], name: str, known: list[str]) -> str:
    meant = _meant(name, known)
    if meant:
        return f"did you mean {meant}=?"
    if function.__module__ == "fractile.spark":
        return f"see help(fractile.spark.{function.__name__})"
    if function.__name__ == "plan" and name in _IN_A_PLAN:
        return _IN_A_PLAN[name]
    if function.__name__ == "release" and name in _IN_PYTHON:
        return _IN_PYTHON[name]
    if function.__name__ != "release" and name in inspect.signature(sys.modules["fractile"].release).parameters:
        return f"leave it out, since it is an argument of release(); see help(fractile.{function.__qualname__})"
    return f"see help(fractile.{function.__qualname__})"


def suggesting(function: _Function) -> _Function:
    """The function with the same signature. It refuses an argument that it does not have, and names the one that was meant."""
    parameters = inspect.signature(function).parameters
    known = list(parameters)
    without_name = [each for each in parameters.values() if each.kind is not each.KEYWORD_ONLY]
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in without_name)

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        if len(arguments) > len(without_name) and not takes_any:
            named_first = next(each for each in parameters.values() if each.kind is each.KEYWORD_ONLY)
            raise UsageError(
                f"{function.__qualname__} takes {' and '.join(each.name for each in without_name)} without a name, and no more",
                f"write {named_first.name}=... and so on; see help(fractile.{function.__qualname__})",
            )
        for name in named:
            if name not in known:
                raise UsageError(f"{function.__qualname__} has no argument '{name}'", _hint(function, name, known), name)
        return function(*arguments, **named)

    return cast(_Function, checked)
