// Certified double bounds of exponentials, for the filters and majorants. Proof: docs/proofs/selection.md, theorem 3.
#pragma once

namespace fractile {

/// 2^-f for f in [0, 1] with relative error below 2^-45 in any rounding mode.
double exp2_minus(double f);

/// An upper bound of e^-x for all reals x >= y, where y >= 0. It is at most (1 + 2^-40) e^-y as long as that is above 2^-1000, and
/// never below 2^-1000 (2^-995 from y = 690 on).
double exp_minus_upper(double y);

}  // namespace fractile
