// How epsilons and real numbers of pipelines are printed.
#pragma once

#include <string>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

/// "refines", "does-not-refine", "undecided"; "stable", "unstable", "undecided".
std::string verdict_of(const flow::Refinement& refinement);
std::string verdict_of(const flow::Stability& stability);

/// Of an undecided one, what was not found.
std::string reason_of(const flow::Refinement& refinement);

/// At most `digits` significant digits: of those that are certain, the last one rounded.
std::string significant(const flow::RealBounds& value, int digits);

/// The number when it is exact, otherwise its first 30 significant digits.
std::string exact_or_digits(const flow::RealBounds& value);

/// The ends of a window have so many decimals.
std::string window_odds(const flow::RealBounds& odds);
/// ln of it, which is epsilon.
std::string window_epsilon(const flow::RealBounds& odds);

/// "0.25" where to_string() has "1/4".
std::string with_decimals(const Exponent& epsilon);

}  // namespace fractile::report_detail
