"""fractile flow compare."""

import csv
import io
import json
import unittest
from fractions import Fraction

from cli.flows import D1, DOES_NOT, EXAMPLES, LN_3_TO_LN_2, REFINES, RELEASES, FlowTest, expected_loss, flow, fractions, product


class Compare(FlowTest):
    """Compares pipelines and channels with each other. Certificates are checked again, here in Python's fractions, too."""

    LN_3 = ("--from", "ln 3", "--to", "ln 3")

    def compare(self, *arguments, code):
        document = self.json("compare", *arguments, code=code)
        first, second = (fractions(document[name]) for name in ("channel_from", "channel_to"))
        if document["verdict"] == "refines":
            self.assertEqual(product(first, fractions(document["witness"])), second)
        else:
            analyst = document["counterexample"]
            prior = [Fraction(p) for p in analyst["prior"]]
            losses = [expected_loss(prior, channel, fractions(analyst["loss"])) for channel in (first, second)]
            self.assertEqual(losses, [Fraction(analyst["loss_from"]), Fraction(analyst["loss_to"])])
            self.assertLess(losses[1], losses[0])
        return document

    def test_pipelines(self):
        self.survey("identity.toml", post='"identity"')
        self.survey("sum.toml")
        refined = self.compare("identity.toml", "sum.toml", *self.LN_3, code=0)
        self.assertEqual((refined["verdict"], refined["from"], refined["to"]), ("refines", "identity.toml at ln 3", "sum.toml at ln 3"))
        # A sum has one row for all arrangements of the same values; here, each arrangement has its own row.
        self.assertEqual(len(refined["secrets"]), 9)
        self.assertEqual(self.compare("sum.toml", "identity.toml", *self.LN_3, code=1)["verdict"], "does-not-refine")
        table = flow("compare", "identity.toml", "sum.toml", *self.LN_3, cwd=self.folder)
        self.assertEqual(table.code, 0)
        self.assertIn("to every analyst, identity.toml at ln 3 is worth at least as much as sum.toml at ln 3", table.out)
        rows = list(csv.reader(io.StringIO(flow("compare", "sum.toml", "identity.toml", *self.LN_3, "--format", "csv",
                                                cwd=self.folder).out)))
        self.assertEqual(rows[1][0], "does-not-refine")

    def test_channels(self):
        self.survey("sum.toml")
        for name, epsilon in (("more.csv", "ln 3"), ("less.csv", "ln 2")):
            self.write(name, flow("channel", "sum.toml", "--epsilon", epsilon, "--format", "csv", cwd=self.folder).out)
        self.assertEqual(self.compare("more.csv", "less.csv", code=1)["secrets"][1], "(0,1)")
        self.compare("more.csv", "sum.toml", "--to", "ln 3", code=0)
        # Rows are matched by the names of the secrets.
        lines = (self.folder / "more.csv").read_text().splitlines()
        self.write("turned.csv", "\n".join([lines[0], *reversed(lines[1:])]) + "\n")
        self.compare("turned.csv", "more.csv", code=0)
        self.compare("more.csv", "turned.csv", code=0)

    def test_refusals(self):
        self.survey("sum.toml")
        self.survey("three.toml", participants="3")
        self.write("odd.csv", "secret,a,b\nx,1/2,1/3\n")
        self.write("short.csv", "secret,a,b\nx,1/2\n")
        self.write("twice.csv", "secret,a\nx,1\nx,1\n")
        self.write("open.csv", 'secret,a\n"x,1\n')
        self.write("word.csv", "secret,a\nx,one\n")
        def refuse(code, *arguments, part):
            self.assert_refused(flow("compare", *arguments, cwd=self.folder), code, *part)
        refuse(2, "sum.toml", part=["two files are compared"])
        refuse(2, "sum.toml", "sum.toml", "--from", "ln 3", part=["--to is missing"])
        refuse(2, "odd.csv", "sum.toml", "--from", "ln 3", part=["is a channel, and has no epsilon"])
        refuse(3, "sum.toml", "three.toml", *self.LN_3, part=["is a secret of three.toml at ln 3 and not of sum.toml at ln 3"])
        refuse(3, "odd.csv", "odd.csv", part=["adds up to 5/6"])
        self.write("rounded.csv", flow("channel", "sum.toml", "--epsilon", "1", "--format", "csv", cwd=self.folder).out)
        refuse(3, "rounded.csv", "rounded.csv", part=["adds up to", "prints it at an epsilon where all entries are fractions"])
        # Once, the hint was to print it for a logarithm; here it was printed for one, whose root is not rational.
        self.write("rounded.csv", flow("channel", EXAMPLES / "root_of_odds.toml", "--epsilon", "ln 3", "--format", "csv").out)
        refuse(3, "rounded.csv", "rounded.csv", part=["adds up to", "prints it at an epsilon where all entries are fractions"])
        refuse(3, "short.csv", "odd.csv", part=["short.csv:2: 2 cells"])
        refuse(3, "twice.csv", "odd.csv", part=["twice.csv:3: a secret appears twice"])
        self.write("same.csv", "secret,a,a\nx,1/2,1/2\n")
        self.write("one.csv", "secret,a,b\nx\n")
        refuse(3, "same.csv", "odd.csv", part=["same.csv:1: an observation appears twice"])
        refuse(3, "one.csv", "odd.csv", part=["one.csv:2: 1 cell, but the first line has 3"])
        refuse(3, "open.csv", "odd.csv", part=["open.csv:2: a quote is not closed"])
        refuse(3, "word.csv", "odd.csv", part=["word.csv:2: cell 2 is not a number"])
        refuse(3, "absent.csv", "odd.csv", part=["cannot open absent.csv"])

    def verified(self, document, code, outcome, *of):
        name = self.write("certificate.json", document if isinstance(document, str) else json.dumps(document))
        report = self.json("verify", name, *of, code=code)
        self.assertEqual(report["certificate"], outcome, (document, report))
        return report

    def forged(self, document, *of, **changes):
        """Requires that verification fails, with a reason."""
        with self.subTest(**changes):
            self.assertTrue(self.verified(dict(document, **changes), 1, "fails", *of)["trouble"])

    def test_a_certificate_of_a_file_is_bound_to_it(self):
        """Everything printed is bound to the file, except for the reason."""
        self.survey("sum.toml")
        self.survey("other.toml", perturber='"randomized-response"')
        of = ("--of", "sum.toml")
        pair = self.json("check", "sum.toml", *LN_3_TO_LN_2, code=1)
        report = self.verified(pair, 0, "holds", *of)
        self.assertEqual(report["unchecked"], ["the reason, which is only words"])
        self.assertIn("these are the pipeline's channels", self.verified(pair, 0, "holds")["unchecked"][0])
        self.forged(pair, *of, epsilon_from="ln 2", epsilon_to="ln 3")
        self.forged(pair, *of, epsilon_from="ln 4")
        self.forged(pair, *of, about="3 participants")
        self.forged(pair, *of, secrets=pair["secrets"][::-1])
        self.forged(pair, *of, observations=pair["observations"][::-1])
        self.forged(pair, "--of", "other.toml")
        for names in (["same"] * len(pair["secrets"]), pair["secrets"][:-1]):
            self.forged(pair, secrets=names)
        self.forged(pair, observations=["same"] * len(pair["observations"]))
        # Without its channels, a certificate proves nothing by itself. With the file, the channels are multiplied out.
        short = {name: value for name, value in pair.items() if not name.startswith("channel")}
        self.verified(short, 6, "nothing")
        self.verified(short, 0, "holds", *of)
        self.assert_refused(flow("verify", self.write("more.json", json.dumps(dict(pair, note="believe me"))), cwd=self.folder), 3,
                            "it has a member that no certificate of its kind has")

    def test_a_certificate_of_a_range_is_bound_to_it(self):
        document = self.json("check", D1, "--epsilon", "ln 3..ln 4", code=1)
        of = ("--of", D1)
        self.assertEqual(self.verified(document, 0, "holds", *of)["unchecked"],
                         ["that the loss rises from end to end of each window, and nowhere else", "the reason, which is only words"])
        self.assertIn("where the loss of the file's analyst rises", self.verified(document, 0, "holds")["unchecked"])
        self.forged(document, epsilon_low="ln 5", epsilon_high="ln 6")
        self.forged(document, epsilon_high="ln 31/10")
        self.forged(document, odds_from="5")
        self.forged(document, *of, odds_from="399/100")
        self.forged(document, odds_from=document["odds_to"], odds_to=document["odds_from"])

        def windows(**changes):
            [window] = document["analyst"]["windows"]
            return dict(document["analyst"], windows=[dict(window, **changes)])

        proof = document["analyst"]["windows"][0]["proof"]
        self.assertTrue(1500 < Fraction(proof["loss_from"]) < 2000)
        rounded = dict(document, analyst=windows(proof=dict(proof, loss_to="2e3")))
        self.verified(rounded, 0, "holds", *of)
        self.forged(document, *of, analyst=windows(proof=dict(proof, loss_to="3e3")))
        self.forged(document, *of, analyst=windows(proof=dict(proof, loss_to="1e9")))

        [window] = document["analyst"]["windows"]
        self.forged(document, analyst=windows(odds_from="3.6", epsilon_from="1.280934", proof=window["proof"]))
        self.forged(document, analyst=windows(odds_to="9", epsilon_to="2.197225"))
        self.forged(document, analyst=windows(epsilon_to="1.300000"))
        self.forged(document, analyst=windows(proof=dict(window["proof"], loss_from=window["proof"]["loss_to"])))
        self.forged(document, analyst=dict(document["analyst"], windows=[]))
        self.forged(document, analyst=dict(document["analyst"], windows_by="hearsay"))
        unproved = {name: value for name, value in window.items() if name != "proof"}
        report = self.verified(dict(document, analyst=dict(document["analyst"], windows=[unproved])), 0, "holds", *of)
        self.assertIn("that the loss rises in the windows that have no proof", report["unchecked"])
        # A proof shows one rise within its window. A window that is said to reach further is not refuted, and the report says what it left out.
        wider = dict(document, analyst=windows(odds_from="3.1", epsilon_from="1.131402"))
        self.assertIn("that the loss rises from end to end of each window, and nowhere else", self.verified(wider, 0, "holds", *of)["unchecked"])
        self.forged(document, *of, analyst=windows(proof=dict(window["proof"], loss_from="1", loss_to="2")))
        self.forged(document, *of, analyst=windows(odds_from="3.1", epsilon_from="1.131402",
                                                   proof=dict(window["proof"], odds_from="31/10")))

    def test_a_theorem_is_about_a_range_without_windows(self):
        file = EXAMPLES / "response_count.toml"
        document = self.json("check", file, "--epsilon", "ln 2..ln 3")
        self.verified(document, 0, "holds", "--of", file)
        self.forged(document, "--of", file, epsilon_low="ln 4")
        self.forged(document, "--of", file, epsilon_low="ln 3")
        window = {"odds_from": "2.1", "odds_to": "2.2", "epsilon_from": "0.741937", "epsilon_to": "0.788457"}
        self.forged(document, "--of", file, analyst={"verdict": "unstable", "windows_by": "proved", "windows": [window]})

    def test_a_certificate_of_one_loss_is_bound_to_it(self):
        file = self.survey(participants="2", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        proved = self.json("check", file, *LN_3_TO_LN_2, "--any-prior")
        self.survey("bayes.toml", participants="2", secret='"histogram"', post='"mode"', analyst={"loss": '"bayes-risk"'})
        self.verified(proved, 0, "holds")
        self.verified(proved, 0, "holds", "--of", file)
        self.forged(proved, "--of", "bayes.toml")
        self.forged(proved, randomized=proved["randomized"][1:] + proved["randomized"][:1])
        self.forged(proved, verdict="worth-less")

        # What is proved for the loss of one participant, without a matrix, says nothing of a target among others: these three are counted less
        # often at the larger epsilon, and hide the target more.
        def target(name, participants, known):
            matrix = '{ matrix = [["9/10", "1/10", 0], ["1/10", "9/10", 0], ["1/odds", 0, "1 - 1/odds"]] }'
            return self.survey(name, participants=participants, values="[0, 1, 2]", perturber=matrix, post='{ query = "count", of = [0] }',
                               secret='"target"', known=known, analyst={"loss": "[[0, 1], [1, 0], [0, 0]]"})
        def checked(file):  # with a warning that the matrix does not cost epsilon
            arguments = ("check", file, "--from", "ln 2", "--to", "ln 1.01", "--any-prior", "--format", "json")
            return json.loads(flow(*arguments, cwd=self.folder).out)
        alone = checked(target("alone.toml", "1", "[]"))
        among = target("among.toml", "4", "[2, 2, 2]")
        self.assertEqual((alone["verdict"], checked(among)["verdict"]), ("worth-as-much", "worth-less"))
        self.write("forged.json", json.dumps(dict(alone, about="one participant")))
        result = flow("verify", "forged.json", "--of", among, cwd=self.folder)
        self.assertEqual(result.code, 1, result.out)

        five = self.survey("five.toml", participants="5", secret='"histogram"', post='"mode"', analyst={"loss": '"argmax-accuracy"'})
        refuted = self.json("check", five, *LN_3_TO_LN_2, "--any-prior", code=1)
        self.verified(refuted, 0, "holds", "--of", five)
        self.forged(refuted, verdict="worth-as-much")

    def test_a_comparison_is_bound_to_its_files(self):
        self.survey("sum.toml")
        self.survey("identity.toml", post='"identity"')
        document = self.json("compare", "identity.toml", "sum.toml", *self.LN_3)
        of = ("--of", "identity.toml", "--other", "sum.toml")
        self.verified(document, 0, "holds", *of)
        self.forged(document, *of, to="sum.toml at ln 2")
        self.forged(document, *of, observations_to=document["observations_to"][::-1])
        for given, part in ((("--of", "sum.toml", "--other", "sum.toml"), "the certificate is of another file"),
                            (("--of", "sum.toml"), "compares two files"), (("--other", "sum.toml"), "goes with --of")):
            name = self.write("certificate.json", json.dumps(document))
            self.assert_refused(flow("verify", name, *given, cwd=self.folder), 2, part)
        # Once, " at " in the name of a file was taken for what stands before an epsilon.
        self.write("as at first.csv", "secret,y,n\na,0.7,0.3\nb,0.3,0.7\n")
        self.write("later.csv", "secret,y,n\na,0.6,0.4\nb,0.4,0.6\n")
        of = ("--of", "as at first.csv", "--other", "later.csv")
        self.verified(self.json("compare", "as at first.csv", "later.csv"), 0, "holds", *of)

    def test_channels_are_multiplied_out_a_second_time(self):
        """This code is not shared with any finder. For releases, it uses the definitions of their mechanisms."""
        for name in REFINES + DOES_NOT + RELEASES:
            file = EXAMPLES / f"{name}.toml"
            document = self.json("check", file, "--from", "2 ln 3", "--to", "2 ln 2", code=None)
            unchecked = self.verified(document, 0, "holds", "--of", file)["unchecked"]
            self.assertFalse(any("the second way of multiplying them out" in note for note in unchecked), name)

    def test_certificates_about_a_part(self):
        """A certificate about one participant, the target alone, one bar or one unknown decides about the file. It names that part."""
        target = {"secret": '"target"', "participants": "4", "known": "[0, 1, 2]"}
        for changes, codes in (({"post": '"identity"'}, (0, 1)), ({"post": '{ query = "count", of = [0] }'}, (1, 1)),
                               ({"post": '"identity"', **target}, (0, 1)), ({"post": '{ query = "count", of = [0, 2] }', **target}, (0, 1)),
                               ({"post": '"identity"', "secret": '"histogram"'}, (0, 1)),
                               ({"post": '{ query = "count", of = [0, 2] }', "participants": "1000"}, (0, 1)),
                               ({"post": '"sum"', "values": "[0, 1]", "participants": "600"}, (0, 1)),
                               ({"post": '"sum"', "values": "[0, 1]", "secret": '"target"', "participants": "600",
                                 "known": "{ histogram = [300, 299] }"}, (0, 1)),
                               ({"post": '{ query = "count", of = [0] }', "participants": "400"}, (1, 1)),
                               ({"post": "{ round = 1 }"}, (0, 1)), ({"perturber": '["geometric", "geometric"]'}, (1, 1))):
            file = self.survey(**changes)
            for epsilons, code in zip((("ln 3", "ln 2"), ("ln 2", "ln 3")), codes):
                document = self.json("check", file, "--from", epsilons[0], "--to", epsilons[1], code=code)
                self.verified(document, 0, "holds", "--of", file)
                self.forged(document, "--of", file, about="nobody at all")

    def test_verify(self):
        """Every printed certificate holds, and no altered one does."""
        self.survey("sum.toml")
        self.survey("identity.toml", post='"identity"')
        bars = self.survey("bars.toml", participants="5", post='"mode"', secret='"histogram"', analyst={"loss": '"argmax-accuracy"'})
        printed = [self.json("check", "sum.toml", *LN_3_TO_LN_2, code=1),
                   self.json("check", "identity.toml", *LN_3_TO_LN_2),
                   self.json("check", "sum.toml", "--epsilon", "ln 2..ln 3", code=1),
                   self.json("compare", "identity.toml", "sum.toml", *self.LN_3),
                   self.json("compare", "sum.toml", "identity.toml", *self.LN_3, code=1),
                   self.json("check", bars, *LN_3_TO_LN_2, "--any-prior", code=1)]
        for document in printed:
            self.verified(document, 0, "holds")
            claimed = dict(document, verdict="refines" if "counterexample" in document else "does-not-refine")
            self.verified(claimed, 1, "fails")
            # Each of these is altered: the channel, the witness, the losses.
            channel = json.loads(json.dumps(document["channel_to"]))
            channel[0][0] = str(Fraction(channel[0][0]) + Fraction(1, 100))
            self.verified(dict(document, channel_to=channel), 1, "fails")
            if "witness" in document:
                witness = json.loads(json.dumps(document["witness"]))
                witness[0][0] = str(Fraction(witness[0][0]) + 1)
                self.verified(dict(document, witness=witness), 1, "fails")
            else:
                analyst = dict(document["counterexample"], loss_to="0")
                self.verified(dict(document, counterexample=analyst), 1, "fails")
                analyst = dict(document["counterexample"], prior=["1"])
                self.verified(dict(document, counterexample=analyst), 1, "fails")
        self.assertEqual([document["about"] for document in printed[:2]], ["2 participants", "one participant"])

    def test_nothing_to_verify(self):
        self.survey("identity.toml", post='"identity"')
        self.verified(self.json("check", "identity.toml", "--epsilon", "ln 2..ln 3"), 6, "nothing")
        file = self.survey(participants="1000", post='{ query = "count", of = [0] }')
        self.verified(self.json("check", file, *LN_3_TO_LN_2, code=1), 6, "nothing")
        for text, part in (("[]", "not a JSON object"), ("{}", 'no "verdict"'), ("{", "not JSON"), ('{"verdict": 1}', "expected a text"),
                           ('{"schema_version": 2, "program": "fractile", "quantiles": []}', 'no "verdict"'),
                           ('{"verdict": "refines", "witness": [["x"]], "channel_from": [], "channel_to": []}', "a fraction in quotes")):
            self.write("bad.json", text)
            self.assert_refused(flow("verify", "bad.json", cwd=self.folder), 3, "this is not a certificate", part)
        self.assert_refused(flow("verify", cwd=self.folder), 2, "no FILE to check")

    def test_certificates_of_other_versions(self):
        result = flow("check", self.survey(), *LN_3_TO_LN_2, "--format", "json", cwd=self.folder)
        document = json.loads(result.out)
        self.verified(document, 0, "holds")
        for version in (0, 2, 1.0, "1", -1, None):
            self.write("other.json", json.dumps(document | {"schema_version": version}))
            self.assert_refused(flow("verify", "other.json", cwd=self.folder), 3, "schema_version is not 1", '"program" names')

    def test_a_theorem_needs_its_verdict(self):
        document = self.json("check", EXAMPLES / "response_count.toml", "--epsilon", "ln 2..ln 3")
        self.assertIn("theorem", document)
        for changes, trouble in (({"verdict": "undecided"}, 'its verdict is not "stable"'),
                                 ({"witness": [["1"]]}, "it names a theorem, and also holds a witness")):
            name = self.write("odd.json", json.dumps(document | changes))
            self.assertIn(trouble, flow("verify", name, cwd=self.folder).out)


if __name__ == "__main__":
    unittest.main()
