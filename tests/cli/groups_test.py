"""Groups with public keys under one budget, and a limit on the number of a person's records that count."""

import csv
import io
import json
import os
import random
import re
import resource
import unittest

from cli.program import CommandTest, Engine, require_engine, run

setUpModule = require_engine

SECRET = "Ada-Lovelace-1815"  # the name of a person, which no message may show
LIKE = r"fractile: warning: the keys '[^\n]*' differ only by one letter, by case or by blanks[^\n]*\n  [^\n]*\n"
WEAK = r"fractile: warning: an epsilon above 20 promises next to nothing\n  [^\n]*\n"


class GroupsTest(CommandTest):
    """Releases here use an epsilon without any privacy, so they give the true quantiles, except for one time in e^100."""

    USUAL = {"by": "city", "quantiles": "median", "epsilon": "1000"}

    def sure(self, *arguments, **changes):
        if not arguments and "sql" not in changes:
            arguments = ("t.csv",)
        result = self.run_release(*arguments, **{**self.USUAL, **changes})
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, rf"\A{WEAK}({LIKE})?\Z")
        return result.out

    def groups(self, *arguments, **changes):
        """(key, quantile, value) of the groups, from CSV."""
        rows = list(csv.reader(io.StringIO(self.sure(*arguments, **changes))))
        self.assertEqual(rows[0], ["key", "quantile", "value"])
        return [tuple(row) for row in rows[1:]]

    def write_cities(self, name="t.csv", separator=","):
        rows = [("who", "city", "x")]
        rows += [(str(i), "Köln", "3") for i in range(20)] + [(str(i), '"a, ""b"""', "7") for i in range(20)]
        rows += [(str(i), "elsewhere", "9") for i in range(50)] + [(str(i), "", "9") for i in range(50)]
        return self.write(name, "".join(separator.join(row) + "\n" for row in rows))


class Keys(GroupsTest):
    def test_each_group_has_its_own_quantiles(self):
        self.write_cities()
        self.assertEqual(self.groups(keys="elsewhere, Köln"), [("elsewhere", "1/2", "9"), ("Köln", "1/2", "3")])

    def test_several_quantiles(self):
        self.write("t.csv", "city,x\n" + "".join(f"{city},{i}\n" for city in "ab" for i in range(1, 10) for _ in range(9)))
        self.assertEqual(self.groups(keys="b,a", quantiles="0.25,0.75", mechanism="approximate"),
                         [("b", "0.25", "3"), ("b", "0.75", "7"), ("a", "0.25", "3"), ("a", "0.75", "7")])

    def test_a_file_of_keys(self):
        self.write_cities()
        expected = [('a, "b"', "1/2", "7"), ("Köln", "1/2", "3")]
        for content in ('a, "b"\nKöln\n', 'a, "b"\r\nKöln', '\ufeffa, "b"\nKöln\n'):
            self.write("keys.txt", content)
            self.assertEqual(self.groups(keys_file="keys.txt"), expected)

    def test_csv_cells_are_quoted(self):
        self.write_cities()
        self.write("keys.txt", 'a, "b"\n')
        self.assertEqual(self.sure(keys_file="keys.txt"), 'key,quantile,value\n"a, ""b""",1/2,7\n')

    def test_all_formats(self):
        self.write_cities()
        self.write("keys.txt", 'a, "b"\nKöln\n')
        expected = self.groups(keys_file="keys.txt")
        records = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text("utf-8"))))
        self.write("t.ndjson", "".join(json.dumps({**record, "x": int(record["x"])}) + "\n" for record in records))
        Engine().write_parquet(self.folder / "t.parquet", "SELECT CAST(who AS BIGINT) AS who, city, CAST(x AS DOUBLE) AS x "
                               f"FROM read_csv('{self.folder}/t.csv', all_varchar = true)")
        self.write_cities("t.tsv", "\t")
        for name in ("t.ndjson", "t.parquet"):
            self.assertEqual(self.groups(name, keys_file="keys.txt"), expected)
            self.assertEqual(self.groups(name, keys_file="keys.txt", person="who", records_per_person="2"), expected)
        self.assertEqual(self.groups("t.csv", sql="SELECT x, upper(city) AS city FROM input", keys="KÖLN"), [("KÖLN", "1/2", "3")])

    def test_numbers_as_keys(self):
        self.write("i.csv", "i\n" + "".join(f"{i}\n" for i in range(100)))
        sql = "SELECT CAST(i AS INTEGER) % 2 AS city, 3 + CAST(i AS INTEGER) % 2 AS x, i AS who FROM input"
        result = self.run_release("i.csv", **{**self.USUAL, "keys": "1,0", "sql": sql, "person": "who"})
        self.assertEqual(result.out, "key,quantile,value\n1,1/2,4\n0,1/2,3\n")

    def test_an_empty_group_is_released(self):
        self.write_cities()
        for changes in ({}, {"neighbors": "change-one"}, {"step": "0.0001"}, {"mechanism": "tree"}, {"person": "who"}):
            result = self.run_release("t.csv", **{**self.USUAL, "epsilon": "1", "keys": "nobody's,Köln", **changes})
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertRegex(result.out, r"\Akey,quantile,value\nnobody's,1/2,[\d.]+\nKöln,1/2,[\d.]+\n\Z")

    def test_keys_are_exact(self):
        self.write("t.csv", "city,x\n" + "a,2\n" * 9 + "A,4\n" * 9 + '"a ",6\n' * 9)
        self.write("keys.txt", "a\nA\na \n")
        self.assertEqual([value for _, _, value in self.groups(keys_file="keys.txt")], ["2", "4", "6"])

    def test_one_budget(self):
        """A group is drawn as if it were alone: one seed gives the same values. Under change-one, it is drawn as for twice the records."""
        self.write("t.csv", "city,x\n" + "a,2\n" * 9 + "b,5\n" * 3)
        self.write("a.csv", "city,x\n" + "a,2\n" * 9)
        for neighbors, records in (("add-remove", "3"), ("change-one", "6")):
            for mechanism in ("exponential", "joint", "tree", "independent"):
                common = {"quantiles": "median", "mechanism": mechanism, "unsafe_seed": "5"}
                grouped = self.run_release("t.csv", by="city", keys="a", neighbors=neighbors, records_per_person="3", **common)
                alone = self.run_release("a.csv", by="city", keys="a", neighbors="add-remove", records_per_person=records, **common)
                self.assertEqual(grouped.code, 0, grouped)
                self.assertEqual(grouped.out, alone.out)


class Persons(GroupsTest):
    USUAL = {"quantiles": "median", "epsilon": "1000"}

    def median(self, *arguments, **changes):
        return self.sure(*arguments, **changes).splitlines()[1].split(",")[1]

    def test_a_person_counts_at_most_so_often(self):
        self.write("t.csv", "who,x\n" + "a,9\n" * 1000 + "".join(f"{i},3\n" for i in range(50)))
        self.assertEqual(self.median(), "9")
        self.assertEqual(self.median(person="who"), "3")
        self.assertEqual(self.median(person="who", records_per_person="40", epsilon="40000"), "3")
        self.assertEqual(self.median(person="who", records_per_person="1000", epsilon="1000000"), "9")

    def test_over_all_groups_together(self):
        rows = "".join(f"a,g{i},9\n" for i in range(10)) * 20 + "".join(f"{i},g{i % 10},3\n" for i in range(100))
        self.write("t.csv", "who,city,x\n" + rows)
        for _, _, value in self.groups_of(person="who"):
            self.assertEqual(value, "3")
        self.assertEqual({value for _, _, value in self.groups_of(records_per_person="1")}, {"9"})

    def groups_of(self, **changes):
        keys = ",".join(f"g{i}" for i in range(10))
        return [tuple(line.split(",")) for line in self.sure(by="city", keys=keys, **changes).splitlines()[1:]]

    def test_numeric_identifiers(self):
        sql = "SELECT CASE WHEN i < 1000 THEN 7 ELSE i END AS who, CASE WHEN i < 1000 THEN 9 ELSE 3 END AS x " \
              "FROM range(1050) t(i)"
        Engine().write_parquet(self.folder / "t.parquet", sql)
        self.assertEqual(self.median("t.parquet"), "9")
        self.assertEqual(self.median("t.parquet", person="who"), "3")
        self.assertEqual(self.median("t.parquet", sql="FROM input", person="who"), "3")
        self.assert_refused(self.run_release("t.parquet", person="WHO"), 3, "did you mean 'who'?")

    def test_records_of_nobody(self):
        self.write("t.csv", "who,x\n" + ",9\n" * 100 + '" ",9\n' * 100 + f"{SECRET},3\n" * 5)
        self.assertEqual(self.median(person="who"), "3")
        self.write("u.csv", f"who,x\n{SECRET},1\n,2\n{SECRET},3\n")
        result = self.run_release("u.csv", person="who", null="error")
        self.assert_refused(result, 3, "u.csv: row 2, column 'who': empty or NULL", "--null drop", secrets=(SECRET,))
        self.write("v.csv", f"who,x\na,1\n{SECRET},{SECRET}\n")
        result = self.run_release("v.csv", person="who")
        self.assert_refused(result, 3, "v.csv: row 2, column 'x': not a number", secrets=(SECRET,))

    def test_standard_input(self):
        result = self.run_release("-", stdin=b"who,x\na,1\nb,2\n", person="who")
        self.assertEqual(result.code, 0, result)

    def test_a_sample_and_not_the_first(self):
        """4000 persons have the records 1 to 9, in this order. A sample has uniform quantiles; all first records are 1."""
        self.write("t.csv", "who,x\n" + "".join(f"{i},{x}\n" for i in range(4000) for x in range(1, 10)))
        self.assertEqual(self.sure(person="who", quantiles="1/18,1/2,17/18", mechanism="approximate", epsilon="4000"),
                         "quantile,value\n1/18,1\n1/2,5\n17/18,9\n")

    def test_a_seed_makes_all_reproducible(self):
        self.write("t.csv", "who,x\n" + "".join(f"{i % 50},{i * 7 % 11}\n" for i in range(5000)))
        outs = [self.run_release("t.csv", person="who", unsafe_seed=seed, quantiles="deciles").out for seed in "1123"]
        self.assertEqual(outs[0], outs[1])
        self.assertEqual(len(set(outs)), 3)

    def test_a_sample_does_not_depend_on_the_order_of_rows(self):
        rows = [f"{i % 50},{'ab'[i % 3 % 2]},{i * 7 % 11}\n" for i in range(5000)]
        self.write("t.csv", "who,city,x\n" + "".join(rows))
        random.Random(1).shuffle(rows)
        self.write("u.csv", "who,city,x\n" + "".join(rows))
        asked = {"person": "who", "records_per_person": "5", "unsafe_seed": "3", "quantiles": "deciles", "by": "city", "keys": "a,b"}
        expected = self.run_release("t.csv", **asked).out
        for name, more in (("u.csv", {}), ("u.csv", {"threads": "3"}), ("t.csv", {"memory": "100MB"})):
            self.assertEqual(self.run_release(name, **asked, **more).out, expected)


class SeveralColumns(GroupsTest):
    """Groups by two columns. Keys are never compared as concatenated texts."""

    TABLE = ("who,city,sex,x\n" + "1,a,f,3\n2,a,f,3\n3,a,m,5\n4,b,m,7\n5,b,d,9\n6,c,f,9\n7,a,,9\n8,,f,9\n" + '9,"a,b",f,2\n10,a,"b,f",8\n')
    CROSSED = ("--keys", "city=a,b", "--keys", "sex=f,m")

    def both(self, *arguments, **changes):
        """The values of the groups, by their keys, from CSV."""
        rows = list(csv.reader(io.StringIO(self.sure("t.csv", *arguments, **{"by": "city,sex", **changes}))))
        self.assertEqual(rows[0][:4], ["city", "sex", "quantile", "value"])
        return {(city, sex): value for city, sex, _, value, *_ in rows[1:]}

    def setUp(self):
        super().setUp()
        self.write("t.csv", self.TABLE)

    def test_keys_of_each_column_are_crossed(self):
        values = self.both(*self.CROSSED)
        self.assertEqual(list(values), [("a", "f"), ("a", "m"), ("b", "f"), ("b", "m")])
        self.assertEqual([values["a", "f"], values["a", "m"], values["b", "m"]], ["3", "5", "7"])
        self.assertEqual(self.both("--keys", "sex=f,m", "--keys", "city=a,b", unsafe_seed="1"),
                         self.both(*self.CROSSED, unsafe_seed="1"))

    def test_a_file_lists_the_groups_themselves(self):
        for content in ('city,sex\nb,m\n"a,b",f\na,"b,f"\n', 'sex,city\r\nm,b\r\nf,"a,b"\r\n"b,f",a', "\ufeff" + 'city,sex\nb,m\n"a,b",f\na,"b,f"\n'):
            self.write("cells.csv", content)
            self.assertEqual(self.both(keys_file="cells.csv"), {("b", "m"): "7", ("a,b", "f"): "2", ("a", "b,f"): "8"})

    def test_other_ways_in_give_the_same(self):
        expected = self.both(*self.CROSSED, unsafe_seed="2", person="who")
        sql = 'SELECT who, city, sex AS "s,x", CAST(x AS DOUBLE) AS x FROM input'
        other = self.sure("t.csv", "--keys", "city=a,b", "--keys", "s,x=f,m", by='city,"s,x"', sql=sql, unsafe_seed="2", person="who")
        self.assertEqual([tuple(row[:2]) + (row[3],) for row in csv.reader(io.StringIO(other))][1:],
                         [key + (value,) for key, value in expected.items()])

    def test_profile_files(self):
        count = ("count", "t.csv", "--column", "x", "--bounds", "0", "10", "--step", "1", "--by", "city,sex")
        for name in ("one", "other"):
            self.assertEqual(run(*count, *self.CROSSED, "--source", name, "--output", f"{name}.profile", cwd=self.folder).code, 0)
        self.assertEqual(run("merge", "one.profile", "other.profile", "--output", "all.profile", cwd=self.folder).code, 0)
        released = run("release", "--counts", "all.profile", "--quantiles", "median", "--epsilon", "1000", cwd=self.folder)
        values = [line.rsplit(",", 2)[0] + " " + line.rsplit(",", 1)[1] for line in released.out.splitlines()[1:]]
        self.assertEqual([values[0], values[1], values[3]], ["a,f 3", "a,m 5", "b,m 7"])
        self.assertEqual(run(*count, "--keys", "city=b,a", "--keys", "sex=f,m", "--output", "turned.profile", cwd=self.folder).code, 0)
        refused = run("merge", "one.profile", "turned.profile", "--output", "x.profile", cwd=self.folder)
        self.assert_refused(refused, 2, "profiles of different groups cannot merge")

    def test_the_receipt_names_keys_by_column(self):
        result = self.run_release("t.csv", *self.CROSSED, by="city,sex", format="json", receipt="r.json")
        document = json.loads(result.out)
        self.assertEqual(document["by"], ["city", "sex"])
        self.assertEqual(document["groups"][1]["keys"], {"city": "a", "sex": "m"})
        explained = self.of("explain", "r.json", "--format", "markdown")
        self.assertIn("by city and sex", explained)
        self.assertIn("| city | sex | share |", explained)
        self.assertIn("<th scope=\"col\">sex</th>", self.of("explain", "r.json", "--format", "html"))

    def test_a_page_crosses_two_columns_of_one_quantile(self):
        self.run_release("t.csv", "--keys", "city=a,b", "--keys", "sex=f,m", by="city,sex", receipt="r.json", quantiles="median")
        page = self.of("explain", "r.json", "--format", "html")
        table = re.search(r"<table[^>]*>(?:(?!</table>).)*The published values of 50 %.*?</table>", page, re.DOTALL)
        cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", table.group(), re.DOTALL)
        self.assertEqual(cells[:3] + cells[6::3], ["city / sex", "f", "m", "a", "b"])
        self.write("cells.csv", "city,sex\na,f\nb,m\n")
        self.run_release("t.csv", by="city,sex", keys_file="cells.csv", receipt="s.json", quantiles="median")
        self.assertIn("<td>-</td>", self.of("explain", "s.json", "--format", "html"))
        self.run_release("t.csv", "--keys", "city=a,b", "--keys", "sex=f,m", by="city,sex", receipt="q.json")
        self.assertIn("The published values, ", self.of("explain", "q.json", "--format", "html"))

    def test_a_ledger_holds_it_however_it_was_typed(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "5")
        self.write("cells.csv", "city,sex\na,f\na,m\nb,f\nb,m\n")
        first = self.run_release("t.csv", *self.CROSSED, by="city,sex", ledger="l.db")
        self.assertEqual(first.code, 0, first)
        again = self.run_release("t.csv", "--keys", "sex=f,m", "--keys", "city=a,b", by=' city , sex', ledger="l.db")
        self.assertEqual(again.out, first.out)
        self.assertIn("nothing was spent", again.err)
        self.assertIn("by city and sex (4 groups)", self.of("ledger", "show", "l.db", "--format", "table"))
        refused = self.run_release("t.csv", by="city,sex", keys_file="cells.csv", ledger="l.db")
        self.assert_refused(refused, 2, "--keys-file may be used on a ledger's dataset only as its owner declared it")

    def test_keys_of_one_column_are_compared_in_all_others(self):
        out = self.run_release("t.csv", *self.CROSSED, by="city,sex", intervals="0.9", compare="f,m", quantiles="median").out
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual(rows[0][:3], ["statistic", "city", "sex"])
        self.assertEqual([row[1:3] + [row[4]] for row in rows if row[0] == "difference"], [["a", "m", "f"], ["b", "m", "f"]])

    def test_what_cannot_be_is_refused_before_the_file_is_looked_at(self):
        def refuse(*parts, arguments=(), **changes):
            with self.subTest(parts):
                self.assert_refused(self.run_release("nowhere.csv", *arguments, **{"by": "city,sex", **changes}), 2, *parts)

        refuse("--keys: 'a,b' does not begin with one of the columns city and sex", "--keys city=... --keys sex=...", keys="a,b")
        refuse("--keys: the column 'sex' has no list", keys="city=a,b")
        refuse("--keys: the column 'city' appears twice", arguments=("--keys", "city=a", "--keys", "city=b"))
        refuse("--keys: the key 'a' appears twice", arguments=("--keys", "city=a,a", "--keys", "sex=f"))
        refuse("--keys: the list 'a,' has an empty item", arguments=("--keys", "city=a,", "--keys", "sex=f"))
        refuse("--by without its keys", "--keys city=...")
        refuse("--by: the list 'city,,sex' has an empty item", by="city,,sex", keys="a")
        refuse("--by: the key column 'city' appears twice", by="city,city", keys="city=a")
        refuse("--keys appears twice, and there is one key column", by="city", arguments=("--keys", "a", "--keys", "b"))
        many = ",".join(map(str, range(400)))
        refuse("--keys: 160000 combinations of keys are more than 100000",
               arguments=("--keys", f"city={many}", "--keys", f"sex={many}"))
        for content, *parts in (("", "--keys-file: k.csv holds no keys", "city,sex"),
                                ("city,sex\n", "--keys-file: k.csv holds no keys"),
                                ("city\na\n", "the first line does not name exactly the columns city and sex", "city,sex"),
                                ("city,sex,x\na,f,1\n", "the first line does not name exactly the columns city and sex"),
                                ("city,city\na,f\n", "the first line does not name exactly the columns city and sex"),
                                ("city,sex\na,f\na\n", "k.csv: line 3 has another number of cells"),
                                ("city,sex\na,f\na,\n", "k.csv: line 3 has an empty cell"),
                                ("city,sex\na,f\n\n", "k.csv: line 3 has another number of cells"),
                                ('city,sex\n"a\nb",f\na,f\n"a\nb",f\n', "k.csv: line 5 appeared before"),
                                ('city,sex\na,"f\n', "k.csv: line 2 has a quote that is not closed"),
                                ('city,sex\na,f"f\n', "k.csv: line 2 has a quote that is not closed, or not around a cell"),
                                (b"city,sex\na,\xe9\n", "k.csv: line 2 is not UTF-8 text")):
            self.write("k.csv", content)
            refuse(*parts, keys_file="k.csv")
        self.write("k.csv", "city,sex\n" + "".join(f"{i},f\n" for i in range(100_001)))
        refuse("k.csv: line 100002 is one too many: at most 100000 groups", keys_file="k.csv")


class Receipts(GroupsTest):
    def document(self, **changes):
        self.write("t.csv", "who,city,x\n" + "".join(f"{SECRET}{i},{'ab'[i % 2]},{i % 11}\n" for i in range(100)))
        result = self.run_release("t.csv", **{"format": "json", "keys": "a,ü \"x\"", "by": "city", **changes})
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertNotIn(SECRET, result.out)
        return json.loads(result.out)

    def test_groups_stand_in_place_of_quantiles(self):
        document = self.document(person="who", records_per_person="2", neighbors="change-one")
        self.assertEqual([group["key"] for group in document["groups"]], ["a", 'ü "x"'])
        for group in document["groups"]:
            self.assertEqual(list(group), ["key", "quantiles"])
            self.assertEqual([entry["quantile"] for entry in group["quantiles"]], ["1/4", "1/2", "3/4"])
        self.assertNotIn("quantiles", document)
        self.assertEqual((document["by"], document["source"]["person"]), ("city", "who"))
        self.assertEqual(document["privacy"], {"measure": "pure", "epsilon": "1", "neighbors": "change-one",
                                               "records_per_person": 2})
        self.assertEqual(document["mechanism"], "tree")

    def test_what_ran_stands_in_each_group_when_it_differs(self):
        alike, differing = 0, 0
        for seed in range(1, 13):
            document = self.document(step="0.0001", unsafe_seed=str(seed))
            own = [group for group in document["groups"] if "options" in group]
            self.assertEqual(len(own), 0 if "options" in document else 2)
            alike += "options" in document
            if own:
                differing += 1
                self.assertNotEqual(own[0]["options"]["granularity"], own[1]["options"]["granularity"])
        self.assertTrue(alike and differing, (alike, differing))

    def test_without_groups(self):
        document = self.document(by=None, keys=None, person="who")
        self.assertIn("quantiles", document)
        self.assertNotIn("by", document)
        self.assertEqual(document["source"]["person"], "who")

    def test_the_receipt_is_the_json_output(self):
        self.write("t.csv", "city,x\na,1\n")
        result = self.run_release("t.csv", by="city", keys="a", format="json", receipt="r.json")
        self.assertEqual((self.folder / "r.json").read_text(), result.out)

    def test_tables(self):
        self.write("t.csv", "who,city,x\na,Köln,1\n")
        out = self.run_release("t.csv", by="city", keys="Köln,b", quantiles="median", person="who", format="table").out
        self.assertRegex(out, r"\Acity  quantile +x\nKöln  1/2 +\d+\nb     1/2 +\d+\n\nepsilon = 1 \(pure\)")
        self.assertIn("all groups together spend that once\n", out)
        self.assertIn("of each person's records, at most that many count", out)

    def test_a_seed_is_stamped(self):
        self.write("t.csv", "city,x\na,1\n")
        out = self.run_release("t.csv", by="city", keys="a", quantiles="median", unsafe_seed="9").out
        self.assertRegex(out, r"\Akey,quantile,value,unsafe_seed\na,1/2,\d+,9\n\Z")
        self.assertIn("NOT PRIVATE", self.run_release("t.csv", by="city", keys="a", unsafe_seed="9", format="table").out)


class Refusals(CommandTest):
    def refuse(self, *parts, **changes):
        """Requires a refusal before the file is opened: the file does not exist."""
        with self.subTest(**{name: str(value)[:60] for name, value in changes.items()}):
            self.assert_refused(self.run_release("nowhere.csv", **changes), 2, *parts)

    def test_keys_and_their_column(self):
        self.refuse("--keys without the column that holds the keys", "--by region", keys="a")
        self.refuse("--keys-file without the column", "--by region", keys_file="k.txt")
        self.refuse("--by without its keys", "--keys north,south", by="city")
        self.refuse("--keys-file takes the place of --keys", by="city", keys="a", keys_file="k.txt")
        self.refuse("--keys: the list 'a,,b' has an empty item", by="city", keys="a,,b")
        self.refuse("--keys: the key 'a' appears twice", "once", by="city", keys="a,b, a")
        self.refuse("--keys is empty", by="city", keys="")
        self.refuse("--by is empty", by="", keys="a")
        self.refuse("--person is empty", person="")

    def test_files_of_keys(self):
        def refuse(content, *parts):
            self.write("k.txt", content)
            self.refuse(*parts, by="city", keys_file="k.txt")

        refuse("", "--keys-file: k.txt holds no keys", "one key per line")
        refuse("a\n\nb\n", "--keys-file: k.txt: line 2 is empty", "one key")
        refuse(b"a\n\xe9\n", "--keys-file: k.txt: line 2 is not UTF-8 text", "iconv")
        refuse(b"\xed\xa0\x80\n", "line 1 is not UTF-8 text")
        refuse(b"\xc0\x80\n", "line 1 is not UTF-8 text")
        refuse("a\nb\na\n", "--keys-file: k.txt: line 3 appeared before", "every key once")
        refuse("".join(f"{i}\n" for i in range(100_001)), "line 100001 is one too many: at most 100000 keys")
        result = self.run_release("nowhere.csv", by="city", keys_file="gone.txt")
        self.assert_refused(result, 3, "--keys-file: cannot read gone.txt: No such file", "one key per line")
        self.assert_refused(self.run_release("nowhere.csv", by="city", keys_file="."), 3, "cannot read .: Is a directory")

    def test_delta(self):
        for changes in ({"records_per_person": "2"}, {"neighbors": "change-one"}):
            self.refuse("take no delta", "leave --delta out", by="city", keys="a", delta="1e-6", **changes)
        result = self.run_release("nowhere.csv", by="city", keys="a", delta="1e-6")
        self.assert_refused(result, 3, "cannot open nowhere.csv")

    def test_public_rows(self):
        self.refuse("--public-rows goes neither with --person nor with --by", by="city", keys="a", public_rows=True)
        self.refuse("--public-rows goes neither with --person nor with --by", person="who", public_rows=True)

    def test_columns(self):
        self.write("t.csv", "who,city,x\na,b,1\n")
        self.assert_refused(self.run_release("t.csv", by="citty", keys="b"), 3, "t.csv has no column 'citty'",
                            secrets=("'city'",))
        self.assert_refused(self.run_release("t.csv", person="whom"), 3, "t.csv has no column 'whom'",
                            secrets=("'who'",))


class Large(GroupsTest):
    def run_small(self, *arguments, **changes):
        """Requires at most 400 MB for the largest child process so far: no other figure is available. Sanitizers need more."""
        result = self.run_release(*arguments, **changes)
        self.assertEqual((result.code, result.err), (0, ""))
        if not os.environ.get("FRACTILE_SANITIZE"):
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 400 * 1024)
        return result.out

    def test_a_hundred_thousand_rows(self):
        chance = random.Random(1)
        rows = (f"{chance.randrange(30_000)},{chance.choice('nsew')},{chance.randrange(11)}\n" for _ in range(100_000))
        self.write("t.csv", "who,city,x\n" + "".join(rows))
        out = self.run_small("t.csv", by="city", keys="n,e,s,w", person="who", records_per_person="2")
        self.assertEqual(len(out.splitlines()), 13)

    def test_one_person_with_all_rows(self):
        sql = "SELECT 1 AS who, i % 11 AS x FROM range(1000000) t(i)"
        Engine().write_parquet(self.folder / "t.parquet", sql)
        self.run_small("t.parquet", person="who", records_per_person="1000000000")
        self.run_small("t.parquet", person="who")

    def test_many_keys(self):
        self.write("keys.txt", "".join(f"{i}\n" for i in range(5000)))
        sql = "SELECT i % 7000 AS city, i % 1000000 AS x FROM range(100000) t(i)"
        Engine().write_parquet(self.folder / "t.parquet", sql)
        out = self.run_small("t.parquet", by="city", keys_file="keys.txt", bounds=("0", "1000000"), quantiles="median",
                             mechanism="exponential")
        self.assertEqual(len(out.splitlines()), 5001)


if __name__ == "__main__":
    unittest.main()
