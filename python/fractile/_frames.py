"""Makes the library's Frame from anything that holds a column, without a copy. Nothing here imports pandas, polars or numpy. pyarrow is
imported only for types that pandas alone has."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import _cells, _core, _times, _words
from ._cells import Asked as Asked
from ._errors import DataError, Error, UsageError, warn

_HINT = "give a pandas, polars or pyarrow column or frame, a numpy array, a list of numbers, or the path of a file, a folder or a pattern"
#: The longest name that a file can have.
_LONGEST_NAME = 255


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def names_files(data: Any) -> bool:
    """Whether this is a path, or a list of path objects. A list of texts is data: its texts are records."""
    return is_path(data) or (isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(each, os.PathLike) for each in data))


def paths_of(data: Any) -> list[str]:
    """The paths for names of files; none for None."""
    if data is None:
        return []
    return [path_of(each) for each in (data if isinstance(data, (list, tuple)) else [data])]


def path_of(data: str | os.PathLike[str]) -> str:
    """A path as it was given. If the text is not a path, for example a whole table, the error does not quote it."""
    path = os.fspath(data)
    if isinstance(path, str) and _may_be_path(path):
        return _words.path(path, "data")
    raise UsageError("data: this text is not the path of a file", "name the file that holds it, or give a column", "data")


def _may_be_path(path: str) -> bool:
    is_text = any(character in path for character in "\n\r\0") or path.lstrip()[:1] in ("{", "[")
    is_long = any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for part in path.split("/"))
    return not is_long and (not is_text or ("\0" not in path and os.path.lexists(path)))


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _has_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _asked(data: Any, question: Callable[[], Any]) -> Any:
    """The frame's answer. An error that the frame raises is not passed on, because it may quote a value."""
    try:
        return question()
    except Error:
        raise
    except Exception as error:
        failure = type(error).__name__
    # Raised outside of `except`, so that the frame's error is not its context.
    raise DataError(
        f"the frame does not give its columns: {_module(data)} raises {failure}", "collect or fetch it yourself to see why", "data"
    )


def _exported(data: Any, name: str) -> _core.Frame:
    if hasattr(data, "__arrow_c_stream__"):
        return _core.Frame.of_stream(_asked(data, data.__arrow_c_stream__), name)
    schema, values = _asked(data, data.__arrow_c_array__)
    return _core.Frame.of_array(schema, values, name)


def _computed(columns: Any, records: Callable[[], Any]) -> _core.Frame:
    """A frame that its library computes only when records are counted. `columns` is the same frame without records."""
    return _core.Frame.later(_exported(columns, ""), lambda: [_exported(_asked(columns, records), "")])


def _of_pandas(data: Any, name: str) -> Any:
    """A pandas column as an array of pyarrow, with missing values as NULL. (From version 3 on, pandas exports the same itself, by the same
    call.) Errors of pyarrow are not passed on, because they may quote a value."""
    pyarrow = _pyarrow(name)
    try:
        return pyarrow.array(data)
    except (pyarrow.ArrowException, TypeError, ValueError):
        pass
    raise DataError(f"column '{name}' has the dtype {data.dtype} for which Arrow has no type", "convert it to numbers or text first", "data")


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        pass
    else:
        return pyarrow
    raise UsageError(f"column '{name}': pandas hands its own types over through pyarrow, which is not installed", "pip install pyarrow", "data")


def _names_of_pandas(data: Any, name: str, asked: Asked) -> Any:
    """A pandas column of persons or keys. In a column of dtype object, each record becomes text by itself."""
    pyarrow = _pyarrow(name)
    if str(data.dtype) != "object":
        try:
            return pyarrow.array(data)
        except (pyarrow.ArrowException, TypeError):
            _of_pandas(_without_records(data), name)  # raises if Arrow has no type for the column
        except ValueError:  # a text is not valid
            pass
    return _cells.names_of(list(data), name, asked)


def _has_columns(data: Any) -> bool:
    """Whether the data are a table rather than one column."""
    return hasattr(data, "columns") or hasattr(data, "column_names")


def _columns_of(data: Any) -> list[str]:
    return [str(name) for name in (data.column_names if hasattr(data, "column_names") else data.columns)]


def _require_columns(names: list[str], wanted: list[str], field: str) -> None:
    """Requires that each wanted column exists exactly once."""
    for name in wanted:
        if name not in names:
            listed = ", ".join(f"'{each}'" for each in names[:20]) + (", ..." if len(names) > 20 else "")
            raise DataError(f"the frame has no column '{name}'; it has {listed}", "name one of the columns", field)
        if names.count(name) > 1:
            raise DataError(f"the frame has more than one column '{name}'", "rename one of them", field)


def _chosen(names: list[str], column: str, others: list[str]) -> str:
    """The column to publish: the named one, or the only one. Each column must exist exactly once."""
    if not column and len(names) != 1:
        raise UsageError("column is missing: the frame has several", 'name the column to publish, column="age"', "column")
    _require_columns(names, [column, *others] if column else others, "column")
    return column or names[0]


def _distinct(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _selected(data: Any, columns: list[str]) -> Any:
    """The frame with only these columns, so that nothing else is exported."""
    if _module(data) in ("duckdb", "_duckdb"):
        return data.select(*('"' + name.replace('"', '""') + '"' for name in columns))
    if _module(data) == "ibis":
        return data.select(*columns)
    return data.select(columns) if _module(data) in ("polars", "pyarrow") else data


def _of_pandas_frame(data: Any, counted: Mapping[str, Asked], others: list[str]) -> _core.Frame:
    """The frame, column by column. Columns are found by position, because labels may be numbers and pandas 2 copies a selection by list."""
    names = _columns_of(data)
    columns = {name: data.iloc[:, names.index(name)] for name in _distinct([*counted, *others])}
    column, asked = next(iter(counted.items()))
    if len(counted) == 1 and not others:
        return frame_of(columns[column], column, [], asked)[0]
    as_names = [name for name, of_it in counted.items() if of_it.any_cells and str(columns[name].dtype) == "object"]
    for name, of_it in counted.items():
        if name not in as_names:
            _check_pandas(columns[name], name, of_it.exact)

    def table(of: Callable[[Any], Any]) -> Any:
        arrays = {
            name: _of_pandas(of(values), name) if name in counted and name not in as_names else _names_of_pandas(of(values), name, asked)
            for name, values in columns.items()
        }
        return _pyarrow(column).table(arrays)

    return _computed(table(_without_records), lambda: table(lambda values: values))


def _without_records(data: Any) -> Any:
    return data.iloc[:0] if hasattr(data, "iloc") else data[:0]


def are_doubles_exact(*ends: Fraction) -> bool:
    """Whether every whole number between these bounds is a double."""
    return all(abs(end) <= 2**53 for end in ends)


def _check_pandas(data: Any, name: str, exact: bool) -> None:
    """Requires a pandas column whose dtype decides how it is read. `exact`: whether every whole number within the bounds is a double."""
    if str(data.dtype) == "object":
        raise DataError(
            f"column '{name}' has the dtype object: how its records are read would depend on all of them",
            'give it a type that is known beforehand: astype("Int64"), astype(float)',
            "data",
        )
    if str(data.dtype).startswith("period["):  # Arrow would export their ordinals
        raise DataError(f"column '{name}' holds periods, not numbers", "convert it to times: .dt.to_timestamp()", "data")
    # When a whole number is missing, pandas turns the whole column into doubles. One record would then change the values of others.
    if str(data.dtype) == "float64" and not exact:
        warn(
            f"column '{name}' holds doubles, and the bounds go beyond 2^53: if these are whole numbers and one of them is missing, pandas "
            'has rounded them, so that one record changes others; use a nullable type, astype("Int64") before the values are read'
        )


def _of_array(data: Any, name: str) -> _core.Frame:
    """An array of numpy, or of a type built on one: numbers, dates or times, some of which may be masked."""
    values, validity = _unmasked(data)
    times = _times.numbers_of(values)
    numbers, type_of_times = (values, "") if times is None else times
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf" or numbers.dtype.itemsize > 8:
        raise _no_array(values)
    if not numbers.dtype.isnative:
        numbers = numbers.astype(numbers.dtype.newbyteorder("="))
    if not numbers.flags.aligned or any(stride % numbers.dtype.itemsize for stride in numbers.strides):
        numbers = numbers.copy()  # a field of packed records
    return _core.Frame.of_numbers(numbers, name, type_of_times, validity)


def _unmasked(data: Any) -> tuple[Any, bytes]:
    """An array without its mask, and the mask as one bit per number, 0 for a masked number; no bits if there is no mask."""
    numpy = sys.modules["numpy"]
    if isinstance(data, numpy.ma.MaskedArray):
        values, mask = numpy.ma.getdata(data), numpy.ma.getmaskarray(data)
    elif hasattr(data, "mask") and hasattr(data, "unmasked"):  # astropy
        values, mask = numpy.asarray(data.unmasked), numpy.broadcast_to(data.mask, data.shape)
    else:
        return numpy.asarray(data), b""
    if mask.dtype != bool or mask.ndim != 1:  # a mask of records
        return values, b""
    return values, numpy.packbits(~mask, bitorder="little").tobytes()


def _no_array(data: Any) -> UsageError:
    if data.ndim != 1:
        what = f"the array has {data.ndim} dimensions, and a column has one"
        hint = "give one of its columns, data[:, 0]" if data.ndim == 2 else "give one dimension of it"
    elif data.dtype.fields:
        what = "the array holds records, not numbers"
        hint = f"give one of their fields, data[{next(iter(data.dtype.fields))!r}]"
    else:
        wide = ", which are wider than 64 bits" if data.dtype.kind == "f" else ", not numbers"
        what, hint = f"the array holds {data.dtype}{wide}", "convert it first, data.astype(float)"
    return UsageError(f"data: {what}", hint, "data")


def _is_array(data: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(data, numpy.ndarray)


def _is_scalar(data: Any) -> bool:
    """Whether this is one number or moment of numpy. Its buffer must not be read: that of a moment has no format."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(data, numpy.generic)


def _one_column() -> UsageError:
    return UsageError("person, by and weight name columns of a frame, but the data are a single column", "give the frame", "data")


def _of_stream(data: Any, name: str, column: str, others: list[str]) -> tuple[_core.Frame, str]:
    """A column, or a table whose columns only the stream itself names, such as a reader of batches."""
    frame = _exported(data, name)
    if others and frame.names == [name]:
        raise _one_column()
    return frame, _chosen(frame.names, column, others)


def _refuse_what_is_no_data(data: Any) -> None:
    inside = data.obj if isinstance(data, memoryview) else data
    if isinstance(inside, (bytes, bytearray)):
        raise UsageError(f"data: {type(inside).__name__} are neither a column nor a path", "name the file that holds them, or give a column", "data")
    if re.search(r"Group(By|ed)", type(data).__name__):
        raise UsageError(
            f"data: a {type(data).__name__} has its records in groups", 'give the frame itself, with by="region", keys=["north", "south"]', "data"
        )


def _is_lazy(data: Any) -> bool:
    """Whether this is a LazyFrame, which must be collected."""
    return hasattr(data, "collect_schema") and hasattr(data, "collect")


def _names_of_table(data: Any) -> list[str] | None:
    """The columns of a table that names them before it is read; None for anything else."""
    if _is_lazy(data):
        return list(_asked(data, data.collect_schema).names())
    return _columns_of(data) if (_has_arrow(data) or _module(data) == "pandas") and _has_columns(data) else None


def _of_table(data: Any, counted: Mapping[str, Asked], others: list[str]) -> _core.Frame:
    """A frame of the counted columns and the columns of persons and keys, all of which exist."""
    if _is_lazy(data):
        lazy = _asked(data, lambda: data.select(_distinct([*counted, *others])))
        return _computed(_asked(data, lambda: lazy.clear().collect()), lazy.collect)
    if _module(data) == "pandas":
        return _of_pandas_frame(data, counted, others)
    selected = _selected(data, _distinct([*counted, *others]))
    if _module(data) in ("duckdb", "_duckdb", "ibis"):  # a relation or an expression is computed when it is exported
        return _computed(_asked(data, lambda: selected.limit(0)), lambda: selected)
    return _exported(selected, "")


def frame_of_several(data: Any, counted: Mapping[str, Asked], others: list[str]) -> _core.Frame:
    """A frame with several counted columns; `others` as for frame_of."""
    if is_path(data):
        raise UsageError(
            "data: a frame is expected, and this is a text", 'name a file of records below [input], file = "payroll.csv"', "data"
        )
    _refuse_what_is_no_data(data)
    names = _names_of_table(data)
    if names is not None:
        _require_columns(names, [*counted, *others], "data")
        return _of_table(data, counted, others)
    if hasattr(data, "__arrow_c_stream__"):  # a reader of batches
        frame = _exported(data, "")
        if frame.names != [""]:
            _require_columns(frame.names, [*counted, *others], "data")
            return frame
    raise UsageError(
        f"data: a {type(data).__name__} has no columns with names", "give a frame of pandas, polars, pyarrow or duckdb", "data"
    )


def frame_of(data: Any, column: str, others: list[str], asked: Asked, weight: str | None = None) -> tuple[_core.Frame, str]:
    """The frame, and the name of the column to publish. `others`: the columns of persons and keys; `weight`: the column of weights, which
    are numbers. No record decides whether the frame can be made: records that must be computed first are computed when they are counted."""
    _refuse_what_is_no_data(data)
    if _module(data) == "ibis" and not _has_columns(data) and hasattr(data, "as_table"):  # one column of ibis, which Arrow does not see
        data = data.as_table()
    names = _names_of_table(data)
    if names is not None:
        column = _chosen(names, column, [*others, weight] if weight else others)
        counted = {column: asked}
        if weight and weight != column:
            counted[weight] = replace(asked, kind="number", exact=True)
        return _of_table(data, counted, others), column
    if weight:
        others = [*others, weight]
    if others and not hasattr(data, "__arrow_c_stream__"):
        raise _one_column()
    name = column or str(getattr(data, "name", None) or getattr(data, "_name", None) or "value")
    if _is_array(data):
        return _of_array(data, name), name
    if _module(data) == "pandas":
        return _of_pandas_column(data, name, asked), name
    if _has_arrow(data):
        return _of_stream(data, name, column, others)
    if isinstance(data, (list, tuple)):
        return _cells.of_list(data, name, asked), name
    try:
        if not _is_scalar(data):
            return _core.Frame.of_numbers(data, name), name
    except TypeError:
        pass
    raise UsageError(f"data: a {type(data).__name__} is not a column of numbers", _HINT, "data")


def _of_pandas_column(data: Any, name: str, asked: Asked) -> _core.Frame:
    _check_pandas(data, name, asked.exact)
    if getattr(data.dtype, "kind", "O") in "iuf" and _module(data.dtype) == "numpy":
        return _of_array(data.to_numpy(), name)  # works without pyarrow
    times = _times.numbers_of(data)
    if times is not None:
        return _core.Frame.of_numbers(times[0], name, times[1])
    columns = _exported(_of_pandas(_without_records(data), name), name)
    return _core.Frame.later(columns, lambda: [_exported(_of_pandas(data, name), name)])
