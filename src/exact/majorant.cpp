#include "exact/majorant.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "exact/exp_bounds.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

/// rate * log2(e), to about 90 bits.
Enclosure rate_in_bits(const Exponent& rate) {
  static const Enclosure ln2 = Enclosure::of(Exponent::log(2), 96);
  return Enclosure::of(rate, 96) / ln2;
}

}  // namespace

RateBounds::RateBounds(const Exponent& rate) {
  const Enclosure c = rate_in_bits(rate);
  // Beyond 2^900, even a gap of 1 gives a weight of at most 2^-900; the clamped rate is still a lower bound.
  lower_ = std::clamp(c.lower_double(), 0.0, 0x1p900);
  upper_ = std::max(0.0, c.upper_double());
  grid_ = lower_ * 0x1p52 * (1 - 0x1p-46);
}

namespace {

/// Whether both are written alike: ln 9 and 2 ln 3 are not.
bool are_written_alike(const Exponent& a, const Exponent& b) {
  return a.is_log() == b.is_log() && a.coefficient() == b.coefficient() &&
         (!a.is_log() || a.argument() == b.argument());
}

struct KnownRate {
  Exponent rate;
  RateBounds bounds;
};

/// The last few rates of a thread: the releases of many groups use a handful in turn.
class KnownRates {
 public:
  const RateBounds& of(const Exponent& rate) {
    for (const std::optional<KnownRate>& each : kept_) {
      if (each && are_written_alike(each->rate, rate)) return each->bounds;
    }
    next_ = (next_ + 1) % kept_.size();
    return kept_[next_].emplace(KnownRate{rate, RateBounds(rate)}).bounds;
  }

 private:
  std::array<std::optional<KnownRate>, 8> kept_;
  std::size_t next_ = 0;
};

}  // namespace

RateBounds RateBounds::of(const Exponent& rate) {
  // Before `known`: thread-local objects are destroyed in reverse order, and FLINT must clean up after the kept rates.
  use_flint();
  thread_local KnownRates known;
  return known.of(rate);
}

Bounds RateBounds::acceptance(std::uint64_t gap, std::uint64_t length, uint128 majorant) const {
  constexpr double room = 0x1p-46;
  const double ratio = static_cast<double>(length) * 0x1p53 / static_cast<double>(majorant);  // relative error < 2^-49
  if (gap == 0) return {ratio * (1 - room), ratio * (1 + room)};
  const double least = static_cast<double>(gap) * lower_ * (1 - room);
  const double most = static_cast<double>(gap) * upper_ * (1 + room) + 0x1p-1000;
  if (!(most < 900)) return {0, ratio * std::exp2(-std::min(least, 900.0) + 1)};
  const double whole = std::floor(least);
  const double value = ratio * std::ldexp(exp2_minus(least - whole), -static_cast<int>(whole));
  // 2^-(least + d) >= 2^-least (1 - d), where d = most - least.
  const double widest = std::max(0.0, 1 - (most - least) * (1 + room));
  return {value * (1 - 4 * room) * widest, value * (1 + 4 * room)};
}

Enclosure acceptance_enclosure(const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
                               std::int64_t precision) {
  const Enclosure weight = (-(Enclosure::of(rate, precision) * gap)).exp() * length;
  return scaled(weight, 53) / Enclosure::of_whole(majorant);
}

bool accept(const RateBounds& bounds, const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
            double at_least, RandomBits& bits, Filter filter, SelectionCost* cost) {
  if (gap == 0 && majorant == uint128{length} << 53) return true;
  const FirstBits u(bits, filter);
  if (u.below({at_least, 1}) == Verdict::yes) return true;
  const Verdict quick = u.below(bounds.acceptance(gap, length, majorant));
  if (quick != Verdict::undecided) return quick == Verdict::yes;
  const Enclose enclose = [&](std::int64_t precision) {
    return acceptance_enclosure(rate, gap, length, majorant, precision);
  };
  return settled_coin(bits, u, enclose, cost);
}

std::uint64_t ListedRuns::draw(const Exponent& rate, const RateBounds& bounds, RandomBits& bits, Filter filter,
                               SelectionCost* cost) {
  if (runs_.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  masses_.resize(runs_.size());
  uint128 total = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    masses_[k] = bounds.majorant(runs_[k].score - best_, runs_[k].length);
    total += masses_[k];
  }
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    uint128 target = uniform_below(bits, total);
    std::size_t k = 0;
    for (; target >= masses_[k]; ++k) target -= masses_[k];
    const Run& run = runs_[k];
    if (accept(bounds, rate, run.score - best_, run.length, masses_[k], least_acceptance(masses_[k]), bits, filter,
               cost)) {
      return run.start + uniform_below(bits, run.length);
    }
  }
}

}  // namespace fractile
