#include "requests/release.hpp"

#include <utility>

#include "fractile/error.hpp"
#include "requests/groups.hpp"
#include "requests/query.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

ReleaseRequest release_asked(const Typed& typed) {
  if (!typed.has("column")) {
    const Field field("column");
    usage({field, " is missing"}, {"name the column to publish, for example ", field.text("age")});
  }
  const QuantileQuery query = query_of(typed, budget_of(typed));
  const std::optional<RecordWeights> weights = weights_of(typed);
  const QuantileQuery over_rows = over_query(query, sql_stability(typed).value_or(1));
  const QuantileQuery counted = weights ? over_weights(over_rows, *weights) : over_rows;
  std::optional<BoundsToFind> bounds = bounds_to_find(typed, query);
  const Lattice lattice = bounds ? bounds->search.lattice() : lattice_of(typed);
  counted.validate(lattice);
  RecordSelection selection = selection_of(typed, counted);
  selection.records_per_person = query.records_per_person;
  selection.weights = weights;
  ReleaseRequest request{ColumnToCount{typed.one("column"), lattice, null_policy_of(typed), std::move(selection),
                                       typed.has("public_rows")},
                         query, std::move(bounds), typed.one("receipt")};
  request.statistics = statistics_of(typed, request.column.lattice);
  request.unsafe_seed = seed_of(typed);
  return request;
}

Source source_asked(const Typed& typed, std::optional<ProfileFile> counts) {
  if (counts) return Source::profile_file(std::move(*counts));
  const std::string server = postgres_of(typed);
  TableOptions read = table_of(typed, false);
  return server.empty() ? Source::file(std::move(read)) : Source::postgres(server, std::move(read));
}

std::optional<Payment> payment_asked(const Typed& typed) {
  if (typed.has("ledger")) {
    return Payment{typed.one("ledger"), typed.one("dataset"), typed.one("source"), typed.has("again")};
  }
  refuse_given(typed, {"dataset", "again", "source"}, {" goes with ", Field("ledger")},
               "name the ledger, or leave it out");
  return {};
}

}  // namespace fractile::requests
