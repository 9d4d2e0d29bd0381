#include "quantiles/stages/cuts.hpp"

#include <algorithm>
#include <numeric>

#include "exact/lists.hpp"
#include "quantiles/joint/base_measure.hpp"
#include "quantiles/stages/interpolation.hpp"

namespace fractile {

namespace {

/// The cut next to the farthest lies beyond the outermost selected candidate: by the distance `apart` between these candidates, or
/// half way to the end if that is nearer.
std::uint64_t far_out(std::uint64_t to_the_end, std::uint64_t apart) {
  const std::uint64_t half = to_the_end - to_the_end / 2;
  return apart == 0 ? half : std::min(apart, half);
}

/// The distance of the farthest cut from an end of the range, given the distances of the points from that end, the outermost first.
/// The cut is 15/16 of the way from the outermost point to the end. With few records, the outermost point may be drawn to the end
/// itself. So the other points count as well, each by 1/4 less than the one before. A single point may lie far from all records, in a gap
/// between them, so its cut is farther out: 127/128 of the way.
std::uint64_t from_the_end(const std::vector<std::uint64_t>& distances, bool is_single) {
  const std::size_t first = is_single ? 7 : 4;
  std::uint64_t farthest = 0;
  for (std::size_t i = 0; i < distances.size() && i < 16; ++i) {
    farthest = std::max(farthest, distances[i] >> (first + 2 * i));
  }
  return farthest;
}

/// For a lower end, the first target of the quantile 0; for an upper end, the last target of the quantile 1.
bool is_farthest(const std::vector<CutTarget>& cuts, std::size_t i) {
  return (i == 0 && cuts[i].quantile == Rational(0)) || (i + 1 == cuts.size() && cuts[i].quantile == Rational(1));
}

void place_farthest(std::vector<std::uint64_t>& places, const std::vector<CutTarget>& cuts,
                    std::vector<std::uint64_t> points, std::uint64_t largest) {
  if (is_farthest(cuts, 0)) places.front() = from_the_end(points, points.size() == 1);
  if (!is_farthest(cuts, cuts.size() - 1)) return;
  std::ranges::reverse(points);
  for (std::uint64_t& point : points) point = largest - point;
  places.back() = largest - from_the_end(points, points.size() == 1);
}

/// The farthest cut of one kind may be inside other cuts of this kind, but not inside cuts of the other kind, whose places it would
/// take. In that case there is a tie at the end of the range, and the cut is placed 15/16 of the way from the outermost point.
void keep_farthest_outside(std::vector<Position>& at, const std::vector<CutTarget>& cuts,
                           const std::vector<std::uint64_t>& points, std::uint64_t largest) {
  const std::size_t last = cuts.size() - 1;
  const auto is_passed = [&](IntervalEnd other, auto&& passes) {
    for (std::size_t i = 0; i <= last; ++i) {
      if (cuts[i].end == other && passes(at[i])) return true;
    }
    return false;
  };
  if (is_farthest(cuts, 0) && is_passed(IntervalEnd::upper, [&](Position cut) { return cut < at.front(); })) {
    at.front() = 2 * from_the_end({points.front()}, false) + 1;
  }
  if (is_farthest(cuts, last) && is_passed(IntervalEnd::lower, [&](Position cut) { return cut > at.back(); })) {
    at.back() = 2 * (largest - from_the_end({largest - points.back()}, false)) + 2;
  }
}

/// The candidates of all cuts except those far out, by linear interpolation.
std::vector<std::uint64_t> candidates_of_cuts(const std::vector<CutTarget>& cuts, const Brackets& brackets,
                                              const std::vector<std::uint64_t>& selected,
                                              const std::vector<std::uint64_t>& points, std::uint64_t largest) {
  const std::vector<Rational> targets = mapped(cuts, &CutTarget::quantile);
  std::vector<std::uint64_t> places(cuts.size(), selected.front());
  if (selected.size() > 1) places = interpolated(targets, brackets.selected, selected, largest);
  const std::uint64_t apart = selected.back() - selected.front();
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i].quantile == Rational(0)) places[i] = selected.front() - far_out(selected.front(), apart);
    if (cuts[i].quantile == Rational(1)) places[i] = selected.back() + far_out(largest - selected.back(), apart);
  }
  place_farthest(places, cuts, points, largest);
  return places;
}

/// The coarsest grid of round numbers that holds at least four, and at least three in five, of the selected candidates. Zero does
/// not count, and a candidate that is selected twice counts twice. If a column is at least ten times finer than the grid and has
/// hardly any ties, so many are on the grid in less than one release of 700. On a grid of every second candidate they often are by
/// chance, which moves a cut by at most one candidate.
std::optional<RoundGrid> grid_of(const std::vector<std::uint64_t>& selected, const Lattice& lattice) {
  const std::optional<std::uint64_t> zero = zero_of(lattice);
  std::optional<RoundGrid> coarsest;
  for (const RoundGrid& grid : round_grids(lattice)) {
    std::size_t all = 0;
    std::size_t on_it = 0;
    std::size_t again = 0;
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (selected[i] == zero) continue;
      ++all;
      if (!grid.contains(selected[i])) continue;
      ++on_it;
      if (i > 0 && selected[i] == selected[i - 1]) ++again;
    }
    if (on_it >= 4 && 5 * (on_it + again) >= 3 * all) coarsest = grid;
  }
  return coarsest;
}

/// Moves inwards to the next candidate of the grid, since a column on the grid has no values in between; unless a selected
/// candidate is nearer.
std::uint64_t rounded_inwards(std::uint64_t candidate, IntervalEnd end, const RoundGrid& grid,
                              const std::vector<std::uint64_t>& selected) {
  const std::uint64_t past = candidate < grid.offset ? 0 : (candidate - grid.offset) % grid.stride;
  if (end == IntervalEnd::lower) {
    const std::uint64_t up = candidate < grid.offset ? grid.offset : candidate + (past == 0 ? 0 : grid.stride - past);
    const auto next = std::ranges::lower_bound(selected, candidate);
    return next != selected.end() && up <= *next ? up : candidate;
  }
  const auto next = std::ranges::upper_bound(selected, candidate);
  return next != selected.begin() && candidate - past >= *(next - 1) ? candidate - past : candidate;
}

/// Where a point ties with the next selected candidate on the other side, the tie may also reach to this side. So the innermost cut
/// of the end is moved there, and the end need not lie farther out.
void move_to_ties(std::vector<std::uint64_t>& places, const Brackets& brackets,
                  const std::vector<std::uint64_t>& selected, const std::vector<std::uint64_t>& points) {
  for (std::size_t owner = 0; owner < points.size(); ++owner) {
    const Rational& q = brackets.wanted[owner];
    const auto before = std::ranges::lower_bound(brackets.selected, q) - brackets.selected.begin();
    const auto after = std::ranges::upper_bound(brackets.selected, q) - brackets.selected.begin();
    const auto is_tied = [&](std::ptrdiff_t k) {
      return k >= 0 && k < std::ssize(selected) && selected[static_cast<std::size_t>(k)] == points[owner];
    };
    const auto is_of = [&](IntervalEnd end) {
      return [=](const CutTarget& cut) { return cut.owner == owner && cut.end == end; };
    };
    const auto first_upper = std::ranges::find_if(brackets.cuts, is_of(IntervalEnd::upper));
    if (first_upper != brackets.cuts.end() && is_tied(before - 1)) {
      places[static_cast<std::size_t>(first_upper - brackets.cuts.begin())] = points[owner];
    }
    const auto last_lower = std::find_if(brackets.cuts.rbegin(), brackets.cuts.rend(), is_of(IntervalEnd::lower));
    if (last_lower != brackets.cuts.rend() && is_tied(after)) {
      places[static_cast<std::size_t>(brackets.cuts.rend() - last_lower) - 1] = points[owner];
    }
  }
}

/// Between two selected candidates that are both selected again, hence ties, few records are expected, and one cut will do. The others move
/// to it.
void thin_between_ties(std::vector<Position>& at, const std::vector<std::size_t>& in_order,
                       const std::vector<std::uint64_t>& selected) {
  const auto is_tied = [&](std::size_t k) {
    return (k > 0 && selected[k - 1] == selected[k]) || (k + 1 < selected.size() && selected[k + 1] == selected[k]);
  };
  for (std::size_t k = 0; k + 1 < selected.size(); ++k) {
    if (selected[k] == selected[k + 1] || !is_tied(k) || !is_tied(k + 1)) continue;
    std::vector<std::size_t> between;
    for (const std::size_t target : in_order) {
      if (at[target] > 2 * selected[k] + 2 && at[target] < 2 * selected[k + 1] + 1) between.push_back(target);
    }
    for (const std::size_t target : between) at[target] = at[between[between.size() / 2]];
  }
}

/// Whether records can lie on either side of this cut, between the cut before it and the end of the range.
bool divides_more(Position cut, const std::vector<Position>& before, const Lattice& lattice) {
  // On a regular lattice, all records are at odd positions.
  const auto candidate = [&](Position at) { return lattice.is_regular() ? at / 2 : at; };
  return candidate(cut) > candidate(before.empty() ? 1 : before.back()) && cut < 2 * lattice.size();
}

}  // namespace

std::vector<std::uint64_t> points_among(const std::vector<std::uint64_t>& selected, const Brackets& brackets,
                                        const Lattice& lattice) {
  if (selected.size() < 2) return selected;
  return interpolated(brackets.wanted, brackets.selected, selected, lattice.size() - 1);
}

PlacedCuts cuts_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice) {
  PlacedCuts placed;
  if (brackets.cuts.empty()) return placed;
  placed.grid = grid_of(selected, lattice);
  const std::vector<std::uint64_t> points = points_among(selected, brackets, lattice);
  std::vector<std::uint64_t> places = candidates_of_cuts(brackets.cuts, brackets, selected, points, lattice.size() - 1);
  move_to_ties(places, brackets, selected, points);
  std::vector<Position> at;  // by target
  Position lower = 0;
  Position upper = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const IntervalEnd end = brackets.cuts[i].end;
    const std::uint64_t place = placed.grid ? rounded_inwards(places[i], end, *placed.grid, selected) : places[i];
    const Position there = end == IntervalEnd::lower ? 2 * place + 1 : 2 * place + 2;
    if (is_farthest(brackets.cuts, i)) {
      at.push_back(there);
    } else if (end == IntervalEnd::lower) {
      at.push_back(lower = std::max(lower, there));
    } else {
      at.push_back(upper = std::max({upper, lower, there}));
    }
  }
  if (!points.empty()) keep_farthest_outside(at, brackets.cuts, points, lattice.size() - 1);
  std::vector<std::size_t> in_order(at.size());
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  std::ranges::stable_sort(in_order, {}, [&](std::size_t target) { return at[target]; });
  if (brackets.leaves_out_cuts) thin_between_ties(at, in_order, selected);
  for (const std::size_t target : in_order) {
    if (!brackets.leaves_out_cuts || divides_more(at[target], placed.positions, lattice)) {
      placed.positions.push_back(at[target]);
      placed.targets.push_back(target);
    }
    placed.cells_below.push_back(std::max<std::size_t>(placed.positions.size(), 1));
  }
  return placed;
}

std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts) {
  std::vector<std::int64_t> counts;
  std::uint64_t before = 0;
  std::size_t k = 0;
  for (const Position cut : cuts) {
    while (k < profile.distinct() && profile.position(k) < cut) ++k;
    counts.push_back(static_cast<std::int64_t>(profile.cumulative(k) - before));
    before = profile.cumulative(k);
  }
  counts.push_back(static_cast<std::int64_t>(profile.records() - before));
  return counts;
}

}  // namespace fractile
