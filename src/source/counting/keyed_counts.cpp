#include "source/counting/keyed_counts.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>
#include <utility>

#include "exact/workers.hpp"
#include "ranks/position_sort.hpp"
#include "source/engine/idle_parts.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::uint64_t most_counters = std::uint64_t{1} << 20;

/// Counts of one key, which several of them can use one after the other.
using Counts = std::vector<std::uint64_t>;

}  // namespace

KeyedCounts::KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads, std::uint32_t most_units)
    : lattice_(lattice),
      keys_(keys),
      threads_(threads == 0 ? threads_of_machine() : threads),
      on_candidates_(lattice.is_regular()),
      places_(on_candidates_ ? lattice.size() : 2 * lattice.size() + 1),
      units_bits_(most_units == 1 ? 0 : static_cast<int>(std::bit_width(most_units))) {
  const bool are_few = places_ <= most_counters / keys;
  if (are_few && most_units > 1) {
    totals_.resize(places_ * keys);
  } else if (keys == 1 && most_units == 1) {
    builder_.emplace(lattice, threads_);
  } else if (are_few) {
    builder_.emplace(Lattice::numbers(places_ * keys), threads_);
  } else {
    are_listed_ = places_ <= (~std::uint64_t{0} >> units_bits_) / keys;
  }
}

void KeyedCounts::more_room() {
  if (written_ > 0) list_.keep(std::exchange(written_, 0));
  room_ = list_.room();
}

void KeyedCounts::take(KeyedCounts& other) {
  if (builder_) return builder_->take(*other.builder_);
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += std::exchange(other.totals_[i], 0);
  if (!totals_.empty()) return;
  if (are_listed_) {
    more_room();
    other.more_room();
    list_.take(other.list_);
    room_ = other.room_ = {};
    return;
  }
  for (const Cell& cell : std::exchange(other.cells_, {})) add_cell(cell);
}

std::vector<RankProfile> KeyedCounts::finish() {
  if (builder_) return of_builder();
  if (!totals_.empty()) return of_totals();
  return are_listed_ ? of_list() : of_cells();
}

/// There are few places, so nothing here takes time.
std::vector<RankProfile> KeyedCounts::of_builder() {
  std::vector<RankProfile> profiles;
  profiles.push_back(builder_->finish());
  if (keys_ == 1) return profiles;
  const RankProfile all = std::move(profiles.front());
  profiles.clear();
  std::size_t k = 0;
  for (std::size_t key = 0; key < keys_; ++key) {
    std::vector<Position> positions;
    Counts counts;
    for (; k < all.distinct() && all.position(k) / 2 < (key + 1) * places_; ++k) {
      positions.push_back(position_of(all.position(k) / 2, key));
      counts.push_back(all.count(k));
    }
    profiles.emplace_back(lattice_, std::move(positions), counts);
  }
  return profiles;
}

std::vector<RankProfile> KeyedCounts::of_totals() {
  std::vector<RankProfile> profiles;
  for (std::size_t key = 0; key < keys_; ++key) {
    std::vector<Position> positions;
    Counts counts;
    for (std::uint64_t number = key * places_; number < (key + 1) * places_; ++number) {
      const std::uint64_t total = std::exchange(totals_[number], 0);
      if (total == 0) continue;
      positions.push_back(position_of(number, key));
      counts.push_back(total);
    }
    profiles.emplace_back(lattice_, std::move(positions), counts);
  }
  return profiles;
}

RankProfile KeyedCounts::of_numbers(std::size_t key, std::span<const std::uint64_t> numbers, Counts& counts) const {
  const std::uint64_t units = (std::uint64_t{1} << units_bits_) - 1;  // which are the lowest bits
  const auto is_first = [&](std::size_t i) {
    return i == 0 || numbers[i] >> units_bits_ != numbers[i - 1] >> units_bits_;
  };
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) distinct += is_first(i) ? 1U : 0U;
  std::vector<Position> positions;
  positions.reserve(distinct);
  counts.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_first(i)) {
      positions.push_back(position_of(numbers[i] >> units_bits_, key));
      counts.push_back(0);
    }
    counts.back() += units_bits_ == 0 ? 1 : numbers[i] & units;
  }
  return {lattice_, std::move(positions), counts};
}

std::vector<RankProfile> KeyedCounts::of_list() {
  more_room();
  room_ = {};
  const std::vector<Position> sorted = list_.take_sorted(threads_);
  std::vector<RankProfile> profiles(keys_, RankProfile(lattice_, {}, {}));
  IdleParts<Counts> buffers;
  const auto of_key = [&](std::size_t key, Counts& counts) {
    const auto begin = std::ranges::lower_bound(sorted, (key * places_) << units_bits_);
    const auto end = key + 1 == keys_
                         ? sorted.end()
                         : std::ranges::lower_bound(begin, sorted.end(), ((key + 1) * places_) << units_bits_);
    profiles[key] = of_numbers(key, {begin, end}, counts);
  };
  share_among_threads(threads_for(sorted.size(), fewest_to_share, threads_), keys_, [&](std::size_t key) {
    buffers.with_one([] { return std::make_unique<Counts>(); }, [&](Counts& counts) { of_key(key, counts); });
  });
  return profiles;
}

void KeyedCounts::add_cell(const Cell& cell) {
  cells_.push_back(cell);
  if (cells_.size() >= limit_) compact();
}

void KeyedCounts::compact() {
  const auto before = [](const Cell& a, const Cell& b) {
    return std::tie(a.at.key, a.at.position) < std::tie(b.at.key, b.at.position);
  };
  std::sort(cells_.begin(), cells_.end(), before);
  std::size_t size = 0;
  for (const Cell& cell : cells_) {
    if (size > 0 && cells_[size - 1].at == cell.at) {
      cells_[size - 1].count += cell.count;
    } else {
      cells_[size++] = cell;
    }
  }
  cells_.resize(size);
  limit_ = std::max(fewest, 2 * size);
}

std::vector<RankProfile> KeyedCounts::of_cells() {
  compact();
  std::vector<RankProfile> profiles;
  profiles.reserve(keys_);
  auto cell = cells_.begin();
  for (std::size_t key = 0; key < keys_; ++key) {
    std::vector<Position> positions;
    std::vector<std::uint64_t> counts;
    for (; cell != cells_.end() && cell->at.key == key; ++cell) {
      positions.push_back(cell->at.position);
      counts.push_back(cell->count);
    }
    profiles.emplace_back(lattice_, std::move(positions), counts);
  }
  cells_.clear();
  limit_ = fewest;
  return profiles;
}

}  // namespace fractile::source_detail
