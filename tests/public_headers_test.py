"""What a program may do to the library is tried on entries of all of it: tests/host includes every public header."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Entries(unittest.TestCase):
    def test_are_of_every_public_header(self):
        included = set()
        for source in ROOT.glob("tests/host/entr*"):
            included.update(re.findall(r'#include "fractile/(\w+)\.hpp"', source.read_text(encoding="utf-8")))
        missing = {header.stem for header in ROOT.glob("include/fractile/*.hpp")} - included - {"fractile"}  # which includes them all
        self.assertFalse(missing, "call what these headers declare in tests/host/entries_of_*.cpp")


if __name__ == "__main__":
    unittest.main()
