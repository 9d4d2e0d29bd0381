"""A release is the same bit for bit, whatever the kind of input, the engine, the format, the order of records, the number of threads and
the memory limit. This holds for doubles and the decimals that they are cast to, for persons' values and rows, and for weights.
FRACTILE_TEST_EFFORT=10 uses 10^6 records."""

import decimal
import itertools
import json
import os
import subprocess
import sys

import fractile
import pytest

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pl = pytest.importorskip("polars")

from conftest import program_path  # noqa: E402
from spark_test import KEY, LATTICE, parts, question  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::fractile.FractileWarning")

ROWS = 1_000_000 if float(os.environ.get("FRACTILE_TEST_EFFORT", "1")) >= 10 else 40_000
BOUNDS = {"bounds": (0, 500_000), "step": "0.01"}
GROUPS = {"by": "region", "keys": ["north", "south", "east"]}
SUMS = {"person": "id", "per_person": "sum"}
MEANS = GROUPS | {"person": "id", "records_per_person": 2, "per_person": "mean"}
WEIGHTED = {"weight": "w", "weight_bounds": (0, 20), "weight_step": "0.5"}
SAMPLED = GROUPS | WEIGHTED | {"person": "id", "records_per_person": 2}
ASKED = {"records": {}, "sums": SUMS, "means": MEANS, "weighted": WEIGHTED, "sampled": SAMPLED}
TYPES = {"doubles": "DOUBLE", "decimals": "DECIMAL(18, 6)"}


def sql_of(kind, table="input"):
    """The query that casts each record's text to a double and then to this type. The table in memory holds the cast values."""
    return f"SELECT id, region, CAST(CAST(income AS DOUBLE) AS {TYPES[kind]}) AS income, CAST(w AS DOUBLE) AS w FROM {table}"


@pytest.fixture(scope="module")
def frames():
    """One table per type of income. Sums of these doubles depend on the order of addition."""
    draw = np.random.default_rng(5)
    millionths = draw.integers(0, 60_000 * 10**6, ROWS)
    millionths[:3] = 10**10 + 1  # these three belong to one person, whose records are consecutive
    ids = draw.integers(0, ROWS // 8, ROWS)
    ids[:3] = 7
    table = pa.table({
        "id": pa.array([f"p{each}" for each in ids], mask=draw.random(ROWS) < 0.01),
        "region": pa.array(np.array(["north", "south", "east"])[draw.integers(0, 3, ROWS)]),
        "w": pa.array(np.round(draw.lognormal(1, 1, ROWS), 3), mask=draw.random(ROWS) < 0.01),
    })
    return {
        "doubles": table.append_column("income", pa.array(millionths / 10**6)),
        "decimals": table.append_column(
            "income", pa.array([decimal.Decimal(int(each)).scaleb(-6) for each in millionths], pa.decimal128(18, 6))
        ),
    }


@pytest.fixture(scope="module")
def doors(frames, engine, tmp_path_factory):
    """The same records as inputs of several kinds, each with the words that the program needs."""
    folder = tmp_path_factory.mktemp("doors")
    table = frames["doubles"]
    shuffled = table.take(np.random.default_rng(6).permutation(ROWS))
    pq.write_table(table, folder / "t.parquet")
    pq.write_table(shuffled, folder / "s.parquet", row_group_size=9_000)
    pl.from_arrow(shuffled).write_csv(folder / "t.csv")
    pl.from_arrow(table).write_ndjson(folder / "t.ndjson")
    return {
        "Parquet": (folder / "t.parquet", {"threads": 1}),
        "Parquet in another order": (folder / "s.parquet", {"threads": 4, "memory": "100MB"}),
        "CSV": (folder / "t.csv", {"threads": 3, "memory": "100MB"}),
        "JSON": (folder / "t.ndjson", {"threads": 2}),
    }


@pytest.fixture(scope="module")
def programs():
    """The program, and the program of the package, which uses the engine of the package duckdb: another build of DuckDB."""
    if not program_path().is_file():
        pytest.skip(f"the program is not here: {program_path()}")
    usual = {name: value for name, value in os.environ.items() if name != "FRACTILE_DUCKDB"}

    def run(command, environment):
        return lambda *words: subprocess.run([*command, *map(str, words)], env=environment, capture_output=True, check=True)

    found = [run([program_path()], os.environ)]
    return found + ([run([sys.executable, "-m", "fractile"], usual)] if fractile._words.duckdb_library() else [])


def in_memory(frame):
    chunks = [frame.slice(at, 9_000) for at in range(0, frame.num_rows, 9_000)]
    return [frame, pa.concat_tables(chunks[::-1]), pl.from_arrow(frame)]


def counted(data, folder, words):
    path = folder / f"{len(list(folder.iterdir()))}.profile"
    fractile.count(data, "income", output=path, **BOUNDS, **words)
    return fractile.Profile.from_bytes(path.read_bytes())


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("what", ["records", "sums", "weighted"])
def test_profiles_are_one(what, kind, frames, doors, tmp_path):
    asked = ASKED[what]
    key = {"sampling_key": KEY} if "person" in asked else {}
    first, *others = [fractile.profile(frame, "income", lattice=LATTICE, **asked, **key) for frame in in_memory(frames[kind])]
    for other in others:
        assert other == first
    for name, (data, words) in doors.items():
        assert counted(data, tmp_path, words | asked | {"sql": sql_of(kind)}).counts == first.counts, name
    for tasks in (1, 3):
        (found,) = fractile.spark._all_parts([question(**asked)], parts(frames[kind], tasks, asked, size=5_000))
        assert fractile.Profile(found.alone[0]) == first
    if what == "sums" and kind == "decimals":  # the query returns one row per person
        rows = f"SELECT t.id, sum(t.income) AS income FROM ({sql_of(kind)}) t GROUP BY t.id"
        for name, (data, words) in doors.items():
            assert counted(data, tmp_path, words | {"person": "id", "sql": rows}).counts == first.counts, name


def words_of(asked):
    """The same arguments as words for the program."""
    words = []
    for name, value in asked.items():
        listed = ",".join(value) if isinstance(value, list) else value
        words += ["--" + name.replace("_", "-"), *(value if isinstance(value, tuple) else [listed])]
    return words


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("what", ["records", "sums", "weighted"])
def test_the_program_counts_the_same(what, kind, frames, doors, programs, tmp_path):
    key = {"sampling_key": KEY} if "person" in ASKED[what] else {}
    expected = fractile.profile(frames[kind], "income", lattice=LATTICE, **ASKED[what], **key)
    for program, (name, (data, words)) in itertools.product(programs, doors.items()):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.profile"
        program("count", data, "--output", path, *words_of(BOUNDS | words | ASKED[what] | {"column": "income", "sql": sql_of(kind)}))
        assert fractile.Profile.from_bytes(path.read_bytes()).counts == expected.counts, name


def said(receipt):
    """What is published and what it costs."""
    return {name: part for name, part in json.loads(receipt).items() if name not in ("source", "sha256")}


@pytest.fixture(scope="module")
def people(server, frames, tmp_path_factory):
    """The address of a server that holds the table."""
    address = server.database("one_answer")
    path = tmp_path_factory.mktemp("server") / "t.csv"
    pl.from_arrow(frames["doubles"]).write_csv(path)
    server.psql("CREATE TABLE people (id text, region text, w double precision, income double precision)", "one_answer")
    server.psql(f"\\copy people FROM '{path}' (FORMAT csv, HEADER)", "one_answer")
    return address


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("what", ASKED)
def test_releases_are_one(what, kind, frames, doors, programs, tmp_path):
    words = ASKED[what] | BOUNDS | {"epsilon": 60, "quantiles": "deciles", "count": True, "unsafe_seed": 7}
    first, *others = [said(fractile.release(frame, "income", **words).receipt) for frame in in_memory(frames[kind])]
    for other in others:
        assert other == first
    for name, (data, how) in doors.items():
        assert said(fractile.release(data, "income", sql=sql_of(kind), **words, **how).receipt) == first, name
    flags = words_of({name: value for name, value in words.items() if value is not True})
    for program in programs:
        receipt = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        program("release", doors["CSV"][0], "--column", "income", "--sql", sql_of(kind), "--count", "--receipt", receipt, *flags)
        assert said(receipt.read_text()) == first


@pytest.mark.parametrize("kind", TYPES)
def test_a_server_s_table_gives_the_same(kind, people, frames):
    for what, asked in ASKED.items():
        words = asked | BOUNDS | {"epsilon": 60, "quantiles": "deciles", "count": True, "unsafe_seed": 7}
        mine = fractile.release(column="income", postgres=people, sql=sql_of(kind, "people"), **words)
        assert said(mine.receipt) == said(fractile.release(frames[kind], "income", **words).receipt), what
