// One source, compiled for several instruction sets (Highway); one of these is chosen at the first call. All of them have
// UnitMajorant's arithmetic, operation for operation.
#include "libraries/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact/unit_majorant.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <algorithm>

#include "exact/exp2_chords-inl.hpp"
#include "exact/unit_majorant.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

/// Each mass less UnitMajorant::offset.
template <class V, class R>
HWY_INLINE V sum_bits(V gaps, R grid) {
  const auto exp2_chord = exp2_chords(hn::Mul(to_double(gaps), grid), UnitMajorant::last);
  return hn::BitCast(Wholes(), hn::Add(hn::Set(Reals(), 1.0), exp2_chord));
}

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
    // The last vector may overlap the one before.
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
  // The offset is added modulo 2^64 before lanes are added up, since instructions for that may treat lanes as signed.
  const auto sums = hn::Add(hn::Add(even, odd), hn::Set(d, k / lanes * UnitMajorant::offset));
  std::uint64_t mass = hn::GetLane(hn::SumOfLanes(d, sums));
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
