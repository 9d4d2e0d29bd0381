#include "exact/own_environment.hpp"

#include <flint/flint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cstdint>

namespace fractile {
namespace {

/// Whether all settings already are as needed. Flags that earlier exceptions raised do not matter.
bool is_own_environment() {
#if defined(__x86_64__)
  constexpr std::uint32_t raised = 0x3F;
  constexpr std::uint32_t usual = 0x1F80;
  constexpr std::uint16_t usual_x87 = 0x37F;
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & ~raised) == usual && x87 == usual_x87;
#else
  return false;
#endif
}

}  // namespace

OwnEnvironment::OwnEnvironment() noexcept : is_changed_(!is_own_environment()) {  // NOLINT(*-member-init): see callers_
  use_flint();
  if (!is_changed_) return;
  std::fegetenv(&callers_);
  std::fesetenv(FE_DFL_ENV);
}

OwnEnvironment::~OwnEnvironment() {
  if (is_changed_) std::fesetenv(&callers_);
}

constinit thread_local bool detail::flint_will_be_told = false;

void tell_flint_when_this_thread_ends() noexcept {
  struct Telling {
    ~Telling() { flint_cleanup(); }
  };
  thread_local const Telling at_the_end;
  static_cast<void>(at_the_end);  // a thread-local variable is constructed when it is used
  detail::flint_will_be_told = true;
}

}  // namespace fractile
