// A program rounds, flushes and traps as it likes: the library's results are the same, and it finds again what it has set.
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cfenv>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/entries.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::host_test {
namespace {

struct Environment {
  std::string name;
  std::function<void()> set;
};

/// What a program may have set; each on top of the default.
std::vector<Environment> environments() {
  std::vector<Environment> all = {
      {"as usual", [] {}},
      {"upward", [] { std::fesetround(FE_UPWARD); }},
      {"downward", [] { std::fesetround(FE_DOWNWARD); }},
      {"toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
  };
#if defined(__x86_64__)
  constexpr unsigned flush_to_zero = 0x8040;  // results and operands
  all.push_back({"-ffast-math at link", [] { _mm_setcsr(_mm_getcsr() | flush_to_zero); }});
  all.push_back({"x87 in single precision", [] {
                   std::uint16_t word = 0;
                   __asm__ volatile("fnstcw %0" : "=m"(word));
                   word = static_cast<std::uint16_t>(word & ~0x300U);
                   __asm__ volatile("fldcw %0" : : "m"(word));
                 }});
#endif
#if defined(__GLIBC__)
  const auto trap = [](int what) {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(what);
  };
  all.push_back({"traps", [=] { trap(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO); }});
  all.push_back({"every trap", [=] { trap(FE_ALL_EXCEPT); }});
#endif
  return all;
}

/// All that is set, except for what was raised.
std::pair<unsigned, unsigned> what_is_set() {
#if defined(__x86_64__)
  std::uint16_t word = 0;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return {_mm_getcsr() & ~0x3FU, word};
#else
  return {static_cast<unsigned>(std::fegetround()), 0};
#endif
}

void expect_the_same(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const std::string usual = entry.call();
    for (const Environment& environment : environments()) {
      environment.set();
      const auto before = what_is_set();
      const std::string result = entry.call();
      const auto after = what_is_set();
      std::fesetenv(FE_DFL_ENV);
      EXPECT_TRUE(result == usual) << entry.name << ", " << environment.name;
      EXPECT_EQ(after, before) << entry.name << ", " << environment.name;
    }
  }
}

TEST(HostFloatEnvironment, ResultsAreTheSameAndTheProgramsIsGivenBack) {
  const testing::Folder folder;
  expect_the_same(entries(Size::small, folder.file("")));
}

TEST(HostFloatEnvironment, OnSeveralThreadsToo) { expect_the_same(entries(Size::large)); }

TEST(HostFloatEnvironment, FilesAreReadTheSame) {
  const testing::Folder folder;
  const std::vector<Entry> of_files = entries_of_engine(folder.file(""));
  if (of_files.empty()) GTEST_SKIP() << "the engine is not here";
  expect_the_same(of_files);
}

TEST(HostFloatEnvironment, EnginesThatWereStartedBeforeAreNotConfused) {
  const testing::Folder folder;
  for (const Environment& environment : environments()) {  // an engine of its own each time, from its start on
    environment.set();
    std::vector<Entry> of_files = entries_of_engine(folder.file(""));
    std::fesetenv(FE_DFL_ENV);
    if (of_files.empty()) GTEST_SKIP() << "the engine is not here";
    const std::string usual = of_files.front().call();
    environment.set();
    const std::string result = of_files.front().call();
    std::fesetenv(FE_DFL_ENV);
    EXPECT_TRUE(result == usual) << environment.name;
  }
}

}  // namespace
}  // namespace fractile::host_test
