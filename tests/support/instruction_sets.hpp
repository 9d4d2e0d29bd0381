// For tests of sources that are compiled for several instruction sets (Highway).
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace fractile::testing {

/// Calls `check` once for every instruction set that this machine and this build have, with no other to choose.
template <class Check>
void on_every_instruction_set(const Check& check) {
  int tried = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    SCOPED_TRACE(hwy::TargetName(target));
    check();
    ++tried;
  }
  EXPECT_GE(tried, 1);
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace fractile::testing
