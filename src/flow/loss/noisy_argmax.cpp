#include "flow/loss/noisy_argmax.hpp"

#include <algorithm>

#include "exact/checkpoint.hpp"
#include "flow/algebra/fixed_powers.hpp"
#include "flow/pipeline/noise.hpp"

namespace fractile::flow {
namespace {

constexpr std::int64_t bits = 192;           // precision of balls
constexpr std::int64_t fraction_bits = 144;  // precision of fixed-point numbers

/// Pr[noisy = h], and its sums Pr[noisy < h], by true height.
struct Heights {
  std::vector<std::vector<Enclosure>> at;
  std::vector<std::vector<Enclosure>> below;
};

Heights heights_of(const Noise<Enclosure>& noise) {
  Heights heights;
  for (const std::vector<Enclosure>& row : noise.numerators) {
    heights.at.emplace_back();
    heights.below.emplace_back(1);
    for (const Enclosure& numerator : row) {
      heights.at.back().push_back(Enclosure::quotient(numerator, noise.denominator, bits));
      heights.below.back().push_back(Enclosure::sum(heights.below.back().back(), heights.at.back().back(), bits));
    }
  }
  return heights;
}

/// A rational in units of 2^-fraction_bits, rounded down.
Integer units_of(const Rational& value) {
  Integer result;
  fmpz_mul_2exp(result.get(), fmpq_numref(flint_of(value)), static_cast<ulong>(fraction_bits));
  fmpz_fdiv_q(result.get(), result.get(), fmpq_denref(flint_of(value)));
  return result;
}

/// Probabilities in units of 2^-fraction_bits: each is between its number in `units` and this number plus `error`.
struct FixedProbabilities {
  explicit FixedProbabilities(const std::vector<std::vector<Enclosure>>& balls);

  std::vector<std::vector<Integer>> units;
  Integer error;
};

FixedProbabilities::FixedProbabilities(const std::vector<std::vector<Enclosure>>& balls) {
  for (const std::vector<Enclosure>& row : balls) {
    units.emplace_back();
    for (const Enclosure& ball : row) {
      // A wide ball is cut to 0 .. 1, which holds every probability.
      const Rational lower = ball.is_finite() ? std::max(ball.lower_rational(bits), Rational(0)) : Rational(0);
      const Rational upper = ball.is_finite() ? std::min(ball.upper_rational(bits), Rational(1)) : Rational(1);
      const Integer& rounded = units.back().emplace_back(units_of(lower));
      Integer width = units_of(upper);
      fmpz_add_ui(width.get(), width.get(), 1);
      fmpz_sub(width.get(), width.get(), rounded.get());
      if (fmpz_cmp(width.get(), error.get()) > 0) error = width;
    }
  }
}

/// The number of histograms with this many bars for this many participants.
Enclosure histograms(std::size_t participants, std::size_t bars) {
  if (bars == 0) return whole<Enclosure>(participants == 0 ? 1 : 0);
  Enclosure result;
  arb_bin_uiui(result.arb(), participants + bars - 1, bars - 1, bits);
  return result;
}

Enclosure difference(const Enclosure& a, const Enclosure& b) { return Enclosure::difference(a, b, bits); }

/// For a highest true height m and a highest noisy height h: sums over all histograms of the remaining bars. "Before" is the
/// probability that a bar has x < m and y < h, like bars before both highest ones; "after" is the probability of x <= m and y <= h.
struct Products {
  std::vector<Enclosure> after;          ///< by j: j of the K - 1 other bars are before, the rest after
  std::vector<Enclosure> after_another;  ///< the same for K - 2 bars, if two bars have height m
  std::vector<Enclosure> not_higher;     ///< by j: j of the K - 1 other bars have x <= m and y < h, the rest are after
};

/// Sums over pairs of a highest true and a highest noisy height.
class GuessSums {
 public:
  GuessSums(std::size_t participants, std::size_t bars, Heights heights)
      : participants_(participants),
        bars_(bars),
        heights_(std::move(heights)),
        below_(heights_.below),
        guesses_(bars) {}

  /// Adds the histograms whose highest noisy bar has height `noisy` and whose highest true bar has first .. last participants.
  void add(std::size_t noisy, std::size_t first, std::size_t last);

  /// By shown bar: sums over all histograms.
  const std::vector<Guesses>& sums() const { return guesses_; }

 private:
  Enclosure error_of_products(std::size_t bars, std::size_t participants) const;
  std::vector<Enclosure> products(const FixedPowers& some, const FixedPowers& others, std::size_t bars,
                                  std::size_t participants) const;
  void add_guesses(std::size_t highest, std::size_t noisy, const Products& products);

  std::size_t participants_;
  std::size_t bars_;
  Heights heights_;
  FixedProbabilities below_;
  std::vector<Guesses> guesses_;
};

/// A ball that holds the error by which products of this many bars are too small: at most bars (error + 1) units per histogram.
Enclosure GuessSums::error_of_products(std::size_t bars, std::size_t participants) const {
  Integer units;
  fmpz_add_ui(units.get(), below_.error.get(), 1);
  fmpz_mul_ui(units.get(), units.get(), bars);
  Enclosure error = histograms(participants, bars);
  arb_mul_fmpz(error.arb(), error.arb(), units.get(), bits);
  return from_zero_to(scaled(error, -fraction_bits));
}

/// By j: the coefficient of t^participants in the product of j bars of one kind and bars - j of the other.
std::vector<Enclosure> GuessSums::products(const FixedPowers& some, const FixedPowers& others, std::size_t bars,
                                           std::size_t participants) const {
  const Enclosure error = error_of_products(bars, participants);
  std::vector<Enclosure> result;
  result.reserve(bars + 1);
  for (std::size_t j = 0; j <= bars; ++j) {
    const Integer units = coefficient(some, j, others, bars - j, participants);
    Enclosure& ball = result.emplace_back(scaled(Enclosure::of_whole(units), -2 * fraction_bits));
    arb_add(ball.arb(), ball.arb(), error.arb(), bits);
  }
  return result;
}

void GuessSums::add(std::size_t noisy, std::size_t first, std::size_t last) {
  // For one bar with fewer than `highest` participants: the sum of t^x Pr[noisy height below `noisy`, or at most `noisy` | x].
  FixedPowers below(bars_, participants_ - first, fraction_bits);
  FixedPowers at_most(bars_, participants_ - first, fraction_bits);
  for (std::size_t highest = 0; highest <= last; ++highest) {
    checkpoint();
    const Integer& p_below = below_.units[highest][noisy];
    const Integer& p_at_most = below_.units[highest][noisy + 1];
    if (highest < first) {
      below.add_term(p_below, highest);
      at_most.add_term(p_at_most, highest);
      continue;
    }
    const std::size_t rest = participants_ - highest;  // participants in the other bars
    below.truncate(rest);
    at_most.truncate(rest);
    Products sums;
    at_most.add_term(p_at_most, highest);  // from here on for a bar with at most `highest` participants
    sums.after = products(below, at_most, bars_ - 1, rest);
    sums.after_another.resize(bars_ - 1);
    if (highest <= rest) sums.after_another = products(below, at_most, bars_ - 2, rest - highest);
    below.add_term(p_below, highest);
    sums.not_higher = products(below, at_most, bars_ - 1, rest);
    add_guesses(highest, noisy, sums);
  }
}

void GuessSums::add_guesses(std::size_t highest, std::size_t noisy, const Products& products) {
  const Enclosure& at = heights_.at[highest][noisy];
  const Enclosure& below = heights_.below[highest][noisy];
  const Enclosure& at_most = heights_.below[highest][noisy + 1];
  for (std::size_t k = 0; k < bars_; ++k) {
    Guesses& guesses = guesses_[k];
    add_product(guesses.shown, at, products.after[k]);
    if (k > 0) {
      // Bar k has x <= m and y = h: the sum for y <= h minus that for y < h.
      add_product(guesses.first, below, difference(products.not_higher[k - 1], products.not_higher[k]));
    }
    if (k + 1 < bars_) {
      // Bar k has x < m and y = h: the sum for x <= m and y <= h, minus that for x < m and y < h, minus that for x = m and y <= h.
      Enclosure sum = difference(products.after[k], products.after[k + 1]);
      arb_submul(sum.arb(), at_most.arb(), products.after_another[k].arb(), bits);
      add_product(guesses.next, at_most, sum);
    }
  }
}

/// For geometric noise, an upper bound of Pr[the highest noisy height is at least `distance` from the highest true height]: some
/// bar must rise this far, or the highest one must fall this far.
Enclosure chance_of_distance(std::size_t distance, std::size_t bars, const Enclosure& odds) {
  const Enclosure some = Enclosure::of_whole(uint128{bars + 1});
  return Enclosure::quotient(some, Enclosure::power(odds, distance, bits), bits);
}

/// Heights at this distance or more are left out; the probability that any of them occurs is at most `neglected`.
struct Reach {
  std::size_t distance;
  Enclosure neglected;
};

Reach reach_of(const Pipeline& pipeline, const Enclosure& odds) {
  const std::size_t all = pipeline.participants + 1;
  if (noise_of(pipeline.perturber).family != Family::geometric) return {all, {}};
  for (std::size_t distance = 1; distance < all; ++distance) {
    checkpoint();
    Enclosure chance = chance_of_distance(distance, pipeline.values.size(), odds);
    if (chance.upper_double() < 0x1p-130) return {distance, std::move(chance)};
  }
  return {all, {}};
}

bool guesses_the_mode(const Analyst& analyst) {
  if (!analyst.about) return analyst.goal == Analyst::Goal::argmax_accuracy;
  return analyst.about->kind == PostProcessor::Kind::mode && analyst.goal == Analyst::Goal::bayes_risk;
}

}  // namespace

bool GuessedMode::fits(const Pipeline& pipeline, const Analyst& analyst) {
  const Perturber& perturber = pipeline.perturber;
  const bool has_known_heights = perturber.answers() == perturber.values() && perturber.is_refinement_preserving();
  return pipeline.secret.kind == Secret::Kind::histogram && pipeline.post.kind == PostProcessor::Kind::mode &&
         has_known_heights && guesses_the_mode(analyst) && !analyst.prior;
}

std::vector<Guesses> mode_guesses(const Pipeline& pipeline, const Enclosure& odds) {
  const std::size_t participants = pipeline.participants;
  const std::size_t bars = pipeline.values.size();
  const Reach reach = reach_of(pipeline, odds);
  GuessSums sums(participants, bars, heights_of(noise_at(noise_of(pipeline.perturber), odds)));
  const std::size_t least = (participants + bars - 1) / bars;  // in the highest bar
  for (std::size_t noisy = 0; noisy <= participants; ++noisy) {
    checkpoint();
    const std::size_t first = noisy < reach.distance ? 0 : noisy - reach.distance + 1;
    const std::size_t last = std::min(participants, noisy + reach.distance - 1);
    if (least <= last) sums.add(noisy, std::max(least, first), last);
  }
  const Enclosure all = histograms(participants, bars);
  const Enclosure neglected = from_zero_to(reach.neglected);
  std::vector<Guesses> result = sums.sums();
  for (Guesses& guesses : result) {
    for (Enclosure* chance : {&guesses.first, &guesses.shown, &guesses.next}) {
      arb_div(chance->arb(), chance->arb(), all.arb(), bits);
      arb_add(chance->arb(), chance->arb(), neglected.arb(), bits);
    }
  }
  return result;
}

Enclosure GuessedMode::loss(const Enclosure& odds) const {
  Enclosure loss = whole<Enclosure>(1);
  for (const Guesses& guesses : mode_guesses(pipeline(), odds)) {
    const Enclosure best = Enclosure::larger(guesses.first, guesses.shown, bits);
    loss = difference(loss, Enclosure::larger(best, guesses.next, bits));
  }
  return Enclosure::product(loss, Enclosure::of(scale_, bits), bits);
}

}  // namespace fractile::flow
