// PostgreSQL as a source: the result of a query over a table on a server is counted. Through libpq, which is loaded when it is needed.
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
  /// Looks up the table and its columns, or has the server analyze a declared query; reads no row. Throws `usage` for a
  /// missing client library, for a query that is refused, and unless a row-wise one reads an ordinary table, all parts
  /// of which are ordinary, without row security and outside of the server's own schemas; throws `data` for a server
  /// that cannot be reached. Messages tell nothing of a row. `on_opened` is called before columns are looked at: with
  /// the table of a row-wise query, whose path is its schema and name as the server found them, such as
  /// "public.people"; with nothing for a declared one, which the server reads.
  static PostgresQuery open(const std::string& address, const TableOptions& options, const OnOpened& on_opened = {});
  PostgresQuery(PostgresQuery&&) noexcept;
  PostgresQuery& operator=(PostgresQuery&&) noexcept;
  ~PostgresQuery() override;

  /// Throws `data` unless the query has the columns, and their types can be counted on lattices of these kinds: whole
  /// numbers, decimals, floating-point numbers, dates and timestamps; of a declared query numeric(P, S) with P at most
  /// 18. Throws `usage` for a selection that selects among the rows of a declared query, as ColumnToCount::validate(),
  /// and for public rows: those of a query are not a table's.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;
  /// Counts each column in a read-only transaction of its own, as Table::profile(). Whole numbers and times are read exactly; infinities
  /// clamp; a text of more than 1,000,000 bytes is missing. For a declared query decimals are read exactly, too, and the server goes by scans
  /// alone, so that no statistics of other rows decide in which order conditions are tried. Throws `usage` for bounds
  /// beyond what 64 bits hold of such a decimal's units; throws `data` when the server fails, with nothing but the
  /// class of its error, when the table's columns have changed since open(), and under NullPolicy::error for NULL and
  /// NaN.
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
