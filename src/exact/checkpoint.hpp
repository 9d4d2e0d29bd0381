// Where a computation that may take long can be ended from outside.
#pragma once

#include "exact/uncopied.hpp"
#include "fractile/exact.hpp"

namespace fractile {

namespace detail {

/// The Checkpoints that are in force on a thread. Threads that share its work see the same ones.
class CheckpointsOfThread : Uncopied {
 public:
  static Checkpoints* in_force() noexcept { return in_force_; }
  static void look() {
    if (in_force_ != nullptr) in_force_->look();
  }

  /// Puts `checkpoints` in force until the end of the scope.
  explicit CheckpointsOfThread(Checkpoints* checkpoints) noexcept : before_(in_force_) { in_force_ = checkpoints; }
  ~CheckpointsOfThread() { in_force_ = before_; }

 private:
  friend class fractile::Checkpoints;

  static constinit thread_local Checkpoints* in_force_;
  Checkpoints* before_;
};

}  // namespace detail

/// To be called many times a second by whatever may take longer: throws what ends the computation. It takes a nanosecond where no
/// Checkpoints are in force, and else some 30.
inline void checkpoint() { detail::CheckpointsOfThread::look(); }

}  // namespace fractile
