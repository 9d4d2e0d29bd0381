#include "flow/loss/loss_model.hpp"

#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "fractile/error.hpp"

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

RealBounds LossModel::loss_bounds(const Exponent& epsilon) const {
  return bounds_of(loss(odds_at(looked_at(pipeline().perturber, epsilon))));
}

bool LossModel::is_soon_exact(const Rational& odds) const {
  return visit([&](const auto& kind) { return kind.is_soon_exact(odds); });
}

Rational expected_loss(const Pipeline& pipeline, const Analyst& analyst, const Odds& odds) {
  const OwnEnvironment own;
  if (odds.value() < 1) throw Error(ErrorCode::usage, "odds, exp(epsilon), are at least 1");
  return LossModel(pipeline, analyst).exact_loss(odds.value());
}

RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon) {
  const OwnEnvironment own;
  return LossModel(pipeline, analyst).loss_bounds(epsilon);
}

}  // namespace fractile::flow
