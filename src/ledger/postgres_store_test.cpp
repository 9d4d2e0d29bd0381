// Tests of what only a team's store has: roles, passwords, and a network and a server that fail. ledger_test, crash_test and verify_test
// check the promises of every store.
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include "fractile/ledger.hpp"
#include "ledger/rows.hpp"
#include "ledger/store.hpp"
#include "libraries/fmt.hpp"
#include "support/cutting_proxy.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::Cut;
using testing::CuttingProxy;
using testing::effort;
using testing::expect_failure;
using testing::impatient;
using testing::PostgresServer;
using testing::raw_connection;
using testing::request;

class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << testing::no_postgres;
    address = server().fresh();
  }
  static PostgresServer& server() { return *PostgresServer::shared(); }
  Ledger with(const Rational& epsilon) const {
    Ledger ledger = Ledger::create(address);
    ledger.add_dataset({"people", Budget::pure(epsilon)});
    return ledger;
  }
  /// The address of the same database through another port.
  std::string over(int port) const {
    return fmt::format("postgres://postgres@127.0.0.1:{}{}", port, address.substr(address.rfind('/')));
  }
  std::string as(const std::string& user) const {
    return fmt::format("postgres://{}@127.0.0.1:{}{}", user, server().port(), address.substr(address.rfind('/')));
  }

  /// A role of this test alone: roles belong to the server, and one that has rights in some database cannot be dropped.
  std::string role(const std::string& name) const { return name + "_" + address.substr(address.rfind('/') + 1); }

  testing::Folder folder;
  std::string address;
};

/// While a ledger decides what its next line is, a test slips in a line that the ledger was not asked for. The line's hash is taken from
/// a file, since the chain is the same in every store.
class PostgresIsolation : public PostgresTest {
 protected:
  static LedgerOptions at_noon() {
    return {.clock = [] { return std::chrono::system_clock::from_time_t(1'800'000'000); }};
  }
  /// Appends to the database the line that this request adds to a file with the same history.
  void slip_in(const LedgerRequest& asked) const {
    Ledger twin = Ledger::create(folder.file("twin.db"), at_noon());
    twin.add_dataset({"people", Budget::pure(Rational(1))});
    const std::int64_t id = twin.reserve(asked).id;
    const LedgerEvent event = twin.statement().events.back();
    testing::RawDatabase file(folder.file("twin.db"));
    raw_connection(address).command(fmt::format(
        "BEGIN; INSERT INTO fractile.entries VALUES ({}, 1, '{}', '', 'pure', '{}', NULL, NULL, NULL, '', '', 1, '', "
        "'{}', '{}'); INSERT INTO fractile.events VALUES ({}, '{}', 'reserve', NULL, {}, NULL, NULL, '{}', "
        "'slipped in', '{}'); COMMIT",
        id, asked.query, asked.cost.epsilon().to_string(), file.text("SELECT nonce FROM entries"),
        file.text("SELECT question FROM entries"), event.id, event.time, id, event.hash,
        file.text("SELECT sums FROM events ORDER BY id DESC LIMIT 1")));
  }
};

TEST_F(PostgresIsolation, WhatIsSpentIsDecidedOnEveryLineBefore) {
  with(Rational(1));  // with another clock, so that the chains differ
  address = server().fresh();
  Ledger::create(address, at_noon()).add_dataset({"people", Budget::pure(Rational(1))});
  int times = 0;
  Ledger ledger = Ledger::open(address, {.clock = [&] {
                                 if (++times == 1) slip_in(request("theirs", Budget::pure(Rational(3, 4))));
                                 return at_noon().clock();
                               }});
  const LedgerRequest ours = request("ours", Budget::pure(Rational(1, 2)));
  expect_failure(ErrorCode::budget_refused, "epsilon = 1/4 of epsilon = 1", [&] { ledger.reserve(ours); });
  EXPECT_EQ(times, 1);  // the second attempt was refused before it asked the clock
  EXPECT_EQ(ledger.reserve(request("less", Budget::pure(Rational(1, 4)))).id, 2);
  ledger.verify();
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 1");
}

/// A transaction sees one moment, whatever is committed meanwhile.
TEST_F(PostgresIsolation, ATransactionSeesOneMoment) {
  using namespace ledger_detail;
  Ledger::create(address, at_noon()).add_dataset({"people", Budget::pure(Rational(1))});
  const auto store = open_store(address, Wanted::existing, {std::chrono::seconds(5)});
  const auto count = [&] {
    int rows = 0;
    store->scan(Table::events, [&](const Fields&) { ++rows; });
    return rows;
  };
  int after = 0;
  store->read([&] {
    EXPECT_EQ(count(), 1);
    slip_in(request("theirs", Budget::pure(Rational(3, 4))));
    after = count();
  });
  EXPECT_EQ(after, 1);
  store->write([&] {
    EXPECT_EQ(count(), 2);
    raw_connection(address).command(
        "INSERT INTO fractile.entries VALUES (9, 1, '', '', 'pure', '1', NULL, NULL, NULL);"
        "INSERT INTO fractile.events VALUES (3, '', 'reserve', NULL, 9, NULL, NULL, '', 'another')");
    after = count();
  });
  EXPECT_EQ(after, 2);
}

/// A file's rows, moved to a server, are a ledger with the same hashes.
TEST_F(PostgresIsolation, TheChainIsThatOfAFile) {
  using namespace ledger_detail;
  const std::string path = folder.file("budget.db");
  Ledger ledger = Ledger::create(path, at_noon());
  ledger.add_dataset({"people",
                      Budget::pure(Exponent::parse("ln 3")),
                      Neighbors::add_remove,
                      "person",
                      "id",
                      3,
                      "visits",
                      {{"delimiter", ";"}}});
  LedgerRequest asked = request("q \n '\\' \xff", Budget::pure(Rational(1, 7)));
  asked.person = "id";
  asked.records_per_person = 3;
  asked.source = "visits";
  asked.reading = {{"delimiter", ";"}, {"missing", "\xff'"}};
  asked.receipt_path = folder.file("nowhere.json");
  ledger.commit(ledger.reserve(asked), "receipt");
  ledger.void_entry(ledger.reserve(asked).id, "because");
  const auto file = open_store(path, Wanted::reading, {std::chrono::seconds(5)});
  const auto server = open_store(address, Wanted::created, {std::chrono::seconds(5)});
  server->write([&] {
    for (const Table table : {Table::datasets, Table::entries, Table::events, Table::receipts}) {
      file->scan(table, [&](const Fields& row) {
        if (table != Table::events) server->append(table, row);
      });
    }
  });
  std::vector<Fields> lines;
  file->scan(Table::events, [&](const Fields& row) { lines.push_back(row); });
  for (const Fields& row : lines) server->write([&] { server->append(Table::events, row); });
  EXPECT_EQ(Ledger::open(address).verify(), ledger.verify());
}

TEST_F(PostgresTest, LockedForTooLongIsRefused) {
  Ledger ledger = with(Rational(1));
  auto other = raw_connection(address);
  other.command("BEGIN; LOCK TABLE fractile.turn IN EXCLUSIVE MODE");
  Ledger hasty = Ledger::open(address, impatient());
  EXPECT_EQ(hasty.datasets().size(), 1U);  // a reader need not wait
  expect_failure(ErrorCode::ledger, "is locked by another process",
                 [&] { hasty.reserve(request("q", Budget::pure(Rational(1)))); });
  std::thread unlock([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.command("COMMIT");
  });
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(1)))).id, 1);
  unlock.join();
}

TEST_F(PostgresTest, WhatIsNoLedgerIsRefused) {
  expect_failure(ErrorCode::ledger, "there is no ledger at '" + address, [&] { Ledger::open(address); });
  expect_failure(ErrorCode::ledger, "fractile ledger init", [&] { Ledger::open_to_read(address); });
  expect_failure(ErrorCode::ledger, "cannot be reached", [&] { Ledger::open(over(1)); });
  with(Rational(1));
  expect_failure(ErrorCode::usage, "there is already something at", [&] { Ledger::create(address); });
  EXPECT_EQ(Ledger::open_or_create(address).datasets().size(), 1U);
  for (const char* change :
       {"DROP TRIGGER kept ON fractile.entries", "ALTER TABLE fractile.events DISABLE TRIGGER kept",
        "DROP POLICY asked ON fractile.events", "ALTER TABLE fractile.events DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE fractile.events DROP CONSTRAINT events_pkey", "DROP INDEX fractile.settled",
        "ALTER TABLE fractile.receipts SET UNLOGGED", "CREATE TABLE fractile.more (x int)",
        "ALTER TABLE fractile.entries ALTER query DROP NOT NULL"}) {
    const std::string copy = server().copy_of(address);
    raw_connection(copy).command(change);
    expect_failure(ErrorCode::ledger, "does not have the tables of format 3", [&] { Ledger::open(copy); });
  }
  testing::alter(address, "UPDATE about SET format = 4");
  expect_failure(ErrorCode::ledger, "is of format 4, and this program knows formats up to 3",
                 [&] { Ledger::open(address); });
}

/// A user has set a search_path, and has made operators, functions and tables under the catalog's names.
TEST_F(PostgresTest, NamesOfSomebodyDecideNothing) {
  raw_connection(address).command(R"(
    CREATE SCHEMA evil;
    CREATE FUNCTION evil.differ(text, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT false';
    CREATE FUNCTION evil.differ(bigint, bigint) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT false';
    CREATE FUNCTION evil.differ(oid, oid) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT false';
    CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.differ);
    CREATE OPERATOR evil.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.differ);
    CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.differ);
    CREATE FUNCTION evil.to_regclass(text) RETURNS regclass STABLE LANGUAGE sql AS 'SELECT NULL::regclass';
    CREATE FUNCTION evil.current_setting(text) RETURNS text STABLE LANGUAGE sql AS $$SELECT 'off'::text$$;
    CREATE FUNCTION evil.format_type(oid, integer) RETURNS text STABLE LANGUAGE sql AS $$SELECT 'evil'::text$$;
    CREATE TABLE evil.pg_class (oid oid, relname name, relkind "char", relnamespace oid))");
  const std::string database = address.substr(address.rfind('/') + 1);
  raw_connection(address).command("ALTER DATABASE " + database + " SET search_path = evil, pg_catalog, public");
  CuttingProxy proxy(server().port());
  with(Rational(1));
  Ledger ledger = Ledger::open(over(proxy.port()));
  proxy.cut(Cut::after);  // a comparison of texts decides whether the change happened
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(1, 4)))).id, 1);
  EXPECT_EQ(ledger.statement().entries.size(), 1U);
  ledger.commit(ledger.entry(1).reservation(), "receipt");
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "receipt");
  ledger.void_entry(ledger.reserve(request("q", Budget::pure(Rational(1, 4)))).id, "because");
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 1/4");
  ledger.verify();
}

TEST_F(PostgresTest, LinesAreOnlyAdded) {
  Ledger ledger = with(Rational(1));
  ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1)))), "r");
  auto connection = raw_connection(address);  // the owner's connection
  for (const std::string table : {"datasets", "entries", "events", "receipts", "about"}) {
    const std::string column = table == "about" ? "format" : table == "receipts" ? "entry" : "id";
    for (const std::string& sql : {"DELETE FROM fractile." + table, "TRUNCATE fractile." + table + " CASCADE",
                                   "UPDATE fractile." + table + " SET " + column + " = 9"}) {
      EXPECT_THROW(connection.command(sql), postgres::Failure) << sql;
    }
  }
}

/// An asker may reserve and commit, a reader may look, and only the ledger's owner may add budgets and void charges.
TEST_F(PostgresTest, RolesMayDoWhatTheyShould) {
  Ledger kept = with(Rational(1));
  const std::string asker = role("asker");
  const std::string reader = role("reader");
  raw_connection(address).command(fmt::format(
      "CREATE ROLE {0} LOGIN; CREATE ROLE {1} LOGIN;"
      "GRANT USAGE ON SCHEMA fractile TO {0}, {1}; GRANT SELECT ON ALL TABLES IN SCHEMA fractile TO {0}, {1};"
      "GRANT INSERT ON fractile.entries, fractile.events, fractile.receipts TO {0};"
      "GRANT UPDATE ON fractile.turn TO {0}",
      asker, reader));
  Ledger asking = Ledger::open(as(asker));
  asking.commit(asking.reserve(request("q", Budget::pure(Rational(1, 4)))), "receipt");
  EXPECT_EQ(asking.reserve(request("another", Budget::pure(Rational(1, 4)))).id, 2);
  EXPECT_EQ(asking.find_committed("people", "q")->receipt, "receipt");
  const auto forbidden = [](const std::function<void()>& work) {
    expect_failure(ErrorCode::ledger, "does not permit this", work);
  };
  forbidden([&] { asking.void_entry(2, "because"); });
  forbidden([&] { asking.add_dataset({"more", Budget::pure(Rational(1))}); });
  Ledger reading = Ledger::open_to_read(as(reader));
  EXPECT_EQ(reading.verify(), kept.verify());
  forbidden([&] { Ledger::open(as(reader)).reserve(request("q", Budget::pure(Rational(1, 4)))); });

  auto by_hand = raw_connection(as(asker));
  for (const char* sql :
       {"INSERT INTO fractile.events VALUES (7, '', 'void', NULL, 2, NULL, 'x', '', 'x')",
        "INSERT INTO fractile.datasets SELECT 2, 'x', unit, neighbors, measure, '9', rho, delta, person, 1, source "
        "FROM fractile.datasets",
        "UPDATE fractile.entries SET epsilon = '0'", "DELETE FROM fractile.events", "TRUNCATE fractile.receipts",
        "UPDATE fractile.datasets SET epsilon = '9'", "DROP TRIGGER kept ON fractile.entries",
        "ALTER TABLE fractile.events DISABLE ROW LEVEL SECURITY", "SET session_replication_role = replica",
        "CREATE TABLE fractile.mine (x int)", "UPDATE fractile.about SET format = 1"}) {
    try {
      by_hand.command(sql);
      ADD_FAILURE() << sql;
    } catch (const postgres::Failure& failure) {
      EXPECT_EQ(failure.sqlstate, "42501") << sql << ": " << failure.words;
    }
  }
  kept.void_entry(2, "because");
  kept.verify();
}

TEST_F(PostgresTest, PasswordsAreNeverShown) {
  with(Rational(1));
  raw_connection(address).command(
      "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'open sesame'");
  const std::string end = fmt::format("127.0.0.1:{}{}", server().port(), address.substr(address.rfind('/')));
  const auto shown_in = [](const std::function<void()>& work) {
    const Error failure = testing::failure_of(work);
    return failure.what() + ("\n" + failure.hint());
  };
  const std::string right = "postgres://guarded:open%20sesame@" + end;
  EXPECT_EQ(shown_ledger(right), "postgres://guarded@" + end);
  EXPECT_EQ(Ledger::open(right).datasets().size(), 1U);
  EXPECT_EQ(shown_in([&] { Ledger::open(right).entry(7); }).find("sesame"), std::string::npos);
  const std::array<std::string, 8> wrong{"postgres://guarded:open%20barley@" + end,
                                         "postgresql://guarded:bar@ley@" + end,
                                         "postgres://guarded:bar/ley@" + end,
                                         "postgres://guarded:bar?ley@" + end,
                                         "postgres://guarded:barley%zz@" + end,
                                         "postgres://guarded@" + end + "?password=barley",
                                         "postgres://guarded@" + end + "?pass%77ord=barley",
                                         "postgres://guarded:barley@127.0.0.1:1/x?sslpassword=barley"};
  for (const std::string& refused : wrong) {
    const std::string told = shown_in([&] { Ledger::open(refused); }) + shown_ledger(refused);
    for (const char* part : {"barley", "bar", "ley"}) EXPECT_EQ(told.find(part), std::string::npos) << told;
  }
  expect_failure(ErrorCode::ledger, "no password supplied", [&] { Ledger::open("postgres://guarded@" + end); });
  setenv("PGPASSWORD", "open sesame", 1);
  EXPECT_EQ(Ledger::open("postgres://guarded@" + end).datasets().size(), 1U);
  setenv("PGPASSWORD", "barley", 1);
  EXPECT_EQ(shown_in([&] { Ledger::open("postgres://guarded@" + end); }).find("barley"), std::string::npos);
  unsetenv("PGPASSWORD");
}

/// The connection is lost while a change is committed. The change happens once and is reported correctly.
class PostgresCuts : public PostgresTest, public ::testing::WithParamInterface<Cut> {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    with(Rational(1));
    proxy.emplace(server().port());
  }
  std::optional<CuttingProxy> proxy;
};
INSTANTIATE_TEST_SUITE_P(Postgres, PostgresCuts, ::testing::Values(Cut::before, Cut::after, Cut::late));

TEST_P(PostgresCuts, ReservesOnceAndCommitsOnce) {
  Ledger ledger = Ledger::open(over(proxy->port()));
  proxy->cut(GetParam());
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(1, 4)))).id, 1);
  EXPECT_EQ(ledger.entry(1).state, EntryState::reserved);
  EXPECT_EQ(ledger.statement().entries.size(), 1U);
  proxy->cut(GetParam());  // cuts the connection at the draw
  ledger.commit(ledger.entry(1).reservation(), "receipt");
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "receipt");
  proxy->cut(GetParam(), 3);
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational(3, 4)))).id, 2);
  ledger.void_entry(2, "because");
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 1/4");
  EXPECT_EQ(ledger.verify(), Ledger::open(address).verify());
}

/// An administrator calls pg_cancel_backend while a reservation and a draw wait for their turns.
TEST_F(PostgresTest, CanceledStatementsAreTriedAgain) {
  with(Rational(1));
  Ledger ledger = Ledger::open(address, {.patience = std::chrono::seconds(60)});
  LedgerReservation entry;
  for (const bool commits : {false, true}) {
    auto other = raw_connection(address);
    other.command("BEGIN; LOCK TABLE fractile.turn IN EXCLUSIVE MODE");
    const std::jthread canceling([&] {
      auto connection = raw_connection(address);
      const char* const waiting =
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'fractile' "
          "AND wait_event_type = 'Lock'";
      while (connection.query(waiting).rows() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      other.command("ROLLBACK");
    });
    if (commits) {
      ledger.commit(entry, "receipt");
    } else {
      entry = ledger.reserve(request("q", Budget::pure(Rational(1, 20))));
    }
  }
  EXPECT_EQ(ledger.entry(1).state, EntryState::committed);
  ledger.verify();
}

/// All rights that a release needs are checked before anything is charged.
TEST_F(PostgresTest, RightsAreAskedForBeforeTheCharge) {
  with(Rational(1));
  const std::string half = role("half");
  raw_connection(address).command(
      fmt::format("CREATE ROLE {0} LOGIN; GRANT USAGE ON SCHEMA fractile TO {0};"
                  "GRANT SELECT ON ALL TABLES IN SCHEMA fractile TO {0};"
                  "GRANT INSERT ON fractile.entries, fractile.events TO {0}; GRANT UPDATE ON fractile.turn TO {0}",
                  half));
  Ledger ledger = Ledger::open(as(half));
  const LedgerRequest asked = request("q", Budget::pure(Rational(1, 4)));
  const std::string missing = "does not permit this: INSERT on fractile.receipts is missing";
  expect_failure(ErrorCode::ledger, missing, [&] { ledger.require_fit(asked); });
  expect_failure(ErrorCode::ledger, missing, [&] { ledger.reserve(asked); });
  EXPECT_TRUE(ledger.statement().entries.empty());
}

/// An administrator's setting makes the server quote the names of the catalogs.
TEST_F(PostgresTest, QuotedNamesAreTheSameNames) {
  with(Rational(1));
  const std::string database = address.substr(address.rfind('/') + 1);
  raw_connection(address).command("ALTER DATABASE " + database + " SET quote_all_identifiers = on");
  EXPECT_EQ(Ledger::open(address).datasets().size(), 1U);
}

/// Whether a server process has loaded the compiler for statements.
bool has_compiler(const std::string& process) {
  std::ifstream file("/proc/" + process + "/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  return maps.find("llvmjit") != std::string::npos;
}

/// The server compiles statements that it takes for expensive, which takes longer than a payment does.
TEST_F(PostgresTest, PaymentsAreNotCompiled) {
  postgres::Connection compiling = raw_connection(address);
  compiling.command("SET jit_above_cost = 0");
  compiling.query("SELECT sum(i) FROM generate_series(1, 9) AS numbers(i)");
  if (!has_compiler(*compiling.query("SELECT pg_backend_pid()::text").cell(0, 0)))
    GTEST_SKIP() << "this server compiles no statements, or hides it";
  Ledger ledger = with(Rational(1));
  ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 4)))), "receipt");
  EXPECT_EQ(ledger.statement().entries.size(), 1U);
  ledger.verify();
  const postgres::Result paying = raw_connection(address).query(
      "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'fractile' AND datname = current_database()");
  ASSERT_GT(paying.rows(), 0);
  for (int i = 0; i < paying.rows(); ++i) EXPECT_FALSE(has_compiler(*paying.cell(i, 0)));
}

/// When the server is gone, the error says that the change may have been made, and the charge counts.
TEST_F(PostgresTest, AServerThatIsGoneLeavesADoubtThatCounts) {
  with(Rational(1));
  CuttingProxy proxy(server().port());
  Ledger ledger = Ledger::open(over(proxy.port()), impatient());
  proxy.refuse(true);
  proxy.cut(Cut::after);
  expect_failure(ErrorCode::ledger, "it is not known whether the change was made",
                 [&] { ledger.reserve(request("q", Budget::pure(Rational(1, 4)))); });
  EXPECT_EQ(Ledger::open(address).balance("people").spent.to_string(), "epsilon = 1/4");
}

TEST_F(PostgresTest, ConnectionsThatAreCutAnywhereLoseNothing) {
  with(Rational(1000));
  CuttingProxy proxy(server().port());
  Ledger ledger = Ledger::open(over(proxy.port()));
  std::mt19937 random(20261125);
  std::uniform_int_distribution<long> bytes(1, 12'000);
  std::int64_t made = 0;
  for (std::uint64_t round = 0; round < effort(60); ++round) {
    proxy.cut_after(bytes(random));
    const LedgerReservation entry = ledger.reserve(request("q", Budget::pure(Rational(1, 100))));
    EXPECT_EQ(entry.id, ++made);
    ledger.commit(entry, "receipt");
  }
  proxy.cut_after(0);
  const LedgerStatement statement = ledger.statement();
  EXPECT_EQ(statement.entries.size(), static_cast<std::size_t>(made));
  for (const LedgerEntry& entry : statement.entries) EXPECT_EQ(entry.state, EntryState::committed);
  ledger.verify();
}

/// 64 clients in four processes, each with its own connection, release until nothing is left.
TEST_F(PostgresTest, SixtyFourClientsSpendTheBudgetAndNoMore) {
  with(Rational(1));
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        try {
          Ledger ledger = Ledger::open(address, {.patience = std::chrono::seconds(60)});
          while (true) ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 200)))), "receipt");
        } catch (const Error& error) {
          failures += error.code() == ErrorCode::budget_refused ? 0 : 1;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    _exit(failures == 0 ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const Ledger ledger = Ledger::open(address);
  ledger.verify();
  const LedgerStatement statement = ledger.statement();
  EXPECT_EQ(statement.entries.size(), 200U);
  for (const LedgerEntry& entry : statement.entries) EXPECT_EQ(entry.state, EntryState::committed);
  EXPECT_EQ(statement.accounts[0].balance.remaining.to_string(), "epsilon = 0");
}

/// Clients reserve, commit and publish until the budget refuses them. The tests kill clients, or the server, at random moments. The
/// database is set to confirm changes before they are written, which a ledger must override.
class PostgresKills : public PostgresTest {
 protected:
  static constexpr int clients = 8;
  static constexpr std::int64_t affordable = 150;

  enum class Kind {
    goes_on,  ///< goes on until the budget refuses it
    holds,    ///< stops once it has reserved, and never commits
  };

  struct Client {
    pid_t process = 0;
    int told = -1;  ///< a pipe with the entries that the client saw reserved, and, negative, saw committed
    Kind kind = Kind::goes_on;
  };

  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    with(Rational(1));
    raw_connection(address).command("ALTER DATABASE " + address.substr(address.rfind('/') + 1) +
                                    " SET synchronous_commit = off");
    std::filesystem::create_directory(receipts);
  }

  Client started(Kind kind = Kind::goes_on) const {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child != 0) {
      close(ends[1]);
      return {child, ends[0], kind};
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(ends[1], kind);
    _exit(0);
  }

  /// Waits for at most a minute until the client has reported something.
  static void await_word(const Client& client) {
    pollfd word{client.told, POLLIN, 0};
    ASSERT_EQ(poll(&word, 1, 60'000), 1) << "a client does not come to reserve";
  }

  void work(int out, Kind kind) const {
    const auto tell = [&](std::int64_t id) {
      if (write(out, &id, sizeof id) != sizeof id) _exit(1);
    };
    while (true) {
      try {
        Ledger ledger = Ledger::open(address, {.patience = std::chrono::seconds(30)});
        while (true) {
          const LedgerReservation entry = ledger.reserve(request("q", Budget::pure(Rational(1, affordable))));
          const std::int64_t id = entry.id;
          tell(id);
          while (kind == Kind::holds) pause();
          ledger.commit(entry, "receipt of " + std::to_string(id));
          tell(-id);
          std::ofstream(receipts + "/" + std::to_string(id)) << "receipt of " << id << std::flush;
        }
      } catch (const Error& error) {
        if (error.code() == ErrorCode::budget_refused) return;
        // The server is gone, but what it has confirmed must stay.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      } catch (...) {
        _exit(1);
      }
    }
  }

  void settle(const Client& client) {
    std::int64_t id = 0;
    while (read(client.told, &id, sizeof id) == sizeof id) {
      const bool is_new = id < 0 ? committed.insert(-id).second : reserved.insert(id).second;
      EXPECT_TRUE(is_new) << "two were told that they " << (id < 0 ? "committed " : "reserved ") << std::abs(id);
    }
    close(client.told);
    int status = 0;
    waitpid(client.process, &status, 0);
    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0) << status;
  }

  void expect_sound() const {
    const Ledger ledger = Ledger::open(address);
    ledger.verify();
    const LedgerStatement statement = ledger.statement();
    EXPECT_LE(statement.entries.size(), static_cast<std::size_t>(affordable));
    EXPECT_TRUE(statement.accounts[0].balance.spent.is_within(Budget::pure(Rational(1))));
    EXPECT_EQ(statement.accounts[0].balance.spent.epsilon, EpsilonSum(Rational(statement.entries.size(), affordable)));
    for (const std::int64_t id : reserved) EXPECT_LE(id, static_cast<std::int64_t>(statement.entries.size()));
    for (const std::int64_t id : committed) expect_committed(statement, id);
    for (const auto& file : std::filesystem::directory_iterator(receipts)) {
      expect_committed(statement, std::stoll(file.path().filename()));
    }
  }

  static void expect_committed(const LedgerStatement& statement, std::int64_t id) {
    ASSERT_LE(id, static_cast<std::int64_t>(statement.entries.size()));
    const LedgerEntry& entry = statement.entries[static_cast<std::size_t>(id) - 1];
    EXPECT_EQ(entry.state, EntryState::committed) << id;
    EXPECT_EQ(entry.receipt, "receipt of " + std::to_string(id));
  }

  std::string receipts = folder.file("receipts");
  std::set<std::int64_t> reserved;
  std::set<std::int64_t> committed;
};

/// Clients are killed at random moments. Half of them stop between reserving and committing.
TEST_F(PostgresKills, OfClientsLoseNothing) {
  std::mt19937 random(20261125);
  std::uniform_int_distribution<int> milliseconds(5, 60);
  std::uniform_int_distribution<std::size_t> which(0, clients - 1);
  std::uint64_t kills = 0;
  while (kills < effort(20)) {
    std::vector<Client> running;
    for (int i = 0; i < clients / 2; ++i) running.push_back(started(Kind::holds));
    for (const Client& client : running) await_word(client);  // while budget remains
    while (running.size() < clients) running.push_back(started());
    for (int i = 0; i < 20; ++i, ++kills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
      Client& client = running[which(random)];
      kill(client.process, SIGKILL);
      settle(client);
      client = started(client.kind);
    }
    for (const Client& client : running) {
      if (client.kind == Kind::holds) kill(client.process, SIGKILL);
      settle(client);
    }
    EXPECT_GE(reserved.size(), committed.size() + clients / 2);
    expect_sound();
    EXPECT_EQ(Ledger::open(address).statement().entries.size(), static_cast<std::size_t>(affordable));
    reserved.clear();
    committed.clear();
    std::filesystem::remove_all(receipts);
    SetUp();
  }
  RecordProperty("kills", static_cast<int>(kills));
}

TEST_F(PostgresKills, OfTheServerLoseNothing) {
  std::mt19937 random(20261125);
  std::uniform_int_distribution<int> milliseconds(20, 250);
  for (std::uint64_t kills = 0; kills < effort(2, 1); ++kills) {
    std::vector<Client> running;
    for (int i = 0; i < clients; ++i) running.push_back(started());
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
    server().kill();
    server().start();
    for (const Client& client : running) settle(client);
    expect_sound();
    reserved.clear();
    committed.clear();
    std::filesystem::remove_all(receipts);
    SetUp();
  }
}

}  // namespace
}  // namespace fractile
