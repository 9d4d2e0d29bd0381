#include "quantiles/stages/independent.hpp"

#include <algorithm>

#include "exact/law.hpp"
#include "exact/tiled_selection.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "quantiles/draws/calibration.hpp"
#include "ranks/tiles.hpp"

namespace fractile {
namespace {

Rational number_of(std::size_t quantiles) {
  if (quantiles == 0) {
    throw Error(ErrorCode::usage, "no quantiles",
                {"write for example ", Field("quantiles").numbers({"0.25", "0.5", "0.75"})}, "quantiles");
  }
  return static_cast<std::int64_t>(quantiles);
}

constexpr std::uint64_t subcells = 1;  // nothing is split

/// All candidates, with the scores of one quantile.
CandidateCursor candidates_of(const RankProfile& profile, const Rational& quantile) {
  return {profile, whole_span(profile, subcells), subcells, QuantileFraction::of(quantile)};
}

CandidateTiles candidate_tiles_of(const RankProfile& profile, const Rational& quantile) {
  const RankSpan span = whole_span(profile, subcells);
  return {profile, span, subcells, QuantileFraction::of(quantile), tiles_for(profile.distinct())};
}

/// Runs of one candidate each.
std::vector<Run> candidates_one_by_one(const RankProfile& profile, const Rational& quantile) {
  std::vector<Run> candidates;
  for (const Run& run : runs_of(candidates_of(profile, quantile))) {
    for (std::uint64_t i = 0; i < run.length; ++i) candidates.push_back({run.start + i, 1, run.score});
  }
  return candidates;
}

}  // namespace

Exponent independent_range_pure(const Exponent& epsilon, std::size_t quantiles) {
  return epsilon / number_of(quantiles);
}

Exponent independent_range_zcdp(const Rational& rho, std::size_t quantiles) {
  return sqrt_down(Rational(8) * rho / number_of(quantiles));
}

Exponent independent_range_approximate(const Exponent& epsilon, const Rational& delta, std::size_t quantiles) {
  return largest_bounded_range_composed(quantiles, epsilon, delta);
}

Exponent independent_range(const QuantileQuery& query) {
  const Budget& budget = query.budget;
  switch (budget.measure()) {
    case Measure::pure:
      return independent_range_pure(budget.epsilon(), query.quantiles.size());
    case Measure::zcdp:
      return independent_range_zcdp(budget.rho(), query.quantiles.size());
    case Measure::approximate:
      return independent_range_approximate(budget.epsilon(), budget.delta(), query.quantiles.size());
  }
  throw Error(ErrorCode::internal, "a measure that does not exist");
}

Exponent IndependentQuantiles::rate(std::size_t quantile) const {
  const std::uint64_t record = score_range(QuantileFraction::of(quantiles[quantile]), neighbors);
  return range / (Rational(record) * Rational(records_per_person));
}

SelectionPrice IndependentQuantiles::price(std::size_t quantile) const {
  const QuantileFraction alpha = QuantileFraction::of(quantiles[quantile]);
  return {rate(quantile), score_range(alpha, Neighbors::add_remove), score_range(alpha, Neighbors::change_one)};
}

std::vector<std::uint64_t> sample_independent(const RankProfile& profile, const IndependentQuantiles& query,
                                              PaidPart part) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) {
    const auto outcomes = [&] { return candidates_one_by_one(profile, query.quantiles[i]); };
    const TileSelection selection(candidate_tiles_of(profile, query.quantiles[i]), outcomes);
    result.push_back(part.select(selection, query.price(i)));
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace fractile
