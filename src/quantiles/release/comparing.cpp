#include "fractile/error.hpp"
#include "fractile/release.hpp"

namespace fractile {
namespace {

/// second / first, where the first is certainly above 0. The least ratio is the second's lower end divided by the first's upper end
/// if the second's lower end is at least 0, and by the first's lower end otherwise. The largest ratio likewise.
Estimate ratio_of(const Estimate& first, const Estimate& second) {
  const Rational zero(0);
  const Rational& under_least = second.lower < zero ? first.lower : first.upper;
  const Rational& under_most = second.upper < zero ? first.upper : first.lower;
  return {second.value / first.value, second.lower / under_least, second.upper / under_most,
          second.or_below || (first.or_above && second.lower > zero),
          second.or_above || (first.or_above && second.upper < zero)};
}

}  // namespace

Estimate estimate_in_pairs(const Release& release, const Release::Group& group, std::size_t i) {
  if (group.intervals_in_pairs.empty()) {
    throw Error(ErrorCode::usage, "a release without intervals has nothing to compare",
                "ask for intervals in the query");
  }
  if (i >= group.intervals_in_pairs.size()) throw Error(ErrorCode::usage, "the release has fewer quantiles");
  const Interval& interval = group.intervals_in_pairs[i];
  return {release.value(group, i), release.lattice.at(interval.lower), release.lattice.at(interval.upper),
          interval.or_below, interval.or_above};
}

Comparison compare(const Estimate& first, const Estimate& second) {
  Comparison result{{second.value - first.value, second.lower - first.upper, second.upper - first.lower,
                     second.or_below || first.or_above, second.or_above || first.or_below},
                    {}};
  const bool above_zero = first.lower > Rational(0) && first.value > Rational(0) && !first.or_below;
  if (above_zero) result.ratio = ratio_of(first, second);
  return result;
}

}  // namespace fractile
