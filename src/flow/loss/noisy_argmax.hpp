// The highest of a histogram's perturbed bars, and an analyst who wants the highest true bar: without listing histograms
// (kronecker-utility 2023, sections 8 and 9.1).
// Proof: docs/proofs/noisy_argmax.md
#pragma once

#include <utility>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/loss/dense_loss.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The useful guesses after a shown bar. Each member is the probability that the shown bar is the first highest noisy bar and that
/// the first highest true bar is ... No other guess is better than the best of these.
struct Guesses {
  Enclosure first;  ///< ... bar 0; 0 for bar 0 itself
  Enclosure shown;  ///< ... the shown bar
  Enclosure next;   ///< ... the next bar; 0 for the last bar
};

/// The guesses by shown bar. Each probability has the error of GuessedMode::loss(), divided by the scale.
std::vector<Guesses> mode_guesses(const Pipeline& pipeline, const Enclosure& odds);

/// A histogram's mode is released, the analyst guesses it, and every histogram is equally likely.
class GuessedMode {
 public:
  static bool fits(const Pipeline& pipeline, const Analyst& analyst);
  GuessedMode(const Analyst& analyst, DenseLoss dense) : scale_(analyst.scale), dense_(std::move(dense)) {}

  const Pipeline& pipeline() const { return dense_.pipeline(); }
  /// For N participants and K values, the absolute error is at most some K^2 N 2^-140 times the scale, plus the effect of the odds'
  /// radius. The time is about N^3 K: seconds for 200 participants and 8 values.
  Enclosure loss(const Enclosure& odds) const;
  /// Computed from all histograms.
  Rational exact_loss(const Rational& odds) const { return dense_.exact_loss(odds); }
  bool is_soon_exact(const Rational& odds) const { return dense_.is_soon_exact(odds); }

 private:
  Rational scale_;
  DenseLoss dense_;
};

}  // namespace fractile::flow
