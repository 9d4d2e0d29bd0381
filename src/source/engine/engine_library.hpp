// DuckDB's library: found among the places that are told, loaded once a process.
#pragma once

#include <string>

#include "source/engine/duckdb_abi.hpp"

namespace fractile::source_detail {

/// `library` as in TableOptions. Throws `usage` when there is none, it is not DuckDB, or another one has been loaded.
const EngineApi& find_engine(const std::string& library);

/// The library that was found, for its callbacks.
const EngineApi& loaded_engine();

}  // namespace fractile::source_detail
