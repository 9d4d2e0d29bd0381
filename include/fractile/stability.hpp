// Whether less epsilon can be worth more to some analyst. Source: kronecker-utility 2023, sections 3 and 5 to 8.
// Proof: docs/proofs/stability.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Counting again: whoever was counted stays so with probability offset + slope, whoever was not becomes so with offset.
struct Recount {
  Rational offset;
  Rational slope;
};
/// Leads from the probabilities of being counted, by value, to others: image = offset + slope counted, both probabilities.
/// Nothing when there is none. Then, and only then, is the count of any number of participants refined by the other count.
/// Proof: docs/proofs/stability.md, "Counting".
std::optional<Recount> recount(const std::vector<Rational>& counted, const std::vector<Rational>& image);

/// The condition of theorem 5.1 for sums of two or more participants whose values are equally spaced: the rows of the witness,
/// as polynomials, are a geometric progression. Error(usage) when it is not square. Proof: docs/proofs/stability.md, "Sums".
bool sum_condition(const Matrix& witness);

/// Is the pipeline at odds `from` worth at least as much to every analyst as at odds `to`? Closed criteria first (counting
/// queries, any number of participants), then refines().
struct PipelineRefinement {
  Refinement refinement;
  std::vector<std::string> secrets;       ///< of the certificate, where there is one
  std::vector<std::string> observations;  ///< likewise
};
PipelineRefinement check_refinement(const Pipeline& pipeline, const Rational& from, const Rational& to);

/// Is the pipeline stable (Definition 3.2) over a range of epsilon: does less epsilon never help any analyst?
struct Stability {
  enum class Verdict { stable, unstable, undecided };
  Verdict verdict;
  std::string reason;
  /// Of an unstable pipeline: odds `from` > `to`, and the analyst who prefers `to`.
  Rational from = 0;
  Rational to = 0;
  std::optional<PipelineRefinement> refutation = {};
};

/// Over all odds from .. to. Unstable only with a verified counter-example, stable only with a proof: docs/proofs/stability.md.
Stability check_stability(const Pipeline& pipeline, const Rational& from, const Rational& to);

}  // namespace fractile::flow
