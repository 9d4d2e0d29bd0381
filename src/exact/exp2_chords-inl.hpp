// UnitMajorant's arithmetic on vectors, for the sources that are compiled for several instruction sets (Highway). They include this
// file once for each instruction set.
#if defined(FRACTILE_EXP2_CHORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FRACTILE_EXP2_CHORDS_INL
#undef FRACTILE_EXP2_CHORDS_INL
#else
#define FRACTILE_EXP2_CHORDS_INL
#endif

#include "libraries/highway.hpp"
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/unit_majorant.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wholes = hn::ScalableTag<std::uint64_t>;
using Reals = hn::ScalableTag<double>;

/// UnitMajorant::to_double; where it is one instruction, that rounds once as well.
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

/// UnitMajorant::exp2_chord of each exponent, or of `last` where the exponent is larger.
template <class R>
HWY_INLINE R exp2_chords(R exponents, double last) {
  const Wholes whole;
  const auto clamped = hn::Min(exponents, hn::Set(Reals(), last));
  const auto nearest = hn::BitCast(whole, hn::Add(clamped, hn::Set(Reals(), UnitMajorant::shift)));
  return hn::BitCast(Reals(), hn::Sub(hn::Set(whole, UnitMajorant::top), hn::ShiftLeft<20>(nearest)));
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

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
