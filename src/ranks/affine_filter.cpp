// One source, compiled for several instruction sets by Highway, which chooses one of these at the first call. All of them have the
// arithmetic of one value, operation for operation.
#include "libraries/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ranks/affine_filter.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <cstddef>

#include "ranks/affine_filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Real = hn::ScalableTag<double>;
using Whole = hn::ScalableTag<Position>;
using Reals = hn::Vec<Real>;
using Positions = hn::Vec<Whole>;
using Certain = hn::Mask<Whole>;

/// NaN stays NaN.
Reals clamped(Reals index, Reals last) {
  const Real real;
  index = hn::IfThenElse(hn::Lt(index, hn::Zero(real)), hn::Zero(real), index);
  return hn::IfThenElse(hn::Gt(index, last), last, index);
}

/// 2 k + 1 of a whole k that `to_wholes` was added to.
Positions twice_and_one(Reals shifted) {
  const Whole whole;
  const auto twice = hn::ShiftLeft<1>(hn::BitCast(whole, shifted));
  return hn::Sub(twice, hn::Set(whole, 2 * AffineFilter::bits_of_to_wholes - 1));
}

struct PlaceRounded {
  Positions operator()(Reals values, Certain& certain) const {
    const Real real;
    const auto to_wholes = hn::Set(real, AffineFilter::to_wholes);
    const auto steps = hn::Mul(hn::Sub(values, hn::Set(real, terms.lower)), hn::Set(real, terms.per_step));
    const auto index = clamped(steps, hn::Set(real, terms.last));
    const auto shifted = hn::Add(index, to_wholes);
    const auto distance = hn::Abs(hn::Sub(index, hn::Sub(shifted, to_wholes)));
    const auto relative = hn::Mul(index, hn::Set(real, AffineFilter::relative_error));
    const auto reach = hn::Add(hn::Set(real, terms.error), relative);
    certain = hn::RebindMask(Whole(), hn::Lt(hn::Add(distance, reach), hn::Set(real, 0.5)));
    return twice_and_one(shifted);
  }

  const AffineFilter::Terms& terms;
};

struct PlaceUnrounded {
  Positions operator()(Reals values, Certain& certain) const {
    const Real real;
    const Whole whole;
    const auto halves = clamped(hn::Mul(values, hn::Set(real, 2 * terms.per_step)), hn::Set(real, 2 * terms.last));
    const auto shifted = hn::BitCast(whole, hn::Add(hn::Floor(halves), hn::Set(real, AffineFilter::to_wholes)));
    const auto one_more = hn::Sub(shifted, hn::Set(whole, AffineFilter::bits_of_to_wholes - 1));
    certain = hn::RebindMask(whole, hn::Eq(values, values));
    return hn::Or(one_more, hn::Set(whole, 1));
  }

  const AffineFilter::Terms& terms;
};

template <class Place>
bool place_with(Place place, const AffineFilter& filter, std::span<const double> values, Position* positions) {
  const Real real;
  const Whole whole;
  const auto uncertain = hn::Set(whole, AffineFilter::uncertain);
  auto all_certain = hn::Eq(uncertain, uncertain);
  std::size_t k = 0;
  for (; k + hn::Lanes(real) <= values.size(); k += hn::Lanes(real)) {
    auto certain = all_certain;
    const auto placed = place(hn::LoadU(real, values.data() + k), certain);
    hn::StoreU(hn::IfThenElse(certain, placed, uncertain), whole, positions + k);
    all_certain = hn::And(all_certain, certain);
  }
  bool any_uncertain = !hn::AllTrue(whole, all_certain);
  for (; k < values.size(); ++k) {
    positions[k] = filter(values[k]);
    any_uncertain |= positions[k] == AffineFilter::uncertain;
  }
  return any_uncertain;
}

bool place_all(const AffineFilter& filter, std::span<const double> values, Position* positions) {
  const AffineFilter::Terms& terms = filter.terms();
  return terms.is_unrounded ? place_with(PlaceUnrounded{terms}, filter, values, positions)
                            : place_with(PlaceRounded{terms}, filter, values, positions);
}

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fractile {
namespace {

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
    : terms_{lower.to_double(), (Rational(1) / step).to_double(), static_cast<double>(points - 1), 1, false} {
  if (!is_ordinary(step.to_double(), terms_.lower, upper.to_double())) return;
  terms_.is_unrounded = lower.sign() == 0 && is_power_of_two(step) && points <= std::uint64_t{1} << 50;
  terms_.error = std::abs(terms_.lower) * terms_.per_step * 0x1p-52 + relative_error;
}

HWY_EXPORT(place_all);

bool AffineFilter::operator()(std::span<const double> values, Position* positions) const {
  return HWY_DYNAMIC_DISPATCH(place_all)(*this, values, positions);
}

}  // namespace fractile
#endif
