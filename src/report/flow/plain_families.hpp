// Families of perturbers, recognized by their entries, for checks.
// Proof: docs/proofs/stability.md, "Theorems checked"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fractile/pipelines.hpp"
#include "report/flow/plain_polynomials.hpp"

namespace fractile::report_detail {

/// One per participant, or the one that all share. Not of a release.
std::vector<flow::Perturber> perturbers_of(const flow::Pipeline& pipeline);
/// Whether all participants' channels are the same at several odds.
bool are_alike(const flow::Pipeline& pipeline);

/// At bases 1, 2, ... up to here, of whose power odds are: two fractions are one if they agree at all of them, one of which is an entry of a
/// perturber (of degree 200 at most, with epsilon times 12 at most) and the other one has this degree at most.
std::int64_t telling_points(std::int64_t degree);

/// Also with a multiple of epsilon, as Perturber::with_epsilon_times() has it; false where there are too many entries to say.
bool is_response(const flow::Perturber& perturber);
bool is_geometric(const flow::Perturber& perturber);
/// Subset selection, Hadamard response and others in which each answer has odds under some values and 1 under the others, equally many
/// answers under each value.
bool is_of_subsets(const flow::Perturber& perturber);
/// One bit per value, symmetric or optimized.
bool is_unary(const flow::Perturber& perturber);

/// Whether it is any of these, for which less epsilon is a refinement.
bool is_family(const flow::Perturber& perturber);

/// Numerator and denominator, polynomials of the base.
using Fraction = std::pair<Coefficients, Coefficients>;
/// By value, and then by set of answers: the probability of an answer in the set. Nothing when degrees are above some twenty.
std::optional<std::vector<std::vector<Fraction>>> fractions_of(const flow::Perturber& perturber,
                                                               const std::vector<std::vector<std::size_t>>& sets);

/// Bases around those of odds from .. to: within 2^-50 of the range.
std::pair<Rational, Rational> bases_around(const Rational& from, const Rational& to, std::int64_t root_degree);

}  // namespace fractile::report_detail
