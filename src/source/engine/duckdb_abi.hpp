// DuckDB's C interface, version 1: the functions that this library calls, each found by its name with the prefix "duckdb_". DuckDB
// has all of them since version 1.1.
#pragma once

#include <cstdint>

#include "libraries/found.hpp"

namespace fractile::source_detail {

// Objects that the engine owns, and whose contents only it reads.
struct EngineDatabase;
struct EngineConfig;
struct EngineConnection;
struct EngineStatement;
struct EnginePending;
struct EngineChunk;
struct EngineVector;
struct EngineType;
struct EngineFunction;
struct EngineCall;
struct EngineTableFunction;
struct EngineBinding;
struct EngineStart;

/// Passed by value; all members except the last are unused.
struct EngineResult {
  std::uint64_t former_counts[3];
  void* former_columns;
  char* former_message;
  void* internal;
};

using EngineStatus = int;
inline constexpr EngineStatus engine_ok = 0;

/// Numbers of types.
using EngineTypeNumber = int;
inline constexpr EngineTypeNumber engine_boolean = 1;
inline constexpr EngineTypeNumber engine_smallint = 3;
inline constexpr EngineTypeNumber engine_integer = 4;
inline constexpr EngineTypeNumber engine_bigint = 5;
inline constexpr EngineTypeNumber engine_float = 10;
inline constexpr EngineTypeNumber engine_double = 11;
inline constexpr EngineTypeNumber engine_timestamp = 12;
inline constexpr EngineTypeNumber engine_date = 13;
inline constexpr EngineTypeNumber engine_varchar = 17;
inline constexpr EngineTypeNumber engine_decimal = 19;
inline constexpr EngineTypeNumber engine_timestamp_tz = 31;

/// How far a pending query is.
using EngineProgress = int;
inline constexpr EngineProgress engine_ready = 0;
inline constexpr EngineProgress engine_not_ready = 1;
inline constexpr EngineProgress engine_failed = 2;
inline constexpr EngineProgress engine_no_tasks = 3;

/// The share of its tables that a query has read, among tables whose sizes the engine knows.
struct EngineShare {
  double percentage;  // below 0: unknown
  std::uint64_t rows;
  std::uint64_t all_rows;
};

/// A cell of text: a short one (`length` at most 12) begins at `prefix`, a long one at `bytes`.
struct EngineText {
  static constexpr std::uint32_t longest_inside = 12;
  std::uint32_t length;
  char prefix[4];
  const char* bytes;
};
static_assert(sizeof(EngineText) == 16);

// A table function of SQL calls these: to learn its columns, before its first row, and for each chunk.
using EngineBindBody = void (*)(EngineBinding*);
using EngineStartBody = void (*)(EngineStart*);
using EngineTableBody = void (*)(EngineCall*, EngineChunk* out);
using EngineFunctionBody = void (*)(EngineCall*, EngineChunk*, EngineVector* out);

class EngineApi {
 public:
  /// For a library that dlopen() returned. Throws `usage` when it is not DuckDB's.
  explicit EngineApi(void* library) : library_{library, "DuckDB 1.1 or later"} {}

 private:
  template <class Signature>
  using Found = libraries::Found<Signature>;
  libraries::Loaded library_;

 public:
  Found<EngineStatus(EngineConfig**)> create_config{library_, "duckdb_create_config"};
  Found<EngineStatus(EngineConfig*, const char* name, const char* value)> set_config{library_, "duckdb_set_config"};
  Found<void(EngineConfig**)> destroy_config{library_, "duckdb_destroy_config"};
  Found<EngineStatus(const char* path, EngineDatabase**, EngineConfig*, char** error)> open_ext{library_,
                                                                                                "duckdb_open_ext"};
  Found<void(EngineDatabase**)> close{library_, "duckdb_close"};
  Found<void(void*)> free{library_, "duckdb_free"};
  Found<EngineStatus(EngineDatabase*, EngineConnection**)> connect{library_, "duckdb_connect"};
  Found<void(EngineConnection*)> interrupt{library_, "duckdb_interrupt"};
  Found<EngineShare(EngineConnection*)> query_progress{library_, "duckdb_query_progress"};
  Found<void(EngineConnection**)> disconnect{library_, "duckdb_disconnect"};
  Found<EngineStatus(EngineConnection*, const char* sql, EngineStatement**)> prepare{library_, "duckdb_prepare"};
  Found<const char*(EngineStatement*)> prepare_error{library_, "duckdb_prepare_error"};
  Found<void(EngineStatement**)> destroy_prepare{library_, "duckdb_destroy_prepare"};
  Found<EngineStatus(EngineStatement*, EngineResult*)> execute_prepared_streaming{library_,
                                                                                  "duckdb_execute_prepared_streaming"};
  Found<EngineStatus(EngineStatement*, EnginePending**)> pending_prepared{library_, "duckdb_pending_prepared"};
  Found<EngineProgress(EnginePending*)> pending_execute_task{library_, "duckdb_pending_execute_task"};
  Found<const char*(EnginePending*)> pending_error{library_, "duckdb_pending_error"};
  Found<EngineStatus(EnginePending*, EngineResult*)> execute_pending{library_, "duckdb_execute_pending"};
  Found<void(EnginePending**)> destroy_pending{library_, "duckdb_destroy_pending"};
  Found<const char*(EngineResult*)> result_error{library_, "duckdb_result_error"};
  Found<std::uint64_t(EngineResult*)> column_count{library_, "duckdb_column_count"};
  Found<EngineTypeNumber(EngineResult*, std::uint64_t column)> column_type{library_, "duckdb_column_type"};
  Found<EngineChunk*(EngineResult)> fetch_chunk{library_, "duckdb_fetch_chunk"};
  Found<void(EngineResult*)> destroy_result{library_, "duckdb_destroy_result"};
  Found<std::uint64_t(EngineChunk*)> data_chunk_get_size{library_, "duckdb_data_chunk_get_size"};
  Found<std::uint64_t(EngineChunk*)> data_chunk_get_column_count{library_, "duckdb_data_chunk_get_column_count"};
  Found<EngineVector*(EngineChunk*, std::uint64_t column)> data_chunk_get_vector{library_,
                                                                                 "duckdb_data_chunk_get_vector"};
  Found<void(EngineChunk**)> destroy_data_chunk{library_, "duckdb_destroy_data_chunk"};
  Found<void*(EngineVector*)> vector_get_data{library_, "duckdb_vector_get_data"};
  Found<std::uint64_t*(EngineVector*)> vector_get_validity{library_, "duckdb_vector_get_validity"};
  Found<EngineType*(EngineTypeNumber)> create_logical_type{library_, "duckdb_create_logical_type"};
  Found<void(EngineType**)> destroy_logical_type{library_, "duckdb_destroy_logical_type"};
  Found<EngineFunction*()> create_scalar_function{library_, "duckdb_create_scalar_function"};
  Found<void(EngineFunction**)> destroy_scalar_function{library_, "duckdb_destroy_scalar_function"};
  Found<void(EngineFunction*, const char*)> scalar_function_set_name{library_, "duckdb_scalar_function_set_name"};
  Found<void(EngineFunction*)> scalar_function_set_volatile{library_, "duckdb_scalar_function_set_volatile"};
  Found<void(EngineFunction*)> scalar_function_set_special_handling{library_,
                                                                    "duckdb_scalar_function_set_special_handling"};
  Found<void(EngineFunction*, EngineType*)> scalar_function_add_parameter{library_,
                                                                          "duckdb_scalar_function_add_parameter"};
  Found<void(EngineFunction*, EngineType*)> scalar_function_set_return_type{library_,
                                                                            "duckdb_scalar_function_set_return_type"};
  Found<void(EngineFunction*, EngineFunctionBody)> scalar_function_set_function{library_,
                                                                                "duckdb_scalar_function_set_function"};
  Found<void(EngineFunction*, void*, void (*destroy)(void*))> scalar_function_set_extra_info{
      library_, "duckdb_scalar_function_set_extra_info"};
  Found<void*(EngineCall*)> scalar_function_get_extra_info{library_, "duckdb_scalar_function_get_extra_info"};
  Found<void(EngineCall*, const char*)> scalar_function_set_error{library_, "duckdb_scalar_function_set_error"};
  Found<EngineStatus(EngineConnection*, EngineFunction*)> register_scalar_function{library_,
                                                                                   "duckdb_register_scalar_function"};
  Found<EngineType*(std::uint8_t width, std::uint8_t scale)> create_decimal_type{library_,
                                                                                 "duckdb_create_decimal_type"};
  Found<void(EngineChunk*, std::uint64_t)> data_chunk_set_size{library_, "duckdb_data_chunk_set_size"};
  Found<void(EngineVector*)> vector_ensure_validity_writable{library_, "duckdb_vector_ensure_validity_writable"};
  Found<void(EngineVector*, std::uint64_t row, const char*, std::uint64_t size)> vector_assign_text{
      library_, "duckdb_vector_assign_string_element_len"};
  Found<EngineTableFunction*()> create_table_function{library_, "duckdb_create_table_function"};
  Found<void(EngineTableFunction**)> destroy_table_function{library_, "duckdb_destroy_table_function"};
  Found<void(EngineTableFunction*, const char*)> table_function_set_name{library_, "duckdb_table_function_set_name"};
  Found<void(EngineTableFunction*, void*, void (*destroy)(void*))> table_function_set_extra_info{
      library_, "duckdb_table_function_set_extra_info"};
  Found<void(EngineTableFunction*, EngineBindBody)> table_function_set_bind{library_, "duckdb_table_function_set_bind"};
  Found<void(EngineTableFunction*, EngineStartBody)> table_function_set_init{library_,
                                                                             "duckdb_table_function_set_init"};
  Found<void(EngineTableFunction*, EngineTableBody)> table_function_set_function{library_,
                                                                                 "duckdb_table_function_set_function"};
  Found<void(EngineTableFunction*, bool)> table_function_supports_projection_pushdown{
      library_, "duckdb_table_function_supports_projection_pushdown"};
  Found<EngineStatus(EngineConnection*, EngineTableFunction*)> register_table_function{
      library_, "duckdb_register_table_function"};
  Found<void*(EngineBinding*)> bind_get_extra_info{library_, "duckdb_bind_get_extra_info"};
  Found<void(EngineBinding*, const char*, EngineType*)> bind_add_result_column{library_,
                                                                               "duckdb_bind_add_result_column"};
  Found<void*(EngineStart*)> init_get_extra_info{library_, "duckdb_init_get_extra_info"};
  Found<std::uint64_t(EngineStart*)> init_get_column_count{library_, "duckdb_init_get_column_count"};
  Found<std::uint64_t(EngineStart*, std::uint64_t)> init_get_column_index{library_, "duckdb_init_get_column_index"};
  Found<void(EngineStart*, std::uint64_t)> init_set_max_threads{library_, "duckdb_init_set_max_threads"};
  Found<void*(EngineCall*)> function_get_extra_info{library_, "duckdb_function_get_extra_info"};
  Found<void(EngineCall*, const char*)> function_set_error{library_, "duckdb_function_set_error"};
  Found<void(EngineStart*, void*, void (*destroy)(void*))> init_set_init_data{library_, "duckdb_init_set_init_data"};
  Found<void(EngineStart*, const char*)> init_set_error{library_, "duckdb_init_set_error"};
  Found<void(EngineTableFunction*, EngineStartBody)> table_function_set_local_init{
      library_, "duckdb_table_function_set_local_init"};
  Found<void*(EngineCall*)> function_get_init_data{library_, "duckdb_function_get_init_data"};
  Found<void*(EngineCall*)> function_get_local_init_data{library_, "duckdb_function_get_local_init_data"};
};

}  // namespace fractile::source_detail
