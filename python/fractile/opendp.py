"""A release as a measurement of OpenDP, to be composed and chained there. `pip install 'fractile[opendp]'`.

>>> import opendp.prelude as dp
>>> import fractile.opendp
>>> dp.enable_features("contrib", "honest-but-curious")
>>> median = fractile.opendp.measurement(bounds=(0, 125), step=1, quantiles="median", epsilon="1/2")
>>> median.map(1), median.map(3)
(0.5, 1.5)
>>> 0 <= median([34.0, 51.0, 28.0, 47.0] * 100)[0.5] <= 125
True
"""

from __future__ import annotations

import json
import math
import warnings
from array import array
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import Any

from . import _numbers
from ._choices import Base, Mechanism, Quantiles, Rates
from ._errors import FractileWarning, UsageError
from ._numbers import Number
from ._release import Release, release

try:
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_user_measurement
    from opendp.measures import max_divergence, zero_concentrated_divergence
    from opendp.metrics import symmetric_distance
    from opendp.mod import Domain, Measurement
except ImportError as missing:
    raise ImportError("fractile.opendp needs the package opendp: pip install 'fractile[opendp]'") from missing

__all__ = ["measurement"]

# The context for logarithms. Its least exponent keeps numbers close to zero from having a million digits.
_NEAR, _ABOVE, _BELOW = (
    Context(prec=50, Emin=-99, rounding=rounding) for rounding in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR)
)


def _logarithm_up(argument: Fraction) -> Fraction:
    """An upper bound of ln(argument), hardly above it, for arguments of at least 1."""
    # Decimal.ln is correctly rounded to the nearest number, so the next number up is an upper bound.
    above = _NEAR.next_plus(_NEAR.ln(_ABOVE.create_decimal(argument.numerator)))
    below = _NEAR.next_minus(_NEAR.ln(_BELOW.create_decimal(argument.denominator)))
    return Fraction(above) - Fraction(below)


def _exact_up(cost: str) -> Fraction:
    """An upper bound of a cost, as receipts write it: "1/2", "ln 7/2" or "2/3 ln 7/2". Equal to the cost if there is no logarithm."""
    coefficient, logarithm, argument = cost.partition("ln ")
    factor = Fraction(coefficient.strip() or 1)
    return factor * _logarithm_up(Fraction(argument)) if logarithm else factor


def _float_up(exact: Fraction) -> float:
    """The least float that is at least this number, which must not be negative."""
    try:
        near = float(exact)
    except OverflowError:
        return math.inf
    return near if math.isinf(near) or Fraction(near) >= exact else math.nextafter(near, math.inf)


def measurement(
    *,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    candidates: Iterable[Number] | None = None,
    quantiles: Quantiles | Iterable[Number] | None = None,
    synthetic_rows: int | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    input_domain: Domain | None = None,
    mechanism: Mechanism | None = None,
    expected_rows: int | None = None,
    no_interpolation: bool = False,
    base: Base | None = None,
    rates: Rates | None = None,
) -> Measurement:
    """A release as a user-defined measurement of OpenDP, from a list of records to a `fractile.Release`.

    The metric is SymmetricDistance: d_in records are added or removed. With epsilon, the measure is MaxDivergence, and d_in records cost
    d_in epsilon; with rho, it is ZeroConcentratedDivergence, and they cost d_in^2 rho. The map is rounded up to a float, never down. It
    holds for every d_in, so there is no `records_per_person`. (docs/proofs/constructors.md, claim 9)

    Args:
        input_domain: vectors of f64 or i64, for chaining with a previous transformation; vectors of f64 by default. NaN is left out.

    The other arguments are those of `fractile.release`. There is no ledger, because OpenDP expects measurements without side effects and
    adds up what is spent itself. Call `dp.enable_features("contrib", "honest-but-curious")` first.

    Raises:
        UsageError: an argument is wrong.
        opendp.mod.OpenDPException: the features are not enabled.
    """
    domain = vector_domain(atom_domain(T="f64", nan=True)) if input_domain is None else input_domain
    if not isinstance(domain, Domain):
        what = f"input_domain: a Domain is expected, not {type(domain).__name__}"
        raise UsageError(what, "give a vector domain of f64 or i64", "input_domain")
    code = {"Vec<f64>": "d", "Vec<i64>": "q"}.get(str(domain.carrier_type))
    if code is None:
        raise UsageError(
            f"input_domain: {domain.carrier_type} is not supported", "give a vector domain of f64 or i64", "input_domain"
        )
    if isinstance(bounds, str):
        raise UsageError("bounds: bounds cannot be searched for here", "write bounds=(0, 125)", "bounds")
    options: dict[str, Any] = {
        "bounds": bounds, "step": step, "candidates": candidates, "quantiles": quantiles, "synthetic_rows": synthetic_rows,
        "epsilon": epsilon, "rho": rho, "mechanism": mechanism, "expected_rows": expected_rows,
        "no_interpolation": no_interpolation, "base": base, "rates": rates,
    }  # fmt: skip
    for name in ("bounds", "candidates", "quantiles"):  # each release reads these again
        items = _numbers.items_of(options[name])
        if items is not None:
            if name != "quantiles":
                _numbers.warn_of_computed(options[name], items, name)
            options[name] = items

    def function(records: Sequence[Any]) -> Release:
        return release(array(code, records), **options)  # an array has a type even when it is empty

    with warnings.catch_warnings():  # warnings about the empty table
        warnings.simplefilter("ignore", FractileWarning)
        privacy = json.loads(function([]).receipt)["privacy"]  # the cost of a record does not depend on any record
    is_pure = privacy["measure"] == "pure"
    cost = _exact_up(privacy["epsilon" if is_pure else "rho"])
    assert privacy["neighbors"] == "add-remove" and privacy["records_per_person"] == 1

    def privacy_map(d_in: int) -> float:
        return _float_up((d_in if is_pure else d_in * d_in) * cost)

    return make_user_measurement(
        domain,
        symmetric_distance(),
        max_divergence() if is_pure else zero_concentrated_divergence(),
        function,
        privacy_map,
        TO="ExtrinsicObject",
    )
