#!/usr/bin/env python3
"""A publication of many columns by many cells, beside DuckDB's own grouped quantiles of the same columns, in turn.

    publication_scale.py PROGRAM [--rows N] [--columns K] [--cells N] [--runs N] [WORDS...]

Makes a Parquet file of N rows: whole numbers with tails, by region and sector, every cell of about as many records. Both read it from the
disk's cache and print or keep deciles of all columns by all cells; the program in one publication without totals, whose draws and receipt
are in its time. Prints seconds, processor time and the largest memory of each. WORDS are further options of `PROGRAM publish`, such as
--memory and --threads.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TENTHS = ", ".join(f"0.{i}" for i in range(1, 10))
MAKE = """import duckdb
base = duckdb.connect()
base.execute("SELECT setseed(0.5)")
base.execute(f"COPY (SELECT {columns}, 'r' || (random() * {regions})::INTEGER % {regions} AS region, "
             f"'s' || (random() * {sectors})::INTEGER % {sectors} AS sector FROM range({rows})) TO '{file}' (FORMAT parquet)")
"""
PEER = """import duckdb
base = duckdb.connect(config={{"threads": {threads}}})
found = base.execute("SELECT region, sector, {quantiles} FROM '{file}' GROUP BY ALL").fetchall()
assert len(found) == {cells}, len(found)
"""


def measured(command, **how):
    """Seconds, processor seconds, and megabytes of the largest child so far."""
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.Popen(command, **how)
    _, status, used = os.wait4(done.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=11)
    parser.add_argument("--cells", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3)
    asked, words = parser.parse_known_args()
    regions = max(1, asked.cells // 100)
    sectors = asked.cells // regions
    names = [f"c{i}" for i in range(1, asked.columns + 1)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.parquet")
        columns = ", ".join(f"(exp(random() * 5) * 100)::INTEGER AS {name}" for name in names)
        make = (f"columns, regions, sectors, rows, file = {columns!r}, {regions}, {sectors}, {asked.rows}, {str(file)!r}\n" + MAKE)
        subprocess.run([sys.executable, "-c", make], check=True)
        lines = ["[publication]", "epsilon = 10", "[input]", f'file = "{file}"', "[keys]",
                 f"region = {[f'r{i}' for i in range(regions)]}", f"sector = {[f's{i}' for i in range(sectors)]}"]
        for name in names:
            lines += ["[[table]]", f'name = "{name}"', f'column = "{name}"', "bounds = [0, 20_000]", "step = 1", 'quantiles = "deciles"',
                      'by = ["region", "sector"]', f"rows = {max(1, asked.rows // (regions * sectors))}"]
        publication = Path(folder, "table.toml")
        publication.write_text("\n".join(lines) + "\n")
        quantiles = ", ".join(f"quantile_disc({name}, [{TENTHS}])" for name in names)
        peer = PEER.format(threads=os.cpu_count(), quantiles=quantiles, file=file, cells=regions * sectors)
        print(f"{asked.rows} rows, {asked.columns} columns, {regions * sectors} cells, deciles; seconds, of processor, MB")
        for _ in range(asked.runs):
            with open(Path(folder, "out.csv"), "wb") as out:
                ours = measured([asked.program, "publish", publication, "--format", "csv", *words], stdout=out)
            theirs = measured([sys.executable, "-c", peer])
            print("fractile {:.1f} {:.1f} {:.0f}   duckdb {:.1f} {:.1f} {:.0f}   ratio {:.2f}".format(*ours, *theirs, ours[0] / theirs[0]))


if __name__ == "__main__":
    main()
