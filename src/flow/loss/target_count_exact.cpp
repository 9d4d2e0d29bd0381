// The exact loss of a target's count. Proof: docs/proofs/target_loss.md, "Exactly"
#include <algorithm>
#include <cstdint>
#include <utility>

#include "flow/loss/target_count.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/rows.hpp"

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

/// Same numerators once; those that are always or never counted shift the count or leave it.
std::vector<CountStream::Factor> factors_of(const std::vector<Integer>& counted, const Integer& denominator,
                                            const std::vector<std::size_t>& histogram) {
  std::vector<CountStream::Factor> factors;
  for (std::size_t value = 0; value < counted.size(); ++value) {
    if (histogram[value] == 0) continue;
    const auto same = std::ranges::find_if(factors, [&](const CountStream::Factor& factor) {
      return fmpz_equal(factor.present.get(), counted[value].get()) != 0;
    });
    if (same != factors.end()) {
      same->others += histogram[value];
      continue;
    }
    Integer rest;
    fmpz_sub(rest.get(), denominator.get(), counted[value].get());
    factors.push_back({rest, counted[value], histogram[value]});
  }
  return factors;
}

/// The others whose answers are uncertain. In lowest terms, the integers of the stream are shorter.
struct UncertainOthers {
  UncertainOthers(const Pipeline& pipeline, const Rational& odds);

  Integer denominator;
  std::vector<CountStream::Factor> factors;
  std::size_t count = 0;
};

UncertainOthers::UncertainOthers(const Pipeline& pipeline, const Rational& odds) {
  const Noise<Integer> noise = noise_at(noise_of(pipeline.perturber), odds);
  std::vector<Integer> numerators = counted_numerators(pipeline, noise);
  Integer common = noise.denominator;
  for (const Integer& numerator : numerators) fmpz_gcd(common.get(), common.get(), numerator.get());
  fmpz_divexact(denominator.get(), noise.denominator.get(), common.get());
  for (Integer& numerator : numerators) fmpz_divexact(numerator.get(), numerator.get(), common.get());
  factors = factors_of(numerators, denominator, known_composition(pipeline));
  std::erase_if(factors, [](const CountStream::Factor& factor) {
    return fmpz_is_zero(factor.absent.get()) != 0 || fmpz_is_zero(factor.present.get()) != 0;
  });
  for (const CountStream::Factor& factor : factors) count += factor.others;
}

/// By line: the numerators of Q(y), and of Q(y - 1), of all counts after which it is the best.
std::vector<Line<Integer>> sums_of_best(const UncertainOthers& others, const std::vector<Line<Rational>>& lines) {
  const LineChoice choice(lines);
  std::vector<Line<Integer>> sums(lines.size());
  CountStream stream(others.factors);
  const Integer nothing;
  for (std::size_t y = 0; y <= others.count + 1; ++y) {
    const Integer& here = y <= others.count ? stream.here() : nothing;
    const Integer& before = y == 0 ? nothing : y <= others.count ? stream.before() : stream.here();
    Line<Integer>& sum = sums[choice.best(here, before)];
    fmpz_add(sum.absent.get(), sum.absent.get(), here.get());
    fmpz_add(sum.present.get(), sum.present.get(), before.get());
    if (y < others.count) stream.advance();
  }
  return sums;
}

}  // namespace

Rational TargetCount::exact_loss(const Rational& odds) const {
  const UncertainOthers others(pipeline_, odds);
  const Rational unit = lines_.common * denominator_.at(odds);
  std::vector<Line<Rational>> lines;
  for (const Line<Polynomial>& line : lines_.lines) {
    lines.push_back({line.absent.at(odds) / unit, line.present.at(odds) / unit});
  }
  const std::vector<Line<Integer>> sums = sums_of_best(others, lines);
  Integer all;
  fmpz_pow_ui(all.get(), others.denominator.get(), others.count);
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

}  // namespace fractile::flow
