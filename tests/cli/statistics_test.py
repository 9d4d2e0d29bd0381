"""Counts, shares and means next to quantiles: outputs, receipts, explanations, ledgers and refusals."""

import csv
import io
import json
import random
import re
import unittest
from fractions import Fraction

from cli.program import CommandTest, options, require_engine, run

WAGES = {
    "column": "wage",
    "bounds": ("0", "1000"),
    "step": "1",
    "epsilon": "2",
    "unsafe_seed": "5",
    "count": True,
    "below": "250,600",
    "mean": True,
}


def setUpModule():
    require_engine()


class Statistics(CommandTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(1)
        self.rows = [(generator.randrange(1001), "ab"[i % 2]) for i in range(2000)]
        self.table = self.folder / "wages.csv"
        lines = [f"{wage},{team}" for wage, team in self.rows]
        self.table.write_text("wage,team\n" + "\n".join(lines) + "\n,a\nn/a,b\n", encoding="utf-8")

    def wages(self, **changes):
        return run("release", str(self.table), *options(WAGES, unreadable="missing", **changes))

    def receipt(self, **changes):
        result = self.wages(format="json", **changes)
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out)

    def truth(self, team=None):
        wages = [wage for wage, of in self.rows if team in (None, of)]
        return len(wages), [sum(wage < v for wage in wages) for v in (250, 600)], Fraction(sum(wages), len(wages))

    def assert_holds(self, group, truth):
        count, below, mean = truth
        self.assertLess(abs(group["count"]["value"] - count), 120)
        for told, true in zip(group["below"], below):
            self.assertLess(abs(told["count"] - true), 120)
            self.assertLessEqual(told["share_lower"], told["share"])
            self.assertLessEqual(told["share"], told["share_upper"])
            self.assertLess(abs(told["share"] - true / count), 0.1)
        self.assertLess(abs(group["mean"]["value"] - mean), 60)
        self.assertLessEqual(group["mean"]["lower"], group["mean"]["value"])
        self.assertLessEqual(group["mean"]["value"], group["mean"]["upper"])

    def test_a_receipt_has_numbers_with_intervals_and_their_price(self):
        document = self.receipt()
        self.assert_holds(document, self.truth())
        self.assertEqual([each["value"] for each in document["below"]], [250, 600])
        statistics = document["statistics"]
        self.assertEqual((statistics["share"], statistics["epsilon"], statistics["level"]), ("1/5", "2/5", "19/20"))
        self.assertEqual(statistics["noise"], {"rate": "1/5"})
        self.assertEqual(statistics["sum_noise"], {"rate": "1/5000"})
        spent = {part["part"]: Fraction(part["epsilon"]) for part in document["spent"]}
        self.assertEqual((spent["count"], spent["sum"], sum(spent.values())), (Fraction(1, 5), Fraction(1, 5), 2))
        self.assertEqual(document["privacy"]["epsilon"], "2")

    def test_a_count_alone_has_a_tenth_or_what_it_is_given(self):
        document = self.receipt(below=None, mean=None)
        self.assertEqual(document["statistics"]["share"], "1/10")
        self.assertNotIn("mean", document)
        self.assertNotIn("below", document)
        self.assertEqual(self.receipt(below=None, mean=None, count_budget="1/3")["statistics"]["epsilon"], "2/3")
        self.assertEqual(self.receipt(count=None, mean=None)["below"][1]["value"], 600)

    def test_groups_have_their_own(self):
        document = self.receipt(by="team", keys="a,b,none")
        for group, team in zip(document["groups"], ("a", "b")):
            self.assert_holds(group, self.truth(team))
        empty = document["groups"][2]
        self.assertLess(abs(empty["count"]["value"]), 120)
        if empty["count"]["value"] <= 0:
            self.assertIsNone(empty["mean"]["value"])
            self.assertIsNone(empty["below"][0]["share"])
        self.assertEqual(document["statistics"]["noise"], {"rate": "1/5"})

    def test_a_group_that_may_have_no_record_is_told(self):
        result = self.wages(by="team", keys="a,b,bb", format="json")
        told = "with this budget the released counts of 1 of 3 groups do not rule out that there is no record (bb)"
        self.assertIn(told, result.err)
        self.write("r.json", result.out)
        self.assertIn(told, " ".join(self.of("explain", "r.json").split()))
        self.assertNotIn("there is no record", self.wages(by="team", keys="a,b").err)

    def test_a_thousand_groups_are_not_all_named(self):
        """Once, a warning that listed the keys of all groups filled the screen."""
        self.write("keys.txt", "".join(f"group {i:04}\n" for i in range(1000)))
        for more in ({}, {"count": None, "below": None, "mean": None, "expected_rows": "20", "epsilon": "0.01"}):
            result = self.wages(by="team", keys_file=str(self.folder / "keys.txt"), **more)
            self.assertEqual(result.code, 0, result.err)
            self.assertRegex(result.err, "there is no record|mostly noise")
            self.assertLessEqual(result.err.count("group 0"), 2 * 10 + 2, result.err)
            self.assertLess(len(result.err), 1500)
            self.assertEqual(len(set(re.findall(r"(?m)^group \d+", result.out))), 1000)

    def test_under_rho_and_with_intervals(self):
        document = self.receipt(epsilon=None, rho="1/2", intervals="0.9")
        self.assertEqual(document["statistics"]["noise"], {"sigma_squared": "10"})
        self.assertEqual(document["statistics"]["level"], "9/10")
        self.assert_holds(document, self.truth())

    def test_csv_is_tidy(self):
        result = self.wages(format="csv", by="team", keys="a,b")
        self.assertEqual(result.code, 0, result.err)
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual(list(rows[0]), ["key", "statistic", "at", "value", "lower", "upper", "unsafe_seed"])
        told = [(row["statistic"], row["at"]) for row in rows if row["key"] == "b"]
        quantiles = [("quantile", each) for each in ("1/4", "1/2", "3/4")]
        below = [(what, at) for at in ("250", "600") for what in ("count below", "share below")]
        self.assertEqual(told, [*quantiles, ("count", ""), *below, ("mean", "")])
        self.assertEqual(rows[0]["lower"], "")
        self.assertTrue(rows[3]["lower"].isdigit())

    def test_tables_and_explanations_say_what_they_are(self):
        table = self.wages(format="table").out
        self.assertIn("beside the quantiles, for a part of the budget, epsilon = 2/5: the number of records, the numbers and shares below 250 and 600, and "
                      "the mean", table)
        self.assertIn("lower, upper of these: the true value for the table's records, each counted at", table)
        receipt = self.folder / "receipt.json"
        self.wages(receipt=str(receipt))
        words = " ".join(run("explain", str(receipt)).out.split())
        self.assertIn("How many records there are", words)
        self.assertIn("records below 250", words)
        self.assertIn("These are numbers of people only where each person has one record.", words)
        self.assertIn("1/5 for counting records; 1/5 for the mean", words)
        self.assertIn("counts.md", words)
        page = run("explain", str(receipt), "--format", "html").out
        self.assertIn("share below 600", page)
        self.assertEqual(run("explain", str(receipt), "--format", "markdown").code, 0)

    def test_a_count_above_the_public_number_of_rows_is_explained(self):
        rows, seen = len(self.rows) + 2, set()
        for seed in range(12):
            self.write("r.json", self.wages(format="json", public_rows=True, epsilon="0.1", mean=None, unsafe_seed=str(seed)).out)
            receipt = json.loads(self.content("r.json"))
            self.assertEqual(receipt["public_rows"], rows)
            is_above = max(receipt["count"]["value"], *(each["count"] for each in receipt["below"])) > rows
            seen.add(is_above)
            text = " ".join(run("explain", "r.json", cwd=self.folder).out.split())
            sentence = "The table has 2002 rows, a public number, and no more records can count: a released number above this is above it by noise alone."
            self.assertEqual(sentence in text, is_above)
        self.assertEqual(seen, {False, True})

    def test_persons_records_are_counted_as_far_as_they_count(self):
        table = self.folder / "visits.csv"
        table.write_text("id,wage\n" + "".join(f"{i // 10},{i % 1000}\n" for i in range(3000)), encoding="utf-8")
        result = run("release", str(table), *options(WAGES, person="id", records_per_person="2", epsilon="20", format="json"))
        self.assertEqual(result.code, 0, result.err)
        document = json.loads(result.out)
        self.assertLess(abs(document["count"]["value"] - 600), 30)
        self.assertEqual(document["statistics"]["noise"], {"rate": "1"})

    def test_dates_have_counts_and_means(self):
        table = self.folder / "days.csv"
        table.write_text("day\n" + "".join(f"2024-01-{1 + i % 31:02}\n" for i in range(3100)), encoding="utf-8")
        asked = {"column": "day", "bounds": ("2024-01-01", "2024-01-31"), "step": "1d", "epsilon": "20", "below": "2024-01-11", "mean": True}
        result = run("release", str(table), *options(asked, format="json", unsafe_seed="1"))
        self.assertEqual(result.code, 0, result.err)
        document = json.loads(result.out)
        self.assertEqual(document["below"][0]["value"], "2024-01-11")
        self.assertLess(abs(document["below"][0]["count"] - 1000), 30)
        self.assertIn(document["mean"]["value"], ("2024-01-15", "2024-01-16", "2024-01-17"))

    def test_found_bounds_go_with_counts_but_not_with_means(self):
        document = self.receipt(bounds="auto", mean=None)
        self.assertLess(abs(document["count"]["value"] - 2000), 120)
        self.assertLess(abs(document["below"][0]["count"] - self.truth()[1][0]), 120)
        self.assertEqual(Fraction(document["statistics"]["epsilon"]) + Fraction(document["bounds"]["epsilon"]), Fraction(2, 5))
        self.assert_refuses(self.wages(bounds="auto"), "a mean needs bounds that are declared", "write --bounds LO HI")

    def assert_refuses(self, result, *words):
        self.assertEqual(result.code, 2, result.out)
        for word in words:
            self.assertIn(word, result.err)

    def test_what_has_no_meaning_is_refused_before_a_row_is_read(self):
        self.assert_refuses(self.wages(below="250.5"), "250.5 is not one of the possible values", "write 250 or 251")
        self.assert_refuses(self.wages(below="0"), "nothing can lie below 0, the smallest possible value")
        self.assert_refuses(self.wages(below="1001"), "1001 lies outside the possible values")
        self.assert_refuses(self.wages(below="600,250"), "the value 250 is not above the one before it")
        self.assert_refuses(self.wages(count_budget="1"), "the share of the budget for counts and means is not between 0 and 1")
        self.assert_refuses(self.wages(delta="1e-6", mechanism="independent"), "counts and means take no delta")
        self.assert_refuses(self.wages(count=None, below=None, mean=None, count_budget="0.1"), "--count-budget goes with --count")
        self.assert_refuses(self.wages(candidates="0,250,600,1000", bounds=None, step=None), "a mean needs bounds and a step")

    def planned(self, **changes):
        asked = {"bounds": ("0", "1000"), "step": "1", "epsilon": "2", "expected_rows": "2000", "count": True, "below": "250", "mean": True}
        return run("plan", *options(asked, **changes))

    def test_a_plan_says_what_they_cost_and_how_far_they_are_off(self):
        document = json.loads(self.planned(format="json").out)
        statistics = document["statistics"]
        self.assertEqual((statistics["share"], statistics["epsilon"], statistics["level"], statistics["rows"]), ("1/5", "2/5", "19/20", 2000))
        self.assertEqual(document["privacy"]["epsilon"], "2")
        self.assertLess(statistics["below"][0]["count"], statistics["count"])
        table = self.planned(format="table").out
        self.assertIn("Of the budget, epsilon = 2/5 pays for the number of records, the numbers and shares below 250, and the mean.", " ".join(table.split()))
        self.assertRegex(table, r"count below 250 +\d+ records")
        self.assertIn("How far off counts, shares and means will be", self.planned(format="html").out)
        self.assertNotIn("statistics", json.loads(self.planned(count=None, below=None, mean=None, format="json").out))
        self.assertEqual(self.planned(count=None, below=None, mean=None, count_budget="0.1").code, 2)

    def test_a_plan_of_a_mean_of_dates_knows_that_it_is_rounded(self):
        """Weeks are the possible values: a mean between two of them is off by up to half a week."""
        dates = {"bounds": ("2020-01-01", "2026-01-07"), "quantiles": "median", "epsilon": "4", "below": None, "expected_rows": "20000"}
        errors = {step: json.loads(self.planned(**dates, step=step, format="json").out)["statistics"] for step in ("1w", "1d")}
        self.assertGreaterEqual(errors["1w"]["mean"], 3.5)
        self.assertLess(errors["1d"]["mean"], 1.5)
        self.assertIn("The errors of shares and means are approximate, for 20,000 records.",
                      " ".join(self.planned(**dates, step="1w", format="table").out.split()))

    def test_a_plan_solves_for_the_whole(self):
        alone = json.loads(self.planned(count=None, below=None, mean=None, epsilon=None, rank_error="50", format="json").out)
        whole = json.loads(self.planned(epsilon=None, rank_error="50", format="json").out)
        self.assertEqual(Fraction(whole["privacy"]["epsilon"]) * Fraction(4, 5), Fraction(alone["privacy"]["epsilon"]))
        self.assertEqual(whole["quantiles"][0]["worst_case"], alone["quantiles"][0]["worst_case"])

    def test_a_plan_of_a_guess_is_of_quantiles_alone(self):
        self.assert_refuses(self.planned(guess="value", quantiles="median"), "--guess covers only quantiles")

    def test_a_ledger_knows_what_was_counted(self):
        ledger = str(self.folder / "budget.db")
        made = run("ledger", "init", ledger, "--dataset", "wages", "--epsilon", "6", "--unit", "person", "--unreadable", "missing")
        self.assertEqual(made.code, 0, made.err)
        asked = {"ledger": ledger, "unsafe_seed": None}
        first = self.wages(**asked, format="json")
        self.assertEqual(first.code, 0, first.err)
        again = self.wages(**asked, format="json")
        self.assertEqual(again.out, first.out)
        other = self.wages(**asked, below="250", format="json")
        self.assertEqual(other.code, 0, other.err)
        self.assertNotEqual(other.out, first.out)
        without = self.wages(**asked, count=None, below=None, mean=None, format="json")
        self.assertNotIn("count", json.loads(without.out))
        self.assertEqual(self.wages(**asked, below="600").code, 4)  # 3 releases of epsilon 2 have been paid for
        verified = run("ledger", "verify", ledger)
        self.assertEqual(verified.code, 0, verified.err)


if __name__ == "__main__":
    unittest.main()
