#include "exact/workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "exact/uncopied.hpp"

namespace fractile {
namespace {

using Work = std::function<void(std::size_t, std::size_t)>;

/// What the threads share.
class Board {
 public:
  Board(std::size_t pieces, const Work& work) : pieces_(pieces), work_(work) {}

  void work(std::size_t worker) {
    const OwnEnvironment own;
    const detail::CheckpointsOfThread callers(checkpoints_);
    std::size_t piece = 0;
    try {
      while ((piece = next_++) < pieces_) {
        checkpoint();
        work_(worker, piece);
      }
    } catch (...) {
      fail(piece, std::current_exception());
    }
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    ++helpers_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--helpers_ == 0) nobody_helps_.notify_all();
  }

  /// Waits for the other threads. The calling thread is the one that looks at its checkpoints.
  void wait() {
    if (checkpoints_ == nullptr) return;
    try {
      std::unique_lock lock(mutex_);
      while (!nobody_helps_.wait_for(lock, std::chrono::milliseconds(20), [this] { return helpers_ == 0; })) {
        lock.unlock();
        checkpoint();
        lock.lock();
      }
    } catch (...) {
      fail(pieces_, std::current_exception());
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Every piece before this one has begun and will end, so which failure is reported does not depend on timing.
  void fail(std::size_t piece, std::exception_ptr failure) {
    next_ = pieces_;
    const std::lock_guard lock(mutex_);
    if (piece >= failed_) return;
    failed_ = piece;
    failure_ = std::move(failure);
  }

  std::size_t pieces_;
  const Work& work_;
  Checkpoints* checkpoints_ = detail::CheckpointsOfThread::in_force();
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t failed_ = pieces_ + 1;  // the piece; pieces_ for a failure in wait()
  std::exception_ptr failure_;
  std::size_t helpers_ = 0;  // threads besides the calling one
  std::condition_variable nobody_helps_;
};

/// Threads that are joined when this object is destroyed.
class Helpers : Uncopied {
 public:
  Helpers(std::size_t count, Board& board) {
    try {
      threads_.reserve(count);
      while (threads_.size() < count) {
        board.begin();
        try {
          threads_.emplace_back([&board, worker = threads_.size() + 1] {
            board.work(worker);
            board.end();
          });
        } catch (...) {
          board.end();
          throw;
        }
      }
    } catch (const std::exception&) {  // no further thread, or no memory for one: continue with those that run
    }
  }
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

void share_among_workers(std::size_t threads, std::size_t pieces, const Work& work) {
  Board board(pieces, work);
  {
    const Helpers helpers(std::max<std::size_t>(1, std::min(threads, pieces)) - 1, board);
    board.work(0);
    board.wait();
  }
  board.rethrow();
}

void share_among_threads(std::size_t threads, std::size_t pieces, const std::function<void(std::size_t)>& work) {
  share_among_workers(threads, pieces, [&work](std::size_t, std::size_t piece) { work(piece); });
}

std::size_t threads_of_machine() { return std::max(1U, std::thread::hardware_concurrency()); }

// --- Checkpoints -----------------------------------------------------------------------------------------------------

constinit thread_local Checkpoints* detail::CheckpointsOfThread::in_force_ = nullptr;

Checkpoints::Checkpoints(std::function<void()> look)
    : look_(std::move(look)), outer_(detail::CheckpointsOfThread::in_force_) {
  detail::CheckpointsOfThread::in_force_ = this;
}

Checkpoints::~Checkpoints() { detail::CheckpointsOfThread::in_force_ = outer_; }

void Checkpoints::look() {
  if (is_stopped_) std::rethrow_exception(failure_);
  if (std::this_thread::get_id() != asker_) return;
  try {
    look_();
  } catch (...) {
    failure_ = std::current_exception();
    is_stopped_ = true;
    throw;
  }
}

}  // namespace fractile
