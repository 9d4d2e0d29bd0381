"""A publication's file, and what fractile plan says about it without reading any record."""

import csv
import io
import json
import re
from fractions import Fraction

from cli.program import HOUSE, CommandTest, require_engine, run

FILE = """[publication]
epsilon = 1
[input]
file = "payroll.csv"
[keys]
{keys}
[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 0.5
quantiles = "quartiles"
{table}
"""
KEYS = 'region = ["n", "s"]\nsex = ["f", "m"]'
TABLE = 'by = ["region", "sex"]\ntotals = "all"'


class Publication(CommandTest):
    def file(self, keys=KEYS, table=TABLE):
        return self.write("earnings.toml", FILE.format(keys=keys, table=table))

    def plan(self, name, *options):
        return run("plan", name, *options, cwd=self.folder)

    def levels(self, name):
        result = self.plan(name, "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""))
        return json.loads(result.out)["levels"]

    def refuse(self, line, member, *parts, keys=KEYS, table=TABLE):
        result = self.plan(self.file(keys, table))
        self.assert_refused(result, 3, f"earnings.toml:{line}: {member}", *parts)


class Example(Publication):
    def test_it_can_be_planned(self):
        example = run("publish", "--example")
        self.assertEqual((example.code, example.err), (0, ""))
        self.write("people.toml", example.out)  # no records are in this folder, and none are read
        levels = self.levels("people.toml")
        self.assertEqual([(level["table"], level["by"]) for level in levels],
                         [("income", ["region", "sex"]), ("income", ["region"]), ("income", ["sex"]), ("income", []),
                          ("age", ["region"])])
        self.assertEqual({cell["worth"] for level in levels for cell in level["cells"]}, {"useful"})

    def test_a_coarse_step_is_said_in_every_format(self):
        example = run("publish", "--example").out
        self.write("people.toml", re.sub(r"(?m)^step = .*", "step = 25000", example, count=1))
        table, lines, document = (self.plan("people.toml", "--format", format) for format in ("table", "csv", "json"))
        coarse = json.loads(document.out)["coarse_steps"]
        self.assertEqual([each["table"] for each in coarse], ["income"])
        words = f"the step is coarse: {coarse[0]['possible_values']} values are possible"
        self.assertIn(f"\nIn income, {words}:\n", table.out)
        self.assertEqual((table.err, document.err), ("", ""))
        self.assertTrue(lines.err.startswith(f"fractile: warning: in income, {words}\n"), lines.err)
        self.write("people.toml", example)
        self.assertNotIn("coarse_steps", json.loads(self.plan("people.toml", "--format", "json").out))

    def test_a_budget_that_promises_next_to_nothing_is_said_in_every_format(self):
        example = run("publish", "--example").out
        for epsilon, is_weak in (("30", True), ("20", False)):
            self.write("people.toml", re.sub(r"(?m)^epsilon = .*", f"epsilon = {epsilon}", example, count=1))
            table, lines, document = (self.plan("people.toml", "--format", format) for format in ("table", "csv", "json"))
            self.assertEqual(json.loads(document.out).get("weak_budget"), {"epsilon": 20} if is_weak else None)
            for shown in (table.out, lines.err):
                self.assertEqual("warning: an epsilon above 20 promises next to nothing" in shown, is_weak, shown)

    def test_it_is_of_the_examples(self):
        people = (HOUSE / "examples" / "people.csv").read_text().splitlines()
        rows = list(csv.DictReader(people))
        self.assertEqual({row["region"] for row in rows}, {"north", "south", "east", "west"})
        self.assertEqual({row["sex"] for row in rows}, {"female", "male"})

    def test_nothing_else_is_done_yet(self):
        self.assert_refused(run("publish"), 2, "--example")


class Plan(Publication):
    def test_parts_are_the_budget(self):
        levels = self.levels(self.file())
        self.assertEqual(sum(Fraction(level["share"]) for level in levels), 1)
        self.assertEqual(sum(Fraction(level["cost"]["epsilon"]) for level in levels), 1)

    def test_no_record_is_read(self):
        self.assertFalse((self.folder / "payroll.csv").exists())
        self.assertEqual(self.plan(self.file()).code, 0)

    def test_counts_take_a_part_of_the_finest_level(self):
        levels = self.levels(self.file(table=TABLE + "\ncount = true"))
        self.assertEqual([("counts_cost" in level) for level in levels], [True, False, False, False])
        finest = levels[0]
        self.assertEqual(Fraction(finest["counts_cost"]["epsilon"]) + Fraction(finest["quantiles_cost"]["epsilon"]),
                         Fraction(finest["cost"]["epsilon"]))

    def test_totals_have_the_noise_of_all_their_cells(self):
        levels = self.levels(self.file(table=TABLE + "\nrows = 1000\ncount = true\nmean = true"))
        errors = [level["cells"][0]["count_error"] for level in levels]
        self.assertEqual(errors, sorted(errors))
        self.assertGreater(errors[-1], errors[0])
        self.assertLess(errors[-1], 4 * errors[0])  # noise partly cancels
        means = [level["cells"][0]["mean_error"] for level in levels]
        self.assertEqual(means, sorted(means, reverse=True))

    def test_cells_are_judged_by_public_rows(self):
        self.write("cells.csv", "region,sex,rows\nn,f,2\nn,m,40\ns,f,5000\ns,m,5000\nx,m,7\n")
        levels = self.levels(self.file(table=TABLE + '\nrows = "cells.csv"'))
        worth = {tuple(cell["keys"]): cell["worth"] for cell in levels[0]["cells"]}
        self.assertEqual(worth[("n", "f")], "lost")
        self.assertEqual(worth[("s", "f")], "useful")
        rows = {tuple(cell["keys"]): cell["rows"] for level in levels[1:] for cell in level["cells"]}
        self.assertEqual(rows, {("n",): 42, ("s",): 10000, ("f",): 5002, ("m",): 5040, (): 10042})
        text = self.plan("earnings.toml", "--format", "table").out
        self.assertIn("pay by region x sex: n f", text)

    def test_keys_and_labels_of_a_file(self):
        self.write("regions.csv", "code,name\nn,North\ns,South\nw,West\n")
        levels = self.levels(self.file(keys='region = { file = "regions.csv", key = "code", label = "name" }',
                                       table='by = "region"'))
        self.assertEqual([cell["keys"] for cell in levels[0]["cells"]], [["n"], ["s"], ["w"]])

    def test_possible_cells_of_a_file(self):
        self.write("possible.csv", "sex,region\nf,n\nm,s\n")
        levels = self.levels(self.file(table=TABLE + '\npossible = "possible.csv"'))
        self.assertEqual([len(level["cells"]) for level in levels], [2, 2, 2, 1])
        self.assertEqual([cell["keys"] for cell in levels[0]["cells"]], [["n", "f"], ["s", "m"]])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.plan(self.file()).out)))
        self.assertEqual(len(rows), 9)
        self.assertEqual({row["level"] for row in rows}, {"region x sex", "region", "sex", "everyone"})

    def test_targets(self):
        target = TABLE + "\nrows = 2000\ntarget = { share_error = 0.02 }"
        levels = self.levels(self.write("least.toml", FILE.format(keys=KEYS, table=target)
                                        .replace("epsilon = 1", 'epsilon = "least"')))
        for level in levels:
            for cell in level["cells"]:
                self.assertLessEqual(cell["worst_case"], Fraction(2, 100) * cell["rows"])
        least = float(sum(Fraction(level["cost"]["epsilon"]) for level in levels))
        self.assertGreater(least, 0.1)
        self.refuse(1, "publication", "the targets cost", table=target.replace("0.02", "0.003"))

    def test_all_rows_that_a_record_changes(self):
        """Once, a plan took each record for one row of the query's result, whatever stability the file declared."""
        text = FILE.format(keys=KEYS, table=TABLE + "\nrows = 2000\ncount = true\ntarget = { rank_error = 200 }")
        text = text.replace("epsilon = 1", 'epsilon = "least"')
        query = 'sql = "SELECT * FROM input, range(5)"\nsql_stability = 5\n[keys]'
        of_rows = self.levels(self.write("rows.toml", text.replace("[keys]", query)))
        self.assertEqual(of_rows, self.levels(self.write("records.toml", text.replace("[input]", "records_per_person = 5\n[input]"))))
        self.assertNotEqual(of_rows, self.levels(self.write("one.toml", text)))
        self.assertIn("1 record a person, each of which changes at most 5 rows of the query's result.",
                      self.plan("rows.toml", "--format", "table").out)

    def test_ten_thousand_cells(self):
        keys = "cell = [" + ", ".join(f'"{i}"' for i in range(500)) + "]"
        tables = "".join(f'[[table]]\nname = "t{t}"\ncolumn = "c{t}"\nbounds = [0, {1000 + t}]\nstep = 1\n'
                         f'quantiles = "deciles"\nby = "cell"\ntotals = "all"\nrows = {500 + 100 * t}\n' for t in range(20))
        name = self.write("large.toml", f"[publication]\nepsilon = 20\n[keys]\n{keys}\n{tables}")
        result = self.plan(name, "--format", "json")
        self.assertEqual(result.code, 0)
        self.assertEqual(sum(len(level["cells"]) for level in json.loads(result.out)["levels"]), 20 * 501)


class Refusals(Publication):
    def test_options_beside_the_file(self):
        self.assert_refused(self.plan(self.file(), "--epsilon", "2"), 2, "--epsilon", "does not go with FILE")
        self.assert_refused(self.plan("nowhere.toml"), 3, "cannot open nowhere.toml", "check the path")

    def test_public_files(self):
        by_region = 'by = "region"'
        from_file = 'region = { file = "regions.csv" }'
        self.refuse(6, "keys.region.file", "regions.csv", keys=from_file, table=by_region)
        self.write("regions.csv", "code\nn\n")
        self.refuse(6, "keys.region.file", "region", keys=from_file, table=by_region)
        self.write("payroll.csv", "id,region,pay\n1,n,3\n")
        self.refuse(6, "keys.region.file", "is the table that is published", "name a public file",
                    keys='region = { file = "payroll.csv" }', table=by_region)
        # Once, the hints named options of reading that public files do not have.
        (self.folder / "regions.csv").write_bytes("code,name\nn,K\u00f6ln\n".encode("latin1"))
        self.refuse(6, "keys.region.file", "is not UTF-8 text", "convert it, e.g. with iconv -f LATIN1 -t UTF-8",
                    keys='region = { file = "regions.csv", key = "code", label = "name" }', table=by_region)
        self.refuse(6, "keys.region.file", "does not show its format", "name a file that ends with .csv, .tsv, .parquet or .json",
                    keys='region = { file = "regions.list" }', table=by_region)

    def test_keys_that_a_file_has_twice(self):
        """Once, neither the file nor a record was named."""
        self.write("regions.csv", "region\nn\ns\ne\ns\n")
        self.refuse(6, "keys.region.file", "records 2 and 4 of 'regions.csv' have the same key\n", "write each key once",
                    keys='region = { file = "regions.csv" }', table='by = "region"')

    def test_a_budget_for_which_no_interval_can_be_made(self):
        """Once, the message said neither which file nor which table."""
        self.write("tiny.toml", FILE.format(keys=KEYS, table=TABLE + "\ncount = true").replace("epsilon = 1", "epsilon = 1e-30"))
        self.assert_refused(self.plan("tiny.toml"), 2, "tiny.toml: table 'pay': noise too wide for an interval\n")

    def test_rows_of_cells(self):
        for text, what in (("region,sex,rows\nn,f,2\n", "of 4 cells, but the file has 1"),
                           ("region,sex,rows\nn,f,2\nn,f,2\n", "record 2 is about a cell that appeared before"),
                           ("region,sex,rows\nn,f,many\n", "in record 1, rows is not a whole number"),
                           ("region,sex\nn,f\n", "rows")):
            self.write("cells.csv", text)
            self.refuse(16, "table[0].rows", what, table=TABLE + '\nrows = "cells.csv"')


def setUpModule():
    require_engine()
