// How epsilons and real numbers of pipelines are printed.
#pragma once

#include <string>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/stability.hpp"

namespace fractile::report_detail {

/// "refines", "does-not-refine", "undecided"; "stable", "unstable", "undecided".
std::string verdict_of(const flow::Refinement& refinement);
std::string verdict_of(flow::Stability::Verdict verdict);

/// Of an undecided one, what was not found.
std::string reason_of(const flow::Refinement& refinement);

/// At most `digits` significant digits: of those that are certain, the last one rounded.
std::string significant(const flow::RealBounds& value, int digits);

/// The number when it is exact, otherwise its first 30 significant digits.
std::string exact_or_digits(const flow::RealBounds& value);

/// Two numbers with as many digits as tell them apart.
struct Pair {
  std::string from;
  std::string to;
};
/// Of a window.
Pair window_odds(const flow::RealBounds& from, const flow::RealBounds& to);
/// ln of them, which is epsilon.
Pair window_epsilons(const flow::RealBounds& from, const flow::RealBounds& to);
/// Two losses, at least so many significant digits.
Pair two_losses(const flow::RealBounds& from, const flow::RealBounds& to, int digits);

/// "0.25" where to_string() has "1/4".
std::string with_decimals(const Exponent& epsilon);

}  // namespace fractile::report_detail
