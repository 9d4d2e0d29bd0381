#include "source/keyed_counts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "exact/workers.hpp"

namespace fractile::source_detail {
namespace {

/// A lattice with a candidate for each place of each key; nothing when those are too many.
std::optional<Lattice> all_together(std::uint64_t places, std::size_t keys) {
  if (places > Lattice::max_size / keys) return std::nullopt;
  const auto all = static_cast<std::int64_t>(places * keys);
  return Lattice::regular(Rational(0), Rational(all - 1), Rational(1));
}

/// How many positions are below this one.
std::size_t first_at(const RankProfile& profile, Position position) {
  std::size_t begin = 0;
  for (std::size_t size = profile.distinct(); size > 0;) {
    const std::size_t half = size / 2;
    const bool is_below = profile.position(begin + half) < position;
    if (is_below) begin += half + 1;
    size = is_below ? size - half - 1 : half;
  }
  return begin;
}

}  // namespace

KeyedCounts::KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads)
    : candidates_(lattice.size()),
      keys_(keys),
      threads_(threads == 0 ? threads_of_machine() : threads),
      on_candidates_(lattice.is_regular()),
      places_(on_candidates_ ? lattice.size() : 2 * lattice.size() + 1) {
  if (keys == 1) {
    builder_.emplace(lattice, threads_);
  } else if (const std::optional<Lattice> all = all_together(places_, keys)) {
    builder_.emplace(*all, threads_);
  }
}

void KeyedCounts::take(KeyedCounts& other) {
  if (builder_) return builder_->take(*other.builder_);
  for (const Cell& cell : std::exchange(other.cells_, {})) add_cell(cell);
}

std::vector<RankProfile> KeyedCounts::finish() {
  if (!builder_) return of_cells();
  const RankProfile all = builder_->finish();
  if (keys_ == 1) return {all};
  std::vector<RankProfile> profiles(keys_, RankProfile(candidates_, {}, {}));
  share_among_threads(threads_for(all.distinct(), fewest, threads_), keys_,
                      [&](std::size_t key) { profiles[key] = part_of(all, key); });
  return profiles;
}

RankProfile KeyedCounts::part_of(const RankProfile& all, std::size_t key) const {
  const std::size_t begin = first_at(all, 2 * (key * places_) + 1);
  const std::size_t end = first_at(all, 2 * ((key + 1) * places_) + 1);
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  positions.reserve(end - begin);
  counts.reserve(end - begin);
  for (std::size_t k = begin; k < end; ++k) {
    positions.push_back(alone(all.position(k), key));
    counts.push_back(all.count(k));
  }
  return {candidates_, std::move(positions), counts};
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
    profiles.emplace_back(candidates_, std::move(positions), counts);
  }
  cells_.clear();
  limit_ = fewest;
  return profiles;
}

}  // namespace fractile::source_detail
