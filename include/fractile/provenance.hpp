// Where the records of a release came from, and which of their cells counted.
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/keys.hpp"
#include "fractile/weights.hpp"

namespace fractile {

/// What to do with NULL, empty cells and NaN: leave the record out, or refuse the table.
enum class NullPolicy { drop, error };
/// "drop", "error".
inline std::string to_string(NullPolicy policy) { return policy == NullPolicy::drop ? "drop" : "error"; }

/// How numbers are written in delimited text.
struct NumberStyle {
  /// What stands before their decimals, "." or ","; empty: ".".
  std::string decimal = {};
  /// What may stand between groups of three digits before the decimals: one of . , ' and a blank, which stands for no-break blanks,
  /// too; empty: nothing.
  std::string thousands = {};

  bool is_plain() const { return (decimal.empty() || decimal == ".") && thousands.empty(); }
  /// Throws `usage` unless as said above, and two different ones.
  void validate() const;

  friend bool operator==(const NumberStyle&, const NumberStyle&) = default;
};

/// What to do with a cell that is not a number (or time): refuse the table, or treat the cell as empty.
enum class Unreadable { error, missing };
/// "error", "missing".
inline std::string to_string(Unreadable unreadable) { return unreadable == Unreadable::error ? "error" : "missing"; }

/// What a person's records become before anything else is done with them: one value for the person, or for the person in each
/// group. A function of these records as a multiset, decided exactly. Proof: docs/proofs/one_value_per_person.md
enum class PerPerson {
  sum,    ///< of integers, decimals and doubles: the exact sum; of doubles its nearest double
  count,  ///< how many of these records hold something in the column, whatever its type
  mean,   ///< the exact sum over their number; of doubles its nearest double
  min,
  max,
  median,  ///< the value in the middle; of an even number of them the lower of the two there
  any,     ///< 1 where one of the numbers is not 0, else 0
  all,     ///< 1 where none of the numbers is 0, else 0
};
inline constexpr std::array all_per_person{PerPerson::sum, PerPerson::count,  PerPerson::mean, PerPerson::min,
                                           PerPerson::max, PerPerson::median, PerPerson::any,  PerPerson::all};
/// "sum", "count", ...
inline std::string to_string(PerPerson how) {
  constexpr std::array names{"sum", "count", "mean", "min", "max", "median", "any", "all"};
  return names.at(static_cast<std::size_t>(how));
}

/// A further table that a query may read.
struct NamedTable {
  std::string name;  ///< a letter or _, then letters, digits and _; letter case does not count; not "input"
  std::string file;  ///< as TableOptions::file; its name announces its format, csv for "-"
};

/// Says that a release is a margin of a table: its records are those of a finer level's cells, and no others.
struct MarginOf {
  KeyColumns by;            ///< the columns of these cells
  std::uint64_t cells = 0;  ///< how many there are
  std::string
      cells_sha256;  ///< of their keys, as lists of texts in JSON, so that levels of the same cells can be recognized
  std::vector<std::string> others = {};  ///< as RecordSelection::others, of these columns
};

/// For weighted records: the release's query is about units of weight.
struct WeightsDescription {
  RecordWeights how;
  std::uint32_t records_per_person = 1;  ///< how many records of one person count, or rows of a query

  /// How many records a person's units come from: these, or all whose weights one person can change.
  std::uint32_t changed_records() const { return how.stability.value_or(records_per_person); }
  /// By how much the noise is larger, in units, than among as many records that are one unit each.
  Rational noise_factor() const {
    return Rational(std::int64_t{how.most_units_of_record()}) * Rational(std::int64_t{changed_records()}) /
           Rational(std::int64_t{records_per_person});
  }
  /// By how much it is larger in shares of the total, where a mean weight is expected: a mean weight is fewer units than the largest one.
  std::optional<Rational> relative_noise_factor() const {
    if (!how.mean) return {};
    return noise_factor() * how.step / *how.mean;
  }
  friend bool operator==(const WeightsDescription&, const WeightsDescription&) = default;
};

/// Where the records came from, as the user named it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  NullPolicy null_policy = NullPolicy::drop;
  std::string engine;
  std::string person = {};              ///< the column by which persons' records were bounded, if one was named
  KeyColumns by = {};                   ///< the columns of the groups' keys, if there are groups
  std::vector<NamedTable> tables = {};  ///< what else the query could read
  /// The stability that was declared for the query; nothing when the query is row-wise. The release was made with over_query().
  std::optional<std::uint32_t> sql_stability = {};
  /// A declaration that is never checked: no person has records in two of the countings that were merged.
  bool disjoint_persons = false;
  std::vector<std::string> missing = {};  ///< declared to count as missing
  /// What is done with a cell that is not a number; unless it was given, such a cell is an error.
  std::optional<Unreadable> unreadable = {};
  std::optional<MarginOf> margin_of = {};
  std::optional<PerPerson> per_person = {};  ///< what each person's records became, if persons count by one value each
  bool one_row_a_person = false;             ///< whether the query made one row of each person's records
  std::optional<WeightsDescription> weights = {};
  bool whole_records = false;  ///< whether a person's records were sampled whatever they held, once for several columns
  /// The name of each file of a table in several files, in order; `file` then has all names that were typed, sorted, with commas
  /// between.
  std::vector<std::string> files = {};
  /// As RecordSelection::others: none, or for each column of `by` the key under which records without a listed key count.
  std::vector<std::string> others = {};
};

}  // namespace fractile
