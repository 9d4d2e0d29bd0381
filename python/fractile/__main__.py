"""The program `fractile`, which the package has in it: python -m fractile, or fractile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._words import duckdb_library


def main() -> None:
    """Becomes the program; with the engine of the package duckdb, unless FRACTILE_DUCKDB names another."""
    program = Path(os.environ.get("FRACTILE_PROGRAM", "") or Path(__file__).parent / "bin" / "fractile")
    if not program.is_file():
        sys.exit(f"fractile: the program is not in this installation ({program})")
    library = duckdb_library()
    if library:
        os.environ.setdefault("FRACTILE_DUCKDB", library)
    os.execv(program, ["fractile", *sys.argv[1:]])


if __name__ == "__main__":
    main()
