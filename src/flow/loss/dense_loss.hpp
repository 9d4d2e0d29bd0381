// The loss of any analyst and any pipeline, from all rows of the channel.
#pragma once

#include <memory>

#include "exact/enclosure.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Secrets, observations, prior and losses are listed once, at the first call from any thread: they may be many, and special kinds
/// of losses do not need them. Copies share them.
class DenseLoss {
 public:
  DenseLoss(const Pipeline& pipeline, const Analyst& analyst);

  const Pipeline& pipeline() const;
  const Outline& outline() const;
  const Prior& prior() const;
  const Loss& losses() const;

  Rational exact_loss(const Rational& odds) const;
  Enclosure loss(const Enclosure& odds) const;

  /// Whether the polynomials in odds are so short that their roots can be isolated and exact losses take seconds at most.
  bool has_short_polynomials() const;
  bool is_soon_exact(const Rational& /*odds*/) const { return has_short_polynomials(); }

 private:
  struct Lists;
  struct Problem;
  const Lists& lists() const;

  std::shared_ptr<Problem> problem_;
};

}  // namespace fractile::flow
