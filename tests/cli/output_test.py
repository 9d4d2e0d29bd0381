"""The program prints exactly what docs/receipt.md says, and nothing about the data that was not paid for."""

import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios
import threading
import unittest
from decimal import Decimal

from cli.program import (HOUSE, LONG_LINE, PROGRAM, CommandTest, help_commands, one_processor, options,
                         require_engine, run, start)

setUpModule = require_engine

class Terminal:
    """A pseudo-terminal. The program writes to `end`, and read() returns what it wrote."""

    def __enter__(self):
        self._mine, self.end = pty.openpty()
        self._bytes = b""
        self._reader = threading.Thread(target=self._read_all)
        self._reader.start()
        return self

    def _read_all(self):
        try:
            while True:
                self._bytes += os.read(self._mine, 4096)
        except OSError:  # the program's end was closed
            pass

    def read(self):
        os.close(self.end)
        self._reader.join()
        self.end = None
        return self._bytes.decode("utf-8").replace("\r\n", "\n")

    def __exit__(self, *_):
        if self.end is not None:
            self.read()
        os.close(self._mine)


class TableTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "".join(f"{i % 11}\n" for i in range(1000)) + '""\n' * 77)

    def json_text(self, *arguments, **changes):
        result = self.run_release(*(arguments or ("t.csv",)), format="json", **changes)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertTrue(result.out.endswith("}\n"))
        return result.out

    def json(self, *arguments, **changes):
        return json.loads(self.json_text(*arguments, **changes), parse_float=Decimal)


class Json(TableTest):
    def test_pure(self):
        document = self.json(epsilon="0.30")
        values = [entry.pop("value") for entry in document["quantiles"]]
        self.assertTrue(all(isinstance(value, int) and 0 <= value <= 10 for value in values), values)
        self.assertEqual(values, sorted(values))
        version = run("--version").out.strip()
        engine = document["source"].pop("engine")
        errors = [entry.pop("rank_error") for entry in document["quantiles"]]
        self.assertTrue(all(errors), errors)
        self.assertLessEqual(max(errors), document["worst_case"].pop("simultaneous"))
        self.assertRegex(document.pop("sha256"), r"\A[0-9a-f]{64}\Z")
        self.assertEqual(engine, "text")
        by_query = self.json(epsilon="0.30", sql="SELECT * FROM input")
        self.assertRegex(by_query["source"]["engine"], r"\ADuckDB v\d+\.\d+\.\d+\S*\Z")
        self.assertEqual(document, {
            "schema_version": 2,
            "program": version,
            "mechanism": "tree",
            "options": {"rates": "tight", "chosen_by": "auto", "reason": "few possible values: counts on a tree"},
            "quantiles": [{"quantile": "1/4"}, {"quantile": "1/2"}, {"quantile": "3/4"}],
            "spent": [{"part": "counts", "epsilon": "3/10"}],
            "worst_case": {"confidence": "19/20", "rows": 4294967295},
            "privacy": {"measure": "pure", "epsilon": "3/10", "neighbors": "add-remove", "records_per_person": 1},
            "lattice": {"lower": 0, "upper": 10, "step": 1},
            "counted": {"records": "all", "values": "nearest"},
            "source": {"file": "t.csv", "column": "x", "null_policy": "drop", "domain": "number or missing"},
        })

    def test_zcdp(self):
        document = self.json("t.csv", epsilon=None, rho="0.5", rates="as-published", neighbors="change-one",
                             records_per_person="3", mechanism="exponential", quantiles="median", sql="FROM input")
        self.assertEqual(document["mechanism"], "exponential")
        self.assertEqual(document["options"], {"rates": "as-published"})
        self.assertEqual(document["privacy"], {"measure": "zcdp", "rho": "1/2", "neighbors": "change-one",
                                               "records_per_person": 3})
        self.assertEqual(document["source"]["sql"], "FROM input")

    def test_epsilon_as_a_logarithm(self):
        self.assertEqual(self.json(epsilon="2 * ln (7/2)")["privacy"]["epsilon"], "2 ln 7/2")

    def test_null_policy(self):
        self.write("whole.csv", "x\n1\n")
        self.assertEqual(self.json("whole.csv", null="error")["source"]["null_policy"], "error")

    def test_candidates(self):
        document = self.json(bounds=None, step=None, candidates="-1.50,0,2.25,1e3")
        self.assertEqual(document["lattice"], {"candidates": [Decimal("-1.5"), 0, Decimal("2.25"), 1000]})

    def test_awkward_names(self):
        name = 'quote " and \\ and \n.csv'
        self.write(name, '"a ""b"", ü"\n1\n')
        document = self.json(name, column='a "b", ü')
        self.assertEqual((document["source"]["file"], document["source"]["column"]), (name, 'a "b", ü'))

    def test_numbers_have_exactly_their_decimals(self):
        text = self.json_text(step="0.1", bounds=("-0.3", "0.10"))
        self.assertRegex(text, r'"lower": -0\.3,\s+"upper": 0\.1,\s+"step": 0\.1\n')
        self.assertTrue(all(re.fullmatch(r"-0\.[123]|0(\.1)?", value) for value in self.values_in(text)), text)

    def test_more_digits_than_a_double_has(self):
        text = self.json_text(bounds=("0", "4611686018427387.90"), step="0.01")
        self.assertIn('"upper": 4611686018427387.9,', text)
        for value in self.values_in(text):
            self.assertRegex(value, r"\A\d+(\.\d\d?)?\Z")
        text = self.json_text(bounds=(str(10**30), str(10**30 + 9)))
        self.assertTrue(all(re.fullmatch(r"10{29}\d", value) for value in self.values_in(text)), text)

    def values_in(self, text):
        values = re.findall(r'"value": (\S+),\n', text)
        self.assertEqual(len(values), 3)
        return values


def without_hash(text):
    return re.sub(r'"sha256": "[0-9a-f]{64}"', "", text)


class Silence(TableTest):
    """No output reveals how many records there are, how many were left out, or how long the release took."""

    def test_no_count_unless_public(self):
        for form in ("json", "csv", "table"):
            result = self.run_release("t.csv", format=form, receipt=f"{form}.json")
            for count in ("1000", "1077", "77"):
                self.assertNotIn(count, without_hash(result.out + (self.folder / f"{form}.json").read_text()))
            self.assertEqual(result.err, "")

    def test_equally_many_bytes(self):
        """Except for the values, the output for an empty table equals the output for a full one."""
        self.write("e.csv", "x\n")
        for form in ("json", "csv", "table"):
            outputs = [self.run_release(name, format=form, bounds=("5", "5")).out for name in ("t.csv", "e.csv")]
            self.assertEqual(without_hash(outputs[0]).replace("t.csv", "e.csv"), without_hash(outputs[1]))

    def test_public_rows(self):
        self.assertEqual(self.json(public_rows=True)["public_rows"], 1077)
        self.assertIn("1077 rows (declared public)", self.run_release("t.csv", format="table", public_rows=True).out)
        self.assertNotIn("1077", self.run_release("t.csv", format="csv", public_rows=True).out)

    def test_public_rows_are_those_of_the_table_whatever_they_hold(self):
        """A public table size does not make public how many of the rows hold a number."""
        self.write("n.csv", "x,y\n" + "1,1\n,1\nNaN,1\n" * 5)
        self.write("n.json", '{"x": 1}\n{"y": 2}\n' * 3)
        self.assertEqual(self.json("n.csv", public_rows=True, epsilon="20")["public_rows"], 15)
        self.assertEqual(self.json("n.json", public_rows=True, neighbors="change-one", epsilon="20")["public_rows"], 6)
        self.assert_refused(self.run_release("n.csv", public_rows=True, sql="SELECT x FROM input WHERE y = 1"), 2,
                            "nor with --sql")


class Seeds(TableTest):
    def test_stamped(self):
        document = self.json(unsafe_seed="18446744073709551615")
        self.assertEqual(document["unsafe_seed"], 2**64 - 1)
        self.assertIn("NOT PRIVATE", document["warning"])
        table = self.run_release("t.csv", unsafe_seed="5", format="table").out
        self.assertTrue(table.endswith("NOT PRIVATE: random bits from --unsafe-seed 5\n"), table)
        csv = self.run_release("t.csv", unsafe_seed="5").out.splitlines()
        self.assertEqual(csv[0], "quantile,value,unsafe_seed")
        self.assertTrue(all(line.endswith(",5") for line in csv[1:]), csv)

    def test_reproducible(self):
        wide = {"bounds": ("0", str(2**61)), "epsilon": "1e-9"}
        outputs = [self.json_text(unsafe_seed=seed, **wide) for seed in ("0", "0", "1")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertNotEqual(outputs[0].replace('"unsafe_seed": 0', '"unsafe_seed": 1'), outputs[2])

    def test_otherwise_every_release_is_new(self):
        wide = {"bounds": ("0", str(2**61)), "epsilon": "1e-9"}
        documents = [self.json(**wide) for _ in range(2)]
        self.assertNotEqual(documents[0]["quantiles"], documents[1]["quantiles"])
        self.assertTrue({"unsafe_seed", "warning"}.isdisjoint(documents[0]))


class Formats(TableTest):
    TABLE = re.compile(r"quantile +x\n(1/4|1/2|3/4) +\d+\n(?s:.*)\nepsilon = 1 \(pure\), neighbors add-remove, "
                       r"at most 1 record a person, mechanism tree\n"
                       r"chosen by auto: few possible values: counts on a tree\n"
                       r"records without a number \(NULL, empty or NaN\) were left out\n")

    def test_csv_in_a_pipe(self):
        result = self.run_release("t.csv")
        self.assertRegex(result.out, r"\Aquantile,value\n1/4,\d+\n1/2,\d+\n3/4,\d+\n\Z")
        self.assertEqual(self.run_release("t.csv", unsafe_seed="1").out,
                         self.run_release("t.csv", unsafe_seed="1", format="csv").out)

    def test_table_on_a_terminal(self):
        with Terminal() as terminal:
            self.assertEqual(self.run_release("t.csv", how={"stdout": terminal.end}).code, 0)
            text = terminal.read()
        self.assertRegex(text, self.TABLE)
        self.assertNotIn("\033", text)

    def test_table_on_demand(self):
        self.assertRegex(self.run_release("t.csv", format="table").out, self.TABLE)
        text = self.run_release("t.csv", format="table", epsilon=None, rho="1/2", records_per_person="2", null="error",
                                sql="SELECT 1 AS x FROM input").out
        self.assertIn("rho = 1/2 (zcdp), neighbors add-remove, at most 2 records a person", text)
        self.assertNotIn("left out", text)

    def test_no_line_ends_in_a_blank(self):
        self.write("wide.csv", "number,x\n1,2\n")
        survey = HOUSE / "examples" / "flow" / "geometric_count.toml"
        for words in (("release", "t.csv", *options(count=True, mean=True)), ("columns", "wide.csv"), ("flow", "leakage", survey, "--epsilon", "1")):
            result = run(*words, "--format", "table", cwd=self.folder)
            self.assertEqual(result.code, 0, result)
            self.assertNotRegex(result.out, r"(?m) $")

    def test_other_formats_on_a_terminal(self):
        with Terminal() as terminal:
            self.run_release("t.csv", format="csv", how={"stdout": terminal.end})
            self.assertTrue(terminal.read().startswith("quantile,value\n"))
        with Terminal() as terminal:
            self.run_release("t.csv", format="json", how={"stdout": terminal.end})
            json.loads(terminal.read())


EARLIER = r"\A((\ropening [^\r]+ \(\d+ s\))+\r\033\[K)?"  # what a slow machine shows before it reads


class ProgressLine(CommandTest):
    def run_slowly(self, rows, stderr):
        self.write("t.csv", "y\n1\n")
        slow = f"SELECT length(md5(CAST(range AS VARCHAR))) AS x FROM t, range({rows})"
        query = options(step="0.001", sql=slow, sql_stability="1000000000", table="t=t.csv")
        process = subprocess.run([PROGRAM, "release", *query], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=stderr, timeout=120, cwd=self.folder, preexec_fn=one_processor)
        self.assertEqual(process.returncode, 0)

    def test_on_a_terminal_only(self):
        rows = 1_000_000
        line = ""
        while "reading " not in line and rows < 1_000_000_000:  # progress appears only after a while, and the machine may be quick
            rows *= 2
            with Terminal() as terminal:
                self.run_slowly(rows, terminal.end)
                line = terminal.read()
        self.assertRegex(line, EARLIER + r"(\rreading the query's result \(\d+ s\))+\r\033\[K\Z")
        with open(os.path.join(self.folder, "stderr"), "w+b") as stderr:
            self.run_slowly(rows, stderr)
            stderr.seek(0)
            self.assertEqual(stderr.read(), b"")

    def test_a_share_of_the_bytes_of_text(self):
        rows = 10_000_000
        line = ""
        while not re.search(r"\(\d\d? %, ", line) and rows < 500_000_000:  # a quick machine may be done before it shows a share
            rows *= 2
            self.write("t.csv", b"x\n" + b"7\n" * rows)
            with Terminal() as terminal:
                self.run_release("t.csv", threads="1", how={"stderr": terminal.end, "preexec_fn": one_processor})
                line = terminal.read()
        self.assertRegex(line, EARLIER + r"(\rreading t\.csv \((\d+ %, )?\d+ s\))+\r\033\[K\Z")
        self.assertRegex(line, r"\(\d\d? %, ")

    def test_of_a_plan_in_a_pipe(self):
        """A plan of thousands of quantiles was made in silence. No line of a plan is private."""
        with start("plan", *options({"bounds": ("0", "1000000"), "step": "0.01", "epsilon": "1"}, synthetic_rows="100000",
                                           expected_rows="1000000")) as process:
            line = next(line for line in process.stderr if b"simulating" in line)
            process.kill()
        self.assertRegex(line, rb"\Afractile: still working on simulating releases \(\d+ s\)\n\Z")

    def test_not_for_quick_work(self):
        with Terminal() as terminal:
            self.run_release("-", stdin=b"x\n1\n", how={"stderr": terminal.end})
            self.assertEqual(terminal.read(), "")


class Help(CommandTest):
    def text(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertTrue(all(len(line) <= LONG_LINE for line in result.out.splitlines()), result.out)
        return result.out

    def test_version(self):
        project = re.search(r"project\(fractile VERSION (\S+)", (HOUSE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.text("--version"), f"fractile {project}\n")

    def test_of_the_program(self):
        self.assertEqual(self.text("--help"), self.text("-h"))
        self.assertIn("  release    publish quantiles of a column", self.text("--help"))

    def test_of_the_verb(self):
        text = self.text("release", "--help")
        self.assertEqual(text, self.text("release", "nowhere.csv", "-h", "--column", "x"))
        self.assertIn("  --bounds LO HI          the smallest and largest possible value", text)
        self.assertIn("Exit codes: 0 released; 2 wrong usage; 3 unusable file, table or cell; 4 the budget does not allow\n"
                      "it; 5 unusable ledger; 70 internal; 130 stopped by Ctrl-C and 143 by SIGTERM after a ledger was\n"
                      "charged.", text)

    def test_of_verbs_that_a_ledger_pays_for_and_others(self):
        words = {verb: " ".join(self.text(verb, "--help").split()) for verb in ("release", "publish", "count")}
        for verb in ("release", "publish"):
            self.assertIn("4 the budget does not allow it; 5 unusable ledger; 70 internal; 130 stopped by Ctrl-C", words[verb])
        self.assertIn("which counts them as empty [error, and with --ledger missing]", words["release"])
        self.assertIn("which counts them as empty [error]", words["count"])
        self.assertIn("approximate differential privacy, 1e-6; the mechanism is then independent", words["release"])
        self.assertNotIn("--ledger", words["count"])

    def test_at_the_width_of_the_terminal(self):
        for columns, widest in ((72, 72), (110, 110), (400, 120), (10, 60), (0, LONG_LINE)):
            with self.subTest(columns=columns), Terminal() as terminal:
                fcntl.ioctl(terminal.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                self.assertEqual(run("audit", "--help", stdout=terminal.end).code, 0)
                text = terminal.read()
                longest = max(len(line) for line in text.partition("\nExample")[0].splitlines()[3:])
                self.assertTrue(widest - 12 < longest <= widest, text)
                self.assertEqual(text.split(), run("audit", "--help").out.split())

    def test_its_example_works(self):
        self.write("people.csv", "income\n" + "".join(f"{i * 977 % 100_000}\n" for i in range(2000)))
        commands = help_commands(self.text("release", "--help"))
        self.assertEqual(len(commands), 1)
        result = run(*shlex.split(commands[0])[1:], cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("income.json", self.files())

    def test_on_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.assert_refused(run("release", "--help", stdout=full), 3, "standard output could not be written")


if __name__ == "__main__":
    unittest.main()
