"""Columns counted in one place and released in another: fractile count, merge and release --counts."""

import json
import os
import re
import signal
import stat
import subprocess

from cli.program import PROGRAM, CommandTest, require_engine, run

setUpModule = require_engine

SECRET = "31415926"
PAY = [(n * 7919) % 5000 + (n * n) % 700 for n in range(900)]


class CountsTest(CommandTest):
    def setUp(self):
        super().setUp()
        rows = [f"{n % 300},{value},{'ab'[n % 2]}" for n, value in enumerate(PAY)]
        self.write("pay.csv", "id,pay,town\n" + "\n".join(rows) + "\n")
        self.write("north.csv", "id,pay,town\n" + "\n".join(rows[:500]) + "\n")
        self.write("south.csv", "id,pay,town\n" + "\n".join(rows[500:]) + "\n")

    def at(self, name):
        return os.path.join(self.folder, name)

    def count(self, table, output, *options):
        return run("count", self.at(table), "--column", "pay", "--bounds", "0", "6000", "--step", "1", "--output",
                   self.at(output), *options)

    def counted(self, table, output, *options):
        done = self.count(table, output, *options)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(done.out, "")
        self.assertIn("as sensitive as the data", done.err)

    def merge(self, output, *words):
        return run("merge", *words, "--output", self.at(output))

    def values(self, *words):
        done = run("release", *words, "--epsilon", "1", "--unsafe-seed", "7", "--format", "json")
        self.assertEqual(done.code, 0, done.err)
        return json.loads(done.out)


class Released(CountsTest):
    def test_the_same_values_as_from_the_table(self):
        table = (self.at("pay.csv"), "--column", "pay", "--bounds", "0", "6000", "--step", "1")
        self.counted("pay.csv", "all")
        for options in ((), ("--quantiles", "deciles"), ("--mechanism", "tree"), ("--mechanism", "approximate"),
                        ("--neighbors", "change-one", "--records-per-person", "3")):
            with self.subTest(options=options):
                self.assertEqual(self.values(*table, *options)["quantiles"],
                                 self.values("--counts", self.at("all"), *options)["quantiles"])

    def test_merged_files_are_the_table(self):
        self.counted("pay.csv", "all", "--source", "a", "--by", "town", "--keys", "b,a")
        self.counted("north.csv", "north", "--source", "a", "--by", "town", "--keys", "b,a")
        self.counted("south.csv", "south", "--source", "b", "--by", "town", "--keys", "b,a")
        for output, order in (("ab", ("north", "south")), ("ba", ("south", "north"))):
            done = self.merge(output, *(self.at(name) for name in order), "--disjoint-persons")
            self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.read_bytes("ab"), self.read_bytes("ba"))
        whole = self.values("--counts", self.at("all"))
        merged = self.values("--counts", self.at("ab"))
        self.assertEqual(whole["groups"], merged["groups"])
        self.assertIn("counted from 2 sources: a, b", merged["source"]["engine"])
        self.assertEqual([group["key"] for group in merged["groups"]], ["b", "a"])

    def test_a_query_is_known_to_the_release_and_to_merges(self):
        query = "SELECT CAST(pay AS INTEGER) + 7 AS pay FROM input"
        self.counted("north.csv", "north", "--sql", query)
        self.counted("south.csv", "south", "--sql", query)
        self.counted("south.csv", "plain")
        self.assertEqual(self.values("--counts", self.at("north"))["source"]["sql"], query)
        self.assertEqual(self.merge("both", self.at("north"), self.at("south")).code, 0)
        self.assertEqual(self.values("--counts", self.at("both"))["source"]["sql"], query)
        refused = self.merge("none", self.at("north"), self.at("plain"))
        self.assertEqual(refused.code, 2)
        self.assertIn("different queries", refused.err)

    def read_bytes(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def test_files_tell_by_which_key_persons_were_sampled(self):
        def samplers(output, *options):
            self.counted("pay.csv", output, "--person", "id", *options)
            return re.findall(rb"key ([0-9a-f]{32})(, unsafe seed \d+)?", (self.folder / output).read_bytes())

        (first, seed), = samplers("1")
        self.assertEqual(seed, b"")
        self.assertNotEqual(samplers("2"), [(first, seed)])
        self.assertEqual(samplers("3", "--unsafe-seed", "5"), samplers("4", "--unsafe-seed", "5"))
        (_, seed), = samplers("5", "--unsafe-seed", "5")
        self.assertEqual(seed, b", unsafe seed 5")
        self.merge("both", self.at("1"), self.at("2"))
        self.assertEqual(len(re.findall(rb"key [0-9a-f]{32}", (self.folder / "both").read_bytes())), 2)

    def test_files_are_their_owners_alone_and_replace_nothing(self):
        self.counted("pay.csv", "all")
        self.assertEqual(stat.S_IMODE(os.stat(self.at("all")).st_mode), 0o600)
        before = self.read_bytes("all")
        again = self.count("pay.csv", "all")
        self.assertEqual(again.code, 2)
        self.assertIn("already exists", again.err)
        self.assertEqual(self.read_bytes("all"), before)


class Stopped(CountsTest):
    def test_a_hangup_leaves_nothing_and_no_core(self):
        words = ["count", "-", "--column", "x", "--bounds", "0", "10", "--step", "1", "--output", "p.profile"]
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(b"x\n" + b"7\n" * 200_000)  # more than the pipe holds, so some of it has been read
        process.stdin.flush()
        with open(f"/proc/{process.pid}/limits", encoding="utf-8") as limits:
            self.assertRegex(limits.read(), r"Max core file size +[01] ")
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=120)
        self.assertIn(process.returncode, (-signal.SIGHUP, 128 + signal.SIGHUP))
        self.assertEqual(out, b"")
        self.assertNotIn("p.profile", os.listdir(self.folder))


class Bounds(CountsTest):
    def test_bounds_add_up_unless_persons_are_disjoint(self):
        for half in ("north", "south"):
            self.counted(f"{half}.csv", half, "--person", "id", "--records-per-person", "2")
        self.merge("both", self.at("north"), self.at("south"))
        self.merge("disjoint", self.at("north"), self.at("south"), "--disjoint-persons")
        self.assertEqual(self.values("--counts", self.at("both"))["privacy"]["records_per_person"], 4)
        self.assertEqual(self.values("--counts", self.at("disjoint"))["privacy"]["records_per_person"], 2)
        self.assertEqual(self.values("--counts", self.at("disjoint"))["source"]["declared"], ["disjoint_persons"])
        self.assertNotIn("declared", self.values("--counts", self.at("both"))["source"])
        done = run("release", "--counts", self.at("both"), "--epsilon", "1", "--records-per-person", "3")
        self.assertEqual(done.code, 2)
        self.assertIn("may hold 4 records of one person", done.err)
        self.assertEqual(
            self.values("--counts", self.at("both"), "--records-per-person", "5")["privacy"]["records_per_person"], 5)


class Ledgers(CountsTest):
    def test_a_release_is_charged_before_counts_are_read_and_answered_twice(self):
        self.counted("pay.csv", "all")
        ledger = self.at("budget.db")
        run("ledger", "init", ledger, "--dataset", "pay", "--epsilon", "3", "--unit", "person")
        ask = ("release", "--counts", self.at("all"), "--epsilon", "1", "--ledger", ledger, "--format", "json")
        first = run(*ask)
        self.assertEqual(first.code, 0, first.err)
        second = run(*ask)
        self.assertEqual(first.out, second.out)
        self.assertIn("nothing was spent", second.err)
        data = bytearray(self.damaged("all", -40))
        self.write_bytes("hurt", data)
        hurt = run("release", "--counts", self.at("hurt"), "--epsilon", "1", "--ledger", ledger)
        self.assertEqual(hurt.code, 3)
        self.assertIn("is damaged", hurt.err)
        self.assertIn("counts as spent", hurt.err)
        self.write_bytes("head", self.damaged("all", 30))
        head = run("release", "--counts", self.at("head"), "--epsilon", "1", "--ledger", ledger)
        self.assertEqual(head.code, 3)
        self.assertNotIn("counts as spent", head.err)

    def test_that_persons_are_disjoint_is_the_owners_word(self):
        for half in ("north", "south"):
            self.counted(f"{half}.csv", half)
        self.merge("both", self.at("north"), self.at("south"))
        self.merge("disjoint", self.at("north"), self.at("south"), "--disjoint-persons")
        ledger = self.at("budget.db")
        run("ledger", "init", ledger, "--dataset", "pay", "--epsilon", "9", "--disjoint-persons")
        ask = ("release", "--epsilon", "1", "--ledger", ledger, "--counts")
        self.assert_refused(run(*ask, self.at("both")), 2,
                            "without --disjoint-persons, and dataset 'pay' is read with --disjoint-persons")
        self.assertEqual(run(*ask, self.at("disjoint")).code, 0)

    def damaged(self, name, at):
        with open(self.at(name), "rb") as file:
            data = bytearray(file.read())
        data[at] ^= 4
        return data

    def write_bytes(self, name, data):
        with open(self.at(name), "wb") as file:
            file.write(data)


class Refused(CountsTest):
    def test_what_does_not_go_together(self):
        self.counted("pay.csv", "all")
        counts = ("release", "--counts", self.at("all"), "--epsilon", "1")
        for words, part in (((*counts, "--bounds", "0", "1"), "--bounds: the profile file has its own"),
                            ((*counts, "--column", "age"), "--column: the profile file was counted with 'pay'"),
                            ((*counts, "--person", "id"), "--person: the profile file was counted without it"),
                            ((*counts, "--public-rows"), "--public-rows"),
                            ((*counts, "--sql", "SELECT 1"), "--sql"),
                            ((*counts, self.at("pay.csv")), "--counts takes the place of FILE"),
                            (("count", self.at("pay.csv"), "--column", "pay", "--bounds", "0", "1", "--step", "1"),
                             "--output is missing"),
                            (("merge", "--output", self.at("none")), "no FILE is named")):
            with self.subTest(part=part):
                self.assert_refused(run(*words), 2, part)
        self.assert_refused(run("release", "--counts", self.at("pay.csv"), "--epsilon", "1"), 3, "is not a profile file")
        self.assert_refused(run("release", "--counts", self.at("none"), "--epsilon", "1"), 3, "No such file")

    def test_other_questions_do_not_merge(self):
        self.counted("north.csv", "north")
        self.counted("south.csv", "south", "--null", "error")
        self.assert_refused(self.merge("both", self.at("north"), self.at("south")), 2, "different null policies")
        self.assertFalse(os.path.exists(self.at("both")))

    def test_what_counts_as_missing_goes_with_the_file(self):
        rows = (self.folder / "north.csv").read_text(encoding="utf-8")
        self.write("coded.csv", rows + "7,NA,a\n8,-9,a\n")
        self.assert_refused(self.count("coded.csv", "none"), 3, "not a number")
        self.counted("coded.csv", "coded", "--missing", "NA,-9", "--source", "c")
        self.counted("north.csv", "north")
        coded, plain = (self.values("--counts", self.at(name)) for name in ("coded", "north"))
        self.assertEqual(coded["quantiles"], plain["quantiles"])
        self.assertEqual((coded["source"]["missing"], coded["source"]["domain"]), (["NA", "-9"], "number or missing"))
        self.assertNotIn("missing", plain["source"])
        self.assert_refused(self.merge("both", self.at("coded"), self.at("north")), 2, "different declarations of what is missing", "--missing")
        self.counted("south.csv", "south", "--missing", "-9,NA")
        self.assertEqual(self.merge("both", self.at("coded"), self.at("south")).code, 0)
        self.assertEqual(self.values("--counts", self.at("coded"), "--missing", "NA, -9")["source"]["missing"], ["NA", "-9"])
        refused = run("release", "--counts", self.at("coded"), "--epsilon", "1", "--missing", "NA")
        self.assert_refused(refused, 2, "--missing: the profile file was counted with 'NA,-9'")

    def test_what_was_unreadable_goes_with_the_file(self):
        self.write("bad.csv", (self.folder / "north.csv").read_text(encoding="utf-8") + "7,x,a\n")
        self.counted("bad.csv", "bad", "--unreadable", "missing")
        self.counted("south.csv", "south")
        source = self.values("--counts", self.at("bad"))["source"]
        self.assertEqual((source["unreadable"], source["domain"]), ("missing", "anything"))
        self.assertNotIn("unreadable", self.values("--counts", self.at("south"), "--unreadable", "error")["source"])
        self.assert_refused(self.merge("both", self.at("bad"), self.at("south")), 2, "cells that are not numbers", "--unreadable")
        for name, other in (("bad", "error"), ("south", "missing")):
            refused = run("release", "--counts", self.at(name), "--epsilon", "1", "--unreadable", other)
            self.assert_refused(refused, 2, "--unreadable: the profile file was counted with")
        self.counted("bad.csv", "query", "--sql", "SELECT TRY_CAST(pay AS DOUBLE) AS pay FROM input")
        self.assertEqual(self.values("--counts", self.at("query"))["source"]["unreadable"], "missing")

    def test_a_ledger_sees_what_was_declared_missing(self):
        self.counted("north.csv", "north", "--missing", "NA")
        self.counted("south.csv", "south")
        ledger = self.at("budget.db")
        run("ledger", "init", ledger, "--dataset", "pay", "--epsilon", "9", "--missing", "NA")
        ask = ("release", "--epsilon", "1", "--ledger", ledger, "--counts")
        self.assertEqual(run(*ask, self.at("north")).code, 0)
        self.assert_refused(run(*ask, self.at("south")), 2, "dataset 'pay' is read with --missing NA")

    def test_the_header_says_what_read(self):
        self.counted("north.csv", "north")
        self.assertIn(b"\x04text", (self.folder / "north").read_bytes())
        self.counted("north.csv", "queried", "--sql", "FROM input")
        header = (self.folder / "queried").read_bytes()
        self.assertRegex(header, rb"DuckDB v\d[^:]*: TimeZone UTC, Calendar gregorian, integer_division false")

    def test_a_counting_is_added_once(self):
        self.counted("north.csv", "north")
        (self.folder / "copy").write_bytes((self.folder / "north").read_bytes())
        self.counted("south.csv", "south")
        for twice in ("north", "copy"):
            refused = self.merge("both", self.at("north"), self.at("south"), self.at(twice))
            self.assert_refused(refused, 2, f"'{self.at('north')}' and '{self.at(twice)}' have equal contents", "--allow-equal-files")
            self.assertFalse(os.path.exists(self.at("both")))
        done = self.merge("both", self.at("north"), self.at("copy"), "--allow-equal-files")
        self.assertEqual(done.code, 0, done.err)
        both, north = (self.values("--counts", self.at(name)) for name in ("both", "north"))
        self.assertEqual((both["privacy"]["records_per_person"], north["privacy"]["records_per_person"]), (2, 1))

    def test_files_without_records_may_be_equal(self):
        self.write("empty.csv", "id,pay,town\n")
        self.counted("empty.csv", "1", "--source", "x")
        self.counted("empty.csv", "2", "--source", "x")
        self.counted("north.csv", "north")
        done = self.merge("all", self.at("1"), self.at("2"), self.at("north"), "--disjoint-persons")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.values("--counts", self.at("all"))["quantiles"], self.values("--counts", self.at("north"))["quantiles"])

    def test_a_source_in_several_files_is_told(self):
        self.counted("north.csv", "north", "--source", "n")
        self.counted("south.csv", "south", "--source", "s")
        done = self.merge("all", self.at("north"), self.at("south"))
        self.assertNotIn("was counted in", done.err)
        done = self.merge("more", self.at("north"), self.at("all"))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("'n' was counted in 2 of the files", done.err)

    def test_a_cell_is_not_told(self):
        self.write("bad.csv", f"pay\n1\nx{SECRET}\n")
        self.assert_refused(self.count("bad.csv", "bad"), 3, "bad.csv", secrets=(SECRET,))
        self.assertFalse(os.path.exists(self.at("bad")))
