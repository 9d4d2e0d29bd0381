// The log's chain of hashes; docs/ledger.md defines it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// A field as text, for example "3:abc,". Different lists of fields have different texts.
std::string field_text(const std::string& text);
/// The fields of a text that field_text() wrote; `nullopt` for any other text.
std::optional<std::vector<std::string>> fields_in(std::string_view text);

/// The columns of a row, as the log hashes them. Columns that the row's format did not have are left out.
std::string hashed_dataset(const Fields& row);
std::string hashed_entry(const Fields& row);

/// A line to add to the log; members that its kind does not have stay empty.
struct NewEvent {
  std::string time;
  std::string kind;
  std::optional<std::string> receipt_sha256 = {};
  std::optional<std::string> reason = {};
};

/// The log's last line, whose hash the next line's hash covers.
struct Head {
  std::int64_t id = 0;  ///< 0 for an empty log
  std::string hash = {};
};

/// Adds a line about the dataset (kind "dataset") or the entry (any other kind) with the id `subject`. `head` is the last line, which the
/// same transaction has read. No two lines have the same number, so a transaction that adds a line has seen all lines before it. `sums`
/// is what is spent after the line. `hashed` is the subject's row from hashed_dataset or hashed_entry, or "" for kinds that hash only the
/// id. Returns the line's hash.
std::string append_event(const Store& store, const Head& head, const NewEvent& event, std::int64_t subject,
                         const std::string& sums, const std::string& hashed = {});

/// The rows that the log is about: datasets and entries, with their fields as the log hashes them, and the entries that have receipts.
struct Subjects {
  std::map<std::int64_t, std::string> datasets;
  std::map<std::int64_t, std::string> entries;
  std::vector<std::int64_t> receipts;
};

/// A line of the log with all its fields.
struct Line {
  LedgerEvent event;  ///< without the dataset's name
  std::int64_t subject;
  std::string receipt_sha256;
  std::string reason;
  std::optional<std::string> sums;  ///< absent in lines of formats before 3
};

/// Notes on what is wrong with a ledger, for a caller that wants to see the rest. Without such notes, broken() throws `ledger`.
using Damage = std::vector<std::string>;
void broken(const Store& store, const std::string& what, Damage* damage = nullptr);

/// Reads a line of the log. Calls broken() unless its hash follows from `subject` and from `previous`, the hash of the line before it.
/// `subject` is the row that the line is about, as the log hashes it, or "" when that row is missing.
Line require_line(const Store& store, const Fields& row, const std::string& previous, const std::string& subject,
                  Damage* damage = nullptr);

/// Reads the log's lines. Calls broken() unless they are numbered 1, 2, ..., each has the hash that follows from its subject and from the
/// line before it, and every dataset, entry and receipt has its line. `head`, unless empty, must be among the hashes.
std::vector<Line> require_chain(const Store& store, const Subjects& subjects, const std::string& head, Damage* damage);

/// The whole number in a field of a table; -1 for NULL and for any other text.
std::int64_t number_in(const std::optional<std::string>& field);

}  // namespace fractile::ledger_detail
