"""Publications: a whole process that publishes many columns by many cells, compared with DuckDB's grouped quantiles of the same columns."""

import os
import sys
import tempfile
from pathlib import Path

import selections
from page import table, verdict

COLUMNS = 11
REGIONS, SECTORS = 20, 100
ROUNDS = 3


def names():
    return [f"c{i}" for i in range(1, COLUMNS + 1)]


def write_table(duckdb, path, rows):
    """A table of whole numbers with tails, by region and sector; all cells have about equally many records."""
    columns = ", ".join(f"CAST(exp(random() * 5) * 100 AS INTEGER) AS {name}" for name in names())
    keys = ", ".join(f"'{letter}' || CAST(floor(random() * {many}) AS INTEGER) AS {name}"
                     for letter, many, name in (("r", REGIONS, "region"), ("s", SECTORS, "sector")))
    duckdb("SELECT setseed(0.5)", f"COPY (SELECT {columns}, {keys} FROM range({rows})) TO '{path}'")


def publication(path, rows):
    """The publication's file: deciles of each column by all cells, without totals."""
    lines = ["[publication]", "epsilon = 10", "[input]", f'file = "{path}"', "[keys]",
             f"region = {[f'r{i}' for i in range(REGIONS)]}", f"sector = {[f's{i}' for i in range(SECTORS)]}"]
    for name in names():
        lines += ["[[table]]", f'name = "{name}"', f'column = "{name}"', "bounds = [0, 20_000]", "step = 1", 'quantiles = "deciles"',
                  'by = ["region", "sector"]', f"rows = {max(1, rows // (REGIONS * SECTORS))}"]
    return "\n".join(lines) + "\n"


def part(folder, quick, duckdb, query):
    """The arguments are those of selections.part()."""
    program = folder.parent / "fractile"
    rows = 100_000 if quick else 20_000_000
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        path, file = Path(name, "table.parquet"), Path(name, "table.toml")
        write_table(duckdb, path, rows)
        file.write_text(publication(path, rows), encoding="utf-8")
        deciles = ", ".join(f"quantile_disc({column}, [{', '.join(f'0.{i}' for i in range(1, 10))}])" for column in names())
        theirs = f"SELECT region, sector, {deciles} FROM '{path}' GROUP BY ALL"
        publish = (program, "publish", file, "--format", "csv")
        times = selections.in_turn({
            "ours": lambda: selections.measured(*publish),
            "limited": lambda: selections.measured(*publish, "--memory", "2GB"),
            "theirs": lambda: selections.measured(sys.executable, "-c", query, theirs),
        }, 1 if quick else ROUNDS)
    base = times["theirs"][0]
    lines = [[what, f"{times[who][0]:.2f} s", f"{times[who][1]:.2f} GB", f"{times[who][0] / base:.2f}x"]
             for what, who in (("fractile publish", "ours"), ("fractile publish with `--memory 2GB`", "limited"), ("DuckDB", "theirs"))]
    ratio = times["ours"][0] / base
    return "\n".join([
        "## A publication\n",
        f"Deciles of {COLUMNS} columns by {REGIONS * SECTORS:,} cells of {rows:,} rows of Parquet. Whole processes run in turn; the table "
        "has their median times and peak memory. `fractile publish` draws every value and writes its receipt. DuckDB (not private) "
        f"computes `quantile_disc` of the same columns, grouped by the same cells. Load average at the start: {load:.1f}, on "
        f"{os.cpu_count()} cores.\n",
        table(["", "time", "memory", "over DuckDB's time"], lines), "",
        table(["what", "measured", "target", ""],
              [verdict("a publication: fractile publish / DuckDB's query", f"{ratio:.2f}x", f"<= {selections.MOST}x",
                       ratio <= selections.MOST)]), ""])
