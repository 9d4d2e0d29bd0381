"""Faults while a paying release that has reserved is reading: locks, canceled statements, lost connections, servers that crash, backups
that are put back, signals. On both kinds of ledgers, nothing is published without payment, no charge is forgotten, a committed release is
answered again at no cost, the message says what became of the entry, and the ledger opens."""

import json
import re
import signal
import subprocess
import threading
import time
import unittest

from cli.program import EFFORT, PROGRAM, CommandTest, await_handler, options, require_engine, run, start, stop_when, write_long_column
from cli.stores import InAFile, OnAServer

setUpModule = require_engine

LONG = max(1.5, min(30, 30 * EFFORT / 10))  # seconds: 3 by default, and 30 with FRACTILE_TEST_EFFORT=10
WAITING = re.compile(r"fractile: the ledger \S+ cannot be written yet; waiting for it since \d+ seconds\n"
                     r"  the release is charged, so it continues as soon as the ledger can be written\n")


class Faults(InAFile, CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)
        write_long_column(self.folder / "big.csv")
        self.make("--epsilon", "1", "--witness", self.witness)

    def release(self, **changes):
        asked = options(**{"ledger": self.address, "epsilon": "1/8", **changes})
        return run("release", "t.csv", *asked, cwd=self.folder)

    def command(self):
        return ["release", "big.csv", *options(ledger=self.address, epsilon="1/4", receipt="r.json", threads="1")]

    def begun(self):
        """A release that has reserved and is stopped while it reads."""
        before = self.entries()
        process = start(*self.command(), cwd=self.folder)
        self.addCleanup(process.kill)
        stop_when(process, lambda: self.entries() > before)
        return process

    def ended(self, process):
        """The exit code, the output, and standard error without the messages about waiting."""
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=60 + 3 * LONG)
        return process.returncode, out, WAITING.sub("", err.decode())

    def statement(self):
        exported = run("ledger", "export", self.address, cwd=self.folder)
        self.assertEqual(exported.code, 0, exported)
        return json.loads(exported.out)

    def states(self):
        return [entry["state"] for entry in self.statement()["entries"]]

    def spent(self):
        return self.statement()["datasets"][0]["spent"]["epsilon"]

    def expect_released(self, process, entry=1):
        code, out, err = self.ended(process)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out)
        self.assertEqual(self.states()[entry - 1], "committed")
        self.assertEqual(self.statement()["entries"][entry - 1]["receipt"], (self.folder / "r.json").read_text())
        again = run(*self.command(), cwd=self.folder)
        self.assertEqual((again.code, again.out), (0, out.decode()), again)
        self.assertIn("nothing was spent", again.err)
        self.expect_whole()

    def expect_unpublished(self, process, code, *parts):
        ended, out, err = self.ended(process)
        self.assertEqual((ended, out), (code, b""), err)
        for part in parts:
            self.assertIn(part, err)
        self.assertFalse((self.folder / "r.json").exists())

    def expect_whole(self):
        verified = run("ledger", "verify", self.address, cwd=self.folder)
        self.assertEqual(verified.code, 0, verified)

    def test_a_lock(self):
        """The release waits for the lock, however long that takes."""
        process = self.begun()
        with self.locked():
            process.send_signal(signal.SIGCONT)
            time.sleep(LONG)
            self.assertIsNone(process.poll())
        self.expect_released(process)

    def test_signals_while_it_waits_for_a_lock(self):
        for entry, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGHUP), 1):
            with self.subTest(signal=number):
                process = self.begun()
                with self.locked():
                    process.send_signal(signal.SIGCONT)
                    time.sleep(2)
                    process.send_signal(number)
                    self.expect_unpublished(process, 128 + number, "epsilon = 1/4 counts as spent: ",
                                            f"entry {entry} of {self.address}")
                self.assertEqual(self.states()[-1], "reserved")
                voided = run("ledger", "void", self.address, "--entry", str(entry), "--reason", "stopped", cwd=self.folder)
                self.assertEqual(voided.code, 0, voided)
        self.assertEqual(self.spent(), "0")

    def test_signals_while_nothing_is_charged(self):
        """Signals take effect at once, and not only when the lock is released."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number), self.locked():
                process = subprocess.Popen([PROGRAM, *self.command()], cwd=self.folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                await_handler(process, number)
                time.sleep(0.5)
                sent = time.monotonic()
                process.send_signal(number)
                self.expect_unpublished(process, 128 + number, "is locked by another process", "nothing was charged")
                self.assertLess(time.monotonic() - sent, 8)  # without a signal, it would end after ten seconds
        self.assertEqual(self.states(), [])

    def test_put_back_before_it_reserves(self):
        """The backup is older than a release that was published, and that release is asked for again."""
        backup = self.backup()
        self.assertEqual(self.release().code, 0)
        self.put_back(backup)
        self.assert_refused(self.release(), 5, "is behind its witness", "nothing was charged", "--accept")
        self.expect_accepted("1/8")

    def test_put_back_between_reserving_and_drawing(self):
        backup = self.backup()
        process = self.begun()
        self.put_back(backup)
        cheap = self.release(epsilon="1/1000")
        self.assertEqual(cheap.code, 0, cheap)
        self.expect_unpublished(process, 5, "no longer has entry 1 of this release",
                                "that is there now does not have this entry, and does not count epsilon = 1/4")
        self.assertEqual((self.states(), self.spent()), (["committed"], "1/1000"))
        self.assertEqual(self.release(epsilon="1/1000").out, cheap.out)
        self.expect_whole()

    def test_put_back_to_where_it_has_reserved(self):
        """The charge of what was published cannot be voided."""
        process = self.begun()
        backup = self.backup()
        self.expect_released(process)
        self.put_back(backup)
        (self.folder / "r.json").unlink()
        voided = run("ledger", "void", self.address, "--entry", "1", "--reason", "it was stopped", cwd=self.folder)
        self.assert_refused(voided, 5, "is behind its witness")
        self.assertEqual(self.states(), ["reserved"])
        self.expect_accepted("1/4")
        self.assertEqual(self.states()[0], "drawn")

    def test_put_back_after_another_while_it_reads(self):
        """The ledger is behind its witness, which has seen another release whose charge the backup lacks."""
        process = self.begun()
        backup = self.backup()
        self.assertEqual(self.release().code, 0)
        self.put_back(backup)
        self.expect_unpublished(process, 5, "is behind its witness", f"entry 1 of {self.address} stays reserved")
        self.expect_accepted("3/8")

    def expect_accepted(self, spent):
        accepted = run("ledger", "witness", self.address, "--accept", cwd=self.folder)
        self.assertEqual((accepted.code, accepted.err), (0, ""))
        self.assertEqual(self.spent(), spent)
        self.expect_whole()
        self.assertEqual(self.release(epsilon="1/16").code, 0)
        over = self.release(epsilon="1")
        self.assert_refused(over, 4, "exceeds what remains")


class WitnessedLater(InAFile, CommandTest):
    """A dataset with a witness is added to a ledger that has been used without one."""

    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.make("--epsilon", "1")
        self.assertEqual(self.release("people", "1/8").code, 0)

    def release(self, dataset, epsilon):
        return run("release", "t.csv", *options(ledger=self.address, dataset=dataset, epsilon=epsilon), cwd=self.folder)

    def add(self, name="others"):
        return run("ledger", "init", self.address, "--dataset", name, "--epsilon", "1", "--witness", self.witness, cwd=self.folder)

    def asks_witness(self, *words):
        return run("ledger", "witness", self.address, *words, cwd=self.folder)

    def spent(self):
        exported = json.loads(run("ledger", "export", self.address, cwd=self.folder).out)
        return {dataset["name"]: dataset["spent"]["epsilon"] for dataset in exported["datasets"]}

    def test_it_sees_what_was_before_it(self):
        without = self.backup()
        self.assertEqual(self.add().code, 0)
        self.assertEqual(self.asks_witness().code, 0)
        declared = self.backup()
        self.assertEqual(self.release("others", "1/4").code, 0)
        self.assertEqual(self.release("people", "1/16").code, 0)
        self.put_back(declared)
        self.assert_refused(self.asks_witness(), 5, "is behind its witness")
        self.assert_refused(self.release("others", "1/4"), 5, "is behind its witness", "nothing was charged")
        self.assertEqual(self.asks_witness("--accept").code, 0)
        # The dataset without a witness is charged for what the witness saw when the other dataset drew.
        self.assertEqual(self.spent(), {"people": "1/8", "others": "1/4"})
        self.assertEqual(self.release("others", "1/2").code, 0)
        self.put_back(without)  # the backup has no dataset that declares the witness
        self.assertIn("no dataset of the ledger declares a witness", self.asks_witness().out)
        self.assertEqual(self.add().code, 0)  # the dataset is added again
        self.assert_refused(self.release("others", "1/4"), 5, "is behind its witness", "nothing was charged")
        self.assertEqual(self.asks_witness("--accept").code, 0)
        self.assertEqual(self.spent(), {"people": "1/8", "others": "3/4"})

    def test_standard_input_is_no_witness(self):
        self.witness = "-"
        self.assert_refused(self.add(), 2, "the witness goes to a file, and '-' names none", "./- is a file of this name")
        self.assertNotIn("others", self.spent())

    def test_a_dataset_keeps_what_it_declared(self):
        self.assert_refused(self.add("people"), 2, "already has a dataset 'people'", "a dataset's budget never changes")
        self.assertIn("no dataset of the ledger declares a witness", self.asks_witness().out)


class WitnessedLaterOnAServer(OnAServer, WitnessedLater):
    pass


class FaultsOnAServer(OnAServer, Faults):
    def test_canceled_statements(self):
        """An administrator cancels every statement until the release has finished."""
        process = self.begun()
        done = threading.Event()
        canceling = threading.Thread(target=self.cancel_until, args=(done,))
        with self.locked():
            canceling.start()
            process.send_signal(signal.SIGCONT)
            time.sleep(LONG)
        self.expect_released(process)
        done.set()
        canceling.join()

    def cancel_until(self, done):
        with self.server.session("budgets") as session:
            while not done.is_set():
                session.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'fractile' AND "
                            "wait_event_type = 'Lock'")
                time.sleep(0.2)

    def test_a_lost_connection(self):
        process = self.begun()
        self.cut()
        self.expect_released(process)

    def test_a_server_that_crashes(self):
        process = self.begun()
        self.server.crash()
        process.send_signal(signal.SIGCONT)
        time.sleep(LONG)
        self.assertIsNone(process.poll())
        self.server.start()
        self.expect_released(process)

    def test_a_server_that_does_not_come_back(self):
        process = self.begun()
        self.server.crash()
        try:
            process.send_signal(signal.SIGCONT)
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            # Both are possible here: the release still reads, or it tries to reach the server.
            self.expect_unpublished(process, 143, "epsilon = 1/4 counts as spent", "fractile ledger ", self.address)
        finally:
            self.server.start()
        self.assertEqual((self.states(), self.spent()), (["reserved"], "1/4"))

    def test_a_standby(self):
        """A standby gives stored answers and shows its entries, but takes no charge."""
        self.assertEqual(self.release().code, 0)
        self.server.psql("ALTER DATABASE budgets SET default_transaction_read_only = on")
        self.addCleanup(self.server.psql, "ALTER DATABASE budgets RESET default_transaction_read_only")
        self.assertEqual(run("ledger", "show", self.address).code, 0)
        # Our changes ask for READ WRITE. A primary grants it, a standby does not.
        self.assertEqual(self.release(epsilon="1/16").code, 0)
        with self.server.standby("budgets") as address:
            for verb in ("show", "verify", "export"):
                self.assertEqual(run("ledger", verb, address).code, 0)
            asked = options(ledger=address, epsilon="1/32")
            self.assert_refused(run("release", "t.csv", *asked, cwd=self.folder), 5,
                                f"the ledger '{address}' could not be written: the server is read-only",
                                "nothing was charged; name the server that takes changes, not its copy")
            voided = run("ledger", "void", address, "--entry", "1", "--reason", "why")
            self.assertEqual(voided.code, 5, voided)
        self.assertEqual(self.states(), ["committed"] * 2)

    def test_quoted_names(self):
        self.server.psql("ALTER DATABASE budgets SET quote_all_identifiers = on")
        self.assertEqual(self.release().code, 0)
        self.assertEqual(run("ledger", "show", self.address).code, 0)
        self.expect_whole()

    def test_each_right_is_asked_for_before_the_charge(self):
        rights = ("SELECT ON fractile.about", "SELECT ON fractile.datasets", "SELECT ON fractile.entries",
                  "SELECT ON fractile.events", "INSERT ON fractile.entries", "INSERT ON fractile.events",
                  "INSERT ON fractile.receipts", "UPDATE ON fractile.turn")
        self.psql("CREATE ROLE ann LOGIN; GRANT USAGE ON SCHEMA fractile TO ann;" +
                  "".join(f"GRANT {right} TO ann;" for right in rights))
        self.addCleanup(self.server.psql, "DROP DATABASE budgets WITH (FORCE); DROP ROLE ann")
        asked = options(ledger=self.server.address("budgets", "ann"), epsilon="1/16", again=True)
        command = ["release", "t.csv", *asked]
        for right in rights:
            with self.subTest(right):
                self.psql(f"REVOKE {right} FROM ann")
                refused = run(*command, cwd=self.folder)
                self.assert_refused(refused, 5, "does not permit this: ")
                self.assertEqual(self.states(), [])
                self.psql(f"GRANT {right} TO ann")
        self.assertEqual(run(*command, cwd=self.folder).code, 0)


if __name__ == "__main__":
    unittest.main()
