#!/usr/bin/env python3
"""The rival Google's quantile tree, through python-dp (PyDP). Epsilon 1 for all quantiles together. Prints JSON.

    peer_python_dp.py many M...                            M quantiles of 1,000 records
    peer_python_dp.py file PATH COLUMN LOWER UPPER STEP    a median of a column that pandas reads; STEP is ignored
    peer_python_dp.py accuracy SET TRIALS M
"""

import peer_work

from pydp.algorithms.quantile_tree import QuantileTree

import peer_columns

HEIGHT, BRANCHES = 4, 16  # the library's defaults


def quantiles_of(records, quantiles, bounds):
    """Adds one record per call, because the Python interface offers nothing else."""
    tree = QuantileTree(*bounds, HEIGHT, BRANCHES)
    for record in records.tolist():
        tree.add_entry(record)
    return tree.compute_quantiles(1.0, 0.0, 1, 1, quantiles, "laplace")


if __name__ == "__main__":
    peer_work.answer(peer_columns.works(quantiles_of), ("python-dp", "pandas"))
