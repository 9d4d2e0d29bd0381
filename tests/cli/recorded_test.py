"""The program prints what it printed when tests/recorded/*.txt were written (tests/recorded/record.py)."""

import sys
import unittest

from cli.program import HOUSE

sys.path.insert(0, str(HOUSE / "tests" / "recorded"))

import record


class RecordedOutputs(unittest.TestCase):
    def test_flow(self):
        commands = list(record.recorded(HOUSE / "tests" / "recorded" / "flow.txt"))
        self.assertGreater(len(commands), 200)
        for command in commands:
            with self.subTest(command.words):
                self.assertEqual(record.outcome_of(command.words), command.outcome)


if __name__ == "__main__":
    unittest.main()
