#include "quantiles/joint/base_measure.hpp"

#include <algorithm>
#include <bit>

#include "exact/wide_integers.hpp"

namespace fractile {
namespace {

/// Beyond scale (2^14 - 1), the weight is constant.
constexpr int shells = 15;

constexpr std::uint64_t grid_weight = 128;

/// The farthest octaves of distances from the origin, which are 31/32 of the range, have one weight.
constexpr int flat_shells = 5;

/// No value is as frequent as zero: it weighs as much as four of the candidates next to it.
constexpr int zero_octaves = 2;

/// In candidates; outside the range, on the continued lattice.
Rational place_of_zero(const Lattice& lattice) { return (Rational(0) - lattice.lower()) / lattice.step(); }

/// Distances, in splits from the near end, at which the shells 1, 2, ... begin.
std::vector<std::uint64_t> shell_borders(std::uint64_t scale, std::uint64_t splits) {
  std::vector<std::uint64_t> borders;
  for (int i = 1; i < shells; ++i) {
    const uint128 border = uint128{scale} * ((std::uint64_t{1} << i) - 1);
    if (border >= splits) break;
    borders.push_back(static_cast<std::uint64_t>(border));
  }
  return borders;
}

}  // namespace

std::optional<std::uint64_t> zero_of(const Lattice& lattice) {
  if (!lattice.is_regular() || lattice.kind() != ValueKind::number || Rational(0) < lattice.lower() ||
      lattice.upper() < Rational(0))
    return {};
  const Rational zero = place_of_zero(lattice);
  return zero == zero.floor() ? std::optional(zero.to_uint64()) : std::nullopt;
}

std::optional<Origin> origin_of(const Lattice& lattice) {
  if (!lattice.is_regular() || lattice.kind() != ValueKind::number) return {};
  const Rational size = lattice.size();
  const Rational zero = place_of_zero(lattice);
  // If zero is farther outside than the range is wide, or there are fewer than 32 candidates, all candidates have one weight.
  if (zero < Rational(0) - size || zero > size + size) return {};
  const Rational candidate = zero.floor();
  const Rational reach = std::max(candidate, size - Rational(1) - candidate);
  const Origin origin{candidate.to_int64(), reach.to_uint64()};
  return origin.reach >> flat_shells == 0 ? std::nullopt : std::optional(origin);
}

BaseMeasure::BaseMeasure(Split lowest, Split highest, std::uint64_t subcells, std::optional<Edge> edge,
                         const RoundNumbers& numbers, const std::optional<Origin>& origin)
    : subcells_(subcells), subcell_bits_(std::countr_zero(subcells)), end_(highest + 1) {
  if (numbers.grid) favoured_.push_back({*numbers.grid, numbers.grid->stride * grid_weight});
  const std::uint64_t others = 1 + (numbers.grid ? favoured_.back().more : 0);
  if (numbers.heaps) favoured_.push_back({*numbers.heaps, (heap_weight - 1) * others});
  if (edge) {
    fall_towards(*edge, lowest);
  } else if (origin) {
    fall_away(*origin, numbers.grid ? numbers.grid->stride : 1, lowest);
  } else {
    pieces_.push_back({lowest, 0});
  }
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    const Piece& last = pieces_[i - 1];
    pieces_[i].before = last.before + (level_mass(last.start, pieces_[i].start) << last.shift);
  }
}

void BaseMeasure::fall_towards(const Edge& edge, Split lowest) {
  const std::vector<std::uint64_t> borders = shell_borders(edge.scale, end_ - lowest);
  const int deepest = static_cast<int>(borders.size());
  if (edge.is_left) {
    for (int i = deepest; i >= 0; --i) {
      const Split start = i == deepest ? lowest : end_ - borders[static_cast<std::size_t>(i)];
      pieces_.push_back({start, 2 * (deepest - i)});
    }
    return;
  }
  for (int i = 0; i <= deepest; ++i) {
    const Split start = i == 0 ? lowest : lowest + borders[static_cast<std::size_t>(i) - 1];
    pieces_.push_back({start, 2 * (deepest - i)});
  }
}

void BaseMeasure::fall_away(const Origin& origin, std::uint64_t least, Split lowest) {
  pieces_.push_back({lowest, 0});
  const auto begin = [&](int128 candidate, int shift) {
    const int128 start = candidate * static_cast<int128>(subcells_);
    if (start <= static_cast<int128>(lowest)) pieces_.back() = {lowest, shift};
    if (start <= static_cast<int128>(lowest) || start >= static_cast<int128>(end_)) return;
    pieces_.push_back({static_cast<Split>(start), shift});
  };
  int innermost = flat_shells - 1;
  while (origin.reach >> (innermost + 1) >= least) ++innermost;
  const auto radius = [&](int shell) { return static_cast<int128>(origin.reach >> shell); };
  for (int shell = flat_shells; shell <= innermost; ++shell) {
    begin(origin.candidate - radius(shell), shell - flat_shells + 1);
  }
  begin(origin.candidate, innermost - flat_shells + 1 + zero_octaves);
  begin(origin.candidate + 1, innermost - flat_shells + 1);
  for (int shell = innermost; shell >= flat_shells; --shell) {
    begin(origin.candidate + 1 + radius(shell), shell - flat_shells);
  }
}

template <class Visit>
void BaseMeasure::visit(Split from, Split to, Visit&& piece) const {
  auto at = std::ranges::upper_bound(pieces_, from, {}, &Piece::start) - 1;
  while (from < to) {
    const Split piece_end = at + 1 == pieces_.end() ? end_ : (at + 1)->start;
    const Split until = std::min(to, piece_end);
    piece(from, until, at->shift);
    from = until;
    ++at;
  }
}

std::uint64_t BaseMeasure::splits_below(Split split, const RoundGrid& grid) const {
  const std::uint64_t candidate = split >> subcell_bits_;
  if (candidate < grid.offset) return 0;
  const std::uint64_t strides = (candidate - grid.offset) / grid.stride;
  const bool is_round = grid.offset + strides * grid.stride == candidate;
  const std::uint64_t in_cell = split & (subcells_ - 1);
  return (is_round ? strides << subcell_bits_ : (strides + 1) << subcell_bits_) + (is_round ? in_cell : 0);
}

uint128 BaseMeasure::level_mass(Split from, Split to) const {
  uint128 mass = to - from;
  for (const Favoured& each : favoured_) {
    mass += uint128{splits_below(to, each.grid) - splits_below(from, each.grid)} * each.more;
  }
  return mass;
}

uint128 BaseMeasure::mass_below(Split split) const {
  if (pieces_.size() == 1) return mass_below<uint128>(split, pieces_.front());
  return mass_below<uint128>(split, *(std::ranges::upper_bound(pieces_, split, {}, &Piece::start) - 1));
}

uint128 BaseMeasure::mass(Split from, Split to) const {
  if (pieces_.size() == 1) return level_mass(from, to) << pieces_.front().shift;
  return mass_below(to) - mass_below(from);
}

/// The split that holds unit `index` of the splits from .. to - 1: first every split has one unit, then the favored splits have
/// their further units.
Split BaseMeasure::member(Split from, Split to, uint128 index) const {
  if (index < to - from) return from + static_cast<Split>(index);
  index -= to - from;
  auto each = favoured_.begin();
  const auto units = [&] {
    return uint128{splits_below(to, each->grid) - splits_below(from, each->grid)} * each->more;
  };
  for (; index >= units(); ++each) index -= units();
  const std::uint64_t nth = splits_below(from, each->grid) + static_cast<std::uint64_t>(index / each->more);
  return (each->grid.offset + nth / subcells_ * each->grid.stride) * subcells_ + nth % subcells_;
}

Split BaseMeasure::holder(uint128 unit) const {
  if (is_uniform()) return pieces_.front().start + static_cast<Split>(unit);
  const auto next = std::ranges::upper_bound(pieces_, unit, {}, &Piece::before);
  const Piece& at = *(next - 1);
  if (favoured_.empty()) return at.start + static_cast<Split>((unit - at.before) >> at.shift);
  const Split last = (next == pieces_.end() ? end_ : next->start) - 1;
  return first_entry(at.start, last, [&](Split split) { return mass_below<uint128>(split + 1, at) > unit; });
}

Split BaseMeasure::draw(Split from, Split to, RandomBits& bits) const {
  uint128 target = uniform_below(bits, mass(from, to));
  std::optional<Split> drawn;
  visit(from, to, [&](Split a, Split b, int shift) {
    const uint128 here = level_mass(a, b) << shift;
    if (!drawn && target < here) drawn = member(a, b, target >> shift);
    target -= here;
  });
  return drawn.value();
}

}  // namespace fractile
