#include "quantiles/release/rank_error.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "libraries/fmt.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/independent.hpp"
#include "ranks/span.hpp"

namespace fractile {
namespace {

Enclosure whole(uint128 value) { return Enclosure::of_whole(value); }

/// From a number of ranks to an upper bound of the logarithm of the probability of a larger rank error.
using LogTail = std::function<Enclosure(std::uint64_t ranks)>;

/// The least number of ranks from `least` on, at most about 2^50, whose LogTail is certainly at most `log_failure`; nothing when there is
/// none. The search starts at `guess`, which costs least if it is near.
std::optional<std::uint64_t> ranks_for(const LogTail& log_tail, const Enclosure& log_failure, std::uint64_t least,
                                       std::uint64_t guess = 0) {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  const auto enough = [&](std::uint64_t ranks) { return certainly_at_most(log_tail(ranks), log_failure); };
  std::uint64_t low = least;
  std::uint64_t high = std::max(least, guess);
  if (enough(high)) {
    for (std::uint64_t step = 1; high > least; step *= 2) {
      const std::uint64_t fewer = high - std::min(high - least, step);
      if (!enough(fewer)) {
        low = fewer + 1;
        break;
      }
      high = fewer;
    }
    return first_entry(low, high, enough);
  }
  std::uint64_t step = 1;
  do {
    if (high >= most) return {};
    low = high + 1;
    high += step;
    step *= 2;
  } while (!enough(high));
  return first_entry(low, high, enough);
}

}  // namespace

std::optional<std::uint64_t> candidate_ranks(const Exponent& slope, uint128 total_weight, const Enclosure& failure) {
  if (total_weight <= 1) return 0;
  const Enclosure log_others = whole(total_weight - 1).log();
  const Enclosure log_odds = (failure / (whole(1) - failure)).log();
  return ranks_for([&](std::uint64_t r) { return log_others - Enclosure::of(slope) * whole(r); }, log_odds, 0);
}

namespace {

/// How the records of a table with this many rows can lie among splits (lemma 2).
struct Spread {
  std::uint64_t gap = 0;     ///< least number of splits between successive thresholds; 0 when some coincide
  std::uint64_t shared = 0;  ///< then, the most records that have one threshold

  static Spread of(std::uint64_t subcells, std::uint64_t rows) {
    if (rows < subcells) return {subcells >> std::bit_width(rows), 0};
    return {0, rows / subcells + 1};
  }
};

/// Lemma 3: a node of k quantiles with the law exp(-rate * cost), whose splits have the total weight `total_weight`.
struct NodeErrors {
  Exponent rate;
  std::size_t quantiles;
  uint128 total_weight;
  Enclosure edge_factor;              ///< upper bound of how much more the heaviest splits weigh
  std::optional<std::uint64_t> step;  ///< of the totals, if one is selected
  Spread spread;

  /// The bound for a quantile when each rank of its error costs at least `cost_a_rank`.
  std::optional<std::uint64_t> ranks(const Rational& cost_a_rank, const Enclosure& failure, std::uint64_t guess) const {
    const Enclosure rate_ball = Enclosure::of(rate);
    const auto k = static_cast<std::int64_t>(quantiles);
    const Enclosure log_weight = (whole(total_weight) * edge_factor).log();
    const auto log_tail = [&](std::uint64_t r) {
      const Enclosure cost = Enclosure::of(cost_a_rank * Rational(r));
      Enclosure log = Enclosure::of(Rational(k)) * (log_weight - log_near(r)) - rate_ball * cost;
      if (step) log += rate_ball * whole(*step) / whole(2) + totals(cost).log();
      return log;
    };
    return ranks_for(log_tail, failure.log(), 2, guess);
  }

 private:
  /// The logarithm of the weight within r / 2 ranks of a target, where each split is discounted by exp(-2 rate) per rank.
  Enclosure log_near(std::uint64_t r) const {
    const Enclosure twice = Enclosure::of(rate * Rational(2));
    if (spread.gap == 0) return whole(0) - twice * whole(1 + spread.shared);
    const Enclosure ratio = (whole(0) - twice).exp();
    const Enclosure ranks = (whole(1) - (whole(0) - twice * whole(r / 2)).exp()) / (whole(1) - ratio);
    return (whole(spread.gap) * ratio * ranks).log();
  }

  /// The weight of all totals together, as a number of totals at `cost`.
  Enclosure totals(const Enclosure& cost) const {
    const Enclosure beyond = whole(2) / (whole(1) - (whole(0) - Enclosure::of(rate) * whole(*step)).exp());
    return whole(2) * cost / whole(*step) + whole(1) + beyond;
  }
};

/// The bounds of a recursion's quantiles (theorem).
class RecursionErrors {
 public:
  RecursionErrors(const QuantileQuery& query, const SelectQuantiles& selection, const Lattice& lattice,
                  std::uint64_t rows)
      : calibration_(query, selection.levels),
        empty_(lattice, {}, {}),
        tree_(empty_, selection.released, selection.shape, calibration_, selection.subcells),
        splits_weight_(BaseMeasure(0, lattice.size() * tree_.subcells() - 1, tree_.subcells(), {},
                                   selection.shape.numbers, selection.shape.origin)
                           .total()),
        spread_(Spread::of(tree_.subcells(), rows)) {}

  /// The bound of released quantile i, exceeded with probability at most `failure`.
  std::optional<std::uint64_t> of(std::size_t i, const Rational& failure) {
    const std::vector<Step> path = path_to(i);
    const Rational share = failure / Rational(path.size());
    std::uint64_t sum = 0;
    for (const Step& step : path) {
      std::uint64_t worst = 0;
      for (const std::size_t end : step.ends) {
        const std::optional<std::uint64_t> ranks = cached(step.node, end, path.size(), share);
        if (!ranks) return {};
        worst = std::max(worst, *ranks);
      }
      sum += worst;
    }
    return sum;
  }

 private:
  struct Step {
    QuantileNode node;
    std::vector<std::size_t> ends;  ///< the pivots on which the next node depends, as places among the node's pivots
  };

  /// From the root to the node that decides quantile i.
  std::vector<Step> path_to(std::size_t i) const {
    std::vector<Step> path;
    QuantileNode node = tree_.root();
    while (true) {
      const std::vector<std::size_t> decided = tree_.pivots(node);
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(decided, i) - decided.begin());
      if (at < decided.size() && decided[at] == i) {
        path.push_back({node, {at}});
        return path;
      }
      Step step{node, {}};
      if (at > 0) step.ends.push_back(at - 1);
      if (at < decided.size()) step.ends.push_back(at);
      path.push_back(std::move(step));
      const std::vector<Split> anywhere(decided.size(), node->span.lowest);
      const std::vector<QuantileNode> parts = tree_.parts(node, anywhere);
      node = *std::ranges::find_if(parts, [&](const QuantileNode& part) { return part->first <= i && i < part->last; });
    }
  }

  std::optional<std::uint64_t> cached(const QuantileNode& node, std::size_t pivot, std::size_t length,
                                      const Rational& failure) {
    const auto key = std::tuple(node->first, node->last, node->level, pivot, length);
    const auto at = known_.find(key);
    if (at != known_.end()) return at->second;
    const std::optional<std::uint64_t> ranks = ranks_of(node, pivot, length, Enclosure::of(failure));
    if (ranks) last_ = *ranks;
    return known_.emplace(key, ranks).first->second;
  }

  std::optional<std::uint64_t> ranks_of(const QuantileNode& node, std::size_t pivot, std::size_t length,
                                        const Enclosure& failure) {
    const auto den = [&] { return Rational(tree_.alpha(node).denominator); };
    if (const auto* leaf = std::get_if<LeafNode>(&node)) {
      return candidate_ranks(tree_.rate(node) * den(), tree_.candidate_weights(*leaf).total(), failure);
    }
    if (std::holds_alternative<SplitNode>(node)) {  // each rank costs two halves
      return node_errors(tree_.rate(node) * (den() / Rational(2)), 1, {}, {}).ranks(Rational(2), failure, last_);
    }
    const JointProblem problem = tree_.problem(std::get<JointNode>(node));
    std::optional<std::uint64_t> step;
    if (problem.totals) step = problem.totals->step;
    const std::size_t quantiles = problem.target.quantiles();
    const Rational cost = cost_a_rank(problem, pivot);
    const std::string key = fmt::format("{} {} {} {} {} {}", problem.rate.to_string(), quantiles,
                                        node->edge.has_value(), step.value_or(0), cost.to_string(), length);
    const auto at = alike_.find(key);
    if (at != alike_.end()) return at->second;
    const NodeErrors errors = node_errors(problem.rate, quantiles, node->edge, step);
    return alike_.emplace(key, errors.ranks(cost, failure, last_)).first->second;
  }

  NodeErrors node_errors(const Exponent& rate, std::size_t quantiles, const std::optional<Edge>& edge,
                         std::optional<std::uint64_t> step) const {
    constexpr std::int64_t steepest = 10'002;  // edge_scale is at least 1/10,000 of the open part
    return {rate, quantiles, splits_weight_, whole(edge ? steepest * steepest : 1), step, spread_};
  }

  /// With a fixed total, one rank too few below a pivot is one rank too many above it. With a selected total, one of the two may be
  /// absorbed by the total.
  static Rational cost_a_rank(const JointProblem& problem, std::size_t pivot) {
    if (!problem.totals) return 2;
    std::uint64_t below = 0;
    for (std::size_t j = 0; j <= pivot; ++j) below += problem.target.weights[j];
    const auto larger = std::max(below, problem.target.denominator - below);
    return {static_cast<std::int64_t>(problem.target.denominator), static_cast<std::int64_t>(larger)};
  }

  Calibration calibration_;
  RankProfile empty_;
  QuantileTree tree_;
  uint128 splits_weight_;
  Spread spread_;
  std::uint64_t last_ = 0;  // the last bound; those of other nodes are often near
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>, std::optional<std::uint64_t>>
      known_;
  std::map<std::string, std::optional<std::uint64_t>> alike_;  // many joint nodes have one law
};

}  // namespace

Ranks recursion_ranks(const QuantileQuery& query, const SelectQuantiles& selection, const Lattice& lattice,
                      std::uint64_t rows, const std::vector<std::size_t>& which, const Rational& failure) {
  RecursionErrors errors(query, selection, lattice, rows);
  Ranks ranks;
  ranks.reserve(which.size());
  for (const std::size_t i : which) ranks.push_back(errors.of(i, failure));
  return ranks;
}

/// Sorting draws increases no error beyond the largest one before.
Ranks independent_ranks(const QuantileQuery& query, const Lattice& lattice, const Rational& failure) {
  const IndependentQuantiles drawn{query.quantiles, independent_range(query), query.neighbors,
                                   query.records_per_person};
  const std::size_t m = query.quantiles.size();
  std::optional<Exponent> least;  // slope
  for (std::size_t i = 0; i < m; ++i) {
    const Exponent slope = drawn.rate(i) * Rational(QuantileFraction::of(query.quantiles[i]).denominator);
    if (!least || slope < *least) least = slope;
  }
  const Rational share = failure / Rational(m);
  return Ranks(m, candidate_ranks(least.value(), lattice.size(), Enclosure::of(share)));
}

namespace {

/// Lemma 5: twice the error of a node's sums on each level, plus one for the rounding of doubles while numbers are below 2^43.
Enclosure sum_error(std::uint64_t ranks, int height) {
  return whole(ranks - 1) / whole(2 * static_cast<uint128>(height));
}

/// The least number of ranks that the exponential moments at k/16 of the noise's rate give, k = 1 .. 15.
std::optional<std::uint64_t> laplace_ranks(const CountTreeShape& shape, const Exponent& rate, const Enclosure& log_sums,
                                           const Enclosure& log_failure) {
  const Rational branching(static_cast<std::int64_t>(shape.branching()));
  std::optional<std::uint64_t> least;
  for (std::int64_t k = 1; k < 16; ++k) {
    const Enclosure moment = Enclosure::of(branching) * Enclosure::of(Rational(256 - k * k, 256)).log();
    const Enclosure slope = Enclosure::of(rate * Rational(k, 16));
    const auto log_tail = [&](std::uint64_t r) { return log_sums - moment - slope * sum_error(r, shape.height()); };
    const std::optional<std::uint64_t> ranks = ranks_for(log_tail, log_failure, 1);
    if (ranks && (!least || *ranks < *least)) least = ranks;
  }
  return least;
}

std::optional<std::uint64_t> gaussian_ranks(const CountTreeShape& shape, const Rational& sigma_squared,
                                            const Enclosure& log_sums, const Enclosure& log_failure) {
  const Enclosure twice_variance = Enclosure::of(Rational(2) * sigma_squared * Rational(shape.branching()));
  const auto log_tail = [&](std::uint64_t r) {
    const Enclosure error = sum_error(r, shape.height());
    return log_sums - error * error / twice_variance;
  };
  return ranks_for(log_tail, log_failure, 1);
}

}  // namespace

std::optional<std::uint64_t> counted_ranks(const QuantileQuery& query, std::uint64_t candidates, std::uint64_t rows,
                                           const Rational& failure) {
  const CountTreeShape shape = count_tree_shape(candidates);
  if (!shape.tells_all_apart()) return {};
  const CountTreeNoise noise(query, shape.height());
  const Enclosure log_sums = whole(uint128{4} * shape.nodes()).log();
  const Enclosure log_failure = Enclosure::of(failure).log();
  std::optional<std::uint64_t> ranks = noise.measure() == Measure::pure
                                           ? laplace_ranks(shape, noise.rate(), log_sums, log_failure)
                                           : gaussian_ranks(shape, noise.sigma_squared(), log_sums, log_failure);
  if (ranks) *ranks += (rows + *ranks) >> 41;  // the rest of the rounding of doubles
  return ranks;
}

std::optional<std::uint64_t> finer_records(const QuantileQuery& query, const FindGranularity& stage, std::uint64_t rows,
                                           const Rational& failure) {
  const std::optional<std::uint64_t> excess =
      candidate_ranks(granularity_rate(preliminary_calibration(query)), stage.grids.size() + 1, Enclosure::of(failure));
  if (!excess) return {};
  const uint128 finer = (uint128{70} * rows + uint128{23} * *excess) / 230;
  return finer < rows ? static_cast<std::uint64_t>(finer) : rows;
}

}  // namespace fractile
