// Registers every contender on the same cases and hands over to Google Benchmark. bench/run.py reads the result.
#include <benchmark/benchmark.h>
#include <gnu/libc-version.h>
#include <openssl/opensslv.h>

#include "contenders.hpp"
#include "fractile/version.hpp"
#if __has_include(<flint/flint.h>)
#include <flint/flint.h>
#else
#include <flint.h>
#endif

int main(int argc, char** argv) {
  using namespace fractile::bench;
  register_majorant();
  register_gumbel();
  register_gumbel_mpfr();
  register_libm_softmax();
  register_simd_softmax();
  register_libm_gumbel();
  register_release();
  register_scale();
  register_short_lists();
  register_profile();
  register_binary_search();
  register_sort();
  register_naive_exponential();
  register_float_approximate();
  register_refinement();
  register_utility();
  register_dense_utility();
  register_listed_argmax();
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("libc", gnu_get_libc_version());
  benchmark::AddCustomContext("flint", FLINT_VERSION);
  benchmark::AddCustomContext("openssl", OPENSSL_VERSION_STR);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
