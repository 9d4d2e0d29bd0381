"""Runs the command line as a process for the tests of this folder, and checks what they require of every refusal."""

import bz2
import contextlib
import ctypes
import dataclasses
import gzip
import lzma
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("FRACTILE_CLI", HOUSE / "build" / "dev" / "fractile")).resolve()
DATA = Path(os.environ.get("FRACTILE_DATA", HOUSE.parent / "shared" / "data"))
EFFORT = float(os.environ.get("FRACTILE_TEST_EFFORT", "1"))  # how often to repeat, as in the C++ tests
if not 0 < EFFORT < float("inf"):
    raise ValueError(f"FRACTILE_TEST_EFFORT must be a number above 0, not {EFFORT}")

NOBODY = 65534
LONG_LINE = 100  # for help texts and tables
PROGRESS = re.compile(r"(?m)^fractile: still working on .*\n")  # the number of these lines depends on the machine
# Warnings because few rows were declared or counted.
NOISE = re.compile(r"fractile: warning: with this budget (?:the(?:se)? values (?:of \d+ of \d+ groups )?are mostly noise"
                   r"|the released counts of \d+ of \d+ groups do not rule out that there is no record|intervals (?:of \d+ of \d+ groups )?may end only at the ends of the range)[^\n]*\n  [^\n]*\n")
QUERY = {"column": "x", "bounds": ("0", "10"), "step": "1", "epsilon": "1"}


@dataclasses.dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def run(*arguments, stdin=b"", **how):
    """Runs the program. `how` holds arguments of subprocess.run."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120, **how}
    done = subprocess.run([PROGRAM, *arguments], input=stdin, **how)
    return Result(done.returncode, text_of(done.stdout), PROGRESS.sub("", text_of(done.stderr)))


def write_long_column(path):
    """Writes a table that one thread reads for more than half a second. It is written in pieces, because this process's peak memory counts
    in its children's."""
    with path.open("wb") as file:
        file.write(b"x\n")
        for _ in range(30):
            file.write(b"7\n" * 1_000_000)


def start(*arguments, **how):
    """Starts the program. `how` holds arguments of subprocess.Popen."""
    return subprocess.Popen([PROGRAM, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how})


def stop_when(process, is_so):
    """Stops the process until SIGCONT once is_so(). Until then it runs in short turns and is stopped while is_so() looks: so it comes no
    further between two looks on a busy machine. Fails if it is done before."""
    while True:
        stop(process)
        if is_so():
            return
        assert process.poll() is None, "it was done before it could be stopped"
        process.send_signal(signal.SIGCONT)
        time.sleep(0.005)


def stop(process):
    """Stops the process until SIGCONT, at a moment when it locks no file."""
    process.send_signal(signal.SIGSTOP)
    while holds_locks(process):
        process.send_signal(signal.SIGCONT)
        time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)


def await_handler(process, number):
    """Waits until the process handles this signal itself: then it is about to reserve."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            if int(re.search(r"SigCgt:\s*(\w+)", status.read())[1], 16) >> (number - 1) & 1:
                return
        time.sleep(0.01)
    raise AssertionError("it does not come to reserve")


def holds_locks(process):
    time.sleep(0.002)  # wait until it has stopped
    return any(line.split()[-4] == str(process.pid) for line in Path("/proc/locks").read_text(encoding="ascii").splitlines())


def set_niceness(process, niceness):
    """Sets the niceness of all threads of the process. Lowering it requires a privilege."""
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)


class WarmProgram:
    """The program, loaded once for tests that run it thousands of times. Each run is still a separate process."""

    def __init__(self, folder):
        self.folder = Path(folder)
        warm = os.environ.get("FRACTILE_WARM_PROGRAM")
        is_here = warm is not None and Path(warm).exists()
        self._process = subprocess.Popen([warm], stdin=subprocess.PIPE, stdout=subprocess.PIPE) if is_here else None

    def run(self, *arguments):
        """Does what run() does, in the folder."""
        if self._process is None:
            return run(*arguments, cwd=self.folder)
        out, err = self.folder / "stdout", self.folder / "stderr"
        lines = [self.folder, out, err, len(arguments), *arguments]
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Result(code, text_of(out.read_bytes()), PROGRESS.sub("", text_of(err.read_bytes())))

    def close(self):
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()


def one_processor():
    """For preexec_fn of processes that should only take time: they get one processor, and other tests keep the rest."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def text_of(output):
    return (output or b"").decode("utf-8")


def options(usual=QUERY, /, **changes):
    """The command-line options of a valid query with these changes. None leaves an option out, and True makes a flag."""
    words = []
    for name, value in {**usual, **changes}.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            words.append(name)
        elif value is not None:
            words += [name, *([value] if isinstance(value, str) else value)]
    return words


def require_engine():
    """Skips the tests without the engine. For setUpModule."""
    probe = run("release", "-", *options(sql="FROM input"), stdin=b"x\n1\n")
    if probe.code != 0:
        raise unittest.SkipTest("the engine is not here: set FRACTILE_DUCKDB to the path of libduckdb; " + probe.err)


def require_data(name):
    path = DATA / name
    if not path.exists():
        raise unittest.SkipTest(f"the data sets are not here: set FRACTILE_DATA to the folder of {name}")
    return path


class CommandTest(unittest.TestCase):
    """Each test has a temporary folder, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        target = self.folder / name
        if isinstance(content, str):
            content = content.encode("utf-8")
        target.write_bytes(content)
        return name

    def content(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def run_release(self, *arguments, how=None, stdin=b"", **changes):
        """`fractile release ARGUMENTS`, with options(**changes), in this test's folder."""
        return run("release", *arguments, *options(**changes), stdin=stdin, cwd=self.folder, **(how or {}))

    def of(self, *arguments, code=0, **how):
        """The output of a command that must succeed in this test's folder, with nothing on standard error."""
        result = run(*arguments, cwd=self.folder, **how)
        self.assertEqual((result.code, result.err), (code, ""))
        return result.out

    def release(self, *arguments, warning="", **changes):
        """The published values, as text, of a release that must succeed, with only `warning` on standard error."""
        result = self.run_release(*arguments, **changes)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(NOISE.sub("", result.err), rf"\A{warning}\Z")
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split(",")[:2], ["quantile", "value"])
        return [line.split(",")[1] for line in lines[1:]]

    def sure_release(self, *arguments, **changes):
        """Calls release() with an epsilon so large that the values are the true quantiles, except for one time in e^100."""
        warning = r"fractile: warning: an epsilon above 20 promises next to nothing\n  [^\n]*\n"
        return self.release(*arguments, warning=warning, **{**changes, "epsilon": "1000"})

    def assert_refused(self, result, code, *parts, secrets=()):
        """Requires this exit code, an empty standard output, and on standard error one line with the fault and one with a hint."""
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, r"\Afractile: [^\n]+\n  [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, result.err)
        for secret in secrets:
            self.assertNotIn(secret, result.err)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def as_nobody(self):
        """Arguments of run() without root's rights: none, or another user if this one is root."""
        if os.geteuid() != 0:
            return {}
        how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        os.chmod(self.folder, 0o755)
        try:
            if run("--version", **how).code == 0:
                return how
        except OSError:
            pass
        self.skipTest("running as root, and nobody may not run the program")
        return None


def zstd_stored(text):
    """A zstd frame (RFC 8878) of uncompressed blocks, because Python cannot write zstd."""
    most = 2**17
    blocks = [text[at:at + most] for at in range(0, len(text), most)] or [b""]
    heads = [(len(block) * 8 + (k == len(blocks) - 1)).to_bytes(3, "little") for k, block in enumerate(blocks)]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(head + block for head, block in zip(heads, blocks, strict=True))


# {suffix of a file's name: function that packs bytes}
PACKED = {"gz": lambda text: gzip.compress(text, mtime=0), "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd_stored}


class Engine:
    """DuckDB through its C interface, for writing files that Python cannot write."""

    def __init__(self):
        name = os.environ.get("FRACTILE_DUCKDB") or PROGRAM.parent / "libduckdb.so"
        try:
            self._library = ctypes.CDLL(str(name))
        except OSError as missing:
            raise unittest.SkipTest(f"cannot write Parquet without FRACTILE_DUCKDB: {missing}") from missing
        database = ctypes.c_void_p()
        self._connection = ctypes.c_void_p()
        assert self._library.duckdb_open(None, ctypes.byref(database)) == 0
        assert self._library.duckdb_connect(database, ctypes.byref(self._connection)) == 0

    def run(self, sql):
        if self._library.duckdb_query(self._connection, sql.encode("utf-8"), None) != 0:
            raise AssertionError(f"DuckDB refuses {sql}")

    def write_parquet(self, path, select):
        self.run(f"COPY ({select}) TO '{path}' (FORMAT parquet)")


def help_commands(text):
    """The lines of a help text that call the program, with continued lines joined."""
    joined = re.sub(r"\\\n *", "", text)
    return [line.strip() for line in joined.splitlines() if re.match(r"  fractile .*\.csv", line)]
