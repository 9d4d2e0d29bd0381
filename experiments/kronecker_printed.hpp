// Matrices as kronecker-utility 2023 prints them, for comparison with the computed ones.
#pragma once

#include "fractile/flow.hpp"

namespace fractile::experiments::kronecker_utility::printed {

/// The printed matrix that turns geometric noise on 0, 1, 2 at exp(epsilon) = 3 into that at 2. Its middle row is wrong.
flow::Matrix appendix_b_witness();

/// Appendix D.1: geometric noise on 0 .. 6 at exp(epsilon) = 7/2, and the count of zeros by the unknown value.
flow::Matrix equation_28();
flow::Matrix equation_37();
/// As above, at exp(epsilon) = 351/100.
flow::Matrix equation_56();
flow::Matrix equation_75();

/// Sums of two randomized responses among 0, 1, 2, by the nine pairs, at exp(epsilon) = 3 and 2.
flow::Matrix appendix_e_r3_sum();
flow::Matrix appendix_e_r2_sum();
/// What five actions cost an analyst to whom the second release is worth more, by the nine pairs.
flow::Matrix appendix_e_losses();

}  // namespace fractile::experiments::kronecker_utility::printed
