#include "publication/readings.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include "fractile/error.hpp"
#include "ledger/readings.hpp"
#include "libraries/fmt.hpp"
#include "publication/datasets.hpp"
#include "source/engine/letter_case.hpp"
#include "source/entries/declared_server.hpp"
#include "source/files/table_names.hpp"

namespace fractile::publication_detail {
namespace {

using source_detail::lower_case;

constexpr const char* yes = "yes";  // the value of a declaration that has no other value

/// Whether an option holds only if the dataset declares it. No first release of a source can fix such an option, since it weakens the
/// promise, runs the asker's code, or makes records of a person's cell. A first release may fix only `missing`.
bool holds_only_declared(std::string_view field) { return field != "missing"; }

/// The canonical path: two paths of one library are equal.
std::string library_path(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path canonical = std::filesystem::canonical(path, unknown);
  return unknown ? path : canonical.string();
}

std::string declared_value(const LedgerDataset& dataset, const std::string& field) {
  const auto at = dataset.reading.find(field);
  return at == dataset.reading.end() ? std::string() : at->second;
}

std::string listed(const std::vector<std::string>& texts) { return fmt::to_string(fmt::join(texts, ",")); }

std::string stability_of_weights(const RecordSelection& selection) {
  if (!selection.weights || !selection.weights->stability) return {};
  return std::to_string(*selection.weights->stability);
}

struct Said {
  std::string field;
  std::string value;  // "" for a default
};

/// What a release says of its reading, in the order in which it is checked.
std::vector<Said> said_of(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset) {
  const TableOptions& read = source.options();
  const bool is_profile = read.format == "profile";  // a profile's cells have already been read
  const bool is_error = read.unreadable == Unreadable::error && !is_profile;
  return {{"public_rows", column.public_rows ? yes : ""},
          {"null", column.null_policy == NullPolicy::error ? "error" : ""},
          {"missing", listed(read.missing)},
          {"unreadable", is_error ? "error" : ""},  // "" for missing, the default of paid releases
          {"postgres", source.address().empty() ? "" : source_detail::declared_server(source.address())},
          {"sql_stability", read.sql_stability ? std::to_string(*read.sql_stability) : ""},
          {"weight_stability", stability_of_weights(column.selection)},
          {"input_format", told_format(read, declared_value(dataset, "input_format"))},
          {"delimiter", read.delimiter},
          {"single_line_records", read.single_line_records ? yes : ""},
          {"decimal", read.numbers.decimal == "." ? "" : read.numbers.decimal},
          {"thousands", read.numbers.thousands},
          {"encoding", read.encoding},
          {"duckdb", read.library.empty() ? "" : library_path(read.library)}};
}

Words written(const std::string& field, const std::string& value) {
  return value == yes ? Words(Field(field)) : Field(field).text(value);
}

/// `all`: everything that a new dataset must declare for this reading, `said` among it. `sql`: the query, which is declared together with
/// its stability.
[[noreturn]] void refuse_undeclared(const Said& said, const std::vector<Said>& all, const LedgerDataset& dataset,
                                    const std::string& sql) {
  const std::string declared = declared_value(dataset, said.field);
  Words with;
  for (const Said& one : all) {
    with = {with, with.empty() ? "" : " ", written(one.field, one.value)};
    if (one.field == "sql_stability" && !sql.empty()) with = {with, " ", Field("sql").text(sql)};
  }
  throw Error(
      ErrorCode::usage,
      {Field(said.field), " may be used on a ledger's dataset only as its owner declared it, and dataset '",
       dataset.name, declared.empty() ? "' does not declare it" : Words{"' declares ", written(said.field, declared)}},
      {"leave it out; fractile ledger init declares it for a new dataset: with ", with}, said.field);
}

/// A dataset lists the texts that count as missing with commas between them. With commas within them, two readings would look like one.
void require_listable(const std::vector<std::string>& missing) {
  if (std::ranges::none_of(missing, [](const std::string& text) { return text.find(',') != std::string::npos; }))
    return;
  throw Error(ErrorCode::usage, {Field("missing"), ": a text has a comma in it"}, "make such cells NULL in a query",
              "missing");
}

bool has_declared_missing(const TableOptions& read, const LedgerDataset& dataset) {
  return ledger_detail::is_same_list(listed(read.missing), declared_value(dataset, "missing"));
}

/// Whether what was said is what the owner declared, or is no weaker.
bool keeps(const Said& said, const std::string& declared, const TableOptions& read) {
  if (declared.empty()) return false;
  if (said.field == "sql_stability") return Rational(*read.sql_stability) >= Rational::parse(declared);
  if (said.field == "weight_stability") return Rational::parse(said.value) >= Rational::parse(declared);
  return declared == said.value;
}

/// A stability holds for one query. With another query, an asker could make any rows count as often as they like.
void require_declared_query(const TableOptions& read, const LedgerDataset& dataset) {
  const Field sql("sql");
  const std::string declared = declared_value(dataset, "sql");
  if (!read.sql_stability || read.sql == declared) return;
  throw Error(
      ErrorCode::usage,
      {Field("sql_stability"), " holds for the query that dataset '", dataset.name,
       "' declares, and this is another query"},
      {"write ", sql.text(declared), ", or a row-wise query; fractile ledger init declares it for a new dataset"},
      "sql");
}

/// Only the owner knows about whom weights reveal something: whether one person who joins changes others' weights, and how many of them.
void require_declared_weights(const RecordSelection& selection, const LedgerDataset& dataset) {
  if (!selection.weights) return;
  const Field stability("weight_stability");
  const std::string declared = declared_value(dataset, "weight_stability");
  if (!declared.empty() && !selection.weights->stability) {
    throw Error(
        ErrorCode::usage,
        {"dataset '", dataset.name, "' declares that one person can change the weights of ", declared, " records"},
        {"write ", stability.text(declared), ": the cost is for that many"}, "weight_stability");
  }
  if (!declared.empty() || !declared_value(dataset, "weights_as_they_are").empty()) return;
  throw Error(
      ErrorCode::usage,
      {Field("weight"), ": dataset '", dataset.name, "' does not declare how many weights one person's records change"},
      {"fractile ledger init declares it for a new dataset: with ", Field("weights_as_they_are"),
       ", where neighbors are weighted files and no other weight changes, or with ", stability.blank("K")},
      "weight");
}

/// When a person joins, others' weights change, but nothing else of their records. So nothing else may be made of weights.
void require_nothing_else_of_weights(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset) {
  const RecordSelection& selection = column.selection;
  if (!selection.weights || declared_value(dataset, "weight_stability").empty()) return;
  const Words changes{"dataset '", dataset.name, "' declares that one person changes the weights of others, and "};
  const TableOptions& read = source.options();
  if (!read.sql.empty() && !read.sql_stability && read.format != "profile") {
    throw Error(ErrorCode::usage, {changes, "a query could change these weights, too"},
                {"leave ", Field("sql"), " out"}, "sql");
  }
  if (!read.missing.empty() && !has_declared_missing(read, dataset)) {
    throw Error(ErrorCode::usage,
                {changes, Field("missing"),
                 ", which it does not declare in this way, could make some of these weights missing"},
                {"say what is missing as the dataset declares it"}, "missing");
  }
  const std::string& weight = selection.weights->column;
  const auto refuse_if = [&](bool is_weight, const char* field) {
    if (!is_weight) return;
    throw Error(ErrorCode::usage, {changes, Field(field), " also changes '", weight, "'"},
                {"name another column, or leave ", Field("weight"), " out"}, field);
  };
  refuse_if(column.column == weight, "column");
  refuse_if(selection.person == weight, "person");
  refuse_if(std::ranges::find(selection.by.names(), weight) != selection.by.names().end(), "by");
}

constexpr std::string_view blank_signs = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blank_signs), text.size()));
}

/// Takes a bare word or a text in double quotes off the front. Returns false if there is none. A bare word is of ASCII letters, since
/// engines take some other letters for blanks.
bool take_name(std::string_view& text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool is_quoted = text.starts_with('"');
  const std::size_t end = is_quoted ? text.find('"', 1) : std::min(text.find_first_not_of(letters), text.size());
  if (end == std::string_view::npos || end == 0) return false;
  text.remove_prefix(is_quoted ? end + 1 : end);
  return !is_quoted || !text.starts_with('"');
}

/// Takes this keyword and the blanks after it off the front.
bool take_word(std::string_view& text, std::string_view word) {
  std::string_view rest = text;
  if (!take_name(rest) || lower_case(text.substr(0, text.size() - rest.size())) != word) return false;
  text = rest;
  skip_blanks(text);
  return true;
}

/// Takes the name of a table off the front, perhaps with its schema: people, "my data".people.
bool take_table(std::string_view& text) {
  while (take_name(text)) {
    if (!text.starts_with('.')) return true;
    text.remove_prefix(1);
  }
  return false;
}

/// Takes one column of a SELECT off the front: *, age, born AS year. Neither NULL nor part.age, which may be a field of a structure, is
/// such a column.
bool take_column(std::string_view& text) {
  if (text.starts_with('*')) {
    text.remove_prefix(1);
  } else if (take_word(text, "null") || !take_name(text)) {
    return false;
  }
  skip_blanks(text);
  return !take_word(text, "as") || take_name(text);
}

/// Whether a query only names columns of one table: SELECT age, born AS year FROM people. Then a value is NULL only where the cell is.
bool names_columns_alone(std::string_view sql) {
  skip_blanks(sql);
  if (!take_word(sql, "select")) return false;
  while (take_column(sql)) {
    skip_blanks(sql);
    if (sql.starts_with(',')) {
      sql.remove_prefix(1);
      skip_blanks(sql);
      continue;
    }
    return take_word(sql, "from") && take_table(sql) && sql.find_first_not_of(" \t\r\n;") == std::string_view::npos;
  }
  return false;
}

/// The owner has declared that no cell is missing. A query could make a value NULL in any record, and so could texts that count as
/// missing; whether the release ends would then say something about this record.
void require_cells_for_null_errors(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset) {
  if (column.null_policy != NullPolicy::error || declared_value(dataset, "null") != "error") return;
  const TableOptions& read = source.options();
  if (read.format == "profile") return;
  const Words ends{Field("null").text("error"), ", which dataset '", dataset.name, "' declares, ends a release at a "};
  if (!read.sql.empty() && !read.sql_stability && !names_columns_alone(read.sql)) {
    throw Error(ErrorCode::usage, {ends, "cell that is missing, and a query could make any value missing"},
                {"leave ", Field("sql"), " out, or only name columns: ", Field("sql").text("SELECT age FROM people")},
                "sql");
  }
  if (!read.missing.empty() && !has_declared_missing(read, dataset)) {
    throw Error(ErrorCode::usage,
                {ends, "missing cell, and the dataset does not declare what ", Field("missing"), " says"},
                {"say what is missing as the dataset declares it"}, "missing");
  }
}

}  // namespace

void require_columns_for_null_errors(const TableOptions& read, const std::vector<OpenedFile>& opened,
                                     const LedgerDataset& dataset) {
  if (declared_value(dataset, "null") != "error" || read.sql_stability) return;
  const auto is_json = [&](const std::string& file) {
    return (read.format.empty() ? source_detail::format_by_name(file) : read.format) == "json";
  };
  const bool has_json = std::ranges::any_of(opened, [&](const OpenedFile& each) {
    return each.parts.empty() ? is_json(each.name) : std::ranges::any_of(each.parts, is_json);
  });
  if (!has_json) return;
  throw Error(
      ErrorCode::usage,
      {Field("null").text("error"), ", which dataset '", dataset.name,
       "' declares, ends a release at a missing cell, and which keys a record of JSON has is up to that record"},
      "convert the file to Parquet or CSV, where no record decides which columns there are", "null");
}

namespace {

/// A further file that a dataset declares: its path, and the table's name in the query whose stability is declared.
struct DeclaredTable {
  std::string name;  // "" without such a query, and in a dataset of an older program
  std::string path;
};

std::vector<DeclaredTable> declared_tables(const LedgerDataset& dataset) {
  std::vector<DeclaredTable> tables;
  const std::string text = declared_value(dataset, "table");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    const std::size_t path = std::min(one.find('/'), one.size());
    tables.push_back({one.substr(0, path == 0 ? 0 : path - 1), one.substr(path)});  // NAME=/PATH or /PATH
    begin = end + 1;
  }
  return tables;
}

/// A stability holds for a query and its tables. If another file were one of them, such as the records themselves in place of a list of
/// regions, one record could change any number of rows.
void require_tables_of_query(const TableOptions& read, const LedgerDataset& dataset,
                             const std::vector<OpenedFile>& opened) {
  if (!read.sql_stability) return;
  const std::vector<DeclaredTable> declared = declared_tables(dataset);
  const auto refuse = [&](const Words& what) {
    Words hint = "read the query's tables as they were declared";
    for (const DeclaredTable& each : declared) {
      if (!each.name.empty()) hint = {hint, ": ", Field("table").entry(each.name, each.path)};
    }
    throw Error(ErrorCode::usage,
                {Field("table"), ": dataset '", dataset.name, "' does not declare the stability of its query ", what},
                hint, "table");
  };
  const std::size_t own = opened.size() - std::min(read.tables.size(), opened.size());
  for (std::size_t i = own; i < opened.size(); ++i) {
    const NamedTable& table = read.tables[i - own];
    const bool is_declared = std::ranges::any_of(declared, [&](const DeclaredTable& each) {
      const bool is_named = each.name == table.name || (each.name.empty() && declared.size() == 1);
      return is_named && each.path == opened[i].path;
    });
    if (!is_declared) refuse({"with '", opened[i].name, "' as the table ", table.name});
  }
  for (const OpenedFile& file : std::span(opened).first(own)) {
    if (std::ranges::find(declared, file.path, &DeclaredTable::path) == declared.end() || file.path == dataset.source)
      continue;
    refuse({"with '", file.name, "' as the table input"});
  }
}

/// Only the owner may say which files make up a table. With other files beside the owner's, records would be read in a way that no first
/// release of these files has fixed.
void require_declared_files(const LedgerDataset& dataset, const std::vector<OpenedFile>& opened) {
  const auto several = std::ranges::find_if(opened, [](const OpenedFile& file) { return !file.parts.empty(); });
  if (several == opened.end() || !dataset.source.empty()) return;
  throw Error(ErrorCode::usage,
              {"several files count as one table on a ledger's dataset only as its owner declared them, and dataset '",
               dataset.name, "' does not declare ", several->name},
              {"name one file; fractile ledger init declares it for a new dataset: with ",
               Field("source").text(several->path.empty() ? "./FOLDER" : several->path)},
              "source");
}

}  // namespace

std::string told_format(const TableOptions& read, const std::string& declared) {
  const std::string by_name = source_detail::format_by_name(read.file);
  const std::string format = read.format.empty() ? by_name : read.format;
  return declared.empty() && format == by_name ? "" : format;
}

LedgerReading reading_of(const Source& source, const ColumnToCount& column, const LedgerDataset& dataset) {
  LedgerReading reading;
  const bool is_profile = source.options().format == "profile";  // a profile is not cut into records
  require_listable(source.options().missing);
  std::vector<Said> owners;  // what only the owner may say
  std::optional<Said> undeclared;
  for (const Said& said : said_of(source, column, dataset)) {
    const std::string declared = declared_value(dataset, said.field);
    if (said.value.empty() || (source.holder() == Holder::asker && declared.empty())) continue;
    reading[said.field] = said.value;
    if (!holds_only_declared(said.field) || (is_profile && said.field == "input_format")) continue;
    owners.push_back(said);
    if (!undeclared && !keeps(said, declared, source.options())) undeclared = said;
  }
  if (undeclared) refuse_undeclared(*undeclared, owners, dataset, source.options().sql);
  if (source.has_disjoint_persons()) reading["disjoint_persons"] = yes;  // the header of a profile file states it
  require_declared_query(source.options(), dataset);
  require_declared_weights(column.selection, dataset);
  require_nothing_else_of_weights(source, column, dataset);
  require_cells_for_null_errors(source, column, dataset);
  for (const std::string_view field : ledger_detail::permissions) {
    const std::string declared = declared_value(dataset, std::string(field));
    if (!declared.empty()) reading[std::string(field)] = declared;
  }
  return reading;
}

std::string source_for(const Source& source, const std::string& declared, const LedgerDataset& dataset,
                       const std::vector<OpenedFile>& opened) {
  // A query of a declared stability is declared itself, and the server reads the tables that it names.
  if (!source.address().empty()) {
    return source.options().sql_stability || opened.empty() ? dataset.source : opened.front().path;
  }
  require_tables_of_query(source.options(), dataset, opened);
  if (!declared.empty() && !dataset.source.empty()) return name_of_source(declared, source.options(), opened);
  require_declared_files(dataset, opened);
  std::set<std::string> tables;
  for (const DeclaredTable& each : declared_tables(dataset)) tables.insert(each.path);
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

}  // namespace fractile::publication_detail
