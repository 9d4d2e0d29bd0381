// Proof: docs/proofs/choosing.md, "Releases"
#include "fractile/release_analyst.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/attacker.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {
namespace {

constexpr int far_away_log = 200;  // exp(-200) of the heaviest term

Rational records_in(std::uint64_t records) { return static_cast<std::int64_t>(records); }

[[noreturn]] void refuse_analyst(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "analyst");
}

/// One selection from a table: how much all candidates of a score weigh together.
struct ScoreLaw {
  std::map<std::uint64_t, uint128> masses;
  Rational rate;  ///< at this epsilon
  std::uint64_t denominator;
  friend bool operator==(const ScoreLaw&, const ScoreLaw&) = default;
};

std::map<std::uint64_t, uint128> masses_of(const KnownTable& table, const QuantileFraction& alpha,
                                           const BaseMeasure& weights) {
  std::uint64_t records = 0;
  for (const std::uint64_t here : table.others) records += here;
  std::map<std::uint64_t, uint128> masses;
  const auto add = [&](std::uint64_t from, std::uint64_t to, std::uint64_t below, std::uint64_t equal) {
    if (from < to) masses[interval_score(alpha, below, equal, records)] += weights.mass(from, to);
  };
  std::uint64_t below = 0;
  std::uint64_t next = 0;  // candidate
  for (std::size_t k = 0; k < table.positions.size(); ++k) {
    const Position position = table.positions[k];
    const std::uint64_t candidate = position / 2;  // at the position, or the first one after it
    add(next, candidate, below, 0);
    next = candidate;
    if (position % 2 == 1) {
      add(candidate, candidate + 1, below, table.others[k]);
      ++next;
    }
    below += table.others[k];
  }
  add(next, table.candidates, below, 0);
  return masses;
}

/// By what preliminary stages may find.
std::vector<ScoreLaw> laws_at(QuantileQuery query, const Lattice& lattice, const KnownTable& table,
                              const Rational& epsilon) {
  query.budget = Budget::pure(epsilon);
  const QuantilePlan plan = plan_of(query, lattice);
  std::vector<ScoreLaw> laws;
  for (const PreliminaryOutcome& found : plan.outcomes()) {
    const std::vector<Stage> stages = plan.stages(found);
    const auto* selection = stage_in<SelectQuantiles>(stages);
    if (selection == nullptr || selection->released.size() != 1 || stage_in<CountRows>(stages) != nullptr ||
        stage_in<CountCells>(stages) != nullptr) {
      refuse_analyst("an analyst is served by one quantile that is selected by itself", "ask for one quantile");
    }
    const Calibration calibration(query_after(plan.query, shares_taken(stages)), selection->levels);
    const QuantileFraction alpha = QuantileFraction::of(selection->released.front());
    const Exponent rate = calibration.rate(alpha, true);
    const BaseMeasure weights(0, table.candidates - 1, 1, {}, selection->shape.numbers, selection->shape.origin);
    ScoreLaw law{masses_of(table, alpha, weights), rate.is_log() ? Rational(0) : rate.coefficient(), alpha.denominator};
    if (law.rate.sign() <= 0) throw Error(ErrorCode::internal, "a rate of a rational epsilon is no rational");
    if (std::ranges::find(laws, law) == laws.end()) laws.push_back(std::move(law));
  }
  return laws;
}

/// The expected loss against epsilon: the mean of a loss that never falls with the score, by weights mass exp(-rate score).
class LossOfRelease {
 public:
  LossOfRelease(const ScoreLaw& law, Rational rate_of_one, const ReleaseAnalyst& analyst, std::uint64_t rows)
      : law_(law), rate_of_one_(std::move(rate_of_one)), analyst_(analyst), rows_(rows) {}

  double roughly(double epsilon) const {
    const double rate = rate_of_one_.to_double() * epsilon;
    const std::uint64_t least = law_.masses.begin()->first;
    double sum = 0;
    double lost = 0;
    for (const auto& [score, mass] : law_.masses) {
      const double exponent = static_cast<double>(score - least) * rate;
      if (exponent > 700) break;
      const double weight = static_cast<double>(mass) * std::exp(-exponent);
      sum += weight;
      lost += weight * rough_loss(score);
    }
    return lost / sum;
  }

  Enclosure at(const Rational& epsilon) const {
    const Enclosure rate = enclosed(rate_of_one_ * epsilon);
    const double rough = rate.lower_double();
    const std::uint64_t least = law_.masses.begin()->first;
    Enclosure sum;
    Enclosure lost;
    uint128 far_away = 0;
    for (const auto& [score, mass] : law_.masses) {
      if (static_cast<double>(score - least) * rough > far_away_log) {
        far_away += mass;
        continue;
      }
      Enclosure weight = rate * Enclosure::of_whole(uint128{score - least});
      arb_neg(weight.arb(), weight.arb());
      weight = Enclosure::of_whole(mass) * weight.exp();
      sum += weight;
      lost += weight * enclosed(loss_of(score));
    }
    Enclosure rest = Enclosure::of_whole(far_away);  // from 0 to exp(-200) < 2^-288 of it
    arb_mul_2exp_si(rest.arb(), rest.arb(), -288);
    const Enclosure nothing;
    arb_union(rest.arb(), rest.arb(), nothing.arb(), guess_bits);
    return (lost + rest * enclosed(largest_loss())) / (sum + rest);
  }

 private:
  Rational loss_of(std::uint64_t score) const {
    const Rational missed = records_in(score) / records_in(law_.denominator);
    if (analyst_.loss == ReleaseAnalyst::Loss::missed_records) return missed;
    return missed > records_in(analyst_.than) ? 1 : 0;
  }
  double rough_loss(std::uint64_t score) const {
    const double missed = static_cast<double>(score) / static_cast<double>(law_.denominator);
    if (analyst_.loss == ReleaseAnalyst::Loss::missed_records) return missed;
    return missed > static_cast<double>(analyst_.than) ? 1 : 0;
  }
  Rational largest_loss() const {
    return analyst_.loss == ReleaseAnalyst::Loss::missed_records ? records_in(rows_) : Rational(1);
  }

  const ScoreLaw& law_;
  Rational rate_of_one_;
  ReleaseAnalyst analyst_;
  std::uint64_t rows_;
};

/// Twelve digits.
Rational twelve_digits(double epsilon) {
  const double digits = std::pow(10.0, 11 - std::floor(std::log10(epsilon)));
  return Rational(std::llround(epsilon * digits)) / Rational::from_double(digits);
}

ServedEpsilons served_by(const LossOfRelease& loss, const Rational& most, const Rational& low, const Rational& high) {
  const auto serves = [&](const Rational& epsilon) { return certainly_at_most(loss.at(epsilon), enclosed(most)); };
  const auto fails = [&](const Rational& epsilon) { return certainly_less(enclosed(most), loss.at(epsilon)); };
  ServedEpsilons found{low, high, {}, {}};
  if (serves(low)) {
    found.served_from = low;
    return found;
  }
  if (fails(high)) {
    found.not_served_to = high;
    return found;
  }
  if (fails(low)) found.not_served_to = low;
  if (serves(high)) found.served_from = high;
  double below = low.to_double();
  double above = high.to_double();
  for (int halves = 0; halves < 60; ++halves) {
    const double middle = std::sqrt(below * above);
    (loss.roughly(middle) <= most.to_double() ? above : below) = middle;
  }
  for (double apart = 1e-10; apart < 1e-6; apart *= 10) {
    const Rational before = std::max(low, twelve_digits(below * (1 - apart)));
    const Rational after = std::min(high, twelve_digits(above * (1 + apart)));
    const bool is_before = fails(before);
    const bool is_after = serves(after);
    if (is_before) found.not_served_to = before;
    if (is_after) found.served_from = after;
    if (is_before && is_after) break;
  }
  return found;
}

}  // namespace

ServedEpsilons served_epsilons(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                               std::uint64_t rows, const ReleaseAnalyst& analyst, const Rational& low,
                               const Rational& high) {
  if (low.sign() <= 0 || high <= low)
    refuse_analyst("a range of epsilons goes from more than 0 upwards", "write 0.01..10");
  if (query.budget.measure() != Measure::pure)
    refuse_analyst("an analyst is served by an epsilon", "leave delta and rho out");
  query.validate(lattice);
  reference.require_on(lattice);
  if (reference.records() == 0 || rows == 0)
    refuse_analyst("a table without records serves nobody", "take one with some");
  const KnownTable table = known_table(reference, rows + 1);  // so that there are as many others
  const std::vector<ScoreLaw> laws = laws_at(query, lattice, table, Rational(1));
  for (const Rational& end : {low, high}) {  // rates grow with epsilon, and nothing else changes
    std::vector<ScoreLaw> there = laws_at(query, lattice, table, end);
    for (ScoreLaw& law : there) law.rate /= end;
    if (there != laws) refuse_analyst("what runs depends on epsilon", "name the mechanism exponential");
  }
  ServedEpsilons all{low, high, high, low};
  for (const ScoreLaw& law : laws) {
    const ServedEpsilons here = served_by(LossOfRelease(law, law.rate, analyst, rows), analyst.most, low, high);
    if (!here.not_served_to || !all.not_served_to) {
      all.not_served_to.reset();
    } else {
      all.not_served_to = std::min(*all.not_served_to, *here.not_served_to);
    }
    if (!here.served_from || !all.served_from) {
      all.served_from.reset();
    } else {
      all.served_from = std::max(*all.served_from, *here.served_from);
    }
  }
  return all;
}

}  // namespace fractile
