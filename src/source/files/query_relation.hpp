// A query over files that options name: what is required of it before any of its rows is read, and its relation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/engine/engine.hpp"
#include "source/files/input_files.hpp"
#include "source/files/relation.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {

/// How a query calls the table of TableOptions::file.
inline constexpr const char* name_of_file = "input";

/// A table of files, as a query calls it.
struct Input {
  std::string name;  ///< "input", or that of a NamedTable
  InputFiles files;
  Format format;
  std::optional<Relation> relation = {};  ///< once its schema has been read
};

/// Throws `usage` unless the options' query, tables and stability go together.
void check_query_options(const TableOptions& options);

/// What the options say of delimited text.
LineEndsInCells line_ends_of(const TableOptions& options);

/// The files of the options, opened: `input` first, if there is one. Throws as InputFiles::open().
std::vector<Input> open_inputs(const TableOptions& options);

/// The options' query over these inputs, which the engine can read from now on, and no other file. Throws `usage` for a query that is no
/// SELECT, reads anything else, or is neither row-wise nor declared. Sets the inputs' relations. Throws EngineFailure.
Relation open_query(const Connection& connection, const TableOptions& options, std::vector<Input>& inputs);

/// A row-wise query over one table, which the statement `view` makes of what the engine already reads by the function `reader`; names.kinds
/// are the engine's. As above; no file is read.
Relation open_row_wise(const Connection& connection, const std::string& sql, RowWiseNames names,
                       const std::string& view, const std::string& reader);

}  // namespace fractile::source_detail
