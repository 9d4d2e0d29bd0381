#include "quantiles/stages/heaping.hpp"

#include <algorithm>

namespace fractile {
namespace {

/// The gain of a record on the heaps, before the cost of the modulus: 32 log2(heap_weight).
constexpr std::uint64_t gain = 96;

struct Modulus {
  std::int64_t value;
  std::uint64_t cost;  ///< per record: 32 log2(1 + 7/value), rounded
};

/// The multiples to which people round numbers, months, minutes and days, and in which goods are packed.
constexpr Modulus moduli[] = {{5, 40},  {7, 32},  {8, 29},  {10, 24}, {12, 21}, {15, 18}, {16, 17},
                              {20, 14}, {25, 11}, {30, 10}, {50, 6},  {60, 5},  {100, 3}};
constexpr std::uint64_t highest_cost = moduli[0].cost;
constexpr std::uint64_t highest_gain = gain - std::end(moduli)[-1].cost;

std::uint64_t cost_of(std::uint64_t modulus) {
  return std::ranges::find(moduli, static_cast<std::int64_t>(modulus), &Modulus::value)->cost;
}

/// A multiple of every modulus.
constexpr std::uint64_t period = 8400;

/// Candidates first, first + stride, ..., which include all heaps.
struct Units {
  std::uint64_t first;
  std::uint64_t stride;

  explicit Units(const HeapGrid& heap)
      : first(heap.grid.offset % (heap.grid.stride / heap.modulus)), stride(heap.grid.stride / heap.modulus) {}
};

/// Calls visit(remainder, count) for the records on units, where remainder is the unit's number modulo `period`.
void visit_units(const RankProfile& profile, const Units& units, auto visit) {
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const Position position = profile.position(k);
    if (position % 2 == 0 || position / 2 < units.first) continue;
    const std::uint64_t away = position / 2 - units.first;
    const std::uint64_t number = units.stride == 1 ? away : away / units.stride;
    if (number * units.stride == away) visit(number % period, profile.count(k));
  }
}

/// The remainder, modulo the heap's modulus, of the numbers of its units.
std::uint64_t remainder_of(const HeapGrid& heap, const Units& units) {
  return (heap.grid.offset - units.first) / units.stride % heap.modulus;
}

/// Recognizes numbers below 2^15 with a given remainder by one multiplication: n is a multiple of d if n f modulo 2^32 is less than
/// f, where f is 2^32 / d, rounded up (Lemire, Kaser and Kurz 2019, "Faster remainder by direct computation").
class Remainder {
 public:
  Remainder(std::uint64_t modulus, std::uint64_t remainder)
      : factor_(~std::uint32_t{0} / static_cast<std::uint32_t>(modulus) + 1),
        up_(static_cast<std::uint32_t>(modulus - remainder)) {}
  bool is_of(std::uint32_t number) const { return (number + up_) * factor_ < factor_; }

 private:
  std::uint32_t factor_;
  std::uint32_t up_;  // the distance from the remainder to a multiple
};

/// The number of records on each of the heaps. Few positions are tested one by one; many positions are first added up by remainder.
std::vector<std::uint64_t> records_on(const std::vector<HeapGrid>& heaps, const RankProfile& profile) {
  constexpr std::size_t few = 256;
  const Units units(heaps.front());
  std::vector<std::uint64_t> records(heaps.size());
  if (profile.distinct() <= few) {
    std::vector<Remainder> on_heaps;
    on_heaps.reserve(heaps.size());
    for (const HeapGrid& heap : heaps) on_heaps.emplace_back(heap.modulus, remainder_of(heap, units));
    visit_units(profile, units, [&](std::uint64_t remainder, std::uint64_t count) {
      const auto number = static_cast<std::uint32_t>(remainder);
      for (std::size_t h = 0; h < heaps.size(); ++h) records[h] += on_heaps[h].is_of(number) ? count : 0;
    });
    return records;
  }
  std::vector<std::uint64_t> by_remainder(period);
  visit_units(profile, units, [&](std::uint64_t remainder, std::uint64_t count) { by_remainder[remainder] += count; });
  for (std::size_t h = 0; h < heaps.size(); ++h) {
    for (std::uint64_t i = remainder_of(heaps[h], units); i < period; i += heaps[h].modulus) {
      records[h] += by_remainder[i];
    }
  }
  return records;
}

}  // namespace

std::vector<HeapGrid> heap_grids(const Lattice& lattice, const std::optional<RoundGrid>& grid) {
  std::vector<HeapGrid> heaps;
  if (!lattice.is_regular()) return heaps;
  const Rational unit = lattice.step() * Rational(grid ? static_cast<std::int64_t>(grid->stride) : 1);
  // Times of day are rounded to divisors of a day. Multiples in days since 1970 have no meaning.
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
  const std::vector<std::uint64_t> on_heaps = records_on(heaps, profile);
  for (std::size_t h = 0; h < heaps.size(); ++h) {
    scores.push_back(gain * (records - on_heaps[h]) + cost_of(heaps[h].modulus) * records);
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
