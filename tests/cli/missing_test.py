"""Cells that hold no number: what is declared to be missing, and what a paid release does with the rest."""

import json
import unittest

from cli.program import NOISE, CommandTest, Engine, require_engine, run

setUpModule = require_engine


class Declared(CommandTest):
    """--missing compares numbers by their values and other texts exactly, in the column itself and in the column of persons."""

    MEDIAN = {"quantiles": "median", "bounds": ("-20", "120")}

    def test_of_text(self):
        self.write("t.csv", "x\n" + "7\n" * 60 + "NA\n" * 40 + ".\n" * 40 + "-9\n" * 60 + " -9.0\n" * 60 + "99e0\n" * 30)
        self.assert_refused(self.run_release("t.csv"), 3, "not a number")
        self.assert_refused(self.run_release("t.csv", missing="NA"), 3, "not a number")
        self.assert_refused(self.run_release("t.csv", missing="na,.,-9"), 3, "not a number")  # texts are compared exactly
        self.assertEqual(self.sure_release("t.csv", missing="NA,.", **self.MEDIAN), ["-9"])
        self.assertEqual(self.sure_release("t.csv", missing="NA,.,-9,99", **self.MEDIAN), ["7"])
        self.assertEqual(self.sure_release("t.csv", missing="NA, ., -9.00, 99", **self.MEDIAN), ["7"])

    def test_of_every_type(self):
        for kind in ("SMALLINT", "BIGINT", "HUGEINT", "UBIGINT", "DOUBLE", "FLOAT", "DECIMAL(9,2)", "VARCHAR"):
            with self.subTest(kind=kind):
                Engine().write_parquet(self.folder / "t.parquet",
                                       f"SELECT CAST(CASE WHEN i < 60 THEN 99 ELSE 7 END AS {kind}) AS x FROM range(100) t(i)")
                self.assertEqual(self.sure_release("t.parquet", **self.MEDIAN), ["99"])
                self.assertEqual(self.sure_release("t.parquet", missing="99", **self.MEDIAN), ["7"])
                self.assertEqual(self.sure_release("t.parquet", missing="99.0", **self.MEDIAN), ["7"])
                others = "99.5,9,NA," + "9" * 36
                self.assertEqual(self.sure_release("t.parquet", missing=others, **self.MEDIAN), ["99"])

    def test_of_whole_numbers_that_no_double_holds(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT CASE WHEN i < 60 THEN 9007199254740993 ELSE 7 END AS x FROM range(100) t(i)")
        wide = {"quantiles": "median", "bounds": ("0", "9007199254740994")}
        self.assertEqual(self.sure_release("t.parquet", missing="9007199254740993", **wide), ["7"])
        self.assertNotEqual(self.sure_release("t.parquet", missing="9007199254740992", **wide), ["7"])

    def test_of_json_and_of_queries(self):
        self.write("t.ndjson", '{"x": "NA"}\n' * 40 + '{"x": -9}\n' * 60 + '{"x": 7}\n' * 50)
        self.assertEqual(self.sure_release("t.ndjson", missing="NA,-9", **self.MEDIAN), ["7"])
        self.assertEqual(self.sure_release("t.ndjson", missing="NA,-9", sql="SELECT x FROM input", **self.MEDIAN), ["7"])

    def test_of_dates(self):
        self.write("t.csv", "x\n" + "2020-05-05\n" * 60 + "9999-12-31\n" * 90 + "never\n" * 9)
        query = {"quantiles": "median", "bounds": ("2020-01-01", "2020-12-31"), "step": "1d"}
        self.assertEqual(self.sure_release("t.csv", missing="9999-12-31,never", **query), ["2020-05-05"])
        Engine().write_parquet(self.folder / "t.parquet",
                               "SELECT CASE WHEN i < 60 THEN DATE '9999-12-31' ELSE DATE '2020-05-05' END AS x FROM range(100) t(i)")
        self.assertEqual(self.sure_release("t.parquet", missing="9999-12-31", **query), ["2020-05-05"])
        self.assertEqual(self.sure_release("t.parquet", missing="9999-12-31T00:00:00", **query), ["2020-05-05"])
        self.assertNotEqual(self.sure_release("t.parquet", missing="9999-12-31T17:00:00,never,9", **query), ["2020-05-05"])
        for kind in ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"):
            with self.subTest(kind=kind):
                zone = "Z" if kind == "TIMESTAMPTZ" else ""
                cells = f"CAST(CASE WHEN i < 60 THEN '2200-01-01 17:00:00{'+00' if zone else ''}' ELSE '2020-05-05 00:00:00{zone}' END AS {kind})"
                Engine().write_parquet(self.folder / "t.parquet", f"SELECT {cells} AS x FROM range(100) t(i)")
                times = {"quantiles": "median", "bounds": (f"2020-01-01T00:00:00{zone}", f"2020-12-31T00:00:00{zone}"), "step": "1d"}
                code = f"2200-01-01T17:00:00{zone},9999-12-31{'T00:00:00Z' if zone else ''}"
                expected = [f"2020-05-05T00:00:00{zone}"]
                self.assertEqual(self.sure_release("t.parquet", missing=code, **times), expected)
                self.assertNotEqual(self.sure_release("t.parquet", missing="2200-01-01", **times), expected)

    def test_of_persons(self):
        self.write("t.csv", "who,x\n" + "NA,90\n" * 200 + "".join(f"{i},7\n" for i in range(50)))
        query = {"person": "who", "records_per_person": "100", **self.MEDIAN}
        self.assertEqual(self.sure_release("t.csv", **query), ["90"])
        self.assertEqual(self.sure_release("t.csv", missing="NA", **query), ["7"])
        self.assert_refused(self.run_release("t.csv", person="who", missing="NA,-9", null="error"), 3, "column 'who': empty or NULL")

    def test_what_cannot_be_declared(self):
        self.write("t.csv", "x\n1\n")
        self.assert_refused(self.run_release("t.csv", missing="NA,,"), 2, "--missing: ", "empty item")
        self.assert_refused(self.run_release("t.csv", missing="NA,NA"), 2, "is declared to be missing twice")
        self.assert_refused(self.run_release("t.csv", unreadable="drop"), 2, "--unreadable: 'drop' is not known", "error, missing")

    def test_receipt_and_explanation(self):
        self.write("t.csv", "x\n" + "7\n" * 60 + "NA\n")
        self.release("t.csv", missing="NA,-9", receipt="r.json")
        source = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))["source"]
        self.assertEqual((source["missing"], source["domain"]), (["NA", "-9"], "number or missing"))
        self.assertNotIn("unreadable", source)
        self.assertIn("Also declared to be missing: 'NA', '-9'.", " ".join(run("explain", "r.json", cwd=self.folder).out.split()))
        self.release("t.csv", unreadable="missing", receipt="s.json")
        source = json.loads((self.folder / "s.json").read_text(encoding="utf-8"))["source"]
        self.assertEqual((source["unreadable"], source["domain"]), ("missing", "anything"))
        self.assertNotIn("holds anything but", " ".join(run("explain", "s.json", cwd=self.folder).out.split()))


class Paid(CommandTest):
    """With a ledger, a cell that is not a number does not end a release, unless the owner has declared that it does."""

    CELLS = ("NA", "3,5", "1_000", "$7", "abc", "\u00e4", "0x10", "+-5", "9" * 400, "2020-13-01", "9007199254740993")

    def seen(self, cell, name="t.csv", declared=(), **changes):
        """What an asker sees, except for the value, if the cell is in record 17."""
        for file in ("l.db", "r.json"):
            (self.folder / file).unlink(missing_ok=True)
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1", *declared, cwd=self.folder).code, 0)
        rows = ["7"] * 100
        rows[17] = cell
        if name.endswith("csv"):
            self.write(name, "x,who\n" + "".join(f'"{row}",{i}\n' for i, row in enumerate(rows)))
        else:
            self.write(name, "".join(json.dumps({"x": row, "who": str(i)}) + "\n" for i, row in enumerate(rows)))
        result = self.run_release(name, **{"ledger": "l.db", "epsilon": "1e-9", "quantiles": "median", **changes})
        return result.code, NOISE.sub("", result.err), len(result.out.splitlines())

    def test_no_cell_ends_a_paid_release(self):
        for changes in ({}, {"person": "who"}, {"by": "who", "keys": "3,17"}, {"step": "0.001"}, {"name": "t.ndjson"},
                        {"bounds": ("2020-01-01", "2020-12-31"), "step": "1d"}, {"bounds": ("0", "9007199254740994")}):
            usual = self.seen("7", **changes)
            self.assertEqual(usual[:2], (0, ""), changes)
            for cell in self.CELLS:
                with self.subTest(cell=cell, **changes):
                    self.assertEqual(self.seen(cell, **changes), usual)

    def test_unless_it_was_declared(self):
        fails = {"declared": ("--unreadable", "error"), "unreadable": "error"}
        self.assertEqual(self.seen("7", **fails)[0], 0)
        self.assertEqual(self.seen("NA", **fails)[0], 3)
        self.assertEqual(self.seen("NA", **fails, missing="NA")[0], 0)
        code, words, _ = self.seen("7", unreadable="error")
        self.assertEqual(code, 2)
        self.assertIn("--unreadable may be used on a ledger's dataset only as its owner declared it", words)
        self.assertEqual(self.seen("NA", unreadable="missing")[0], 0)

    def test_it_is_written(self):
        self.assertEqual(self.seen("NA", receipt="r.json")[0], 0)
        source = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))["source"]
        self.assertEqual((source["unreadable"], source["domain"]), ("missing", "anything"))


if __name__ == "__main__":
    unittest.main()
