"""The texts and the page of a publication: tables in a form that readers know, and true claims."""

import bisect
import csv
import io
import json
import math
import os
import re
from fractions import Fraction

from cli import pages_test
from cli.program import EFFORT, CommandTest, require_engine, run
from cli.web import Page

setUpModule = require_engine

NASTY = "<script>alert('\"&amp;')</script>]]>--"
REGIONS = {"n": "North", "s": "South", "e": "East"}
SEXES = {"f": "women", "m": "men"}
FILE = """[publication]
title = "Earnings"
epsilon = {epsilon}
person = "id"
records_per_person = 2
[input]
file = "payroll.csv"
missing = ["NA"]
[keys]
region = {{ n = "North", s = "South", e = "East" }}
sex = {{ f = "women", m = "men" }}
[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 1
quantiles = "quartiles"
by = ["region", "sex"]
totals = "all"
rows = 200
intervals = {{ level = 0.9, of = "table" }}
[[table]]
name = "hours"
column = "hours"
bounds = [0, 100]
step = 0.01
quantiles = {quantiles}
by = ["region", "sex"]
totals = {totals}
"""
MARKS = """rows = 200
intervals = { level = 0.9, of = "table" }
[marks]
unreliable = 0.2
"""


def people():
    """Each person has one record: a key, another key, pay and hours. Some have unlisted keys or lack a number."""
    listed = [("nse"[i % 3], "fm"[i // 3 % 2], 100 + i * i % 300, Fraction(i * 7919 % 6000, 100)) for i in range(1200)]
    others = [("abroad", "f", 499, 99)] * 90 + [("n", "unknown", 499, 99)] * 90
    return listed, others


def payroll():
    listed, others = people()
    rows = [f"p{i},{region},{sex},{pay},{float(hours)}" for i, (region, sex, pay, hours) in enumerate(listed + others)]
    return "\n".join(["id,region,sex,pay,hours", *rows, "x,n,f,NA,", "y,n,f,much,"]) + "\n"


def records(column, region=None, sex=None):
    """The values in the listed cells, sorted."""
    place = {"pay": 2, "hours": 3}[column]
    return sorted(each[place] for each in people()[0] if region in (None, "", each[0]) and sex in (None, "", each[1]))


def rank_error(values, value, quantile):
    below, up_to = bisect.bisect_left(values, value), bisect.bisect_right(values, value)
    return max(0, below - quantile * len(values), quantile * len(values) - up_to)


def true_quantile(values, quantile):
    """The smallest true quantile."""
    return values[max(0, math.ceil(quantile * len(values)) - 1)]


def tail(runs, fails, allowed):
    """The probability of at least `fails` fails among `runs`, if each run fails with probability `allowed`."""
    return sum(math.comb(runs, k) * allowed**k * (1 - allowed) ** (runs - k) for k in range(fails, runs + 1))


class Publications(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("payroll.csv", payroll())
        self.describe()

    def describe(self, epsilon="8", quantiles='"median"', totals='"all"', more='mechanism = "independent"'):
        self.write("earnings.toml", FILE.format(epsilon=epsilon, quantiles=quantiles, totals=totals) + more)

    def published(self, *words, name="earnings.toml", folder="out"):
        result = run("publish", name, "--output", folder, *words, cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        return self.content(f"{folder}/{name.removesuffix('.toml')}.html")

    def explained(self, *words, code=0):
        result = run("explain", *words, cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result.out

    def rows(self, name="out/earnings.csv"):
        return list(csv.DictReader(io.StringIO(self.content(name))))

    def whole(self, text):
        page = Page(text)
        page.require_policy()
        self.assertNotRegex(text, r"https?://(?!www\.w3\.org)|javascript:|data:text|<link|\son\w+=")
        return page


class Pages(Publications):
    def test_rows_by_columns_with_totals_at_the_ends(self):
        self.describe(more=MARKS)
        page = self.whole(self.published())
        groups, headings, *lines = page.tables[0]
        self.assertEqual(groups, ["region", "women", "men", "all"])
        self.assertEqual(headings, ["25 %", "50 %", "75 %"] * 3)
        self.assertEqual([line[0] for line in lines], ["North", "South", "East", "all"])
        shown = {}
        for line in lines:
            for i, text in enumerate(line[1:]):
                shown[line[0], groups[1 + i // 3], headings[i]] = text
        for row in (row for row in self.rows() if row["table"] == "pay"):
            key = (REGIONS.get(row["region"], "all"), SEXES.get(row["sex"], "all"), f"{float(Fraction(row['quantile'])) * 100:g} %")
            ends = [row[end] if "inf" not in row[end] else "" for end in ("lower", "upper")]
            text = shown.pop(key)
            self.assertRegex(text, f"^{row['value']}{' [*]' if row['mark'] else ''} {ends[0] or '.* or below'} to {ends[1] or '.* or above'}$")
        self.assertEqual(shown, {})
        self.assertEqual(page.headings[:4], ["Earnings", "In short", "Table 1: pay", "Table 2: hours"])
        self.assertTrue({row["mark"] for row in self.rows()} == {"", "unreliable"})
        self.assertIn("* unreliable: the value's interval is open, or wider than 20 % of the value.", page.text())
        text = self.explained("out/earnings.json")
        self.assertEqual(text.count(" * ("), sum(row["mark"] == "unreliable" for row in self.rows()))
        # With a single quantile, the columns are the keys.
        sexes, *lines = page.tables[1]
        self.assertEqual(sexes, ["region", "women", "men", "all"])
        texts = {(line[0], sex): text for line in lines for sex, text in zip(sexes[1:], line[1:])}
        hours = [row for row in self.rows() if row["table"] == "hours"]
        self.assertIn("unreliable", {row["mark"] for row in hours})
        for row in hours:
            text = texts.pop((REGIONS.get(row["region"], "all"), SEXES.get(row["sex"], "all")))
            self.assertEqual(float(text.split()[0]), float(row["value"]))
            self.assertEqual(" * " in text, row["mark"] == "unreliable", text)
        self.assertEqual(texts, {})

    def test_the_printed_table_has_marks_as_the_page_has(self):
        self.describe(more=MARKS)
        printed = run("publish", "earnings.toml", "--format", "table", cwd=self.folder)
        self.assertEqual(printed.code, 0, printed)
        cells = re.findall(r"([\d.]+) \(([\d.]+) to ([\d.]+)\)( \*)?", printed.out)
        self.assertGreater(len(cells), 20, printed.out)
        for value, lower, upper, mark in cells:
            self.assertEqual(bool(mark), Fraction(upper) - Fraction(lower) > Fraction(1, 5) * Fraction(value), (value, lower, upper))

    def test_many_quantiles_have_a_table_each(self):
        self.describe(quantiles='"deciles"')
        page = self.whole(self.published())
        captions = [f"hours by region and sex: the quantile of {i * 10} %" for i in range(1, 10)]
        for i, caption in enumerate(captions):
            self.assertIn(caption, page.text())
            values = {tuple(row[key] for key in ("region", "sex")): row["value"] for row in self.rows()
                      if row["table"] == "hours" and Fraction(row["quantile"]) == Fraction(i + 1, 10)}
            table = page.tables[1 + i]
            for line, region in zip(table[1:], [*REGIONS, ""]):
                self.assertEqual([float(each) for each in line[1:]], [float(values[region, sex]) for sex in [*SEXES, ""]])

    def test_levels_that_are_not_there_are_empty(self):
        self.describe(totals='[["region"]]')
        page = self.whole(self.published())
        table = page.tables[1]
        self.assertEqual(table[0], ["region", "women", "men", "all"])
        self.assertEqual([line[0] for line in table[1:]], ["North", "South", "East"])

    def test_cells_that_cannot_be_are_dashes(self):
        self.describe(totals='"all"\npossible = [["n", "f"], ["n", "m"], ["s", "f"]]')
        page = self.whole(self.published())
        table = page.tables[1]
        self.assertEqual([line[0] for line in table[1:]], ["North", "South", "all"])
        self.assertEqual(table[2][2], "–")
        self.assertIn("– stands where no cell was listed.", page.text())

    def test_one_key_column_and_none(self):
        for by, names in (('["sex"]', ["women", "men", "all"]), ("[]", ["everyone"])):
            text = re.sub(r"by = \[.*\]", f"by = {by}", self.content("earnings.toml"))
            self.write("plain.toml", text if len(names) > 1 else text.replace('totals = "all"', ""))
            page = self.whole(self.published(name="plain.toml", folder="plain" + str(len(by))))
            self.assertEqual([line[0] for line in page.tables[0][1:]], names)

    def test_says_what_the_text_says(self):
        page = self.whole(self.published()).text()
        sentences = [" ".join(part.split()) for part in self.explained("out/earnings.json").split("\n\n")]
        sentences = [re.sub(r"^.*?-{4,} |\* ", "", part) for part in sentences if part.endswith(".")]
        self.assertGreater(len(sentences), 20)
        for sentence in sentences:
            self.assertIn(sentence, page)

    def test_is_a_receipt(self):
        page = self.published()
        for form in ("text", "markdown", "json", "html"):
            self.assertEqual(self.explained("out/earnings.html", "--format", form), self.explained("out/earnings.json", "--format", form))
        self.assertEqual(self.explained("out/earnings.json", "--format", "html"), page)
        self.assertEqual(self.explained("out/earnings.json", "--format", "json"), self.content("out/earnings.json"))

    def test_the_same_again_and_nothing_overwritten(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "9", "--records-per-person", "2")
        page = self.published("--ledger", "l.db")
        (self.folder / "out/earnings.html").unlink()
        self.assertEqual(self.published("--ledger", "l.db"), page)
        self.assertEqual(self.published("--ledger", "l.db", folder="again"), page)
        (self.folder / "mine").mkdir()
        self.write("mine/earnings.html", "mine")
        self.describe(epsilon="9")
        spent = self.of("ledger", "export", "l.db")
        result = run("publish", "earnings.toml", "--ledger", "l.db", "--output", "mine", cwd=self.folder)
        self.assertNotEqual(result.code, 0)
        self.assertEqual(self.content("mine/earnings.html"), "mine")
        self.assertEqual(self.of("ledger", "export", "l.db"), spent)

    def test_for_everybody(self):
        self.of("ledger", "init", "l.db", "--dataset", "secretdataset", "--epsilon", "9", "--records-per-person", "2")
        self.write("earnings.toml", self.content("earnings.toml").replace('person = "id"', 'person = "secretperson"')
                   .replace("payroll.csv", "secretfile.csv"))
        self.write("secretfile.csv", payroll().replace("id,", "secretperson,", 1))
        page = self.published("--ledger", "l.db", "--public")
        self.assertNotIn("secret", page)
        self.assertNotIn("Receipt", self.whole(page).headings)
        self.assertIn("SHA-256", page)
        self.assertIn("secret", self.explained("out/earnings.json", "--format", "html"))

    def test_about(self):
        self.write("about.toml", f"title = '''{NASTY}'''\ncurator = 'Office'\n")
        page = self.published("--about", "about.toml")
        self.assertIn("Published by: Office", self.whole(page).text())
        self.assertNotIn("<script", page)
        result = run("publish", "earnings.toml", "--about", "about.toml", cwd=self.folder)
        self.assert_refused(result, 2, "--about goes with --output")

    def test_names_mean_nothing(self):
        hostile = NASTY.replace('"', "").replace("'", "")
        self.write("earnings.toml", self.content("earnings.toml").replace("North", hostile).replace('title = "Earnings"', f'title = "{hostile}"'))
        page = self.published()
        self.assertIn(hostile, self.whole(page).text())
        self.assertNotIn("<script", page)

    def test_two_thousand_cells(self):
        regions, sectors = [f"r{i:03}" for i in range(200)], [f"s{i}" for i in range(10)]
        self.write("big.csv", "region,sector,pay\n" + "".join(
            f"{regions[i % 200]},{sectors[i // 200 % 10]},{100 + i % 300}\n" for i in range(40_000)))
        self.write("big.toml", f"""[publication]
title = "Pay"
epsilon = 50
[input]
file = "big.csv"
[keys]
region = {json.dumps(regions)}
sector = {json.dumps(sectors)}
[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 0.01
quantiles = "deciles"
by = ["region", "sector"]
totals = "all"
rows = 20
intervals = {{ level = 0.95, of = "table" }}
""")
        text = self.published(name="big.toml")
        self.assertLess(len(text.encode()), 4_000_000)
        page = self.whole(text)
        self.assertEqual([len(table) for table in page.tables[:9]], [202] * 9)
        before = os.times()
        self.explained("out/big.json", "--format", "html")
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        self.assertLess(spent, 60 if os.environ.get("FRACTILE_SANITIZE") else 4)


class Figures(Publications):
    def test_they_are_written_beside_the_numbers_of_their_tables(self):
        self.published()
        self.explained("out/earnings.json", "--format", "html", "--figures", "figures")
        written = sorted(os.listdir(self.folder / "figures"))
        self.assertGreaterEqual(sum(name.endswith(".svg") for name in written), 4, written)
        published = {(row["region"], row["sex"], row["quantile"]): row["value"] for row in self.rows() if row["table"] == "pay"}
        key_of = {label: key for labels in (REGIONS, SEXES) for key, label in labels.items()} | {"all": ""}
        crossed = list(csv.DictReader(io.StringIO(self.content("figures/table_1.csv"))))
        self.assertEqual([row["region"] for row in crossed], [*REGIONS.values(), "all"])
        for row in crossed:
            for sex in (*SEXES.values(), "all"):
                self.assertEqual(row[f"{sex}, 50 %"], published[key_of[row["region"]], key_of[sex], "1/2"])


class Registry(Publications):
    keep = pages_test.Registry.keep

    def test_a_record_of_all_tables(self):
        self.published()
        self.write("about.toml", pages_test.ABOUT)
        record = pages_test.yaml_of(self.explained("out/earnings.json", "--format", "registry", "--about", "about.toml"))
        self.keep(record)
        deployment = record["deployment"]
        self.assertEqual(deployment["basic"]["description"],
                         "2 tables: 3 quantiles of pay by region and sex with totals; 1 quantile of hours by region and sex with totals.")
        self.assertEqual(deployment["privacy_loss"]["privacy_parameters"], {"epsilon": 8})
        self.assertIn("a person, however many records they have: of each person's records at most 2 count", deployment["privacy_loss"]["privacy_unit_details"])
        self.assertIn("of pay 0 to 500 in steps of 1; of hours 0 to 100 in steps of 0.01", deployment["dp_variant"]["unprotected_quantities"])
        self.assertIn("The costs of tables and of levels of totals add up", deployment["implementation"]["composition"])
        self.assertEqual(deployment["implementation"]["additional_information"],
                         "SHA-256 of the receipt: " + json.loads(self.content("out/earnings.json"))["sha256"])

    def test_tables_from_a_seed_have_none(self):
        self.published("--unsafe-seed", "1")
        self.write("about.toml", pages_test.ABOUT)
        refused = run("explain", "out/earnings.json", "--format", "registry", "--about", "about.toml", cwd=self.folder)
        self.assert_refused(refused, 2, "NOT PRIVATE")


class Refusals(Publications):
    def test_what_is_for_releases(self):
        self.published()
        for words, message in ((["--compare", "1/4,1/2"], "--compare is for the receipt of a release"),
                               (["--guess", "above:3"], "--guess is for the receipt of a release"),
                               (["--format", "registry"], "--about is missing"),
                               (["--format", "registry", "--ledger", "l.db"], "--ledger does not go with --format registry")):
            self.assert_refused(run("explain", "out/earnings.json", *words, cwd=self.folder), 2, message)

    def test_a_changed_receipt(self):
        self.published()
        self.write("changed.json", self.content("out/earnings.json").replace("North", "Narth"))
        self.assert_refused(run("explain", "changed.json", cwd=self.folder), 3, "not as it was written")


class Ledgers(Publications):
    def test_what_was_taken_and_what_is_left(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "20", "--records-per-person", "2")
        self.published("--ledger", "l.db")
        text = " ".join(self.explained("out/earnings.json", "--ledger", "l.db").split())
        self.assertIn("Of epsilon = 20 for these people, epsilon = 12 is left.", text)
        self.assertIn("A ledger paid for the publication, from the dataset people.", text)
        self.assertRegex(text, r"pay by region and sex 6 epsilon = \S+ 1 ")
        self.of("ledger", "init", "other.db", "--dataset", "people", "--epsilon", "2")
        self.assert_refused(run("explain", "out/earnings.json", "--ledger", "other.db", cwd=self.folder), 2, "holds this receipt")


class Claims(Publications):
    """Each sentence with a number is true of the records that the test knows. A sentence with a probability is true at least that often."""

    RUNS = max(12, int(24 * EFFORT))

    def setUp(self):
        super().setUp()
        self.missed = {}

    def count(self, what, missed):
        runs, fails = self.missed.get(what, (0, 0))
        self.missed[what] = runs + 1, fails + bool(missed)

    def cells(self, table):
        return [(row, records(table, row["region"], row["sex"])) for row in self.rows() if row["table"] == table]

    def level_of(self, row):
        names = [name for name in ("region", "sex") if row[name]]
        return "by " + " and ".join(names) if names else "everyone"

    def check_intervals(self, words):
        self.assertEqual(words[1:], ("90 %", "pay"))
        for i, (row, values) in enumerate(self.cells("pay")):
            true = true_quantile(values, Fraction(row["quantile"]))
            self.count(("interval", i), not float(row["lower"]) <= true <= float(row["upper"]))

    def check_errors(self, words):
        self.assertEqual(words[1:3], ("95 %", "hours"))
        finest = [each for each in self.cells("hours") if self.level_of(each[0]) == "by region and sex"]
        self.assertEqual(len(finest), 6)
        for i, (row, values) in enumerate(finest):
            error = rank_error(values, Fraction(row["value"]), Fraction(row["quantile"]))
            self.count(("error", i), error > int(words[3]))

    def check_error_table(self, words):
        bounds = {level: int(bound) for level, bound in re.findall(r"(by region and sex|by region|by sex|everyone) (\d+) records", self.said)}
        self.assertEqual(len(bounds), 4)
        for i, (row, values) in enumerate(self.cells("hours")):
            error = rank_error(values, Fraction(row["value"]), Fraction(row["quantile"]))
            self.count(("table of errors", i), error > bounds[self.level_of(row)])

    def check_costs(self, words):
        costs = re.findall(r"(?:pay|hours) (?:by region and sex|by region|by sex|everyone) \d+ epsilon = (\S+)", self.said)
        self.assertEqual(len(costs), 8)
        self.assertEqual(sum(Fraction(each) for each in costs), Fraction(words[1]))

    def check_probabilities(self, words):
        for p, most in re.findall(r"(\S+) in 100 (\S+) in 100", self.said.partition("as it is, at most")[2].partition("The two columns")[0]):
            p, most = Fraction(p) / 100, Fraction(most) / 100
            self.assertGreaterEqual(float(most), min(math.exp(8) * p, 1 - math.exp(-8) * (1 - p)) - 1e-12)

    def check_odds(self, words):
        self.assertGreaterEqual(float(words[1]), math.exp(8))
        self.assertGreaterEqual(float(words[2]), math.exp(16))

    def true(self, words):
        return

    CLAIMS = (
        (r"With a probability of at least (90 %) each, the intervals beside the values of (pay) hold the quantile of the records that count, "
         "rounded to a possible value", check_intervals),
        (r"With a probability of at least (95 %) each, the values of (hours) by region and sex miss the quantiles of the records that count, each "
         r"counted at the possible value nearest to its own, by at most (\d+) records, however many records count in a cell[.] Totals may be off by more",
         check_errors),
        (r"hours: a value is a quantile when .*each value taken by itself is off by no more than this table says, whatever the data, however many records count in a cell", check_error_table),
        (r"Together they cost exactly the budget of the publication, epsilon = (\S+)", check_costs),
        (r"As it is, the probability is at most that of the second column", check_probabilities),
        (r"the odds that the person's records are in the table by a factor of at most (\S+) \(e\^8\), and the odds of what these records say by a "
         r"factor of at most (\S+) \(e\^16\)", check_odds),
        (r"The publication costs epsilon = 8 \(pure differential privacy\)", true),
        (r"at most 2 records of theirs, chosen at random, counted in each table, in all of its cells together", true),
    )

    def plainly_explained(self, receipt):
        """Without line breaks and separators of thousands."""
        return re.sub(r"(?<=\d),(?=\d{3}(?:\D|$))", "", re.sub(r"(?<=\d),(?=\d{3},)", "", " ".join(self.explained(receipt).split())))

    def test_are_true(self):
        """With a seed, a warning replaces "In short". That text depends on no draw, so it is taken from a page without a seed."""
        self.published(folder="private")
        in_short = self.plainly_explained("private/earnings.json")
        made = set()
        for seed in range(self.RUNS):
            for path in (self.folder / "out").glob("*"):
                path.unlink()
            self.published("--unsafe-seed", str(seed))
            self.said = self.plainly_explained("out/earnings.json")
            for i, (pattern, check) in enumerate(self.CLAIMS):
                found = re.search(pattern, self.said) or re.search(pattern, in_short)
                if found:
                    made.add(i)
                    check(self, (found[0], *found.groups()))
        self.assertEqual(made, set(range(len(self.CLAIMS))))
        for what, (runs, fails) in self.missed.items():
            allowed = 0.1 if what[0] == "interval" else 0.05
            self.assertGreater(tail(runs, fails, allowed), 1e-6, (what, runs, fails))

    def test_marks_are_decided_by_what_is_published(self):
        self.describe(more=MARKS)
        self.published()
        said = " ".join(self.explained("out/earnings.json").split())
        share = re.search(r"A number is marked with [*] when its interval is wider than (\d+) % of the number", said)[1]
        for row in self.rows():
            width = Fraction(row["upper"]) - Fraction(row["lower"]) if "inf" not in row["lower"] + row["upper"] else math.inf
            self.assertEqual(row["mark"] == "unreliable", width > Fraction(share) / 100 * Fraction(row["value"]))

    def test_a_summary_of_counts_is_true(self):
        """Once, it left out that values count at possible values. Then it was wrong of 2.6, which counts as 3, and of 400, which counts as 100."""
        values = [Fraction(each) for each in ("2.6", "2.7", "12", "400") for _ in range(100)]
        self.write("odd.csv", "x\n" + "".join(f"{float(each)}\n" for each in values))
        self.write("odd.toml", '[publication]\nepsilon = 40\n[input]\nfile = "odd.csv"\n[[table]]\ncolumn = "x"\nbounds = [0, 100]\nstep = 1\n'
                               "count = true\nmean = true\nbelow = [3]\n")
        for i in range(6):
            self.assertEqual(run("publish", "odd.toml", "--output", f"odd{i}", cwd=self.folder).code, 0)
            found = re.search(r"With a probability of at least 95 % each, the intervals beside the numbers of x hold the true values for the table's "
                              r"records(, each counted at the possible value nearest to its own)?[.]", self.plainly_explained(f"odd{i}/odd.json"))
            counted = [min(Fraction(round(each)), Fraction(100)) if found[1] else each for each in values]
            below = sum(each < 3 for each in counted)
            true = {"count": 400, "count below 3": below, "share below 3": Fraction(below, 400), "mean": sum(counted) / 400}
            for row in csv.DictReader(io.StringIO(self.content(f"odd{i}/odd.csv"))):
                self.count(row["statistic"], not Fraction(row["lower"]) <= true.pop(row["statistic"]) <= Fraction(row["upper"]))
            self.assertEqual(true, {})
        for what, (runs, fails) in self.missed.items():
            self.assertGreater(tail(runs, fails, 0.05), 1e-6, (what, runs, fails))

    def test_totals_are_of_listed_records(self):
        """With this budget, every value is the true one. The many people abroad do not count in any total."""
        self.describe(epsilon="1000000")
        self.write("earnings.toml", re.sub("rows = 200\nintervals = .*", 'mechanism = "independent"', self.content("earnings.toml")))
        self.published()
        for table in ("pay", "hours"):
            for row, values in self.cells(table):
                self.assertEqual(rank_error(values, Fraction(row["value"]), Fraction(row["quantile"])), 0, row)


class Statistics(Publications):
    def test_counts_and_means_stand_beside_quantiles_and_add_up(self):
        self.describe(more='mechanism = "independent"\ncount = true\nmean = true\nbelow = [20]\n')
        page = self.whole(self.published("--unsafe-seed", "1"))
        rows = [row for row in self.rows() if row["table"] == "hours"]
        captions = {"count": "records", "count below 20": "records below 20", "share below 20": "share below 20", "mean": "mean"}
        for place, (statistic, heading) in enumerate(captions.items()):
            self.assertIn(f"hours by region and sex: {heading}, with intervals", page.text())
            table = page.tables[2 + place]
            shown = {(row["region"], row["sex"]): f"{row['value']} {row['lower']} to {row['upper']}" for row in rows
                     if row["statistic"] == statistic}
            for line, region in zip(table[1:], [*REGIONS, ""]):
                self.assertEqual(line[1:], [shown[region, sex] for sex in [*SEXES, ""]])
            if statistic.startswith("count"):
                numbers = [[int(cell.split()[0]) for cell in line[1:]] for line in table[1:]]
                for line in [*numbers, *zip(*numbers)]:
                    self.assertEqual(sum(line[:-1]), line[-1])
        self.assertIn("Also published: the number of records", page.text())

    def test_counts_alone_are_not_said_to_be_drawn_among_possible_values(self):
        text = FILE.format(epsilon=8, quantiles='"median"', totals='"all"')
        for quantiles in ('quantiles = "quartiles"\n', 'quantiles = "median"\n', 'intervals = { level = 0.9, of = "table" }\n'):
            text = text.replace(quantiles, "" if "intervals" in quantiles else "count = true\nbelow = [30]\n")
        self.write("counts.toml", text)
        self.published(name="counts.toml")
        said = " ".join(self.explained("out/counts.json").split())
        checks = said[said.index("No minimum count was applied"):said.index("What the words mean")]
        self.assertIn("random noise was added to the counts, and to the sums, from which they follow", checks)
        self.assertNotIn("among the possible values", checks)

    def test_hidden_cells_show_nothing(self):
        text = self.content("earnings.toml").replace('e = "East"', 'e = "East", w = "West"')
        text = re.sub(r"\[\[table\]\]\nname = \"pay\".*?(?=\[\[table\]\])", "", text, flags=re.S)
        self.write("earnings.toml", text + "\ncount = true\n[marks]\nhidden = 100\n")
        page = self.whole(self.published("--public"))
        self.assertEqual([line for line in page.tables[0] if line[0] == "West"], [["West", *["hidden"] * 6]])
        self.assertIn("hidden: the released count is below 100;", page.text())
        self.assertNotIn("No minimum count was applied", page.text())
        figures = [text for text in page.words if text.startswith("West")]
        self.assertEqual(set(figures), {"West"})  # the name appears only in tables
