"""fractile flow choose, run as a process: the README's survey, several analysts, and every form of the answer."""

import csv
import io
import json
import unittest
from decimal import Decimal
from fractions import Fraction

from cli.flow_model import Pipeline, geometric
from cli.program import HOUSE, CommandTest, run

D1 = HOUSE / "examples" / "flow" / "known_others.toml"


def counted_loss(odds):
    """The survey's loss by its definition: three known people have 0, 1 and 1, zeros are counted, and the loss is 1000 |w - x|."""
    noise = geometric(7, odds)
    rows = []
    for value in range(7):
        law = [Fraction(1)]
        for person in (0, 1, 1, value):
            p = noise[person][0]
            law = [(law[i] if i < len(law) else 0) * (1 - p) + (law[i - 1] * p if i > 0 else 0) for i in range(len(law) + 1)]
        rows.append(law)
    return sum(min(sum(rows[x][y] * 1000 * abs(w - x) for x in range(7)) for w in range(7)) for y in range(5)) / 7


def rounded(number):
    return f"{Decimal(number):.6f}"


def ends_of(document):
    return [(rounded(range["epsilon_from"]), rounded(range["epsilon_to"])) for range in document["served"]]


class Choose(CommandTest):
    def choose(self, *arguments, code=0):
        result = run("flow", "choose", *arguments, cwd=self.folder)
        self.assertEqual((result.code, result.err), (code, ""), result)
        return result.out

    def json(self, *arguments, code=0):
        return json.loads(self.choose(*arguments, "--format", "json", code=code))

    def test_the_survey_of_the_readme(self):
        document = self.json(D1, "--loss", "1654.305", "--epsilon", "0.1..10")
        self.assertEqual((document["verdict"], document["is_least_certain"]), ("served", True))
        self.assertEqual(rounded(document["least_epsilon"]), "1.249274")
        self.assertEqual(ends_of(document), [("1.249274", "1.256573"), ("1.257503", "10.000000")])
        self.assertEqual(document["served"][1]["epsilon_to"], "10")
        self.assertEqual(document["not_known"], [])
        self.assertEqual(len(document["analysts"][0]["windows"]), 1)
        for range in document["served"]:
            for odds in (Fraction(range["odds_from"]), Fraction(range["odds_to"])):
                self.assertLessEqual(counted_loss(odds), Fraction("1654.305"))
        for range in document["not_served"]:
            for odds in (Fraction(range["odds_from"]), Fraction(range["odds_to"])):
                self.assertGreater(counted_loss(odds), Fraction("1654.305"))
        # A bisection between 0.1 and 10 would find one of these ends. Which one is unforeseeable.
        self.assertGreater(Fraction(document["served"][1]["epsilon_from"]), Fraction(document["served"][0]["epsilon_to"]))

    def test_in_words(self):
        text = self.choose(D1, "--loss", "1654.305")
        self.assertRegex(text, r"\Athe least epsilon that serves is 1\.24927[34]\d*: the analyst loses at most 1654\.305\n")
        self.assertIn("not served, although epsilon is larger:\n", text)
        self.assertIn("rises with epsilon here:\n", text)
        self.assertIn("already at epsilon = 2, the analyst loses", self.choose(D1, "--loss", "1654.305", "--epsilon", "2..3"))
        none = self.choose(D1, "--loss", "1", "--epsilon", "0.1..1", code=1)
        self.assertIn("no epsilon from 0.1 to 1 serves: there is none at which", none)

    def test_as_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.choose(D1, "--loss", "1654.305", "--format", "csv"))))
        self.assertEqual([row["what"] for row in rows], ["served", "served", "not-served", "not-served", "rises"])
        self.assertEqual((rounded(rows[0]["epsilon"]), rounded(rows[0]["epsilon_to"])), ("1.249274", "1.256573"))

    def test_as_a_page(self):
        page = self.choose(D1, "--loss", "1654.305", "--format", "html")
        self.assertIn("<h2>Epsilons that serve</h2>", page)
        self.assertRegex(page, "1\\.24927[34]")
        self.assertIn("<svg", page)
        self.assertIn("at most", page)

    def test_what_an_attacker_gains(self):
        document = self.json(D1, "--loss", "1654.305", "--guess", "value")
        found = document["analysts"][0]["leakage"]
        ends = [end for range in document["served"] for end in (range["epsilon_from"], range["epsilon_to"])]
        self.assertEqual([point["epsilon"] for point in found["points"]], [str(Fraction(end)) for end in ends])
        for end, point in zip(ends, found["points"]):
            alone = json.loads(run("flow", "leakage", D1, "--epsilon", end, "--format", "json", cwd=self.folder).out)
            for name in ("before", "after", "allowed"):
                self.assertAlmostEqual(float(Fraction(point[name])), float(Fraction(alone[name])), 13)
        rows = list(csv.DictReader(io.StringIO(self.choose(D1, "--loss", "1654.305", "--guess", "value", "--format", "csv"))))
        self.assertEqual([row["after"] for row in rows if row["what"] == "guess"], [point["after"] for point in found["points"]])
        self.assertIn("right with the release", self.choose(D1, "--loss", "1654.305", "--guess", "value"))
        self.assertIn("right with the release", self.choose(D1, "--loss", "1654.305", "--guess", "value", "--format", "html"))
        none = self.json(D1, "--loss", "1", "--epsilon", "0.1..1", "--guess", "value", code=1)
        self.assertNotIn("leakage", none["analysts"][0])
        self.assert_refused(run("flow", "choose", D1, "--loss", "1", "--guess", "age", cwd=self.folder), 2, "'age' is not known")

    def test_as_a_figure(self):
        self.choose(D1, "--loss", "1654.305", "--figure", "loss.svg")
        self.assertIn("at most", (self.folder / "loss.svg").read_text(encoding="utf-8"))

    def test_several_analysts(self):
        self.write("one.toml", D1.read_text(encoding="utf-8"))
        self.write("other.toml", D1.read_text(encoding="utf-8").replace('loss = "linear-error"\nscale = 1000', 'loss = "bayes-risk"'))
        alone = self.json("other.toml", "--loss", "0.79")
        both = self.json("one.toml", "other.toml", "--loss", "1654.305,0.79")
        self.assertGreater(Fraction(alone["least_epsilon"]), Fraction("1.2576"))
        self.assertEqual(both["least_epsilon"], alone["least_epsilon"])
        self.assertEqual([analyst["file"] for analyst in both["analysts"]], ["one.toml", "other.toml"])
        easy = self.json("one.toml", "other.toml", "--loss", "1654.305,1")
        self.assertEqual([start for start, _ in ends_of(easy)], ["1.249274", "1.257503"])
        self.assertIn("both analysts", self.choose("one.toml", "other.toml", "--loss", "1654.305,1"))

    def test_stable_pipelines_are_bisected_without_windows(self):
        file = self.write("stable.toml", D1.read_text(encoding="utf-8").replace('"geometric"', '"randomized-response"'))
        document = self.json(file, "--loss", "1600", "--epsilon", "ln 2..ln 400")
        self.assertEqual(document["analysts"][0]["windows_by"], "proved")
        self.assertEqual(len(document["served"]), 1)

    def test_what_cannot_be(self):
        def refuse(*arguments, code=2, says):
            self.assert_refused(run("flow", "choose", *arguments, cwd=self.folder), code, *says)

        refuse(D1, says=("--loss is missing", "--loss 0.25"))
        refuse(D1, "--loss", "-1", says=("--loss: losses are not negative", "write the largest loss that serves"))
        refuse(D1, "--loss", "1,2", says=("--loss: 2 losses for the analyst of one file",))
        refuse(D1, "--loss", "x", says=("--loss: 'x' is not a number",))
        refuse(D1, "--loss", "1,", says=("--loss: the list '1,' has an empty item",))
        refuse(D1, "--loss", "1", "--epsilon", "3", says=("--epsilon: '3' is not a range",))
        refuse("nowhere.toml", "--loss", "1", code=3, says=("cannot open nowhere.toml",))
        self.write("nobody.toml", D1.read_text(encoding="utf-8").split("[analyst]")[0])
        refuse("nobody.toml", "--loss", "1", code=3, says=("there is no analyst",))

    def test_the_model_of_the_survey_is_the_models(self):
        """The definition that the losses above are compared with agrees with the model."""
        pipeline = Pipeline(4, list(map(Fraction, range(7))), ("geometric",), ("count", [0]), "target", (0, 1, 1))
        rows = [pipeline.row((0, 1, 1, value), Fraction(7, 2)) for value in range(7)]
        loss = sum(min(sum(rows[x][str(y)] * 1000 * abs(w - x) for x in range(7)) for w in range(7)) for y in range(5)) / 7
        self.assertEqual(loss, counted_loss(Fraction(7, 2)))
        self.assertEqual(loss, Fraction(1276949536000, 771895089))


if __name__ == "__main__":
    unittest.main()
