"""One value per person: columns in memory, of any kind, give what files give, bit for bit."""

import math
import random

import fractile
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HOWS = ["sum", "count", "mean", "min", "max", "median", "any", "all"]
ASKED = {"bounds": (-20_000, 40_000), "step": 0.25, "epsilon": 100_000, "quantiles": "deciles"}


def visits(seed=1, size=4000):
    chance = random.Random(seed)
    rows = [
        {
            "id": f"p{chance.randrange(300)}" if chance.random() > 0.02 else None,
            "region": chance.choice(["north", "south", "east"]),
            "cost": None if chance.random() < 0.05 else chance.randrange(-2000, 5000),
            "note": chance.choice(["a", "b", "", "NA", "NaN", None]),
        }
        for _ in range(size)
    ]
    return pd.DataFrame(rows).astype({"cost": "Int64"})


@pytest.fixture(scope="module")
def table():
    frame = visits()
    return pa.table(
        {
            "id": pa.array(frame["id"], pa.string()),
            "region": pa.array(frame["region"], pa.string()),
            "cost": pa.array(frame["cost"], pa.int64()),
            "real": pa.array([None if cost is pd.NA else cost / 7 for cost in frame["cost"]], pa.float64()),
            "note": pa.array(frame["note"], pa.string()),
        }
    )


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("column", ["cost", "real"])
@pytest.mark.parametrize("groups", [{}, {"by": "region", "keys": ["south", "north"], "records_per_person": 2}])
def test_frames_are_files(how, column, groups, table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    asked = {**ASKED, "person": "id", "per_person": how, "unsafe_seed": 3, **groups}
    of_file = fractile.release(tmp_path / "t.parquet", column, **asked)
    for frame in (table, pl.from_arrow(table), table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)):
        assert fractile.release(frame, column, **asked).to_csv() == of_file.to_csv()
    assert fractile.release(table, column, threads=1, **asked).to_csv() == of_file.to_csv()


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_counts_are_of_any_column(table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    asked = {**ASKED, "person": "id", "per_person": "count", "missing": ["NA"], "unsafe_seed": 3}
    of_file = fractile.release(tmp_path / "t.parquet", "note", **asked).to_csv()
    assert fractile.release(table, "note", **asked).to_csv() == of_file
    pandas = table.to_pandas()
    pandas["note"] = pandas["note"].astype(object)
    assert fractile.release(pandas, "note", **asked).to_csv() == of_file


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
@pytest.mark.parametrize("how", ["any", "all", "count"])
@pytest.mark.parametrize("groups", [{}, {"by": "region", "keys": ["south", "north"], "records_per_person": 2}])
def test_truth_values_are_files(how, groups, table, tmp_path):
    ill = pa.array([None if cost is None else cost % 7 == 0 for cost in table["cost"].to_pylist()], pa.bool_())
    truths = table.append_column("ill", ill).select(["id", "region", "ill"])
    pq.write_table(truths, tmp_path / "t.parquet")
    asked = {"bounds": (0, 9), "step": 1, "epsilon": 1000, "quantiles": "deciles", "count": True, "below": [1]}
    asked |= {"person": "id", "per_person": how, "unsafe_seed": 3, **groups}
    of_file = fractile.release(tmp_path / "t.parquet", "ill", **asked)
    slices = pa.concat_tables([truths.slice(0, 13), truths.slice(13, 1001), truths.slice(1014)])  # the slices begin within bytes
    nullable = truths.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
    for frame in (truths, slices, pl.from_arrow(truths), nullable):
        assert fractile.release(frame, "ill", **asked).to_csv() == of_file.to_csv()
    if not groups and how != "count":
        rows = [(person, one) for person, one in zip(truths["id"].to_pylist(), ill.to_pylist()) if person is not None and one is not None]
        persons = {person: (any if how == "any" else all)(one for its, one in rows if its == person) for person, _ in rows}
        below = of_file.statistics.below[1].count
        assert sum(not one for one in persons.values()) in below and below.upper - below.lower <= 4


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_truth_values_are_no_numbers(table):
    truths = pa.table({"id": table["id"], "ill": pa.array([True] * len(table))})
    for how in ({}, {"per_person": "sum"}, {"per_person": "median"}):
        with pytest.raises(fractile.DataError, match="is bool, not a number"):
            fractile.release(truths, "ill", bounds=(0, 1), step=1, epsilon=1, person="id", **how)
    assert len(fractile.release(truths.to_pandas(), "ill", bounds=(0, 1), step=1, epsilon=1, person="id", per_person="any").quantiles) == 3


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_the_values_are_those_of_pandas(table):
    frame = table.to_pandas()
    rows = frame[frame["id"].notna() & frame["real"].notna()]
    totals = sorted(math.fsum(costs) for _, costs in rows.groupby("id")["real"])
    released = fractile.release(table, "real", **{**ASKED, "quantiles": "median", "mechanism": "exponential"}, person="id", per_person="sum")
    middle = totals[len(totals) // 2 - 2 : len(totals) // 2 + 3]
    assert middle[0] - 0.25 <= released[0.5] <= middle[-1] + 0.25


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_doubles_add_up_in_any_order():
    """A sum of these in doubles would depend on which of them comes first."""
    numbers = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3]
    receipts = set()
    for seed in range(5):
        random.Random(seed).shuffle(numbers)
        table = pa.table({"id": ["a"] * len(numbers), "x": numbers})
        receipts.add(fractile.release(table, "x", bounds=(0, 4), step=0.001, epsilon=1e6, person="id", per_person="sum", unsafe_seed=1).to_csv())
    assert len(receipts) == 1


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_what_is_refused(table):
    for changes, part in [
        ({"per_person": "sum"}, "person"),
        ({"per_person": "total", "person": "id"}, "is not known"),
        ({"per_person": "sum", "person": "id", "records_per_person": 3}, "each person has one value"),
        ({"per_person": "sum", "person": "id", "bounds": ("2024-01-01", "2024-02-01"), "step": "1d"}, "number"),
    ]:
        with pytest.raises(fractile.Error) as refused:
            fractile.release(table, "cost", **{**ASKED, **changes})
        assert part in str(refused.value), str(refused.value)


def values_of(frame, how):
    """Each person's value by its definition, in whole numbers."""
    costs = {}
    for who, cost in zip(frame["id"].to_pylist(), frame["cost"].to_pylist()):
        if who is not None and cost is not None:
            costs.setdefault(who, []).append(cost)
    of_one = {"sum": sum, "count": len, "max": max, "any": lambda costs: int(any(costs))}[how]
    return sorted(map(of_one, costs.values()))


@pytest.mark.parametrize("how", ["sum", "count", "max", "any"])
def test_profiles_are_of_persons_values(how, table):
    lattice = fractile.Lattice(-50_000, 50_000, 1)
    profile = fractile.profile(table, "cost", lattice=lattice, person="id", per_person=how)
    counted = [(position - 1) // 2 - 50_000 for position, count in profile.counts for _ in range(count)]
    assert counted == values_of(table, how)
    assert (profile.per_person, profile.person, profile.records_per_person) == (how, "id", 1)


def test_profiles_of_groups_have_one_value_each(table):
    asked = {"lattice": fractile.Lattice(0, 100, 1), "person": "id", "per_person": "count", "by": "region", "keys": ["north", "south"]}
    whole = fractile.profile(table, "cost", records_per_person=2, **asked)
    assert [(each.per_person, each.records_per_person) for each in whole.values()] == [("count", 1)] * 2
    chosen = fractile.profile(table, "cost", **asked)
    assert sum(each.records for each in chosen.values()) < sum(each.records for each in whole.values())


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_profiles_say_what_values_they_hold(table, tmp_path):
    lattice = fractile.Lattice(-20_000, 40_000, 0.25)
    profile = fractile.profile(table, "cost", lattice=lattice, person="id", per_person="sum")
    assert fractile.Profile.from_bytes(profile.to_bytes()).per_person == "sum"
    profile.write(tmp_path / "p", column="cost")
    asked = {"epsilon": 1_000_000, "quantiles": "median", "mechanism": "exponential"}
    counted = fractile.release(counts=tmp_path / "p", **asked)
    whole = fractile.release(table, "cost", bounds=(-20_000, 40_000), step=0.25, person="id", per_person="sum", **asked)
    middle = values_of(table, "sum")[148:152]  # in the middle of 300 persons
    for release in (counted, whole):
        assert middle[0] <= release[0.5] <= middle[-1] and '"per_person": "sum"' in release.receipt
    with pytest.raises(fractile.UsageError, match="cannot be computed from the values in two tables"):
        profile | profile
    assert profile.merge(profile, disjoint_persons=True).records == 2 * profile.records
    records = fractile.profile(table, "cost", lattice=lattice, person="id")
    assert records.per_person == ""
    with pytest.raises(fractile.UsageError, match="different values of persons"):
        profile.merge(records, disjoint_persons=True)
    for changes, part in [
        ({"per_person": "total"}, "per_person: 'total' is not known"),
        ({"per_person": "sum", "records_per_person": 2}, "each person has one value"),
        ({"per_person": "sum", "person": None}, "person"),
        ({"per_person": "sum", "weight": "cost", "weight_bounds": (0, 4), "weight_step": 1}, "weight"),
    ]:
        with pytest.raises(fractile.UsageError) as refused:
            fractile.profile(table, "cost", **{"lattice": lattice, "person": "id", **changes})
        assert part in str(refused.value), str(refused.value)
