"""Choices by name: the program's words, as types that an editor completes."""

from __future__ import annotations

from typing import Literal, Union

from ._numbers import Number

#: Several quantiles at once.
Named = Literal["median", "quartiles", "quintiles", "deciles", "percentiles"]
#: Which quantiles: names, numbers with commas between them, or a number.
Quantiles = Union[Named, str, Number]
#: What two neighboring tables differ in: one record is added or removed, or one is replaced.
Neighbors = Literal["add-remove", "change-one"]
#: Whether records that are NULL, empty or NaN are left out, or are an error.
Null = Literal["drop", "error"]
#: How a person's records become one value.
PerPerson = Literal["sum", "count", "mean", "min", "max", "median", "any", "all"]
#: Whether cells that are not a number are an error, or missing.
Unreadable = Literal["error", "missing"]
#: Whether an interval is about the population or about the table.
Of = Literal["population", "table"]
Base = Literal["adaptive", "uniform"]
Rates = Literal["tight", "as-published"]
Mechanism = Literal["auto", "exponential", "approximate", "joint", "joint-total", "joint-tree", "independent", "tree"]
#: The mechanisms of releases, and the two of single selections.
Audited = Literal[Mechanism, "gumbel-max", "permute-and-flip"]
InputFormat = Literal["csv", "tsv", "parquet", "json"]
#: The shape of the public table on which a plan simulates.
Shape = Literal["uniform", "normal", "log-normal"]
SolveFor = Literal["epsilon", "rho"]
