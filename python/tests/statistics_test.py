"""Counts, shares and means next to quantiles: their values in Python equal the program's."""

import copy
import datetime as dt
import json
import pickle
from decimal import Decimal

import fractile
import numpy as np
import pandas as pd
import pytest

AGES = pd.DataFrame({"age": [20, 30, 40, 60, 80] * 400, "region": ["north", "south"] * 1000})
ASKED = {"bounds": (0, 120), "step": 1, "epsilon": 20, "unsafe_seed": 3}


def released(**asked):
    return fractile.release(AGES, "age", **{**ASKED, **asked})


def test_numbers_have_intervals():
    release = released(count=True, below=[30, 65], mean=True)
    told = release.statistics
    assert abs(told.count.value - 2000) < 20
    assert told.count.lower <= told.count.value <= told.count.upper
    for number in (2000, 2000.0, Decimal(2000), np.int64(2000), np.float32(2000), AGES["age"].count()):
        assert number in told.count and number + 1000 not in told.count
    assert "2000" not in told.count and None not in told.count
    assert list(told.below) == [Decimal(30), Decimal(65)]
    assert abs(told.below[Decimal(30)].count.value - 400) < 20
    assert abs(told.below[65].share.value - Decimal("0.8")) < Decimal("0.02")
    assert told.below[65].share.lower <= told.below[65].share.value <= told.below[65].share.upper
    assert isinstance(told.mean.value, Decimal)
    assert abs(told.mean.value - 46) < 1
    document = json.loads(release.receipt)
    assert document["count"]["value"] == told.count.value
    assert document["mean"]["value"] == pytest.approx(float(told.mean.value))


def test_groups_have_their_own():
    release = released(by="region", keys=["north", "south", "none"], count=True, mean=True)
    assert abs(release["north"].statistics.count.value - 1000) < 20
    assert release["north"].statistics.below == {}
    empty = release["none"].statistics
    assert empty.count.lower == 0
    assert (empty.mean.value is None) == (empty.count.value <= 0)
    with pytest.raises(fractile.UsageError, match="several groups"):
        release.statistics


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_weights_add_up():
    asked = ASKED | {"epsilon": 1_000_000, "weight": "age", "weight_bounds": (0, 100), "weight_step": 0.5}
    release = fractile.release(AGES, "age", count=True, below=[65], mean=True, **asked)
    told = release.statistics
    total = sum(AGES["age"])
    assert told.count.value == total and told.count.lower <= total <= told.count.upper
    assert json.loads(release.receipt)["count"]["value"] == 2 * total  # in units of one half
    assert told.below[65].count.value == sum(age for age in AGES["age"] if age < 65)
    assert float(told.below[65].share.value) == pytest.approx(150 / 230, abs=1e-3)
    assert float(told.mean.value) == pytest.approx(sum(age * age for age in AGES["age"]) / total, abs=0.01)
    assert pickle.loads(pickle.dumps(release)).statistics == told


def test_nothing_is_there_that_was_not_asked_for():
    assert released().statistics is None
    assert released(count=True).statistics.mean is None


def test_copies_and_receipts_have_them():
    release = released(below=[65], mean=True)
    for other in (copy.deepcopy(release), pickle.loads(pickle.dumps(release)), fractile.Release.from_text(release.receipt)):
        assert other.statistics == release.statistics


def test_dates_have_dates():
    days = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-11", "2024-01-21"] * 500)})
    release = fractile.release(
        days, "day", bounds=(dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 31)), step="1d", epsilon=20, unsafe_seed=1,
        below=[dt.datetime(2024, 1, 11)], mean=True,
    )  # fmt: skip
    assert abs(release.statistics.below[dt.datetime(2024, 1, 11)].count.value - 500) < 20
    assert dt.datetime(2024, 1, 10) <= release.statistics.mean.value <= dt.datetime(2024, 1, 12)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(fractile.UsageError, match="not one of the possible values"):
        released(below=[30.5])
    with pytest.raises(fractile.UsageError, match="count_budget goes with count, below or mean"):
        released(count_budget="0.1")
    with pytest.raises(fractile.UsageError, match="count: True or False"):
        released(count=3)


def test_a_plan_says_how_far_they_are_off():
    plan = fractile.plan(bounds=(0, 120), step=1, epsilon=1, expected_rows=5000, count=True, below=[65], mean=True)
    told = json.loads(plan.to_json())["statistics"]
    assert told["share"] == "1/5"
    assert told["rows"] == 5000
    assert told["below"][0]["count"] < told["count"]
    assert told["mean"] < told["mean_at_ends"]
