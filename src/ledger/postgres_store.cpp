// The store of a team: the schema `fractile` of a PostgreSQL database. docs/proofs/ledger_transactions.md says why a change happens once
// or not at all, whichever message is lost.
#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <utility>

#include "exact/digest.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"
#include "ledger/postgres_schema.hpp"
#include "ledger/store.hpp"
#include "libraries/fmt.hpp"
#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {
namespace {

using postgres::Failure;
using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long a server waits for a client in the middle of a transaction before it ends the transaction.
constexpr Milliseconds longest_pause = std::chrono::seconds(8);
/// How long a client waits for a server's answer, in addition to the wait for its turn.
constexpr Milliseconds longest_silence = std::chrono::seconds(20);
/// The most attempts at a change that is not charged yet and conflicts with others' changes.
constexpr int most_attempts = 30;

bool is_conflict(const Failure& failure) {
  // serialization_failure, deadlock_detected, and unique_violation: another change has taken this line's number
  const std::array conflicts{"40001", "40P01", "23505"};
  return std::ranges::find(conflicts, failure.sqlstate) != conflicts.end();
}

/// Whether the server lacks room on a disk, memory or connections.
bool is_lack(const Failure& failure) { return failure.sqlstate.starts_with("53"); }

std::string select_on_server(Table table, std::int64_t format) {
  switch (table) {
    case Table::datasets:
      return fmt::format(
          "SELECT id::text, name, unit, neighbors, measure, epsilon, rho, delta, person, records_per_person::text, "
          "source, {} FROM fractile.datasets",
          format >= 3 ? "reading" : "NULL");
    case Table::entries:
      return fmt::format(
          "SELECT id::text, dataset::text, query, receipt_path, measure, epsilon, rho, delta, charged_rho, {} "
          "FROM fractile.entries",
          format >= 3 ? "source, person, records_per_person::text, reading, nonce, question"
                      : "NULL, NULL, NULL, NULL, NULL, NULL");
    case Table::events:
      return fmt::format(
          "SELECT id::text, time, kind, receipt_sha256, reason, coalesce(dataset, entry)::text, hash, {} "
          "FROM fractile.events",
          format >= 3 ? "sums" : "NULL");
    case Table::receipts:
      return "SELECT entry::text, text FROM fractile.receipts";
  }
  return {};
}

const char* id_on_server(Table table) {
  switch (table) {
    case Table::datasets:
      return "datasets.id";
    case Table::entries:
      return "entries.id";
    case Table::events:
      return "events.id";
    case Table::receipts:
      return "receipts.entry";
  }
  return "";
}

/// Conditions in the form in which the indices are made. Indices use sha256, since they do not take texts of any length.
const char* where_on_server(Lookup by) {
  switch (by) {
    case Lookup::question:
      return "question = $1::text AND question IS NOT NULL ORDER BY entries.id DESC";
    case Lookup::source:
      return "dataset = $1::text::bigint AND sha256(source) = sha256($2::bytea) AND source = $2::bytea "
             "AND source IS NOT NULL ORDER BY entries.id";
    case Lookup::receipt_path:
      return "sha256(receipt_path) = sha256($1::bytea) AND receipt_path = $1::bytea AND receipt_path <> ''::bytea "
             "ORDER BY entries.id DESC";
  }
  return "";
}

Fields fields_of_result(const postgres::Result& rows, int row) {
  Fields fields(static_cast<std::size_t>(rows.columns()));
  for (int column = 0; column < rows.columns(); ++column)
    fields[static_cast<std::size_t>(column)] = rows.cell(row, column);
  return fields;
}

std::optional<Fields> first_of_result(const postgres::Result& rows) {
  if (rows.rows() == 0) return {};
  return fields_of_result(rows, 0);
}

/// Each method of Store runs its SQL statement. The methods share a connection and the handling of its loss.
class PostgresStore final : public Store {
 public:
  PostgresStore(const std::string& address, Wanted wanted, Waiting waiting)
      : address_(postgres::Address::parse(address)), waiting_(std::move(waiting)) {
    try {
      connect();
    } catch (const Failure& failure) {
      throw unreachable(failure);
    }
    if (wanted == Wanted::created || wanted == Wanted::either) create(wanted);
    read([&] { require_known(); });
    if (wanted == Wanted::reading || format_ == Ledger::format) return;
    migrate();
    read([&] { require_known(); });
  }

  const std::string& name() const override { return address_.shown(); }

  void read(const std::function<void()>& look) const override {
    keep_trying([&] {
      begin("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; ");
      run_or_roll_back([&] {
        if (format_ < Ledger::format) require_format();  // another process may have migrated it meanwhile
        look();
      });
      connection_->command("COMMIT");
    });
  }

  void write(const std::function<void()>& change) const override {
    keep_trying([&] {
      begin("BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE; ");
      // The change gets its turn before its snapshot is taken, so the snapshot has all changes of earlier turns.
      connection_->command("LOCK TABLE fractile.turn IN EXCLUSIVE MODE");
      change_.clear();
      lines_ = 0;
      run_or_roll_back(change);
      commit();
    });
  }

  void take_room(std::uint64_t) const override {}  // the server must have the room
  void give_room_back() const override {}
  void wait(Waiting::Until until) const override { waiting_.until = until; }

  void require_rights() const override {
    const postgres::Result missing = connection_->query(
        "SELECT string_agg(wanted.right_of || ' on fractile.' || wanted.table_of, ', ') FROM (VALUES ('INSERT', "
        "'entries'), ('INSERT', 'events'), ('INSERT', 'receipts'), ('UPDATE', 'turn')) AS wanted (right_of, table_of) "
        "WHERE NOT has_table_privilege('fractile.' || wanted.table_of, wanted.right_of)");
    const std::optional<std::string> rights = missing.cell(0, 0);
    if (!rights) return;
    throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' does not permit this: {} is missing", name(), *rights),
                "ask its owner for the rights that docs/ledger.md lists");
  }

  std::int64_t format() const override { return format_; }

  void scan(Table table, const std::function<void(const Fields&)>& visit) const override {
    const postgres::Result rows = scanned(select_on_server(table, format_) + " ORDER BY " + id_on_server(table));
    for (int row = 0; row < rows.rows(); ++row) visit(fields_of_result(rows, row));
  }

  std::optional<Fields> last(Table table) const override {
    return first_of_result(connection_->query(select_on_server(table, format_) +
                                              fmt::format(" ORDER BY {} DESC LIMIT 1", id_on_server(table))));
  }

  std::optional<Fields> find(Table table, std::int64_t id) const override {
    return first_of_result(connection_->query(
        select_on_server(table, format_) + fmt::format(" WHERE {} = $1::text::bigint", id_on_server(table)),
        {std::to_string(id)}));
  }

  std::optional<Fields> line(const std::string& kind, std::int64_t subject) const override {
    return first_of_result(connection_->query(
        select_on_server(Table::events, format_) + " WHERE " + lines_about(kind) + " = $1::text::bigint",
        {std::to_string(subject)}));
  }

  std::vector<std::int64_t> find(Lookup by, const Fields& values, int most) const override {
    const postgres::Result rows = connection_->query(
        fmt::format("SELECT id::text FROM fractile.entries WHERE {} LIMIT {}", where_on_server(by), most), values);
    return numbers_of(rows);
  }

  bool scan_for_file(std::int64_t dataset, const std::string& file) const override {
    const postgres::Result rows = scanned(
        "SELECT id::text FROM fractile.entries WHERE dataset = $1::text::bigint AND "
        "pg_catalog.position(source, $2::bytea) > 0 LIMIT 1",
        {std::to_string(dataset), file});
    return rows.rows() > 0;
  }

  void scan_from(std::int64_t line, const std::function<void(const Fields&)>& visit) const override {
    const postgres::Result rows = connection_->query(
        select_on_server(Table::events, format_) + " WHERE events.id >= $1::text::bigint ORDER BY events.id",
        {std::to_string(line)});
    for (int row = 0; row < rows.rows(); ++row) visit(fields_of_result(rows, row));
  }

  std::vector<std::int64_t> receipts() const override {
    return numbers_of(scanned("SELECT entry::text FROM fractile.receipts ORDER BY receipts.entry"));
  }

  std::optional<std::string> receipt(std::int64_t entry) const override {
    const postgres::Result rows = connection_->query(
        "SELECT text FROM fractile.receipts WHERE entry = $1::text::bigint", {std::to_string(entry)});
    if (rows.rows() == 0) return {};
    return rows.cell(0, 0);
  }

  void append(Table table, const Fields& row) const override {
    constexpr const char* number = "{}::text::bigint";
    constexpr const char* text = "{}::text";
    constexpr const char* bytes = "{}::bytea";
    switch (table) {
      case Table::datasets:
        insert("datasets", {number, bytes, bytes, text, text, text, text, text, bytes, number, bytes, bytes}, row);
        return;
      case Table::entries:
        insert("entries",
               {number, number, bytes, bytes, text, text, text, text, text, bytes, bytes, number, bytes, text, text},
               row);
        return;
      case Table::events: {
        if (change_.empty()) change_ = new_nonce();
        const std::string name = lines_ == 0 ? change_ : fmt::format("{}.{}", change_, lines_);
        ++lines_;
        const bool dataset = row[2] == "dataset";
        const std::optional<std::string> none;
        insert("events", {number, text, text, number, number, text, bytes, text, text, text},
               {row[0], row[1], row[2], dataset ? row[5] : none, dataset ? none : row[5], row[3], row[4], row[6], name,
                row[7]});
        return;
      }
      case Table::receipts:
        insert("receipts", {number, bytes}, row);
        return;
    }
  }

  /// Writes bytes in place of the receipt, then rolls this write back. The bytes do not compress, but receipts do. So for a long receipt,
  /// only as many bytes are written as the receipt can take when it is stored.
  void prove_room(std::int64_t entry, std::uint64_t receipt_size) const override {
    constexpr std::uint64_t whole = std::uint64_t{64} * 1024;
    constexpr std::uint64_t block = std::uint64_t{4096} * 32;  // longer than the server looks back when it compresses
    if (receipt_size == 0) return;
    const std::uint64_t bytes = std::min(receipt_size, whole + receipt_size / 16);
    connection_->command("SAVEPOINT room");
    try {
      connection_->query(
          "INSERT INTO fractile.receipts WITH block AS MATERIALIZED (SELECT string_agg(sha256(int8send(number)), "
          "''::bytea) AS bytes FROM generate_series(1, $2::text::bigint) AS number) SELECT $1::text::bigint, "
          "string_agg(bytes, ''::bytea) FROM block, generate_series(1, $3::text::bigint)",
          {std::to_string(entry), std::to_string(std::min(bytes, block) / 32 + 1), std::to_string(bytes / block + 1)});
    } catch (const Failure& failure) {
      if (!is_lack(failure)) throw;
      throw Error(ErrorCode::ledger,
                  fmt::format("the ledger '{}' could not be written: {} bytes may be needed for this release, and its "
                              "server does not have them: {}",
                              name(), bytes, failure.words),
                  "make room for it");
    }
    connection_->command("ROLLBACK TO SAVEPOINT room; RELEASE SAVEPOINT room");
  }

  void check() const override { require_schema(); }

 private:
  void connect() const {
    connection_ = std::make_unique<postgres::Connection>(address_, "fractile", waiting_.patience + longest_silence);
  }

  /// Begins a transaction with settings that hold only for it, so that connections may be pooled. The server then confirms only changes
  /// that are written, even if it is set otherwise, and names mean what they mean in the catalog, whatever users have made elsewhere.
  /// While scans are disabled, every plan looks expensive to the server, which would therefore compile it (`jit`).
  void begin(const std::string& how) const {
    if (connection_ == nullptr) connect();
    connection_->command(how +
                         fmt::format("SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL synchronous_commit = on; "
                                     "SET LOCAL lock_timeout = {}; SET LOCAL idle_in_transaction_session_timeout = {}; "
                                     "SET LOCAL enable_seqscan = off; SET LOCAL quote_all_identifiers = off; "
                                     "SET LOCAL statement_timeout = 0; SET LOCAL jit = off",
                                     lock_timeout().count(), longest_pause.count()));
  }

  /// The rows that a statement finds by scanning a table, so that no index decides which rows there are.
  postgres::Result scanned(const std::string& sql,
                           const std::vector<std::optional<std::string>>& parameters = {}) const {
    connection_->command(
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; "
        "SET LOCAL enable_bitmapscan = off");
    postgres::Result rows = connection_->query(sql, parameters);
    connection_->command(
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on; SET LOCAL enable_indexonlyscan = on; "
        "SET LOCAL enable_bitmapscan = on");
    return rows;
  }

  static std::vector<std::int64_t> numbers_of(const postgres::Result& rows) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(static_cast<std::size_t>(rows.rows()));
    for (int row = 0; row < rows.rows(); ++row) numbers.push_back(number_in(rows.cell(row, 0)));
    return numbers;
  }

  void roll_back() const {
    try {
      connection_->command("ROLLBACK");
    } catch (const Failure&) {
      connection_.reset();
    }
  }

  void run_or_roll_back(const std::function<void()>& work) const {
    try {
      work();
    } catch (const Failure&) {
      throw;
    } catch (...) {
      roll_back();
      throw;
    }
  }

  /// If the connection is lost before COMMIT is sent, the change has not
  /// happened. If it is lost later, the log says whether the change has happened.
  void commit() const {
    try {
      if (connection_->command("COMMIT").command() != "COMMIT") {
        throw Failure{false, "40000", "the transaction was rolled back"};
      }
    } catch (const Failure& failure) {
      if (!failure.lost) throw;
      connection_.reset();
      if (!was_committed()) throw;
    }
  }

  /// Whether the log has the line of this change. The turn is taken first, since the
  /// lost connection holds it until its transaction is committed or rolled back.
  bool was_committed() const {
    if (change_.empty()) return false;  // the change added no line
    const auto start = Clock::now();
    const auto end = start + waiting_.patience + 2 * longest_pause;
    std::chrono::seconds last_told{};
    for (int attempt = 0;; ++attempt) {
      try {
        begin("BEGIN; ");
        connection_->command("LOCK TABLE fractile.turn IN EXCLUSIVE MODE");
        const postgres::Result rows =
            connection_->query("SELECT 1 FROM fractile.events WHERE change = $1::text", {change_});
        const bool found = rows.rows() > 0;
        roll_back();
        return found;
      } catch (const Failure& failure) {
        connection_.reset();
        const bool is_charged = waiting_.until != Waiting::Until::patience;
        const auto waited = std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
        if (is_charged ? !waiting_.goes_on(waited, last_told) : Clock::now() >= end) throw in_doubt(failure);
        std::this_thread::sleep_for(pause_after(attempt));
      }
    }
  }

  static Milliseconds pause_after(int attempt) { return Milliseconds(std::min(500, 5 << std::min(attempt, 8))); }

  /// The longest single wait for a turn. It is short, so that the caller can be asked often whether to go on.
  Milliseconds lock_timeout() const {
    const Milliseconds longest(900);
    if (waiting_.until != Waiting::Until::patience) return longest;
    return std::clamp(waiting_.patience, Milliseconds(1), longest);
  }

  /// Runs `work` until it succeeds or fails for good. An attempt that fails has changed nothing.
  void keep_trying(const std::function<void()>& work) const {
    const auto start = Clock::now();
    std::chrono::seconds last_told{};
    for (int attempt = 0;; ++attempt) {
      try {
        work();
        return;
      } catch (const Failure& failure) {
        if (failure.lost) {
          connection_.reset();
        } else {
          roll_back();
        }
        const bool goes_on =
            waiting_.goes_on(std::chrono::duration_cast<Milliseconds>(Clock::now() - start), last_told);
        if (failure.lost && !goes_on) throw unreachable(failure);
        if (!failure.lost && (!is_passing(failure, attempt) || !goes_on)) throw error_of(failure);
        std::this_thread::sleep_for(pause_after(attempt));
      }
    }
  }

  /// Whether another attempt may succeed.
  bool is_passing(const Failure& failure, int attempt) const {
    // lock_not_available, query_canceled
    if (failure.sqlstate == "55P03" || failure.sqlstate == "57014") return true;
    const bool is_charged = waiting_.until != Waiting::Until::patience;
    if (is_lack(failure)) return is_charged;
    return is_conflict(failure) && (is_charged || attempt + 1 < most_attempts);
  }

  void insert(const char* table, const std::vector<std::string>& types, const Fields& row) const {
    std::string values;
    for (std::size_t i = 0; i < types.size(); ++i) {
      values += (i == 0 ? "" : ", ") + fmt::format(fmt::runtime(types[i]), fmt::format("${}", i + 1));
    }
    connection_->query(fmt::format("INSERT INTO fractile.{} VALUES ({})", table, values), row);
  }

  /// Makes the schema if there is none yet. If several programs try, one of them makes it.
  void create(Wanted wanted) const {
    keep_trying([&] {
      begin("BEGIN; ");
      run_or_roll_back([&] {
        connection_->command("SELECT pg_advisory_xact_lock(5931838)");
        if (connection_->query("SELECT to_regnamespace('fractile')::text").cell(0, 0)) {
          if (wanted == Wanted::created) refuse_existing(name(), "database");
          return;
        }
        connection_->command(postgres_schema());
      });
      connection_->command("COMMIT");
    });
  }

  void require_known() const {
    require_format();
    require_schema();
    require_durable();
  }

  void require_format() const {
    const std::int64_t format = postgres_format(*connection_);
    if (format < 0) refuse_missing(name(), "address");
    if (format < 2 || format > Ledger::format) refuse_format(name(), format);
    format_ = format;
  }

  /// Migrates the ledger in one transaction. Only its owner may do this, and other roles are refused until it is done.
  void migrate() const {
    write([&] {
      format_ = postgres_format(*connection_);
      if (format_ == Ledger::format) return;  // another process has migrated it meanwhile
      require_owner();
      std::map<std::int64_t, std::string> questions;
      scan(Table::entries,
           [&](const Fields& row) { questions.emplace(number_in(row[0]), sha256(row[2].value_or(""))); });
      connection_->command(postgres_migration(questions));
    });
  }

  void require_owner() const {
    const postgres::Result owns = connection_->query(
        "SELECT 1 FROM pg_class c WHERE c.oid = 'fractile.entries'::regclass AND pg_has_role(c.relowner, 'USAGE')");
    if (owns.rows() > 0) return;
    throw Error(
        ErrorCode::ledger,
        fmt::format("the ledger '{}' is of format {}, and only the role that owns it can make it one of format {}",
                    name(), format_, Ledger::format),
        "nothing was changed; ask its owner to use it once with this version of fractile");
  }

  void require_schema() const {
    if (!has_postgres_schema(*connection_, format_)) refuse_tables(name(), format_);
  }

  void require_durable() const {
    for (const char* setting : {"fsync", "full_page_writes"}) {
      if (connection_->query(fmt::format("SELECT current_setting('{}')", setting)).cell(0, 0) == "on") continue;
      throw Error(
          ErrorCode::ledger,
          fmt::format("the server of the ledger '{}' may lose what it has confirmed: {} is off", name(), setting),
          "have the server's administrator turn it on");
    }
  }

  Error unreachable(const Failure& failure) const {
    return {ErrorCode::ledger, fmt::format("the ledger '{}' cannot be reached: {}", name(), failure.words),
            "check the address, the password (~/.pgpass) and that the server runs"};
  }

  InDoubt in_doubt(const Failure& failure) const {
    return {
        ErrorCode::ledger,
        fmt::format(
            "the connection to the ledger '{}' was lost during a change, and it is not known whether the change was "
            "made: {}",
            name(), failure.words),
        fmt::format("it counts if it is there: look with fractile ledger show {}", shell_path(name()))};
  }

  Error error_of(const Failure& failure) const {
    const std::string ledger = fmt::format("the ledger '{}'", name());
    const std::string& state = failure.sqlstate;
    if (state == "55P03") {
      return {ErrorCode::ledger, ledger + " is locked by another process", "wait until that ends, and try again"};
    }
    if (state == "42501") {
      return {ErrorCode::ledger, fmt::format("{} does not permit this: {}", ledger, failure.words),
              "ask its owner for the rights that docs/ledger.md lists"};
    }
    if (state == "25006" || state == "0A000") {  // a standby refuses changes with these codes
      return {ErrorCode::ledger, ledger + " could not be written: the server is read-only",
              "name the server that takes changes, not its copy"};
    }
    if (is_lack(failure)) {
      return {ErrorCode::ledger, fmt::format("{} could not be written: {}", ledger, failure.words), "make room for it"};
    }
    if (is_conflict(failure)) {
      return {ErrorCode::ledger, ledger + " is being changed by others all the time", "try again"};
    }
    return {ErrorCode::ledger, fmt::format("{} cannot be used: {}", ledger, failure.words),
            "see what fractile ledger verify reports"};
  }

  postgres::Address address_;
  mutable Waiting waiting_;
  mutable std::unique_ptr<postgres::Connection> connection_;
  mutable std::int64_t format_ = Ledger::format;
  mutable std::string change_;  ///< the name of the change that is being made; "" until it writes a line
  mutable int lines_ = 0;       ///< how many lines it has written: each after the first has its number behind the name
};

}  // namespace

std::unique_ptr<Store> open_postgres(const std::string& address, Wanted wanted, const Waiting& waiting) {
  return std::make_unique<PostgresStore>(address, wanted, waiting);
}

}  // namespace fractile::ledger_detail
