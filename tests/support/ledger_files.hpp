// Ledgers in folders of their own, altered behind their backs.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>  // NOLINT: mkdtemp

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"

namespace fractile::testing {

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "fractile-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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

/// Runs SQL although a ledger's triggers forbid it; afterwards they are as before.
inline void alter(const std::string& path, const std::string& sql) {
  RawDatabase database(path);
  const std::string triggers =
      database.text("SELECT group_concat(sql || ';', ' ') FROM sqlite_schema WHERE type = 'trigger'");
  const std::string drops = database.text(
      "SELECT group_concat('DROP TRIGGER ' || name || ';', ' ') FROM sqlite_schema WHERE type = 'trigger'");
  database.run(drops + sql + ";" + triggers);
}

/// An entry as a process leaves it that was stopped between drawing and committing.
inline void draw(const std::string& path, std::int64_t entry) {
  using namespace ledger_detail;
  const Connection connection(path, Connection::Access::existing, std::chrono::seconds(1));
  Transaction transaction(connection, Transaction::Kind::write);
  append_event(connection, {"2026-01-01T00:00:00Z", "draw"}, entry);
  transaction.commit();
}

struct Failure {
  ErrorCode code = ErrorCode::internal;
  std::string what;
  std::string hint;
};

/// How `work` fails, as it must.
inline Failure failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return {error.code(), error.what(), error.hint()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline void expect_failure(ErrorCode code, const std::string& part, const std::function<void()>& work) {
  const Failure failure = failure_of(work);
  EXPECT_EQ(failure.code, code) << failure.what;
  EXPECT_NE((failure.what + "\n" + failure.hint).find(part), std::string::npos) << failure.what << "\n" << failure.hint;
}

inline LedgerOptions impatient() { return {.patience = std::chrono::milliseconds(50)}; }

inline LedgerRequest request(const std::string& query, const Budget& cost, const std::string& dataset = "people") {
  return {dataset, query, cost};
}

}  // namespace fractile::testing
