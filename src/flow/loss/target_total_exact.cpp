// The exact loss of a target's count or sum. Proof: docs/proofs/target_loss.md, "Exactly" and "Sums"
#include <algorithm>
#include <cstdint>
#include <string>

#include "exact/checkpoint.hpp"
#include "flow/loss/target_total.hpp"
#include "flow/pipeline/composition.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// The numerators Q(0), Q(1), ... of the others' count, one after the other. Q = product of (u + v t)^n satisfies D Q' = E Q, where
/// D is the product of the different u + v t, and E is D times the sum of n v / (u + v t).
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

  /// Q(y); 0 if y exceeds the number of others.
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

/// A ball around mantissa * 2^exponent, which is the value rounded to a mantissa of at most 64 bits.
Enclosure leading_ball(const Integer& value) {
  Enclosure ball;
  arb_set_round_fmpz(ball.arb(), value.get(), 64);
  return ball;
}

/// By row, and then by different step.
using Integers = std::vector<std::vector<Integer>>;

/// Adds up the least of the actions' joint losses after each total, as integers. Enclosures find the best actions where these
/// decide.
class SumOfLeast {
 public:
  /// `costs`: by action, per unit of probability.
  explicit SumOfLeast(const Integers& costs) : costs_(costs), masses_(costs) {
    for (std::size_t w = 0; w < costs.size(); ++w) {
      balls_.emplace_back();
      for (const Integer& cost : costs[w]) balls_.back().push_back(leading_ball(cost));
      masses_[w].assign(costs[w].size(), Integer());
    }
  }

  /// `masses`: by step, those of the others' totals from which the target's steps lead to the next total.
  void add(const std::vector<const Integer*>& masses) {
    std::vector<Integer>& sums = masses_[best_after(masses)];
    for (std::size_t s = 0; s < sums.size(); ++s) fmpz_add(sums[s].get(), sums[s].get(), masses[s]->get());
  }

  Integer value() const {
    Integer sum;
    for (std::size_t w = 0; w < costs_.size(); ++w) {
      for (std::size_t s = 0; s < costs_[w].size(); ++s) add_product(sum, costs_[w][s], masses_[w][s]);
    }
    return sum;
  }

 private:
  std::size_t best_after(const std::vector<const Integer*>& masses) const {
    std::vector<Enclosure> leading;
    for (const Integer* const mass : masses) leading.push_back(leading_ball(*mass));
    std::vector<Enclosure> values(balls_.size());
    for (std::size_t w = 0; w < values.size(); ++w) {
      for (std::size_t s = 0; s < leading.size(); ++s) values[w] += balls_[w][s] * leading[s];
    }
    std::size_t best = 0;
    for (std::size_t w = 1; w < values.size(); ++w) {
      const bool is_open = !certainly_less(values[w], values[best]) && !certainly_at_most(values[best], values[w]);
      if (is_open ? exactly_less(w, best, masses) : certainly_less(values[w], values[best])) best = w;
    }
    return best;
  }

  bool exactly_less(std::size_t a, std::size_t b, const std::vector<const Integer*>& masses) const {
    Integer one;
    Integer other;
    for (std::size_t s = 0; s < masses.size(); ++s) {
      add_product(one, costs_[a][s], *masses[s]);
      add_product(other, costs_[b][s], *masses[s]);
    }
    return fmpz_cmp(one.get(), other.get()) < 0;
  }

  const Integers& costs_;
  std::vector<std::vector<Enclosure>> balls_;
  Integers masses_;  // by action: summed over all totals after which it is the best
};

/// At some odds: the numerators of the probabilities, by value, over the least denominator; and the numerators of costs, by action,
/// over `common` times that denominator.
struct LawsAtOdds {
  LawsAtOdds(const TargetTotal& target, const Rational& odds) {
    const Rational unit = target.denominator().at(odds);
    for (const std::vector<Polynomial>& law : target.laws()) {
      for (const Polynomial& p : law) {
        fmpz_lcm(denominator.get(), denominator.get(), fmpq_denref(flint_of(p.at(odds) / unit)));
      }
    }
    const Rational scale = rational_of(denominator.get()) / unit;
    const auto evaluated = [&](const std::vector<std::vector<Polynomial>>& rows) {
      Integers result;
      for (const std::vector<Polynomial>& row : rows) {
        result.emplace_back(row.size());
        for (std::size_t s = 0; s < row.size(); ++s) {
          fmpz_set(result.back()[s].get(), fmpq_numref(flint_of(row[s].at(odds) * scale)));
        }
      }
      return result;
    };
    numerators = evaluated(target.laws());
    costs = evaluated(target.costs());
  }

  Integer denominator{1};
  Integers numerators;
  Integers costs;
};

/// The factors of the others' count; equal laws are one factor.
std::vector<CountStream::Factor> factors_of(const LawsAtOdds& laws, const Composition& others) {
  std::vector<CountStream::Factor> factors;
  for (std::size_t value = 0; value < others.size(); ++value) {
    const std::vector<Integer>& law = laws.numerators[value];
    // An other whose answer is certain only shifts the count.
    const bool is_certain = is_zero(law[0]) || is_zero(law[1]);
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

/// Adds the least losses after each count; returns the number of others whose answers are not certain.
std::size_t add_counts(SumOfLeast& sum, const std::vector<CountStream::Factor>& factors) {
  std::size_t others = 0;
  for (const CountStream::Factor& factor : factors) others += factor.others;
  CountStream stream(factors);
  for (std::size_t y = 0; y <= others + 1; ++y) {
    checkpoint();
    sum.add({&stream.here(), &stream.before()});
    stream.advance();
  }
  return others;
}

/// The numerators of the others' law, by total.
Polynomial law_of_others(const TargetTotal& target, const Integers& numerators) {
  Polynomial others(1);
  for (std::size_t value = 0; value < numerators.size(); ++value) {
    Polynomial law;
    for (std::size_t s = 0; s < numerators[value].size(); ++s) {
      fmpz_poly_set_coeff_fmpz(law.get(), static_cast<slong>(target.different_steps()[s]), numerators[value][s].get());
    }
    fmpz_poly_pow(law.get(), law.get(), target.others()[value]);
    others = others * law;
  }
  return others;
}

/// Adds the least losses after each total.
void add_totals(SumOfLeast& sum, const Polynomial& others, const std::vector<std::size_t>& steps) {
  std::vector<Integer> masses(steps.size());
  std::vector<const Integer*> all;
  for (const Integer& mass : masses) all.push_back(&mass);
  const std::size_t last = static_cast<std::size_t>(others.degree()) + steps.back();
  for (std::size_t total = 0; total <= last; ++total) {
    checkpoint();
    for (std::size_t s = 0; s < steps.size() && steps[s] <= total; ++s) {
      fmpz_poly_get_coeff_fmpz(masses[s].get(), others.get(), static_cast<slong>(total - steps[s]));
    }
    sum.add(all);
  }
}

}  // namespace

bool TargetTotal::is_soon_exact(const Rational& odds) const {
  constexpr std::size_t most_people = 20'000;  // who are counted; more take minutes
  constexpr double most_bits = 1e10;           // for a sum
  if (is_count_) return pipeline_.participants <= most_people;
  const auto people = static_cast<double>(pipeline_.participants);
  const auto bits = static_cast<double>(fmpz_bits(LawsAtOdds(*this, odds).denominator.get()));
  return people * bits * people * static_cast<double>(longest_step_) <= most_bits;
}

Rational TargetTotal::exact_loss(const Rational& odds) const {
  const LawsAtOdds laws(*this, odds);
  constexpr double longest = 2e9;  // bits
  const double length =
      static_cast<double>(fmpz_bits(laws.denominator.get())) * static_cast<double>(pipeline_.participants);
  if (is_count_ ? length > longest : !is_soon_exact(odds)) {
    throw Error(ErrorCode::usage,
                std::string("there are too many people to write down the exact losses of their ") +
                    (is_count_ ? "counts" : "sums"),
                "30 digits are certified without; or take a shorter exp(epsilon)");
  }
  SumOfLeast sum(laws.costs);
  std::size_t others = other_people();
  if (is_count_) {
    others = add_counts(sum, factors_of(laws, others_));
  } else {
    add_totals(sum, law_of_others(*this, laws.numerators), different_steps_);
  }
  Integer all;
  fmpz_pow_ui(all.get(), laws.denominator.get(), others + 1);
  return fraction_of(sum.value(), all) / joint_.common;
}

}  // namespace fractile::flow
