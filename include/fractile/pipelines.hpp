// What a release is worth: pipelines, expected loss, stability, the windows in which less epsilon is worth more, and leakage.
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

// --- Pipelines -------------------------------------------------------------------------------------------------------
//
// Pipelines: participants perturb their values, a post-processor combines them. Source: kronecker-utility 2023, sections 3 to 9.

namespace fractile::detail {
class PolynomialNoise;  // src/flow/pipeline/noise.hpp
}  // namespace fractile::detail

namespace fractile::flow {

/// A mechanism of the library's other half, in place of the participants' own perturbers: a curator sees all values, which are the
/// candidates, and releases quantiles of them.
struct Release {
  enum class Mechanism {
    exponential,  ///< one quantile of fractile::release()
    approximate,  ///< up to three quantiles of fractile::release()
    gumbel_max,   ///< one quantile: make_quantile_score_candidates() >> make_gumbel_max()
  };
  Mechanism mechanism = Mechanism::exponential;
  std::vector<Rational> quantiles = {Rational(1, 2)};  ///< strictly increasing
  Neighbors neighbors = Neighbors::add_remove;         ///< between whom epsilon is promised
};

/// A family of channels from one participant's K values to their answers, one for every epsilon; or one such family for each
/// participant; or a release. Families take odds = exp(epsilon) >= 1, which is rational for epsilon = "ln r".
/// Thread-safety: a value; threads may share it while none changes it.
class Perturber {
 public:
  /// Tells the truth with probability p, otherwise answers uniformly, K p / (1 - p) + 1 = odds (Definition 3.4). At least 2
  /// values; so below.
  static Perturber randomized_response(std::size_t values);
  /// (1 - a) / (1 + a) a^|r - c| for the inner answers c, a = 1/odds; the first and last answer take what lies beyond them
  /// (Definition 3.5). Goes by places: a pipeline's values must be equally spaced and in order.
  static Perturber geometric(std::size_t values);
  /// The same, truncated `reach` places beyond the values on either side: K + 2 reach answers, the value's own place being `reach`
  /// places on. With growing reach, the infinite geometric mechanism (section 7).
  static Perturber wide_geometric(std::size_t values, std::size_t reach);
  /// The same at every epsilon; of any shape (Definition 3.1).
  static Perturber fixed(const Channel& channel);
  /// A uniform subset of `size` values, with odds for the subsets that hold the value and 1 for the others; answers are the subsets, in
  /// lexicographic order. 1 <= size < values. Less epsilon is a refinement, for this and the next three.
  static Perturber subset_selection(std::size_t values, std::size_t size);
  /// From a Hadamard matrix of the least size above the values: the columns in which the value's own row has a 1 have odds, the
  /// others 1. Answers are the columns.
  static Perturber hadamard(std::size_t values);
  /// One bit per value, of which the value's own is 1. Each bit is turned over with probability 1 / (odds^(1/2) + 1) (symmetric);
  /// or a 1 with probability 1/2, and a 0 with 1 / (odds + 1) (optimized). Answers are the bits as binary numbers, the first
  /// value's bit being the highest: 0 .. 2^values - 1. At most 8 values.
  static Perturber symmetric_unary(std::size_t values);
  static Perturber optimized_unary(std::size_t values);
  /// One row per value, one column per answer; entries are fractions of polynomials in odds, such as "odds/(odds + 2)", and in its
  /// roots, such as "odds^(1/2)". Throws `usage` when one cannot be read, is negative at some odds >= 1, or a row does not add up
  /// to 1.
  static Perturber in_odds(const std::vector<std::vector<std::string>>& entries);
  /// One per participant, in their order; a target comes last (Definition 3.1). Throws `usage` when there are none, they
  /// differ in shape, or one is a release or has parts itself.
  static Perturber by_participant(std::vector<Perturber> each);
  /// Draws from all participants' values together. Throws `usage` when the release is not one of those above.
  /// Proof: docs/proofs/channel_of.md
  static Perturber release(Release release, std::size_t values);

  /// The same with odds^by in place of odds, by > 0: it costs `by` times the epsilon at which it is called. Throws `usage` for a
  /// release.
  Perturber with_epsilon_times(const Rational& by) const;

  std::size_t values() const;
  /// The number of answers: that of the values, unless said otherwise above.
  std::size_t answers() const;
  bool depends_on_epsilon() const;
  bool is_randomized_response() const;
  bool is_geometric() const;  ///< truncated anywhere
  /// Whether less epsilon is a refinement of one participant's channel (Definition 2.6): known for the families above, and for no
  /// others.
  bool is_refinement_preserving() const;
  /// Nothing for families of channels.
  const Release* release() const { return release_ ? &*release_ : nullptr; }
  /// One per participant; empty when all have the same, and for a release.
  const std::vector<Perturber>& each() const { return each_; }
  /// Whether all participants have the same, for themselves.
  bool is_shared() const { return !release_ && each_.empty(); }
  /// Probabilities are rational where odds are this power of a rational: 1 where no root of odds is taken.
  std::int64_t root_degree() const { return root_degree_; }
  /// Throws `usage` when odds < 1 or no such power, and where there is no one channel of every participant.
  Channel at(const Rational& odds) const;

 private:
  friend const detail::PolynomialNoise& noise_of(const Perturber& perturber);
  explicit Perturber(std::shared_ptr<const detail::PolynomialNoise> noise) : noise_(std::move(noise)) {}
  std::shared_ptr<const detail::PolynomialNoise> noise_;  ///< of by_participant(): the first one's
  std::vector<Perturber> each_ = {};
  std::optional<Release> release_ = {};
  std::size_t release_values_ = 0;
  std::int64_t root_degree_ = 1;
};

/// What subset_selection() and unary encodings answer, as whole numbers of digits 0 and 1: the first value's digit first.
std::vector<Rational> subset_answers(std::size_t values, std::size_t size);
std::vector<Rational> unary_answers(std::size_t values);

/// Section 7: the infinite geometric mechanism and the truncated one are worth the same. Answers of geometric(values) are those of
/// wide_geometric(values, reach), each moved to the nearest value (0s and 1s); and the latter's are the former's, an outermost one
/// moved outwards by a geometric number of places: geometric(values) times the second matrix is wide_geometric(values, reach).
/// Proof: docs/proofs/perturbing.md
Matrix truncated_answers(std::size_t values, std::size_t reach);
Matrix extended_answers(std::size_t values, std::size_t reach, const Rational& odds);

/// What is computed from the participants' answers (section 3.1.2), which are values unless the pipeline says otherwise; or from
/// the released quantiles.
struct PostProcessor {
  enum class Kind {
    identity,  ///< all of them
    count,     ///< how many lie in `counted`
    sum,       ///< of the values
    mode,      ///< the value that most have, the first of several
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
  /// The others' values as indices, one by one in their order, for a post-processor that cares who is who; nothing: increasing.
  std::vector<std::size_t> order = {};

  /// A target among others with these values, as indices.
  static Secret target_knowing(const std::vector<std::size_t>& others);
  /// A target among people of whom this many have each value: when they are `participants`, the target is one of them, with
  /// the value that most have (the first of several); when they are one fewer, they are the others. Throws `usage`
  /// otherwise.
  static Secret target_among(const std::vector<std::uint64_t>& histogram, std::size_t participants);

  /// How many others are known.
  std::size_t others() const;
};

/// Participants' values are perturbed one by one and then combined; or a curator releases quantiles of them, which are then
/// post-processed. validate() throws `usage`, which says which member is wrong.
struct Pipeline {
  std::size_t participants;
  std::vector<Rational> values;  ///< what a participant may have; increasing when they are a release's candidates
  Perturber perturber;           ///< of values.size() values; of participants + 1 for histograms
  PostProcessor post;
  Secret secret = {};
  std::vector<Rational> answers = {};  ///< what a perturbed value may be; none: the values

  /// What is post-processed: one for each of the perturber's answers.
  const std::vector<Rational>& shown() const { return answers.empty() ? values : answers; }

  void validate() const;
};

/// A pipeline's channel at one epsilon. Everyone's secrets that only arrange the same values differently, among neighbors who have one
/// perturber, are one row when the post-processor is symmetric or the perturber a release: section "Symmetry" of docs/proofs/refinement.md.
struct PipelineChannel {
  Channel channel;
  std::vector<std::vector<std::size_t>> secrets;  ///< a row's first arrangement, the target's value, or the histogram
  std::vector<Rational> arrangements;             ///< how many secrets a row stands for
};

/// Whether the channel's probabilities are rational at these odds, which are at least 1.
bool is_exact_at(const Pipeline& pipeline, const Rational& odds);

/// Throws `usage` when odds < 1 or not exact, and when there are more than a million entries or, without symmetry,
/// secrets.
PipelineChannel channel_at(const Pipeline& pipeline, const Rational& odds);

/// What the release costs one participant: the least epsilon such that, whichever secret it is and whatever is released, the latter is at
/// most exp(epsilon) times as likely as with another value of that participant (of a histogram, another vote). Nothing when there is
/// none. Throws `usage` as channel_at() does.
std::optional<Exponent> smallest_epsilon(const Pipeline& pipeline, const Rational& odds);

/// A pipeline's channel at any epsilon: equal bounds where exp(epsilon) is rational, otherwise some 90 digits. Rows as
/// PipelineChannel's. Throws `usage` as channel_at() does.
struct ChannelBounds {
  std::vector<std::string> secrets;
  std::vector<std::string> observations;
  std::vector<std::vector<RealBounds>> probabilities;  ///< one row per secret
  std::vector<Rational> arrangements;
};
ChannelBounds channel_bounds(const Pipeline& pipeline, const Exponent& epsilon);

// --- Perturbing ------------------------------------------------------------------------------------------------------
//
// The paper's programs, drawing for real: a participant perturbs their value, and a collector combines the answers.
// Source: kronecker-utility 2023, algorithms 1 to 3. Proof: docs/proofs/perturbing.md
// Thread-safety: threads may share a pipeline, each with random bits of its own.

/// A participant's program (algorithm 1, for any perturber; of a bar, the first loop of algorithm 3): the index of an answer, drawn from
/// the value's row of the perturber's channel at this epsilon, exactly, given perfect bits. Throws `usage` when there
/// is no such row, and where participants' perturbers differ: name one of perturber.each().
/// Proof: docs/proofs/perturbing.md
std::size_t perturbed(const Perturber& perturber, const Exponent& epsilon, std::size_t value, RandomBits& bits);

/// The collector's program (the second loop of algorithms 2 and 3): the name of the observation that the post-processor makes of the
/// participants' answers, or of the bars. Draws nothing. Throws `usage` unless there is a valid answer for each of them.
std::string collected(const Pipeline& pipeline, const std::vector<std::size_t>& answers);

/// Both together (algorithms 2 and 3): the name of an observation, drawn from the secret's row of the pipeline's channel. `secret` is one
/// of PipelineChannel::secrets. Throws `usage` for a release, which fractile::release() draws.
std::string released(const Pipeline& pipeline, const Exponent& epsilon, const std::vector<std::size_t>& secret,
                     RandomBits& bits);

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

/// Over the histograms of everyone in which every value occurs: 171 of 20 participants and three values, where figure 3 speaks of 105.
/// Throws `usage` when there are none, or the secret is a target.
Prior uniform_over_full_histograms(const Pipeline& pipeline);

/// The analyst's expected loss, exactly: what the paper calls the posterior uncertainty. Throws `usage` when odds < 1
/// or the loss is not rational or too long to be written down.
Rational expected_loss(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// The same for any epsilon, enclosed: to some 40 digits.
RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon);

/// The expected loss of an analyst who acts on the prior alone (section 2.1.1). For the families that reveal nothing at epsilon = 0
/// (Definitions 3.4 and 3.5, and releases), it is enclosed as the loss there; otherwise it is exact. Throws `usage` as
/// expected_loss() does.
RealBounds loss_without_release(const Pipeline& pipeline, const Analyst& analyst);

/// From one epsilon to a larger one: disjoint enclosures show that a loss rises or falls, equal exact numbers that it is flat;
/// anything else leaves this open.
enum class Change { falls, rises, flat, undecided };
Change change_between(const RealBounds& before, const RealBounds& here);
/// "falls", "rises", "flat" or "undecided".
const char* to_string(Change change);

struct LossPoint {
  Exponent epsilon;
  RealBounds loss;
  Change change;  ///< since the point before; for the first point, since epsilon = 0
};

/// The expected loss at these increasing epsilons, to some 40 digits. The pipeline and the analyst are looked at once;
/// points are shared among `threads`, and progress(points done) is called after each, one call at a time.
std::vector<LossPoint> loss_curve(const Pipeline& pipeline, const Analyst& analyst,
                                  const std::vector<Exponent>& epsilons, std::size_t threads = 1,
                                  const std::function<void(std::size_t done)>& progress = {});

// --- Stability -------------------------------------------------------------------------------------------------------
//
// Whether less epsilon can be worth more to some analyst. Source: kronecker-utility 2023, sections 3 and 5 to 8.
// Proof: docs/proofs/stability.md
// Thread-safety: threads may share pipelines and results that none changes; functions may run at once.

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

// --- Windows ---------------------------------------------------------------------------------------------------------
//
// Where more epsilon costs an analyst. Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
// Thread-safety: threads may share pipelines, analysts and results that none changes; functions may run at once.

/// Two points at which more epsilon means more loss; exact losses, where they can be written down.
struct Rise {
  Rational odds_from;
  Rational odds_to;
  RealBounds loss_from;
  RealBounds loss_to;  ///< certainly above loss_from
};

/// Where more epsilon costs the analyst: their expected loss rises on the open interval. Ends in odds = exp(epsilon), to 40 digits
/// and more when isolated, to some ten when enclosed.
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
    isolated,  ///< All windows: the loss is a piecewise rational function of odds, whose pieces and turning points are roots of integer
               ///< polynomials. Without windows and undecided ranges, l-stable for this prior (Definition 3.3).
    enclosed,  ///< All windows except for what is undecided: the loss is a sum of minima of analytic functions, each of which is
               ///< enclosed
    ///< with its slope on whole ranges of odds.
    proved,  ///< There are none: the pipeline is stable, to every analyst.
    none,    ///< Nothing is known.
  };
  Method method = Method::none;
  std::vector<UnstableWindow> windows = {};  ///< increasing
  /// Odds between which the loss may rise or not, increasing: it changes too little there for enclosures to decide (less than
  /// 10^-17 of the largest loss, where modes or sums of more than 20,000 values are released). Wide bounds of a window's end are
  /// listed as well. Everything, where nothing is known.
  std::vector<RealBounds> undecided = {};
  bool is_stopped = false;  ///< WindowSearch::stop ended the search: some of what is undecided was not examined

  /// Outside the windows and the undecided ranges, the loss does not rise.
  bool are_all() const { return method != Method::none; }
};

/// The method's name, "isolated".
std::string to_string(Windows::Method method);

struct WindowSearch {
  /// Called with the odds up to which the search is done: enclosing the windows of modes takes minutes for hundreds of
  /// participants, on all processors of the machine.
  std::function<void(const Rational& odds)> progress = {};
  /// Asked between pieces of the range, where windows are enclosed: once it returns true, the rest is undecided, and windows have
  /// no proofs.
  std::function<bool()> stop = {};
};

/// The windows within odds from .. to. They are isolated where polynomials are short and few, or there is no other way; and enclosed
/// where that is quicker or the only way: for a count, or a sum that takes at most some 200,000 values, of one target and of known
/// others, and for the mode of a perturbed histogram whose true mode is guessed, all histograms being equally likely. Nothing is
/// known about others. Throws `usage` when from < 1 or to < from, or the analyst does not fit the pipeline.
/// Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
Windows find_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
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

  /// An unknown range between a served one and another, no wider than this share of its odds, is where one ends and the other
  /// begins.
  static const Rational& narrow();
  bool is_narrow() const { return to - from <= from * narrow(); }
};

/// "served", "not-served" or "unknown".
const char* to_string(ServedRange::Answer answer);

/// What is wanted of a release: that the analyst loses at most `most_loss`.
struct Wanted {
  Rational most_loss;
  /// The analyst's over the range, as find_windows() has them, or proved_stability() where there are none.
  Windows windows;
};

/// All of odds from .. to, in order; neighbors have different answers. A wider unknown range is one in which it is unknown whether
/// the loss rises, in which the loss is too near to the target for enclosures to decide, or that the search had not reached when
/// `stop` ended it. Throws `usage` when from < 1 or to <= from, or the analyst does not fit the pipeline.
std::vector<ServedRange> served_ranges(const Pipeline& pipeline, const Analyst& analyst, const Wanted& wanted,
                                       const Rational& from, const Rational& to,
                                       const std::function<bool()>& stop = {});

/// Where all of several analysts are served, over one range. Empty without analysts.
std::vector<ServedRange> served_together(const std::vector<std::vector<ServedRange>>& each);

// --- Leakage ---------------------------------------------------------------------------------------------------------
//
// How often the best guess about one person succeeds without a release, with it, and as far as epsilon alone allows.
// Terms and source: quantitative information flow. The vulnerability of a prior is the probability that the best guess is right; leakage
// is how much a channel raises it; the multiplicative Bayes capacity is the largest factor, whatever the prior and the guess
// (Braun, Chatzikokolakis and Palamidessi 2009; Alvim, Chatzikokolakis, Palamidessi and Smith 2012).
// Proof: docs/proofs/leakage.md
// Thread-safety: threads may share questions and answers that none changes; functions may run at once.

/// What an attacker guesses about the target: the participant whose value is unknown, or of everyone the last one.
struct Guess {
  enum class About {
    value,
    presence,  ///< whether the target takes part, which is as likely as not; the others are there in either case
    property,  ///< in which part of the values theirs lies
  };
  About about = About::value;
  std::vector<std::size_t> parts = {};  ///< of a property: each value's part; parts are 0, 1, 2, ..., and none is empty
  std::vector<std::string> names = {};  ///< of a property: what the parts are called
};

/// Who guesses what of which pipeline.
struct LeakageQuestion {
  Pipeline pipeline;
  std::optional<Prior> prior =
      {};  ///< as of an Analyst: of the rows of the channel; nothing: all secrets are equally likely
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

/// Probabilities that the best guess is right, and factors. Equal bounds are exact numbers; others enclose to some 40 digits.
struct Leakage {
  Exponent epsilon;
  RealBounds before;  ///< the prior vulnerability
  RealBounds after;   ///< the posterior vulnerability
  RealBounds
      capacity;  ///< the multiplicative Bayes capacity of the channel: of all secrets, whatever is guessed and the prior
  /// An upper bound of `after` from the promise alone; nothing where the promise bounds nothing.
  std::optional<RealBounds> allowed = {};
  std::optional<RealBounds> capacity_allowed = {};  ///< likewise
};

/// In words, the promise that `allowed` rests on, or why it bounds nothing.
std::string promise_of(const LeakageQuestion& question);

/// At one epsilon. Exact where exp(epsilon) is rational, the channel is small and there are at most 1,000 participants.
/// Throws `usage` as validate() does, and when the channel is too large.
Leakage leakage(const LeakageQuestion& question, const Exponent& epsilon);

/// Enclosed, at each of these epsilons. The question is prepared once; progress(points done) is called after each epsilon.
std::vector<Leakage> leakage_curve(const LeakageQuestion& question, const std::vector<Exponent>& epsilons,
                                   const std::function<void(std::size_t done)>& progress = {});

}  // namespace fractile::flow
