// One source, compiled for several instruction sets (Highway); one of these is chosen at the first call. All of them have
// RunMajorant's arithmetic, operation for operation.
#include "libraries/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact/run_majorant.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <algorithm>

#include "exact/exp2_chords-inl.hpp"
#include "exact/run_majorant.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

std::uint64_t least_of(const RunSpan& runs) {
  const Wholes d;
  const Gaps flipped(runs.scores, runs.flip, 0);
  const auto nothing = hn::Set(d, ~std::uint64_t{0});
  auto least = nothing;
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= runs.scores.size(); k += hn::Lanes(d)) {
    const auto empty = hn::Eq(hn::LoadU(d, runs.lengths.data() + k), hn::Zero(d));
    least = hn::Min(least, hn::IfThenElse(empty, nothing, flipped.vector(k)));
  }
  std::uint64_t result = hn::GetLane(hn::MinOfLanes(d, least));
  for (; k < runs.scores.size(); ++k) {
    if (runs.lengths[k] != 0) result = std::min(result, flipped.one(k));
  }
  return result;
}

/// RunMajorant::weight, a vector at a time.
class Weights {
 public:
  Weights(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best)
      : majorant_(majorant), gaps_(runs.scores, runs.flip, best), lengths_(runs.lengths.data()) {}
  auto lengths(std::size_t k) const { return hn::LoadU(Wholes(), lengths_ + k); }
  auto vector(std::size_t k) const {
    const auto exponents = hn::Mul(to_double(gaps_.vector(k)), hn::Set(Reals(), majorant_.grid()));
    return hn::Mul(exp2_chords(exponents, RunMajorant::last), to_double(lengths(k)));
  }
  double one(std::size_t k) const { return majorant_.weight(gaps_.one(k), lengths_[k]); }
  std::uint64_t mass(std::size_t k) const { return majorant_(gaps_.one(k), lengths_[k]); }

 private:
  const RunMajorant& majorant_;
  Gaps gaps_;
  const std::uint64_t* lengths_;
};

double largest_of(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best) {
  const Reals d;
  const Weights weights(majorant, runs, best);
  auto largest = hn::Zero(d);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= runs.scores.size(); k += hn::Lanes(d)) largest = hn::Max(largest, weights.vector(k));
  double result = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; k < runs.scores.size(); ++k) result = std::max(result, weights.one(k));
  return result;
}

/// The sum of all masses; with `is_kept`, also writes them to masses[k].
template <bool is_kept>
std::uint64_t sum_of_masses(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best,
                            std::uint64_t* masses) {
  const Wholes d;
  const Weights weights(majorant, runs, best);
  const auto scale = hn::Set(Reals(), majorant.scale());
  auto sum = hn::Zero(d);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= runs.scores.size(); k += hn::Lanes(d)) {
    const auto scaled = hn::Min(hn::Mul(weights.vector(k), scale), hn::Set(Reals(), RunMajorant::most));
    const auto bits = hn::BitCast(d, hn::Add(scaled, hn::Set(Reals(), RunMajorant::to_wholes)));
    const auto empty = hn::Eq(weights.lengths(k), hn::Zero(d));
    const auto mass = hn::IfThenZeroElse(empty, hn::Add(bits, hn::Set(d, RunMajorant::offset)));
    if constexpr (is_kept) hn::StoreU(mass, d, masses + k);
    sum = hn::Add(sum, mass);
  }
  std::uint64_t total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < runs.scores.size(); ++k) {
    const std::uint64_t mass = weights.mass(k);
    if constexpr (is_kept) masses[k] = mass;
    total += mass;
  }
  return total;
}

std::uint64_t mass_of(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best) {
  return sum_of_masses<false>(majorant, runs, best, nullptr);
}

std::uint64_t masses_of(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best, std::uint64_t* masses) {
  return sum_of_masses<true>(majorant, runs, best, masses);
}

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fractile {

HWY_EXPORT(least_of);
HWY_EXPORT(largest_of);
HWY_EXPORT(mass_of);
HWY_EXPORT(masses_of);

std::uint64_t least_score(const RunSpan& runs) { return HWY_DYNAMIC_DISPATCH(least_of)(runs); }

double largest_weight(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(majorant, runs, best);
}

std::uint64_t run_mass(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best) {
  return HWY_DYNAMIC_DISPATCH(mass_of)(majorant, runs, best);
}

std::uint64_t run_masses(const RunMajorant& majorant, const RunSpan& runs, std::uint64_t best, std::uint64_t* masses) {
  return HWY_DYNAMIC_DISPATCH(masses_of)(majorant, runs, best, masses);
}

}  // namespace fractile
#endif
