// The secrets of a pipeline: the rows of its channel.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/pipeline/composition.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// How many rows the channel has.
Rational secret_count(const Pipeline& pipeline);

/// The sizes of the groups of neighboring participants within which it does not matter who has which value: everyone's values are
/// sorted within each group.
std::vector<std::size_t> arranged_groups(const Pipeline& pipeline);

struct Secrets {
  std::vector<Tuple> secrets;  ///< as PipelineChannel's
  std::vector<std::string> secret_names;
  std::vector<Rational> arrangements;
};
/// Throws `usage` for more than a million secrets.
Secrets secrets_of(const Pipeline& pipeline);

/// "(1,2)": for values, and for counts, such as a histogram's bars.
std::string values_name(const std::vector<Rational>& values, const Tuple& tuple);
std::string tally_name(const Tuple& tally);

}  // namespace fractile::flow
