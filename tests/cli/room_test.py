"""On a nearly full disk, a release fails before anything is charged, and says how many bytes it needs."""

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import unittest
from pathlib import Path

from cli.postgres_server import Server
from cli.program import PROGRESS, CommandTest, options, require_engine, run, set_niceness, start, stop_when, write_long_column

setUpModule = require_engine

LONG = {"bounds": ("0", "10"), "quantiles": ",".join(f"{i}/100000" for i in range(1, 9000)), "mechanism": "tree"}
MISSING = r"(\d+) bytes may be needed for this release, and its disk does not have them: No space left on device"


class SmallDisk(CommandTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.mount("size=64k")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.init("budget.db")

    def mount(self, how):
        """Mounts the small disk, or skips the test if mounting is not allowed."""
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", how, "tmpfs", self.disk], check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no right to mount")

    def init(self, name):
        made = run("ledger", "init", name, "--dataset", "people", "--epsilon", "1", cwd=self.folder)
        self.assertEqual(made.code, 0, made)

    def states(self, name="budget.db"):
        return [entry["state"] for entry in json.loads(run("ledger", "export", name, cwd=self.folder).out)["entries"]]

    def run_paid(self, **changes):
        return self.run_release("t.csv", **{**LONG, "epsilon": "1/4", "ledger": "budget.db", **changes})

    def on_disk(self):
        return sorted(os.listdir(self.disk))

    def missing(self, result, code, *parts):
        """How many bytes the refusal says are needed."""
        self.assert_refused(result, code, *parts)
        self.assertRegex(result.err, MISSING)
        return int(re.search(MISSING, result.err)[1])


class Room(SmallDisk):
    def test_for_the_receipt(self):
        for _ in range(3):
            needed = self.missing(self.run_paid(receipt="disk/r.json"), 3, "the receipt 'disk/r.json' could not be written: ",
                                  "nothing was charged; free some space")
            self.assertEqual((self.states(), self.on_disk()), ([], []))
        self.mount("remount,size=8m")
        result = self.run_paid(receipt="disk/r.json")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertLessEqual((self.disk / "r.json").stat().st_size, needed)
        self.assertEqual((self.states(), self.on_disk()), (["committed"], ["r.json"]))

    def test_for_the_receipt_without_a_ledger(self):
        result = self.run_release("t.csv", **LONG, receipt="disk/r.json")
        self.missing(result, 3, "the receipt 'disk/r.json' could not be written: ", "  free some space")
        self.assertEqual(self.on_disk(), [])

    def test_for_the_ledger(self):
        self.mount("remount,size=400k")
        self.init("disk/budget.db")
        result = self.run_paid(ledger="disk/budget.db", receipt="r.json")
        self.missing(result, 5, "the ledger 'disk/budget.db' could not be written: ", "nothing was charged; make room for it")
        self.assertEqual((self.states("disk/budget.db"), self.on_disk()), ([], ["budget.db"]))

    def test_for_figures(self):
        """The figures need no more bytes than the refusal says."""
        groups = {"by": "g", "keys": ",".join(f"group-{i:03}-of-a-long-name" for i in range(300)), "quantiles": "quartiles",
                  "bounds": ("0", "1000000"), "step": "0.001", "mechanism": None}
        intervals = {"intervals": "0.95", "quantiles": ",".join(f"{i}/21" for i in range(1, 21)), "mechanism": None, "expected_rows": "100"}
        self.write("t.csv", "x,g\n" + "7,group-001-of-a-long-name\n" * 100)
        for number, changes in enumerate(({"quantiles": ",".join(f"{i}/400" for i in range(1, 400))}, groups, intervals)):
            with self.subTest(number):
                self.mount("remount,size=64k")
                asked = {**changes, "epsilon": "1/8", "format": "html", "figures": f"disk/{number}"}
                needed = self.missing(self.run_paid(**asked), 3, "--figures: cannot write to 'disk/", "nothing was charged; make room")
                self.assertEqual((len(self.states()), os.listdir(self.disk / str(number))), (number, []))
                self.mount(f"remount,size={64 + needed // 512}k")
                result = self.run_paid(**asked)
                self.assertEqual(result.code, 0, result)
                receipt = json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)["entries"][-1]["receipt"]
                self.assertLessEqual(len(receipt.encode()), (needed - 65536) // 2)
                sizes = [path.stat().st_size for path in (self.disk / str(number)).iterdir()]
                self.assertGreater(len(sizes), 1)
                self.assertLessEqual(sum(sizes), needed)
                shutil.rmtree(self.disk / str(number))

    def test_figures_that_find_none_leave_nothing(self):
        """The verb charges nothing, and reserves no space for its figures beforehand."""
        plan = ("plan", "--quantiles", "quartiles", "--epsilon", "1", "--bounds", "0", "100", "--step", "1", "--expected-rows", "1000",
                "--format", "html", "--figures", "disk")
        self.mount("remount,size=4k")
        self.assert_refused(run(*plan, cwd=self.folder), 3, "--figures: ", "could not be written: No space left on device")
        self.assertEqual(self.on_disk(), [])


class Spooled(SmallDisk):
    """The number of records must not decide whether a paid release succeeds."""

    PERSONS = {"bounds": ("0", "10"), "quantiles": "median", "mechanism": None, "person": "id", "memory": "100MB", "threads": "1"}

    def test_a_full_disk_ends_no_release(self):
        ids = "".join(f"a-person-of-a-long-name-{i},7\n" for i in range(1_200_000))
        self.write("t.csv", "id,x\n" + ids)
        how = {"env": {**os.environ, "TMPDIR": str(self.disk)}}
        result = self.run_paid(**self.PERSONS, how=how)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual((self.states(), self.on_disk()), (["committed"], []))

    def test_no_folder_for_them_is_said_before_the_charge(self):
        self.write("t.csv", "id,x\na,7\n")
        result = self.run_paid(**self.PERSONS, how={"env": {**os.environ, "TMPDIR": str(self.disk / "gone")}})
        self.assert_refused(result, 70, "no temporary file for persons' records: No such file or directory", "set TMPDIR")
        self.assertEqual(self.states(), [])


class FillsUpAfterTheCharge(SmallDisk):
    def test_the_release_waits_for_room(self):
        """Others take all free space, including the space that the release returns to its ledger. What was drawn is not lost."""
        self.mount("remount,size=32m")
        write_long_column(self.folder / "big.csv")
        # The release may find the space that it returned before others do. Then it need not wait, and the test tries again.
        self.assertTrue(any(self.has_waited(f"disk/budget-{number}.db") for number in range(20)))

    def has_waited(self, ledger):
        """Whether the release had to wait. It is committed in any case."""
        self.init(ledger)
        asked = options(**{**LONG, "column": "x", "epsilon": "1/4", "ledger": ledger, "threads": "1"})
        with open(self.folder / "out.csv", "w", encoding="utf-8") as out:
            process = start("release", "big.csv", *asked, cwd=self.folder, text=True, stdout=out)
        self.addCleanup(process.kill)
        stop_when(process, lambda: self.states(ledger))
        self.assertEqual(self.states(ledger), ["reserved"])
        done = threading.Event()
        filling = threading.Thread(target=self.fill_until, args=(done,))
        with contextlib.closing(sqlite3.connect(self.folder / ledger, isolation_level=None)) as held:
            held.execute("BEGIN IMMEDIATE")  # the release has read everything before it returns the space
            process.send_signal(signal.SIGCONT)
            while self.bytes_read(process) < (self.folder / "big.csv").stat().st_size and process.poll() is None:
                time.sleep(0.01)
            set_niceness(process, 19)
            filling.start()
            time.sleep(0.5)
            held.execute("ROLLBACK")
        said = [process.stderr.readline()]
        while said[-1] and "cannot be written yet; waiting for it since" not in said[-1]:
            said.append(process.stderr.readline())
        done.set()
        filling.join()
        set_niceness(process, 0)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertGreater((self.folder / "out.csv").stat().st_size, 1000)
        self.assertEqual(self.states(ledger), ["committed"])
        (self.folder / ledger).unlink()
        return said[-1] != ""

    def bytes_read(self, process):
        return int(re.search(r"rchar: (\d+)", Path(f"/proc/{process.pid}/io").read_text(encoding="ascii"))[1])

    def fill_until(self, done):
        with open(self.disk / "filler", "wb", buffering=0) as filler:
            while not done.is_set():
                for size in (65536, 4096):
                    with contextlib.suppress(OSError):
                        while filler.write(bytes(size)) == size:
                            pass
        (self.disk / "filler").unlink()


class OnAServer(SmallDisk):
    """Receipts lie on the small disk, in a separate tablespace."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        super().setUp()
        self.mount("remount,size=256k")
        place = self.disk / "receipts"
        place.mkdir()
        if self.server.user:
            for path in (self.folder, self.disk, place):
                os.chown(path, self.server.user["user"], self.server.user["group"])
        self.ledger = self.server.database("budgets")
        self.init(self.ledger)
        self.server.psql(f"CREATE TABLESPACE small LOCATION '{place}'")
        self.addCleanup(self.server.psql, "DROP DATABASE budgets; DROP TABLESPACE small")
        self.server.psql("ALTER TABLE fractile.receipts SET TABLESPACE small", "budgets")

    def entries(self):
        return self.states(self.ledger)

    def test_without_room_nothing_is_charged(self):
        for _ in range(3):
            result = self.run_paid(ledger=self.ledger)
            self.assert_refused(result, 5, "bytes may be needed for this release, and its server does not have them: ",
                                "nothing was charged; make room for it")
        self.assertEqual(self.entries(), [])
        self.mount("remount,size=32m")
        result = self.run_paid(ledger=self.ledger)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.entries(), ["committed"])

    def test_that_fills_up_after_the_charge(self):
        """The release waits for space, and nothing is lost."""
        self.mount("remount,size=32m")
        write_long_column(self.folder / "big.csv")
        asked = options(**{**LONG, "column": "x", "epsilon": "1/4", "ledger": self.ledger, "threads": "1"})
        process = start("release", "big.csv", *asked, cwd=self.folder, text=True)
        stop_when(process, self.entries)
        self.assertEqual(self.entries(), ["reserved"])
        with contextlib.suppress(OSError), open(self.disk / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 60
        while self.entries() == ["reserved"] and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1)
        self.assertEqual((self.entries(), process.poll()), (["drawn"], None))
        (self.disk / "filler").unlink()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, PROGRESS.sub("", err)), (0, ""))
        self.assertGreater(len(out), 1000)
        self.assertEqual(self.entries(), ["committed"])


if __name__ == "__main__":
    unittest.main()
