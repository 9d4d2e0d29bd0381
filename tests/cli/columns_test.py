"""fractile columns lists a table's columns and, for its owner only, the cells that cannot be read."""

import json
import os
import subprocess
import unittest

from cli.program import PROGRAM, CommandTest, Engine, options, require_engine, run

setUpModule = require_engine


class ColumnsTest(CommandTest):
    def columns(self, *arguments, **how):
        result = run("columns", *arguments, "--format", "json", cwd=self.folder, **how)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return json.loads(result.out)["columns"]

    def checked(self, *arguments, **how):
        """For each column's name: what it is read as, how many cells are read, missing and unreadable, and the first unreadable rows."""
        kinds = {}
        for column in self.columns(*arguments, "--check", **how):
            kinds[column["name"]] = tuple(column[key] for key in ("read_as", "read", "missing", "unreadable", "unreadable_rows"))
        return kinds


class Listed(ColumnsTest):
    def test_names_and_types_without_a_look_at_rows(self):
        self.write("t.csv", b"age,Age,\xc3\xa4 b\n1,2\n\xff\n")  # none of the lines below the header is a record
        self.assertEqual([(c["name"], c["type"]) for c in self.columns("t.csv")], [("age", "VARCHAR"), ("Age", "VARCHAR"), ("\u00e4 b", "VARCHAR")])
        result = run("columns", "t.csv", cwd=self.folder)
        self.assertEqual(result.out, "column,type\nage,VARCHAR\nAge,VARCHAR\n\u00e4 b,VARCHAR\n")
        result = run("columns", "t.csv", "--format", "table", cwd=self.folder)
        self.assertEqual([line.rstrip() for line in result.out.splitlines()], ["column  type", "age     VARCHAR", "Age     VARCHAR", "\u00e4 b     VARCHAR"])

    def test_types_of_a_schema(self):
        Engine().write_parquet(self.folder / "t.parquet", "SELECT 1::BIGINT AS a, 1.5::DECIMAL(9,2) AS b, DATE '2020-01-01' AS c, "
                               "'secret'::ENUM('secret', 'other') AS d, [1] AS e")
        types = {c["name"]: c["type"] for c in self.columns("t.parquet")}
        self.assertEqual(types, {"a": "BIGINT", "b": "DECIMAL(9,2)", "c": "DATE", "d": "VARCHAR", "e": "LIST"})

    def test_of_a_query(self):
        self.write("t.csv", "x\n1\n")
        listed = self.columns("t.csv", "--sql", "SELECT TRY_CAST(x AS DOUBLE) AS y, x FROM input")
        self.assertEqual([(c["name"], c["type"]) for c in listed], [("y", "DOUBLE"), ("x", "VARCHAR")])

    def test_json_has_no_schema(self):
        self.write("t.ndjson", '{"x": 1}\n')
        self.assert_refused(run("columns", "t.ndjson", cwd=self.folder), 2, "JSON has no schema", "add --check, which reads them")


class Checked(ColumnsTest):
    def test_a_decimal_comma(self):
        rows = [f"{i},{i / 4}" for i in range(100)]
        for k in (3, 17, 20, 21, 22, 40):
            rows[k] = f'{k},"1,5"'
        self.write("t.csv", "id,income\n" + "\n".join(rows) + "\n")
        self.assertEqual(self.checked("t.csv"), {"id": ("numbers", 100, 0, 0, []), "income": ("numbers", 94, 0, 6, [4, 18, 21, 22, 23])})
        result = run("columns", "t.csv", "--check", "--format", "table", cwd=self.folder)
        self.assertEqual([line.rstrip() for line in result.out.splitlines()],
                         ["column  type     read as  read  missing  unreadable                 in rows",
                          "id      VARCHAR  numbers   100        0           0",
                          "income  VARCHAR  numbers    94        0           6  4, 18, 21, 22, 23, ..."])
        result = run("columns", "t.csv", "--check", cwd=self.folder)
        self.assertEqual(result.out, "column,type,read_as,read,missing,unreadable,unreadable_rows\nid,VARCHAR,numbers,100,0,0,\n"
                                     "income,VARCHAR,numbers,94,0,6,4 18 21 22 23\n")

    def test_where_all_have_one(self):
        """Once, a column of nothing but such numbers was text that could be read."""
        self.write("t.csv", 'x;y\n"1,5";2\n"2,5";3\n')
        self.assertEqual(self.checked("t.csv"), {"x": ("numbers", 0, 0, 2, [1, 2]), "y": ("numbers", 2, 0, 0, [])})
        self.assertEqual(self.checked("t.csv", "--sql", "SELECT replace(x, ',', '.') AS x FROM input"), {"x": ("numbers", 2, 0, 0, [])})
        text = run("columns", "t.csv", "--check", "--format", "table", cwd=self.folder).out
        self.assertIn("No number can be read as it is written, in x:\nsay which character is the decimal point", text)

    def test_numbers_for_people(self):
        for cell in ("1.234,56", "$1,234.50", "21000,00 EUR", "EUR 5", "1 234,5", "1'234'567", "\u20ac5", "5 %", "-1,5", "kr 7", "0,5"):
            self.write("t.csv", f'x;y\n"{cell}";1\n"{cell}";2\n')
            with self.subTest(cell):
                self.assertEqual(self.checked("t.csv", "--delimiter", ";")["x"], ("numbers", 0, 0, 2, [1, 2]))
        for cell in ("01.02.2020", "12/31/2020", "A12", "ABC 1 2", "1.2.3", "030 123 456", "1,23,456", "12,", "-", "$", "1-2", "very 5", "a"):
            self.write("t.csv", f'x;y\n"{cell}";1\n"{cell}";2\n')
            with self.subTest(cell):
                self.assertEqual(self.checked("t.csv", "--delimiter", ";")["x"][0], "text")
        self.write("t.csv", "x;y\na;b\n")
        self.assertEqual(self.checked("t.csv", "--delimiter", ","), {"x;y": ("text", 1, 0, 0, [])})

    def test_missing(self):
        self.write("t.csv", "x,y\n1,NA\n,NA\n-9.0,a\nNA,\n  ,\nnan,b\n7,\n")
        self.assertEqual(self.checked("t.csv"), {"x": ("numbers", 3, 3, 1, [4]), "y": ("text", 4, 3, 0, [])})
        self.assertEqual(self.checked("t.csv", "--missing", "NA,-9"), {"x": ("numbers", 2, 5, 0, []), "y": ("text", 2, 5, 0, [])})

    def test_times(self):
        self.write("t.csv", "d,t,u\n" + "2020-01-01,2020-01-01T10:00:00,2020-01-01T10:00:00Z\n" * 3 + "01.02.2020,2020-01-01T10:00:00Z,7\n")
        self.assertEqual(self.checked("t.csv"), {"d": ("dates or times", 3, 0, 1, [4]), "t": ("dates or times", 3, 0, 1, [4]),
                                                 "u": ("times in UTC", 3, 0, 1, [4])})

    def test_every_type(self):
        Engine().write_parquet(
            self.folder / "t.parquet",
            "SELECT i::SMALLINT AS a, CASE WHEN i = 2 THEN 'nan' ELSE '1.5' END::DOUBLE AS b, NULLIF(i, 3)::DECIMAL(38, 9) AS c, "
            "DATE '2020-01-01' AS d, TIMESTAMP '2020-01-01' AS e, TIMESTAMPTZ '2020-01-01 00:00:00+00' AS f, i > 2 AS g, [i] AS h, "
            "CASE WHEN i = 1 THEN '1_000' ELSE '7' END AS i FROM range(5) t(i)")
        self.assertEqual(self.checked("t.parquet"), {
            "a": ("numbers", 5, 0, 0, []), "b": ("numbers", 4, 1, 0, []), "c": ("numbers", 4, 1, 0, []), "d": ("dates", 5, 0, 0, []),
            "e": ("dates or times", 5, 0, 0, []), "f": ("times in UTC", 5, 0, 0, []), "g": ("nothing", 5, 0, 0, []),
            "h": ("nothing", 5, 0, 0, []), "i": ("numbers", 4, 0, 1, [2])})

    def test_keys_of_json(self):
        records = '{"x": 1, "X": "a"}\n{"x": "NA", "y": null}\n{"y": {"z": 1}}\n'
        expected = {"X": ("text", 1, 2, 0, []), "x": ("numbers", 1, 1, 1, [2]), "y": ("text", 1, 2, 0, [])}
        self.write("t.ndjson", records)
        self.assertEqual(self.checked("t.ndjson"), expected)
        self.write("t.json", "[" + ",".join(records.splitlines()) + "]")
        self.assertEqual(self.checked("t.json"), expected)
        self.assertEqual(self.checked("t.json", "--sql", "SELECT x FROM input", "--missing", "NA"), {"x": ("numbers", 1, 2, 0, [])})
        self.write("wide.json", json.dumps([{f"k{i}": i for i in range(1001)}]))
        self.assert_refused(run("columns", "wide.json", "--check", cwd=self.folder), 3, "more than 1,000 keys", "--sql")

    def test_twins_and_names_of_terminals(self):
        self.write("t.csv", "x,x,a\x1bb\n1,NA,2\n")
        result = run("columns", "t.csv", "--check", "--format", "table", cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        self.assertEqual([line.split()[:3] for line in result.out.splitlines()[1:3]], [["x", "VARCHAR", "numbers"], ["x", "VARCHAR", "text"]])
        self.assertNotIn("\x1b", result.out)

    def test_what_it_reads_a_release_reads(self):
        cells = ["1", "1.", ".5", "-1e3", "+7", " 8 ", "1_000", "1,5", "0x10", "", "inf", "NaN", "$3", "+-5", "9" * 400, "2020-01-01"]
        self.write("t.csv", "x\n" + "".join(f'"{cell}"\n' for cell in cells))
        _, _, _, unreadable, rows = self.checked("t.csv")["x"]
        fails = []
        for row, cell in enumerate(cells):
            self.write("one.csv", f'x\n"{cell}"\n')
            if self.run_release("one.csv").code == 3:
                fails.append(row + 1)
        self.assertEqual((unreadable, rows), (len(fails), fails[:5]))

    def test_from_standard_input_and_gzip(self):
        self.assertEqual(self.checked("-", stdin=b"x\n1\nb\n"), {"x": ("numbers", 1, 0, 1, [2])})


class Refused(ColumnsTest):
    def test_beside_a_ledger(self):
        self.write("t.csv", "x\n1\n")
        refused = run("columns", "t.csv", "--check", "--ledger", "l.db", cwd=self.folder)
        self.assert_refused(refused, 2, "--ledger: ", "for its owner's eyes", "leave it out")
        self.assertEqual(self.files(), ["t.csv"])

    def test_what_goes_with_what(self):
        self.write("t.csv", "x\n1\n")
        self.assert_refused(run("columns", cwd=self.folder), 2, "no FILE to read")
        self.assert_refused(run("columns", "t.csv", "--missing", "NA", cwd=self.folder), 2, "--missing goes with --check")
        self.assert_refused(run("columns", "t.csv", "--chek", cwd=self.folder), 2, "did you mean --check?")
        self.assert_refused(run("column", "t.csv", cwd=self.folder), 2, "did you mean fractile columns?")
        self.assert_refused(run("columns", "t.csv", "--format", "html", cwd=self.folder), 2, "choose one of")
        self.assert_refused(run("columns", "t.csv", "--sql", "SELECT max(x) FROM input", cwd=self.folder), 2)
        self.assert_refused(run("columns", "none.csv", cwd=self.folder), 3, "cannot open none.csv")

    def test_what_only_a_look_at_every_column_finds(self):
        """Bytes that end a release only if it reads their column (docs/threat-model.md, the record domain)."""
        texts = "SELECT 5 AS x, 'QQQQ' AS note FROM range(61)"
        Engine().run(f"COPY ({texts}) TO '{self.folder / 't.parquet'}' (COMPRESSION uncompressed)")
        content = (self.folder / "t.parquet").read_bytes()
        (self.folder / "t.parquet").write_bytes(content.replace(b"QQQQ", b"Q\xffQQ"))
        records = '{"x":5,"y":4}\n' * 60
        self.write("twice.json", records + '{"x":5,"y":6,"y":4}\n')
        self.write("half.json", records + '{"x":5,"y":"\\ud800"}\n')
        self.write("list.json", records + "[5]\n")
        for name in ("t.parquet", "twice.json", "half.json", "list.json"):
            with self.subTest(name):
                self.assert_refused(run("columns", name, "--check", cwd=self.folder), 3, name)

    def test_json_without_a_record_that_is_an_object(self):
        """Such files have no keys, and once passed as tables without columns; a paid release failed."""
        for content in ('[[20,"a"],[30,"b"]]', "5", "[1,2,3]", '"abc"'):
            with self.subTest(content=content):
                self.write("t.json", content)
                for result in (run("columns", "t.json", "--check", cwd=self.folder), self.run_release("t.json")):
                    self.assert_refused(result, 3, "t.json: a record of JSON is not an object", "write each record as an object")

    def test_tables_that_are_none(self):
        self.write("t.csv", b"x,y\n1,2\n3\n")
        self.assert_refused(run("columns", "t.csv", "--check", cwd=self.folder), 3, "line 3", "more or fewer cells than the header")
        self.write("t.csv", b"x\n1\n\xff\n")
        self.assert_refused(run("columns", "t.csv", "--check", cwd=self.folder), 3, "UTF-8")


class Large(ColumnsTest):
    """Records are streamed, also for a release. What is kept does not grow with them, except for what the engine keeps of a text file."""

    @unittest.skipIf(os.environ.get("FRACTILE_SANITIZE"), "sanitizers take memory of their own")
    def test_memory(self):
        def peak(*words):
            with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                out = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return out, 1024 * usage.ru_maxrss

        text = "'a text that is some hundred bytes long' || repeat('.', 60)"
        for rows in (100_000, 3_000_000):
            Engine().write_parquet(self.folder / f"{rows}.parquet", f"SELECT i::VARCHAR AS x, {text} || i AS y FROM range({rows}) t(i)")
        small, large = (peak("columns", f"{rows}.parquet", "--check")[1] for rows in (100_000, 3_000_000))
        self.assertLess(large - small, 100_000_000)  # out of 330 MB of text

        line = "12345.678,a text that is some hundred bytes long" + "." * 60 + "\n"
        with open(self.folder / "t.csv", "w", encoding="ascii") as file:
            file.write("x,y\n" + line * 500_000 + "oops,a\n")
        out, checked = peak("columns", "t.csv", "--check", "--format", "json")
        x, y = json.loads(out)["columns"]
        self.assertEqual((x["read_as"], x["read"], x["unreadable"], x["unreadable_rows"]), ("numbers", 500_000, 1, [500_001]))
        self.assertEqual((y["read_as"], y["read"]), ("text", 500_001))
        released = peak("release", "t.csv", *options(unreadable="missing"))[1]
        self.assertLess(checked - released, 30_000_000)


if __name__ == "__main__":
    unittest.main()
