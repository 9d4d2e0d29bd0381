"""Dates and times in data of every kind, as bounds of every type, and returned in their original type."""

import datetime as dt
import random
import warnings

import duckdb
import fractile
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fractile import _times

UTC = dt.timezone.utc
PARIS = dt.timezone(dt.timedelta(hours=1))
DRAW = random.Random(1)
CLOCKS = [dt.datetime(1969, 1, 1) + dt.timedelta(seconds=DRAW.randrange(60 * 365 * 86_400), microseconds=i % 7) for i in range(2000)]
DAYS = [clock.date() for clock in CLOCKS]
INSTANTS = [clock.replace(tzinfo=UTC) for clock in CLOCKS]

ON_DAYS = {"bounds": (dt.date(1970, 1, 1), dt.date(2026, 1, 1)), "step": dt.timedelta(days=1), "epsilon": 1, "unsafe_seed": 7}
ON_HOURS = ON_DAYS | {"bounds": ("1970-01-01T00:00", "2026-01-01T00:00"), "step": "1h"}
IN_UTC = ON_DAYS | {"bounds": ("1970-01-01T00:00Z", "2026-01-01T00:00Z"), "step": "1h"}


DOORS = {
    "list": (DAYS, CLOCKS, INSTANTS),
    "list in Paris": (DAYS, CLOCKS, [instant.astimezone(PARIS) for instant in INSTANTS]),
    "polars": (pl.Series(DAYS), pl.Series(CLOCKS), pl.Series(INSTANTS)),
    "pyarrow": (pa.array(DAYS), pa.array(CLOCKS), pa.array(INSTANTS)),
    "pyarrow, date64": (pa.array(DAYS, pa.date64()), pa.array(CLOCKS), pa.array(INSTANTS)),
    "pyarrow, NULLs": tuple(pa.array([None, *values, None]) for values in (DAYS, CLOCKS, INSTANTS)),
    "pyarrow, Tokyo": (pa.array(DAYS), pa.array(CLOCKS), pa.array(INSTANTS, pa.timestamp("us", "Asia/Tokyo"))),
    "pandas": (pd.Series(pd.to_datetime(DAYS)), pd.Series(CLOCKS), pd.Series(INSTANTS)),
    "pandas, indexes": (pd.DatetimeIndex(DAYS), pd.DatetimeIndex(CLOCKS), pd.DatetimeIndex(INSTANTS)),
    "pandas, indexes in Tokyo": (pd.DatetimeIndex(DAYS), pd.DatetimeIndex(CLOCKS), pd.DatetimeIndex(INSTANTS).tz_convert("Asia/Tokyo")),
    "pandas, arrays": (pd.DatetimeIndex(DAYS).array, pd.DatetimeIndex(CLOCKS).array, pd.DatetimeIndex(INSTANTS).array),
    "pandas, ns": (
        pd.Series(DAYS, dtype="datetime64[ns]"),
        pd.Series(CLOCKS, dtype="datetime64[ns]"),
        pd.Series(INSTANTS, dtype="datetime64[ns, Asia/Tokyo]"),
    ),
    "pandas, NaT": tuple(pd.concat([pd.Series([pd.NaT]), pd.Series(values)]).astype(kind) for values, kind in (
        (pd.to_datetime(DAYS), "datetime64[us]"), (CLOCKS, "datetime64[us]"), (INSTANTS, "datetime64[us, UTC]"))),
    "pandas, Arrow": (
        pd.Series(DAYS, dtype="date32[pyarrow]"),
        pd.Series(CLOCKS, dtype="timestamp[us][pyarrow]"),
        pd.Series(INSTANTS, dtype="timestamp[us, UTC][pyarrow]"),
    ),
    "numpy": (np.array(DAYS, "datetime64[D]"), np.array(CLOCKS, "datetime64[us]"), None),
    "numpy, ns": (np.array(DAYS, "datetime64[ns]"), np.array(CLOCKS, "datetime64[ns]"), None),
    "numpy, NaT": (np.array(["NaT", *DAYS], "datetime64[s]"), np.array(["NaT", *CLOCKS], "datetime64[us]"), None),
    "numpy, backwards": (np.array(DAYS, "datetime64[D]")[::-1], np.array(CLOCKS[::-1], "datetime64[us]")[::-1][::-1], None),
    "numpy, big-endian": (np.array(DAYS, ">M8[D]"), np.array(CLOCKS, ">M8[us]"), None),
}


@pytest.mark.parametrize("door", DOORS)
def test_columns(door):
    for column, same, asked in zip(DOORS[door], DOORS["list"], (ON_DAYS, ON_HOURS, IN_UTC)):
        if column is not None:
            assert fractile.release(column, **asked).quantiles == fractile.release(same, **asked).quantiles


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units(unit):
    whole = [clock.replace(microsecond=0) for clock in CLOCKS]
    expected = fractile.release(whole, **ON_HOURS).quantiles
    for column in (pa.array(whole, pa.timestamp(unit)), np.array(whole, f"datetime64[{unit}]")):
        assert fractile.release(column, **ON_HOURS).quantiles == expected
        assert fractile.release(column, **ON_DAYS).quantiles == fractile.release(DAYS, **ON_DAYS).quantiles


def test_frames():
    columns = {"day": DAYS, "clock": CLOCKS, "instant": INSTANTS, "region": ["a", "b"] * 1000, "id": list(range(1000)) * 2}
    frames = [pd.DataFrame(columns).astype({"day": "datetime64[us]"}), pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns)]
    frames.append(duckdb.from_arrow(pa.table(columns)))
    for name, asked in (("day", ON_DAYS), ("clock", ON_HOURS), ("instant", IN_UTC)):
        groups = asked | {"by": "region", "keys": ["a", "b"], "person": "id"}
        releases = [fractile.release(frame, name, **asked).quantiles for frame in frames]
        grouped = [fractile.release(frame, name, **groups) for frame in frames]
        assert all(release == releases[0] for release in releases)
        assert all({key: dict(g[key]) for key in "ab"} == {key: dict(grouped[0][key]) for key in "ab"} for g in grouped)


BOUNDS = {
    "date": [
        ("1970-01-01", "2026-01-01"),
        (dt.date(1970, 1, 1), dt.date(2026, 1, 1)),
        (np.datetime64("1970-01-01"), np.datetime64("2026-01-01")),
    ],
    "timestamp": [
        ("1970-01-01T00:00:00", "2026-01-01 00:00"),
        (dt.datetime(1970, 1, 1), dt.datetime(2026, 1, 1)),
        (pd.Timestamp(1970, 1, 1), pd.Timestamp(2026, 1, 1)),
        (np.datetime64("1970-01-01T00:00:00.000000000"), np.datetime64("2026-01-01T00")),
    ],
    "instant": [
        ("1970-01-01T00:00:00Z", "2026-01-01T01:00+01:00"),
        (dt.datetime(1970, 1, 1, tzinfo=UTC), dt.datetime(2026, 1, 1, 1, tzinfo=PARIS)),
        (pd.Timestamp("1970-01-01", tz="UTC"), pd.Timestamp("2026-01-01T09:00", tz="Asia/Tokyo")),
    ],
}
STEPS = ["1d", "24h", dt.timedelta(days=1), np.timedelta64(1, "D"), np.timedelta64(24 * 3600, "s"), pd.Timedelta(days=1)]


@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
@pytest.mark.parametrize("kind", BOUNDS)
def test_bounds_and_steps_of_every_type(kind):
    data = {"date": DAYS, "timestamp": CLOCKS, "instant": INSTANTS}[kind]
    receipts = set()
    for bounds in BOUNDS[kind]:
        for step in STEPS:
            release = fractile.release(data, bounds=bounds, step=step, epsilon=1, unsafe_seed=7)
            assert release.kind == kind
            receipts.add(release.receipt)
        plan = fractile.plan(bounds=bounds, step="1d", epsilon=1, quantiles="median")
        assert f'"kind": "{kind}"' in plan.to_json()
    assert len(receipts) == 1


def test_bounds_that_people_write_are_not_warned_of():
    first = pd.Timestamp(1970, 1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for written in (first, first.to_datetime64()):
            fractile.release(DAYS, bounds=(written, dt.datetime(2026, 1, 1)), step=pd.Timedelta(days=1), epsilon=1)


def test_candidates():
    listed = [dt.date(1980, 1, 1), dt.date(1990, 6, 1), "2000-01-01"]
    assert fractile.release(DAYS, candidates=listed, epsilon=1)[0.5] in [*listed[:2], dt.date(2000, 1, 1)]


@pytest.mark.parametrize(
    "asked, data, kind, arrow, pandas",
    [
        (ON_DAYS, DAYS, dt.date, pa.date32(), "datetime64[us]"),
        (ON_HOURS, CLOCKS, dt.datetime, pa.timestamp("us"), "datetime64[us]"),
        (IN_UTC, INSTANTS, dt.datetime, pa.timestamp("us", "UTC"), "datetime64[us, UTC]"),
    ],
    ids=["date", "timestamp", "instant"],
)
def test_results(asked, data, kind, arrow, pandas, tmp_path):
    release = fractile.release(data, **asked)
    middle = sorted(data)[1000]
    assert type(release[0.5]) is kind
    assert abs(release[0.5] - middle) < dt.timedelta(days=365)
    assert str(release.to_pandas().dtype) == pandas
    assert list(release.to_pandas()) == [pd.Timestamp(value) for value in release.quantiles.values()]
    assert release.to_arrow()["value"].type == arrow
    assert release.to_arrow()["value"].to_pylist() == list(release.quantiles.values())
    assert release.to_polars()["value"].to_list() == list(release.to_dict().values()) == list(release.quantiles.values())
    release.save(tmp_path / "receipt.json")
    read = fractile.read_receipt(tmp_path / "receipt.json")
    assert (read.quantiles, read.kind) == (release.quantiles, release.kind)
    wide = fractile.release(data, **asked, intervals=0.95, expected_rows=2000)
    interval = wide.intervals[next(iter(wide.intervals))]
    assert type(interval.lower) is kind and interval.lower <= interval.upper
    assert (wide.to_pandas().dtypes == pandas).all()
    comparison = wide.compare(0.25, 0.75)[0]
    assert comparison.difference.value == wide[0.75] - wide[0.25]
    assert comparison.ratio is None
    groups = pl.DataFrame({"x": data, "by": ["a", "b"] * 1000})
    grouped = fractile.release(groups, "x", by="by", keys=["a", "b"], **asked)
    assert grouped.to_pandas().loc["a", 0.5] == pd.Timestamp(grouped["a"][0.5])


def test_distant_years():
    days = [dt.date(1, 1, 1), dt.date(9999, 12, 31)] * 1000
    release = fractile.release(days, bounds=(dt.date.min, dt.date.max), step="1d", quantiles=[0, 1], epsilon=20, mechanism="approximate")
    assert release[0] < release[1]
    assert release.to_pandas().iloc[0].year == release[0].year
    aware = dt.datetime(1, 1, 1, tzinfo=dt.timezone(-dt.timedelta(hours=1)))
    assert _times.word(aware, "bounds") == "0001-01-01T01:00:00Z"


def test_lattices_and_profiles():
    lattice = fractile.Lattice(dt.date(2020, 1, 1), "2020-12-31", dt.timedelta(days=1))
    assert (len(lattice), lattice.kind, lattice[1], lattice.upper) == (366, "date", dt.date(2020, 1, 2), dt.date(2020, 12, 31))
    assert repr(lattice) == "Lattice('2020-01-01', '2020-12-31', '1d')"
    profile = fractile.profile([dt.datetime(2020, 1, 2, 23, 59), dt.datetime(2020, 1, 2)], lattice=lattice)
    assert profile.counts == [(3, 2)]
    assert fractile.Profile.from_bytes(profile.to_bytes()) == profile
    assert fractile.Lattice(np.datetime64("2020-01-01", "2D"), "2020-12-30", np.timedelta64(1, "2D")) == fractile.Lattice("2020-01-01", "2020-12-30", "2d")
    listed = fractile.Lattice(candidates=["2020-01-01T00:00Z", dt.datetime(2021, 1, 1, tzinfo=UTC)])
    assert listed.upper == dt.datetime(2021, 1, 1, tzinfo=UTC)
    assert fractile.profile([dt.datetime(2020, 6, 1, tzinfo=UTC)], lattice=listed).counts == [(2, 1)]
    assert lattice != fractile.Lattice("2020-01-01T00:00", "2020-12-31T00:00", "1d")


@pytest.mark.parametrize(
    "data, asked, error, what",
    [
        (INSTANTS, ON_DAYS, fractile.DataError, "not a date or time without a zone"),
        (CLOCKS, IN_UTC, fractile.DataError, "not a time with a zone"),
        (pa.array(INSTANTS), ON_DAYS, fractile.DataError, "with a zone.*and the bounds are dates"),
        (pa.array(CLOCKS), IN_UTC, fractile.DataError, "and the bounds are instants"),
        ([1, 2], ON_DAYS, fractile.DataError, "row 1, column 'value': not a date or time without a zone"),
        (CLOCKS, {"bounds": (0, 1), "step": 1, "epsilon": 1}, fractile.DataError, "row 1, column 'value': not a number"),
        ([CLOCKS[0], INSTANTS[0]], ON_DAYS, fractile.DataError, "row 2, column 'value': not a date or time without a zone"),
        (["2020-01-01"], ON_DAYS, fractile.DataError, "row 1, column 'value': not a date or time"),
        (pa.array(["2020-01-01"]), ON_DAYS, fractile.DataError, "and the bounds are dates"),
        (np.array(["2020-01"], "datetime64[M]"), ON_DAYS, fractile.UsageError, "no dates or times that Fractile reads"),
        (np.array([0], "datetime64[25us]"), ON_DAYS, fractile.UsageError, "no dates or times that Fractile reads"),
        (np.array([0], "datetime64[2D]"), ON_DAYS, fractile.UsageError, "no dates or times that Fractile reads"),
        (np.array([1], "timedelta64[s]"), ON_DAYS, fractile.UsageError, "holds durations"),
        (pd.Series(DAYS), ON_DAYS, fractile.DataError, "dtype object"),
        (DAYS, ON_DAYS | {"step": 1}, fractile.UsageError, "'1' is not a length of time"),
        (DAYS, ON_DAYS | {"step": dt.timedelta(hours=1)}, fractile.UsageError, "not a whole number of days"),
        (DAYS, ON_DAYS | {"step": -dt.timedelta(days=1)}, fractile.UsageError, "not above 0"),
        (DAYS, ON_DAYS | {"step": np.timedelta64(1, "M")}, fractile.UsageError, "no unit of fixed length"),
        (DAYS, ON_DAYS | {"step": np.timedelta64(1, "12M")}, fractile.UsageError, "no unit of fixed length"),
        (DAYS, ON_DAYS | {"bounds": (np.datetime64("2020", "10Y"), "2021-01-01")}, fractile.UsageError, "no unit of fixed length"),
        (DAYS, ON_DAYS | {"bounds": (dt.date(2020, 1, 1), dt.datetime(2021, 1, 1))}, fractile.UsageError, "of two kinds"),
        (DAYS, ON_DAYS | {"bounds": (pd.NaT, dt.date(2021, 1, 1))}, fractile.UsageError, "not a time"),
        (DAYS, ON_DAYS | {"bounds": (pd.Timestamp("2020-01-01T00:00:00.000000001"), "2021-01-01")}, fractile.UsageError, "microsecond"),
        (DAYS, {"bounds": "auto", "step": "1d", "epsilon": 1}, fractile.UsageError, "not of dates"),
        (INSTANTS, IN_UTC | {"bounds": (dt.datetime(1, 1, 1, tzinfo=PARIS), "2026-01-01T00:00Z")}, fractile.UsageError, "years 1 to 9999"),
        (CLOCKS, ON_HOURS | {"bounds": ("1970-01-01T00:00", pd.Timestamp(np.datetime64("20000-01-01", "s")))}, fractile.UsageError, "years 1 to 9999"),
        (pd.period_range("2020-01-01", periods=3), ON_DAYS, fractile.DataError, r"convert it to times: \.to_timestamp\(\)"),
        (pd.Series(pd.period_range("2020-01-01", periods=3)), ON_DAYS, fractile.DataError, r"convert it to times: \.dt\.to_timestamp\(\)"),
    ],
)
@pytest.mark.filterwarnings("ignore::fractile.FractileWarning")
def test_refusals(data, asked, error, what):
    with pytest.raises(error, match=what):
        fractile.release(data, **asked)
