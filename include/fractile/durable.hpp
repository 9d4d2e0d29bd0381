// Files that are written once and for good: receipts, profiles.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>

namespace fractile {

/// Error(usage) unless a new file can be created at `path`; leaves nothing behind. `what`: how messages call it.
void require_writable(const std::string& path, const std::string& what = "receipt");

/// Is a regular file with exactly this text at `path`?
bool is_written(const std::string& path, const std::string& text);

/// Creates `path` with `text` durably, readable by its owner alone: a file without a name, synced, then given its name;
/// never replaces a file. Error(data) when that fails, with nothing left behind.
void write_durably(const std::string& path, const std::string& text, const std::string& what = "receipt");

}  // namespace fractile
