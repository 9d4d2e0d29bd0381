#include "ledger/sqlite_schema.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "exact/digest.hpp"
#include "fractile/ledger.hpp"
#include "libraries/fmt.hpp"
#include "support/errors.hpp"
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
  EXPECT_EQ(database.text("PRAGMA user_version"), "3");
  EXPECT_EQ(database.text("PRAGMA journal_mode"), "delete");
}

TEST_F(LedgerFile, IsReadByItsOwnerAlone) {
  const mode_t before = umask(0);
  Ledger ledger = small();
  RawDatabase(path).run("BEGIN IMMEDIATE; CREATE TABLE t (x); ROLLBACK");
  umask(before);
  struct stat file {};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST_F(LedgerFile, MustBeThereToBeOpened) {
  expect_refused("there is no ledger at '" + path + "'");
  EXPECT_FALSE(std::filesystem::exists(path));
  expect_failure(ErrorCode::usage, "has no name", [] { Ledger::open(""); });
  expect_failure(ErrorCode::ledger, "cannot be created: No such file",
                 [&] { Ledger::create(folder.file("nowhere/budget.db")); });
}

TEST_F(LedgerFile, IsCreatedOnce) {
  small();
  expect_failure(ErrorCode::usage, "there is already something at", [&] { Ledger::create(path); });
  EXPECT_EQ(Ledger::open_or_create(path).datasets().size(), 1U);
  EXPECT_TRUE(Ledger::open_or_create(folder.file("new.db")).datasets().empty());
}

/// An empty file may belong to another program, since a ledger gets its name only when it is whole.
TEST_F(LedgerFile, AnEmptyFileIsNoLedgerAndBecomesNone) {
  write("");
  expect_refused("is not a ledger");
  expect_failure(ErrorCode::usage, "is an empty file, and no ledger", [&] { Ledger::create(path); });
  expect_failure(ErrorCode::usage, "is an empty file, and no ledger", [&] { Ledger::open_or_create(path); });
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
}

/// A program that opens the file by its other name would not find the journal of a stopped change.
TEST_F(LedgerFile, WithTwoNamesIsRefused) {
  small();
  const std::string other = folder.file("other.db");
  std::filesystem::create_hard_link(path, other);
  for (const std::string& name : {path, other}) {
    expect_failure(ErrorCode::ledger, "has 2 names (hard links)", [&] { Ledger::open(name); });
    expect_failure(ErrorCode::ledger, "remove all names except one", [&] { Ledger::open_to_read(name); });
  }
  std::filesystem::remove(other);
  std::filesystem::create_symlink(path, other);  // SQLite follows symbolic links
  EXPECT_EQ(Ledger::open(other).reserve(request("q", Budget::pure(Rational(1)))).id, 1);
  EXPECT_EQ(Ledger::open(path).entry(1).state, EntryState::reserved);
}

/// Room for the receipt is taken before anything is charged.
TEST_F(LedgerFile, WithoutRoomForTheReceiptNothingIsCharged) {
  Ledger ledger = small();
  LedgerRequest asked = request("q", Budget::pure(Rational(1)));
  asked.receipt_size = std::uint64_t{1} << 60;
  expect_failure(ErrorCode::ledger, "bytes may be needed for this release, and its disk does not have them",
                 [&] { ledger.reserve(asked); });
  expect_failure(ErrorCode::ledger, "nothing was charged; make room", [&] { ledger.reserve(asked); });
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 0");
  asked.receipt_size = 1'000'000;
  ledger.commit(ledger.reserve(asked), std::string(1'000'000, 'r'));
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
  RawDatabase(path).run("PRAGMA user_version = 4");
  expect_refused("is of format 4, and this program knows formats up to 3");
  expect_refused("use the newer fractile");
  expect_failure(ErrorCode::ledger, "is of format 4", [&] { Ledger::open_to_read(path); });
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "4");
}

TEST_F(LedgerFile, WithOtherTablesIsRefused) {
  small();
  RawDatabase(path).run("DROP TRIGGER entries_kept");
  expect_refused("does not have the tables of format 3");
  std::filesystem::remove(path);
  small();
  RawDatabase(path).run("CREATE VIEW more AS SELECT 1");
  expect_refused("something else changed it");
}

TEST_F(LedgerFile, LinesAreOnlyAdded) {
  Ledger ledger = small();
  ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1)))), "r");
  RawDatabase database(path);
  for (const std::string table : {"datasets", "entries", "events", "receipts", "pins"}) {
    EXPECT_THROW(database.run("DELETE FROM " + table), std::runtime_error) << table;
    EXPECT_THROW(database.run("UPDATE " + table + " SET rowid = 9"), std::runtime_error) << table;
  }
}

/// Whichever byte is wrong, a ledger is refused or still holds the right sum, since not every byte matters.
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
  // A file that lacks only a part of its last page may pass, since that page may belong to an empty index.
  for (std::size_t size = 1; size <= whole.size() - 4096; size += 997) {
    write(whole.substr(0, size));
    expect_failure(ErrorCode::ledger, path, [&] { Ledger::open(path, impatient()).verify(); });
  }
}

TEST_F(LedgerFile, LockedForTooLongIsRefused) {
  Ledger ledger = small();
  RawDatabase other(path);
  other.run("BEGIN IMMEDIATE");
  Ledger hasty = Ledger::open(path, impatient());
  EXPECT_EQ(hasty.datasets().size(), 1U);  // a reader need not wait
  expect_failure(ErrorCode::ledger, "is locked by another process",
                 [&] { hasty.reserve(request("q", Budget::pure(Rational(1)))); });
  std::thread unlock([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.run("COMMIT");
  });
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(1)))).id, 1);
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

/// True when `work` throws `ledger` with these words.
bool fails(const std::string& words, const std::function<void()>& work) {
  const std::optional<Error> error = testing::error_if_any(work);
  return error && error->code() == ErrorCode::ledger && std::string(error->what()).find(words) != std::string::npos;
}

constexpr uid_t nobody = 65534;

bool become_nobody() { return geteuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0); }

// These were std::filesystem::filesystem_error, and an internal error of the program.
TEST_F(LedgerFile, ThatCannotBeLookedForIsRefusedInWords) {
  const std::string loop = folder.file("loop.db");
  std::filesystem::create_symlink("loop.db", loop);
  for (const std::string& name : {loop, folder.file(std::string(300, 'a')), std::string(5000, 'a')}) {
    expect_failure(ErrorCode::ledger, "cannot be opened: ", [&] { Ledger::open(name); });
    expect_failure(ErrorCode::ledger, "cannot be opened: ", [&] { Ledger::open_to_read(name); });
  }
  if (!in_child(become_nobody)) return;  // this user may enter every folder
  const std::string closed = folder.file("closed");
  std::filesystem::create_directory(closed);
  Ledger::create(closed + "/budget.db");
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
  EXPECT_TRUE(in_child([&] {
    return become_nobody() &&
           fails("cannot be opened: Permission denied", [&] { Ledger::open(closed + "/budget.db"); });
  }));
}

TEST_F(LedgerFile, ThatMayNotBeWrittenIsRefused) {
  if (!in_child(become_nobody)) GTEST_SKIP() << "this user may write everything";
  small();
  chmod(path.c_str(), 0444);
  chmod(folder.file("").c_str(), 0755);
  EXPECT_TRUE(in_child(
      [&] { return become_nobody() && fails("could not be written: it is read-only", [&] { Ledger::open(path); }); }));
  chmod(path.c_str(), 0666);  // but not the folder
  EXPECT_TRUE(in_child([&] {
    return become_nobody() &&
           fails("the ledger '", [&] { Ledger::open(path).reserve(request("q", Budget::pure(Rational(1)))); });
  }));
  EXPECT_EQ(Ledger::open(path).datasets().size(), 1U);
}

/// A limit on the sizes of files stands for a full disk. A change that does not fit does not happen.
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

/// A ledger as it was before the first release of Fractile, with only the hashes of receipts. It is written out, so that this test fails
/// when its tables or its chain change.
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
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "3");
  EXPECT_EQ(migrated.verify(), "d903516f2ee23021716373a88f38fbda91c87763811bb06031c5a63a495c01d6");
  EXPECT_EQ(migrated.balance("people").spent.to_string(), "epsilon = 1/2");
  const LedgerEntry entry = migrated.statement().entries.front();
  EXPECT_EQ(entry.state, EntryState::committed);
  EXPECT_EQ(entry.receipt_sha256, sha256("r"));
  EXPECT_FALSE(migrated.find_committed("people", "q"));  // format 0 kept no receipt to print again
  migrated.commit(migrated.reserve(request("q", Budget::pure(Rational(1, 4)))), "again");
  EXPECT_EQ(migrated.find_committed("people", "q")->receipt, "again");
  migrated.verify();
}

/// A ledger of format 1, with the log that programs of that format kept next to it. Entry 1 is committed, 2 reserved and 3 void. It is
/// written out, so that this test fails when its tables or its chain change.
constexpr const char* format_1 = R"(
PRAGMA journal_mode = WAL;
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
CREATE TABLE receipts (entry INTEGER PRIMARY KEY REFERENCES entries, text TEXT NOT NULL) STRICT;
CREATE TRIGGER receipts_kept BEFORE UPDATE ON receipts BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER receipts_held BEFORE DELETE ON receipts BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
INSERT INTO datasets VALUES (1, 'people', 'person', 'add-remove', 'pure', '1', NULL, NULL);
INSERT INTO entries VALUES (1, 1, 'q', '', 'pure', '1/2', NULL, NULL, NULL);
INSERT INTO entries VALUES (2, 1, 'q', '/receipts/r.json', 'pure', '1/4', NULL, NULL, NULL);
INSERT INTO entries VALUES (3, 1, 'q', '', 'pure', '1/4', NULL, NULL, NULL);
INSERT INTO receipts VALUES (1, 'r');
INSERT INTO events VALUES (1, '2025-06-01T12:00:00Z', 'dataset', 1, NULL, NULL, NULL,
  '1105e81b64245a9d1ff3754edf81460d13ef612c02544cbf938a0d68417715e5');
INSERT INTO events VALUES (2, '2025-06-01T12:00:00Z', 'reserve', NULL, 1, NULL, NULL,
  '55fa111c7dc0c794b0c699d276197a96f4c532a62bafb98a386f958c64b254bc');
INSERT INTO events VALUES (3, '2025-06-01T12:00:00Z', 'commit', NULL, 1,
  '454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1', NULL,
  'd903516f2ee23021716373a88f38fbda91c87763811bb06031c5a63a495c01d6');
INSERT INTO events VALUES (4, '2025-07-01T12:00:00Z', 'reserve', NULL, 2, NULL, NULL,
  '68ff731bdb8bc30848d4e88805e0819693fe0b478ba02ce45ab7dcf2902953ce');
INSERT INTO events VALUES (5, '2025-07-02T12:00:00Z', 'reserve', NULL, 3, NULL, NULL,
  'ea8f9662a93af92a7a96f20795950b369587e9df6046d788ada32e906b20f316');
INSERT INTO events VALUES (6, '2025-07-02T12:00:00Z', 'void', NULL, 3, NULL, 'it failed',
  '27bed1fab54c7e0758bd97583e3b3df72da908772367f8b7bc75c9e3779ad7a1');
PRAGMA application_id = 1179798599;
PRAGMA user_version = 1;
)";
constexpr const char* head_of_format_1 = "27bed1fab54c7e0758bd97583e3b3df72da908772367f8b7bc75c9e3779ad7a1";

void expect_format_1(const Ledger& ledger) {
  EXPECT_EQ(ledger.verify(), head_of_format_1);
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 3/4");
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "r");
  const LedgerStatement statement = ledger.statement();
  EXPECT_EQ(statement.accounts[0].dataset.records_per_person, 1U);
  EXPECT_EQ(statement.accounts[0].dataset.person + statement.accounts[0].dataset.source, "");
  ASSERT_EQ(statement.entries.size(), 3U);
  EXPECT_EQ(statement.entries[1].state, EntryState::reserved);
  EXPECT_EQ(statement.entries[2].reason, "it failed");
}

TEST_F(LedgerFile, OfFormat1IsMigrated) {
  RawDatabase(path).run(format_1);
  {
    const Ledger old = Ledger::open_to_read(path);  // without a migration
    EXPECT_EQ(old.statement().format, 1);
    expect_format_1(old);
  }
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "1");
  Ledger migrated = Ledger::open(path);
  EXPECT_EQ(migrated.statement().format, 3);
  expect_format_1(migrated);
  EXPECT_EQ(RawDatabase(path).text("PRAGMA journal_mode"), "delete");
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  migrated.commit(migrated.reserve(request("q", Budget::pure(Rational(1, 4)))), "again");
  expect_failure(ErrorCode::budget_refused, "epsilon = 0",
                 [&] { migrated.reserve(request("q", Budget::pure(Rational(1)))); });
  migrated.verify(head_of_format_1);
}

/// The last changes to a ledger of format 1 stand in the log next to it, until a process copies them into the file.
TEST_F(LedgerFile, OfFormat1IsNotReadWithoutItsLog) {
  RawDatabase database(path);
  database.run(format_1);
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0U);
  std::filesystem::create_directory(folder.file("copy"));
  const std::string copy = folder.file("copy/budget.db");
  std::filesystem::copy_file(path, copy);
  std::filesystem::copy_file(path + "-wal", copy + "-wal");
  expect_format_1(Ledger::open_to_read(copy));
}

/// SQLite would read only the frames before the broken one.
TEST_F(LedgerFile, OfFormat1WithABrokenFrameInItsLogIsRefused) {
  RawDatabase database(path);
  database.run(format_1);
  const auto bytes_of = [](const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const std::string file = bytes_of(path);
  const std::string log = bytes_of(path + "-wal");
  constexpr std::size_t header = 32;
  constexpr std::size_t frame = 24 + 4096;
  const std::size_t frames = (log.size() - header) / frame;
  ASSERT_GE(frames, 3U);
  ASSERT_EQ(log.size(), header + frames * frame);
  int count = 0;
  const auto copy_with = [&](const std::string& changed) {
    const std::string copy = folder.file(fmt::format("copy{}.db", count++));
    std::ofstream(copy, std::ios::binary) << file;
    std::ofstream(copy + "-wal", std::ios::binary) << changed;
    return copy;
  };
  expect_format_1(Ledger::open_to_read(copy_with(log)));
  for (std::size_t broken = 0; broken + 1 < frames; ++broken) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{17}, frame - 1}) {
      std::string changed = log;
      changed[header + broken * frame + at] ^= 4;
      const std::string copy = copy_with(changed);
      const std::string words = fmt::format("is damaged: frame {} is broken, and what was charged after", broken + 1);
      expect_failure(ErrorCode::ledger, words, [&] { Ledger::open_to_read(copy); });
      expect_failure(ErrorCode::ledger, "nothing was changed; restore both files", [&] { Ledger::open(copy); });
      EXPECT_EQ(bytes_of(copy), file);
      EXPECT_EQ(bytes_of(copy + "-wal"), changed);
    }
  }
  for (std::size_t at = 0; at < header; at += 3) {
    std::string changed = log;
    changed[at] ^= 4;
    expect_failure(ErrorCode::ledger, "its beginning is broken", [&] { Ledger::open(copy_with(changed)); });
  }
  // A machine that stops while it writes a frame, which was never confirmed,
  // leaves a part of it. A log may also end with frames from before its restart.
  const std::string copy = copy_with(log + log.substr(header, 100));
  expect_format_1(Ledger::open_to_read(copy));
  std::string older = log.substr(header, frame);
  older[8] ^= 1;
  expect_format_1(Ledger::open(copy_with(log + older + older)));
}

/// A child process reads a ledger as the user `nobody`, which may write neither to the ledger nor to its folder.
class ReadOnlyLedger : public LedgerFile {
 protected:
  void SetUp() override {
    if (!in_child(become_nobody)) GTEST_SKIP() << "this user may write everything";
    std::filesystem::create_directory(place);
    chmod(folder.file("").c_str(), 0755);
  }
  void TearDown() override { chmod(place.c_str(), 0755); }

  void protect() const {
    chmod(path.c_str(), 0444);
    chmod(place.c_str(), 0555);
  }
  bool succeeds(const std::function<void(const Ledger&)>& look) const {
    return in_child([&] {
      if (!become_nobody()) return false;
      look(Ledger::open_to_read(path));
      return true;
    });
  }
  bool refuses(const std::string& words) const {
    return in_child([&] { return become_nobody() && fails(words, [&] { Ledger::open_to_read(path).statement(); }); });
  }

  std::string place = folder.file("media");
  std::string path = folder.file("media/budget.db");
};

TEST_F(ReadOnlyLedger, CanBeRead) {
  {
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", Budget::pure(Rational(1))});
    ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 2)))), "r");
  }
  protect();
  EXPECT_TRUE(succeeds([](const Ledger& ledger) {
    ledger.verify();
    if (ledger.statement().entries.front().receipt != "r") throw std::runtime_error("no receipt");
    if (ledger.balance("people").spent.to_string() != "epsilon = 1/2") throw std::runtime_error("wrong sum");
  }));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1);
}

TEST_F(ReadOnlyLedger, OfFormat1CanBeRead) {
  RawDatabase(path).run(format_1);
  protect();
  EXPECT_TRUE(succeeds([](const Ledger& ledger) {
    if (ledger.verify() != head_of_format_1) throw std::runtime_error("another head");
    if (ledger.balance("people").spent.to_string() != "epsilon = 3/4") throw std::runtime_error("wrong sum");
  }));
}

/// Without the charges in the log, the amount spent would be too small.
TEST_F(ReadOnlyLedger, OfFormat1WithALogThatCannotBeReadIsRefused) {
  RawDatabase database(path);
  database.run(format_1);
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0U);
  chmod((path + "-wal").c_str(), 0600);
  chmod((path + "-shm").c_str(), 0600);
  protect();
  EXPECT_TRUE(refuses("the last charges may be in '" + path + "-wal'"));
}

/// The transaction of a stopped process must be rolled back before the ledger is read.
TEST_F(ReadOnlyLedger, InTheMiddleOfATransactionIsRefused) {
  {
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", Budget::pure(Rational(1))});
  }
  in_child([&] {
    RawDatabase database(path);
    database.run("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE t (x)");
    for (int i = 0; i < 100; ++i) database.run("INSERT INTO t VALUES (randomblob(4000))");  // some pages reach the disk
    raise(SIGKILL);
    return true;
  });
  ASSERT_GT(std::filesystem::file_size(path + "-journal"), 0U);
  chmod((path + "-journal").c_str(), 0444);
  protect();
  EXPECT_TRUE(refuses("the last charges may be in '" + path + "-journal'"));
  chmod(place.c_str(), 0755);
  chmod(path.c_str(), 0644);
  Ledger::open_to_read(path).verify();  // a process that may write rolls it back
  EXPECT_FALSE(std::filesystem::exists(path + "-journal"));
}

TEST_F(ReadOnlyLedger, IsNotWritten) {
  Ledger::create(path).add_dataset({"people", Budget::pure(Rational(1))});
  protect();
  EXPECT_TRUE(in_child([&] {
    return become_nobody() &&
           fails("could not be written", [&] { Ledger::open(path).reserve(request("q", Budget::pure(Rational(1)))); });
  }));
  EXPECT_TRUE(in_child([&] {
    return become_nobody() && fails("cannot be created: Permission denied", [&] { Ledger::create(place + "/new.db"); });
  }));
}

// SQLite took the ledger "a.db-journal" for the journal of the ledger "a.db", and deleted it with all its charges.
TEST_F(LedgerFile, HasNoNameUnderWhichADatabaseKeepsAFileOfItsOwn) {
  for (const std::string ending : {"-journal", "-wal", "-shm"}) {
    const std::string other = path + "-other.db";
    testing::expect_failure(ErrorCode::usage, "a database would take it for a file of its own",
                            [&] { Ledger::create(other + ending); });
    testing::expect_failure(ErrorCode::usage, "a database would take it for a file of its own", [&] {
      LedgerDataset dataset{"people" + ending, Budget::pure(Rational(1))};
      dataset.witness = other + ending;
      Ledger::open_or_create(path).add_dataset(dataset);
    });
    std::ofstream(other + ending) << "what its owner keeps";
    testing::expect_failure(ErrorCode::usage, "is there, and the ledger", [&] { Ledger::create(other); });
    EXPECT_FALSE(std::filesystem::exists(other));
    EXPECT_TRUE(std::filesystem::remove(other + ending));
  }
}

/// A ledger with a false format number has tables that the migration does not expect, and stays as it was.
TEST_F(LedgerFile, AFailedMigrationChangesNothing) {
  RawDatabase(path).run(format_0);
  RawDatabase(path).run("CREATE TABLE receipts (entry INTEGER PRIMARY KEY)");
  expect_refused("does not have the tables of format 0");
  EXPECT_EQ(RawDatabase(path).text("PRAGMA user_version"), "0");
}

}  // namespace
}  // namespace fractile
