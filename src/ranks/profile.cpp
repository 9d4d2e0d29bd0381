#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "exact/own_environment.hpp"
#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "ranks/number_list.hpp"
#include "ranks/number_sort.hpp"
#include "ranks/position_counters.hpp"
#include "ranks/profile_parts.hpp"
#include "ranks/sorted_counts.hpp"

namespace fractile {
namespace {

constexpr std::size_t block_size = 1024;  // as many records as fit the nearest cache together with their positions

}  // namespace

RankProfile::RankProfile(Lattice lattice, std::vector<Position> positions, std::span<const std::uint64_t> counts)
    : lattice_(std::move(lattice)) {
  const Position highest = 2 * candidates();
  if (positions.size() != counts.size()) throw Error(ErrorCode::internal, "there must be one count for each position");
  std::vector<std::uint64_t> cumulative;
  cumulative.reserve(counts.size() + 1);
  cumulative.push_back(0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (positions[k] > highest || (k > 0 && positions[k] <= positions[k - 1]) || counts[k] == 0) {
      throw Error(ErrorCode::internal, "positions must increase strictly, within the lattice, with positive counts");
    }
    if (counts[k] > max_records - cumulative.back()) throw Error(ErrorCode::data, too_many_records);
    cumulative.push_back(cumulative.back() + counts[k]);
  }
  *this = ProfileParts{std::move(positions), std::move(cumulative)}.on(lattice_);
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

/// `part`: the lattice of the remaining candidates, from `lowest` on.
RankProfile clamped(const RankProfile& profile, std::uint64_t lowest, const Lattice& part) {
  const std::uint64_t highest = lowest + part.size() - 1;
  CollectedCounts records;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const Position position = std::clamp(profile.position(k), 2 * lowest + 1, 2 * highest + 1) - 2 * lowest;
    records.add(position, profile.count(k));
  }
  return std::move(records).on(part);
}

}  // namespace

RankProfile clamped(const RankProfile& profile, std::uint64_t lowest, std::uint64_t highest) {
  return clamped(profile, lowest, profile.lattice().between(lowest, highest));
}

std::vector<RankProfile> clamped(std::span<const RankProfile> profiles, std::uint64_t lowest, std::uint64_t highest) {
  std::vector<RankProfile> within;
  if (profiles.empty()) return within;
  const Lattice part = profiles.front().lattice().between(lowest, highest);
  within.reserve(profiles.size());
  for (const RankProfile& profile : profiles) {
    profile.require_on(profiles.front().lattice());
    within.push_back(clamped(profile, lowest, part));
  }
  return within;
}

void RankProfile::require_on(const Lattice& lattice) const {
  if (lattice_ == lattice) return;
  throw Error(ErrorCode::usage, "the profile was counted on another lattice",
              "count the records with the same bounds and step, or candidates");
}

RankProfile relabeled(RankProfile profile, const Lattice& lattice) {
  if (lattice.size() != profile.candidates() || lattice.is_regular() != profile.lattice_.is_regular()) {
    throw Error(ErrorCode::internal, "a lattice with new names must have as many candidates as the old one");
  }
  profile.lattice_ = lattice;
  return profile;
}

// Both are in order, so one pass joins them.
RankProfile RankProfile::merge(const RankProfile& a, const RankProfile& b) {
  if (!(a.lattice_ == b.lattice_)) {
    throw Error(ErrorCode::usage, "profiles of different lattices cannot merge",
                "count them with the same bounds and step, or candidates");
  }
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  positions.reserve(a.distinct() + b.distinct());
  counts.reserve(a.distinct() + b.distinct());
  for (std::size_t i = 0, j = 0; i < a.distinct() || j < b.distinct();) {
    const bool in_a = j == b.distinct() || (i < a.distinct() && a.position(i) <= b.position(j));
    const bool in_b = i == a.distinct() || (j < b.distinct() && b.position(j) <= a.position(i));
    positions.push_back(in_a ? a.position(i) : b.position(j));
    counts.push_back((in_a ? a.count(i) : 0) + (in_b ? b.count(j) : 0));
    i += in_a ? 1 : 0;
    j += in_b ? 1 : 0;
  }
  return {a.lattice_, std::move(positions), counts};
}

struct ProfileBuilder::State {
  State(Lattice of, std::size_t on_threads) : lattice(std::move(of)), threads(on_threads) {
    if (lattice.size() <= most_counters) counters.emplace(lattice.size(), lattice.is_regular());
    is_short = 2 * lattice.size() <= std::numeric_limits<std::uint32_t>::max();
  }

  void require_room_for(std::uint64_t more) const {
    if (more > RankProfile::max_records - records) throw Error(ErrorCode::data, too_many_records);
  }

  template <class Number>
  void add(std::span<const Number> values) {
    require_room_for(values.size());
    const std::size_t parts = threads_for(values.size(), fewest_to_share, threads);
    if (parts > 1) return add_in_parts(values, parts);
    while (!values.empty()) {
      const std::span<const Number> block = values.first(std::min(values.size(), block_size));
      const std::size_t placed = counters ? count(block) : is_short ? keep_short(block) : keep(block);
      records += placed;
      values = values.subspan(placed);
    }
  }

  /// Adds each part with a separate builder, on a separate thread.
  template <class Number>
  void add_in_parts(std::span<const Number> values, std::size_t parts) {
    std::vector<std::unique_ptr<State>> builders(parts);
    share_among_threads(parts, parts, [&](std::size_t i) {
      const std::size_t begin = values.size() * i / parts;
      builders[i] = std::make_unique<State>(lattice, 1);
      builders[i]->add(values.subspan(begin, values.size() * (i + 1) / parts - begin));
    });
    for (const std::unique_ptr<State>& builder : builders) take(*builder);
  }

  void take(State& other) {
    if (!(other.lattice == lattice)) {
      throw Error(ErrorCode::usage, "builders of different lattices cannot be joined");
    }
    require_room_for(other.records);
    if (counters) {
      room_in_counters(other.counted);
      counters->take(*other.counters);
      counted += std::exchange(other.counted, 0);
    } else {
      list.take(other.list);
      short_list.take(other.short_list);
    }
    bulk.insert(bulk.end(), other.bulk.begin(), other.bulk.end());
    other.bulk.clear();
    records += std::exchange(other.records, 0);
  }

  /// Moves what was counted so far to `bulk` if the counters cannot hold this many more records.
  void room_in_counters(std::uint64_t more) {
    if (more <= PositionCounters::most_records - counted) return;
    std::vector<Position> positions;
    std::vector<std::uint64_t> cumulative;
    counters->drain(positions, cumulative);
    for (std::size_t k = 0; k < positions.size(); ++k)
      bulk.emplace_back(positions[k], cumulative[k + 1] - cumulative[k]);
    counted = 0;
  }

  template <class Number>
  std::size_t count(std::span<const Number> block) {
    std::array<Position, block_size> buffer;  // not a member: builders of many groups lie close together
    const std::span<Position> positions = std::span(buffer).first(block.size());
    lattice.positions_of(block, positions);
    room_in_counters(block.size());
    counters->add(positions);
    counted += block.size();
    return block.size();
  }

  /// Computes positions directly in the list, as many as there is room for.
  template <class Number>
  std::size_t keep(std::span<const Number> block) {
    const std::span<Position> room = list.room();
    const std::size_t placed = std::min(room.size(), block.size());
    lattice.positions_of(block.first(placed), room.first(placed));
    list.keep(placed);
    return placed;
  }

  /// The same for the short list.
  template <class Number>
  std::size_t keep_short(std::span<const Number> block) {
    const std::span<std::uint32_t> room = short_list.room();
    const std::size_t placed = std::min(room.size(), block.size());
    std::array<Position, block_size> buffer;
    lattice.positions_of(block.first(placed), std::span(buffer).first(placed));
    std::transform(buffer.begin(), buffer.begin() + placed, room.begin(), shortened);
    short_list.keep(placed);
    return placed;
  }

  static std::uint32_t shortened(Position position) { return static_cast<std::uint32_t>(position); }

  /// Adds one record.
  template <class Number>
  static void keep_one(NumberList<Number>& list, Position position) {
    list.room().front() = static_cast<Number>(position);
    list.keep(1);
  }

  /// Returns the profile of what the list holds, which is empty afterwards.
  RankProfile of_list() {
    const auto one_record = [](Position position) { return RecordsAt{position, 1}; };
    if (is_short) {
      LargeArray<std::uint32_t> sorted = short_list.take_sorted(threads);
      const SortedCounts counts(std::span<const std::uint32_t>(sorted.numbers()), threads, one_record);
      return counts.parts_of(std::move(sorted)).on(lattice);
    }
    const std::size_t spare = words_for_counts(list.size());
    const bool has_room = (list.size() + spare) * sizeof(Position) <= kept_by_malloc;
    LargeArray<Position> sorted = list.take_sorted(threads, has_room ? spare : 0);
    const SortedCounts counts(std::span<const Position>(sorted.numbers()), threads, one_record);
    return counts.parts_in(std::move(sorted)).on(lattice);
  }

  /// The same for the counters.
  RankProfile of_counters() {
    ProfileParts parts;
    counters->drain(parts.positions, parts.cumulative);
    return std::move(parts).on(lattice);
  }

  void add(Position position, std::uint64_t times) {
    if (position > 2 * lattice.size()) throw Error(ErrorCode::internal, "a position beyond the lattice");
    require_room_for(times);
    if (counters && counters->has(position) && times <= PositionCounters::most_records) {
      room_in_counters(times);
      counters->add(position, static_cast<std::uint32_t>(times));
      counted += times;
    } else if (!counters && times == 1) {
      if (is_short) {
        keep_one(short_list, position);
      } else {
        keep_one(list, position);
      }
    } else {
      bulk.emplace_back(position, times);
    }
    records += times;
  }

  Lattice lattice;
  std::size_t threads;
  std::uint64_t records = 0;
  std::optional<PositionCounters> counters;  // for a coarse lattice
  std::uint64_t counted = 0;                 // records in the counters
  bool is_short;                             // whether every position has at most 32 bits
  NumberList<std::uint32_t> short_list;      // for a fine lattice with such positions
  PositionList list;                         // for another fine lattice
  // The records that neither of them holds: positions, each with a number of records.
  std::vector<std::pair<Position, std::uint64_t>> bulk;
};

ProfileBuilder::ProfileBuilder(Lattice lattice, std::size_t threads)
    : state_(std::make_unique<State>(std::move(lattice), threads == 0 ? threads_of_machine() : threads)) {}
ProfileBuilder::ProfileBuilder(ProfileBuilder&&) noexcept = default;
ProfileBuilder& ProfileBuilder::operator=(ProfileBuilder&&) noexcept = default;
ProfileBuilder::~ProfileBuilder() = default;

void ProfileBuilder::add(double value) { state_->add(state_->lattice.position_of(value), 1); }
void ProfileBuilder::add(std::int64_t value) { state_->add(state_->lattice.position_of(value), 1); }
void ProfileBuilder::add(std::span<const double> values) {
  const OwnEnvironment own;
  state_->add(values);
}
void ProfileBuilder::add(std::span<const std::int64_t> values) { state_->add(values); }
void ProfileBuilder::take(ProfileBuilder& other) { state_->take(*other.state_); }
void ProfileBuilder::add_position(Position position, std::uint64_t count) { state_->add(position, count); }

RankProfile ProfileBuilder::finish() {
  State& state = *state_;
  RankProfile profile = state.counters ? state.of_counters() : state.of_list();
  state.records = 0;
  state.counted = 0;
  if (state.bulk.empty()) return profile;
  std::ranges::sort(state.bulk);
  CollectedCounts bulk;
  for (const auto& [position, count] : std::exchange(state.bulk, {})) bulk.add(position, count);
  return RankProfile::merge(profile, std::move(bulk).on(state.lattice));
}

}  // namespace fractile
