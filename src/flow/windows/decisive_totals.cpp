#include "flow/windows/decisive_totals.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/workers.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/loss/total_in_doubles.hpp"

namespace fractile::flow {
namespace {

/// The first of the actions that probably cost least.
std::size_t best_after(const TiltedTotal& sum, std::size_t total) {
  std::size_t best = 0;
  Enclosure least = sum.loss(0, total);
  for (std::size_t action = 1; action < sum.costs.size(); ++action) {
    Enclosure loss = sum.loss(action, total);
    if (arf_cmp(arb_midref(loss.arb()), arb_midref(least.arb())) >= 0) continue;
    best = action;
    least = std::move(loss);
  }
  return best;
}

/// Whether another action is certainly better.
bool speaks_against(std::size_t baseline, const TiltedTotal& sum, std::size_t total) {
  const Enclosure usual = sum.loss(baseline, total);
  for (std::size_t action = 0; action < sum.costs.size(); ++action) {
    if (action != baseline && certainly_less(sum.loss(action, total), usual)) return true;
  }
  return false;
}

/// The index of the view with a ratio of 1.
std::size_t home_of(const std::vector<TiltedTotals>& views) {
  return static_cast<std::size_t>(std::ranges::find(views, Rational(1), &TiltedTotals::ratio) - views.begin());
}

/// The totals and their probabilities, roughly and at some odds.
class GlanceAtSums {
 public:
  GlanceAtSums(const TargetTotal& target, const std::vector<TiltedTotals>& views, const Rational& odds)
      : target_(target), views_(views), odds_(Enclosure::of(odds, enclosure_bits)) {}

  std::size_t usual_action() {
    const TiltedTotal& sum = with(1);
    return best_after(sum, (sum.first() + sum.end()) / 2);
  }

  /// The weight of the likeliest total after which the baseline is not best, if there is one.
  std::optional<double> heaviest_against(std::size_t baseline) {
    auto above = views_.begin() + static_cast<std::ptrdiff_t>(home_of(views_));
    auto below = above;  // the view before
    double heaviest = log_of_zero;
    for (;;) {
      checkpoint();
      const double next_above = above != views_.end() ? above->weight(above->first) : log_of_zero;
      const double next_below =
          below != views_.begin() ? std::prev(below)->weight(std::prev(below)->last) : log_of_zero;
      if (std::max(next_above, next_below) <= heaviest) break;
      const TiltedTotals& next = next_above >= next_below ? *above++ : *--below;
      const TiltedTotal& sum = with(next.law);
      for (std::size_t total = next.first; total <= next.last; ++total) {
        if (next.weight(total) > heaviest && speaks_against(baseline, sum, total)) heaviest = next.weight(total);
      }
    }
    if (heaviest == log_of_zero) return {};
    return heaviest;
  }

 private:
  const TiltedTotal& with(const Rational& law) {
    const auto [place, is_new] = sums_.try_emplace(law.to_string());
    if (is_new) place->second.emplace(target_, odds_, law);
    return *place->second;
  }

  const TargetTotal& target_;
  const std::vector<TiltedTotals>& views_;
  Enclosure odds_;
  std::map<std::string, std::optional<TiltedTotal>> sums_;
};

constexpr double negligible = 112;  // how far a negligible weight is below the unit

/// A view of totals first .. last, which may go beyond `view`.
TiltedTotals part_of(const TiltedTotals& view, std::size_t first, std::size_t last) {
  return {view.ratio, view.law, first, last, view.unit, view.slope};
}

/// Leaves out totals of less weight than `least`, which are at the ends.
void leave_out(DecisiveTotals& sums, double least) {
  const std::size_t last = sums.views.back().last;
  const std::vector<TiltedTotals> all = std::exchange(sums.views, {});
  for (TiltedTotals view : all) {
    while (view.slope < 0 && view.first <= view.last && view.weight(view.first) < least) ++view.first;
    const std::size_t end = view.last + 1;
    while (view.slope > 0 && view.first <= view.last && view.weight(view.last) < least) --view.last;
    if (view.slope < 0 && view.first > 0 && sums.views.empty()) sums.beyond = {part_of(view, 0, view.first - 1)};
    if (view.first <= view.last) sums.views.push_back(view);
    if (view.last + 1 < end) {
      sums.beyond.push_back(part_of(view, view.last + 1, last));
      return;
    }
  }
}

/// Extends a view over totals beyond it that, computed in the view, are not much likelier than the unit; they need no better view.
void join_light_ones(DecisiveTotals& sums) {
  const double light = sums.unit + 4;
  std::size_t first = home_of(sums.views);
  std::size_t last = first;
  while (first > 0 && sums.views[first].weight(sums.views[first - 1].last) >= light) --first;
  while (last + 1 < sums.views.size() && sums.views[last].weight(sums.views[last + 1].first) >= light) ++last;
  sums.views[first].first = sums.views.front().first;
  sums.views[last].last = sums.views.back().last;
  sums.views = std::vector<TiltedTotals>(sums.views.begin() + static_cast<std::ptrdiff_t>(first),
                                         sums.views.begin() + static_cast<std::ptrdiff_t>(last) + 1);
}

/// At some odds of the cell: the weight of the likeliest total after which the baseline is not best.
std::vector<std::optional<double>> glances(const TargetTotal& target, const std::vector<TiltedTotals>& views,
                                           const Cell& cell, std::size_t baseline) {
  const std::vector<Rational> places{-1, 0, 1};
  std::vector<std::optional<double>> heaviest(places.size());
  share_among_threads(threads_of_machine(), places.size(), [&](std::size_t i) {
    heaviest[i] = GlanceAtSums(target, views, cell.odds_at(places[i])).heaviest_against(baseline);
  });
  return heaviest;
}

}  // namespace

DecisiveTotals decisive_totals(const TargetTotal& target, const Cell& cell) {
  DecisiveTotals sums{0, log_of_zero, 0, tilted_totals(target, cell.centre)};
  sums.baseline = GlanceAtSums(target, sums.views, cell.centre).usual_action();
  const auto heaviest = glances(target, sums.views, cell, sums.baseline);
  double lowest = -log_of_zero;
  for (const std::optional<double>& weight : heaviest) {
    sums.unit = std::max(sums.unit, weight.value_or(log_of_zero));
    lowest = std::min(lowest, weight.value_or(-log_of_zero));
  }
  if (sums.unit == log_of_zero) {
    const TiltedTotals& front = sums.views.front();
    const TiltedTotals& back = sums.views.back();
    sums.unit = std::min(front.weight(front.first), back.weight(back.last));
    return sums;
  }
  sums.spread = sums.unit - lowest;
  // At other odds of the cell, the baseline may be best after all totals, which cannot be seen if some totals are left out.
  const bool are_everywhere = std::ranges::all_of(heaviest, [](const auto& weight) { return weight.has_value(); });
  if (are_everywhere) {
    leave_out(sums, sums.unit - negligible);
    join_light_ones(sums);
  }
  return sums;
}

DecisiveTotals likely_totals(const TargetTotal& target, const Cell& cell) {
  DecisiveTotals sums{0, 0, 0, tilted_totals(target, cell.centre)};
  sums.baseline = GlanceAtSums(target, sums.views, cell.centre).usual_action();
  leave_out(sums, sums.unit - negligible);
  join_light_ones(sums);
  return sums;
}

}  // namespace fractile::flow
