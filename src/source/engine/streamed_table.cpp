#include "source/engine/streamed_table.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "fractile/error.hpp"
#include "source/engine/engine_library.hpp"

namespace fractile::source_detail {
namespace {

EngineTypeNumber engine_type_of(StreamedType type) {
  switch (type) {
    case StreamedType::boolean:
      return engine_boolean;
    case StreamedType::int16:
      return engine_smallint;
    case StreamedType::int32:
      return engine_integer;
    case StreamedType::int64:
      return engine_bigint;
    case StreamedType::float32:
      return engine_float;
    case StreamedType::float64:
      return engine_double;
    case StreamedType::decimal:
      return engine_decimal;
    case StreamedType::days:
      return engine_date;
    case StreamedType::microseconds:
      return engine_timestamp;
    case StreamedType::utc_microseconds:
      return engine_timestamp_tz;
    default:
      return engine_varchar;
  }
}

EngineType* created_type(const EngineApi& api, const StreamedColumn& column) {
  if (column.type != StreamedType::decimal) return api.create_logical_type(engine_type_of(column.type));
  return api.create_decimal_type(static_cast<std::uint8_t>(column.precision), static_cast<std::uint8_t>(column.scale));
}

void copy_validity(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  if (!cells.any_null()) return;
  api.vector_ensure_validity_writable(out);
  std::copy_n(cells.validity(), (cells.rows() + 63) / 64, api.vector_get_validity(out));
}

/// Numbers as the engine keeps them; what a NULL holds is anything.
template <class Stored, class Cell>
void store(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  auto* const stored = static_cast<Stored*>(api.vector_get_data(out));
  std::ranges::transform(cells.numbers<Cell>(), stored, [](Cell cell) { return static_cast<Stored>(cell); });
}

/// The engine's infinities are the largest number and its opposite; days beyond its own are infinities, too.
template <class Stored>
void store_times(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  auto* const stored = static_cast<Stored*>(api.vector_get_data(out));
  constexpr std::int64_t end = std::numeric_limits<Stored>::max();
  std::ranges::transform(cells.numbers<std::int64_t>(), stored,
                         [=](std::int64_t cell) { return static_cast<Stored>(std::clamp(cell, -end, end)); });
}

void store_texts(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    if (cells.is_null(row)) continue;
    const std::string_view text = cells.text(row);
    api.vector_assign_text(out, row, text.data(), text.size());
  }
}

void store_decimals(const EngineApi& api, int precision, const ColumnView& cells, EngineVector* out) {
  if (precision <= 4) return store<std::int16_t, std::int64_t>(api, cells, out);
  if (precision <= 9) return store<std::int32_t, std::int64_t>(api, cells, out);
  store<std::int64_t, std::int64_t>(api, cells, out);
}

void store_cells(const EngineApi& api, const StreamedColumn& column, const ColumnView& cells, EngineVector* out) {
  copy_validity(api, cells, out);
  switch (column.type) {
    case StreamedType::boolean:
      return store<bool, std::int64_t>(api, cells, out);
    case StreamedType::int16:
      return store<std::int16_t, std::int64_t>(api, cells, out);
    case StreamedType::int32:
      return store<std::int32_t, std::int64_t>(api, cells, out);
    case StreamedType::int64:
      return store<std::int64_t, std::int64_t>(api, cells, out);
    case StreamedType::float32:
      return store<float, double>(api, cells, out);
    case StreamedType::float64:
      return store<double, double>(api, cells, out);
    case StreamedType::decimal:
      return store_decimals(api, column.precision, cells, out);
    case StreamedType::days:
      return store_times<std::int32_t>(api, cells, out);
    case StreamedType::microseconds:
    case StreamedType::utc_microseconds:
      return store_times<std::int64_t>(api, cells, out);
    case StreamedType::text:
      return store_texts(api, cells, out);
  }
}

}  // namespace

void StreamedTable::bind(EngineBinding* binding) {
  const EngineApi& api = loaded_engine();
  const auto& table = *static_cast<const StreamedTable*>(api.bind_get_extra_info(binding));
  for (const StreamedColumn& column : table.columns_) {
    EngineType* type = created_type(api, column);
    api.bind_add_result_column(binding, column.name.c_str(), type);
    api.destroy_logical_type(&type);
  }
}

/// The engine asks for what the query names. Of a query that names no column it may ask for one of its own making, which it never looks
/// at.
void StreamedTable::start(EngineStart* start) {
  const EngineApi& api = loaded_engine();
  auto& table = *static_cast<StreamedTable*>(api.init_get_extra_info(start));
  api.init_set_max_threads(start, 1);
  table.is_read_again_ = table.has_started_;
  table.wanted_.clear();
  table.places_.clear();
  const std::uint64_t count = api.init_get_column_count(start);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t index = api.init_get_column_index(start, k);
    if (index >= table.columns_.size()) continue;
    table.wanted_.push_back(index);
    table.places_.push_back(k);
  }
}

void StreamedTable::fill(EngineCall* call, EngineChunk* out) {
  const EngineApi& api = loaded_engine();
  auto& table = *static_cast<StreamedTable*>(api.function_get_extra_info(call));
  try {
    api.data_chunk_set_size(out, table.fill(api, out));
  } catch (...) {
    table.failure_ = std::current_exception();
    api.function_set_error(call, "stopped");
  }
}

std::size_t StreamedTable::fill(const EngineApi& api, EngineChunk* out) {
  if (is_read_again_) throw Error(ErrorCode::internal, "the engine reads a table twice that comes once");
  if (!has_started_) stream_.start(wanted_);
  has_started_ = true;
  const std::size_t rows = stream_.next();
  for (std::size_t k = 0; k < wanted_.size() && rows > 0; ++k) {
    store_cells(api, columns_[wanted_[k]], stream_.column(k), api.data_chunk_get_vector(out, places_[k]));
  }
  return rows;
}

void StreamedTable::add_to(const EngineApi& api, EngineConnection* connection, const std::string& name) {
  EngineTableFunction* function = api.create_table_function();
  api.table_function_set_name(function, name.c_str());
  api.table_function_set_extra_info(function, this, nullptr);
  api.table_function_set_bind(function, &StreamedTable::bind);
  api.table_function_set_init(function, &StreamedTable::start);
  api.table_function_set_function(function, &StreamedTable::fill);
  api.table_function_supports_projection_pushdown(function, true);
  const bool added = api.register_table_function(connection, function) == engine_ok;
  api.destroy_table_function(&function);
  if (!added) throw Error(ErrorCode::internal, "the engine refused a table");
}

}  // namespace fractile::source_detail
