"""A DataFrame of Spark, on local[2] and on a local cluster whose workers are killed, is counted exactly as on one machine. `./dev test -L
spark` makes the environment for this test. Elsewhere it is skipped with a message."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import fractile
import fractile.spark
import pytest

pytest.importorskip("pyspark", reason="pyspark is not here; ./dev test -L spark installs it")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
np = pytest.importorskip("numpy")

from nasty_columns import NASTY  # noqa: E402
from nasty_columns import expected as where_exact_arithmetic_puts  # noqa: E402

if not shutil.which("java"):
    pytest.skip("Java is not here", allow_module_level=True)

BOUNDS = {"bounds": (0, 500_000), "step": "0.01"}
LATTICE = fractile.Lattice(0, 500_000, "0.01")
KEY = bytes(range(32))
GROUPS = {"by": "region", "keys": ["north", "south"]}
PERSONS = {"person": "id", "records_per_person": 2}
TWICE = {"by": ["region", "sex"], "keys": {"region": ["north", "south"], "sex": ["m", "f"]}}
SUMS = {"person": "id", "per_person": "sum"}
WEIGHTED = {"weight": "weight", "weight_bounds": (0, 30), "weight_step": "0.5"}
ASKED = {
    "all": {}, "groups": GROUPS, "persons": PERSONS, "both": GROUPS | PERSONS, "twice": TWICE | PERSONS, "sums": SUMS,
    "means": GROUPS | PERSONS | {"per_person": "mean"}, "weighted": WEIGHTED, "weighted both": GROUPS | PERSONS | WEIGHTED,
}
SECRET = 31_415.92


def session(master, **settings):
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    here = str(Path(__file__).parent)  # workers import functions of this file by its name
    if here not in os.environ.get("PYTHONPATH", ""):
        os.environ["PYTHONPATH"] = f"{os.environ.get('PYTHONPATH', '')}:{here}"
    builder = SparkSession.builder.master(master).config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
    usual = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "8",
             "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    for name, value in (usual | settings).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    """The path of a file with 400,000 records of 50,000 persons, and the frame that one machine counts."""
    draw, rows = np.random.default_rng(1), 400_000
    incomes = np.round(draw.lognormal(10, 1, rows), 2)
    table = pa.table({
        "income": pa.array(incomes, mask=draw.random(rows) < 0.01),
        "id": pa.array([f"p{each}" for each in draw.integers(0, 50_000, rows)], mask=draw.random(rows) < 0.01),
        "region": pa.array(np.array(["north", "south", "east"])[draw.integers(0, 3, rows)]),
        "cents": pa.array((incomes * 100).astype(np.int64)),
        "day": pa.array(draw.integers(18_000, 20_000, rows).astype(np.int32), pa.date32()),
        "sex": pa.array(np.array(["f", "m"])[draw.integers(0, 2, rows)]),
        "weight": pa.array(np.round(draw.lognormal(2, 1, rows), 3), mask=draw.random(rows) < 0.01),
        "ill": pa.array(draw.random(rows) < 0.2, mask=draw.random(rows) < 0.3),
    })
    path = str(tmp_path_factory.mktemp("spark") / "people.parquet")
    pq.write_table(table, path, row_group_size=50_000)
    return path, table


@pytest.fixture(scope="module")
def local():
    spark = session("local[2]")
    yield spark
    spark.stop()


def expected(table, asked):
    return fractile.profile(table, "income", lattice=LATTICE, **asked, **({"sampling_key": KEY} if "person" in asked else {}))


def counted(df, asked):
    return fractile.spark.profile(df, "income", **BOUNDS, **asked, **({"sampling_key": KEY} if "person" in asked else {}))


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_nasty_columns_lie_where_exact_arithmetic_puts_them(name, local, tmp_path):
    """The other routes are tested in routes_test."""
    nasty = NASTY[name]
    pq.write_table(pa.table({"x": pa.array(nasty.values, nasty.arrow)}), tmp_path / "t.parquet")
    df = local.read.parquet(str(tmp_path / "t.parquet"))
    profile = fractile.spark.profile(df, "x", bounds=nasty.bounds, step=nasty.step)
    assert profile.counts == where_exact_arithmetic_puts(nasty)


def test_what_is_declared_to_be_missing_on_spark(local):
    df = local.createDataFrame([(7, "a")] * 60 + [(-9, "b")] * 90 + [(8, "NA")] * 10, "x long, who string")
    ask = {"bounds": (-20, 120), "step": 1, "missing": ["NA", -9]}
    assert fractile.spark.profile(df, "x", **ask).records == 70
    assert fractile.spark.profile(df, "x", person="who", records_per_person=100, **ask).records == 60
    release = fractile.spark.release(df, "x", quantiles="median", epsilon=20, **ask)
    assert release[0.5] == 7 and '"NA"' in release.receipt


def published(release):
    return {key: dict(group) for key, group in release._all.items()}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_counts_are_one_machine_s(local, parquet, asked, monkeypatch):
    path, table = parquet
    df = local.read.parquet(path)
    assert counted(df, asked) == expected(table, asked)
    monkeypatch.setattr(fractile.spark, "_LEAST_CORES_THAT_MERGE", 1)
    assert counted(df.repartition(7, "income"), asked) == expected(table, asked)


@pytest.mark.parametrize("how", ["any", "all"])
def test_truth_values_are_one_machine_s(how, local, parquet):
    path, table = parquet
    asked = {"person": "id", "per_person": how, "sampling_key": KEY}
    mine = fractile.spark.profile(local.read.parquet(path), "ill", bounds=(0, 1), step=1, **asked)
    assert mine == fractile.profile(table, "ill", lattice=fractile.Lattice(0, 1, 1), **asked)
    assert len(mine.counts) == 2


@pytest.mark.parametrize(
    "asked",
    [{}, GROUPS | PERSONS, {"public_rows": True}, SUMS, GROUPS | PERSONS | WEIGHTED | {"weight_stability": 3}],
    ids=["all", "both", "rows", "sums", "weighted"],
)
def test_releases_are_one_machine_s(local, parquet, asked):
    path, table = parquet
    words = BOUNDS | asked | {"epsilon": 1, "unsafe_seed": 7}
    mine, its = fractile.spark.release(local.read.parquet(path), "income", **words), fractile.release(table, "income", **words)
    assert published(mine) == published(its)
    assert f'"engine": "Spark {local.version}"' in mine.receipt or f'"engine":"Spark {local.version}"' in mine.receipt


PUBLICATION = """[publication]
epsilon = 1
person = "id"
records_per_person = 2
[keys]
region = ["north", "south"]
[[table]]
column = "income"
bounds = [0, 500000]
step = "0.01"
quantiles = "quartiles"
by = "region"
totals = "all"
[[table]]
column = "day"
bounds = [2018-01-01, 2026-01-01]
step = "1d"
quantiles = "median"
"""


VALUES = PUBLICATION.replace('column = "income"\n', 'column = "income"\nper_person = "sum"\ncount = true\n')
OF_WEIGHTS = PUBLICATION.replace(
    "records_per_person = 2\n",
    'records_per_person = 2\nweight = "weight"\nweight_bounds = [0, 30]\nweight_step = "0.5"\nexpected_weight = 10\n',
)


@pytest.mark.parametrize("text", [VALUES, OF_WEIGHTS], ids=["values", "weights"])
def test_publications_of_persons_and_weights_are_one_machine_s(text, local, parquet, tmp_path):
    path, table = parquet
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    mine = fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path), unsafe_seed=7)
    assert mine.to_csv() == fractile.publish(tmp_path / "p.toml", data=table, unsafe_seed=7).to_csv()


def test_publications_are_one_machine_s(local, parquet, tmp_path, monkeypatch):
    path, table = parquet
    (tmp_path / "p.toml").write_text(PUBLICATION, encoding="utf-8")
    counter = fractile.spark._Counter
    jobs, run = [], counter._run
    monkeypatch.setattr(counter, "_run", lambda self, job: jobs.append(job) or run(self, job))
    mine = fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path), unsafe_seed=7)
    assert len(jobs) == 1 and mine.to_csv() == fractile.publish(tmp_path / "p.toml", data=table, unsafe_seed=7).to_csv()
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1, records_per_person=2)
    words = {"ledger": ledger, "source": "people 2026"}
    first = fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path), **words, output=tmp_path / "out")
    assert (tmp_path / "out" / "p.json").read_text() == first.receipt
    again = fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path), **words)
    assert again.from_ledger and again.receipt == first.receipt and len(jobs) == 2
    with pytest.raises(fractile.DataError, match="has no column 'region'") as refused:
        fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path).drop("region"))
    assert refused.value.field == "df"
    (tmp_path / "p.toml").write_text(PUBLICATION + '[input]\nfile = "people.parquet"\n', encoding="utf-8")
    with pytest.raises(fractile.UsageError, match="has file, and the records are given"):
        fractile.spark.publish(tmp_path / "p.toml", local.read.parquet(path))


def test_types_are_read_exactly(local, parquet):
    path, table = parquet
    df = local.read.parquet(path)
    for column, words, lattice in (
        ("cents", {"bounds": (0, 10**8), "step": 5}, fractile.Lattice(0, 10**8, 5)),
        ("day", {"bounds": ("2018-01-01", "2026-01-01"), "step": "1d"}, fractile.Lattice("2018-01-01", "2026-01-01", "1d")),
    ):
        assert fractile.spark.profile(df, column, **words) == fractile.profile(table, column, lattice=lattice)
    exact = df.selectExpr("cast(cents as decimal(20, 0)) as d", "timestamp_micros(cents * 1000000) as t")
    assert fractile.spark.profile(exact, "d", bounds=(0, 10**8), step=5).records == table.num_rows
    times = fractile.spark.profile(exact, "t", bounds=("1970-01-01T00:00:00Z", "2030-01-01T00:00:00Z"), step="1h")
    assert times.records == table.num_rows and len(times.counts) > 100


def test_a_ledger_in_the_driver(local, parquet, tmp_path):
    df = local.read.parquet(parquet[0])
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1)
    words = BOUNDS | {"ledger": ledger, "source": "people 2026"}
    with pytest.raises(fractile.BudgetError):
        fractile.spark.release(df, "income", epsilon=2, **words)
    first = fractile.spark.release(df, "income", epsilon="1/2", **words)
    again = fractile.spark.release(df, "income", epsilon="1/2", **words)
    assert again.from_ledger and again.receipt == first.receipt
    assert [entry.state for entry in ledger.entries] == ["committed"]


def test_what_cannot_be_counted_is_refused_by_its_type(local, parquet):
    df = local.read.parquet(parquet[0])
    words = BOUNDS | {"epsilon": 1}
    with pytest.raises(fractile.DataError, match="'region' is utf8, not a number"):
        fractile.spark.release(df, "region", **words)
    with pytest.raises(fractile.DataError, match="has no column 'age'"):
        fractile.spark.release(df, "age", **words)
    with pytest.raises(fractile.DataError, match="not deterministic"):
        fractile.spark.release(df.selectExpr("income", "rand() as luck"), "income", **words)
    with pytest.raises(fractile.DataError, match="more than one column 'income'"):
        fractile.spark.release(df.selectExpr("income", "cents as income"), "income", **words)
    with pytest.raises(fractile.UsageError, match="budget"):
        fractile.spark.release(df, "income", **BOUNDS)


def test_no_error_holds_a_value(local, parquet, tmp_path):
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1)
    words = BOUNDS | {"epsilon": "1/4", "ledger": ledger}
    df = local.read.parquet(parquet[0])
    text = df.selectExpr(f"cast(concat('x{SECRET}', income) as double) as income")  # Spark's own error quotes the value
    failing = local.createDataFrame([(SECRET,)], "income double").mapInArrow(_fail, "income double")
    holed = df.selectExpr("income")
    for frame, more, told in ((text, {}, "CAST_INVALID_INPUT"), (failing, {}, "Python failed"), (holed, {"null": "error"}, "NULL or NaN")):
        with pytest.raises(fractile.Error, match=told) as caught:
            fractile.spark.release(frame, "income", **words, **more)
        assert str(SECRET) not in str(caught.value) and caught.value.__cause__ is None and caught.value.__context__ is None
    assert [entry.state for entry in ledger.entries] == ["reserved"] * 3


def _fail(batches):
    for batch in batches:
        raise ValueError(f"no {batch.column(0)[0]}")
    yield from ()


def test_ctrl_c_cancels_the_job(tmp_path):
    code = """if True:
        import os, signal, sys, threading, time
        import fractile, fractile.spark
        sys.path.insert(0, sys.argv[1])
        from spark_cluster_test import session
        spark = session("local[2]")
        df = spark.range(0, 10**12, 1, 64).selectExpr("cast(id % 1000 as double) as x")
        ledger = fractile.Ledger(sys.argv[2]).init("people", epsilon=1)
        def interrupt():
            while not spark.sparkContext.statusTracker().getActiveJobsIds():
                time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            fractile.spark.release(df, "x", bounds=(0, 1000), step=1, epsilon="1/2", ledger=ledger)
        except KeyboardInterrupt as stopped:
            time.sleep(3)
            print("stopped", ledger.entries[0].state, len(spark.sparkContext.statusTracker().getActiveJobsIds()), flush=True)
        os._exit(0)
    """
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", code, here, str(tmp_path / "b.db")], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "stopped reserved 0\n", done.stderr[-2000:]


# --- A cluster that fails ---------------------------------------------------------------------------------------------


class _Flaky:
    """Passes batches on. In some first attempts, it kills its process or fails after a few batches."""

    def __call__(self, batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        first = context.attemptNumber() == 0
        for number, batch in enumerate(batches):
            if first and number == 1 and context.partitionId() % 3 == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            if first and number == 2 and context.partitionId() % 3 == 1:
                raise ValueError("a task that fails")
            if first and context.partitionId() % 8 == 2:
                time.sleep(0.3)  # so slow that Spark makes another attempt at once
            yield batch


def executors():
    """The process ids of this cluster's executors whose Python workers have started. Other executors have no work to lose yet."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"pyspark.daemon" in (folder / "cmdline").read_bytes():
                executor = _parent(int(folder.name))
                if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes() and _is_below(executor):
                    found.append(executor)
        except OSError:
            continue
    return found


def _parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _is_below(pid):
    while pid > 1:
        pid = _parent(pid)
        if pid == os.getpid():
            return True
    return False


class Killer(threading.Thread):
    """Kills an executor every `seconds` seconds, at most `most` times."""

    def __init__(self, seconds, most):
        super().__init__(daemon=True)
        self.seconds, self.most, self.killed, self.over = seconds, most, 0, threading.Event()

    def run(self):
        while not self.over.wait(self.seconds) and self.killed < self.most:
            for pid in executors()[:1]:
                os.kill(pid, signal.SIGKILL)
                self.killed += 1


def failing_cluster():
    return session(
        "local-cluster[2,1,1024]",
        **{"spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.multiplier": "1.1",
           "spark.speculation.quantile": "0.3", "spark.speculation.minTaskRuntime": "10ms", "spark.task.maxFailures": "20",
           "spark.stage.maxConsecutiveAttempts": "50", "spark.deploy.maxExecutorRetries": "-1",
           "spark.sql.files.maxPartitionBytes": "400000", "spark.sql.execution.arrow.maxRecordsPerBatch": "2000"},
    )


@pytest.fixture(scope="module")
def cluster():
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        active.stop()
    spark = failing_cluster()
    yield spark
    spark.stop()


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_cluster_that_fails_counts_the_same(cluster, parquet, asked):
    path, table = parquet
    df = cluster.read.parquet(path)
    names = [name for name in ("income", asked.get("person"), asked.get("weight"), *fractile._words.by_names(asked.get("by"))) if name]
    flaky = df.select(*names).mapInArrow(_Flaky(), df.select(*names).schema)
    killer = Killer(4, 3)
    killer.start()
    try:
        assert counted(flaky, asked) == expected(table, asked)
    finally:
        killer.over.set()
        killer.join()


def by_hand(rows, seconds):
    """Counts and releases `rows` records of a table that Spark makes. The cluster loses an executor every `seconds` seconds. Compares the
    results with one machine's. To run it by hand: spark_cluster_test.py 100000000 5"""
    spark = failing_cluster()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
    table = spark.range(0, rows, 1, 64).selectExpr("cast((id * 2654435761) % 500000 as double) as income")
    words = {"bounds": (0, 500_000), "step": 1}
    asked = {"epsilon": 1, "quantiles": "quartiles", "unsafe_seed": 7}
    killer = Killer(seconds, sys.maxsize)
    killer.start()

    def timed(what, call):
        start, before = time.perf_counter(), killer.killed
        answer = call()
        print(f"{what} {rows:,} records in {time.perf_counter() - start:.0f} s, {killer.killed - before} executors killed", flush=True)
        return answer

    mine = timed("counted", lambda: fractile.spark.profile(table, "income", **words))
    release = timed("released", lambda: fractile.spark.release(table, "income", **words, **asked))
    killer.over.set()
    its = None
    for first in range(0, rows, 5_000_000):
        ids = np.arange(first, min(first + 5_000_000, rows), dtype=np.int64)
        part = fractile.profile(((ids * 2_654_435_761) % 500_000).astype(np.float64), lattice=fractile.Lattice(0, 500_000, 1))
        its = part if its is None else its.merge(part, disjoint_persons=True)
    with tempfile.TemporaryDirectory() as folder:
        its.write(Path(folder) / "its.counts", column="income")
        same = mine == its and published(release) == published(fractile.release(counts=Path(folder) / "its.counts", **asked))
    print("equal" if same else "NOT EQUAL")


if __name__ == "__main__":
    by_hand(int(sys.argv[1]), float(sys.argv[2]))
