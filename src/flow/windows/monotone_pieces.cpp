#include "flow/windows/monotone_pieces.hpp"

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/workers.hpp"
#include "flow/algebra/real_roots.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

const Rational& narrowest_cell() {
  static const Rational width(1, 1'000'000'000'000);
  return width;
}

/// A short rational that is equal or slightly smaller.
Rational shortened(const Rational& value) { return short_rational(value, value * Rational(15, 16), value, value / 16); }

struct CellLoss {
  Cell cell;
  std::unique_ptr<LocalLoss> loss;
};

/// Adjacent cells, each as wide as possible.
class Cells {
 public:
  Cells(const LossOnCell& loss, Rational from, Rational to)
      : loss_(loss), left_(std::move(from)), to_(std::move(to)), radius_((to_ - left_) / 2) {}

  bool are_done() const { return left_ >= to_; }
  /// Everything below this has been covered.
  const Rational& left() const { return left_; }

  CellLoss take() {
    for (;;) {
      checkpoint();
      radius_ = std::min(radius_, (to_ - left_) / 2);
      CellLoss next{Cell{left_ + radius_, radius_}, loss_({left_ + radius_, radius_})};
      if (next.loss != nullptr) {
        left_ += 2 * radius_;
        radius_ = shortened(radius_ * Rational(4, 3));
        return next;
      }
      radius_ = shortened(radius_ * Rational(3, 4));
      if (radius_ < narrowest_cell()) throw Error(ErrorCode::internal, "no range of odds is narrow enough");
    }
  }

 private:
  const LossOnCell& loss_;
  Rational left_;
  Rational to_;
  Rational radius_;
};

}  // namespace

std::vector<MonotonePiece> pieces_between(const LossOnCell& loss, const Rational& from, const Rational& to,
                                          const WindowSearch& search) {
  const std::size_t threads = threads_of_machine();
  Cells cells(loss, from, to);
  std::vector<MonotonePiece> pieces;
  while (!cells.are_done()) {
    if (search.stop && search.stop()) {
      append_piece(pieces, {cells.left(), to, MonotonePiece::Direction::unknown});
      break;
    }
    std::vector<CellLoss> next;
    next.reserve(threads);
    while (next.size() < threads && !cells.are_done()) next.push_back(cells.take());
    std::vector<std::vector<MonotonePiece>> found(next.size());
    share_among_threads(threads, next.size(),
                        [&](std::size_t i) { found[i] = pieces_of(*next[i].loss, next[i].cell); });
    for (std::vector<MonotonePiece>& here : found) {
      for (MonotonePiece& piece : here) append_piece(pieces, std::move(piece));
    }
    if (search.progress) search.progress(cells.left());
  }
  return pieces;
}

const Rational& narrow_piece() {
  static const Rational share(1, 1'000'000'000);
  return share;
}

std::vector<MonotonePiece> looked_at_again(const std::vector<MonotonePiece>& pieces, const LossOnCell& loss,
                                           const std::function<bool()>& stop) {
  constexpr std::int64_t parts = 16;
  std::vector<MonotonePiece> result;
  for (const MonotonePiece& piece : pieces) {
    const Rational part = (piece.to - piece.from) / parts;
    if (piece.direction != MonotonePiece::Direction::unknown || part * parts <= piece.from * narrow_piece()) {
      append_piece(result, piece);
      continue;
    }
    for (std::int64_t i = 0; i < parts; ++i) {
      const Rational from = piece.from + part * i;
      for (MonotonePiece& here : pieces_between(loss, from, from + part, {{}, stop})) {
        append_piece(result, std::move(here));
      }
    }
  }
  return result;
}

}  // namespace fractile::flow
