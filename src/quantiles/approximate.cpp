#include "quantiles/approximate.hpp"

#include "exact/majorant.hpp"

namespace fractile {

QuantileTree::QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles,
                           const Calibration& calibration, std::uint64_t subcells)
    : profile_(profile), quantiles_(quantiles), calibration_(calibration), subcells_(subcells) {}

QuantileNode QuantileTree::root() const { return {whole_span(profile_, subcells_), 0, quantiles_.size(), 0, 1, true}; }

QuantileFraction QuantileTree::alpha(const QuantileNode& node) const {
  return QuantileFraction::of((quantiles_[pivot(node)] - node.from) / (node.to - node.from));
}

std::vector<QuantileNode> QuantileTree::parts(const QuantileNode& node, Split split) const {
  const std::size_t middle = pivot(node);
  const std::uint64_t border = records_below(profile_, subcells_, split);
  std::vector<QuantileNode> result;
  if (middle > node.first) {
    result.push_back({{node.span.first_rank, border, node.span.lowest, split},
                      node.first,
                      middle,
                      node.from,
                      quantiles_[middle],
                      false});
  }
  if (middle + 1 < node.last) {
    result.push_back({{border, node.span.last_rank, split, node.span.highest},
                      middle + 1,
                      node.last,
                      quantiles_[middle],
                      node.to,
                      false});
  }
  return result;
}

namespace {

void sample_node(const QuantileTree& tree, const QuantileNode& node, RandomBits& bits, Filter filter,
                 std::vector<std::uint64_t>& result) {
  if (node.is_leaf()) {
    result[node.first] = select_member(tree.candidates(node), tree.rate(node), bits, filter);
    return;
  }
  const Split split = select_member(tree.splits(node), tree.rate(node), bits, filter);
  result[tree.pivot(node)] = tree.candidate_of(split);
  for (const QuantileNode& part : tree.parts(node, split)) sample_node(tree, part, bits, filter, result);
}

}  // namespace

std::vector<std::uint64_t> sample_quantiles(const QuantileTree& tree, std::size_t quantiles, RandomBits& bits,
                                            Filter filter) {
  std::vector<std::uint64_t> result(quantiles);
  sample_node(tree, tree.root(), bits, filter, result);
  return result;
}

}  // namespace fractile
