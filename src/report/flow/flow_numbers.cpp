#include "report/flow/flow_numbers.hpp"

#include <algorithm>
#include <utility>

#include "exact/enclosure.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/printed_parts.hpp"

namespace fractile {

std::string verdict_of(const AnyPriorReport& report) {
  using enum flow::Stability::Verdict;
  if (!report.is_pair || report.answer.verdict == undecided) return to_string(report.answer.verdict);
  return report.answer.verdict == stable ? "worth-as-much" : "worth-less";
}

}  // namespace fractile

namespace fractile::report_detail {
namespace {

constexpr int window_places = 6;
constexpr std::int64_t logarithm_precision = 256;

/// The power of ten of a positive number's first digit, or one less.
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

const char* to_string(CertificateReport::Outcome outcome) {
  switch (outcome) {
    case CertificateReport::Outcome::holds:
      return "holds";
    case CertificateReport::Outcome::fails:
      return "fails";
    case CertificateReport::Outcome::nothing:
      break;
  }
  return "nothing";
}

std::string reason_of(const flow::Refinement& refinement) {
  const auto* undecided = std::get_if<flow::Undecided>(&refinement.verdict);
  return undecided == nullptr ? refinement.reason : undecided->reason;
}

double middle_of(const flow::RealBounds& value) { return ((value.lower + value.upper) / Rational(2)).to_double(); }

std::string significant(const flow::RealBounds& value, int digits) {
  if (value.lower.sign() <= 0) return value.to_decimal(digits);
  return value.to_decimal(std::max(0, digits - 1 - magnitude(value.lower)));
}

std::string exact_or_digits(const flow::RealBounds& value) {
  return value.lower == value.upper ? value.lower.to_string() : significant(value, loss_digits);
}

namespace {

/// Prints both ends by write(number, digits), with the fewest digits from `digits` to `most` that distinguish the ends.
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

namespace {

constexpr int axis_digits = 12;

std::string digits_of(const flow::RealBounds& value) {
  return value.upper.sign() == 0 ? "0" : significant(value, axis_digits);
}

}  // namespace

std::string epsilon_digits(const Exponent& epsilon) {
  if (!epsilon.is_log()) return digits_of({epsilon.coefficient(), epsilon.coefficient()});
  const Enclosure value = Enclosure::of(epsilon, logarithm_precision);
  return digits_of(
      {std::max(value.lower_rational(logarithm_precision), Rational(0)), value.upper_rational(logarithm_precision)});
}

std::string odds_digits(const Exponent& epsilon) { return digits_of(flow::odds_bounds(epsilon)); }

std::string exact_odds(const Exponent& epsilon) {
  if (epsilon.has_rational_exponential()) return epsilon.exponential().to_string();
  return "exp(" + epsilon.to_string() + ")";
}

std::string whose(const flow::Pipeline& about) {
  const std::size_t people = about.participants;
  switch (about.secret.kind) {
    case flow::Secret::Kind::target:
      if (people == 1) return "a target without others";
      return people == 2 ? "a target whose 1 other is known"
                         : fmt::format("a target whose {} others are known", people - 1);
    case flow::Secret::Kind::histogram:
      return fmt::format("the histogram of {} participant{}", people, people == 1 ? "" : "s");
    case flow::Secret::Kind::everyone:
      break;
  }
  return people == 1 ? "one participant" : fmt::format("{} participants", people);
}

std::string whose(const flow::PipelineRefinement& answer) {
  return answer.part.empty() ? whose(answer.about.value()) : answer.part;
}

std::optional<Channels> brief_channels(const flow::Pipeline& about, const Rational& from, const Rational& to) {
  constexpr std::size_t most_participants = 100;
  constexpr std::size_t most_entries = 10'000;
  if (about.participants > most_participants) return {};
  flow::Channel first = flow::channel_at(about, flow::Odds(from)).channel;
  if (first.secrets().size() * first.observations().size() > most_entries) return {};
  return Channels{std::move(first), flow::channel_at(about, flow::Odds(to)).channel};
}

std::optional<Channels> brief_channels(const flow::PipelineRefinement& answer, const Rational& from,
                                       const Rational& to) {
  if (!answer.about || answer.are_losses_bounds) return {};
  return brief_channels(*answer.about, from, to);
}

}  // namespace fractile::report_detail
