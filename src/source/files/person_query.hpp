// A query that makes one row of each person's records: SELECT id, sum(amount) AS total FROM input WHERE ... GROUP BY id, row-wise below
// and above, or several of these joined by USING (id), also below a GROUP BY and then with one table of records. It is taken apart: what
// stands below goes row by row, the aggregates are from a list, and what stands above goes row by row over their rows.
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
  /// Nothing where no SELECT of the query has a GROUP BY. Throws `usage` unless it is grouped by one column, named as such, which is the
  /// table's own at every depth below and keeps its name above, and where a value of the list is neither that column nor one of the
  /// aggregates whose result is a function of the multiset of their arguments; and of several that are joined, unless they are joined by
  /// that column alone, and no other of their columns have one name.
  static std::optional<PersonQuery> of(const SqlTree& tree);
  /// Throws `usage` unless the query, which has no GROUP BY, hands that column of its table on as it is.
  static void require_handed_on(const SqlTree& tree, const std::string& person);

  /// The column that the query is grouped by, and the result's.
  const std::string& person() const { return groups_.front().person; }
  /// How many grouped SELECTs are joined; 1 without a join.
  std::size_t size() const { return groups_.size(); }

  /// How many tables the k-th of them groups when they are joined by the person's column; 0 where it groups one.
  std::size_t parts(std::size_t k) const { return groups_[k].joins.empty() ? 0 : groups_[k].joins.size() + 1; }
  /// The column by which the k-th of them groups.
  const std::string& person_of(std::size_t k) const { return groups_[k].person; }
  /// A SELECT of the i-th of these tables, whole. Throws EngineFailure.
  std::string part(const Connection& connection, std::size_t k, std::size_t i) const;
  /// What the k-th of them groups: the person and the arguments of the aggregates, row by row; of joined tables from the table `of_joined`.
  /// Throws EngineFailure.
  std::string below(const Connection& connection, std::size_t k, const std::string& of_joined = {}) const;
  /// A query that goes row by row, and its columns; or one that makes one row of each person's records.
  struct Below {
    std::string sql;
    std::vector<Column> columns;
    bool is_of_persons = false;
  };
  /// The joined rows of the tables that the k-th of them groups. Throws `usage` unless all but one of them have one row of each person, so
  /// that there are no more rows than records and persons, and unless only the person's column has one name in two, and one type in all.
  std::string joined(std::size_t k, const std::vector<Below>& parts) const;
  /// The persons' rows, made of what each of them groups. Throws `usage` for arguments of types of which an aggregate could fail, or depend on
  /// more than the multiset, and where the column of persons has several types.
  std::string rows(const std::vector<Below>& below) const;
  /// The query above: over the table `rows`. Throws EngineFailure.
  std::string above(const Connection& connection, const std::string& rows) const;

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
    std::vector<std::string> joins = {};  ///< between one table that it groups and the next, as joins_

    static Group of(const SqlNode& select);
    void add_joined(const SqlNode& from);
    void add(const SqlNode& item);
    void require_one_name_each() const;
    std::string rows(const Below& below) const;
  };

  /// The value of a call of an aggregate, at that place of the list.
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
