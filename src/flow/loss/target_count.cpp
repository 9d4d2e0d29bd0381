#include "flow/loss/target_count.hpp"

#include <algorithm>
#include <utility>

#include "flow/algebra/integer_matrix.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/rows.hpp"

namespace fractile::flow {
namespace {

Lines lines_of(const std::vector<Polynomial>& counted, const Polynomial& denominator, const JointWeights& joint) {
  Lines result{{}, joint.common};
  for (std::size_t w = 0; w < joint.weights.columns(); ++w) {
    Line<Polynomial> line;
    for (std::size_t x = 0; x < joint.weights.rows(); ++x) {
      const Polynomial weight = Polynomial::constant(joint.weights(x, w));
      add_product(line.absent, weight, denominator - counted[x]);
      add_product(line.present, weight, counted[x]);
    }
    if (std::ranges::find(result.lines, line) == result.lines.end()) result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace

bool TargetCount::fits(const Pipeline& pipeline) {
  return pipeline.perturber.is_shared() && pipeline.perturber.root_degree() == 1 &&
         pipeline.secret.kind == Secret::Kind::target && pipeline.post.kind == PostProcessor::Kind::count;
}

TargetCount::TargetCount(const Pipeline& pipeline, const Analyst& analyst)
    : pipeline_(pipeline),
      joint_(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline))),
      counted_(counted_numerators<Polynomial>(pipeline, noise_of(pipeline.perturber))),
      denominator_(noise_of(pipeline.perturber).denominator),
      histogram_(known_composition(pipeline)),
      lines_(lines_of(counted_, denominator_, joint_)) {
  for (std::size_t value = 0; value < counted_.size(); ++value) {
    if (counted_[value] == denominator_ || is_zero(counted_[value])) histogram_[value] = 0;
  }
}

namespace {

Enclosure quotient_at(const Polynomial& numerator, const Enclosure& denominator, const Enclosure& odds) {
  Enclosure result;
  arb_fmpz_poly_evaluate_arb(result.arb(), numerator.get(), odds.arb(), enclosure_bits);
  arb_div(result.arb(), result.arb(), denominator.arb(), enclosure_bits);
  return result;
}

}  // namespace

std::size_t TargetCount::others() const {
  std::size_t sum = 0;
  for (const std::size_t people : histogram_) sum += people;
  return sum;
}

std::vector<Enclosure> TargetCount::counted_at(const Enclosure& odds) const {
  Enclosure denominator;
  arb_fmpz_poly_evaluate_arb(denominator.arb(), denominator_.get(), odds.arb(), enclosure_bits);
  std::vector<Enclosure> counted;
  counted.reserve(counted_.size());
  for (const Polynomial& numerator : counted_) counted.push_back(quotient_at(numerator, denominator, odds));
  return counted;
}

CountLaw TargetCount::law_at(const Enclosure& odds) const {
  const std::vector<Enclosure> counted = counted_at(odds);
  std::vector<std::size_t> uncertain = histogram_;
  for (std::size_t value = 0; value < counted.size(); ++value) {
    if (is_zero(counted[value])) uncertain[value] = 0;  // at odds of 1
  }
  return {counted, uncertain};
}

std::vector<Line<Enclosure>> TargetCount::lines_at(const Enclosure& odds) const {
  Enclosure unit;
  arb_fmpz_poly_evaluate_arb(unit.arb(), denominator_.get(), odds.arb(), enclosure_bits);
  const Enclosure common = Enclosure::of(lines_.common, enclosure_bits);
  arb_mul(unit.arb(), unit.arb(), common.arb(), enclosure_bits);
  std::vector<Line<Enclosure>> lines;
  lines.reserve(lines_.lines.size());
  for (const Line<Polynomial>& line : lines_.lines) {
    lines.push_back({quotient_at(line.absent, unit, odds), quotient_at(line.present, unit, odds)});
  }
  return lines;
}

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

Enclosure TargetCount::loss(const Enclosure& odds) const {
  const CountLaw law = law_at(odds);
  const std::vector<Line<Enclosure>> lines = lines_at(odds);
  return LeastLines(law, lines).sum();
}

bool TargetCount::is_soon_exact(const Rational& /*odds*/) const {
  constexpr std::size_t most_people = 20'000;  // of more, minutes
  return pipeline_.participants <= most_people;
}

}  // namespace fractile::flow
