"""Options that are refused with exit code 2 before the file is opened: here it does not even exist."""

import unittest

from cli.program import CommandTest, options, run

NOWHERE = "nowhere.csv"


class Refusals(CommandTest):
    def refuse(self, *parts, **changes):
        with self.subTest(**{name: str(value)[:60] for name, value in changes.items()}):
            self.assert_refused(self.run_release(NOWHERE, **changes), 2, *parts)

    def test_a_sound_query_gets_as_far_as_the_file(self):
        self.assert_refused(self.run_release(NOWHERE), 3, f"cannot open {NOWHERE}: No such file", "check the path")

    def test_quantiles(self):
        self.refuse("the quantile 1/4 comes after a larger one", "in increasing order", quantiles="0.5,0.25")
        self.refuse("the quantile 1/2 appears twice", "once each", quantiles="0.5,0.5")
        self.refuse("the quantile 1/2 appears twice", quantiles="0.25,1/2,0.5e0,0.9")
        self.refuse("the quantile 3/2 is outside [0, 1]", "0.5 for the median", quantiles="1.5")
        self.refuse("the quantile -1/10 is outside [0, 1]", quantiles="-0.1,0.5")
        self.refuse("12345678901/100000000000 has too many digits", "nine decimals", quantiles="0.12345678901")
        self.refuse("common denominator 3000000000 is above 2147483648", quantiles="0.123456789,1/3")
        self.refuse("--quantiles: '1/0' divides by zero", quantiles="1/0")
        self.refuse("--quantiles: '0.5x' is not a number", "0.25, 1/3", quantiles="0.5x")

    def test_names_of_quantiles(self):
        self.refuse("'quartile' is neither a name nor a number", "did you mean quartiles?", quantiles="quartile")
        self.refuse("'NaN' is neither a name nor a number", "deciles, median, percentiles, quartiles", quantiles="NaN")
        self.refuse("'medain' is neither a name nor a number", "did you mean median?", quantiles="0.25,medain")

    def test_lists(self):
        self.refuse("--quantiles: the list '0.5,' has an empty item", "one comma", quantiles="0.5,")
        self.refuse("--quantiles: the list ',' has an empty item", quantiles=",")
        self.refuse("--quantiles: '0.1 0.5' is not a number", "commas", quantiles="0.1 0.5")
        self.refuse("unexpected argument '0.5'", "lists with commas", quantiles=("0.1", "0.5"))

    def test_epsilon(self):
        self.refuse("--epsilon must be positive", "--epsilon 1", epsilon="0")
        self.refuse("--epsilon must be positive", epsilon="ln 1")
        self.refuse("--epsilon: '-1' is negative", "above 0", epsilon="-1")
        self.refuse("--epsilon: ln 1/2 is negative", "r at least 1", epsilon="ln 0.5")
        self.refuse("--epsilon: the exponent of '1e20000' is too large", "-10000 to 10000", epsilon="1e20000")
        for text in ("NaN", "nan", "inf", "one", "1,5", "1 2", "0x1", "1e", "--1"):
            self.refuse(f"--epsilon: '{text}' is not a number", "such as 0.25, 1/3 or 1e-3", epsilon=text)
        for text in ("ln", "ln x", "-ln 2"):
            self.refuse("--epsilon: ", "is not a number", epsilon=text)

    def test_rho(self):
        self.refuse("--rho must be positive", "--rho 1/2", epsilon=None, rho="0")
        self.refuse("--rho must be positive", epsilon=None, rho="-1")
        self.refuse("--rho: 'ln 2' is not a number", epsilon=None, rho="ln 2")
        self.refuse("--rho: 'NaN' is not a number", epsilon=None, rho="NaN")

    def test_one_budget(self):
        self.refuse("--epsilon and --rho are two measures of the same cost", "--epsilon 1 (pure) or --rho 1/2", rho="1")
        self.refuse("a budget is missing", "--epsilon 1 (pure) or --rho 1/2", epsilon=None)

    def test_step(self):
        self.refuse("the step 0 is not positive", "such as 1 or 0.01", step="0")
        self.refuse("the step -1 is not positive", step="-1")
        self.refuse("the step 0.3 does not divide the bounds 0 to 10", "an upper bound of 10.2 would fit", step="0.3")
        self.refuse("the step 20 does not divide the bounds 0 to 10", "an upper bound of 20 would fit", step="20")
        self.refuse("the step 1/3 has no finite decimal expansion", "0.05", step="1/3")
        self.refuse("--step: 'NaN' is not a number", step="NaN")
        self.refuse("--step is missing", "for whole numbers, write --step 1", step=None)

    def test_bounds(self):
        self.refuse("the bounds 10 0 are in the wrong order", "the lower bound first", bounds=("10", "0"))
        self.refuse("--bounds is missing", "without looking at the data", "--bounds 0 125", bounds=None)
        self.refuse("the lower bound 1/3 has no finite decimal expansion", bounds=("1/3", "10"))
        self.refuse("--bounds: '-inf' is not a number", bounds=("-inf", "inf"))
        self.refuse("--bounds: 'NaN' is not a number", bounds=("0", "NaN"))
        for pair in (("0",), ("0,10",)):
            self.refuse("--bounds needs two values, a space between them", "write --bounds LO HI", bounds=pair)

    def test_threads(self):
        for count in ("0", "-1", "257", "many", "1.5", "2x", "99999999999999999999"):
            self.refuse(f"--threads: '{count}' is not a whole number from 1 to 256", "--threads 1", threads=count)

    def test_memory(self):
        for size in ("0", "2", "2gb", "2 GB", "GB", "-1GB", "1.5GB", "99MB", "0GB", "18446744073709551615GB"):
            self.refuse(f"--memory: '{size}' is not a whole number of MB, GB or TB from 100 MB on", "--memory 2GB", memory=size)

    def test_lattice_size(self):
        most = 2**62
        self.refuse("more than 2^62 values between the bounds", "a larger step", bounds=("0", str(most)))
        self.refuse("more than 2^62 values between the bounds", step="1e-40")
        result = self.run_release(NOWHERE, bounds=("0", str(most - 1)))
        self.assert_refused(result, 3, "cannot open")  # 2^62 values are allowed

    def test_candidates(self):
        def refuse(text, *parts):
            self.refuse(*parts, candidates=text, bounds=None, step=None)

        refuse("3,2,1", "--candidates: the candidates are not strictly increasing: 3, 2", "sort them")
        refuse("1,1,2", "the candidates are not strictly increasing: 1, 1", "drop repetitions")
        refuse("1,2,NaN", "--candidates: 'NaN' is not a number")
        refuse("1,inf", "--candidates: 'inf' is not a number")
        refuse("1,,2", "--candidates: the list '1,,2' has an empty item", "one comma")
        refuse("1 2 3", "--candidates: '1 2 3' is not a number", "commas between numbers")
        refuse("1/3", "--candidates: the candidate 1/3 has no finite decimal expansion")
        refuse("0.1,0.1000000000000000000001", "two candidates are the same in double precision", "further apart")
        self.refuse("--candidates takes the place of --bounds and --step", "one or the other", candidates="1,2")
        self.refuse("--candidates takes the place of --bounds and --step", candidates="1,2", bounds=None)

    def test_quantiles_that_are_selected_at_once(self):
        for budget, most in (({"epsilon": "1"}, 264), ({"epsilon": "0.01"}, 70), ({"epsilon": "0.05", "records_per_person": "5"}, 70),
                             ({"epsilon": None, "rho": "0.0000125"}, 70)):
            for mechanism in ("joint", "joint-total"):
                words = {"mechanism": mechanism, **budget}
                self.refuse(f"{mechanism} of {most + 1} quantiles could take minutes and gigabytes", f"it takes at most {most}",
                            "--mechanism auto", quantiles=",".join(f"{i}/{most + 2}" for i in range(1, most + 2)), **words)
                few = ",".join(f"{i}/{most + 1}" for i in range(1, most + 1))
                self.assert_refused(self.run_release(NOWHERE, quantiles=few, **words), 3, f"cannot open {NOWHERE}")

    def test_as_many_as_auto_selects_at_once_are_taken_at_every_budget(self):
        """Once, a joint selection of a single quantile was refused at a tiny epsilon."""
        for epsilon in ("1e-9", "1e-300"):
            for quantiles in ("median", ",".join(f"{i}/25" for i in range(1, 25))):
                refused = self.run_release(NOWHERE, quantiles=quantiles, mechanism="joint-total", epsilon=epsilon)
                self.assert_refused(refused, 3, f"cannot open {NOWHERE}")

    def test_records_per_person(self):
        for text in ("0", "-1", "x", "1.5", "1000000001", "99999999999999999999"):
            self.refuse(f"--records-per-person: '{text}' is not a whole number from 1 to 1000000000",
                        "--records-per-person 1", records_per_person=text)

    def test_words(self):
        self.refuse("--mechanism: 'expo' is not known", "approximate, auto, exponential, independent, joint, joint-total, joint-tree, tree", mechanism="expo")
        self.refuse("--neighbors: 'none' is not known", "add-remove, change-one", neighbors="none")
        self.refuse("--null: 'keep' is not known", "drop, error", null="keep")
        self.refuse("--format: 'xml' is not known", "csv, html, json, table", format="xml")
        self.refuse("--rates: 'x' is not known", "as-published, tight", rates="x")
        self.refuse("unknown format 'xls'", "--input-format csv, tsv, parquet or json", input_format="xls")
        self.refuse("the delimiter must be", "--delimiter ';'", delimiter='"')
        self.refuse("the delimiter must be", delimiter="12345")
        self.refuse("the format is not delimited text", delimiter=";", input_format="json")

    def test_what_does_not_go_together(self):
        self.refuse("exponential mechanism releases one quantile at a time", "approximate", mechanism="exponential")
        self.refuse("published rates are those of approximate", "--mechanism approximate", rates="as-published")
        self.refuse("--no-interpolation is only for the mechanism auto", "--mechanism auto", no_interpolation=True, mechanism="tree")
        self.refuse("tree has no adaptive base", "leave --base out", base="adaptive", mechanism="tree")
        self.refuse("auto needs no delta", "independent", delta="1e-6", mechanism="auto")
        self.refuse("--delta goes with --epsilon", "leave it out", epsilon=None, rho="1", delta="1e-6")

    def test_unsafe_seed(self):
        for text in ("-1", "x", "1.0", str(2**64)):
            self.refuse(f"--unsafe-seed: '{text}' is not a whole number from 0 to {2**64 - 1}", unsafe_seed=text)

    def test_empty_values(self):
        for name, argument in (("column", "NAME"), ("receipt", "PATH"), ("quantiles", "LIST"), ("epsilon", "E"),
                               ("sql", "QUERY"), ("delimiter", "CHAR"), ("format", "FORMAT")):
            self.refuse(f"--{name} is empty", f"write --{name} {argument}", **{name: ""})

    def test_no_column(self):
        self.refuse("--column is missing", "for example --column age", column=None)

    def test_no_file(self):
        self.assert_refused(self.run_release(), 2, "no FILE to read", "- for standard input")
        self.assert_refused(self.run_release(""), 2, "no FILE to read")
        for name in ("input-format", "delimiter"):
            result = self.run_release(sql="SELECT x FROM t", table="t=t.csv", **{name: "csv"})
            self.assert_refused(result, 2, f"--{name} describes FILE, and none is named")

    def test_a_name_that_does_not_tell_the_format(self):
        for name in ("nowhere", "nowhere.data", "./nowhere"):
            result = self.run_release(name)
            self.assert_refused(result, 2, f"the name of {name} does not show its format", "end with .csv", "--input-format csv",
                                "the owner of a ledger's dataset declares this option")

    def test_no_engine(self):
        """The engine is loaded once all files are open. It is the first part that could look at them."""
        query = {"sql": "FROM input"}
        self.assert_refused(self.run_release(NOWHERE, duckdb="nowhere.so", **query), 3, f"cannot open {NOWHERE}")
        self.write(NOWHERE, "x\n1\n")
        self.refuse("--duckdb names nowhere.so, which does not exist", "FRACTILE_DUCKDB", duckdb="nowhere.so", **query)
        self.refuse("cannot load the engine", "/dev/null", duckdb="/dev/null", **query)
        self.assertEqual(self.run_release(NOWHERE, duckdb="nowhere.so").code, 0)  # text needs no engine


class CommandLine(CommandTest):
    def refuse(self, arguments, *parts):
        with self.subTest(arguments=arguments):
            self.assert_refused(run(*arguments, cwd=self.folder), 2, *parts)

    def test_verbs(self):
        usage = "write for example fractile release FILE --column NAME --bounds LO HI --step S --epsilon E"
        self.refuse([], "no verb is named", usage)
        self.refuse(["relase", NOWHERE], "unknown verb 'relase'", "did you mean fractile release?")
        self.refuse(["rel"], "unknown verb 'rel'", "did you mean fractile release?")
        self.refuse([NOWHERE, *options()], f"unknown verb '{NOWHERE}'", usage)
        self.refuse(["--column", "x", "release", NOWHERE], "the option --column stands where a verb should", usage)
        self.refuse(["-x"], "the option -x stands where a verb should", usage)

    def test_unknown_options(self):
        self.refuse(["release", NOWHERE, "--colum", "age"], "unknown option --colum\n", "did you mean --column?")
        self.refuse(["release", NOWHERE, "--colum=age"], "unknown option --colum\n", "did you mean --column?")
        self.refuse(["release", "--quant", "0.5", NOWHERE], "unknown option --quant\n", "did you mean --quantiles?")
        self.refuse(["release", "--hlep"], "unknown option --hlep\n", "did you mean --help?")
        self.refuse(["release", NOWHERE, *options(), "--zzz"], "unknown option --zzz\n", "see fractile release --help")
        # once, the plan of a column was advised to try --count
        self.refuse(["plan", "--column", "age"], "unknown option --column\n", "fractile release has it; see fractile plan --help")
        self.refuse(["release", NOWHERE, "--out=x"], "unknown option --out\n", "write > FILE at the end, and what is printed goes to that file;")
        self.refuse(["publish", "p.toml", "--out", "x"], "unknown option --out\n", "did you mean --output?")
        self.refuse(["reproduce", "intervals", "--output", "x"], "unknown option --output\n", "did you mean --out?")
        self.refuse(["release", NOWHERE, *options(), "-x"], "unknown option -x\n", "see fractile release --help")

    def test_values_of_options(self):
        self.refuse(["release", NOWHERE, "--column"], "--column needs a value", "write --column NAME")
        self.refuse(["release", NOWHERE, "--column="], "--column needs a value", "write --column NAME")
        self.refuse(["release", "--column", "a", "--column", "b"], "--column is given more than once", "NAME, once")
        self.refuse(["release", "--bounds", "0", "1", "--bounds", "0", "1"], "--bounds is given more than once")
        self.refuse(["release", NOWHERE, "--public-rows=3"], "--public-rows takes no value", "write --public-rows")

    def test_too_many_files(self):
        self.refuse(["release", NOWHERE, "b.csv", *options()], "unexpected argument 'b.csv', which is not a file", "check its path")

    def test_negative_numbers_are_values(self):
        for low, high in (("-10", "-5"), ("-.5", "+.5"), ("-1e2", "1e2")):
            result = self.run_release(NOWHERE, bounds=(low, high), step="0.5")
            self.assert_refused(result, 3, "cannot open")

    def test_equal_signs_and_dashes(self):
        arguments = ["release", "--column=--odd", "--bounds=0", "10", "--step=1", "--epsilon=1", "--", NOWHERE]
        self.assert_refused(run(*arguments, cwd=self.folder), 3, f"cannot open {NOWHERE}")


if __name__ == "__main__":
    unittest.main()
