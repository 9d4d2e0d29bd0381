#!/usr/bin/env python3
"""The rival diffprivlib. Epsilon 1; it splits the budget among the quantiles itself. Prints JSON.

    peer_diffprivlib.py select K...                          one selection from K scores
    peer_diffprivlib.py many M...                            M quantiles of 1,000 records
    peer_diffprivlib.py file PATH COLUMN LOWER UPPER STEP    a median of a column that pandas reads; STEP is ignored
    peer_diffprivlib.py accuracy SET TRIALS M
"""

import peer_work

import numpy
from diffprivlib.mechanisms import Exponential
from diffprivlib.tools import quantile

import peer_columns


def quantiles_of(records, quantiles, bounds):
    return numpy.ravel(quantile(records, quantiles, epsilon=1.0, bounds=bounds))


def select(*sizes):
    """Selects with rate 1, which is half of diffprivlib's epsilon."""
    def choose(scores):
        return Exponential(epsilon=2.0, sensitivity=1.0, utility=scores).randomise()

    result = {}
    for k in sizes:
        scores = [-float(score) for score in peer_work.dense_scores(int(k))]
        result[f"softmax/{k}"] = peer_work.median_seconds(lambda s=scores: choose(s))
    return result


if __name__ == "__main__":
    peer_work.answer({"select": select, **peer_columns.works(quantiles_of)}, ("diffprivlib", "numpy", "pandas"))
