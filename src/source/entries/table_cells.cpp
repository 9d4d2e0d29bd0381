#include "source/entries/table_cells.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "exact/lists.hpp"
#include "source/counting/column_cells.hpp"
#include "source/counting/text_cells.hpp"
#include "source/engine/letter_case.hpp"
#include "source/entries/table_faults.hpp"

namespace fractile::source_detail {
namespace {

/// All cells of a column. Throws EngineFailure.
std::vector<std::string> texts_of(const EngineOnDemand& engine, const Relation& relation, const Column& column,
                                  const OpenedTable& table) {
  std::vector<std::string> texts;
  const auto add = [&](const Chunk& chunk) {
    const ColumnView cells = chunk.column(0);
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      if (cells.is_null(row)) {
        throw Error(ErrorCode::data, table.row(texts.size() + 1) + ", column '" + column.name + "': empty",
                    "fill the cell");
      }
      texts.emplace_back(cells.text(row));
    }
    return false;
  };
  any_chunk(engine, relation, TextCell::name(column), "CAST(" + quote_identifier(column.engine_name) + " AS VARCHAR)",
            CellType::text, add);
  return texts;
}

/// All columns. Keys of JSON that the engine cannot distinguish are read in separate passes. Throws EngineFailure.
std::vector<std::vector<Column>> columns_by_passes(const OpenedTable& source,
                                                   const std::function<void()>& on_progress) {
  if (!source.relation->json_form()) return {source.relation->columns()};
  const Relation relation = look_through(source, {}, on_progress);
  const std::vector<std::string> keys = within_memory(source, [&](std::uint64_t memory) {
    return keys_of_records(connect(source, Order::any, memory), relation, Table::most_keys + 1);
  });
  if (keys.size() > Table::most_keys) {
    throw Error(ErrorCode::data, source.display_name + ": the records have more than 1,000 keys",
                {"name those to look at: ", Field("sql").text("SELECT age, income FROM input")});
  }
  std::vector<std::vector<Column>> passes;
  for (const std::string& key : keys) {
    const Column column = source.relation->column(key, source.display_name);
    const auto has_twin = [&](const std::vector<Column>& pass) {
      return std::ranges::any_of(pass, [&](const Column& other) { return lower_case(other.name) == lower_case(key); });
    };
    const auto free = std::ranges::find_if_not(passes, has_twin);
    free == passes.end() ? passes.push_back({column}) : free->push_back(column);
  }
  return passes;
}

/// Reads JSON whose records have no key that can be asked for. As in a release, a record that is not an object ends this. Throws
/// EngineFailure.
void require_objects(const OpenedTable& source, const std::function<void()>& on_progress) {
  const Relation relation = look_through(source, {}, on_progress);
  const Column any_key = relation.column("key", source.display_name);
  std::vector<ColumnCells> unused;
  within_memory(source, [&](std::uint64_t memory) {
    return read_cells(connecting(source, Order::of_file, memory), relation, {any_key}, unused, on_progress);
  });
}

/// Replaces row numbers by numbers within files, if these are known, and adds the names of the files.
void place_rows(const OpenedTable& table, ColumnCells& cells) {
  for (std::uint64_t& row : cells.unreadable_rows) {
    const auto place = table.relation->place_of(row);
    if (!place) return;
    row = place->record;
    cells.unreadable_files.push_back(table.file(*place));
  }
}

}  // namespace

std::vector<std::vector<std::string>> texts_of(const OpenedTable& table, const std::vector<std::string>& columns) {
  const Relation relation = look_through(table, {}, {});
  try {
    std::vector<std::vector<std::string>> texts;
    for (const std::string& name : columns) {
      const Column column = relation.column(name, table.display_name);
      texts.push_back(texts_of(connecting(table, Order::of_file, table.memory), relation, column, table));
    }
    return texts;
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
}

std::string shown_type(const Column& column) {
  return digits_of(column.full_type).all > 0 ? column.full_type : column.type;
}

std::vector<TableColumn> checked(const OpenedTable& table, const std::function<void()>& on_progress) {
  std::vector<TableColumn> all;
  try {
    const std::vector<std::vector<Column>> passes = columns_by_passes(table, on_progress);
    if (passes.empty()) require_objects(table, on_progress);
    for (const std::vector<Column>& columns : passes) {
      const Relation relation = look_through(table, columns, on_progress);
      std::vector<ColumnCells> cells;
      within_memory(table, [&](std::uint64_t memory) {
        return read_cells(connecting(table, Order::of_file, memory), relation, columns, cells, on_progress);
      });
      for (std::size_t k = 0; k < columns.size(); ++k) {
        place_rows(table, cells[k]);
        all.push_back({columns[k].name, shown_type(columns[k]), std::move(cells[k])});
      }
    }
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
  if (table.relation->json_form()) std::ranges::sort(all, {}, &TableColumn::name);
  return all;
}

}  // namespace fractile::source_detail
