// What the selections of fractile/exact.hpp call with the default filter. Tests pass another filter, and benchmarks read the cost.
// Proof: docs/proofs/selection.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/filter.hpp"
#include "fractile/exact.hpp"

namespace fractile::detail {

std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize, Filter filter, SelectionCost* cost = nullptr);
std::size_t select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                           const Exponent& rate, RandomBits& bits, Optimize optimize, Filter filter,
                           SelectionCost* cost = nullptr);
std::size_t select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits, Optimize optimize,
                           Filter filter, SelectionCost* cost = nullptr);

/// Proof: docs/proofs/permute_and_flip.md
std::size_t select_permute_and_flip(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize, Filter filter);
std::size_t select_permute_and_flip(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize, Filter filter);

std::size_t select_gumbel(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                          const Exponent& rate, RandomBits& bits, Optimize optimize, Filter filter);

}  // namespace fractile::detail
