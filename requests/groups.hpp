// `person`, `by`, `keys` and `weight` of a release: whose records count, with which weight, and in which groups under one budget.
#pragma once

#include <optional>
#include <string>

#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "requests/query.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

/// The columns that `by` names, with commas between them; none if it is not given. Throws `usage` for an empty name.
KeyColumns key_columns(const Typed& typed);

/// Reads `weight`, `weight_bounds`, `weight_step`, `weight_stability` and `expected_weight`. Returns nothing if none is given. Where no
/// table is read, no column is named (`unread`). Throws `usage` for an impossible combination.
enum class WeightColumn { named, unread };
std::optional<RecordWeights> weights_of(const Typed& typed, WeightColumn column = WeightColumn::named);

/// Reads `person`, `by`, `keys` and `keys_file`. Throws `usage` when these options do not go together or do not go with the query; throws
/// `data` when the file of keys cannot be read.
RecordSelection selection_of(const Typed& typed, const QuantileQuery& query);

}  // namespace fractile::requests
