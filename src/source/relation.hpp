// What the engine reads: a file of one of four formats, or a query over such files, as SQL after FROM, with its columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fractile/source.hpp"
#include "source/columns.hpp"
#include "source/engine.hpp"
#include "source/input_file.hpp"

namespace fractile::source_detail {

enum class Format { csv, tsv, parquet, json };

/// By TableOptions::format, else by the file's name (.gz aside), else csv for "-". Error(usage) when neither says, or
/// when a delimiter is set for a format that has none.
Format format_of(const TableOptions& options);
/// Of a further input, by its name alone.
Format format_of_file(const std::string& file);

/// How a table is read. Text formats have text columns only; nothing is inferred from cells.
class Relation {
 public:
  /// The schema of a file. Error(data) when it is not of its format. Throws EngineFailure.
  static Relation of_file(const Connection& connection, const InputFile& file, Format format, std::string delimiter);
  /// JSON records as a query sees them: text columns of these keys, matched exactly; what a record lacks is NULL. Nothing is read.
  static Relation of_keys(const InputFile& file, const std::vector<std::string>& keys);
  /// The schema of a query, which SqlTree::of() has seen; the statements `setup` have been run. Throws EngineFailure.
  static Relation of_query(const Connection& connection, std::string_view sql, std::vector<std::string> setup);

  const std::vector<Column>& columns() const { return columns_; }
  /// What follows FROM, for reading this column.
  std::string from(const Column& column) const { return from(std::vector<Column>{column}); }
  /// The same for several columns, some of which may be one.
  std::string from(const std::vector<Column>& columns) const;
  /// A statement that gives the whole relation this name.
  std::string view_sql(const std::string& name) const;
  /// Statements to be run on a connection before it reads the relation.
  const std::vector<std::string>& setup() const { return setup_; }
  /// Delimited text: a scan that meets bad bytes explains itself only when it reads all columns.
  bool is_delimited() const { return is_delimited_; }

 private:
  Relation() = default;
  static Relation of_delimited(const Connection& connection, const InputFile& file, std::string delimiter);
  static Relation of_json(const Connection& connection, const InputFile& file);
  static Relation of_parquet(const Connection& connection, const InputFile& file);

  std::vector<Column> columns_;
  std::string from_;        // of all columns
  std::string json_begin_;  // of one column: begin, the column's type, end
  std::string json_end_;
  std::vector<std::string> setup_;
  bool is_delimited_ = false;
};

}  // namespace fractile::source_detail
