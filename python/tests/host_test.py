"""The package within a service: its threads, arguments, warnings and notebooks."""

import pickle
import sqlite3
import threading
import time
import warnings

import fractile
import pytest

ASKED = {"bounds": (0, 125), "step": 1, "epsilon": 1}


# --- Threads ----------------------------------------------------------------------------------------------------------


def test_no_thread_stands_still_while_a_ledger_is_locked(tmp_path):
    path = str(tmp_path / "people.db")
    ledger = fractile.Ledger(path).init("people", epsilon=1)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    calls = [
        lambda: ledger.accounts,
        lambda: ledger.entries,
        lambda: ledger.verify(),
        lambda: ledger.statement("people"),
        lambda: ledger.export("csv"),
        lambda: ledger.to_html(),
        lambda: ledger.witness(),
        lambda: ledger.void(1, "never published"),
        lambda: ledger.init("others", epsilon=1),
        lambda: fractile.release([1.0], ledger=ledger, **ASKED),
    ]

    def call(each):
        with pytest.raises(fractile.Error):  # there is no entry 1, and the budget of one release is there
            each()
            raise fractile.Error("it went through")

    threads = [threading.Thread(target=call, args=(each,), daemon=True) for each in calls]
    for thread in threads:
        thread.start()
    longest, last = 0.0, time.perf_counter()
    end = last + 1.5
    while last < end:
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    other.execute("ROLLBACK")
    for thread in threads:
        thread.join()
    assert longest < 0.25  # with the lock of the interpreter held it would be as long as the file is locked


# --- What is handed over ----------------------------------------------------------------------------------------------


HALF = "\ud800"


@pytest.mark.parametrize(
    "call",
    [
        lambda: fractile.release(f"{HALF}.csv", "x", **ASKED),
        lambda: fractile.release("x.csv", "x", receipt=HALF, **ASKED),
        lambda: fractile.release("x.csv", "x", receipt=5, **ASKED),
        lambda: fractile.release([1.0], ledger=5, **ASKED),
        lambda: fractile.release([1.0], ledger=b"x.db", **ASKED),
        lambda: fractile.release([1.0], **ASKED).to_html(about={"title": HALF}),
        lambda: fractile.release([1.0], **ASKED).to_html(about={"title": 5}),
        lambda: fractile.release([1.0], **ASKED).save(HALF),
        lambda: fractile.Ledger(HALF),
        lambda: fractile.Ledger("a\0b"),
        lambda: fractile.Ledger(5),
        lambda: fractile.Ledger("x.db").void(2**70, "x"),
        lambda: fractile.Ledger("x.db").void("1", "x"),
        lambda: fractile.Ledger("x.db").void(1, HALF),
        lambda: fractile.Ledger("x.db").verify(5),
        lambda: fractile.Ledger("x.db").statement(HALF),
        lambda: fractile.read_receipt(HALF),
        lambda: fractile.read_receipt(b"x.json"),
        lambda: fractile.publish(HALF),
        lambda: fractile.columns(HALF),
        lambda: fractile.columns("a\0b"),
        lambda: fractile.merge(HALF, output="x"),
        lambda: fractile.merge(5, output="x"),
        lambda: fractile.flow.Pipeline.read(HALF),
        lambda: fractile.flow.compare(HALF, "x"),
    ],
)  # fmt: skip
def test_what_is_no_path_and_no_text_is_an_argument_that_is_wrong(call):
    with pytest.raises(fractile.UsageError) as raised:
        call()
    assert raised.value.__context__ is None and raised.value.__cause__ is None
    assert raised.value.hint


def test_no_error_has_a_cell_behind_it():
    pd = pytest.importorskip("pandas")
    cell = "secret\ud800"
    frame = pd.DataFrame({"x": [1.0, 2.0], "p": pd.Series([cell, "b"], dtype=object)})
    columns = pd.DataFrame({"x": pd.Series(["secret", 2.0], dtype=object), "p": ["a", "b"]})
    numbers = ["secret", 2.0]
    for data, named in ((frame, {"person": "p"}), (frame, {"by": "p", "keys": ["b"]}), (columns, {}), (numbers, {})):
        with pytest.raises(fractile.Error) as raised:
            fractile.release(data, *(["x"] if data is not numbers else []), null="error", **named, **ASKED)
        error = raised.value
        while error is not None:
            assert "secret" not in str(error) + repr(vars(error)) + repr(error.args)
            error = error.__context__ or error.__cause__


# --- Warnings and notebooks -------------------------------------------------------------------------------------------


def test_what_is_warned_of_afterwards_has_the_release(tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fractile.FractileWarning) as raised:
            fractile.release([1.0, 2.0] * 20, bounds=(0, 125), step=1, epsilon="0.01", expected_rows=40, ledger=ledger)
    assert [entry.state for entry in ledger.entries] == ["committed"]
    assert raised.value.release.receipt == ledger.entries[0].receipt
    assert pickle.loads(pickle.dumps(raised.value.release)).receipt == ledger.entries[0].receipt


def test_a_cell_of_a_notebook_stays_small():
    pl = pytest.importorskip("polars")
    keys = [f"region {i}" for i in range(1000)]
    frame = pl.DataFrame({"x": [float(i % 100) for i in range(5000)], "k": [keys[i % 1000] for i in range(5000)]})
    release = fractile.release(frame, "x", by="k", keys=keys, **ASKED)
    cell = release._repr_html_()
    assert len(cell.encode()) < 1_000_000
    assert "to_html()" in cell and "region 1" in cell and "more lines" in cell
    assert "<iframe" in fractile.release([1.0], **ASKED)._repr_html_()
