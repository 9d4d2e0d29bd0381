// The engine that reads files and SQL: DuckDB's library, which is loaded when it is needed, once in a process.
#pragma once

#include <string>

namespace fractile {

/// Names the libduckdb to load where neither TableOptions::library nor FRACTILE_DUCKDB names one, for programs that bring an engine along.
/// An empty path names none again. It is the program's choice and no asker's, so a ledger's dataset need not declare it.
/// Thread-safety: any thread may call it; an engine that this process has loaded already stays.
void set_default_engine(std::string path);

}  // namespace fractile
