// How each kind of loss is enclosed on cells of odds.
#pragma once

#include <optional>

#include "flow/loss/loss_model.hpp"
#include "flow/windows/monotone_pieces.hpp"

namespace fractile::flow {

struct CellLosses {
  LossOnCell on_cell;
  bool beats_isolation;  ///< enclosing windows takes at most 1/10 of the time of isolating them
  bool is_quick;         ///< a cell takes less than a second
};

/// How the model's loss is enclosed; nothing where no way is known. The model must outlive the result.
std::optional<CellLosses> cell_losses(const LossModel& model);

}  // namespace fractile::flow
