// What a release looks like to others: JSON (also the receipt), CSV, and a receipt written durably.
#pragma once

#include <string>

#include "fractile/audit.hpp"
#include "fractile/quantiles.hpp"

namespace fractile {

/// Where the records came from, as the user named it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  std::string null_policy;  ///< "drop" or "error"
  std::string engine;
};

/// One JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals. Nothing in it tells of the data what was not paid for or declared public.
std::string to_json(const QuantileRelease& release, const SourceDescription& source);

/// One JSON object: what was audited, `claimed` and `attained` (decimals) and the pair of `neighbours`.
std::string to_json(const AuditRequest& request, const AuditReport& report);

/// "quantile,value" and a line a quantile; a third column unsafe_seed when the bits were reproducible.
std::string to_csv(const QuantileRelease& release);

/// Error(usage) unless a new file can be created at `path`; leaves nothing behind.
void require_writable(const std::string& path);

/// Creates `path` with `text` durably: a new file beside it, synced, then given its name; never replaces a file.
/// Error(data) when that fails, with nothing left behind.
void write_durably(const std::string& path, const std::string& text);

}  // namespace fractile
