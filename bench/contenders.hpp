// One function a file: each registers its contender on the shared cases.
#pragma once

namespace fractile::bench {

void register_majorant();
void register_gumbel();
void register_gumbel_mpfr();
void register_libm_softmax();
void register_simd_softmax();
void register_libm_gumbel();

void register_release();
void register_scale();
void register_short_lists();
void register_profile();
void register_binary_search();
void register_sort();
void register_naive_exponential();
void register_float_approximate();

void register_refinement();
void register_utility();
void register_dense_utility();
void register_listed_argmax();

}  // namespace fractile::bench
