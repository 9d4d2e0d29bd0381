#include "flow/windows/listed_loss.hpp"

#include <algorithm>
#include <utility>

#include "exact/lists.hpp"

namespace fractile::flow {
namespace {

constexpr double flat_share = 0x1p-58;        // of the scale
constexpr double negligible_share = 0x1p-70;  // likewise, for everything that is left out

}  // namespace

InterpolatedLoss::InterpolatedLoss(const LocalPolynomial& values, const Enclosure& modulus)
    : value(values.within(Interpolation::value_error(modulus))),
      slope(values.derivative().within(Interpolation::slope_error(modulus))) {}

namespace {

/// An upper bound of the errors of an observation's slopes.
double error_of(const ListedObservation& observation) {
  double largest = 0;
  for (const LocalPolynomial& slope : observation.slopes) largest = std::max(largest, slope.error());
  return largest;
}

}  // namespace

ListedLoss::ListedLoss(std::vector<ListedObservation> observations, const Enclosure& scale,
                       std::optional<std::size_t> baseline)
    : list_(std::move(observations)), baseline_(baseline), negligible_(list_.size()) {
  double all = 0;
  double largest = 0;
  for (const ListedObservation& observation : list_) {
    all += error_of(observation);
    largest = std::max(largest, error_of(observation));
  }
  const double unit = scale.lower_double();
  flat_slope_ = std::max(unit * flat_share, 8 * all);
  const double negligible = unit * negligible_share / static_cast<double>(list_.size());
  negligible_slope_ = Enclosure::of_double(std::max(negligible, 2 * largest));
}

std::vector<OpenActions> ListedLoss::observations() const {
  return tabulated(list_.size(), [&](std::size_t y) { return OpenActions{y, y, list_[y].actions}; });
}

std::size_t ListedLoss::parting(std::size_t first, std::size_t /*last*/, const Places& /*places*/) const {
  return first;
}

std::size_t ListedLoss::index_of(std::size_t observation, std::size_t action) const {
  const std::vector<std::size_t>& actions = list_[observation].actions;
  return static_cast<std::size_t>(std::ranges::find(actions, action) - actions.begin());
}

bool ListedLoss::is_no_worse(std::size_t action, std::size_t other, std::size_t observation, const Places& places) {
  const auto [place, is_new] = differences_.try_emplace({observation, action, other});
  if (is_new) {
    const ListedObservation& here = list_[observation];
    place->second =
        FilteredPolynomial(here.losses[index_of(observation, action)] - here.losses[index_of(observation, other)]);
  }
  return place->second.is_at_most(0, places);
}

const FilteredPolynomial& ListedLoss::slope(std::size_t first, std::size_t /*last*/, std::size_t action) {
  const auto [place, is_new] = slopes_.try_emplace({first, action});
  if (is_new) place->second = FilteredPolynomial(list_[first].slopes[index_of(first, action)]);
  return place->second;
}

bool ListedLoss::is_negligible(std::size_t first, std::size_t last, const Places& /*places*/) {
  std::optional<bool>& known = negligible_[first];
  if (!known) {
    const double most = negligible_slope_.lower_double();
    known = std::ranges::all_of(list_[first].actions, [&](std::size_t action) {
      const Enclosure everywhere = slope(first, last, action).over({-1, 1});
      return everywhere.upper_double() <= most && everywhere.lower_double() >= -most;
    });
  }
  return *known;
}

}  // namespace fractile::flow
