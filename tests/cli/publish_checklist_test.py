"""A statistician's checklist: one command makes the whole publication of the design, and the test compares it with the records."""

import bisect
import csv
import io
import itertools
import json
import random
from fractions import Fraction

from cli.program import CommandTest, require_engine, run
from cli.web import Page

setUpModule = require_engine

REGIONS = {f"r{i:02}": f"Region {i}" for i in range(1, 13)}
SEXES = {"f": "women", "m": "men"}
SECTORS = ["A", "B", "C", "D", "E"]
DECILES = [Fraction(i, 10) for i in range(1, 10)]
EPSILON = 40
FILE = """[publication]
title = "Hourly earnings 2026"
epsilon = 40
person = "household"
records_per_person = 2

[input]
file = "payroll.csv"
missing = ["NA", "."]

[keys]
region = { file = "regions.csv", key = "code", label = "name" }
sex = { f = "women", m = "men" }
sector = ["A", "B", "C", "D", "E"]

[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 0.01
quantiles = "deciles"
count = true
mean = true
below = [12.5, 20]
by = ["region", "sex"]
totals = "all"
intervals = 0.95
rows = "cells.csv"
share = 2

[[table]]
name = "hours"
column = "hours"
bounds = [0, 80]
step = 0.5
quantiles = "quartiles"
by = ["sex", "sector"]
totals = [["sex"]]
count = true
intervals = 0.95
rows = 2000

[marks]
unreliable = 0.2
hidden = 40
"""


def people():
    """People, two per household: incomes with a tail and heaps, hours with ties, uneven regions (one nearly empty), and missing numbers."""
    law = random.Random(5)
    weights = [0.004, *(1 + 0.6 * i for i in range(1, 12))]
    for i in range(24_000):
        sex, sector = law.choice("fm"), law.choice(SECTORS)
        pay = law.lognormvariate(2.9 + 0.1 * (sex == "m"), 0.5)
        pay = round(pay) if law.random() < 0.4 else round(pay, 2)
        hours = law.choice([20, 35, 38.5, 40, 40, 40, law.randrange(1, 140) / 2])
        yield i // 2, law.choices(list(REGIONS), weights)[0], sex, sector, law.choice(["NA", "."]) if i % 50 == 0 else pay, hours


class Checklist(CommandTest):
    def setUp(self):
        super().setUp()
        self.people = list(people())
        lines = (",".join(map(str, each)) for each in self.people)
        self.write("payroll.csv", "household,region,sex,sector,pay,hours\n" + "\n".join(lines) + "\nx,abroad,f,A,10,1\n")
        self.write("regions.csv", "code,name\n" + "".join(f"{code},{name}\n" for code, name in REGIONS.items()))
        cells = itertools.product(enumerate(REGIONS), SEXES)
        self.write("cells.csv", "region,sex,rows\n" + "".join(f"{region},{sex},{max(50, 170 * i)}\n" for (i, region), sex in cells))
        self.write("earnings.toml", FILE)
        made = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "50", "--person", "household",
                   "--records-per-person", "2", "--keys-file", "regions.csv", "--keys-file", "cells.csv", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        done = run("publish", "earnings.toml", "--ledger", "budget.db", "--output", "out", cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        self.rows = list(csv.DictReader(io.StringIO(self.content("out/earnings.csv"))))
        self.receipt = json.loads(self.content("out/earnings.json"))

    def cell(self, table, **keys):
        """What is published about a cell, by statistic and quantile."""
        wanted = {"region": "", "sex": "", "sector": "", **keys}
        return {(row["statistic"], row["quantile"]): row for row in self.rows
                if row["table"] == table and all(row.get(name, "") == key for name, key in wanted.items())}

    def values(self, region="", sex=""):
        return sorted(each[4] for each in self.people
                      if each[4] not in ("NA", ".") and region in ("", each[1]) and sex in ("", each[2]))

    def test_each_point(self):
        for point in (self.every_cell_and_total_has_what_was_asked, self.rows_and_columns_add_up,
                      self.readers_see_labels_totals_marks_and_notes, self.it_says_what_it_cost):
            with self.subTest(point.__name__):
                point()

    def every_cell_and_total_has_what_was_asked(self):
        asked = {("quantile", str(quantile)) for quantile in DECILES}
        asked |= {(name, "") for name in ("count", "count below 12.5", "count below 20", "share below 12.5", "share below 20", "mean")}
        held = checked = 0
        for region, sex in itertools.product([*REGIONS, ""], [*SEXES, ""]):
            cell = self.cell("pay", region=region, sex=sex)
            self.assertEqual(set(cell), asked, (region, sex))
            truth = self.values(region, sex)
            for (statistic, quantile), row in cell.items():
                self.assertIn(row["mark"], ("", "unreliable", "hidden"))
                if row["mark"] == "hidden":
                    self.assertEqual(row["value"], "")
                    self.assertLess(len(truth), 200)
                    continue
                lower, value, upper = (Fraction(row[name]) for name in ("lower", "value", "upper"))
                self.assertLessEqual(lower, upper)
                if statistic == "quantile":
                    self.assertEqual(row["mark"] == "unreliable", upper - lower > Fraction(1, 5) * value, row)
                checked += 1
                held += self.is_held(truth, statistic, quantile, lower, upper)
        self.assertGreater(checked, 500)
        self.assertGreater(held, 0.9 * checked)

    @staticmethod
    def is_held(truth, statistic, quantile, lower, upper):
        if statistic == "quantile":
            rank = Fraction(quantile) * len(truth)
            return bisect.bisect_left(truth, lower) <= rank <= bisect.bisect_right(truth, upper)
        below = bisect.bisect_left(truth, float(statistic.split()[-1])) if "below" in statistic else len(truth)
        number = {"count": below, "share": below / len(truth), "mean": sum(truth) / len(truth)}[statistic.split()[0]]
        return lower <= number + 1e-9 and number - 1e-9 <= upper

    def rows_and_columns_add_up(self):
        count = {(region, sex): self.cell("pay", region=region, sex=sex)[("count", "")]
                 for region, sex in itertools.product([*REGIONS, ""], [*SEXES, ""])}
        shown = {key: int(row["value"]) for key, row in count.items() if row["mark"] != "hidden"}
        for sex in [*SEXES, ""]:
            parts = [shown[region, sex] for region in REGIONS if (region, sex) in shown]
            if len(parts) == len(REGIONS):
                self.assertEqual(sum(parts), shown["", sex])
        for region in [*REGIONS, ""]:
            if all((region, sex) in shown for sex in SEXES):
                self.assertEqual(sum(shown[region, sex] for sex in SEXES), shown[region, ""])
        self.assertEqual(shown["", "f"] + shown["", "m"], shown["", ""])

    def readers_see_labels_totals_marks_and_notes(self):
        page = Page(self.content("out/earnings.html"))
        text = page.text()
        for words in ("Hourly earnings 2026", *REGIONS.values(), *SEXES.values(), "hidden: the released count is below 40;"):
            self.assertIn(words, text)
        headings = {cell for table in page.tables for line in table for cell in line[:1]}
        self.assertLessEqual(set(REGIONS.values()), headings)
        self.assertFalse(headings & set(REGIONS))

    def it_says_what_it_cost(self):
        plan = json.loads(run("plan", "earnings.toml", "--format", "json", cwd=self.folder).out)
        planned = [Fraction(level["cost"]["epsilon"]) for level in plan["levels"]]
        levels = [level["release"] for table in self.receipt["tables"] for level in table["levels"]]
        self.assertEqual([Fraction(level["privacy"]["epsilon"]) for level in levels], planned)
        self.assertEqual(sum(planned), EPSILON)
        words = " ".join(run("explain", "out/earnings.json", cwd=self.folder).out.split())
        self.assertIn(f"epsilon = {EPSILON}", words)
        export = json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)
        self.assertEqual([entry["state"] for entry in export["entries"]], ["committed"] * len(levels))
        self.assertEqual(Fraction(export["datasets"][0]["spent"]["epsilon"]), EPSILON)
        self.assertEqual(run("ledger", "verify", "budget.db", cwd=self.folder).code, 0)
