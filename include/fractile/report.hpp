// What a release looks like to others: JSON (also the receipt), CSV, and a receipt written durably. And what was found out
// about a pipeline, as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/audit.hpp"
#include "fractile/comparing.hpp"
#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/planning.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/source.hpp"
#include "fractile/stability.hpp"
#include "fractile/windows.hpp"

namespace fractile {

/// Where the records came from, as the user named it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  std::string null_policy;  ///< "drop" or "error"
  std::string engine;
  std::string person = {};              ///< the column by which persons' records were bounded, if one was named
  std::string by = {};                  ///< the column of the groups' keys, if there are groups
  std::vector<NamedTable> tables = {};  ///< what else the query could read
  /// Declared of the query, in digits; empty when it is row-wise. The release was asked for by over_query().
  std::string sql_stability = {};
};

/// One JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals (dates and times as strings), and last the SHA-256 of the rest. Nothing in it tells of the data what was not paid for or
/// declared public.
std::string to_json(const QuantileRelease& release, const SourceDescription& source);

/// The same with `groups` in place of `quantiles`: an object a key. What ran stands in each group unless it was the same.
std::string to_json(const GroupedRelease& groups, const SourceDescription& source);

/// A sentence without a full stop, and what to do: for a warning on standard error, in a plan and in an explanation.
struct NoiseInWords {
  std::string what;
  std::string hint;
};
NoiseInWords in_words(const MostlyNoise& noise);
/// Of a release, or of groups with these keys: nothing where none of them is mostly noise. Error(usage) unless there is one a key.
std::optional<NoiseInWords> in_words(const std::vector<std::optional<MostlyNoise>>& noises,
                                     const std::vector<std::string>& keys);

/// A receipt that was read back. Numbers are as they stand in it, with all their decimals, and dates and times as value_text() has them.
struct Receipt {
  /// Of an interval; empty without.
  struct Ends {
    std::string lower = {};
    std::string upper = {};
    bool or_below = false;  ///< the lower end is the range's
    bool or_above = false;
  };
  struct Published {
    std::string quantile;
    std::string value;
    std::optional<std::string> rank_error;
    Ends interval = {};
    Ends in_pairs = {};  ///< at level_in_pairs()
  };
  struct Spent {
    std::string on;
    std::string amount;  ///< of epsilon, or of rho under zCDP
  };
  struct Group {
    std::string key;
    std::string mechanism;
    std::string reason;       ///< of auto's choice; empty otherwise
    std::string granularity;  ///< that the values were found to have; empty when it was not looked for
    std::string heaping;      ///< that many values were found to be multiples of this; empty when they were not
    std::vector<Published> quantiles;
    std::vector<Spent> spent = {};  ///< empty in receipts of older programs
    std::optional<MostlyNoise> noise = {};
  };
  std::string program;
  std::vector<Group> groups;  ///< one without a key, unless source.by says by what
  Budget budget;
  std::string neighbors;
  std::string records_per_person;
  std::string lattice;  ///< the possible values, in words
  bool regular_lattice = true;
  SourceDescription source;
  std::string confidence;
  std::string rows;      ///< the worst case is that of tables of at most so many records
  std::string together;  ///< empty when no bound is known
  std::string rounded;   ///< empty when nothing is rounded to a granularity that was found
  std::string without;   ///< why not
  std::string public_records;
  std::string unsafe_seed;
  std::string bounds_share;  ///< of the budget, when it found the bounds
  std::string sha256;
  std::string interval_level = {};     ///< of intervals; empty without
  std::string interval_of = {};        ///< "table" or "population"
  bool intervals_together = false;     ///< the level is that of all intervals of a release, or of a group, at once
  ValueKind kind = ValueKind::number;  ///< of the published values

  /// Of the groups, in order; none without.
  std::vector<std::string> keys() const;
  /// That the values are mostly noise, of all groups or of some; nothing where they are more.
  std::optional<NoiseInWords> noise() const;
};

/// Error(data) unless `text` is a receipt of this format, byte for byte as it was written: `name` tells where it is from.
Receipt read_receipt(const std::string& text, const std::string& name);

/// Error(usage) unless all that a receipt tells of its query is what this canonical query tells; `name` as above.
void require_receipt_of(const std::string& query, const Receipt& receipt, const std::string& name);

/// What is to be compared: two keys, quantile by quantile; or else two quantiles, in every group.
struct ComparisonRequest {
  std::string first;
  std::string second;

  /// Error(usage) unless these are two different ones of the keys, or of the quantiles.
  void require_among(const std::vector<std::string>& keys, const std::vector<Rational>& quantiles) const;
};

/// One comparison of a release: `key`'s `quantile` against another key, or another quantile.
struct NamedComparison {
  std::string key;  ///< empty without groups
  std::string quantile;
  std::string against;
  Comparison comparison;
};

/// What a receipt with intervals tells of differences and ratios, for no further budget. Error(usage) as require_among(), and
/// without intervals.
/// Proof: docs/proofs/intervals.md
std::vector<NamedComparison> comparisons_of(const Receipt& receipt, const ComparisonRequest& request);

/// "statistic,quantile,against,value,lower,upper" and a line a value ("value"), a "difference" and a "ratio"; with groups a column "key"
/// before the quantile. Ratios are rounded to six digits, their ends outwards.
std::string to_csv(const Receipt& receipt, const std::vector<NamedComparison>& comparisons);
/// The comparisons alone in aligned columns, and what they are.
std::string to_table(const Receipt& receipt, const std::vector<NamedComparison>& comparisons);

enum class Prose { text, markdown };

/// One page for people who decide: what was published, for whom the promise holds, how strong it is, how wrong the numbers may
/// be, what was assumed. Says nothing that the proofs do not.
std::string explain(const Receipt& receipt, Prose prose, const std::vector<NamedComparison>& comparisons = {});

/// One JSON object: what was audited, `claimed` and `attained` (decimals) and the pair of `neighbours`.
std::string to_json(const AuditRequest& request, const AuditReport& report);

/// What a release will be worth, and under other budgets.
struct PlanReport {
  ReleasePlan plan;
  std::vector<ReleasePlan> others = {};      ///< for the chart, in increasing order of their budgets
  std::optional<std::uint64_t> wanted = {};  ///< records: the error that the budget was solved for
};

/// One JSON object, with `quantiles[]` {quantile, worst_case, median, nine_in_ten} in records; null where no bound is known.
std::string to_json(const PlanReport& report);
/// "quantile,worst_case,median,nine_in_ten" and a line a quantile.
std::string to_csv(const PlanReport& report);
/// The same in aligned columns, what it all means, and a chart of the errors against the budget.
std::string to_table(const PlanReport& report);

/// "quantile,value" and a line a quantile; a third column unsafe_seed when the bits were reproducible.
std::string to_csv(const QuantileRelease& release);
/// The same after a first column "key"; keys are quoted where they must be.
std::string to_csv(const GroupedRelease& groups);
/// As that of the release it is about.
std::string to_csv(const Receipt& receipt);

/// The same in aligned columns, and under them what was promised, what ran, and what was left out.
std::string to_table(const QuantileRelease& release, const SourceDescription& source);
std::string to_table(const GroupedRelease& groups, const SourceDescription& source);
/// Only the columns.
std::string to_table(const Receipt& receipt);

/// Error(usage) unless a new file can be created at `path`; leaves nothing behind. `what`: how messages call it.
void require_writable(const std::string& path, const std::string& what = "receipt");

/// Is a regular file with exactly this text at `path`?
bool is_written(const std::string& path, const std::string& text);

/// Creates `path` with `text` durably, readable by its owner alone: a file without a name, synced, then given its name;
/// never replaces a file. Error(data) when that fails, with nothing left behind.
void write_durably(const std::string& path, const std::string& text, const std::string& what = "receipt");

/// What else determines a release, as the user typed it.
struct ReleaseDetails {
  std::string input_format = {};  ///< of a text file; empty: found out, and so its delimiter
  std::string delimiter = {};
  bool single_line_records = false;  ///< as in TableOptions
  bool public_rows = false;
  std::vector<std::string> keys = {};         ///< of the groups
  std::optional<Rational> bounds_share = {};  ///< of the budget, for bounds that are to be found
  /// What the table is: the canonical path of a file, which begins with a slash, or a name that was declared; empty when
  /// nothing is known, and then equal queries need not be about the same table.
  std::string source = {};
  /// The tables of a query, by the canonical paths of their files.
  std::vector<NamedTable> tables = {};
};

/// All that determines a release but the table and the random bits, as one line of JSON: for ledgers, in which equal texts
/// are the same query. docs/ledger.md lists its members. The engine is not among them.
std::string canonical_query(const QuantileQuery& query, const Lattice& lattice, const SourceDescription& source,
                            const ReleaseDetails& details);

/// What a dataset pins, as the fields of a release that keep to it; empty when that is nothing.
Words pins_in_words(const LedgerDataset& dataset);

/// balances: what the datasets may spend and have spent, and entries without receipts. everything: all that there is.
enum class LedgerDetail { balances, everything };

/// One JSON object; its order is that of the ledger.
std::string to_json(const LedgerStatement& statement, LedgerDetail detail);
/// balances: a line a dataset. everything: a line an entry, without receipts.
std::string to_csv(const LedgerStatement& statement, LedgerDetail detail);
/// For people: balances, then entries with the beginning of their queries.
std::string to_table(const LedgerStatement& statement);

/// Is a pipeline at one epsilon worth at least as much to every analyst as at another?
struct RefinementReport {
  Exponent from;
  Exponent to;
  flow::PipelineRefinement answer;
};

/// Does less epsilon never help any analyst between these ends?
struct StabilityReport {
  Exponent low;
  Exponent high;
  flow::Stability answer;
  std::optional<flow::Windows> windows = {};             ///< of the analyst who was asked about, if one was
  std::vector<flow::LossPoint> points = {};              ///< their losses, where they are to be drawn
  std::optional<flow::RealBounds> without_release = {};  ///< likewise, as of a SweepReport
};

/// For one loss and any prior: does more epsilon never cost between these ends, or at the higher one what it is at the lower one?
struct AnyPriorReport {
  Exponent low;
  Exponent high;
  flow::LossStability answer;
  std::optional<flow::Pipeline> about = {};  ///< whose it is
};

/// Is one channel worth at least as much to every analyst as another with the same secrets?
struct ComparisonReport {
  std::string from;  ///< what the first one is called: "a.toml at ln 3"
  std::string to;
  flow::Channel first;
  flow::Channel second;
  flow::Refinement answer;
};

/// A certificate as it was printed by to_json() of one of the above, looked at again.
struct CertificateReport {
  enum class Outcome {
    holds,
    fails,
    nothing,  ///< there is none, or its channels were too large to be written down with it
  };
  Outcome outcome;
  std::string claim;  ///< what it is to show, or why there is nothing: "the second channel can be drawn from the first"
  std::string about = {};  ///< whose channels they are, as it says
};

/// Reads one, and multiplies, adds and compares in exact arithmetic: shares no code with what finds certificates.
/// Error(data) when the text is no such document.
CertificateReport checked_certificate(const std::string& json);

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

struct ChannelReport {
  Exponent epsilon;
  flow::ChannelBounds answer;
};

/// How many significant digits are printed: of one expected loss, and of a sweep's.
constexpr int loss_digits = 30;
constexpr int sweep_digits = 15;

/// One JSON object each. Rationals are strings in lowest terms, epsilons as Exponent::parse reads them. Of matrices, a row is
/// an array: a witness has a row and a column an observation, a loss a row a secret and a column an action. Numbers that are
/// not rational are decimals of which at most the last digit is rounded.
std::string to_json(const RefinementReport& report);
std::string to_json(const StabilityReport& report);
std::string to_json(const AnyPriorReport& report);
std::string to_json(const ComparisonReport& report);
std::string to_json(const CertificateReport& report);
std::string to_json(const ExpectedLossReport& report);
std::string to_json(const SweepReport& report);
std::string to_json(const ChannelReport& report);

/// The same in short sentences and aligned columns.
std::string to_table(const RefinementReport& report);
std::string to_table(const StabilityReport& report);
std::string to_table(const AnyPriorReport& report);
std::string to_table(const ComparisonReport& report);
std::string to_table(const CertificateReport& report);
std::string to_table(const ExpectedLossReport& report);
std::string to_table(const SweepReport& report);
std::string to_table(const ChannelReport& report);

/// A heading, and a line a question, point or secret. Certificates are only in the JSON.
std::string to_csv(const RefinementReport& report);
std::string to_csv(const StabilityReport& report);
std::string to_csv(const AnyPriorReport& report);
std::string to_csv(const ComparisonReport& report);
std::string to_csv(const CertificateReport& report);
std::string to_csv(const ExpectedLossReport& report);
std::string to_csv(const SweepReport& report);
std::string to_csv(const ChannelReport& report);

}  // namespace fractile
