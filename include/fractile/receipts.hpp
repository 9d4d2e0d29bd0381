// Releases as others see them: receipts, tables, CSV and pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ledger.hpp"
#include "fractile/release.hpp"

namespace fractile {

// --- Pages -----------------------------------------------------------------------------------------------------------
//
// Pages to look at: one self-contained HTML file each, without scripts, requests or anything that depends on a clock. Their
// figures are SVG, with a table of the same numbers beneath. Equal inputs give equal bytes. A report's to_html() stands beside its
// to_json(). Also the formats in which an explanation in words is written.
// Thread-safety: functions of their arguments, for any number of threads.

enum class Prose { text, markdown };

/// What a publisher says of a release, in their own words; empty: not said.
struct About {
  std::string title = {};
  std::string curator = {};  ///< who publishes
  std::string use = {};      ///< what for
  std::string region = {};   ///< what it is about
  std::string date = {};     ///< of publication: "2026-05-01"
  std::string contact = {};
  std::string description = {};
  std::string curator_type = {};  ///< "Government", "Industry" or "Nonprofit", as the registry has it
  std::string sector = {};        ///< "Technology", "Healthcare", "Education", "Government", "Energy" or "Finance"
  std::string author = {};        ///< who fills in the registry's record; the curator unless said
};

/// What a page is made of besides its report.
struct PageOptions {
  About about = {};
  /// A public page: without paths, queries, columns of persons and the names of ledgers' datasets, all of which a receipt has.
  bool is_public = false;
  std::optional<LedgerAccount> account = {};  ///< of the people whom a release is about
  /// A limit: a release's page says how often a guess is right whether a person's value is above it, if the limit lies between the least
  /// and the greatest published value.
  std::string guess_above = {};
  std::string command = {};  ///< the command that was typed, one line: pages of plans and pipelines end with it
};

/// A file beside a page: a figure or its table.
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

/// The release with all that its receipt says besides what was drawn: how wrong its values may be, the program, and the receipt
/// itself. A release that has a receipt stays as it is. Computing worst cases takes a while.
Release with_receipt(Release release);

/// The receipt: one JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals (dates and times as strings), and last the SHA-256 of the rest. It reveals nothing about the data that was not paid for
/// or declared public. For a release that was read back, this is what was read, byte for byte.
std::string to_json(const Release& release);

/// A receipt read back, of this version of the format or an older one. Throws `data` unless `text` is a receipt, byte for byte as it was
/// written: `name` says where it is from.
Release read_receipt(const std::string& text, const std::string& name);

/// The hash that a receipt ends with.
std::string sha256_of(const std::string& receipt);

struct LedgerEntry;
struct LedgerStatement;

/// Throws `usage` unless all that a receipt says of its query agrees with this canonical query; `name` as above.
void require_receipt_of(const std::string& query, const Release& release, const std::string& name);
/// Throws `usage` unless the receipt is that of this entry: it has the entry's number and token, if the entry has one, and the
/// column, quantiles, cost and neighbors of the entry's query.
void require_own_receipt(const LedgerEntry& entry, const Release& release, const std::string& name);
/// Throws `ledger`, which names the first committed entry with a token whose receipt is not its own. This is for releases, which
/// have the queries of canonical_query().
void require_own_receipts(const LedgerStatement& statement);

/// "quantile,value" and one line per quantile; with groups after a first column "key", quoted where it must be; with several key
/// columns after one for each, by its name, with "key." before it where this table has a column of that name itself; with intervals
/// "lower" and "upper" after the value; and a last column unsafe_seed when the bits were reproducible.
std::string to_csv(const Release& release);
/// The same in aligned columns, and under them what was promised, what ran, and what was left out.
std::string to_table(const Release& release);

/// A sentence without a full stop, and what to do: for a warning on standard error, in a plan and in an explanation.
struct NoiseInWords {
  std::string what;
  std::string hint;
};
/// With intervals, a warning that some end at the range for want of records; without, that the values of all or some groups are
/// mostly noise. Nothing where neither is so.
std::optional<NoiseInWords> noise_in_words(const Release& release);
/// A warning that the released counts of some groups do not distinguish them from groups without records; nothing where all counts
/// do, and where no counts were released. A mistyped key has no records.
std::optional<NoiseInWords> empty_groups_in_words(const Release& release);

/// What is to be compared: two keys of one key column, quantile by quantile, between groups that have the same keys otherwise; or else two
/// quantiles, in every group.
struct ComparisonRequest {
  std::string first;
  std::string second;

  /// Throws `usage` unless these are two different quantiles of the release, or two different keys of one column, and of no other,
  /// by which two groups differ.
  void require_among(const std::vector<GroupKey>& keys, const std::vector<Rational>& quantiles) const;
};

/// One comparison of a release: `key`'s `quantile` against another key, or another quantile.
struct NamedComparison {
  GroupKey key;          ///< empty without groups
  std::string quantile;  ///< as a receipt has it
  std::string against;   ///< a key, or a quantile
  Comparison comparison;
};

/// What a release with intervals says about differences and ratios, at no further cost. Throws `usage` as require_among() does, and
/// without intervals.
/// Proof: docs/proofs/intervals.md
std::vector<NamedComparison> comparisons_of(const Release& release, const ComparisonRequest& request);

/// "statistic,quantile,against,value,lower,upper" and one line per value ("value"), a "difference" and a "ratio"; with groups a
/// column "key" before the quantile. Ratios are rounded to six digits, their ends outwards.
std::string to_csv(const Release& release, const std::vector<NamedComparison>& comparisons);
/// Only the comparisons, in aligned columns, with an explanation.
std::string to_table(const Release& release, const std::vector<NamedComparison>& comparisons);

/// Checks, whatever the values will be, that a page of such a release can say how often a guess is right about whether a person's
/// value is above this limit (PageOptions::guess_above). Throws `usage` for groups, for several records a person, and when the
/// limit is not written as its values are.
void require_guess(const std::string& limit, ValueKind kind, const QuantileQuery& query, bool is_grouped);

/// One page for people who decide: what was published, for whom the promise holds, how strong it is, how wrong the numbers may
/// be, what was assumed. It claims nothing that the proofs do not. Throws `usage` when PageOptions::guess_above is not
/// written as the values are.
std::string explain(const Release& release, Prose prose, const std::vector<NamedComparison>& comparisons = {},
                    const PageOptions& options = {});

/// The same as a page, with its figures and, unless it is public or a character of it cannot be seen, the receipt; and what is left of
/// the budget, if the options have an account.
WebPage to_html(const Release& release, const std::vector<NamedComparison>& comparisons, const PageOptions& options);

/// The receipt in a page; empty when the page has none.
std::string receipt_of_page(const std::string& html);

/// The headings of those parts of a page that differ from the page `made_again` by to_html() from its receipt without options.
/// Parts that options add are not compared, nor is anything before the first heading. Empty when all compared parts are equal. A
/// page of another version may differ, too.
std::vector<std::string> altered_parts(const std::string& html, const WebPage& made_again);

/// A record for the public registry of deployments of differential privacy (github.com/opendp/deployments-registry-data), as
/// YAML. Throws `usage`, which names what the registry requires and `about` does not say.
std::string to_registry(const Release& release, const About& about);

}  // namespace fractile
