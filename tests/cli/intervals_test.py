"""Confidence intervals with a release: outputs, receipts, explanations and refusals."""

import csv
import io
import json
import random
import unittest

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

    def test_questions_are_told_apart(self):
        population = self.wages(intervals="0.9", format="table").out
        self.assertIn("the quantile of the population, 90 %, each interval by itself, if the records are", population)
        table = self.wages(intervals="0.9", of="table", together=True, format="table").out
        self.assertIn("the quantile of this table, 90 %, all intervals together", table)

    def test_receipt_and_explanation(self):
        receipt = self.folder / "receipt.json"
        result = self.wages(intervals="0.95", receipt=str(receipt))
        self.assertEqual(result.code, 0, result.err)
        document = json.loads(receipt.read_text(encoding="utf-8"))
        self.assertEqual(document["intervals"], {"level": "19/20", "of": "population", "together": False})
        self.assertEqual(document["spent"][-1], {"on": "cells", "epsilon": "9/10"})
        for each in document["quantiles"]:
            self.assertIsNone(each["rank_error"])
            self.assertLessEqual(each["lower"], each["upper"])
        words = " ".join(run("explain", str(receipt)).out.split())
        self.assertIn("where the quantile of the population is", words)
        self.assertIn("each by itself, not all of them at once", words)
        self.assertIn("a simple random sample of the population, one record a person", words)

    def test_groups(self):
        result = self.wages(intervals="0.95", by="team", keys="a,b", expected_rows="1000", format="csv")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(result.out)))), 6)

    def test_plan_tells_widths(self):
        changes = {"column": None, "unsafe_seed": None, "format": "csv"}
        result = run("plan", *options(WAGES, intervals="0.95", **changes))
        self.assertEqual(result.code, 0, result.err)
        for row in csv.DictReader(io.StringIO(result.out)):
            self.assertLess(20, float(row["interval_width"]))
            self.assertLess(float(row["interval_width"]), 400)
        self.assertNotIn("interval", run("plan", *options(WAGES, **changes)).out)

    def test_refusals(self):
        for changes, words in (
            ({"intervals": "0.95", "expected_rows": None}, "--intervals needs --expected-rows"),
            ({"of": "table"}, "--of goes with --intervals"),
            ({"together": True}, "--together goes with --intervals"),
            ({"intervals": "95"}, "between 0 and 1"),
            ({"intervals": "0.95", "records_per_person": "2"}, "no simple random sample"),
            ({"intervals": "0.95", "quantiles": "0,0.5"}, "have no interval"),
        ):
            result = self.wages(**changes)
            self.assertEqual(result.code, 2, changes)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
