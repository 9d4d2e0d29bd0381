#include "experiments/auto_robustness.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/seeds.hpp"
#include "experiments/workers.hpp"
#include "fractile/release.hpp"
#include "fractile/version.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::auto_robustness {
namespace {

constexpr std::size_t threads = 2;

// --- The tables -------------------------------------------------------------------------------------------------------

std::vector<TableSource> sources_of(const Plan& plan, const Observer& observer) {
  std::vector<TableSource> sources;
  for (const Population* const population : plan.populations) {
    const std::filesystem::path file = std::filesystem::path(plan.data_folder) / population->file;
    if (population->law == Law::file && !std::filesystem::exists(file)) {
      observer.note(fmt::format("{} is not there: left out {}", file.string(), population->name));
      continue;
    }
    for (const std::uint64_t factor : plan.factors) {
      sources.push_back(TableSource::open(*population, factor, plan.data_folder, plan.library));
    }
  }
  return sources;
}

// --- A cell of work ---------------------------------------------------------------------------------------------------

/// The errors of one contender in each trial.
struct Course {
  const Contender* contender;
  std::vector<double> tie_rank = {};
  std::vector<double> value = {};
};

QuantileQuery query_for(const Contender& contender, const Cell& cell) {
  QuantileQuery query{{}, Budget::pure(cell.epsilon)};
  for (const QuantileFraction& q : uniform_quantiles(cell.quantiles)) {
    query.quantiles.emplace_back(static_cast<std::int64_t>(q.numerator), static_cast<std::int64_t>(q.denominator));
  }
  query.mechanism = contender.mechanism;
  if (contender.told > 0) {
    const auto told = static_cast<std::uint64_t>(contender.told * static_cast<double>(cell.rows));
    query.expected_rows = std::max<std::uint64_t>(told, 1);
  }
  return query;
}

/// The mean distance of the released values from the quantiles, in steps.
double value_error(const RankProfile& table, const std::vector<std::uint64_t>& released, std::uint64_t m) {
  double sum = 0;
  for (std::uint64_t j = 0; j < m; ++j) {
    const std::uint64_t truth = true_quantile(table, {j + 1, m + 1});
    sum += std::abs(static_cast<double>(released[j]) - static_cast<double>(truth));
  }
  return sum / static_cast<double>(m);
}

void run_trial(const Cell& cell, const TableSource& source, const Seed& seed, std::vector<Course>& courses) {
  const RankProfile table = source.table(cell.rows, seed);
  const std::vector<QuantileFraction> quantiles = uniform_quantiles(cell.quantiles);
  for (Course& course : courses) {
    RandomBits bits = RandomBits::unsafe_seeded(seed.with(course.contender->name).with(cell.factor).value());
    const QuantileQuery query = query_for(*course.contender, cell);
    const auto released = release(CountedColumn(table, 1), query, bits).only().indices;
    course.tie_rank.push_back(errors_of(table, quantiles, released).tie_rank);
    course.value.push_back(value_error(table, released, cell.quantiles) / source.interquartile_range());
  }
}

Estimate estimate_of(const std::vector<double>& values) {
  Average average;
  for (const double value : values) average.add(value);
  return average.estimate();
}

/// The smallest value that at least this share of the values do not exceed.
double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double rank = std::ceil(share * static_cast<double>(values.size())) - 1;
  return values[static_cast<std::size_t>(std::max(rank, 0.0))];
}

void run_cell(const Plan& plan, const TableSource& source, Cell& cell) {
  std::vector<Course> courses;
  for (const Contender& contender : contenders()) {
    if (cell.quantiles <= contender.quick_up_to) courses.push_back({&contender});
  }
  const Seed seed =
      Seed(plan.seed).with(cell.population->name).with(cell.rows).with(cell.quantiles).with(cell.epsilon.to_string());
  for (std::uint64_t trial = 0; trial < plan.trials; ++trial) run_trial(cell, source, seed.with(trial), courses);
  for (const Course& course : courses) {
    cell.results.push_back({course.contender, estimate_of(course.tie_rank), percentile(course.tie_rank, 0.95),
                            percentile(course.tie_rank, 0.99), estimate_of(course.value)});
  }
}

// --- In words ---------------------------------------------------------------------------------------------------------

bool is_automatic(const Result& result) { return result.contender->mechanism == Mechanism::automatic; }

const Result& best_of(const Cell& cell, double (*error)(const Result&)) {
  const Result* best = nullptr;
  for (const Result& result : cell.results) {
    if (!is_automatic(result) && (best == nullptr || error(result) < error(*best))) best = &result;
  }
  return *best;
}

double mean_of(const Result& result) { return result.tie_rank.mean; }
double tail_of(const Result& result) { return result.tie_rank_95; }

/// Whether the error exceeds 1.15 times the best one, and exceeds it by more than half a record and by two standard errors of the
/// difference.
bool loses(const Result& result, const Cell& cell) {
  const Result& best = best_of(cell, mean_of);
  const double noise = 2 * std::hypot(result.tie_rank.standard_error, best.tie_rank.standard_error);
  return mean_of(result) > 1.15 * mean_of(best) && mean_of(result) - mean_of(best) > std::max(noise, 0.5);
}

bool loses_in_tail(const Result& result, const Cell& cell) {
  const double best = tail_of(best_of(cell, tail_of));
  return tail_of(result) > 1.15 * best && tail_of(result) > best + 1;
}

std::string cell_text(const Cell& cell) {
  return fmt::format("{},{},{},{},{}", cell.population->name, cell.rows, cell.epsilon.to_string(), cell.quantiles,
                     cell.factor);
}

std::string to_csv(const std::vector<Cell>& cells) {
  std::string text =
      "population,rows,epsilon,quantiles,bounds_times,contender,tie_rank_mean,tie_rank_standard_error,tie_rank_95,"
      "tie_rank_99,value_mean,value_standard_error\n";
  for (const Cell& cell : cells) {
    for (const Result& result : cell.results) {
      text += fmt::format("{},{},{:.6g},{:.4g},{:.6g},{:.6g},{:.6g},{:.4g}\n", cell_text(cell), result.contender->name,
                          result.tie_rank.mean, result.tie_rank.standard_error, result.tie_rank_95, result.tie_rank_99,
                          result.value.mean, result.value.standard_error);
    }
  }
  return text;
}

/// How often `auto` loses in all cells when it is asked in this way.
std::string summary_of(const Contender& contender, const std::vector<Cell>& cells) {
  std::size_t worse = 0;
  std::size_t worse_in_tail = 0;
  std::string where;
  for (const Cell& cell : cells) {
    for (const Result& result : cell.results) {
      if (result.contender != &contender) continue;
      const bool by_mean = loses(result, cell);
      const bool by_tail = loses_in_tail(result, cell);
      worse += by_mean ? 1 : 0;
      worse_in_tail += by_tail ? 1 : 0;
      if (!by_mean && !by_tail) continue;
      const Result& best = best_of(cell, mean_of);
      where += fmt::format("  {:<34} mean {:.4g}, best {:.4g} ({}); 95th {:.4g}, best {:.4g}; value {:.3g}\n",
                           cell_text(cell), mean_of(result), mean_of(best), best.contender->name, tail_of(result),
                           tail_of(best_of(cell, tail_of)), result.value.mean);
    }
  }
  return fmt::format("{}: loses by mean in {} of {} cells, by the 95th percentile in {}\n{}\n", contender.name, worse,
                     cells.size(), worse_in_tail, where);
}

std::string description(const Plan& plan, const std::vector<Cell>& cells) {
  std::string text = fmt::format(
      "Does auto lose to a mechanism that could have been named? fractile {}, seed {}, {} trials a cell.\n"
      "Errors are tie rank errors, in records. Auto loses a cell by mean when its mean error is more than 1.15\n"
      "times the best of the others', and larger by more than half a record and two standard errors. It loses a\n"
      "cell by the 95th percentile when its percentile is more than 1.15 times the best of the others', and larger\n"
      "by more than a record. A cell is a population, a number of rows, epsilon, a number of quantiles, and the\n"
      "factor by which the bounds are too wide.\n\n",
      version, plan.seed, plan.trials);
  for (const Contender& contender : contenders()) {
    if (contender.mechanism == Mechanism::automatic) text += summary_of(contender, cells);
  }
  return text;
}

}  // namespace

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> all{
      {"auto-told", Mechanism::automatic, 1},        {"auto-untold", Mechanism::automatic},
      {"auto-told-half", Mechanism::automatic, 0.5}, {"auto-told-double", Mechanism::automatic, 2},
      {"approximate", Mechanism::approximate},       {"joint-total", Mechanism::joint_total, 0, 24},
      {"joint-tree", Mechanism::joint_tree},         {"tree", Mechanism::tree},
  };
  return all;
}

std::vector<Cell> run(const Plan& plan, const Observer& observer) {
  const std::vector<TableSource> sources = sources_of(plan, observer);
  std::vector<Cell> cells;
  std::vector<const TableSource*> tables;
  for (const TableSource& source : sources) {
    for (const std::uint64_t rows : plan.rows) {
      for (const Rational& epsilon : plan.epsilons) {
        for (const std::uint64_t m : plan.quantile_counts) {
          const std::uint64_t factor =
              plan.factors[static_cast<std::size_t>(&source - sources.data()) % plan.factors.size()];
          cells.push_back({&source.population(), rows, epsilon, m, factor});
          tables.push_back(&source);
        }
      }
    }
  }
  work_in_threads(
      threads, cells.size(), [&](std::size_t i) { run_cell(plan, *tables[i], cells[i]); }, observer.progress);
  return cells;
}

std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells) {
  return {{"auto_robustness.csv", to_csv(cells)}, {"auto_robustness.txt", description(plan, cells)}};
}

}  // namespace fractile::experiments::auto_robustness
