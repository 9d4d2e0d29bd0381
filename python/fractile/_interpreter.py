"""In which interpreter of a process the package works."""

from __future__ import annotations

from typing import Any


def _interpreters() -> Any:
    """Python's own module of interpreters; None where it has none."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return __import__(name)
        except ImportError:
            continue
    return None


def _require_main() -> None:
    known = _interpreters()
    if known is not None and known.get_current() != known.get_main():
        raise ImportError("fractile works in a process's main interpreter alone: import it there, or start a process")


_require_main()  # before the extension module, whose types are the main interpreter's
