#include "source/counting/keyed_counts.hpp"

#include <atomic>
#include <tuple>
#include <type_traits>

#include "exact/workers.hpp"
#include "ranks/large_array.hpp"
#include "ranks/number_sort.hpp"
#include "ranks/position_counters.hpp"
#include "ranks/profile_parts.hpp"
#include "ranks/sorted_counts.hpp"

namespace fractile::source_detail {
namespace {

/// The first of sorted numbers, from place `from` on, that is not below `number`: mostly a near one.
template <class Number>
std::size_t first_from(std::span<const Number> sorted, std::size_t from, Number number) {
  std::size_t step = 1;
  while (from + step < sorted.size() && sorted[from + step] < number) step *= 2;
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(from + step / 2);
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(from + step, sorted.size()));
  return static_cast<std::size_t>(std::lower_bound(begin, end, number) - sorted.begin());
}

/// The places where the numbers of each key begin, and the end of all numbers.
template <class Number>
std::vector<std::size_t> begins_of(const PlaceNumbers& numbering, std::span<const Number> sorted, std::size_t keys,
                                   std::size_t threads) {
  std::vector<std::size_t> begins(keys + 1, sorted.size());
  const auto first_of = [&](std::size_t key) { return static_cast<Number>(numbering.first_written(key)); };
  const std::size_t ranges = std::min(keys, 4 * threads);
  share_among_threads(threads, ranges, [&](std::size_t i) {
    const std::size_t first = keys * i / ranges;
    auto at = static_cast<std::size_t>(std::ranges::lower_bound(sorted, first_of(first)) - sorted.begin());
    for (std::size_t key = first; key < keys * (i + 1) / ranges; ++key) {
      begins[key] = at = first_from(sorted, at, first_of(key));
    }
  });
  return begins;
}

/// What several profiles hold together.
struct ProfilesMemory {
  ProfilesMemory(std::shared_ptr<const void> elsewhere, std::size_t size)
      : positions(std::move(elsewhere)), words(size) {}
  std::shared_ptr<const void> positions;  ///< if they are elsewhere
  LargeArray<std::uint64_t> words;
};

/// The profiles of keys with few numbers each, in one piece of memory. `in_place`: where the numbers of each key are, if its positions are to
/// replace them; `numbers` owns them. Keys whose records lie each at a position of its own share their cumulative counts, 0, 1, 2, ...
template <class Counts>
void make_together(const Lattice& lattice, const std::vector<Counts>& counts, const std::vector<Position*>& in_place,
                   const std::shared_ptr<const void>& numbers, std::span<RankProfile> profiles) {
  const auto is_shared = [](const Counts& each) { return each.records() == each.distinct(); };
  std::size_t shared = 0;
  std::size_t words = 0;
  for (const Counts& each : counts) {
    const std::size_t cumulative = each.distinct() + 1;
    if (in_place.empty()) words += each.distinct();
    if (is_shared(each)) {
      shared = std::max(shared, cumulative);
    } else {
      words += cumulative;
    }
  }
  const auto memory = std::make_shared<const ProfilesMemory>(numbers, shared + words);
  std::uint64_t* next = memory->words.data() + shared;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t distinct = counts[i].distinct();
    const std::span positions(in_place.empty() ? std::exchange(next, next + distinct) : in_place[i], distinct);
    const std::span cumulative(is_shared(counts[i]) ? memory->words.data() : std::exchange(next, next + distinct + 1),
                               distinct + 1);
    counts[i].write(positions.data(), cumulative.data());
    profiles[i] = ProfileMemory{memory, positions, cumulative}.on(lattice);
  }
}

/// Whether at least half of the sorted numbers differ from the one before.
template <class Number>
bool are_mostly_distinct(std::span<const Number> sorted, std::size_t threads) {
  std::atomic<std::size_t> distinct = 0;
  share_among_threads(threads, threads, [&](std::size_t i) {
    std::size_t here = 0;
    const std::size_t end = sorted.size() * (i + 1) / threads;
    for (std::size_t k = std::max<std::size_t>(1, sorted.size() * i / threads); k < end; ++k)
      here += sorted[k] != sorted[k - 1] ? 1U : 0U;
    distinct += here;
  });
  return distinct >= sorted.size() / 2;
}

/// First all threads together make the profile of each key with many numbers; then each thread makes the next ones of the other
/// profiles.
template <class Number>
std::vector<RankProfile> profiles_of(const Lattice& lattice, const PlaceNumbers& numbering, LargeArray<Number> numbers,
                                     std::size_t keys, std::size_t threads) {
  const auto kept = std::make_shared<const LargeArray<Number>>(std::move(numbers));
  const std::span<const Number> sorted = kept->numbers();
  threads = threads_for(sorted.size(), fewest_to_share, threads);
  const std::vector<std::size_t> begins = begins_of<Number>(numbering, sorted, keys, threads);
  std::vector<RankProfile> profiles(keys, RankProfile(lattice, {}, {}));
  const auto size = [&](std::size_t key) { return begins[key + 1] - begins[key]; };
  const auto counted = [&](std::size_t key, std::size_t shared_by) {
    const auto read = [numbering, key](Number number) {
      return RecordsAt{numbering.position_of(numbering.read(number), key), numbering.units(number)};
    };
    return SortedCounts(sorted.subspan(begins[key], size(key)), shared_by, read);
  };
  const std::size_t share = sorted.size() / (8 * threads);
  const std::size_t longest = std::max(share, fewest_to_share);
  const std::size_t together = std::min(share, std::size_t{1} << 18);  // numbers: their profiles take up to 4 MB
  struct Stretch {
    std::size_t first;
    std::size_t end;
  };
  std::vector<Stretch> stretches;  // of keys
  for (std::size_t key = 0; key < keys; ++key) {
    if (size(key) > longest) {
      profiles[key] = counted(key, threads).parts().on(lattice);
      continue;
    }
    const bool goes_on = !stretches.empty() && stretches.back().end == key &&
                         begins[key + 1] - begins[stretches.back().first] <= together;
    if (!goes_on) stretches.push_back({key, key});
    ++stretches.back().end;
  }
  bool is_in_place = false;
  if constexpr (std::is_same_v<Number, Position>) is_in_place = are_mostly_distinct(sorted, threads);
  share_among_threads(threads, stretches.size(), [&](std::size_t i) {
    const auto [first, end] = stretches[i];
    std::vector<decltype(counted(first, threads))> counts;
    counts.reserve(end - first);
    for (std::size_t key = first; key < end; ++key) counts.push_back(counted(key, 1));
    std::vector<Position*> in_place;
    if constexpr (std::is_same_v<Number, Position>) {
      for (std::size_t key = first; is_in_place && key < end; ++key) in_place.push_back(kept->data() + begins[key]);
    }
    make_together(lattice, counts, in_place, is_in_place ? kept : nullptr,
                  std::span(profiles).subspan(first, end - first));
  });
  return profiles;
}

/// Writes at least one sorted number.
template <class Number>
void write_run(const PlaceNumbers& numbering, const LargeArray<Number>& numbers, RunWriter& writer) {
  const std::span<const Number> sorted = numbers.numbers();
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint64_t place = numbering.read(sorted[i]);
    std::uint64_t count = 0;
    for (; i < sorted.size() && numbering.read(sorted[i]) == place; ++i) count += numbering.units(sorted[i]);
    const std::uint64_t key = place / numbering.places;
    writer.add({static_cast<std::uint32_t>(key), numbering.position_of(place, key), count});
  }
}

}  // namespace

KeyedCounts::KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads, std::uint32_t most_units,
                         std::shared_ptr<CountSpool> spool)
    : lattice_(lattice),
      keys_(keys),
      threads_(threads == 0 ? threads_of_machine() : threads),
      numbering_(lattice, most_units),
      spool_(std::move(spool)),
      kept_as_(kept_as(most_units)) {
  if (kept_as_ == KeptAs::builder) builder_.emplace(lattice, threads_);
  if (kept_as_ == KeptAs::totals) totals_.resize(numbering_.places * keys);
}

KeyedCounts::KeptAs KeyedCounts::kept_as(std::uint32_t most_units) const {
  const std::uint64_t counters =
      is_limited() ? std::min<std::uint64_t>(most_counters, spool_->most_held()) : most_counters;
  const bool are_few = numbering_.places <= counters / keys_;
  if (keys_ == 1 && most_units == 1 && (are_few || !is_limited())) return KeptAs::builder;
  if (are_few) return KeptAs::totals;
  const auto are_told_apart_by = [&](std::uint64_t largest) {
    return numbering_.places <= numbering_.read(largest) / keys_;
  };
  if (are_told_apart_by(~std::uint32_t{0})) return KeptAs::short_numbers;
  return are_told_apart_by(~std::uint64_t{0}) ? KeptAs::numbers : KeptAs::cells;
}

void KeyedCounts::take(KeyedCounts& other) {
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += std::exchange(other.totals_[i], 0);
  runs_.take(other.runs_);
  if (builder_) builder_->take(*other.builder_);
  if (kept_as_ == KeptAs::short_numbers) short_numbers_.take(other.short_numbers_);
  if (kept_as_ == KeptAs::numbers) numbers_.take(other.numbers_);
  for (const Cell& cell : std::exchange(other.cells_, {})) add_cell(cell);
}

std::vector<RankProfile> KeyedCounts::finish() {
  if (!runs_.empty()) return of_runs();
  switch (kept_as_) {
    case KeptAs::builder:
      return {builder_->finish()};
    case KeptAs::totals:
      return of_totals();
    case KeptAs::short_numbers:
      return profiles_of(lattice_, numbering_, short_numbers_.take_sorted(threads_), keys_, threads_);
    case KeptAs::numbers:
      return profiles_of(lattice_, numbering_, numbers_.take_sorted(threads_), keys_, threads_);
    case KeptAs::cells:
      return of_cells();
  }
  return {};
}

std::vector<RankProfile> KeyedCounts::of_totals() {
  std::vector<RankProfile> profiles;
  for (std::size_t key = 0; key < keys_; ++key) {
    std::vector<Position> positions;
    std::vector<std::uint64_t> counts;
    for (std::uint64_t number = key * numbering_.places; number < (key + 1) * numbering_.places; ++number) {
      const std::uint64_t total = std::exchange(totals_[number], 0);
      if (total == 0) continue;
      positions.push_back(numbering_.position_of(number, key));
      counts.push_back(total);
    }
    profiles.emplace_back(lattice_, std::move(positions), counts);
  }
  return profiles;
}

void KeyedCounts::add_cell(const Cell& cell) {
  cells_.push_back(cell);
  if (cells_.size() < limit_) return;
  compact();
  if (cells_.size() >= most_numbers<Cell>()) spill();
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

void KeyedCounts::spill() {
  if (short_numbers_.size() == 0 && numbers_.size() == 0 && cells_.empty()) return;
  RunWriter writer(*spool_);
  if (kept_as_ == KeptAs::short_numbers) write_run(numbering_, short_numbers_.take_sorted(threads_), writer);
  if (kept_as_ == KeptAs::numbers) write_run(numbering_, numbers_.take_sorted(threads_), writer);
  compact();
  for (const Cell& cell : std::exchange(cells_, {})) writer.add({cell.at.key, cell.at.position, cell.count});
  limit_ = fewest;
  runs_.add(*spool_, writer.finish());
}

void KeyedCounts::put_away() {
  if (!runs_.empty()) spill();
}

std::vector<RankProfile> KeyedCounts::of_runs() {
  spill();
  const CountRuns runs = std::exchange(runs_, {});
  const std::vector<const CountRun*> all = runs.all();
  std::vector<RankProfile> profiles(keys_, RankProfile(lattice_, {}, {}));
  const auto of_keys = [&](std::size_t first, std::size_t end) {
    SumOfRuns sum(*spool_, all, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end));
    std::optional<PlaceCount> next = sum.next();
    for (std::size_t key = first; key < end; ++key) {
      ProfileParts parts{{}, {0}};
      if (keys_ == 1) {  // the numbers may be most of what memory holds
        parts.positions.reserve(sum.most() + 1);
        parts.cumulative.reserve(sum.most() + 2);
      }
      for (; next && next->key == key; next = sum.next()) {
        parts.positions.push_back(next->position);
        parts.cumulative.push_back(parts.cumulative.back() + next->count);
      }
      if (keys_ > 1 || parts.positions.size() < parts.positions.capacity() / 2) {
        parts.positions.shrink_to_fit();
        parts.cumulative.shrink_to_fit();
      }
      profiles[key] = std::move(parts).on(lattice_);
    }
  };
  const std::size_t ranges = std::min(keys_, 4 * threads_);
  share_among_threads(threads_, ranges, [&](std::size_t i) { of_keys(keys_ * i / ranges, keys_ * (i + 1) / ranges); });
  return profiles;
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
