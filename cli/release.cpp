#include "release.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "explain.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/report.hpp"
#include "fractile/source.hpp"
#include "groups.hpp"
#include "options.hpp"
#include "query.hpp"
#include "release_charge.hpp"
#include "sources.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

/// What is printed, and the files of a page. `json`: the receipt, where it is needed.
WebPage rendered(const Shown& shown, const Published& release, const SourceDescription& source,
                 const std::string& json) {
  if (shown.format == Format::json) return {json};
  if (shown.format == Format::html) return page_of(json, "the release", shown);
  const bool is_table = shown.format == Format::table;
  if (!shown.compared) return {is_table ? to_table(release, source) : to_csv(release)};
  const Receipt receipt = read_receipt(json, "the release");
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt, *shown.compared);
  return {is_table ? to_table(release, source) + "\n" + to_table(receipt, comparisons) : to_csv(receipt, comparisons)};
}

std::optional<std::uint32_t> sql_stability(const Typed& typed) {
  if (!typed.has("--sql-stability")) return {};
  return static_cast<std::uint32_t>(whole_number(typed, "--sql-stability", {1, TableOptions::most_stability}));
}

TableOptions table_of(const Typed& typed) {
  for (const char* option : {"--sql-stability", "--table"}) {
    if (typed.has(option) && !typed.has("--sql")) {
      usage(std::string(option) + " goes with --sql", "write a query, or leave the option out");
    }
  }
  if (typed.file.empty() && !typed.has("--table")) {
    usage("no FILE to read", "name a CSV, TSV, Parquet or JSON file, or - for standard input");
  }
  for (const char* option : {"--input-format", "--delimiter"}) {
    if (typed.file.empty() && typed.has(option)) {
      usage(std::string(option) + " tells of FILE, and none is named", "name a FILE, or leave the option out");
    }
  }
  TableOptions options{typed.file, typed.one("--sql"), typed.one("--input-format"), typed.one("--delimiter"),
                       typed.one("--duckdb")};
  if (typed.has("--threads")) {
    options.threads = static_cast<std::uint32_t>(whole_number(typed, "--threads", {1, TableOptions::most_threads}));
  }
  options.tables = named_tables(typed);
  options.sql_stability = sql_stability(typed);
  options.single_line_records = typed.has("--single-line-records");
  return options;
}

std::string input_name(const Typed& typed) {
  if (typed.file.empty()) return "the query's result";
  return typed.file == "-" ? "standard input" : typed.file;
}

/// Standard input is read to its end here.
Table opened(const TableOptions& options, const std::string& name) {
  const Progress progress("opening " + name);
  return Table::open(options);
}

/// From what is public: all groups have the same query. `json`: the receipt, where there is one; it was found out for that already.
void warn_of_noise(const Published& published, const std::string& json) {
  const QuantileRelease* release = std::get_if<QuantileRelease>(&published);
  if (!release) release = &std::get<GroupedRelease>(published).releases.front();
  const std::optional<MostlyNoise> noise =
      json.empty() ? mostly_noise(*release) : read_receipt(json, "the release").noise;
  if (!noise) return;
  const auto [what, hint] = in_words(*noise);
  print_error("warning: " + what, hint);
}

/// An epsilon of 20, at which the odds may change half a billion times over, and a rho as large as an exponential
/// mechanism of that epsilon has: 20^2 / 8.
void warn_of_weak_budgets(const Budget& budget) {
  const bool pure = budget.measure() != Measure::zcdp;
  if (pure ? budget.epsilon().to_double() <= 20 : budget.rho() <= Rational(50)) return;
  print_error(pure ? "warning: an epsilon above 20 promises next to nothing"
                   : "warning: a rho above 50 promises next to nothing",
              "one person's record can change the odds of a release at will");
}

}  // namespace

/// Refusals first, rows second, output last.
int run_release(const Typed& typed) {
  if (!typed.has("--column")) usage("--column is missing", "name the column to publish, for example --column age");
  const QuantileQuery asked = query_of(typed, budget_of(typed));
  const QuantileQuery query = over_query(asked, sql_stability(typed).value_or(1));
  const std::optional<BoundsToFind> bounds = bounds_to_find(typed, query);
  const Lattice lattice = bounds ? bounds->search.lattice() : lattice_of(typed);
  query.validate(lattice);
  const RecordSelection selection = selection_of(typed, query);
  Shown shown = shown_as(typed, query, selection.keys);
  const auto null_policy =
      choice<NullPolicy>(typed, "--null", {{"drop", NullPolicy::drop}, {"error", NullPolicy::error}}, NullPolicy::drop);
  const std::string receipt = typed.one("--receipt");
  const TableOptions options = table_of(typed);
  RandomBits bits = typed.has("--unsafe-seed")
                        ? RandomBits::unsafe_seeded(whole_number(typed, "--unsafe-seed", {0, ~std::uint64_t{0}}))
                        : RandomBits::system();
  const bool may_be_there = typed.has("--ledger") && std::filesystem::is_regular_file(receipt);  // from an earlier run
  if (!receipt.empty() && !may_be_there) require_writable(receipt);
  std::optional<ReleaseCharge> charge = ReleaseCharge::of(typed, asked);
  warn_of_weak_budgets(query.budget);

  const Table table = opened(options, input_name(typed));
  const std::string column = typed.one("--column");
  table.require_numeric(column);
  table.require_selection(selection, column);
  const SourceDescription source{typed.file,
                                 typed.one("--sql"),
                                 column,
                                 null_policy == NullPolicy::drop ? "drop" : "error",
                                 table.engine(),
                                 selection.person,
                                 selection.by,
                                 options.tables,
                                 options.sql_stability ? std::to_string(*options.sql_stability) : std::string()};
  const bool public_rows = typed.has("--public-rows");
  if (charge) {
    ReleaseDetails details{options.format, options.delimiter, options.single_line_records, public_rows, selection.keys};
    if (bounds) details.bounds_share = bounds->share;
    details.source = charge->source();
    details.tables = with_canonical_paths(options.tables);
    if (charge->answer_from_ledger(canonical_query(query, lattice, source, details), shown)) return 0;
    charge->reserve();
  }

  WebPage output;
  const auto publish = [&] {
    if (charge) shown.page.options.account = charge->account();
    Progress progress("reading " + input_name(typed));
    const std::vector<RankProfile> profiles =
        profiles_of(table, column, lattice, null_policy, selection, bits, [&] { progress.tick(); });
    Published release = published(profiles, lattice, query, selection, bounds, bits);
    if (public_rows) std::get<QuantileRelease>(release).public_records = table.rows();
    // Worst cases take their time.
    const bool needs_json =
        charge || !receipt.empty() || shown.format == Format::json || shown.format == Format::html || shown.compared;
    const std::string json = needs_json ? to_json(release, source) : std::string();
    output = rendered(shown, release, source, json);
    if (charge) {
      charge->publish(json);
    } else if (!receipt.empty()) {
      write_durably(receipt, json);
    }
    warn_of_noise(release, json);
  };
  charge ? charge->guard(publish) : publish();
  shown.page.print_page(output,
                        !receipt.empty() ? "the release was made; the receipt " + receipt + " holds it"
                        : charge         ? charge->kept()
                                 : "the release was made and counts as spent; with --receipt it would have been kept");
  return 0;
}

}  // namespace fractile::cli
