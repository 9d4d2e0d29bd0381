// PostgreSQL: addresses, connections, results.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libraries/libpq_abi.hpp"

namespace fractile::postgres {

/// Whether the text begins with "postgres://" or "postgresql://".
bool is_address(std::string_view text);

/// Where a database is, and as whom to connect. What the address leaves out comes from libpq's environment variables, service file and
/// password file.
class Address {
 public:
  /// Throws `usage` when libpq is not there or cannot read the text. The message does not quote the text.
  static Address parse(const std::string& text);
  /// The address without passwords: user, host, port, database and service.
  const std::string& shown() const { return shown_; }
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }
  /// A message from libpq with the address's passwords removed.
  std::string without_secrets(std::string message) const;

 private:
  std::vector<std::pair<std::string, std::string>> options_;
  std::string shown_;
};

/// The address as shown(), or "postgres://..." where it cannot be read.
std::string shown_address(const std::string& text);

/// The same with the options of the variable PGOPTIONS, which libpq takes where the address has none: they decide which tables a query
/// names.
std::string shown_session(const std::string& text);

/// A failure between this program and a server. `words` may hold values of rows.
struct Failure {
  bool lost;             ///< the connection was lost, or was never there; otherwise the server refused
  std::string sqlstate;  ///< "" where the server gave none
  std::string words;
};

/// All rows that a statement returned.
class Result {
 public:
  Result(const LibpqApi& api, PgResult* result) : api_(&api), result_(result, Clear{&api}) {}
  int rows() const { return api_->rows(result_.get()); }
  int columns() const { return api_->columns(result_.get()); }
  std::string name(int column) const { return api_->column_name(result_.get(), column); }
  PgType type(int column) const { return api_->column_type(result_.get(), column); }
  int modifier(int column) const { return api_->column_modifier(result_.get(), column); }
  /// The command that was done: "COMMIT".
  std::string command() const { return api_->command(result_.get()); }
  const PgResult* handle() const { return result_.get(); }
  /// The bytes of a cell; none for NULL.
  std::optional<std::string> cell(int row, int column) const;

 private:
  struct Clear {
    const LibpqApi* api;
    void operator()(PgResult* result) const { api->clear(result); }
  };
  const LibpqApi* api_;
  std::unique_ptr<PgResult, Clear> result_;
};

/// A connection. It counts as lost when the server sends nothing for longer than `wait`; during a copy, `pulse` decides how long to wait.
/// All functions throw Failure.
class Connection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// The server's administrators see `application`.
  Connection(const Address& address, const std::string& application, Milliseconds wait);

  /// Runs one or more statements without parameters. Returns the result of the last one as texts.
  Result command(const std::string& sql);
  /// Runs one statement with its parameters as bytes (write $1::text or $1::bytea). The result holds bytes.
  Result query(const std::string& sql, const std::vector<std::optional<std::string>>& parameters = {});
  /// The columns of a statement, without running it.
  Result described(const std::string& sql);
  /// Runs COPY ... TO STDOUT and calls `take` with every message. Calls `pulse` whenever nothing has come for a tenth of a second. Cancels
  /// the statement when `take` or `pulse` throws.
  void copy_out(const std::string& sql, const std::function<void(std::string_view)>& take,
                const std::function<void()>& pulse);
  /// As copy_out(), one message at a time. A message is valid until the next call of next_copied(), which returns nothing at the end.
  void start_copy(const std::string& sql, const std::function<void()>& pulse);
  std::optional<std::string_view> next_copied(const std::function<void()>& pulse);
  /// Cancels the statement that the server runs.
  void cancel() const;

 private:
  struct Finish {
    const LibpqApi* api;
    void operator()(PgConnection* connection) const { api->finish(connection); }
  };
  struct Free {
    const LibpqApi* api;
    void operator()(char* message) const { api->free(message); }
  };
  [[noreturn]] void lose() const;
  void sent(int accepted) const;
  /// Waits for bytes from the server. False when nothing came for a tenth of a second.
  bool wait_a_little() const;
  void wait_while_busy() const;
  /// Reads all results and returns the last one. Throws the first failure.
  Result finished();
  std::optional<Failure> failure_of(const PgResult* result) const;

  const LibpqApi& api_;
  Address address_;
  Milliseconds wait_;
  std::unique_ptr<PgConnection, Finish> connection_;
  std::unique_ptr<char, Free> copied_;
};

}  // namespace fractile::postgres
