"""Gives the fields of a class their docstrings, which are written once, under "Attributes:" in the docstring of the class."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


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
