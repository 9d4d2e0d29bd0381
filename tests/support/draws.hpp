// Shared by tests: a part of a release with a budget that no test exhausts.
#pragma once

#include "quantiles/draws/draws.hpp"

namespace fractile::testing {

/// Random draws that pay what they cost, from a budget that is never exhausted.
class FreeDraws {
 public:
  explicit FreeDraws(RandomBits& bits, Filter filter = {}, Measure measure = Measure::pure)
      : source_(bits, filter), measure_(measure), odometer_(plenty(measure), {Neighbors::change_one, 1}) {}

  PaidPart part() {
    odometer_ = Odometer(plenty(measure_), {Neighbors::change_one, 1});
    return Draws(source_, odometer_).begin("a test", Share::whole(plenty(measure_)));
  }
  std::vector<PaidPart> parts(std::size_t levels) { return std::vector<PaidPart>(levels, part()); }

 private:
  static Budget plenty(Measure measure) {
    const Rational most = Rational(10).pow(400);
    return measure == Measure::zcdp ? Budget::zcdp(most) : Budget::pure(most);
  }

  RandomSource source_;
  Measure measure_;
  Odometer odometer_;  // belongs to the last part
};

}  // namespace fractile::testing
