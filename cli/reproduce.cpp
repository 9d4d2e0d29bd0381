#include "reproduce.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "experiments/approximate_quantiles.hpp"
#include "experiments/output.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

using experiments::Observer;
using experiments::Plan;
using experiments::Row;

void require_experiment(const std::string& name) {
  const std::string known = "approximate-quantiles";
  if (name == known) return;
  const std::string example = fmt::format("write fractile reproduce {} --data DIR --out DIR", known);
  if (name.empty()) usage("no experiment is named", example);
  const bool is_near = !nearest_word(name, {known}).empty();
  usage(fmt::format("unknown experiment '{}'", name), is_near ? fmt::format("did you mean {}?", known) : example);
}

/// The entries of a table whose names the option lists, in the table's order; all when it is not given.
template <class Entry>
std::vector<const Entry*> named(const Typed& typed, const std::string& option, std::span<const Entry> table) {
  std::vector<std::string> known;
  for (const Entry& entry : table) known.emplace_back(entry.name);
  const std::vector<std::string> wanted = typed.has(option) ? words(typed.one(option)) : known;
  for (const std::string& word : wanted) {
    if (std::ranges::find(known, word) != known.end()) continue;
    const std::string near = nearest_word(word, known);
    usage(fmt::format("{}: '{}' is not known", option, word),
          near.empty() ? fmt::format("choose among {}", joined(known)) : fmt::format("did you mean {}?", near));
  }
  std::vector<const Entry*> chosen;
  for (const Entry& entry : table) {
    if (std::ranges::find(wanted, entry.name) != wanted.end()) chosen.push_back(&entry);
  }
  return chosen;
}

std::vector<std::uint64_t> quantile_counts(const Typed& typed) {
  const std::string option = "--quantile-counts";
  if (!typed.has(option)) return experiments::default_quantile_counts();
  std::vector<std::uint64_t> counts;
  for (const std::string& word : words(typed.one(option))) counts.push_back(whole_number(option, word, {1, 1000}));
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

void require_data_folder(const Plan& plan) {
  const auto is_file = [](const experiments::StudiedSet* set) { return set->origin == experiments::Origin::file; };
  if (!plan.data_folder.empty() || std::ranges::none_of(plan.sets, is_file)) return;
  usage("--data is missing: the folder of adult.csv and goodreads.csv",
        "or write --sets uniform,gaussian, which need no files");
}

Plan plan_of(const Typed& typed) {
  Plan plan;
  plan.data_folder = typed.one("--data");
  plan.library = typed.one("--duckdb");
  plan.sets = named(typed, "--sets", experiments::studied_sets());
  plan.mechanisms = named(typed, "--mechanisms", experiments::studied_mechanisms());
  plan.only_quick = !typed.has("--mechanisms");
  plan.quantile_counts = quantile_counts(typed);
  if (typed.has("--trials")) plan.trials = whole_number(typed, "--trials", {1, 1'000'000});
  if (typed.has("--seed")) plan.seed = whole_number(typed, "--seed", {0, ~std::uint64_t{0}});
  require_data_folder(plan);
  return plan;
}

std::vector<Row> observed_run(const Plan& plan, Observer observer) {
  Progress progress("approximate-quantiles");
  observer.progress = [&](std::size_t done, std::size_t total) {
    progress.tick(fmt::format("{} of {} cells", done, total));
  };
  return experiments::run(plan, observer);
}

std::string summary(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += fmt::format("{}\n", path);
  return text;
}

}  // namespace

int run_reproduce(const Typed& typed) {
  require_experiment(typed.file);
  const Plan plan = plan_of(typed);
  const std::string folder = typed.one("--out");
  if (folder.empty()) usage("--out is missing: the folder for the table and the figures", "write --out DIR");
  experiments::prepare_folder(folder);

  const Observer observer{[](const std::string& note) { print_error(note, ""); }};
  const std::vector<Row> rows = observed_run(plan, observer);
  std::vector<std::string> paths = experiments::write_table(folder, plan, rows);
  if (!typed.has("--no-figures")) {
    const std::vector<std::string> drawn = experiments::write_figures(folder, rows, observer);
    paths.insert(paths.end(), drawn.begin(), drawn.end());
  }
  print(summary(paths) + experiments::disclaimer + "\n", "the files were written");
  return 0;
}

}  // namespace fractile::cli
