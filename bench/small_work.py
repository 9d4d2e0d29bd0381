"""Small work that is done often: small releases, a thousand cells, plans. Whole processes in turn."""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import selections
from page import table, verdict

ROUNDS = 5
GROUPS = 1_000
MANY = 100_000
VERSION = "`fractile --version`"
STARTS = 20


def write_tables(duckdb, folder, quick):
    """Writes tables of ten rows, of a thousand groups of 1,000 rows each, and of 100,000 groups of 100 rows each."""
    groups, many = (20, 200) if quick else (GROUPS, MANY)
    (folder / "ten.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(10)), encoding="utf-8")
    for name, count, rows in (("groups.csv", groups, 1_000), ("many.parquet", many, 100)):
        (folder / f"{name}.keys").write_text("".join(f"g{i}\n" for i in range(count)), encoding="utf-8")
        duckdb("SELECT setseed(0.5)",
               f"COPY (SELECT 'g' || (i % {count}) AS g, CAST(floor(exp(8 + random() * 3)) AS INTEGER) AS x "
               f"FROM range({count * rows}) AS rows(i)) TO '{folder / name}'")


def cases(folder):
    """Yields a title, the words for the program, the target in seconds, and the title of the case whose time is subtracted first."""
    column = ("--column", "x", "--bounds", "0", "100000", "--step", "1", "--epsilon", "1")

    def groups(quantiles, *words):
        return ("release", folder / "groups.csv", *column, "--quantiles", quantiles, "--by", "g", "--keys-file", folder / "groups.csv.keys",
                "--format", "csv", *words)

    plan = ("plan", "--bounds", "0", "100000", "--step", "1", "--epsilon", "1")
    reading = f"medians by {GROUPS:,} groups of 1,000 rows of CSV"
    yield VERSION, ("--version",), 0.005, None
    yield "quartiles of ten rows of CSV", ("release", folder / "ten.csv", *column), 0.025, None
    yield reading, groups("median"), None, None
    yield "deciles by these groups (added time)", groups("deciles"), 0.25, reading
    yield "quartiles with intervals by these groups (added time)", groups("quartiles", "--intervals", "0.95", "--of", "table"), 0.8, reading
    yield "a plan of deciles", (*plan, "--quantiles", "deciles"), 0.2, None
    yield "a plan of percentiles", (*plan, "--quantiles", "percentiles"), 1, None
    yield "a plan of deciles of 1,000 rows", (*plan, "--quantiles", "deciles", "--expected-rows", "1000"), 1, None
    yield "a plan of 1,000 synthetic rows", (*plan, "--synthetic-rows", "1000"), 1, None


def started(*command):
    """The median seconds of several starts in a row, without what Python adds to each, and their peak memory in gigabytes."""
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        process = os.posix_spawn(command[0], command, os.environ, file_actions=silence)
        _, status, used = os.wait4(process, 0)
        times.append(time.perf_counter() - start)
        if status != 0:
            raise RuntimeError(f"{command} failed")
    return statistics.median(times), used.ru_maxrss / 1e6


def part(folder, quick, duckdb, query):
    """The arguments are those of selections.part()."""
    program = folder.parent / "fractile"
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        tables = Path(name)
        write_tables(duckdb, tables, quick)
        asked = {what: (words, target, base) for what, words, target, base in cases(tables)}
        median = f"SELECT g, quantile_cont(x, 0.5) FROM '{tables / 'many.parquet'}' GROUP BY g"
        many = ("release", tables / "many.parquet", "--column", "x", "--bounds", "0", "100000", "--step", "1", "--epsilon", "1", "--quantiles",
                "median", "--by", "g", "--keys-file", tables / "many.parquet.keys", "--format", "csv")
        times = selections.in_turn({
            **{what: lambda words=words, measured=started if what == VERSION else selections.measured: measured(program, *words)
               for what, (words, _, _) in asked.items()},
            "many": lambda: selections.measured(program, *many),
            "theirs": lambda: selections.measured(sys.executable, "-c", query, median),
        }, 1 if quick else ROUNDS)
    rows = []
    for what, (_, target, base) in asked.items():
        seconds = times[what][0] - (times[base][0] if base else 0)
        rows.append([what, f"{seconds * 1e3:.3g} ms", *(["", ""] if target is None else
                                                       verdict("", "", f"<= {target * 1e3:g} ms", seconds <= target)[2:])])
    (ours, memory), (theirs, _) = times["many"], times["theirs"]
    rows.append([f"medians by {MANY:,} groups of 100 rows of Parquet", f"{ours:.2f} s, {memory:.2f} GB; DuckDB {theirs:.2f} s",
                 *verdict("", "", f"<= {selections.MOST}x DuckDB's query", ours <= selections.MOST * theirs)[2:]])
    return "\n".join([
        "## What is small\n",
        f"Wall times of whole processes that run in turn: medians; {VERSION} starts {STARTS} times in a row in each turn. "
        f"Load average at the start: {load:.1f}, on {os.cpu_count()} cores.\n",
        table(["what", "measured", "target", ""], rows), ""])
