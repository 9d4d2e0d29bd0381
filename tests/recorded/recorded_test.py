"""Seeded releases, plans and audits print what they printed when they were recorded, byte for byte.

The law of a release does not depend on the order in which its code draws, but its seeded output does. So a change that should
not affect the mechanisms must not affect these outputs. After a change that should affect them, record the outputs again and
review the difference:

  FRACTILE_CLI=build/dev/fractile python3 -B tests/recorded/recorded_test.py --record

`digests.json` has a digest for each case, and `outputs/` has some whole outputs, for reading. With FRACTILE_TEST_EFFORT of at
least 4 all cases run, and with less a share of them.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cases

HERE = Path(__file__).resolve().parent
DIGESTS = HERE / "digests.json"
OUTPUTS = HERE / "outputs"
PROGRAM = Path(os.environ.get("FRACTILE_CLI", HERE.parent.parent / "build" / "dev" / "fractile")).resolve()
EFFORT = float(os.environ.get("FRACTILE_TEST_EFFORT", "1"))
ALL_FROM = 4  # from this effort on, all cases run

PROGRESS = re.compile(r"(?m)^fractile: still working on .*\n")  # the number of these lines depends on the machine
# These parts depend on the program and the engine, not on the release.
OTHERWISE = re.compile(r"fractile \d+\.\d+\.\d+|DuckDB v[0-9.]+|[0-9a-f]{64}")


def output_of(case, folder):
    """What the case's command lines print, one after another, each with its exit code."""
    text = ""
    for command in case.commands:
        done = subprocess.run([PROGRAM, *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        text += f"$ fractile {' '.join(command)}\n{done.stdout}{PROGRESS.sub('', done.stderr)}[{done.returncode}]\n"
    return OTHERWISE.sub("...", text)


def digest_of(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def outputs_of(chosen):
    """The output of each case, in order."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases.write_tables(folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda case: output_of(case, folder), chosen))


def engine_trouble():
    """The program's message if the engine is missing; otherwise an empty text."""
    words = [*"release - --column x --bounds 0 9 --step 1 --epsilon 1 --sql".split(), "FROM input"]
    probe = subprocess.run([PROGRAM, *words], input="x\n1\n",
                           capture_output=True, text=True, timeout=120, check=False)
    return probe.stderr if probe.returncode != 0 else ""


def record():
    """Records the current program's output again. Ends without the engine, because it would record errors."""
    if trouble := engine_trouble():
        sys.exit("nothing is recorded: " + trouble)
    OUTPUTS.mkdir(exist_ok=True)
    for old in OUTPUTS.glob("*.txt"):
        old.unlink()
    digests = {}
    chosen = cases.cases()
    for case, text in zip(chosen, outputs_of(chosen)):
        assert case.name not in digests, case.name
        digests[case.name] = digest_of(text)
        if case.whole:
            (OUTPUTS / case.whole).write_text(text, encoding="utf-8")
    DIGESTS.write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")
    print(f"{len(digests)} cases recorded")


def setUpModule():
    if trouble := engine_trouble():
        raise unittest.SkipTest("the engine is not here: " + trouble)


class Recorded(unittest.TestCase):
    def test_all_cases_are_recorded(self):
        self.assertEqual([case.name for case in cases.cases()], list(json.loads(DIGESTS.read_text(encoding="utf-8"))))

    def test_what_is_printed_was_recorded(self):
        digests = json.loads(DIGESTS.read_text(encoding="utf-8"))
        chosen = cases.cases()[:: 1 if EFFORT >= ALL_FROM else round(ALL_FROM / EFFORT)]
        differ = []
        for case, text in zip(chosen, outputs_of(chosen)):
            if digest_of(text) == digests[case.name]:
                continue
            differ.append(case.name)
            if case.whole:
                self.assertMultiLineEqual(text, (OUTPUTS / case.whole).read_text(encoding="utf-8"))
        self.assertEqual(differ, [], f"{len(differ)} of {len(chosen)} differ")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        unittest.main()
