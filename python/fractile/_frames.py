"""Doors: from whatever holds a column to the library's Frame, without a copy. Nothing here imports pandas, polars or numpy, and pyarrow
only for what is pandas' own."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from . import _core, _times
from ._errors import DataError, UsageError, warn

_HINT = "give a pandas, polars or pyarrow column or frame, a numpy array, or the path of a file"


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _has_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _asked(data: Any, question: Callable[[], Any]) -> Any:
    """What the frame answers. An error of its own may quote a value, as where a text is no number, and is not passed on."""
    try:
        return question()
    except Exception as error:
        raise DataError(
            f"the frame does not give its columns: {_module(data)} raises {type(error).__name__}",
            "collect or fetch it yourself to see why",
            "data",
        ) from None


def _exported(data: Any, name: str) -> _core.Frame:
    if hasattr(data, "__arrow_c_stream__"):
        return _core.Frame.of_stream(_asked(data, data.__arrow_c_stream__), name)
    schema, values = _asked(data, data.__arrow_c_array__)
    return _core.Frame.of_array(schema, values, name)


def _of_pandas(data: Any, name: str) -> Any:
    """A pandas column as pyarrow has it, with missing values as NULL: what pandas exports itself from 3 on, by the same call. Errors
    of pyarrow may quote a value, and are not passed on."""
    try:
        import pyarrow
    except ImportError:
        what = f"column '{name}': pandas hands its own types over through pyarrow, which is not here"
        raise UsageError(what, "pip install pyarrow", "data") from None
    try:
        return pyarrow.array(data)
    except (pyarrow.ArrowException, TypeError):
        what = f"column '{name}' has the dtype {data.dtype} for which Arrow has no type"
        raise DataError(what, "convert it to numbers or text first", "data") from None


def _has_columns(data: Any) -> bool:
    """Whether it is a table rather than one column."""
    return hasattr(data, "columns") or hasattr(data, "column_names")


def _columns_of(data: Any) -> list[str]:
    return [str(name) for name in (data.column_names if hasattr(data, "column_names") else data.columns)]


def _chosen(names: list[str], column: str, others: list[str]) -> str:
    """The column to publish: the one that is named, or the only one. All of them must be there, once."""
    if not column and len(names) != 1:
        raise UsageError("column is missing: the frame has several", 'name the column to publish, column="age"', "column")
    for name in [column, *others] if column else others:
        if name not in names:
            listed = ", ".join(f"'{each}'" for each in names[:20]) + (", ..." if len(names) > 20 else "")
            raise DataError(f"the frame has no column '{name}'; it has {listed}", "name one of the columns", "column")
        if names.count(name) > 1:
            raise DataError(f"the frame has more than one column '{name}'", "rename one of them", "column")
    return column or names[0]


def _distinct(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _selected(data: Any, columns: list[str]) -> Any:
    """The frame with these columns alone, so that nothing else is exported."""
    if _module(data) in ("duckdb", "_duckdb"):
        return data.select(*('"' + name.replace('"', '""') + '"' for name in columns))
    return data.select(columns) if _module(data) in ("polars", "pyarrow") else data


def _of_pandas_frame(data: Any, column: str, others: list[str], exact: bool) -> _core.Frame:
    """Column by column, by their places: labels may be numbers, and pandas 2 copies what is selected by a list."""
    names = _columns_of(data)
    columns = {name: data.iloc[:, names.index(name)] for name in _distinct([column, *others])}
    if not others:
        return frame_of(columns[column], column, [], exact)[0]
    _check_pandas(columns[column], column, exact)
    columns |= {name: _typed_name(columns[name]) for name in others if name != column}
    arrays = {name: _of_pandas(values, name) for name, values in columns.items()}
    import pyarrow

    return _exported(pyarrow.table(arrays), "")


def are_doubles_exact(*ends: Fraction) -> bool:
    """Whether every whole number between these bounds is a double."""
    return all(abs(end) <= 2**53 for end in ends)


def _check_pandas(data: Any, name: str, exact: bool) -> None:
    """What a pandas column is read as, its type alone says. `exact`: whether the bounds leave no whole number that a double rounds."""
    if str(data.dtype) == "object":
        raise DataError(
            f"column '{name}' has the dtype object: what its records are read as would depend on all of them",
            'give it a type that is known beforehand: astype("Int64"), astype(float)',
            "data",
        )
    if str(data.dtype).startswith("period["):  # Arrow would have their ordinals
        raise DataError(f"column '{name}' holds periods, not numbers", "convert it to times: .dt.to_timestamp()", "data")
    # pandas makes doubles of whole numbers when one is missing, and then one record changes what others are.
    if str(data.dtype) == "float64" and not exact:
        warn(
            f"column '{name}' holds doubles, and the bounds go beyond 2^53: if these were whole numbers of which one is missing, pandas "
            'has rounded them, and one record changes others; use a nullable type, astype("Int64") before the values are read'
        )


def _typed_name(data: Any) -> Any:
    """A pandas column of persons or keys with a type: what is object becomes text, each record by itself."""
    return data.astype("string") if str(data.dtype) == "object" else data


def _of_sequence(data: Any, name: str) -> _core.Frame:
    """A list: whole numbers, floats, dates or times, and no mixture, since one record must not decide how another is read."""
    if all(isinstance(value, int) and not isinstance(value, bool) for value in data):
        return _core.Frame.of_numbers(array("q", data), name)
    if all(isinstance(value, float) for value in data):
        return _core.Frame.of_numbers(array("d", data), name)
    times = _times.numbers_of_list(data)
    if times is not None:
        return _core.Frame.of_numbers(times[0], name, times[1])
    raise UsageError("data: a list holds int alone, float alone, or dates or times alone", _HINT, "data")


def _one_column() -> UsageError:
    return UsageError("person and by name columns of a frame, and the data are one column", "give the frame", "data")


def _of_stream(data: Any, name: str, column: str, others: list[str]) -> tuple[_core.Frame, str]:
    """A column, or a table whose columns nothing says but the stream itself, as a reader of batches."""
    frame = _exported(data, name)
    if others and frame.names == [name]:
        raise _one_column()
    return frame, _chosen(frame.names, column, others)


def frame_of(data: Any, column: str, others: list[str], exact: bool) -> tuple[_core.Frame, str]:
    """The frame, and the name of the column to publish. `others`: columns of persons and keys. `exact`: are_doubles_exact(bounds)."""
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):  # a LazyFrame, which its owner collects
        column = _chosen(_asked(data, data.collect_schema).names(), column, others)
        selected = data.select(_distinct([column, *others]))
        return _exported(_asked(data, selected.collect), ""), column
    if (_has_arrow(data) or _module(data) == "pandas") and _has_columns(data):
        column = _chosen(_columns_of(data), column, others)
        if _module(data) == "pandas":
            return _of_pandas_frame(data, column, others, exact), column
        return _exported(_selected(data, _distinct([column, *others])), ""), column
    if others and not hasattr(data, "__arrow_c_stream__"):
        raise _one_column()
    name = column or str(getattr(data, "name", None) or getattr(data, "_name", None) or "value")
    if _module(data) == "pandas":
        _check_pandas(data, name, exact)
        if getattr(data.dtype, "kind", "O") in "iuf" and _module(data.dtype) == "numpy":
            return _core.Frame.of_numbers(data.to_numpy(), name), name  # also without pyarrow
    times = _times.numbers_of(data) if _module(data) in ("pandas", "numpy") else None
    if times is not None:
        return _core.Frame.of_numbers(times[0], name, times[1]), name
    if _module(data) == "pandas":
        data = _of_pandas(data, name)
    if _has_arrow(data):
        return _of_stream(data, name, column, others)
    if isinstance(data, (list, tuple)):
        return _of_sequence(data, name), name
    try:
        return _core.Frame.of_numbers(data, name), name
    except TypeError:
        raise UsageError(f"data: a {type(data).__name__} is no column of numbers", _HINT, "data") from None
