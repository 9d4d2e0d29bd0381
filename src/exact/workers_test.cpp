#include "exact/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fractile {
namespace {

using namespace std::chrono_literals;

TEST(Workers, EveryPieceIsWorkedOnOnce) {
  for (const std::size_t threads : {0U, 1U, 2U, 5U}) {
    for (const std::size_t pieces : {0U, 1U, 3U, 1000U}) {
      std::vector<std::atomic<int>> done(pieces);
      share_among_threads(threads, pieces, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Workers, AFailureEndsTheWorkAndIsThrown) {
  for (const std::size_t threads : {1U, 3U}) {
    std::atomic<int> begun = 0;
    const auto work = [&](std::size_t i) {
      ++begun;
      if (i == 1) throw std::runtime_error("one");
    };
    EXPECT_THROW(share_among_threads(threads, 1'000'000, work), std::runtime_error);
    EXPECT_LT(begun, 1'000'000);
  }
}

TEST(Workers, TheFirstPieceThatFailsIsHeardHoweverLateItFails) {
  std::atomic<bool> second_fails = false;
  const auto work = [&](std::size_t i) {
    if (i == 1) {
      second_fails = true;
      throw std::runtime_error("1");
    }
    for (int times = 0; times < 1'000 && !second_fails; ++times) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);
    throw std::runtime_error(std::to_string(i));
  };
  try {
    share_among_threads(2, 2, work);
    ADD_FAILURE();
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "0");
  }
}

TEST(Workers, SmallWorkStaysWithOneThread) {
  EXPECT_EQ(threads_for(0, 100, 8), 1U);
  EXPECT_EQ(threads_for(199, 100, 8), 1U);
  EXPECT_EQ(threads_for(200, 100, 8), 2U);
  EXPECT_EQ(threads_for(100'000, 100, 8), 8U);
  EXPECT_EQ(threads_for(100'000, 100, 1), 1U);
  EXPECT_GE(threads_of_machine(), 1U);
}

}  // namespace
}  // namespace fractile
