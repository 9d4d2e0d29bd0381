"""Whole runs of `fractile flow` among many people, from the file to the verdict, compared with qif where qif can answer."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from page import over, shown, table

CUSTODY = (2358, 16, 38, 1, 9292, 5)  # figure 4 of kronecker-utility 2023: statuses 0 to 5


def pipeline(values, perturber, post, known, analyst=""):
    people = sum(known) + 1
    text = (f"[pipeline]\nparticipants = {people}\nvalues = {list(range(values))}\nperturber = \"{perturber}\"\n"
            f"post = {post}\nsecret = \"target\"\nknown = {{ histogram = {list(known)} }}\n")
    return text + (f"[analyst]\n{analyst}\n" if analyst else "")


def counted(value):
    return f'{{ query = "count", of = [{value}] }}'


def others(people, values):
    """The known participants, spread evenly over the values."""
    return [(people - 1 + value) // values for value in range(values)]


def figure_4(prior):
    """The pipeline of figure 4; the target has the most frequent status."""
    known = (*CUSTODY[:4], CUSTODY[4] - 1, CUSTODY[5])
    return pipeline(6, "geometric", counted(0), known, f'loss = "bayes-risk"\nprior = "{prior}"')


FIGURE_4 = figure_4("uniform")
THOUSAND = pipeline(6, "geometric", '"sum"', others(1000, 6))
MILLION = pipeline(3, "geometric", counted(0), others(1_000_000, 3))
MILLION_ANALYST = pipeline(3, "geometric", counted(0), others(1_000_000, 3), 'loss = "linear-error"')

# (the question, the pipeline's file, the verb and its options)
CASES = (
    ("figure 4, exp(epsilon) from 2 to 20: stability, and all windows of the analyst with a uniform prior (11,710 people)",
     FIGURE_4, ("check", "--epsilon", "ln 2..ln 20")),
    ("figure 4, epsilon 0.1 to 10, with the text's prior, whose loss hardly changes, --within 60", figure_4("frequencies"),
     ("check", "--epsilon", "0.1..10", "--within", "60")),
    ("a sum among 1,000, six values: stability over epsilon 0.1 to 10", THOUSAND, ("check", "--epsilon", "0.1..10")),
    ("a count among 1,000,000: ln 3 and ln 2", MILLION, ("check", "--from", "ln 3", "--to", "ln 2")),
    ("a count among 1,000,000: stability over epsilon 0.5 to 2", MILLION, ("check", "--epsilon", "0.5..2")),
    ("the same count with an analyst's windows, --within 10", MILLION_ANALYST, ("check", "--epsilon", "0.5..2", "--within", "10")),
)
VERDICTS = {0: "stable or refined", 1: "unstable or not refined", 6: "undecided"}
TARGETS = (10, 30, 100)  # numbers of people for which the rival is asked


def run_seconds(program, folder, text, word, *options):
    file = Path(folder) / "pipeline.toml"
    file.write_text(text, encoding="utf-8")
    start = time.perf_counter()
    done = subprocess.run([program, "flow", word, file, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    seconds = time.perf_counter() - start
    if done.returncode not in VERDICTS:
        raise RuntimeError(f"flow {word} {' '.join(options)} failed")
    return seconds, VERDICTS[done.returncode]


def rival_cell(answer, ours, verdict, limit):
    if answer is None:
        return "qif is not installed"
    if "failed" in answer:
        return "its solver fails"
    if "seconds" not in answer:
        return f"over {limit} s"
    cell = over(answer["seconds"] * 1e9, ours * 1e9)
    return cell if answer["refines"] == (verdict == VERDICTS[0]) else cell + ", **wrong verdict**"


def part(program, quick, ask_rival, limit):
    """`ask_rival` is that of run.py: it returns what qif prints, None, or {} after `limit` seconds."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for title, text, (word, *options) in CASES[2:4] if quick else CASES:
            seconds, verdict = run_seconds(program, folder, text, word, *options)
            rows.append([title, shown(seconds * 1e9), verdict])
        beside = []
        for family in ("randomized-response", "geometric"):
            for people in TARGETS[:1] if quick else TARGETS:
                text = pipeline(3, family, counted(0), others(people, 3))
                seconds, verdict = run_seconds(program, folder, text, "check", "--from", "ln 3", "--to", "ln 2")
                cells = [rival_cell(ask_rival(family.replace("-", "_"), "count", "2", people, numbers, "target"), seconds,
                                    verdict, limit) for numbers in ("rational", "double")]
                beside.append([family, f"{people:,}", shown(seconds * 1e9), *cells, verdict])
    return ("## Checks among many people\n\n"
            "Wall time of one run of `fractile flow` as a process, from the file to the verdict. "
            f"Load average at the start: {load:.1f}.\n\n"
            + table(["what is asked", "time", "verdict"], rows)
            + "\nOne target among known others, three values, a count, epsilon ln 3 and ln 2. The channels for qif are made\n"
            f"beforehand, the start of its process does not count, and it gets at most {limit} s. In brackets: how many times Fractile's "
            "time.\n\n"
            + table(["noise", "people", "ours, whole process (exact)", "qif, rational", "qif, double", "verdict"], beside))
