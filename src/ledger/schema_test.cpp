#include "ledger/schema.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "fractile/ledger.hpp"
#include "ledger/digest.hpp"
#include "support/ledger_files.hpp"

namespace fractile {
namespace {

using testing::expect_failure;
using testing::impatient;
using testing::RawDatabase;
using testing::request;

class LedgerFile : public ::testing::Test {
 protected:
  Ledger small() const {
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", Budget::pure(Rational(1))});
    return ledger;
  }
  void expect_refused(const std::string& part) const {
    expect_failure(ErrorCode::ledger, part, [&] { Ledger::open(path, impatient()); });
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  testing::Folder folder;
  std::string path = folder.file("budget.db");
};

TEST_F(LedgerFile, IsKnownByItsHeader) {
  small();
  RawDatabase database(path);
  EXPECT_EQ(database.text("PRAGMA application_id"), std::to_string(0x46524C47));
  EXPECT_EQ(database.text("PRAGMA user_version"), "1");
  EXPECT_EQ(database.text("PRAGMA journal_mode"), "wal");
}

TEST_F(LedgerFile, MustBeThereToBeOpened) {
  expect_refused("there is no ledger at '" + path + "'");
  EXPECT_FALSE(std::filesystem::exists(path));
  expect_failure(ErrorCode::usage, "has no name", [] { Ledger::open(""); });
  expect_failure(ErrorCode::ledger, "cannot be opened: No such file",
                 [&] { Ledger::create(folder.file("nowhere/budget.db")); });
}

TEST_F(LedgerFile, IsCreatedOnce) {
  small();
  expect_failure(ErrorCode::usage, "there is something at", [&] { Ledger::create(path); });
  EXPECT_EQ(Ledger::open_or_create(path).datasets().size(), 1U);
  EXPECT_TRUE(Ledger::open_or_create(folder.file("new.db")).datasets().empty());
}

TEST_F(LedgerFile, AnEmptyFileIsNothingYet) {
  write("");
  expect_refused("is not a ledger");
  EXPECT_TRUE(Ledger::create(path).datasets().empty());
}

TEST_F(LedgerFile, NamesThatSqliteReadsOtherwiseAreFiles) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  for (const std::string name : {":memory:", "file:x?mode=memory"}) {
    Ledger::create(name);
    EXPECT_GT(std::filesystem::file_size(name), 0U);
  }
  std::filesystem::current_path(before);
}

TEST_F(LedgerFile, OfSomethingElseIsRefusedAndKept) {
  write("quantile,value\n" + std::string(5000, 'x'));
  const std::string before = bytes();
  expect_refused("is not a ledger");
  expect_failure(ErrorCode::ledger, "is not a ledger", [&] { Ledger::open_or_create(path); });
  EXPECT_EQ(bytes(), before);
  std::filesystem::remove(path);
  RawDatabase(path).run("CREATE TABLE people (name TEXT)");
  expect_refused("is not a ledger");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_failure(ErrorCode::ledger, "cannot be opened", [&] { Ledger::open(path); });
}

TEST_F(LedgerFile, OfANewerFormatIsRefusedAndKept) {
  small();
  RawDatabase(path).run("PRAGMA user_version = 2");
  expect_refused("is of format 2, and this program knows formats up to 1");
  expect_refused("use the newer fractile");
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "2");
}

TEST_F(LedgerFile, WithOtherTablesIsRefused) {
  small();
  RawDatabase(path).run("DROP TRIGGER entries_kept");
  expect_refused("does not have the tables of format 1");
  std::filesystem::remove(path);
  small();
  RawDatabase(path).run("CREATE VIEW more AS SELECT 1");
  expect_refused("something else changed it");
}

TEST_F(LedgerFile, LinesAreOnlyAdded) {
  Ledger ledger = small();
  ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1)))), "r");
  RawDatabase database(path);
  for (const std::string table : {"datasets", "entries", "events", "receipts"}) {
    EXPECT_THROW(database.run("DELETE FROM " + table), std::runtime_error) << table;
    EXPECT_THROW(database.run("UPDATE " + table + " SET rowid = 9"), std::runtime_error) << table;
  }
}

/// Whatever byte is wrong: an error, or a ledger that is whole, for not every byte matters. Never anything else.
TEST_F(LedgerFile, DamageIsNeverWorseThanAnError) {
  {
    Ledger ledger = small();
    ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 2)))), "r");
  }
  const std::string whole = bytes();
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += at < 200 ? 1 : 61) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    write(damaged);
    try {
      Ledger ledger = Ledger::open(path, impatient());
      ledger.verify();
      EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 1/2") << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::ledger) << at << ": " << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  for (std::size_t size = 1; size < whole.size(); size += 997) {
    write(whole.substr(0, size));
    expect_failure(ErrorCode::ledger, path, [&] { Ledger::open(path, impatient()).verify(); });
  }
}

TEST_F(LedgerFile, LockedForTooLongIsRefused) {
  Ledger ledger = small();
  RawDatabase other(path);
  other.run("BEGIN IMMEDIATE");
  Ledger hasty = Ledger::open(path, impatient());
  EXPECT_EQ(hasty.datasets().size(), 1U);  // whoever only reads need not wait
  expect_failure(ErrorCode::ledger, "is locked by another process",
                 [&] { hasty.reserve(request("q", Budget::pure(Rational(1)))); });
  std::thread unlock([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.run("COMMIT");
  });
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(1)))), 1);
  unlock.join();
}

/// Runs `work` in a child process; true when it returned true there.
bool in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    bool succeeded = false;
    try {
      succeeded = work();
    } catch (...) {
    }
    _exit(succeeded ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// True when `work` fails with Error(ledger) and these words.
bool fails(const std::string& words, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code() == ErrorCode::ledger && std::string(error.what()).find(words) != std::string::npos;
  }
  return false;
}

constexpr uid_t nobody = 65534;

bool become_nobody() { return geteuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0); }

TEST_F(LedgerFile, ThatMayNotBeWrittenIsRefused) {
  if (!in_child(become_nobody)) GTEST_SKIP() << "this user may write everything";
  small();
  chmod(path.c_str(), 0444);
  chmod(folder.file("").c_str(), 0755);
  EXPECT_TRUE(in_child(
      [&] { return become_nobody() && fails("could not be written: it is read-only", [&] { Ledger::open(path); }); }));
  chmod(path.c_str(), 0666);  // but the folder not
  EXPECT_TRUE(in_child([&] { return become_nobody() && fails("the ledger '", [&] { Ledger::open(path); }); }));
  EXPECT_EQ(Ledger::open(path).datasets().size(), 1U);
}

/// A limit on files' sizes stands for a full disk: what did not fit did not happen.
TEST_F(LedgerFile, FullDisksAreToldOfAndSpendNothing) {
  small();
  EXPECT_TRUE(in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    Ledger ledger = Ledger::open(path);
    const rlimit limit{std::filesystem::file_size(path) + 4096, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    const std::string long_query(1 << 20, 'q');
    return fails("could not be written", [&] { ledger.reserve(request(long_query, Budget::pure(Rational(1)))); });
  }));
  Ledger ledger = Ledger::open(path);
  ledger.verify();
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 0");
}

/// A ledger as it was before the first release: of receipts it has the hashes alone. Written out, so that neither the tables
/// nor the chain can change without this test.
constexpr const char* format_0 = R"(
CREATE TABLE datasets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, neighbors TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT) STRICT;
CREATE TABLE entries (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets, query TEXT NOT NULL, receipt_path TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, charged_rho TEXT) STRICT;
CREATE TABLE events (id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('dataset', 'reserve', 'commit', 'void')), dataset INTEGER REFERENCES datasets, entry INTEGER REFERENCES entries, receipt_sha256 TEXT, reason TEXT, hash TEXT NOT NULL, CHECK ((dataset IS NULL) = (kind != 'dataset')), CHECK ((entry IS NULL) = (kind = 'dataset'))) STRICT;
CREATE INDEX entries_of ON entries (dataset);
CREATE UNIQUE INDEX added ON events (dataset) WHERE kind = 'dataset';
CREATE UNIQUE INDEX reserved ON events (entry) WHERE kind = 'reserve';
CREATE UNIQUE INDEX settled ON events (entry) WHERE kind IN ('commit', 'void');
CREATE TRIGGER datasets_kept BEFORE UPDATE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER datasets_held BEFORE DELETE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER entries_kept BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER entries_held BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER events_kept BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER events_held BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
INSERT INTO datasets VALUES (1, 'people', 'person', 'add-remove', 'pure', '1', NULL, NULL);
INSERT INTO entries VALUES (1, 1, 'q', '', 'pure', '1/2', NULL, NULL, NULL);
INSERT INTO events VALUES (1, '2025-06-01T12:00:00Z', 'dataset', 1, NULL, NULL, NULL,
  '1105e81b64245a9d1ff3754edf81460d13ef612c02544cbf938a0d68417715e5');
INSERT INTO events VALUES (2, '2025-06-01T12:00:00Z', 'reserve', NULL, 1, NULL, NULL,
  '55fa111c7dc0c794b0c699d276197a96f4c532a62bafb98a386f958c64b254bc');
INSERT INTO events VALUES (3, '2025-06-01T12:00:00Z', 'commit', NULL, 1,
  '454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1', NULL,
  'd903516f2ee23021716373a88f38fbda91c87763811bb06031c5a63a495c01d6');
PRAGMA application_id = 1179798599;
)";

TEST_F(LedgerFile, OfFormat0IsMigrated) {
  RawDatabase(path).run(format_0);
  Ledger migrated = Ledger::open(path);
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "1");
  EXPECT_EQ(migrated.verify(), "d903516f2ee23021716373a88f38fbda91c87763811bb06031c5a63a495c01d6");
  EXPECT_EQ(migrated.balance("people").spent.to_string(), "epsilon = 1/2");
  const LedgerEntry entry = migrated.statement().entries.front();
  EXPECT_EQ(entry.state, EntryState::committed);
  EXPECT_EQ(entry.receipt_sha256, sha256("r"));
  EXPECT_FALSE(migrated.find_committed("people", "q"));  // there is nothing to print again
  migrated.commit(migrated.reserve(request("q", Budget::pure(Rational(1, 4)))), "again");
  EXPECT_EQ(migrated.find_committed("people", "q")->receipt, "again");
  migrated.verify();
}

/// One that lies of its format has tables that migration did not expect, and stays as it was.
TEST_F(LedgerFile, AFailedMigrationChangesNothing) {
  RawDatabase(path).run(format_0);
  RawDatabase(path).run("CREATE TABLE receipts (entry INTEGER PRIMARY KEY)");
  expect_refused("cannot be used");
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "0");
}

}  // namespace
}  // namespace fractile
