#include "flow/loss/count_law.hpp"

#include <algorithm>
#include <utility>

#include "flow/loss/joint_weights.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/rows.hpp"

namespace fractile::flow {

Lines lines_of(const Pipeline& pipeline, const Analyst& analyst) {
  const Noise<Polynomial>& noise = pipeline.perturber.noise();
  const std::vector<Polynomial> counted = counted_numerators(pipeline, noise);
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  Lines result{{}, joint.common};
  for (std::size_t w = 0; w < joint.weights.columns(); ++w) {
    Line<Polynomial> line;
    for (std::size_t x = 0; x < joint.weights.rows(); ++x) {
      const Polynomial weight = Polynomial::constant(joint.weights(x, w));
      add_product(line.absent, weight, noise.denominator - counted[x]);
      add_product(line.present, weight, counted[x]);
    }
    if (std::ranges::find(result.lines, line) == result.lines.end()) result.lines.push_back(std::move(line));
  }
  return result;
}

CountLaw::CountLaw(const std::vector<Enclosure>& counted, const std::vector<std::size_t>& histogram)
    : stretch_(nobody()) {
  for (std::size_t value = 0; value < counted.size(); ++value) {
    if (histogram[value] == 0) continue;
    stretch_ = convolved(stretch_, binomial(counted[value], histogram[value]));
    others_ += histogram[value];
  }
  stretch_.rest = from_zero_to(stretch_.rest);
  sums_ = stretch_.sums();
}

Enclosure CountLaw::at(std::size_t y) const {
  Enclosure result = y <= others_ ? stretch_.rest : Enclosure();
  if (y < first() || y > last()) return result;
  arb_add(result.arb(), result.arb(), stretch_.mass(y - first()).arb(), law_bits);
  return result;
}

Enclosure CountLaw::between(std::size_t from, std::size_t to) const {
  const auto index = [&](std::size_t y) { return std::clamp(y, first(), last() + 1) - first(); };
  Enclosure result;
  arb_sub(result.arb(), sums_[index(to)].arb(), sums_[index(from)].arb(), law_bits);
  arb_add(result.arb(), result.arb(), stretch_.rest.arb(), law_bits);
  return result;
}

CountAmongKnown::CountAmongKnown(const Pipeline& pipeline, const Analyst& analyst)
    : counted_(counted_numerators<Polynomial>(pipeline, pipeline.perturber.noise())),
      denominator_(pipeline.perturber.noise().denominator),
      histogram_(composition_of(pipeline.secret.known, pipeline.values.size())),
      lines_(lines_of(pipeline, analyst)) {
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

std::size_t CountAmongKnown::others() const {
  std::size_t sum = 0;
  for (const std::size_t people : histogram_) sum += people;
  return sum;
}

std::vector<Enclosure> CountAmongKnown::counted_at(const Enclosure& odds) const {
  Enclosure denominator;
  arb_fmpz_poly_evaluate_arb(denominator.arb(), denominator_.get(), odds.arb(), enclosure_bits);
  std::vector<Enclosure> counted;
  counted.reserve(counted_.size());
  for (const Polynomial& numerator : counted_) counted.push_back(quotient_at(numerator, denominator, odds));
  return counted;
}

CountLaw CountAmongKnown::law_at(const Enclosure& odds) const {
  const std::vector<Enclosure> counted = counted_at(odds);
  std::vector<std::size_t> uncertain = histogram_;
  for (std::size_t value = 0; value < counted.size(); ++value) {
    if (is_zero(counted[value])) uncertain[value] = 0;  // at odds of 1
  }
  return {counted, uncertain};
}

std::vector<Line<Enclosure>> CountAmongKnown::lines_at(const Enclosure& odds) const {
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

}  // namespace fractile::flow
