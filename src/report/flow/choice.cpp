#include "report/flow/choice.hpp"

#include <algorithm>
#include <utility>

#include "exact/enclosure.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/printed_parts.hpp"

namespace fractile {
namespace {

using enum flow::ServedRange::Answer;

/// Whether a range is a narrow unknown one that only separates two ranges with different answers.
bool is_an_end(const std::vector<flow::ServedRange>& ranges, std::size_t i) {
  const bool is_between = i > 0 && i + 1 < ranges.size();
  return is_between && ranges[i].is_narrow() && ranges[i - 1].answer != ranges[i + 1].answer;
}

}  // namespace

const flow::ServedRange* ChoiceReport::least() const {
  const auto first = std::ranges::find(ranges, served, &flow::ServedRange::answer);
  return first == ranges.end() ? nullptr : &*first;
}

bool ChoiceReport::is_least_certain() const {
  for (std::size_t i = 0; i < ranges.size() && ranges[i].answer != served; ++i) {
    if (ranges[i].answer == unknown && !is_an_end(ranges, i)) return false;
  }
  return true;
}

std::array<std::string, 2> printed_epsilons(const flow::ServedRange& range) {
  report_detail::SafeEnds ends = report_detail::safe_ends(range);
  return {std::move(ends.epsilons.from), std::move(ends.epsilons.to)};
}

namespace report_detail {
namespace {

constexpr int usual_places = 9;
constexpr int most_places = 30;
constexpr std::int64_t precision = 640;  // in bits; higher than that of the odds

/// Rounds both ends inwards, to as many places as it takes for a number to lie between them.
Pair inward(const Rational& from, const Rational& to) {
  for (int places = usual_places;; ++places) {
    const Rational first = rounded_up(from, places);
    const Rational last = rounded_down(to, places);
    if (first <= last || places == most_places) return {first.to_decimal(), last.to_decimal()};
  }
}

Pair outward(const Rational& from, const Rational& to) {
  return {rounded_down(from, usual_places).to_decimal(), rounded_up(to, usual_places).to_decimal()};
}

Rational log_above(const Rational& odds) { return Enclosure::of(odds, precision).log().upper_rational(precision); }
Rational log_below(const Rational& odds) {
  return std::max(Rational(0), Enclosure::of(odds, precision).log().lower_rational(precision));
}

Blocks table_of(const std::vector<flow::ServedRange>& ranges) {
  std::vector<Row> rows{{"epsilon", "to", "exp(epsilon)", "to"}};
  for (const flow::ServedRange& range : ranges) {
    const SafeEnds ends = safe_ends(range);
    rows.push_back({ends.epsilons.from, ends.epsilons.to, ends.odds.from, ends.odds.to});
  }
  return rows;
}

std::string wish_of(const ChoiceReport& report) {
  const std::size_t count = report.analysts.size();
  if (count > 1) {
    return fmt::format("{} lose at most what is acceptable to them",
                       count == 2 ? "both analysts" : fmt::format("all {} analysts", count));
  }
  return fmt::format("the analyst loses at most {}", with_decimals(Exponent(report.analysts.front().wanted.most_loss)));
}

std::string first_line(const ChoiceReport& report) {
  const std::string wish = wish_of(report);
  const flow::ServedRange* const least = report.least();
  const std::string low = with_decimals(report.low);
  const std::string high = with_decimals(report.high);
  if (least == nullptr) {
    return report.is_least_certain()
               ? fmt::format("no epsilon from {} to {} serves: there is none at which {}\n", low, high, wish)
               : fmt::format("undecided: no epsilon from {} to {} is known at which {}\n", low, high, wish);
  }
  const std::string epsilon = safe_ends(*least).epsilons.from;
  if (least == report.ranges.data()) return fmt::format("already at epsilon = {}, {}\n", low, wish);
  if (report.is_least_certain()) return fmt::format("the least epsilon that serves is {}: {}\n", epsilon, wish);
  return fmt::format("at epsilon = {}, {}; whether a smaller one serves is not known\n", epsilon, wish);
}

Blocks analysts_table(const ChoiceReport& report) {
  std::vector<Row> rows{{"analyst of", "loss at most", "without a release"}};
  for (const ChoosingAnalyst& one : report.analysts) {
    rows.push_back(
        {one.name, with_decimals(Exponent(one.wanted.most_loss)), significant(one.without_release, sweep_digits)});
  }
  return Blocks("\nexpected losses:\n\n") + rows;
}

/// The ranges that do not serve, although they lie above the least epsilon that does.
std::vector<flow::ServedRange> costly_ranges(const ChoiceReport& report) {
  std::vector<flow::ServedRange> ranges = ranges_with(report, not_served);
  const flow::ServedRange* const least = report.least();
  std::erase_if(ranges, [&](const flow::ServedRange& range) { return least == nullptr || range.from < least->from; });
  return ranges;
}

}  // namespace

SafeEnds safe_ends(const flow::ServedRange& range) {
  if (range.answer == unknown)
    return {outward(log_below(range.from), log_above(range.to)), outward(range.from, range.to)};
  return {inward(log_above(range.from), log_below(range.to)), inward(range.from, range.to)};
}

std::vector<flow::ServedRange> ranges_with(const ChoiceReport& report, flow::ServedRange::Answer answer) {
  std::vector<flow::ServedRange> result;
  for (std::size_t i = 0; i < report.ranges.size(); ++i) {
    if (report.ranges[i].answer == answer && !is_an_end(report.ranges, i)) result.push_back(report.ranges[i]);
  }
  return result;
}

const char* verdict_of(const ChoiceReport& report) {
  if (report.least() != nullptr) return "served";
  return report.is_least_certain() ? "not-served" : "undecided";
}

Blocks blocks_of(const ChoiceReport& report) {
  Blocks text = first_line(report);
  text += analysts_table(report);
  if (report.least() != nullptr) text += Blocks("\nserved:\n\n") + table_of(ranges_with(report, served));
  if (const auto costly = costly_ranges(report); !costly.empty()) {
    text += Blocks("\nnot served, although epsilon is larger:\n\n") + table_of(costly);
  }
  if (const auto open = ranges_with(report, unknown); !open.empty()) {
    text += Blocks("\nnot known, since nothing bounds the loss there closely enough:\n\n") + table_of(open);
  }
  return text;
}

}  // namespace report_detail
}  // namespace fractile
