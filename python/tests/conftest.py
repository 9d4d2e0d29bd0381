"""Fixtures that the tests share: a table of people, and the program, whose results Python must match."""

import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

import pytest

SEED = 7
REGIONS = ("north", "south", "east")


def program_path():
    return Path(os.environ.get("FRACTILE_CLI", "build/dev/fractile")).resolve()


@pytest.fixture(scope="session")
def people():
    """Columns of 3,000 records of about 1,200 persons, as lists."""
    draw = random.Random(1)
    rows = 3000
    return {
        "age": [draw.randrange(0, 95) for _ in range(rows)],
        "income": [round(draw.lognormvariate(10, 1), 2) for _ in range(rows)],
        "region": [draw.choice(REGIONS) for _ in range(rows)],
        "id": [draw.randrange(0, 1200) for _ in range(rows)],
    }


@pytest.fixture(scope="session")
def csv(people, engine, tmp_path_factory):
    """The same records as a file."""
    path = tmp_path_factory.mktemp("data") / "people.csv"
    lines = [",".join(people)]
    lines += [",".join(map(str, row)) for row in zip(*people.values())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def program():
    """Runs the program, as in program("release", csv, "--column", "age"), and returns its standard output."""
    path = program_path()
    if not path.is_file():
        pytest.skip(f"the program is not here: {path}")

    def run(*words, code=0):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL server for the tests. Tests are skipped where none is installed."""
    tests = Path(__file__).resolve().parents[2] / "tests"
    if not tests.is_dir():
        pytest.skip("no PostgreSQL server is here")
    sys.path.insert(0, str(tests))
    from cli.postgres_server import Server

    try:
        started = Server()
    except unittest.SkipTest as reason:
        pytest.skip(str(reason))
    yield started
    started.close()


@pytest.fixture(scope="session")
def engine():
    """The path of the engine, FRACTILE_DUCKDB, which the program and Python both use."""
    path = os.environ.get("FRACTILE_DUCKDB", "")
    if not path:
        pytest.skip("the engine is not here: FRACTILE_DUCKDB is not set")
    return path
