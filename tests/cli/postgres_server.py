"""A PostgreSQL server for tests, from Debian's package, in a separate folder and on a separate port, not run as root."""

import contextlib
import copy
import ctypes
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

NO_SERVER = "no PostgreSQL server is here"


def _port():
    """A random port below those that the system gives to outgoing connections. The server of another test that starts now may not listen
    yet."""
    for port in random.SystemRandom().sample(range(10_000, 30_000), 1000):
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port")


class Server:
    def __init__(self):
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not versions:
            raise unittest.SkipTest(NO_SERVER)
        self.binaries = versions[-1].parent
        self.user = {}
        if os.geteuid() == 0:
            with contextlib.suppress(KeyError):
                account = pwd.getpwnam("postgres")
                self.user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            self.user = self.user or {"user": 65534, "group": 65534, "extra_groups": []}
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="fractile-", dir=place))
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        self.data = self.folder / "data"
        self.port = _port()
        self.log = open(self.folder / "log", "w+")
        words = ["-D", self.data, "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
        subprocess.run([self.binaries / "initdb", *words], check=True, stdout=self.log, stderr=self.log, cwd="/", **self.user)
        access = "host all guarded 127.0.0.1/32 scram-sha-256\nhost all,replication all 127.0.0.1/32 trust\n"
        (self.data / "pg_hba.conf").write_text(access)
        self.start()

    def start(self):
        """Starts the server, also after crash(): then it waits until the remains of the previous server are gone."""
        words = ["-D", self.data, "-k", self.folder, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
        die_with_us = lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # noqa: E731
        end = time.monotonic() + 60
        self.process = None
        while time.monotonic() < end:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    [self.binaries / "postgres", *words], stdout=self.log, stderr=self.log, cwd="/", preexec_fn=die_with_us, **self.user
                )
            if self.psql("SELECT 1", check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise OSError("the PostgreSQL server does not start: " + (self.folder / "log").read_text()[-2000:])

    def crash(self):
        """Stops the server as a failing machine would."""
        self.process.kill()
        self.process.wait()

    def close(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, sql, database="postgres", check=True):
        words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        command = [self.binaries / "psql", *words, "-d", database]
        return subprocess.run(command, input=sql, text=True, capture_output=True, check=check)

    @contextlib.contextmanager
    def session(self, database="postgres"):
        """A connection that stays open; run() executes statements one after the other. An open transaction is rolled back at the end."""
        words = ["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        with subprocess.Popen([self.binaries / "psql", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:

            def run_(sql):
                psql.stdin.write(f"{sql};\n\\echo done\n")
                psql.stdin.flush()
                return "".join(iter(psql.stdout.readline, "done\n"))

            psql.run = run_
            yield psql
            psql.stdin.close()

    @contextlib.contextmanager
    def standby(self, database):
        """The address of this database on a server that replicates this one."""
        data = self.folder / "standby"
        words = ["-D", data, "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-X", "stream", "-c", "fast", "-R"]
        subprocess.run([self.binaries / "pg_basebackup", *words, "--no-sync"], check=True, stdout=self.log, stderr=self.log,
                       cwd="/", **self.user)
        follower = copy.copy(self)
        follower.port, follower.data = _port(), data
        follower.start()
        try:
            yield follower.address(database)
        finally:
            follower.crash()
            shutil.rmtree(data, ignore_errors=True)

    def address(self, database, user="postgres"):
        return f"postgres://{user}@127.0.0.1:{self.port}/{database}"

    def database(self, name):
        """Makes a new database, and returns its address."""
        self.psql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self.psql(f"CREATE DATABASE {name}")
        return self.address(name)
