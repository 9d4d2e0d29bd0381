"""One table of nasty columns by every route: each route puts every record where exact arithmetic does, in one piece or in several.
spark_cluster_test tests the route by Spark where Spark is installed. Here, the code of its tasks counts without Spark."""

import fractile
import pyarrow as pa
import pyarrow.parquet
import pytest
from fractile import _core, spark
from nasty_columns import NASTY, expected, text_of


def asked(nasty):
    return {"bounds": nasty.bounds, "step": nasty.step}


def counted(nasty, folder, data, **how):
    """The profile in the file that count() writes."""
    path = folder / f"{len(list(folder.iterdir()))}.profile"
    fractile.count(data, "x", output=path, **asked(nasty), **how)
    return fractile.Profile.from_bytes(path.read_bytes())


def table_of(nasty, values=None):
    return pa.table({"x": pa.array(nasty.values if values is None else values, nasty.arrow)})


def parquet_of(nasty, folder, values=None):
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    pyarrow.parquet.write_table(table_of(nasty, values), path)
    return path


def of_csv(nasty, folder):
    path = folder / "t.csv"
    path.write_text("id,x\n" + "".join(f"{k},{text_of(value)}\n" for k, value in enumerate(nasty.values)), encoding="utf-8")
    # Columns of text are read as doubles. A cast determines the intended numbers.
    # A text that may name a time zone is cut first.
    cell = "left(x, 40)" if nasty.sql == "TIMESTAMPTZ" else "x"
    return counted(nasty, folder, path, sql=f"SELECT CAST({cell} AS {nasty.sql}) AS x FROM input")


def of_parquet(nasty, folder):
    return counted(nasty, folder, parquet_of(nasty, folder))


def of_sql(nasty, folder):
    return counted(nasty, folder, parquet_of(nasty, folder), sql="SELECT x FROM input WHERE x IS NOT NULL OR true")


def of_arrow(nasty, folder):
    return fractile.profile(table_of(nasty), "x", lattice=fractile.Lattice(*nasty.bounds, nasty.step))


def of_counts(nasty, folder):
    values = pa.array([*nasty.values, *nasty.values], nasty.arrow)
    counts = [1] * len(nasty.values) + [0] * len(nasty.values)
    return fractile.profile_of_counts(values, counts, **asked(nasty))


def of_pieces(nasty, folder):
    half = len(nasty.values) // 2
    pieces = [counted(nasty, folder, parquet_of(nasty, folder, values)) for values in (nasty.values[:half], nasty.values[half:])]
    return pieces[0].merge(pieces[1], disjoint_persons=True)


def of_tasks(nasty, folder):
    """Counts in two tasks, as Spark's workers do."""
    lattice = fractile.Lattice(*nasty.bounds, nasty.step)
    question = _core.Counted.of("x", lattice._core, False, "", 1, [], [], [], [])
    half = len(nasty.values) // 2
    rows = []
    for task, values in enumerate((nasty.values[:half], nasty.values[half:])):
        count = spark._Count([question.to_bytes()], ["x"], [bytes(32)])
        done = [row for batch in count(iter(table_of(nasty, values).to_batches())) for row in batch.to_pylist()]
        rows += [row | {"tasks": [task]} for row in done]
    return fractile.Profile(spark._all_parts([question], rows)[0].alone[0])


ROUTES = {
    "CSV": of_csv, "Parquet": of_parquet, "SQL": of_sql, "Arrow": of_arrow, "profile_of_counts": of_counts, "merged pieces": of_pieces,
    "Spark's tasks": of_tasks,
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_every_record_lies_where_exact_arithmetic_puts_it(route, name, engine, tmp_path):
    nasty = NASTY[name]
    assert ROUTES[route](nasty, tmp_path).counts == expected(nasty)


@pytest.mark.parametrize("declared", [None, 1])
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_postgresql_reads_the_same(server, engine, tmp_path, declared):
    """A server's rows are released, not counted into a file. With one seed, equal profiles give equal quantiles."""
    address = server.database(f"nasty{declared or 0}")
    for number, (name, nasty) in enumerate(NASTY.items()):
        if not nasty.postgres or (declared and "38" in nasty.postgres):  # a declared query refuses this type
            continue
        cells = ", ".join("(NULL)" if value is None else f"('{text_of(value)}')" for value in nasty.values)
        kind = nasty.postgres
        server.psql(
            f"CREATE TABLE t{number} (x {kind}); INSERT INTO t{number} SELECT CAST(v AS {kind}) FROM (VALUES {cells}) AS t(v)",
            f"nasty{declared or 0}",
        )
        profile = of_parquet(nasty, tmp_path)
        path = tmp_path / f"{number}-{declared}.profile"
        profile.write(path, column="x")
        ask = {"epsilon": 50, "quantiles": "deciles", "mechanism": "approximate", "unsafe_seed": 7}
        # Numbers of more than 18 digits arrive as text, as the server writes them.
        cast = f"CAST(x AS {nasty.sql}) AS x" if "38" in nasty.postgres else "x"
        sql = f"SELECT {cast} FROM t{number}"
        released = fractile.release(column="x", postgres=address, sql=sql, sql_stability=declared, **asked(nasty), **ask)
        assert released.quantiles == fractile.release(counts=path, **ask).quantiles, name
