// A pipeline's channel from its definition alone, for those who check: it shares no code with channel_at().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

/// Secrets and observations are named and ordered as channel_at() has them. Answers are multiplied one after the other. Nothing of
/// what would take more than seconds. Throws `usage` when odds < 1.
std::optional<flow::Channel> plain_channel(const flow::Pipeline& pipeline, const Rational& odds);

/// The weights of one released quantile: by secret, the exponents of 1/base in the weights of the candidates, where odds are base to the power of the
/// perturber's root_degree(). Nothing of anything else.
std::optional<std::vector<std::vector<std::int64_t>>> plain_exponents(const flow::Pipeline& pipeline);

/// What is observed when the participants' answers, or a histogram's bars, are these places: equal lists for equal observations.
std::vector<Rational> plain_output(const flow::Pipeline& pipeline, const std::vector<std::size_t>& answers);

}  // namespace fractile::report_detail
