// Recognizes families of perturbers by their entries, to check certificates.
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

/// The perturber of each participant, or the one that all share. The pipeline must not be a release.
std::vector<flow::Perturber> perturbers_of(const flow::Pipeline& pipeline);
/// Whether all participants have one perturber. Perturbers that agree at some odds may differ at others.
bool are_alike(const flow::Pipeline& pipeline);

/// How many bases decide whether two fractions are equal. The odds are a power of the base. If the fractions agree at bases 1, 2, ... up to
/// this number, they are equal. One of them is an entry of a perturber (of degree 200 at most, with epsilon times 12 at most), and the
/// other has at most this degree.
std::int64_t telling_points(std::int64_t degree);

/// Whether the perturber is randomized response. This function and those below also recognize a family with a multiple of epsilon, as in
/// Perturber::with_epsilon_times(). They return false where there are too many entries to decide.
bool is_response(const flow::Perturber& perturber);
bool is_geometric(const flow::Perturber& perturber);
/// Whether the perturber is subset selection, Hadamard response or another one in which each answer has weight `odds` under some values and
/// weight 1 under the others. Under each value, equally many answers have weight `odds`.
bool is_of_subsets(const flow::Perturber& perturber);
/// Whether the perturber is unary encoding: one bit per value, symmetric or optimized.
bool is_unary(const flow::Perturber& perturber);

/// Whether the perturber belongs to one of these families. In each family, a release at a smaller epsilon can be drawn from one at a larger.
bool is_family(const flow::Perturber& perturber);

/// A numerator and a denominator, both polynomials of the base.
using Fraction = std::pair<Coefficients, Coefficients>;
/// By value and then by set of answers: the probability that the answer lies in the set. Returns nothing when a degree is above about
/// twenty, or when there are too many entries.
std::optional<std::vector<std::vector<Fraction>>> fractions_of(const flow::Perturber& perturber,
                                                               const std::vector<std::vector<std::size_t>>& sets);

/// A lower and an upper bound of the bases of the odds from .. to. They lie within 2^-50 of the range.
std::pair<Rational, Rational> bases_around(const Rational& from, const Rational& to, std::int64_t root_degree);

}  // namespace fractile::report_detail
