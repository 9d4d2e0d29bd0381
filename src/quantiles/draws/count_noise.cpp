#include "quantiles/draws/count_noise.hpp"

#include <algorithm>

namespace fractile {

namespace {

/// The most counts that one neighboring change can move, each by 1.
Rational changed_counts(const QuantileQuery& query, int height) {
  return query.neighbors == Neighbors::add_remove ? height : 2 * height;
}

Exponent rate_for(const QuantileQuery& query, const Rational& moved) {
  if (query.budget.measure() != Measure::pure) return {};
  return query.budget.epsilon() / (moved * Rational(query.records_per_person));
}

Rational sigma_squared_for(const QuantileQuery& query, const Rational& moved_squared) {
  if (query.budget.measure() != Measure::zcdp) return {};
  const Rational persons(query.records_per_person);
  return moved_squared * persons * persons / (Rational(2) * query.budget.rho());
}

}  // namespace

CountTreeNoise::CountTreeNoise(const QuantileQuery& query, const Rational& most_moved, const Rational& most_squared)
    : measure_(query.budget.measure()),
      rate_(rate_for(query, most_moved)),
      sigma_squared_(sigma_squared_for(query, most_squared)),
      law_(measure_ == Measure::pure
               ? std::make_shared<const Law>(std::in_place_type<DiscreteLaplace>, rate_)
               : std::make_shared<const Law>(std::in_place_type<DiscreteGaussian>, sigma_squared_)) {}

CountTreeNoise::CountTreeNoise(const QuantileQuery& query, int height)
    : CountTreeNoise(query, changed_counts(query, height), changed_counts(query, height)) {}

CountTreeNoise CountTreeNoise::of_all_records(QuantileQuery query) {
  query.neighbors = Neighbors::add_remove;
  return {query, 1};
}

CountTreeNoise CountTreeNoise::of_sum(const QuantileQuery& query, const Rational& most) {
  const Rational changed = Rational(2) * most;
  const Rational& moved = query.neighbors == Neighbors::add_remove ? most : changed;
  CountTreeNoise noise(query, moved, moved * moved);
  noise.added_ = most;
  noise.changed_ = changed;
  return noise;
}

std::int64_t CountTreeNoise::noisy(std::int64_t count, RandomBits& bits, Filter filter) const {
  constexpr std::int64_t reach = DiscreteLaplace::limit / 2;
  const std::int64_t noise = std::visit([&](const auto& law) { return law(bits, filter); }, *law_);
  return std::clamp(count + noise, -reach, reach);
}

}  // namespace fractile
