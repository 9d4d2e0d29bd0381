#include "flow/pipeline/channel_of.hpp"

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "fractile/error.hpp"
#include "quantiles/audit/scored_candidates.hpp"
#include "quantiles/stages/plan.hpp"
#include "quantiles/stages/tree_law.hpp"

namespace fractile::flow {
namespace {

/// Epsilon in units of ln(base): at the release's degree, all rates are whole numbers of these units.
Exponent log_odds(std::int64_t degree) { return Exponent(Rational(degree)); }

QuantileQuery query_of(const CentralMechanism& release, const Exponent& epsilon) {
  QuantileQuery query{release.quantiles, Budget::pure(epsilon)};
  query.neighbors = release.neighbors;
  query.mechanism =
      release.kind == CentralMechanism::Kind::exponential ? Mechanism::exponential : Mechanism::approximate;
  return query;
}

RankProfile profile_of(const Composition& table) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t value = 0; value < table.size(); ++value) {
    if (table[value] == 0) continue;
    positions.push_back(2 * value + 1);
    counts.push_back(table[value]);
  }
  return {Lattice::numbers(table.size()), std::move(positions), counts};
}

/// The parts of a release that do not depend on the table.
struct Recursion {
  QuantileQuery query;
  QuantilePlan plan;
  Calibration calibration;

  Recursion(const CentralMechanism& release, std::size_t values, const Exponent& epsilon)
      : query(query_of(release, epsilon)),
        plan(plan_of(query, Lattice::numbers(values))),
        calibration(query, plan.recursion().levels) {}
  /// The tree for a profile, which must outlive it.
  QuantileTree tree(const RankProfile& profile) const {
    const SelectQuantiles& selection = plan.recursion();
    return {profile, selection.released, selection.shape, calibration, selection.subcells};
  }
};

ScoredCandidates scored(const CentralMechanism& release, std::size_t values, std::size_t records,
                        const Exponent& epsilon) {
  return {values, records, release.neighbors, release.quantiles.front(), epsilon};
}

/// Adds the rates of a node and of all nodes below it, which are the same for every table.
void add_rates(const QuantileTree& tree, const QuantileNode& node, std::vector<Exponent>& rates) {
  rates.push_back(tree.rate(node));
  if (std::holds_alternative<LeafNode>(node)) return;
  for (const QuantileNode& part : tree.parts(node, std::span(&node->span.lowest, 1))) add_rates(tree, part, rates);
}

std::vector<Exponent> rates_at_one(const CentralMechanism& release, std::size_t values) {
  const Exponent one = log_odds(1);
  if (release.kind == CentralMechanism::Kind::gumbel_max) return {scored(release, values, 1, one).rate()};
  const Recursion recursion(release, values, one);
  Composition table(values);
  table[0] = 1;
  const RankProfile profile = profile_of(table);
  const QuantileTree tree = recursion.tree(profile);
  std::vector<Exponent> rates;
  add_rates(tree, tree.root(), rates);
  return rates;
}

Rational whole_in(const Rational&, std::uint64_t value) { return value; }
Enclosure whole_in(const Enclosure&, std::uint64_t value) { return Enclosure::of(Rational(value), enclosure_bits); }
RationalFunction whole_in(const RationalFunction&, std::uint64_t value) { return RationalFunction::constant(value); }

Rational power(const Rational& base, std::uint64_t exponent) { return base.pow(static_cast<std::int64_t>(exponent)); }
Enclosure power(const Enclosure& base, std::uint64_t exponent) {
  return Enclosure::power(base, exponent, enclosure_bits);
}
RationalFunction power(const RationalFunction& base, std::uint64_t exponent) {
  RationalFunction result;
  fmpz_poly_q_pow(result.get(), base.get(), exponent);
  return result;
}

/// A ring for TreeLaw: selections have weights base^-(rate * score), with integer rates.
template <class Base>
struct PowerRing {
  using Number = Base;
  const Base& base;

  Number whole(std::uint64_t value) const { return whole_in(base, value); }
  std::vector<Number> masses(const std::vector<Run>& runs, const Exponent& rate) const {
    const std::uint64_t worst = std::ranges::max_element(runs, {}, &Run::score)->score;
    const std::uint64_t step = rate.coefficient().to_uint64();
    std::vector<Number> masses;
    masses.reserve(runs.size());
    Number total = whole(0);
    for (const Run& run : runs) {
      masses.push_back(power(base, step * (worst - run.score)) * whole(run.length));
      total = total + masses.back();
    }
    for (Number& mass : masses) mass = mass / total;
    return masses;
  }
  static std::map<std::vector<Split>, Number> joint(const JointProblem&) {
    throw Error(ErrorCode::internal, "joint selections cannot be examined as channels");
  }
};

template <class Number>
LawIn<Number> law_of(const CentralMechanism& release, const Composition& table, const Number& base) {
  const PowerRing<Number> ring{base};
  const RankProfile profile = profile_of(table);
  const Exponent epsilon = log_odds(root_degree(release, table.size()));
  if (release.kind != CentralMechanism::Kind::gumbel_max) {
    const Recursion recursion(release, table.size(), epsilon);
    const QuantileTree tree = recursion.tree(profile);
    return TreeLaw<PowerRing<Number>>(tree, ring).law();
  }
  const ScoredCandidates candidates = scored(release, table.size(), profile.records(), epsilon);
  std::vector<Number> masses = ring.masses(candidates.runs(profile), candidates.rate());
  LawIn<Number> law;
  for (std::uint64_t k = 0; k < masses.size(); ++k) law.emplace(std::vector{k}, std::move(masses[k]));
  return law;
}

void add_outputs(std::size_t quantiles, std::size_t values, Tuple& output, std::vector<Tuple>& all) {
  if (output.size() == quantiles) {
    all.push_back(output);
    return;
  }
  for (std::size_t value = output.empty() ? 0 : output.back(); value < values; ++value) {
    output.push_back(value);
    add_outputs(quantiles, values, output, all);
    output.pop_back();
  }
}

constexpr std::size_t most_quantiles = 3;

void require_known_release(const CentralMechanism& release) {
  const bool several = release.kind == CentralMechanism::Kind::approximate;
  const std::size_t most = several ? most_quantiles : 1;
  if (release.quantiles.empty() || release.quantiles.size() > most) {
    throw Error(ErrorCode::usage,
                several ? "a release that is examined as a channel has one to three quantiles"
                        : "this mechanism releases one quantile",
                several ? "name from one to three" : "give one, or take the mechanism approximate");
  }
  query_of(release, log_odds(1)).validate();
}

}  // namespace

std::int64_t root_degree(const CentralMechanism& release, std::size_t values) {
  require_known_release(release);
  Rational degree = 1;
  for (const Exponent& rate : rates_at_one(release, values)) {
    degree *= (degree * rate.coefficient()).denominator();
  }
  if (degree > Rational(1000)) {
    throw Error(ErrorCode::usage, "the quantiles' denominators are too large for an examination as a channel",
                "write quantiles with small denominators, like 1/2 or 1/4");
  }
  return degree.to_int64();
}

std::vector<Tuple> release_outputs(const CentralMechanism& release, std::size_t values) {
  std::vector<Tuple> all;
  Tuple output;
  add_outputs(release.quantiles.size(), values, output, all);
  return all;
}

template <class Number>
std::vector<Number> release_law(const CentralMechanism& release, const Composition& table, const Number& base) {
  const LawIn<Number> law = law_of(release, table, base);
  std::vector<Number> probabilities;
  for (const Tuple& output : release_outputs(release, table.size())) {
    checkpoint();
    const auto at = law.find(std::vector<std::uint64_t>(output.begin(), output.end()));
    probabilities.push_back(at == law.end() ? whole_in(base, 0) : at->second);
  }
  return probabilities;
}

template std::vector<Rational> release_law(const CentralMechanism&, const Composition&, const Rational&);
template std::vector<Enclosure> release_law(const CentralMechanism&, const Composition&, const Enclosure&);
template std::vector<RationalFunction> release_law(const CentralMechanism&, const Composition&,
                                                   const RationalFunction&);

}  // namespace fractile::flow
