"""fractile flow against the model of flow_model.py, on random pipelines."""

import concurrent.futures
import csv
import io
import itertools
import json
import math
import multiprocessing.util
import random
import re
import traceback
import unittest
from fractions import Fraction

from cli.flow_model import (
    Pipeline,
    Release,
    geometric,
    leakage,
    most_guessed,
    one_to_another,
    possibilities_of,
    posterior_loss,
    ratios_of,
    root,
)
from cli.program import EFFORT, CommandTest, WarmProgram, run

PIPELINES = max(1, int(120 * EFFORT))
RELEASES = max(1, int(30 * EFFORT))


def drawn_row(draw, size):
    parts = [draw.randrange(5) for _ in range(size)]
    parts[draw.randrange(size)] += 1
    return [Fraction(part, sum(parts)) for part in parts]


def drawn_perturber(draw, values, participants):
    def one():
        if draw.random() < 0.2:
            return ("matrix", [drawn_row(draw, values) for _ in range(values)])
        return (draw.choice(["geometric", "randomized-response"]),)

    if participants > 1 and draw.random() < 0.15:
        return [one() for _ in range(participants)]
    if draw.random() < 0.15:  # designs
        return draw.choice([("at", Fraction(draw.randrange(2, 5)), one()), ("times", Fraction(draw.choice((2, 3))), one()),
                            ("times", Fraction(1, 2), one()), ("hadamard",), ("subset", draw.randrange(1, values)),
                            ("symmetric-unary",), ("optimized-unary",)])
    return ("wide", 1) if draw.random() < 0.1 else one()


def degree_of(perturber):
    """The model is rational where odds are this power of a rational number."""
    if isinstance(perturber, Release):
        return perturber.degree()
    has_roots = isinstance(perturber, tuple) and (perturber[0] == "symmetric-unary" or perturber[:2] == ("times", Fraction(1, 2)))
    return 2 if has_roots else 1


def grid_between(low, high, parts, pipeline):
    """Odds between `low` and `high` at which the model is rational."""
    degree = degree_of(pipeline.perturber)
    low, high = root(low, degree), root(high, degree)
    return [(low + (high - low) * Fraction(i, parts)) ** degree for i in range(parts + 1)]


def drawn_post(draw, answers, participants):
    kind = draw.choice(["sum", "mode", "identity", "count", "table", "round", "shuffle"])
    if kind == "count":
        return kind, sorted(draw.sample(range(answers), draw.randrange(1, answers + 1)))
    if kind == "table":
        outputs = [draw.randrange(3) for _ in range(answers**participants)]
        known = sorted(set(outputs))
        return kind, [known.index(output) for output in outputs]
    return (kind, Fraction(draw.randrange(1, 5))) if kind == "round" else kind


def drawn_pipeline(draw):
    participants = draw.randrange(1, 4)
    size = draw.randrange(2, 4)
    first, step = Fraction(draw.randrange(-4, 5), draw.randrange(1, 3)), Fraction(draw.choice([1, 2, 3, -1]), draw.randrange(1, 3))
    values = [first + step * i for i in range(size)]
    secret = draw.choice(["everyone", "everyone", "target", "histogram"])
    if secret == "histogram":
        perturber = (draw.choice(["geometric", "randomized-response"]),)
        return Pipeline(participants, values, perturber, draw.choice(["mode", "mode", "identity"]), secret)
    perturber = drawn_perturber(draw, size, participants)
    draft = Pipeline(participants, values, perturber, "identity")
    answers = len(draft.answers())
    if answers**participants > 100:  # the bits of all participants take long here
        participants, secret = 1, "everyone"
    known = tuple(sorted(draw.randrange(size) for _ in range(participants - 1))) if secret == "target" else ()
    post = drawn_post(draw, answers, participants)
    if perturber[0] in ("symmetric-unary", "optimized-unary") and draw.random() < 0.5:
        post = "bits"
    return Pipeline(participants, values, perturber, post, secret, known)


def drawn_release(draw):
    """A random release of a few records on a few candidates."""
    records, size = draw.randrange(1, 4), draw.randrange(2, 4)
    first, step = draw.randrange(-2, 3), Fraction(draw.randrange(1, 4), draw.randrange(1, 3))
    mechanism = draw.choice(["exponential", "gumbel-max", "approximate", "approximate"])
    shares = [Fraction(0), Fraction(1, 2), Fraction(1, 3), Fraction(3, 4), Fraction(1)]
    quantiles = tuple(sorted(draw.sample(shares, draw.randrange(1, 3) if mechanism == "approximate" else 1)))
    secret = draw.choice(["everyone", "target"])
    known = tuple(sorted(draw.randrange(size) for _ in range(records - 1))) if secret == "target" else ()
    post = draw.choice(["identity", "identity", "sum", "count"])
    if post == "count":
        post = post, sorted(draw.sample(range(size), draw.randrange(1, size + 1)))
    return Pipeline(records, [first + step * i for i in range(size)], Release(mechanism, quantiles, draw.choice(["add-remove", "change-one"])),
                    post, secret, known)


class Model(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = WarmProgram(self.folder)
        self.addCleanup(self.program.close)

    def json(self, *arguments):
        result = self.program.run("flow", *arguments, "--format", "json")
        self.assertIn(result.code, (0, 1, 6), (arguments, result, (self.folder / "p.toml").read_text()))
        self.assertEqual(result.err, "")
        return json.loads(result.out)

    def rows(self, pipeline, names, odds):
        secrets = pipeline.secrets()
        return [pipeline.row(secrets[name], odds) for name in names]

    def test_random_pipelines(self):
        self.all_agree(disagreement, PIPELINES)

    def test_random_releases(self):
        """A curator's quantiles agree with the definitions of their mechanisms."""
        self.all_agree(disagreement_of_release, RELEASES)

    def all_agree(self, disagreement, count):
        with concurrent.futures.ProcessPoolExecutor() as pool:
            for seed, trouble in enumerate(pool.map(disagreement, range(count), chunksize=5)):
                with self.subTest(seed=seed):
                    self.assertIsNone(trouble)

    def agrees(self, draw, pipeline):
        high = Fraction(draw.randrange(5, 17), 4)
        low = 1 + (high - 1) * Fraction(draw.randrange(1, 4), 4)
        degree = degree_of(pipeline.perturber)
        if pipeline.is_release():  # this keeps odds small
            high, low = 1 + (high - 1) / degree, 1 + (low - 1) / degree
        high, low = high**degree, low**degree
        self.write("p.toml", pipeline.toml())
        names, observations = self.agrees_in_channel(pipeline, high)
        self.agrees_in_refinement(pipeline, high, low)
        self.agrees_in_stability(pipeline, high, low)
        self.agrees_in_loss(draw, pipeline, names, high, low)
        self.agrees_in_leakage(draw, pipeline, high)
        self.assertEqual(len(set(observations)), len(observations))

    def agrees_in_channel(self, pipeline, odds):
        document = self.json("channel", "p.toml", "--epsilon", f"ln {odds}")
        names, observations = document["secrets"], document["observations"]
        for name, row, law in zip(names, document["matrix"], self.rows(pipeline, names, odds)):
            found = {observation: Fraction(p) for observation, p in zip(observations, row) if Fraction(p) != 0}
            self.assertEqual(found, {observation: p for observation, p in law.items() if p != 0}, name)
        # A row stands for all arrangements of its values.
        secrets = pipeline.secrets()
        self.assertEqual(sum(map(int, document["arrangements"])), len(secrets))
        if len(names) < len(secrets):
            self.assertEqual(set(names), {name for name, places in secrets.items() if pipeline.arranged(places) == places})
            for name in draw_some(secrets):
                same = next(other for other, tuple_ in secrets.items() if tuple_ == pipeline.arranged(secrets[name]))
                self.assertEqual(pipeline.row(secrets[name], odds), pipeline.row(secrets[same], odds))
        return names, observations

    def part(self, pipeline, document):
        """The pipeline that the certificate is about."""
        about = document["about"]
        if about == "one bar":
            return Pipeline(1, list(range(pipeline.participants + 1)), pipeline.perturber, "identity")
        others = re.fullmatch(r"a target whose (\d+) others? (?:is|are) known", about)
        if about in ("one participant", "the target alone"):
            perturber = pipeline.perturber[-1] if isinstance(pipeline.perturber, list) else pipeline.perturber
            post = "identity" if pipeline.participants > 1 and isinstance(pipeline.post, tuple) and pipeline.post[0] == "table" else pipeline.post
            return Pipeline(1, pipeline.values, perturber, post)
        if others and pipeline.secret == "everyone":
            return Pipeline(pipeline.participants, pipeline.values, pipeline.perturber, pipeline.post, "target", (0,) * int(others[1]))
        return pipeline

    def check_certificate(self, pipeline, document, high, low):
        part = self.part(pipeline, document)
        before, after = (self.rows(part, document["secrets"], odds) for odds in (high, low))
        if "witness" in document:
            witness = [[Fraction(p) for p in row] for row in document["witness"]]
            self.assertTrue(one_to_another(before, witness, after, document["observations"]), part)
            return
        example = document["counterexample"]
        prior = [Fraction(p) for p in example["prior"]]
        loss = [[Fraction(entry) for entry in row] for row in example["loss"]]
        losses = [posterior_loss(prior, rows, loss) for rows in (before, after)]
        self.assertEqual(losses, [Fraction(example["loss_from"]), Fraction(example["loss_to"])])
        self.assertGreater(*losses)

    def agrees_in_refinement(self, pipeline, high, low):
        for first, second in ((high, low), (low, high)):
            document = self.json("check", "p.toml", "--from", f"ln {first}", "--to", f"ln {second}")
            self.assertNotEqual(document["verdict"], "undecided")
            self.check_certificate(pipeline, document, first, second)
            self.write("c.json", json.dumps(document))
            if first == high:
                self.assertEqual(self.json("verify", "c.json")["certificate"], "holds")
            self.assertEqual(self.json("verify", "c.json", "--of", "p.toml")["certificate"], "holds", document)

    def agrees_in_stability(self, pipeline, high, low):
        document = self.json("check", "p.toml", "--epsilon", f"ln {low}..ln {high}")
        if document["verdict"] == "unstable":
            more, less = Fraction(document["odds_from"]), Fraction(document["odds_to"])
            self.assertTrue(low <= less < more <= high)
            self.check_certificate(pipeline, document, more, less)
            self.write("c.json", json.dumps(document))
            self.assertEqual(self.json("verify", "c.json", "--of", "p.toml")["certificate"], "holds", document)
        elif document["verdict"] == "stable":
            for first, second in itertools.combinations(reversed(grid_between(low, high, 2, pipeline)), 2):
                pair = self.json("check", "p.toml", "--from", f"ln {first}", "--to", f"ln {second}")
                self.assertEqual(pair["verdict"], "refines")
            self.write("c.json", json.dumps(document))
            found = self.json("verify", "c.json", "--of", "p.toml")["certificate"]
            # Small steps are checked a second time only if the polynomials are short.
            self.assertIn(found, ("holds", "nothing") if document["theorem"] == "small-steps" else ("holds",), document)

    def agrees_in_loss(self, draw, pipeline, names, high, low):
        prior = drawn_row(draw, len(names))
        loss = [[Fraction(draw.randrange(5)) for _ in range(3)] for _ in names]
        analyst = {"loss": json.dumps([[str(entry) for entry in row] for row in loss]), "prior": json.dumps([str(p) for p in prior])}
        self.write("p.toml", pipeline.toml(analyst))

        def model(odds):
            return posterior_loss(prior, self.rows(pipeline, names, odds), loss)

        for odds in (low, high):
            document = self.json("loss", "p.toml", "--epsilon", f"ln {odds}", "--exact")
            self.assertEqual(Fraction(document["expected_loss"]), model(odds))
        grid = grid_between(low, high, 6, pipeline)
        self.agrees_in_windows(model, grid)
        self.agrees_in_choice(draw, model, grid)
        pair = self.json("check", "p.toml", "--from", f"ln {high}", "--to", f"ln {low}", "--any-prior")
        if pair["verdict"] == "worth-as-much":
            self.assertLessEqual(model(high), model(low))
        self.write("c.json", json.dumps(pair))
        if pair["verdict"] != "undecided":
            self.assertEqual(self.json("verify", "c.json", "--of", "p.toml")["certificate"], "holds", pair)

    def drawn_prior(self, draw, pipeline):
        """A random prior over all secrets of the model, and how the file writes it."""
        secrets = pipeline.secrets().values()
        if pipeline.secret == "target":
            prior = drawn_row(draw, len(pipeline.values))
            return prior, {"loss": '"bayes-risk"', "prior": json.dumps([str(p) for p in prior])}
        if pipeline.secret == "histogram" or draw.random() < 0.5:
            return [Fraction(1, len(secrets))] * len(secrets), None
        of_one = drawn_row(draw, len(pipeline.values))
        prior = [math.prod(of_one[place] for place in places) for places in secrets]
        return prior, {"loss": '"bayes-risk"', "prior": f"{{ participants = {json.dumps([str(p) for p in of_one])} }}"}

    def drawn_guess(self, draw, pipeline):
        """A random guess, in the model's form and in the command line's."""
        is_table = isinstance(pipeline.post, tuple) and pipeline.post[0] == "table"
        if draw.random() < 0.3 and pipeline.participants > 1 and pipeline.secret != "histogram" and not is_table and not pipeline.is_release():
            return "presence", "presence"
        if draw.random() < 0.5:
            return "value", "value"
        if draw.random() < 0.5:
            limit = sorted(pipeline.values)[draw.randrange(len(pipeline.values) - 1)]
            return [0 if value > limit else 1 for value in pipeline.values], f"above:{limit}"
        first = draw.randrange(1, len(pipeline.values))
        chosen = draw.sample(range(len(pipeline.values)), first)
        return ([0 if place in chosen else 1 for place in range(len(pipeline.values))],
                "among:" + ",".join(str(pipeline.values[place]) for place in chosen))

    def agrees_in_leakage(self, draw, pipeline, odds):
        prior, analyst = self.drawn_prior(draw, pipeline)
        guess, typed = self.drawn_guess(draw, pipeline)
        self.write("g.toml", pipeline.toml(analyst))
        document = self.json("leakage", "g.toml", "--epsilon", f"ln {odds}", "--guess", typed)
        before, after, capacity = leakage(pipeline, guess, prior, odds)
        for name, number in (("before", before), ("after", after), ("capacity", capacity)):
            if len(str(number)) <= 200:
                self.assertEqual(Fraction(document[name]), number, (pipeline, typed, name))
        self.assertTrue(before <= after <= before * capacity, pipeline)
        possibilities = possibilities_of(pipeline, guess, prior, odds)
        self.assertEqual([Fraction(one["prior"]) for one in document["possibilities"]], possibilities)
        ratios = None if guess == "presence" else ratios_of(pipeline, guess, odds)
        if ratios is None or (pipeline.secret == "histogram" and pipeline.participants > 1):
            return self.assertIsNone(document["allowed"], (pipeline, typed, document["promise"]))
        allowed = most_guessed(possibilities, ratios)
        if len(str(allowed)) <= 200:
            self.assertEqual(Fraction(document["allowed"]), allowed, (pipeline, typed))
        else:
            self.assertLess(abs(Fraction(document["allowed"]) - allowed), Fraction(1, 10**25), (pipeline, typed))
        self.assertLessEqual(after, allowed)

    def agrees_in_windows(self, model, grid):
        low, high = grid[0], grid[-1]
        result = self.program.run("flow", "sweep", "p.toml", "--epsilon", f"ln {low}..ln {high}", "--points", "2", "--format", "csv")
        rows = [row for row in csv.DictReader(io.StringIO(result.out)) if row["what"] == "window"]
        losses = [model(odds) for odds in grid]
        for left, right, before, after in zip(grid, grid[1:], losses, losses[1:]):
            inside = [row for row in rows if Fraction(row["odds"]) < right and left < Fraction(row["odds_to"])]
            if before < after:
                self.assertTrue(inside, (left, right))
            whole = [row for row in inside if Fraction(row["odds"]) <= left and right <= Fraction(row["odds_to"]) and row["change"] == "rises"]
            if whole:
                self.assertLess(before, after)

    def agrees_in_choice(self, draw, model, grid):
        low, high = grid[0], grid[-1]
        losses = [model(odds) for odds in grid]
        most = draw.choice([draw.choice(losses), sum(losses) / 7, (min(losses) + max(losses)) / 2])
        document = self.json("choose", "p.toml", "--loss", str(most), "--epsilon", f"ln {low}..ln {high}")
        found = {name: [(Fraction(entry["odds_from"]), Fraction(entry["odds_to"])) for entry in document[name]]
                 for name in ("served", "not_served", "not_known")}
        for odds, loss in zip(grid, losses):
            for name, is_so in (("served", loss <= most), ("not_served", loss > most)):
                if any(start <= odds <= end for start, end in found[name]):
                    self.assertTrue(is_so, (name, odds, loss, most))
        # Everything is decided except what is next to the ends.
        known = sum(end - start for name in ("served", "not_served") for start, end in found[name])
        if document["analysts"][0]["windows_by"] != "none" or most >= model(Fraction(1)):
            self.assertGreater(known, (high - low) - Fraction(1, 10**4), document)


ASKER = []  # one per process; its program stays loaded


def disagreement_of_release(seed):
    return disagreement(seed, drawn_release)


def disagreement(seed, drawn=drawn_pipeline):
    """The error where the program disagrees with the model on this pipeline; None if it agrees."""
    if not ASKER:
        ASKER.append(Model("test_random_pipelines"))
        ASKER[0].setUp()
        multiprocessing.util.Finalize(None, ASKER[0].doCleanups, exitpriority=10)
    draw = random.Random(seed)
    try:
        ASKER[0].agrees(draw, drawn(draw))
    except Exception:  # of any kind: the caller reports it with the seed
        return traceback.format_exc()
    return None


class Guessing(CommandTest):
    """Figures that docs/worth.md states."""

    def leakage(self, text, *arguments):
        self.write("p.toml", text)
        result = run("flow", "leakage", "p.toml", *arguments, "--format", "json", cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return json.loads(result.out)

    def test_the_median_of_a_hundred(self):
        """The 99 others are spread evenly over ten values; the weights are e^(-epsilon max(below - n/2, above - n/2, 0))."""
        others = [10] * 9 + [9]
        rows = []
        for value in range(10):
            table = [count + (place == value) for place, count in enumerate(others)]
            scores = [max(sum(table[:place]) - 50, sum(table[place + 1:]) - 50, 0) for place in range(10)]
            weights = [math.exp(-score) for score in scores]
            rows.append([weight / sum(weights) for weight in weights])
        after = sum(max(column) for column in zip(*rows)) / 10
        found = self.leakage('[pipeline]\nsecret = "target"\nknown = { histogram = [10, 10, 10, 10, 10, 10, 10, 10, 10, 9] }\n'
                             'post = "identity"\nperturber = { release = "exponential", quantile = "1/2", records = 100, '
                             "lattice = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }\n", "--epsilon", "1")
        self.assertEqual(found["before"], "1/10")
        self.assertAlmostEqual(float(found["after"]), after, 12)
        self.assertEqual(found["after"][:5], "0.123")
        self.assertAlmostEqual(float(found["allowed"]), math.exp(2) / (math.exp(2) + 9), 12)
        self.assertAlmostEqual(float(found["capacity"]), 10 * after, 12)

    def test_answers_side_by_side(self):
        """The answers of hundreds of known others change nothing: the target's own answer decides."""
        lines = ("[pipeline]", "values = [0, 1, 2]", 'perturber = "geometric"', 'post = "identity"', "")
        known = 'participants = 300\nsecret = "target"\nknown = { histogram = [100, 100, 99] }\n'
        found = self.leakage("\n".join(lines) + known, "--epsilon", "ln 3")
        self.assertEqual([found[name] for name in ("after", "allowed", "capacity")], ["2/3", "2/3", "2"])
        for people in (known, "participants = 300\n"):
            self.write("p.toml", "\n".join(lines) + people)
            result = run("flow", "cost", "p.toml", "--epsilon", "ln 3", "--format", "json", cwd=self.folder)
            self.assertEqual(json.loads(result.out)["release"], "ln 9", result)

    def test_presence_in_a_release(self):
        """Adding or removing a record costs epsilon. A promise about equally many records does not limit guesses about presence."""
        text = ('[pipeline]\nsecret = "target"\nknown = [0, 1, 1, 2]\npost = "identity"\nperturber = { release = "exponential", '
                'quantile = "1/2", records = 5, lattice = [0, 1, 2], neighbors = "%s" }\n')
        found = self.leakage(text % "add-remove", "--epsilon", "ln 4", "--guess", "presence")
        self.assertEqual((found["before"], found["allowed"]), ("1/2", "4/5"))
        self.assertTrue(Fraction(1, 2) < Fraction(found["after"]) < Fraction(4, 5))
        self.assertIsNone(self.leakage(text % "change-one", "--epsilon", "ln 4", "--guess", "presence")["allowed"])

    def test_refusals(self):
        text = '[pipeline]\nparticipants = 1\nvalues = [0, 1]\nperturber = "geometric"\npost = "sum"\n'
        self.write("p.toml", text)
        for guess, words in (("presence", "a participant among others"), ("above:1", "no value is above 1"), ("above:-1", "all values"),
                             ("among:0,1", "all values are in one set"), ("among:2", "not one of the values"),
                             ("age", "'age' is not known"), ("above:x", "--guess"), ("among:", "--guess")):
            result = run("flow", "leakage", "p.toml", "--epsilon", "1", "--guess", guess, cwd=self.folder)
            self.assertEqual((result.code, result.out), (2, ""), (guess, result))
            self.assertIn(words, result.err)
            hinted = re.search(r"write for example --guess (\S+)\n", result.err)
            if hinted:  # then this guess fits the pipeline
                self.assertEqual(run("flow", "leakage", "p.toml", "--epsilon", "1", "--guess", hinted[1], cwd=self.folder).code, 0, result)

    def test_sweep(self):
        self.write("p.toml", '[pipeline]\nparticipants = 3\nvalues = [0, 1, 2]\nperturber = "geometric"\nsecret = "target"\n'
                             'known = [0, 2]\npost = "sum"\n')
        arguments = ("flow", "sweep", "p.toml", "--epsilon", "0.5..2", "--points", "4", "--guess", "value")
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv", "--figure", "g.svg", cwd=self.folder).out)))
        self.assertEqual([row["epsilon"] for row in rows], ["0.5", "1", "1.5", "2"])
        for row in rows:
            alone = self.leakage((self.folder / "p.toml").read_text(), "--epsilon", row["epsilon"])
            for name in ("after", "allowed", "capacity"):
                self.assertAlmostEqual(float(row[name]), float(alone[name]), 13)
        self.assertIn("epsilon alone allows", (self.folder / "g.svg").read_text())


class Paper(CommandTest):
    """Statements of kronecker-utility 2023 that, by docs/papers.md, are wrong or hold for another reason."""

    def test_left_inverses_need_not_be_stochastic(self):
        post = [[1], [1]]
        for inverse in ([1, 0], [Fraction(1, 2), Fraction(1, 2)], [2, -1]):
            self.assertEqual(sum(entry * row[0] for entry, row in zip(inverse, post)), 1)

    def test_the_proof_of_lemma_5_4(self):
        """The rows of the counted answers are equal for all arrangements; the rows of the tally are not such rows."""
        pipeline = Pipeline(3, [0, 1], ("matrix", [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]), "sum")
        rows = {places: pipeline.row(places, 1) for places in pipeline.secrets().values()}
        for places, row in rows.items():
            self.assertEqual(row, rows[tuple(sorted(places))])
            self.assertNotEqual(row, {str(sum(places)): 1})

    def test_section_7(self):
        """Counted zeros are worth less after the infinite geometric mechanism than after the truncated one, which also counts all answers below
        0. However far the answers reach, the count is the same, so it is that of the infinite mechanism."""
        def counting(perturber, zero):
            return Pipeline(2, [0, 1, 2], perturber, ("count", [zero]))

        truncated, wide = counting(("geometric",), 0), counting(("wide", 1), 1)
        for secret in wide.secrets().values():
            for reach in (2, 3):
                self.assertEqual(counting(("wide", reach), reach).row(secret, Fraction(3)), wide.row(secret, Fraction(3)))
        self.write("truncated.toml", truncated.toml())
        self.write("wide.toml", wide.toml())
        for names, code in ((("truncated.toml", "wide.toml"), 0), (("wide.toml", "truncated.toml"), 1)):
            result = run("flow", "compare", *names, "--from", "ln 3", "--to", "ln 3", cwd=self.folder)
            self.assertEqual((result.code, result.err), (code, ""), result)

    def test_lemma_8_1(self):
        """A changed vote changes two bars."""
        for people, values, odds in ((1, 2, 2), (2, 3, 2), (3, 3, 3), (4, 2, 3)):
            pipeline = Pipeline(people, list(range(values)), ("geometric",), "mode", "histogram")
            bars = pipeline.secrets().values()
            rows = {bar: pipeline.row(bar, Fraction(odds)) for bar in bars}
            neighbours = [(a, b) for a in bars for b in bars if sum(abs(x - y) for x, y in zip(a, b)) == 2]
            self.assertEqual(max(rows[a][shown] / rows[b][shown] for a, b in neighbours for shown in rows[a]), odds**2)

    def test_lemma_8_2(self):
        for values in ("[0, 1]", "[0, 1, 2]", "[0, 1, 2, 3]"):
            for people, verdict in (("1", "stable"), ("2", "unstable")):
                file = self.write("bars.toml", f'[pipeline]\nparticipants = {people}\nvalues = {values}\nperturber = "geometric"\n'
                                               'post = "mode"\nsecret = "histogram"\n')
                result = run("flow", "check", file, "--epsilon", "0.1..10", "--format", "json", cwd=self.folder)
                self.assertEqual(json.loads(result.out)["verdict"], verdict)

    def test_footnotes(self):
        # 11: the largest ratio per distance.
        for odds in (2, 3):
            rows = geometric(3, Fraction(odds))
            ratios = {(a, b): max(p / q for p, q in zip(rows[a], rows[b])) for a in range(3) for b in range(3) if a != b}
            self.assertEqual(max(ratios.values()), odds**2)
            self.assertTrue(all(ratio <= odds ** abs(a - b) for (a, b), ratio in ratios.items()))
        # 17: if it held, log (row[0] / row[1]) / epsilon would be the same number for all epsilons.
        multiples = [math.log(geometric(3, Fraction(odds))[0][0] / geometric(3, Fraction(odds))[0][1]) / math.log(odds) for odds in (3, 2)]
        self.assertAlmostEqual(multiples[0], 1.369, 3)
        self.assertAlmostEqual(multiples[1], 2, 12)


def draw_some(secrets):
    return list(secrets)[:: max(1, len(secrets) // 3)]


if __name__ == "__main__":
    unittest.main()
