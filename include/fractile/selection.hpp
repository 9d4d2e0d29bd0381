// Exact selection: one of k candidates with probability proportional to L_k exp(-rate * s_k), given perfect bits.
// Source: "make_base_discrete_exponential" (gumbel-max 2023), equations (2)-(4); proof: docs/proofs/selection.md.
// Thread-safety: functions of their arguments, each thread with random bits of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fractile/exact.hpp"
#include "fractile/random.hpp"

namespace fractile {

/// Which scores are favored: maximize draws with weight exp(+rate * s), minimize with exp(-rate * s).
enum class Optimize { minimize, maximize };

/// Draws index k with probability exactly proportional to exp(-rate * scores[k]) (or exp(+rate * scores[k])).
/// `rate` is 1/temperature in nats per unit of score; rate 0 draws uniformly. Time O(k); no allocation up to k = 32,768, k/64 bytes beyond.
/// Throws `usage` when `scores` is empty.
std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize = Optimize::minimize);

/// The same law with multiplicities: weight lengths[k] * exp(-rate * scores[k]); zero lengths are never drawn. Throws
/// `usage` unless the sum of the lengths is positive and below 2^63.
std::size_t select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                           const Exponent& rate, RandomBits& bits, Optimize optimize = Optimize::minimize);

/// The same law for rational scores of any size.
std::size_t select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize = Optimize::minimize);

/// Permute-and-flip (McKenna and Sheldon 2020): indices in uniformly random order, each kept with probability
/// exp(-rate * gap), gap its distance from the best score; the first kept one is drawn. This is another law than softmax.
/// Proof: docs/proofs/permute_and_flip.md
std::size_t select_permute_and_flip(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize = Optimize::minimize);
std::size_t select_permute_and_flip(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize = Optimize::minimize);

/// The paper's own formulation and the reference for the others: a Gumbel variable per candidate, its bits drawn only
/// until the largest is known (gumbel-max 2023, section 1, equation (4)). Slow. `lengths` may be empty (all ones).
std::size_t select_gumbel(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                          const Exponent& rate, RandomBits& bits, Optimize optimize = Optimize::minimize);

}  // namespace fractile
