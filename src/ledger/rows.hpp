// What the tables hold, read and written. Whoever calls holds a transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/sqlite.hpp"

namespace fractile::ledger_detail {

struct DatasetRow {
  std::int64_t id;
  LedgerDataset dataset;
};

/// Error(ledger) when a row does not hold what it should.
std::vector<DatasetRow> read_datasets(const Connection& connection);
/// Error(usage) when there is none of this name.
DatasetRow read_dataset(const Connection& connection, const std::string& name);

/// How many entries of a dataset have this charge and this state.
struct EqualCharges {
  Budget charge;
  EntryState state;
  std::int64_t count;
};

std::vector<EqualCharges> read_charges(const Connection& connection, std::int64_t dataset);

/// Without their receipts.
std::vector<LedgerEntry> read_entries(const Connection& connection);
/// Error(usage) when there is none of this id.
LedgerEntry read_entry(const Connection& connection, std::int64_t id);
std::optional<std::string> read_receipt(const Connection& connection, std::int64_t entry);
std::vector<LedgerEvent> read_events(const Connection& connection);

/// Their ids.
std::int64_t insert_dataset(const Connection& connection, const LedgerDataset& dataset);
std::int64_t insert_entry(const Connection& connection, std::int64_t dataset, const LedgerRequest& request,
                          const Budget& charge);
void insert_receipt(const Connection& connection, std::int64_t entry, const std::string& text);

}  // namespace fractile::ledger_detail
