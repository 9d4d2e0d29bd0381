// The exact loss of a target's count or sum. Proof: docs/proofs/target_loss.md, "Exactly" and "Sums"
#include <algorithm>
#include <cstdint>
#include <utility>

#include "flow/loss/target_total.hpp"
#include "flow/pipeline/composition.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// The numerators Q(0), Q(1), ... of the others' count, one after the other: Q = product of (u + v t)^n satisfies
/// D Q' = E Q with D the product of the different u + v t and E = D times the sum of n v / (u + v t).
class CountStream {
 public:
  struct Factor {
    Integer absent;      ///< u
    Integer present;     ///< v
    std::size_t others;  ///< n, at least 1
  };

  explicit CountStream(const std::vector<Factor>& factors) {
    Integer one(1);
    fmpz_poly_set_ui(all_.get(), 1);
    fmpz_one(current_.get());
    for (const Factor& factor : factors) {
      Polynomial line;
      fmpz_poly_set_coeff_fmpz(line.get(), 0, factor.absent.get());
      fmpz_poly_set_coeff_fmpz(line.get(), 1, factor.present.get());
      Polynomial weight;
      fmpz_poly_set_fmpz(weight.get(), factor.present.get());
      fmpz_poly_scalar_mul_ui(weight.get(), weight.get(), factor.others);
      slopes_ = slopes_ * line + weight * all_;
      all_ = all_ * line;
      Integer power;
      fmpz_pow_ui(power.get(), factor.absent.get(), factor.others);
      fmpz_mul(current_.get(), current_.get(), power.get());
    }
    previous_.resize(static_cast<std::size_t>(std::max<std::int64_t>(all_.degree(), 1)));
  }

  /// Q(y), and Q(y - 1).
  const Integer& here() const { return current_; }
  const Integer& before() const { return previous_.front(); }
  void advance() {
    Integer sum;
    Integer factor;
    for (std::int64_t i = 0; i <= slopes_.degree() && i <= y_; ++i) {
      fmpz_poly_get_coeff_fmpz(factor.get(), slopes_.get(), i);
      fmpz_addmul(sum.get(), factor.get(), back(i).get());
    }
    for (std::int64_t i = 1; i <= all_.degree() && i <= y_; ++i) {
      fmpz_poly_get_coeff_fmpz(factor.get(), all_.get(), i);
      fmpz_mul_si(factor.get(), factor.get(), y_ + 1 - i);
      fmpz_submul(sum.get(), factor.get(), back(i - 1).get());
    }
    fmpz_poly_get_coeff_fmpz(factor.get(), all_.get(), 0);
    fmpz_mul_si(factor.get(), factor.get(), y_ + 1);
    fmpz_divexact(sum.get(), sum.get(), factor.get());
    std::rotate(previous_.begin(), previous_.end() - 1, previous_.end());
    fmpz_swap(previous_.front().get(), current_.get());
    fmpz_swap(current_.get(), sum.get());
    ++y_;
  }

 private:
  /// Q(y - i).
  const Integer& back(std::int64_t i) const { return i == 0 ? current_ : previous_[static_cast<std::size_t>(i) - 1]; }

  Polynomial all_;     // D
  Polynomial slopes_;  // E
  Integer current_;
  std::vector<Integer> previous_;
  std::int64_t y_ = 0;
};

/// What an action costs for a unit of Q(y), and for one of Q(y - 1).
template <class Number>
struct Line {
  Number absent;
  Number present;
};

/// value = mantissa * 2^exponent with a mantissa of at most 64 bits, rounded.
Enclosure leading_ball(const Integer& value) {
  Enclosure ball;
  arb_set_round_fmpz(ball.arb(), value.get(), 64);
  return ball;
}

/// The best line for the ratio before : here, decided by enclosures where they can.
class LineChoice {
 public:
  explicit LineChoice(const std::vector<Line<Rational>>& lines) : lines_(lines) {
    for (const Line<Rational>& line : lines)
      balls_.push_back({Enclosure::of(line.absent), Enclosure::of(line.present)});
  }

  std::size_t best(const Integer& here, const Integer& before) const {
    const Enclosure one = leading_ball(here);
    const Enclosure other = leading_ball(before);
    std::vector<Enclosure> values;
    for (const Line<Enclosure>& ball : balls_) values.push_back(ball.absent * one + ball.present * other);
    std::size_t best = 0;
    for (std::size_t w = 1; w < lines_.size(); ++w) {
      const bool is_open = !certainly_less(values[w], values[best]) && !certainly_at_most(values[best], values[w]);
      if (is_open ? exactly_less(w, best, here, before) : certainly_less(values[w], values[best])) best = w;
    }
    return best;
  }

 private:
  bool exactly_less(std::size_t a, std::size_t b, const Integer& here, const Integer& before) const {
    Rational one;
    Rational other;
    fmpq_set_fmpz(flint_of(one), here.get());
    fmpq_set_fmpz(flint_of(other), before.get());
    return (lines_[a].absent - lines_[b].absent) * one < (lines_[b].present - lines_[a].present) * other;
  }

  const std::vector<Line<Rational>>& lines_;
  std::vector<Line<Enclosure>> balls_;
};

/// By value and different step: numerators of the probabilities at some odds, over the least denominator.
struct LawsAtOdds {
  LawsAtOdds(const TargetTotal& target, const Rational& odds) {
    const Rational unit = target.denominator().at(odds);
    Matrix probabilities(target.laws().size(), target.different_steps().size());
    for (std::size_t value = 0; value < probabilities.rows(); ++value) {
      for (std::size_t s = 0; s < probabilities.columns(); ++s) {
        Rational& p = probabilities(value, s) = target.laws()[value][s].at(odds) / unit;
        fmpz_lcm(denominator.get(), denominator.get(), fmpq_denref(flint_of(p)));
      }
    }
    Rational all;
    fmpq_set_fmpz(flint_of(all), denominator.get());
    for (std::size_t value = 0; value < probabilities.rows(); ++value) {
      numerators.emplace_back(probabilities.columns());
      for (std::size_t s = 0; s < probabilities.columns(); ++s) {
        fmpz_set(numerators.back()[s].get(), fmpq_numref(flint_of(probabilities(value, s) * all)));
      }
    }
  }

  Integer denominator{1};
  std::vector<std::vector<Integer>> numerators;
};

/// Same laws once.
std::vector<CountStream::Factor> factors_of(const LawsAtOdds& laws, const Composition& others) {
  std::vector<CountStream::Factor> factors;
  for (std::size_t value = 0; value < others.size(); ++value) {
    const std::vector<Integer>& law = laws.numerators[value];
    const bool is_certain = is_zero(law[0]) || is_zero(law[1]);  // who is only shifts the count
    if (others[value] == 0 || is_certain) continue;
    const auto same = std::ranges::find_if(factors, [&](const CountStream::Factor& factor) {
      return fmpz_equal(factor.present.get(), law[1].get()) != 0;
    });
    if (same != factors.end()) {
      same->others += others[value];
    } else {
      factors.push_back({law[0], law[1], others[value]});
    }
  }
  return factors;
}

/// By line: the numerators of Q(y), and of Q(y - 1), of all counts after which it is the best.
std::vector<Line<Integer>> sums_of_best(const std::vector<CountStream::Factor>& factors, std::size_t others,
                                        const std::vector<Line<Rational>>& lines) {
  const LineChoice choice(lines);
  std::vector<Line<Integer>> sums(lines.size());
  CountStream stream(factors);
  const Integer nothing;
  for (std::size_t y = 0; y <= others + 1; ++y) {
    const Integer& here = y <= others ? stream.here() : nothing;
    const Integer& before = y == 0 ? nothing : y <= others ? stream.before() : stream.here();
    Line<Integer>& sum = sums[choice.best(here, before)];
    fmpz_add(sum.absent.get(), sum.absent.get(), here.get());
    fmpz_add(sum.present.get(), sum.present.get(), before.get());
    if (y < others) stream.advance();
  }
  return sums;
}

/// The sum over exponents of the least of the polynomials' coefficients.
Integer sum_of_least(const std::vector<Polynomial>& polynomials) {
  std::int64_t degree = 0;
  for (const Polynomial& one : polynomials) degree = std::max(degree, one.degree());
  Integer sum;
  Integer least;
  Integer other;
  for (slong exponent = 0; exponent <= degree; ++exponent) {
    fmpz_poly_get_coeff_fmpz(least.get(), polynomials.front().get(), exponent);
    for (const Polynomial& one : polynomials) {
      fmpz_poly_get_coeff_fmpz(other.get(), one.get(), exponent);
      if (fmpz_cmp(other.get(), least.get()) < 0) fmpz_swap(least.get(), other.get());
    }
    fmpz_add(sum.get(), sum.get(), least.get());
  }
  return sum;
}

}  // namespace

bool TargetTotal::is_soon_exact(const Rational& odds) const {
  constexpr std::size_t most_people = 20'000;  // who are counted; of more, minutes
  constexpr double most_bits = 1e10;           // of a sum
  if (is_count_) return pipeline_.participants <= most_people;
  const auto people = static_cast<double>(pipeline_.participants);
  const auto bits = static_cast<double>(fmpz_bits(LawsAtOdds(*this, odds).denominator.get()));
  return people * bits * people * static_cast<double>(longest_step_) <= most_bits;
}

Rational TargetTotal::exact_loss(const Rational& odds) const {
  if (!is_count_ && !is_soon_exact(odds)) {
    throw Error(ErrorCode::usage, "the losses of so many people's sums are too long to be written down",
                "30 digits are certified without; or take a shorter exp(epsilon)");
  }
  return is_count_ ? exact_loss_of_count(odds) : exact_loss_of_sum(odds);
}

Rational TargetTotal::exact_loss_of_count(const Rational& odds) const {
  const LawsAtOdds laws(*this, odds);
  const std::vector<CountStream::Factor> factors = factors_of(laws, others_);
  std::size_t others = 0;
  for (const CountStream::Factor& factor : factors) others += factor.others;
  const Rational unit = joint_.common * denominator().at(odds);
  std::vector<Line<Rational>> lines;
  for (const std::vector<Polynomial>& cost : costs_)
    lines.push_back({cost[0].at(odds) / unit, cost[1].at(odds) / unit});
  const std::vector<Line<Integer>> sums = sums_of_best(factors, others, lines);
  Integer all;
  fmpz_pow_ui(all.get(), laws.denominator.get(), others);
  Rational loss;
  for (std::size_t w = 0; w < lines.size(); ++w) {
    Rational share;
    fmpq_set_fmpz_frac(flint_of(share), sums[w].absent.get(), all.get());
    loss += share * lines[w].absent;
    fmpq_set_fmpz_frac(flint_of(share), sums[w].present.get(), all.get());
    loss += share * lines[w].present;
  }
  return loss;
}

Rational TargetTotal::exact_loss_of_sum(const Rational& odds) const {
  const LawsAtOdds at_odds(*this, odds);
  std::vector<Polynomial> laws(at_odds.numerators.size());  // by total
  Polynomial others(1);
  Polynomial power;
  for (std::size_t value = 0; value < laws.size(); ++value) {
    for (std::size_t s = 0; s < different_steps_.size(); ++s) {
      fmpz_poly_set_coeff_fmpz(laws[value].get(), static_cast<slong>(different_steps_[s]),
                               at_odds.numerators[value][s].get());
    }
    fmpz_poly_pow(power.get(), laws[value].get(), others_[value]);
    others = others * power;
  }
  std::vector<Polynomial> losses(joint_.weights.columns());
  for (std::size_t action = 0; action < losses.size(); ++action) {
    Polynomial cost;
    for (std::size_t x = 0; x < laws.size(); ++x) {
      add_product(cost, Polynomial::constant(joint_.weights(x, action)), laws[x]);
    }
    losses[action] = cost * others;
  }
  Integer all;
  fmpz_pow_ui(all.get(), at_odds.denominator.get(), pipeline_.participants);
  Rational loss;
  fmpq_set_fmpz_frac(flint_of(loss), sum_of_least(losses).get(), all.get());
  return loss / joint_.common;
}

}  // namespace fractile::flow
