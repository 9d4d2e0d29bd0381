#include "report/flow_numbers.hpp"

#include <algorithm>

#include "exact/enclosure.hpp"
#include "fractile/report.hpp"

namespace fractile::report_detail {
namespace {

constexpr int window_places = 6;
constexpr std::int64_t logarithm_precision = 256;

/// Of a positive number: the power of ten of its first digit, or one less.
int magnitude(const Rational& value) {
  const auto length = [](const Rational& whole) { return static_cast<int>(whole.to_string().size()); };
  return value >= Rational(1) ? length(value.floor()) - 1 : -length((Rational(1) / value).floor());
}

flow::RealBounds logarithm(const flow::RealBounds& odds) {
  return {Enclosure::of(odds.lower, logarithm_precision).log().lower_rational(logarithm_precision),
          Enclosure::of(odds.upper, logarithm_precision).log().upper_rational(logarithm_precision)};
}

}  // namespace

std::string verdict_of(const flow::Refinement& refinement) {
  if (refinement.refines()) return "refines";
  return refinement.refuted() ? "does-not-refine" : "undecided";
}

std::string verdict_of(flow::Stability::Verdict verdict) {
  switch (verdict) {
    case flow::Stability::Verdict::stable:
      return "stable";
    case flow::Stability::Verdict::unstable:
      return "unstable";
    case flow::Stability::Verdict::undecided:
      return "undecided";
  }
  return {};
}

std::string reason_of(const flow::Refinement& refinement) {
  const auto* undecided = std::get_if<flow::Undecided>(&refinement.verdict);
  return undecided == nullptr ? refinement.reason : undecided->reason;
}

std::string significant(const flow::RealBounds& value, int digits) {
  if (value.lower.sign() <= 0) return value.to_decimal(digits);
  return value.to_decimal(std::max(0, digits - 1 - magnitude(value.lower)));
}

std::string exact_or_digits(const flow::RealBounds& value) {
  return value.lower == value.upper ? value.lower.to_string() : significant(value, loss_digits);
}

namespace {

/// By `write` (number, digits).
template <class Write>
Pair ends_apart(const flow::RealBounds& from, const flow::RealBounds& to, int digits, int most, Write write) {
  for (; digits < most; ++digits) {
    Pair ends{write(from, digits), write(to, digits)};
    if (ends.from != ends.to) return ends;
  }
  return {write(from, most), write(to, most)};
}

Pair window_ends(const flow::RealBounds& from, const flow::RealBounds& to) {
  constexpr int most_places = 30;
  return ends_apart(from, to, window_places, most_places,
                    [](const flow::RealBounds& value, int places) { return value.to_decimal(places); });
}

}  // namespace

Pair window_odds(const flow::RealBounds& from, const flow::RealBounds& to) { return window_ends(from, to); }

Pair window_epsilons(const flow::RealBounds& from, const flow::RealBounds& to) {
  return window_ends(logarithm(from), logarithm(to));
}

Pair two_losses(const flow::RealBounds& from, const flow::RealBounds& to, int digits) {
  return ends_apart(from, to, digits, std::max(digits, loss_digits), significant);
}

std::string with_decimals(const Exponent& epsilon) {
  const bool is_decimal = !epsilon.is_log() && epsilon.coefficient().is_decimal();
  return is_decimal ? epsilon.coefficient().to_decimal() : epsilon.to_string();
}

}  // namespace fractile::report_detail
