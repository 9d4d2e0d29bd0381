// An analyst's expected loss from a release of a known table, at one epsilon.
// Proof: docs/proofs/choosing.md, "Releases"
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "exact/enclosure.hpp"
#include "fractile/planning.hpp"
#include "quantiles/release/attacker.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// One selection from a table: for each score, the total weight of the candidates that have it.
struct ScoreLaw {
  std::map<std::uint64_t, uint128> masses;
  Rational rate;  ///< the rate at this epsilon
  std::uint64_t denominator;
  friend bool operator==(const ScoreLaw&, const ScoreLaw&) = default;
};

/// The law of the release if it is the selection of one quantile and nothing before.
std::optional<ScoreLaw> only_law(QuantileQuery query, const Lattice& lattice, const KnownTable& table,
                                 const Rational& epsilon);

/// The expected loss against epsilon: the mean, with weights mass exp(-rate score), of a loss that never falls with the score.
class LossOfRelease {
 public:
  LossOfRelease(const ScoreLaw& law, Rational rate_of_one, const ReleaseAnalyst& analyst, std::uint64_t rows);

  double roughly(double epsilon) const;
  Enclosure at(const Rational& epsilon) const;

 private:
  Rational loss_of(std::uint64_t score) const;
  double rough_loss(std::uint64_t score) const;

  const ScoreLaw& law_;
  Rational rate_of_one_;
  ReleaseAnalyst analyst_;
  std::uint64_t rows_;
};

/// The table that is released, and the table with which a selection is compared.
struct PublicTable {
  KnownTable known;
  RankProfile profile;
};

/// A table of this many records that are spread as in the reference table.
PublicTable public_table(const RankProfile& reference, std::uint64_t rows);

/// An analyst's expected loss from a release of the table, whatever its stages draw. All arguments except the query must outlive
/// this object.
class LossAtEpsilon {
 public:
  LossAtEpsilon(QuantileQuery query, const Lattice& lattice, const PublicTable& table, const ReleaseAnalyst& analyst);

  /// Nothing where the release does more than one selection after its preliminary stages.
  std::optional<LossBounds> at(const Rational& epsilon) const;

 private:
  std::optional<Enclosure> loss_after(const QuantilePlan& plan, const PreliminaryOutcome& found) const;

  QuantileQuery query_;
  const Lattice& lattice_;
  const PublicTable& table_;
  const ReleaseAnalyst& analyst_;
};

}  // namespace fractile
