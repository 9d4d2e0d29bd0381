"""What the fields of a class are: said once, under "Attributes:" in what it says of itself."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


def attributes(kind: type) -> dict[str, str]:
    """What a class says under "Attributes:", by the name of the field."""
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
    """A tuple's class, whose fields then say so themselves."""
    fields: Any = kind
    for name, text in attributes(kind).items():
        if name in fields._fields:
            getattr(kind, name).__doc__ = text
    return kind
