// What an analyst loses in the mean by a release of a known table, at one epsilon.
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

/// One selection from a table: how much all candidates of a score weigh together.
struct ScoreLaw {
  std::map<std::uint64_t, uint128> masses;
  Rational rate;  ///< at this epsilon
  std::uint64_t denominator;
  friend bool operator==(const ScoreLaw&, const ScoreLaw&) = default;
};

/// When nothing is selected before, and one quantile is.
std::optional<ScoreLaw> only_law(QuantileQuery query, const Lattice& lattice, const KnownTable& table,
                                 const Rational& epsilon);

/// The expected loss against epsilon: the mean of a loss that never falls with the score, by weights mass exp(-rate score).
class LossOfRelease {
 public:
  LossOfRelease(const ScoreLaw& law, Rational rate_of_one, const ReleaseAnalyst& analyst, std::uint64_t rows);

  double roughly(double epsilon) const;
  Enclosure at(const Rational& epsilon) const;

 private:
  Rational loss_of(std::uint64_t score) const;
  double rough_loss(std::uint64_t score) const;
  Rational largest_loss() const;

  const ScoreLaw& law_;
  Rational rate_of_one_;
  ReleaseAnalyst analyst_;
  std::uint64_t rows_;
};

/// The table that is released, and the one with which a selection is compared.
struct PublicTable {
  KnownTable known;
  RankProfile profile;
};

/// This many records, spread as the reference's.
PublicTable public_table(const RankProfile& reference, std::uint64_t rows);

/// What an analyst loses in the mean by a release of the table, whatever its stages draw. What it is made of must stay, except for
/// the query.
class LossAtEpsilon {
 public:
  LossAtEpsilon(QuantileQuery query, const Lattice& lattice, const PublicTable& table, const ReleaseAnalyst& analyst);

  /// Nothing where more is done than one selection after what was found before.
  std::optional<LossBounds> at(const Rational& epsilon) const;

 private:
  Rational largest_loss() const;
  std::optional<Enclosure> loss_after(const QuantilePlan& plan, const PreliminaryOutcome& found) const;

  QuantileQuery query_;
  const Lattice& lattice_;
  const PublicTable& table_;
  const ReleaseAnalyst& analyst_;
};

}  // namespace fractile
