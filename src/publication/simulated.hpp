// Simulated releases of public tables, which stand for the cells of a publication.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fractile/publication.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile::publication_detail {

/// The query without intervals, at the part of its budget that selects quantiles on this lattice.
inline QuantileQuery without_intervals(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows) {
  if (!query.intervals) return query;
  const QuantilePlan plan = plan_of(query, lattice);
  const auto next = std::ranges::upper_bound(plan.counted, rows, {}, &CountedRows::rows);
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - plan.counted.begin(), 1) - 1);
  QuantileQuery selected = query;
  selected.intervals.reset();
  selected.budget = plan.with_rows(at).query.budget;
  selected.expected_rows = rows;
  return selected;
}

/// What is simulated in place of cells of weighted records: as many units, from records that all have the largest weight. A release of
/// these has the same law as one of records without weights, since all scores and the noise grow by the same factor
/// (docs/proofs/weights.md).
class Reference {
 public:
  explicit Reference(const Publication& publication)
      : units_(publication.weights ? publication.weights->most_units_of_record() : 1) {}

  std::uint64_t units() const { return units_; }  ///< per record
  std::uint64_t records(std::uint64_t units) const {
    return units == 0 ? 0 : std::max<std::uint64_t>(units / units_, 1);
  }
  QuantileQuery query(QuantileQuery of_units) const {
    of_units.records_per_person /= units_;
    if (of_units.expected_rows) of_units.expected_rows = records(*of_units.expected_rows);
    return of_units;
  }

 private:
  std::uint32_t units_;
};

}  // namespace fractile::publication_detail
