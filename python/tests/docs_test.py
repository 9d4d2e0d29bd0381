"""The examples of the documentation and the notebooks run."""

import doctest
import runpy
from pathlib import Path

import fractile
import pytest
from fractile import constructors, flow

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [fractile, flow, constructors], ids=lambda module: module.__name__)
def test_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried and not failed


@pytest.mark.parametrize("page", ["docs/python.md"])
def test_pages(page):
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried and not failed


@pytest.mark.parametrize("notebook", sorted((ROOT / "examples" / "notebooks").glob("*.py")), ids=lambda path: path.stem)
def test_notebooks(notebook, capsys):
    assert notebook.read_text(encoding="utf-8").startswith("# %% [markdown]\n# # ")
    runpy.run_path(str(notebook))
    capsys.readouterr()


def test_there_are_three_notebooks():
    assert len(list((ROOT / "examples" / "notebooks").glob("*.py"))) == 3
