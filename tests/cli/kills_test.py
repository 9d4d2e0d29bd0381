"""A paying release is stopped at each system call that changes a file or sends something to a server. It never leaves a whole or partial
receipt, in a file of any name, that is unpaid, can be refunded, or is forgotten when a backup of the ledger is put back."""

import errno
import json
import os
import platform
import random
import re
import signal
import subprocess
import unittest
from pathlib import Path

from cli.program import EFFORT, HOUSE, PROGRAM, CommandTest, options, require_engine, run
from cli.stores import InAFile, OnAServer

STOPPER = Path(os.environ.get("FRACTILE_STOP_AT_CALL", HOUSE / "build" / "dev" / "tests" / "stop_at_call")).resolve()
CANNOT_TRACE, KILLED = 98, 99
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # the leak detector would trace a process that is traced already
EVERY_CALL = ("--all",) if EFFORT >= 10 else ()  # also calls that change nothing
RECEIPT = b'"schema_version"'  # occurs in every receipt, and nowhere else


def setUpModule():
    require_engine()
    probe = subprocess.run([STOPPER, "0", "true"], stderr=subprocess.PIPE, check=False) if STOPPER.exists() else None
    if probe is None or probe.returncode == CANNOT_TRACE:
        raise unittest.SkipTest("no process can be traced here; " + (probe.stderr.decode() if probe else "no stop_at_call"))


class Stopped(InAFile, CommandTest):
    WITNESSED = True
    STRIDE = 6  # it is stopped at every STRIDE-th call, beginning with a random one of the first STRIDE; the shortest state has 7

    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.make("--epsilon", "1/4", *(["--witness", self.witness] if self.WITNESSED else []))
        self.ledger = self.backup()
        self.seen = self.witness.read_bytes() if self.WITNESSED else b""
        self.command = [PROGRAM, "release", "t.csv", "--threads", "1",
                        *options(ledger=self.address, epsilon="1/4", receipt="r.json")]

    def start_anew(self):
        for path in self.folder.iterdir():
            if path.name != "t.csv":
                path.unlink()
        self.put_back(self.ledger)
        if self.WITNESSED:
            self.witness.write_bytes(self.seen)

    def stopped_at(self, call, *how):
        self.start_anew()
        return subprocess.run([STOPPER, *how, str(call), *self.command], cwd=self.folder, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)

    def number_of_calls(self, *how):
        whole = self.stopped_at(0, *how)
        self.assertEqual(whole.returncode, 0, whole)
        return int(re.search(rb"calls (\d+)\n\Z", whole.stderr)[1])

    def entry(self):
        """The only entry, or None."""
        statement = run("ledger", "export", self.address, cwd=self.folder)
        self.assertEqual(statement.code, 0, statement)
        entries = json.loads(statement.out)["entries"]
        self.assertLessEqual(len(entries), 1)
        return entries[0] if entries else None

    def void(self):
        return run("ledger", "void", self.address, "--entry", "1", "--reason", "stopped", cwd=self.folder)

    def asks_witness(self, *words):
        return run("ledger", "witness", self.address, *words, cwd=self.folder)

    def traces(self):
        """The names of the files in which the process left any part of a receipt."""
        return {path.name for path in self.folder.iterdir() if RECEIPT in path.read_bytes()}

    def check(self, printed):
        """Checks what a stopped release left, and returns the state of its entry."""
        traces = self.traces()
        names = {path.name for path in self.folder.iterdir()}
        entry = self.entry()
        state = entry["state"] if entry else "none"
        if traces:
            self.assertIn(state, ("drawn", "committed"), f"{traces} hold something of a release that is not paid for")
        if printed or traces - self.LEDGER_FILES:
            self.assertEqual(state, "committed")
        for name in traces - self.LEDGER_FILES:
            self.assertEqual((self.folder / name).read_text(), entry["receipt"])
        self.names_are_fine(names - self.LEDGER_FILES - {"t.csv", "r.json"})
        if self.WITNESSED:
            asked = self.asks_witness()
            self.assertEqual(asked.code, 0, asked)  # wherever the release stops, the ledger is not behind its witness
        if entry:
            self.check_void(state)
        return state

    def names_are_fine(self, names):
        self.assertEqual(names, set())

    def check_void(self, state):
        voided = self.void()
        if state != "reserved":
            self.assert_refused(voided, 2, f"is already {state}", "counts for good")
        else:
            self.assertEqual(voided.code, 0, voided)
            self.assertEqual(self.traces(), set())

    def check_next(self, state):
        """Asks for the release again: it is answered or paid, unless the lost draw has spent the budget."""
        again = run(*self.command[1:], cwd=self.folder)
        if state == "drawn":
            self.assert_refused(again, 4, "exceeds what remains")
            return
        self.assertEqual(again.code, 0, again)
        self.assertEqual("here it is again" in again.err, state == "committed")
        self.assertIn(RECEIPT, (self.folder / "r.json").read_bytes())

    def check_put_back(self, state):
        """Puts the ledger back to its state before the release. Whatever may have been published is charged again before anything else."""
        (self.folder / "r.json").unlink(missing_ok=True)
        self.put_back(self.ledger)
        behind = self.asks_witness()
        if state == "none":
            self.assertEqual(behind.code, 0, behind)
        if state in ("drawn", "committed"):
            self.assert_refused(behind, 5, "is behind its witness")
        if behind.code == 0:
            return
        self.assert_refused(run(*self.command[1:], cwd=self.folder), 5, "is behind its witness", "nothing was charged")
        self.assertIsNone(self.entry())
        accepted = self.asks_witness("--accept")
        self.assertEqual(accepted.code, 0, accepted)
        self.assertEqual((self.entry()["state"], self.entry()["charge"]["epsilon"]), ("drawn", "1/4"))
        self.assert_refused(run(*self.command[1:], cwd=self.folder), 4, "exceeds what remains")

    def stop_everywhere(self, *how):
        calls = self.number_of_calls(*how)
        states = []
        stride = self.STRIDE if EFFORT < 10 else 1
        for call in range(1 + random.randrange(stride), calls + 1, stride):
            with self.subTest(call=call):
                stopped = self.stopped_at(call, *how)
                if stopped.returncode != KILLED:  # threads make the number of calls vary a little at the end
                    self.assertEqual(stopped.returncode, 0, stopped)
                    continue
                states.append(self.check(stopped.stdout))
                if len(states) % 8 == 0 or states[-1] == "drawn":
                    self.check_next(states[-1])
                elif self.WITNESSED and (states[-1] != "none" or len(states) % 4 == 1):
                    self.check_put_back(states[-1])
        print(f"{len(states)} kills:", {state: states.count(state) for state in sorted(set(states))}, end=" ")
        self.assertLessEqual({"none", "reserved", "drawn", "committed"}, set(states))

    def test_by_a_kill(self):
        self.stop_everywhere(*EVERY_CALL)


class StoppedOnAServer(OnAServer, Stopped):
    """The ledger is on a server, and from one call on, nothing more is sent to the server."""


class StoppedWithoutNamelessFiles(Stopped):
    """Some file systems have no nameless files. There, after the commitment, a temporary name next to the receipt is used instead. A file
    that loses its name at once reserves the space."""

    WITNESSED = False

    def names_are_fine(self, names):
        for name in names:
            self.assertRegex(name, r"\A(r\.json|\.fractile-room)[.-]\w{6}\Z")
            if name.startswith(".fractile-room"):  # the file takes its space only after it has lost its name
                self.assertEqual((self.folder / name).stat().st_size, 0)

    def test_by_a_kill(self):
        self.stop_everywhere("--without-nameless-files")


class Interrupted(Stopped):
    """On Ctrl-C and SIGTERM, the program says what was charged, and leaves nothing half-written."""

    WITNESSED = False
    STRIDE = 11

    def setUp(self):
        super().setUp()
        at = re.escape(self.address)
        self.reserved = rf"\n?fractile: stopped; epsilon = 1/4 counts as spent: entry 1 of {at} stays reserved\n" \
                        rf"  nothing was published; fractile ledger void {at} --entry 1 --reason TEXT gives it back\n"
        self.committed = rf"\n?fractile: stopped before all was printed\n  the release was made; entry 1 of {at} holds it, " \
                         r"and the same command prints it\n"

    def check_interrupted(self, number, stopped):
        err = re.sub(r"calls \d+\n\Z", "", stopped.stderr.decode())
        state = self.check(stopped.stdout)
        self.assertNotEqual(state, "drawn")
        if stopped.returncode == 0:  # the signal came after everything was done
            self.assertEqual((err, state), ("", "committed"))
            return "done"
        self.assertEqual(stopped.returncode, 128 + number, stopped)
        if state == "none":
            self.assertEqual(err, "")
        else:
            self.assertRegex(err, rf"\A{self.reserved if state == 'reserved' else self.committed}\Z")
        self.assertEqual("r.json" in self.files(), state == "committed")
        return state

    def test_by_a_kill(self):
        calls = self.number_of_calls()
        states = set()
        for number in (signal.SIGINT, signal.SIGTERM):
            for call in range(1 if number == signal.SIGINT else 3, calls + 1, self.STRIDE if EFFORT < 10 else 1):
                with self.subTest(call=call, signal=number):
                    states.add(self.check_interrupted(number, self.stopped_at(call, "--signal", str(int(number)))))
        self.assertLessEqual({"none", "reserved", "committed"}, states)

    def test_those_who_ignore_it_go_on(self):
        self.start_anew()
        ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", STOPPER, "--signal", "2", "12", *self.command]
        done = subprocess.run(ignoring, cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.entry()["state"], "committed")


class InterruptedOnAServer(OnAServer, Interrupted):
    STRIDE = 31
    test_those_who_ignore_it_go_on = None


class Failing(Stopped):
    """Each call that changes a file fails, once or from then on. The message says what became of the entry, and the ledger agrees."""

    STRIDE = 9
    REACHED = frozenset({"none", "reserved", "committed"})

    def setUp(self):
        if platform.machine() != "x86_64":
            self.skipTest("calls are made to fail on x86-64 alone")
        super().setUp()
        entry = f"entry 1 of {self.address} "
        self.said = {"none": "nothing was charged", "reserved": entry + "stays reserved",
                     "drawn": entry + "was drawn and is lost", "committed": entry + "holds it"}
        self.cannot_look = f"epsilon = 1/4 counts as spent if entry 1 is there: look with fractile ledger show {self.address}"

    def check_failed(self, failed):
        err = re.sub(r"calls \d+\n\Z", "", failed.stderr.decode())
        state = self.check(failed.stdout)
        if failed.returncode == 0:  # this call may fail without consequences
            self.assertEqual(state, "committed", err)
        elif failed.returncode > 0 and err:  # otherwise standard error itself failed
            self.assertIn(failed.returncode, (3, 5), failed)
            told = self.said[state] in err or (state != "none" and self.cannot_look in err)
            self.assertTrue(told or (state == "committed" and "the receipt r.json holds it" in err), (state, err))
        return state

    def test_by_a_kill(self):
        """After the charge, the release waits while the disk is full, so the failing disk gets space again a little later."""
        calls = self.number_of_calls("--fail", str(errno.ENOSPC))
        states = []
        stride = 1 if EFFORT >= 10 else self.STRIDE
        for error, lasting in ((errno.ENOSPC, ("--for", "300")), (errno.EIO, ("--for-good",))):
            for how in ((), lasting):
                for call in range(1 + error % stride, calls + 1, stride):
                    with self.subTest(call=call, error=errno.errorcode[error], how=how):
                        states.append(self.check_failed(self.stopped_at(call, "--fail", str(error), *how)))
        print(f"{len(states)} failures:", {state: states.count(state) for state in sorted(set(states))}, end=" ")
        self.assertLessEqual(self.REACHED, set(states))


    def test_a_quota_that_is_used_up_is_a_full_disk(self):
        """Once, only ENOSPC was one. Under a quota, the room that was reserved for the commitment was not used, and the release was lost."""
        calls = self.number_of_calls("--fail", str(errno.EDQUOT))
        lost = dict.fromkeys((errno.ENOSPC, errno.EDQUOT), 0)
        for error in lost:
            for call in range(calls - 36, calls, 3):
                with self.subTest(call=call, error=errno.errorcode[error]):
                    lost[error] += self.check_failed(self.stopped_at(call, "--fail", str(error))) == "drawn"
        # SQLite forgets why the journal's header could not be written, but that needs no space.
        self.assertLessEqual(lost[errno.EDQUOT], lost[errno.ENOSPC] + 2)


class FailingOnAServer(OnAServer, Failing):
    """The receipt, the witness and the output fail, while the ledger is on a server."""

    STRIDE = 4
    REACHED = frozenset({"none", "committed"})
    test_a_quota_that_is_used_up_is_a_full_disk = None


class FailingConnections(OnAServer, Failing):
    """Each message to or from the server fails once, and the connection ends with it. What is charged is sent again."""

    STRIDE = 21
    test_a_quota_that_is_used_up_is_a_full_disk = None

    def test_by_a_kill(self):
        calls = self.number_of_calls("--server")
        states = []
        for call in range(1, calls + 1, self.STRIDE if EFFORT < 10 else 1):
            with self.subTest(call=call):
                failed = self.stopped_at(call, "--server", "--fail", str(errno.ECONNRESET))
                states.append(self.check_failed(failed))
                self.assertEqual(states[-1], "none" if failed.returncode else "committed", failed.stderr)
        print(f"{len(states)} failures of {calls} messages:", {state: states.count(state) for state in sorted(set(states))}, end=" ")
        self.assertLessEqual({"none", "committed"}, set(states))


if __name__ == "__main__":
    unittest.main()
