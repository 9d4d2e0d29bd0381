// A process forks while its threads pay by a ledger: the child pays, too.
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
void pay(const std::string& path) {
  LedgerOptions options;
  options.patience = std::chrono::minutes(2);  // many want it
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
      pay(path);
      _exit(0);
    } catch (const std::exception&) {
      _exit(1);
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
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!is_over) pay(path);
    });
  }
  constexpr int forks = 20;
  int paid = 0;
  for (int i = 0; i < forks; ++i) paid += pay_in_child(path) == 0 ? 1 : 0;
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(paid, forks);
  Ledger::open_to_read(path).verify();
}

}  // namespace
}  // namespace fractile::host_test
