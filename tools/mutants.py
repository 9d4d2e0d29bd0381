#!/usr/bin/env python3
"""Mutants: mistakes that the tests must catch, each a patch in tests/mutants/. Run by `./dev mutants`.

    mutants.py [--jobs N] [FILTER...]
                             applies each patch whose name contains a FILTER (default: all) to a copy of the tracked tree,
                             builds it, and runs the tests that the patch names: at least one must fail. N copies (default: 1)
                             share the patches, and each copy is built with its share of the cores
    mutants.py --check       checks that all patches are well-formed and still apply, and that the tests that they name exist;
                             builds nothing

A patch begins with a sentence that describes the mistake. The tests that catch it follow, one per line, in the order in which
they are tried:

    Fails: gtest-filter            of fractile_tests, or of host_tests where it begins with "Host"
    Fails: cli.NAME_test[.CASE]    a program test, as unittest names it
    Fails: python.NAME_test[.CASE] a test of the Python package, in python/tests

The copies and their builds stay in build/mutants, build/mutants-2, ..., so that a second run builds only what changed. Before any mutant is
applied, the named tests must pass on the unchanged tree. A table on standard output says which test caught each mutant. The exit code is 0
if all were caught.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import fnmatch
import itertools
import os
import queue
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
FOLDER = "tests/mutants"
TIMEOUT = 300  # seconds for one run of tests

_FAILS = re.compile(r"^Fails: (\S+)$")
PYTHON = Path("build/deps/python/bin/python")  # the Python in which ./dev test runs the tests of the package

_PROGRAM_TEST = re.compile(r"cli\.\w+_test(\.\w+){0,2}")
_PYTHON_TEST = re.compile(r"python\.\w+_test(\.\w+)?")
#: The programs of unit tests: {target: path in the build folder}.
PROGRAMS = {"fractile_tests": "fractile_tests", "host_tests": "tests/host_tests"}
_UNIT_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)


class Rotten(Exception):
    """A patch that is not a mutant; it must be fixed or removed."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    mistake: str
    tests: tuple
    patch: Path

    @classmethod
    def read(cls, path):
        header, separator, diff = path.read_text(encoding="utf-8").partition("\n--- a/")
        tests = [match[1] for line in header.splitlines() if (match := _FAILS.match(line))]
        mistake = " ".join(line for line in header.splitlines() if line and not line.startswith("Fails:"))
        if not separator or "\n+++ b/" not in diff:
            raise Rotten(f"{path.name}: holds no unified diff with the prefixes a/ and b/")
        if not mistake.endswith("."):
            raise Rotten(f"{path.name}: does not begin with a sentence that says what the mistake is")
        if not tests:
            raise Rotten(f"{path.name}: names no test; write a line 'Fails: ...' for each")
        return cls(path.stem, mistake, tuple(tests), path)

    def files(self):
        """The files that the patch changes."""
        return tuple(re.findall(r"^\+\+\+ b/(\S+)$", self.patch.read_text(encoding="utf-8"), re.MULTILINE))


def read_all(folder, filters=()):
    """All mutants, sorted by file, so that a file is built only once between two of its mutants."""
    mutants = [Mutant.read(path) for path in sorted(folder.glob("*.patch"))]
    chosen = [mutant for mutant in mutants if not filters or any(part in mutant.name for part in filters)]
    return sorted(chosen, key=lambda mutant: (mutant.files(), mutant.name))


def apply(mutant, tree, *options):
    """Applies the patch to the tree, which may or may not be part of a git repository."""
    command = ["git", "apply", *options, str(mutant.patch)]
    surroundings = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.resolve().parent)}
    done = subprocess.run(command, cwd=tree, env=surroundings, capture_output=True, text=True)
    if done.returncode != 0:
        raise Rotten(f"{mutant.name}: no longer applies: {done.stderr.strip().splitlines()[0]}")


def unit_tests(house):
    """The names of all unit tests, without those of their instances: Suite.Name."""
    folders = ("src", "experiments", "requests", "tests/host")
    sources = [path for folder in folders for path in (house / folder).rglob("*_test.cpp")]
    return {".".join(names) for path in sources for names in _UNIT_TEST.findall(path.read_text(encoding="utf-8"))}


def is_there(test, house, known):
    """Whether a patch may name this test; `known` holds the names of all unit tests."""
    if is_program_test(test) or is_python_test(test):
        _, module, *names = test.split(".")
        folder = house / "tests" / "cli" if is_program_test(test) else house / "python" / "tests"
        source = folder / f"{module}.py"
        text = source.read_text(encoding="utf-8") if source.is_file() else ""
        return bool(text) and all(re.search(rf"^ *(class|def) {name}\b", text, re.MULTILINE) for name in names)
    # "SQLite/Suite.Name/*" is an instance of Suite.Name; tests after a minus are left out.
    patterns = [re.sub(r"^\w+/|/[^/]*$", "", pattern) for pattern in test.partition("-")[0].split(":")]
    return all(fnmatch.filter(known, pattern) for pattern in patterns)


def check(house):
    """The faults of the patches, one line each."""
    complaints = []
    known = unit_tests(house)
    for path in sorted((house / FOLDER).glob("*.patch")):
        try:
            mutant = Mutant.read(path)
            apply(mutant, house, "--check")
        except Rotten as rotten:
            complaints.append(str(rotten))
            continue
        complaints += [f"{mutant.name}: there is no test {test}" for test in mutant.tests if not is_there(test, house, known)]
    return complaints


class Tree:
    """A copy of the tracked files, in which mistakes are made and unmade."""

    def __init__(self, house, folder):
        self.house = house
        self.folder = folder
        self.changed = set()

    def refresh(self):
        """Makes the copy equal to the tracked tree. A file that is equal already keeps its time, so it is not built again."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=self.house, check=True, capture_output=True, text=True).stdout
        tracked = {name for name in listed.split("\0") if name and (self.house / name).is_file()}
        for name in sorted(tracked):
            self._copy(name)
        for path in self.folder.rglob("*"):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not name.startswith("build/") and name not in tracked:
                path.unlink()

    def mutate(self, mutant):
        self.restore()
        apply(mutant, self.folder)
        self.changed = set(mutant.files())

    def restore(self):
        for name in self.changed:
            self._copy(name)
        self.changed = set()

    def _copy(self, name):
        source, target = self.house / name, self.folder / name
        content = source.read_bytes()
        if target.is_file() and target.read_bytes() == content:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(source.stat().st_mode & 0o777)


@dataclasses.dataclass(frozen=True)
class Outcome:
    passed: bool
    said: str


class Build:
    """A tree's unit tests, its program and its Python package."""

    def __init__(self, tree, log, python=HOUSE / PYTHON, cores=os.cpu_count() or 1):
        self.tree = tree
        self.log = log
        self.cores = cores
        self.folder = tree / "build" / "mutants"
        self.python = python

    def configure(self):
        options = ["-DFRACTILE_PYTHON=ON", f"-DPython_EXECUTABLE={self.python}"] if self.python.is_file() else []
        self._run(["cmake", "--preset", "mutants", *options], "does not configure")

    def make(self, tests):
        targets = set()
        for test in tests:
            if is_python_test(test):
                targets |= {"fractile_core", "fractile_cli"}
            elif is_program_test(test):
                targets |= {"fractile_cli", "stop_at_call"}  # cli.kills needs stop_at_call
            else:
                targets.add(program_of(test))
        self._run(["cmake", "--build", str(self.folder), "--parallel", str(self.cores), "--target", *sorted(targets)], "does not compile")

    def run(self, test):
        if is_python_test(test):
            return self._run_python_test(test)
        return self._run_program_test(test) if is_program_test(test) else self._run_unit_tests(test)

    def _run_unit_tests(self, gtest_filter):
        said, code = self._outcome(
            [str(self.folder / PROGRAMS[program_of(gtest_filter)]), f"--gtest_filter={gtest_filter}", "--gtest_fail_fast", "--gtest_brief=1"],
            self.tree,
        )
        if "Running 0 tests" in said or re.search(r"\[==========\] 0 tests", said):
            raise Rotten(f"there is no test {gtest_filter}")
        return Outcome(code == 0, first_failure(said, r"\[  FAILED  \] ([\w./]+)", code))

    def _run_program_test(self, name):
        surroundings = {
            "FRACTILE_CLI": str(self.folder / "fractile"),
            "FRACTILE_STOP_AT_CALL": str(self.folder / "tests" / "stop_at_call"),
            "FRACTILE_SANITIZE": "",
            "FRACTILE_DATA": os.environ.get("FRACTILE_DATA", str(HOUSE.parent / "shared" / "data")),
        }
        command = [sys.executable, "-B", "-m", "unittest", "--failfast", name]
        said, code = self._outcome(command, self.tree / "tests", surroundings)
        if "skipped" in said or "Ran 0 tests" in said or "unittest.loader" in said:
            raise Rotten(f"{name} cannot be run here: {said.strip().splitlines()[-1]}")
        return Outcome(code == 0, first_failure(said, r"^(?:FAIL|ERROR): (\w+)", code))

    def _run_python_test(self, name):
        if not self.python.is_file():
            raise Rotten(f"{name} cannot be run here: ./dev test makes its Python")
        _, module, *case = name.split(".")
        surroundings = {"PYTHONPATH": str(self.folder / "python"), "FRACTILE_CLI": str(self.folder / "fractile")}
        where = "::".join([f"python/tests/{module}.py", *case])
        # pyproject.toml's options are overridden: twice quiet, pytest would not say how many tests it ran.
        options = ["-x", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
        said, code = self._outcome([str(self.python), "-B", "-m", "pytest", *options, where], self.tree, surroundings)
        if code not in (0, 1) or " passed" not in said and " failed" not in said and " error" not in said:
            raise Rotten(f"{name} cannot be run here: {(said.strip().splitlines() or ['exit code ' + str(code)])[-1]}")
        return Outcome(code == 0, first_failure(said, r"^(?:FAILED|ERROR) \S+::(\w+)", code))

    def _outcome(self, command, folder, surroundings=None):
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, **(surroundings or {})},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            raise Rotten(f"{' '.join(command)} took longer than {TIMEOUT} s") from None
        said = done.stdout.decode("utf-8", "replace")
        self.log.write(f"$ {' '.join(command)}\n{said}\n")
        return said, done.returncode

    def _run(self, command, complaint):
        done = subprocess.run(command, cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.log.write(f"$ {' '.join(command)}\n{done.stdout.decode('utf-8', 'replace')}\n")
        self.log.flush()
        if done.returncode != 0:
            raise Rotten(f"{complaint}; see {self.log.name}")


def program_of(test):
    """The target of a unit test."""
    return "host_tests" if test.startswith("Host") else "fractile_tests"


def is_program_test(test):
    return _PROGRAM_TEST.fullmatch(test) is not None


def is_python_test(test):
    return _PYTHON_TEST.fullmatch(test) is not None


def first_failure(said, pattern, code):
    """The name of the first test that failed."""
    match = re.search(pattern, said, re.MULTILINE)
    if match:
        return match[1]
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def catch(mutant, tree, build):
    """The test that catches the mutant, or None. Raises Rotten if this cannot be decided."""
    tree.mutate(mutant)
    build.make(mutant.tests)
    for test in mutant.tests:
        outcome = build.run(test)
        if not outcome.passed:
            return outcome.said
    return None


@dataclasses.dataclass(frozen=True)
class Copy:
    """One of the copies that share the work."""

    tree: Tree
    build: Build

    def require_sound(self, tests):
        """Requires that without any mistake, these tests pass."""
        self.build.make(tests)
        for test in tests:
            outcome = self.build.run(test)
            if not outcome.passed:
                raise Rotten(f"{test} fails without any mistake: {outcome.said}")


def in_turn(copies, work, tasks):
    """Calls work(copy, task) for all tasks, each on the copy that is free first. After an exception no further task begins."""
    waiting = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def until_done(copy):
        with contextlib.suppress(queue.Empty):
            while True:
                work(copy, waiting.get_nowait())

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        try:
            for ended in concurrent.futures.as_completed([pool.submit(until_done, copy) for copy in copies]):
                ended.result()
        except BaseException:
            with contextlib.suppress(queue.Empty):
                while True:
                    waiting.get_nowait()
            raise


def require_sound(mutants, copies):
    """Requires that without any mistake, all named tests pass."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    shares = [tests[number :: len(copies)] for number in range(min(len(copies), len(tests)))]
    in_turn(copies, Copy.require_sound, shares)


def copy_of_the_house(number, jobs, logs):
    """The copy of this number, counted from 1, configured to be built. Its log is closed with `logs`."""
    tree = Tree(HOUSE, HOUSE / "build" / ("mutants" if number == 1 else f"mutants-{number}"))
    tree.refresh()
    (tree.folder / "build").mkdir(exist_ok=True)
    log = logs.enter_context(open(tree.folder / "build" / "mutants.log", "w", encoding="utf-8"))
    build = Build(tree.folder, log, cores=max(1, (os.cpu_count() or 1) // jobs))
    build.configure()
    return Copy(tree, build)


def say(text):
    print(f"mutants: {text}", file=sys.stderr, flush=True)


def run_all(mutants, copies):
    """Prints one line per mutant, and returns whether all were caught."""
    width = max(len(mutant.name) for mutant in mutants)
    numbers = itertools.count(1)
    survivors, rotten = [], []

    def run(copy, of_one_file):
        for mutant in of_one_file:
            say(f"{next(numbers)} of {len(mutants)}: {mutant.name}")
            began = time.monotonic()
            try:
                caught_by = catch(mutant, copy.tree, copy.build)
            except Rotten as reason:
                rotten.append(mutant)
                verdict = f"ROTTEN: {reason}"
            else:
                verdict = f"caught by {caught_by}" if caught_by else "SURVIVED"
                if not caught_by:
                    survivors.append(mutant)
            print(f"{mutant.name:<{width}}  {time.monotonic() - began:6.1f} s  {verdict}\n", end="", flush=True)

    in_turn(copies, run, [list(same) for _, same in itertools.groupby(mutants, Mutant.files)])
    for copy in copies:
        copy.tree.restore()
    for mutant in survivors:
        print(f"survived: {mutant.name}: {mutant.mistake}")
    caught = len(mutants) - len(survivors) - len(rotten)
    print(f"{caught} caught, {len(survivors)} survived" + (f", {len(rotten)} rotten" if rotten else ""))
    return caught == len(mutants)


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev mutants", description="Mistakes that the tests must catch.")
    parser.add_argument("filters", nargs="*", metavar="FILTER", help="a part of the names of the mutants to try")
    parser.add_argument("--jobs", type=int, default=1, choices=range(1, 65), metavar="N", help="copies of the tree that share the mutants (default: 1)")
    parser.add_argument("--check", action="store_true", help="only check that all patches still apply and name tests that are there")
    asked = parser.parse_args(arguments)

    if not shutil.which("git"):
        say("git is not here")
        return 1
    complaints = check(HOUSE)
    if asked.check or complaints:
        for complaint in complaints:
            say(complaint)
        return 1 if complaints else 0
    mutants = read_all(HOUSE / FOLDER, asked.filters)
    if not mutants:
        say(f"no patch in {FOLDER} has a name with {' or '.join(asked.filters)}")
        return 2

    with contextlib.ExitStack() as logs:
        try:
            copies = [copy_of_the_house(number, asked.jobs, logs) for number in range(1, asked.jobs + 1)]
            say("building the tree as it is, and running the named tests on it")
            require_sound(mutants, copies)
        except Rotten as reason:
            say(str(reason))
            return 1
        return 0 if run_all(mutants, copies) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
