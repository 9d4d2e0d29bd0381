// Laws with known quantiles, for the study of confidence intervals. Some have atoms, gaps, or mass at the ends of the lattice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/seeds.hpp"
#include "fractile/ranks.hpp"

namespace fractile::experiments {

/// A law on the lattice 0, 0.1, ..., 1000.
struct IntervalLaw {
  const char* name;
  const char* title;
  std::vector<double> (*masses)();  ///< one mass per candidate, up to a factor
};

std::span<const IntervalLaw> interval_laws();

/// The lattice of all these laws.
Lattice interval_lattice();

/// Draws tables of a law, and knows its quantiles.
class LawSource {
 public:
  explicit LawSource(const IntervalLaw& law);

  const IntervalLaw& law() const { return *law_; }
  /// A table of this many records, drawn independently.
  RankProfile table(std::uint64_t records, const Seed& seed) const;
  /// The least candidate k with P(X <= k) >= q, and the greatest with P(X < k) <= q. They differ if q lies on a gap.
  std::uint64_t lowest_quantile(double q) const;
  std::uint64_t highest_quantile(double q) const;
  /// How far q is from [P(X < k), P(X <= k)].
  double distance(std::uint64_t candidate, double q) const;
  /// "candidate,mass", and one line for each possible candidate, so that others can draw from the law.
  std::string to_csv() const;

 private:
  const IntervalLaw* law_;
  std::vector<double> up_to_;  // P(X <= k)
};

}  // namespace fractile::experiments
