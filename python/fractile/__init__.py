"""Quantiles of sensitive data with exact differential privacy.

>>> import fractile
>>> r = fractile.release([34.0, 51.0, 28.0, 47.0], bounds=(0, 125), step=1, epsilon=1, unsafe_seed=1)  # unsafe: for the example
>>> len(r.quantiles)
3
"""

from . import _interpreter, flow
from ._audit import Audit, audit
from ._columns import Column, columns
from ._core import version as __version__
from ._counts import count, merge
from ._errors import BudgetError, CanceledError, DataError, Error, FractileWarning, InternalError, LedgerError, UsageError
from ._ledger import Ledger
from ._numbers import Number
from ._plan import Plan, PlannedQuantile, plan
from ._profile import Lattice, Profile, profile, profile_of_counts
from ._publication import PublicationPlan, PublishedCell, PublishedLevel, PublishedTable, PublishedTables, publish
from ._release import (
    Below,
    Charge,
    Comparison,
    Count,
    Estimate,
    Group,
    Interval,
    Ratio,
    Release,
    Spent,
    Statistics,
    Value,
    release,
)

read_receipt = Release.read

__all__ = [
    "Audit",
    "Below",
    "BudgetError",
    "CanceledError",
    "Charge",
    "Column",
    "Comparison",
    "Count",
    "DataError",
    "Error",
    "Estimate",
    "FractileWarning",
    "Group",
    "InternalError",
    "Interval",
    "Lattice",
    "Ledger",
    "LedgerError",
    "Number",
    "Plan",
    "PlannedQuantile",
    "Profile",
    "PublicationPlan",
    "PublishedCell",
    "PublishedLevel",
    "PublishedTable",
    "PublishedTables",
    "Ratio",
    "Release",
    "Spent",
    "Statistics",
    "UsageError",
    "Value",
    "__version__",
    "audit",
    "columns",
    "count",
    "flow",
    "merge",
    "plan",
    "profile",
    "profile_of_counts",
    "publish",
    "read_receipt",
    "release",
]
