// Receipts: releases read back, compared, explained and published as pages and records of a registry.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/comparing.hpp"
#include "fractile/dates.hpp"
#include "fractile/exact.hpp"
#include "fractile/pages.hpp"
#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "fractile/release_report.hpp"

namespace fractile {

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
    bool interpolated = false;  ///< some of the quantiles, between selected ones
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
  std::string entry = {};              ///< the number of the ledger's entry that paid for it; empty without
  std::string token = {};              ///< of that entry
  /// From how many records on the bounds that were found hold all quantiles at `confidence`; empty when nothing is known of that.
  std::string bounds_enough_records = {};

  /// Of the groups, in order; none without.
  std::vector<std::string> keys() const;
  /// That the values are mostly noise, of all groups or of some; nothing where they are more.
  std::optional<NoiseInWords> noise() const;
};

/// Error(data) unless `text` is a receipt of this format, byte for byte as it was written: `name` tells where it is from.
Receipt read_receipt(const std::string& text, const std::string& name);

struct LedgerEntry;
struct LedgerStatement;

/// Error(usage) unless all that a receipt tells of its query is what this canonical query tells; `name` as above.
void require_receipt_of(const std::string& query, const Receipt& receipt, const std::string& name);
/// Error(usage) unless it is that of this entry: it has its number and token, if the entry has one, and column, quantiles, cost and
/// neighbors of its query.
void require_own_receipt(const LedgerEntry& entry, const Receipt& receipt, const std::string& name);
/// Error(ledger) names the first committed entry with a token whose receipt is not its own; of releases, which have the queries of
/// canonical_query().
void require_own_receipts(const LedgerStatement& statement);

/// As the CSV of the release it is about.
std::string to_csv(const Receipt& receipt);
/// As its table: only the columns.
std::string to_table(const Receipt& receipt);

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

/// One page for people who decide: what was published, for whom the promise holds, how strong it is, how wrong the numbers may
/// be, what was assumed. Says nothing that the proofs do not. `guess_above` as of PageOptions. Throws `usage` when it is no limit between
/// the least and the greatest published value, and of groups and of several records a person.
std::string explain(const Receipt& receipt, Prose prose, const std::vector<NamedComparison>& comparisons = {},
                    const std::string& guess_above = {});

/// What was published, for whom the promise holds, how strong it is, how wrong the numbers may be, what was assumed, what is
/// not protected, and what is left of the budget. It says what explain() says, and nothing that was not paid for.
WebPage to_html(const Receipt& receipt, const std::vector<NamedComparison>& comparisons, const PageOptions& options);

/// The receipt that a page holds; empty when it holds none.
std::string receipt_of_page(const std::string& html);

/// A record for the public registry of deployments of differential privacy (github.com/opendp/deployments-registry-data), as
/// YAML. Error(usage) names what the registry requires and `about` does not say.
std::string to_registry(const Receipt& receipt, const About& about);

}  // namespace fractile
