#include "requests/tables.hpp"

#include <optional>

#include "requests/sources.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

std::optional<std::uint32_t> sql_stability(const Typed& typed) {
  if (!typed.has("--sql-stability")) return {};
  return static_cast<std::uint32_t>(whole_number(typed, "--sql-stability", {1, TableOptions::most_stability}));
}

namespace {

void refuse_options_of_files(const Typed& typed) {
  for (const char* option :
       {"--sql", "--sql-stability", "--table", "--input-format", "--delimiter", "--single-line-records", "--duckdb"}) {
    if (typed.has(option)) {
      usage(std::string(option) + " tells of a file, and the records are in memory",
            "leave it out, or name the file in place of the records");
    }
  }
}

void refuse_what_no_file_has(const Typed& typed) {
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
}

}  // namespace

TableOptions table_of(const Typed& typed, bool in_memory) {
  in_memory ? refuse_options_of_files(typed) : refuse_what_no_file_has(typed);
  TableOptions options{typed.file, typed.one("--sql"), typed.one("--input-format"), typed.one("--delimiter"),
                       typed.one("--duckdb")};
  if (typed.has("--threads")) {
    options.threads = static_cast<std::uint32_t>(whole_number(typed, "--threads", {1, TableOptions::most_threads}));
  }
  if (typed.has("--memory")) {
    options.memory = bytes(typed, "--memory", {TableOptions::least_memory, std::uint64_t{1} << 60});
  }
  options.tables = named_tables(typed);
  options.sql_stability = sql_stability(typed);
  options.single_line_records = typed.has("--single-line-records");
  return options;
}

NullPolicy null_policy_of(const Typed& typed) {
  return choice<NullPolicy>(typed, "--null", {{"drop", NullPolicy::drop}, {"error", NullPolicy::error}},
                            NullPolicy::drop);
}

std::string input_name(const Typed& typed) {
  if (typed.file.empty()) return "the query's result";
  return typed.file == "-" ? "standard input" : typed.file;
}

}  // namespace fractile::requests
