#!/usr/bin/env python3
"""Compares releases with intervals and without: of a file, by the program, and of an array, in Python.

    interval_calls.py N    in Python, for N records: prints the median seconds of each kind of call as JSON.
"""

import array
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import peers
from page import shown, table

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ASKED = {"alone": (), "table": ("--intervals", "0.95", "--of", "table"), "population": ("--intervals", "0.95", "--of", "population")}
ROUNDS = 11


def incomes(n):
    law = random.Random(1)
    return [min(round(law.lognormvariate(10, 0.7)), 1_000_000) for _ in range(n)]


def timed(call, warm_up):
    """The median seconds of each kind of call, measured in turn."""

    def once(words):
        start = time.perf_counter()
        call(words)
        return peers.Answer({"seconds": time.perf_counter() - start})

    return peers.in_turn({what: lambda w=words: once(w) for what, words in ASKED.items()}, ROUNDS, warm_up)


def in_python(n):
    import fractile

    column = array.array("d", incomes(n))

    def release(words):
        options = {word.removeprefix("--"): value for word, value in zip(words[::2], words[1::2])}
        fractile.release(column, bounds=(0, 1_000_000), step=1, quantiles="quartiles", epsilon=1, expected_rows=n, **options)

    return timed(release, warm_up=3)


def by_the_program(program, n):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "incomes.csv"
        path.write_text("income\n" + "".join(f"{value}\n" for value in incomes(n)), encoding="utf-8")
        command = (program, "release", path, "--column", "income", "--bounds", "0", "1000000", "--step", "1", "--quantiles",
                   "quartiles", "--epsilon", "1", "--expected-rows", str(n), "--format", "json")
        return timed(lambda words: subprocess.run((*command, *words), capture_output=True, check=True), warm_up=1)


def row(how, n, answers):
    alone, *others = (answers[what].nanoseconds("seconds") for what in ASKED)
    return [how, f"{n:,}", shown(alone), *(f"{shown(other)} ({other / alone:.1f})" for other in others)]


def part(program, quick):
    rows = []
    for n in SIZES[:1] if quick else SIZES:
        rows.append(row("the program, of a CSV file", n, by_the_program(program, n)))
        answer = peers.ask("interval_calls.py", str(n), limit=600)
        if answer.absent:
            rows.append(["`fractile.release` of an array", f"{n:,}", f"absent: {answer.absent}", "", ""])
            continue
        rows.append(row("`fractile.release` of an array", n,
                        {what: peers.Answer({"seconds": answer.measured[what]}) for what in ASKED}))
    return ("\nA whole call, with its receipt, on incomes in whole numbers up to 1,000,000, for epsilon 1. A release without intervals "
            "bounds its worst case instead. That takes about as long.\n\n"
            + table(["asked for by", "n", "without", "of the table", "of the population"], rows))


if __name__ == "__main__":
    answers = in_python(int(sys.argv[1]))
    print(json.dumps({"measured": {what: answer.measured["seconds"] for what, answer in answers.items()}}))
