#include "source/counting/person_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "exact/wide_integers.hpp"

namespace fractile::source_detail {
namespace {

bool is_before(const KeyedRecord& a, const KeyedRecord& b) { return a.position < b.position; }

Rational exactly(int128 value) {
  constexpr int half = 32;
  constexpr std::uint64_t low = 0xffffffff;
  const auto high_part = static_cast<std::int64_t>(value >> (2 * half));
  const auto low_part = static_cast<std::uint64_t>(value);
  const Rational middle = Rational(high_part) * Rational(std::uint64_t{1} << half) + Rational(low_part >> half);
  return middle * Rational(std::uint64_t{1} << half) + Rational(low_part & low);
}

}  // namespace

std::uint64_t PersonValues::largest_mark() const {
  switch (how_) {
    case PerPerson::min:
    case PerPerson::max:
    case PerPerson::median:
      return 2 * lattice_.size();
    case PerPerson::count:
      return 0;
    case PerPerson::any:
    case PerPerson::all:
      return 1;
    default:
      return std::numeric_limits<std::uint64_t>::max();
  }
}

void PersonValues::mark(const ColumnView& numbers, std::vector<std::uint64_t>& marks) const {
  const std::span<const std::uint64_t> bits = numbers.numbers<std::uint64_t>();
  marks.assign(bits.begin(), bits.end());
  if (how_ == PerPerson::count) marks.assign(bits.size(), 0);
  if (how_ != PerPerson::any && how_ != PerPerson::all) return;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t zeros = cells_ == CellType::real ? ~sign : ~std::uint64_t{0};  // -0.0 is a zero, too
  for (std::uint64_t& each : marks) each = (each & zeros) != 0 ? 1 : 0;
}

Position PersonValues::position_of_sum(std::span<const KeyedRecord> marked, std::uint64_t count) const {
  int128 sum = 0;  // holds the sum of fewer than 2^32 numbers of 64 bits
  for (const KeyedRecord& record : marked) sum += std::bit_cast<std::int64_t>(record.position);
  const auto narrow = static_cast<std::int64_t>(sum);
  if (narrow == sum) return count == 1 ? lattice_.position_of(narrow) : lattice_.position_of_mean(narrow, count);
  return lattice_.position_of(exactly(sum) / Rational(count));
}

std::optional<Position> PersonValues::position_of_reals(std::span<const KeyedRecord> marked, std::uint64_t count) {
  if (marked.size() == 1) return lattice_.position_of(std::bit_cast<double>(marked.front().position));
  sum_.clear();
  for (const KeyedRecord& record : marked) sum_.add(std::bit_cast<double>(record.position));
  const double value = sum_.mean(count);
  if (std::isnan(value)) return {};
  return lattice_.position_of(value);
}

std::optional<Position> PersonValues::value_of(std::span<KeyedRecord> marked) {
  const std::uint64_t records = marked.size();
  const auto is_set = [](const KeyedRecord& record) { return record.position != 0; };
  switch (how_) {
    case PerPerson::min:
      return std::ranges::min_element(marked, is_before)->position;
    case PerPerson::max:
      return std::ranges::max_element(marked, is_before)->position;
    case PerPerson::median: {
      const auto middle = marked.begin() + static_cast<std::ptrdiff_t>((records - 1) / 2);
      std::ranges::nth_element(marked, middle, is_before);
      return middle->position;
    }
    case PerPerson::count:
      return lattice_.position_of(static_cast<std::int64_t>(records));
    case PerPerson::any:
      return lattice_.position_of(std::int64_t{std::ranges::any_of(marked, is_set)});
    case PerPerson::all:
      return lattice_.position_of(std::int64_t{std::ranges::all_of(marked, is_set)});
    case PerPerson::sum:
    case PerPerson::mean: {
      const std::uint64_t count = how_ == PerPerson::sum ? 1 : records;
      if (cells_ == CellType::real) return position_of_reals(marked, count);
      return position_of_sum(marked, count);
    }
  }
  return {};
}

void PersonValues::combine(std::vector<KeyedRecord>& records) {
  std::ranges::sort(records, {}, &KeyedRecord::key);
  std::size_t combined = 0;
  for (auto from = records.begin(); from != records.end();) {
    const std::uint32_t key = from->key;
    const auto end = std::find_if(from, records.end(), [&](const KeyedRecord& record) { return record.key != key; });
    if (const auto position = value_of({from, end})) records[combined++] = {*position, key};
    from = end;
  }
  records.resize(combined);
}

}  // namespace fractile::source_detail
