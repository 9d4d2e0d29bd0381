#include "flow/windows/local_sum.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/workers.hpp"
#include "flow/algebra/bernstein_ellipse.hpp"
#include "flow/loss/target_total.hpp"
#include "flow/pipeline/additions.hpp"
#include "flow/windows/listed_loss.hpp"
#include "flow/windows/tilted_moduli.hpp"

namespace fractile::flow {
namespace {

/// If a total is 2^apart times as likely as those after which the baseline is not best, the analyst takes the baseline after it
/// throughout the cell.
constexpr double apart = 16;

/// The number in units of 2^weight, with the weight rounded.
Enclosure over(const Enclosure& a, double weight) {
  Enclosure result;
  arb_mul_2exp_si(result.arb(), a.arb(), -static_cast<std::int64_t>(weight));
  return result;
}

/// Bounds of a view's joint losses.
struct ViewBounds {
  TiltedUnit unit;   ///< at the cell's centre
  Enclosure losses;  ///< in this unit, a bound on the ellipse of the sum of all moduli, for any actions
};

/// Nothing when the bounds are too large to be useful.
std::optional<ViewBounds> view_bounds_in(const TiltedTotals& view, const TargetTotal& target, const Cell& cell) {
  const std::vector<Enclosure> moduli = tilted_moduli(view.ratio, target, cell);
  const Enclosure all = product_of_powers(moduli, target.others());  // bound of the law of the sum
  TiltedUnit unit(target, Enclosure::of(cell.centre, enclosure_bits), view.ratio);
  const Enclosure law = all / unit.expectation;
  if (!(law.upper_double() <= largest_modulus)) return {};
  return ViewBounds{std::move(unit), highest_losses(target.joint(), moduli) * law};
}

/// The laws with one tilt, at the nodes of a cell.
class LawAtNodes {
 public:
  LawAtNodes(const TargetTotal& target, const Cell& cell, const Rational& ratio)
      : unit_(target, Enclosure::of(cell.centre, enclosure_bits), ratio) {
    const std::vector<Enclosure> odds = odds_at_nodes(cell);
    sums_.resize(odds.size());
    units_.resize(odds.size());
    share_among_threads(threads_of_machine(), odds.size(), [&](std::size_t i) {
      const TiltedTotal& here = sums_[i].emplace(target, odds[i], ratio);
      arb_div(units_[i].arb(), here.expectation.arb(), unit_.expectation.arb(), enclosure_bits);
    });
  }

  /// The unit at the cell's centre.
  const TiltedUnit& unit() const { return unit_; }

  /// A joint loss in that unit. The probability that the laws leave out may be anywhere.
  LocalPolynomial loss(std::size_t action, std::size_t total) const {
    return through_nodes([&](std::size_t i) {
      Enclosure loss = sums_[i]->loss(action, total);
      arb_add(loss.arb(), loss.arb(), sums_[i]->left_out.arb(), enclosure_bits);
      arb_mul(loss.arb(), loss.arb(), units_[i].arb(), enclosure_bits);
      return loss;
    });
  }

 private:
  TiltedUnit unit_;
  std::vector<std::optional<TiltedTotal>> sums_;  // one per node
  std::vector<Enclosure> units_;                  // in units of that at the centre
};

/// Joint losses after a view's totals.
class LocalSumView {
 public:
  LocalSumView(const TiltedTotals& view, const ViewBounds& bounds, const LawAtNodes& law)
      : view_(view), bounds_(bounds), law_(law) {}

  const TiltedTotals& view() const { return view_; }
  /// A joint loss in the law's unit.
  InterpolatedLoss loss(std::size_t action, std::size_t total) const {
    const Enclosure more = bounds_.unit.after(total) / law_.unit().after(total);
    return {law_.loss(action, total), bounds_.losses * more};
  }
  /// The law's unit after a total, divided by 2^weight.
  Enclosure unit_after(std::size_t total, double weight) const { return over(law_.unit().after(total), weight); }

 private:
  const TiltedTotals& view_;
  const ViewBounds& bounds_;
  const LawAtNodes& law_;
};

/// All actions, the baseline first.
std::vector<std::size_t> actions_of(const TargetTotal& target, std::size_t baseline) {
  std::vector<std::size_t> actions(target.costs().size());
  std::iota(actions.begin(), actions.end(), 0);
  std::rotate(actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(baseline),
              actions.begin() + static_cast<std::ptrdiff_t>(baseline) + 1);
  return actions;
}

/// Whether each total is in a view or beyond the views, and the ratio of totals beyond makes those next to the views likeliest.
/// (The relevant totals are guessed in doubles; this check is exact.)
bool have_all_totals(const DecisiveTotals& sums, std::size_t last) {
  if (sums.views.empty()) return false;
  const TiltedTotals& front = sums.views.front();
  const TiltedTotals& back = sums.views.back();
  const auto is_below = [&](const TiltedTotals& view) {
    return view.first == 0 && view.last + 1 == front.first && view.ratio < 1 && front.ratio <= 1;
  };
  const auto is_above = [&](const TiltedTotals& view) {
    return view.first == back.last + 1 && view.last == last && view.ratio > 1 && back.ratio >= 1;
  };
  const bool starts = front.first == 0 || std::ranges::any_of(sums.beyond, is_below);
  const bool ends = back.last == last || std::ranges::any_of(sums.beyond, is_above);
  const bool are_on_their_sides =
      std::ranges::all_of(sums.beyond, [&](const TiltedTotals& view) { return is_below(view) || is_above(view); });
  const bool have_gaps = std::ranges::adjacent_find(sums.views, [](const TiltedTotals& a, const TiltedTotals& b) {
                           return a.last + 1 != b.first;
                         }) != sums.views.end();
  return starts && ends && are_on_their_sides && !have_gaps;
}

/// Builds the observations of a cell, with the actions among which a best one is after each.
class SumsInCell {
 public:
  SumsInCell(const TargetTotal& target, const Cell& cell, const DecisiveTotals& sums)
      : target_(target),
        cell_(cell),
        sums_(sums),
        actions_(actions_of(target, sums_.baseline)),
        totals_(reachable(additions_of(target.pipeline()), target.pipeline().participants)) {}

  /// Nothing when the cell is too wide, or totals are missing.
  std::unique_ptr<LocalLoss> loss() {
    if (!have_all_totals(sums_, totals_.back())) return nullptr;
    list_.push_back({{sums_.baseline}, {{}}, {{}}});  // there must be at least one observation
    if (!is_best_whatever_is_added() && !add_all()) return nullptr;
    return std::make_unique<ListedLoss>(std::move(list_), largest_loss(target_.joint()), sums_.baseline);
  }

 private:
  /// Whether, for each step that the target may add, the baseline costs no more than any other action; then this holds after every
  /// total.
  bool is_best_whatever_is_added() const {
    std::vector<StepCosts> at_nodes;
    at_nodes.reserve(Interpolation::nodes);
    for (const Enclosure& odds : odds_at_nodes(cell_)) at_nodes.push_back(target_.step_costs(odds));
    const Enclosure modulus = highest_losses(target_.joint(), tilted_moduli(1, target_, cell_));
    const auto cost = [&](std::size_t action, std::size_t step) {
      return InterpolatedLoss(through_nodes([&](std::size_t i) { return at_nodes[i][action][step]; }), modulus).value;
    };
    for (std::size_t step = 0; step < at_nodes.front().front().size(); ++step) {
      const LocalPolynomial usual = cost(sums_.baseline, step);
      for (const std::size_t action : others()) {
        if (!FilteredPolynomial(usual - cost(action, step)).is_at_most_everywhere(0)) return false;
      }
    }
    return true;
  }

  bool add_all() {
    std::vector<ViewBounds> bounds;
    for (const TiltedTotals& view : sums_.views) {
      checkpoint();
      std::optional<ViewBounds> here = view_bounds_in(view, target_, cell_);
      if (!here) return false;
      bounds.push_back(std::move(*here));
    }
    add_all_beyond(bounds);
    std::optional<LawAtNodes> law;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const TiltedTotals& view = sums_.views[i];
      if (!law || law->unit().ratio != view.law) law.emplace(target_, cell_, view.law);
      if (!add_all_in({view, bounds[i], *law})) return false;
    }
    return true;
  }

  /// Adds a view without listing its likely totals; returns false when the baseline may not be best after one of these.
  bool add_all_in(const LocalSumView& here) {
    const TiltedTotals& view = here.view();
    const auto first = std::ranges::lower_bound(totals_, view.first);
    const std::span totals(first, std::ranges::upper_bound(first, totals_.end(), view.last));
    std::vector<std::optional<ListedObservation>> found(totals.size());
    std::atomic<bool> is_usual = true;
    share_among_threads(threads_of_machine(), found.size(), [&](std::size_t i) {
      const std::size_t total = totals[i];
      if (!is_usual) return;
      if (view.weight(total) <= sums_.unit + apart) {
        found[i] = after(total, here);
      } else if (!is_usual_after(total, here)) {
        is_usual = false;
      }
    });
    for (std::optional<ListedObservation>& one : found) {
      if (one) list_.push_back(std::move(*one));
    }
    return is_usual;
  }

  ListedObservation after(std::size_t total, const LocalSumView& here) const {
    const Enclosure unit = here.unit_after(total, sums_.unit);
    InterpolatedLoss usual = here.loss(sums_.baseline, total);
    ListedObservation result{actions_, {}, {{}}};
    result.losses.push_back(std::move(usual.value));
    for (const std::size_t action : others()) {
      InterpolatedLoss loss = here.loss(action, total);
      result.losses.push_back(std::move(loss.value));
      result.slopes.push_back((loss.slope - usual.slope).times(unit));
    }
    return result;
  }

  bool is_usual_after(std::size_t total, const LocalSumView& here) const {
    const LocalPolynomial usual = here.loss(sums_.baseline, total).value;
    return std::ranges::all_of(others(), [&](std::size_t action) {
      return FilteredPolynomial(usual - here.loss(action, total).value).is_at_most_everywhere(0);
    });
  }

  /// Adds the totals that are in no view with bounds of all slopes that they may have.
  void add_all_beyond(const std::vector<ViewBounds>& bounds) {
    if (sums_.beyond.empty() || actions_.size() == 1) return;
    Enclosure slope;
    for (const TiltedTotals& beyond : sums_.beyond) {
      const bool is_below = beyond.first == 0;
      slope +=
          slope_beyond(is_below ? beyond.last : beyond.first, beyond.ratio, is_below ? bounds.front() : bounds.back());
    }
    const LocalPolynomial anything = LocalPolynomial().within(whole<Enclosure>(1));
    list_.push_back({{actions_[0], actions_[1]}, {anything, anything}, {{}, LocalPolynomial().within(slope)}});
  }

  /// Bounds the slope of the joint losses, minus the baseline's, after a total and all totals beyond it.
  Enclosure slope_beyond(std::size_t total, const Rational& ratio, const ViewBounds& next) const {
    Enclosure highest;  // at the nodes
    for (const Enclosure& odds : odds_at_nodes(cell_)) {
      highest = Enclosure::larger(highest, losses_beyond(target_, odds, ratio, total), enclosure_bits);
    }
    const Enclosure on_ellipse = next.losses * next.unit.after(total);
    const Enclosure slope = Interpolation::slope_within(highest) + Interpolation::slope_error(on_ellipse);
    return over(times(slope, 2), sums_.unit);
  }

  /// All actions except the baseline.
  std::span<const std::size_t> others() const { return std::span(actions_).subspan(1); }

  const TargetTotal& target_;
  const Cell& cell_;
  const DecisiveTotals& sums_;
  std::vector<std::size_t> actions_;
  std::vector<std::size_t> totals_;
  std::vector<ListedObservation> list_;
};

}  // namespace

bool has_listable_totals(const TargetTotal& target) {
  constexpr std::size_t most = 200'000;
  return target.last_total() <= most;
}

namespace {

/// Whether very unlikely decisive totals would take hours because there are too many totals: cells would become narrow, and all
/// likelier totals would be examined.
bool takes_hours(const TargetTotal& target, const DecisiveTotals& sums) {
  constexpr std::size_t few = 20'000;
  constexpr double unlikely = -100;
  return target.last_total() > few && sums.unit - sums.spread < unlikely;
}

}  // namespace

std::unique_ptr<LocalLoss> local_in_totals(const DecisiveTotals& sums, const TargetTotal& target, const Cell& cell) {
  if (!is_right_of_zero(cell)) return nullptr;
  return SumsInCell(target, cell, sums).loss();
}

std::unique_ptr<LocalLoss> local_sum(const TargetTotal& target, const Cell& cell) {
  const DecisiveTotals sums = decisive_totals(target, cell);
  if (takes_hours(target, sums)) return local_in_totals(likely_totals(target, cell), target, cell);
  if (sums.spread <= apart) {
    std::unique_ptr<LocalLoss> loss = local_in_totals(sums, target, cell);
    if (loss != nullptr) return loss;
  }
  static const Rational narrow = Rational::dyadic(1, -16);  // in case that nothing is narrow enough
  if (cell.radius > cell.centre * narrow) return nullptr;
  return local_in_totals(likely_totals(target, cell), target, cell);
}

}  // namespace fractile::flow
