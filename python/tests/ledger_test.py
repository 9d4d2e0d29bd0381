"""Ledgers and receipts: Python reads what the program writes, and the program reads what Python writes."""

import inspect
import json
import os
import subprocess
import sys
import threading
import time
from fractions import Fraction

import fractile
import pandas as pd
import pytest
from fractile import _core

ASKED = {"bounds": (0, 125), "step": 1}


@pytest.fixture
def ledger(tmp_path):
    return fractile.Ledger(tmp_path / "budget.db").init("people", epsilon=1)


def test_a_release_is_paid_once(ledger, csv, program):
    first = fractile.release(csv, "age", epsilon="1/2", ledger=ledger, **ASKED)
    again = fractile.release(csv, "age", epsilon="1/2", ledger=ledger, **ASKED)
    assert again.receipt == first.receipt
    assert (first.from_ledger, again.from_ledger) == (False, True)
    assert again.quantiles == first.quantiles
    # The program answers from this entry, too.
    words = ["release", csv, "--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1/2"]
    assert program(*words, "--ledger", ledger.path, "--format", "json") == first.receipt
    assert [entry.state for entry in ledger.entries] == ["committed"]
    assert ledger.accounts[0].remaining == "epsilon = 1/2"
    anew = fractile.release(csv, "age", epsilon="1/2", ledger=ledger, again=True, dataset="people", **ASKED)
    assert not anew.from_ledger
    with pytest.raises(fractile.BudgetError) as caught:
        fractile.release(csv, "age", epsilon="1/4", ledger=ledger, **ASKED)
    assert caught.value.code == 4
    assert len(ledger.entries) == 2
    assert len(ledger.verify()) == 64
    assert json.loads(ledger.export())
    assert list(ledger.to_pandas()["state"]) == ["committed", "committed"]
    assert "people" in ledger.to_html()


def test_a_frame_has_no_name(ledger, people):
    # Without a declaration, the ledger cannot know that both lists are the same table.
    first = fractile.release(people["age"], epsilon="1/8", ledger=ledger, **ASKED)
    second = fractile.release(people["age"], epsilon="1/8", ledger=ledger, **ASKED)
    assert not second.from_ledger
    third = fractile.release(people["age"], epsilon="1/8", ledger=ledger, source="people", **ASKED)
    fourth = fractile.release(people["age"], epsilon="1/8", ledger=ledger, source="people", **ASKED)
    assert fourth.from_ledger
    assert fourth.receipt == third.receipt
    assert len(ledger.entries) == 3
    assert first.receipt


def test_options_of_ledgers_are_the_programs(csv, program, tmp_path):
    """--ledger, --dataset, --source and --again: Python and the program answer from each other's paid releases, and from no others."""
    ledger = fractile.Ledger(tmp_path / "two.db").init("people", epsilon=1).init("others", epsilon=1)
    asked = ASKED | {"epsilon": "1/8", "ledger": ledger, "source": "census"}
    words = ["release", csv, "--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1/8", "--format", "json"]
    words += ["--ledger", ledger.path, "--source", "census"]
    with pytest.raises(fractile.UsageError, match="dataset"):
        fractile.release(csv, "age", **asked)
    program(*words, code=2)
    first = fractile.release(csv, "age", dataset="others", **asked)
    assert program(*words, "--dataset", "others") == first.receipt
    assert [(entry.dataset, entry.state) for entry in ledger.entries] == [("others", "committed")]
    anew = program(*words, "--dataset", "people")
    assert fractile.release(csv, "age", dataset="people", **asked).receipt == anew
    assert len(ledger.entries) == 2
    program(*words, "--dataset", "people", "--again")
    assert not fractile.release(csv, "age", dataset="people", again=True, **asked).from_ledger
    assert len(ledger.entries) == 4
    assert fractile.release(csv, "age", dataset="people", **asked).receipt == program(*words, "--dataset", "people")
    assert len(ledger.entries) == 4


def test_a_file_that_changes_while_it_is_read(ledger, tmp_path):
    """The records that were read may be from different moments, so nothing is published, and the entry stays."""
    path = tmp_path / "table.csv"
    path.write_text("age\n" + "7\n" * 30_000_000)

    is_over = threading.Event()

    def append_once_it_is_read():
        while not ledger.entries and not is_over.is_set():
            time.sleep(0.001)
        with path.open("a") as table:
            table.write("3\n")

    writer = threading.Thread(target=append_once_it_is_read)
    writer.start()
    try:
        with pytest.raises(fractile.DataError, match=r"table\.csv was changed while it was read") as caught:
            fractile.release(path, "age", epsilon="1/2", ledger=ledger, threads=1, **ASKED)
    finally:
        is_over.set()
        writer.join()
    assert "entry 1 of" in str(caught.value)
    assert [entry.state for entry in ledger.entries] == ["reserved"]


def test_the_engine_of_the_package_duckdb_needs_no_owner(tmp_path):
    """The installation chose this engine. An engine that the caller names must be one that the owner declared."""
    pytest.importorskip("duckdb")
    (tmp_path / "table.csv").write_text("age\n" + "7\n" * 100)
    code = """if True:
        import fractile, sys
        ledger = fractile.Ledger("budget.db").init("people", epsilon=1)
        asked = {"bounds": (0, 125), "step": 1, "quantiles": "median", "epsilon": "1/4", "ledger": ledger}
        print(fractile.release("table.csv", "age", **asked)["1/2"])
        print(fractile.columns("table.csv")[0].name)
        try:
            fractile.release("table.csv", "age", again=True, duckdb="./other.so", **asked)
        except fractile.UsageError as error:
            print(error.field)
    """
    surroundings = {name: value for name, value in os.environ.items() if name != "FRACTILE_DUCKDB"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["age", "duckdb"]


def test_what_fails_after_the_charge_stays_reserved(ledger):
    with pytest.raises(fractile.DataError, match="entry 1 of .* stays reserved"):
        fractile.release([1.0, float("nan")], epsilon="1/8", null="error", ledger=ledger, **ASKED)
    assert [entry.state for entry in ledger.entries] == ["reserved"]
    ledger.void(ledger.to_pandas().index[0], "nothing was published")  # a whole number of numpy
    assert ledger.accounts[0].spent == "epsilon = 0"


def test_pins(tmp_path, people, csv):
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1, source=csv)
    with pytest.raises(fractile.UsageError):
        fractile.release(people["age"], epsilon="1/8", ledger=ledger, **ASKED)
    with pytest.raises(fractile.UsageError):
        fractile.release(people["age"], epsilon="1/8", ledger=ledger, unsafe_seed=1, **ASKED)


def test_init_lacks_no_option_of_the_program():
    arguments = {"--" + name.replace("_", "-") for name in inspect.signature(fractile.Ledger.init).parameters} - {"--self"}
    assert arguments == {name for name, *_ in _core.options("ledger init")}


def test_what_counts_as_missing_is_the_owners(tmp_path):
    ledger = fractile.Ledger(tmp_path / "budget.db").init("people", epsilon=1000, missing=["NA", -9])
    asked = {"bounds": (-20, 120), "step": 1, "quantiles": "median", "epsilon": 20, "ledger": ledger}
    coded = [7] * 60 + [-9] * 90
    for missing in (None, ["NA"], [-9, "n/a"]):
        with pytest.raises(fractile.UsageError, match="dataset 'people' is read with missing="):
            fractile.release(coded, missing=missing, **asked)
    assert ledger.entries == []
    assert fractile.release(coded, missing=["NA", -9], **asked)[0.5] == 7
    assert fractile.release(coded, missing=[-9, "NA"], **asked)[0.5] == 7  # in any order
    assert len(ledger.entries) == 2


def test_a_witness(tmp_path, csv, program):
    witness = tmp_path / "elsewhere"
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1, witness=witness)
    asked = ASKED | {"ledger": ledger}
    fractile.release(csv, "age", epsilon="1/4", **asked)
    backup = (tmp_path / "b.db").read_bytes()
    fractile.release(csv, "age", epsilon="1/8", **asked)
    assert ledger.witness() == [str(witness)]
    (tmp_path / "b.db").write_bytes(backup)
    behind = "is behind its witness"
    with pytest.raises(fractile.LedgerError, match=behind):
        fractile.release(csv, "age", epsilon="1/16", **asked)
    with pytest.raises(fractile.LedgerError, match=behind):
        ledger.witness()
    program("ledger", "witness", ledger.path, code=5)
    assert ledger.witness(accept=True) == [str(witness)]
    assert ledger.accounts[0].spent == "epsilon = 3/8"
    assert [entry.state for entry in ledger.entries] == ["committed", "drawn"]
    fractile.release(csv, "age", epsilon="1/16", **asked)
    assert fractile.Ledger(tmp_path / "c.db").init("people", epsilon=1).witness() == []


def test_no_ledger(tmp_path):
    with pytest.raises(fractile.LedgerError):
        fractile.Ledger(tmp_path / "none.db").statement()
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a ledger at all, this is")
    with pytest.raises(fractile.LedgerError):
        fractile.Ledger(broken).verify()


def test_an_empty_path_is_no_release_without_a_ledger(people):
    with pytest.raises(fractile.UsageError, match="ledger is empty") as refused:
        fractile.release(people["age"], epsilon=1, ledger="", **ASKED)
    assert refused.value.field == "ledger"


def test_receipts(tmp_path, people, csv, program):
    release = fractile.release(csv, "age", epsilon=1, receipt=tmp_path / "age.json", **ASKED)
    assert (tmp_path / "age.json").read_text() == release.receipt
    read = fractile.read_receipt(tmp_path / "age.json")
    assert read.quantiles == release.quantiles
    assert read.explain() == release.explain() == program("explain", tmp_path / "age.json")
    assert read.explain("markdown") == program("explain", tmp_path / "age.json", "--format", "markdown")
    assert read.to_html() == program("explain", tmp_path / "age.json", "--format", "html")
    about = {"title": "Ages", "curator": "An office"}
    (tmp_path / "about.toml").write_text('title = "Ages"\ncurator = "An office"\n')
    words = ["explain", tmp_path / "age.json", "--format", "html", "--public", "--about", tmp_path / "about.toml"]
    assert read.to_html(about=about, public=True) == program(*words)
    assert "release.svg" in read.figures()
    read.save(tmp_path / "age.html")
    assert fractile.read_receipt(tmp_path / "age.html").receipt == release.receipt
    with pytest.raises(fractile.DataError):
        release.save(tmp_path / "age.json")  # save() never replaces a file
    (tmp_path / "forged.json").write_text(release.receipt.replace('"pure"', '"zcdp"'))
    with pytest.raises(fractile.DataError):
        fractile.read_receipt(tmp_path / "forged.json")
    with pytest.raises(fractile.DataError, match="larger than 900 MiB"):  # once, the process took all memory
        fractile.read_receipt("/dev/zero")
    with pytest.raises(fractile.DataError, match="cannot be read"):
        fractile.read_receipt(tmp_path / "none.json")
    with pytest.raises(fractile.UsageError):
        read.to_html(about={"colour": "red"})


def test_groups_intervals_and_comparisons(people, csv):
    import polars as pl

    frame = pl.DataFrame(people)
    asked = ASKED | {"by": "region", "keys": ["north", "south"], "intervals": 0.95, "expected_rows": 1000, "epsilon": 4}
    groups = fractile.release(frame, "age", **asked)
    assert list(groups.keys()) == ["north", "south"] and dict(groups) == {key: groups[key] for key in ("north", "south")}
    for of_one in ("mechanism", "spent", "rank_errors", "intervals", "quantiles"):  # only the groups have these attributes
        with pytest.raises(fractile.UsageError, match="several groups"):
            getattr(groups, of_one)
    for group in groups.values():
        assert group.mechanism and group.spent and list(group.rank_errors) == list(group.intervals) == list(group)
    assert list(groups["north"]) == list(groups["south"])
    assert groups["north"][0.5] in groups["north"].values()
    with pytest.raises(KeyError, match="north"):
        groups["west"]
    compared = groups.compare("north", "south")
    assert [c.quantile for c in compared] == ["1/4", "1/2", "3/4"]
    assert all(c.difference.interval.lower <= c.difference.value <= c.difference.interval.upper for c in compared)
    assert groups.compare(0.25, 0.75)[0].key == "north"
    frame = groups.to_pandas()
    assert list(frame.index) == ["north", "south"] and list(frame.columns) == [0.25, 0.5, 0.75]
    assert groups.to_arrow().column_names == ["key", "quantile", "value", "lower", "upper"]
    one = fractile.release(people["age"], intervals=0.9, expected_rows=3000, epsilon=1, **ASKED)
    assert set(one.to_pandas().columns) == {"value", "lower", "upper"}
    assert all(i.lower <= one[q] <= i.upper for q, i in one.intervals.items())
    with pytest.raises(fractile.UsageError):
        fractile.release(people["age"], epsilon=1, **ASKED).compare(0.25, 0.75)


def test_what_a_notebook_shows(people, ledger):
    release = fractile.release(people["age"], epsilon="1/8", **ASKED)
    assert "entered in no ledger" in release._repr_html_()
    paid = fractile.release(people["age"], epsilon="1/8", ledger=ledger, **ASKED)
    assert "entered in no ledger" not in paid._repr_html_()
    assert "epsilon = 1/8" in repr(paid)
    assert "left" in paid.to_html()
    assert "iframe" in fractile.plan(epsilon=1, **ASKED)._repr_html_()


def test_tables_for_people(people):
    release = fractile.release(people["age"], "years", epsilon=1, **ASKED)
    series = release.to_pandas()
    assert list(series.index) == [0.25, 0.5, 0.75]
    assert series.name == "years"
    assert list(series) == [int(v) for v in release.quantiles.values()]
    assert release.to_arrow()["value"].to_pylist() == list(release.quantiles.values())
    assert dict(release) == release.quantiles and list(release.items()) == list(release.quantiles.items())
    assert all(error > 0 for error in release.rank_errors.values())
    assert release.spent
    assert release.mechanism


def test_results_are_copied_and_pickled(people, ledger):
    import copy
    import pickle

    asked = ASKED | {"by": "region", "keys": ["north", "south"], "epsilon": "1/8"}
    columns = {"age": people["age"], "region": people["region"]}
    import polars as pl

    paid = fractile.release(people["age"], epsilon="1/8", ledger=ledger, **ASKED)
    assert paid.charge == ("people", 1) and paid.charge.entry == 1
    groups = fractile.release(pl.DataFrame(columns), "age", **asked)
    assert groups.charge is None
    for release in (paid, groups):
        for same in (copy.copy(release), copy.deepcopy(release), pickle.loads(pickle.dumps(release))):
            assert same == release and same.receipt == release.receipt and repr(same) == repr(release)
            assert same.keys() == release.keys() and same.charge == release.charge
            assert same._repr_html_().startswith("<p>") == release._repr_html_().startswith("<p>")
        assert copy.copy(release).to_html() == copy.deepcopy(release).to_html() == release.to_html()  # with the ledger's balance
        assert pickle.loads(pickle.dumps(release, protocol=2)).from_ledger is False
        assert ledger.path.encode() not in pickle.dumps(release)  # an address may hold a password


@pytest.mark.parametrize("name", ["r.csv", "r.CSV", "r.tsv", "r.parquet", "r.xlsx"])
def test_a_receipt_is_no_table(people, tmp_path, name):
    release = fractile.release(people["age"], epsilon=1, **ASKED)
    with pytest.raises(fractile.UsageError, match="to_csv") as caught:
        release.save(tmp_path / name)
    assert caught.value.field == "path" and not list(tmp_path.iterdir())
    release.save(tmp_path / "r.HTML")
    assert (tmp_path / "r.HTML").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("asked", [lambda ledger: ledger.export("xml"), lambda ledger: ledger.witness(accept="yes")], ids=["export", "witness"])
def test_what_a_ledger_does_not_know(ledger, asked):
    with pytest.raises(fractile.UsageError):
        asked(ledger)


@pytest.mark.parametrize("first, second, value", [("n", "s", 8), ("s", "n", -8)])
def test_the_sign_of_a_difference(first, second, value):
    frame = pd.DataFrame({"x": [1.0] * 500 + [9.0] * 500, "k": ["n"] * 500 + ["s"] * 500})
    groups = fractile.release(frame, "x", by="k", keys=["n", "s"], bounds=(0, 9), step=1, epsilon=100, quantiles="median", intervals=0.9)
    (compared,) = groups.compare(first, second)
    assert (compared.key, compared.against, compared.difference.value) == (second, first, value)
    assert compared.difference.value == groups[compared.key][0.5] - groups[compared.against][0.5]
    assert compared.ratio.value == Fraction(groups[compared.key][0.5]) / Fraction(groups[compared.against][0.5])


def test_an_address_is_shown_without_its_password():
    ledger = fractile.Ledger("postgres://ann:open%20sesame@127.0.0.1:1/budgets")
    try:
        ledger.statement()
    except fractile.UsageError as error:
        pytest.skip(str(error))  # libpq is missing
    except fractile.LedgerError as error:
        assert "cannot be reached" in str(error)
        assert "sesame" not in str(error)
    assert repr(ledger) == "Ledger('postgres://ann@127.0.0.1:1/budgets')"
