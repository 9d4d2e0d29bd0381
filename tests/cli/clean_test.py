"""Names that control a terminal, or are not UTF-8: no stream, file or page shows them unescaped."""

import json
import os
import subprocess
import time
import unicodedata
import unittest

from cli.output_test import Terminal
from cli.program import PROGRAM, CommandTest, options, require_engine, run

setUpModule = require_engine

# This name clears the screen, ends the line, reverses what follows and hides characters; it is also Markdown and HTML.
NASTY = "a\x1b[2J\r\x7f\x9b\u2028\u202e\u2066\u200b](http://x)<script>`|b"
NASTY_BYTES = b"\xff\xfe\x1b[31m\xe9.csv"
JOINERS = "\u200c\u200d"


class CleanTest(CommandTest):
    def assert_clean(self, text, allowed="\n"):
        for character in text:
            hidden = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in JOINERS
            self.assertFalse(hidden and character not in allowed, (hex(ord(character)), text))

    def nasty_table(self, name=NASTY):
        quoted = name.replace('"', '""')
        self.write("t.csv", f'"{quoted}",x\n' + "k,7\n" * 50)

    def stdout_bytes(self, *arguments):
        """The result exists only if both streams are UTF-8."""
        result = run(*arguments, cwd=self.folder)
        self.assert_clean(result.err)
        return result

    def on_terminal(self, *arguments):
        with Terminal() as terminal:
            run(*arguments, cwd=self.folder, stdout=terminal.end, stderr=terminal.end)
            text = terminal.read()
        self.assert_clean(text)
        return text


# A header line ends at a line feed or a carriage return, so the name of a column holds neither.
COLUMN = NASTY.replace("\r", "")


class Messages(CleanTest):
    def test_options(self):
        for changes in ({"column": COLUMN}, {"quantiles": NASTY}, {"epsilon": NASTY}, {"mechanism": NASTY}, {"by": "x", "keys": NASTY},
                        {"person": NASTY}, {"sql": NASTY}, {"delimiter": NASTY}, {"input_format": NASTY}, {"format": NASTY},
                        {"receipt": "gone/" + NASTY}, {"ledger": NASTY}, {"keys_file": NASTY, "by": "x"}, {"duckdb": NASTY}):
            with self.subTest(**changes):
                self.write("t.csv", "x\n1\n")
                result = self.run_release("t.csv", **changes)
                self.assert_clean(result.err)
                self.assertRegex(result.err, r"\A(fractile: [^\n]+\n  [^\n]+\n)?\Z")

    def test_hints(self):
        refused = run("ledger", "init", "b.db", "--dataset", "p\u202eq", "--epsilon", "1", cwd=self.folder)
        self.assert_refused(refused, 2, "has an invisible character")
        self.assertEqual(run("ledger", "init", "b.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder).code, 0)
        result = self.run_release("t.csv", ledger="b.db", dataset="peop\u202ele")
        self.assert_refused(result, 2, "'peop\\u{202e}le'", "did you mean people?")
        unknown = self.run_release("-" + NASTY)
        self.assert_refused(unknown, 2, "unknown option -a\\x1b[2J", "write ./-a\\x1b[2J")
        self.assert_clean(unknown.err)

    def test_verbs_files_and_extras(self):
        for arguments in ([NASTY], ["--" + NASTY], ["release", NASTY, *options()], ["release", "t.csv", NASTY, *options()],
                          ["release", "--" + NASTY], ["explain", NASTY], ["ledger", "show", NASTY], ["ledger", NASTY],
                          ["flow", "check", NASTY, "--epsilon", "1..2"], ["flow", "check", "x.toml", "--epsilon", NASTY],
                          ["audit", "--mechanism", NASTY, "--epsilon", "1"], ["reproduce", NASTY]):
            with self.subTest(arguments=arguments):
                result = run(*arguments, cwd=self.folder)
                self.assert_clean(result.err)
                self.assert_refused(result, result.code)

    def test_names_that_are_not_utf8(self):
        for arguments in (["release", NASTY_BYTES, *options()], ["explain", NASTY_BYTES], ["ledger", "show", NASTY_BYTES]):
            result = run(*arguments, cwd=self.folder)
            self.assert_refused(result, result.code, "\\xff\\xfe\\x1b[31m\\xe9.csv")

    def test_values_that_are_not_utf8(self):
        for name in ("column", "person", "by", "keys", "sql", "quantiles", "epsilon", "dataset", "delimiter"):
            result = self.run_release("t.csv", **{name: os.fsdecode(b"\xff")})
            self.assert_refused(result, 2, f"--{name}: the value is not UTF-8 text", "iconv")

    def test_columns_of_the_file(self):
        self.nasty_table(COLUMN)
        result = self.run_release("t.csv", column="nowhere")
        self.assert_clean(result.err)

    def test_pipeline_files(self):
        self.write("p.toml", '"a\\u001b[2J\\u202e" = 1\n')
        result = run("flow", "check", "p.toml", "--epsilon", "1..2", cwd=self.folder)
        self.assert_refused(result, 3, "\\x1b[2J\\u{202e}")


class Outputs(CleanTest):
    def setUp(self):
        super().setUp()
        self.file = NASTY.replace("/", "") + ".csv"
        quoted = COLUMN.replace('"', '""')
        self.write(self.file, f'"{quoted}",g\n' + "".join(f"{i % 11},{'k' if i % 2 else 'm'}\n" for i in range(500)))

    def ask(self, **changes):
        return options(**{"column": COLUMN, **changes})

    def test_tables_and_json(self):
        for form in ("table", "json"):
            result = self.stdout_bytes("release", self.file, *self.ask(format=form))
            self.assertEqual(result.code, 0, result)
            self.assert_clean(result.out)
            self.assert_clean(self.on_terminal("release", self.file, *self.ask(format=form)))
        source = json.loads(result.out)["source"]
        self.assertEqual((source["file"], source["column"]), (self.file, COLUMN))

    def test_csv_holds_the_very_keys_and_a_terminal_does_not(self):
        self.write("keys.txt", f"k\n{COLUMN}\n")
        ask = self.ask(by="g", keys_file="keys.txt", format="csv")
        result = self.stdout_bytes("release", self.file, *ask)
        self.assertIn("\n" + COLUMN + ",1/4,", result.out)
        self.assertIn("\na\\x1b[2J\\x7f\\u{9b}\\u{2028}\\u{202e}\\u{2066}\\u{200b}](http", self.on_terminal("release", self.file, *ask))

    def test_receipts_and_pages(self):
        self.write("keys.txt", f"k\n{COLUMN}\n")
        run("release", self.file, *self.ask(by="g", keys_file="keys.txt", receipt="r.json"), cwd=self.folder)
        self.assert_clean((self.folder / "r.json").read_text())
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["groups"][1]["key"], COLUMN)
        for form in ("text", "markdown"):
            page = self.stdout_bytes("explain", "r.json", "--format", form)
            self.assertEqual(page.code, 0, page)
            self.assert_clean(page.out)
            self.assertIn("\\u\\{202e\\}" if form == "markdown" else "\\u{202e}", page.out)
        for mark in ("](", "<script>"):  # each has a backslash before it
            self.assertNotIn(mark, page.out.replace("\\](", "").replace("\\]\\(", "").replace("\\<script\\>", ""))

    def test_ledgers(self):
        made = self.stdout_bytes("ledger", "init", "b.db", "--dataset", "people", "--unit", "u\u202eu", "--epsilon", "9")
        self.assertEqual(made.code, 0, made)
        self.assert_clean(made.out)
        paid = run("release", self.file, *self.ask(ledger="b.db", receipt="r\x1b.json"), cwd=self.folder)
        self.assertEqual(paid.code, 0, paid)
        for arguments in (["show", "b.db", "--format", "table"], ["show", "b.db", "--format", "json"], ["export", "b.db"]):
            result = self.stdout_bytes("ledger", *arguments)
            self.assertEqual(result.code, 0, result)
            self.assert_clean(result.out)
        for arguments in (["show", "b.db"], ["show", "b.db", "--format", "csv"], ["export", "b.db", "--format", "csv"]):
            self.on_terminal("ledger", *arguments)
        self.assertIn("r\x1b.json", run("ledger", "export", "b.db", "--format", "csv", cwd=self.folder).out)
        again = run("release", self.file, *self.ask(ledger="b.db"), cwd=self.folder)
        self.assertIn("nothing was spent", again.err)

    def test_progress(self):
        os.mkfifo(self.folder / NASTY.replace("/", ""))
        ask = self.ask(input_format="csv")
        with Terminal() as terminal:
            with subprocess.Popen([PROGRAM, "release", NASTY.replace("/", ""), *ask], cwd=self.folder, stderr=terminal.end,
                                  stdout=subprocess.DEVNULL) as program:
                with open(self.folder / NASTY.replace("/", ""), "wb"):
                    time.sleep(2.5)
                program.wait()
            text = terminal.read()
        self.assertIn("\ropening a\\x1b[2J\\r\\x7f", text)
        self.assert_clean(text.replace("\r\033[K", "").replace("\ropening", ""), "\n")


class Bytes(CleanTest):
    """Files whose names are not UTF-8."""

    def setUp(self):
        super().setUp()
        for name in (b"a\xe9.csv", b"a\xe8.csv", b"a\\xe9.csv"):
            with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
                file.write(b"x\n" + b"7\n" * 50)

    def test_every_output_is_utf8(self):
        for form in ("table", "json", "csv"):
            result = run("release", b"a\xe9.csv", *options(format=form), cwd=self.folder)
            self.assertEqual(result.code, 0, result)
            if form == "json":
                self.assertEqual(json.loads(result.out)["source"]["file"], "a\\xe9.csv")

    def test_receipts(self):
        receipt = b"r\xe9.json"
        done = run("release", b"a\xe9.csv", *options(), b"--receipt", receipt, cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        page = run("explain", receipt, cwd=self.folder)
        self.assertEqual(page.code, 0, page)
        self.assertIn("a\\xe9.csv", page.out)

    def test_a_ledger_tells_them_apart(self):
        run("ledger", "init", "b.db", "--dataset", "p", "--epsilon", "9", cwd=self.folder)
        files = (b"a\xe9.csv", b"a\xe8.csv", b"a\\xe9.csv")
        for name in files:
            result = run("release", name, *options(ledger="b.db"), b"--receipt", name + b".json", cwd=self.folder)
            self.assertEqual((result.code, result.err), (0, ""), result)
        for name in files:
            self.assertIn("nothing was spent", run("release", name, *options(ledger="b.db"), cwd=self.folder).err)
        entries = json.loads(run("ledger", "export", "b.db", cwd=self.folder).out)["entries"]
        self.assertEqual(len({json.loads(entry["query"])["file"] for entry in entries}), 3)
        for form in ("json", "csv", "table"):
            self.assertEqual(run("ledger", "show", "b.db", "--format", form, cwd=self.folder).code, 0)
        self.assertEqual(run("ledger", "export", "b.db", "--format", "csv", cwd=self.folder).code, 0)


class Endless(CommandTest):
    """Files that are read whole have a maximum size."""

    def test_dev_zero(self):
        for arguments, message in ((["explain", "/dev/zero"], "larger than 900 MiB"),
                                   (["flow", "check", "/dev/zero", "--epsilon", "1..2"], "larger than 64 MiB"),
                                   (["merge", "/dev/zero", "--output", "m"], "/dev/zero is a device"),
                                   (["release", "--counts", "/dev/zero", "--epsilon", "1"], "/dev/zero is a device"),
                                   (["release", "/dev/zero", *options(input_format="csv")], "/dev/zero is a device"),
                                   (["release", "t.csv", *options(by="x", keys_file="/dev/zero")], "not a regular file")):
            self.assert_refused(run(*arguments, cwd=self.folder), 3, message)


class Toml(CommandTest):
    def refuse(self, text, *parts):
        self.write("p.toml", text)
        self.assert_refused(run("flow", "check", "p.toml", "--epsilon", "1..2", cwd=self.folder), 3, *parts)

    def test_deep_nesting(self):
        for depth in (300, 100_000):
            self.refuse("x = " + "[" * depth + "]" * depth, "p.toml:1:", "nest")
            self.refuse("x = " + "{a=" * depth + "1" + "}" * depth, "p.toml:1:", "nest")
        for depth in (20, 100_000, 10_000_000):
            self.refuse("x" + ".a" * depth + " = 1\n", "p.toml:1:", "16 parts")

    def test_twins(self):
        self.refuse("[pipeline]\nparticipants = 2\nparticipants = 3\n", "p.toml:3:", "participants")
        self.refuse("[pipeline]\n[pipeline]\n", "p.toml:2:", "pipeline")


if __name__ == "__main__":
    unittest.main()
