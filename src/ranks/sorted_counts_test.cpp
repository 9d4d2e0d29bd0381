#include "ranks/sorted_counts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

namespace fractile {
namespace {

/// Reads a number as a position and the number of records there.
constexpr std::uint64_t most_records = 7;

RecordsAt read(std::uint64_t number) { return {number / most_records, number % most_records + 1}; }
RecordsAt read_short(std::uint32_t number) { return read(number); }
RecordsAt one_record(Position position) { return {position, 1}; }

/// Counts the numbers one by one in a map.
ProfileParts plainly(const std::vector<std::uint64_t>& numbers, RecordsAt (*read_one)(std::uint64_t)) {
  std::map<Position, std::uint64_t> records;
  for (const std::uint64_t number : numbers) records[read_one(number).position] += read_one(number).records;
  ProfileParts parts{{}, {0}};
  for (const auto& [position, count] : records) {
    parts.positions.push_back(position);
    parts.cumulative.push_back(parts.cumulative.back() + count);
  }
  return parts;
}

void expect_equal(const ProfileMemory& counted, const ProfileParts& expected) {
  EXPECT_TRUE(std::ranges::equal(counted.positions, expected.positions));
  EXPECT_TRUE(std::ranges::equal(counted.cumulative, expected.cumulative));
  const auto apart = std::bit_cast<std::uintptr_t>(counted.cumulative.data()) -
                     std::bit_cast<std::uintptr_t>(counted.positions.data());
  EXPECT_LE(apart % 4096 - 1024, 2048U) << "walked in step, they would be at like places of their pages";
}

LargeArray<Position> copied(const std::vector<Position>& numbers, std::size_t spare = 0) {
  LargeArray<Position> copy(numbers.size(), spare);
  std::ranges::copy(numbers, copy.data());
  return copy;
}

void expect_counts(const std::vector<std::uint64_t>& sorted, std::size_t threads) {
  const std::vector<std::uint32_t> narrow(sorted.begin(), sorted.end());
  const ProfileParts weighted = plainly(sorted, read);
  expect_equal(SortedCounts(std::span(sorted), threads, read).parts(), weighted);
  expect_equal(SortedCounts(std::span(narrow), threads, read_short).parts(), weighted);
  const SortedCounts alone(std::span<const Position>(sorted), threads, one_record);
  const ProfileParts expected = plainly(sorted, one_record);
  expect_equal(alone.parts(), expected);
  for (const std::size_t spare : {std::size_t{0}, words_for_counts(sorted.size())}) {
    LargeArray<Position> positions = copied(sorted, spare);
    const SortedCounts in_place(std::span<const Position>(positions.numbers()), threads, one_record);
    expect_equal(in_place.parts_in(std::move(positions)), expected);
  }
  LargeArray<Position> numbers = copied(sorted);
  const SortedCounts given_back(std::span<const Position>(numbers.numbers()), threads, read);
  expect_equal(given_back.parts_of(std::move(numbers)), weighted);
}

TEST(SortedCounts, AreThoseOfAMap) {
  EXPECT_TRUE(rc::check("any numbers", [] {
    auto numbers = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 60));
    std::ranges::sort(numbers);
    expect_counts(numbers, 3);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

// All records of one position are in one thread's stretch, however many they are.
TEST(SortedCounts, TheNumberOfThreadsChangesNothing) {
  std::mt19937_64 random(1);
  for (const std::uint64_t most :
       {std::uint64_t{6}, std::uint64_t{20}, std::uint64_t{1} << 20, std::uint64_t{1} << 31}) {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < 5 * fewest_to_share; ++i) numbers.push_back(i % 3 == 0 ? most / 2 : random() % most);
    std::ranges::sort(numbers);
    for (const std::size_t threads : {1U, 2U, 3U, 5U}) expect_counts(numbers, threads);
  }
}

// Three records lie at each position. These are more numbers than malloc keeps, so their memory goes back to the system while they are
// read.
TEST(SortedCounts, OfNumbersThatAreGivenBackAreTheSame) {
  LargeArray<std::uint32_t> numbers(kept_by_malloc / 4 + 2000003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<std::uint32_t>(i / 3);
  const std::size_t records = numbers.size();
  const SortedCounts counts(std::span<const std::uint32_t>(numbers.numbers()), 2, one_record);
  const ProfileMemory counted = counts.parts_of(std::move(numbers));
  ASSERT_EQ(counted.positions.size(), (records + 2) / 3);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < counted.positions.size(); ++k) {
    wrong += counted.positions[k] == k && counted.cumulative[k + 1] == std::min(3 * (k + 1), records) ? 0U : 1U;
  }
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace fractile
