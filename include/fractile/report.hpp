// What a release looks like to others: JSON (also the receipt), CSV, and a receipt written durably. And what was found out
// about a pipeline, as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/audit.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/quantiles.hpp"

namespace fractile {

/// Where the records came from, as the user named it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  std::string null_policy;  ///< "drop" or "error"
  std::string engine;
  std::string person = {};  ///< the column by which persons' records were bounded, if one was named
  std::string by = {};      ///< the column of the groups' keys, if there are groups
};

/// One JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals. Nothing in it tells of the data what was not paid for or declared public.
std::string to_json(const QuantileRelease& release, const SourceDescription& source);

/// The same with `groups` in place of `quantiles`: an object a key. What ran stands in each group unless it was the same.
std::string to_json(const GroupedRelease& groups, const SourceDescription& source);

/// One JSON object: what was audited, `claimed` and `attained` (decimals) and the pair of `neighbours`.
std::string to_json(const AuditRequest& request, const AuditReport& report);

/// "quantile,value" and a line a quantile; a third column unsafe_seed when the bits were reproducible.
std::string to_csv(const QuantileRelease& release);
/// The same after a first column "key"; keys are quoted where they must be.
std::string to_csv(const GroupedRelease& groups);

/// Error(usage) unless a new file can be created at `path`; leaves nothing behind.
void require_writable(const std::string& path);

/// Creates `path` with `text` durably: a new file beside it, synced, then given its name; never replaces a file.
/// Error(data) when that fails, with nothing left behind.
void write_durably(const std::string& path, const std::string& text);

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
  std::optional<std::vector<flow::UnstableWindow>> windows = {};  ///< of the analyst who was asked about, if one was
};

/// An analyst's expected loss.
struct UtilityReport {
  Exponent epsilon;
  flow::RealBounds loss;  ///< equal ends are an exact number
};

/// An analyst's expected loss against epsilon.
struct SweepReport {
  struct Point {
    Exponent epsilon;
    flow::RealBounds loss;
    bool rises;  ///< certainly: inside one of the windows, or, where they cannot be isolated, above the point before
  };
  std::vector<Point> points;
  std::vector<flow::UnstableWindow> windows;
  bool isolated = true;  ///< the windows are all there are, not only those that the points come upon
};

struct ChannelReport {
  Exponent epsilon;
  flow::ChannelBounds answer;
};

/// How many significant digits are printed: of one expected loss, and of a sweep's.
constexpr int utility_digits = 30;
constexpr int sweep_digits = 15;

/// One JSON object each. Rationals are strings in lowest terms, epsilons as Exponent::parse reads them. Of matrices, a row is
/// an array: a witness has a row and a column an observation, a loss a row a secret and a column an action. Numbers that are
/// not rational are decimals of which at most the last digit is rounded.
std::string to_json(const RefinementReport& report);
std::string to_json(const StabilityReport& report);
std::string to_json(const UtilityReport& report);
std::string to_json(const SweepReport& report);
std::string to_json(const ChannelReport& report);

/// The same in short sentences and aligned columns.
std::string to_table(const RefinementReport& report);
std::string to_table(const StabilityReport& report);
std::string to_table(const UtilityReport& report);
std::string to_table(const SweepReport& report);
std::string to_table(const ChannelReport& report);

/// A heading, and a line a question, point or secret. Certificates are only in the JSON.
std::string to_csv(const RefinementReport& report);
std::string to_csv(const StabilityReport& report);
std::string to_csv(const UtilityReport& report);
std::string to_csv(const SweepReport& report);
std::string to_csv(const ChannelReport& report);

}  // namespace fractile
