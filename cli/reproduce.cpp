// fractile reproduce: runs a paper's experiment again.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "exact/lists.hpp"
#include "experiments/approximate_quantiles.hpp"
#include "experiments/auto_robustness.hpp"
#include "experiments/interval_coverage.hpp"
#include "experiments/kronecker_figures.hpp"
#include "experiments/kronecker_utility.hpp"
#include "experiments/output.hpp"
#include "experiments/quantile_figures.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"
#include "requests/values.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

namespace aq = experiments::approximate_quantiles;
namespace ar = experiments::auto_robustness;
namespace ic = experiments::interval_coverage;
namespace ku = experiments::kronecker_utility;

// --- What every experiment does ---------------------------------------------------------------------------------------

/// Makes the folder that --out names.
std::string folder_of(const Typed& typed) {
  std::string folder = typed.one("out");
  if (folder.empty()) {
    const Field field("out");
    usage({field, " is missing: the folder for the tables and the figures"}, {"write ", field.blank("DIR")});
  }
  experiments::prepare_folder(folder);
  return folder;
}

/// Notes go to standard error; progress is reported in `pieces`.
experiments::Observer observer_of(Progress& progress, const std::string& pieces) {
  return {[](const std::string& note) { print_error(note, ""); },
          [&progress, pieces](std::size_t done, std::size_t total) {
            progress.tick(fmt::format("{} of {} {}", done, total, pieces));
          }};
}

/// Writes the files and, if they are wanted, the figures. Prints their paths and `last_words`.
void leave(const Typed& typed, const std::string& folder, const std::vector<experiments::TextFile>& files,
           const std::vector<experiments::Figure>& figures, const std::string& last_words) {
  std::vector<std::string> paths = experiments::write_files(folder, files);
  if (!typed.has("no_figures")) {
    const std::vector<std::string> drawn = experiments::write_figures(folder, figures);
    paths.insert(paths.end(), drawn.begin(), drawn.end());
  }
  const std::string text = joined(paths, "", [](const std::string& path) { return shown_text(path) + "\n"; });
  print(text + last_words, "the files were written");
}

// --- approximate-quantiles --------------------------------------------------------------------------------------------

/// The entries of a table whose names the option lists, in the table's order; all entries if the option is not given.
template <class Entry>
std::vector<const Entry*> named(const Typed& typed, const std::string& field, std::span<const Entry> table) {
  const std::vector<std::string> known = mapped(table, [](const Entry& entry) { return std::string(entry.name); });
  const std::vector<std::string> wanted = typed.has(field) ? words(typed.one(field)) : known;
  for (const std::string& word : wanted) {
    if (std::ranges::find(known, word) != known.end()) continue;
    const std::string near = nearest_word(word, known);
    usage({Field(field), ": '", word, "' is not known"},
          near.empty() ? fmt::format("choose among {}", joined(known)) : fmt::format("did you mean {}?", near));
  }
  std::vector<const Entry*> chosen;
  for (const Entry& entry : table) {
    if (std::ranges::find(wanted, entry.name) != wanted.end()) chosen.push_back(&entry);
  }
  return chosen;
}

/// The whole numbers that the option lists, each once, in increasing order; `others` if the option is not given.
std::vector<std::uint64_t> whole_numbers(const Typed& typed, const std::string& field, const Range& limits,
                                         const std::vector<std::uint64_t>& others) {
  if (!typed.has(field)) return others;
  std::vector<std::uint64_t> listed;
  for (const std::string& word : words(typed.one(field))) listed.push_back(whole_number(field, word, limits));
  std::ranges::sort(listed);
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  return listed;
}

std::vector<std::uint64_t> quantile_counts(const Typed& typed, const std::vector<std::uint64_t>& others) {
  return whole_numbers(typed, "quantile_counts", {1, 1000}, others);
}

void require_data_folder(const aq::Plan& plan) {
  const auto is_file = [](const experiments::StudiedSet* set) { return set->origin == experiments::Origin::file; };
  if (!plan.data_folder.empty() || std::ranges::none_of(plan.sets, is_file)) return;
  usage({Field("data"), " is missing: the folder of adult.csv and goodreads.csv"},
        {"or write ", Field("sets").texts({"uniform", "gaussian"}), ", which need no files"});
}

aq::Plan quantiles_plan(const Typed& typed) {
  aq::Plan plan;
  plan.data_folder = typed.one("data");
  plan.library = typed.one("duckdb");
  plan.sets = named(typed, "sets", experiments::studied_sets());
  plan.mechanisms = named(typed, "mechanisms", experiments::studied_mechanisms());
  plan.only_quick = !typed.has("mechanisms");
  plan.quantile_counts = quantile_counts(typed, aq::default_quantile_counts());
  if (typed.has("trials")) plan.trials = whole_number(typed, "trials", {1, 1'000'000});
  if (typed.has("seed")) plan.seed = whole_number(typed, "seed", {0, ~std::uint64_t{0}});
  require_data_folder(plan);
  return plan;
}

int run_approximate_quantiles(const Typed& typed) {
  const aq::Plan plan = quantiles_plan(typed);
  const std::string folder = folder_of(typed);
  Progress progress("approximate-quantiles");
  const experiments::Observer observer = observer_of(progress, "cells");
  const std::vector<aq::Row> rows = aq::run(plan, observer);
  leave(typed, folder, aq::files_of(plan, rows), aq::figures_of(rows), std::string(aq::disclaimer) + "\n");
  return 0;
}

// --- auto-robustness --------------------------------------------------------------------------------------------------

/// The numbers that the option lists, or those in `others` if it is not given. Throws `usage` unless all are positive.
std::vector<Rational> positive_numbers(const Typed& typed, const std::string& field, const std::string& others) {
  std::vector<Rational> listed = numbers(typed.has(field) ? typed.one(field) : others);
  for (const Rational& number : listed) {
    if (number <= Rational(0))
      usage({Field(field), ": ", number.to_string(), " is not above 0"}, "write for example 0.1,1");
  }
  return listed;
}

ar::Plan robustness_plan(const Typed& typed) {
  ar::Plan plan;
  plan.data_folder = typed.one("data");
  plan.library = typed.one("duckdb");
  plan.populations = named(typed, "populations", experiments::populations());
  plan.rows = whole_numbers(typed, "rows", {10, 10'000'000}, {20, 50, 100, 400, 1000, 10'000, 100'000});
  plan.epsilons = positive_numbers(typed, "epsilons", "0.01,0.1,1,10");
  plan.quantile_counts = quantile_counts(typed, {1, 2, 3, 5, 9, 19, 49, 99});
  plan.factors = whole_numbers(typed, "bounds_times", {1, 1'000'000}, {1, 10, 1000});
  if (typed.has("trials")) plan.trials = whole_number(typed, "trials", {1, 1'000'000});
  if (typed.has("seed")) plan.seed = whole_number(typed, "seed", {0, ~std::uint64_t{0}});
  return plan;
}

int run_auto_robustness(const Typed& typed) {
  const ar::Plan plan = robustness_plan(typed);
  const std::string folder = folder_of(typed);
  Progress progress("auto-robustness");
  const experiments::Observer observer = observer_of(progress, "cells");
  leave(typed, folder, ar::files_of(plan, ar::run(plan, observer)), {}, std::string(aq::disclaimer) + "\n");
  return 0;
}

// --- intervals --------------------------------------------------------------------------------------------------------

Rational level_of(const Typed& typed) {
  if (!typed.has("level")) return {19, 20};
  Rational level = in_field("level", [&] { return Rational::parse(typed.one("level")); });
  if (level <= Rational(0) || level >= Rational(1)) {
    usage({Field("level"), ": ", level.to_string(), " is not between 0 and 1"}, "write for example 0.95");
  }
  return level;
}

std::vector<IntervalSubject> questions_of(const Typed& typed) {
  if (!typed.has("of")) return {IntervalSubject::population, IntervalSubject::table};
  const std::map<std::string, IntervalSubject> known{{"table", IntervalSubject::table},
                                                     {"population", IntervalSubject::population}};
  return {choice(typed, "of", known, IntervalSubject::population)};
}

ic::Plan intervals_plan(const Typed& typed) {
  ic::Plan plan;
  plan.laws = named(typed, "laws", experiments::interval_laws());
  plan.rows = whole_numbers(typed, "rows", {10, 1'000'000}, {100, 1000, 10'000});
  plan.quantile_counts = whole_numbers(typed, "quantile_counts", {1, 20}, plan.quantile_counts);
  plan.records_per_person = whole_numbers(typed, "records_per_person", {1, 1000}, plan.records_per_person);
  if (typed.has("sample")) plan.sample = whole_number(typed, "sample", {1, 1'000'000});
  const bool only_rhos = typed.has("rhos") && !typed.has("epsilons");
  if (!only_rhos) {
    for (const Rational& epsilon : positive_numbers(typed, "epsilons", "0.1,1"))
      plan.budgets.push_back(Budget::pure(epsilon));
  }
  if (typed.has("rhos")) {
    for (const Rational& rho : positive_numbers(typed, "rhos", "")) plan.budgets.push_back(Budget::zcdp(rho));
  }
  plan.of = questions_of(typed);
  plan.level = level_of(typed);
  if (typed.has("trials")) plan.trials = whole_number(typed, "trials", {1, 1'000'000});
  if (typed.has("seed")) plan.seed = whole_number(typed, "seed", {0, ~std::uint64_t{0}});
  return plan;
}

int run_intervals(const Typed& typed) {
  const ic::Plan plan = intervals_plan(typed);
  const std::string folder = folder_of(typed);
  Progress progress("intervals");
  const experiments::Observer observer = observer_of(progress, "combinations");
  const std::vector<ic::Cell> cells = ic::run(plan, observer);
  leave(typed, folder, ic::files_of(plan, cells), ic::figures_of(plan, cells), std::string(aq::disclaimer) + "\n");
  return 0;
}

// --- kronecker-utility ------------------------------------------------------------------------------------------------

int run_kronecker_utility(const Typed& typed) {
  ku::Plan plan;
  plan.data_folder = typed.one("data");
  plan.library = typed.one("duckdb");
  if (typed.has("points")) plan.points = whole_number(typed, "points", {2, 10'000});
  const std::string folder = folder_of(typed);
  Progress progress("kronecker-utility");
  const experiments::Observer observer = observer_of(progress, "points");
  const ku::Results results = ku::run(plan, observer);
  leave(typed, folder, ku::files_of(plan, results), ku::figures_of(results), ku::summary(results));
  return 0;
}

}  // namespace

int run_reproduce(const Typed& typed) {
  if (typed.word == "kronecker-utility") return run_kronecker_utility(typed);
  if (typed.word == "auto-robustness") return run_auto_robustness(typed);
  if (typed.word == "intervals") return run_intervals(typed);
  return run_approximate_quantiles(typed);
}

}  // namespace fractile::cli
