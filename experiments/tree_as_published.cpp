#include "experiments/tree_as_published.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

namespace fractile::experiments {
namespace {

constexpr std::uint64_t branching = 16;
constexpr int height = 4;
constexpr std::uint64_t leaves = 65'536;  // branching^height
constexpr double delta = 1e-6;
constexpr double tolerance = 1e-6;  // the amount by which a cumulated share may fall short

/// Uniform on (0, 1].
double uniform(RandomBits& bits) { return static_cast<double>((bits.next64() >> 11) + 1) * 0x1p-53; }

double gaussian(RandomBits& bits) {
  const double radius = std::sqrt(-2 * std::log(uniform(bits)));
  return radius * std::cos(2 * std::numbers::pi * uniform(bits));
}

double laplace(RandomBits& bits) {
  const double magnitude = -std::log(uniform(bits));
  return bits.next64() % 2 == 0 ? magnitude : -magnitude;
}

double noise(const Budget& budget, RandomBits& bits) {
  if (budget.measure() == Measure::pure) {
    return std::sqrt(2 * std::log(1.32 / delta)) * height / budget.epsilon().to_double() * gaussian(bits);
  }
  return std::sqrt(height / (2 * budget.rho().to_double())) * laplace(bits);
}

/// A node, identified by its leaves.
struct Node {
  std::uint64_t first;
  std::uint64_t size;

  bool is_leaf() const { return size == 1; }
  Node child(std::uint64_t i) const { return {first + i * (size / branching), size / branching}; }
};

/// Noisy counts. Each is drawn when it is first asked for.
class NoisyTree {
 public:
  NoisyTree(const RankProfile& profile, const Budget& budget, RandomBits& bits)
      : profile_(profile), budget_(budget), bits_(bits) {}

  double count(const Node& node) {
    const auto known = counts_.find({node.first, node.size});
    if (known != counts_.end()) return known->second;
    const std::uint64_t records = below(node.first + node.size) - below(node.first);
    return counts_[{node.first, node.size}] = static_cast<double>(records) + noise(budget_, bits_);
  }

  std::array<double, branching> child_counts(const Node& node) {
    std::array<double, branching> counts{};
    for (std::uint64_t i = 0; i < branching; ++i) counts[i] = count(node.child(i));
    return counts;
  }

 private:
  /// The number of records to the left of the leaf's lower end. The last leaf includes the upper bound.
  std::uint64_t below(std::uint64_t leaf) const {
    if (leaf == leaves) return profile_.records();
    return profile_.below((leaf * (profile_.candidates() - 1) + leaves - 1) / leaves);
  }

  const RankProfile& profile_;
  const Budget& budget_;
  RandomBits& bits_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> counts_;  // by first leaf and size
};

/// A node, and the share of its records that lie below the quantile.
struct Place {
  Node node;
  double share;

  /// The place in the tree's range, from 0 to 1.
  double interpolated() const {
    return (static_cast<double>(node.first) + share * static_cast<double>(node.size)) / leaves;
  }
};

/// The first child whose cumulated share reaches the place's.
Place descended(const Place& place, const std::array<double, branching>& counts, double total) {
  double before = 0;
  std::uint64_t i = 0;
  while (i + 1 < branching && (before + counts[i]) / total < place.share - tolerance) before += counts[i++];
  return {place.node.child(i), std::min(1.0, (total * place.share - before) / counts[i])};
}

double quantile_of(NoisyTree& tree, double q) {
  Place place{{0, leaves}, q};
  while (!place.node.is_leaf()) {
    const std::array<double, branching> counts = tree.child_counts(place.node);
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (total <= 0) break;
    place = descended(place, counts, total);
  }
  return place.interpolated();
}

std::uint64_t nearest_candidate(double fraction, std::uint64_t candidates) {
  const auto last = static_cast<double>(candidates - 1);
  return static_cast<std::uint64_t>(std::clamp(std::round(fraction * last), 0.0, last));
}

}  // namespace

std::vector<std::uint64_t> tree_as_published(const RankProfile& profile, std::span<const QuantileFraction> quantiles,
                                             const Budget& budget, RandomBits& bits) {
  NoisyTree tree(profile, budget, bits);
  std::vector<std::uint64_t> result;
  for (const QuantileFraction& q : quantiles) {
    const double share = static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
    result.push_back(nearest_candidate(quantile_of(tree, share), profile.candidates()));
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace fractile::experiments
