// Pipelines: participants perturb their values, a post-processor combines them. Source: kronecker-utility 2023, sections 3 to 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/privacy.hpp"
#include "fractile/real_bounds.hpp"

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

}  // namespace fractile::flow
