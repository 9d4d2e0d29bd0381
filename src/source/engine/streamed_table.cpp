#include "source/engine/streamed_table.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fractile/error.hpp"
#include "source/engine/engine_library.hpp"

namespace fractile::source_detail {
namespace {

/// The engine's types, except for decimals, whose type has a precision and a scale.
constexpr std::array engine_types{
    std::pair{StreamedType::boolean, engine_boolean},
    std::pair{StreamedType::int16, engine_smallint},
    std::pair{StreamedType::int32, engine_integer},
    std::pair{StreamedType::int64, engine_bigint},
    std::pair{StreamedType::float32, engine_float},
    std::pair{StreamedType::float64, engine_double},
    std::pair{StreamedType::days, engine_date},
    std::pair{StreamedType::microseconds, engine_timestamp},
    std::pair{StreamedType::utc_microseconds, engine_timestamp_tz},
    std::pair{StreamedType::text, engine_varchar},
};

EngineType* created_type(const EngineApi& api, const StreamedColumn& column) {
  const auto* const at = std::ranges::find(engine_types, column.type, &decltype(engine_types)::value_type::first);
  if (at != engine_types.end()) return api.create_logical_type(at->second);
  return api.create_decimal_type(static_cast<std::uint8_t>(column.precision), static_cast<std::uint8_t>(column.scale));
}

void copy_validity(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  if (!cells.any_null()) return;
  api.vector_ensure_validity_writable(out);
  std::copy_n(cells.validity(), (cells.rows() + 63) / 64, api.vector_get_validity(out));
}

/// Stores numbers in the engine's form. The number under a NULL is arbitrary.
template <class Stored, class Cell>
void store(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  auto* const stored = static_cast<Stored*>(api.vector_get_data(out));
  std::ranges::transform(cells.numbers<Cell>(), stored, [](Cell cell) { return static_cast<Stored>(cell); });
}

/// The engine's infinities are the largest number and its negative. Days beyond its range become infinities.
template <class Stored>
void store_times(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  auto* const stored = static_cast<Stored*>(api.vector_get_data(out));
  constexpr std::int64_t end = std::numeric_limits<Stored>::max();
  std::ranges::transform(cells.numbers<std::int64_t>(), stored,
                         [=](std::int64_t cell) { return static_cast<Stored>(std::clamp(cell, -end, end)); });
}

/// A short text has the same form in the vector as here; the engine copies a long text.
void store_texts(const EngineApi& api, const ColumnView& cells, EngineVector* out) {
  auto* const stored = static_cast<EngineText*>(api.vector_get_data(out));
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    if (cells.is_null(row)) continue;
    const EngineText& cell = cells.texts()[row];
    if (cell.length <= EngineText::longest_inside) {
      stored[row] = cell;
    } else {
      api.vector_assign_text(out, row, cell.bytes, cell.length);
    }
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

/// The message that the engine reports, in a form that classify_failure() recognizes where necessary.
std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const NotUtf8& text) {
    return "CSV Error on Line: " + std::to_string(text.line) + "\nnot utf-8";
  } catch (...) {
    return "stopped";
  }
}

}  // namespace

/// The state of a reading that the engine owns.
class EngineTable::Reader {
 public:
  Reader(std::unique_ptr<TableReading> reading, std::vector<std::size_t> wanted, std::vector<std::size_t> places)
      : reading_(std::move(reading)), wanted_(std::move(wanted)), places_(std::move(places)) {}

  TableReading& reading() { return *reading_; }
  /// The wanted columns, in the order in which the engine asks for them.
  const std::vector<std::size_t>& wanted() const { return wanted_; }
  /// The place in a chunk of each of them.
  const std::vector<std::size_t>& places() const { return places_; }

 private:
  std::unique_ptr<TableReading> reading_;
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> places_;
};

/// The state of one thread in a reading.
class EngineTable::Part {
 public:
  std::size_t fill(const EngineApi& api, const EngineTable& table, Reader& reader, EngineChunk* out) {
    if (!stream_) {
      stream_ = reader.reading().stream();
      stream_->start(reader.wanted());
    }
    const std::size_t rows = stream_->next();
    for (std::size_t k = 0; k < reader.wanted().size() && rows > 0; ++k) {
      store_cells(api, table.columns_[reader.wanted()[k]], stream_->column(k),
                  api.data_chunk_get_vector(out, reader.places()[k]));
    }
    return rows;
  }

 private:
  std::unique_ptr<RecordStream> stream_;
};

void EngineTable::rethrow() const {
  const std::lock_guard lock(failing_);
  if (failure_) std::rethrow_exception(failure_);
}

void EngineTable::fail(std::exception_ptr failure) {
  const std::lock_guard lock(failing_);
  if (!failure_) failure_ = std::move(failure);
}

void EngineTable::bind(EngineBinding* binding) {
  const EngineApi& api = loaded_engine();
  const auto& table = *static_cast<const EngineTable*>(api.bind_get_extra_info(binding));
  for (const StreamedColumn& column : table.columns_) {
    EngineType* type = created_type(api, column);
    api.bind_add_result_column(binding, column.name.c_str(), type);
    api.destroy_logical_type(&type);
  }
}

/// The engine asks for the columns that the query names. For a query that names none, it may ask for a column that does not exist,
/// which it never reads.
void EngineTable::start(EngineStart* start) {
  const EngineApi& api = loaded_engine();
  auto& table = *static_cast<EngineTable*>(api.init_get_extra_info(start));
  std::vector<std::size_t> wanted;
  std::vector<std::size_t> places;
  const std::uint64_t count = api.init_get_column_count(start);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t index = api.init_get_column_index(start, k);
    if (index >= table.columns_.size()) continue;
    wanted.push_back(index);
    places.push_back(k);
  }
  try {
    auto reader = std::make_unique<Reader>(table.begin(), std::move(wanted), std::move(places));
    api.init_set_max_threads(start, reader->reading().most_threads());
    api.init_set_init_data(start, reader.release(), [](void* own) { delete static_cast<Reader*>(own); });
  } catch (...) {
    table.fail(std::current_exception());
    api.init_set_error(start, words_of(std::current_exception()).c_str());
  }
}

void EngineTable::start_part(EngineStart* start) {
  loaded_engine().init_set_init_data(start, new Part, [](void* part) { delete static_cast<Part*>(part); });
}

void EngineTable::fill(EngineCall* call, EngineChunk* out) {
  const EngineApi& api = loaded_engine();
  auto& table = *static_cast<EngineTable*>(api.function_get_extra_info(call));
  auto& reader = *static_cast<Reader*>(api.function_get_init_data(call));
  auto& part = *static_cast<Part*>(api.function_get_local_init_data(call));
  try {
    api.data_chunk_set_size(out, part.fill(api, table, reader, out));
  } catch (...) {
    table.fail(std::current_exception());
    api.function_set_error(call, words_of(std::current_exception()).c_str());
  }
}

void EngineTable::add_to(const EngineApi& api, EngineConnection* connection, const std::string& name) {
  EngineTableFunction* function = api.create_table_function();
  api.table_function_set_name(function, name.c_str());
  api.table_function_set_extra_info(function, this, nullptr);
  api.table_function_set_bind(function, &EngineTable::bind);
  api.table_function_set_init(function, &EngineTable::start);
  api.table_function_set_local_init(function, &EngineTable::start_part);
  api.table_function_set_function(function, &EngineTable::fill);
  api.table_function_supports_projection_pushdown(function, true);
  const bool added = api.register_table_function(connection, function) == engine_ok;
  api.destroy_table_function(&function);
  if (!added) throw Error(ErrorCode::internal, "the engine refused a table");
}

namespace {

/// A stream that is owned elsewhere.
class Borrowed final : public RecordStream {
 public:
  explicit Borrowed(RecordStream& stream) : stream_(stream) {}
  void start(const std::vector<std::size_t>& columns) override { stream_.start(columns); }
  std::size_t next() override { return stream_.next(); }
  ColumnView column(std::size_t place) const override { return stream_.column(place); }

 private:
  RecordStream& stream_;
};

class ReadOnce final : public TableReading {
 public:
  explicit ReadOnce(RecordStream& stream) : stream_(stream) {}
  std::size_t most_threads() const override { return 1; }
  std::unique_ptr<RecordStream> stream() override { return std::make_unique<Borrowed>(stream_); }

 private:
  RecordStream& stream_;
};

}  // namespace

std::unique_ptr<TableReading> StreamedTable::begin() {
  if (std::exchange(has_begun_, true))
    throw Error(ErrorCode::internal, "the engine reads a table twice that comes once");
  return std::make_unique<ReadOnce>(stream_);
}

}  // namespace fractile::source_detail
