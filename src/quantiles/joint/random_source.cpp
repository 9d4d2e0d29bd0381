#include "quantiles/joint/random_source.hpp"

#include <algorithm>

#include "quantiles/draws/count_noise.hpp"
#include "quantiles/joint/joint.hpp"

namespace fractile {

std::uint64_t RandomSource::select(const Selection& selection, const PreparedRate& rate) {
  return selection.draw(rate, bits_, filter_);
}

std::vector<Split> RandomSource::select(const JointSplits& splits) {
  return JointSelection(splits.problem()).draw(bits_, filter_).splits;
}

void RandomSource::add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) {
  const NoiseSampler sampler(noise, filter_);
  for (std::int64_t& count : counts) count = sampler.noisy(count, bits_);
}

std::size_t RandomSource::reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                          const std::vector<std::int64_t>& borders) {
  const std::int64_t noisy = NoiseSampler(noise, filter_).noisy(count, bits_);
  return static_cast<std::size_t>(std::ranges::upper_bound(borders, noisy) - borders.begin());
}

}  // namespace fractile
