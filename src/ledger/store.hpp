// Where a ledger's tables are kept. A store has rows and transactions; the code above it decides what rows mean and what may be spent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"

namespace fractile::ledger_detail {

/// The columns of a row as texts, as the log hashes them; `nullopt` for NULL.
using Fields = std::vector<std::optional<std::string>>;

/// The tables. Each comment lists the columns of a row in their order.
enum class Table {
  datasets,  ///< id, name, unit, neighbors, measure, epsilon, rho, delta, person, records_per_person, source, reading
  entries,   ///< id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, source, person,
             ///< records_per_person, reading, nonce, question
  events,    ///< id, time, kind, receipt_sha256, reason, the dataset's or entry's id, hash, sums
  receipts,  ///< entry, text
};

/// The indices by which entries are found.
enum class Lookup {
  question,      ///< by a query's digest; the newest first
  source,        ///< by a dataset and a source; the oldest first
  receipt_path,  ///< by a receipt's path; the newest first
};

/// How long a store waits for other processes, and what it reports meanwhile.
struct Waiting {
  enum class Until {
    patience,  ///< nothing is charged yet: waits until `stop`, but for at most `patience`
    stop,      ///< the release is charged: waits as long as it takes, or until `stop`
    done,      ///< a part of a release may be on the disk: waits as long as it takes
  };

  std::chrono::milliseconds patience = std::chrono::seconds(10);
  std::function<bool()> stop = {};                      ///< called a few times a second; true ends the wait
  std::function<void(std::chrono::seconds)> told = {};  ///< called after ten seconds, then each minute
  Until until = Until::patience;

  /// Whether to go on waiting after this much time. The caller keeps `last_told`, which begins at 0 for each wait.
  bool goes_on(std::chrono::milliseconds waited, std::chrono::seconds& last_told) const;
};

/// A change was made, but it is not certain that the disk holds it.
class Unsynced : public Error {
 public:
  using Error::Error;
};

/// It is unknown whether a change was made.
class InDoubt : public Error {
 public:
  using Error::Error;
};

class Store : Uncopied {
 public:
  virtual ~Store() = default;

  /// Sets how long the store waits from now on.
  virtual void wait(Waiting::Until until) const = 0;

  /// The store's name in errors: a path, or an address without its password.
  virtual const std::string& name() const = 0;

  /// Runs `look`, which sees the tables as of one moment. A store may run `look` again from its start.
  virtual void read(const std::function<void()>& look) const = 0;
  /// Runs `change` as one transaction. It happens durably and as if no other transaction were under way, or not at all. A store may run
  /// `change` again from its start, after a run that changed nothing. Throws `ledger` when nothing was changed, Unsynced when the change
  /// was made, and InDoubt when it may have been made.
  virtual void write(const std::function<void()>& change) const = 0;

  /// Reserves room for a receipt of this many bytes and for the rest of its transaction, if a client of this store can do so. Throws
  /// `ledger` when there is no room.
  virtual void take_room(std::uint64_t receipt_size) const = 0;
  /// Frees the room that take_room() reserved, for a write that needs it at once.
  virtual void give_room_back() const = 0;

  // The functions below are called within a transaction.

  /// Throws `ledger` when this user lacks a right that a release needs from its charge to its commitment.
  virtual void require_rights() const = 0;

  virtual std::int64_t format() const = 0;
  /// Visits all rows in the order of their ids, by a scan of the whole table.
  /// The scan uses no index, so it finds rows that an index lacks or misplaces.
  virtual void scan(Table table, const std::function<void(const Fields&)>& visit) const = 0;
  /// The ids of the entries that have receipts, in ascending order, by a scan of the whole table.
  virtual std::vector<std::int64_t> receipts() const = 0;
  virtual std::optional<std::string> receipt(std::int64_t entry) const = 0;

  // Lookups use indices, except scan_for_file(). An index may be damaged: a
  // found row must be checked, and a row that is not found may still exist.

  virtual std::optional<Fields> last(Table table) const = 0;
  virtual std::optional<Fields> find(Table table, std::int64_t id) const = 0;
  /// The log's line about a dataset or an entry, of the kind "dataset", "reserve" or "draw"; "settled" finds a "commit" or a "void".
  virtual std::optional<Fields> line(const std::string& kind, std::int64_t subject) const = 0;
  /// The ids of the first entries, at most `most`.
  virtual std::vector<std::int64_t> find(Lookup by, const Fields& values, int most) const = 0;
  /// Whether the source of one of a dataset's entries contains this text, by a scan of the whole table.
  virtual bool scan_for_file(std::int64_t dataset, const std::string& file) const = 0;
  /// Visits the log's lines from this one on, in their order.
  virtual void scan_from(std::int64_t line, const std::function<void(const Fields&)>& visit) const = 0;

  virtual void append(Table table, const Fields& row) const = 0;
  /// Throws `ledger` when the server has no room now to store a receipt of at most this many bytes. Leaves nothing behind. Does nothing
  /// in a store whose take_room() reserves the room.
  virtual void prove_room(std::int64_t entry, std::uint64_t receipt_size) const = 0;
  /// Throws `ledger`, which names the damage, when the store's own pages or tables are damaged.
  virtual void check() const = 0;
};

enum class Wanted {
  existing,  ///< must exist; an older format is migrated
  created,   ///< throws `usage` when something exists there
  either,
  reading,  ///< any format as it is, even where nothing may be written
};

/// The store of a path or of a PostgreSQL address. Throws `ledger` when it is not a ledger, or cannot be used.
std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, const Waiting& waiting);

// The two kinds of stores.
/// What to do about a ledger that something else has changed.
inline constexpr const char* restore_it = "restore it from a copy, and charge again what was released since";

// Errors about files and databases alike. `other`: what to choose in place of one where something exists.
[[noreturn]] void refuse_damaged(const std::string& ledger, const std::string& what);
[[noreturn]] void refuse_missing(const std::string& ledger, const char* name);
[[noreturn]] void refuse_existing(const std::string& ledger, const char* other);
[[noreturn]] void refuse_format(const std::string& ledger, std::int64_t format);
[[noreturn]] void refuse_tables(const std::string& ledger, std::int64_t format);

/// 128 random bits as hexadecimal digits: no others are equal to them, even after a ledger was put back to an earlier state.
std::string new_nonce();

/// The condition for lines about a subject, as for Store::line(), without " = " and its id.
std::string lines_about(const std::string& kind);

std::unique_ptr<Store> open_sqlite(const std::string& path, Wanted wanted, const Waiting& waiting);
std::unique_ptr<Store> open_postgres(const std::string& address, Wanted wanted, const Waiting& waiting);

}  // namespace fractile::ledger_detail
