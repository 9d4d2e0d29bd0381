#include "libraries/postgres.hpp"

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::postgres {
namespace {

#ifdef __APPLE__
constexpr const char* library_name = "libpq.5.dylib";
#else
constexpr const char* library_name = "libpq.so.5";
#endif

const LibpqApi& load() {
  const char* const named = std::getenv("FRACTILE_LIBPQ");
  const std::string name = named != nullptr && *named != '\0' ? named : library_name;
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(ErrorCode::usage, fmt::format("PostgreSQL's client library, {}, was not found", name),
                "install it (Debian and Ubuntu: apt install libpq5), or set FRACTILE_LIBPQ to its path");
  }
  return *new const LibpqApi(library);  // never deleted
}

constexpr const char* how_to_write =
    "write postgres://USER@HOST:PORT/DATABASE, with %40 for @ and %2F for / in a name or a password; better keep "
    "passwords in ~/.pgpass";

[[noreturn]] void refuse_address(const std::string& why) {
  throw Error(ErrorCode::usage, "the address of a PostgreSQL database " + why, how_to_write);
}

bool is_secret(const std::string& keyword) { return keyword.find("password") != std::string::npos; }

/// Percent-encodes a part of an address. The characters in `plain` stand for themselves.
std::string encoded(const std::string& text, std::string_view plain) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool itself = std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos;
    result += itself ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string option(const std::vector<std::pair<std::string, std::string>>& options, const std::string& keyword) {
  const auto found = std::ranges::find(options, keyword, &std::pair<std::string, std::string>::first);
  return found == options.end() ? "" : found->second;
}

/// Refuses parts of an address that may contain a part of a password that was not percent-encoded.
void require_clean_parts(const std::string& host, const std::string& port, const std::string& database) {
  if (host.find('@') != std::string::npos || database.find('@') != std::string::npos)
    refuse_address("has an @ too many");
  const auto is_port = [](unsigned char c) { return std::isdigit(c) != 0 || c == ','; };
  if (!std::ranges::all_of(port, is_port)) refuse_address("has a port that is not a number");
}

void ignore_notice(void*, const char*) {}

}  // namespace

const LibpqApi& libpq() {
  static const LibpqApi& api = load();
  return api;
}

bool is_address(std::string_view text) { return text.starts_with("postgres://") || text.starts_with("postgresql://"); }

Address Address::parse(const std::string& text) {
  const LibpqApi& api = libpq();
  char* error = nullptr;
  PgOption* const parsed = api.parse(text.c_str(), &error);
  api.free(error);  // the message may quote the address
  if (parsed == nullptr || text.find('\0') != std::string::npos) {
    api.free_options(parsed);
    refuse_address("cannot be read");
  }
  Address address;
  for (const PgOption* one = parsed; one->keyword != nullptr; ++one) {
    if (one->value != nullptr) address.options_.emplace_back(one->keyword, one->value);
  }
  api.free_options(parsed);
  const auto part = [&](const char* keyword) { return option(address.options_, keyword); };
  require_clean_parts(part("host"), part("port"), part("dbname"));
  std::string more;  // further parts that decide which server is asked, and how it finds the tables of a query
  for (const char* const keyword : {"service", "servicefile", "hostaddr", "options"}) {
    if (part(keyword).empty()) continue;
    more += fmt::format("{}{}={}", more.empty() ? "?" : "&", keyword, encoded(part(keyword), "._-"));
  }
  address.shown_ = fmt::format("postgres://{}{}{}{}{}", part("user").empty() ? "" : encoded(part("user"), "._-") + "@",
                               encoded(part("host"), "._-:,"), part("port").empty() ? "" : ":" + part("port"),
                               part("dbname").empty() ? "" : "/" + encoded(part("dbname"), "._-"), more);
  return address;
}

std::string Address::without_secrets(std::string message) const {
  for (const auto& [keyword, value] : options_) {
    if (!is_secret(keyword) || value.empty()) continue;
    for (std::size_t at = message.find(value); at != std::string::npos; at = message.find(value, at + 3)) {
      message.replace(at, value.size(), "***");
    }
  }
  std::ranges::replace_if(
      message, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  while (message.ends_with(' ')) message.pop_back();
  return message;
}

std::string shown_address(const std::string& text) {
  try {
    return Address::parse(text).shown();
  } catch (const Error&) {
    return "postgres://...";
  }
}

std::string shown_session(const std::string& text) {
  const std::string shown = shown_address(text);
  const char* const variable = std::getenv("PGOPTIONS");
  if (variable == nullptr || *variable == '\0') return shown;
  if (shown.find("?options=") != std::string::npos || shown.find("&options=") != std::string::npos) return shown;
  return fmt::format("{}{}options={}", shown, shown.find('?') == std::string::npos ? "?" : "&",
                     encoded(variable, "._-"));
}

std::optional<std::string> Result::cell(int row, int column) const {
  if (api_->is_null(result_.get(), row, column) != 0) return {};
  return std::string(api_->value(result_.get(), row, column),
                     static_cast<std::size_t>(api_->length(result_.get(), row, column)));
}

Connection::Connection(const Address& address, const std::string& application, Milliseconds wait)
    : api_(libpq()),
      address_(address),
      wait_(wait),
      connection_(nullptr, Finish{&api_}),
      copied_(nullptr, Free{&api_}) {
  // These defaults detect a peer that has vanished. The address can override them, since libpq takes the last of two values.
  std::vector<std::pair<std::string, std::string>> options{
      {"connect_timeout", "10"},  {"keepalives_idle", "10"},     {"keepalives_interval", "5"},
      {"keepalives_count", "3"},  {"tcp_user_timeout", "20000"}, {"fallback_application_name", application},
      {"client_encoding", "UTF8"}};
  options.insert(options.end(), address.options().begin(), address.options().end());
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : options) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(api_.connect(keywords.data(), values.data(), 0));
  if (connection_ == nullptr) throw Failure{true, "", "no memory"};
  if (api_.status(connection_.get()) != pg_connection_ok) lose();
  api_.set_notices(connection_.get(), &ignore_notice, nullptr);
}

void Connection::lose() const {
  throw Failure{true, "", address_.without_secrets(api_.error_message(connection_.get()))};
}

void Connection::sent(int accepted) const {
  if (accepted != 1) lose();
}

bool Connection::wait_a_little() const {
  pollfd socket{api_.socket(connection_.get()), POLLIN, 0};
  if (socket.fd < 0) lose();
  const int ready = poll(&socket, 1, 100);
  if (ready <= 0) return false;  // nothing came, or a signal interrupted the wait
  if (api_.consume(connection_.get()) == 0) lose();
  return true;
}

void Connection::wait_while_busy() const {
  auto heard = std::chrono::steady_clock::now();
  while (api_.is_busy(connection_.get()) != 0) {
    const bool something = wait_a_little();
    const auto now = std::chrono::steady_clock::now();
    if (something) heard = now;
    if (now - heard > wait_) throw Failure{true, "", "the server does not answer"};
  }
}

std::optional<Failure> Connection::failure_of(const PgResult* result) const {
  const int status = api_.result_status(result);
  if (status == pg_command_ok || status == pg_rows_ok || status == pg_copy_out) return {};
  const auto field = [&](int name) -> std::string {
    const char* const text = api_.error_field(result, name);
    return text == nullptr ? "" : text;
  };
  const bool fatal = field(pg_severity) == "FATAL" || field(pg_severity) == "PANIC";
  const bool lost = fatal || field(pg_sqlstate).empty() || api_.status(connection_.get()) != pg_connection_ok;
  return Failure{lost, field(pg_sqlstate), address_.without_secrets(field(pg_message))};
}

Result Connection::finished() {
  std::optional<Failure> failure;
  std::optional<Result> last;
  while (true) {
    wait_while_busy();
    PgResult* const one = api_.result(connection_.get());
    if (one == nullptr) break;
    last.emplace(api_, one);
    if (!failure) failure = failure_of(one);
    if (failure && failure->lost) throw Failure(*failure);
  }
  if (failure) throw Failure(*failure);
  if (!last) lose();
  return std::move(*last);
}

Result Connection::command(const std::string& sql) {
  sent(api_.send(connection_.get(), sql.c_str()));
  return finished();
}

Result Connection::query(const std::string& sql, const std::vector<std::optional<std::string>>& parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::optional<std::string>& parameter : parameters) {
    values.push_back(parameter ? parameter->data() : nullptr);
    lengths.push_back(parameter ? static_cast<int>(parameter->size()) : 0);
  }
  const std::vector<int> binary(parameters.size(), 1);
  sent(api_.send_with(connection_.get(), sql.c_str(), static_cast<int>(parameters.size()), nullptr, values.data(),
                      lengths.data(), binary.data(), 1));
  return finished();
}

Result Connection::described(const std::string& sql) {
  sent(api_.send_prepare(connection_.get(), "", sql.c_str(), 0, nullptr));
  finished();
  sent(api_.send_describe(connection_.get(), ""));
  return finished();
}

void Connection::cancel() const {
  PgCancel* const canceller = api_.canceller(connection_.get());
  if (canceller == nullptr) return;
  char ignored[256];
  api_.cancel(canceller, ignored, sizeof ignored);
  api_.free_canceller(canceller);
}

void Connection::start_copy(const std::string& sql, const std::function<void()>& pulse) {
  sent(api_.send(connection_.get(), sql.c_str()));
  while (api_.is_busy(connection_.get()) != 0) {
    if (!wait_a_little()) pulse();
  }
  const Result began(api_, api_.result(connection_.get()));
  // No rows follow a refusal.
  if (const auto failure = failure_of(began.handle())) throw Failure(*failure);
}

std::optional<std::string_view> Connection::next_copied(const std::function<void()>& pulse) {
  while (true) {
    char* message = nullptr;
    const int size = api_.copied(connection_.get(), &message, 1);
    copied_.reset(message);
    if (size > 0) return std::string_view(message, static_cast<std::size_t>(size));
    if (size < 0) break;
    if (!wait_a_little()) pulse();
  }
  finished();
  return std::nullopt;
}

void Connection::copy_out(const std::string& sql, const std::function<void(std::string_view)>& take,
                          const std::function<void()>& pulse) {
  try {
    start_copy(sql, pulse);
    while (const auto message = next_copied(pulse)) take(*message);
  } catch (const Failure&) {
    throw;
  } catch (...) {
    cancel();
    throw;
  }
}

}  // namespace fractile::postgres
