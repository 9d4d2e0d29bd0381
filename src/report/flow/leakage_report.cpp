// How often the best guess about a person succeeds, printed.
#include <algorithm>
#include <optional>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/flow/leakage_blocks.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/page.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

using flow::Guess;
using flow::Leakage;
using flow::RealBounds;

constexpr int percent_digits = 6;
constexpr std::size_t longest_prior = 24;
constexpr std::size_t longest_exact = 200;  // characters of a fraction in JSON
constexpr std::size_t most_listed = 12;     // possibilities in a sentence

// --- In words --------------------------------------------------------------------------------------------------------

std::string guessed_in_words(const LeakageReport& report) {
  const std::size_t count = report.possibilities.names.size();
  switch (report.question.guess.about) {
    case Guess::About::presence:
      return "whether the target participates";
    case Guess::About::property:
      return fmt::format("which of {} is true of the target's value: {}", count,
                         fmt::join(report.possibilities.names, "; "));
    case Guess::About::value:
      break;
  }
  return fmt::format("the target's value, one of {}", count);
}

std::string known_in_words(const LeakageReport& report) {
  const flow::Pipeline& pipeline = report.question.pipeline;
  const std::size_t others = pipeline.participants - 1;
  if (others == 0) return "the prior alone; there are no others";
  if (pipeline.secret.kind != flow::Secret::Kind::target) {
    return fmt::format("only the prior of all {} participants' values, and nobody's value", pipeline.participants);
  }
  return others == 1 ? "the value of the one other participant" : fmt::format("the values of all {} others", others);
}

std::string prior_in_words(const flow::Possibilities& possibilities) {
  const std::vector<Rational>& priors = possibilities.priors;
  if (std::ranges::all_of(priors, [&](const Rational& p) { return p == priors.front(); })) return "uniform";
  std::string words;
  for (std::size_t i = 0; i < std::min(priors.size(), most_listed); ++i) {
    const std::string p = priors[i].to_string();
    words += (i == 0 ? "" : ", ") + possibilities.names[i] + ": " +
             (p.size() <= longest_prior ? p : significant({priors[i], priors[i]}, percent_digits));
  }
  return priors.size() <= most_listed ? words : fmt::format("{}, and {} more", words, priors.size() - most_listed);
}

std::string fraction_of(const RealBounds& value) {
  if (value.lower != value.upper) return "";
  std::string fraction = value.lower.to_string();
  return fraction.size() <= longest_prior ? fraction : "";
}

std::string percent(const RealBounds& value) {
  return significant({value.lower * Rational(100), value.upper * Rational(100)}, percent_digits) + " %";
}

/// A probability as a percentage, and as a fraction where that is short.
Row probability_row(const std::string& what, const RealBounds& value) {
  return {what, percent(value), fraction_of(value)};
}

Row bound_row(const std::string& what, const std::optional<RealBounds>& value, const std::string& why) {
  return value ? Row{what, percent(*value), why} : Row{what, "100 %", why};
}

// --- For programs ----------------------------------------------------------------------------------------------------

std::string digits_of(const RealBounds& value, int digits) {
  if (value.lower == value.upper) {
    std::string fraction = value.lower.to_string();
    if (fraction.size() <= longest_exact) return fraction;
  }
  return significant(value, digits);
}

void optional_bounds(Writer& json, const char* name, const std::optional<RealBounds>& value, int digits) {
  member_or_null(json, name, value ? std::optional(digits_of(*value, digits)) : std::nullopt);
}

const char* name_of(Guess::About about) {
  switch (about) {
    case Guess::About::presence:
      return "presence";
    case Guess::About::property:
      return "property";
    case Guess::About::value:
      break;
  }
  return "value";
}

void write_answer(Writer& json, const Leakage& answer, int digits) {
  member(json, "epsilon", answer.epsilon.to_string());
  optional_bounds(json, "before", answer.before, digits);
  optional_bounds(json, "after", answer.after, digits);
  optional_bounds(json, "allowed", answer.allowed, digits);
  optional_bounds(json, "capacity", answer.capacity, digits);
  optional_bounds(json, "capacity_allowed", answer.capacity_allowed, digits);
}

std::string cell_of(const std::optional<RealBounds>& value) { return value ? significant(*value, sweep_digits) : ""; }

Rational factor_of(const Rational& upper, const Rational& lower) {
  return lower.sign() > 0 ? upper / lower : Rational(0);
}

/// The factor by which the release raises the probability that the best guess is right.
RealBounds gain_of(const Leakage& answer) {
  return {factor_of(answer.after.lower, answer.before.upper), factor_of(answer.after.upper, answer.before.lower)};
}

std::vector<Row> setting_rows(const LeakageReport& report) {
  return {{"guessed", guessed_in_words(report)},
          {"the attacker knows", known_in_words(report)},
          {"prior", prior_in_words(report.possibilities)}};
}

std::vector<Row> answer_rows(const LeakageReport& report, const Leakage& answer) {
  std::vector<Row> rows{{"the best guess is right", "", ""},
                        probability_row("without the release", answer.before),
                        probability_row("with it", answer.after),
                        bound_row("epsilon alone allows", answer.allowed, report.promise),
                        {"", "", ""},
                        {"how many times as often as before, at most", "", ""},
                        {"under this prior", significant(gain_of(answer), percent_digits), ""},
                        {"whatever the prior and the guess", significant(answer.capacity, percent_digits),
                         "the multiplicative Bayes capacity"}};
  if (answer.capacity_allowed) {
    rows.push_back({"epsilon alone allows", significant(*answer.capacity_allowed, percent_digits), ""});
  }
  return rows;
}

std::vector<Row> curve_rows(const LeakageReport& report) {
  std::vector<Row> rows{{"epsilon", "as a decimal", "before", "after", "allowed", "capacity"}};
  for (const Leakage& answer : report.answers) {
    rows.push_back({with_decimals(answer.epsilon), epsilon_digits(answer.epsilon), cell_of(answer.before),
                    cell_of(answer.after), answer.allowed ? cell_of(answer.allowed) : "1", cell_of(answer.capacity)});
  }
  return rows;
}

std::string line_of(const Row& row) { return row.front() + ": " + row.back(); }

/// The row as a complete sentence.
std::string paragraph_of(const Row& row) {
  std::string line = line_of(row) + ".";
  line.front() = static_cast<char>(line.front() - 'a' + 'A');  // the names of settings begin with a small letter
  return line;
}

figures::Figure leakage_figure(const LeakageReport& report) {
  figures::Line after{"with the release"};
  figures::Line before{"without it", "", 2, 2, 0};
  figures::Line allowed{"epsilon alone allows", "", 1, 1, 0};
  for (const Leakage& answer : report.answers) {
    const double x = answer.epsilon.to_double();
    const auto add = [x](figures::Line& line, double y) { line.points.push_back({x, y, y, y}); };
    add(after, middle_of(answer.after));
    add(before, middle_of(answer.before));
    add(allowed, answer.allowed ? middle_of(*answer.allowed) : 1);
  }
  const figures::Axis x{false, after.points.front().x, after.points.back().x};
  return {"leakage",
          "How often the best guess is right",
          "",
          "epsilon",
          "right guesses",
          {{"", x, figures::Axis{false, 0, 1}, {std::move(after), std::move(before), std::move(allowed)}}},
          fmt::format("{} points; the table has them.", report.answers.size())};
}

}  // namespace

namespace report_detail {

Blocks blocks_of(const LeakageReport& report) {
  std::string setting = joined(setting_rows(report), "", [](const Row& row) { return line_of(row) + "\n"; });
  std::vector<Row> rows{{"epsilon", "right before", "right with the release", "epsilon alone allows"}};
  for (const Leakage& answer : report.answers) {
    rows.push_back({with_decimals(answer.epsilon), percent(answer.before), percent(answer.after),
                    answer.allowed ? percent(*answer.allowed) : "100 %"});
  }
  return Blocks(std::move(setting)) + "\n" + std::move(rows);
}

std::vector<std::vector<std::string>> guess_cells(const LeakageReport& report) {
  return mapped(report.answers, [](const Leakage& answer) {
    return std::vector{with_decimals(answer.epsilon), cell_of(answer.before), cell_of(answer.after),
                       cell_of(answer.allowed)};
  });
}

void write_members(Writer& json, const LeakageReport& report) {
  member(json, "guess", name_of(report.question.guess.about));
  member(json, "knows", known_in_words(report));
  member(json, "promise", report.promise);
  objects(json, "possibilities", report.possibilities.names.size(), [&](std::size_t i) {
    member(json, "name", report.possibilities.names[i]);
    member(json, "prior", report.possibilities.priors[i].to_string());
  });
  if (!report.is_sweep) return write_answer(json, report.answers.front(), loss_digits);
  objects(json, "points", report.answers, [&](const Leakage& answer) {
    write_answer(json, answer, sweep_digits);
    member(json, "epsilon_decimal", epsilon_digits(answer.epsilon));
    member(json, "odds_decimal", odds_digits(answer.epsilon));
  });
}

}  // namespace report_detail

std::string to_json(const LeakageReport& report) {
  Document document;
  report_detail::write_members(document.json(), report);
  return document.text();
}

std::string to_csv(const LeakageReport& report) {
  std::string lines = "epsilon,before,after,allowed,capacity,capacity_allowed,epsilon_decimal\n";
  for (const Leakage& answer : report.answers) {
    lines +=
        csv_line({with_decimals(answer.epsilon), cell_of(answer.before), cell_of(answer.after), cell_of(answer.allowed),
                  cell_of(answer.capacity), cell_of(answer.capacity_allowed), epsilon_digits(answer.epsilon)});
  }
  return lines;
}

std::string to_table(const LeakageReport& report) {
  constexpr std::size_t left = 3;
  const std::string setting = aligned(setting_rows(report), left);
  if (report.is_sweep) return setting + "\n" + aligned(curve_rows(report));
  const Leakage& answer = report.answers.front();
  return setting + "\n" + aligned(answer_rows(report, answer), left);
}

WebPage to_html(const LeakageReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  page.title(options.about.title.empty() ? "How often the best guess about a person is right" : options.about.title);
  page.section("The guess");
  for (const Row& row : setting_rows(report)) page.paragraph(paragraph_of(row));
  page.section("How often it is right");
  page.figure(leakage_figure(report));
  page.paragraph(fmt::format("What epsilon alone allows rests on {}.", report.promise));
  page.table({"leakage", "Right guesses at each epsilon"}, curve_rows(report));
  return std::move(page).finished();
}

}  // namespace fractile
