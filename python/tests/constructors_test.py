"""Chains as in the papers: parts that fit together form a chain with a known cost, and parts that do not fit are refused."""

from fractions import Fraction

import fractile
import pytest
from fractile.constructors import (
    index_into,
    make_clamp,
    make_drop_null,
    make_gumbel_max,
    make_impute_constant,
    make_permute_and_flip,
    make_quantile,
    make_quantile_score_candidates,
    vector_domain,
)

AGES = [31, 44, 57, 23, 38] * 100


def test_a_median_of_ints():
    scores = make_quantile_score_candidates(vector_domain(int), [20, 30, 40, 50], "1/2")
    select = make_gumbel_max(scores, temperature=4, optimize="min")
    median = make_clamp(vector_domain(int), 0, 100) >> make_quantile_score_candidates(
        make_clamp(vector_domain(int), 0, 100).output_domain, [20, 30, 40, 50], "1/2"
    )
    chain = scores >> select
    assert chain(AGES) in range(4)
    assert [Fraction(chain.map(d)) for d in (0, 1, 2)] == [0, Fraction(1, 2), 1]
    assert [select.map(d) for d in (1, Fraction(1, 2))] == ["1/2", "1/4"]  # the distance of scores may be any fraction
    assert (median >> make_gumbel_max(median, temperature=4, optimize="min") >> index_into([20, 30, 40, 50]))(AGES) in (20, 30, 40, 50)


def test_measures():
    scores = make_quantile_score_candidates(vector_domain(float, nullable=False), [20.0, 30.0, 40.0], "1/2")
    pure = scores >> make_gumbel_max(scores, temperature=2, optimize="min")
    zcdp = scores >> make_gumbel_max(scores, temperature=2, optimize="min", measure="zcdp")
    assert (pure.map(1), zcdp.map(1)) == ("1", "1/8")
    flip = scores >> make_permute_and_flip(scores, temperature=2, optimize="min")
    assert flip.map(1) == "1"
    assert flip([1.0, 2.0]) in range(3)


def test_missing_records():
    nan = float("nan")
    rows = vector_domain(float)
    candidates = [20.0, 30.0, 40.0]
    for first in (make_drop_null(rows), make_impute_constant(rows, 30.0)):
        scores = make_quantile_score_candidates(first.output_domain, candidates, "1/2")
        chain = first >> scores >> make_gumbel_max(scores, temperature=1, optimize="min") >> index_into(candidates)
        assert chain([nan, 30.0, 30.0] * 100) == 30.0


def test_a_quantile_is_a_release():
    chain = make_quantile(vector_domain(float, nullable=False), fractile.Lattice(0, 100, 1), "1/2", "ln 3")
    assert chain.map(1) == "ln 3"
    assert 0 <= chain([40.0] * 1000) <= 100


def test_what_does_not_fit():
    nullable = vector_domain(float)
    with pytest.raises(fractile.UsageError):
        make_quantile_score_candidates(nullable, [1.0, 2.0], "1/2")  # its rows may hold NaN
    ints = make_quantile_score_candidates(vector_domain(int), [1, 2], "1/2")
    floats = make_drop_null(nullable)
    with pytest.raises(fractile.UsageError, match="does not fit"):
        floats >> ints
    with pytest.raises(fractile.UsageError, match="does not fit"):
        ints >> index_into([1, 2])
    with pytest.raises(fractile.UsageError):  # the domains have values of different types
        make_clamp(vector_domain(int), 0, 10) >> ints
    with pytest.raises(fractile.UsageError):
        make_gumbel_max(ints, temperature=0, optimize="min")
    with pytest.raises(fractile.UsageError, match="kind: rows of str are not supported"):
        vector_domain(str)
    with pytest.raises(fractile.UsageError, match="nullable: rows of int have no missing values"):
        vector_domain(int, nullable=True)
    with pytest.raises(fractile.UsageError, match="a transformation, which draws nothing"):
        floats([1.0])
    selection = ints >> make_gumbel_max(ints, temperature=1, optimize="min")
    with pytest.raises(fractile.UsageError, match="scores: the step before is expected"):
        make_gumbel_max(selection, temperature=1, optimize="min")
    whole = make_quantile_score_candidates(vector_domain(float, nullable=False), [1.0, 2.0], "1/2")
    with pytest.raises(fractile.UsageError, match="not of the chain's input domain, vector of double") as caught:
        (whole >> make_gumbel_max(whole, temperature=1, optimize="min"))([1.0, float("nan")])
    assert caught.value.field == "data"
    with pytest.raises(fractile.UsageError, match="fewer candidates than were scored"):
        (selection >> index_into([]))([1, 2])
