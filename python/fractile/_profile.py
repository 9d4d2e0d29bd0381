"""Profiles: the counts of a column on a lattice. They merge, and are as sensitive as the data: they *are* the data."""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, overload

from . import _core, _frames, _numbers, _times, _words
from ._errors import DataError, UsageError
from ._release import Bound, Step

_FORMAT = "fractile profile 1"


class Lattice:
    """The possible values, public and exact: `Lattice(0, 125, 1)`, or `Lattice(candidates=[...])` in increasing order.

    Dates and times, too: `Lattice(date(2020, 1, 1), date(2026, 1, 1), "1d")`.
    """

    def __init__(
        self,
        lower: Bound | None = None,
        upper: Bound | None = None,
        step: Step | None = None,
        *,
        candidates: Iterable[Bound] | None = None,
    ) -> None:
        if candidates is not None:
            if (lower, upper, step) != (None, None, None):
                raise UsageError("candidates stands instead of bounds and a step", "give one or the other", "candidates")
            listed = [_numbers.word(point, "candidates", public=True) for point in candidates]
            if any(map(_times.is_time, listed)):
                self._core = _core.Lattice.of_words({"candidates": [",".join(listed)]})
            else:
                self._core = _core.Lattice.of([_numbers.fraction(point, "candidates") for point in listed])
        elif any(isinstance(end, str) and _times.is_time(end) or _times.word(end, "bounds") for end in (lower, upper)):
            self._core = _core.Lattice.of_words(_words.words({"bounds": (lower, upper), "step": step}))
        else:
            low, high = (_numbers.fraction(end, "bounds", public=True) for end in (lower, upper))
            self._core = _core.Lattice.regular(low, high, _numbers.fraction(step, "step", public=True))

    def __len__(self) -> int:
        return int(self._core.size)

    @property
    def size(self) -> int:
        """How many values, up to 2^62."""
        return int(self._core.size)

    @property
    def kind(self) -> str:
        """What the values are: "number", "date", "timestamp" or "instant"."""
        return self._core.kind

    @property
    def lower(self) -> Fraction | dt.date:
        return self._at(0)

    @property
    def upper(self) -> Fraction | dt.date:
        return self._at(self.size - 1)

    def __getitem__(self, index: int) -> Fraction | dt.date:
        if not 0 <= index < self.size:
            raise IndexError(index)
        return self._at(index)

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

    def __repr__(self) -> str:
        if not self._core.is_regular:
            texts = [str(self._core.at(i)) if self.kind == "number" else repr(self._core.text(i)) for i in range(min(self.size, 20))]
            return f"Lattice(candidates=[{', '.join(texts)}])"
        if self.kind != "number":
            return f"Lattice({self._core.text(0)!r}, {self._core.text(self.size - 1)!r}, {self._core.step_text!r})"
        return f"Lattice({self.lower}, {self.upper}, {self._core.step})"


class Profile:
    """How many records lie at each position of a lattice. Sensitive: it is the data, counted."""

    def __init__(self, core: _core.RankProfile) -> None:
        self._core = core

    @property
    def lattice(self) -> Lattice:
        """What its records were counted on."""
        return Lattice._over(self._core.lattice)

    @property
    def records(self) -> int:
        return self._core.records

    @property
    def counts(self) -> list[tuple[int, int]]:
        """(position, count) in increasing order: 2 i + 1 is on candidate i, 2 i between it and the one before."""
        return self._core.counts

    def merge(self, other: Profile) -> Profile:
        """The profile of both columns together."""
        if self.lattice != other.lattice:
            raise UsageError("the profiles are over different lattices", "count both on the same one", "other")
        return Profile(_core.RankProfile.merge(self._core, other._core))

    __or__ = merge

    def write(
        self, output: str | os.PathLike[str], *, column: str, source: str = "memory", records_per_person: int = 1
    ) -> None:
        """Writes a profile file, which `release(counts=output)` and `fractile release --counts` read, for its owner alone.

        `records_per_person` declares that nobody has more records in it.

        Raises:
            UsageError: `output` is there already, or cannot be written.
        """
        self._core.write(os.fspath(output), column, source, records_per_person)

    def to_bytes(self) -> bytes:
        """All of it, as text in UTF-8. It is as sensitive as the data."""
        body = {"format": _FORMAT, "lattice": self.lattice._described(), "counts": self.counts}
        return json.dumps(body, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Profile:
        """What to_bytes() gave.

        Raises:
            DataError: for anything else.
        """
        try:
            body = json.loads(data)
            if body["format"] != _FORMAT:
                raise ValueError
            lattice = Lattice._of(body["lattice"])
            positions = [position for position, _ in body["counts"]]
            counts = [count for _, count in body["counts"]]
            return cls(_core.RankProfile.of_counts(lattice._core, positions, counts))
        except (ValueError, KeyError, TypeError):
            raise DataError("these bytes are no profile", "give what to_bytes() has returned") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self._core.equals(other._core)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Profile over {self.lattice!r}: as sensitive as the data>"


@overload
def profile(
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
    null: str = "drop",
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
) -> Profile: ...


@overload
def profile(
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
    null: str = "drop",
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
    by: str,
    keys: Iterable[str],
) -> dict[str, Profile]: ...


def profile(
    data: Any,
    column: str | None = None,
    *,
    lattice: Lattice,
    null: str = "drop",
    person: str | None = None,
    records_per_person: int = 1,
    sampling_key: bytes | None = None,
    by: str | None = None,
    keys: Iterable[str] | None = None,
) -> Profile | dict[str, Profile]:
    """Counts a column in memory on a lattice. What comes back is as sensitive as the data, and is no release.

    With `person`, a column, at most `records_per_person` records of each person count, over all keys together. Which ones, the 32 bytes
    `sampling_key` decide, from each person's own records alone: wherever all records of a person are together, equal keys keep equal
    records. Without it a key is drawn from the system. With `by` and `keys` there is a profile for each key.

    Raises:
        UsageError: an argument is wrong.
        DataError: the frame or a record is unusable.
    """
    if null not in ("drop", "error"):
        raise UsageError(f"null: '{null}' is not known", 'choose one of "drop", "error"', "null")
    _words.words({"column": column, "person": person, "by": by})  # texts, all that are given
    if sampling_key is not None and person is None:
        raise UsageError("sampling_key goes with person", "name the column of persons, or leave the key out", "sampling_key")
    exact = lattice.kind != "number" or _frames.are_doubles_exact(lattice._core.lower, lattice._core.upper)
    frame, name = _frames.frame_of(data, column or "", [other for other in (person, by) if other], exact)
    if person is None and by is None and keys is None:
        return Profile(_core.RankProfile.of_frame(frame, name, lattice._core, null == "error"))
    key = secrets.token_bytes(32) if sampling_key is None else sampling_key
    listed = _words.keys(keys)
    cores = _core.RankProfile.selected(
        frame, name, lattice._core, null == "error", person or "", records_per_person, key, by or "", listed
    )
    profiles = [Profile(core) for core in cores]
    return profiles[0] if by is None else dict(zip(listed, profiles))


def profile_of_counts(
    values: Any,
    counts: Any,
    *,
    bounds: tuple[Bound, Bound] | None = None,
    step: Step | None = None,
    candidates: Iterable[Bound] | None = None,
    null: str = "drop",
) -> Profile:
    """The profile of values that somebody has counted: whatever can `SELECT value, count(*) ... GROUP BY value`.

    The k-th of `values` stands for as many records as the k-th of `counts` says. Both are columns: lists, arrays, whatever speaks Arrow.
    Contributions of persons must have been bounded before they were counted. `Profile.write` makes a file of it to release from.

    Raises:
        UsageError: an argument is wrong, or the two are not equally long.
        DataError: a value or a count is unusable.
    """
    if null not in ("drop", "error"):
        raise UsageError(f"null: '{null}' is not known", 'choose one of "drop", "error"', "null")
    lower, upper = (None, None) if bounds is None else bounds
    lattice = Lattice(candidates=candidates) if candidates is not None else Lattice(lower, upper, step)
    exact = lattice.kind != "number" or _frames.are_doubles_exact(lattice._core.lower, lattice._core.upper)
    frame, column = _frames.frame_of(values, "", [], exact)
    counted, name = _frames.frame_of(counts, "", [], True)
    return Profile(_core.RankProfile.of_counted(frame, column, counted, name, lattice._core, null == "error"))
