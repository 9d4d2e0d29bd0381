// For tests: the exact law of sample_independent().
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/law.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/stages/independent.hpp"
#include "ranks/tiles.hpp"

namespace fractile {

inline void add_to(OutputLaw& law, std::vector<std::uint64_t> output, const Enclosure& p) {
  std::ranges::sort(output);
  const auto [at, fresh] = law.try_emplace(std::move(output), p);
  if (!fresh) at->second += p;
}

/// The law of the outputs so far and one more draw, sorted.
inline OutputLaw with_draw(const OutputLaw& law, const std::vector<Run>& runs, const Exponent& rate) {
  const std::vector<Enclosure> masses = softmax_law(runs, rate);
  OutputLaw longer;
  for (const auto& [output, p] : law) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Enclosure each = p * masses[k] / Enclosure::of(Rational(runs[k].length));
      for (std::uint64_t i = 0; i < runs[k].length; ++i) {
        std::vector<std::uint64_t> both = output;
        both.push_back(runs[k].start + i);
        add_to(longer, std::move(both), each);
      }
    }
  }
  return longer;
}

/// Cost: candidates^quantiles.
inline OutputLaw independent_law(const RankProfile& profile, const IndependentQuantiles& query) {
  OutputLaw law{{{}, Enclosure::of(Rational(1))}};
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) {
    const CandidateCursor candidates(profile, whole_span(profile, 1), 1, QuantileFraction::of(query.quantiles[i]));
    law = with_draw(law, runs_of(candidates), query.rate(i));
  }
  return law;
}

}  // namespace fractile
