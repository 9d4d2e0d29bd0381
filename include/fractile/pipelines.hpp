// What a release is worth: pipelines, expected loss, stability, the windows in which a smaller epsilon is worth more, and leakage.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/privacy.hpp"

// --- Pipelines -------------------------------------------------------------------------------------------------------
//
// Pipelines: participants perturb their values, a post-processor combines them. Source: kronecker-utility 2023, sections 3 to 9.

namespace fractile::detail {
class PolynomialNoise;  // src/flow/pipeline/noise.hpp
}  // namespace fractile::detail

namespace fractile::flow {

/// A number that does not say whether it is an epsilon or odds: write Exponent(2), Exponent::parse("ln 2") or Odds(2).
template <class T>
concept NumberAlone = std::convertible_to<T, Rational>;

/// A central mechanism in place of the participants' own perturbers: a curator sees all values and releases quantiles of them. The
/// candidates are the pipeline's possible values.
struct CentralMechanism {
  enum class Kind {
    exponential,  ///< one quantile of fractile::release()
    approximate,  ///< up to three quantiles of fractile::release()
    gumbel_max,   ///< one quantile: make_quantile_score_candidates() >> make_gumbel_max()
  };
  Kind kind = Kind::exponential;
  std::vector<Rational> quantiles = {Rational(1, 2)};  ///< strictly increasing
  Neighbors neighbors = Neighbors::add_remove;         ///< the relation for which epsilon is promised
};

/// A family of channels from one participant's K values to their answers, one for every epsilon; or one such family for each
/// participant; or a release. Families take odds = exp(epsilon) >= 1, which is rational for epsilon = "ln r".
/// All functions that make one throw `usage` for fewer than two values, for more than a million probabilities (values times answers), and
/// where the probabilities, which are polynomials, would have a degree above a million or more than 2^28 coefficients together.
/// Thread-safety: a value; threads may share it while none changes it.
class Perturber {
 public:
  /// Answers truthfully with probability p and otherwise uniformly, where K p / (1 - p) + 1 = odds (Definition 3.4).
  static Perturber randomized_response(std::size_t values);
  /// (1 - a) / (1 + a) a^|r - c| for the inner answers c, a = 1/odds; the first and the last answer also take the probability of
  /// what lies beyond them (Definition 3.5). The law depends on places alone, so a pipeline's values must be equally spaced and in
  /// order.
  static Perturber geometric(std::size_t values);
  /// The same, truncated `reach` places beyond the values on either side: K + 2 reach answers, the value's own place being `reach`
  /// places on. As reach grows, this becomes the infinite geometric mechanism (section 7).
  static Perturber wide_geometric(std::size_t values, std::size_t reach);
  /// The same channel at every epsilon, of any shape (Definition 3.1).
  static Perturber fixed(const Channel& channel);
  /// A subset of `size` values, 1 <= size < values: subsets that hold the participant's value have weight odds, the others have
  /// weight 1. Answers are the subsets, in lexicographic order, at most 256 of them here and below. A smaller epsilon is a refinement,
  /// for this family and the next three.
  static Perturber subset_selection(std::size_t values, std::size_t size);
  /// A column of a Hadamard matrix of the least size above the number of values: columns with a 1 in the row of the participant's
  /// value have weight odds, the others have weight 1. Answers are the columns.
  static Perturber hadamard(std::size_t values);
  /// One bit per value; the bit of the participant's value is 1, the others are 0. Symmetric: each bit is flipped with probability
  /// 1 / (odds^(1/2) + 1). Optimized: a 1 is flipped with probability 1/2, a 0 with probability 1 / (odds + 1). Answers are the
  /// bits as binary numbers, the first value's bit being the highest: 0 .. 2^values - 1. At most 8 values.
  static Perturber symmetric_unary(std::size_t values);
  static Perturber optimized_unary(std::size_t values);
  /// One row per value, one column per answer; entries are fractions of polynomials in odds, such as "odds/(odds + 2)", and in its
  /// roots, such as "odds^(1/2)". Throws `usage` when an entry cannot be read or is negative at some odds >= 1, and when a row does
  /// not add up to 1.
  static Perturber in_odds(const std::vector<std::vector<std::string>>& entries);
  /// One per participant, in their order; a target comes last (Definition 3.1). Throws `usage` when there are none, they
  /// differ in shape, one is a release or has parts itself, or their roots of odds have no common degree up to 1000.
  static Perturber by_participant(std::vector<Perturber> each);
  /// Draws from all participants' values together. Throws `usage` when the release is not one that CentralMechanism describes.
  /// Proof: docs/proofs/channel_of.md
  static Perturber release(CentralMechanism release, std::size_t values);

  /// The same with odds^by in place of odds: it costs `by` times the epsilon at which it is called. `by` is a fraction of whole numbers
  /// from 1 to 12. Repeated calls multiply, until root_degree() exceeds 1000 or polynomials are too long. Throws `usage` then, for
  /// another `by`, and for a release.
  Perturber with_epsilon_times(const Rational& by) const;

  std::size_t values() const;
  /// The number of answers: that of the values, unless stated otherwise above.
  std::size_t answers() const;
  bool depends_on_epsilon() const;
  bool is_randomized_response() const;
  bool is_geometric() const;  ///< truncated anywhere
  /// Whether a smaller epsilon is a refinement of one participant's channel (Definition 2.6): known only for the families above.
  bool is_refinement_preserving() const;
  /// Nothing for families of channels.
  const CentralMechanism* release() const { return release_ ? &*release_ : nullptr; }
  /// One per participant; empty when all have the same, and for a release.
  const std::vector<Perturber>& each() const { return each_; }
  /// Whether all participants have the same perturber, each for their own value.
  bool is_shared() const { return !release_ && each_.empty(); }
  /// Probabilities are rational where odds are this power of a rational; 1 if no root of odds is taken.
  std::int64_t root_degree() const { return root_degree_; }
  /// Throws `usage` when odds < 1 or odds are no such power, when the probabilities would take gigabytes, and unless all participants have
  /// one channel.
  Channel at(const Odds& odds) const;

 private:
  friend const detail::PolynomialNoise& noise_of(const Perturber& perturber);
  explicit Perturber(std::shared_ptr<const detail::PolynomialNoise> noise) : noise_(std::move(noise)) {}
  std::shared_ptr<const detail::PolynomialNoise> noise_;  ///< of by_participant(): the first one's
  std::vector<Perturber> each_ = {};
  std::optional<CentralMechanism> release_ = {};
  std::size_t release_values_ = 0;
  std::int64_t root_degree_ = 1;
};

/// The answers of subset_selection() and of unary encodings, as whole numbers of digits 0 and 1 with the first value's digit first. Throw
/// `usage` as these do.
std::vector<Rational> subset_answers(std::size_t values, std::size_t size);
std::vector<Rational> unary_answers(std::size_t values);

/// What is computed from the participants' answers (section 3.1.2), which are values unless the pipeline says otherwise; or from
/// the released quantiles.
struct PostProcessor {
  enum class Kind {
    identity,  ///< all of them
    count,     ///< how many lie in `counted`
    sum,       ///< of the values
    mode,      ///< the most frequent value, the first of several
    table,     ///< `image` of the tuple; tuples are numbered with the last participant's value running fastest
    round,     ///< all of them, each to the nearest multiple of `unit`, upwards from the middle
    shuffle,   ///< how many give each answer: all of them, and not who gave which
    bits,      ///< of answers that are whole numbers of digits 0 and 1: how many have a 1 in each place
  };
  Kind kind = Kind::identity;
  std::vector<std::size_t> counted = {};  ///< indices of answers
  std::vector<std::size_t> image = {};    ///< 0, 1, 2, ..., each at least once
  Rational unit = 1;                      ///< positive

  /// Whether the result is the same for all arrangements of the same values.
  bool is_symmetric() const {
    return kind == Kind::count || kind == Kind::sum || kind == Kind::mode || kind == Kind::shuffle ||
           kind == Kind::bits;
  }
};

/// What the analyst does not know.
struct Secret {
  enum class Kind {
    everyone,   ///< all participants' values
    target,     ///< one participant's value; the analyst knows the others' (appendix D.1, section 9.2)
    histogram,  ///< how many participants have each value; it is the histogram's bars that are perturbed (section 8)
  };
  Kind kind = Kind::everyone;
  std::vector<std::size_t> known = {};  ///< of a target: how many of the others have each value
  /// The others' values as indices, one by one in their order, for a post-processor that is not symmetric; empty: in increasing
  /// order.
  std::vector<std::size_t> order = {};

  /// A target among others with these values, as indices. Throws `usage` for an index of a million or more.
  static Secret target_knowing(const std::vector<std::size_t>& others);
  /// A target, and how many people have each value. If there are `participants` people, the target is one of them, with the most
  /// frequent value (the first of several). If there is one fewer, the people are the others. Throws `usage` otherwise, and for more than
  /// 2^40 people.
  static Secret target_among(const std::vector<std::uint64_t>& histogram, std::size_t participants);

  /// How many others are known; at most the largest std::size_t.
  std::size_t others() const;
};

/// Participants' values are perturbed one by one and then combined; or a curator releases quantiles of them, which are then
/// post-processed. validate() throws `usage` and says which member is wrong.
struct Pipeline {
  std::size_t participants;      ///< 1 to 2^40
  std::vector<Rational> values;  ///< what a participant may have; increasing when they are a release's candidates
  Perturber perturber;           ///< of values.size() values; of participants + 1 for histograms
  PostProcessor post;
  Secret secret = {};
  std::vector<Rational> answers = {};  ///< what a perturbed value may be; none: the values

  /// What is post-processed: one for each of the perturber's answers.
  const std::vector<Rational>& shown() const { return answers.empty() ? values : answers; }

  void validate() const;
};

/// A pipeline's channel at one epsilon. When the post-processor is symmetric or the perturber a release, one row stands for all
/// secrets of everyone that only rearrange the same values among neighboring participants with one perturber: section "Symmetry" of
/// docs/proofs/refinement.md.
struct PipelineChannel {
  Channel channel;
  std::vector<std::vector<std::size_t>> secrets;  ///< a row's first arrangement, the target's value, or the histogram
  std::vector<Rational> arrangements;             ///< how many secrets a row stands for
};

/// Whether the channel's probabilities are rational at these odds. Throws `usage` when odds < 1.
bool is_exact_at(const Pipeline& pipeline, const Odds& odds);

/// Throws `usage` when odds < 1, unless is_exact_at(), and for more than a million entries or, without symmetry, more than a
/// million secrets.
PipelineChannel channel_at(const Pipeline& pipeline, const Odds& odds);

/// What the release costs one participant: the least epsilon such that, under every secret, every result is at most exp(epsilon)
/// times as likely as under the same secret with another value of that participant (of a histogram: with another vote). Nothing
/// when there is no such epsilon. Throws `usage` as channel_at() does.
std::optional<Exponent> smallest_epsilon(const Pipeline& pipeline, const Odds& odds);

/// A pipeline's channel at any epsilon: equal bounds where exp(epsilon) is rational, otherwise bounds that agree to some 90 digits.
/// Rows are those of PipelineChannel. Throws `usage` as channel_at() and odds_bounds() do.
struct ChannelBounds {
  std::vector<std::string> secrets;
  std::vector<std::string> observations;
  std::vector<std::vector<RealBounds>> probabilities;  ///< one row per secret
  std::vector<Rational> arrangements;
};
ChannelBounds channel_bounds(const Pipeline& pipeline, const Exponent& epsilon);
template <NumberAlone Number>
ChannelBounds channel_bounds(const Pipeline& pipeline, const Number& odds_or_epsilon) = delete;

// --- Perturbing ------------------------------------------------------------------------------------------------------
//
// The paper's programs, drawing for real: a participant perturbs their value, and a collector combines the answers.
// Source: kronecker-utility 2023, algorithms 1 to 3. Proof: docs/proofs/perturbing.md
// Thread-safety: threads may share a pipeline, each with random bits of its own.

/// A participant's program (algorithm 1, for any perturber; for a histogram's bar, the first loop of algorithm 3): the index of an
/// answer, drawn from the value's row of the perturber's channel at this epsilon, exactly, given perfect bits. Throws `usage` when
/// there is no such row, as odds_bounds(), and when participants' perturbers differ: then pass one of perturber.each().
/// Proof: docs/proofs/perturbing.md
std::size_t perturbed(const Perturber& perturber, const Exponent& epsilon, std::size_t value, RandomBits& bits);
template <NumberAlone Number>
std::size_t perturbed(const Perturber& perturber, const Number& odds_or_epsilon, std::size_t value,
                      RandomBits& bits) = delete;

/// The collector's program (the second loop of algorithms 2 and 3): the name of the observation that the post-processor makes of
/// the participants' answers, or of the bars. Draws nothing. Throws `usage` unless there is one valid answer for each participant
/// or bar.
std::string collected(const Pipeline& pipeline, const std::vector<std::size_t>& answers);

/// Both together (algorithms 2 and 3): the name of an observation, drawn from the secret's row of the pipeline's channel. `secret` is one
/// of PipelineChannel::secrets. Throws `usage` as odds_bounds(), and for a release, which fractile::release() draws.
std::string released(const Pipeline& pipeline, const Exponent& epsilon, const std::vector<std::size_t>& secret,
                     RandomBits& bits);
template <NumberAlone Number>
std::string released(const Pipeline& pipeline, const Number& odds_or_epsilon, const std::vector<std::size_t>& secret,
                     RandomBits& bits) = delete;

// --- Expected loss ---------------------------------------------------------------------------------------------------
//
// What a release is worth to an analyst: their expected loss. Source: kronecker-utility 2023, sections 2 and 9.
// Thread-safety: threads may share pipelines, analysts and results that none changes; functions may run at once.

/// Who looks at the release, and what they want.
struct Analyst {
  enum class Goal { bayes_risk, linear_error, squared_error, argmax_accuracy, matrix };
  /// Over the rows of the pipeline's channel; nothing: every secret (every arrangement) is equally likely.
  std::optional<Prior> prior = {};
  Goal goal = Goal::bayes_risk;
  std::optional<Matrix> losses = {};  ///< for Goal::matrix: one row per row of the channel, one column per action
  Rational scale = 1;
  /// The analyst guesses this count, sum or mode of the true values, by Bayes risk or either error; the linear error of a mode is
  /// the distance from it (section 9.1). Nothing: they guess the secret.
  std::optional<PostProcessor> about = {};
};

/// The prior and loss that stand for the analyst. Throws `usage` when they do not fit the pipeline: linear and squared
/// error are about one target or a count, sum or mode; argmax accuracy about histograms.
Prior prior_of(const Analyst& analyst, const Pipeline& pipeline);
Loss loss_of(const Analyst& analyst, const Pipeline& pipeline);

/// The prior when participants' values are independent, each with these probabilities: a multinomial law for histograms, a product
/// for tuples, and for a target the probabilities themselves. Throws `usage` unless there is one for every value.
Prior independent_participants(const Pipeline& pipeline, const Prior& of_one);
/// The prior of a target who is certainly not counted, and has each of the other values with equal probability. With it, the loss
/// of figure 4 falls and rises again. Throws `usage` unless a count of one target leaves some values uncounted.
Prior uniform_over_uncounted(const Pipeline& pipeline);

/// Uniform over everyone's histograms in which every value occurs. For 20 participants and three values there are 171; figure 3
/// counts 105. Throws `usage` when there are none, or the secret is a target.
Prior uniform_over_full_histograms(const Pipeline& pipeline);

/// The analyst's expected loss, exactly: what the paper calls the posterior uncertainty. Throws `usage` when odds < 1
/// or the loss is not rational or too long to be written down.
Rational expected_loss(const Pipeline& pipeline, const Analyst& analyst, const Odds& odds);

/// The same for any epsilon, enclosed to some 40 digits. Throws `usage` as odds_bounds() does, too.
RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon);
template <NumberAlone Number>
RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst,
                                const Number& odds_or_epsilon) = delete;

/// The expected loss of an analyst who acts on the prior alone (section 2.1.1). For the families that reveal nothing at epsilon = 0
/// (Definitions 3.4 and 3.5, and releases), it is computed as the loss at epsilon = 0, and enclosed; otherwise it is exact. Throws
/// `usage` as expected_loss() does.
RealBounds loss_without_release(const Pipeline& pipeline, const Analyst& analyst);

/// How a loss changes from one epsilon to a larger one: disjoint enclosures show that it rises or falls, and equal exact numbers
/// that it is flat; otherwise the change is undecided.
enum class Change { falls, rises, flat, undecided };
Change change_between(const RealBounds& before, const RealBounds& here);
/// "falls", "rises", "flat" or "undecided".
const char* to_string(Change change);

struct LossPoint {
  Exponent epsilon;
  RealBounds loss;
  Change change;  ///< since the point before; for the first point, since epsilon = 0
};

/// The expected loss at these increasing epsilons, to some 40 digits. The pipeline and the analyst are prepared once. The points
/// are divided among `threads` threads; progress(points done) is called after each point, by the thread that computed it, one call
/// at a time. Throws `usage` as expected_loss_bounds() does, and unless the epsilons increase.
std::vector<LossPoint> loss_curve(const Pipeline& pipeline, const Analyst& analyst,
                                  const std::vector<Exponent>& epsilons, std::size_t threads = 1,
                                  const std::function<void(std::size_t done)>& progress = {});

// --- Stability -------------------------------------------------------------------------------------------------------
//
// Whether a smaller epsilon can be worth more to some analyst. Source: kronecker-utility 2023, sections 3 and 5 to 8.
// Proof: docs/proofs/stability.md
// Thread-safety: threads may share pipelines and results that none changes; functions may run at once.

/// A range of epsilons, low < high. What takes a range throws `usage` for another, and as odds_bounds() does.
struct EpsilonRange {
  EpsilonRange(Exponent from, Exponent to) : low(std::move(from)), high(std::move(to)) {}
  template <NumberAlone Number>
  EpsilonRange(Number from, Number to) = delete;
  Exponent low;
  Exponent high;

  /// Whether the exponentials of both ends are rational: then the odds of the range are, too.
  bool is_exact() const { return low.has_rational_exponential() && high.has_rational_exponential(); }
};
/// A range of odds. Its type must be named, since two numbers alone might be epsilons.
struct OddsRange {
  explicit OddsRange(Rational from, Rational to) : low(std::move(from)), high(std::move(to)) {}
  Rational low;
  Rational high;
};
/// The odds of a range, exp(epsilon); where they are not rational, those of a slightly wider range.
OddsRange odds_around(const EpsilonRange& range);
/// Likewise, for a slightly narrower range.
OddsRange odds_within(const EpsilonRange& range);

/// Is the pipeline at odds `from` worth at least as much to every analyst as at odds `to`? Closed criteria are tried first
/// (counting queries, any number of participants), then refines().
struct PipelineRefinement {
  Refinement refinement;
  std::vector<std::string> secrets;       ///< of the certificate, where there is one
  std::vector<std::string> observations;  ///< likewise
  /// Whether the losses of a counter-example are bounds: with very many participants, exact losses would be too long. Then certified
  /// enclosures show that the loss at `from` is at least loss_from, and the loss at `to` at most loss_to.
  bool are_losses_bounds = false;
  /// The pipeline whose channels the certificate leads from and to, where there is a certificate. It is not always the pipeline
  /// that was asked about.
  std::optional<Pipeline> about = {};
  std::string part = {};  ///< which part of the pipeline asked about `about` is, where that is not plain: "one bar"
};
/// A simpler post-processor that reveals the same may decide the question; observations are the outputs of the pipeline's own
/// post-processor, in their order.
PipelineRefinement check_refinement(const Pipeline& pipeline, const Odds& from, const Odds& to);

/// Why a pipeline is stable, by docs/proofs/stability.md, "Stable".
enum class Theorem {
  none,               ///< it is not stable, or no known theorem says that it is
  no_epsilon,         ///< (i) the perturber does not depend on epsilon
  side_by_side,       ///< (ii) all answers are distinguished, and a smaller epsilon refines each perturber
  nothing_told,       ///< all values are counted alike
  counted_responses,  ///< (iii) a count of randomized responses
  two_kinds,          ///< (iv) values are counted with one of two probabilities
  lumping,            ///< (v) theorem 5.1 for every witness between randomized responses
  small_steps,        ///< (vii) every small step adds noise
  counted_bits,       ///< (viii) how many have a 1 in each place, of one unary encoding
};
/// "counted-responses".
const char* to_string(Theorem theorem);

/// Is the pipeline stable (Definition 3.2) over a range of epsilon: does a smaller epsilon never help any analyst?
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
LossRefinement check_refinement_for(const Pipeline& pipeline, const Analyst& analyst, const Odds& from, const Odds& to);

/// Is the pipeline l-stable over all odds of a range, where l is the analyst's loss (Definition 3.3): does a larger epsilon never
/// cost an analyst with this loss anything, whatever their prior? The verdict is stable where check_stability() says so, and
/// unstable with a verified pair of odds and prior. Otherwise it is undecided, and says how many pairs were tried without being
/// refuted.
struct LossStability {
  Stability::Verdict verdict;
  std::string reason;
  /// For an unstable pipeline: odds `from` > `to`, and the prior with which `to` is worth more.
  Rational from = 0;
  Rational to = 0;
  std::optional<Counterexample> refutation = {};
  std::vector<std::string> secrets = {};  ///< of the prior, or of the pair's channels
  /// For a proved pair of odds: the proof for every analyst with this loss, or for every analyst with any loss.
  std::optional<Remaps> remaps = {};
  std::optional<PipelineRefinement> refinement = {};
};
LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const OddsRange& range);
/// The same for a range of epsilons. A verdict of unstable holds within the range; a verdict of stable to every analyst holds on a
/// slightly wider range.
LossStability check_stability_for(const Pipeline& pipeline, const Analyst& analyst, const EpsilonRange& range);

/// A verdict of stable, if a theorem proves it without a search; check_stability() asks this first. Nothing where no theorem is
/// known to apply.
std::optional<Stability> proved_stability(const Pipeline& pipeline, const OddsRange& range);

/// Over all odds of a range. Unstable only with a verified counter-example, stable only with a proof: docs/proofs/stability.md.
Stability check_stability(const Pipeline& pipeline, const OddsRange& range);
/// Over all epsilons of a range. A verdict of stable holds on a slightly wider range, and a verdict of unstable on a slightly
/// narrower one. Undecided if neither is proved.
Stability check_stability(const Pipeline& pipeline, const EpsilonRange& range);

// --- Windows ---------------------------------------------------------------------------------------------------------
//
// Where a larger epsilon means a larger loss to an analyst. Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
// Thread-safety: threads may share pipelines, analysts and results that none changes; functions may run at once.

/// Two odds at which the larger epsilon has the larger loss. Losses are exact where they can be written down.
struct Rise {
  Rational odds_from;
  Rational odds_to;
  RealBounds loss_from;
  RealBounds loss_to;  ///< certainly above loss_from
};

/// An open interval on which the analyst's expected loss rises with epsilon. Its ends are odds, exp(epsilon), to 40 digits or more
/// when isolated, and to some ten when enclosed.
struct UnstableWindow {
  RealBounds from;
  RealBounds to;
  /// Exact losses for up to 1,000 participants, and for more where enclosed losses are too close to each other to decide; enclosed
  /// losses where exact ones would take minutes.
  std::optional<Rise> proof = {};
};

/// The windows of a range of odds.
struct Windows {
  enum class Method {
    /// All windows, isolated: the loss is a piecewise rational function of odds, whose pieces and turning points are roots of integer
    /// polynomials. Without windows and undecided ranges, the pipeline is l-stable for this prior (Definition 3.3).
    isolated,
    /// All windows except those in undecided ranges, enclosed: the loss is a sum of minima of analytic functions, each of which is
    /// enclosed with its slope on whole ranges of odds.
    enclosed,
    proved,  ///< There are none: the pipeline is stable, to every analyst.
    none,    ///< Nothing is known.
  };
  Method method = Method::none;
  std::vector<UnstableWindow> windows = {};  ///< increasing
  /// Ranges of odds, increasing, within which it is undecided whether the loss rises. It changes too little there for enclosures to
  /// decide: by less than 10^-17 of the largest loss, where modes or sums of more than 20,000 values are released. Wide bounds of a
  /// window's end are listed as well. Where nothing is known, this is the whole range.
  std::vector<RealBounds> undecided = {};
  bool is_stopped = false;  ///< WindowSearch::stop ended the search: some of what is undecided was not examined

  /// Outside the windows and the undecided ranges, the loss does not rise.
  bool are_all() const { return method != Method::none; }
};

/// The method's name, "isolated".
std::string to_string(Windows::Method method);

struct WindowSearch {
  /// Called with the odds up to which the search is done, on the thread that called the library: enclosing the windows of modes takes
  /// minutes for hundreds of participants, on all processors of the machine.
  std::function<void(const Rational& odds)> progress = {};
  /// Called between pieces of the range when windows are enclosed: once it returns true, the rest is undecided, and windows have no
  /// proofs. Several threads of the library may call it at once.
  std::function<bool()> stop = {};
};

/// The windows within a range of odds. They are isolated where polynomials are short and few, or where there is no other way. They
/// are enclosed where that is quicker or the only way, which is possible in two cases: for a count, or a sum with at most some
/// 200,000 values, of one target and of known others; and for the mode of a perturbed histogram whose true mode is guessed, when
/// all histograms are equally likely. If neither works, the method is `none`. Throws `usage` when low < 1 or high < low, or the
/// analyst does not fit the pipeline.
/// Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
Windows find_windows(const Pipeline& pipeline, const Analyst& analyst, const OddsRange& range,
                     const WindowSearch& search = {});

// --- Choosing epsilon ------------------------------------------------------------------------------------------------
//
// At which epsilons an analyst's expected loss is at most a target. Proof: docs/proofs/choosing.md
// Thread-safety: threads may share arguments and results that none changes; functions may run at once.

/// Odds from .. to, both included, throughout which the analyst is served (the expected loss is at most the target), is not served,
/// or it is unknown whether they are.
struct ServedRange {
  enum class Answer { served, not_served, unknown };
  Rational from;
  Rational to;
  Answer answer;

  /// An unknown range between a served and a not served one is called narrow when it is no wider than this share of its odds: it
  /// only encloses the point where one ends and the other begins.
  static const Rational& narrow();
  bool is_narrow() const { return to - from <= from * narrow(); }
};

/// "served", "not-served" or "unknown".
const char* to_string(ServedRange::Answer answer);

/// What a release must achieve: that the analyst loses at most `most_loss`.
struct Wanted {
  Rational most_loss;
  /// The analyst's windows over the range, as find_windows() returns them, or none because proved_stability() proves that there are
  /// none.
  Windows windows;
};

/// All odds of the range, in order; neighbors have different answers. A wider unknown range is one in which it is unknown whether
/// the loss rises, in which the loss is too near to the target for enclosures to decide, or that the search had not reached when
/// `stop` ended it. Throws `usage` when low < 1 or high <= low, or the analyst does not fit the pipeline.
std::vector<ServedRange> served_ranges(const Pipeline& pipeline, const Analyst& analyst, const Wanted& wanted,
                                       const OddsRange& range, const std::function<bool()>& stop = {});

/// Where all of several analysts are served, over one range. Empty without analysts. Throws `usage` unless all lists cover the same odds, in
/// order and without a gap.
std::vector<ServedRange> served_together(const std::vector<std::vector<ServedRange>>& each);

// --- Leakage ---------------------------------------------------------------------------------------------------------
//
// How often the best guess about one person succeeds: without a release, with it, and at most according to epsilon alone. Terms and
// source: quantitative information flow. The vulnerability of a prior is the probability that the best guess is right; leakage is
// how much a channel raises it; the multiplicative Bayes capacity is the largest factor, whatever the prior and the guess (Braun,
// Chatzikokolakis and Palamidessi 2009; Alvim, Chatzikokolakis, Palamidessi and Smith 2012).
// Proof: docs/proofs/leakage.md
// Thread-safety: threads may share questions and answers that none changes; functions may run at once.

/// What an attacker guesses about the target: the participant whose value is unknown or, when all values are secret, the last one.
struct Guess {
  enum class About {
    value,
    presence,  ///< whether the target participates, which has prior 1/2; the others participate in either case
    property,  ///< in which part of the values the target's value lies
  };
  About about = About::value;
  std::vector<std::size_t> parts = {};  ///< of a property: each value's part; parts are 0, 1, 2, ..., and none is empty
  std::vector<std::string> names = {};  ///< of a property: what the parts are called
};

/// A pipeline, an attacker's prior, and what the attacker guesses.
struct LeakageQuestion {
  Pipeline pipeline;
  std::optional<Prior> prior =
      {};  ///< over the rows of the channel, as Analyst::prior; nothing: all secrets are equally likely
  Guess guess = {};

  /// Throws `usage` when the pipeline is not valid, or the guess does not fit it: presence can be guessed for one participant among
  /// others, and neither for histograms nor with a post-processor that is written as a table.
  void validate() const;
};

/// What may be guessed, by name, and how likely each is before the release. Throws `usage` as validate() does.
struct Possibilities {
  std::vector<std::string> names;
  std::vector<Rational> priors;
};
Possibilities possibilities_of(const LeakageQuestion& question);

/// Probabilities that the best guess is right, and factors. Equal bounds are exact numbers; other bounds agree to some 40 digits.
struct Leakage {
  Exponent epsilon;
  RealBounds before;    ///< the prior vulnerability
  RealBounds after;     ///< the posterior vulnerability
  RealBounds capacity;  ///< the multiplicative Bayes capacity of the channel, over all secrets, priors and guesses
  /// An upper bound of `after` from the promise alone; nothing where the promise bounds nothing.
  std::optional<RealBounds> allowed = {};
  std::optional<RealBounds> capacity_allowed = {};  ///< likewise
};

/// In words, the promise that `allowed` rests on, or why it bounds nothing.
std::string promise_of(const LeakageQuestion& question);

/// At one epsilon. Exact where exp(epsilon) is rational, the channel is small and there are at most 1,000 participants.
/// Throws `usage` as validate() and odds_bounds() do, and when the channel is too large.
Leakage leakage(const LeakageQuestion& question, const Exponent& epsilon);
template <NumberAlone Number>
Leakage leakage(const LeakageQuestion& question, const Number& odds_or_epsilon) = delete;

/// Enclosed, at each of these epsilons. The question is prepared once; progress(points done) is called after each epsilon.
std::vector<Leakage> leakage_curve(const LeakageQuestion& question, const std::vector<Exponent>& epsilons,
                                   const std::function<void(std::size_t done)>& progress = {});

}  // namespace fractile::flow
