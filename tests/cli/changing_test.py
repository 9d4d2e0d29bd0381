"""Files that are written to while they are read, or whose last line lacks a line end."""

import contextlib
import gzip
import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from cli.ledger_history_test import VoidedWhileItRuns as WhileItReads
from cli.program import PACKED, PROGRAM, CommandTest, options, require_engine, run, start, stop_when, write_long_column

setUpModule = require_engine

CHANGED = "t.csv was changed while it was read"


class AfterTheCharge(WhileItReads):
    """The entry stays, because something was read. The ledger's owner may void it."""

    test_it_publishes_nothing = None
    test_a_publication_names_the_entries_that_still_count = None

    def stopped_while_reading(self, **changes):
        self.init()
        write_long_column(self.folder / "t.csv")
        asked = options(ledger="budget.db", epsilon="1/4", receipt="r.json", threads="1", **changes)
        process = start("release", "t.csv", *asked, cwd=self.folder)
        stop_when(process, self.is_reserved)
        return process

    def ended(self, process):
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        return process.returncode, out.decode(), err.decode()

    def expect_named(self, process):
        code, out, err = self.ended(process)
        self.assertEqual((code, out), (3, ""), err)
        self.assertIn(CHANGED, err)
        self.assertIn("epsilon = 1/4 counts as spent: entry 1 of budget.db stays reserved", err)
        self.assertEqual((self.states(), self.files()), (["reserved"], ["budget.db", "t.csv"]))
        self.ledger("void", "budget.db", "--entry", "1", "--reason", "the file was written to")
        self.assertEqual(self.spent(), {"epsilon": "0"})

    def test_appended(self):
        process = self.stopped_while_reading()
        with open(self.folder / "t.csv", "a", encoding="utf-8") as table:
            table.write("3\n")
        self.expect_named(process)

    def test_written_in_place_with_its_old_time(self):
        process = self.stopped_while_reading()
        path = self.folder / "t.csv"
        before = path.stat()
        with open(path, "r+b") as table:
            table.write(b"x\n3\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.expect_named(process)

    def test_a_new_file_of_the_name_is_no_change(self):
        process = self.stopped_while_reading()
        self.write("new.csv", "x\n3\n")
        os.replace(self.folder / "new.csv", self.folder / "t.csv")
        code, out, err = self.ended(process)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.states(), ["committed"])


class BeforeTheCharge(CommandTest):
    """FILE is opened before a table that comes from a pipe. Until that table has been read, FILE can be changed."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "pipe.csv")

    def released(self, name, change, **changes):
        asked = options(sql="SELECT x FROM input", table="u=pipe.csv", **changes)
        process = subprocess.Popen([PROGRAM, "release", name, *asked], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        with open(self.folder / "pipe.csv", "wb") as pipe:  # the program opens the pipe once FILE is open
            time.sleep(0.03)  # more than one tick of the clock that sets the times of files
            change()
            pipe.write(b"y\n1\n")
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def append(self, name):
        with open(self.folder / name, "ab") as table:
            table.write(b"\n")

    def test_nothing_is_charged(self):
        self.write("t.csv", "x\n" + "7\n" * 100)
        made = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        code, out, err = self.released("t.csv", lambda: self.append("t.csv"), ledger="budget.db", source="people")
        self.assertEqual((code, out), (3, ""), err)
        self.assertIn(CHANGED, err)
        self.assertNotIn("counts as spent", err)
        statement = json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)
        self.assertEqual(statement["entries"], [])

    def test_every_format(self):
        rows = "x\n" + "7\n" * 100
        self.write("t.csv", rows)
        self.write("t.tsv", rows)
        self.write("t.jsonl", '{"x": 7}\n' * 100)
        for kind, pack in PACKED.items():
            self.write(f"t.csv.{kind}", pack(rows.encode()))
        self.write("t.jsonl.gz", gzip.compress(b'{"x": 7}\n' * 100))
        packed = ["t.jsonl.gz", *(f"t.csv.{kind}" for kind in PACKED)]
        for name in ("t.csv", "t.tsv", "t.jsonl", *packed):
            with self.subTest(name):
                code, out, err = self.released(name, lambda name=name: self.append(name))
                self.assertEqual((code, out), (3, ""), err)
                self.assertIn(f"{name} was changed while it was read", err)

    def test_a_new_file_of_the_name_is_no_change(self):
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.write("new.csv", "x\n" + "3\n" * 100)
        code, out, err = self.released("t.csv", lambda: os.replace(self.folder / "new.csv", self.folder / "t.csv"),
                                       epsilon="1000", quantiles="median")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.splitlines()[1].split(",")[1], "7")


class KeysFile(CommandTest):
    def test_nothing_is_charged(self):
        """The file is so large that it changes before all of it is read."""
        self.write("t.csv", "g,x\n" + "a,7\n" * 100)
        self.write("keys.txt", "".join(f"{i:01500}\n" for i in range(90_000)))
        made = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder)
        self.assertEqual(made.code, 0, made)
        asked = options(**{"ledger": "budget.db", "by": "g", "keys-file": "keys.txt"})
        process = start("release", "t.csv", *asked, cwd=self.folder, text=True)
        stop_when(process, lambda: self.is_reading(process, "keys.txt"))
        with open(self.folder / "keys.txt", "a", encoding="utf-8") as keys:
            keys.write("b\n")
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (3, ""), err)
        self.assertIn("--keys-file: cannot read keys.txt: changed while it was read", err)
        statement = json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)
        self.assertEqual(statement["entries"], [])

    def is_reading(self, process, name):
        for link in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # it has been closed meanwhile
                if link.readlink() == self.folder.resolve() / name:
                    information = Path(f"/proc/{process.pid}/fdinfo/{link.name}").read_text(encoding="ascii")
                    return not information.startswith("pos:\t0\n")
        return False


class StandardInput(CommandTest):
    def test_a_file_that_is_copied_from_it(self):
        """The file is so large that it changes before all of it is copied."""
        write_long_column(self.folder / "t.csv")
        with open(self.folder / "t.csv", "rb") as table:
            process = start("release", "-", *options(), cwd=self.folder, stdin=table, text=True)
            stop_when(process, lambda: os.lseek(table.fileno(), 0, os.SEEK_CUR) > 0)  # both processes share this position in the file
            with open(self.folder / "t.csv", "r+b") as again:
                again.write(b"x\n3\n")
            process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (3, ""), err)
        self.assertIn("standard input was changed while it was read", err)


class LastLine(CommandTest):
    """The last record may decide whether its line has an end. Releases do not mention it; the owner is warned once."""

    def test_releases_say_nothing(self):
        said = []
        for name, rows in (("a.csv", "x\n7\n7\n"), ("b.csv", "x\n7\n7")):
            self.write(name, rows)
            result = self.run_release(name, epsilon="1000", quantiles="median")
            said.append((result.code, result.out, result.err))
        self.assertEqual(said[0], said[1])

    def test_the_owner_hears_of_it(self):
        for name, rows, is_said in (("a.csv", "x\n7\n", False), ("b.csv", "x\n7", True), ("c.csv.gz", gzip.compress(b"x\n7"), False),
                                    ("f.csv.zst", PACKED["zst"](b"x\n7"), False), ("d.json", '[{"x": 7}]', False), ("e.csv", "", False)):
            self.write(name, rows)
            made = run("ledger", "init", "budget.db", "--dataset", name, "--epsilon", "1", "--source", f"./{name}", cwd=self.folder)
            self.assertEqual(made.code, 0, made)
            if not is_said:
                self.assertEqual(made.err, "", name)
                continue
            self.assertRegex(made.err, r"\Afractile: warning: the last line of '[^']*/b\.csv' has no line end, so its record may be cut "
                                       r"off\n  [^\n]+\n\Z")
        looked_at = run("columns", "b.csv", "--check", cwd=self.folder)
        self.assertIn("warning: the last line of 'b.csv' has no line end", looked_at.err)
        self.assertEqual(run("columns", "a.csv", "--check", cwd=self.folder).err, "")


if __name__ == "__main__":
    unittest.main()
