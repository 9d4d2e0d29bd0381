// Columns of a table: their names, how the engine calls them, and how each becomes a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/dates.hpp"

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
/// Of a type of dates or times what its values are; nothing for others.
std::optional<ValueKind> time_kind_of(std::string_view bare_type);

/// Whether a column of times can be counted on a lattice of this kind: days and times without a zone go together.
inline bool go_together(ValueKind column, ValueKind lattice) {
  if (column == ValueKind::number || lattice == ValueKind::number) return column == lattice;
  return (column == ValueKind::instant) == (lattice == ValueKind::instant);
}
/// What to do where they do not.
std::string kind_hint(ValueKind column, ValueKind lattice);

/// Whether messages may list the names there are. Those of delimited text are its first line, which may be a person's when the
/// header line was forgotten.
enum class Names { listed, unsaid };

/// The column of this name: spelled so, or else the only one that differs in letter case. Error(data) otherwise, with the nearest
/// name when that is near, and the others when they are `listed`. `source` is for messages.
const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                          Names names = Names::listed);

/// ASCII letters only, as the engine compares names.
std::string lower_case(std::string_view text);

/// Names made distinct to an engine that ignores letter case, by "_1", "_2", ...
std::vector<std::string> distinct_names(const std::vector<std::string>& names);

}  // namespace fractile::source_detail
