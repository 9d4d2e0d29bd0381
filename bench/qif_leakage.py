#!/usr/bin/env python3
"""The rival for leakage: qif (libqif). Prints JSON.

    qif_leakage.py FAMILY POST ODDS PARTICIPANTS NUMBERS

The arguments are those of qif_refinement.py, for a target among known others. Measures the posterior Bayes vulnerability under a uniform
prior and the multiplicative Bayes capacity of a channel that exists already. Prints {"seconds": the median of up to 5 runs, "after": ...,
"capacity": ..., "version": ...}.
"""

import json
import statistics
import sys
import time
from fractions import Fraction

import numpy
import qif
from qif_refinement import channel


def measure(prior, rows):
    times = []
    while len(times) < 5 and sum(times) < 5:
        start = time.perf_counter()
        after = qif.measure.bayes_vuln.posterior(prior, rows)
        capacity = qif.measure.bayes_vuln.mult_capacity(rows)
        times.append(time.perf_counter() - start)
    return {"seconds": statistics.median(times), "after": str(after), "capacity": str(capacity)}


def main():
    family, post, odds, participants, numbers = sys.argv[1:]
    rows = channel(family, post, int(participants), odds, True)
    prior = numpy.array([Fraction(1, rows.shape[0])] * rows.shape[0], dtype=object)
    if numbers == "double":
        rows, prior = rows.astype(float), prior.astype(float)
    print(json.dumps({**measure(prior, rows), "version": qif.__version__}))


if __name__ == "__main__":
    main()
