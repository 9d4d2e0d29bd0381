#include "experiments/workers.hpp"

#include <flint/flint.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace fractile::experiments {
namespace {

/// What the threads share.
class Board {
 public:
  Board(std::size_t count, const std::function<void(std::size_t, std::size_t)>& progress)
      : count_(count), progress_(progress) {}

  /// The next piece; none when all are taken or something failed.
  std::optional<std::size_t> take() {
    const std::lock_guard lock(mutex_);
    if (failure_ || next_ == count_) return std::nullopt;
    return next_++;
  }

  void finish_one() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) progress_(done_, count_);
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t, std::size_t)>& progress_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

void work_on(Board& board, const std::function<void(std::size_t)>& work) {
  try {
    for (auto piece = board.take(); piece; piece = board.take()) {
      work(*piece);
      board.finish_one();
    }
  } catch (...) {
    board.fail(std::current_exception());
  }
}

/// FLINT, under the library's exact numbers, keeps memory for every thread until it is told that the thread is over.
void work_in_own_thread(Board& board, const std::function<void(std::size_t)>& work) {
  work_on(board, work);
  flint_cleanup();
}

}  // namespace

void work_in_threads(std::size_t threads, std::size_t count, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t, std::size_t)>& progress) {
  Board board(count, progress);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(threads, count); ++i)
    others.emplace_back([&] { work_in_own_thread(board, work); });
  work_on(board, work);
  for (std::thread& other : others) other.join();
  board.rethrow();
}

}  // namespace fractile::experiments
