#include "flow/listed_loss.hpp"

#include <algorithm>
#include <utility>

namespace fractile::flow {
namespace {

constexpr double flat_share = 0x1p-58;  // of the largest loss

}  // namespace

ListedLoss::ListedLoss(std::vector<ListedObservation> observations, const Enclosure& modulus,
                       const Enclosure& largest_loss)
    : list_(std::move(observations)),
      difference_error_(Interpolation::value_error(modulus + modulus).upper_double()),
      slope_error_(Interpolation::slope_error(modulus)),
      flat_slope_(largest_loss.lower_double() * flat_share),
      negligible_(list_.size()) {
  arb_mul_2exp_si(negligible_slope_.arb(), largest_loss.arb(), -70);  // all together: less than what is looked into
  arb_max(negligible_slope_.arb(), negligible_slope_.arb(), slope_error_.arb(), chebyshev_bits);
  arb_div_ui(negligible_slope_.arb(), negligible_slope_.arb(), list_.size(), chebyshev_bits);
}

std::vector<OpenActions> ListedLoss::observations() const {
  std::vector<OpenActions> all;
  all.reserve(list_.size());
  for (std::size_t y = 0; y < list_.size(); ++y) all.push_back({y, y, list_[y].actions});
  return all;
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
    const std::vector<LocalPolynomial>& compared = here.compared.empty() ? here.losses : here.compared;
    place->second =
        FilteredPolynomial(compared[index_of(observation, action)] - compared[index_of(observation, other)]);
  }
  return place->second.is_at_most(-difference_error_, places);
}

const FilteredPolynomial& ListedLoss::slope(std::size_t first, std::size_t /*last*/, std::size_t action) {
  const auto [place, is_new] = slopes_.try_emplace({first, action});
  if (is_new) place->second = FilteredPolynomial(list_[first].losses[index_of(first, action)].derivative());
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
