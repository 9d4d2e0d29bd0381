"""Files as practitioners have met them: each gives the right number for every kind of input, or is refused before anything is charged.

A case is a kind of file, not a single file. The cases use an epsilon without any privacy, so that releases are the true quantiles.
"""

import gzip
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cli.program import CommandTest, Engine, options, require_engine, run  # noqa: E402

setUpModule = require_engine

SURE = {"column": "x", "bounds": ("0", "120"), "step": "1", "epsilon": "20", "quantiles": "median"}


def optional(name):
    """The module if it is installed, which it is where the Python package is tested; otherwise None."""
    try:
        return __import__(name)
    except ImportError:
        return None


pyarrow = optional("pyarrow")
if pyarrow: import pyarrow.parquet  # noqa: E402
numpy = optional("numpy")
fractile = optional("fractile")


class CasesTest(CommandTest):
    def values(self, *words, **changes):
        """The values that a release publishes; None if it is refused."""
        result = run("release", *words, *options(SURE, **changes), cwd=self.folder)
        if result.code in (2, 3):
            self.assertEqual(result.out, "")
            return None
        self.assertEqual(result.code, 0, result)
        return [line.split(",")[1] for line in result.out.splitlines()[1:]]

    def refuse_before_the_charge(self, *words, parts=(), **changes):
        """Requires a refusal that leaves the budget unchanged."""
        if not (self.folder / "budget.db").exists():
            self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "d", "--epsilon", "1000", cwd=self.folder).code, 0)
        result = run("release", *words, *options(SURE, **{"ledger": "budget.db", **changes}), cwd=self.folder)
        self.assertIn(result.code, (2, 3), result)
        for part in parts: self.assertIn(part, result.err)
        shown = run("ledger", "export", "budget.db", "--format", "csv", cwd=self.folder).out
        self.assertEqual(len(shown.splitlines()), 1, "something was charged: " + shown)
        return result.err

    def paid(self, *words, **changes):
        """The values of a release that a new ledger pays for."""
        (self.folder / "budget.db").unlink(missing_ok=True)
        self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "d", "--epsilon", "1000", cwd=self.folder).code, 0)
        result = run("release", *words, *options(SURE, **{"ledger": "budget.db", **changes}), cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        return [line.split(",")[1] for line in result.out.splitlines()[1:]]

    def parquet(self, name, select):
        Engine().write_parquet(self.folder / name, select)
        return name

    def arrow(self, name, table):
        if not pyarrow: self.skipTest("pyarrow is not here")
        pyarrow.parquet.write_table(table, self.folder / name)
        return name

    def require_package(self):
        if not (fractile and numpy): self.skipTest("the Python package is not here")


class Columns(CasesTest):
    """Names of columns that are equal, or differ only in case."""

    def test_text_by_its_own_case(self):
        self.write("t.csv", "Age,age\n" + "5,40\n" * 500)
        self.assertEqual(self.values("t.csv", column="age"), ["40"])
        self.assertEqual(self.values("t.csv", column="Age"), ["5"])
        sql = "SELECT TRY_CAST(age AS DOUBLE) AS age FROM input"
        self.assertIn(self.values("t.csv", column="age", sql=sql), (None, ["40"]))

    def test_parquet_by_its_own_case(self):
        if not pyarrow: self.skipTest("pyarrow is not here")
        self.arrow("t.parquet", pyarrow.table({"Age": [5] * 500, "age": [40] * 500}))
        self.assertEqual(self.values("t.parquet", column="age"), ["40"])
        self.assertEqual(self.values("t.parquet", column="Age"), ["5"])
        self.assertIn(self.values("t.parquet", column="age", sql="SELECT age FROM input"), (None, ["40"]))

    def test_parquet_with_twins(self):
        if not pyarrow: self.skipTest("pyarrow is not here")
        self.arrow("t.parquet", pyarrow.Table.from_arrays([pyarrow.array([5] * 500), pyarrow.array([40] * 500)], names=["age", "age"]))
        self.refuse_before_the_charge("t.parquet", column="age")

    def test_a_name_of_another_case_is_no_column(self):
        self.write("t.csv", "Age\n" + "5\n" * 50)
        self.refuse_before_the_charge("t.csv", column="age")
        self.parquet("t.parquet", "SELECT 5 AS Age FROM range(50)")
        self.refuse_before_the_charge("t.parquet", column="age")

    def test_persons_of_the_column_that_is_named(self):
        rows = [(k, 1 if k < 300 else k, 9 if k < 300 else 2) for k in range(500)]
        self.write("t.csv", "ID,id,x\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        wanted = {"person": "id", "records_per_person": "1"}
        self.assertEqual(self.values("t.csv", **wanted), ["2"])
        sql = "SELECT id, TRY_CAST(x AS DOUBLE) AS x FROM input"
        self.assertIn(self.values("t.csv", sql=sql, **wanted), (None, ["2"]))
        if not pyarrow: return
        self.arrow("t.parquet", pyarrow.table({name: [row[k] for row in rows] for k, name in enumerate(("ID", "id", "x"))}))
        self.assertEqual(self.values("t.parquet", **wanted), ["2"])


class Numbers(CasesTest):
    def test_long_decimals(self):
        if not pyarrow: self.skipTest("pyarrow is not here")
        from decimal import Decimal
        for precision in (39, 50, 60):
            column = pyarrow.array([Decimal(20), Decimal(40), Decimal(60)] * 300, pyarrow.decimal256(precision, 2))
            self.arrow("t.parquet", pyarrow.table({"x": column}))
            with self.subTest(precision=precision):
                released = self.values("t.parquet", quantiles="quartiles")
                if released is None: self.refuse_before_the_charge("t.parquet")
                else: self.assertEqual(released, ["20", "40", "60"])

    def test_decimals_are_what_the_file_says(self):
        wanted = {"bounds": ("90071992547409.90", "90071992547409.99"), "step": "0.01"}
        self.parquet("t.parquet", "SELECT CAST('90071992547409.93' AS DECIMAL(18,2)) AS x FROM range(900)")
        self.assertEqual(self.values("t.parquet", **wanted), ["90071992547409.93"])
        self.assertEqual(self.values("t.parquet", sql="SELECT x FROM input", **wanted), ["90071992547409.93"])

    def test_missing_codes_are_declared(self):
        for code in ("NA", ".", "-", "#N/A"):
            self.write("t.csv", "x\n" + "40\n" * 300 + f"{code}\n" * 10)
            with self.subTest(code=code):
                self.assertEqual(self.values("t.csv", missing=code), ["40"])
                self.assertEqual(self.paid("t.csv"), ["40"])
                refused = run("release", "t.csv", *options(SURE), cwd=self.folder)
                self.assertEqual(refused.code, 3)
                self.assertIn("--missing", refused.err)
        for code in ("-9", "99"):
            self.write("t.csv", "x\n" + "40\n" * 300 + f"{code}\n" * 400)
            self.assertEqual(self.values("t.csv", missing=code), ["40"])
            self.assertEqual(self.values("t.csv", missing=code + ".0"), ["40"])

    def test_rows_with_more_cells_than_the_header(self):
        """R's write.table writes row names without a header."""
        self.write("t.csv", "age,note\n" + "".join(f"{k},{50 + k % 3},\n" for k in range(1, 90)))
        self.assertIsNone(self.values("t.csv", column="age"))
        self.assertIsNone(self.values("t.csv", column="age", sql="SELECT age FROM input"))


class Machine(CasesTest):
    def test_time_zones_decide_nothing(self):
        """The column is quoted, since AT is a word of SQL."""
        self.parquet("t.parquet", "SELECT TIMESTAMPTZ '2024-03-05 20:30:00+00' AS \"at\" FROM range(300)")
        for sql, right in (('SELECT hour("at") AS x FROM input', "20"), ('SELECT dayofyear(CAST("at" AS DATE)) AS x FROM input', "65"),
                           ("SELECT CAST(CAST(\"at\" AS DATE) - DATE '2024-03-01' AS INTEGER) AS x FROM input", "4")):
            for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
                result = run("release", "t.parquet", *options(SURE, sql=sql), cwd=self.folder, env={**os.environ, "TZ": zone})
                self.assertEqual((result.code, result.out), (0, f"quantile,value\n1/2,{right}\n"), (sql, zone, result.err))


class Persons(CasesTest):
    def test_no_identifier_is_nobody(self):
        """An identifier NaN may be a number or missing: polars and numpy write NaN where others write NULL."""
        for extra in (0, 110000):
            self.parquet("t.parquet", "SELECT CAST(i AS DOUBLE) AS p, 100000 AS x FROM range(1, 11) t(i) UNION ALL "
                                      f"SELECT CAST('NaN' AS DOUBLE), {extra} FROM range(5)")
            wanted = {"person": "p", "bounds": ("0", "200000")}
            released = self.values("t.parquet", **wanted)
            if released is None: self.refuse_before_the_charge("t.parquet", **wanted)
            else: self.assertEqual(released, ["100000"])


class Keys(CasesTest):
    def test_keys_of_another_spelling(self):
        for kind, keys in (("DOUBLE", "1,2"), ("DECIMAL(9,2)", "1,2"), ("INTEGER", "1.0,2.0"), ("BOOLEAN", "1,0")):
            self.parquet("t.parquet", f"SELECT CAST(i % 2 + {0 if kind == 'BOOLEAN' else 1} AS {kind}) AS g, 40 AS x FROM range(900) t(i)")
            with self.subTest(kind=kind):
                released = self.values("t.parquet", by="g", keys=keys)
                if released is None: self.refuse_before_the_charge("t.parquet", by="g", keys=keys)
                else: self.assertEqual([row for row in released], ["1/2", "1/2"])


class Json(CasesTest):
    def test_without_line_ends(self):
        """All layouts are read alike, whatever the layout of a single record, or all are refused before the charge."""
        rows = ['{"x": 20}', '{"x": 80}', '{"x": 80}'] * 100
        layouts = ("".join(rows), "\n".join(rows), "\n".join(rows) + "\n", "".join(rows[:-1]) + '{"x":\n 80}')
        for layout in layouts:
            for packed in (False, True):
                name = "t.json.gz" if packed else "t.json"
                self.write(name, gzip.compress(layout.encode()) if packed else layout)
                with self.subTest(layout=layout[-30:], packed=packed):
                    released = self.values(name)
                    if released is None: self.refuse_before_the_charge(name)
                    else: self.assertEqual(released, ["80"])


    def test_in_utf_16_and_utf_32(self):
        """Windows writes such files with or without a byte order mark."""
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
            for text in ('{"x": 40}\n' * 300, "[\n" + ",\n".join(['{"x": 40}'] * 300) + "]"):
                self.write("t.json", text.encode(encoding))
                with self.subTest(encoding=encoding, text=text[:3]):
                    self.refuse_before_the_charge("t.json", parts=(encoding[:6].upper(), "iconv -f UTF-"))


class Owners(CasesTest):
    def test_a_decimal_comma_shows_before_it_is_paid_for(self):
        self.write("t.csv", "x;town\n" + "40,5;a\n" * 7 + "40.5;b\n" * 90)
        shown = run("columns", "t.csv", "--check", "--format", "csv", cwd=self.folder)
        self.assertEqual(shown.out.splitlines()[1:], ["x,VARCHAR,numbers,90,0,7,1 2 3 4 5", "town,VARCHAR,text,97,0,0,"])


class InMemory(CasesTest):
    def setUp(self):
        super().setUp()
        self.require_package()

    def release(self, data, *words, **changes):
        asked = {"bounds": (0, 120), "step": 1, "epsilon": 20, **changes}
        released = fractile.release(data, *words, **asked)
        return [int(released[quantile]) for quantile in released]

    def test_masks_of_numpy(self):
        data = numpy.ma.masked_equal(numpy.array([40.0, -999.0] * 500), -999.0)
        self.assertEqual(self.release(data), [40, 40, 40])
        with self.assertRaises(fractile.Error):
            self.release(data, null="error")

    def test_missing_codes_are_declared(self):
        for code in (-9, 99):
            for data in ([40] * 300 + [code] * 400, numpy.array([40] * 300 + [code] * 400)):
                self.assertEqual(self.release(data, missing=[code]), [40, 40, 40])
                self.assertEqual(self.release(data, missing=["NA", f"{code}.0"]), [40, 40, 40])
        self.assertEqual(self.release([40] * 300 + ["NA", "."] * 200, missing=["NA", "."]), [40, 40, 40])

    def test_texts_are_no_records(self):
        for data in (b"age\n1\n2\n", "age\n1\n2\n", bytearray(b"age\n1\n")):
            with self.assertRaises(fractile.Error) as raised:
                self.release(data, "age")
            self.assertNotIn("age\n1", str(raised.exception))

    def test_a_record_decides_nothing_before_the_charge(self):
        ledger = str(self.folder / "budget.db")
        self.assertEqual(run("ledger", "init", ledger, "--dataset", "d", "--epsilon", "1000").code, 0)
        pandas = optional("pandas")
        if not pandas: self.skipTest("pandas is not here")
        data = pandas.DataFrame({"x": [40.0] * 500, "p": numpy.array(["a"] * 499 + [b"\xff"], dtype=object)})
        try:
            fractile.release(data, "x", bounds=(0, 120), step=1, epsilon=1, person="p", ledger=ledger)
        except fractile.Error as error:
            self.assertNotIn("xff", repr(error) + repr(error.__context__) + repr(error.__cause__))
        shown = run("ledger", "export", ledger, "--format", "csv").out
        self.assertEqual(len(shown.splitlines()), 2, "nothing was charged, so that the record decided: " + shown)

    def test_numbers_of_another_byte_order(self):
        self.assertEqual(self.release(numpy.array([40.0] * 500, dtype=">f8")), [40, 40, 40])


if __name__ == "__main__":
    unittest.main()
