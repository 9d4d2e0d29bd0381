// What the library sets on a thread of the calling program while it works there, and restores afterwards.
#pragma once

#include <cfenv>

namespace fractile {

/// The first statement of every public function that computes. To the end of its scope, floating-point arithmetic follows IEEE 754:
/// it rounds to nearest, keeps subnormals, has no traps, and x87 has full precision. Afterwards the caller's settings are back. It
/// also makes sure that the memory which exact numbers keep for this thread is freed when the thread ends.
class OwnEnvironment {
 public:
  OwnEnvironment() noexcept;
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;
  ~OwnEnvironment();

 private:
  bool is_changed_;
  std::fenv_t callers_;  // the caller's settings, if they differ
};

/// FLINT keeps memory for every thread that uses it until flint_cleanup() is called on that thread. After this call,
/// flint_cleanup() runs when the thread ends. Everything that computes with FLINT calls this; an OwnEnvironment does, too.
void tell_flint_when_this_thread_ends() noexcept;

namespace detail {
extern constinit thread_local bool flint_will_be_told;
}  // namespace detail

inline void use_flint() noexcept {
  if (!detail::flint_will_be_told) tell_flint_when_this_thread_ends();
}

}  // namespace fractile
