"""What classes share: docstrings of their fields, written once under "Attributes:" in the docstring of the class, and copies."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)
Same = TypeVar("Same", bound="Unchanging")


class Unchanging:
    """An object that never changes is its own copy. What is pickled may lack something, such as the balance of a ledger."""

    def __copy__(self: Same) -> Same:
        return self

    def __deepcopy__(self: Same, memo: dict[int, Any]) -> Same:
        return self


def attributes(kind: type) -> dict[str, str]:
    """The text under "Attributes:" in the docstring of a class, for each field."""
    _, _, said = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in said.splitlines():
        if line.startswith(" " * 8):
            found[name] += " " + line.strip()
        else:
            name, _, text = line.strip().partition(": ")
            found[name] = text
    return found


def documented(kind: Kind) -> Kind:
    """The class of tuples, with a docstring for each field."""
    fields: Any = kind
    for name, text in attributes(kind).items():
        if name in fields._fields:
            getattr(kind, name).__doc__ = text
    return kind
