// For one loss and every prior: kronecker-utility 2023, Definition 3.3. Proof: docs/proofs/stability.md, "One loss".
#include <string>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/stability/pairs.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

LossRefinement check_refinement_for(const Pipeline& pipeline, const Analyst& analyst, const Odds& from,
                                    const Odds& to) {
  const OwnEnvironment own;
  return refines_for(loss_of(analyst, pipeline), channel_at(pipeline, from).channel, channel_at(pipeline, to).channel);
}

LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const OddsRange& range) {
  const OwnEnvironment own;
  const Stability to_everybody = check_stability(pipeline, range);
  if (to_everybody.verdict == Stability::Verdict::stable) {
    return {Stability::Verdict::stable, "to every analyst: " + to_everybody.reason};
  }
  const std::int64_t degree = pipeline.perturber.root_degree();
  std::size_t hold = 0;
  const Pairs pairs = pairs_within(base_bounds(pipeline, range.low).upper, base_bounds(pipeline, range.high).lower);
  for (const auto& [high, low] : pairs) {
    checkpoint();
    const Rational more = high.pow(degree);
    const Rational less = low.pow(degree);
    LossRefinement answer = check_refinement_for(pipeline, analyst, Odds(more), Odds(less));
    if (answer.refines()) ++hold;
    if (!answer.refuted()) continue;
    return {Stability::Verdict::unstable,
            "a prior was found, by an exact linear program, under which a larger epsilon is worth less",
            more,
            less,
            std::get<Counterexample>(std::move(answer.verdict)),
            channel_at(pipeline, Odds(more)).channel.secrets()};
  }
  return {Stability::Verdict::undecided, "no proof is known for the whole range; of " + std::to_string(pairs.size()) +
                                             " pairs within it " + std::to_string(hold) +
                                             " are proved to hold under every prior, and none is refuted"};
}

LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const EpsilonRange& range) {
  const OwnEnvironment own;
  LossStability answer = check_stability_for(pipeline, analyst, odds_within(range));
  if (answer.verdict != Stability::Verdict::stable) return answer;
  answer.verdict = check_stability(pipeline, odds_around(range)).verdict;
  return answer;
}

}  // namespace fractile::flow
