"""fractile ledger, and releases that pay from one, run as processes."""

import csv
import hashlib
import io
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest
from fractions import Fraction

from cli.ledgers import WIDE, LedgerTest
from cli.program import LONG_LINE, PROGRAM, Result, await_handler, options, require_engine, run

setUpModule = require_engine


class Init(LedgerTest):
    def test_says_what_may_be_spent(self):
        self.assertEqual(self.init("--epsilon", "0.50"),
                         "dataset people may spend epsilon = 1/2 for each person (add-remove neighbors)\n")
        self.assertEqual(self.init("--rho", "1/2", "--neighbors", "change-one", "--unit", "household", dataset="homes"),
                         "dataset homes may spend rho = 1/2 for each household (change-one neighbors)\n")
        self.init("--epsilon", "ln 3", "--delta", "1e-6", dataset="approximate")
        datasets = self.statement()["datasets"]
        self.assertEqual([entry["name"] for entry in datasets], ["people", "homes", "approximate"])
        self.assertEqual([entry["budget"] for entry in datasets],
                         [{"measure": "pure", "epsilon": "1/2"}, {"measure": "zcdp", "rho": "1/2"},
                          {"measure": "approximate", "epsilon": "ln 3", "delta": "1/1000000"}])
        self.assertEqual((datasets[1]["unit"], datasets[1]["neighbors"]), ("household", "change-one"))

    def test_never_changes_a_dataset(self):
        self.init()
        self.refuse(2, "init", "budget.db", "--dataset", "people", "--epsilon", "2",
                    parts=("already has a dataset 'people'", "never changes"))
        self.assertEqual(self.statement()["datasets"][0]["budget"]["epsilon"], "1")

    def test_refusals(self):
        self.refuse(2, "init", "--dataset", "people", "--epsilon", "1", parts=("no FILE is named",))
        self.refuse(2, "init", "budget.db", "--epsilon", "1", parts=("--dataset is missing",))
        self.refuse(2, "init", "budget.db", "--dataset", "people", parts=("a budget is missing",))
        self.refuse(2, "init", "budget.db", "--dataset", "people", "--epsilon", "0", parts=("must be positive",))
        self.refuse(2, "init", "budget.db", "--dataset", "a\nb", "--epsilon", "1", parts=("must be a line of text",))
        self.refuse(2, "inits", "budget.db", parts=("unknown verb 'ledger inits'", "did you mean fractile ledger init?"))
        self.refuse(5, "init", "gone/budget.db", "--dataset", "people", "--epsilon", "1",
                    parts=("cannot be created: No such file or directory", "a folder that exists"))
        self.refuse(5, "init", "t.csv", "--dataset", "people", "--epsilon", "1", parts=("'t.csv' is not a ledger",))
        self.assertEqual(self.files(), ["t.csv"])

    def test_a_refused_dataset_leaves_no_ledger(self):
        for code, more, part in ((5, ("--witness", "t.csv"), "holds no line of a ledger"),
                                 (5, ("--witness", "gone/witness"), "cannot be created: No such file or directory"),
                                 (5, ("--witness", "."), "cannot be used: Is a directory"),
                                 (2, ("--witness", "budget.db"), "budget.db' is the ledger itself"),
                                 (2, ("--witness", "../" + self.folder.name + "/budget.db"), "budget.db' is the ledger itself"),
                                 (2, ("--epsilon", "1/" + "9" * 51), "takes at most 50 in a numerator")):
            self.refuse(code, "init", "budget.db", "--dataset", "people", *options({"epsilon": "1"}, **{more[0][2:]: more[1]}), parts=(part,))
            self.assertEqual(self.files(), ["t.csv"])

    def test_no_file_is_no_ledger(self):
        os.mkfifo(self.folder / "pipe")
        for command in (("init", "pipe", "--dataset", "people", "--epsilon", "1"), ("show", "pipe"), ("verify", "pipe"), ("show", "/dev/zero")):
            self.refuse(5, *command, parts=(f"'{command[1]}' is not a ledger, since it is not a file",))
        self.assert_refused(self.run_paid(ledger="pipe"), 5, "'pipe' is not a ledger", "nothing was charged")

    def test_processes_that_make_the_same_ledger(self):
        started = [subprocess.Popen([PROGRAM, "ledger", "init", "budget.db", "--dataset", str(i), "--epsilon", "1"],
                                    cwd=self.folder, stdout=subprocess.DEVNULL) for i in range(8)]
        self.assertEqual([process.wait() for process in started], [0] * 8)
        self.assertEqual(len(self.statement()["datasets"]), 8)


class Paying(LedgerTest):
    def test_is_charged_and_kept(self):
        self.init()
        result = self.run_paid(format="json", receipt="r.json")
        self.assertEqual((result.code, result.err), (0, ""))
        entry, = self.statement()["entries"]
        self.assertEqual(entry["state"], "committed")
        self.assertEqual(entry["cost"], {"measure": "pure", "epsilon": "1/4"})
        self.assertEqual(entry["charge"], entry["cost"])
        self.assertEqual(entry["receipt"], result.out)
        self.assertEqual(entry["receipt"], (self.folder / "r.json").read_text())
        self.assertEqual(entry["receipt_sha256"], hashlib.sha256(result.out.encode()).hexdigest())
        self.assertEqual(entry["receipt_path"], str(self.folder / "r.json"))
        self.assertEqual(json.loads(entry["query"])["quantiles"], ["1/4", "1/2", "3/4"])
        self.assertEqual(self.files(), ["budget.db", "r.json", "t.csv"])

    def test_refused_over_budget(self):
        self.init()
        self.paid(epsilon="3/4")
        self.assert_refused(self.run_paid(epsilon="0.26", receipt="r.json"), 4,
                            "a cost of epsilon = 13/50 exceeds what remains of dataset 'people', "
                            "epsilon = 1/4 of epsilon = 1", "nothing was spent")
        self.assertEqual(self.spent(), {"epsilon": "3/4"})
        self.assertEqual(self.files(), ["budget.db", "t.csv"])
        self.paid(epsilon="1/4")
        self.assertEqual(self.spent(), {"epsilon": "1"})
        self.assert_refused(self.run_paid(epsilon="1/100"), 4, "epsilon = 0 of epsilon = 1", "the budget is used up")

    def test_refused_before_rows(self):
        """The table has a cell that would end a release with exit code 3 and keep the charge."""
        self.init("--epsilon", "1/8")
        self.write("t.csv", 'x\n7\n"seven\n')
        self.assert_refused(self.run_paid(), 4, "exceeds what remains")
        self.assert_refused(self.run_paid(neighbors="change-one"), 2, "for change-one neighbors, but the budget of "
                            "dataset 'people' is for add-remove", "write --neighbors add-remove")
        self.assert_refused(self.run_paid(epsilon=None, rho="1/100"), 2, "a cost of rho = 1/100 cannot be charged to")
        self.assert_refused(self.run_paid(delta="1e-6"), 2, "cannot be charged to", "without --delta")
        self.assert_refused(self.run_paid(unsafe_seed="1"), 2, "--unsafe-seed does not go with --ledger")
        self.assert_refused(self.run_paid(dataset="peopel"), 2, "has no dataset 'peopel'", "did you mean people?")
        self.assert_refused(self.run_paid(dataset="x"), 2, "has no dataset 'x'", "choose one of people")
        self.assert_refused(self.run_paid(ledger="gone.db"), 5, "there is no ledger at 'gone.db'", "nothing was charged; ",
                            "ledger init gone.db")
        self.assert_refused(self.run_paid(ledger="t.csv"), 5, "'t.csv' is not a ledger")
        self.assert_refused(self.run_paid(column="y"), 3)
        self.assert_refused(self.run_paid("nowhere.csv"), 3, "cannot open nowhere.csv")
        self.assert_refused(self.run_paid(receipt="budget.db"), 2, "already exists")
        self.assertEqual(self.statement()["entries"], [])

    def test_what_goes_with_a_ledger(self):
        self.assert_refused(self.run_release("t.csv", dataset="people"), 2, "--dataset goes with --ledger")
        self.assert_refused(self.run_release("t.csv", again=True), 2, "--again goes with --ledger")

    def test_several_datasets(self):
        self.init()
        self.init("--rho", "1/2", dataset="others")
        self.assert_refused(self.run_paid(), 2, "--dataset is missing", "choose one of people, others")
        self.paid(dataset="others", epsilon=None, rho="1/8")
        self.paid(dataset="others", epsilon="1/4")
        self.paid(dataset="people")
        self.assertEqual(self.spent(0), {"epsilon": "1/4"})
        charge = Fraction(self.statement()["entries"][1]["charge"]["rho"])
        self.assertEqual(Fraction(self.spent(1)["rho"]), Fraction(1, 8) + charge)
        self.assertTrue(0 < charge <= Fraction(1, 32), "epsilon tanh(epsilon / 2) is less than epsilon^2 / 2")
        self.assertIn("epsilon = 0.25 (as rho = about 0.03", self.ledger("show", "budget.db", "--format", "table"))

    def test_an_empty_ledger(self):
        self.init()
        database = sqlite3.connect(self.folder / "budget.db")
        triggers = [row[0] for row in database.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")]
        for name in ("datasets_held", "events_held"):
            database.execute(f"DROP TRIGGER {name}")
        for table in ("events", "datasets"):
            database.execute(f"DELETE FROM {table}")
        for sql in triggers:
            if "_held" in sql and ("datasets" in sql or "events" in sql):
                database.execute(sql)
        database.commit()
        database.close()
        self.assert_refused(self.run_paid(), 2, "the ledger 'budget.db' has no dataset", "fractile ledger init budget.db")

    def test_a_failure_after_rows_were_read_stays_reserved(self):
        self.init()
        self.write("t.csv", 'x\n7\n"seven\n')
        result = self.run_paid(receipt="r.json")
        self.assert_refused(result, 3, "quote", "epsilon = 1/4 counts as spent: entry 1 of budget.db stays reserved",
                            secrets=("seven",))
        self.assertEqual((self.states(), self.spent()), (["reserved"], {"epsilon": "1/4"}))
        self.assertEqual(self.files(), ["budget.db", "t.csv"])

    def test_a_receipt_that_a_reserved_entry_may_still_write(self):
        """Once, the hint was to choose another name, and did not say that this pays again."""
        self.init()
        self.write("t.csv", 'x\n7\n"seven\n')
        self.assertEqual(self.run_paid(receipt="r.json").code, 3)
        self.assert_refused(self.run_paid(receipt="r.json"), 2, "r.json' is that of entry 1 of the ledger 'budget.db', which is reserved",
                            "fractile ledger void budget.db --entry 1 --reason TEXT gives it back; under another name, this release pays as well")
        self.assertEqual(self.spent(), {"epsilon": "1/4"})

    def test_commands_to_type_are_words_of_a_shell(self):
        """Once, the path was not quoted: the command named another file, or ran a part of the file's name."""
        self.write("bad.csv", 'x\n7\n"seven\n')
        for name in ("my budget.db", "it's $(touch ran).db", "a;touch ran;&*.db", "-b.db"):
            with self.subTest(name):
                self.init(name=f"./{name}")
                refused = self.run_paid("bad.csv", ledger=name, receipt=f"{name}.json")
                self.assert_refused(refused, 3, f"entry 1 of {name} stays reserved")
                refused = self.run_paid("bad.csv", ledger=name, receipt=f"{name}.json")
                command = re.search(r"fractile (ledger void .* --entry 1 --reason TEXT) gives it back", refused.err)[1]
                done = subprocess.run(["sh", "-c", f'"$0" {command}', PROGRAM], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.statement(f"./{name}")["entries"][0]["state"], "void")
        self.assertNotIn("ran", self.files())

    def test_output_that_cannot_be_printed(self):
        self.init()
        with open("/dev/full", "wb") as full:
            result = self.run_paid(how={"stdout": full})
        self.assert_refused(result, 3, "standard output could not be written", "entry 1 of budget.db holds it")
        self.assertEqual(self.states(), ["committed"])


class Again(LedgerTest):
    NOTE = r"fractile: this was released on \d{4}-\d\d-\d\d \(entry 1 of budget\.db\); here it is " \
           r"again, and nothing was spent\n  the table was not read; --again reads it, and pays\n"

    def setUp(self):
        super().setUp()
        self.init()

    def asked_again(self, **changes):
        result = self.run_paid(**{**WIDE, **changes})
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, rf"\A{self.NOTE}\Z")
        return result.out

    def test_the_same_query_is_free(self):
        first = self.run_paid(**WIDE, format="json", receipt="r.json").out
        self.assertEqual(self.asked_again(format="json"), first)
        values = [str(entry["value"]) for entry in json.loads(first, parse_float=str, parse_int=str)["quantiles"]]
        self.assertEqual([line.split(",")[1] for line in self.asked_again().splitlines()[1:]], values)
        table = self.asked_again(format="table", receipt="copy.json")
        self.assertRegex(table, r"\Aquantile +x\n1/4 +" + values[0].replace(".", r"\."))
        self.assertIn("epsilon = 1/1000000000 (pure), neighbors add-remove", table)
        self.assertRegex(table, r"\nreleased on \d{4}-\d\d-\d\d \(entry 1\)\n\Z")
        self.assertEqual((self.folder / "copy.json").read_text(), first)
        self.assertEqual(self.states(), ["committed"])

    def test_reads_no_rows(self):
        self.paid(**WIDE)
        self.write("t.csv", 'x\n7\n"seven\n')
        self.asked_again()
        self.assert_refused(self.run_paid(**WIDE, again=True), 3, "line 3 has a quoted cell without its end")

    def test_needs_no_budget(self):
        first = self.paid(epsilon="1")
        result = self.run_paid(epsilon="1")
        self.assertEqual([line.split(",")[1] for line in result.out.splitlines()[1:]], first)
        self.assert_refused(self.run_paid(epsilon="1", again=True), 4, "exceeds what remains")

    def test_again_pays_anew(self):
        first, second = self.paid(**WIDE), self.paid(**WIDE, again=True)
        self.assertNotEqual(first, second)
        self.assertEqual(self.spent(), {"epsilon": "1/500000000"})
        result = self.run_paid(**WIDE)
        self.assertIn("entry 2 of budget.db", result.err)
        self.assertEqual([line.split(",")[1] for line in result.out.splitlines()[1:]], second)

    def test_any_difference_is_another_query(self):
        self.write("u.csv", "x,y\n7,8\n")
        self.init("--epsilon", "1", "--public-rows", dataset="people, with their number")
        wide = {**WIDE, "dataset": "people, with their number"}
        self.paid(**wide)
        changes = ({"quantiles": "median"}, {"epsilon": "2e-9"}, {"records_per_person": "2"},
                   {"bounds": ("0", "1000000000000000.0")}, {"bounds": ("-0.1", "1000000000000000.1")},
                   {"step": "0.01"}, {"mechanism": "tree"}, {"base": "uniform"}, {"expected_rows": "100"},
                   {"no_interpolation": True}, {"public_rows": True},
                   {"sql": "FROM input"}, {"mechanism": "approximate"},
                   {"mechanism": "approximate", "rates": "as-published"},
                   {"bounds": None, "step": None, "candidates": "1,2,3"})
        for change in changes:
            with self.subTest(**{name: str(value) for name, value in change.items()}):
                self.paid(**{**wide, **change})
        self.release("u.csv", ledger="budget.db", **wide)
        self.release("u.csv", ledger="budget.db", **{**wide, "column": "y"})
        self.assertEqual(self.states(), ["committed"] * (len(changes) + 3))

    def test_other_words_for_the_same_query(self):
        self.paid(**WIDE, quantiles="0.25,0.5,3/4")
        self.asked_again(epsilon="0.000000001", step="1e-1", quantiles="quartiles", neighbors="add-remove",
                         mechanism="auto", records_per_person="1", null="drop", input_format="csv", threads="2")

    def test_reserved_and_void_entries_are_not_answers(self):
        self.write("t.csv", 'x\n7\n"seven\n')
        self.assertEqual(self.run_paid(**WIDE).code, 3)
        self.ledger("void", "budget.db", "--entry", "1", "--reason", "a bad cell")
        self.write("t.csv", "x\n7\n")
        self.paid(**WIDE)
        self.assertEqual(self.states(), ["void", "committed"])

    def test_an_altered_receipt_is_no_answer(self):
        self.paid(**WIDE)
        database = sqlite3.connect(self.folder / "budget.db")
        database.execute("DROP TRIGGER receipts_kept")
        database.execute("UPDATE receipts SET text = replace(text, '1/4', '1/5')")
        database.execute("CREATE TRIGGER receipts_kept BEFORE UPDATE ON receipts BEGIN "
                         "SELECT RAISE(ABORT, 'a ledger only grows'); END")
        database.commit()
        database.close()
        self.assert_refused(self.run_paid(**WIDE), 5, "the receipt of entry 1 is not what was committed")
        self.refuse(5, "verify", "budget.db", parts=("the receipt of entry 1 does not match its hash",))


class Show(LedgerTest):
    def setUp(self):
        super().setUp()
        self.init("--epsilon", "1", dataset="people, all")
        self.init("--rho", "1/2", dataset="others")
        self.paid(dataset="people, all")
        self.write("t.csv", 'x\n7\n"seven\n')
        self.run_paid(dataset="people, all", epsilon="1/3", receipt="r.json")

    def test_table(self):
        text = self.ledger("show", "budget.db", "--format", "table")
        self.assertIn("dataset people, all (a budget for each person, add-remove neighbors)\n"
                      "  budget     epsilon = 1\n  spent      epsilon = 7/12\n  reserved   epsilon = 1/3, a part of what is spent\n"
                      "  remaining  epsilon = 5/12\n", text)
        self.assertRegex(text, r"entry 1, committed, people, all, \d{4}-\d\d-\d\d, epsilon = 0.25\n")  # not 1/4
        self.assertRegex(text, r"entry 2, reserved, people, all, \d{4}-\d\d-\d\d, epsilon = 1/3\n  \w+ of x \(")
        self.assertTrue(all(len(line) <= LONG_LINE for line in text.splitlines()))
        text = self.ledger("show", "budget.db", "--format", "table", "--dataset", "others")
        self.assertNotIn("people", text)
        self.assertIn("spent      rho = 0\n  reserved   nothing\n  remaining  rho = 0.5\n", text)

    def test_csv_in_a_pipe(self):
        rows = list(csv.DictReader(io.StringIO(self.ledger("show", "budget.db"))))
        self.assertEqual([row["dataset"] for row in rows], ["people, all", "others"])
        self.assertEqual((rows[0]["spent"], rows[0]["reserved"], rows[0]["remaining"], rows[1]["spent"]),
                         ("epsilon = 7/12", "epsilon = 1/3", "epsilon = 5/12", "rho = 0"))

    def test_json(self):
        document = json.loads(self.ledger("show", "budget.db", "--format", "json", "--dataset", "people, all"))
        self.assertEqual(document["ledger_format"], 3)
        self.assertEqual([entry["spent"] for entry in document["datasets"]], [{"epsilon": "7/12"}])
        self.assertEqual([entry["state"] for entry in document["entries"]], ["committed", "reserved"])
        self.assertNotIn("receipt", document["entries"][0])
        self.assertIn("receipt_sha256", document["entries"][0])

    def test_refusals(self):
        self.refuse(2, "show", "budget.db", "--dataset", "other", parts=("no dataset 'other'", "did you mean others?"))
        self.refuse(2, "show", "budget.db", "--format", "xml", parts=("'xml' is not known",))
        self.refuse(2, "show", parts=("no FILE is named",))
        self.refuse(5, "show", "t.csv", parts=("'t.csv' is not a ledger",))

    def test_export(self):
        document = self.statement()
        self.assertEqual([event["kind"] for event in document["events"]],
                         ["dataset", "dataset", "reserve", "draw", "commit", "reserve"])
        rows = list(csv.DictReader(io.StringIO(self.ledger("export", "budget.db", "--format", "csv"))))
        for row, entry in zip(rows, document["entries"], strict=True):
            for name in ("id", "dataset", "state", "reserved_at", "query", "source", "records_per_person"):
                self.assertEqual(row[name], str(entry[name]))
        self.assertEqual(self.ledger("export", "budget.db"), self.ledger("export", "budget.db"))
        self.refuse(2, "export", "budget.db", "--format", "table", parts=("'table' is not known",))

    def test_readings_in_csv(self):
        """Readings are written as JSON, because a value may be any text."""
        self.init("--epsilon", "1", "--missing", 'NA,"', "--single-line-records", dataset="declared")
        self.write("t.csv", "x,id\n7,a\n")
        self.paid(dataset="declared", missing='NA,"', single_line_records=True, person="id", records_per_person="2")
        declared = {"missing": 'NA,"', "single_line_records": "yes"}
        row = list(csv.DictReader(io.StringIO(self.ledger("show", "budget.db"))))[-1]
        self.assertEqual(json.loads(row["reading"]), declared)
        row = list(csv.DictReader(io.StringIO(self.ledger("export", "budget.db", "--format", "csv"))))[-1]
        self.assertEqual(json.loads(row["reading"]), declared)
        self.assertEqual((row["person"], row["records_per_person"], row["source"]), ("id", "2", f"{self.folder}/t.csv"))

    def test_void(self):
        self.refuse(2, "void", "budget.db", "--reason", "why", parts=("--entry is missing", "ledger show budget.db"))
        self.refuse(2, "void", "budget.db", "--entry", "2", parts=("--reason is missing", "for example --reason"))
        self.refuse(2, "void", "budget.db", "--entry", "x", "--reason", "why", parts=("not a whole number",))
        self.refuse(2, "void", "budget.db", "--entry", "9", "--reason", "why", parts=("has no entry 9",))
        self.refuse(2, "void", "budget.db", "--entry", "1", "--reason", "why", parts=("is already committed", "for good"))
        self.write("r.json", "{}")
        self.refuse(2, "void", "budget.db", "--entry", "2", "--reason", "why", parts=("may have been published",))
        os.remove(self.folder / "r.json")
        self.assertEqual(self.ledger("void", "budget.db", "--entry", "2", "--reason", "it failed"),
                         "entry 2 is void and no longer counts\n")
        self.assertEqual(self.spent(), {"epsilon": "1/4"})
        self.assertIn("because: it failed", self.ledger("show", "budget.db", "--format", "table"))
        self.refuse(2, "void", "budget.db", "--entry", "2", "--reason", "why", parts=("is already void",))

    def test_help(self):
        for words in ((), ("init",), ("show",), ("verify",), ("export",), ("commit",), ("void",), ("witness",)):
            text = self.ledger(*words, "--help")
            self.assertTrue(all(len(line) <= LONG_LINE for line in text.splitlines()), text)


class Verify(LedgerTest):
    def test_the_chain_is_the_documented_one(self):
        self.init()
        self.init("--rho", "1", "--records-per-person", "1", "--source", "./t.csv", dataset="ünïcode")
        self.paid(dataset="people")
        self.paid(dataset="ünïcode")
        self.write("t.csv", 'x\n7\n"seven\n')
        self.run_paid(dataset="people", again=True, receipt="r.json")
        self.ledger("void", "budget.db", "--entry", "3", "--reason", "a bad cell")
        hashes = list(self.chain())
        self.assertEqual([event["hash"] for event in self.statement()["events"]], hashes)
        self.assertEqual(self.ledger("verify", "budget.db"),
                         f"the ledger is whole; its last line has the hash\n{hashes[-1]}\n")
        self.ledger("verify", "budget.db", "--head", hashes[3])
        self.refuse(5, "verify", "budget.db", "--head", "0" * 64, parts=("lines at its end are missing",))
        self.refuse(2, "verify", "budget.db", "--head", hashes[3][:8], parts=("--head: a hash of 64 hexadecimal digits is expected",))

    def test_an_altered_ledger(self):
        self.init()
        self.paid()
        database = sqlite3.connect(self.folder / "budget.db")
        database.execute("DROP TRIGGER entries_kept")
        database.execute("UPDATE entries SET epsilon = '1/8'")
        database.commit()
        self.refuse(5, "verify", "budget.db", parts=("does not have the tables of format 3",))
        database.execute("CREATE TRIGGER entries_kept BEFORE UPDATE ON entries BEGIN "
                         "SELECT RAISE(ABORT, 'a ledger only grows'); END")
        database.commit()
        self.refuse(5, "verify", "budget.db", parts=("was altered: line 2", "restore it from a copy"))
        database.close()
        self.assert_refused(self.run_paid(epsilon="1/8"), 5, "was altered: line 2")
        self.refuse(5, "void", "budget.db", "--entry", "1", "--reason", "why", parts=("was altered: line 2",))
        page = run("ledger", "show", "budget.db", "--format", "html", cwd=self.folder)
        self.assertEqual(page.code, 5, page)
        self.assertIn("<li>line 2 or what it is about does not match its hash</li>", page.out)
        self.assertNotIn("hashes match", page.out)  # once, the same page said that all of them do


class Unusable(LedgerTest):
    def test_newer(self):
        self.init()
        database = sqlite3.connect(self.folder / "budget.db")
        database.execute("PRAGMA user_version = 9")
        database.close()
        for result in (self.run_paid(), run("ledger", "show", "budget.db", cwd=self.folder)):
            self.assert_refused(result, 5, "is of format 9, and this program knows formats up to 3", "newer fractile")

    def test_locked(self):
        self.init()
        database = sqlite3.connect(self.folder / "budget.db", isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        self.assertEqual(self.spent(), {"epsilon": "0"})
        started = time.monotonic()
        self.assert_refused(self.run_paid(), 5, "is locked by another process", "wait until that ends")
        self.assertGreater(time.monotonic() - started, 9)
        database.execute("ROLLBACK")
        self.paid()

    def test_signals_while_it_waits(self):
        """Nothing has been charged, so signals take effect at once."""
        self.init()
        database = sqlite3.connect(self.folder / "budget.db", isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number):
                process = subprocess.Popen([PROGRAM, "release", "t.csv", *options(ledger="budget.db", epsilon="1/4")],
                                           cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                await_handler(process, number)
                time.sleep(0.2)
                sent = time.monotonic()
                process.send_signal(number)
                out, err = process.communicate(timeout=30)
                self.assertLess(time.monotonic() - sent, 8)  # without a signal, it would end after ten seconds
                self.assertEqual((process.returncode, out), (128 + number, b""), err)
                self.assertRegex(err.decode(), "is locked by another process\n  nothing was charged; ")
        database.execute("ROLLBACK")
        self.assertEqual(self.states(), [])

    def test_read_only(self):
        how = self.as_nobody()
        self.init()
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "budget.db", 0o444)
        self.assert_refused(self.run_paid(how=how), 5, "the ledger 'budget.db' could not be written: it is read-only",
                            "make its folder and the files of its name writable")
        self.assertEqual(json.loads(self.ledger("export", "budget.db", **how))["entries"], [])
        self.ledger("verify", "budget.db", **how)
        self.assertIn("remaining  epsilon = 1\n", self.ledger("show", "budget.db", "--format", "table", **how))
        os.chmod(self.folder / "budget.db", 0o666)
        if how:
            self.assert_refused(self.run_paid(how=how), 5, "the ledger 'budget.db' c")
            result = run("ledger", "init", "new.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder, **how)
            self.assert_refused(result, 5, "the ledger 'new.db' cannot be created: Permission denied",
                                "a folder that exists and that you may write to")
        self.assertEqual(self.files(), ["budget.db", "t.csv"])

    def test_full_disk(self):
        """A limit on file sizes stands for a full disk: the ledger may not grow, so nothing is read or spent."""
        self.init()
        size = (self.folder / "budget.db").stat().st_size
        self.write("t.csv", 'x\n7\n"seven\n')
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
        self.assert_refused(self.run_paid(how=how), 5, "the ledger 'budget.db' could not be written: ", "File too large",
                            "make room")
        self.assertEqual((self.folder / "budget.db").stat().st_size, size)
        self.assertEqual(self.states(), [])

    LONG = {"bounds": ("0", "10"), "quantiles": ",".join(f"{i}/100000" for i in range(1, 9000)), "mechanism": "tree"}

    def test_a_ledger_without_room_for_the_receipt(self):
        """The release fails before anything is charged, and says how many bytes may be needed."""
        self.init()
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))}
        for _ in range(3):
            result = self.run_paid(**self.LONG, how=how)
            self.assert_refused(result, 5, "the ledger 'budget.db' could not be written: ", " bytes may be needed",
                                "nothing was charged; make room")
        self.assertEqual(self.states(), [])
        self.assertEqual(self.files(), ["budget.db", "t.csv"])
        self.assertEqual(self.run_paid(**self.LONG, receipt="r.json").code, 0)
        entry, = self.statement()["entries"]
        self.assertGreater(len(entry["receipt"]), 400_000)

    def test_a_ledger_that_may_not_grow(self):
        """Once, the room was reserved in a file of its own, the ledger could not grow, and the release was charged, drawn and lost."""
        self.init()
        self.assertEqual(self.run_paid(**self.LONG).code, 0)
        size = (self.folder / "budget.db").stat().st_size
        for limit in (size, size + 8192):
            how = {"preexec_fn": lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
            self.assert_refused(self.run_paid(how=how, epsilon="1/8"), 5, "the ledger 'budget.db' could not be written: it may get ",
                                f"this process may write only {limit}: File too large", "nothing was charged; allow this process larger files")
        self.assertEqual(self.states(), ["committed"])


class Mounts(LedgerTest):
    """Names of a ledger in other mount namespaces, such as those of containers."""

    NAMESPACE = ("unshare", "--mount", "--propagation", "private")

    def setUp(self):
        super().setUp()
        probe = [*self.NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", self.folder]
        if os.geteuid() != 0 or not shutil.which("unshare") or subprocess.run(probe, check=False).returncode != 0:
            self.skipTest("no mounts may be made here")
        self.init()
        os.mkdir(self.folder / "inside")
        self.write("inside/budget.db", "")

    def inside(self, mount, *command):
        script = f'{mount}; exec "$@"'
        done = subprocess.run([*self.NAMESPACE, "sh", "-ec", script, "sh", *command], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def release_from(self, ledger):
        return [PROGRAM, "release", "t.csv", *options(ledger=ledger, epsilon="1/4", again=True)]

    def test_a_single_file(self):
        mount = "mount --bind budget.db inside/budget.db"
        for command in (self.release_from("inside/budget.db"), [PROGRAM, "ledger", "show", "inside/budget.db"]):
            self.assert_refused(self.inside(mount, *command), 5, "the ledger 'inside/budget.db' is mounted as a single file",
                                "nothing was changed; mount the folder in which it lies")
        self.assertEqual(self.states(), [])

    def test_a_folder(self):
        self.assertEqual(self.inside("mount --bind . inside", *self.release_from("inside/budget.db")).code, 0)
        self.assertEqual(self.states(), ["committed"])

    def test_another_namespace(self):
        """The names are those that /proc gives to the files that another process sees."""
        script = "mount --bind budget.db inside/budget.db; mkdir of_its_own; mount -t tmpfs tmpfs of_its_own; echo ready; exec cat"
        with subprocess.Popen([*self.NAMESPACE, "sh", "-ec", script], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            seen = f"/proc/{process.pid}/root{self.folder}"
            result = run(*self.release_from(f"{seen}/inside/budget.db")[1:], cwd=self.folder)
            self.assert_refused(result, 5, f"the ledger '{seen}/inside/budget.db' is mounted as a single file")
            # Here, SQLite would take the file's name there for the name of another file, and create or use another ledger.
            there = f"{seen}/of_its_own/budget.db"
            shutil.copy(self.folder / "budget.db", there)
            shutil.copy(self.folder / "budget.db", self.folder / "of_its_own" / "budget.db")
            for command in (self.release_from(there)[1:], ("ledger", "show", there),
                            ("ledger", "init", there, "--dataset", "more", "--epsilon", "1")):
                self.assert_refused(run(*command, cwd=self.folder), 5, f"the ledger '{there}' cannot be opened by this name",
                                    "use it from there, or mount its folder here")
            os.remove(there)
            result = run("ledger", "init", there, "--dataset", "more", "--epsilon", "1", cwd=self.folder)
            self.assertEqual(result.code, 5)
            self.assertEqual(os.listdir(f"{seen}/of_its_own"), [])
            self.assertEqual(run(*self.release_from(f"{seen}/budget.db")[1:], cwd=self.folder).code, 0)
            process.stdin.close()
        self.assertEqual(self.states(), ["committed"])
        self.assertEqual(self.statement("of_its_own/budget.db")["entries"], [])


class Sources(LedgerTest):
    """What a dataset pins, and which table a stored release describes."""


    def test_one_name_in_two_folders(self):
        self.init()
        for folder, value in (("a", "7"), ("b", "3")):
            os.mkdir(self.folder / folder)
            self.write(f"{folder}/t.csv", f"x\n{value}\n")
        ledger = str(self.folder / "budget.db")
        for folder in ("a", "b"):
            result = run("release", "t.csv", *options(ledger=ledger, **WIDE), cwd=self.folder / folder)
            self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.states(), ["committed"] * 2)
        os.symlink("a/t.csv", self.folder / "link.csv")
        for name in ("a/t.csv", "./b/../a/t.csv", "link.csv", str(self.folder / "a" / "t.csv")):
            result = self.run_paid(name, **WIDE)
            self.assertIn("(entry 1 of budget.db)", result.err)
        self.assertEqual(self.states(), ["committed"] * 2)

    def test_standard_input_is_unknown(self):
        self.init()
        for _ in range(2):
            result = self.run_paid("-", stdin=b"x\n7\n", **WIDE)
            self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.states(), ["committed"] * 2)
        for _ in range(2):
            query = options(ledger="budget.db", sql="SELECT x FROM t", table="t=-", **WIDE)
            self.assertEqual(run("release", *query, cwd=self.folder, stdin=b"x\n7\n").code, 0)
        self.assertEqual(self.states(), ["committed"] * 4)

    def test_tables_of_a_query_are_known_by_their_paths(self):
        self.init()
        for folder, value in (("a", "7"), ("b", "3")):
            os.mkdir(self.folder / folder)
            self.write(f"{folder}/t.csv", f"x\n{value}\n")
        for folder in ("a", "b", "a"):
            query = options(ledger=str(self.folder / "budget.db"), sql="SELECT x FROM t", table="t=t.csv", **WIDE)
            result = run("release", *query, cwd=self.folder / folder)
            self.assertEqual(result.code, 0)
        self.assertIn("(entry 1 of ", result.err)
        self.assertEqual(self.states(), ["committed"] * 2)

    def test_standard_input_with_a_name(self):
        self.init()
        first = self.run_paid("-", stdin=b"x\n7\n", source="monday", **WIDE)
        self.assertEqual((first.code, first.err), (0, ""))
        again = self.run_paid("-", stdin=b"x\n9\n", source="monday", **WIDE)
        self.assertEqual(again.out, first.out)
        self.assertEqual(self.run_paid("-", stdin=b"x\n7\n", source="tuesday", **WIDE).err, "")
        self.assertEqual(json.loads(self.statement()["entries"][0]["query"])["source"], "monday")
        self.assertEqual(self.states(), ["committed"] * 2)
        self.assert_refused(self.run_paid("-", source="./monday"), 2, "--source: './monday' is a path", "without a slash")
        self.assert_refused(self.run_release("t.csv", source="monday"), 2, "--source goes with --ledger")

    def test_pins(self):
        """The table has a cell that would end a release with exit code 3 and keep the charge."""
        self.write("t.csv", 'x,id\n7,a\n"seven,b\n')
        self.write("u.csv", "x,id\n7,a\n")
        self.assertEqual(self.init("--epsilon", "1", "--person", "id", "--records-per-person", "3", "--source", "./t.csv"),
                         "dataset people may spend epsilon = 1 for each person (add-remove neighbors)\n"
                         "every release must have --person id, --records-per-person 3 or more, "
                         f"the file '{self.folder}/t.csv'\n")
        good = {"person": "id", "records_per_person": "3"}
        refused = (({"person": "x"}, "by the column 'x', but dataset 'people' identifies them by the column 'id'", "write --person id"),
                   ({"person": None}, "by no column", "write --person id"),
                   ({"records_per_person": "2"}, "for persons with at most 2 records", "--records-per-person 3, or more"),
                   ({"records_per_person": None}, "for persons with at most 1 record"),
                   ({"neighbors": "change-one"}, "for change-one neighbors"),
                   ({"sql": "SELECT x, x AS id FROM input"}, "--sql does not go with dataset 'people'"),
                   ({"source": "t"}, "reads the source 't'", "without --source"))
        for change, *parts in refused:
            with self.subTest(**change):
                self.assert_refused(self.run_paid(**{**good, **change}), 2, *parts)
        self.assert_refused(self.run_paid("u.csv", **good), 2, "u.csv', but the budget of dataset 'people' is for the file")
        self.assert_refused(self.run_paid("-", **good), 2, "reads a source without a name")
        self.assertEqual(self.statement()["entries"], [])
        self.assert_refused(self.run_paid(**good), 3, "line 3 has a quoted cell without its end")
        dataset, = self.statement()["datasets"]
        self.assertEqual((dataset["person"], dataset["records_per_person"], dataset["source"]),
                         ("id", 3, f"{self.folder}/t.csv"))
        self.assertIn("  releases   must have --person id, ", self.ledger("show", "budget.db", "--format", "table"))
        row, = csv.DictReader(io.StringIO(self.ledger("show", "budget.db")))
        self.assertEqual((row["person"], row["records_per_person"]), ("id", "3"))

    def test_a_pinned_name(self):
        self.init("--epsilon", "1", "--source", "survey")
        self.assert_refused(self.run_paid(), 2, "is for the source 'survey'", "write --source survey")
        self.paid(source="survey")
        self.refuse(2, "init", "budget.db", "--dataset", "d", "--epsilon", "1", "--source", "t.csv",
                    parts=("there is a file of that name", "write ./t.csv"))
        self.refuse(2, "init", "budget.db", "--dataset", "d", "--epsilon", "1", "--source", "./gone.csv",
                    parts=("there is no file './gone.csv'",))


if __name__ == "__main__":
    unittest.main()
