"""On Spark, two cores: ours beside Spark's own quantiles, which are not private, and Tumult Analytics."""

import os
import tempfile

import peers
from page import shown, table, times

LIMIT = 900
SPARK, TUMULT = "peer_spark.py", "peer_tumult.py"
ALL = "quartiles by Tumult Analytics"


def asked(variable, *words):
    python = os.environ.get(variable)
    if not python:
        return peers.Answer(absent=f"{variable} names no Python that has it")
    os.environ["FRACTILE_BENCH_PEERS"] = python
    return peers.ask(*words, limit=LIMIT)


def part(quick):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/ten-million.parquet"
        ours = asked("FRACTILE_SPARK_PYTHON", SPARK, path, 1 if quick else 3)
        tumult = {n: asked("FRACTILE_TUMULT_PYTHON", TUMULT, path, n) for n in ((10_000,) if quick else (100_000, 10_000_000))}
    scan = ours.measured.get("scan: sum(x)")
    rows = [[name, shown(seconds * 1e9), times(seconds / scan)] for name, seconds in ours.measured.items()]
    if ours.absent:
        rows.append(["all", f"absent: {ours.absent}", ""])
    for records, answer in tumult.items():
        took = f"absent: {answer.absent}" if answer.absent else shown(answer.measured["quartiles"] * 1e9)
        rows.append([f"{ALL}, {records:,} records", took, ""])
    versions = ", ".join(f"{name} {version}" for name, version in ours.versions.items())
    return ("## On Spark\n\n10,000,000 doubles of Parquet, lognormal to the cent, bounds 0 and 500,000, quartiles, epsilon 1; local[2]. "
            "Wall time, medians of three runs in turn after one that warms up. percentile_approx and approxQuantile are not private. "
            f"Tumult ends with one quantile after the other, a third of epsilon each; the second of two runs. {versions}.\n\n"
            + table(["what", "time", "over the scan"], rows))
