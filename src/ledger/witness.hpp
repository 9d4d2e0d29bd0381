// A witness is a file elsewhere that has seen the log's lines. It reveals that a ledger was put back to a state before these lines.
// docs/ledger.md defines the file, and docs/proofs/ledger_transactions.md says what it proves.
#pragma once

#include <cstdint>
#include <string>

#include "exact/uncopied.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// A line of the log, and what was spent after it.
struct Seen {
  std::int64_t line = 0;  ///< 0 before the first line
  std::string hash = {};
  std::string sums = {};
};

/// An open witness. All errors are `ledger` and name the witness.
class Witness : Uncopied {
 public:
  enum class For { reading, writing };

  /// Throws `ledger` when the file does not exist, or may not be used in this way.
  Witness(const Store& store, const std::string& path, For use) : Witness(&store, store.name(), path, use) {}
  ~Witness();

  static bool is_there(const std::string& path);
  /// Throws `ledger` when something is at the path that is no witness, or when no witness can be made there. Looks only at the path, so
  /// that it can be called before the ledger of this name is made.
  static void require_possible(const std::string& ledger, const std::string& path);
  /// Makes a new witness, which gets its name only when it is whole and synced. Throws `ledger` when something exists at the path.
  static void create(const Store& store, const std::string& path, const Seen& seen);

  /// The last whole line. A line that a crash has torn was never synced, so no release was drawn after it.
  Seen last() const;
  /// Throws `ledger` unless the ledger has the line that the witness has seen last. Called within a transaction of the store.
  void require_known() const;
  /// Reserves room on the witness's disk for the lines that a release will add.
  void take_room(const Seen& now) const;
  /// Adds a line and syncs the file.
  void append(const Seen& seen) const;

 private:
  Witness(const Store* store, std::string ledger, const std::string& path, For use);
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const;

  const Store* store_;  ///< null if the ledger is not made yet
  std::string ledger_;
  std::string path_;
  int file_ = -1;
};

/// Whether the ledger has this line. Called within a transaction of the store.
bool has_seen(const Store& store, const Seen& seen);

}  // namespace fractile::ledger_detail
