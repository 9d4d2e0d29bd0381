#include "publication/remaining_parts.hpp"

#include <algorithm>
#include <cstdint>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "libraries/fmt.hpp"
#include "publication/tables.hpp"
#include "report/text/decimals.hpp"

namespace fractile::publication_detail {
namespace {

/// "table 'pay'", for messages about a part.
std::string name_of(const Publication& publication, const PublicationPart& part) {
  return fmt::format("table '{}'", publication.tables[part.table].name);
}

/// "table 'pay', everyone": a part that is one level of several.
std::string level_name(const Publication& publication, const PublicationPart& part) {
  const PublicationTable& table = publication.tables[part.table];
  const KeyLevel& level = table.levels[part.level];
  std::string name = name_of(publication, part);
  if (table.drawn_levels() == 1) return name;
  return level.empty() ? name + ", everyone" : name + " by " + to_string(columns_of(table, level));
}

[[noreturn]] void refuse(const Publication& publication, const PublicationPart& part, const std::string& what) {
  throw Error(ErrorCode::budget_refused,
              fmt::format("nothing is left for {} of the publication's {}: {}", name_of(publication, part),
                          publication.budget.to_string(), what),
              {"nothing was spent; raise the budget in the file, or leave that table out; ", Field("again"),
               " draws all tables again, at the full price"});
}

/// Throws `budget_refused` if a held level cost less than the target takes that the file now states for it.
void require_targets_met(const Publication& publication, const std::vector<PublicationPart>& parts,
                         const std::vector<std::optional<Budget>>& held) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!held[i] || !parts[i].least) continue;
    Spending least{held[i]->measure()};
    least.add(*parts[i].least);
    if (least.is_within(*held[i])) continue;
    throw Error(
        ErrorCode::budget_refused,
        {Field("target"), fmt::format(": {} was published at {}, as the ledger says, and the target takes {}",
                                      level_name(publication, parts[i]), report_detail::with_decimals(*held[i]),
                                      report_detail::with_decimals(*parts[i].least))},
        {"nothing was spent; take that table's target out of the file, and it keeps its numbers; or pay for all tables "
         "again with ",
         Field("again")},
        "target");
  }
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

/// What is left beside held levels, as a share of the budget. Throws `budget_refused` unless it is above 0 and can be written.
Rational left_beside(const Publication& publication, const std::vector<PublicationPart>& parts,
                     const std::vector<std::optional<Budget>>& held) {
  const auto is_to_pay = [](const auto& each) { return !each.has_value(); };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(held, is_to_pay) - held.begin());
  Rational taken;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!held[i]) continue;
    const std::optional<Rational> share = share_of(*held[i], publication.budget);
    if (!share) {
      refuse(publication, parts[first],
             fmt::format("{} was published at {}, and the sum of both cannot be written",
                         name_of(publication, parts[i]), held[i]->to_string()));
    }
    taken += *share;
  }
  if (taken < Rational(1)) return Rational(1) - taken;
  refuse(publication, parts[first],
         fmt::format("what the ledger holds of it was published at {}", publication.budget.scaled(taken).to_string()));
}

/// Throws `budget_refused` where targets need more than is left, or all of it while other tables need a part.
void require_affordable(const Publication& publication, const Rational& left, const Rational& needed, bool is_shared) {
  if (needed < left || (needed == left && !is_shared)) return;
  const Budget& budget = publication.budget;
  const bool is_rho = budget.measure() == Measure::zcdp;
  const Budget whole = budget.scaled(Rational(1) - left + needed);
  throw Error(
      ErrorCode::budget_refused,
      {Field("target"),
       fmt::format(": the targets cost {}, but the publication has {}{} beside what the ledger holds of it",
                   report_detail::with_decimals(budget.scaled(needed)),
                   report_detail::with_decimals(budget.scaled(left)),
                   is_shared ? " for them and for other tables" : "")},
      {is_shared ? "nothing was spent; allow larger errors, or write more than "
                 : "nothing was spent; allow larger errors, or write at least ",
       Field(is_rho ? "rho" : "epsilon").number(is_rho ? whole.rho().to_string() : whole.epsilon().to_string())},
      "target");
}

/// The levels that share what is neither held nor needed for targets: those without a target or, if all tables have one, all levels to pay.
std::vector<std::size_t> sharing(const std::vector<PublicationPart>& parts,
                                 const std::vector<std::optional<Budget>>& held) {
  const auto has_target = [](const PublicationPart& part) { return part.least.has_value(); };
  const bool all_have_targets = std::ranges::all_of(parts, has_target);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!held[i] && (all_have_targets || !has_target(parts[i]))) which.push_back(i);
  }
  return which;
}

/// Gives these levels the rest of the budget, in proportion to their shares, in addition to `shares`.
void share_rest(const Publication& publication, const std::vector<PublicationPart>& parts,
                const std::vector<std::size_t>& which, const Rational& rest, std::vector<Rational>& shares) {
  const auto wanted = sum_over<Rational>(which, [&](std::size_t i) { return parts[i].share; });
  Rational left = rest;
  for (const std::size_t i : which) {
    if (i == which.front()) continue;
    const Rational share = down_to_millionths(rest * parts[i].share / wanted);
    if (share <= Rational(0) && !parts[i].least) {
      refuse(publication, parts[i], "less than a millionth of it is left");
    }
    shares[i] += share;
    left -= share;
  }
  if (!which.empty()) shares[which.front()] += left;
}

/// What held levels leave of the budget: what targets need, and the rest among the other levels.
std::vector<Budget> costs_of_rest(const Publication& publication, const std::vector<PublicationPart>& parts,
                                  const std::vector<std::optional<Budget>>& held) {
  const Rational left = left_beside(publication, parts, held);
  std::vector<Rational> shares(parts.size());
  Rational needed;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (held[i] || !parts[i].least) continue;
    shares[i] = share_of(*parts[i].least, publication.budget).value();
    needed += shares[i];
  }
  const std::vector<std::size_t> others = sharing(parts, held);
  const bool is_shared = std::ranges::any_of(others, [&](std::size_t i) { return !parts[i].least; });
  require_affordable(publication, left, needed, is_shared);
  share_rest(publication, parts, others, left - needed, shares);
  return tabulated(parts.size(),
                   [&](std::size_t i) { return held[i] ? *held[i] : publication.budget.scaled(shares[i]); });
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
  require_targets_met(publication, parts, held);
  std::vector<Budget> costs = tabulated(
      parts.size(), [&](std::size_t i) { return held[i] ? *held[i] : parts[i].least.value_or(parts[i].cost); });
  if (publication.is_least) return costs;
  const auto is_held = [](const auto& each) { return each.has_value(); };
  if (std::ranges::none_of(held, is_held)) return mapped(parts, &PublicationPart::cost);
  if (!std::ranges::all_of(held, is_held)) return costs_of_rest(publication, parts, held);
  require_held_within(publication, parts, costs);
  return costs;
}

Budget budget_beside(const Publication& publication, const std::vector<Budget>& costs) {
  if (!publication.is_least) return publication.budget;
  Spending sum{publication.budget.measure()};
  for (const Budget& cost : costs) sum.add(cost);
  return sum.measure == Measure::zcdp ? Budget::zcdp(sum.rho) : Budget::pure(sum.epsilon.upper());
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
