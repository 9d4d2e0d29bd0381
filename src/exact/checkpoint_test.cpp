#include "exact/checkpoint.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>

#include "exact/workers.hpp"

namespace fractile {
namespace {

struct Ended {};

void forever() {
  for (;;) checkpoint();
}

TEST(Checkpoints, EndWhatComputes) {
  std::size_t looked = 0;
  const Checkpoints checkpoints([&] {
    if (++looked == 1000) throw Ended();
  });
  EXPECT_THROW(forever(), Ended);
  EXPECT_EQ(looked, 1000U);
}

TEST(Checkpoints, AreInForceUntilTheEndOfTheirScope) {
  std::size_t outer = 0;
  std::size_t inner = 0;
  checkpoint();
  {
    const Checkpoints outside([&] { ++outer; });
    checkpoint();
    {
      const Checkpoints inside([&] { ++inner; });
      checkpoint();
    }
    checkpoint();
    {
      const detail::CheckpointsOfThread none(nullptr);
      checkpoint();
    }
  }
  checkpoint();
  EXPECT_EQ(outer, 2U);
  EXPECT_EQ(inner, 1U);
}

TEST(Checkpoints, EndTheWorkOfAllThreadsThatShareIt) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    std::atomic<bool> has_begun = false;
    const Checkpoints checkpoints([&] {
      if (has_begun) throw Ended();
    });
    EXPECT_THROW(share_among_threads(threads, 5,
                                     [&](std::size_t) {
                                       has_begun = true;
                                       forever();
                                     }),
                 Ended);
  }
}

TEST(Checkpoints, EndThreadsThatAreWaitedFor) {
  const std::thread::id asker = std::this_thread::get_id();
  std::atomic<bool> has_begun = false;
  const Checkpoints checkpoints([&] {
    if (has_begun) throw Ended();
  });
  const auto work = [&](std::size_t) {
    if (std::this_thread::get_id() == asker) return;  // it has nothing to do but to wait
    has_begun = true;
    forever();
  };
  while (!has_begun) {
    try {
      share_among_threads(2, 2, work);
    } catch (const Ended&) {
      return;
    }
  }
  FAIL() << "it was not ended";
}

TEST(Checkpoints, EndAWaitForWhatDoesNotLook) {
  const std::thread::id asker = std::this_thread::get_id();
  std::atomic<bool> has_looked = false;
  const Checkpoints checkpoints([&] {
    if (!has_looked.exchange(true)) return;
    throw Ended();
  });
  bool was_helped = false;
  const auto work = [&](std::size_t) {
    if (std::this_thread::get_id() == asker) return;
    was_helped = true;
    while (!has_looked) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  EXPECT_THROW(
      do {
        has_looked = false;
        share_among_threads(2, 2, work);
      } while (!was_helped),
      Ended);
}

TEST(Checkpoints, LookOnTheThreadThatAsksAlone) {
  const std::thread::id asker = std::this_thread::get_id();
  std::atomic<std::size_t> elsewhere = 0;
  const Checkpoints checkpoints([&] { elsewhere += std::this_thread::get_id() == asker ? 0 : 1; });
  share_among_threads(4, 1000, [](std::size_t) { checkpoint(); });
  EXPECT_EQ(elsewhere, 0U);
}

TEST(Checkpoints, ThatHaveEndedAComputationEndTheNext) {
  std::optional<Ended> once = Ended();
  const Checkpoints checkpoints([&] {
    if (once) {
      once.reset();
      throw Ended();
    }
  });
  EXPECT_THROW(checkpoint(), Ended);
  EXPECT_THROW(checkpoint(), Ended);
}

}  // namespace
}  // namespace fractile
