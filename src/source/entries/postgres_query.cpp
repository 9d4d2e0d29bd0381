#include "source/entries/postgres_query.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "libraries/postgres.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/record_selector.hpp"
#include "source/counting/scaled_lattice.hpp"
#include "source/counting/selected_records.hpp"
#include "source/counting/shared_sample.hpp"
#include "source/counting/shared_tally.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/engine/streamed_table.hpp"
#include "source/entries/missing_values.hpp"
#include "source/entries/postgres_copy.hpp"
#include "source/entries/postgres_records.hpp"
#include "source/entries/postgres_table.hpp"
#include "source/files/columns.hpp"
#include "source/files/countable.hpp"
#include "source/files/missing_cells.hpp"
#include "source/files/query_relation.hpp"
#include "source/files/row_work.hpp"
#include "source/files/sql_inputs.hpp"

namespace fractile {

using namespace source_detail;
using postgres::Failure;

namespace {

constexpr const char* reader_name = "fractile_rows_of_server";

/// The table in FROM, at any depth of queries in parentheses.
std::string table_in(const SqlNode& node, int depth = 0) {
  if (depth > deepest_tree) return {};
  const SqlNode& from = member_of(node, "from_table");
  if (text_of(from, "type") == "BASE_TABLE") return std::string(text_of(from, "table_name"));
  if (text_of(from, "type") != "SUBQUERY") return {};
  return table_in(member_of(member_of(from, "subquery"), "node"), depth + 1);
}

/// The columns with their names in the engine's query.
std::vector<Column> as_columns(const std::vector<PostgresColumn>& columns) {
  return tabulated(columns.size(), [&](std::size_t k) { return Column{columns[k].name, fmt::format("c{}", k), {}}; });
}

bool is_text(const PostgresColumn& column) { return source_detail::streamed(column).type == StreamedType::text; }

/// SQL of the view that the query reads in the engine.
std::string view_sql(const std::string& table, const std::vector<PostgresColumn>& columns) {
  const std::vector<Column> all = as_columns(columns);
  std::string list;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!can_be_named(all[k], all)) continue;
    const std::string& name = all[k].engine_name;
    const std::string cell = is_text(columns[k]) ? bounded_cell(name, "VARCHAR") : name;
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", cell, quote_identifier(all[k].name));
  }
  if (list.empty()) list = "NULL AS \"no column\"";
  return fmt::format("CREATE TEMP VIEW {} AS SELECT {} FROM {}()", quote_identifier(table), list, reader_name);
}

Error refusal_of(const EngineFailure& failure, const std::string& unread) {
  if (failure.kind == FailureKind::statement) {
    return {ErrorCode::usage, fmt::format("the query was refused: {}", failure.detail),
            unread.empty() ? "correct the query"
                           : fmt::format("correct the query; columns that are not read here: {}", unread),
            "sql"};
  }
  if (failure.kind == FailureKind::memory) {
    return {ErrorCode::data, "the query: the engine ran out of memory", "use a machine with more memory"};
  }
  return {ErrorCode::data, "the query: a function refused the value that it met",
          "write TRY(f(x)) for NULL in its place"};
}

/// A query that runs in this process, and makes each row from one row of the table.
struct RowWiseQuery {
  std::string table;
  std::string path;  // PostgresTable::path()
  std::vector<PostgresColumn> columns;
  Relation relation;

  std::vector<StreamedColumn> streamed() const { return streamed_columns(columns); }
  static std::vector<StreamedColumn> streamed_columns(const std::vector<PostgresColumn>& columns) {
    std::vector<StreamedColumn> streamed;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      streamed.push_back(source_detail::streamed(columns[k]));
      streamed.back().name = fmt::format("c{}", k);
    }
    return streamed;
  }
};

/// Columns of a server have types, so texts are not read as numbers.
Column countable_column(const RowWiseQuery& query, const std::string& name, ValueKind kind) {
  Column column = query.relation.numeric_column(name, kind, query_name, query.table);
  if (numeric_of(column.type) != Numeric::text) return column;
  throw Error(ErrorCode::data, fmt::format("{}: column '{}' is text, which is not counted", query_name, name),
              {"make numbers of it: ", Field("sql").text("SELECT TRY_CAST(... AS DOUBLE) AS x FROM ...")});
}

/// A query with declared stability, which runs on the server.
struct ServersQuery {
  std::vector<Column> columns;
  std::vector<PostgresType> types;  // of the columns

  std::size_t column(const std::string& name) const {
    const std::string& found = find_column(columns, name, query_name).name;
    const auto found_at = std::ranges::find(columns, found, &Column::name);
    return static_cast<std::size_t>(found_at - columns.begin());
  }

  const PostgresType& countable(const std::string& name, ValueKind kind) const {
    const PostgresType& type = types[column(name)];
    if (!type.is_countable()) {
      throw Error(ErrorCode::data,
                  type.name.empty() ? fmt::format("column '{}' has a type that is not counted", name)
                                    : fmt::format("column '{}' is {}, which is not counted", name, type.name),
                  "convert it in the query: CAST(x AS numeric(18,2)), double precision, bigint, date or timestamp");
    }
    if (go_together(type.time, kind)) return type;
    throw Error(ErrorCode::data,
                fmt::format("column '{}' is {}, and the bounds are {}s", name, type.name, to_string(kind)),
                kind_hint(type.time, kind));
  }
};

}  // namespace

struct PostgresQuery::State {
  postgres::Address address;
  std::string sql;
  std::uint32_t threads;
  std::string library;
  std::string engine;
  std::vector<std::string> missing;
  std::optional<std::uint32_t> stability;
  std::optional<RowWiseQuery> row_wise;
  ServersQuery declared;

  /// SQL that selects the columns `list` from the query's result, on the server.
  std::string selected(const std::string& list) const {
    return fmt::format("SELECT {} FROM (\n{}\n) AS counted", list, sql);
  }

  /// The engine on one thread, since rows come one after another. `table` has the name that the query's view reads.
  Session engine_with(StreamedTable& table) const {
    Session connection = Session::open(library);
    connection.run("SET threads = 1");
    connection.add(table, reader_name);
    return connection;
  }

  void open_row_wise(postgres::Connection& server, const SqlTree& tree, const OnOpened& on_opened) {
    RowWiseNames names;
    const std::string name = table_in(tree.query());
    if (name.empty()) require_row_wise(tree, names);  // its message says what else is in FROM
    const PostgresTable table = PostgresTable::find(server, name);
    if (on_opened) on_opened({{name, table.path()}});
    std::vector<std::size_t> all(table.columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    static_cast<void>(table.copy_sql(server, all));  // the plan is checked before anything is charged
    names.tables.insert(lower_case(name));
    names.has_column = [&](const std::string& /*table*/, const std::string& column) {  // there is one table
      return std::ranges::any_of(
          table.columns(), [&](const PostgresColumn& each) { return lower_case(each.name) == lower_case(column); });
    };
    names.is_short = [&](const std::string& column) {
      return std::ranges::none_of(table.columns(), [&](const PostgresColumn& each) {
        return is_text(each) && lower_case(each.name) == lower_case(column);
      });
    };
    require_told_apart(as_columns(table.columns()), mentioned_columns(tree), "the table " + name,
                       "rename all but one of them there");
    PostgresRecords never_read(address, name, table.path(), table.columns(), {});
    StreamedTable rows(RowWiseQuery::streamed_columns(table.columns()), never_read);
    const Session connection = engine_with(rows);
    try {
      row_wise.emplace(RowWiseQuery{
          name, table.path(), table.columns(),
          source_detail::open_row_wise(connection, sql, names, view_sql(name, table.columns()), reader_name)});
    } catch (const EngineFailure& failure) {
      throw refusal_of(failure, table.unread());
    }
  }

  void describe(postgres::Connection& connection) {
    const postgres::Result result = connection.described(selected("*"));
    for (int column = 0; column < result.columns(); ++column) {
      const std::string name = result.name(column);
      declared.types.push_back(postgres_type(result.type(column), result.modifier(column)));
      declared.columns.push_back({name, name, declared.types.back().name});
    }
  }

  void require_countable(const std::string& column, ValueKind kind) const {
    if (row_wise) {
      countable_column(*row_wise, column, kind);
    } else {
      declared.countable(column, kind);
    }
  }

  /// Reads the table's rows from the server, and makes the query's rows from them.
  Counted count_row_wise(const std::string& name, const Lattice& lattice,
                         const std::function<void()>& on_progress) const {
    const Column column = countable_column(*row_wise, name, lattice.kind());
    const UnitLattice units = counted_on(column, lattice);
    PostgresRecords records(address, row_wise->table, row_wise->path, row_wise->columns, on_progress);
    StreamedTable rows(row_wise->streamed(), records);
    const Session connection = engine_with(rows);
    try {
      for (const std::string& statement : row_wise->relation.setup()) connection.run(statement);
      Counted counted = count_by_stream(connection,
                                        {number_expression(column, units.counted_on, Unreadable::missing),
                                         row_wise->relation.without({column}, missing).from(column),
                                         reading_of(column, lattice.kind(), Unreadable::missing)},
                                        units.counted_on, threads, on_progress);
      counted.profile = units.back_on(lattice, std::move(counted.profile));
      return counted;
    } catch (const EngineFailure& failure) {
      rows.rethrow();
      throw refusal_of(failure, "");
    }
  }

  /// The columns that a selection reads of the query's rows. Throws `data` for columns that do not exist or have unsuitable types.
  SelectedColumns selected_columns(const ColumnToCount& asked) const {
    const Relation& rows = row_wise->relation;
    const std::optional<PerPerson>& how = asked.selection.per_person;
    const bool is_any = how && has_values(rows.column(asked.column, query_name), *how);
    SelectedColumns columns{is_any ? rows.column(asked.column, query_name)
                                   : countable_column(*row_wise, asked.column, asked.lattice.kind()),
                            {},
                            {},
                            how};
    if (!asked.selection.person.empty()) {
      columns.person = rows.column(asked.selection.person, query_name);
      require_identifier(*columns.person, query_name, row_wise->table);
    }
    for (const std::string& name : asked.selection.by.names()) columns.keys.push_back(rows.column(name, query_name));
    const std::optional<RecordWeights>& weights = asked.selection.weights;
    if (weights) columns.weight = countable_column(*row_wise, weights->column, ValueKind::number);
    return columns;
  }

  /// As count_row_wise(), for persons and groups.
  std::vector<SelectedProfiles> count_selected_rows(const std::vector<const ColumnToCount*>& asked,
                                                    const std::optional<SamplingKey>& key,
                                                    const std::function<void()>& on_progress) const {
    std::vector<ColumnTask> all =
        mapped(asked, [&](const ColumnToCount* each) { return task_of(*each, selected_columns(*each), key); });
    PostgresRecords records(address, row_wise->table, row_wise->path, row_wise->columns, on_progress);
    StreamedTable rows(row_wise->streamed(), records);
    const Session connection = engine_with(rows);
    try {
      for (ColumnTask& each : all) {
        for (std::size_t k = 0; k < each.columns.keys.size(); ++k) {
          each.typed.keys = keys_of_type(connection, each.columns.keys[k], each.typed, k);
        }
      }
      for (const std::string& statement : row_wise->relation.setup()) connection.run(statement);
      std::vector<Column> blanked;
      for (const ColumnTask& each : all) {
        for (Column& column : columns_with_missing(each.columns)) blanked.push_back(std::move(column));
      }
      std::vector<SelectedProfiles> counted =
          mapped(count_selected([&]() -> const Session& { return connection; },
                                row_wise->relation.without(std::move(blanked), missing), all, threads, 0,
                                Unreadable::missing, on_progress),
                 &SelectedCounts::finish);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (RankProfile& profile : counted[i].profiles) {
          profile = all[i].units.back_on(all[i].asked.lattice, std::move(profile));
        }
      }
      return counted;
    } catch (const EngineFailure& failure) {
      rows.rethrow();
      throw refusal_of(failure, "");
    }
  }

  /// Has the server run the query and send a column, in a separate transaction.
  Counted count_on_server(const std::string& name, const Lattice& lattice,
                          const std::function<void()>& on_progress) const {
    const PostgresType& type = declared.countable(name, lattice.kind());
    const bool is_decimal = type.kind == PostgresType::Kind::decimal;
    const Lattice counted_on = is_decimal ? in_units(lattice, type.scale, name, type.name) : lattice;
    SharedTally tally(counted_on, threads);
    try {
      const std::unique_ptr<postgres::Connection> connection = connect_to(address);
      connection->command(begin_reading);
      const auto pulse = [&] {
        if (on_progress) on_progress();
      };
      const MissingValues declared_missing(missing, type.form());
      std::vector<std::uint64_t> validity;
      PostgresCopy rows({type}, [&](std::span<const ColumnView> cells, std::size_t) {
        tally.add(declared_missing.without(cells.front(), validity), type.reading());
        pulse();
      });
      const std::string column = postgres_name(declared.columns[declared.column(name)].name);
      connection->copy_out(
          "COPY (" + selected(column) + ") TO STDOUT (FORMAT binary)", [&](std::string_view bytes) { rows.add(bytes); },
          pulse);
      rows.finish();
    } catch (const Failure& failure) {
      throw failed_on_server(failure, address.shown());
    } catch (const PostgresCopy::Malformed&) {
      throw unreadable_from_server(address.shown());
    }
    Counted counted = tally.finish();
    counted.profile = relabeled(std::move(counted.profile), lattice);
    return counted;
  }
};

PostgresQuery::PostgresQuery(std::unique_ptr<State> state) : state_(std::move(state)) {}
PostgresQuery::PostgresQuery(PostgresQuery&&) noexcept = default;
PostgresQuery& PostgresQuery::operator=(PostgresQuery&&) noexcept = default;
PostgresQuery::~PostgresQuery() = default;

PostgresQuery PostgresQuery::open(const std::string& address, const TableOptions& options, const OnOpened& on_opened) {
  if (!postgres::is_address(address)) {
    throw Error(ErrorCode::usage, "this is not the address of a PostgreSQL database",
                "write postgres://USER@HOST:PORT/DATABASE", "postgres");
  }
  check_missing(options.missing);
  auto state = std::make_unique<State>(State{postgres::Address::parse(address),
                                             options.sql,
                                             options.threads,
                                             options.library,
                                             {},
                                             options.missing,
                                             options.sql_stability,
                                             {},
                                             {}});
  const Session engine = Session::open(options.library);
  std::optional<SqlTree> tree;
  try {
    tree.emplace(SqlTree::of(engine, options.sql));
  } catch (const EngineFailure&) {
    throw Error(ErrorCode::usage, "the query cannot be read",
                "write one SELECT, without what only PostgreSQL's dialect has", "sql");
  }
  try {
    const std::unique_ptr<postgres::Connection> server = connect_to(state->address);
    server->command(begin_reading);
    if (options.sql_stability) {
      if (on_opened) on_opened({});
      state->describe(*server);
    } else {
      state->open_row_wise(*server, *tree, on_opened);
    }
    const char* const version_query =
        "SELECT pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1)";
    state->engine = "PostgreSQL " + server->query(version_query).cell(0, 0).value_or("");
  } catch (const Failure& failure) {
    throw refused_by_server(failure, state->address.shown());
  }
  return PostgresQuery(std::move(state));
}

void PostgresQuery::require_countable(const std::vector<ColumnToCount>& columns) const {
  require_one_sample(columns);
  std::vector<SelectedColumns> of_sample;
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    if (asked.public_rows) {
      throw Error(ErrorCode::usage, "the rows of a query are not those of a table",
                  {"leave ", Field("public_rows"), " out"}, "public_rows");
    }
    require_person_of_rows(person_of_rows(), asked.selection);
    if (!asked.selection.selects()) {
      state_->require_countable(asked.column, asked.lattice.kind());
      continue;
    }
    if (!state_->row_wise) {
      throw Error(ErrorCode::usage,
                  "a query that a server runs with a declared stability has no persons, groups or weights",
                  {"leave ", Field("sql_stability"), " out, if the query goes row by row, or ", Field("person"), ", ",
                   Field("by"), " and ", Field("weight")});
    }
    SelectedColumns read = state_->selected_columns(asked);
    static_cast<void>(units_of(read.number, asked));
    if (read.weight) static_cast<void>(weights_on(*read.weight, *asked.selection.weights));
    if (asked.selection.whole_records) of_sample.push_back(std::move(read));
  }
  require_shown_keys(of_sample, state_->missing);
}

std::vector<CountedColumn> PostgresQuery::count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                                const std::function<void()>& on_progress) const {
  require_countable(columns);
  SamplingKeys keys(bits);
  std::vector<const ColumnToCount*> of_sample;
  for (const ColumnToCount& asked : columns) {
    if (asked.selection.whole_records) of_sample.push_back(&asked);
  }
  std::vector<SelectedProfiles> shared;
  std::size_t next = 0;  // of these
  std::vector<CountedColumn> all;
  for (const ColumnToCount& asked : columns) {
    SelectedProfiles counted{{}, false, false};
    if (asked.selection.whole_records) {
      if (next == 0) shared = state_->count_selected_rows(of_sample, keys.of(asked.selection), on_progress);
      counted = std::move(shared[next++]);
    } else if (asked.selection.selects()) {
      counted = std::move(state_->count_selected_rows({&asked}, keys.of(asked.selection), on_progress).front());
    } else {
      Counted whole = state_->row_wise ? state_->count_row_wise(asked.column, asked.lattice, on_progress)
                                       : state_->count_on_server(asked.column, asked.lattice, on_progress);
      counted.any_missing = whole.any_missing;
      counted.profiles.push_back(std::move(whole.profile));
    }
    if ((counted.any_missing || counted.any_nobody) && asked.null_policy == NullPolicy::error) {
      throw Error(ErrorCode::data,
                  fmt::format("column '{}'{}: some row is NULL or NaN",
                              counted.any_nobody ? asked.selection.person : asked.column,
                              counted.any_nobody || !asked.selection.weights ? "" : " or its weight"),
                  {"leave such rows out in the query, or with ", Field("null").text("drop")});
    }
    all.push_back(asked.selection.counted(std::move(counted.profiles)).over_query(state_->stability.value_or(1)));
  }
  return all;
}

std::string PostgresQuery::person_of_rows() const {
  return state_->row_wise ? state_->row_wise->relation.person_of_rows() : std::string();
}

std::vector<TableColumn> PostgresQuery::columns() const {
  std::vector<TableColumn> all;
  const std::vector<Column>& found = state_->row_wise ? state_->row_wise->relation.columns() : state_->declared.columns;
  for (const Column& column : found) all.push_back({column.name, column.type});
  return all;
}

std::string PostgresQuery::engine() const { return state_->engine; }

}  // namespace fractile
