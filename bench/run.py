#!/usr/bin/env python3
"""Runs the benchmarks and writes docs/benchmarks.md.

    run.py BENCH_FOLDER [--peers] [--quick] [--only SECTION] [--out FILE]

BENCH_FOLDER holds fractile_bench, and its parent folder holds the program; FRACTILE_DUCKDB names libduckdb. Every table compares contenders
of one run: within a process in random order, and whole processes A B A B. Times are medians; nothing is asserted. --peers also measures the
other private libraries, in the Python that FRACTILE_BENCH_PEERS names.

With --only, one section is measured and replaced in the existing page. Otherwise every part is kept in BENCH_FOLDER/parts once it is
measured, under the commit of the sources, and the page is written when all parts of one commit exist. After a failure, the next run at the
same commit measures only the missing parts.
"""

import argparse
import ctypes
import datetime
import json
import math
import os
import pickle
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import clusters
import doors
import flow_checks
import flow_guesses
import interval_calls
import ledgers
import peers
import publications
import selections
import small_work
from page import NANOSECONDS, over, shown, table, verdict

HOUSE = Path(__file__).resolve().parent.parent

CONTENDERS = {
    "majorant": "ours (exact)",
    "majorant_runs": "ours, scores with multiplicities (exact)",
    "gumbel": "reference, cached enclosures (exact)",
    "gumbel_mpfr": "reference as published, MPFR (exact)",
    "libm_softmax": "libm softmax (insecure)",
    "simd_softmax": "SIMD softmax (insecure)",
    "libm_gumbel": "std::log Gumbel (insecure)",
}
FAMILIES = {
    "dense": "the V of a median, one record at every candidate",
    "sparse": "the V of a median, 1,000 records in total: long ties",
    "random": "uniform in 0 .. 1000",
}
ASKS = ("median", "quartiles", "percentiles")
TABLE_SIZES = (1_000_000, 10_000_000)
COUNTED_SIZES = (*TABLE_SIZES, 100_000_000)


class Results:
    """Median CPU nanoseconds by name, and counters."""

    def __init__(self):
        self.times = {}
        self.counters = {}
        self.context = {}

    def run(self, binary, pattern, quick):
        command = [binary, f"--benchmark_filter={pattern}", "--benchmark_format=json",
                   f"--benchmark_min_time={0.01 if quick else 0.05}", f"--benchmark_repetitions={1 if quick else 3}",
                   "--benchmark_enable_random_interleaving=true"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        result = json.loads(done.stdout)
        self.context = result["context"]
        seen = {}
        for row in result["benchmarks"]:
            if row.get("run_type") == "iteration":
                seen.setdefault(row["run_name"], []).append(row["cpu_time"] * NANOSECONDS[row["time_unit"]])
                self.counters[row["run_name"]] = row
        self.times.update((name, statistics.median(values)) for name, values in seen.items())

    def get(self, *parts):
        return self.times.get("/".join(str(part) for part in parts))

    def counter(self, key, *parts):
        return self.counters.get("/".join(str(part) for part in parts), {}).get(key)


def ours_afresh(binary, quick):
    """The function by which peers.py asks for our times."""
    def ask(pattern):
        results = Results()
        results.run(binary, pattern, quick)
        return peers.Answer({name: time / 1e9 for name, time in results.times.items()})

    return ask


# --- One selection ---------------------------------------------------------------------------------------------------


def family_table(results, family):
    sizes = [10**e for e in range(1, 7)]
    ours = [results.get("selection", family, k, 1, "majorant") for k in sizes]
    rows = []
    for contender, title in CONTENDERS.items():
        times = [results.get("selection", family, k, 1, contender) for k in sizes]
        rows.append([title, *(shown(t) if contender == "majorant" else over(t, o) for t, o in zip(times, ours))])
    rows.insert(1, ["ours, per candidate", *(shown(t / k) if t else "" for t, k in zip(ours, sizes))])
    return table(["", *(f"k = {k:,}" for k in sizes)], rows)


def rate_table(results):
    rows = []
    for family in FAMILIES:
        for k in (10, 10_000, 1_000_000):
            for rate in ("0.1", "1", "10"):
                name = ("selection", family, k, rate, "majorant")
                if results.get(*name):
                    rows.append([family, f"{k:,}", rate, shown(results.get(*name)),
                                 f"{results.counter('trials', *name):.3f}",
                                 f"{results.counter('slow_coins', *name):.3g}"])
    return table(["scores", "k", "rate", "time", "proposals", "decided by ball arithmetic"], rows)


def selection_part(results):
    text = ["## One selection from k scores\n",
            "Weights exp(-rate s), rate 1. Times are for one selection. In brackets: how many times Fractile's time.\n"]
    for family, meaning in FAMILIES.items():
        if results.get("selection", family, 10, 1, "majorant"):
            text += [f"### Scores: {family} ({meaning})\n", family_table(results, family)]
    cold = results.get("selection", "dense", 10, 1, "majorant_cold")
    text += [f"A cold selection with k = 10 takes {shown(cold)}, with a new generator and its first 4 KiB of system bits.\n",
             "### Ours by rate\n", "Proposals and decisions by ball arithmetic are numbers per selection.\n", rate_table(results)]
    return "\n".join(text)


# --- One release -----------------------------------------------------------------------------------------------------


def release_table(results, n):
    rows = []
    for bits in (10, 20, 30, 40):
        occupied = results.counter("distinct", "release", n, bits, "median", "release")
        if occupied:
            rows.append([f"2^{bits} candidates", f"{occupied:,.0f}",
                         *(shown(results.get("release", n, bits, ask, "release")) for ask in ASKS)])
    rows.append(["naive exponential mechanism in double over 2^20 candidates (insecure)", "",
                 shown(results.get("release", n, 20, "median", "naive_exponential")), "", ""])
    rows.append(["std::nth_element (not private)", "",
                 *(shown(results.get("release", n, "any", ask, "nth_element")) for ask in ASKS)])
    rows.append(["std::sort (not private)", "", shown(results.get("release", n, "any", "median", "sort")), "", ""])
    return table(["", "occupied positions", *ASKS], rows)


def release_part(results):
    text = ["## One release of counted records\n",
            "`release`, epsilon 1, of n records in [0, 1024) that are counted already. The contenders without "
            "privacy start from the records themselves.\n"]
    for n in TABLE_SIZES:
        if not results.get("release", n, 10, "median", "release"):
            continue
        text += [f"n = {n:,}\n", release_table(results, n)]
    return "\n".join([*text, many_part(results)])


MANY = {
    "approximate": "approximate (exact)",
    "auto": "auto, n given (exact)",
    "joint-tree": "joint-tree (exact)",
    "joint": "joint: JointExp (exact)",
    "tree": "tree (exact noise)",
    "independent": "independent (exact)",
}


def numpy_rows():
    """The line of the rival in numpy, if numpy is installed; measured in a separate process, in the same run."""
    python = os.environ.get("FRACTILE_BENCH_PYTHON", sys.executable)
    done = subprocess.run([python, "-B", HOUSE / "bench" / "approximate_numpy.py", "30"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return [["approximate as its authors program it, numpy (insecure): numpy is not installed", "", "", ""]]
    medians = json.loads(done.stdout)
    return [["approximate as its authors program it, numpy (insecure; wall time)",
             *(shown(medians[m] * 1e9) for m in ("10", "50", "120"))]]


def many_part(results):
    asks = ("m10", "m50", "m120")
    rows = [[title, *(shown(results.get("release", 1000, 40, m, name)) for m in asks)] for name, title in MANY.items()]
    rows.append(["approximate in double, C++ (insecure)",
                 *(shown(results.get("release", 1000, "any", m, "float_approximate")) for m in asks)])
    rows += numpy_rows()
    million = shown(results.get("release", 1_000_000, 40, "m10", "joint-total"))
    return "\n".join(["n = 1,000, 2^40 candidates, m quantiles\n", table(["", "m = 10", "m = 50", "m = 120"], rows),
                      f"\njoint-total, 10 quantiles of n = 1,000,000: {million}\n"])


SHORT_LIST_MECHANISMS = ("joint", "joint-total", "joint-tree", "approximate")
EPSILONS = ("0.1", "1", "10", "100")


def short_list_part(results):
    rows = []
    for n in (100_000, 1_000_000):
        for candidates in (4, 40):
            for ask, title in (("quartiles", "quartiles"), ("m10", "10 quantiles")):
                for mechanism in SHORT_LIST_MECHANISMS:
                    times = [results.get("short_list", n, candidates, ask, mechanism, e) for e in EPSILONS]
                    if any(times):
                        rows.append([f"{n:,}", str(candidates), title, mechanism, *map(shown, times)])
    return ("## Quantiles among a short list of candidates\n\nThe records are ages, counted already. Most lie between the candidates or "
            "above them.\n\n" + table(["n", "candidates", "asked", "mechanism",
                                                   *(f"epsilon {e}" for e in EPSILONS)], rows))


SCALE_MECHANISMS = ("auto", "approximate", "joint", "joint-total", "joint-tree", "independent", "tree")
SCALES = (1_000_000, 100_000_000, 10_000_000_000, 1_000_000_000_000)


def scale_part(results):
    rows = []
    for positions in (100_000, 1_000_000):
        for ask, title in (("quartiles", "quartiles"), ("m24", "24 quantiles"), ("m120", "120 quantiles")):
            for mechanism in SCALE_MECHANISMS:
                times = [results.get("scale", n, positions, ask, mechanism) for n in SCALES]
                if any(times):
                    rows.append([f"{positions:,}", title, mechanism, *map(shown, times)])
    return ("## What the number of records costs\n\nThe records lie on every other candidate, densely in the middle, and are counted "
            "already. Epsilon is 1. The target: quartiles of 100,000 positions in 50 ms, however many records there are.\n\n"
            + table(["positions", "asked", "mechanism", *(f"{n:,} records" for n in SCALES)], rows))


def intervals_part(results, options):
    rows = []
    for measure, budget in (("pure", "epsilon = 1"), ("zcdp", "rho = 1/2")):
        for n in (1000, 10_000, 100_000):
            alone, of_table, of_population = (results.get("intervals", n, "quartiles", measure, what)
                                              for what in ("alone", "table", "population"))
            if alone and of_table and of_population:
                rows.append([budget, f"{n:,}", shown(alone), f"{shown(of_table)} ({of_table / alone:.1f})",
                             f"{shown(of_population)} ({of_population / alone:.1f})"])
    return ("## Quartiles with confidence intervals\n\n`auto`, 2^40 candidates, records that are counted already, level 95 %. "
            "In brackets: the ratio to the release without intervals. The target is 3. The mechanism alone does not reach the target, "
            "because it selects eleven quantiles instead of three. A whole call reaches it.\n\n"
            + table(["budget", "n", "without", "of the table", "of the population"], rows)
            + interval_calls.part(options.folder.parent / "fractile", options.quick))


def counting_part(results):
    rows = []
    for n in COUNTED_SIZES:
        works = [(f"2^{bits} candidates", ("profile", n, bits, "profile")) for bits in (10, 17, 20, 30, 40)]
        works += [(f"2^{bits} candidates, a binary search per record", ("profile", n, bits, "binary_search"))
                  for bits in (10, 17)]
        works += [("only std::sort of the records", ("release", n, "any", "median", "sort")),
                  ("only reading the records once", ("profile", n, "any", "read"))]
        for title, name in works:
            value = results.get(*name)
            if value:
                rows.append([f"{n:,}", title, shown(value), f"{value / n:.3g} ns"])
    return ("## Counting records in no order\n\n`ProfileBuilder`, the step before a release.\n\n"
            + table(["n", "", "time", "per record"], rows))


# --- Refinement ------------------------------------------------------------------------------------------------------

REFINEMENTS = {
    "Randomized response, count": ("randomized_response", "count", "2", (2, 3, 4, 5, 8, 20, 50)),
    "Randomized response, sum": ("randomized_response", "sum", "2", (2, 3, 4, 5, 8, 20)),
    "Randomized response, sum, odds 3 and 2.999999": ("randomized_response", "sum", "2.999999", (2, 3, 4, 5, 8, 20)),
    "Geometric noise, count": ("geometric", "count", "2", (8,)),
}
QIF_SECONDS = 60


def qif_result(*case):
    """What the rival prints, or None; {} if it takes too long. Measured in a separate process, in the same run."""
    python = os.environ.get("FRACTILE_BENCH_PYTHON", sys.executable)
    command = [python, "-B", HOUSE / "bench" / "qif_refinement.py", *(str(part) for part in case)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                              timeout=QIF_SECONDS)
    except subprocess.TimeoutExpired:
        return {}
    return json.loads(done.stdout) if done.returncode == 0 else None


def qif_row(results, work, sizes, numbers):
    cells, versions, too_long = [], set(), False
    for n in sizes:
        result = {} if too_long else qif_result(*work, n, numbers)
        if result is None:
            return [f"qif, {numbers}: qif is not installed", *("" for _ in sizes)]
        versions.add(result.get("version"))
        if "failed" in result:
            cells.append("its solver fails")
        elif "seconds" in result:
            cells.append(over(result["seconds"] * 1e9, results.get("refinement", *work, n, "refines")))
            if result["refines"] != bool(results.counter("refines", "refinement", *work, n, "refines")):
                cells[-1] += ", **wrong verdict**"
        else:
            cells.append("not tried" if too_long else f"over {QIF_SECONDS} s")
            too_long = True
    version = "".join(sorted(v for v in versions if v))
    return [f"qif {version}, {numbers}, channels made beforehand (wall time)", *cells]


def refinement_table(results, title):
    *work, sizes = REFINEMENTS[title]
    sizes = [n for n in sizes if results.get("refinement", *work, n, "refines")]
    if not sizes:
        return []
    verdicts = {results.counter("refines", "refinement", *work, n, "refines") for n in sizes}
    answer = {(1,): "always worth at least as much", (0,): "not so"}.get(tuple(verdicts), "it depends on N")
    rows = [["ours, channels made beforehand (exact)", *(shown(results.get("refinement", *work, n, "refines")) for n in sizes)],
            ["ours, including making the channels (exact)",
             *(shown(results.get("refinement", *work, n, "check_refinement")) for n in sizes)],
            *(qif_row(results, work, sizes, numbers) for numbers in ("rational", "double"))]
    return [f"### {title}: {answer}\n", table(["", *(f"N = {n}" for n in sizes)], rows)]


def difference(results, case, rival):
    losses = [results.counter("loss", "utility", *case, how) for how in ("enclosed", rival)]
    return f"{abs(losses[0] - losses[1]):.1e}"


def utility_rows(results):
    for people in (1000, 11710):
        for perturber in ("geometric", "randomized_response"):
            ours = results.get("utility", "target", perturber, people, "enclosed")
            dense = results.get("utility", "target", perturber, people, "dense")
            if ours is None or dense is None:
                continue
            agree = difference(results, ("target", perturber, people), "dense")
            yield [perturber.replace("_", " "), f"{people:,}", shown(ours), over(dense, ours), agree]


ARGMAX_CASES = ((20, 3), (50, 4), (20, 8), (200, 8))


def argmax_rows(results):
    for case in ARGMAX_CASES:
        ours, listed = (results.get("utility", "argmax", *case, how) for how in ("enclosed", "listed"))
        if ours is None:
            continue
        rival = [over(listed, ours), difference(results, ("argmax", *case), "listed")] if listed else ["out of reach", ""]
        yield [f"{case[0]:,}", str(case[1]), f"{math.comb(sum(case) - 1, case[1] - 1):,}", shown(ours), *rival]


def refinement_part(results):
    utility = results.get("utility", "known_others", 4, "utility")
    return "\n".join([
        "## Is one always worth at least as much as the other?\n",
        "N people perturb one of 3 values, and one value's count or the sum is published. Odds 3 (epsilon ln 3) are compared with odds 2 "
        "unless stated otherwise. Every verdict comes with a certificate, and Fractile's is checked. The rival qif decides about the same "
        f"channels by its linear program. A case ends after {QIF_SECONDS} s, including making its channels. In brackets: how many times "
        "Fractile's time.\n",
        *(line for title in REFINEMENTS for line in refinement_table(results, title)),
        "Time for one analyst's exact expected loss (four people with 7 values and geometric noise, three of them known, a count): "
        f"{shown(utility)}.\n",
        "The expected loss of an analyst who wants one person's value and knows everyone else's, where the zeros are counted "
        "(7 values, epsilon 1). Fractile encloses the loss to 40 digits; the rival adds one person after another in doubles.\n",
        table(["noise", "people", "ours (certified)", "dense doubles", "they differ by"], list(utility_rows(results))),
        "\nNoisy argmax: every histogram of N people among K values is equally likely. Geometric noise at epsilon 1 perturbs its "
        "bars, and the highest bar is shown. The analyst wants the highest true bar. The rival goes through all "
        "histograms, in doubles.\n",
        table(["N", "K", "histograms", "ours (certified)", "all histograms, doubles", "they differ by"],
              list(argmax_rows(results)))])


# --- Whole processes -------------------------------------------------------------------------------------------------

# DuckDB in a separate process. The time starts before its library is loaded and leaves out the start of Python.
DUCKDB = """
import ctypes, os, sys, time
start = time.perf_counter()
library = ctypes.CDLL(os.environ["FRACTILE_DUCKDB"])
database, connection = ctypes.c_void_p(), ctypes.c_void_p()
failed = library.duckdb_open(None, ctypes.byref(database)) or library.duckdb_connect(database, ctypes.byref(connection))
for sql in sys.argv[1:]:
    failed = failed or library.duckdb_query(connection, sql.encode(), None)
print(time.perf_counter() - start)
sys.exit(failed)
"""


def duckdb_seconds(*statements):
    command = [sys.executable, "-c", DUCKDB, *statements]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def fractile_seconds(*command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def duckdb_version():
    library = ctypes.CDLL(os.environ["FRACTILE_DUCKDB"])
    library.duckdb_library_version.restype = ctypes.c_char_p
    return library.duckdb_library_version().decode()


def write_tables(folder, quick):
    """Writes log-normal wages in cents, and ages; the same records in both formats."""
    sizes = {"few": 50_000, "many": 100_000} if quick else {"few": 1_000_000, "many": 20_000_000}
    tables = [(f"{kind}, {rows:,} rows", folder / f"{name}.{kind.lower()}")
              for name, rows in sizes.items() for kind in ("CSV", "Parquet")]
    rows = ("SELECT round(exp(10 + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())), 2) AS wage, "
            f"CAST(floor(100 * random()) AS INTEGER) AS age FROM range({sizes['many']})")
    copies = [f"COPY (FROM people LIMIT {sizes[path.stem]}) TO '{path}'" for _, path in tables]
    duckdb_seconds("SELECT setseed(0.5)", f"CREATE TABLE people AS {rows}", *copies)
    return tables


def answered(seconds, *words):
    return peers.Answer({"seconds": seconds(*words)})


def process_rows(program, quick, with_peers):
    """Yields file, column, seconds of ours, seconds of DuckDB, and the answers of the private rivals by title."""
    columns = (("wage", ("0", "1048576", "0.01")), ("age", ("0", "125", "1")))
    with tempfile.TemporaryDirectory() as name:
        for title, path in write_tables(Path(name), quick):
            for column, (lower, upper, step) in columns:
                release = (program, "release", path, "--column", column, "--bounds", lower, upper, "--step", step,
                           "--quantiles", "median", "--epsilon", "1", "--format", "csv")
                exact = f"SELECT quantile_cont({column}, 0.5) FROM '{path}'"
                rivals = peers.file_contenders(path, column, lower, upper) if with_peers else {}
                answers = peers.in_turn({"ours": lambda c=release: answered(fractile_seconds, *c),
                                         "theirs": lambda q=exact: answered(duckdb_seconds, q), **rivals},
                                        2 if quick else peers.FILE_ROUNDS, warm_up=1, patience=peers.FILE_PATIENCE)
                ours, theirs = (answers.pop(who).measured["seconds"] for who in ("ours", "theirs"))
                yield title, column, ours, theirs, answers


def process_part(measured):
    rows = [[title, column, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.2f}x"]
            for title, column, ours, theirs, _ in measured]
    return ("## A whole process, from file to quantile\n\n"
            "`fractile release` of the median (wage: 10^8 candidates, age: 126), compared with DuckDB's `quantile_cont` "
            "(not private) of the same column, through the same library. Both run in turn; times are wall times. DuckDB's time starts "
            "before its library is loaded and leaves out the start of the process. Fractile's time is that of the whole process.\n\n"
            + table(["file", "column", "fractile release", "DuckDB quantile_cont", "ratio"], rows))


# --- Targets ---------------------------------------------------------------------------------------------------------


def selection_targets(results):
    def time_of(contender, k):
        return results.get("selection", "dense", k, 1, contender)

    ours = time_of("majorant", 10)
    yield verdict("selection, dense, k = 10, warm", shown(ours), "<= 60 ns", ours <= 60)
    for k in (1_000, 10_000):
        ratio = time_of("gumbel_mpfr", k) / time_of("majorant", k)
        yield verdict(f"selection, dense, k = {k:,}: {CONTENDERS['gumbel_mpfr']} / ours", f"{ratio:,.0f}x", ">= 10,000x",
                      ratio >= 1e4)
    for k in (10, 10_000, 1_000_000):
        ratio = time_of("majorant", k) / time_of("simd_softmax", k)
        yield verdict(f"selection, dense, k = {k:,}: ours / SIMD softmax", f"{ratio:.2f}x", "<= 1.2x", ratio <= 1.2)


def release_targets(results):
    n = TABLE_SIZES[0]
    time_of = {bits: results.get("release", n, bits, "median", "release") for bits in (20, 30, 40)}
    occupied = {bits: results.counter("distinct", "release", n, bits, "median", "release") for bits in (20, 40)}
    ratio = time_of[40] / time_of[30]
    yield verdict(f"release, n = {n:,}: 2^40 candidates / 2^30, equally many positions occupied", f"{ratio:.2f}x",
                  "about 1 (<= 1.1x)", ratio <= 1.1)
    ratio = time_of[40] / time_of[20]
    more = occupied[40] / occupied[20]
    yield verdict(f"release, n = {n:,}: 2^40 candidates / 2^20, {more:.2f} times as many positions occupied",
                  f"{ratio:.2f}x", "no more than the positions", ratio <= 1.1 * more)
    run = time_of[40] / (2 * occupied[40] + 1)
    yield verdict(f"release, n = {n:,}, 2^40 candidates: a run of candidates", shown(run), "<= 1.5 ns", run <= 1.5)
    many = results.get("release", 1000, 40, "m120", "approximate")
    yield verdict("120 quantiles of n = 1,000, approximate", shown(many), "<= 100 us", many <= 100e3)
    many = results.get("release", 1000, 40, "m120", "auto")
    yield verdict("120 quantiles of n = 1,000, auto", shown(many), "<= 10 ms", many <= 10e6)


def counting_targets(results):
    for bits, most in ((10, 2.5), (17, 6)):
        values = [(n, results.get("profile", n, bits, "profile")) for n in COUNTED_SIZES]
        n, value = [pair for pair in values if pair[1]][-1]
        yield verdict(f"counting n = {n:,}, 2^{bits} candidates: a record", shown(value / n), f"<= {most} ns",
                      value / n <= most)
        ratio = value / results.get("profile", n, "any", "read")
        yield verdict(f"counting n = {n:,}, 2^{bits} candidates: ours / reading the records once", f"{ratio:.2g}x", "<= 10x",
                      ratio <= 10)


def utility_targets(results):
    times = [results.get("utility", "target", perturber, 11710, "enclosed")
             for perturber in ("geometric", "randomized_response")]
    if all(times):
        seconds = 100 * max(times) / 1e9
        yield verdict("expected loss of a target among 11,710, 100 epsilons", f"{seconds:.2g} s", "< 1 s", seconds < 1)
    most = results.get("utility", "argmax", *ARGMAX_CASES[-1], "enclosed")
    if most:
        yield verdict("noisy argmax, 200 people and 8 values", shown(most), "no enumeration; seconds", most < 10e9)


def targets_part(results, processes, beside):
    rows = [*selection_targets(results), *release_targets(results), *counting_targets(results),
            *utility_targets(results)]
    for title, column, ours, theirs, _ in processes:
        rows.append(verdict(f"{title}, {column}: fractile release / DuckDB's exact quantile", f"{ours / theirs:.2f}x",
                            "<= 1.5x", ours <= 1.5 * theirs))
    rows += peers.targets(beside, processes) if beside else []
    return "## Targets\n\n" + table(["what", "measured", "target", ""], rows)


# --- The page --------------------------------------------------------------------------------------------------------


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


PAGE = HOUSE / "docs" / "benchmarks.md"


def commit():
    """The measured commit, and whether it identifies the sources: they may differ from the commit, or have no git."""
    def git(*words):
        return subprocess.run(["git", "-C", HOUSE, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout

    try:
        name = git("rev-parse", "--short=12", "HEAD").strip()
        if git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{PAGE.relative_to(HOUSE)}"):
            return f"{name}, with changes", False
        return name, True
    except (OSError, subprocess.CalledProcessError):
        return "unknown", False


def head_part(context, quick, beside, measured_at):
    flags, runs = (" --quick", "one run") if quick else ("", "medians of three runs in random turn")
    others = "OpenDP, diffprivlib and Google's library were left out of this run; `./dev bench --peers` measures them, too."
    if beside:
        flags = f" --peers{flags}"
        others = f"The other private libraries: {peers.versions(beside)}."
    warning = "**A quick run that only tests whether everything works: its figures mean nothing.**\n\n" if quick else ""
    versions = (f"g++ {context['compiler']}, libc {context['libc']}, FLINT {context['flint']}, OpenSSL "
                f"{context['openssl']}, DuckDB {duckdb_version()}")
    machine = f"{cpu_name()}, {os.cpu_count()} cores, load average {context['load_avg'][0]:.1f} at the start"
    return (f"# Benchmarks\n\n{warning}Written by `./dev bench{flags}` on {datetime.date.today()}, at commit {measured_at}; do not edit "
            f"the page, run the command again.\n\nMachine: {machine}. {versions}. Times measured within one process are CPU times, "
            f"{runs}.\n\n\"Ours\" is Fractile. \"Exact\" contenders draw from the proved law with cryptographic bits; \"insecure\" "
            "contenders sum doubles and use an ordinary generator. The SIMD softmax is compiled from libmvec's exp for this machine, with "
            f"-ffast-math. {others}\n")


def measured(options, pattern):
    results = Results()
    results.run(options.folder / "fractile_bench", pattern, options.quick)
    return results


def checks_part(options):
    return flow_checks.part(options.folder.parent / "fractile", options.quick, qif_result, QIF_SECONDS)


def files_part(options):
    return process_part(process_rows(options.folder.parent / "fractile", options.quick, False))


def guesses_part(options):
    return flow_guesses.part(options.folder.parent / "fractile", options.quick, QIF_SECONDS)


# {the name that --only takes: a function that measures the section and returns its text}
SECTIONS = {
    "short-lists": lambda options: short_list_part(measured(options, "^short_list/")),
    "scale": lambda options: scale_part(measured(options, "^scale/")),
    "intervals": lambda options: intervals_part(measured(options, "^intervals/"), options),
    "files": files_part,
    "flow-checks": checks_part,
    "flow-guesses": guesses_part,
    "selections": lambda options: selections.part(options.folder, options.quick, duckdb_seconds, DUCKDB),
    "publications": lambda options: publications.part(options.folder, options.quick, duckdb_seconds, DUCKDB),
    "small": lambda options: small_work.part(options.folder, options.quick, duckdb_seconds, DUCKDB),
    "ledgers": lambda options: ledgers.part(options.folder, options.quick),
    "python": lambda options: doors.part(options.quick),
    "spark": lambda options: clusters.part(options.quick),
}


BY_ITSELF = "(Measured by itself"


def with_section(page, text, note=True):
    """The page with this section: in place of the section with the same heading, or at the end. With `note`, the section says the day and
    commit of its measurement."""
    heading, _, rest = text.partition("\n")
    by_itself = f"{BY_ITSELF} on {datetime.date.today()}, at commit {commit()[0]}.)\n" if note else ""
    section = f"{heading}\n\n{by_itself}{rest.strip() if not note else rest.rstrip()}\n\n"
    start = (page + "\n").find(heading + "\n")
    if start < 0:
        return page.rstrip() + "\n\n" + section.rstrip() + "\n"
    end = page.find("\n## ", start)
    return page[:start] + section + (page[end + 1:] if end >= 0 else "")


def measured_by_themselves(page):
    """The sections of the page that were measured by themselves."""
    sections = ("\n" + page).split("\n## ")[1:]
    return ["## " + section.rstrip() for section in sections if section.partition("\n")[2].lstrip().startswith(BY_ITSELF)]


class WholeRun:
    """Measures all parts, keeps each as soon as it is measured, and writes the page once all parts of one commit exist."""

    def __init__(self, options):
        self.options = options
        self.results = Results()
        self.processes = []
        self.beside = None
        self.failed = []
        self.folder = options.folder / ("parts-quick" if options.quick else "parts")
        self.commit = commit()

    def parts(self):
        """Yields the name of each part, and the function that measures it and returns its text."""
        options, results = self.options, self.results
        program, quick = options.folder.parent / "fractile", options.quick
        yield "selection", lambda: self.measured("^selection/dense/.*/1/" if quick else "^selection/", selection_part)
        yield "release", lambda: self.measured("^(release|profile)/1000(000)?/" if quick else "^(release|profile)/", release_part)
        yield "counting", lambda: counting_part(results)
        yield "short lists", lambda: self.measured("^short_list/100000/4/quartiles/" if quick else "^short_list/", short_list_part)
        yield "scale", lambda: self.measured("^scale/1000000/100000/quartiles/" if quick else "^scale/", scale_part)
        yield "intervals", lambda: self.measured("^intervals/1000/" if quick else "^intervals/",
                                                 lambda measured: intervals_part(measured, options))
        yield "refinement", lambda: self.measured("^(refinement/.*/[2-5]/(check_)?refine|utility/)" if quick
                                                  else "^(refinement|utility)/", refinement_part)
        yield "whole processes", lambda: self.whole_processes(program)
        yield "groups and persons", lambda: selections.part(options.folder, quick, duckdb_seconds, DUCKDB)
        yield "publications", lambda: publications.part(options.folder, quick, duckdb_seconds, DUCKDB)
        yield "small", lambda: small_work.part(options.folder, quick, duckdb_seconds, DUCKDB)
        yield "flow checks", lambda: checks_part(options)
        yield "guesses", lambda: guesses_part(options)
        yield "ledgers", lambda: ledgers.part(options.folder, quick)
        if options.peers:
            yield "other libraries", lambda: self.other_libraries(program)
            yield "Python", lambda: doors.part(quick)
        yield "targets", lambda: targets_part(results, self.processes, self.beside)

    def measured(self, pattern, part):
        self.results.run(self.options.folder / "fractile_bench", pattern, self.options.quick)
        return part(self.results)

    def whole_processes(self, program):
        self.processes = list(process_rows(program, self.options.quick, self.options.peers))
        return process_part(self.processes)

    def other_libraries(self, program):
        binary = self.options.folder / "fractile_bench"
        self.beside = peers.measure(ours_afresh(binary, self.options.quick), program, self.options.quick)
        return peers.page_part(self.beside, self.processes)

    def start(self):
        """Continues with the parts that were measured at this commit with the same options, and drops all others."""
        name, is_all = self.commit
        mark = f"{name} peers={self.options.peers} quick={self.options.quick}\n"
        marked = self.folder / "commit"
        if is_all and marked.exists() and marked.read_text(encoding="utf-8") == mark:
            state = self.folder / "state"
            if state.exists():
                self.results, self.processes, self.beside = pickle.loads(state.read_bytes())
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        marked.write_text(mark, encoding="utf-8")

    def kept(self, name, part):
        """The text of a part, which is measured now unless it was measured before."""
        file = self.folder / f"{name}.md"
        if not file.exists():
            text = part()
            (self.folder / "state").write_bytes(pickle.dumps((self.results, self.processes, self.beside)))
            file.write_text(text, encoding="utf-8")
        return file.read_text(encoding="utf-8")

    def run(self):
        self.start()
        texts = []
        for name, part in self.parts():
            try:
                texts.append(self.kept(name, part))
            except Exception:
                print(f"bench: {name} failed", file=sys.stderr)
                traceback.print_exc()
                self.failed.append(name)
        if not self.failed:
            self.write(texts)

    def write(self, texts):
        out = self.options.out
        others = measured_by_themselves(out.read_text(encoding="utf-8")) if out.exists() else []
        page = head_part(self.results.context, self.options.quick, self.beside, self.commit[0])
        for text in [texts[-1], *texts[:-1]]:  # the targets come first on the page
            page = with_section(page, text, note=False)
        for text in others:
            if f"\n{text.partition(chr(10))[0]}\n" not in page:
                page = f"{page.rstrip()}\n\n{text}\n"
        out.write_text(page, encoding="utf-8")
        shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true", help="also measure the private rivals in Python")
    parser.add_argument("--quick", action="store_true", help="small tables and few runs, only to test that everything works")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--only", choices=SECTIONS, help="measure one section, and keep the other sections of the page")
    options = parser.parse_args()
    if not os.path.exists(os.environ.get("FRACTILE_DUCKDB", "")):
        parser.error("FRACTILE_DUCKDB must name libduckdb; ./dev bench sees to it")

    if options.only:
        text = SECTIONS[options.only](options)
        page = options.out.read_text(encoding="utf-8")
        options.out.write_text(with_section(page, text), encoding="utf-8")
        print(f"wrote {options.only} into {options.out}")
        return 0
    whole = WholeRun(options)
    whole.run()
    if whole.failed:
        print(f"bench: the page is unchanged, because {', '.join(whole.failed)} failed; the next run reuses the parts in {whole.folder}",
              "at this commit", file=sys.stderr)
    else:
        print(f"wrote {options.out}")
    return 1 if whole.failed else 0


if __name__ == "__main__":
    sys.exit(main())
