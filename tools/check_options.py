#!/usr/bin/env python3
"""Checks that only the command line spells --options.

    check_options.py [ROOT]

The library, the requests and the Python package name fields, Field("records_per_person") within Words (include/fractile/error.hpp). The
program prints this field as --records-per-person. Their texts may not spell an option, except in a command to type, "fractile ledger init
PATH --epsilon E", which is the same for all users. Other exceptions are listed below.
"""

import re
from pathlib import Path

import check_main
from cpp_text import cpp_files, texts_of

FOLDERS = ("include", "src", "requests", "python")

EXCEPTIONS = {
    **{
        f"requests/verbs/{name}": "the program's help"
        for name in ("options.hpp", "release_verbs.cpp", "plan_verbs.cpp", "ledger_verbs.cpp", "experiment_verbs.cpp", "flow_verbs.cpp")
    },
    "src/report/release/plan.cpp": "a table on a terminal: what to ask for next",
    "src/report/release/published.cpp": "a table on a terminal: how it was asked for",
}  # file: why it may spell options

_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_COMMAND = re.compile(r"\bfractile [a-z]+ [^:;]*")


def complaints(path, text):
    for line, words in texts_of(text):
        for option in _OPTION.findall(_COMMAND.sub("", words)):
            yield (
                f'{path}:{line}: the text spells {option}: write Field("{option[2:].replace("-", "_")}"), or add the file to '
                "EXCEPTIONS in tools/check_options.py with the reason"
            )


def check(root):
    errors = []
    spelling = set()
    for file in cpp_files(root, FOLDERS):
        path = file.relative_to(root).as_posix()
        if file.stem.endswith("_test"):
            continue
        found = list(complaints(path, file.read_text(encoding="utf-8")))
        if path not in EXCEPTIONS:
            errors += found
        elif found:
            spelling.add(path)
    if (root / "tools").is_dir():
        errors += [f"tools/check_options.py: EXCEPTIONS: {path} spells no option" for path in EXCEPTIONS if path not in spelling]
    return errors


if __name__ == "__main__":
    check_main.run(check)
