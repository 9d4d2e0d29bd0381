// What the tables hold, read and written. Callers are in a transaction of the store.
#pragma once

#include <optional>
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
  std::string hashed;  ///< its fields, as the log's hashes take them
};

struct EntryRow {
  std::int64_t dataset;
  LedgerEntry entry;  ///< without its receipt
  std::string hashed;
  bool has_token;     ///< since format 3
  bool can_be_found;  ///< by its query's digest
};

/// All that a ledger holds but the receipts' texts, by whole-table scans: nothing is looked up in an index, so what an index
/// lacks or misplaces cannot be overlooked. Rows are in the order of their ids.
struct Book {
  std::vector<DatasetRow> datasets;
  std::vector<EntryRow> entries;
  std::vector<LedgerEvent> events;
  std::vector<std::int64_t> receipts;  ///< the entries whose receipts are kept
  Sums sums;

  Head head() const { return events.empty() ? Head{} : Head{events.back().id, events.back().hash}; }
};

/// Throws `ledger` when a row does not hold what it should, and unless the log is whole (see require_chain, which has
/// `head`) and its lines carry the sums that their entries have. With `damage`, what is wrong is noted there, and left
/// out.
Book read_book(const Store& store, const std::string& head = {}, Damage* damage = nullptr);

/// The contents of a row; throws `ledger` when they are not valid.
DatasetRow dataset_at(const Store& store, const Fields& row);
EntryRow entry_at(const Store& store, const Fields& row, const std::vector<DatasetRow>& datasets);
/// What a line of the log says of its entry.
void note(EntryRow& row, const Line& line);

/// Throws `usage` when there is none of this name.
const DatasetRow& find_dataset(const std::vector<DatasetRow>& datasets, const Store& store, const std::string& name);
/// Throws `usage` when there is none of this id.
const EntryRow& find_entry(const Book& book, const Store& store, std::int64_t id);

/// How many entries of a dataset have this charge and this state.
struct EqualCharges {
  Budget charge;
  EntryState state;
  std::int64_t count;
};

std::vector<EqualCharges> charges_of(const Book& book, std::int64_t dataset);

/// How a source is read since an entry that fixed it.
LedgerSource source_fixed_by(const LedgerEntry& entry);
/// How a source of a dataset is read, when an entry that counts has fixed it.
std::optional<LedgerSource> source_of(const Book& book, const std::string& dataset, const std::string& source);
/// All of them.
std::vector<LedgerSource> sources_of(const Book& book);

/// Adds a row and its line in the log; the row's id is the next one. Every text is read back before it is written.
void add_dataset(const Store& store, const Head& head, const Sums& sums, const LedgerDataset& dataset,
                 const std::string& time);
LedgerReservation add_entry(const Store& store, const Head& head, const Sums& sums, const DatasetRow& dataset,
                            const LedgerRequest& request, const Budget& charge, const std::string& time);

}  // namespace fractile::ledger_detail
