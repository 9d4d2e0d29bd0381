#!/usr/bin/env python3
"""The rival for refinement: qif (libqif), with its linear program. Prints JSON.

    qif_refinement.py FAMILY POST ODDS PARTICIPANTS NUMBERS [target]

FAMILY is randomized_response or geometric, on 3 values; POST is count (of the first value) or sum; NUMBERS is rational or double. The
question is whether the pipeline at odds 3 is refined by the pipeline at ODDS. The channels exist already. They have one row for all
arrangements of the same values, as ours do, or with `target` one row for each value of a target among known others, who are spread evenly
over the values. The answer has a certificate, as ours does. Prints {"seconds": the median of up to 5 runs, "refines": ..., "version": ...},
or {"failed": ...} with the reason why qif cannot answer.
"""

import itertools
import json
import statistics
import sys
import time
from fractions import Fraction

import numpy
import qif


def randomized_response(odds, values):
    return [[(odds if x == y else Fraction(1)) / (odds + values - 1) for y in range(values)] for x in range(values)]


def geometric(odds, values):
    """The geometric channel. The first and last answers take the probability of all answers beyond them."""
    a = 1 / odds

    def probability(x, y):
        at_the_edge = y in (0, values - 1)
        return a ** abs(x - y) * (1 if at_the_edge else 1 - a) / (1 + a)

    return [[probability(x, y) for y in range(values)] for x in range(values)]


def product(one, other):
    result = [Fraction(0)] * (len(one) + len(other) - 1)
    for (i, p), (j, q) in itertools.product(enumerate(one), enumerate(other)):
        result[i + j] += p * q
    return result


def secrets(participants, values, is_target):
    if not is_target:
        return itertools.combinations_with_replacement(range(values), participants)
    known = [value for value in range(values) for _ in range((participants - 1 + value) // values)]
    return ([*known, value] for value in range(values))


def channel(family, post, participants, odds, is_target=False, values=3):
    noise = {"randomized_response": randomized_response, "geometric": geometric}[family](Fraction(odds), values)
    single = [[1 - row[0], row[0]] for row in noise] if post == "count" else noise
    rows = []
    for secret in secrets(participants, values, is_target):
        row = [Fraction(1)]
        for value in secret:
            row = product(row, single[value])
        rows.append(row)
    return numpy.array(rows, dtype=object)


def measure(more, less):
    times = []
    while len(times) < 5 and sum(times) < 5:
        start = time.perf_counter()
        refines, _, _ = qif.refinement.refined_by_witness(more, less)
        times.append(time.perf_counter() - start)
    return {"seconds": statistics.median(times), "refines": bool(refines)}


def main():
    family, post, less_odds, participants, numbers, *target = sys.argv[1:]
    more, less = (channel(family, post, int(participants), odds, bool(target)) for odds in ("3", less_odds))
    if numbers == "double":
        more, less = more.astype(float), less.astype(float)
    try:
        result = measure(more, less)
    except RuntimeError as error:
        result = {"failed": str(error)}
    print(json.dumps({**result, "version": qif.__version__}))


if __name__ == "__main__":
    main()
