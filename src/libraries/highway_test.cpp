#include "libraries/highway.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>
#include <memory>

namespace fractile {
namespace {

struct Close {
  void operator()(void* library) const { dlclose(library); }
};

TEST(HighwayTest, SeesTheInstructionSetsThatItsOwnLibrarySees) {
  const std::unique_ptr<void, Close> library(dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL));
  if (!library) GTEST_SKIP() << "Highway's library is not here";
  void* const theirs = dlsym(library.get(), "_ZN3hwy16SupportedTargetsEv");
  ASSERT_NE(theirs, nullptr);
  std::int64_t known = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  known |= HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3;
#endif
  EXPECT_EQ(hwy::SupportedTargets(), reinterpret_cast<std::int64_t (*)()>(theirs)() & known);
}

}  // namespace
}  // namespace fractile
