#include "flow/loss_pieces.hpp"

#include <algorithm>
#include <utility>

#include "flow/real_roots.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

const Rational& narrowest_cell() {
  static const Rational width(1, 1'000'000'000'000);
  return width;
}

/// A short rational that is a little less, at most.
Rational shortened(const Rational& value) { return short_rational(value, value * Rational(15, 16), value, value / 16); }

}  // namespace

std::vector<LossPiece> pieces_between(const LossOnCell& loss, const Rational& from, const Rational& to,
                                      const std::function<void(const Rational&)>& progress) {
  std::vector<LossPiece> pieces;
  Rational left = from;
  Rational radius = (to - from) / 2;
  while (left < to) {
    radius = std::min(radius, (to - left) / 2);
    Cell cell{left + radius, radius};
    std::unique_ptr<LocalLoss> here = loss(cell);
    if (here == nullptr) {
      radius = shortened(radius * Rational(3, 4));
      if (radius < narrowest_cell()) throw Error(ErrorCode::internal, "no stretch of odds is narrow enough");
      continue;
    }
    for (LossPiece& piece : pieces_of(*here, cell)) {
      if (!pieces.empty() && pieces.back().direction == piece.direction) {
        pieces.back().to = piece.to;
      } else {
        pieces.push_back(std::move(piece));
      }
    }
    left += 2 * radius;
    if (progress) progress(left);
    radius = shortened(radius * Rational(4, 3));
  }
  return pieces;
}

}  // namespace fractile::flow
