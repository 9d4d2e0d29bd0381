// Reads and writes the rows of the tables. All functions are called within a transaction of the store.
#pragma once

#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"
#include "ledger/store.hpp"
#include "ledger/sums.hpp"

namespace fractile::ledger_detail {

struct DatasetRow {
  std::int64_t id;
  LedgerDataset dataset;
  std::string hashed;  ///< its fields, as the log hashes them
};

struct EntryRow {
  std::int64_t dataset;
  LedgerEntry entry;  ///< without its receipt
  std::string hashed;
  bool has_token;     ///< entries have tokens since format 3
  bool can_be_found;  ///< whether its digest of the query, if it has one, is right
};

/// All that a ledger holds except the receipts' texts, read by scans of whole tables. The scans use no index, so they find rows that an
/// index lacks or misplaces. Rows are in the order of their ids.
struct Book {
  std::vector<DatasetRow> datasets;
  std::vector<EntryRow> entries;
  std::vector<LedgerEvent> events;
  std::vector<std::int64_t> receipts;  ///< the entries whose receipts are kept
  Sums sums;

  Head head() const { return events.empty() ? Head{} : Head{events.back().id, events.back().hash}; }
};

/// Throws `ledger` when a row cannot be read, when the log is not whole (see require_chain, which also takes `head`), or when a line's
/// sums are not those of its entries. With `damage`, the errors are noted there instead, and rows that cannot be read are left out.
Book read_book(const Store& store, const std::string& head = {}, Damage* damage = nullptr);

/// The contents of a row; throws `ledger` when they are not valid.
DatasetRow dataset_at(const Store& store, const Fields& row);
EntryRow entry_at(const Store& store, const Fields& row, const std::vector<DatasetRow>& datasets);
/// Sets what a line of the log says about its entry.
void note(EntryRow& row, const Line& line);

/// Throws `usage` when there is no dataset of this name.
const DatasetRow& find_dataset(const std::vector<DatasetRow>& datasets, const Store& store, const std::string& name);
/// Throws `usage` when there is no entry with this id.
const EntryRow& find_entry(const Book& book, const Store& store, std::int64_t id);

/// How many entries of a dataset have this charge and this state.
struct EqualCharges {
  Budget charge;
  EntryState state;
  std::int64_t count;
};

std::vector<EqualCharges> charges_of(const Book& book, std::int64_t dataset);

/// How a source is read, as this entry fixed it.
LedgerSource source_fixed_by(const LedgerEntry& entry);
/// How a source of a dataset is read, as an entry that counts has fixed it. If none has, how every source of the dataset is read that
/// has a file of this source.
std::vector<LedgerSource> sources_of(const Book& book, const std::string& dataset, const std::string& source);
/// All sources whose reading an entry has fixed.
std::vector<LedgerSource> sources_of(const Book& book);

/// Adds a row, whose id is the next one, and its line in the log. Before a row is written, it is parsed, so that it can be read again.
void add_dataset(const Store& store, const Head& head, const Sums& sums, const LedgerDataset& dataset,
                 const std::string& time);
LedgerReservation add_entry(const Store& store, const Head& head, const Sums& sums, const DatasetRow& dataset,
                            const LedgerRequest& request, const Budget& charge, const std::string& time);

}  // namespace fractile::ledger_detail
