#include "flow/stability/rough_totals.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "flow/loss/tilted_totals.hpp"

namespace fractile::flow {
namespace {

double log2_of(const Enclosure& value) { return value.log().to_double() / std::numbers::ln2; }

class Totals {
 public:
  Totals(const TargetTotal& sum, const Rational& odds)
      : sum_(sum), odds_(Enclosure::of(odds, enclosure_bits)), laws_(sum.step_laws(odds_)) {}

  /// Adds the totals that are likely when the probability of each total is multiplied by ratio^total.
  void add(const Rational& ratio) {
    const TiltedTotal here(sum_, odds_, ratio);
    const StepLaws steps = tilted(laws_, ratio);
    const double unit = log2_of(here.expectation);
    const double slope = log2_of(Enclosure::of(ratio));
    for (std::size_t total = here.first(); total < here.end(); ++total) {
      checkpoint();
      if (columns_.contains(total)) continue;
      Column column;
      double sum = 0;
      for (const std::vector<Enclosure>& law : steps) {
        column.direction.push_back(here.weighted(law, total).to_double());
        sum += column.direction.back();
      }
      if (!(sum > 0x1p-100)) continue;
      for (double& part : column.direction) part /= sum;
      column.magnitude = std::log2(sum) + unit - static_cast<double>(total) * slope;
      columns_.emplace(total, std::move(column));
    }
  }

  /// At most `most` columns, in order.
  RoughColumns columns(std::size_t most) const {
    const std::size_t stride = (columns_.size() + most - 1) / most;
    RoughColumns result;
    std::size_t place = 0;
    for (const auto& [total, column] : columns_) {
      const bool is_last = place + 1 == columns_.size();
      if (place++ % stride != 0 && !is_last) continue;
      result.directions.push_back(column.direction);
      result.magnitudes.push_back(column.magnitude);
    }
    return result;
  }

 private:
  struct Column {
    std::vector<double> direction = {};
    double magnitude = 0;
  };

  const TargetTotal& sum_;
  Enclosure odds_;
  StepLaws laws_;
  std::map<std::size_t, Column> columns_;
};

}  // namespace

RoughColumns likely_totals(const TargetTotal& sum, const Rational& odds) {
  Totals totals(sum, odds);
  totals.add(1);
  return totals.columns(sum.last_total() + 1);
}

RoughColumns all_totals(const TargetTotal& sum, const Rational& odds) {
  constexpr std::size_t most_entries = 12'000;
  Totals totals(sum, odds);
  Rational last = 0;
  for (const TiltedTotals& view : tilted_totals(sum, odds)) {
    if (std::exchange(last, view.law) != view.law) totals.add(view.law);
  }
  return totals.columns(most_entries / sum.laws().size());
}

}  // namespace fractile::flow
