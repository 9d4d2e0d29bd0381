"""One value per person: quantiles of totals, numbers of visits and longest waits, however many records a person has."""

import csv
import io
import json
import random
import unittest

from cli.program import CommandTest, Engine, options, require_engine, run

setUpModule = require_engine

HOWS = ("sum", "count", "mean", "min", "max", "median", "any", "all")
SURE = {"bounds": ("0", "100"), "step": "1", "epsilon": "100000", "quantiles": "0.1,0.5,0.9", "mechanism": "approximate"}
WEAK = r"fractile: warning: an epsilon above 20 promises next to nothing\n  [^\n]*\n"


def value_of(how, numbers):
    numbers = sorted(numbers)
    return {"sum": sum(numbers), "count": len(numbers), "mean": sum(numbers) / len(numbers), "min": numbers[0], "max": numbers[-1],
            "median": numbers[(len(numbers) - 1) // 2], "any": int(any(numbers)), "all": int(all(numbers))}[how]


class PerPersonTest(CommandTest):
    """There are 300 persons with one to nine records each. Values rise slowly, so a quantile that misses by one person misses by little."""

    def write_visits(self, name="t.csv"):
        chance = random.Random(1)
        self.rows = [(f"p{person}", chance.choice(("north", "south")), chance.randrange(12))
                     for person in range(300) for _ in range(1 + person % 9)]
        chance.shuffle(self.rows)
        return self.write(name, "id,region,x\n" + "".join(f"{who},{region},{x}\n" for who, region, x in self.rows))

    def values(self, *arguments, **changes):
        result = self.run_release(*(arguments or ("t.csv",)), **{**SURE, "person": "id", **changes})
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, rf"\A{WEAK}\Z")
        return [tuple(row[:-1] + [int(row[-1])]) for row in list(csv.reader(io.StringIO(result.out)))[1:]]

    def near(self, values, quantile):
        """The range of the values of the persons around a quantile."""
        values = sorted(values)
        at = round(quantile * len(values))
        return values[max(0, at - 3)], values[min(len(values) - 1, at + 3)]


class Values(PerPersonTest):
    def test_each_person_counts_once(self):
        self.write_visits()
        for how in HOWS:
            of_persons = {}
            for who, _, x in self.rows: of_persons.setdefault(who, []).append(x)
            values = [value_of(how, numbers) for numbers in of_persons.values()]
            for quantile, value in self.values(per_person=how):
                low, high = self.near(values, float(quantile))
                self.assertTrue(low - 1 <= value <= high + 1, (how, quantile, value, low, high))

    def test_and_once_in_each_group(self):
        self.write_visits()
        for quantile in ("0.5",):
            for region, _, value in self.values(per_person="sum", by="region", keys="north,south", records_per_person="2", quantiles=quantile):
                of_persons = {}
                for who, where, x in self.rows:
                    if where == region: of_persons.setdefault(who, []).append(x)
                low, high = self.near([sum(numbers) for numbers in of_persons.values()], .5)
                self.assertTrue(low - 1 <= value <= high + 1, (region, value, low, high))

    def test_all_doors_give_one_receipt(self):
        self.write_visits()
        rows = [dict(zip(("id", "region", "x"), row)) for row in self.rows]
        self.write("t.ndjson", "".join(json.dumps(row) + "\n" for row in rows))
        Engine().write_parquet(self.folder / "t.parquet", f"SELECT id, region, CAST(x AS DECIMAL(9, 3)) AS x FROM read_csv('{self.folder}/t.csv')")
        for how in HOWS:
            for groups in ({}, {"by": "region", "keys": "south,north", "records_per_person": "1"}):
                asked = {**SURE, "person": "id", "per_person": how, "epsilon": "0.1", "unsafe_seed": "5", **groups}
                outs = {self.run_release(name, threads=threads, **asked).out
                        for name in ("t.csv", "t.ndjson", "t.parquet") for threads in ("1", "3")}
                self.assertEqual(len(outs), 1, how)

    def test_decimals_that_are_made_of_doubles(self):
        """Rows are cast one by one before the persons' values are computed. So the sum is of decimals, and equals a candidate."""
        self.write("t.csv", "id,x\n" + "".join("a,0.1\n" * 3 + f"p{k},0.30\n" for k in range(9)))
        asked = {"person": "id", "per_person": "sum", "bounds": None, "step": None, "candidates": "0,0.3,1", "quantiles": "0.5",
                 "epsilon": "100000", "sql": "SELECT id, CAST(x AS DECIMAL(18, 2)) AS x FROM input"}
        self.assertEqual(self.run_release("t.csv", **asked).out, "quantile,value\n0.5,0.3\n")


class Large(PerPersonTest):
    def test_a_million_doubles(self):
        """Threads, memory and format do not change a sum of doubles, of the decimals that they are cast to, or of each person's rows."""
        engine = Engine()
        engine.run("CREATE TABLE t AS SELECT 'p' || hash(i) % 50000 AS id, 'r' || hash(i * 7) % 3 AS region, "
                   "CAST(hash(i * 13) % 1000000 AS DOUBLE) / 997 - 300 AS x FROM range(1000000) t(i)")
        engine.run(f"COPY t TO '{self.folder}/t.parquet' (FORMAT parquet)")
        engine.run(f"COPY (SELECT * FROM t ORDER BY hash(x)) TO '{self.folder}/t.csv' (HEADER)")
        decimal = "CAST(CAST(x AS DOUBLE) AS DECIMAL(18, 6))"
        groups = {"by": "region", "keys": "r0,r1,r2"}
        for asked in (
            {"per_person": "sum"},
            {"per_person": "mean", "records_per_person": "2", **groups},
            {"per_person": "sum", "sql": f"SELECT id, region, {decimal} AS x FROM input", "records_per_person": "3", **groups},
            {"sql": f"SELECT id, sum({decimal}) AS x, min(region) AS region FROM input GROUP BY id", **groups},
        ):
            asked = {"column": "x", "bounds": ("-10000", "10000"), "step": "0.000001", "epsilon": "10", "quantiles": "deciles", "person": "id",
                     "unsafe_seed": "3", **asked}
            outs = set()
            for name, how in (("t.parquet", {"threads": "1"}), ("t.csv", {"threads": "4", "memory": "100MB"})):
                result = run("release", name, *options(asked, **how), cwd=self.folder)
                self.assertEqual(result.code, 0, result)
                outs.add(result.out)
            self.assertEqual(len(outs), 1, asked)


class Words(PerPersonTest):
    def test_receipts_say_it(self):
        self.write_visits()
        self.run_release("t.csv", **{**SURE, "epsilon": "1", "person": "id", "per_person": "sum", "receipt": "r.json"})
        receipt = json.loads(self.content("r.json"))
        self.assertEqual((receipt["source"]["person"], receipt["source"]["per_person"]), ("id", "sum"))
        self.assertEqual(receipt["counted"]["records"], "one value a person")
        self.assertEqual(receipt["privacy"]["records_per_person"], 1)
        said = " ".join(self.of("explain", "r.json").split())
        for part in ("Each person counts once: with the sum of their numbers.", "however many records they have: each counts with one value.",
                     "one_value_per_person"):
            self.assertIn(part, said)

    def test_records_are_counted_whatever_their_column_holds(self):
        """Once, records whose text counted "held no number" and "were left out", and only persons with a number counted."""
        self.write_visits()
        asked = {**SURE, "epsilon": "1", "column": "region", "person": "id", "per_person": "count", "format": "table"}
        for unreadable in ({}, {"unreadable": "missing"}):
            name = f"{len(unreadable)}.json"
            table = self.run_release("t.csv", **asked, **unreadable, receipt=name).out
            self.assertIn("records without anything in the column (NULL, empty or NaN) or without a person were left out\n", table)
            self.assertEqual(json.loads(self.content(name))["source"]["domain"], "anything")
            said = " ".join(self.of("explain", name).split())
            self.assertIn("Records in which the column holds nothing were left out.", said)
            self.assertIn("record: a person who has something in this column, with one value: the number of their records", said)
            self.assertNotIn("anything but a number", said)

    def test_an_error_names_the_option_that_it_is_about(self):
        self.write_visits()
        for keys in ({}, {"by": "region", "keys": "north,south", "records_per_person": "2"}):
            result = self.run_release("t.csv", **{**SURE, "epsilon": "1", "per_person": "sum", **keys})
            self.assertEqual(result.code, 2)
            self.assertTrue(result.err.startswith("fractile: one value per person without the column that identifies persons"), result.err)

    def test_tables_say_it(self):
        self.write_visits()
        asked = {**SURE, "epsilon": "1", "person": "id", "per_person": "max", "format": "table"}
        table = self.run_release("t.csv", **asked).out
        self.assertIn("at most 1 value a person", table)
        self.assertIn("a person counts once: with the greatest of their values\n", table)
        table = self.run_release("t.csv", **asked, by="region", keys="north,south", records_per_person="2").out
        self.assertIn("at most 2 values a person", table)
        self.assertIn("a person counts once in a group: with the greatest", table)
        self.assertIn("of each person's groups, at most that many count, sampled at random\n", table)

    def test_what_is_refused(self):
        self.write_visits()
        self.write("people.profile", "")
        for changes, part in (
            ({"per_person": "sum"}, "one value per person without the column that identifies persons"),
            ({"per_person": "total", "person": "id"}, "--per-person: 'total' is not known"),
            ({"per_person": "sum", "person": "id", "records_per_person": "2"}, "--records-per-person: each person has one value"),
            ({"per_person": "sum", "person": "id", "sql": "SELECT id, x FROM input", "sql_stability": "1"}, "row-wise queries only"),
        ):
            result = self.run_release("t.csv", **changes)
            self.assertEqual(result.code, 2, result)
            self.assertIn(part, result.err)


class Queries(PerPersonTest):
    """SQL queries that return one row per person."""

    SUM = "SELECT id, sum(CAST(x AS DECIMAL(18, 2))) AS x, min(region) AS region FROM input GROUP BY id"

    def test_rows_are_values(self):
        self.write_visits()
        asked = {**SURE, "person": "id", "epsilon": "0.1", "unsafe_seed": "5"}
        values = self.run_release("t.csv", **asked, per_person="sum")
        rows = self.run_release("t.csv", **asked, sql=self.SUM)
        self.assertEqual((rows.code, rows.out), (0, values.out), rows)

    def test_rows_that_are_counted_first(self):
        """A profile file records that each person has one row. A ledger that pins persons accepts it."""
        self.write_visits()
        lattice = {name: SURE[name] for name in ("bounds", "step") if name in SURE}
        words = options({}, **{**lattice, "column": "x", "person": "id", "sql": self.SUM, "output": "p", "unsafe_seed": "5"})
        counted = run("count", "t.csv", *words, cwd=self.folder)
        self.assertEqual(counted.code, 0, counted)
        asked = options({}, epsilon="100000", quantiles="median", mechanism="exponential")
        of_file = run("release", "--counts", "p", *asked, "--receipt", "r.json", cwd=self.folder)
        of_table = self.run_release("t.csv", **{**lattice, "person": "id", "sql": self.SUM, "epsilon": "100000", "quantiles": "median", "mechanism": "exponential"})
        self.assertEqual(of_file.code, 0, of_file)
        of_file, of_table = (float(result.out.split(",")[-1]) for result in (of_file, of_table))
        self.assertAlmostEqual(of_file, of_table, delta=1)
        self.assertEqual(json.loads(self.content("r.json"))["source"]["sql_rows"], "one a person")
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1", "--person", "id", "--records-per-person", "3", cwd=self.folder).code, 0)
        paid = ("release", "--counts", "p", "--epsilon", "0.1", "--ledger", "l.db", "--source", "visits")
        self.assertEqual(run(*paid, cwd=self.folder).code, 0)
        rows = options({}, **{**lattice, "column": "x", "person": "id", "sql": "SELECT id, CAST(x AS DOUBLE) AS x FROM input", "output": "q"})
        self.assertEqual(run("count", "t.csv", *rows, cwd=self.folder).code, 0)
        self.assert_refused(run("release", "--counts", "q", "--epsilon", "0.1", "--ledger", "l.db", "--source", "visits", cwd=self.folder), 2,
                            "pins the column of persons")
        self.assert_refused(run("merge", "p", "p", "--output", "both", "--allow-equal-files", cwd=self.folder), 2, "cannot be computed from the values in two tables")

    def test_groups(self):
        self.write_visits()
        result = self.run_release("t.csv", **{**SURE, "person": "id", "sql": self.SUM, "by": "region", "keys": "south,north"})
        self.assertEqual(result.code, 0, result)

    def test_tables_and_their_names(self):
        """Joining by ON with names of tables gives the same as joining by USING without such names."""
        self.write_visits()
        self.write("p.csv", "id,age\n" + "".join(f"{who},{20 + k % 50}\n" for k, who in enumerate(sorted({who for who, _, _ in self.rows}))))
        ages = "(SELECT id, max(CAST(age AS INTEGER)) AS age FROM p GROUP BY id)"
        asked = {**SURE, "person": "id", "epsilon": "0.1", "unsafe_seed": "5", "table": "p=p.csv"}
        plain = self.run_release("t.csv", **asked, sql=f"SELECT id, sum(CAST(x AS DECIMAL(18, 2))) AS x FROM input JOIN {ages} USING (id) "
                                 "WHERE age > 30 GROUP BY id")
        named = self.run_release("t.csv", **asked, sql=f"SELECT v.id, sum(CAST(v.x AS DECIMAL(18, 2))) AS x FROM input v JOIN {ages} p "
                                 "ON p.id = v.id WHERE p.age > 30e0 GROUP BY v.id")
        self.assertEqual((named.code, named.out), (0, plain.out), named)
        self.of("ledger", "init", "b.db", "--dataset", "visits", "--epsilon", "10", "--person", "id", "--records-per-person", "4")
        for condition, part in (("p.id = v.region", "anything other than the person's column"), ("v.id = v.id", "anything other than the person's column"),
                                ("p.id = v.id OR p.age > 30", "anything other than the person's column")):
            refused = self.run_release("t.csv", **{**asked, "unsafe_seed": None}, ledger="b.db", sql=f"SELECT v.id, count(*) AS x FROM input v JOIN {ages} p ON {condition} GROUP BY v.id")
            self.assert_refused(refused, 2, part)

    def test_they_go_with_the_person_alone(self):
        self.write_visits()
        for person in (None, "x", "region"):
            refused = self.run_release("t.csv", person=person, sql=self.SUM)
            self.assertEqual((refused.code, "--person id" in refused.err), (2, True), refused)
        refused = self.run_release("t.csv", person="id", sql="SELECT id, sum(x) AS x FROM input GROUP BY id")
        self.assertEqual(refused.code, 2)
        self.assertIn("sum(CAST(x AS DECIMAL(18, 2)))", refused.err)

    def test_receipts_say_it(self):
        self.write_visits()
        self.run_release("t.csv", person="id", sql=self.SUM, receipt="r.json")
        receipt = json.loads(self.content("r.json"))
        self.assertEqual((receipt["source"]["sql_rows"], receipt["counted"]["records"]), ("one a person", "one value a person"))
        said = " ".join(self.of("explain", "r.json").split())
        for part in ("however many records they have: the query makes one row of them.", "it makes one row of each person's records",
                     "one_value_per_person"):
            self.assertIn(part, said)

    def test_where_a_ledger_pins_the_person(self):
        self.write_visits()
        self.of("ledger", "init", "b.db", "--dataset", "visits", "--epsilon", "10", "--person", "id", "--records-per-person", "4")
        asked = {"ledger": "b.db", "person": "id"}
        self.assertEqual(self.run_release("t.csv", **asked, sql=self.SUM).code, 0)
        self.assertIn("nothing was spent", self.run_release("t.csv", **asked, sql=self.SUM).err)
        for sql in ("SELECT id, x FROM input", "SELECT region AS id, x FROM input",
                    "SELECT id, count(*) AS x FROM (SELECT region AS id FROM input) GROUP BY id",
                    "SELECT region, count(*) AS x FROM input GROUP BY region", "SELECT x AS id, id AS x FROM (" + self.SUM + ")"):
            self.assertEqual(self.run_release("t.csv", **asked, records_per_person="4", sql=sql).code, 2, sql)
        self.assertEqual(self.run_release("t.csv", ledger="b.db", person="region", records_per_person="4", sql=self.SUM).code, 2)
        entries = json.loads(self.of("ledger", "show", "b.db", "--format", "json"))["entries"]
        self.assertEqual(len(entries), 1)


class Ledgers(PerPersonTest):
    def init(self, *options):
        self.of("ledger", "init", "b.db", "--dataset", "visits", "--epsilon", "10", *options)

    def test_persons_that_nobody_declared(self):
        """One record more replaces the row of its region by another one: two changes in place of one."""
        self.write_visits()
        self.init()
        rows = {"ledger": "b.db", "person": "region", "sql": "SELECT region, max(CAST(x AS INTEGER)) AS x FROM input GROUP BY region"}
        for changes in ({}, {"count": True, "below": "8", "count_budget": "0.99"}):
            self.assert_refused(self.run_release("t.csv", **rows, **changes), 2, "declares none", "ledger init", "--person region")
        self.write("p.toml", "\n".join((
            "[publication]", 'title = "t"', "epsilon = 1", 'person = "region"', "[input]", 'file = "t.csv"', f'sql = "{rows["sql"]}"',
            "[[table]]", 'column = "x"', "bounds = [0, 100]", "step = 1", "count = true", "below = [8]")))
        self.assert_refused(run("publish", "p.toml", "--ledger", "b.db", "--output", "out", cwd=self.folder), 2, "declares none")
        self.assertEqual(self.run_release("t.csv", **rows, records_per_person="2").code, 0)
        self.assertEqual(len(json.loads(self.of("ledger", "show", "b.db", "--format", "json"))["entries"]), 1)

    def test_a_pinned_person_of_any_number_of_records(self):
        self.write_visits()
        self.init("--person", "id", "--records-per-person", "4")
        asked = {"ledger": "b.db", "person": "id"}
        refused = self.run_release("t.csv", **asked)
        self.assertEqual((refused.code, "--records-per-person 4" in refused.err), (2, True), refused)
        self.assertEqual(self.run_release("t.csv", **asked, records_per_person="4").code, 0)
        self.assertEqual(self.run_release("t.csv", **asked, per_person="sum").code, 0)
        grouped = {"by": "region", "keys": "north,south", "records_per_person": "2"}
        self.assertEqual(self.run_release("t.csv", **asked, per_person="sum", **grouped).code, 0)
        other = self.run_release("t.csv", ledger="b.db", person="region", per_person="sum")
        self.assertEqual((other.code, "by the column 'id'" in other.err), (2, True), other)
        again = self.run_release("t.csv", **asked, per_person="sum")
        self.assertIn("nothing was spent", again.err)
        self.assertNotIn("nothing was spent", self.run_release("t.csv", **asked, per_person="max").err)

    def test_without_a_pinned_person_there_is_none(self):
        self.write_visits()
        self.init()
        refused = self.run_release("t.csv", ledger="b.db", person="id", per_person="sum")
        self.assertEqual(refused.code, 2)
        self.assertIn("fractile ledger init declares it for a new dataset: with --person id", refused.err)
        self.assertIn("entries", self.of("ledger", "show", "b.db", "--format", "json"))

    def test_no_cell_ends_what_is_paid(self):
        """The cells are numbers whose sum overflows a double, infinities of both signs, and text that is not a number."""
        self.init("--person", "id")
        cells = ["1e308", "1e308", "-1e308", "inf", "-inf", "abc", "", "9223372036854775807", "1e-320", "nan"]
        self.write("t.csv", "id,x\n" + "".join(f"p{k % 3},{cell}\n" for k, cell in enumerate(cells * 3)))
        for how in HOWS:
            self.assertEqual(self.run_release("t.csv", ledger="b.db", person="id", per_person=how, epsilon="0.1").code, 0, how)


if __name__ == "__main__":
    unittest.main()
