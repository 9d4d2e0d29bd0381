"""The program `fractile`, which the package has in it: python -m fractile, or fractile."""

from __future__ import annotations

import os
import signal
import sys

from . import _core
from ._words import duckdb_library


def main() -> None:
    """Becomes the program; with the engine of the package duckdb, unless FRACTILE_DUCKDB names another."""
    library = duckdb_library()
    if library:
        os.environ.setdefault("FRACTILE_DUCKDB", library)
    for number in (signal.SIGINT, signal.SIGPIPE):  # the program has its own words for Ctrl-C, and ends when its reader has gone
        signal.signal(number, signal.SIG_DFL)
    code = _core.main(["fractile", *sys.argv[1:]])
    os._exit(code)  # the program has written all that it had to; nothing of Python is to follow


if __name__ == "__main__":
    main()
