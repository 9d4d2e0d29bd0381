// Exact audits of every mechanism: enumerate all small tables and all their neighbors, compute the probability of every
// output as a certified enclosure, and certify or refute the claimed privacy.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/statistics.hpp"

namespace fractile {

/// What to audit: all tables of at most `records` records of `values` values (change_one and scores of known size: of exactly
/// that many), and all pairs of neighbors. Mechanisms of a release are audited by running the release with every draw in turn. The
/// sizes at which it takes further steps (docs/proofs/audit.md) are so small here that all steps run on such tables.
struct AuditRequest {
  std::string mechanism;     ///< one of audited_mechanisms()
  int records = 4;           ///< 1..6
  std::uint64_t values = 4;  ///< 1..12
  Budget budget;             ///< what the mechanism is calibrated to cost
  Neighbors neighbors = Neighbors::add_remove;
  std::vector<Rational> quantiles =
      {};  ///< empty: the median, or two to five evenly spaced ones where several can be asked for
  std::optional<Budget> claim = {};  ///< what is to be certified, in the budget's measure; empty: the budget
  // For mechanisms of a release:
  std::uint32_t records_per_person = 1;
  Base base = Base::by_mechanism;
  std::optional<std::uint64_t> expected_rows =
      {};  ///< with intervals, as how many records none are taken; any more count for 16 times as many
  std::optional<Lattice> lattice =
      {};               ///< `values` of its points are tried, evenly spread; empty: 0, 1, ..., values - 1
  bool groups = false;  ///< two groups with public keys, every record in either
  /// Bounds are found privately with `bounds_share` of the budget, among 0 and +-1, +-2, ..., +-2^doublings.
  std::optional<int> doublings = {};
  Rational bounds_share = Rational(1, 10);
  std::optional<IntervalRequest> intervals = {};  ///< with brackets and counts of their cells
  std::optional<StatisticsRequest> statistics = {};
};

struct AuditReport {
  bool holds;  ///< certified for every pair and output
  /// Decimal: epsilon (largest log ratio), rho (largest Renyi divergence / order), or delta (largest hockey-stick divergence).
  std::string claimed;
  std::string attained;  ///< decimal, certified digits
  std::string first;     ///< the pair of neighbors that attains it, "{0, 1, 1}"
  std::string second;
  std::uint64_t pairs;  ///< ordered pairs of neighbors tried
};

struct AuditedMechanism {
  std::string name;
  std::string description;
};

/// Every mechanism of the library.
std::vector<AuditedMechanism> audited_mechanisms();

/// Throws `usage` for an unknown mechanism, sizes out of range, or a budget in a measure that the mechanism does not support.
AuditReport audit(const AuditRequest& request);

}  // namespace fractile
