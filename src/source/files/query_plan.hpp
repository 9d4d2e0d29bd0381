// A second fence around row-wise queries, which shares nothing with the first: what the engine is about to do.
#pragma once

#include <string>

#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// Error(usage) unless the engine's plan of the query is one scan of a file under projections and filters, and nothing else. Reads no row.
/// `reader`: a function of ours that may scan, too. Throws EngineFailure.
void require_row_wise_plan(const Connection& connection, const std::string& sql, const std::string& reader = {});
/// The same of a plan as EXPLAIN (FORMAT JSON) writes it. Error(internal) for what is no plan.
void require_row_wise_plan_of(const std::string& plan, const std::string& reader = {});

}  // namespace fractile::source_detail
