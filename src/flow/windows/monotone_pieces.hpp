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

/// All of from .. to, in order, neighbours with different directions.
/// `search` is told up to where all is done; the rest is unknown once it stops.
std::vector<MonotonePiece> pieces_between(const LossOnCell& loss, const Rational& from, const Rational& to,
                                          const WindowSearch& search);

/// What is unknown and narrower than this share of its odds need not be known better.
const Rational& narrow_piece();

/// The same pieces, those that are unknown and not narrow looked at again, in narrower cells: errors are smaller there.
std::vector<MonotonePiece> looked_at_again(const std::vector<MonotonePiece>& pieces, const LossOnCell& loss,
                                           const std::function<bool()>& stop);

}  // namespace fractile::flow
