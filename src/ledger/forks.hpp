// Forks of a process while one of its threads uses a ledger.
#pragma once

namespace fractile::ledger_detail {

/// While a thread has a HoldForks, a fork by another thread waits. Otherwise the child would have SQLite's locks, those of its memory and
/// of the ledger's file, but no thread that releases them. The wait is short: a thread that waits for another process, or calls its
/// user's functions, lets forks go on meanwhile (ForksGoOn).
class HoldForks {
 public:
  HoldForks();
  HoldForks(const HoldForks&) = delete;
  HoldForks& operator=(const HoldForks&) = delete;
  ~HoldForks();
};

/// Suspends the HoldForks of this thread until the end of its own scope.
class ForksGoOn {
 public:
  ForksGoOn();
  ForksGoOn(const ForksGoOn&) = delete;
  ForksGoOn& operator=(const ForksGoOn&) = delete;
  ~ForksGoOn();

 private:
  int depth_;
};

}  // namespace fractile::ledger_detail
