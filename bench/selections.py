"""Groups, persons and weights: whole processes compared with DuckDB's queries, in turn, with the peak memory of each."""

import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from page import table, verdict

MOST = 1.5  # target: at most this many times the engine's query
MOST_WEIGHTED = 1.2  # target: at most this many times the release without weights
GROUPS = 1000
COUNTIES = 20
WAGE = ("--column", "wage", "--bounds", "0", "1048576", "--step", "0.01")
ROUNDS = 3


def write_table(duckdb, path, rows):
    """A table with persons who have four records on average, each in one of twenty counties, and with visitors who have fewer than 1.5; a
    thousand regions; wages in cents, as doubles and as decimals; survey weights."""
    some = rows // 4
    duckdb("SELECT setseed(0.5)",
           f"COPY (SELECT *, 'county ' || person % {COUNTIES} AS county, CAST(wage AS DECIMAL(10, 2)) AS cost FROM (SELECT "
           f"CAST(floor(random() * {some}) AS BIGINT) AS person, CAST(floor(random() * {10 * some}) AS BIGINT) AS visitor, "
           f"'region ' || CAST(floor(random() * {GROUPS}) AS INTEGER) AS region, "
           "round(exp(10 + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())), 2) AS wage, "
           "CAST(floor(100 * random()) AS INTEGER) AS age, round(1 + 20 * random() * random(), 2) AS weight "
           f"FROM range({rows}))) TO '{path}'")


def cases(path, keys, rows):
    """Yields a title, the options of `fractile release`, and the engine's query or the options of another release."""
    by = ("--by", "region", "--keys-file", keys)
    median = "quantile_cont(wage, 0.5)"

    def bounded(column, person):
        return (f"(SELECT {column}, row_number() OVER (PARTITION BY {person}) AS number FROM '{path}') WHERE number <= 3")

    def persons(column):
        return ("--person", column, "--records-per-person", "3")

    few, many = f"{rows // 4:,}", f"{rows * 10 // 4:,}"
    yield "neither", WAGE, f"SELECT {median} FROM '{path}'"
    yield f"{GROUPS:,} groups", (*WAGE, *by), f"SELECT region, {median} FROM '{path}' GROUP BY region"
    yield (f"{GROUPS:,} groups, ages", ("--column", "age", "--bounds", "0", "125", "--step", "1", *by),
           f"SELECT region, quantile_cont(age, 0.5) FROM '{path}' GROUP BY region")
    yield f"3 records per person, {few} persons", (*WAGE, *persons("person")), f"SELECT {median} FROM {bounded('wage', 'person')}"
    yield (f"the same, {GROUPS:,} groups", (*WAGE, *persons("person"), *by),
           f"SELECT region, {median} FROM {bounded('region, wage', 'person')} GROUP BY region")
    yield f"3 records per person, {many} persons", (*WAGE, *persons("visitor")), f"SELECT {median} FROM {bounded('wage', 'visitor')}"
    deciles = "quantile_cont(total, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])"
    by_county = ("--by", "county", "--keys", ",".join(f"county {i}" for i in range(COUNTIES)))
    for column, kind in (("cost", "decimals"), ("wage", "doubles")):
        theirs = (f"SELECT county, {deciles} FROM (SELECT person, county, sum({column}) AS total FROM '{path}' GROUP BY person, county) "
                  "GROUP BY county")
        total = ("--bounds", "0", "1048576", "--step", "0.01", "--quantiles", "deciles", "--person", "person")
        yield (f"sums of {kind} of each of {few} persons, deciles by {COUNTIES} counties",
               ("--column", column, *total, "--per-person", "sum", *by_county), theirs)
        if column == "cost":
            rows_of_persons = "SELECT person, sum(cost) AS total, min(county) AS county FROM input GROUP BY person"
            yield "the same, summed in SQL", ("--column", "total", *total, "--sql", rows_of_persons, *by_county), theirs
    weighted = ("--weight", "weight", "--weight-bounds", "0", "20", "--weight-step", "0.5")
    for what, column in (("wages", WAGE), ("ages", ("--column", "age", "--bounds", "0", "125", "--step", "1"))):
        plain = (*column, "--quantiles", "deciles")
        yield f"weighted deciles of {what}", (*plain, *weighted), plain


# Measures a process as run.py does, and its peak memory.
MEASURED = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6)
"""


def measured(*command):
    """The seconds and the gigabytes that a command takes."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, command)], stdout=subprocess.PIPE, check=True)
    return tuple(map(float, done.stdout.split()))


def in_turn(contenders, rounds):
    """The medians of each contender, after one round that warms up."""
    seen = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name in random.sample(list(contenders), len(contenders)):
            answer = contenders[name]()
            if turn > 0:
                seen[name].append(answer)
    return {name: tuple(map(statistics.median, zip(*answers))) for name, answers in seen.items()}


def release_of(program, path, options):
    quantiles = () if "--quantiles" in options else ("--quantiles", "median")
    return (program, "release", path, *options, *quantiles, "--epsilon", "1", "--format", "csv")


def part(folder, quick, duckdb, query):
    """`duckdb(*statements)` runs statements; `query` is a program that runs them in a separate process."""
    program = folder.parent / "fractile"
    rows = 100_000 if quick else 20_000_000
    lines, targets, load = [], [], os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        path, keys = Path(name) / "people.parquet", Path(name) / "keys.txt"
        keys.write_text("".join(f"region {i}\n" for i in range(GROUPS)), encoding="utf-8")
        write_table(duckdb, path, rows)
        for what, options, beside in cases(path, keys, rows):
            release, is_query = release_of(program, path, options), isinstance(beside, str)
            other = (sys.executable, "-c", query, beside) if is_query else release_of(program, path, beside)
            contenders = {"ours": lambda c=release: measured(*c), "theirs": lambda c=other: measured(*c)}
            if "persons" in what:
                contenders["limited"] = lambda c=release: measured(*c, "--memory", "400MB")
            times = in_turn(contenders, 1 if quick else ROUNDS)
            (ours, our_memory), (theirs, their_memory) = times["ours"], times["theirs"]
            limited = "{:.2f} s, {:.2f} GB".format(*times["limited"]) if "limited" in times else ""
            lines.append([what, f"{ours:.2f} s, {our_memory:.2f} GB",
                          f"{theirs:.2f} s, {their_memory:.2f} GB" + ("" if is_query else " (ours, unweighted)"), f"{ours / theirs:.2f}x", limited])
            than, most = ("DuckDB's query", MOST) if is_query else ("without weights", MOST_WEIGHTED)
            targets.append(verdict(f"{what}: fractile release / {than}", f"{ours / theirs:.2f}x", f"<= {most}x", ours <= most * theirs))
    return "\n".join([
        "## Groups and persons\n",
        f"Whole processes run in turn on {rows:,} rows of Parquet; the table has their median times and peak memory. `fractile release` "
        "releases the median wage (10^8 candidates; ages: 126) of at most three records per person, a keyed random sample. DuckDB (not "
        "private) computes `quantile_cont`, grouped by region, of each person's first three rows by `row_number() OVER (PARTITION BY "
        "...)`. The last column is Fractile with `--memory 400MB`. Sums are those of each person's records; Fractile's are exact. Weights "
        "are doubles on a grid of 41 points, and such a release is compared with one without weights. Load average at the start: "
        f"{load:.1f}, on {os.cpu_count()} cores.\n",
        table(["", "fractile release", "DuckDB", "ratio", "fractile release, 400 MB for persons and engine"], lines), "",
        table(["what", "measured", "target", ""], targets), ""])
