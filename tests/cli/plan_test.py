"""fractile plan before a release, and fractile explain after it."""

import csv
import io
import json
import math
import re
import unittest
from fractions import Fraction
from html import unescape
from pathlib import Path

from cli.program import CommandTest, options, require_engine, run

INCOME = {"bounds": ("0", "500000"), "step": "1", "epsilon": "1", "expected_rows": "5000"}


def plan(**changes):
    return run("plan", *options(INCOME, **changes))


def worst_cases(result):
    return [int(row["worst_case"]) for row in csv.DictReader(io.StringIO(result.out))]


class Analyst(CommandTest):
    """The smallest epsilon that serves the analyst of one quantile (docs/proofs/choosing.md, "Releases")."""

    QUERY = {"bounds": ("0", "9"), "step": "1", "quantiles": "0.5", "mechanism": "exponential", "expected_rows": "100", "epsilon": "0.01..5"}
    TABLE = [10] * 10

    def plan(self, text, **changes):
        self.write("loss.toml", text)
        self.write("public.csv", "value\n" + "".join(f"{value}\n" * count for value, count in enumerate(self.TABLE)))
        return run("plan", *options(self.QUERY, analyst="loss.toml", reference="public.csv", **changes), cwd=self.folder)

    def analyst(self, text, **changes):
        result = self.plan(text, format="json", **changes)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return json.loads(result.out)

    def loss(self, epsilon, cost):
        """The weights are e^(-epsilon score), because another record changes a side by one, so the range of the scores' changes is 1."""
        scores = [max(sum(self.TABLE[:value]) - 50, sum(self.TABLE[value + 1:]) - 50, 0) for value in range(10)]
        weights = [math.exp(-epsilon * score) for score in scores]
        return sum(weight * cost(score) for weight, score in zip(weights, scores)) / sum(weights)

    def test_against_the_definition(self):
        require_engine()
        for text, most, cost in (('loss = "missed-records"\nmost = 1', 1, lambda score: score),
                                 ('loss = "missed-records"\nmost = "1/100"', 0.01, lambda score: score),
                                 ('loss = "missed-by-more"\nthan = 15\nmost = "0.05"', 0.05, lambda score: score > 15)):
            document = self.analyst("[analyst]\n" + text)
            found = document["analyst"]
            self.assertLess(found["served_from"] - found["not_served_to"], 1e-6 * found["served_from"])
            self.assertLessEqual(self.loss(found["served_from"], cost), most * (1 + 1e-12))
            self.assertGreater(self.loss(found["not_served_to"], cost), most * (1 - 1e-12))
            self.assertAlmostEqual(float(Fraction(document["privacy"]["epsilon"])), found["served_from"], 12)

    def test_all_or_nothing(self):
        require_engine()
        easy = self.analyst('[analyst]\nloss = "missed-records"\nmost = 50')["analyst"]
        self.assertEqual((easy["not_served_to"], easy["served_from"]), (None, 0.01))
        hard = self.analyst('[analyst]\nloss = "missed-records"\nmost = 0')
        self.assertEqual((hard["analyst"]["not_served_to"], hard["analyst"]["served_from"]), (5, None))
        self.assertEqual(hard["privacy"]["epsilon"], "5")

    def test_in_words(self):
        text = '[analyst]\nloss = "missed-by-more"\nthan = 15\nmost = "0.05"'
        wide = {**self.QUERY, "bounds": ("0", "1000")}
        table = run("plan", *options({**wide, "expected_rows": "5000", "analyst": self.write("loss.toml", text), "format": "table"}),
                    cwd=self.folder).out
        self.assertRegex(table, r"\AThe least epsilon that is certain to serve is 0\.\d+\. It serves the analyst of loss\.toml:\n"
                                r"the value misses its quantile by more than 15 records with probability at most 0\.05,\n"
                                r"among 5000 records whose values are spread as in a normal table between the bounds\.\n")
        page = run("plan", *options({**wide, "analyst": "loss.toml", "format": "html"}), cwd=self.folder).out
        self.assertIn("<h2>What the analyst needs</h2>", page)

    WIDE = {"bounds": ("0", "500000"), "step": "1", "quantiles": "deciles", "expected_rows": "20000", "epsilon": "0.1..2"}

    def test_several_quantiles(self):
        """Epsilons of two digits are tried. Each has certified bounds, and these bounds justify what is printed about it."""
        for text, most in (('loss = "missed-by-more"\nthan = 40\nmost = "0.05"', Fraction(1, 20)), ('loss = "missed-records"\nmost = 4', 4)):
            self.write("loss.toml", "[analyst]\n" + text)
            document = json.loads(run("plan", *options(self.WIDE, analyst="loss.toml", format="json"), cwd=self.folder).out, parse_float=Fraction)
            found = document["analyst"]
            self.assertEqual((document["mechanism"], found["never_rises"]), ("joint-total", False))
            tried = found["tried"]
            self.assertEqual([one["epsilon"] for one in tried], sorted({one["epsilon"] for one in tried}))
            for one in tried:
                self.assertTrue(0 <= one["loss_lower"] <= one["loss_upper"] <= one["loss_lower"] + Fraction(1, 1000), one)
                self.assertEqual(one["answer"], "served" if one["loss_upper"] <= most else "not-served", one)
                self.assertTrue(one["epsilon"] in (Fraction(1, 10), 2) or len(str(float(one["epsilon"])).replace(".", "").strip("0")) <= 2, one)
            served = [one["epsilon"] for one in tried if one["answer"] == "served"]
            self.assertEqual((found["served_from"], document["privacy"]["epsilon"]), (served[0], str(served[0])))
            self.assertLess(found["served_from"] / found["not_served_to"], Fraction(6, 5))
            losses = [one["loss_upper"] for one in tried]
            self.assertEqual(losses, sorted(losses, reverse=True))  # this holds here, but no theorem says so

    def test_their_figure(self):
        self.write("loss.toml", '[analyst]\nloss = "missed-by-more"\nthan = 40\nmost = "0.05"')
        page = run("plan", *options(self.WIDE, analyst="loss.toml", format="html", figures="out"), cwd=self.folder)
        self.assertEqual((page.code, page.err), (0, ""))
        words = " ".join(page.out.split())
        self.assertRegex(words, r"\d+ epsilons were tried, and all from 0\.\d+ on serve\. The smallest of these serves the analyst of loss\.toml: "
                                r"some value misses its quantile by more than 40 records with probability at most 0\.05, among 20000 records")
        self.assertIn("The analyst&#39;s loss against epsilon", page.out)
        rows = list(csv.DictReader(io.StringIO((self.folder / "out" / "tried.csv").read_text())))
        self.assertIn("is served", [row["the analyst"] for row in rows])
        self.assertIn("borne", (self.folder / "out" / "tried.svg").read_text())
        exact = run("plan", *options({**self.WIDE, "quantiles": "median", "mechanism": "exponential"}, analyst="loss.toml", format="html"), cwd=self.folder)
        self.assertIn("The analyst&#39;s loss against epsilon", exact.out)

    def test_what_is_found_before(self):
        """By default a release looks for granularity, unless epsilon is tiny. The plan takes the mean over the outcomes, and refuses
        none."""
        self.write("loss.toml", '[analyst]\nloss = "missed-by-more"\nthan = 100\nmost = "0.05"')
        table = run("plan", *options({**self.WIDE, "quantiles": "median", "expected_rows": "50000", "epsilon": "0.001..10"}, analyst="loss.toml",
                                     format="table"), cwd=self.folder)
        self.assertEqual((table.code, table.err), (0, ""))
        self.assertRegex(table.out, r"\A\d+ epsilons were tried, and all from 0\.0\d+ on serve\. The smallest of these serves")

    def test_refusals(self):
        good = '[analyst]\nloss = "missed-records"\nmost = 20'
        self.write("loss.toml", good)
        for changes, words in (({"quantiles": "deciles", "mechanism": "tree"}, "24 quantiles that are selected at once"),
                               ({"quantiles": "percentiles", "mechanism": "joint-total"}, "24 quantiles that are selected at once"),
                               ({"bounds": ("0", "500000"), "expected_rows": "1000000000"}, "are too coarse for the losses"), ({"rho": "1", "epsilon": None}, "does not go with --analyst"),
                               ({"epsilon": "1"}, "is not a range"), ({"epsilon": "ln 2..ln 3"}, "numbers above 0"),
                               ({"rank_error": "3", "epsilon": None}, "does not go with --analyst")):
            result = run("plan", *options({**self.QUERY, "analyst": "loss.toml", **changes}), cwd=self.folder)
            self.assertEqual((result.code, result.out), (2, ""), (changes, result))
            self.assertIn(words, result.err)
        for text, words in (("", "[analyst]"), ('[analyst]\nmost = 1', "loss is missing"), ('[analyst]\nloss = "x"\nmost = 1', "line 2"),
                            (good + "\nthan = 3", "than goes with missed-by-more"), (good.replace("20", "0.5"), "must be in quotes"),
                            (good.replace("20", "-1"), "less than 0"), ("[analyst", "line 1 is not TOML"), (good + "\nage = 3", "line 4")):
            self.write("loss.toml", text)
            self.assert_refused(run("plan", *options({**self.QUERY, "analyst": "loss.toml"}), cwd=self.folder), 3, "--analyst: loss.toml", words)


class Plan(CommandTest):
    def test_csv(self):
        result = plan()
        self.assertEqual((result.code, result.err), (0, ""))
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual([row["quantile"] for row in rows], ["1/4", "1/2", "3/4"])
        for row in rows:
            self.assertLessEqual(float(row["median"]), float(row["nine_in_ten"]))
            self.assertLess(float(row["nine_in_ten"]), float(row["worst_case"]))

    def test_json(self):
        document = json.loads(plan(format="json", shape="log-normal", confidence="0.9").out)
        self.assertEqual(document["worst_case"]["confidence"], "9/10")
        self.assertEqual(document["worst_case"]["rows"], 5000)
        self.assertEqual(document["typical"]["shape"], "log-normal")
        self.assertEqual(document["privacy"]["epsilon"], "1")

    def test_table(self):
        result = plan(format="table")
        self.assertEqual(result.code, 0)
        for part in ("worst case", "neighbors add-remove", "mechanism joint-total", "The table was not read", "########"):
            self.assertIn(part, result.out)
        self.assertLessEqual(max(map(len, result.out.splitlines())), 110)

    def test_states_one_error_for_one_budget(self):
        """Once, the chart simulated the plan's own budget again, less often, and stated another error for it."""
        for changes in ({"expected_rows": "3000", "quantiles": "0.1,0.25,0.5,0.75,0.9"}, {"intervals": "0.9"}):
            with self.subTest(**changes):
                result = plan(format="table", **changes)
                table, chart = result.out.split("The worst quantile's errors, at other budgets in 40 simulated releases each")
                of_quantiles = [line.split() for line in table.splitlines() if re.match(r"(0[.]|\d/)", line)]
                of_budgets = {line.split()[0]: line.split() for line in chart.splitlines() if re.match(r"[0-9]", line)}
                for column in range(3, len(of_quantiles[0])):  # the chart has no typical errors
                    self.assertEqual(of_budgets["1"][column - 1], max((row[column] for row in of_quantiles), key=float))

    def test_is_reproducible(self):
        self.assertEqual(plan(), plan())

    def test_solved_epsilon_gives_the_wanted_error(self):
        for changes in ({}, {"solve_for": "rho"}):
            solved = json.loads(plan(epsilon=None, rank_error="200", format="json", **changes).out)
            privacy = solved["privacy"]
            budget = {"epsilon": privacy.get("epsilon"), "rho": privacy.get("rho")}
            worst = max(worst_cases(plan(**budget)))
            self.assertLessEqual(worst, 200)
            self.assertGreaterEqual(worst, 198)

    def test_rounding_to_a_granularity_that_is_found(self):
        """Once, the table said that with the data's own step no record is rounded, whatever the step: a granularity is looked for from
        100,000 possible values on. And no budget gave a small error, without a reason and without a way out."""
        many = {"quantiles": ",".join(f"{i}/26" for i in range(1, 26)), "expected_rows": "20000"}
        table = plan(format="table", **many).out
        self.assertIn("with --base uniform there are none", " ".join(table.split()))
        self.assertIn("rounding", json.loads(plan(format="json", **many).out)["worst_case"])
        self.assertNotIn("rounding", json.loads(plan(format="json", base="uniform", **many).out)["worst_case"])
        wanted = {**many, "epsilon": None, "rank_error": "400"}
        self.assert_refused(plan(**wanted), 2, "records that are finer than the granularity that is found", "write --base uniform")
        solved = plan(format="json", base="uniform", **wanted)
        self.assertLessEqual(max(each["worst_case"] for each in json.loads(solved.out)["quantiles"]), 400)

    def test_percentile_error(self):
        solved = plan(epsilon=None, percentile_error="4")  # 4 % of 5000 records are 200
        self.assertEqual(solved.out, plan(epsilon=None, rank_error="200").out)

    def test_the_table_of_the_page_for_publishers(self):
        """Once, docs/worth.md had the errors of an older plan, which spent nothing on heaps: 546 records instead of 560."""
        page = (Path(__file__).resolve().parents[2] / "docs" / "worth.md").read_text(encoding="utf-8")
        rows = re.findall(r"(?m)^\| (\d\S*) \| ([\d,]+) \| (\d+) \| (.*) % \| (.*) % \| (.*) % \|$", page)
        self.assertEqual(len(rows), 6)
        asked = {"expected_rows": "50000", "quantiles": "deciles", "shape": "log-normal"}
        for epsilon, worst, typical, *right in rows:
            planned = json.loads(plan(format="json", epsilon=epsilon, guess="above:30000", **asked).out)
            guess = planned["guess"]
            bounds = [guess[name] for name in ("knowing_the_distribution", "knowing_any_others", "allowed")]
            with self.subTest(epsilon):
                self.assertEqual(int(worst.replace(",", "")), max(each["worst_case"] for each in planned["quantiles"]))
                self.assertEqual(int(typical), max(each["nine_in_ten"] for each in planned["quantiles"]))
                self.assertEqual(right, [f"{math.ceil(bound * 10_000) / 100:.2f}" for bound in bounds])
        (solved,) = re.findall(r"`--rank-error\s+100` needs epsilon = ([0-9.]+)", page)
        self.assertIn(f"you pay epsilon = {solved},", plan(epsilon=None, rank_error="100", **asked).err)
        # Each decile keeps to the wanted error by itself; all of them together keep to a larger one.
        planned = json.loads(plan(format="json", epsilon=solved, **asked).out)
        (some,) = re.findall(r"and some decile by more than (\d+)\.", page)
        self.assertEqual(max(each["worst_case"] for each in planned["quantiles"]), 100)
        self.assertEqual(planned["worst_case"]["simultaneous"], int(some))
        self.assertGreater(int(some), 100)

    def test_warns_of_noise(self):
        few = {"expected_rows": "20", "epsilon": "0.2"}
        noise = json.loads(plan(format="json", **few).out)["mostly_noise"]
        self.assertEqual(noise["rows"], 20)
        self.assertGreater(noise["share"], 0.25)
        table = plan(format="table", **few).out
        self.assertIn("warning: with this budget these values are mostly noise\n", table)
        self.assertLessEqual(max(map(len, table.splitlines())), 110)
        enough = plan(format="json", expected_rows="20", epsilon=noise["epsilon"])
        self.assertNotIn("mostly_noise", json.loads(enough.out))
        self.assertNotIn("mostly noise", plan(format="table").out)

    def test_warns_of_a_coarse_step(self):
        """2,000 records at 44 are not at a multiple of 10. No stated error includes how far rounding moves them."""
        tens = {"bounds": ("0", "120"), "step": "10"}
        self.assertEqual(json.loads(plan(format="json", **tens).out)["coarse_step"], {"possible_values": 13})
        table = plan(format="table", **tens).out
        self.assertIn("warning: the step is coarse: 13 values are possible\nrounding moves values between them by up to 5, ", table)
        self.assertLessEqual(max(map(len, table.splitlines())), 110)
        weeks = plan(format="table", bounds=("2024-01-01", "2024-12-30"), step="7d", expected_rows=None).out
        self.assertIn("rounding moves values between them by less than 7d, ", weeks)
        self.assertNotIn("coarse_step", json.loads(plan(format="json").out))
        self.assertNotIn("coarse", plan(format="table").out)

    def test_warns_of_a_budget_that_promises_next_to_nothing(self):
        for measure, weak, enough in (("epsilon", "20.00000000000000000001", "20"), ("rho", "50.00000000000000000001", "50")):
            words = f"above {enough} promises next to nothing"
            for budget, is_weak in ((weak, True), (enough, False)):
                with self.subTest(measure, budget=budget):
                    asked = {"epsilon": None, measure: budget}
                    self.assertEqual(json.loads(plan(format="json", **asked).out).get("weak_budget"), {measure: int(enough)} if is_weak else None)
                    for shown in (plan(format="table", **asked).out, plan(format="html", **asked).out, plan(format="csv", **asked).err):
                        self.assertEqual(words in shown, is_weak, shown)

    def test_no_worst_case_of_listed_candidates(self):
        listed = {"bounds": None, "step": None, "candidates": "0,100"}
        document = json.loads(plan(format="json", **listed).out)
        self.assertEqual([each["worst_case"] for each in document["quantiles"]], [None] * 3)
        self.assertIn("between two of the listed candidates", document["worst_case"]["reason"])
        self.assert_refused(plan(epsilon=None, rank_error="100", **listed), 2, "no rank error is promised among listed candidates",
                            "name --bounds and --step")

    def test_as_many_rows_as_a_profile_holds(self):
        most = 2**48 - 1
        for mechanism in ("auto", "approximate", "joint", "independent"):
            result = plan(format="json", expected_rows=str(most), mechanism=mechanism)
            self.assertEqual(result.code, 0, result.err)
            worst = json.loads(result.out)["worst_case"]
            self.assertEqual(worst["rows"], most)
            self.assertGreaterEqual(worst["simultaneous"], json.loads(plan(format="json", mechanism=mechanism).out)["worst_case"]["simultaneous"])
        self.assert_refused(plan(expected_rows=str(most + 1)), 2, "not a whole number from 1 to 281474976710655")

    def test_what_csv_has_no_room_for_is_on_standard_error(self):
        cases = (
            ({"epsilon": None, "rank_error": "100", "expected_rows": "40000"}, ("to miss by at most 100 records you pay epsilon = ",)),
            ({"step": "50000"}, ("warning: the step is coarse: 11 values are possible", "a finer step costs little accuracy")),
            ({"expected_rows": "20", "epsilon": "0.1"}, ("warning: with this budget these values are mostly noise",)),
            ({"expected_rows": "4000", "guess": "above:30000"}, ("the best guess of whether a person's value is above 30000 is right in at most ",)),
        )
        for changes, parts in cases:
            with self.subTest(changes):
                result = plan(format="csv", **changes)
                self.assertEqual((result.code, result.out.partition(",")[0]), (0, "quantile"), result)
                for part in parts: self.assertIn(part, result.err)
                self.assertEqual(plan(format="json", **changes).err, "")

    def test_refusals(self):
        cases = (
            ({"epsilon": None}, ("a budget is missing, or the error", "--rank-error 100")),
            ({"rank_error": "100"}, ("--epsilon is what a wanted error is solved for",)),
            ({"epsilon": None, "percentile_error": "1", "expected_rows": None}, ("--expected-rows, which is missing",)),
            ({"epsilon": None, "percentile_error": "0"}, ("not above 0",)),
            # Once, the hint was to write 0.25 for 25 %, which asks for a quarter of a percent.
            ({"epsilon": None, "percentile_error": "1%"}, ("'1%' is not a number", "the number is a percentage", "--percentile-error 0.5")),
            ({"epsilon": None, "rank_error": "1", "percentile_error": "1"}, ("takes the place of --rank-error",)),
            ({"epsilon": None, "rank_error": "0"}, ("no budget gives that rank error",)),
            ({"epsilon": None, "rank_error": "50", "expected_rows": "9000", "intervals": "0.9"}, ("no rank error is promised",)),
            ({"epsilon": None, "rank_error": "many"}, ("not a whole number",)),
            ({"solve_for": "rho"}, ("--solve-for goes with --rank-error",)),
            ({"confidence": "1"}, ("a confidence lies between 0 and 1",)),
            ({"confidence": "95"}, ("a confidence lies between 0 and 1",)),
            ({"shape": "round"}, ("'round' is not known", "log-normal")),
            ({"bounds": None}, ("--bounds is missing",)),
            ({"rows": "7"}, ("unknown option --rows",)),
            # A release refuses them; a plan was made.
            ({"epsilon": "1e-700"}, ("a number of 703 characters",)),
            ({"epsilon": None, "rho": "1e-700"}, ("a number of 702 characters",)),
        )
        for changes, parts in cases:
            with self.subTest(changes):
                self.assert_refused(plan(**changes), 2, *parts)


class Guesses(CommandTest):
    """How often a guess about a person is correct (docs/proofs/leakage.md, "Releases of quantiles")."""

    def guess(self, **changes):
        result = plan(format="json", **changes)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return json.loads(result.out)["guess"]

    def test_of_a_decile_table(self):
        """The table has fifty thousand records."""
        found = self.guess(quantiles="deciles", expected_rows="50000", guess="above:300000", shape="uniform")
        self.assertEqual((found["about"], found["limit"], found["before"], found["rows"]), ("above", "300000", "3/5", 50000))
        self.assertAlmostEqual(found["knowing_the_distribution"], 0.6, 6)
        self.assertIsNone(found["knowing_these_others"])
        self.assertTrue(0.6 < found["knowing_any_others"] < found["allowed"])
        self.assertAlmostEqual(found["allowed"], math.exp(2) / (math.exp(2) + 1), 7)

    def test_one_quantile_among_known_others(self):
        """The median of 100 records among ten values gives the same figures as fractile flow leakage."""
        self.write("public.csv", "decade\n" + "".join(f"{value}\n" for value in range(10)))
        require_engine()
        found = json.loads(run("plan", "--bounds", "0", "9", "--step", "1", "--quantiles", "median", "--epsilon", "1", "--mechanism",
                               "exponential", "--expected-rows", "100", "--guess", "value", "--reference", "public.csv",
                               "--reference-column", "decade", "--format", "json", cwd=self.folder).out)["guess"]
        rows = []
        others = [round_half_up(99 * (place + 1), 10) - round_half_up(99 * place, 10) for place in range(10)]
        for value in range(10):
            table = [count + (place == value) for place, count in enumerate(others)]
            scores = [max(sum(table[:place]) - 50, sum(table[place + 1:]) - 50, 0) for place in range(10)]
            weights = [math.exp(-score) for score in scores]
            rows.append([weight / sum(weights) for weight in weights])
        after = sum(max(column) for column in zip(*rows)) / 10
        self.assertEqual((found["before"], found["reference"]), ("1/10", "public.csv"))
        self.assertTrue(after <= found["knowing_these_others"] < after + 1e-7)
        self.assertAlmostEqual(found["allowed"], math.exp(2) / (math.exp(2) + 9), 7)

    def test_among_as_many_rows_as_a_profile_holds(self):
        for guess in ("value", "above:250000"):
            found = self.guess(expected_rows=str(2**48 - 1), guess=guess)
            self.assertLess(found["knowing_the_distribution"], float(Fraction(found["before"])) + 1e-6)

    def test_in_words(self):
        table = plan(format="table", guess="presence").out
        self.assertIn("How often the best guess of whether a person is among them is right,\namong 5000 records", table)
        self.assertIn("by the budget alone, at most", table)
        self.assertLessEqual(max(map(len, table.splitlines())), 110)
        self.assertIn("What an attacker gains", plan(format="html", guess="value").out)

    def test_under_zcdp_and_of_dates(self):
        found = self.guess(epsilon=None, rho="0.1", guess="above:260000")
        self.assertTrue(float(Fraction(found["before"])) < found["knowing_any_others"] < found["allowed"] < 1)
        dates = {"bounds": ("2020-01-01", "2026-01-01"), "step": "1d", "guess": "above:2023-01-01"}
        self.assertEqual(self.guess(**dates)["limit"], "2023-01-01")

    def test_refusals(self):
        for changes, part in (({"guess": "above:many"}, "--guess"), ({"guess": "above:900000"}, "no possible value is above the limit"),
                              ({"guess": "above:-1"}, "all possible values are above the limit"), ({"guess": "age"}, "'age' is not known"),
                              ({"guess": "among:1,2"}, "sets of values are guessed in pipelines"),
                              ({"reference": "public.csv"}, "--reference goes with --guess"),
                              ({"guess": "value", "reference_column": "x"}, "--reference-column goes with --reference")):
            with self.subTest(changes):
                self.assert_refused(plan(**changes), 2, part)
        require_engine()
        self.assert_refused(plan(guess="value", reference="gone.csv"), 3, "gone.csv")


def round_half_up(numerator, denominator):
    return (2 * numerator + denominator) // (2 * denominator)


class Noise(CommandTest):
    """Releases whose values are mostly noise say so. This depends only on public numbers."""

    FEW = {"bounds": ("0", "1000"), "step": "1", "quantiles": "quartiles", "epsilon": "0.2", "expected_rows": "20"}
    WARNING = "warning: with this budget these values are mostly noise\n"

    @classmethod
    def setUpClass(cls):
        require_engine()

    def noise(self, table, **changes):
        """What the receipt says about noise, and standard error."""
        self.write("t.csv", table)
        result = self.run_release("t.csv", format="json", **{**self.FEW, **changes})
        self.assertEqual(result.code, 0)
        return json.loads(result.out).get("mostly_noise"), result.err

    def test_does_not_depend_on_the_records(self):
        few, error = self.noise("x\n5\n")
        self.assertIn(self.WARNING, error)
        self.assertIn("among 20 rows", error)
        self.assertEqual((few, error), self.noise("x\n" + "".join(f"{i}\n" for i in range(999))))

    def test_the_budget_that_it_names_would_do(self):
        noise, _ = self.noise("x\n5\n")
        self.assertEqual(self.noise("x\n5\n", epsilon=noise["epsilon"]), (None, ""))

    def test_needs_a_number_of_rows(self):
        self.assertEqual(self.noise("x\n5\n", expected_rows=None), (None, ""))
        noise, error = self.noise("x\n5\n6\n", expected_rows=None, public_rows=True)
        self.assertEqual(noise["rows"], 2)
        self.assertIn("among 2 rows", error)

    def test_of_groups(self):
        noise, error = self.noise("x,g\n5,a\n6,b\n", by="g", keys="a,b")
        self.assertEqual(noise["rows"], 20)
        self.assertIn(self.WARNING, error)

    def test_stands_on_the_page(self):
        self.write("t.csv", "x\n5\n")
        self.run_release("t.csv", **self.FEW, receipt="r.json")
        self.assertIn("these values are mostly noise: among 20 rows", " ".join(run("explain", self.folder / "r.json").out.split()))


class Explain(CommandTest):
    @classmethod
    def setUpClass(cls):
        require_engine()

    def setUp(self):
        super().setUp()
        self.write("people.csv", "x,x|y\n" + "7,1\n" * 1000)

    def receipt(self, name="r.json", **changes):
        self.assertEqual(self.run_release("people.csv", receipt=name, **changes).code, 0)
        return name

    def explain(self, *arguments, **how):
        return run("explain", *arguments, cwd=self.folder, **how)

    def test_round_trip(self):
        page = self.explain(self.receipt())
        self.assertEqual((page.code, page.err), (0, ""))
        words = " ".join(page.out.split())
        for part in ("3 quantiles of x", "of people.csv", "epsilon = 1 (pure", "at most 1 record in the table"):
            self.assertIn(part, words)
        self.assertLessEqual(max(map(len, page.out.splitlines())), 100)

    def test_standard_input(self):
        text = (self.folder / self.receipt()).read_bytes()
        self.assertEqual(self.explain("-", stdin=text).out, self.explain("r.json").out)

    def test_markdown(self):
        page = self.explain(self.receipt(column="x|y"), "--format", "markdown").out
        self.assertTrue(page.startswith("# 3 quantiles of x\\|y\n\n## In short\n\n"), page)
        self.assertIn("\n| share | x\\|y | off by at most, in records |\n| :--- | ---: | ---: |\n", page)

    def test_a_guess_about_a_person(self):
        """The sentence depends only on declared and published numbers, not on the records."""
        self.write("ages.csv", "x\n" + "".join(f"{age}\n" for age in range(1000)))
        self.assertEqual(self.run_release("ages.csv", receipt="g.json", bounds=("0", "1000"), step="1", quantiles="deciles", epsilon="1",
                                          expected_rows="1000", unsafe_seed=None).code, 0)
        values = [(Fraction(each["quantile"]), Fraction(str(each["value"])))
                  for each in json.loads((self.folder / "g.json").read_text())["quantiles"]]
        (below, at), (above, beyond) = values[3], values[4]
        limit = (at + beyond) // 2
        share = 1 - (below + (above - below) * (limit - at) / (beyond - at))
        page = self.explain("g.json", "--guess", f"above:{limit}")
        self.assertEqual((page.code, page.err), (0, ""))
        words = " ".join(page.out.split())
        up = math.ceil(share * 10000) / 100
        self.assertIn(f"Take a table of 1000 records in which, according to these values, {up:g} % of the records lie above {limit}. An attacker", words)
        before = math.ceil(max(share, 1 - share) * 10000) / 100
        self.assertIn(f"correctly in {before:g} % of cases without this release, and in at most ", words)
        self.assertIn("Whatever they know about all other people, the promise allows at most 88.08 %.", words)
        self.assertLessEqual(max(map(len, page.out.splitlines())), 100)
        self.assertIn("What an attacker gains", self.explain("g.json", "--guess", f"above:{limit}", "--format", "html").out)
        self.assertNotIn("What an attacker gains", self.explain("g.json").out)
        for guess, part in (("value", "about a limit"), ("above:", "about a limit"), ("above:many", "cannot be compared")):
            self.assert_refused(self.explain("g.json", "--guess", guess), 2, part)
        for guess, part in ((values[-1][1] + 1, "at most 10 %, by the largest of these values"), (values[0][1] - 1, "at least 90 %, by the least of these values")):
            words = " ".join(self.explain("g.json", "--guess", f"above:{guess}").out.split())
            self.assertIn(f"give only a bound on the share of the records above {guess}: {part}.", words)
            self.assertIn("correctly in at least 90 % of cases without this release", words)

    def test_a_guess_on_the_page_of_a_release(self):
        """Whatever is drawn, the page of a paid release is written. What cannot be explained is refused before the charge."""
        self.write("ages.csv", "x,half\n" + "".join(f"{age},{'ab'[age % 2]}\n" for age in range(1000)))
        self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "10", cwd=self.folder).code, 0)
        asked = {"bounds": ("0", "1000"), "step": "1", "quantiles": "deciles", "epsilon": "1", "expected_rows": "1000", "unsafe_seed": None,
                 "ledger": "budget.db", "format": "html"}
        page = self.run_release("ages.csv", guess="above:500", receipt="paid.json", **asked)
        self.assertEqual((page.code, page.err), (0, ""))
        words = " ".join(page.out.split())
        self.assertIn("guesses whether a person's number is above 500 correctly in", unescape(words))
        self.assertEqual(page.out, self.explain("paid.json", "--guess", "above:500", "--format", "html", "--ledger", "budget.db").out)
        beyond = self.run_release("ages.csv", guess="above:1e9", **asked)
        self.assertEqual(beyond.code, 0)
        self.assertIn("nothing was spent", beyond.err)
        self.assertIn("give only a bound on the share of the records above 1e9", " ".join(beyond.out.split()))
        asked["epsilon"] = "2"  # no release with this epsilon has been paid for
        for changes, part in (({"format": "json"}, "--guess goes with --format html"), ({"guess": "value"}, "about a limit"),
                              ({"guess": "above:many"}, "cannot be compared"), ({"by": "half", "keys": "a,b"}, "without groups"),
                              ({"records_per_person": "2"}, "at most one record")):
            self.assert_refused(self.run_release("ages.csv", **{**asked, "guess": "above:500", **changes}), 2, part)
        shown = json.loads(run("ledger", "show", "budget.db", "--format", "json", cwd=self.folder).out)
        self.assertEqual(len(shown["entries"]), 1, shown)

    def test_a_changed_receipt_is_refused(self):
        path = self.folder / self.receipt()
        text = path.read_text()
        path.write_text(text.replace('"epsilon": "1"', '"epsilon": "2"'))
        self.assert_refused(self.explain("r.json"), 3, "not as it was written")
        path.write_text(json.dumps(json.loads(text)))
        self.assert_refused(self.explain("r.json"), 3, "not as it was written")

    def test_refusals(self):
        self.write("empty.json", "")
        self.write("other.json", "{}")
        self.assert_refused(self.explain(), 2, "no RECEIPT to explain")
        self.assert_refused(self.explain("gone.json"), 3, "cannot be read: No such file")
        self.assert_refused(self.explain("."), 3, "'.'")
        self.assert_refused(self.explain("empty.json"), 3, "is empty")
        self.assert_refused(self.explain("other.json"), 3, "breaks the schema's rule 'required'")
        self.assert_refused(self.explain("people.csv"), 3, "is not JSON (Invalid value.) at byte 0")


if __name__ == "__main__":
    unittest.main()
