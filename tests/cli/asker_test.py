"""The asker's game: two tables that differ in one record, and an asker who may ask anything that a ledger allows, at 1e-9 a question.

All that the asker sees, except for what draws have paid for, must be equal on both tables: exit codes, messages, which files there are, and
what the ledger holds. The work is about the same on both, and no question may take much time or memory. The questions come from a grammar
of options, SQL and files that is aimed at the record in which the tables differ. See docs/threat-model.md.
"""

import csv
import io
import json
import random
import re
import resource
import shutil
import signal
import subprocess
import unittest

from cli.program import EFFORT, NOISE, PACKED, PROGRAM, PROGRESS, CommandTest, Engine, require_engine, run

setUpModule = require_engine

BATCHES = max(2, round(2 * EFFORT))  # batches of questions, each to one ledger; 20 with FRACTILE_TEST_EFFORT=10
QUESTIONS = 25  # per batch
MOST_SECONDS = 20  # of processor time per question; a question takes 0.1 to 2
MOST_DIFFERENCE = 0.5  # seconds between the tables, of the program's own processor time, apart from half of what the question takes
TRIES = 4  # of a question whose work seems to differ: other programs on the machine change what is measured by as much, but not each time
MOST_MEMORY = 1 << 30

# --- Two tables ----------------------------------------------------------------------------------------------------------

TARGET = 17
PEOPLE = 60

# The target's record in the two tables: a change of one cell, or no record at all (None).
TWINS = [
    ({"income": "20000"}, {"income": "90000"}),
    ({"income": "20000"}, None),
    ({"income": "20000"}, {"income": "abc"}),
    ({"income": "20000"}, {"income": ""}),
    ({"income": "90000"}, {"income": "1e999"}),
    ({"income": "9007199254740993"}, {"income": "5"}),
    ({"income": "90000"}, {"income": "12,5"}),
    ({"note": "n"}, {"note": "a,35,b"}),
    ({"note": "n"}, {"note": "a;1;2\nb;3;4\nc;5;6"}),
    ({"note": "n"}, {"note": "(["}),
    ({"note": "n"}, {"note": "n" * 3000}),
    ({"group": "north"}, {"group": "nowhere"}),
    ({"since": "2019-05-01"}, {"since": "no day"}),
    ({"since": "2019-05-01"}, {"since": "2019-05-01T10:00:00+01:00"}),
]


def records(change):
    """The lines of a table in which the target's record has this change."""
    for k in range(1, PEOPLE + 1):
        record = {"id": str(k), "income": str(1500 * k), "group": ("north", "south")[k % 2], "note": f"n{k}",
                  "since": f"20{k % 20:02}-03-{k % 28 + 1:02}"}
        if k != TARGET: yield record
        elif change is not None: yield {**record, **change}


def csv_cell(text):
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,;"\n]', text) else text


def write_table(folder, name, change):
    rows = list(records(change))
    lines = [",".join(rows[0])] + [",".join(map(csv_cell, row.values())) for row in rows]
    text = "".join(line + "\n" for line in lines).encode()
    pack = PACKED.get(name.rpartition(".")[2], bytes)
    if name.startswith("people.csv"):
        (folder / name).write_bytes(pack(text))
    elif name.startswith("people.ndjson"):
        (folder / name).write_bytes(pack("".join(json.dumps(row) + "\n" for row in rows).encode()))
    else:
        source = folder / "rows.csv"
        source.write_bytes(text)
        Engine().write_parquet(folder / name, f"SELECT * FROM read_csv('{source}', all_varchar = true)")
        source.unlink()


# --- What is asked -------------------------------------------------------------------------------------------------------

# Each expression fails or takes long for some rows. Together they cover every way in which the engine can fail or take long.
MEAN = """
CAST('x' || id AS DOUBLE)
CAST('x' || id AS INTEGER)
CAST('x' || id AS DATE)
CAST('x' || id AS BOOLEAN)
CAST(CAST(id AS INTEGER) * 100 AS TINYINT)
CAST(id AS BIGINT) * 9223372036854775807
CAST(id AS INTEGER) * 2000000000
CAST(id AS INTEGER) // (CAST(id AS INTEGER) - 17)
CAST(id AS INTEGER) % (CAST(id AS INTEGER) - 17)
CAST('1e400' || id AS DECIMAL(18, 3))
sqrt(-CAST(id AS DOUBLE))
ln(CAST(id AS DOUBLE) - 17)
log2(-CAST(id AS DOUBLE))
asin(CAST(id AS DOUBLE))
acos(CAST(id AS DOUBLE))
exp(CAST(id AS DOUBLE) * 1e6)
pow(CAST(id AS DOUBLE), 1e9)
factorial(CAST(id AS INTEGER) * 10)
chr(CAST(id AS INTEGER) * 100000000)
ascii(note)
regexp_matches(id, note)
regexp_matches(id, '(' || id)
regexp_replace(id, '[' || id, 'y')
regexp_extract(note, id, 99)
length(lower(regexp_replace('é' || id, '\\C', '')))
length(reverse(regexp_extract('é' || id, '\\C')))
length(strip_accents(regexp_replace('e' || chr(769) || id, '\\B', 'x', 'g')))
strptime('x' || id, '%Y')
strptime(since, '%d.%m.%Y')
strptime('2020 x' || id, '%Y %Z')
date_diff('hour', CAST('290308-12-22 (BC) 00:00:00Z' AS TIMESTAMPTZ), CAST('294247-01-10 04:00:54Z' AS TIMESTAMPTZ))
make_date(2000, CAST(id AS INTEGER) * 100, 1)
CAST(since AS DATE) + to_days(CAST(id AS INTEGER) * 2000000000)
date_trunc('x' || id, CAST(since AS DATE))
date_part('x' || id, CAST(since AS DATE))
unhex('zz' || id)
from_base64('*' || id)
decode(unhex('ff'))
url_decode('%zz' || id)
json_extract('{' || id, '$.a')
json_extract_string(note, '$.a')
CAST('{' || id AS JSON)
format('{' || id, 1)
printf('%d' || id, note)
list_extract([1, 2, 3], CAST(id AS INTEGER) * 1000000000000)
array_extract(note, 99)
bit_count(CAST(note AS BIT))
CAST(id AS BIT)
CAST(note AS UUID)
CAST('[' || id AS INTEGER[])
epoch(CAST(since AS TIMESTAMP))
year(CAST(since AS DATE))
length(lpad(id, 400000000, 'y'))
length(rpad(id, 400000000, 'y'))
length(repeat(id, 100000000))
length(lpad(lpad(id, 400000000, 'y'), 500000000, 'z'))
len(range(CAST(id AS INTEGER) * 10000000))
len(generate_series(1, CAST(id AS INTEGER) * 10000000))
length(replace(replace(replace(note || 'aaaaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'))
levenshtein(lpad(id, 30000, 'y'), lpad(id, 30000, 'z'))
length(to_base(CAST(id AS BIGINT), 2, 100000000))
list_extract(list_value(id, note), 3)
error('x' || id)
current_setting('threads')
hash(note)
(note).length
(id).unnest
""".strip().splitlines()

KNOWN = f"id = '{TARGET}'"
GUESSES = [f"{KNOWN} AND TRY_CAST(income AS DOUBLE) > 50000", f"{KNOWN} AND CAST(income AS DOUBLE) > 50000", f"{KNOWN} AND length(note) > 4",
           f"{KNOWN} AND \"group\" = 'nowhere'", "income = 'abc'", "income IS NULL", f"{KNOWN} AND note LIKE '%;%'", "TRUE"]
GOOD = "TRY_CAST(income AS DOUBLE)"

SHAPES = [
    "SELECT CASE WHEN {guess} THEN TRY_CAST({mean} AS DOUBLE) ELSE {good} END AS x, id, \"group\" FROM input",
    "SELECT CASE WHEN {guess} THEN CAST(({mean}) AS DOUBLE) ELSE {good} END AS x, id, \"group\" FROM input",
    "SELECT TRY(CASE WHEN {guess} THEN CAST(({mean}) AS DOUBLE) ELSE {good} END) AS x, id, \"group\" FROM input",
    "SELECT {good} AS x, id, \"group\" FROM input WHERE NOT ({guess}) OR ({mean}) IS NOT NULL",
    "SELECT {good} AS x, id, \"group\" FROM input WHERE CASE WHEN {guess} THEN CAST(({mean}) AS VARCHAR) ELSE id END <> ''",
    "SELECT x, id, \"group\" FROM (SELECT CASE WHEN {guess} THEN CAST(({mean}) AS DOUBLE) ELSE {good} END AS x, id, \"group\" FROM input)",
    "SELECT {good} AS x, id, CASE WHEN {guess} THEN CAST(({mean}) AS VARCHAR) ELSE \"group\" END AS \"group\" FROM input",
    "SELECT {good} AS x, CASE WHEN {guess} THEN CAST(({mean}) AS VARCHAR) ELSE id END AS id, \"group\" FROM input",
    "SELECT CAST(income AS DOUBLE) AS x, id, \"group\" FROM input",
    "SELECT CAST(income AS DECIMAL(9, 2)) AS x, id, \"group\" FROM input WHERE CAST(income AS DOUBLE) > 3",
    "SELECT CAST(since AS DATE) AS x, id, \"group\" FROM input",
]


def query(dice):
    return dice.choice(SHAPES).format(guess=dice.choice(GUESSES), mean=dice.choice(MEAN), good=GOOD)


# How each option of the verb is asked, and with which other options. "" stands for a flag alone.
OPTIONS = {
    "--quantiles": ["median", "quartiles", "0.1,1/2,0.9", "1/3", "0.999999"],
    "--mechanism": ["exponential --quantiles median", "approximate", "joint", "independent", "tree", "joint-total"],
    "--expected-rows": ["50", "100000"],
    "--no-interpolation": [""],
    "--base": ["adaptive", "uniform"],
    "--rates": ["as-published --mechanism approximate"],
    "--intervals": ["0.9 --expected-rows 50", "0.95 --expected-rows 100000"],
    "--count": [""],
    "--below": ["50000", "100,50000"],
    "--mean": [""],
    "--again": [""],
    "--dry-run": [""],
    "--threads": ["1", "3"],
    "--format": ["json", "csv", "html", "table"],
    "--receipt": ["r.json"],
}
# These options are refused more often than not, so they are asked less often.
SELDOM = {
    "--of": ["table --intervals 0.9 --expected-rows 50"],
    "--together": ["--intervals 0.9 --expected-rows 50"],
    "--compare": ["0.25,0.75 --intervals 0.9 --expected-rows 50", "north,south --intervals 0.9 --expected-rows 50"],
    "--count-budget": ["0.9 --count", "1/1000000 --mean"],
    "--synthetic-rows": ["3"],
    "--step": ["1", "3", "9"],
    "--bounds-budget": ["0.5"],
    "--candidates": ["0,5,9", "1,2"],
    "--keys-file": [f"{name} --by group" for name in ("people.csv", "keys.txt", "/proc/self/environ", "budget.db", "/dev/null", "copy.csv")],
    "--rho": ["1e-9"],
    "--delta": ["1e-12 --mechanism independent"],
    "--neighbors": ["change-one"],
    "--records-per-person": ["2", "5"],
    "--person": ["id", "note", "group", "ID"],
    "--per-person": ["sum --person id", "count", "median --person note", "mean"],
    "--public-rows": [""],
    "--dataset": ["people", "others"],
    "--source": ["elsewhere"],
    "--null": ["error", "drop"],
    "--missing": ["5", "abc,20000", "n"],
    "--unreadable": ["error", "missing"],
    "--postgres": ["postgres://localhost:1/none"],
    "--counts": ["people.csv", "gone.profile"],
    "--sql-stability": ["1", "3"],
    "--table": ["more=people.csv", "p=copy.csv", "input=copy.csv"],
    "--quantiles-file": ["q.txt", "gone.txt", "people.csv"],
    "--candidates-file": ["q.txt", "gone.txt", "people.csv"],
    "--sql-file": ["q.txt", "gone.txt", "people.csv"],
    "--weight": ["income --weight-bounds 0 100000 --weight-step 100", "id --weight-bounds 0 5 --weight-step 1", "note --weight-bounds 1 9 --weight-step 1"],
    "--weight-bounds": ["0 10", "1e300 1 --weight income --weight-step 1"],
    "--weight-step": ["1", "0 --weight income --weight-bounds 0 1"],
    "--weight-stability": ["2", "1000000000 --weight income --weight-bounds 0 9 --weight-step 1"],
    "--expected-weight": ["3 --weight income --weight-bounds 0 9 --weight-step 1 --expected-rows 50"],
    "--input-format": ["csv", "tsv", "json", "parquet"],
    "--delimiter": [";", ",35,", ",", "7"],
    "--single-line-records": [""],
    "--decimal": [",", ".", "x"],
    "--thousands": [".", ",", "' --decimal ,"],
    "--encoding": ["latin1", "utf-16", "utf-8", "ebcdic"],
    "--duckdb": ["./evil.so", "libduckdb.so"],
    "--memory": ["100MB", "1GB", "1"],
    "--about": [f"{name} --format html" for name in ("people.csv", "/proc/self/environ", "budget.db", "copy.csv")],
    "--figures": ["{} --format html".format(name) for name in (".", "figures", "budget.db")],
    "--public": ["--format html"],
    "--guess": [f"above:{limit} --format html" for limit in ("30000", "1e9", "-5", "many", "2010-01-01")] + ["value", "above:5"],
    "--receipt": ["budget.db-journal", "budget.db-wal", "people.csv", "link", "budget.db"],
    "--unsafe-seed": ["1"],
}
ALWAYS = {"--column", "--bounds", "--by", "--keys", "--epsilon", "--sql", "--ledger", "--step"}  # question() asks these


def asked_of_column(dice, table):
    if dice.random() < 0.1: return ["--column", dice.choice(["id", "Income", "note", "gone"]), "--bounds", "0", "9", "--step", "1"]
    if dice.random() < 0.1: return ["--column", "since", "--bounds", "2001-01-01", "2021-01-01", "--step", "1d"]
    return ["--column", "income", "--bounds", *dice.choice([("0", "100000"), ("0", "100000"), ("auto",)]), "--step", dice.choice(["1", "100", "50000"])]


def question(dice, table, owner):
    """The words after `fractile release`."""
    several = [["people*"]] if "./people*" in owner else [[table]] * 20 + [[table, "copy.csv"], ["people*"], ["."]]
    words = [*dice.choice(several), "--ledger", "budget.db", "--epsilon", dice.choice(["1e-9", "1/1000000000", "2e-9"])]
    if "--person" in owner:
        how = dice.choice(["sum", "count", "mean", "min", "max", "median", "any", "all"])
        words += ["--person", "id", *dice.choice([["--records-per-person", "2"], ["--per-person", how]])]
    if "--person" not in owner and dice.random() < 0.75:
        words += ["--sql", query(dice), "--column", "x", "--bounds", "0", "100000", "--step", dice.choice(["50000", "1", "100"])]
    else:
        words += asked_of_column(dice, table)
    if dice.random() < 0.3:
        words += ["--by", dice.choice(["group", "group", "id"]), "--keys", dice.choice(["north,south", "nowhere", "17"])]
    chosen = [(name, OPTIONS) for name in dice.sample(sorted(OPTIONS), dice.choice([0, 1, 1]))]
    chosen += [(name, SELDOM) for name in dice.sample(sorted(SELDOM), dice.choice([0, 0, 0, 1]))]
    for name, table_of in chosen:
        more = [name, *dice.choice(table_of[name]).split()]
        if not {word for word in more if word.startswith("--")} & set(words): words += more
    return words


# --- Publications --------------------------------------------------------------------------------------------------------

# A column, its bounds, and the step between its possible values.
COUNTED = [("income", "[0, 100_000]", "1"), ("income", "[0, 100_000]", "100"), ("income", "[0, 100_000]", "50_000"), ("id", "[0, 60]", "1"),
           ("note", "[0, 9]", "1"), ("since", "[2001-01-01, 2021-01-01]", '"1d"')]


def table_asked(dice, number, counted, has_counts, has_intervals):
    column, bounds, step = counted
    lines = ["[[table]]", f'name = "t{number}"', f'column = "{column}"', f"bounds = {bounds}", f"step = {step}",
             "quantiles = " + dice.choice(['"median"', '"quartiles"', '[0.1, "1/2", 0.9]'])]
    if dice.random() < 0.7:
        lines += ['by = "group"', "totals = " + dice.choice(['"all"', '"none"', "[[]]"])]
        lines += dice.choice([[], [], ['possible = [["north"]]']])
    if has_counts: lines += ["count = true"]
    if has_counts and step in ("1", "100") and dice.random() < 0.5: lines += ["mean = true"]
    if has_counts and column == "income" and dice.random() < 0.5: lines += ["below = [50_000]"]
    if has_intervals: lines += ['intervals = { level = 0.9, of = "table" }', "rows = 50"]
    elif dice.random() < 0.3: lines += ["rows = 50"]
    lines += dice.choice([[], [], [], ['mechanism = "independent"'], ['mechanism = "approximate"'], ["interpolate = false"]])
    return lines


def reading(dice, owner):
    """How records are read, which the first publication fixes: the lines of [publication], and those of [input]."""
    is_of_persons = "--person" in owner or dice.random() < 0.4
    persons = ['person = "id"', "records_per_person = 2"] if is_of_persons else []
    return persons, dice.choice([[], [], ['missing = ["5"]'], ['unreadable = "missing"'], ['null = "drop"']])


def publication(dice, table, persons, missing):
    """The file of a publication."""
    has_counts, has_intervals = dice.random() < 0.4, dice.random() < 0.3
    epsilon = dice.choice(["1e-3", "2e-3"] if has_counts else ["1e-9", "2e-9", "1e-3"])
    lines = ["[publication]", f'epsilon = "{epsilon}"']
    lines += [*persons, "[input]", f'file = "{table}"', *missing]
    counted = dice.sample(COUNTED, dice.choice([1, 2, 3]))
    if not persons and dice.random() < 0.5:
        lines += [f"sql = {json.dumps(query(dice))}"]
        counted = [("x", "[0, 100_000]", step) for step in dice.sample(["1", "100", "50_000"], len(counted))]
    lines += ["[keys]", "group = " + dice.choice(['["north", "south"]', '["north", "south", "nowhere"]', '["north", "17"]'])]
    for number, each in enumerate(counted): lines += table_asked(dice, number, each, has_counts, has_intervals)
    if has_counts and dice.random() < 0.3: lines += ["[marks]", "hidden = 10"]
    elif has_intervals and dice.random() < 0.3: lines += ["[marks]", "unreliable = 0.2"]
    return "\n".join(lines) + "\n"


# What the owner declares about the dataset.
OWNERS = [[], [], [], ["--source", "./people*"], ["--weights-as-they-are"], ["--weight-stability", "2"], ["--source", "./{table}"], ["--source", "./{table}"], ["--source", "./{table}", "--person", "id", "--records-per-person", "2"]]

# --- What is seen --------------------------------------------------------------------------------------------------------


def unpaid(text):
    """The parts of a receipt that no draw has paid for."""
    receipt = json.loads(text)
    groups = receipt.get("groups", [receipt])
    return {
        **{name: receipt.get(name) for name in ("schema_version", "program", "privacy", "source", "by")},
        "keys": [group.get("key") for group in groups],
        "quantiles": [[each["quantile"] for each in group.get("quantiles", [])] for group in groups],
    }


def printed(words, out):
    """What was printed, except for what draws have paid for."""
    form = words[words.index("--format") + 1] if "--format" in words else "csv"
    if not out: return ""
    if form == "json": return unpaid(out)
    if form != "csv": return "something"
    rows = [line.split(",") for line in out.splitlines()]
    public = [k for k, name in enumerate(rows[0]) if name in ("key", "quantile", "group", "quantiles", "groups")]
    return [rows[0]] + [[row[k] for k in public] for row in rows[1:]]


def printed_tables(words, out):
    """What a publication printed, except for what draws have paid for."""
    if words[words.index("--format") + 1] != "csv": return "something" if out else ""
    rows = list(csv.DictReader(io.StringIO(out)))
    return [[row.get(name) for name in ("table", "group", "statistic", "quantile")] for row in rows]


def account(statement):
    """What a ledger shows, except for what draws have paid for and for hashes of it."""
    seen = json.loads(statement)
    for entry in seen["entries"]:
        if entry.get("receipt"): entry["receipt"] = unpaid(entry["receipt"])
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", json.dumps(seen, sort_keys=True))
    return re.sub(r"T\d\d:\d\d:\d\dZ", "T", text)


def spent_by_programs():
    """Seconds of processor time of all programs that have ended so far, without the system's share."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def within_limits():
    """Limits a program's processor time; for preexec_fn."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))


class World:
    """One of the two tables, its ledger, and files that an asker may name."""

    def __init__(self, folder, table, change, owner):
        folder.mkdir()
        self.folder = folder
        self.before = folder.with_name(f"{folder.name} before")  # the folder as it was before the last question
        write_table(folder, table, change)
        if not (folder / "people.csv").exists(): shutil.copy(folder / table, folder / "people.csv")
        shutil.copy(folder / "people.csv", folder / "copy.csv")
        (folder / "keys.txt").write_text("north\nsouth\n")
        (folder / "evil.so").write_text("no library")
        (folder / "link").symlink_to("people.csv")
        made = run("ledger", "init", "budget.db", "--dataset", "people", "--epsilon", "1", *owner, cwd=folder)
        assert made.code == 0, made
        self.seconds = 0  # of processor time, for the last question, as it was last asked
        self.inputs = self.contents(table, "people.csv", "copy.csv", "keys.txt")

    def contents(self, *names):
        return {name: (self.folder / name).read_bytes() for name in names}

    def same_place(self, text):
        return text.replace(str(self.folder), "HERE")

    def ask(self, words, verb="release", printed=printed):
        """Asks, and returns everything that the asker sees in a form that can be compared."""
        shutil.rmtree(self.before, ignore_errors=True)
        shutil.copytree(self.folder, self.before, symlinks=True)
        self.question = [PROGRAM, verb, *words]
        done = self.timed(self.folder)
        err = NOISE.sub("", PROGRESS.sub("", done.stderr.decode()))
        out = self.same_place(done.stdout.decode())
        return {"code": done.returncode, "err": self.same_place(err), "out": printed(words, out) if done.returncode == 0 else out,
                "files": sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))}

    def timed(self, folder):
        """Runs the last question in this folder."""
        before = spent_by_programs()
        done = subprocess.run(self.question, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, preexec_fn=within_limits)
        self.seconds = spent_by_programs() - before
        return done

    def ask_again(self):
        """Asks the last question once more, of the files as they were before it."""
        again = self.folder.with_name(f"{self.folder.name} again")
        shutil.copytree(self.before, again, symlinks=True)
        self.timed(again)
        shutil.rmtree(again)

    def account(self):
        statement = run("ledger", "export", "budget.db", cwd=self.folder)
        assert statement.code == 0, statement
        return account(self.same_place(statement.out))


def work_differs(worlds):
    """Whether the last question takes longer on one of the tables, as often as it is asked."""
    for _ in range(TRIES):
        less, more = sorted(world.seconds for world in worlds)
        if more - less < MOST_DIFFERENCE + less / 2: return False
        for world in worlds: world.ask_again()
    return True


class Game(CommandTest):
    def test_every_option_is_asked(self):
        """A new option of the verb needs a line in this game."""
        shown = set(re.findall(r"(?m)^  (--[a-z-]+)", run("release", "--help").out)) - {"--help"}
        self.assertEqual(sorted(shown - set(OPTIONS) - set(SELDOM) - ALWAYS), [])

    def test_two_tables_are_told_apart_by_nothing_unpaid(self):
        charged = asked = 0
        for batch in range(BATCHES):
            folder = self.folder / f"batch{batch}"
            folder.mkdir()
            charged += self.play(random.Random(batch), folder)
            asked += QUESTIONS
            shutil.rmtree(folder)
        self.assertGreaterEqual(charged, asked / 2, "the questions are refused too often to learn anything from them")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, MOST_MEMORY)

    def test_publications_tell_no_more(self):
        self.published = asked = 0
        for batch in range(BATCHES // 2):
            folder = self.folder / f"batch{batch}"
            folder.mkdir()
            self.play(random.Random(1000 + batch), folder, self.publish)
            asked += QUESTIONS
            shutil.rmtree(folder)
        self.assertGreaterEqual(self.published, asked / 2, "too few are published to learn anything from them")

    def release(self, dice, table, owner, worlds, number):
        words = question(dice, table, owner)
        return words, [world.ask(words) for world in worlds]

    def publish(self, dice, table, owner, worlds, number):
        if number == 0: self.reading = reading(dice, owner)
        file = publication(dice, table, *self.reading)
        words = [f"p{number}.toml", "--ledger", "budget.db", "--format", dice.choice(["csv", "csv", "json", "table"])]
        words += dice.choice([[], [], ["--again"], ["--threads", "3"], ["--output", f"out{number}"]])
        for world in worlds: (world.folder / words[0]).write_text(file)
        seen = [world.ask(words, "publish", printed_tables) for world in worlds]
        self.published += seen[0]["code"] == 0
        return (words, file), seen

    def play(self, dice, folder, ask=None):
        """Plays one batch. Returns how many questions were charged."""
        ask = ask or self.release
        table = dice.choice(["people.csv", "people.csv", "people.ndjson", "people.csv.gz", "people.csv.zst", "people.ndjson.gz", "people.parquet"])
        owner = [word.format(table=table) for word in dice.choice(OWNERS)]
        changes = dice.choice(TWINS)
        worlds = [World(folder / name, table, change, owner) for name, change in zip("ab", changes)]
        for number in range(QUESTIONS):
            words, seen = ask(dice, table, owner, worlds, number)
            with self.subTest(table=table, owner=owner, changes=changes, words=words):
                self.assertNotIn(-signal.SIGXCPU, (seen[0]["code"], seen[1]["code"]), "it takes too long")
                self.assertIn(seen[0]["code"], (0, 2, 3, 4, 5), seen[0])
                self.assertEqual(seen[0], seen[1])
                self.assertFalse(work_differs(worlds), "the work differs")
                for world in worlds: self.assertEqual(world.contents(*world.inputs), world.inputs)
        accounts = [world.account() for world in worlds]
        self.assertEqual(*accounts)
        return accounts[0].count('"reserved_at"')


if __name__ == "__main__":
    unittest.main()
