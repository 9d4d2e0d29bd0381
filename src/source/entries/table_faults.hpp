// Errors of a pass over a table in our words, since the engine's may quote cells; and the first record that caused one.
#pragma once

#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "source/counting/counting.hpp"
#include "source/entries/opened_table.hpp"

namespace fractile::source_detail {

/// An error with our message, since the engine's message may quote cells.
Error worded(const EngineFailure& failure, const std::string& display_name);

/// The same for a pass over the table; adds the place in the file for text that is not UTF-8.
Error worded(const EngineFailure& failure, const OpenedTable& table);

/// A column to count, and what is refused in it: NULL and NaN, cells that are not numbers.
struct Asked {
  const Column& column;
  const Lattice& lattice;
  bool missing_too;
  Unreadable unreadable;
  bool whatever_it_holds = false;  ///< whether only the presence of something in a cell matters

  bool refuses(CellState state) const {
    if (state == CellState::number) return false;
    if (state == CellState::inexact) return unreadable == Unreadable::error;
    return missing_too || (state == CellState::no_number && unreadable == Unreadable::error);
  }
};

/// Why a pass failed: runs one ordered pass per column to find out. Returns `otherwise` if they find nothing.
Error explain(const OpenedTable& source, const Relation& relation, const std::vector<Asked>& all, Error otherwise);

/// The error for a record without a person, whose number an ordered pass finds.
Error explain_nobody(const OpenedTable& source, const Relation& relation, const Column& person);

/// The error for a missing cell where none is named.
Error some_missing(const std::string& source);

}  // namespace fractile::source_detail
