"""Columns that are easily misread, and the positions of their records by exact arithmetic (defined in docs/proofs/rank_profile.md)."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pyarrow as pa

EPOCH = dt.datetime(1970, 1, 1)


class Nasty(NamedTuple):
    """`sql` is the column's type in DuckDB; `postgres` is its type in PostgreSQL where the name differs, and "" where there is none."""

    values: list[Any]
    arrow: pa.DataType
    sql: str
    postgres: str
    bounds: tuple[Any, Any]
    step: str


def decimals(texts, precision, scale, bounds, step):
    values = [None if text is None else Decimal(text) for text in texts]
    kind = f"DECIMAL({precision}, {scale})"
    return Nasty(values, pa.decimal128(precision, scale), kind, kind.replace("DECIMAL", "numeric"), bounds, step)


HUNDREDTHS = ["1.005", "0.995", "-0.005", "0.015", "1", "-1.004", None, "99.995", "0.004", "123456", "-123456"]
LARGE = ["90071992547409.93", "90071992547409.92", "-90071992547409.93", None, "0.01"]
ODD = 2**53 + 1
NASTY = {
    "thousandths by hundredths": decimals(HUNDREDTHS, 9, 3, ("-1", "100"), "0.01"),
    "the same in 18 digits": decimals(HUNDREDTHS, 18, 3, ("-1", "100"), "0.01"),
    "the same in 38 digits": decimals(HUNDREDTHS, 38, 3, ("-1", "100"), "0.01"),
    "cents that no double holds": decimals(LARGE, 18, 2, ("-90071992547410", "90071992547410"), "0.01"),
    "the same in 38 digits, cents": decimals(LARGE, 38, 2, ("-90071992547410", "90071992547410"), "0.01"),
    "whole numbers that no double holds": Nasty(
        [ODD, ODD - 1, ODD + 1, None, -ODD, 2**63 - 1, -(2**63)], pa.int64(), "BIGINT", "bigint", (str(-ODD - 1), str(ODD + 1)), "1"
    ),
    "whole numbers without a sign": Nasty([0, 7, 2**64 - 1, 2**63, None], pa.uint64(), "UBIGINT", "", ("0", "100"), "1"),
    "bytes": Nasty([-128, 127, 0, None, 99], pa.int8(), "TINYINT", "smallint", ("0", "100"), "1"),
    "doubles": Nasty(
        [0.1, 0.15, 2.675, -0.0, 5e-324, float("inf"), float("-inf"), float("nan"), None, 1e308],
        pa.float64(), "DOUBLE", "double precision", ("0", "3"), "0.01",
    ),
    "singles": Nasty([0.1, 0.25, 16777216.0, float("inf"), float("nan"), None], pa.float32(), "FLOAT", "real", ("0", "1"), "0.1"),
    "days": Nasty(
        [dt.date(2020, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(2020, 3, 1), dt.date(2020, 3, 7)],
        pa.date32(), "DATE", "date", ("2020-01-01", "2020-12-30"), "7d",
    ),
    "moments": Nasty(
        [dt.datetime(2020, 2, 29, 23, 59, 59, 999999), dt.datetime(2020, 3, 1), None, dt.datetime(1900, 1, 1, 0, 0, 0, 1)],
        pa.timestamp("us"), "TIMESTAMP", "timestamp", ("2020-01-01T00:00:00", "2020-12-31T00:00:00"), "1h",
    ),
    "instants": Nasty(
        [dt.datetime(2020, 2, 29, 23, 59, 59, 999999, dt.timezone.utc), dt.datetime(2020, 3, 29, 1, 30, tzinfo=dt.timezone.utc), None],
        pa.timestamp("us", tz="UTC"), "TIMESTAMPTZ", "timestamptz", ("2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"), "1h",
    ),
}  # fmt: skip

_STEPS = {"7d": 7 * 86_400_000_000, "1h": 3_600_000_000}


def _microseconds(value):
    if not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return (value - EPOCH) // dt.timedelta(microseconds=1)


def expected(nasty):
    """Returns pairs (position, count). A record's position is that of the nearest possible value, and the upper of two equally near ones; a
    time's is that of its step. Beyond the bounds it is that of the nearer bound. A missing value has no position."""
    is_time = nasty.step in _STEPS
    if is_time:
        step = Fraction(_STEPS[nasty.step])
        lower, upper = (Fraction(_microseconds(dt.datetime.fromisoformat(end.replace("Z", "")))) for end in nasty.bounds)
    else:
        step, lower, upper = Fraction(nasty.step), *map(Fraction, nasty.bounds)
    last = (upper - lower) / step
    counts = {}
    for value in nasty.values:
        if value is None or value != value:
            continue
        if value in (float("inf"), float("-inf")):
            index = last if value > 0 else Fraction(0)
        else:
            single = pa.scalar(value, pa.float32()).as_py() if nasty.arrow == pa.float32() else value
            number = Fraction(_microseconds(value)) if is_time else Fraction(single)
            index = (number - lower) / step + (0 if is_time else Fraction(1, 2))
        index = min(max(index.__floor__(), 0), last)
        counts[2 * int(index) + 1] = counts.get(2 * int(index) + 1, 0) + 1
    return sorted(counts.items())


def text_of(value):
    """The value as a cell of CSV."""
    if value is None:
        return ""
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, dt.date) else repr(value) if isinstance(value, float) else str(value)
