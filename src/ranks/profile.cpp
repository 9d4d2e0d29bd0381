#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "ranks/large_array.hpp"
#include "ranks/position_counters.hpp"
#include "ranks/position_list.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t max_records = (std::uint64_t{1} << 32) - 1;
constexpr const char* too_many_records = "more than 4294967295 records";
constexpr std::uint64_t coarse_size = std::uint64_t{1} << 20;
constexpr std::size_t block_size = 1024;  // records that stay in the nearest cache with their positions

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
    if (counts[k] > max_records - cumulative_.back()) throw Error(ErrorCode::data, too_many_records);
    cumulative_.push_back(cumulative_.back() + static_cast<std::uint32_t>(counts[k]));
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

struct ProfileBuilder::State {
  explicit State(Lattice of) : lattice(std::move(of)) {
    if (lattice.size() <= coarse_size) counters.emplace(lattice.size(), lattice.is_regular());
  }

  void require_room_for(std::uint64_t more) const {
    if (more > max_records - records) throw Error(ErrorCode::data, too_many_records);
  }

  template <class Number>
  void add(std::span<const Number> values) {
    require_room_for(values.size());
    while (!values.empty()) {
      const std::size_t placed = counters ? count(values.first(std::min(values.size(), block_size)))
                                          : keep(values.first(std::min(values.size(), block_size)));
      records += placed;
      values = values.subspan(placed);
    }
  }

  template <class Number>
  std::size_t count(std::span<const Number> block) {
    const std::span<Position> positions = std::span(buffer).first(block.size());
    lattice.positions_of(block, positions);
    counters->add(positions);
    return block.size();
  }

  /// Positions are computed where they stay, as many as there is room for.
  template <class Number>
  std::size_t keep(std::span<const Number> block) {
    const std::span<Position> room = list.room();
    const std::size_t placed = std::min(room.size(), block.size());
    lattice.positions_of(block.first(placed), room.first(placed));
    list.keep(placed);
    return placed;
  }

  void add(Position position, std::uint64_t times) {
    if (position > 2 * lattice.size()) throw Error(ErrorCode::internal, "a position beyond the lattice");
    require_room_for(times);
    if (counters && counters->has(position)) {
      counters->add(position, static_cast<std::uint32_t>(times));
    } else if (!counters && times == 1) {
      list.room().front() = position;
      list.keep(1);
    } else {
      bulk.emplace_back(position, times);
    }
    records += times;
  }

  Lattice lattice;
  std::uint64_t records = 0;
  std::optional<PositionCounters> counters;  // of a coarse lattice
  PositionList list;                         // of a fine one
  std::vector<std::pair<Position, std::uint64_t>> bulk;
  std::array<Position, block_size> buffer{};
};

ProfileBuilder::ProfileBuilder(Lattice lattice) : state_(std::make_unique<State>(std::move(lattice))) {}
ProfileBuilder::ProfileBuilder(ProfileBuilder&&) noexcept = default;
ProfileBuilder& ProfileBuilder::operator=(ProfileBuilder&&) noexcept = default;
ProfileBuilder::~ProfileBuilder() = default;

void ProfileBuilder::add(double value) { state_->add(state_->lattice.position_of(value), 1); }
void ProfileBuilder::add(std::int64_t value) { state_->add(state_->lattice.position_of(value), 1); }
void ProfileBuilder::add(std::span<const double> values) { state_->add(values); }
void ProfileBuilder::add(std::span<const std::int64_t> values) { state_->add(values); }
void ProfileBuilder::add_position(Position position, std::uint64_t count) { state_->add(position, count); }

namespace {

/// Leaves each of the sorted positions once. For each of them, how many there were up to it; 0 comes first.
std::vector<std::uint32_t> take_counts(std::vector<Position>& sorted) {
  std::size_t distinct = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) distinct += sorted[i] != sorted[i - 1] ? 1U : 0U;
  auto cumulative = large_vector<std::uint32_t>(distinct + 1);
  Position last = ~Position{0};  // no position
  std::size_t k = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    k += sorted[i] != last ? 1U : 0U;
    last = sorted[i];
    sorted[k - 1] = last;
    cumulative[k] = static_cast<std::uint32_t>(i + 1);
  }
  sorted.resize(distinct);
  if (distinct < sorted.capacity() / 2) sorted.shrink_to_fit();
  return cumulative;
}

}  // namespace

RankProfile ProfileBuilder::finish() {
  State& state = *state_;
  RankProfile profile;
  profile.candidates_ = state.lattice.size();
  if (state.counters) {
    state.counters->drain(profile.positions_, profile.cumulative_);
  } else {
    profile.positions_ = state.list.take_sorted();
    profile.cumulative_ = take_counts(profile.positions_);
  }
  state.records = 0;
  if (state.bulk.empty()) return profile;
  std::ranges::sort(state.bulk);
  return RankProfile::merge(profile, collected(state.lattice.size(), std::exchange(state.bulk, {})));
}

}  // namespace fractile
