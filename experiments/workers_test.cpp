#include "experiments/workers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace fractile::experiments {
namespace {

TEST(Workers, EveryPieceIsDoneOnce) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    std::vector<int> done(100);
    std::size_t told = 0;
    work_in_threads(
        threads, done.size(), [&](std::size_t i) { ++done[i]; },
        [&](std::size_t so_far, std::size_t all) {
          EXPECT_EQ(so_far, ++told);
          EXPECT_EQ(all, 100u);
        });
    EXPECT_EQ(done, std::vector<int>(100, 1));
    EXPECT_EQ(told, 100u);
  }
}

TEST(Workers, AFailureIsThrownWhereTheWorkWasAskedFor) {
  const auto work = [](std::size_t i) {
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(work_in_threads(2, 10, work, {}), std::runtime_error);
  EXPECT_NO_THROW(work_in_threads(2, 0, work, {}));
}

}  // namespace
}  // namespace fractile::experiments
