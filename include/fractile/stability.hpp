// Whether less epsilon can be worth more to some analyst. Source: kronecker-utility 2023, sections 3 and 5 to 8.
// Proof: docs/proofs/stability.md
// Thread-safety: threads may share pipelines and results that none changes; functions may run at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/expected_loss.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A range of epsilons, low < high.
struct EpsilonRange {
  Exponent low;
  Exponent high;

  /// Whether the exponentials of both ends are rational: then the odds of the range are, too.
  bool is_exact() const { return low.has_rational_exponential() && high.has_rational_exponential(); }
};
struct OddsRange {
  Rational low;
  Rational high;
};
/// The odds of a range, exp(epsilon); where these are not rational, a slightly wider range.
OddsRange odds_around(const EpsilonRange& range);
/// A slightly narrower range.
OddsRange odds_within(const EpsilonRange& range);

/// Counting again: a counted participant stays counted with probability offset + slope, and one who was not becomes counted with
/// probability offset.
struct Recount {
  Rational offset;
  Rational slope;
};
/// Leads from the probabilities of being counted, by value, to others: image = offset + slope counted, both probabilities.
/// Nothing when there is none. Then, and only then, is the count of any number of participants refined by the other count.
/// Proof: docs/proofs/stability.md, "Counting".
std::optional<Recount> recount(const std::vector<Rational>& counted, const std::vector<Rational>& image);

/// Is the pipeline at odds `from` worth at least as much to every analyst as at odds `to`? Closed criteria first (counting
/// queries, any number of participants), then refines().
struct PipelineRefinement {
  Refinement refinement;
  std::vector<std::string> secrets;       ///< of the certificate, where there is one
  std::vector<std::string> observations;  ///< likewise
  /// True for a counter-example whose exact losses would be too long, with this many people: the loss at `from` is at least loss_from,
  /// and at `to` at most loss_to, both enclosed with proof.
  bool are_losses_bounds = false;
  /// The pipeline whose channels the certificate leads from and to, where there is a certificate. It is not always the pipeline
  /// that was asked about.
  std::optional<Pipeline> about = {};
  std::string part = {};  ///< of the pipeline asked about, where `about` alone does not say it: "one bar"
};
/// A simpler post-processor that reveals the same may decide; observations are the outputs of the pipeline's own, in their order.
PipelineRefinement check_refinement(const Pipeline& pipeline, const Rational& from, const Rational& to);

/// Why a pipeline is stable, by docs/proofs/stability.md, "Stable".
enum class Theorem {
  none,        ///< it is not stable, or no theorem is known that says so
  no_epsilon,  ///< (i) the perturber does not depend on epsilon
  side_by_side,  ///< (ii) all answers are distinguished, and the perturbers are families in which less epsilon is a refinement
  nothing_told,       ///< all values are counted alike
  counted_responses,  ///< (iii) a count of randomized responses
  two_kinds,          ///< (iv) values are counted with one of two probabilities
  lumping,            ///< (v) theorem 5.1 for every witness between randomized responses
  small_steps,        ///< (vii) every small step adds noise
  counted_bits,       ///< (viii) how many have a 1 in each place, of one unary encoding
};
/// "counted-responses".
const char* to_string(Theorem theorem);

/// Is the pipeline stable (Definition 3.2) over a range of epsilon: does less epsilon never help any analyst?
struct Stability {
  enum class Verdict { stable, unstable, undecided };
  Verdict verdict;
  std::string reason;
  /// For an unstable pipeline: odds `from` > `to`, and the analyst who prefers `to`.
  Rational from = 0;
  Rational to = 0;
  std::optional<PipelineRefinement> refutation = {};
  Theorem theorem = Theorem::none;  ///< of a stable one
};

/// "stable", "unstable" or "undecided".
std::string to_string(Stability::Verdict verdict);

/// Is the pipeline, for the analyst's loss and every prior, worth at least as much at odds `from` as at odds `to`? The analyst's own prior
/// does not count. Throws `usage` as expected_loss() does.
LossRefinement check_refinement_for(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                    const Rational& to);

/// Is the pipeline l-stable over all odds from .. to, l the analyst's loss (Definition 3.3): does more epsilon never cost anybody with this
/// loss, whatever their prior? Stable where check_stability() says so; unstable with a pair of odds and a prior, which is verified;
/// undecided otherwise, with the number of pairs that were tried, all of which may well hold.
struct LossStability {
  Stability::Verdict verdict;
  std::string reason;
  /// For an unstable pipeline: odds `from` > `to`, and the prior with which `to` is worth more.
  Rational from = 0;
  Rational to = 0;
  std::optional<Counterexample> refutation = {};
  std::vector<std::string> secrets = {};  ///< of the prior, or of the pair's channels
  /// For a proved pair of odds: the proof for everybody with this loss, or for every analyst.
  std::optional<Remaps> remaps = {};
  std::optional<PipelineRefinement> refinement = {};
};
LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                  const Rational& to);
/// The same for a range of epsilons. An unstable verdict holds within the range; a verdict of stable to every analyst holds on a
/// range around it.
LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const EpsilonRange& range);

/// Stable, where a theorem says so: check_stability() asks this first, since it takes no search. Nothing where no theorem is known
/// to apply.
std::optional<Stability> proved_stability(const Pipeline& pipeline, const Rational& from, const Rational& to);

/// Over all odds from .. to. Unstable only with a verified counter-example, stable only with a proof: docs/proofs/stability.md.
Stability check_stability(const Pipeline& pipeline, const Rational& from, const Rational& to);
/// Over all epsilons of a range. A verdict of stable holds on a range around it, and one of unstable within it; undecided between
/// the two.
Stability check_stability(const Pipeline& pipeline, const EpsilonRange& range);

}  // namespace fractile::flow
