"""How long a ledger takes in a release, and many processes that pay at once: 100 and 100,000 entries, in a file and on a server."""

import binascii
import contextlib
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from page import shown, table, verdict

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE / "tests"))

ENTRIES = (100, 100_000)
CELLS = 2_000
PAYERS = 16
SYNCS = 15  # per payment in a file, as counted by strace -c -e trace=fdatasync
MEMORY = "/dev/shm"
RELEASE_TARGET = 20e6  # nanoseconds
PUBLICATION_TARGET = 50e6
ASKED = ("--column", "income", "--bounds", "0", "500000", "--step", "1", "--epsilon", "1e-9", "--format", "json")
PAYING = (*ASKED, "--quantiles", "median")


def receipt_sizes(program, folder):
    """The sizes of receipts in bytes: for one median, and for as many groups as a publication has cells."""
    people = folder / "people.csv"
    people.write_text("income,place\n" + "".join(f"{7 * i},place {i % CELLS}\n" for i in range(10_000)), encoding="utf-8")
    keys = folder / "keys.txt"
    keys.write_text("".join(f"place {i}\n" for i in range(CELLS)), encoding="utf-8")
    return [len(subprocess.run([program, "release", people, *PAYING, *groups], capture_output=True, check=True).stdout)
            for groups in ((), ("--by", "place", "--keys-file", keys))]


# --- Ledgers with a past ---------------------------------------------------------------------------------------------


def make_file(tool, path, entries):
    subprocess.run([tool, "make", path, str(entries)], check=True)


TABLES = {
    "datasets": ("SELECT d.id, d.name, d.unit, d.neighbors, d.measure, d.epsilon, d.rho, d.delta, p.person, p.records_per_person, "
                 "p.source, p.reading FROM datasets d JOIN pins p ON p.dataset = d.id", (1, 2, 8, 10, 11)),
    "entries": ("SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, source, person, "
                "records_per_person, reading, nonce, question FROM entries", (2, 3, 9, 10, 12)),
    "events": ("SELECT id, time, kind, dataset, entry, receipt_sha256, reason, hash, printf('%032x', id), sums FROM events", (6,)),
    "receipts": ("SELECT entry, text FROM receipts", (1,)),
}


def cell(value, is_bytes):
    """The value as COPY reads it."""
    if value is None:
        return r"\N"
    return r"\\x" + binascii.hexlify(value.encode()).decode() if is_bytes else str(value)


def copy_to_server(program, server, path, database):
    """Copies the rows, with their hashes, to a server. Returns the address of the new ledger."""
    address = server.database(database)
    made = sqlite3.connect(path)
    subprocess.run([program, "ledger", "init", address, "--dataset", "gone", "--epsilon", "1"], capture_output=True, check=True)
    sql = ["SET session_replication_role = replica; DELETE FROM fractile.events; DELETE FROM fractile.datasets;"]
    for name, (select, texts) in TABLES.items():
        sql.append(f"COPY fractile.{name} FROM STDIN;")
        sql += ["\t".join(cell(value, i in texts) for i, value in enumerate(row)) for row in made.execute(select)]
        sql.append("\\.")
    server.psql("\n".join([*sql, "ANALYZE;"]) + "\n", database)
    return address


# --- Measured --------------------------------------------------------------------------------------------------------


class Payments:
    """Payments in several rounds: their nanoseconds by the clock, and the process's nanoseconds of work."""

    def __init__(self):
        self.took = []
        self.worked = []

    def add(self, tool, ledger, times, size):
        done = subprocess.run([tool, "pay", ledger, str(times), str(size)], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            took, worked = line.split()
            self.took.append(1e6 * float(took))
            self.worked.append(1e6 * float(worked))

    def add_syncs(self, folder, times):
        """Measures only as many syncs as a payment in a file has, each of one page."""
        with open(folder / "synced", "wb", buffering=0) as file:
            for _ in range(times):
                start = time.perf_counter()
                for page in range(SYNCS):
                    os.pwrite(file.fileno(), bytes(4096), 4096 * page)
                    os.fdatasync(file.fileno())
                self.took.append(1e9 * (time.perf_counter() - start))

    def cells(self):
        return [shown(min(self.took)), shown(statistics.median(self.took)), shown(statistics.median(self.worked)) if self.worked else ""]


def all_at_once(program, ledger, people):
    """How many of the payers succeeded, and the seconds until the last one was done."""
    command = [program, "release", people, *PAYING, "--ledger", ledger, "--again"]
    start = time.perf_counter()
    payers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(PAYERS)]
    failures = [payer.communicate()[1].decode() for payer in payers]
    good = sum(payer.returncode == 0 for payer in payers)
    if good < PAYERS:
        print(next(failure for failure in failures if failure), file=sys.stderr)
    return good, time.perf_counter() - start


def server_or_none():
    from cli.postgres_server import Server

    try:
        return Server()
    except (unittest.SkipTest, OSError, subprocess.CalledProcessError) as reason:
        print(f"no PostgreSQL server: {reason}", file=sys.stderr)
        return None


def ledgers_with_a_past(program, tool, folder, counts, stack):
    """For each ledger: where it is, how many entries it has, and its name."""
    server = server_or_none()
    if server:
        stack.callback(server.close)
    for entries in counts:
        path = folder / f"budget{entries}.db"
        make_file(tool, path, entries)
        yield "a file", entries, str(path)
        if os.access(MEMORY, os.W_OK):
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=MEMORY))) / path.name
            shutil.copy(path, copy)
            yield "a file in memory", entries, str(copy)
        if server:
            yield "a server", entries, copy_to_server(program, server, path, f"budget{entries}")


def measure(program, tool, folder, quick):
    """The rows of both tables. All ledgers are measured in turn, so that other load on the machine disturbs all of them alike."""
    rounds, times = (1, 5) if quick else (10, 10)
    one, many = receipt_sizes(program, folder)
    asked = (("a release", one, RELEASE_TARGET), (f"a release of {CELLS:,} groups", many, PUBLICATION_TARGET))
    rows, targets, syncs = [], [], Payments()
    with contextlib.ExitStack() as stack:
        ledgers = list(ledgers_with_a_past(program, tool, folder, (100, 1_000) if quick else ENTRIES, stack))
        taken = {(ledger, what): Payments() for ledger in ledgers for what in asked}
        for _ in range(rounds):
            for (ledger, what), payments in taken.items():
                payments.add(tool, ledger[2], times, what[1])
            syncs.add_syncs(folder, times)
        for ((where, entries, _), (what, size, target)), payments in taken.items():
            rows.append([where, f"{entries:,}", what, f"{size:,}", *payments.cells()])
            median = statistics.median(payments.took)
            beside = f"; the disk's syncs alone {shown(statistics.median(syncs.took))}" if where == "a file" else ""
            targets.append(verdict(f"{where}, {entries:,} entries: the ledger's part of {what}, median", shown(median) + beside,
                                   f"< {shown(target)}", median < target))
        rows.append(["a file", "", f"{SYNCS} syncs of one page each, without a payment", "", *syncs.cells()])
        for where, entries, ledger in ledgers:
            good, seconds = all_at_once(program, ledger, folder / "people.csv")
            targets.append(verdict(f"{where}, {entries:,} entries: successes of {PAYERS} simultaneous releases",
                                   f"{good}, in {seconds:.2f} s", f"{PAYERS}", good == PAYERS))
            subprocess.run([tool, "verify", ledger], check=True)
    return rows, targets


def words_of(rows, targets, load, preset):
    return ("## What a ledger takes\n\nOne process of `fractile_ledger_payments` pays repeatedly. A payment looks for a stored answer, "
            "reserves with space for the receipt, draws, commits with the receipt's text, and reads the account. The table gives its wall "
            "time and the process's CPU time. Meanwhile, a file on a disk is synced fifteen times; a file in memory is not, and a "
            "server's data lie in memory. Targets apply to the median. The minimum shows how much of the median is due to other load on "
            f"the disk and the processors. Afterwards, {PAYERS} processes of `fractile release` pay at once. Every ledger was then "
            f"verified. Load average at the start: {load:.1f}, on {os.cpu_count()} cores; built by the preset {preset}.\n\n"
            + table(["ledger", "entries", "what is paid for", "bytes of its receipt", "minimum", "median", "CPU time"], rows)
            + "\n" + table(["what", "measured", "target", ""], targets))


def part(folder, quick):
    """`folder` holds fractile_ledger_payments, and its parent folder holds the program."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        rows, targets = measure(folder.parent / "fractile", folder / "fractile_ledger_payments", Path(name), quick)
    return words_of(rows, targets, load, folder.resolve().parent.name)


if __name__ == "__main__":
    print(part(Path(sys.argv[1]), "--quick" in sys.argv))
