// Threads that are not to be had, and threads that end.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fractile/error.hpp"
#include "host/entries.hpp"
#include "host/refusals.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::host_test {
namespace {

/// What the entry gives, or nothing when it fails as it may.
std::optional<std::string> result_or_error(const Entry& entry) {
  try {
    return entry.call();
  } catch (const Error&) {
    return {};
  }
}

/// The entry with the n-th thread refused and all after it, for all n: it does with those that there are.
void expect_fewer_threads_do(const Entry& entry) {
  const std::string usual = entry.call();
  for (std::int64_t n = 0;; ++n) {
    threads_left = n;
    const std::optional<std::string> result = result_or_error(entry);
    const bool was_refused = threads_left == 0;
    threads_left = -1;
    EXPECT_TRUE(result == usual) << entry.name << ", thread " << n;
    if (!was_refused) return;
  }
}

TEST(HostThreads, AsManyAsThereAreDownToTheCallerAlone) {
  const testing::Folder folder;
  for (const Size size : {Size::large, Size::small}) {
    for (const Entry& entry : entries(size, folder.file(""))) expect_fewer_threads_do(entry);
  }
}

TEST(HostThreads, AnEngineWithoutThemSaysSo) {
  const testing::Folder folder;
  for (const Entry& entry : entries_of_engine(folder.file(""))) {
    const std::string usual = entry.call();
    for (std::int64_t n = 0; n < 12; ++n) {
      threads_left = n;
      const std::optional<std::string> result = result_or_error(entry);
      threads_left = -1;
      EXPECT_TRUE(!result || *result == usual) << entry.name << ", thread " << n;
    }
    EXPECT_TRUE(entry.call() == usual) << entry.name << ", afterwards";
  }
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Bytes that the process has from malloc().
std::size_t in_use() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(HostThreads, EachThatEndsGivesBackWhatItKept) {
  const testing::Folder folder;
  const std::vector<Entry> all = entries(Size::small, folder.file(""));
  constexpr int rounds = 20;
  std::size_t before = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == 2) before = in_use();  // what is kept once is kept by now
    for (const Entry& entry : all) std::thread([&] { entry.call(); }).join();
  }
  EXPECT_LT(in_use(), before + (std::size_t{1} << 19));
}
#endif

}  // namespace
}  // namespace fractile::host_test
