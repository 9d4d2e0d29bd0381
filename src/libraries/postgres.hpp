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

/// "postgres://..." and "postgresql://...".
bool is_address(std::string_view text);

/// Where a database is, and as whom; what is not told comes from libpq's environment, service and password files.
class Address {
 public:
  /// Throws `usage`, which shows nothing of the text, when libpq is not there or cannot read it.
  static Address parse(const std::string& text);
  /// As an address without passwords: user, host, port, database and service.
  const std::string& shown() const { return shown_; }
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }
  /// A message of libpq's without the address's passwords.
  std::string without_secrets(std::string message) const;

 private:
  std::vector<std::pair<std::string, std::string>> options_;
  std::string shown_;
};

/// "postgres://..." where the address cannot be read.
std::string shown_address(const std::string& text);

/// A failure between this program and a server. Its words may hold values of rows.
struct Failure {
  bool lost;             ///< the connection, or it was never there; otherwise the server refused
  std::string sqlstate;  ///< "" where there is none
  std::string words;
};

/// All rows of a statement.
class Result {
 public:
  Result(const LibpqApi& api, PgResult* result) : api_(&api), result_(result, Clear{&api}) {}
  int rows() const { return api_->rows(result_.get()); }
  int columns() const { return api_->columns(result_.get()); }
  std::string name(int column) const { return api_->column_name(result_.get(), column); }
  PgType type(int column) const { return api_->column_type(result_.get(), column); }
  int modifier(int column) const { return api_->column_modifier(result_.get(), column); }
  /// What was done: "COMMIT".
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

/// A connection whose every wait ends: when the server says nothing for longer than a wait, it counts as lost. All functions
/// throw Failure.
class Connection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// `application` is what the server's administrators see.
  Connection(const Address& address, const std::string& application, Milliseconds wait);

  /// One or more statements without parameters; the last one's result, as texts.
  Result command(const std::string& sql);
  /// One statement, with parameters as bytes (write $1::text or $1::bytea), whose result holds bytes.
  Result query(const std::string& sql, const std::vector<std::optional<std::string>>& parameters = {});
  /// The columns of a statement, which is not run.
  Result described(const std::string& sql);
  /// COPY ... TO STDOUT: every message that comes. Stops the server when `take` throws. `pulse` is called at least
  /// every so often.
  void copy_out(const std::string& sql, const std::function<void(std::string_view)>& take,
                const std::function<void()>& pulse);
  /// The same, message by message: a message holds until the next one is asked for, and nothing comes at the end.
  void start_copy(const std::string& sql, const std::function<void()>& pulse);
  std::optional<std::string_view> next_copied(const std::function<void()>& pulse);
  /// Stops what the server runs.
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
  /// False when nothing came for a tenth of a second.
  bool wait_a_little() const;
  void wait_while_busy() const;
  /// The last of all results; throws the first failure.
  Result finished();
  std::optional<Failure> failure_of(const PgResult* result) const;

  const LibpqApi& api_;
  Address address_;
  Milliseconds wait_;
  std::unique_ptr<PgConnection, Finish> connection_;
  std::unique_ptr<char, Free> copied_;
};

}  // namespace fractile::postgres
