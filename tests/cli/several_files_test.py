"""Several files, folders and patterns that form one table."""

import json
import shutil

from cli.owners_test import OwnersTest
from cli.program import CommandTest, Engine, options, require_engine, run

setUpModule = require_engine


class OneTable(CommandTest):
    """in/a.csv has fifty ages of 3; in/b.csv has fifty ages of 7, and in/c.csv has one more."""

    def setUp(self):
        super().setUp()
        (self.folder / "in").mkdir()
        self.write("in/a.csv", "id,x\n" + "".join(f"a{i},3\n" for i in range(50)))
        self.write("in/b.csv", "id,x\n" + "".join(f"b{i},7\n" for i in range(50)))
        self.write("in/c.csv", "id,x\nc,7\n")

    def test_is_named_in_three_ways(self):
        for names in (["in/a.csv", "in/b.csv", "in/c.csv"], ["in"], ["in/"], ["in/*.csv"], ["in/a*", "in/[bc].csv"]):
            with self.subTest(names=names):
                self.assertEqual(self.sure_release(*names, quantiles="0.4,0.6"), ["3", "7"])
                self.assertEqual(self.sure_release(*names, quantiles="median"), ["7"])

    def test_the_receipt_names_what_was_read(self):
        self.release("in/b.csv", "in/a.csv", receipt="r.json")
        source = json.loads(self.content("r.json"))["source"]
        self.assertEqual((source["file"], source["files"]), ("in/a.csv,in/b.csv", ["in/b.csv", "in/a.csv"]))
        self.assertIn("in/a.csv,in/b.csv (2 files)", self.of("explain", "r.json"))
        self.assertNotIn("a.csv", self.of("explain", "r.json", "--format", "html", "--public"))
        self.release("in/?.csv", receipt="s.json")
        source = json.loads(self.content("s.json"))["source"]
        self.assertEqual((source["file"], source["files"]), ("in/?.csv", ["in/a.csv", "in/b.csv", "in/c.csv"]))
        self.release("in/a.csv", receipt="t.json")
        self.assertNotIn("files", json.loads(self.content("t.json"))["source"])

    def test_persons_have_records_in_all_of_them(self):
        self.write("in/b.csv", "id,x\n" + "".join(f"a{i},7\n" for i in range(50)))
        self.write("in/c.csv", "id,x\n")
        counts = self.run_release("in", person="id", records_per_person="1", quantiles="median", count=True, epsilon="1000",
                                  unsafe_seed="1", format="json")
        self.assertEqual(json.loads(counts.out)["count"]["value"], 50)

    def test_queries_read_all_of_them(self):
        self.assertEqual(self.sure_release("in", sql="SELECT CAST(x AS INT) + 1 AS x FROM input", quantiles="median"), ["8"])
        self.assertEqual(self.sure_release(sql="SELECT t.x FROM t", table="t=in/*.csv", quantiles="median"), ["7"])

    def test_counting_and_checking(self):
        self.write("in/c.csv", "id,x\nc,seven\n")
        checked = json.loads(self.of("columns", "in", "--check", "--format", "json"))["columns"][1]
        self.assertEqual([checked[key] for key in ("unreadable", "unreadable_rows", "unreadable_files")], [1, [1], ["in/c.csv"]])
        self.assertIn(" in/c.csv:1\n", self.of("columns", "in", "--check", "--format", "table"))
        self.assertIn(",1,in/c.csv:1\n", self.of("columns", "in", "--check", "--format", "csv"))
        self.assertNotIn("unreadable_files", self.of("columns", "in/c.csv", "--check", "--format", "json"))
        self.assert_refused(self.run_release("in"), 3, "in/c.csv: row 1, column 'x': not a number", secrets=("seven",))
        run("count", "in/a.csv", "in/b.csv", *options(epsilon=None), "--output", "p", cwd=self.folder)
        self.assertEqual(self.sure_release(counts="p", column=None, bounds=None, step=None, quantiles="0.4"), ["3"])

    def test_rows_of_other_formats(self):
        for name, select in (("a", "i::VARCHAR"), ("b", "CASE WHEN i % 3 = 1 THEN 'seven' ELSE i::VARCHAR END")):
            Engine().write_parquet(self.folder / f"{name}.parquet", f"SELECT {select} AS x FROM range(9) t(i)")
            self.write(f"{name}.json", "".join(json.dumps({"x": "seven" if name == "b" and i == 1 else str(i)}) + "\n" for i in range(9)))
        x = json.loads(self.of("columns", "a.parquet", "b.parquet", "--check", "--format", "json"))["columns"][0]
        self.assertEqual((x["unreadable_rows"], x["unreadable_files"]), ([2, 5, 8], ["b.parquet"] * 3))
        self.assert_refused(self.run_release("b.parquet", "a.parquet"), 3, "b.parquet: row 2, column 'x': not a number")
        x = json.loads(self.of("columns", "a.json", "b.json", "--check", "--format", "json"))["columns"][0]
        self.assertEqual((x["unreadable_rows"], x.get("unreadable_files")), ([11], None))

    def test_columns_must_agree(self):
        self.write("in/b.csv", "Ada,36\n1,7\n")
        self.assert_refused(self.run_release("in"), 3, "in/b.csv: its first line has other column names than those of in/a.csv",
                            secrets=("Ada", "36"))

    def test_what_is_no_file(self):
        self.assert_refused(self.run_release("in/a.csv", "0.5"), 2, "unexpected argument '0.5', which is not a file", "lists with commas")
        self.assert_refused(self.run_release("in/a.csv", "in/a.csv"), 2, "'in/a.csv' is named twice")
        self.assert_refused(self.run_release("in/a.csv", receipt="in/b.csv"), 2)

    def test_a_publication_reads_them(self):
        self.write("p.toml", '[publication]\nepsilon = 1000\n[input]\nfile = ["in/a.csv", "in/[bc].csv"]\n'
                             '[[table]]\nname = "ages"\ncolumn = "x"\nbounds = [0, 10]\nstep = 1\nquantiles = ["median"]\n')
        done = run("publish", "p.toml", "--format", "csv", cwd=self.folder)
        self.assertEqual(done.code, 0, done.err)
        self.assertIn(",7", done.out.splitlines()[-1])


class OnALedger(OwnersTest):
    """Only the owner may say which files form a table."""

    def setUp(self):
        super().setUp()
        for month in ("01", "02"):
            shutil.copy(self.folder / "patients.csv", self.folder / f"2024-{month}.csv")
        (self.folder / "year").mkdir()
        self.write("year/a.csv", "name,age\n" + "q,5\n" * 100)

    def test_several_only_as_declared(self):
        self.init()
        for arguments in (("2024-01.csv", "2024-02.csv"), ("2024-*.csv",), ("year",)):
            self.refuse("several files count as one table on a ledger's dataset only as its owner declared them", "with --source",
                        arguments=arguments)
        self.assertEqual(self.median("year/a.csv"), "5")

    def test_those_that_are_declared_and_no_others(self):
        for source, named, others in (("./2024-*.csv", ["2024-*.csv"], ["2024-0*.csv"]),
                                      ("./2024-02.csv,./2024-01.csv", ["2024-01.csv", "2024-02.csv"], ["2024-*.csv"]),
                                      ("./year", ["year"], ["year/a.csv"])):
            with self.subTest(source=source):
                (self.folder / "budget.db").unlink(missing_ok=True)
                self.init("--source", source)
                for arguments in (others, ["2024-01.csv"], ["people.csv"], [*named, "people.csv"]):
                    self.refuse("reads the", arguments=arguments)
                value = self.median(*named)
                self.assertEqual(value, "5" if "year" in source else "7")
                self.assertEqual(self.median(*reversed(named)), value)
                self.assertEqual(self.entries(), 1)

    def test_a_folder_may_grow(self):
        self.init("--source", "./year")
        self.assertEqual(self.median("year"), "5")
        self.write("year/b.csv", "name,age\n" + "q,9\n" * 1000)
        self.assertEqual(self.median("year"), "5")  # the stored release
        self.assertEqual(self.median("year", again=True), "9")

    def test_links_lead_nowhere(self):
        """A folder of the asker's that links to the table is not the declared folder."""
        self.init("--source", "./year")
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "a.csv").symlink_to("../year/a.csv")
        self.refuse("reads a source without a name", arguments=("mine",))

    def test_a_dry_run_refuses_the_same(self):
        self.init()
        self.refuse("several files count as one table", arguments=("year",), dry_run=True)
