"""The program prints what it printed when tests/recorded/*.txt were written (tests/recorded/record.py): every second command, or all with
FRACTILE_TEST_EFFORT=2."""

import sys
import unittest

from cli.program import EFFORT, HOUSE

sys.path.insert(0, str(HOUSE / "tests" / "recorded"))

import record


class RecordedOutputs(unittest.TestCase):
    def test_flow(self):
        commands = list(record.recorded(HOUSE / "tests" / "recorded" / "flow.txt"))
        self.assertGreater(len(commands), 200)
        for command in commands[:: 1 if EFFORT >= 2 else 2]:
            with self.subTest(command.words):
                self.assertEqual(record.outcome_of(command.words), command.outcome)


if __name__ == "__main__":
    unittest.main()
