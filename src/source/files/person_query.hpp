// A query that makes one row of each person's records: SELECT id, sum(amount) AS total FROM input WHERE ... GROUP BY id, row-wise below
// and above. It is taken apart: what stands below goes row by row, the aggregates are from a list, and what stands above goes row by row
// over their rows.
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
  /// aggregates whose result is a function of the multiset of their arguments.
  static std::optional<PersonQuery> of(const SqlTree& tree);

  /// The column that the query is grouped by, and the result's.
  const std::string& person() const { return person_; }

  /// The query below: the person and the arguments of the aggregates, row by row. Throws EngineFailure.
  std::string below(const Connection& connection) const;
  /// The persons' rows, made of what is below, whose text this is and whose columns these are. Error(usage) for arguments of types of which
  /// an aggregate could fail, or depend on more than the multiset.
  std::string rows(const std::string& below, const std::vector<Column>& columns) const;
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

  /// Of a call of an aggregate, the value at that place of the list.
  static Value aggregate_of(const SqlNode& item, std::size_t place);
  void add(const SqlNode& item);
  void require_one_name_each() const;
  /// A value as SQL over the columns below.
  static std::string made_of(const Value& value, const std::vector<Column>& columns);

  SqlDocument tree_;
  int depth_ = 0;  // of the grouped SELECT, below so many others
  std::string person_;
  std::vector<Value> values_;
};

}  // namespace fractile::source_detail
