#include "exact/gaps.hpp"

#include <algorithm>

#include "fractile/error.hpp"

namespace fractile {

std::vector<Rational> gaps_of(std::span<const Rational> scores, Optimize optimize) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const bool least = optimize == Optimize::minimize;
  const Rational best = least ? *std::ranges::min_element(scores) : *std::ranges::max_element(scores);
  std::vector<Rational> gaps;
  gaps.reserve(scores.size());
  for (const Rational& score : scores) gaps.push_back(least ? score - best : best - score);
  return gaps;
}

std::optional<ScaledGaps> scaled(std::span<const Rational> gaps) {
  Rational scale = 1;
  for (const Rational& gap : gaps) {
    scale *= (scale * gap).denominator();
    if (!scale.fits_uint64()) return std::nullopt;
  }
  ScaledGaps result{{}, scale};
  result.gaps.reserve(gaps.size());
  for (const Rational& gap : gaps) {
    const Rational units = gap * scale;
    if (!units.fits_uint64()) return std::nullopt;
    result.gaps.push_back(units.to_uint64());
  }
  return result;
}

}  // namespace fractile
