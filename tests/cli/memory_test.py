"""Memory: what records of a fine lattice take in addition to the engine's memory, and what text takes."""

import gzip
import lzma
import os
import re
import resource
import signal
import subprocess
import unittest
from pathlib import Path

from cli.program import PROGRAM, CommandTest, options, require_engine, run

setUpModule = require_engine

RECORDS = 4_000_000
BYTES = 20  # per record: its position, twice while it is sorted, and some reserve


def peak_of(command):
    """The program's peak memory in bytes."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(process.returncode)
    return 1024 * usage.ru_maxrss


def peak(one_row, rows, different=RECORDS, **limits):
    """The peak memory of a release of a median of `rows` records, at most `different` of them distinct."""
    sql = f"SELECT (range % {different}) / {RECORDS} AS x FROM input, range({rows})"
    query = options(step="0.0000000001", bounds=("0", "1"), quantiles="median", threads="2", **limits)  # each thread has its own memory
    return peak_of([PROGRAM, "release", one_row, "--sql", sql, "--sql-stability", "1000000000", *query])


class Memory(CommandTest):
    def test_records_of_a_fine_lattice(self):
        self.write("t.csv", "y\n1\n")
        file = self.folder / "t.csv"
        self.assertLess(peak(file, RECORDS) - peak(file, 1), BYTES * RECORDS)

    def test_a_limit_holds_for_what_is_counted(self):
        """12,000,000 records take 96 MB, and twice that while they are sorted. They get half of a limit of 100 MB."""
        self.write("t.csv", "y\n1\n")
        file = self.folder / "t.csv"
        records, different = 3 * RECORDS, 100_000
        more = {limit: peak(file, records, different, **limits) - peak(file, 1, **limits)
                for limit, limits in (("none", {}), ("100 MB", {"memory": "100MB"}))}
        self.assertGreater(more["none"], 8 * records)
        self.assertLess(more["100 MB"], 75_000_000)

    def test_text_is_read_in_pieces(self):
        """The engine's own reader would keep more than all of these 240 MB of text."""
        piece = b"7,seven\n" * 1_000_000
        for kind, pack in (("gz", lambda text: gzip.compress(text, 1)), ("xz", lambda text: lzma.compress(text, preset=0))):
            (self.folder / f"t.csv.{kind}").write_bytes(pack(b"x,name\n") + 30 * pack(piece))
            for threads in ("1", "2"):
                asked = options(quantiles="median", threads=threads)
                self.assertLess(peak_of([PROGRAM, "release", self.folder / f"t.csv.{kind}", *asked]), 128_000_000)

    def test_limits_end_a_paid_release_in_words(self):
        """When memory runs out while a table is read, the message says so, and what became of the entry."""
        # Written in pieces, because the peak memory of this process counts in those of its children.
        with (self.folder / "t.csv").open("w") as file:
            file.write("x\n")
            file.writelines(f"{i}\n" for i in range(2_500_000))
        run("ledger", "init", "budget.db", "--dataset", "t", "--epsilon", "100", cwd=self.folder)
        least = address_space(self.folder / "one.csv", "x\n1\n")
        refused = 0
        for more in range(-110, 10, 10):
            limit = least + more * 2**20
            asked = options(bounds=("0", "2499999"), step="1", quantiles="median", ledger="budget.db", again=True, threads="1")
            result = run("release", "t.csv", *asked, cwd=self.folder,
                         preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            if "memory" not in result.err:  # it succeeded, or failed before it began
                continue
            if "budget.db' cannot be used: out of memory" in result.err:  # the ledger found none before it charged
                self.assertEqual(result.code, 5, result.err)
                self.assertIn("nothing was charged", result.err)
                continue
            if result.err.startswith("GNU MP: Cannot allocate memory"):  # it ends the process: docs/decisions/memory.md
                self.assertEqual(result.code, -signal.SIGABRT)
                continue
            self.assertEqual(result.code, 3, result.err)
            if "counts as spent" in result.err:
                refused += 1
                self.assertIn("stays reserved", result.err)
        if refused == 0:
            self.skipTest("no limit here lets a release begin and not end")
        text = run("ledger", "show", "budget.db", "--format", "table", cwd=self.folder).out
        self.assertGreaterEqual(len(re.findall(r"(?m)^entry \d+, reserved", text)), refused)


def address_space(file, text):
    """The most address space that a release of a small table uses."""
    file.write_text(text)
    with subprocess.Popen([PROGRAM, "release", file, *options(quantiles="median"), "--threads", "1", "--format", "json"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        peak = 0
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            peak = max([peak, *(1024 * int(kilobytes) for kilobytes in re.findall(r"VmPeak:\s*(\d+)", status))])
    return peak


if __name__ == "__main__":
    unittest.main()
