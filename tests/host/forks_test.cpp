// A process forks while its threads pay by a ledger: the child pays, too, or is told that the ledger is locked.
#include "ledger/forks.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::host_test {
namespace {

/// Reserves and commits.
void pay(const std::string& path, std::chrono::seconds patience) {
  LedgerOptions options;
  options.patience = patience;
  Ledger ledger = Ledger::open(path, options);
  LedgerRequest request{"people", "a query", Budget::pure(Rational(1))};
  request.source = "people";
  ledger.commit(ledger.reserve(request), "a receipt");
}

/// 0: it paid; 1: it was refused, and nothing was charged. Killed when it hangs.
int pay_in_child(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(180);
    try {
      pay(path, std::chrono::seconds(20));
      _exit(0);
    } catch (const Error& error) {
      _exit(error.code() == ErrorCode::ledger ? 1 : 2);
    } catch (const std::exception&) {
      _exit(2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(HostForks, AChildPaysWhileThreadsOfItsParentPay) {
  const testing::Folder folder;
  const std::string path = folder.file("people.ledger");
  Ledger::create(path).add_dataset({"people", Budget::pure(Rational(1'000'000))});
  std::atomic<bool> is_over = false;
  std::atomic<int> paid = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (; !is_over; ++paid) pay(path, std::chrono::minutes(5));  // many want it
    });
  }
  constexpr int forks = 20;
  int paid_in_children = 0;
  for (int i = 0; i < forks; ++i) {
    const int result = pay_in_child(path);
    EXPECT_TRUE(result == 0 || result == 1) << result;
    paid_in_children += result == 0 ? 1 : 0;
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(paid_in_children, 0);
  const Ledger ledger = Ledger::open_to_read(path);
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = " + std::to_string(paid + paid_in_children));
  ledger.verify();
}

TEST(HostForks, AForkWaitsWhileAnotherThreadHoldsIt) {
  std::atomic<bool> is_forking = false;
  std::atomic<bool> is_held = true;
  bool was_held = false;
  std::thread other;
  {
    const ledger_detail::HoldForks hold;
    other = std::thread([&] {
      is_forking = true;
      const pid_t child = fork();
      if (child == 0) _exit(0);
      was_held = is_held;
      waitpid(child, nullptr, 0);
    });
    while (!is_forking) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // a fork that does not wait takes some milliseconds
    is_held = false;
  }
  other.join();
  EXPECT_FALSE(was_held);
}

}  // namespace
}  // namespace fractile::host_test
