// Turns words into the question about a column, for release and plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

/// Reads `bounds` auto, with `step` and `bounds_budget`. Returns nothing if bounds or candidates are given.
std::optional<BoundsToFind> bounds_to_find(const Typed& typed, const QuantileQuery& query);

/// Reads `bounds` LO HI and `step`, or `candidates`.
Lattice lattice_of(const Typed& typed);

/// Reads a value of the lattice's kind: a number, a date or a time. An error names the field, and its hint shows a value after the text
/// `before`.
Rational value_among(const char* field, const std::string& text, const std::string& before, const Lattice& lattice);

/// Reads `intervals` LEVEL, `of` and `together`. Returns nothing if `intervals` is not given.
std::optional<IntervalRequest> intervals_of(const Typed& typed);

/// Reads `count`, `below` and `mean`, with `count_budget`. Returns nothing if none of the first three is given. Limits are values of the
/// lattice's kind.
std::optional<StatisticsRequest> statistics_of(const Typed& typed, const Lattice& lattice);

/// Reads `compare` A,B. Returns nothing if it is not given.
std::optional<ComparisonRequest> comparison_of(const Typed& typed);

/// Reads and validates `quantiles` and the options of mechanisms.
QuantileQuery query_of(const Typed& typed, const Budget& budget);

}  // namespace fractile::requests
