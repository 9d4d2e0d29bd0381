#!/usr/bin/env python3
"""The rival in numpy: ApproximateQuantiles, written anew after its authors' program. Prints medians as JSON.

    approximate_numpy.py RUNS

1,000 records in [0, 1024), epsilon 1. Prints {"10": seconds, "50": ..., "120": ...}. Insecure: doubles decide.
"""

import json
import sys
import time

import numpy as np


def select(records, low, high, q, epsilon, random):
    """One quantile by the exponential mechanism over the intervals between sorted records."""
    borders = np.concatenate(([low], records, [high]))
    widths = np.diff(borders)
    utilities = -np.abs(np.arange(len(widths)) - q * len(records))
    with np.errstate(divide="ignore"):
        weights = np.log(widths) + epsilon * utilities / (2 * max(q, 1 - q))
        k = np.argmin(np.log(-np.log(random.random(len(weights)))) - weights)
    return random.uniform(borders[k], borders[k + 1])


def approximate(records, low, high, quantiles, epsilon, random):
    if not len(quantiles):
        return []
    middle = len(quantiles) // 2
    q = quantiles[middle]
    value = select(records, low, high, q, epsilon, random)
    below = approximate(records[records < value], low, value, quantiles[:middle] / q, epsilon, random)
    above = approximate(records[records >= value], value, high, (quantiles[middle + 1:] - q) / (1 - q), epsilon, random)
    return [*below, value, *above]


def main():
    random = np.random.default_rng(1)
    records = np.sort((random.random(1000) + random.random(1000)) * 512)
    medians = {}
    for m in (10, 50, 120):
        quantiles = np.arange(1, m + 1) / (m + 1)
        times = []
        for _ in range(int(sys.argv[1])):
            start = time.perf_counter()
            approximate(records, 0.0, 1024.0, quantiles, 1 / (np.log2(m) + 1), random)
            times.append(time.perf_counter() - start)
        medians[m] = float(np.median(times))
    print(json.dumps(medians))


if __name__ == "__main__":
    main()
