#!/usr/bin/env python3
"""Intervals in a statistician's table: deciles of six uneven groups of households with two records each, for epsilon 1/6.

    interval_groups.py PROGRAM [--releases N] [--seed N] [WORDS...]

WORDS are further options of `PROGRAM release`, such as --expected-rows 80000 or --of population. Prints how many ends are bounds of the
range, how many intervals miss the table's quantile, how many ends lie below the same end of the previous decile, and widths divided by the
quantile. The releases are not private: the seeds are known.
"""

import argparse
import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

SIZES = {"a": 18_000, "b": 30_000, "c": 45_000, "d": 65_000, "e": 90_000, "f": 130_000}
RANGE = (0, 200_000)
STEP = 100
DECILES = [Fraction(k, 10) for k in range(1, 10)]
SPREAD = 0.61  # of the logarithm: 700 records next to the outer deciles of the smallest group span 27 % of the value


def incomes(seed):
    """The incomes of each group, rounded to the step."""
    law = random.Random(seed)
    table = {}
    for place, (group, size) in enumerate(SIZES.items()):
        middle = 10.1 + 0.06 * place
        values = (law.lognormvariate(middle, SPREAD) for _ in range(size))
        table[group] = [min(round(value / STEP) * STEP, RANGE[1]) for value in values]
    return table


def write(table, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["household", "group", "income"])
        household = 0
        for group, values in table.items():
            for place, value in enumerate(values):
                household += place % 2 == 0
                rows.writerow([household, group, value])


def release(program, path, seed, words):
    command = [program, "release", path, "--column", "income", "--bounds", *map(str, RANGE), "--step", str(STEP), "--by", "group",
               "--keys", ",".join(SIZES), "--person", "household", "--records-per-person", "5", "--quantiles",
               ",".join(map(str, DECILES)), "--epsilon", "1/6", "--intervals", "0.95", "--of", "table", "--unsafe-seed", str(seed),
               "--format", "json", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def held(values, q, lower, upper):
    """Every quantile between the records of rank ceil(q n) and floor(q n) + 1."""
    n = len(values)
    return lower <= values[max(-(-q.numerator * n // q.denominator), 1) - 1] and values[min(int(q * n), n - 1)] <= upper


def intervals_of(released):
    """(group, decile, value, lower, upper, or below, or above)."""
    for group in released["groups"]:
        for each in group["quantiles"]:
            yield (group["key"], Fraction(each["quantile"]), float(each["value"]), float(each["lower"]), float(each["upper"]),
                   each.get("or_below", False), each.get("or_above", False))


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--releases", type=int, default=4)
    reader.add_argument("--seed", type=int, default=1)
    asked, words = reader.parse_known_args()
    table = incomes(asked.seed)
    ends = open_ends = left_out = falling = 0
    errors, widths = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write(table, path)
        columns = {group: sorted(values) for group, values in table.items()}
        for seed in range(asked.seed, asked.seed + asked.releases):
            before = {}
            for group, q, value, lower, upper, or_below, or_above in intervals_of(release(asked.program, path, seed, words)):
                values = columns[group]
                quantile = values[int(q * len(values))]
                ends += 2
                open_ends += or_below + or_above
                left_out += not held(values, q, lower, upper)
                if group in before:
                    falling += (lower < before[group][0]) + (upper < before[group][1])
                before[group] = (lower, upper)
                errors.append(abs(value - quantile) / quantile)
                widths.append((upper - lower) / quantile)
    def at(numbers, share):
        return sorted(numbers)[min(int(share * len(numbers)), len(numbers) - 1)]
    print(f"{ends // 2} intervals: {open_ends} of {ends} ends are bounds of the range, {left_out} intervals miss the quantile, "
          f"{falling} ends lie below the same end of the previous decile")
    print(f"width divided by the quantile: {statistics.median(widths):.1%} median, {at(widths, 0.9):.1%} in nine of ten, "
          f"{max(widths):.1%} at most; the value is off by {statistics.median(errors):.2%} median, {at(errors, 0.9):.2%} in nine of ten")


if __name__ == "__main__":
    main()
