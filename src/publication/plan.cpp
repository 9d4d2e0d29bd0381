// What a publication will be worth.
#include "quantiles/stages/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fractile/planning.hpp"
#include "fractile/publication_plan.hpp"
#include "fractile/release.hpp"
#include "publication/tables.hpp"
#include "quantiles/release/noise_share.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t most_reference_records = 1'000;  // errors of larger tables are alike
constexpr std::size_t most_sizes = 3;                    // of cells of a level that are simulated

/// What is simulated of a level: a query of one of its cells, without intervals, on a lattice.
struct Simulated {
  QuantileQuery query;
  Lattice lattice;

  /// What decides a release's errors, for tables that ask for the same.
  std::string key() const {
    std::string text = query.budget.to_string() + to_string(query.mechanism) + to_string(query.rates);
    text += std::to_string(static_cast<int>(query.base)) + std::to_string(query.records_per_person);
    text += std::to_string(query.expected_rows.value_or(0)) + (query.interpolate ? "i" : "-");
    for (const Rational& q : query.quantiles) text += " " + q.to_string();
    text += lattice.is_regular() ? " " : " listed ";
    for (const std::uint64_t at : {std::uint64_t{0}, lattice.size() - 1}) text += lattice.at(at).to_string() + " ";
    return text + std::to_string(lattice.size());
  }
};

/// The part of the budget that selects quantiles where intervals take theirs, on the same lattice.
QuantileQuery without_intervals(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows) {
  if (!query.intervals) return query;
  const QuantilePlan plan = plan_of(query, lattice);
  const auto next = std::ranges::upper_bound(plan.counted, rows, {}, &CountedRows::rows);
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - plan.counted.begin(), 1) - 1);
  QuantileQuery selected = query;
  selected.intervals.reset();
  selected.budget = plan.with_rows(at).query.budget;
  selected.expected_rows = rows;
  return selected;
}

/// What is asked of one cell for its quantiles.
QuantileQuery query_of_cell(const PublicationPart& part, const PublicationTable& table) {
  QuantileQuery query = part.query;
  if (part.counts_share.sign() > 0) query.budget = query.budget.scaled(Rational(1) - part.counts_share);
  return table.by.empty() ? query : group_query(query);
}

/// Of cells' sizes, those that are simulated: the least, the most, and the middle one.
std::vector<std::uint64_t> sizes_of(const LevelCells& cells) {
  std::set<std::uint64_t> sizes;
  for (const std::uint64_t rows : cells.expected_rows) {
    if (rows > 0) sizes.insert(std::min(rows, most_reference_records));
  }
  std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
  if (all.size() <= most_sizes) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

class Planner {
 public:
  explicit Planner(const Publication& publication) : publication_(publication), parts_(parts(publication)) {}

  PublicationPlan plan() {
    PublicationPlan result{publication_, {}};
    for (const PublicationPart& part : parts_) result.levels.push_back(planned(part));
    return result;
  }

 private:
  PlannedLevel planned(const PublicationPart& part) {
    const PublicationTable& table = publication_.tables[part.table];
    const LevelCells cells = cells_of(publication_, table, table.levels[part.level]);
    PlannedLevel level{part};
    if (part.counts_share.sign() > 0) level.counts_cost = part.cost.scaled(part.counts_share);
    for (std::size_t i = 0; i < cells.cells.size(); ++i) {
      level.cells.push_back({cells.cells[i]});
      if (!cells.expected_rows.empty()) level.cells.back().rows = cells.expected_rows[i];
    }
    if (table.quantiles.empty()) return level;
    const QuantileQuery query = query_of_cell(part, table);
    level.quantiles_cost = query.budget;
    level.used = plan_of(query, table.lattice).used({});
    level.used.granularity.reset();  // nobody has looked yet
    bound(query, table, level);
    judge(query, table, cells, level);
    return level;
  }

  void bound(const QuantileQuery& query, const PublicationTable& table, PlannedLevel& level) const {
    const WorstCase worst = worst_case(query, table.lattice, publication_.confidence);
    level.without = worst.without;
    const std::optional<std::uint64_t> ranks = worst.largest();
    for (PlannedCell& cell : level.cells) {
      if (ranks) cell.worst = cell.rows ? std::min(*ranks, *cell.rows) : *ranks;
    }
  }

  void judge(const QuantileQuery& query, const PublicationTable& table, const LevelCells& cells, PlannedLevel& level) {
    const std::vector<std::uint64_t> sizes = sizes_of(cells);
    for (PlannedCell& cell : level.cells) {
      if (!cell.rows) continue;
      if (*cell.rows == 0) {
        cell.worth = CellWorth::lost;
        continue;
      }
      const auto next = std::ranges::lower_bound(sizes, std::min(*cell.rows, most_reference_records));
      const TypicalError& typical = simulated(query, table.lattice, *next);
      const std::vector<double>& largest = typical.largest;
      cell.typical = std::min(largest[(largest.size() - 1) / 2], static_cast<double>(*cell.rows));
      const double share = noise_share(table.quantiles, typical.mean, *cell.rows);
      cell.worth = worth_of(table, *cell.rows, share, level.part);
    }
  }

  /// Errors fall with epsilon, or with the square root of rho.
  CellWorth worth_of(const PublicationTable& table, std::uint64_t rows, double share,
                     const PublicationPart& part) const {
    if (publication_detail::is_beyond_saving(table, rows)) return CellWorth::lost;
    if (share <= tolerated_share) return CellWorth::useful;
    const double of_whole = (part.share * (Rational(1) - part.counts_share)).to_double();
    const double factor = publication_.budget.measure() == Measure::zcdp ? std::sqrt(of_whole) : of_whole;
    return share * factor <= tolerated_share ? CellWorth::noise : CellWorth::lost;
  }

  const TypicalError& simulated(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows) {
    const Simulated what{without_intervals(query, lattice, rows), lattice};
    const auto [at, is_new] = simulated_.try_emplace({what.key(), rows});
    if (is_new) at->second = typical_error(what.query, lattice, Shape::normal, rows, releases_of(query, rows));
    return at->second;
  }

  /// So that a plan takes less than a second, however many levels there are; by a count and by no clock.
  std::uint64_t releases_of(const QuantileQuery& query, std::uint64_t rows) const {
    constexpr std::uint64_t work = 300'000;  // microseconds, about
    const std::uint64_t simulations = most_sizes * parts_.size();
    const std::uint64_t cost = 100 + rows * (50 + 45 * query.quantiles.size()) / 1'000;
    return std::clamp<std::uint64_t>(work / simulations / cost, 5, 100);
  }

  const Publication& publication_;
  std::vector<PublicationPart> parts_;
  std::map<std::pair<std::string, std::uint64_t>, TypicalError> simulated_ = {};
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

PublicationPlan plan_publication(const Publication& publication) { return Planner(publication).plan(); }

}  // namespace fractile
