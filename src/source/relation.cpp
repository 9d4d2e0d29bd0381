#include "source/relation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fractile/error.hpp"
#include "source/header_line.hpp"
#include "source/sql_tree.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;  // bytes
constexpr std::size_t longest_delimiter = 4;                  // bytes, the engine's limit
constexpr int sampled_records = 20480;                        // of JSON, for the names of its columns

const std::map<std::string, Format>& formats_by_name() {
  static const std::map<std::string, Format> formats{
      {"csv", Format::csv}, {"tsv", Format::tsv}, {"parquet", Format::parquet}, {"json", Format::json}};
  return formats;
}

const std::map<std::string, Format>& formats_by_extension() {
  static const std::map<std::string, Format> formats{
      {".csv", Format::csv},    {".txt", Format::csv},   {".tsv", Format::tsv},    {".parquet", Format::parquet},
      {".pq", Format::parquet}, {".json", Format::json}, {".jsonl", Format::json}, {".ndjson", Format::json}};
  return formats;
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

Format format_by_file_name(const std::string& file) {
  if (file == "-") return Format::csv;
  std::filesystem::path path(file);
  if (lower_extension(path) == ".gz") path.replace_extension();
  const auto found = formats_by_extension().find(lower_extension(path));
  if (found == formats_by_extension().end()) {
    throw Error(ErrorCode::usage, "the name of " + file + " does not tell its format",
                "pass --input-format csv, tsv, parquet or json");
  }
  return found->second;
}

Format named_format(const std::string& name) {
  const auto found = formats_by_name().find(name);
  if (found == formats_by_name().end()) {
    throw Error(ErrorCode::usage, "unknown format '" + name + "'", "pass --input-format csv, tsv, parquet or json");
  }
  return found->second;
}

void check_delimiter(const std::string& delimiter, Format format) {
  if (delimiter.empty()) return;
  if (format != Format::csv && format != Format::tsv) {
    throw Error(ErrorCode::usage, "a delimiter is set, but the format is not delimited text",
                "drop --delimiter, or pass --input-format csv");
  }
  if (delimiter.size() > longest_delimiter || delimiter.find_first_of("\"\r\n") != std::string::npos) {
    throw Error(ErrorCode::usage, "the delimiter must be one to four bytes other than quotes and line ends",
                "pass e.g. --delimiter ';'");
  }
}

/// Rows of text columns; NULL is empty.
std::vector<std::vector<std::string>> text_rows(const Connection& connection, const std::string& sql,
                                                std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  ResultStream result = connection.query(sql, std::vector<CellType>(width, CellType::text));
  while (const std::optional<Chunk> chunk = result.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      std::vector<std::string>& cells = rows.emplace_back();
      for (std::size_t k = 0; k < width; ++k) {
        const ColumnView column = chunk->column(k);
        cells.emplace_back(column.is_null(row) ? "" : column.text(row));
      }
    }
  }
  return rows;
}

std::vector<Column> described_columns(const Connection& connection, const std::string& relation) {
  std::vector<Column> columns;
  for (const auto& row : text_rows(connection, "DESCRIBE SELECT * FROM " + relation, 2)) {
    columns.push_back({row[0], row[0], bare_type(row[1])});
  }
  return columns;
}

std::string compression_option(const InputFile& file) { return file.is_gzip() ? ", compression = 'gzip'" : ""; }

std::string read_csv_sql(const InputFile& file, const std::string& delimiter, const std::string& quote, bool has_header,
                         const std::string& columns) {
  return "read_csv(" + quote_literal(file.path()) + ", auto_detect = false, delim = " + quote_literal(delimiter) +
         ", quote = " + quote_literal(quote) + ", escape = " + quote_literal(quote) +
         ", header = " + (has_header ? "true" : "false") + ", columns = {" + columns + "}" + compression_option(file) +
         ")";
}

/// Compressed text is looked at through the engine: lines as cells, for lack of any separator.
std::string compressed_header(const Connection& connection, const InputFile& file) {
  const std::string lines = read_csv_sql(file, "\x1f", "", false, "'line': 'VARCHAR'");
  const auto rows = text_rows(connection, "SELECT line FROM " + lines + " LIMIT 1", 1);
  return rows.empty() ? std::string() : std::string(first_line_of(rows[0][0]));
}

std::string header_of(const Connection& connection, const InputFile& file) {
  if (file.is_gzip()) return compressed_header(connection, file);
  const std::string head = file.head(longest_header);
  std::string header(first_line_of(head));
  if (header.size() + 3 >= longest_header) {
    throw Error(ErrorCode::data, file.display_name() + ": the header line is longer than a megabyte",
                "check that the file is text with column names in its first line");
  }
  return header;
}

/// 'name': 'VARCHAR', for each.
std::string text_columns_sql(const std::vector<std::string>& names) {
  std::string sql;
  for (const std::string& name : names) sql += (sql.empty() ? "" : ", ") + quote_literal(name) + ": 'VARCHAR'";
  return sql;
}

std::vector<std::string> json_names(const Connection& connection, const InputFile& file) {
  const std::string records =
      "read_json_objects(" + quote_literal(file.path()) + ", format = 'auto'" + compression_option(file) + ")";
  const std::string sql = "SELECT unnest(json_keys(json)) FROM (SELECT json FROM " + records + " LIMIT " +
                          std::to_string(sampled_records) + ")";
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (auto& row : text_rows(connection, sql, 1)) {
    if (seen.insert(row[0]).second) names.push_back(std::move(row[0]));
  }
  return names;
}

}  // namespace

Format format_of(const TableOptions& options) {
  const Format format = options.format.empty() ? format_by_file_name(options.file) : named_format(options.format);
  check_delimiter(options.delimiter, format);
  return format;
}

Format format_of_file(const std::string& file) { return format_by_file_name(file); }

Relation Relation::of_file(const Connection& connection, const InputFile& file, Format format, std::string delimiter) {
  if (file.size() == 0) {
    throw Error(ErrorCode::data, file.display_name() + " is empty",
                "a table without records still has a header line (text) or a schema (Parquet)");
  }
  switch (format) {
    case Format::parquet:
      return of_parquet(connection, file);
    case Format::json:
      return of_json(connection, file);
    case Format::tsv:
      return of_delimited(connection, file, delimiter.empty() ? "\t" : std::move(delimiter));
    default:
      return of_delimited(connection, file, std::move(delimiter));
  }
}

Relation Relation::of_delimited(const Connection& connection, const InputFile& file, std::string delimiter) {
  const std::string header = header_of(connection, file);
  if (delimiter.empty()) delimiter = delimiter_of(header);
  const std::vector<std::string> names = column_names(header, delimiter, file.display_name());
  std::vector<std::string> engine_names;
  Relation relation;
  for (std::size_t k = 0; k < names.size(); ++k) {
    engine_names.push_back("c" + std::to_string(k));
    relation.columns_.push_back({names[k], engine_names.back(), "VARCHAR"});
  }
  relation.from_ = read_csv_sql(file, delimiter, "\"", true, text_columns_sql(engine_names));
  relation.is_delimited_ = true;
  return relation;
}

Relation Relation::of_json(const Connection& connection, const InputFile& file) {
  Relation relation;
  relation.json_begin_ = "read_json(" + quote_literal(file.path()) + ", format = 'auto', records = 'true', columns = {";
  relation.json_end_ = "}" + compression_option(file) + ")";
  std::vector<std::string> all;
  const std::vector<std::string> names = json_names(connection, file);
  const std::vector<std::string> distinct = distinct_names(names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    relation.columns_.push_back({names[k], names[k], "VARCHAR"});
    if (names[k] == distinct[k]) all.push_back(names[k]);
  }
  if (all.empty()) {
    throw Error(ErrorCode::data, file.display_name() + " holds no JSON objects with keys",
                "records must be objects, one a line or in one array");
  }
  relation.from_ = relation.json_begin_ + text_columns_sql(all) + relation.json_end_;
  return relation;
}

Relation Relation::of_parquet(const Connection& connection, const InputFile& file) {
  Relation relation;
  relation.from_ = "read_parquet(" + quote_literal(file.path()) + ", hive_partitioning = false)";
  relation.columns_ = described_columns(connection, relation.from_);
  return relation;
}

Relation Relation::of_keys(const InputFile& file, const std::vector<std::string>& keys) {
  Relation relation;
  relation.json_begin_ = "read_json(" + quote_literal(file.path()) + ", format = 'auto', records = 'true', columns = {";
  relation.json_end_ = "}" + compression_option(file) + ")";
  for (const std::string& key : keys) relation.columns_.push_back({key, key, "VARCHAR"});
  if (keys.empty()) relation.columns_.push_back({"no key", "no key", "VARCHAR"});  // records that are only counted
  relation.from_ = relation.from(relation.columns_);
  return relation;
}

Relation Relation::of_query(const Connection& connection, std::string_view sql, std::vector<std::string> setup) {
  Relation relation;
  relation.setup_ = std::move(setup);
  relation.from_ = in_parentheses(sql);
  relation.columns_ = described_columns(connection, relation.from_);
  return relation;
}

std::string Relation::from(const std::vector<Column>& columns) const {
  if (json_begin_.empty()) return from_;
  std::vector<std::string> names;
  for (const Column& column : columns) {
    if (std::ranges::find(names, column.engine_name) == names.end()) names.push_back(column.engine_name);
  }
  return json_begin_ + text_columns_sql(names) + json_end_;
}

std::string Relation::view_sql(const std::string& name) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  names = distinct_names(names);
  std::string list;  // each by its name: * would let the engine add columns of its own
  for (std::size_t k = 0; k < names.size(); ++k) {
    list += (k == 0 ? "" : ", ") + quote_identifier(columns_[k].engine_name) + " AS " + quote_identifier(names[k]);
  }
  return "CREATE TEMP VIEW " + quote_identifier(name) + " AS SELECT " + list + " FROM " + from_;
}

}  // namespace fractile::source_detail
