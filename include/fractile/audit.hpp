// Exact audits of every mechanism: enumerate all small tables and all their neighbours, compute the probability of every
// output as a certified enclosure, and certify or refute the claimed privacy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"

namespace fractile {

/// What to audit: all tables of at most `records` records of `values` values (change_one and scores of known size: of exactly
/// that many), and all pairs of neighbours.
struct AuditRequest {
  std::string mechanism;     ///< one of audited_mechanisms()
  int records = 4;           ///< 1..6
  std::uint64_t values = 4;  ///< 1..12
  Budget budget;             ///< what the mechanism is calibrated to cost
  Neighbors neighbors = Neighbors::add_remove;
  std::vector<Rational> quantiles =
      {};  ///< empty: the median, or two to five evenly spaced ones where several can be asked for
  std::optional<Budget> claim = {};  ///< what is to be certified, in the budget's measure; empty: the budget
};

struct AuditReport {
  bool holds;            ///< certified for every pair and output
  std::string claimed;   ///< decimal: epsilon (largest log ratio), or rho (largest Renyi divergence / order)
  std::string attained;  ///< decimal, certified digits
  std::string first;     ///< the pair of neighbours that attains it, "{0, 1, 1}"
  std::string second;
  std::uint64_t pairs;  ///< ordered pairs of neighbours tried
};

struct AuditedMechanism {
  std::string name;
  std::string description;
};

/// Every mechanism of the library.
std::vector<AuditedMechanism> audited_mechanisms();

/// Error(usage) for an unknown mechanism, sizes out of range, or a budget that the mechanism does not speak.
AuditReport audit(const AuditRequest& request);

}  // namespace fractile
