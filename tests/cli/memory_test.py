"""Memory: what records of a fine lattice take, above what the engine takes."""

import os
import subprocess
import unittest

from cli.program import PROGRAM, CommandTest, options, require_engine

setUpModule = require_engine

RECORDS = 4_000_000
BYTES = 20  # a record: its position twice while it is sorted, and some room


def peak(one_row, rows):
    """Bytes that the program had at most, when it released a median of so many different records."""
    sql = f"SELECT range / {RECORDS} AS x FROM input, range({rows})"
    query = options(step="0.0000000001", bounds=("0", "1"), quantiles="median", threads="2")  # each has room of its own
    command = [PROGRAM, "release", one_row, "--sql", sql, "--sql-stability", "1000000000", *query]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(process.returncode)
    return 1024 * usage.ru_maxrss


class Memory(CommandTest):
    def test_records_of_a_fine_lattice(self):
        self.write("t.csv", "y\n1\n")
        file = self.folder / "t.csv"
        self.assertLess(peak(file, RECORDS) - peak(file, 1), BYTES * RECORDS)


if __name__ == "__main__":
    unittest.main()
