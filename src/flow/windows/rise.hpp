// A pair of odds that proves a window: the larger epsilon has the larger loss.
#pragma once

#include <optional>

#include "flow/loss/loss_model.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A pair between two bases (pipeline_rows.hpp), near their ends. Losses are enclosed if enclosures decide or exact losses would
/// take long, and otherwise exact. Nothing when no pair is found.
std::optional<Rise> rise_between(const LossModel& model, const Rational& from, const Rational& to);

}  // namespace fractile::flow
