#include "source/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "exact/own_environment.hpp"
#include "exact/uncopied.hpp"
#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/engine_library.hpp"
#include "source/engine/misread_texts.hpp"
#include "source/engine/streamed_table.hpp"

namespace fractile::source_detail {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::optional<std::uint64_t> csv_line(std::string_view message) {
  constexpr std::string_view label = "CSV Error on Line: ";
  const std::size_t at = message.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t line = 0;
  const char* first = message.data() + at + label.size();
  const auto [end, status] = std::from_chars(first, message.data() + message.size(), line);
  return status == std::errc() && end != first ? std::optional(line) : std::nullopt;
}

bool is_statement_error(std::string_view message) {
  return message.starts_with("Parser Error") || message.starts_with("Binder Error") ||
         message.starts_with("Catalog Error");
}

/// What is wrong with a record of JSON by the engine's message, which quotes the record behind its first words; nothing for other
/// messages. The record may hold any words.
std::optional<FailureKind> kind_of_record(std::string_view message) {
  if (!message.starts_with("Invalid Input Error: JSON transform error")) return {};
  if (message.find(": Expected OBJECT, but got ") < message.find(": Object {")) return FailureKind::no_object;
  return contains(message, " has duplicate key \"") ? std::optional(FailureKind::twin_keys) : std::nullopt;
}

FailureKind kind_of(std::string_view message) {
  if (is_statement_error(message)) return FailureKind::statement;
  if (message.starts_with("Out of Memory")) return FailureKind::memory;
  if (message.starts_with("Missing Extension")) return FailureKind::missing_extension;
  if (message.starts_with("IO Error: No files found")) return FailureKind::missing_file;
  if (const auto kind = kind_of_record(message)) return *kind;  // before the kinds that are found by words alone
  if (contains(message, "Maximum line size")) return FailureKind::long_line;
  if (contains(message, "\"maximum_object_size\"")) return FailureKind::long_record;
  if (contains(message, "not utf-8") || contains(message, "nvalid unicode") || contains(message, "not UTF-8") ||
      contains(message, "invalid UTF-8")) {
    return FailureKind::not_utf8;
  }
  if (contains(message, "unterminated quote") || contains(message, "Value with unterminated")) {
    return FailureKind::unclosed_quote;
  }
  if (contains(message, "Expected Number of Columns")) return FailureKind::column_count;
  if (message.starts_with("Conversion Error")) return FailureKind::not_a_number;
  if (message.starts_with("Out of Range Error")) return FailureKind::out_of_range;
  if (message.starts_with("Invalid Input") || message.starts_with("IO Error")) return FailureKind::malformed;
  return FailureKind::other;
}

/// The engine fetches nothing, writes nothing to the disk, and reads no user configuration.
constexpr std::array<std::pair<const char*, const char*>, 6> database_options{{
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
    {"allow_community_extensions", "false"},
    {"allow_persistent_secrets", "false"},
    {"temp_directory", ""},
    {"threads", "1"},  // until a reading asks for more: a thread costs more than what is read before it
}};

/// Settings whose defaults would let the machine, or the engine's version, affect a value.
constexpr std::array<std::pair<const char*, const char*>, 5> fixed_settings{{
    {"TimeZone", "UTC"},
    {"Calendar", "gregorian"},
    {"integer_division", "false"},
    {"ieee_floating_point_ops", "true"},
    {"old_implicit_casting", "false"},
}};

}  // namespace

std::string settings_in_words() {
  std::string text;
  for (const auto& [name, value] : fixed_settings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

EngineFailure classify_failure(std::string_view message, FailureTime time) {
  const FailureKind kind = kind_of(message);
  if (kind != FailureKind::statement) return {kind, csv_line(message), {}};
  if (time == FailureTime::running) return {FailureKind::malformed, {}, {}};
  return {kind, {}, first_line(message)};
}

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result += quote;
}

}  // namespace

std::string quote_identifier(std::string_view name) { return quoted(name, '"'); }
std::string quote_literal(std::string_view text) { return quoted(text, '\''); }

namespace {

constexpr std::chrono::microseconds nap{200};

EngineTypeNumber number_of(CellType type) {
  switch (type) {
    case CellType::integer:
      return engine_bigint;
    case CellType::short_integer:
      return engine_integer;
    case CellType::real:
      return engine_double;
    default:
      return engine_varchar;
  }
}

EngineFailure failure_of(const char* message, FailureTime time = FailureTime::running) {
  return classify_failure(message == nullptr ? "" : message, time);
}

/// A query, from its text to its result. It is released in the right order in all cases.
class Query : Uncopied {
 public:
  Query(const EngineApi& api, EngineConnection* connection, const std::string& sql) : Query(api, connection) {
    if (api_.prepare(connection, sql.c_str(), &statement_) != engine_ok) {
      throw failure_of(api_.prepare_error(statement_), FailureTime::preparing);
    }
  }
  ~Query() {
    if (chunk_ != nullptr) api_.destroy_data_chunk(&chunk_);
    if (result_.internal != nullptr) api_.destroy_result(&result_);
    if (pending_ != nullptr) api_.destroy_pending(&pending_);
    if (statement_ != nullptr) api_.destroy_prepare(&statement_);
  }

  /// Starts a query whose chunks are computed when they are asked for.
  void start() { check_result(api_.execute_prepared_streaming(statement_, &result_)); }

  /// Runs the query to its end, in tasks, and calls on_progress() before each; at least once, however fast other threads are.
  /// Whether this returns or throws, no thread of the engine works on the query any more; an abandoned query would continue even
  /// after its database is closed.
  void finish(const std::function<void()>& on_progress) {
    if (api_.pending_prepared(statement_, &pending_) != engine_ok) throw failure_of(api_.pending_error(pending_));
    try {
      do {
        if (on_progress) on_progress();
      } while (is_running());
    } catch (...) {
      api_.interrupt(connection_);
      while (is_running()) {
      }
      // It may have ended all the same. Its transaction must then end, too: the next one's functions would be registered in it, and lost.
      if (progress_ == engine_ready) api_.execute_pending(pending_, &result_);
      throw;
    }
    if (progress_ == engine_failed) throw failure_of(api_.pending_error(pending_));
    check_result(api_.execute_pending(pending_, &result_));
  }

  void require_types(const std::vector<CellType>& types) {
    bool expected = types.size() <= api_.column_count(&result_);
    for (std::size_t k = 0; k < types.size() && expected; ++k) {
      expected = api_.column_type(&result_, k) == number_of(types[k]);
    }
    if (!expected) throw Error(ErrorCode::internal, "the engine returned an unexpected type");
  }

  /// The next chunk; nothing at the end. Throws EngineFailure.
  std::optional<Chunk> next() {
    if (chunk_ != nullptr) api_.destroy_data_chunk(&chunk_);
    chunk_ = api_.fetch_chunk(result_);
    if (const char* message = api_.result_error(&result_); message != nullptr) throw failure_of(message);
    if (chunk_ == nullptr || api_.data_chunk_get_size(chunk_) == 0) return std::nullopt;
    return Chunk(api_, chunk_);
  }

 private:
  Query(const EngineApi& api, EngineConnection* connection) : api_(api), connection_(connection) {}

  /// Does one of the tasks, or sleeps briefly while other threads do the rest. Returns whether there may be more tasks; false after
  /// a failure, too.
  bool is_running() {
    progress_ = api_.pending_execute_task(pending_);
    if (progress_ == engine_no_tasks) std::this_thread::sleep_for(nap);
    return progress_ == engine_not_ready || progress_ == engine_no_tasks;
  }
  void check_result(EngineStatus status) {
    if (status != engine_ok) throw failure_of(api_.result_error(&result_));
  }

  const EngineApi& api_;
  EngineConnection* connection_;
  EngineStatement* statement_ = nullptr;
  EnginePending* pending_ = nullptr;
  EngineProgress progress_ = engine_not_ready;
  EngineResult result_{};
  EngineChunk* chunk_ = nullptr;
};

/// Passes records from the engine's threads to take().
class Handover {
 public:
  Handover(const EngineApi& api, std::function<void(const Chunk&)> take) : api_(api), take_(std::move(take)) {}

  /// The number of records that were passed. Everything that take() did with them happens before this, in the sense of the memory
  /// model.
  std::uint64_t rows() const { return rows_; }

  /// The first exception of take(), if there was one.
  void rethrow() const {
    if (rows() == 0) return;
    const std::lock_guard lock(failing_);
    if (failure_) std::rethrow_exception(failure_);
  }

  /// The function that the engine calls: calls take() for the chunk, and returns false for every row.
  void pass(EngineCall* call, EngineChunk* records, EngineVector* out) noexcept {
    const OwnEnvironment own;  // the engine's threads need it, too
    const Chunk chunk(api_, records);
    try {
      take_(chunk);
    } catch (...) {
      fail(std::current_exception());
      api_.scalar_function_set_error(call, "stopped");
    }
    rows_ += chunk.rows();
    std::fill_n(static_cast<bool*>(api_.vector_get_data(out)), chunk.rows(), false);
  }

 private:
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(failing_);
    if (!failure_) failure_ = std::move(failure);
  }

  const EngineApi& api_;
  std::function<void(const Chunk&)> take_;
  std::atomic<std::uint64_t> rows_ = 0;
  mutable std::mutex failing_;
  std::exception_ptr failure_;
};

void pass_to_handover(EngineCall* call, EngineChunk* records, EngineVector* out) {
  static_cast<Handover*>(loaded_engine().scalar_function_get_extra_info(call))->pass(call, records, out);
}

/// Owns a type of the engine.
class TypeHandle : Uncopied {
 public:
  TypeHandle(const EngineApi& api, EngineTypeNumber number) : api_(api), type_(api.create_logical_type(number)) {}
  ~TypeHandle() { api_.destroy_logical_type(&type_); }
  EngineType* get() const { return type_; }

 private:
  const EngineApi& api_;
  EngineType* type_;
};

/// A function of SQL from texts and numbers to a truth value. NULL is passed to it like other arguments.
class FunctionOfCells : Uncopied {
 public:
  FunctionOfCells(const EngineApi& api, const char* name, const std::vector<CellType>& types, EngineFunctionBody body)
      : api_(api), function_(api.create_scalar_function()) {
    api_.scalar_function_set_name(function_, name);
    for (const CellType type : types) {
      api_.scalar_function_add_parameter(function_, TypeHandle(api_, number_of(type)).get());
    }
    api_.scalar_function_set_return_type(function_, TypeHandle(api_, engine_boolean).get());
    api_.scalar_function_set_special_handling(function_);
    api_.scalar_function_set_function(function_, body);
  }
  ~FunctionOfCells() { api_.destroy_scalar_function(&function_); }
  EngineFunction* get() const { return function_; }

  /// Registers the function. The engine may call it until the connection is closed, in queries that name it.
  void add_to(EngineConnection* connection) const {
    if (api_.register_scalar_function(connection, function_) == engine_ok) return;
    throw Error(ErrorCode::internal, "the engine refused a function");
  }

 private:
  const EngineApi& api_;
  EngineFunction* function_;
};

/// Registers `handover` as a function of SQL.
void add_handover(const EngineApi& api, EngineConnection* connection, const std::string& name,
                  const std::vector<CellType>& types, Handover& handover) {
  const FunctionOfCells function(api, name.c_str(), types, pass_to_handover);
  api.scalar_function_set_volatile(function.get());  // every record is passed, even if it equals another one
  api.scalar_function_set_extra_info(function.get(), &handover, nullptr);
  function.add_to(connection);
}

void mark_misread_texts(EngineCall* /*call*/, EngineChunk* texts, EngineVector* out) {
  const EngineApi& api = loaded_engine();
  mark_misread(Chunk(api, texts).column(0), static_cast<bool*>(api.vector_get_data(out)));
}

/// SQL that passes every record to the function. Its columns are the number of records, and the number of records for which the
/// function returned; both must be equal.
std::string passing_sql(const Cells& cells, const std::string& function) {
  std::string named;
  std::string names;
  for (std::size_t k = 0; k < cells.expressions.size(); ++k) {
    const char* const separator = k == 0 ? "" : ", ";
    named += fmt::format("{}{} AS cell{}", separator, cells.expressions[k], k);
    names += fmt::format("{}cell{}", separator, k);
  }
  return fmt::format("SELECT count(*), count({}({})) FROM (SELECT {} FROM {})", function, names, named, cells.relation);
}

}  // namespace

ColumnView Chunk::column(std::size_t number) const {
  if (number >= columns()) throw Error(ErrorCode::internal, "the engine returned too few columns");
  if (api_ == nullptr) return columns_[number];
  EngineVector* const vector = api_->data_chunk_get_vector(records_, number);
  return {api_->vector_get_data(vector), api_->vector_get_validity(vector), rows()};
}

struct ResultStream::State : Query {
  using Query::Query;
};

ResultStream::ResultStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResultStream::ResultStream(ResultStream&&) noexcept = default;
ResultStream::~ResultStream() = default;
std::optional<Chunk> ResultStream::next() { return state_->next(); }

struct Session::State : Uncopied {
  explicit State(const EngineApi& which) : api(which) {}
  ~State() {
    if (connection != nullptr) api.disconnect(&connection);
    if (database != nullptr) api.close(&database);
  }
  const EngineApi& api;
  EngineDatabase* database = nullptr;
  EngineConnection* connection = nullptr;
  std::shared_ptr<std::atomic<double>> share;  // the share read so far; null if it is not asked for
  std::vector<std::unique_ptr<Handover>>
      handovers;  // functions of the database; it is closed before they are destroyed
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::open(const std::string& library) {
  auto state = std::make_unique<State>(find_engine(library));
  const EngineApi& api = state->api;
  EngineConfig* config = nullptr;
  char* message = nullptr;
  bool started = api.create_config(&config) == engine_ok;
  for (const auto& [key, value] : database_options) {
    started = started && api.set_config(config, key, value) == engine_ok;
  }
  started = started && api.open_ext(nullptr, &state->database, config, &message) == engine_ok &&
            api.connect(state->database, &state->connection) == engine_ok;
  api.destroy_config(&config);
  const std::string reason = message == nullptr ? "" : ": " + first_line(message);
  api.free(message);
  if (!started) {
    throw Error(ErrorCode::data, "the engine did not start" + reason, "it may lack memory or threads here");
  }
  FunctionOfCells(api, misread_function, {CellType::text}, mark_misread_texts).add_to(state->connection);
  Session opened(std::move(state));
  opened.fix_settings();
  return opened;
}

void Session::fix_settings() const {
  std::string names;
  for (const auto& [name, value] : fixed_settings) names += (names.empty() ? "" : ", ") + quote_literal(name);
  std::set<std::string, std::less<>> known;
  ResultStream rows = query("SELECT name FROM duckdb_settings() WHERE name IN (" + names + ")", {CellType::text});
  while (const std::optional<Chunk> chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) known.emplace(chunk->column(0).text(row));
  }
  for (const auto& [name, value] : fixed_settings) {
    if (known.contains(name)) run(std::string("SET ") + name + " = " + quote_literal(value));
  }
}

ResultStream Session::query(const std::string& sql, const std::vector<CellType>& types) const {
  auto result = std::make_unique<ResultStream::State>(state_->api, state_->connection, sql);
  result->finish({});
  result->require_types(types);
  return ResultStream(std::move(result));
}

ResultStream Session::stream(const std::string& sql, const std::vector<CellType>& types) const {
  auto result = std::make_unique<ResultStream::State>(state_->api, state_->connection, sql);
  result->start();
  result->require_types(types);
  return ResultStream(std::move(result));
}

std::uint64_t Session::for_each_chunk(const Cells& cells, std::function<void(const Chunk&)> take,
                                      const std::function<void()>& on_progress) const {
  const std::string function = fmt::format("fractile_take_{}", state_->handovers.size());
  state_->handovers.push_back(std::make_unique<Handover>(state_->api, std::move(take)));
  Handover& handover = *state_->handovers.back();
  add_handover(state_->api, state_->connection, function, cells.types, handover);
  Query query(state_->api, state_->connection, passing_sql(cells, function));
  const auto on_share = [&] {
    const double percentage = state_->api.query_progress(state_->connection).percentage;
    if (percentage >= 0) *state_->share = std::min(percentage, 100.0) / 100;
    on_progress();
  };
  try {
    query.finish(state_->share && on_progress ? on_share : on_progress);
  } catch (...) {
    handover.rethrow();
    throw;
  }
  query.require_types({CellType::integer});
  const std::optional<Chunk> answer = query.next();
  if (!answer || static_cast<std::uint64_t>(answer->column(0).numbers<std::int64_t>()[0]) != handover.rows()) {
    throw Error(ErrorCode::internal, "the engine passed some records twice, or not at all");
  }
  return handover.rows();
}

void Session::share_to(std::shared_ptr<std::atomic<double>> share) {
  run("SET enable_progress_bar = true");
  run("SET enable_progress_bar_print = false");
  run("SET progress_bar_time = 0");
  state_->share = std::move(share);
}

void Session::run(const std::string& sql) const {
  ResultStream result = query(sql, {});
  while (result.next()) {
  }
}

void Session::add(EngineTable& table, const std::string& name) const {
  table.add_to(state_->api, state_->connection, name);
}

}  // namespace fractile::source_detail
