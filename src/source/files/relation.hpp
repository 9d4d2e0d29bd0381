// A relation that the engine reads, as SQL after FROM with its columns: files of one of four formats that form one table, or a
// query over such tables.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/source.hpp"
#include "source/engine/engine.hpp"
#include "source/files/columns.hpp"
#include "source/files/input_files.hpp"
#include "source/files/text_check.hpp"
#include "source/files/text_table.hpp"
#include "source/text/delimited_check.hpp"

namespace fractile::source_detail {

enum class Format { csv, tsv, parquet, json };

/// TableOptions::format, or else the format of the files' names (without .gz and the like), or else csv for "-". Throws `usage`
/// when neither determines it, when names disagree, and when a delimiter is set for a format that has none.
Format format_of(const TableOptions& options, const std::vector<std::string>& files);
/// The format of the files of a further input, by their names alone.
Format format_of(const std::vector<std::string>& files);

/// How a table is read. Text formats only have columns of text; nothing is inferred from cells. The columns of JSON are the keys
/// that are asked for, whatever its records hold.
class Relation {
 public:
  /// Reads the schema of a table's files, which must outlive this object; their records have no effect on it. Throws `data` when a
  /// file does not have its format, or differs from the first one. Only Parquet needs the engine. Throws EngineFailure.
  static Relation of_files(const EngineOnDemand& engine, const InputFiles& table, Format format, std::string delimiter,
                           LineEndsInCells line_ends = LineEndsInCells::allowed, const NumberStyle& numbers = {});
  /// Reads the schema of a query, which must have passed SqlTree::of(), after the statements `setup` have been run. `names`:
  /// whether messages may list its columns. Throws EngineFailure.
  static Relation of_query(const Session& connection, std::string_view sql, std::vector<std::string> setup,
                           Names names = Names::listed);

  /// Empty for JSON, which has no schema.
  const std::vector<Column>& columns() const { return columns_; }
  /// The column of this name, as find_column() finds it. JSON has a column for every name that is UTF-8, not empty and without NUL,
  /// spelled exactly like this; throws `usage` for other names. `source` is for messages.
  Column column(const std::string& name, const std::string& source) const;
  /// column(); throws `data` unless it is numeric or text. `table` as for require_countable().
  Column numeric_column(const std::string& name, ValueKind kind, const std::string& source,
                        const std::string& table = "input") const;
  /// What follows FROM, for reading this column.
  std::string from(const Column& column) const { return from(std::vector<Column>{column}); }
  /// The same for several columns, some of which may be equal. Throws `usage` for two keys of JSON that differ in letter case only:
  /// the engine cannot distinguish them.
  std::string from(const std::vector<Column>& columns) const;
  /// This relation with NULL in place of each cell of these columns that is one of `missing`: numbers are compared by value, other
  /// texts exactly.
  Relation without(std::vector<Column> columns, std::vector<std::string> missing) const;
  /// The texts that are missing in this column; empty unless without() named it.
  const std::vector<std::string>& missing_in(const Column& column) const;
  /// The number of the column, from 0, among columns().
  std::size_t number_of(const Column& column) const;
  /// A statement that gives the relation this name, with all columns that SQL can distinguish and that are read; `keys`: the columns of
  /// JSON. `bounded`: a long text is cut to its beginning, and other values that are long as text are NULL (row_work.hpp).
  std::string view_sql(const std::string& name, const std::function<bool(const std::string&)>& is_read,
                       const std::vector<std::string>& keys, bool bounded) const;
  /// For Parquet and a query that the engine may optimize: row groups are not skipped by the ranges of floating-point columns. These leave
  /// NaN out, so that other records would decide whether a record with NaN meets a condition. Does nothing with an engine that has no such
  /// option.
  void expect_nan(const Session& connection);
  /// Registers our table functions with a connection, before setup() is run there.
  void add_to(const Session& connection) const;
  /// Statements to be run on a connection before it reads the relation.
  const std::vector<std::string>& setup() const { return setup_; }
  /// The shape of delimited text; a scan that meets bad bytes reports them exactly only when it reads all columns.
  const std::optional<DelimitedShape>& shape() const { return shape_; }
  /// Null except for delimited text.
  const TextTable* text() const { return text_.get(); }
  /// The paths under which the engine opens files; none for delimited text, which it does not open, and for a query.
  const std::vector<std::string>& paths() const { return paths_; }
  /// The file and number of a record of the last reading, which must have been on one thread; `record`: its number, from 1. Nothing
  /// for one file, and for JSON and queries, where the engine does not report it.
  std::optional<TextTable::Place> place_of(std::uint64_t record) const;
  /// Nothing except for JSON.
  std::optional<JsonForm> json_form() const { return json_form_; }
  /// This relation with the declaration that each row is that of another person, by this column. Below: that column, or "".
  Relation of_persons(std::string person) const;
  const std::string& person_of_rows() const { return person_of_rows_; }
  /// An upper bound of the number of records, from the files' sizes or footers; 0 for a query.
  std::uint64_t most_records() const { return most_records_; }
  /// JsonTexts::check_lines() for JSON, before a query over it runs.
  bool check_json_lines(const std::function<void()>& on_progress) const { return json_->check_lines(on_progress); }
  double share_checked() const { return json_->share_checked(); }
  /// The relation for JSON whose records were found to stand on separate lines; it is read with many threads.
  Relation on_lines() const;

 private:
  Relation() = default;
  static Relation of_delimited(const std::vector<InputFile>& files, std::string delimiter, LineEndsInCells line_ends,
                               const NumberStyle& numbers);
  static Relation of_json(const std::vector<InputFile>& files);
  static Relation of_parquet(const Session& connection, const std::vector<InputFile>& files);
  std::string unblanked_from(const std::vector<Column>& columns) const;

  std::vector<Column> columns_;  // empty for JSON
  Names names_ = Names::listed;
  std::vector<Column> typed_;  // for a query whose names are not listed: the columns that its text spells
  std::string from_;           // for all columns; for JSON the files' names and packings, for read_json
  std::vector<std::string> setup_;
  std::optional<DelimitedShape> shape_;
  std::shared_ptr<TextTable> text_;
  std::size_t files_ = 1;
  std::vector<std::uint64_t> rows_of_;  // for Parquet: the number of rows of each file
  std::vector<std::string> paths_;
  std::shared_ptr<JsonTexts> json_;
  std::optional<JsonForm> json_form_;
  std::uint64_t most_records_ = 0;
  std::vector<Column> blanked_;  // columns whose cells are NULL where they are one of missing_
  std::vector<std::string> missing_;
  std::string person_of_rows_;
};

}  // namespace fractile::source_detail
