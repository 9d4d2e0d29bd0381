"""How often an attacker's best guess is right, by whole runs of the program, compared with qif where qif can answer."""

import json
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from flow_checks import FIGURE_4, TARGETS, counted, others, pipeline
from page import shown, table, verdict

# (the question, the program's words with FILE for figure 4's pipeline, the target in seconds)
GUESSES = (
    ("a guess after the deciles of 50,000 records",
     ("plan", "--bounds", "0", "500000", "--step", "1", "--quantiles", "deciles", "--epsilon", "1", "--expected-rows", "50000",
      "--shape", "log-normal", "--guess", "above:30000"), 1),
    ("guesses at 100 epsilons of figure 4's pipeline",
     ("flow", "sweep", "FILE", "--epsilon", "0.1..10", "--points", "100", "--guess", "value"), 10),
)


def seconds_of(program, file, words):
    """Seconds, and what the program printed."""
    start = time.perf_counter()
    done = subprocess.run([program, *(file if word == "FILE" else word for word in words)], stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - start, done.stdout


def ask_leakage(limit, *case):
    """What qif_leakage.py prints, in a separate process; None if qif is not installed or takes too long."""
    python = os.environ.get("FRACTILE_BENCH_PYTHON", sys.executable)
    command = [python, "-B", Path(__file__).parent / "qif_leakage.py", *(str(word) for word in case)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.returncode == 0 else None


def leakage_cells(ours, answer):
    """The rival's cell: its time, and whether its answer agrees with ours, which is exact."""
    if answer is None:
        return "qif is not installed, or took too long"
    cell = shown(answer["seconds"] * 1e9)
    same = abs(float(Fraction(answer["after"])) - float(Fraction(ours))) < 1e-12
    return cell if same else cell + ", **another answer**"


def beside_rival(program, file, people, limit):
    file.write_text(pipeline(3, "geometric", counted(0), others(people, 3)), encoding="utf-8")
    seconds, printed = seconds_of(program, file, ("flow", "leakage", "FILE", "--epsilon", "ln 3", "--format", "json"))
    after = json.loads(printed)["after"]
    cells = [leakage_cells(after, ask_leakage(limit, "geometric", "count", 3, people, numbers)) for numbers in ("rational", "double")]
    return [f"{people:,}", shown(seconds * 1e9), *cells]


def against_target(program, file, title, words, limit):
    file.write_text(FIGURE_4, encoding="utf-8")
    seconds, _ = seconds_of(program, file, words)
    return verdict(f"{title}: `fractile {' '.join(words)}`", shown(seconds * 1e9), f"< {limit} s", seconds < limit)


def part(program, quick, limit):
    """Gives qif at most `limit` seconds."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pipeline.toml"
        rows = [beside_rival(program, file, people, limit) for people in (TARGETS[:1] if quick else (TARGETS[0], TARGETS[-1]))]
        targets = [against_target(program, file, *case) for case in GUESSES]
    return ("## How often a guess is right\n\n"
            "An attacker who knows all others guesses a target's value, after a count of three values under geometric noise at epsilon\n"
            "ln 3. The figures are the posterior Bayes vulnerability and the multiplicative Bayes capacity, with a uniform prior. The\n"
            "channel for qif is made beforehand, because qif takes minutes to make one for thousands of people. "
            f"Load average at the start: {load:.1f}.\n\n"
            + table(["people", "ours, whole process (exact)", "qif, rational", "qif, double"], rows)
            + "\n" + table(["what", "measured", "target", ""], targets))
