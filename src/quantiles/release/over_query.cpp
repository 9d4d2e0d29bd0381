#include <limits>

#include "fractile/error.hpp"
#include "fractile/quantiles.hpp"

namespace fractile {

QuantileQuery over_query(const QuantileQuery& query, std::uint32_t stability) {
  if (stability == 0) throw Error(ErrorCode::usage, "a query's stability is at least 1", "declare 1 or more");
  const std::uint64_t rows = std::uint64_t{query.records_per_person} * stability;
  if (rows > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::usage, "the records per person times the query's stability are more than 4294967295",
                "declare less of one of them");
  }
  QuantileQuery over = query;
  over.records_per_person = static_cast<std::uint32_t>(rows);
  return over;
}

}  // namespace fractile
