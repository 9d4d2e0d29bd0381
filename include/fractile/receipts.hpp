// Releases as others see them: receipts, tables, CSV and pages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/ledger.hpp"
#include "fractile/release.hpp"

namespace fractile {

// --- Pages -----------------------------------------------------------------------------------------------------------
//
// Pages to look at: one self-contained HTML file each, without scripts, requests or anything that depends on a clock. Their figures
// are SVG, with a table of the same numbers beneath. Equal inputs give equal bytes. A report's to_html() stands beside its
// to_json(). This section also has the formats of explanations in words.
// Thread-safety: functions of their arguments, for any number of threads.

enum class Prose { text, markdown };

/// What a publisher says about a release, in their own words; empty: not said.
struct About {
  std::string title = {};
  std::string curator = {};  ///< who publishes
  std::string use = {};      ///< what for
  std::string region = {};   ///< what it is about
  std::string date = {};     ///< of publication: "2026-05-01"
  std::string contact = {};
  std::string description = {};
  std::string curator_type = {};  ///< "Government", "Industry" or "Nonprofit", as in the registry
  std::string sector = {};        ///< "Technology", "Healthcare", "Education", "Government", "Energy" or "Finance"
  std::string author = {};        ///< who fills in the registry's record; empty: the curator
};

/// What a page is made of besides its report.
struct PageOptions {
  About about = {};
  /// A public page: without paths, queries, columns of persons and the names of ledgers' datasets, all of which a receipt has.
  bool is_public = false;
  std::optional<LedgerAccount> account = {};  ///< of the people whom a release is about
  /// A limit: a release's page says how often an attacker guesses correctly whether a person's value is above the limit, if it lies
  /// between the least and the greatest published value.
  std::string guess_above = {};
};

/// A file that belongs to a page: a figure or its table.
struct PageFile {
  std::string name;  ///< "release.svg", "release.csv"
  std::string text;
};

struct WebPage {
  std::string html;
  std::vector<PageFile> files = {};
};

// --- Receipts --------------------------------------------------------------------------------------------------------
//
// Releases as others see them: receipts, tables, CSV, pages, records of a registry; and receipts read back.
// Thread-safety: functions of their arguments, for any number of threads.

/// The release with everything in its receipt that was not drawn: how wrong its values may be, the program, and the receipt itself.
/// A release that has a receipt is returned unchanged. Computing worst cases takes a while.
Release with_receipt(Release release);

/// The receipt: one JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals (dates and times as strings), and last the SHA-256 of the rest. It reveals nothing about the data that was not paid for
/// or declared public. For a release that was read back, it is the text that was read, byte for byte.
std::string to_json(const Release& release);

/// The most bytes of a receipt that read_receipt() accepts. publish() keeps no receipt that could be larger. SQLite and PostgreSQL keep
/// texts of up to about 1,000,000,000 bytes.
inline constexpr std::size_t most_receipt_bytes = std::size_t{900} << 20;

/// A receipt read back, of this version of the format or an older one. Throws `data` unless `text` is a receipt, byte for byte as
/// it was written; messages call it `name`.
Release read_receipt(const std::string& text, const std::string& name);

/// The hash that a receipt ends with.
std::string sha256_of(const std::string& receipt);

struct LedgerEntry;
struct LedgerStatement;

/// Throws `usage` unless everything that a receipt says about its query agrees with this canonical query; `name` as above.
void require_receipt_of(const std::string& query, const Release& release, const std::string& name);
/// Throws `usage` unless the receipt is that of this entry: it has the entry's number and token, if the entry has one, and the
/// column, quantiles, cost and neighbors of the entry's query.
void require_own_receipt(const LedgerEntry& entry, const Release& release, const std::string& name);
/// Throws `ledger` and names the first committed entry with a token whose receipt is not its own. Only for entries of releases,
/// whose queries are those of canonical_query().
void require_own_receipts(const LedgerStatement& statement);

/// "quantile,value" and one line per quantile. Further columns:
/// * With groups, "key" comes first, quoted where necessary. With several key columns, each has a column of its name, with "key."
///   before it where the name is one of this table's other columns.
/// * With intervals, "lower" and "upper" come after the value.
/// * With reproducible bits, unsafe_seed comes last.
std::string to_csv(const Release& release);
/// The same in aligned columns, and under them what was promised, what ran, and what was left out.
std::string to_table(const Release& release);

/// A warning: a sentence without a full stop, and what to do. For standard error, plans and explanations.
struct NoiseInWords {
  std::string what;
  std::string hint;
};
/// With intervals, a warning that some of them end at the range for want of records. Without intervals, a warning that the values
/// of all or some groups are mostly noise. Nothing where neither holds.
std::optional<NoiseInWords> noise_in_words(const Release& release);
/// A warning that the released counts of some groups do not distinguish them from groups without records; nothing where all counts
/// do, and where no counts were released. A mistyped key has no records.
std::optional<NoiseInWords> empty_groups_in_words(const Release& release);

/// What to compare. Either two keys of one key column: then each quantile is compared between groups that agree in all other keys.
/// Or two quantiles: then they are compared in every group.
struct ComparisonRequest {
  std::string first;
  std::string second;

  /// Throws `usage` unless these are two different quantiles of the release, or two different keys of exactly one column such that
  /// two groups differ in this column alone.
  void require_among(const std::vector<GroupKey>& keys, const std::vector<Rational>& quantiles) const;
};

/// One comparison of a release: `key`'s `quantile` against another key, or another quantile.
struct NamedComparison {
  GroupKey key;          ///< empty without groups
  std::string quantile;  ///< as in a receipt
  std::string against;   ///< a key, or a quantile
  Comparison comparison;
};

/// The differences and ratios that follow from a release with intervals, at no further cost. Throws `usage` as require_among()
/// does, and without intervals.
/// Proof: docs/proofs/intervals.md
std::vector<NamedComparison> comparisons_of(const Release& release, const ComparisonRequest& request);

/// "statistic,quantile,against,value,lower,upper" and one line per value ("value"), a "difference" and a "ratio"; with groups a
/// column "key" before the quantile. Ratios are rounded to six digits, their ends outwards.
std::string to_csv(const Release& release, const std::vector<NamedComparison>& comparisons);
/// Only the comparisons, in aligned columns, with an explanation.
std::string to_table(const Release& release, const std::vector<NamedComparison>& comparisons);

/// One page for people who decide: what was published, for whom the promise holds, how strong it is, how wrong the numbers may be,
/// and what was assumed. It claims nothing that the proofs do not. Throws `usage` when PageOptions::guess_above is not written as
/// the values are.
std::string explain(const Release& release, Prose prose, const std::vector<NamedComparison>& comparisons = {},
                    const PageOptions& options = {});

/// The same as a page, with figures and, if the options have an account, what is left of the budget. It contains the receipt,
/// unless the page is public or the receipt has a character that cannot be seen.
WebPage to_html(const Release& release, const std::vector<NamedComparison>& comparisons, const PageOptions& options);

/// A record for the public registry of deployments of differential privacy (github.com/opendp/deployments-registry-data), as YAML.
/// Throws `usage` and names what the registry requires and `about` lacks.
std::string to_registry(const Release& release, const About& about);

}  // namespace fractile
