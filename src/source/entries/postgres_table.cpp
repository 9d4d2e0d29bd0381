#include "source/entries/postgres_table.hpp"

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/files/columns.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {
namespace {

/// From here on, operators, functions and types are the server's built-in ones; others could read other rows.
constexpr const char* names_of_the_catalog = "SET LOCAL search_path = pg_catalog, pg_temp";

/// Uses the session's search_path, as the author of the query expects. So every name in this statement is qualified with the
/// catalog.
std::string number_of(postgres::Connection& connection, const std::string& name) {
  const auto rows = connection.query(
      "SELECT pg_catalog.to_regclass($1::pg_catalog.text)::pg_catalog.oid::pg_catalog.text", {postgres_name(name)});
  return rows.cell(0, 0).value_or("");
}

/// The table, its partitions and what inherits from it, at any depth: the kind of each, its schema and its name. These kinds are
/// refused: a view could read anything, a foreign table is read by another program, a policy of row security reads other rows, a
/// temporary table belongs to the session, and the server's own tables show how many rows other tables have.
constexpr const char* parts_sql =
    "WITH RECURSIVE parts(part) AS (SELECT $1::text::oid "
    "UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part) "
    "SELECT CASE WHEN nspname LIKE 'pg\\_%' OR nspname = 'information_schema' THEN 'is a table of the server itself' "
    "WHEN relrowsecurity THEN 'has row security' WHEN relpersistence = 't' THEN 'is a temporary table' "
    "WHEN relkind NOT IN ('r', 'p') THEN 'is not an ordinary table' ELSE 'ordinary' END, nspname::text, relname::text, "
    "pg_class.oid = $1::text::oid FROM parts JOIN pg_class ON pg_class.oid = part "
    "JOIN pg_namespace ON pg_namespace.oid = relnamespace ORDER BY 4 DESC";

/// Columns that the role may read and that are stored: a column that is not stored has an expression, which runs when it is read.
constexpr const char* columns_sql =
    "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::oid AND attnum > 0 AND NOT attisdropped AND "
    "attgenerated IN ('', 's') AND has_column_privilege(attrelid, attnum, 'SELECT') ORDER BY attnum";

[[noreturn]] void refuse(const std::string& table, const std::string& what) {
  throw Error(ErrorCode::usage, fmt::format("the query is not row-wise: {} {}", table, what),
              declare_hint("read from an ordinary table"), "sql");
}

/// Numbers of any length, and numbers that name objects, come as the server writes them. Values of an enumeration come as labels.
PostgresType type_of(postgres::Connection& connection, postgres::PgType number, int modifier) {
  constexpr postgres::PgType numeric = 1700;
  constexpr postgres::PgType uuid = 2950;
  PostgresType type = postgres_type(number, modifier);
  if (type.kind != PostgresType::Kind::none) return type;
  const auto rows = connection.query(
      "SELECT typtype::text, format_type(oid, NULL) FROM pg_type WHERE oid = $1::text::oid", {std::to_string(number)});
  if (rows.rows() != 1) return {};
  if (number == numeric || number == uuid) type.kind = PostgresType::Kind::written;
  if (rows.cell(0, 0) == "e") type.kind = PostgresType::Kind::label;
  type.name = rows.cell(0, 1).value_or("");
  return type;
}

/// The name, with quotes only where they are needed.
std::string shown_name(const std::string& name) {
  return name.find_first_of(".,\"/") == std::string::npos ? name : postgres_name(name);
}

}  // namespace

std::string postgres_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

PostgresTable PostgresTable::find(postgres::Connection& connection, const std::string& name) {
  std::string number = number_of(connection, name);
  if (number.empty()) number = number_of(connection, lower_case(name));
  connection.command(names_of_the_catalog);
  if (number.empty()) {
    throw Error(ErrorCode::usage, fmt::format("the server has no table '{}'", name),
                "correct the name, or have its schema on the role's search_path");
  }
  PostgresTable table;
  const auto parts = connection.query(parts_sql, {number});
  for (int row = 0; row < parts.rows(); ++row) {
    const std::string kind = parts.cell(row, 0).value_or("");
    const std::string schema = parts.cell(row, 1).value_or("");
    const std::string part = parts.cell(row, 2).value_or("");
    if (kind != "ordinary") refuse(name, row == 0 ? kind : fmt::format("has the part {}, which {}", part, kind));
    if (row == 0) {
      table.from_ = fmt::format("{}.{}", postgres_name(schema), postgres_name(part));
      table.path_ = fmt::format("{}.{}", shown_name(schema), shown_name(part));
    }
    table.names_.tables.emplace(schema, part);
  }
  if (table.from_.empty()) refuse(name, "is not an ordinary table");
  table.read_columns(connection, number);
  return table;
}

void PostgresTable::read_columns(postgres::Connection& connection, const std::string& number) {
  const auto names = connection.query(columns_sql, {number});
  std::string list;
  for (int row = 0; row < names.rows(); ++row) {
    list += (row == 0 ? "" : ", ") + postgres_name(names.cell(row, 0).value_or(""));
  }
  const postgres::Result described = connection.described(fmt::format("SELECT {} FROM {} AS records", list, from_));
  const auto encoding = connection.query("SELECT current_setting('server_encoding')").cell(0, 0);
  for (int k = 0; k < described.columns(); ++k) {
    PostgresColumn column{described.name(k), type_of(connection, described.type(k), described.modifier(k))};
    // Text in another encoding would have to be converted, which can fail.
    const bool is_read = column.type.kind != PostgresType::Kind::none && (!column.type.is_text() || encoding == "UTF8");
    if (is_read) {
      names_.columns.insert(column.name);
      columns_.push_back(std::move(column));
    } else {
      unread_ += fmt::format("{}{} ({})", unread_.empty() ? "" : ", ", column.name, column.type.name);
    }
  }
}

namespace {

/// SQL of a column as it is sent. A text that is too long is not sent: it would take time and memory that no other row takes.
std::string handed_over(const PostgresColumn& column) {
  std::string name = postgres_name(column.name);
  if (column.type.kind == PostgresType::Kind::written) return fmt::format("CAST({} AS pg_catalog.text)", name);
  if (column.type.kind != PostgresType::Kind::text) return name;
  return fmt::format("CASE WHEN pg_catalog.octet_length({0}) <= {1} THEN {0} END", name, PostgresCopy::longest_text);
}

}  // namespace

std::string PostgresTable::select_sql(const std::vector<std::size_t>& columns) const {
  std::string list;
  for (const std::size_t k : columns) list += (list.empty() ? "" : ", ") + handed_over(columns_[k]);
  return fmt::format("SELECT {} FROM {} AS records", list, from_);
}

std::string PostgresTable::copy_sql(postgres::Connection& connection, const std::vector<std::size_t>& columns) const {
  const std::string select = select_sql(columns);
  const auto plan = connection.command("EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) " + select);
  if (plan.rows() != 1) throw Error(ErrorCode::internal, "the server returned no plan");
  require_plain_plan(plan.cell(0, 0).value_or(""), names_);
  return "COPY (" + select + ") TO STDOUT (FORMAT binary)";
}

}  // namespace fractile::source_detail
