"""Refuses to load in any interpreter of a process except the main one."""

from __future__ import annotations

from typing import Any


def _interpreters() -> Any:
    """Python's module of interpreters; None in versions of Python that lack it."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return __import__(name)
        except ImportError:
            continue
    return None


def _require_main() -> None:
    known = _interpreters()
    if known is not None and known.get_current() != known.get_main():
        raise ImportError("fractile works only in a process's main interpreter: import it there, or start a process")


_require_main()  # before the extension module, whose types belong to the main interpreter
