"""Ledgers that were put back or are witnessed, and processes that race for a ledger or are killed."""

import contextlib
import csv
import hashlib
import io
import json
import os
import random
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
from cli.program import EFFORT, PROGRAM, options, require_engine, run, start, stop_when, write_long_column

setUpModule = require_engine


class VoidedWhileItRuns(LedgerTest):
    """The entry is voided while a release reads. The release ends without a value."""

    def is_reserved(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / 'budget.db'}?mode=ro", uri=True)) as ledger:
            with contextlib.suppress(sqlite3.OperationalError):  # it is locked
                return ledger.execute("SELECT count(*) FROM entries").fetchone()[0] > 0
        return False

    def test_it_publishes_nothing(self):
        self.init()
        write_long_column(self.folder / "t.csv")
        asked = options(ledger="budget.db", epsilon="1/4", receipt="r.json", threads="1")
        process = start("release", "t.csv", *asked, cwd=self.folder)
        stop_when(process, self.is_reserved)
        self.assertEqual(self.states(), ["reserved"])
        self.ledger("void", "budget.db", "--entry", "1", "--reason", "changed our mind")
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (5, b""))
        self.assertIn("entry 1 of the ledger 'budget.db' was voided while its release ran\n"
                      "  nothing was published, and it does not count; ask again\n", err.decode())
        self.assertEqual(self.files(), ["budget.db", "t.csv"])
        self.assertEqual((self.states(), self.spent()["epsilon"]), (["void"], "0"))


    def test_a_publication_names_the_entries_that_still_count(self):
        """Once, the message looked at the first entry only: it named the voided entry among those that count, or named none."""
        self.init("--epsilon", "1")
        write_long_column(self.folder / "t.csv")
        self.write("p.toml", PUBLICATION)
        process = start("publish", "p.toml", "--ledger", "budget.db", "--output", "out", "--threads", "1", cwd=self.folder)
        stop_when(process, self.is_reserved)
        self.ledger("void", "budget.db", "--entry", "2", "--reason", "changed our mind")
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (5, b""))
        giving_back = "fractile ledger void budget.db --entry N --reason TEXT gives entry N back, for each N of 1 and 3"
        self.assertIn("entry 2 of the ledger 'budget.db' was voided while its release ran\n"
                      "  nothing was published, and this entry does not count; epsilon = 3/8 counts as spent: entries 1 and 3 of budget.db "
                      f"stay reserved; {giving_back}; then ask again\n", err.decode())
        self.assertEqual((self.states(), self.spent()["epsilon"]), (["reserved", "void", "reserved"], "3/8"))
        asked = run("publish", "p.toml", "--ledger", "budget.db", "--output", "out", cwd=self.folder)
        self.assert_refused(asked, 2, "that of entries 1 and 3 of the ledger 'budget.db', which are reserved", giving_back)


PUBLICATION = """[publication]
epsilon = "1/2"
[input]
file = "t.csv"
""" + "".join(f"""[[table]]
name = "{name}"
column = "x"
bounds = [0, {bound}]
step = 1
quantiles = "median"
share = {share}
""" for name, bound, share in (("a", 100, 1), ("b", 200, 1), ("c", 300, 2)))


class PutBack(VoidedWhileItRuns):
    """A backup of the ledger is put back while a release reads, and another release gets the number of its entry."""

    test_it_publishes_nothing = None
    test_a_publication_names_the_entries_that_still_count = None

    def begun(self, **changes):
        """A release of epsilon 8 that has reserved entry 1 and is stopped while it reads."""
        self.init("--epsilon", "10")
        write_long_column(self.folder / "big.csv")
        backup = (self.folder / "budget.db").read_bytes()
        asked = options(ledger="budget.db", epsilon="8", receipt="r.json", threads="1", **changes)
        process = start("release", "big.csv", *asked, cwd=self.folder)
        stop_when(process, self.is_reserved)
        return process, backup

    def expect_nothing(self, process):
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (5, b""), err)
        self.assertNotIn("r.json", self.files())
        return err.decode()

    def test_in_place(self):
        process, backup = self.begun()
        (self.folder / "budget.db").write_bytes(backup)
        cheap = self.run_paid(**WIDE)
        self.assertEqual(cheap.code, 0, cheap)
        err = self.expect_nothing(process)
        self.assertIn("no longer has entry 1 of this release: the ledger was put back to an earlier state, or replaced", err)
        self.assertIn("that is there now does not have this entry, and does not count epsilon = 8", err)
        self.assertEqual((self.states(), self.spent()), (["committed"], {"epsilon": "1/1000000000"}))
        self.ledger("verify", "budget.db")
        self.assertEqual(self.run_paid(**WIDE).out, cheap.out)

    def test_a_hangup_and_no_core(self):
        process, _ = self.begun()
        with open(f"/proc/{process.pid}/limits", encoding="utf-8") as limits:
            self.assertRegex(limits.read(), r"Max core file size +[01] ")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 129, err)
        self.assertIn("stopped; epsilon = 8 counts as spent: entry 1 of budget.db stays reserved", err.decode())
        self.assertEqual(self.states(), ["reserved"])

    def test_without_another(self):
        process, backup = self.begun()
        (self.folder / "budget.db").write_bytes(backup)
        self.assertIn("no longer has entry 1 of this release", self.expect_nothing(process))
        self.assertEqual(self.states(), [])

    def test_another_file_of_the_name(self):
        process, backup = self.begun()
        self.write("backup.db", "")
        (self.folder / "backup.db").write_bytes(backup)
        os.replace(self.folder / "backup.db", self.folder / "budget.db")
        err = self.expect_nothing(process)
        self.assertIn("is not at its path any more: it was moved or replaced while it was in use", err)
        self.assertIn("that is there now does not have this entry", err)
        self.assertEqual(self.states(), [])

    def test_published_receipts_that_it_does_not_know(self):
        self.init()
        os.mkdir(self.folder / "published")
        self.paid(receipt="published/first.json")
        backup = (self.folder / "budget.db").read_bytes()
        self.paid(epsilon="1/8", receipt="published/second.json")
        self.release("t.csv", epsilon="1", receipt="published/unpaid.json")
        self.write("published/notes.txt", "nothing")
        self.ledger("verify", "budget.db", "--receipts", "published")
        (self.folder / "budget.db").write_bytes(backup)
        self.ledger("verify", "budget.db")  # the ledger alone cannot detect this
        self.refuse(5, "verify", "budget.db", "--receipts", "published",
                    parts=("receipts name: 'second.json' (entry 2, epsilon = 1/8)", "charged again"))
        self.refuse(2, "verify", "budget.db", "--receipts", "gone", parts=("the folder 'gone' cannot be read",))

    def test_published_pages_that_it_does_not_know(self):
        """Once, the receipts in pages were passed over, and a ledger that had forgotten their entries was whole. A link that leads nowhere
        once made the folder one that could not be read."""
        self.init()
        os.mkdir(self.folder / "published")
        os.symlink("nowhere", self.folder / "published/link.json")
        backup = (self.folder / "budget.db").read_bytes()
        for name, words in (("page", ()), ("public", ("--public",))):
            result = self.run_paid("t.csv", *words, format="html", epsilon="1/8", again=True)
            self.assertEqual(result.code, 0, result)
            self.write(f"published/{name}.html", result.out)
        self.ledger("verify", "budget.db", "--receipts", "published")
        (self.folder / "budget.db").write_bytes(backup)
        self.refuse(5, "verify", "budget.db", "--receipts", "published", parts=("receipts name: 'page.html' (entry 1, epsilon = 1/8)\n",))
        self.write("published/page.json", self.of("explain", "published/page.html", "--format", "json"))
        self.refuse(5, "verify", "budget.db", "--receipts", "published", parts=("receipts name: 'page.json' (entry 1, epsilon = 1/8)\n",))
        os.unlink(self.folder / "published/page.json")
        self.write("published/page.html", self.content("published/page.html").replace("epsilon&quot;: &quot;1/8", "epsilon&quot;: &quot;1/9")
                   .replace('"epsilon": "1/8', '"epsilon": "1/9'))
        self.refuse(5, "verify", "budget.db", "--receipts", "published", parts=("published receipts were changed since they were written: 'page.html'",))

    def test_published_pages_whose_end_is_missing(self):
        """Once, such pages were passed over as public ones."""
        self.init()
        os.mkdir(self.folder / "published")
        page = self.run_paid("t.csv", format="html", epsilon="1/8").out
        start = '<pre id="receipt">'
        for end in (page.rindex(start) - 100, page.rindex(start) + len(start) + 9, page.rindex("</pre>")):
            self.write("published/page.html", page[:end])
            self.refuse(5, "verify", "budget.db", "--receipts", "published",
                        parts=("published receipts were changed since they were written: 'page.html'",))
        for whole in (page, "<!DOCTYPE html><p>another page</p></html>", "<p>a part of a page"):
            self.write("published/page.html", whole)
            self.ledger("verify", "budget.db", "--receipts", "published")

    def test_published_receipts_that_were_altered(self):
        """Once, such receipts were passed over, and a ledger that had forgotten their entries was whole."""
        self.init()
        os.mkdir(self.folder / "published")
        self.paid(receipt="published/first.json")
        text = (self.folder / "published/first.json").read_text()
        forged = text.replace('"file": "t.csv"', '"file": "u.csv"')
        self.assertNotEqual(forged, text)
        start, digest = re.fullmatch(r'(.*"sha256": ")([0-9a-f]{64})"\n}\n?', forged, re.DOTALL).groups()
        rest = forged[len(start) + len(digest):]
        rehashed = start + hashlib.sha256((start + rest).encode()).hexdigest() + rest
        for altered in (forged, rehashed, json.dumps(json.loads(text)), start, ""):
            with self.subTest(altered[-80:]):
                self.write("published/first.json", altered)
                self.refuse(5, "verify", "budget.db", "--receipts", "published",
                            parts=("published receipts were changed since they were written: 'first.json'", "fractile ledger export"))
        os.mkdir(self.folder / "other")
        self.ledger("init", "other/budget.db", "--dataset", "people", "--epsilon", "1")
        self.refuse(5, "verify", "other/budget.db", "--receipts", "published", parts=("published receipts were changed since they were written: 'first.json'",))
        self.write("published/first.json", text)
        self.write("published/second.json", start)
        self.refuse(5, "verify", "other/budget.db", "--receipts", "published",
                    parts=("entries that published receipts name: 'first.json' (entry 1", "; published receipts were changed since they were written: 'second.json'"))
        os.unlink(self.folder / "published/second.json")
        self.write("published/export.json", self.ledger("export", "budget.db"))
        shutil.copy(self.folder / "budget.db", self.folder / "published")
        self.ledger("verify", "budget.db", "--receipts", "published")

    def test_published_tables_that_it_does_not_know(self):
        """Once, receipts of publications were passed over, and a ledger that had forgotten them was whole."""
        self.init()
        for name, quantiles in (("first", "median"), ("second", "quartiles")):
            self.write(f"{name}.toml", f"""
[publication]
title = "Tables"
epsilon = 0.25
[input]
file = "t.csv"
[keys]
x = ["7", "8"]
[[table]]
column = "x"
bounds = [0, 10]
step = 1
quantiles = "{quantiles}"
by = "x"
totals = "all"
level_shares = [4, 1]
""")
        publish = lambda name: run("publish", f"{name}.toml", "--ledger", "budget.db", "--output", "tables", cwd=self.folder)  # noqa: E731
        self.assertEqual(publish("first").code, 0)
        backup = (self.folder / "budget.db").read_bytes()
        self.assertEqual(publish("second").code, 0)
        self.ledger("verify", "budget.db", "--receipts", "tables")
        (self.folder / "budget.db").write_bytes(backup)
        self.refuse(5, "verify", "budget.db", "--receipts", "tables",
                    parts=("receipts name: 'second.json' (entry 3, epsilon = 1/5), 'second.json' (entry 4, epsilon = 1/20)", "charged again"))

    def test_a_receipt_of_another_entry_is_not_given_out(self):
        """This holds however the receipt came there, and although the hashes fit."""
        self.init()
        self.paid(**WIDE)
        self.paid(**WIDE, again=True)
        database = sqlite3.connect(self.folder / "budget.db")
        text, = database.execute("SELECT text FROM receipts WHERE entry = 1").fetchone()
        for name in ("receipts_kept", "events_kept"):
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE receipts SET text = ? WHERE entry = 2", (text,))
        database.execute("UPDATE events SET receipt_sha256 = ? WHERE entry = 2 AND kind = 'commit'",
                         (hashlib.sha256(text.encode()).hexdigest(),))
        database.commit()
        for line, hashed in enumerate(list(self.chain()), 1):
            database.execute("UPDATE events SET hash = ? WHERE id = ?", (hashed, line))
        for table in ("receipts", "events"):
            database.execute(f"CREATE TRIGGER {table}_kept BEFORE UPDATE ON {table} BEGIN "
                             "SELECT RAISE(ABORT, 'a ledger only grows'); END")
        database.commit()
        database.close()
        wrong = "the receipt of entry 2' is not the receipt of entry 2: it names entry 1"
        self.refuse(5, "verify", "budget.db", parts=(wrong,))
        self.assert_refused(self.run_paid(**WIDE), 5, "is not the receipt of entry 2: it names entry 1", "--again")


class Witnessed(LedgerTest):
    """A witness is a file elsewhere that reveals when a ledger was put back. cli.kills and cli.faults test what it has seen when."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.folder / "elsewhere")
        self.path = str(self.folder / "elsewhere" / "people")

    def init(self, *budget, **how):
        return super().init(*(budget or ("--epsilon", "1")), "--witness", "elsewhere/people", **how)

    def test_what_is_said_of_it(self):
        self.assertEqual(self.init(), "dataset people may spend epsilon = 1 for each person (add-remove neighbors)\n"
                                      f"its witness is '{self.path}'\n")
        self.assertEqual((self.folder / "elsewhere" / "people").stat().st_mode & 0o777, 0o600)
        self.paid()
        self.assertEqual(self.ledger("witness", "budget.db"),
                         f"the ledger has all that its witness '{self.path}' has seen, up to line 3\n")
        self.assertEqual(self.statement()["datasets"][0]["witness"], self.path)
        self.assertNotIn("reading", self.statement()["datasets"][0])
        self.assertIn(f"  witness    {self.path}\n", self.ledger("show", "budget.db", "--format", "table"))
        row, = csv.DictReader(io.StringIO(self.ledger("show", "budget.db")))
        self.assertEqual((row["witness"], row["reading"]), (self.path, ""))
        self.assertIn(self.path, self.ledger("show", "budget.db", "--format", "html"))
        self.assertEqual(self.ledger("witness", "budget.db", "--accept"), self.ledger("witness", "budget.db"))
        super().init(name="another.db")
        self.assertEqual(self.ledger("witness", "another.db"), "no dataset of the ledger declares a witness\n")

    def test_a_line_is_the_documented_one(self):
        self.init()
        self.paid()
        field = self.field
        events = sqlite3.connect(self.folder / "budget.db").execute("SELECT id, hash, sums FROM events ORDER BY id").fetchall()
        lines = []
        for line in ((0, "", field(0)), events[1], events[2]):
            fields = "".join(map(field, ("fractile witness 1", *line)))
            lines.append(fields + field(hashlib.sha256(fields.encode()).hexdigest()) + "\n")
        self.assertEqual((self.folder / "elsewhere" / "people").read_text(), "".join(lines))

    def test_a_backup_that_was_put_back(self):
        self.init()
        self.paid()
        backup = (self.folder / "budget.db").read_bytes()
        self.paid(epsilon="1/8")
        (self.folder / "budget.db").write_bytes(backup)
        behind = ("the ledger 'budget.db' is behind its witness '" + self.path + "': it does not have line 6",
                  "fractile ledger witness budget.db --accept")
        for result in (self.run_paid(epsilon="1/16"), self.run_paid()):  # a new release, and one that the ledger holds
            self.assert_refused(result, 5, *behind, "nothing was charged; ")
        for verb in ("witness", "verify"):
            self.refuse(5, verb, "budget.db", parts=behind)
        self.ledger("show", "budget.db")
        self.assertEqual(self.ledger("witness", "budget.db", "--accept"),
                         "entry 2 charges epsilon = 1/8 again on dataset people\n"
                         f"the ledger has all that its witness '{self.path}' has seen, up to line 6\n")
        self.assertEqual((self.states(), self.spent()), (["committed", "drawn"], {"epsilon": "3/8"}))
        self.assertIn("charged again: the witness '" + self.path, self.statement()["entries"][1]["query"])
        counted = ", with drawn entries, which count for good"  # what is reserved can be voided
        self.assertIn(f"reserved   epsilon = 0.125, a part of what is spent{counted}\n", self.ledger("show", "budget.db", "--format", "table"))
        self.assertIn(f"of which reserved: epsilon = 0.125{counted}", self.ledger("show", "budget.db", "--format", "html"))
        self.paid(epsilon="1/16")
        self.ledger("verify", "budget.db")

    def test_one_that_is_not_there(self):
        self.init()
        os.rename(self.folder / "elsewhere", self.folder / "away")
        self.assert_refused(self.run_paid(), 5, f"the witness '{self.path}' of the ledger 'budget.db' is not there",
                            "nothing was charged; make its disk available")
        self.refuse(5, "witness", "budget.db", parts=("is not there", "--accept"))
        self.refuse(5, "witness", "budget.db", "--accept", parts=("cannot be created: No such file", "a folder that exists"))
        os.mkdir(self.folder / "elsewhere")
        self.assertEqual(self.ledger("witness", "budget.db", "--accept"),
                         f"the witness '{self.path}' is a new one\n"
                         f"the ledger has all that its witness '{self.path}' has seen, up to line 1\n")
        self.paid()
        self.refuse(5, "init", "budget.db", "--dataset", "more", "--epsilon", "1", "--witness", "gone/people",
                    parts=("the witness '" + str(self.folder / "gone" / "people"), "cannot be created: No such file"))
        self.refuse(5, "init", "budget.db", "--dataset", "more", "--epsilon", "1", "--witness", "t.csv",
                    parts=("holds no line of a ledger", "or name another one"))
        # The new ledger may be the old one, put back to before it had datasets. Nothing is charged until what the witness has seen is
        # accepted.
        self.ledger("init", "another.db", "--dataset", "more", "--epsilon", "1", "--witness", "elsewhere/people")
        self.assert_refused(self.run_paid(ledger="another.db"), 5, "is behind its witness", "nothing was charged")
        self.assertEqual(len(self.statement()["datasets"]), 1)

    def test_one_without_room(self):
        """A limit on file sizes stands for a full disk: nothing is charged."""
        self.init()
        with open(self.path, "a", encoding="utf-8") as witness:
            witness.write("0" * 3_000_000 + "\n")  # a line that looks torn
        room = os.stat(self.path).st_size + 200
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))}
        self.assert_refused(self.run_paid(how=how), 5, f"the witness '{self.path}' of the ledger 'budget.db' could not be written: ",
                            " bytes may be needed", "nothing was charged; make room for it")
        self.assertEqual(self.states(), [])
        self.paid()
        self.assertEqual(self.ledger("witness", "budget.db")[-2:], "3\n")

    def test_one_that_may_not_be_written(self):
        how = self.as_nobody()
        self.init()
        for path, mode in ((".", 0o777), ("elsewhere", 0o755), ("budget.db", 0o666), ("elsewhere/people", 0o444)):
            os.chmod(self.folder / path, mode)
        self.assert_refused(self.run_paid(how=how), 5, f"the witness '{self.path}' of the ledger 'budget.db' cannot be used: "
                            "Permission denied", "nothing was charged; all who release must be able to read it")
        self.assertEqual(self.states(), [])
        os.chmod(self.path, 0o666)
        self.paid(how=how)


class Settled(LedgerTest):
    """Entries after a release was stopped or asked for twice."""

    def receipt(self, name="r.json", **changes):
        """The receipt of a release that pays nothing. A program of format 1 left such a receipt next to a reserved entry."""
        self.release("t.csv", receipt=name, **{"epsilon": "1/4", **changes})
        return name

    def claim(self, entry, name="r.json"):
        """Writes into a receipt that this entry paid for it."""
        path = self.folder / name
        head, tail = path.read_text().rsplit('"sha256": "', 1)
        paid = self.statement()["entries"][entry - 1]
        head += f'"charge": {json.dumps({"dataset": paid["dataset"], "entry": entry, "token": paid["token"]})},'
        head, tail = head + '"sha256": "', tail[64:]
        path.write_text(head + hashlib.sha256((head + tail).encode()).hexdigest() + tail)

    def reserved(self, **changes):
        """Makes an entry of a valid query that will not be committed."""
        self.write("t.csv", 'x\n7\n"seven\n')
        result = self.run_paid(**{"receipt": "r.json", **changes})
        self.assert_refused(result, 3, "stays reserved")
        self.write("t.csv", "x\n" + "7\n" * 100)

    def test_a_retry_with_the_same_receipt(self):
        self.init()
        self.paid(receipt="r.json")
        result = self.run_paid(receipt="r.json")
        self.assertEqual(result.code, 0, result)
        self.assertIn("nothing was spent", result.err)
        self.assertEqual(self.spent(), {"epsilon": "1/4"})
        self.assert_refused(self.run_paid(receipt="r.json", again=True), 2, "already exists")
        self.assert_refused(self.run_paid(receipt="r.json", epsilon="1/8"), 2, "already exists")
        os.symlink("r.json", self.folder / "link.json")
        self.assert_refused(self.run_paid(receipt="link.json"), 2, "already exists")
        (self.folder / "r.json").write_text((self.folder / "r.json").read_text() + " ")
        self.assert_refused(self.run_paid(receipt="r.json"), 2, "already exists")
        for special in ("/dev/stdout", "/dev/null"):
            self.assert_refused(self.run_paid(receipt=special), 2, "already exists")
        self.assertEqual(self.states(), ["committed"])

    def test_commit(self):
        self.init()
        self.reserved()
        self.receipt()
        self.refuse(2, "commit", "budget.db", "--entry", "1", "--receipt", "r.json",
                    parts=("'r.json' names no entry of a ledger, so it is not the receipt of entry 1",))
        self.claim(1)
        self.refuse(2, "void", "budget.db", "--entry", "1", "--reason", "why", parts=("may have been published", "ledger commit"))
        self.assert_refused(self.run_paid(receipt="r.json"), 2, "is that of entry 1 of the ledger 'budget.db'")
        self.assertEqual(self.ledger("commit", "budget.db", "--entry", "1", "--receipt", "r.json"),
                         "entry 1 is committed and holds its receipt\n")
        self.assertEqual(self.states(), ["committed"])
        self.assertEqual(self.statement()["entries"][0]["receipt"], (self.folder / "r.json").read_text())
        self.assertIn("nothing was spent", self.run_paid(receipt="r.json").err)
        self.refuse(2, "commit", "budget.db", "--entry", "1", "--receipt", "r.json", parts=("is already committed",))
        self.ledger("verify", "budget.db")

    def test_commit_refuses_other_receipts(self):
        self.init()
        self.reserved()
        self.write("u.csv", "x,y\n7,8\n")
        commit = ("commit", "budget.db", "--entry", "1", "--receipt")
        self.refuse(2, "commit", "budget.db", "--receipt", "r.json", parts=("--entry is missing",))
        self.refuse(2, *commit[:-1], parts=("--receipt is missing",))
        self.refuse(3, *commit, "r.json", parts=("cannot be read",))
        self.receipt("other.json")
        self.refuse(2, *commit, "other.json", parts=("is not where the receipt of entry 1 was to be written",))
        changes = {"epsilon": "1/5", "neighbors": "change-one", "records_per_person": "2", "quantiles": "median",
                   "bounds": ("0", "11"), "null": "error", "public_rows": True, "sql": "FROM input"}
        for name, value in changes.items():
            with self.subTest(name):
                self.receipt(**{name: value})
                self.refuse(2, *commit, "r.json", parts=("is not the receipt of this entry",))
                os.remove(self.folder / "r.json")
        self.release("u.csv", receipt="r.json", epsilon="1/4")
        self.refuse(2, *commit, "r.json", parts=("the file differs",))
        whole = (self.folder / "other.json").read_text()
        (self.folder / "r.json").write_text(whole.replace("quantile", "quartile", 1))
        self.refuse(3, *commit, "r.json")
        self.assertEqual(self.states(), ["reserved"])

    def test_commit_refuses_the_receipt_of_another_entry(self):
        self.init()
        self.paid(receipt="first.json")
        self.reserved(again=True)
        (self.folder / "r.json").write_text((self.folder / "first.json").read_text())
        self.refuse(2, "commit", "budget.db", "--entry", "2", "--receipt", "r.json",
                    parts=("'r.json' is not the receipt of entry 2: it names entry 1 with the token",))

    def test_modes(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.init()
        self.paid(receipt="r.json")
        for name in ("budget.db", "r.json"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600, name)


class Race(LedgerTest):
    def test_sixteen_processes_for_five_releases(self):
        for i in range(max(1, round(6 * EFFORT))):
            name = f"{i}.db"
            self.init("--epsilon", "1", name=name)
            command = [PROGRAM, "release", "t.csv", *options(ledger=name, epsilon="1/5", again=True, quantiles="median")]
            processes = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                         for _ in range(16)]
            outputs = [process.communicate() for process in processes]
            codes = sorted(process.returncode for process in processes)
            self.assertEqual(codes, [0] * 5 + [4] * 11, outputs)
            self.assertEqual(sum(bool(out) for out, _ in outputs), 5)
            statement = self.statement(name)
            self.assertEqual([entry["state"] for entry in statement["entries"]], ["committed"] * 5)
            self.assertEqual(statement["datasets"][0]["remaining"], {"epsilon": "0"})
            self.ledger("verify", name)


class Killed(LedgerTest):
    def test_at_any_moment(self):
        """No receipt and no output exists without its charge, and no reported charge is lost."""
        self.init("--epsilon", "1000")
        started = time.monotonic()
        self.paid(again=True)
        whole_run = time.monotonic() - started
        moments = random.Random(5)
        rounds = max(1, round(120 * EFFORT))
        published = 1
        for i in range(rounds):
            command = [PROGRAM, "release", "t.csv",
                       *options(ledger="budget.db", epsilon="1/4", again=True, receipt=f"{i}.json")]
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(whole_run * moments.uniform(0.2, 1.2))
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate()
            published += bool(out)
            if i % 10 == 9 or i == rounds - 1:
                self.check(published)
        states = self.states()
        self.assertEqual(self.spent(), {"epsilon": str(Fraction(len(states), 4))})
        print(f"{rounds} kills: {len(states)} charges, {states.count('reserved')} of them reserved", end=" ")

    def check(self, published):
        self.ledger("verify", "budget.db")
        statement = self.statement()
        entries = {entry.get("receipt_path"): entry for entry in statement["entries"]}
        self.assertGreaterEqual(sum(entry["state"] == "committed" for entry in entries.values()), published)
        for path in self.folder.glob("*.json"):
            entry = entries[str(path)]  # a receipt gets its name only once its entry is committed
            self.assertEqual(entry["state"], "committed")
            self.assertEqual(path.read_text(), entry["receipt"])


if __name__ == "__main__":
    unittest.main()
