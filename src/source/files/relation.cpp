#include "source/files/relation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "source/engine/letter_case.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/countable.hpp"
#include "source/files/foreign_format.hpp"
#include "source/files/missing_cells.hpp"
#include "source/files/row_work.hpp"
#include "source/files/table_names.hpp"
#include "source/files/text_stream.hpp"
#include "source/text/header_line.hpp"
#include "source/text/packing.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;  // bytes
constexpr std::size_t longest_delimiter = 4;                  // bytes; the engine has the same limit

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

std::string lower_extension(const std::filesystem::path& path) { return lower_case(path.extension().string()); }

Words formats_hint() { return {"pass ", Field("input_format").text("csv"), ", tsv, parquet or json"}; }

/// The extension of a file's name, ignoring that of a packing.
std::string format_extension(const std::string& file) {
  std::filesystem::path path(file);
  if (packing_named(lower_extension(path)) != nullptr) path.replace_extension();
  return lower_extension(path);
}

Format format_by_file_name(const std::string& file) {
  if (file == "-") return Format::csv;
  const std::string extension = format_extension(file);
  const auto found = formats_by_extension().find(extension);
  if (found == formats_by_extension().end()) {
    refuse_foreign_extension(file, extension);
    throw Error(ErrorCode::usage, "the name of " + file + " does not show its format",
                {"let its name end with .csv, .tsv, .parquet or .json, or ", formats_hint(),
                 "; the owner of a ledger's dataset declares this option"});
  }
  return found->second;
}

Format named_format(const std::string& name) {
  const auto found = formats_by_name().find(name);
  if (found == formats_by_name().end()) {
    throw Error(ErrorCode::usage, "unknown format '" + name + "'", formats_hint(), "input_format");
  }
  return found->second;
}

void check_delimiter(const std::string& delimiter, Format format) {
  if (delimiter.empty()) return;
  const Field delimiter_field("delimiter");
  const Field format_field("input_format");
  if (format != Format::csv && format != Format::tsv) {
    throw Error(ErrorCode::usage, "a delimiter is set, but the format is not delimited text",
                {"drop ", delimiter_field, ", or pass ", format_field.text("csv")}, "delimiter");
  }
  if (delimiter == "tab" || delimiter == "\\t") {
    throw Error(ErrorCode::usage, "the delimiter is '" + delimiter + "', which is not a tab but these characters",
                {"pass ", format_field.text("tsv")}, "delimiter");
  }
  if (delimiter.size() > longest_delimiter || delimiter.find_first_of("\"\r\n") != std::string::npos) {
    throw Error(ErrorCode::usage, "the delimiter must be one to four bytes other than quotes and line ends",
                {"pass e.g. ", delimiter_field.text(";")}, "delimiter");
  }
}

/// The rows of columns of text; NULL becomes an empty text.
std::vector<std::vector<std::string>> text_rows(const Session& connection, const std::string& sql, std::size_t width) {
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

/// The columns of a query, under new names: by their own names, the engine might find other columns, since it ignores letter case.
std::vector<Column> described_columns(const Session& connection, const std::string& query) {
  std::vector<Column> columns;
  for (const auto& row : text_rows(connection, "DESCRIBE " + query, 2)) {
    columns.push_back({row[0], "c" + std::to_string(columns.size()), bare_type(row[1]), row[1]});
  }
  return columns;
}

/// SQL after a relation that gives its columns their names in the engine, in their order.
std::string aliases_sql(const std::vector<Column>& columns) {
  std::string sql;
  for (const Column& column : columns) sql += (sql.empty() ? " AS t(" : ", ") + column.engine_name;
  return sql.empty() ? sql : sql + ")";
}

/// A column in the schema of a Parquet file.
struct StoredColumn {
  std::string name;
  int unread_digits = 0;  ///< as Column::unread_digits, for the column or one nested in it
};

/// The columns of the outermost level, as the file spells them. (The engine invents names for columns with equal names.)
std::vector<StoredColumn> stored_columns(const Session& connection, const std::string& file) {
  constexpr int most_digits = 38;
  std::vector<StoredColumn> columns;
  std::vector<std::uint64_t> left{1};  // children that are still to come, for the element and those around it
  for (const auto& row : text_rows(connection,
                                   "SELECT name, CAST(coalesce(num_children, 0) AS VARCHAR), "
                                   "CAST(coalesce(precision, 0) AS VARCHAR) FROM parquet_schema(" +
                                       quote_literal(file) + ")",
                                   3)) {
    while (left.size() > 1 && left.back() == 0) left.pop_back();
    --left.back();
    constexpr std::size_t inside_the_root = 2;
    if (left.size() == inside_the_root) columns.push_back({row[0]});
    const int digits = std::stoi(row[2]);
    if (!columns.empty() && digits > most_digits) columns.back().unread_digits = digits;
    left.push_back(std::stoull(row[1]));
  }
  return columns;
}

/// The number of bytes of text that a file is assumed to hold at most; it exceeds the number of records. If it exceeds every
/// countable number, some such number. A byte of gzip holds at most 1,032 bytes. A byte of another packing can hold more, but
/// tables are not packed so densely; a limit from what is possible would reveal the length of the packed records, at a length that
/// an asker's weights choose.
std::uint64_t most_text(const InputFile& file) {
  constexpr std::uint64_t of_packed_byte = 1032;
  const std::uint64_t of_byte = file.packing() == nullptr ? 1 : of_packed_byte;
  return std::min<std::uint64_t>(file.size(), RankProfile::max_records / of_byte + 1) * of_byte;
}

/// Throws if this many bytes of text could hold more records than can be counted; otherwise that would show only after the charge.
void require_countable_size(const std::string& file, std::uint64_t most) {
  if (most <= RankProfile::max_records) return;
  throw Error(
      ErrorCode::data,
      file + " may hold more than " + std::to_string(RankProfile::max_records) + " records, and no more can be counted",
      "split it");
}

std::string read_parquet_sql(const std::string& paths, const std::string& options = {}) {
  return "read_parquet(" + paths + ", hive_partitioning = false" + options + ")";
}

/// The number of rows in the footer of a Parquet file. Throws `data` for an encrypted file whose footer is not encrypted: such a footer is
/// signed, and names its algorithm along with random bytes. The engine fails where these are not UTF-8, and shows them where they are.
std::uint64_t parquet_rows(const Session& connection, const InputFile& file) {
  const std::string sql =
      "SELECT CAST(num_rows AS VARCHAR), coalesce(encryption_algorithm, '') FROM parquet_file_metadata(" +
      quote_literal(file.path()) + ")";
  try {
    const auto rows = text_rows(connection, sql, 2);
    if (rows.empty()) return 0;
    if (!rows.front()[1].empty()) refuse_signed_parquet(file.display_name());
    return std::stoull(rows.front()[0]);
  } catch (const EngineFailure& failure) {
    if (failure.kind == FailureKind::not_utf8) refuse_signed_parquet(file.display_name());
    throw;
  }
}

std::vector<std::string> paths_of(const std::vector<InputFile>& files) {
  return mapped(files, [](const InputFile& file) { return file.path(); });
}

/// The list of paths, for functions of the engine that read files.
std::string paths_sql(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return quote_literal(paths.front());
  std::string sql;
  for (const std::string& path : paths) sql += (sql.empty() ? "[" : ", ") + quote_literal(path);
  return sql + "]";
}

/// Refuses a file that is packed. `how`: the packing, for the message.
[[noreturn]] void refuse_packed(const InputFile& file, const std::string& how, const std::string& unpacked) {
  throw Error(ErrorCode::data, file.display_name() + how,
              "unpack it, and name what comes out: " + std::string(file.packing()->unpack) + " FILE > " + unpacked);
}

/// Checks that a file may be delimited text, before its first line is read as column names.
void require_delimited(const InputFile& file) {
  const std::string head = text_head(file, longest_magic);
  if (file.packing() != nullptr && packing_of(head) != nullptr) refuse_packed(file, " is packed twice", "unpacked");
  refuse_foreign_text(file.display_name(), head);
}

void require_parquet(const InputFile& file) {
  refuse_encrypted_parquet(file.display_name(), file.head(longest_magic));
  const Packing* packing = file.packing();
  if (packing == nullptr) return;
  refuse_packed(file,
                " is packed by " + std::string(packing->name) + ", and Parquet is read only when it is not packed",
                "people.parquet");
}

[[noreturn]] void refuse_unlike(const InputFile& file, const InputFile& first, const std::string& how) {
  throw Error(ErrorCode::data, file.display_name() + ": " + how + " than those of " + first.display_name(),
              "files that are read as one table must have the same columns in the same order");
}

std::string header_of(const InputFile& file) {
  TextStream text(file);
  std::string head;
  while (head.size() <= longest_header) {
    const std::string_view bytes = text.next();
    head += bytes;
    if (bytes.empty() || bytes.find_first_of("\r\n") != std::string_view::npos) return std::string(first_line_of(head));
  }
  throw Error(ErrorCode::data, file.display_name() + ": the header line is longer than a megabyte",
              "check that the file is text with column names in its first line");
}

/// 'name': 'VARCHAR', for each name.
std::string text_columns_sql(const std::vector<std::string>& names) {
  return joined(names, ", ", [](const std::string& name) { return quote_literal(name) + ": 'VARCHAR'"; });
}

/// Throws unless the engine can search for this key in JSON, and SQL can spell it.
void check_key(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos || !is_utf8(name)) {
    throw Error(ErrorCode::usage, "a key of JSON must be UTF-8 text that is not empty and without NUL",
                "name the key as the records spell it");
  }
}

[[noreturn]] void refuse_twin_keys(const std::string& first, const std::string& second) {
  throw Error(ErrorCode::usage, "the keys '" + first + "' and '" + second + "' differ in letter case only",
              "the engine cannot read both at once; rename one in the file");
}

/// Each key once, in order.
std::vector<std::string> distinct_keys(const std::vector<std::string>& keys) {
  std::vector<std::string> distinct;
  for (const std::string& key : keys) {
    if (std::ranges::find(distinct, key) != distinct.end()) continue;
    const auto twin = std::ranges::find(distinct, lower_case(key), lower_case);
    if (twin != distinct.end()) refuse_twin_keys(*twin, key);
    distinct.push_back(key);
  }
  return distinct;
}

const char* engine_name(JsonForm form) {
  switch (form) {
    case JsonForm::array:
      return "array";
    case JsonForm::lines:
      return "newline_delimited";
    default:
      return "unstructured";
  }
}

/// Keys are matched byte for byte in each record by itself; a record without a key has NULL in its column, and a record that has a
/// key twice fails. If no key is asked for, each record is in a column `json`. `file`: the first arguments.
std::string read_json_sql(const std::string& file, JsonForm form, const std::vector<std::string>& keys) {
  if (keys.empty()) return "read_json_objects(" + file + ", format = '" + engine_name(form) + "')";
  return "read_json(" + file + ", format = '" + engine_name(form) + "', records = 'true', columns = {" +
         text_columns_sql(distinct_keys(keys)) + "})";
}

}  // namespace

Format format_of(const TableOptions& options, const std::vector<std::string>& files) {
  const Format format = options.format.empty() ? format_of(files) : named_format(options.format);
  check_delimiter(options.delimiter, format);
  return format;
}

Format format_of(const std::vector<std::string>& files) {
  const Format format = format_by_file_name(files.front());
  for (const std::string& file : files) {
    if (format_by_file_name(file) == format) continue;
    throw Error(ErrorCode::usage, "by their names, " + files.front() + " and " + file + " have different formats",
                {"name files of one format, or pass ", Field("input_format").text("csv")});
  }
  return format;
}

Relation Relation::of_files(const EngineOnDemand& engine, const InputFiles& table, Format format, std::string delimiter,
                            LineEndsInCells line_ends, const NumberStyle& numbers) {
  const std::vector<InputFile>& files = table.files();
  std::uint64_t most_records = 0;  // of text
  for (const InputFile& file : files) {
    if (file.size() == 0 && format != Format::json) {  // an empty file has no record
      throw Error(ErrorCode::data, file.display_name() + " is empty",
                  "a table without records still has a header line (text) or a schema (Parquet)");
    }
    if (format == Format::parquet) {
      require_parquet(file);
      continue;
    }
    require_countable_size(file.display_name(), file.size());
    require_read_packing(file);
    if (format != Format::json) require_delimited(file);
    most_records += most_text(file);
  }
  if (format == Format::parquet) {
    Relation relation = of_parquet(engine(), files);
    relation.files_ = files.size();
    require_countable_size(table.display_name(), relation.most_records_);
    return relation;
  }
  if (format == Format::tsv && delimiter.empty()) delimiter = "\t";
  Relation text =
      format == Format::json ? of_json(files) : of_delimited(files, std::move(delimiter), line_ends, numbers);
  text.most_records_ = most_records;
  text.files_ = files.size();
  return text;
}

Relation Relation::of_delimited(const std::vector<InputFile>& files, std::string delimiter, LineEndsInCells line_ends,
                                const NumberStyle& numbers) {
  const InputFile& first = files.front();
  const std::string header = header_of(first);
  if (delimiter.empty()) delimiter = delimiter_of(header);
  const std::vector<std::string> names = column_names(header, delimiter, first.display_name());
  for (const InputFile& file : std::span(files).subspan(1)) {
    if (column_names(header_of(file), delimiter, file.display_name()) != names)
      refuse_unlike(file, first, "its first line has other column names");
  }
  Relation relation;
  for (std::size_t k = 0; k < names.size(); ++k) {
    relation.columns_.push_back({names[k], TextTable::column_name(k), "VARCHAR", {}, 0, numbers});
  }
  relation.shape_ = DelimitedShape{std::move(delimiter), names.size()};
  relation.text_ = std::make_shared<TextTable>(files, *relation.shape_, line_ends);
  relation.from_ = relation.text_->function() + "()";
  relation.names_ = Names::of_first_line;
  return relation;
}

void Relation::add_to(const Session& connection) const {
  if (text_) connection.add(*text_, text_->function());
}

Relation Relation::of_json(const std::vector<InputFile>& files) {
  Relation relation;
  const InputFile& first = files.front();
  for (const InputFile& file : files) {
    const Packing* packing = file.packing();
    if (packing != nullptr && !packing->is_read_by_engine)
      refuse_packed(file,
                    " is packed by " + std::string(packing->name) + ", and JSON is read only if it is packed by gzip",
                    "people.json");
    const JsonHead head = json_head(file);
    refuse_foreign_json(file.display_name(), head.bytes);
    if (&file == &first) relation.json_form_ = head.form;
    const bool is_alike = head.form == *relation.json_form_ && packing == first.packing();
    if (is_alike) continue;
    throw Error(ErrorCode::data, file.display_name() + " and " + first.display_name() + " are not written alike",
                "write all files of a table as one array each, or none, and pack all with gzip, or none");
  }
  relation.json_ = std::make_shared<JsonTexts>(files);
  relation.paths_ = paths_of(files);
  relation.from_ = paths_sql(relation.paths_) + (first.packing() == nullptr ? "" : ", compression = 'gzip'");
  return relation;
}

Relation Relation::of_parquet(const Session& connection, const std::vector<InputFile>& files) {
  Relation relation;
  for (const InputFile& file : files) {
    const std::string from = read_parquet_sql(quote_literal(file.path()));
    std::vector<Column> columns = described_columns(connection, "SELECT * FROM " + from);
    const std::uint64_t rows = parquet_rows(connection, file);
    require_countable_size(file.display_name(), rows);
    relation.most_records_ += rows;
    relation.rows_of_.push_back(rows);
    const std::vector<StoredColumn> stored = stored_columns(connection, file.path());
    if (stored.size() != columns.size()) {
      throw Error(ErrorCode::data,
                  file.display_name() + ": the schema holds columns other than those that the engine reads",
                  "write the file again, with columns of plain types");
    }
    for (std::size_t k = 0; k < stored.size(); ++k) {
      // The engine would find a column of a further file by the name that it invented for a column with an equal name.
      if (files.size() > 1 && columns[k].name != stored[k].name) {
        throw Error(ErrorCode::data, file.display_name() + ": two columns differ in letter case only",
                    "rename one, to read several files as one table");
      }
      columns[k].name = stored[k].name;
      columns[k].unread_digits = stored[k].unread_digits;
    }
    if (&file == &files.front()) relation.columns_ = columns;
    if (columns != relation.columns_) refuse_unlike(file, files.front(), "its columns have other names or types");
  }
  relation.paths_ = paths_of(files);
  relation.from_ = read_parquet_sql(paths_sql(relation.paths_)) + aliases_sql(relation.columns_);
  return relation;
}

void Relation::expect_nan(const Session& connection) {
  if (rows_of_.empty()) return;
  ResultStream rows = connection.query(
      "SELECT 'yes' FROM duckdb_functions() WHERE function_name = 'read_parquet' AND "
      "list_contains(parameters, 'can_have_nan') LIMIT 1",
      {CellType::text});
  if (rows.next()) from_ = read_parquet_sql(paths_sql(paths_), ", can_have_nan = true") + aliases_sql(columns_);
}

Relation Relation::of_query(const Session& connection, std::string_view sql, std::vector<std::string> setup,
                            Names names) {
  Relation relation;
  relation.setup_ = std::move(setup);
  relation.names_ = names;
  relation.from_ = in_parentheses(sql);
  relation.columns_ = described_columns(connection, relation.from_);
  std::ranges::copy_if(relation.columns_, std::back_inserter(relation.typed_), [&](const Column& column) {
    return names == Names::unsaid && sql.find(column.name) != std::string_view::npos;
  });
  relation.from_ += aliases_sql(relation.columns_);
  return relation;
}

std::optional<TextTable::Place> Relation::place_of(std::uint64_t record) const {
  if (files_ == 1) return {};
  if (text_) return text_->place_of(record);
  if (rows_of_.empty()) return {};
  TextTable::Place place{0, record};
  while (place.file + 1 < rows_of_.size() && place.record > rows_of_[place.file])
    place.record -= rows_of_[place.file++];
  return place;
}

Relation Relation::of_persons(std::string person) const {
  Relation relation = *this;
  relation.person_of_rows_ = std::move(person);
  return relation;
}

Column Relation::column(const std::string& name, const std::string& source) const {
  if (json_form_) {
    check_key(name);
    return {name, name, "VARCHAR"};
  }
  const bool is_there = std::ranges::find(columns_, name, &Column::name) != columns_.end();
  if (!is_there && !typed_.empty()) find_column(typed_, name, source);  // its message lists all of them
  const Column& found = find_column(columns_, name, source, names_);
  require_read(found, source);
  return found;
}

Column Relation::numeric_column(const std::string& name, ValueKind kind, const std::string& source,
                                const std::string& table) const {
  Column found = column(name, source);
  require_countable(found, kind, source, table);
  return found;
}

std::string Relation::from(const std::vector<Column>& columns) const {
  std::string blanks;
  for (auto column = blanked_.begin(); column != blanked_.end(); ++column) {
    const bool is_read = std::ranges::find(columns, *column) != columns.end();
    const bool is_first = std::find(blanked_.begin(), column, *column) == column;
    if (missing_.empty() || !is_read || !is_first) continue;
    blanks +=
        (blanks.empty() ? "" : ", ") + blanked_cell(*column, missing_) + " AS " + quote_identifier(column->engine_name);
  }
  const std::string all = unblanked_from(columns);
  return blanks.empty() ? all : "(SELECT * REPLACE (" + blanks + ") FROM " + all + ")";
}

Relation Relation::without(std::vector<Column> columns, std::vector<std::string> missing) const {
  Relation relation = *this;
  relation.blanked_ = std::move(columns);
  relation.missing_ = std::move(missing);
  return relation;
}

const std::vector<std::string>& Relation::missing_in(const Column& column) const {
  static const std::vector<std::string> none;
  return std::ranges::find(blanked_, column) != blanked_.end() ? missing_ : none;
}

std::size_t Relation::number_of(const Column& column) const {
  const auto found = std::ranges::find(columns_, column.engine_name, &Column::engine_name);
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string Relation::unblanked_from(const std::vector<Column>& columns) const {
  if (!json_form_) return from_;
  return read_json_sql(from_, *json_form_, mapped(columns, &Column::engine_name));
}

Relation Relation::on_lines() const {
  Relation relation = *this;
  relation.json_form_ = JsonForm::lines;
  return relation;
}

std::string Relation::view_sql(const std::string& name, const std::function<bool(const std::string&)>& is_read,
                               const std::vector<std::string>& keys, bool bounded) const {
  std::string list;  // each column by its name: with *, the engine might add columns
  const auto add = [&](const std::string& engine_name, const std::string& column, const std::string& type) {
    const std::string cell = quote_identifier(engine_name);
    list +=
        (list.empty() ? "" : ", ") + (bounded ? bounded_cell(cell, type) : cell) + " AS " + quote_identifier(column);
  };
  for (const Column& column : nameable_columns(columns_)) {
    if (is_read(column.name)) add(column.engine_name, column.name, column.type);
  }
  if (json_form_) {
    for (const std::string& key : distinct_keys(keys)) add(key, key, "VARCHAR");
  }
  if (list.empty()) list = "NULL AS \"no column\"";  // records are counted, and no column is named
  const std::string from = json_form_ ? read_json_sql(from_, *json_form_, keys) : from_;
  return "CREATE TEMP VIEW " + quote_identifier(name) + " AS SELECT " + list + " FROM " + from;
}

std::string format_by_name(const std::string& file) {
  if (file == "-") return "csv";
  const auto found = formats_by_extension().find(format_extension(file));
  if (found == formats_by_extension().end()) return {};
  const auto has_it = [&](const auto& named) { return named.second == found->second; };
  return std::ranges::find_if(formats_by_name(), has_it)->first;
}

bool is_packed(const std::string& file) {
  std::string head(longest_mark, '\0');
  std::ifstream bytes(file, std::ios::binary);
  bytes.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(bytes.gcount()));
  return packing_of(head) != nullptr;
}

}  // namespace fractile::source_detail
