// A query over the files that options name: the checks before any of its rows is read, and its relation.
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

/// The name in queries of the table of TableOptions::file.
inline constexpr const char* name_of_file = "input";
/// What messages call a query.
inline constexpr const char* query_name = "the query";

/// A table of files, with its name in the query.
struct Input {
  std::string name;  ///< "input", or the name of a NamedTable
  InputFiles files;
  Format format;
  std::optional<Relation> relation = {};  ///< set when its schema has been read
};

/// Throws `usage` unless the options' query, tables and stability fit together.
void check_query_options(const TableOptions& options);

/// What the options allow in delimited text.
LineEndsInCells line_ends_of(const TableOptions& options);

/// Opens the files of the options: `input` first, if there is one. Throws as InputFiles::open() does.
std::vector<Input> open_inputs(const TableOptions& options);

/// The options' query over these inputs. From now on, the engine can read them, and no other file. Throws `usage` for a query that
/// is not a SELECT, reads anything else, or is neither row-wise nor declared. Sets the inputs' relations. Throws EngineFailure.
Relation open_query(const Session& connection, const TableOptions& options, std::vector<Input>& inputs);

/// A row-wise query over one table, which the statement `view` makes from the function `reader`; names.kinds must be the engine's.
/// Checks as above; no file is read.
Relation open_row_wise(const Session& connection, const std::string& sql, RowWiseNames names, const std::string& view,
                       const std::string& reader);

}  // namespace fractile::source_detail
