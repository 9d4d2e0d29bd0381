// Columns of a table: their names, how the engine calls them, and how each becomes a number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fractile::source_detail {

struct Column {
  std::string name;         ///< as the file or query spells it
  std::string engine_name;  ///< in the relation that is read
  std::string type;         ///< the engine's type, without parameters: "VARCHAR", "DECIMAL"
};

/// What a column is read as.
enum class Numeric {
  integer,  ///< fits 64 bits; read exactly
  real,     ///< read as the nearest double
  text,     ///< each cell parsed as a double
  none
};

/// The engine's type without its parameters, which may hold values: "ENUM('a', 'b')" is "ENUM".
std::string bare_type(std::string_view engine_type);
Numeric numeric_of(std::string_view bare_type);

/// The column of this name: spelled so, or else the only one that differs in letter case. Error(data) otherwise, with
/// the names there are and the nearest one. `source` is for messages.
const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source);

/// find_column(), and Error(data) unless its type is numeric or text.
const Column& find_numeric_column(const std::vector<Column>& columns, const std::string& name,
                                  const std::string& source);

/// Letters A to Z made small: names that the engine takes for one have the same.
std::string lower_case(std::string_view text);

/// Names made distinct to an engine that ignores letter case, by "_1", "_2", ...
std::vector<std::string> distinct_names(const std::vector<std::string>& names);

}  // namespace fractile::source_detail
