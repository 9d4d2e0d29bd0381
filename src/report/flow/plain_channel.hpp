// Computes a pipeline's channel from its definition alone, to check certificates. Shares no code with channel_at().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

/// Secrets and observations have the names and the order of channel_at(). Answers are multiplied one after the other. Returns nothing when
/// that takes more than seconds, or when a release has irrational probabilities. Throws `usage` when odds < 1.
std::optional<flow::Channel> plain_channel(const flow::Pipeline& pipeline, const Rational& odds);

/// The weights of a release of one quantile. For each secret, these are the exponents of 1/base in the weights of the candidates. The odds
/// are base to the power of the perturber's root_degree(). Returns nothing for other pipelines.
std::optional<std::vector<std::vector<std::int64_t>>> plain_exponents(const flow::Pipeline& pipeline);

/// What is observed when the participants' answers, or a histogram's bars, are these places. Equal observations give equal lists.
std::vector<Rational> plain_output(const flow::Pipeline& pipeline, const std::vector<std::size_t>& answers);

}  // namespace fractile::report_detail
