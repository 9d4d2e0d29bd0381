#include <algorithm>
#include <functional>

#include "exact/law.hpp"
#include "fractile/audit.hpp"
#include "fractile/error.hpp"
#include "quantiles/audit.hpp"
#include "quantiles/independent.hpp"
#include "quantiles/plan.hpp"
#include "quantiles/scored_candidates.hpp"

namespace fractile {
namespace {

using LawOfTable = std::function<OutputLaw(const RankProfile&)>;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint);
}

std::vector<Rational> quantiles_or(const AuditRequest& request, const std::vector<Rational>& otherwise) {
  return request.quantiles.empty() ? otherwise : request.quantiles;
}

/// Parts of a cell that an audit divides: enough to have splits inside ties.
constexpr std::uint64_t audit_subcells = 2;

LawOfTable release_law(const AuditRequest& request, Mechanism mechanism, std::vector<Rational> quantiles) {
  QuantileQuery query{std::move(quantiles), request.budget};
  query.neighbors = request.neighbors;
  query.mechanism = mechanism;
  const Lattice lattice = Lattice::regular(0, Rational(static_cast<std::int64_t>(request.values)) - 1, 1);
  return [query, plan = plan_of(query, lattice)](const RankProfile& profile) {
    const Calibration calibration(query, plan.levels);
    return quantile_law(QuantileTree(profile, query.quantiles, plan.shape, calibration, audit_subcells));
  };
}

LawOfTable exponential(const AuditRequest& request) {
  return release_law(request, Mechanism::exponential, quantiles_or(request, {Rational(1, 2)}));
}

std::vector<Rational> evenly_spaced(std::int64_t parts) {
  std::vector<Rational> result;
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

LawOfTable approximate(const AuditRequest& request) {
  return release_law(request, Mechanism::approximate, quantiles_or(request, evenly_spaced(4)));
}

LawOfTable joint(const AuditRequest& request) {
  return release_law(request, Mechanism::joint, quantiles_or(request, evenly_spaced(3)));
}

LawOfTable joint_total(const AuditRequest& request) {
  return release_law(request, Mechanism::joint_total, quantiles_or(request, evenly_spaced(3)));
}

LawOfTable joint_tree(const AuditRequest& request) {
  return release_law(request, Mechanism::joint_tree, quantiles_or(request, evenly_spaced(6)));
}

LawOfTable independent(const AuditRequest& request) {
  QuantileQuery query{quantiles_or(request, evenly_spaced(3)), request.budget};
  query.neighbors = request.neighbors;
  query.mechanism = Mechanism::independent;
  query.validate();
  return [query](const RankProfile& profile) {
    return independent_law(profile, {query.quantiles, independent_range(query), query.neighbors, 1});
  };
}

ScoredCandidates scored_candidates(const AuditRequest& request) {
  if (request.budget.measure() != Measure::pure) {
    refuse("--rho: " + request.mechanism + " is audited under pure differential privacy", "give --epsilon");
  }
  const std::vector<Rational> quantiles = quantiles_or(request, {Rational(1, 2)});
  if (quantiles.size() != 1) refuse("--quantiles: " + request.mechanism + " selects one", "give one quantile");
  return {request.values, static_cast<std::uint64_t>(request.records), request.neighbors, quantiles.front(),
          request.budget.epsilon()};
}

LawOfTable gumbel_max(const AuditRequest& request) {
  return [chain = scored_candidates(request)](const RankProfile& profile) {
    const std::vector<Run> runs = chain.runs(profile);
    const std::vector<Enclosure> masses = softmax_law(runs, chain.rate());
    OutputLaw law;
    for (std::size_t k = 0; k < runs.size(); ++k) law.emplace(std::vector<std::uint64_t>{k}, masses[k]);
    return law;
  };
}

/// P(k) = w_k sum_j P[j of the others' coins are heads] / (j + 1).
OutputLaw permute_and_flip_law(const std::vector<Enclosure>& weights) {
  const Enclosure one = Enclosure::of(Rational(1));
  OutputLaw law;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    std::vector<Enclosure> heads{one};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i == k) continue;
      heads.push_back(Enclosure::of(Rational(0)));
      for (std::size_t j = heads.size() - 1; j > 0; --j) {
        heads[j] = heads[j] * (one - weights[i]) + heads[j - 1] * weights[i];
      }
      heads[0] *= one - weights[i];
    }
    Enclosure sum = Enclosure::of(Rational(0));
    for (std::size_t j = 0; j < heads.size(); ++j)
      sum += heads[j] / Enclosure::of(Rational(static_cast<std::int64_t>(j + 1)));
    law.emplace(std::vector<std::uint64_t>{k}, weights[k] * sum);
  }
  return law;
}

LawOfTable permute_and_flip(const AuditRequest& request) {
  return [chain = scored_candidates(request)](const RankProfile& profile) {
    const std::vector<Run> runs = chain.runs(profile);
    const std::uint64_t best = std::ranges::min_element(runs, {}, &Run::score)->score;
    std::vector<Enclosure> weights;
    for (const Run& run : runs) {
      const Exponent cost = chain.rate() * Rational(static_cast<std::int64_t>(run.score - best));
      weights.push_back((Enclosure::of(Rational(0)) - Enclosure::of(cost)).exp());
    }
    return permute_and_flip_law(weights);
  };
}

/// A mechanism registers here, once; the verb, the tests and the documentation follow.
struct Entry {
  const char* name;
  const char* description;
  LawOfTable (*law)(const AuditRequest&);
  bool known_size_under_change_one;
};

constexpr Entry entries[] = {
    {"exponential", "one quantile of a release: interval_score, exponential mechanism", exponential, false},
    {"approximate", "several quantiles of a release: ApproximateQuantiles", approximate, false},
    {"joint", "several quantiles of a release: JointExp", joint, false},
    {"joint-total", "several quantiles of a release, and the total", joint_total, false},
    {"joint-tree", "several quantiles of a release: joint selections of joint selections", joint_tree, false},
    {"independent", "several quantiles of a release, one by one", independent, false},
    {"gumbel-max", "make_quantile_score_candidates (2025) >> make_gumbel_max", gumbel_max, true},
    {"permute-and-flip", "make_quantile_score_candidates (2025) >> make_permute_and_flip", permute_and_flip, true},
};

const Entry& entry_of(const std::string& name) {
  std::string names;
  for (const Entry& entry : entries) {
    if (name == entry.name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  refuse("--mechanism: '" + name + "' is not known", "choose one of " + names);
}

AuditTables tables_of(const AuditRequest& request, const Entry& entry) {
  if (request.records < 1 || request.records > 6)
    refuse("--records: not from 1 to 6", "all tables of that many are tried");
  if (request.values < 1 || request.values > 12) refuse("--values: not from 1 to 12", "all tables of them are tried");
  AuditTables tables{request.values, {}, request.records};
  for (std::uint64_t v = 0; v < request.values; ++v) tables.positions.push_back(2 * v + 1);
  tables.known_size = entry.known_size_under_change_one && request.neighbors == Neighbors::change_one;
  return tables;
}

/// In decimals, exactly where they end.
std::string claim_of(const Budget& budget) {
  const bool pure = budget.measure() == Measure::pure;
  if (pure && budget.epsilon().is_log()) return Enclosure::of(budget.epsilon()).to_decimal(12);
  const Rational& claim = pure ? budget.epsilon().coefficient() : budget.rho();
  return claim.is_decimal() ? claim.to_decimal() : Enclosure::of(claim).to_decimal(12);
}

}  // namespace

std::vector<AuditedMechanism> audited_mechanisms() {
  std::vector<AuditedMechanism> result;
  for (const Entry& entry : entries) result.push_back({entry.name, entry.description});
  return result;
}

AuditReport audit(const AuditRequest& request) {
  const Entry& entry = entry_of(request.mechanism);
  const AuditTables tables = tables_of(request, entry);
  const LawOfTable law = entry.law(request);
  const Budget claim = request.claim.value_or(request.budget);
  if (claim.measure() != request.budget.measure()) {
    refuse("--claim: not in the measure of the budget", "both must be an epsilon, or both a rho");
  }
  const AuditResult result = claim.measure() == Measure::pure
                                 ? audit_pure(tables, law, request.neighbors, claim.epsilon())
                                 : audit_zcdp(tables, law, request.neighbors, claim.rho());
  return {result.holds, claim_of(claim), result.attained.to_decimal(12), result.first, result.second, result.pairs};
}

}  // namespace fractile
