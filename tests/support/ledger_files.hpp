// Ledgers in temporary folders and databases, which tests alter without the ledgers' code.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"
#include "ledger/rows.hpp"
#include "ledger/store.hpp"
#include "libraries/postgres.hpp"
#include "support/errors.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::testing {

class RawDatabase {
 public:
  explicit RawDatabase(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("cannot open " + path);
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;
  ~RawDatabase() { sqlite3_close(database_); }

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
    const std::string text = message;
    sqlite3_free(message);
    throw std::runtime_error(sql + ": " + text);
  }

  std::string text(const std::string& sql) {
    std::string result;
    const auto keep = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) = values[0] == nullptr ? "" : values[0];
      return 0;
    };
    sqlite3_exec(database_, sql.c_str(), keep, &result, nullptr);
    return result;
  }

 private:
  sqlite3* database_ = nullptr;
};

/// Runs SQL that a ledger's triggers forbid. Afterwards, the triggers are as before.
inline void alter(const std::string& path, const std::string& sql) {
  if (postgres::is_address(path)) {
    raw_connection(path).command("SET session_replication_role = replica; SET search_path = fractile; " + sql);
    return;
  }
  RawDatabase database(path);
  const std::string triggers =
      database.text("SELECT group_concat(sql || ';', ' ') FROM sqlite_schema WHERE type = 'trigger'");
  const std::string drops = database.text(
      "SELECT group_concat('DROP TRIGGER ' || name || ';', ' ') FROM sqlite_schema WHERE type = 'trigger'");
  database.run(drops + sql + ";" + triggers);
}

/// Leaves the entry as a process does that is stopped between drawing and committing.
inline void draw(const std::string& path, std::int64_t entry) {
  using namespace ledger_detail;
  const auto store = open_store(path, Wanted::existing, {std::chrono::seconds(1)});
  store->write([&] {
    const Book book = read_book(*store);
    append_event(*store, book.head(), {"2026-01-01", "draw"}, entry, book.sums.to_text());
  });
}

/// The error of `work`, which must fail and have a hint.
inline Error failure_of(const std::function<void()>& work) {
  const Error error = error_of(work);
  EXPECT_FALSE(error.hint().empty()) << error.what();
  return error;
}

inline void expect_failure(ErrorCode code, const std::string& part, const std::function<void()>& work) {
  const Error error = failure_of(work);
  const std::string words = error.what() + ("\n" + error.hint());
  EXPECT_EQ(error.code(), code) << words;
  EXPECT_NE(words.find(part), std::string::npos) << words;
}

inline LedgerOptions impatient() { return {.patience = std::chrono::milliseconds(50)}; }

inline LedgerRequest request(const std::string& query, const Budget& cost, const std::string& dataset = "people") {
  return {dataset, query, cost};
}

enum class StoreKind { sqlite, postgres };

/// Tests that every kind of store must pass.
class EveryStore : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    if (GetParam() == StoreKind::postgres && PostgresServer::shared() == nullptr) GTEST_SKIP() << no_postgres;
    path = fresh();
  }
  bool is_postgres() const { return GetParam() == StoreKind::postgres; }
  /// The path or address of a ledger that does not exist yet.
  std::string fresh() const {
    static int count = 0;
    return is_postgres() ? PostgresServer::shared()->fresh() : folder.file("budget" + std::to_string(++count) + ".db");
  }
  std::string copy_of(const std::string& ledger) const {
    if (is_postgres()) return PostgresServer::shared()->copy_of(ledger);
    const std::string copy = fresh();
    std::filesystem::copy_file(ledger, copy);
    return copy;
  }

  Folder folder;
  std::string path;
};

/// Instantiates the suite for every kind of store. The names of the tests begin with SQLite or PostgreSQL.
#define FRACTILE_ON_EVERY_STORE(suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(SQLite, suite, ::testing::Values(::fractile::testing::StoreKind::sqlite)); \
  INSTANTIATE_TEST_SUITE_P(PostgreSQL, suite, ::testing::Values(::fractile::testing::StoreKind::postgres))

}  // namespace fractile::testing
