// How a publication's budget is split among its tables and levels.
// Proof: docs/proofs/publication.md
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/publication.hpp"
#include "fractile/release.hpp"
#include "libraries/fmt.hpp"
#include "publication/simulated.hpp"
#include "publication/tables.hpp"
#include "report/text/decimals.hpp"

namespace fractile {

using namespace publication_detail;

namespace {

constexpr std::int64_t millionths = 1'000'000;

/// A level of a table that draws something.
struct Level {
  std::size_t table;
  std::size_t place;  ///< in the table's levels
  LevelCells cells;
  Rational counts_share = 0;  ///< the share of its part for counts
};

/// The share of a level's part that is for counts.
Rational counts_share_of(const PublicationTable& table, std::size_t level) {
  if ((level > 0 && table.adds_up()) || !table.has_counts()) return 0;
  if (table.quantiles.empty()) return 1;
  return table.counts_share.value_or(StatisticsRequest::usual_share(table.mean));
}

std::vector<Level> levels_of(const Publication& publication) {
  std::vector<Level> levels;
  for (std::size_t t = 0; t < publication.tables.size(); ++t) {
    const PublicationTable& table = publication.tables[t];
    for (std::size_t l = 0; l < table.drawn_levels(); ++l) {
      levels.push_back({t, l, cells_of(publication, table, table.levels[l]), counts_share_of(table, l)});
    }
  }
  return levels;
}

// --- Weights ---------------------------------------------------------------------------------------------------------

std::int64_t binary_digits(std::uint64_t number) { return static_cast<std::int64_t>(std::bit_width(number)); }

/// The approximate ratio of the error of the table's worst quantile to that of a single quantile at the same budget. The error is the
/// largest one that nine releases in ten of a smooth table stay within (measured in docs/publication.md). Steps and bounds hardly affect
/// the ratio. It is computed in exact arithmetic.
Rational scale_of(const PublicationTable& table, Measure measure) {
  const std::size_t quantiles = table.quantiles.size();
  if (quantiles <= 1) return 1;  // a count alone errs as much as a median
  const std::int64_t levels = binary_digits(quantiles);
  const bool is_pure = measure == Measure::pure;
  const Rational root = sqrt_down(Rational(quantiles), 24);
  switch (table.mechanism) {
    case Mechanism::independent:
      return is_pure ? Rational(quantiles) * Rational(levels + 1, 2) : root * Rational(levels + 2, 3);
    case Mechanism::approximate:
      return is_pure ? Rational(levels * (levels + 3), 4) : Rational(4 * levels + 1, 5);
    case Mechanism::tree: {
      const Rational height = binary_digits(table.lattice.size());
      return height * sqrt_down(height, 24) / Rational(2);
    }
    case Mechanism::automatic:
      return is_pure ? root : Rational(4 * levels + 1, 5);
    default:
      return root;
  }
}

/// Weights that make relative errors alike. They are squared under zCDP, where errors fall with the square root of rho.
class Weights {
 public:
  explicit Weights(const Publication& publication) : publication_(publication) {
    for (const PublicationTable& table : publication.tables) {
      scales_.push_back(scale_of(table, publication.budget.measure()));
      all_expected_ = all_expected_ && !table.expected_rows.empty();
    }
  }

  /// A level's weight within its table.
  Rational within_table(const Level& level) const {
    const PublicationTable& table = publication_.tables[level.table];
    return measured(noise_of(level) * inverse_rows(table, level)) / (Rational(1) - counted(level));
  }
  /// Whether errors can be simulated: the rows of every table are expected, and the budget is not a logarithm.
  bool can_be_simulated() const {
    const Budget& budget = publication_.budget;
    return all_expected_ && (budget.measure() == Measure::zcdp || !budget.epsilon().is_log());
  }
  /// Multiplies a table's scale by its error, compared with other tables, at the part that it had.
  void correct(std::size_t table, const Rational& error) { scales_[table] *= error; }
  const std::vector<Rational>& scales() const { return scales_; }
  void put_scales(std::vector<Rational> scales) { scales_ = std::move(scales); }

  /// A level's weight among all levels. It uses rows only if the rows of every table are known, and otherwise the number of cells.
  Rational among_all(const Level& level) const {
    const PublicationTable& table = publication_.tables[level.table];
    const Rational inverse = all_expected_ ? inverse_rows(table, level) : Rational(level.cells.cells.size());
    return measured(scales_[level.table] * noise_of(level) * inverse) / (Rational(1) - counted(level));
  }

 private:
  /// Noise grows with how many records or values of one person count.
  Rational noise_of(const Level& level) const {
    const PublicationTable& table = publication_.tables[level.table];
    return {std::int64_t{publication_detail::records_per_person(publication_, table, table.levels[level.place])}};
  }
  /// The share of a level's part that is not for quantiles; 0 in a table without quantiles, where counts decide.
  static Rational counted(const Level& level) {
    return level.counts_share == Rational(1) ? Rational(0) : level.counts_share;
  }
  Rational measured(const Rational& weight) const {
    return publication_.budget.measure() == Measure::zcdp ? weight * weight : weight;
  }
  static Rational inverse_rows(const PublicationTable& table, const Level& level) {
    if (table.expected_rows.empty()) return level.cells.cells.size();
    return Rational(1) / Rational(smallest_rows(table, level.cells).value_or(1));
  }

  const Publication& publication_;
  std::vector<Rational> scales_ = {};  ///< one per table
  bool all_expected_ = true;
};

/// How many records the level's query may expect in each cell: the largest number of any cell. Nothing if the numbers are very different;
/// then the query counts the records if it has to know.
std::optional<std::uint64_t> expected_in(const LevelCells& cells) {
  if (cells.expected_rows.empty()) return {};
  const auto [least, most] = std::ranges::minmax(cells.expected_rows);
  constexpr std::uint64_t alike = 4;
  return least > 0 && most / alike <= least ? std::optional(most) : std::nullopt;
}

// --- Simulated errors --------------------------------------------------------------------------------------------------

/// Whether two tables ask for the same, and so have like errors in cells of equally many records.
bool err_alike(const PublicationTable& a, const PublicationTable& b) {
  const auto same_intervals = [&] {
    if (!a.intervals || !b.intervals) return !a.intervals && !b.intervals;
    return a.intervals->level == b.intervals->level && a.intervals->subject == b.intervals->subject &&
           a.intervals->is_simultaneous == b.intervals->is_simultaneous;
  };
  const bool same_counts = !a.quantiles.empty() || a.mean == b.mean;
  return a.quantiles == b.quantiles && a.lattice == b.lattice && a.mechanism == b.mechanism && a.rates == b.rates &&
         a.base == b.base && a.interpolate == b.interpolate && a.by.empty() == b.by.empty() && same_intervals() &&
         same_counts;
}

/// The errors that nine releases in ten stay within, as shares of a cell's records, at given parts of the budget. Errors depend on the
/// number of records times epsilon (or the square root of rho). So a cell of `most_rows` records can stand for a larger one.
class SimulatedErrors {
 public:
  /// `work`: approximately how many microseconds the simulation of one error may take.
  SimulatedErrors(const Publication& publication, std::uint64_t work)
      : publication_(publication), reference_(publication), work_(work) {}

  /// The error of the level's smallest cell. It is never 0.
  Rational of(const Level& level, const Budget& cost) const {
    const PublicationTable& table = publication_.tables[level.table];
    const std::uint64_t rows = std::max<std::uint64_t>(smallest_rows(table, level.cells).value_or(1), 1);
    return table.quantiles.empty() ? of_counts(table, level, cost, rows) : of_quantiles(table, level, cost, rows);
  }

 private:
  static constexpr std::uint64_t most_rows = 4'000;

  Rational of_quantiles(const PublicationTable& table, const Level& level, const Budget& cost,
                        std::uint64_t rows) const {
    const std::uint64_t records = reference_.records(counted_of(publication_, rows));
    const std::uint64_t simulated = std::min(records, most_rows);
    const Rational times = Rational(records) / Rational(simulated);
    const Rational factor = cost.measure() == Measure::zcdp ? times * times : times;
    const Budget paid = cost.scaled((Rational(1) - level.counts_share) * factor);
    QuantileQuery query = reference_.query(
        counted_query(publication_, table, query_of(publication_, table, table.levels[level.place], paid)));
    if (expected_in(level.cells)) query.expected_rows = simulated;
    const TypicalError typical = typical_error(without_intervals(query, table.lattice, simulated), table.lattice,
                                               Shape::normal, simulated, releases_of(table));
    return std::max(near_nine_in_ten(typical.largest), Rational(1, 8)) / Rational(simulated);
  }

  /// The mean of the errors ranked 85 to 95 in 100. With few records errors are whole numbers, and a single one would jump.
  static Rational near_nine_in_ten(const std::vector<double>& increasing) {
    const std::size_t from = increasing.size() * 85 / 100;
    const std::size_t to = increasing.size() * 95 / 100;
    Rational sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += Rational::from_double(increasing[i]);
    return sum / Rational(to - from);
  }

  /// The number of releases follows from counts that are known beforehand, so no clock decides a split.
  std::uint64_t releases_of(const PublicationTable& table) const {
    constexpr std::size_t at_once = 24;  // more quantiles take several selections
    const std::uint64_t quantiles = table.quantiles.size();
    const std::uint64_t microseconds = quantiles <= at_once ? 10 + 8 * quantiles : 20 * quantiles;
    return std::clamp<std::uint64_t>(work_ / microseconds, 60, 2'000);
  }

  /// About nine in ten draws of a discrete Laplace law are within ln 10 (about 2.3) times its scale, and of a discrete Gaussian law within
  /// 1.65 standard deviations.
  Rational of_counts(const PublicationTable& table, const Level& level, const Budget& cost, std::uint64_t rows) const {
    const Rational half(1, 2);
    const Budget paid = table.mean ? cost.scaled(half) : cost;
    const std::uint32_t records =
        publication_detail::records_per_person(publication_, table, table.levels[level.place]);
    const Rational of_person(std::int64_t{records} * publication_.sql_stability);
    const Rational deviation = paid.measure() == Measure::zcdp
                                   ? Rational(33, 20) / sqrt_down(Rational(2) * paid.rho(), 40)
                                   : Rational(23, 10) / paid.epsilon().coefficient();
    return deviation * of_person / Rational(rows);
  }

  const Publication& publication_;
  Reference reference_;
  std::uint64_t work_;
};

Rational sum_of(const std::vector<Rational>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), Rational(0));
}

/// Shares in proportion to the weights, except a fiftieth that is shared evenly. They are rounded down to millionths, the largest one takes
/// what is left, and they add up to 1.
std::vector<Rational> apportioned(const std::vector<Rational>& weights) {
  const Rational evenly(1, 50);
  const Rational sum = sum_of(weights);
  const Rational even = evenly / Rational(weights.size());
  std::vector<Rational> shares;
  Rational left = 1;
  for (const Rational& weight : weights) {
    const Rational exact = even + (Rational(1) - evenly) * weight / sum;
    shares.push_back((exact * Rational(millionths)).floor() / Rational(millionths));
    left -= shares.back();
  }
  *std::ranges::max_element(shares) += left;
  return shares;
}

std::vector<Rational> in_proportion(std::vector<Rational> shares) {
  const Rational sum = sum_of(shares);
  for (Rational& share : shares) share /= sum;
  return shares;
}

// --- Targets ---------------------------------------------------------------------------------------------------------

/// The most records, or units of weight, that the target lets a quantile miss in a cell of this many.
std::uint64_t ranks_at(const PublicationTable& table, std::uint64_t rows) {
  const Rational most = table.target->limit;
  const Rational records(rows);
  switch (table.target->quantity) {
    case PublicationTarget::Quantity::ranks:
      return most.floor().to_uint64();
    case PublicationTarget::Quantity::share:
      return (most * records).floor().to_uint64();
    case PublicationTarget::Quantity::value: {
      const Rational width = table.lattice.upper() - table.lattice.lower();
      return width.sign() == 0 ? rows : std::min(most * records / width, records).floor().to_uint64();
    }
    case PublicationTarget::Quantity::interval:
      break;  // a width of intervals has no ranks
  }
  return 0;
}

std::string shown_cell(const LevelCells& cells, std::uint64_t rows) {
  const auto at = std::ranges::find(cells.expected_rows, rows);
  const KeyTuple& cell = cells.cells[static_cast<std::size_t>(at - cells.expected_rows.begin())];
  if (cell.empty()) return "everyone";
  return fmt::to_string(fmt::join(cell, ", "));
}

const char* in_words(PublicationTarget::Quantity quantity) {
  return quantity == PublicationTarget::Quantity::value   ? "value error"
         : quantity == PublicationTarget::Quantity::share ? "share error"
                                                          : "rank error";
}

/// The least cost of a level's part that reaches the table's target.
Budget solved(const Publication& publication, const Level& level) {
  const PublicationTable& table = publication.tables[level.table];
  std::optional<std::uint64_t> smallest;
  for (const std::uint64_t rows : level.cells.expected_rows) {
    if (rows > 0) smallest = std::min(smallest.value_or(rows), rows);
  }
  QuantileQuery query = query_of(publication, table, table.levels[level.place], publication.budget);
  query.expected_rows = expected_in(level.cells);
  query = counted_query(publication, table, query);
  try {
    const std::uint64_t rows = counted_of(publication, smallest.value_or(1));
    const QuantileQuery enough =
        table.target->quantity == PublicationTarget::Quantity::interval
            ? query_for_interval_width(query, table.lattice, rows, table.target->limit)
            : query_for_rank_error(query, table.lattice, ranks_at(table, rows), publication.confidence);
    return enough.budget.scaled(Rational(1) / (Rational(1) - level.counts_share));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    const std::string cell =
        smallest ? fmt::format(", whose smallest cell is {} with {}", shown_cell(level.cells, *smallest),
                               report_detail::counted(*smallest, "record"))
                 : std::string();
    Words what = error.what_words();
    Words hint = error.hint_words();
    if (error.field() == "rank_error") {  // the target comes down to a rank error
      what = fmt::format("no budget gives that {}", in_words(table.target->quantity));
      hint = fmt::format("ask for a larger {}, or for another mechanism", in_words(table.target->quantity));
    }
    throw Error(ErrorCode::usage, {Field("target"), fmt::format(": table '{}'{}: ", table.name, cell), what}, hint,
                "target");
  }
}

Rational amount_of(const Budget& budget) {
  if (budget.measure() == Measure::zcdp) return budget.rho();
  if (budget.epsilon().is_log()) {
    throw Error(ErrorCode::usage,
                {Field("target"), ": a budget for targets is solved for in numbers, not in logarithms"},
                {"write for example ", Field("epsilon").number(1)}, "epsilon");
  }
  return budget.epsilon().coefficient();
}

Budget budget_of(Measure measure, const Rational& amount) {
  return measure == Measure::zcdp ? Budget::zcdp(amount) : Budget::pure(amount);
}

/// The least costs of several levels' parts, on as many threads as the machine has.
std::vector<Rational> solved_amounts(const Publication& publication, const std::vector<Level>& levels) {
  std::vector<Rational> amounts(levels.size());
  share_among_threads(threads_of_machine(), levels.size(),
                      [&](std::size_t i) { amounts[i] = amount_of(solved(publication, levels[i])); });
  return amounts;
}

// --- The split -------------------------------------------------------------------------------------------------------

class BudgetSplit {
 public:
  explicit BudgetSplit(const Publication& publication)
      : publication_(publication), levels_(levels_of(publication)), shares_(levels_.size()), least_(levels_.size()) {}

  /// The parts' shares of the budget.
  const std::vector<Rational>& shares() {
    Rational left = 1;
    std::vector<std::size_t> solved_for;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < levels_.size(); ++i) (table_of(i).target ? solved_for : others).push_back(i);
    if (!solved_for.empty()) left -= reach_targets(solved_for, others.empty());
    if (others.empty()) {
      share_out(solved_for, left);
    } else {
      divide(others, left);
    }
    return shares_;
  }
  /// The least shares that reach the levels' targets, after shares(). Nothing for levels without a target.
  const std::vector<std::optional<Rational>>& least() const { return least_; }
  const std::vector<Level>& levels() const { return levels_; }

 private:
  const PublicationTable& table_of(std::size_t i) const { return publication_.tables[levels_[i].table]; }

  /// Gives these levels the least shares that reach their targets, and returns the sum.
  Rational reach_targets(const std::vector<std::size_t>& which, bool all) {
    const Rational whole = amount_of(publication_.budget);
    Rational taken = 0;
    const std::vector<Level> targeted = mapped(which, [&](std::size_t i) { return levels_[i]; });
    const std::vector<Rational> amounts = solved_amounts(publication_, targeted);
    for (std::size_t k = 0; k < which.size(); ++k) {
      least_[which[k]] = shares_[which[k]] = amounts[k] / whole;
      taken += shares_[which[k]];
    }
    if (taken > Rational(1) || (taken == Rational(1) && !all)) {
      const Budget needed = budget_of(publication_.budget.measure(), taken * whole);
      const Field budget(publication_.budget.measure() == Measure::zcdp ? "rho" : "epsilon");
      throw Error(
          ErrorCode::usage,
          {Field("target"), fmt::format(": the targets cost {}, but the publication has {}{}", needed.to_string(),
                                        publication_.budget.to_string(), all ? "" : " for them and for other tables")},
          {all ? "allow larger errors, or write at least " : "allow larger errors, or write more than ",
           budget.number((taken * whole).to_string())},
          "target");
    }
    return taken;
  }

  /// Divides what no target needs among these levels, in proportion to their shares.
  void share_out(const std::vector<std::size_t>& which, const Rational& left) {
    const std::vector<Rational> weights = mapped(which, [&](std::size_t i) { return shares_[i]; });
    const std::vector<Rational> more = apportioned(weights);
    for (std::size_t k = 0; k < which.size(); ++k) shares_[which[k]] += left * more[k];
  }

  void divide(const std::vector<std::size_t>& which, const Rational& left) {
    Weights weights(publication_);
    const bool by_table = std::ranges::any_of(which, [&](std::size_t i) { return table_of(i).share.has_value(); });
    std::vector<std::vector<std::size_t>> tables;
    for (const std::size_t i : which) {
      if (tables.empty() || levels_[tables.back().front()].table != levels_[i].table) tables.emplace_back();
      tables.back().push_back(i);
    }
    if (by_table) {
      divide_by_shares(tables, weights, left);
    } else {
      balance(tables, weights, left);
      divide_by_weights(tables, weights, left);
    }
  }

  /// If tables ask for different things, corrects their weights by each table's simulated error at its part.
  void balance(const std::vector<std::vector<std::size_t>>& tables, Weights& weights, const Rational& left) {
    constexpr int rounds = 4;
    constexpr std::uint64_t work = 400'000;  // in microseconds, approximately
    if (!weights.can_be_simulated()) return;
    std::vector<std::size_t> kinds;    // the first table of each kind, as a place in `tables`
    std::vector<std::size_t> kind_of;  // the kind of each table, as a place in `kinds`
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const auto is_like = [&](std::size_t k) {
        return err_alike(table_of(tables[k].front()), table_of(tables[t].front()));
      };
      const auto known = std::ranges::find_if(kinds, is_like);
      kind_of.push_back(static_cast<std::size_t>(known - kinds.begin()));
      if (known == kinds.end()) kinds.push_back(t);
    }
    if (kinds.size() < 2) return;
    const SimulatedErrors errors(publication_, work / rounds / kinds.size());
    std::vector<Rational> best;
    std::optional<Rational> least;  // the least of the rounds' largest errors
    for (int round = 0; round < rounds; ++round) {
      divide_by_weights(tables, weights, left);
      std::vector<Rational> found(kinds.size());
      share_among_threads(threads_of_machine(), kinds.size(), [&](std::size_t k) {
        const std::size_t finest = tables[kinds[k]].front();
        found[k] = errors.of(levels_[finest], publication_.budget.scaled(shares_[finest]));
      });
      const Rational largest = *std::ranges::max_element(found);
      if (!least || largest < *least) {  // with tied values, errors fall by jumps
        least = largest;
        best = weights.scales();
      }
      for (std::size_t t = 0; t < tables.size(); ++t)
        weights.correct(levels_[tables[t].front()].table, found[kind_of[t]]);
    }
    weights.put_scales(std::move(best));
  }

  void divide_by_shares(const std::vector<std::vector<std::size_t>>& tables, const Weights& weights,
                        const Rational& left) {
    const std::vector<Rational> shares =
        in_proportion(mapped(tables, [&](const auto& levels) { return table_of(levels.front()).share.value_or(1); }));
    for (std::size_t t = 0; t < tables.size(); ++t) divide_table(tables[t], weights, left * shares[t]);
  }

  /// A table whose levels' shares are stated counts as one thing, next to the single levels of the other tables.
  void divide_by_weights(const std::vector<std::vector<std::size_t>>& tables, const Weights& weights,
                         const Rational& left) {
    std::vector<std::vector<std::size_t>> things;
    for (const auto& levels : tables) {
      if (!table_of(levels.front()).level_shares.empty()) {
        things.push_back(levels);
      } else {
        for (const std::size_t i : levels) things.push_back({i});
      }
    }
    const std::vector<Rational> shares = apportioned(mapped(things, [&](const std::vector<std::size_t>& thing) {
      return sum_over<Rational>(thing, [&](std::size_t i) { return weights.among_all(levels_[i]); });
    }));
    for (std::size_t k = 0; k < things.size(); ++k) {
      if (things[k].size() == 1) {
        shares_[things[k].front()] = left * shares[k];
      } else {
        divide_table(things[k], weights, left * shares[k]);
      }
    }
  }

  void divide_table(const std::vector<std::size_t>& levels, const Weights& weights, const Rational& left) {
    const PublicationTable& table = table_of(levels.front());
    std::vector<Rational> weight;
    for (const std::size_t i : levels) weight.push_back(weights.within_table(levels_[i]));
    const std::vector<Rational> shares =
        table.level_shares.empty() ? apportioned(weight) : in_proportion(table.level_shares);
    for (std::size_t k = 0; k < levels.size(); ++k) shares_[levels[k]] = left * shares[k];
  }

  const Publication& publication_;
  std::vector<Level> levels_;
  std::vector<Rational> shares_;
  std::vector<std::optional<Rational>> least_;
};

std::vector<PublicationPart> parts_of(const Publication& publication, const std::vector<Level>& levels,
                                      const std::vector<Rational>& shares,
                                      const std::vector<std::optional<Rational>>& least) {
  std::vector<PublicationPart> result;
  Rational sum = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const PublicationTable& table = publication.tables[levels[i].table];
    const Budget cost = publication.budget.scaled(shares[i]);
    QuantileQuery query = query_of(publication, table, table.levels[levels[i].place], cost);
    query.expected_rows = expected_in(levels[i].cells);
    sum += shares[i];
    result.push_back({levels[i].table, levels[i].place, shares[i], cost, levels[i].counts_share, std::move(query)});
    if (least[i]) result.back().least = publication.budget.scaled(*least[i]);
  }
  if (sum != Rational(1)) throw Error(ErrorCode::internal, "the parts of a publication do not add up to its budget");
  return result;
}

}  // namespace

std::vector<PublicationPart> parts(const Publication& publication) {
  const OwnEnvironment own;
  publication.validate();
  BudgetSplit split(publication);
  const std::vector<Rational>& shares = split.shares();
  return parts_of(publication, split.levels(), shares, split.least());
}

std::vector<PublicationPart> least_parts(Publication& publication) {
  const OwnEnvironment own;
  publication.validate();
  for (const PublicationTable& table : publication.tables) {
    if (table.target) continue;
    throw Error(
        ErrorCode::usage,
        {Field("target"),
         fmt::format(": table '{}' has none, and without a budget the targets of all tables decide it", table.name)},
        "give every table a target, or name the budget", "target");
  }
  const std::vector<Level> levels = levels_of(publication);
  const std::vector<Rational> amounts = solved_amounts(publication, levels);
  publication.budget = budget_of(publication.budget.measure(), sum_of(amounts));
  publication.is_least = true;
  const std::vector<Rational> shares = in_proportion(amounts);
  return parts_of(publication, levels, shares, {shares.begin(), shares.end()});
}

}  // namespace fractile
