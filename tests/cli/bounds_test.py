"""--bounds auto: unknown bounds are found with a part of the budget."""

import json
import unittest

from cli.program import CommandTest, require_engine, run

setUpModule = require_engine

FOUND = {"bounds": "auto"}


class FoundBounds(CommandTest):
    def setUp(self):
        super().setUp()
        rows = [f"{5000 + 10 * i},{'ab'[i % 2]},{i // 2}" for i in range(2000)]
        self.write("t.csv", "x,key,person\n" + "\n".join(rows) + "\n")

    def document(self, **changes):
        result = self.run_release("t.csv", format="json", **{**FOUND, **changes})
        self.assertEqual((result.code, result.err), (0, ""))
        return json.loads(result.out)

    def assert_near(self, quantiles):
        for entry, expected in zip(quantiles, (10000, 15000, 20000), strict=True):
            self.assertLess(abs(entry["value"] - expected), 3000, quantiles)

    def test_hold_the_quantiles(self):
        document = self.document(epsilon="4")  # at epsilon 1, one upper bound in twenty lies far out
        self.assert_near(document["quantiles"])
        self.assertEqual(document["bounds"], {"share": "1/10", "epsilon": "2/5", "enough_records": 600})
        self.assertEqual(document["privacy"]["epsilon"], "4")
        self.assertNotIn("reason", document["worst_case"])
        lattice = document["lattice"]
        self.assertLessEqual(lattice["lower"], 8192)
        self.assertGreaterEqual(lattice["upper"], 16384)
        self.assertLess(lattice["upper"], 2**40)

    def test_of_the_extremes(self):
        for quantiles in ("0", "1", "0,0.5,1"):
            with self.subTest(quantiles):
                document = self.document(quantiles=quantiles)
                self.assertEqual(len(document["quantiles"]), quantiles.count(",") + 1)

    def test_zcdp_and_shares(self):
        document = self.document(epsilon=None, rho="1/2", bounds_budget="1/5")
        self.assertEqual(document["bounds"], {"share": "1/5", "rho": "1/10", "enough_records": 192})
        self.assertEqual(document["privacy"]["rho"], "1/2")

    def test_of_groups(self):
        document = self.document(by="key", keys="a,b,c", person="person", records_per_person="2", epsilon="4")
        self.assertEqual([group["key"] for group in document["groups"]], ["a", "b", "c"])
        for group in document["groups"][:2]:
            self.assert_near(group["quantiles"])
        self.assertIn("records of all groups", document["worst_case"]["reason"])
        self.assertEqual(document["bounds"]["epsilon"], "2/5")

    def test_are_told_in_tables_and_explained(self):
        table = self.run_release("t.csv", format="table", receipt="r.json", **FOUND).out
        self.assertRegex(table, r"\na part of the budget, epsilon = 1/10, found the bounds: -?\d+ to \d+\n"
                                r"with a probability of at least 95 % they hold all quantiles, if at least \d+ records count\n")
        page = " ".join(run("explain", "r.json", cwd=self.folder).out.split())
        self.assertIn("10 % of the budget found the range", page)

    def test_of_too_few_records(self):
        words = "1000 records may be too few to find bounds, which may be far from the values"
        self.assertEqual(self.run_release("t.csv", expected_rows="1000000", **FOUND).err, "")
        warned = self.run_release("t.csv", expected_rows="1000", quantiles="deciles", receipt="few.json", **FOUND)
        self.assertEqual(warned.code, 0, warned.err)
        self.assertIn(words, " ".join(warned.err.split()))
        self.assertIn("write bounds that are known without the data", " ".join(warned.err.split()))
        self.assertIn("Warning: " + words, " ".join(run("explain", "few.json", cwd=self.folder).out.split()))

    def test_before_the_file(self):
        words = ["release", "--bounds", "auto", "t.csv", "--column", "x", "--step", "1", "--epsilon", "1"]
        self.assertEqual(run(*words, cwd=self.folder).code, 0)

    def test_of_an_empty_table(self):
        self.write("e.csv", "x\n")
        self.assertEqual(self.run_release("e.csv", **FOUND).code, 0)

    def test_in_a_ledger(self):
        self.assertEqual(run("ledger", "init", "b.db", "--dataset", "d", "--epsilon", "2", cwd=self.folder).code, 0)
        paid = self.run_release("t.csv", ledger="b.db", **FOUND)
        again = self.run_release("t.csv", ledger="b.db", **FOUND)
        self.assertEqual((paid.code, again.code, again.out), (0, 0, paid.out))
        other = self.run_release("t.csv", ledger="b.db", bounds_budget="0.2", **FOUND)
        self.assertEqual((other.code, other.err), (0, ""))
        self.assert_refused(self.run_release("t.csv", ledger="b.db", bounds_budget="0.3", **FOUND), 4)

    def test_groups_in_a_ledger(self):
        self.assertEqual(run("ledger", "init", "b.db", "--dataset", "d", "--epsilon", "1", cwd=self.folder).code, 0)
        groups = {"by": "key", "keys": "a,b", "ledger": "b.db", **FOUND}
        paid = self.run_release("t.csv", **groups)
        again = self.run_release("t.csv", **groups)
        self.assertEqual((paid.code, again.code, again.out), (0, 0, paid.out))
        self.assertTrue(paid.out.startswith("key,quantile,value\na,1/4,"), paid.out)
        table = self.run_release("t.csv", format="table", **groups)
        self.assertRegex(table.out, r"\Akey +quantile +x\na +1/4 +\d+\n")
        self.assertIn("nothing was spent", table.err)
        self.assert_refused(self.run_release("t.csv", **{**groups, "keys": "a,b,c"}), 4)

    def test_joint_selections_have_room(self):
        document = self.document(mechanism="joint", epsilon="3")
        self.assertEqual(document["mechanism"], "joint")
        self.assert_near(document["quantiles"])

    def test_refusals(self):
        cases = (
            ({"bounds": "auto", "step": None}, "--step is missing"),
            ({"bounds": "auto", "step": "0"}, "not positive"),
            ({"bounds": "auto", "step": "1/3"}, "--step: "),
            ({"bounds": "auto", "bounds_budget": "0"}, "between 0 and 1"),
            ({"bounds": "auto", "bounds_budget": "1"}, "between 0 and 1"),
            ({"bounds": "auto", "bounds_budget": "much"}, "--bounds-budget: "),
            ({"bounds": "auto", "candidates": "1,2"}, "--candidates takes the place"),
            ({"bounds_budget": "0.1"}, "--bounds-budget goes with --bounds auto"),
            ({"bounds": ("auto", "9")}, "unexpected argument '9'"),
        )
        for changes, part in cases:
            with self.subTest(changes):
                self.assert_refused(self.run_release("nowhere.csv", **changes), 2, part)

    def test_only_releases_find_bounds(self):
        """Once, a counting said that it reads no table."""
        column = ["--bounds", "auto", "--step", "1"]
        for words in (["plan", *column, "--epsilon", "1"], ["count", "nowhere.csv", "--column", "x", *column, "--output", "x.profile"]):
            with self.subTest(words):
                self.assert_refused(run(*words, cwd=self.folder), 2, "--bounds auto is for a release, which pays", "write --bounds LO HI")


if __name__ == "__main__":
    unittest.main()
