// A query that makes one row of each person's records: SELECT id, sum(amount) AS total FROM input WHERE ... GROUP BY id, row-wise below
// and above, or several of these joined by USING (id). It is taken apart: what stands below goes row by row, the aggregates are from a
// list, and what stands above goes row by row over their rows.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {

class PersonQuery {
 public:
  /// The name under which what stands above reads the persons' rows.
  static constexpr const char* rows_name = "fractile_rows_of_persons";

  /// Nothing where no SELECT of the query has a GROUP BY. Error(usage) unless it is grouped by one column, named as such, which is the
  /// table's own at every depth below and keeps its name above, and where a value of the list is neither that column nor one of the
  /// aggregates whose result is a function of the multiset of their arguments; and of several that are joined, unless they are joined by
  /// that column alone, and no other of their columns have one name.
  static std::optional<PersonQuery> of(const SqlTree& tree);

  /// The column that the query is grouped by, and the result's.
  const std::string& person() const { return groups_.front().person; }
  /// How many grouped SELECTs are joined; 1 without a join.
  std::size_t size() const { return groups_.size(); }

  /// What the k-th of them groups: the person and the arguments of the aggregates, row by row. Throws EngineFailure.
  std::string below(const Connection& connection, std::size_t k) const;
  /// A query that goes row by row, and its columns.
  struct Below {
    std::string sql;
    std::vector<Column> columns;
  };
  /// The persons' rows, made of what each of them groups. Error(usage) for arguments of types of which an aggregate could fail, or depend on
  /// more than the multiset, and where the column of persons has several types.
  std::string rows(const std::vector<Below>& below) const;
  /// The query above: over the table `rows_name`. Throws EngineFailure.
  std::string above(const Connection& connection) const;

 private:
  /// A value of the list.
  struct Value {
    std::string name;       ///< in the result
    std::string aggregate;  ///< empty: the person
    std::string argument;   ///< the column below; empty of count(*)
    std::string fraction;   ///< of quantiles, as SQL
    bool distinct = false;
  };

  /// A grouped SELECT.
  struct Group {
    std::string person;
    std::vector<Value> values = {};

    static Group of(const SqlNode& select);
    void add(const SqlNode& item);
    void require_one_name_each() const;
    std::string rows(const Below& below) const;
  };

  /// Of a call of an aggregate, the value at that place of the list.
  static Value aggregate_of(const SqlNode& item, std::size_t place);
  /// A value as SQL over the columns below.
  static std::string made_of(const Value& value, const std::vector<Column>& columns);
  /// Adds what is joined, from left to right.
  void add_joined(const SqlNode& from);
  void require_joinable() const;
  /// The k-th grouped SELECT of a copy of the tree.
  SqlNode& select_in(SqlDocument& document, std::size_t k) const;

  SqlDocument tree_;
  int depth_ = 0;  // of what is grouped, below so many SELECTs
  std::vector<Group> groups_;
  std::vector<std::string> joins_ = {};  // between one and the next: INNER, LEFT, RIGHT or FULL
};

}  // namespace fractile::source_detail
