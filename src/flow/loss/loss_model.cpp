#include "flow/loss/loss_model.hpp"

#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"

namespace fractile::flow {
namespace {

const Pipeline& validated(const Pipeline& pipeline) {
  pipeline.validate();
  return pipeline;
}

}  // namespace

LossModel::LossModel(const Pipeline& pipeline, const Analyst& analyst)
    : dense_(validated(pipeline), analyst), kind_(kind_of(analyst, dense_)) {}

LossModel::Kind LossModel::kind_of(const Analyst& analyst, const DenseLoss& dense) {
  const Pipeline& pipeline = dense.pipeline();
  if (TargetTotal::fits(pipeline)) return TargetTotal(pipeline, analyst);
  if (GuessedMode::fits(pipeline, analyst)) return GuessedMode(analyst, dense);
  return dense;
}

Rational LossModel::exact_loss(const Rational& odds) const {
  return visit([&](const auto& kind) { return kind.exact_loss(odds); });
}

Enclosure LossModel::loss(const Enclosure& odds) const {
  return visit([&](const auto& kind) { return kind.loss(odds); });
}

RealBounds LossModel::loss_bounds(const Exponent& any_epsilon) const {
  const Exponent epsilon = pipeline().perturber.depends_on_epsilon() ? any_epsilon : Exponent();  // 0: all is rational
  const Enclosure odds = epsilon.has_rational_exponential() ? Enclosure::of(epsilon.exponential(), enclosure_bits)
                                                            : Enclosure::of(epsilon, enclosure_bits).exp();
  return bounds_of(loss(odds));
}

bool LossModel::is_soon_exact(const Rational& odds) const {
  return visit([&](const auto& kind) { return kind.is_soon_exact(odds); });
}

Rational expected_loss(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  return LossModel(pipeline, analyst).exact_loss(odds);
}

RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon) {
  const OwnEnvironment own;
  return LossModel(pipeline, analyst).loss_bounds(epsilon);
}

}  // namespace fractile::flow
