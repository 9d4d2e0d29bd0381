#include "source/counting/persons.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fractile::source_detail {
namespace {

using Whose = std::vector<std::pair<std::string, KeyedRecord>>;
using Sorted = std::map<std::string, std::vector<std::pair<std::uint32_t, Position>>>;

Sorted expected(const Whose& records) {
  Sorted all;
  for (const auto& [person, record] : records) all[person].emplace_back(record.key, record.position);
  for (auto& [person, of_one] : all) std::ranges::sort(of_one);
  return all;
}

/// The records after they were written by this many threads and read by as many.
Sorted through(const Whose& records, const RecordCode& code, const PersonRecords::Limits& limits, std::size_t threads) {
  PersonRecords all(code, limits);
  const auto share = [&](auto work) {
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(work, i);
    for (std::thread& worker : workers) worker.join();
  };
  share([&](std::size_t worker) {
    PersonRecords::Part& part = all.new_part();
    for (std::size_t i = worker; i < records.size(); i += threads) all.add(part, records[i].first, records[i].second);
  });
  std::mutex mutex;
  Sorted seen;
  share([&](std::size_t worker) {
    PersonTable table;
    for (std::size_t partition = worker; partition < PersonRecords::partitions; partition += threads) {
      all.for_each_person(partition, table, [&](std::string_view person, std::vector<KeyedRecord>& of_one) {
        const std::lock_guard lock(mutex);
        auto& list = seen[std::string(person)];
        EXPECT_TRUE(list.empty()) << "a person came twice";
        for (const KeyedRecord& record : of_one) list.emplace_back(record.key, record.position);
        std::ranges::sort(list);
        of_one.clear();
      });
    }
  });
  return seen;
}

constexpr PersonRecords::Limits none_in_memory{0, ~std::size_t{0}};
constexpr PersonRecords::Limits tiny_tables{0, 1000};

TEST(PersonRecords, EachPersonHasTheirOwn) {
  EXPECT_TRUE(rc::check("any records", [] {
    const auto largest_position = *rc::gen::element<Position>(1, 255, 256, 1'000'000, Position{1} << 63);
    const auto largest_key = *rc::gen::element<std::uint32_t>(0, 3, 70'000);
    const RecordCode code(largest_position, largest_key);
    Whose records;
    for (int i = *rc::gen::inRange(0, 60); i > 0; --i) {
      const auto person = *rc::gen::oneOf(rc::gen::element<std::string>("a", "b", std::string("a\0", 2), "7", "07"),
                                          rc::gen::arbitrary<std::string>());
      records.emplace_back(person, KeyedRecord{*rc::gen::inRange<Position>(0, largest_position),
                                               *rc::gen::inRange<std::uint32_t>(0, largest_key + 1)});
      records.emplace_back(person, KeyedRecord{largest_position, largest_key});
    }
    RC_ASSERT(through(records, code, {}, 2) == expected(records));
    RC_ASSERT(through(records, code, none_in_memory, 2) == expected(records));
    RC_ASSERT(through(records, code, tiny_tables, 1) == expected(records));
  }));
}

constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;  // of MurmurHash64A, which libstdc++ has

/// A block of eight bytes as the hash mixes it; and the inverse.
std::uint64_t mixed(std::uint64_t block) {
  block *= multiplier;
  return (block ^ (block >> 47)) * multiplier;
}
std::uint64_t unmixed(std::uint64_t block) {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - multiplier * inverse;
  block *= inverse;
  return (block ^ (block >> 47)) * inverse;
}

/// A name of two blocks, whose second makes its hash independent of the first.
std::string with_one_hash(std::uint64_t first) {
  constexpr std::uint64_t seed = 0xc70f6907;
  const std::uint64_t state = ((seed ^ (16 * multiplier)) ^ mixed(first)) * multiplier;
  const std::array<std::uint64_t, 2> blocks{first, unmixed(state ^ 7)};
  std::string name(16, ' ');
  std::memcpy(name.data(), blocks.data(), name.size());
  return name;
}

TEST(PersonRecords, PersonsOfOneHashAreTwo) {
  const std::string a = with_one_hash(1);
  const std::string b = with_one_hash(2);
  ASSERT_NE(a, b);
  if (std::hash<std::string_view>()(a) != std::hash<std::string_view>()(b)) GTEST_SKIP() << "another library's hash";
  const Whose records{{a, {1, 0}}, {b, {3, 0}}, {a, {5, 0}}};
  EXPECT_TRUE(through(records, RecordCode(10, 0), {}, 1) == expected(records));
}

Whose many_records() {
  Whose records;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    records.emplace_back(std::to_string(i * 7919 % 40'000), KeyedRecord{i % 1000, i % 3});
  }
  for (std::uint32_t i = 0; i < 50'000; ++i) records.emplace_back("one with many", KeyedRecord{i, 0});
  for (const std::size_t size : {253U, 254U, 255U, 256U, 40'000U, 100'000U}) {
    records.emplace_back(std::string(size, 'x'), KeyedRecord{1, 1});
  }
  return records;
}

TEST(PersonRecords, AreTheSameOnAnyThreadsAndInAnyMemory) {
  const Whose records = many_records();
  const Sorted all = expected(records);
  const RecordCode code(50'000, 2);
  for (const std::size_t threads : {1U, 3U}) {
    EXPECT_TRUE(through(records, code, {}, threads) == all);
    EXPECT_TRUE(through(records, code, none_in_memory, threads) == all);
    EXPECT_TRUE(through(records, code, {1'000'000, 20'000}, threads) == all);
    EXPECT_TRUE(through(records, code, tiny_tables, threads) == all);
  }
}

}  // namespace
}  // namespace fractile::source_detail
