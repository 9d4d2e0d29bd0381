#include "source/counting/shared_tally.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::lattice_of;
using source_test::profile_of;

constexpr std::size_t rows = 2048;

std::vector<double> numbers_of(std::size_t thread, std::size_t chunk) {
  std::vector<double> numbers(rows);
  for (std::size_t i = 0; i < rows; ++i)
    numbers[i] = static_cast<double>((thread * 7919 + chunk * 104729 + i * 31) % 100003);
  return numbers;
}

TEST(SharedTally, ThreadsCountTogetherWhatOneCounts) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t chunks = 20;
  for (const char* step : {"1", "0.001"}) {  // a coarse lattice and a fine one
    const Lattice lattice = lattice_of("0", "100000", step);
    std::vector<double> all;
    for (std::size_t t = 0; t < threads; ++t) {
      for (std::size_t c = 0; c < chunks; ++c) {
        const std::vector<double> numbers = numbers_of(t, c);
        all.insert(all.end(), numbers.begin(), numbers.end());
      }
    }
    SharedTally tally(lattice, 2);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&tally, t] {
        for (std::size_t c = 0; c < chunks; ++c) {
          tally.add(ColumnView(numbers_of(t, c).data(), nullptr, rows), {CellType::real});
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    const Counted counted = tally.finish();
    EXPECT_EQ(counted.profile, profile_of<double>(lattice, all));
    EXPECT_FALSE(counted.any_missing);
  }
}

TEST(SharedTally, WhatIsMissingIsLeftOutAndTold) {
  const Lattice lattice = lattice_of("0", "9", "1");
  const std::array<std::int64_t, 3> numbers{4, 5, 6};
  const std::uint64_t all_but_one = 0b101;
  SharedTally integers(lattice, 1);
  integers.add(ColumnView(numbers.data(), &all_but_one, 3), {CellType::integer});
  integers.add(ColumnView(numbers.data(), nullptr, 3), {CellType::integer});
  const Counted counted = integers.finish();
  EXPECT_TRUE(counted.any_missing);
  EXPECT_EQ(counted.profile, profile_of<std::int64_t>(lattice, std::array<std::int64_t, 5>{4, 4, 5, 6, 6}));
  const std::array<double, 2> with_nan{4, std::nan("")};
  SharedTally reals(lattice, 1);
  reals.add(ColumnView(with_nan.data(), nullptr, 2), {CellType::real});
  EXPECT_TRUE(reals.finish().any_missing);
  SharedTally nothing(lattice, 1);
  EXPECT_EQ(nothing.finish().profile.distinct(), 0U);
}

}  // namespace
}  // namespace fractile::source_detail
