// What the engine reads: files of one of four formats that are one table, or a query over such tables, as SQL after FROM, with its columns.
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

/// By TableOptions::format, else by the files' names (.gz and others of packings aside), else csv for "-". Throws `usage` when neither says, when they say
/// different things, or when a delimiter is set for a format that has none.
Format format_of(const TableOptions& options, const std::vector<std::string>& files);
/// The format of the files of a further input, by their names alone.
Format format_of(const std::vector<std::string>& files);

/// How a table is read. Text formats have text columns only; nothing is inferred from cells. The columns of JSON are the keys
/// that are asked for, whatever its records hold.
class Relation {
 public:
  /// The schema of a table's files, which must outlive this; none of their records decides anything here. Throws `data` when one is not of its
  /// format, or not as the first one. `connection` can read them from now on. Throws EngineFailure.
  static Relation of_files(const Connection& connection, const InputFiles& table, Format format, std::string delimiter,
                           LineEndsInCells line_ends = LineEndsInCells::allowed, const NumberStyle& numbers = {});
  /// The schema of a query, which SqlTree::of() has seen; the statements `setup` have been run. `names`: of its columns, for messages.
  /// Throws EngineFailure.
  static Relation of_query(const Connection& connection, std::string_view sql, std::vector<std::string> setup,
                           Names names = Names::listed);

  /// None of JSON, which has no schema.
  const std::vector<Column>& columns() const { return columns_; }
  /// The column of this name, as find_column() has it. In JSON there is one for every name that is not empty, without NUL and
  /// UTF-8, spelled exactly so; other names throw `usage`. `source` is for messages.
  Column column(const std::string& name, const std::string& source) const;
  /// column(); throws `data` unless it is numeric or text.
  Column numeric_column(const std::string& name, ValueKind kind, const std::string& source) const;
  /// What follows FROM, for reading this column.
  std::string from(const Column& column) const { return from(std::vector<Column>{column}); }
  /// The same for several columns, some of which may be one. Throws `usage` for two keys of JSON that differ in letter case only: the
  /// engine cannot tell them apart.
  std::string from(const std::vector<Column>& columns) const;
  /// The same, but that cells of these columns are NULL where they are one of `missing`: numbers by their values, other texts exactly.
  Relation without(std::vector<Column> columns, std::vector<std::string> missing) const;
  /// A statement that gives the relation this name, with all columns that SQL can tell apart; `keys`: the columns of JSON. `bounded`: of a long text it has the beginning, and
  /// other values that are long as text are NULL (row_work.hpp).
  std::string view_sql(const std::string& name, const std::vector<std::string>& keys = {}, bool bounded = false) const;
  /// Makes what is not the engine's own readable for another connection, before setup() is run there.
  void add_to(const Connection& connection) const;
  /// Statements to be run on a connection before it reads the relation.
  const std::vector<std::string>& setup() const { return setup_; }
  /// The shape of delimited text, where a scan that meets bad bytes explains itself only when it reads all columns.
  const std::optional<DelimitedShape>& shape() const { return shape_; }
  /// None but of delimited text.
  const TextTable* text() const { return text_.get(); }
  /// Under which paths the engine opens files; none of delimited text, which it does not open, nor of a query.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Where a record stands that a reading on one thread has handed over, the last one that was begun; `record`: its number, from 1. Nothing of one
  /// file, and where the engine does not say: of JSON and queries.
  std::optional<TextTable::Place> place_of(std::uint64_t record) const;
  /// None but for JSON.
  std::optional<JsonForm> json_form() const { return json_form_; }
  /// The same, each row of which is that of another person, by this column; and that column, or "".
  Relation of_persons(std::string person) const;
  const std::string& person_of_rows() const { return person_of_rows_; }
  /// The files hold no more, as their sizes or footers say; 0 of a query.
  std::uint64_t most_records() const { return most_records_; }
  /// JsonTexts::check_lines() of JSON, before a query over it runs.
  bool check_json_lines(const std::function<void()>& on_progress) const { return json_->check_lines(on_progress); }
  double share_checked() const { return json_->share_checked(); }
  /// JSON whose records were found to stand on lines of their own: read with many threads.
  Relation on_lines() const;

 private:
  Relation() = default;
  static Relation of_delimited(const Connection& connection, const std::vector<InputFile>& files, std::string delimiter,
                               LineEndsInCells line_ends, const NumberStyle& numbers);
  static Relation of_json(const std::vector<InputFile>& files);
  static Relation of_parquet(const Connection& connection, const std::vector<InputFile>& files);
  std::string unblanked_from(const std::vector<Column>& columns) const;

  std::vector<Column> columns_;  // none of JSON
  Names names_ = Names::listed;
  std::vector<Column> typed_;  // of a query whose other names are not said: those that its text spells
  std::string from_;           // of all columns; of JSON: the files' names and how they are packed, for read_json
  std::vector<std::string> setup_;
  std::optional<DelimitedShape> shape_;
  std::shared_ptr<TextTable> text_;
  std::size_t files_ = 1;
  std::vector<std::uint64_t> rows_of_;  // of Parquet: how many rows each file has
  std::vector<std::string> paths_;
  std::shared_ptr<JsonTexts> json_;
  std::optional<JsonForm> json_form_;
  std::uint64_t most_records_ = 0;
  std::vector<Column> blanked_;  // whose cells are NULL where they are one of these
  std::vector<std::string> missing_;
  std::string person_of_rows_;
};

}  // namespace fractile::source_detail
