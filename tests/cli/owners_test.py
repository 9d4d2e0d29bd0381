"""What an asker may type on an owner's ledger, and what only the owner may declare. The asker sees all output, but not the table."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import threading
import unittest

from cli.program import PROGRAM, CommandTest, require_engine, run

setUpModule = require_engine

SECRET = "Ada-Lovelace-1815"  # the name of a person, which no message may show
SURE = r"fractile: warning: an epsilon above 20 promises next to nothing\n  [^\n]*\n"


class OwnersTest(CommandTest):
    """people.csv has ages of 3, and patients.csv has ages of 7. The budget is so large that releases are the true medians."""

    def setUp(self):
        super().setUp()
        self.write("people.csv", "name,age\n" + f"{SECRET},3\n" + "".join(f"p{i},3\n" for i in range(99)))
        self.write("patients.csv", "name,age\n" + "".join(f"p{i},7\n" for i in range(100)))

    def init(self, *declared, name="budget.db", dataset="people"):
        result = run("ledger", "init", name, "--dataset", dataset, "--epsilon", "1000000", *declared, cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""))

    def asked(self, *arguments, **changes):
        usual = {"column": "age", "quantiles": "median", "epsilon": "1000", "ledger": "budget.db"}
        return self.run_release(*arguments, **{**usual, **changes})

    def median(self, *arguments, **changes):
        result = self.asked(*arguments, **changes)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, rf"\A(?:{SURE})?(?:fractile: this was released [^\n]*\n  [^\n]*\n)?\Z")
        return result.out.splitlines()[-1].split(",")[-1]

    def refuse(self, *parts, arguments=("people.csv",), code=2, **changes):
        """Requires a refusal that charges nothing and does not mention any row."""
        with self.subTest(**{name: str(value) for name, value in changes.items()}):
            result = self.asked(*arguments, **changes)
            self.assertEqual((result.code, result.out), (code, ""), result)
            for part in parts:
                self.assertIn(part, result.err)
            for secret in (SECRET, "p1,3"):
                self.assertNotIn(secret, result.err)
            self.assertEqual(self.entries(), 0)

    def entries(self, name="budget.db"):
        return len(json.loads(run("ledger", "export", name, cwd=self.folder).out)["entries"])


class Declared(OwnersTest):
    def test_what_every_release_must_have_and_what_it_may(self):
        """Once, what a dataset permits was what every release "must have", with a value that no release takes: --public-rows yes."""
        self.write("keys.txt", "3\n7\n")
        said = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "1", "--null", "error", "--single-line-records", "--public-rows",
                   "--keys-file", "keys.txt", "--sql-stability", "3", "--sql", "SELECT 1", cwd=self.folder)
        hashed = hashlib.sha256(b"3\n7\n").hexdigest()
        must, may = "--null error, --single-line-records", f'--keys-file with the SHA-256 {hashed}, --public-rows, --sql "SELECT 1", --sql-stability 3 or more'
        self.assertEqual((said.code, said.out), (0, "dataset people may spend epsilon = 1 for each person (add-remove neighbors)\n"
                                                    f"every release must have {must}\npermitted: {may}\n"))
        shown = run("ledger", "show", "budget.db", "--format", "table", cwd=self.folder).out
        self.assertIn(f"  releases   must have {must}\n  permitted  {may}\n", shown)
        page = run("ledger", "show", "budget.db", "--format", "html", cwd=self.folder).out
        self.assertIn(f"Releases must have {must}<", page)
        self.assertIn("Permitted: --keys-file with the SHA-256 ", page)
        said = run("ledger", "init", "budget.db", "--dataset", "others", "--epsilon", "1", "--decimal", ",", "--thousands", ".", cwd=self.folder)
        self.assertIn("every release must have --decimal ',', --thousands .\n", said.out)

    def test_what_only_an_owner_may_say(self):
        self.init()
        self.write("keys.txt", "3\n7\n")
        undeclared = "may be used on a ledger's dataset only as its owner declared it, and dataset 'people' does not declare it"
        for name, value in (("null", "error"), ("public_rows", True), ("sql_stability", "1")):
            changes = {name: value, "sql": "SELECT age FROM input, range(1000)"} if name == "sql_stability" else {name: value}
            self.refuse(f"--{name.replace('_', '-')} {undeclared}", "fractile ledger init declares it for a new dataset: with --", **changes)
        self.refuse("a new dataset: with --sql-stability 1 --sql \"SELECT age FROM input, range(1000)\"", **changes)  # the query belongs to it
        self.refuse(f"--keys-file {undeclared}", "write the keys themselves, --keys north,south", by="name", keys_file="keys.txt")
        self.refuse(f"--postgres {undeclared}", arguments=(), postgres="postgres://127.0.0.1:1/x", sql="SELECT age FROM t")
        self.assertEqual(self.median("people.csv", null="drop"), "3")

    def test_no_code_of_an_asker_runs(self):
        self.init()
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no compiler is here")
        self.write("evil.c", '#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fclose(fopen("ran", "w")); }\n')
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "evil.so", "evil.c"], cwd=self.folder, check=True)
        self.refuse("--duckdb may be used on a ledger's dataset only as its owner declared it", duckdb="./evil.so")
        self.assertNotIn("ran", self.files())

    def test_what_an_owner_declares(self):
        self.write("keys.txt", "3\n7\n")
        self.init("--public-rows", "--sql-stability", "3", "--sql", "SELECT age FROM input, range(3)", "--keys-file", "keys.txt")
        self.assertEqual(self.median("people.csv"), "3")
        self.assertEqual(self.median("people.csv", public_rows=True), "3")
        query = {"sql": "SELECT age FROM input, range(3)", "epsilon": "10000"}
        self.refuse_more("'people' declares --sql-stability 3", **query, sql_stability="2")
        for stability in ("3", "5"):
            self.assertEqual(self.median("people.csv", **query, sql_stability=stability), "3")
        another = {"sql": "SELECT age FROM input, range(1000) WHERE name = 'p7'", "sql_stability": "3"}
        self.refuse_more("--sql-stability holds for the query that dataset 'people' declares, and this is another query", **another)
        self.assertEqual(self.median("people.csv", sql="SELECT age FROM input", epsilon="10000"), "3")  # this query is row-wise

    def refuse_more(self, *parts, **changes):
        before = self.entries()
        self.assert_refused(self.asked("people.csv", **changes), 2, *parts)
        self.assertEqual(self.entries(), before)

    def test_no_query_makes_a_cell_missing_that_ends_a_release(self):
        """Once, an asker could end a release where a condition held of a person's record, and the message named the row."""
        self.init("--null", "error")
        self.assertEqual(self.median("people.csv", null="error"), "3")
        self.assertEqual(self.median("people.csv", null="error", sql="SELECT age FROM input"), "3")
        self.refuse_more("a query could make any value missing", null="error",
                         sql=f"SELECT CASE WHEN name <> '{SECRET}' THEN age END AS age FROM input")
        self.refuse_more("does not declare what --missing says", null="error", missing="3")

    def test_no_key_that_a_record_lacks_ends_a_release(self):
        """Once, an asker could name any key of JSON: the release ended if a record lacked it."""
        self.init("--null", "error")
        records = self.folder / "records"
        records.mkdir()
        (records / "people.json").write_text('{"age": 3}\n', encoding="utf-8")
        for file in ("records/people.json", "records", "records/*.json"):
            self.assert_refused(self.asked(file, null="error"), 2, "which keys a record of JSON has is up to that record")
        self.assertEqual(self.entries(), 0)
        done = run("ledger", "init", "json.db", "--dataset", "people", "--epsilon", "1", "--null", "error", "--input-format", "json", cwd=self.folder)
        self.assert_refused(done, 2, "which keys a record of JSON has is up to that record")

    def test_an_engine_that_is_declared(self):
        library = os.environ.get("FRACTILE_DUCKDB") or str(PROGRAM.parent / "libduckdb.so")
        self.init("--duckdb", library)
        self.assertEqual(self.median("people.csv"), "3")
        (self.folder / "engine.so").symlink_to(library)
        self.assertEqual(self.median("people.csv", duckdb="./engine.so", again=True), "3")
        self.refuse_more("'people' declares --duckdb ", duckdb="./people.csv")

    def test_refusals_of_a_declaration(self):
        for words, part in ((("--null", "keep"), "--null: 'keep' is not known"), (("--input-format", "xls"), "--input-format: 'xls' is not known"),
                            (("--table", "visits"), "has no = between"), (("--table", "v=gone.csv"), "--table: there is no file 'gone.csv'"),
                            (("--sql-stability", "0", "--sql", "SELECT 1"), "--sql-stability: '0' is not a whole number"),
                            (("--sql-stability", "3"), "goes with --sql"), (("--sql", "SELECT 1"), "goes with --sql"), (("--keys-file", "."), "Is a directory")):
            result = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "1", *words, cwd=self.folder)
            self.assertIn(result.code, (2, 3))
            self.assert_refused(result, result.code, part)
        self.assertNotIn("budget.db", self.files())


class KeysFiles(OwnersTest):
    """A file of keys is printed key by key, so it must not be the table, whatever the file's name is."""

    def test_are_those_that_were_declared_by_their_contents(self):
        self.write("keys.txt", "3\n7\n")
        self.init("--keys-file", "keys.txt", "--source", "./people.csv")
        shutil.copy(self.folder / "people.csv", self.folder / "copy.txt")
        for name in ("copy.txt", "people.csv"):
            self.refuse("--keys-file", by="name", keys_file=name, epsilon="1e-9")
        self.write("elsewhere.txt", "3\n7\n")
        self.assertIn("\n3,1/2,3\n", self.asked("people.csv", by="age", keys_file="elsewhere.txt").out)
        self.assertEqual(self.median("people.csv", by="age", keys="3"), "3")
        self.write("keys.txt", "3\n7\n" + SECRET + "\n")
        result = self.asked("people.csv", by="name", keys_file="keys.txt")
        self.assert_refused(result, 2, "declares a file of other contents", secrets=(SECRET,))

    def test_are_plain_files_that_nothing_reads(self):
        self.init()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "link").symlink_to("people.csv")
        for name, part in (("people.csv", "is the file that is read"), ("link", "is the file that is read"), ("/dev/null", "not a regular file"),
                           ("/dev/zero", "not a regular file"), ("/proc/self/environ", "not a regular file"), ("pipe", "not a regular file"),
                           ("/sys/kernel/profiling", "not a regular file"), ("budget.db", "a database")):
            if not os.path.lexists(self.folder / name):
                continue
            with self.subTest(name):
                result = self.asked("people.csv", by="name", keys_file=name, ledger=None, how={"env": {**os.environ, "SECRET": SECRET}})
                self.assert_refused(result, result.code, part, secrets=(SECRET,))
                self.assertIn(result.code, (2, 3))

    def test_no_refusal_quotes_a_line(self):
        for content, part in ((f"{SECRET}\n{SECRET}\n", "line 2 appeared before"), (f"{SECRET}\n\n", "line 2 is empty"),
                              (f"{SECRET}\n".encode() + b"\xff\n", "line 2 is not UTF-8 text")):
            self.write("keys.txt", content)
            self.assert_refused(self.asked("people.csv", by="name", keys_file="keys.txt", ledger=None), 2, part, secrets=(SECRET,))

    def test_pages_quote_no_line_of_a_file(self):
        page = {"format": "html", "ledger": None}
        for content, part in ((f"{SECRET} is no TOML\n", "line 1 is not TOML"), (f'title = "x"\n"{SECRET}" = "y"\n', "line 2: the name before = is not known"),
                              ("title = 7\n", "title is not text")):
            self.write("about.toml", content)
            self.assert_refused(self.asked("people.csv", **page, about="about.toml"), 3, part, secrets=(SECRET,))
        self.assert_refused(self.asked("people.csv", **page, about="people.csv"), 2, "--about: 'people.csv' is the file that is read", secrets=(SECRET,))
        self.assert_refused(self.asked("people.csv", **page, about="/proc/self/environ"), 3, "not a regular file")


class Pins(OwnersTest):
    def test_are_all_that_is_read(self):
        """A query may read further tables, but the budget covers only the declared one."""
        self.init("--source", "./people.csv")
        self.refuse("patients.csv', too, and dataset 'people' does not declare it", sql="SELECT age FROM p", table="p=patients.csv")
        self.refuse("patients.csv', too,", sql="SELECT age FROM input WHERE name <> (SELECT min(name) FROM p)", table="p=patients.csv")
        self.refuse("reads the file '", arguments=(), sql="SELECT age FROM p", table="p=patients.csv")
        self.refuse("patients.csv', too,", arguments=(), sql="SELECT age FROM p", table=("p=people.csv", "--table", "q=patients.csv"))
        self.assertEqual(self.median(sql="SELECT age FROM p", table="p=people.csv"), "3")
        self.assertEqual(self.median("people.csv", sql="SELECT age FROM input", table="p=./people.csv"), "3")

    def test_tables_that_are_declared(self):
        query = {"sql": "SELECT p.age FROM input JOIN p USING (name)", "sql_stability": "1"}
        self.init("--source", "./people.csv", "--table", "p=./patients.csv", "--sql-stability", "1", "--sql", query["sql"])
        self.refuse("with 'people.csv' as the table p", arguments=("people.csv",), **query, table="p=people.csv")
        self.refuse("with 'people.csv' as the table p", arguments=("patients.csv",), **query, table="p=people.csv")
        self.assertEqual(self.median("people.csv", **query, table="p=patients.csv"), "7")
        self.assertEqual(self.median("people.csv"), "3")
        self.assert_refused(self.asked("patients.csv"), 2, "reads the file '", "is for the file '")
        self.assert_refused(self.asked(sql="SELECT age FROM p", table="p=patients.csv"), 2, "reads the file '")

    def test_a_further_table_makes_no_released_file_new(self):
        self.init()
        self.write("other.csv", "x\n1\n")
        self.median("people.csv", missing="99")
        for arguments, query in (("people.csv", "SELECT age FROM input"), ("other.csv", "SELECT age FROM o")):
            table = "o=other.csv" if arguments == "people.csv" else "o=people.csv"
            result = self.asked(arguments, sql=query, table=table)
            self.assert_refused(result, 2, "/people.csv' is read, with --missing 99")
            self.median(arguments, sql=query, table=table, missing="99")

    def test_queries_name_what_was_opened(self):
        self.init()
        (self.folder / "link.csv").symlink_to("people.csv")
        (self.folder / "other.csv").symlink_to("patients.csv")
        self.assertEqual(self.median("link.csv", sql="SELECT age FROM o", table="o=other.csv"), "7")
        query = json.loads(json.loads(run("ledger", "export", "budget.db", cwd=self.folder).out)["entries"][0]["query"])
        self.assertEqual((query["file"], query["tables"]), (f"{self.folder}/people.csv", [f"o={self.folder}/patients.csv"]))
        self.assertIn("nothing was spent", self.asked("people.csv", sql="SELECT age FROM o", table="o=patients.csv").err)

    def test_links_of_processes_lead_to_nothing_that_is_known(self):
        """Such links may lead out of the file system to which the ledger's paths belong."""
        self.init("--source", "./people.csv", "--input-format", "csv")
        with open(self.folder / "people.csv", "rb") as table:
            for name in (f"/proc/self/root{self.folder}/people.csv", f"/proc/{os.getpid()}/root{self.folder}/people.csv",
                         f"/proc/self/fd/{table.fileno()}", f"/proc/{os.getpid()}/fd/{table.fileno()}"):
                self.refuse("reads a source without a name", arguments=(name,), input_format="csv", how={"pass_fds": [table.fileno()]})
        self.init(dataset="any", name="any.db")
        for _ in range(2):
            self.assertEqual(self.median(f"/proc/self/root{self.folder}/people.csv", ledger="any.db"), "3")
        self.assertEqual(self.entries("any.db"), 2)  # there is no stored answer, because it is unknown which file was read

    def test_a_file_that_is_gone_is_not_the_one_that_took_its_name(self):
        self.init("--source", "./people.csv", "--input-format", "csv")
        (self.folder / "slow").mkdir()
        with open(self.folder / "people.csv", "rb") as table:
            os.unlink(self.folder / "people.csv")
            shutil.copy(self.folder / "patients.csv", self.folder / "people.csv")
            self.refuse("reads a source without a name", arguments=(f"/dev/fd/{table.fileno()}",), input_format="csv",
                        how={"pass_fds": [table.fileno()]})

    def test_what_was_opened_is_what_is_read(self):
        """A link points to one file and then to another. Whatever is released is from the file that the budget is for."""
        self.init("--source", "./people.csv")
        link, done = self.folder / "link.csv", threading.Event()
        link.symlink_to("people.csv")

        def flip():
            while not done.is_set():
                for name in ("patients.csv", "people.csv"):
                    with contextlib.suppress(FileNotFoundError):
                        os.symlink(name, self.folder / "next")
                        os.replace(self.folder / "next", link)

        flipping = threading.Thread(target=flip)
        flipping.start()
        try:
            results = [self.asked("link.csv", again=True) for _ in range(30)]
        finally:
            done.set()
            flipping.join()
        released = [result.out.splitlines()[-1] for result in results if result.code == 0]
        self.assertEqual(set(released), {"1/2,3"} if released else set())
        for result in results:
            if result.code != 0:
                self.assert_refused(result, 2, "patients.csv', but the budget of dataset 'people' is for the file")
        self.assertEqual(self.entries(), len(released))


class Fixed(OwnersTest):
    def refuse_reading(self, *parts, arguments=("people.csv",), **changes):
        with self.subTest(**{name: str(value) for name, value in changes.items()}):
            before = self.entries()
            self.assert_refused(self.asked(*arguments, **changes), 2, *parts)
            self.assertEqual(self.entries(), before)

    def test_the_first_release_of_a_source_says_how_it_is_read(self):
        self.init()
        self.assertEqual(self.median("people.csv"), "3")
        fixed = "and entry 1 of dataset 'people', which fixed how that is read, without --"
        others = ({"missing": "35"}, {"person": "name"})
        for change in others:
            for more in ({}, {"source": "fresh"}):  # the asker's name for the source does not make it another source
                self.refuse_reading(f"the release reads the file '{self.folder}/people.csv' with --", fixed, "fractile ledger init declares it",
                                    **change, **more)
        self.assertEqual(self.median("people.csv", records_per_person="2"), "3")
        self.assertEqual(self.median("people.csv", input_format="csv", null="drop", again=True), "3")
        self.assertEqual(self.median("patients.csv", missing="35", person="name"), "7")
        self.refuse_reading("entry 4 of dataset 'people', which fixed how that is read, with --person name", arguments=("patients.csv",),
                            missing="35")

    def test_no_first_release_says_how_a_file_is_cut_into_records(self):
        """A delimiter chosen by the asker could end a release, or split one cell into many records."""
        self.init()
        for change in ({"delimiter": ";"}, {"delimiter": ",3"}, {"single_line_records": True}, {"input_format": "tsv"},
                       {"decimal": ","}, {"thousands": ","}, {"encoding": "utf-16"}):
            option = "--" + next(iter(change)).replace("_", "-")
            self.refuse_reading(f"{option} may be used on a ledger's dataset only as its owner declared it", "fractile ledger init declares it",
                                **change)
        self.assertEqual(self.entries(), 0)

    def test_of_persons(self):
        self.init()
        self.assertEqual(self.median("people.csv", person="name", records_per_person="2"), "3")
        self.refuse_reading("with --person name", records_per_person="2")
        self.refuse_reading("is for persons with 2", person="name")
        self.assertEqual(self.median("people.csv", person="name", records_per_person="3"), "3")

    def test_what_nothing_is_known_of_is_read_as_declared(self):
        self.init()
        text = (self.folder / "people.csv").read_bytes()
        for more in ({}, {"source": "monday"}):
            for change in ({"missing": "35"}, {"person": "name"}):
                self.refuse_reading("the release reads a source without a name with --", arguments=("-",), stdin=text, **change, **more)
            self.assertEqual(self.median("-", stdin=text, **more), "3")

    def test_what_is_declared(self):
        self.write("people.csv", "name;age\n" + "".join(f"p{i};3\n" for i in range(100)))
        self.init("--delimiter", ";", "--input-format", "csv", "--single-line-records")
        self.refuse_reading("without --delimiter, and dataset 'people' is read with --delimiter ';'", single_line_records=True)
        self.refuse_reading("without --single-line-records", delimiter=";")
        self.assertEqual(self.median("people.csv", delimiter=";", single_line_records=True), "3")
        text = (self.folder / "people.csv").read_bytes()
        self.assertEqual(self.median("-", stdin=text, delimiter=";", single_line_records=True), "3")

    def test_how_numbers_are_written_is_declared(self):
        self.write("people.csv", "name;age\n" + "".join(f"p{i};3,0\n" for i in range(100)))
        self.init("--decimal", ",", "--thousands", ".", "--encoding", "latin1")
        self.refuse_reading("without --encoding, and dataset 'people' is read with --encoding latin1", decimal=",", thousands=".")
        self.assertEqual(self.median("people.csv", decimal=",", thousands=".", encoding="latin1"), "3")
        query = json.loads(run("ledger", "show", "budget.db", "--format", "json", cwd=self.folder).out)["entries"][0]["query"]
        self.assertIn('"decimal":",","thousands":".","encoding":"latin1"', query if isinstance(query, str) else json.dumps(query))

    def test_a_reading_that_no_release_can_have_is_not_declared(self):
        for declared, fault in ((("--delimiter", "tab"), "--input-format tsv"), (("--delimiter", ";", "--input-format", "json"), "delimiter"),
                                (("--decimal", "x"), "--decimal"), (("--encoding", "ebcdic"), "ebcdic"), (("--missing", "NA,NA"), "NA")):
            refused = run("ledger", "init", "odd.db", "--dataset", "people", "--epsilon", "1", *declared, cwd=self.folder)
            self.assert_refused(refused, 2, fault)
            self.assertFalse((self.folder / "odd.db").exists())

    def test_what_must_be_so(self):
        self.init("--null", "error")
        self.refuse_reading("without --null, and dataset 'people' is read with --null error")
        self.assertEqual(self.median("people.csv", null="error"), "3")


class Machines(OwnersTest):
    """What the machine's resources allow changes nothing that an asker sees."""

    def test_whether_a_release_succeeds_does_not_depend_on_memory(self):
        self.init()
        self.write("few.json", "".join(f'{{"age":{i % 3}}}\n' for i in range(10)))
        cell = "z" * 1_900_000
        for rows in (5, 20):  # the engine's buffers are larger if lines are long
            self.write(f"{rows}.csv", "age,note\n" + "".join(f"{i % 3},{cell}\n" for i in range(rows)))
        for name, threads in (("few.json", "4"), ("few.json", "64"), ("5.csv", "1"), ("20.csv", "1"), ("20.csv", "3")):
            with self.subTest(name, threads=threads):
                self.assertEqual(self.median(name, memory="100MB", threads=threads, again=True), "1")
        self.write("few.json", "".join(f'{{"age":{i % 3},"name":"p{i}"}}\n' for i in range(10)))
        for changes in ({"person": "name"}, {"by": "name", "keys": "p1"}):
            self.assertEqual(self.median("few.json", memory="100MB", threads="4", ledger=None, **changes), "1")


if __name__ == "__main__":
    unittest.main()
