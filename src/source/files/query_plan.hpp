// A second check of row-wise queries, which shares no code with the first: it reads the engine's plan.
#pragma once

#include <set>
#include <string>

#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// What a plan may have above its scans: nothing; one grouping; joins of several scans that have one grouping each; or groupings
/// and joins of these in turn.
enum class Grouping { none, once, joined, nested };

/// Throws `usage` unless the engine's plan of the query is one scan of a file under projections and filters, apart from what
/// Grouping allows. Reads no row. `reader`: one of our table functions, which may be scanned, too. Throws EngineFailure.
void require_row_wise_plan(const Session& connection, const std::string& sql, const std::string& reader = {},
                           Grouping grouping = Grouping::none);
/// The same for a plan as EXPLAIN (FORMAT JSON) writes it. Throws `internal` for any other text.
void require_row_wise_plan_of(const std::string& plan, const std::string& reader = {},
                              Grouping grouping = Grouping::none);

/// Throws `usage` unless everything that the engine would compute from a row consists of row_wise_functions(), casts, comparisons
/// and the like. The plan is that of the query over empty tables with the same columns. Throws EngineFailure.
void require_row_wise_calls(const Session& connection, const std::string& sql, const std::set<std::string>& tables);
/// The same for a plan as json_serialize_plan writes it; throws `usage` also for any other text.
void require_row_wise_calls_of(const std::string& plan);

}  // namespace fractile::source_detail
