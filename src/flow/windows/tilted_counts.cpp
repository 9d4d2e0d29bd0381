#include "flow/windows/tilted_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "flow/loss/total_in_doubles.hpp"

namespace fractile::flow {
namespace {

/// a - b, approximately.
double difference(const Enclosure& a, const Enclosure& b) { return Enclosure::difference(a, b, law_bits).to_double(); }

StepCosts costs_at(const TargetTotal& count, const Rational& odds) {
  return count.step_costs(Enclosure::of(odds, enclosure_bits));
}

/// The action that costs least where Q(y - 1) = Q(y).
std::size_t usual_action(const StepCosts& costs) {
  const auto sum = [](const std::vector<Enclosure>& cost) { return cost[0].to_double() + cost[1].to_double(); };
  return static_cast<std::size_t>(std::ranges::min_element(costs, {}, sum) - costs.begin());
}

/// Ratios Q(y - 1) : Q(y) between which the baseline is best.
struct Ratios {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
};

/// The law of counts at some odds, in doubles; it is a guess.
class GlanceAtCounts {
 public:
  GlanceAtCounts(const TargetTotal& count, const Rational& odds, std::size_t baseline) : law_(count, odds) {
    const StepCosts costs = costs_at(count, odds);
    for (const std::vector<Enclosure>& cost : costs) {
      // How much more the action costs than the baseline per unit of Q(y), and per unit of Q(y - 1).
      const double absent = difference(cost[0], costs[baseline][0]);
      const double present = difference(cost[1], costs[baseline][1]);
      if (absent < 0 && present > 0) ratios_.low = std::max(ratios_.low, -absent / present);
      if (absent > 0 && present < 0) ratios_.high = std::min(ratios_.high, -absent / present);
    }
  }

  const Ratios& ratios() const { return ratios_; }

  /// The mean count when all odds of being counted are multiplied by the ratio. Around that count, Q(y - 1) : Q(y) equals the
  /// ratio.
  double mean(double ratio) const { return law_.at(std::log(ratio)).tilted_mean; }

 private:
  TotalInDoubles law_;
  Ratios ratios_;
};

/// Sets the common unit to the largest unit of the views.
void compare_units(const TargetTotal& count, const Cell& cell, DecisiveCounts& all) {
  std::vector<Enclosure> units;
  for (TiltedCounts& view : all.views) {
    const TiltedUnit unit(count, Enclosure::of(cell.centre, enclosure_bits), view.ratio);
    view.expectation = unit.expectation;
    units.push_back(unit.after(view.reference));
    if (arb_gt(units.back().arb(), all.unit.arb()) != 0) all.unit = units.back();
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    all.views[i].share = Enclosure::quotient(units[i], all.unit, law_bits);
  }
}

}  // namespace

DecisiveCounts all_counts(const TargetTotal& count, const Cell& cell) {
  DecisiveCounts result{usual_action(costs_at(count, cell.centre)), {{0, count.other_people() + 1}}};
  compare_units(count, cell, result);
  return result;
}

namespace {

/// The place of the mean count in a cell when odds are multiplied such that another action becomes as good as the baseline. At some
/// odds there may be no such action; then the place is one end of all counts.
class Threshold {
 public:
  explicit Threshold(double mean_of_none) : mean_of_none_(mean_of_none) {}

  void add(const GlanceAtCounts& glance, double ratio) {
    const bool is_none = !(ratio > 0) || !std::isfinite(ratio);
    const double mean = is_none ? mean_of_none_ : glance.mean(ratio);
    if (!is_none) ratio_ = ratio;
    lowest_ = std::min(lowest_, mean);
    highest_ = std::max(highest_, mean);
  }
  bool is_there() const { return ratio_ > 0; }
  /// The ratio that was added last.
  double ratio() const { return ratio_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double spread() const { return (highest_ - lowest_) * std::abs(std::log2(ratio_)); }

 private:
  double mean_of_none_;
  double ratio_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -1;
};

}  // namespace

std::optional<DecisiveCounts> tail_counts(const TargetTotal& count, const Cell& cell) {
  constexpr double room = 1.25;  // the likeliest count is closer to the mean than this
  const std::size_t baseline = usual_action(costs_at(count, cell.centre));
  const GlanceAtCounts left(count, cell.odds_at(-1), baseline);
  const GlanceAtCounts middle(count, cell.centre, baseline);
  const GlanceAtCounts right(count, cell.odds_at(1), baseline);
  const std::size_t all = count.other_people() + 1;
  Threshold low(0);
  Threshold high(static_cast<double>(all - 1));
  for (const GlanceAtCounts* here : {&left, &right, &middle}) {
    low.add(*here, here->ratios().low);
    high.add(*here, here->ratios().high);
  }
  const double usual = middle.mean(1);
  if (low.is_there() && low.highest() + 2 * room >= usual) return {};
  if (high.is_there() && high.lowest() - 2 * room <= usual) return {};

  DecisiveCounts result{baseline, {}};
  if (low.is_there()) {
    const auto end = static_cast<std::size_t>(std::ceil(low.highest() + room));
    result.views.push_back({0, end, ratio_of(std::log(low.ratio())), end});
    result.spread = low.spread();
  }
  if (high.is_there()) {
    const auto begin = std::min(all, static_cast<std::size_t>(std::floor(high.lowest() - room)));
    result.views.push_back({begin, all, ratio_of(std::log(high.ratio())), begin - 1});
    result.spread = std::max(result.spread, high.spread());
  }
  compare_units(count, cell, result);
  return result;
}

// Q(y) = expectation ratio^-y T(y), where T is the tilted law.
RunningLaw tilted_count_law(const TargetTotal& count, const TiltedCounts& view, const Enclosure& odds) {
  const TiltedTotal here(count, odds, view.ratio);
  const TruncatedLaw& law = here.others;
  const Enclosure unit = Enclosure::quotient(here.expectation, view.expectation, law_bits);
  const Enclosure ratio = Enclosure::of(view.ratio, law_bits);
  const bool is_above = law.first > view.reference;
  const std::size_t distance = is_above ? law.first - view.reference : view.reference - law.first;
  Enclosure weight = Enclosure::power(ratio, distance, law_bits);  // unit ratio^(reference - y)
  if (is_above) arb_inv(weight.arb(), weight.arb(), law_bits);
  arb_mul(weight.arb(), weight.arb(), unit.arb(), law_bits);
  std::vector<Enclosure> sums(1);
  sums.reserve(law.size + 1);
  for (std::size_t i = 0; i < law.size; ++i) {
    Enclosure sum = sums.back();
    if (view.matters(law.first + i)) arb_addmul(sum.arb(), weight.arb(), law.mass(i).arb(), law_bits);
    sums.push_back(std::move(sum));
    if (view.ratio != 1) arb_div(weight.arb(), weight.arb(), ratio.arb(), law_bits);
  }
  return {law.first, std::move(sums), Enclosure::product(unit, law.rest, law_bits)};
}

}  // namespace fractile::flow
