// fractile release --person, --by and --keys: whose records count, and several groups under one budget.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/report.hpp"
#include "fractile/source.hpp"
#include "options.hpp"
#include "query.hpp"
#include "values.hpp"

namespace fractile::cli {

/// One release, or one of several groups.
using Published = std::variant<QuantileRelease, GroupedRelease>;

/// What was typed of --person, --by, --keys and --keys-file. Error(usage) when that cannot be, also for this query; Error(data)
/// when the keys' file cannot be read.
RecordSelection selection_of(const Typed& typed, const QuantileQuery& query);

/// The profiles that a selection selects, or that of the whole column when it selects nothing.
std::vector<RankProfile> profiles_of(const Table& table, const std::string& column, const Lattice& lattice,
                                     NullPolicy null_policy, const RecordSelection& selection, RandomBits& bits,
                                     const std::function<void()>& on_progress);

/// `lattice`: on which the profiles were counted.
Published published(const std::vector<RankProfile>& profiles, const Lattice& lattice, const QuantileQuery& query,
                    const RecordSelection& selection, const std::optional<BoundsToFind>& bounds, RandomBits& bits);

std::string to_json(const Published& release, const SourceDescription& source);
std::string to_csv(const Published& release);
std::string to_table(const Published& release, const SourceDescription& source);

}  // namespace fractile::cli
