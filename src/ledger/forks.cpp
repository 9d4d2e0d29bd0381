#include "ledger/forks.hpp"

#include <pthread.h>
#include <sqlite3.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace fractile::ledger_detail {
namespace {

struct Forks {
  std::mutex mutex;
  std::condition_variable changed;
  int holding = 0;  // the number of threads with a HoldForks
  bool is_forking = false;
};

thread_local int depth = 0;

/// Never destroyed, since threads may still run when a process destroys its globals.
Forks& forks();

/// SQLite's own locks, in an order in which SQLite takes them. They guard opening databases, files, pages, random numbers and memory.
/// While SQLite holds the lock of its memory, it takes no other lock.
constexpr std::array sqlite_mutexes{SQLITE_MUTEX_STATIC_MAIN, SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_VFS1,
                                    SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_PRNG,
                                    SQLITE_MUTEX_STATIC_MEM};

void before_fork() {
  Forks& all = forks();
  std::unique_lock lock(all.mutex);
  all.changed.wait(lock, [&] { return !all.is_forking; });
  all.is_forking = true;
  if (depth == 0) all.changed.wait(lock, [&] { return all.holding == 0; });
  static_cast<void>(lock.release());  // stays locked until after_fork()
  for (const int each : sqlite_mutexes) sqlite3_mutex_enter(sqlite3_mutex_alloc(each));
}

void after_fork() {
  for (std::size_t i = sqlite_mutexes.size(); i-- > 0;) sqlite3_mutex_leave(sqlite3_mutex_alloc(sqlite_mutexes[i]));
  forks().is_forking = false;
  forks().mutex.unlock();
}

void after_fork_in_parent() {
  after_fork();
  forks().changed.notify_all();
}

/// The child's only thread is the one that forked; the threads that waited are not in the child.
void after_fork_in_child() {
  std::construct_at(&forks().changed);
  forks().holding = depth > 0 ? 1 : 0;
  after_fork();
}

Forks& forks() {
  static Forks& all = *[] {
    auto made = std::make_unique<Forks>();
    sqlite3_initialize();
    pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
    return made.release();
  }();
  return all;
}

void hold(int times) {
  if (std::exchange(depth, times) > 0 || times == 0) return;
  Forks& all = forks();
  std::unique_lock lock(all.mutex);
  all.changed.wait(lock, [&] { return !all.is_forking; });
  ++all.holding;
}

void let_go(int times) {
  if (std::exchange(depth, times) == 0 || times > 0) return;
  Forks& all = forks();
  {
    const std::lock_guard lock(all.mutex);
    --all.holding;
  }
  all.changed.notify_all();
}

}  // namespace

HoldForks::HoldForks() { hold(depth + 1); }
HoldForks::~HoldForks() { let_go(depth - 1); }

ForksGoOn::ForksGoOn() : depth_(depth) { let_go(0); }
ForksGoOn::~ForksGoOn() { hold(depth_); }

}  // namespace fractile::ledger_detail
