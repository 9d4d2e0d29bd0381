#!/usr/bin/env python3
"""Confidence intervals of Google's quantile tree, through python-dp (PyDP): coverage and width on the laws of
`fractile reproduce intervals`.

    peer_intervals.py FOLDER ROWS EPSILON TRIALS [--quantiles M] [LAW...]    FOLDER: the --out of that command, with laws/NAME.csv

M quantiles i/(M+1) (default: 3) with intervals of level 0.95 and Laplace noise; EPSILON pays for all of them together. The intervals of
Google's tree cover the noise only. Prints one line per law:

    the share of intervals that held the table's quantile, and the law's, for the quantile that was held least often
    the width of all intervals, divided by that of non-private intervals from order statistics
    the number of records from the table's quantile to an end, times epsilon: the median, and the number that nine in ten ends do not
    exceed, as in table_widths.csv of `fractile reproduce intervals`
"""

import argparse
import csv
import math
from pathlib import Path

import numpy

from pydp.algorithms.quantile_tree import QuantileTree

HEIGHT, BRANCHES = 4, 16  # the library's defaults
LEVEL = 0.95
BOUNDS = (0.0, 1000.0)
STEP = 0.1  # between candidates


class Law:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.values = numpy.array([int(row["candidate"]) for row in rows]) * STEP
        masses = numpy.array([float(row["mass"]) for row in rows])
        self.masses = masses / masses.sum()
        self.up_to = numpy.cumsum(self.masses)

    def table(self, rows, random):
        return numpy.sort(random.choice(self.values, size=rows, p=self.masses))

    def quantiles(self, q):
        """The lowest and the highest quantile of the law."""
        return tuple(self.values[numpy.searchsorted(self.up_to, q + shift)] for shift in (-1e-7, 1e-7))


def of_table(table, q):
    """The lowest and the highest quantile of a sorted table."""
    n = len(table)
    return table[max(math.ceil(q * n), 1) - 1], table[min(math.floor(q * n), n - 1)]


def order_statistics(n, q):
    """The ranks of the order statistics that make an interval, as in interval_coverage.cpp."""
    def mass(k):
        return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(q)
                        + (n - k) * math.log1p(-q))
    failure = (1 - LEVEL) / 2
    low, below = 0, mass(0)
    while below <= failure:
        low += 1
        below += mass(low)
    high, above = n + 1, mass(n)
    while above <= failure:
        high -= 1
        above += mass(high - 1)
    return low, high


def intervals(table, epsilon, quantiles):
    """Adds one record per call, because the Python interface offers nothing else."""
    tree = QuantileTree(*BOUNDS, HEIGHT, BRANCHES)
    for record in table.tolist():
        tree.add_entry(record)
    return tree.compute_quantiles_and_confidence_intervals(epsilon, 0.0, 1, 1, list(quantiles), LEVEL, "laplace")


def holds(interval, values):
    """Whether the interval holds each value. It may miss by a leaf's width, because the tree does not know where in a leaf records are."""
    slack = (BOUNDS[1] - BOUNDS[0]) / BRANCHES**HEIGHT
    return [interval.lower_bound - slack <= value <= interval.upper_bound + slack for value in values]


def half_widths(interval, table, q):
    """The numbers of records from the quantile to either end."""
    rank = q * len(table)
    return (max(0.0, rank - numpy.searchsorted(table, interval.lower_bound, side="right")),
            max(0.0, numpy.searchsorted(table, interval.upper_bound, side="left") - rank))


def study(law, rows, epsilon, trials, quantiles):
    random = numpy.random.default_rng(1)
    ranks = [order_statistics(rows, q) for q in quantiles]
    held = numpy.zeros((2, len(quantiles), 2))  # (table or law, quantile, lowest or highest)
    widths = numpy.zeros((2, len(quantiles)))  # (the rival's or the non-private one, quantile)
    halves = []
    for _ in range(trials):
        table = law.table(rows, random)
        padded = numpy.concatenate(([BOUNDS[0]], table, [BOUNDS[1]]))
        for i, interval in enumerate(intervals(table, epsilon, quantiles)):
            held[0, i] += holds(interval, of_table(table, quantiles[i]))
            held[1, i] += holds(interval, law.quantiles(quantiles[i]))
            widths[0, i] += interval.upper_bound - interval.lower_bound
            widths[1, i] += padded[ranks[i][1]] - padded[ranks[i][0]]
            halves += half_widths(interval, table, quantiles[i])
    plain = widths[1].sum()
    ratio = float(widths[0].sum() / plain) if plain > 0 else None
    return held[0].min() / trials, held[1].min() / trials, ratio, numpy.quantile(halves, (0.5, 0.9)) * epsilon


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("folder", type=Path)
    reader.add_argument("rows", type=int)
    reader.add_argument("epsilon", type=float)
    reader.add_argument("trials", type=int)
    reader.add_argument("names", nargs="*")
    reader.add_argument("--quantiles", type=int, default=3)
    asked = reader.parse_intermixed_args()
    quantiles = [i / (asked.quantiles + 1) for i in range(1, asked.quantiles + 1)]
    print(f"standard error of a coverage of {LEVEL}: {math.sqrt(LEVEL * (1 - LEVEL) / asked.trials):.4f}")
    for file in sorted((asked.folder / "laws").glob("*.csv")):
        if asked.names and file.stem not in asked.names:
            continue
        table, law, ratio, (half, nine) = study(Law(file), asked.rows, asked.epsilon, asked.trials, quantiles)
        width = "-" if ratio is None else f"{ratio:.2f}"
        print(f"{file.stem:<18} held: the table's {table:.3f}, the law's {law:.3f}; width {width}; half widths {half:.1f}, {nine:.1f}",
              flush=True)


if __name__ == "__main__":
    main()
