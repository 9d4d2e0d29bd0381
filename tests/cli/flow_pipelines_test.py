"""fractile flow on pipelines of every kind."""

import csv
import io
import itertools
import json
import sys
import unittest
from fractions import Fraction

from cli.flows import EXAMPLES, LN_3_TO_LN_2, FlowTest, expected_loss, flow, fractions, product


class OtherPipelines(FlowTest):
    """Forms of pipelines that no example file has."""

    MATRIX = '[["1/2", "0.25", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]'

    def same_channel(self, epsilon, first, second):
        self.survey("first.toml", **first)
        self.survey("second.toml", **second)
        self.assertEqual(self.channel("first.toml", epsilon), self.channel("second.toml", epsilon))

    def test_matrices(self):
        response = {"perturber": '"randomized-response"'}
        self.same_channel("ln 2", response, {"perturber": f"{{ matrix = {self.MATRIX} }}"})
        self.same_channel("ln 2", response, {"perturber": None, "matrix": self.MATRIX})

    def test_queries(self):
        self.same_channel("ln 3", {}, {"post": '{ query = "sum" }'})
        self.same_channel("ln 3", {}, {"secret": None})
        one = {"participants": "1"}
        self.same_channel("ln 3", {**one, "post": '"identity"'}, {**one, "post": "{ table = [0, 1, 2] }"})
        one = {**one, "values": "[2, 1, 0]"}
        self.same_channel("ln 3", {**one, "post": '{ query = "count", of = [1] }'}, {**one, "post": "{ table = [0, 1, 0] }"})

    def test_matrices_in_odds(self):
        """A family of matrices that the file writes out: the verdict holds at every epsilon."""
        entries = [["odds/(odds+2)" if x == y else "1/(odds + 2)" for y in range(3)] for x in range(3)]
        self.same_channel("ln 7", {"perturber": '"randomized-response"'}, {"perturber": f"{{ matrix = {entries} }}"})
        file = self.survey(participants="1", perturber=None, matrix=str(entries))
        self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 3")["verdict"], "stable")

    def test_perturbers_of_other_shapes(self):
        own = {"participants": "1", "values": "[0, 1]", "perturber": None, "matrix": '[["1/2", "1/4", "1/4"], [0, 0, 1]]',
               "answers": "[0, 1, 9]"}
        secrets, observations, matrix = self.channel(self.survey(**own), "ln 2")
        self.assertEqual((secrets, observations, matrix[1]), (["0", "1"], ["0", "1", "9"], [0, 0, 1]))
        # The infinite geometric mechanism is compared with the truncated one.
        wide = {"participants": "1", "perturber": "{ geometric = 2 }"}
        _, observations, matrix = self.channel(self.survey(**wide), "ln 2")
        self.assertEqual(observations, ["-2", "-1", "0", "1", "2", "3", "4"])
        self.assertEqual(matrix[0][:3], [Fraction(1, 6), Fraction(1, 6), Fraction(1, 3)])
        narrow = {"participants": "1", "perturber": '"geometric"'}
        self.same_channel("ln 2", {**narrow, "post": '{ query = "count", of = [0] }'},
                          {**wide, "post": '{ query = "count", of = [-2, -1, 0] }'})

    def test_perturbers_by_participant(self):
        each = {"values": "[0, 1]", "perturber": '["geometric", { matrix = [["1/3", "2/3"], [1, 0]] }]', "post": '"identity"'}
        secrets, _, matrix = self.channel(self.survey(**each), "ln 3")
        self.assertEqual(secrets, ["(0,0)", "(0,1)", "(1,0)", "(1,1)"])
        self.assertEqual(matrix[1], [Fraction(3, 4), 0, Fraction(1, 4), 0])

    def test_what_is_guessed(self):
        """A loss may be the distance from the mode (section 9.1), and the loss of equation 17 has two names."""
        bars = {"post": '"mode"', "secret": '"histogram"'}
        losses = []
        for analyst in ({"loss": '"linear-error"', "about": '"mode"'}, {"loss": '"bayes-risk"', "about": '"mode"'},
                        {"loss": '"argmax-accuracy"'}, {"loss": '"squared-error"', "about": '{ query = "count", of = [1] }'}):
            losses.append(Fraction(self.json("loss", self.survey(**bars, analyst=analyst), "--epsilon", "ln 3")["expected_loss"]))
        distance, wrong, accuracy, count = losses
        self.assertEqual(wrong, accuracy)
        self.assertGreater(distance, wrong)
        self.assertGreater(count, 0)

    def test_one_channel_has_one_verdict(self):
        """The verdict depends on the channel, not on the names of its outputs."""
        for posts in (("sum", {"query": "count", "of": [1]}, {"table": [0, 1, 1, 2]}),
                      ("identity", {"table": [3, 1, 0, 2]}, {"round": 1})):
            verdicts = set()
            for post in posts:
                words = json.dumps(post) if isinstance(post, str) else \
                    "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in post.items()) + " }"
                file = self.survey(values="[0, 1]", perturber='"geometric"', post=words)
                document = self.json("check", file, "--epsilon", "ln 2..ln 3", code=0)
                verdicts.add((document["verdict"], document["reason"]))
            self.assertEqual(len(verdicts), 1, verdicts)

    def test_any_prior(self):
        """For noisy argmax of five people, the loss falls under the uniform prior, but rises under another. For two, it never rises."""
        few = EXAMPLES / "noisy_argmax.toml"
        proved = self.json("check", few, "--from", "ln 3", "--to", "ln 2", "--any-prior", code=0)
        self.assertEqual((proved["verdict"], proved["epsilon_from"], proved["epsilon_to"]), ("worth-as-much", "ln 3", "ln 2"))
        self.assert_randomized(proved)
        file = self.survey(participants="5", values="[0, 1, 2]", perturber='"geometric"', secret='"histogram"', post='"mode"',
                           analyst={"loss": '"argmax-accuracy"'})
        document = self.json("check", file, "--from", "ln 3", "--to", "ln 2", "--any-prior", code=1)
        prior = [Fraction(p) for p in document["counterexample"]["prior"]]
        self.assertEqual((document["verdict"], sum(prior), len(prior)), ("worth-less", 1, len(document["secrets"])))
        example = document["counterexample"]
        self.assertGreater(Fraction(example["loss_from"]), Fraction(example["loss_to"]))
        for option in (("--epsilon", "ln 2..ln 3"), ("--epsilon", "0.5..1.5")):
            text = flow("check", file, *option, "--any-prior", cwd=self.folder).out
            self.assertRegex(text, r"\Aunstable for epsilon from [^\n]*, for the loss of the file's analyst and any prior\n")
            self.assertIn("both checked in exact arithmetic\n", text)
        rows = list(csv.DictReader(io.StringIO(flow("check", file, *LN_3_TO_LN_2, "--any-prior", "--format", "csv",
                                                          cwd=self.folder).out)))
        self.assertEqual((rows[0]["verdict"], rows[0]["odds_from"]), ("worth-less", "3"))
        stable = self.survey(post='{ query = "count", of = [0] }', perturber='"randomized-response"',
                             analyst={"loss": '"bayes-risk"'})
        for option, verdict in ((LN_3_TO_LN_2, "worth-as-much"), (("--epsilon", "0.5..1.5"), "stable")):
            document = self.json("check", stable, *option, "--any-prior", code=0)
            self.assertEqual(document["verdict"], verdict)

    def assert_randomized(self, document):
        """For every strategy on the second channel, the randomized strategy on the first costs no more under any secret."""
        first, second, loss = (fractions(document[name]) for name in ("channel_from", "channel_to", "loss"))
        ways = list(itertools.product(range(len(loss[0])), repeat=len(second[0])))
        self.assertEqual(len(ways), len(document["randomized"]))
        for way, randomized in zip(ways, map(fractions, document["randomized"])):
            self.assertTrue(all(sum(row) == 1 and min(row) >= 0 for row in randomized))
            for before, after, costs in zip(first, second, loss):
                acted = sum(p * q * cost for p, row in zip(before, randomized) for q, cost in zip(row, costs))
                self.assertLessEqual(acted, sum(p * costs[action] for p, action in zip(after, way)))

    def test_a_pair_says_nothing_of_what_is_between(self):
        """Noisy argmax of five people is worth as much at ln 20 as at ln 2 under any prior, but not at ln 3 as at ln 2."""
        file = self.survey(participants="5", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        pair = ("--from", "ln 20", "--to", "ln 2", "--any-prior")
        text = flow("check", file, *pair, cwd=self.folder)
        self.assertEqual(text.code, 0)
        self.assertRegex(text.out, r"\Afor the loss of the file's analyst, under any prior, epsilon = ln 20 is worth at least as much as "
                                   r"ln 2\nthis says nothing about other epsilons\n")
        self.assertNotIn("stable", text.out)
        self.assertEqual(self.json("check", file, *pair)["verdict"], "worth-as-much")
        self.assertEqual(self.json("check", file, *LN_3_TO_LN_2, "--any-prior", code=1)["verdict"], "worth-less")
        self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 20", "--any-prior", code=1)["verdict"], "unstable")

    def test_any_prior_asks_for_refinement_first(self):
        """Six people's answers allow too many strategies to enumerate, but refinement already decides this for every analyst."""
        file = self.survey(participants="6", post='"identity"', perturber='"randomized-response"', analyst={"loss": '"bayes-risk"'})
        document = self.json("check", file, *LN_3_TO_LN_2, "--any-prior")
        self.assertEqual((document["verdict"], document["about"]), ("worth-as-much", "one participant"))
        self.assertTrue(document["reason"].startswith("to every analyst: "))

    def test_witnesses_have_the_pipelines_own_names(self):
        """A count decides these sums. The sums of 1 and 2 are 2, 3 and 4; for the values 2 and 1, the count runs the other way round."""
        for values in ("[1, 2]", "[2, 1]"):
            file = self.survey(values=values, perturber='"randomized-response"')
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual(document["observations"], ["2", "3", "4"])
            self.assert_certified(file, document, "ln 3", "ln 2")
        many = self.survey(participants="13", values="[2, 1]", perturber='"geometric"')
        document = self.json("check", many, *LN_3_TO_LN_2)
        self.assertEqual(document["observations"], [str(total) for total in range(13, 27)])
        self.assert_certified(many, document, "ln 3", "ln 2")
        for post in ("{ table = [3, 1, 0, 2] }", "{ table = [2, 0, 0, 1] }", "{ table = [0, 0, 0, 1] }"):
            file = self.survey(values="[0, 1]", perturber='"randomized-response"', post=post)
            document = self.json("check", file, *LN_3_TO_LN_2, code=None)
            if document["about"] == "2 participants":
                self.assert_certified(file, document, "ln 3", "ln 2")

    def test_where_nothing_is_told(self):
        for post in ('{ query = "count", of = [0, 1, 2] }', "{ table = [0, 0, 0, 0, 0, 0, 0, 0, 0] }", "{ round = 9 }"):
            file = self.survey(post=post)
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual((document["verdict"], document["witness"]), ("refines", [["1"]]))
            self.assert_certified(file, document, "ln 3", "ln 2")
            self.assertEqual(self.json("check", file, "--epsilon", "ln 2..ln 3")["verdict"], "stable")

    def test_all_answers_of_many(self):
        """One answer decides, however many there are: the others do not depend on the secret, and bars are released separately."""
        for people in (8, 10, 1000):
            file = self.survey(participants=str(people), post='"identity"', secret='"target"',
                               known=f"{{ histogram = [{people - 3}, 1, 1] }}")
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual((document["verdict"], document["about"], len(document["witness"])), ("refines", "the target alone", 3))
            self.assertEqual(self.json("check", file, "--from", "ln 2", "--to", "ln 3", code=1)["about"], "the target alone")
        bars = self.survey(participants="4", post='"identity"', secret='"histogram"')
        self.assertEqual(self.json("check", bars, *LN_3_TO_LN_2)["about"], "one bar")
        self.assertEqual(self.json("check", bars, "--from", "ln 2", "--to", "ln 3", code=1)["verdict"], "does-not-refine")

    def test_one_channel_in_two_descriptions(self):
        """The geometric matrix of three values gives the same verdict when it is written in odds."""
        row = ["odds/(odds + 1)", "(odds - 1)/(odds*(odds + 1))", "1/(odds*(odds + 1))"]
        matrix = json.dumps([row, ["1/(odds + 1)", "(odds - 1)/(odds + 1)", "1/(odds + 1)"], row[::-1]])
        for participants, post, secret in (("2", '"identity"', '"everyone"'), ("3", '"identity"', '"target"'), ("1", '"sum"', '"everyone"'),
                                           ("2", '{ query = "count", of = [0, 2] }', '"everyone"')):
            known = "[0, 1]" if secret == '"target"' else None
            answers = []
            for perturber in ('"geometric"', f"{{ matrix = {matrix} }}"):
                document = self.json("check", self.survey(participants=participants, post=post, secret=secret, known=known,
                                                          perturber=perturber), "--epsilon", "ln 2..ln 3")
                answers.append((document["verdict"], document["reason"]))
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0][0], "stable")
        # The values are not equally spaced: the matrix is used as it is, and not taken for noise that is added to a value.
        self.json("check", self.survey(values="[0, 1, 5]", perturber=f"{{ matrix = {matrix} }}"), *LN_3_TO_LN_2, code=None)
        # Entries without odds are computed, too, and do not depend on epsilon.
        half = self.survey(values="[0, 1]", perturber='{ matrix = [["1/(1+1)", "1 - 1/2"], ["1/4", "3/4"]] }', post='"sum"')
        self.assertEqual(self.channel(half, "0.5")[2][0], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
        self.assertEqual(self.json("check", half, "--epsilon", "0.5..1")["reason"], "the perturber does not depend on epsilon")

    def test_priors_by_name(self):
        """A named prior gives the same loss as its probabilities written out."""
        target = {"secret": '"target"', "participants": "3", "known": "[0, 2]", "post": '{ query = "count", of = [0] }'}
        loss = {"loss": '"bayes-risk"'}
        for prior, same in (('"uniform-uncounted"', '[0, "1/2", "1/2"]'), ('"frequencies"', '["1/2", 0, "1/2"]'),
                            ('{ participants = ["1/6", "1/3", "1/2"] }', '["1/6", "1/3", "1/2"]')):
            losses = [self.json("loss", self.survey(**target, analyst={"prior": words, **loss}), "--epsilon", "ln 3")
                      for words in (prior, same)]
            self.assertEqual(*losses)
        independent = '{ participants = ["1/6", "1/3", "1/2"] }'
        product = '["1/36", "1/9", "1/6", "1/9", "1/3", "1/4"]'  # the pairs 00, 01, 02, 11, 12 and 22
        losses = [self.json("loss", self.survey(analyst={"prior": words, **loss}), "--epsilon", "ln 3")
                  for words in (independent, product)]
        self.assertEqual(*losses)

    def test_sums_among_some_tens(self):
        """Totals are so unlikely that floating point sees no support. A witness from the interior is moved until it holds exactly."""
        for people, known in ((9, [3, 3, 2]), (24, [8, 8, 7])):
            file = self.survey(participants=str(people), perturber='"geometric"', secret='"target"', known=f"{{ histogram = {known} }}")
            document = self.json("check", file, *LN_3_TO_LN_2)
            self.assertEqual(document["verdict"], "refines")
            self.assert_certified(file, document, "ln 3", "ln 2")

    def test_modes_among_known_others(self):
        """The distribution of the others' answers is computed only once. What would take gigabytes is refused with an explanation."""
        file = self.survey(participants="60", post='"mode"', secret='"target"', known="{ histogram = [20, 20, 19] }")
        self.assertEqual(self.channel(file, "ln 3")[1], ["0", "1", "2"])
        many = self.survey(participants="1000", post='"mode"', secret='"target"', known="{ histogram = [400, 300, 299] }")
        self.assert_refused(flow("check", many, *LN_3_TO_LN_2, cwd=self.folder), 3, "fractions are too long to be written down")
        many = self.survey(participants="500", post='"mode"', secret='"target"', known="{ histogram = [170, 165, 164] }",
                           analyst={"loss": '"bayes-risk"'})
        losses = [float(self.json("loss", many, "--epsilon", epsilon)["decimal"]) for epsilon in ("1", "2")]
        self.assertTrue(0.5 < losses[1] < losses[0] < 2 / 3, losses)

    def test_sums_among_known_others(self):
        """Under geometric noise, no mixture of the first totals is like a total. Without a counter-example, there is one reason."""
        for people in (60, 101):
            known = [people // 3 + people % 3 - 1, people // 3, people // 3]
            file = self.survey(participants=str(people), post='"sum"', secret='"target"', known=f"{{ histogram = {known} }}")
            result = flow("check", file, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
            document = json.loads(result.out)
            self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"), (people, document["reason"]))
            self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", file, cwd=self.folder).code, 0)
            far = flow("check", file, "--from", "ln 10", "--to", "ln 2", "--format", "json", cwd=self.folder)
            self.assertIn(far.code, (0, 6))
            if far.code == 6:
                self.assertIn("a sum among so many known people has too many totals for a proof", json.loads(far.out)["reason"])

    def test_losses_of_more_than_ten_thousand_characters_are_read_back(self):
        """The check printed them, and verify found something else than a fraction."""
        file = self.survey(participants="600", values="[0, 1, 2, 3, 4, 5, 6]", post='{ query = "count", of = [0] }', secret='"target"',
                           known="{ histogram = [593, 1, 1, 1, 1, 1, 1] }")
        result = flow("check", file, "--from", "ln 3.4878087431", "--to", "ln 3.5133595031", "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertGreater(len(document["counterexample"]["loss_to"]), 10_000)
        name = self.write("c.json", result.out)
        self.assertEqual(flow("verify", name, "--of", file, cwd=self.folder).code, 0)
        for end in ("/", "/0", "/1/1", "x"):
            document["counterexample"]["loss_to"] = "7" * 10_001 + end
            name = self.write("c.json", json.dumps(document))
            self.assert_refused(flow("verify", name, "--of", file, cwd=self.folder), 3, "expected a fraction in quotes")

    def test_sums_among_more_than_a_hundred_known_people(self):
        """Under randomized response of three values, the witness is found in the interior. Under that of four values, a bet after the
        rarest total is a counter-example. Both certificates hold."""
        file = self.survey(participants="109", perturber='"randomized-response"', secret='"target"', known="{ histogram = [48, 40, 20] }")
        result = flow("check", file, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        self.assertEqual((result.code, json.loads(result.out)["verdict"]), (0, "refines"))
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", file, cwd=self.folder).code, 0)
        four = self.survey(participants="109", values="[0, 1, 2, 3]", perturber='"randomized-response"', secret='"target"',
                           known="{ histogram = [27, 27, 27, 27] }")
        result = flow("check", four, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertRegex(document["reason"], "once in some 10\\^[0-9]+ cases")
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", four, cwd=self.folder).code, 0)

    def test_sums_among_a_thousand_known_people(self):
        """For four values, the same bet refutes refinement without the channel. For three, none is found; the reason says what to ask."""
        four = self.survey(participants="601", values="[0, 1, 2, 3]", perturber='"randomized-response"', secret='"target"',
                           known="{ histogram = [150, 150, 150, 150] }")
        result = flow("check", four, *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual((result.code, document["verdict"]), (1, "does-not-refine"))
        self.assertIn("once in some 10^191 cases", document["reason"])
        self.assertEqual(flow("verify", self.write("c.json", result.out), "--of", four, cwd=self.folder).code, 0)
        three = self.survey(participants="1000", perturber='"randomized-response"', secret='"target"', known="{ histogram = [333, 333, 333] }")
        result = flow("check", three, *LN_3_TO_LN_2, cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided:"))
        self.assertIn("with fewer people it is decided (under randomized response of three values, up to some 240), and so is a count; "
                      "a sweep shows where the loss of a given analyst rises", result.out)
        few = self.survey(participants="260", perturber='"randomized-response"', secret='"target"', known="{ histogram = [87, 86, 86] }")
        result = flow("check", few, "--epsilon", "ln 2..ln 2.1", cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided"))
        self.assertIn("two epsilons that matter may be compared by themselves; a sweep shows where", result.out)

    def test_an_analyst_is_shown_without_what_does_not_matter(self):
        """Actions with equal costs are merged, and secrets under which all actions cost the same are counted, not listed."""
        known = self.survey(values="[0, 1, 2, 3, 4, 5, 6]", participants="4", post='{ query = "count", of = [0] }', secret='"target"',
                            known="[0, 1, 1]")
        text = flow("check", known, "--from", "ln 3.51", "--to", "ln 3.5", cwd=self.folder).out
        self.assertIn("and 4 more, which this analyst thinks impossible or under which all actions cost the same", text)
        self.assertEqual([line.split()[0] for line in text.splitlines() if line.startswith(tuple("0123456"))], ["0", "1", "2"])
        document = self.json("check", known, "--from", "ln 3.51", "--to", "ln 3.5", code=1)
        self.assertEqual(len(document["counterexample"]["loss"]), 7)
        argmax = self.survey(participants="6", post='"mode"', secret='"histogram"')
        found = self.json("check", argmax, "--from", "ln 3", "--to", "ln 2", code=1)["counterexample"]["loss"]
        actions = list(zip(*found))
        self.assertEqual(len(set(actions)), len(actions))

    def test_undecided_has_an_exit_code(self):
        file = self.survey(participants="9", perturber='"randomized-response"', secret='"target"', known="{ histogram = [6, 1, 1] }")
        result = flow("check", file, "--epsilon", "ln 2..ln 21/10", cwd=self.folder)
        self.assertEqual((result.code, result.out.split()[0]), (6, "undecided"), result)

    def test_values_that_are_not_whole(self):
        secrets, observations, _ = self.channel(self.survey(values='["1/2", "0.75", 1]'), "ln 3")
        self.assertEqual(secrets[0], "(1/2,1/2)")
        self.assertEqual(observations, ["1", "5/4", "3/2", "7/4", "2"])

    def test_a_fixed_matrix_at_any_epsilon(self):
        file = self.survey(perturber=None, matrix=self.MATRIX, analyst={"loss": '"bayes-risk"'})
        document = self.json("check", file, "--from", "0.5", "--to", "ln 9")
        self.assertEqual(document["verdict"], "refines")
        self.assertEqual(self.json("loss", file, "--epsilon", "0.5")["expected_loss"],
                         self.json("loss", file, "--epsilon", "ln 2")["expected_loss"])
        self.json("channel", file, "--epsilon", "0.5")

    def test_priors_losses_and_scales(self):
        one = {"participants": "1", "perturber": '"randomized-response"', "post": '"identity"'}
        file = self.survey(**one, analyst={"prior": '["1/2", "1/4", "1/4"]', "loss": "[[0, 1], [2, 0], [1, \"1/3\"]]",
                                           "scale": '"1/7"'})
        _, _, matrix = self.channel(file, "ln 3")
        loss = fractions([[0, 1], [2, 0], [1, "1/3"]])
        expected = expected_loss([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], matrix, loss) / 7
        self.assertEqual(Fraction(self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]), expected)
        file = self.survey(**one, analyst={"loss": '"squared-error"'})
        loss = [[Fraction(x - w) ** 2 for w in range(3)] for x in range(3)]
        expected = expected_loss([Fraction(1, 3)] * 3, matrix, loss)
        self.assertEqual(Fraction(self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]), expected)

    def test_frequencies_are_the_others(self):
        target = {"secret": '"target"', "known": "[0, 2, 2]", "participants": "4"}
        answers = [self.json("loss", self.survey(**target, analyst={"prior": prior, "loss": '"bayes-risk"'}),
                             "--epsilon", "ln 3")["expected_loss"] for prior in ('"frequencies"', '["1/3", 0, "2/3"]')]
        self.assertEqual(*answers)

    def test_a_histogram_of_the_known(self):
        analyst = {"prior": '"frequencies"', "loss": '"bayes-risk"'}

        def utility(known):
            file = self.survey(secret='"target"', participants="5", known=known, analyst=analyst)
            return self.json("loss", file, "--epsilon", "ln 3")["expected_loss"]

        listed = utility("[0, 2, 2, 2]")
        self.assertEqual(utility("{ histogram = [1, 0, 3] }"), listed)
        self.assertEqual(utility("{ histogram = [1, 0, 4] }"), listed)  # the target is taken from the most frequent value
        self.write("codes.csv", "code,label,count\n2,c,4\n0,a,1\n")
        self.assertEqual(utility('{ histogram = "codes.csv" }'), listed)

    def test_a_target_among_thousands(self):
        file = self.survey(participants="2001", perturber='"geometric"', post='{ query = "count", of = [0] }',
                           secret='"target"', known="{ histogram = [500, 500, 1000] }")
        document = self.json("check", file, "--from", "ln 3", "--to", "ln 2", code=1)
        self.assertEqual(document["counterexample"]["loss_from"], "1/2")
        self.assertLess(Fraction(document["counterexample"]["loss_to"]), Fraction(1, 2))

    def test_long_fractions_on_request(self):
        file = self.survey(participants="301", perturber='"geometric"', post='{ query = "count", of = [0] }',
                           secret='"target"', known="{ histogram = [100, 100, 100] }", analyst={"loss": '"bayes-risk"'})
        brief = self.json("loss", file, "--epsilon", "ln 10")
        self.assertNotIn("expected_loss", brief)
        sys.set_int_max_str_digits(0)
        exact = self.json("loss", file, "--epsilon", "ln 10", "--exact")
        self.assertEqual(exact["decimal"], brief["decimal"])
        self.assertLess(abs(Fraction(exact["expected_loss"]) - Fraction(brief["decimal"])), Fraction(1, 10**25))
        self.assertGreater(len(exact["expected_loss"]), 200)
        refused = flow("loss", file, "--epsilon", "0.5", "--exact", cwd=self.folder)
        self.assertEqual((refused.code, refused.out), (2, ""))
        self.assertIn('write a logarithm, for example --epsilon "ln 3"', refused.err)

    def test_releases_post_processed(self):
        release = '{ release = "approximate", quantiles = ["1/4", "3/4"], records = 2, lattice = [0, 1, 2] }'
        shape = {"participants": None, "values": None, "perturber": release}
        for post, observations in (('"identity"', 6), ('"mode"', 3), ('"sum"', 5), ("{ round = 2 }", 3)):
            file = self.survey(**shape, post=post)
            degree = 24
            self.assertEqual(len(self.channel(file, f"{degree} ln 2")[1]), observations)
        text = flow("check", file, "--from", "ln 3", "--to", "ln 2", cwd=self.folder)
        self.assertEqual(text.code, 2)
        self.assertIn("times a logarithm", text.err)

    def test_many_participants(self):
        """The loss is computed everywhere. The places where it rises are found or, for some pipelines, compared from point to point."""
        known = "[" + ", ".join(["0"] * 40 + ["8"] * 60) + "]"
        added = self.survey(participants="101", values="[0, 4, 8]", perturber='"geometric"', secret='"target"', known=known,
                            analyst={"loss": '"linear-error"'})
        document = self.json("sweep", added, "--epsilon", "1.5..3", "--points", "4")
        self.assertEqual((len(document["points"]), document["windows_by"]), (4, "enclosed"))
        self.assertEqual((document["windows"], document.get("undecided", [])), ([], []))
        modes = self.survey(participants="160", values="[0, 1]", perturber='"geometric"', secret='"histogram"', known=None,
                            post='"mode"', analyst={"loss": '"bayes-risk"'})
        document = self.json("sweep", modes, "--epsilon", "1.5..3", "--points", "4")
        self.assertEqual((len(document["points"]), document["windows_by"]), (4, "none"))
        self.assertEqual((document["windows"], [range["epsilon_from"] for range in document["undecided"]]), ([], ["1.5"]))

    def test_a_channel_at_a_decimal(self):
        """Where no probability is rational, the output has decimals whose digits are certain."""
        file = self.survey()
        exact = fractions(self.json("channel", file, "--epsilon", "ln 2.718281828459045235360287471352")["matrix"])
        enclosed = fractions(self.json("channel", file, "--epsilon", "1")["matrix"])
        for row, other in zip(exact, enclosed):
            for a, b in zip(row, other):
                self.assertLess(abs(a - b), Fraction(1, 10**28))
        self.assertIn("as JSON they have 30 digits", flow("channel", file, "--epsilon", "1", "--format", "table",
                                                         cwd=self.folder).out)

    def test_zero_epsilon(self):
        _, _, matrix = self.channel(self.survey(), "0")
        self.assertEqual(len({tuple(row) for row in matrix}), 1)
        document = self.json("check", self.survey(), "--epsilon", "0..0.5", code=1)
        self.assertEqual(document["verdict"], "unstable")


if __name__ == "__main__":
    unittest.main()
