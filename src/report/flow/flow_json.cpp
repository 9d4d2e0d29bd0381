#include <span>

#include "exact/own_environment.hpp"
#include "fractile/reports.hpp"
#include "report/flow/choice.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/flow/leakage_blocks.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/text/json_writer.hpp"

namespace fractile {

using namespace report_detail;

namespace {

void write_list(Writer& json, const std::vector<std::string>& words) {
  list(json, words, [&](const std::string& word) { text(json, word); });
}

void write_list(Writer& json, std::span<const Rational> numbers) {
  list(json, numbers, [&](const Rational& number) { text(json, number.to_string()); });
}

void write_list(Writer& json, const flow::Matrix& matrix) {
  json.StartArray();
  for (std::size_t i = 0; i < matrix.rows(); ++i) write_list(json, matrix.row(i));
  json.EndArray();
}

template <class Value>
void write_member(Writer& json, const char* name, const Value& value) {
  json.Key(name);
  write_list(json, value);
}

void write_counterexample(Writer& json, const flow::Counterexample& refutation) {
  object(json, "counterexample", [&] {
    write_member(json, "prior", std::span<const Rational>(refutation.prior.probabilities()));
    write_member(json, "loss", refutation.loss.matrix());
    member(json, "loss_from", refutation.loss_from.to_string());
    member(json, "loss_to", refutation.loss_to.to_string());
  });
}

/// Writes the channels against which certificates are checked.
void write_channels(Writer& json, const std::optional<Channels>& channels) {
  if (!channels) return;
  write_member(json, "channel_from", channels->from.matrix());
  write_member(json, "channel_to", channels->to.matrix());
}

void write_certificate(Writer& json, const flow::PipelineRefinement& answer, const Rational& from, const Rational& to) {
  const auto* witness = std::get_if<flow::Witness>(&answer.refinement.verdict);
  const auto* refutation = std::get_if<flow::Counterexample>(&answer.refinement.verdict);
  if (witness == nullptr && refutation == nullptr) return;
  if (answer.about) member(json, "about", whose(answer));
  if (answer.are_losses_bounds) member(json, "losses", "bounds");
  write_member(json, "secrets", answer.secrets);
  write_member(json, "observations", answer.observations);
  if (witness != nullptr && witness->matrix.rows() > 0) write_member(json, "witness", witness->matrix);
  if (refutation != nullptr) write_counterexample(json, *refutation);
  write_channels(json, brief_channels(answer, from, to));
}

/// The odds if they are rational, and otherwise 1: certificates are about rational odds only.
Rational odds_or_one(const Exponent& epsilon) {
  return epsilon.has_rational_exponential() ? epsilon.exponential() : Rational(1);
}

void write_ends(Writer& json, const Pair& odds, const Pair& epsilons) {
  member(json, "odds_from", odds.from);
  member(json, "odds_to", odds.to);
  member(json, "epsilon_from", epsilons.from);
  member(json, "epsilon_to", epsilons.to);
}

void write_proof(Writer& json, const flow::Rise& proof) {
  object(json, "proof", [&] {
    member(json, "odds_from", proof.odds_from.to_string());
    member(json, "odds_to", proof.odds_to.to_string());
    member(json, "loss_from", exact_or_digits(proof.loss_from));
    member(json, "loss_to", exact_or_digits(proof.loss_to));
  });
}

void write_windows(Writer& json, const flow::Windows& answer) {
  member(json, "windows_by", to_string(answer.method));  // says whether these are all windows
  objects(json, "windows", answer.windows, [&](const flow::UnstableWindow& window) {
    write_ends(json, window_odds(window.from, window.to), window_epsilons(window.from, window.to));
    if (window.proof) write_proof(json, *window.proof);
  });
  if (answer.undecided.empty()) return;
  objects(json, "undecided", answer.undecided, [&](const flow::RealBounds& range) {
    const flow::RealBounds from{range.lower, range.lower};
    const flow::RealBounds to{range.upper, range.upper};
    write_ends(json, window_odds(from, to), window_epsilons(from, to));
  });
}

/// The verdict for the windows' analyst.
std::string verdict_of(const flow::Windows& answer) {
  if (!answer.windows.empty()) return "unstable";
  return answer.are_all() && answer.undecided.empty() ? "stable" : "undecided";
}

/// A document with one line per matrix.
class FlowDocument : public Document {
 public:
  FlowDocument() { json().SetFormatOptions(rapidjson::kFormatSingleLineArray); }
};

}  // namespace

std::string to_json(const RefinementReport& report) {
  const OwnEnvironment own;
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", verdict_of(report.answer.refinement));
  member(json, "reason", reason_of(report.answer.refinement));
  member(json, "epsilon_from", report.from.to_string());
  member(json, "epsilon_to", report.to.to_string());
  write_certificate(json, report.answer, odds_or_one(report.from), odds_or_one(report.to));
  return document.text();
}

std::string to_json(const StabilityReport& report) {
  const OwnEnvironment own;
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", to_string(report.answer.verdict));
  member(json, "reason", report.answer.reason);
  member(json, "epsilon_low", report.low.to_string());
  member(json, "epsilon_high", report.high.to_string());
  if (report.answer.theorem != flow::Theorem::none) member(json, "theorem", flow::to_string(report.answer.theorem));
  if (report.answer.refutation) {
    member(json, "odds_from", report.answer.from.to_string());
    member(json, "odds_to", report.answer.to.to_string());
    write_certificate(json, *report.answer.refutation, report.answer.from, report.answer.to);
  }
  if (report.windows) {
    object(json, "analyst", [&] {
      member(json, "verdict", verdict_of(*report.windows));
      write_windows(json, *report.windows);
    });
  }
  return document.text();
}

std::string to_json(const AnyPriorReport& report) {
  const OwnEnvironment own;
  FlowDocument document;
  Writer& json = document.json();
  const flow::LossStability& answer = report.answer;
  member(json, "verdict", verdict_of(report));
  member(json, "reason", answer.reason);
  member(json, report.is_pair ? "epsilon_from" : "epsilon_low",
         (report.is_pair ? report.high : report.low).to_string());
  member(json, report.is_pair ? "epsilon_to" : "epsilon_high", (report.is_pair ? report.low : report.high).to_string());
  if (answer.refinement) write_certificate(json, *answer.refinement, answer.from, answer.to);
  if (!answer.refutation && !answer.remaps) return document.text();
  if (!report.is_pair) {
    member(json, "odds_from", answer.from.to_string());
    member(json, "odds_to", answer.to.to_string());
  }
  if (report.about) member(json, "about", whose(*report.about));
  write_member(json, "secrets", answer.secrets);
  if (answer.refutation) write_counterexample(json, *answer.refutation);
  if (answer.remaps && report.loss) {
    write_member(json, "loss", report.loss->matrix());
    list(json, "randomized", answer.remaps->randomized, [&](const flow::Matrix& each) { write_list(json, each); });
  }
  if (report.about) write_channels(json, brief_channels(*report.about, answer.from, answer.to));
  return document.text();
}

std::string to_json(const ComparisonReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", verdict_of(report.answer));
  member(json, "reason", reason_of(report.answer));
  member(json, "from", report.from);
  member(json, "to", report.to);
  write_member(json, "secrets", report.first.secrets());
  write_member(json, "observations_from", report.first.observations());
  write_member(json, "observations_to", report.second.observations());
  if (const auto* witness = std::get_if<flow::Witness>(&report.answer.verdict)) {
    write_member(json, "witness", witness->matrix);
  }
  if (const auto* refutation = std::get_if<flow::Counterexample>(&report.answer.verdict)) {
    write_counterexample(json, *refutation);
  }
  write_member(json, "channel_from", report.first.matrix());
  write_member(json, "channel_to", report.second.matrix());
  return document.text();
}

std::string to_json(const CertificateReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  member(json, "certificate", report_detail::to_string(report.outcome));
  member(json, "claim", report.claim);
  member(json, "about", report.about);
  if (!report.trouble.empty()) member(json, "trouble", report.trouble);
  write_member(json, "unchecked", report.unchecked);
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
  objects(json, "points", report.points, [&](const flow::LossPoint& point) {
    member(json, "epsilon", with_decimals(point.epsilon));
    member(json, "epsilon_decimal", epsilon_digits(point.epsilon));
    member(json, "odds", exact_odds(point.epsilon));
    member(json, "odds_decimal", odds_digits(point.epsilon));
    member(json, "decimal", significant(point.loss, sweep_digits));
    member(json, "change", flow::to_string(point.change));
  });
  write_windows(json, report.windows);
  return document.text();
}

namespace {

void write_ranges(Writer& json, const char* name, const std::vector<flow::ServedRange>& ranges) {
  objects(json, name, ranges, [&](const flow::ServedRange& range) {
    const SafeEnds ends = safe_ends(range);
    write_ends(json, ends.odds, ends.epsilons);
  });
}

}  // namespace

std::string to_json(const ChoiceReport& report) {
  using enum flow::ServedRange::Answer;
  FlowDocument document;
  Writer& json = document.json();
  member(json, "verdict", report_detail::verdict_of(report));
  member(json, "epsilon_low", report.low.to_string());
  member(json, "epsilon_high", report.high.to_string());
  if (const flow::ServedRange* const least = report.least()) {
    const SafeEnds ends = safe_ends(*least);
    member(json, "least_epsilon", ends.epsilons.from);
    member(json, "least_odds", ends.odds.from);
    truth(json, "is_least_certain", report.is_least_certain());
  }
  write_ranges(json, "served", ranges_with(report, served));
  write_ranges(json, "not_served", ranges_with(report, not_served));
  write_ranges(json, "not_known", ranges_with(report, unknown));
  objects(json, "analysts", report.analysts, [&](const ChoosingAnalyst& one) {
    member(json, "file", one.name);
    member(json, "most_loss", one.wanted.most_loss.to_string());
    member(json, "without_release", exact_or_digits(one.without_release));
    write_windows(json, one.wanted.windows);
    if (!has_answers(one.guess)) return;
    object(json, "leakage", [&] { write_members(json, *one.guess); });
  });
  return document.text();
}

std::string to_json(const ChannelReport& report) {
  FlowDocument document;
  Writer& json = document.json();
  const flow::ChannelBounds& channel = report.answer;
  member(json, "epsilon", report.epsilon.to_string());
  write_member(json, "secrets", channel.secrets);
  write_member(json, "observations", channel.observations);
  list(json, "matrix", channel.probabilities, [&](const std::vector<flow::RealBounds>& row) {
    list(json, row, [&](const flow::RealBounds& probability) { text(json, exact_or_digits(probability)); });
  });
  write_member(json, "arrangements", std::span<const Rational>(report.answer.arrangements));
  return document.text();
}

}  // namespace fractile
