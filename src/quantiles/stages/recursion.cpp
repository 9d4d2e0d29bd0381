#include "quantiles/stages/recursion.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include "exact/law.hpp"

namespace fractile {

RecursionShape RecursionShape::binary(std::size_t quantiles) {
  return {NodeKind::single, std::vector<std::size_t>(static_cast<std::size_t>(levels_for(quantiles)), 1)};
}

namespace {

/// The common denominator of `so_far` and the quantiles from index `first` on, in numbers of any size.
Rational common_denominator(const std::vector<Rational>& quantiles, std::size_t first, std::uint64_t so_far) {
  Rational common = so_far;
  for (std::size_t i = first; i < quantiles.size(); ++i) {
    common *= (common / quantiles[i].denominator()).denominator();
  }
  return common;
}

}  // namespace

Rational common_denominator(const std::vector<Rational>& quantiles) {
  std::uint64_t common = 1;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const Rational denominator = quantiles[i].denominator();
    const bool small = denominator.fits_uint64() && denominator.to_uint64() <= std::uint64_t{1} << 31;
    if (!small || common > std::uint64_t{1} << 31) return common_denominator(quantiles, i, common);
    common = std::lcm(common, denominator.to_uint64());
  }
  return common;
}

namespace {

std::vector<std::uint64_t> numerators_of(const std::vector<Rational>& quantiles, std::uint64_t denominator) {
  std::vector<std::uint64_t> result;
  for (const Rational& q : quantiles) {
    const std::uint64_t units = denominator / q.denominator().to_uint64();
    result.push_back(q.numerator().to_uint64() * units);
  }
  return result;
}

}  // namespace

RecursionTerms::RecursionTerms(std::uint64_t candidates, const std::vector<Rational>& of_quantiles,
                               RecursionShape of_shape, const Calibration& of_rates, std::uint64_t of_subcells)
    : denominator(common_denominator(of_quantiles).to_uint64()),
      quantiles(numerators_of(of_quantiles, denominator)),
      shape(std::move(of_shape)),
      calibration(of_rates),
      subcells(of_subcells),
      candidate_weights(0, candidates - 1, 1, {}, shape.numbers),
      weights_from_origin(0, candidates - 1, 1, {}, shape.numbers, shape.origin) {}

QuantileTree::QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles, RecursionShape shape,
                           const Calibration& calibration, std::uint64_t subcells)
    : QuantileTree(profile, std::make_shared<const RecursionTerms>(profile.candidates(), quantiles, std::move(shape),
                                                                   calibration, subcells)) {}

QuantileTree::QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles,
                           const Calibration& calibration, std::uint64_t subcells)
    : QuantileTree(profile, quantiles, RecursionShape::binary(quantiles.size()), calibration, subcells) {}

QuantileNode QuantileTree::root() const {
  return node_of({whole_span(profile_, subcells()), 0, quantiles().size(), 0, denominator(), 0});
}

QuantileNode QuantileTree::node_of(const Subproblem& node) const {
  if (node.quantiles() == 1 && !node.edge) return LeafNode{node};
  if (node.edge || shape().numbers.any() || width(node) > 1 || origin_at(node)) return JointNode{node};
  return SplitNode{node};
}

std::size_t QuantileTree::width(const Subproblem& node) const {
  const std::size_t quantiles = node.quantiles();
  const bool is_last = node.level + 1 >= shape().widths.size();
  return is_last && shape().kind != NodeKind::single ? quantiles : std::min(shape().widths[node.level], quantiles);
}

std::size_t QuantileTree::pivot(const Subproblem& node, std::size_t i, std::size_t count) const {
  if (node.level == 0 && !shape().first.empty()) return shape().first[i];
  return node.first + (i + 1) * (node.quantiles() + 1) / (count + 1) - 1;
}

std::vector<std::size_t> QuantileTree::pivots(const Subproblem& node) const {
  if (node.level == 0 && !shape().first.empty()) return shape().first;
  const std::size_t count = width(node);
  std::vector<std::size_t> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) result.push_back(pivot(node, i, count));
  return result;
}

QuantileFraction QuantileTree::alpha(const Subproblem& node) const {
  const std::uint64_t numerator = quantiles()[first_pivot(node)] - node.from;
  const std::uint64_t denominator = node.to - node.from;
  const std::uint64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

JointTarget QuantileTree::target(const JointNode& node) const {
  JointTarget target{{}, node.to - node.from};
  std::uint64_t passed = node.from;
  for (const std::size_t i : pivots(node)) {
    target.weights.push_back(quantiles()[i] - passed);
    passed = quantiles()[i];
  }
  target.weights.push_back(node.to - passed);
  return target;
}

/// joint_total: one record more or less changes one cell's term by at most 1, which is a range of 2; a replaced record changes two
/// terms. JointExp: the targets move as well, which gives 2 (1 - min w) in both cases. One quantile: the price of a single
/// selection, whose score is half of this cost, times the denominator.
SelectionPrice QuantileTree::joint_price(const JointNode& node, const JointTarget& target) const {
  Rational added = 2;
  Rational changed = 4;
  if (target.quantiles() == 1) {
    const QuantileFraction fraction = alpha(node);
    const Rational unit(2, fraction.denominator);
    added = unit * Rational(score_range(fraction, Neighbors::add_remove));
    changed = unit * Rational(score_range(fraction, Neighbors::change_one));
  } else if (shape().kind != NodeKind::joint_total) {
    const auto least = static_cast<std::int64_t>(*std::ranges::min_element(target.weights));
    const auto all = static_cast<std::int64_t>(target.denominator);
    added = Rational(4) * Rational(all - least, all);
  }
  const Exponent rate = emphasised(terms_->calibration.rate(added, changed, node.level == 0), node);
  return {std::min(rate, largest_joint_rate()), added, changed};
}

SelectionPrice QuantileTree::single_price(const Subproblem& node) const {
  const QuantileFraction fraction = alpha(node);
  return {rate(node), score_range(fraction, Neighbors::add_remove), score_range(fraction, Neighbors::change_one)};
}

namespace {

/// The step is about a third of the standard deviation of the totals; a finer step gains nothing.
TotalGrid total_grid(std::size_t quantiles, const Exponent& rate) {
  const double step = std::sqrt(2.0 * static_cast<double>(quantiles + 1)) / (3 * rate.to_double());
  return {static_cast<std::uint64_t>(std::clamp(step, 1.0, 0x1p31))};
}

}  // namespace

JointProblem QuantileTree::problem(const JointNode& node) const {
  JointTarget wanted = target(node);
  const Exponent rate = joint_price(node, wanted).rate;
  const std::size_t quantiles = wanted.quantiles();
  std::optional<TotalGrid> totals;
  if (quantiles > 1 && shape().kind == NodeKind::joint_total) totals = total_grid(quantiles, rate);
  return {profile_,
          node.span,
          subcells(),
          BaseMeasure(node.span.lowest, node.span.highest, subcells(), node.edge, shape().numbers, origin_at(node)),
          std::move(wanted),
          rate,
          totals};
}

namespace {

/// Half the width of the cell next to the open cell, scaled to the open cell's share, and at least 1/10,000 of the range. The
/// factor 1/2 was best on uniform and Gaussian data.
std::uint64_t edge_scale(Split between, std::uint64_t share, std::uint64_t open, std::uint64_t share_between) {
  const uint128 stretched = uint128{between} * share / 2 / share_between;
  const auto most = std::min<uint128>(stretched, Lattice::max_size);
  return std::max({static_cast<std::uint64_t>(most), open / 10'000, std::uint64_t{1}});
}

}  // namespace

std::optional<Edge> QuantileTree::edge_below(const Subproblem& node, std::span<const Split> splits) const {
  const bool is_last = splits.size() == 1;
  if (!shape().edges || node.from != 0 || (is_last && node.to == denominator())) return {};
  const std::uint64_t near = quantiles()[pivot(node, 0, splits.size())];
  const std::uint64_t far = is_last ? node.to : quantiles()[pivot(node, 1, splits.size())];
  const Split far_split = is_last ? node.span.highest : splits[1];
  return Edge{true, edge_scale(far_split - splits[0], near, splits[0] - node.span.lowest, far - near)};
}

std::optional<Edge> QuantileTree::edge_above(const Subproblem& node, std::span<const Split> splits) const {
  const bool is_first = splits.size() == 1;
  if (!shape().edges || node.to != denominator() || (is_first && node.from == 0)) return {};
  const std::size_t count = splits.size();
  const std::uint64_t near = quantiles()[pivot(node, count - 1, count)];
  const std::uint64_t far = is_first ? node.from : quantiles()[pivot(node, count - 2, count)];
  const Split far_split = is_first ? node.span.lowest : splits[splits.size() - 2];
  return Edge{false, edge_scale(splits.back() - far_split, denominator() - near, node.span.highest - splits.back(),
                                near - far)};
}

std::vector<QuantileNode> QuantileTree::parts(const Subproblem& node, std::span<const Split> splits) const {
  std::vector<QuantileNode> result;
  result.reserve(splits.size() + 1);
  Subproblem part{{node.span.first_rank, 0, node.span.lowest, 0}, node.first, 0, node.from, 0, node.level + 1};
  for (std::size_t i = 0; i <= splits.size(); ++i) {
    const bool is_last = i == splits.size();
    const std::size_t decided = is_last ? node.last : pivot(node, i, splits.size());
    part.last = decided;
    part.to = is_last ? node.to : quantiles()[decided];
    part.span.highest = is_last ? node.span.highest : splits[i];
    part.span.last_rank = is_last ? node.span.last_rank : records_below(profile_, subcells(), splits[i]);
    if (part.first < part.last) {
      part.edge = i == 0 ? edge_below(node, splits) : is_last ? edge_above(node, splits) : std::nullopt;
      result.push_back(node_of(part));
    }
    if (is_last) break;
    part.span.first_rank = part.span.last_rank;
    part.span.lowest = part.span.highest;
    part.first = decided + 1;
    part.from = part.to;
  }
  return result;
}

namespace {

/// When only candidates and records below matter for the rest, replaces each split by the first split with equally many records
/// below and the same candidate. Splits that begin a cell stay, since they touch one cell less.
std::vector<Split> first_alike(const QuantileTree& tree, const std::vector<QuantileNode>& parts,
                               std::vector<Split> splits, const RankProfile& profile, Wanted wanted) {
  if (!are_leaves(parts) || wanted == Wanted::splits) return splits;
  for (Split& split : splits) {
    const Split cell = tree.candidate_of(split) * tree.subcells();
    if (parts.empty()) split = cell;
    if (split == cell) continue;
    const std::uint64_t below = records_below(profile, tree.subcells(), split);
    while (split - 1 > cell && records_below(profile, tree.subcells(), split - 1) == below) --split;
  }
  return splits;
}

/// A joint node's splits.
class NodeSplits : public JointSplits {
 public:
  NodeSplits(const QuantileTree& tree, const JointNode& node, Wanted wanted)
      : tree_(tree), node_(node), problem_(tree.problem(node)), wanted_(wanted) {}
  const JointProblem& problem() const override { return problem_; }
  std::vector<Split> alike(std::vector<Split> splits) const override {
    return first_alike(tree_, tree_.parts(node_, splits), splits, problem_.profile, wanted_);
  }

 private:
  const QuantileTree& tree_;
  const JointNode& node_;
  JointProblem problem_;
  Wanted wanted_;
};

/// Units of one candidate each.
std::vector<Run> candidates_of_leaf(const QuantileTree& tree, const LeafNode& node) {
  const BaseMeasure& weights = tree.candidate_weights(node);
  std::vector<Run> result;
  for (const Run& run : runs_of(tree.candidates(node))) {
    for (std::uint64_t at = run.start; at < run.start + run.length;) {
      const std::uint64_t candidate = weights.holder(at);
      const auto next = static_cast<std::uint64_t>(weights.mass(0, candidate + 1));
      result.push_back({at, next - at, run.score});
      at = next;
    }
  }
  return result;
}

/// The runs of this thread, reused for all of its releases, since there may be many small ones.
ListedRuns& runs_of_thread() {
  thread_local ListedRuns runs;
  return runs;
}

class Sampler {
 public:
  Sampler(const QuantileTree& tree, std::vector<PaidPart> levels, Wanted wanted, std::vector<Split>& result)
      : tree_(tree), levels_(std::move(levels)), wanted_(wanted), result_(result) {}

  void sample(const QuantileNode& node) {
    std::visit([&](const auto& one) { draw(one); }, node);
  }

 private:
  PaidPart& paid(const Subproblem& node) { return levels_.at(node.level); }
  WeighedCandidates cursor(const LeafNode& node) const { return tree_.candidates(node); }
  SplitCursor cursor(const SplitNode& node) const { return tree_.splits(node); }

  void draw(const LeafNode& node) {
    const std::uint64_t unit = select(node, [&] { return candidates_of_leaf(tree_, node); });
    result_[node.first] =
        std::clamp(tree_.middle_of(tree_.candidate_weights(node).holder(unit)), node.span.lowest, node.span.highest);
  }

  void draw(const SplitNode& node) {
    const Split split = select(node, [&] { return runs_of_alike(node); });
    result_[tree_.first_pivot(node)] = split;
    draw_parts(node, std::span(&split, 1));
  }

  void draw(const JointNode& node) {
    const std::vector<Split> splits = paid(node).select_beside(NodeSplits(tree_, node, wanted_), tree_.price(node));
    const std::vector<std::size_t> decided = tree_.pivots(node);
    for (std::size_t i = 0; i < decided.size(); ++i) result_[decided[i]] = splits[i];
    draw_parts(node, splits);
  }

  void draw_parts(const Subproblem& node, std::span<const Split> splits) {
    for (const QuantileNode& part : tree_.parts(node, splits)) sample(part);
  }

  /// The splits; all splits that are alike form one run.
  std::vector<Run> runs_of_alike(const SplitNode& node) const {
    std::vector<Run> result;
    for (const Run& run : runs_of(tree_.splits(node))) {
      Split before = 0;
      for (Split at = run.start; at < run.start + run.length; ++at) {
        const Split first =
            first_alike(tree_, tree_.parts(node, std::span(&at, 1)), {at}, tree_.profile(), wanted_).front();
        if (at == run.start || first != before) result.push_back({at, 0, run.score});
        before = first;
        ++result.back().length;
      }
    }
    return result;
  }

  /// Passes runs one by one if there are few records, and otherwise a tile at a time.
  std::uint64_t select(const auto& node, const auto& outcomes) {
    if (node.span.records() < 128) {
      return paid(node).select_beside(ListedSelection(cursor(node), runs_, outcomes), rate_of(node));
    }
    return paid(node).select_beside(TileSelection(tree_.tiles(node), outcomes), rate_of(node));
  }

  /// Cached, since the nodes of a level have few different fractions.
  const PricedRate& rate_of(const auto& node) {
    const QuantileFraction alpha = tree_.alpha(node);
    const auto key = std::tuple(alpha.numerator, alpha.denominator, node.level);
    const auto at = rates_.find(key);
    if (at != rates_.end()) return at->second;
    return rates_.emplace(key, paid(node).priced(tree_.price(node))).first->second;
  }

  const QuantileTree& tree_;
  std::vector<PaidPart> levels_;
  Wanted wanted_;
  std::vector<Split>& result_;
  ListedRuns& runs_ = runs_of_thread();
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::size_t>, PricedRate> rates_;
};

}  // namespace

std::vector<Split> sample_splits(const QuantileTree& tree, std::size_t quantiles, std::vector<PaidPart> levels,
                                 Wanted wanted) {
  std::vector<Split> result(quantiles);
  Sampler(tree, std::move(levels), wanted, result).sample(tree.root());
  return result;
}

}  // namespace fractile
