"""Ledgers on a PostgreSQL server, from the program."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from cli.postgres_server import Server
from cli.program import EFFORT, PROGRAM, CommandTest, options, require_engine, run

SERVER = None


def setUpModule():
    global SERVER
    require_engine()
    SERVER = Server()
    unittest.addModuleCleanup(SERVER.close)


class PostgresLedger(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)
        self.address = SERVER.database("budgets")

    def ledger(self, *arguments):
        result = run("ledger", *arguments, cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""))
        return result.out

    def init(self):
        return self.ledger("init", self.address, "--dataset", "people", "--epsilon", "1")

    def entries(self):
        return json.loads(self.ledger("export", self.address))["entries"]

    def test_a_release_is_paid_once(self):
        self.assertIn("may spend epsilon = 1", self.init())
        how = {"ledger": self.address, "epsilon": "1/4", "receipt": "r.json"}
        first = run("release", "t.csv", *options(**how), "--format", "json", cwd=self.folder)
        self.assertEqual(first.code, 0, first.err)
        again = run("release", "t.csv", *options(**how), "--format", "json", cwd=self.folder)
        self.assertEqual((again.code, again.out), (0, first.out))
        self.assertIn("entry 1 of " + self.address, again.err)
        self.assertEqual([entry["state"] for entry in self.entries()], ["committed"])
        self.assertEqual(self.entries()[0]["receipt"], (self.folder / "r.json").read_text())
        self.assertIn("3/4", self.ledger("show", self.address, "--format", "csv"))
        self.assertIn("the ledger is whole", self.ledger("verify", self.address))
        self.assert_refused(run("release", "t.csv", *options(ledger=self.address, epsilon="4/5"), cwd=self.folder), 4)
        self.assertNotIn("127.0.0.1", first.out)  # a receipt does not tell where its ledger is

    def test_a_failure_after_the_charge_says_how_to_void(self):
        self.init()
        self.write("bad.csv", "x\n1\nNaN\n")
        how = options(ledger=self.address, null="error")
        self.assert_refused(run("release", "bad.csv", *how, cwd=self.folder), 3, "entry 1 of " + self.address)
        self.ledger("void", self.address, "--entry", "1", "--reason", "it failed")
        self.assertEqual([entry["state"] for entry in self.entries()], ["void"])

    def test_passwords_are_shown_nowhere(self):
        self.init()
        SERVER.psql("DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'open sesame'")
        address = self.address.replace("postgres@", "guarded:open%20sesame@")
        shown = self.address.replace("postgres@", "guarded@")
        for words in (
            ["ledger", "show", address],
            ["ledger", "void", address, "--entry", "9", "--reason", "x"],
            ["ledger", "void", address, "--reason", "x"],
            ["ledger", "init", address, "--dataset", "people", "--epsilon", "1"],
            ["release", "t.csv", *options(ledger=address, epsilon="1/8", receipt="r.json")],
            ["release", "t.csv", *options(ledger=address, epsilon="1/8", receipt="r.json")],
            ["release", "t.csv", *options(ledger=address, epsilon="9")],
            ["release", "t.csv", *options(ledger=address, dataset="nobody")],
            ["explain", "r.json", "--format", "html", "--ledger", address],
            ["ledger", "show", address, "--format", "html"],
            ["ledger", "show", address.replace("sesame", "barley")],
            ["ledger", "show", address.replace("sesame@", "sesame@@")],
        ):
            result = run(*words, cwd=self.folder)
            for text in (result.out, result.err):
                self.assertNotIn("sesame", text)
                self.assertNotIn("barley", text)
        self.assertNotIn("sesame", (self.folder / "r.json").read_text())
        self.assertIn(shown, run("ledger", "void", address, "--entry", "9", "--reason", "x").err)
        result = run("ledger", "show", shown, env={**os.environ, "PGPASSWORD": "open sesame"})
        self.assertEqual(result.code, 0, result.err)

    def test_without_the_client_library(self):
        result = run("ledger", "show", self.address, env={**os.environ, "FRACTILE_LIBPQ": "/nowhere/libpq.so"})
        self.assert_refused(result, 2, "apt install libpq5")

    def test_no_receipt_is_unpaid_when_programs_are_killed(self):
        self.init()
        moments = random.Random(20261125)
        for number in range(max(1, round(12 * EFFORT))):
            words = options(ledger=self.address, epsilon="1/1000", receipt=f"{number}.json", again=True)
            process = subprocess.Popen(
                [PROGRAM, "release", "t.csv", *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(moments.uniform(0.02, 0.3))
            process.send_signal(signal.SIGKILL)
            process.wait()
        paid = {entry["receipt"] for entry in self.entries() if entry["state"] == "committed"}
        for receipt in self.folder.glob("*.json"):
            self.assertIn(receipt.read_text(), paid)
        self.ledger("verify", self.address)


if __name__ == "__main__":
    unittest.main()
