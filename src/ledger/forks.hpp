// Forks of a process one of whose threads uses a ledger.
#pragma once

namespace fractile::ledger_detail {

/// While a thread has one, a fork by another thread waits: the child would have SQLite's locks, those of its memory and of the ledger's file,
/// and no thread that gives them back. It is short: a thread that waits for another process, or calls its user, gives it up meanwhile (ForksGoOn).
class HoldForks {
 public:
  HoldForks();
  HoldForks(const HoldForks&) = delete;
  HoldForks& operator=(const HoldForks&) = delete;
  ~HoldForks();
};

/// Gives up what this thread holds, and takes it again at the end.
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
