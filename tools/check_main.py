"""How every check of the house is run: check_NAME.py [ROOT]. Prints what is wrong, a line each, and exits with 1 when anything is."""

import sys
from pathlib import Path


def run(check):
    """`check` maps the folder of a house to the errors found in it."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = check(root)
    for error in errors:
        print(error, file=sys.stderr)
    sys.exit(1 if errors else 0)
