"""Designs that researchers bring to fractile flow: their cost, their notation, and the designs that are refused."""

import json
import unittest

from cli.program import HOUSE, CommandTest, run

EXAMPLES = HOUSE / "examples" / "flow"


class Designs(CommandTest):
    def file(self, perturber, post='"identity"', participants=2, values="[0, 1, 2]"):
        return self.write("p.toml", f"[pipeline]\nparticipants = {participants}\nvalues = {values}\nperturber = {perturber}\npost = {post}\n")

    def json(self, *arguments, code=0):
        result = run("flow", *arguments, "--format", "json", cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)

    def cost(self, perturber, epsilon="ln 3", **how):
        return self.json("cost", self.file(perturber, **how), "--epsilon", epsilon)

    def test_costs(self):
        response = self.cost('"randomized-response"')
        self.assertEqual(response["answers"], [{"people": 2, "any_two_values": "ln 3", "each_place": "ln 3"}])
        self.assertEqual(response["release"], "ln 3")
        geometric = self.cost('"geometric"')
        self.assertEqual(geometric["answers"], [{"people": 2, "any_two_values": "ln 9", "each_place": "ln 3"}])
        for encoding in ("{ subset = 2 }", '"hadamard"', '"optimized-unary"'):
            self.assertEqual(self.cost(encoding)["release"], "ln 3", encoding)
        self.assertEqual(self.cost('"symmetric-unary"', "2 ln 3")["release"], "ln 9")
        self.assertIsNone(self.cost('{ matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }')["release"])
        table = run("flow", "cost", self.file('"geometric"'), "--epsilon", "ln 3", cwd=self.folder).out
        self.assertIn("as it is called", table)
        csv = run("flow", "cost", self.file('"geometric"'), "--epsilon", "ln 3", "--format", "csv", cwd=self.folder).out
        self.assertIn("each-place,2,ln 3,1.09861228867\n", csv)

    def test_epsilons_of_their_own(self):
        groups = self.cost('[{ of = 3, perturber = "randomized-response", epsilon = "ln 2" }, { of = 2, perturber = "geometric", epsilon = '
                           '"2 epsilon" }, "randomized-response"]', participants=6, post='"sum"')
        self.assertEqual([(answer["people"], answer["any_two_values"]) for answer in groups["answers"]], [(3, "ln 2"), (2, "ln 81"), (1, "ln 3")])
        rows = self.json("channel", "p.toml", "--epsilon", "ln 3")
        self.assertEqual(len(rows["secrets"]), 10 * 6 * 3)
        self.assertEqual(sum(map(int, rows["arrangements"])), 3**6)

    def test_a_matrix_that_costs_something_else(self):
        double = '{ matrix = [["odds^2/(odds^2 + 1)", "1/(odds^2 + 1)"], ["1/(odds^2 + 1)", "odds^2/(odds^2 + 1)"]] }'
        result = run("flow", "check", self.file(double, values="[0, 1]"), "--epsilon", "0.1..1", cwd=self.folder)
        self.assertIn("warning: the matrix does not cost the epsilon that it is given: at epsilon = ln 2, an answer costs ln 4", result.err)
        self.assertIn("fractile flow cost", result.err)
        right = double.replace("odds^2", "odds")
        self.assertEqual(run("flow", "check", self.file(right, values="[0, 1]"), "--epsilon", "0.1..1", cwd=self.folder).err, "")

    def test_bits_and_shuffles(self):
        document = self.json("channel", self.file('"optimized-unary"', '"bits"'), "--epsilon", "ln 3")
        self.assertEqual(len(document["observations"]), 27)
        self.assertEqual(document["observations"][0], "(0,0,0)")
        document = self.json("channel", self.file('"randomized-response"', '"shuffle"'), "--epsilon", "ln 3")
        self.assertEqual(document["observations"], ["(0,0,2)", "(0,1,1)", "(0,2,0)", "(1,0,1)", "(1,1,0)", "(2,0,0)"])

    def test_what_cannot_be(self):
        def refuse(perturber, *parts, code=3, **how):
            self.assert_refused(run("flow", "check", self.file(perturber, **how), "--epsilon", "0.1..1", cwd=self.folder), code, *parts)

        refuse("{ subset = 3 }", "perturber.subset: a subset has at least one value, and fewer than all")
        refuse('{ subset = 1, geometric = 2 }', "there is already a geometric")
        refuse('{ of = 2, perturber = "geometric" }', "the number of participants is given only in a list of perturbers")
        refuse('[{ of = 2, perturber = { of = 2, perturber = "geometric" } }]', "the number of participants is given beside this perturber")
        refuse('{ perturber = "geometric", epsilon = "1" }', "exp(1) is not rational", "ln 3")
        refuse('{ perturber = "geometric", epsilon = "0 epsilon" }', "epsilon is multiplied by a fraction of whole numbers up to 12")
        refuse('{ epsilon = "ln 3" }', "perturber.perturber: missing")
        refuse('"geometric"', "bits are counted only in answers of the digits 0 and 1, and one is 2", post='"bits"')
        refuse('{ matrix = [["odds^(1/13)/2", "1/2", 0], [1, 0, 0], [1, 0, 0]] }', "no common degree up to 12")
        refuse('{ matrix = [["2^(1/2)", 0, 0], [1, 0, 0], [1, 0, 0]] }', "only odds have a fraction as their exponent")
        refuse('[{ of = 3, perturber = "geometric" }]', "3, and there are 2 participants")
        exact = run("flow", "channel", self.file('"symmetric-unary"'), "--epsilon", "ln 3", cwd=self.folder)
        self.assertEqual(exact.code, 0)  # its probabilities are enclosed
        self.assert_refused(run("flow", "check", "p.toml", "--from", "ln 3", "--to", "ln 2", cwd=self.folder), 2,
                            "the probabilities at ln 3 are not rational", "2 ln 3")


if __name__ == "__main__":
    unittest.main()
