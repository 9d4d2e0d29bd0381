// From a column to a RankProfile: record by record here, or counted by the engine. Both give the same profile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/counting/scaled_lattice.hpp"
#include "source/counting/shared_tally.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/time_cells.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// The parts of the SQL that asks the engine for a column of numbers.
struct NumberQuery {
  std::string expression;  ///< its type is that of `reading`
  std::string relation;    ///< what follows FROM
  CellReading reading;
};

/// The lattice, in the units of the column, on which the column's numbers are counted in place of this lattice. Throws `usage` as
/// in_units() does.
UnitLattice counted_on(const Column& column, const Lattice& lattice);

/// How the cells of number_expression() are read.
CellReading reading_of(const Column& column, ValueKind lattice, Unreadable unreadable);

/// Doubles hold every whole number up to here, but not all above.
inline constexpr std::int64_t first_gap = std::int64_t{1} << 53;
/// If a whole number on the lattice or near it may be no double: the least double that is above all of these, or is the largest.
std::optional<double> end_of_gaps(const Lattice& lattice);

/// The SQL of a column's numbers. Decimals are whole numbers of their units, as in counted_on(). A blank cell of text is NULL. A
/// cell that is not a number makes the query fail or, for Unreadable::missing, is NULL.
/// On a lattice that reaches 2^53, a double does not hold every whole number. So there a cell also fails if its whole part would be
/// rounded, unless the number lies beyond the lattice; numbers of up to 1.7e38 are compared. (On other lattices, rounding cannot
/// move a whole number to another position.) Where nothing may fail, such a cell is the nearest double.
/// On lattices of times, a column of times gives a BIGINT in its own unit, with the least and the largest for infinities; a column
/// of text gives the cell itself.
std::string number_expression(const Column& column, const Lattice& lattice, Unreadable unreadable);

/// The words that programs write for a missing number or time.
inline constexpr std::array<std::string_view, 4> words_for_none{"NaN", "nan", "NaT", "NAN"};

/// SQL for whether a cell holds something, as the BIGINT 1 or NULL, for a column of any type. It never fails. NaN, text that stands
/// for it, and blank text count as nothing.
std::string presence_expression(const Column& column);

/// The numbers from which persons' values are made: number_expression(); for counts, presence_expression(); for truth values, the
/// BIGINT 1 for true.
struct PersonsNumbers {
  std::string expression;
  CellReading reading;
};
PersonsNumbers persons_numbers(const Column& column, const Lattice& lattice, Unreadable unreadable, PerPerson how);
/// The lattice on which persons' values are counted in place of this lattice: sums and means are in the units of the numbers.
/// Throws `usage` as in_units() does.
UnitLattice values_counted_on(const Column& column, const Lattice& lattice, PerPerson how);
/// Whether a column of this type has such values, on any lattice.
bool has_values(const Column& column, PerPerson how);

enum class CellState : std::int64_t { number, missing, no_number, inexact };
/// SQL for the CellState of each cell, as BIGINT. It never fails. Not for text on lattices of times.
std::string cell_state_expression(const Column& column, const Lattice& lattice);

/// Reads every number, on all threads of the engine; `threads` is for the ProfileBuilder, which sorts. Throws EngineFailure.
Counted count_by_stream(const Session& connection, const NumberQuery& query, const Lattice& lattice,
                        std::size_t threads, const std::function<void()>& on_progress);

/// Whether count_by_engine() can be used: for whole numbers, and for dates on a lattice of dates, if the lattice spans at most
/// 4,096 of them. The engine would have to compare or divide other numbers in SQL, which takes it three times as long as handing
/// them over.
bool engine_can_count(const Column& column, const Lattice& lattice);

/// The engine groups whole numbers by value, with numbers beyond the lattice at its ends. Here each value is placed on the lattice.
/// Throws EngineFailure.
Counted count_by_engine(const Session& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
