"""The receipt and standard output are written whole or not at all, and interruptions leave nothing behind."""

import gzip
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from cli.program import EFFORT, HOUSE, PROGRAM, CommandTest, options, require_engine, run

setUpModule = require_engine


class ReceiptTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "x\n" + "7\n" * 1000)


class Written(ReceiptTest):
    def test_is_the_json_output(self):
        result = self.run_release("t.csv", format="json", receipt="r.json")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual((self.folder / "r.json").read_text(), result.out)
        self.assertEqual(self.files(), ["r.json", "t.csv"])

    def test_quantiles_are_called_as_they_were_typed(self):
        typed = {"quantiles": "1/3,.5,0.9200,1", "bounds": ("0", "10"), "step": "1", "epsilon": "1", "column": "x", "ledger": "l.db"}
        self.of("ledger", "init", "l.db", "--dataset", "d", "--epsilon", "1")
        first = self.of("release", "t.csv", *options(typed, receipt="n.json"))
        self.assertEqual([line.split(",")[0] for line in first.splitlines()], ["quantile", "1/3", "0.5", "0.92", "1"])
        kept = json.loads(self.content("n.json"))["quantiles"]
        self.assertEqual([(each["quantile"], each["name"]) for each in kept],
                         [("1/3", "1/3"), ("1/2", "0.5"), ("23/25", "0.92"), ("1", "1")])
        again = run("release", "t.csv", *options(typed, quantiles="1/3,1/2,23/25,1"), cwd=self.folder)
        self.assertIn("nothing was spent", again.err)
        self.assertEqual(again.out, first)
        plan = self.of("plan", "--bounds", "0", "100", "--step", "1", "--quantiles", "0.25,1/2", "--epsilon", "1", "--format", "csv")
        self.assertEqual([line.split(",")[0] for line in plan.splitlines()], ["quantile", "0.25", "1/2"])
        fractions = json.loads(self.of("release", "t.csv", *options(typed, quantiles="1/3,1/2", ledger=None, format="json")))
        self.assertNotIn("name", fractions["quantiles"][0])

    def test_beside_other_output(self):
        values = self.release("t.csv", receipt="r.json")
        receipt = json.loads((self.folder / "r.json").read_text())
        self.assertEqual([str(entry["value"]) for entry in receipt["quantiles"]], values)

    def test_not_after_a_failure(self):
        self.write("t.csv", "x\n7\nseven\n")
        self.assert_refused(self.run_release("t.csv", receipt="r.json"), 3, "row 2")
        self.assertEqual(self.files(), ["t.csv"])


class RefusedBeforeRows(ReceiptTest):
    """The file would end a release with exit code 3, so code 2 shows that the file was not read."""

    def refuse(self, receipt, *parts, how=None):
        self.write("t.csv", "x\n7\nseven\n")
        before = self.files()
        result = self.run_release("t.csv", receipt=receipt, how=how)
        self.assert_refused(result, 2, f"the receipt '{receipt}' ", *parts)
        self.assertEqual(self.files(), before)
        self.assert_refused(self.run_release("nowhere.csv", receipt=receipt, how=how), 2)

    def test_exists(self):
        self.write("r.json", "kept")
        self.refuse("r.json", "already exists", "choose another name")
        self.assertEqual((self.folder / "r.json").read_text(), "kept")
        self.refuse(".", "already exists")

    def test_names_that_a_database_keeps_for_itself(self):
        """SQLite would delete or replay such a file."""
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder).code, 0)
        for suffix in ("-journal", "-wal", "-shm"):
            for ledger in (None, "l.db"):
                result = self.run_release("t.csv", receipt=f"l.db{suffix}", ledger=ledger)
                self.assert_refused(result, 2, f"the receipt 'l.db{suffix}' would stand where a database in 'l.db' keeps its own file")
            result = run("count", "t.csv", "--column", "x", "--bounds", "0", "9", "--step", "1", "--output", f"./l.db{suffix}", cwd=self.folder)
            self.assert_refused(result, 2, "would stand where a database in './l.db' keeps its own file")
            # A folder there made the ledger unusable.
            result = self.run_release("t.csv", ledger="l.db", format="html", figures=f"l.db{suffix}/figures")
            self.assert_refused(result, 2, f"the folder 'l.db{suffix}' would stand where a database in 'l.db' keeps its own file")
            self.write("p.toml", '[publication]\nepsilon = 1\n[input]\nfile = "t.csv"\n[[table]]\ncolumn = "x"\nbounds = [0, 9]\nstep = 1\n'
                                 'quantiles = "median"\n')
            result = run("publish", "p.toml", "--ledger", "l.db", "--output", f"./l.db{suffix}", cwd=self.folder)
            self.assert_refused(result, 2, "would stand where a database in 'l.db' keeps its own file")
        (self.folder / "p.toml").unlink()
        self.assert_refused(self.run_release("t.csv", receipt="l.db", ledger="l.db"), 2, "already exists")
        self.assertEqual(self.files(), ["l.db", "t.csv"])
        self.assertEqual(json.loads(run("ledger", "export", "l.db", cwd=self.folder).out)["entries"], [])
        self.release("t.csv", receipt="other-wal")

    def test_too_large_to_be_read_back(self):
        """Such a receipt was paid for and committed, and then neither the ledger's answer nor `ledger verify` could read it."""
        self.write("t.csv", "x,g\n7,a\nseven,b\n")
        self.assertEqual(run("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1", cwd=self.folder).code, 0)
        keys = ",".join(f"k{number}" for number in range(1000))
        many = {"quantiles": None, "synthetic_rows": "1999", "by": "g", "keys": keys}
        message = r"the receipt could have up to \d+ bytes, and no receipt of more than 943718400 can be read back"
        for kept in ({"ledger": "l.db"}, {"receipt": "r.json"}, {"ledger": "l.db", "dry_run": True}, {"receipt": "r.json", "dry_run": True}):
            result = self.run_release("t.csv", **many, **kept)
            self.assert_refused(result, 2, "fewer groups or quantiles")
            self.assertRegex(result.err, message)
        self.write("p.toml", '[publication]\nepsilon = 1\n[input]\nfile = "t.csv"\n[keys]\ng = ' + json.dumps(keys.split(",")) + '\n[[table]]\n'
                             'column = "x"\nbounds = [0, 9]\nstep = 1\nby = "g"\nquantiles = ' + json.dumps([f"{k}/2000" for k in range(1, 2000)]))
        result = run("publish", "p.toml", "--output", "out", cwd=self.folder)
        self.assert_refused(result, 2, "table 'x'", "fewer groups or quantiles")
        self.assertRegex(result.err, message)
        self.assertEqual(json.loads(run("ledger", "export", "l.db", cwd=self.folder).out)["entries"], [])

    def test_a_receipt_is_not_printed(self):
        self.write("t.csv", "x\n7\nseven\n")
        self.assert_refused(self.run_release("t.csv", receipt="-"), 2, "the receipt goes to a file, and '-' names none")
        result = run("count", "t.csv", "--column", "x", "--bounds", "0", "9", "--step", "1", "--output", "-", cwd=self.folder)
        self.assert_refused(result, 2, "the profile file goes to a file")
        self.assertEqual(self.files(), ["t.csv"])

    def test_missing_folder(self):
        self.refuse("gone/r.json", "cannot be created: No such file or directory", "a folder that exists")
        self.refuse("t.csv/r.json", "cannot be created: Not a directory")
        self.refuse("r" * 256, "cannot be created: File name too long")

    def test_read_only_folder(self):
        how = self.as_nobody()
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        result = self.run_release("nowhere.csv", receipt="r.json", how=how)
        self.assert_refused(result, 2, "the receipt 'r.json' cannot be created: Permission denied", "you may write to")


class Unwritable(ReceiptTest):
    def test_a_file_may_not_grow(self):
        """RLIMIT_FSIZE stands for a full disk: the release fails before the rows are read."""
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
        result = self.run_release("t.csv", receipt="r.json", how=how)
        self.assert_refused(result, 3, "the receipt 'r.json' could not be written: ", "File too large", "free some space")
        self.assertEqual(self.files(), ["t.csv"])

    def test_standard_input_may_not_be_kept(self):
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
        result = self.run_release("-", stdin=b"x\n" + b"7\n" * 1000, how=how)
        self.assert_refused(result, 70, "the input could not be spooled: File too large", "set TMPDIR")

    def test_full_disk(self):
        """The disk has one page, which is occupied. It is mounted in a separate mount namespace."""
        command = 'mount -t tmpfs -o size=4k tmpfs full && head -c 4096 /dev/zero >full/taken && "$@"; code=$?; ' \
                  "ls -A full >left; exit $code"
        (self.folder / "full").mkdir()
        unshare = shutil.which("unshare")
        if unshare is None or subprocess.run([unshare, "--mount", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no right to mount")
        arguments = [PROGRAM, "release", "t.csv", *options(receipt="full/r.json")]
        result = subprocess.run([unshare, "--mount", "sh", "-c", command, "sh", *arguments], cwd=self.folder,
                                capture_output=True, text=True)
        left = (self.folder / "left").read_text().split()
        if left == []:
            self.skipTest("no right to mount: " + result.stderr)
        self.assertEqual((result.returncode, result.stdout, left), (3, "", ["taken"]))
        self.assertRegex(result.stderr, r"the receipt 'full/r\.json' could not be written: \d+ bytes may be needed .*: No space left on device")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            result = self.run_release("t.csv", how={"stdout": full})
        self.assert_refused(result, 3, "standard output could not be written: No space left", "counts as spent")

    def test_full_standard_output_with_a_receipt(self):
        with open("/dev/full", "wb") as full:
            result = self.run_release("t.csv", receipt="r.json", how={"stdout": full})
        self.assert_refused(result, 3, "standard output could not be written", "the receipt r.json holds it")
        json.loads((self.folder / "r.json").read_text())

    def test_closed_standard_output(self):
        """If the program did not prevent it, the spooled input would get descriptor 1, and the release would be written into it."""
        for name in ("t.csv", "-"):
            how = {"preexec_fn": lambda: os.close(1)}
            result = self.run_release(name, stdin=b"x\n7\n", how=how)
            self.assert_refused(result, 3, "standard output could not be written: Bad file descriptor")

    def test_closed_or_full_standard_error(self):
        with open("/dev/full", "wb") as full:
            for how in ({"preexec_fn": lambda: os.close(2)}, {"stderr": full}):
                self.assertEqual(self.run_release("t.csv", quantiles="2", how=how).code, 2)
                self.assertEqual(self.run_release("t.csv", epsilon="100", how=how).code, 0)

    def test_standard_error_without_a_reader(self):
        """Once, a message without a reader ended a charged release (SIGPIPE). If that came between draw and commitment, the release was lost."""
        read, write = os.pipe()
        os.close(read)
        self.addCleanup(os.close, write)
        self.assertEqual(run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "200", cwd=self.folder).code, 0)
        self.assertEqual(self.run_release("t.csv", quantiles="2", how={"stderr": write}).code, 2)
        paid = self.run_release("t.csv", epsilon="100", ledger="budget.db", receipt="r.json", how={"stderr": write})
        self.assertEqual((paid.code, paid.out.splitlines()[0]), (0, "quantile,value"))
        # If standard output has no reader, the program ends by SIGPIPE, as others do.
        self.assertEqual(self.run_release("t.csv", how={"stdout": write, "stderr": subprocess.PIPE}).code, -signal.SIGPIPE)


class Interrupted(ReceiptTest):
    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()

    def start(self, *arguments, **changes):
        environment = {**os.environ, "TMPDIR": str(self.folder / "tmp")}
        return subprocess.Popen([PROGRAM, "release", *arguments, *options(**changes)], cwd=self.folder, env=environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_while_reading_a_pipe(self):
        for stop in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            with self.subTest(stop=stop):
                process = self.start("-", receipt="r.json")
                process.stdin.write(b"x\n" + b"7\n" * 500_000)  # more than the pipe holds, so some of it has been read
                process.stdin.flush()
                process.send_signal(stop)
                out, err = process.communicate()
                self.assertEqual((process.returncode, out, err), (-stop, b"", b""))
                self.assertEqual(self.files(), ["t.csv", "tmp"])
                self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def test_at_any_moment(self):
        """A receipt with its name is whole. Only a SIGKILL during writing may leave the beginning of a receipt, without a name."""
        started = time.monotonic()
        self.release("t.csv")
        whole_run = time.monotonic() - started
        rounds = max(1, round(24 * EFFORT))
        for i in range(rounds):
            process = self.start("t.csv", receipt=f"r{i}.json")
            time.sleep(whole_run * 1.2 * i / rounds)
            process.kill()
            process.communicate()
        for name in self.files():
            if name.endswith(".json"):
                json.loads((self.folder / name).read_text())
            else:
                self.assertRegex(name, r"\A(t\.csv|tmp|r\d+\.json\.\w{6})\Z")
        self.assertEqual(os.listdir(self.folder / "tmp"), [])



# Written by a program of schema version 1; the folder also holds a ledger that it paid from.
FIRST = HOUSE / "tests" / "cases" / "receipts_1"


class OfVersionOne(CommandTest):
    def test_are_read(self):
        files = sorted(FIRST.glob("*.json"))
        self.assertGreater(len(files), 15)
        for file in files:
            with self.subTest(file.name):
                receipt = file.read_text()
                document = json.loads(receipt)
                self.assertEqual(document["schema_version"], 1)
                result = run("explain", file)
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertEqual(run("explain", file, "--format", "json").out, receipt)
                words = " ".join(result.out.split())
                for quantile in document.get("quantiles", document.get("groups", [{}])[0].get("quantiles")):
                    self.assertIn(str(quantile["value"]), words)
                if "public_records" in document: self.assertIn(f"The number of rows of the table, {document['public_records']}, is public", words)
                if "ledger" in document: self.assertIn(f"A ledger paid for the release: entry {document['ledger']['entry']}.", words)
                if "mostly_noise" not in document and document["worst_case"].get("together"):
                    self.assertIn(f"no value is off by more than {document['worst_case']['together']}.", words)
                page = run("explain", file, "--format", "html")
                self.assertEqual((page.code, page.err), (0, ""))
                (self.folder / "page.html").write_text(page.out)
                self.assertEqual(self.of("explain", "page.html", "--format", "json"), receipt)

    def test_json_is_the_receipt_alone(self):
        """Once, these options were ignored."""
        for option in (("--compare", "0.25,0.75"), ("--guess", "above:5")):
            refused = run("explain", FIRST / "pure.json", "--format", "json", *option)
            self.assert_refused(refused, 2, f"{option[0]} does not go with --format json, which prints the receipt", "leave it out")

    def test_changed_ones_are_refused(self):
        changed = (FIRST / "pure.json").read_text().replace('"pure"', '"zcdp"')
        self.write("r.json", changed)
        self.assert_refused(run("explain", "r.json", cwd=self.folder), 3)

    def test_names_of_version_two_mean_nothing_in_them(self):
        """A receipt of version 1 says nothing beyond that version: members that a later version named are ignored."""
        text = (FIRST / "pure.json").read_text().replace('"counted": {', '"public_rows": 7,\n  "counted": {')
        empty = re.sub(r'"sha256": "[0-9a-f]*"', '"sha256": ""', text)
        self.write("r.json", empty.replace('"sha256": ""', f'"sha256": "{hashlib.sha256(empty.encode()).hexdigest()}"'))
        result = run("explain", "r.json", cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("is public", result.out)

    def test_ledgers_still_answer_with_them(self):
        (self.folder / "paid.db").write_bytes(gzip.decompress((FIRST / "paid.db.gz").read_bytes()))
        os.chmod(self.folder / "paid.db", 0o600)
        stored = (FIRST / "paid.json").read_text()
        asked = ["release", "-", "--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1", "--ledger", "paid.db",
                 "--source", "people 2026"]
        for form in ("json", "csv", "table", "html"):
            result = run(*asked, "--format", form, stdin=b"age\n1\n", cwd=self.folder)
            self.assertEqual(result.code, 0, result)
            self.assertIn("nothing was spent", result.err)
            if form == "json": self.assertEqual(result.out, stored)
            for quantile in json.loads(stored)["quantiles"]: self.assertIn(str(quantile["value"]), result.out)
        self.write("r.json", stored)
        self.assertIn("What was spent on these people", self.of("explain", "r.json", "--ledger", "paid.db"))
        self.assertEqual(run("ledger", "verify", "paid.db", cwd=self.folder).code, 0)


class OfTheCharge(ReceiptTest):
    def test_says_dataset_and_entry_and_no_path(self):
        self.of("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "4")
        paid = json.loads(self.run_release("t.csv", format="json", ledger="budget.db").out)
        self.assertEqual({name: paid["charge"][name] for name in ("dataset", "entry")}, {"dataset": "people", "entry": 1})
        self.assertNotIn("budget", json.dumps(paid))
        self.assertNotIn("charge", json.loads(self.run_release("t.csv", format="json").out))


if __name__ == "__main__":
    unittest.main()
