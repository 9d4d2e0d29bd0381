#include "requests/tables.hpp"

#include "fractile/ledger.hpp"
#include "requests/sources.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

std::optional<std::uint32_t> sql_stability(const Typed& typed) {
  if (!typed.has("sql_stability")) return {};
  return static_cast<std::uint32_t>(whole_number(typed, "sql_stability", {1, TableOptions::most_stability}));
}

namespace {

void refuse_options_of_files(const Typed& typed) {
  refuse_given(typed,
               {"sql", "sql_stability", "table", "input_format", "delimiter", "single_line_records", "decimal",
                "thousands", "encoding", "duckdb", "postgres"},
               " describes a file, and the records are in memory",
               "leave it out, or name the file in place of the records");
}

void refuse_what_no_file_has(const Typed& typed) {
  if (!typed.has("sql")) {
    refuse_given(typed, {"sql_stability", "table"}, {" goes with ", Field("sql")},
                 "write a query, or leave the option out");
  }
  if (typed.file.empty() && !typed.has("table") && !typed.has("postgres")) {
    usage("no FILE to read", "name a CSV, TSV, Parquet or JSON file, or - for standard input");
  }
  if (typed.file.empty()) {
    refuse_given(typed, {"input_format", "delimiter"}, " describes FILE, and none is named",
                 "name a FILE, or leave the option out");
  }
}

std::uint32_t threads_of(const Typed& typed) {
  if (!typed.has("threads")) return 0;
  return static_cast<std::uint32_t>(whole_number(typed, "threads", {1, TableOptions::most_threads}));
}

}  // namespace

void read_with_machine(const Typed& typed, TableOptions& options) {
  options.threads = threads_of(typed);
  options.library = typed.one("duckdb");
  if (typed.has("memory")) {
    options.memory = bytes(typed, "memory", {TableOptions::least_memory, std::uint64_t{1} << 60});
  }
}

TableOptions table_of(const Typed& typed, bool in_memory) {
  in_memory ? refuse_options_of_files(typed) : refuse_what_no_file_has(typed);
  TableOptions options{typed.file, typed.one("sql"), typed.one("input_format"), typed.one("delimiter")};
  options.more_files = typed.more_files;
  read_with_machine(typed, options);
  options.tables = named_tables(typed);
  options.sql_stability = sql_stability(typed);
  options.single_line_records = typed.has("single_line_records");
  options.numbers = {typed.one("decimal"), typed.one("thousands")};
  options.encoding = typed.one("encoding") == "utf-8" ? "" : typed.one("encoding");
  options.missing = missing_of(typed);
  options.unreadable = unreadable_of(typed);
  return options;
}

std::string postgres_of(const Typed& typed) {
  if (!typed.has("postgres")) return {};
  if (!typed.file.empty()) usage({Field("postgres"), " takes the place of FILE"}, "name one or the other");
  refuse_given(
      typed,
      {"table", "input_format", "delimiter", "single_line_records", "decimal", "thousands", "encoding", "memory"},
      " describes a file, and a server is read", "leave it out");
  if (typed.has("sql_stability")) {
    refuse_given(typed, {"person", "by"},
                 {" does not go with ", Field("postgres"), " and ", Field("sql_stability"),
                  ": a query that the server runs need not have rows of one person each"},
                 {"leave ", Field("sql_stability"), " out, if the query goes row by row"});
  }
  if (!typed.has("sql")) {
    const Field sql("sql");
    usage({Field("postgres"), " goes with ", sql},
          {"write the query, for example ", sql.text("SELECT income FROM people")});
  }
  return typed.one("postgres");
}

std::vector<std::string> missing_of(const Typed& typed) {
  if (!typed.has("missing")) return {};
  return in_field("missing", [&] { return words(typed.one("missing")); });
}

std::optional<Unreadable> unreadable_of(const Typed& typed) {
  if (!typed.has("unreadable")) return {};
  return choice<Unreadable>(typed, "unreadable", {{"error", Unreadable::error}, {"missing", Unreadable::missing}},
                            Unreadable::error);
}

NullPolicy null_policy_of(const Typed& typed) {
  return choice<NullPolicy>(typed, "null", {{"drop", NullPolicy::drop}, {"error", NullPolicy::error}},
                            NullPolicy::drop);
}

std::string input_name(const Typed& typed) {
  if (typed.has("postgres")) return shown_ledger(typed.one("postgres"));
  return Source::file(TableOptions{.file = typed.file, .more_files = typed.more_files}).name();
}

std::vector<TableColumn> columns_of(const Typed& typed, Attendant& attendant) {
  if (typed.has("ledger")) {
    usage(
        {Field("ledger"), ": the cells of a table are for its owner's eyes only, and no budget pays for showing them"},
        "leave it out, and do not show the result to others");
  }
  const bool check = typed.has("check");
  if (typed.has("missing") && !check) {
    usage({Field("missing"), " goes with ", Field("check")}, {"add ", Field("check"), ", or leave it out"});
  }
  const TableOptions options = table_of(typed, false);
  attendant.at("opening " + input_name(typed));
  const Table table = Table::open(options);
  if (check) attendant.at("reading " + input_name(typed));
  std::vector<TableColumn> columns =
      check ? table.checked_columns([&] { tell_progress(table, attendant); }) : table.columns();
  attendant.at("");
  if (!check) return columns;
  std::vector<std::string> files = table.files();
  if (files.empty()) files.push_back(typed.file);
  for (const std::string& file : files) {
    if (const auto warning = open_end_of(file)) attendant.warn(warning->what, warning->hint);
  }
  return columns;
}

}  // namespace fractile::requests
