// Columns of a table: their names, how the engine calls them, and how each becomes a number.
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
  std::string engine_name;     ///< in the relation that is read
  std::string type;            ///< the engine's type, without parameters: "VARCHAR", "DECIMAL"
  std::string full_type = {};  ///< with them, as SQL spells it; of columns that are not text
  int unread_digits =
      0;  ///< of a decimal of more digits than the engine reads: how many; the engine would give other numbers
  NumberStyle numbers = {};  ///< of delimited text

  bool operator==(const Column&) const = default;
};

/// What a column is read as.
enum class Numeric {
  integer,  ///< fits 64 bits; read exactly
  units,    ///< a whole number of units, which may be decimal; read exactly, those beyond 64 bits as the last within
  real,     ///< a double, or what is one without rounding
  text,     ///< each cell parsed as a double
  none
};

/// The engine's type without its parameters, which may hold values: "ENUM('a', 'b')" is "ENUM".
std::string bare_type(std::string_view engine_type);
Numeric numeric_of(std::string_view bare_type);
/// Whether values of this type have a bounded size: numbers, times, truth values.
bool is_short_type(std::string_view bare_type);

/// "DECIMAL(18,3)" has 18 digits, 3 of them behind the point. Other types have no digits here.
struct Digits {
  int all = 0;
  int behind_point = 0;
};
Digits digits_of(std::string_view full_type);
/// What the values of a type of dates or times are; nothing for other types.
std::optional<ValueKind> time_kind_of(std::string_view bare_type);

/// Whether a column of times can be counted on a lattice of this kind: days and times without a zone go together.
inline bool go_together(ValueKind column, ValueKind lattice) {
  if (column == ValueKind::number || lattice == ValueKind::number) return column == lattice;
  return (column == ValueKind::instant) == (lattice == ValueKind::instant);
}
/// What to do where they do not.
std::string kind_hint(ValueKind column, ValueKind lattice);

/// Whether messages may list the names there are. Those of delimited text are its first line, which may be a person's when the
/// header line was forgotten, and those of a query over it can be.
enum class Names { listed, of_first_line, unsaid };

/// The column of this name, byte for byte. Throws `data` for none or several, with the nearest name and the others when they are `listed`;
/// else with the one that differs in letter case alone, from which no asker learns a word. `source` is for messages.
const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                          Names names = Names::listed);

/// A cell of text, an expression of SQL, with its number as the engine writes it; where it is none in this style, as a text that is none
/// there either.
std::string engine_number(const std::string& cell, const NumberStyle& style);

/// Throws `data` for a column that the engine would misread. `source` is for messages.
void require_read(const Column& column, const std::string& source);

/// Whether SQL finds this one of the columns by its name, which has no letter case there, and reads what it holds.
bool can_be_named(const Column& column, const std::vector<Column>& columns);

/// Throws `usage` when a query mentions, in any letter case, columns that SQL cannot tell apart, and `data` as require_read() does.
/// `mentioned`: the names as the query spells them. `source` is for messages.
void require_told_apart(const std::vector<Column>& columns, const std::set<std::string>& mentioned,
                        const std::string& source);

}  // namespace fractile::source_detail
