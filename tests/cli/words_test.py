"""What explanations, plans and pages say is true of the release that they are about, and is written as people write."""

import json
import math
import re

from cli.program import CommandTest, require_engine, run

setUpModule = require_engine

MIXED = """[publication]
title = "Households"
epsilon = 3
person = "household"
records_per_person = 2
[input]
file = "people.csv"
[keys]
region = ["n", "s"]
sex = ["f", "m"]
[[table]]
name = "income"
column = "income"
per_person = "sum"
bounds = [0, 500]
step = 1
quantiles = "quartiles"
by = ["region", "sex"]
totals = "all"
count = true
rows = 300
intervals = 0.95
[[table]]
name = "members"
column = "age"
per_person = "count"
bounds = [0, 12]
step = 1
quantiles = "median"
by = "region"
totals = "all"
count = true
rows = 300
[[table]]
name = "age"
column = "age"
bounds = [0, 125]
step = 1
quantiles = "median"
by = "sex"
rows = 600
"""
SMALL = """[publication]
epsilon = 1
[input]
file = "people.csv"
[keys]
region = ["n", "s", "islands"]
[[table]]
column = "income"
bounds = [0, 500]
step = 1
quantiles = "deciles"
by = "region"
intervals = {intervals}
"""
OTHERS = """[publication]
epsilon = 10
[input]
file = "people.csv"
[keys]
region = ["n", "s"]
sex = ["f", "m"]
[[table]]
column = "income"
bounds = [0, 500]
step = 1
quantiles = "median"
by = ["region", "sex"]
totals = "all"
other = true
"""
LISTED = ["n,f", "n,m", "s,f", "s,m"]


class WordsTest(CommandTest):
    def write_people(self):
        rows = [f"h{i // 3},{'ns'[i % 2]},{'fm'[i // 2 % 2]},{20 + i % 70},{i * 37 % 400}" for i in range(1800)]
        islands = [f"k{i},islands,f,{30 + i},{200 + i}" for i in range(6)]
        self.write("people.csv", "\n".join(["household,region,sex,age,income", *rows, *islands]) + "\n")

    def explained(self, file, *arguments):
        """The explanation without line breaks."""
        return " ".join(run("explain", file, *arguments, cwd=self.folder).out.split())

    def published(self, text):
        """Publishes people by this file, and returns the explanation without line breaks."""
        self.write_people()
        self.write("p.toml", text)
        result = run("publish", "p.toml", "--output", "out", cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        return self.explained("out/p.json")


class Odds(WordsTest):
    def explained_at(self, epsilon):
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.assertEqual(self.run_release("t.csv", epsilon=epsilon, receipt=f"{epsilon}.json").code, 0)
        return self.explained(f"{epsilon}.json")

    def test_no_probability_below_1_becomes_100_percent(self):
        """Once, from epsilon = 2.5 on, answers were truthful "with a probability of 100 % and otherwise with the opposite", and at
        5, 50 in 100 became 100 in 100."""
        for epsilon in (0.5, 1, 2.5, 5, 10, 12):
            with self.subTest(epsilon):
                text = self.explained_at(str(epsilon))
                truthfully = re.search(r"truthfully with a probability of ([0-9.]+) % and otherwise with the opposite", text)
                told = float(truthfully[1]) / 100
                self.assertLess(told, 1)
                self.assertGreaterEqual(told, 1 / (1 + math.exp(-2 * epsilon)) - 1e-13)
                most = [float(each) / 100 for each in re.findall(r"(?:1|10|50) in 100 ([0-9.]+) in 100", text)]
                self.assertEqual(len(most), 3)
                for before, after in zip((0.01, 0.1, 0.5), most):
                    self.assertLess(after, 1)
                    self.assertGreaterEqual(after, min(math.exp(epsilon) * before, 1 - math.exp(-epsilon) * (1 - before)) - 1e-13)

    def test_the_largest_budgets_in_words(self):
        """Once, factors were 3.60e+09 (e^22), and inf (e^1e+06)."""
        text = self.explained_at("11")
        self.assertIn("a factor of at most 59,875 (e^11)", text)
        self.assertIn("a factor of at most 3,600,000,000 (e^22)", text)
        text = self.explained_at("1000000")
        self.assertIn("by a factor of at most e^1,000,000, more than a million million", text)
        self.assertIn("truthfully except with a probability below one in a million million", text)
        self.assertNotRegex(text.replace("just under 100 in 100", ""), r"\binf\b|\de\+\d|[^.0-9]100 in 100")


class Persons(WordsTest):
    def test_a_publication_of_records_and_of_persons(self):
        """Once, counts of persons "added up", each table counted at most 2 records of a person, and a sentence stood twice."""
        text = self.published(MIXED)
        for false in ("add up to those of all groups", "numbers of people only where each person has one record", "groups may differ"):
            self.assertNotIn(false, text)
        self.assertIn("In income and members, they counted with one value in a cell, in at most 2 of their cells of a level, chosen at "
                      "random. In age, at most 2 records of theirs, chosen at random, counted in all cells of a level together.", text)
        self.assertIn("Also published: the number of persons.", text)
        self.assertIn("region sex 25 % 50 % 75 % persons", text)
        self.assertRegex(text, r"by region [0-9,]+ persons everyone")
        self.assertRegex(text, r"everyone [0-9,]+ persons")
        wrong = text[text.index("How wrong the numbers"):text.index("What was assumed")]
        for sentence in ("counts at the possible value nearest to its own", "At most 2 records of each person count"):
            self.assertEqual(wrong.count(sentence), 2 if sentence.startswith("counts at") else 1, sentence)
        self.assertIn("income and members: A person's value counts at", wrong)
        self.assertIn("age: A record counts at", wrong)
        self.assertIn("age: At most 2 records of each person count", wrong)

    def test_records_of_a_person_still_add_up(self):
        text = self.published(MIXED.replace('per_person = "sum"\n', "").replace('per_person = "count"\n', ""))
        self.assertIn("so that counts of groups add up to those of all groups together", text)
        self.assertIn("numbers of people only where each person has one record", text)
        self.assertIn("however many records they have: at most 2 records of theirs, chosen at random, counted", text)

    def test_what_a_person_counts_with_is_not_the_column(self):
        """Once, numbers of records were "quantiles of the column age", on an axis called age."""
        self.write_people()
        for how, what, name in (("count", "the persons' numbers of records that hold something in the column age", "number of records"),
                                ("any", "the ones and zeros that say whether any of a person's numbers in the column age is not 0",
                                 "1 if any is not 0, else 0,")):
            with self.subTest(how):
                self.of("release", "people.csv", "--column", "age", "--bounds", "0", "12", "--step", "1", "--epsilon", "20", "--quantiles",
                        "0.4,median", "--person", "household", "--per-person", how, "--receipt", f"{how}.json")
                text = self.explained(f"{how}.json")
                self.assertIn(f"Quantiles of {what} of people.csv.", text)
                self.assertNotIn("Quantiles of the column", text)
                self.assertIn(f"2 quantiles of age ({name} per person)", text)
                self.assertIn("off by at most, in persons", text)
                page = self.explained(f"{how}.json", "--format", "html")
                self.assertIn(f"Published values of age ({name} per person)", page)
                self.assertNotIn(">age</text>", page)
        self.assertIn("Quantiles of the persons' numbers of records that hold something in the column age.", self.published(MIXED))


class FewRecords(WordsTest):
    def test_only_the_small_cell_is_named(self):
        """Once, a warning about one small cell was worded as if it were about all cells of a level."""
        text = self.published(SMALL.format(intervals="0.95"))
        found = re.search(r"Warning, of income by region: intervals of 1 of 3 cells may end only at the ends of the range\. The smallest of "
                          r"them is islands, with about (\d+) records?; about (\d+) would do\.", text)
        self.assertTrue(found, text)
        self.assertLess(int(found[1]), int(found[2]))

    def test_only_the_small_group_is_named(self):
        self.write_people()
        result = run("release", "people.csv", "--column", "income", "--bounds", "0", "500", "--step", "1", "--epsilon", "1", "--quantiles",
                     "deciles", "--by", "region", "--keys", "n,s,islands", "--intervals", "0.95", cwd=self.folder)
        self.assertRegex(result.err, r"warning: with this budget intervals of 1 of 3 groups may end only at the ends of the range "
                                     r"\(islands\)\n  in islands about \d+ records? (is|are) too few")

    def test_intervals_that_hold_together(self):
        """Once, "In short" said "each" where all intervals of a cell hold at once."""
        self.assertIn("With a probability of at least 90 % in each cell, all intervals beside the values of income hold, at once, the "
                      "quantile of the table's records, rounded to a possible value.",
                      self.published(SMALL.format(intervals='{ level = 0.9, of = "table", together = true }')))


class OtherKeys(WordsTest):
    def left_out(self, cells=None):
        possible = "" if cells is None else f"possible = {[each.split(',') for each in cells]}\n"
        text = self.published(OTHERS + possible)
        return text[text.index("What was left out"):text.index("The number of records left out")]

    def test_where_each_record_has_a_cell(self):
        text = self.left_out()
        self.assertIn("counts in region as other, and in sex as other.", text)
        self.assertNotIn("left out of all levels", text)

    def test_where_no_other_cell_is_listed(self):
        """Once, records counted "as other" though no such cell was listed, and unlisted cells were left out in silence."""
        text = self.left_out(LISTED)
        self.assertNotIn("as other", text)
        self.assertIn("Records with keys in region and sex that no listed cell has were left out of all levels.", text)

    def test_where_some_other_cells_are_listed(self):
        text = self.left_out([*LISTED, "other,f", "n,other"])
        self.assertIn("counts in region as other, and in sex as other, if the cell of its keys is listed.", text)
        self.assertIn("Records with keys in region and sex that no listed cell has were left out of all levels.", text)

    def test_where_one_column_has_others(self):
        text = self.left_out([*LISTED, "other,f", "other,m"])
        self.assertIn("counts in region as other.", text)
        self.assertIn("Records with keys in sex that no listed cell has were left out of all levels.", text)
