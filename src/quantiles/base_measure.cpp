#include "quantiles/base_measure.hpp"

#include <algorithm>

namespace fractile {
namespace {

/// Beyond scale (2^14 - 1) the weight stays as it is.
constexpr int shells = 15;

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

BaseMeasure::BaseMeasure(Split lowest, Split highest, std::optional<Edge> edge) : end_(highest + 1) {
  if (!edge) {
    pieces_.push_back({lowest, 0});
    return;
  }
  const std::vector<std::uint64_t> borders = shell_borders(edge->scale, end_ - lowest);
  const int deepest = static_cast<int>(borders.size());
  if (edge->is_left) {
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

uint128 BaseMeasure::mass(Split from, Split to) const {
  if (pieces_.size() == 1) return to - from;
  uint128 sum = 0;
  visit(from, to, [&](Split a, Split b, int shift) { sum += uint128{b - a} << shift; });
  return sum;
}

Split BaseMeasure::draw(Split from, Split to, RandomBits& bits) const {
  uint128 target = uniform_below(bits, mass(from, to));
  Split drawn = from;
  visit(from, to, [&](Split a, Split b, int shift) {
    const uint128 here = uint128{b - a} << shift;
    if (target < here) {
      drawn = a + static_cast<Split>(target >> shift);
      target = ~uint128{0};  // found: no later piece is as heavy
    } else if (target != ~uint128{0}) {
      target -= here;
    }
  });
  return drawn;
}

}  // namespace fractile
