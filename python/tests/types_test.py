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
    """To write the stubs anew: python -m nanobind.stubgen -m fractile._core -o python/fractile/_core.pyi"""
    pytest.importorskip("nanobind")
    done = run("nanobind.stubgen", "-q", "-m", "fractile._core", "-o", str(tmp_path / "_core.pyi"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "_core.pyi").read_text() == (PACKAGE / "_core.pyi").read_text()


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    done = run("mypy", "--strict", "--no-incremental", f"--config-file={CONFIG}", str(PACKAGE), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_pyright(tmp_path):
    pytest.importorskip("pyright")
    done = run("pyright", "--pythonpath", sys.executable, str(PACKAGE), cwd=tmp_path)
    if "npm" in done.stderr and done.returncode != 0 and "error" not in done.stdout:
        pytest.skip("pyright cannot fetch its own program here")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_says_that_it_is_typed():
    assert (Path(fractile.__file__).parent / "py.typed").exists()
