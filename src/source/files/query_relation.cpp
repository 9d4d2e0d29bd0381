#include "source/files/query_relation.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/person_windows.hpp"
#include "source/engine/plain_names.hpp"
#include "source/files/columns.hpp"
#include "source/files/person_query.hpp"
#include "source/files/query_plan.hpp"
#include "source/files/row_work.hpp"
#include "source/files/sql_inputs.hpp"
#include "source/files/total_query.hpp"

namespace fractile::source_detail {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void check_name(const std::string& name) {
  const bool is_word = !name.empty() && is_letter(name.front()) &&
                       std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
  if (!is_word) {
    throw Error(ErrorCode::usage, "the table name '" + name + "' is not made of letters, digits and _",
                {"write for example ", Field("table").entry("visits", "visits.csv")}, "table");
  }
  if (lower_case(name) == name_of_file) {
    throw Error(ErrorCode::usage, "the table name input is already that of FILE", "choose another name", "table");
  }
}

void check_names(const TableOptions& options) {
  std::set<std::string> seen;
  bool reads_standard_input = options.file == "-" || std::ranges::count(options.more_files, "-") > 0;
  for (const NamedTable& table : options.tables) {
    check_name(table.name);
    if (!seen.insert(lower_case(table.name)).second) {
      throw Error(ErrorCode::usage, "two tables have the name " + table.name, "letter case does not count; rename one",
                  "table");
    }
    if (table.file.empty())
      throw Error(ErrorCode::usage, "the table " + table.name + " has no file", "name one", "table");
    if (table.file == "-" && reads_standard_input) {
      throw Error(ErrorCode::usage, "standard input is read twice", "name a file for one of the tables");
    }
    reads_standard_input = reads_standard_input || table.file == "-";
  }
}

/// Disables all optimizers of the engine except one. With them, the contents of other rows (a file's statistics) would decide which
/// cells are read and in which order conditions are tested. The exception, unused_columns, leaves out columns that the query does
/// not name.
std::string verbatim_plan(const Session& connection) {
  ResultStream rows = connection.query(
      "SELECT string_agg(name, ',') FROM duckdb_optimizers() WHERE name <> 'unused_columns'", {CellType::text});
  const std::optional<Chunk> chunk = rows.next();
  if (!chunk || chunk->column(0).is_null(0)) throw Error(ErrorCode::internal, "the engine lists no optimizers");
  return "SET disabled_optimizers = " + quote_literal(chunk->column(0).text(0));
}

/// Has the engine group persons of any type with its usual operator, which the checks of plans know.
constexpr const char* usual_grouping = "SET perfect_ht_threshold = 0";

/// Statements after which the engine opens only these files. (Engines before 1.2 have no such setting; the query's tree has been
/// checked in any case.)
std::vector<std::string> only_files(const Session& connection, const std::vector<Input>& inputs) {
  ResultStream rows =
      connection.query("SELECT name FROM duckdb_settings() WHERE name = 'allowed_paths'", {CellType::text});
  if (!rows.next()) return {};
  std::string paths;
  for (const Input& input : inputs) {
    for (const std::string& path : input.relation->paths()) paths += (paths.empty() ? "" : ", ") + quote_literal(path);
  }
  return {"SET allowed_paths = [" + paths + "]", "SET enable_external_access = false"};
}

/// A table of a query.
struct View {
  const Relation& relation;
  std::vector<std::string> keys;  // for JSON, in place of columns
};

View view_of(const Session& connection, Input& input, const TableOptions& options, const SqlTree& tree) {
  const std::string delimiter = input.name == name_of_file ? options.delimiter : "";
  const auto engine = [&]() -> const Session& { return connection; };
  input.relation = Relation::of_files(engine, input.files, input.format, delimiter, line_ends_of(options));
  if (options.sql_stability) input.relation->expect_nan(connection);
  input.relation->add_to(connection);
  if (!input.relation->json_form()) return {*input.relation, {}};
  return {*input.relation, named_columns(tree, lower_case(input.name))};
}

bool has_column(const View& view, const std::string& name) {
  const auto is_same = [&](const std::string& other) { return lower_case(other) == lower_case(name); };
  return std::ranges::any_of(view.keys, is_same) ||
         std::ranges::any_of(view.relation.columns(), is_same, &Column::name);
}

/// Whether messages may list the result's columns: the first line of a text file may be a person's, and PIVOT turns cells into
/// names.
Names names_of_result(const std::vector<View>& views, const std::string& sql) {
  const bool is_text = std::ranges::any_of(views, [](const View& view) { return view.relation.shape().has_value(); });
  const bool pivots = lower_case(sql).find("pivot") != std::string::npos;
  return is_text || pivots ? Names::unsaid : Names::listed;
}

bool is_word_of_engine(std::string_view word) {
  constexpr std::array<std::string_view, 16> words{
      "VARCHAR",  "BOOLEAN", "BIGINT",          "INTEGER",        "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP",
      "INTERVAL", "HUGEINT", "INTEGER_LITERAL", "STRING_LITERAL", "JSON",   "STRUCT",  "FROM", "ANY"};
  return std::ranges::find(words, word) != words.end();
}

/// Whether every quoted word of the engine's message is in the query or is a type.
bool quotes_the_query_alone(const std::string& sentence, const std::string& sql) {
  const std::string folded = lower_case(sql);
  std::string word;
  char quote = 0;
  for (const char c : sentence + " ") {
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      word += c;
      continue;
    }
    if (quote != 0 && !is_word_of_engine(word) && folded.find(lower_case(word)) == std::string::npos) return false;
    word.clear();
    if (quote == c) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    }
  }
  return true;
}

/// Whether the name has no quotes, so that it ends where the engine's quotes end.
bool is_quoted_as_a_whole(const Column& column) { return column.name.find_first_of("\"'") == std::string::npos; }

/// A failure to prepare the query, with the engine's message only if all names in it are in the query.
EngineFailure without_names(const EngineFailure& failure, const std::vector<View>& views, const std::string& sql) {
  if (failure.kind == FailureKind::malformed) {
    return {FailureKind::statement, {}, "a function in it refuses one of its constants, such as a pattern or a format"};
  }
  if (failure.kind != FailureKind::statement || names_of_result(views, sql) == Names::listed) return failure;
  const bool are_plain = std::ranges::all_of(
      views, [](const View& view) { return std::ranges::all_of(view.relation.columns(), is_quoted_as_a_whole); });
  if (are_plain && quotes_the_query_alone(failure.detail, sql)) return failure;
  return {failure.kind, failure.line,
          "it does not fit the columns of its tables, or their types (in text files all are VARCHAR)"};
}

/// Whether every column of this name has a short type, which is not text.
bool is_short(const View& view, const std::string& name) {
  return view.keys.empty() && std::ranges::all_of(view.relation.columns(), [&](const Column& column) {
           return lower_case(column.name) != lower_case(name) || is_short_type(column.type);
         });
}

bool is_zone(const Session& connection, const std::string& name) {
  ResultStream rows = connection.query(
      "SELECT name FROM pg_timezone_names() WHERE lower(name) = lower(" + quote_literal(name) + ")", {CellType::text});
  return rows.next().has_value();
}

/// Checks that a query is row-wise and its work per row bounded; adds what the engine knows to `names`.
void judge(const Session& connection, const SqlTree& tree, RowWiseNames& names) {
  names.kinds = function_kinds(connection);
  names.is_zone = [&](const std::string& name) { return is_zone(connection, name); };
  require_row_wise(tree, names);
  require_bounded_work(tree, names);
}

/// The query `sql` of this tree, rewritten in the form that the checks accept.
std::string in_judged_words(const Session& connection, const SqlTree& tree, const std::string& sql,
                            const RowWiseNames& names) {
  const auto has_it = [&](const SqlNode& from, const std::string& name) { return has_column(from, name, names); };
  const std::string plain = with_plain_names(connection, tree, sql, has_it);
  if (plain == sql) return without_windows_of_persons(connection, tree, sql, has_it);
  return without_windows_of_persons(connection, SqlTree::of(connection, plain), plain, has_it);
}

/// A query that passed the checks of its text and its tables.
struct Judged {
  std::string sql;                          ///< a row-wise query, unless `grouped` is set
  std::optional<PersonQuery> grouped = {};  ///< set if the query makes one row of each person's records
  std::vector<std::vector<Judged>> parts =
      {};  ///< For each of its grouped SELECTs, what it reads: one table, or several that are joined.
};

Judged judged(const Session& connection, const std::string& sql, RowWiseNames& names) {
  const SqlTree tree = SqlTree::of(connection, sql);
  Judged query{sql, PersonQuery::of(tree)};
  if (!query.grouped) {
    judge(connection, tree, names);
    return query;
  }
  for (std::size_t k = 0; k < query.grouped->size(); ++k) {
    std::vector<Judged>& parts = query.parts.emplace_back();
    if (query.grouped->parts(k) == 0) {
      parts.push_back({query.grouped->below(connection, k)});
      judge(connection, SqlTree::of(connection, parts.back().sql), names);
    }
    for (std::size_t i = 0; i < query.grouped->parts(k); ++i) {
      parts.push_back(judged(connection, query.grouped->part(connection, k, i), names));
      const Judged& part = parts.back();
      if (!part.grouped) {
        PersonQuery::require_handed_on(SqlTree::of(connection, part.sql), query.grouped->person_of(k));
      }
    }
  }
  return query;
}

/// The query in a form in which no row can make it fail. `written`: the query as it was written, with its `names`. `reader`: one of
/// our table functions, which the engine may scan, too.
struct TotalQuery {
  std::string sql;
  Relation relation;
};

TotalQuery total(const Session& connection, const SqlTree& tree, const Relation& written, Names names,
                 const std::set<std::string>& tables, const std::string& reader, Grouping grouping = Grouping::none) {
  const std::string sql = total_query(connection, tree, written.columns());
  require_row_wise_plan(connection, sql, reader, grouping);
  require_row_wise_calls(connection, sql, tables);
  Relation relation = Relation::of_query(connection, sql, written.setup(), names);
  if (relation.columns() == written.columns()) return {sql, std::move(relation)};
  throw Error(ErrorCode::usage,
              "the query's columns get other names or types when Fractile rewrites it so that no row can make it fail",
              "name each of its columns with AS", "sql");
}

/// The names that a query may use if it reads a single table, which the engine has made from others.
RowWiseNames names_of_table(const std::string& table, const Relation& relation) {
  RowWiseNames names;
  names.tables = {table};
  const auto any = [columns = relation.columns()](const std::string& name, auto holds) {
    return std::ranges::any_of(
        columns, [&](const Column& column) { return lower_case(column.name) == lower_case(name) && holds(column); });
  };
  names.has_column = [any](const std::string& /*table*/, const std::string& name) {
    return any(name, [](const Column& /*column*/) { return true; });
  };
  names.is_short = [any](const std::string& name) {
    return !any(name, [](const Column& column) { return !is_short_type(column.type); });
  };
  return names;
}

/// Makes the rows of checked queries, on tables that the engine has.
class RowsOfQueries {
 public:
  /// `setup` must have been run. `shown`: whether messages may list the results' columns. `tables`: the tables that the queries
  /// name. `reader`: as in TotalQuery.
  RowsOfQueries(const Session& connection, std::vector<std::string> setup, Names shown,
                const std::set<std::string>& tables, const std::string& reader)
      : connection_(connection), setup_(std::move(setup)), shown_(shown), tables_(tables), reader_(reader) {}

  TotalQuery of(const Judged& query) {
    return query.grouped ? of_persons(query) : row_by_row(query.sql, tables_, Grouping::none);
  }

 private:
  TotalQuery row_by_row(const std::string& sql, const std::set<std::string>& tables, Grouping grouping) {
    const Relation written = Relation::of_query(connection_, sql, setup_, shown_);
    return total(connection_, SqlTree::of(connection_, sql), written, shown_, tables, reader_, grouping);
  }

  /// The same for a query over one table that is made here. It is checked now, since the table's columns are known.
  TotalQuery over_view(const std::string& view, const std::string& sql, Grouping grouping) {
    const Relation of_view = Relation::of_query(connection_, "SELECT * FROM " + view, setup_, shown_);
    RowWiseNames names = names_of_table(view, of_view);
    judge(connection_, SqlTree::of(connection_, sql), names);
    return row_by_row(sql, names.tables, grouping);
  }

  std::string new_view(const char* name, const std::string& sql) {
    const std::string view = fmt::format("{}_{}", name, ++views_);
    setup_.push_back(fmt::format("CREATE TEMP VIEW {} AS {}", view, sql));
    connection_.run(setup_.back());
    return view;
  }

  PersonQuery::Below below(const PersonQuery& query, std::size_t k, const std::vector<Judged>& parts) {
    if (query.parts(k) == 0) {
      TotalQuery rows = of(parts.front());
      return {std::move(rows.sql), rows.relation.columns()};
    }
    std::vector<PersonQuery::Below> tables;
    for (const Judged& part : parts) {
      TotalQuery rows = of(part);
      tables.push_back({std::move(rows.sql), rows.relation.columns(), part.grouped.has_value()});
    }
    const std::string view = new_view("fractile_joined_records", query.joined(k, tables));
    TotalQuery rows = over_view(view, query.below(connection_, k, view), Grouping::nested);
    return {std::move(rows.sql), rows.relation.columns()};
  }

  TotalQuery of_persons(const Judged& judged) {
    const PersonQuery& query = *judged.grouped;
    std::vector<PersonQuery::Below> grouped;
    Grouping grouping = query.size() == 1 ? Grouping::once : Grouping::joined;
    for (std::size_t k = 0; k < query.size(); ++k) {
      grouped.push_back(below(query, k, judged.parts[k]));
      if (query.parts(k) > 0) grouping = Grouping::nested;
    }
    const std::string view = new_view("fractile_rows_of_persons", query.rows(grouped));
    return over_view(view, query.above(connection_, view), grouping);
  }

  const Session& connection_;
  std::vector<std::string> setup_;
  Names shown_;
  const std::set<std::string>& tables_;
  const std::string& reader_;
  int views_ = 0;
};

/// The relation of a checked query; the other arguments are those of RowsOfQueries.
Relation relation_of(const Session& connection, const Judged& query, std::vector<std::string> setup, Names shown,
                     const std::set<std::string>& tables, const std::string& reader) {
  TotalQuery rows = RowsOfQueries(connection, std::move(setup), shown, tables, reader).of(query);
  return query.grouped ? std::move(rows.relation).of_persons(query.grouped->person()) : std::move(rows.relation);
}

}  // namespace

void check_query_options(const TableOptions& options) {
  if (options.sql.empty()) {
    if (options.sql_stability) {
      throw Error(ErrorCode::usage, "a stability is declared, but there is no query", "write a query, or leave it out",
                  "sql_stability");
    }
    if (!options.tables.empty()) {
      throw Error(ErrorCode::usage, "tables are named, but no query that reads them",
                  "write a query, or leave them out", "table");
    }
    return;
  }
  if (options.file.empty() && options.tables.empty()) {
    throw Error(ErrorCode::usage, "the query has no table to read", "name FILE, which is the table input");
  }
  if (options.sql_stability && (*options.sql_stability < 1 || *options.sql_stability > TableOptions::most_stability)) {
    throw Error(ErrorCode::usage, "the stability of the query is not from 1 to 1000000000",
                "declare how many rows of the result one record more or less changes at most", "sql_stability");
  }
  check_names(options);
}

LineEndsInCells line_ends_of(const TableOptions& options) {
  return options.single_line_records ? LineEndsInCells::refused : LineEndsInCells::allowed;
}

std::vector<Input> open_inputs(const TableOptions& options) {
  const TextEncoding encoding = encoding_named(options.encoding);
  std::vector<Input> inputs;
  if (!options.file.empty()) {
    std::vector<std::string> names{options.file};
    names.insert(names.end(), options.more_files.begin(), options.more_files.end());
    const std::vector<NamedFiles> files = named_files(names);
    const Format format = format_of(options, files_of(files));
    inputs.push_back({name_of_file, InputFiles::open(files, encoding), format});
  }
  for (const NamedTable& table : options.tables) {
    const std::vector<NamedFiles> files = named_files({table.file});
    const Format format = format_of(files_of(files));
    inputs.push_back({table.name, InputFiles::open(files, encoding), format});
  }
  return inputs;
}

Relation open_query(const Session& connection, const TableOptions& options, std::vector<Input>& inputs) {
  const SqlTree tree = SqlTree::of(connection, options.sql);
  RowWiseNames names;
  for (const Input& input : inputs) names.tables.insert(lower_case(input.name));
  require_named_tables(tree, names.tables);

  std::vector<View> views;
  views.reserve(inputs.size());
  for (Input& input : inputs) views.push_back(view_of(connection, input, options, tree));
  const std::set<std::string> mentioned = mentioned_columns(tree);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    require_told_apart(views[k].relation.columns(), mentioned, inputs[k].files.display_name(),
                       "rename all but one of them there, or release the column without a query");
  std::vector<std::string> setup;
  std::optional<Judged> query;  // unless the stability is declared
  if (!options.sql_stability) {
    names.has_column = [&](const std::string& table, const std::string& name) {
      const auto is_it = [&](const Input& input) { return lower_case(input.name) == table; };
      const auto at = static_cast<std::size_t>(std::ranges::find_if(inputs, is_it) - inputs.begin());
      return at < views.size() && has_column(views[at], name);  // WITH may make a table, too
    };
    names.is_short = [&](const std::string& name) {
      return std::ranges::all_of(views, [&](const View& view) { return is_short(view, name); });
    };
    query = judged(connection, in_judged_words(connection, tree, options.sql, names), names);
    setup.emplace_back(usual_grouping);
    setup.push_back(verbatim_plan(connection));
  }
  // The engine binds each column of a view, and some tables have thousands.
  const std::optional<std::set<std::string>> read = columns_named_alone(tree, [&](const std::string& name) {
    return std::ranges::any_of(views, [&](const View& view) { return has_column(view, name); });
  });
  const auto is_read = [&](const std::string& name) { return !read || read->contains(lower_case(name)); };
  for (std::size_t k = 0; k < inputs.size(); ++k)
    setup.push_back(views[k].relation.view_sql(inputs[k].name, is_read, views[k].keys, !options.sql_stability));
  for (const std::string& statement : only_files(connection, inputs)) setup.push_back(statement);
  for (const std::string& statement : setup) connection.run(statement);
  try {
    const Names shown = names_of_result(views, options.sql);
    if (!query) return Relation::of_query(connection, options.sql, std::move(setup), shown);
    return relation_of(connection, *query, std::move(setup), shown, names.tables, "");
  } catch (const EngineFailure& failure) {
    throw without_names(failure, views, options.sql);
  }
}

Relation open_row_wise(const Session& connection, const std::string& sql, RowWiseNames names, const std::string& view,
                       const std::string& reader) {
  const SqlTree tree = SqlTree::of(connection, sql);
  require_named_tables(tree, names.tables);
  const Judged query = judged(connection, in_judged_words(connection, tree, sql, names), names);
  std::vector<std::string> setup{verbatim_plan(connection), usual_grouping, view};
  for (const std::string& statement : only_files(connection, {})) setup.push_back(statement);
  for (const std::string& statement : setup) connection.run(statement);
  return relation_of(connection, query, std::move(setup), Names::listed, names.tables, reader);
}

}  // namespace fractile::source_detail
