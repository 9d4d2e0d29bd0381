#include "requests/readings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "fractile/durable.hpp"
#include "fractile/error.hpp"
#include "requests/datasets.hpp"
#include "requests/keys.hpp"
#include "requests/sources.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr const char* yes = "yes";  // of what is declared and has no value

/// Members of LedgerRequest of their own, the ledger itself, and what names the source.
constexpr std::array<std::string_view, 8> said_elsewhere{
    "ledger", "source", "counts", "neighbors", "person", "records_per_person", "table", "unsafe_seed"};
/// What a dataset permits: a release may do without.
constexpr std::array<std::string_view, 6> permitted{"table", "keys_file",   "sql_stability",
                                                    "sql",   "public_rows", "duckdb"};
/// What no first release of a source can fix, since it weakens the promise, runs the asker's code, or makes records of a person's cell.
constexpr std::array<std::string_view, 10> only_declared{
    "keys_file", "sql_stability", "public_rows",  "duckdb",    "postgres",
    "null",      "unreadable",    "input_format", "delimiter", "single_line_records"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Two paths of one library are one.
std::string library_path(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path canonical = std::filesystem::canonical(path, unknown);
  return unknown ? path : canonical.string();
}

/// What an option says, as a text that is the same for the same; "" of a default.
std::string said(const Typed& typed, const OptionSpec& option) {
  const std::string field = option.field();
  std::string value = option.values() == 0 ? yes : typed.one(field);
  if (value == option.fallback) return {};
  if (field == "unreadable" && value == "missing") return {};  // as in all that is paid for
  if (field == "duckdb") return library_path(value);
  if (field == "postgres") return shown_ledger(value);
  return value;
}

std::string declared_value(const LedgerDataset& dataset, const std::string& field) {
  const auto at = dataset.reading.find(field);
  return at == dataset.reading.end() ? std::string() : at->second;
}

Words written(const OptionSpec& option, const std::string& value) {
  const Field field(option.field());
  return option.values() == 0 ? Words(field) : field.text(value);
}

[[noreturn]] void refuse_undeclared(const OptionSpec& option, const LedgerDataset& dataset, const std::string& typed) {
  const Field field(option.field());
  const std::string declared = declared_value(dataset, option.field());
  const Words what{field, " holds on a ledger's dataset only as its owner declared it, and dataset '", dataset.name,
                   declared.empty() ? Words("' does not declare it") : Words{"' declares ", written(option, declared)}};
  const Words hint =
      option.field() == "keys_file"
          ? Words{"write the keys themselves, ", Field("keys").texts({"north", "south"}),
                  "; fractile ledger init declares a file for a new dataset"}
          : Words{"leave it out; fractile ledger init declares it for a new dataset: with ", written(option, typed)};
  throw Error(ErrorCode::usage, what, hint, option.field());
}

/// Whether what was typed is what the owner declared, or no weaker.
bool keeps(const Typed& typed, const std::string& field, const std::string& declared, const std::string& value) {
  if (declared.empty()) return false;
  if (field == "keys_file") return true;  // compared by its contents, before they were looked at
  if (field == "sql_stability") {
    return whole_number(typed, field, {1, TableOptions::most_stability}) >=
           whole_number(field, declared, {1, TableOptions::most_stability});
  }
  return declared == value;
}

/// A stability is one of a query: with another one, an asker could have any rows count as often as they like.
void require_declared_query(const Typed& typed, const LedgerDataset& dataset) {
  const Field sql("sql");
  const std::string declared = declared_value(dataset, "sql");
  if (!typed.has("sql_stability") || typed.one("sql") == declared) return;
  throw Error(
      ErrorCode::usage,
      {Field("sql_stability"), " holds for the query that dataset '", dataset.name,
       "' declares, and this is another one"},
      {"write ", sql.text(declared), ", or a row-wise query; fractile ledger init declares it for a new dataset"},
      "sql");
}

}  // namespace

LedgerReading reading_to_declare(const Typed& typed) {
  null_policy_of(typed);
  unreadable_of(typed);
  missing_of(typed);
  if (typed.has("input_format") && format_by_name("any." + typed.one("input_format")) != typed.one("input_format")) {
    const Field field("input_format");
    usage({field, ": '", typed.one("input_format"), "' is not known"}, "choose one of csv, json, parquet, tsv");
  }
  LedgerReading reading;
  for (const OptionSpec& option : release_verb().options) {
    const std::string field = option.field();
    if (option.option_class != OptionClass::owner || !typed.has(field) || is_among(said_elsewhere, field)) continue;
    const std::string value = said(typed, option);
    if (!value.empty()) reading[field] = value;
  }
  if (typed.has("disjoint_persons")) reading["disjoint_persons"] = yes;
  if (typed.has("keys_file")) reading["keys_file"] = content_sha256(keys_file(typed.one("keys_file")).contents);
  if (typed.has("table")) reading["table"] = tables_to_pin(typed);
  if (typed.has("sql_stability") != typed.has("sql")) {
    const Field sql("sql");
    usage({Field("sql_stability"), " tells of one query, and goes with ", sql},
          {"write the query whose stability you declare, ", sql.text("SELECT ..."), "; row-wise queries need neither"});
  }
  if (typed.has("sql_stability")) {
    reading["sql_stability"] = std::to_string(*sql_stability(typed));
    reading["sql"] = typed.one("sql");
  }
  return reading;
}

namespace {

/// "" where the file's name says it, unless it was declared all the same.
std::string told_format(const Typed& typed, const std::string& declared) {
  const std::string by_name = format_by_name(typed.file);
  const std::string format = typed.one("input_format", by_name);
  return declared.empty() && format == by_name ? "" : format;
}

}  // namespace

LedgerReading reading_of(const Typed& typed, const LedgerDataset& dataset, Holder holder) {
  LedgerReading reading;
  for (const OptionSpec& option : release_verb().options) {
    const std::string field = option.field();
    if (option.option_class != OptionClass::owner || is_among(said_elsewhere, field)) continue;
    const std::string declared = declared_value(dataset, field);
    std::string value = typed.has(field) ? said(typed, option) : std::string();
    if (field == "input_format") value = told_format(typed, declared);
    if (holder == Holder::asker && declared.empty()) continue;
    const bool is_profile = field == "input_format" && typed.has("counts");  // which nothing cuts into records
    if (is_among(only_declared, field) && !is_profile && !value.empty() && !keeps(typed, field, declared, value)) {
      refuse_undeclared(option, dataset, value);
    }
    if (!value.empty()) reading[field] = value;
  }
  if (typed.has("disjoint_persons")) reading["disjoint_persons"] = yes;  // of a profile file, whose header says so
  require_declared_query(typed, dataset);
  for (const std::string_view field : permitted) {
    const std::string declared = declared_value(dataset, std::string(field));
    if (!declared.empty()) reading[std::string(field)] = declared;
  }
  return reading;
}

namespace {

std::set<std::string> declared_tables(const LedgerDataset& dataset) {
  std::set<std::string> tables;
  const std::string text = declared_value(dataset, "table");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    tables.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tables;
}

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "" : ",") + path;
  return text;
}

}  // namespace

std::string source_for(const Typed& typed, const LedgerDataset& dataset, const std::vector<OpenedFile>& opened) {
  // The query of a declared stability is declared itself, and the server reads what it names.
  if (typed.has("postgres")) return typed.has("sql_stability") || opened.empty() ? dataset.source : opened.front().path;
  if (typed.has("source") && !dataset.source.empty()) return source_read(typed, opened);
  const std::set<std::string> tables = declared_tables(dataset);
  std::vector<std::string> all;
  std::vector<std::string> undeclared;
  for (const OpenedFile& file : opened) {
    if (file.path.empty()) return {};
    if (std::ranges::find(all, file.path) != all.end()) continue;
    all.push_back(file.path);
    if (!tables.contains(file.path)) undeclared.push_back(file.path);
  }
  const bool reads_what_is_pinned = std::ranges::find(all, dataset.source) != all.end();
  std::vector<std::string> beside = undeclared;
  std::erase(beside, dataset.source);
  if (reads_what_is_pinned && beside.empty()) return dataset.source;
  if (reads_what_is_pinned) {
    throw Error(ErrorCode::usage,
                {Field("table"), ": the release reads '", beside.front(), "', too, and dataset '", dataset.name,
                 "' does not declare it"},
                {"leave it out; fractile ledger init declares further files for a new dataset: with ",
                 Field("table").entry("visits", "visits.csv")},
                "table");
  }
  return undeclared.empty() ? listed(all) : listed(undeclared);
}

void require_declared_keys(const Typed& typed, const std::string& contents) {
  const std::string path = typed.one("ledger");
  const LedgerDataset dataset = dataset_of(Ledger::open_to_read(path), typed, shown_ledger(path));
  const std::string declared = declared_value(dataset, "keys_file");
  if (!declared.empty() && declared == content_sha256(contents)) return;
  const Field field("keys_file");
  throw Error(ErrorCode::usage,
              {field, " holds on a ledger's dataset only as its owner declared it, and dataset '", dataset.name,
               declared.empty() ? "' does not declare it" : "' declares a file of other contents"},
              {"write the keys themselves, ", Field("keys").texts({"north", "south"}),
               "; fractile ledger init declares a file for a new dataset"},
              "keys_file");
}

}  // namespace fractile::requests
