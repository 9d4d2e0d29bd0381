// Matrices as kronecker-utility 2023 prints them, to be compared with those that are computed.
#pragma once

#include "fractile/flow.hpp"

namespace fractile::experiments::kronecker_utility::printed {

/// Leads from geometric noise on 0, 1, 2 at exp(epsilon) = 3 to that at 2; the middle row is not right.
flow::Matrix appendix_b_witness();

/// Appendix D.1: geometric noise on 0 .. 6 at exp(epsilon) = 7/2, and the count of zeros by the unknown value.
flow::Matrix equation_28();
flow::Matrix equation_37();
/// The same at 351/100.
flow::Matrix equation_56();
flow::Matrix equation_75();

/// Sums of two randomized responses among 0, 1, 2, by the nine pairs, at exp(epsilon) = 3 and 2.
flow::Matrix appendix_e_r3_sum();
flow::Matrix appendix_e_r2_sum();
/// What five actions cost an analyst to whom the second is worth more, by the nine pairs.
flow::Matrix appendix_e_losses();

}  // namespace fractile::experiments::kronecker_utility::printed
