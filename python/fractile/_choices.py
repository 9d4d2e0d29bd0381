"""What can be chosen, by name: the program's words, as types that an editor completes."""

from __future__ import annotations

from typing import Literal, Union

from ._numbers import Number

#: Several quantiles at once.
Named = Literal["median", "quartiles", "quintiles", "deciles", "percentiles"]
#: Which quantiles: names, numbers with commas between them, or a number.
Quantiles = Union[Named, str, Number]
#: What two tables differ in: one record more or less, or one replaced.
Neighbors = Literal["add-remove", "change-one"]
#: Records that are NULL, empty or NaN: left out, or an error.
Null = Literal["drop", "error"]
#: What a person's records become: one value.
PerPerson = Literal["sum", "count", "mean", "min", "max", "median", "any", "all"]
#: Cells that are no number: an error, or missing.
Unreadable = Literal["error", "missing"]
#: What an interval is about.
Of = Literal["population", "table"]
Base = Literal["adaptive", "uniform"]
Rates = Literal["tight", "as-published"]
Mechanism = Literal["auto", "exponential", "approximate", "joint", "joint-total", "joint-tree", "independent", "tree"]
#: Those of releases, and the two of single selections.
Audited = Literal[Mechanism, "gumbel-max", "permute-and-flip"]
InputFormat = Literal["csv", "tsv", "parquet", "json"]
#: Of the public table that a plan simulates on.
Shape = Literal["uniform", "normal", "log-normal"]
SolveFor = Literal["epsilon", "rho"]
