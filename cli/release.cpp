#include "release.hpp"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/report.hpp"
#include "fractile/source.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

/// The command line as typed: nothing is interpreted by the parser.
struct Typed {
  std::string file;
  std::map<std::string, std::vector<std::string>> values;

  bool has(const std::string& name) const { return values.contains(name); }
  std::string one(const std::string& name, const std::string& fallback = {}) const {
    const auto at = values.find(name);
    return at == values.end() ? fallback : at->second.front();
  }
};

[[noreturn]] void usage(const std::string& what, const std::string& hint) { throw Error(ErrorCode::usage, what, hint); }

/// Names the option that an error came from.
template <class Parse>
auto in_option(const char* name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(name) + ": " + error.what(), error.hint());
  }
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items(1);
  for (const char c : text) {
    if (c == ',') {
      items.emplace_back();
    } else if (c != ' ') {
      items.back() += c;
    }
  }
  return items;
}

std::vector<Rational> numbers(const std::string& text) {
  std::vector<Rational> result;
  for (const std::string& item : split_list(text)) result.push_back(Rational::parse(item));
  return result;
}

std::vector<Rational> evenly_spaced(std::int64_t parts) {
  std::vector<Rational> result;
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

std::vector<Rational> quantiles_of(const Typed& typed) {
  static const std::map<std::string, std::int64_t> names{
      {"median", 2}, {"quartiles", 4}, {"quintiles", 5}, {"deciles", 10}, {"percentiles", 100}};
  const std::string text = typed.one("--quantiles", "quartiles");
  const auto named = names.find(text);
  if (named != names.end()) return evenly_spaced(named->second);
  return in_option("--quantiles", [&] { return numbers(text); });
}

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

Budget budget_of(const Typed& typed) {
  if (typed.has("--epsilon") == typed.has("--rho")) {
    usage(typed.has("--rho") ? "--epsilon and --rho are two measures of one thing" : "a budget is missing",
          "write --epsilon 1 (pure) or --rho 1/2 (zero-concentrated)");
  }
  if (typed.has("--rho")) return in_option("--rho", [&] { return Budget::zcdp(Rational::parse(typed.one("--rho"))); });
  return in_option("--epsilon", [&] { return Budget::pure(Exponent::parse(typed.one("--epsilon"))); });
}

/// One of a few words.
template <class Value>
Value choice(const Typed& typed, const std::string& option, const std::map<std::string, Value>& choices, Value fallback) {
  if (!typed.has(option)) return fallback;
  const auto at = choices.find(typed.one(option));
  if (at != choices.end()) return at->second;
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : ", ") + word;
  usage(option + ": '" + typed.one(option) + "' is not known", "choose one of " + words);
}

std::uint64_t whole_number(const Typed& typed, const std::string& option, std::uint64_t most) {
  const std::string text = typed.one(option);
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value > most) {
    usage(option + ": '" + text + "' is not a whole number from 0 to " + std::to_string(most), "write for example " + option + " 1");
  }
  return value;
}

QuantileQuery query_of(const Typed& typed) {
  QuantileQuery query{quantiles_of(typed), budget_of(typed)};
  query.neighbors = choice<Neighbors>(
      typed, "--neighbors", {{"add-remove", Neighbors::add_remove}, {"change-one", Neighbors::change_one}},
      Neighbors::add_remove);
  if (typed.has("--records-per-person")) {
    query.records_per_person =
        static_cast<std::uint32_t>(whole_number(typed, "--records-per-person", 1'000'000'000));
  }
  query.mechanism = choice<Mechanism>(
      typed, "--mechanism", {{"exponential", Mechanism::exponential}, {"approximate", Mechanism::approximate}},
      query.quantiles.size() == 1 ? Mechanism::exponential : Mechanism::approximate);
  query.zcdp_rate = choice<ZcdpRate>(
      typed, "--zcdp-rate", {{"bounded-range", ZcdpRate::bounded_range}, {"as-published", ZcdpRate::as_published}},
      ZcdpRate::bounded_range);
  if (typed.has("--zcdp-rate") && query.budget.measure() != Measure::zcdp) {
    usage("--zcdp-rate has no meaning without --rho", "leave it out, or give --rho instead of --epsilon");
  }
  query.validate();
  return query;
}

enum class Format { table, json, csv };

Format format_of(const Typed& typed) {
  return choice<Format>(typed, "--format", {{"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}},
                        stdout_is_terminal() ? Format::table : Format::csv);
}

std::string to_table(const QuantileRelease& release, const SourceDescription& source) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    rows.emplace_back(release.query.quantiles[i].to_string(), release.value(i).to_decimal());
  }
  const QuantileQuery& query = release.query;
  const bool pure = query.budget.measure() == Measure::pure;
  std::string text = two_columns({"quantile", source.column}, rows);
  text += fmt::format("\n{} = {} ({}), neighbors {}, at most {} record{} a person, mechanism {}\n",
                      pure ? "epsilon" : "rho",
                      pure ? query.budget.epsilon().to_string() : query.budget.rho().to_string(),
                      to_string(query.budget.measure()), to_string(query.neighbors), query.records_per_person,
                      query.records_per_person == 1 ? "" : "s", to_string(query.mechanism));
  text += source.null_policy == "drop" ? "records without a number (NULL, empty, NaN) were left out\n" : "";
  if (release.public_records) text += fmt::format("{} records (declared public)\n", *release.public_records);
  if (release.unsafe_seed) text += fmt::format("NOT PRIVATE: random bits from --unsafe-seed {}\n", *release.unsafe_seed);
  return text;
}

std::string rendered(Format format, const QuantileRelease& release, const SourceDescription& source) {
  switch (format) {
    case Format::json: return to_json(release, source);
    case Format::csv: return to_csv(release);
    case Format::table: return to_table(release, source);
  }
  return {};
}

TableOptions table_of(const Typed& typed) {
  if (typed.file.empty() && !typed.has("--sql")) {
    usage("no FILE to read", "name a CSV, TSV, Parquet or JSON file, or - for standard input");
  }
  return {typed.file, typed.one("--sql"), typed.one("--input-format"), typed.one("--delimiter"), typed.one("--duckdb")};
}

void warn_of_weak_budgets(const QuantileQuery& query) {
  if (query.budget.measure() == Measure::pure && query.budget.epsilon().to_double() > 20) {
    print_error("warning: an epsilon above 20 promises next to nothing", "one person's record can change the odds by e^epsilon");
  }
}

/// Refusals first, rows second, output last.
void run_release(const Typed& typed) {
  if (!typed.has("--column")) usage("--column is missing", "name the column to publish, for example --column age");
  const Lattice lattice = lattice_of(typed);
  const QuantileQuery query = query_of(typed);
  const Format format = format_of(typed);
  const NullPolicy null_policy =
      choice<NullPolicy>(typed, "--null", {{"drop", NullPolicy::drop}, {"error", NullPolicy::error}}, NullPolicy::drop);
  const std::string receipt = typed.one("--receipt");
  const TableOptions options = table_of(typed);
  RandomBits bits = typed.has("--unsafe-seed")
                        ? RandomBits::unsafe_seeded(whole_number(typed, "--unsafe-seed", ~std::uint64_t{0}))
                        : RandomBits::system();
  if (!receipt.empty()) require_writable(receipt);
  warn_of_weak_budgets(query);

  const Table table = Table::open(options);
  const std::string column = typed.one("--column");
  table.require_numeric(column);
  Progress progress("reading " + (typed.file.empty() ? "the query's result" : typed.file));
  const RankProfile profile = table.profile(column, lattice, null_policy, Counting::automatic, [&] { progress.tick(); });

  QuantileRelease release = release_quantiles(profile, lattice, query, bits);
  if (typed.has("--public-rows")) release.public_records = profile.records();
  const SourceDescription source{typed.file, typed.one("--sql"), column,
                                 null_policy == NullPolicy::drop ? "drop" : "error", table.engine()};
  if (!receipt.empty()) write_durably(receipt, to_json(release, source));
  print(rendered(format, release, source));
}

constexpr const char* example =
    "Example:\n"
    "  fractile release people.csv --column income --bounds 0 500000 --step 1 \\\n"
    "      --quantiles 0.1,0.25,0.5,0.75,0.9 --epsilon 1 --receipt income.json\n"
    "\n"
    "Exit codes: 0 released; 2 wrong usage; 3 unusable file, table or cell; 70 internal.\n";

}  // namespace

void add_release(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("release", "publish quantiles of a column with differential privacy");
  const auto typed = std::make_shared<Typed>();
  verb->add_option("FILE", typed->file, "CSV, TSV, Parquet or JSON file; - for standard input");
  for (const OptionSpec& spec : release_options()) {
    std::string help = spec.help;
    if (*spec.fallback != '\0') help += std::string(" [") + spec.fallback + "]";
    CLI::Option* option = nullptr;
    if (*spec.argument == '\0') {
      option = verb->add_flag_callback(spec.name, [typed, &spec] { typed->values[spec.name] = {"true"}; }, help);
    } else {
      const int count = std::string(spec.argument).find(' ') == std::string::npos ? 1 : 2;
      option = verb->add_option_function<std::vector<std::string>>(
          spec.name, [typed, &spec](const std::vector<std::string>& values) { typed->values[spec.name] = values; }, help);
      option->type_name(spec.argument)->expected(count)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
    option->group(spec.group);
  }
  verb->footer(example);
  verb->callback([typed] { run_release(*typed); });
}

}  // namespace fractile::cli
