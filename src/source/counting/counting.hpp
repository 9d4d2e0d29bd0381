// From a column to a RankProfile: record by record here, or counted by the engine. Both give the same profile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// A column of numbers as the engine is asked for it.
struct NumberQuery {
  std::string expression;  ///< of the type that `reading` says
  std::string relation;    ///< what follows FROM
  CellReading reading;
};

/// What the numbers of a column are counted on in place of this lattice. Throws `usage` as in_units() does.
UnitLattice counted_on(const Column& column, const Lattice& lattice);

/// What number_expression() gives.
CellReading reading_of(const Column& column, ValueKind lattice, Unreadable unreadable);

/// The SQL of a column's numbers: of decimals those of their units, as counted_on() has them. A blank cell of text is NULL; a cell that
/// is not a number fails the query, or is NULL, too. On a lattice that reaches 2^53, where a double does not hold every whole
/// number, so does one fail whose whole part would be rounded, unless it lies beyond the lattice; numbers of up to 1.7e38 are
/// compared. (On other lattices rounding cannot move a whole number to another position.) Where nothing may fail, it is the nearest
/// double. On lattices of times: of a column of times a BIGINT in its own unit, the least and the largest for infinities; of text
/// the cell itself.
std::string number_expression(const Column& column, const Lattice& lattice, Unreadable unreadable);

/// What programs write for a missing number or time.
inline constexpr std::array<std::string_view, 4> words_for_none{"NaN", "nan", "NaT", "NAN"};

/// Whether a cell holds something, as the BIGINT 1 or NULL, whatever the column's type; never fails. NaN and what is one as text, and blank
/// text, are nothing.
std::string presence_expression(const Column& column);

/// What persons' values are made of: number_expression(); of counts presence_expression(); of truth values the BIGINT 1 for true.
struct PersonsNumbers {
  std::string expression;
  CellReading reading;
};
PersonsNumbers persons_numbers(const Column& column, const Lattice& lattice, Unreadable unreadable, PerPerson how);
/// What the values are counted on in place of this lattice: sums and means in the units of the numbers. Throws `usage`
/// as in_units().
UnitLattice values_counted_on(const Column& column, const Lattice& lattice, PerPerson how);
/// Whether a column of this type has such values, whatever a lattice says.
bool has_values(const Column& column, PerPerson how);

enum class CellState : std::int64_t { number, missing, no_number, inexact };
/// The CellState of each cell, as BIGINT; never fails. Not of text on lattices of times.
std::string cell_state_expression(const Column& column, const Lattice& lattice);

/// Reads every number, on all threads of the engine; `threads` as of a ProfileBuilder, which sorts. Throws EngineFailure.
Counted count_by_stream(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        std::size_t threads, const std::function<void()>& on_progress);

/// Whether count_by_engine() can be used, for whole numbers, or dates on a lattice of dates: the lattice spans at most 4,096 of them. Other numbers would have
/// to be compared or divided in SQL, which takes the engine three times as long as handing them over.
bool engine_can_count(const Column& column, const Lattice& lattice);

/// The engine groups whole numbers by value, those beyond the lattice by its ends; each value is placed here.
/// Throws EngineFailure.
Counted count_by_engine(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
