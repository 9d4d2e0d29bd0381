// Audits, columns, ledgers, plans, pipelines and channels as JSON, CSV, tables and pages. (For releases: fractile/receipts.hpp.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/ledger.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/planning.hpp"
#include "fractile/ranks.hpp"
#include "fractile/receipts.hpp"
#include "fractile/source.hpp"

namespace fractile {

// --- Audits ----------------------------------------------------------------------------------------------------------
//
// What an audit found, as JSON.
// Thread-safety: functions of their arguments, for any number of threads.

/// One JSON object: what was audited, `claimed` and `attained` (decimals) and the pair of `neighbours`.
std::string to_json(const AuditRequest& request, const AuditReport& report);

// --- Columns ---------------------------------------------------------------------------------------------------------
//
// The columns of a table, and what their cells are, as tables, CSV and JSON: for the data's owner.
// Thread-safety: functions of their arguments, for any number of threads.

/// For people: one line per column.
std::string to_table(const std::vector<TableColumn>& columns);
std::string to_csv(const std::vector<TableColumn>& columns);
/// One JSON object with the member `columns`.
std::string to_json(const std::vector<TableColumn>& columns);

// --- Ledgers ---------------------------------------------------------------------------------------------------------
//
// What a ledger holds, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.

/// balances: what the datasets may spend and have spent, and entries without receipts. everything: the whole ledger.
enum class LedgerDetail { balances, everything };

/// One JSON object; its order is that of the ledger.
std::string to_json(const LedgerStatement& statement, LedgerDetail detail);
/// balances: one line per dataset. everything: one line per entry, without receipts.
std::string to_csv(const LedgerStatement& statement, LedgerDetail detail);
/// For people: balances, then entries with the beginning of their queries.
std::string to_table(const LedgerStatement& statement);
/// The same as a page, with figures.
WebPage to_html(const LedgerStatement& statement, const PageOptions& options);

// --- Plans -----------------------------------------------------------------------------------------------------------
//
// What a release will be worth, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.

/// How often a guess about a person is right, before a release and after it.
struct PlannedGuess {
  PersonGuess guess;
  std::string limit = {};  ///< as it is printed, for a guess of whether a value is above it
  std::string reference;   ///< the name of the public table that stands for the secret one
  std::uint64_t rows = 0;  ///< the number of its records
  PersonLeakage leakage;
};

/// Which epsilons serve an analyst. The plan is for the least epsilon that is certain to serve, or for the largest one asked about.
struct PlannedAnalyst {
  ReleaseAnalyst analyst;
  ServedEpsilons served;
  std::string name;       ///< of their file
  std::string reference;  ///< as of a guess
  std::uint64_t rows = 0;
  std::size_t quantiles = 1;  ///< of the query
};

/// What a release will be worth, also under other budgets.
struct PlanReport {
  ReleasePlan plan;
  std::vector<ReleasePlan> others = {};            ///< for the chart, in increasing order of their budgets
  std::optional<std::uint64_t> wanted_error = {};  ///< in records: the error for which the budget was solved
  std::optional<PlannedGuess> guess = {};          ///< where it was asked for
  std::optional<PlannedAnalyst> analyst = {};
  /// For weighted records: then the plan's query is about units of weight, and its rows are the expected units. The functions below
  /// throw `usage` if these or the weights' mean are missing, since errors are shown as shares of the total.
  std::optional<WeightsDescription> weights = {};
};

/// A warning that intervals are expected to end at the range for want of records, or else that values are mostly noise; nothing
/// where neither is so.
std::optional<NoiseInWords> noise_in_words(const PlanReport& report);

/// One JSON object, with `guess` `analyst` and `weights` where they were asked for, and `quantiles[]` {quantile, worst_case, median, nine_in_ten} in records; null where no bound is known.
std::string to_json(const PlanReport& whole);
/// "quantile,worst_case,median,nine_in_ten" and one line per quantile.
std::string to_csv(const PlanReport& whole);
/// What the CSV has no room for: warnings, the budget that was solved for, and what was found about an analyst and a guess. Each a
/// sentence without a full stop, and what there is to know or to do.
std::vector<NoiseInWords> beside_csv(const PlanReport& whole);
/// The same in aligned columns, with an explanation and a chart of the errors against the budget.
std::string to_table(const PlanReport& whole);
/// The same as a page, with figures.
WebPage to_html(const PlanReport& whole, const PageOptions& options);

// --- Leakage ---------------------------------------------------------------------------------------------------------
//
// How often the best guess about a person succeeds, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.

struct LeakageReport {
  flow::LeakageQuestion question;
  flow::Possibilities possibilities;
  std::string promise;                 ///< as promise_of() returns it
  std::vector<flow::Leakage> answers;  ///< one; in a sweep one per epsilon, increasing
  bool is_sweep = false;
};

/// One JSON object: what is guessed, what the attacker knows, the prior of each possibility, and then `before`, `after`, `allowed`,
/// `capacity` and `capacity_allowed`, or for a sweep `points` with them. Exact numbers are fractions; others have 30 digits, or 15
/// in a sweep; null where the promise bounds nothing.
std::string to_json(const LeakageReport& report);
/// A heading, and one line per epsilon.
std::string to_csv(const LeakageReport& report);
/// The same in words; for a sweep in aligned columns.
std::string to_table(const LeakageReport& report);
/// A page for a sweep, with the figure "leakage": with the release, without it, and what epsilon alone allows.
WebPage to_html(const LeakageReport& report, const PageOptions& options);

// --- Pipelines and channels ------------------------------------------------------------------------------------------
//
// What was found about pipelines and channels, as JSON, CSV, tables and pages; and certificates, checked again.
// Thread-safety: functions of their arguments, for any number of threads.

/// Is a pipeline at one epsilon worth at least as much to every analyst as at another?
struct RefinementReport {
  Exponent from;
  Exponent to;
  flow::PipelineRefinement answer;
};

/// Does a smaller epsilon never help any analyst between these ends?
struct StabilityReport {
  Exponent low;
  Exponent high;
  flow::Stability answer;
  std::optional<flow::Windows> windows = {};             ///< of the analyst who was asked about, if one was
  std::vector<flow::LossPoint> points = {};              ///< their losses, where they are to be drawn
  std::optional<flow::RealBounds> without_release = {};  ///< likewise, as of a SweepReport
};

/// For one loss and any prior: does a larger epsilon never increase the loss between these ends, or from the lower end to the
/// higher one?
struct AnyPriorReport {
  Exponent low;
  Exponent high;
  flow::LossStability answer;
  std::optional<flow::Pipeline> about = {};  ///< whose it is
  /// Whether it is about the two ends alone, and not about epsilons between them.
  bool is_pair = false;
  std::optional<flow::Loss> loss = {};  ///< for a pair that is proved for every analyst with this loss
};

/// Is one channel worth at least as much to every analyst as another with the same secrets?
struct ComparisonReport {
  std::string from;  ///< the first one's name: "a.toml at ln 3"
  std::string to;
  flow::Channel first;
  flow::Channel second;
  flow::Refinement answer;
};

/// The result of checking a certificate again, as to_json() of one of the above printed it.
struct CertificateReport {
  enum class Outcome {
    holds,
    fails,
    nothing,  ///< there is no certificate, or its channels were too large to be written down with it
  };
  Outcome outcome;
  std::string claim;  ///< What it claims, "the second channel can be drawn from the first", or why there is nothing.
  std::string about = {};                   ///< whose channels these are, according to it
  std::string trouble = {};                 ///< why it fails
  std::vector<std::string> unchecked = {};  ///< other statements in it, which were not checked
};

/// What a certificate is claimed to be about.
struct CertifiedPipeline {
  flow::Pipeline pipeline;
  std::optional<flow::Analyst> analyst = {};
};

/// Reads a certificate and checks it by multiplying, adding and comparing in exact arithmetic. Shares no code with what finds
/// certificates. Without `of`, a certificate is checked against the channels that are written in it. With `of`, these channels are
/// multiplied out again, and everything else in the certificate is compared: names, epsilons, whose channels these are, and the
/// proofs of windows. Throws `data` when the text is no such document.
CertificateReport checked_certificate(const std::string& json);
CertificateReport checked_certificate(const std::string& json, const CertifiedPipeline& of);
/// The same for a comparison, which may still be undecided.
CertificateReport checked_certificate(const std::string& json, const ComparisonReport& of);

/// An analyst's expected loss.
struct ExpectedLossReport {
  Exponent epsilon;
  flow::RealBounds loss;  ///< equal ends are an exact number
};

/// An analyst's expected loss against epsilon.
struct SweepReport {
  std::vector<flow::LossPoint> points;
  flow::Windows windows;
  /// The loss of an analyst who acts on the prior alone, where it is to be drawn.
  std::optional<flow::RealBounds> without_release = {};
};

/// What one participant's answer costs, and how many neighboring participants give such an answer.
struct AnswerCost {
  std::size_t people;
  std::optional<Exponent> any_two;  ///< between any two values; nothing: no epsilon bounds it
  std::optional<Exponent> a_step;   ///< per place between two values, at most
};

/// What a pipeline costs a participant when it is called with an epsilon.
struct CostReport {
  Exponent called_epsilon;
  std::vector<AnswerCost> answers;  ///< none for releases; for a histogram one, that of a bar
  std::optional<Exponent> release;  ///< the cost of what is released in the end; nothing: no epsilon bounds it
};

/// One of the analysts for whom an epsilon is chosen.
struct ChoosingAnalyst {
  std::string name;  ///< of their file
  flow::Wanted wanted;
  flow::RealBounds without_release;          ///< their loss by the prior alone
  std::vector<flow::LossPoint> points = {};  ///< their losses, where they are to be drawn
  /// What an attacker gains from this file's pipeline at both ends of every range that serves, if asked for.
  std::optional<LeakageReport> guess = {};
};

/// At which epsilons between these ends the analysts lose at most what they accept.
struct ChoiceReport {
  Exponent low;
  Exponent high;
  std::vector<ChoosingAnalyst> analysts;
  std::vector<flow::ServedRange> ranges;  ///< where all of them are served

  /// The first range in which all are served.
  const flow::ServedRange* least() const;
  /// Whether it is known that every smaller epsilon leaves some analyst unserved; or, without such a range, that no epsilon serves
  /// all.
  bool is_least_certain() const;
};

struct ChannelReport {
  Exponent epsilon;
  flow::ChannelBounds answer;
};

/// How many significant digits are printed: of a single expected loss, and of the losses of a sweep.
constexpr int loss_digits = 30;
constexpr int sweep_digits = 15;

/// One JSON object each. Rationals are strings in lowest terms, epsilons as Exponent::parse reads them. A matrix is an array of
/// rows: a witness has a row and a column for each observation, a loss a row for each secret and a column for each action. Numbers
/// that are not rational are decimals that are correct up to the rounding of the last digit.
std::string to_json(const RefinementReport& report);
std::string to_json(const StabilityReport& report);
std::string to_json(const AnyPriorReport& report);
std::string to_json(const ComparisonReport& report);
std::string to_json(const CertificateReport& report);
std::string to_json(const ExpectedLossReport& report);
std::string to_json(const SweepReport& report);
std::string to_json(const ChoiceReport& report);
std::string to_json(const ChannelReport& report);
std::string to_json(const CostReport& report);

/// The same in short sentences and aligned columns.
std::string to_table(const RefinementReport& report);
std::string to_table(const StabilityReport& report);
std::string to_table(const AnyPriorReport& report);
std::string to_table(const ComparisonReport& report);
std::string to_table(const CertificateReport& report);
std::string to_table(const ExpectedLossReport& report);
std::string to_table(const SweepReport& report);
std::string to_table(const ChoiceReport& report);
std::string to_table(const ChannelReport& report);
std::string to_table(const CostReport& report);

/// A heading, and one line per question, point or secret. Certificates are only in the JSON.
std::string to_csv(const RefinementReport& report);
std::string to_csv(const StabilityReport& report);
std::string to_csv(const AnyPriorReport& report);
std::string to_csv(const ComparisonReport& report);
std::string to_csv(const CertificateReport& report);
std::string to_csv(const ExpectedLossReport& report);
std::string to_csv(const SweepReport& report);
std::string to_csv(const ChoiceReport& report);
std::string to_csv(const ChannelReport& report);
std::string to_csv(const CostReport& report);

/// Pages with figures, for the reports that have any.
WebPage to_html(const RefinementReport& report, const PageOptions& options);
WebPage to_html(const StabilityReport& report, const PageOptions& options);
WebPage to_html(const AnyPriorReport& report, const PageOptions& options);
WebPage to_html(const SweepReport& report, const PageOptions& options);
WebPage to_html(const ChoiceReport& report, const PageOptions& options);

}  // namespace fractile
