#include "source/engine.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "source/adbc_abi.hpp"

namespace fractile::source_detail {
namespace {

#ifdef __APPLE__
constexpr const char* library_name = "libduckdb.dylib";
#else
constexpr const char* library_name = "libduckdb.so";
#endif

/// An AdbcError that is released, whatever happens.
class DriverError {
 public:
  DriverError() = default;
  DriverError(const DriverError&) = delete;
  DriverError& operator=(const DriverError&) = delete;
  ~DriverError() {
    if (error_.release != nullptr) error_.release(&error_);
  }
  AdbcError* out() { return &error_; }
  std::string_view message() const { return error_.message == nullptr ? "" : error_.message; }

 private:
  AdbcError error_{};
};

void check(AdbcStatus status, const DriverError& error) {
  if (status != adbc_ok) throw classify_failure(error.message());
}

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

FailureKind kind_of(std::string_view message) {
  if (is_statement_error(message)) return FailureKind::statement;
  if (message.starts_with("Out of Memory")) return FailureKind::memory;
  if (message.starts_with("Missing Extension")) return FailureKind::missing_extension;
  if (message.starts_with("IO Error: No files found")) return FailureKind::missing_file;
  if (contains(message, "Maximum line size")) return FailureKind::long_line;
  if (contains(message, "not utf-8") || contains(message, "nvalid unicode") || contains(message, "not UTF-8")) {
    return FailureKind::not_utf8;
  }
  if (contains(message, "unterminated quote") || contains(message, "Value with unterminated")) {
    return FailureKind::unclosed_quote;
  }
  if (contains(message, "Expected Number of Columns")) return FailureKind::column_count;
  if (message.starts_with("Conversion Error")) return FailureKind::not_a_number;
  if (message.starts_with("Invalid Input") || message.starts_with("IO Error")) return FailureKind::malformed;
  return FailureKind::other;
}

/// Loaded libraries stay loaded: the engine's threads and thread-local state do not survive unloading.
AdbcDriver& load_driver(const std::string& path) {
  static std::mutex mutex;
  static auto* const drivers = new std::map<std::string, AdbcDriver>;
  const std::lock_guard lock(mutex);
  if (const auto found = drivers->find(path); found != drivers->end()) return found->second;
  // Lazily: binding all of its symbols would take a third of the time in which a small table is read.
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) throw Error(ErrorCode::usage, "cannot load the engine");
  void* symbol = dlsym(handle, "duckdb_adbc_init");
  if (symbol == nullptr) throw Error(ErrorCode::usage, path + " is not a DuckDB library with ADBC");
  AdbcDriver driver{};
  DriverError error;
  if (reinterpret_cast<AdbcDriverInit>(symbol)(adbc_version_1_0_0, &driver, error.out()) != adbc_ok) {
    throw Error(ErrorCode::usage, path + " does not speak ADBC 1.0");
  }
  return drivers->emplace(path, driver).first->second;
}

constexpr const char* library_hint =
    "run ./dev build, which obtains DuckDB, or set FRACTILE_DUCKDB to the path of libduckdb";

AdbcDriver& load_named(const std::string& path, const std::string& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ErrorCode::usage, origin + " names " + path + ", which does not exist", library_hint);
  }
  try {
    return load_driver(path);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, std::string(error.what()) + " (" + origin + ": " + path + ")", library_hint);
  }
}

std::vector<std::string> default_places() {
  std::vector<std::string> places;
  std::error_code failed;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const std::filesystem::path folder = executable.parent_path();
    for (const auto& place : {folder / library_name, folder.parent_path() / "lib" / library_name}) {
      if (std::filesystem::exists(place, failed)) places.push_back(place.string());
    }
  }
  places.emplace_back(library_name);  // the loader's path
  return places;
}

AdbcDriver& find_driver(const std::string& library) {
  if (!library.empty()) return load_named(library, "--duckdb");
  if (const char* named = std::getenv("FRACTILE_DUCKDB"); named != nullptr && *named != '\0') {
    return load_named(named, "FRACTILE_DUCKDB");
  }
  for (const std::string& place : default_places()) {
    try {
      return load_driver(place);
    } catch (const Error&) {
      continue;
    }
  }
  throw Error(ErrorCode::usage, "the engine that reads tables, DuckDB, was not found", library_hint);
}

/// Nothing is fetched, nothing is written to the disk, nothing is read from the user's configuration.
constexpr std::array<std::pair<const char*, const char*>, 5> database_options{{
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
    {"allow_community_extensions", "false"},
    {"allow_persistent_secrets", "false"},
    {"temp_directory", ""},
}};

}  // namespace

EngineFailure classify_failure(std::string_view message) {
  const FailureKind kind = kind_of(message);
  return {kind, csv_line(message), kind == FailureKind::statement ? first_line(message) : std::string()};
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

struct ResultStream::State {
  explicit State(AdbcDriver& which) : driver(which) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    schema = {};
    stream = {};
    if (statement.private_data != nullptr) driver.statement_release(&statement, DriverError().out());
  }
  AdbcDriver& driver;
  AdbcStatement statement{};
  ArrowHandle<ArrowArrayStream> stream;
  ArrowHandle<ArrowSchema> schema;
};

ResultStream::ResultStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResultStream::ResultStream(ResultStream&&) noexcept = default;
ResultStream::~ResultStream() = default;

ArrowHandle<ArrowArray> ResultStream::next() {
  ArrowHandle<ArrowArray> batch;
  ArrowArrayStream* stream = state_->stream.get();
  if (stream->get_next(stream, batch.out()) != 0) {
    const char* message = stream->get_last_error(stream);
    throw classify_failure(message == nullptr ? "" : message);
  }
  return batch;
}

std::string_view ResultStream::format(std::size_t column) const {
  const ArrowSchema& schema = *state_->schema;
  if (static_cast<std::int64_t>(column) >= schema.n_children) {
    throw Error(ErrorCode::internal, "an Arrow schema lacks a column");
  }
  return schema.children[column]->format;
}

struct Connection::State {
  explicit State(AdbcDriver& which) : driver(which) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (connection.private_data != nullptr) driver.connection_release(&connection, DriverError().out());
    if (database.private_data != nullptr) driver.database_release(&database, DriverError().out());
  }
  AdbcDriver& driver;
  AdbcDatabase database{};
  AdbcConnection connection{};
};

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection::~Connection() = default;

Connection Connection::open(const std::string& library) {
  auto state = std::make_unique<State>(find_driver(library));
  AdbcDriver& driver = state->driver;
  DriverError error;
  try {
    check(driver.database_new(&state->database, error.out()), error);
    for (const auto& [key, value] : database_options) {
      check(driver.database_set_option(&state->database, key, value, error.out()), error);
    }
    check(driver.database_init(&state->database, error.out()), error);
    check(driver.connection_new(&state->connection, error.out()), error);
    check(driver.connection_init(&state->connection, &state->database, error.out()), error);
  } catch (const EngineFailure&) {
    throw Error(ErrorCode::internal, "the engine did not start: " + first_line(error.message()));
  }
  return Connection(std::move(state));
}

ResultStream Connection::query(const std::string& sql) const {
  AdbcDriver& driver = state_->driver;
  auto result = std::make_unique<ResultStream::State>(driver);
  DriverError error;
  check(driver.statement_new(&state_->connection, &result->statement, error.out()), error);
  check(driver.statement_set_sql_query(&result->statement, sql.c_str(), error.out()), error);
  std::int64_t ignored_count = 0;
  check(driver.statement_execute_query(&result->statement, result->stream.out(), &ignored_count, error.out()), error);
  ArrowArrayStream* stream = result->stream.get();
  if (stream->get_schema(stream, result->schema.out()) != 0) throw classify_failure("");
  return ResultStream(std::move(result));
}

void Connection::run(const std::string& sql) const {
  ResultStream result = query(sql);
  while (result.next()) {
  }
}

}  // namespace fractile::source_detail
