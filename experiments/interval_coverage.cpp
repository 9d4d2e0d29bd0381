#include "experiments/interval_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/seeds.hpp"
#include "experiments/workers.hpp"
#include "fractile/release.hpp"
#include "fractile/version.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::interval_coverage {
namespace {

constexpr std::size_t threads = 2;

std::vector<Rational> evenly(std::uint64_t quantiles) {
  std::vector<Rational> all;
  for (std::uint64_t i = 1; i <= quantiles; ++i) all.push_back(Rational(i) / Rational(quantiles + 1));
  return all;
}

// --- The non-private interval -----------------------------------------------------------------------------------------

/// The records X_(low) and X_(high), counted from 1. The ranks 0 and n + 1 are the ends of the range.
struct OrderStatistics {
  std::uint64_t low;
  std::uint64_t high;
};

/// X_(low) is above a quantile with probability P(Bin(n, q) < low), and X_(high) is below it with probability P(Bin(n, q) >= high). Both
/// probabilities are at most `failure`.
OrderStatistics order_statistics(std::uint64_t n, double q, double failure) {
  const auto mass = [&](std::uint64_t k) {
    const auto records = static_cast<double>(n);
    const auto each = static_cast<double>(k);
    return std::exp(std::lgamma(records + 1) - std::lgamma(each + 1) - std::lgamma(records - each + 1) +
                    each * std::log(q) + (records - each) * std::log1p(-q));
  };
  OrderStatistics ranks{0, n + 1};
  double below = mass(0);
  while (below <= failure) below += mass(++ranks.low);
  double above = mass(n);
  while (above <= failure) above += mass(--ranks.high - 1);
  return ranks;
}

Interval plain_interval(const RankProfile& table, const OrderStatistics& ranks) {
  const bool below = ranks.low == 0;
  const bool above = ranks.high > table.records();
  return {below ? 0 : record_at(table, ranks.low - 1),
          above ? table.candidates() - 1 : record_at(table, ranks.high - 1), below, above};
}

// --- One combination --------------------------------------------------------------------------------------------------

double candidates_in(const Interval& interval) { return static_cast<double>(interval.upper - interval.lower); }

/// The lowest and the highest value of a quantile. An interval should hold each of them.
struct Truth {
  std::uint64_t lowest;
  std::uint64_t highest;
};

struct Averages {
  Average lowest, highest, width, open, plain_lowest, plain_highest, plain_width;
  Average of_table, of_law, alone_of_table, alone_of_law;
};

bool holds(const Interval& interval, std::uint64_t value) { return interval.lower <= value && value <= interval.upper; }

Estimate lesser(const Average& a, const Average& b) {
  const Estimate first = a.estimate();
  const Estimate second = b.estimate();
  return first.mean <= second.mean ? first : second;
}

/// The records of rank ceil(q n) and floor(q n) + 1. They are the same record unless q n is a whole number.
Truth truth_of_table(const RankProfile& table, const QuantileFraction& q) {
  const std::uint64_t n = table.records();
  const std::uint64_t up = (q.numerator * n + q.denominator - 1) / q.denominator;
  return {record_at(table, std::max<std::uint64_t>(up, 1) - 1), true_quantile(table, q)};
}

double tie_rank_error(const RankProfile& table, const QuantileFraction& q, std::uint64_t value) {
  const std::uint64_t score = interval_score(q, table.below(value), table.equal(value), table.records());
  return static_cast<double>(score) / static_cast<double>(q.denominator);
}

class Trials {
 public:
  Trials(const Plan& plan, const LawSource& source, const Cell& cell)
      : source_(source),
        cell_(cell),
        with_(query_of(cell)),
        averages_(with_.quantiles.size()),
        ends_(with_, cell.rows) {
    with_.intervals = IntervalRequest{plan.level, cell.of, false};
    const double failure = (1 - plan.level.to_double()) / 2;
    for (const Rational& q : with_.quantiles) plain_.push_back(order_statistics(cell.rows, q.to_double(), failure));
  }

  void run(const Seed& of_table, const Seed& of_bits) {
    const RankProfile table = source_.table(cell_.rows, of_table);
    const CountedColumn counted(table, with_.records_per_person);
    RandomBits bits = RandomBits::unsafe_seeded(of_bits.value());
    const Release release = fractile::release(counted, with_, bits);
    const Release alone = fractile::release(counted, alone_, bits);
    if (cell_.of == IntervalSubject::table) ends_.add(table, release.only().intervals, alone.only().indices);
    for (std::size_t i = 0; i < averages_.size(); ++i) {
      const QuantileFraction q = QuantileFraction::of(with_.quantiles[i]);
      const double share = with_.quantiles[i].to_double();
      const Truth law{source_.lowest_quantile(share), source_.highest_quantile(share)};
      const Truth wanted = cell_.of == IntervalSubject::population ? law : truth_of_table(table, q);
      const Interval& interval = release.only().intervals[i];
      const Interval plain = plain_interval(table, plain_[i]);
      const auto records = static_cast<double>(cell_.rows);
      Averages& all = averages_[i];
      all.lowest.add(holds(interval, wanted.lowest) ? 1 : 0);
      all.highest.add(holds(interval, wanted.highest) ? 1 : 0);
      all.width.add(candidates_in(interval));
      all.open.add(interval.or_below || interval.or_above ? 1 : 0);
      all.plain_lowest.add(holds(plain, law.lowest) ? 1 : 0);
      all.plain_highest.add(holds(plain, law.highest) ? 1 : 0);
      all.plain_width.add(candidates_in(plain));
      all.of_table.add(tie_rank_error(table, q, release.only().indices[i]));
      all.of_law.add(source_.distance(release.only().indices[i], share) * records);
      all.alone_of_table.add(tie_rank_error(table, q, alone.only().indices[i]));
      all.alone_of_law.add(source_.distance(alone.only().indices[i], share) * records);
    }
  }

  std::vector<QuantileResult> results(std::uint64_t trials) const {
    std::vector<QuantileResult> results;
    for (std::size_t i = 0; i < averages_.size(); ++i) {
      const Averages& all = averages_[i];
      const Estimate covered = lesser(all.lowest, all.highest);
      const double missed = (1 - covered.mean) * static_cast<double>(trials);
      results.push_back({with_.quantiles[i], covered, all.width.estimate(), all.open.estimate(),
                         static_cast<std::uint64_t>(std::lround(missed)), lesser(all.plain_lowest, all.plain_highest),
                         all.plain_width.estimate(), all.of_table.estimate(), all.of_law.estimate(),
                         all.alone_of_table.estimate(), all.alone_of_law.estimate()});
    }
    return results;
  }
  std::optional<TableWidths> widths() const {
    return cell_.of == IntervalSubject::table ? std::optional(ends_.widths()) : std::nullopt;
  }

 private:
  static QuantileQuery query_of(const Cell& cell) {
    QuantileQuery query{evenly(cell.quantiles), cell.budget};
    query.expected_rows = cell.rows;
    query.records_per_person = static_cast<std::uint32_t>(cell.records_per_person);
    return query;
  }

  const LawSource& source_;
  const Cell& cell_;
  QuantileQuery with_;
  QuantileQuery alone_ = with_;
  std::vector<OrderStatistics> plain_;
  std::vector<Averages> averages_;
  TableEnds ends_;
};

std::string budget_text(const Budget& budget) {
  return budget.measure() == Measure::pure ? "epsilon=" + budget.epsilon().to_string()
                                           : "rho=" + budget.rho().to_string();
}

/// The budget, and in what a cell differs from quartiles of one record per person: "epsilon=1, 9 quantiles, 5 records a person".
std::string setting_text(const Cell& cell) {
  std::string text = budget_text(cell.budget);
  if (cell.quantiles != 3) text += fmt::format(", {} quantile{}", cell.quantiles, cell.quantiles == 1 ? "" : "s");
  if (cell.records_per_person != 1) text += fmt::format(", {} records a person", cell.records_per_person);
  return text;
}

void run_cell(const Plan& plan, const LawSource& source, Cell& cell) {
  Trials trials(plan, source, cell);
  const Seed of_tables = Seed(plan.seed).with(cell.rows);
  const Seed of_bits = of_tables.with(cell.law->name).with(setting_text(cell)).with(to_string(cell.of));
  for (std::uint64_t trial = 0; trial < plan.trials; ++trial) trials.run(of_tables.with(trial), of_bits.with(trial));
  cell.results = trials.results(plan.trials);
  cell.widths = trials.widths();
}

// --- In words ---------------------------------------------------------------------------------------------------------

std::string cell_text(const Cell& cell) {
  return fmt::format("{},{},{},{},{},{}", cell.law->name, cell.rows, budget_text(cell.budget), to_string(cell.of),
                     cell.quantiles, cell.records_per_person);
}

std::string to_csv(const std::vector<Cell>& cells) {
  std::string text =
      "law,rows,budget,of,quantiles,records_per_person,quantile,covered,covered_standard_error,width,width_standard_"
      "error,open,plain_covered,plain_"
      "width,"
      "error_of_table,error_of_table_standard_error,error_of_law,error_of_law_standard_error,"
      "alone_error_of_table,alone_error_of_table_standard_error,alone_error_of_law,alone_error_of_law_standard_error\n";
  const auto both = [](const Estimate& each) { return fmt::format("{:.5g},{:.3g}", each.mean, each.standard_error); };
  for (const Cell& cell : cells) {
    for (const QuantileResult& each : cell.results) {
      text += fmt::format("{},{},{},{},{:.4g},{:.5g},{:.5g},{},{},{},{}\n", cell_text(cell), each.quantile.to_string(),
                          both(each.covered), both(each.width), each.open.mean, each.plain_covered.mean,
                          each.plain_width.mean, both(each.of_table), both(each.of_law), both(each.alone_of_table),
                          both(each.alone_of_law));
    }
  }
  return text;
}

/// The requirements that a combination misses: "missed", "wide", "open", separated by spaces.
std::string falls_short(const Cell& cell, std::uint64_t most_missed) {
  std::vector<std::string> short_of;
  const auto is_missed = [&](const QuantileResult& each) { return each.missed > most_missed; };
  if (std::ranges::any_of(cell.results, is_missed)) short_of.emplace_back("missed");
  if (cell.widths && cell.widths->are_wide()) short_of.emplace_back("wide");
  if (cell.widths && cell.widths->are_open()) short_of.emplace_back("open");
  return fmt::format("{}", fmt::join(short_of, " "));
}

std::string widths_to_csv(const std::vector<Cell>& cells, std::uint64_t most_missed) {
  std::string text =
      "law,rows,budget,of,quantiles,records_per_person,covered,between,half,nine_in_ten,alone,most,open,falls_short\n";
  for (const Cell& cell : cells) {
    if (!cell.widths) continue;
    const TableWidths& widths = *cell.widths;
    text += fmt::format("{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{}\n", cell_text(cell),
                        cell.least_covered().mean, widths.between, widths.half, widths.nine_in_ten, widths.alone,
                        widths.most(), widths.open, falls_short(cell, most_missed));
  }
  return text;
}

std::string ratio_text(double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : "-"; }

std::string to_lines(const Plan& plan, const std::vector<Cell>& cells, std::uint64_t most) {
  const double failure = 1 - plan.level.to_double();
  std::string text = fmt::format(
      "Intervals at the level {}: fractile {}, seed {}, {} trials.\n"
      "covered: how often the quantile that is held least often is held. Its standard error at that level is {:.4f}.\n"
      "\"missed\" stands where more than {} tables are missed; with intervals of that level, this happens with a\n"
      "probability of at most 1/1000 for all of them together.\n"
      "width: the width of all intervals together, divided by that of the non-private ones. widest: the largest such\n"
      "ratio of one quantile, among those whose non-private interval is at least a step wide. table, law: the mean\n"
      "error of the quantiles against those of the table and of the law, divided by that of a release without\n"
      "intervals on the same budget; - where the latter is below 0.05 records.\n"
      "For intervals of the table also, in D / epsilon records: half: the median distance from a quantile to an\n"
      "end; most: the largest that is expected of it.\n\n"
      "{:<18} {:>7} {:<12} {:<11} {:>2} {} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
      plan.level.to_string(), version, plan.seed, plan.trials,
      std::sqrt(failure * (1 - failure) / static_cast<double>(plan.trials)), most, "law", "rows", "budget", "of", "m",
      "D", "covered", "width", "widest", "table", "law", "half", "most");
  for (const Cell& cell : cells) {
    text += fmt::format("{:<18} {:>7} {:<12} {:<11} {:>2} {} {:>8.4f} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {}\n",
                        cell.law->name, cell.rows, budget_text(cell.budget), to_string(cell.of), cell.quantiles,
                        cell.records_per_person, cell.least_covered().mean, ratio_text(cell.width_ratio()),
                        ratio_text(cell.widest_ratio()),
                        ratio_text(cell.error_ratio(&QuantileResult::of_table, &QuantileResult::alone_of_table)),
                        ratio_text(cell.error_ratio(&QuantileResult::of_law, &QuantileResult::alone_of_law)),
                        cell.widths ? fmt::format("{:.1f}", cell.widths->half) : "-",
                        cell.widths ? fmt::format("{:.1f}", cell.widths->most()) : "-", falls_short(cell, most));
    while (text.ends_with(" \n")) text.erase(text.size() - 2, 1);
  }
  return text;
}

/// The wanted number of cells, drawn at random and kept in their order.
std::vector<Cell> some_of(std::vector<Cell> cells, std::uint64_t wanted, const Seed& seed) {
  std::vector<Cell> some;
  for (std::uint64_t i = 0; i < cells.size(); ++i) {
    const std::uint64_t left = cells.size() - i;
    if (some.size() < wanted && seed.with(i).value() % left < wanted - some.size()) some.push_back(std::move(cells[i]));
  }
  return some;
}

}  // namespace

Estimate Cell::least_covered() const {
  return std::ranges::min_element(results, {}, [](const QuantileResult& each) { return each.covered.mean; })->covered;
}

double Cell::width_ratio() const {
  double width = 0;
  double plain = 0;
  for (const QuantileResult& each : results) {
    width += each.width.mean;
    plain += each.plain_width.mean;
  }
  return plain > 0 ? width / plain : 0;
}

double Cell::widest_ratio() const {
  double widest = 0;
  for (const QuantileResult& each : results) {
    if (each.plain_width.mean >= 1) widest = std::max(widest, each.width.mean / each.plain_width.mean);
  }
  return widest;
}

double Cell::error_ratio(Estimate QuantileResult::*with, Estimate QuantileResult::*alone) const {
  double sum = 0;
  double sum_alone = 0;
  for (const QuantileResult& each : results) {
    sum += (each.*with).mean;
    sum_alone += (each.*alone).mean;
  }
  const double nothing = 0.05 * static_cast<double>(results.size());
  return sum_alone < nothing ? 0 : sum / sum_alone;
}

std::vector<Cell> run(const Plan& plan, const Observer& observer) {
  std::vector<LawSource> sources;
  for (const IntervalLaw* const law : plan.laws) sources.emplace_back(*law);
  std::vector<Cell> cells;
  for (const LawSource& source : sources) {
    for (const std::uint64_t rows : plan.rows) {
      for (const Budget& budget : plan.budgets) {
        for (const IntervalSubject of : plan.of) {
          for (const std::uint64_t quantiles : plan.quantile_counts) {
            for (const std::uint64_t records : plan.records_per_person) {
              if (of == IntervalSubject::population && records > 1) continue;
              cells.push_back({&source.law(), rows, budget, of, quantiles, records});
            }
          }
        }
      }
    }
  }
  if (plan.sample) cells = some_of(std::move(cells), *plan.sample, Seed(plan.seed).with("sample"));
  const auto run_one = [&](std::size_t i) {
    const auto source = std::ranges::find(sources, cells[i].law, [](const LawSource& each) { return &each.law(); });
    run_cell(plan, *source, cells[i]);
  };
  work_in_threads(threads, cells.size(), run_one, observer.progress);
  return cells;
}

std::uint64_t most_missed(const Plan& plan, const std::vector<Cell>& cells) {
  constexpr double failures_of_all = 1e-3;
  double intervals = 0;
  for (const Cell& cell : cells) intervals += static_cast<double>(cell.quantiles);
  const double of_each = failures_of_all / (2 * intervals);  // for the lowest and the highest value of a quantile
  return order_statistics(plan.trials, 1 - plan.level.to_double(), of_each).high - 1;
}

std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells) {
  const std::uint64_t most = most_missed(plan, cells);
  std::vector<TextFile> files{{"intervals.csv", to_csv(cells)},
                              {"intervals.txt", to_lines(plan, cells, most)},
                              {"table_widths.csv", widths_to_csv(cells, most)}};
  for (const IntervalLaw* const law : plan.laws) {
    files.push_back({fmt::format("laws/{}.csv", law->name), LawSource(*law).to_csv()});
  }
  return files;
}

}  // namespace fractile::experiments::interval_coverage
