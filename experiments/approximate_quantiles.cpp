#include "experiments/approximate_quantiles.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "experiments/seeds.hpp"
#include "experiments/workers.hpp"
#include "fractile/error.hpp"
#include "fractile/version.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::approximate_quantiles {
namespace {

constexpr std::size_t threads = 2;

// --- The data ---------------------------------------------------------------------------------------------------------

bool is_there(const std::string& folder, const char* file) {
  return std::filesystem::exists(std::filesystem::path(folder) / file);
}

void require_folder(const Plan& plan) {
  const bool needed = std::ranges::any_of(plan.sets, [](const StudiedSet* set) { return set->origin == Origin::file; });
  if (!needed || std::filesystem::is_directory(plan.data_folder)) return;
  throw Error(ErrorCode::data, "there is no folder " + plan.data_folder,
              "name the one that holds adult.csv and goodreads.csv");
}

std::string names_from(const Plan& plan, const std::string& file) {
  std::string names;
  for (const StudiedSet* const set : plan.sets) {
    if (set->file == file) names += fmt::format("{}{}", names.empty() ? "" : ", ", set->name);
  }
  return names;
}

/// The plan's sets, except for those whose file is missing.
std::vector<SampleSource> sources_of(const Plan& plan, const Observer& observer) {
  require_folder(plan);
  std::vector<SampleSource> sources;
  std::set<std::string> missing;
  for (const StudiedSet* const set : plan.sets) {
    if (set->origin == Origin::file && !is_there(plan.data_folder, set->file)) {
      missing.insert(set->file);
    } else {
      sources.push_back(SampleSource::open(*set, plan.data_folder, plan.library));
    }
  }
  if (sources.empty()) {
    throw Error(ErrorCode::data, fmt::format("none of the sets' files is in {}", plan.data_folder),
                "name the folder of adult.csv and goodreads.csv with --data");
  }
  for (const std::string& file : missing) {
    observer.note(fmt::format("{} is not in {}: left out {}", file, plan.data_folder, names_from(plan, file)));
  }
  return sources;
}

// --- A cell of work ---------------------------------------------------------------------------------------------------

struct Cell {
  const StudiedBudget* budget;
  const SampleSource* source;
  const StudiedMechanism* mechanism;
  std::uint64_t quantiles;
};

/// The result of a cell: a row, or the reason why there is none.
struct Outcome {
  std::optional<Row> row;
  std::string refusal;
};

bool is_left_out(const Plan& plan, const StudiedMechanism& mechanism, std::uint64_t m) {
  return plan.only_quick && m > mechanism.quick_up_to;
}

void tell_slow(const Plan& plan, const Observer& observer) {
  for (const StudiedMechanism* const mechanism : plan.mechanisms) {
    if (!is_left_out(plan, *mechanism, plan.quantile_counts.back())) continue;
    observer.note(fmt::format("{0} above m = {1} takes seconds a release: left out, unless --mechanisms names {0}",
                              mechanism->name, mechanism->quick_up_to));
  }
}

std::vector<Cell> cells_of(const Plan& plan, const std::vector<SampleSource>& sources) {
  std::vector<Cell> cells;
  for (const StudiedBudget& budget : studied_budgets()) {
    for (const SampleSource& source : sources) {
      for (const StudiedMechanism* const mechanism : plan.mechanisms) {
        for (const std::uint64_t m : plan.quantile_counts) {
          if (!is_left_out(plan, *mechanism, m)) cells.push_back({&budget, &source, mechanism, m});
        }
      }
    }
  }
  return cells;
}

struct Averages {
  Average gap;
  Average missed;
  Average tie_rank;

  void add(const Errors& errors) {
    gap.add(errors.gap);
    missed.add(errors.missed);
    tie_rank.add(errors.tie_rank);
  }
};

/// Runs one mechanism on the samples of its cell.
class Trials {
 public:
  Trials(const Cell& cell, const Seed& seed)
      : cell_(cell),
        samples_(seed.with("sample").with(cell.quantiles)),
        bits_(seed.with("bits")
                  .with(cell.budget->name)
                  .with(cell.source->set().name)
                  .with(cell.mechanism->name)
                  .with(cell.quantiles)),
        quantiles_(uniform_quantiles(cell.quantiles)),
        query_(query_for(*cell.mechanism, cell.budget->budget, cell.quantiles, sample_size)) {}

  void run_one(std::uint64_t trial) {
    const RankProfile profile = cell_.source->sample(sample_size, samples_.with(trial));
    RandomBits bits = RandomBits::unsafe_seeded(bits_.with(trial).value());
    const auto start = std::chrono::steady_clock::now();
    const auto released = run_mechanism(*cell_.mechanism, profile, query_, bits);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times_.push_back(time.count());
    averages_.add(errors_of(profile, quantiles_, released));
  }

  Row row(std::uint64_t trials) const {
    return {cell_.budget,
            &cell_.source->set(),
            cell_.mechanism,
            cell_.quantiles,
            trials,
            averages_.gap.estimate(),
            averages_.missed.estimate(),
            averages_.tie_rank.estimate(),
            times()};
  }

 private:
  Times times() const {
    Average average;
    for (const double time : times_) average.add(time);
    return {average.estimate().mean, median(times_)};
  }

  Cell cell_;
  Seed samples_;
  Seed bits_;
  std::vector<QuantileFraction> quantiles_;
  QuantileQuery query_;
  Averages averages_;
  std::vector<double> times_;
};

Outcome outcome_of(const Cell& cell, const Plan& plan) {
  try {
    Trials trials(cell, Seed(plan.seed));
    for (std::uint64_t trial = 0; trial < plan.trials; ++trial) trials.run_one(trial);
    return {trials.row(plan.trials), {}};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return {std::nullopt, error.what()};
  }
}

// --- All cells --------------------------------------------------------------------------------------------------------

/// The order in which the cells are worked on: those with many quantiles first, so that no long cell is left for the end.
std::vector<std::size_t> longest_first(const std::vector<Cell>& cells) {
  std::vector<std::size_t> order(cells.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return cells[i].quantiles; });
  return order;
}

void tell_refusals(const std::vector<Cell>& cells, const std::vector<Outcome>& outcomes, const Observer& observer) {
  std::map<std::string, std::size_t> refused;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (outcomes[i].row) continue;
    ++refused[fmt::format("{} under {}: {}", cells[i].mechanism->name, cells[i].budget->name, outcomes[i].refusal)];
  }
  for (const auto& [what, count] : refused)
    observer.note(fmt::format("left out {} row{} of {}", count, count == 1 ? "" : "s", what));
}

// --- In words ---------------------------------------------------------------------------------------------------------

std::string budget_text(const Budget& budget) {
  return budget.measure() == Measure::pure ? budget.epsilon().to_string() : budget.rho().to_string();
}

std::string estimate_text(const Estimate& estimate) {
  return fmt::format("{:.6g},{:.4g}", estimate.mean, estimate.standard_error);
}

std::string row_text(const Row& row) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{:.6g},{:.6g}\n", row.budget->name, budget_text(row.budget->budget),
                     row.set->name, row.mechanism->name, row.quantiles, row.trials, estimate_text(row.gap),
                     estimate_text(row.missed), estimate_text(row.tie_rank), row.microseconds.mean,
                     row.microseconds.median);
}

std::string numbers_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

std::string command_of(const Plan& plan) {
  return fmt::format("fractile {}, seed {}, {} trials, m = {}\n", version, plan.seed, plan.trials,
                     numbers_text(plan.quantile_counts));
}

constexpr const char* protocol_text =
    "The experiments of section 4 of \"Differentially Private Approximate Quantiles\" (Kaplan, Schnapp, Stemmer\n"
    "2021).\n"
    "In a trial, 1000 records are drawn with replacement from a file, or afresh from a law. Their m uniform\n"
    "quantiles i/(m+1) are released between -100 and 100, with epsilon = 1 (pure) and with rho = 1/2 (zcdp).\n"
    "Neighbors differ by adding or removing one record. All mechanisms see the same samples. Candidates lie\n"
    "0.00001 apart; in the sets named -declared, as far apart as the values are known to be.\n";

constexpr const char* metrics_text =
    "gap           mean over the quantiles of #{x in [min(o, v), max(o, v))}: v released, o the record of rank\n"
    "              floor(q n)\n"
    "missed        largest |#{x < v} - floor(q n)|\n"
    "tie_rank      mean distance of q n from [#{x < v}, #{x <= v}]\n"
    "microseconds  for one release of a sample that is already counted; other work of the machine affects the\n"
    "              median less\n"
    "Means and standard errors are over the trials. Everything except the times is the same for the same seed.\n";

std::string to_csv(const std::vector<Row>& rows) {
  std::string text =
      "measure,budget,set,mechanism,quantiles,trials,gap_mean,gap_standard_error,missed_mean,missed_standard_error,"
      "tie_rank_mean,tie_rank_standard_error,microseconds_mean,microseconds_median\n";
  for (const Row& row : rows) text += row_text(row);
  return text;
}

std::string description(const Plan& plan) {
  std::string text = fmt::format("{}\n\n{}\n{}\n{}\nSets\n", disclaimer, protocol_text, command_of(plan), metrics_text);
  for (const StudiedSet* const set : plan.sets) text += fmt::format("  {:<26} {}\n", set->name, set->title);
  text += "\nMechanisms\n";
  for (const StudiedMechanism* const mechanism : plan.mechanisms) {
    text += fmt::format("  {:<26} {}\n", mechanism->name, mechanism->title);
  }
  return text;
}

}  // namespace

const std::vector<StudiedBudget>& studied_budgets() {
  static const std::vector<StudiedBudget> budgets{
      {"pure", "pure, epsilon = 1", Budget::pure(Rational(1))},
      {"zcdp", "zero-concentrated, rho = 1/2", Budget::zcdp(Rational(1, 2))},
  };
  return budgets;
}

const std::vector<std::uint64_t>& default_quantile_counts() {
  static const std::vector<std::uint64_t> counts{1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 50, 75, 100, 120};
  return counts;
}

std::vector<Row> run(const Plan& plan, const Observer& observer) {
  const std::vector<SampleSource> sources = sources_of(plan, observer);
  tell_slow(plan, observer);
  const std::vector<Cell> cells = cells_of(plan, sources);
  const std::vector<std::size_t> order = longest_first(cells);
  std::vector<Outcome> outcomes(cells.size());
  work_in_threads(
      threads, cells.size(), [&](std::size_t i) { outcomes[order[i]] = outcome_of(cells[order[i]], plan); },
      observer.progress);
  tell_refusals(cells, outcomes, observer);
  std::vector<Row> rows;
  for (const Outcome& outcome : outcomes) {
    if (outcome.row) rows.push_back(*outcome.row);
  }
  return rows;
}

std::vector<TextFile> files_of(const Plan& plan, const std::vector<Row>& rows) {
  return {{"approximate_quantiles.csv", to_csv(rows)}, {"approximate_quantiles.txt", description(plan)}};
}

}  // namespace fractile::experiments::approximate_quantiles
