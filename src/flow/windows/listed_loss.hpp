// A loss on a cell whose observations are listed one by one, each with its joint losses as polynomials.
// Proof: docs/proofs/windows_totals.md, "One by one"
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "flow/windows/local_loss.hpp"

namespace fractile::flow {

/// One observation: the actions among which a best one is, with their losses and slopes. Errors are included in the coefficients.
struct ListedObservation {
  std::vector<std::size_t> actions = {};
  std::vector<LocalPolynomial> losses = {};  ///< in the same order as the joint losses
  std::vector<LocalPolynomial> slopes = {};  ///< of the joint losses, minus a term that is the same for all actions
};

/// A joint loss by interpolation.
struct InterpolatedLoss {
  /// `values`: the polynomial through its values at the nodes. `modulus`: an upper bound of its modulus on the ellipse.
  InterpolatedLoss(const LocalPolynomial& values, const Enclosure& modulus);

  LocalPolynomial value;
  LocalPolynomial slope;
};

class ListedLoss final : public LocalLoss {
 public:
  /// `scale`: slopes that are much smaller are not examined. `baseline`: an action whose slopes are 0.
  ListedLoss(std::vector<ListedObservation> observations, const Enclosure& scale,
             std::optional<std::size_t> baseline = {});

  std::vector<OpenActions> observations() const override;
  std::size_t parting(std::size_t first, std::size_t last, const Places& places) const override;
  bool is_no_worse(std::size_t action, std::size_t other, std::size_t observation, const Places& places) override;
  std::optional<std::size_t> baseline() const override { return baseline_; }
  const FilteredPolynomial& slope(std::size_t first, std::size_t last, std::size_t action) override;
  bool is_negligible(std::size_t first, std::size_t last, const Places& places) override;
  const Enclosure& negligible_slope() const override { return negligible_slope_; }
  double flat_slope() const override { return flat_slope_; }

 private:
  /// An observation, and one or two of its actions.
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

  std::size_t index_of(std::size_t observation, std::size_t action) const;

  std::vector<ListedObservation> list_;
  std::optional<std::size_t> baseline_;
  Enclosure negligible_slope_;
  double flat_slope_;
  std::map<Key, FilteredPolynomial> differences_;
  std::map<std::pair<std::size_t, std::size_t>, FilteredPolynomial> slopes_;
  std::vector<std::optional<bool>> negligible_;  // by observation
};

}  // namespace fractile::flow
