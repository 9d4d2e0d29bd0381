#include "flow/pipeline/composition.hpp"

#include <algorithm>

#include "exact/flint.hpp"
#include "flow/pipeline/size_limit.hpp"

namespace fractile::flow {

Composition composition_of(const Tuple& tuple, std::size_t values) {
  Composition composition(values);
  for (const std::size_t value : tuple) ++composition[value];
  return composition;
}

Composition known_composition(const Pipeline& pipeline) {
  Composition composition = pipeline.secret.known;
  composition.resize(pipeline.values.size());
  return composition;
}

Composition whole_composition(const Pipeline& pipeline, const Tuple& secret) {
  Composition composition = composition_of(secret, pipeline.values.size());
  const Composition known = known_composition(pipeline);
  for (std::size_t value = 0; value < known.size(); ++value) composition[value] += known[value];
  return composition;
}

Tuple sorted_tuple(const Composition& composition) {
  Tuple tuple;
  for (std::size_t value = 0; value < composition.size(); ++value) {
    tuple.insert(tuple.end(), composition[value], value);
  }
  return tuple;
}

std::string tuple_name(const std::vector<std::string>& members) {
  if (members.size() == 1) return members.front();
  std::string name;
  for (const std::string& member : members) name += (name.empty() ? "(" : ",") + member;
  return name + ")";
}

std::size_t mode_of(const Composition& bars) {
  return static_cast<std::size_t>(std::ranges::max_element(bars) - bars.begin());
}

Rational arrangements_of(const Composition& composition) {
  Rational result;
  std::size_t total = 0;
  Integer product(1);
  Integer factor;
  for (const std::size_t part : composition) {
    total += part;
    fmpz_bin_uiui(factor.get(), total, part);
    fmpz_mul(product.get(), product.get(), factor.get());
  }
  fmpq_set_fmpz(flint_of(result), product.get());
  return result;
}

Rational compositions(std::size_t total, std::size_t parts) { return arrangements_of({total, parts - 1}); }

void for_each_tuple(std::size_t length, std::size_t values, const std::function<void(const Tuple&)>& visit) {
  Tuple tuple(length);
  for (;;) {
    visit(tuple);
    std::size_t at = length;
    while (at > 0 && tuple[at - 1] + 1 == values) tuple[--at] = 0;
    if (at == 0) return;
    ++tuple[at - 1];
  }
}

void for_each_composition(std::size_t total, std::size_t parts, const std::function<void(const Composition&)>& visit) {
  Composition composition(parts);
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t part, std::size_t left) {
    if (part + 1 == parts) {
      composition[part] = left;
      visit(composition);
      return;
    }
    for (std::size_t here = left + 1; here-- > 0;) {
      composition[part] = here;
      fill(part + 1, left - here);
    }
  };
  fill(0, total);
}

std::vector<Tuple> all_tuples(std::size_t length, std::size_t values) {
  require_few(power(values, length));
  std::vector<Tuple> tuples;
  for_each_tuple(length, values, [&](const Tuple& tuple) { tuples.push_back(tuple); });
  return tuples;
}

}  // namespace fractile::flow
