// Detects which instruction sets this processor has, among those for which Highway compiles.
#include "libraries/highway.hpp"

#include <hwy/highway.h>

#include <cstdint>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace hwy {
namespace {

#if HWY_ARCH_X86
/// Whether the processor has F16C and LZCNT. Compilers before gcc 14 and clang 16 have no names for these features.
bool converts_halves_and_counts_zeros() {
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  const bool has_halves = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  return has_halves && __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

bool has_ssse3() { return __builtin_cpu_supports("ssse3") != 0; }
bool has_sse4() {
  return __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("sse4.2") != 0 &&
         __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("aes") != 0;
}
/// For AVX2 and AVX-512, __builtin_cpu_supports() also asks whether the operating system saves the wide registers.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         converts_halves_and_counts_zeros();
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0;
}
#endif

}  // namespace

/// Each instruction set contains those tested before it.
int64_t SupportedTargets() {
  int64_t sets = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  if (!has_ssse3()) return sets;
  sets |= HWY_SSSE3;
  if (!has_sse4()) return sets;
  sets |= HWY_SSE4;
  if (!has_avx2()) return sets;
  sets |= HWY_AVX2;
  if (has_avx512()) sets |= HWY_AVX3;
#endif
  return sets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
