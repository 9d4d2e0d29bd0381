#include "source/counting/shared_sample.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/statistics.hpp"

namespace fractile::source_detail {
namespace {

using testing::chi_square_p;
using testing::effort;

/// A person, and what one of their records holds: a number or none in each of two columns, and a text, which is a key of the first column's
/// groups or not.
struct WholeRow {
  std::string person;
  std::optional<std::int64_t> x;
  std::optional<std::int64_t> y;
  std::string key;

  auto held() const { return std::tuple(x, y, key); }
};
using WholeRows = std::vector<WholeRow>;

const Lattice to_nine = Lattice::numbers(10);
const Lattice to_three_hundred = Lattice::numbers(300);
const std::vector<std::string> listed_keys{"north", "south"};

RecordSelection whole_by_key(std::uint32_t most) {
  return {.person = "who", .records_per_person = most, .by = "key", .keys = listed_keys, .whole_records = true};
}
RecordSelection whole_of_all(std::uint32_t most) {
  return {.person = "who", .records_per_person = most, .whole_records = true};
}

SamplingKey key_of_byte(char byte) { return SamplingKey::of_bytes(std::string(32, byte)); }

/// A column's numbers, and which of them there are.
struct MaybeNumbers {
  std::vector<std::int64_t> values;
  std::vector<std::uint64_t> validity;

  void add(const std::optional<std::int64_t>& number) {
    constexpr std::size_t word = 64;
    if (values.size() % word == 0) validity.push_back(0);
    validity.back() |= std::uint64_t{number.has_value()} << (values.size() % word);
    values.push_back(number.value_or(7));  // what lies where there is none
  }
  ColumnView view() const { return {values.data(), validity.data(), values.size()}; }
};

using BothProfiles = std::array<std::vector<RankProfile>, 2>;

/// Both columns' profiles of the sample, read in chunks of this many rows.
BothProfiles sampled(const SamplingKey& key, std::uint32_t most, const WholeRows& rows, std::size_t chunk = 1000,
                     std::uint64_t memory = 0) {
  const RecordSelection of_x = whole_by_key(most);
  const RecordSelection of_y = whole_of_all(most);
  SharedSample sample({{to_nine, of_x}, {to_three_hundred, of_y}}, key, 1, memory);
  for (std::size_t from = 0; from < rows.size(); from += chunk) {
    MaybeNumbers x;
    MaybeNumbers y;
    for (std::size_t i = from; i < std::min(rows.size(), from + chunk); ++i) {
      x.add(rows[i].x);
      y.add(rows[i].y);
    }
    const CellReading whole{CellType::integer};
    const std::vector<SharedCells> cells{{x.view(), whole}, {y.view(), whole}};
    sample.add(
        cells, [&](std::size_t row) { return std::string_view(rows[from + row].person); },
        [&](std::size_t, std::size_t, std::size_t row) { return std::string_view(rows[from + row].key); });
  }
  std::vector<SelectedProfiles> found = sample.finish({});
  return {std::move(found[0].profiles), std::move(found[1].profiles)};
}

RankProfile counted_numbers(const Lattice& lattice, const std::vector<std::int64_t>& numbers) {
  ProfileBuilder builder(lattice);
  for (const std::int64_t number : numbers) builder.add_position(lattice.position_of(number), 1);
  return builder.finish();
}

BothProfiles counted_rows(const WholeRows& rows) {
  std::array<std::vector<std::int64_t>, 2> x;
  std::vector<std::int64_t> y;
  for (const WholeRow& row : rows) {
    const auto group = std::ranges::find(listed_keys, row.key);
    if (row.x && group != listed_keys.end())
      x.at(static_cast<std::size_t>(group - listed_keys.begin())).push_back(*row.x);
    if (row.y) y.push_back(*row.y);
  }
  return {std::vector{counted_numbers(to_nine, x[0]), counted_numbers(to_nine, x[1])},
          std::vector{counted_numbers(to_three_hundred, y)}};
}

std::string number_bytes(std::uint64_t number, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(number >> (8 * k));
  return text;
}

/// A record's bytes, as docs/proofs/contribution_bounding.md defines them.
std::string held_bytes(const WholeRow& row) {
  const auto position = [](const Lattice& lattice, const std::optional<std::int64_t>& number) {
    return number_bytes(number ? lattice.position_of(*number) : std::numeric_limits<std::uint64_t>::max(), 8);
  };
  const bool is_listed = std::ranges::find(listed_keys, row.key) != listed_keys.end();
  const std::string group = is_listed ? number_bytes(row.key.size(), 4) + row.key : std::string(4, '\xff');
  return position(to_nine, row.x) + group + position(to_three_hundred, row.y);
}

/// The sample, by the same page's definition.
WholeRows kept_rows(const SamplingKey& key, std::size_t most, const WholeRows& rows) {
  std::map<std::string, std::vector<std::pair<SamplingKey::Rank, WholeRow>>> ranked;
  std::map<std::pair<std::string, std::string>, std::uint64_t> seen;
  for (const WholeRow& row : rows) {
    const std::string holds = held_bytes(row);
    const std::uint64_t ordinal = seen[{row.person, holds}]++;
    ranked[row.person].emplace_back(key.rank(row.person, {0, holds, ordinal}), row);
  }
  WholeRows kept;
  for (auto& [person, of_one] : ranked) {
    if (person.empty()) continue;
    std::ranges::sort(of_one, {}, &std::pair<SamplingKey::Rank, WholeRow>::first);
    for (std::size_t i = 0; i < std::min(most, of_one.size()); ++i) kept.push_back(of_one[i].second);
  }
  return kept;
}

rc::Gen<WholeRows> any_whole_rows() {
  const auto number = [](std::int64_t end) {
    return rc::gen::map(rc::gen::inRange<std::int64_t>(-1, end),
                        [](std::int64_t n) { return n < 0 ? std::optional<std::int64_t>() : n; });
  };
  return rc::gen::container<WholeRows>(rc::gen::build<WholeRow>(
      rc::gen::set(&WholeRow::person, rc::gen::element<std::string>("", "ada", "bob", "07")),
      rc::gen::set(&WholeRow::x, number(3)), rc::gen::set(&WholeRow::y, number(2)),
      rc::gen::set(&WholeRow::key, rc::gen::element<std::string>("north", "south", "abroad", ""))));
}

TEST(SharedSample, KeepsWholeRecordsOfTheSmallestRanks) {
  EXPECT_TRUE(rc::check("as defined, in any order and chunks", [] {
    const SamplingKey key = SamplingKey::of_bytes(*rc::gen::container<std::string>(32, rc::gen::arbitrary<char>()));
    const auto most = *rc::gen::inRange<std::uint32_t>(1, 5);
    WholeRows rows = *any_whole_rows();
    const BothProfiles expected = counted_rows(kept_rows(key, most, rows));
    RC_ASSERT(sampled(key, most, rows) == expected);
    std::ranges::reverse(rows);
    RC_ASSERT(sampled(key, most, rows, 3) == expected);
    std::ranges::sort(rows, {}, &WholeRow::held);
    RC_ASSERT(sampled(key, most, rows, 5) == expected);
  }));
}

// By the first column's ranks alone, the order of the rows would decide: their numbers there are the same.
TEST(SharedSample, RecordsThatAreAlikeInOneColumnAreTold) {
  WholeRows rows;
  for (int person = 0; person < 50; ++person) {
    for (const std::int64_t y : {1, 2, 3}) rows.push_back({std::to_string(person), 5, y, "north"});
  }
  const BothProfiles kept = sampled(key_of_byte('a'), 1, rows);
  std::ranges::reverse(rows);
  EXPECT_EQ(sampled(key_of_byte('a'), 1, rows), kept);
  EXPECT_NE(sampled(key_of_byte('b'), 1, rows), kept);
}

TEST(SharedSample, OneThatIsChosenCountsInAllColumns) {
  WholeRows rows;
  for (int person = 0; person < 200; ++person) {
    for (const std::int64_t number : {1, 2, 8}) rows.push_back({std::to_string(person), number, 10 * number, "south"});
  }
  const BothProfiles kept = sampled(key_of_byte('c'), 1, rows);
  for (const std::uint64_t number : {1U, 2U, 8U}) {
    EXPECT_GT(kept[0][1].equal(number), 0U);
    EXPECT_EQ(kept[0][1].equal(number), kept[1][0].equal(10 * number));
  }
}

/// 20,000 persons, many with more records than count: with little memory and with much, the sample is the same.
TEST(SharedSample, MemoryChangesNothing) {
  WholeRows rows;
  for (int i = 0; i < 60'000; ++i) {
    const std::string person = "a person of number " + std::to_string(i * 7919 % 20'000);
    rows.push_back({person, i % 10, i % 300, listed_keys[static_cast<std::size_t>(i) % 2]});
  }
  const BothProfiles kept = sampled(key_of_byte('d'), 2, rows);
  EXPECT_EQ(sampled(key_of_byte('d'), 2, rows, 1000, 100'000), kept);
  EXPECT_LT(kept[1][0].records(), rows.size());
}

const Lattice to_three_hundred_units = Lattice::numbers(301);

/// The units that count of each position, one list per profile.
std::vector<std::vector<std::uint64_t>> weighted_sample(const SamplingKey& key, std::uint32_t most,
                                                        const WholeRows& rows,
                                                        const std::vector<std::int64_t>& weights) {
  const RecordSelection of_x = whole_by_key(most);
  const RecordSelection of_y = whole_of_all(most);
  const WeightGrid grid{to_three_hundred_units, 0, 300};
  SharedSample sample({{to_nine, of_x, grid}, {to_three_hundred, of_y, grid}}, key, 1, 0);
  MaybeNumbers x;
  MaybeNumbers y;
  MaybeNumbers w;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    x.add(rows[i].x);
    y.add(rows[i].y);
    w.add(weights[i]);
  }
  const CellReading whole{CellType::integer};
  const WeightCells of_weights{w.view(), whole};
  const std::vector<SharedCells> cells{{x.view(), whole, of_weights}, {y.view(), whole, of_weights}};
  sample.add(
      cells, [&](std::size_t row) { return std::string_view(rows[row].person); },
      [&](std::size_t, std::size_t, std::size_t row) { return std::string_view(rows[row].key); });
  std::vector<std::vector<std::uint64_t>> all;
  for (const SelectedProfiles& found : sample.finish({})) {
    for (const RankProfile& profile : found.profiles) {
      std::vector<std::uint64_t>& units = all.emplace_back();
      for (std::uint64_t number = 0; number < 10; ++number) units.push_back(profile.equal(number));
    }
  }
  return all;
}

std::uint64_t moved(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) sum += std::max(before[i], after[i]) - std::min(before[i], after[i]);
  return sum;
}

// Weights that are calibrated depend on others. Were records ranked by them, too, a weight that another person changes would choose another
// record: as many as two of the largest weight would come and go.
TEST(SharedSample, AWeightThatChangesMovesNoMoreThanTheLargestOne) {
  EXPECT_TRUE(rc::check("in each column", [] {
    const SamplingKey key = SamplingKey::of_bytes(*rc::gen::container<std::string>(32, rc::gen::arbitrary<char>()));
    const auto most = *rc::gen::inRange<std::uint32_t>(1, 6);
    const WholeRows some = *any_whole_rows();
    WholeRows rows;
    for (int copies = 0; copies < 6; ++copies) rows.insert(rows.end(), some.begin(), some.end());
    const auto weight = rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 301), rc::gen::inRange<std::int64_t>(0, 6),
                                       rc::gen::inRange<std::int64_t>(255, 262));
    std::vector<std::int64_t> weights = *rc::gen::container<std::vector<std::int64_t>>(rows.size(), weight);
    const std::vector<std::vector<std::uint64_t>> before = weighted_sample(key, most, rows, weights);
    std::ranges::reverse(rows);
    std::ranges::reverse(weights);
    RC_ASSERT(weighted_sample(key, most, rows, weights) == before);  // no order of records decides
    const auto changes = *rc::gen::inRange<std::uint64_t>(0, 3);
    for (std::uint64_t i = 0; i < changes && !rows.empty(); ++i) {
      weights[*rc::gen::inRange<std::size_t>(0, rows.size())] = *weight;
    }
    const std::vector<std::vector<std::uint64_t>> after = weighted_sample(key, most, rows, weights);
    RC_ASSERT(moved(before[0], after[0]) + moved(before[1], after[1]) <= 300 * changes);
    RC_ASSERT(moved(before[2], after[2]) <= 300 * changes);
  }));
}

/// Each of two records that differ only in their weights counts half of the time.
TEST(SharedSample, AWeightDoesNotDecideWhichRecordCounts) {
  const WholeRows rows{{"ada", 3, 3, "north"}, {"ada", 3, 3, "north"}};
  RandomBits bits = RandomBits::system();
  std::map<std::uint64_t, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < effort(20'000); ++i) {
    ++seen[weighted_sample(SamplingKey::draw(bits), 1, rows, {1, 300})[2][3]];
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_GT(chi_square_p({seen[1], seen[300]}, {0.5, 0.5}), 1e-9);
}

/// How often which of a person's records was the one that counts: of five, one without a number, one without a listed key, two that are alike.
TEST(SharedSample, IsUniformAmongAllRecordsOfAPerson) {
  const WholeRows rows{{"ada", {}, 1, "north"},
                       {"ada", 2, 2, "abroad"},
                       {"ada", 3, 3, "north"},
                       {"ada", 3, 3, "north"},
                       {"ada", 9, {}, "south"}};
  RandomBits bits = RandomBits::system();
  std::map<std::tuple<std::optional<std::int64_t>, std::optional<std::int64_t>>, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < effort(20'000); ++i) {
    const BothProfiles kept = sampled(SamplingKey::draw(bits), 1, rows);
    std::optional<std::int64_t> x;
    std::optional<std::int64_t> y;
    for (const std::int64_t number : {2, 3, 9}) {
      if (kept[0][0].equal(static_cast<std::uint64_t>(number)) + kept[0][1].equal(static_cast<std::uint64_t>(number)) >
          0)
        x = number;
    }
    for (const std::int64_t number : {1, 2, 3}) {
      if (kept[1][0].equal(static_cast<std::uint64_t>(number)) > 0) y = number;
    }
    ++seen[{x, y}];
  }
  const auto of = [&](std::optional<std::int64_t> x, std::optional<std::int64_t> y) { return seen[{x, y}]; };
  const std::vector<std::uint64_t> counts{of({}, 1), of({}, 2), of(3, 3), of(9, {})};
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_GT(chi_square_p(counts, {0.2, 0.2, 0.4, 0.2}), 1e-9);
}

}  // namespace
}  // namespace fractile::source_detail
