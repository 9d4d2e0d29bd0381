// What errors and intervals are about, in words: which records count, and at which of the possible values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile::report_detail {

/// At which value a record counts.
enum class CountsAt {
  nearest,    ///< at the possible value nearest to its own
  not_after,  ///< at the last possible value that is not after its own
  its_own,    ///< at its own value, which may lie between two listed candidates
};

CountsAt counts_at(const Lattice& lattice);
/// "nearest", "not after" or "own".
std::string to_string(CountsAt at);

/// "each counted at the possible value nearest to its own"; empty where records count at their own values.
std::string counted_in_words(CountsAt at);
/// The same for records at these possible values, after a comma; empty where that is empty.
std::string and_where_they_count(const Lattice& lattice);
/// The same of what is counted below values and of means: records lie where they lay before bounds were found.
std::string and_where_statistics_count(const Release& release);

/// What is counted as a record.
enum class Counts {
  all_records,      ///< all records of the table
  sampled_records,  ///< at most a bounded number of each person's records
  persons_values,   ///< one value of each person, or of each person in each group
};
Counts counts_of(const SourceDescription& source);
/// "the table's records", "the records that count" or "the persons' values that count"; with weights, "by their weights as they count" follows.
std::string records_in_words(const SourceDescription& source);

/// What a record needs besides a value in the column, in order to count: "", " and a weight", " and was chosen to count" or both.
std::string and_what_else_counts(const SourceDescription& source);

/// The confidence of what receipts state about worst cases.
inline const Rational receipt_confidence(19, 20);

/// What an interval of the release holds: "the quantile of the table's records, rounded to a possible value".
std::string held_quantile(const Release& release);

/// What a person's one value is: "the sum of their numbers".
std::string one_value_in_words(PerPerson how);
/// Whether every record with anything in the column counts: where a person's value is the number of their records, these hold no numbers.
inline bool counts_anything(const SourceDescription& source) { return source.per_person == PerPerson::count; }

/// The published column by name, and what of it each person counts with: "age (number of records per person)".
std::string values_in_words(const SourceDescription& source, const std::string& column);

/// What quantiles are of: "the column age" or "the persons' sums of the column pay".
std::string column_in_words(const SourceDescription& source, const std::string& column);

/// What a part of the budget suggested about all groups' values: "most values are multiples of 5, and many are multiples of 10". Empty if
/// it found nothing or did not look.
std::string round_numbers_in_words(const Release& release);

/// "1 record", "2 records", "2 persons" or, with weights, "2 units of weight".
std::string counted_in_words(const SourceDescription& source, std::uint64_t count);
/// "records"; "persons" where each counts with one value; or, with weights, "units of weight".
std::string counted_noun(const SourceDescription& source);

/// A number of records or, with weights, the weight of this many units.
std::string counted_amount(const std::optional<WeightsDescription>& weights, std::int64_t counted);

/// The number of records up to which the release's bounds are stated. `where`: " in a group".
std::string up_to_records(const Release& release, const std::string& where);
/// The error to expect for the quantile that is missed by most, in two digits, rounded up. `value_is`: "a value is". With listed
/// candidates, the simulated records lie on them, and errors of records between them are not simulated: the sentence says so.
std::string typical_in_words(const TypicalError& typical, const SourceDescription& source, CountsAt at,
                             const std::string& value_is);

/// Which weights are possible, and as how many units a record counts.
std::string weights_in_words(const WeightsDescription& weights);
/// Which files are neighbors, and what the promise does not cover.
std::string weighted_neighbors_in_words(const WeightsDescription& weights);
/// By which factor the weights make the noise larger.
std::string weighted_noise_in_words(const WeightsDescription& weights);

/// "region, sex and age".
std::string enumerated(const std::vector<std::string>& words);

}  // namespace fractile::report_detail
