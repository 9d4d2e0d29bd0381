#!/usr/bin/env python3
"""Recorded outputs: the program prints today, byte for byte, what it printed when they were recorded.

    record.py FILE        runs FILE's commands with the program FRACTILE_CLI, and records their outcomes again

Each line of FILE describes one command: the first 16 digits of the SHA-256 of its output, its exit code, and its words as a
shell reads them, with paths from the root of the repository. Record again only if outputs are meant to change, and say so in
the CHANGELOG. (The program prints only digits that are certain, so another version of FLINT gives the same output.)
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
VERSION = re.compile(rb'"program": "[^"]*"')  # does not affect the rest of the output
PROGRESS = re.compile(rb"(?m)^fractile: still working on .*\n")  # depends on the machine


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
