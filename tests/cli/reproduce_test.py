"""fractile reproduce, run as a process on a few samples."""

import csv
import io
import shutil
import unittest

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
        self.assertIn("nothing of it is a private release", result.out)
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
        self.assertIn("nothing of it is a private release", text)
        self.assertIn("seed 1, 2 trials, m = 1, 3", text)

    def test_every_mechanism_has_a_line_or_a_note(self):
        result = self.reproduce(NAME, "--out", "out", "--sets", "uniform", "--quantile-counts", "3", "--trials", "1",
                                "--no-figures")
        self.assertEqual(result.code, 0, result)
        shown = {row["mechanism"] for row in self.rows()}
        for mechanism in ("approximate-as-published", "approximate", "joint", "joint-total", "joint-tree", "independent",
                          "tree", "auto", "auto-without-interpolation", "tree-as-published"):
            self.assertTrue(mechanism in shown or f"left out 1 rows of {mechanism} under" in result.err, result)

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

    def test_runs_again_into_the_same_folder(self):
        self.table(*SMALL, "--no-figures", out="some/where")
        self.table(*SMALL, "--no-figures", out="some/where")

    def test_the_published_algorithm_errs_as_published(self):
        """Figure 4 of the paper, uniform data: about 6.5 records at m = 10, and the tree about 50."""
        rows = self.table("--sets", "uniform", "--mechanisms", "approximate-as-published,tree-as-published",
                          "--quantile-counts", "10", "--trials", "40", "--no-figures")
        gaps = {row["mechanism"]: float(row["gap_mean"]) for row in rows if row["measure"] == "pure"}
        self.assertTrue(4.5 < gaps["approximate-as-published"] < 9, gaps)
        self.assertTrue(35 < gaps["tree-as-published"] < 70, gaps)


class Files(ReproduceTest):
    def setUp(self):
        super().setUp()
        require_engine()

    def test_all_files(self):
        data = [require_data("adult.csv"), require_data("goodreads.csv")]
        rows = self.table("--data", str(data[0].parent), "--mechanisms", "approximate", "--quantile-counts", "1,3",
                          "--trials", "2", "--no-figures")
        self.assertEqual(len({row["set"] for row in rows}), 10)

    def test_declared_granularity_is_of_the_same_records(self):
        """Without noise to speak of, the errors would be the same; with it, a declared step never does much worse."""
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
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not here")
        self.table(*SMALL)
        for number in (4, 5, 6, 7, 8):
            picture = self.folder / "out" / f"figure_{number}.png"
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(picture.stat().st_size, 10_000)
            self.assertIn("</svg>", (self.folder / "out" / f"figure_{number}.svg").read_text())

    def test_scripts_without_gnuplot(self):
        (self.folder / "empty").mkdir()
        result = self.reproduce(NAME, "--out", "out", *SMALL, how={"env": {"PATH": str(self.folder / "empty")}})
        self.assertEqual(result.code, 0, result)
        self.assertIn("gnuplot is not installed", result.err)
        self.assertIn("cd 'out'", result.err)
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, [TABLE, "approximate_quantiles.txt", *(f"figure_{i}.gp" for i in (4, 5, 6, 7, 8))])


class Refusals(ReproduceTest):
    def refuse(self, code, arguments, *parts):
        with self.subTest(arguments):
            self.assert_refused(self.reproduce(*arguments), code, *parts)

    def test_experiments(self):
        self.refuse(2, ["--out", "out"], "no experiment is named", f"write fractile reproduce {NAME}")
        self.refuse(2, ["approximate-quantile", "--out", "out"], "unknown experiment 'approximate-quantile'",
                    f"did you mean {NAME}?")
        self.refuse(2, ["cats", "--out", "out"], "unknown experiment 'cats'", f"write fractile reproduce {NAME}")

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
