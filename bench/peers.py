"""Compares Fractile with the private rivals in Python: runs bench/peer_*.py in a separate Python and writes their part of the page.

A rival that is not installed, fails or takes too long is "absent", with the reason. It gets no figure.
"""

import concurrent.futures
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from page import over, shown, table, times, verdict

FOLDER = Path(__file__).resolve().parent
PATIENCE = 60  # seconds; a contender that has taken this long is not asked again
OPENDP, DIFFPRIVLIB, GOOGLE = "peer_opendp.py", "peer_diffprivlib.py", "peer_python_dp.py"
NAMES = {OPENDP: "OpenDP", DIFFPRIVLIB: "diffprivlib", GOOGLE: "Google's tree (python-dp)"}


# --- Asking ----------------------------------------------------------------------------------------------------------


@dataclass
class Answer:
    """The measurements by name, or the reason why there are none."""

    measured: dict = field(default_factory=dict)
    absent: str = ""
    versions: dict = field(default_factory=dict)
    processor: dict = field(default_factory=dict)  # seconds of processor time, if a rival reports them

    def nanoseconds(self, name):
        return self.measured[name] * 1e9 if name in self.measured else None


def last_line(text):
    return ([line.strip() for line in text.splitlines() if line.strip()] or [""])[-1]


def reason(errors, code):
    """The first sentence of the last line that a program wrote, without the paths of this machine."""
    last = re.sub(r"\s*\(?/[^\s)]*\)?", "", last_line(errors)) or f"it ends with code {code}"
    sentence = re.split(r"\. ", last)[0]
    return (sentence[:117] + "..." if len(sentence) > 120 else sentence).replace("|", "/")


def ask(script, *words, limit=300):
    python = os.environ.get("FRACTILE_BENCH_PEERS", sys.executable)
    command = [python, "-B", FOLDER / script, *(str(word) for word in words)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return Answer(absent=f"over {limit} s")
    except OSError as error:
        return Answer(absent=f"no Python for it: {error.strerror}")
    if done.returncode != 0:
        return Answer(absent=reason(done.stderr, done.returncode))
    return Answer(**json.loads(last_line(done.stdout)))


def middle(answers):
    """The medians of the answers, or the first answer that has no measurements."""
    for answer in answers:
        if answer.absent:
            return answer
    names = answers[0].measured
    return Answer({name: statistics.median(answer.measured[name] for answer in answers) for name in names},
                  versions=answers[0].versions)


def in_turn(contenders, rounds, warm_up=0, patience=PATIENCE):
    """The medians of each contender, measured A B A B after rounds that only warm up. A contender that is absent, or has taken `patience`
    seconds, is not asked again; its answers so far count."""
    answers = {name: [] for name in contenders}
    taken = dict.fromkeys(contenders, 0)
    for _ in range(warm_up + rounds):
        for name, contender in contenders.items():
            given = answers[name]
            if taken[name] < patience and not (given and given[-1].absent):
                start = time.perf_counter()
                given.append(contender())
                taken[name] += time.perf_counter() - start
    return {name: middle(given[warm_up:] or given) for name, given in answers.items()}


def cells(title, answer, names, bases):
    """A row of times with their ratios to ours, or one that says why there are no times."""
    if answer.absent:
        return [f"{title}: absent: {answer.absent}", *("" for _ in names)]
    return [title, *(over(answer.nanoseconds(name), base) for name, base in zip(names, bases))]


# --- One selection ---------------------------------------------------------------------------------------------------

SELECTIONS = {
    "OpenDP make_noisy_max, zCDP: Gumbel noise, our law (exact)": ("OpenDP", "softmax"),
    "OpenDP make_noisy_max, pure: permute-and-flip (exact)": ("OpenDP", "permute-and-flip"),
    "diffprivlib Exponential: our law in doubles (insecure)": ("diffprivlib", "softmax"),
}


def selection_sizes(quick):
    return (10, 1_000, 10_000) if quick else (10, 1_000, 10_000, 1_000_000)


def measure_selections(ours, quick):
    sizes = selection_sizes(quick)
    pattern = f"^selection/dense/({'|'.join(str(k) for k in sizes)})/1/majorant$"
    return in_turn({"ours": lambda: ours(pattern), "OpenDP": lambda: ask(OPENDP, "select", 1, *sizes),
                    "diffprivlib": lambda: ask(DIFFPRIVLIB, "select", 1, *sizes)}, 1 if quick else 3)


def selection_part(answers, quick):
    sizes = (1, *selection_sizes(quick))
    ours = [answers["ours"].nanoseconds(f"selection/dense/{k}/1/majorant") for k in sizes]
    rows = [["ours (exact)", *(shown(value) for value in ours)]]
    for title, (peer, law) in SELECTIONS.items():
        rows.append(cells(title, answers[peer], [f"{law}/{k}" for k in sizes], ours))
    return ("### One selection from k scores\n\nThe dense scores above, at rate 1. Nothing is subtracted: k = 1 shows what a "
            "call from Python costs, and the list of scores exists already. OpenDP has a law for each of its two privacy measures, "
            "both in exact arithmetic. Fractile draws from the first.\n\n"
            + table(["", *(f"k = {k:,}" for k in sizes)], rows))


# --- One release -----------------------------------------------------------------------------------------------------

RECORDS = 1_000_000


def lattice_candidates(quick):
    return 10_000 if quick else 1_000_000


def measure_lattices(ours, quick):
    pattern = f"^(release/{RECORDS}/(20|40)/median/release|profile/{RECORDS}/40/profile)$"
    return in_turn({"ours": lambda: ours(pattern),
                    "OpenDP": lambda: ask(OPENDP, "lattice", RECORDS, lattice_candidates(quick))}, 1 if quick else 3)


def lattice_part(answers, quick):
    few, many = (answers["ours"].nanoseconds(f"release/{RECORDS}/{bits}/median/release") for bits in (20, 40))
    whole = many + answers["ours"].nanoseconds(f"profile/{RECORDS}/40/profile")
    rows = [["ours, 2^20 candidates, records counted", shown(few)],
            ["ours, 2^40 candidates, records counted", shown(many)],
            ["ours, 2^40 candidates, including the counting of unordered records", shown(whole)],
            cells(f"OpenDP make_private_quantile, {lattice_candidates(quick):,} candidates, records sorted",
                  answers["OpenDP"], ["calling"], [whole]),
            cells("making this measurement, once for all tables", answers["OpenDP"], ["making"], [whole])]
    return (f"### A median of n = {RECORDS:,} records\n\nIn brackets: how many times Fractile's time including counting. OpenDP draws by "
            "permute-and-flip among candidates that are listed individually.\n\n" + table(["", "time"], rows))


COUNTS_IN_TIME = ("10", "50", "120")
CANDIDATES_IN_TIME = 8192
MANY = {
    f"OpenDP, one at a time for epsilon/m, {CANDIDATES_IN_TIME:,} candidates (exact)":
        (OPENDP, "many", CANDIDATES_IN_TIME, *COUNTS_IN_TIME),
    "diffprivlib, one at a time for epsilon/m (insecure)": (DIFFPRIVLIB, "many", *COUNTS_IN_TIME),
    "Google's tree, python-dp, all at once": (GOOGLE, "many", *COUNTS_IN_TIME),
}


def measure_many(ours, quick):
    rivals = {title: lambda w=words: ask(*w) for title, words in MANY.items()}
    return in_turn({"ours": lambda: ours("^release/1000/40/m[0-9]+/auto$"), **rivals}, 1 if quick else 3)


def many_part(answers):
    ours = [answers["ours"].nanoseconds(f"release/1000/40/m{m}/auto") for m in COUNTS_IN_TIME]
    rows = [["auto, n given, 2^40 candidates (exact)", *(shown(value) for value in ours)],
            *(cells(title, answers[title], COUNTS_IN_TIME, ours) for title in MANY)]
    return ("### m quantiles of n = 1,000 records\n\nFractile starts from counted records, the others from an array. OpenDP's "
            "measurements are made beforehand. The authors' numpy program is in a table above.\n\n"
            + table(["", *(f"m = {m}" for m in COUNTS_IN_TIME)], rows))


# --- Whole processes -------------------------------------------------------------------------------------------------

FILE_ROUNDS, FILE_PATIENCE, FILE_LIMIT = 11, 15, 100  # rounds, seconds, seconds
FILE_PEERS = {
    "OpenDP + Polars": (OPENDP, "file"),
    "OpenDP's Context + Polars": (OPENDP, "context"),
    "diffprivlib + pandas": (DIFFPRIVLIB, "file"),
    "Google's tree + pandas": (GOOGLE, "file"),
}
# Steps whose candidates OpenDP can list: wages in whole units; Fractile's are in hundredths.
FILE_STEPS = {"wage": "1", "age": "1"}


def file_contenders(path, column, lower, upper):
    """The contenders by title, for the same file and column as ours. The Context takes only whole numbers."""
    return {title: lambda p=peer: ask(*p, path, column, lower, upper, FILE_STEPS[column], limit=FILE_LIMIT)
            for title, peer in FILE_PEERS.items() if column == "age" or peer[1] != "context"}


def whole(answer):
    """The seconds including the loading of the libraries, as for DuckDB."""
    return answer.measured["loading"] + answer.measured["seconds"]


def file_cell(answer, ours):
    if answer is None:
        return "not tried"
    if answer.absent:
        return f"absent: {answer.absent}"
    loaded = answer.measured["seconds"]
    return f"{whole(answer):.3g} s ({times(whole(answer) / ours)}); loaded already {loaded:.3g} s ({times(loaded / ours)})"


def file_part(processes):
    """`processes` are the rows of run.process_rows: file, column, seconds of ours, seconds of DuckDB, answers by title."""
    rows = [[file, column, f"{ours:.3f} s", f"{theirs:.3f} s", *(file_cell(peers.get(title), ours) for title in FILE_PEERS)]
            for file, column, ours, theirs, peers in processes]
    return ("### A whole process, from file to median\n\nThese processes ran in turn with those of the table above, on the same files. A "
            "rival's time, like DuckDB's, starts before its libraries are loaded and leaves out the start of Python. The second time of a "
            "rival is that of the work once the libraries are loaded. Fractile's time is always that of the whole process. OpenDP chooses "
            "among 1,048,577 whole wages, Fractile among 10^8 wages with two decimals; diffprivlib and Google's tree release any double. "
            f"Where many records tie, all weights of diffprivlib can be 0 in doubles, and it fails. Times are medians of {FILE_ROUNDS} "
            f"rounds, or of fewer if they took {FILE_PATIENCE} s. A run of more than {FILE_LIMIT} s is given up.\n\n"
            + table(["file", "column", "fractile release", "DuckDB, not private", *FILE_PEERS], rows))


def file_targets(processes):
    for file, column, ours, _, peers in processes:
        there = {title: answer for title, answer in peers.items() if not answer.absent}
        if not there:
            continue
        best = min(there, key=lambda title: whole(there[title]))
        loaded = min(there, key=lambda title: there[title].measured["seconds"])
        yield verdict(f"{file}, {column}: fractile release / fastest private rival ({best})",
                      f"{times(ours / whole(there[best]))}; loaded already ({loaded}) "
                      f"{times(ours / there[loaded].measured['seconds'])}",
                      "< 1x", ours < whole(there[best]))


# --- Accuracy --------------------------------------------------------------------------------------------------------

SETS = {"uniform": "uniform on (-5, 5)", "gaussian": "Gaussian, deviation 5"}
COUNTS = (1, 10, 50, 120)
OURS = {"auto": "**ours, auto**", "approximate-as-published": "ApproximateQuantiles, as published (ours)"}


def measure_our_gaps(program, trials):
    """{(mechanism, set, m): (mean, standard error)}, from the program itself."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "reproduce", "approximate-quantiles", "--sets", ",".join(SETS), "--mechanisms", ",".join(OURS),
                   "--trials", str(trials), "--quantile-counts", ",".join(str(m) for m in COUNTS), "--no-figures", "--out",
                   folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(Path(folder) / "approximate_quantiles.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["measure"] == "pure"]
    return {(row["mechanism"], row["set"], int(row["quantiles"])):
            (float(row["gap_mean"]), float(row["gap_standard_error"])) for row in rows}


def measure_peer_gaps(trials):
    """{(script, set, m): Answer}. Nothing is timed, so all cores may work."""
    works = [(script, of, m) for script in NAMES for of in SETS for m in COUNTS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = pool.map(lambda work: ask(work[0], "accuracy", work[1], trials, work[2], limit=600), works)
        return dict(zip(works, asked))


def gap_shown(mean, error):
    return f"{mean:.3g} ± {error:.2g}"


def gap_cell(answer):
    return f"absent: {answer.absent}" if answer.absent else gap_shown(answer.measured["gap"], answer.measured["error"])


def accuracy_part(ours, theirs, trials):
    rows = [[SETS[of], str(m), *(gap_shown(*ours[name, of, m]) for name in OURS),
             *(gap_cell(theirs[script, of, m]) for script in NAMES)] for of in SETS for m in COUNTS]
    return ("### Accuracy\n\nThe mean gap of [accuracy.md](accuracy.md) is the number of records between a released quantile and "
            "the true one. The setting: 1,000 records, bounds [-100, 100], m uniform quantiles, epsilon 1 for all of them together, "
            f"{trials} trials, seed 1, standard errors after ±. All rivals get the same samples; Fractile gets other samples of the same "
            "law (`fractile reproduce approximate-quantiles`). `auto` is given 1,000 as the approximate number of rows. Fractile chooses "
            "among values 0.00001 apart, OpenDP among 10,001 values 0.02 apart (at most about two records); the "
            "others release any double. Google's tree spends the whole budget once, for all quantiles. If the budget were split among "
            "the quantiles, the tree would err more.\n\n"
            + table(["set", "m", *OURS.values(), *NAMES.values()], rows))


def accuracy_targets(ours, theirs):
    """The target: never worse than any rival at any m. Means that differ by less than two standard errors count as equal."""
    for of in SETS:
        for m in COUNTS:
            mean, error = ours["auto", of, m]
            there = {NAMES[script]: theirs[script, of, m].measured for script in NAMES if not theirs[script, of, m].absent}
            if not there:
                continue
            best = min(there, key=lambda name: there[name]["gap"])
            slack = 2 * (error**2 + there[best]["error"]**2)**0.5
            yield verdict(f"mean gap, {of}, m = {m}: auto / nearest private rival ({best})",
                          f"{gap_shown(mean, error)} / {gap_shown(there[best]['gap'], there[best]['error'])}",
                          "not larger, within two standard errors", mean <= there[best]["gap"] + slack)


# --- The part --------------------------------------------------------------------------------------------------------

PROMISES = [
    ["ours", "add or remove a record", "exponential mechanisms, exact", "a public lattice of any size"],
    ["OpenDP", "add or remove a record (symmetric distance)", "permute-and-flip, exact", "a public list of candidates"],
    ["diffprivlib", "its sensitivity 1 covers add-remove and change-one",
     "exponential mechanism over the intervals between records, in doubles", "any double between the bounds"],
    ["Google's tree", "add or remove a record (one partition, one contribution)",
     "Laplace noise on the counts of a tree of 16^4 leaves, paid once for all quantiles, in doubles rounded against leaks",
     "any double between the bounds"],
]


@dataclass
class Beside:
    """All measurements of Fractile and the rivals, except for whole processes."""

    quick: bool
    trials: int
    selections: dict
    lattices: dict
    many: dict
    our_gaps: dict
    peer_gaps: dict


def measure(ours, program, quick):
    """`ours(pattern)` returns an Answer from our benchmarks whose names match."""
    trials = 5 if quick else 200
    return Beside(quick, trials, measure_selections(ours, quick), measure_lattices(ours, quick), measure_many(ours, quick),
                  measure_our_gaps(program, trials), measure_peer_gaps(trials))


def versions(beside):
    """The packages of the rivals that answered, and the rivals that did not."""
    answers = [answer for part in (beside.selections, beside.lattices, beside.many, beside.peer_gaps)
               for answer in part.values()]
    there = sorted({pair for answer in answers for pair in answer.versions.items()})
    return ", ".join(f"{name} {version}" for name, version in there) or "all absent"


def page_part(beside, processes):
    return "\n".join([
        "## Beside other private libraries\n",
        "Each library runs in a separate process, through Python. Its times are wall times, medians of rounds in turn with Fractile, "
        "whose times are CPU time. In brackets: how many times Fractile's time. The privacy of a release is the same for all: epsilon 1 "
        "for a record that is added or removed, and for all quantiles together. The quantiles of OpenDP and diffprivlib share this epsilon "
        "by basic composition. A library that could not be installed or that failed is absent, and the row says why. To measure a "
        "single library, run `build/deps/peers/bin/python bench/peer_opendp.py`, which says what to type, or `peer_diffprivlib.py` or "
        "`peer_python_dp.py` likewise.\n",
        table(["library", "neighbors", "law and arithmetic", "possible values"], PROMISES),
        selection_part(beside.selections, beside.quick), lattice_part(beside.lattices, beside.quick),
        many_part(beside.many), file_part(processes),
        accuracy_part(beside.our_gaps, beside.peer_gaps, beside.trials)])


def targets(beside, processes):
    return [*file_targets(processes), *accuracy_targets(beside.our_gaps, beside.peer_gaps)]
