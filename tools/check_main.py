"""Runs a house check: check_NAME.py [ROOT]. Prints each fault on a line, and exits with 1 if there is any."""

import sys
from pathlib import Path


def run(check):
    """`check` maps the folder of the repository to the faults found in it."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = check(root)
    for error in errors:
        print(error, file=sys.stderr)
    sys.exit(1 if errors else 0)
