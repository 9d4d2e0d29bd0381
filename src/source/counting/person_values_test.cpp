#include "source/counting/person_values.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "support/limits.hpp"

namespace fractile::source_detail {
namespace {

using source_test::lattice_of;
using testing::least;
using testing::most;

using Kept = std::vector<std::pair<std::uint32_t, Position>>;  // sorted

template <class Number>
struct Record {
  Number number;
  std::uint32_t key;
};

template <class Number>
constexpr CellType cells = std::is_same_v<Number, double> ? CellType::real : CellType::integer;

/// The library's way: marks or positions of all numbers, as in RecordSelector, and then one per key.
template <class Number>
Kept combined(PerPerson how, const Lattice& lattice, const std::vector<Record<Number>>& records) {
  PersonValues values(how, lattice, cells<Number>);
  std::vector<Number> numbers;
  for (const Record<Number>& record : records) numbers.push_back(record.number);
  std::vector<std::uint64_t> marks(numbers.size());
  if (values.keep_positions()) {
    lattice.positions_of(numbers, marks);
  } else {
    values.mark({numbers.data(), nullptr, numbers.size()}, marks);
  }
  std::vector<KeyedRecord> keyed;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_LE(marks[i], values.largest_mark());
    keyed.push_back({marks[i], records[i].key});
  }
  values.combine(keyed);
  Kept kept;
  for (const KeyedRecord& record : keyed) kept.emplace_back(record.key, record.position);
  std::ranges::sort(kept);
  return kept;
}

Rational exactly(std::int64_t number) { return number; }
Rational exactly(double number) { return Rational::from_double(number); }

/// The position by its definition in docs/proofs/one_value_per_person.md, in fractions.
template <class Number>
Position defined(PerPerson how, const Lattice& lattice, std::vector<Number> numbers) {
  std::ranges::sort(numbers);
  const auto position_of = [&](const Rational& value) {
    if constexpr (std::is_same_v<Number, double>) return lattice.position_of(value.to_double());
    return lattice.position_of(value);
  };
  Rational sum;
  for (const Number number : numbers) sum += exactly(number);
  const auto size = static_cast<std::int64_t>(numbers.size());
  const auto zeros = std::ranges::count(numbers, Number{0});
  switch (how) {
    case PerPerson::sum:
      return position_of(sum);
    case PerPerson::mean:
      return position_of(sum / Rational(size));
    case PerPerson::count:
      return lattice.position_of(size);
    case PerPerson::min:
      return lattice.position_of(numbers.front());
    case PerPerson::max:
      return lattice.position_of(numbers.back());
    case PerPerson::median:
      return lattice.position_of(numbers[(numbers.size() - 1) / 2]);
    case PerPerson::any:
      return lattice.position_of(std::int64_t{zeros < size});
    case PerPerson::all:
      return lattice.position_of(std::int64_t{zeros == 0});
  }
  return 0;
}

template <class Number>
std::vector<Record<Number>> some_records(const std::vector<Number>& known) {
  std::vector<Record<Number>> records;
  const int size = *rc::gen::inRange(1, 9);
  for (int i = 0; i < size; ++i) {
    const auto near = static_cast<Number>(*rc::gen::inRange(-6, 7));
    const Number number = *rc::gen::arbitrary<bool>() ? near : *rc::gen::elementOf(known);
    records.push_back({number, *rc::gen::inRange<std::uint32_t>(0, 3)});
  }
  return records;
}

const std::vector<Lattice>& lattices() {
  static const std::vector<Lattice> all{
      lattice_of("-5", "5", "1"),
      lattice_of("0", "1", "0.25"),
      lattice_of("-3.3", "4.7", "0.4"),
      lattice_of("-1e19", "1e19", "3125000"),
      Lattice::explicit_points({Rational(-4), Rational::parse("0.1"), Rational(1, 2), Rational(3), Rational(most)}),
  };
  return all;
}

template <class Number>
void check_definition(const std::vector<Number>& known) {
  for (const PerPerson how : all_per_person) {
    EXPECT_TRUE(rc::check(to_string(how), [&] {
      const Lattice& lattice = lattices()[*rc::gen::inRange<std::size_t>(0, lattices().size())];
      const std::vector<Record<Number>> records = some_records(known);
      std::map<std::uint32_t, std::vector<Number>> of_keys;
      for (const Record<Number>& record : records) of_keys[record.key].push_back(record.number);
      Kept expected;
      for (const auto& [key, numbers] : of_keys) expected.emplace_back(key, defined(how, lattice, numbers));
      const Kept kept = combined(how, lattice, records);
      RC_ASSERT(kept == expected);
      std::vector<Record<Number>> turned = records;
      std::ranges::reverse(turned);
      RC_ASSERT(combined(how, lattice, turned) == kept);
    }));
  }
}

TEST(PersonValues, OfWholeNumbersAreAsDefined) {
  check_definition<std::int64_t>(
      {least, least + 1, most, most - 1, 0, std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1});
}

TEST(PersonValues, OfDoublesAreAsDefined) {
  check_definition<double>({0.1, 0.2, -0.0, 1e300, -1e300, 0.5, 1e16, 0.125});
}

TEST(PersonValues, SumsGoBeyond64Bits) {
  const Lattice wide = lattice_of("0", "20000000000000000000", "1000");
  const Position expected = wide.position_of(Rational(most) + Rational(most));
  EXPECT_EQ(combined<std::int64_t>(PerPerson::sum, wide, {{most, 0}, {most, 0}}), (Kept{{0, expected}}));
  EXPECT_EQ(combined<std::int64_t>(PerPerson::sum, wide, {{most, 0}, {1, 0}, {-1, 0}}),
            (Kept{{0, wide.position_of(most)}}));
}

// A person with one record has that record's value, whatever the rule for several.
TEST(PersonValues, OfOneRecordIsItsOwn) {
  for (const PerPerson how : {PerPerson::sum, PerPerson::mean, PerPerson::min, PerPerson::max, PerPerson::median}) {
    for (const Lattice& lattice : lattices()) {
      for (const double number : {0.1, -0.0, 3.0, 1e300, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(combined<double>(how, lattice, {{number, 1}}), (Kept{{1, lattice.position_of(number)}}));
      }
      for (const std::int64_t number : {least, std::int64_t{-4}, std::int64_t{3}, most}) {
        EXPECT_EQ(combined<std::int64_t>(how, lattice, {{number, 1}}), (Kept{{1, lattice.position_of(number)}}));
      }
    }
  }
}

TEST(PersonValues, InfinitiesOfBothSignsHaveNoSum) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Lattice& lattice = lattices().front();
  const std::vector<Record<double>> both{{infinity, 0}, {1, 1}, {-infinity, 0}};
  for (const PerPerson how : {PerPerson::sum, PerPerson::mean}) {
    EXPECT_EQ(combined(how, lattice, both), (Kept{{1, lattice.position_of(1.0)}}));
  }
  EXPECT_EQ(combined(PerPerson::max, lattice, both).front().second, lattice.position_of(infinity));
}

}  // namespace
}  // namespace fractile::source_detail
