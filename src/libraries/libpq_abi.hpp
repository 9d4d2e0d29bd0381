// The functions of PostgreSQL's client library, libpq, that Fractile calls. All of them exist since PostgreSQL 10.
#pragma once

#include "libraries/found.hpp"

namespace fractile::postgres {

// Opaque types: libpq owns these objects, and only libpq looks inside.
struct PgConnection;
struct PgResult;
struct PgCancel;

/// An option of a connection, as libpq lays it out.
struct PgOption {
  char* keyword;
  char* variable;
  char* compiled;
  char* value;
  char* label;
  char* shown_as;
  int shown_size;
};

using PgType = unsigned int;

inline constexpr int pg_connection_ok = 0;
inline constexpr int pg_command_ok = 1;
inline constexpr int pg_rows_ok = 2;
inline constexpr int pg_copy_out = 3;

// Fields of an error.
inline constexpr int pg_severity = 'V';
inline constexpr int pg_sqlstate = 'C';
inline constexpr int pg_message = 'M';

class LibpqApi {
 public:
  /// `library` is a handle from dlopen(). Throws `usage` when it is not libpq.
  explicit LibpqApi(void* library) : library_{library, "PostgreSQL 10 or later"} {}

 private:
  template <class Signature>
  using Found = libraries::Found<Signature>;
  libraries::Loaded library_;

 public:
  Found<PgOption*(const char* address, char** error)> parse{library_, "PQconninfoParse"};
  Found<void(PgOption*)> free_options{library_, "PQconninfoFree"};
  Found<void(void*)> free{library_, "PQfreemem"};
  Found<PgConnection*(const char* const* keywords, const char* const* values, int expand)> connect{library_,
                                                                                                   "PQconnectdbParams"};
  Found<void(PgConnection*)> finish{library_, "PQfinish"};
  Found<int(const PgConnection*)> status{library_, "PQstatus"};
  Found<char*(const PgConnection*)> error_message{library_, "PQerrorMessage"};
  Found<int(const PgConnection*)> socket{library_, "PQsocket"};
  Found<void*(PgConnection*, void (*)(void*, const char*), void*)> set_notices{library_, "PQsetNoticeProcessor"};
  Found<int(PgConnection*, const char* sql)> send{library_, "PQsendQuery"};
  Found<int(PgConnection*, const char* sql, int count, const PgType*, const char* const* values, const int* lengths,
            const int* formats, int result_format)>
      send_with{library_, "PQsendQueryParams"};
  Found<int(PgConnection*, const char* name, const char* sql, int count, const PgType*)> send_prepare{library_,
                                                                                                      "PQsendPrepare"};
  Found<int(PgConnection*, const char* name)> send_describe{library_, "PQsendDescribePrepared"};
  Found<int(PgConnection*)> consume{library_, "PQconsumeInput"};
  Found<int(PgConnection*)> is_busy{library_, "PQisBusy"};
  Found<PgResult*(PgConnection*)> result{library_, "PQgetResult"};
  Found<int(PgConnection*, char** row, int async)> copied{library_, "PQgetCopyData"};
  Found<int(const PgResult*)> result_status{library_, "PQresultStatus"};
  Found<char*(const PgResult*, int field)> error_field{library_, "PQresultErrorField"};
  Found<char*(PgResult*)> command{library_, "PQcmdStatus"};
  Found<int(const PgResult*)> rows{library_, "PQntuples"};
  Found<int(const PgResult*)> columns{library_, "PQnfields"};
  Found<char*(const PgResult*, int column)> column_name{library_, "PQfname"};
  Found<PgType(const PgResult*, int column)> column_type{library_, "PQftype"};
  Found<int(const PgResult*, int column)> column_modifier{library_, "PQfmod"};
  Found<int(const PgResult*, int row, int column)> is_null{library_, "PQgetisnull"};
  Found<char*(const PgResult*, int row, int column)> value{library_, "PQgetvalue"};
  Found<int(const PgResult*, int row, int column)> length{library_, "PQgetlength"};
  Found<void(PgResult*)> clear{library_, "PQclear"};
  Found<PgCancel*(PgConnection*)> canceller{library_, "PQgetCancel"};
  Found<int(PgCancel*, char* error, int size)> cancel{library_, "PQcancel"};
  Found<void(PgCancel*)> free_canceller{library_, "PQfreeCancel"};
};

/// Loads libpq on the first call and never unloads it. Throws `usage`, with what to install, when libpq is not there.
const LibpqApi& libpq();

}  // namespace fractile::postgres
