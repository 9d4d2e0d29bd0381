#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t max_records = (std::uint64_t{1} << 32) - 1;
constexpr std::uint64_t coarse_size = std::uint64_t{1} << 20;

}  // namespace

RankProfile::RankProfile(std::uint64_t candidates, std::vector<Position> positions,
                         std::span<const std::uint64_t> counts)
    : candidates_(candidates), positions_(std::move(positions)) {
  if (positions_.size() != counts.size()) throw Error(ErrorCode::internal, "as many counts as positions are needed");
  cumulative_.reserve(counts.size() + 1);
  cumulative_.push_back(0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (positions_[k] > 2 * candidates_ || (k > 0 && positions_[k] <= positions_[k - 1]) || counts[k] == 0) {
      throw Error(ErrorCode::internal, "positions must increase strictly, within the lattice, with positive counts");
    }
    if (counts[k] > max_records || cumulative_.back() + counts[k] > max_records) {
      throw Error(ErrorCode::data, "more than 4294967295 records");
    }
    cumulative_.push_back(cumulative_.back() + counts[k]);
  }
}

std::uint64_t RankProfile::below(std::uint64_t candidate) const {
  const auto at = std::lower_bound(positions_.begin(), positions_.end(), 2 * candidate + 1);
  return cumulative_[static_cast<std::size_t>(at - positions_.begin())];
}

std::uint64_t RankProfile::equal(std::uint64_t candidate) const {
  const auto at = std::lower_bound(positions_.begin(), positions_.end(), 2 * candidate + 1);
  if (at == positions_.end() || *at != 2 * candidate + 1) return 0;
  return count(static_cast<std::size_t>(at - positions_.begin()));
}

namespace {

/// Adds up counts at equal positions of a sorted list.
RankProfile collected(std::uint64_t candidates, const std::vector<std::pair<Position, std::uint64_t>>& sorted) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (const auto& [position, count] : sorted) {
    if (count == 0) continue;
    if (positions.empty() || positions.back() != position) {
      positions.push_back(position);
      counts.push_back(0);
    }
    counts.back() += count;
  }
  return {candidates, std::move(positions), counts};
}

}  // namespace

RankProfile clamped(const RankProfile& profile, std::uint64_t lowest, std::uint64_t highest) {
  if (lowest > highest || highest >= profile.candidates()) {
    throw Error(ErrorCode::usage, "a profile is clamped to candidates of its own, the lower one first");
  }
  std::vector<std::pair<Position, std::uint64_t>> records;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const Position position = std::clamp(profile.position(k), 2 * lowest + 1, 2 * highest + 1) - 2 * lowest;
    records.emplace_back(position, profile.count(k));
  }
  return collected(highest - lowest + 1, records);
}

RankProfile RankProfile::merge(const RankProfile& a, const RankProfile& b) {
  if (a.candidates_ != b.candidates_) throw Error(ErrorCode::usage, "profiles over different candidates cannot merge");
  std::vector<std::pair<Position, std::uint64_t>> all;
  for (std::size_t k = 0; k < a.distinct(); ++k) all.emplace_back(a.position(k), a.count(k));
  for (std::size_t k = 0; k < b.distinct(); ++k) all.emplace_back(b.position(k), b.count(k));
  std::ranges::sort(all);
  return collected(a.candidates_, all);
}

ProfileBuilder::ProfileBuilder(Lattice lattice) : lattice_(std::move(lattice)) {
  if (lattice_.size() <= coarse_size) counts_.assign(2 * lattice_.size() + 1, 0);
}

void ProfileBuilder::add_position(Position position, std::uint64_t count) {
  if (!counts_.empty()) {
    counts_.at(position) += count;
  } else if (count == 1) {
    positions_.push_back(position);
  } else {
    bulk_.emplace_back(position, count);
  }
}

RankProfile ProfileBuilder::finish() {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  if (!counts_.empty()) {
    for (Position p = 0; p < counts_.size(); ++p) {
      if (counts_[p] == 0) continue;
      positions.push_back(p);
      counts.push_back(std::exchange(counts_[p], 0));
    }
    return {lattice_.size(), std::move(positions), counts};
  }
  std::ranges::sort(positions_);
  for (const Position p : std::exchange(positions_, {})) {
    if (positions.empty() || positions.back() != p) {
      positions.push_back(p);
      counts.push_back(0);
    }
    ++counts.back();
  }
  RankProfile profile(lattice_.size(), std::move(positions), counts);
  if (bulk_.empty()) return profile;
  std::ranges::sort(bulk_);
  return RankProfile::merge(profile, collected(lattice_.size(), std::exchange(bulk_, {})));
}

}  // namespace fractile
