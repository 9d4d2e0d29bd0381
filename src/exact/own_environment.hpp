// What the library sets for itself while it works on a thread that another program owns, and gives back.
#pragma once

#include <cfenv>

namespace fractile {

/// At every door of the library, first of all: from here to the end of its scope floating-point numbers are what IEEE 754 has them,
/// rounded to nearest, subnormals as they are, without traps, x87 in full precision, whatever the caller has set; then it is as it was.
/// And what exact numbers keep for this thread is given back when the thread ends.
class OwnEnvironment {
 public:
  OwnEnvironment() noexcept;
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;
  ~OwnEnvironment();

 private:
  bool is_changed_;
  std::fenv_t callers_;  // where it is changed
};

/// FLINT keeps memory for every thread that uses it, until it is told that the thread is over. For all that computes with it: from now
/// on this thread tells it. A door does so, too.
void tell_flint_when_this_thread_ends() noexcept;

namespace detail {
extern constinit thread_local bool flint_will_be_told;
}  // namespace detail

inline void use_flint() noexcept {
  if (!detail::flint_will_be_told) tell_flint_when_this_thread_ends();
}

}  // namespace fractile
