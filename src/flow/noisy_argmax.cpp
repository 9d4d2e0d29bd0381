#include "flow/noisy_argmax.hpp"

#include <arb_poly.h>

#include <algorithm>
#include <utility>

#include "flow/noise.hpp"

namespace fractile::flow {
namespace {

constexpr std::int64_t bits = 192;

/// A polynomial in t, whose exponents are numbers of participants, up to a length.
class Series {
 public:
  explicit Series(std::size_t length) : length_(static_cast<slong>(length)) { arb_poly_init2(value_, length_); }
  Series(const Series& other) : length_(other.length_) {
    arb_poly_init(value_);
    arb_poly_set(value_, other.value_);
  }
  Series(Series&& other) noexcept : length_(other.length_) {
    arb_poly_init(value_);
    arb_poly_swap(value_, other.value_);
  }
  Series& operator=(Series other) noexcept {
    arb_poly_swap(value_, other.value_);
    length_ = other.length_;
    return *this;
  }
  ~Series() { arb_poly_clear(value_); }

  static Series one(std::size_t length) {
    Series result(length);
    arb_poly_one(result.value_);
    return result;
  }
  void set(std::size_t exponent, const Enclosure& coefficient) {
    arb_poly_set_coeff_arb(value_, static_cast<slong>(exponent), coefficient.arb());
  }
  friend Series operator*(const Series& a, const Series& b) {
    Series result(static_cast<std::size_t>(a.length_));
    arb_poly_mullow(result.value_, a.value_, b.value_, a.length_, bits);
    return result;
  }
  /// The coefficient of t^exponent in a product.
  static Enclosure coefficient(const Series& a, const Series& b, std::size_t exponent) {
    Enclosure sum;
    const auto degree = static_cast<slong>(exponent);
    for (slong i = std::max<slong>(0, degree + 1 - arb_poly_length(b.value_));
         i <= std::min(degree, arb_poly_length(a.value_) - 1); ++i) {
      arb_addmul(sum.arb(), arb_poly_get_coeff_ptr(a.value_, i), arb_poly_get_coeff_ptr(b.value_, degree - i), bits);
    }
    return sum;
  }
  /// 1, this, its square, ... : `count` of them.
  std::vector<Series> powers(std::size_t count) const {
    std::vector<Series> result{one(static_cast<std::size_t>(length_))};
    while (result.size() < count) result.push_back(result.back() * *this);
    return result;
  }

 private:
  arb_poly_t value_;
  slong length_;
};

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
      Enclosure p;
      arb_div(p.arb(), numerator.arb(), noise.denominator.arb(), bits);
      Enclosure sum;
      arb_add(sum.arb(), heights.below.back().back().arb(), p.arb(), bits);
      heights.at.back().push_back(std::move(p));
      heights.below.back().push_back(std::move(sum));
    }
  }
  return heights;
}

/// Sums over all histograms, by first highest true bar k and first highest noisy bar k': entry (k, k').
class ModeMasses {
 public:
  ModeMasses(std::size_t participants, std::size_t bars, Heights heights)
      : participants_(participants), bars_(bars), heights_(std::move(heights)), masses_(bars * bars) {}

  const Enclosure& operator()(std::size_t truth, std::size_t noisy) const { return masses_[truth * bars_ + noisy]; }

  /// Histograms whose highest true bar has `highest` participants and whose highest noisy bar has height `noisy`.
  void add(std::size_t highest, std::size_t noisy) {
    const auto series = [&](std::size_t end, const std::vector<std::vector<Enclosure>>& weights, std::size_t column) {
      Series result(participants_ + 1);
      for (std::size_t x = 0; x < end; ++x) result.set(x, weights[x][column]);
      return result;
    };
    // Bars before the true one are lower than it, those after not higher; so with the noisy one.
    const std::vector<Series> before_both = series(highest, heights_.below, noisy).powers(bars_);
    const std::vector<Series> after_both = series(highest + 1, heights_.below, noisy + 1).powers(bars_);
    const std::vector<Series> after_true = series(highest + 1, heights_.below, noisy).powers(bars_ - 1);
    const std::vector<Series> after_noisy = series(highest, heights_.below, noisy + 1).powers(bars_ - 1);
    const Series noisy_after = series(highest + 1, heights_.at, noisy);
    const Series noisy_before = series(highest, heights_.at, noisy);

    const std::size_t rest = participants_ - highest;  // in the other bars
    for (std::size_t k = 0; k < bars_; ++k) {
      add_product(mass(k, k), heights_.at[highest][noisy],
                  Series::coefficient(before_both[k], after_both[bars_ - 1 - k], rest));
    }
    for (std::size_t before = 0; before + 1 < bars_; ++before) {
      for (std::size_t after = 0; before + after + 1 < bars_; ++after) {
        const std::size_t between = bars_ - 2 - before - after;
        const Series outer = before_both[before] * after_both[after];
        const std::size_t first = before;
        const std::size_t second = before + between + 1;
        add_product(mass(first, second), heights_.below[highest][noisy],
                    Series::coefficient(outer, after_true[between] * noisy_after, rest));
        add_product(mass(second, first), heights_.below[highest][noisy + 1],
                    Series::coefficient(outer, after_noisy[between] * noisy_before, rest));
      }
    }
  }
  void add_to_all(const Enclosure& mass) {
    for (Enclosure& one : masses_) arb_add(one.arb(), one.arb(), mass.arb(), bits);
  }

 private:
  Enclosure& mass(std::size_t truth, std::size_t noisy) { return masses_[truth * bars_ + noisy]; }

  std::size_t participants_;
  std::size_t bars_;
  Heights heights_;
  std::vector<Enclosure> masses_;
};

/// Pr[the noisy highest is this far from the true highest] is at most this, for geometric noise: some bar moved as far.
Enclosure chance_of_distance(std::size_t distance, std::size_t bars, const Enclosure& odds) {
  Enclosure result;
  arb_pow_ui(result.arb(), odds.arb(), distance, bits);
  arb_ui_div(result.arb(), bars, result.arb(), bits);
  return result;
}

}  // namespace

bool guesses_the_mode(const Pipeline& pipeline, const Analyst& analyst) {
  return pipeline.secret.kind == Secret::Kind::histogram && pipeline.post.kind == PostProcessor::Kind::mode &&
         analyst.goal == Analyst::Goal::argmax_accuracy && !analyst.prior;
}

Enclosure loss_of_guessing_the_mode(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  pipeline.validate();
  const std::size_t participants = pipeline.participants;
  const std::size_t bars = pipeline.values.size();
  const PolynomialNoise& noise = pipeline.perturber.noise();
  ModeMasses masses(participants, bars, heights_of(noise_at(noise, odds)));

  Enclosure histograms;  // C(participants + bars - 1, bars - 1)
  arb_bin_uiui(histograms.arb(), participants + bars - 1, bars - 1, bits);
  Enclosure neglected;
  for (std::size_t highest = (participants + bars - 1) / bars; highest <= participants; ++highest) {
    for (std::size_t noisy = 0; noisy <= participants; ++noisy) {
      const std::size_t distance = highest > noisy ? highest - noisy : noisy - highest;
      if (noise.family == Family::geometric && distance > 0) {
        const Enclosure chance = chance_of_distance(distance, bars, odds);
        if (chance.upper_double() < 0x1p-150) {
          add_product(neglected, chance, histograms);
          continue;
        }
      }
      masses.add(highest, noisy);
    }
  }
  masses.add_to_all(from_zero_to(neglected));

  Enclosure right;  // guesses
  for (std::size_t shown = 0; shown < bars; ++shown) {
    Enclosure best = masses(0, shown);
    for (std::size_t k = 1; k < bars; ++k) arb_max(best.arb(), best.arb(), masses(k, shown).arb(), bits);
    arb_add(right.arb(), right.arb(), best.arb(), bits);
  }
  Enclosure loss;
  arb_div(loss.arb(), right.arb(), histograms.arb(), bits);
  arb_sub(loss.arb(), whole<Enclosure>(1).arb(), loss.arb(), bits);
  arb_mul(loss.arb(), loss.arb(), Enclosure::of(analyst.scale, bits).arb(), bits);
  return loss;
}

}  // namespace fractile::flow
