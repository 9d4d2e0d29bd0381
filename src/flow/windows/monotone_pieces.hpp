// Where the losses of large pipelines rise, cell by cell.
// Proof: docs/proofs/windows.md
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "flow/windows/local_loss.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A loss on a cell; nothing when the cell is too wide.
using LossOnCell = std::function<std::unique_ptr<LocalLoss>(const Cell&)>;

/// The pieces of from .. to, in order; neighbors have different directions. Calls search.progress with the odds up to which all is
/// done. When search.stop ends the search, the rest is unknown.
std::vector<MonotonePiece> pieces_between(const LossOnCell& loss, const Rational& from, const Rational& to,
                                          const WindowSearch& search);

/// An unknown piece that is narrower than this share of its odds is not refined.
const Rational& narrow_piece();

/// The same pieces after unknown ones that are not narrow are examined again, in narrower cells, where errors are smaller.
std::vector<MonotonePiece> looked_at_again(const std::vector<MonotonePiece>& pieces, const LossOnCell& loss,
                                           const std::function<bool()>& stop);

}  // namespace fractile::flow
