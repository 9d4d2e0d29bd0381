// Processes that race for a budget, and processes that are killed.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <random>
#include <thread>

#include "fractile/ledger.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::request;

class LedgerProcesses : public testing::EveryStore {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (!IsSkipped()) make(Rational(1));
  }

  void make(const Rational& epsilon) const {
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", Budget::pure(epsilon)});
  }

  /// Reserves and commits a release with a cost of 1/5; true when the budget allowed it.
  bool release() const {
    try {
      Ledger ledger = Ledger::open(path, {.patience = std::chrono::seconds(60)});
      ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 5)))), "receipt");
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::budget_refused) throw;
      return false;
    }
  }

  void expect_five_committed() const {
    const Ledger ledger = Ledger::open(path);
    ledger.verify();
    const LedgerStatement statement = ledger.statement();
    EXPECT_EQ(statement.entries.size(), 5U);
    for (const LedgerEntry& entry : statement.entries) EXPECT_EQ(entry.state, EntryState::committed);
    EXPECT_EQ(statement.accounts[0].balance.remaining.to_string(), "epsilon = 0");
  }
};
FRACTILE_ON_EVERY_STORE(LedgerProcesses);

/// How many of 16 children exit with 0, with 4, and with any other code.
std::array<int, 3> outcomes(const std::function<bool()>& work) {
  std::vector<pid_t> children;
  children.reserve(16);
  for (int i = 0; i < 16; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int code = 1;
      try {
        code = work() ? 0 : 4;
      } catch (...) {
      }
      _exit(code);
    }
    children.push_back(child);
  }
  std::array<int, 3> counts{};
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    ++counts[code == 0 ? 0 : code == 4 ? 1 : 2];
  }
  return counts;
}

TEST_P(LedgerProcesses, RaceForFiveReleases) {
  for (std::uint64_t round = 0; round < effort(is_postgres() ? 3 : 12); ++round) {
    EXPECT_EQ(outcomes([&] { return release(); }), (std::array{5, 11, 0}));
    expect_five_committed();
    path = fresh();
    make(Rational(1));
  }
}

TEST_P(LedgerProcesses, ThreadsRaceForFiveReleases) {
  std::atomic<int> released = 0;
  std::vector<std::thread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] { released += release() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(released, 5);
  expect_five_committed();
}

TEST_P(LedgerProcesses, RaceToCreate) {
  path = fresh();
  const auto work = [&] {
    Ledger::open_or_create(path, {.patience = std::chrono::seconds(60)})
        .add_dataset({std::to_string(getpid()), Budget::pure(Rational(1))});
    return true;
  };
  EXPECT_EQ(outcomes(work), (std::array{16, 0, 0}));
  const Ledger ledger = Ledger::open(path);
  EXPECT_EQ(ledger.datasets().size(), 16U);
  ledger.verify();
}

enum class Step { none, reserved, committed, receipt_written };

/// A process that reports on a pipe what the ledger has confirmed, and dies after a step of its last release.
class Publisher {
 public:
  Publisher(const std::string& path, const std::string& receipts, Step last, int releases) {
    if (pipe(told_.data()) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ != 0) {
      close(told_[1]);
      return;
    }
    try {
      Ledger ledger = Ledger::open(path);
      for (int i = 1; i <= releases; ++i) publish(ledger, receipts, i == releases ? last : Step::none);
    } catch (...) {
    }
    _exit(0);
  }
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  ~Publisher() { close(told_[0]); }

  /// Waits for at most a minute until the process has reserved.
  void await_word() const {
    pollfd word{told_[0], POLLIN, 0};
    ASSERT_EQ(poll(&word, 1, 60'000), 1) << "a process does not come to reserve";
  }

  void kill_after(std::chrono::microseconds time) const {
    std::this_thread::sleep_for(time);
    kill(child_, SIGKILL);
  }

  /// The entries that the process reported as reserved, and those that it reported as committed.
  std::array<std::vector<std::int64_t>, 2> wait() const {
    std::array<std::vector<std::int64_t>, 2> result;
    std::int64_t id = 0;
    while (read(told_[0], &id, sizeof id) == sizeof id) (id > 0 ? result[0] : result[1]).push_back(std::abs(id));
    waitpid(child_, nullptr, 0);
    return result;
  }

 private:
  void publish(Ledger& ledger, const std::string& receipts, Step last) const {
    LedgerRequest asked = request("q", Budget::pure(Rational(1, 1000)));
    asked.receipt_path = receipt_name(receipts, ledger.statement().entries.size() + 1);
    const LedgerReservation entry = ledger.reserve(asked);
    tell(entry.id);
    die_if(last == Step::reserved);
    ledger.commit(entry, "receipt");
    tell(-entry.id);
    die_if(last == Step::committed);
    std::ofstream(asked.receipt_path) << "receipt" << std::flush;
    die_if(last == Step::receipt_written);
  }

  static std::string receipt_name(const std::string& folder, std::size_t number) {
    return folder + "/" + std::to_string(number) + ".json";
  }
  void tell(std::int64_t id) const {
    if (write(told_[1], &id, sizeof id) != sizeof id) _exit(1);
  }
  static void die_if(bool now) {
    if (now) raise(SIGKILL);
  }

  std::array<int, 2> told_{};
  pid_t child_ = 0;
};

class LedgerCrashes : public LedgerProcesses {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (IsSkipped()) return;
    make(Rational(1000));
    std::filesystem::create_directory(receipts);
  }

  /// Checks that nothing that was confirmed to a process is lost, and that every receipt has its commitment.
  void expect_sound(const std::array<std::vector<std::int64_t>, 2>& told) const {
    const Ledger ledger = Ledger::open(path);
    ledger.verify();
    const LedgerStatement statement = ledger.statement();  // a server may still finish what a killed client asked for
    const std::vector<LedgerEntry>& entries = statement.entries;
    for (const std::int64_t id : told[0]) ASSERT_LE(id, static_cast<std::int64_t>(entries.size()));
    for (const std::int64_t id : told[1]) {
      EXPECT_EQ(entries[static_cast<std::size_t>(id - 1)].state, EntryState::committed);
    }
    for (const auto& file : std::filesystem::directory_iterator(receipts)) {
      const std::size_t number = std::stoul(file.path().stem());
      ASSERT_LE(number, entries.size());
      EXPECT_EQ(entries[number - 1].request.receipt_path, file.path());
      EXPECT_EQ(entries[number - 1].state, EntryState::committed);
    }
    EXPECT_EQ(statement.accounts[0].balance.spent.epsilon, EpsilonSum(Rational(entries.size(), 1000)));
  }

  std::string receipts = folder.file("receipts");
};
FRACTILE_ON_EVERY_STORE(LedgerCrashes);

TEST_P(LedgerCrashes, AfterEveryStep) {
  const auto last_state = [&] { return Ledger::open(path).statement().entries.back().state; };
  for (std::uint64_t round = 0; round < effort(is_postgres() ? 3 : 8); ++round) {
    for (const auto& [step, state] :
         {std::pair{Step::reserved, EntryState::reserved}, std::pair{Step::committed, EntryState::committed},
          std::pair{Step::receipt_written, EntryState::committed}}) {
      const Publisher publisher(path, receipts, step, 3);
      const auto told = publisher.wait();
      EXPECT_EQ(told[0].size(), 3U);
      EXPECT_EQ(told[1].size(), state == EntryState::committed ? 3U : 2U);
      expect_sound(told);
      EXPECT_EQ(last_state(), state);
    }
  }
}

/// Every other process is killed only after its first reservation, so that even on a slow machine some die before they commit.
TEST_P(LedgerCrashes, AtAnyMoment) {
  std::mt19937 moments(20260131);
  std::uniform_int_distribution<int> microseconds(0, is_postgres() ? 200'000 : 60'000);
  std::size_t interrupted = 0;
  const std::uint64_t rounds = effort(is_postgres() ? 20 : 60);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Publisher publisher(path, receipts, Step::none, 1000);
    if (round % 2 == 0) publisher.await_word();
    publisher.kill_after(std::chrono::microseconds(microseconds(moments)));
    const auto told = publisher.wait();
    interrupted += told[0].size() > told[1].size() ? 1U : 0U;
    expect_sound(told);
  }
  if (rounds < 20) return;  // too few to expect an interruption
  EXPECT_GT(interrupted, 0U) << "no process was killed between reserving and committing";
}

TEST_P(LedgerCrashes, WhileCreating) {
  std::mt19937 moments(1);
  std::uniform_int_distribution<int> microseconds(0, is_postgres() ? 40'000 : 6'000);
  for (std::uint64_t round = 0; round < effort(is_postgres() ? 8 : 30); ++round) {
    const std::string empty = fresh();
    const pid_t child = fork();
    if (child == 0) {
      Ledger::create(empty);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(moments)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    Ledger ledger = Ledger::open_or_create(empty);
    ledger.add_dataset({"people", Budget::pure(Rational(1))});
    ledger.verify();
  }
}

}  // namespace
}  // namespace fractile
