"""Tests of bench/: how figures are shown, and that the page names a rival that is absent. Nothing is timed."""

import argparse
import os
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

import flow_checks
import flow_guesses
import page
import peers
import run
from peers import Answer


class Page(unittest.TestCase):
    def test_times_have_their_unit(self):
        self.assertEqual([page.shown(t) for t in (12.3, 4_560, 78_900_000, 2e9, None)],
                         ["12.3 ns", "4.56 us", "78.9 ms", "2 s", ""])

    def test_ratios(self):
        self.assertEqual(page.over(3e6, 2e3), "3 ms (1,500x)")
        self.assertEqual(page.over(500, 1000), "500 ns (0.5x)")
        self.assertEqual(page.over(500, None), "500 ns")
        self.assertEqual(page.over(None, 1000), "")

    def test_table(self):
        self.assertEqual(page.table(["a", "b"], [["1", "2"]]), "| a | b |\n| --- | --- |\n| 1 | 2 |\n")

    def test_verdicts(self):
        self.assertEqual(page.verdict("it", "2x", "< 1x", False)[-1], "**not met**")
        self.assertEqual(page.verdict("it", "0.5x", "< 1x", True)[-1], "met")


class FlowChecks(unittest.TestCase):
    def test_the_known_are_all_but_one(self):
        for people, values in ((10, 3), (1000, 6), (3, 2)):
            self.assertEqual(sum(flow_checks.others(people, values)), people - 1)
        self.assertIn("participants = 11710", flow_checks.FIGURE_4)

    def test_what_the_rival_says(self):
        def cell(answer, verdict="stable or refined"):
            return flow_checks.rival_cell(answer, 0.001, verdict, 60)

        self.assertEqual(cell(None), "qif is not installed")
        self.assertEqual(cell({}), "over 60 s")
        self.assertEqual(cell({"failed": "it"}), "its solver fails")
        self.assertEqual(cell({"seconds": 0.002, "refines": True}), "2 ms (2x)")
        self.assertEqual(cell({"seconds": 0.002, "refines": True}, "unstable or not refined"), "2 ms (2x), **wrong verdict**")


class FlowGuesses(unittest.TestCase):
    def test_what_the_rival_says(self):
        self.assertEqual(flow_guesses.leakage_cells("1/3", None), "qif is not installed, or took too long")
        self.assertEqual(flow_guesses.leakage_cells("1/3", {"seconds": 0.002, "after": "0.3333333333333333"}), "2 ms")
        self.assertEqual(flow_guesses.leakage_cells("1/3", {"seconds": 0.002, "after": "1/4"}), "2 ms, **another answer**")


class Asking(unittest.TestCase):
    """Asks rivals of a few lines in the Python that runs the tests."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for patch in (mock.patch.object(peers, "FOLDER", self.folder),
                      mock.patch.dict(os.environ, {"FRACTILE_BENCH_PEERS": sys.executable})):
            patch.start()
            self.addCleanup(patch.stop)

    def ask(self, program, *words, **limits):
        (self.folder / "peer.py").write_text(textwrap.dedent(program), encoding="utf-8")
        return peers.ask("peer.py", *words, **limits)

    def test_what_was_measured_and_by_which_versions(self):
        answer = self.ask("""
            import json, sys
            print("a library that says hello")
            print(json.dumps({"measured": {"k/" + sys.argv[1]: 0.25}, "versions": {"peer": "1.2"}}))
            """, 10)
        self.assertEqual(answer, Answer({"k/10": 0.25}, versions={"peer": "1.2"}))
        self.assertEqual(answer.nanoseconds("k/10"), 0.25e9)
        self.assertIsNone(answer.nanoseconds("k/20"))

    def test_a_library_that_is_not_there(self):
        answer = self.ask("import a_library_that_is_not_there")
        self.assertEqual(answer.absent, "ModuleNotFoundError: No module named 'a_library_that_is_not_there'")
        self.assertEqual(answer.measured, {})

    def test_reasons_name_no_paths_and_break_no_table(self):
        said = "Traceback\n\nImportError: no 'X' in 'y' (/home/me/lib/y.so)\n\n"
        self.assertEqual(peers.reason(said, 1), "ImportError: no 'X' in 'y'")
        self.assertEqual(peers.reason("E: a | b\n", 1), "E: a / b")
        self.assertEqual(peers.reason("E: it fails. Random: 0.25\n", 1), "E: it fails")
        self.assertEqual(peers.reason("", -9), "it ends with code -9")
        self.assertEqual(len(peers.reason("x" * 1000, 1)), 120)

    def test_too_slow(self):
        self.assertEqual(self.ask("import time; time.sleep(60)", limit=1).absent, "over 1 s")

    def test_no_python_for_the_rivals(self):
        with mock.patch.dict(os.environ, {"FRACTILE_BENCH_PEERS": str(self.folder / "nowhere")}):
            self.assertIn("no Python for it", peers.ask("peer.py").absent)


class InTurn(unittest.TestCase):
    def setUp(self):
        self.calls = []

    def contender(self, name, *answers):
        given = iter(answers)

        def call():
            self.calls.append(name)
            return next(given)

        return call

    def test_rounds_alternate_and_medians_leave_out_the_warm_up(self):
        a = self.contender("a", *(Answer({"t": seconds}) for seconds in (4, 1, 3, 2)))
        b = self.contender("b", *(Answer({"t": 0.5}) for _ in range(4)))
        middle = peers.in_turn({"a": a, "b": b}, 3, warm_up=1)
        self.assertEqual(self.calls, list("abababab"))
        self.assertEqual((middle["a"].measured, middle["b"].measured), ({"t": 2}, {"t": 0.5}))

    def test_the_absent_are_asked_once(self):
        absent = self.contender("a", Answer(absent="gone"))
        middle = peers.in_turn({"a": absent}, 3, warm_up=1)
        self.assertEqual(self.calls, ["a"])
        self.assertEqual(middle["a"].absent, "gone")

    def test_the_slow_are_asked_until_patience_ends(self):
        clock = iter(range(0, 1000, 5))  # 5 seconds pass from each look at the clock to the next
        slow = self.contender("s", *(Answer({"t": seconds}) for seconds in (9, 7, 8)))
        with mock.patch.object(peers.time, "perf_counter", lambda: next(clock)):
            middle = peers.in_turn({"s": slow}, 11, warm_up=1, patience=11)
        self.assertEqual(self.calls, ["s"] * 3)
        self.assertEqual(middle["s"].measured, {"t": 7.5})

    def test_who_fails_once_has_no_figure(self):
        flaky = self.contender("f", Answer({"t": 1}), Answer(absent="gone"))
        self.assertEqual(peers.in_turn({"f": flaky}, 3)["f"].absent, "gone")


class Parts(unittest.TestCase):
    """The page of a run in which one rival answered, and of a run in which none did."""

    def beside(self, other):
        ours = Answer({f"selection/dense/{k}/1/majorant": k * 1e-9 for k in (10, 1_000, 10_000, 1_000_000)}
                      | {f"release/{peers.RECORDS}/{bits}/median/release": 0.01 for bits in (20, 40)}
                      | {f"profile/{peers.RECORDS}/40/profile": 0.03}
                      | {f"release/1000/40/m{m}/auto": 0.001 for m in peers.COUNTS_IN_TIME})
        gaps = {(name, of, m): (5.0, 0.1) for name in peers.OURS for of in peers.SETS for m in peers.COUNTS}
        theirs = {(script, of, m): other for script in peers.NAMES for of in peers.SETS for m in peers.COUNTS}
        rivals = dict.fromkeys(("OpenDP", "diffprivlib", *peers.MANY), other)
        answers = {"ours": ours, **rivals}
        return peers.Beside(False, 200, answers, answers, answers, gaps, theirs)

    def processes(self, other):
        return [("CSV", "wage", 0.5, 0.25, dict.fromkeys(("OpenDP + Polars", "diffprivlib + pandas"), other))]

    def test_figures_and_ratios(self):
        answer = Answer({"softmax/10": 1e-6, "calling": 0.4, "making": 1.0, "120": 0.25, "seconds": 2.0, "loading": 1.5,
                         "gap": 25.0, "error": 2.0}, versions={"peer": "1.2"})
        beside, processes = self.beside(answer), self.processes(answer)
        text = peers.page_part(beside, processes)
        for figure in ("1 us (100x)", "400 ms (10x)", "250 ms (250x)", "3.5 s (7x); loaded already 2 s (4x)", "not tried",
                       "25 ± 2"):
            self.assertIn(figure, text)
        self.assertEqual(peers.versions(beside), "peer 1.2")
        wage, *accuracy = peers.targets(beside, processes)
        self.assertEqual(wage[1:], ["0.143x; loaded already (OpenDP + Polars) 0.25x", "< 1x", "met"])
        self.assertEqual({row[-1] for row in accuracy}, {"met"})

    def test_the_absent_are_absent_and_nothing_is_made_up_for_them(self):
        gone = Answer(absent="no such library")
        beside, processes = self.beside(gone), self.processes(gone)
        text = peers.page_part(beside, processes)
        self.assertIn("OpenDP make_noisy_max, pure: permute-and-flip (exact): absent: no such library |  |  |", text)
        self.assertIn("| absent: no such library | not tried |", text)
        self.assertEqual(peers.versions(beside), "all absent")
        self.assertEqual(peers.targets(beside, processes), [])

    def test_the_head_says_whether_the_rivals_took_part(self):
        context = {"compiler": "12", "libc": "2", "flint": "3", "openssl": "4", "load_avg": [0.5]}
        answer = Answer({"gap": 4.0, "error": 0.1}, versions={"peer": "1.2"})
        with mock.patch.object(run, "duckdb_version", return_value="5"):
            self.assertIn("were left out of this run", run.head_part(context, False, None, "0877a85"))
            head = run.head_part(context, False, self.beside(answer), "0877a85")
        self.assertIn("`./dev bench --peers`", head)
        self.assertIn("at commit 0877a85;", head)
        self.assertIn("The other private libraries: peer 1.2.", head)

    def test_a_worse_gap_is_said(self):
        better = Answer({"gap": 4.0, "error": 0.1})
        targets = peers.accuracy_targets(self.beside(better).our_gaps, self.beside(better).peer_gaps)
        self.assertEqual({row[-1] for row in targets}, {"**not met**"})
        nearly = Answer({"gap": 4.8, "error": 0.1})
        targets = peers.accuracy_targets(self.beside(nearly).our_gaps, self.beside(nearly).peer_gaps)
        self.assertEqual({row[-1] for row in targets}, {"met"})


class WholeRun(unittest.TestCase):
    """Every part can be called, and is kept although the next one fails. The page is of one commit. Nothing is really measured."""

    OLD = ("# Benchmarks\n\nOld.\n\n## Targets\n\nold\n\n## Checks among many people\n\nold checks\n\n## Gone\n\nof another commit\n\n"
           "## On Spark\n\n(Measured by itself on 2026-11-25.)\nkept\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "page.md"
        self.out.write_text(self.OLD)
        self.options = argparse.Namespace(folder=Path(folder.name) / "bench", peers=True, quick=True, out=self.out)
        context = {"compiler": "12", "libc": "2", "flint": "3", "openssl": "4", "load_avg": [0.5]}

        def run_nothing(results, binary, pattern, quick):
            results.context = context

        rival = Answer({"seconds": 1.0, "loading": 0.5})
        sections = {"selections.part": "## Groups and persons\n", "publications.part": "## A publication\n",
                    "small_work.part": "## What is small\n", "flow_checks.part": "## Checks among many people\n\nnew\n",
                    "flow_guesses.part": "## How often a guess is right\n",
                    "ledgers.part": "## What a ledger takes\n\nnew\n", "doors.part": "## Columns that Python holds already\n",
                    "peers.page_part": "## Beside other private libraries\n", "interval_calls.part": "\n"}
        for name, text in sections.items():
            module, function = name.split(".")
            self.patch(getattr(run, module), function, autospec=True, return_value=text)
        self.patch(run.Results, "run", autospec=True, side_effect=run_nothing)
        self.patch(run.Results, "get", autospec=True, return_value=10.0)
        self.patch(run.Results, "counter", autospec=True, return_value=2.0)
        self.commit = self.patch(run, "commit", autospec=True, return_value=("0877a85", True))
        self.patch(run, "numpy_rows", autospec=True, return_value=[])
        self.patch(run, "qif_result", autospec=True, return_value=None)
        self.patch(run, "duckdb_version", autospec=True, return_value="5")
        self.patch(run, "process_rows", autospec=True, return_value=[("CSV", "wage", 0.5, 0.25, {"OpenDP + Polars": rival})])
        self.patch(run.peers, "measure", autospec=True, return_value=Parts().beside(Answer({"gap": 4.0, "error": 0.1})))

    def patch(self, target, name, **how):
        patch = mock.patch.object(target, name, **how)
        self.addCleanup(patch.stop)
        return patch.start()

    def whole_run(self):
        whole = run.WholeRun(self.options)
        with mock.patch("sys.stderr"):
            whole.run()
        return whole

    def test_every_part(self):
        self.assertEqual(self.whole_run().failed, [])
        page = self.out.read_text()
        self.assertIn("Written by `./dev bench --peers --quick`", page)
        self.assertIn("at commit 0877a85;", page)
        headings = ["Targets", "One selection from k scores", "Quartiles with confidence intervals", "What a ledger takes",
                    "Beside other private libraries", "On Spark"]
        self.assertEqual(sorted(headings, key=lambda heading: page.index(f"\n## {heading}\n")), headings)
        for text in ("Old.", "\nold\n", "old checks", "of another commit"):
            self.assertNotIn(text, page)
        self.assertEqual(page.count("Measured by itself"), 1)

    def test_every_section_by_itself(self):
        self.patch(run.clusters, "part", autospec=True, return_value="## On Spark\n")
        for name, section in run.SECTIONS.items():
            text = section(self.options)
            self.assertTrue(text.startswith("## "), name)
            self.assertRegex(run.with_section(self.OLD, text), r"\(Measured by itself on [-0-9]+, at commit 0877a85\.\)")

    def test_after_a_failure_the_same_commit_measures_what_is_missing(self):
        broken = self.patch(run.flow_checks, "part", side_effect=TypeError("it takes one more"))
        self.assertEqual(self.whole_run().failed, ["flow checks"])
        self.assertEqual(self.out.read_text(), self.OLD)
        broken.side_effect = ["## Checks among many people\n\nnew\n"]
        run.ledgers.part.reset_mock()
        self.assertEqual(self.whole_run().failed, [])
        run.ledgers.part.assert_not_called()
        self.assertIn("## Checks among many people\n\nnew", self.out.read_text())

    def test_no_page_has_parts_of_two_commits(self):
        for second in (("1234567", True), ("0877a85, with changes", False), ("0877a85, with changes", False)):
            broken = self.patch(run.flow_checks, "part", side_effect=TypeError("it takes one more"))
            self.assertEqual(self.whole_run().failed, ["flow checks"])
            broken.side_effect = None
            broken.return_value = "## Checks among many people\n"
            run.ledgers.part.reset_mock()
            self.commit.return_value = second
            self.assertEqual(self.whole_run().failed, [])
            run.ledgers.part.assert_called()
            self.assertIn(f"at commit {second[0]};", self.out.read_text())


if __name__ == "__main__":
    unittest.main()
