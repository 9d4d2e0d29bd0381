#!/usr/bin/env python3
"""Quantiles of a column that a Python program holds already, by one library, ours or a rival, for epsilon 1. Prints JSON.

    peer_doors.py release LIBRARY DOOR N M...    M quantiles of N records in a column of pandas, polars or numpy (DOOR): seconds,
                                                 bytes by which the first release raises the peak memory, and the mean gap
"""

import peer_work

import importlib
import resource

import numpy

MODULES = {"ours": "fractile", "OpenDP": "peer_opendp", "diffprivlib": "peer_diffprivlib",
           "Google's tree (python-dp)": "peer_python_dp"}
PACKAGES = {"ours": (), "OpenDP": ("opendp",), "diffprivlib": ("diffprivlib",), "Google's tree (python-dp)": ("python-dp",)}
CANDIDATES = 10_001  # for OpenDP


def column_of(door, records):
    if door == "numpy":
        return records
    return importlib.import_module(door).Series(records)


def release_by(library, m):
    """A function from a column to m released quantiles."""
    module, quantiles = importlib.import_module(MODULES[library]), peer_work.borders(m)
    lower, upper = peer_work.BOUNDS
    if library == "ours":
        exact = [f"{i}/{m + 1}" for i in range(1, m + 1)]
        bounds = int(lower), int(upper)
        return lambda column: [float(value) for value in module.release(column, bounds=bounds, step="0.001", quantiles=exact,
                                                                        epsilon=1).quantiles.values()]
    if library == "OpenDP":
        measurements = module.private_quantiles(numpy.linspace(lower, upper, CANDIDATES).tolist(), quantiles)
        # OpenDP refuses read-only arrays, such as those of pandas and polars, so copying them is part of the call.
        return lambda column: [measurement(numpy.require(column, requirements="W")) for measurement in measurements]
    return lambda column: module.quantiles_of(numpy.asarray(column), quantiles, peer_work.BOUNDS)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def release(library, door, n, *counts):
    records = numpy.random.default_rng(1).normal(0, 5, int(n)).clip(*peer_work.BOUNDS)
    ordered = numpy.sort(records)
    column, result = column_of(door, records), {}
    for m in counts:
        call = release_by(library, int(m))
        call(column[:100])  # loads everything that is loaded once
        before = peak()
        released = call(column)
        grown = peak() - before
        result[f"{m}/seconds"] = peer_work.median_seconds(lambda c=call: c(column), most=10)
        result[f"{m}/bytes"] = grown
        result[f"{m}/gap"] = peer_work.mean_gap(ordered, released)
    return result


if __name__ == "__main__":
    import sys

    peer_work.answer({"release": release}, PACKAGES.get(sys.argv[2] if len(sys.argv) > 2 else "", ()))
