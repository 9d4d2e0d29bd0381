"""What the program reads: valid tables in all notations, and every way in which a table can be unusable."""

import gzip
import json
import os
import unittest

from cli.program import NOISE, PACKED, CommandTest, Engine, require_engine, run

setUpModule = require_engine

SECRET = "31415926535x"  # a cell that no message may show


class Cells(CommandTest):
    """Tables with one odd cell."""

    def column(self, *cells):
        return self.write("t.csv", "x\n" + "".join(f"{cell}\n" for cell in cells))

    def test_not_a_number(self):
        for cell in (SECRET, "1,000", "1_000", "+-5", "$31415926535", "0x31415926535", "31415926535 31415926535", "true31415926535"):
            with self.subTest(cell=cell):
                self.write("t.csv", f'y,x\na,1\nb,2\nc,"{cell}"\nd,4\n')
                result = self.run_release("t.csv")
                self.assert_refused(result, 3, "t.csv: row 3, column 'x': not a number", "fix the cell", "--unreadable missing", "--missing NA",
                                    secrets=("31415", "1,000"))

    def test_not_a_number_on_any_lattice(self):
        name = self.column(*range(5), SECRET)
        for changes in ({"step": "0.001"}, {"candidates": "1,2,3", "bounds": None, "step": None}):
            result = self.run_release(name, **changes)
            self.assert_refused(result, 3, "t.csv: row 6, column 'x': not a number", secrets=(SECRET,))

    def test_not_a_number_far_down(self):
        name = self.column(*[7] * 200_000, SECRET, *[7] * 1000, SECRET)
        result = self.run_release(name)
        self.assert_refused(result, 3, "t.csv: row 200001, column 'x': not a number", secrets=(SECRET,))

    def test_rows_are_records_not_lines(self):
        self.write("t.csv", f'y,x\n"a\nb",1\n"c\n\nd",{SECRET}\n')
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv: row 2, column 'x'", secrets=(SECRET,))

    def test_records_declared_to_stand_on_single_lines(self):
        stray = self.write("t.csv", 'y,x\n"a,1\nb,2\nc",3\n')
        self.release(stray)
        result = self.run_release(stray, single_line_records=True)
        self.assert_refused(result, 3, "t.csv: line 2 has a quoted cell that holds a line end", "close the quote")
        self.release(self.write("s.csv", 'y,x\n"a,b",1\nb,2\n'), single_line_records=True)
        self.write("t.json", '{"x":1}\n')
        self.assert_refused(self.run_release("t.json", single_line_records=True), 2, "declared, but no CSV or TSV is read")

    def test_in_a_query(self):
        """A value that a query cannot compute is missing."""
        name = self.column(1, SECRET)
        for sql in ("SELECT CAST(x AS DOUBLE) AS x FROM input", "SELECT x FROM input", "SELECT TRY_CAST(x AS DOUBLE) AS x FROM input"):
            with self.subTest(sql=sql):
                self.release(name, sql=sql)

    def test_other_columns_may_hold_anything(self):
        self.write("t.csv", f"x,y\n1,{SECRET}\n2,\n")
        self.release("t.csv")

    def test_missing_numbers_dropped(self):
        for cell in ("", "   ", "\t", "NaN", "nan", "-NaN"):
            with self.subTest(cell=cell):
                self.write("t.csv", "x,y\n" + f"{cell},1\n" * 30 + "7,1\n" * 9)
                self.assertEqual(self.sure_release("t.csv", null="drop", quantiles="median"), ["7"])

    def test_missing_numbers_refused(self):
        for cell in ("", "   ", "\t", "NaN", "nan"):
            with self.subTest(cell=cell):
                self.write("t.csv", f"x,y\n1,1\n{cell},1\n2,1\n")
                result = self.run_release("t.csv", null="error")
                self.assert_refused(result, 3, "t.csv: row 2, column 'x': empty, NULL or NaN", "--null drop")

    def test_infinities_clamp(self):
        for cell, bound in (("inf", "10"), ("-Infinity", "0"), ("1e400", "10"), ("-1e400", "0")):
            for null in ("drop", "error"):
                with self.subTest(cell=cell, null=null):
                    name = self.column(*[cell] * 50)
                    self.assertEqual(self.sure_release(name, null=null, quantiles="median"), [bound])

    def test_values_outside_the_bounds_clamp(self):
        name = self.column(*[-1000] * 40, *[5] * 20, *["1e9"] * 40)
        self.assertEqual(self.sure_release(name), ["0", "5", "10"])

    def test_values_between_points_go_to_the_nearest(self):
        name = self.column(*["2.4"] * 40, *["2.5"] * 20, *["6.6"] * 40)
        self.assertEqual(self.sure_release(name), ["2", "3", "7"])


class Sizes(CommandTest):
    def assert_on_the_lattice(self, values, count=3):
        self.assertEqual(len(values), count)
        self.assertEqual(values, sorted(values, key=int))
        self.assertTrue(all(0 <= int(value) <= 10 for value in values), values)

    def test_no_records(self):
        for content in ("x\n", "x", "y,x\r\n"):
            for changes in ({}, {"mechanism": "exponential", "quantiles": "median"}, {"epsilon": None, "rho": "1/8"},
                            {"neighbors": "change-one"}, {"step": "0.001"}, {"null": "error"}):
                self.write("t.csv", content)
                result = self.run_release("t.csv", format="json", public_rows=True, **changes)
                self.assertEqual(result.code, 0)
                self.assertRegex(result.err, rf"\A{NOISE.pattern}\Z")
                self.assertEqual(json.loads(result.out)["public_rows"], 0)

    def test_no_bytes(self):
        self.write("t.csv", "")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv is empty", "still has a header line")

    def test_one_row(self):
        self.write("t.csv", "x\n5\n")
        self.assert_on_the_lattice(self.release("t.csv"))
        self.assertEqual(self.sure_release("t.csv", quantiles="median"), ["5"])

    def test_all_rows_equal(self):
        self.write("t.csv", "x\n" + "7\n" * 1000)
        self.assertEqual(self.sure_release("t.csv"), ["7", "7", "7"])

    def test_a_million_ties(self):
        self.write("t.csv", "x\n" + "7\n" * 1_000_000)
        self.assertEqual(self.release("t.csv", quantiles="deciles"), ["7"] * 9)
        self.assertEqual(self.release("t.csv", step="0.0001"), ["7"] * 3)  # this lattice is too fine for the engine to count

    def test_extreme_budgets(self):
        self.write("t.csv", "x\n" + "7\n" * 1000)
        for epsilon in ("1e-300", "ln 2", "1/3", "2 ln 3", "20"):
            self.assert_on_the_lattice(self.release("t.csv", epsilon=epsilon))
        self.assert_on_the_lattice(self.release("t.csv", epsilon=None, rho="1e-300"))
        for words in ({"epsilon": "1e-20", "intervals": "0.9"}, {"epsilon": None, "rho": "1e-26", "mechanism": "tree"}):
            refused = self.run_release("t.csv", **words)
            self.assertEqual(refused.code, 2)
            self.assertIn("the noise of counts would be wider than any table", refused.err)

    def test_budgets_without_meaning_warn(self):
        self.write("t.csv", "x\n" + "7\n" * 1000)
        for changes, measure in (({"epsilon": "1e300"}, "an epsilon above 20"),
                                 ({"epsilon": "20.001"}, "an epsilon above 20"),
                                 ({"epsilon": None, "rho": "1e300"}, "a rho above 50")):
            with self.subTest(**changes):
                result = self.run_release("t.csv", **changes)
                self.assertEqual(result.code, 0)
                self.assertIn(f"warning: {measure} promises next to nothing", result.err)
        self.assertEqual(self.run_release("t.csv", epsilon="1e300").out.splitlines()[1:], ["1/4,7", "1/2,7", "3/4,7"])

    def test_lattices_of_one_point(self):
        self.write("t.csv", "x\n1\n2\n")
        self.assertEqual(self.release("t.csv", bounds=("5", "5")), ["5"] * 3)
        self.assertEqual(self.release("t.csv", bounds=None, step=None, candidates="5"), ["5"] * 3)

    def test_the_largest_lattice(self):
        self.write("t.csv", "x\n5\n")
        values = self.release("t.csv", bounds=("0", str(2**62 - 1)))
        self.assertTrue(all(0 <= int(value) < 2**62 for value in values), values)

    def test_every_quantile_at_once(self):
        self.write("t.csv", "x\n" + "".join(f"{i}\n" for i in range(1001)))
        self.assert_on_the_lattice(self.release("t.csv", quantiles="percentiles"), 99)
        self.assert_on_the_lattice(self.release("t.csv", quantiles="0,1/3,1"))


class Columns(CommandTest):
    def test_no_such_column(self):
        self.write("t.csv", "age,income\n1,2\n")
        self.assert_refused(self.run_release("t.csv", column="incomes"), 3,
                            "t.csv has no column 'incomes' in its first line, the header line", "name a column as the header",
                            secrets=("'income'",))
        self.assert_refused(self.run_release("t.csv", column="zzz"), 3, "no column 'zzz'", "name a column as the header",
                            secrets=("income",))
        Engine().write_parquet(self.folder / "t.parquet", "SELECT 1 AS age, 2 AS income")
        self.assert_refused(self.run_release("t.parquet", column="zzz"), 3, "it has 'age', 'income'", "name one of")

    def test_letter_case_and_quotes(self):
        self.write("t.csv", '"Age, in years",y\n7,1\n')
        self.release("t.csv", column="Age, in years")
        self.assert_refused(self.run_release("t.csv", column="age, in YEARS"), 3, "did you mean 'Age, in years'?")

    def test_twins(self):
        self.write("t.csv", "x,x\n1,2\n")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv has more than one column 'x'", "rename one")

    def test_not_numeric(self):
        self.write("t.csv", "y\n1\n")
        result = self.run_release("t.csv", sql="SELECT DATE '2026-01-31' AS x FROM input")
        self.assert_refused(result, 3, "the query: column 'x' is DATE, not a number", "epoch(x) / 86400", secrets=("2026",))
        result = self.run_release("t.csv", sql="SELECT CAST('secretmood' AS ENUM('secretmood', 'b')) AS x FROM input")
        self.assert_refused(result, 3, "column 'x' is ENUM, not a number", secrets=("secretmood",))


class Queries(CommandTest):
    def refuse(self, sql, *parts, code=2):
        with self.subTest(sql=sql):
            self.write("t.csv", f"x,y\n1,2\n{SECRET},3\n")
            self.assert_refused(self.run_release("t.csv", sql=sql), code, *parts, secrets=(SECRET,))

    def test_refused(self):
        self.refuse("SELEC x FROM input", 'the query was refused: syntax error at or near "SELEC"', "correct the query")
        self.refuse("SELECT z FROM input", "the query was refused", '"z" not found', "correct the query")
        self.refuse("SELECT x FROM elsewhere", "the query reads 'elsewhere', which is not an input", "--table NAME=FILE")
        self.refuse("SELECT 1 AS x; SELECT 2 AS x", "the query is not one SELECT", "a single SELECT")
        self.refuse("DROP VIEW input", "the query is not one SELECT")
        self.refuse("COPY (SELECT 1) TO 'made.csv'", "the query is not one SELECT")
        self.assertEqual(self.files(), ["t.csv"])
        self.refuse("SELECT x FROM 'gone.csv'", "the query reads 'gone.csv', which is not an input")

    def test_comments(self):
        self.write("t.csv", "x\n1\n")
        self.release("t.csv", sql="SELECT 1 AS x FROM input -- a comment;")


class Files(CommandTest):
    def test_missing(self):
        self.assert_refused(self.run_release("gone.csv"), 3, "cannot open gone.csv: No such file or directory", "path")

    def test_directory(self):
        (self.folder / "d.csv").mkdir()
        self.assert_refused(self.run_release("d.csv"), 3, "the folder 'd.csv' holds no file", "name the folder")

    def test_unreadable(self):
        how = self.as_nobody()
        self.write("t.csv", "x\n1\n")
        os.chmod(self.folder / "t.csv", 0)
        result = self.run_release("t.csv", how=how)
        self.assert_refused(result, 3, "cannot open t.csv: Permission denied", "permissions")

    def test_too_long_a_line(self):
        self.write("t.csv", b"x\n1\n" + b"2" * 20_000_000 + b"\n3\n")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv: line 3 is longer than 2,000,000 bytes", "line end")
        self.write("t.csv", b"x" * 20_000_000 + b"\n3\n")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv: the header line is longer than a megabyte")

    def test_an_unclosed_quote(self):
        self.write("t.csv", f'x,y\n1,2\n2,"{SECRET}\n' + "3,4\n" * 1000)
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv: line 3 has a quoted cell without its end",
                            "must be doubled", secrets=(SECRET,))

    def test_ragged_lines(self):
        for line in ("3", f"3,4,{SECRET}"):
            self.write("t.csv", f"x,y\n1,2\n{line}\n")
            self.assert_refused(self.run_release("t.csv"), 3, "t.csv: line 3 has more or fewer cells than the header",
                                "--delimiter", secrets=(SECRET,))

    def test_not_utf8(self):
        self.write("t.csv", b"y,x\n1,2\n2,\xff\xfe\n")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv: line 3 is not UTF-8 text", "iconv")
        self.write("t.csv", "x,y\n1,2\n".encode("utf-16"))
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv is UTF-16 text by its first bytes", "iconv")

    def test_headers(self):
        self.write("t.csv", "31415926535\n2\n")
        self.assert_refused(self.run_release("t.csv"), 3, "the first line holds numbers, not column names",
                            "add a header line", secrets=("31415",))
        self.write("t.csv", "\nx\n1\n")
        self.assert_refused(self.run_release("t.csv"), 3, "the first line is blank", "add a header line")

    def packed(self, name):
        """The ways in which such a file may be packed."""
        return [(kind, pack) for kind, pack in PACKED.items() if name == "t.csv" or kind == "gz"]

    def test_packed_json(self):
        """The engine unpacks gzip. Other packings would need space for the whole text, and its length depends on the records."""
        for kind, pack in PACKED.items():
            self.write(f"t.ndjson.{kind}", pack(b'{"x": 31415}\n' * 9))
            if kind == "gz":
                self.assertEqual(self.run_release(f"t.ndjson.{kind}").code, 0)
            else:
                self.assert_refused(self.run_release(f"t.ndjson.{kind}"), 3, "and JSON is read only if it is packed by gzip", "-dc FILE > people.json")

    def test_truncated_packing(self):
        numbers = [i * i % 1009 for i in range(20_000)]
        for name, text in (("t.csv", "x\n" + "".join(f"{x}\n" for x in numbers)),
                           ("t.ndjson", "".join(json.dumps({"x": x}) + "\n" for x in numbers))):
            for kind, pack in self.packed(name):
                packed = pack(text.encode())
                for size in (4, 12, len(packed) // 2, len(packed) - 1):
                    with self.subTest(name=name, kind=kind, size=size):
                        self.write(f"{name}.{kind}", packed[:size])
                        self.assert_refused(self.run_release(f"{name}.{kind}"), 3, f"{name}.{kind}", "damaged" if size > 4 else "fractile")

    def test_what_packs_badly_ends_a_paid_release_like_a_bad_line(self):
        """Both faults are detected where the records are read, and neither message mentions the records."""
        run("ledger", "init", "l.db", "--dataset", "t", "--epsilon", "9", cwd=self.folder)
        for name, text in (("t.csv", b"x\n" + b"31415\n" * 200_000), ("t.ndjson", b'{"x": 31415}\n' * 200_000)):
            for kind, pack in self.packed(name):
                with self.subTest(name=name, kind=kind):
                    packed = pack(text)
                    self.write(f"{name}.{kind}", packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:] if kind != "zst" else packed[:-1])
                    self.assert_refused(self.run_release(f"{name}.{kind}", ledger="l.db"), 3, f"{name}.{kind} is truncated or damaged",
                                        "counts as spent", secrets=("31415",))

    def test_truncated_json(self):
        for content in ('[{"x":1},{"x":31415', '{"x":1}\n{"x":31415', '{"x":1', "[", "hello", "[1, 2]"):
            with self.subTest(content=content):
                self.write("t.json", content)
                self.assert_refused(self.run_release("t.json"), 3, "t.json", secrets=("31415",))

    def test_keys_of_json(self):
        """Once, one record's key decided how all others were read, and an exhausted ledger's exit code revealed whether the key existed."""
        self.write("t.json", '{"X": 7}\n' * 50 + '{"x": 3}\n' * 9)
        self.assertEqual(self.sure_release("t.json", column="X"), ["7"] * 3)
        self.assertEqual(self.sure_release("t.json"), ["3"] * 3)
        self.write("none.json", "")
        for name in ("t.json", "none.json"):
            self.assertEqual(len(self.release(name, column="nobody has it")), 3)
        made = run("ledger", "init", "spent.db", "--dataset", "people", "--epsilon", "1/2", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        refusals = {self.run_release("t.json", column=column, ledger="spent.db") for column in ("x", "X", "nobody has it")}
        self.assertEqual([refusal.code for refusal in refusals], [4])

    def test_quotes_and_line_ends(self):
        for content, message in (("y,x\n1,2\n3,\"31415\n5,6\n", "t.csv: line 3 has a quoted cell without its end"),
                                 ("y,x\n1,2\n3,\"31415\"6\n5,6\n", "t.csv: line 3 has text after a quoted cell"),
                                 ("y,x\n1,2\r\n31415,4\n", "t.csv: line 2 does not end as the header line does")):
            self.write("t.csv", content)
            self.assert_refused(self.run_release("t.csv"), 3, message, secrets=("31415",))
            for kind, pack in PACKED.items():
                self.write(f"t.csv.{kind}", pack(content.encode()))
                self.assert_refused(self.run_release(f"t.csv.{kind}"), 3, message.replace("t.csv", f"t.csv.{kind}"), secrets=("31415",))
            self.assert_refused(self.run_release("-", stdin=content.encode()), 3,
                                message.replace("t.csv", "standard input"), secrets=("31415",))

    def test_a_first_line_that_is_a_person(self):
        content = "Alice Jones,51\nBob Smith,30\n"
        self.write("t.csv", content)
        for name in ("t.csv", "-"):
            result = self.run_release(name, column="age", stdin=content.encode())
            self.assert_refused(result, 3, "has no column 'age' in its first line", secrets=("Alice", "51"))

    def test_json_cells(self):
        for cell in (f'"{SECRET}"', "[31415926535]", '{"a": 31415926535}', "true"):
            with self.subTest(cell=cell):
                self.write("t.ndjson", f'{{"x": 1}}\n{{"x": {cell}}}\n')
                self.assert_refused(self.run_release("t.ndjson"), 3, "t.ndjson: row 2, column 'x': not a number",
                                    secrets=("31415",))

    def test_truncated_parquet(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT i * i % 1009 AS x FROM range(20000) t(i)")
        whole = (self.folder / "t.parquet").read_bytes()
        for content in (whole[:3], whole[:4], whole[:-1], whole[:-100], whole[: len(whole) // 2], b"PAR1garbagePAR1",
                        b"PAR1" + bytes(1000) + whole[-12:], b"x\n1\n"):
            self.write("t.parquet", content)
            result = self.run_release("t.parquet")
            self.assert_refused(result, 3, "fractile: t.parquet ", "check ", "of its format")

    def test_damaged_parquet(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT i * i % 1009 AS x FROM range(20000) t(i)")
        whole = (self.folder / "t.parquet").read_bytes()
        self.write("t.parquet", whole[:8] + b"\xff" * 64 + whole[72:])
        self.assert_refused(self.run_release("t.parquet"), 3, "t.parquet")

    def test_the_wrong_format(self):
        self.write("t.csv", "x\n1\n")
        for name in ("parquet", "json"):
            result = self.run_release("t.csv", input_format=name)
            self.assert_refused(result, 3, "t.csv is truncated or not of its format", "--input-format csv")


class RealFiles(CommandTest):
    """Files as they occur in practice give the correct number, or are refused with an accurate message before anything is charged."""

    def sure_ages(self, name, **changes):
        return self.sure_release(name, bounds=("0", "1000"), **changes)

    def refuse(self, code, *parts, name="t.csv", **changes):
        if not (self.folder / "l.db").exists():
            made = run("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder)
            self.assertEqual(made.code, 0, made)
        result = self.run_release(name, ledger="l.db", epsilon="1/2", **changes)
        self.assert_refused(result, code, *parts)
        spent = json.loads(run("ledger", "show", "l.db", "--format", "json", cwd=self.folder).out)
        self.assertNotIn('"state": "charged"', json.dumps(spent))
        return result

    def test_columns_of_one_name_but_for_letter_case(self):
        self.write("t.csv", "Age,age\n" + "5,40\n" * 400)
        self.assertEqual(self.sure_ages("t.csv", column="age"), ["40"] * 3)
        self.assertEqual(self.sure_ages("t.csv", column="Age"), ["5"] * 3)
        self.refuse(2, "which SQL does not distinguish", sql="SELECT TRY_CAST(age AS DOUBLE) AS y FROM input", column="y")
        self.refuse(3, "has no column 'AGE'", "did you mean 'Age'?", column="AGE")

    def test_row_names_of_r(self):
        self.write("t.csv", "age,note\n" + "".join(f"{row},34,\n" for row in range(1, 400)))
        self.assert_refused(self.run_release("t.csv", column="age"), 3, "t.csv: line 2 has more or fewer cells than the header")

    def test_one_line_of_json(self):
        for end in ("", "\n"):
            self.write("t.json", '{"x": 40}' * 400 + end)
            self.assertEqual(self.sure_ages("t.json"), ["40"] * 3)
            self.write("t.json.gz", gzip.compress((self.folder / "t.json").read_bytes()))
            self.assertEqual(self.sure_ages("t.json.gz"), ["40"] * 3)

    def test_time_zones(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT TIMESTAMPTZ '2024-03-10 07:30:00+00' AS seen FROM range(400)")
        for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
            with self.subTest(zone=zone):
                hours = self.sure_ages("t.parquet", sql="SELECT hour(seen) + 24 * day(CAST(seen AS DATE)) AS x FROM input",
                                       how={"env": {**os.environ, "TZ": zone}})
                self.assertEqual(hours, ["247"] * 3)

    def test_keys_by_type(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT CAST(1 + i % 2 AS DOUBLE) AS k, 40 * (i % 2) AS x FROM range(800) t(i)")
        result = self.run_release("t.parquet", by="k", keys="1,2", epsilon="20", quantiles="median", bounds=("0", "100"))
        self.assertEqual(result.code, 0, result)
        self.assertEqual([line.split(",")[-1] for line in result.out.splitlines()[1:]], ["0", "40"])
        self.refuse(2, "key 2 is no value of column 'k', which is DOUBLE", name="t.parquet", by="k", keys="1,two")

    def test_persons_by_floating_point_numbers(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT CAST('nan' AS DOUBLE) AS p, 0 AS x FROM range(9)")
        self.refuse(3, "column 'p' is DOUBLE, which does not identify persons", name="t.parquet", person="p")

    def test_records_that_are_read_as_a_header(self):
        records = b'{"name": "Alice Jones", "x": 31415}\n' * 3
        self.write("t.ndjson.gz", gzip.compress(records))
        self.write("t.csv", b"Alice Jones,31415,y\nBob,1,2\n")
        made = run("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1", "--input-format", "csv", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        for name, changes in (("t.ndjson.gz", {"input_format": "csv"}), ("t.csv", {})):
            for sql in (None, "SELECT * FROM input", "SELECT x FROM input", "SELECT input.x.y AS x FROM input"):
                with self.subTest(name=name, sql=sql):
                    result = self.refuse(2 if sql and name == "t.csv" and sql != "SELECT * FROM input" else 3, "fractile: ",
                                         name=name, sql=sql, **changes)
                    for secret in ("Alice", "31415", "Jones"):
                        self.assertNotIn(secret, result.err)


class StandardInput(CommandTest):
    def test_csv(self):
        for content in (b"x\n" + b"7\n" * 50, b"\xef\xbb\xbfx\r\n" + b"7\r\n" * 50, b'"x"\n' + b'"7"\n' * 50,
                        b"y;x\n" + b"a,b;7\n" * 50, b" x \n" + b" 7\n" * 50, b"x\n" + b"7\n" * 49 + b"7",
                        *(pack(b"x\n" + b"7\n" * 50) for pack in PACKED.values())):
            with self.subTest(content=content[:10]):
                self.assertEqual(self.sure_release("-", stdin=content), ["7"] * 3)

    def test_other_formats(self):
        self.assertEqual(self.sure_release("-", stdin=b'{"x": 7}\n' * 50, input_format="json"), ["7"] * 3)
        self.assertEqual(self.sure_release("-", stdin=b"y\tx\n" + b"1\t7\n" * 50, input_format="tsv"), ["7"] * 3)

    def test_refused(self):
        for content, message in ((b"", "standard input is empty"),
                                 (b"1\n2\n", "standard input: the first line holds numbers, not column names"),
                                 (b"\n\n", "standard input: the first line is blank"),
                                 (b"y\n1\n", "standard input has no column 'x' in its first line"),
                                 (b"x\n1\n31415x\n", "standard input: row 2, column 'x': not a number"),
                                 (b"x\n" + b"1" * 3_000_000, "standard input: line 2 is longer")):
            self.assert_refused(self.run_release("-", stdin=content), 3, message, secrets=("31415",))

    def test_no_room_to_keep_it(self):
        how = {"env": {**os.environ, "TMPDIR": str(self.folder / "gone")}}
        result = self.run_release("-", stdin=b"x\n1\n", how=how)
        self.assert_refused(result, 70, "no temporary file for the input", "set TMPDIR")


class SameRelease(CommandTest):
    """One table in many notations has the same profile, so one seed gives the same release."""

    CELLS = [None if i % 17 == 0 else str((i * i % 997) / 8) for i in range(5000)]
    QUERY = {"bounds": ("0", "125"), "step": "0.125", "quantiles": "deciles", "epsilon": "1/50", "unsafe_seed": "9"}

    def assert_same(self, name, expected, **changes):
        with self.subTest(name=name, **changes):
            self.assertEqual(self.release(name, **{**self.QUERY, **changes}), expected)

    def write_delimited(self, name, delimiter=",", end="\n", mark="", quote=""):
        rows = [["y", "x"], *[[str(i), cell or ""] for i, cell in enumerate(self.CELLS)]]
        lines = [delimiter.join(quote + cell + quote for cell in row) + end for row in rows]
        return self.write(name, mark + "".join(lines))

    def setUp(self):
        super().setUp()
        self.write_delimited("t.csv")
        self.expected = self.release("t.csv", **self.QUERY)

    def test_delimited_text(self):
        other = self.release("t.csv", **{**self.QUERY, "unsafe_seed": "10"})
        self.assertNotEqual(other, self.expected)  # otherwise the equalities below would prove nothing
        self.assert_same(self.write_delimited("bom.csv", mark="\ufeff"), self.expected)
        self.assert_same(self.write_delimited("crlf.csv", end="\r\n"), self.expected)
        self.assert_same(self.write_delimited("quoted.csv", quote='"'), self.expected)
        self.assert_same(self.write_delimited("semicolon.csv", ";"), self.expected)
        self.assert_same(self.write_delimited("bar.txt", "|"), self.expected)
        self.assert_same(self.write_delimited("t.tsv", "\t"), self.expected)
        self.assert_same(self.write_delimited("hash", "#"), self.expected, delimiter="#", input_format="csv")
        for kind, pack in PACKED.items():
            self.assert_same(self.write(f"t.csv.{kind}", pack((self.folder / "t.csv").read_bytes())), self.expected)
            self.assert_same(self.write("packed", (self.folder / f"t.csv.{kind}").read_bytes()), self.expected, input_format="csv")

    def test_quoted_separators_and_line_ends(self):
        rows = "".join(f'"a,""b""\n{i}",{cell or ""}\n' for i, cell in enumerate(self.CELLS))
        self.assert_same(self.write("q.csv", '"y, and more",x\n' + rows), self.expected)

    def test_json(self):
        records = [{"y": "a", "x": cell and float(cell)} for cell in self.CELLS]
        self.assert_same(self.write("array.json", json.dumps(records)), self.expected)
        lines = "".join(json.dumps(record) + "\n" for record in records)
        self.assert_same(self.write("lines.ndjson", lines), self.expected)
        self.assert_same(self.write("lines.jsonl.gz", PACKED["gz"](lines.encode())), self.expected)
        self.assert_same(self.write("array.json.gz", PACKED["gz"](json.dumps(records).encode())), self.expected)
        bare = "".join(json.dumps({k: v for k, v in record.items() if v is not None}) + "\n" for record in records)
        self.assert_same(self.write("bare.json", bare), self.expected)

    def test_parquet(self):
        engine = Engine()
        for number in ("DOUBLE", "DECIMAL(9, 3)", "VARCHAR"):
            select = f"SELECT y, CAST(x AS {number}) AS x FROM read_csv('{self.folder}/t.csv', all_varchar = true)"
            engine.write_parquet(self.folder / "t.parquet", select)
            self.assert_same("t.parquet", self.expected)

    def test_query(self):
        self.assert_same("t.csv", self.expected, sql="SELECT x FROM input")
        self.assert_same("t.csv", self.expected, sql="SELECT CAST(x AS DOUBLE) AS x FROM input ORDER BY random();", sql_stability="1")

    def test_listed_points(self):
        """The engine counts on the coarse lattice; this program counts on the list of the same points."""
        points = ",".join(str(i / 8) for i in range(1001))
        query = {**self.QUERY, "base": "uniform"}  # a release does not look for heaps on a list
        coarse = self.sure_release("t.csv", **query)
        listed = self.sure_release("t.csv", **{**query, "bounds": None, "step": None, "candidates": points})
        self.assertEqual([float(value) for value in coarse], [float(value) for value in listed])


class TextsInFiles(CommandTest):
    """Long lists and queries can be written once to a file, instead of on every command line."""

    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "".join(f"{i % 50}\n" for i in range(500)))

    def test_are_as_if_they_were_typed(self):
        self.write("q.txt", "0.1\r\n0.25, 1/2\n\n  0.9\n")
        self.write("c.txt", "0\n10\n20\n40")
        self.write("s.sql", "SELECT x\n  FROM input\n  WHERE TRY_CAST(x AS INTEGER) < 40\n")
        how = {"unsafe_seed": "7", "epsilon": "5", "quantiles": None}
        typed = self.run_release("t.csv", **{**how, "quantiles": "0.1,0.25,1/2,0.9", "sql": self.content("s.sql")})
        self.assertEqual(typed.code, 0, typed)
        self.assertEqual(self.run_release("t.csv", **how, quantiles_file="q.txt", sql_file="s.sql").out, typed.out)
        listed = {"bounds": None, "step": None, "quantiles": "median"}
        typed = self.run_release("t.csv", **{**how, **listed}, candidates="0,10,20,40")
        self.assertEqual(typed.code, 0, typed)
        self.assertEqual(self.run_release("t.csv", **{**how, **listed}, candidates_file="c.txt").out, typed.out)
        plan = ("plan", "--epsilon", "1", "--bounds", "0", "500", "--step", "1", "--format", "csv")
        self.assertEqual(self.of(*plan, "--quantiles-file", "q.txt"), self.of(*plan, "--quantiles", "0.1,0.25,1/2,0.9"))

    def test_refusals(self):
        self.write("blank.txt", "\n , \n")
        self.write("q.txt", "0.5\n0.x\n")
        self.assert_refused(self.run_release("t.csv", quantiles="median", quantiles_file="q.txt"), 2, "--quantiles-file takes the place of --quantiles")
        self.assert_refused(self.run_release("t.csv", quantiles=None, quantiles_file="q.txt"), 2, "--quantiles: '0.x' is not a number")
        self.assert_refused(self.run_release("t.csv", quantiles=None, quantiles_file="blank.txt"), 2, "--quantiles-file: blank.txt is empty")
        self.assert_refused(self.run_release("t.csv", quantiles=None, quantiles_file="t.csv", ledger="b.db"), 2,
                            "--quantiles-file does not go with --ledger")  # the error would quote the table itself
        self.assert_refused(self.run_release("t.csv", sql_file="gone.sql"), 3, "--sql-file: cannot read gone.sql: No such file", "name a text file")


if __name__ == "__main__":
    unittest.main()
