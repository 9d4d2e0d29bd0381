#!/usr/bin/env python3
"""Quartiles of incomes by region from a table in Spark, with a ledger in the driver.

    spark-submit examples/spark_release.py PEOPLE.parquet BUDGET.db

The table has the columns income (a number), region (text) and person (text or a whole number). Every worker's Python needs the packages
fractile, in the driver's version, and pyarrow.
"""

import sys
from pathlib import Path

import fractile
import fractile.spark
from pyspark.sql import SparkSession

REGIONS = ["north", "south", "east", "west"]  # public: never read from the table


def main(people, budget):
    spark = SparkSession.builder.appName("fractile").getOrCreate()
    # Parquet declares its types. For a CSV file, give the schema: inferSchema looks at all records to decide how each one is read.
    df = spark.read.parquet(people)

    ledger = fractile.Ledger(budget)
    if not Path(budget).exists():
        ledger.init("people", epsilon=2)

    released = fractile.spark.release(
        df, "income", by="region", keys=REGIONS, person="person", records_per_person=3,
        bounds=(0, 500_000), step=1, quantiles="quartiles", epsilon=1, ledger=ledger, source="people 2026",
    )
    print(released)
    Path("incomes.json").write_text(released.receipt, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
