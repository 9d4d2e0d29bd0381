#include "flow/pipeline/secrets.hpp"

#include <utility>

#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/size_limit.hpp"

namespace fractile::flow {

bool are_rows_compositions(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return true;
  return pipeline.perturber.is_shared() && pipeline.post.is_symmetric();
}

std::string values_name(const std::vector<Rational>& values, const Tuple& tuple) {
  std::vector<std::string> members;
  for (const std::size_t value : tuple) members.push_back(values[value].to_string());
  return tuple_name(members);
}

std::string bars_name(const Tuple& bars) {
  std::vector<std::string> members;
  for (const std::size_t bar : bars) members.push_back(std::to_string(bar));
  return tuple_name(members);
}

Rational secret_count(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  if (pipeline.secret.kind == Secret::Kind::target) return static_cast<std::int64_t>(values);
  const bool by_composition = pipeline.secret.kind == Secret::Kind::histogram || are_rows_compositions(pipeline);
  return by_composition ? compositions(pipeline.participants, values) : power(values, pipeline.participants);
}

Secrets secrets_of(const Pipeline& pipeline) {
  pipeline.validate();
  require_few(secret_count(pipeline), smaller_channel(pipeline));
  Secrets result;
  const std::size_t values = pipeline.values.size();
  const auto add = [&](Tuple secret, std::string name, Rational arrangements) {
    result.secrets.push_back(std::move(secret));
    result.secret_names.push_back(std::move(name));
    result.arrangements.push_back(std::move(arrangements));
  };
  switch (pipeline.secret.kind) {
    case Secret::Kind::everyone:
      if (are_rows_compositions(pipeline)) {
        for_each_composition(pipeline.participants, values, [&](const Composition& composition) {
          Tuple tuple = sorted_tuple(composition);
          std::string name = values_name(pipeline.values, tuple);
          add(std::move(tuple), std::move(name), arrangements_of(composition));
        });
      } else {
        for_each_tuple(pipeline.participants, values,
                       [&](const Tuple& tuple) { add(tuple, values_name(pipeline.values, tuple), 1); });
      }
      break;
    case Secret::Kind::target:
      for (std::size_t value = 0; value < values; ++value) add({value}, pipeline.values[value].to_string(), 1);
      break;
    case Secret::Kind::histogram:
      for_each_composition(pipeline.participants, values,
                           [&](const Composition& bars) { add(bars, bars_name(bars), 1); });
      break;
  }
  return result;
}

}  // namespace fractile::flow
