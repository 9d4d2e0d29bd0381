// Releases of public tables that stand for the cells of a publication.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fractile/publication.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile::publication_detail {

/// The part of the budget that selects quantiles where intervals take theirs, on the same lattice.
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

/// What is simulated in place of cells of weighted records: as many units, of records that all have the largest weight. A release of these is
/// one of records without weights, law for law, as all scores and the noise are as many times larger (docs/proofs/weights.md).
class Reference {
 public:
  explicit Reference(const Publication& publication)
      : units_(publication.weights ? publication.weights->most_units_of_record() : 1) {}

  std::uint64_t units() const { return units_; }  ///< of a record
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
