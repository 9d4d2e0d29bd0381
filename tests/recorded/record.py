#!/usr/bin/env python3
"""Recorded outputs: that the program prints today, byte for byte, what it printed when they were recorded.

    record.py FILE        writes the outcomes of FILE's commands anew, by the program FRACTILE_CLI

FILE has a command a line: the first 16 digits of the SHA-256 of what it prints, its exit code, and its words as a shell
reads them, with paths from the root of the house. Record anew only when outputs are meant to change, and say so in the
CHANGELOG. (Digits beyond those that are certain are not printed, so that another version of FLINT prints the same.)
"""

import hashlib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("FRACTILE_CLI", HOUSE / "build" / "dev" / "fractile")).resolve()
VERSION = re.compile(rb'"program": "[^"]*"')  # says nothing of what is printed
PROGRESS = re.compile(rb"(?m)^fractile: still at .*\n")  # depends on the machine


@dataclass(frozen=True)
class Recorded:
    outcome: str  # "digest code"
    words: str


def recorded(file):
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        digest, code, words = line.split(" ", 2)
        yield Recorded(f"{digest} {code}", words)


def outcome_of(words, timeout=120):
    done = subprocess.run([PROGRAM, *shlex.split(words)], cwd=HOUSE, capture_output=True, timeout=timeout, check=False)
    printed = VERSION.sub(b"", done.stdout) + b"\0" + PROGRESS.sub(b"", done.stderr)
    return f"{hashlib.sha256(printed).hexdigest()[:16]} {done.returncode}"


def main(file):
    lines = [f"{outcome_of(one.words)} {one.words}\n" for one in recorded(file)]
    Path(file).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
