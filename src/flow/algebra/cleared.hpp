// Rationals as integers over a common denominator: sums of them need no common divisors.
#pragma once

#include <vector>

#include "exact/flint.hpp"

namespace fractile::flow {

class Cleared {
 public:
  /// The number must outlive this object.
  void add(const Rational& number) {
    fmpz_lcm(denominator_.get(), denominator_.get(), fmpq_denref(flint_of(number)));
    numbers_.push_back(&number);
  }
  const Integer& denominator() const { return denominator_; }
  std::vector<Integer> numerators() const {
    std::vector<Integer> result(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i]->sign() == 0) continue;
      fmpz_divexact(result[i].get(), denominator_.get(), fmpq_denref(flint_of(*numbers_[i])));
      fmpz_mul(result[i].get(), result[i].get(), fmpq_numref(flint_of(*numbers_[i])));
    }
    return result;
  }

 private:
  Integer denominator_{1};
  std::vector<const Rational*> numbers_;
};

}  // namespace fractile::flow
