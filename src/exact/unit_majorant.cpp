// One source, compiled for several instruction sets (Highway) and chosen when it first runs. The arithmetic is UnitMajorant's,
// operation for operation, in all of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact/unit_majorant.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <algorithm>

#include "exact/unit_majorant.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wholes = hn::ScalableTag<std::uint64_t>;
using Reals = hn::ScalableTag<double>;

/// UnitMajorant::to_double; where one instruction does it, that rounds once as well.
template <class V>
HWY_INLINE auto to_double(V values) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::ConvertTo(Reals(), values);
#else
  const Wholes d;
  const auto high = hn::Or(hn::ShiftRight<32>(values), hn::Set(d, UnitMajorant::high_bits));
  const auto low = hn::Or(hn::And(values, hn::Set(d, 0xffffffff)), hn::Set(d, UnitMajorant::low_bits));
  const auto above = hn::Sub(hn::BitCast(Reals(), high), hn::Set(Reals(), UnitMajorant::both_zero));
  return hn::Add(above, hn::BitCast(Reals(), low));
#endif
}

/// Less than each mass by UnitMajorant::offset.
template <class V, class R>
HWY_INLINE V sum_bits(V gaps, R grid) {
  const Reals real;
  const Wholes whole;
  const auto clamped = hn::Min(hn::Mul(to_double(gaps), grid), hn::Set(real, UnitMajorant::last));
  const auto nearest = hn::BitCast(whole, hn::Add(clamped, hn::Set(real, UnitMajorant::shift)));
  const auto chord = hn::BitCast(real, hn::Sub(hn::Set(whole, UnitMajorant::top), hn::ShiftLeft<20>(nearest)));
  return hn::BitCast(whole, hn::Add(hn::Set(real, 1.0), chord));
}

/// Scores as gaps, a vector at a time.
class Gaps {
 public:
  Gaps(std::span<const std::uint64_t> scores, std::uint64_t flip, std::uint64_t best)
      : scores_(scores.data()), flip_(flip), best_(best) {}
  auto vector(std::size_t k) const {
    const Wholes d;
    return hn::Sub(hn::Xor(hn::LoadU(d, scores_ + k), hn::Set(d, flip_)), hn::Set(d, best_));
  }
  std::uint64_t one(std::size_t k) const { return (scores_[k] ^ flip_) - best_; }

 private:
  const std::uint64_t* scores_;
  std::uint64_t flip_;
  std::uint64_t best_;
};

std::uint64_t least_of(std::span<const std::uint64_t> scores, std::uint64_t flip) {
  const Wholes d;
  const std::size_t lanes = hn::Lanes(d);
  const Gaps flipped(scores, flip, 0);
  std::uint64_t least = ~std::uint64_t{0};
  std::size_t k = 0;
  if (scores.size() >= lanes) {
    auto even = flipped.vector(0);
    auto odd = even;
    for (; k + 2 * lanes <= scores.size(); k += 2 * lanes) {
      even = hn::Min(even, flipped.vector(k));
      odd = hn::Min(odd, flipped.vector(k + lanes));
    }
    // The last vector may overlap what was seen.
    if (k + lanes < scores.size()) odd = hn::Min(odd, flipped.vector(k));
    even = hn::Min(even, flipped.vector(scores.size() - lanes));
    return hn::GetLane(hn::MinOfLanes(d, hn::Min(even, odd)));
  }
  for (; k < scores.size(); ++k) least = std::min(least, flipped.one(k));
  return least;
}

std::uint64_t mass_of(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                      std::uint64_t best) {
  const Wholes d;
  const std::size_t lanes = hn::Lanes(d);
  const Gaps gaps(scores, flip, best);
  const auto grid = hn::Set(Reals(), majorant.grid());
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  std::size_t k = 0;
  for (; k + 2 * lanes <= scores.size(); k += 2 * lanes) {
    even = hn::Add(even, sum_bits(gaps.vector(k), grid));
    odd = hn::Add(odd, sum_bits(gaps.vector(k + lanes), grid));
  }
  std::uint64_t mass = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))) + k * UnitMajorant::offset;
  for (; k < scores.size(); ++k) mass += majorant(gaps.one(k));
  return mass;
}

std::uint64_t masses_of(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                        std::uint64_t best, std::uint64_t* masses) {
  const Wholes d;
  const std::size_t lanes = hn::Lanes(d);
  const Gaps gaps(scores, flip, best);
  const auto grid = hn::Set(Reals(), majorant.grid());
  const auto offset = hn::Set(d, UnitMajorant::offset);
  auto sum = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= scores.size(); k += lanes) {
    const auto mass = hn::Add(sum_bits(gaps.vector(k), grid), offset);
    hn::StoreU(mass, d, masses + k);
    sum = hn::Add(sum, mass);
  }
  std::uint64_t total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < scores.size(); ++k) total += masses[k] = majorant(gaps.one(k));
  return total;
}

UnitRow row_of(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
               std::uint64_t* masses) {
  const std::uint64_t best = least_of(scores, flip);
  return {best, masses_of(majorant, scores, flip, best, masses)};
}

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fractile {

HWY_EXPORT(least_of);
HWY_EXPORT(mass_of);
HWY_EXPORT(masses_of);
HWY_EXPORT(row_of);

std::uint64_t least_score(std::span<const std::uint64_t> scores, std::uint64_t flip) {
  return HWY_DYNAMIC_DISPATCH(least_of)(scores, flip);
}

std::uint64_t unit_mass(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                        std::uint64_t best) {
  return HWY_DYNAMIC_DISPATCH(mass_of)(majorant, scores, flip, best);
}

std::uint64_t unit_masses(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                          std::uint64_t best, std::uint64_t* masses) {
  return HWY_DYNAMIC_DISPATCH(masses_of)(majorant, scores, flip, best, masses);
}

UnitRow unit_row(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                 std::uint64_t* masses) {
  return HWY_DYNAMIC_DISPATCH(row_of)(majorant, scores, flip, masses);
}

}  // namespace fractile
#endif
