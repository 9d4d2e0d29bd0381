"""fractile flow on the paper's examples, and its formats."""

import csv
import io
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

from cli.flows import (D1, DOES_NOT, EXAMPLES, LIMIT, LN_3_TO_LN_2, REFINES, RELEASES, FlowTest, expected_loss, flow, fractions,
                       product)
from cli.program import HOUSE, PROGRAM, one_processor, run


class Examples(FlowTest):
    """Every file of examples/flow/."""

    # Designs that are not the paper's, each with the factor of epsilon that makes its probabilities rational.
    DESIGNS = {"groups_with_epsilons": "2 ", "root_of_odds": "2 ", "shuffled_responses": "", "subset_selection": "", "hadamard": "",
               "unary_bits": "2 ", "optimized_unary_bits": ""}

    def test_all_are_here(self):
        self.assertEqual({path.stem for path in EXAMPLES.glob("*")}, {*REFINES, *DOES_NOT, *RELEASES, *self.DESIGNS})

    def test_releases(self):
        for name, code in zip(RELEASES, (1, 0)):
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
        for name in REFINES + DOES_NOT:
            with self.subTest(name=name):
                refines = name in REFINES
                file = EXAMPLES / f"{name}.toml"
                document = self.json("check", file, *LN_3_TO_LN_2, code=0 if refines else 1)
                self.assertEqual(document["verdict"], "refines" if refines else "does-not-refine")
                self.assertTrue(document["reason"])
                self.assertEqual((document["epsilon_from"], document["epsilon_to"]), ("ln 3", "ln 2"))
                self.assertIn("witness" if refines else "counterexample", document)
                self.assert_certified(file, document, "ln 3", "ln 2")

    def test_less_privacy_does_not_come_out_of_more(self):
        for name in REFINES:
            with self.subTest(name=name):
                file = EXAMPLES / f"{name}.toml"
                document = self.json("check", file, "--from", "ln 2", "--to", "ln 3", code=1)
                self.assertEqual(document["verdict"], "does-not-refine")
                self.assert_certified(file, document, "ln 2", "ln 3")

    def test_stability(self):
        for name in REFINES + DOES_NOT:
            for ends in ("ln 2..ln 3", "0.1..10"):
                with self.subTest(name=name, ends=ends):
                    stable = name in REFINES
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
