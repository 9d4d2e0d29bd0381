#include "quantiles/joint/joint_law.hpp"

#include <algorithm>

#include "quantiles/joint/joint_tables.hpp"

namespace fractile {
namespace {

/// exp(-rate * units / denominator).
Enclosure weight_of(const JointProblem& problem, const Rational& units) {
  const Rational denominator(problem.target.denominator);
  return exp_of_minus(problem.rate * (units / denominator));
}

/// The weight of the totals from index i on. Their cost is that at i plus the distance, so this is a geometric sum.
Enclosure tail_weight(const JointProblem& problem, std::uint64_t index, const std::vector<std::uint64_t>& below) {
  const std::uint64_t step = problem.totals->step;
  const auto units = [&](std::uint64_t steps) {
    return Rational(steps) * Rational(step) * Rational(problem.target.denominator);
  };
  const Enclosure one = Enclosure::of(Rational(1));
  const auto cost = static_cast<std::int64_t>(problem.scaled_cost(index * step, below));
  return weight_of(problem, cost) * (one - weight_of(problem, units(problem.totals->last_index() + 1 - index))) /
         (one - weight_of(problem, units(1)));
}

/// The sum over the totals of exp(-rate * cost).
Enclosure total_weight(const JointProblem& problem, const std::vector<std::uint64_t>& below) {
  const auto at = [&](std::uint64_t total) {
    return weight_of(problem, static_cast<std::int64_t>(problem.scaled_cost(total, below)));
  };
  if (!problem.totals) return at(problem.span.records());
  std::uint64_t least = problem.target.denominator;
  for (const std::uint64_t w : problem.target.weights) least = w > 0 ? std::min(least, w) : least;
  // From this total on, the target of every cell that has one exceeds the number of records.
  const std::uint64_t enough = problem.span.records() * problem.target.denominator / least + 1;
  Enclosure sum = Enclosure::of(Rational(0));
  std::uint64_t index = 0;
  for (; index * problem.totals->step < enough; ++index) sum += at(index * problem.totals->step);
  return sum + tail_weight(problem, index, below);
}

JointRuns all_runs(const JointProblem& problem) {
  JointRuns runs(problem.profile, problem.span, problem.subcells);
  runs.cover_all();
  return runs;
}

void list_outcomes(const JointProblem& problem, const JointRuns& runs, std::vector<std::uint64_t>& below,
                   std::vector<JointOutcome>& all) {
  if (below.size() == problem.target.quantiles()) {
    Enclosure weight = total_weight(problem, below);
    std::int64_t sharing = 0;
    for (std::size_t j = 0; j < below.size(); ++j) {
      sharing = j > 0 && below[j - 1] == below[j] ? sharing + 1 : 1;
      const std::size_t run = runs.first_from_unit(static_cast<std::int64_t>(below[j]));
      weight *= Enclosure::of_whole(problem.base.mass(runs.start(run), runs.end(run)));
      weight /= Enclosure::of(Rational(sharing));
    }
    all.push_back({below, weight});
    return;
  }
  const std::size_t first = below.empty() ? 0 : runs.first_from_unit(static_cast<std::int64_t>(below.back()));
  for (std::size_t run = first; run < runs.size(); ++run) {
    below.push_back(static_cast<std::uint64_t>(runs.rank(run)));
    list_outcomes(problem, runs, below, all);
    below.pop_back();
  }
}

/// All ways to place quantiles j and further ones in the runs of an outcome, in order.
void place(const JointProblem& problem, const JointRuns& runs, const JointOutcome& outcome, const Enclosure& p,
           std::uint64_t sharing, std::vector<Split>& splits, std::map<std::vector<Split>, Enclosure>& law) {
  const std::size_t j = splits.size();
  if (j == outcome.below.size()) {
    law.emplace(splits, p);
    return;
  }
  const std::size_t b = runs.first_from_unit(static_cast<std::int64_t>(outcome.below[j]));
  const bool shares = j > 0 && outcome.below[j - 1] == outcome.below[j];
  const Enclosure mass = Enclosure::of_whole(problem.base.mass(runs.start(b), runs.end(b)));
  for (Split split = shares ? splits.back() : runs.start(b); split < runs.end(b); ++split) {
    // r draws from a run have r! orders; m! of these coincide when m draws are equal.
    const std::uint64_t in_run = shares ? sharing + 1 : 1;
    std::int64_t equal = 1;
    while (static_cast<std::size_t>(equal) <= j && splits[j - static_cast<std::size_t>(equal)] == split) ++equal;
    Enclosure q = p * Enclosure::of_whole(problem.base.mass(split, split + 1)) / mass;
    q *= Enclosure::of(Rational(in_run, equal));
    splits.push_back(split);
    place(problem, runs, outcome, q, in_run, splits, law);
    splits.pop_back();
  }
}

}  // namespace

std::map<std::vector<Split>, Enclosure> joint_splits_law(const JointProblem& problem) {
  const JointRuns runs = all_runs(problem);
  std::map<std::vector<Split>, Enclosure> law;
  std::vector<Split> splits;
  for (const JointOutcome& outcome : joint_law(problem)) {
    place(problem, runs, outcome, outcome.probability, 0, splits, law);
  }
  return law;
}

namespace {

std::vector<JointOutcome> joint_masses(const JointProblem& problem, const JointRuns& runs) {
  std::vector<JointOutcome> all;
  std::vector<std::uint64_t> below;
  list_outcomes(problem, runs, below, all);
  return all;
}

Enclosure sum_of(const std::vector<JointOutcome>& masses) {
  Enclosure sum = Enclosure::of(Rational(0));
  for (const JointOutcome& outcome : masses) sum += outcome.probability;
  return sum;
}

}  // namespace

std::vector<JointOutcome> joint_law(const JointProblem& problem) {
  const JointRuns runs = all_runs(problem);
  std::vector<JointOutcome> all = joint_masses(problem, runs);
  const Enclosure sum = sum_of(all);
  for (JointOutcome& outcome : all) outcome.probability /= sum;
  return all;
}

std::map<std::vector<Split>, Enclosure> joint_density(const JointProblem& problem,
                                                      const std::vector<Split>& representatives) {
  const JointRuns runs = all_runs(problem);
  const Enclosure sum = sum_of(joint_masses(problem, runs));
  std::map<std::vector<Split>, Enclosure> density;
  std::vector<std::size_t> chosen(problem.target.quantiles(), 0);
  for (;;) {
    std::vector<Split> splits;
    std::vector<std::uint64_t> below;
    for (const std::size_t i : chosen) {
      splits.push_back(representatives[i]);
      below.push_back(runs.rank_of(splits.back()));
    }
    density.emplace(splits, total_weight(problem, below) / sum);
    // Goes to the next tuple that does not decrease.
    std::size_t j = chosen.size();
    while (j > 0 && chosen[j - 1] + 1 == representatives.size()) --j;
    if (j == 0) return density;
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(j) - 1, chosen.end(), chosen[j - 1] + 1);
  }
}

}  // namespace fractile
