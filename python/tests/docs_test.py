"""The examples of the documentation and the notebooks run."""

import doctest
import inspect
import runpy
from pathlib import Path

import fractile
import pytest
from fractile import _core, constructors, flow, spark
from fractile._members import attributes

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [fractile, flow, constructors], ids=lambda module: module.__name__)
def test_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried and not failed


def members_of(kind):
    """Public members, and the documentation of each."""
    for name, member in vars(kind).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod, staticmethod)) or kind in SHOWN):
            yield f"{kind.__name__}.{name}", inspect.getdoc(getattr(kind, name))


def fields_of(kind):
    """The fields of named tuples, which have docstrings, and those of data classes, which the class documents."""
    for name in getattr(kind, "_fields", ()):
        yield f"{kind.__name__}.{name}", inspect.getdoc(getattr(kind, name))
    for name in getattr(kind, "__dataclass_fields__", ()):
        yield f"{kind.__name__}.{name}", attributes(kind).get(name)


#: The types of the extension module that users handle.
SHOWN = (_core.Release, _core.Account, _core.Entry, _core.Statement)


def test_everything_says_what_it_is():
    modules = (fractile, flow, constructors, spark)
    named = [getattr(module, name) for module in modules for name in getattr(module, "__all__", vars(module))]
    kinds = [each for each in named if inspect.isclass(each) and each.__module__.startswith("fractile")]
    functions = [(each.__name__, each.__doc__) for each in named if inspect.isfunction(each) and not each.__name__.startswith("_")]
    members = [said for kind in (*kinds, *SHOWN) for said in (*members_of(kind), *fields_of(kind))]
    texts = functions + [(kind.__name__, kind.__doc__) for kind in kinds] + members
    assert len(texts) > 250
    assert [name for name, text in texts if not text or text.startswith("Alias for field")] == []


def test_reprs_say_what_there_is(tmp_path):
    ledger = fractile.Ledger(tmp_path / "people.db").init("people", epsilon=1)
    release = fractile.release([1.0, 2.0], bounds=(0, 9), step=1, epsilon="1/2", ledger=ledger, source="numbers")
    details = repr(release.details)
    assert details.startswith("Release(column=") and "quantiles=3, groups=0, cost='epsilon = 1/2', neighbors='add-remove'" in details
    (account,), (entry,) = ledger.accounts, ledger.entries
    assert repr(account) == (
        "Account(dataset='people', budget='epsilon = 1', spent='epsilon = 1/2', reserved='epsilon = 0', remaining='epsilon = 1/2')"
    )
    assert repr(entry) == f"Entry(id=1, dataset='people', cost='epsilon = 1/2', state='committed', reserved_at='{entry.reserved_at}')"
    assert repr(ledger.statement()) == "Statement(accounts=1, entries=1)"


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
