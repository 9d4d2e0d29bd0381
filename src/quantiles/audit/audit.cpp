#include "quantiles/audit/audit.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "exact/checkpoint.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "quantiles/audit/zcdp_divergence.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {

AutoPolicy audit_policy() {
  AutoPolicy policy;
  policy.fine_lattice.value = 10;
  policy.heaped_lattice.value = 10;
  policy.many_quantiles.value = 5;
  policy.many_of_heaps.value = 3;
  policy.subcells = 2;
  policy.always_selected.value = 2;
  policy.fewest_to_find.value = 10;
  policy.short_grid.value = 0;
  policy.shortest_grid.value = 0;
  return policy;
}

namespace {

void require_same_outputs(const ReleaseLaw& p, const ReleaseLaw& q) {
  const bool same = std::ranges::equal(p, q, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (!same) throw Error(ErrorCode::internal, "neighbors with different outputs: not private at any price");
}

/// How many records lie at each of the audit's positions.
using Table = std::vector<std::uint64_t>;

RankProfile profile_of(const AuditTables& tables, const Table& table) {
  CollectedCounts records;
  for (std::size_t k = 0; k < table.size(); ++k) records.add(tables.positions[k], table[k]);
  return std::move(records).on(tables.lattice);
}

std::string described(const AuditTables& tables, const Table& table) {
  std::string text = "{";
  for (std::size_t k = 0; k < table.size(); ++k) {
    for (std::uint64_t i = 0; i < table[k]; ++i) {
      if (text.size() > 1) text += ", ";
      const Position p = tables.positions[k];
      text += p % 2 == 1 ? std::to_string(p / 2) : "<" + std::to_string(p / 2);
    }
  }
  return text + "}";
}

void list_tables(std::size_t position, int records_left, Table& table, std::vector<Table>& all) {
  if (position == table.size()) {
    all.push_back(table);
    return;
  }
  for (int here = 0; here <= records_left; ++here) {
    table[position] = static_cast<std::uint64_t>(here);
    list_tables(position + 1, records_left - here, table, all);
  }
  table[position] = 0;
}

int size_of(const Table& table) {
  return static_cast<int>(std::accumulate(table.begin(), table.end(), std::uint64_t{0}));
}

/// Whether b is a with `distance` records added, removed, or (change_one) replaced, dropped or added.
bool are_neighbors(const Table& a, const Table& b, Neighbors neighbors, int distance) {
  std::uint64_t gained = 0;
  std::uint64_t lost = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    gained += b[k] > a[k] ? b[k] - a[k] : 0;
    lost += a[k] > b[k] ? a[k] - b[k] : 0;
  }
  const auto limit = static_cast<std::uint64_t>(distance);
  if (gained + lost == 0) return false;
  return neighbors == Neighbors::add_remove ? gained + lost <= limit : std::max(gained, lost) <= limit;
}

/// An upper bound of how far apart two laws are, and whether it is certified that they are within the claim, or beyond it.
struct Distance {
  Enclosure at_most;
  bool within;
  bool beyond;
};

/// Tries all pairs with one measure of distance: a function of two laws and the largest distance so far.
template <class PerPair>
AuditResult for_all_pairs(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors, int distance,
                          PerPair&& distance_of) {
  std::vector<Table> all;
  Table start(tables.positions.size(), 0);
  list_tables(0, tables.records, start, all);
  if (tables.known_size) std::erase_if(all, [&](const Table& t) { return size_of(t) != tables.records; });
  std::vector<ReleaseLaw> laws;
  laws.reserve(all.size());
  for (const Table& table : all) {
    checkpoint();
    laws.push_back(law(profile_of(tables, table)));
  }

  AuditResult result;
  result.attained = Enclosure::of(Rational(0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    checkpoint();
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j || !are_neighbors(all[i], all[j], neighbors, distance)) continue;
      ++result.pairs;
      const Distance found = distance_of(laws[i], laws[j], result.attained);
      if (!found.within) result.holds = false;
      if (found.beyond) result.refuted = true;
      if (certainly_less(result.attained, found.at_most)) {
        result.attained = found.at_most;
        result.first = described(tables, all[i]);
        result.second = described(tables, all[j]);
      }
    }
  }
  return result;
}

bool have_same_law(const CountedNoise& a, const CountedNoise& b) {
  return a.price.rate == b.price.rate && a.price.sigma_squared == b.price.sigma_squared &&
         a.counts.size() == b.counts.size();
}

/// The sum of |difference|, or of difference^2 under zCDP.
Rational moved(const CountedNoise& a, const CountedNoise& b, Measure measure) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < a.counts.size(); ++k) {
    const std::int64_t difference = std::abs(a.counts[k] - b.counts[k]);
    sum += measure == Measure::pure ? difference : difference * difference;
  }
  return sum;
}

/// The distance that noise on counts adds: the sum of rate |difference| (attained in the tails), or of difference^2 / (2 sigma^2),
/// which is the Renyi divergence divided by its order.
EpsilonSum noise_distance(const std::vector<CountedNoise>& p, const std::vector<CountedNoise>& q, Measure measure) {
  if (!std::ranges::equal(p, q, have_same_law)) {
    throw Error(ErrorCode::internal, "neighbors with different noise: not private at any price");
  }
  EpsilonSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Rational move = moved(p[i], q[i], measure);
    sum +=
        measure == Measure::pure ? p[i].price.rate * move : Exponent(move / (Rational(2) * p[i].price.sigma_squared));
  }
  return sum;
}

/// The largest distance that the noise adds, over all other outputs.
EpsilonSum largest_noise(const ReleaseLaw& p, const ReleaseLaw& q, Measure measure) {
  require_same_outputs(p, q);
  EpsilonSum largest;
  for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
    largest = std::max(largest, noise_distance(a->second.noises, b->second.noises, measure));
  }
  return largest;
}

/// A rational above an exact number.
Enclosure just_above(const EpsilonSum& sum) { return Enclosure::of(sum.upper()); }

/// The largest D_alpha / alpha: the most that noise adds to an output, plus that of the outputs. The upper bound is only precise
/// enough to decide whether it exceeds `attained`.
RenyiSlope largest_slope(const ReleaseLaw& p, const ReleaseLaw& q, const Rational& rho, const Rational& attained) {
  Rational beside = largest_noise(p, q, Measure::zcdp).upper();
  if (p.size() == 1) return {beside, beside};  // only noise differs: P = Q = 1
  std::vector<Likelihoods> outcomes;
  for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
    outcomes.push_back({a->second.probability, b->second.probability});
  }
  // Equal laws seem to differ by the width of their enclosures, so differences below a thousandth of the claim are not examined.
  const Rational enough = std::max(rho / Rational(1000), attained - beside);
  const RenyiSlope slope = largest_renyi_slope(outcomes, rho - beside, enough);
  return {beside + slope.lower, beside + slope.upper};
}

/// The sum over the outputs of max(0, P - e^epsilon Q).
Enclosure hockey_stick(const ReleaseLaw& p, const ReleaseLaw& q, const Enclosure& odds) {
  require_same_outputs(p, q);
  const Enclosure zero = Enclosure::of(Rational(0));
  Enclosure sum = zero;
  for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
    if (!a->second.noises.empty() || !b->second.noises.empty()) {
      throw Error(ErrorCode::internal, "noise on counts under (epsilon, delta)");
    }
    Enclosure excess = a->second.probability - odds * b->second.probability;
    excess.raise_to(zero);
    sum += excess;
  }
  return sum;
}

}  // namespace

Enclosure max_log_ratio(const ReleaseLaw& p, const ReleaseLaw& q) {
  require_same_outputs(p, q);
  Enclosure worst = Enclosure::of(Rational(-1000000));
  for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
    const Enclosure loss = (a->second.probability / b->second.probability).log() +
                           just_above(noise_distance(a->second.noises, b->second.noises, Measure::pure));
    worst.raise_to(loss);
  }
  return worst;
}

// Where only noise differs, P = Q = 1, and the comparison is exact.
AuditResult audit_pure(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors, const Exponent& epsilon,
                       int distance) {
  const Enclosure claim = Enclosure::of(epsilon);
  return for_all_pairs(tables, law, neighbors, distance,
                       [&](const ReleaseLaw& p, const ReleaseLaw& q, const Enclosure&) {
                         const Enclosure loss = max_log_ratio(p, q);
                         if (p.size() > 1)
                           return Distance{loss, certainly_at_most(loss, claim), certainly_less(claim, loss)};
                         const bool within = largest_noise(p, q, Measure::pure) <= EpsilonSum(epsilon);
                         return Distance{loss, within, !within};
                       });
}

AuditResult audit_zcdp(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors, const Rational& rho,
                       int distance) {
  return for_all_pairs(tables, law, neighbors, distance,
                       [&](const ReleaseLaw& p, const ReleaseLaw& q, const Enclosure& attained) {
                         const RenyiSlope slope = largest_slope(p, q, rho, attained.lower_rational(64));
                         return Distance{Enclosure::of(slope.upper), slope.upper <= rho, slope.lower > rho};
                       });
}

AuditResult audit_approximate(const AuditTables& tables, const AuditedLaw& law, Neighbors neighbors,
                              const Exponent& epsilon, const Rational& delta, int distance) {
  const Enclosure odds = Enclosure::of(epsilon).exp();
  const Enclosure claim = Enclosure::of(delta);
  return for_all_pairs(tables, law, neighbors, distance,
                       [&](const ReleaseLaw& p, const ReleaseLaw& q, const Enclosure&) {
                         const Enclosure excess = hockey_stick(p, q, odds);
                         return Distance{excess, certainly_at_most(excess, claim), certainly_less(claim, excess)};
                       });
}

}  // namespace fractile
