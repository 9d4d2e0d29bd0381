"""What explanations, plans and pages say is true of the release that they are about, and is written as people write."""

import json
import math
import os
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
SEEDED = ("--unsafe-seed", "1")  # noisy counts decide what is warned of
LISTED = ["n,f", "n,m", "s,f", "s,m"]


class WordsTest(CommandTest):
    def write_people(self):
        rows = [f"h{i // 3},{'ns'[i % 2]},{'fm'[i // 2 % 2]},{20 + i % 70},{i * 37 % 400}" for i in range(1800)]
        islands = [f"k{i},islands,f,{30 + i},{200 + i}" for i in range(6)]
        self.write("people.csv", "\n".join(["household,region,sex,age,income", *rows, *islands]) + "\n")

    def explained(self, file, *arguments):
        """The explanation without line breaks."""
        return " ".join(run("explain", file, *arguments, cwd=self.folder).out.split())

    def published(self, text, *words):
        """Publishes people by this file, and returns the explanation without line breaks."""
        self.write_people()
        self.write("p.toml", text)
        result = run("publish", "p.toml", "--output", "out", *words, cwd=self.folder)
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
        self.assertIn("income: Records that hold no number in the column were left out.", text)
        self.assertIn("members: Records that hold nothing in the column were left out.", text)
        self.assertIn("the cost covers all the cells in which they count", text)
        self.assertIn("record: a row of the data that has a number in the column that a table is of and was chosen to count; where each "
                      "person counts with one value, a person with that value", text)

    def test_a_publication_of_several_values_of_persons(self):
        """Once, a record was "a person with the greatest of their values", though one of the tables was of their number."""
        text = self.published(MIXED[:MIXED.rindex("[[table]]")])
        self.assertIn("record: a person who counts in a cell, with the one value that the table is of", text)
        plan = " ".join(run("plan", "p.toml", "--format", "table", cwd=self.folder).out.split())
        self.assertIn("where a person counts with one value in a cell, they count in at most 2 of them.", plan)
        self.assertNotIn("A level costs as much as each of its cells", plan)

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
        text = self.published(SMALL.format(intervals="0.95"), *SEEDED)
        found = re.search(r"Warning, of income by region: intervals of 1 of 3 cells may end only at the ends of the range\. The smallest of "
                          r"them is islands, with about (\d+) records? by a noisy count; about (\d+) would do\.", text)
        self.assertTrue(found, text)
        self.assertLess(int(found[1]), int(found[2]))

    def test_cells_that_are_left_out_and_labels(self):
        """Once, a warning said about how many records a hidden cell has, and named cells by keys where tables have labels."""
        text = SMALL.format(intervals="0.95").replace('["n", "s", "islands"]', '{ n = "North", s = "South", islands = "The Islands" }')
        text = text.replace("by =", "count = true\nby =")
        self.assertRegex(self.published(text, *SEEDED), r"intervals of 1 of 3 cells may end only at the ends of the range\. The smallest of them is "
                                               r"The Islands, with about \d+ records? by a noisy count; about \d+ would do\.")
        for path in (self.folder / "out").iterdir():
            path.unlink()
        self.assertNotIn("Warning, of income by region", self.published(text + "[marks]\nhidden = 1000000\n"))

    def test_what_noise_is_found_among(self):
        """Once, a warning of noise left out among how many records values were found to be noise, and counts beside it showed thousands."""
        text = SMALL.format(intervals="0.95").replace("intervals = 0.95", "rows = 20").replace("epsilon = 1", "epsilon = 0.1")
        said = self.published(text)
        self.assertIn("Warning, of income by region: with this budget these values are mostly noise: among 20 rows of a public normal table, "
                      "simulated values miss by some", said)
        self.assertRegex(said, r"rows between quantiles; an epsilon of about [0-9.]+ would do for this level\.")  # not for the publication

    def test_only_the_small_group_is_named(self):
        self.write_people()
        result = run("release", "people.csv", "--column", "income", "--bounds", "0", "500", "--step", "1", "--epsilon", "1", "--quantiles",
                     "deciles", "--by", "region", "--keys", "n,s,islands", "--intervals", "0.95", "--unsafe-seed", "1", cwd=self.folder)
        self.assertRegex(result.err, r"warning: with this budget intervals of 1 of 3 groups may end only at the ends of the range "
                                     r"\(islands\)\n  in islands about \d+ records? (is|are) too few")

    def test_a_table_without_quantiles_has_none(self):
        """Once, the quantiles of a table of counts were said to differ from those of all records."""
        counts = 'person = "household"\n[input]'
        text = self.published(SMALL.format(intervals="0.95").replace("intervals = 0.95\n", "").replace('quantiles = "deciles"', "count = true").replace("[input]", counts))
        self.assertIn("At most 1 record of each person counts, chosen at random. The numbers of all records may differ", text)
        self.assertNotIn("quantiles of all records", text)

    def test_keys_of_several_columns_are_told_apart(self):
        """Once, "(n, f, s, f)" were two groups."""
        self.write_people()
        result = run("release", "people.csv", "--column", "income", "--bounds", "0", "500", "--step", "1", "--epsilon", "1", "--by", "region,sex",
                     "--keys", "region=islands", "--keys", "sex=f,m", "--intervals", "0.95", "--unsafe-seed", "1", cwd=self.folder)
        self.assertRegex(result.err, r"groups may end only at the ends of the range \(islands, ([fm]); islands, (?!\1)[fm]\)\n")

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


class Plans(WordsTest):
    ASK = ("plan", "--bounds", "0", "1000000", "--epsilon", "0.1")

    def plan(self, *arguments):
        return self.of(*self.ASK, *arguments)

    def test_a_bound_that_grows_with_the_records_is_not_printed(self):
        """Without an expected number of records, worst cases used to be shares of 2^32."""
        asked = ("--step", "0.01", "--quantiles", "deciles")
        for row in self.plan(*asked, "--format", "csv").splitlines()[1:]:
            self.assertRegex(row, r"^\d+/\d+,\d{0,5},[0-9.]+,[0-9.]+$")
        document = json.loads(self.plan(*asked, "--format", "json"))
        self.assertIn(None, {each["worst_case"] for each in document["quantiles"]})
        self.assertNotIn("simultaneous", document["worst_case"])
        self.assertIn("say about how many are expected", document["worst_case"]["reason"])
        self.assertRegex(self.plan(*asked, "--format", "table"), r"\n1/10 +- +[0-9.]+ +[0-9.]+\n")
        self.assertNotRegex(self.plan(*asked, "--format", "html"), r"\d{9}|1,288,")
        known = json.loads(self.plan(*asked, "--expected-rows", "50000", "--format", "json"))
        self.assertNotIn(None, {each["worst_case"] for each in known["quantiles"]})

    def test_an_explanation_without_expected_rows(self):
        """The same holds for what is said of a release."""
        self.write("t.csv", "x\n" + "".join(f"{i}\n" for i in range(300)))
        self.of("release", "t.csv", *"--column x --bounds 0 1000000 --step 0.01 --epsilon 0.05 --quantiles deciles --mechanism joint-total "
                "--receipt r.json".split())
        self.assertNotRegex(self.explained("r.json"), r"\b\d{9}\b|,\d{3},\d{3} records")

    def test_a_bound_that_holds_for_any_number_is_printed(self):
        self.assertNotIn(",,", self.plan("--step", "1", "--format", "csv"))

    def test_a_publication_without_rows(self):
        self.write_people()
        self.write("p.toml", SMALL.format(intervals="0.95").replace("intervals = 0.95\n", "").replace("step = 1\n", "step = 0.01\n"))
        for row in self.of("plan", "p.toml", "--format", "csv").splitlines()[1:]:
            self.assertEqual(row.split(",")[5], "", row)
        table = self.of("plan", "p.toml", "--format", "table")
        self.assertIn("- where it grows with the records: state rows in the file", table)
        document = json.loads(self.of("plan", "p.toml", "--format", "json"))
        self.assertEqual({cell["worst_case"] for level in document["levels"] for cell in level["cells"]}, {None})

    def test_no_number_is_in_scientific_notation(self):
        """Once, large errors were 1.235e+05."""
        asked = ("--step", "1", "--quantiles", "quartiles", "--expected-rows", "3000000", "--mean", "--count")
        for form in ("csv", "table", "json", "html"):
            with self.subTest(form):
                text = self.of("plan", "--bounds", "0", "1000000", "--epsilon", "0.00001", *asked, "--format", form)
                text = re.sub(r"<(style|svg)\b.*?</\1>", "", text, flags=re.DOTALL)
                self.assertNotRegex(text, r"\b[0-9.]+e[+-][0-9]")
        self.write_people()
        self.write("p.toml", SMALL.format(intervals="0.95").replace("intervals = 0.95", "mean = true\nrows = 2000000").replace(
            "epsilon = 1", "epsilon = 0.00001"))
        for form in ("csv", "table", "json"):
            self.assertNotRegex(self.of("plan", "p.toml", "--format", form), r"\b[0-9.]+e[+-][0-9]")

    def test_sentences(self):
        """Once, two notes of a page were one sentence, and a part of the budget read as a fraction of it."""
        asked = ("--step", "1", "--expected-rows", "50000", "--intervals", "0.95", "--of", "table", "--count")
        page = " ".join(self.plan(*asked, "--format", "html").split())
        self.assertRegex(page, r"between the ends; from about \d+ records on")
        table = self.plan(*asked, "--mean", "--below", "10,20,30,40,50,60,70", "--format", "table")
        self.assertIn("Of the budget, epsilon = 1/50 pays for the number of records", " ".join(table.split()))
        self.assertLessEqual(max(len(line) for line in table.splitlines()), 110)

    def test_the_confidence_of_a_publication(self):
        """Receipts state worst cases at 95 %, so a plan with another confidence says so."""
        self.write_people()
        text = SMALL.format(intervals="0.95").replace("intervals = 0.95", "rows = 600")
        self.write("p.toml", text)
        self.assertNotIn("will state it", self.of("plan", "p.toml", "--format", "table"))
        self.write("p.toml", text.replace("epsilon = 1\n", "epsilon = 1\nconfidence = 0.9\n"))
        self.assertIn("exceeded with probability at most 0.1 per quantile, whatever the data; the receipt and the page will state it at 0.05",
                      self.of("plan", "p.toml", "--format", "table"))


class Tables(WordsTest):
    MARKED = SMALL.format(intervals="0.95") + "count = true\nname = \"pay\"\n[marks]\nunreliable = 0.2\nhidden = 100\n"

    def test_files_of_a_page_keep_marks(self):
        """Once, the page's tables as CSV lost what is unreliable or hidden."""
        self.published(self.MARKED, *SEEDED)
        self.of("explain", "out/p.json", "--format", "html", "--figures", "figures")
        files = [self.content(f"figures/{name}") for name in sorted(os.listdir(self.folder / "figures")) if name.startswith("table_")]
        self.assertTrue(any("10 % mark" in text.splitlines()[0] for text in files), files)
        self.assertTrue(any("hidden" in text for text in files), files)

    def test_titles_of_figures_keep_percents_together(self):
        self.write_people()
        self.of("release", "people.csv", "--column", "income", "--bounds", "0", "500", "--step", "1", "--epsilon", "1", "--intervals",
                "0.95", "--format", "html", "--figures", "figures")
        svg = self.content("figures/release.svg")
        self.assertIn("95\u00a0%", svg)
        self.assertNotIn("95 %", re.sub(r"<(title|desc)\b.*?</\1>", "", svg, flags=re.DOTALL))

    def test_an_interval_is_written_in_one_way(self):
        self.write_people()
        self.write("p.toml", SMALL.format(intervals="0.95"))
        table = run("publish", "p.toml", "--format", "table", cwd=self.folder).out
        self.assertRegex(table, r"\(\d+ to \d+\)")
        self.assertNotIn("[", table)

    def test_missing_cells_and_weights(self):
        """Once, "(NULL, empty, NaN), without a weight were left out" stood under a table."""
        self.write("w.csv", "x,w\n" + "7,2\n" * 100)
        table = run("release", "w.csv", *"--column x --bounds 0 10 --step 1 --epsilon 1 --weight w --weight-bounds 1 2 --weight-step 1 "
                    "--unreadable missing --format table".split(), cwd=self.folder).out
        self.assertIn("records without a number (NULL, empty, NaN or something else) or without a weight were left out", table)

    def test_what_was_found_out_is_said_with_care(self):
        """Once, an empty table's values "were found to be multiples of 25"."""
        self.write("t.csv", "x\n" + "".join(f"{i % 20 * 25}\n" for i in range(4000)))
        table = self.of("release", "t.csv", *"--column x --bounds 0 500 --step 1 --epsilon 5 --quantiles deciles --expected-rows 4000 "
                        "--format table".split())
        self.assertNotIn("were found to be", table)
        self.assertIn("a part of the budget suggested that ", table)

    def test_a_publications_coarse_step_is_warned_of(self):
        """Once, only the plan of a single release warned. What a person's records are counted to is a small whole number itself."""
        self.write("p.toml", SMALL.format(intervals="0.95").replace("step = 1", "step = 50"))
        self.assertIn("whatever the data; - where it is not known: its intervals say how far off a quantile may be\n",
                      self.of("plan", "p.toml", "--format", "table"))  # once, nothing said what the dash meant
        few = '[[table]]\nname = "few"\ncolumn = "income"\nbounds = [0, 500]\nstep = 1\nquantiles = "median"\nby = "region"\nrows = 5\n'
        self.write("few.toml", SMALL.format(intervals="0.95") + few)  # once, this began twice with "where it is not known"
        self.assertIn("; - where it is not known: its intervals say how far off a quantile may be, or for that many rows, no bound smaller "
                      "than the number of rows is known\n", self.of("plan", "few.toml", "--format", "table"))
        self.assertIn("\nIn income, the step is coarse: 11 values are possible:\n  rounding moves values between them by up to 25,",
                      self.of("plan", "p.toml", "--format", "table"))
        self.write("p.toml", MIXED)
        self.assertNotIn("the step is coarse", self.of("plan", "p.toml", "--format", "table"))

    def test_a_publications_costs_add_up_as_they_are_written(self):
        """Once, the sum of 0.1535 and 0.1465 was 3/10."""
        self.assertIn("Together they cost exactly the budget of the publication, epsilon = 0.3. ",
                      self.published(SMALL.format(intervals="0.95").replace("epsilon = 1", "epsilon = 0.3") + 'totals = "all"\n'))

    def test_names_do_not_act_on_a_terminal(self):
        """Once, a publication's title and the names of its tables were printed as they were."""
        self.write_people()
        text = SMALL.format(intervals="0.95").replace("epsilon = 1", 'title = "T\\u202e\\u001b[31m"\nepsilon = 1')
        text = text.replace('column = "income"', 'column = "income"\nname = "N\\u202e"\nrows = 1')
        self.write("p.toml", text)
        for verb in ("plan", "publish"):
            shown = self.of(verb, "p.toml", "--format", "table")
            self.assertIn("T\\u{202e}\\x1b[31m", shown)
            self.assertIn("N\\u{202e}", shown)
            self.assertNotRegex(shown, "[\u202e\x1b]")

    def test_times_of_two_kinds(self):
        """Once, all times of a publication were "in UTC" where one of its columns was."""
        self.write("t.csv", "at,utc\n" + "2024-06-01T12:00:00,2024-06-01T12:00:00Z\n" * 50)
        table = '[[table]]\ncolumn = "{}"\nbounds = [2024-01-01T00:00:00{}, 2024-12-31T00:00:00{}]\nstep = "1d"\nquantiles = "median"\n'
        local, universal = table.format("at", "", ""), table.format("utc", "Z", "Z")
        for name, tables, said in (("two", local + universal, "Times that end with Z are in UTC."), ("one", universal, "All times are in UTC."),
                                   ("none", local, None)):
            self.write(f"{name}.toml", f'[publication]\nepsilon = 1\n[input]\nfile = "t.csv"\n{tables}')
            self.of("publish", f"{name}.toml", "--output", "out")
            words = self.explained(f"out/{name}.json")
            self.assertEqual([each for each in ("Times that end with Z are in UTC.", "All times are in UTC.") if each in words],
                             [said] if said else [])

    def test_simulated_records_on_candidates(self):
        """Once, "a value is not off at all" was simulated on the candidates, and only the plan said so."""
        self.write_people()
        ask = "--column income --candidates 0,100,200,300,400 --epsilon 1 --quantiles quartiles --receipt r.json"
        self.of("release", "people.csv", *ask.split())
        self.assertRegex(self.explained("r.json"), r"of a public normal table of [0-9,]+ records that all lie on the listed candidates, for")
        text = SMALL.format(intervals="0.95").replace("bounds = [0, 500]\nstep = 1", "candidates = [0, 100, 200]\nrows = 600")
        text = text.replace("intervals = 0.95\n", "")
        self.assertIn("records that all lie on the listed candidates, for", self.published(text))
        self.assertIn("; where candidates are listed, these records lie on them\n",
                      run("plan", "p.toml", "--format", "table", cwd=self.folder).out)

    def test_too_little_weight_is_told_in_its_unit(self):
        """Once, a plan said how many units of weight would do, and called them records."""
        text = SMALL.format(intervals="0.95").replace("[input]", "weight = \"w\"\nweight_bounds = [0, 6]\nweight_step = 0.5\n"
                                                      "expected_weight = 2\n[input]").replace("by =", "rows = 400\nby =")
        self.write("p.toml", text.replace("deciles", "median").replace("epsilon = 1", "epsilon = 0.25"))
        self.assertIn("since these units of weight are too few; about ", run("plan", "p.toml", "--format", "table", cwd=self.folder).out)

    def test_a_registry_names_columns(self):
        """Once, sentences about possible values named no column, and another sentence stood twice."""
        text = SMALL.format(intervals="0.95") + '[[table]]\ncolumn = "age"\nbounds = [0, 125]\nstep = 1\nquantiles = "median"\n'
        self.published(text)
        self.write("about.toml", 'title = "P"\ncurator = "C"\ncurator_type = "Government"\nuse = "U"\nregion = "R"\ndate = "2026-05-01"\n')
        record = self.of("explain", "out/p.json", "--format", "registry", "--about", "about.toml")
        for name, ends in (("income", "0 to 500"), ("age", "0 to 125")):
            self.assertIn(f"The possible values of {name}, {ends} in steps of 1, were chosen without looking at the data.", record)
        self.assertEqual(record.count("No person has more than 1 record"), 1)
        self.assertIn("Tables whose records hold anything or nothing in the column, each counted at the possible value nearest to its own; "
                      "those that hold no number are left out.", record)

    def test_a_registry_says_which_tables_count_persons(self):
        """Once, the parameters held for persons with at most some records that count, also in tables of sums of all their records."""
        table = '[[table]]\nname = "{}"\ncolumn = "income"\nbounds = [0, 500]\nstep = 1\nquantiles = "median"\n'
        self.write_people()
        self.write("p.toml", '[publication]\nepsilon = 1\nperson = "household"\nrecords_per_person = 3\n[input]\nfile = "people.csv"\n'
                   + table.format("pay") + table.format("sums") + 'per_person = "sum"\n')
        self.of("publish", "p.toml", "--output", "out")
        self.write("about.toml", 'title = "P"\ncurator = "C"\ncurator_type = "Government"\nuse = "U"\nregion = "R"\ndate = "2026-05-01"\n')
        record = self.of("explain", "out/p.json", "--format", "registry", "--about", "about.toml")
        self.assertIn("2 tables: 1 quantile of income; 1 quantile of income (sum per person).", record)
        self.assertRegex(record, "In pay: Tables are adjacent .* with one record more.* however many records they have: of each person's records at most "
                                 "3 count, chosen at random. In sums: Tables are adjacent .* with one person's records more.* hold for a "
                                 "person, however many records they have: each person counts with one value, whatever their records.")


class Hints(WordsTest):
    def refused(self, arguments, code, *parts):
        self.assert_refused(run(*arguments, cwd=self.folder), code, *parts)

    def test_files_of_spreadsheets(self):
        ask = ("--column", "pay", "--bounds", "0", "9", "--step", "1", "--epsilon", "1")
        self.write("sep.csv", "sep=;\nid;pay\n1;2\n")
        self.refused(("release", "sep.csv", *ask), 3, "its first line, sep=, is for Excel: remove it")
        self.write("title.csv", "Income 2024\nid,pay\n1,2\n")
        self.refused(("release", "title.csv", *ask), 3, "if it is a title, remove it")
        self.write("title.csv", "Income, 2024\nid,pay,x\n1,2,3\n")
        self.refused(("release", "title.csv", *ask), 3, "remove a title above the header line")
        self.write("foot.csv", "id,pay\n1,2\nSource: Office\n")
        self.refused(("release", "foot.csv", *ask), 3, "line 3", "remove notes below the table")
        self.write("utf.csv", "id,pay\n1,2\n".encode("utf-16"))
        self.refused(("release", "utf.csv", *ask), 3, "pass --encoding utf-16, or convert it: iconv")
        self.of("release", "utf.csv", *ask, "--encoding", "utf-16")
        self.write("cr.csv", "id,pay\r1,2\r2,3\r")
        self.of("release", "cr.csv", *ask)
        for end in ("\r", "\n", ""):
            self.write("end.csv", f"id,pay{end or chr(10)}1,2{end}")
            made = run("ledger", "init", "l.db", "--dataset", f"d{ord(end or 'x')}", "--epsilon", "1", "--source", "./end.csv",
                       cwd=self.folder)
            self.assertEqual("has no line end" in made.err, not end, made)

    def test_publications(self):
        self.write_people()
        self.write("p.toml", SMALL.format(intervals="0.95").replace("intervals = 0.95", "rows = 600\ntarget = { value_error = 0.5 }"))
        self.refused(("plan", "p.toml"), 3, "no budget gives that value error", "ask for a larger value error")
        self.write("p.toml", SMALL.format(intervals="0.95") + 'rows = { file = "rows.csv" }\n')
        self.refused(("plan", "p.toml"), 3, "rows", "the name of a file in quotes: rows = \"rows.csv\"")
        self.write("p.toml", SMALL.format(intervals="0.95"))
        self.refused(("plan", "p.toml", "--about", "a.toml"), 2, "--about does not go with FILE", "fractile publish makes one")
        self.refused(("plan", "p.toml", "--format", "html"), 2, "--format", "fractile publish makes the publication's page")

    def test_unknown_verbs(self):
        """Once, help for a verb that does not exist was that of the program, with exit code 0."""
        for words in (("relaese", "--help"), ("help", "relaese")):
            self.refused(words, 2, "unknown verb 'relaese'", "did you mean fractile release?")
        self.assertEqual(run("help").code, 0)
        self.assertEqual(run("help", "release").out, run("release", "--help").out)

    def test_helps(self):
        self.assertIn("3 unusable file", " ".join(run("plan", "--help").out.split()))
        self.assertIn("3 unusable file", " ".join(run("ledger", "init", "--help").out.split()))
        self.assertIn("[--receipts DIR]", run("ledger", "verify", "--help").out)
        self.assertIn("two keys of one column, while the others are equal", " ".join(run("release", "--help").out.split()))
