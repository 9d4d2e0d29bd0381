#include "ledger/sqlite.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

/// A path that SQLite takes for a file. SQLite gives names such as ":memory:" and "file:x?mode=memory" another meaning.
std::string as_file(const std::string& path) { return path.starts_with('/') ? path : "./" + path; }

Error writing_failed(const std::string& name, const std::string& reason, const char* hint) {
  return {ErrorCode::ledger, fmt::format("{} could not be written: {}", name, reason), hint};
}

Error is_read_only(const std::string& name) {
  return writing_failed(name, "it is read-only", "make its folder and the files of its name writable");
}

/// Whether a write failed because a quota of the disk is used up. SQLite calls only ENOSPC a full disk.
bool is_over_quota(sqlite3* database) {
  if (sqlite3_extended_errcode(database) != SQLITE_IOERR_WRITE) return false;
  int of_file = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &of_file);
  return of_file == EDQUOT || sqlite3_system_errno(database) == EDQUOT;
}

/// Whether no file could be opened because this process or the machine has too many open.
bool has_too_many_files(sqlite3* database) {
  const int reason = sqlite3_system_errno(database);
  return (sqlite3_errcode(database) & 0xff) == SQLITE_CANTOPEN && (reason == EMFILE || reason == ENFILE);
}

Error failure(sqlite3* database, const std::string& path) {
  const std::string name = fmt::format("the ledger '{}'", path);
  const int system_error = sqlite3_system_errno(database);
  const std::string reason = system_error == 0 ? sqlite3_errmsg(database) : std::strerror(system_error);
  if (sqlite3_extended_errcode(database) == SQLITE_READONLY_DBMOVED) {
    return {ErrorCode::ledger, name + " is not at its path any more: it was moved or replaced while it was in use",
            "nothing was changed in either ledger; fractile ledger show prints the one that is there now"};
  }
  switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::ledger, name + " is locked by another process", "wait until that ends, and try again"};
    case SQLITE_NOTADB:
      return {ErrorCode::ledger, fmt::format("'{}' is not a ledger", path),
              "name the file that fractile ledger init made"};
    case SQLITE_CORRUPT:
      return {ErrorCode::ledger, name + " is damaged: " + sqlite3_errmsg(database), restore_it};
    case SQLITE_CANTOPEN:
      if (has_too_many_files(database)) {
        return {ErrorCode::ledger, fmt::format("{} cannot be opened: {}", name, reason),
                "allow this process more open files: ulimit -n 4096"};
      }
      return {ErrorCode::ledger, fmt::format("{} cannot be opened: {}", name, reason),
              "check the path, and that its folder and the files of its name may be written"};
    case SQLITE_FULL:
      return writing_failed(name, "no space left", "make room for it");
    case SQLITE_READONLY:
      return is_read_only(name);
    case SQLITE_IOERR:
      if (is_over_quota(database)) return writing_failed(name, std::strerror(EDQUOT), "make room for it");
      if (system_error == EACCES || system_error == EPERM) {
        return writing_failed(name, reason, "its folder and the files of its name must be writable");
      }
      return writing_failed(name, reason, "check its disk, and that there is room for it");
    default:
      return {ErrorCode::ledger, fmt::format("{} cannot be used: {}", name, reason),
              "see what fractile ledger verify reports"};
  }
}

void set_up(const Database& connection) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // EXTRA does what FULL does, and also syncs the journal's folder after deleting the journal, which is what commits.
  connection.run(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;PRAGMA synchronous = EXTRA");
}

/// Throws `ledger` when the file has several names or is mounted as a single file. A journal lies next to the name that was used, and
/// would not be found by another name. An interrupted change would then stay, or a charge would be lost.
void require_one_name(const std::string& path) {
  struct statx file {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE | STATX_NLINK, &file) != 0 || !S_ISREG(file.stx_mode)) return;
  if (file.stx_nlink > 1) {
    throw Error(
        ErrorCode::ledger,
        fmt::format("the ledger '{}' has {} names (hard links), and a program that opens it by one name would not see "
                    "what is written by another",
                    path, file.stx_nlink),
        "nothing was changed; remove all names except one, or make a copy of the file and use only the copy");
  }
#ifdef STATX_ATTR_MOUNT_ROOT
  if ((file.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' is mounted as a single file, so other programs do not find the files that "
                          "are written beside it",
                          path),
              "nothing was changed; mount the folder in which it lies");
#endif
}

/// Throws `ledger` unless this file next to a ledger is certainly missing or empty.
void require_nothing_in(const std::string& path, const char* beside) {
  struct stat there {};
  const std::string name = path + beside;
  if (stat(name.c_str(), &there) == 0 ? there.st_size == 0 : errno == ENOENT) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' cannot be read here: the last charges may be in '{}'", path, name),
              "copy both into a folder that you may write to, and look at the copy");
}

/// A text that changes whenever the file is written, as far as its file system shows that.
std::string state_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "missing";
  return fmt::format("{} {} {} {}", file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

/// A path as a part of a URI.
std::string encoded(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const {
  const HoldForks held;
  sqlite3_close_v2(database);
}
void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path, Access access, Waiting waiting)
    : path_(path), waiting_(std::move(waiting)) {
  const HoldForks held;
  require_one_name(path);
  if (access == Access::reading) {
    open_to_read();
    return;
  }
  if (open(as_file(path), SQLITE_OPEN_READWRITE) != SQLITE_OK) {
    require_own_file();
    fail();
  }
  require_own_file();
  if (sqlite3_db_readonly(handle(), "main") != 0) {
    throw is_read_only(fmt::format("the ledger '{}'", path));
  }
  set_up(*this);
}

int Database::open(const std::string& name, int flags) {
  sqlite3* database = nullptr;
  const int result = sqlite3_open_v2(name.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (database == nullptr) throw Error(ErrorCode::internal, "no memory for a ledger", "nothing was released");
  if (result == SQLITE_OK) sqlite3_busy_handler(database, &Database::is_busy, this);
  return result;
}

/// Throws `ledger` unless SQLite has opened the file that the system finds at this path. SQLite follows links by their texts, so links
/// into other mount namespaces (/proc/PID/root) lead it to another file.
void Database::require_own_file() const {
  const char* const name = sqlite3_db_filename(handle(), "main");
  struct stat ours {};
  struct stat there {};
  if (name == nullptr || stat(path_.c_str(), &ours) != 0) return;
  if (stat(name, &there) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) return;
  throw Error(
      ErrorCode::ledger,
      fmt::format("the ledger '{}' cannot be opened by this name, which leads into another mount namespace", path_),
      "nothing was changed; use it from there, or mount its folder here");
}

/// SQLite calls this to ask whether to try again for a lock that another process has.
int Database::is_busy(void* connection, int times) {
  const ForksGoOn meanwhile;
  auto& self = *static_cast<Database*>(connection);
  const auto now = std::chrono::steady_clock::now();
  if (times == 0) {
    self.waits_since_ = now;
    self.last_told_ = {};
  }
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now - self.waits_since_);
  if (!self.waiting_.goes_on(waited, self.last_told_)) return 0;
  // A process that has waited long asks most often. Otherwise the lock would mostly go to newcomers, and others would wait in vain.
  constexpr std::chrono::seconds long_wait(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(waited < long_wait ? std::min(50, 1 + times) : 2));
  return 1;
}

/// Rolls back an interrupted transaction if this process may write.
void Database::open_to_read() {
  if (open(as_file(path_), SQLITE_OPEN_READWRITE) != SQLITE_OK) {  // SQLite falls back to read-only
    require_own_file();
    fail();
  }
  require_own_file();
  const int result = sqlite3_exec(handle(), "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  const int kind = result & 0xff;
  if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY || kind == SQLITE_IOERR) {
    for (const char* beside : {"-wal", "-journal"}) require_nothing_in(path_, beside);
    open_unlocked();
  } else if (result != SQLITE_OK) {
    fail();
  }
  set_up(*this);
}

/// Opens an older program's file where nothing may be written. SQLite reads such a file only when it may write, or when it is told that
/// no other program writes. require_unchanged checks the latter.
void Database::open_unlocked() {
  unlocked_state_ = state_of(path_);
  const std::string name = "file:" + encoded(std::filesystem::absolute(path_).string()) + "?immutable=1";
  if (open(name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) != SQLITE_OK) fail();
}

void Database::require_unchanged() const {
  if (unlocked_state_.empty()) return;
  for (const char* beside : {"-wal", "-journal"}) require_nothing_in(path_, beside);
  if (state_of(path_) == unlocked_state_) return;
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' was written while it was read", path_), "try again");
}

void Database::run(const std::string& sql) const {
  const HoldForks held;
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Database::text(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : "";
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Database::fail() const {
  const bool is_full =
      (sqlite3_errcode(handle()) & 0xff) == SQLITE_FULL || is_over_quota(handle()) || has_too_many_files(handle());
  Error error = failure(handle(), path_);
  if (is_full) throw DiskFull(error.code(), error.what_words(), error.hint_words());
  throw Error(std::move(error));
}

Statement::Statement(const Database& connection, std::string_view sql) : connection_(connection) {
  const HoldForks held;
  sqlite3_stmt* statement = nullptr;
  require(sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

Statement& Statement::bind(int parameter, const std::string& text) {
  require(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  require(sqlite3_bind_int64(statement_.get(), parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<std::string>& text) {
  if (text) return bind(parameter, *text);
  require(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const HoldForks held;
  const int result = sqlite3_step(statement_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) connection_.fail();
  return result == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
}

void require_no_companion(const std::string& path, const std::string& what) {
  for (const char* const ending : companions) {
    if (!path.ends_with(ending)) continue;
    throw Error(
        ErrorCode::usage,
        fmt::format("the {} '{}' has a name that ends with {}, and a database would take it for a file of its own",
                    what, path, ending),
        "choose another name");
  }
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  std::string result(static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)), '\0');
  std::memcpy(result.data(), text, result.size());
  return result;
}

void Statement::require(int result) const {
  if (result != SQLITE_OK) connection_.fail();
}

Transaction::Transaction(const Database& connection, Kind kind) : connection_(connection) {
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (connection_.in_transaction()) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() { connection_.run("COMMIT"); }

}  // namespace fractile::ledger_detail
