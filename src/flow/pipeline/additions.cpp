#include "flow/pipeline/additions.hpp"

#include <algorithm>

#include "exact/flint.hpp"
#include "flow/pipeline/size_limit.hpp"

namespace fractile::flow {
namespace {

/// By total above the least one: the fewest answers with more than the least step that add up to it; more than all answers if none
/// do.
std::vector<std::size_t> fewest_answers(const std::vector<std::size_t>& steps, std::size_t least, std::size_t answers) {
  const std::size_t most = (*std::ranges::max_element(steps) - least) * answers;
  require_few(static_cast<std::int64_t>(most));
  std::vector<std::size_t> fewest(most + 1, answers + 1);
  fewest[0] = 0;
  for (std::size_t total = 1; total <= most; ++total) {
    for (const std::size_t step : steps) {
      const std::size_t more = step - least;
      if (more > 0 && more <= total) fewest[total] = std::min(fewest[total], fewest[total - more] + 1);
    }
  }
  return fewest;
}

}  // namespace

Additions additions_of(const Pipeline& pipeline) {
  Additions result;
  if (pipeline.post.kind == PostProcessor::Kind::count) {
    result.steps.resize(pipeline.shown().size());
    for (const std::size_t value : pipeline.post.counted) result.steps[value] = 1;
    return result;
  }
  result.least = *std::ranges::min_element(pipeline.shown());
  Rational divisor;  // common divisor of all differences
  for (const Rational& value : pipeline.shown()) {
    fmpq_gcd(flint_of(divisor), flint_of(divisor), flint_of(value - result.least));
  }
  if (divisor.sign() > 0) result.unit = divisor;
  for (const Rational& value : pipeline.shown()) {
    const Rational steps = (value - result.least) / result.unit;
    require_few(steps);
    result.steps.push_back(steps.to_uint64());
  }
  return result;
}

std::vector<std::size_t> reachable(const Additions& additions, std::size_t participants) {
  const std::size_t least = *std::ranges::min_element(additions.steps);
  const std::vector<std::size_t> fewest = fewest_answers(additions.steps, least, participants);
  std::vector<std::size_t> totals;
  for (std::size_t total = 0; total < fewest.size(); ++total) {
    if (fewest[total] <= participants) totals.push_back(total + least * participants);
  }
  return totals;
}

}  // namespace fractile::flow
