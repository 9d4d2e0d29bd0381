"""PostgreSQL: Python reads what the program reads there, and both pay from one team's ledger. Skipped where no server is installed."""

import pickle

import fractile
import pytest

ASKED = {"bounds": (0, 125), "step": 1, "epsilon": "1/8"}
WORDS = ["--bounds", "0", "125", "--step", "1", "--epsilon", "1/8", "--format", "json"]


def test_a_query_of_a_server(server, program, people):
    address = server.database("people")
    rows = ", ".join(f"({age})" for age in people["age"])
    server.psql(f"CREATE TABLE people (age int); INSERT INTO people VALUES {rows}; VACUUM people", "people")
    sql = "SELECT age FROM people WHERE age < 90"
    release = fractile.release(column="age", postgres=address, sql=sql, unsafe_seed=7, **ASKED)
    words = ["release", "--postgres", address, "--column", "age", "--sql", sql, "--unsafe-seed", "7"]
    assert release.receipt == program(*words, *WORDS)
    below = [age for age in people["age"] if age < 90]
    assert release.quantiles == fractile.release(below, "age", unsafe_seed=7, **ASKED).quantiles


def test_a_teams_ledger(server, csv, program):
    ledger = fractile.Ledger(server.database("budgets")).init("people", epsilon=1)
    release = fractile.release(csv, "age", ledger=ledger, **ASKED)
    assert program("release", csv, "--column", "age", "--ledger", ledger.path, *WORDS) == release.receipt
    assert [entry.state for entry in ledger.entries] == ["committed"]


def test_a_pickled_release_does_not_hold_the_password(server, csv):
    address = server.database("kept").replace("postgres://postgres@", "postgres://postgres:hunter2@")
    assert "hunter2" in address
    release = fractile.release(csv, "age", ledger=fractile.Ledger(address).init("people", epsilon=1), **ASKED)
    assert b"hunter2" not in pickle.dumps(release)
    assert pickle.loads(pickle.dumps(release))._repr_html_().startswith("<iframe")  # without a note that no ledger paid


def test_without_a_server(program):
    """Python and the program refuse with the same exit code."""
    address = "postgres://ann:sesame@127.0.0.1:1/people"
    with pytest.raises(fractile.Error) as caught:
        fractile.release(column="age", postgres=address, sql="SELECT age FROM people", **ASKED)
    assert "sesame" not in str(caught.value)
    program("release", "--postgres", address, "--column", "age", "--sql", "SELECT age FROM people", *WORDS, code=caught.value.code)
