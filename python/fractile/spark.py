"""Quantiles of a Spark DataFrame, and whole publications: counted where the records are, and released once, in the driver.

>>> import fractile.spark
>>> r = fractile.spark.release(df, "income", bounds=(0, 500_000), step=1, epsilon=1)  # doctest: +SKIP

Each task counts its records with this package, and the counts are merged. The result is bit for bit what one machine would count.
(docs/proofs/profile_merging.md)
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args, overload

from . import _core, _errors, _frames, _numbers, _words
from ._arguments import Event, require_event, suggesting
from ._choices import Base, Mechanism, Neighbors, Null, Of, PerPerson, Quantiles, Rates
from ._errors import DataError, InternalError, UsageError
from ._numbers import Number
from ._profile import Profile, key_of_samples, lattice_of
from ._publication import PublishedTables, _publication_in, _published
from ._release import Bound, Key, Keys, Release, Step, _released

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # pyright: ignore[reportMissingImports]

    from ._ledger import Ledger

__all__ = ["profile", "publish", "release"]

#: The schema of a task's result: the numbers of the tasks that counted, a profile file's bytes for each question, and the buckets of the
#: persons in these profiles; or an error.
_RESULT_SCHEMA = "tasks array<int>, counts array<binary>, buckets array<int>, error string"
_ROWS_AT_ONCE = 1_000_000
_LEAST_CORES_THAT_MERGE = 16
_MOST_MERGING_TASKS = 64
_LEAST_BUCKETS = 16_384
_LOGS = "see Spark's logs, which may hold values of the data"


# --- On the workers ---------------------------------------------------------------------------------------------------


class _Sum:
    """Merges the parts of one question's answer, always two sums of about equally many parts. `_all_parts` checks that no person is in
    two."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, _core.Counted]] = []

    def add(self, part: _core.Counted) -> None:
        size = 1
        while self._waiting and self._waiting[-1][0] <= size:
            smaller, before = self._waiting.pop()
            size, part = size + smaller, before.merge(part, True)
        self._waiting.append((size, part))

    def total(self) -> _core.Counted | None:
        total = None
        for _, part in reversed(self._waiting):
            total = part if total is None else part.merge(total, True)
        return total


def _bytes_of(sums: list[_Sum]) -> list[bytes] | None:
    """The totals as bytes; None if nothing was added."""
    totals = [total.to_bytes() for total in (each.total() for each in sums) if total is not None]
    return totals or None


def _row(tasks: list[int], counts: list[bytes] | None, buckets: list[int], error: str | None) -> Any:
    import pyarrow as pa

    many = pa.list_(pa.int32())
    columns = [pa.array([tasks], many), pa.array([counts], pa.list_(pa.binary())), pa.array([buckets], many), pa.array([error], pa.string())]
    return pa.RecordBatch.from_arrays(columns, names=["tasks", "counts", "buckets", "error"])


def _this_task() -> int:
    try:
        from pyspark import TaskContext  # pyright: ignore[reportMissingImports]
    except ImportError:
        return 0
    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


class _Task:
    """The work of a task. Its exceptions hold no value of the data: this package's errors hold none, and of other errors only the class is
    shown. Errors of this package are returned as results, since another attempt would fail again. After other errors Spark tries again."""

    def __init__(self) -> None:
        self.version = _core.version

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            if _core.version != self.version:
                raise UsageError(f"a worker has fractile {_core.version}, and the driver {self.version}", "install the same everywhere")
            return iter(self.rows(batches))
        except Exception as error:
            failure = error
        # Raised outside of `except`, so that the failure is not the context of another error.
        if isinstance(failure, _errors.Error) and not isinstance(failure, InternalError):
            told = [type(failure).__name__, failure.message, failure.hint, failure.field]
            return iter([_row([_this_task()], None, [], json.dumps(told))])
        raise InternalError(f"counting failed on a worker: {type(failure).__name__}", _LOGS)

    def rows(self, batches: Iterator[Any]) -> list[Any]:
        raise NotImplementedError


class _Count(_Task):
    """Counts records for all questions. All are about the same persons, and each has its sampling key. The columns are those in `names`, in
    this order; with persons, a column of their buckets follows. Questions marked in `of_sample` are about one sample of whole records, and
    share one key. `cells`: for a question about groups that are made of cells, the question about the cells, and the group of each cell."""

    def __init__(
        self,
        questions: list[bytes],
        names: list[str],
        sampling_keys: list[bytes],
        of_sample: Sequence[bool] = (),
        cells: Sequence[tuple[bytes, list[int]] | None] = (),
    ) -> None:
        super().__init__()
        self.questions = questions
        self.names = names
        self.sampling_keys = sampling_keys
        self.of_sample = list(of_sample) or [False] * len(questions)
        self.cells = list(cells) or [None] * len(questions)

    def rows(self, batches: Iterator[Any]) -> list[Any]:
        import pyarrow as pa

        questions = [_core.Counted.of_bytes(each) for each in self.questions]
        cells = [(None, []) if each is None else (_core.Counted.of_bytes(each[0]), each[1]) for each in self.cells]
        person = questions[0].person
        buckets: set[int] = set()
        sums = [_Sum() for _ in questions]
        # A sample is drawn from all records of a person at once.
        for gathered in _gathered(batches, None if person else _ROWS_AT_ONCE):
            table = pa.Table.from_batches(gathered)
            if person:
                buckets.update(table.column(len(self.names)).unique().to_pylist())
                table = table.select(range(len(self.names)))
            frame = _core.Frame.of_stream(table.rename_columns(self.names).__arrow_c_stream__(), "")
            frame.use_threads(1)  # a task has one core
            sampled = [place for place, is_of_sample in enumerate(self.of_sample) if is_of_sample]
            if sampled:
                key = self.sampling_keys[sampled[0]]
                for place, part in zip(sampled, _core.Counted.of_sample([questions[place] for place in sampled], frame, key)):
                    sums[place].add(part)
            for place, question in enumerate(questions):
                if not self.of_sample[place]:
                    sums[place].add(question.of_frame(frame, self.sampling_keys[place], *cells[place]))
        counts = _bytes_of(sums)
        return [] if counts is None else [_row([_this_task()], counts, sorted(buckets), None)]


def _gathered(batches: Iterable[Any], most: int | None) -> Iterator[list[Any]]:
    """Batches, gathered into lists that have at least `most` records; one list if `most` is None."""
    gathered: list[Any] = []
    records = 0
    for batch in batches:
        gathered.append(batch)
        records += batch.num_rows
        if most is not None and records >= most:
            yield gathered
            gathered, records = [], 0
    if gathered:
        yield gathered


class _Merge(_Task):
    """Merges the counts of tasks."""

    def rows(self, batches: Iterator[Any]) -> list[Any]:
        tasks: list[int] = []
        buckets: list[int] = []
        errors: list[Any] = []
        sums: list[_Sum] = []
        for batch in batches:
            for row in batch.to_pylist():
                if row["error"] is not None:
                    errors.append(_row(row["tasks"], None, [], row["error"]))
                    continue
                tasks.extend(row["tasks"])
                buckets.extend(row["buckets"])
                sums = sums or [_Sum() for _ in row["counts"]]
                for counts, its_sum in zip(row["counts"], sums):
                    its_sum.add(_core.Counted.of_bytes(counts))
        total = _bytes_of(sums)
        return errors or ([] if total is None else [_row(tasks, total, buckets, None)])


# --- In the driver ----------------------------------------------------------------------------------------------------


def _distinct(numbers: list[int]) -> bool:
    return len(set(numbers)) == len(numbers)


def _all_parts(questions: list[_core.Counted], rows: list[Any]) -> list[_core.Counted]:
    """The counts of all tasks together, one per question. Raises the error of the first task that failed."""
    failed = sorted((min(row["tasks"]), row["error"]) for row in rows if row["error"] is not None)
    if failed:
        name, message, hint, field = json.loads(failed[0][1])
        raise getattr(_errors, name)(message, hint, field)
    # Spark promises that each task's counts arrive once, and that all records of a person are in one task. The bound on records per person
    # relies on both promises, so both are checked.
    if not _distinct([task for row in rows for task in row["tasks"]]):
        raise InternalError("Spark has given the counts of one task twice")
    if not _distinct([bucket for row in rows for bucket in row["buckets"]]):
        raise InternalError("Spark has sent records of one person to several tasks")
    answers = []
    for place, question in enumerate(questions):
        its_sum = _Sum()
        its_sum.add(question)
        for row in rows:
            its_sum.add(_core.Counted.of_bytes(bytes(row["counts"][place])))
        answers.append(its_sum.total() or question)
    return answers


def _failure_of(error: Exception) -> _errors.Error:
    """An error for Spark's error, without Spark's message, which may hold values of the data."""
    condition = str(getattr(error, "getCondition", lambda: None)() or "")
    if condition == "PYTHON_EXCEPTION":
        has_all = "No module named" not in str(error)
        hint = _LOGS if has_all else "every worker's Python, PYSPARK_PYTHON, needs fractile in the driver's version, and pyarrow"
        return InternalError("Python failed on a worker" + ("" if has_all else ": it does not have the packages that it needs"), hint)
    if re.fullmatch(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*", condition):  # Spark's name of the error
        return DataError(f"Spark cannot make the frame: {condition}", _LOGS)
    return InternalError(f"Spark failed: {type(error).__name__}", _LOGS)


def _buckets(partitions: object) -> int:
    """How many buckets persons are divided into. The setting of Spark is no number where Spark chooses the tasks by itself ("auto")."""
    text = str(partitions or "")
    return max(_LEAST_BUCKETS, 16 * int(text) if text.isdecimal() else 0)


class _Counter:
    """Counts a DataFrame's columns. The library calls it only after all refusals, when the cost is reserved.

    `others`: columns that are read in addition to `columns`, or to the frame's only column."""

    cancel: Event | None = None

    def __init__(self, df: DataFrame, columns: list[str], others: list[str], field: str = "column") -> None:
        if not (type(df).__module__.startswith("pyspark.") and hasattr(df, "mapInArrow")):
            raise UsageError(
                f"df: a DataFrame of Spark is expected, not {type(df).__name__}", "release other data by fractile.release(...)", "df"
            )
        if df.isStreaming:
            raise UsageError("df: a stream has no end", "release tables", "df")
        self._session = df.sparkSession
        fields = df.schema.fields
        names = [field.name for field in fields]
        columns = columns or [_frames._chosen(names, "", others)]
        _frames._require_columns(names, [*columns, *others], field)
        self.column = columns[0]
        self._names = _frames._distinct([*columns, *others])
        plan = getattr(df, "_jdf", None)
        if plan is None:  # Spark Connect
            raise UsageError(
                "df: a session of Spark Connect does not say whether a frame is deterministic",
                "release from a session of the cluster itself, SparkSession.builder.master(...)",
                "df",
            )
        if not plan.queryExecution().analyzed().deterministic():
            raise DataError(
                "the frame is not deterministic: a task that is tried again would see other records",
                "write it to a table first, and release that",
                "df",
            )
        self._places = [names.index(name) for name in self._names]
        self._fields = [fields[place] for place in self._places]
        # Columns are named by position, whatever their names mean in SQL.
        self._columns = df.toDF(*(f"c{i}" for i in range(len(names)))).selectExpr(*(f"c{place}" for place in self._places))

    def columns(self) -> _core.Frame:
        """A frame without records. The types of its columns alone decide how they are read."""
        import pyarrow as pa
        from pyspark.sql.pandas.types import to_arrow_type  # pyright: ignore[reportMissingImports]
        from pyspark.sql.types import TimestampType  # pyright: ignore[reportMissingImports]

        def arrow_type(field: Any) -> Any:
            if isinstance(field.dataType, TimestampType):
                return pa.timestamp("us", tz="UTC")
            try:
                return to_arrow_type(field.dataType)
            except Exception:
                return None

        types = [(field.name, arrow_type(field)) for field in self._fields]
        for name, known in types:
            if known is None:
                raise DataError(f"column '{name}' has a type of Spark that cannot be counted", "choose a column of numbers", "df")
        return _core.Frame.of_stream(pa.schema(types).empty_table().__arrow_c_stream__(), "")

    def count(
        self,
        questions: list[_core.Counted],
        sampling_keys: list[bytes],
        of_sample: Sequence[bool] = (),
        cells: Sequence[tuple[_core.Counted, list[int]] | None] = (),
    ) -> list[_core.Counted]:
        """Counts all questions in one job; all are about the same persons. `of_sample` and `cells` as in _Count."""
        records = self._columns
        if questions[0].person:
            person = f"c{self._places[self._names.index(questions[0].person)]}"
            buckets = _buckets(self._session.conf.get("spark.sql.shuffle.partitions"))
            records = records.selectExpr("*", f"pmod(hash({person}), {buckets}) AS bucket")
            if not questions[0].refuses_missing:  # otherwise all records without a person would go to one task
                records = records.where(f"{person} IS NOT NULL")
            records = records.repartition("bucket")
        of_cells = [None if each is None else (each[0].to_bytes(), each[1]) for each in cells]
        count = _Count([question.to_bytes() for question in questions], self._names, sampling_keys, of_sample, of_cells)
        parts = records.mapInArrow(count, _RESULT_SCHEMA)
        cores = self._cores()
        if cores >= _LEAST_CORES_THAT_MERGE:
            # Counts that wait in a shuffle are lost with their worker; counts that have reached the driver are not.
            parts = parts.repartition(min(cores, _MOST_MERGING_TASKS), "tasks").mapInArrow(_Merge(), _RESULT_SCHEMA)
        return _all_parts(questions, self._run(parts.collect))

    def rows(self) -> int:
        return int(self._run(self._columns.count))

    def engine(self) -> str:
        return f"Spark {self._session.version}"

    def _cores(self) -> int:
        return int(self._session.sparkContext.defaultParallelism)

    def _run(self, job: Callable[[], Any]) -> Any:
        """Runs a job that an interrupt or an event cancels: on a separate thread, since a thread that talks to Spark cannot be
        interrupted."""
        from pyspark import InheritableThread  # pyright: ignore[reportMissingImports]

        tag = f"fractile-{uuid.uuid4()}"
        answers: list[Any] = []
        failures: list[_errors.Error] = []

        def work() -> None:
            self._session.addTag(tag)
            try:
                answers.append(job())
            except Exception as error:
                failures.append(_failure_of(error))
            finally:
                self._session.removeTag(tag)

        thread = InheritableThread(target=work, session=self._session)
        thread.daemon = True
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
                _errors.look_at(self.cancel)
        except BaseException:
            self._session.interruptTag(tag)
            raise
        if failures:
            raise failures[0]
        return answers[0]


@overload
@suggesting
def profile(
    df: DataFrame,
    column: str | None = None,
    *,
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    null: Null = "drop",
    missing: Iterable[Number] | None = None,
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
    per_person: PerPerson | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    by: None = None,
    keys: None = None,
) -> Profile: ...


@overload
@suggesting
def profile(
    df: DataFrame,
    column: str | None = None,
    *,
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    null: Null = "drop",
    missing: Iterable[Number] | None = None,
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
    per_person: PerPerson | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    by: str | Sequence[str],
    keys: Keys,
) -> dict[Key, Profile]: ...


@suggesting
def profile(
    df: DataFrame,
    column: str | None = None,
    *,
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    null: Null = "drop",
    missing: Iterable[Number] | None = None,
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
    per_person: PerPerson | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    by: str | Sequence[str] | None = None,
    keys: Keys | None = None,
) -> Profile | dict[Key, Profile]:
    """Counts a column on the workers, as `fractile.profile` does on one machine: equal, bit for bit.

    The result is as sensitive as the data, and is not a release. The possible values are given as for `release`; the other arguments are
    those of `fractile.profile`. With `person`, records are shuffled by person. A person's sample is a function of the sampling key and of
    that person's records alone.

    Raises:
        UsageError: an argument is wrong.
        DataError: the frame or a record is unusable.
    """
    _words.choice(null, "null", get_args(Null))
    key = key_of_samples(sampling_key, person)
    lattice = lattice_of(bounds, step, candidates)
    groups = _words.groups(by, keys)
    counter = _Counter(df, [column] if column else [], [other for other in (person, *groups.by, weight) if other])
    weights = _words.weight_words(weight, weight_bounds, weight_step)
    texts = [] if missing is None else _words.missing_texts(missing)
    bound = _numbers.whole(records_per_person, "records_per_person")
    question = _core.Counted.of(
        counter.column, lattice._core, null == "error", person or "", bound, groups.by, groups.lists, groups.tuples, texts,
        per_person=_words.per_person(per_person), weight=weights,
    )
    question.of_frame(counter.columns(), key)  # refuses types that do not go together
    profiles = [Profile(core) for core in counter.count([question], [key])[0].alone]
    return profiles[0] if by is None else dict(zip(groups.keys, profiles))


@suggesting
def release(
    df: DataFrame,
    column: str | None = None,
    *,
    quantiles: Quantiles | Iterable[Number] | None = None,
    synthetic_rows: int | None = None,
    bounds: tuple[Bound, Bound] | str | None = None,
    step: Step | None = None,
    bounds_budget: Number | None = None,
    candidates: Iterable[Bound] | None = None,
    by: str | Sequence[str] | None = None,
    keys: Keys | None = None,
    keys_file: str | os.PathLike[str] | None = None,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    neighbors: Neighbors | None = None,
    records_per_person: int | None = None,
    person: str | None = None,
    per_person: PerPerson | None = None,
    weight_stability: int | None = None,
    public_rows: bool = False,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    again: bool = False,
    source: str | None = None,
    mechanism: Mechanism | None = None,
    expected_rows: int | None = None,
    expected_weight: Number | None = None,
    no_interpolation: bool = False,
    base: Base | None = None,
    rates: Rates | None = None,
    intervals: Number | None = None,
    of: Of | None = None,
    together: bool = False,
    count: bool = False,
    below: Bound | Iterable[Bound] | None = None,
    mean: bool = False,
    count_budget: Number | None = None,
    null: Null | None = None,
    missing: Iterable[Number] | None = None,
    receipt: str | os.PathLike[str] | None = None,
    unsafe_seed: int | None = None,
    cancel: Event | None = None,
) -> Release:
    """Publishes quantiles of a column with differential privacy. Records are counted on the workers; the ledger is the driver's.

    The arguments are those of `fractile.release`, with the same meaning and the same defaults; the same seed gives the same quantiles as on
    one machine. Each record of the frame must depend on only one record of the data; otherwise `records_per_person` and `person` must
    account for it. Fractile does not inspect how the frame is made.

    Args:
        df: a DataFrame whose columns have declared types. Do not use inferSchema, nor casts of text: their errors quote values.
        column: the column to publish: numbers, dates or timestamps, never text.

    Raises:
        UsageError: an argument is wrong; nothing was read.
        DataError: the frame or a record is unusable.
        BudgetError: the ledger refuses; nothing was spent.
        LedgerError: the ledger is unusable.
        CanceledError: `cancel` was set; the job was canceled.
    """
    words = _words.words({name: value for name, value in locals().items() if name not in ("df", "keys", "cancel")})
    require_event(cancel)
    groups = _words.groups(by, keys)
    counter = _Counter(df, [column] if column else [], [name for name in (person, *groups.by, weight) if name])
    counter.cancel = cancel
    words["column"] = [counter.column]
    return _released(words, [], groups, counter.columns(), counter, cancel)


@suggesting
def publish(
    file: str | os.PathLike[str],
    df: DataFrame,
    *,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    again: bool = False,
    source: str | None = None,
    output: str | os.PathLike[str] | None = None,
    duckdb: str | os.PathLike[str] | None = None,
    unsafe_seed: int | None = None,
    cancel: Event | None = None,
) -> PublishedTables:
    """Publishes all tables of a publication's file from a Spark DataFrame. One job counts all tables; the ledger is the driver's.

    The arguments are those of `fractile.publish`, with the same meaning and the same defaults; the same seed gives the same values as on
    one machine. The frame must meet the same conditions as for `release`.

    Args:
        file: the path of the publication's file. Its [input] names no records, but may say what counts as missing.
        df: a DataFrame with the columns that the file names: numbers, dates or timestamps; columns of persons and keys may also be text.

    Raises:
        UsageError: an argument is wrong, or [input] names records; nothing was read.
        DataError: the publication's file, the frame or a record is unusable.
        BudgetError: the ledger refuses, or the file's budget has nothing left; nothing was spent.
        LedgerError: the ledger is unusable.
        CanceledError: `cancel` was set; the job was canceled.
    """
    words = _words.words({name: value for name, value in locals().items() if name not in ("file", "df", "cancel")})
    require_event(cancel)
    publication = _publication_in(file, words)
    publication.require_no_records()
    counter = _Counter(df, [name for name, *_ in publication.columns], list(publication.names), "df")
    counter.cancel = cancel
    return _published(publication, words, counter.columns(), counter, cancel)
