#include <algorithm>

#include "exact/lists.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/choice.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/flow/leakage_blocks.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/text/csv_cells.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// The losses of the counter-example; empty texts if there is none.
Pair losses_of(const flow::Refinement& answer) {
  const auto* refutation = std::get_if<flow::Counterexample>(&answer.verdict);
  if (refutation == nullptr) return {};
  return {refutation->loss_from.to_string(), refutation->loss_to.to_string()};
}

/// The windows' ends, in epsilons.
std::vector<Pair> windows_of(const flow::Windows& answer) {
  return mapped(answer.windows,
                [](const flow::UnstableWindow& window) { return window_epsilons(window.from, window.to); });
}

std::vector<Pair> undecided_of(const flow::Windows& answer) {
  std::vector<Pair> ranges;
  for (const auto& [lower, upper] : answer.undecided) ranges.push_back(window_epsilons({lower, lower}, {upper, upper}));
  return ranges;
}

/// The ranges in one cell: "1.25..1.26 2.5..3".
std::string in_a_cell(const std::vector<Pair>& ranges) {
  return joined(ranges, " ", [](const Pair& ends) { return ends.from + ".." + ends.to; });
}

}  // namespace

std::string to_csv(const RefinementReport& report) {
  const Pair losses = losses_of(report.answer.refinement);
  return "verdict,reason,epsilon_from,epsilon_to,loss_from,loss_to\n" +
         csv_line({verdict_of(report.answer.refinement), reason_of(report.answer.refinement), report.from.to_string(),
                   report.to.to_string(), losses.from, losses.to});
}

std::string to_csv(const StabilityReport& report) {
  const flow::Stability& answer = report.answer;
  const Pair losses = answer.refutation ? losses_of(answer.refutation->refinement) : Pair{};
  return "verdict,reason,epsilon_low,epsilon_high,odds_from,odds_to,loss_from,loss_to,windows,undecided\n" +
         csv_line({to_string(answer.verdict), answer.reason, report.low.to_string(), report.high.to_string(),
                   answer.refutation ? answer.from.to_string() : "", answer.refutation ? answer.to.to_string() : "",
                   losses.from, losses.to, report.windows ? in_a_cell(windows_of(*report.windows)) : "",
                   report.windows ? in_a_cell(undecided_of(*report.windows)) : ""});
}

std::string to_csv(const AnyPriorReport& report) {
  const flow::LossStability& answer = report.answer;
  const bool is_refuted = answer.refutation.has_value();
  const char* const ends = report.is_pair ? "epsilon_to,epsilon_from" : "epsilon_low,epsilon_high";
  return std::string("verdict,reason,") + ends + ",odds_from,odds_to,loss_from,loss_to\n" +
         csv_line({verdict_of(report), answer.reason, report.low.to_string(), report.high.to_string(),
                   is_refuted ? answer.from.to_string() : "", is_refuted ? answer.to.to_string() : "",
                   is_refuted ? answer.refutation->loss_from.to_string() : "",
                   is_refuted ? answer.refutation->loss_to.to_string() : ""});
}

std::string to_csv(const ExpectedLossReport& report) {
  const bool is_exact = report.loss.lower == report.loss.upper;
  return "epsilon,expected_loss,decimal\n" +
         csv_line({report.epsilon.to_string(), is_exact ? report.loss.lower.to_string() : "",
                   significant(report.loss, loss_digits)});
}

std::string to_csv(const ComparisonReport& report) {
  const Pair losses = losses_of(report.answer);
  return "verdict,reason,from,to,loss_from,loss_to\n" + csv_line({verdict_of(report.answer), reason_of(report.answer),
                                                                  report.from, report.to, losses.from, losses.to});
}

std::string to_csv(const CertificateReport& report) {
  return "certificate,claim,about,trouble,unchecked\n" +
         csv_line({report_detail::to_string(report.outcome), report.claim, report.about, report.trouble,
                   fmt::to_string(fmt::join(report.unchecked, "; "))});
}

// The first column of a quantity is exact where possible. Its decimals are for drawing and sorting.
std::string to_csv(const SweepReport& report) { return curve_to_csv(report) + windows_to_csv(report); }

std::string curve_to_csv(const SweepReport& report) {
  std::string text = "what,epsilon,epsilon_to,expected_loss,change,odds,odds_to,epsilon_decimal,odds_decimal\n";
  for (const flow::LossPoint& point : report.points) {
    text += csv_line({"point", with_decimals(point.epsilon), "", significant(point.loss, sweep_digits),
                      flow::to_string(point.change), exact_odds(point.epsilon), "", epsilon_digits(point.epsilon),
                      odds_digits(point.epsilon)});
  }
  return text;
}

std::string windows_to_csv(const SweepReport& report) {
  std::string text;
  const auto add = [&](const flow::RealBounds& from, const flow::RealBounds& to, flow::Change change) {
    const Pair epsilons = window_epsilons(from, to);
    const Pair odds = window_odds(from, to);
    text += csv_line({"window", epsilons.from, epsilons.to, "", flow::to_string(change), odds.from, odds.to,
                      epsilons.from, odds.from});
  };
  for (const flow::UnstableWindow& window : report.windows.windows) add(window.from, window.to, flow::Change::rises);
  for (const auto& [lower, upper] : report.windows.undecided) {
    add({lower, lower}, {upper, upper}, flow::Change::undecided);
  }
  return text;
}

std::string to_csv(const ChoiceReport& report) {
  using enum flow::ServedRange::Answer;
  const bool has_guess = std::ranges::any_of(report.analysts, [](const auto& one) { return one.guess.has_value(); });
  std::string text = "what,file,epsilon,epsilon_to,odds,odds_to";
  text += has_guess ? ",before,after,allowed\n" : "\n";
  const auto csv_line = [has_guess](std::vector<std::string> cells) {
    if (has_guess) cells.resize(9);
    return report_detail::csv_line(cells);
  };
  for (const flow::ServedRange::Answer answer : {served, not_served, unknown}) {
    for (const flow::ServedRange& range : ranges_with(report, answer)) {
      const SafeEnds ends = safe_ends(range);
      text +=
          csv_line({flow::to_string(answer), "", ends.epsilons.from, ends.epsilons.to, ends.odds.from, ends.odds.to});
    }
  }
  for (const ChoosingAnalyst& one : report.analysts) {
    for (const flow::UnstableWindow& window : one.wanted.windows.windows) {
      const Pair epsilons = window_epsilons(window.from, window.to);
      const Pair odds = window_odds(window.from, window.to);
      text += csv_line({"rises", one.name, epsilons.from, epsilons.to, odds.from, odds.to});
    }
    if (!one.guess) continue;
    for (const std::vector<std::string>& cells : guess_cells(*one.guess)) {
      text += csv_line({"guess", one.name, cells[0], cells[0], "", "", cells[1], cells[2], cells[3]});
    }
  }
  return text;
}

std::string to_csv(const ChannelReport& report) {
  const flow::ChannelBounds& channel = report.answer;
  std::vector<std::string> heading{"secret"};
  heading.insert(heading.end(), channel.observations.begin(), channel.observations.end());
  std::string text = csv_line(heading);
  for (std::size_t x = 0; x < channel.secrets.size(); ++x) {
    std::vector<std::string> cells{channel.secrets[x]};
    for (const flow::RealBounds& probability : channel.probabilities[x]) cells.push_back(exact_or_digits(probability));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace fractile
