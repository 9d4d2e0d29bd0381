"""What Spark's tasks do with their batches and what the driver does with their answers, tested without Spark."""

import inspect
import json
import pickle
import random

import fractile
import fractile.spark as spark
import pytest
from fractile import _core

pa = pytest.importorskip("pyarrow")

LATTICE = fractile.Lattice(0, 500_000, "0.01")
KEY = bytes(range(32))
BUCKETS = 50
GROUPS = {"by": "region", "keys": ["north", "south"]}
TWICE = {"by": ["region", "age"], "keys": [("north", "30"), ("south", "31"), ("north", "31"), ("south", "1")]}
PERSONS = {"person": "id", "records_per_person": 2}
WEIGHTED = {"weight": "age", "weight_bounds": (0, 50), "weight_step": 0.5}


def question(person="", records_per_person=1, by=None, keys=None, null="drop", missing=(), per_person="", **weight):
    groups = fractile._words.groups(by, keys)
    texts = list(missing)
    weights = fractile._words.weight_words(**weight) if weight else []
    return _core.Counted.of(
        "income", LATTICE._core, null == "error", person, records_per_person, groups.by, groups.lists, groups.tuples, texts, per_person, weights
    )


def columns_of(asked):
    return [name for name in ("income", asked.get("person"), *fractile._words.by_names(asked.get("by")), asked.get("weight")) if name]


def batches_of(table, size):
    return table.combine_chunks().to_batches(max_chunksize=size)


def parts(table, tasks, asked, seed=0, size=7):
    """The rows that `tasks` tasks return for a table. Its records are distributed at random, those of persons by their buckets."""
    names = columns_of(asked)
    table = table.select(names)
    draw = random.Random(seed)
    if "person" in asked:
        bucket = [hash(person) % BUCKETS for person in table.column("id").to_pylist()]
        table = table.append_column("bucket", pa.array(bucket, pa.int32()))
        to = [draw.randrange(tasks) for _ in range(BUCKETS)]
        task_of = [to[each] for each in bucket]
    else:
        task_of = [draw.randrange(tasks) for _ in range(table.num_rows)]
    count = pickle.loads(pickle.dumps(spark._Count([question(**asked).to_bytes()], names, [KEY])))
    rows = []
    for task in range(tasks):
        mine = [i for i, each in enumerate(task_of) if each == task]
        draw.shuffle(mine)
        for batch in count(iter(batches_of(table.take(pa.array(mine, pa.int64())), size))):  # a task may have no batches
            rows += [row | {"tasks": [task]} for row in batch.to_pylist()]
    return rows


def merged_in_tasks(rows, tasks):
    schema = spark._row([], None, [], None).schema
    merge = pickle.loads(pickle.dumps(spark._Merge()))
    merged = []
    for task in range(tasks):
        batches = pa.Table.from_pylist(rows[task::tasks], schema=schema).to_batches(max_chunksize=2)
        merged += [row for batch in merge(iter(batches)) for row in batch.to_pylist()]
    return merged


def test_buckets_of_any_setting():
    """After the charge, a setting that is no number once ended the release with a ValueError."""
    assert [spark._buckets(setting) for setting in (None, "", "auto", "200", 200)] == [16_384] * 5
    assert spark._buckets("2000") == 32_000


@pytest.fixture(scope="module")
def table(people):
    return pa.table(people)


@pytest.mark.parametrize(
    "asked",
    [{}, GROUPS, PERSONS, GROUPS | PERSONS, TWICE | PERSONS, WEIGHTED, GROUPS | PERSONS | WEIGHTED],
    ids=["all", "groups", "persons", "both", "twice", "weighted", "weighted-both"],
)
@pytest.mark.parametrize("tasks", [1, 2, 9])
def test_any_number_of_tasks_counts_what_one_machine_counts(table, tasks, asked, monkeypatch):
    monkeypatch.setattr(spark, "_ROWS_AT_ONCE", 100)
    key = {"sampling_key": KEY} if "person" in asked else {}
    expected = fractile.profile(table, "income", lattice=LATTICE, **asked, **key)
    for seed in range(3):
        rows = parts(table, tasks, asked, seed)
        for given in (rows, rows[::-1], merged_in_tasks(rows, 3)):
            (found,) = spark._all_parts([question(**asked)], given)
            profiles = [fractile.Profile(core) for core in found.alone]
            assert [(each.records_per_person, each.person, each.declared) for each in profiles] == [
                (asked.get("records_per_person", 1), asked.get("person", ""), [])
            ] * len(profiles)
            assert (profiles if "by" in asked else profiles[0]) == (list(expected.values()) if "by" in asked else expected)


@pytest.mark.parametrize("how", ["sum", "count", "mean", "min", "max", "median", "any", "all"])
@pytest.mark.parametrize("groups", [{}, GROUPS | {"records_per_person": 2}], ids=["all", "groups"])
def test_any_number_of_tasks_makes_one_value_of_each_person(table, how, groups):
    asked = {"person": "id", "per_person": how, **groups}
    names = columns_of(asked)
    frame = _core.Frame.of_stream(table.select(names).__arrow_c_stream__(), "")
    expected = question(**asked).of_frame(frame, KEY)
    for tasks in (1, 2, 9):
        rows = parts(table, tasks, asked)
        for given in (rows, rows[::-1], merged_in_tasks(rows, 3)):
            (found,) = spark._all_parts([question(**asked)], given)
            assert found.counts_equal(expected)


def test_no_record_is_an_empty_profile():
    assert list(spark._Count([question().to_bytes()], ["income"], [KEY])(iter([]))) == []
    assert spark._all_parts([question()], [])[0].alone[0].records == 0
    assert len(spark._all_parts([question(**GROUPS)], [])[0].alone) == 2


def test_a_task_that_counts_twice_is_refused(table):
    rows = parts(table, 3, {})
    with pytest.raises(fractile.Error, match="the counts of one task twice"):
        spark._all_parts([question()], [*rows, rows[0]])


def test_a_person_in_two_tasks_is_refused(table):
    """Each task keeps two records of the person, so together they would have four."""
    names = columns_of(PERSONS)
    batches = batches_of(table.select(names).append_column("bucket", pa.array([0] * table.num_rows, pa.int32())), 1000)
    count = spark._Count([question(**PERSONS).to_bytes()], names, [KEY])
    rows = [batch.to_pylist()[0] | {"tasks": [task]} for task, one in enumerate(batches) for batch in count(iter([one]))]
    for given in (rows, merged_in_tasks(rows, 2)):
        with pytest.raises(fractile.Error, match="one person to several tasks"):
            spark._all_parts([question(**PERSONS)], given)


def test_errors_of_tasks_are_the_package_s_own_and_hold_no_value(table):
    secret = 31_415.92
    holed = pa.table({"income": [secret, None, secret]})
    rows = [row for batch in spark._Count([question(null="error").to_bytes()], ["income"], [KEY])(iter(holed.to_batches())) for row in batch.to_pylist()]
    with pytest.raises(fractile.DataError, match="NULL or NaN") as caught:
        spark._all_parts([question(null="error")], merged_in_tasks([*parts(table, 2, {}), *rows], 2))
    assert str(secret) not in str(caught.value)
    assert 'null="drop"' in caught.value.hint


def test_what_else_fails_is_told_by_its_class_alone():
    def broken():
        yield from pa.table({"income": [1.0]}).to_batches()
        raise ValueError("the value 31415.92 cannot be cast")

    with pytest.raises(fractile.Error, match="counting failed on a worker: ValueError") as caught:
        spark._Count([question().to_bytes()], ["income"], [KEY])(broken())
    assert "31415" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_damaged_counts_are_refused(table):
    rows = parts(table, 2, {})
    counts = bytearray(rows[0]["counts"][0])
    counts[-40] ^= 1
    with pytest.raises(fractile.DataError, match="damaged"):
        spark._all_parts([question()], [rows[0] | {"counts": [bytes(counts)]}, rows[1]])


def test_another_version_on_a_worker_is_refused(table):
    count = spark._Count([question().to_bytes()], ["income"], [KEY])
    count.version = "0.0.1"
    (row,) = [row for batch in count(iter(table.select(["income"]).to_batches())) for row in batch.to_pylist()]
    assert json.loads(row["error"])[0] == "UsageError"
    with pytest.raises(fractile.UsageError, match=r"a worker has fractile .* and the driver 0\.0\.1"):
        spark._all_parts([question()], [row])


def test_words_are_those_of_the_package():
    files = {"data", "counts", "postgres", "sql", "sql_stability", "table", "input_format", "delimiter", "single_line_records", "decimal",
             "thousands", "encoding", "unreadable",
             "duckdb", "threads", "memory"}
    mine, its = (inspect.signature(each).parameters for each in (spark.release, fractile.release))
    assert list(mine) == ["df", *(name for name in its if name not in files)]
    assert all(mine[name].default == its[name].default for name in mine if name != "df")
    mine, its = (inspect.signature(each).parameters for each in (spark.profile, fractile.profile))
    assert set(mine) - {"df", "bounds", "step", "candidates"} == set(its) - {"data", "lattice"}
    assert all(mine[name].default == its[name].default for name in mine if name in its)


def test_tasks_know_what_is_declared_to_be_missing():
    table = pa.table({"income": [7.0, 7.0, -9.0, 8.0, None], "id": ["a", "NA", "b", "c", "d"]})
    for asked, records in (({}, 3), (PERSONS, 2)):
        asked = asked | {"missing": ["NA", "-9"]}
        (total,) = spark._all_parts([question(**asked)], parts(table, 2, asked, size=2))
        assert total.alone[0].records == records


def test_other_data_are_refused(table):
    with pytest.raises(fractile.UsageError, match="a DataFrame of Spark is expected, not Table"):
        spark.release(table, "income", bounds=(0, 1), step=1, epsilon=1)


def test_a_key_of_samples_that_is_no_bytes_reaches_no_worker(table):
    with pytest.raises(fractile.UsageError, match="sampling_key: 32 bytes are expected"):
        spark.profile(table, "income", bounds=(0, 1), step=1, person="id", sampling_key="k" * 32)


class Plan:
    """The parts of a frame's plan that the driver uses."""

    def __init__(self, deterministic):
        self.is_deterministic = deterministic

    def queryExecution(self):
        return self

    analyzed = queryExecution

    def deterministic(self):
        return self.is_deterministic


def spark_frame(plan):
    """The parts of a DataFrame that are used before anything is counted."""
    field = type("Field", (), {"name": "income"})
    members = {"mapInArrow": None, "isStreaming": False, "sparkSession": None, "schema": type("Schema", (), {"fields": [field]})}
    members |= {"toDF": lambda self, *names: self, "selectExpr": lambda self, *names: self}
    members |= {} if plan is None else {"_jdf": plan}
    return type("DataFrame", (), members | {"__module__": "pyspark.sql"})()


@pytest.mark.parametrize("call", [spark.release, spark.profile])
def test_a_frame_that_may_not_be_deterministic_is_refused(call):
    asked = {"bounds": (0, 1), "step": 1} | ({"epsilon": 1} if call is spark.release else {})
    with pytest.raises(fractile.DataError, match="the frame is not deterministic"):
        call(spark_frame(Plan(False)), "income", **asked)
    with pytest.raises(fractile.UsageError, match="Spark Connect does not say") as refused:  # frames of Spark Connect have no plan here
        call(spark_frame(None), "income", **asked)
    assert refused.value.field == "df"
    assert spark._Counter(spark_frame(Plan(True)), ["income"], []).column == "income"


class Elsewhere:
    """Counts a table, as Spark would, and records the calls."""

    def __init__(self, table, fails=None):
        self.table = table
        self.fails = fails
        self.calls = []

    def count(self, questions, keys, of_sample, cells):
        assert not any(of_sample) and not any(cells)  # these are for publications
        self.calls.append("count")
        if self.fails:
            raise self.fails
        frame = _core.Frame.of_stream(self.table.__arrow_c_stream__(), "")
        return [question.of_frame(frame, key) for question, key in zip(questions, keys)]

    def rows(self):
        return self.table.num_rows

    def engine(self):
        return "memory"


def released(table, counter, words, by=None, keys=None):
    groups = fractile._words.groups(by, keys)
    empty = table.schema.empty_table()
    frame = _core.Frame.of_stream(empty.__arrow_c_stream__(), "")
    return _core.release({name: [value] if isinstance(value, str) else value for name, value in words.items()}, [], groups.lists, groups.tuples, frame, counter)


WORDS = {"column": "income", "bounds": ["0", "500000"], "step": "0.01", "epsilon": "1"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        PERSONS,
        GROUPS | PERSONS,
        TWICE | PERSONS,
        {"bounds": "auto"},
        {"public_rows": True},
        PERSONS | {"missing": ["p7", 30000, "-9"]},
        WEIGHTED,
        GROUPS | PERSONS | WEIGHTED | {"weight_stability": 3},
        {"person": "id", "per_person": "sum"},
    ],
)
def test_receipts_are_those_of_one_machine(table, more):
    usual = {"bounds": (0, 500_000), "step": "0.01", "epsilon": 1, "unsafe_seed": 7} | more
    words = fractile._words.words({name: value for name, value in usual.items() if name != "keys"}) | {"column": ["income"]}
    columns = table.select(columns_of(more))
    assert released(columns, Elsewhere(columns), words, more.get("by"), more.get("keys")).release.with_receipt().receipt == fractile.release(table, "income", **usual).receipt


def test_nothing_is_counted_before_the_charge(table, tmp_path):
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1)
    columns = table.select(["income"])
    words = WORDS | {"ledger": str(tmp_path / "b.db"), "dataset": "people", "source": "people 2026"}
    counter = Elsewhere(columns)
    with pytest.raises(fractile.BudgetError):
        released(columns, counter, words | {"epsilon": "2"})
    with pytest.raises(fractile.DataError):
        released(table.select(["region"]), counter, words | {"column": "region"})
    assert counter.calls == [] and ledger.entries == []
    entries = []
    counter.engine = lambda: entries.append(len(ledger.entries)) or "memory"
    first = released(columns, counter, words)
    assert counter.calls == ["count"] and entries == [0] and ledger.entries[0].state == "committed"
    again = released(columns, counter, words)  # the ledger answers
    assert again.stored and again.release.receipt == first.release.receipt and counter.calls == ["count"]


@pytest.mark.parametrize("fails", [ValueError("31415.92"), fractile.DataError("no", "hint"), KeyboardInterrupt()])
def test_what_fails_after_the_charge_counts_as_spent(table, tmp_path, fails):
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1)
    columns = table.select(["income"])
    words = WORDS | {"ledger": str(tmp_path / "b.db"), "source": "people 2026", "epsilon": "1/2"}
    expected = KeyboardInterrupt if isinstance(fails, KeyboardInterrupt) else fractile.DataError if isinstance(fails, fractile.DataError) else fractile.InternalError
    with pytest.raises(expected) as caught:
        released(columns, Elsewhere(columns, fails), words)
    assert "31415" not in str(caught.value)
    assert [entry.state for entry in ledger.entries] == ["reserved"]
    if isinstance(fails, fractile.DataError):
        assert caught.value.message == "no" and "reserved" in caught.value.hint


def test_pyspark_is_not_needed_to_import():
    import subprocess
    import sys

    code = "import sys, fractile.spark; print([m for m in ('pyspark', 'pyarrow', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("function", "argument", "hint"),
    [
        (spark.release, "eps", "did you mean epsilon=?"),
        (spark.release, "sql", "see help(fractile.spark.release)"),
        (spark.profile, "lattice", "see help(fractile.spark.profile)"),
        (spark.publish, "threads", "see help(fractile.spark.publish)"),
    ],
)
def test_arguments_that_a_function_does_not_have(function, argument, hint):
    with pytest.raises(fractile.UsageError) as caught:
        function("wages.toml", **{argument: 1})
    assert caught.value.message == f"{function.__name__} has no argument '{argument}'" and caught.value.hint == hint


@pytest.mark.parametrize("key", ["x" * 32, b"short", bytearray(32)], ids=repr)
def test_sampling_keys_are_refused_before_a_job(key):
    with pytest.raises(fractile.UsageError, match="sampling_key: 32 bytes are expected") as caught:
        spark.profile(None, bounds=(0, 9), step=1, person="id", sampling_key=key)
    assert caught.value.field == "sampling_key"
