#include "quantiles/audit.hpp"

#include <algorithm>
#include <numeric>

#include "exact/law.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint_law.hpp"

namespace fractile {
namespace {

/// Enclosures, for TreeLaw.
struct EnclosureRing {
  using Number = Enclosure;
  static Enclosure whole(std::uint64_t value) { return Enclosure::of(Rational(static_cast<std::int64_t>(value))); }
  static std::vector<Enclosure> masses(const std::vector<Run>& runs, const Exponent& rate) {
    return softmax_law(runs, rate);
  }
  static std::map<std::vector<Split>, Enclosure> joint(const JointProblem& problem) {
    return joint_splits_law(problem);
  }
};

}  // namespace

OutputLaw quantile_law(const QuantileTree& tree) { return TreeLaw(tree, EnclosureRing{}).law(); }

namespace {

void require_same_outputs(const OutputLaw& p, const OutputLaw& q) {
  const bool same = std::ranges::equal(p, q, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (!same) throw Error(ErrorCode::internal, "neighbours with different outputs: not private at any price");
}

}  // namespace

Enclosure max_log_ratio(const OutputLaw& p, const OutputLaw& q) {
  require_same_outputs(p, q);
  Enclosure worst = Enclosure::of(Rational(-1000000));
  for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
    const Enclosure ratio = (a->second / b->second).log();
    arb_max(worst.arb(), worst.arb(), ratio.arb(), Enclosure::default_precision);
  }
  return worst;
}

namespace {

/// How many records lie at each of the audit's positions.
using Table = std::vector<std::uint64_t>;

RankProfile profile_of(const AuditTables& tables, const Table& table) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k] == 0) continue;
    positions.push_back(tables.positions[k]);
    counts.push_back(table[k]);
  }
  return {tables.candidates, std::move(positions), counts};
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

/// Tries all pairs with one way of telling how far apart two laws are.
template <class PerPair>
AuditResult for_all_pairs(const AuditTables& tables, const std::function<OutputLaw(const RankProfile&)>& law,
                          Neighbors neighbors, int distance, PerPair&& divergence, const Enclosure& claim) {
  std::vector<Table> all;
  Table start(tables.positions.size(), 0);
  list_tables(0, tables.records, start, all);
  if (tables.known_size) std::erase_if(all, [&](const Table& t) { return size_of(t) != tables.records; });
  std::vector<OutputLaw> laws;
  laws.reserve(all.size());
  for (const Table& table : all) laws.push_back(law(profile_of(tables, table)));

  AuditResult result;
  result.attained = Enclosure::of(Rational(0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j || !are_neighbors(all[i], all[j], neighbors, distance)) continue;
      ++result.pairs;
      const Enclosure loss = divergence(laws[i], laws[j]);
      if (!certainly_at_most(loss, claim)) result.holds = false;
      if (certainly_less(result.attained, loss)) {
        result.attained = loss;
        result.first = described(tables, all[i]);
        result.second = described(tables, all[j]);
      }
    }
  }
  return result;
}

/// max over the orders of D_alpha(P || Q) / alpha, D_alpha = ln(sum P^alpha Q^(1 - alpha)) / (alpha - 1).
Enclosure max_renyi_slope(const OutputLaw& p, const OutputLaw& q) {
  require_same_outputs(p, q);
  Enclosure worst = Enclosure::of(Rational(0));
  for (const Rational& alpha : {Rational(101, 100), Rational(3, 2), Rational(2), Rational(3), Rational(5), Rational(10),
                                Rational(30), Rational(100)}) {
    const Enclosure order = Enclosure::of(alpha);
    Enclosure sum = Enclosure::of(Rational(0));
    for (auto a = p.begin(), b = q.begin(); a != p.end(); ++a, ++b) {
      sum += b->second * (order * (a->second / b->second).log()).exp();
    }
    const Enclosure slope = sum.log() / Enclosure::of((alpha - Rational(1)) * alpha);
    arb_max(worst.arb(), worst.arb(), slope.arb(), Enclosure::default_precision);
  }
  return worst;
}

}  // namespace

AuditResult audit_pure(const AuditTables& tables, const std::function<OutputLaw(const RankProfile&)>& law,
                       Neighbors neighbors, const Exponent& epsilon, int distance) {
  return for_all_pairs(tables, law, neighbors, distance, max_log_ratio, Enclosure::of(epsilon));
}

AuditResult audit_zcdp(const AuditTables& tables, const std::function<OutputLaw(const RankProfile&)>& law,
                       Neighbors neighbors, const Rational& rho, int distance) {
  return for_all_pairs(tables, law, neighbors, distance, max_renyi_slope, Enclosure::of(rho));
}

}  // namespace fractile
