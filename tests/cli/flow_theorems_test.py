"""A verdict of "stable" names a theorem. flow verify --of checks it again, and detects another theorem's name."""

import json
import unittest

from cli.program import CommandTest, run

COUNT = {"participants": "3", "values": "[0, 1, 2]", "perturber": '"randomized-response"',
         "post": '{ query = "count", of = [0] }'}
TABLE_OF_COUNTS = "{ table = [" + ", ".join(str((a == 0) + (b == 0)) for a in range(3) for b in range(3)) + "] }"

# The participant answers truthfully with a probability that grows with epsilon. It is written in odds, and differs between the values.
SMALL_STEPS = {"participants": "2", "values": "[0, 1]", "post": '"sum"',
               "perturber": '{ matrix = [["(odds + 2)/(odds + 4)", "2/(odds + 4)"], ["1/(odds + 4)", "(odds + 3)/(odds + 4)"]] }'}

# For each theorem: pipelines that are stable by it.
STABLE = {
    "no-epsilon": [{**COUNT, "perturber": '{ matrix = [["3/4", "1/4", 0], [0, 1, 0], [0, "1/2", "1/2"]] }'}],
    "side-by-side": [{**COUNT, "post": '"identity"'}, {**COUNT, "perturber": '"geometric"', "post": '{ round = "1/2" }'},
                     {**COUNT, "perturber": '["geometric", "randomized-response", "geometric"]', "post": '"identity"'},
                     {**COUNT, "participants": "1", "perturber": '"geometric"', "post": '"sum"'},
                     {**COUNT, "perturber": '"geometric"', "post": '"identity"', "secret": '"histogram"'},
                     {**COUNT, "perturber": '{ subset = 2 }', "post": '"identity"'},
                     {**COUNT, "perturber": '"hadamard"', "post": '"shuffle"'},
                     {**COUNT, "perturber": '"symmetric-unary"', "post": '"shuffle"', "participants": "2"},
                     {**COUNT, "perturber": '"optimized-unary"', "post": '"identity"', "participants": "1"},
                     {**COUNT, "perturber": '{ perturber = "geometric", epsilon = "1/2 epsilon" }', "post": '"identity"'}],
    "nothing-told": [{**COUNT, "perturber": '"geometric"', "post": '{ query = "count", of = [0, 1, 2] }'}],
    "counted-responses": [COUNT, {**COUNT, "secret": '"target"', "known": "[0, 1]"},
                          {**COUNT, "participants": "2", "post": TABLE_OF_COUNTS},
                          {**COUNT, "values": "[3, 5]", "post": '"sum"', "participants": "40"},
                          {**COUNT, "perturber": '{ matrix = [["odds/(odds + 2)", "1/(odds + 2)", "1/(odds + 2)"], ["1/(odds + 2)", '
                                                 '"odds/(odds + 2)", "1/(odds + 2)"], ["1/(odds + 2)", "1/(odds + 2)", "odds/(odds + 2)"]] }'}],
    "two-kinds": [{**COUNT, "perturber": '"geometric"', "post": '{ query = "count", of = [0, 2] }'},
                  {**COUNT, "perturber": '"geometric"', "values": "[0, 1]", "participants": "200"},
                  {**COUNT, "perturber": '{ subset = 1 }', "post": '{ query = "count", of = [100] }'},
                  {**COUNT, "perturber": '{ perturber = "geometric", epsilon = "2 epsilon" }', "post": '{ query = "count", of = [0, 2] }'}],
    "counted-bits": [{**COUNT, "perturber": '"symmetric-unary"', "post": '"bits"', "participants": "50"},
                     {**COUNT, "perturber": '"optimized-unary"', "post": '"bits"', "secret": '"target"', "known": "[0, 2]"}],
    "small-steps": [SMALL_STEPS],
    "lumping": [{**COUNT, "post": "{ table = [" + ", ".join(str(int(a == b == c)) for a in (0, 1) for b in (0, 1) for c in (0, 1)) + "] }",
                 "values": "[0, 1]"}],
}


class Theorems(CommandTest):
    def file(self, members):
        return self.write("p.toml", "[pipeline]\n" + "".join(f"{key} = {value}\n" for key, value in members.items()))

    def stable(self, members):
        result = run("flow", "check", self.file(members), "--epsilon", "0.1..3", "--format", "json", cwd=self.folder)
        return json.loads(result.out)

    def verified(self, document, *arguments):
        self.write("c.json", json.dumps(document))
        result = run("flow", "verify", "c.json", *arguments, "--format", "json", cwd=self.folder)
        return json.loads(result.out)

    def test_each_is_named_and_checked(self):
        for theorem, files in STABLE.items():
            for members in files:
                with self.subTest(theorem=theorem, members=members):
                    document = self.stable(members)
                    if theorem == "lumping" and document["verdict"] != "stable":
                        continue
                    self.assertEqual((document["verdict"], document.get("theorem")), ("stable", theorem))
                    checked = self.verified(document, "--of", "p.toml")
                    self.assertEqual(checked["certificate"], "holds", checked)
                    self.assertEqual(checked["claim"], "a smaller epsilon never helps any analyst between these epsilons")
                    alone = self.verified(document)
                    self.assertEqual(alone["certificate"], "nothing")
                    self.assertIn("that its theorem applies: name the pipeline's file", alone["unchecked"])

    def test_another_theorem_is_found_out(self):
        document = self.stable(COUNT)
        for theorem in ("no-epsilon", "side-by-side", "nothing-told", "counted-bits", "made-up"):
            with self.subTest(theorem=theorem):
                forged = self.verified({**document, "theorem": theorem}, "--of", "p.toml")
                self.assertNotEqual(forged["certificate"], "holds")
        self.assertEqual(self.verified({**document, "theorem": "made-up"}, "--of", "p.toml")["trouble"],
                         "the theorem that it names does not apply to this pipeline")

    def test_a_theorem_says_nothing_of_another_pipeline(self):
        document = self.stable(COUNT)
        for members in ({**COUNT, "perturber": '"geometric"'}, {**COUNT, "post": '"sum"'},
                        {**COUNT, "perturber": '["randomized-response", "randomized-response", "geometric"]'}):
            with self.subTest(members=members):
                self.file(members)
                self.assertNotEqual(self.verified(document, "--of", "p.toml")["certificate"], "holds")

    def test_theorems_about_one_perturber(self):
        """A count of responses with two epsilons is unstable, and so is one where the second perturber is not always the first."""
        bump = "3/10*(odds - 2)*(odds - 3)*(odds - 5)/((odds - 5/2)^2 + 1)^3"  # 0 at the odds 2, 3 and 5
        true, false = f'"odds/(odds + 1) + {bump}"', f'"1/(odds + 1) - {bump}"'
        groups = "[" + ", ".join(f'{{ of = 1, perturber = "randomized-response", epsilon = "{times} epsilon" }}' for times in (1, 3)) + "]"
        for perturber in (groups, f'["randomized-response", {{ matrix = [[{true}, {false}], [{false}, {true}]] }}]'):
            members = {"participants": "2", "values": "[0, 1]", "post": '{ query = "count", of = [1] }', "perturber": perturber}
            file = self.file(members)
            result = run("flow", "check", file, "--epsilon", "ln 2..ln 3", "--format", "json", cwd=self.folder)
            self.assertEqual(json.loads(result.out)["verdict"], "unstable", result)
            for theorem in STABLE:
                with self.subTest(theorem=theorem, perturber=perturber):
                    forged = {"schema_version": 1, "verdict": "stable", "reason": "forged", "epsilon_low": "ln 2", "epsilon_high": "ln 3",
                              "theorem": theorem}
                    self.assertNotEqual(self.verified(forged, "--of", "p.toml")["certificate"], "holds")

    def test_unstable_is_no_theorem(self):
        members = {**COUNT, "perturber": '"geometric"'}
        document = self.stable(members)
        self.assertEqual(document["verdict"], "unstable")
        self.assertNotIn("theorem", document)
        forged = {**document, "theorem": "counted-responses"}
        self.assertEqual(self.verified(forged, "--of", "p.toml")["certificate"], "fails")

    def test_small_steps_that_are_none(self):
        """Geometric noise on a sum of three values is unstable, even where a document claims that it is stable by small steps."""
        members = {**COUNT, "perturber": '"geometric"', "post": '"sum"', "participants": "2"}
        self.file(SMALL_STEPS)
        document = self.stable(SMALL_STEPS)
        self.file(members)
        self.assertNotEqual(self.verified(document, "--of", "p.toml")["certificate"], "holds")

    def test_bits_that_are_none(self):
        """Hadamard's answers are not bits. Bits of two encodings are not bits of one encoding."""
        document = self.stable(STABLE["counted-bits"][1])
        for members in ({**COUNT, "perturber": '"hadamard"', "post": '"shuffle"'},
                        {**COUNT, "participants": "2", "perturber": '["symmetric-unary", "optimized-unary"]', "post": '"bits"'}):
            self.file(members)
            self.assertNotEqual(self.verified(document, "--of", "p.toml")["certificate"], "holds")

    def test_a_released_median(self):
        """The polynomials in a root of odds come from the definition of the weights. If they are too long, the verdict says so."""
        median = {"perturber": '{ release = "exponential", quantile = "1/2", records = 3, lattice = [0, 1, 2, 3] }',
                  "post": '"identity"', "secret": '"target"', "known": "[0, 3]"}
        document = self.stable(median)
        self.assertEqual(document["theorem"], "small-steps")
        self.assertEqual(self.verified(document, "--of", "p.toml")["certificate"], "holds")
        self.file({**median, "known": "[0, 0]"})  # an analyst who knows these two may benefit from a smaller epsilon
        self.assertNotEqual(self.verified(document, "--of", "p.toml")["certificate"], "holds")
        several = {**median, "perturber": median["perturber"].replace('"exponential", quantile = "1/2"',
                                                                      '"approximate", quantiles = ["1/2", "3/4"]')}
        self.file(several)
        checked = self.verified(document, "--of", "p.toml")
        self.assertEqual(checked["certificate"], "nothing")
        self.assertIn("the theorem that it names, for which there is no second check here", checked["unchecked"])


if __name__ == "__main__":
    unittest.main()
