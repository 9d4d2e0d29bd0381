// A pipeline and an analyst, prepared once for computing the loss at all odds.
// Proofs: docs/proofs/target_loss.md, docs/proofs/noisy_argmax.md
#pragma once

#include <variant>

#include "exact/enclosure.hpp"
#include "flow/loss/dense_loss.hpp"
#include "flow/loss/noisy_argmax.hpp"
#include "flow/loss/target_total.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The only place that decides which kind of problem a pipeline and an analyst are. Several threads may use it at once.
class LossModel {
 public:
  /// Throws `usage` when the pipeline is not valid, or the analyst does not fit it.
  LossModel(const Pipeline& pipeline, const Analyst& analyst);

  const Pipeline& pipeline() const { return dense_.pipeline(); }
  /// The loss by all rows of the channel, for every kind.
  const DenseLoss& dense() const { return dense_; }

  /// The expected loss. Throws `usage` where it is not rational, or too long to be written down.
  Rational exact_loss(const Rational& odds) const;
  /// The same, enclosed; `odds` encloses a number >= 1.
  Enclosure loss(const Enclosure& odds) const;
  RealBounds loss_bounds(const Exponent& epsilon) const;
  /// Whether exact_loss() takes seconds at most.
  bool is_soon_exact(const Rational& odds) const;

  /// Calls visitor(kind), where kind is a TargetTotal, a GuessedMode or a DenseLoss.
  template <class Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, kind_);
  }

 private:
  using Kind = std::variant<TargetTotal, GuessedMode, DenseLoss>;
  static Kind kind_of(const Analyst& analyst, const DenseLoss& dense);

  DenseLoss dense_;
  Kind kind_;
};

}  // namespace fractile::flow
