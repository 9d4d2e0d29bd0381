// PostgreSQL as a source: counts the result of a query over a table on a server, through libpq, which is loaded when it is needed.
// Proof: docs/proofs/row_wise_queries.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/source.hpp"

namespace fractile {

/// A query whose columns are known and none of whose rows has been read.
/// Thread-safety: not for two threads at once.
class PostgresQuery final : public Records {
 public:
  /// Looks up the table and its columns, or has the server analyze a declared query; reads no row. Throws `usage` for a missing
  /// client library, for a query that is refused, and unless a row-wise query reads an ordinary table, all parts of which are
  /// ordinary, without row security and outside the server's own schemas. Throws `data` for a server that cannot be reached.
  /// Messages reveal nothing about a row. `on_opened` is called before columns are looked at: for a row-wise query with its table,
  /// whose path is the schema and name that the server found, such as "public.people"; for a declared query, which runs on the
  /// server, with an empty list.
  static PostgresQuery open(const std::string& address, const TableOptions& options, const OnOpened& on_opened = {});
  PostgresQuery(PostgresQuery&&) noexcept;
  PostgresQuery& operator=(PostgresQuery&&) noexcept;
  ~PostgresQuery() override;

  /// Throws `data` unless the query has the columns, and their types can be counted on lattices of these kinds: whole numbers,
  /// decimals, floating-point numbers, dates and timestamps; for a declared query also numeric(P, S) with P at most 18. Throws
  /// `usage` as ColumnToCount::validate() does, for a selection among the rows of a declared query, and for public rows, since the
  /// rows of a query are not those of a table.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;
  /// Counts each column in a separate read-only transaction, as Table::profile() does. Whole numbers and times are read exactly;
  /// infinities clamp; a text of more than 1,000,000 bytes is missing. For a declared query, decimals are read exactly, too, and
  /// the server may only scan, so that statistics about other rows do not decide in which order conditions are tested. Throws
  /// `usage` for bounds that 64 bits do not hold in the units of such a decimal. Throws `data` when the server fails, with only the
  /// class of its error; when the table's columns have changed since open(); and under NullPolicy::error for NULL and NaN.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<TableColumn> columns() const override;
  std::string person_of_rows() const override;
  /// "PostgreSQL 15.4".
  std::string engine() const override;

 private:
  struct State;
  explicit PostgresQuery(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fractile
