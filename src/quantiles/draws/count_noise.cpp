#include "quantiles/draws/count_noise.hpp"

#include <algorithm>

#include "fractile/error.hpp"

namespace fractile {

namespace {

using NoiseLaw = std::variant<DiscreteLaplace, DiscreteGaussian>;

NoiseLaw law_of(const CountTreeNoise& noise, Filter filter) {
  if (noise.measure() == Measure::pure) return NoiseLaw(std::in_place_type<DiscreteLaplace>, noise.rate(), filter);
  return NoiseLaw(std::in_place_type<DiscreteGaussian>, noise.sigma_squared(), filter);
}

}  // namespace

CountTreeNoise::CountTreeNoise(const QuantileQuery& query, int height)
    : measure_(query.budget.measure()),
      rate_(rate_for(query, height)),
      sigma_squared_(sigma_squared_for(query, height)) {
  law_of(*this, {});  // refuses what cannot be drawn
}

NoiseSampler::NoiseSampler(const CountTreeNoise& noise, Filter filter) : law_(law_of(noise, filter)) {}

std::int64_t NoiseSampler::noisy(std::int64_t count, RandomBits& bits) const {
  constexpr std::int64_t reach = DiscreteLaplace::limit / 2;
  const std::int64_t noise = std::visit([&bits](const auto& law) { return law(bits); }, law_);
  return std::clamp(count + noise, -reach, reach);
}

}  // namespace fractile
