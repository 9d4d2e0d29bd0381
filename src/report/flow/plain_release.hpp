// Computes the law of a release of quantiles from the definitions of its mechanisms alone, to check certificates. Shares no code with
// release_law().
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

class PlainRelease {
 public:
  /// Returns nothing where a probability is not rational at these odds.
  static std::optional<PlainRelease> at(const flow::CentralMechanism& release, const Rational& odds);

  /// The probability of every tuple of candidates, for a table of this many records on each candidate.
  std::map<std::vector<std::size_t>, Rational> law(const std::vector<std::size_t>& table) const;
  /// For a release of one quantile: the weight of each candidate is base to the power of minus its exponent, where odds = base^degree().
  /// Returns nothing for several quantiles.
  std::optional<std::vector<std::int64_t>> exponents(const std::vector<std::size_t>& table) const;
  std::int64_t degree() const { return degree_; }
  /// The approximate number of products that law() takes.
  std::size_t work(std::size_t records, std::size_t candidates) const;

 private:
  /// A selection: the share of its records below its quantile, and whether it selects from all records.
  struct Selection {
    Rational share;
    bool is_whole;
  };
  /// Probabilities by candidate.
  using Law = std::map<std::size_t, Rational>;

  PlainRelease(const flow::CentralMechanism& release, const Rational& odds);
  Rational rate_of(const Selection& selection) const;
  std::int64_t exponent(const Rational& missed, const Selection& selection) const;
  Rational weight(const Rational& missed, const Selection& selection) const;
  /// The number of records by which a candidate misses the selection's quantile, as its mechanism scores it.
  Rational missed_by(const std::vector<std::size_t>& table, std::size_t candidate, const Selection& selection) const;
  Law candidates(const std::vector<std::size_t>& table, std::size_t from, std::size_t to,
                 const Selection& selection) const;

  flow::CentralMechanism release_;
  std::size_t middle_;  ///< which of the quantiles is decided first
  std::vector<Selection> selections_;
  std::int64_t degree_ = 1;  ///< odds = base^degree, and all weights are whole powers of base
  std::optional<Rational> base_;
};

}  // namespace fractile::report_detail
