// How epsilons and real numbers of pipelines are printed.
#pragma once

#include <optional>
#include <string>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/reports.hpp"
#include "report/text/decimals.hpp"

namespace fractile::report_detail {

/// "refines", "does-not-refine" or "undecided".
std::string verdict_of(const flow::Refinement& refinement);

/// "holds", "fails" or "nothing".
const char* to_string(CertificateReport::Outcome outcome);

/// The reason for the verdict. For an undecided refinement, it says what was not found.
std::string reason_of(const flow::Refinement& refinement);

/// At most `digits` significant digits: only certain ones, with the last one rounded.
std::string significant(const flow::RealBounds& value, int digits);

double middle_of(const flow::RealBounds& value);

/// The number when it is exact, otherwise its first 30 significant digits.
std::string exact_or_digits(const flow::RealBounds& value);

/// Two numbers with enough digits to distinguish them.
struct Pair {
  std::string from;
  std::string to;
};
/// The odds of a window's ends.
Pair window_odds(const flow::RealBounds& from, const flow::RealBounds& to);
/// The epsilons of a window's ends, which are the logarithms of the odds.
Pair window_epsilons(const flow::RealBounds& from, const flow::RealBounds& to);
/// Two losses, with at least this many significant digits.
Pair two_losses(const flow::RealBounds& from, const flow::RealBounds& to, int digits);

/// 12 significant digits of an epsilon and of its odds, exp(epsilon): enough for drawing and sorting.
std::string epsilon_digits(const Exponent& epsilon);
std::string odds_digits(const Exponent& epsilon);
/// The exact odds: "3", or "exp(1/2)" where they are not rational.
std::string exact_odds(const Exponent& epsilon);

/// Whose channels a certificate is about: "one participant", "2 participants", "a target whose 3 others are known".
std::string whose(const flow::Pipeline& about);
/// As above, for a certificate that says which part of the pipeline it is about.
std::string whose(const flow::PipelineRefinement& answer);

/// Both channels of a certificate, if they are small enough to be printed with it.
struct Channels {
  flow::Channel from;
  flow::Channel to;
};
std::optional<Channels> brief_channels(const flow::PipelineRefinement& answer, const Rational& from,
                                       const Rational& to);
std::optional<Channels> brief_channels(const flow::Pipeline& about, const Rational& from, const Rational& to);

}  // namespace fractile::report_detail
