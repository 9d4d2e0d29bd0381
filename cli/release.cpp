#include "release.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/report.hpp"
#include "fractile/source.hpp"
#include "groups.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

Lattice lattice_of(const Typed& typed) {
  if (typed.has("--candidates")) {
    if (typed.has("--bounds") || typed.has("--step")) {
      usage("--candidates stands instead of --bounds and --step", "give one or the other");
    }
    return in_option("--candidates", [&] { return Lattice::explicit_points(numbers(typed.one("--candidates"))); });
  }
  if (!typed.has("--bounds")) {
    usage("--bounds is missing: the smallest and largest possible value, known without looking at the data",
          "for ages, write --bounds 0 125 --step 1");
  }
  if (!typed.has("--step")) {
    usage("--step is missing: the distance between possible values", "for whole numbers, write --step 1");
  }
  const std::vector<std::string>& bounds = typed.values.at("--bounds");
  const Rational lower = in_option("--bounds", [&] { return Rational::parse(bounds[0]); });
  const Rational upper = in_option("--bounds", [&] { return Rational::parse(bounds[1]); });
  const Rational step = in_option("--step", [&] { return Rational::parse(typed.one("--step")); });
  return Lattice::regular(lower, upper, step);
}

QuantileQuery query_of(const Typed& typed) {
  if (typed.has("--quantiles") && typed.has("--synthetic-rows")) {
    usage("--synthetic-rows stands instead of --quantiles", "give one or the other");
  }
  QuantileQuery query{typed.has("--synthetic-rows")
                          ? synthetic_rows(whole_number(typed, "--synthetic-rows", {1, 1'000'000}))
                          : quantiles_of(typed, "quartiles"),
                      budget_of(typed)};
  query.neighbors = neighbors_of(typed);
  if (typed.has("--records-per-person")) {
    query.records_per_person =
        static_cast<std::uint32_t>(whole_number(typed, "--records-per-person", {1, 1'000'000'000}));
  }
  std::map<std::string, Mechanism> mechanisms;
  for (const Mechanism mechanism : all_mechanisms) mechanisms.emplace(to_string(mechanism), mechanism);
  const Mechanism fallback =
      query.budget.measure() == Measure::approximate ? Mechanism::independent : Mechanism::automatic;
  query.mechanism = choice<Mechanism>(typed, "--mechanism", mechanisms, fallback);
  for (const char* option : {"--expected-rows", "--no-interpolation"}) {
    if (typed.has(option) && query.mechanism != Mechanism::automatic) {
      usage(std::string(option) + " is for auto", "leave it out, or write --mechanism auto");
    }
  }
  query.base =
      choice<Base>(typed, "--base", {{"uniform", Base::uniform}, {"adaptive", Base::adaptive}}, Base::by_mechanism);
  query.interpolate = !typed.has("--no-interpolation");
  if (typed.has("--expected-rows")) query.expected_rows = whole_number(typed, "--expected-rows", {1, 4'294'967'295});
  query.rates =
      choice<Rates>(typed, "--rates", {{"tight", Rates::tight}, {"as-published", Rates::as_published}}, Rates::tight);
  query.validate();
  return query;
}

std::string to_table(const QuantileRelease& release, const SourceDescription& source) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    rows.emplace_back(release.query.quantiles[i].to_string(), release.value(i).to_decimal());
  }
  return two_columns({"quantile", source.column}, rows) + terms_of(release, source, to_string(release.used.mechanism));
}

std::string rendered(Format format, const Published& release, const SourceDescription& source) {
  switch (format) {
    case Format::json:
      return to_json(release, source);
    case Format::csv:
      return to_csv(release);
    case Format::table:
      if (const auto* groups = std::get_if<GroupedRelease>(&release)) return groups_table(*groups, source);
      return to_table(std::get<QuantileRelease>(release), source);
  }
  return {};
}

TableOptions table_of(const Typed& typed) {
  if (typed.file.empty() && !typed.has("--sql")) {
    usage("no FILE to read", "name a CSV, TSV, Parquet or JSON file, or - for standard input");
  }
  for (const char* option : {"--input-format", "--delimiter"}) {
    if (typed.file.empty() && typed.has(option)) {
      usage(std::string(option) + " tells of FILE, and none is named", "name a FILE, or leave the option out");
    }
  }
  return {typed.file, typed.one("--sql"), typed.one("--input-format"), typed.one("--delimiter"), typed.one("--duckdb")};
}

std::string input_name(const Typed& typed) {
  if (typed.file.empty()) return "the query's result";
  return typed.file == "-" ? "standard input" : typed.file;
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

std::string terms_of(const QuantileRelease& release, const SourceDescription& source, const std::string& mechanism) {
  const QuantileQuery& query = release.query;
  std::string text =
      fmt::format("\n{} ({}), neighbors {}, at most {} record{} a person, mechanism {}\n", query.budget.to_string(),
                  to_string(query.budget.measure()), to_string(query.neighbors), query.records_per_person,
                  query.records_per_person == 1 ? "" : "s", mechanism);
  if (!source.by.empty()) text += "all groups together spend that once\n";
  if (!source.person.empty()) text += "of each person's records no more than that count, sampled at random\n";
  if (release.used.granularity) {
    text += fmt::format("the values were found to be multiples of {}\n", release.used.granularity->to_decimal());
  }
  if (!release.used.reason.empty()) text += fmt::format("chosen by auto: {}\n", release.used.reason);
  if (source.null_policy == "drop") {
    text += fmt::format("records without a number (NULL, empty, NaN){} were left out\n",
                        source.person.empty() ? "" : " or without a person");
  }
  if (release.public_records) text += fmt::format("{} records (declared public)\n", *release.public_records);
  if (release.unsafe_seed)
    text += fmt::format("NOT PRIVATE: random bits from --unsafe-seed {}\n", *release.unsafe_seed);
  return text;
}

/// Refusals first, rows second, output last.
int run_release(const Typed& typed) {
  if (!typed.has("--column")) usage("--column is missing", "name the column to publish, for example --column age");
  const Lattice lattice = lattice_of(typed);
  const QuantileQuery query = query_of(typed);
  const RecordSelection selection = selection_of(typed, query);
  const Format format = format_of(typed, stdout_is_terminal() ? Format::table : Format::csv);
  const auto null_policy =
      choice<NullPolicy>(typed, "--null", {{"drop", NullPolicy::drop}, {"error", NullPolicy::error}}, NullPolicy::drop);
  const std::string receipt = typed.one("--receipt");
  const TableOptions options = table_of(typed);
  RandomBits bits = typed.has("--unsafe-seed")
                        ? RandomBits::unsafe_seeded(whole_number(typed, "--unsafe-seed", {0, ~std::uint64_t{0}}))
                        : RandomBits::system();
  if (!receipt.empty()) require_writable(receipt);
  warn_of_weak_budgets(query.budget);

  const Table table = Table::open(options);
  const std::string column = typed.one("--column");
  table.require_numeric(column);
  table.require_selection(selection);
  Progress progress("reading " + input_name(typed));
  const std::vector<RankProfile> profiles =
      profiles_of(table, column, lattice, null_policy, selection, bits, [&] { progress.tick(); });

  Published release = published(profiles, lattice, query, selection, bits);
  if (typed.has("--public-rows")) std::get<QuantileRelease>(release).public_records = profiles[0].records();
  const SourceDescription source{
      typed.file,     typed.one("--sql"), column,      null_policy == NullPolicy::drop ? "drop" : "error",
      table.engine(), selection.person,   selection.by};
  if (!receipt.empty()) write_durably(receipt, to_json(release, source));
  print(rendered(format, release, source),
        receipt.empty() ? "the release was made and counts as spent; with --receipt it would have been kept"
                        : "the release was made; the receipt " + receipt + " holds it");
  return 0;
}

}  // namespace fractile::cli
