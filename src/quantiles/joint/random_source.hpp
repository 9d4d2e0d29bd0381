// Draws at random, for releases.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/random.hpp"
#include "fractile/selection.hpp"
#include "quantiles/draws/draws.hpp"

namespace fractile {

/// Draws from random bits.
class RandomSource : public DrawSource {
 public:
  explicit RandomSource(RandomBits& bits, Filter filter = {}) : bits_(bits), filter_(filter) {}

 private:
  std::uint64_t select(const Selection& selection, const PreparedRate& rate) override;
  std::vector<Split> select(const JointSplits& splits) override;
  void add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) override;
  std::size_t reached_borders(std::int64_t count, const CountTreeNoise& noise,
                              const std::vector<std::int64_t>& borders) override;

  RandomBits& bits_;
  Filter filter_;
};

}  // namespace fractile
