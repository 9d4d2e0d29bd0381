// The draws of the participants' programs. Tests replace them by a source that enumerates all draws.
#pragma once

#include <cstdint>
#include <utility>

#include "exact/uncopied.hpp"
#include "flow/pipeline/noise.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

/// A quotient of polynomials in base, between 0 and 1; odds are base^root_degree.
struct Chance {
  Polynomial numerator;
  Polynomial denominator;
  std::int64_t root_degree = 1;
};

class AnswerDraws : Uncopied {
 public:
  virtual ~AnswerDraws() = default;

  /// True with this chance.
  virtual bool coin(const Chance& chance) = 0;
  /// Uniform on 0 .. n - 1.
  virtual std::uint64_t below(std::uint64_t n) = 0;
  /// An integer k with probability (1 - a) / (1 + a) a^|k|, a = 1 / odds, moved to the nearest of `low` <= 0 .. `high` >= 0: at
  /// odds = 1, where this law does not exist, its limit: each end with probability 1/2.
  virtual std::int64_t noise(std::int64_t low, std::int64_t high) = 0;
};

/// Draws from random bits, at one epsilon.
class RandomAnswers : public AnswerDraws {
 public:
  RandomAnswers(Exponent epsilon, RandomBits& bits) : epsilon_(std::move(epsilon)), bits_(bits) {}

  bool coin(const Chance& chance) override;
  std::uint64_t below(std::uint64_t n) override;
  std::int64_t noise(std::int64_t low, std::int64_t high) override;

 private:
  Exponent epsilon_;
  RandomBits& bits_;
};

/// Like the function in fractile/pipelines.hpp.
std::size_t perturbed(const Perturber& perturber, std::size_t value, AnswerDraws& draws);
std::string released(const Pipeline& pipeline, const std::vector<std::size_t>& secret, AnswerDraws& draws);

}  // namespace fractile::flow
