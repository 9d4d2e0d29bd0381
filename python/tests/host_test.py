"""The package within a service: threads, its end, forks, signals, other interpreters, warnings and notebooks."""

import asyncio
import gc
import os
import pickle
import socket
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import fractile
import numpy as np
import pytest

ASKED = {"bounds": (0, 125), "step": 1, "epsilon": 1}


def run(code, *arguments, timeout=120, **options):
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=timeout, check=False, **options)


# --- Threads ----------------------------------------------------------------------------------------------------------


def memory():
    """The resident memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_that_end_leave_nothing_behind():
    """A server that has one thread per request works like this."""
    numbers = np.arange(1000) % 100

    def request():
        fractile.release(numbers, bounds=(0, 2**40), step="0.0001", epsilon="ln 3")

    def requests(count):
        for _ in range(count):
            thread = threading.Thread(target=request)
            thread.start()
            thread.join()

    requests(100)
    gc.collect()
    before = memory()
    requests(1000)
    gc.collect()
    assert memory() - before < 5_000_000


def standstill(calls, let_go):
    """Returns the longest time in seconds that this thread stood still while all calls waited, and the messages of the calls' errors."""
    raised = []

    def call(each):
        try:
            each()
        except fractile.Error as error:
            raised.append(error.message)

    threads = [threading.Thread(target=call, args=(each,), daemon=True) for each in calls]
    moments = [time.perf_counter()]
    for thread in threads:
        thread.start()
        moments.append(time.perf_counter())
    while moments[-1] < moments[0] + 0.5:
        time.sleep(0.001)
        moments.append(time.perf_counter())
    let_go()
    for thread in threads:
        thread.join()
    return max(after - before for before, after in zip(moments, moments[1:])), raised


def raised_without_standstill(waiting):
    """Returns the messages. `waiting` makes the calls, and a function that lets them go. A call that held the interpreter's lock would
    delay this thread in each attempt, whereas a busy machine delays it only sometimes."""
    end = time.monotonic() + 60
    longest, raised = standstill(*waiting())
    while longest >= 0.25 and time.monotonic() < end:
        longest, raised = standstill(*waiting())
    assert longest < 0.25
    return raised


def test_no_thread_stands_still_while_a_ledger_is_locked(tmp_path):
    path = str(tmp_path / "people.db")
    ledger = fractile.Ledger(path).init("people", epsilon=100)
    calls = [
        lambda: ledger.accounts,
        lambda: ledger.entries,
        lambda: ledger.verify(),
        lambda: ledger.statement("people"),
        lambda: ledger.export("csv"),
        lambda: ledger.to_html(),
        lambda: ledger.witness(),
        lambda: ledger.void(10**6, "never published"),
        lambda: ledger.init("others", epsilon=1),
        lambda: fractile.release([1.0], ledger=ledger, **ASKED),
    ]

    def locked():
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        return calls, other.close

    assert any(path in message for message in raised_without_standstill(locked))  # no entry has this path


def test_no_thread_stands_still_while_a_server_is_silent():
    def silent():
        server = socket.create_server(("127.0.0.1", 0))
        ledger = fractile.Ledger(f"postgres://ann@127.0.0.1:{server.getsockname()[1]}/budgets")
        return [lambda: ledger.accounts, lambda: fractile.release([1.0], ledger=ledger, **ASKED)], server.close

    raised = raised_without_standstill(silent)
    assert len(raised) == 2 and not [message for message in raised if "timeout expired" in message]


AT_THE_END = """if True:
    import sys, threading, time
    import numpy as np, fractile
    numbers = np.random.default_rng(1).normal(60, 20, 5_000_000)
    begun = threading.Event()
    def work():
        begun.set()
        while True:
            {work}
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    begun.wait()
    time.sleep(float(sys.argv[1]))
    print("the end", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "fractile.release(numbers, bounds=(0, 2**40), step='0.0001', epsilon=1)",
        "fractile.release(numbers[:1000], bounds=(0, 125), step=1, epsilon=1)",
        "fractile.plan(quantiles='quartiles', bounds=(0, 100), step=1, epsilon=1)",
    ],
)
def test_daemon_threads_end_with_the_interpreter(work):
    for wait in ("0.0", "0.1", "0.3"):
        done = run(AT_THE_END.format(work=work), wait)
        assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", ""), wait


@pytest.mark.skipif(sys.version_info < (3, 10), reason="no module of interpreters")
def test_another_interpreter_is_refused():
    code = """if True:
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        if sys.argv[1] == "after":
            import fractile
        other = interpreters.create()
        said = []
        inside = "import sys; sys.path[:] = " + repr(sys.path) + '''
try:
    import fractile
    print("imported", flush=True)
except ImportError as error:
    print("main interpreter" in str(error), flush=True)
'''
        interpreters.run_string(other, inside)
        interpreters.destroy(other)
        import fractile
        print(len(fractile.release([1.0, 2.0], bounds=(0, 9), step=1, epsilon=1, unsafe_seed=1).quantiles), flush=True)
    """
    for when in ("before", "after"):
        done = run(code, when)
        assert (done.returncode, done.stdout) == (0, "True\n3\n"), (when, done.stderr)


# --- Forks and signals ------------------------------------------------------------------------------------------------


def test_ctrl_c_within_a_generator_stays_one():
    pa = pytest.importorskip("pyarrow")

    def batches(error):
        yield pa.RecordBatch.from_pydict({"x": [1, 2]})
        raise error

    def release(error):
        reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches(error))
        return fractile.release(reader, "x", **ASKED)

    with pytest.raises(KeyboardInterrupt):
        release(KeyboardInterrupt())
    with pytest.raises(fractile.DataError, match="stream failed"):
        release(ValueError("KeyboardInterrupt"))

    code = """if True:
        import os, signal, threading, time
        import pyarrow as pa, fractile
        def batches():
            while True:
                yield pa.RecordBatch.from_pydict({"x": [1, 2]})
                time.sleep(0.001)
        reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            fractile.release(reader, "x", bounds=(0, 9), step=1, epsilon=1)
        except KeyboardInterrupt:
            print("stopped")
    """
    assert run(code).stdout == "stopped\n"


# --- Cancellation -----------------------------------------------------------------------------------------------------


def endless():
    """Records for a minute, a few at a time: far longer than any test waits for a call that it ends."""
    pa = pytest.importorskip("pyarrow")

    def batches():
        until = time.monotonic() + 60
        while time.monotonic() < until:
            yield pa.RecordBatch.from_pydict({"x": [1, 2]})
            time.sleep(0.001)

    return pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())


def set_after(seconds):
    event = threading.Event()
    threading.Timer(seconds, event.set).start()
    return event


def set_when_charged(ledger):
    event = threading.Event()

    def wait():
        while not ledger.entries:
            time.sleep(0.01)
        event.set()

    threading.Thread(target=wait, daemon=True).start()
    return event


def test_an_event_ends_a_release_from_another_thread(tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=10)
    with pytest.raises(fractile.CanceledError) as raised:
        fractile.release(endless(), "x", cancel=set_after(0.3), **ASKED)
    assert raised.value.field == "cancel" and raised.value.hint == "nothing was charged or published"
    with pytest.raises(fractile.CanceledError, match="entry 1 of .* stays reserved.*ledger void") as raised:
        fractile.release(endless(), "x", cancel=set_when_charged(ledger), ledger=ledger, **ASKED)
    assert [entry.state for entry in ledger.entries] == ["reserved"]
    assert raised.value.__context__ is None and pickle.loads(pickle.dumps(raised.value)).hint == raised.value.hint
    # The next call on this thread succeeds.
    assert len(fractile.release([1.0], cancel=threading.Event(), ledger=ledger, **ASKED).quantiles) == 3


def test_an_event_that_is_set_before_the_charge_keeps_the_budget(csv, tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=10)
    event = threading.Event()
    event.set()
    calls = [
        lambda: fractile.release([1.0, 2.0], cancel=event, ledger=ledger, **ASKED),
        lambda: fractile.release(csv, "age", cancel=event, ledger=ledger, **ASKED),
        lambda: fractile.release([1.0, 2.0], cancel=event, **ASKED),
        lambda: fractile.count(csv, "age", output=tmp_path / "x.profile", bounds=(0, 125), step=1, cancel=event),
        lambda: fractile.merge(tmp_path / "none.profile", output=tmp_path / "x.profile", cancel=event),
        lambda: fractile.columns(csv, check=True, cancel=event),
    ]
    for call in calls:
        with pytest.raises(fractile.CanceledError, match="nothing was charged or published"):
            call()
    assert ledger.entries == [] and not (tmp_path / "x.profile").exists()


def test_an_event_that_is_set_between_opening_and_charging_keeps_the_budget(tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=100)

    class Event:
        def __init__(self, looks):
            self.looks = looks

        def is_set(self):
            self.looks -= 1
            return self.looks < 0

    with pytest.raises(fractile.CanceledError, match="nothing was charged"):
        fractile.release([1.0, 2.0], cancel=Event(1), ledger=ledger, **ASKED)
    assert ledger.entries == []


def test_an_event_ends_what_waits_for_a_ledger(tmp_path):
    path = str(tmp_path / "people.db")
    ledger = fractile.Ledger(path).init("people", epsilon=10)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    begun = time.perf_counter()
    with pytest.raises(fractile.CanceledError):
        fractile.release([1.0, 2.0], cancel=set_after(0.3), ledger=ledger, **ASKED)
    assert time.perf_counter() - begun < 8  # without the event, it would wait for ten seconds
    other.execute("ROLLBACK")
    assert ledger.entries == []


def test_an_event_ends_what_an_event_loop_gave_up(tmp_path):
    async def ask():
        event = threading.Event()
        asked = asyncio.create_task(asyncio.to_thread(fractile.release, endless(), "x", cancel=event, **ASKED))
        try:
            await asyncio.wait_for(asyncio.shield(asked), 0.2)
        except asyncio.TimeoutError:
            event.set()
        with pytest.raises(fractile.CanceledError):
            await asked

    asyncio.run(ask())


def test_an_event_ends_a_publication(tmp_path):
    path = tmp_path / "pay.toml"
    path.write_text(
        '[publication]\ntitle = "Pay"\nepsilon = 1\n\n[[table]]\nname = "pay"\ncolumn = "x"\nbounds = [0, 125]\nstep = 1\n'
        'quantiles = "median"\n',
        encoding="utf-8",
    )
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=10)
    with pytest.raises(fractile.CanceledError, match="stays reserved"):
        fractile.publish(path, data=endless(), cancel=set_when_charged(ledger), ledger=ledger)
    event = threading.Event()
    event.set()
    with pytest.raises(fractile.CanceledError, match="nothing was charged"):
        fractile.publish(path, data=endless(), cancel=event, ledger=ledger)
    assert len(ledger.entries) == 1


def test_a_charged_release_waits_while_too_many_files_are_open(tmp_path):
    """Once, a host whose other threads had opened all files that it may open lost the release."""
    program = textwrap.dedent("""
        import os, resource, sys, threading, fractile, pyarrow as pa
        ledger = fractile.Ledger(sys.argv[1]).init("p", epsilon=1)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        taken = []
        def batches():
            yield pa.RecordBatch.from_pydict({"x": [1.0] * 1000})
            try:
                while True:
                    taken.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                threading.Timer(1, lambda: [os.close(file) for file in taken]).start()
        reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.float64())]), batches())
        fractile.release(reader, "x", bounds=(0, 125), step=1, epsilon="1/2", ledger=ledger)
        print([entry.state for entry in ledger.entries])
    """)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "b.db")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "['committed']\n"), done.stderr


def test_what_an_event_raises_is_raised():
    class Event:
        def is_set(self):
            raise LookupError("of its owner")

    with pytest.raises(LookupError, match="of its owner"):
        fractile.release([1.0], cancel=Event(), **ASKED)
    for wrong in (True, 5, "x", object()):
        with pytest.raises(fractile.UsageError, match="an event is expected"):
            fractile.release([1.0], cancel=wrong, **ASKED)


# --- What is handed over ----------------------------------------------------------------------------------------------


class Door:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def test_capsules():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [1.0, 2.0, 3.0]})
    for wrong in (table.schema.__arrow_c_schema__(), 5, object()):
        with pytest.raises(fractile.UsageError, match="not a capsule of Arrow"):
            fractile.release(Door(wrong), "x", **ASKED)
    capsule = table.__arrow_c_stream__()
    assert len(fractile.release(Door(capsule), "x", **ASKED).quantiles) == 3
    with pytest.raises(fractile.UsageError, match="was already read"):
        fractile.release(Door(capsule), "x", **ASKED)


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
        lambda: fractile.Ledger("x.db").void(True, "x"),
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
    categories = pd.DataFrame({"x": [1.0, 2.0], "p": pd.Categorical([b"secret\xff", "b"])})
    persons, groups = {"person": "p"}, {"by": "p", "keys": ["b"]}
    for data, named in ((frame, persons), (frame, groups), (columns, {}), (numbers, {}), (categories, persons), (categories, groups)):
        with pytest.raises(fractile.Error) as raised:
            fractile.release(data, *(["x"] if data is not numbers else []), null="error", **named, **ASKED)
        error = raised.value
        while error is not None:
            assert "secret" not in str(error) + repr(vars(error)) + repr(error.args)
            error = error.__context__ or error.__cause__


# --- Warnings and notebooks -------------------------------------------------------------------------------------------


def test_what_is_known_beforehand_is_warned_of_before_anything_is_spent(tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=100)
    asked = {"bounds": (0, 125), "step": 1, "epsilon": 30, "ledger": ledger}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fractile.FractileWarning, match="promises next to nothing") as raised:
            fractile.release([1.0, 2.0], **asked)
    assert raised.value.release is None and ledger.entries == []
    with pytest.warns(fractile.FractileWarning, match="promises next to nothing") as given:
        fractile.release([1.0, 2.0], **asked)
    assert given[0].filename == __file__
    assert len(ledger.entries) == 1


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
