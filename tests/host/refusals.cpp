#include "host/refusals.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace fractile::host_test {

std::atomic<std::int64_t> threads_left = -1;
std::atomic<std::int64_t> memory_left = -1;
std::atomic<bool> refuses_only_own = false;
std::atomic<std::int64_t> memory_held = 0;

}  // namespace fractile::host_test

// Where this program's instructions begin and end; the linker's names.
extern "C" const char __executable_start;  // NOLINT(bugprone-reserved-identifier)
extern "C" const char etext;

namespace {

using fractile::host_test::memory_held;
using fractile::host_test::memory_left;
using fractile::host_test::refuses_only_own;
using fractile::host_test::threads_left;

/// Whether this one is not to be had. For good: no other one is from then on.
bool is_refused(std::atomic<std::int64_t>& left, bool for_good) {
  if (left.load(std::memory_order_relaxed) < 0) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 0 || before < 0) return false;
  if (for_good) left = 0;
  return true;
}

/// Whether an instruction is of this program: the linker says where that begins and ends. Templates of the standard library that the
/// program shows to loaded libraries are theirs as well.
bool is_own(const void* instruction) {
  Dl_info shown = {};
  return &__executable_start <= instruction && instruction < &etext &&
         (dladdr(instruction, &shown) == 0 || shown.dli_sname == nullptr);
}

void* memory(std::size_t size, std::size_t alignment, const void* caller) {
  if ((!refuses_only_own || is_own(caller)) && is_refused(memory_left, false)) return nullptr;
  ++memory_held;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* memory_or_throw(std::size_t size, std::size_t alignment, const void* caller) {
  void* const got = memory(size, alignment, caller);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

void give_back(void* pointer) {
  if (pointer == nullptr) return;
  --memory_held;
  std::free(pointer);
}

}  // namespace

// NOLINTBEGIN: the language's own names
void* operator new(std::size_t size) { return memory_or_throw(size, 1, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return memory_or_throw(size, 1, __builtin_return_address(0)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory(size, 1, __builtin_return_address(0));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return memory(size, 1, __builtin_return_address(0));
}
void operator delete(void* pointer) noexcept { give_back(pointer); }
void operator delete[](void* pointer) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { give_back(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { give_back(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { give_back(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { give_back(pointer); }

/// What the C++ library and the engine start threads with.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (is_refused(threads_left, true)) return EAGAIN;
  return create(thread, attributes, start, argument);
}
// NOLINTEND
