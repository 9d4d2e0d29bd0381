// What is asked of a column, from words: for release and plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

/// `bounds` auto, with `step` and `bounds_budget`; nothing when bounds or candidates are given.
std::optional<BoundsToFind> bounds_to_find(const Typed& typed, const QuantileQuery& query);

/// `bounds` LO HI and `step`, or `candidates`.
Lattice lattice_of(const Typed& typed);

/// A value as the lattice has them: a number, a date or a time. An error names the field and what to write there: a value after `before`.
Rational value_among(const char* field, const std::string& text, const std::string& before, const Lattice& lattice);

/// `intervals` LEVEL, `of` and `together`; nothing without the first.
std::optional<IntervalRequest> intervals_of(const Typed& typed);

/// `count`, `below` and `mean`, with `count_budget`; nothing without one of the first three. The values are those of the lattice.
std::optional<StatisticsRequest> statistics_of(const Typed& typed, const Lattice& lattice);

/// `compare` A,B; nothing without it.
std::optional<ComparisonRequest> comparison_of(const Typed& typed);

/// `quantiles` and the options of mechanisms; validated.
QuantileQuery query_of(const Typed& typed, const Budget& budget);

}  // namespace fractile::requests
