// The cases of expected losses. One target among known people: zeros are counted, and the analyst wants the target's value. Noisy
// argmax: N people have one of K values, every histogram is equally likely, its bars are perturbed by geometric noise, and the
// analyst wants the highest true bar. Epsilon is 1.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::bench {

struct UtilityCase {
  std::string name;  ///< "target/geometric/11710", "argmax/50/4"
  flow::Pipeline pipeline;
  flow::Analyst analyst;
};

inline std::vector<UtilityCase> target_cases() {
  constexpr std::size_t values = 7;
  std::vector<Rational> codes;
  for (std::size_t value = 0; value < values; ++value) codes.emplace_back(static_cast<std::int64_t>(value));
  std::vector<UtilityCase> cases;
  for (const std::uint64_t people : {1000U, 11'710U}) {
    std::vector<std::uint64_t> others(values, people / 10);  // the first value has what is missing
    others[0] += people - 1 - values * (people / 10);
    for (const auto& [name, perturber] :
         {std::pair{"target/geometric/", flow::Perturber::geometric(values)},
          std::pair{"target/randomized_response/", flow::Perturber::randomized_response(values)}}) {
      cases.push_back({name + std::to_string(people),
                       {people,
                        codes,
                        perturber,
                        {flow::PostProcessor::Kind::count, {0}, {}},
                        flow::Secret::target_among(others, people)},
                       {}});
    }
  }
  return cases;
}

inline UtilityCase argmax_case(std::size_t people, std::size_t bars) {
  std::vector<Rational> values;
  for (std::size_t value = 0; value < bars; ++value) values.emplace_back(static_cast<std::int64_t>(value));
  const flow::PostProcessor mode{flow::PostProcessor::Kind::mode, {}, {}};
  const flow::Secret histogram{flow::Secret::Kind::histogram, {}};
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::argmax_accuracy;
  return {"argmax/" + std::to_string(people) + "/" + std::to_string(bars),
          {people, values, flow::Perturber::geometric(people + 1), mode, histogram},
          analyst};
}

/// So few histograms that a program can go through them.
inline std::vector<UtilityCase> argmax_cases_to_list() {
  return {argmax_case(20, 3), argmax_case(50, 4), argmax_case(20, 8)};
}

inline std::vector<UtilityCase> all_utility_cases() {
  std::vector<UtilityCase> cases = target_cases();
  for (const UtilityCase& each : argmax_cases_to_list()) cases.push_back(each);
  cases.push_back(argmax_case(200, 8));
  return cases;
}

}  // namespace fractile::bench
