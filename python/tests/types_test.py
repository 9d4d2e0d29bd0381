"""The package is typed: its stubs match the module, and mypy and pyright find no errors."""

import os
import subprocess
import sys
from pathlib import Path

import fractile
import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "fractile"


FOUND = os.environ | {"PYTHONPATH": str(Path(fractile.__file__).absolute().parents[1])}
CONFIG = PACKAGE.parents[1] / "pyproject.toml"


def run(*words, cwd):
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=cwd, check=False, env=FOUND)


def test_stubs_are_golden(tmp_path):
    """To write the stubs anew: python -m nanobind.stubgen -D -m fractile._core -o python/fractile/_core.pyi"""
    pytest.importorskip("nanobind")
    done = run("nanobind.stubgen", "-q", "-D", "-m", "fractile._core", "-o", str(tmp_path / "_core.pyi"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "_core.pyi").read_text() == (PACKAGE / "_core.pyi").read_text()


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    done = run("mypy", "--strict", "--no-incremental", f"--config-file={CONFIG}", str(PACKAGE), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


#: What users write, and its types.
USED = """
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any
import fractile
from typing_extensions import assert_type

def of_a_release(r: fractile.Release, data: Any, lattice: fractile.Lattice, by: None, file: bytearray) -> None:
    value: fractile.Value = r["median"]
    half: fractile.Value = r["1/2"]
    assert_type(r[0.5], fractile.Value)
    assert_type(r["north", "f"], fractile.Group)
    assert_type(r["north", "f"][0.5], fractile.Value)
    group: fractile.Group = r["north"]
    fractile.release(data, below=5, missing=[Decimal(1), "NA", -9], epsilon=1)
    fractile.release(data, below=[5, "6"], epsilon=1)
    fractile.plan(below=5, epsilon=1)
    if r.statistics is not None:
        assert_type(r.statistics.below[65], fractile.Below)
        assert_type(r.statistics.below[Decimal("0.5")], fractile.Below)
    assert_type(fractile.profile(data, lattice=lattice, missing=[Decimal(1)]), fractile.Profile)
    assert_type(fractile.profile(data, lattice=lattice, by=None, keys=None), fractile.Profile)
    assert_type(fractile.profile(data, lattice=lattice, by=by), fractile.Profile)
    fractile.profile(data, lattice=lattice, by="region", keys=["north"])["north"].merge(fractile.Profile.from_bytes(file))

def of_a_publication(p: fractile.PublishedTables) -> None:
    marks: dict[Fraction, str] = p["a"].level("region")["north"].marks
    assert_type(p["a"]["region", "sex"]["north", "f"].marks, dict[Fraction, str])
    assert_type(p["a"][()][0.5], fractile.Value)
"""


def test_what_users_write_is_typed(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "used.py").write_text(USED, encoding="utf-8")
    done = run("mypy", "--strict", "--no-incremental", f"--config-file={CONFIG}", "used.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_pyright(tmp_path):
    pytest.importorskip("pyright")
    done = run("pyright", "--pythonpath", sys.executable, str(PACKAGE), cwd=tmp_path)
    if "npm" in done.stderr and done.returncode != 0 and "error" not in done.stdout:
        pytest.skip("pyright cannot fetch its own program here")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_says_that_it_is_typed():
    assert (Path(fractile.__file__).parent / "py.typed").exists()
