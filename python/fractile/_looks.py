"""What an object is, judged without its data. `hasattr` and `getattr` also find a column or a label in the data: a frame may have a column
`collect`, and a Series a row `columns`."""

from __future__ import annotations

import inspect
import re
from typing import Any

_NONE = object()
#: The packages of frames, whose values look computed.
_FRAMES = ("numpy", "pandas", "polars", "pyarrow", "duckdb", "_duckdb")
#: The packages whose frames are read in ways of their own.
_KNOWN = (*_FRAMES, "ibis")


def has(value: Any, name: str) -> bool:
    """Whether the object itself has this attribute, rather than the data in it. A class has none: it holds no data."""
    return not isinstance(value, type) and inspect.getattr_static(value, name, _NONE) is not _NONE


def module(value: Any) -> str:
    """The package that the object's type is from. A class that is derived from one of a known package counts as that package's, since its
    objects are read in the same way as those of its base."""
    packages = [str(each.__module__).partition(".")[0] for each in type(value).__mro__]
    return next((each for each in packages if each in _KNOWN), packages[0])


def kind_of(value: Any) -> str:
    """The object's type with its article: a dict, an int."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in ('a', 'e', 'i', 'o') else 'a'} {name}"


def of_a_frame(value: Any) -> bool:
    """Whether the value has a type in which frames and their columns return values."""
    return module(value) in _FRAMES


def of_duckdb(value: Any) -> bool:
    return module(value) in ("duckdb", "_duckdb")


def is_in_groups(value: Any) -> bool:
    """Whether this is a frame whose records are in groups, such as a GroupBy."""
    return any(re.search(r"Group(By|ed)", each.__name__) for each in type(value).__mro__)


def has_arrow(value: Any) -> bool:
    """Whether the object hands over its data by Arrow's interface."""
    return has(value, "__arrow_c_stream__") or has(value, "__arrow_c_array__")


def has_columns(value: Any) -> bool:
    """Whether the object names its columns: a table rather than one column. A method that would name them is no list of names."""
    return _lists(value, "columns") or _lists(value, "column_names")


def _lists(value: Any, name: str) -> bool:
    return has(value, name) and not callable(inspect.getattr_static(value, name))


def columns_of(table: Any) -> list[str]:
    """The names of the columns of a table that has them."""
    return [str(name) for name in (table.column_names if _lists(table, "column_names") else table.columns)]


def is_lazy(value: Any) -> bool:
    """Whether this is a LazyFrame, which must be collected."""
    return has(value, "collect_schema") and has(value, "collect")


def is_scalar(value: Any) -> bool:
    """Whether this is an array without a dimension: it is iterable by its type, and yet holds one value."""
    return has(value, "shape") and not of_duckdb(value) and value.shape == ()
