// DuckDB's library: searched for in the documented places, and loaded once per process.
#pragma once

#include <string>

#include "source/engine/duckdb_abi.hpp"

namespace fractile::source_detail {

/// `library` as in TableOptions. Throws `usage` when there is no library, when it is not DuckDB, and when another one has been
/// loaded.
const EngineApi& find_engine(const std::string& library);

/// The library that was found, for its callbacks.
const EngineApi& loaded_engine();

}  // namespace fractile::source_detail
