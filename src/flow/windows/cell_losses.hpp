// How each kind of loss is enclosed on cells of odds.
#pragma once

#include <optional>

#include "flow/loss/loss_model.hpp"
#include "flow/windows/monotone_pieces.hpp"

namespace fractile::flow {

struct CellLosses {
  LossOnCell on_cell;
  bool beats_isolation;  ///< windows are enclosed in a tenth of the time that isolation takes, or less
  bool is_quick;         ///< a cell takes less than a second
};

/// How the model's loss is enclosed; nothing where no way is known. The model must outlive the answer.
std::optional<CellLosses> cell_losses(const LossModel& model);

}  // namespace fractile::flow
