#include "quantiles/stages/count_tree.hpp"

#include <algorithm>

#include "fractile/error.hpp"

namespace fractile {

namespace {

constexpr std::uint64_t most_leaves = std::uint64_t{1} << 24;

/// base^power, or some number above `most_leaves` if the power exceeds it.
std::uint64_t leaves_of(std::uint64_t base, int power) {
  std::uint64_t result = 1;
  for (int i = 0; i < power && result <= most_leaves; ++i) result *= base;
  return result;
}

/// The place at which a part begins when `whole` is divided into parts that are as equal as possible; and below, the part that
/// holds a place.
std::uint64_t part_start(std::uint64_t part, std::uint64_t parts, std::uint64_t whole) {
  return static_cast<std::uint64_t>(uint128{part} * whole / parts);
}
std::uint64_t part_of(std::uint64_t place, std::uint64_t parts, std::uint64_t whole) {
  // The last part that starts at or before the place.
  return static_cast<std::uint64_t>(((uint128{place} + 1) * parts - 1) / whole);
}

}  // namespace

CountTreeShape::CountTreeShape(std::uint64_t candidates, std::size_t branching, int height)
    : candidates_(candidates), branching_(branching) {
  std::size_t size = std::min(candidates, leaves_of(branching, height));
  for (int level = height; level > 0; --level) {
    sizes_.insert(sizes_.begin(), size);
    size = (size + branching - 1) / branching;
  }
  sizes_.insert(sizes_.begin(), 1);
  starts_ = {0, 0};
  for (std::size_t level = 1; level < sizes_.size(); ++level) starts_.push_back(starts_.back() + sizes_[level]);
}

std::size_t CountTreeShape::first_child(int level, std::size_t node) const {
  return part_start(node, level_size(level), level_size(level + 1));
}

std::size_t CountTreeShape::parent(int level, std::size_t node) const {
  return part_of(node, level_size(level - 1), level_size(level));
}

std::size_t CountTreeShape::leaf_of(std::uint64_t candidate) const { return part_of(candidate, leaves(), candidates_); }

std::uint64_t CountTreeShape::leaf_start(std::size_t leaf) const { return part_start(leaf, leaves(), candidates_); }

CountTreeShape count_tree_shape(std::uint64_t candidates, std::size_t branching, int height) {
  if (branching < 2 || branching > most_leaves || height < 1 || leaves_of(branching, height) > most_leaves) {
    throw Error(ErrorCode::usage, "a tree has 2 branches or more, 1 level or more, and at most 2^24 leaves");
  }
  int levels = 1;
  while (levels < height && leaves_of(branching, levels) < candidates) ++levels;
  while (branching > 1 && leaves_of(branching - 1, levels) >= candidates) --branching;
  return {candidates, branching, levels};
}

namespace {

/// Adds every level's counts to the level above.
void add_upwards(std::vector<std::int64_t>& counts, const CountTreeShape& shape) {
  for (int level = shape.height(); level > 1; --level) {
    const std::size_t above = shape.level_start(level - 1);
    const std::size_t here = shape.level_start(level);
    for (std::size_t i = 0; i < shape.level_size(level); ++i) {
      counts[above + shape.parent(level, i)] += counts[here + i];
    }
  }
}

}  // namespace

std::vector<std::int64_t> node_counts(const RankProfile& profile, const CountTreeShape& shape) {
  std::vector<std::int64_t> counts(shape.nodes());
  const std::size_t leaves = shape.level_start(shape.height());
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const std::uint64_t candidate = std::min(profile.position(k) / 2, shape.candidates() - 1);
    counts[leaves + shape.leaf_of(candidate)] += static_cast<std::int64_t>(profile.count(k));
  }
  add_upwards(counts, shape);
  return counts;
}

std::vector<std::int64_t> noisy_counts(const RankProfile& profile, const CountTreeShape& shape,
                                       const CountTreeNoise& noise, PaidPart part) {
  std::vector<std::int64_t> counts = node_counts(profile, shape);
  std::vector<std::size_t> levels;
  for (int level = 1; level <= shape.height(); ++level) levels.push_back(shape.level_size(level));
  part.add_noise(noise, levels, counts);
  return counts;
}

namespace {

double sum_of(const double* first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += first[i];
  return sum;
}

/// The children of a level's node.
struct Children {
  std::size_t first;  // index among all nodes
  std::size_t count;
};

Children children_of(const CountTreeShape& shape, int level, std::size_t node) {
  const std::size_t first = shape.first_child(level, node);
  return {shape.level_start(level + 1) + first, shape.first_child(level, node + 1) - first};
}

/// Replaces every node's count by the best estimate from it and the counts below it. The count has variance 1, and the sum of the
/// children's estimates has its own variance; each is weighted by the other's variance. Returns the variances of the estimates.
std::vector<double> average_upwards(std::vector<double>& counts, const CountTreeShape& shape) {
  std::vector<double> variances(shape.nodes(), 1);
  for (int level = shape.height() - 1; level >= 1; --level) {
    for (std::size_t i = 0; i < shape.level_size(level); ++i) {
      const Children children = children_of(shape, level, i);
      const double below = sum_of(variances.data() + children.first, children.count);
      const double own_share = below / (1 + below);
      double& count = counts[shape.level_start(level) + i];
      count = own_share * count + (1 - own_share) * sum_of(counts.data() + children.first, children.count);
      variances[shape.level_start(level) + i] = own_share;
    }
  }
  return variances;
}

/// Distributes the difference between a node's count and its children's sum among the children, in proportion to their variances.
void share_downwards(std::vector<double>& counts, const std::vector<double>& variances, const CountTreeShape& shape) {
  for (int level = 1; level < shape.height(); ++level) {
    for (std::size_t i = 0; i < shape.level_size(level); ++i) {
      const Children children = children_of(shape, level, i);
      double* const first = counts.data() + children.first;
      const double* const variance = variances.data() + children.first;
      const double more = counts[shape.level_start(level) + i] - sum_of(first, children.count);
      const double each = more / sum_of(variance, children.count);
      for (std::size_t j = 0; j < children.count; ++j) first[j] += each * variance[j];
    }
  }
}

}  // namespace

std::vector<double> consistent_counts(const std::vector<std::int64_t>& noisy, const CountTreeShape& shape) {
  std::vector<double> counts(noisy.begin(), noisy.end());
  share_downwards(counts, average_upwards(counts, shape), shape);
  return counts;
}

namespace {

/// The increasing sequence nearest to `values` in least squares, by pooling adjacent violators.
void make_increasing(std::vector<double>& values) {
  struct Pool {
    double mean;
    std::size_t size;
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    Pool last{value, 1};
    while (!pools.empty() && pools.back().mean > last.mean) {
      const Pool before = pools.back();
      pools.pop_back();
      const std::size_t size = before.size + last.size;
      const double mean =
          before.mean + (last.mean - before.mean) * static_cast<double>(last.size) / static_cast<double>(size);
      last = {mean, size};
    }
    pools.push_back(last);
  }
  auto next = values.begin();
  for (const Pool& pool : pools) next = std::fill_n(next, pool.size, pool.mean);
}

/// 0, followed by the running sums of a node's children, made increasing and non-negative.
std::vector<double> running_sums(const double* children, std::size_t count) {
  std::vector<double> sums{0};
  for (std::size_t i = 0; i < count; ++i) sums.push_back(sums.back() + children[i]);
  const double total = std::max(0.0, sums.back());
  make_increasing(sums);
  for (double& sum : sums) sum = std::clamp(sum, 0.0, total);
  return sums;
}

/// A part, and a place in it.
struct Place {
  std::size_t part;
  double share;  // share of the part before the place, in [0, 1]
};

Place place_among_equals(std::size_t parts, double share) {
  const double whole = share * static_cast<double>(parts);
  const std::size_t part = std::min(static_cast<std::size_t>(whole), parts - 1);
  return {part, std::clamp(whole - static_cast<double>(part), 0.0, 1.0)};
}

/// The place of a share of the total among the parts between increasing sums: in the first part that ends beyond it, or at the end
/// of the last part that is not empty.
Place place_among(const std::vector<double>& sums, double share) {
  if (!(sums.back() > sums.front())) return place_among_equals(sums.size() - 1, share);
  const double target = sums.front() + share * (sums.back() - sums.front());
  auto end = std::ranges::upper_bound(sums, target);
  if (end == sums.end()) end = std::ranges::lower_bound(sums, sums.back());
  const double from = *(end - 1);
  return {static_cast<std::size_t>(end - sums.begin()) - 1, std::clamp((target - from) / (*end - from), 0.0, 1.0)};
}

std::uint64_t candidate_at(const CountTreeShape& shape, Place place) {
  const std::uint64_t start = shape.leaf_start(place.part);
  const std::uint64_t width = shape.leaf_start(place.part + 1) - start;
  const auto offset = static_cast<std::uint64_t>(place.share * static_cast<double>(width));
  return start + std::min(offset, width - 1);
}

}  // namespace

std::vector<std::uint64_t> quantiles_of_counts(const std::vector<double>& counts, const CountTreeShape& shape,
                                               const std::vector<Rational>& quantiles) {
  std::vector<std::uint64_t> result;
  for (const Rational& quantile : quantiles) {
    Place at{0, quantile.to_double()};
    for (int level = 0; level < shape.height(); ++level) {
      const Children children = children_of(shape, level, at.part);
      const Place below = place_among(running_sums(counts.data() + children.first, children.count), at.share);
      at = {shape.first_child(level, at.part) + below.part, below.share};
    }
    result.push_back(candidate_at(shape, at));
  }
  return result;
}

std::vector<std::uint64_t> sample_tree_quantiles(const RankProfile& profile, const std::vector<Rational>& quantiles,
                                                 const CountTreeShape& shape, const CountTreeNoise& noise,
                                                 PaidPart part) {
  const std::vector<double> counts = consistent_counts(noisy_counts(profile, shape, noise, part), shape);
  return quantiles_of_counts(counts, shape, quantiles);
}

}  // namespace fractile
