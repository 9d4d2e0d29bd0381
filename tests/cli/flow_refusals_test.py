"""fractile flow, run as a process, refuses wrong files and options."""

import unittest

from cli.flows import LN_3_TO_LN_2, FlowTest, flow


class BadFiles(FlowTest):
    """The exit code is 3, and the message names the file, the line and the key."""

    def refuse(self, line, key, *parts, verb=("check", *LN_3_TO_LN_2), **changes):
        with self.subTest(**changes):
            place = "survey.toml: " if line is None else f"survey.toml:{line}: {key}: "
            word, *options = verb
            self.assert_refused(flow(word, self.survey(**changes), *options, cwd=self.folder), 3, place, *parts)

    def refuse_text(self, text, *parts):
        with self.subTest(text=text):
            name = self.write("survey.toml", text)
            self.assert_refused(flow("check", name, *LN_3_TO_LN_2, cwd=self.folder), 3, *parts)

    def test_participants(self):
        for value, what in (("0", "0 is not a whole number from 1"), ('"3/2"', "3/2 is not a whole number"),
                            ("true", "a number is expected, and this is true or false"), ("[2]", "this is a list"),
                            ("9999999999", "9999999999 is not a whole number from 1 to 1000000"),
                            ("2.5", "5/2 is not a whole number")):
            self.refuse(2, "pipeline.participants", what, participants=value)
        self.refuse(1, "pipeline.participants", "missing", "participants = 2", participants=None)

    def test_values(self):
        self.refuse(3, "pipeline.values", "a list is expected, and this is a number", values="3")
        self.refuse(3, "pipeline.values", "at least two values", values="[1]")
        self.refuse(3, "pipeline.values[2]", "the value 1/2 appears twice", values='[0, "1/2", "0.5"]')
        self.refuse(3, "pipeline.values[1]", "inf is not a number", 'write a number, 2 or 0.5, or in quotes a fraction: "1/2"', values="[0, inf]")
        self.refuse(3, "pipeline.values[2]", "the value 1/2 appears twice", values='[0, "1/2", 0.50]')  # exactly as written
        self.refuse(3, "pipeline.values[1]", "nan is not a number", values="[0, nan]")
        self.refuse(3, "pipeline.values[1]", "'one' is not a number", values='[0, "one"]')
        self.refuse(1, "pipeline.values", "missing", values=None)
        self.refuse(4, "pipeline.values[1]", "the value 0 appears twice", values="[0,\n0.0]")
        self.refuse(3, "pipeline.values", "1400000 values, but at most 4096", values=str(list(range(1400000))))

    def test_perturbers(self):
        self.refuse(4, "pipeline.perturber", "'geometrik' is not known", "did you mean geometric?", perturber='"geometrik"')
        self.refuse(4, "pipeline.perturber", "'laplace' is not known", "geometric, hadamard", perturber='"laplace"')
        self.refuse(4, "pipeline.perturber", "a word is expected", perturber="3")
        self.refuse(1, "pipeline.perturber", "missing", perturber=None)
        self.refuse(4, "pipeline.perturber.matrx", "unknown key", "did you mean matrix?", perturber="{ matrx = [[1]] }")
        self.refuse(4, "pipeline.perturber.matrix", "1 row, but 3 possible", perturber="{ matrix = [[1]] }")
        self.refuse(4, "pipeline.perturber[1]", "'geometrik' is not known", perturber='["geometric", "geometrik"]')
        self.refuse(4, "pipeline.perturber", "1, and there are 2 participants", perturber='["geometric"]')
        self.refuse(4, "pipeline.perturber", "one for every participant", perturber="[]")
        self.refuse(4, "pipeline.perturber[0]", "a release is of all participants", perturber='[{ release = "exponential" }]')
        self.refuse(4, "pipeline.perturber.geometric", "-1 is not a whole number", perturber="{ geometric = -1 }")
        self.refuse(7, "pipeline.answers", "2 in place of the perturber's 3", answers="[0, 1]")
        self.refuse(7, "pipeline.answers", "do not continue the values", perturber="{ geometric = 1 }",
                    answers="[0, 1, 2, 3, 4]")
        self.refuse(7, "pipeline.matrix", "there is already a perturber", matrix="[[1]]")

    def test_matrices(self):
        def refuse(matrix, key, *parts):
            self.refuse(6, f"pipeline.{key}", *parts, perturber=None, matrix=matrix)

        refuse('[["1/2", 0, 0], [0, 1, 0], [0, 0, 1]]', "matrix", "adds up to 1/2, not to 1")
        refuse("[[2, -1, 0], [0, 1, 0], [0, 0, 1]]", "matrix", "negative entry")
        refuse("[[1, 0, 0], [0, 1], [0, 0, 1]]", "matrix[1]", "a row of 2 entries, but the first has 3")
        refuse("[[1, 0, 0], [0, 0.9, 0.0], [0, 0, 1]]", "matrix", "adds up to 9/10, not to 1")
        refuse("[[1, 0, 0], 1, [0, 0, 1]]", "matrix[1]", "a list is expected")
        refuse("[[], [], []]", "matrix[0]", "a row without entries")
        refuse("[[1, 0, 0], [1], [0, 0, 1]]", "matrix[1]", "a row of 1 entry, but the first has 3")
        refuse("[]", "matrix", "a matrix without rows")
        odds = '["odds/(odds + 2)", "1/(odds + 2)", "1/(odds + 2)"]'
        refuse(f"[{odds}, {odds}, [0, 0, \"odd\"]]", "matrix", "only numbers and odds are allowed")
        refuse(f"[{odds}, {odds}, [0, \"1 - odds\", \"odds\"]]", "matrix", "negative at some odds >= 1")
        refuse(f"[{odds}, {odds}, [0, 0, \"1/odds\"]]", "matrix", "a row does not add up to 1")
        refuse(f"[{odds}, {odds}, [0, 0, \"odds/(odds-3)\"]]", "matrix", "divides by zero")
        # If the answers are not the values, the file must list them.
        self.refuse(1, "pipeline.answers", "missing", "2 of them", perturber=None, matrix="[[1, 0], [0, 1], [1, 0]]")

    def test_post_processors(self):
        def refuse(post, key, *parts):
            self.refuse(5, f"pipeline.post{key}", *parts, post=post)

        refuse('"avg"', "", "'avg' is not known", "bits, count, identity, mode, shuffle, sum")
        refuse('"count"', "", "of is missing", 'post = { query = "count", of = [0] }')
        refuse('{ query = "count", of = [5] }', ".of[0]", "5 is not one of the values")
        refuse('{ query = "count", of = [] }', ".of", "nothing is counted")
        refuse('{ query = "count", of = 0 }', ".of", "a list is expected")
        refuse('{ query = "sum", of = [0] }', ".of", "of goes with query")
        refuse('{ qery = "sum" }', ".qery", "unknown key", "did you mean query?")
        refuse("{}", ".query", "missing")
        refuse("{ table = [0, 1] }", "", "an output for every tuple")
        refuse("{ table = [0, 0, 0, 0, 0, 0, 0, 0, 2] }", ".table", "2 different outputs, and one is 2")
        refuse("{ table = [0, -1] }", ".table[1]", "-1 is not a whole number")
        refuse('{ table = [0, 1], query = "sum" }', ".table", "there is already a query")
        self.refuse(1, "pipeline.post", "missing", post=None)

    def test_secrets(self):
        self.refuse(6, "pipeline.secret", "'everybody' is not known", "did you mean everyone?", secret='"everybody"')
        self.refuse(1, "pipeline.known", "missing", secret='"target"')
        self.refuse(7, "pipeline.known", "2 of the others' values are known, but there is 1 other", secret='"target"', known="[0, 1]")
        self.refuse(7, "pipeline.known", "1 of the others' values is known, but there are 2 others", secret='"target"', known="[0]",
                    participants="3")
        self.refuse(7, "pipeline.known[0]", "7 is not one of the values", secret='"target"', known="[7]")
        self.refuse(7, "pipeline.known", "known goes with", known="[1]")
        self.refuse(5, "pipeline.post", "the mode or the identity", secret='"histogram"')
        self.refuse(7, "pipeline.known.histogram", "2 counts, but there are 3 values", secret='"target"',
                    known="{ histogram = [1, 2] }")
        self.refuse(7, "pipeline.known.histogram", "of 7 people, and there are 2 participants", secret='"target"',
                    known="{ histogram = [1, 2, 4] }")

    def test_releases(self):
        def refuse(where, *parts, release="exponential", quantile='"1/2"', records="3", lattice="[0, 1]", **changes):
            table = (f'{{ release = "{release}", quantile = {quantile}, records = {records}, lattice = {lattice} }}')
            self.refuse(2, where, *parts, **{"participants": None, "values": None, "perturber": table, **changes})

        refuse("pipeline.perturber.release", "did you mean exponential?", release="exponental")
        refuse("pipeline.perturber.records", "0 is not a whole number", records="0")
        refuse("pipeline.perturber.lattice", "the candidates do not increase", lattice="[1, 0]")
        # A release has no `values`, which the hint once said to write.
        refuse("pipeline.perturber.lattice", "at least two values", "write for example [0, 1]", lattice="[0]")
        refuse("pipeline.perturber", "3/2", quantile='"3/2"')
        refuse("pipeline.participants", "leave it out", participants="3")

    def test_analysts(self):
        def refuse(line, key, *parts, **analyst):
            self.refuse(line, f"analyst.{key}", *parts, verb=("loss", "--epsilon", "ln 2"), analyst=analyst)

        bayes = '"bayes-risk"'
        refuse(7, "loss", "missing", 'loss = "bayes-risk"')
        refuse(8, "loss", "'bayes' is not known", "did you mean bayes-risk?", loss='"bayes"')
        refuse(8, "loss", "about one participant's value", 'secret = "target"', loss='"linear-error"')
        refuse(8, "loss", "about a histogram's highest bar", loss='"argmax-accuracy"')
        refuse(8, "loss", "2 rows, but the number of secrets is 6", loss="[[1], [2]]")
        refuse(8, "loss", "a loss is negative", loss="[[1], [2], [3], [1], [1], [-1]]")
        refuse(9, "prior", "2 probabilities, but the number of secrets is 6", loss=bayes, prior='["1/2", "1/2"]')
        refuse(9, "prior", "adds up to 5/6, not to 1", loss=bayes, prior='["1/2", "1/3"]')
        refuse(9, "prior", "has 2 probabilities, but the number of secrets is 6", loss=bayes, prior="[0.5, 0.5]")
        refuse(9, "prior", "'unifrm' is not known", "did you mean uniform?", loss=bayes, prior='"unifrm"')
        refuse(9, "prior", "neither uniform, uniform-full, uniform-uncounted, frequencies, participants nor a list", loss=bayes, prior="3")
        refuse(9, "prior", "nobody's value is known", 'secret = "target"', loss=bayes, prior='"frequencies"')
        refuse(9, "about", "'identity' is not known", "choose one of count, mode, sum\n", loss=bayes, about='"identity"')
        refuse(9, "about", "of is missing", 'write for example about = { query = "count", of = [0] }', loss=bayes, about='"count"')
        refuse(9, "about.query", "missing", 'write for example about = { query = "count", of = [0] }', loss=bayes, about="{ of = [1] }")
        refuse(9, "about.round", "unknown key", loss=bayes, about="{ round = 2 }")
        refuse(9, "about", "guessed with Bayes risk", loss="[[1], [1], [1], [1], [1], [1]]", about='"sum"')
        refuse(9, "prior", "at least as many as the values", loss=bayes, prior='"uniform-full"')
        refuse(9, "scale", "a scale below 0", "write 0 or a larger number", loss=bayes, scale="-1")
        refuse(9, "scal", "unknown key", "did you mean scale?", loss=bayes, scal="1")
        # Every verb refuses what cannot be used.
        self.refuse(8, "analyst.loss", "the number of secrets is 6", analyst={"loss": "[[1], [2]]"})

    def test_no_analyst(self):
        for verb in (("loss", "--epsilon", "ln 2"), ("sweep", "--epsilon", "1..2")):
            self.refuse(None, None, "there is no analyst", "[analyst]", verb=verb)

    def test_tables_and_keys(self):
        self.refuse(7, "pipeline.particpants", "unknown key", "did you mean participants?", particpants="3")
        self.refuse_text("", "survey.toml:1: pipeline: missing")
        self.refuse_text("[pipelin]\n", "survey.toml:1: pipelin: unknown key", "did you mean pipeline?")
        self.refuse_text("\npipeline = 3\n", "survey.toml:2: pipeline: a table is expected, and this is a number")

    def test_what_is_no_toml(self):
        self.refuse_text("x", "survey.toml:1: ", "a TOML file is expected")
        self.refuse_text("[pipeline]\nparticipants = 2\nparticipants = 3\n", "survey.toml:3: ", "redefine")
        self.refuse_text("[pipeline]\nparticipants = 99999999999999999999\n", "survey.toml:2: ", "64 bits")
        self.refuse_text(b"\xff\xfe", "survey.toml:1: ")
        self.refuse_text(b"\0" * 100, "survey.toml:1: ")

    def test_files_that_cannot_be_read(self):
        self.assert_refused(flow("check", "nowhere.toml", *LN_3_TO_LN_2, cwd=self.folder), 3, "cannot open nowhere.toml: No such file")
        self.assert_refused(flow("check", ".", *LN_3_TO_LN_2, cwd=self.folder), 3, "cannot open .: Is a directory")
        self.assert_refused(flow("check", "/dev/zero", *LN_3_TO_LN_2, cwd=self.folder), 3, "larger than 64 MiB")
        self.refuse(7, "pipeline.known.histogram", "not a table of codes and counts", "csv", secret='"target"',
                    known='{ histogram = "survey.toml" }')

    def test_sizes(self):
        self.refuse(None, None, "more than a million entries", "or a target among others whose values are known", participants="100")
        self.refuse(None, None, "more than a million entries", "release a count, a sum or a mode", participants="8", post="{ round = 1 }",
                    perturber='["geometric", ' + ", ".join(['"randomized-response"'] * 7) + "]")
        self.refuse(1, "pipeline", "1001 values are perturbed, but at most 256", participants="1000", secret='"histogram"', post='"mode"')


class BadOptions(FlowTest):
    """The exit code is 2, before the file is opened: here it does not even exist."""

    def refuse(self, arguments, *parts):
        with self.subTest(arguments=arguments):
            self.assert_refused(flow(*arguments, cwd=self.folder), 2, *parts)

    def test_words(self):
        example = "write for example fractile flow check FILE --epsilon LO..HI"
        self.refuse([], "fractile flow needs a further word: check, ", example)
        self.refuse(["chek", "x.toml"], "unknown verb 'flow chek'", "did you mean fractile flow check?")
        self.refuse(["x.toml"], "unknown verb 'flow x.toml'", example)
        self.refuse(["--epsilon", "1"], "the option --epsilon stands where a verb should", example)
        self.refuse(["x.toml", "check"], "unknown verb 'flow x.toml'")

    def test_names_of_options(self):
        self.refuse(["check", "x.toml", "--form", "ln 3"], "unknown option --form", "did you mean --format?")
        self.refuse(["check", "x.toml", "--frm", "ln 3"], "unknown option --frm", "did you mean --from?")
        self.refuse(["check", "x.toml", "--points", "3"], "unknown option --points", "see fractile flow check --help")
        self.refuse(["loss", "x.toml", "--epsilon"], "--epsilon needs a value", "write --epsilon E")
        self.refuse(["sweep", "x.toml", "--epsilon"], "--epsilon needs a value", "write --epsilon LO..HI")
        self.refuse(["loss", "x.toml", "--epsilon", "1", "--epsilon", "2"], "--epsilon is given more than once")
        self.refuse(["loss", "x.toml", "--epsilon", ""], "--epsilon is empty")
        self.refuse(["check", "x.toml", "--from", "ln", "3"], "unexpected argument '3'", "quotes around spaces")
        self.refuse(["check", "x.toml", "y.toml", *LN_3_TO_LN_2], "unexpected argument 'y.toml'", "name one FILE")
        self.refuse(["channel", "x.toml", "--epsilon", "ln 2", "--format", "xml"], "'xml' is not known", "csv, json, table")

    def test_what_is_missing(self):
        self.refuse(["check", "x.toml"], "what is to be checked is missing", "--epsilon 0.1..10")
        self.refuse(["check", "x.toml", "--from", "ln 2"], "--to is missing", '--to "ln 2"')
        self.refuse(["check", "x.toml", "--to", "ln 2"], "--from is missing")
        self.refuse(["check", "x.toml", *LN_3_TO_LN_2, "--epsilon", "1..2"], "--epsilon takes the place of --from and --to")
        for word in ("loss", "sweep", "channel"):
            self.refuse([word, "x.toml"], "--epsilon is missing")
        self.refuse(["check", *LN_3_TO_LN_2], "no FILE to read")

    def test_epsilons(self):
        for text in ("x", "ln x", "1,5", "NaN"):
            self.refuse(["loss", "x.toml", "--epsilon", text], "--epsilon: ", "is not a number")
        self.refuse(["loss", "x.toml", "--epsilon", "-1"], "--epsilon: '-1' is negative")
        self.refuse(["check", "x.toml", "--from", "ln 1/2", "--to", "ln 2"], "--from: ln 1/2 is negative")
        self.refuse(["loss", "x.toml", "--epsilon", "101"], "--epsilon: an epsilon above 100 hides nothing")
        self.refuse(["loss", "x.toml", "--epsilon", "1000000000 ln 3"], "above 100")
        self.refuse(["loss", "x.toml", "--epsilon", "100000 ln 1.0001"], "more than 10000 digits")

    def test_ranges(self):
        for text in ("1", "1.2", "ln 3"):
            self.refuse(["check", "x.toml", "--epsilon", text], f"--epsilon: '{text}' is not a range", "two dots")
        for text in ("2..1", "1..1", "ln 3..ln 3", "ln 9..2 ln 3"):
            self.refuse(["check", "x.toml", "--epsilon", text], "holds nothing", "the smaller end first")
        self.refuse(["check", "x.toml", "--epsilon", "1..x"], "'x' is not a number")
        self.refuse(["sweep", "x.toml", "--epsilon", "1..ln 9"], "one end is a number and the other a logarithm")
        for count in ("1", "0", "x", "100001"):
            self.refuse(["sweep", "x.toml", "--epsilon", "1..2", "--points", count], f"'{count}' is not a whole number from 2 to 100000")

    def test_exact_verdicts_want_logarithms(self):
        self.survey()
        for arguments, option in ((["check", "survey.toml", "--from", "0.5", "--to", "ln 2"], "--from"),
                                  (["check", "survey.toml", "--from", "ln 2", "--to", "1/2 ln 2"], "--to")):
            self.refuse(arguments, f"{option}: exp(", "is not rational", f'write a logarithm, for example {option} "ln 3"')


if __name__ == "__main__":
    unittest.main()
