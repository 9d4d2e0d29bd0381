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

/// "3:abc,": no two lists of fields are the same text.
std::string field_text(const std::string& text);
/// The fields of such a text; none when it is something else.
std::optional<std::vector<std::string>> fields_in(std::string_view text);

/// The columns of a row, as hashes take them. What the row's format did not have is left out.
std::string hashed_dataset(const Fields& row);
std::string hashed_entry(const Fields& row);

/// A line to add; members that its kind does not have stay empty.
struct NewEvent {
  std::string time;
  std::string kind;
  std::optional<std::string> receipt_sha256 = {};
  std::optional<std::string> reason = {};
};

/// The log's last line, on which the next one stands.
struct Head {
  std::int64_t id = 0;  ///< 0 of an empty log
  std::string hash = {};
};

/// Adds a line about a dataset ("dataset") or an entry (any other kind) of this id, after the last one, which the same
/// transaction has read: whatever a transaction adds was decided on all lines before it, since no two lines have one number.
/// `hashed` is the row that it is about, as hashed_dataset or hashed_entry; "" of kinds that hash the id alone. `sums` is what
/// is spent after it. Returns the line's hash.
std::string append_event(const Store& store, const Head& head, const NewEvent& event, std::int64_t subject,
                         const std::string& sums, const std::string& hashed = {});

/// What the log says of the rows that it is about, with the fields of each as hashes take them.
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
  std::optional<std::string> sums;  ///< none in lines of formats before 3
};

/// What is wrong with a ledger is thrown as `ledger`, or noted by a caller that wants to see the rest.
using Damage = std::vector<std::string>;
void broken(const Store& store, const std::string& what, Damage* damage = nullptr);

/// A line of the log. Broken unless it has the hash that follows from `subject`, what it is about as hashes take that ("": it is not
/// there), and from the hash of the line before it.
Line require_line(const Store& store, const Fields& row, const std::string& previous, const std::string& subject,
                  Damage* damage = nullptr);

/// The log's lines. Broken unless they are numbered 1, 2, ..., each has the hash that follows from what it is about and from
/// the line before it, and every dataset, entry and receipt has its line. `head`, unless empty, must be among the hashes.
std::vector<Line> require_chain(const Store& store, const Subjects& subjects, const std::string& head, Damage* damage);

/// A whole number that the tables hold; -1 for any other text.
std::int64_t number_in(const std::optional<std::string>& field);

}  // namespace fractile::ledger_detail
