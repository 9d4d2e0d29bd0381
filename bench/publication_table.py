#!/usr/bin/env python3
"""A statistician's whole table: incomes with tails and heaps, and hours with ties, of people in households, by region, sex and sector.

    publication_table.py PROGRAM [--people N] [--epsilon E] [--seed N] [WORDS...]

Makes the table and the publication's file (12 regions, 2 sexes, 5 sectors, deciles, all totals), publishes it by one command, and compares
the published values with the table's quantiles: rank errors as shares of the cell's records, one line per level. WORDS are further options
of `PROGRAM publish`, such as --ledger and --memory. The publication is not private: the seed is known.
"""

import argparse
import bisect
import csv
import io
import random
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

REGIONS = [f"r{i:02}" for i in range(1, 13)]
SECTORS = ["A", "B", "C", "D", "E"]
FILE = """[publication]
title = "Incomes and hours"
epsilon = {epsilon}
person = "household"
records_per_person = 2
[input]
file = "people.csv"
[keys]
region = [{regions}]
sex = {{ f = "women", m = "men" }}
sector = [{sectors}]
[[table]]
name = "income"
column = "income"
bounds = [0, 200_000]
step = 10
quantiles = "deciles"
by = ["region", "sex", "sector"]
totals = "all"
rows = {rows}
[[table]]
name = "hours"
column = "hours"
bounds = [0, 80]
step = 0.5
quantiles = "quartiles"
by = ["region", "sex"]
totals = "all"
rows = {rows_of_hours}
"""


def people(number, law):
    """People, two to a household, in uneven regions: the largest has about eight times as many as the smallest."""
    weights = [1 + 0.6 * i for i in range(len(REGIONS))]
    for i in range(number):
        region, sector, sex = law.choices(REGIONS, weights)[0], law.choice(SECTORS), law.choice("fm")
        income = law.lognormvariate(10.1 + 0.05 * SECTORS.index(sector) + 0.1 * (sex == "m"), 0.6)
        if law.random() < 0.4:  # reported in thousands
            income = round(income, -3)
        hours = law.choice([20, 35, 38.5, 40, 40, 40, law.randrange(1, 140) / 2])
        yield i // 2, region, sex, sector, round(income, 2), hours


def write(rows, path):
    cells = {}
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["household", "region", "sex", "sector", "income", "hours"])
        for row in rows:
            out.writerow(row)
            _, region, sex, sector, income, hours = row
            for key in {(a, b, c) for a in (region, "") for b in (sex, "") for c in (sector, "")}:
                cells.setdefault(("income", *key), []).append(round(min(income, 200_000) / 10) * 10)
                if key[2] == "":
                    cells.setdefault(("hours", *key), []).append(min(hours, 80))
    return {key: sorted(values) for key, values in cells.items()}


def rank_error(values, quantile, value):
    wanted = float(Fraction(quantile)) * len(values)
    below, at_or_below = bisect.bisect_left(values, value), bisect.bisect_right(values, value)
    return max(below - wanted, wanted - at_or_below, 0) / len(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--people", type=int, default=2_000_000)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--seed", type=int, default=1)
    asked, words = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        truth = write(people(asked.people, random.Random(asked.seed)), Path(folder, "people.csv"))
        quoted = [", ".join(f'"{key}"' for key in keys) for keys in (REGIONS, SECTORS)]
        file = Path(folder, "people.toml")
        file.write_text(FILE.format(epsilon=asked.epsilon, regions=quoted[0], sectors=quoted[1], rows=asked.people // 250,
                                    rows_of_hours=asked.people // 50))
        begun = time.perf_counter()
        done = subprocess.run([Path(asked.program).resolve(), "publish", file, "--format", "csv", *words], capture_output=True, text=True)
        took = time.perf_counter() - begun
        if done.returncode != 0:
            sys.exit(done.stderr)
        errors = {}
        for row in csv.DictReader(io.StringIO(done.stdout)):
            key = (row["table"], row["region"], row["sex"], row["sector"])
            level = (row["table"], " x ".join(name for name in ("region", "sex", "sector") if row[name]) or "everyone")
            errors.setdefault(level, []).append(rank_error(truth[key], row["quantile"], float(row["value"])))
        print(f"{asked.people} people, {sum(len(each) for each in errors.values())} values, {took:.1f} s")
        print(f"{'table':8} {'level':24} {'median':>8} {'largest':>8}   rank errors, in shares of the cell")
        for (table, level), found in errors.items():
            print(f"{table:8} {level:24} {100 * statistics.median(found):7.2f}% {100 * max(found):7.2f}%")


if __name__ == "__main__":
    main()
