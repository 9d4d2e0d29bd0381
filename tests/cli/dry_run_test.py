"""release --dry-run says what the release would cost, and charges, reads and writes nothing."""

import unittest

from cli.ledgers import LedgerTest


class DryRuns(LedgerTest):
    def rehearsed(self, *arguments, code=0, **changes):
        result = self.run_paid(*(arguments or ("t.csv",)), "--dry-run", **changes)
        self.assertEqual(result.code, code, result)
        return result.out if code == 0 else result.err

    def test_says_what_it_would_cost_and_what_would_remain(self):
        self.init("--epsilon", "1")
        before = (self.folder / "budget.db").read_bytes()
        said = self.rehearsed()
        for line in ("column     x (VARCHAR)", "cost       epsilon = 1/4 (pure), neighbors add-remove, at most 1 record a person",
                     "remaining  epsilon = 3/4 of epsilon = 1 in dataset people, afterwards", "nothing was charged, and no record was looked at"):
            self.assertIn(line, said)
        self.assertEqual((self.folder / "budget.db").read_bytes(), before)
        values = self.paid()
        # The ledger holds this release, so it would cost nothing.
        self.assertIn("remaining  epsilon = 3/4 of epsilon = 1", self.rehearsed())
        self.assertRegex(self.rehearsed(), r"held       entry 1 has held this very release since [-0-9: ]+: it would cost nothing")
        self.assertIn("remaining  epsilon = 1/4 of epsilon = 1", self.rehearsed(epsilon="1/2"))
        self.assertIn(values[0], self.run_paid().out)

    def test_refuses_what_would_be_refused(self):
        self.init("--epsilon", "1/8")
        self.assertIn("exceeds what remains of dataset 'people', epsilon = 1/8 of epsilon = 1/8", self.rehearsed(code=4))
        self.assertIn("no column 'y'", self.rehearsed(code=3, column="y", epsilon="1/8"))
        self.assertIn("a cost of rho = 1 cannot be charged", self.rehearsed(code=2, rho="1", epsilon=None))

    def test_refuses_what_cannot_be_shown(self):
        """Once, a dry run did not look at how the release was to be shown."""
        for changes, part in (({"public": True}, "--public goes with --format html"),
                              ({"guess": "above:5"}, "--guess goes with --format html"),
                              ({"compare": "0.25,0.75"}, "--compare goes with --intervals"),
                              ({"format": "svg"}, "--format")):
            for dry_run in (True, False):
                self.assert_refused(self.run_release("t.csv", dry_run=dry_run or None, **changes), 2, part)
        self.assertEqual(self.run_release("t.csv", dry_run=True, format="html", figures="figures").code, 0)
        self.assertFalse((self.folder / "figures").exists())
        (self.folder / "figures").mkdir()
        self.write("figures/release.svg", "")
        self.assert_refused(self.run_release("t.csv", dry_run=True, format="html", figures="figures"), 3, "it holds release.svg")

    def test_no_record_is_looked_at(self):
        """A cell that is not a number ends a release without a ledger, but a dry run does not read it."""
        self.write("t.csv", "x\n7\nseven\n")
        self.assertEqual(self.run_release("t.csv").code, 3)
        result = self.run_release("t.csv", "--dry-run")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("ledger     none: no budget would be debited", result.out)
        self.assertIn("values     11 possible ones, 0 to 10\n", result.out)
        found = self.run_release("t.csv", "--dry-run", bounds="auto")
        self.assertIn("values     multiples of 1, between bounds that a part of the cost finds\n", found.out)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["t.csv"])

    def test_json_has_no_schema(self):
        """Once, a dry run of JSON was refused, with the hint to add --check."""
        self.write("t.json", '{"x": 7}\n{"x": "seven"}\n')
        result = self.run_release("t.json", "--dry-run")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("column     x\n", result.out)


if __name__ == "__main__":
    unittest.main()
