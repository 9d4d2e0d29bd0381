"""fractile reproduce, run as a process on a few samples."""

import bisect
import csv
import io
import json
import math
import random
import shutil
import tempfile
import unittest
import xml.etree.ElementTree
from fractions import Fraction
from pathlib import Path

from cli.program import CommandTest, require_data, require_engine, run

NAME = "approximate-quantiles"
TABLE = "approximate_quantiles.csv"
SMALL = ("--sets", "uniform,gaussian", "--mechanisms", "approximate,tree-as-published", "--quantile-counts", "1,3",
         "--trials", "2")
COLUMNS = ["measure", "budget", "set", "mechanism", "quantiles", "trials", "gap_mean", "gap_standard_error",
           "missed_mean", "missed_standard_error", "tie_rank_mean", "tie_rank_standard_error", "microseconds_mean",
           "microseconds_median"]


class ReproduceTest(CommandTest):
    def reproduce(self, *arguments, how=None):
        return run("reproduce", *arguments, cwd=self.folder, **(how or {}))

    def table(self, *arguments, out="out", notes=""):
        """The rows of a run that must succeed, with only `notes` on standard error."""
        result = self.reproduce(NAME, "--out", out, *arguments)
        self.assertEqual((result.code, result.err), (0, notes), result)
        self.assertIn(f"{out}/{TABLE}\n", result.out)
        self.assertIn("nothing in it is a private release", result.out)
        return self.rows(out)

    def rows(self, out="out"):
        rows = list(csv.DictReader(io.StringIO((self.folder / out / TABLE).read_text())))
        for row in rows:
            self.assertEqual(list(row), COLUMNS)
        return rows

    def keys(self, rows):
        return {(row["measure"], row["set"], row["mechanism"], row["quantiles"]) for row in rows}

    def without_times(self, rows):
        return [{name: row[name] for name in COLUMNS if "microseconds" not in name} for row in rows]


class Table(ReproduceTest):
    def test_a_row_a_cell(self):
        rows = self.table(*SMALL, "--no-figures")
        expected = {(measure, name, mechanism, m) for measure in ("pure", "zcdp") for name in ("uniform", "gaussian")
                    for mechanism in ("approximate", "tree-as-published") for m in ("1", "3")}
        self.assertEqual(len(rows), len(expected))
        self.assertEqual(self.keys(rows), expected)
        self.assertEqual({(row["measure"], row["budget"]) for row in rows}, {("pure", "1"), ("zcdp", "1/2")})
        for row in rows:
            self.assertEqual(row["trials"], "2")
            self.assertGreaterEqual(float(row["missed_mean"]), float(row["gap_mean"]) - 1)
            self.assertLess(float(row["gap_mean"]), 1000)
            self.assertGreater(float(row["microseconds_median"]), 0)
        text = (self.folder / "out" / "approximate_quantiles.txt").read_text()
        self.assertIn("nothing in it is a private release", text)
        self.assertIn("seed 1, 2 trials, m = 1, 3", text)

    def test_every_mechanism_has_a_line_or_a_note(self):
        result = self.reproduce(NAME, "--out", "out", "--sets", "uniform", "--quantile-counts", "3", "--trials", "1",
                                "--no-figures")
        self.assertEqual(result.code, 0, result)
        shown = {row["mechanism"] for row in self.rows()}
        for mechanism in ("approximate-as-published", "approximate", "joint", "joint-total", "joint-tree", "independent",
                          "tree", "auto", "auto-without-interpolation", "auto-uniform-base", "tree-as-published"):
            self.assertTrue(mechanism in shown or f"left out 1 row of {mechanism} under" in result.err, result)

    def test_slow_mechanisms_run_when_they_are_named(self):
        result = self.reproduce(NAME, "--out", "out", "--sets", "uniform", "--quantile-counts", "51", "--trials", "1",
                                "--no-figures")
        self.assertEqual(result.code, 0, result)
        self.assertIn("joint-total above m = 50 takes seconds a release: left out", result.err)
        self.assertNotIn("joint-total", {row["mechanism"] for row in self.rows()})
        rows = self.table("--sets", "uniform", "--mechanisms", "joint-total", "--quantile-counts", "51", "--trials", "1",
                          "--no-figures", out="named")
        self.assertEqual(len(rows), 2)

    def test_one_seed_one_result(self):
        first = self.without_times(self.table(*SMALL, "--no-figures", "--seed", "7"))
        self.assertEqual(first, self.without_times(self.table(*SMALL, "--no-figures", "--seed", "7", out="again")))
        self.assertNotEqual(first, self.without_times(self.table(*SMALL, "--no-figures", "--seed", "8", out="other")))

    def test_what_is_left_out_changes_nothing_of_the_rest(self):
        everything = self.without_times(self.table(*SMALL, "--no-figures"))
        part = self.without_times(self.table("--sets", "gaussian", "--mechanisms", "approximate", "--quantile-counts",
                                             "3", "--trials", "2", "--no-figures", out="part"))
        self.assertEqual(len(part), 2)
        for row in part:
            self.assertIn(row, everything)

    def test_replaces_nothing(self):
        self.table(*SMALL, "--no-figures", out="some/where")
        result = self.reproduce(NAME, "--out", "some/where", *SMALL, "--no-figures")
        self.assert_refused(result, 3, "cannot write to some/where: the folder is not empty", "name another folder")

    def test_the_published_algorithm_errs_as_published(self):
        """Figure 4 of the paper, on uniform data: at m = 10, the algorithm errs by about 6.5 records and the tree by about 50. Under zCDP
        (figure 6), section 4.3 says that the algorithm is much better than the tree."""
        rows = self.table("--sets", "uniform", "--mechanisms", "approximate-as-published,tree-as-published",
                          "--quantile-counts", "10", "--trials", "40", "--no-figures")
        gaps = {row["mechanism"]: float(row["gap_mean"]) for row in rows if row["measure"] == "pure"}
        self.assertTrue(4.5 < gaps["approximate-as-published"] < 9, gaps)
        self.assertTrue(35 < gaps["tree-as-published"] < 70, gaps)
        zcdp = {row["mechanism"]: float(row["gap_mean"]) for row in rows if row["measure"] == "zcdp"}
        self.assertTrue(2 < zcdp["approximate-as-published"] < 4.5, zcdp)
        self.assertLess(1.5 * zcdp["approximate-as-published"], zcdp["tree-as-published"])


class WrongStatements(unittest.TestCase):
    """Statements of approximate-quantiles 2021 that, by docs/papers.md, are wrong."""

    def errors(self, records, quantiles, error):
        """The errors of algorithm 1 if every node errs by `error` records."""
        def ranks(first, last, quantiles):
            """Algorithm 1 among the records first + 1 to last: the ranks of its answers."""
            if not quantiles:
                return []
            middle = (len(quantiles) + 1) // 2 - 1
            share = quantiles[middle]
            rank = first + math.floor(share * (last - first)) + error
            below = [quantile / share for quantile in quantiles[:middle]]
            above = [(quantile - share) / (1 - share) for quantile in quantiles[middle + 1:]]
            return [*ranks(first, rank, below), rank, *ranks(rank, last, above)]

        return [abs(rank - math.floor(quantile * records)) for rank, quantile in zip(ranks(0, records, quantiles), quantiles)]

    def test_lemma_3_2(self):
        """The lemma's proof forgets that the true ranks are rounded down."""
        errors = self.errors(100, [Fraction(1, 10), Fraction(119, 1000), Fraction(1, 2)], -1)
        self.assertEqual(max(errors), 3)
        self.assertGreater(max(errors), math.log2(3) + 1)

    def test_theorem_3_3(self):
        """Records at 1, 2, ... in a domain (0, records + e^40). At epsilon = 1, the quantiles 1/2 and 1/4 are both drawn from the last gap, which
        is longer by far than all others together. The theorem allows this with probability at most 1/2. It holds for either logarithm."""
        for records, nodes_on_a_path in ((340, math.log2(3) + 1), (270, math.log(3) + 1)):
            rate = 1 / nodes_on_a_path / 2
            others = sum(math.exp(-rate * abs(rank - records // 2)) for rank in range(records))

            def of_the_last_gap(length):
                weight = length * math.exp(-rate * (records - records // 2))
                return weight / (weight + others)

            # The second node has the same records. Its last gap ends at the first answer: with probability 7/8, beyond an eighth of the gap.
            probability = of_the_last_gap(math.exp(40)) * 7 / 8 * of_the_last_gap(math.exp(40) / 8)
            self.assertGreater(probability, 0.8)
            allowed = 2 * nodes_on_a_path * (math.log(records + math.exp(40)) + math.log(3) - math.log(1 / 2))
            self.assertGreater(records - records // 4, 1.14 * allowed)
            self.assertLess(records - records // 4, nodes_on_a_path * allowed)  # with the factor that the proof loses

    def test_lemma_3_4(self):
        """Uniform quantiles may err by more than 2 gamma. The records between two earlier quantiles begin where the lower one has erred, which
        the lemma's proof forgets."""
        gamma = 64
        for levels, expected in enumerate(("1", "3/2", "9/4", "23/8", "57/16"), 1):
            errors = self.errors(2**15, [Fraction(i, 2**levels) for i in range(1, 2**levels)], gamma)
            self.assertEqual(Fraction(max(errors), gamma), Fraction(expected))
            self.assertLessEqual(max(errors), levels * gamma)  # lemma 3.2, where nothing is rounded


class Sanitization(CommandTest):
    def test_corollary_3_6(self):
        """At a budget with noise, synthetic rows are distributed like the table, up to the error that is proved and the rows' own step."""
        draw = random.Random(1)
        values = sorted(min(999, max(0, int(draw.gauss(400, 120)))) for _ in range(3000))
        self.write("t.csv", "x\n" + "".join(f"{value}\n" for value in values))
        asked = ("--bounds", "0", "999", "--step", "1", "--synthetic-rows", "40", "--epsilon", "4", "--mechanism", "approximate")
        planned = json.loads(run("plan", *asked, "--expected-rows", "3000", "--format", "json").out)
        most = Fraction(1, 40) + Fraction(planned["worst_case"]["simultaneous"], 3000)
        self.assertLess(most, Fraction(1, 8))
        errors = []
        for seed in range(10):
            result = run("release", "t.csv", "--column", "x", *asked, "--unsafe-seed", str(seed), "--format", "csv", cwd=self.folder)
            rows = sorted(int(row["value"]) for row in csv.DictReader(io.StringIO(result.out)))
            self.assertEqual(len(rows), 40)
            errors.append(max(abs(Fraction(bisect.bisect_right(rows, c), 40) - Fraction(bisect.bisect_right(values, c), 3000))
                              for c in range(1000)))
        self.assertLessEqual(sum(error > most for error in errors), 3)  # each with a probability of at most 1/20
        self.assertGreater(len(set(errors)), 1)


class Intervals(ReproduceTest):
    ARGUMENTS = ("--laws", "two-points,uniform", "--rows", "200", "--epsilons", "1", "--rhos", "0.5", "--trials", "6")

    def test_a_line_a_quartile(self):
        result = self.reproduce("intervals", "--out", "out", *self.ARGUMENTS)
        self.assertEqual((result.code, result.err), (0, ""), result)
        rows = list(csv.DictReader(io.StringIO((self.folder / "out/intervals.csv").read_text())))
        expected = {(law, budget, of, q) for law in ("two-points", "uniform") for budget in ("epsilon=1", "rho=1/2")
                    for of in ("population", "table") for q in ("1/4", "1/2", "3/4")}
        self.assertEqual({(row["law"], row["budget"], row["of"], row["quantile"]) for row in rows}, expected)
        for row in rows:
            self.assertGreater(float(row["covered"]), 0.3, row)
            if row["law"] == "uniform":
                self.assertGreater(float(row["width"]), 0)
                self.assertGreater(float(row["plain_width"]), 0)
        text = (self.folder / "out/intervals.txt").read_text()
        self.assertIn("Its standard error at that level is 0.0890", text)
        masses = list(csv.DictReader(io.StringIO((self.folder / "out/laws/two-points.csv").read_text())))
        self.assertEqual(masses, [{"candidate": "100", "mass": "0.5"}, {"candidate": "9000", "mass": "0.5"}])
        for name in ("interval_coverage", "interval_width"):
            xml.etree.ElementTree.parse(self.folder / f"out/{name}.svg")

    def test_the_same_seed_gives_the_same_files(self):
        for out in ("one", "two"):
            self.reproduce("intervals", "--out", out, *self.ARGUMENTS, "--of", "population", "--no-figures")
        self.assertEqual((self.folder / "one/intervals.csv").read_text(), (self.folder / "two/intervals.csv").read_text())

    def test_a_share_of_the_grid_holds_what_is_said_of_intervals(self):
        """No interval misses more often than stated. On laws without ties and gaps, no interval is wider than expected."""
        result = self.reproduce("intervals", "--out", "grid", "--of", "table", "--quantile-counts", "1,3,9", "--epsilons", "1/30,1/6,1",
                                "--records-per-person", "1,5", "--rows", "200,1000,5000", "--sample", "24", "--trials", "30", "--seed", "3")
        self.assertEqual((result.code, result.err), (0, ""), result)
        rows = list(csv.DictReader(io.StringIO((self.folder / "grid/table_widths.csv").read_text())))
        self.assertEqual(len(rows), 24)
        self.assertGreater(len({row["law"] for row in rows}), 5)
        for row in rows:
            self.assertNotIn("missed", row["falls_short"], row)
            self.assertEqual(float(row["most"]) == 0, float(row["between"]) < 5, row)
            if row["law"] in ("lognormal", "normal", "uniform"):
                self.assertEqual(row["falls_short"], "", row)
        xml.etree.ElementTree.parse(self.folder / "grid/interval_half_width.svg")

    def test_what_falls_short_is_told(self):
        """The median lies on a gap, so the records on its other side may be far away."""
        result = self.reproduce("intervals", "--out", "out", "--of", "table", "--laws", "gap", "--rows", "400", "--epsilons", "1",
                                "--quantile-counts", "1", "--trials", "20")
        self.assertEqual(result.code, 0, result)
        row, = csv.DictReader(io.StringIO((self.folder / "out/table_widths.csv").read_text()))
        self.assertEqual((row["quantiles"], row["records_per_person"], float(row["between"])), ("1", "1", 200))
        self.assertGreater(float(row["half"]), float(row["most"]))
        self.assertIn("wide", row["falls_short"])
        self.assertIn(" wide", (self.folder / "out/intervals.txt").read_text())

    def test_refusals(self):
        for arguments, words in ((("--laws", "unifrom"), "did you mean uniform?"), (("--level", "95"), "not between 0 and 1"),
                                 (("--epsilons", "0"), "is not above 0"), (("--of", "people"), "choose one of"), ((), "--out")):
            out = ("--out", "out") if arguments else ()
            result = self.reproduce("intervals", *out, *arguments)
            self.assertEqual(result.code, 2, result)
            self.assertIn(words, result.err)


class Files(ReproduceTest):
    def setUp(self):
        super().setUp()
        require_engine()

    def test_all_files(self):
        data = [require_data("adult.csv"), require_data("goodreads.csv")]
        rows = self.table("--data", str(data[0].parent), "--mechanisms", "approximate", "--quantile-counts", "1,3",
                          "--trials", "2", "--no-figures")
        self.assertEqual(len({row["set"] for row in rows}), 10)

    def test_table_1(self):
        """The sizes and categories of the files are those of the paper's table 1."""
        expected = {("adult.csv", "age"): (48_842, 74), ("adult.csv", "hours_per_week"): (48_842, 96),
                    ("goodreads.csv", "average_rating"): (11_123, None), ("goodreads.csv", "num_pages"): (11_123, None)}
        for (name, column), (records, categories) in expected.items():
            with self.subTest(name, column=column), open(require_data(name), newline="", encoding="utf-8") as file:
                values = [row[column] for row in csv.DictReader(file)]
                self.assertEqual(len(values), records)
                if categories is not None:
                    self.assertEqual(len(set(values)), categories)

    def test_declared_granularity_is_of_the_same_records(self):
        """With almost no noise, the errors would be equal. With noise, a declared step never does much worse."""
        data = require_data("adult.csv")
        rows = self.table("--data", str(data.parent), "--sets", "adult-age,adult-age-declared", "--mechanisms",
                          "approximate", "--quantile-counts", "20", "--trials", "20", "--no-figures")
        errors = {row["set"]: float(row["tie_rank_mean"]) for row in rows if row["measure"] == "pure"}
        self.assertLess(errors["adult-age-declared"], errors["adult-age"] + 2)

    def test_a_missing_file_is_told_and_left_out(self):
        shutil.copy(require_data("adult.csv"), self.folder)
        rows = self.table("--data", ".", "--mechanisms", "approximate", "--quantile-counts", "1", "--trials", "1",
                          "--no-figures",
                          notes="fractile: goodreads.csv is not in .: left out goodreads-rating, goodreads-pages, "
                                "goodreads-rating-declared, goodreads-pages-declared\n")
        self.assertEqual(len({row["set"] for row in rows}), 6)

    def test_a_cell_that_is_no_number(self):
        self.write("adult.csv", "age,hours_per_week\n31,40\nsecret,40\n")
        result = self.reproduce(NAME, "--data", ".", "--out", "out", "--sets", "adult-age", "--trials", "1")
        self.assert_refused(result, 3, "adult.csv", secrets=["secret"])


class Figures(ReproduceTest):
    def test_figures(self):
        self.table(*SMALL)
        for number in (4, 5, 6, 7, 8):
            root = xml.etree.ElementTree.parse(self.folder / "out" / f"figure_{number}.svg").getroot()
            words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
            for part in ("number of quantiles m", "approximate", "tree, published"):
                self.assertIn(part, words)
            self.assertIn(f"Figure {number}:", " ".join(words))
            if number < 8:
                self.assertIn("An experiment, not a private release.", " ".join(words))
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, [TABLE, "approximate_quantiles.txt", *(f"figure_{i}.svg" for i in (4, 5, 6, 7, 8))])


HISTOGRAM = "compas_custody_status.csv"
WITHOUT_DATA = f"fractile: without --data, the folder of {HISTOGRAM}: left out figure 4\n"
FEW_PEOPLE = [3, 1, 0, 1, 4, 1]
# These findings differ from the paper, whatever the data.
ALWAYS_DIFFERENT = {("appendix B", "the witness's middle row is 7/30, 8/15, 7/30"),
                    ("section 9.1", "there are 105 = (21 x 20 / 2) histograms"),
                    ("section 9.1, definition 3.3", "noisy ArgMax appears to be ama-stable")}


def bayes_risk(response, prior, known, epsilon):
    """The risk for a person whose code is counted if it comes out as 0: from the definition, in floating point."""
    alpha = math.exp(-epsilon)
    if response:
        counted = [(1 if code == 0 else alpha) / (1 + 5 * alpha) for code in range(6)]
    else:
        counted = [alpha ** code / (1 + alpha) for code in range(6)]
    law = [1.0]
    for code, others in enumerate(known):
        for _ in range(others):
            law = [(law[y] if y < len(law) else 0) * (1 - counted[code]) + (law[y - 1] if y > 0 else 0) * counted[code]
                   for y in range(len(law) + 1)]
    law = [0.0, *law, 0.0]
    return 1 - sum(max(share * ((1 - p) * law[y + 1] + p * law[y]) for share, p in zip(prior, counted))
                   for y in range(len(law) - 1))


class KroneckerTest(ReproduceTest):
    def run_experiment(self, *arguments, out="out", notes="", how=None):
        """What a run prints that must succeed, with only `notes` on standard error."""
        result = self.reproduce("kronecker-utility", "--out", out, *arguments, how=how)
        self.assertEqual((result.code, result.err), (0, notes), result)
        return result.out

    def read(self, name, out="out"):
        with open(self.folder / out / name, newline="") as file:
            return list(csv.DictReader(file))

    def matrix(self, name, columns=None, out="out"):
        """The numbers of a table, without the cells before these columns."""
        rows = self.read(f"tables/{name}.csv", out)
        names = columns or list(rows[0])[1:]
        return [[Fraction(row[name]) for name in names] for row in rows]

    def findings(self, agrees, out="out"):
        rows = self.read("kronecker_utility.csv", out)
        return {(row["place"], row["paper"]) for row in rows if row["agrees"] == agrees}

    def write_histogram(self, counts):
        rows = "".join(f"{code},Label {code},{count}\n" for code, count in enumerate(counts))
        return self.write(HISTOGRAM, "code,label,count\n" + rows)

    def assert_loss(self, row, expected):
        self.assertTrue(row["loss"].startswith(expected), row)
        self.assertGreaterEqual(len(row["loss"].partition(".")[2]), 30)


class Kronecker(KroneckerTest):
    def test_appendix_d1(self):
        self.run_experiment("--no-figures", notes=WITHOUT_DATA)
        self.assertEqual([row["loss"] for row in self.read("tables/appendix_d1_losses.csv")],
                         ["1276949536000/771895089",
                          "2552438666271995640492212000/1542907143753726048154857"])
        windows = self.read("tables/appendix_d1_windows.csv")
        ends = [tuple(f"{float(row[end]):.6f}" for end in ("from", "to")) for row in windows]
        self.assertEqual(ends, [("3.500545", "3.516615")])
        self.assertGreater(len(windows[0]["from"]), 30)
        count = self.matrix("appendix_d1_count_3.5")
        self.assertEqual(count[6][3], Fraction(4246628, 110270727))
        for row in count + self.matrix("appendix_d1_perturber_3.51"):
            self.assertEqual(sum(row), 1)
        for row in self.read("appendix_d1.csv"):
            odds = float(Fraction(row["epsilon"].removeprefix("ln ")))
            if not 3.5 < odds < 3.501 and not 3.51661 < odds < 3.5168:
                self.assertEqual(row["change"], "rises" if 3.5005 < odds < 3.5166 else "falls", row)
        rising = [float(Fraction(row["epsilon"].removeprefix("ln "))) for row in self.read("appendix_d1.csv")
                  if row["change"] == "rises"]
        self.assertAlmostEqual(max(rising), 3.516615, places=6)  # the largest such epsilon is at the very end

    def test_a_missing_histogram_is_told(self):
        self.run_experiment("--data", ".", "--points", "2", "--no-figures",
                            notes=f"fractile: {HISTOGRAM} is not in .: left out figure 4\n")
        self.assertFalse((self.folder / "out" / "figure_4.csv").exists())


class KroneckerOnce(KroneckerTest):
    """Checks everything that one run without data leaves."""

    ARGUMENTS = ("--points", "10", "--no-figures")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.once = Path(folder.name)
        cls.result = run("reproduce", "kronecker-utility", "--out", "out", *cls.ARGUMENTS, cwd=cls.once)

    def setUp(self):
        super().setUp()
        self.assertEqual((self.result.code, self.result.err), (0, WITHOUT_DATA), self.result)
        self.folder = self.once

    def test_what_is_left_in_the_folder(self):
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, ["appendix_d1.csv", "figure_3.csv", "kronecker_utility.csv", "kronecker_utility.txt",
                                 "tables"])
        for name in [*names[:-1], *(f"tables/{path.name}" for path in (self.folder / "out" / "tables").iterdir())]:
            self.assertIn(f"out/{name}\n", self.result.out)
        description = (self.folder / "out" / "kronecker_utility.txt").read_text()
        self.assertIn("with 10 points a curve", description)
        self.assertIn("Left out: its data were not there", description)
        for table in (self.folder / "out" / "tables").iterdir():
            self.assertIn(f"  tables/{table.name} ", description)
        self.assertEqual(self.findings("no"), ALWAYS_DIFFERENT)
        for place, paper in ALWAYS_DIFFERENT:
            self.assertIn(f"  {place}\n    paper  {paper}\n", self.result.out)

    def test_figure_3(self):
        rows = self.read("figure_3.csv")
        self.assertEqual(list(rows[0]), ["epsilon", "mechanism", "prior", "loss", "change"])
        epsilons = ["0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5"]
        self.assertEqual([row["epsilon"] for row in rows], 2 * epsilons)
        self.assertEqual([(row["mechanism"], row["prior"], row["change"]) for row in rows],
                         10 * [("geometric", "uniform", "falls")] + 10 * [("geometric", "uniform-full", "falls")])
        self.assert_loss(rows[0], "0.1330283")
        self.assert_loss(rows[1], "0.0629183")

    def test_the_published_loss_of_appendix_e_expected(self):
        losses = self.matrix("appendix_e_published_analyst", [f"action {w}" for w in range(5)])
        expected = {"r3": Fraction(11184633077, 22500000000), "r2": Fraction(7104113683, 14400000000)}
        for name, loss in expected.items():
            channel = self.matrix(f"appendix_e_{name}_sum")
            self.assertEqual((len(channel), len(channel[0])), (9, 5))
            least = sum(min(sum(losses[x][w] * channel[x][y] for x in range(9)) for w in range(5)) for y in range(5))
            self.assertEqual(least / 9, loss)

    def test_witnesses_expected(self):
        witness = self.matrix("section_7_1_witness")
        self.assertEqual(witness[1], [Fraction(5, 24), Fraction(7, 12), Fraction(5, 24)])
        three = [[Fraction(9, 12), Fraction(2, 12), Fraction(1, 12)], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]]
        product = [[sum(row[k] * witness[k][y] for k in range(3)) for y in range(3)] for row in three]
        self.assertEqual(product, [[Fraction(4, 6), Fraction(1, 6), Fraction(1, 6)], [Fraction(1, 3)] * 3])
        single = self.matrix("appendix_f_witness")
        power = self.matrix("appendix_f_witness_of_three")
        digits = [(x // 9, x // 3 % 3, x % 3) for x in range(27)]
        for x in range(27):
            for y in range(27):
                self.assertEqual(power[x][y], math.prod(single[a][b] for a, b in zip(digits[x], digits[y])))

    def test_one_run_is_as_the_next(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("reproduce", "kronecker-utility", "--out", "out", *self.ARGUMENTS, cwd=folder), self.result)
            for path in (self.folder / "out").rglob("*.*"):
                again = Path(folder) / path.relative_to(self.folder)
                self.assertEqual(path.read_bytes(), again.read_bytes(), path)


class KroneckerPeople(KroneckerTest):
    def setUp(self):
        super().setUp()
        require_engine()

    def test_figure_4_from_the_definition(self):
        """The ten people are known, except for the target, who is one of those with code 4."""
        self.write_histogram(FEW_PEOPLE)
        self.run_experiment("--data", ".", "--points", "4", "--no-figures")
        rows = self.read("figure_4.csv")
        self.assertEqual([row["epsilon"] for row in rows[:8]], ["0.575", "1.15", "1.725", "2.3", "5", "10", "15", "20"])
        self.assertEqual(len(rows), 48)
        known = [3, 1, 0, 1, 3, 1]
        priors = {"uniform": [1 / 6] * 6, "frequencies": [count / 9 for count in known],
                  "uniform-uncounted": [0] + [1 / 5] * 5}
        for row in rows:
            response = row["mechanism"] == "randomized-response"
            risk = bayes_risk(response, priors[row["prior"]], known, float(row["epsilon"]))
            self.assertAlmostEqual(float(row["loss"]), risk, places=12, msg=row)
            self.assertIn(row["change"], ("rises", "falls", "flat", "undecided"))

    def test_figure_4_as_flow_utility_has_it(self):
        self.write_histogram(FEW_PEOPLE)
        self.run_experiment("--data", ".", "--points", "2", "--no-figures")
        for row in self.read("figure_4.csv"):
            self.write("one.toml", f"""
[pipeline]
participants = 10
values = [0, 1, 2, 3, 4, 5]
perturber = "{row["mechanism"]}"
post = {{ query = "count", of = [0] }}
secret = "target"
known = [0, 0, 0, 1, 3, 4, 4, 4, 5]

[analyst]
prior = "{row["prior"]}"
loss = "bayes-risk"
""")
            result = run("flow", "loss", "one.toml", "--epsilon", row["epsilon"], "--format", "csv", cwd=self.folder)
            self.assertEqual(result.code, 0, result)
            self.assertIn(row["loss"][:28], result.out)

    def test_figure_4_of_all_people(self):
        data = require_data(HISTOGRAM)
        self.run_experiment("--data", str(data.parent), "--points", "10", "--no-figures")
        rows = self.read("figure_4.csv")
        self.assertEqual(len(rows), 6 * 20)
        self.assertEqual({(row["mechanism"], row["prior"]) for row in rows if row["change"] == "rises"},
                         {("geometric", "uniform-uncounted")})
        self.assert_the_published_picture([row for row in rows if row["prior"] == "uniform-uncounted"])
        expected = {("geometric", "uniform"): "0.829036810", ("geometric", "frequencies"): "0.206507814",
                    ("geometric", "uniform-uncounted"): "0.799483"}
        for row in rows:
            if row["epsilon"] == "2.3" and row["mechanism"] == "geometric":
                self.assert_loss(row, expected[row["mechanism"], row["prior"]])
        different = {place for place, _ in self.findings("no")}
        self.assertEqual(different, {"appendix B", "section 9.1", "section 9.1, definition 3.3", "section 9.2, figure 4, geometric, prior frequencies",
                                     "section 9.2, figure 4, geometric, prior uniform"})
        self.assertIn("A target among 11710 people", (self.folder / "out" / "kronecker_utility.txt").read_text())

    def assert_the_published_picture(self, rows):
        """The loss of geometric noise falls to .79913 near epsilon = .93 and rises again; that of randomized response stays at .8."""
        detail = [row for row in rows if float(row["epsilon"]) <= 2.3]
        geometric = {float(row["epsilon"]): float(row["loss"]) for row in detail if row["mechanism"] == "geometric"}
        least = min(geometric, key=geometric.get)
        self.assertTrue(0.6 < least < 1.3, least)
        self.assertTrue(0.79913 < geometric[least] < 0.7993, geometric)
        for row in detail:
            if row["mechanism"] == "randomized-response":
                self.assertAlmostEqual(float(row["loss"]), 0.8, places=9)

    def test_histograms_that_cannot_be(self):
        for text, *parts in (("code,label,count\n6,x,2\n", "a code is not one of 0 to 5"),
                             ("code,label,count\n0.5,x,2\n", "a code is not one of 0 to 5"),
                             ("code,label,count\n0,x,1\n", "figure 4 needs two people"),
                             ("code,label,count\n0,x,secret\n", HISTOGRAM),
                             ("label,count\nx,2\n", HISTOGRAM)):
            with self.subTest(text):
                self.write(HISTOGRAM, text)
                result = self.reproduce("kronecker-utility", "--data", ".", "--out", "out", "--points", "2")
                self.assert_refused(result, 3, *parts, secrets=["secret"])
                self.assertFalse((self.folder / "out" / "figure_3.csv").exists())


class KroneckerFigures(KroneckerTest):
    def test_where_a_loss_rises_it_is_marked(self):
        text = self.run_experiment("--points", "40", notes=WITHOUT_DATA)
        figures = {name: (self.folder / "out" / f"{name}.svg").read_text() for name in ("figure_3", "appendix_d1")}
        for name in figures:
            self.assertIn(f"out/{name}.svg\n", text)
        self.assertIn("larger epsilon, larger loss", figures["appendix_d1"])
        self.assertNotIn("larger epsilon, larger loss", figures["figure_3"])


class Refusals(ReproduceTest):
    def refuse(self, code, arguments, *parts):
        with self.subTest(arguments):
            self.assert_refused(self.reproduce(*arguments), code, *parts)

    def test_experiments(self):
        self.refuse(2, [], f"fractile reproduce needs a further word: {NAME}, ", f"write for example fractile reproduce {NAME}")
        self.refuse(2, ["--out", "out"], "the option --out stands where a verb should", f"reproduce {NAME}")
        self.refuse(2, ["approximate-quantile", "--out", "out"], "unknown verb 'reproduce approximate-quantile'",
                    f"did you mean fractile reproduce {NAME}?")
        self.refuse(2, ["kronecker", "--out", "out"], "did you mean fractile reproduce kronecker-utility?")
        self.refuse(2, ["cats", "--out", "out"], "unknown verb 'reproduce cats'", f"fractile reproduce {NAME}")

    def test_help(self):
        for arguments in ([], [NAME], ["kronecker-utility"]):
            result = self.reproduce(*arguments, "--help")
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertLessEqual(max(map(len, result.out.splitlines())), 100)
            for name in (NAME, "kronecker-utility"):
                self.assertEqual(name in result.out, not arguments or name in arguments, result.out)

    def test_options_of_kronecker_utility(self):
        def refuse(*arguments, parts):
            self.refuse(2, ["kronecker-utility", *arguments], *parts)

        refuse(parts=["--out is missing", "write --out DIR"])
        for points in ("1", "10001", "x", "-3", "2.5"):
            refuse("--out", "out", "--points", points,
                   parts=[f"--points: '{points}' is not a whole number from 2 to 10000"])
        refuse("--out", "out", "--point", "3", parts=["unknown option --point", "did you mean --points?"])
        refuse("--out", "out", "--sets", "uniform", parts=["unknown option --sets"])
        refuse("--out", "out", "extra", parts=["unexpected argument 'extra'"])
        self.refuse(3, ["kronecker-utility", "--data", "nowhere", "--out", "out"], "there is no folder nowhere", HISTOGRAM)
        self.refuse(2, [NAME, "--out", "out", "--points", "3"], "unknown option --points")

    def test_options(self):
        def refuse(*arguments, parts):
            self.refuse(2, [NAME, "--sets", "uniform", *arguments], *parts)

        refuse(parts=["--out is missing", "write --out DIR"])
        refuse("--out", "out", "--mechanisms", "aproximate", parts=["'aproximate' is not known", "did you mean approximate?"])
        refuse("--out", "out", "--mechanisms", "cat", parts=["'cat' is not known", "choose among approximate-as-published"])
        refuse("--out", "out", "--mechanisms", "tree,,auto", parts=["has an empty item"])
        refuse("--out", "out", "--quantile-counts", "0,1", parts=["--quantile-counts: '0' is not a whole number"])
        refuse("--out", "out", "--quantile-counts", "1.5", parts=["'1.5' is not a whole number from 1 to 1000"])
        refuse("--out", "out", "--trials", "0", parts=["--trials: '0' is not a whole number"])
        refuse("--out", "out", "--seed", "-1", parts=["--seed: '-1' is not a whole number"])
        refuse("--out", "out", "--trails", "3", parts=["unknown option --trails", "did you mean --trials?"])
        self.refuse(2, [NAME, "--out", "out", "--sets", "adult-ages"], "'adult-ages' is not known",
                    "did you mean adult-age?")
        self.refuse(2, [NAME, "--out", "out"], "--data is missing", "--sets uniform,gaussian")

    def test_folders(self):
        self.refuse(3, [NAME, "--data", "nowhere", "--out", "out"], "there is no folder nowhere", "adult.csv")
        self.refuse(3, [NAME, "--data", ".", "--out", "out", "--sets", "adult-age"], "none of the sets' files is in .", "--data")
        self.write("file", "x")
        self.refuse(3, [NAME, "--out", "file", "--sets", "uniform"], "cannot write to file", "--out")
        self.assertFalse((self.folder / "out" / TABLE).exists())


if __name__ == "__main__":
    unittest.main()
