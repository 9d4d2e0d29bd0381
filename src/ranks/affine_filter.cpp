#include "ranks/affine_filter.hpp"

#include <cmath>
#include <cstddef>

#include "exact/instruction_sets.hpp"

namespace fractile {
namespace {

constexpr Position most = Lattice::max_size * 2 - 1;  // no position but `uncertain` has a bit above

bool is_ordinary(double step, double lower, double upper) {
  return step > 0x1p-900 && step < 0x1p900 && std::abs(lower) < 0x1p1000 && std::abs(upper) < 0x1p1000;
}

}  // namespace

AffineFilter::AffineFilter(const Rational& lower, const Rational& upper, const Rational& step, std::uint64_t points)
    : lower_(lower.to_double()), per_step_((Rational(1) / step).to_double()), last_(static_cast<double>(points - 1)) {
  if (!is_ordinary(step.to_double(), lower_, upper.to_double())) return;
  error_ = std::abs(lower_) * per_step_ * 0x1p-52 + relative_error;
}

Position AffineFilter::operator()(double value) const { return place(value); }

FRACTILE_INSTRUCTION_SETS
bool AffineFilter::operator()(std::span<const double> values, Position* positions) const {
  const AffineFilter filter = *this;
  Position all = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    positions[i] = filter.place(values[i]);
    all |= positions[i];
  }
  return (all & ~most) != 0;
}

}  // namespace fractile
