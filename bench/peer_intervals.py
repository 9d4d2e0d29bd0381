#!/usr/bin/env python3
"""Confidence intervals of Google's quantile tree, through python-dp (PyDP): coverage and width on the laws of fractile reproduce intervals.

    peer_intervals.py FOLDER ROWS EPSILON TRIALS [LAW...]    FOLDER: that of --out, for its laws/NAME.csv

Quartiles, level 0.95, epsilon for all of them together, Laplace noise. Prints a line a law: of the quartile that is held least often,
the share of intervals that held the table's quantile and the law's; and the width of the three together, over that of the non-private
ones of order statistics. Its intervals are for the noise alone.
"""

import csv
import math
import sys
from pathlib import Path

import numpy

from pydp.algorithms.quantile_tree import QuantileTree

HEIGHT, BRANCHES = 4, 16  # its library's defaults
QUARTILES = (0.25, 0.5, 0.75)
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
        """The lowest and the highest."""
        return tuple(self.values[numpy.searchsorted(self.up_to, q + shift)] for shift in (-1e-7, 1e-7))


def of_table(table, q):
    """The lowest and the highest quantile of a sorted table."""
    n = len(table)
    return table[max(math.ceil(q * n), 1) - 1], table[min(math.floor(q * n), n - 1)]


def order_statistics(n, q):
    """As interval_coverage.cpp has them."""
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


def intervals(table, epsilon):
    """A record a call is all that its Python interface offers."""
    tree = QuantileTree(*BOUNDS, HEIGHT, BRANCHES)
    for record in table.tolist():
        tree.add_entry(record)
    return tree.compute_quantiles_and_confidence_intervals(epsilon, 0.0, 1, 1, list(QUARTILES), LEVEL, "laplace")


def holds(interval, values):
    """A leaf's width more is allowed: inside a leaf, the tree knows nothing of where records are."""
    slack = (BOUNDS[1] - BOUNDS[0]) / BRANCHES**HEIGHT
    return [interval.lower_bound - slack <= value <= interval.upper_bound + slack for value in values]


def study(law, rows, epsilon, trials):
    random = numpy.random.default_rng(1)
    ranks = [order_statistics(rows, q) for q in QUARTILES]
    held = numpy.zeros((2, len(QUARTILES), 2))  # the table's and the law's; lowest and highest
    widths = numpy.zeros((2, len(QUARTILES)))  # theirs and the non-private one
    for _ in range(trials):
        table = law.table(rows, random)
        padded = numpy.concatenate(([BOUNDS[0]], table, [BOUNDS[1]]))
        for i, interval in enumerate(intervals(table, epsilon)):
            held[0, i] += holds(interval, of_table(table, QUARTILES[i]))
            held[1, i] += holds(interval, law.quantiles(QUARTILES[i]))
            widths[0, i] += interval.upper_bound - interval.lower_bound
            widths[1, i] += padded[ranks[i][1]] - padded[ranks[i][0]]
    plain = widths[1].sum()
    ratio = float(widths[0].sum() / plain) if plain > 0 else None
    return held[0].min() / trials, held[1].min() / trials, ratio


def main(folder, rows, epsilon, trials, *names):
    files = sorted(Path(folder, "laws").glob("*.csv"))
    print(f"standard error of a coverage of {LEVEL}: {math.sqrt(LEVEL * (1 - LEVEL) / int(trials)):.4f}")
    for file in files:
        if names and file.stem not in names:
            continue
        table, law, ratio = study(Law(file), int(rows), float(epsilon), int(trials))
        width = "-" if ratio is None else f"{ratio:.2f}"
        print(f"{file.stem:<18} held: the table's {table:.3f}, the law's {law:.3f}; width {width}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
