// Cells of an opened table for its owner's eyes: columns as `columns --check` shows them, and keys.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/entries/opened_table.hpp"

namespace fractile::source_detail {

/// All cells of each of these columns, in the order of the file. Throws `data` for an empty one.
std::vector<std::vector<std::string>> texts_of(const OpenedTable& table, const std::vector<std::string>& columns);

/// The name of a type for people. For types that contain values, such as ENUM, only the bare name.
std::string shown_type(const Column& column);

/// All columns, with what their cells hold.
std::vector<TableColumn> checked(const OpenedTable& table, const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
