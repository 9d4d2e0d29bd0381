#include "flow/loss/target_count.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "flow/algebra/integer_matrix.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "flow/loss/count_law.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

// --- Exactly -------------------------------------------------------------------------------------------------------

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

}  // namespace

bool counts_with_known_others(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && pipeline.secret.kind == Secret::Kind::target &&
         pipeline.post.kind == PostProcessor::Kind::count;
}

Rational exact_loss_among_known(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  pipeline.validate();
  const Noise<Integer> noise = noise_at(pipeline.perturber.noise(), odds);
  std::vector<Integer> numerators = counted_numerators(pipeline, noise);
  // In lowest terms, the integers of the stream are shorter.
  Integer common = noise.denominator;
  for (const Integer& numerator : numerators) fmpz_gcd(common.get(), common.get(), numerator.get());
  Integer denominator;
  fmpz_divexact(denominator.get(), noise.denominator.get(), common.get());
  for (Integer& numerator : numerators) fmpz_divexact(numerator.get(), numerator.get(), common.get());

  std::vector<CountStream::Factor> factors =
      factors_of(numerators, denominator, composition_of(pipeline.secret.known, pipeline.values.size()));
  std::size_t others = 0;  // whose answers are uncertain
  std::erase_if(factors, [](const CountStream::Factor& factor) {
    return fmpz_is_zero(factor.absent.get()) != 0 || fmpz_is_zero(factor.present.get()) != 0;
  });
  for (const CountStream::Factor& factor : factors) others += factor.others;

  const Lines symbolic = lines_of(pipeline, analyst);
  const Rational unit = symbolic.common * pipeline.perturber.noise().denominator.at(odds);
  std::vector<Line<Rational>> lines;
  for (const Line<Polynomial>& line : symbolic.lines) {
    lines.push_back({line.absent.at(odds) / unit, line.present.at(odds) / unit});
  }
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
  Integer all;
  fmpz_pow_ui(all.get(), denominator.get(), others);
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

// --- Enclosed ------------------------------------------------------------------------------------------------------

namespace {

/// Sum over counts of the least of the lines. Q(y - 1)/Q(y) never falls as y grows (Q is log-concave), so a line that is at
/// most another one at both ends of a range of counts is so within it.
class LeastLines {
 public:
  LeastLines(const CountLaw& law, const std::vector<Line<Enclosure>>& lines) : law_(law), lines_(lines) {}

  Enclosure sum() {
    const std::vector<std::size_t> all = all_of(lines_.size());
    if (law_.first() > 0) add(0, law_.first() - 1, all);
    add(law_.first(), law_.last() + 1, all);
    if (law_.last() < law_.others()) add(law_.last() + 2, law_.others() + 1, all);
    return sum_;
  }

 private:
  /// Counts first .. last.
  void add(std::size_t first, std::size_t last, std::vector<std::size_t> candidates) {
    Line<Enclosure> masses{law_.between(first, last + 1), law_.between(first == 0 ? 0 : first - 1, last)};
    if (is_negligible(masses)) {
      // Losses are not negative, and the least is at most any.
      const Enclosure here = from_zero_to(value(candidates.front(), masses));
      arb_add(sum_.arb(), sum_.arb(), here.arb(), law_bits);
      return;
    }
    const Line<Enclosure> left = at(first);
    const Line<Enclosure> right = at(last);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t kept = candidates[i];
      std::erase_if(candidates, [&](std::size_t w) {
        return w != kept && certainly_at_most(value(kept, left), value(w, left)) &&
               certainly_at_most(value(kept, right), value(w, right));
      });
      i = static_cast<std::size_t>(std::ranges::find(candidates, kept) - candidates.begin());
    }
    if (candidates.size() == 1) {
      const Enclosure here = value(candidates.front(), masses);
      arb_add(sum_.arb(), sum_.arb(), here.arb(), law_bits);
    } else if (first == last) {
      Enclosure least = value(candidates.front(), left);
      for (const std::size_t w : candidates) arb_min(least.arb(), least.arb(), value(w, left).arb(), law_bits);
      arb_add(sum_.arb(), sum_.arb(), least.arb(), law_bits);
    } else {
      const std::size_t middle = first + (last - first) / 2;
      add(first, middle, candidates);
      add(middle + 1, last, std::move(candidates));
    }
  }

  Line<Enclosure> at(std::size_t y) const { return {law_.at(y), y == 0 ? Enclosure() : law_.at(y - 1)}; }
  Enclosure value(std::size_t w, const Line<Enclosure>& masses) const {
    Enclosure result;
    add_product(result, lines_[w].absent, masses.absent);
    add_product(result, lines_[w].present, masses.present);
    return result;
  }
  static bool is_negligible(const Line<Enclosure>& masses) {
    return masses.absent.upper_double() < 0x1p-150 && masses.present.upper_double() < 0x1p-150;
  }
  const CountLaw& law_;
  const std::vector<Line<Enclosure>>& lines_;
  Enclosure sum_;
};

}  // namespace

Enclosure loss_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  pipeline.validate();
  const CountAmongKnown count(pipeline, analyst);
  const CountLaw law = count.law_at(odds);
  const std::vector<Line<Enclosure>> lines = count.lines_at(odds);
  return LeastLines(law, lines).sum();
}

}  // namespace fractile::flow
