// The cases of expected losses: one target among known people, zeros are counted, and the analyst wants the target's value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::bench {

struct TargetCase {
  std::string name;  ///< "geometric/11710"
  flow::Pipeline pipeline;
};

inline std::vector<TargetCase> target_cases() {
  constexpr std::size_t values = 7;
  std::vector<Rational> codes;
  for (std::size_t value = 0; value < values; ++value) codes.emplace_back(static_cast<std::int64_t>(value));
  std::vector<TargetCase> cases;
  for (const std::uint64_t people : {1000U, 11'710U}) {
    std::vector<std::uint64_t> others(values, people / 10);  // the first value has what is missing
    others[0] += people - 1 - values * (people / 10);
    for (const auto& [name, perturber] :
         {std::pair{"geometric/", flow::Perturber::geometric(values)},
          std::pair{"randomized_response/", flow::Perturber::randomized_response(values)}}) {
      cases.push_back({name + std::to_string(people),
                       {people,
                        codes,
                        perturber,
                        {flow::PostProcessor::Kind::count, {0}, {}},
                        flow::Secret::target_among(others, people)}});
    }
  }
  return cases;
}

}  // namespace fractile::bench
