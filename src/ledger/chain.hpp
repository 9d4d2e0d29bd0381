// The log's chain of hashes; docs/ledger.md defines it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ledger/sqlite.hpp"

namespace fractile::ledger_detail {

/// A line to be added; what its kind does not have stays empty.
struct NewEvent {
  std::string time;
  std::string kind;
  std::optional<std::string> receipt_sha256 = {};
  std::optional<std::string> reason = {};
};

/// Adds a line about a dataset ("dataset") or an entry (any other kind), of this id, whose row is there already.
void append_event(const Connection& connection, const NewEvent& event, std::int64_t subject);

/// Hash of the last line; "" before the first.
std::string head_of(const Connection& connection);

/// Error(ledger) unless the lines are numbered 1, 2, ..., each has the hash that follows from what it is about and from the
/// line before it, and every dataset and entry has its line. `head`, unless empty, must be among the hashes.
void require_chain(const Connection& connection, const std::string& head);

}  // namespace fractile::ledger_detail
