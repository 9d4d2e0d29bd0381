// One source, compiled for several instruction sets by Highway, which chooses one of these at the first call. All of them have the
// arithmetic of one value, operation for operation.
#include "libraries/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ranks/affine_filter.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <cstddef>
#include <limits>

#include "ranks/affine_filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool place_all(const AffineFilter& filter, std::span<const double> values, Position* positions) {
  const hn::ScalableTag<double> real;
  const hn::ScalableTag<Position> whole;
  const auto lower = hn::Set(real, filter.terms().lower);
  const auto per_step = hn::Set(real, filter.terms().per_step);
  const auto last = hn::Set(real, filter.terms().last);
  const auto error = hn::Set(real, filter.terms().error);
  const auto first_half_way = hn::Set(real, filter.terms().first_half_way);
  const auto half = hn::Set(real, 0.5);
  const auto to_wholes = hn::Set(real, AffineFilter::to_wholes);
  const auto uncertain = hn::Set(whole, AffineFilter::uncertain);
  auto all_certain = hn::Eq(uncertain, uncertain);
  std::size_t k = 0;
  for (; k + hn::Lanes(real) <= values.size(); k += hn::Lanes(real)) {
    auto index = hn::Mul(hn::Sub(hn::LoadU(real, values.data() + k), lower), per_step);
    index = hn::IfThenElse(hn::Lt(index, hn::Zero(real)), hn::Zero(real), index);
    index = hn::IfThenElse(hn::Gt(index, last), last, index);
    const auto shifted = hn::Add(index, to_wholes);
    const auto beyond = hn::Sub(index, hn::Sub(shifted, to_wholes));
    const auto distance = hn::Abs(beyond);
    const auto reach = hn::Add(error, hn::Mul(index, hn::Set(real, AffineFilter::relative_error)));
    const auto is_half_way = hn::And(hn::Eq(distance, half), hn::Ge(index, first_half_way));
    const auto certain = hn::RebindMask(whole, hn::Or(hn::Lt(hn::Add(distance, reach), half), is_half_way));
    const auto one_more = hn::IfThenElseZero(hn::RebindMask(whole, hn::Eq(beyond, half)), hn::Set(whole, 1));
    const auto nearest = hn::Add(hn::Sub(hn::BitCast(whole, shifted), hn::BitCast(whole, to_wholes)), one_more);
    const auto position = hn::Add(hn::ShiftLeft<1>(nearest), hn::Set(whole, 1));
    hn::StoreU(hn::IfThenElse(certain, position, uncertain), whole, positions + k);
    all_certain = hn::And(all_certain, certain);
  }
  bool any_uncertain = !hn::AllTrue(whole, all_certain);
  for (; k < values.size(); ++k) {
    positions[k] = filter(values[k]);
    any_uncertain |= positions[k] == AffineFilter::uncertain;
  }
  return any_uncertain;
}

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fractile {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// If it is, products with it are not rounded.
bool is_power_of_two(const Rational& step) {
  int exponent = 0;
  return Rational::from_double(step.to_double()) == step && std::frexp(step.to_double(), &exponent) == 0.5;
}

bool is_ordinary(double step, double lower, double upper) {
  return step > 0x1p-900 && step < 0x1p900 && std::abs(lower) < 0x1p1000 && std::abs(upper) < 0x1p1000;
}

}  // namespace

AffineFilter::AffineFilter(const Rational& lower, const Rational& upper, const Rational& step, std::uint64_t points)
    : terms_{lower.to_double(), (Rational(1) / step).to_double(), static_cast<double>(points - 1), 1, no_number} {
  if (!is_ordinary(step.to_double(), terms_.lower, upper.to_double())) return;
  if (lower.sign() == 0 && is_power_of_two(step)) terms_.first_half_way = 0.5;
  terms_.error = std::abs(terms_.lower) * terms_.per_step * 0x1p-52 + relative_error;
}

HWY_EXPORT(place_all);

bool AffineFilter::operator()(std::span<const double> values, Position* positions) const {
  return HWY_DYNAMIC_DISPATCH(place_all)(*this, values, positions);
}

}  // namespace fractile
#endif
