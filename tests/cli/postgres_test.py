"""Ledgers and tables on a PostgreSQL server, used by the program."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from cli.postgres_server import Server
from cli.program import EFFORT, PROGRAM, CommandTest, options, require_engine, run

SERVER = None


def setUpModule():
    global SERVER
    require_engine()
    SERVER = Server()
    unittest.addModuleCleanup(SERVER.close)


class PostgresLedger(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.address = SERVER.database("budgets")

    def ledger(self, *arguments):
        result = run("ledger", *arguments, cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""))
        return result.out

    def init(self):
        return self.ledger("init", self.address, "--dataset", "people", "--epsilon", "1")

    def entries(self):
        return json.loads(self.ledger("export", self.address))["entries"]

    def test_a_release_is_paid_once(self):
        self.assertIn("may spend epsilon = 1", self.init())
        how = {"ledger": self.address, "epsilon": "1/4", "receipt": "r.json"}
        first = run("release", "t.csv", *options(**how), "--format", "json", cwd=self.folder)
        self.assertEqual(first.code, 0, first.err)
        again = run("release", "t.csv", *options(**how), "--format", "json", cwd=self.folder)
        self.assertEqual((again.code, again.out), (0, first.out))
        self.assertIn("entry 1 of " + self.address, again.err)
        self.assertEqual([entry["state"] for entry in self.entries()], ["committed"])
        self.assertEqual(self.entries()[0]["receipt"], (self.folder / "r.json").read_text())
        self.assertIn("3/4", self.ledger("show", self.address, "--format", "csv"))
        self.assertIn("the ledger is whole", self.ledger("verify", self.address))
        self.assert_refused(run("release", "t.csv", *options(ledger=self.address, epsilon="4/5"), cwd=self.folder), 4)
        self.assertNotIn("127.0.0.1", first.out)  # a receipt does not reveal where its ledger is

    def test_a_failure_after_the_charge_says_how_to_void(self):
        self.ledger("init", self.address, "--dataset", "people", "--epsilon", "1", "--null", "error")
        self.write("bad.csv", "x\n1\nNaN\n")
        how = options(ledger=self.address, null="error")
        self.assert_refused(run("release", "bad.csv", *how, cwd=self.folder), 3, "entry 1 of " + self.address)
        self.ledger("void", self.address, "--entry", "1", "--reason", "it failed")
        self.assertEqual([entry["state"] for entry in self.entries()], ["void"])

    def test_passwords_are_shown_nowhere(self):
        self.init()
        SERVER.psql("DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'open sesame'")
        address = self.address.replace("postgres@", "guarded:open%20sesame@")
        shown = self.address.replace("postgres@", "guarded@")
        for words in (
            ["ledger", "show", address],
            ["ledger", "void", address, "--entry", "9", "--reason", "x"],
            ["ledger", "void", address, "--reason", "x"],
            ["ledger", "init", address, "--dataset", "people", "--epsilon", "1"],
            ["release", "t.csv", *options(ledger=address, epsilon="1/8", receipt="r.json")],
            ["release", "t.csv", *options(ledger=address, epsilon="1/8", receipt="r.json")],
            ["release", "t.csv", *options(ledger=address, epsilon="9")],
            ["release", "t.csv", *options(ledger=address, dataset="nobody")],
            ["explain", "r.json", "--format", "html", "--ledger", address],
            ["ledger", "show", address, "--format", "html"],
            ["ledger", "show", address.replace("sesame", "barley")],
            ["ledger", "show", address.replace("sesame@", "sesame@@")],
        ):
            result = run(*words, cwd=self.folder)
            for text in (result.out, result.err):
                self.assertNotIn("sesame", text)
                self.assertNotIn("barley", text)
        self.assertNotIn("sesame", (self.folder / "r.json").read_text())
        self.assertIn(shown, run("ledger", "void", address, "--entry", "9", "--reason", "x").err)
        result = run("ledger", "show", shown, env={**os.environ, "PGPASSWORD": "open sesame"})
        self.assertEqual(result.code, 0, result.err)

    def test_without_the_client_library(self):
        result = run("ledger", "show", self.address, env={**os.environ, "FRACTILE_LIBPQ": "/nowhere/libpq.so"})
        self.assert_refused(result, 2, "apt install libpq5")

    def test_no_receipt_is_unpaid_when_programs_are_killed(self):
        self.init()
        moments = random.Random(20261125)
        for number in range(max(1, round(12 * EFFORT))):
            words = options(ledger=self.address, epsilon="1/1000", receipt=f"{number}.json", again=True)
            process = subprocess.Popen(
                [PROGRAM, "release", "t.csv", *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(moments.uniform(0.02, 0.3))
            process.send_signal(signal.SIGKILL)
            process.wait()
        paid = {entry["receipt"] for entry in self.entries() if entry["state"] == "committed"}
        for receipt in self.folder.glob("*.json"):
            self.assertIn(receipt.read_text(), paid)
        self.ledger("verify", self.address)


class OfPeople(CommandTest):
    """Asks about people on a server that has a table of them."""

    @classmethod
    def setUpClass(cls):
        cls.address = SERVER.database("people")
        cls.psql(
            """CREATE TABLE people (id int, age smallint, pay numeric(12,2), share double precision, note text, born date,
                                    seen timestamp, seen_at timestamptz, loose numeric);
            INSERT INTO people SELECT i, i % 100, i * 1.25, i / 7.0, 'secret' || i, DATE '2000-01-01' + i,
                   TIMESTAMP '2000-01-01' + i * INTERVAL '1 hour', TIMESTAMPTZ '2000-01-01Z' + i * INTERVAL '1 hour', i FROM
                   generate_series(1, 2000) AS i;
            INSERT INTO people VALUES (0, NULL, 'NaN', 'NaN', NULL, NULL, 'infinity', NULL, NULL), (0, -5, 999999, 'infinity', '', '-infinity',
                   '-infinity', NULL, NULL);
            CREATE VIEW oldest AS SELECT max(age) AS age FROM people;
            CREATE TABLE guarded (age int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
            CREATE TABLE ratios (a int, b int, age int); INSERT INTO ratios SELECT 6, 0, i FROM generate_series(1, 20000) AS i;
            INSERT INTO ratios VALUES (5, 1, 30); CREATE INDEX ON ratios ((a + 0 + 0)); ANALYZE ratios;
            CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 2 * x';
            CREATE FUNCTION upper(x int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 2 * x';"""
        )

    @classmethod
    def psql(cls, sql):
        return SERVER.psql(sql, "people").stdout

    def asked(self, sql, column, *words, **changes):
        how = {"bounds": ("0", "100"), "step": "1", "column": column, "sql": sql, "postgres": self.address, "unsafe_seed": "7"}
        return run("release", *options({**how, "epsilon": "1", **changes}), *words, "--format", "json", cwd=self.folder)

    def refused(self, code, sql, column, *parts, **changes):
        result = self.asked(sql, column, **changes)
        self.assert_refused(result, code, *parts)
        self.assertNotIn("secret", result.err)
        return result.err

    def quantiles(self, result):
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out)["quantiles"]

    failing_queries = (
        "SELECT CAST(note AS integer) AS x FROM people",
        "SELECT 1 / (age - 7) AS x FROM people",
        "SELECT CAST(id * 100 AS smallint) AS x FROM people",
    )

    def with_path(self, path, *settings):
        words = [f"search_path={path}", *settings]
        return self.address + "?options=" + "%20".join("-c%20" + word.replace("=", "%3D").replace(",", "%2C") for word in words)


class PostgresSource(OfPeople):
    """A query on a server gives the same as a file with the same cells."""

    def test_every_type_is_read_as_from_a_file(self):
        for column, cast, changes in (
            ("age", "age", {}),
            ("pay", "pay", {"bounds": ("0", "2000"), "step": "0.01"}),
            ("share", "share", {"bounds": ("0", "300"), "step": "0.1"}),
            ("born", "born", {"bounds": ("2000-01-01", "2006-01-01"), "step": "1d"}),
            ("seen", "seen", {"bounds": ("2000-01-01T00:00:00", "2001-01-01T00:00:00"), "step": "1h"}),
            ("seen_at", "seen_at", {"bounds": ("2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z"), "step": "1h"}),
        ):
            with self.subTest(column):
                # A file cannot hold infinite dates: the ends of the bounds stand for them.
                ends = [f"'{end}'" for end in changes.get("bounds", ("0", "100"))]
                csv = self.psql(
                    f"SET timezone = 'UTC'; COPY (SELECT CASE {cast}::text WHEN 'infinity' THEN {ends[1]} WHEN '-infinity' THEN {ends[0]} "
                    f"WHEN 'Infinity' THEN {ends[1]} ELSE replace({cast}::text, '+00', 'Z') END AS {column} FROM people) "
                    "TO STDOUT (FORMAT csv, HEADER)"
                )
                self.write("t.csv", csv)
                how = {"bounds": ("0", "100"), "step": "1", "column": column, "unsafe_seed": "7", "epsilon": "1", **changes}
                from_file = run("release", "t.csv", *options(how), "--format", "json", cwd=self.folder)
                row_by_row = self.asked(f"SELECT {column} FROM people", column, **changes)
                self.assertEqual(self.quantiles(row_by_row), self.quantiles(from_file))
                # With a declared stability of one, the server runs the query. The result is the same.
                on_server = self.asked(f"SELECT {column} FROM people", column, sql_stability="1", **changes)
                self.assertEqual(self.quantiles(on_server), self.quantiles(from_file))

    def test_persons_and_groups_are_those_of_a_file(self):
        self.psql("DROP TABLE IF EXISTS visits; CREATE TABLE visits (who int, region text, cost numeric(9,2), day date); "
                  "INSERT INTO visits SELECT n % 97, CASE n % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' END, (n * 37 % 4000) / 100.0, "
                  "DATE '2000-01-01' + n % 300 FROM generate_series(1, 2000) n; "
                  "INSERT INTO visits VALUES (NULL, 'north', 9, NULL), (3, 'north', NULL, NULL)")
        self.write("t.csv", self.psql("COPY visits TO STDOUT (FORMAT csv, HEADER)"))
        how = {"column": "cost", "bounds": ("0", "900"), "step": "0.01", "unsafe_seed": "7", "epsilon": "1", "person": "who"}
        groups = {"by": "region", "keys": "south,north,west"}
        rows = "SELECT who, sum(CAST(cost AS DECIMAL(9, 2))) AS cost, min(region) AS region FROM {} WHERE region <> 'west' GROUP BY who"
        plain = "SELECT who, region, CAST(cost AS DECIMAL(9, 2)) AS cost FROM {}"
        for sql, changes in ((plain, {"records_per_person": "3"}), (plain, {"records_per_person": "3", **groups}),
                             (plain, {"per_person": "sum"}), (plain, {"per_person": "median", "records_per_person": "2", **groups}),
                             (plain, {"per_person": "count", "column": "region"}), (rows, {}), (rows, groups)):
            with self.subTest(sql, **changes):
                asked = {**how, **changes}
                from_file = run("release", "t.csv", *options(asked), "--sql", sql.format("input"), "--format", "csv", cwd=self.folder)
                self.assertEqual(from_file.code, 0, from_file)
                on_server = run("release", *options(asked), "--postgres", self.address, "--sql", sql.format("visits"), "--format", "csv")
                self.assertEqual((on_server.code, on_server.out), (0, from_file.out), on_server)

    def test_weights_are_those_of_a_file(self):
        self.psql("DROP TABLE IF EXISTS survey; CREATE TABLE survey (who int, region text, pay numeric(9,2), w numeric(7,3), f float8); "
                  "INSERT INTO survey SELECT n % 97, CASE n % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' END, (n * 37 % 4000) / 100.0, "
                  "(n * 7919 % 14000) / 1000.0 - 1, sqrt(n) FROM generate_series(1, 2000) n; "
                  "INSERT INTO survey VALUES (3, 'north', 9, NULL, 'NaN'), (3, 'north', NULL, 2, 2), (4, 'south', 7, 9999, 'Infinity')")
        self.write("t.csv", self.psql("COPY survey TO STDOUT (FORMAT csv, HEADER)"))
        sql = "SELECT who, region, CAST(pay AS DECIMAL(9, 2)) AS pay, CAST(w AS DECIMAL(7, 3)) AS w, CAST(f AS DOUBLE) AS f FROM {}"
        how = {"column": "pay", "bounds": ("0", "50"), "step": "0.01", "unsafe_seed": "7", "epsilon": "1", "weight": "w",
               "weight_bounds": ("0", "10"), "weight_step": "0.5"}
        groups = {"by": "region", "keys": "south,north,west"}
        for changes in ({}, groups, {"weight": "f"}, {"person": "who", "records_per_person": "3"},
                        {"person": "who", "records_per_person": "3", **groups}, {"missing": "2.5,9"},
                        {"weight_bounds": ("1", "4"), "weight_step": "1", "weight_stability": "2"}):
            with self.subTest(**changes):
                asked = {**how, **changes}
                from_file = run("release", "t.csv", *options(asked), "--count", "--sql", sql.format("input"), "--format", "csv", cwd=self.folder)
                self.assertEqual(from_file.code, 0, from_file)
                on_server = run("release", *options(asked), "--count", "--postgres", self.address, "--sql", sql.format("survey"), "--format", "csv")
                self.assertEqual((on_server.code, on_server.out), (0, from_file.out), on_server)
        asked = {**how, "null": "error"}
        on_server = run("release", *options(asked), "--postgres", self.address, "--sql", sql.format("survey"))
        self.assertEqual(on_server.code, 3)
        self.assertIn("column 'pay' or its weight: some row is NULL or NaN", on_server.err)
        on_server = run("release", *options(how), "--postgres", self.address, "--sql", "SELECT pay, w FROM survey", "--sql-stability", "1")
        self.assertEqual(on_server.code, 2)
        self.assertIn("a query that a server runs with a declared stability has no persons, groups or weights", on_server.err)

    def test_a_publication_is_that_of_a_file(self):
        """A publication from a server equals that from a file. A query that is not row-wise is refused before the charge."""
        self.psql("DROP TABLE IF EXISTS staff; CREATE TABLE staff (who int, region text, sex text, pay numeric(9,2)); "
                  "INSERT INTO staff SELECT n % 700, CASE n % 4 WHEN 0 THEN 'n' WHEN 1 THEN 's' WHEN 2 THEN 'abroad' END, "
                  "CASE n % 3 WHEN 0 THEN 'f' ELSE 'm' END, (n * 37 % 4000) / 100.0 FROM generate_series(1, 2000) n; "
                  "INSERT INTO staff VALUES (NULL, 'n', 'f', 9), (3, 'n', 'm', NULL)")
        self.write("staff.csv", self.psql("COPY staff TO STDOUT (FORMAT csv, HEADER)"))
        plain = "SELECT who, region, sex, CAST(pay AS DECIMAL(9, 2)) AS pay FROM {}"
        text = """[publication]
epsilon = 2
person = "who"
records_per_person = 2
[input]
{source}
[keys]
region = ["n", "s"]
sex = ["f", "m"]
[[table]]
name = "pay"
column = "pay"
bounds = [0, 40]
step = 0.01
quantiles = "quartiles"
count = true
by = ["region", "sex"]
totals = "all"
other = {{ region = "elsewhere" }}
[[table]]
name = "pay of all"
column = "pay"
bounds = [0, 40]
step = 1
quantiles = "median"
"""
        self.write("file.toml", text.format(source=f'file = "staff.csv"\nsql = "{plain.format("input")}"'))
        self.write("server.toml", text.format(source=f'postgres = "{self.address}"\nsql = "{plain.format("staff")}"'))
        words = ("--unsafe-seed", "7", "--format", "csv")
        from_file = run("publish", "file.toml", *words, cwd=self.folder)
        self.assertEqual(from_file.code, 0, from_file)
        on_server = run("publish", "server.toml", *words, cwd=self.folder)
        self.assertEqual((on_server.code, on_server.out), (0, from_file.out), on_server)
        self.assertIn("pay,elsewhere,f,count", on_server.out)
        made = run("ledger", "init", "budget.db", "--dataset", "staff", "--epsilon", "9", "--records-per-person", "2",
                   "--postgres", self.address, cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        of_all = "SELECT who, region, sex, avg(pay) OVER () AS pay FROM staff"
        self.write("server.toml", text.format(source=f'postgres = "{self.address}"\nsql = "{of_all}"'))
        refused = run("publish", "server.toml", "--ledger", "budget.db", cwd=self.folder)
        self.assertNotEqual(refused.code, 0)
        self.assertIn("the query is not row-wise: the window function", refused.err)
        export = json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)
        self.assertEqual(export["entries"], [])

    def test_what_is_declared_to_be_missing(self):
        self.psql("DROP TABLE IF EXISTS coded; CREATE TABLE coded (a int, b numeric(9,2), c double precision, d date, e timestamptz); "
                  "INSERT INTO coded SELECT 7, 7, 7, DATE '2000-01-07', TIMESTAMPTZ '2000-01-07Z' FROM generate_series(1, 60); INSERT INTO coded "
                  "SELECT 99, 99, 99, DATE '9999-12-31', TIMESTAMPTZ '9999-12-31Z' FROM generate_series(1, 90)")
        days = {"bounds": ("2000-01-01", "2000-12-31"), "step": "1d"}
        hours = {"bounds": ("2000-01-01T00:00:00Z", "2000-12-31T00:00:00Z"), "step": "1h"}
        sure = {"epsilon": "20", "quantiles": "median"}
        for column, missing, expected, changes in (
            ("a", "99.0", 7, {}), ("b", "99", 7, {"step": "0.01"}), ("c", "NA,99", 7, {}), ("d", "9999-12-31", "2000-01-07", days),
            ("e", "9999-12-31T00:00:00Z", "2000-01-07T00:00:00Z", hours),
        ):
            for stability in (None, "1"):
                with self.subTest(column=column, stability=stability):
                    how = {**sure, **changes, "sql_stability": stability}
                    released = self.asked(f"SELECT {column} FROM coded", column, missing=missing, **how)
                    self.assertEqual(self.quantiles(released)[0]["value"], expected)
                    self.assertEqual(json.loads(released.out)["source"]["missing"], missing.split(","))
                    without = self.quantiles(self.asked(f"SELECT {column} FROM coded", column, **how))[0]["value"]
                    self.assertNotEqual(without, expected)
        self.refused(3, "SELECT a FROM coded", "a", "NULL or NaN", missing="7", null="error")
        self.refused(2, "SELECT a FROM coded", "a", "declared to be missing twice", missing="7,7")
        self.quantiles(self.asked("SELECT a FROM coded", "a", unreadable="missing"))

    def test_conditions_and_expressions_of_a_row(self):
        sql = 'SELECT abs(age - 50) AS "Far" FROM (SELECT age FROM people WHERE id > 10) AS older WHERE age IS NOT NULL'
        self.quantiles(self.asked(sql, "Far"))

    def test_what_is_not_row_wise_is_refused(self):
        for sql, part in (
            ("SELECT max(age) AS age FROM people", "the aggregate max"),
            ("SELECT age FROM people GROUP BY age", "one row of all records that have the same 'age'"),
            ("SELECT age FROM people GROUP BY age, id", "one column alone"),
            ("SELECT DISTINCT age FROM people", "DISTINCT"),
            ("SELECT age FROM people LIMIT 5", "LIMIT"),
            ("SELECT a.age FROM people a JOIN people b USING (id)", "a join"),
            ("SELECT age FROM people WHERE age > (SELECT avg(age) FROM people)", "a subquery"),
            ("SELECT age FROM oldest", "oldest is not an ordinary table"),
            ("SELECT age FROM OLDEST", "OLDEST is not an ordinary table"),
            ("SELECT age FROM guarded", "guarded has row security"),
            ("SELECT current_date AS age FROM people", "current_date"),
            ("SELECT twice(id) AS age FROM people", "the function twice"),
            ("SELECT upper(id) AS age FROM people", "upper"),  # this would be the server's function, and the server runs none
            ("SELECT row_number() OVER () AS age FROM people", "window function"),
            ("SELECT random() AS age FROM people", "the function random"),
            ("SELECT age FROM people TABLESAMPLE SYSTEM (10)", "TABLESAMPLE"),
            ("SELECT 1 AS age) TO PROGRAM 'touch x'; --", "the query"),
            ("DELETE FROM people RETURNING age", "the query"),
            ("SELECT age FROM nowhere", "nowhere"),
            ("SELECT nothing AS age FROM people", "nothing"),
        ):
            with self.subTest(sql):
                self.refused(2, sql, "age", part)
        self.assertEqual(self.psql("SELECT count(*) FROM people").strip(), "2002")
        declared = self.asked("SELECT age FROM oldest", "age", sql_stability="1")
        self.assertEqual(declared.code, 0, declared.err)

    def test_operators_and_functions_of_somebody_are_not_run(self):
        """Each of them would read other rows, or claim something false about a value."""
        self.psql(
            """DROP SCHEMA IF EXISTS evil CASCADE; CREATE SCHEMA evil;
            CREATE FUNCTION evil.most() RETURNS int STABLE LANGUAGE sql AS 'SELECT max(age)::int FROM public.people';
            CREATE FUNCTION evil.sum(smallint, int) RETURNS int STABLE LANGUAGE sql AS 'SELECT evil.most()';
            CREATE FUNCTION evil.sum(numeric, int) RETURNS numeric STABLE LANGUAGE sql AS 'SELECT evil.most()::numeric';
            CREATE OPERATOR evil.+ (LEFTARG = smallint, RIGHTARG = int, FUNCTION = evil.sum);
            CREATE FUNCTION evil.fits(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT evil.most() > 0';
            CREATE OPERATOR evil.<= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.fits);
            CREATE OPERATOR evil.+ (LEFTARG = numeric, RIGHTARG = int, FUNCTION = evil.sum);
            CREATE FUNCTION evil.is(name, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
            CREATE FUNCTION evil.is("char", "char") RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
            CREATE FUNCTION evil.is(oid, regclass) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
            CREATE FUNCTION evil.is(oid, oid) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
            CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.is);
            CREATE OPERATOR evil.= (LEFTARG = "char", RIGHTARG = "char", FUNCTION = evil.is);
            CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = evil.is);
            CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.is);
            CREATE FUNCTION evil.to_regclass(text) RETURNS regclass STABLE LANGUAGE sql AS $$SELECT 'public.people'::regclass$$;
            CREATE FUNCTION evil.split_part(text, text, int) RETURNS text IMMUTABLE LANGUAGE sql AS $$SELECT 'evil'::text$$;
            CREATE FUNCTION evil.leak(public.people) RETURNS int STABLE LANGUAGE sql AS 'SELECT evil.most()';
            CREATE DOMAIN evil.text AS pg_catalog.text CHECK (evil.most() < 0);"""
        )
        queries = (
            "SELECT age + 0 AS age FROM people WHERE id > 5",
            "SELECT CAST(pay + 0 AS integer) AS age FROM People WHERE id + 0 > 5",
            "SELECT people.age FROM people WHERE CAST(id AS text) <> ''",
            "SELECT age FROM people WHERE note <> 'secret5'",
        )
        for path in ("evil,pg_catalog,public", "evil,public"):
            careless = self.with_path(path)
            for sql in queries:
                with self.subTest(path=path, sql=sql):
                    through = self.asked(sql, "age", postgres=careless)
                    self.assertEqual(self.quantiles(through), self.quantiles(self.asked(sql, "age")))
                    self.assertNotIn("PostgreSQL evil", through.out)
            for sql, part in (
                ("SELECT people.leak AS age FROM people", "leak"),  # a function of rows, written like a column
                ("SELECT age FROM oldest", "oldest is not an ordinary table"),
                ("SELECT age FROM guarded", "guarded has row security"),
                ("SELECT upper(id) AS age FROM people", "upper"),
                ("SELECT age FROM nowhere", "no table 'nowhere'"),
            ):
                with self.subTest(path=path, sql=sql):
                    self.refused(2, sql, "age", part, postgres=careless)
        # A query with a declared stability means what it means on the server.
        sql = "SELECT people.leak AS age FROM people"
        self.quantiles(self.asked(sql, "age", postgres=self.with_path("public,evil"), sql_stability="1"))

    def test_tables_are_found_on_the_search_path_of_the_session(self):
        self.psql(
            """DROP SCHEMA IF EXISTS "Its Own" CASCADE; CREATE SCHEMA "Its Own";
            CREATE TABLE "Its Own".people (age int); INSERT INTO "Its Own".people SELECT 7 FROM generate_series(1, 2000);
            CREATE TABLE "Its Own"."Upper" (age int); INSERT INTO "Its Own"."Upper" SELECT 9 FROM generate_series(1, 2000)"""
        )
        own = self.with_path('%22Its\\%20Own%22')
        for sql, value in (("SELECT age FROM people", 7), ('SELECT age FROM "Upper"', 9), ("SELECT p.age + 1 AS age FROM PEOPLE AS p", 8)):
            found = self.quantiles(self.asked(sql, "age", postgres=own, epsilon="100"))
            self.assertEqual([quantile["value"] for quantile in found], [value] * len(found), sql)
        # A name is looked up as it is spelled, and then in lower case.
        self.assertEqual(self.quantiles(self.asked("SELECT age FROM Upper", "age", postgres=own, epsilon="100"))[0]["value"], 9)
        self.refused(2, "SELECT age FROM uPPER", "age", "no table 'uPPER'", postgres=own)

    def test_a_setting_of_the_session_does_not_change_what_the_query_says(self):
        # If backslashes were escapes, the first string would end elsewhere, and a subquery would appear.
        sql = "SELECT age, '\\' AS a, ' , (SELECT max(age) FROM people) AS b -- ' AS c FROM people"
        loose = self.with_path("public", "standard_conforming_strings=off")
        for declared in (None, "1"):
            through = self.quantiles(self.asked(sql, "age", postgres=loose, sql_stability=declared))
            self.assertEqual(through, self.quantiles(self.asked(sql, "age", sql_stability=declared)))

    def test_a_declared_stability_is_paid_for(self):
        declared = self.quantiles(self.asked("SELECT age FROM people", "age", sql_stability="3"))
        for_three = self.quantiles(self.asked("SELECT age FROM people", "age", records_per_person="3"))
        for_one = self.quantiles(self.asked("SELECT age FROM people", "age"))
        self.assertEqual(declared, for_three)
        self.assertNotEqual(declared, for_one)

    def test_options_that_do_not_go_together(self):
        sql = "SELECT age FROM people"
        for changes in ({"person": "id"}, {"by": "note", "keys": "a"}):
            self.refused(2, sql, "age", f"--{[*changes][0]} does not go with --postgres and --sql-stability", sql_stability="1", **changes)
        self.refused(3, sql, "age", "has no column 'id'", person="id")
        self.refused(2, sql, "age", "--public-rows goes neither", public_rows=True)
        self.assert_refused(run("release", "t.csv", *options(postgres=self.address, sql=sql)), 2, "takes the place of FILE")
        self.assert_refused(run("release", *options(postgres=self.address)), 2, "--postgres goes with --sql")

    def test_columns_that_are_not_counted(self):
        for column, of_server in (("note", "text"), ("loose", "numeric without a precision")):
            self.refused(3, f"SELECT {column} FROM people", column, "is text, which is not counted")
            self.refused(3, f"SELECT {column} FROM people", column, f"is {of_server}, which is not counted", sql_stability="1")
        self.quantiles(self.asked("SELECT CAST(loose AS DECIMAL(12, 2)) AS loose FROM people", "loose"))
        # What the hints say to write reads the server's table.
        self.refused(3, "SELECT born FROM people", "born", "is DATE, not a number", "AS born FROM people")
        self.refused(3, "SELECT age, share FROM people", "age", "does not identify persons", "CAST(share AS BIGINT) AS person FROM people",
                     person="share")
        self.refused(3, "SELECT born FROM people", "born", "is date, and the bounds are numbers", sql_stability="1")
        self.refused(3, "SELECT age FROM people", "agee", "no column")
        self.refused(3, "SELECT age, id AS age FROM people", "age", "more than one column", sql_stability="1")
        self.refused(3, "SELECT age FROM people", "age", "NULL or NaN", null="error")

    def test_errors_of_rows_tell_nothing_of_them(self):
        """This concerns declared queries, which the server runs."""
        for sql in self.failing_queries:
            error = self.refused(3, sql, "x", "SQLSTATE class 22", sql_stability="1")
            for word in ("secret", "zero", "range", "invalid"):
                self.assertNotIn(word, error)

    def test_no_index_decides_which_rows_are_looked_at(self):
        # With an index, failing rows would never be read, so statistics about other rows would decide whether the query fails.
        declared = {"sql_stability": "1"}
        self.refused(3, "SELECT age FROM ratios WHERE 1 / b > 0 AND a + 0 + 0 = 5", "age", "SQLSTATE class 22", **declared)
        self.quantiles(self.asked("SELECT age FROM ratios WHERE a = 5 AND 1 / b > 0", "age", **declared))

    def test_a_charge_comes_before_rows(self):
        SERVER.psql("DROP DATABASE IF EXISTS budgets")
        ledger = SERVER.database("budgets")
        init = ("ledger", "init", ledger, "--epsilon", "1", "--dataset")
        self.assertEqual(run(*init, "others").code, 0)
        self.refused(2, "SELECT age FROM people", "age", "--postgres may be used on a ledger's dataset only as its owner declared it", ledger=ledger,
                     unsafe_seed=None)
        declared = "SELECT CAST(note AS integer) AS x FROM people"
        self.assertEqual(run(*init, "people", "--postgres", self.address, "--sql-stability", "1", "--sql", declared).code, 0)
        ledger = {"ledger": ledger, "dataset": "people"}
        self.refused(2, "SELECT max(age) AS age FROM people", "age", **ledger, unsafe_seed=None)
        failing = {**ledger, "unsafe_seed": None, "sql_stability": "1"}
        # An owner declares one query, and an asker cannot have the server run any other.
        self.refused(2, "SELECT length(pg_read_file('PG_VERSION')) AS x", "x", "this is another query", **failing)
        self.refused(3, declared, "x", "stays reserved", **failing)
        how = {**ledger, "unsafe_seed": None, "epsilon": "0"}
        self.refused(4, "SELECT age FROM people", "age", **{**how, "epsilon": "1/8"})
        run("ledger", "void", ledger["ledger"], "--entry", "1", "--reason", "it failed")
        first = self.asked("SELECT age FROM people", "age", **ledger, unsafe_seed=None, epsilon="1/2", source="people")
        again = self.asked("SELECT age FROM people", "age", **ledger, unsafe_seed=None, epsilon="1/2", source="people")
        self.assertEqual((first.code, again.out), (0, first.out), first.err)
        self.assertIn("PostgreSQL", first.out)
        self.assertNotIn("127.0.0.1", first.out)

    def test_a_table_is_pinned_by_what_the_server_finds(self):
        self.psql("CREATE SCHEMA IF NOT EXISTS clinic; CREATE TABLE IF NOT EXISTS clinic.patients (age int); "
                  "CREATE TABLE IF NOT EXISTS clinic.people (age int); CREATE TABLE IF NOT EXISTS patients (age int); "
                  "INSERT INTO patients SELECT 7 FROM generate_series(1, 1000)")
        ledger = str(self.folder / "pins.db")
        init = ("ledger", "init", ledger, "--epsilon", "1", "--postgres")
        self.assertEqual(run(*init, self.address, "--dataset", "people", "--source", "public.people").code, 0)
        elsewhere = self.with_path("clinic")
        self.assertEqual(run(*init, elsewhere, "--dataset", "elsewhere", "--source", "public.people").code, 0)
        how = {"ledger": ledger, "unsafe_seed": None, "epsilon": "1/8"}
        words = "the release reads the source '{}', but the budget of dataset '{}' is for the source 'public.people'"
        for more in ({}, {"source": "public.people"}):  # the asker's own name for a source does not help
            self.refused(2, "SELECT age FROM patients", "age", words.format("public.patients", "people"), **how, dataset="people", **more)
        # With a search_path of the asker's, a declared query would read other tables.
        for sql, declared in (("SELECT age FROM people", {}), ("SELECT max(age) AS age FROM people GROUP BY id", {"sql_stability": "1"})):
            self.refused(2, sql, "age", "may be used on a ledger's dataset only as its owner declared it", "--postgres", **how,
                         dataset="people", postgres=elsewhere, **declared)
        declared_query = options(postgres=self.address, sql="SELECT age FROM people", column="age", dataset="people", sql_stability="1",
                                 bounds=("0", "100"), step="1", **how)
        result = run("release", *declared_query, cwd=self.folder, env={**os.environ, "PGOPTIONS": "-c search_path=clinic"})
        self.assert_refused(result, 2, "may be used on a ledger's dataset only as its owner declared it", "?options=-c%20search_path%3Dclinic")
        self.refused(2, "SELECT age FROM people", "age", words.format("clinic.people", "elsewhere"), **how, dataset="elsewhere", postgres=elsewhere)
        self.quantiles(self.asked("SELECT age FROM people", "age", **how, dataset="people"))

    def test_passwords_are_shown_nowhere(self):
        address = self.address.replace("postgres@", "nobody:sesame@")
        result = run("release", *options(postgres=address, sql="SELECT age FROM people", column="age"))
        self.assert_refused(result, 3, "cannot be reached")
        self.assertNotIn("sesame", result.err)



class WhatAnAskerLearns(OfPeople):
    """Queries of an asker who pays almost nothing."""

    def asked_for_nothing(self, sql, column="x", **changes):
        return self.asked(sql, column, epsilon="1e-9", **changes)

    def test_a_field_is_no_function(self):
        """A server reads (x).f and t.f as f(x), so such fields are refused."""
        self.psql("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
        for expression in (
            "(age).max",
            "(age).sum",
            "people.count",
            "people.id.count",
            "(ARRAY[age, id]).unnest",
            "('postgresql.conf').pg_read_file",
            "(people).row_to_json",
            "(1).pg_terminate_backend",
            "('people').pg_relation_size",
            "(id).generate_series",
        ):
            for sql in (
                f"SELECT {expression} AS x FROM people",
                f"SELECT age AS x FROM people WHERE {expression} IS NOT NULL",
                f"SELECT y AS x FROM (SELECT {expression} AS y FROM people) AS inside",
            ):
                with self.subTest(sql):
                    self.refused(2, sql, "x", epsilon="1e-9")
        for call in (
            "pg_create_physical_replication_slot('kept', true)",
            "pg_read_file('PG_VERSION')",
            "pg_catalog.pg_sleep(3)",
            "txid_current()",
            "query_to_xml('SELECT 1', true, true, '')",
        ):
            with self.subTest(call):
                self.refused(2, f"SELECT {call} AS x FROM people", "x", epsilon="1e-9")
        self.assertEqual(self.psql("SELECT count(*) FROM pg_replication_slots").strip(), "0")

    def test_no_row_decides_whether_a_release_succeeds(self):
        self.psql("CREATE TABLE IF NOT EXISTS incomes (id int, income int, note text); TRUNCATE incomes")
        self.psql("INSERT INTO incomes SELECT i, 50, 'x' FROM generate_series(1, 3000) AS i")
        for sql in self.failing_queries:
            self.quantiles(self.asked_for_nothing(sql))
        failures = ("CAST('x' || id AS DOUBLE)", "CAST(id AS BIGINT) * 9223372036854775807", "ln(id - 17)", "CAST(note AS DATE) - DATE '2020-01-01'")
        seen = []
        for income in (10, 90):
            self.psql(f"UPDATE incomes SET income = {income} WHERE id = 17")
            ledger = self.folder / f"{income}.db"
            run("ledger", "init", str(ledger), "--dataset", "people", "--epsilon", "1", "--postgres", self.address)
            how = {"ledger": str(ledger), "unsafe_seed": None, "source": "people"}
            of_this = []
            for failure in failures:
                when = "id = 17 AND income > 50"
                for sql in (
                    f"SELECT CASE WHEN {when} THEN {failure} ELSE income END AS x FROM incomes",
                    f"SELECT income AS x FROM incomes WHERE CASE WHEN {when} THEN {failure} > 0 ELSE true END",
                    f"SELECT x FROM (SELECT CASE WHEN {when} THEN {failure} ELSE income END AS x FROM incomes) AS inside",
                ):
                    result = self.asked_for_nothing(sql, **how)
                    self.assertEqual(result.code, 0, result.err)
                    of_this.append((result.code, result.err.replace(str(ledger), "")))
            seen.append(of_this)
        self.assertEqual(seen[0], seen[1])

    def test_the_server_sees_nothing_of_the_query(self):
        """The server is asked only for columns of the table, and only for those that the query names."""
        self.psql("ALTER DATABASE people SET log_statement = 'all'")
        try:
            before = (SERVER.folder / "log").stat().st_size
            sql = "SELECT age + 424242 AS needle FROM people WHERE note <> 'haystack' AND id > 31337"
            self.quantiles(self.asked(sql, "needle", bounds=("424242", "424342")))
            with open(SERVER.folder / "log", encoding="utf-8", errors="replace") as log:
                log.seek(before)
                said = log.read()
        finally:
            self.psql("ALTER DATABASE people RESET log_statement")
        copies = [line for line in said.splitlines() if "COPY" in line]
        self.assertEqual(len(copies), 1, said)
        self.assertRegex(copies[0], r'COPY \(SELECT [^()]*"age"')
        self.assertNotIn('"pay"', copies[0])
        for word in ("needle", "haystack", "424242", "31337"):
            self.assertNotIn(word, said)

    def test_tables_that_are_none_of_people(self):
        self.psql(
            """CREATE EXTENSION IF NOT EXISTS file_fdw; DROP SERVER IF EXISTS files CASCADE; DROP SCHEMA IF EXISTS kinds CASCADE;
            CREATE SCHEMA kinds; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; SET search_path = kinds, public;
            CREATE TABLE parted (x int) PARTITION BY RANGE (x); CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (0) TO (500);
            INSERT INTO parted SELECT i % 100 FROM generate_series(1, 1000) AS i;
            CREATE TABLE foreign_part (x int) PARTITION BY RANGE (x);
            CREATE FOREIGN TABLE foreign_1 PARTITION OF foreign_part FOR VALUES FROM (0) TO (9) SERVER files OPTIONS (filename '/etc/hostname');
            CREATE TABLE deep (x int) PARTITION BY RANGE (x); CREATE TABLE deeper PARTITION OF deep FOR VALUES FROM (0) TO (9) PARTITION BY LIST (x);
            CREATE FOREIGN TABLE deepest PARTITION OF deeper FOR VALUES IN (1) SERVER files OPTIONS (filename '/etc/hostname');
            CREATE TABLE parent (x int); INSERT INTO parent SELECT i % 100 FROM generate_series(1, 1000) AS i;
            CREATE TABLE child (y int) INHERITS (parent); INSERT INTO child SELECT 7, i FROM generate_series(1, 100000) AS i;
            CREATE TABLE guarded_parent (x int); CREATE TABLE guarded_child () INHERITS (guarded_parent);
            ALTER TABLE guarded_child ENABLE ROW LEVEL SECURITY;
            CREATE FOREIGN TABLE outside (x text) SERVER files OPTIONS (filename '/etc/hostname');
            CREATE MATERIALIZED VIEW made AS SELECT max(age) AS x FROM people; CREATE SEQUENCE counter; CREATE TABLE empty_parts (x int) PARTITION BY RANGE (x);"""
        )
        own = self.with_path("kinds,public")
        for table, part in (
            ("pg_class", "pg_class is a table of the server itself"),
            ("pg_statistic", "pg_statistic is a table of the server itself"),
            ("pg_stats", "pg_stats is a table of the server itself"),
            ("pg_largeobject", "pg_largeobject is a table of the server itself"),
            ("foreign_part", "foreign_part has the part foreign_1, which is not an ordinary table"),
            ("deep", "deep has the part deepest, which is not an ordinary table"),
            ("guarded_parent", "guarded_parent has the part guarded_child, which has row security"),
            ("outside", "outside is not an ordinary table"),
            ("made", "made is not an ordinary table"),
            ("counter", "counter is not an ordinary table"),
        ):
            with self.subTest(table):
                self.refused(2, f"SELECT 1 AS x FROM {table}", "x", part, postgres=own, epsilon="1e-9")
        schema = self.with_path("information_schema,public")
        self.refused(2, "SELECT 1 AS x FROM sql_features", "x", "a table of the server itself", postgres=schema)
        # A table whose parts are all ordinary tables is read whole.
        for table, median in (("parted", 50), ("parent", 7)):
            found = self.quantiles(self.asked(f"SELECT x FROM {table}", "x", postgres=own, epsilon="100", quantiles="0.5"))
            self.assertAlmostEqual(found[0]["value"], median, delta=1, msg=table)
        self.quantiles(self.asked("SELECT x FROM empty_parts", "x", postgres=own))

    def test_cells_of_all_kinds_are_read(self):
        """No cell, whatever its value, ends a release."""
        self.psql(
            """DROP SCHEMA IF EXISTS cells CASCADE; CREATE SCHEMA cells; SET search_path = cells;
            CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN small AS int CHECK (VALUE < 1000); CREATE TYPE pair AS (a int, b int);
            CREATE FUNCTION to_pair(int) RETURNS pair IMMUTABLE LANGUAGE sql AS 'SELECT $1, $1'; CREATE CAST (int AS pair) WITH FUNCTION to_pair(int);
            CREATE TABLE odd (b boolean, m mood, d small, u uuid, loose numeric, wide numeric(30, 4), p pair, j jsonb, c char(8), v varchar, r real, f float8,
                              day date, t timestamp, z timestamptz, money numeric(9, 2), n int);
            INSERT INTO odd SELECT i % 2 = 0, CASE WHEN i % 3 = 0 THEN 'sad' ELSE 'happy' END::mood, i, gen_random_uuid(), i / 3.0, i, NULL,
                   '{}', 'c' || i % 4, 'v', i, i, DATE '2020-01-01' + i, TIMESTAMP '2020-01-01', TIMESTAMPTZ '2020-01-01Z', i, i FROM
                   generate_series(1, 900) AS i;
            INSERT INTO odd VALUES (NULL, NULL, NULL, NULL, 'NaN', 'NaN', NULL, NULL, NULL, repeat('x', 3000000), 'NaN', 'NaN', 'infinity', 'infinity',
                   'infinity', 'NaN', 1), (true, 'sad', 3, NULL, 'Infinity', 1e25, NULL, NULL, '', E'\\u00e9', '-infinity', 'infinity', '-infinity',
                   '-infinity', '-infinity', -1, 1), (true, 'sad', 3, NULL, '-Infinity', 0, NULL, NULL, '', repeat('y', 50000), 0, 1e308, '5874897-12-31',
                   '294276-12-31 23:59:59', '294276-12-31 23:59:59Z', -1, 1), (true, 'sad', 3, NULL, 1e100000, 0, NULL, NULL, '', '', 0, 0,
                   '4713-01-01 BC', '4713-01-01 BC', '4713-01-01 BC', -1, 1);
            CREATE DOMAIN label AS text CHECK (VALUE <> ''); CREATE DOMAIN short_label AS char(4); CREATE DOMAIN nested AS label;
            CREATE TABLE labeled (a label, b short_label, c nested, n int);
            INSERT INTO labeled SELECT 'a' || i % 3, 'b' || i % 3, 'c' || i % 3, i FROM generate_series(1, 900) AS i;"""
        )
        own = self.with_path("cells,public")
        for sql in (
            "SELECT CASE WHEN b THEN 1 ELSE 2 END AS x FROM odd",
            "SELECT CASE WHEN m = 'sad' THEN 1 ELSE 2 END AS x FROM odd",
            "SELECT d AS x FROM odd",
            "SELECT length(u) AS x FROM odd",
            "SELECT TRY_CAST(loose AS DOUBLE) AS x FROM odd",
            "SELECT TRY_CAST(wide AS DECIMAL(18, 4)) AS x FROM odd",
            "SELECT n AS x FROM odd WHERE c = 'c1'",
            "SELECT length(v) AS x FROM odd",
            "SELECT r AS x FROM odd",
            "SELECT f AS x FROM odd",
            "SELECT CASE WHEN isfinite(day) THEN year(day) END AS x FROM odd",
            "SELECT money AS x FROM odd",
            "SELECT * FROM (SELECT n AS x FROM odd) AS inside",
            "SELECT 7 AS x FROM odd",
            "SELECT n AS x FROM labeled WHERE a = 'a1' AND b = 'b1' AND c = 'c1'",
        ):
            with self.subTest(sql):
                self.quantiles(self.asked(sql, "x", postgres=own))
        for column, bounds, step in (
            ("day", ("2000-01-01", "2030-01-01"), "1d"),
            ("t", ("2000-01-01T00:00:00", "2030-01-01T00:00:00"), "1h"),
            ("z", ("2000-01-01T00:00:00Z", "2030-01-01T00:00:00Z"), "1h"),
        ):
            with self.subTest(column):
                self.quantiles(self.asked(f"SELECT {column} FROM odd", column, bounds=bounds, step=step, postgres=own))
        # Trailing blanks of character(8) do not count. A text of more than a million bytes is missing.
        found = self.asked("SELECT n AS x FROM odd WHERE length(c) = 2", "x", postgres=own, epsilon="1000", bounds=("0", "1000"))
        self.assertAlmostEqual(self.quantiles(found)[1]["value"], 450, delta=2)
        only = [
            self.quantiles(self.asked(f"SELECT 50 AS x FROM odd WHERE length(v) = {length}", "x", postgres=own, epsilon="1000", quantiles="0.5"))
            for length in (50_000, 3_000_000, 5_000_000)
        ]
        self.assertEqual(only[0][0]["value"], 50)
        self.assertEqual(only[1], only[2])  # both have no values left
        for column, type_name in (("p", "cells.pair"), ("j", "jsonb")):
            self.refused(2, f"SELECT {column} AS x FROM odd", "x", f"{column} ({type_name})", postgres=own)
        self.refused(2, "SELECT CAST(n AS pair) AS x FROM odd", "x", postgres=own)

    def test_texts_of_another_encoding_are_not_read(self):
        SERVER.psql("DROP DATABASE IF EXISTS bytes; CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII'")
        SERVER.psql("CREATE TABLE people (age int, note text); INSERT INTO people VALUES (1, E'\\xff'), (2, 'x')", "bytes")
        bytes_of = SERVER.address("bytes")
        self.quantiles(self.asked("SELECT age FROM people", "age", postgres=bytes_of))
        self.refused(2, "SELECT length(note) AS x FROM people", "x", "note (text)", postgres=bytes_of)

    def test_a_role_reads_what_it_may(self):
        self.psql(
            """DROP TABLE IF EXISTS shared; CREATE TABLE shared (age int, pay int); INSERT INTO shared SELECT i % 100, i FROM
            generate_series(1, 100) AS i; DO $$BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END$$;
            GRANT SELECT (age) ON shared TO reader"""
        )
        reader = SERVER.address("people", "reader")
        self.quantiles(self.asked("SELECT age FROM shared", "age", postgres=reader))
        self.refused(2, "SELECT pay FROM shared", "pay", "pay", postgres=reader)
        self.refused(2, "SELECT age FROM people", "age", "permission denied", postgres=reader)


if __name__ == "__main__":
    unittest.main()
