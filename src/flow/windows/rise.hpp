// A pair of odds that proves a window: more epsilon, and more loss.
#pragma once

#include <optional>

#include "flow/loss/loss_model.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Between two bases (pipeline_rows.hpp), near them: exact losses where these take seconds, enclosed ones where these tell or exact
/// ones take longer. Nothing when none is found.
std::optional<Rise> rise_between(const LossModel& model, const Rational& from, const Rational& to);

}  // namespace fractile::flow
