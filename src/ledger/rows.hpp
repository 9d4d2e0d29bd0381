// What the tables hold, read and written. Whoever calls is in a transaction of the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/store.hpp"

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
};

/// All that a ledger holds but the receipts' texts, by whole-table scans: nothing is looked up in an index, so what an index
/// lacks or misplaces cannot be overlooked. Rows are in the order of their ids.
struct Book {
  std::vector<DatasetRow> datasets;
  std::vector<EntryRow> entries;
  std::vector<LedgerEvent> events;
  std::vector<std::int64_t> receipts;  ///< the entries whose receipts are kept
};

/// Error(ledger) when a row does not hold what it should, and unless the log is whole: see require_chain, which has `head`.
Book read_book(const Store& store, const std::string& head = {});

/// Error(usage) when there is none of this name.
const DatasetRow& find_dataset(const Book& book, const Store& store, const std::string& name);
/// Error(usage) when there is none of this id.
const EntryRow& find_entry(const Book& book, const Store& store, std::int64_t id);

/// How many entries of a dataset have this charge and this state.
struct EqualCharges {
  Budget charge;
  EntryState state;
  std::int64_t count;
};

std::vector<EqualCharges> charges_of(const Book& book, std::int64_t dataset);

/// Adds a row and its line in the log; the row's id, which is the next one.
std::int64_t add_dataset(const Store& store, const Book& book, const LedgerDataset& dataset, const std::string& time);
std::int64_t add_entry(const Store& store, const Book& book, std::int64_t dataset, const LedgerRequest& request,
                       const Budget& charge, const std::string& time);

}  // namespace fractile::ledger_detail
