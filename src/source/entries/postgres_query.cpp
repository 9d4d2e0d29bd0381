#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/postgres.hpp"
#include "libraries/postgres.hpp"
#include "source/counting/scaled_lattice.hpp"
#include "source/counting/shared_tally.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/entries/postgres_copy.hpp"
#include "source/files/columns.hpp"
#include "source/files/row_wise.hpp"

namespace fractile {

using postgres::Failure;
using source_detail::member_of;
using source_detail::PostgresCopy;
using source_detail::PostgresType;
using source_detail::SqlNode;
using source_detail::SqlTree;
using source_detail::text_of;

namespace {

constexpr std::chrono::seconds longest_silence(30);  // of a server that is asked for no rows
constexpr const char* query_name = "the query";      // in messages

/// Of what happened after rows were read: nothing but the class of the error, which SQL's standard lists.
Error failed(const Failure& failure, const std::string& shown) {
  if (failure.lost) {
    return {ErrorCode::data, fmt::format("the connection to '{}' was lost", shown),
            "try again when the server can be reached"};
  }
  return {
      ErrorCode::data,
      fmt::format("'{}' could not run the query: an error of SQLSTATE class {}", shown, failure.sqlstate.substr(0, 2)),
      failure.sqlstate.starts_with("22")
          ? "some value does not fit what the query does with it: guard it with CASE WHEN ... THEN ... END"
          : "run the query on the server to see what is wrong"};
}

/// Before a row is read: what the server says is about the query and the catalog alone.
Error refused(const Failure& failure, const std::string& shown) {
  if (failure.lost) {
    return {ErrorCode::data, fmt::format("'{}' cannot be reached: {}", shown, failure.words),
            "check the address, the password (~/.pgpass) and that the server runs"};
  }
  return {ErrorCode::usage, fmt::format("{} was refused by the server: {}", query_name, failure.words),
          "correct the query", "sql"};
}

/// The tables that stand in FROM, at any depth of queries in parentheses.
std::string table_in(const SqlNode& node, int depth = 0) {
  if (depth > source_detail::deepest_tree) return {};
  const SqlNode& from = member_of(node, "from_table");
  if (text_of(from, "type") == "BASE_TABLE") return std::string(text_of(from, "table_name"));
  if (text_of(from, "type") != "SUBQUERY") return {};
  return table_in(member_of(member_of(from, "subquery"), "node"), depth + 1);
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

/// By scans in the order of the tables: what statistics say of other rows decides nothing, and nothing can be written. The server splits
/// the text into words as the engine's parser does, whatever the role, the database or the address sets.
constexpr const char* begin =
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; "
    "SET LOCAL standard_conforming_strings = on; SET LOCAL client_encoding = 'UTF8'; "
    "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; "
    "SET LOCAL enable_tidscan = off; SET LOCAL jit = off";

/// From here on operators, functions and types are the server's own; others could look at other rows.
constexpr const char* names_of_the_catalog = "SET LOCAL search_path = pg_catalog, pg_temp";

/// What the server's catalog has under a function's name, in the words of the engine whose parser decides. With names of the catalog.
source_detail::FunctionKinds server_functions(postgres::Connection& connection) {
  return [&connection](const std::string& name) {
    const auto rows = connection.query(
        "SELECT DISTINCT CASE WHEN prokind = 'a' THEN 'aggregate CONSISTENT' WHEN prokind = 'f' AND provolatile = 'i' "
        "AND NOT "
        "proretset AND pronamespace = 'pg_catalog'::regnamespace THEN 'scalar CONSISTENT' ELSE 'other' END "
        "FROM pg_catalog.pg_proc WHERE proname = $1::text",
        {name});
    std::set<std::string> kinds;
    for (int row = 0; row < rows.rows(); ++row) kinds.insert(rows.cell(row, 0).value_or("other"));
    return kinds;
  };
}

/// A name as a query may write it, and the number of what the server has under it: "" for nothing.
struct Found {
  std::string name;
  std::string number;
};

/// The parser does not tell a name in quotes from one whose letter case the server ignores: both readings. Asked with the session's own
/// search_path, as whoever wrote the query expects; so every name in here says that it is of the catalog.
std::vector<Found> readings_of(postgres::Connection& connection, const std::string& table) {
  std::vector<Found> readings;
  if (table.empty()) return readings;
  for (const std::string& name : std::set<std::string>{table, source_detail::lower_case(table)}) {
    const auto rows = connection.query(
        "SELECT pg_catalog.to_regclass($1::pg_catalog.text)::pg_catalog.oid::pg_catalog.text", {quoted(name)});
    readings.push_back({name, rows.cell(0, 0).value_or("")});
  }
  return readings;
}

/// WITH that names the table for a query that is run with names of the catalog. A view could read anything, and a policy of row security
/// other rows: whatever there is, in either reading, must be a table.
std::string with_table(postgres::Connection& connection, const std::string& table, const std::vector<Found>& readings) {
  std::string with;
  bool all_are_tables = true;
  for (const Found& found : readings) {
    if (found.number.empty()) continue;
    const auto rows = connection.query(
        "SELECT relkind IN ('r', 'p') AND NOT relrowsecurity, nspname::text, relname::text FROM pg_catalog.pg_class "
        "JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = $1::text::oid",
        {found.number});
    if (rows.rows() != 1 || rows.cell(0, 0) != std::string(1, '\1')) {
      all_are_tables = false;
      continue;
    }
    with += fmt::format("{}{} AS NOT MATERIALIZED (SELECT * FROM {}.{})", with.empty() ? "WITH " : ", ",
                        quoted(found.name), quoted(rows.cell(0, 1).value_or("")), quoted(rows.cell(0, 2).value_or("")));
  }
  if (!with.empty() && all_are_tables) return with + " ";
  if (with.empty() && all_are_tables) {
    throw Error(ErrorCode::usage, fmt::format("the server has no table '{}'", table),
                "correct the name, or have its schema on the role's search_path");
  }
  throw Error(ErrorCode::usage,
              fmt::format("the query is not row-wise: {} is no table of the server's, or one with row security", table),
              {"read from a table, or declare with ", Field("sql_stability").blank("N"),
               " that one person's records change at most N rows of the result"},
              "sql");
}

}  // namespace

struct PostgresQuery::State {
  postgres::Address address;
  std::string sql;
  std::uint32_t threads;
  std::string engine;
  std::string with;  // names the table of a row-wise query; "" of one whose stability is declared
  std::vector<source_detail::Column> columns;
  std::vector<PostgresType> types;  // of the columns

  postgres::Connection connected() const {
    try {
      return {address, "fractile", longest_silence};
    } catch (const Failure& failure) {
      throw refused(failure, address.shown());
    }
  }

  /// The columns of `list` of the query's result.
  std::string selected(const std::string& list) const {
    return fmt::format("{}SELECT {} FROM (\n{}\n) AS counted", with, list, sql);
  }

  /// Leaves the transaction with names of the catalog.
  void require_row_wise(postgres::Connection& connection, const SqlTree& tree) {
    const std::string table = table_in(tree.query());
    const std::vector<Found> readings = readings_of(connection, table);
    connection.command(names_of_the_catalog);
    source_detail::RowWiseNames names;
    names.tables.insert(source_detail::lower_case(table));
    names.kinds = server_functions(connection);
    names.has_column = [](const std::string&) { return false; };  // to a server, current_date is never a column
    source_detail::require_row_wise(tree, names);
    with = with_table(connection, table, readings);
  }

  void describe(postgres::Connection& connection) {
    const postgres::Result result = connection.described(selected("*"));
    for (int column = 0; column < result.columns(); ++column) {
      const std::string name = result.name(column);
      types.push_back(source_detail::postgres_type(result.type(column), result.modifier(column)));
      columns.push_back({name, name, types.back().name});
    }
    const char* const version = "SELECT pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1)";
    engine = "PostgreSQL " + connection.query(version).cell(0, 0).value_or("");
  }

  std::size_t column(const std::string& name) const {
    const std::string& found = source_detail::find_column(columns, name, query_name).name;
    const auto found_at = std::ranges::find(columns, found, &source_detail::Column::name);
    return static_cast<std::size_t>(found_at - columns.begin());
  }

  const PostgresType& countable(const std::string& name, ValueKind kind) const {
    const PostgresType& type = types[column(name)];
    if (type.kind == PostgresType::Kind::none) {
      throw Error(
          ErrorCode::data,
          fmt::format("column '{}' is {}, which is not counted", name, type.name.empty() ? "of a type" : type.name),
          "convert it in the query: CAST(x AS numeric(18,2)), double precision, bigint, date or timestamp");
    }
    if (source_detail::go_together(type.time, kind)) return type;
    throw Error(ErrorCode::data,
                fmt::format("column '{}' is {}, and the bounds are {}s", name, type.name, to_string(kind)),
                source_detail::kind_hint(type.time, kind));
  }

  /// Runs COPY of a column in a transaction of its own.
  void copy(const std::string& column, const PostgresType& type,
            const std::function<void(const source_detail::ColumnView&)>& take,
            const std::function<void()>& on_progress) const {
    const std::string shown = address.shown();
    try {
      postgres::Connection connection(address, "fractile", longest_silence);
      connection.command(begin);
      if (!with.empty()) connection.command(names_of_the_catalog);
      const auto pulse = [&] {
        if (on_progress) on_progress();
      };
      PostgresCopy rows(type, [&](const source_detail::ColumnView& cells) {
        take(cells);
        pulse();
      });
      connection.copy_out(
          "COPY (" + selected(quoted(column)) + ") TO STDOUT (FORMAT binary)",
          [&](std::string_view bytes) { rows.add(bytes); }, pulse);
      rows.finish();
    } catch (const Failure& failure) {
      throw failed(failure, shown);
    } catch (const PostgresCopy::Malformed&) {
      throw Error(ErrorCode::data, fmt::format("what '{}' sent cannot be read", shown),
                  "use a server of PostgreSQL 12 or later");
    }
  }
};

PostgresQuery::PostgresQuery(std::unique_ptr<State> state) : state_(std::move(state)) {}
PostgresQuery::PostgresQuery(PostgresQuery&&) noexcept = default;
PostgresQuery& PostgresQuery::operator=(PostgresQuery&&) noexcept = default;
PostgresQuery::~PostgresQuery() = default;

PostgresQuery PostgresQuery::open(const PostgresOptions& options) {
  if (!postgres::is_address(options.address)) {
    throw Error(ErrorCode::usage, "this is no address of a PostgreSQL database",
                "write postgres://USER@HOST:PORT/DATABASE", "postgres");
  }
  auto state = std::make_unique<State>(
      State{postgres::Address::parse(options.address), options.sql, options.threads, {}, {}, {}, {}});
  const source_detail::Connection engine = source_detail::Connection::open(options.library);
  std::optional<SqlTree> tree;
  try {
    tree.emplace(SqlTree::of(engine, options.sql));
  } catch (const source_detail::EngineFailure&) {
    throw Error(ErrorCode::usage, "the query cannot be read",
                "write one SELECT, without what only PostgreSQL's dialect has", "sql");
  }
  postgres::Connection connection = state->connected();
  try {
    connection.command(begin);
    if (!options.sql_stability) state->require_row_wise(connection, *tree);
    state->describe(connection);
    connection.command("ROLLBACK");
  } catch (const Failure& failure) {
    throw refused(failure, state->address.shown());
  }
  return PostgresQuery(std::move(state));
}

void PostgresQuery::require_countable(const std::string& column, ValueKind kind) const {
  state_->countable(column, kind);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): called as Table's is
void PostgresQuery::require_selection(const RecordSelection& selection, const std::string& /*column*/) const {
  if (!selection.selects()) return;
  throw Error(ErrorCode::usage, "persons and groups are not told apart in a query on a server",
              {"leave ", Field("person"), " and ", Field("by"),
               " out, or release from a file: COPY (...) TO, or fractile count"});
}

RankProfile PostgresQuery::profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                                   Counting counting, const std::function<void()>& on_progress) const {
  if (counting == Counting::push_down)
    throw Error(ErrorCode::usage, "a server's rows are counted here", "count by stream");
  const PostgresType& type = state_->countable(column, lattice.kind());
  const bool is_decimal = type.kind == PostgresType::Kind::decimal;
  const Lattice counted_on = is_decimal ? source_detail::in_units(lattice, type.scale, column, type.name) : lattice;
  source_detail::SharedTally tally(counted_on, state_->threads);
  state_->copy(
      state_->columns[state_->column(column)].name, type,
      [&](const source_detail::ColumnView& cells) { tally.add(cells, type.reading()); }, on_progress);
  source_detail::Counted counted = tally.finish();
  if (counted.any_missing && null_policy == NullPolicy::error) {
    throw Error(ErrorCode::data, fmt::format("column '{}': some row is NULL or NaN", column),
                {"leave such rows out in the query, or with ", Field("null").text("drop")});
  }
  return relabeled(std::move(counted.profile), lattice);
}

std::vector<RankProfile> PostgresQuery::profiles(const std::string& /*column*/, const Lattice& /*lattice*/,
                                                 NullPolicy /*null_policy*/, const RecordSelection& selection,
                                                 RandomBits& /*bits*/,
                                                 const std::function<void()>& /*on_progress*/) const {
  require_selection(selection);
  throw Error(ErrorCode::internal, "profiles of no selection");
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): called as Table's is
std::uint64_t PostgresQuery::rows(const std::function<void()>& /*on_progress*/) const {
  throw Error(ErrorCode::usage, "the rows of a query are not those of a table",
              {"leave ", Field("public_rows"), " out"}, "public_rows");
}

std::string PostgresQuery::engine() const { return state_->engine; }

}  // namespace fractile
