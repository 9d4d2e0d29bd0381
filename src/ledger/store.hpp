// Where a ledger's tables lie. What they mean, and what may be spent, is decided above: here are rows and transactions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fractile::ledger_detail {

/// The columns of a row as texts, as the log's hashes take them; none for NULL.
using Fields = std::vector<std::optional<std::string>>;

/// The tables, with the columns of a row in their order.
enum class Table {
  datasets,  ///< id, name, unit, neighbors, measure, epsilon, rho, delta, person, records_per_person, source, reading
  entries,   ///< id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, source, person,
             ///< records_per_person, reading, nonce, question
  events,    ///< id, time, kind, receipt_sha256, reason, the dataset's or entry's id, hash, sums
  receipts,  ///< entry, text
};

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// How errors call it: a path, or an address without its password.
  virtual const std::string& name() const = 0;

  /// Runs `look`, which sees the tables as of one moment. A store may run it again from its start.
  virtual void read(const std::function<void()>& look) const = 0;
  /// Runs `change` as one transaction: it happens as if no other were under way, and durably, or not at all. A store may run
  /// it again from its start, after a run that changed nothing. Error(ledger) when nothing was changed; or, in words that
  /// say so, when that cannot be told.
  virtual void write(const std::function<void()>& change) const = 0;

  // In a transaction:

  virtual std::int64_t format() const = 0;
  /// All rows in the order of their ids, by a scan of the whole table: nothing is looked up in an index, so what an index
  /// lacks or misplaces cannot be overlooked.
  virtual void scan(Table table, const std::function<void(const Fields&)>& visit) const = 0;
  /// The entries that have receipts, in the order of their ids, by a scan.
  virtual std::vector<std::int64_t> receipts() const = 0;
  virtual std::optional<std::string> receipt(std::int64_t entry) const = 0;
  virtual void append(Table table, const Fields& row) const = 0;
  /// Error(ledger) names what is wrong with the store itself: its pages, its tables.
  virtual void check() const = 0;
};

enum class Wanted {
  existing,  ///< an older format is migrated
  created,   ///< Error(usage) where something is
  either,
  reading,  ///< any format as it is, also where nothing may be written
};

/// The store of a path or of a PostgreSQL address. Error(ledger) when it is no ledger, or cannot be used.
std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, std::chrono::milliseconds patience);

// The two kinds of stores.
std::unique_ptr<Store> open_sqlite(const std::string& path, Wanted wanted, std::chrono::milliseconds patience);
std::unique_ptr<Store> open_postgres(const std::string& address, Wanted wanted, std::chrono::milliseconds patience);

}  // namespace fractile::ledger_detail
