#include "requests/readings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "publication/datasets.hpp"
#include "report/text/durable.hpp"
#include "requests/keys.hpp"
#include "requests/sources.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"
#include "source/entries/declared_server.hpp"
#include "source/files/table_names.hpp"

namespace fractile::requests {
namespace {

constexpr const char* yes = "yes";  // the value of declarations that have no value

/// Options that are not in the reading: members of LedgerRequest, the ledger, and the options that name the source.
constexpr std::array<std::string_view, 8> said_elsewhere{
    "ledger", "source", "counts", "neighbors", "person", "records_per_person", "table", "unsafe_seed"};

bool is_said_elsewhere(std::string_view field) {
  return std::ranges::find(said_elsewhere, field) != said_elsewhere.end();
}

/// The hashes of the files' contents, with commas between them.
std::string keys_to_pin(const std::vector<std::string>& files) {
  return listed(mapped(files, [](const std::string& file) { return content_sha256(keys_file(file).contents()); }));
}

/// The canonical path, so that two paths of one library are equal.
std::string library_path(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path canonical = std::filesystem::canonical(path, unknown);
  return unknown ? path : canonical.string();
}

/// An option's value as a text: equal values have equal texts, and a default has "".
std::string said(const Typed& typed, const OptionSpec& option) {
  const std::string field = option.field();
  std::string value = option.values() == 0 ? yes : typed.one(field);
  if (value == option.fallback) return {};
  if (field == "unreadable" && value == "missing") return {};  // the default of all releases that a ledger pays for
  if ((field == "decimal" && value == ".") || (field == "encoding" && value == "utf-8")) return {};
  if (field == "missing") return listed(missing_of(typed));
  if (field == "duckdb") return library_path(value);
  if (field == "postgres") return source_detail::declared_server(value);
  return value;
}

/// Declares one of two options about weights, if releases may be weighted.
void declare_weights(const Typed& typed, LedgerReading& reading) {
  const Field as_they_are("weights_as_they_are");
  const Field stability("weight_stability");
  if (typed.has("weights_as_they_are")) reading["weights_as_they_are"] = yes;
  if (!typed.has("weight_stability")) return;
  if (typed.has("weights_as_they_are")) {
    usage({stability, " says that other weights change, and ", as_they_are, " that none does"},
          "leave one of them out");
  }
  reading["weight_stability"] = std::to_string(whole_number(typed, "weight_stability", {1, 1'000'000'000}));
}

/// Throws `usage` for what no release could say: a dataset that declares it would be of no use, and never changes.
void require_usable(const Typed& typed) {
  TableOptions read{.file = "any", .format = typed.has("input_format") ? typed.one("input_format") : "csv"};
  read.delimiter = typed.one("delimiter");
  read.single_line_records = typed.has("single_line_records");
  read.numbers = {typed.one("decimal"), typed.one("thousands")};
  read.encoding = typed.one("encoding");
  read.missing = missing_of(typed);
  read.validate();
  if (read.format != "json" || !typed.has("null") || typed.one("null") != "error") return;
  usage({Field("null").text("error"), " goes with columns, and which keys a record of JSON has is up to that record"},
        "leave it out, or declare another format");
}

}  // namespace

LedgerReading reading_to_declare(const Typed& typed) {
  null_policy_of(typed);
  unreadable_of(typed);
  if (typed.has("input_format") &&
      source_detail::format_by_name("any." + typed.one("input_format")) != typed.one("input_format")) {
    const Field field("input_format");
    usage({field, ": '", typed.one("input_format"), "' is not known"}, "choose one of csv, json, parquet, tsv");
  }
  require_usable(typed);
  LedgerReading reading;
  for (const OptionSpec& option : release_verb().options) {
    const std::string field = option.field();
    if (option.option_class != OptionClass::owner || !typed.has(field) || is_said_elsewhere(field)) continue;
    const std::string value = said(typed, option);
    if (!value.empty()) reading[field] = value;
  }
  if (typed.has("disjoint_persons")) reading["disjoint_persons"] = yes;
  declare_weights(typed, reading);
  if (typed.has("keys_file")) reading["keys_file"] = keys_to_pin(typed.values.at("keys_file"));
  if (typed.has("table")) reading["table"] = tables_to_pin(typed);
  if (typed.has("sql_stability") != typed.has("sql")) {
    const Field sql("sql");
    usage({Field("sql_stability"), " is about one query, and goes with ", sql},
          {"write the query whose stability you declare, ", sql.text("SELECT ..."), "; row-wise queries need neither"});
  }
  if (typed.has("sql_stability")) {
    reading["sql_stability"] = std::to_string(*sql_stability(typed));
    reading["sql"] = typed.one("sql");
  }
  return reading;
}

void require_declared_keys(const Payment& payment, const std::string& contents) {
  const LedgerDataset dataset = publication_detail::dataset_of(Ledger::open_to_read(payment.ledger), payment);
  const auto at = dataset.reading.find("keys_file");
  const std::string declared = at == dataset.reading.end() ? std::string() : at->second;
  if (declared.find(content_sha256(contents)) != std::string::npos) return;  // one of several hashes
  const Field field("keys_file");
  throw Error(ErrorCode::usage,
              {field, " may be used on a ledger's dataset only as its owner declared it, and dataset '", dataset.name,
               declared.empty() ? "' does not declare it" : "' declares a file of other contents"},
              {"write the keys themselves, ", Field("keys").texts({"north", "south"}),
               "; fractile ledger init declares a file for a new dataset"},
              "keys_file");
}

}  // namespace fractile::requests
