"""fractile audit, run as a process."""

import json
import unittest

from cli.program import run as program


class Audit(unittest.TestCase):
    def test_certifies(self):
        result = program("audit", "--mechanism", "gumbel-max", "--records", "4", "--values", "12", "--epsilon", "1",
                         "--format", "json")
        self.assertEqual(result.code, 0, result.err)
        report = json.loads(result.out)
        self.assertEqual(report["claimed"], 1)
        self.assertGreaterEqual(report["attained"], 0.9)
        self.assertLessEqual(report["attained"], 1)
        self.assertEqual(len(report["neighbours"]), 2)

    def test_refutes(self):
        result = program("audit", "--mechanism", "exponential", "--epsilon", "2", "--claim", "1", "--values", "6")
        self.assertEqual(result.code, 1)
        self.assertIn("DOES NOT keep", result.out)

    def test_refuses(self):
        for arguments, message in (
            (("--epsilon", "1"), "--mechanism is missing"),
            (("--mechanism", "laplace", "--epsilon", "1"), "'laplace' is not known"),
            (("--mechanism", "exponential"), "a budget is missing"),
            (("--mechanism", "exponential", "--epsilon", "1", "--records", "7"), "--records"),
            (("--mechanism", "exponential", "--epsilon", "1", "--values", "0"), "--values"),
            (("--mechanism", "gumbel-max", "--rho", "1"), "--rho"),
            (("--mechanism", "gumbel-max", "--epsilon", "1", "FILE"), "unexpected argument"),
        ):
            result = program("audit", *arguments)
            self.assertEqual(result.code, 2, arguments)
            self.assertIn(message, result.err)


if __name__ == "__main__":
    unittest.main()
