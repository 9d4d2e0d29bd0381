"""The program `fractile`, which the package contains: python -m fractile, or fractile."""

from __future__ import annotations

import os
import signal
import sys

from . import _core
from ._words import duckdb_library


def main() -> None:
    """Runs the program in this process, with the engine of the package duckdb unless FRACTILE_DUCKDB names another."""
    library = duckdb_library()
    if library:
        os.environ.setdefault("FRACTILE_DUCKDB", library)
    for number in (signal.SIGINT, signal.SIGPIPE):  # the program handles Ctrl-C itself, and ends when its reader has gone
        signal.signal(number, signal.SIG_DFL)
    code = _core.main(["fractile", *sys.argv[1:]])
    os._exit(code)  # the program has written everything; Python must not run any code after it


if __name__ == "__main__":
    main()
