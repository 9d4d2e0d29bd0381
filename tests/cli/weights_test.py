"""Weighted records: each counts as many records as its weight has steps, with the same law. Receipts and pages mention the weights."""

import csv
import io
import json
import random
import unittest

from cli.program import CommandTest, Engine, options, require_engine, run

setUpModule = require_engine

WEIGHTS = {"weight": "w", "weight_bounds": ("1", "5"), "weight_step": "1"}


def units_of(weight):
    """The weight in units of the grid: clamped, then rounded to the nearest whole number, and upwards if two are equally near."""
    return int(min(5.0, max(1.0, weight)) + 0.5)


class WeightsTest(CommandTest):
    """t.csv has weighted records of several persons and groups. units.csv repeats each record as often as its weight has units."""

    def setUp(self):
        super().setUp()
        dice = random.Random(5)
        self.rows = [(f"p{dice.randrange(60)}", dice.choice("ab"), dice.randrange(0, 101), round(dice.uniform(0, 7), 2)) for _ in range(400)]
        self.write("t.csv", "id,g,x,w\n" + "".join(f"{i},{g},{x},{w}\n" for i, g, x, w in self.rows))
        self.write("units.csv", "id,g,x\n" + "".join(f"{i},{g},{x}\n" * units_of(w) for i, g, x, w in self.rows))

    def asked(self, file="t.csv", **changes):
        return self.run_release(file, **{"bounds": ("0", "100"), **WEIGHTS, **changes})

    def refuse(self, *parts, **changes):
        self.assert_refused(self.asked(**changes), 2, *parts)


class Words(WeightsTest):
    def said(self, text, **changes):
        self.write("t.csv", text)
        result = self.asked(count=True, receipt="r.json", **changes)
        said = run("explain", "r.json", cwd=self.folder).out
        (self.folder / "r.json").unlink(missing_ok=True)
        return result.code, " ".join(said.split())

    def test_records_without_a_weight_are_left_out(self):
        """Such a record is not counted and ends no release, whatever else stands in it."""
        text = "id,g,x,w\np1,a,7,2\np2,a,7,\n"
        for changes, chosen in (({}, ""), ({"person": "id", "records_per_person": "1"}, ", and was chosen to count")):
            code, said = self.said(text, **changes)
            self.assertEqual(code, 0)
            self.assertIn(f"A record is counted if it has a value in this column and a weight{chosen}.", said)
            self.assertIn(f"a row of the table that has a number in this column and a weight{chosen}", said)
            self.assertIn("or the column of weights anything but a number or nothing;", said)
        self.assertEqual(self.said(text, null="error")[0], 3)
        code, said = self.said("id,g,x,w\np1,a,7,2\n", null="error")
        self.assertEqual(code, 0)
        self.assertIn("anything but a number, or the column of weights anything but a number;", said)


class Units(WeightsTest):
    def values(self, file, **changes):
        result = self.run_release(file, **{"bounds": ("0", "100"), "format": "csv", "unsafe_seed": "3", **changes})
        self.assertEqual(result.code, 0, result.err)
        return result.out

    def test_a_record_is_its_units_law_for_law(self):
        """One seed gives the same release of both tables, for every draw and every rate."""
        for query in (
            {},
            {"quantiles": "deciles"},
            {"quantiles": "deciles", "rho": "1/2", "epsilon": None},
            {"mechanism": "tree", "quantiles": "deciles"},
            {"mechanism": "joint-total"},
            {"mechanism": "independent", "delta": "1e-6"},
            {"mechanism": "exponential", "quantiles": "0.3"},
            {"by": "g", "keys": "b,a,none"},
            {"by": "g", "keys": "a,b", "rho": "2", "epsilon": None, "quantiles": "deciles"},
            {"intervals": "0.9", "of": "table", "epsilon": "3"},
            {"step": "0.001", "bounds": ("-1000", "1000")},
            {"bounds": "auto"},
            {"candidates": "0,10,25.5,60", "bounds": None, "step": None},
        ):
            if query.get("bounds") == "auto":
                query = {**query, "bounds": ("auto",)}
            for records in ("1", "3"):
                with self.subTest(query=query, records=records):
                    weighted = self.values("t.csv", **WEIGHTS, **query, records_per_person=records)
                    self.assertEqual(weighted, self.values("units.csv", **query, records_per_person=str(5 * int(records))))

    def test_counts_shares_and_means_are_those_of_units(self):
        """A total weight is the number of units times the step."""
        for query in ({"count": True}, {"below": "20,50.5", "mean": True, "step": "0.5"}, {"mean": True, "by": "g", "keys": "a,b"}, {"count": True, "rho": "1/2", "epsilon": None}):
            with self.subTest(query=query):
                units = self.values("units.csv", **query, records_per_person="5")
                self.assertIn(",count", units.replace("\ncount", ",count"))
                self.assertEqual(self.values("t.csv", **WEIGHTS, **query), units.replace("count", "weight"))
        halves = {"weight": "h", "weight_bounds": ("0.5", "2.5"), "weight_step": "0.5"}
        self.write("halves.csv", "x,h\n" + "".join(f"{x},{w / 2}\n" for _, _, x, w in self.rows))
        rows = list(csv.DictReader(io.StringIO(self.values("halves.csv", **halves, below="20", mean=True))))
        units = list(csv.DictReader(io.StringIO(self.values("units.csv", below="20", mean=True, records_per_person="5"))))
        for row, of_units in zip(rows, units):
            self.assertEqual(row["statistic"], of_units["statistic"].replace("count", "weight"))
            scale = 0.5 if row["statistic"].startswith("weight") else 1
            for end in ("value", "lower", "upper"):
                if row[end] or of_units[end]:
                    self.assertEqual(float(row[end]), scale * float(of_units[end]), row)

    def test_a_total_weight_below_zero_is_published_as_any_other(self):
        """Noise may exceed what is counted. If that were an error, the success of a paid release would depend on the records."""
        self.write("few.csv", "id,x,w\n" + "".join(f"p{i},{i},1\n" for i in range(5)))
        asked = {"bounds": ("0", "100"), **WEIGHTS, "epsilon": "0.01", "weight_bounds": ("0", "10"), "weight_step": "1/2"}
        below = 0
        for seed in map(str, range(8)):
            for words in ([], ["--format", "table"], ["--format", "csv", "--receipt", f"{seed}.json"]):
                result = self.run_release("few.csv", "--count", "--below", "2", *words, **asked, unsafe_seed=seed)
                self.assertEqual(result.code, 0, result)
            below += "\nweight,,-" in result.out
            self.assertEqual(run("explain", f"{seed}.json", cwd=self.folder).code, 0)
        self.assertGreater(below, 0)

    def test_total_weights_are_explained(self):
        self.assertEqual(self.asked(receipt="r.json", below="20", mean=True).code, 0)
        text = " ".join(run("explain", "r.json", "--format", "text", cwd=self.folder).out.split())
        for part in ("the records' total weight, the weights and shares below 20, and the weighted mean", "total weight", "weight below 20",
                     "These are sums of weights as they count, on their grid", "the table's records by their weights as they count"):
            self.assertIn(part, text)
        self.assertEqual(run("explain", "r.json", "--format", "json", cwd=self.folder).out, self.content("r.json"))
        table = self.asked(format="table", below="20").out
        self.assertIn("the records' total weight", table)

    def test_whose_weights_change_multiplies_the_cost(self):
        for stability in ("1", "4"):
            weighted = self.values("t.csv", **WEIGHTS, weight_stability=stability)
            self.assertEqual(weighted, self.values("units.csv", records_per_person=str(5 * int(stability))))
        self.refuse("--weight-stability: 3 records of one person may count", "write --weight-stability 3 or more", weight_stability="2",
                    records_per_person="3")

    def test_of_persons_a_sample_counts_with_its_weights(self):
        """Each person has one record, so all records count. Each of them is up to five units."""
        self.write("one.csv", "id,x,w\n" + "".join(f"q{k},{x},{w}\n" for k, (_, _, x, w) in enumerate(self.rows)))
        self.write("ones.csv", "id,x\n" + "".join(f"q{k},{x}\n" * units_of(w) for k, (_, _, x, w) in enumerate(self.rows)))
        self.assertEqual(self.values("one.csv", **WEIGHTS, person="id"), self.values("ones.csv", person="id", records_per_person="5"))

    def test_every_format(self):
        expected = self.values("t.csv", **WEIGHTS, by="g", keys="a,b")
        self.write("t.jsonl", "".join(json.dumps({"id": i, "g": g, "x": x, "w": w}) + "\n" for i, g, x, w in self.rows))
        Engine().write_parquet(self.folder / "t.parquet", f"SELECT id, g, CAST(x AS INT) AS x, CAST(w AS DECIMAL(5,2)) AS w FROM read_csv('{self.folder}/t.csv', all_varchar = true)")
        for file, changes in (("t.jsonl", {"input_format": "json"}), ("t.parquet", {}), ("t.csv", {"threads": "3"}), ("t.csv", {"sql": "SELECT g, x, w FROM input"})):
            self.assertEqual(self.values(file, **WEIGHTS, by="g", keys="a,b", **changes), expected)

    def test_the_weighted_median(self):
        units = sorted(x for _, _, x, w in self.rows for _ in range(units_of(w)))
        median = float(self.sure_release("t.csv", bounds=("0", "100"), quantiles="median", **WEIGHTS)[0])
        self.assertLessEqual(abs(units[len(units) // 2] - median), 1)

    def test_a_record_without_a_weight_is_left_out(self):
        self.write("gaps.csv", "x,w\n90,\n90,NaN\n10,2\n90,NA\n")
        query = {"bounds": ("0", "100"), "quantiles": "median", **WEIGHTS}
        self.assertEqual(self.sure_release("gaps.csv", **query, missing="NA"), ["10"])
        self.assertEqual(self.sure_release("gaps.csv", **query, unreadable="missing"), ["10"])
        self.assert_refused(self.run_release("gaps.csv", **query), 3, "gaps.csv: row 4, column 'w': not a number")


class Said(WeightsTest):
    def test_the_receipt(self):
        result = self.asked(receipt="r.json", expected_rows="400", expected_weight="3", records_per_person="2", quantiles="median")
        self.assertEqual(result.code, 0, result)
        receipt = json.loads(self.content("r.json"))
        self.assertEqual(receipt["source"]["weights"], {
            "column": "w", "lower": 1, "upper": 5, "step": 1, "expected_mean": "3", "units_per_record": 5, "records_per_person": 2,
            "neighbors": "weighted files", "noise_factor": "5", "relative_noise_factor": "5/3"})
        self.assertEqual(receipt["privacy"]["records_per_person"], 10)
        self.assertEqual(receipt["worst_case"]["rows"], 1200)
        again = run("explain", "r.json", "--format", "text", cwd=self.folder)
        self.assertEqual(again.code, 0, again)
        text = " ".join(again.out.split())
        for part in (
            "For every person who has at most 2 records in the table",
            "The promise is about weighted files: one with a person's weighted records and one without them, in which all other weights are the same.",
            "Where weights were calibrated to totals, a person also affects the weights of others. The promise does not cover that.",
            "weights are 1 to 5 in steps of 1, smaller and larger ones counting as the nearest: a record counts as up to 5 units of 1",
            "in units, the noise is 5 times that of the same number of records without weights; in shares of the total 1.667 times, if the mean weight is 3",
            "units of weight",
            "the table's records by their weights as they count",
            "weights.md",
        ):
            self.assertIn(part, text)
        page = run("explain", "r.json", "--format", "html", cwd=self.folder)
        self.assertIn("The promise is about weighted files", page.out)

    def test_a_public_page_does_not_name_their_column(self):
        """Once, a mark that stood for the column was printed: "the weights in \\x01"."""
        page = self.asked(format="html", public=True).out
        self.assertIn("The bounds and the step of the weights, 1 to 5 in steps of 1, were chosen without looking at the data.", page)
        self.assertNotIn("x01", page)
        self.assertIn("The bounds and the step of the weights in w, 1 to 5", self.asked(format="html").out)

    def test_a_declared_stability(self):
        self.assertEqual(self.asked(receipt="r.json", weight_stability="7", quantiles="median").code, 0)
        weights = json.loads(self.content("r.json"))["source"]["weights"]
        self.assertEqual((weights["stability"], weights["neighbors"], weights["noise_factor"]), (7, "calibrated weights", "35"))
        text = " ".join(run("explain", "r.json", "--format", "text", cwd=self.folder).out.split())
        self.assertIn("files that differ in one person's records and in the weights that these records change: at most 7 records in all", text)

    def test_the_table(self):
        out = self.asked(format="table").out
        for part in ("at most 1 record a person", "weights are 1 to 5 in steps of 1", "neighbors are weighted files: one weighted record more or less",
                     "calibrated to totals reveal about a person is outside the promise", "the noise is 5 times", " or without a weight were left out"):
            self.assertIn(part, out)


class Refused(WeightsTest):
    def test_what_does_not_go_with_weights(self):
        for changes, parts in (
            ({"neighbors": "change-one"}, ("weights do not go with change-one", "leave --neighbors out")),
            ({"intervals": "0.9"}, ("intervals of a population do not go with weights", "--of table")),
            ({"public_rows": True}, ("--public-rows goes neither with",)),
            ({"expected_rows": "100"}, ("--expected-weight is missing", "--expected-weight 3")),
            ({"weight_bounds": None}, ("--weight-bounds is missing",)),
            ({"weight_step": None}, ("--weight-step is missing",)),
            ({"weight_step": "0"}, ("--weight-step: not above 0",)),
            ({"weight_step": "0.3"}, ("--weight-bounds: 1 is not a multiple of --weight-step, 3/10",)),
            ({"weight_step": "0.001"}, ("more than 4096 steps",)),
            ({"weight_bounds": ("5", "1")}, ("--weight-bounds: the smallest weight is at least 0",)),
            ({"weight": None}, ("--weight-bounds goes with --weight",)),
            ({"weight": None, "weight_bounds": None, "weight_step": None, "weight_stability": "2"}, ("--weight-stability goes with --weight",)),
            ({"weight_stability": "1000000000"}, ("more than 4294967295 units",)),
            ({"expected_weight": "6", "expected_rows": "10"}, ("--expected-weight: a mean of weights lies within --weight-bounds",)),
        ):
            with self.subTest(changes=changes):
                self.refuse(*parts, **changes)
        self.assert_refused(self.asked(weight="v"), 3, "'v'")


class Counts(WeightsTest):
    def test_a_profile_file_carries_weights(self):
        words = options({"column": "x", "bounds": ("0", "100"), "step": "1"}, **WEIGHTS, by="g", keys="a,b")
        for name in ("one", "two"):
            self.assertEqual(run("count", "t.csv", *words, "--source", name, "--output", name, cwd=self.folder).code, 0)
        table = self.asked(by="g", keys="a,b", unsafe_seed="4", format="csv").out
        seeded = ("--epsilon", "1", "--unsafe-seed", "4", "--format", "csv")
        self.assertEqual(run("release", "--counts", "one", *seeded, cwd=self.folder).out, table)
        self.assertEqual(run("merge", "one", "two", "--output", "both", "--disjoint-persons", cwd=self.folder).code, 0)
        receipt = json.loads(run("release", "--counts", "both", "--epsilon", "1", "--format", "json", cwd=self.folder).out)
        self.assertEqual((receipt["source"]["weights"]["units_per_record"], receipt["privacy"]["records_per_person"]), (5, 5))
        self.assert_refused(run("release", "--counts", "both", "--epsilon", "1", "--weight", "x", cwd=self.folder), 2, "was counted with 'w'")

    def test_a_ledger_asks_of_counts_what_it_asks_of_tables(self):
        words = options({"column": "x", "bounds": ("0", "100"), "step": "1"}, **WEIGHTS)
        self.assertEqual(run("count", "t.csv", *words, "--output", "p", cwd=self.folder).code, 0)
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "10", "--weight-stability", "2", cwd=self.folder).code, 0)
        asked = ("release", "--counts", "p", "--epsilon", "1", "--ledger", "l.db")
        self.assert_refused(run(*asked, cwd=self.folder), 2, "write --weight-stability 2")
        self.assertEqual(run(*asked, "--weight-stability", "2", cwd=self.folder).code, 0)


class Planned(WeightsTest):
    ASKED = ("plan", "--bounds", "0", "100", "--step", "1", "--quantiles", "0.3,0.5", "--epsilon", "1", "--weight-bounds", "0", "3000", "--weight-step", "1",
             "--expected-rows", "5000", "--expected-weight", "100")

    def test_noise_in_weights_and_in_shares(self):
        plan = json.loads(run(*self.ASKED, "--format", "json").out)
        weights = plan["weights"]
        self.assertEqual((weights["expected_units"], weights["noise_factor"], weights["relative_noise_factor"]), (500_000, "3000", "30"))
        self.assertEqual(plan["privacy"]["records_per_person"], 3000)
        for each, share in zip(plan["quantiles"], weights["nine_in_ten_of_the_total"]):
            self.assertAlmostEqual(each["nine_in_ten"] / 500_000, share, delta=share / 100 + 1e-5)

    def test_a_smaller_largest_weight_that_may_be_worth_it(self):
        trimmed = json.loads(run(*self.ASKED, "--format", "json").out)["weights"]["trimmed"]
        self.assertEqual(trimmed["upper"], 400)
        text = run(*self.ASKED, "--format", "table").out
        self.assertIn("With a largest weight of 400, these errors would be about", text)
        self.assertIn("if the parts of weights above 400 are together less than", " ".join(text.split()))
        near = [word if word != "3000" else "500" for word in self.ASKED]
        self.assertNotIn("trimmed", json.loads(run(*near, "--format", "json").out)["weights"])
        self.assertIn("<h2>Weights</h2>", run(*self.ASKED, "--format", "html").out)

    def test_warnings_count_units(self):
        few = ("plan", "--bounds", "0", "100", "--step", "1", "--quantiles", "0.3,0.5", "--epsilon", "0.01", "--weight-bounds", "0", "100",
               "--weight-step", "1", "--expected-rows", "200", "--expected-weight", "20")
        for how in ("table", "html"):
            noise = " ".join(run(*few, "--format", how).out.split())
            self.assertIn("among 4000 units of a public normal table, simulated values miss by", noise)
            ends = " ".join(run(*few, "--intervals", "0.95", "--of", "table", "--format", how).out.split())
            self.assertIn("about 4000 units are too few to settle their ends within it; about", ends)
            self.assertNotIn("mostly noise", ends)

    def test_errors_are_said_in_units(self):
        """Once, a plan with weights said that errors are in records, and that they hold for that many records: for units, it is fewer."""
        table, page = (" ".join(run(*self.ASKED, "--format", how).out.split()) for how in ("table", "html"))
        for text in (table, page):
            self.assertIn("Errors are in units of weight: by how many the published value misses its quantile.", text)
            self.assertIn("whatever the table of up to 500000 units of weight", text)
            self.assertRegex(text, r"simulated releases of a public normal table of \d+ units of weight between the bounds")
            self.assertIn("at most 3000 units of weight a person", text)
            self.assertNotRegex(text, r"at most \d+ records|up to \d+ records|in records|records off")
        self.assertRegex(page, r"To miss by at most \d+ units of weight you pay epsilon = 1")
        narrow = " ".join(run(*self.ASKED, "--format", "table", "--intervals", "0.9", "--of", "table").out.split())
        self.assertIn("simulated intervals, in units of weight", narrow)

    def test_total_weights(self):
        """The error, in weights, is that of counts of records of which one person has as many as a weight has units."""
        asked = (*self.ASKED, "--below", "20", "--mean")
        of_units = ("plan", "--bounds", "0", "100", "--step", "1", "--quantiles", "0.3,0.5", "--epsilon", "1", "--records-per-person", "3000",
                    "--expected-rows", "500000", "--below", "20", "--mean")
        weighted, units = (json.loads(run(*words, "--format", "json").out)["statistics"] for words in (asked, of_units))
        self.assertEqual(weighted, units)
        text = run(*asked, "--format", "table").out
        self.assertIn(f"weight below 20 {units['below'][0]['count']}", " ".join(text.split()))
        self.assertIn("pays for the records' total weight", " ".join(text.split()))

    def test_what_must_be_told(self):
        without = [word for word in self.ASKED if word not in ("--expected-rows", "5000")]
        self.assert_refused(run(*without), 2, "--expected-rows is missing: how large the noise is compared with a total of weights depends on it")
        self.assert_refused(run(*self.ASKED, "--guess", "50"), 2, "--guess is about records, and does not go with weights")
        self.assert_refused(run(*self.ASKED, "--intervals", "0.9"), 2, "intervals of a population do not go with weights")


class Ledgers(WeightsTest):
    def init(self, *declared):
        self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "d", "--epsilon", "10", *declared, cwd=self.folder).code, 0)

    def paid(self, **changes):
        result = self.asked(ledger="budget.db", quantiles="median", **changes)
        self.assertEqual(result.code, 0, result)
        return result

    def spent(self):
        return json.loads(run("ledger", "show", "budget.db", "--format", "json", cwd=self.folder).out)["datasets"][0]["spent"]

    def test_weights_are_refused_unless_their_owner_says_whom_they_tell_of(self):
        self.init()
        self.refuse("dataset 'd' does not declare how many weights one person's records change", "--weights-as-they-are", "--weight-stability K", ledger="budget.db")
        self.refuse("--weight-stability may be used on a ledger's dataset only as its owner declared it", weight_stability="100", ledger="budget.db")
        self.assertEqual(run("release", "t.csv", "--column", "x", "--bounds", "0", "100", "--step", "1", "--epsilon", "1", "--ledger", "budget.db", cwd=self.folder).code, 0)

    def test_as_they_are(self):
        self.init("--weights-as-they-are")
        first = self.paid().out
        again = self.paid()
        self.assertIn("this was released", again.err)
        self.assertEqual(again.out, first)
        for another in ({"weight_bounds": ("0", "5")}, {"weight_step": "0.5"}, {"weight": "x"}):
            self.assertNotIn("this was released", self.paid(**another).err)
        self.refuse("--weight-stability may be used on a ledger's dataset only as its owner declared it", weight_stability="2", ledger="budget.db")

    def test_a_stability(self):
        self.init("--weight-stability", "3")
        self.refuse("dataset 'd' declares that one person can change the weights of 3 records", "write --weight-stability 3", ledger="budget.db")
        self.refuse("dataset 'd' declares --weight-stability 3", weight_stability="2", ledger="budget.db")
        self.paid(weight_stability="3")
        self.paid(weight_stability="4")
        self.refuse("--column also changes 'w'", column="w", ledger="budget.db", weight_stability="3")
        self.refuse("a query could change these weights, too", "leave --sql out", sql="SELECT w AS x, w FROM input",
                    ledger="budget.db", weight_stability="3")
        self.assertEqual(self.asked(ledger="budget.db", weight_stability="3", quantiles="median", receipt="r.json").code, 0)
        self.assertEqual(json.loads(self.content("r.json"))["source"]["weights"]["stability"], 3)
        verified = run("ledger", "verify", "budget.db", "--receipts", ".", cwd=self.folder)
        self.assertEqual(verified.code, 0, verified)

    def test_one_of_both_is_declared(self):
        result = run("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1", "--weights-as-they-are", "--weight-stability", "2", cwd=self.folder)
        self.assert_refused(result, 2, "--weight-stability says that other weights change, and --weights-as-they-are that none does")


if __name__ == "__main__":
    unittest.main()
