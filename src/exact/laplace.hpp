// Discrete Laplace noise, exactly. Proof: docs/proofs/discrete_laplace.md
#pragma once

#include "fractile/exact.hpp"
#include "fractile/random.hpp"

namespace fractile {

/// An integer k with probability (1 - q)/(1 + q) q^|k|, q = exp(-rate). Error(usage) when rate is 0.
/// Source: Canonne, Kamath and Steinke 2020, section 5 (two-part geometric), here with a power of two as the block.
Rational discrete_laplace(RandomBits& bits, const Exponent& rate);

}  // namespace fractile
