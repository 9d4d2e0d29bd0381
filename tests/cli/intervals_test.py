"""Confidence intervals with a release: outputs, receipts, explanations and refusals."""

import csv
import io
import json
import random
import unittest
from fractions import Fraction

from cli.program import CommandTest, options, require_engine, run

WAGES = {
    "column": "wage",
    "bounds": ("0", "1000"),
    "step": "1",
    "epsilon": "2",
    "expected_rows": "2000",
    "unsafe_seed": "5",
}


def setUpModule():
    require_engine()


class Intervals(CommandTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(1)
        lines = [f"{generator.randrange(1001)},{'ab'[i % 2]}" for i in range(2000)]
        self.table = self.folder / "wages.csv"
        self.table.write_text("wage,team\n" + "\n".join(lines) + "\n", encoding="utf-8")

    def wages(self, **changes):
        return run("release", str(self.table), *options(WAGES, **changes))

    def test_budgets_so_large_that_noise_is_zero(self):
        middle = sorted(int(line.split(",")[0]) for line in self.table.read_text(encoding="utf-8").splitlines()[1:])[999]
        for budget in ({"epsilon": "1000"}, {"epsilon": "1e9"}, {"epsilon": None, "rho": "1e400"}):
            result = self.wages(intervals="0.95", of="table", quantiles="median", format="csv", **budget)
            self.assertEqual(result.code, 0, result.err)
            row = next(csv.DictReader(io.StringIO(result.out)))
            self.assertLessEqual(int(row["lower"]), middle)
            self.assertGreaterEqual(int(row["upper"]), middle)

    def test_csv_has_both_ends(self):
        result = self.wages(intervals="0.95", format="csv")
        self.assertEqual(result.code, 0, result.err)
        rows = list(csv.DictReader(io.StringIO(result.out)))
        for row, quartile in zip(rows, (250, 500, 750)):
            self.assertLess(float(row["lower"]), float(row["upper"]))
            self.assertLess(abs(float(row["lower"]) - quartile), 150)

    def test_range_ends_are_open(self):
        result = self.wages(intervals="0.95", epsilon="0.01", format="csv")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual((rows[0]["lower"], rows[2]["upper"]), ("-inf", "inf"))
        table = self.wages(intervals="0.95", epsilon="0.01", format="table").out
        self.assertIn("0 or below", table)
        self.assertIn("1000 or above", table)

    def test_levels_that_would_leave_all_ends_open(self):
        """Once, the level 0.999999999 was accepted, and every interval went from -inf to inf without a warning."""
        refused = self.wages(intervals="0.999999999", of="table", together=True)
        self.assert_refused(refused, 2, "intervals have levels up to 0.999999")
        self.assertIn("write at most --intervals 0.999999", refused.err)
        self.assertEqual(self.wages(intervals="0.999999", of="table", together=True).code, 0)

    def test_questions_are_told_apart(self):
        population = self.wages(intervals="0.9", format="table").out
        self.assertIn("the quantile of the population, rounded to a possible value, 90 %, each by itself, if the sample is", population)
        table = self.wages(intervals="0.9", of="table", together=True, format="table").out
        self.assertIn("the quantile of the table's records, rounded to a possible value, 90 %, all at once", table)

    def test_receipt_and_explanation(self):
        receipt = self.folder / "receipt.json"
        result = self.wages(intervals="0.95", receipt=str(receipt))
        self.assertEqual(result.code, 0, result.err)
        document = json.loads(receipt.read_text(encoding="utf-8"))
        self.assertEqual(document["intervals"], {"level": "19/20", "subject": "population", "simultaneous": False})
        self.assertEqual(document["spent"][-1]["part"], "cells")
        self.assertEqual(sum(Fraction(part["epsilon"]) for part in document["spent"]), 2)
        for each in document["quantiles"]:
            self.assertIsNone(each["rank_error"])
            self.assertLessEqual(each["lower"], each["upper"])
        words = " ".join(run("explain", str(receipt)).out.split())
        self.assertIn("beside each value an interval for the quantile of the population, rounded to a possible value", words)
        self.assertIn("each by itself, not all of them at once", words)
        self.assertIn("a simple random sample of the population, one record a person, drawn with or without replacement", words)

    def test_groups_under_change_one(self):
        """Once, they were told that persons have several records: a group's query is for both records of a change."""
        done = self.wages(intervals="0.95", by="team", keys="a,b", neighbors="change-one", format="csv")
        self.assertEqual(done.code, 0, done.err)
        refused = self.wages(intervals="0.95", by="team", keys="a,b", neighbors="change-one", records_per_person="2")
        self.assert_refused(refused, 2, "several records of a person are not a simple random sample")

    def test_groups(self):
        result = self.wages(intervals="0.95", by="team", keys="a,b", expected_rows="1000", format="csv")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(result.out)))), 6)

    def test_quartiles_are_compared(self):
        receipt = self.folder / "receipt.json"
        result = self.wages(intervals="0.95", compare="0.25,0.75", format="csv", receipt=str(receipt))
        self.assertEqual(result.code, 0, result.err)
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual([row["statistic"] for row in rows], ["value"] * 3 + ["difference", "ratio"])
        difference = rows[3]
        self.assertEqual((difference["quantile"], difference["against"]), ("3/4", "1/4"))
        self.assertEqual(float(difference["value"]), float(rows[2]["value"]) - float(rows[0]["value"]))
        self.assertLess(float(difference["lower"]), 500)
        self.assertLess(500, float(difference["upper"]))
        words = " ".join(run("explain", str(receipt), "--compare", "0.25,0.75").out.split())
        self.assertIn("What was compared", words)
        self.assertIn("lie between their ends: each line by itself, for no further budget", words)
        plain = json.loads(receipt.read_text(encoding="utf-8"))
        ends = [plain["quantiles"][i]["in_pairs"] for i in (0, 2)]
        self.assertEqual(float(difference["lower"]), ends[1]["lower"] - ends[0]["upper"])

    def test_what_was_counted_stands_beside_what_is_compared(self):
        result = self.wages(intervals="0.95", compare="0.25,0.75", format="csv", count=True, mean=True, below="100")
        rows = list(csv.reader(io.StringIO(result.out)))
        self.assertEqual(rows[0][:6], ["statistic", "at", "against", "value", "lower", "upper"])
        self.assertEqual([row[0] for row in rows[1:]], ["value"] * 3 + ["count", "count below", "share below", "mean", "difference", "ratio"])
        self.assertEqual(rows[5][1:3], ["100", ""])

    def test_groups_are_compared_again_and_again_for_one_price(self):
        ledger = str(self.folder / "budget.db")
        self.assertEqual(run("ledger", "init", ledger, "--dataset", "wages", "--epsilon", "2").code, 0)
        asked = {"intervals": "0.95", "by": "team", "keys": "a,b", "expected_rows": "1000", "unsafe_seed": None}
        first = self.wages(**asked, ledger=ledger, format="table", compare="a,b")
        self.assertEqual(first.code, 0, first.err)
        self.assertIn("difference", first.out)
        again = self.wages(**asked, ledger=ledger, format="csv", compare="0.25,0.5")
        self.assertEqual(again.code, 0, again.err)
        self.assertIn("nothing was spent", again.err)
        rows = list(csv.DictReader(io.StringIO(again.out)))
        self.assertEqual([row["key"] for row in rows if row["statistic"] == "difference"], ["a", "b"])

    def test_comparisons_are_refused_before_anything_is_read(self):
        for changes, words in (
            ({"compare": "0.25,0.75"}, "--compare goes with --intervals"),
            ({"compare": "0.25,0.8", "intervals": "0.95"}, "--compare: '0.8' is not one of the quantiles"),
            ({"compare": "0.25", "intervals": "0.95"}, "--compare takes two names"),
            ({"compare": "0.25,0.75", "intervals": "0.95", "format": "json"}, "fractile explain RECEIPT --compare"),
        ):
            with self.subTest(words):
                result = run("release", str(self.folder / "absent.csv"), *options(WAGES, **changes))
                self.assertEqual(result.code, 2, result.err)
                self.assertIn(words, result.err)

    def test_plan_tells_widths(self):
        changes = {"column": None, "unsafe_seed": None, "format": "csv"}
        result = run("plan", *options(WAGES, intervals="0.95", **changes))
        self.assertEqual(result.code, 0, result.err)
        for row in csv.DictReader(io.StringIO(result.out)):
            self.assertLess(20, float(row["interval_width"]))
            self.assertLess(float(row["interval_width"]), 400)
        self.assertNotIn("interval", run("plan", *options(WAGES, **changes)).out)

    def test_too_few_records_are_told_with_what_would_do(self):
        """The warning appears in a plan, next to the release and in its explanation. It is absent where the ends are settled."""
        plan = {"column": None, "unsafe_seed": None, "intervals": "0.95", "of": "table"}
        few = run("plan", *options(WAGES, **plan, epsilon="0.01", format="table"))
        self.assertIn("warning: with this budget intervals may end only at the ends of the range\n"
                      "about 2000 records are too few to settle their ends within it;\nabout ", few.out)
        self.assertIn(" would do, or an epsilon of about ", few.out)
        self.assertIn("epsilon  worst case  nine in ten  interval", few.out)
        self.assertIn("all but about one end in a hundred are inside the range, where values are not tied", " ".join(few.out.split()))
        self.assertLessEqual(max(map(len, few.out.splitlines())), 110)
        ends = json.loads(run("plan", *options(WAGES, **plan, epsilon="0.01", format="json")).out)["interval_ends"]
        self.assertGreater(ends["settled_from"], 2000)
        enough = run("plan", *options(WAGES, **plan, epsilon=ends["unsettled"]["epsilon"], format="json"))
        self.assertEqual(list(json.loads(enough.out)["interval_ends"]), ["rows", "settled_from"])
        receipt = self.folder / "receipt.json"
        result = self.wages(intervals="0.95", of="table", epsilon="0.01", receipt=str(receipt))
        self.assertIn("with this budget intervals may end only at the ends of the range", result.err)
        self.assertIn("Warning: with this budget intervals may end only at the ends of the range: about", " ".join(run("explain", str(receipt)).out.split()))
        self.assertEqual(self.wages(intervals="0.95", of="table").err, "")

    def test_intervals_of_the_largest_tables(self):
        for changes in ({"expected_rows": "281474976710655"}, {"expected_rows": "281474976710655", "of": "table"}):
            result = self.wages(intervals="0.95", format="csv", **changes)
            self.assertEqual(result.code, 0, result.err)

    def test_intervals_count_the_rows_whatever_is_told(self):
        for of in ("table", "population"):
            printed = {self.wages(intervals="0.95", of=of, format="csv", expected_rows=rows).out for rows in (None, "1", "1000000000000")}
            self.assertEqual(len(printed), 1)
            document = json.loads(self.wages(intervals="0.95", of=of, format="json", expected_rows=None).out)
            self.assertEqual(document["spent"][0]["part"], "rows")
            self.assertEqual(Fraction(document["spent"][0]["epsilon"]), Fraction(2, 20 if of == "table" else 40))

    def test_refusals(self):
        for changes, words in (
            ({"of": "table"}, "--of goes with --intervals"),
            ({"together": True}, "--together goes with --intervals"),
            ({"intervals": "95"}, "between 0 and 1"),
            ({"intervals": "0.95", "records_per_person": "2"}, "not a simple random sample"),
            ({"intervals": "0.95", "quantiles": "0,0.5"}, "have no interval"),
        ):
            result = self.wages(**changes)
            self.assertEqual(result.code, 2, changes)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
