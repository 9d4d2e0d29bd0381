// The rows of a pipeline's channel, in any of the rings of ring.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/noise.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// How many participants have each value.
using Composition = std::vector<std::size_t>;

Composition composition_of(const std::vector<std::size_t>& tuple, std::size_t values);

/// Of all participants, for a secret of everyone or of a target whose others are known.
Composition whole_composition(const Pipeline& pipeline, const std::vector<std::size_t>& secret);

/// "(1,2)", and "1" for one alone.
std::string tuple_name(const std::vector<std::string>& members);

/// The first of the highest.
std::size_t mode_of(const Composition& bars);

/// How many answers are perturbed: the participants', or a histogram's bars.
std::size_t perturbed_answers(const Pipeline& pipeline);

/// What each answer adds to a count or a sum, in units of `unit` above `least` a participant.
struct Additions {
  std::vector<std::size_t> steps;
  Rational least;
  Rational unit = 1;
};
Additions additions_of(const Pipeline& pipeline);
/// The totals of steps that participants' answers reach, increasing. Error(usage) when there may be more than a million.
std::vector<std::size_t> reachable(const Additions& additions, std::size_t participants);

/// Of a counting query: the probability of being counted, by true value, as numerators over the noise's denominator.
template <class Ring>
std::vector<Ring> counted_numerators(const Pipeline& pipeline, const Noise<Ring>& noise);

/// How many rows the channel has.
Rational secret_count(const Pipeline& pipeline);

/// The secrets of a pipeline.
struct Secrets {
  std::vector<std::vector<std::size_t>> secrets;  ///< as PipelineChannel's
  std::vector<std::string> secret_names;
  std::vector<Rational> arrangements;
};
/// Error(usage) when they are more than a million.
Secrets secrets_of(const Pipeline& pipeline);

/// What of a pipeline does not depend on epsilon: its secrets and what may be observed.
struct Frame : Secrets {
  std::vector<std::string> observation_names;
};

template <class Ring>
struct Rows {
  std::vector<std::vector<Ring>> numerators;
  Ring denominator;
};

Frame frame_of(const Pipeline& pipeline);

/// Whether the channel has at most a million entries; frame_of refuses larger ones.
bool is_small(const Pipeline& pipeline);

/// One row a secret of the frame, one column an observation. `noise` is the pipeline's perturber, evaluated.
template <class Ring>
Rows<Ring> rows_of(const Pipeline& pipeline, const Frame& frame, const Noise<Ring>& noise);

}  // namespace fractile::flow
