// Pipelines: participants perturb their values, a post-processor combines them, an analyst wants to know something. Source:
// kronecker-utility 2023, sections 3 to 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/privacy.hpp"

namespace fractile::flow {

class PolynomialNoise;

/// A mechanism of the library's other half, in place of the participants' own perturbers: a curator sees all values, which are the
/// candidates, and releases quantiles of them.
struct Release {
  enum class Mechanism {
    exponential,  ///< one quantile of release_quantiles()
    approximate,  ///< up to three quantiles of release_quantiles()
    gumbel_max,   ///< one quantile: make_quantile_score_candidates() >> make_gumbel_max()
  };
  Mechanism mechanism = Mechanism::exponential;
  std::vector<Rational> quantiles = {Rational(1, 2)};  ///< strictly increasing
  Neighbors neighbors = Neighbors::add_remove;         ///< between whom epsilon is promised
};

/// A family of channels from one participant's K values to themselves, one for every epsilon; or a release. Families take odds =
/// exp(epsilon) >= 1, which is rational for epsilon = "ln r".
/// Thread-safety: a value; threads may share it while none changes it.
class Perturber {
 public:
  /// Tells the truth with probability p, otherwise answers uniformly, K p / (1 - p) + 1 = odds (Definition 3.4). At least 2
  /// values; so below.
  static Perturber randomized_response(std::size_t values);
  /// (1 - a) / (1 + a) a^|r - c| for the inner answers c, a = 1/odds; the first and last answer take what lies beyond them
  /// (Definition 3.5). Values are taken to be equally spaced.
  static Perturber geometric(std::size_t values);
  /// The same at every epsilon. Error(usage) when it is not square.
  static Perturber fixed(const Channel& channel);
  /// Of all participants' values together. Error(usage) when the release is not one of those above.
  static Perturber release(Release release, std::size_t values);

  std::size_t values() const;
  bool depends_on_epsilon() const;
  bool is_randomized_response() const;
  /// Nothing for families of channels.
  const Release* release() const { return release_ ? &*release_ : nullptr; }
  /// Probabilities are rational where odds are this power of a rational: 1 for families of channels.
  std::int64_t root_degree() const { return root_degree_; }
  /// Error(usage) when odds < 1, and for a release, which is no channel of one participant.
  Channel at(const Rational& odds) const;
  /// Entries as polynomials in odds, for this room; not of a release.
  const PolynomialNoise& noise() const;

 private:
  explicit Perturber(std::shared_ptr<const PolynomialNoise> noise) : noise_(std::move(noise)) {}
  std::shared_ptr<const PolynomialNoise> noise_;
  std::optional<Release> release_ = {};
  std::size_t release_values_ = 0;
  std::int64_t root_degree_ = 1;
};

/// What is made of the participants' perturbed values (section 3.1.2), or of the released quantiles.
struct PostProcessor {
  enum class Kind {
    identity,  ///< all of them
    count,     ///< how many lie in `counted`
    sum,       ///< of the values
    mode,      ///< the value that most have, the first of several
    table,     ///< `image` of the tuple; tuples are numbered with the last participant's value running fastest
    round,     ///< all of them, each to the nearest multiple of `unit`, upwards from the middle
  };
  Kind kind = Kind::identity;
  std::vector<std::size_t> counted = {};  ///< indices of values
  std::vector<std::size_t> image = {};    ///< 0, 1, 2, ..., each at least once
  Rational unit = 1;                      ///< positive

  /// Whether it makes the same of all arrangements of the same values.
  bool is_symmetric() const { return kind == Kind::count || kind == Kind::sum || kind == Kind::mode; }
};

/// What the analyst does not know.
struct Secret {
  enum class Kind {
    everyone,   ///< all participants' values
    target,     ///< one participant's value; the analyst knows the others' (appendix D.1, section 9.2)
    histogram,  ///< how many participants have each value; it is the histogram's bars that are perturbed (section 8)
  };
  Kind kind = Kind::everyone;
  std::vector<std::size_t> known = {};  ///< of a target: the others' values, as indices

  /// A target among people of whom this many have each value: when they are `participants`, the target is one of them, with
  /// the value that most have (the first of several); when they are one fewer, they are the others. Error(usage) otherwise.
  static Secret target_among(const std::vector<std::uint64_t>& histogram, std::size_t participants);
};

/// Participants' values are perturbed one by one and then combined; or a curator releases quantiles of them, which are then
/// post-processed. Error(usage) from validate() says which member is wrong.
struct Pipeline {
  std::size_t participants;
  std::vector<Rational> values;  ///< what a participant may have; increasing when they are a release's candidates
  Perturber perturber;           ///< of values.size() values; of participants + 1 for histograms
  PostProcessor post;
  Secret secret = {};

  void validate() const;
};

/// A pipeline's channel at one epsilon. Everyone's secrets that only arrange the same values differently are one row when the
/// post-processor is symmetric or the perturber a release: section "Symmetry" of docs/proofs/refinement.md.
struct PipelineChannel {
  Channel channel;
  std::vector<std::vector<std::size_t>> secrets;  ///< a row's first arrangement, the target's value, or the histogram
  std::vector<Rational> arrangements;             ///< how many secrets a row stands for
};

/// Whether the channel's probabilities are rational at these odds, which are at least 1.
bool is_exact_at(const Pipeline& pipeline, const Rational& odds);

/// Error(usage) when odds < 1 or not exact, and when there are more than a million entries or, without symmetry, secrets.
PipelineChannel channel_at(const Pipeline& pipeline, const Rational& odds);

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

/// Who looks at the release, and what they want.
struct Analyst {
  enum class Goal { bayes_risk, linear_error, squared_error, argmax_accuracy, matrix };
  /// Of the rows of the pipeline's channel; nothing: every secret (every arrangement) is equally likely.
  std::optional<Prior> prior = {};
  Goal goal = Goal::bayes_risk;
  std::optional<Matrix> losses = {};  ///< for Goal::matrix: a row a row of the channel, a column an action
  Rational scale = 1;
};

/// The prior and loss that stand for the analyst. Error(usage) when they do not fit the pipeline: linear and squared error
/// are about one target, argmax accuracy about histograms.
Prior prior_of(const Analyst& analyst, const Pipeline& pipeline);
Loss loss_of(const Analyst& analyst, const Pipeline& pipeline);

/// The analyst's expected loss, exactly.
Rational utility(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// A real number between two rationals.
struct RealBounds {
  Rational lower;
  Rational upper;
  /// The digits that both ends agree on, rounded: "3.500545"; at most `digits` after the point.
  std::string to_decimal(int digits) const;
};

/// exp(epsilon) between two rationals that are equal when it is rational.
RealBounds odds_bounds(const Exponent& epsilon);

/// The same for any epsilon, enclosed: to some 40 digits.
RealBounds utility_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon);

/// A pipeline's channel at any epsilon: equal bounds where exp(epsilon) is rational, otherwise some 90 digits. Rows as
/// PipelineChannel's. Error(usage) as channel_at().
struct ChannelBounds {
  std::vector<std::string> secrets;
  std::vector<std::string> observations;
  std::vector<std::vector<RealBounds>> probabilities;  ///< a row a secret
  std::vector<Rational> arrangements;
};
ChannelBounds channel_bounds(const Pipeline& pipeline, const Exponent& epsilon);

/// More epsilon and more loss: exact losses, where they can be written down.
struct Rise {
  Rational odds_from;
  Rational odds_to;
  RealBounds loss_from;
  RealBounds loss_to;  ///< certainly above loss_from
};

/// Where more epsilon costs the analyst: their expected loss rises on the open interval. Ends in odds = exp(epsilon), to 40 digits and
/// more when isolated, to some ten when enclosed.
struct UnstableWindow {
  RealBounds from;
  RealBounds to;
  /// Exact losses of up to 1,000 participants, and of more where enclosed ones are too near to each other to tell; nothing where these
  /// would take minutes.
  std::optional<Rise> proof = {};
};

/// All windows within odds from .. to, exactly: the loss is a piecewise rational function of odds, whose pieces and turning points
/// are roots of integer polynomials. Empty: l-stable for this prior (Definition 3.3). Error(usage) when the polynomials are too
/// long, as those of hundreds of participants are.
std::vector<UnstableWindow> unstable_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                             const Rational& to);

/// All windows, but for what is undecided.
struct EnclosedWindows {
  std::vector<UnstableWindow> windows;  ///< increasing
  /// Odds between which the loss may rise or not, increasing: it changes too little there for the enclosures to tell (less than 10^-17 of
  /// the largest loss, where modes or sums of more than 20,000 values are released). Wide bounds of a window's end are listed as well.
  std::vector<RealBounds> undecided;
};

/// All windows within odds from .. to, by certified enclosures of the loss's slope: the loss is a sum of minima of analytic functions, each
/// of which is enclosed on whole stretches of odds. Outside of the windows and of what is undecided, the loss does not rise.
/// Taken are a count, or a sum that takes at most some 200,000 values, of one target and of known others; and the mode of a perturbed
/// histogram, whose true mode is guessed, all histograms being equally likely: Error(usage) for others. Modes take minutes for hundreds of
/// participants, on all processors of the machine; progress(odds) is called whenever all is done up to these odds. Proof: docs/proofs/windows.md
EnclosedWindows enclosed_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                 const Rational& to, const std::function<void(const Rational& odds)>& progress = {});

/// How windows are found: exactly, where polynomials are short and few, or there is no other way; enclosed, where that is quicker or
/// the only way; by neither, where polynomials are long and the function above does not take the pipeline.
enum class WindowSearch { isolated, enclosed, none };
WindowSearch window_search(const Pipeline& pipeline, const Analyst& analyst);

/// By the one or the other; Error(usage) by neither.
EnclosedWindows find_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
                             const std::function<void(const Rational& odds)>& progress = {});

/// The windows that a scan of increasing odds comes upon, for pipelines of any size: a least and then a highest loss lie
/// within the ends, and the loss is higher at the proof's second odds than at its first. What rises and falls again between
/// two neighbouring odds is not seen.
std::vector<UnstableWindow> windows_among(const Pipeline& pipeline, const Analyst& analyst,
                                          const std::vector<Rational>& odds);

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
