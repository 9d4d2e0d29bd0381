"""fractile flow, run as a process: the paper's examples, and certificates checked again in Python's fractions."""

import csv
import io
import itertools
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from cli.program import HOUSE, PROGRAM, CommandTest, one_processor, run

EXAMPLES = HOUSE / "examples" / "flow"
LN_3_TO_LN_2 = ("--from", "ln 3", "--to", "ln 2")
D1 = EXAMPLES / "known_others.toml"
LIMIT = "10" if os.environ.get("FRACTILE_SANITIZE") else "2"  # seconds, enough for a verdict but not for the windows

SURVEY = {"participants": "2", "values": "[0, 1, 2]", "perturber": '"geometric"', "post": '"sum"',
          "secret": '"everyone"'}


def flow(*arguments, **how):
    return run("flow", *arguments, **how)


def fractions(rows):
    return [[Fraction(entry) for entry in row] for row in rows]


def product(a, b):
    return [[sum(row[k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for row in a]


def expected_loss(prior, channel, loss):
    """The posterior expected loss of definition 2.2."""
    secrets = range(len(prior))
    return sum(min(sum(prior[x] * channel[x][y] * loss[x][w] for x in secrets) for w in range(len(loss[0])))
               for y in range(len(channel[0])))


class FlowTest(CommandTest):
    def json(self, *arguments, code=0):
        """The printed JSON. `code` is the expected exit code; with None, any is accepted."""
        result = flow(*arguments, "--format", "json", cwd=self.folder)
        self.assertEqual((result.code if code is not None else None, result.err), (code, ""))
        document = json.loads(result.out)
        self.assertEqual(document.pop("schema_version"), 1)
        self.assertRegex(document.pop("program"), r"\Afractile \d")
        return document

    def channel(self, file, epsilon):
        """The secrets, the observations and the matrix. Every row adds up to 1."""
        document = self.json("channel", file, "--epsilon", epsilon)
        matrix = fractions(document["matrix"])
        self.assertEqual([sum(row) for row in matrix], [1] * len(document["secrets"]))
        self.assertTrue(all(entry >= 0 for row in matrix for entry in row))
        return document["secrets"], document["observations"], matrix

    def survey(self, name="survey.toml", analyst=None, **changes):
        """Writes a valid file with these changes. A key whose value is None is left out."""
        lines = ["[pipeline]"]
        lines += [f"{key} = {value}" for key, value in {**SURVEY, **changes}.items() if value is not None]
        if analyst is not None:
            lines += ["[analyst]", *(f"{key} = {value}" for key, value in analyst.items())]
        return self.write(name, "\n".join(lines) + "\n")

    def assert_certified(self, file, document, epsilon_from, epsilon_to):
        """Requires that the witness or counter-example in a check's JSON holds for the file's channels, by this test's arithmetic."""
        file = self.with_secrets(file, document)
        secrets, observations, before = self.channel(file, epsilon_from)
        self.assertEqual((document["secrets"], document["observations"]), (secrets, observations))
        after = self.channel(file, epsilon_to)[2]
        if "witness" in document:
            witness = fractions(document["witness"])
            self.assertTrue(all(sum(row) == 1 and min(row) >= 0 for row in witness))
            self.assertEqual(product(before, witness), after)
            self.assertNotIn("counterexample", document)
            return
        refutation = document["counterexample"]
        prior = [Fraction(p) for p in refutation["prior"]]
        loss = fractions(refutation["loss"])
        self.assertEqual(sum(prior), 1)
        self.assertTrue(min(prior) >= 0 and min(entry for row in loss for entry in row) >= 0)
        utilities = expected_loss(prior, before, loss), expected_loss(prior, after, loss)
        self.assertEqual(utilities, (Fraction(refutation["loss_from"]), Fraction(refutation["loss_to"])))
        self.assertGreater(*utilities)

    def with_secrets(self, file, document):
        """The file; if the certificate is about a single unknown value, a file with only this unknown value."""
        secrets = self.json("channel", file, "--epsilon", "ln 2")["secrets"]
        if secrets == document["secrets"]:
            return file
        text = (self.folder / file).read_text()
        values = re.search(r"^values = \[(.*)\]", text, re.M)[1].split(", ")
        others = int(re.search(r"^participants = (\d+)", text, re.M)[1]) - 1
        known = ", ".join(values[:1] * others)
        return self.write("one_unknown.toml", text.replace('secret = "everyone"', f'secret = "target"\nknown = [{known}]'))


class Examples(FlowTest):
    """Every file of examples/flow/."""

    REFINES = ("response_squared", "response_count", "geometric_outliers", "three_respondents")
    DOES_NOT = ("response_sum", "geometric_count", "geometric_sum", "noisy_argmax", "known_others")

    RELEASES = ("released_median", "released_median_among_known")
    # Designs that are not the paper's, each with the factor of epsilon that makes its probabilities rational.
    DESIGNS = {"groups_with_epsilons": "2 ", "root_of_odds": "2 ", "shuffled_responses": "", "subset_selection": "", "hadamard": "",
               "unary_bits": "2 ", "optimized_unary_bits": ""}

    def test_all_are_here(self):
        self.assertEqual({path.stem for path in EXAMPLES.glob("*")}, {*self.REFINES, *self.DOES_NOT, *self.RELEASES, *self.DESIGNS})

    def test_releases(self):
        for name, code in zip(self.RELEASES, (1, 0)):
            file = EXAMPLES / f"{name}.toml"
            document = self.json("check", file, "--from", "2 ln 3", "--to", "2 ln 2", code=code)
            self.assert_certified(file, document, "2 ln 3", "2 ln 2")
            self.assertEqual(self.json("check", file, "--epsilon", "0.5..2", code=code)["verdict"],
                             "unstable" if code else "stable")

    def test_designs(self):
        for name, times in self.DESIGNS.items():
            with self.subTest(name=name):
                file = EXAMPLES / f"{name}.toml"
                result = flow("check", file, "--from", f"{times}ln 3", "--to", f"{times}ln 2", "--format", "json", cwd=self.folder)
                document = json.loads(result.out)
                self.assertEqual((result.code, document["verdict"]), (0, "refines"))
                self.assertEqual("warning: the matrix does not cost the epsilon that it is given" in result.err, name == "root_of_odds")
                self.write("c.json", result.out)
                self.assertEqual(self.json("verify", "c.json", "--of", file)["certificate"], "holds")
                # In the opposite direction, refinement does not hold.
                self.assertEqual(flow("check", file, "--from", f"{times}ln 2", "--to", f"{times}ln 3", cwd=self.folder).code, 1)

    def test_refinement(self):
        for name in self.REFINES + self.DOES_NOT:
            with self.subTest(name=name):
                refines = name in self.REFINES
                file = EXAMPLES / f"{name}.toml"
                document = self.json("check", file, *LN_3_TO_LN_2, code=0 if refines else 1)
                self.assertEqual(document["verdict"], "refines" if refines else "does-not-refine")
                self.assertTrue(document["reason"])
                self.assertEqual((document["epsilon_from"], document["epsilon_to"]), ("ln 3", "ln 2"))
                self.assertIn("witness" if refines else "counterexample", document)
                self.assert_certified(file, document, "ln 3", "ln 2")

    def test_less_privacy_does_not_come_out_of_more(self):
        for name in self.REFINES:
            with self.subTest(name=name):
                file = EXAMPLES / f"{name}.toml"
                document = self.json("check", file, "--from", "ln 2", "--to", "ln 3", code=1)
                self.assertEqual(document["verdict"], "does-not-refine")
                self.assert_certified(file, document, "ln 2", "ln 3")

    def test_stability(self):
        for name in self.REFINES + self.DOES_NOT:
            for ends in ("ln 2..ln 3", "0.1..10"):
                with self.subTest(name=name, ends=ends):
                    stable = name in self.REFINES
                    file = EXAMPLES / f"{name}.toml"
                    document = self.json("check", file, "--epsilon", ends, code=0 if stable else 1)
                    self.assertEqual(document["verdict"], "stable" if stable else "unstable")
                    if stable:
                        self.assertFalse({"odds_from", "counterexample", "analyst"} & set(document))
                        continue
                    least, most = Fraction(document["odds_to"]), Fraction(document["odds_from"])
                    self.assertLess(least, most)
                    self.assertTrue(2 <= least and most <= 3 if ends == "ln 2..ln 3" else 1.105 < least and most < 22027)
                    self.assert_certified(file, document, f"ln {most}", f"ln {least}")

    def test_their_commands_work(self):
        """The commands in a file's comment work, and their verdicts are those that the comment states."""
        for path in sorted(EXAMPLES.glob("*.toml")):
            for command in re.findall(r"^#   (fractile flow .*)$", path.read_text(), re.M):
                with self.subTest(command=command):
                    line, _, remark = command.partition("   ")
                    expected = 1 if re.match(r"\s*(does not|unstable)", remark) else 0
                    result = run(*shlex.split(line)[1:], cwd=HOUSE)
                    warned = "warning: the matrix does not cost the epsilon that it is given" in result.err
                    self.assertEqual((result.code, result.err if not warned else ""), (expected, ""))
                    self.assertIn(remark.strip().split(",")[0].split(" little")[0], result.out)

    def test_the_matrices_of_section_4(self):
        secrets, observations, matrix = self.channel(EXAMPLES / "response_squared.toml", "ln 3")
        self.assertEqual((secrets, observations), (["(0,0)", "(0,1)", "(1,1)"], ["0", "1", "2"]))
        self.assertEqual(matrix, [[Fraction(n, 16) for n in row] for row in ((9, 6, 1), (3, 10, 3), (1, 6, 9))])
        document = self.json("channel", EXAMPLES / "response_squared.toml", "--epsilon", "ln 3")
        self.assertEqual(document["arrangements"], ["1", "2", "1"])

    def test_the_tables_of_appendix_e(self):
        """Rows that only arrange the same values differently are one row. The printed analyst of five actions is a counter-example."""
        tables = {"ln 3": ("0.36 0.24 0.28 0.08 0.04", "0.12 0.4 0.28 0.16 0.04", "0.12 0.16 0.44 0.16 0.12",
                           "0.04 0.24 0.44 0.24 0.04", "0.04 0.16 0.28 0.4 0.12", "0.04 0.08 0.28 0.24 0.36"),
                  "ln 2": ("0.25 0.25 0.3125 0.125 0.0625", "0.125 0.3125 0.3125 0.1875 0.0625",
                           "0.125 0.1875 0.375 0.1875 0.125", "0.0625 0.25 0.375 0.25 0.0625",
                           "0.0625 0.1875 0.3125 0.3125 0.125", "0.0625 0.125 0.3125 0.25 0.25")}
        for epsilon, rows in tables.items():
            secrets, _, matrix = self.channel(EXAMPLES / "response_sum.toml", epsilon)
            self.assertEqual(secrets, ["(0,0)", "(0,1)", "(0,2)", "(1,1)", "(1,2)", "(2,2)"])
            self.assertEqual(matrix, fractions(row.split() for row in rows))
        loss = ("0.33525164 0.67014371 0.50295689 0.64597016 0.34089403",
                "0.58508164 0.41408977 0.50010053 0.42214762 0.57379685",
                "0.74867853 0.25036935 0.49712065 0.25036935 0.74867853",
                "0 1 0.49521641 1 0",
                "0.57379685 0.42214762 0.50010053 0.41408977 0.58508164",
                "0.34089403 0.64597016 0.50295689 0.67014371 0.33525164")
        rows = ", ".join("[" + ", ".join(f'"{entry}"' for entry in row.split()) + "]" for row in loss)
        file = self.survey(perturber='"randomized-response"', analyst={"loss": f"[{rows}]"})
        utilities = [Fraction(self.json("loss", file, "--epsilon", epsilon)["expected_loss"]) for epsilon in tables]
        self.assertGreater(*utilities)


class AppendixD1(FlowTest):
    def test_loss(self):
        document = self.json("loss", D1, "--epsilon", "ln 3.5")
        self.assertEqual(document, {"epsilon": "ln 7/2", "expected_loss": "1276949536000/771895089",
                                    "decimal": "1654.30452168610700929074054518"})
        document = self.json("loss", D1, "--epsilon", "ln 3.51")
        self.assertEqual(document["expected_loss"], "2552438666271995640492212000/1542907143753726048154857")
        table = flow("loss", D1, "--epsilon", "ln 3.5").out
        self.assertRegex(table, r"\Aepsilon +ln 7/2\nexpected loss +1276949536000/771895089\nas a decimal +1654\.3045\d+\n\Z")
        self.assertEqual(flow("utility", D1, "--epsilon", "ln 3.5"), flow("loss", D1, "--epsilon", "ln 3.5"))  # the verb's older name
        self.assertNotIn("utility", flow("--help").out + flow("utility", "--help").out)
        line = flow("loss", D1, "--epsilon", "ln 3.5", "--format", "csv").out.splitlines()
        self.assertEqual(line, ["epsilon,expected_loss,decimal",
                                "ln 7/2,1276949536000/771895089,1654.30452168610700929074054518"])

    def test_utility_at_a_decimal(self):
        """Near ln 3.5 = 1.25276..., the loss has as many correct digits as the distance allows."""
        document = self.json("loss", D1, "--epsilon", "1.2527629684953679956881217")
        self.assertNotIn("expected_loss", document)
        self.assertEqual(document["decimal"][:20], "1654.30452168610700929074"[:20])
        self.assertEqual(len(document["decimal"]), 31)

    def test_window(self):
        document = self.json("check", D1, "--epsilon", "ln 3..ln 4", code=1)
        proof = document["analyst"]["windows"][0]["proof"]
        self.assertEqual(document["analyst"], {"verdict": "unstable", "windows_by": "isolated", "windows": [{
            "odds_from": "3.500545", "odds_to": "3.516615", "epsilon_from": "1.252919", "epsilon_to": "1.257499",
            "proof": proof}]})
        odds = Fraction(proof["odds_from"]), Fraction(proof["odds_to"])
        self.assertTrue(Fraction("3.500544") < odds[0] < odds[1] < Fraction("3.516616"))
        self.assertLess(Fraction(proof["loss_from"]), Fraction(proof["loss_to"]))
        for at, loss in (("odds_from", "loss_from"), ("odds_to", "loss_to")):
            self.assertEqual(self.json("loss", D1, "--epsilon", f"ln {proof[at]}")["expected_loss"], proof[loss])
        self.assertEqual((document["epsilon_low"], document["epsilon_high"]), ("ln 3", "ln 4"))
        text = flow("check", D1, "--epsilon", "ln 3..ln 4").out
        self.assertRegex(text, r"(?m)^1\.252919 +1\.257499 +3\.500545 +3\.516615$")

    def test_windows_among_hundreds(self):
        """There are too many people for polynomials: windows are enclosed, with pairs of exact losses. Some hold no point of the sweep."""
        file = self.survey(participants="587", values="[0, 1, 2, 3, 4, 5]", post='{ query = "count", of = [4] }',
                           secret='"target"', known="{ histogram = [118, 1, 2, 0, 465, 1] }",
                           analyst={"loss": '"squared-error"'})
        document = self.json("sweep", file, "--epsilon", "ln 2..ln 5/2", "--points", "5")
        self.assertEqual(document["windows_by"], "enclosed")
        self.assertNotIn("undecided", document)
        self.assertGreater(len(document["windows"]), 20)
        sys.set_int_max_str_digits(0)
        for window in document["windows"]:
            proof = {name: Fraction(value) for name, value in window["proof"].items()}
            self.assertLess(proof["loss_from"], proof["loss_to"])
            self.assertTrue(Fraction(window["odds_from"]) - Fraction(1, 10**6) < proof["odds_from"] < proof["odds_to"]
                            < Fraction(window["odds_to"]) + Fraction(1, 10**6))
        text = flow("sweep", file, "--epsilon", "ln 2..ln 5/2", "--points", "5", "--format", "table", cwd=self.folder).out
        self.assertRegex(text, r"and \d+ more: they are in the JSON")

    def slow_survey(self):
        """A pipeline whose verdict is quick, but whose windows take minutes."""
        return self.survey(participants="100000", values="[0, 1, 2, 3]", perturber='"geometric"', secret='"target"',
                           post='{ query = "count", of = [0] }', known="{ histogram = [30000, 30000, 20000, 19999] }",
                           analyst={"loss": '"linear-error"'})

    def test_within_a_limit(self):
        """The report says what was decided within the limit and what was not. The limit holds whatever is being decided."""
        file = self.slow_survey()
        start = time.monotonic()
        document = self.json("check", file, "--epsilon", "0.1..10", "--within", LIMIT, code=1)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(document["verdict"], "unstable")
        self.assertEqual(document["analyst"]["undecided"][-1]["epsilon_to"], "10")

    def test_a_limit_that_ends_a_verdict(self):
        """The linear programs have as many variables as there are pairs of totals."""
        file = self.survey(participants="60", values="[0, 1, 2]", perturber='"geometric"', secret='"target"', post='"sum"',
                           known="{ histogram = [30, 20, 9] }", analyst={"loss": '"bayes-risk"'})
        document = self.json("check", file, "--epsilon", "0.1..10", "--within", "1", code=6)
        self.assertEqual((document["verdict"], document["reason"]), ("undecided", "not decided within 1 s"))
        self.assertEqual([window["epsilon_to"] for window in document["analyst"]["undecided"]], ["10"])
        wrong = flow("check", file, "--epsilon", "0.1..10", "--within", "0", cwd=self.folder)
        self.assertEqual(wrong.code, 2)
        self.assertIn("--within", wrong.err)

    def test_sweep_within_a_limit(self):
        """Finding windows among a million people takes minutes."""
        file = self.survey(participants="1000000", post='{ query = "count", of = [0] }', secret='"target"',
                           known="{ histogram = [500000, 300000, 199999] }", analyst={"loss": '"linear-error"'})
        start = time.monotonic()
        result = flow("sweep", file, "--epsilon", "0.5..2", "--points", "3", "--within", LIMIT, cwd=self.folder)
        self.assertLess(time.monotonic() - start, int(LIMIT) + 60)
        *points, window = csv.DictReader(io.StringIO(result.out))
        self.assertEqual((result.code, len(points)), (6, 3))
        self.assertEqual(window["change"], "undecided")

    def channels_for_a_linear_program(self):
        """Two channels of 30 secrets: each of the first's 90 outputs leads to two of the second's 60. Only Clp decides them, in seconds."""
        drawn = random.Random(5)

        def row(columns, some):
            weights = {column: drawn.randint(1, 9) for column in drawn.sample(range(columns), some)}
            return [Fraction(weights.get(column, 0), sum(weights.values())) for column in range(columns)]

        first = [row(90, 90) for _ in range(30)]
        second = product(first, [row(60, 2) for _ in range(90)])
        return [self.write(name, "\n".join([",".join(["secret", *(f"o{y}" for y in range(len(rows[0])))]),
                                            *(",".join([f"s{x}", *map(str, one)]) for x, one in enumerate(rows))]) + "\n")
                for name, rows in (("first.csv", first), ("second.csv", second))]

    def test_an_interrupt_ends_a_linear_program(self):
        """It ends at once with empty standard output. Clp solves within tenths of a second, and would handle the interrupt itself."""
        files = self.channels_for_a_linear_program()
        ticks = os.sysconf("SC_CLK_TCK")
        for hundredths in range(15, 40, 5):
            with self.subTest(hundredths=hundredths):
                program = subprocess.Popen([PROGRAM, "flow", "compare", *files], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                spent = 0
                while spent * 100 < hundredths * ticks and program.poll() is None:
                    spent = int(Path(f"/proc/{program.pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
                    time.sleep(0.005)
                program.send_signal(signal.SIGINT)
                with program.stdout, program.stderr:
                    out = program.stdout.read()
                _, status, usage = os.wait4(program.pid, 0)
                program.returncode = os.waitstatus_to_exitcode(status)
                # This is the processor's time, because other programs may use the processor when the signal comes.
                self.assertLess(usage.ru_utime - spent / ticks, 2 if not os.environ.get("FRACTILE_SANITIZE") else 10)
                self.assertEqual((program.returncode, out), (130, b""))

    def test_a_curve_is_printed_before_windows_are_known(self):
        file = self.slow_survey()
        program = subprocess.Popen([PROGRAM, "flow", "sweep", file, "--epsilon", "0.1..10", "--points", "3", "--format", "csv"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=one_processor)
        lines = [program.stdout.readline() for _ in range(4)]
        self.assertIsNone(program.poll())  # it is computing the windows
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=60)
        self.assertEqual((program.returncode, rest, lines[3].split(b",")[:2]), (130, b"", [b"point", b"10"]))

    def test_a_sweep_asks_whether_the_pipeline_is_stable(self):
        file = self.survey(participants="150", values="[0, 1, 2]", perturber='"randomized-response"', secret='"target"',
                           post='{ query = "count", of = [0] }', known="{ histogram = [75, 50, 24] }", analyst={"loss": '"linear-error"'})
        document = self.json("sweep", file, "--epsilon", "0.1..10", "--points", "2")
        self.assertEqual((document["windows_by"], document["windows"]), ("proved", []))

    def test_windows_of_counts_among_some_tens(self):
        """The windows are enclosed within a second; roots would take minutes."""
        file = self.survey(participants="100", perturber='"geometric"', secret='"target"', post='{ query = "count", of = [0] }',
                           known="{ histogram = [50, 25, 24] }", analyst={"loss": '"squared-error"'})
        document = self.json("sweep", file, "--epsilon", "ln 2..ln 3", "--points", "2")
        self.assertEqual((document["windows_by"], document.get("undecided", [])), ("enclosed", []))

    def test_progress_in_a_pipe(self):
        """Progress comes rarely, and says what is being decided."""
        self.slow_survey()
        done = subprocess.run([PROGRAM, "flow", "check", "survey.toml", "--epsilon", "0.1..10", "--within", "5"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120, check=False, preexec_fn=one_processor)
        lines = done.stderr.splitlines()
        self.assertTrue(1 <= len(lines) <= 2, done.stderr)
        for line in lines:
            self.assertRegex(line, r"\Afractile: still working on (whether the pipeline is stable|where the analyst's loss rises) "
                                   r"\((exp\(epsilon\) up to \S+ of \S+, )?\d+ s\)\Z")

    def test_what_changes_too_little(self):
        file = self.survey(participants="64", perturber='"randomized-response"', secret='"target"',
                           known="{ histogram = [60, 2, 1] }", analyst={"loss": '"linear-error"'})
        document = self.json("sweep", file, "--epsilon", "ln 2..ln 3", "--points", "3")
        self.assertEqual((document["windows"], document["undecided"][0]["odds_from"]), ([], "2"))
        text = flow("sweep", file, "--epsilon", "ln 2..ln 3", "--points", "3", "--format", "table", cwd=self.folder).out
        self.assertIn("here it changes so little that it is not known whether it rises", text)

    def test_what_hardly_ever_matters(self):
        """Counts that would change the analyst's mind have a probability below 10^-100. Everything is decided all the same."""
        file = self.survey(participants="1000", post='{ query = "count", of = [0] }', secret='"target"',
                           known="{ histogram = [800, 100, 99] }",
                           analyst={"loss": '"linear-error"', "prior": '"frequencies"'})
        document = self.json("sweep", file, "--epsilon", "ln 8..ln 10", "--points", "3")
        self.assertNotIn("undecided", document)
        self.assertEqual({point["decimal"] for point in document["points"]}, {document["points"][0]["decimal"]})

    def test_no_window_elsewhere(self):
        document = self.json("check", D1, "--epsilon", "ln 2..ln 3", code=1)
        self.assertEqual(document["analyst"], {"verdict": "stable", "windows_by": "isolated", "windows": []})
        self.assertIn("a larger epsilon is never worth less", flow("check", D1, "--epsilon", "ln 2..ln 3").out)

    def test_sweep(self):
        document = self.json("sweep", D1, "--epsilon", "ln 3.4..ln 3.6", "--points", "21")
        points = document["points"]
        self.assertEqual([point["epsilon"] for point in points],
                         [f"ln {Fraction(340 + i, 100)}" for i in range(21)])
        self.assertEqual([point["epsilon"] for point in points if point["change"] == "rises"], ["ln 351/100"])
        self.assertEqual(points[10]["decimal"], "1654.30452168611")
        # The odds are printed exactly and as decimals: odds = exp(epsilon).
        self.assertEqual([points[10][name] for name in ("odds", "odds_decimal", "epsilon_decimal")],
                         ["7/2", "3.5", "1.2527629685"])
        self.assertEqual([window["odds_from"] for window in document["windows"]], ["3.500545"])

    def test_sweep_of_decimals(self):
        result = flow("sweep", D1, "--epsilon", "1.25..1.26", "--points", "11")
        self.assertEqual((result.code, result.err), (0, ""))
        *rows, window = csv.DictReader(io.StringIO(result.out))
        self.assertEqual(window, {"what": "window", "epsilon": "1.252919", "epsilon_to": "1.257499", "expected_loss": "",
                                  "change": "rises", "odds": "3.500545", "odds_to": "3.516615",
                                  "epsilon_decimal": "1.252919", "odds_decimal": "3.500545"})
        self.assertEqual({name: rows[0][name] for name in ("odds", "odds_decimal", "epsilon_decimal")},
                         {"odds": "exp(5/4)", "odds_decimal": "3.49034295746", "epsilon_decimal": "1.25"})
        self.assertEqual([row["epsilon"] for row in rows], ["1.25", *(f"1.25{i}" for i in range(1, 10)), "1.26"])
        losses = [Decimal(row["expected_loss"]) for row in rows]
        for row, left, right in zip(rows[1:], losses, losses[1:]):
            self.assertEqual(row["change"], "rises" if left < right else "falls")
        self.assertEqual([row["epsilon"] for row in rows if row["change"] == "rises"], [f"1.25{i}" for i in range(4, 8)])

    def test_sweep_by_default(self):
        lines = flow("sweep", D1, "--epsilon", "0.1..10").out.splitlines()
        self.assertEqual(len(lines), 202)
        self.assertEqual((lines[0], lines[1].split(",")[1], lines[-2].split(",")[1], lines[-1].split(",")[0]),
                         ("what,epsilon,epsilon_to,expected_loss,change,odds,odds_to,epsilon_decimal,odds_decimal", "0.1", "10", "window"))
        lines = flow("sweep", D1, "--epsilon", "1/3..2/3", "--points", "2").out.splitlines()
        self.assertEqual([line.split(",")[1] for line in lines[1:]], ["0.3334", "0.6666"])


class OtherPipelines(FlowTest):
    """Forms of pipelines that no example file has."""

    MATRIX = '[["1/2", "0.25", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]'

    def same_channel(self, epsilon, first, second):
        self.survey("first.toml", **first)
        self.survey("second.toml", **second)
        self.assertEqual(self.channel("first.toml", epsilon), self.channel("second.toml", epsilon))

    def test_matrices(self):
        response = {"perturber": '"randomized-response"'}
        self.same_channel("ln 2", response, {"perturber": f"{{ matrix = {self.MATRIX} }}"})
        self.same_channel("ln 2", response, {"perturber": None, "matrix": self.MATRIX})

    def test_queries(self):
        self.same_channel("ln 3", {}, {"post": '{ query = "sum" }'})
        self.same_channel("ln 3", {}, {"secret": None})
        one = {"participants": "1"}
        self.same_channel("ln 3", {**one, "post": '"identity"'}, {**one, "post": "{ table = [0, 1, 2] }"})
        one = {**one, "values": "[2, 1, 0]"}
        self.same_channel("ln 3", {**one, "post": '{ query = "count", of = [1] }'}, {**one, "post": "{ table = [0, 1, 0] }"})

    def test_matrices_in_odds(self):
        """A family of matrices that the file writes out: the verdict holds at every epsilon."""
        entries = [["odds/(odds+2)" if x == y else "1/(odds + 2)" for y in range(3)] for x in range(3)]
        self.same_channel("ln 7", {"perturber": '"randomized-response"'}, {"perturber": f"{{ matrix = {entries} }}"})
        file = self.survey(participants="1", perturber=None, matrix=str(entries))
        self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 3")["verdict"], "stable")

    def test_perturbers_of_other_shapes(self):
        own = {"participants": "1", "values": "[0, 1]", "perturber": None, "matrix": '[["1/2", "1/4", "1/4"], [0, 0, 1]]',
               "answers": "[0, 1, 9]"}
        secrets, observations, matrix = self.channel(self.survey(**own), "ln 2")
        self.assertEqual((secrets, observations, matrix[1]), (["0", "1"], ["0", "1", "9"], [0, 0, 1]))
        # The infinite geometric mechanism is compared with the truncated one.
        wide = {"participants": "1", "perturber": "{ geometric = 2 }"}
        _, observations, matrix = self.channel(self.survey(**wide), "ln 2")
        self.assertEqual(observations, ["-2", "-1", "0", "1", "2", "3", "4"])
        self.assertEqual(matrix[0][:3], [Fraction(1, 6), Fraction(1, 6), Fraction(1, 3)])
        narrow = {"participants": "1", "perturber": '"geometric"'}
        self.same_channel("ln 2", {**narrow, "post": '{ query = "count", of = [0] }'},
                          {**wide, "post": '{ query = "count", of = [-2, -1, 0] }'})

    def test_perturbers_by_participant(self):
        each = {"values": "[0, 1]", "perturber": '["geometric", { matrix = [["1/3", "2/3"], [1, 0]] }]', "post": '"identity"'}
        secrets, _, matrix = self.channel(self.survey(**each), "ln 3")
        self.assertEqual(secrets, ["(0,0)", "(0,1)", "(1,0)", "(1,1)"])
        self.assertEqual(matrix[1], [Fraction(3, 4), 0, Fraction(1, 4), 0])

    def test_what_is_guessed(self):
        """A loss may be the distance from the mode (section 9.1), and the loss of equation 17 has two names."""
        bars = {"post": '"mode"', "secret": '"histogram"'}
        losses = []
        for analyst in ({"loss": '"linear-error"', "about": '"mode"'}, {"loss": '"bayes-risk"', "about": '"mode"'},
                        {"loss": '"argmax-accuracy"'}, {"loss": '"squared-error"', "about": '{ query = "count", of = [1] }'}):
            losses.append(Fraction(self.json("loss", self.survey(**bars, analyst=analyst), "--epsilon", "ln 3")["expected_loss"]))
        distance, wrong, accuracy, count = losses
        self.assertEqual(wrong, accuracy)
        self.assertGreater(distance, wrong)
        self.assertGreater(count, 0)

    def test_one_channel_has_one_verdict(self):
        """The verdict depends on the channel, not on the names of its outputs."""
        for posts in (("sum", {"query": "count", "of": [1]}, {"table": [0, 1, 1, 2]}),
                      ("identity", {"table": [3, 1, 0, 2]}, {"round": 1})):
            verdicts = set()
            for post in posts:
                words = json.dumps(post) if isinstance(post, str) else \
                    "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in post.items()) + " }"
                file = self.survey(values="[0, 1]", perturber='"geometric"', post=words)
                document = self.json("check", file, "--epsilon", "ln 2..ln 3", code=0)
                verdicts.add((document["verdict"], document["reason"]))
            self.assertEqual(len(verdicts), 1, verdicts)

    def test_any_prior(self):
        """For noisy argmax of five people, the loss falls under the uniform prior, but rises under another. For two, it never rises."""
        few = EXAMPLES / "noisy_argmax.toml"
        proved = self.json("check", few, "--from", "ln 3", "--to", "ln 2", "--any-prior", code=0)
        self.assertEqual((proved["verdict"], proved["epsilon_from"], proved["epsilon_to"]), ("worth-as-much", "ln 3", "ln 2"))
        self.assert_randomized(proved)
        file = self.survey(participants="5", values="[0, 1, 2]", perturber='"geometric"', secret='"histogram"', post='"mode"',
                           analyst={"loss": '"argmax-accuracy"'})
        document = self.json("check", file, "--from", "ln 3", "--to", "ln 2", "--any-prior", code=1)
        prior = [Fraction(p) for p in document["counterexample"]["prior"]]
        self.assertEqual((document["verdict"], sum(prior), len(prior)), ("worth-less", 1, len(document["secrets"])))
        example = document["counterexample"]
        self.assertGreater(Fraction(example["loss_from"]), Fraction(example["loss_to"]))
        for option in (("--epsilon", "ln 2..ln 3"), ("--epsilon", "0.5..1.5")):
            text = flow("check", file, *option, "--any-prior", cwd=self.folder).out
            self.assertRegex(text, r"\Aunstable for epsilon from [^\n]*, for the loss of the file's analyst and any prior\n")
            self.assertIn("both checked in exact arithmetic\n", text)
        rows = list(csv.DictReader(io.StringIO(flow("check", file, *LN_3_TO_LN_2, "--any-prior", "--format", "csv",
                                                          cwd=self.folder).out)))
        self.assertEqual((rows[0]["verdict"], rows[0]["odds_from"]), ("worth-less", "3"))
        stable = self.survey(post='{ query = "count", of = [0] }', perturber='"randomized-response"',
                             analyst={"loss": '"bayes-risk"'})
        for option, verdict in ((LN_3_TO_LN_2, "worth-as-much"), (("--epsilon", "0.5..1.5"), "stable")):
            document = self.json("check", stable, *option, "--any-prior", code=0)
            self.assertEqual(document["verdict"], verdict)

    def assert_randomized(self, document):
        """For every strategy on the second channel, the randomized strategy on the first costs no more under any secret."""
        first, second, loss = (fractions(document[name]) for name in ("channel_from", "channel_to", "loss"))
        ways = list(itertools.product(range(len(loss[0])), repeat=len(second[0])))
        self.assertEqual(len(ways), len(document["randomized"]))
        for way, randomized in zip(ways, map(fractions, document["randomized"])):
            self.assertTrue(all(sum(row) == 1 and min(row) >= 0 for row in randomized))
            for before, after, costs in zip(first, second, loss):
                acted = sum(p * q * cost for p, row in zip(before, randomized) for q, cost in zip(row, costs))
                self.assertLessEqual(acted, sum(p * costs[action] for p, action in zip(after, way)))

    def test_a_pair_says_nothing_of_what_is_between(self):
        """Noisy argmax of five people is worth as much at ln 20 as at ln 2 under any prior, but not at ln 3 as at ln 2."""
        file = self.survey(participants="5", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        pair = ("--from", "ln 20", "--to", "ln 2", "--any-prior")
        text = flow("check", file, *pair, cwd=self.folder)
        self.assertEqual(text.code, 0)
        self.assertRegex(text.out, r"\Afor the loss of the file's analyst, under any prior, epsilon = ln 20 is worth at least as much as "
                                   r"ln 2\nthis says nothing about other epsilons\n")
        self.assertNotIn("stable", text.out)
        self.assertEqual(self.json("check", file, *pair)["verdict"], "worth-as-much")
        self.assertEqual(self.json("check", file, *LN_3_TO_LN_2, "--any-prior", code=1)["verdict"], "worth-less")
        self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 20", "--any-prior", code=1)["verdict"], "unstable")

    def test_any_prior_asks_for_refinement_first(self):
        """Six people's answers allow too many strategies to enumerate, but refinement already decides this for every analyst."""
        file = self.survey(participants="6", post='"identity"', perturber='"randomized-response"', analyst={"loss": '"bayes-risk"'})
        document = self.json("check", file, *LN_3_TO_LN_2, "--any-prior")
        self.assertEqual((document["verdict"], document["about"]), ("worth-as-much", "one participant"))
        self.assertTrue(document["reason"].startswith("to every analyst: "))

    def test_witnesses_have_the_pipelines_own_names(self):
        """A count decides these sums. The sums of 1 and 2 are 2, 3 and 4; for the values 2 and 1, the count runs the other way round."""
        for values in ("[1, 2]", "[2, 1]"):
            file = self.survey(values=values, perturber='"randomized-response"')
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual(document["observations"], ["2", "3", "4"])
            self.assert_certified(file, document, "ln 3", "ln 2")
        many = self.survey(participants="13", values="[2, 1]", perturber='"geometric"')
        document = self.json("check", many, *LN_3_TO_LN_2)
        self.assertEqual(document["observations"], [str(total) for total in range(13, 27)])
        self.assert_certified(many, document, "ln 3", "ln 2")
        for post in ("{ table = [3, 1, 0, 2] }", "{ table = [2, 0, 0, 1] }", "{ table = [0, 0, 0, 1] }"):
            file = self.survey(values="[0, 1]", perturber='"randomized-response"', post=post)
            document = self.json("check", file, *LN_3_TO_LN_2, code=None)
            if document["about"] == "2 participants":
                self.assert_certified(file, document, "ln 3", "ln 2")

    def test_where_nothing_is_told(self):
        for post in ('{ query = "count", of = [0, 1, 2] }', "{ table = [0, 0, 0, 0, 0, 0, 0, 0, 0] }", "{ round = 9 }"):
            file = self.survey(post=post)
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual((document["verdict"], document["witness"]), ("refines", [["1"]]))
            self.assert_certified(file, document, "ln 3", "ln 2")
            self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 3")["verdict"], "stable")

    def test_all_answers_of_many(self):
        """One answer decides, however many there are: the others do not depend on the secret, and bars are released separately."""
        for people in (8, 10, 1000):
            file = self.survey(participants=str(people), post='"identity"', secret='"target"',
                               known=f"{{ histogram = [{people - 3}, 1, 1] }}")
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual((document["verdict"], document["about"], len(document["witness"])), ("refines", "the target alone", 3))
            self.assertEqual(self.json("check", file, "--from", "ln 2", "--to", "ln 3", code=1)["about"], "the target alone")
        bars = self.survey(participants="4", post='"identity"', secret='"histogram"')
        self.assertEqual(self.json("check", bars, *LN_3_TO_LN_2)["about"], "one bar")
        self.assertEqual(self.json("check", bars, "--from", "ln 2", "--to", "ln 3", code=1)["verdict"], "does-not-refine")

    def test_one_channel_in_two_descriptions(self):
        """The geometric matrix of three values gives the same verdict when it is written in odds."""
        row = ["odds/(odds + 1)", "(odds - 1)/(odds*(odds + 1))", "1/(odds*(odds + 1))"]
        matrix = json.dumps([row, ["1/(odds + 1)", "(odds - 1)/(odds + 1)", "1/(odds + 1)"], row[::-1]])
        for participants, post, secret in (("2", '"identity"', '"everyone"'), ("3", '"identity"', '"target"'), ("1", '"sum"', '"everyone"'),
                                           ("2", '{ query = "count", of = [0, 2] }', '"everyone"')):
            known = "[0, 1]" if secret == '"target"' else None
            answers = []
            for perturber in ('"geometric"', f"{{ matrix = {matrix} }}"):
                document = self.json("check", self.survey(participants=participants, post=post, secret=secret, known=known,
                                                          perturber=perturber), "--epsilon", "ln 2..ln 3")
                answers.append((document["verdict"], document["reason"]))
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0][0], "stable")
        # The values are not equally spaced: the matrix is used as it is, and not taken for noise that is added to a value.
        self.json("check", self.survey(values="[0, 1, 5]", perturber=f"{{ matrix = {matrix} }}"), *LN_3_TO_LN_2, code=None)
        # Entries without odds are computed, too, and do not depend on epsilon.
        half = self.survey(values="[0, 1]", perturber='{ matrix = [["1/(1+1)", "1 - 1/2"], ["1/4", "3/4"]] }', post='"sum"')
        self.assertEqual(self.channel(half, "0.5")[2][0], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
        self.assertEqual(self.json("check", half, "--epsilon", "0.5..1")["reason"], "the perturber does not depend on epsilon")

    def test_priors_by_name(self):
        """A named prior gives the same loss as its probabilities written out."""
        target = {"secret": '"target"', "participants": "3", "known": "[0, 2]", "post": '{ query = "count", of = [0] }'}
        loss = {"loss": '"bayes-risk"'}
        for prior, same in (('"uniform-uncounted"', '[0, "1/2", "1/2"]'), ('"frequencies"', '["1/2", 0, "1/2"]'),
                            ('{ participants = ["1/6", "1/3", "1/2"] }', '["1/6", "1/3", "1/2"]')):
            losses = [self.json("loss", self.survey(**target, analyst={"prior": words, **loss}), "--epsilon", "ln 3")
                      for words in (prior, same)]
            self.assertEqual(*losses)
        independent = '{ participants = ["1/6", "1/3", "1/2"] }'
        product = '["1/36", "1/9", "1/6", "1/9", "1/3", "1/4"]'  # the pairs 00, 01, 02, 11, 12 and 22
        losses = [self.json("loss", self.survey(analyst={"prior": words, **loss}), "--epsilon", "ln 3")
                  for words in (independent, product)]
        self.assertEqual(*losses)

    def test_sums_among_some_tens(self):
        """Totals are so unlikely that floating point sees no support. A witness from the interior is moved until it holds exactly."""
        for people, known in ((9, [3, 3, 2]), (24, [8, 8, 7])):
            file = self.survey(participants=str(people), perturber='"geometric"', secret='"target"', known=f"{{ histogram = {known} }}")
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual(document["verdict"], "refines")
            self.assert_certified(file, document, "ln 3", "ln 2")

    def test_modes_among_known_others(self):
        """The distribution of the others' answers is computed only once. What would take gigabytes is refused with an explanation."""
        file = self.survey(participants="60", post='"mode"', secret='"target"', known="{ histogram = [20, 20, 19] }")
        self.assertEqual(self.channel(file, "ln 3")[1], ["0", "1", "2"])
        many = self.survey(participants="1000", post='"mode"', secret='"target"', known="{ histogram = [400, 300, 299] }")
        self.assert_refused(flow("check", many, *LN_3_TO_LN_2, cwd=self.folder), 3, "fractions are too long to be written down")
        many = self.survey(participants="1000", post='"mode"', secret='"target"', known="{ histogram = [340, 330, 329] }",
                           analyst={"loss": '"bayes-risk"'})
        losses = [float(self.json("loss", many, "--epsilon", epsilon)["decimal"]) for epsilon in ("1", "2")]
        self.assertTrue(0.5 < losses[1] < losses[0] < 2 / 3, losses)

    def test_sums_among_known_others(self):
        """Under geometric noise, no mixture of the first totals is like a total. Without a counter-example, there is one reason."""
        for people in (60, 101):
            known = [people // 3 + people % 3 - 1, people // 3, people // 3]
            file = self.survey(participants=str(people), post='"sum"', secret='"target"', known=f"{{ histogram = {known} }}")
            result = flow("check", file, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
            document = json.loads(result.out)
            self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"), (people, document["reason"]))
            self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", file, cwd=self.folder).code, 0)
            far = flow("check", file, "--from", "ln 10", "--to", "ln 2", "--format", "json", cwd=self.folder)
            self.assertIn(far.code, (0, 6))
            if far.code == 6:
                self.assertIn("a sum among so many known people has too many totals for a proof", json.loads(far.out)["reason"])

    def test_losses_of_more_than_ten_thousand_characters_are_read_back(self):
        """The check printed them, and verify found something else than a fraction."""
        file = self.survey(participants="600", values="[0, 1, 2, 3, 4, 5, 6]", post='{ query = "count", of = [0] }', secret='"target"',
                           known="{ histogram = [593, 1, 1, 1, 1, 1, 1] }")
        result = flow("check", file, "--from", "ln 3.4878087431", "--to", "ln 3.5133595031", "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertGreater(len(document["counterexample"]["loss_to"]), 10_000)
        name = self.write("c.json", result.out)
        self.assertEqual(flow("verify", name, "--of", file, cwd=self.folder).code, 0)
        for end in ("/", "/0", "/1/1", "x"):
            document["counterexample"]["loss_to"] = "7" * 10_001 + end
            name = self.write("c.json", json.dumps(document))
            self.assert_refused(flow("verify", name, "--of", file, cwd=self.folder), 3, "expected a fraction in quotes")

    def test_sums_among_more_than_a_hundred_known_people(self):
        """Under randomized response of three values, the witness is found in the interior. Under that of four values, a bet after the
        rarest total is a counter-example. Both certificates hold."""
        file = self.survey(participants="109", perturber='"randomized-response"', secret='"target"', known="{ histogram = [48, 40, 20] }")
        result = flow("check", file, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        self.assertEqual((result.code, json.loads(result.out)["verdict"]), (0, "refines"))
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", file, cwd=self.folder).code, 0)
        four = self.survey(participants="109", values="[0, 1, 2, 3]", perturber='"randomized-response"', secret='"target"',
                           known="{ histogram = [27, 27, 27, 27] }")
        result = flow("check", four, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertRegex(document["reason"], "once in some 10\\^[0-9]+ cases")
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", four, cwd=self.folder).code, 0)

    def test_sums_among_thousands_of_known_people(self):
        """For four values, the same bet refutes refinement without the channel. For three, none is found; the reason says what to ask."""
        four = self.survey(participants="1201", values="[0, 1, 2, 3]", perturber='"randomized-response"', secret='"target"',
                           known="{ histogram = [300, 300, 300, 300] }")
        result = flow("check", four, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertIn("once in some 10^381 cases", document["reason"])
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", four, cwd=self.folder).code, 0)
        three = self.survey(participants="1000", perturber='"randomized-response"', secret='"target"', known="{ histogram = [333, 333, 333] }")
        result = flow("check", three, *LN_3_TO_LN_2, cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided:"))
        self.assertIn("with fewer people it is decided (under randomized response of three values, up to some 240), and so is a count; "
                      "a sweep shows where the loss of a given analyst rises", result.out)
        few = self.survey(participants="260", perturber='"randomized-response"', secret='"target"', known="{ histogram = [87, 86, 86] }")
        result = flow("check", few, "--epsilon", "ln 2..ln 2.1", cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided"))
        self.assertIn("two epsilons that matter may be compared by themselves; a sweep shows where", result.out)

    def test_an_analyst_is_shown_without_what_does_not_matter(self):
        """Actions with equal costs are merged, and secrets under which all actions cost the same are counted, not listed."""
        known = self.survey(values="[0, 1, 2, 3, 4, 5, 6]", participants="4", post='{ query = "count", of = [0] }', secret='"target"',
                            known="[0, 1, 1]")
        text = flow("check", known, "--from", "ln 3.51", "--to", "ln 3.5", cwd=self.folder).out
        self.assertIn("and 4 more, which this analyst thinks impossible or under which all actions cost the same", text)
        self.assertEqual([line.split()[0] for line in text.splitlines() if line.startswith(tuple("0123456"))], ["0", "1", "2"])
        document = self.json("check", known, "--from", "ln 3.51", "--to", "ln 3.5", code=1)
        self.assertEqual(len(document["counterexample"]["loss"]), 7)
        argmax = self.survey(participants="6", post='"mode"', secret='"histogram"')
        found = self.json("check", argmax, "--from", "ln 3", "--to", "ln 2", code=1)["counterexample"]["loss"]
        actions = list(zip(*found))
        self.assertEqual(len(set(actions)), len(actions))

    def test_undecided_has_an_exit_code(self):
        file = self.survey(participants="9", perturber='"randomized-response"', secret='"target"', known="{ histogram = [6, 1, 1] }")
        result = flow("check", file, "--epsilon", "ln 2..ln 21/10", cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided"), result)

    def test_values_that_are_not_whole(self):
        secrets, observations, _ = self.channel(self.survey(values='["1/2", "0.75", 1]'), "ln 3")
        self.assertEqual(secrets[0], "(1/2,1/2)")
        self.assertEqual(observations, ["1", "5/4", "3/2", "7/4", "2"])

    def test_a_fixed_matrix_at_any_epsilon(self):
        file = self.survey(perturber=None, matrix=self.MATRIX, analyst={"loss": '"bayes-risk"'})
        document = self.json("check", file, "--from", "0.5", "--to", "ln 9")
        self.assertEqual(document["verdict"], "refines")
        self.assertEqual(self.json("loss", file, "--epsilon", "0.5")["expected_loss"],
                         self.json("loss", file, "--epsilon", "ln 2")["expected_loss"])
        self.json("channel", file, "--epsilon", "0.5")

    def test_priors_losses_and_scales(self):
        one = {"participants": "1", "perturber": '"randomized-response"', "post": '"identity"'}
        file = self.survey(**one, analyst={"prior": '["1/2", "1/4", "1/4"]', "loss": "[[0, 1], [2, 0], [1, \"1/3\"]]",
                                           "scale": '"1/7"'})
        _, _, matrix = self.channel(file, "ln 3")
        loss = fractions([[0, 1], [2, 0], [1, "1/3"]])
        expected = expected_loss([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], matrix, loss) / 7
        self.assertEqual(Fraction(self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]), expected)
        file = self.survey(**one, analyst={"loss": '"squared-error"'})
        loss = [[Fraction(x - w) ** 2 for w in range(3)] for x in range(3)]
        expected = expected_loss([Fraction(1, 3)] * 3, matrix, loss)
        self.assertEqual(Fraction(self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]), expected)

    def test_frequencies_are_the_others(self):
        target = {"secret": '"target"', "known": "[0, 2, 2]", "participants": "4"}
        answers = [self.json("loss", self.survey(**target, analyst={"prior": prior, "loss": '"bayes-risk"'}),
                             "--epsilon", "ln 3")["expected_loss"] for prior in ('"frequencies"', '["1/3", 0, "2/3"]')]
        self.assertEqual(*answers)

    def test_a_histogram_of_the_known(self):
        analyst = {"prior": '"frequencies"', "loss": '"bayes-risk"'}

        def utility(known):
            file = self.survey(secret='"target"', participants="5", known=known, analyst=analyst)
            return self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]

        listed = utility("[0, 2, 2, 2]")
        self.assertEqual(utility("{ histogram = [1, 0, 3] }"), listed)
        self.assertEqual(utility("{ histogram = [1, 0, 4] }"), listed)  # the target is taken from the most frequent value
        self.write("codes.csv", "code,label,count\n2,c,4\n0,a,1\n")
        self.assertEqual(utility('{ histogram = "codes.csv" }'), listed)

    def test_a_target_among_thousands(self):
        file = self.survey(participants="2001", perturber='"geometric"', post='{ query = "count", of = [0] }',
                           secret='"target"', known="{ histogram = [500, 500, 1000] }")
        document = self.json("check", file, "--from", "ln 3", "--to", "ln 2", code=1)
        self.assertEqual(document["counterexample"]["loss_from"], "1/2")
        self.assertLess(Fraction(document["counterexample"]["loss_to"]), Fraction(1, 2))

    def test_long_fractions_on_request(self):
        file = self.survey(participants="301", perturber='"geometric"', post='{ query = "count", of = [0] }',
                           secret='"target"', known="{ histogram = [100, 100, 100] }", analyst={"loss": '"bayes-risk"'})
        brief = self.json("loss", file, "--epsilon", "ln 10")
        self.assertNotIn("expected_loss", brief)
        sys.set_int_max_str_digits(0)
        exact = self.json("loss", file, "--epsilon", "ln 10", "--exact")
        self.assertEqual(exact["decimal"], brief["decimal"])
        self.assertLess(abs(Fraction(exact["expected_loss"]) - Fraction(brief["decimal"])), Fraction(1, 10**25))
        self.assertGreater(len(exact["expected_loss"]), 200)
        refused = flow("loss", file, "--epsilon", "0.5", "--exact", cwd=self.folder)
        self.assertEqual((refused.code, refused.out), (2, ""))
        self.assertIn('write a logarithm, for example --epsilon "ln 3"', refused.err)

    def test_releases_post_processed(self):
        release = '{ release = "approximate", quantiles = ["1/4", "3/4"], records = 2, lattice = [0, 1, 2] }'
        shape = {"participants": None, "values": None, "perturber": release}
        for post, observations in (('"identity"', 6), ('"mode"', 3), ('"sum"', 5), ("{ round = 2 }", 3)):
            file = self.survey(**shape, post=post)
            degree = 24
            self.assertEqual(len(self.channel(file, f"{degree} ln 2")[1]), observations)
        text = flow("check", file, "--from", "ln 3", "--to", "ln 2", cwd=self.folder)
        self.assertEqual(text.code, 2)
        self.assertIn("times a logarithm", text.err)

    def test_many_participants(self):
        """The loss is computed everywhere. The places where it rises are found or, for some pipelines, compared from point to point."""
        known = "[" + ", ".join(["0"] * 40 + ["8"] * 60) + "]"
        added = self.survey(participants="101", values="[0, 4, 8]", perturber='"geometric"', secret='"target"', known=known,
                            analyst={"loss": '"linear-error"'})
        document = self.json("sweep", added, "--epsilon", "1.5..3", "--points", "4")
        self.assertEqual((len(document["points"]), document["windows_by"]), (4, "enclosed"))
        self.assertEqual((document["windows"], document.get("undecided", [])), ([], []))
        modes = self.survey(participants="160", values="[0, 1]", perturber='"geometric"', secret='"histogram"', known=None,
                            post='"mode"', analyst={"loss": '"bayes-risk"'})
        document = self.json("sweep", modes, "--epsilon", "1.5..3", "--points", "4")
        self.assertEqual((len(document["points"]), document["windows_by"]), (4, "none"))
        self.assertEqual((document["windows"], [range["epsilon_from"] for range in document["undecided"]]), ([], ["1.5"]))

    def test_a_channel_at_a_decimal(self):
        """Where no probability is rational, the output has decimals whose digits are certain."""
        file = self.survey()
        exact = fractions(self.json("channel", file, "--epsilon", "ln 2.718281828459045235360287471352")["matrix"])
        enclosed = fractions(self.json("channel", file, "--epsilon", "1")["matrix"])
        for row, other in zip(exact, enclosed):
            for a, b in zip(row, other):
                self.assertLess(abs(a - b), Fraction(1, 10**28))
        self.assertIn("as JSON they have 30 digits", flow("channel", file, "--epsilon", "1", "--format", "table",
                                                         cwd=self.folder).out)

    def test_zero_epsilon(self):
        _, _, matrix = self.channel(self.survey(), "0")
        self.assertEqual(len({tuple(row) for row in matrix}), 1)
        document = self.json("check", self.survey(), "--epsilon", "0..0.5", code=1)
        self.assertEqual(document["verdict"], "unstable")


class Compare(FlowTest):
    """Compares pipelines and channels with each other. Certificates are checked again, here in Python's fractions, too."""

    LN_3 = ("--from", "ln 3", "--to", "ln 3")

    def compare(self, *arguments, code):
        document = self.json("compare", *arguments, code=code)
        first, second = (fractions(document[name]) for name in ("channel_from", "channel_to"))
        if document["verdict"] == "refines":
            self.assertEqual(product(first, fractions(document["witness"])), second)
        else:
            analyst = document["counterexample"]
            prior = [Fraction(p) for p in analyst["prior"]]
            losses = [expected_loss(prior, channel, fractions(analyst["loss"])) for channel in (first, second)]
            self.assertEqual(losses, [Fraction(analyst["loss_from"]), Fraction(analyst["loss_to"])])
            self.assertLess(losses[1], losses[0])
        return document

    def test_pipelines(self):
        self.survey("identity.toml", post='"identity"')
        self.survey("sum.toml")
        refined = self.compare("identity.toml", "sum.toml", *self.LN_3, code=0)
        self.assertEqual((refined["verdict"], refined["from"], refined["to"]), ("refines", "identity.toml at ln 3", "sum.toml at ln 3"))
        # A sum has one row for all arrangements of the same values; here, each arrangement has its own row.
        self.assertEqual(len(refined["secrets"]), 9)
        self.assertEqual(self.compare("sum.toml", "identity.toml", *self.LN_3, code=1)["verdict"], "does-not-refine")
        table = flow("compare", "identity.toml", "sum.toml", *self.LN_3, cwd=self.folder)
        self.assertEqual(table.code, 0)
        self.assertIn("to every analyst, identity.toml at ln 3 is worth at least as much as sum.toml at ln 3", table.out)
        rows = list(csv.reader(io.StringIO(flow("compare", "sum.toml", "identity.toml", *self.LN_3, "--format", "csv",
                                                cwd=self.folder).out)))
        self.assertEqual(rows[1][0], "does-not-refine")

    def test_channels(self):
        self.survey("sum.toml")
        for name, epsilon in (("more.csv", "ln 3"), ("less.csv", "ln 2")):
            self.write(name, flow("channel", "sum.toml", "--epsilon", epsilon, "--format", "csv", cwd=self.folder).out)
        self.assertEqual(self.compare("more.csv", "less.csv", code=1)["secrets"][1], "(0,1)")
        self.compare("more.csv", "sum.toml", "--to", "ln 3", code=0)
        # Rows are matched by the names of the secrets.
        lines = (self.folder / "more.csv").read_text().splitlines()
        self.write("turned.csv", "\n".join([lines[0], *reversed(lines[1:])]) + "\n")
        self.compare("turned.csv", "more.csv", code=0)
        self.compare("more.csv", "turned.csv", code=0)

    def test_refusals(self):
        self.survey("sum.toml")
        self.survey("three.toml", participants="3")
        self.write("odd.csv", "secret,a,b\nx,1/2,1/3\n")
        self.write("short.csv", "secret,a,b\nx,1/2\n")
        self.write("twice.csv", "secret,a\nx,1\nx,1\n")
        self.write("open.csv", 'secret,a\n"x,1\n')
        self.write("word.csv", "secret,a\nx,one\n")
        def refuse(code, *arguments, part):
            self.assert_refused(flow("compare", *arguments, cwd=self.folder), code, *part)
        refuse(2, "sum.toml", part=["two files are compared"])
        refuse(2, "sum.toml", "sum.toml", "--from", "ln 3", part=["--to is missing"])
        refuse(2, "odd.csv", "sum.toml", "--from", "ln 3", part=["is a channel, and has no epsilon"])
        refuse(3, "sum.toml", "three.toml", *self.LN_3, part=["is a secret of three.toml at ln 3 and not of sum.toml at ln 3"])
        refuse(3, "odd.csv", "odd.csv", part=["adds up to 5/6"])
        self.write("rounded.csv", flow("channel", "sum.toml", "--epsilon", "1", "--format", "csv", cwd=self.folder).out)
        refuse(3, "rounded.csv", "rounded.csv", part=["adds up to", "prints it at an epsilon where all entries are fractions"])
        # Once, the hint was to print it for a logarithm; here it was printed for one, whose root is not rational.
        self.write("rounded.csv", flow("channel", EXAMPLES / "root_of_odds.toml", "--epsilon", "ln 3", "--format", "csv").out)
        refuse(3, "rounded.csv", "rounded.csv", part=["adds up to", "prints it at an epsilon where all entries are fractions"])
        refuse(3, "short.csv", "odd.csv", part=["short.csv:2: 2 cells"])
        refuse(3, "twice.csv", "odd.csv", part=["twice.csv:3: a secret appears twice"])
        self.write("same.csv", "secret,a,a\nx,1/2,1/2\n")
        self.write("one.csv", "secret,a,b\nx\n")
        refuse(3, "same.csv", "odd.csv", part=["same.csv:1: an observation appears twice"])
        refuse(3, "one.csv", "odd.csv", part=["one.csv:2: 1 cell, but the first line has 3"])
        refuse(3, "open.csv", "odd.csv", part=["open.csv:2: a quote is not closed"])
        refuse(3, "word.csv", "odd.csv", part=["word.csv:2: cell 2 is not a number"])
        refuse(3, "absent.csv", "odd.csv", part=["cannot open absent.csv"])

    def verified(self, document, code, outcome, *of):
        name = self.write("certificate.json", document if isinstance(document, str) else json.dumps(document))
        report = self.json("verify", name, *of, code=code)
        self.assertEqual(report["certificate"], outcome, (document, report))
        return report

    def forged(self, document, *of, **changes):
        """Requires that verification fails, with a reason."""
        with self.subTest(**changes):
            self.assertTrue(self.verified(dict(document, **changes), 1, "fails", *of)["trouble"])

    def test_a_certificate_of_a_file_is_bound_to_it(self):
        """Everything printed is bound to the file, except for the reason."""
        self.survey("sum.toml")
        self.survey("other.toml", perturber='"randomized-response"')
        of = ("--of", "sum.toml")
        pair = self.json("check", "sum.toml", *LN_3_TO_LN_2, code=1)
        report = self.verified(pair, 0, "holds", *of)
        self.assertEqual(report["unchecked"], ["the reason, which is only words"])
        self.assertIn("these are the pipeline's channels", self.verified(pair, 0, "holds")["unchecked"][0])
        self.forged(pair, *of, epsilon_from="ln 2", epsilon_to="ln 3")
        self.forged(pair, *of, epsilon_from="ln 4")
        self.forged(pair, *of, about="3 participants")
        self.forged(pair, *of, secrets=pair["secrets"][::-1])
        self.forged(pair, *of, observations=pair["observations"][::-1])
        self.forged(pair, "--of", "other.toml")
        for names in (["same"] * len(pair["secrets"]), pair["secrets"][:-1]):
            self.forged(pair, secrets=names)
        self.forged(pair, observations=["same"] * len(pair["observations"]))
        # Without its channels, a certificate proves nothing by itself. With the file, the channels are multiplied out.
        short = {name: value for name, value in pair.items() if not name.startswith("channel")}
        self.verified(short, 6, "nothing")
        self.verified(short, 0, "holds", *of)
        self.assert_refused(flow("verify", self.write("more.json", json.dumps(dict(pair, note="believe me"))), cwd=self.folder), 3,
                            "it has a member that no certificate of its kind has")

    def test_a_certificate_of_a_range_is_bound_to_it(self):
        document = self.json("check", D1, "--epsilon", "ln 3..ln 4", code=1)
        of = ("--of", D1)
        self.assertEqual(self.verified(document, 0, "holds", *of)["unchecked"],
                         ["that the loss rises from end to end of each window, and nowhere else", "the reason, which is only words"])
        self.assertIn("where the loss of the file's analyst rises", self.verified(document, 0, "holds")["unchecked"])
        self.forged(document, epsilon_low="ln 5", epsilon_high="ln 6")
        self.forged(document, epsilon_high="ln 31/10")
        self.forged(document, odds_from="5")
        self.forged(document, *of, odds_from="399/100")
        self.forged(document, odds_from=document["odds_to"], odds_to=document["odds_from"])

        def windows(**changes):
            [window] = document["analyst"]["windows"]
            return dict(document["analyst"], windows=[dict(window, **changes)])

        proof = document["analyst"]["windows"][0]["proof"]
        self.assertTrue(1500 < Fraction(proof["loss_from"]) < 2000)
        rounded = dict(document, analyst=windows(proof=dict(proof, loss_to="2e3")))
        self.verified(rounded, 0, "holds", *of)
        self.forged(document, *of, analyst=windows(proof=dict(proof, loss_to="3e3")))
        self.forged(document, *of, analyst=windows(proof=dict(proof, loss_to="1e9")))

        [window] = document["analyst"]["windows"]
        self.forged(document, analyst=windows(odds_from="3.6", epsilon_from="1.280934", proof=window["proof"]))
        self.forged(document, analyst=windows(odds_to="9", epsilon_to="2.197225"))
        self.forged(document, analyst=windows(epsilon_to="1.300000"))
        self.forged(document, analyst=windows(proof=dict(window["proof"], loss_from=window["proof"]["loss_to"])))
        self.forged(document, analyst=dict(document["analyst"], windows=[]))
        self.forged(document, analyst=dict(document["analyst"], windows_by="hearsay"))
        unproved = {name: value for name, value in window.items() if name != "proof"}
        report = self.verified(dict(document, analyst=dict(document["analyst"], windows=[unproved])), 0, "holds", *of)
        self.assertIn("that the loss rises in the windows that have no proof", report["unchecked"])
        # A proof shows one rise within its window. A window that is said to reach further is not refuted, and the report says what it left out.
        wider = dict(document, analyst=windows(odds_from="3.1", epsilon_from="1.131402"))
        self.assertIn("that the loss rises from end to end of each window, and nowhere else", self.verified(wider, 0, "holds", *of)["unchecked"])
        self.forged(document, *of, analyst=windows(proof=dict(window["proof"], loss_from="1", loss_to="2")))
        self.forged(document, *of, analyst=windows(odds_from="3.1", epsilon_from="1.131402",
                                                   proof=dict(window["proof"], odds_from="31/10")))

    def test_a_theorem_is_about_a_range_without_windows(self):
        file = EXAMPLES / "response_count.toml"
        document = self.json("check", file, "--epsilon", "ln 2..ln 3")
        self.verified(document, 0, "holds", "--of", file)
        self.forged(document, "--of", file, epsilon_low="ln 4")
        self.forged(document, "--of", file, epsilon_low="ln 3")
        window = {"odds_from": "2.1", "odds_to": "2.2", "epsilon_from": "0.741937", "epsilon_to": "0.788457"}
        self.forged(document, "--of", file, analyst={"verdict": "unstable", "windows_by": "proved", "windows": [window]})

    def test_a_certificate_of_one_loss_is_bound_to_it(self):
        file = self.survey(participants="2", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        proved = self.json("check", file, *LN_3_TO_LN_2, "--any-prior")
        self.survey("bayes.toml", participants="2", secret='"histogram"', post='"mode"', analyst={"loss": '"bayes-risk"'})
        self.verified(proved, 0, "holds")
        self.verified(proved, 0, "holds", "--of", file)
        self.forged(proved, "--of", "bayes.toml")
        self.forged(proved, randomized=proved["randomized"][1:] + proved["randomized"][:1])
        self.forged(proved, verdict="worth-less")

        # What is proved for the loss of one participant, without a matrix, says nothing of a target among others: these three are counted less
        # often at the larger epsilon, and hide the target more.
        def target(name, participants, known):
            matrix = '{ matrix = [["9/10", "1/10", 0], ["1/10", "9/10", 0], ["1/odds", 0, "1 - 1/odds"]] }'
            return self.survey(name, participants=participants, values="[0, 1, 2]", perturber=matrix, post='{ query = "count", of = [0] }',
                               secret='"target"', known=known, analyst={"loss": "[[0, 1], [1, 0], [0, 0]]"})
        def checked(file):  # with a warning that the matrix does not cost epsilon
            arguments = ("check", file, "--from", "ln 2", "--to", "ln 1.01", "--any-prior", "--format", "json")
            return json.loads(flow(*arguments, cwd=self.folder).out)
        alone = checked(target("alone.toml", "1", "[]"))
        among = target("among.toml", "4", "[2, 2, 2]")
        self.assertEqual((alone["verdict"], checked(among)["verdict"]), ("worth-as-much", "worth-less"))
        self.write("forged.json", json.dumps(dict(alone, about="one participant")))
        result = flow("verify", "forged.json", "--of", among, cwd=self.folder)
        self.assertEqual(result.code, 1, result.out)

        five = self.survey("five.toml", participants="5", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        refuted = self.json("check", five, *LN_3_TO_LN_2, "--any-prior", code=1)
        self.verified(refuted, 0, "holds", "--of", five)
        self.forged(refuted, verdict="worth-as-much")

    def test_a_comparison_is_bound_to_its_files(self):
        self.survey("sum.toml")
        self.survey("identity.toml", post='"identity"')
        document = self.json("compare", "identity.toml", "sum.toml", *self.LN_3)
        of = ("--of", "identity.toml", "--other", "sum.toml")
        self.verified(document, 0, "holds", *of)
        self.forged(document, *of, to="sum.toml at ln 2")
        self.forged(document, *of, observations_to=document["observations_to"][::-1])
        for given, part in ((("--of", "sum.toml", "--other", "sum.toml"), "the certificate is of another file"),
                            (("--of", "sum.toml"), "compares two files"), (("--other", "sum.toml"), "goes with --of")):
            name = self.write("certificate.json", json.dumps(document))
            self.assert_refused(flow("verify", name, *given, cwd=self.folder), 2, part)
        # Once, " at " in the name of a file was taken for what stands before an epsilon.
        self.write("as at first.csv", "secret,y,n\na,0.7,0.3\nb,0.3,0.7\n")
        self.write("later.csv", "secret,y,n\na,0.6,0.4\nb,0.4,0.6\n")
        of = ("--of", "as at first.csv", "--other", "later.csv")
        self.verified(self.json("compare", "as at first.csv", "later.csv"), 0, "holds", *of)

    def test_channels_are_multiplied_out_a_second_time(self):
        """This code is not shared with any finder. For releases, it uses the definitions of their mechanisms."""
        for name in Examples.REFINES + Examples.DOES_NOT + Examples.RELEASES:
            file = EXAMPLES / f"{name}.toml"
            document = self.json("check", file, "--from", "2 ln 3", "--to", "2 ln 2", code=None)
            unchecked = self.verified(document, 0, "holds", "--of", file)["unchecked"]
            self.assertFalse(any("the second way of multiplying them out" in note for note in unchecked), name)

    def test_certificates_about_a_part(self):
        """A certificate about one participant, the target alone, one bar or one unknown decides about the file. It names that part."""
        target = {"secret": '"target"', "participants": "4", "known": "[0, 1, 2]"}
        for changes, codes in (({"post": '"identity"'}, (0, 1)), ({"post": '{ query = "count", of = [0] }'}, (1, 1)),
                               ({"post": '"identity"', **target}, (0, 1)), ({"post": '{ query = "count", of = [0, 2] }', **target}, (0, 1)),
                               ({"post": '"identity"', "secret": '"histogram"'}, (0, 1)),
                               ({"post": '{ query = "count", of = [0, 2] }', "participants": "1000"}, (0, 1)),
                               ({"post": '"sum"', "values": "[0, 1]", "participants": "600"}, (0, 1)),
                               ({"post": '"sum"', "values": "[0, 1]", "secret": '"target"', "participants": "600",
                                 "known": "{ histogram = [300, 299] }"}, (0, 1)),
                               ({"post": '{ query = "count", of = [0] }', "participants": "400"}, (1, 1)),
                               ({"post": "{ round = 1 }"}, (0, 1)), ({"perturber": '["geometric", "geometric"]'}, (1, 1))):
            file = self.survey(**changes)
            for epsilons, code in zip((("ln 3", "ln 2"), ("ln 2", "ln 3")), codes):
                document = self.json("check", file, "--from", epsilons[0], "--to", epsilons[1], code=code)
                self.verified(document, 0, "holds", "--of", file)
                self.forged(document, "--of", file, about="nobody at all")

    def test_verify(self):
        """Every printed certificate holds, and no altered one does."""
        self.survey("sum.toml")
        self.survey("identity.toml", post='"identity"')
        bars = self.survey("bars.toml", participants="5", post='"mode"', secret='"histogram"', analyst={"loss": '"argmax-accuracy"'})
        printed = [self.json("check", "sum.toml", *LN_3_TO_LN_2, code=1),
                   self.json("check", "identity.toml", *LN_3_TO_LN_2),
                   self.json("check", "sum.toml", "--epsilon", "ln 2..ln 3", code=1),
                   self.json("compare", "identity.toml", "sum.toml", *self.LN_3),
                   self.json("compare", "sum.toml", "identity.toml", *self.LN_3, code=1),
                   self.json("check", bars, *LN_3_TO_LN_2, "--any-prior", code=1)]
        for document in printed:
            self.verified(document, 0, "holds")
            claimed = dict(document, verdict="refines" if "counterexample" in document else "does-not-refine")
            self.verified(claimed, 1, "fails")
            # Each of these is altered: the channel, the witness, the losses.
            channel = json.loads(json.dumps(document["channel_to"]))
            channel[0][0] = str(Fraction(channel[0][0]) + Fraction(1, 100))
            self.verified(dict(document, channel_to=channel), 1, "fails")
            if "witness" in document:
                witness = json.loads(json.dumps(document["witness"]))
                witness[0][0] = str(Fraction(witness[0][0]) + 1)
                self.verified(dict(document, witness=witness), 1, "fails")
            else:
                analyst = dict(document["counterexample"], loss_to="0")
                self.verified(dict(document, counterexample=analyst), 1, "fails")
                analyst = dict(document["counterexample"], prior=["1"])
                self.verified(dict(document, counterexample=analyst), 1, "fails")
        self.assertEqual([document["about"] for document in printed[:2]], ["2 participants", "one participant"])

    def test_nothing_to_verify(self):
        self.survey("identity.toml", post='"identity"')
        self.verified(self.json("check", "identity.toml", "--epsilon", "ln 2..ln 3"), 6, "nothing")
        file = self.survey(participants="1000", post='{ query = "count", of = [0] }')
        self.verified(self.json("check", file, *LN_3_TO_LN_2, code=1), 6, "nothing")
        for text, part in (("[]", "not a JSON object"), ("{}", 'no "verdict"'), ("{", "not JSON"), ('{"verdict": 1}', "expected a text"),
                           ('{"schema_version": 2, "program": "fractile", "quantiles": []}', 'no "verdict"'),
                           ('{"verdict": "refines", "witness": [["x"]], "channel_from": [], "channel_to": []}', "a fraction in quotes")):
            self.write("bad.json", text)
            self.assert_refused(flow("verify", "bad.json", cwd=self.folder), 3, "this is not a certificate", part)
        self.assert_refused(flow("verify", cwd=self.folder), 2, "no FILE to check")

    def test_certificates_of_other_versions(self):
        result = flow("check", self.survey(), *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.verified(document, 0, "holds")
        for version in (0, 2, 1.0, "1", -1, None):
            self.write("other.json", json.dumps(document | {"schema_version": version}))
            self.assert_refused(flow("verify", "other.json", cwd=self.folder), 3, "schema_version is not 1", '"program" names')

    def test_a_theorem_needs_its_verdict(self):
        document = self.json("check", EXAMPLES / "response_count.toml", "--epsilon", "ln 2..ln 3")
        self.assertIn("theorem", document)
        for changes, trouble in (({"verdict": "undecided"}, 'its verdict is not "stable"'),
                                 ({"witness": [["1"]]}, "it names a theorem, and also holds a witness")):
            name = self.write("odd.json", json.dumps(document | changes))
            self.assertIn(trouble, flow("verify", name, cwd=self.folder).out)


class Formats(FlowTest):
    def test_check_as_a_table(self):
        text = flow("check", EXAMPLES / "geometric_count.toml", *LN_3_TO_LN_2).out
        self.assertRegex(text, r"\Adoes not refine: to some analyst, epsilon = ln 3 is worth less than ln 2\n")
        self.assertRegex(text, r"(?m)^secret  prior  action 0  action 1\n0 +1/3 +\S+ +\S+\n")
        self.assertRegex(text, r"expected loss at ln 3: \S+\nexpected loss at ln 2: \S+\n"
                               r"both checked in exact arithmetic\n\Z")
        text = flow("check", EXAMPLES / "response_count.toml", *LN_3_TO_LN_2).out
        self.assertRegex(text, r"\Arefines: to every analyst, epsilon = ln 3 is worth at least as much as ln 2\n")
        self.assertRegex(text, r"(?m)^       0      1     2\n0  49/64   7/32  1/64\n")
        text = flow("check", EXAMPLES / "response_count.toml", "--epsilon", "0.1..10").out
        self.assertRegex(text, r"\Astable for epsilon from 0\.1 to 10\na smaller epsilon never helps any analyst\n")
        text = flow("check", D1, "--epsilon", "ln 3..ln 4").out
        self.assertRegex(text, r"\Aunstable for epsilon from ln 3 to ln 4\nto some analyst, epsilon = ln ")

    def test_a_page_of_a_narrow_range(self):
        """Its ends are the same when they are rounded to millionths."""
        text = flow("check", EXAMPLES / "known_others.toml", "--epsilon", "1..ln 2.7182819", "--format", "html").out
        self.assertIn("<svg", text)

    def test_long_numbers_are_marked(self):
        text = flow("channel", D1, "--epsilon", "ln 3.51", "--format", "table").out
        self.assertRegex(text, r"~0\.\d{1,12}\b")
        self.assertTrue(text.endswith("numbers with a ~ are rounded here; as JSON they are exact\n"), text)
        self.assertNotIn("~", flow("channel", D1, "--epsilon", "ln 2", "--format", "table").out)

    def test_check_as_csv(self):
        rows = list(csv.DictReader(io.StringIO(flow("check", D1, *LN_3_TO_LN_2, "--format", "csv").out)))
        self.assertEqual(len(rows), 1)
        self.assertEqual(list(rows[0]), ["verdict", "reason", "epsilon_from", "epsilon_to", "loss_from", "loss_to"])
        self.assertEqual(rows[0]["verdict"], "does-not-refine")
        self.assertGreater(Fraction(rows[0]["loss_from"]), Fraction(rows[0]["loss_to"]))
        rows = list(csv.DictReader(io.StringIO(flow("check", D1, "--epsilon", "ln 3..ln 4", "--format", "csv").out)))
        self.assertEqual((rows[0]["verdict"], rows[0]["windows"], rows[0]["undecided"]),
                         ("unstable", "1.252919..1.257499", ""))

    def test_channel(self):
        file = EXAMPLES / "response_squared.toml"
        self.assertEqual(flow("channel", file, "--epsilon", "ln 3").out,
                         'secret,0,1,2\n"(0,0)",9/16,3/8,1/16\n"(0,1)",3/16,5/8,3/16\n"(1,1)",1/16,3/8,9/16\n')
        self.assertEqual(flow("channel", file, "--epsilon", "ln 3", "--format", "table").out,
                         "secret     0    1     2\n(0,0)   9/16  3/8  1/16\n(0,1)   3/16  5/8  3/16\n(1,1)   1/16  3/8  9/16\n")
        self.assertEqual(self.json("channel", file, "--epsilon", "ln 3")["epsilon"], "ln 3")

    def test_on_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.assert_refused(flow("channel", D1, "--epsilon", "ln 3", stdout=full), 3, "standard output could not be written")

    def test_help(self):
        text = run("flow", "--help").out
        for word in ("check", "compare", "verify", "loss", "sweep", "channel"):
            self.assertRegex(text, rf"(?m)^  {word} ")
            self.assertIn(f"fractile flow {word}: ", run("flow", word, "--help").out)
        for arguments in (("flow",), ("flow", "check"), ("flow", "loss"), ("flow", "sweep"), ("flow", "channel"), ("flow", "compare"),
                          ("flow", "verify")):
            self.assertLessEqual(max(len(line) for line in run(*arguments, "--help").out.splitlines()), 100)
        self.assertIn("  flow       ", run("--help").out)

    def test_the_file_of_the_help(self):
        """The file in the help is valid once the remarks are removed."""
        text = re.search(r"(?ms)^Such a file\n(.*)^Ready-made", run("flow", "--help").out)[1]
        file = self.write("help.toml", "".join(line[2:] + "\n" for line in text.splitlines()))
        self.assertEqual(self.json("check", file, *LN_3_TO_LN_2)["verdict"], "refines")
        self.assertIn("expected_loss", self.json("loss", file, "--epsilon", "ln 2"))


if __name__ == "__main__":
    unittest.main()
