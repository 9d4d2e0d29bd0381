// A second fence around row-wise queries, which shares nothing with the first: what the engine is about to do.
#pragma once

#include <set>
#include <string>

#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// What may stand above a scan of rows: one grouping, or joins of several scans that have one grouping each, or groupings and joins of these
/// in turn.
enum class Grouping { none, once, joined, nested };

/// Throws `usage` unless the engine's plan of the query is one scan of a file under projections and filters, and nothing else but what is said
/// of grouping. Reads no row. `reader`: a function of ours that may scan, too. Throws EngineFailure.
void require_row_wise_plan(const Connection& connection, const std::string& sql, const std::string& reader = {},
                           Grouping grouping = Grouping::none);
/// The same of a plan as EXPLAIN (FORMAT JSON) writes it. Throws `internal` for what is no plan.
void require_row_wise_plan_of(const std::string& plan, const std::string& reader = {},
                              Grouping grouping = Grouping::none);

/// Throws `usage` unless all that the engine would compute of a row is made of functions of row_wise_functions(), casts, comparisons and
/// their like. The plan is that of the query over tables of the same columns without rows. Throws EngineFailure.
void require_row_wise_calls(const Connection& connection, const std::string& sql, const std::set<std::string>& tables);
/// The same of a plan as json_serialize_plan writes it; throws `usage` for what is none, too.
void require_row_wise_calls_of(const std::string& plan);

}  // namespace fractile::source_detail
