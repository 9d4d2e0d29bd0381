"""Profiles: the counts of a column on a lattice. They merge, and are as sensitive as the data: they *are* the data."""

from __future__ import annotations

import datetime as dt
import json
import operator
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args, overload

from . import _core, _frames, _looks, _numbers, _times, _words
from ._arguments import suggesting
from ._choices import Null, PerPerson
from ._errors import DataError, Error, UsageError
from ._members import Unchanging
from ._numbers import Number
from ._release import Bound, Key, Keys, Step

_MAGIC = b"fractile-profile"
_OLD_FORMAT = "fractile profile 1"
_BOUNDS = "the smallest and largest possible value, known without looking at the data"


class Lattice(Unchanging):
    """The possible values, public and exact: `Lattice(0, 125, 1)`, or `Lattice(candidates=[...])` in increasing order.

    The values may also be dates or times: `Lattice(date(2020, 1, 1), date(2026, 1, 1), "1d")`.
    """

    def __init__(
        self,
        lower: Bound | None = None,
        upper: Bound | None = None,
        step: Step | None = None,
        *,
        candidates: Iterable[Bound] | None = None,
    ) -> None:
        if candidates is None and (lower is None or upper is None):
            raise UsageError(f"bounds is missing: {_BOUNDS}", "for ages, write Lattice(0, 125, 1)", "bounds")
        if candidates is None and step is None:
            raise UsageError("step is missing: the distance between possible values", "for whole numbers, write step=1", "step")
        if candidates is not None:
            if any(each is not None for each in (lower, upper, step)):
                raise UsageError("candidates takes the place of bounds and a step", "give one or the other", "candidates")
            points = _numbers.listed(candidates, "candidates")
            _numbers.warn_of_computed(candidates, points, "candidates")
            listed = _numbers.each_word(points, "candidates")
            if any(map(_times.is_time, listed)):
                self._core = _core.Lattice.of_words({"candidates": [",".join(listed)]})
            else:
                self._core = _core.Lattice.of([_numbers.exact_word(point, "candidates") for point in listed])
        elif any(isinstance(end, str) and _times.is_time(end) or _times.word(end, "bounds") for end in (lower, upper)):
            self._core = _core.Lattice.of_words(_words.words({"bounds": (lower, upper), "step": step}))
        else:
            low, high = (_numbers.exact_word(end, "bounds", public=True) for end in (lower, upper))
            self._core = _core.Lattice.regular(low, high, _numbers.exact_word(step, "step", public=True))

    def __len__(self) -> int:
        return int(self._core.size)

    @property
    def size(self) -> int:
        """The number of values, up to 2^62."""
        return int(self._core.size)

    @property
    def kind(self) -> str:
        """The kind of the values: "number", "date", "timestamp" or "instant"."""
        return self._core.kind

    @property
    def lower(self) -> Fraction | dt.date:
        """The smallest possible value."""
        return self._at(0)

    @property
    def upper(self) -> Fraction | dt.date:
        """The largest possible value."""
        return self._at(self.size - 1)

    def __getitem__(self, index: int) -> Fraction | dt.date:
        place = operator.index(index)
        if not 0 <= place < self.size:
            raise IndexError(index)
        return self._at(place)

    def _at(self, index: int) -> Fraction | dt.date:
        value = self._core.at(index)
        return value if self.kind == "number" else _times.of_ticks(self.kind, int(value))

    def _described(self) -> dict[str, Any]:
        if self.kind != "number":
            if not self._core.is_regular:
                return {"candidates": [self._core.text(i) for i in range(self.size)]}
            return {"lower": self._core.text(0), "upper": self._core.text(self.size - 1), "step": self._core.step_text}
        if self._core.is_regular:
            return {"lower": str(self.lower), "upper": str(self.upper), "step": str(self._core.step)}
        return {"candidates": [str(self._core.at(i)) for i in range(self.size)]}

    @classmethod
    def _over(cls, core: _core.Lattice) -> Lattice:
        lattice = cls.__new__(cls)
        lattice._core = core
        return lattice

    @classmethod
    def _of(cls, described: dict[str, Any]) -> Lattice:
        if "candidates" in described:
            return cls(candidates=described["candidates"])
        return cls(described["lower"], described["upper"], described["step"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lattice) and self._core.equals(other._core)

    def __hash__(self) -> int:
        return hash(json.dumps(self._described()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Lattice._of, (self._described(),)

    def __repr__(self) -> str:
        if not self._core.is_regular:
            texts = [str(self._core.at(i)) if self.kind == "number" else repr(self._core.text(i)) for i in range(min(self.size, 20))]
            more = f", ... {self.size - len(texts)} more" if self.size > len(texts) else ""
            return f"Lattice(candidates=[{', '.join(texts)}{more}])"
        if self.kind != "number":
            return f"Lattice({self._core.text(0)!r}, {self._core.text(self.size - 1)!r}, {self._core.step_text!r})"
        return f"Lattice({self.lower}, {self.upper}, {self._core.step})"


class Profile:
    """How many records lie at each position of a lattice, and how many of them may be one person's. Sensitive: a profile is the data."""

    def __init__(self, core: _core.Counted) -> None:
        self._core = core

    @property
    def lattice(self) -> Lattice:
        """The lattice on which the records were counted."""
        return Lattice._over(self._core.lattice)

    @property
    def records(self) -> int:
        """How many records count; with weights, how many units."""
        return self._core.records

    @property
    def counts(self) -> list[tuple[int, int]]:
        """(position, count), by increasing position. Position 2 i + 1 is candidate i; position 2 i lies between candidates i - 1 and i."""
        return self._core.counts

    @property
    def records_per_person(self) -> int:
        """The most records of one person in this profile: enforced by sampling if there is a `person`, declared otherwise."""
        return self._core.records_per_person

    @property
    def person(self) -> str:
        """The column by which persons' records were bounded; "" if the bound was declared."""
        return self._core.person

    @property
    def per_person(self) -> str:
        """How each person's records became one value, such as "sum"; "" if the records themselves count."""
        return self._core.per_person

    @property
    def declared(self) -> list[str]:
        """What else was declared and never checked: "disjoint_persons" if profiles were merged as those of different persons."""
        return ["disjoint_persons"] if self._core.disjoint_persons else []

    def merge(self, other: Profile, *, disjoint_persons: bool = False) -> Profile:
        """The profile of both columns together; `self | other` is the same.

        A person may be in both, so the bounds on records per person add up, unless `disjoint_persons` declares that no person is in both.
        Equal sampling keys do not help: each part has kept as many records of a person as it may.

        Raises:
            UsageError: the profiles were counted on different lattices, with different columns of persons, or differently in another way.
        """
        if not isinstance(other, Profile):
            raise UsageError(f"other: a Profile is expected, not {type(other).__name__}", "count it by fractile.profile(...)", "other")
        if self.lattice != other.lattice:
            raise UsageError("the profiles are over different lattices", "count both on the same one", "other")
        return Profile(self._core.merge(other._core, _words.flag(disjoint_persons, "disjoint_persons")))

    def __or__(self, other: Profile) -> Profile:
        return self.merge(other) if isinstance(other, Profile) else NotImplemented

    def write(
        self, output: str | os.PathLike[str], *, column: str, source: str = "memory", records_per_person: int | None = None
    ) -> None:
        """Writes a profile file, which only its owner can read, for `release(counts=output)` and `fractile release --counts`.

        The file says how many records of one person may be in it, as the profile does; `records_per_person` declares a larger number.

        Raises:
            UsageError: `output` already exists, or cannot be written; or `records_per_person` is less than the profile's.
        """
        bound = None if records_per_person is None else _numbers.whole(records_per_person, "records_per_person")
        self._core.write(_words.path(output, "output"), _words.text(column, "column"), _words.text(source, "source"), bound)

    def to_bytes(self) -> bytes:
        """The whole profile as the bytes of a profile file (docs/profile-format.md). These are as sensitive as the data."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, records_per_person: int | None = None) -> Profile:
        """Reads the bytes that to_bytes() returned, or those of a profile file of one column without groups.

        Bytes of earlier versions do not say how many records of one person they hold; `records_per_person` must say it for them.

        Raises:
            DataError: the bytes are something else.
            UsageError: `records_per_person` is missing, or less than the bytes say.
        """
        bound = None if records_per_person is None else _numbers.whole(records_per_person, "records_per_person")
        core = _read(bytes(data) if isinstance(data, (bytearray, memoryview)) else data, bound)
        return cls(core if bound is None else core.for_persons_of(bound))

    def __reduce__(self) -> tuple[Any, ...]:
        return Profile.from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        """Whether counts, lattices and bounds on records per person are equal."""
        return (
            isinstance(other, Profile)
            and self.records_per_person == other.records_per_person
            and self._core.counts_equal(other._core)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Profile over {self.lattice!r}, at most {self.records_per_person} a person: as sensitive as the data>"


def _read(data: bytes, records_per_person: int | None) -> _core.Counted:
    """A profile from its bytes. The error does not say what is wrong with the bytes, because that might quote them."""
    if isinstance(data, bytes) and data.startswith(_MAGIC):
        core = _read_file(data)
    else:
        core = _read_text(data, records_per_person or 1)
        if core is not None and records_per_person is None:
            raise UsageError(
                "records_per_person is missing: bytes of this older format do not say how many records of one person they hold",
                "say how many, as when they were counted: records_per_person=1",
                "records_per_person",
            )
    if core is None:
        raise DataError("these bytes are not a profile", "give what to_bytes() has returned")
    return core


def _read_file(data: bytes) -> _core.Counted | None:
    try:
        return _core.Counted.of_profile_bytes(data)
    except Error:
        return None


def _read_text(data: bytes | str, records_per_person: int) -> _core.Counted | None:
    """Reads the format that earlier versions of to_bytes() returned."""
    try:
        body = json.loads(data)
        if body["format"] != _OLD_FORMAT:
            return None
        positions = [position for position, _ in body["counts"]]
        counts = [count for _, count in body["counts"]]
        return _core.Counted.of_counts(Lattice._of(body["lattice"])._core, positions, counts, records_per_person)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, Error):
        return None


@overload
@suggesting
def profile(
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
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
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
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
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
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
    """Counts a column in memory on a lattice. The result is as sensitive as the data, and is not a release.

    With `by` and `keys`, there is a profile for each key.

    `person` is the column that identifies the person. At most `records_per_person` records of each person then count, over all keys
    together. The 32 bytes `sampling_key` decide which records these are, from each person's records alone: wherever all records of a
    person are together, equal sampling keys keep the same records. If it is left out, a key is drawn at random. Without `person`,
    `records_per_person` declares that no person has more records. The profile carries this bound to its release.

    With `per_person`, a person's records become one value; with `by`, one value in each group, and `records_per_person` is the number
    of groups in which a person may count.

    `missing` declares what counts as missing, in the column and in those of persons and weights: numbers by value, texts exactly. The
    profile carries this to its release.

    `weight` is a column of weights, with the smallest and the largest weight and their step. A record of weight w then counts as w /
    weight_step units, and the profile counts units.

    Raises:
        UsageError: an argument is wrong.
        DataError: the frame or a record is unusable.
    """
    _words.choice(null, "null", get_args(Null))
    _words.words({"column": column, "person": person, "by": by})  # refuses names that are not texts
    key = key_of_samples(sampling_key, person)
    possible = require_lattice(lattice)
    bound = _numbers.whole(records_per_person, "records_per_person")
    texts = [] if missing is None else _words.missing_texts(missing)
    groups = _words.groups(by, keys)
    others = [other for other in (person, *groups.by) if other]
    weights = _words.weight_words(weight, weight_bounds, weight_step)
    how = _words.per_person(per_person)
    frame, name = _frames.frame_in_memory(data, column or "", others, _asked(lattice, null, texts, how), weight)
    question = _core.Counted.of(
        name, possible, null == "error", person or "", bound, groups.by, groups.lists, groups.tuples, texts,
        per_person=how, weight=weights,
    )
    profiles = [Profile(core) for core in question.of_frame(frame, key).alone]
    return profiles[0] if by is None else dict(zip(groups.keys, profiles))


def key_of_samples(given: bytes | None, person: str | None) -> bytes:
    """The key that decides which of a person's records count: the given one, or one that is drawn."""
    if given is None:
        return secrets.token_bytes(32)
    if person is None:
        raise UsageError("sampling_key goes with person", "name the column of persons, or leave the key out", "sampling_key")
    if not isinstance(given, bytes) or len(given) != 32:
        raise UsageError("sampling_key: 32 bytes are expected", "write sampling_key=secrets.token_bytes(32)", "sampling_key")
    return given


def require_lattice(lattice: object) -> _core.Lattice:
    if not isinstance(lattice, Lattice):
        raise UsageError("lattice: a Lattice is expected", "write lattice=fractile.Lattice(0, 125, 1)", "lattice")
    return lattice._core


def lattice_of(bounds: tuple[Bound, Bound] | None, step: Step | None, candidates: Iterable[Bound] | None) -> Lattice:
    if bounds is None and candidates is None:
        raise UsageError(f"bounds is missing: {_BOUNDS}", "for ages, write bounds=(0, 125), step=1", "bounds")
    meant = "these are the smallest and the largest possible value"
    lower, upper = (None, None) if bounds is None else _numbers.pair(bounds, "bounds", meant, "write bounds=(0, 125)")
    if _looks.of_a_frame(bounds):
        _numbers.warn_of_the_data(bounds, "bounds")
    return Lattice(lower, upper, step, candidates=candidates)


def _asked(lattice: Lattice, null: Null, texts: Iterable[str] = (), per_person: str = "") -> _frames.Asked:
    exact = lattice.kind != "number" or _frames.are_doubles_exact(lattice._core.lower, lattice._core.upper)
    kind = "timestamp" if lattice.kind == "date" else lattice.kind
    return _frames.Asked(kind, exact, null != "error", texts=frozenset(texts), any_cells=per_person == "count")


@suggesting
def profile_of_counts(
    values: Any,
    counts: Any,
    *,
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    null: Null = "drop",
    records_per_person: int = 1,
    weight: str | None = None,
    weight_bounds: tuple[Number, Number] | None = None,
    weight_step: Number | None = None,
) -> Profile:
    """The profile of values that were counted elsewhere, for example by `SELECT value, count(*) ... GROUP BY value`.

    The k-th of `counts` is the number of records with the k-th of `values`. Both are columns: lists, arrays, or anything that exports
    Arrow. The number of records per person must have been bounded before counting: `records_per_person` declares this bound, and the
    profile keeps it. `Profile.write` writes a file to release from.

    `weight` is the name of the weights, with their bounds and step. The counts are then units of weight: each record counts as round(weight
    / weight_step) units, its weight clamped to the bounds.

    Raises:
        UsageError: an argument is wrong, or `values` and `counts` are not equally long.
        DataError: a value or a count is unusable.
    """
    _words.choice(null, "null", get_args(Null))
    lattice = lattice_of(bounds, step, candidates)
    bound = _numbers.whole(records_per_person, "records_per_person")
    frame, column = _frames.frame_in_memory(values, "", [], replace(_asked(lattice, null), declares=False))
    counted, name = _frames.frame_in_memory(counts, "", [], _frames.Asked(declares=False))
    weights = _words.weight_words(weight, weight_bounds, weight_step)
    return Profile(
        _core.Counted.of_counted(frame, column, counted, name, lattice._core, null == "error", bound, weights)
    )
