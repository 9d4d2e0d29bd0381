// Prints what a pipeline costs a participant, in each format.
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

struct Line {
  std::string what;
  std::size_t people;
  std::optional<Exponent> epsilon;
};

std::vector<Line> lines_of(const CostReport& report) {
  std::vector<Line> lines;
  for (const AnswerCost& answer : report.answers) {
    lines.push_back({"an answer, between any two values", answer.people, answer.any_two});
    lines.push_back({"an answer, for each step between values", answer.people, answer.a_step});
  }
  lines.push_back({"the release, between one participant's values", 1, report.release});
  return lines;
}

std::string exactly(const std::optional<Exponent>& epsilon) { return epsilon ? epsilon->to_string() : "no epsilon"; }
std::string digits(const std::optional<Exponent>& epsilon) { return epsilon ? epsilon_digits(*epsilon) : ""; }

}  // namespace

std::string to_table(const CostReport& report) {
  std::vector<Row> rows{{"what", "people", "epsilon", "as a decimal"}};
  rows.push_back({"as it is called", "", report.called_epsilon.to_string(), epsilon_digits(report.called_epsilon)});
  for (const Line& line : lines_of(report)) {
    rows.push_back({line.what, fmt::format("{}", line.people), exactly(line.epsilon), digits(line.epsilon)});
  }
  return aligned(rows);
}

std::string to_csv(const CostReport& report) {
  std::string text = "what,people,epsilon,epsilon_decimal\n" +
                     csv_line({"called", "", report.called_epsilon.to_string(), epsilon_digits(report.called_epsilon)});
  for (const AnswerCost& answer : report.answers) {
    const std::string people = fmt::format("{}", answer.people);
    text += csv_line({"any-two-values", people, exactly(answer.any_two), digits(answer.any_two)});
    text += csv_line({"each-place", people, exactly(answer.a_step), digits(answer.a_step)});
  }
  return text + csv_line({"release", "1", exactly(report.release), digits(report.release)});
}

std::string to_json(const CostReport& report) {
  Document document;
  Writer& json = document.json();
  const auto epsilon = [&](const char* name, const std::optional<Exponent>& value) {
    member_or_null(json, name, value ? std::optional(value->to_string()) : std::nullopt);
  };
  member(json, "called", report.called_epsilon.to_string());
  objects(json, "answers", report.answers, [&](const AnswerCost& answer) {
    member(json, "people", static_cast<std::uint64_t>(answer.people));
    epsilon("any_two_values", answer.any_two);
    epsilon("each_place", answer.a_step);
  });
  epsilon("release", report.release);
  return document.text();
}

}  // namespace fractile
