#!/usr/bin/env python3
"""Runs the benchmarks and writes docs/benchmarks.md.

    run.py BENCH_FOLDER [--quick] [--out FILE]

BENCH_FOLDER holds fractile_bench, its parent the program. Every table compares contenders of one run. Whole processes are
timed in turn (A B A B). Times are medians; nothing is asserted.
"""

import argparse
import csv
import ctypes
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent

CONTENDERS = {
    "majorant": "ours (exact)",
    "gumbel": "reference, cached enclosures (exact)",
    "gumbel_mpfr": "reference as published, MPFR (exact)",
    "libm_softmax": "libm softmax (insecure)",
    "simd_softmax": "SIMD softmax (insecure)",
    "libm_gumbel": "std::log Gumbel (insecure)",
}


def run_benchmarks(binary, pattern, quick):
    repetitions = 1 if quick else 3
    command = [binary, f"--benchmark_filter={pattern}", "--benchmark_format=json",
               f"--benchmark_min_time={0.01 if quick else 0.05}", f"--benchmark_repetitions={repetitions}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    result = json.loads(done.stdout)
    times, counters = {}, {}
    for row in result["benchmarks"]:
        if row.get("run_type") != "iteration":
            continue
        scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]
        times.setdefault(row["run_name"], []).append(row["cpu_time"] * scale)
        counters[row["run_name"]] = row
    return {name: statistics.median(values) for name, values in times.items()}, counters, result["context"]


def shown(nanoseconds):
    if nanoseconds is None:
        return ""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def selection_part(times, counters):
    text = ["## One selection from k scores\n",
            "Weights exp(-rate s). Time for one selection, and how many times longer each rival takes than ours.\n"]
    for family in ("dense", "sparse", "random"):
        sizes = [10**e for e in range(1, 7)]
        rows = []
        for contender, title in CONTENDERS.items():
            row = [title]
            for k in sizes:
                value = times.get(f"selection/{family}/{k}/1/{contender}")
                ours = times.get(f"selection/{family}/{k}/1/majorant")
                ratio = "" if value is None or contender == "majorant" else f" ({value / ours:.3g}x)"
                row.append(shown(value) + ratio)
            rows.append(row)
        text += [f"Scores: {family}, rate 1.\n", table(["", *(f"k = {k:,}" for k in sizes)], rows)]
    rows = []
    for k in (10, 10_000, 1_000_000):
        for rate in ("0.1", "1", "10"):
            name = f"selection/dense/{k}/{rate}/majorant"
            if name in times:
                row = counters[name]
                rows.append([f"{k:,}", rate, shown(times[name]), f"{row['trials']:.3f}", f"{row['slow_coins']:.3g}"])
    text += ["Ours, dense scores, by rate:\n", table(["k", "rate", "time", "proposals", "decided by ball arithmetic"], rows)]
    return "\n".join(text)


def release_part(times, counters):
    text = ["## One release from counted records\n",
            "`release_quantiles` on n records in [0, 1024) that are counted already, by the number of candidates; epsilon 1.\n"]
    for n in (1_000_000, 10_000_000):
        rows = []
        for bits in (10, 20, 30, 40):
            names = [f"release/{n}/{bits}/{ask}/release" for ask in ("median", "quartiles", "percentiles")]
            if names[0] in times:
                rows.append([f"2^{bits}", f"{counters[names[0]]['distinct']:,.0f}", *(shown(times.get(x)) for x in names)])
        if rows:
            text += [f"n = {n:,}\n", table(["candidates", "occupied", "median", "quartiles", "percentiles"], rows)]
    rows = [[m[1:], shown(times.get(f"release/1000/40/{m}/release"))] for m in ("m10", "m50", "m120")]
    text += ["n = 1,000, 2^40 candidates\n", table(["quantiles", "time"], rows)]
    others = sorted(name for name in times if name.split("/")[0] in ("profile", "sort", "naive_exponential", "rival"))
    if others:
        text += ["Counting the records, and rivals in one process (not private, or insecure):\n",
                 table(["what", "time"], [[name, shown(times[name])] for name in others])]
    return "\n".join(text)


class DuckDb:
    def __init__(self):
        self.library = ctypes.CDLL(os.environ["FRACTILE_DUCKDB"])
        database = ctypes.c_void_p()
        self.connection = ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(database)) == 0
        assert self.library.duckdb_connect(database, ctypes.byref(self.connection)) == 0

    def run(self, sql):
        assert self.library.duckdb_query(self.connection, sql.encode(), None) == 0, sql


def write_tables(folder, quick):
    size = 100_000 if quick else 1_000_000
    csv_file = folder / "wages.csv"
    chance = random.Random(1)
    with open(csv_file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["wage"])
        writer.writerows([f"{chance.lognormvariate(10, 1):.2f}"] for _ in range(size))
    tables = [(f"CSV, {size:,} rows", csv_file)]
    engine = DuckDb()
    for factor in (1, 10):
        path = folder / f"wages{factor}.parquet"
        engine.run(f"COPY (SELECT CAST(wage AS DOUBLE) + i / 100 AS wage FROM read_csv('{csv_file}'), range({factor}) t(i)) "
                   f"TO '{path}' (FORMAT parquet)")
        tables.append((f"Parquet, {size * factor:,} rows", path))
    return tables


def in_turn(commands, runs):
    """Median wall seconds of each, run A B A B, after one round that is not counted."""
    seconds = [[] for _ in commands]
    for turn in range(runs + 1):
        for times, command in zip(seconds, commands):
            start = time.perf_counter()
            command()
            if turn > 0:
                times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in seconds]


def process_part(program, quick):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for title, path in write_tables(Path(name), quick):
            release = [program, "release", path, "--column", "wage", "--bounds", "0", "1048576", "--step", "0.01",
                       "--quantiles", "median", "--epsilon", "1", "--format", "csv"]
            exact = ["python3", "-c", "import ctypes, os, sys\n"
                     "l = ctypes.CDLL(os.environ['FRACTILE_DUCKDB']); d = ctypes.c_void_p(); c = ctypes.c_void_p()\n"
                     "l.duckdb_open(None, ctypes.byref(d)); l.duckdb_connect(d, ctypes.byref(c))\n"
                     "sys.exit(l.duckdb_query(c, sys.argv[1].encode(), None))",
                     f"SELECT quantile_cont(wage, 0.5) FROM '{path}'"]
            ours, theirs = in_turn([lambda c=release: subprocess.run(c, stdout=subprocess.DEVNULL, check=True),
                                    lambda c=exact: subprocess.run(c, check=True)], 2 if quick else 5)
            rows.append([title, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.2f}"])
    return ("## A whole process, from file to quantile\n\n"
            "`fractile release` of the median (10^8 candidates, private) beside DuckDB's own `quantile_cont` (not private) "
            "on the same file; wall time, in turn.\n\n"
            + table(["file", "fractile release", "DuckDB quantile_cont", "ratio"], rows))


def targets_part(times):
    def ratio(k, rival):
        ours, theirs = times.get(f"selection/dense/{k}/1/majorant"), times.get(f"selection/dense/{k}/1/{rival}")
        return None if ours is None or theirs is None else theirs / ours

    def row(what, value, target, met):
        return [what, value, target, "met" if met else "not met"]

    rows = []
    for rival, least in (("gumbel_mpfr", 1e4), ("gumbel", 1e4)):
        value = ratio(10_000, rival)
        if value:
            rows.append(row(f"k = 10,000: {CONTENDERS[rival]} / ours", f"{value:,.0f}x", ">= 10,000x", value >= least))
    value = ratio(1_000_000, "simd_softmax")
    if value:
        rows.append(row("k = 1,000,000: ours / SIMD softmax", f"{1 / value:.2f}x", "<= 1.2x", 1 / value <= 1.2))
    value = times.get("selection/dense/10/1/majorant")
    if value:
        rows.append(row("k = 10, warm", shown(value), "<= 60 ns", value <= 60))
    for n in (1_000_000, 10_000_000):
        small, large = (times.get(f"release/{n}/{bits}/median/release") for bits in (30, 40))
        if small and large:
            rows.append(row(f"n = {n:,}: 2^40 candidates / 2^30", f"{large / small:.2f}x", "about 1", large / small < 1.15))
    return "## Targets\n\n" + table(["what", "measured", "target", ""], rows)


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="small tables, few runs: to see that it works")
    parser.add_argument("--out", type=Path, default=HOUSE / "docs" / "benchmarks.md")
    options = parser.parse_args()

    patterns = "selection/" if not options.quick else "selection/dense/.*/1/"
    quantiles = "^(release|profile|sort|naive_exponential|rival)" if not options.quick else "^release/1000000/"
    binary = options.folder / "fractile_bench"
    times, counters, context = run_benchmarks(binary, patterns, options.quick)
    more, more_counters, _ = run_benchmarks(binary, quantiles, options.quick)
    times.update(more)
    counters.update(more_counters)
    head = (f"# Benchmarks\n\nWritten by `./dev bench{' --quick' if options.quick else ''}` on {datetime.date.today()}; "
            f"do not edit.\n\nMachine: {cpu_name()}, {os.cpu_count()} cores, shared. "
            f"Compiler {context.get('compiler', '?')}, FLINT {context.get('flint', '?')}, OpenSSL {context.get('openssl', '?')}, "
            f"libc {context.get('libc', '?')}. CPU times, medians of {1 if options.quick else 3}.\n\n"
            "\"Exact\" contenders draw from the law that is proved, with cryptographic bits; \"insecure\" ones sum doubles and "
            "use an ordinary generator.\n")
    parts = [head, targets_part(times), selection_part(times, counters), release_part(times, counters),
             process_part(options.folder.parent / "fractile", options.quick)]
    options.out.write_text("\n".join(parts), encoding="utf-8")
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
