#include "quantiles/release/release_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/joint_loss.hpp"
#include "quantiles/stages/granularity.hpp"
#include "quantiles/stages/heaping.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {
namespace {

constexpr int far_away_log = 200;  // terms below exp(-200) times the heaviest are negligible

/// What an analyst loses at most among this many records.
Rational largest_loss(const ReleaseAnalyst& analyst, std::uint64_t rows) {
  return analyst.loss == ReleaseAnalyst::Loss::missed_records ? Rational(rows) : Rational(1);
}

std::map<std::uint64_t, uint128> masses_of(const KnownTable& table, const QuantileFraction& alpha,
                                           const BaseMeasure& weights) {
  const std::uint64_t records = table.records();
  std::map<std::uint64_t, uint128> masses;
  visit_cells(table, [&](const KnownCell& cell) {
    masses[interval_score(alpha, cell.below, cell.equal, records)] += weights.mass(cell.from, cell.to);
  });
  return masses;
}

/// An outcome of the preliminary selections from a table, and its probability.
struct FoundBefore {
  PreliminaryOutcome found;
  Enclosure probability;
};

/// The probability of each outcome of a selection with these scores and multiplicities; negligible outcomes are left out.
std::vector<std::pair<std::size_t, Enclosure>> chances_of(const std::vector<std::uint64_t>& scores,
                                                          const std::vector<std::uint64_t>& multiplicities,
                                                          const Exponent& rate) {
  constexpr double next_to_none = 0x1p-70;
  const std::uint64_t least = *std::ranges::min_element(scores);
  std::vector<Enclosure> weights;
  Enclosure sum;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Enclosure exponent = Enclosure::of(rate, guess_bits) * Enclosure::of_whole(uint128{scores[i] - least});
    weights.push_back(Enclosure::of_whole(multiplicities[i]) * (-exponent).exp());
    sum += weights.back();
  }
  std::vector<std::pair<std::size_t, Enclosure>> chances;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Enclosure chance = weights[i] / sum;
    if (chance.upper_double() >= next_to_none) chances.emplace_back(i, std::move(chance));
  }
  return chances;
}

/// All outcomes that are not negligible.
std::vector<FoundBefore> found_before(const QuantilePlan& plan, const RankProfile& table) {
  const Calibration calibration = preliminary_calibration(plan.query);
  std::vector<FoundBefore> grids;
  const std::vector<Stage> first = plan.stages();
  if (const auto* finds = stage_in<FindGranularity>(first)) {
    for (const auto& [i, chance] :
         chances_of(granularity_scores(table, finds->grids), granularity_multiplicities(finds->grids.size()),
                    granularity_rate(calibration))) {
      PreliminaryOutcome found;
      if (i > 0) found.grid = finds->grids[i - 1];
      grids.push_back({found, chance});
    }
  } else {
    grids.push_back({PreliminaryOutcome{}, enclosed(1)});
  }
  std::vector<FoundBefore> all;
  for (const FoundBefore& grid : grids) {
    const std::vector<Stage> stages = plan.stages(grid.found);
    const auto* finds = stage_in<FindHeaps>(stages);
    if (finds == nullptr) {
      all.push_back(grid);
      continue;
    }
    std::vector<std::uint64_t> lengths(finds->heaps.size() + 1, 1);
    lengths.front() = no_heaps_length;
    for (const auto& [i, chance] :
         chances_of(heaping_scores(table, finds->heaps), lengths, heaping_rate(calibration))) {
      FoundBefore both{grid.found, grid.probability * chance};
      if (i > 0) both.found.heaps = finds->heaps[i - 1].grid;
      all.push_back(std::move(both));
    }
  }
  return all;
}

/// The selection, if it is all that these stages do after the preliminary ones.
const SelectQuantiles* only_selection(const std::vector<Stage>& stages) {
  const bool is_more = std::ranges::any_of(stages, [](const Stage& stage) {
    return !std::holds_alternative<FindGranularity>(stage) && !std::holds_alternative<FindHeaps>(stage) &&
           !std::holds_alternative<SelectQuantiles>(stage);
  });
  const auto* selection = stage_in<SelectQuantiles>(stages);
  if (is_more || selection == nullptr) return nullptr;
  const bool is_at_once = selection->released.size() == 1 ||
                          (selection->shape.widths.size() == 1 && selection->shape.kind != NodeKind::single);
  return is_at_once ? selection : nullptr;
}

ScoreLaw law_of(const QuantileQuery& rest, const SelectQuantiles& selection, const KnownTable& table) {
  const Calibration calibration(rest, selection.levels);
  const QuantileFraction alpha = QuantileFraction::of(selection.released.front());
  const Exponent rate = calibration.rate(alpha, true);
  const BaseMeasure weights(0, table.candidates - 1, 1, {}, selection.shape.numbers, selection.shape.origin);
  ScoreLaw law{masses_of(table, alpha, weights), rate.is_log() ? Rational(0) : rate.coefficient(), alpha.denominator};
  if (law.rate.sign() <= 0) throw Error(ErrorCode::internal, "the rate of a rational epsilon is not rational");
  return law;
}

}  // namespace

std::optional<ScoreLaw> only_law(QuantileQuery query, const Lattice& lattice, const KnownTable& table,
                                 const Rational& epsilon) {
  query.budget = Budget::pure(epsilon);
  const QuantilePlan plan = plan_of(query, lattice);
  const std::vector<Stage> stages = plan.stages();
  const SelectQuantiles* const selection = only_selection(stages);
  if (selection == nullptr || selection->released.size() != 1 || stages.size() != 1) return {};
  return law_of(plan.query, *selection, table);
}

LossOfRelease::LossOfRelease(const ScoreLaw& law, Rational rate_of_one, const ReleaseAnalyst& analyst,
                             std::uint64_t rows)
    : law_(law), rate_of_one_(std::move(rate_of_one)), analyst_(analyst), rows_(rows) {}

double LossOfRelease::roughly(double epsilon) const {
  const double rate = rate_of_one_.to_double() * epsilon;
  const std::uint64_t least = law_.masses.begin()->first;
  double sum = 0;
  double lost = 0;
  for (const auto& [score, mass] : law_.masses) {
    const double exponent = static_cast<double>(score - least) * rate;
    if (exponent > 700) break;
    const double weight = static_cast<double>(mass) * std::exp(-exponent);
    sum += weight;
    lost += weight * rough_loss(score);
  }
  return lost / sum;
}

Enclosure LossOfRelease::at(const Rational& epsilon) const {
  const Enclosure rate = enclosed(rate_of_one_ * epsilon);
  const double rough = rate.lower_double();
  const std::uint64_t least = law_.masses.begin()->first;
  Enclosure sum;
  Enclosure lost;
  uint128 far_away = 0;
  for (const auto& [score, mass] : law_.masses) {
    if (static_cast<double>(score - least) * rough > far_away_log) {
      far_away += mass;
      continue;
    }
    const Enclosure weight = Enclosure::of_whole(mass) * (-(rate * Enclosure::of_whole(uint128{score - least}))).exp();
    sum += weight;
    lost += weight * enclosed(loss_of(score));
  }
  const Enclosure rest = hull(Enclosure(), scaled(Enclosure::of_whole(far_away), -288));  // exp(-200) < 2^-288
  return (lost + rest * enclosed(largest_loss(analyst_, rows_))) / (sum + rest);
}

Rational LossOfRelease::loss_of(std::uint64_t score) const {
  const Rational missed = Rational(score) / Rational(law_.denominator);
  if (analyst_.loss == ReleaseAnalyst::Loss::missed_records) return missed;
  return missed > Rational(analyst_.tolerance) ? 1 : 0;
}

double LossOfRelease::rough_loss(std::uint64_t score) const {
  const double missed = static_cast<double>(score) / static_cast<double>(law_.denominator);
  if (analyst_.loss == ReleaseAnalyst::Loss::missed_records) return missed;
  return missed > static_cast<double>(analyst_.tolerance) ? 1 : 0;
}

PublicTable public_table(const RankProfile& reference, std::uint64_t rows) {
  KnownTable known = known_table(reference, rows + 1);  // so that there are `rows` other records
  CollectedCounts records;
  for (std::size_t k = 0; k < known.positions.size(); ++k) records.add(known.positions[k], known.others[k]);
  return {std::move(known), std::move(records).on(reference.lattice())};
}

LossAtEpsilon::LossAtEpsilon(QuantileQuery query, const Lattice& lattice, const PublicTable& table,
                             const ReleaseAnalyst& analyst)
    : query_(std::move(query)), lattice_(lattice), table_(table), analyst_(analyst) {}

std::optional<LossBounds> LossAtEpsilon::at(const Rational& epsilon) const {
  QuantileQuery query = query_;
  query.budget = Budget::pure(epsilon);
  const QuantilePlan plan = plan_of(query, lattice_);
  if (!plan.by_rows.empty() || !plan.counted.empty()) return {};
  Enclosure sum;
  Enclosure missing = enclosed(1);
  for (const FoundBefore& before : found_before(plan, table_.profile)) {
    const std::optional<Enclosure> loss = loss_after(plan, before.found);
    if (!loss) return {};
    sum += before.probability * *loss;
    missing -= before.probability;
  }
  missing.raise_to(enclosed(0));
  const Rational largest = largest_loss(analyst_, table_.profile.records());
  sum += hull(enclosed(0), missing * enclosed(largest));
  constexpr std::int64_t bits = 64;
  return LossBounds{std::max(sum.lower_rational(bits), Rational(0)), std::min(sum.upper_rational(bits), largest)};
}

std::optional<Enclosure> LossAtEpsilon::loss_after(const QuantilePlan& plan, const PreliminaryOutcome& found) const {
  const std::vector<Stage> stages = plan.stages(found);
  const SelectQuantiles* const selection = only_selection(stages);
  if (selection == nullptr) return {};
  const QuantileQuery rest = query_after(plan.query, shares_taken(stages));
  if (selection->released.size() == 1) {
    const ScoreLaw law = law_of(rest, *selection, table_.known);
    return LossOfRelease(law, law.rate, analyst_, table_.profile.records()).at(Rational(1));
  }
  const Calibration calibration(rest, selection->levels);
  const QuantileTree tree(table_.profile, selection->released, selection->shape, calibration, selection->subcells);
  const JointProblem problem = tree.problem(std::get<JointNode>(tree.root()));
  const std::optional<LossBounds> bounds = joint_loss(problem, selection->released, analyst_);
  if (!bounds) return {};
  return hull(enclosed(bounds->lower), enclosed(bounds->upper));
}

}  // namespace fractile
