#include <algorithm>
#include <utility>

#include "exact/law.hpp"
#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/enumerated_draws.hpp"
#include "quantiles/audit/scored_candidates.hpp"
#include "quantiles/release/release.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse(const Words& what, const Words& hint) { throw Error(ErrorCode::usage, what, hint); }

std::vector<Rational> quantiles_or(const AuditRequest& request, const std::vector<Rational>& otherwise) {
  return request.quantiles.empty() ? otherwise : request.quantiles;
}

// --- Mechanisms of a release ----------------------------------------------------------------------------------------

/// With intervals, the count of rows has two outcomes, each with different brackets, and both are enumerated: the expected number of
/// rows, and a number so much larger that its brackets differ.
AutoPolicy policy_of(const AuditRequest& request) {
  constexpr std::uint64_t told = 32;  // rows, if the request expects no number
  constexpr std::uint64_t times = 16;
  AutoPolicy policy = audit_policy();
  if (request.intervals)
    policy.rows = {request.expected_rows.value_or(told), times * request.expected_rows.value_or(told)};
  return policy;
}

const std::vector<GroupKey> keys{"a", "b"};

BoundsSearch search_of(const AuditRequest& request) { return {1, request.doublings.value()}; }

Lattice lattice_of(const AuditRequest& request) {
  if (request.doublings) return search_of(request).lattice();
  if (request.lattice) return *request.lattice;
  return Lattice::numbers(request.values);
}

/// The records of one of two groups, on its lattice: the second group's candidates come after the first one's.
RankProfile group_of(const RankProfile& table, const Lattice& lattice, bool second) {
  const std::uint64_t candidates = lattice.size();
  CollectedCounts records;
  for (std::size_t k = 0; k < table.distinct(); ++k) {
    const Position p = table.position(k);
    if ((p > 2 * candidates) == second) records.add(second ? p - 2 * candidates : p, table.count(k));
  }
  return std::move(records).on(lattice);
}

/// Runs the audited release with draws from a source.
class AuditedRelease {
 public:
  AuditedRelease(const AuditRequest& request, Mechanism mechanism, std::vector<Rational> quantiles)
      : grouped_(request.groups),
        options_(QuantileQuery{std::move(quantiles), request.budget}),
        lattice_(lattice_of(request)),
        policy_(policy_of(request)) {
    QuantileQuery& query = options_.query;
    query.neighbors = request.neighbors;
    query.mechanism = mechanism;
    query.records_per_person = request.records_per_person;
    query.base = request.base;
    query.expected_rows = request.expected_rows;
    query.intervals = request.intervals;
    query.validate(lattice_);
    if (request.groups) group_query(query);
    if (request.doublings) options_.bounds = BoundsToFind{search_of(request), request.bounds_share};
    options_.statistics = request.statistics;
  }

  Release run(const RankProfile& table, DrawSource& source) const {
    if (!grouped_) return release_with(table, options_, source, policy_);
    const std::vector<RankProfile> profiles{group_of(table, lattice_, false), group_of(table, lattice_, true)};
    return release_with(keys, profiles, options_, source, policy_);
  }

  /// Everything that is published, except what is computed from noisy counts.
  std::vector<std::uint64_t> published(const Release& release) const {
    std::vector<std::uint64_t> output;
    const auto add = [&](const Rational& value) { output.push_back((value / lattice_.step()).to_uint64()); };
    const auto add_grid = [&](const std::optional<RoundGrid>& grid) { output.push_back(grid ? grid->stride : 0); };
    for (const Release::Group& group : release.groups) {
      if (release.bounds) add(release.lattice.lower() - lattice_.lower());
      if (release.bounds) add(release.lattice.upper() - lattice_.lower());
      const auto& [plan, found, selected] = *group.course;
      output.push_back(found.rows ? *found.rows + 1 : 0);
      add_grid(found.grid);
      add_grid(found.heaps);
      if (stage_in<CountOnTree>(plan->stages(found))) continue;
      output.insert(output.end(), selected.begin(), selected.end());
    }
    return output;
  }

 private:
  bool grouped_;
  ReleaseOptions options_;
  Lattice lattice_;
  AutoPolicy policy_;
};

AuditedLaw release_law(const AuditRequest& request, Mechanism mechanism, std::vector<Rational> quantiles) {
  return [release = AuditedRelease(request, mechanism, std::move(quantiles))](const RankProfile& table) {
    ReleaseLaw law;
    EnumeratedDraws draws;
    std::vector<std::uint64_t> output;
    draws.run([&] { output = release.published(release.run(table, draws)); },
              [&](const Enclosure& p, const std::vector<CountedNoise>& noises) {
                const auto [at, fresh] = law.try_emplace(output, ReleaseOutcome{p, noises});
                if (fresh) return;
                at->second.probability += p;
                if (at->second.noises != noises) {
                  throw Error(ErrorCode::internal, "counts that are not a function of what came before");
                }
              });
    return law;
  };
}

std::vector<Rational> evenly_spaced(std::int64_t parts) {
  std::vector<Rational> result;
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

template <Mechanism mechanism, std::int64_t parts>
AuditedLaw released(const AuditRequest& request) {
  return release_law(request, mechanism, quantiles_or(request, evenly_spaced(parts)));
}

// --- The papers' mechanisms on candidates ---------------------------------------------------------------------------

void refuse_options_of_releases(const AuditRequest& request) {
  if (request.groups || request.doublings || request.lattice || request.expected_rows ||
      request.base != Base::by_mechanism || request.records_per_person != 1 || request.intervals ||
      request.statistics) {
    refuse(request.mechanism +
               " is not a release: it has no bounds, groups, base, intervals, counts or records per person",
           "leave these options out");
  }
}

ScoredCandidates scored_candidates(const AuditRequest& request) {
  refuse_options_of_releases(request);
  if (request.budget.measure() != Measure::pure) {
    refuse(request.mechanism + " is audited under pure differential privacy",
           {"give ", Field("epsilon"), ", without ", Field("rho"), " or ", Field("delta")});
  }
  const std::vector<Rational> quantiles = quantiles_or(request, {Rational(1, 2)});
  if (quantiles.size() != 1) {
    refuse({Field("quantiles"), ": ", request.mechanism, " selects one"}, "give one quantile");
  }
  return {request.values, static_cast<std::uint64_t>(request.records), request.neighbors, quantiles.front(),
          request.budget.epsilon()};
}

AuditedLaw gumbel_max(const AuditRequest& request) {
  return [chain = scored_candidates(request)](const RankProfile& profile) {
    const std::vector<Run> runs = chain.runs(profile);
    const std::vector<Enclosure> masses = softmax_law(runs, chain.rate());
    ReleaseLaw law;
    for (std::size_t k = 0; k < runs.size(); ++k) law.emplace(std::vector<std::uint64_t>{k}, ReleaseOutcome{masses[k]});
    return law;
  };
}

/// P(k) = w_k sum_j P[j of the others' coins are heads] / (j + 1).
ReleaseLaw permute_and_flip_law(const std::vector<Enclosure>& weights) {
  const Enclosure one = Enclosure::of(Rational(1));
  ReleaseLaw law;
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
    for (std::size_t j = 0; j < heads.size(); ++j) sum += heads[j] / Enclosure::of(Rational(j + 1));
    law.emplace(std::vector<std::uint64_t>{k}, ReleaseOutcome{weights[k] * sum});
  }
  return law;
}

AuditedLaw permute_and_flip(const AuditRequest& request) {
  return [chain = scored_candidates(request)](const RankProfile& profile) {
    const std::vector<Run> runs = chain.runs(profile);
    const std::uint64_t best = std::ranges::min_element(runs, {}, &Run::score)->score;
    return permute_and_flip_law(
        mapped(runs, [&](const Run& run) { return exp_of_minus(chain.rate() * Rational(run.score - best)); }));
  };
}

/// A mechanism registers here once; the verb, the tests and the documentation follow from it.
struct Entry {
  const char* name;
  const char* description;
  AuditedLaw (*law)(const AuditRequest&);
  bool known_size_under_change_one;
};

constexpr Entry entries[] = {
    {"auto", "several quantiles of a release, by what auto chooses", released<Mechanism::automatic, 3>, false},
    {"exponential", "one quantile of a release: interval_score, exponential mechanism",
     released<Mechanism::exponential, 2>, false},
    {"approximate", "several quantiles of a release: ApproximateQuantiles", released<Mechanism::approximate, 4>, false},
    {"joint", "several quantiles of a release: JointExp", released<Mechanism::joint, 3>, false},
    {"joint-total", "several quantiles of a release, and the total", released<Mechanism::joint_total, 3>, false},
    {"joint-tree", "several quantiles of a release: joint selections of joint selections",
     released<Mechanism::joint_tree, 5>, false},
    {"independent", "several quantiles of a release, one by one", released<Mechanism::independent, 3>, false},
    {"tree", "several quantiles of a release, from noisy counts", released<Mechanism::tree, 4>, false},
    {"gumbel-max", "make_quantile_score_candidates (2025) >> make_gumbel_max", gumbel_max, true},
    {"permute-and-flip", "make_quantile_score_candidates (2025) >> make_permute_and_flip", permute_and_flip, true},
};

const Entry& entry_of(const std::string& name) {
  const auto* const entry = std::ranges::find(entries, name, &Entry::name);
  if (entry != std::end(entries)) return *entry;
  const std::vector<std::string> names = mapped(entries, [](const Entry& each) { return std::string(each.name); });
  refuse({Field("mechanism"), ": '", name, "' is not known"}, fmt::format("choose one of {}", fmt::join(names, ", ")));
}

/// Positions of `values` evenly spread candidates, including the first and the last.
std::vector<Position> spread(std::uint64_t candidates, std::uint64_t values) {
  if (values >= candidates) values = candidates;
  return tabulated(values,
                   [&](std::uint64_t i) { return 2 * (values == 1 ? 0 : i * (candidates - 1) / (values - 1)) + 1; });
}

AuditTables tables_of(const AuditRequest& request, const Entry& entry) {
  if (request.records < 1 || request.records > 6)
    refuse({Field("records"), ": not from 1 to 6"}, "all tables of that many are tried");
  if (request.values < 1 || request.values > 12)
    refuse({Field("values"), ": not from 1 to 12"}, "all tables of them are tried");
  if (request.doublings && (*request.doublings < 1 || *request.doublings > 4))
    refuse({Field("doublings"), ": not from 1 to 4"}, "all bounds are tried");
  const Lattice lattice = lattice_of(request);
  if (!lattice.is_regular()) refuse("a list of candidates", "audit a lattice with a step");
  const std::uint64_t candidates = lattice.size();
  if (candidates > 200)
    refuse({Field("bounds"), ": more than 200 possible values"},
           {"all outputs are listed; take a coarser ", Field("step")});
  AuditTables tables{lattice, spread(candidates, request.values), request.records};
  if (request.groups) {
    tables.lattice = Lattice::numbers(2 * candidates);
    for (const Position p : spread(candidates, request.values)) tables.positions.push_back(2 * candidates + p);
  }
  tables.known_size = entry.known_size_under_change_one && request.neighbors == Neighbors::change_one;
  return tables;
}

/// In decimals; exact where the expansion ends.
std::string decimals_of(const Rational& claim) {
  return claim.is_decimal() ? claim.to_decimal() : Enclosure::of(claim).to_decimal(12);
}

std::string claim_of(const Budget& budget) {
  switch (budget.measure()) {
    case Measure::approximate:
      return decimals_of(budget.delta());
    case Measure::zcdp:
      return decimals_of(budget.rho());
    default:
      if (budget.epsilon().is_log()) return Enclosure::of(budget.epsilon()).to_decimal(12);
      return decimals_of(budget.epsilon().coefficient());
  }
}

AuditResult result_of(const AuditRequest& request, const AuditTables& tables, const AuditedLaw& law,
                      const Budget& claim) {
  const int distance = static_cast<int>(std::min<std::uint32_t>(request.records_per_person, 6));
  switch (claim.measure()) {
    case Measure::approximate:
      return audit_approximate(tables, law, request.neighbors, claim.epsilon(), claim.delta(), distance);
    case Measure::zcdp:
      return audit_zcdp(tables, law, request.neighbors, claim.rho(), distance);
    default:
      return audit_pure(tables, law, request.neighbors, claim.epsilon(), distance);
  }
}

}  // namespace

std::vector<AuditedMechanism> audited_mechanisms() {
  return mapped(entries, [](const Entry& entry) { return AuditedMechanism{entry.name, entry.description}; });
}

AuditReport audit(const AuditRequest& request) {
  const OwnEnvironment own;
  const Entry& entry = entry_of(request.mechanism);
  const AuditTables tables = tables_of(request, entry);
  const AuditedLaw law = entry.law(request);
  const Budget claim = request.claim.value_or(request.budget);
  if (claim.measure() != request.budget.measure()) {
    refuse({Field("claim"), ": not in the measure of the budget"},
           "both must be an epsilon, or both a rho, or both a delta");
  }
  const AuditResult result = result_of(request, tables, law, claim);
  if (!result.holds && !result.refuted) {
    throw Error(
        ErrorCode::usage,
        "the claim is neither certified nor refuted: probabilities are enclosed to some 38 digits, and the audit "
        "of so small or so large a budget needs more",
        "audit the mechanism at an ordinary budget, such as 1");
  }
  return {result.holds, claim_of(claim), result.attained.to_decimal(12), result.first, result.second, result.pairs};
}

}  // namespace fractile
