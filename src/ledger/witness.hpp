// A file elsewhere that knows the log's lines: a ledger that is put back to a state from before them is detected.
// docs/ledger.md defines it, docs/proofs/ledger_transactions.md says what it proves.
#pragma once

#include <cstdint>
#include <string>

#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// A line of the log, and what was spent after it.
struct Seen {
  std::int64_t line = 0;  ///< 0: none yet
  std::string hash = {};
  std::string sums = {};
};

/// An open witness. All errors are `ledger` and name the witness.
class Witness {
 public:
  enum class For { reading, writing };

  /// Throws `ledger` where it does not exist, or may not be used in this way.
  Witness(const Store& store, const std::string& path, For use);
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness();

  static bool is_there(const std::string& path);
  /// A new one, which has its name once it is whole and synced. Throws `ledger` where something is.
  static void create(const Store& store, const std::string& path, const Seen& seen);

  /// The last line that it has whole: one that a crash has torn was not synced, and nothing was drawn on it.
  Seen last() const;
  /// Throws `ledger` unless the ledger has the line that it has seen last. In a transaction of the store.
  void require_known() const;
  /// Room on its disk for what a release will write there.
  void take_room(const Seen& now) const;
  /// Synced.
  void append(const Seen& seen) const;

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const;

  const Store& store_;
  std::string path_;
  int file_ = -1;
};

/// Whether the ledger has this line. In a transaction of the store.
bool has_seen(const Store& store, const Seen& seen);

}  // namespace fractile::ledger_detail
