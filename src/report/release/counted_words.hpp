// What errors and intervals are about, in words: which records count, and at which of the possible values.
#pragma once

#include <string>

#include "fractile/ranks.hpp"

namespace fractile::report_detail {

/// At which value a record counts.
enum class CountsAt {
  nearest,    ///< at the possible value nearest to its own
  not_after,  ///< at the last possible value that is not after its own
  its_own,    ///< at its own value, which may lie between two listed candidates
};

CountsAt counts_at(bool regular_lattice, ValueKind kind);
inline CountsAt counts_at(const Lattice& lattice) { return counts_at(lattice.is_regular(), lattice.kind()); }
/// "nearest", "not after", "own".
std::string to_string(CountsAt at);

/// "each counted at the possible value nearest to its own"; empty where records count at their own values.
std::string counted_in_words(CountsAt at);
/// The same after a comma; empty likewise.
std::string and_where_they_count(CountsAt at);

/// "the table's records" or, with a column of persons, "the records that count".
std::string records_in_words(bool of_persons);

/// What an interval holds: "the quantile of the table's records, rounded to a possible value".
std::string held_quantile(bool of_table, bool of_persons, CountsAt at);

}  // namespace fractile::report_detail
