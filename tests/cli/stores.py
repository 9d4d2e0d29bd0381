"""The two kinds of ledgers, a file and a schema on a server, for tests of both. The classes are mixins for CommandTest."""

import contextlib
import sqlite3
import tempfile
import unittest
from pathlib import Path

from cli.postgres_server import Server
from cli.program import run


class Ledgers:
    """A ledger at `address` with one dataset, people, and a folder that backups of the ledger do not contain."""

    ADDRESS = None
    LEDGER_FILES = frozenset()  # files that the ledger may have in the test's folder

    def setUp(self):
        super().setUp()
        elsewhere = tempfile.TemporaryDirectory()
        self.addCleanup(elsewhere.cleanup)
        self.witness = Path(elsewhere.name) / "witness"
        self.address = self.new_place()

    def make(self, *words):
        made = run("ledger", "init", self.address, "--dataset", "people", *words, cwd=self.folder)
        self.assertEqual(made.code, 0, made)


class InAFile(Ledgers):
    LEDGER_FILES = frozenset({"budget.db", "budget.db-journal"})

    def new_place(self):
        return "budget.db"

    def entries(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / self.address}?mode=ro", uri=True)) as ledger:
            with contextlib.suppress(sqlite3.OperationalError):  # it is locked
                return ledger.execute("SELECT count(*) FROM entries").fetchone()[0]
        return 0

    def backup(self):
        return (self.folder / self.address).read_bytes()

    def put_back(self, backup):
        for path in self.folder.glob("budget.db-*"):
            path.unlink()
        (self.folder / self.address).write_bytes(backup)

    @contextlib.contextmanager
    def locked(self):
        """While this context lasts, another process changes the ledger."""
        with contextlib.closing(sqlite3.connect(self.folder / self.address, isolation_level=None)) as ledger:
            ledger.execute("BEGIN IMMEDIATE")
            yield
            ledger.execute("ROLLBACK")


class OnAServer(Ledgers):
    server = None
    backups = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if OnAServer.server is None:
            OnAServer.server = Server()
            unittest.addModuleCleanup(cls.leave)

    @staticmethod
    def leave():
        OnAServer.server.close()
        OnAServer.server = None

    def new_place(self):
        return self.server.database("budgets")

    def psql(self, sql):
        return self.server.psql(sql, "budgets").stdout

    def entries(self):
        return int(self.psql("SELECT count(*) FROM fractile.entries"))

    def backup(self):
        """Makes a backup. All connections to the ledger are closed."""
        OnAServer.backups += 1
        name = f"backup{OnAServer.backups}"
        self.cut()
        self.server.psql(f"CREATE DATABASE {name} TEMPLATE budgets")
        return name

    def put_back(self, backup):
        self.server.psql("DROP DATABASE budgets WITH (FORCE)")
        self.server.psql(f"CREATE DATABASE budgets TEMPLATE {backup}")

    def cut(self):
        self.server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'budgets'")

    @contextlib.contextmanager
    def locked(self):
        with self.server.session("budgets") as session:
            session.run("BEGIN; LOCK TABLE fractile.turn IN EXCLUSIVE MODE")
            yield
