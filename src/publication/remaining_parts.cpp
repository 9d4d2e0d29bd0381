#include "publication/remaining_parts.hpp"

#include <algorithm>
#include <cstdint>

#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "libraries/fmt.hpp"

namespace fractile::publication_detail {
namespace {

/// "table 'pay'", for messages about a part.
std::string name_of(const Publication& publication, const PublicationPart& part) {
  return fmt::format("table '{}'", publication.tables[part.table].name);
}

[[noreturn]] void refuse(const Publication& publication, const PublicationPart& part, const std::string& what) {
  throw Error(ErrorCode::budget_refused,
              fmt::format("nothing is left for {} of the publication's {}: {}", name_of(publication, part),
                          publication.budget.to_string(), what),
              {"nothing was spent; raise the budget in the file, or leave that table out; ", Field("again"),
               " draws all tables again, at the full price"});
}

/// Throws `budget_refused` where all levels are held, and together cost more than the publication's budget.
void require_held_within(const Publication& publication, const std::vector<PublicationPart>& parts,
                         const std::vector<Budget>& costs) {
  const Measure measure = publication.budget.measure();
  Spending sum{measure};
  for (const Budget& cost : costs) {
    if (cost.measure() != measure) refuse(publication, parts.front(), "the ledger holds it under another measure");
    sum.add(cost);
  }
  if (!sum.is_within(publication.budget)) {
    refuse(publication, parts.front(), fmt::format("what the ledger holds of it was published at {}", sum.to_string()));
  }
}

/// The largest multiple of a millionth that is not above the share.
Rational down_to_millionths(const Rational& share) {
  constexpr std::int64_t fineness = 1'000'000;
  return (share * Rational(fineness)).floor() / Rational(fineness);
}

}  // namespace

std::optional<Rational> share_of(const Budget& cost, const Budget& whole) {
  if (cost.measure() != whole.measure()) return {};
  if (cost.measure() == Measure::zcdp) return cost.rho() / whole.rho();
  const Exponent& a = cost.epsilon();
  const Exponent& b = whole.epsilon();
  if (a.is_log() != b.is_log() || (a.is_log() && a.argument() != b.argument())) return {};
  return a.coefficient() / b.coefficient();
}

std::vector<Budget> costs_beside(const Publication& publication, const std::vector<PublicationPart>& parts,
                                 const std::vector<std::optional<Budget>>& held) {
  std::vector<Budget> costs;
  std::optional<std::size_t> first;  // the first level that is not held
  Rational taken;                    // the share of the budget that held levels take
  Rational wanted;                   // the sum of the other levels' shares
  for (std::size_t i = 0; i < parts.size(); ++i) {
    costs.push_back(held[i] ? *held[i] : parts[i].cost);
    if (held[i]) continue;
    if (!first) first = i;
    wanted += parts[i].share;
  }
  const bool is_any_held = std::ranges::any_of(held, [](const auto& each) { return each.has_value(); });
  if (!first) require_held_within(publication, parts, costs);
  if (!first || !is_any_held) return costs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!held[i]) continue;
    const std::optional<Rational> share = share_of(*held[i], publication.budget);
    if (!share) {
      refuse(publication, parts[*first],
             fmt::format("{} was published at {}, and the sum of both cannot be written",
                         name_of(publication, parts[i]), held[i]->to_string()));
    }
    taken += *share;
  }
  const Rational left = Rational(1) - taken;
  if (left <= Rational(0)) {
    refuse(
        publication, parts[*first],
        fmt::format("what the ledger holds of it was published at {}", publication.budget.scaled(taken).to_string()));
  }
  Rational rest = left;
  for (std::size_t i = *first + 1; i < parts.size(); ++i) {
    if (held[i]) continue;
    const Rational share = down_to_millionths(left * parts[i].share / wanted);
    if (share <= Rational(0)) refuse(publication, parts[i], "less than a millionth of it is left");
    costs[i] = publication.budget.scaled(share);
    rest -= share;
  }
  costs[*first] = publication.budget.scaled(rest);
  return costs;
}

bool costs_all(const PublishedTables& tables) {
  const Spending cost = tables.cost();
  const Budget& budget = tables.publication.budget;
  if (budget.measure() == Measure::zcdp) return cost.rho == budget.rho();
  return cost.epsilon == EpsilonSum(budget.epsilon());
}

Budget cost_of(const PublishedTables& published) {
  const Budget& budget = published.publication.budget;
  const Spending cost = published.cost();
  if (costs_all(published)) return budget;
  if (budget.measure() == Measure::zcdp) return Budget::zcdp(cost.rho);
  return cost.epsilon.is_rational() ? Budget::pure(cost.epsilon.upper()) : budget;
}

}  // namespace fractile::publication_detail
