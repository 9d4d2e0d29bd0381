// Releases as others see them: receipts, tables, CSV, pages, records of a registry; and receipts read back.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/comparing.hpp"
#include "fractile/exact.hpp"
#include "fractile/pages.hpp"
#include "fractile/release.hpp"

namespace fractile {

/// The release with all that its receipt says beside what was drawn: how wrong its values may be, the program, and the receipt itself.
/// As it is when it has one. Worst cases take their time.
Release with_receipt(Release release);

/// The receipt: one JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals (dates and times as strings), and last the SHA-256 of the rest. Nothing in it tells of the data what was not paid for or
/// declared public. For a release that was read back, this is what was read, byte for byte.
std::string to_json(const Release& release);

/// A receipt read back, of this version of the format or an older one. Throws `data` unless `text` is a receipt, byte for byte as it was
/// written: `name` says where it is from.
Release read_receipt(const std::string& text, const std::string& name);

/// The hash that a receipt ends with.
std::string sha256_of(const std::string& receipt);

struct LedgerEntry;
struct LedgerStatement;

/// Throws `usage` unless all that a receipt tells of its query is what this canonical query tells; `name` as above.
void require_receipt_of(const std::string& query, const Release& release, const std::string& name);
/// Throws `usage` unless it is that of this entry: it has its number and token, if the entry has one, and column,
/// quantiles, cost and neighbors of its query.
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
/// With intervals, that some end at the range for want of records; without, that the values are mostly noise, of all groups or of some.
/// Nothing where neither is so.
std::optional<NoiseInWords> noise_in_words(const Release& release);
/// That the released counts of some groups do not tell them from groups without records; nothing where all do, and where none were
/// released. A key with a slip in it has no records.
std::optional<NoiseInWords> empty_groups_in_words(const Release& release);

/// What is to be compared: two keys of one key column, quantile by quantile, between groups that have the same keys otherwise; or else two
/// quantiles, in every group.
struct ComparisonRequest {
  std::string first;
  std::string second;

  /// Throws `usage` unless these are two different ones of the quantiles, or of the keys of one column, and of no other
  /// one, by which two groups differ.
  void require_among(const std::vector<GroupKey>& keys, const std::vector<Rational>& quantiles) const;
};

/// One comparison of a release: `key`'s `quantile` against another key, or another quantile.
struct NamedComparison {
  GroupKey key;          ///< empty without groups
  std::string quantile;  ///< as a receipt has it
  std::string against;   ///< a key, or a quantile
  Comparison comparison;
};

/// What a release with intervals says of differences and ratios, for no further budget. Throws `usage` as
/// require_among(), and without intervals.
/// Proof: docs/proofs/intervals.md
std::vector<NamedComparison> comparisons_of(const Release& release, const ComparisonRequest& request);

/// "statistic,quantile,against,value,lower,upper" and one line per value ("value"), a "difference" and a "ratio"; with groups a
/// column "key" before the quantile. Ratios are rounded to six digits, their ends outwards.
std::string to_csv(const Release& release, const std::vector<NamedComparison>& comparisons);
/// The comparisons alone in aligned columns, and what they are.
std::string to_table(const Release& release, const std::vector<NamedComparison>& comparisons);

/// Whether it can be said of such a release how often a guess is right whether a person's value is above this limit (PageOptions::guess_above):
/// whatever its values will be. Throws `usage` for groups, for several records a person, and when the limit is not written as its
/// values are.
void require_guess(const std::string& limit, ValueKind kind, const QuantileQuery& query, bool is_grouped);

/// One page for people who decide: what was published, for whom the promise holds, how strong it is, how wrong the numbers may
/// be, what was assumed. Says nothing that the proofs do not. Throws `usage` when PageOptions::guess_above is not
/// written as the values are.
std::string explain(const Release& release, Prose prose, const std::vector<NamedComparison>& comparisons = {},
                    const PageOptions& options = {});

/// The same as a page, with its figures and, unless it is public or a character of it cannot be seen, the receipt; and what is left of
/// the budget, if the options have an account.
WebPage to_html(const Release& release, const std::vector<NamedComparison>& comparisons, const PageOptions& options);

/// The receipt that a page holds; empty when it holds none.
std::string receipt_of_page(const std::string& html);

/// The headings of a page's parts that are not as they are `made_again`, by to_html() of its receipt without options; parts that options add
/// are not compared, nor is what stands before the first heading. Empty when all that is compared is the same. A page of another version may
/// differ, too.
std::vector<std::string> altered_parts(const std::string& html, const WebPage& made_again);

/// A record for the public registry of deployments of differential privacy (github.com/opendp/deployments-registry-data), as
/// YAML. Throws `usage`, which names what the registry requires and `about` does not say.
std::string to_registry(const Release& release, const About& about);

}  // namespace fractile
