// PostgreSQL as a source: the result of a query over a table on a server becomes a RankProfile. Through libpq, which is loaded when it is
// needed.
// Proof: docs/proofs/row_wise_queries.md
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"

namespace fractile {

struct PostgresOptions {
  /// "postgres://user@host:port/database". Messages show it without its password.
  std::string address;
  /// One SELECT. Row-wise over one table of the server: in DuckDB's dialect and run here, while the server hands over the columns that it
  /// names, as they are. Or declared by `sql_stability`: in the server's dialect and run there. Names without a schema: the role's search
  /// path finds them.
  std::string sql;
  /// As TableOptions::sql_stability.
  std::optional<std::uint32_t> sql_stability = {};
  /// As TableOptions::library.
  std::string library = {};
  /// On how many threads positions are sorted, as TableOptions::threads.
  std::uint32_t threads = 0;
  /// What counts as missing in the column that is counted, as TableOptions::missing.
  std::vector<std::string> missing = {};
};

/// A query whose columns are known and none of whose rows has been read.
/// Thread-safety: not for two threads at once.
class PostgresQuery {
 public:
  /// Looks up the table and its columns, or has the server analyse a declared query; reads no row. Error(usage) for a missing client
  /// library, for a query that is refused, and unless a row-wise one reads an ordinary table, all parts of which are ordinary, without row
  /// security and outside of the server's own schemas; Error(data) for a server that cannot be reached. Messages tell nothing of a row.
  /// `on_opened` is called before columns are looked at: with the table of a row-wise query, whose path is its schema and name as the server
  /// found them, such as "public.people"; with nothing for a declared one, which the server reads.
  static PostgresQuery open(const PostgresOptions& options, const OnOpened& on_opened = {});
  PostgresQuery(PostgresQuery&&) noexcept;
  PostgresQuery& operator=(PostgresQuery&&) noexcept;
  ~PostgresQuery();

  /// Error(data) unless the query has this column, and its type can be counted on lattices of this kind: whole numbers, decimals,
  /// floating-point numbers, dates and timestamps; of a declared query numeric(P, S) with P at most 18.
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// Error(usage) for a selection that selects: persons and groups are not told apart here.
  void require_selection(const RecordSelection& selection, const std::string& column = {}) const;
  /// Counts the column, as Table::profile(), in a read-only transaction. Whole numbers and times are read exactly; infinities clamp; a text of
  /// more than 1,000,000 bytes is missing. Of a declared query decimals are read exactly, too, and the server goes by scans alone, so that
  /// no statistics of other rows decide in which order conditions are tried. Error(usage) for bounds beyond what 64 bits hold of such a
  /// decimal's units; Error(data) when the server fails, with nothing but the class of its error, when the table's columns have changed
  /// since open(), and under NullPolicy::error for NULL and NaN.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;
  /// As require_selection().
  std::vector<RankProfile> profiles(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                                    const RecordSelection& selection, RandomBits& bits,
                                    const std::function<void()>& on_progress = {}) const;
  /// Error(usage): a query's rows are not the table's.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;
  /// "PostgreSQL 15.4", for receipts.
  std::string engine() const;

 private:
  struct State;
  explicit PostgresQuery(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fractile
