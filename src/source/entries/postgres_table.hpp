// A table on a server that a row-wise query may read: an ordinary table, whose columns are returned as they are.
#pragma once

#include <string>
#include <vector>

#include "libraries/postgres.hpp"
#include "source/entries/postgres_copy.hpp"
#include "source/entries/postgres_plan.hpp"

namespace fractile::source_detail {

struct PostgresColumn {
  std::string name;
  PostgresType type;
  bool operator==(const PostgresColumn&) const = default;
};

/// The name, quoted for SQL.
std::string postgres_name(const std::string& name);

class PostgresTable {
 public:
  /// The table of this name, by the session's search path, in the transaction that has begun. From then on, all names are those of
  /// the server's catalog. The name is tried as it is spelled, and then in lower case. Throws `usage` unless the table and all its
  /// parts are ordinary tables without row security, outside the server's own schemas. Throws postgres::Failure.
  static PostgresTable find(postgres::Connection& connection, const std::string& name);

  /// "public.people": the schema and the name that were found.
  const std::string& path() const { return path_; }
  /// The columns that can be read.
  const std::vector<PostgresColumn>& columns() const { return columns_; }
  /// The other columns, with their types, for messages: "doc (jsonb), more (xml)"; "" if there are none.
  const std::string& unread() const { return unread_; }
  /// The statement that returns these columns, whatever they hold. Throws `usage` unless the server's plan for it only reads the
  /// table.
  std::string copy_sql(postgres::Connection& connection, const std::vector<std::size_t>& columns) const;

 private:
  void read_columns(postgres::Connection& connection, const std::string& number);
  std::string select_sql(const std::vector<std::size_t>& columns) const;

  std::string path_;
  std::string from_;  // schema and name, quoted
  PlainNames names_;
  std::vector<PostgresColumn> columns_;
  std::string unread_;
};

}  // namespace fractile::source_detail
