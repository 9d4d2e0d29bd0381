// The log's chain of hashes; docs/ledger.md defines it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/sqlite.hpp"

namespace fractile::ledger_detail {

/// The rows that lines are about, with the columns that hashes take first: all datasets of a file of this format, with what
/// they pin where it knows pins, and all entries.
std::string dataset_sql(std::int64_t format);
std::string entry_sql();
/// The columns of such a row, as hashes take them. What a dataset pins is left out where no row of `pins` tells.
std::string hashed_dataset(const Statement& row);
std::string hashed_entry(const Statement& row);

/// A line to be added; what its kind does not have stays empty.
struct NewEvent {
  std::string time;
  std::string kind;
  std::optional<std::string> receipt_sha256 = {};
  std::optional<std::string> reason = {};
};

/// Adds a line about a dataset ("dataset") or an entry (any other kind), of this id, whose row is there already.
void append_event(const Connection& connection, const NewEvent& event, std::int64_t subject);

/// What the log tells of the rows that it is about, with the fields of each as hashes take them.
struct Subjects {
  std::map<std::int64_t, std::string> datasets;
  std::map<std::int64_t, std::string> entries;
  std::vector<std::int64_t> receipts;
};

/// A line of the log with all that it says.
struct Line {
  LedgerEvent event;  ///< without the dataset's name
  std::int64_t subject;
  std::string receipt_sha256;
  std::string reason;
};

/// The log's lines. Error(ledger) unless they are numbered 1, 2, ..., each has the hash that follows from what it is about
/// and from the line before it, and every dataset, entry and receipt has its line. `head`, unless empty, must be among the
/// hashes.
std::vector<Line> require_chain(const Connection& connection, const Subjects& subjects, const std::string& head);

}  // namespace fractile::ledger_detail
