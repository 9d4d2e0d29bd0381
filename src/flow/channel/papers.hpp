// Statements of kronecker-utility 2023 that its experiments and tests check, and that nothing else needs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

/// Some stochastic L with L * channel the identity (equation 7): every output is sent to the first input that shows it.
/// Throws `usage` when the channel is not deterministic or an output is never shown.
Channel left_inverse(const Channel& channel);

/// The expected loss of an analyst who takes action remap[y] after observation y: what Ghosh et al. minimize over all remaps
/// (equation 2), with the same minimum (Lemma 2.7).
Rational remapped_loss(const Prior& prior, const Channel& channel, const Loss& loss,
                       const std::vector<std::size_t>& remap);

/// P P^-1 W P = W P (equation 11) for the deterministic post-processor with the given images: the outputs' distributions depend
/// only on the class. Strong lumpability of the chain W (Kemeny and Snell). When the perturber C is invertible and W is stochastic,
/// the condition is necessary and sufficient for C P to be refined by C W P.
bool theorem_one_condition(const Matrix& witness, const std::vector<std::size_t>& image);

/// Section 7: the infinite geometric mechanism and the truncated one are worth the same. truncated_answers() (of 0s and 1s) moves
/// each answer of wide_geometric(values, reach) to the nearest value, which makes the answers those of geometric(values).
/// extended_answers() moves an outermost answer outwards by a geometric number of places: geometric(values) times this matrix is
/// wide_geometric(values, reach). Both throw `usage` as wide_geometric() does, and for odds < 1.
/// Proof: docs/proofs/perturbing.md
Matrix truncated_answers(std::size_t values, std::size_t reach);
Matrix extended_answers(std::size_t values, std::size_t reach, const Odds& odds);

/// Counting again: a counted participant stays counted with probability offset + slope, and one who was not becomes counted with
/// probability offset.
struct Recount {
  Rational offset;
  Rational slope;
};

/// The recount that turns the probabilities of being counted, by value, into those of `image`: image = offset + slope counted,
/// where both are probabilities. Nothing when there is none. It exists exactly when the count with `counted` is refined by the
/// count with `image`, for any number of participants.
/// Proof: docs/proofs/stability.md, "Counting".
std::optional<Recount> recount(const std::vector<Rational>& counted, const std::vector<Rational>& image);

}  // namespace fractile::flow
