"""Queries before a release are row-wise or declared, read only what the options name, and behave the same whatever the rows hold."""

import gzip
import json
import unittest

from cli.program import HOUSE, NOISE, CommandTest, Engine, require_engine, run

setUpModule = require_engine

SECRET = "31415926"


class Refused(CommandTest):
    def refuse(self, sql, *parts, **changes):
        with self.subTest(sql=sql):
            self.write("t.csv", f"x,y\n1,2\n3,4\n{SECRET},5\n")
            self.assert_refused(self.run_release("t.csv", sql=sql, **changes), 2, *parts, secrets=(SECRET,))

    def test_what_is_not_row_wise(self):
        number = "TRY_CAST(x AS DOUBLE)"
        for sql, clause in ((f"SELECT max({number}) AS x FROM input", "the aggregate max"),
                            (f"SELECT avg({number}) OVER () AS x FROM input", "the window function avg(...) OVER"),
                            ("SELECT x FROM input LIMIT 2", "LIMIT"),
                            ("SELECT DISTINCT x FROM input", "DISTINCT"),
                            ("SELECT a.x FROM input a JOIN input b ON true", "a join"),
                            ("SELECT x FROM input USING SAMPLE 2", "USING SAMPLE"),
                            ("SELECT x FROM input ORDER BY x", "ORDER BY"),
                            ("SELECT random() AS x FROM input", "the function random"),
                            ("SELECT x FROM input WHERE x > (SELECT min(x) FROM input)", "a subquery"),
                            ("SELECT stats(x) AS x FROM input", "the function stats"),
                            ("SELECT nothere(x) AS x FROM input", "the function nothere")):
            self.refuse(sql, f"the query is not row-wise: {clause}")
        self.refuse("SELECT x FROM input LIMIT 2", "--sql-stability N")

    def test_other_sources(self):
        for source in ("'t.csv'", "read_csv('t.csv')", "read_csv_auto('t.csv')", "read_json('t.csv')",
                       "read_parquet('t.csv')", "read_text('t.csv')", "glob('*')", "elsewhere", "duckdb_settings()"):
            for stability in (None, "3"):
                self.refuse(f"SELECT x FROM {source}", "--table NAME=FILE", sql_stability=stability)
        self.refuse("SELECT x FROM information_schema.tables", "write its name alone")
        self.refuse("SELECT 1 AS x FROM range(10)", "reads no table of people", sql_stability="1")

    def test_names_that_no_check_knows(self):
        self.write("t.csv", "id,x\na,1\n")
        self.assert_refused(self.run_release("t.csv", sql="SELECT main.input.x FROM input"), 2,
                            "the query reads 'x' by way of a schema or a catalog", "write its name alone")
        window = ("SELECT id, sum(m) AS x FROM (SELECT id, x AS y, max(CAST(y AS INT)) OVER (PARTITION BY id) AS m FROM input) "
                  "GROUP BY id")
        self.assert_refused(self.run_release("t.csv", sql=window, person="id"), 2,
                            "the query makes 'y' in the SELECT whose windows or WHERE read it", "write there what 'y' stands for")
        self.assert_refused(self.run_release("t.csv", sql="WITH t AS (FROM input) SELECT id, sum(CAST(t.x AS INT)) AS x FROM t "
                                             "GROUP BY id", person="id"), 2, "WITH")

    def test_options(self):
        self.refuse("SELECT x FROM input", "--sql-stability: ", sql_stability="0")
        self.refuse("SELECT x FROM input", "--sql-stability: ", sql_stability="1000000001")
        self.refuse("SELECT x FROM input", "--sql-stability: ", sql_stability="1.5")
        self.refuse("SELECT x FROM input", "more than 4294967295", sql_stability="1000000000", records_per_person="5")
        self.refuse("SELECT x FROM input", "row-wise queries only", sql_stability="2", person="y")
        self.refuse("SELECT x FROM input", "has no = between", table="t.csv")
        self.refuse("SELECT x FROM input", "the table name input is already that of FILE", table="INPUT=t.csv")
        self.refuse("SELECT x FROM input", "is not made of letters", table="a b=t.csv")
        self.refuse(None, "--sql-stability goes with --sql", sql_stability="2")
        self.refuse(None, "--table goes with --sql", table="t=t.csv")
        self.assert_refused(self.run_release(sql="SELECT 1 AS x"), 2, "no FILE to read")


    def test_one_sentence_says_what_is_declared(self):
        """README, help and error once differed in what they said about records, rows and persons."""
        self.write("t.csv", "x\n1\n")
        error = self.run_release("t.csv", sql="SELECT x FROM input LIMIT 2").err
        helps = [run(verb, "--help").out for verb in ("release", "columns")]
        for text in (error, helps[0], (HOUSE / "README.md").read_text(encoding="utf-8")):
            said = " ".join(text.replace("`--sql-stability 3`", "3").split())
            self.assertIn("one record more or less changes at most N rows of the result, such as 3 for a join in which a record matches at most 3 others", said)
        self.assertIn("one record more or less changes at most N rows", " ".join(helps[1].split()))


class Passes(CommandTest):
    QUERY = {"quantiles": "median", "sql": "SELECT TRY_CAST(x AS DOUBLE) AS x FROM input WHERE y > '4'"}

    def test_every_format(self):
        rows = [("1", "1")] * 90 + [("7", "5")] * 60
        self.write("t.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
        self.write("t.tsv", "x\ty\n" + "".join(f"{x}\t{y}\n" for x, y in rows))
        self.write("t.json", json.dumps([{"x": x, "y": y} for x, y in rows]))
        self.write("t.ndjson", "".join(json.dumps({"x": int(x), "y": y}) + "\n" for x, y in rows))
        self.write("t.csv.gz", gzip.compress((self.folder / "t.csv").read_bytes()))
        Engine().write_parquet(self.folder / "t.parquet", f"SELECT x, y FROM read_csv('{self.folder}/t.csv', all_varchar = true)")
        for name in ("t.csv", "t.tsv", "t.json", "t.ndjson", "t.csv.gz", "t.parquet"):
            with self.subTest(name=name):
                self.assertEqual(self.sure_release(name, **self.QUERY), ["7"])
        self.assertEqual(self.sure_release("-", stdin=(self.folder / "t.csv").read_bytes(), **self.QUERY), ["7"])
        self.assertEqual(self.sure_release(table="people=t.csv", **{**self.QUERY, "sql": "SELECT x FROM people"}), ["1"])

    def test_one_value_among_integers_changes_no_other(self):
        """A reader that infers types would read all values as DOUBLE, and then x // 2 is not a whole number."""
        sql = "SELECT TRY_CAST(x AS INTEGER) // 2 AS x FROM input"
        for more in ("", "0.5\n", "abc\n"):
            self.write("t.csv", "x\n" + "7\n" * 99 + more)
            self.assertEqual(self.sure_release("t.csv", sql=sql, quantiles="median"), ["3"])

    def test_keys_of_json_are_matched_exactly(self):
        many = '{"Age": 3}\n' * 3000
        for more in ("", '{"age": 9}\n', '{"age": 9, "Age": null}\n'):
            self.write("t.ndjson", many + more)
            for name, median in (("Age", "3"), ("age", "9")):
                if name == "age" and not more: continue  # no record has this key
                self.assertEqual(self.sure_release("t.ndjson", sql=f"SELECT {name} AS x FROM input", quantiles="median"), [median])
        self.assert_refused(self.run_release("t.ndjson", sql="SELECT * FROM input"), 2, "a * over records", "name the columns")

    def test_joins_of_named_tables(self):
        self.write("people.csv", "id,x\na,1\nb,2\n")
        self.write("visits.csv", "id,x\n" + "a,3\n" * 50 + "b,8\n" * 60)
        sql = "SELECT v.x FROM people JOIN visits v USING (id)"
        tables = ("people=people.csv", "visits=visits.csv")
        words = [word for table in tables for word in ("--table", table)]
        result = self.run_release(*words, sql=sql)
        self.assert_refused(result, 2, "a join")
        self.assertEqual(self.sure_release(*words, sql=sql, sql_stability="60", quantiles="median"), ["8"])


class Declared(CommandTest):
    SQL = "SELECT x FROM input LIMIT 1000"

    def setUp(self):
        super().setUp()
        self.write("t.csv", "x,y\n" + "7,1\n" * 1000)

    def test_receipt_and_explanation(self):
        self.release("t.csv", sql=self.SQL, sql_stability="007", records_per_person="2", receipt="r.json",
                     table="more=t.csv")
        receipt = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(receipt["privacy"]["records_per_person"], 14)
        self.assertEqual(receipt["source"]["sql_stability"], 7)
        self.assertEqual(receipt["source"]["tables"], [{"name": "more", "file": "t.csv"}])
        words = " ".join(run("explain", "r.json", cwd=self.folder).out.split())
        self.assertIn("One person's records change at most 14 rows of the query's result", words)
        self.assertIn("more (t.csv)", words)

    def test_row_wise_queries_say_so(self):
        self.release("t.csv", sql="SELECT x FROM input", receipt="r.json")
        receipt = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertNotIn("sql_stability", receipt["source"])
        words = " ".join(run("explain", "r.json", cwd=self.folder).out.split())
        self.assertIn("row by row", words)
        self.assertNotIn("Declared", words)

    def test_it_multiplies_the_noise(self):
        """A stability acts like a number of records per person: the law is the same, so one seed gives the same release."""
        self.write("t.csv", "x\n" + "".join(f"{700 * i}\n" for i in range(1000)))
        query = {"unsafe_seed": "5", "bounds": ("0", "1000000"), "epsilon": "1/2", "quantiles": "deciles"}
        once = self.release("t.csv", sql=self.SQL, sql_stability="1", **query)
        self.assertNotEqual(self.release("t.csv", sql=self.SQL, sql_stability="6", **query), once)
        self.assertEqual(self.release("t.csv", sql=self.SQL, sql_stability="6", **query),
                         self.release("t.csv", records_per_person="6", **query))
        self.assertEqual(self.release("t.csv", sql=self.SQL, sql_stability="2", records_per_person="3", **query),
                         self.release("t.csv", records_per_person="6", **query))

    def test_a_ledger_tells_declarations_apart(self):
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "10", "--sql-stability", "2", "--sql", self.SQL, cwd=self.folder).code, 0)
        query = {"sql": self.SQL, "ledger": "l.db"}
        first = self.run_release("t.csv", sql_stability="6", **query)
        self.assertEqual((first.code, first.err), (0, ""))
        again = self.run_release("t.csv", sql_stability="6", **query)
        self.assertIn("nothing was spent", again.err)
        for changes in ({"sql_stability": "3", "records_per_person": "2"}, {"sql_stability": "2", "records_per_person": "3"}):
            self.assertEqual(self.run_release("t.csv", **{**query, **changes}).err, "")
        more = self.run_release("t.csv", **{**query, "sql_stability": "2", "table": "u=t.csv"})
        self.assertEqual(more.code, 2)
        self.assertIn("does not declare the stability of its query with 't.csv' as the table u", more.err)

    def test_pins_are_of_records_and_not_of_the_rows_that_they_change(self):
        """A record that changes six rows is still one record, and does not protect a person who has six records."""
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "10", "--records-per-person", "3",
                             "--sql-stability", "6", "--sql", self.SQL, cwd=self.folder).code, 0)
        query = {"sql": self.SQL, "ledger": "l.db", "sql_stability": "6"}
        for records, said in (("1", "1 record,"), ("2", "2 records,")):
            refused = self.run_release("t.csv", records_per_person=records, **query)
            self.assertEqual(refused.code, 2)
            self.assertIn(f"for persons with at most {said}", refused.err)
        self.assertEqual(self.run_release("t.csv", records_per_person="3", **query).code, 0)


class BeforeTheCharge(CommandTest):
    """With an exhausted ledger, the exit code is 4 whatever the rows hold: none of them has been read."""

    def test_nothing_of_a_row_is_looked_at(self):
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1/1000", cwd=self.folder).code, 0)
        for name, contents in (("t.csv", (b"x,y\n", b"x,y\n1,2\n", b"x,y\nabc,\xff\n", b'x,y\n"1,2\n1,2,3\n')),
                               ("t.ndjson", (b'{"x": 1, "y": 2}\n', b'{"X": 1}\n{"x": "abc"}\n', b"{not json\n", b"[]"))):
            for content in contents:
                self.write(name, content)
                for sql in ("SELECT CAST(x AS INTEGER) // 0 AS x FROM input WHERE CAST(y AS DATE) > '2020-01-01'",
                            "SELECT x::DOUBLE AS x FROM input WHERE input.y = 'a'"):
                    with self.subTest(name=name, content=content, sql=sql):
                        result = self.run_release(name, sql=sql, ledger="l.db")
                        self.assertEqual(result.code, 4, result)

    def test_failures_of_declared_queries_name_no_value(self):
        self.write("t.csv", f"x\n1\n{SECRET}\n")
        for sql, hint in (("SELECT CAST(x AS INTEGER) * 1000 AS x FROM input", "CAST(x AS DOUBLE)"),
                          ("SELECT CAST(x AS DATE)::VARCHAR AS x FROM input", "TRY_CAST"),
                          ("SELECT year(strptime(x, '%m/%d')) AS x FROM input", "TRY(f(x))"),
                          ("SELECT json_extract(x, x) AS x FROM input", ""),
                          ("SELECT regexp_full_match('a', '(' || x)::INTEGER AS x FROM input", "TRY(f(x))"),
                          ("SELECT date_part(x, DATE '2020-01-01') AS x FROM input", "TRY"),
                          ("SELECT x::ENUM('a')::VARCHAR AS x FROM input", "TRY_CAST")):
            with self.subTest(sql=sql):
                result = self.run_release("t.csv", sql=sql, sql_stability="1")
                if result.code != 0:
                    self.assert_refused(result, 3, hint, secrets=(SECRET, "3141"))


class NothingOfARowEndsIt(CommandTest):
    """Whatever record 17 holds, an asker who pays almost nothing sees the same."""

    FAILURES = ("CAST('x' || id AS DOUBLE)", "CAST('x' || id AS DATE)", "CAST(id AS INTEGER) * 9223372036854775807", "CAST(id AS TINYINT) * 100::TINYINT",
                "CAST(id || '.5.5' AS DECIMAL(9, 2))", "year(strptime(id, '%m/%d'))", "sqrt(-CAST(id AS DOUBLE))", "ln(CAST(id AS DOUBLE) - 17)",
                "factorial(CAST(id AS INTEGER) * 9)", "make_date(CAST(id AS INTEGER), 17, 17)", "CAST('[' || id AS INTEGER[])[1]", "CAST('{' || id AS JSON)",
                "CAST(id AS ENUM('a', 'b'))", "chr(CAST(id AS INTEGER) - 18)", "CAST(regexp_extract(id, '([0-9]+)', 1) AS DATE)",
                "CAST(id AS BOOLEAN)", "CAST(id AS UTINYINT) - 18::UTINYINT", "CAST('x' || id AS TIME)", "array_extract(['a'], CAST('x' || id AS INTEGER))",
                "CAST(id AS STRUCT(a INTEGER)).a", "json_extract('{' || id, '$.a')", "TRY_CAST(TIMESTAMP 'infinity' AS TIME)")

    def seen(self, income, sql, **changes):
        """What an asker sees, except for the value, of a table in which record 17 has this income."""
        self.write("t.csv", "id,income\n" + "".join(f"{i},{income if i == 17 else 50}\n" for i in range(3000)))
        for name in ("l.db", "r.json"):
            (self.folder / name).unlink(missing_ok=True)
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1", cwd=self.folder).code, 0)
        result = self.run_release("t.csv", sql=sql, ledger="l.db", **{"epsilon": "1e-9", "quantiles": "median", "bounds": ("0", "100"), **changes})
        return result.code, NOISE.sub("", result.err), len(result.out.splitlines())

    def assert_alike(self, sql, **changes):
        with self.subTest(sql=sql, **changes):
            low = self.seen(10, sql, **changes)
            self.assertEqual(low[:2], (0, ""))
            self.assertEqual(self.seen(90, sql, **changes), low)

    def test_values(self):
        for failure in self.FAILURES:
            self.assert_alike(f"SELECT CASE WHEN id = '17' AND CAST(income AS DOUBLE) > 50 THEN CAST({failure} AS VARCHAR) ELSE income END AS x FROM input")

    def test_conditions(self):
        for failure in self.FAILURES[:4]:
            when = "id = '17' AND CAST(income AS DOUBLE) > 50"
            self.assert_alike(f"SELECT income AS x FROM input WHERE CASE WHEN {when} THEN {failure} IS NULL ELSE true END")
            self.assert_alike(f"SELECT income AS x FROM input WHERE NOT ({when} AND {failure} IS NULL)")

    def test_inner_queries_and_what_is_counted(self):
        cell = "CASE WHEN id = '17' AND CAST(income AS DOUBLE) > 50 THEN 'x' ELSE income END"
        self.assert_alike(f"SELECT x FROM (SELECT CAST({cell} AS DOUBLE) AS x FROM input)")
        self.assert_alike(f"SELECT {cell} AS x FROM input")
        self.assert_alike(f"SELECT {cell} AS x, id FROM input", person="id")
        self.assert_alike(f"SELECT {cell} AS x FROM input", bounds=("2020-01-01", "2020-12-31"), step="1d")

    def test_persons_and_groups(self):
        cell = "CAST(CASE WHEN id = '17' AND CAST(income AS DOUBLE) > 50 THEN 'x' ELSE id END AS INTEGER)"
        self.assert_alike(f"SELECT income AS x, {cell} AS who FROM input", person="who")
        self.assert_alike(f"SELECT income AS x, {cell} AS place FROM input", by="place", keys="17,18")

    def test_further_tables(self):
        self.assert_alike("SELECT CASE WHEN id = '17' AND CAST(income AS DOUBLE) > 50 THEN CAST('x' || id AS DOUBLE) END AS x FROM people",
                          table="people=t.csv")


class NothingOfARowTakesLong(CommandTest):
    """An expression that could take long or use much memory on one row is refused before the charge."""

    def test_expressions(self):
        self.write("t.csv", "id,income\n" + "".join(f"{i},50\n" for i in range(30)))
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1", cwd=self.folder).code, 0)
        before = (self.folder / "l.db").read_bytes()
        deep = "id"
        for _ in range(11):
            deep = f"({deep} || {deep})"
        quoted = "id"  # each list puts a backslash before each quote in the text
        for _ in range(11):
            quoted = f"CAST([{quoted}] AS VARCHAR)"
        for value in ("length(lpad(id, 400000000, 'y'))", "length(rpad(id, CAST(income AS INTEGER) * 1000000, 'y'))", f"length({deep})", f"length({quoted})",
                      "length(replace(replace(id, '1', repeat('a', 10000)), 'a', 'aaaa'))", "levenshtein(id, income)", "regexp_matches(id, income)",
                      f"length(replace(replace(id, '1', '{'a' * 5000}'), 'a', '{'b' * 5000}'))", "id ILIKE '%1%2%3%'"):
            sql = f"SELECT TRY(CASE WHEN id = '17' AND CAST(income AS DOUBLE) > 50 THEN {value} ELSE CAST(income AS DOUBLE) END) AS x FROM input"
            with self.subTest(sql=sql[:200]):
                self.assert_refused(self.run_release("t.csv", sql=sql, ledger="l.db", epsilon="1e-9"), 2, "the query is")
                self.assertEqual((self.folder / "l.db").read_bytes(), before)

    def test_long_cells(self):
        """A query sees only the beginning of a text that is too long. A list that is too long is missing."""
        self.write("t.csv", "x\n" + ("a" * 100_000 + "\n") * 40 + ("a" * 60_000 + "\n") * 40)
        query = {"bounds": ("0", "200000"), "quantiles": "0.25,0.75"}
        self.assertEqual(self.sure_release("t.csv", sql="SELECT length(x) AS x FROM input", **query), ["16384", "60000"])
        Engine().write_parquet(self.folder / "t.parquet", "SELECT range(CASE WHEN i = 3 THEN 100000 ELSE 5 END) AS l FROM range(99) t(i)")
        self.assertEqual(self.sure_release("t.parquet", sql="SELECT len(l) AS x FROM input", **query), ["5", "5"])


if __name__ == "__main__":
    unittest.main()
