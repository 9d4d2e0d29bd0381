// The cases of noisy argmax: N people have one of K values, every histogram is equally likely, its bars are perturbed by
// geometric noise at epsilon 1, and the analyst wants the highest true bar.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::bench {

struct ArgmaxCase {
  std::string name;  ///< "argmax/50/4"
  flow::Pipeline pipeline;
  bool can_be_listed;  ///< whether there are so few histograms that a program can go through them
};

inline std::vector<ArgmaxCase> argmax_cases() {
  const auto of = [](std::size_t people, std::size_t bars, bool can_be_listed) {
    std::vector<Rational> values;
    for (std::size_t value = 0; value < bars; ++value) values.emplace_back(static_cast<std::int64_t>(value));
    flow::Pipeline pipeline{people,
                            values,
                            flow::Perturber::geometric(people + 1),
                            {flow::PostProcessor::Kind::mode, {}, {}},
                            {flow::Secret::Kind::histogram, {}}};
    return ArgmaxCase{"argmax/" + std::to_string(people) + "/" + std::to_string(bars), pipeline, can_be_listed};
  };
  return {of(20, 3, true), of(50, 4, true), of(20, 8, true), of(200, 8, false)};
}

}  // namespace fractile::bench
