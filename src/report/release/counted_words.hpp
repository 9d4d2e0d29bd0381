// What errors and intervals are about, in words: which records count, and at which of the possible values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/plan_report.hpp"
#include "fractile/provenance.hpp"
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

/// What is called a record.
enum class Counts {
  all_records,      ///< of the table
  sampled_records,  ///< so many of each person's
  persons_values,   ///< one value of each person, or in each group
};
Counts counts_of(const SourceDescription& source);
/// "the table's records", "the records that count", "the persons' values that count".
std::string records_in_words(Counts counts);
/// The same, with weights "... by their weights".
std::string records_in_words(const SourceDescription& source);

/// What an interval holds: "the quantile of the table's records, rounded to a possible value".
std::string held_quantile(bool of_table, Counts counts, CountsAt at, bool have_weights = false);

/// "the sum of their numbers": what one value of a person is.
std::string one_value_in_words(PerPerson how);

/// "1 record", "2 records" or, with weights, "2 units of weight".
std::string counted_in_words(const SourceDescription& source, std::uint64_t count);
/// "records" or, with weights, "units of weight".
std::string counted_noun(const SourceDescription& source);

/// Which weights there are, and as how many units a record counts.
std::string weights_in_words(const WeightsDescription& weights);
/// Who is a neighbor, and what is outside of the promise.
std::string weighted_neighbors_in_words(const WeightsDescription& weights);
/// By how much the noise is larger.
std::string weighted_noise_in_words(const WeightsDescription& weights);

/// Of a plan's errors: what nine releases in ten miss by at most, as a share of the total of the weights.
Rational share_of_total(const PlanReport& report, double units);
/// A smaller largest weight that may be worth it.
struct Trimming {
  Rational upper;
  Rational share;  ///< of the total: about what nine releases in ten would miss by at most, of the worst quantile
  Rational
      saved;  ///< how much less that is; it pays where what weights exceed `upper` by is less than this share of their total
};
/// Nothing where the largest weight is not much above the mean one.
std::optional<Trimming> trimming_of(const PlanReport& report);
/// A heading, and a row a quantile: its errors as weights, and in shares of the total. None without weights.
std::vector<std::vector<std::string>> planned_weights_rows(const PlanReport& report);
/// What they mean, and whether a smaller largest weight is worth it: sentences.
std::vector<std::string> planned_weights_meaning(const PlanReport& report);

}  // namespace fractile::report_detail
