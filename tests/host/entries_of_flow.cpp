// Channels, pipelines, what they are worth, and their reports and certificates.
#include <cstddef>
#include <optional>
#include <utility>

#include "flow/channel/papers.hpp"
#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/reports.hpp"
#include "host/entry_groups.hpp"
#include "report/flow/printed_parts.hpp"

namespace fractile::host_test {
namespace {

using namespace flow;  // all of this file is about it

/// All formats of a report but a page.
template <class Report>
std::string reported(const Report& report) {
  return to_json(report) + to_csv(report) + to_table(report);
}

std::string multiplied() {
  const Channel truth = Perturber::randomized_response(2).at(Odds(3));
  const Channel steps = Perturber::geometric(2).at(Odds(2));
  const Channel merging = deterministic({0, 1, 1}, 2);
  std::string all = text(kronecker(truth, steps).matrix()) + text((truth * steps).matrix());
  all += text(kronecker_power(truth, 2).matrix()) + text(left_inverse(merging).matrix());
  all +=
      smallest_epsilon(truth, discrete_metric(2))->to_string() + smallest_epsilon(steps, line_metric(2))->to_string();
  const Prior prior = Prior::uniform(2);
  const Loss loss = linear_error({0, 1}).scaled(Rational(1, 3));
  all += expected_loss(prior, truth, loss).to_string() + expected_loss(prior, loss).to_string();
  return all + remapped_loss(prior, truth, loss, optimal_actions(prior, truth, loss)).to_string();
}

std::string perturbed_by_all() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  std::string all;
  for (const Perturber& perturber :
       {Perturber::randomized_response(3), Perturber::geometric(3), Perturber::wide_geometric(3, 1),
        Perturber::subset_selection(3, 2), Perturber::hadamard(3), Perturber::symmetric_unary(2),
        Perturber::optimized_unary(2), Perturber::in_odds({{"odds/(odds + 1)", "1/(odds + 1)"}, {"1/2", "1/2"}})}) {
    all += text(perturber.at(Odds(4)).matrix()) + std::to_string(perturbed(perturber, Exponent::log(4), 1, bits)) + " ";
  }
  return all;
}

std::string released_by_participants() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  Pipeline pipeline = counting(3);
  pipeline.perturber = Perturber::by_participant({Perturber::geometric(3), Perturber::randomized_response(3),
                                                  Perturber::geometric(3).with_epsilon_times(Rational(2))});
  return released(pipeline, Exponent(Rational(1)), {0, 1, 2}, bits) + collected(pipeline, {0, 1, 2});
}

/// One quantile of a few candidates, drawn by a curator.
Pipeline curated() { return {3, {0, 1, 2}, Perturber::release({}, 3), {}, {}}; }

std::string channels() {
  const Pipeline pipeline = counting(2);
  std::string all = text(channel_at(pipeline, Odds(2)).channel.matrix()) +
                    smallest_epsilon(pipeline, Odds(2))->to_string() +
                    text(channel_at(curated(), Odds(16)).channel.matrix());
  for (const std::vector<RealBounds>& row : channel_bounds(pipeline, Exponent(Rational(1))).probabilities) {
    for (const RealBounds& each : row) all += text(each);
  }
  return all + reported(ChannelReport{Rational(1), channel_bounds(pipeline, Exponent(Rational(1)))});
}

std::string refined() {
  const Pipeline pipeline = counting(2);
  const Channel low = channel_at(pipeline, Odds(2)).channel;
  const Channel high = channel_at(pipeline, Odds(3)).channel;
  const Refinement refinement = refines(high, low);
  std::string all = refinement.reason + (refinement.refines() ? " yes" : " no");
  const LossRefinement of_loss = refines_for(bayes_risk(low.secrets().size()), high, low);
  return all +
         (of_loss.refines()   ? " yes"
          : of_loss.refuted() ? " no"
                              : " open") +
         check_refinement(pipeline, Odds(3), Odds(2)).refinement.reason;
}

std::string is_stable() {
  const EpsilonRange range{Rational(1, 2), Exponent::log(3)};
  Pipeline one = counting(1);
  one.perturber = Perturber::randomized_response(3);
  Analyst analyst;
  const std::optional<Stability> proved = proved_stability(one, OddsRange(2, 3));
  return check_stability(counting(2), OddsRange(2, 3)).reason + check_stability(one, range).reason +
         check_stability_for(one, analyst, OddsRange(2, 3)).reason + (proved ? to_string(proved->theorem) : "open");
}

std::string lost() {
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  analyst.about = counting(2).post;
  const Pipeline pipeline = counting(2);
  std::string all = expected_loss(pipeline, analyst, Odds(3)).to_string() +
                    text(expected_loss_bounds(pipeline, analyst, Exponent(Rational(1)))) +
                    text(loss_without_release(pipeline, analyst));
  for (const LossPoint& point : loss_curve(pipeline, analyst, {Rational(1), Rational(2), Rational(3)}, 2)) {
    all += text(point.loss) + to_string(point.change);
  }
  return all +
         reported(ExpectedLossReport{Rational(1), expected_loss_bounds(pipeline, analyst, Exponent(Rational(1)))});
}

Pipeline windowed() {
  Pipeline pipeline = counting(7);
  pipeline.secret = Secret::target_among({2, 2, 2}, 7);
  return pipeline;
}

std::string chosen() {
  const Wanted wanted{Rational(1, 2), find_windows(windowed(), {}, OddsRange(2, 3))};
  const std::vector<ServedRange> ranges = served_ranges(windowed(), {}, wanted, OddsRange(2, 3));
  std::string all;
  for (const ServedRange& each : served_together({ranges, ranges})) {
    all += each.from.to_string() + ".." + each.to.to_string() + to_string(each.answer) + " ";
  }
  const RealBounds without = loss_without_release(windowed(), {});
  const ChoiceReport report{Exponent::log(2), Exponent::log(3), {{"a", wanted, without}}, ranges};
  return all + reported(report) + to_html(report, {}).html;
}

std::string certified() {
  const Pipeline pipeline = counting(2);
  const RefinementReport refinement{Exponent::log(3), Exponent::log(2), check_refinement(pipeline, Odds(3), Odds(2))};
  const StabilityReport stability{Exponent::log(2), Exponent::log(3), check_stability(pipeline, OddsRange(2, 3))};
  const Channel low = channel_at(pipeline, Odds(2)).channel;
  const Channel high = channel_at(pipeline, Odds(3)).channel;
  const ComparisonReport comparison{"high", "low", high, low, refines(high, low)};
  std::string all;
  for (const std::string& json : {to_json(refinement), to_json(stability)}) {
    all += reported(checked_certificate(json)) + reported(checked_certificate(json, CertifiedPipeline{pipeline}));
  }
  return all + reported(refinement) + reported(stability) + reported(comparison) +
         checked_certificate(to_json(comparison), comparison).claim;
}

std::string swept() {
  Analyst analyst;
  const std::vector<Exponent> epsilons = {Rational(1, 2), Rational(1)};
  const SweepReport sweep{loss_curve(windowed(), analyst, epsilons), find_windows(windowed(), analyst, OddsRange(2, 3)),
                          loss_without_release(windowed(), analyst)};
  const AnyPriorReport any_prior{Exponent::log(2), Exponent::log(3),
                                 check_stability_for(counting(1), analyst, OddsRange(2, 3)), counting(1)};
  const CostReport cost{Rational(1), {{3, Exponent(Rational(1)), {}}}, Exponent(Rational(1))};
  return reported(sweep) + curve_to_table(sweep) + windows_to_csv(sweep) + to_html(sweep, {}).html +
         reported(any_prior) + verdict_of(any_prior) + reported(cost);
}

std::string leaked() {
  LeakageQuestion question{counting(3)};
  const Leakage found = leakage(question, Exponent(Rational(1)));
  std::string all = text(found.before) + text(found.after) + text(found.capacity);
  question.guess.about = Guess::About::presence;
  LeakageReport report{question, possibilities_of(question), promise_of(question),
                       leakage_curve(question, {Rational(1, 2), Rational(1)}), true};
  return all + reported(report) + to_html(report, {}).html;
}

}  // namespace

std::vector<Entry> entries_of_flow() {
  return {{"channels of hand", multiplied},
          {"perturbers", perturbed_by_all},
          {"participants", released_by_participants},
          {"channels of pipelines", channels},
          {"refinement", refined},
          {"stability", is_stable},
          {"expected losses", lost},
          {"choice of an epsilon", chosen},
          {"certificates", certified},
          {"sweeps", swept},
          {"leakage", leaked}};
}

}  // namespace fractile::host_test
