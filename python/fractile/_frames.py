"""Makes the library's Frame from anything that holds a column, without a copy. Nothing here imports pandas, polars or numpy. pyarrow is
imported only for types that pandas alone has."""

from __future__ import annotations

import difflib
import os
import sys
import weakref
from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import _cells, _core, _looks, _numbers, _times, _words
from ._cells import Asked as Asked
from ._errors import DataError, Error, UsageError, is_of_a_signal, warn

_HINT = "give a pandas, polars or pyarrow column or frame, a numpy array, a list of numbers, or the path of a file, a folder or a pattern"
_HINT_IN_MEMORY = "give a pandas, polars or pyarrow column or frame, a numpy array or a list of numbers; fractile.count() counts files"
_NO_COLUMNS = "the frame does not give its columns"
_NOT_COMPUTED = "the frame's records cannot be computed"
#: How alike names must be for a hint, from 0 to 1.
_ALIKE = 0.75
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


def _asked(data: Any, question: Callable[[], Any], what: str = _NO_COLUMNS) -> Any:
    """The frame's answer. An error that the frame raises is not passed on, because it may quote a value."""
    try:
        return question()
    except Error:
        raise
    except Exception as error:
        if is_of_a_signal(error):
            raise
        failure = type(error).__name__
    # Raised outside of `except`, so that the frame's error is not its context.
    raise DataError(f"{what}: {_looks.module(data)} raises {failure}", "collect or fetch it yourself to see why", "data")


def _exported(data: Any, name: str, what: str = _NO_COLUMNS) -> _core.Frame:
    hint = "give data that exports Arrow, such as pyarrow.array(...)"
    if _looks.has(data, "__arrow_c_stream__"):
        capsule = _asked(data, data.__arrow_c_stream__, what)
        if capsule is None:
            raise UsageError("data: __arrow_c_stream__ gives no capsule", hint, "data")
        return _core.Frame.of_stream(capsule, name)
    pair = _asked(data, data.__arrow_c_array__, what)
    if not isinstance(pair, tuple) or len(pair) != 2 or None in pair:
        raise UsageError("data: __arrow_c_array__ gives no pair of capsules", hint, "data")
    return _core.Frame.of_array(*pair, name)


def _computed(columns: Any, records: Callable[[], Any]) -> _core.Frame:
    """A frame that its library computes only when records are counted. `columns` is the same frame without records."""
    return _core.Frame.later(_exported(columns, ""), lambda: [_exported(_asked(columns, records, _NOT_COMPUTED), "", _NOT_COMPUTED)])


def _of_pandas(data: Any, name: str) -> Any:
    """A pandas column as an array of pyarrow, with missing values as NULL. (From version 3 on, pandas exports the same itself, by the same
    call.) Errors of pyarrow are not passed on, because they may quote a value."""
    pyarrow = _pyarrow(name)
    try:
        array = pyarrow.array(data)
    except (pyarrow.ArrowException, TypeError, ValueError):
        array = None
    if array is not None and not pyarrow.types.is_struct(getattr(array.type, "storage_type", array.type)):
        return array
    is_sparse = str(data.dtype).startswith("Sparse")
    what = "for which Arrow has no type" if array is None else "whose records have several fields"
    hint = f"give data[{name!r}].sparse.to_dense()" if is_sparse else "convert it to numbers or text first"
    raise DataError(f"column '{name}' has the dtype {data.dtype} {what}", hint, "data")


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        pass
    else:
        return pyarrow
    raise UsageError(f"column '{name}': pandas hands its own types over through pyarrow, which is not installed", "pip install pyarrow", "data")


def _names_of_pandas(data: Any, name: str, asked: Asked) -> Any:
    """A pandas column of persons or keys. Where one record may decide of which type the column is, each record becomes text by itself."""
    pyarrow = _pyarrow(name)
    one_by_one = _is_typed_by_records(data) and not _has_texts_as_categories(data)
    if not one_by_one:
        try:
            return pyarrow.array(data)
        except (pyarrow.ArrowException, TypeError):
            pass
        except ValueError:  # a text is not valid
            one_by_one = True
    if not one_by_one:  # outside of `except`, so that an error that may quote a value is not the context
        _of_pandas(_without_records(data), name)  # raises if Arrow has no type for the column
    return _cells.names_of(list(data), name, asked)


def _is_typed_by_records(data: Any) -> bool:
    """Whether the type of a pandas column depends on its records: objects are of any type, and so are categories."""
    return str(data.dtype) in ("object", "category")


def _has_texts_as_categories(data: Any) -> bool:
    """Whether Arrow has texts for this column of categories, as it would have for one whose records are all texts or missing. A column
    without categories has none: Arrow takes it for doubles."""
    categories = data.dtype.categories if str(data.dtype) == "category" else []
    return len(categories) > 0 and all(isinstance(category, str) for category in categories)


def _no_columns() -> DataError:
    return DataError("the frame has no columns", "give a frame that has the column to publish", "data")


def _require_columns(names: list[str], wanted: list[str], field: str) -> None:
    """Requires that each wanted column exists exactly once."""
    if wanted and not names:
        raise _no_columns()
    for name in wanted:
        if name not in names:
            listed = ", ".join(f"'{each}'" for each in names[:20]) + (", ..." if len(names) > 20 else "")
            near = [each for each in names if each.lower() == name.lower()] or difflib.get_close_matches(name, names, 1, _ALIKE)
            hint = f"did you mean '{near[0]}'?" if near else "name one of the columns"
            raise DataError(f"the frame has no column '{name}'; it has {listed}", hint, field)
        if names.count(name) > 1:
            raise DataError(f"the frame has more than one column '{name}'", "rename one of them", field)


def _chosen(names: list[str], column: str, others: list[str]) -> str:
    """The column to publish: the named one, or the only one. Each column must exist exactly once."""
    if not names:
        raise _no_columns()
    if not column and len(names) != 1:
        raise UsageError("column is missing: the frame has several", 'name the column to publish, column="age"', "column")
    _require_columns(names, [column, *others] if column else others, "column")
    return column or names[0]


def _distinct(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _selected(data: Any, names: list[str], columns: list[str]) -> Any:
    """The frame with only these of its columns, so that nothing else is exported."""
    if _looks.of_duckdb(data):  # by position, because DuckDB takes A and a for one name
        return data.project(", ".join(f"#{names.index(name) + 1} AS {_in_sql(name)}" for name in columns))
    if _looks.module(data) == "ibis":
        return data.select(*columns)
    return data.select(columns) if _looks.module(data) in ("polars", "pyarrow") else data


def _in_sql(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _of_pandas_frame(data: Any, counted: Mapping[str, Asked], others: list[str]) -> _core.Frame:
    """The frame, column by column. Columns are found by position, because labels may be numbers and pandas 2 copies a selection by list."""
    names = _looks.columns_of(data)
    columns = {name: data.iloc[:, names.index(name)] for name in _distinct([*counted, *others])}
    column, asked = next(iter(counted.items()))
    if len(counted) == 1 and not others:
        return _of_pandas_column(columns[column], column, asked)
    as_names = [name for name, of_it in counted.items() if of_it.any_cells and _is_typed_by_records(columns[name])]
    for name, of_it in counted.items():
        if name not in as_names:
            _check_pandas(columns[name], name, of_it)

    def table(of: Callable[[Any], Any]) -> Any:
        arrays = {
            name: _of_pandas(of(values), name) if name in counted and name not in as_names else _names_of_pandas(of(values), name, asked)
            for name, values in columns.items()
        }
        return _pyarrow(column).table(arrays)

    return _computed(table(_without_records), lambda: table(lambda values: values))


def _without_records(data: Any) -> Any:
    return data.iloc[:0] if _looks.has(data, "iloc") else data[:0]


def are_doubles_exact(*ends: Fraction) -> bool:
    """Whether every whole number between these bounds is a double."""
    return all(abs(end) <= 2**53 for end in ends)


def _check_pandas(data: Any, name: str, asked: Asked) -> None:
    """Requires a pandas column whose dtype decides how it is read."""
    if str(data.dtype) == "object":
        raise DataError(
            f"column '{name}' has the dtype object: how its records are read would depend on all of them",
            _typed_beforehand(asked.kind),
            "data",
        )
    if str(data.dtype).startswith("period["):  # Arrow would export their ordinals
        way = ".dt.to_timestamp()" if _looks.has(data, "dt") else ".to_timestamp()"
        raise DataError(f"column '{name}' holds periods, not numbers", f"convert it to times: {way}", "data")
    # When a whole number is missing, pandas turns the whole column into doubles. One record would then change the values of others.
    if str(data.dtype) == "float64" and not asked.exact:
        warn(
            f"column '{name}' holds doubles, and the bounds go beyond 2^53: if these are whole numbers and one of them is missing, pandas "
            'has rounded them, so that one record changes others; use a nullable type, astype("Int64") before the values are read'
        )


def _typed_beforehand(kind: str) -> str:
    """How to give a column of Python's objects a type that does not depend on them."""
    if kind == "number":
        return (
            'give it a type that is known beforehand: astype(float) or, for whole numbers, astype("Int64"); '
            "for Decimals, astype(pandas.ArrowDtype(pyarrow.decimal128(18, 2)))"
        )
    return f"give it a type that is known beforehand: pandas.to_datetime(column{', utc=True' if kind == 'instant' else ''})"


def _of_array(data: Any, name: str) -> _core.Frame:
    """An array of numpy, or of a type built on one: numbers, dates or times, some of which may be masked."""
    values, validity = _unmasked(data)
    if values.ndim != 1:
        raise _no_array(values, name)
    times = _times.numbers_of(values)
    numbers, type_of_times = (values, "") if times is None else times
    if numbers.dtype.kind not in "iuf" or numbers.dtype.itemsize > 8:
        raise _no_array(values, name)
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
    elif _looks.has(data, "mask") and _looks.has(data, "unmasked"):  # astropy
        values, mask = numpy.asarray(data.unmasked), numpy.broadcast_to(data.mask, data.shape)
    else:
        return numpy.asarray(data), b""
    if mask.dtype != bool or mask.ndim != 1:  # a mask of records
        return values, b""
    return values, numpy.packbits(~mask, bitorder="little").tobytes()


def _no_array(data: Any, name: str) -> UsageError:
    if data.ndim != 1:
        what = f"the array has {data.ndim} dimensions, and a column has one"
        hint = "give one of its columns, data[:, 0]" if data.ndim == 2 else "give one dimension of it"
    elif data.dtype.fields:
        what = "the array holds records, not numbers"
        fields = data.dtype.fields
        hint = f"give one of their fields, data[{name if name in fields else next(iter(fields))!r}]"
    else:
        wide = ", which are wider than 64 bits" if data.dtype.kind == "f" else ", not numbers"
        what, hint = f"the array holds {data.dtype}{wide}", "convert it first, data.astype(float)"
    return UsageError(f"data: {what}", hint, "data")


def _is_of(module: str, kind: str, data: Any) -> bool:
    """Whether the data have this type of a module, which need not be loaded."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(data, getattr(loaded, kind))


def _is_array(data: Any) -> bool:
    return _is_of("numpy", "ndarray", data)


def _one_column() -> UsageError:
    return UsageError("person, by and weight name columns of a frame, but the data are a single column", "give the frame", "data")


#: The readers that were read.
_READ: weakref.WeakSet[Any] = weakref.WeakSet()


def _of_reader(data: Any, name: str) -> _core.Frame:
    """What a stream hands over. A reader of batches gives its records once, and then looks like a table without records: reading it again
    would pay for noise. pyarrow does not say whether a reader was read, so those that were read here are remembered."""
    if not (_looks.module(data) == "pyarrow" and _looks.has(data, "read_next_batch")):
        return _exported(data, name)
    if data in _READ:
        hint = "give a new reader, or a table that you keep: reader.read_all()"
        raise UsageError("data: the reader was read before, and gives its records once", hint, "data")

    def records() -> list[_core.Frame]:
        _READ.add(data)
        return [_exported(data, name, _NOT_COMPUTED)]

    return _core.Frame.later(_exported(data.schema.empty_table(), name), records)


def _of_stream(data: Any, name: str, column: str, others: list[str]) -> tuple[_core.Frame, str]:
    """A column, or a table whose columns only the stream itself names, such as a reader of batches."""
    frame = _of_reader(data, name)
    if others and frame.names == [name]:
        raise _one_column()
    return frame, _chosen(frame.names, column, others)


def _refuse_what_is_no_data(data: Any) -> None:
    inside = data.obj if isinstance(data, memoryview) else data
    if isinstance(inside, (bytes, bytearray)):
        raise _bytes(inside)
    _words.refuse_profile(data, "data")
    if _looks.is_in_groups(data):
        raise UsageError(
            f"data: {_looks.kind_of(data)} has its records in groups",
            'give the frame itself, with by="region", keys=["north", "south"]',
            "data",
        )


def _bytes(inside: Any) -> UsageError:
    held = "are" if isinstance(inside, (bytes, bytearray)) else "holds bytes, which are"
    hint = "name the file that holds them, or give a column"
    if held != "are":
        hint += '; if the bytes are numbers, say of which type: memoryview(data).cast("d")'
    return UsageError(f"data: {type(inside).__name__} {held} neither a column nor a path", hint, "data")


def _names_of_table(data: Any) -> list[str] | None:
    """The columns of a table that names them before it is read; None for anything else."""
    if _looks.is_lazy(data):
        return list(_asked(data, data.collect_schema).names())
    is_table = (_looks.has_arrow(data) or _looks.module(data) == "pandas") and _looks.has_columns(data)
    return _looks.columns_of(data) if is_table else None


def _require_name(name: str, hint: str = "rename the column") -> None:
    """Requires a name that Arrow can hold."""
    if "\0" in name:
        raise UsageError("column: the name of a column has a NUL character", hint, "column")
    _numbers.require_text(name, "column")


def _require_names_of_polars(data: Any, columns: list[str]) -> None:
    """Requires that no column has a NUL character in its name, or in those of its fields. polars ends the process when it exports such a
    name."""
    if _looks.module(data) != "polars":
        return
    if _looks.has(data, "collect_schema"):
        schema = _asked(data, data.collect_schema)
        types = [schema[name] for name in columns]
    elif _looks.has(data, "dtype"):
        columns, types = [_own_name(data)], [data.dtype]
    else:
        return
    for name, each in zip(columns, types):
        _require_name(name)
        if each.is_nested() and r"\x00" in str(each):
            _require_name("\0", "rename the field")


def _of_table(data: Any, names: list[str], counted: Mapping[str, Asked], others: list[str]) -> _core.Frame:
    """A frame of the counted columns and the columns of persons and keys, all of which are among its columns `names`."""
    wanted = _distinct([*counted, *others])
    for name in wanted:
        _require_name(name)
    _require_names_of_polars(data, wanted)
    if _looks.is_lazy(data):
        lazy = _asked(data, lambda: data.select(wanted))
        return _computed(_asked(data, lambda: lazy.clear().collect()), lazy.collect)
    if _looks.module(data) == "pandas":
        return _of_pandas_frame(data, counted, others)
    selected = _asked(data, lambda: _selected(data, names, wanted))
    if _looks.of_duckdb(data) or _looks.module(data) == "ibis":  # a relation or an expression is computed when it is exported
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
        return _of_table(data, names, counted, others)
    if _looks.has(data, "__arrow_c_stream__"):  # a reader of batches
        frame = _of_reader(data, "")
        if frame.names != [""]:
            _require_columns(frame.names, [*counted, *others], "data")
            return frame
    raise UsageError(
        f"data: {_looks.kind_of(data)} has no columns with names", "give a frame of pandas, polars, pyarrow or duckdb", "data"
    )


def frame_in_memory(data: Any, column: str, others: list[str], asked: Asked, weight: str | None = None) -> tuple[_core.Frame, str]:
    """As frame_of, for functions that take no files."""
    if names_files(data):
        raise UsageError("data: this is a path, and a column in memory is expected", _HINT_IN_MEMORY, "data")
    return frame_of(data, column, others, asked, weight, _HINT_IN_MEMORY)


def frame_of(
    data: Any, column: str, others: list[str], asked: Asked, weight: str | None = None, hint: str = _HINT
) -> tuple[_core.Frame, str]:
    """The frame, and the name of the column to publish. `others`: the columns of persons and keys; `weight`: the column of weights, which
    are numbers. No record decides whether the frame can be made: records that must be computed first are computed when they are counted.
    `hint`: what to give in place of data that are no column."""
    _refuse_what_is_no_data(data)
    if _looks.module(data) == "ibis" and not _looks.has_columns(data) and _looks.has(data, "as_table"):
        data = data.as_table()  # one column of ibis, which Arrow does not see
    names = _names_of_table(data)
    if names is not None:
        column = _chosen(names, column, [*others, weight] if weight else others)
        counted = {column: asked}
        if weight and weight != column:
            counted[weight] = replace(asked, kind="number", exact=True)
        return _of_table(data, names, counted, others), column
    if weight:
        others = [*others, weight]
    if others and (_looks.module(data) == "pandas" or _is_array(data) or not _looks.has(data, "__arrow_c_stream__")):
        raise _one_column()
    name = column or _own_name(data) or "value"
    if not isinstance(data, (list, tuple)):
        _require_name(name, 'name the column: column="age"' if not column else "write it without")
    _require_names_of_polars(data, [])
    if _is_array(data):
        return _of_array(data, name), name
    if _looks.module(data) == "pandas" and _looks.has(data, "dtype") and _looks.has(data, "__getitem__"):
        return _of_pandas_column(data, name, asked), name
    if _looks.has_arrow(data):
        return _of_stream(data, name, column, others)
    if isinstance(data, (list, tuple)):
        return _cells.of_list(data, name, asked), name
    return _of_buffer(data, name, hint), name


def _own_name(data: Any) -> str:
    """The name that a column itself has; "" if it has none."""
    for attribute in ("name", "_name"):
        try:
            name = str(getattr(data, attribute) or "") if _looks.has(data, attribute) else ""
        except TypeError:  # pandas' NA is neither true nor false
            name = ""
        if name:
            return name
    return ""


#: The types of numbers in a buffer, in the notation of Python's struct.
_OF_NUMBERS = frozenset("bBhHiIlLqQefd")
_LITTLE = "<=@" if sys.byteorder == "little" else ">=@!"


def _of_buffer(data: Any, name: str, hint: str) -> _core.Frame:
    """An object with the buffer protocol, or DLPack's."""
    try:
        if not _is_of("numpy", "generic", data):  # one number or moment; the buffer of a moment has no format
            return _core.Frame.of_numbers(_buffer_of(data), name)
    except (TypeError, BufferError):
        pass
    raise UsageError(f"data: {_looks.kind_of(data)} is not a column of numbers", hint, "data")


def _buffer_of(data: Any) -> Any:
    """The buffer, in the form of a memoryview: it has strides, which ctypes leaves out. An object without a buffer stays what it is."""
    try:
        view = memoryview(data)
    except TypeError:
        return data
    if view.itemsize == 1 and not (isinstance(view.obj, array) or _is_array(view.obj) or _is_of("_ctypes", "Array", view.obj)):
        raise _bytes(view.obj)
    if view.ndim != 1 or view.format.lstrip(_LITTLE) not in _OF_NUMBERS:
        raise TypeError
    return view


def _of_pandas_column(data: Any, name: str, asked: Asked) -> _core.Frame:
    _check_pandas(data, name, asked)
    if getattr(data.dtype, "kind", "O") in "iuf" and _looks.module(data.dtype) == "numpy":
        return _of_array(data.to_numpy(), name)  # works without pyarrow
    times = _times.numbers_of(data)
    if times is not None:
        return _core.Frame.of_numbers(times[0], name, times[1])
    columns = _exported(_of_pandas(_without_records(data), name), name)
    return _core.Frame.later(columns, lambda: [_exported(_of_pandas(data, name), name)])
