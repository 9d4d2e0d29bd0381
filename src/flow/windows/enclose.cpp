#include "flow/windows/enclose.hpp"

#include <vector>

#include "exact/workers.hpp"
#include "flow/windows/rise.hpp"

namespace fractile::flow {
namespace {

using Direction = MonotonePiece::Direction;

/// The windows that follow from the directions of pieces. Neighbors have different directions.
class WindowsOfPieces {
 public:
  explicit WindowsOfPieces(const std::vector<MonotonePiece>& pieces) : pieces_(pieces) {}

  Windows windows() const {
    Windows result;
    result.method = Windows::Method::enclosed;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const MonotonePiece& piece = pieces_[i];
      if (is(i, Direction::rises)) result.windows.push_back({end_at(i - 1, piece.from), end_at(i + 1, piece.to)});
      if (is(i, Direction::unknown) && !is_narrow_end(i)) result.undecided.push_back({piece.from, piece.to});
    }
    return result;
  }

 private:
  /// Whether there is a piece i with this direction. The index before the first piece wraps to the largest number, which is no
  /// piece.
  bool is(std::size_t i, Direction direction) const { return i < pieces_.size() && pieces_[i].direction == direction; }
  /// The bounds of a window's end, which lies in the neighboring unknown piece if there is one.
  RealBounds end_at(std::size_t neighbour, const Rational& otherwise) const {
    if (!is(neighbour, Direction::unknown)) return {otherwise, otherwise};
    return {pieces_[neighbour].from, pieces_[neighbour].to};
  }
  bool is_narrow_end(std::size_t i) const {
    const MonotonePiece& piece = pieces_[i];
    return (is(i - 1, Direction::rises) || is(i + 1, Direction::rises)) &&
           piece.to - piece.from < piece.from * narrow_piece();
  }

  const std::vector<MonotonePiece>& pieces_;
};

}  // namespace

Windows enclosed_windows(const LossModel& model, const CellLosses& losses, const Rational& from, const Rational& to,
                         const WindowSearch& search) {
  std::vector<MonotonePiece> pieces = pieces_between(losses.on_cell, from, to, search);
  if (losses.is_quick) pieces = looked_at_again(pieces, losses.on_cell, search.stop);
  Windows result = WindowsOfPieces(pieces).windows();
  result.is_stopped = search.stop && search.stop();
  share_among_threads(threads_of_machine(), result.windows.size(), [&](std::size_t i) {
    if (search.stop && search.stop()) return;
    UnstableWindow& window = result.windows[i];
    window.proof = rise_between(model, window.from.upper, window.to.lower);
  });
  return result;
}

}  // namespace fractile::flow
