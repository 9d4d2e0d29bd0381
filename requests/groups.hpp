// `person`, `by`, `keys` and `weight` of a release: whose records count, as how many, and several groups under one budget.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "fractile/quantiles.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "requests/query.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

/// The columns that `by` names, with commas between them; none without it. Throws `usage` for an empty name.
KeyColumns key_columns(const Typed& typed);

/// What was typed of `weight`, `weight_bounds`, `weight_step`, `weight_stability` and `expected_weight`; nothing without them. Where no table
/// is read, no column is named. Throws `usage` when that cannot be.
enum class WeightColumn { named, unread };
std::optional<RecordWeights> weights_of(const Typed& typed, WeightColumn column = WeightColumn::named);

/// What a person's records may become, by its word.
const std::map<std::string, PerPerson>& choices_per_person();

/// What was typed of `person`, `by`, `keys` and `keys_file`. Throws `usage` when that cannot be, also for this query;
/// throws `data` when the keys' file cannot be read.
RecordSelection selection_of(const Typed& typed, const QuantileQuery& query);

}  // namespace fractile::requests
