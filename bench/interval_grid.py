#!/usr/bin/env python3
"""Intervals of the table over a grid of settings: how often they leave a quantile out, and how wide they are.

    interval_grid.py PROGRAM LAWS [--tables N] [--only m,epsilon,D,n,law] [--sample N] [--seed N]

LAWS is the folder laws/ that `fractile reproduce intervals` writes. Settings are all of m quantiles in 1, 3, 9, 19, epsilon in 1/30, 1/6, 1,
D records a person in 1, 5, n rows in 200, 1000, 18000, 130000, and the laws there; `--sample N` takes N of them at random. Prints a line a
setting: the share of tables in which the end that errs most often errs (at most .025), the share of ends that are the range's where the
quantile is not, the median and the ninth decile of half widths in units of D / epsilon records, the 95th percentile of the error of a
release without intervals in the same units, and what of that the half width may be. 400 tables of all 960 settings take some hours. Nothing
of it is private: the seeds are known.
"""

import argparse
import csv
import itertools
import json
import random
import subprocess
import sys
import tempfile
from bisect import bisect_left, bisect_right
from fractions import Fraction
from pathlib import Path

STEP = 0.1  # of the laws' lattice, 0 .. 1000
LARGEST = 10_000
GRID = ((1, 3, 9, 19), ("1/30", "1/6", "1"), (1, 5), (200, 1_000, 18_000, 130_000))


def law_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [int(row["candidate"]) for row in rows], list(itertools.accumulate(float(row["mass"]) for row in rows))


def released(program, path, seed, quantiles, epsilon, records, intervals):
    words = ("--intervals", "0.95", "--of", "table") if intervals else ()
    done = subprocess.run([program, "release", path, "--column", "x", "--bounds", "0", "1000", "--step", "0.1", "--quantiles", quantiles,
                           "--epsilon", epsilon, "--records-per-person", str(records), "--unsafe-seed", str(seed), "--format", "json", *words],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["quantiles"]


def candidate(value):
    return round(float(value) / STEP)


class Setting:
    def __init__(self, program, law, m, epsilon, records, n):
        self.program, self.law, self.epsilon, self.records, self.n = program, law, epsilon, records, n
        self.quantiles = [Fraction(k, m + 1) for k in range(1, m + 1)]
        self.unit = float(records / Fraction(epsilon))
        self.errs = [[0, 0] for _ in self.quantiles]
        self.ends = self.open = self.tables = 0
        self.halves, self.alone = [], []

    def table(self, seed):
        candidates, up_to = self.law
        draw = random.Random(seed)
        return sorted(candidates[min(bisect_left(up_to, draw.random() * up_to[-1]), len(candidates) - 1)] for _ in range(self.n))

    def run(self, folder, seed):
        table = self.table(seed)
        path = folder / "table.csv"
        path.write_text("x\n" + "".join(f"{k // 10}.{k % 10}\n" for k in table), encoding="utf-8")
        asked = (path, seed, ",".join(map(str, self.quantiles)), self.epsilon, self.records)
        self.tables += 1
        for i, (q, each) in enumerate(zip(self.quantiles, released(self.program, *asked, True))):
            rank = q * self.n
            lowest, highest = table[max(-(-rank.numerator // rank.denominator), 1) - 1], table[min(int(rank), self.n - 1)]
            lower, upper = candidate(each["lower"]), candidate(each["upper"])
            self.errs[i][0] += lower > lowest
            self.errs[i][1] += upper < highest
            if lowest > 0 and highest < LARGEST:
                self.ends += 2
                self.open += each.get("or_below", False) + each.get("or_above", False)
            self.halves += [max(0.0, float(rank) - bisect_right(table, lower)) / self.unit,
                            max(0.0, bisect_left(table, upper) - float(rank)) / self.unit]
        for q, each in zip(self.quantiles, released(self.program, *asked, False)):
            rank, there = float(q * self.n), candidate(each["value"])
            self.alone.append(max(0.0, bisect_left(table, there) - rank, rank - bisect_right(table, there)) / self.unit)

    def line(self):
        def at(numbers, share):
            return sorted(numbers)[min(int(share * len(numbers)), len(numbers) - 1)]
        worst = max(max(each) for each in self.errs) / self.tables
        between = self.n / (self.unit * (len(self.quantiles) + 1))
        alone, half = at(self.alone, 0.95), at(self.halves, 0.5)
        most = (4 if between >= 10 else 8) * alone + 12
        told = [] if between < 5 or half <= most else ["WIDE"]
        share = self.open / self.ends if self.ends else 0
        told += ["OPEN"] if between >= 20 and share > 0.01 else []
        return (f"{worst:6.3f} {share:6.3f} {half:7.1f} {at(self.halves, 0.9):7.1f} {alone:6.1f} "
                f"{most if between >= 5 else float('nan'):6.1f} {' '.join(told)}")


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("laws", type=Path)
    reader.add_argument("--tables", type=int, default=400)
    reader.add_argument("--only", help="one setting: m,epsilon,D,n,law")
    reader.add_argument("--sample", type=int, help="how many settings to draw at random [all]")
    reader.add_argument("--seed", type=int, default=1)
    asked = reader.parse_args()
    laws = {path.stem: law_of(path) for path in sorted(asked.laws.glob("*.csv"))}
    settings = list(itertools.product(*GRID, laws))
    if asked.only:
        m, epsilon, records, n, law = asked.only.split(",")
        settings = [(int(m), epsilon, int(records), int(n), law)]
    if asked.sample:
        settings = random.Random(asked.seed).sample(settings, asked.sample)
    print(f"{'m':>2} {'epsilon':>7} D {'n':>6} {'law':<18} {'errs':>6} {'open':>6} {'half':>7} {'p90':>7} {'alone':>6} {'most':>6}")
    with tempfile.TemporaryDirectory() as name:
        for m, epsilon, records, n, law in settings:
            setting = Setting(asked.program, laws[law], m, epsilon, records, n)
            for table in range(asked.tables):
                setting.run(Path(name), asked.seed * 1_000_003 + table)
            print(f"{m:>2} {epsilon:>7} {records} {n:>6} {law:<18} {setting.line()}", flush=True)


if __name__ == "__main__":
    main()
