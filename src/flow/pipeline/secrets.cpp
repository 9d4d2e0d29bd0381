#include "flow/pipeline/secrets.hpp"

#include <functional>
#include <utility>

#include "exact/lists.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/size_limit.hpp"

namespace fractile::flow {
namespace {

bool tells_who_is_who(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && !pipeline.post.is_symmetric();
}

/// The sizes of the groups of neighboring participants among whom it does not matter who has which value.
std::vector<std::size_t> groups_of(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr || pipeline.perturber.is_shared()) return {pipeline.participants};
  return alike_neighbors(pipeline.perturber);
}

/// Visits all secrets with each group's values in increasing order, with the number of arrangements of these values.
void for_each_arrangement(const Pipeline& pipeline, const std::vector<std::size_t>& groups, const Tuple& begun,
                          const Rational& arrangements,
                          const std::function<void(const Tuple&, const Rational&)>& visit) {
  if (groups.empty()) return visit(begun, arrangements);
  for_each_composition(groups.front(), pipeline.values.size(), [&](const Composition& composition) {
    Tuple longer = begun;
    const Tuple sorted = sorted_tuple(composition);
    longer.insert(longer.end(), sorted.begin(), sorted.end());
    for_each_arrangement(pipeline, {groups.begin() + 1, groups.end()}, longer,
                         arrangements * arrangements_of(composition), visit);
  });
}

}  // namespace

std::vector<std::size_t> arranged_groups(const Pipeline& pipeline) {
  if (tells_who_is_who(pipeline)) return std::vector<std::size_t>(pipeline.participants, 1);
  return groups_of(pipeline);
}

std::string values_name(const std::vector<Rational>& values, const Tuple& tuple) {
  return tuple_name(mapped(tuple, [&](std::size_t value) { return values[value].to_string(); }));
}

std::string tally_name(const Tuple& tally) {
  return tuple_name(mapped(tally, [](std::size_t count) { return std::to_string(count); }));
}

Rational secret_count(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  if (pipeline.secret.kind == Secret::Kind::target) return static_cast<std::int64_t>(values);
  if (pipeline.secret.kind == Secret::Kind::histogram) return compositions(pipeline.participants, values);
  if (tells_who_is_who(pipeline)) return power(values, pipeline.participants);
  Rational count = 1;
  for (const std::size_t people : groups_of(pipeline)) count *= compositions(people, values);
  return count;
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
      if (tells_who_is_who(pipeline)) {
        for_each_tuple(pipeline.participants, values,
                       [&](const Tuple& tuple) { add(tuple, values_name(pipeline.values, tuple), 1); });
      } else {
        for_each_arrangement(pipeline, groups_of(pipeline), {}, 1,
                             [&](const Tuple& tuple, const Rational& arrangements) {
                               add(tuple, values_name(pipeline.values, tuple), arrangements);
                             });
      }
      break;
    case Secret::Kind::target:
      for (std::size_t value = 0; value < values; ++value) add({value}, pipeline.values[value].to_string(), 1);
      break;
    case Secret::Kind::histogram:
      for_each_composition(pipeline.participants, values,
                           [&](const Composition& bars) { add(bars, tally_name(bars), 1); });
      break;
  }
  return result;
}

}  // namespace fractile::flow
