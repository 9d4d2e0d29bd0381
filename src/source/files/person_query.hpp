// A query that makes one row of each person's records: SELECT id, sum(amount) AS total FROM input WHERE ... GROUP BY id, row-wise
// below and above, or several of these joined by USING (id), also below a GROUP BY and then with one table of records. The query is
// taken apart: the part below the grouping is row-wise, the aggregates are from a list, and the part above is row-wise over the
// grouped rows.
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
  /// Nothing if no SELECT of the query has a GROUP BY. Throws `usage` unless it is grouped by one plain column, which is a column
  /// of the table at every depth below and keeps its name above; and unless every value of the list is that column or an allowed
  /// aggregate, whose result is a function of the multiset of its arguments. Grouped SELECTs that are joined must be joined by that
  /// column alone, and their other columns must have different names.
  static std::optional<PersonQuery> of(const SqlTree& tree);
  /// Throws `usage` unless the query, which has no GROUP BY, returns that column of its table unchanged.
  static void require_handed_on(const SqlTree& tree, const std::string& person);

  /// The column by which the query is grouped, which is also a column of the result.
  const std::string& person() const { return groups_.front().person; }
  /// The number of grouped SELECTs that are joined; 1 without a join.
  std::size_t size() const { return groups_.size(); }

  /// The number of tables, joined by the person's column, that the k-th grouped SELECT groups; 0 if it groups a single table.
  std::size_t parts(std::size_t k) const { return groups_[k].joins.empty() ? 0 : groups_[k].joins.size() + 1; }
  /// The column by which the k-th grouped SELECT groups.
  const std::string& person_of(std::size_t k) const { return groups_[k].person; }
  /// A SELECT of the whole i-th of these tables. Throws EngineFailure.
  std::string part(const Session& connection, std::size_t k, std::size_t i) const;
  /// The row-wise query below the k-th grouped SELECT: the person and the arguments of the aggregates; for joined tables, from the
  /// table `of_joined`. Throws EngineFailure.
  std::string below(const Session& connection, std::size_t k, const std::string& of_joined = {}) const;
  /// A row-wise query, or one that makes one row of each person's records, and its columns.
  struct Below {
    std::string sql;
    std::vector<Column> columns;
    bool is_of_persons = false;
  };
  /// SQL of the joined rows of the tables that the k-th grouped SELECT groups. Throws `usage` unless all but one of them have one
  /// row per person, so that there are no more rows than records and persons. Throws `usage` also unless the person's column has
  /// one type in all tables and is the only column with the same name in two of them.
  std::string joined(std::size_t k, const std::vector<Below>& parts) const;
  /// SQL of the persons' rows, from the queries below the groupings. Throws `usage` for arguments of types for which an aggregate
  /// could fail or depend on more than the multiset, and if the column of persons has several types.
  std::string rows(const std::vector<Below>& below) const;
  /// The row-wise query above, over the table `rows`. Throws EngineFailure.
  std::string above(const Session& connection, const std::string& rows) const;

 private:
  /// A value of the list.
  struct Value {
    std::string name;       ///< its name in the result
    std::string aggregate;  ///< empty: it is the person
    std::string argument;   ///< the column below; empty for count(*)
    std::string fraction;   ///< for quantiles, as SQL
    bool distinct = false;
  };

  /// A grouped SELECT.
  struct Group {
    std::string person;
    std::vector<Value> values = {};
    std::vector<std::string> joins = {};  ///< the joins between the tables that it groups, like joins_

    static Group of(const SqlNode& select);
    void add_joined(const SqlNode& from);
    void add(const SqlNode& item);
    void require_one_name_each() const;
    std::string rows(const Below& below) const;
  };

  /// The Value for a call of an aggregate, at this place of the list.
  static Value aggregate_of(const SqlNode& item, std::size_t place);
  /// A value as SQL over the columns below.
  static std::string made_of(const Value& value, const std::vector<Column>& columns);
  /// Adds the joined SELECTs, from left to right.
  void add_joined(const SqlNode& from);
  void require_joinable() const;
  /// The k-th grouped SELECT of a copy of the tree.
  SqlNode& select_in(SqlDocument& document, std::size_t k) const;

  SqlDocument tree_;
  int depth_ = 0;  // the grouped SELECT is below this many SELECTs
  std::vector<Group> groups_;
  std::vector<std::string> joins_ = {};  // between one grouped SELECT and the next: INNER, LEFT, RIGHT or FULL
};

}  // namespace fractile::source_detail
