"""The papers' constructors, under the papers' names, and their chains. Two pieces chain only if they fit, and a chain knows its cost.

>>> from fractile.constructors import *
>>> candidates = [20.0, 30.0, 40.0, 50.0, 60.0]
>>> present = make_drop_null(vector_domain(float))  # rows may hold NaN
>>> scores = make_quantile_score_candidates(present.output_domain, candidates, "1/2")
>>> select = make_gumbel_max(scores, temperature=4, optimize="min")
>>> median = present >> scores >> select >> index_into(candidates)
>>> median([31.0, 44.0, 57.0, 23.0, 38.0]) in candidates
True
>>> median.map(1), median.map(3)
('1/2', '3/2')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Union

from . import _core, _numbers, _words
from ._errors import UsageError
from ._numbers import Number
from ._profile import Lattice, require_lattice

__all__ = [
    "Chain",
    "index_into",
    "make_clamp",
    "make_drop_null",
    "make_gumbel_max",
    "make_impute_constant",
    "make_permute_and_flip",
    "make_quantile",
    "make_quantile_score_candidates",
    "vector_domain",
]

#: The domain of a table's rows: floats with NaN, floats without NaN, or ints.
Domain = Union[_core.Rowsfloat, _core.Rowsint]


def vector_domain(kind: type, *, nullable: bool | None = None) -> Domain:
    """The domain of rows of float (with NaN unless nullable=False) or of int."""
    if kind is float:
        return _core.rows_float(nullable is not False)
    if kind is int and not nullable:
        return _core.rows_int(False)
    if kind is int:
        raise UsageError("nullable: rows of int have no missing values", "leave it out, or write float for rows that may hold NaN", "nullable")
    given = kind.__name__ if isinstance(kind, type) else f"a {type(kind).__name__}"
    raise UsageError(f"kind: rows of {given} are not supported", "choose float or int", "kind")


class index_into:
    """Postprocessing: from the index that was drawn to its candidate."""

    def __init__(self, candidates: Sequence[float]) -> None:
        self.candidates = _numbers.listed(candidates, "candidates")


class Chain:
    """A transformation or a measurement of the library; `>>` appends another piece."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __rshift__(self, right: Chain | index_into) -> Chain:
        try:
            if isinstance(right, index_into):
                return Chain(self._core.index_into(right.candidates))
            return Chain(self._core.then(right._core))
        except (TypeError, AttributeError):
            pass
        raise UsageError(
            f"the chain does not fit: {type(self._core).__name__} >> {type(getattr(right, '_core', right)).__name__}",
            "put a transformation between them",
        )

    @property
    def output_domain(self) -> Any:
        """The domain of the outputs of a transformation; measurements have none."""
        return self._core.output_domain

    @property
    def output_metric(self) -> Any:
        """The metric of the outputs of a transformation; measurements have none."""
        return self._core.output_metric

    def map(self, d_in: int) -> str:
        """For inputs at this distance: the cost of a measurement, or the distance of a transformation's outputs, exactly: "1/2", "ln 3"."""
        distance = _numbers.exact_word(d_in, "d_in") if isinstance(d_in, Fraction) else d_in
        return str(_called(self._core.map, distance, "d_in: the distance of inputs is expected, a whole number"))

    def __call__(self, data: Sequence[float]) -> Any:
        """One draw of a measurement, with the system's random bits.

        Raises:
            UsageError: the chain is a transformation, which draws nothing; or the records are not of its input domain; or `index_into` has
                no candidate for the index that was drawn.
        """
        if not hasattr(self._core, "invoke"):
            raise UsageError("the chain is a transformation, which draws nothing", "append a measurement: chain >> make_gumbel_max(...)")
        records = _numbers.listed(data, "data")
        return _called(self._core.invoke, records, "data: records of the chain's input domain are expected")


def _called(method: Callable[[Any], Any], argument: Any, what: str) -> Any:
    """The method's answer. The extension module's error about a type is not passed on."""
    try:
        return method(argument)
    except TypeError:
        pass
    raise UsageError(what, "write for example chain.map(1), or chain([1.0, 2.0])", what.partition(":")[0])


def _made(name: str, *arguments: Any) -> Chain:
    """The chain that the library makes; the types of the arguments decide which one."""
    try:
        return Chain(getattr(_core, name)(*arguments))
    except TypeError:
        pass
    raise UsageError(
        f"{name.removesuffix('_zcdp')} takes no {', '.join(type(each).__name__ for each in arguments)}",
        "give it a vector_domain() and numbers of its kind, or what another constructor made from them",
        "",
    )


def _of(chain: object, field: str) -> Chain:
    if not isinstance(chain, Chain) or not hasattr(chain._core, "output_domain"):
        given = type(getattr(chain, "_core", chain)).__name__
        raise UsageError(f"{field}: the step before is expected, not {given}", "give the transformation that made the scores", field)
    return chain


def make_drop_null(domain: Domain) -> Chain:
    """Leaves out NaN records."""
    return _made("make_drop_null", domain)


def make_impute_constant(domain: Domain, constant: float) -> Chain:
    """Replaces NaN by the constant."""
    return _made("make_impute_constant", domain, constant)


def make_clamp(domain: Domain, lower: float, upper: float) -> Chain:
    """Moves every value to the nearest point of [lower, upper]."""
    return _made("make_clamp", domain, lower, upper)


def make_quantile_score_candidates(domain: Domain, candidates: Sequence[float], alpha: Number) -> Chain:
    """quantile-score-candidates 2025: the score of every candidate, in units of 1 / alpha's denominator; lower scores are better."""
    quantile = _numbers.exact_word(alpha, "alpha")
    return _made("make_quantile_score_candidates", domain, _numbers.listed(candidates, "candidates"), quantile)


def _minimize(optimize: str) -> bool:
    return _words.choice(optimize, "optimize", ("min", "max")) == "min"


def make_gumbel_max(scores: Chain, *, temperature: Number, optimize: str, measure: str = "pure") -> Chain:
    """gumbel-max 2023: an index with probability proportional to exp(-+ score / temperature), exactly. `scores` is the chain before."""
    _words.choice(measure, "measure", ("pure", "zcdp"))
    make = "make_gumbel_max" if measure == "pure" else "make_gumbel_max_zcdp"
    _of(scores, "scores")
    warmth = _numbers.exact_word(temperature, "temperature")
    return _made(make, scores.output_domain, scores.output_metric, warmth, _minimize(optimize))


def make_permute_and_flip(scores: Chain, *, temperature: Number, optimize: str) -> Chain:
    """Permute-and-flip: an index, selected never worse than by make_gumbel_max at the same pure cost."""
    warmth = _numbers.exact_word(temperature, "temperature")
    _of(scores, "scores")
    return _made("make_permute_and_flip", scores.output_domain, scores.output_metric, warmth, _minimize(optimize))


def make_quantile(domain: Domain, lattice: Lattice, alpha: Number, epsilon: Number) -> Chain:
    """One quantile, from rows to an exact value; `epsilon` is the cost of one added or removed record."""
    words = _numbers.word(epsilon, "epsilon")
    return _made("make_quantile", domain, require_lattice(lattice), _numbers.exact_word(alpha, "alpha"), words)
