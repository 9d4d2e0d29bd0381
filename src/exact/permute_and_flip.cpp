// Permute-and-flip. All coins are tossed first. Let A be the set of candidates whose coins are heads. A uniform order of all
// candidates, restricted to A, is a uniform order of A; so the first head of the order is uniform on A.
// Proof: docs/proofs/permute_and_flip.md
#include <algorithm>

#include "exact/coin.hpp"
#include "exact/gaps.hpp"
#include "exact/majorant.hpp"
#include "exact/own_environment.hpp"
#include "exact/selection.hpp"
#include "exact/uniform.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

constexpr uint128 one = uint128{1} << 53;  // as the majorant, so the acceptance probability is exp(-rate * gap)

bool heads(const RateBounds& bounds, const Exponent& rate, std::uint64_t gap, RandomBits& bits, Filter filter) {
  if (gap == 0) return true;
  const Enclose enclose = [&](std::int64_t precision) { return acceptance_enclosure(rate, gap, 1, one, precision); };
  return lazy_coin(bits, bounds.acceptance(gap, 1, one), enclose, filter);
}

std::size_t any_of(const std::vector<std::size_t>& kept, RandomBits& bits) {
  return kept[static_cast<std::size_t>(uniform_below(bits, std::uint64_t{kept.size()}))];
}

}  // namespace

std::size_t detail::select_permute_and_flip(std::span<const std::uint64_t> scores, const Exponent& rate,
                                            RandomBits& bits, Optimize optimize, Filter filter) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const bool least = optimize == Optimize::minimize;
  const std::uint64_t best = least ? *std::ranges::min_element(scores) : *std::ranges::max_element(scores);
  const RateBounds bounds(rate);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::uint64_t gap = least ? scores[k] - best : best - scores[k];
    if (rate.is_zero() || heads(bounds, rate, gap, bits, filter)) kept.push_back(k);
  }
  return any_of(kept, bits);
}

std::size_t detail::select_permute_and_flip(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                            Optimize optimize, Filter filter) {
  const std::vector<Rational> gaps = gaps_of(scores, optimize);
  if (const auto whole = scaled(gaps)) {
    return detail::select_permute_and_flip(whole->gaps, rate / whole->scale, bits, Optimize::minimize, filter);
  }
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    if (bernoulli_exp(bits, rate * gaps[k], filter)) kept.push_back(k);
  }
  return any_of(kept, bits);
}

std::size_t select_permute_and_flip(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_permute_and_flip(scores, rate, bits, optimize, {});
}

std::size_t select_permute_and_flip(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_permute_and_flip(scores, rate, bits, optimize, {});
}

}  // namespace fractile
