// Predicts what a publication will be worth.
#include "quantiles/stages/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "exact/own_environment.hpp"
#include "exact/workers.hpp"
#include "fractile/planning.hpp"
#include "fractile/publication.hpp"
#include "fractile/release.hpp"
#include "publication/simulated.hpp"
#include "publication/tables.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/noise_share.hpp"
#include "quantiles/release/planned_intervals.hpp"
#include "quantiles/stages/statistics.hpp"

namespace fractile {

using namespace publication_detail;

namespace {

/// With more records, errors hardly change if they are small: at most one in `small_part` of the records. Larger errors are cut off at the
/// ends of a table, and fewer of its quantiles are selected. Then ten times as many records are taken.
constexpr std::uint64_t few_records = 1'000;
constexpr std::uint64_t small_part = 50;
constexpr std::uint64_t most_records = 10'000;  // of a simulated table, unless there are many levels
constexpr std::size_t many_levels = 100;
constexpr std::size_t most_sizes = 3;  // how many cell sizes of a level are simulated

/// The query for the quantiles of one cell, about records or units of weight.
QuantileQuery query_of_cell(const Publication& publication, const PublicationPart& part,
                            const PublicationTable& table) {
  const bool has_counts = part.counts_share.sign() > 0;
  return counted_query(publication, table,
                       has_counts ? with_part(part.query, Rational(1) - part.counts_share) : part.query);
}

/// The sizes of cells that are simulated, of at most `most`: the smallest, the middle and the largest one.
std::vector<std::uint64_t> sizes_of(const std::vector<PlannedCell>& cells, const Reference& reference,
                                    std::uint64_t most) {
  std::set<std::uint64_t> sizes;
  for (const PlannedCell& cell : cells) {
    const std::uint64_t rows = reference.records(cell.units.value_or(0));
    if (rows > 0) sizes.insert(std::min(rows, most));
  }
  std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
  if (all.size() <= most_sizes) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

/// The error that `releases` in `of` simulated releases stay within.
double exceeded_by_less_than(const TypicalError& typical, std::size_t releases, std::size_t of) {
  const std::size_t at = (typical.largest.size() * releases + of - 1) / of;
  return typical.largest[std::max<std::size_t>(at, 1) - 1];
}

/// The errors of a table with `times` as many records, at a budget that is so much smaller: in proportion to its records, they are the
/// same.
void multiply(TypicalError& typical, double times) {
  for (std::vector<double>* const errors : {&typical.median, &typical.nine_in_ten, &typical.mean, &typical.largest}) {
    for (double& error : *errors) error *= times;
  }
}

/// How far counts and means will be off. For a total that adds up, they are sums over cells of the finest level, and have the noise of all
/// these cells.
class CountErrors {
 public:
  /// `part`: the part of the level that draws the counts.
  CountErrors(const Publication& publication, const PublicationPart& part, const PublicationTable& table)
      : lattice_(table.lattice), terms_(terms_of(publication, part, table)) {}

  StatisticsErrors of(std::size_t cells, std::uint64_t rows) {
    const auto [at, is_new] = by_cells_.try_emplace(cells);
    if (is_new) at->second.emplace(terms_, lattice_, cells);
    return at->second->errors(rows);
  }

 private:
  static StatisticsTerms terms_of(const Publication& publication, const PublicationPart& part,
                                  const PublicationTable& table) {
    const QuantileQuery query = with_part(counted_query(publication, table, part.query), part.counts_share);
    const StatisticsRequest request{table.below, table.mean, part.counts_share};
    return StatisticsSampler(request, query, table.lattice).terms();
  }

  Lattice lattice_;
  StatisticsTerms terms_;
  std::map<std::size_t, std::optional<StatisticsIntervals>> by_cells_ = {};
};

class Planner {
 public:
  Planner(const Publication& publication, const std::vector<PublicationPart>& parts)
      : publication_(publication), parts_(parts) {}

  PublicationPlan plan() const {
    PublicationPlan result{publication_, {}};
    for (const PublicationPart& part : parts_) result.levels.push_back({part});
    share_among_threads(threads_of_machine(), parts_.size(), [&](std::size_t i) {
      in_table(publication_.tables[parts_[i].table], [&] { fill(result.levels[i]); });
    });
    for (const PublicationPart& part : parts_) {
      const PublicationTable& table = publication_.tables[part.table];
      for (std::size_t l = table.drawn_levels(); part.level == 0 && l < table.levels.size(); ++l) {
        PlannedLevel& sum = result.sums.emplace_back(PlannedLevel{part});
        sum.part.level = l;
        sum.part.share = sum.part.counts_share = Rational(0);
        in_table(table, [&] { fill(sum); });
      }
    }
    return result;
  }

 private:
  void fill(PlannedLevel& level) const {
    const PublicationPart& part = level.part;
    const PublicationTable& table = publication_.tables[part.table];
    const LevelCells cells = cells_of(publication_, table, table.levels[part.level]);
    if (part.counts_share.sign() > 0) level.counts_cost = part.cost.scaled(part.counts_share);
    for (std::size_t i = 0; i < cells.cells.size(); ++i) {
      level.cells.push_back({cells.cells[i]});
      if (cells.expected_rows.empty()) continue;
      level.cells.back().rows = cells.expected_rows[i];
      level.cells.back().units = counted_of(publication_, cells.expected_rows[i]);
    }
    if (table.has_counts()) count(table, cells, level);
    if (table.quantiles.empty()) return;
    const QuantileQuery query = query_of_cell(publication_, part, table);
    level.quantiles_cost = query.budget;
    level.used = plan_of(query, table.lattice).used({});
    level.used.granularity.reset();  // no data have been looked at yet
    level.settled_from = settled_from(query);
    bound(query, table, level);
    judge(query, table, level);
  }

  void count(const PublicationTable& table, const LevelCells& cells, PlannedLevel& level) const {
    const std::size_t drawn_at = table.adds_up() ? 0 : level.part.level;
    const auto drawn = std::ranges::find_if(
        parts_, [&](const PublicationPart& part) { return part.table == level.part.table && part.level == drawn_at; });
    CountErrors errors(publication_, *drawn, table);
    std::vector<std::size_t> drawn_cells(cells.cells.size(), table.adds_up() ? 0 : 1);
    if (table.adds_up()) {
      for (const std::size_t cell : cells.of_finest) ++drawn_cells[cell];
    }
    for (std::size_t i = 0; i < level.cells.size(); ++i) {
      PlannedCell& cell = level.cells[i];
      const StatisticsErrors of_cell = errors.of(drawn_cells[i], std::max<std::uint64_t>(cell.units.value_or(1), 1));
      cell.count_error = of_cell.count;
      if (cell.rows && *cell.rows > 0) cell.mean_error = of_cell.mean_at_ends;
    }
  }

  void bound(const QuantileQuery& query, const PublicationTable& table, PlannedLevel& level) const {
    const WorstCase worst = worst_case(query, table.lattice, publication_.confidence);
    level.unbounded_reason = worst.unbounded_reason;
    const std::optional<std::uint64_t> ranks = worst.largest();
    for (PlannedCell& cell : level.cells) {
      if (ranks) cell.worst = cell.units ? std::min(*ranks, *cell.units) : *ranks;
    }
  }

  void judge(const QuantileQuery& of_units, const PublicationTable& table, PlannedLevel& level) const {
    const Reference reference(publication_);
    const QuantileQuery query = reference.query(of_units);
    const auto [by_size, most] = simulated(query, table.lattice, level.cells, reference);
    for (PlannedCell& cell : level.cells) {
      if (!cell.rows) continue;
      if (*cell.rows == 0) {
        cell.worth = CellWorth::lost;
        continue;
      }
      const std::uint64_t rows = reference.records(*cell.units);
      const TypicalError& typical = by_size.lower_bound(std::min(rows, most))->second;
      const auto in_units = [&](double records) {
        return std::min(records * static_cast<double>(reference.units()), static_cast<double>(*cell.units));
      };
      cell.typical = in_units(exceeded_by_less_than(typical, 1, 2));
      cell.nine_in_ten = in_units(exceeded_by_less_than(typical, 9, 10));
      const double share = noise_share(table.quantiles, typical.mean, rows);
      cell.worth = worth_of(table, *cell.rows, share, level.part);
    }
  }

  /// Simulated errors by the number of records in a cell. Cells with more than `most` records have the errors of those with as many.
  struct Simulated {
    std::map<std::uint64_t, TypicalError> by_size;
    std::uint64_t most;
  };

  Simulated simulated(const QuantileQuery& query, const Lattice& lattice, const std::vector<PlannedCell>& cells,
                      const Reference& reference) const {
    Simulated all{{}, few_records};
    const std::vector<std::uint64_t> sizes = sizes_of(cells, reference, std::numeric_limits<std::uint64_t>::max());
    const std::uint64_t largest = sizes.empty() ? 0 : sizes.back();
    if (largest > all.most) {
      TypicalError errors = errors_of(query, lattice, all.most, few_records);
      const auto are_small = [&] {
        return exceeded_by_less_than(errors, 9, 10) * small_part <= static_cast<double>(all.most);
      };
      while (all.most < largest && !are_small()) {
        all.most *= 10;
        errors = errors_of(query, lattice, all.most, few_records);
      }
      if (all.most == few_records) all.by_size.emplace(few_records, std::move(errors));
    }
    const std::uint64_t records = parts_.size() > many_levels ? few_records : most_records;
    for (const std::uint64_t rows : sizes_of(cells, reference, all.most)) {
      if (!all.by_size.contains(rows)) all.by_size.emplace(rows, errors_of(query, lattice, rows, records));
    }
    return all;
  }

  /// Simulates a table of `most` records, at a larger budget, in place of one with more.
  TypicalError errors_of(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows,
                         std::uint64_t most) const {
    const std::uint64_t records = std::min(rows, most);
    const Rational times = Rational(rows) / Rational(records);
    QuantileQuery asked = query;
    asked.budget = query.budget.scaled(query.budget.measure() == Measure::zcdp ? times * times : times);
    TypicalError typical = typical_error(without_intervals(asked, lattice, records), lattice, Shape::normal, records,
                                         releases_of(query, records));
    multiply(typical, times.to_double());
    return typical;
  }

  /// Errors are inversely proportional to epsilon, or to the square root of rho.
  CellWorth worth_of(const PublicationTable& table, std::uint64_t rows, double share,
                     const PublicationPart& part) const {
    if (is_beyond_saving(table, rows)) return CellWorth::lost;
    if (share <= tolerated_share) return CellWorth::useful;
    const double of_whole = (part.share * (Rational(1) - part.counts_share)).to_double();
    const double factor = publication_.budget.measure() == Measure::zcdp ? std::sqrt(of_whole) : of_whole;
    return share * factor <= tolerated_share ? CellWorth::noise : CellWorth::lost;
  }

  /// The number of releases to simulate. With it, a plan takes less than a second, whatever the number of levels. It depends on counts
  /// only, not on a clock.
  std::uint64_t releases_of(const QuantileQuery& query, std::uint64_t rows) const {
    constexpr std::uint64_t work = 300'000;  // in microseconds, approximately
    const std::uint64_t simulations = most_sizes * parts_.size();
    // Most of many records lie in tiles that are skipped.
    const std::uint64_t read = rows <= few_records ? rows : few_records + (rows - few_records) / 10;
    const std::uint64_t cost = 100 + read * (50 + 45 * query.quantiles.size()) / 1'000;
    return std::clamp<std::uint64_t>(work / simulations / cost, 5, 100);
  }

  const Publication& publication_;
  const std::vector<PublicationPart>& parts_;
};

}  // namespace

std::string to_string(CellWorth worth) {
  switch (worth) {
    case CellWorth::useful:
      return "useful";
    case CellWorth::noise:
      return "noise";
    case CellWorth::lost:
      return "lost";
    case CellWorth::unknown:
      break;
  }
  return "unknown";
}

PublicationPlan plan_publication(const Publication& publication, const std::vector<PublicationPart>& parts) {
  const OwnEnvironment own;
  return Planner(publication, parts).plan();
}

}  // namespace fractile
