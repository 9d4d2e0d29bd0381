"""Dates and times: from each format and kind to each output, and what is refused."""

import csv
import datetime
import hashlib
import io
import json
import random
import re
import unittest

from cli.program import CommandTest, Engine, options, require_engine, run

DAYS = {"column": "day", "bounds": ("2020-01-01", "2026-01-01"), "step": "1d", "epsilon": "2", "unsafe_seed": "5"}
CLOCKS = DAYS | {"column": "clock", "bounds": ("2020-01-01T00:00:00", "2026-01-01T00:00:00"), "step": "1h"}
INSTANTS = DAYS | {"column": "instant", "bounds": ("2020-01-01T00:00:00Z", "2026-01-01T00:00Z"), "step": "1h"}

setUpModule = require_engine


class Dates(CommandTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        start = datetime.datetime(2020, 1, 1)
        self.moments = [start + datetime.timedelta(minutes=draw.randrange(6 * 365 * 1440)) for _ in range(2000)]
        lines = ["day,clock,instant,region,id"]
        for i, moment in enumerate(self.moments):
            shown = (moment + datetime.timedelta(hours=1)).isoformat(" ")
            lines.append(f"{moment:%Y-%m-%d},{moment.isoformat()},{shown}+01:00,{'ab'[i % 2]},{i // 2}")
        self.write("visits.csv", "\n".join(lines) + "\n")
        casts = "CAST(day AS DATE) AS day, CAST(clock AS TIMESTAMP) AS clock, CAST(instant AS TIMESTAMPTZ) AS instant, region, id"
        source = f"SELECT {casts} FROM read_csv('{self.folder / 'visits.csv'}', all_varchar = true)"
        Engine().write_parquet(self.folder / "visits.parquet", source)
        rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
        self.write("visits.json", "\n".join(map(json.dumps, rows)))
        self.write("visits.tsv", "\n".join(line.replace(",", "\t") for line in lines) + "\n")

    def asked(self, words, file="visits.csv", **changes):
        return run("release", str(self.folder / file), *options(words, **changes))

    def printed(self, words, file="visits.csv", **changes):
        result = self.asked(words, file, **changes)
        self.assertEqual(result.code, 0, result.err)
        return result.out

    def test_all_formats_give_the_same(self):
        for words in (DAYS, CLOCKS, INSTANTS):
            expected = self.printed(words, format="csv")
            for file in ("visits.parquet", "visits.json", "visits.tsv"):
                self.assertEqual(self.printed(words, file, format="csv"), expected, (words, file))

    def test_values_are_of_the_bounds_kind_and_near_the_truth(self):
        quartiles = sorted(self.moments)[500::500]
        for words, form in ((DAYS, "%Y-%m-%d"), (CLOCKS, "%Y-%m-%dT%H:%M:%S"), (INSTANTS, "%Y-%m-%dT%H:%M:%SZ")):
            rows = list(csv.DictReader(io.StringIO(self.printed(words, format="csv"))))
            for row, truth in zip(rows, quartiles):
                value = datetime.datetime.strptime(row["value"], form)
                self.assertLess(abs(value - truth), datetime.timedelta(days=30))
                self.assertEqual((value.minute, value.second), (0, 0))

    def test_a_time_counts_for_its_day(self):
        self.assertEqual(self.printed(DAYS | {"column": "clock"}, format="csv"), self.printed(DAYS, format="csv"))
        self.assertEqual(self.printed(DAYS | {"column": "clock"}, "visits.parquet", format="csv"), self.printed(DAYS, format="csv"))
        self.write("afternoons.csv", "x\n" + "2024-01-31 23:59:59.999999\n" * 500)
        words = DAYS | {"column": "x", "quantiles": "median", "mechanism": "exponential", "epsilon": "20"}
        self.assertIn("1/2,2024-01-31", self.printed(words, "afternoons.csv", format="csv"))

    def test_steps_have_one_spelling_in_the_receipt(self):
        for step, written in (("1w", "7d"), ("7d", "7d")):
            receipt = json.loads(self.printed(DAYS, step=step, bounds=("2020-01-01", "2025-12-31"), format="json"))
            self.assertEqual(receipt["lattice"], {"kind": "date", "lower": "2020-01-01", "upper": "2025-12-31", "step": written})
        for step, written in (("60min", "1h"), ("3600s", "1h"), ("90min", "90min"), ("1d", "1d"), ("500ms", "500ms"), ("1us", "1us")):
            receipt = json.loads(self.printed(CLOCKS, step=step, format="json"))
            self.assertEqual(receipt["lattice"]["step"], written)
        self.assertEqual(receipt["source"]["domain"], "timestamp or missing")

    def test_round_times_are_found(self):
        fine = json.loads(self.printed(CLOCKS, step="1s", epsilon="20", format="json"))
        self.assertEqual(fine["options"]["granularity"], "1min")
        self.assertIn("most values are multiples of 1min", self.printed(CLOCKS, step="1s", epsilon="20", format="table"))

    def test_candidates(self):
        words = DAYS | {"candidates": "2021-01-01,2022-06-30,2025-01-01"}
        del words["bounds"], words["step"]
        receipt = json.loads(self.printed(words, format="json"))
        self.assertEqual(receipt["lattice"], {"kind": "date", "candidates": ["2021-01-01", "2022-06-30", "2025-01-01"]})
        for quantile in receipt["quantiles"]:
            self.assertIn(quantile["value"], receipt["lattice"]["candidates"])

    def test_persons_groups_and_synthetic_rows(self):
        text = self.printed(DAYS, by="region", keys="a,b", person="id", format="csv")
        self.assertEqual([row["key"] for row in csv.DictReader(io.StringIO(text))], ["a"] * 3 + ["b"] * 3)
        self.assertEqual(len(self.printed(CLOCKS, synthetic_rows="8", format="csv").splitlines()), 9)

    def test_intervals_and_comparisons(self):
        receipt = self.folder / "receipt.json"
        words = DAYS | {"intervals": "0.95", "expected_rows": "2000", "receipt": str(receipt)}
        rows = list(csv.DictReader(io.StringIO(self.printed(words, compare="0.25,0.75", format="csv"))))
        value = {row["quantile"]: datetime.date.fromisoformat(row["value"]) for row in rows if row["statistic"] == "value"}
        difference = next(row for row in rows if row["statistic"] == "difference")
        self.assertEqual(difference["value"], f"{(value['3/4'] - value['1/4']).days}d")
        self.assertNotIn("ratio", [row["statistic"] for row in rows])
        explained = " ".join(run("explain", str(receipt), "--compare", "0.25,0.75").out.split())
        self.assertIn("Dates and times have differences, but no ratios.", explained)
        self.assertIn("the column holds anything but a date or nothing", explained)
        page = run("explain", str(receipt), "--format", "html").out
        self.assertIn(rows[0]["value"], page)
        self.assertIn(">2023<", page)  # the label of a tick on the axis
        clocks = self.printed(CLOCKS | {"intervals": "0.95", "expected_rows": "2000"}, compare="0.25,0.75", format="table")
        self.assertRegex(clocks, r"3/4 +1/4 +\d+d( \d+h)? ")

    def test_a_changed_receipt_is_refused(self):
        receipt = self.printed(DAYS, format="json")
        for old, new in (('"kind": "date"', '"kind": "instant"'), ('"value": "20', '"value": "x20'), ('"step": "1d"', '"step": "1y"')):
            changed = re.sub('"sha256": "[0-9a-f]*"', '"sha256": ""', receipt.replace(old, new))
            digest = hashlib.sha256(changed.encode()).hexdigest()
            self.write("changed.json", changed.replace('"sha256": ""', f'"sha256": "{digest}"'))
            self.assert_refused(run("explain", str(self.folder / "changed.json")), 3, "is not a receipt")

    def test_plan(self):
        result = run("plan", *options(DAYS, unsafe_seed=None, column=None, expected_rows="2000", format="json"))
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(json.loads(result.out)["lattice"]["upper"], "2026-01-01")

    def test_a_ledger_answers_an_equal_question(self):
        book = str(self.folder / "book.db")
        self.assertEqual(run("ledger", "init", book, "--dataset", "visits", "--epsilon", "10").code, 0)
        words = DAYS | {"unsafe_seed": None, "ledger": book, "format": "csv"}
        first = self.asked(words, step="1w", bounds=("2020-01-01", "2025-12-31"))
        again = self.asked(words, step="7d", bounds=("2020-01-01", "2025-12-31"))
        self.assertEqual((again.code, again.out), (0, first.out))
        self.assertIn("nothing was spent", again.err)
        other = self.asked(words | {"bounds": ("2020-01-01T00:00", "2025-12-31T00:00")}, step="7d")
        self.assertNotIn("nothing was spent", other.err)

    # --- Refusals -----------------------------------------------------------------------------------------------------

    def test_what_is_typed_wrong(self):
        for changes, what, hint in (
            ({"bounds": ("2020-02-30", "2026-01-01")}, "'2020-02-30' is not a date or time", "2024-01-31"),
            ({"bounds": ("2020-01-01", "2026-01-01T00:00")}, "two kinds, date and timestamp", "all with Z"),
            ({"bounds": ("2020-01-01T00:00Z", "2026-01-01T00:00")}, "two kinds, instant and timestamp", "all with Z"),
            ({"bounds": ("0", "2026-01-01")}, "'0' is not a date or time", "2024-01-31"),
            ({"bounds": ("2026-01-01", "2020-01-01")}, "wrong order", "lower bound first"),
            ({"bounds": ("2020-01-01", "10000-01-01")}, "'10000-01-01' is not a date or time", "2024-01-31"),
            ({"bounds": ("0001-01-01T00:00+14:00", "2020-01-01T00:00Z"), "step": "1us"}, "years 0001 to 9999", "2024-01-31"),
            ({"bounds": ("2020-01-01", "2020-01-10"), "step": "1w"}, "the step 7d does not divide", "2020-01-15"),
            ({"step": "1"}, "'1' is not a length of time", "1d, 15min"),
            ({"step": "1m"}, "'1m' is not a length of time", "min"),
            ({"bounds": ["2020", "2026"]}, "'1d' is a length of time, and the bounds are numbers", "--bounds 2020-01-01 2030-01-01"),
            ({"step": "0d"}, "the step is not above 0", "--step 1d"),
            ({"step": "12h"}, "not a whole number of days", "as times"),
            ({"step": None}, "--step is missing", "--step 1d"),
            ({"bounds": "auto"}, "not of dates", "--bounds 1900-01-01 2100-01-01"),
            ({"bounds": None, "step": None, "candidates": "2020-01-01,2020-01-01"}, "not strictly increasing: 2020-01-01", "sort"),
            ({"bounds": None, "step": None, "candidates": "2020-01-01,x"}, "--candidates: 'x' is not a date", "2024-01-31"),
        ):
            with self.subTest(changes):
                result = self.asked(DAYS, **changes)
                self.assert_refused(result, 2, what, hint)

    def test_columns_of_another_kind(self):
        for column, words, what in (
            ("instant", DAYS, "is TIMESTAMP WITH TIME ZONE, and the bounds are dates"),
            ("instant", CLOCKS, "is TIMESTAMP WITH TIME ZONE, and the bounds are timestamps"),
            ("clock", INSTANTS, "is TIMESTAMP, and the bounds are instants"),
            ("day", INSTANTS, "is DATE, and the bounds are instants"),
            ("day", {**DAYS, "bounds": ("0", "20000"), "step": "1"}, "is DATE, not a number"),
        ):
            self.assert_refused(self.asked(words, "visits.parquet", column=column), 3, what)
        self.write("n.csv", "x\n5\n")
        result = self.asked(DAYS, "n.csv", sql="SELECT CAST(x AS INTEGER) AS day FROM input")
        self.assert_refused(result, 3, "is INTEGER, and the bounds are dates")

    def test_cells_of_another_kind_are_named_by_their_row(self):
        for column, words in (("instant", DAYS), ("clock", INSTANTS), ("day", INSTANTS), ("region", DAYS)):
            self.assert_refused(self.asked(words, column=column), 3, f"row 1, column '{column}': not a", secrets=(":30",))
        self.write("bad.csv", "day\n2024-01-31\nsecret\n")
        self.assert_refused(self.asked(DAYS, "bad.csv"), 3, "row 2, column 'day': not a date", secrets=("secret",))
        self.write("empty.csv", "day\n2024-01-31\n\"\"\n")
        self.assert_refused(self.asked(DAYS, "empty.csv", null="error"), 3, "row 2, column 'day': empty")

    def test_sql_makes_dates(self):
        text = self.printed(DAYS, sql="SELECT CAST(day AS DATE) AS day FROM input", format="csv")
        self.assertEqual(text, self.printed(DAYS, format="csv"))


if __name__ == "__main__":
    unittest.main()
