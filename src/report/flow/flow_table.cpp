#include <algorithm>
#include <span>

#include "exact/lists.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/choice.hpp"
#include "report/flow/flow_blocks.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/flow/leakage_blocks.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

constexpr std::size_t largest_table = 2000;  // entries; larger tables are only for programs to read
constexpr std::size_t longest_fraction = 24;
constexpr int rounded_places = 12;

/// The number as a fraction. A long fraction becomes a decimal with a mark.
std::string brief(const Rational& number) {
  std::string fraction = number.to_string();
  if (fraction.size() <= longest_fraction) return fraction;
  return "~" + flow::RealBounds{number, number}.to_decimal(rounded_places);
}

constexpr const char* brief_note = "numbers with a ~ are rounded here; as JSON they are exact\n";
constexpr const char* digits_note = "numbers with a ~ are rounded here; as JSON they have 30 digits\n";

Blocks labelled(const std::string& corner, const Row& rows, const Row& columns, const flow::Matrix& matrix) {
  if (matrix.rows() * matrix.columns() > largest_table) {
    return fmt::format("{} rows and {} columns are too many to show here: they are in the JSON\n", matrix.rows(),
                       matrix.columns());
  }
  std::vector<Row> lines{{corner}};
  lines.front().insert(lines.front().end(), columns.begin(), columns.end());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    lines.push_back({rows[i]});
    for (const Rational& entry : matrix.row(i)) lines.back().push_back(brief(entry));
  }
  return lines;
}

bool is_rounded(const Block& block) {
  return block.lines.find('~') != std::string::npos || std::ranges::any_of(block.rows, [](const Row& row) {
           return std::ranges::any_of(row, [](const std::string& cell) { return cell.find('~') != std::string::npos; });
         });
}

/// The blocks, followed by a note if they hold rounded numbers.
Blocks noted(const Blocks& blocks) {
  return std::ranges::any_of(blocks.all(), is_rounded) ? blocks + brief_note : blocks;
}

/// `ends`: the two epsilons of a verdict, in words.
Blocks certificate(const flow::Witness& witness, const flow::PipelineRefinement& answer, const Pair& ends) {
  if (witness.matrix.rows() == 0) return {};
  return Blocks(fmt::format("\nthe release at {} can be drawn from the release at {}, by these rows:\n\n", ends.to,
                            ends.from)) +
         labelled("", answer.observations, answer.observations, witness.matrix) + "\nchecked in exact arithmetic\n";
}

/// Whether a secret influences the analyst's decisions: it is possible, and actions differ in their cost under it.
bool matters(const flow::Counterexample& refutation, std::size_t secret) {
  const auto costs = refutation.loss.matrix().row(secret);
  return refutation.prior[secret].sign() > 0 &&
         std::ranges::any_of(costs, [&](const Rational& cost) { return cost != costs.front(); });
}

std::string others(std::size_t secrets) {
  if (secrets == 0) return "";
  return fmt::format(
      "and {} more, which this analyst thinks impossible or under which all actions cost the same: they are in the "
      "JSON\n",
      secrets);
}

Blocks certificate(const flow::Counterexample& refutation, const flow::PipelineRefinement& answer, const Pair& ends) {
  const flow::Matrix& losses = refutation.loss.matrix();
  Row secrets;
  std::vector<std::vector<Rational>> columns;
  for (std::size_t i = 0; i < losses.rows(); ++i) {
    if (!matters(refutation, i)) continue;
    secrets.push_back(answer.secrets[i]);
    columns.push_back({refutation.prior[i]});
    columns.back().insert(columns.back().end(), losses.row(i).begin(), losses.row(i).end());
  }
  Row names{"prior"};
  for (const std::string& action : refutation.loss.actions()) names.push_back("action " + action);
  return Blocks("\nwhat this analyst believes, and what their actions cost:\n\n") +
         labelled("secret", secrets, names, flow::Matrix::of(columns)) + others(losses.rows() - secrets.size()) +
         fmt::format("\nexpected loss at {}: {}{}\nexpected loss at {}: {}{}\nboth {}\n", ends.from,
                     answer.are_losses_bounds ? "at least " : "", brief(refutation.loss_from), ends.to,
                     answer.are_losses_bounds ? "at most " : "", brief(refutation.loss_to),
                     answer.are_losses_bounds ? "enclosed with proof" : "checked in exact arithmetic");
}

/// Says whose channels the certificate is about when that is not obvious.
Blocks about(const flow::PipelineRefinement& answer) {
  return answer.about ? Blocks(fmt::format("\nabout {}\n", whose(answer))) : Blocks();
}

Blocks certificate(const flow::PipelineRefinement& answer, const Pair& ends) {
  if (const auto* witness = std::get_if<flow::Witness>(&answer.refinement.verdict)) {
    return about(answer) + noted(certificate(*witness, answer, ends));
  }
  if (const auto* refutation = std::get_if<flow::Counterexample>(&answer.refinement.verdict)) {
    return about(answer) + noted(certificate(*refutation, answer, ends));
  }
  return {};
}

std::string sentence(const std::string& text) { return text.empty() ? "" : text + "\n"; }

constexpr std::size_t most_windows = 20;  // further windows are only for programs to read

template <class Entry>
std::span<const Entry> first_of(const std::vector<Entry>& entries) {
  return std::span(entries).first(std::min(entries.size(), most_windows));
}

std::string and_more(std::size_t all) {
  return all <= most_windows ? "" : fmt::format("and {} more: they are in the JSON\n", all - most_windows);
}

Row ends_row(const flow::RealBounds& from, const flow::RealBounds& to) {
  const Pair epsilons = window_epsilons(from, to);
  const Pair odds = window_odds(from, to);
  return {epsilons.from, epsilons.to, odds.from, odds.to};
}

Blocks windows_table(const std::vector<flow::UnstableWindow>& windows) {
  std::vector<Row> rows{{"epsilon", "to", "exp(epsilon)", "to"}};
  for (const flow::UnstableWindow& window : first_of(windows)) {
    rows.push_back(ends_row(window.from, window.to));
  }
  return Blocks(rows) + and_more(windows.size());
}

/// For each window, a pair of epsilons between which the loss rises.
Blocks proofs_table(const std::vector<flow::UnstableWindow>& windows) {
  std::vector<Row> rows{{"epsilon", "expected loss", "larger epsilon", "larger loss"}};
  for (const flow::UnstableWindow& window : first_of(windows)) {
    if (!window.proof) continue;
    const flow::Rise& rise = *window.proof;
    const Pair losses = two_losses(rise.loss_from, rise.loss_to, sweep_digits);
    rows.push_back(
        {Exponent::log(rise.odds_from).to_string(), losses.from, Exponent::log(rise.odds_to).to_string(), losses.to});
  }
  return rows.size() == 1 ? Blocks() : Blocks("\nfor example, in each:\n\n") + rows;
}

Blocks undecided_table(const std::vector<flow::RealBounds>& ranges) {
  std::vector<Row> rows{{"epsilon", "to", "exp(epsilon)", "to"}};
  for (const flow::RealBounds& range : first_of(ranges)) {
    rows.push_back(ends_row({range.lower, range.lower}, {range.upper, range.upper}));
  }
  return Blocks(rows) + and_more(ranges.size());
}

}  // namespace

Blocks report_detail::blocks_of(const flow::Windows& windows) {
  if (windows.method == flow::Windows::Method::none) {
    return "\nit is not known where between these epsilons the expected loss of the analyst of the file rises\n";
  }
  Blocks text;
  if (!windows.windows.empty()) {
    text = Blocks("\nthe expected loss of the analyst of the file rises with epsilon here:\n\n") +
           windows_table(windows.windows) + proofs_table(windows.windows);
  }
  if (!windows.undecided.empty()) {
    text += Blocks(windows.is_stopped ? "\nhere it is not known whether it rises, since the search was stopped:\n\n"
                                      : "\nhere it changes so little that it is not known whether it rises:\n\n") +
            undecided_table(windows.undecided) + "\nand nowhere else in this range\n";
  }
  if (!text.empty()) return text;
  return "\nto the analyst of the file, a larger epsilon is never worth less in this range\n";
}

std::string report_detail::Blocks::text() const {
  return joined(blocks_, "", [](const Block& block) { return block.rows.empty() ? block.lines : aligned(block.rows); });
}

Blocks report_detail::blocks_of(const RefinementReport& report) {
  const flow::Refinement& refinement = report.answer.refinement;
  const Pair ends{with_decimals(report.from), with_decimals(report.to)};
  std::string text = "undecided: is epsilon = {} worth at least as much as {} to every analyst?\n";
  if (refinement.refines()) text = "refines: to every analyst, epsilon = {} is worth at least as much as {}\n";
  if (refinement.refuted()) text = "does not refine: to some analyst, epsilon = {} is worth less than {}\n";
  return Blocks(fmt::format(fmt::runtime(text), ends.from, ends.to)) + sentence(reason_of(refinement)) +
         certificate(report.answer, ends);
}

Blocks report_detail::blocks_of(const StabilityReport& report) {
  const flow::Stability& answer = report.answer;
  Blocks text = fmt::format("{} for epsilon from {} to {}\n", to_string(answer.verdict), with_decimals(report.low),
                            with_decimals(report.high));
  if (answer.verdict == flow::Stability::Verdict::stable) text += "a smaller epsilon never helps any analyst\n";
  if (answer.refutation) {
    const Pair ends{Exponent::log(answer.from).to_string(), Exponent::log(answer.to).to_string()};
    text += Blocks(fmt::format("to some analyst, epsilon = {} is worth less than {}\n", ends.from, ends.to)) +
            sentence(answer.reason) + certificate(*answer.refutation, ends);
  } else {
    text += sentence(answer.reason);
  }
  return report.windows ? text + blocks_of(*report.windows) : text;
}

namespace {

/// The decision about a range, or about its two ends only.
std::string decision_of(const AnyPriorReport& report) {
  const std::string low = with_decimals(report.low);
  const std::string high = with_decimals(report.high);
  if (!report.is_pair) {
    return fmt::format("{} for epsilon from {} to {}, for the loss of the file's analyst and any prior\n",
                       verdict_of(report), low, high);
  }
  using enum flow::Stability::Verdict;
  switch (report.answer.verdict) {
    case stable:
      return fmt::format(
          "for the loss of the file's analyst, under any prior, epsilon = {} is worth at least as much as {}\n"
          "this says nothing about other epsilons\n",
          high, low);
    case unstable:
      return fmt::format("for the loss of the file's analyst, under some prior, epsilon = {} is worth less than {}\n",
                         high, low);
    case undecided:
      break;
  }
  return fmt::format(
      "undecided: for the loss of the file's analyst, under any prior, is epsilon = {} worth at least as much as {}?\n",
      high, low);
}

}  // namespace

Blocks report_detail::blocks_of(const AnyPriorReport& report) {
  const flow::LossStability& answer = report.answer;
  const std::string text = decision_of(report) + sentence(answer.reason);
  if (!answer.refutation) return text;
  const Pair ends{Exponent::log(answer.from).to_string(), Exponent::log(answer.to).to_string()};
  std::vector<Row> rows{{"secret", "prior"}};
  for (std::size_t x = 0; x < answer.secrets.size(); ++x) {
    const Rational& p = answer.refutation->prior[x];
    if (p.sign() > 0) rows.push_back({answer.secrets[x], brief(p)});
  }
  return noted(Blocks(text) +
               fmt::format("with this prior, epsilon = {} is worth less than {}; other secrets have probability 0\n\n",
                           ends.from, ends.to) +
               rows +
               fmt::format("\nexpected loss at {}: {}\nexpected loss at {}: {}\nboth checked in exact arithmetic\n",
                           ends.from, brief(answer.refutation->loss_from), ends.to, brief(answer.refutation->loss_to)));
}

namespace {

/// The form from which certificates of refinements of pipelines are printed.
flow::PipelineRefinement named(const ComparisonReport& report) {
  return {report.answer, report.first.secrets(), report.first.observations()};
}

Blocks witness_table(const ComparisonReport& report, const flow::Witness& witness) {
  return noted(Blocks(fmt::format("\n{} can be drawn from {}, by these rows:\n\n", report.to, report.from)) +
               labelled("", report.first.observations(), report.second.observations(), witness.matrix) +
               "\nchecked in exact arithmetic\n");
}

}  // namespace

std::string to_table(const ComparisonReport& report) {
  std::string text = "undecided: is {} worth at least as much as {} to every analyst?\n";
  if (report.answer.refines()) text = "refines: to every analyst, {} is worth at least as much as {}\n";
  if (report.answer.refuted()) text = "does not refine: to some analyst, {} is worth less than {}\n";
  text = fmt::format(fmt::runtime(text), report.from, report.to) + sentence(reason_of(report.answer));
  const auto* const witness = std::get_if<flow::Witness>(&report.answer.verdict);
  const Blocks shown =
      witness != nullptr ? witness_table(report, *witness) : certificate(named(report), {report.from, report.to});
  return text + shown.text();
}

std::string to_table(const CertificateReport& report) {
  std::string unchecked;
  for (const std::string& what : report.unchecked) unchecked += "not checked: " + what + "\n";
  switch (report.outcome) {
    case CertificateReport::Outcome::holds:
      return "holds: " + report.claim + "\n" + sentence(report.about.empty() ? "" : "about " + report.about) +
             unchecked;
    case CertificateReport::Outcome::fails:
      return "fails: " + report.trouble + "\nit is not shown that " + report.claim + "\n";
    case CertificateReport::Outcome::nothing:
      break;
  }
  return "nothing to check: " + report.claim + "\n" + unchecked;
}

std::string to_table(const ExpectedLossReport& report) {
  std::vector<Row> rows{{"epsilon", with_decimals(report.epsilon)}};
  if (report.loss.lower == report.loss.upper) rows.push_back({"expected loss", report.loss.lower.to_string()});
  rows.push_back({"as a decimal", significant(report.loss, loss_digits)});
  return aligned(rows);
}

std::vector<Row> report_detail::sweep_rows(const SweepReport& report) {
  std::vector<Row> rows{{"epsilon", "as a decimal", "exp(epsilon)", "expected loss", "change"}};
  for (const flow::LossPoint& point : report.points) {
    rows.push_back({with_decimals(point.epsilon), epsilon_digits(point.epsilon), odds_digits(point.epsilon),
                    significant(point.loss, sweep_digits), flow::to_string(point.change)});
  }
  return rows;
}

std::string to_table(const RefinementReport& report) { return blocks_of(report).text(); }
std::string to_table(const StabilityReport& report) { return blocks_of(report).text(); }
std::string to_table(const AnyPriorReport& report) { return blocks_of(report).text(); }
std::string curve_to_table(const SweepReport& report) { return aligned(sweep_rows(report)); }
std::string windows_to_table(const SweepReport& report) { return blocks_of(report.windows).text(); }
std::string to_table(const SweepReport& report) { return curve_to_table(report) + windows_to_table(report); }

std::string to_table(const ChoiceReport& report) {
  Blocks blocks = blocks_of(report);
  std::size_t number = 0;
  for (const ChoosingAnalyst& analyst : report.analysts) {
    ++number;
    if (report.analysts.size() > 1) blocks += fmt::format("\nanalyst {} of {}\n", number, report.analysts.size());
    blocks += blocks_of(analyst.wanted.windows);
    if (has_answers(analyst.guess)) blocks += Blocks("\n") + blocks_of(*analyst.guess);
  }
  return blocks.text();
}

std::string to_table(const ChannelReport& report) {
  const flow::ChannelBounds& channel = report.answer;
  flow::Matrix matrix(channel.secrets.size(), channel.observations.size());
  for (std::size_t x = 0; x < matrix.rows(); ++x) {
    for (std::size_t y = 0; y < matrix.columns(); ++y) matrix(x, y) = channel.probabilities[x][y].lower;
  }
  std::string text = labelled("secret", channel.secrets, channel.observations, matrix).text();
  if (text.find('~') == std::string::npos) return text;
  return text + (report.epsilon.has_rational_exponential() ? brief_note : digits_note);
}

}  // namespace fractile
