// Proof: docs/proofs/choosing.md, "Releases"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/release/release_loss.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse_analyst(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "analyst");
}

/// Twelve digits.
Rational twelve_digits(double epsilon) {
  const double digits = std::pow(10.0, 11 - std::floor(std::log10(epsilon)));
  return Rational(std::llround(epsilon * digits)) / Rational::from_double(digits);
}

ServedEpsilons served_by(const LossOfRelease& loss, const Rational& most, const Rational& low, const Rational& high) {
  const auto serves = [&](const Rational& epsilon) { return certainly_at_most(loss.at(epsilon), enclosed(most)); };
  const auto fails = [&](const Rational& epsilon) { return certainly_less(enclosed(most), loss.at(epsilon)); };
  ServedEpsilons found{low, high, true, {}, {}, {}};
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

/// The epsilons that are tried, from the largest one down: ten per decade, and those of two digits around the first one that does
/// not serve.
class Trial {
 public:
  Trial(const LossAtEpsilon& loss, const Rational& most) : loss_(loss), most_(most) {}

  /// The epsilons, ten per decade, that are at most eight times as large or as small as one.
  std::vector<AnalystTrial> around(const Rational& epsilon, const Rational& low, const Rational& high) {
    for (const Rational& one : ten_a_decade(low, high)) {
      if (one * Rational(8) >= epsilon && one <= epsilon * Rational(8)) answer(one);
    }
    return std::move(tried_);
  }

  ServedEpsilons between(const Rational& low, const Rational& high) {
    constexpr int enough = 4;  // epsilons in a row that do not serve
    int failed = 0;
    for (const Rational& epsilon : ten_a_decade(low, high)) {
      failed = answer(epsilon) == AnalystTrial::Answer::served ? 0 : failed + 1;
      if (failed == enough) break;
    }
    refine();
    ServedEpsilons found{low, high, false, {}, {}, {}};
    for (const AnalystTrial& one : tried_) {
      if (one.answer != AnalystTrial::Answer::not_served) break;
      found.not_served_to = one.epsilon;
    }
    for (auto one = tried_.rbegin(); one != tried_.rend() && one->answer == AnalystTrial::Answer::served; ++one) {
      found.served_from = one->epsilon;
    }
    found.tried = std::move(tried_);
    return found;
  }

 private:
  static std::vector<Rational> ten_a_decade(const Rational& low, const Rational& high) {
    constexpr std::int64_t tenths[] = {80, 60, 50, 40, 30, 25, 20, 15, 12, 10};
    std::vector<Rational> epsilons{high};
    for (auto power = static_cast<std::int64_t>(std::ceil(std::log10(high.to_double())));; --power) {
      const Rational decade = Rational(10).pow(power);
      for (const std::int64_t tenth : tenths) {
        const Rational epsilon = decade * Rational(tenth, 10);
        if (epsilon < epsilons.back() && epsilon > low) epsilons.push_back(epsilon);
      }
      if (decade <= low) break;
    }
    if (low < epsilons.back()) epsilons.push_back(low);
    return epsilons;
  }

  AnalystTrial::Answer answer(const Rational& epsilon) {
    const std::optional<LossBounds> loss = loss_.at(epsilon);
    AnalystTrial trial{epsilon, loss, AnalystTrial::Answer::unknown};
    if (loss && loss->upper <= most_) trial.answer = AnalystTrial::Answer::served;
    if (loss && loss->lower > most_) trial.answer = AnalystTrial::Answer::not_served;
    const auto place = std::ranges::lower_bound(tried_, epsilon, {}, &AnalystTrial::epsilon);
    return tried_.insert(place, std::move(trial))->answer;
  }

  /// Bisection among epsilons of two digits.
  void refine() {
    for (;;) {
      std::size_t first = tried_.size();
      while (first > 0 && tried_[first - 1].answer == AnalystTrial::Answer::served) --first;
      if (first == 0 || first == tried_.size()) return;
      const Rational& below = tried_[first - 1].epsilon;
      const Rational& above = tried_[first].epsilon;
      const Rational unit = Rational(10).pow(static_cast<std::int64_t>(std::floor(std::log10(below.to_double()))) - 1);
      const Rational middle = ((below + above) / (Rational(2) * unit)).floor() * unit;
      if (middle <= below || middle >= above) return;
      answer(middle);
    }
  }

  const LossAtEpsilon& loss_;
  const Rational& most_;
  std::vector<AnalystTrial> tried_;  ///< in order
};

}  // namespace

ServedEpsilons served_epsilons(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                               std::uint64_t rows, const ReleaseAnalyst& analyst, const Rational& low,
                               const Rational& high) {
  const OwnEnvironment own;
  if (low.sign() <= 0 || high <= low)
    refuse_analyst("a range of epsilons begins above 0 and increases", "write 0.01..10");
  if (query.budget.measure() != Measure::pure)
    refuse_analyst("an analyst is served by a budget that is an epsilon alone", "leave delta and rho out");
  query.validate(lattice);
  reference.require_on(lattice);
  if (reference.records() == 0 || rows == 0)
    refuse_analyst("a table without records serves no analyst", "take one with some");
  const PublicTable table = public_table(reference, rows);
  const LossAtEpsilon loss(query, lattice, table, analyst);
  const std::optional<ScoreLaw> law = only_law(query, lattice, table.known, low);
  if (law) {  // rates grow with epsilon, and everything else is constant
    std::optional<ScoreLaw> last = only_law(query, lattice, table.known, high);
    if (last && last->masses == law->masses && last->rate * low == law->rate * high) {
      ServedEpsilons found =
          served_by(LossOfRelease(*law, law->rate / low, analyst, rows), analyst.accepted_loss, low, high);
      found.tried = Trial(loss, analyst.accepted_loss).around(found.served_from.value_or(high), low, high);
      return found;
    }
  }
  ServedEpsilons found = Trial(loss, analyst.accepted_loss).between(low, high);
  if (std::ranges::none_of(found.tried, [](const AnalystTrial& one) { return one.loss.has_value(); })) {
    refuse_analyst("an analyst can be served only by up to 24 quantiles that are selected at once",
                   !query.expected_rows ? "say how many rows are expected"
                                        : "ask for fewer quantiles, or name the mechanism joint-total");
  }
  return found;
}

}  // namespace fractile
