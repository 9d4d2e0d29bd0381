// Threads that are not to be had, memory that is not to be had, and threads that end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/frames.hpp"
#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"
#include "fractile/sources.hpp"
#include "host/entries.hpp"
#include "support/temporary_folder.hpp"

namespace {

/// How many more are to be had until one is not; below zero: all are.
std::atomic<std::int64_t> threads_left = -1;
std::atomic<std::int64_t> memory_left = -1;

/// Whether this one is not to be had. For good: no other one is from then on.
bool is_refused(std::atomic<std::int64_t>& left, bool for_good) {
  if (left.load(std::memory_order_relaxed) < 0) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 0 || before < 0) return false;
  if (for_good) left = 0;
  return true;
}

void* memory(std::size_t size, std::size_t alignment) {
  if (is_refused(memory_left, false)) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* memory_or_throw(std::size_t size, std::size_t alignment = 1) {
  void* const got = memory(size, alignment);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

}  // namespace

// NOLINTBEGIN: the language's own names
void* operator new(std::size_t size) { return memory_or_throw(size); }
void* operator new[](std::size_t size) { return memory_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return memory(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return memory(size, 1); }
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete[](void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }

/// What the C++ library and the engine start threads with.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (is_refused(threads_left, true)) return EAGAIN;
  return create(thread, attributes, start, argument);
}
// NOLINTEND

namespace fractile::host_test {
namespace {

/// Each n at first, then ever fewer: FRACTILE_TEST_EFFORT times as many.
std::int64_t next(std::int64_t n) {
  static const char* const said = std::getenv("FRACTILE_TEST_EFFORT");
  static const std::int64_t effort = said == nullptr ? 1 : std::max(1, std::atoi(said));
  return n + 1 + n / (24 * effort);
}

/// What the entry gives, or nothing when it fails as it may.
std::optional<std::string> result_or_error(const Entry& entry, bool may_lack_memory) {
  try {
    return entry.call();
  } catch (const Error&) {
    return {};
  } catch (const std::bad_alloc&) {
    EXPECT_TRUE(may_lack_memory) << entry.name;
    return {};
  }
}

/// The entry with the n-th thread refused and all after it, for all n: it does with those that there are.
void expect_fewer_threads_do(const Entry& entry) {
  const std::string usual = entry.call();
  for (std::int64_t n = 0;; ++n) {
    threads_left = n;
    const std::optional<std::string> result = result_or_error(entry, false);
    const bool was_refused = threads_left == 0;
    threads_left = -1;
    EXPECT_TRUE(result == usual) << entry.name << ", thread " << n;
    if (!was_refused) return;
  }
}

TEST(HostThreads, AsManyAsThereAreDownToTheCallerAlone) {
  const testing::Folder folder;
  for (const Entry& entry : entries(Size::large, folder.file(""))) expect_fewer_threads_do(entry);
}

TEST(HostThreads, AnEngineWithoutThemSaysSo) {
  const testing::Folder folder;
  for (const Entry& entry : entries_of_engine(folder.file(""))) {
    const std::string usual = entry.call();
    for (std::int64_t n = 0; n < 12; ++n) {
      threads_left = n;
      const std::optional<std::string> result = result_or_error(entry, false);
      threads_left = -1;
      EXPECT_TRUE(!result || *result == usual) << entry.name << ", thread " << n;
    }
    EXPECT_TRUE(entry.call() == usual) << entry.name << ", afterwards";
  }
}

TEST(HostMemory, EachPieceThatIsNotToBeHadIsAnError) {
  const testing::Folder folder;
  for (const Entry& entry : entries(Size::small, folder.file(""))) {
    const std::string usual = entry.call();
    for (std::int64_t n = 0;; n = next(n)) {
      memory_left = n;
      const std::optional<std::string> result = result_or_error(entry, true);
      const bool was_refused = memory_left < 0;
      memory_left = -1;
      EXPECT_TRUE(!result || *result == usual) << entry.name << ", piece " << n;
      if (!was_refused) break;
    }
    EXPECT_TRUE(entry.call() == usual) << entry.name << ", afterwards";
  }
}

ReleaseRequest small_request() {
  return {{"x", Lattice::regular(0, 100, 1), NullPolicy::drop, {}}, {{Rational(1, 2)}, Budget::pure(Rational(1))}};
}

/// What a release says when its n-th piece of memory is not to be had, with or without a charge; empty when it comes about.
std::string said_without(std::int64_t n, const std::vector<double>& values, const std::optional<Payment>& payment) {
  Source source = Source::frame(
      Frame::of({reinterpret_cast<const std::byte*>(values.data()), "g", values.size(), sizeof(double), {}}, "x"));
  const ReleaseRequest request = small_request();
  memory_left = n;
  try {
    publish(std::move(source), request, payment);
    memory_left = -1;
    return {};
  } catch (const Error& error) {
    memory_left = -1;
    return error.what();
  }
}

TEST(HostMemory, AReleaseThatLacksItIsAnErrorOfOursBeforeAndAfterTheCharge) {
  const testing::Folder folder;
  const std::vector<double> values = {1, 2, 3, 50, 60, 70};
  const std::string path = folder.file("people.ledger");
  Ledger::create(path).add_dataset({"people", Budget::pure(Rational(10'000))});
  for (const std::optional<Payment>& payment :
       {std::optional<Payment>(), std::optional<Payment>({path, {}, "people"})}) {
    int lacked = 0;
    for (std::int64_t n = 0; n < 400; n = next(n)) {
      const std::string said = said_without(n, values, payment);
      if (said.find("memory does not suffice") != std::string::npos) ++lacked;
    }
    EXPECT_GT(lacked, 30);
  }
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Bytes that the process has from malloc().
std::size_t in_use() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(HostThreads, EachThatEndsGivesBackWhatItKept) {
  std::vector<Entry> all = entries(Size::small);
  for (const Entry& entry : all) entry.call();
  constexpr int threads = 2'000;
  std::size_t before = 0;
  for (int i = 0; i < threads; ++i) {
    if (i == 100) before = in_use();  // what is kept once is kept by now
    std::thread([&] { all[static_cast<std::size_t>(i) % all.size()].call(); }).join();
  }
  EXPECT_LT(in_use(), before + (std::size_t{1} << 20));
}
#endif

}  // namespace
}  // namespace fractile::host_test
