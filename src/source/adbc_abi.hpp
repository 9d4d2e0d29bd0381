// ADBC 1.0.0: the table of functions that a database driver fills in, in the order its specification fixes. Only the
// functions this library calls have their real signature; the others keep their place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "source/arrow_abi.hpp"

namespace fractile::source_detail {

using AdbcStatus = std::uint8_t;
inline constexpr AdbcStatus adbc_ok = 0;
inline constexpr int adbc_version_1_0_0 = 1'000'000;

/// The part every revision has; a vendor_code other than INT32_MIN tells the driver to write no further.
struct AdbcError {
  char* message;
  std::int32_t vendor_code;
  char sqlstate[5];
  void (*release)(AdbcError*);
};

struct AdbcDriver;

struct AdbcDatabase {
  void* private_data;
  AdbcDriver* private_driver;
};
struct AdbcConnection {
  void* private_data;
  AdbcDriver* private_driver;
};
struct AdbcStatement {
  void* private_data;
  AdbcDriver* private_driver;
};

using AdbcUnused = void (*)();

struct AdbcDriver {
  void* private_data;
  void* private_manager;
  AdbcStatus (*release)(AdbcDriver*, AdbcError*);

  AdbcStatus (*database_init)(AdbcDatabase*, AdbcError*);
  AdbcStatus (*database_new)(AdbcDatabase*, AdbcError*);
  AdbcStatus (*database_set_option)(AdbcDatabase*, const char* key, const char* value, AdbcError*);
  AdbcStatus (*database_release)(AdbcDatabase*, AdbcError*);

  AdbcUnused connection_commit;
  AdbcUnused connection_get_info;
  AdbcUnused connection_get_objects;
  AdbcUnused connection_get_table_schema;
  AdbcUnused connection_get_table_types;
  AdbcStatus (*connection_init)(AdbcConnection*, AdbcDatabase*, AdbcError*);
  AdbcStatus (*connection_new)(AdbcConnection*, AdbcError*);
  AdbcUnused connection_set_option;
  AdbcUnused connection_read_partition;
  AdbcStatus (*connection_release)(AdbcConnection*, AdbcError*);
  AdbcUnused connection_rollback;

  AdbcUnused statement_bind;
  AdbcUnused statement_bind_stream;
  AdbcStatus (*statement_execute_query)(AdbcStatement*, ArrowArrayStream*, std::int64_t* rows_affected, AdbcError*);
  AdbcUnused statement_execute_partitions;
  AdbcUnused statement_get_parameter_schema;
  AdbcStatus (*statement_new)(AdbcConnection*, AdbcStatement*, AdbcError*);
  AdbcUnused statement_prepare;
  AdbcStatus (*statement_release)(AdbcStatement*, AdbcError*);
  AdbcUnused statement_set_option;
  AdbcStatus (*statement_set_sql_query)(AdbcStatement*, const char* sql, AdbcError*);
  AdbcUnused statement_set_substrait_plan;
};

static_assert(sizeof(AdbcDriver) == 29 * sizeof(void*));

/// `driver` must point to an AdbcDriver when the version is 1.0.0.
using AdbcDriverInit = AdbcStatus (*)(int version, void* driver, AdbcError*);

}  // namespace fractile::source_detail
