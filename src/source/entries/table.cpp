#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/text_cells.hpp"
#include "source/entries/opened_table.hpp"
#include "source/entries/table_cells.hpp"
#include "source/entries/table_counts.hpp"
#include "source/entries/table_faults.hpp"
#include "source/files/missing_cells.hpp"
#include "source/files/nameless_file.hpp"
#include "source/text/encoding.hpp"

namespace fractile {

using namespace source_detail;

namespace {

std::string engine_version(const Session& connection) {
  ResultStream result = connection.query("SELECT version()", {CellType::text});
  return "DuckDB " + std::string(result.next().value().column(0).text(0));
}

void check_options(const TableOptions& options) {
  if (options.file.empty() && !options.more_files.empty()) {
    throw Error(ErrorCode::usage, "further files of a table are named, but no first file", "name it");
  }
  if (options.file.empty() && options.sql.empty()) {
    throw Error(ErrorCode::usage, "neither a file nor a query is given", "name a file, or - for standard input");
  }
  if (options.threads > TableOptions::most_threads) {
    throw Error(
        ErrorCode::usage,
        std::to_string(options.threads) + " threads are more than " + std::to_string(TableOptions::most_threads),
        "ask for 0, as many as the machine runs at once");
  }
  options.numbers.validate();
  if (!options.numbers.is_plain() && !options.sql.empty()) {
    throw Error(ErrorCode::usage, "how numbers are written is declared, and a query reads them as texts",
                {"leave it out, and write in ", Field("sql"), ": replace(income, ',', '.')"});
  }
  if (options.memory != 0 && options.memory < TableOptions::least_memory) {
    throw Error(ErrorCode::usage, "less memory than 100 MB", "allow more, or 0 for as much as there is");
  }
}

/// Sets the relations of `source`.
void open_relation(const EngineOnDemand& engine, const TableOptions& options, OpenedTable& source) {
  source.has_query = !options.sql.empty();
  if (source.has_query) {
    source.relation = open_query(engine(), options, source.inputs);
    return;
  }
  Input& input = source.inputs.front();
  input.relation =
      Relation::of_files(engine, input.files, input.format, options.delimiter, source.line_ends, options.numbers);
  source.relation = input.relation;
}

/// Throws `usage` for what only CSV and TSV have.
void refuse_options_of_text(const TableOptions& options) {
  const auto refuse = [](bool is_declared, const std::string& what) {
    if (!is_declared) return;
    throw Error(ErrorCode::usage, what + " declared, but no CSV or TSV is read", "leave the declaration out");
  };
  refuse(options.single_line_records, "single-line records are");
  refuse(!options.numbers.is_plain(), "how numbers are written is");
  refuse(!options.encoding.empty(), "an encoding is");
}

/// Throws unless options about delimited text are used with such a text.
void require_delimited(const TableOptions& options, const std::vector<Input>& inputs) {
  const auto is_delimited = [](const Input& input) { return input.relation->shape().has_value(); };
  if (std::ranges::none_of(inputs, is_delimited)) refuse_options_of_text(options);
}

}  // namespace

struct Table::State : OpenedTable {};

namespace {

void tell_opened(const std::vector<Input>& inputs, const OnOpened& on_opened) {
  if (on_opened) on_opened(mapped(inputs, [](const Input& input) { return input.files.opened(); }));
}

/// The share of the files' bytes that was read.
std::optional<double> share_of_text(const OpenedTable& table) {
  std::uint64_t taken = 0;
  std::uint64_t all = 0;
  for (const Input& input : table.inputs) {
    taken += input.relation->text()->bytes_taken();
    all += input.relation->text()->bytes();
  }
  if (all == 0) return {};
  return static_cast<double>(taken) / static_cast<double>(all);
}

/// The same for JSON, which is checked before the engine reads it.
double share_of_json(const OpenedTable& table) {
  double checked = 0;
  for (const Input& input : table.inputs) checked += input.relation->share_checked();
  return (checked / static_cast<double>(table.inputs.size()) + *table.engine_share) / 2;
}

}  // namespace

void TableOptions::validate() const {
  const OwnEnvironment own;
  check_options(*this);
  check_query_options(*this);
  check_missing(missing);
  static_cast<void>(encoding_named(encoding));
  if (file.empty() || format.empty()) return;
  const Format named = format_of(*this, {file});
  if (sql.empty() && named != Format::csv && named != Format::tsv) refuse_options_of_text(*this);
}

Table Table::open(const TableOptions& options, const OnOpened& on_opened) {
  const OwnEnvironment own;
  options.validate();
  auto state = std::make_unique<State>();
  state->inputs = open_inputs(options);
  tell_opened(state->inputs, on_opened);
  state->library = options.library;
  state->threads = options.threads;
  state->memory = options.memory;
  std::optional<Session> connection;
  const auto engine = [&]() -> const Session& {
    if (!connection) connection.emplace(connect(options.library, Order::of_file, options.threads, options.memory));
    return *connection;
  };
  state->stability = options.sql_stability.value_or(0);
  state->line_ends = line_ends_of(options);
  state->display_name = options.sql.empty() ? state->inputs.front().files.display_name() : query_name;
  const bool is_row_wise = !options.sql.empty() && !options.sql_stability;
  state->missing = options.missing;
  state->unreadable = is_row_wise ? Unreadable::missing : options.unreadable.value_or(Unreadable::error);
  try {
    open_relation(engine, options, *state);
  } catch (const EngineFailure& failure) {
    const bool in_query = failure.kind == FailureKind::statement || state->inputs.size() != 1;
    throw worded(failure, in_query ? state->display_name : state->inputs.front().files.display_name());
  }
  require_delimited(options, state->inputs);
  state->engine = is_read_here(*state->relation) ? "text" : engine_version(engine());
  // Memory limit, within which nothing must be read.
  const bool has_limit = state->memory > 0 && state->groups_in_engine();
  if (connection && !has_limit) state->first_connection.put(std::move(*connection));
  return Table(std::move(state));
}

Table::Table(std::unique_ptr<State> state) : state_(std::move(state)) {}
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;
Table::~Table() = default;

void Table::require_countable(const std::string& column, ValueKind kind) const {
  state_->relation->numeric_column(column, kind, state_->display_name);
}

void Table::require_countable(const std::string& column, const Lattice& lattice) const {
  const Column found = state_->relation->numeric_column(column, lattice.kind(), state_->display_name);
  static_cast<void>(counted_on(found, lattice));
}

RankProfile Table::profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy, Counting counting,
                           const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, on_progress, [&] {
    return profile_of_column(*state_, column, lattice, null_policy, counting, on_progress);
  });
}

void Table::require_countable(const std::vector<ColumnToCount>& columns) const {
  require_one_sample(columns);
  std::vector<Column> all;
  std::vector<SelectedColumns> of_sample;
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    static_cast<void>(units_of(number_column(*state_, asked), asked));
    require_persons(*state_, asked.selection);
    if (asked.public_rows) require_rows(*state_, asked.selection);
    const SelectedColumns read = columns_of(*state_, asked);
    all.push_back(read.number);
    if (read.person) all.push_back(*read.person);
    if (read.weight) {
      static_cast<void>(counted_on(*read.weight, asked.selection.weights->grid()));
      require_countable_units(*state_, *asked.selection.weights);
      all.push_back(*read.weight);
    }
    all.insert(all.end(), read.keys.begin(), read.keys.end());
    if (asked.selection.whole_records) of_sample.push_back(read);
    if (is_counted_alone(*state_, columns)) continue;
    require_spool(state_->memory, asked.selection.person.empty() ? "counts" : "persons' records");
    if (!asked.selection.selects()) continue;
    static_cast<void>(state_->relation->from(all));  // refuses columns that cannot be read at once
    static_cast<void>(with_typed_keys(*state_, asked.selection));
  }
  if (columns.size() > 1) static_cast<void>(state_->relation->from(all));
  require_shown_keys(of_sample, state_->missing);
}

std::vector<CountedColumn> Table::count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                        const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return mapped(count_apart(columns, bits, on_progress),
                [](const std::function<CountedColumn()>& column) { return column(); });
}

std::vector<std::function<CountedColumn()>> Table::count_apart(const std::vector<ColumnToCount>& columns,
                                                               RandomBits& bits,
                                                               const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    require_persons(*state_, asked.selection);
    if (asked.public_rows) require_rows(*state_, asked.selection);
  }
  return while_unchanged(*state_, on_progress, [&] {
    std::vector<std::function<CountedColumn()>> counted;
    std::vector<ProfilesLater> profiles = counted_profiles(*state_, columns, bits, on_progress);
    auto profile = profiles.begin();
    for (const ColumnToCount& asked : columns) {
      std::optional<std::uint64_t> rows;
      if (asked.public_rows) rows = counted_rows(*state_, {});
      counted.emplace_back(
          [selection = asked.selection, made = std::move(*profile++), stability = state_->stability, rows] {
            CountedColumn column = selection.counted(made());
            if (stability > 0) column = std::move(column).over_query(stability);
            if (rows) column = std::move(column).with_public_rows(*rows);
            return column;
          });
    }
    return counted;
  });
}

std::uint64_t Table::rows(const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  require_rows(*state_, {});
  return while_unchanged(*state_, on_progress, [&] { return counted_rows(*state_, on_progress); });
}

std::vector<std::vector<std::string>> Table::texts(const std::vector<std::string>& columns) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, {}, [&] { return texts_of(*state_, columns); });
}

void Table::require_unchanged() const { fractile::require_unchanged(*state_); }

std::optional<double> Table::share_read() const {
  const OwnEnvironment own;
  if (state_->stability > 0) return {};  // the engine may make many rows from few bytes
  const auto is_json = [](const Input& input) { return input.relation->json_form().has_value(); };
  if (std::ranges::all_of(state_->inputs, is_delimited)) return share_of_text(*state_);
  if (std::ranges::all_of(state_->inputs, is_json)) return share_of_json(*state_);
  if (std::ranges::any_of(state_->inputs, is_delimited) || std::ranges::any_of(state_->inputs, is_json)) return {};
  return *state_->engine_share;
}

std::vector<std::string> Table::files() const {
  if (state_->inputs.front().name != name_of_file) return {};
  return state_->inputs.front().files.opened().parts;
}

std::string Table::person_of_rows() const { return state_->relation->person_of_rows(); }

std::vector<TableColumn> Table::columns() const {
  if (state_->relation->json_form()) {
    throw Error(ErrorCode::usage, state_->display_name + ": JSON has no schema: its keys are in the records",
                {"add ", Field("check"), ", which reads them"});
  }
  return mapped(state_->relation->columns(), [](const Column& column) {
    return TableColumn{column.name, shown_type(column)};
  });
}

std::vector<TableColumn> Table::checked_columns(const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  return while_unchanged(*state_, on_progress, [&] { return checked(*state_, on_progress); });
}

std::string Table::engine() const { return state_->engine; }

std::string Table::reader() const {
  return is_read_here(*state_->relation) ? state_->engine : state_->engine + ": " + settings_in_words();
}

}  // namespace fractile
