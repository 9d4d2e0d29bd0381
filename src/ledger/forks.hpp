// Forks of a process while one of its threads uses a ledger.
#pragma once

#include "exact/uncopied.hpp"

namespace fractile::ledger_detail {

/// While a thread has a HoldForks, a fork by another thread waits. Otherwise the child would have SQLite's locks, those of its memory and
/// of the ledger's file, but no thread that releases them. The wait is short: a thread that waits for another process, or calls its
/// user's functions, lets forks go on meanwhile (ForksGoOn).
class HoldForks : Uncopied {
 public:
  HoldForks();
  ~HoldForks();
};

/// Suspends the HoldForks of this thread until the end of its own scope.
class ForksGoOn : Uncopied {
 public:
  ForksGoOn();
  ~ForksGoOn();

 private:
  int depth_;
};

}  // namespace fractile::ledger_detail
