// A publication, from its source to its tables: it is refused, charged, counted in one reading, drawn, committed and written as a
// whole.
// Thread-safety: as fractile/publication.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/pages.hpp"
#include "fractile/publication.hpp"
#include "fractile/publication_plan.hpp"

namespace fractile {

/// What is asked of a source.
struct PublicationRequest {
  Publication publication;
  std::string receipt = {};  ///< where it is written, a new file; empty: nowhere
  /// Reproducible and not private: for tests and lessons. Not with a payment.
  std::optional<std::uint64_t> unsafe_seed = {};
};

/// A level of a table, as it was published.
struct PublishedLevel {
  std::size_t table;  ///< in Publication::tables
  std::size_t level;  ///< in PublicationTable::levels
  Release release;    ///< of the level's cells, with its receipt
  /// The entry of a ledger that held it: it was published before, at the cost that it has, and nothing was spent for it now.
  std::optional<LedgerEntry> stored = {};
};

/// What a publication got.
struct PublishedTables {
  Publication publication;
  std::vector<PublishedLevel> levels;  ///< those that draw something, as parts() has them
  /// The totals of tables without quantiles: they draw nothing and cost nothing, as their statistics are sums of their finest levels'. Their
  /// releases have keys, and the receipt of the finest level.
  std::vector<PublishedLevel> sums = {};
  std::optional<LedgerAccount> account = {};  ///< of the dataset that paid, this publication included
  std::string receipt = {};                   ///< byte for byte
  Words kept = {};                            ///< where it is kept, in words, for when it cannot be shown

  /// What all levels together cost, those that a ledger held included.
  Spending cost() const;
};

/// All tables of a publication, in the order of publish() of a release: every column is counted in one reading, all levels are charged in one
/// transaction, each as an entry of its own, and all of them are committed in one. A level's profiles are sums of those of the table's
/// finest cells. With Publication::person, the same records of each person count in all tables that are drawn: they are sampled as
/// whole records, whatever they hold (RecordSelection::whole_records). The records of a profile file were sampled when it was
/// counted. A level that the ledger holds, whatever it cost, is taken as it is: its cost counts in the publication's budget, and
/// the other levels share the rest of it in their proportions. Throws `budget_refused` where nothing is left for them, and where
/// the ledger does not have enough, before a record is read. With Payment::again all of it is drawn anew, at the full price.
/// Otherwise throws as publish() and parts() do.
/// Proof: docs/proofs/publication.md
PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment,
                        Attendant& attendant);
PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment = {});

/// All levels that are shown, drawn or sums of drawn ones, in the order of tables and of their levels. They are those of `tables`.
std::vector<const PublishedLevel*> levels_of(const PublishedTables& tables);
std::vector<const PublishedLevel*> levels_of(PublishedTables&& tables) = delete;

/// What a table's counts, shares and means have in common; nothing for a table without any.
std::optional<StatisticsTerms> statistics_terms(const PublishedTables& tables, std::size_t table);
/// The statistics of each cell of a level, in the order of its release's groups: those that were released beside its quantiles, or at a margin
/// the sums of the released numbers of its finest cells, so that rows and columns add up. Empty for a table without any.
std::vector<Statistics> statistics_of(const PublishedTables& tables, const PublishedLevel& level);

/// The receipt: a description of the publication, and the receipts of its levels, each as it is by itself. One JSON object;
/// docs/receipt.md lists its members.
std::string receipt_of(const PublishedTables& tables);
/// Reads such a receipt. Throws `data` for a text that is none; `name` is how messages call it.
PublishedTables read_publication_receipt(const std::string& text, const std::string& name);
/// Whether a text is a publication's receipt, and not that of a release.
bool is_publication_receipt(const std::string& text);

/// One line per value, in the order of tables, levels, cells and statistics: "table", the names of all key columns, "statistic",
/// "quantile", "value", "lower", "upper", "mark". A key column by which a level has no cells is empty there.
std::string to_csv(const PublishedTables& tables);
/// For a terminal: one table per level, with what was promised and what it cost.
std::string to_table(const PublishedTables& tables);

/// In plain language, for people who decide: what was published, for whom the promise holds and how strong it is, what each level cost, how
/// wrong the numbers may be, what was left out. Says nothing that the proofs do not. Ignores PageOptions::guess_above.
std::string explain(const PublishedTables& tables, Prose prose, const PageOptions& options = {});
/// The same as a page: each table as readers know it, rows by columns where it has two key columns, with labels, totals, marks and intervals;
/// and, unless it is public, the receipt. A function of the receipt and of the options.
WebPage to_html(const PublishedTables& tables, const PageOptions& options = {});
/// A record of all tables together for the public registry of deployments, as to_registry() makes one for a release. Throws
/// `usage` likewise.
std::string to_registry(const PublishedTables& tables, const About& about);

}  // namespace fractile
