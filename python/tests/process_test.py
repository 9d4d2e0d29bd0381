"""Threads, forks, signals and memory of a process that uses the package."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import fractile
import numpy as np
import pytest
from fractile import flow

ASKED = {"bounds": (0, 125), "step": 1, "epsilon": 1}


def test_other_threads_run_meanwhile():
    numbers = np.random.default_rng(1).normal(60, 20, 20_000_000)
    stop = threading.Event()
    turns = 0

    def count():
        nonlocal turns
        while not stop.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = turns
    start = time.perf_counter()
    fractile.release(numbers, **ASKED | {"bounds": (0, 2**40), "step": "0.0001"})
    took = time.perf_counter() - start
    during = turns - before
    stop.set()
    thread.join()
    assert during > took / 0.001 / 50  # if the lock were held, there would be hardly any turns


def test_many_threads_release_at_once():
    numbers = np.arange(100_000) % 100
    releases = [None] * 8

    def one(i):
        releases[i] = fractile.release(numbers, unsafe_seed=5, **ASKED).receipt

    threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(releases)) == 1


def test_no_copy():
    # The test needs a separate process, whose peak memory nothing else has raised.
    code = """if True:
        import resource, sys
        import numpy as np, fractile, polars as pl, pandas as pd
        from fractile import _frames
        numbers = np.random.default_rng(1).normal(60, 20, 3_000_000)
        beside = {"x": numbers, "y": np.arange(len(numbers)), "z": numbers}
        data, *names = {
            "numpy": lambda: [numbers],
            "polars": lambda: [pl.Series("x", numbers)],
            "pandas": lambda: [pd.Series(numbers)],
            "a frame of polars": lambda: [pl.DataFrame(beside), "x"],
            "a frame of pandas": lambda: [pd.DataFrame(beside), "x"],
            "a frame of pandas with persons": lambda: [pd.DataFrame(beside), "x", "y"],
        }[sys.argv[1]]()
        def read(data):
            if len(names) == 2:
                return _frames.frame_of(data, "x", ["y"], _frames.Asked())  # what samples of persons take is another matter
            return fractile.release(data, *names, bounds=(0, 125), step=1, epsilon=1)
        small = read(data[:1000])  # what is loaded once
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")  # as if what was made above had never had a higher peak
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        read(data)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    for door in ("numpy", "polars", "pandas", "a frame of polars", "a frame of pandas", "a frame of pandas with persons"):
        done = subprocess.run([sys.executable, "-c", code, door], capture_output=True, text=True, check=True)
        assert int(done.stdout) < 6_000, door  # KiB; a copy would have 23,437


def test_a_fork_has_random_bits_of_its_own():
    # The base is uniform. Any other base has heavy candidates, such as 0, which two of four releases may draw.
    fractile.release([1.0] * 10, **ASKED)  # a buffer of random bits may exist before the fork
    ends = []
    for _ in range(4):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            values = fractile.release(list(range(100)), bounds=(0, 2**40), step=1, epsilon="0.001", quantiles="median", base="uniform")
            os.write(write, str(values[0.5]).encode())
            os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        ends.append(os.read(read, 100))
    assert len(set(ends)) == 4


def _spawned(_):
    return str(fractile.release(list(range(100)), bounds=(0, 2**40), step=1, epsilon="0.001", quantiles="median", base="uniform")[0.5])


def test_spawned_processes_differ():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert len(set(pool.map(_spawned, range(4)))) == 4


def test_ctrl_c_ends_a_release(tmp_path):
    code = """if True:
        import sys, time
        import numpy as np, fractile
        ledger = fractile.Ledger(sys.argv[1]).init("people", epsilon=1)
        numbers = np.random.default_rng(1).integers(0, 10**9, 30_000_000).astype(np.int32)
        ids = (np.arange(30_000_000) // 2).astype(np.int32)
        import polars as pl
        frame = pl.DataFrame({"x": numbers, "id": ids})
        print("ready", flush=True)
        try:
            fractile.release(frame, "x", person="id", bounds=(0, 10**9), step=1, epsilon="1/2", ledger=ledger)
        except KeyboardInterrupt as stopped:
            notes = getattr(stopped, "__notes__", [""])
            print("stopped", "stays reserved" in notes[0], ledger.entries[0].state, flush=True)
            print(fractile.release([1.0, 2.0], bounds=(0, 9), step=1, epsilon=1) is not None)
        else:
            print("it ended")
    """
    run = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "b.db")],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores SIGINT
    )
    assert run.stdout.readline() == "ready\n"
    while run.poll() is None and not fractile.Ledger(tmp_path / "b.db").entries:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    start = time.perf_counter()
    out = run.communicate(timeout=60)[0]
    assert time.perf_counter() - start < 20
    noted = sys.version_info >= (3, 11)
    assert out == f"stopped {noted} reserved\nTrue\n"


def _pipeline(participants, **members):
    return flow.Pipeline(participants=participants, values=[0, 1, 2], perturber="geometric", **members)


def _argmax(participants):
    return _pipeline(participants, post="mode", secret="histogram", analyst=flow.Analyst(loss="argmax-accuracy", prior="uniform"))


# Each takes 0.4 seconds or more, and nearly all of it in C++.
LONG = {
    "verdict": lambda: _pipeline(60, post="sum", secret="everyone").check(epsilon=("1/10", 10)),
    "two epsilons": lambda: _pipeline(60, post="sum", secret="everyone").check(from_="ln 3", to="ln 2"),
    "any prior": lambda: _argmax(40).check(from_="ln 3", to="ln 2", any_prior=True),
    "loss": lambda: flow.Pipeline(
        participants=250, values=list(range(6)), perturber="geometric", post="mode", secret="histogram",
        analyst=flow.Analyst(loss="argmax-accuracy", prior="uniform"),
    ).loss("1.2345"),
    "curve": lambda: _argmax(60).loss_curve(("1/10", 10), points=1000),
    "product": lambda: flow.Channel([[Fraction(1, 50)] * 50] * 50).kronecker(flow.Channel([[Fraction(1, 50)] * 50] * 50)),
    "plan": lambda: fractile.plan(
        quantiles=[Fraction(i, 20) for i in range(1, 20)], bounds=(0, 10**6), step=1, epsilon="1/1000", expected_rows=10**6, intervals="0.95"
    ),
    "audit": lambda: fractile.audit("joint-total", values=6, records=5, epsilon=1, quantiles=["1/4", "1/2", "3/4"]),
}


@pytest.mark.parametrize("long", LONG.values(), ids=LONG.keys())
def test_long_computations_hear_signals(long):
    """Without looking, they would hear one signal, at their end."""

    class Heard(BaseException):  # as KeyboardInterrupt: what catches any Exception of an argument lets it pass
        pass

    heard = 0

    def hear(*_):
        nonlocal heard
        heard += 1
        if heard == 4:
            raise Heard

    before = signal.signal(signal.SIGALRM, hear)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        with pytest.raises(Heard):
            long()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("call", [lambda rows: flow.Channel(rows), lambda rows: flow.Channel(rows).rows], ids=["numbers in", "and out"])
def test_no_signal_is_lost_between_python_and_the_library(call):
    """Once, one that came while Fractions were read was forgotten, and one that came while they were returned was a TypeError."""

    class Heard(BaseException):
        pass

    def hear(*_):
        raise Heard

    rows = [[Fraction(1, 40)] * 40] * 40
    start = time.perf_counter()
    call(rows)
    whole = time.perf_counter() - start
    before = signal.signal(signal.SIGALRM, hear)
    try:
        for i in range(100):
            with pytest.raises(Heard):
                signal.setitimer(signal.ITIMER_REAL, whole * (i + 0.5) / 100)
                call(rows)
                time.sleep(10)  # the call ended first
    finally:
        signal.signal(signal.SIGALRM, before)


class Soft(Exception):
    """What a handler raises to end a call, as the time limits of task queues do."""


class Foreign:
    """A cell whose own methods raise what they like."""

    def __init__(self, error):
        self.error = error

    def __index__(self):
        time.sleep(0.001)
        raise self.error

    __str__ = __index__


class Alarm:
    """A cell that sets the alarm when it is read, so that it goes off while the cells behind it are."""

    def __index__(self):
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        return 40

    def __str__(self):
        return str(self.__index__())


def _objects():
    import pandas as pd

    return pd.DataFrame({"x": 1.0, "p": pd.Series([Alarm(), *[Decimal("40.5")] * 400_000], dtype=object)})


SLOW_CELLS = {
    "decimals": lambda: ([Alarm(), *[Decimal("40.5")] * 400_000], {}),
    "cells that fail": lambda: ([Alarm(), *[Foreign(KeyError("31415"))] * 2000], {}),
    "persons": lambda: (_objects(), {"column": "x", "person": "p", "records_per_person": 1}),
}


@pytest.mark.parametrize("cells", SLOW_CELLS)
@pytest.mark.parametrize("raised", [Soft("soft"), ValueError("soft"), SystemExit(3)], ids=lambda raised: type(raised).__name__)
def test_what_a_handler_raises_while_cells_are_read_is_passed_on(cells, raised, tmp_path):
    """Once, a cell became missing, and the release was committed as if nothing had happened."""
    data, named = SLOW_CELLS[cells]()
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1, **{"person": "p", "records_per_person": 1} if named else {})

    def hear(signum, frame):
        signal.signal(signum, signal.SIG_IGN)
        raise raised

    before = signal.signal(signal.SIGALRM, hear)
    try:
        with pytest.raises(type(raised)) as caught:
            fractile.release(data, ledger=ledger, **ASKED, **named)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert caught.value is raised
    assert [entry.state for entry in ledger.entries] == ["reserved"]


@pytest.mark.parametrize("error", [KeyError("31415"), Soft("31415"), OSError("31415"), AttributeError("31415"), NotImplementedError("31415")], ids=repr)
def test_whatever_a_cell_raises_itself_makes_it_unreadable(error, tmp_path):
    ledger = fractile.Ledger(tmp_path / "b.db").init("people", epsilon=1)
    fractile.release([1.0, Foreign(error), 2.0], ledger=ledger, **ASKED)
    assert [entry.state for entry in ledger.entries] == ["committed"]
    with pytest.raises(fractile.DataError, match="row 2, column 'value': not a number"):
        fractile.release([1.0, Foreign(error), 2.0], **ASKED)


def test_the_engine_of_the_package_duckdb(csv):
    environment = {name: value for name, value in os.environ.items() if name != "FRACTILE_DUCKDB"}
    code = """if True:
        import fractile, sys
        released = fractile.release(sys.argv[1], "age", bounds=(0, 125), step=1, epsilon=1, sql="SELECT age FROM input")
        print(released.receipt)
    """
    done = subprocess.run([sys.executable, "-c", code, csv], capture_output=True, text=True, check=True, env=environment)
    assert '"engine": "DuckDB' in done.stdout or '"engine":"DuckDB' in done.stdout


def test_what_brings_the_engine_where_there_is_none(csv):
    """Once, the message said "run ./dev build" to people who had typed pip install."""
    environment = {name: value for name, value in os.environ.items() if name not in ("FRACTILE_DUCKDB", "LD_LIBRARY_PATH")}
    code = """if True:
        import importlib.util, sys
        find = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *more: None if "duckdb" in name else find(name, *more)
        import fractile
        try:
            fractile.release(sys.argv[1], "age", bounds=(0, 125), step=1, epsilon=1, sql="SELECT age FROM input")
        except fractile.UsageError as error:
            print(error.message, error.hint, sep="\\n")
    """
    done = subprocess.run([sys.executable, "-c", code, csv], capture_output=True, text=True, check=True, env=environment)
    if not done.stdout:
        pytest.skip("the system has an engine, which is found")
    message, hint = done.stdout.splitlines()
    assert message == "DuckDB, the engine that reads Parquet, JSON and SQL, was not found"
    command = re.search(r"pip install '(\w+)\[(\w+)\]'", hint)
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(rf'(?m)^name = "{command[1]}"', project)
    assert re.search(rf'(?m)^{command[2]} = \["duckdb', project)


def test_the_program_of_the_package(csv, program):
    environment = {name: value for name, value in os.environ.items() if name != "FRACTILE_DUCKDB"}
    words = ["release", csv, "--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1", "--unsafe-seed", "7"]
    done = subprocess.run([sys.executable, "-m", "fractile", *words], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == program(*words)
    refused = subprocess.run([sys.executable, "-m", "fractile", "release"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("fractile: ")


def test_the_program_ends_when_nobody_reads_on():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "fractile", "release", "--help"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")  # a program ends like this; Python would print an error


def test_importing_loads_no_other_library():
    loaded = "import fractile, sys; print([m for m in ('pandas', 'numpy', 'polars', 'pyarrow', 'duckdb') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_streams_that_fail():
    import pyarrow as pa

    def batches():
        yield pa.RecordBatch.from_pydict({"x": [1, 2]})
        raise ValueError("a broken stream")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())
    with pytest.raises(fractile.DataError, match="stream failed"):
        fractile.release(reader, "x", **ASKED)


def test_memory_that_is_not_to_be_had():
    """The positions of 20 million records take 160 MB."""
    code = """if True:
        import resource
        import fractile
        import numpy as np
        numbers = np.random.default_rng(1).normal(60, 20, 20_000_000)
        lattice = fractile.Lattice(0, 2**40, "0.0001")
        with open("/proc/self/statm", encoding="ascii") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 60_000_000, resource.RLIM_INFINITY))
        for call in (
            lambda: fractile.release(numbers, bounds=(0, 2**40), step="0.0001", epsilon=1),
            lambda: fractile.profile(numbers, lattice=lattice),
        ):
            try:
                call()
            except (fractile.Error, MemoryError) as error:
                print(type(error).__name__, "memory does not suffice" in str(error))
        print(len(fractile.release(numbers[:1000], bounds=(0, 125), step=1, epsilon=1).quantiles))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "DataError True\nMemoryError False\n3\n"), done.stderr


WAITING_FOR_A_LEDGER = """if True:
    import sqlite3, sys, threading, time
    import fractile
    import numpy as np
    ledger = fractile.Ledger(sys.argv[1])
    numbers = np.random.default_rng(1).normal(60, 20, 20_000_000)  # so that it reads for a while after the charge

    class Locked(threading.Thread):
        # Locks the ledger in another thread as soon as it has so many entries.
        def __init__(self, entries):
            super().__init__(daemon=True)
            self.entries, self.has_locked, self.holds = entries, threading.Event(), threading.Event()
        def run(self):
            other = sqlite3.connect(sys.argv[1], isolation_level=None)
            while True:
                other.execute("BEGIN IMMEDIATE")
                if other.execute("SELECT count(*) FROM entries").fetchone()[0] >= self.entries: break
                other.execute("ROLLBACK")
                time.sleep(0.001)
            print("locked", flush=True)
            self.has_locked.set()
            self.holds.wait()
            other.execute("ROLLBACK")

    lock = Locked(int(sys.argv[2]))
    lock.start()
    if lock.entries == 0: lock.has_locked.wait()  # before the release reserves
    try:
        fractile.release(numbers, bounds=(0, 2**40), step="0.0001", epsilon="1/2", ledger=ledger)
    except KeyboardInterrupt as stopped:
        lock.holds.set()
        lock.join()
        notes = getattr(stopped, "__notes__", [""])
        print("stopped", [entry.state for entry in ledger.entries], notes[0], flush=True)
    else:
        print("it ended")
"""


@pytest.mark.parametrize("entries", [0, 1])
def test_an_interruption_while_a_ledger_is_locked(tmp_path, entries):
    """Before and after the charge, an interruption takes effect at once, and its message says what became of the entry."""
    path = str(tmp_path / "b.db")
    fractile.Ledger(path).init("people", epsilon=1)
    run = subprocess.Popen(
        [sys.executable, "-c", WAITING_FOR_A_LEDGER, path, str(entries)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores SIGINT
    )
    assert run.stdout.readline() == "locked\n"
    time.sleep(5 if entries else 1.5)  # by then the release has read its records, or the interruption comes while it reads
    run.send_signal(signal.SIGINT)
    start = time.perf_counter()
    out = run.communicate(timeout=60)[0]
    assert time.perf_counter() - start < 8  # without a signal, it would end after ten seconds
    if sys.version_info < (3, 11):
        return
    if entries:
        assert out.startswith("stopped ['reserved'] "), out
        assert f"epsilon = 1/2 counts as spent: entry 1 of {path} stays reserved" in out
    else:
        assert out.startswith("stopped [] "), out
        assert "is locked by another process; nothing was charged" in out
