// A ledger's current state, read from the log's last line: what may be spent is decided without reading the past.
// docs/proofs/ledger_transactions.md says why no damaged index and no damaged page decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/rows.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// Made and used within one transaction of the store. Functions throw `ledger` when the rows
/// that they read contradict each other. They read the whole book when the last line carries no
/// sums (in an older format), and when the rows that an index finds do not answer the question.
class Present {
 public:
  explicit Present(const Store& store);

  const Head& head() const { return head_; }
  const Sums& sums() const { return sums_; }

  const std::vector<DatasetRow>& datasets() const;
  /// Throws `usage` when there is no dataset of this name.
  const DatasetRow& dataset(const std::string& name) const;

  /// The entries with these numbers and tokens; `nullopt` for one that does not exist. Their states come from all lines since the first
  /// of these entries was reserved.
  std::vector<std::optional<LedgerEntry>> reserved(const std::vector<LedgerReservation>& reservations) const;
  /// The last committed entry of a query that has a receipt in the ledger, with this receipt. With `cost`, the last one at this cost.
  std::optional<LedgerEntry> committed(const DatasetRow& dataset, const std::string& query,
                                       const Budget* cost = nullptr) const;
  /// How a source is read, as its first release that counts fixed it. If there was none, how every source is read that has a file of
  /// this source: their readings hold for the files that they share.
  std::vector<LedgerSource> sources(const DatasetRow& dataset, const std::string& source) const;
  /// The reserved entries whose receipt will be written to this path: one release, or those of one publication.
  std::vector<LedgerEntry> promised(const std::string& receipt_path) const;

 private:
  const Book& book() const;
  /// Finds the entries for reserved() through indices; `nullopt` when the indices do not lead to all of them.
  std::optional<std::vector<std::optional<LedgerEntry>>> reserved_by_lines(
      const std::vector<LedgerReservation>& reservations) const;
  std::optional<LedgerEntry> entry(std::int64_t id) const;

  const Store* store_;
  Head head_;
  Sums sums_;
  mutable std::optional<Book> book_;
  mutable std::vector<DatasetRow> datasets_;
};

}  // namespace fractile::ledger_detail
