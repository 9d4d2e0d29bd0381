#include "quantiles/stages/heaping.hpp"

#include <algorithm>

namespace fractile {
namespace {

/// What a record on the heaps gains, before the modulus's cost: 32 log2(heap_weight).
constexpr std::uint64_t gain = 96;

struct Modulus {
  std::int64_t value;
  std::uint64_t cost;  ///< a record: 32 log2(1 + 7/value), rounded
};

/// What people round to, of numbers, months, minutes and days, and what things are made in.
constexpr Modulus moduli[] = {{5, 40},  {7, 32},  {8, 29},  {10, 24}, {12, 21}, {15, 18}, {16, 17},
                              {20, 14}, {25, 11}, {30, 10}, {50, 6},  {60, 5},  {100, 3}};
constexpr std::uint64_t highest_cost = moduli[0].cost;
constexpr std::uint64_t highest_gain = gain - std::end(moduli)[-1].cost;

std::uint64_t cost_of(std::uint64_t modulus) {
  return std::ranges::find(moduli, static_cast<std::int64_t>(modulus), &Modulus::value)->cost;
}

/// A multiple of every modulus.
constexpr std::uint64_t period = 8400;

/// Candidates first, first + stride, ..., of which all heaps are some.
struct Units {
  std::uint64_t first;
  std::uint64_t stride;

  explicit Units(const HeapGrid& heap)
      : first(heap.grid.offset % (heap.grid.stride / heap.modulus)), stride(heap.grid.stride / heap.modulus) {}
};

/// How many records lie on units whose numbers leave each of the remainders by `period`.
std::vector<std::uint64_t> records_by_remainder(const RankProfile& profile, const Units& units) {
  std::vector<std::uint64_t> records(period);
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const Position position = profile.position(k);
    if (position % 2 == 0 || position / 2 < units.first) continue;
    const std::uint64_t away = position / 2 - units.first;
    const std::uint64_t number = away / units.stride;
    if (number * units.stride == away) records[number % period] += profile.count(k);
  }
  return records;
}

std::uint64_t records_on(const HeapGrid& heap, const Units& units, const std::vector<std::uint64_t>& by_remainder) {
  std::uint64_t records = 0;
  const std::uint64_t first = (heap.grid.offset - units.first) / units.stride % heap.modulus;
  for (std::uint64_t i = first; i < period; i += heap.modulus) records += by_remainder[i];
  return records;
}

}  // namespace

std::vector<HeapGrid> heap_grids(const Lattice& lattice, const std::optional<RoundGrid>& grid) {
  std::vector<HeapGrid> heaps;
  if (!lattice.is_regular()) return heaps;
  const Rational unit = lattice.step() * Rational(grid ? static_cast<std::int64_t>(grid->stride) : 1);
  // Clocks are read to what divides a day; what days since 1970 are multiples of means nothing.
  const auto can_heap = [&](const Rational& multiple) {
    if (lattice.kind() == ValueKind::number) return true;
    return lattice.kind() != ValueKind::date && (Rational(microseconds_a_day) / multiple).is_integer();
  };
  for (const Modulus& modulus : moduli) {
    if (!can_heap(unit * Rational(modulus.value))) continue;
    const std::optional<RoundGrid> multiples = round_grid(lattice, unit * Rational(modulus.value));
    if (multiples) heaps.push_back({*multiples, static_cast<std::uint64_t>(modulus.value)});
  }
  return heaps;
}

std::vector<std::uint64_t> heaping_scores(const RankProfile& profile, const std::vector<HeapGrid>& heaps) {
  const std::uint64_t records = profile.records();
  std::vector<std::uint64_t> scores{gain * records};
  if (heaps.empty()) return scores;
  const Units units(heaps.front());
  const std::vector<std::uint64_t> by_remainder = records_by_remainder(profile, units);
  for (const HeapGrid& heap : heaps) {
    scores.push_back(gain * (records - records_on(heap, units, by_remainder)) + cost_of(heap.modulus) * records);
  }
  return scores;
}

namespace {

constexpr auto heaping_range_added = static_cast<std::int64_t>(highest_cost + highest_gain);
constexpr std::int64_t heaping_range_changed = 2 * heaping_range_added;

}  // namespace

Exponent heaping_rate(const Calibration& calibration) {
  return calibration.rate(Rational(heaping_range_added), Rational(heaping_range_changed), true);
}

std::optional<RoundGrid> select_heaps(const RankProfile& profile, const std::vector<HeapGrid>& heaps,
                                      const Exponent& rate, PaidPart part) {
  std::vector<std::uint64_t> lengths(heaps.size() + 1, 1);
  lengths.front() = no_heaps_length;
  const ScoredSelection selection(heaping_scores(profile, heaps), lengths);
  const std::uint64_t chosen = part.select(selection, {rate, heaping_range_added, heaping_range_changed});
  if (chosen == 0) return {};
  return heaps[chosen - 1].grid;
}

}  // namespace fractile
