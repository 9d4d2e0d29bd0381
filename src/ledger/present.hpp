// A ledger as it is now, from its last line: what may be spent is decided without reading the past.
// docs/proofs/ledger_transactions.md says why no index and no page that is wrong decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/rows.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {

/// Callers are in a transaction of the store, and ask only there. Throws `ledger` where what is read contradicts
/// itself. Where the last line carries no sums (an older format's), and where an index leads to what does not decide,
/// the whole book is read.
class Present {
 public:
  explicit Present(const Store& store);

  const Head& head() const { return head_; }
  const Sums& sums() const { return sums_; }

  const std::vector<DatasetRow>& datasets() const;
  /// Throws `usage` when there is none of this name.
  const DatasetRow& dataset(const std::string& name) const;

  /// The entries of these numbers and tokens, with their states, by all lines since the first of them was reserved; none where there is
  /// none.
  std::vector<std::optional<LedgerEntry>> reserved(const std::vector<LedgerReservation>& reservations) const;
  /// The last committed entry of a query whose receipt was kept, with its receipt.
  std::optional<LedgerEntry> committed(const DatasetRow& dataset, const std::string& query) const;
  /// How a source is read since its first release that counts.
  std::optional<LedgerSource> source(const DatasetRow& dataset, const std::string& source) const;
  /// A reserved entry whose receipt will be written there.
  std::optional<LedgerEntry> promised(const std::string& receipt_path) const;

 private:
  const Book& book() const;
  /// The same by their lines; nothing where an index does not lead to all of them.
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
