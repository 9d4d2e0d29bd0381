#!/usr/bin/env python3
"""Quartiles of a column of Parquet on Spark, local[2]: ours, Spark's, which are not private, and only the scan.

    peer_spark.py FILE.parquet [ROUNDS]     FILE has the columns x (double) and id (a whole number); if it does not exist, it is made
                                            with 10,000,000 records

Needs pyspark, pyarrow, numpy and fractile (PYTHONPATH=build/release/python), and Java. Prints JSON: median seconds of the wall clock and of
processor time.
"""

import json
import os
import statistics
import sys
import time
from pathlib import Path

import fractile
import fractile.spark
import numpy
import processor
import pyarrow
import pyarrow.parquet

ROWS, PERSONS = 10_000_000, 3_000_000


def make(path):
    draw = numpy.random.default_rng(1)
    table = pyarrow.table({"x": numpy.round(draw.lognormal(10, 1, ROWS), 2), "id": draw.integers(0, PERSONS, ROWS)})
    pyarrow.parquet.write_table(table, path, row_group_size=1_000_000)


def session():
    import pyspark
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "2g")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark, pyspark.__version__


def main(path, rounds):
    if not Path(path).exists():
        make(path)
    spark, version = session()
    df = spark.read.parquet(path)
    groups = df.selectExpr("x", "id", "cast(id % 100 as string) as g")
    keys = [str(i) for i in range(100)]
    release = {"bounds": (0, 500_000), "quantiles": "quartiles", "epsilon": 1}
    quartiles = [0.25, 0.5, 0.75]
    contenders = {
        "scan: sum(x)": lambda: df.selectExpr("sum(x)").collect(),
        "ours, step 1": lambda: fractile.spark.release(df, "x", step=1, **release),
        "ours, step 0.01": lambda: fractile.spark.release(df, "x", step="0.01", **release),
        "ours, 100 groups, step 1": lambda: fractile.spark.release(groups, "x", by="g", keys=keys, step=1, **release),
        "ours, 2 records a person, step 1": lambda: fractile.spark.release(
            df, "x", person="id", records_per_person=2, step=1, **release
        ),
        "count by value": lambda: df.groupBy("x").count().selectExpr("count(*)").collect(),
        "percentile_approx": lambda: df.selectExpr("percentile_approx(x, array(0.25, 0.5, 0.75))").collect(),
        "approxQuantile, 0.001": lambda: df.approxQuantile("x", quartiles, 0.001),
        "one machine, the same file": lambda: fractile.release(path, "x", step=1, **release),
    }
    clocks = {"measured": time.perf_counter, "processor": processor.seconds}
    taken = {clock: {name: [] for name in contenders} for clock in clocks}
    for turn in range(rounds + 1):  # the first round warms up
        for name, run in contenders.items():
            start = {clock: now() for clock, now in clocks.items()}
            run()
            for clock, now in clocks.items():
                if turn:
                    taken[clock][name].append(now() - start[clock])
    medians = {clock: {name: round(statistics.median(times), 3) for name, times in of.items()} for clock, of in taken.items()}
    print(json.dumps({**medians, "versions": {"pyspark": version, "fractile": fractile.__version__}}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
