"""A publication of many tables has one file, one command and one charge. The tests also check what remains when it is killed anywhere."""

import csv
import errno
import io
import json
import os
import platform
import re
import subprocess
from fractions import Fraction

from cli.kills_test import ENVIRONMENT, STOPPER
from cli.program import EFFORT, HOUSE, PROGRAM, CommandTest, require_engine, run

setUpModule = require_engine

FILE = """[publication]
title = "Earnings"
epsilon = "1/2"
person = "id"
records_per_person = 2
[input]
file = "payroll.csv"
missing = ["NA"]
[keys]
region = ["n", "s"]
sex = {{ f = "women", m = "men" }}
[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 1
quantiles = "quartiles"
by = ["region", "sex"]
totals = "all"
{more}
"""
HOURS = """[[table]]
name = "hours"
column = "hours"
bounds = [0, 100]
step = 1
quantiles = "median"
by = "region"
"""
AGES = """[publication]
epsilon = 1
[input]
file = "people.csv"
null = "error"
[keys]
region = ["north", "south", "east", "west"]
[[table]]
column = "age"
bounds = [0, 125]
step = 1
quantiles = "median"
by = "region"
totals = "all"
"""


def payroll():
    rows = "".join(f"{i},{'ns'[i % 2]},{'fm'[i // 2 % 2]},{100 + i % 300},{i % 60}\n" for i in range(2000))
    return "id,region,sex,pay,hours\n" + rows + "9,n,f,NA,12\n10,n,f,a lot,1\n11,abroad,f,100,1\n"


class Publishing(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("payroll.csv", payroll())
        self.write("earnings.toml", FILE.format(more=""))
        self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "2",
                             "--records-per-person", "2", cwd=self.folder).code, 0)

    def publish(self, *words, name="earnings.toml"):
        return run("publish", name, *words, cwd=self.folder)

    def published(self, *words, name="earnings.toml"):
        result = self.publish(*words, name=name)
        self.assertEqual(result.code, 0, result)
        return result

    def ledger(self, name="budget.db"):
        return json.loads(run("ledger", "export", name, cwd=self.folder).out)

    def spent(self):
        return self.ledger()["datasets"][0]["spent"]


class Tables(Publishing):
    def test_what_is_held_keeps_to_the_budget_of_the_file(self):
        self.assertEqual(self.publish("--ledger", "budget.db", "--output", "a").code, 0)
        self.write("earnings.toml", FILE.format(more="").replace('"1/2"', '"1/10"'))
        self.assert_refused(self.publish("--ledger", "budget.db", "--output", "b"), 4, "what the ledger holds of it was published at epsilon = 1/2")
        self.assertFalse((self.folder / "b").exists())  # once, an empty folder was left
        (self.folder / "b").mkdir()
        self.assert_refused(self.publish("--ledger", "budget.db", "--output", "b"), 4)
        self.assertTrue((self.folder / "b").exists())  # not made by the program
        self.assertEqual([path.name for path in self.folder.glob("b/*")], [])

    def test_cells_may_have_one_key_in_two_columns(self):
        cells = 'by = ["region", "sex"]\ntotals = "all"\npossible = [["n", "n"], ["s", "n"], ["s", "m"]]'
        text = FILE.format(more="").replace('by = ["region", "sex"]\ntotals = "all"', cells).replace("f =", "n =")
        self.write("cells.toml", text)
        published = self.publish("--output", "c", name="cells.toml")
        self.assertEqual(published.code, 0, published)

    def test_the_example_runs(self):
        self.write("people.toml", run("publish", "--example").out)
        self.write("people.csv", (HOUSE / "examples" / "people.csv").read_text())
        result = self.published("--format", "csv", name="people.toml")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        cells = {(row["table"], row["region"], row["sex"]) for row in rows}
        self.assertEqual(len(cells), 8 + 4 + 2 + 1 + 4)
        self.assertIn(("income", "", ""), cells)
        self.assertIn(("income", "", "female"), cells)

    def test_a_folder_with_a_line_end_in_its_name(self):
        result = self.published("--output", "a\nb")
        self.assertEqual(result.out, "wrote a\\nb/earnings.csv, a\\nb/earnings.json and a\\nb/earnings.html\n")

    def test_a_folder_of_tables(self):
        result = self.published("--ledger", "budget.db", "--output", "out")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["earnings.csv", "earnings.html", "earnings.json"])
        self.assertIn("earnings.csv", result.out)
        rows = list(csv.DictReader(io.StringIO(self.content("out/earnings.csv"))))
        self.assertEqual(list(rows[0]), ["table", "region", "sex", "statistic", "quantile", "value", "lower", "upper", "mark"])
        self.assertEqual(len(rows), 3 * (4 + 2 + 2 + 1))
        receipt = json.loads(self.content("out/earnings.json"))
        self.assertEqual([level["by"] for level in receipt["tables"][0]["levels"]],
                         [["region", "sex"], ["region"], ["sex"], []])
        entries = self.ledger()["entries"]
        self.assertEqual([entry["state"] for entry in entries], ["committed"] * 4)
        self.assertEqual(run("ledger", "verify", "budget.db", cwd=self.folder).code, 0)

    def test_values_of_persons_and_their_totals(self):
        rows = "".join(f"{i},{'ns'[i % 2]},{'fm'[i // 2 % 2]},{1 + i % 5},0\n{i},{'sn'[i % 2]},{'fm'[i // 2 % 2]},{7 * i % 90},0\n" for i in range(400))
        self.write("payroll.csv", "id,region,sex,pay,hours\n" + rows)
        self.write("earnings.toml", FILE.format(more="").replace('column = "pay"', 'column = "pay"\nper_person = "sum"\ncount = true').replace('"1/2"', "100000"))
        released = list(csv.DictReader(io.StringIO(self.published("--format", "csv").out)))
        counts = {(row["region"], row["sex"]): row["value"] for row in released if row["statistic"] == "count"}
        self.assertEqual(counts, {**{(region, sex): "200" for region in "ns" for sex in "fm"}, **{(region, ""): "400" for region in "ns"},
                                  **{("", sex): "200" for sex in "fm"}, ("", ""): "400"})
        plan = json.loads(run("plan", "earnings.toml", "--format", "json", cwd=self.folder).out)
        self.assertTrue(all("counts_cost" in level for level in plan["levels"]))

    def test_chosen_records_are_those_of_tables_of_records(self):
        """Every record of a person is in their one value, so none is chosen for a table of such values."""
        sentence = "A person's records that count{} were chosen once for all tables that were drawn together"
        table = FILE.format(more=HOURS)
        for text, names in ((table, ""), (table.replace('column = "hours"', 'column = "hours"\nper_person = "sum"'), " in pay")):
            self.write("earnings.toml", text)
            self.published("--output", f"out{len(names)}")
            said = run("explain", f"out{len(names)}/earnings.json", cwd=self.folder).out
            self.assertIn(sentence.format(names), " ".join(said.split()))

    def test_counts_alone_and_other_keys(self):
        text = FILE.format(more="").replace('quantiles = "quartiles"', "count = true\nmean = true\nother = { region = \"elsewhere\" }")
        self.write("earnings.toml", text.replace('"1/2"', "100000"))
        plan = json.loads(run("plan", "earnings.toml", "--format", "json", cwd=self.folder).out)
        self.assertEqual([level["by"] for level in plan["levels"]], [["region", "sex"]])
        self.assertEqual(run("ledger", "init", "large.db", "--dataset", "people", "--epsilon", "200000",
                             "--records-per-person", "2", cwd=self.folder).code, 0)
        self.published("--ledger", "large.db", "--output", "out")
        rows = list(csv.DictReader(io.StringIO(self.content("out/earnings.csv"))))
        counts = {(row["region"], row["sex"]): row["value"] for row in rows if row["statistic"] == "count"}
        self.assertEqual(counts[("elsewhere", "f")], "1")
        self.assertEqual((counts[("n", "")], counts[("", "")]), ("1000", "2001"))
        self.assertEqual({row["statistic"] for row in rows}, {"count", "mean"})
        receipt = json.loads(self.content("out/earnings.json"))
        self.assertEqual(receipt["tables"][0]["sums"], [["region"], ["sex"], []])
        level = receipt["tables"][0]["levels"][0]["release"]
        self.assertEqual((level["source"]["other"], level["groups"][0]["quantiles"]), ({"region": "elsewhere"}, []))
        for words in (("--format", "text"), ("--format", "markdown"), ("--format", "html")):
            self.assertEqual(run("explain", "out/earnings.json", *words, cwd=self.folder).code, 0)
        words = run("explain", "out/earnings.json", cwd=self.folder).out
        self.assertIn("counts in region as elsewhere", " ".join(words.split()))
        self.write("level.json", json.dumps(level))
        self.assertIn("hash", run("explain", "level.json", cwd=self.folder).err)
        entries = json.loads(run("ledger", "export", "large.db", cwd=self.folder).out)["entries"]
        self.assertEqual([entry["state"] for entry in entries], ["committed"])
        self.assertIn("counts of pay", run("ledger", "show", "large.db", "--format", "table", cwd=self.folder).out)

    def test_again_is_for_nothing_and_fills_what_is_missing(self):
        self.published("--ledger", "budget.db", "--output", "out")
        spent, before = self.spent(), self.content("out/earnings.csv")
        (self.folder / "out" / "earnings.csv").unlink()
        self.published("--ledger", "budget.db", "--output", "out")
        self.assertEqual((self.spent(), self.content("out/earnings.csv")), (spent, before))
        # Once, nothing was said, although the records in the file may have changed since.
        self.write("payroll.csv", payroll().replace(",NA,", ",7,"))
        again = self.published("--ledger", "budget.db", "--output", "out")
        self.assertRegex(again.err, r"\Afractile: these tables were released on \d{4}-\d\d-\d\d, as budget\.db says; here they are again, and "
                                    r"nothing was spent\n  the records were not read; --again reads them, and pays for all tables\n\Z")
        self.published("--ledger", "budget.db", "--output", "elsewhere")
        self.assertEqual((self.spent(), self.content("elsewhere/earnings.csv")), (spent, before))

    def test_again_draws_and_pays_for_all_tables(self):
        self.published("--ledger", "budget.db", "--output", "out")
        first, once = self.content("out/earnings.csv"), self.spent()
        self.published("--ledger", "budget.db", "--output", "anew", "--again")
        self.assertEqual(Fraction(self.spent()["epsilon"]), 2 * Fraction(once["epsilon"]))
        self.assertEqual([entry["state"] for entry in self.ledger()["entries"]], ["committed"] * 8)
        self.assertNotEqual(self.content("anew/earnings.csv"), first)

    def test_what_failed_after_its_charge_can_be_given_back(self):
        """Once, the publication removed its new folder, and then `ledger void` refused, since it could not look there for a receipt."""
        self.write("people.csv", "region,age\nnorth,30\nsouth,\nnorth,44\n")
        self.write("p.toml", AGES)
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "5", "--null", "error", cwd=self.folder).code, 0)
        failed = self.publish("--ledger", "l.db", "--output", "o", name="p.toml")
        self.assert_refused(failed, 3, "epsilon = 1 counts as spent: entries 1 to 2 of l.db stay reserved; fractile ledger void l.db "
                            "--entry N --reason TEXT gives entry N back, for each N from 1 to 2")
        self.assertEqual(os.listdir(self.folder / "o"), [])
        for entry in "12":
            voided = run("ledger", "void", "l.db", "--entry", entry, "--reason", "missing cell", cwd=self.folder)
            self.assertEqual(voided.code, 0, voided)
        self.write("people.csv", "region,age\nnorth,30\nnorth,44\n")
        self.published("--ledger", "l.db", "--output", "o", name="p.toml")

    def test_a_refused_publication_leaves_no_folder(self):
        self.write("dear.toml", FILE.format(more="").replace("1/2", "3"))
        self.assert_refused(self.publish("--ledger", "budget.db", "--output", "o", name="dear.toml"), 4, "exceeds what remains")
        self.assertFalse((self.folder / "o").exists())

    def test_tables_of_an_earlier_budget_can_be_had_again(self):
        """Once, the file was refused after the same tables had been published at a larger budget with --again."""
        self.write("dear.toml", FILE.format(more="").replace("1/2", "1"))
        self.published("--ledger", "budget.db", "--output", "a")
        table = self.content("a/earnings.csv")
        self.published("--ledger", "budget.db", "--again", "--output", "b", name="dear.toml")
        (self.folder / "a" / "earnings.csv").unlink()
        self.assertIn("nothing was spent", self.published("--ledger", "budget.db", "--output", "a").err)
        self.assertEqual(self.content("a/earnings.csv"), table)
        self.assertEqual(self.spent(), {"epsilon": "3/2"})

    def test_nothing_is_overwritten(self):
        (self.folder / "out").mkdir()
        for name in ("earnings.json", "earnings.csv", "earnings.html"):
            with self.subTest(name=name):
                self.write(f"out/{name}", "mine")
                result = self.publish("--ledger", "budget.db", "--output", "out")
                self.assertNotEqual(result.code, 0)
                self.assertEqual(self.content(f"out/{name}"), "mine")
                self.assertEqual(self.ledger()["entries"], [])
                (self.folder / "out" / name).unlink()

    def test_a_further_table_takes_what_is_left(self):
        self.published("--ledger", "budget.db", "--output", "out")
        first = json.loads(self.content("out/earnings.json"))["tables"][0]
        self.write("earnings.toml", FILE.format(more=HOURS))
        result = self.publish("--ledger", "budget.db", "--output", "more")
        self.assert_refused(result, 4, "nothing is left for table 'hours' of the publication's epsilon = 1/2")
        self.write("earnings.toml", FILE.format(more=HOURS).replace('"1/2"', '"3/4"'))
        more = self.published("--ledger", "budget.db", "--output", "more")
        self.assertRegex(more.err, r"\Afractile: 4 of 5 levels were released on \d{4}-\d\d-\d\d, as budget\.db says; they keep their numbers, "
                                   r"and only the others were drawn from the records as they are now\n  --again draws all levels anew")
        receipt = json.loads(self.content("more/earnings.json"))
        self.assertEqual(receipt["tables"][0], first)
        self.assertEqual(receipt["tables"][1]["levels"][0]["release"]["privacy"]["epsilon"], "1/4")

    def test_targets_beside_what_the_ledger_holds(self):
        """Once, a held table missed its target sixfold without a word, and the other one paid what its target did not need."""
        self.assertEqual(run("ledger", "init", "targets.db", "--dataset", "people", "--epsilon", "9", "--records-per-person", "2",
                             cwd=self.folder).code, 0)
        head = FILE.format(more="").split("[[table]]")[0]
        pay = '[[table]]\ncolumn = "pay"\nbounds = [0, 500]\nstep = 1\nquantiles = "median"\nby = "region"\nrows = 1000\n'
        hours, target = pay.replace("pay", "hours"), "target = { rank_error = 40 }\n"

        def file(name, epsilon, *tables):
            self.write(name, head.replace('"1/2"', epsilon) + "".join(tables))
            return name

        def paid(name, *words):
            before = len(self.ledger("targets.db")["entries"])
            result = self.publish("--ledger", "targets.db", "--output", f"of{before}", *words, name=name)
            costs = [Fraction(entry["cost"]["epsilon"]) for entry in self.ledger("targets.db")["entries"][before:]]
            return result, costs

        one = file("one.toml", "0.1", pay)
        two = file("two.toml", '"least"', pay, target, hours, target)
        planned = [Fraction(level["cost"]["epsilon"]) for level in json.loads(self.of("plan", two, "--format", "json"))["levels"]]
        self.assertEqual(paid(one)[1], [Fraction("0.1")])
        refused, costs = paid(two)
        self.assert_refused(refused, 4, "target: table 'pay' was published at epsilon = 0.1, as the ledger says, and the target takes epsilon = ")
        self.assertIn("take that table's target out of the file, and it keeps its numbers; or pay for all tables again with --again\n", refused.err)
        self.assertEqual(costs, [])
        file(one, "4", pay)
        self.assertEqual(paid(one, "--again")[1], [Fraction(4)])
        published, costs = paid(two)
        self.assertEqual((published.code, costs), (0, planned[1:]))
        receipt = json.loads(self.content("of2/two.json"))
        self.assertEqual(Fraction(receipt["privacy"]["epsilon"]), 4 + planned[1])
        self.assertIn("Together they cost exactly the budget", " ".join(self.of("explain", "of2/two.json").split()))
        quartiles = hours.replace("median", "quartiles")
        refused, costs = paid(file("three.toml", "5", pay, quartiles, target))
        self.assert_refused(refused, 4, "but the publication has epsilon = 1 beside what the ledger holds of it (entry 2 of targets.db; earlier: entry 1 at epsilon = 1/10)\n")
        self.assertIn("allow larger errors, or write at least epsilon = ", refused.err)
        self.assertEqual(costs, [])

    def test_a_target_holds_for_all_rows_that_a_record_changes(self):
        """Once, the worst case of such a publication was several times its target, and not that of its plan."""
        text = FILE.format(more="rows = 2000\ntarget = { rank_error = 200 }").replace('"1/2"', '"least"')
        text = text.replace('person = "id"\nrecords_per_person = 2\n', "")
        text = text.replace("[keys]", 'sql = "SELECT * FROM input, range(3)"\nsql_stability = 3\n[keys]')
        self.write("rows.toml", text)
        planned = json.loads(self.of("plan", "rows.toml", "--format", "json"))["levels"]
        receipt = json.loads(self.published("--format", "json", name="rows.toml").out)
        for plan, level in zip(planned, receipt["tables"][0]["levels"]):
            released = max(value["rank_error"] for group in level["release"].get("groups", [level["release"]]) for value in group["quantiles"])
            self.assertLessEqual(released, max(cell["worst_case"] for cell in plan["cells"]))
            self.assertLessEqual(released, 200)

    def test_cells_that_are_no_numbers_end_nothing(self):
        for words in ([], ["--ledger", "budget.db"]):
            self.published(*words)

    def test_hints_name_members_of_the_file(self):
        """Once, they named options that publish does not have."""
        for said, code, hint in (('encoding = "latin"', 3, 'pass encoding = "latin1", '),
                                 ('decimal = ";"', 3, 'pass e.g. decimal = "," and thousands = "."\n'),
                                 ('unreadable = "error"', 3, 'leave such records out with unreadable = "missing"'),
                                 ('null = "error"', 3, 'leave such records out with null = "drop"\n')):
            with self.subTest(said):
                self.write("earnings.toml", FILE.format(more="").replace('missing = ["NA"]', f'missing = ["NA"]\n{said}'))
                result = self.publish()
                self.assert_refused(result, code, hint)
                self.assertNotIn("--", result.err)
                if said.startswith(("encoding", "decimal")):
                    self.assertEqual(run("plan", "earnings.toml", cwd=self.folder).err, result.err)

    def test_hints_say_how_counts_were_made(self):
        """Once, the hint was to ask for what the header of the profile file says, which nothing shows."""
        self.assertEqual(run("count", "payroll.csv", "--column", "pay", "--bounds", "0", "500", "--step", "1", "--person", "id", "--unreadable",
                             "missing", "--output", "pay.profile", cwd=self.folder).code, 0)
        text = FILE.format(more="").replace('file = "payroll.csv"\nmissing = ["NA"]', 'counts = "pay.profile"')
        text = text.replace('by = ["region", "sex"]\ntotals = "all"\n', "").replace("records_per_person = 2\n", "")
        self.write("earnings.toml", text)
        self.published()
        for said, instead, hint in (('person = "id"\n', "", 'person = "id"'), ("step = 1\n", "step = 2\n", "bounds = [0, 500], step = 1"),
                                    ('column = "pay"', 'column = "hours"', 'column = "pay"')):
            with self.subTest(instead):
                self.write("earnings.toml", text.replace(said, instead))
                self.assert_refused(self.publish(), 2, f"its header says {hint}; ask for that, or count again")

    def test_what_its_dataset_pins_holds(self):
        self.write("earnings.toml", FILE.format(more="").replace("records_per_person = 2", "records_per_person = 1"))
        result = self.publish("--ledger", "budget.db")
        self.assert_refused(result, 2, "for persons with at most 1 record, but the budget of dataset 'people' is for persons with 2")
        self.assertEqual(self.ledger()["entries"], [])

    def test_a_typo_costs_nothing(self):
        self.write("earnings.toml", FILE.format(more="").replace('column = "pay"', 'column = "pya"'))
        result = self.publish("--ledger", "budget.db", "--output", "out")
        self.assertEqual(result.code, 3)
        self.assertIn("pay", result.err)
        self.assertEqual(self.ledger()["entries"], [])


class Many(Publishing):
    """The maximum number of cells, most of them empty."""

    def test_a_hundred_thousand_cells(self):
        regions, sectors = [f"r{i}" for i in range(400)], [f"s{i}" for i in range(250)]
        rows = "".join(f"{i},{regions[i * 7919 % 400]},{sectors[i * 104729 % 250]},{i % 500}\n" for i in range(20_000))
        self.write("payroll.csv", "id,region,sector,pay\n" + rows)
        self.write("many.toml", FILE.format(more="").replace('region = ["n", "s"]', f"region = {json.dumps(regions)}")
                   .replace('sex = { f = "women", m = "men" }', f"sector = {json.dumps(sectors)}").replace('"sex"]', '"sector"]')
                   .replace('totals = "all"', 'totals = [[]]').replace("quartiles", "median"))
        out = self.published("--ledger", "budget.db", "--format", "csv", name="many.toml").out
        self.assertEqual(out.count("\n"), 1 + 100_000 + 1)
        self.assertEqual([entry["state"] for entry in self.ledger()["entries"]], ["committed"] * 2)


class PublicFiles(Publishing):
    def setUp(self):
        super().setUp()
        self.write("regions.csv", "code,name\nn,North\ns,South\n")
        self.write("earnings.toml", FILE.format(more="").replace(
            'region = ["n", "s"]', 'region = { file = "regions.csv", key = "code", label = "name" }'))

    def test_without_a_ledger_they_are_plain_files(self):
        self.assertIn("North", self.published("--format", "table").out)

    def test_with_one_they_are_what_its_owner_declared(self):
        self.write("secrets.csv", "code\nhidden\n")
        self.write("other.toml", self.content("earnings.toml").replace(
            '"regions.csv", key = "code", label = "name"', '"secrets.csv", key = "code"'))
        for name in ("earnings.toml", "other.toml"):
            result = self.publish("--ledger", "budget.db", name=name)
            read = "secrets.csv" if name == "other.toml" else "regions.csv"
            self.assert_refused(result, 2, f"/{read}', and --keys-file may be used", "dataset 'people' does not declare it",
                                f"/{read}\n")
            self.assertNotIn("--keys north", result.err)  # a publication has no such option
            self.assertNotIn("hidden", result.err)
        self.write("cells.csv", "region,sex,rows\nn,f,1\nn,m,1\ns,f,1\ns,m,1\n")
        for member in ("rows", "possible"):  # once, the hint for `ledger init` was written as Python writes it
            self.write("cells.toml", FILE.format(more=f'{member} = "cells.csv"'))
            result = self.publish("--ledger", "budget.db", name="cells.toml")
            self.assert_refused(result, 2, "cells.csv', and --keys-file may be used", "for a new dataset: with --keys-file ", "/cells.csv\n")
        made = run("ledger", "init", "declared.db", "--dataset", "people", "--epsilon", "2", "--records-per-person", "2",
                   "--keys-file", "payroll.csv", "--keys-file", "regions.csv", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        self.published("--ledger", "declared.db")
        self.assert_refused(self.publish("--ledger", "declared.db", name="other.toml"), 2, "declares a file of other contents")


class Stopped(Publishing):
    """The publication is stopped at every system call. Nothing unpaid is published, and from the commitment on nothing is paid twice."""

    STRIDE = 12

    def setUp(self):
        super().setUp()
        self.write("payroll.csv", "".join(payroll().splitlines(keepends=True)[:200]))
        self.budget = (self.folder / "budget.db").read_bytes()
        self.command = [PROGRAM, "publish", "earnings.toml", "--threads", "1", "--ledger", "budget.db", "--output", "out"]

    def stopped_at(self, call, *how):
        for path in (self.folder / "out").glob("*") if (self.folder / "out").is_dir() else []:
            path.unlink()
        for path in self.folder.glob("budget.db-*"):
            path.unlink()
        (self.folder / "budget.db").write_bytes(self.budget)
        return subprocess.run([STOPPER, *how, str(call), *self.command], cwd=self.folder, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)

    def check(self, call):
        out = sorted(os.listdir(self.folder / "out")) if (self.folder / "out").is_dir() else []
        files = [name for name in out if not name.startswith(".fractile-room")]
        entries = self.ledger()["entries"]
        states = {entry["state"] for entry in entries}
        self.assertIn(len(entries), (0, 4), f"charged in part at call {call}")
        self.assertLessEqual(len(states), 1, f"stored in part at call {call}")
        if files:
            self.assertEqual(states, {"committed"}, f"{files} are there, and not paid for")
        if states == {"reserved"}:
            self.assert_refused(self.publish("--ledger", "budget.db", "--output", "out"), 2, "that of entries 1 to 4 of the ledger 'budget.db', which are reserved",
                                "--entry N --reason TEXT gives entry N back, for each N from 1 to 4; under another name")
        if states == {"committed"}:
            spent = self.spent()
            self.published("--ledger", "budget.db", "--output", "out")
            self.assertEqual(self.spent(), spent)
            receipt = json.loads(self.content("out/earnings.json"))
            self.assertEqual([level["release"]["charge"]["entry"] for level in receipt["tables"][0]["levels"]], [1, 2, 3, 4])
        return states.pop() if states else "none"

    def test_by_a_kill(self):
        whole = self.stopped_at(0)
        self.assertEqual(whole.returncode, 0, whole)
        calls = int(re.search(rb"calls (\d+)\n\Z", whole.stderr)[1])
        states = set()
        for call in range(1, calls + 1, max(1, int(self.STRIDE / EFFORT))):
            with self.subTest(call=call):
                self.stopped_at(call)
                states.add(self.check(call))
        if EFFORT >= 0.5:  # with fewer calls, a state may be left out
            self.assertLessEqual({"none", "reserved", "drawn"}, states)

    def test_files_that_cannot_be_written(self):
        """The release is committed by then, and the message says so. Once, it said only that a file could not be written."""
        if platform.machine() != "x86_64":
            self.skipTest("calls are made to fail on x86-64 alone")
        calls = int(re.search(rb"calls (\d+)\n\Z", self.stopped_at(0).stderr)[1])
        told = set()
        for call in range(calls - 11, calls + 1):
            with self.subTest(call=call):
                failed = self.stopped_at(call, "--fail", str(errno.EIO))
                self.assertEqual({entry["state"] for entry in self.ledger()["entries"]}, {"committed"})
                if failed.returncode == 0:  # this call may fail without consequences
                    continue
                self.assertIn("entries 1 to 4 of budget.db hold it, and the same command prints it", failed.stderr.decode())
                told |= {file for file in ("table", "page") if f"the {file} 'out/earnings." in failed.stderr.decode()}
        self.assertEqual(told, {"table", "page"})
