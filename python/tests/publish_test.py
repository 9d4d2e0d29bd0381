"""Publications: the tables that a file describes, from records of any kind, exactly as the program publishes them."""

import copy
import csv
import io
import os
import pickle
import signal
import subprocess
import sys
import time
from fractions import Fraction

import fractile
import fractile.spark
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fractile import _core

FILE = """[publication]
title = "Earnings"
epsilon = 1
person = "id"
records_per_person = 2
{input}
[keys]
sex = {{ f = "women", m = "men" }}
region = ["north", "south"]
[[table]]
name = "pay"
column = "income"
bounds = [0, 500000]
step = 1
quantiles = "quartiles"
by = ["region", "sex"]
totals = "all"
intervals = 0.9
rows = 700
[[table]]
name = "age"
column = "age"
bounds = [0, 125]
step = 1
quantiles = "median"
by = "region"
intervals = 0.9
rows = 1500
[marks]
unreliable = 2
"""
MISSING = '[input]\nmissing = ["NA", "-9"]\n'


@pytest.fixture(scope="module")
def records(people):
    sexes = ["fm"[i % 2] for i in range(len(people["id"]))]
    return people | {"sex": sexes, "income": [None if i % 50 == 0 else value for i, value in enumerate(people["income"])]}


@pytest.fixture
def file(records, tmp_path):
    """The path of a publication for records in memory. A folder next to it has a publication of these records as a file."""
    (tmp_path / "earnings.toml").write_text(FILE.format(input=MISSING), encoding="utf-8")
    (tmp_path / "of_file").mkdir()
    (tmp_path / "of_file" / "earnings.toml").write_text(FILE.format(input=MISSING + 'file = "people.csv"'), encoding="utf-8")
    lines = [",".join(records), *(",".join("NA" if v is None else str(v) for v in row) for row in zip(*records.values()))]
    (tmp_path / "of_file" / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path / "earnings.toml")


@pytest.fixture
def with_input(file):
    return os.path.join(os.path.dirname(file), "of_file", "earnings.toml")


@pytest.fixture
def ledger(tmp_path):
    return fractile.Ledger(tmp_path / "b.db").init("people", epsilon=2, records_per_person=2)


@pytest.fixture
def published(file, records, engine):
    return fractile.publish(file, data=pl.DataFrame(records), unsafe_seed=7)


def frames_of(records):
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(records)
    yield pd.DataFrame(records).astype({"age": "Int64"})
    yield pl.DataFrame(records)
    yield pl.LazyFrame(records)
    yield table
    yield table.to_reader()
    yield duckdb.from_arrow(table)


# --- What is published ------------------------------------------------------------------------------------------------


def test_the_registry_has_one_record_of_all_tables(file, records, published, engine):
    about = {"title": "Earnings", "curator": "Office", "curator_type": "Government", "use": "Planning", "region": "Norway", "date": "2026-05-01"}
    record = fractile.publish(file, data=pl.DataFrame(records)).to_registry(about)
    assert 'url_slug: "earnings"' in record
    assert "      epsilon: 1\n" in record
    assert "2 tables: 3 quantiles of income by region and sex with totals; 1 quantile of age by region." in record
    with pytest.raises(fractile.UsageError, match="lacks date"):
        published.to_registry({name: text for name, text in about.items() if name != "date"})
    with pytest.raises(fractile.UsageError, match="NOT PRIVATE"):
        published.to_registry(about)


def test_a_file_gives_what_the_program_gives(with_input, program, engine, tmp_path):
    program("publish", with_input, "--unsafe-seed", "7", "--output", tmp_path / "program")
    p = fractile.publish(with_input, unsafe_seed=7, output=tmp_path / "python")
    assert sorted(os.listdir(tmp_path / "python")) == ["earnings.csv", "earnings.html", "earnings.json"]
    for name in ("earnings.csv", "earnings.json", "earnings.html"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes()
    assert p.to_csv() == (tmp_path / "program" / "earnings.csv").read_text()
    assert p.receipt == (tmp_path / "program" / "earnings.json").read_text()
    assert program("publish", with_input, "--unsafe-seed", "7", "--format", "table").rstrip("\n") == repr(p)


def test_every_door_gives_the_same_numbers(file, with_input, records, engine):
    expected = fractile.publish(with_input, unsafe_seed=7).to_csv()
    for frame in frames_of(records):
        assert fractile.publish(file, data=frame, unsafe_seed=7).to_csv() == expected, type(frame)


def test_only_columns_that_the_file_names_are_read(file, records, engine):
    class Watched:
        """A frame that records which of its columns are requested."""

        __module__ = "polars"
        columns = pl.DataFrame(records).columns

        def select(self, names):
            asked.extend(names)
            return pl.DataFrame(records).select(names)

        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("all of it is read")

    asked = []
    fractile.publish(file, data=Watched())
    assert sorted(asked) == ["age", "id", "income", "region", "sex"]


def test_tables_levels_and_cells(published):
    assert list(published) == ["pay", "age"] and published.title == "Earnings" and published.cost == "epsilon = 1"
    pay = published["pay"]
    assert list(pay) == [("region", "sex"), ("region",), ("sex",), ()]
    assert (pay.by, pay.column, published["age"].by) == (("region", "sex"), "income", ("region",))
    finest = pay.level("sex", "region")  # the order does not matter
    assert finest is pay["region", "sex"] and finest.by == ("region", "sex")
    assert list(finest) == [("north", "f"), ("north", "m"), ("south", "f"), ("south", "m")]
    cell = finest["south", "m"]
    assert 0 < cell[0.25] <= cell[0.5] <= cell[0.75] and cell.intervals[Fraction(1, 2)].lower <= cell[0.5]
    assert list(pay["region"]) == ["north", "south"] and set(pay[()].quantiles) == {Fraction(i, 4) for i in (1, 2, 3)}
    assert published.labels == {"sex": {"f": "women", "m": "men"}}
    assert len(finest.receipt) > 100 and finest.receipt.rstrip() in published.receipt
    assert fractile.Release.from_text(finest.receipt) == finest
    with pytest.raises(KeyError, match="no level"):
        published["age"].level("sex")
    with pytest.raises(KeyError, match="'pay', 'age'"):
        published["hours"]


def test_marks_are_those_of_the_csv(published):
    marked = {}
    for row in csv.DictReader(io.StringIO(published.to_csv())):
        keys = tuple(row[name] for name in ("sex", "region"))
        marked.setdefault((row["table"], keys), {})
        if row["mark"]:
            marked[row["table"], keys][Fraction(row["quantile"])] = row["mark"]
    assert any(marked.values()) and not all(marked.values())
    for name, table in published.items():
        for by, level in table.items():
            if not by:
                assert level.marks == marked[name, ("", "")]
                continue
            for key, cell in level.items():
                named = dict(zip(by, (key,) if isinstance(key, str) else key))
                assert cell.marks == marked[name, (named.get("sex", ""), named.get("region", ""))]


def test_frames_are_the_csv(published):
    rows = list(csv.DictReader(io.StringIO(published.to_csv())))
    arrow, polars, pandas = published.to_arrow(), published.to_polars(), published.to_pandas()
    assert arrow.column_names == polars.columns == list(pandas.columns) == list(rows[0])
    assert [str(arrow.schema.field(name).type) for name in ("value", "lower", "upper")] == ["double"] * 3
    assert polars.schema["value"] == pl.Float64 and pandas["value"].dtype == "float64"
    for frame in (arrow.to_pylist(), polars.to_dicts(), pandas.astype(object).where(pandas.notna(), None).to_dict("records")):
        for row, given in zip(frame, rows, strict=True):
            assert {name: value for name, value in row.items() if name not in ("value", "lower", "upper")} == {
                name: value or None for name, value in given.items() if name not in ("value", "lower", "upper")
            }
            assert all(row[name] == float(given[name]) for name in ("value", "lower", "upper"))
    assert published["age"].to_arrow().column_names == ["table", "region", "statistic", "quantile", "value", "lower", "upper", "mark"]
    assert published["age"].to_polars().height == 2 == len(published["age"].to_pandas())
    assert not published["pay"].to_pandas()["table"].ne("pay").any()


COUNTS = """[publication]
epsilon = 8
[keys]
sex = ["f", "m"]
region = ["north", "south", "nowhere"]
[[table]]
name = "pay"
column = "income"
bounds = [0, 500000]
step = 1
quantiles = "median"
by = ["region", "sex"]
totals = "all"
count = true
mean = true
below = [20000]
[marks]
hidden = 100
"""


def test_counts_and_means_stand_beside(records, engine, tmp_path):
    path = tmp_path / "counts.toml"
    path.write_text(COUNTS, encoding="utf-8")
    p = fractile.publish(path, data=pl.DataFrame(records), unsafe_seed=7)
    rows = {(row["region"], row["sex"], row["statistic"]): row for row in csv.DictReader(io.StringIO(p.to_csv()))}
    finest = p["pay"]["region", "sex"]
    for by, level in p["pay"].items():
        for key, cell in level._all.items():
            named = dict(zip(by, (key,) if isinstance(key, str) else key))
            where = named.get("region", ""), named.get("sex", "")
            told = cell.statistics
            if where[0] == "nowhere":
                assert cell.marks == {Fraction(1, 2): "hidden"} and rows[(*where, "count")]["value"] == ""
                continue
            assert not cell.marks
            assert str(told.count.value) == rows[(*where, "count")]["value"] and str(told.count.lower) == rows[(*where, "count")]["lower"]
            assert str(told.below[20000].count.value) == rows[(*where, "count below 20000")]["value"]
            assert float(told.mean.value) == pytest.approx(float(rows[(*where, "mean")]["value"]), abs=1)
            below = [one.statistics.count.value for (region, sex), one in finest.items() if where[0] in ("", region) and where[1] in ("", sex)]
            assert told.count.value == sum(below)  # rows and columns add up
    assert p["pay"][()].statistics.count.value == pytest.approx(sum(r != "east" and v is not None for r, v in zip(records["region"], records["income"])), abs=100)
    frame = p.to_polars()
    assert set(frame["statistic"]) == {"quantile", "count", "count below 20000", "share below 20000", "mean"}
    assert frame["quantile"].null_count() == 4 * frame.filter(pl.col("statistic") == "quantile").height
    assert pickle.loads(pickle.dumps(p))["pay"]["region"]["north"].statistics == p["pay"]["region"]["north"].statistics


def test_counts_alone_have_totals_that_are_sums(records, engine, tmp_path):
    path = tmp_path / "alone.toml"
    path.write_text(COUNTS.replace('quantiles = "median"\n', ""), encoding="utf-8")
    p = fractile.publish(path, data=pl.DataFrame(records), unsafe_seed=7)
    table = p["pay"]
    assert list(table) == [("region", "sex"), ("region",), ("sex",), ()]
    finest = table["region", "sex"]
    for by, level in table.items():
        for key, cell in level._all.items():
            named = dict(zip(by, (key,) if isinstance(key, str) else key))
            inside = [one.statistics.count.value for key, one in finest.items() if all(dict(zip(("region", "sex"), key))[c] == k for c, k in named.items())]
            assert cell.statistics.count.value == sum(inside) and not list(cell)
    assert table[()].receipt == finest.receipt and p.cost == "epsilon = 8"
    assert set(p.to_pandas()["statistic"]) == {"count", "count below 20000", "share below 20000", "mean"}
    assert fractile.PublishedTables.read(_written(p, tmp_path)).to_csv() == p.to_csv()
    assert pickle.loads(pickle.dumps(p))["pay"]["region"]["north"].statistics == table["region"]["north"].statistics
    assert "<table" in p.to_html()


def _written(p, folder):
    p.save(folder / "alone.json")
    return folder / "alone.json"


def test_other_keys_have_cells(records, engine, tmp_path):
    path = tmp_path / "other.toml"
    path.write_text(COUNTS.replace("epsilon = 8\n", "epsilon = 1000000\n").replace('by = [', 'other = "region"\nby = ['), encoding="utf-8")
    p = fractile.publish(path, data=pl.DataFrame(records), unsafe_seed=7)
    with_value = sum(v is not None for v in records["income"])
    assert p["pay"][()].statistics.count.value == with_value
    others = sum(r not in ("north", "south", "nowhere") and v is not None for r, v in zip(records["region"], records["income"]))
    assert p["pay"]["region"]["other"].statistics.count.value == others


DATES = """
[publication]
epsilon = 1
[keys]
value = ["a", "b"]
[[table]]
column = "born"
bounds = [2000-01-01, 2020-01-01]
step = "1d"
quantiles = "median"
by = "value"
totals = [[]]
{more}
"""
AGES = """
[[table]]
column = "age"
bounds = [0, 125]
step = 1
quantiles = "median"
"""


def test_dates_have_frames_of_dates(engine, tmp_path):
    import datetime as dt

    path = tmp_path / "births.toml"
    path.write_text(DATES.format(more=""), encoding="utf-8")
    days = [dt.date(2010, 1, 1) + dt.timedelta(days=i % 300) for i in range(900)]
    data = pl.DataFrame({"born": days, "value": ["ab"[i % 2] for i in range(900)], "age": range(900)})
    p = fractile.publish(path, data=data)
    assert isinstance(p["born"]["value"]["a"][0.5], dt.date)
    assert p.to_arrow().schema.field("value").type == pa.date32() and p.to_polars().schema["value"] == pl.Date
    assert p.to_pandas()["value"].dtype.kind == "M" and p.to_polars()["lower"].null_count() == 3
    assert p.to_arrow().column_names[:3] == ["table", "key.value", "statistic"]  # a key column may have any name
    assert p.to_csv().splitlines()[0] == ",".join(p.to_arrow().column_names) == ",".join(p["born"].to_arrow().column_names)
    path.write_text(DATES.format(more=AGES), encoding="utf-8")
    both = fractile.publish(path, data=data)
    assert both.to_polars().schema["value"] == pl.String and both["age"].to_polars().schema["value"] == pl.Float64
    assert list(both.to_pandas()["value"]) == [row["value"] for row in csv.DictReader(io.StringIO(both.to_csv()))]


def test_copies(published, tmp_path):
    published.save(tmp_path / "earnings.json")
    published.save(tmp_path / "earnings.html")
    assert (tmp_path / "earnings.html").read_text(encoding="utf-8") == published.to_html()
    assert fractile.PublishedTables.read(tmp_path / "earnings.html") == published
    with pytest.raises(fractile.DataError):
        published.save(tmp_path / "earnings.json")
    for other in (pickle.loads(pickle.dumps(published)), copy.deepcopy(published), fractile.PublishedTables.read(tmp_path / "earnings.json")):
        assert other == published and hash(other) == hash(published)
        assert (other.to_csv(), repr(other), other.cost, other.title) == (published.to_csv(), repr(published), published.cost, published.title)
    with pytest.raises(fractile.UsageError, match="to_csv"):
        published.save(tmp_path / "earnings.csv")
    for mapping in (published["pay"], published):
        for key in (5, None, ("region", 5), ["region"], pd.DataFrame({"SECRET": [1]})):
            assert mapping.get(key) is None
            with pytest.raises(KeyError) as caught:
                mapping[key]
            assert "SECRET" not in str(caught.value)
    cell = pickle.loads(pickle.dumps(published["pay"]["region"]))["north"]
    assert dict(cell) == dict(published["pay"]["region"]["north"]) and cell.marks == published["pay"]["region"]["north"].marks
    assert dict(pickle.loads(pickle.dumps(published["pay"]))) == dict(published["pay"])
    changed = published.receipt.replace("Earnings", "Earning")
    with pytest.raises(fractile.DataError, match="its hash does not match"):
        fractile.PublishedTables.from_text(changed)
    with pytest.raises(fractile.DataError, match="the receipt of a single release, not of a publication"):
        fractile.PublishedTables.from_text(published["pay"]["region"].receipt)


def test_notebooks_show_tables(published, file, records, ledger):
    page = published._repr_html_()
    assert "Earnings" in page and "women" in page and "unreliable" in page and "entered in no ledger" in page and "<iframe srcdoc=" in page
    paid = fractile.publish(file, data=pl.DataFrame(records), ledger=ledger)
    again = pickle.loads(pickle.dumps(paid))
    for page in (paid, again, again[next(iter(again))][()]):
        assert "no ledger" not in page._repr_html_().partition("<iframe")[0]
    assert ledger.path.encode() not in pickle.dumps(paid)  # an address may hold a password
    assert "no ledger" not in fractile.PublishedTables.from_text(published.receipt)._repr_html_().partition("<iframe")[0]


def test_a_receipt_of_the_other_kind_is_named(published, tmp_path):
    (tmp_path / "tables.json").write_text(published.receipt)
    with pytest.raises(fractile.DataError, match="is the receipt of a publication, not of a single release"):
        fractile.read_receipt(tmp_path / "tables.json")
    fractile.release([1.0] * 50, bounds=(0, 9), step=1, epsilon=1, receipt=tmp_path / "one.json")
    with pytest.raises(fractile.DataError, match="is the receipt of a single release, not of a publication"):
        fractile.PublishedTables.read(tmp_path / "one.json")


def test_altered_pages_are_warned_of(published):
    page = published.to_html()
    for kind, whole in ((fractile.PublishedTables, page), (fractile.Release, published["age"][("region",)].to_html())):
        read = kind.from_text(whole)
        with pytest.warns(fractile.FractileWarning, match="the page does not show what its receipt says, in '"):
            assert kind.from_text(whole.replace(" in 100", " in 1000", 1)).receipt == read.receipt


def test_words_and_pages_equal_the_program(with_input, program, engine, tmp_path):
    program("publish", with_input, "--unsafe-seed", "7", "--output", tmp_path / "out")
    (tmp_path / "about.toml").write_text('curator = "An office"\n', encoding="utf-8")
    program("publish", with_input, "--unsafe-seed", "7", "--output", tmp_path / "public", "--public", "--about", tmp_path / "about.toml")
    p = fractile.PublishedTables.read(tmp_path / "out" / "earnings.json")
    assert p.to_html() == (tmp_path / "out" / "earnings.html").read_text()
    assert p.to_html(about={"curator": "An office"}, public=True) == (tmp_path / "public" / "earnings.html").read_text()
    for form in ("text", "markdown"):
        assert p.explain(form) == program("explain", tmp_path / "out" / "earnings.json", "--format", form)


# --- What pays --------------------------------------------------------------------------------------------------------


def test_a_ledger_pays_once(file, records, ledger, tmp_path):
    data = pl.DataFrame(records)
    first = fractile.publish(file, data=data, ledger=ledger, source="people 2026", output=tmp_path / "out")
    assert not first.from_ledger and first["pay"]["region"].charge.dataset == "people"
    assert [entry.state for entry in ledger.entries] == ["committed"] * 5 and ledger.accounts[0].spent == "epsilon = 1"
    again = fractile.publish(file, data=data, ledger=ledger, source="people 2026", output=tmp_path / "out")
    assert again.from_ledger and again["pay"].from_ledger and again["pay"]["region"].from_ledger
    assert again.receipt == first.receipt == (tmp_path / "out" / "earnings.json").read_text()
    assert ledger.accounts[0].spent == "epsilon = 1"
    anew = fractile.publish(file, data=data, ledger=ledger, source="people 2026", again=True)
    assert not anew.from_ledger and ledger.accounts[0].spent == "epsilon = 2"
    with pytest.raises(fractile.BudgetError):
        fractile.publish(file, data=data, ledger=ledger, source="people 2026", again=True)
    assert ledger.accounts[0].spent == "epsilon = 2"


def test_nothing_is_overwritten_and_nothing_charged(file, records, ledger, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "earnings.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(fractile.UsageError, match=r"the table '.*earnings.csv' already exists"):
        fractile.publish(file, data=pl.DataFrame(records), ledger=ledger, output=tmp_path / "out")
    assert (tmp_path / "out" / "earnings.csv").read_text() == "mine" and ledger.entries == []


def test_records_are_asked_for_after_the_charge(file, records, ledger):
    asked = []

    def look(frame):
        asked.append((frame.height, len(ledger.entries)))
        return frame

    fractile.publish(file, data=pl.LazyFrame(records).map_batches(look), ledger=ledger)
    assert [entries for rows, entries in asked if rows] == [5] and ledger.accounts[0].spent == "epsilon = 1"


def test_what_failed_after_its_charge_can_be_voided(file, records, ledger, tmp_path):
    """Its folder was removed, and then it was not certain that there is no receipt in it."""

    def fail(frame):
        if ledger.entries:
            raise RuntimeError("no more records")
        return frame

    with pytest.raises(fractile.DataError, match="entries 1 to 5 of .* stay reserved"):
        fractile.publish(file, data=pl.LazyFrame(records).map_batches(fail), ledger=ledger, output=tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    for entry in ledger.entries:
        ledger.void(entry.id, "it failed")
    assert ledger.accounts[0].spent == "epsilon = 0"


INTERRUPTED = """
import sys, fractile, polars as pl
def slow(frame):
    print("reading", flush=True)
    import time
    for _ in range(200):
        time.sleep(0.05)
    return frame
data = pl.LazyFrame({"id": [1], "region": ["north"], "sex": ["f"], "income": [1.0], "age": [1]})
# Its schema is public, and only its records are waited for.
class Lazy:
    collect_schema = data.collect_schema
    def select(self, names):
        chosen = data.select(names)
        class Selected:
            clear = staticmethod(lambda: chosen.clear().lazy())
            collect = staticmethod(lambda: slow(chosen.collect()))
        return Selected()
    def collect(self): raise AssertionError
fractile.publish(sys.argv[1], data=Lazy(), ledger=sys.argv[2])
"""


def test_ctrl_c_ends_it_and_says_what_became_of_the_charge(file, ledger, engine):
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, file, str(ledger.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout.readline() == "reading\n"
    time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert started.returncode != 0 and "KeyboardInterrupt" in said
    assert [entry.state for entry in ledger.entries] == ["reserved"] * 5
    if sys.version_info >= (3, 11):
        assert "reserved" in said


# --- What is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "member"),
    [
        ('file = "people.csv"', "file"),
        ('tables = { a = "people.csv" }\nsql = "SELECT 1 AS a FROM a"', "tables, sql"),
        ('postgres = "postgres://h/d"\nsql = "SELECT income FROM t"', "postgres, sql"),
        ('file = "people.csv"\ndelimiter = ";"', "file, delimiter"),
    ],
)
def test_records_come_from_one_place(said, member, records, engine, tmp_path):
    path = tmp_path / "earnings.toml"
    path.write_text(FILE.format(input=f"[input]\n{said}"), encoding="utf-8")
    with pytest.raises(fractile.UsageError, match=rf"^data: \[input\] of '.*earnings.toml' has {member}, and the records are given") as refused:
        fractile.publish(path, data=pl.DataFrame(records))
    assert refused.value.field == "data" and "leave data out" in refused.value.hint


def test_no_records_are_refused(file, engine):
    with pytest.raises(fractile.UsageError, match="names no records, and none are given") as refused:
        fractile.publish(file)
    assert refused.value.field == "data" and "data=" in refused.value.hint


def test_errors_are_in_the_words_of_python(file, records, ledger, engine, tmp_path):
    data = pl.DataFrame(records)
    cases = [
        (fractile.UsageError, {"data": data, "dataset": "people"}),
        (fractile.UsageError, {"data": data, "again": True}),
        (fractile.UsageError, {"data": data, "ledger": ""}),
        (fractile.UsageError, {"data": data, "ledger": ledger, "unsafe_seed": 7}),
        (fractile.UsageError, {"data": data, "threads": 0}),
        (fractile.UsageError, {"data": data, "memory": "a lot"}),
        (fractile.UsageError, {"data": "people.csv"}),
        (fractile.UsageError, {"data": [1.0, 2.0]}),
        (fractile.UsageError, {"data": data, "outptu": "x"}),
        (fractile.DataError, {"data": data.drop("sex")}),
        (fractile.DataError, {"data": data.with_columns(pl.col("income").cast(pl.String))}),
        (fractile.DataError, {"data": data, "output": file}),
    ]
    for error, asked in cases:
        with pytest.raises(error) as refused:
            fractile.publish(file, **asked)
        assert "--" not in str(refused.value), refused.value
    assert ledger.entries == []
    with pytest.raises(fractile.UsageError, match="file: the path"):
        fractile.publish(data)
    with pytest.raises(fractile.DataError, match="nowhere.toml"):
        fractile.publish(tmp_path / "nowhere.toml", data=data)


def test_an_error_of_the_file_names_the_line(records, engine, tmp_path):
    path = tmp_path / "earnings.toml"
    path.write_text(FILE.format(input="").replace("quantiles =", "quantlies =", 1), encoding="utf-8")
    with pytest.raises(fractile.DataError, match="quantlies") as refused:
        fractile.publish(path, data=pl.DataFrame(records))
    assert "earnings.toml:" in refused.value.message and "quantiles" in str(refused.value)


def test_options_are_those_of_the_program():
    import inspect

    program = {name for name, *_ in _core.options("publish")}
    mine = {"--" + name.replace("_", "-") for name in inspect.signature(fractile.publish).parameters}
    # These options are methods of the result.
    assert mine - {"--file", "--data", "--cancel"} == program - {"--format", "--about", "--public", "--example"}
    spark, its = (inspect.signature(each).parameters for each in (fractile.spark.publish, fractile.publish))
    assert set(spark) - {"df"} == set(its) - {"data", "threads", "memory"}
    assert all(spark[name].default == its[name].default for name in spark if name in its)


# --- What a person contributes -------------------------------------------------------------------------------------------

VALUES = FILE.replace('column = "income"\n', 'column = "income"\nper_person = "sum"\ncount = true\n').replace(
    'column = "age"\n', 'column = "note"\nper_person = "count"\n'
)
WEIGHTED = FILE.replace("records_per_person = 2\n", 'records_per_person = 2\nweight = "w"\nweight_bounds = [0, 30]\nweight_step = 1\nexpected_weight = 15\n')


@pytest.mark.parametrize("text", [VALUES, WEIGHTED], ids=["values", "weights"])
def test_frames_give_what_their_file_gives(text, records, tmp_path, engine, program):
    columns = records | {"note": ["ab"[i % 2] if i % 3 else None for i in range(len(records["id"]))], "w": [i % 37 for i in range(len(records["id"]))]}
    lines = [",".join(columns), *(",".join("" if v is None else str(v) for v in row) for row in zip(*columns.values()))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "of_file.toml").write_text(text.format(input='[input]\nfile = "people.csv"'), encoding="utf-8")
    (tmp_path / "of_frame.toml").write_text(text.format(input=""), encoding="utf-8")
    of_file = fractile.publish(tmp_path / "of_file.toml", unsafe_seed=7)
    assert of_file.to_csv() == program("publish", tmp_path / "of_file.toml", "--unsafe-seed", "7", "--format", "csv")
    for frame in (pa.table(columns), pl.DataFrame(columns), pd.DataFrame(columns)):
        assert fractile.publish(tmp_path / "of_frame.toml", data=frame, unsafe_seed=7).to_csv() == of_file.to_csv()
    fractile.plan(tmp_path / "of_file.toml")


def test_spark_counts_values_and_weights(records, tmp_path, engine):
    columns = records | {"note": ["ab"[i % 2] for i in range(len(records["id"]))], "w": [i % 37 for i in range(len(records["id"]))]}

    def released(text):
        (tmp_path / "of_frame.toml").write_text(text.format(input=""), encoding="utf-8")
        publication = _core.read_publication(str(tmp_path / "of_frame.toml"), {})
        names = list(dict.fromkeys([name for name, *_ in publication.columns] + list(publication.names)))
        counter = Elsewhere(pa.table(columns), names)
        empty = _core.Frame.of_stream(counter.table.schema.empty_table().__arrow_c_stream__(), "")
        return _core.publish(publication, {"unsafe_seed": ["7"]}, empty, counter).tables.csv()

    # A total of persons' values is computed anew from all records of the listed cells, and from no others.
    for text in (VALUES, VALUES.replace('"north", "south"]', '"north"]'), VALUES.replace('"sum"', '"max"'), WEIGHTED):
        assert released(text) == fractile.publish(tmp_path / "of_frame.toml", data=pa.table(columns), unsafe_seed=7).to_csv()


# --- A plan -----------------------------------------------------------------------------------------------------------


def test_a_plan_of_the_file_equals_the_program(file, program, engine):
    plan = fractile.plan(file)
    assert plan.to_json() == program("plan", file, "--format", "json")
    assert plan.to_csv() == program("plan", file, "--format", "csv")
    assert repr(plan) == program("plan", file, "--format", "table").rstrip("\n")
    for same in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
        assert same.to_json() == plan.to_json()
    with pytest.raises(fractile.UsageError, match="epsilon does not go with file"):
        fractile.plan(file, epsilon=1)


# --- Counted elsewhere ------------------------------------------------------------------------------------------------


class Elsewhere:
    """Counts a table as Spark's tasks do, without Spark, and notes how often it is asked."""

    def __init__(self, table, names):
        self.table, self.names, self.jobs = table.select(names), names, []

    def count(self, questions, keys, of_sample, cells):
        self.jobs.append(len(questions))
        sent = [None if each is None else (each[0].to_bytes(), each[1]) for each in cells]
        task = fractile.spark._Count([question.to_bytes() for question in questions], self.names, keys, of_sample, sent)
        ids = self.table.column("id").to_pylist()
        bucket = [-1 if each is None else each % 40 for each in ids]
        rows = []
        for number in range(3):
            mine = [i for i, each in enumerate(bucket) if each % 3 == number]
            table = self.table.append_column("bucket", pa.array(bucket, pa.int32())).take(mine)
            rows += [row | {"tasks": [number]} for batch in task(iter(table.to_batches())) for row in batch.to_pylist()]
        merged = fractile.spark._Merge()
        schema = fractile.spark._row([], None, [], None).schema
        (batch,) = merged(iter(pa.Table.from_pylist(rows[:2], schema=schema).to_batches()))
        return fractile.spark._all_parts(questions, [*batch.to_pylist(), rows[2]])

    def rows(self):
        raise AssertionError("how many records there are is not public")

    def engine(self):
        return "memory"


def test_one_job_of_spark_counts_all_tables(file, records, engine):
    publication = _core.read_publication(file, {})
    names = list(dict.fromkeys([name for name, *_ in publication.columns] + list(publication.names)))
    counter = Elsewhere(pa.table(records), names)
    empty = _core.Frame.of_stream(counter.table.schema.empty_table().__arrow_c_stream__(), "")
    published = _core.publish(publication, {"unsafe_seed": ["7"]}, empty, counter)
    assert counter.jobs == [2]  # one job with one question per table
    assert published.tables.csv() == fractile.publish(file, data=pa.table(records), unsafe_seed=7).to_csv()


def test_other_data_are_refused_on_spark(file, records):
    with pytest.raises(fractile.UsageError, match="a DataFrame of Spark is expected, not DataFrame"):
        fractile.spark.publish(file, pl.DataFrame(records))
