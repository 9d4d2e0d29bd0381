"""fractile flow, run as a process, and certificates that are checked in Python's fractions."""

import json
import os
import re
from fractions import Fraction

from cli.program import HOUSE, CommandTest, run

EXAMPLES = HOUSE / "examples" / "flow"
LN_3_TO_LN_2 = ("--from", "ln 3", "--to", "ln 2")
D1 = EXAMPLES / "known_others.toml"
LIMIT = "10" if os.environ.get("FRACTILE_SANITIZE") else "2"  # seconds, enough for a verdict but not for the windows

SURVEY = {"participants": "2", "values": "[0, 1, 2]", "perturber": '"geometric"', "post": '"sum"',
          "secret": '"everyone"'}

# Names of examples: whether their pipelines refine, or are releases.
REFINES = ("response_squared", "response_count", "geometric_outliers", "three_respondents")
DOES_NOT = ("response_sum", "geometric_count", "geometric_sum", "noisy_argmax", "known_others")
RELEASES = ("released_median", "released_median_among_known")


def flow(*arguments, **how):
    return run("flow", *arguments, **how)


def fractions(rows):
    return [[Fraction(entry) for entry in row] for row in rows]


def product(a, b):
    return [[sum(row[k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for row in a]


def expected_loss(prior, channel, loss):
    """The posterior expected loss of definition 2.2."""
    secrets = range(len(prior))
    return sum(min(sum(prior[x] * channel[x][y] * loss[x][w] for x in secrets) for w in range(len(loss[0])))
               for y in range(len(channel[0])))


class FlowTest(CommandTest):
    def json(self, *arguments, code=0):
        """The printed JSON. `code` is the expected exit code; with None, any is accepted."""
        result = flow(*arguments, "--format", "json", cwd=self.folder)
        self.assertEqual((result.code if code is not None else None, result.err), (code, ""))
        document = json.loads(result.out)
        self.assertEqual(document.pop("schema_version"), 1)
        self.assertRegex(document.pop("program"), r"\Afractile \d")
        return document

    def channel(self, file, epsilon):
        """The secrets, the observations and the matrix. Every row adds up to 1."""
        document = self.json("channel", file, "--epsilon", epsilon)
        matrix = fractions(document["matrix"])
        self.assertEqual([sum(row) for row in matrix], [1] * len(document["secrets"]))
        self.assertTrue(all(entry >= 0 for row in matrix for entry in row))
        return document["secrets"], document["observations"], matrix

    def survey(self, name="survey.toml", analyst=None, **changes):
        """Writes a valid file with these changes. A key whose value is None is left out."""
        lines = ["[pipeline]"]
        lines += [f"{key} = {value}" for key, value in {**SURVEY, **changes}.items() if value is not None]
        if analyst is not None:
            lines += ["[analyst]", *(f"{key} = {value}" for key, value in analyst.items())]
        return self.write(name, "\n".join(lines) + "\n")

    def assert_certified(self, file, document, epsilon_from, epsilon_to):
        """Requires that the witness or counter-example in a check's JSON holds for the file's channels, by this test's arithmetic."""
        file = self.with_secrets(file, document)
        secrets, observations, before = self.channel(file, epsilon_from)
        self.assertEqual((document["secrets"], document["observations"]), (secrets, observations))
        after = self.channel(file, epsilon_to)[2]
        if "witness" in document:
            witness = fractions(document["witness"])
            self.assertTrue(all(sum(row) == 1 and min(row) >= 0 for row in witness))
            self.assertEqual(product(before, witness), after)
            self.assertNotIn("counterexample", document)
            return
        refutation = document["counterexample"]
        prior = [Fraction(p) for p in refutation["prior"]]
        loss = fractions(refutation["loss"])
        self.assertEqual(sum(prior), 1)
        self.assertTrue(min(prior) >= 0 and min(entry for row in loss for entry in row) >= 0)
        utilities = expected_loss(prior, before, loss), expected_loss(prior, after, loss)
        self.assertEqual(utilities, (Fraction(refutation["loss_from"]), Fraction(refutation["loss_to"])))
        self.assertGreater(*utilities)

    def with_secrets(self, file, document):
        """The file; if the certificate is about a single unknown value, a file with only this unknown value."""
        secrets = self.json("channel", file, "--epsilon", "ln 2")["secrets"]
        if secrets == document["secrets"]:
            return file
        text = (self.folder / file).read_text()
        values = re.search(r"^values = \[(.*)\]", text, re.M)[1].split(", ")
        others = int(re.search(r"^participants = (\d+)", text, re.M)[1]) - 1
        known = ", ".join(values[:1] * others)
        return self.write("one_unknown.toml", text.replace('secret = "everyone"', f'secret = "target"\nknown = [{known}]'))
