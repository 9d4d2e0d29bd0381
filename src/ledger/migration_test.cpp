// Today's programs migrate ledgers of format 2 to their own format, in one transaction or not at all.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

#include "exact/digest.hpp"
#include "libraries/fmt.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::expect_failure;
using testing::raw_connection;
using testing::RawDatabase;
using testing::request;

/// A ledger of format 2, written out, so that this test fails when the tables or the chain of format 2 change.
constexpr const char* file_of_format_2 = R"(
CREATE TABLE datasets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, neighbors TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT) STRICT;
CREATE TABLE entries (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets, query TEXT NOT NULL, receipt_path TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, charged_rho TEXT) STRICT;
CREATE TABLE events (id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('dataset', 'reserve', 'draw', 'commit', 'void')), dataset INTEGER REFERENCES datasets, entry INTEGER REFERENCES entries, receipt_sha256 TEXT, reason TEXT, hash TEXT NOT NULL, CHECK ((dataset IS NULL) = (kind != 'dataset')), CHECK ((entry IS NULL) = (kind = 'dataset'))) STRICT;
CREATE TABLE receipts (entry INTEGER PRIMARY KEY REFERENCES entries, text TEXT NOT NULL) STRICT;
CREATE TABLE pins (dataset INTEGER PRIMARY KEY REFERENCES datasets, person TEXT NOT NULL, records_per_person INTEGER NOT NULL, source TEXT NOT NULL) STRICT;
CREATE INDEX entries_of ON entries (dataset);
CREATE UNIQUE INDEX added ON events (dataset) WHERE kind = 'dataset';
CREATE UNIQUE INDEX reserved ON events (entry) WHERE kind = 'reserve';
CREATE UNIQUE INDEX settled ON events (entry) WHERE kind IN ('commit', 'void');
CREATE UNIQUE INDEX drawn ON events (entry) WHERE kind = 'draw';
CREATE TRIGGER datasets_kept BEFORE UPDATE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER datasets_held BEFORE DELETE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER entries_kept BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER entries_held BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER events_kept BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER events_held BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER receipts_kept BEFORE UPDATE ON receipts BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER receipts_held BEFORE DELETE ON receipts BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER pins_kept BEFORE UPDATE ON pins BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER pins_held BEFORE DELETE ON pins BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
INSERT INTO datasets VALUES (1, 'people', 'person', 'add-remove', 'pure', '1', NULL, NULL);
INSERT INTO datasets VALUES (2, 'others', 'person', 'change-one', 'zcdp', NULL, '1/2', NULL);
INSERT INTO pins VALUES (1, 'id', 2, '/data/people.csv');
INSERT INTO pins VALUES (2, '', 1, '');
PRAGMA application_id = 1179798599;
PRAGMA user_version = 2;
)";

constexpr const char* schema_of_format_2 = R"(
CREATE SCHEMA fractile;
CREATE TABLE fractile.about (format bigint NOT NULL);
CREATE TABLE fractile.turn ();
CREATE TABLE fractile.datasets (id bigint PRIMARY KEY, name bytea NOT NULL UNIQUE, unit bytea NOT NULL, neighbors text NOT NULL, measure text NOT NULL, epsilon text, rho text, delta text, person bytea NOT NULL, records_per_person bigint NOT NULL, source bytea NOT NULL);
CREATE TABLE fractile.entries (id bigint PRIMARY KEY, dataset bigint NOT NULL REFERENCES fractile.datasets, query bytea NOT NULL, receipt_path bytea NOT NULL, measure text NOT NULL, epsilon text, rho text, delta text, charged_rho text);
CREATE TABLE fractile.events (id bigint PRIMARY KEY, time text NOT NULL, kind text NOT NULL, dataset bigint REFERENCES fractile.datasets, entry bigint REFERENCES fractile.entries, receipt_sha256 text, reason bytea, hash text NOT NULL, change text NOT NULL UNIQUE, CHECK (kind IN ('dataset', 'reserve', 'draw', 'commit', 'void')), CHECK ((dataset IS NULL) = (kind <> 'dataset')), CHECK ((entry IS NULL) = (kind = 'dataset')));
CREATE TABLE fractile.receipts (entry bigint PRIMARY KEY REFERENCES fractile.entries, text bytea NOT NULL);
CREATE UNIQUE INDEX added ON fractile.events (dataset) WHERE kind = 'dataset';
CREATE UNIQUE INDEX reserved ON fractile.events (entry) WHERE kind = 'reserve';
CREATE UNIQUE INDEX drawn ON fractile.events (entry) WHERE kind = 'draw';
CREATE UNIQUE INDEX settled ON fractile.events (entry) WHERE kind IN ('commit', 'void');
CREATE FUNCTION fractile.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'a ledger only grows'; END$$;
ALTER TABLE fractile.events ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON fractile.events FOR SELECT USING (true);
CREATE POLICY asked ON fractile.events FOR INSERT WITH CHECK (kind IN ('reserve', 'draw', 'commit'));
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.about EXECUTE FUNCTION fractile.refuse();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.datasets EXECUTE FUNCTION fractile.refuse();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.entries EXECUTE FUNCTION fractile.refuse();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.events EXECUTE FUNCTION fractile.refuse();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON fractile.receipts EXECUTE FUNCTION fractile.refuse();
INSERT INTO fractile.about VALUES (2);
INSERT INTO fractile.datasets VALUES (1, 'people', 'person', 'add-remove', 'pure', '1', NULL, NULL, 'id', 2, '/data/people.csv');
INSERT INTO fractile.datasets VALUES (2, 'others', 'person', 'change-one', 'zcdp', NULL, '1/2', NULL, '', 1, '');
SET search_path = fractile;
)";

/// Entry 1 is committed, 2 reserved, 3 drawn (a pure cost on a zCDP budget), and 4 void.
constexpr const char* entries_of_format_2 = R"(
INSERT INTO entries VALUES (1, 1, '{"q":1}', '', 'pure', '1/2', NULL, NULL, NULL);
INSERT INTO entries VALUES (2, 1, '{"q":2}', '/receipts/r.json', 'pure', '1/8', NULL, NULL, NULL);
INSERT INTO entries VALUES (3, 2, '{"q":1}', '', 'pure', '1/4', NULL, NULL, '1/32');
INSERT INTO entries VALUES (4, 1, '{"q":3}', '', 'pure', '1/4', NULL, NULL, NULL);
INSERT INTO receipts VALUES (1, 'r');
)";

struct OldLine {
  const char* kind;
  const char* about;  ///< the columns dataset and entry
  const char* more;   ///< the columns receipt_sha256 and reason
  const char* hash;
};

constexpr std::array lines_of_format_2{
    OldLine{"dataset", "1, NULL", "NULL, NULL", "1317351b0a8d9efb0f49c6c3cab03a2b5b097e8320a672a13f9fe27ccaaee6c2"},
    OldLine{"dataset", "2, NULL", "NULL, NULL", "944f466341a36e62fee6f3c801658662430680455fb1996b8a06d431df60705e"},
    OldLine{"reserve", "NULL, 1", "NULL, NULL", "12a08333e9ad74ba276a9c9d75f7b8bba639fecf1f5597099face6d1941ac14b"},
    OldLine{"draw", "NULL, 1", "NULL, NULL", "117b32040fc54dd5adeeb74c87d0b39edbe256981c7359a0ebb32aa3ff6a9a97"},
    OldLine{"commit", "NULL, 1", "'454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1', NULL",
            "cd7fa3f41cb44a4c7a52137c9e9fea9825ca97ad6bb45541318fd0d79527bac2"},
    OldLine{"reserve", "NULL, 2", "NULL, NULL", "5f9e0ce9090685e0c23e7e3be11704927c72d43548a7c93907245fbb8bd2f577"},
    OldLine{"reserve", "NULL, 3", "NULL, NULL", "4904663664f52817c54f786cfeac1a5d4f0761961118b703fbff78d66b1b75ca"},
    OldLine{"draw", "NULL, 3", "NULL, NULL", "4470ed9729cd232926c840f3905b6d1f6931ef0e4cf98835530d62d060a668c7"},
    OldLine{"reserve", "NULL, 4", "NULL, NULL", "5ad13867d417f9ffb777235715f48089f24457ee80790a2ac075f1c3e218b9f8"},
    OldLine{"void", "NULL, 4", "NULL, 'it failed'", "790a93e25e980f39ab14d27d37dbeb4c87119a1ecf94615eae1d7dde05698d1a"},
};
constexpr const char* head_of_format_2 = lines_of_format_2.back().hash;

class LedgerMigration : public testing::EveryStore {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (IsSkipped()) return;
    std::string sql = is_postgres() ? schema_of_format_2 : file_of_format_2;
    sql += entries_of_format_2;
    int number = 0;
    for (const OldLine& line : lines_of_format_2) {
      ++number;
      sql += fmt::format("INSERT INTO events VALUES ({}, '2025-06-01T12:00:00Z', '{}', {}, {}, '{}'{});", number,
                         line.kind, line.about, line.more, line.hash,
                         is_postgres() ? fmt::format(", 'change {}'", number) : "");
    }
    if (is_postgres()) {
      raw_connection(path).command(sql);
    } else {
      RawDatabase(path).run(sql);
    }
  }

  std::string format_in(const std::string& ledger) const {
    if (!is_postgres()) return RawDatabase(ledger).text("PRAGMA user_version");
    return raw_connection(ledger).query("SELECT max(format)::text FROM fractile.about").cell(0, 0).value_or("");
  }

  static void expect_as_before(const Ledger& ledger) {
    EXPECT_EQ(ledger.verify(), head_of_format_2);
    EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 5/8");
    EXPECT_EQ(ledger.balance("others").spent.to_string(), "rho = 1/32");
    EXPECT_EQ(ledger.find_committed("people", R"({"q":1})")->receipt, "r");
    const LedgerStatement statement = ledger.statement();
    EXPECT_EQ(statement.accounts[0].dataset.person, "id");
    EXPECT_EQ(statement.accounts[0].dataset.source, "/data/people.csv");
    EXPECT_TRUE(statement.accounts[0].dataset.reading.empty());
    ASSERT_EQ(statement.entries.size(), 4U);
    EXPECT_EQ(statement.entries[1].state, EntryState::reserved);
    EXPECT_EQ(statement.entries[1].token, "");
    EXPECT_EQ(statement.entries[2].state, EntryState::drawn);
    EXPECT_EQ(statement.entries[3].reason, "it failed");
    EXPECT_TRUE(statement.sources.empty());
  }
};
FRACTILE_ON_EVERY_STORE(LedgerMigration);

TEST_P(LedgerMigration, KeepsAllThatThereWas) {
  {
    const Ledger old = Ledger::open_to_read(path);
    EXPECT_EQ(old.statement().format, 2);
    expect_as_before(old);
  }
  EXPECT_EQ(format_in(path), "2");
  Ledger ledger = Ledger::open(path);
  EXPECT_EQ(ledger.statement().format, 3);
  EXPECT_EQ(format_in(path), "3");
  expect_as_before(ledger);
  expect_as_before(Ledger::open_to_read(path));
  ledger.commit(ledger.entry(2).reservation(), "old");  // as before, without a token
  LedgerRequest asked = request(R"({"q":4})", Budget::pure(Rational(3, 8)));
  asked.person = "id";
  asked.records_per_person = 2;
  asked.source = "/data/people.csv";
  asked.reading = {{"delimiter", ";"}};
  const LedgerReservation entry = ledger.reserve(asked);
  EXPECT_EQ(entry.id, 5);
  EXPECT_NE(entry.token, "");
  expect_failure(ErrorCode::budget_refused, "epsilon = 0 of epsilon = 1", [&] { ledger.reserve(asked); });
  ledger.commit(entry, "new");
  EXPECT_EQ(ledger.find_committed("people", asked.query)->receipt, "new");
  EXPECT_EQ(ledger.find_committed("people", R"({"q":1})")->receipt, "r");
  EXPECT_EQ(ledger.statement().sources.at(0).entry, 5);
  ledger.verify(head_of_format_2);
}

TEST_P(LedgerMigration, WhatWasAlteredIsNotTakenForWhole) {
  testing::alter(path, "UPDATE entries SET epsilon = '1/9' WHERE id = 2");
  expect_failure(ErrorCode::ledger, "line 6 or what it is about does not match its hash",
                 [&] { Ledger::open(path).verify(); });
}

/// Processes that open a ledger are killed at any moment. The ledger stays whole, and is of the old format or of the new one.
TEST_P(LedgerMigration, IsKilledAnywhere) {
  std::mt19937 moments(20261126);
  std::uniform_int_distribution<int> microseconds(0, is_postgres() ? 60'000 : 12'000);
  std::size_t old = 0;
  std::size_t migrated = 0;
  for (std::uint64_t round = 0; round < effort(is_postgres() ? 8 : 40); ++round) {
    const std::string ledger = copy_of(path);
    const pid_t child = fork();
    if (child == 0) {
      Ledger::open(ledger);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(moments)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Ledger after = Ledger::open_to_read(ledger);
    expect_as_before(after);
    ++(after.statement().format == 2 ? old : migrated);
    expect_as_before(Ledger::open(ledger));
  }
  RecordProperty("old", static_cast<int>(old));
  RecordProperty("migrated", static_cast<int>(migrated));
}

/// Who reads an old ledger goes on reading when another program makes it a new one.
TEST_P(LedgerMigration, IsNoticedByThoseWhoRead) {
  const Ledger reading = Ledger::open_to_read(path);
  expect_as_before(reading);
  EXPECT_EQ(reading.statement().format, 2);
  Ledger::open(path);
  expect_as_before(reading);
  EXPECT_EQ(reading.statement().format, 3);
}

TEST_P(LedgerMigration, IsForItsOwner) {
  if (!is_postgres()) GTEST_SKIP() << "a file is whose it is";
  const std::string late = "late_" + path.substr(path.rfind('/') + 1);  // roles belong to the server, not to the test
  raw_connection(path).command(
      fmt::format("CREATE ROLE {0} LOGIN; GRANT USAGE ON SCHEMA fractile TO {0};"
                  "GRANT SELECT ON ALL TABLES IN SCHEMA fractile TO {0};"
                  "GRANT INSERT ON fractile.entries, fractile.events, fractile.receipts TO {0};"
                  "GRANT UPDATE ON fractile.turn TO {0}",
                  late));
  std::string asking = path;
  asking.replace(asking.find("postgres@"), 8, late);
  expect_failure(ErrorCode::ledger, "only the role that owns it can make it one of format 3",
                 [&] { Ledger::open(asking); });
  expect_as_before(Ledger::open_to_read(asking));
  Ledger::open(path);
  Ledger ledger = Ledger::open(asking);
  LedgerRequest asked = request(R"({"q":1})", Budget::pure(Rational(1, 8)), "others");
  asked.neighbors = Neighbors::change_one;
  ledger.commit(ledger.reserve(asked), "r");
  ledger.verify();
}

}  // namespace
}  // namespace fractile
