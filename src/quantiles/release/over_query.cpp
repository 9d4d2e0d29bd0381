#include <limits>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "libraries/fmt.hpp"
#include "ranks/expected_units.hpp"

namespace fractile {

QuantileQuery over_query(const QuantileQuery& query, std::uint32_t stability) {
  if (stability == 0) throw Error(ErrorCode::usage, "a query's stability is at least 1", "declare 1 or more");
  const std::uint64_t rows = std::uint64_t{query.records_per_person} * stability;
  if (rows > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::usage, "the records per person times the query's stability are more than 4294967295",
                "declare a smaller number for one of them");
  }
  QuantileQuery over = query;
  over.records_per_person = static_cast<std::uint32_t>(rows);
  return over;
}

namespace {

/// The number of records of a person when records are units of weight.
std::uint64_t records_of_person(const QuantileQuery& query, const RecordWeights& weights) {
  const std::uint64_t records = query.records_per_person;
  if (!weights.stability) return records;
  if (*weights.stability >= records) return *weights.stability;
  const Field field("weight_stability");
  throw Error(
      ErrorCode::usage,
      {field, fmt::format(": {} records of one person may count, and they are among those that change", records)},
      {"write ", field.number(records), " or more"}, "weight_stability");
}

void require_weighable(const QuantileQuery& query) {
  if (query.neighbors == Neighbors::change_one) {
    throw Error(ErrorCode::usage,
                "weights do not go with change-one: a record that is replaced has another weight, so the total changes",
                {"leave ", Field("neighbors"), " out: add-remove goes with weights"}, "neighbors");
  }
  if (!query.intervals || query.intervals->subject != IntervalSubject::population) return;
  throw Error(
      ErrorCode::usage,
      "intervals of a population do not go with weights: how well a weighted sample represents it depends on the "
      "sample's design, its strata and clusters, which are not known here",
      {"ask for intervals of the table's own weighted quantiles: ", Field("of").text("table")}, "of");
}

}  // namespace

QuantileQuery over_weights(const QuantileQuery& query, const RecordWeights& weights) {
  weights.validate();
  require_weighable(query);
  const std::uint64_t units = records_of_person(query, weights) * weights.most_units_of_record();
  if (units > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::usage, "a person's records are more than 4294967295 units of weight together",
                {"write a coarser ", Field("weight_step"), ", or fewer records"}, "weight_step");
  }
  QuantileQuery over = query;
  over.records_per_person = static_cast<std::uint32_t>(units);
  if (query.expected_rows) over.expected_rows = expected_units(weights, *query.expected_rows);
  return over;
}

}  // namespace fractile
