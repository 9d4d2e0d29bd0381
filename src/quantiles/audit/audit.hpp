// Exact audits: enumerate all small tables and all their neighbors, compute every output's probability as an enclosure, and certify
// that no pair is further apart than claimed. A wrong claim is refuted with the same certainty.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/release.hpp"
#include "quantiles/audit/enumerated_draws.hpp"
#include "quantiles/stages/auto_policy.hpp"
#include "quantiles/stages/tree_law.hpp"

namespace fractile {

using OutputLaw = LawIn<Enclosure>;

/// One outcome of a release, with the counts that it publishes with noise. The published counts are known only through the law of
/// the noise.
struct ReleaseOutcome {
  Enclosure probability;
  std::vector<CountedNoise> noises = {};
};
struct ReleaseLaw : std::map<std::vector<std::uint64_t>, ReleaseOutcome> {
  ReleaseLaw() = default;
  /// The law of a release without noise on counts.
  ReleaseLaw(const OutputLaw& law) {  // NOLINT(google-explicit-constructor)
    for (const auto& [output, p] : law) emplace(output, ReleaseOutcome{p});
  }
};
/// From a table to the law of its release.
using AuditedLaw = std::function<ReleaseLaw(const RankProfile&)>;

/// The maximum over the outputs of ln(P / Q), plus the cost of noise on counts. Throws `internal` when an output of one law is not
/// an output of the other.
Enclosure max_log_ratio(const ReleaseLaw& p, const ReleaseLaw& q);

/// The policy with which `automatic` takes every possible step on tables of a few records. Two parts of a cell suffice for splits
/// inside ties, and three quantiles suffice to interpolate one.
AutoPolicy audit_policy();

/// The tables to try: all multisets of at most `records` records at the given positions of a lattice.
struct AuditTables {
  Lattice lattice;
  std::vector<Position> positions;
  int records;
  bool known_size = false;  ///< only tables of exactly that many records
};

/// What an audit found.
struct AuditResult {
  bool holds = true;     ///< every pair is certified to be within the claim
  bool refuted = false;  ///< some pair is certified to be beyond it; otherwise, enclosures may be too wide to decide
  /// The largest divergence found. Pure: the log ratio; zCDP: D_alpha / alpha, at most a thousandth too large; (epsilon, delta):
  /// the delta at that epsilon.
  Enclosure attained;
  std::string first;  ///< the tables where it is attained
  std::string second;
  std::uint64_t pairs = 0;  ///< ordered pairs of neighbors tried
};

/// Certifies ln(P / P') <= epsilon for all outputs and all ordered pairs at distance `distance` (records added and removed, or
/// changed) under `neighbors`. Noise on counts costs what the tails of its law attain.
AuditResult audit_pure(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors, const Exponent& epsilon,
                       int distance = 1);

/// Certifies the Renyi divergences of all orders alpha > 1: D_alpha <= rho alpha. The cost of noise on counts is added, bounded by
/// the largest such cost.
AuditResult audit_zcdp(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors, const Rational& rho,
                       int distance = 1);

/// Certifies the hockey-stick divergence: the sum over the outputs of max(0, P - e^epsilon P') is at most delta. Throws
/// `internal` for releases with noise on counts, which no (epsilon, delta) budget pays for.
AuditResult audit_approximate(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors,
                              const Exponent& epsilon, const Rational& delta, int distance = 1);

}  // namespace fractile
