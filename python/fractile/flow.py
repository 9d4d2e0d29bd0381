"""What a release is worth to an analyst, and whether a smaller epsilon can be worth more. Fractions in, fractions out.

>>> from fractions import Fraction
>>> from fractile import flow
>>> truth = flow.Channel([["3/4", "1/4"], ["1/4", "3/4"]])
>>> noise = flow.Channel([["2/3", "1/3"], ["1/3", "2/3"]])
>>> truth.refines(noise).verdict
'refines'
>>> noise.refines(truth).verdict
'does not refine'
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple, Union

from . import _core, _numbers, _words
from ._errors import DataError, UsageError
from ._members import Unchanging, documented
from ._numbers import Number

Rows = list[list[Fraction]]
#: A pipeline's file, or a Pipeline.
PipelineLike = Union["Pipeline", str, os.PathLike]  # type: ignore[type-arg]


@documented
class Bounds(NamedTuple):
    """A real number, enclosed by two exact numbers. If both are equal, they are the number itself.

    Attributes:
        lower: a lower bound of the number.
        upper: an upper bound of the number.
    """

    lower: Fraction
    upper: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the number itself."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)


@documented
class Counterexample(NamedTuple):
    """An analyst to whom the second channel is worth more than the first: their expected loss with it is smaller.

    Attributes:
        prior: the analyst's prior: how likely each secret is.
        losses: what each action costs the analyst: one row per secret, one column per action.
        actions: the names of the actions.
        loss_from: the analyst's expected loss with the first channel (`a` in `a.refines(b)`).
        loss_to: the analyst's expected loss with the second channel (`b`).
    """

    prior: list[Fraction]
    losses: Rows
    actions: list[str]
    loss_from: Fraction
    loss_to: Fraction


class Refinement:
    """A verdict with its certificate: "refines", "does not refine" or "undecided"."""

    def __init__(self, core: _core.Refinement, first: Channel, second: Channel) -> None:
        self._core, self._first, self._second = core, first, second

    @property
    def verdict(self) -> str:
        """"refines", "does not refine" or "undecided"."""
        return self._core.verdict

    @property
    def reason(self) -> str:
        """Why it is so, in words."""
        return self._core.reason

    @property
    def witness(self) -> Rows | None:
        """The stochastic matrix that leads from the first channel to the second one; None if there is none."""
        return self._core.witness

    @property
    def counterexample(self) -> Counterexample | None:
        """An analyst to whom the second channel is worth more; None if there is none."""
        found = self._core.counterexample
        return None if found is None else Counterexample(*found)

    def verify(self) -> bool:
        """Checks the certificate by multiplying, adding and comparing exactly. Shares no code with the search for certificates."""
        return self._core.verify(self._first._core, self._second._core)

    def __bool__(self) -> bool:
        if self.verdict == "undecided":
            raise UsageError(f"it is undecided: {self.reason}", "ask for its verdict", "")
        return self.verdict == "refines"

    def __reduce__(self) -> tuple[Any, ...]:
        return Channel.refines, (self._first, self._second)  # decided again, the same way

    def __repr__(self) -> str:
        return f"<Refinement: {self.verdict}; {self.reason}>"


def _rows(rows: Iterable[Iterable[Number]], field: str) -> list[list[str]]:
    return [_exact_words(row, field) for row in _numbers.listed(rows, field)]


def _exact_words(numbers: Iterable[Number], field: str) -> list[str]:
    return [_numbers.exact_word(number, field) for number in _numbers.listed(numbers, field)]


def _names(names: Sequence[str], field: str) -> list[str]:
    return [_words.text(name, field) for name in _numbers.listed(names, field)]


def _channel(channel: object) -> _core.Channel:
    if not isinstance(channel, Channel):
        raise UsageError(f"a Channel is expected, not {type(channel).__name__}", "make it by Channel(rows)", "")
    return channel._core


class Channel:
    """Row x is the distribution of what is observed when the secret is x."""

    def __init__(
        self,
        rows: Iterable[Iterable[Number]],
        secrets: Sequence[str] = (),
        observations: Sequence[str] = (),
    ) -> None:
        self._core = _core.Channel(_rows(rows, "rows"), _names(secrets, "secrets"), _names(observations, "observations"))

    @classmethod
    def _of(cls, core: _core.Channel) -> Channel:
        channel = cls.__new__(cls)
        channel._core = core
        return channel

    @property
    def secrets(self) -> list[str]:
        """The names of the secrets, one per row."""
        return self._core.secrets

    @property
    def observations(self) -> list[str]:
        """The names of the observations, one per column."""
        return self._core.observations

    @property
    def rows(self) -> Rows:
        """The probability of each observation, for each secret."""
        return self._core.rows

    def __matmul__(self, other: Channel) -> Channel:
        """This channel, followed by the other one, whose secrets are this channel's observations."""
        return Channel._of(self._core.then(_channel(other)))

    def kronecker(self, other: Channel) -> Channel:
        """The channel of two participants: the Kronecker product."""
        return Channel._of(self._core.kronecker(_channel(other)))

    def refines(self, other: Channel) -> Refinement:
        """Is this channel worth at least as much as the other one to every analyst? Decided exactly."""
        return Refinement(self._core.refines(_channel(other)), self, other)

    def smallest_epsilon(self, distances: Iterable[Iterable[Number]] = ()) -> str | None:
        """The least epsilon that the channel satisfies, as "ln 3"; None if there is none. The default `distances` of secrets are 1."""
        return self._core.smallest_epsilon(_rows(distances, "distances"))

    def expected_loss(self, losses: Iterable[Iterable[Number]], prior: Iterable[Number] | None = None) -> Fraction:
        """The expected loss of an analyst who takes the best action after each observation.

        `losses` has one row per secret and one column per action. The default prior is uniform.
        """
        size = len(self.secrets)
        beliefs = [f"1/{size}"] * size if prior is None else _exact_words(prior, "prior")
        return self._core.expected_loss(beliefs, _rows(losses, "losses"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Channel) and self._core.equals(other._core)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Channel, (self.rows, self.secrets, self.observations)

    def __repr__(self) -> str:
        shown = "; ".join(" ".join(map(str, row)) for row in self.rows[:8])
        return f"Channel({len(self.secrets)} x {len(self.observations)}: {shown})"


def bayes_risk(secrets: int) -> Rows:
    """The losses of an analyst who guesses the secret: 0 for a right guess, 1 for a wrong one."""
    return _core.bayes_risk(_numbers.whole(secrets, "secrets"))


def linear_error(values: Iterable[Number]) -> Rows:
    """The losses of an analyst who guesses one of these values and pays the distance from the secret."""
    return _core.linear_error(_exact_words(values, "values"))


def squared_error(values: Iterable[Number]) -> Rows:
    """The losses of an analyst who guesses one of these values and pays the square of the error."""
    return _core.squared_error(_exact_words(values, "values"))


@documented
class Analyst(NamedTuple):
    """Someone who looks at a release, with a prior and a loss: [analyst] in a pipeline's file, which `fractile flow --help` describes.

    Attributes:
        loss: what a wrong guess costs: a name, or one row per secret and one column per action.
        prior: how likely each secret is to the analyst; None for a uniform prior.
        scale: a factor of the loss; None for 1.
        about: what the analyst guesses instead of the secret: a count, sum or mode of the true values.
    """

    loss: str | Iterable[Iterable[Number]]
    prior: str | Mapping[str, Any] | Iterable[Number] | None = None
    scale: Number | None = None
    about: str | Mapping[str, Any] | None = None


def _toml(value: Any, field: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
    if isinstance(value, os.PathLike):
        return _toml(os.path.abspath(value), field)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(_words.text(key, field), field)} = {_toml(item, field)}" for key, item in value.items()) + " }"
    items = _numbers.items_of(value)
    if items is not None:
        return "[" + ", ".join(_toml(item, field) for item in items) + "]"
    return _toml(_numbers.word(value, field), field)


class Pipeline(Unchanging):
    """Participants perturb their values, and a post-processor combines the answers. The arguments are those of [pipeline] in a file.

    A curator's release, `perturber={"release": "exponential", ...}`, says itself how many records and which values there are, and takes
    neither `participants` nor `values`. A pipeline can be copied and pickled. One that was read from a file is read again where it is
    unpickled, from the same path.

    >>> survey = Pipeline(participants=2, values=[0, 1, 2], perturber="geometric", post={"query": "count", "of": [0]})
    >>> survey.check(epsilon=("ln 2", "ln 3")).verdict
    'unstable'
    """

    def __init__(
        self,
        *,
        participants: int | None = None,
        values: Iterable[Number] | None = None,
        perturber: Any,
        post: Any,
        secret: str | None = None,
        known: Any = None,
        answers: Iterable[Number] | None = None,
        analyst: Analyst | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "analyst") and value is not None}
        lines = ["[pipeline]", *(f"{name} = {_toml(value, name)}" for name, value in given.items())]
        if analyst is not None:
            if not isinstance(analyst, Analyst):
                raise UsageError("analyst: an Analyst is expected", 'write analyst=Analyst(loss="bayes-risk")', "analyst")
            members = analyst._asdict()
            lines += ["[analyst]", *(f"{name} = {_toml(v, name)}" for name, v in members.items() if v is not None)]
        _words.bring_engine()
        self._set("\n".join(lines) + "\n", analyst is None)

    def _set(self, toml: str, lacks_analyst: bool) -> None:
        wrong = None
        try:
            self._core = _core.PipelineFile.of(toml, "the pipeline", "")
        except DataError as error:  # its line is one of `toml`, which the caller did not write
            wrong = DataError(re.sub(r"\Athe pipeline:\d+: ", "", error.message), error.hint, error.field)
        if wrong is not None:
            raise wrong
        self._lacks_analyst = lacks_analyst
        self._made_of: tuple[Any, ...] = Pipeline._of, (toml, lacks_analyst)

    @classmethod
    def _of(cls, toml: str, lacks_analyst: bool) -> Pipeline:
        pipeline = cls.__new__(cls)
        _words.bring_engine()
        pipeline._set(toml, lacks_analyst)
        return pipeline

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Pipeline:
        """Reads a pipeline from a TOML file."""
        pipeline = cls.__new__(cls)
        _words.bring_engine()
        pipeline._lacks_analyst = False  # the file's errors say what to write into it
        pipeline._core = _core.PipelineFile.read(_words.path(path, "path"), "")
        pipeline._made_of = Pipeline.read, (os.path.abspath(path),)
        return pipeline

    def __reduce__(self) -> tuple[Any, ...]:
        return self._made_of

    def __repr__(self) -> str:
        people = "1 participant" if self.participants == 1 else f"{self.participants} participants"
        values = "1 possible value" if len(self.values) == 1 else f"{len(self.values)} possible values"
        return f"<Pipeline: {people}, {values}>"

    def _require_analyst(self) -> None:
        if self._lacks_analyst:
            raise UsageError("the pipeline has no analyst", 'write analyst=Analyst(loss="bayes-risk"), for example', "analyst")

    @property
    def participants(self) -> int:
        """The number of participants."""
        return self._core.participants

    @property
    def values(self) -> list[Fraction]:
        """The possible values of each participant."""
        return self._core.values

    def check(
        self,
        *,
        epsilon: tuple[Number, Number] | None = None,
        from_: Number | None = None,
        to: Number | None = None,
        any_prior: bool = False,
    ) -> Check:
        """Does a smaller epsilon never help an analyst, over a range? Or: is `from_` worth at least as much as `to` to every analyst?

        For a range, `windows` of the result says where a larger epsilon costs the pipeline's analyst more. With `any_prior`, the question
        covers all analysts who have the loss of the pipeline's analyst: over the range, or for exactly these two epsilons.
        """
        words = _range(epsilon) | _two(from_, to)
        if _words.flag(any_prior, "any_prior"):
            self._require_analyst()
            words["any_prior"] = ["true"]
        return Check(self._core.check(words), self, "check", words)

    def loss(self, epsilon: Number, *, exact: bool = False) -> Bounds:
        """The analyst's expected loss at one epsilon. For a logarithm it is exact if the fraction is short, or always with `exact`."""
        self._require_analyst()
        words = {"epsilon": [_numbers.word(epsilon, "epsilon")]} | ({"exact": ["true"]} if _words.flag(exact, "exact") else {})
        return Bounds(*self._core.loss(words).loss)

    def loss_curve(self, epsilon: tuple[Number, Number], *, points: int = 200) -> LossCurve:
        """The analyst's expected loss over a range, and where it rises."""
        self._require_analyst()
        words = _range(epsilon) | {"points": [_numbers.word(points, "points")]}
        return LossCurve(self._core.sweep(words), self, "sweep", words)

    def choose(self, loss: Number, *, epsilon: tuple[Number, Number] | None = None, guess: str | None = None) -> Choice:
        """The epsilons at which the analyst's expected loss is at most `loss`, within 0.1 to 10 unless another range is given.

        With `guess`, as for `fractile flow choose --guess`, also what an attacker gains at the ends of each range.
        """
        self._require_analyst()
        words = _range(epsilon) | {"loss": [_numbers.word(loss, "loss")]}
        if guess is not None:
            words["guess"] = [_words.text(guess, "guess")]
        return Choice(self._core.choose(words), self, "choose", words)

    def channel(self, epsilon: Number) -> Channel:
        """The channel at one epsilon, which must be a logarithm: "ln 3"."""
        return Channel._of(self._core.channel(_numbers.word(epsilon, "epsilon")))


def _range(epsilon: tuple[Number, Number] | None) -> _words.Words:
    if epsilon is None:
        return {}
    ends = _numbers.pair(epsilon, "epsilon", "a range has two ends", 'write epsilon=("ln 2", "ln 3")')
    low, high = (_numbers.word(end, "epsilon") for end in ends)
    return {"epsilon": [f"{low}..{high}"]}


def _two(from_: Number | None, to: Number | None) -> _words.Words:
    given = {"from": (from_, "from_"), "to": (to, "to")}
    return {name: [_numbers.word(value, field)] for name, (value, field) in given.items() if value is not None}


@documented
class Window(NamedTuple):
    """A range of odds = exp(epsilon) in which the analyst's loss rises with epsilon.

    Attributes:
        start: the lower end, enclosed.
        end: the upper end, enclosed.
        proof: two odds within the window, and the losses at them; None if these losses would take too long.
    """

    start: Bounds
    end: Bounds
    proof: tuple[Fraction, Fraction, Bounds, Bounds] | None


class Windows:
    """All windows: the ranges in which a larger epsilon costs an analyst more.

    Attributes:
        method: "isolated", "enclosed", "proved" (that there is no window) or "none".
        are_all: whether the loss rises nowhere outside of the windows and the undecided ranges.
        undecided: ranges of odds in which it is undecided whether the loss rises.
    """

    def __init__(self, core: _core.Windows) -> None:
        self.method: str = core.method
        self.are_all: bool = core.are_all
        self.undecided: list[Bounds] = [Bounds(*bounds) for bounds in core.undecided]
        self._windows = [
            Window(Bounds(*a), Bounds(*b), None if p is None else (p[0], p[1], Bounds(*p[2]), Bounds(*p[3])))
            for a, b, p in core.windows
        ]

    def __iter__(self) -> Any:
        return iter(self._windows)

    def __len__(self) -> int:
        return len(self._windows)

    def __getitem__(self, index: int) -> Window:
        return self._windows[index]

    def __repr__(self) -> str:
        odds = ", ".join(f"{float(window.start):.6g} to {float(window.end):.6g}" for window in self._windows[:8])
        more = ", ..." if len(self) > 8 else ""
        return f"<Windows: {len(self)}{' of exp(epsilon) from ' if odds else ''}{odds}{more}; {len(self.undecided)} undecided ranges>"


class _Kept:
    """What a report says, for a pickle, without its page."""

    def __init__(self, core: Any) -> None:
        self._texts: dict[str, str] = {"json": core.json(), "csv": core.csv(), "table": core.table()}
        for name in ("verdict", "reason", "points", "served", "is_least_certain"):
            if hasattr(core, name):
                setattr(self, name, getattr(core, name))
        windows = getattr(core, "windows", None)
        if windows is not None:
            self.windows = SimpleNamespace(**{name: getattr(windows, name) for name in ("method", "are_all", "undecided", "windows")})

    def json(self) -> str:
        """The report as JSON."""
        return self._texts["json"]

    def csv(self) -> str:
        """The report as CSV."""
        return self._texts["csv"]

    def table(self) -> str:
        """The report in words."""
        return self._texts["table"]


class _Report(Unchanging):
    """A result that can be printed in several formats. It can be copied and pickled. For a page, a result that was unpickled is computed
    again, the same way."""

    def __init__(self, core: Any, pipeline: Pipeline | None = None, question: str = "", words: _words.Words | None = None) -> None:
        self._core = core
        self._asked = (pipeline, question, words)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = self._core if isinstance(self._core, _Kept) else _Kept(self._core)
        return type(self), (kept, *self._asked)

    def to_json(self) -> str:
        """The result as `fractile flow ... --format json` prints it, with its certificates."""
        return str(self._core.json())

    def to_csv(self) -> str:
        """The result as `fractile flow ... --format csv` prints it."""
        return str(self._core.csv())

    def to_html(self, *, about: Mapping[str, str] | None = None) -> str:
        """The page of the result: one file.

        Raises:
            UsageError: the result compares two files, and has no page.
        """
        pipeline, question, words = self._asked
        if pipeline is None:
            raise UsageError("a comparison of two files has no page", "use to_json() or to_csv(), or print it")
        if isinstance(self._core, _Kept):
            self._core = getattr(pipeline._core, question)(words)
        return str(self._core.page(_words.texts(about, "about"))[0])

    def __repr__(self) -> str:
        return str(self._core.table())


class Check(_Report):
    """A verdict: "stable", "unstable", "refines", "does not refine" or "undecided".

    For two epsilons and any prior, it is "worth-as-much", "worth-less" or "undecided".
    """

    @property
    def verdict(self) -> str:
        """One of these words."""
        return str(self._core.verdict)

    @property
    def reason(self) -> str:
        """Why it is so, in words."""
        return str(self._core.reason)

    @property
    def windows(self) -> Windows | None:
        """The windows of the pipeline's analyst over a range; None if the question was not about an analyst and a range."""
        found = getattr(self._core, "windows", None)
        return None if found is None else Windows(found)

    def verify(self) -> bool | None:
        """Checks the certificate again, in exact arithmetic; None if there is no certificate."""
        return _core.verify(self.to_json()).holds


@documented
class LossPoint(NamedTuple):
    """An expected loss at one epsilon, between exact bounds.

    Attributes:
        epsilon: the epsilon, as it was given.
        loss: the expected loss.
        change: the change of the loss since the previous point: "falls", "rises", "flat" or "undecided".
    """

    epsilon: str
    loss: Bounds
    change: str


class LossCurve(_Report):
    """An analyst's expected loss against epsilon."""

    @property
    def points(self) -> list[LossPoint]:
        """The losses, by increasing epsilon."""
        return [LossPoint(epsilon, Bounds(*loss), change) for epsilon, loss, change in self._core.points]

    @property
    def windows(self) -> Windows:
        """The ranges in which a larger epsilon costs the analyst more."""
        return Windows(self._core.windows)

    def to_pandas(self) -> Any:
        """A Series of losses as floats, indexed by epsilon as text."""
        import pandas as pd

        points = self.points
        return pd.Series([float(p.loss) for p in points], index=pd.Index([p.epsilon for p in points], name="epsilon"), name="loss")


class Choice(_Report):
    """All epsilons that serve an analyst."""

    @property
    def served(self) -> list[tuple[str, str]]:
        """Ranges of epsilon, as decimals, in which the analyst is certainly served."""
        return list(self._core.served)

    @property
    def least_epsilon(self) -> str | None:
        """The least epsilon that certainly serves; None if there is none."""
        return self.served[0][0] if self.served else None

    @property
    def is_least_certain(self) -> bool:
        """Whether no epsilon below least_epsilon serves, for certain; if that is None, whether no epsilon in the range serves."""
        return bool(self._core.is_least_certain)


def _pipeline(of: PipelineLike) -> Pipeline:
    return of if isinstance(of, Pipeline) else Pipeline.read(of)


def check(pipeline: PipelineLike, **question: Any) -> Check:
    """Pipeline.check() for a pipeline or its file."""
    return _pipeline(pipeline).check(**question)


def loss(pipeline: PipelineLike, epsilon: Number, *, exact: bool = False) -> Bounds:
    """Pipeline.loss() for a pipeline or its file."""
    return _pipeline(pipeline).loss(epsilon, exact=exact)


def loss_curve(pipeline: PipelineLike, epsilon: tuple[Number, Number], *, points: int = 200) -> LossCurve:
    """Pipeline.loss_curve() for a pipeline or its file."""
    return _pipeline(pipeline).loss_curve(epsilon, points=points)


def choose(pipeline: PipelineLike, loss: Number, *, epsilon: tuple[Number, Number] | None = None, guess: str | None = None) -> Choice:
    """Pipeline.choose() for a pipeline or its file."""
    return _pipeline(pipeline).choose(loss, epsilon=epsilon, guess=guess)


def channel(pipeline: PipelineLike, epsilon: Number) -> Channel:
    """Pipeline.channel() for a pipeline or its file."""
    return _pipeline(pipeline).channel(epsilon)


def compare(
    first: str | os.PathLike[str], second: str | os.PathLike[str], *, from_: Number | None = None, to: Number | None = None
) -> Check:
    """Is one pipeline or channel, given by its file, worth at least as much as another to every analyst? As `fractile flow compare`."""
    return Check(_core.compare(_words.path(first, "first"), _words.path(second, "second"), _two(from_, to)))


def verify(certificate: str) -> bool | None:
    """Checks a certificate that `to_json()` or `fractile flow check --format json` printed; None if it has nothing to check."""
    return _core.verify(_words.text(certificate, "certificate")).holds
