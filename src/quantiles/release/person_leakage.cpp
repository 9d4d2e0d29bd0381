// Proof: docs/proofs/leakage.md, "Releases of quantiles"
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "privacy/guessing.hpp"
#include "quantiles/release/attacker.hpp"
#include "quantiles/stages/plan.hpp"
#include "ranks/span.hpp"

namespace fractile {
namespace {

using About = PersonGuess::About;

constexpr std::int64_t printed_bits = 60;

/// Rounded up, and at most 1.
Rational at_most(const Enclosure& probability) {
  if (!probability.is_finite()) return 1;
  return std::min(probability.upper_rational(printed_bits), Rational(1));
}

// --- By the budget alone ----------------------------------------------------------------------------------------------

/// The number of the relation's steps between two possibilities; 0 where the promise does not cover them.
int steps_between(Neighbors neighbors, About about) {
  if (about == About::presence) return neighbors == Neighbors::add_remove ? 1 : 0;
  return neighbors == Neighbors::add_remove ? 2 : 1;
}

/// The bound from an (epsilon, delta) that holds between any two possibilities.
Enclosure allowed_with_delta(const std::vector<Rational>& priors, const Exponent& epsilon, const Rational& delta) {
  const Enclosure odds = Enclosure::of(epsilon, guess_bits).exp();
  const Enclosure pure = most_guessed(priors, odds);
  const Rational others(static_cast<std::int64_t>(priors.size()) - 1);
  return pure * (enclosed(1) + enclosed(delta * others) / odds);
}

Enclosure allowed_under_zcdp(const std::vector<Rational>& priors, const Rational& rho) {
  constexpr std::int64_t deltas[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20};  // powers of 1/10
  Enclosure least = enclosed(1);
  for (const std::int64_t power : deltas) {
    const Rational delta = Rational(10).pow(-power);
    least.lower_to(allowed_with_delta(priors, Exponent(epsilon_of_zcdp(rho, delta)), delta));
  }
  return least;
}

Enclosure allowed_by(const Budget& budget, int steps, const std::vector<Rational>& priors) {
  if (steps == 0) return enclosed(1);
  switch (budget.measure()) {
    case Measure::pure:
      return most_guessed(priors, Enclosure::of(budget.epsilon() * Rational(steps), guess_bits).exp());
    case Measure::zcdp:
      return allowed_under_zcdp(priors, group_zcdp(budget.rho(), steps));
    case Measure::approximate:
      break;
  }
  // Two steps cost 2 epsilon and (1 + e^epsilon) delta.
  const Exponent& epsilon = budget.epsilon();
  Rational delta = budget.delta();
  if (steps == 2) delta *= Rational(1) + Enclosure::of(epsilon, guess_bits).exp().upper_rational(printed_bits);
  return allowed_with_delta(priors, epsilon * Rational(steps), delta);
}

// --- By what each stage may cost --------------------------------------------------------------------------------------

/// A part of a release: the log ratios of its law under two possibilities lie in an interval of this length that contains 0. For a
/// selection, the interval may have any place; for other noise, both ends are at most this far from 0.
struct PartRange {
  Enclosure length;
  bool is_selection;
};

/// Bounds the guesses between two possibilities with given joint probabilities, after parts of a release that have these ranges.
class PartsBound {
 public:
  explicit PartsBound(std::vector<PartRange> parts) : parts_(std::move(parts)) {
    const auto by_use = [](const PartRange& a, const PartRange& b) {
      if (a.is_selection != b.is_selection) return b.is_selection;
      return a.length.to_double() < b.length.to_double();
    };
    std::ranges::sort(parts_, by_use);  // the widest selection last
  }

  /// `first` and `second` are the joint probabilities.
  Enclosure right(const Enclosure& first, const Enclosure& second) const { return right(first, second, 0); }

 private:
  Enclosure right(const Enclosure& first, const Enclosure& second, std::size_t part) const {
    if (part == parts_.size()) {
      Enclosure most = first;
      most.raise_to(second);
      return most;
    }
    const Enclosure odds = parts_[part].length.exp();
    if (part + 1 == parts_.size() && parts_[part].is_selection) return after_selection(first, second, odds);
    const Enclosure likely = odds / (enclosed(1) + odds);
    const Enclosure rare = enclosed(1) / (enclosed(1) + odds);
    return right(first * likely, second * rare, part + 1) + right(first * rare, second * likely, part + 1);
  }

  /// ((a + b) r - 2 sqrt(a b r)) / (r - 1), unless one possibility is more than r times as likely as the other. (r: odds.)
  static Enclosure after_selection(const Enclosure& a, const Enclosure& b, const Enclosure& odds) {
    if (certainly_at_most(odds * a, b)) return b;
    if (certainly_at_most(odds * b, a)) return a;
    return ((a + b) * odds - enclosed(2) * (a * b * odds).sqrt()) / (odds - enclosed(1));
  }

  std::vector<PartRange> parts_;
};

/// The ranges of the parts of a release that runs these stages. Nothing if the cost of some part is not the length of a range.
class RangesOfParts {
 public:
  RangesOfParts(const QuantileQuery& query, const QuantilePlan& plan, int steps)
      : query_(query), plan_(plan), steps_(steps) {}

  std::optional<std::vector<PartRange>> of(const PreliminaryOutcome& found) const {
    if (query_.budget.measure() == Measure::approximate) return {};
    const std::vector<Stage> stages = plan_.stages(found);
    const Budget& whole = plan_.query.budget;
    const Budget rest = query_after(plan_.query, shares_taken(stages)).budget;
    std::vector<PartRange> parts;
    for (const Stage& stage : stages) {
      if (const auto* counts = std::get_if<CountRows>(&stage)) {
        if (!add_noise(parts, share_of(whole, counts->shares))) return {};
      } else if (is_preliminary(stage)) {
        parts.push_back({selection_range(share_of(whole, 1)), true});
      } else if (const auto* selection = std::get_if<SelectQuantiles>(&stage)) {
        add_levels(parts, *selection, rest);
      } else if (std::holds_alternative<CountOnTree>(stage) || std::holds_alternative<SelectEach>(stage)) {
        if (!add_noise(parts, rest)) return {};
      } else if (std::holds_alternative<CountCells>(stage)) {
        return {};
      }
    }
    return parts;
  }

 private:
  static Budget share_of(const Budget& whole, int shares) {
    return whole.scaled(preliminary_share(whole.measure()) * Rational(shares));
  }

  /// Two nodes of a level that share a replaced record cost sqrt 2 times as much as one node under zCDP, and the same as one node
  /// under pure privacy.
  Enclosure selection_range(const Budget& budget) const {
    if (budget.measure() == Measure::pure) return Enclosure::of(budget.epsilon() * Rational(steps_), guess_bits);
    const Rational squared = Rational(query_.neighbors == Neighbors::change_one ? 16 : 8) * budget.rho();
    return enclosed(squared).sqrt() * enclosed(steps_);
  }

  /// Only under pure privacy.
  bool add_noise(std::vector<PartRange>& parts, const Budget& budget) const {
    if (budget.measure() != Measure::pure) return false;
    parts.push_back({selection_range(budget), false});
    return true;
  }

  void add_levels(std::vector<PartRange>& parts, const SelectQuantiles& selection, const Budget& rest) const {
    for (std::size_t level = 0; level < selection.shape.widths.size(); ++level) {
      const Rational times = selection.shape.emphasis.empty() ? Rational(1) : selection.shape.emphasis[level];
      parts.push_back({selection_range(rest.scaled(times / selection.levels)), true});
    }
  }

  const QuantileQuery& query_;
  const QuantilePlan& plan_;
  int steps_;
};

Enclosure summed(const std::vector<PartRange>& parts) {
  Enclosure sum = enclosed(0);
  for (const PartRange& part : parts) sum += part.length;
  return sum;
}

constexpr std::size_t most_parts = 12;

/// The bound for any outcome of the preliminary stages.
Enclosure right_by_parts(const QuantileQuery& query, const QuantilePlan& plan, int steps,
                         const std::vector<Rational>& priors) {
  Enclosure otherwise = allowed_by(query.budget, steps, priors);
  if (steps == 0 || query.intervals) return otherwise;
  const RangesOfParts ranges(query, plan, steps);
  Enclosure most = enclosed(0);
  std::vector<std::vector<double>> seen;
  for (const PreliminaryOutcome& found : plan.outcomes()) {
    const std::optional<std::vector<PartRange>> parts = ranges.of(found);
    if (!parts || parts->size() > most_parts) return otherwise;
    std::vector<double> lengths;
    for (const PartRange& part : *parts)
      lengths.push_back(part.is_selection ? part.length.to_double() : -part.length.to_double());
    if (std::ranges::find(seen, lengths) != seen.end()) continue;
    seen.push_back(std::move(lengths));
    most.raise_to(priors.size() == 2 ? PartsBound(*parts).right(enclosed(priors[0]), enclosed(priors[1]))
                                     : most_guessed(priors, summed(*parts).exp()));
  }
  most.lower_to(otherwise);
  return most;
}

// --- Among others like the reference table's ---------------------------------------------------------------------------

struct Question {
  const QuantileQuery& query;
  const QuantilePlan& plan;
  const KnownTable& table;
  const PersonGuess& guess;
  const std::vector<bool>& above;
  const std::vector<Rational>& priors;
  int steps;
};

/// The bound if earlier observations have likelihood ratios of at most `odds`.
Enclosure right_after(const Enclosure& right, const Enclosure& odds) {
  const Enclosure one = enclosed(1);
  Enclosure bound = right * odds;
  bound.lower_to(one - (one - right) / odds);
  return bound;
}

/// The bound if, after the preliminary stages found this, the stages select one quantile and nothing else.
std::optional<Enclosure> right_when_found(const Question& question, const PreliminaryOutcome& found) {
  const std::vector<Stage> stages = question.plan.stages(found);
  const auto* selection = stage_in<SelectQuantiles>(stages);
  if (selection == nullptr || selection->released.size() != 1 || stage_in<CountRows>(stages) != nullptr ||
      stage_in<CountCells>(stages) != nullptr) {
    return {};
  }
  const QuantileQuery rest = query_after(question.plan.query, shares_taken(stages));
  const Calibration calibration(rest, selection->levels);
  const QuantileFraction alpha = QuantileFraction::of(selection->released.front());
  const BaseMeasure weights(0, question.table.candidates - 1, 1, {}, selection->shape.numbers, selection->shape.origin);
  const Attacker attacker(question.table, {alpha, calibration.rate(alpha, true), weights}, question.guess.about,
                          question.above);
  constexpr int from_value_to_value = 2;  // also for presence, since a present person's value is not known either
  const int steps = question.guess.about == About::presence ? from_value_to_value : question.steps;
  auto parts = RangesOfParts(question.query, question.plan, steps).of(found);
  if (!parts) return {};
  parts->pop_back();  // the selection itself
  const bool is_value = question.guess.about == About::value;
  const Enclosure right = is_value ? attacker.right_about_value() : attacker.right_about_two();
  return parts->empty() ? right : right_after(right, summed(*parts).exp());
}

std::optional<Rational> right_among_these(const Question& question) {
  if (question.steps == 0 || question.query.records_per_person != 1 || question.query.intervals) return {};
  Enclosure most = enclosed(0);
  for (const PreliminaryOutcome& found : question.plan.outcomes()) {
    const std::optional<Enclosure> here = right_when_found(question, found);
    if (!here) return {};
    most.raise_to(*here);
  }
  return at_most(most);
}

// --- By the distribution alone ------------------------------------------------------------------------------------------

/// An upper bound of the same for n with too many terms to add. Since E |X - n p| <= sqrt(variance), half of that is a bound. By
/// Hoeffding's inequality, the tail beyond `least` + s is at most exp(-2 (away + s)^2 / n), where away = least - n p.
Enclosure excess_among_many(const Rational& p, std::uint64_t n, std::uint64_t least) {
  const Enclosure all = enclosed(Rational(n));
  Enclosure most = (all * enclosed(p * (Rational(1) - p))).sqrt() / enclosed(2);
  const Enclosure away = enclosed(Rational(least)) - all * enclosed(p);
  Enclosure tail = enclosed(0) - enclosed(2) * away * away / all;
  tail = tail.exp();
  Enclosure root;
  arb_const_pi(root.arb(), guess_bits);
  most.lower_to(tail * (root * (all / enclosed(8))).sqrt());
  return most;
}

/// E max(0, X - least) for binomial X and least >= n p. The tail's terms fall at least as fast as a geometric series.
Enclosure expected_excess(const Rational& p, std::uint64_t n, std::uint64_t least) {
  if (least >= n || p.sign() == 0) return enclosed(0);
  if (p == 1) return enclosed(Rational(n - least));
  constexpr std::uint64_t few = 10'000'000;
  if (n > few) return excess_among_many(p, n, least);
  const Enclosure odds = enclosed(p / (Rational(1) - p));
  const auto log_factorial = [](std::uint64_t of) {
    Enclosure result = Enclosure::of_whole(uint128{of} + 1);
    arb_lgamma(result.arb(), result.arb(), 2 * guess_bits);
    return result;
  };
  const auto times = [](std::uint64_t count, const Rational& chance) {
    return Enclosure::of(chance, 2 * guess_bits).log() * count;
  };
  const std::uint64_t first = least + 1;
  Enclosure term = times(first, p) + times(n - first, Rational(1) - p) + log_factorial(n) - log_factorial(first) -
                   log_factorial(n - first);
  term = term.exp();  // P(X = first)
  Enclosure sum = enclosed(0);
  for (std::uint64_t x = first; x <= n; ++x) {
    sum += term * enclosed(Rational(x - least));
    if (x == n) break;
    const Enclosure factor = odds * enclosed(Rational(n - x, x + 1));
    term *= factor;
    if (term.upper_double() < 0x1p-140 && factor.upper_double() < 0.999) {
      // The rest is the sum of (x - least) term factor^i, at most n term / (1 - factor).
      const Enclosure left = term * enclosed(Rational(n)) / (enclosed(1) - factor);
      return sum + hull(enclosed(0), left);
    }
  }
  return sum;
}

/// E max(X, n - X) / n for binomial X.
Enclosure larger_share(const Rational& p, std::uint64_t n) {
  const Rational larger = std::max(p, Rational(1) - p);
  const Rational all(static_cast<std::int64_t>(n));
  // With Y records on the rarer side, the larger side has n - Y + 2 max(0, Y - n/2) records. n / 2, rounded down, is at most n/2.
  const Enclosure excess = expected_excess(Rational(1) - larger, n, n / 2);
  return enclosed(larger) + enclosed(Rational(2) / all) * excess;
}

/// An upper bound of E (the most records at one position) / n among n records: a threshold, plus the expected excess over it.
Enclosure largest_count(const std::vector<Rational>& priors, std::uint64_t n) {
  std::map<Rational, std::uint64_t> alike;
  for (const Rational& p : priors) ++alike[p];
  const double most = alike.rbegin()->first.to_double() * static_cast<double>(n);
  const Rational all(static_cast<std::int64_t>(n));
  Enclosure least = enclosed(1);
  for (int deviations = 0; deviations <= 8; ++deviations) {
    const auto away = static_cast<double>(deviations);
    const double threshold = most + away * std::sqrt(most + 1) + (away > 0 ? away * away / 3 : 0);
    if (threshold >= static_cast<double>(n)) break;
    const auto whole = static_cast<std::uint64_t>(std::ceil(threshold)) + 1;
    Enclosure here = enclosed(Rational(std::min(whole, n)));
    for (const auto& [p, count] : alike) {
      here += expected_excess(p, n, whole) * enclosed(Rational(count));
    }
    least.lower_to(here / enclosed(all));
  }
  return least;
}

// --- Together -----------------------------------------------------------------------------------------------------------

void require_probabilities(const std::vector<Rational>& priors) {
  Rational sum;
  for (const Rational& prior : priors) {
    if (prior.sign() < 0) throw Error(ErrorCode::usage, "a probability is below 0", "take one from 0 to 1");
    sum += prior;
  }
  if (sum != 1) {
    throw Error(ErrorCode::usage, "the probabilities of the possibilities do not add up to 1",
                "give one for each possibility");
  }
}

void require_share(const Rational& share) {
  if (share.sign() >= 0 && share <= 1) return;
  throw Error(ErrorCode::usage, "a share of the records lies from 0 to 1", "write for example 0.5");
}

void require_rows(std::uint64_t rows) {
  if (rows == 0) {
    throw Error(ErrorCode::usage, "a table without records says nothing about a person", "take one with some");
  }
  if (rows > RankProfile::max_records) {
    throw Error(ErrorCode::usage, "a table has at most " + std::to_string(RankProfile::max_records) + " records",
                "take fewer");
  }
}

[[noreturn]] void refuse_guess(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "guess");
}

/// By position, whether a record there is above the limit.
std::vector<bool> above_limit(const KnownTable& table, const Lattice& lattice, const Rational& limit) {
  const std::uint64_t first =  // candidate above the limit
      first_entry(0, lattice.size(), [&](std::uint64_t candidate) { return lattice.at(candidate) > limit; });
  if (first == 0) refuse_guess("all possible values are above the limit", "take a limit between the bounds");
  if (first == lattice.size()) refuse_guess("no possible value is above the limit", "take a limit between the bounds");
  if (!lattice.is_regular() && lattice.at(first - 1) != limit) {
    refuse_guess("records may lie on either side of a limit between two listed candidates",
                 "take one of the candidates");
  }
  std::vector<bool> above;
  above.reserve(table.positions.size());
  for (const Position position : table.positions) above.push_back(position >= 2 * first);
  return above;
}

std::vector<Rational> priors_of(const KnownTable& table, const std::vector<bool>& above, About about) {
  if (about == About::value) return table.priors;
  if (about == About::presence) return {Rational(1, 2), Rational(1, 2)};
  Rational share;
  for (std::size_t place = 0; place < above.size(); ++place) {
    if (above[place]) share += table.priors[place];
  }
  return {share, Rational(1) - share};
}

Enclosure by_distribution(const std::vector<Rational>& priors, std::uint64_t rows, About about) {
  if (about == About::presence) return enclosed(1);
  return about == About::above ? larger_share(priors.front(), rows) : largest_count(priors, rows);
}

}  // namespace

Rational allowed_guesses(const Budget& budget, Neighbors neighbors, About about, const std::vector<Rational>& priors) {
  const OwnEnvironment own;
  require_probabilities(priors);
  return at_most(allowed_by(budget, steps_between(neighbors, about), priors));
}

Rational guesses_by_share(const Rational& share, std::uint64_t rows) {
  const OwnEnvironment own;
  require_share(share);
  require_rows(rows);
  return at_most(larger_share(share, rows));
}

PersonLeakage person_leakage(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                             std::uint64_t rows, const PersonGuess& guess) {
  const OwnEnvironment own;
  query.validate(lattice);
  reference.require_on(lattice);
  require_rows(reference.records());
  require_rows(rows);
  const QuantilePlan plan = plan_of(query, lattice);
  const KnownTable table = known_table(reference, rows);
  const std::vector<bool> above =
      guess.about == About::above ? above_limit(table, lattice, guess.limit) : std::vector<bool>();
  const std::vector<Rational> priors = priors_of(table, above, guess.about);
  const int steps = steps_between(query.neighbors, guess.about);
  PersonLeakage leakage;
  leakage.before = *std::ranges::max_element(priors);
  leakage.allowed = at_most(allowed_by(query.budget, steps, priors));
  const Enclosure by_parts = right_by_parts(query, plan, steps, priors);
  leakage.knowing_any_others = at_most(by_parts);
  leakage.knowing_these_others = right_among_these({query, plan, table, guess, above, priors, steps});
  if (leakage.knowing_these_others) {
    leakage.knowing_these_others = std::min(*leakage.knowing_these_others, leakage.knowing_any_others);
  }
  leakage.knowing_the_distribution =
      std::min(leakage.knowing_any_others, at_most(by_distribution(priors, rows, guess.about)));
  return leakage;
}

}  // namespace fractile
