"""Tests that run fractile ledger, and releases that pay from one."""

import hashlib
import json
import sqlite3

from cli.program import CommandTest, run

# No two releases with these options are equal.
WIDE = {"bounds": ("0", "1000000000000000.1"), "step": "0.1", "epsilon": "1e-9"}


class LedgerTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 100)

    def ledger(self, *arguments, code=0, **how):
        """What `fractile ledger ARGUMENTS` prints; for another `code`, the message, which must have the form of a refusal."""
        result = run("ledger", *arguments, cwd=self.folder, **how)
        if code != 0:
            self.assert_refused(result, code)
            return result.err
        self.assertEqual((result.code, result.err), (0, ""))
        return result.out

    def init(self, *budget, dataset="people", name="budget.db"):
        return self.ledger("init", name, "--dataset", dataset, *(budget or ("--epsilon", "1")))

    def refuse(self, code, *arguments, parts=()):
        result = run("ledger", *arguments, cwd=self.folder)
        self.assert_refused(result, code, *parts)

    def statement(self, name="budget.db"):
        return json.loads(self.ledger("export", name))

    def spent(self, dataset=0):
        return self.statement()["datasets"][dataset]["spent"]

    def states(self):
        return [entry["state"] for entry in self.statement()["entries"]]

    def paid(self, **changes):
        """A release that pays and prints no message."""
        return self.release("t.csv", **{"ledger": "budget.db", "epsilon": "1/4", **changes})

    def run_paid(self, *arguments, **changes):
        return self.run_release(*(arguments or ("t.csv",)), **{"ledger": "budget.db", "epsilon": "1/4", **changes})

    @staticmethod
    def field(text):
        return "-," if text is None else f"{len(str(text).encode())}:{text},"

    def chain(self):
        """Computes the hashes from the file itself, as docs/ledger.md defines them."""
        database = sqlite3.connect(self.folder / "budget.db")
        subjects = {"dataset": "SELECT id, name, unit, neighbors, measure, epsilon, rho, delta, person, records_per_person, "
                               "source, reading FROM datasets JOIN pins ON dataset = id",
                    "reserve": "SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, "
                               "source, person, records_per_person, reading, nonce FROM entries",
                    "draw": "SELECT id FROM entries", "commit": "SELECT id FROM entries", "void": "SELECT id FROM entries"}
        rows = database.execute("SELECT id, time, kind, receipt_sha256, reason, coalesce(dataset, entry), sums FROM events "
                                "ORDER BY id").fetchall()
        previous = ""
        for *event, subject, sums in rows:
            about = database.execute(subjects[event[2]] + " WHERE id = ?", (subject,)).fetchone()
            text = "".join(map(self.field, ["fractile ledger chain 1", previous, *event, *about, "sums", sums]))
            previous = hashlib.sha256(text.encode()).hexdigest()
            yield previous
        database.close()
