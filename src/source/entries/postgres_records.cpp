#include "source/entries/postgres_records.hpp"

#include <chrono>
#include <map>
#include <utility>

#include "exact/lists.hpp"
#include "libraries/fmt.hpp"

namespace fractile::source_detail {

using postgres::Failure;

namespace {

constexpr std::chrono::seconds longest_silence(30);  // when no rows are requested

StreamedType streamed_type(const PostgresType& type) {
  using Kind = PostgresType::Kind;
  static const std::map<Kind, StreamedType> types{
      {Kind::boolean, StreamedType::boolean}, {Kind::int16, StreamedType::int16},
      {Kind::int32, StreamedType::int32},     {Kind::int64, StreamedType::int64},
      {Kind::float32, StreamedType::float32}, {Kind::float64, StreamedType::float64},
      {Kind::decimal, StreamedType::decimal}, {Kind::days, StreamedType::days},
  };
  if (const auto at = types.find(type.kind); at != types.end()) return at->second;
  if (type.kind != Kind::microseconds) return StreamedType::text;
  return type.time == ValueKind::instant ? StreamedType::utc_microseconds : StreamedType::microseconds;
}

}  // namespace

Error refused_by_server(const Failure& failure, const std::string& shown) {
  if (failure.lost) {
    return {ErrorCode::data, fmt::format("'{}' cannot be reached: {}", shown, failure.words),
            "check the address, the password (~/.pgpass) and that the server runs"};
  }
  return {ErrorCode::usage, fmt::format("the query was refused by the server: {}", failure.words), "correct the query",
          "sql"};
}

Error failed_on_server(const Failure& failure, const std::string& shown) {
  if (failure.lost) {
    return {ErrorCode::data, fmt::format("the connection to '{}' was lost", shown),
            "try again when the server can be reached"};
  }
  return {
      ErrorCode::data,
      fmt::format("'{}' could not run the query: an error of SQLSTATE class {}", shown, failure.sqlstate.substr(0, 2)),
      failure.sqlstate.starts_with("22")
          ? "some value does not fit what the query does with it: guard it with CASE WHEN ... THEN ... END"
          : "run the query on the server to see what is wrong"};
}

Error unreadable_from_server(const std::string& shown) {
  return {ErrorCode::data, fmt::format("what '{}' sent cannot be read", shown),
          "use a server of PostgreSQL 12 or later"};
}

std::unique_ptr<postgres::Connection> connect_to(const postgres::Address& address) {
  return std::make_unique<postgres::Connection>(address, "fractile", longest_silence);
}

StreamedColumn streamed(const PostgresColumn& column) {
  return {column.name, streamed_type(column.type), column.type.precision, column.type.scale};
}

PostgresRecords::PostgresRecords(const postgres::Address& address, std::string table, std::string path,
                                 std::vector<PostgresColumn> columns, std::function<void()> pulse)
    : address_(address),
      table_(std::move(table)),
      path_(std::move(path)),
      columns_(std::move(columns)),
      pulse_(std::move(pulse)) {}

PostgresRecords::~PostgresRecords() {
  if (connection_ && copy_) connection_->cancel();
}

void PostgresRecords::start(const std::vector<std::size_t>& columns) {
  if (!pulse_) pulse_ = [] {};
  try {
    connection_ = connect_to(address_);
    connection_->command(begin_reading);
    const PostgresTable table = PostgresTable::find(*connection_, table_);
    if (table.path() != path_ || table.columns() != columns_) {
      throw Error(ErrorCode::data,
                  fmt::format("'{}' or its columns have changed since they were looked up as {}", table_, path_),
                  "try again");
    }
    const std::vector<PostgresType> types = mapped(columns, [&](std::size_t k) { return columns_[k].type; });
    const std::string sql = table.copy_sql(*connection_, columns);
    copy_.emplace(types, [&](std::span<const ColumnView> block, std::size_t rows) {
      if (rows_ > 0) throw PostgresCopy::Malformed{};  // a server sends one row at a time
      block_.assign(block.begin(), block.end());
      rows_ = rows;
    });
    connection_->start_copy(sql, pulse_);
  } catch (const Failure& failure) {
    throw failed_on_server(failure, address_.shown());
  }
}

std::size_t PostgresRecords::next() {
  rows_ = 0;
  try {
    while (rows_ == 0 && connection_) {
      if (const auto message = connection_->next_copied(pulse_)) {
        copy_->add(*message);
      } else {
        copy_->finish();
        connection_.reset();
      }
    }
  } catch (const Failure& failure) {
    connection_.reset();
    throw failed_on_server(failure, address_.shown());
  } catch (const PostgresCopy::Malformed&) {
    throw unreadable_from_server(address_.shown());
  }
  return rows_;
}

}  // namespace fractile::source_detail
