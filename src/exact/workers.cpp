#include "exact/workers.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "exact/flint.hpp"

namespace fractile {
namespace {

/// What the threads share.
class Board {
 public:
  Board(std::size_t pieces, const std::function<void(std::size_t)>& work) : pieces_(pieces), work_(work) {}

  void work() {
    try {
      for (std::size_t piece = next_++; piece < pieces_; piece = next_++) work_(piece);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void fail(std::exception_ptr failure) {
    next_ = pieces_;
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  std::size_t pieces_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Joined when they go.
class Helpers {
 public:
  Helpers(std::size_t count, Board& board) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([&board] { help(board); });
    } catch (const std::system_error&) {  // as many as there are
    }
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  static void help(Board& board) {
    clean_up_when_this_thread_ends();
    board.work();
  }
  std::vector<std::thread> threads_;
};

}  // namespace

void share_among_threads(std::size_t threads, std::size_t pieces, const std::function<void(std::size_t)>& work) {
  Board board(pieces, work);
  {
    const Helpers helpers(std::max<std::size_t>(1, std::min(threads, pieces)) - 1, board);
    board.work();
  }
  board.rethrow();
}

std::size_t threads_of_machine() { return std::max(1U, std::thread::hardware_concurrency()); }

void clean_up_when_this_thread_ends() {
  struct CleanUp {
    ~CleanUp() { flint_cleanup(); }  // FLINT keeps memory for every thread until it is told that the thread is over
  };
  thread_local const CleanUp at_the_end;
  static_cast<void>(at_the_end);  // a thread's variable is made when it is named
}

}  // namespace fractile
