"""The program's answers to common mistakes. If a hint holds a command, the test runs it, and it works."""

import contextlib
import io
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import unittest
import zipfile

from cli.program import HOUSE, CommandTest, Engine, options, require_engine, run

setUpModule = require_engine

ASK = options()


def hint_of(result):
    return result.err.splitlines()[1]


def run_tool(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, check=True).stdout


class Types(CommandTest):
    """Parquet columns that do not hold numbers. The hint's query converts them to numbers."""

    def table(self, expression, name="x"):
        quoted = name.replace('"', '""')
        Engine().write_parquet(self.folder / "t.parquet", f'SELECT {expression} AS "{quoted}" FROM range(200)')

    def hinted(self, name="x", kind=""):
        result = self.run_release("t.parquet", column=name)
        self.assert_refused(result, 3, f"is {kind}, not a number")
        return hint_of(result)

    def follow(self, kind, *, expression, bounds, expected, name="x", step="1"):
        self.table(expression, name)
        hint = self.hinted(name, kind)
        words = shlex.split(hint[hint.index("--sql"):])
        self.assertEqual(len(words), 2, hint)
        values = self.sure_release("t.parquet", column=name, sql=words[1], bounds=bounds, step=step, quantiles="median")
        self.assertEqual(values, [expected])

    def test_dates_and_times(self):
        self.follow("DATE", expression="DATE '1970-01-11'", bounds=("0", "100"), expected="10")
        for kind, literal in (("TIMESTAMP", "TIMESTAMP '1970-01-01 00:01:00'"),
                              ("TIMESTAMP_NS", "CAST('1970-01-01 00:01:00' AS TIMESTAMP_NS)"),
                              ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ '1970-01-01 00:01:00+00'"),
                              ("TIME", "TIME '00:01:00'")):
            with self.subTest(kind=kind):
                self.follow(kind, expression=literal, bounds=("0", "100"), expected="60")

    def test_truth(self):
        self.follow("BOOLEAN", expression="range < 150", bounds=("0", "1"), expected="1")

    def test_enumerations_of_numbers(self):
        """Parquet has no such enumerations, but a query may create them."""
        self.write("t.csv", "x\n" + "3\n" * 99)
        word = "CAST(x AS ENUM('3', '4'))"
        result = self.run_release("t.csv", sql=f"SELECT {word} AS x FROM input")
        self.assert_refused(result, 3, "is ENUM, not a number")
        query = shlex.split(hint_of(result)[hint_of(result).index("--sql"):])[1]
        self.assertEqual(self.sure_release("t.csv", sql=query.replace("(x ", f"({word} "), quantiles="median"), ["3"])

    def test_lists_and_maps(self):
        self.follow("LIST", expression="[5, 6]", bounds=("0", "10"), expected="2")
        self.follow("MAP", expression="MAP {'a': 5}", bounds=("0", "10"), expected="1")

    def test_names_are_quoted_where_they_must_be(self):
        self.follow("DATE", expression="DATE '1970-01-11'", bounds=("0", "100"), expected="10", name="date of birth")
        self.follow("DATE", expression="DATE '1970-01-11'", bounds=("0", "100"), expected="10", name="Größe")
        self.table("DATE '1970-01-11'", "o'clock")
        self.assertIn("SELECT epoch(...) / 86400 AS x FROM input", self.hinted("o'clock", "DATE"))

    def test_no_numbers_at_all(self):
        for kind, expression in (("UUID", "uuid()"), ("STRUCT", "{'a': 1}"), ("BLOB", "'a'::BLOB")):
            with self.subTest(kind=kind):
                self.table(expression)
                self.assertIn("name a column of numbers", self.hinted(kind=kind))

    def test_decimals_are_numbers(self):
        self.table("1.5::DECIMAL(5, 2)")
        self.assertEqual(self.sure_release("t.parquet", step="0.5", quantiles="median"), ["1.5"])


class Wordings(CommandTest):
    """The R package requests R's syntax. Text that is not a field stays unchanged."""

    def said(self, wording, **changes):
        self.write("t.csv", "a --step 1,x\n1,2\n")
        how = {"env": os.environ | {"FRACTILE_WORDING": wording}, "cwd": self.folder}
        return run("release", "t.csv", *options(**changes), **how).err.replace("fractile: ", "").splitlines()

    def test_of_r(self):
        for changes, what, hint in (
            ({"bounds": None}, "bounds is missing: the smallest and largest possible value, known without looking at the data",
             "  for ages, write bounds = c(0, 125), step = 1"),
            ({"bounds": ("2024-01-01", "2024-12-31"), "step": None}, "step is missing: the distance between possible values",
             '  write for example step = "1d"'),
            ({"compare": "a"}, "compare takes two names with a comma between them",
             "  write two keys of the groups, or two of the quantiles: compare = c(0.25, 0.75)"),
            ({"by": "x"}, "by without its keys, which are public knowledge, not read from the data",
             '  write for example keys = c("north", "south"), or keys_file = PATH'),
            ({"table": "a", "sql": "FROM a"}, "table: 'a' has no = between a name and a file",
             '  write for example table = c(visits = "visits.csv")'),
            ({"records_per_persn": "2"}, "unknown option records_per_persn", "  did you mean records_per_person?"),
            ({"memory": ()}, "memory needs a value", "  write memory = SIZE"),
            ({"sql": 'SELECT x AS "--step 1" FROM input', "column": "a --step 1"},
             "the query has no column 'a --step 1'; it has '--step 1'", None),
        ):
            with self.subTest(changes):
                said = self.said("r", **changes)
                self.assertEqual(said[0], what)
                if hint is not None:
                    self.assertEqual(said[1:], [hint])

    def test_of_anybody_else(self):
        for wording in ("", "program", "R", "python"):
            self.assertEqual(self.said(wording, bounds=None)[1], "  for ages, write --bounds 0 125 --step 1")


class Cells(CommandTest):
    def test_every_unfit_cell_has_the_same_hint(self):
        """The kind of the cell depends on the record, so the message gives only the row and the column."""
        messages = set()
        for cell in ("3,5", "$5", "5%", "1.234,5", "1 000", "2020-01-31", "true", "twelve", "10:30"):
            self.write("t.csv", f'x\n1\n"{cell}"\n')
            result = self.run_release("t.csv")
            self.assert_refused(result, 3, "t.csv: row 2, column 'x': not a number", "--decimal , --thousands .", "dates", secrets=(cell,))
            messages.add(result.err)
        self.assertEqual(len(messages), 1)

    def test_its_options_work(self):
        self.write("t.csv", "x\n" + "7\n" * 99 + "NA\n")
        told = self.run_release("t.csv").err
        for name, value in (("unreadable", "missing"), ("missing", "NA")):
            self.assertIn(f"--{name} {value}", told)
            self.assertEqual(self.sure_release("t.csv", quantiles="median", **{name: value}), ["7"])


    def test_a_column_of_dates_is_read_as_the_hint_says(self):
        self.write("t.csv", "x\n" + "2023-05-06\n" * 99)
        hint = hint_of(self.run_release("t.csv"))
        words = shlex.split(hint[hint.index("--bounds"):])
        self.assertEqual((words[0], words[3]), ("--bounds", "--step"))
        self.assertEqual(self.sure_release("t.csv", bounds=tuple(words[1:3]), step=words[4], quantiles="median"), ["2023-05-06"])


    def test_dates_of_another_order_are_read_as_the_hint_says(self):
        self.write("t.csv", "admitted on,x\n" + "06.05.2023,1\n" * 99)
        how = {"column": "admitted on", "bounds": ("2020-01-01", "2026-01-01"), "step": "1d", "quantiles": "median"}
        hint = hint_of(self.run_release("t.csv", **how))
        words = shlex.split(hint[hint.index("--sql"):])
        self.assertEqual(self.sure_release("t.csv", sql=words[1].rstrip(","), **how), ["2023-05-06"])

    def test_other_encodings_are_read_as_the_hint_says(self):
        self.write("t.csv", ("größe\n" + "7\n" * 99).encode("latin1"))
        encoding = re.search(r"--encoding (\S+?),", hint_of(self.run_release("t.csv", column="größe")))[1]
        self.assertEqual(self.sure_release("t.csv", column="größe", quantiles="median", encoding=encoding), ["7"])


class Formats(CommandTest):
    BY_NAME = {"a spreadsheet": ("xlsx", "xls", "ods"), "an SPSS file": ("sav",), "a Stata file": ("dta",),
               "a SAS file": ("sas7bdat",), "an R file": ("rds", "RData"), "an Arrow file": ("feather", "arrow"),
               "an Avro file": ("avro",), "an ORC file": ("orc",), "an archive": ("zip", "7z", "csv.zip", "tar.gz", "tar.xz", "tar.zst", "tbz2"),
               "an SQLite database": ("sqlite", "db"), "a DuckDB database": ("duckdb",), "a PDF document": ("pdf",),
               "HTML or XML": ("html", "xml")}
    BY_BYTES = {"an archive": (b"PK\3\4\x14\0", b"7z\xbc\xaf\x27\x1c\0"), "a spreadsheet": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
                "a PDF document": (b"%PDF-1.7\n",), "an SQLite database": (b"SQLite format 3\0",), "an Arrow file": (b"ARROW1\0\0",),
                "an Avro file": (b"Obj\1\4",), "an SPSS file": (b"$FL2@(#) SPSS",), "a Stata file": (b"<stata_dta><header>",),
                "a DuckDB database": (b"\1\2\3\4\5\6\7\x08DUCK",),
                "HTML or XML": (b"<!DOCTYPE html>", b"<html>", b"<?xml version"), "UTF-16 text": ("x\n1\n".encode("utf-16"),)}
    TOLD = re.compile(r"CSV|Parquet|gzip|unpack")

    def test_by_name(self):
        for kind, extensions in self.BY_NAME.items():
            for extension in extensions:
                with self.subTest(extension=extension):
                    result = self.run_release(f"people.{extension}")
                    self.assert_refused(result, 2, f"people.{extension} is {kind} by its name")
                    self.assertRegex(hint_of(result), re.compile(self.TOLD.pattern, re.I))

    def test_by_first_bytes(self):
        for kind, heads in self.BY_BYTES.items():
            for head in heads:
                with self.subTest(head=head):
                    self.write("t.csv", head + b"\nfirst-record-secret\n")
                    result = self.run_release("t.csv")
                    self.assert_refused(result, 3, f"t.csv is {kind} by its first bytes", secrets=("secret",))

    def test_formats_that_are_read_say_how(self):
        Engine().write_parquet(self.folder / "t.csv", "SELECT 7 AS x FROM range(99)")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv is a Parquet file", "--input-format parquet")
        self.assertEqual(self.sure_release("t.csv", input_format="parquet", quantiles="median"), ["7"])
        for text in ('{"x": 7}\n' * 99, "[" + ",".join(['{"x": 7}'] * 99) + "]", "[\n" + ",\n".join(['{"x": 7}'] * 99) + "\n]"):
            self.write("t.csv", text)
            self.assert_refused(self.run_release("t.csv"), 3, "t.csv is JSON", "--input-format json", secrets=("7",))
            self.assertEqual(self.sure_release("t.csv", input_format="json", quantiles="median"), ["7"])

    def test_spreadsheets_without_a_name(self):
        for part in ("[Content_Types].xml", "docProps/app.xml", "xl/workbook.xml"):
            made = io.BytesIO()
            with zipfile.ZipFile(made, "w") as archive:
                archive.writestr(part, "secret")
            self.assert_refused(self.run_release("-", stdin=made.getvalue()), 3, "standard input is a spreadsheet", "pandas.read_excel",
                                secrets=("secret",))

    def test_a_record_is_no_mark(self):
        """In a DuckDB file, the mark DUCK stands at the ninth byte. In a text file, a record may stand there."""
        self.write("t.csv", "x\n1\n2\n3\nDUCK\n" + "7\n" * 99)
        self.assertEqual(self.sure_release("t.csv", quantiles="median", unreadable="missing"), ["7"])

    def test_databases_become_tables_by_the_commands_hinted_at(self):
        with contextlib.closing(sqlite3.connect(self.folder / "people.db")) as database:
            database.execute("CREATE TABLE people AS WITH RECURSIVE n(x) AS (SELECT 7 UNION ALL SELECT 7 FROM n LIMIT 99) SELECT x FROM n")
            database.commit()
        shutil.copy(self.folder / "people.db", self.folder / "t.csv")
        for result in (self.run_release("people.db"), self.run_release("t.csv")):
            self.assertIn("is an SQLite database by its", result.err)
            command = re.search(r"sqlite3 .* FILE .* > people.csv", result.err)[0].removesuffix(" > people.csv")
            if shutil.which("sqlite3"):
                self.write("people.csv", run_tool(shlex.split(command.replace("FILE", "people.db")), self.folder))
                self.assertEqual(self.sure_release("people.csv", quantiles="median"), ["7"])
        engine = Engine()
        engine.run(f"ATTACH '{self.folder}/people.duckdb' AS d")
        engine.run("CREATE TABLE d.people AS SELECT 7 AS x FROM range(99)")
        engine.run("USE d")
        command = re.search(r'duckdb FILE "(COPY .*)"', self.run_release("people.duckdb").err)[1]
        engine.run(command.replace("people.parquet", f"{self.folder}/people.parquet"))
        self.assertEqual(self.sure_release("people.parquet", quantiles="median"), ["7"])
        engine.run("USE memory")
        engine.run("DETACH d")
        shutil.copy(self.folder / "people.duckdb", self.folder / "t.csv")
        self.assert_refused(self.run_release("t.csv"), 3, "t.csv is a DuckDB database by its first bytes")

    def test_a_command_that_is_hinted_at_works(self):
        self.write("u.csv", ("x\n" + "7\n" * 99).encode("utf-16"))
        command = re.search(r"iconv .* FILE > people.csv", self.run_release("u.csv").err)[0]
        words = shlex.split(command.replace("FILE", "u.csv"))
        done = run_tool(words[:words.index(">")], self.folder)
        self.write("people.csv", done)
        self.assertEqual(self.sure_release("people.csv", quantiles="median"), ["7"])


class Places(CommandTest):
    def test_elsewhere(self):
        for name in ("s3://bucket/a.csv", "https://example.org/a.csv", "gs://bucket/a.parquet"):
            self.assert_refused(self.run_release(name), 3, f"cannot open {name}", "download it first")
        self.write("t.csv", "x\n1\n")
        self.assert_refused(self.run_release(f"file://{self.folder}/t.csv"), 3, "without file://")

    def test_patterns_and_folders(self):
        self.assert_refused(self.run_release("*.parquet"), 3, "no file has a name of the pattern '*.parquet'", "? for one")
        (self.folder / "d.csv" / "e").mkdir(parents=True)
        self.assert_refused(self.run_release("d.csv"), 2, "the folder 'd.csv' holds folders", "'d.csv/*/*.csv'")
        self.write("[1].csv", "x\n1\n")
        self.release("[1].csv")  # a name may look like a pattern

    def test_names_that_begin_with_a_dash(self):
        self.write("-odd.csv", "x\n1\n")
        result = self.run_release("-odd.csv")
        self.assert_refused(result, 2, "unknown option -odd.csv", "write ./-odd.csv")
        self.release("./-odd.csv")
        self.assertEqual(run("release", *ASK, "--", "-odd.csv", cwd=self.folder).code, 0)
        self.assert_refused(run("release", "--", "-odd.csv", *ASK, cwd=self.folder), 2,
                            "the option --column stands after --, where only FILE may", "fractile release [options] -- FILE")

    def test_delimiters(self):
        self.write("t.csv", "x\ty\n1\t2\n")
        for spelled in ("tab", "\\t"):
            self.assert_refused(self.run_release("t.csv", delimiter=spelled), 2, f"'{spelled}', which is not a tab", "--input-format tsv")
        self.release("t.csv", input_format="tsv")


class Typing(CommandTest):
    def refuse(self, arguments, *parts):
        with self.subTest(arguments=arguments):
            self.assert_refused(run(*arguments, cwd=self.folder), 2, *parts)

    def test_dashes(self):
        self.refuse(["release", "t.csv", "-epsilon", "1"], "unknown option -epsilon", "did you mean --epsilon?")
        self.refuse(["release", "t.csv", "epsilon=1"], "unexpected argument 'epsilon=1'", "did you mean --epsilon?")
        self.refuse(["release", "t.csv", "epsilon", "1"], "unexpected argument 'epsilon'", "did you mean --epsilon?")
        self.refuse(["release", "t.csv", "\u2014epsilon", "1"], "unexpected argument '\u2014epsilon'", "did you mean --epsilon?")
        self.refuse(["release", "t.csv", "\u2013epsilon=1"], "did you mean --epsilon?")

    def test_percentages(self):
        self.refuse(["release", "t.csv", *options(quantiles="25,50,75")], "the quantile 25 is outside [0, 1]",
                    "write 0.25 for 25 %")
        self.refuse(["release", "t.csv", *options(quantiles="99.5")], "write 0.995 for 99.5 %")
        self.refuse(["release", "t.csv", *options(quantiles="25%")], "'25%' is not a number", "0.25 for 25 %")
        self.refuse(["release", "t.csv", *options(quantiles="0,5")], "the quantile 5 is outside", "decimal point")

    def test_decimal_commas(self):
        for changes in ({"epsilon": "0,5"}, {"step": "0,5"}, {"bounds": ("0", "1,000")}):
            self.refuse(["release", "t.csv", *options(**changes)], "is not a number", "write a decimal point")

    def test_bounds(self):
        for typed in (["--bounds", "0,125"], ["--bounds", "0"], ["--bounds=0,125"], ["--bounds", "0..125"]):
            self.refuse(["release", "t.csv", "--column", "x", *typed, "--step", "1", "--epsilon", "1"],
                        "--bounds needs two values, a space between them", "for example --bounds 0 125")

    def test_dates_as_they_are_written_elsewhere(self):
        """Once, the error named the step instead of the bounds: '1d' is not a number."""
        for typed in ("01/01/2020", "31.12.2019", "2020/01/01"):
            self.refuse(["release", "t.csv", *options(bounds=(typed, "2026-01-01"), step="1d")], f"--bounds: '{typed}' is not a date or time",
                        "write 2024-01-31")
        self.refuse(["release", "t.csv", *options(bounds=("now", "later"), step="1d")], "--bounds: 'now' is not a number")
        self.refuse(["release", "t.csv", *options(bounds=("0", "1.000.000"))], "--bounds: '1.000.000' is not a number")

    def test_words_of_a_verb(self):
        self.refuse(["flow", "chekc", "survey.toml"], "unknown verb 'flow chekc'", "did you mean fractile flow check?")
        self.refuse(["ledger", "shwo", "l.db"], "unknown verb 'ledger shwo'", "fractile ledger init FILE")

    def test_huge_and_tiny_epsilons(self):
        self.write("t.csv", "x\n1\n")
        self.assertIn("promises next to nothing", self.run_release("t.csv", epsilon="1e400").err)
        self.assertEqual(self.run_release("t.csv", epsilon="1e-400").code, 0)

    def test_help_and_version(self):
        for verb in (["release"], ["plan"], ["explain"], ["ledger"], ["ledger", "init"], ["audit"], ["flow"], ["flow", "check"],
                     ["reproduce"]):
            self.assertEqual(run("help", *verb).out, run(*verb, "--help").out)
            self.assertTrue(run("help", *verb).out.startswith(f"fractile {' '.join(verb)}:"))
        self.assertEqual(run("help").out, run("--help").out)
        for typed in ("version", "-v", "-V"):
            self.refuse([typed], "did you mean fractile --version?")


VERBS = (["release"], ["plan"], ["publish"], ["explain"], ["ledger", "init"], ["ledger", "show"], ["ledger", "verify"],
         ["ledger", "export"], ["ledger", "void"], ["ledger", "witness"], ["audit"], ["flow", "check"], ["flow", "choose"], ["flow", "cost"],
         ["flow", "leakage"], ["flow", "loss"], ["flow", "sweep"], ["flow", "channel"], ["reproduce", "approximate-quantiles"],
         ["reproduce", "kronecker-utility"])
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


class Helps(CommandTest):
    """What help texts and pages say about options is true."""

    def options_of(self, verb):
        """The options that the verb's help lists, one per line."""
        return re.findall(r"^  (--[a-z-]+)", run(*verb, "--help").out, re.M)

    def test_every_option_is_listed_once_and_understood(self):
        for verb in VERBS:
            listed = self.options_of(verb)
            self.assertEqual(len(listed), len(set(listed)))
            for option in listed:
                result = run(*verb, option, option, cwd=self.folder)
                self.assertNotIn("unknown option", result.err, (verb, option))

    def test_no_help_names_an_option_that_is_not_there(self):
        for verb in VERBS:
            known = {*self.options_of(verb), "--help"}
            if verb[0] in ("explain", "ledger"):
                known |= set(self.options_of(["release"]))  # their helps mention options of release
            if verb[0] == "plan":
                known |= set(self.options_of(["publish"]))
            self.assertLessEqual(set(OPTION.findall(run(*verb, "--help").out)), known, verb)

    def test_no_page_names_an_option_that_is_not_there(self):
        known = {"--help", "--version"}.union(*(self.options_of(verb) for verb in VERBS))
        for page in ("README.md", "docs/receipt.md", "docs/ledger.md", "docs/threat-model.md", "docs/worth.md"):
            for command in re.findall(r"^(?:\$ )?fractile [^\n]*", re.sub(r"\\\n *", "", (HOUSE / page).read_text()), re.M):
                self.assertLessEqual(set(OPTION.findall(command)), known, (page, command))

    def test_clamping_is_said(self):
        for verb in ("release", "plan"):
            text = " ".join(run(verb, "--help").out.split())
            self.assertIn("values outside count as the nearest of the two", text)
        self.assertIn("Values outside the bounds are not an error: they count as the nearest bound.",
                      " ".join((HOUSE / "README.md").read_text().split()))


if __name__ == "__main__":
    unittest.main()
