// A source of draws that makes a release take every possible course, one after the other, with the exact probability of each. So
// the audited law is that of the shipped code.
// Proof: docs/proofs/audit.md
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "exact/enclosure.hpp"
#include "quantiles/draws/draws.hpp"

namespace fractile {

/// Counts to which noise was added, and the law of the noise. Neighbors' published counts are never further apart than these counts
/// are.
struct CountedNoise {
  NoisePrice price;
  std::vector<std::int64_t> counts;

  friend bool operator==(const CountedNoise& a, const CountedNoise& b) {
    return a.price.rate == b.price.rate && a.price.sigma_squared == b.price.sigma_squared && a.counts == b.counts;
  }
};

class EnumeratedDraws : public DrawSource {
 public:
  /// Calls `release` once for every sequence of draws. After each call, calls `visit` with the sequence's probability and the
  /// counts that were published with noise; this noise is not drawn. After equal draws, `release` must ask for the same draw.
  void run(const std::function<void()>& release,
           const std::function<void(const Enclosure&, const std::vector<CountedNoise>&)>& visit);

 private:
  using Option = std::pair<std::vector<std::uint64_t>, Enclosure>;
  struct Step {
    std::vector<Option> options;
    std::size_t taken;
    Enclosure probability;  // of the course so far, including this step
  };

  std::uint64_t select(const Selection& selection, const PreparedRate& rate) override;
  std::vector<Split> select(const JointSplits& splits) override;
  void add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) override;
  std::size_t reached_borders(std::int64_t count, const CountTreeNoise& noise,
                              const std::vector<std::int64_t>& borders) override;

  const std::vector<std::uint64_t>& next(const std::function<std::vector<Option>()>& options);
  void take(std::size_t step, std::size_t option);
  bool advance();

  std::vector<Step> way_;
  std::size_t at_ = 0;
  std::vector<CountedNoise> noises_;
};

}  // namespace fractile
