// Where a ledger's tables lie. A store has rows and transactions; their meaning, and what may be spent, is decided above it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"

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

/// The indices of entries, by which they are found.
enum class Lookup {
  question,      ///< of a query; the newest first
  source,        ///< of a dataset and a source; the oldest first
  receipt_path,  ///< the newest first
};

/// How long a store waits for others, and what it says meanwhile.
struct Waiting {
  enum class Until {
    patience,  ///< nothing is charged: so long and no longer, and until `stop`
    stop,      ///< it is charged: as long as it takes, or until `stop`
    done,      ///< something of a release may be on the disk: as long as it takes
  };

  std::chrono::milliseconds patience = std::chrono::seconds(10);
  std::function<bool()> stop = {};                      ///< asked a few times a second
  std::function<void(std::chrono::seconds)> told = {};  ///< after ten seconds, and then each minute
  Until until = Until::patience;

  /// Whether to go on after this much time. Once per wait: the waiting caller keeps `last_told`.
  bool goes_on(std::chrono::milliseconds waited, std::chrono::seconds& last_told) const;
};

/// A change that was made, and of which it is not sure that the disk holds it.
class Unsynced : public Error {
 public:
  using Error::Error;
};

/// It is unknown whether a change was made.
class InDoubt : public Error {
 public:
  using Error::Error;
};

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// How long it waits from now on.
  virtual void wait(Waiting::Until until) const = 0;

  /// How errors call it: a path, or an address without its password.
  virtual const std::string& name() const = 0;

  /// Runs `look`, which sees the tables as of one moment. A store may run it again from its start.
  virtual void read(const std::function<void()>& look) const = 0;
  /// Runs `change` as one transaction: it happens as if no other were under way, and durably, or not at all. A store may run
  /// it again from its start, after a run that changed nothing. Throws `ledger` when nothing was changed; Unsynced or
  /// InDoubt where it was, or may have been.
  virtual void write(const std::function<void()>& change) const = 0;

  /// Takes room for a receipt of this many bytes and for what its transaction needs beside it, where a client can. Throws
  /// `ledger` where there is none.
  virtual void take_room(std::uint64_t receipt_size) const = 0;
  /// For those who need it at once.
  virtual void give_room_back() const = 0;

  // In a transaction:

  /// Throws `ledger` when this user lacks a right that a release needs from its charge to its commitment.
  virtual void require_rights() const = 0;

  virtual std::int64_t format() const = 0;
  /// All rows in the order of their ids, by a scan of the whole table: nothing is looked up in an index, so what an index
  /// lacks or misplaces cannot be overlooked.
  virtual void scan(Table table, const std::function<void(const Fields&)>& visit) const = 0;
  /// The entries that have receipts, in the order of their ids, by a scan.
  virtual std::vector<std::int64_t> receipts() const = 0;
  virtual std::optional<std::string> receipt(std::int64_t entry) const = 0;

  // Looked up by indices, any of which may be damaged: a found entry must be checked, and an entry that is not found may still
  // exist.

  virtual std::optional<Fields> last(Table table) const = 0;
  virtual std::optional<Fields> find(Table table, std::int64_t id) const = 0;
  /// The line "dataset", "reserve", "draw", or either one that settles ("settled"), of a dataset or an entry.
  virtual std::optional<Fields> line(const std::string& kind, std::int64_t subject) const = 0;
  /// The first entries, at most this many.
  virtual std::vector<std::int64_t> find(Lookup by, const Fields& values, int most) const = 0;
  /// The first entry of a dataset and a source, by a scan of the whole table.
  virtual std::optional<std::int64_t> scan_for_source(std::int64_t dataset, const std::string& source) const = 0;
  /// The lines from this one on, in their order.
  virtual void scan_from(std::int64_t line, const std::function<void(const Fields&)>& visit) const = 0;

  virtual void append(Table table, const Fields& row) const = 0;
  /// Throws `ledger` when the server has no room now for what it will store of a receipt of at most this many bytes.
  /// Nothing of it stays. Where take_room() takes it, this does nothing.
  virtual void prove_room(std::int64_t entry, std::uint64_t receipt_size) const = 0;
  /// Throws `ledger`, which names what is wrong with the store itself: its pages, its tables.
  virtual void check() const = 0;
};

enum class Wanted {
  existing,  ///< an older format is migrated
  created,   ///< Throws `usage` where something is
  either,
  reading,  ///< any format as it is, also where nothing may be written
};

/// The store of a path or of a PostgreSQL address. Throws `ledger` when it is not a ledger, or cannot be used.
std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, const Waiting& waiting);

// The two kinds of stores.
std::unique_ptr<Store> open_sqlite(const std::string& path, Wanted wanted, const Waiting& waiting);
std::unique_ptr<Store> open_postgres(const std::string& address, Wanted wanted, const Waiting& waiting);

}  // namespace fractile::ledger_detail
