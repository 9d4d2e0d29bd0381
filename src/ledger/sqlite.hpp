// SQLite's C interface, with classes that own its handles and with Fractile's errors.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"
#include "ledger/forks.hpp"
#include "ledger/store.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace fractile::ledger_detail {

/// SQLite keeps what it has not yet written in files next to the database. Their names are the database's with one of these endings. SQLite
/// deletes or replays whatever stands there.
inline constexpr std::array companions{"-journal", "-wal", "-shm"};

/// Throws `usage` if the path may be one at which SQLite keeps a file of a database's own. `what` it would be: "ledger".
void require_no_companion(const std::string& path, const std::string& what);

/// Nothing was changed, because the disk has no room for the change, or because too many files are open.
class DiskFull : public Error {
 public:
  using Error::Error;
};

/// An open database. Every failure throws `ledger` and names the file.
class Database : Uncopied {
 public:
  /// `reading` works even where nothing may be written.
  enum class Access { existing, reading };

  Database(const std::string& path, Access access, Waiting waiting);
  /// Sets how long the connection waits from now on.
  void wait(Waiting::Until until) { waiting_.until = until; }
  const std::string& path() const { return path_; }
  /// Throws `ledger` when the file is read without locks and was written meanwhile. Called after reading.
  void require_unchanged() const;

  /// Runs one or more statements without results.
  void run(const std::string& sql) const;
  /// The first column of a statement's only row.
  std::int64_t number(const std::string& sql) const;
  std::string text(const std::string& sql) const;
  bool in_transaction() const;

  [[noreturn]] void fail() const;
  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  int open(const std::string& name, int flags);
  void require_own_file() const;
  static int is_busy(void* connection, int times);
  void open_to_read();
  void open_unlocked();

  std::string path_;
  Waiting waiting_;
  std::chrono::steady_clock::time_point waits_since_ = {};
  std::chrono::seconds last_told_ = {};
  std::unique_ptr<sqlite3, Close> database_;
  std::string unlocked_state_;  ///< the file's state at opening; "" when it is read with locks
};

/// A prepared statement. Parameters are numbered from 1, columns from 0.
class Statement {
 public:
  Statement(const Database& connection, std::string_view sql);

  Statement& bind(int parameter, const std::string& text);
  Statement& bind(int parameter, std::int64_t number);
  /// Binds NULL for `nullopt`.
  Statement& bind(int parameter, const std::optional<std::string>& text);

  /// Goes to the next row; false when there is none.
  bool step();
  /// Runs a statement without results.
  void run();

  int columns() const;
  bool is_null(int column) const;
  std::int64_t number(int column) const;
  /// "" for NULL.
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void require(int result) const;
  const Database& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A transaction, rolled back unless it is committed. Until one of the kind `write` ends, no other connection can begin to write.
class Transaction : Uncopied {
 public:
  enum class Kind { read, write };

  Transaction(const Database& connection, Kind kind);
  ~Transaction();
  void commit();

 private:
  HoldForks held_;  // the first member, so that no forked child has the transaction's locks
  const Database& connection_;
};

}  // namespace fractile::ledger_detail
