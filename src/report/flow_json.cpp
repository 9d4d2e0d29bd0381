#include <span>

#include "fractile/report.hpp"
#include "report/flow_numbers.hpp"
#include "report/json_writer.hpp"

namespace fractile {
namespace {

using report_detail::Document;
using report_detail::exact_or_digits;
using report_detail::member;
using report_detail::Pair;
using report_detail::reason_of;
using report_detail::significant;
using report_detail::text;
using report_detail::verdict_of;
using report_detail::window_epsilons;
using report_detail::window_odds;
using report_detail::with_decimals;
using report_detail::Writer;

void write(Writer& json, const std::vector<std::string>& words) {
  json.StartArray();
  for (const std::string& word : words) text(json, word);
  json.EndArray();
}

void write(Writer& json, std::span<const Rational> numbers) {
  json.StartArray();
  for (const Rational& number : numbers) text(json, number.to_string());
  json.EndArray();
}

void write(Writer& json, const flow::Matrix& matrix) {
  json.StartArray();
  for (std::size_t i = 0; i < matrix.rows(); ++i) write(json, matrix.row(i));
  json.EndArray();
}

template <class Value>
void write_member(Writer& json, const char* name, const Value& value) {
  json.Key(name);
  write(json, value);
}

void write_labels(Writer& json, const flow::PipelineRefinement& answer) {
  write_member(json, "secrets", answer.secrets);
  write_member(json, "observations", answer.observations);
}

void write_certificate(Writer& json, const flow::PipelineRefinement& answer) {
  const auto* witness = std::get_if<flow::Witness>(&answer.refinement.verdict);
  if (witness != nullptr && witness->matrix.rows() > 0) {
    write_labels(json, answer);
    write_member(json, "witness", witness->matrix);
  }
  const auto* refutation = std::get_if<flow::Counterexample>(&answer.refinement.verdict);
  if (refutation == nullptr) return;
  write_labels(json, answer);
  json.Key("counterexample");
  json.StartObject();
  write_member(json, "prior", std::span<const Rational>(refutation->prior.probabilities()));
  write_member(json, "loss", refutation->loss.matrix());
  member(json, "loss_from", refutation->loss_from.to_string());
  member(json, "loss_to", refutation->loss_to.to_string());
  json.EndObject();
}

void write_ends(Writer& json, const flow::RealBounds& from, const flow::RealBounds& to) {
  const Pair odds = window_odds(from, to);
  member(json, "odds_from", odds.from);
  member(json, "odds_to", odds.to);
  const Pair epsilons = window_epsilons(from, to);
  member(json, "epsilon_from", epsilons.from);
  member(json, "epsilon_to", epsilons.to);
}

/// How the windows were found, and so whether they are all.
const char* to_string(flow::Windows::Method method) {
  switch (method) {
    case flow::Windows::Method::isolated:
      return "isolated";
    case flow::Windows::Method::enclosed:
      return "enclosed";
    case flow::Windows::Method::scanned:
      return "scanned";
    case flow::Windows::Method::proved:
      return "proved";
    case flow::Windows::Method::none:
      break;
  }
  return "none";
}

void write_windows(Writer& json, const flow::Windows& answer) {
  member(json, "windows_by", to_string(answer.method));
  json.Key("windows");
  json.StartArray();
  for (const flow::UnstableWindow& window : answer.windows) {
    json.StartObject();
    write_ends(json, window.from, window.to);
    if (window.proof) {
      json.Key("proof");
      json.StartObject();
      member(json, "odds_from", window.proof->odds_from.to_string());
      member(json, "odds_to", window.proof->odds_to.to_string());
      member(json, "loss_from", exact_or_digits(window.proof->loss_from));
      member(json, "loss_to", exact_or_digits(window.proof->loss_to));
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
  if (answer.undecided.empty()) return;
  json.Key("undecided");
  json.StartArray();
  for (const flow::RealBounds& range : answer.undecided) {
    json.StartObject();
    write_ends(json, {range.lower, range.lower}, {range.upper, range.upper});
    json.EndObject();
  }
  json.EndArray();
}

/// Of the windows' analyst.
std::string verdict_of(const flow::Windows& answer) {
  if (!answer.windows.empty()) return "unstable";
  return answer.are_all() && answer.undecided.empty() ? "stable" : "undecided";
}

/// A document whose matrices have a line each.
class FlowDocument : public Document {
 public:
  FlowDocument() { json().SetFormatOptions(rapidjson::kFormatSingleLineArray); }
};

}  // namespace

std::string to_json(const RefinementReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", verdict_of(report.answer.refinement));
  member(json, "reason", reason_of(report.answer.refinement));
  member(json, "epsilon_from", report.from.to_string());
  member(json, "epsilon_to", report.to.to_string());
  write_certificate(json, report.answer);
  return document.text();
}

std::string to_json(const StabilityReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", verdict_of(report.answer.verdict));
  member(json, "reason", report.answer.reason);
  member(json, "epsilon_low", report.low.to_string());
  member(json, "epsilon_high", report.high.to_string());
  if (report.answer.refutation) {
    member(json, "odds_from", report.answer.from.to_string());
    member(json, "odds_to", report.answer.to.to_string());
    write_certificate(json, *report.answer.refutation);
  }
  if (report.windows) {
    json.Key("analyst");
    json.StartObject();
    member(json, "verdict", verdict_of(*report.windows));
    write_windows(json, *report.windows);
    json.EndObject();
  }
  return document.text();
}

std::string to_json(const AnyPriorReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  const flow::LossStability& answer = report.answer;
  member(json, "verdict", report_detail::verdict_of(answer.verdict));
  member(json, "reason", answer.reason);
  member(json, "epsilon_low", report.low.to_string());
  member(json, "epsilon_high", report.high.to_string());
  if (!answer.refutation) return document.text();
  member(json, "odds_from", answer.from.to_string());
  member(json, "odds_to", answer.to.to_string());
  write_member(json, "secrets", answer.secrets);
  json.Key("counterexample");
  json.StartObject();
  write_member(json, "prior", std::span<const Rational>(answer.refutation->prior.probabilities()));
  member(json, "loss_from", answer.refutation->loss_from.to_string());
  member(json, "loss_to", answer.refutation->loss_to.to_string());
  json.EndObject();
  return document.text();
}

std::string to_json(const ExpectedLossReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  member(json, "epsilon", report.epsilon.to_string());
  if (report.loss.lower == report.loss.upper) member(json, "expected_loss", report.loss.lower.to_string());
  member(json, "decimal", significant(report.loss, loss_digits));
  return document.text();
}

std::string to_json(const SweepReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  json.Key("points");
  json.StartArray();
  for (const flow::LossPoint& point : report.points) {
    json.StartObject();
    member(json, "epsilon", with_decimals(point.epsilon));
    member(json, "decimal", significant(point.loss, sweep_digits));
    member(json, "change", flow::to_string(point.change));
    json.EndObject();
  }
  json.EndArray();
  write_windows(json, report.windows);
  return document.text();
}

std::string to_json(const ChannelReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  const flow::ChannelBounds& channel = report.answer;
  member(json, "epsilon", report.epsilon.to_string());
  write_member(json, "secrets", channel.secrets);
  write_member(json, "observations", channel.observations);
  json.Key("matrix");
  json.StartArray();
  for (const std::vector<flow::RealBounds>& row : channel.probabilities) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const flow::RealBounds& probability : row) cells.push_back(exact_or_digits(probability));
    write(json, cells);
  }
  json.EndArray();
  write_member(json, "arrangements", std::span<const Rational>(report.answer.arrangements));
  return document.text();
}

}  // namespace fractile
