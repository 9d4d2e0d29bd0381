// Columns of a table: their names, their names in the engine, and how their cells become numbers.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/engine/letter_case.hpp"

namespace fractile::source_detail {

struct Column {
  std::string name;            ///< as the file or query spells it
  std::string engine_name;     ///< its name in the relation that is read
  std::string type;            ///< the engine's type, without parameters: "VARCHAR", "DECIMAL"
  std::string full_type = {};  ///< with parameters, as SQL spells it; only for columns that are not text
  /// For a decimal with more digits than the engine can read: the number of digits. The engine would return wrong numbers.
  int unread_digits = 0;
  NumberStyle numbers = {};  ///< how delimited text writes numbers

  bool operator==(const Column&) const = default;
};

/// How a column is read.
enum class Numeric {
  integer,  ///< fits 64 bits; read exactly
  units,    ///< a whole number of units, which may be decimal; read exactly, and clamped to 64 bits
  real,     ///< a double, or a number that is a double without rounding
  text,     ///< each cell parsed as a double
  none
};

/// The engine's type without its parameters, which may hold values: "ENUM('a', 'b')" is "ENUM".
std::string bare_type(std::string_view engine_type);
Numeric numeric_of(std::string_view bare_type);
/// Whether values of this type have a bounded size: numbers, times, truth values.
bool is_short_type(std::string_view bare_type);

/// "DECIMAL(18,3)" has 18 digits, 3 of them after the point. Other types have no digits here.
struct Digits {
  int all = 0;
  int behind_point = 0;
};
Digits digits_of(std::string_view full_type);
/// The kind of a type of dates or times; nothing for other types.
std::optional<ValueKind> time_kind_of(std::string_view bare_type);

/// Whether a column of times can be counted on a lattice of this kind: days and times without a zone fit each other.
inline bool go_together(ValueKind column, ValueKind lattice) {
  if (column == ValueKind::number || lattice == ValueKind::number) return column == lattice;
  return (column == ValueKind::instant) == (lattice == ValueKind::instant);
}
/// The hint when they do not.
std::string kind_hint(ValueKind column, ValueKind lattice);

/// Whether messages may list the names of columns. The names of delimited text are its first line, which may be a person's record
/// if the header line was forgotten; the same holds for queries over it.
enum class Names { listed, of_first_line, unsaid };

/// The column of this name, byte for byte. Throws `data` for none or several. If names are `listed`, the message has the nearest
/// name and the others; otherwise only a name that differs in letter case alone, which reveals no word to an asker. `source` is for
/// messages.
const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                          Names names = Names::listed);

/// SQL of a cell; NULL for a time of day that is not within a day. A file can hold any number there, and the engine crashes when it
/// writes such a number as text.
std::string cell_within_day(const std::string& cell, const std::string& bare_type);
/// Whether a list, a structure or a map has times of day in it. `full_type`: as SQL spells it.
bool has_times_of_day_inside(std::string_view full_type);

/// SQL of a cell as text; NULL for a value that the engine can read but not write, such as times near the ends of their types.
std::string cell_as_text(const std::string& cell, const std::string& bare_type);

/// Throws `data` for a column that the engine would misread, or in which a cell could make it crash. `source` is for messages.
void require_read(const Column& column, const std::string& source);

/// Whether SQL, which ignores letter case, finds this column by its name, and can read it.
bool can_be_named(const Column& column, const std::vector<Column>& columns);
/// The columns of which that is true, in their order.
std::vector<Column> nameable_columns(const std::vector<Column>& columns);

/// Throws `usage` when a query mentions, in any letter case, columns that SQL cannot distinguish, and `data` as require_read()
/// does. `mentioned`: the names as spelled in the query. `source` and `way_out` are for messages.
void require_told_apart(const std::vector<Column>& columns, const std::set<std::string>& mentioned,
                        const std::string& source, const std::string& way_out);

}  // namespace fractile::source_detail
