"""Compares Fractile on Spark, with two cores, with Spark's own quantiles (not private) and with Tumult Analytics."""

import os
import tempfile

import peers
from page import shown, table, times, verdict

LIMIT = 900
SPARK, TUMULT = "peer_spark.py", "peer_tumult.py"
ALL = "quartiles by Tumult Analytics"
SCAN, RECORDS = "scan: sum(x)", 10_000_000
OURS, COUNT = "ours, step 0.01", "count by value"  # both in cents


def asked(variable, *words):
    python = os.environ.get(variable)
    if not python:
        return peers.Answer(absent=f"{variable} names no Python that has it")
    os.environ["FRACTILE_BENCH_PEERS"] = python
    return peers.ask(*words, limit=LIMIT)


def part(quick):
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/ten-million.parquet"
        ours = asked("FRACTILE_SPARK_PYTHON", SPARK, path, 1 if quick else 3)
        tumult = {n: asked("FRACTILE_TUMULT_PYTHON", TUMULT, path, n) for n in ((10_000,) if quick else (100_000, 10_000_000))}
    rows = [[name, shown(seconds * 1e9), times(seconds / ours.measured[SCAN]), shown(ours.processor[name] * 1e9),
             shown(ours.processor[name] * 1e9 / RECORDS)] for name, seconds in ours.measured.items()]
    if ours.absent:
        rows.append(["all", f"absent: {ours.absent}", "", "", ""])
    for records, answer in tumult.items():
        name = f"{ALL}, {records:,} records"
        if answer.absent:
            rows.append([name, f"absent: {answer.absent}", "", "", ""])
            continue
        worked = answer.processor["quartiles"] * 1e9
        rows.append([name, shown(answer.measured["quartiles"] * 1e9), "", shown(worked), shown(worked / records)])
    targets = []
    if not ours.absent:
        ratio = ours.measured[OURS] / ours.measured[COUNT]
        targets.append(verdict("a release of cents / Spark's count by value", f"{ratio:.2f}x", "<= 1.05x", ratio <= 1.05))
    versions = ", ".join(f"{name} {version}" for name, version in ours.versions.items())
    return ("## On Spark\n\n10,000,000 doubles of Parquet, lognormal to the cent, bounds 0 and 500,000, quartiles, epsilon 1; local[2]. "
            "Times are wall times, medians of three runs in turn after a run that warms up. Processor times cover the driver, the JVM and "
            "the workers; they are given in total and per record. percentile_approx and approxQuantile are not private. Tumult releases "
            f"one quantile after another, each for a third of epsilon; its times are those of the second of two runs. {os.cpu_count()} "
            f"cores, load average {load:.1f} at the start. {versions}.\n\n"
            + table(["what", "time", "over the scan", "processor time", "per record"], rows)
            + "\n" + table(["what", "measured", "target", ""], targets))
