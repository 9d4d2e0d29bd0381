#!/usr/bin/env python3
"""Quartiles of the column of peer_spark.py by Tumult Analytics on Spark, local[2]: epsilon 1 in all, bounds 0 and 500,000.

    peer_tumult.py FILE.parquet [RECORDS]    FILE as peer_spark.py makes it; only its first RECORDS records

Needs tmlt.analytics in a separate Python, because it needs an older pyspark. Prints JSON: seconds of the second of two runs, of the wall
clock and of processor time.
"""

import json
import sys
import tempfile
import time

import processor
from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, PureDPBudget, QueryBuilder, Session


def main(path, records):
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "2g").config("spark.ui.enabled", "false")
    # Temporary tables stay in this folder.
    spark = builder.config("spark.sql.warehouse.dir", tempfile.mkdtemp()).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    df = spark.read.parquet(path).select("x")
    if records:
        df = df.limit(records)
    session = Session.from_dataframe(PureDPBudget(2), "people", df, protected_change=AddOneRow())
    for _ in range(2):
        start, worked = time.perf_counter(), processor.seconds()
        for quantile in (0.25, 0.5, 0.75):
            query = QueryBuilder("people").quantile("x", quantile, low=0, high=500_000)
            session.evaluate(query, PureDPBudget(1 / 3)).collect()
        taken, worked = time.perf_counter() - start, processor.seconds() - worked
    print(json.dumps({"measured": {"quartiles": round(taken, 2)}, "processor": {"quartiles": round(worked, 2)}}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
