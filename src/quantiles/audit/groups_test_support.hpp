// For the tests of groups: the exact law of what one group publishes, or two groups.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/independent_test_support.hpp"
#include "quantiles/audit/quantile_law_test_support.hpp"
#include "quantiles/stages/independent.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

inline QuantileQuery query_of(std::initializer_list<const char*> quantiles, const Budget& budget, Mechanism mechanism,
                              Neighbors neighbors = Neighbors::add_remove, std::uint32_t persons = 1) {
  QuantileQuery query{{}, budget};
  for (const char* q : quantiles) query.quantiles.push_back(Rational::parse(q));
  query.mechanism = mechanism;
  query.neighbors = neighbors;
  query.records_per_person = persons;
  return query;
}

inline Budget pure(const char* epsilon) { return Budget::pure(Exponent::parse(epsilon)); }

using LawOfTable = std::function<OutputLaw(const RankProfile&)>;

/// The law of a query that runs alone, over `candidates` candidates whose cells have `subcells` parts. Not for counts on a tree.
inline LawOfTable release_law(const QuantileQuery& query, std::uint64_t candidates, std::uint64_t subcells) {
  if (query.mechanism == Mechanism::independent) {
    const IndependentQuantiles asked{query.quantiles, independent_range(query), query.neighbors,
                                     query.records_per_person};
    return [asked](const RankProfile& profile) { return independent_law(profile, asked); };
  }
  const Lattice lattice = Lattice::regular(0, Rational(candidates) - 1, 1);
  return [query, subcells, plan = plan_of(query, lattice)](const RankProfile& profile) {
    const Calibration calibration(query, plan.recursion().levels);
    return quantile_law(QuantileTree(profile, query.quantiles, plan.recursion().shape, calibration, subcells));
  };
}

/// The law of two independent outputs, one after the other.
inline OutputLaw product(const OutputLaw& first, const OutputLaw& second) {
  OutputLaw law;
  for (const auto& [a, p] : first) {
    for (const auto& [b, q] : second) {
      std::vector<std::uint64_t> both = a;
      both.insert(both.end(), b.begin(), b.end());
      law.emplace(std::move(both), p * q);
    }
  }
  return law;
}

}  // namespace fractile
