// One seed drives a whole study: every sample and every mechanism's bits come from a seed derived by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace fractile::experiments {

/// A seed and the names from which it was derived. A derived seed depends only on its own names, so leaving out a set or a mechanism does
/// not change the others.
class Seed {
 public:
  explicit Seed(std::uint64_t value) : value_(value) {}
  Seed with(std::string_view name) const;
  Seed with(std::uint64_t number) const;
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

}  // namespace fractile::experiments
