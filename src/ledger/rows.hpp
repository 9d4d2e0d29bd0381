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

/// Those of one dataset, or all; without their receipts.
std::vector<LedgerEntry> read_entries(const Connection& connection, std::optional<std::int64_t> dataset = {});
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
