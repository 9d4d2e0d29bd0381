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

    def test_rho_is_certified_between_the_orders(self):
        # The bound is certified at the orders 1.01, 1.5, 2, 3, 5, 10, 30 and 100, but order 1.2 exceeds it.
        arguments = ("audit", "--mechanism", "exponential", "--rho", "1/2", "--records", "3", "--values", "8")
        result = program(*arguments, "--claim", "0.343")
        self.assertEqual(result.code, 1, result.out + result.err)
        self.assertEqual(program(*arguments, "--claim", "0.345").code, 0)

    def test_delta_is_certified_at_its_epsilon(self):
        arguments = ("audit", "--mechanism", "independent", "--epsilon", "1/2", "--delta", "0.1", "--records", "2")
        result = program(*arguments)
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertIn("certified to keep its delta at its epsilon", result.out)
        self.assertEqual(program(*arguments, "--claim", "0.0001").code, 1)

    def test_audits_releases_with_all_their_parts(self):
        for arguments in (
            ("--mechanism", "tree", "--epsilon", "ln 3", "--records", "3"),
            ("--mechanism", "tree", "--bounds", "auto", "--values", "5", "--records", "2", "--epsilon", "1"),
            ("--mechanism", "exponential", "--groups", "--records", "2", "--epsilon", "2", "--neighbors", "change-one"),
            ("--mechanism", "auto", "--bounds", "0", "10", "--values", "3", "--records", "1", "--quantiles", "0.5",
             "--epsilon", "4"),
            ("--mechanism", "joint-total", "--bounds", "0", "10", "--values", "2", "--records", "1", "--quantiles",
             "0.5", "--epsilon", "4", "--records-per-person", "2"),
            ("--mechanism", "joint-total", "--values", "3", "--records", "1", "--quantiles", "0.5", "--epsilon", "2",
             "--intervals", "0.5", "--of", "table", "--expected-rows", "25"),
        ):
            result = program("audit", *arguments)
            self.assertEqual(result.code, 0, (arguments, result.out, result.err))
            self.assertIn("certified", result.out)

    def test_refuses(self):
        for arguments, message in (
            (("--epsilon", "1"), "--mechanism is missing"),
            (("--mechanism", "laplace", "--epsilon", "1"), "'laplace' is not known"),
            (("--mechanism", "exponential"), "a budget is missing"),
            (("--mechanism", "exponential", "--epsilon", "1", "--records", "7"), "--records"),
            (("--mechanism", "exponential", "--epsilon", "1", "--values", "0"), "--values"),
            (("--mechanism", "gumbel-max", "--rho", "1"), "--rho"),
            (("--mechanism", "gumbel-max", "--epsilon", "1", "FILE"), "unexpected argument"),
            (("--mechanism", "tree", "--epsilon", "1", "--doublings", "2"), "--bounds auto"),
            (("--mechanism", "tree", "--epsilon", "1", "--bounds", "0", "1000"), "more than 200"),
            (("--mechanism", "tree", "--epsilon", "1", "--step", "2"), "--bounds"),
        ):
            result = program("audit", *arguments)
            self.assertEqual(result.code, 2, arguments)
            self.assertIn(message, result.err)


if __name__ == "__main__":
    unittest.main()
