"""A release as an OpenDP measurement never costs less in OpenDP than in Fractile."""

import doctest
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import fractile
import pytest

dp = pytest.importorskip("opendp.prelude", reason="opendp is not here", exc_type=ImportError)
opendp = pytest.importorskip("fractile.opendp")

AGES = [34.0, 51.0, 28.0, 47.0, 62.0] * 200
USUAL = {"bounds": (0, 125), "step": 1}
FAR = 2**32 - 1  # the largest distance that OpenDP can represent


@pytest.fixture(autouse=True, scope="module")
def features():
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def ints():
    return dp.vector_domain(dp.atom_domain(T="i64"))


def cost_of(epsilon):
    """The cost, rounded to 300 digits."""
    factor, logarithm, argument = epsilon.partition("ln ")
    if not logarithm:
        return Fraction(factor)
    with localcontext() as context:
        context.prec = 300
        value = Fraction(argument)
        return Fraction(factor.strip() or 1) * Fraction(Decimal(value.numerator).ln() - Decimal(value.denominator).ln())


def assert_is_next_above(shown, exact):
    assert Fraction(shown) >= exact > Fraction(math.nextafter(shown, 0.0))


@pytest.mark.parametrize("distance", [1, 2, 3, 7, 1000, FAR])
@pytest.mark.parametrize("epsilon", ["1", "3/10", "1/3", "0.7", "ln 3", "ln 7/2", "2/3 ln 5/4", "ln 1000001/1000000"])
def test_pure_costs_grow_with_the_records_and_are_rounded_up(epsilon, distance):
    measurement = opendp.measurement(**USUAL, epsilon=epsilon)
    assert measurement.output_measure == dp.max_divergence()
    assert_is_next_above(measurement.map(distance), distance * cost_of(epsilon))


@pytest.mark.parametrize("distance", [1, 2, 3, 7, 1000, FAR])
@pytest.mark.parametrize("rho", ["1/2", "3/10", "1/3", "1/7"])
def test_zcdp_costs_grow_with_their_square(rho, distance):
    measurement = opendp.measurement(**USUAL, rho=rho)
    assert measurement.output_measure == dp.zero_concentrated_divergence()
    assert_is_next_above(measurement.map(distance), distance**2 * Fraction(rho))


def test_nothing_costs_nothing():
    assert opendp.measurement(**USUAL, epsilon="ln 3").map(0) == 0.0
    assert opendp.measurement(**USUAL, rho=1).map(0) == 0.0


def test_logarithms_are_bounded_from_above():
    for argument in [Fraction(1), Fraction(10**60 + 1, 10**60), Fraction(3), Fraction(10**80), Fraction(7**99, 3**99)]:
        bound = opendp._logarithm_up(argument)
        with localcontext() as context:
            context.prec = 300
            exact = Fraction(Decimal(argument.numerator).ln() - Decimal(argument.denominator).ln())
        assert 0 < bound - exact < Fraction(1, 10**45)
    assert opendp._float_up(Fraction(10**400)) == math.inf


def test_it_releases():
    r = opendp.measurement(**USUAL, quantiles="quartiles", epsilon=10)(AGES)
    assert isinstance(r, fractile.Release)
    assert [abs(r[q] - value) <= 6 for q, value in ((0.25, 34), (0.5, 47), (0.75, 51))] == [True] * 3
    assert opendp.measurement(**USUAL, epsilon=10, input_domain=ints())([47] * 1000)[0.5] == 47
    assert len(opendp.measurement(candidates=iter([10, 30, 50]), quantiles=iter(["1/2"]), epsilon=1)(AGES)) == 1


def test_every_member_of_the_domain_is_released():
    """Neither the success of a release nor what its receipt says about its source may depend on the records."""
    floats = [[], [math.nan], [math.inf, -math.inf, 5e-324, 1.7e308], [0.5] * 3]
    for domain, vectors in ((None, floats), (ints(), [[], [2**63 - 1, -(2**63)], [1]])):
        measurement = opendp.measurement(**USUAL, epsilon=1, input_domain=domain)
        receipts = [json.loads(measurement(records).receipt) for records in vectors]
        assert [len(receipt["quantiles"]) for receipt in receipts] == [3] * len(vectors)
        assert all(receipt[name] == receipts[0][name] for receipt in receipts for name in ("source", "privacy", "lattice"))


def test_it_chains_and_composes():
    clamp = dp.t.make_clamp(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance(), (0.0, 50.0))
    measurement = opendp.measurement(**USUAL, epsilon="1/2", input_domain=clamp.output_domain)
    chain = clamp >> measurement
    assert chain.map(2) == 1.0 and len(chain(AGES)) == 3
    assert dp.c.make_composition([chain, chain]).map(1) == 1.0


@pytest.mark.parametrize("domain", [5, "f64", object()], ids=str)
def test_what_is_no_domain(domain):
    with pytest.raises(fractile.UsageError, match="input_domain: a Domain is expected"):
        opendp.measurement(**USUAL, epsilon=1, input_domain=domain)


def test_what_does_not_fit():
    with pytest.raises(fractile.UsageError, match="budget is missing"):
        opendp.measurement(**USUAL)
    with pytest.raises(fractile.UsageError, match="bounds"):
        opendp.measurement(bounds="auto", step=1, epsilon=1)
    with pytest.raises(fractile.UsageError, match="input_domain"):
        opendp.measurement(**USUAL, epsilon=1, input_domain=dp.vector_domain(dp.atom_domain(T=str)))
    with pytest.raises(fractile.UsageError, match="computed"):
        opendp.measurement(**USUAL, epsilon=0.1 + 0.2)


def test_docstring():
    failed, tried = doctest.testmod(opendp)
    assert tried and not failed
