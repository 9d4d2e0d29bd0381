"""The works that rivals in Python do, and how they answer. Import it first: its clock starts before any library is loaded.

A rival names its works. A work takes words and returns what it measured, which is printed as JSON.
"""

import time

STARTED = time.perf_counter()

import json
import statistics
import sys
from importlib import metadata

import numpy

BOUNDS = (-100.0, 100.0)  # of the accuracy protocol
RECORDS = 1000


def answer(works, packages):
    """Does the work that the command line names, WORK WORDS..., and prints what it measured and the versions of the packages."""
    if len(sys.argv) < 2 or sys.argv[1] not in works:
        sys.exit(sys.modules["__main__"].__doc__)
    measured = works[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"measured": measured, "versions": {name: metadata.version(name) for name in packages}}))


# --- Time ------------------------------------------------------------------------------------------------------------


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def median_seconds(call, most=30, enough=1.0):
    """The median time of `most` calls, or of as many as fit into `enough` seconds. The first call warms up, and counts only if it is the
    only one."""
    runs = [seconds(call)]
    while len(runs) <= most and sum(runs) < enough:
        runs.append(seconds(call))
    return statistics.median(runs[1:] or runs)


def one_quantile(release):
    """A whole process without the start of Python: the seconds of loading the libraries, and those of the work."""
    loading = time.perf_counter() - STARTED
    return {"loading": loading, "seconds": seconds(release)}


# --- Work ------------------------------------------------------------------------------------------------------------


def dense_scores(k):
    """The scores of selection_cases.cpp; the smallest is the best."""
    return [abs(2 * i - k) for i in range(k)]


def sorted_records(n):
    """Records in [0, 1024), dense in the middle, as in quantile_cases.cpp."""
    random = numpy.random.default_rng(n)
    return numpy.sort((random.random(n) + random.random(n)) * 512)


def borders(m):
    return [i / (m + 1) for i in range(1, m + 1)]


# --- Accuracy --------------------------------------------------------------------------------------------------------


def sample(of, trial):
    """The two sets of the protocol that need no file. Every rival gets the same samples."""
    random = numpy.random.default_rng([1, trial])
    return numpy.sort({"uniform": lambda: random.uniform(-5, 5, RECORDS),
                       "gaussian": lambda: random.normal(0, 5, RECORDS).clip(*BOUNDS)}[of]())


def mean_gap(records, released):
    """The mean over j of #{x in [min(o, v), max(o, v))}, o the record of rank floor(q n): experiments/metrics.hpp."""
    n, m = len(records), len(released)
    truth = [records[min(n - 1, j * n // (m + 1))] for j in range(1, m + 1)]
    return float(numpy.mean(numpy.abs(numpy.searchsorted(records, truth) - numpy.searchsorted(records, released))))


def accuracy(of, trials, m, release):
    gaps = []
    for trial in range(int(trials)):
        records = sample(of, trial)
        gaps.append(mean_gap(records, release(records, borders(int(m)))))
    return {"gap": statistics.mean(gaps), "error": statistics.stdev(gaps) / len(gaps) ** 0.5}
