"""Audits: all small tables and all their neighbors, with exact probabilities."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from . import _core, _words
from ._arguments import suggesting
from ._choices import Audited, Base, Neighbors, Of
from ._members import documented
from ._numbers import Number


@documented
class Audit(NamedTuple):
    """The result of an audit.

    Attributes:
        mechanism: the audited mechanism.
        holds: whether the promise is certified for every pair of neighbors and every output.
        claimed: the promised epsilon, rho or delta, as a decimal.
        attained: the cost of the worst pair of neighbors, as a decimal.
        neighbours: the worst pair.
        pairs: how many pairs of neighbors were compared.
    """

    mechanism: str
    holds: bool
    claimed: str
    attained: str
    neighbours: tuple[str, str]
    pairs: int


@suggesting
def audit(
    mechanism: Audited,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    records: int | None = None,
    values: int | None = None,
    neighbors: Neighbors | None = None,
    claim: Number | None = None,
    quantiles: str | Iterable[Number] | None = None,
    records_per_person: int | None = None,
    base: Base | None = None,
    expected_rows: int | None = None,
    groups: bool = False,
    bounds: tuple[Number, Number] | str | None = None,
    step: Number | None = None,
    bounds_budget: Number | None = None,
    doublings: int | None = None,
    intervals: Number | None = None,
    of: Of | None = None,
    together: bool = False,
) -> Audit:
    """Tries to break a mechanism's promise on all small tables, with exact probabilities, as `fractile audit` does.

    Raises:
        UsageError: the mechanism is not known, or an argument is wrong; or the claim is neither certified nor refuted, which happens at
            extremely small and large budgets.
    """
    found = json.loads(_core.audit(_words.words(dict(locals()))))
    return Audit(
        found["mechanism"], found["holds"], str(found["claimed"]), str(found["attained"]), tuple(found["neighbours"]), found["pairs"]
    )
