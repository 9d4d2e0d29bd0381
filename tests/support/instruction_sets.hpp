// For tests of sources that are compiled for several instruction sets (Highway).
#pragma once

#include "libraries/highway.hpp"
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>

namespace fractile::testing {

/// Calls `check` once for every instruction set that this machine and this build have. Only this set can be chosen then.
template <class Check>
void on_every_instruction_set(const Check& check) {
  int tried = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::GetChosenTarget().Update(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check();
    ++tried;
  }
  EXPECT_GE(tried, 1);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace fractile::testing
