// The rows of the channel of a pipeline of perturbers, in any of the rings of ring.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/secrets.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The number of perturbed answers: one per participant, or one per bar of a histogram.
std::size_t perturbed_answers(const Pipeline& pipeline);

/// Everyone's values in their order, the target's last; for a histogram, its bars.
Tuple members_of(const Pipeline& pipeline, const Tuple& secret);

/// For a counting query: the probability of being counted, by true value, as numerators over the noise's denominator.
template <class Ring>
std::vector<Ring> counted_numerators(const Pipeline& pipeline, const Noise<Ring>& noise);

/// The parts of a pipeline's channel that do not depend on epsilon: its secrets and its possible observations.
struct Outline : Secrets {
  std::vector<std::string> observation_names;
};

template <class Ring>
struct ScaledRows {
  std::vector<std::vector<Ring>> numerators;
  Ring denominator;
};

Outline outline_of(const Pipeline& pipeline);

/// Whether all histograms of answers are listed to find their modes.
bool collects_bars(const Pipeline& pipeline);

/// Whether the channel has at most a million entries; outline_of refuses larger ones.
bool is_small(const Pipeline& pipeline);

/// One row per secret of the outline, one column per observation. `noises`: the evaluated perturber of the pipeline; or one per
/// participant, in their order.
template <class Ring>
ScaledRows<Ring> rows_of(const Pipeline& pipeline, const Outline& outline, const std::vector<Noise<Ring>>& noises);

}  // namespace fractile::flow
