"""Memory: what records of a fine lattice take, above what the engine takes; and what text takes."""

import gzip
import os
import subprocess
import unittest

from cli.program import PROGRAM, CommandTest, options, require_engine

setUpModule = require_engine

RECORDS = 4_000_000
BYTES = 20  # a record: its position twice while it is sorted, and some room


def peak_of(command):
    """Bytes that the program had at most."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(process.returncode)
    return 1024 * usage.ru_maxrss


def peak(one_row, rows):
    """The same, when it released a median of so many different records."""
    sql = f"SELECT range / {RECORDS} AS x FROM input, range({rows})"
    query = options(step="0.0000000001", bounds=("0", "1"), quantiles="median", threads="2")  # each has room of its own
    return peak_of([PROGRAM, "release", one_row, "--sql", sql, "--sql-stability", "1000000000", *query])


class Memory(CommandTest):
    def test_records_of_a_fine_lattice(self):
        self.write("t.csv", "y\n1\n")
        file = self.folder / "t.csv"
        self.assertLess(peak(file, RECORDS) - peak(file, 1), BYTES * RECORDS)

    def test_text_is_read_in_pieces(self):
        """400 MB of text, of which the engine's own reader would keep more than that."""
        piece = b"7,seven\n" * 1_000_000
        (self.folder / "t.csv.gz").write_bytes(gzip.compress(b"x,name\n") + 50 * gzip.compress(piece, 1))
        for threads in ("1", "2"):
            asked = options(quantiles="median", threads=threads)
            self.assertLess(peak_of([PROGRAM, "release", self.folder / "t.csv.gz", *asked]), 128_000_000)


if __name__ == "__main__":
    unittest.main()
