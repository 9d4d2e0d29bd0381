// The conditions on a query.
#include <algorithm>
#include <cmath>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/auto_policy.hpp"
#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

std::string to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::automatic:
      return "auto";
    case Mechanism::exponential:
      return "exponential";
    case Mechanism::approximate:
      return "approximate";
    case Mechanism::joint:
      return "joint";
    case Mechanism::joint_total:
      return "joint-total";
    case Mechanism::joint_tree:
      return "joint-tree";
    case Mechanism::independent:
      return "independent";
    case Mechanism::tree:
      return "tree";
  }
  return {};
}

std::string to_string(Rates rates) { return rates == Rates::tight ? "tight" : "as-published"; }

namespace {

void require_increasing(const std::vector<Rational>& quantiles) {
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    if (quantiles[i] > quantiles[i - 1]) continue;
    const bool repeated = quantiles[i] == quantiles[i - 1];
    throw Error(
        ErrorCode::usage,
        "the quantile " + quantiles[i].to_string() + (repeated ? " appears twice" : " comes after a larger one"),
        "write them once each, in increasing order", "quantiles");
  }
}

/// In every node of the recursion, the denominator of a quantile's fraction divides this common denominator.
void require_small_denominators(const std::vector<Rational>& quantiles) {
  for (const Rational& q : quantiles) QuantileFraction::of(q);
  const Rational common = common_denominator(quantiles);
  if (common > Rational(std::int64_t{1} << 31)) {
    throw Error(ErrorCode::usage, "the quantiles' common denominator " + common.to_string() + " is above 2147483648",
                "write all of them with at most nine decimals, or as multiples of one fraction", "quantiles");
  }
}

/// Counts are drawn as 64-bit numbers, so their variance is at most 2^80, and the laws of intervals have 64-bit places. The bounds leave
/// room for the parts into which a release divides its budget.
bool is_noise_too_wide(const QuantileQuery& query) {
  const Rational records(query.records_per_person);
  if (query.budget.measure() == Measure::zcdp) {
    const bool counts = query.intervals || query.mechanism == Mechanism::tree;
    return counts && query.budget.rho() * Rational(2).pow(70) < records * records;
  }
  return query.intervals && EpsilonSum(query.budget.epsilon() * Rational(2).pow(48)) < EpsilonSum(records);
}

void require_records(const QuantileQuery& query) {
  if (query.records_per_person > 0) return;
  throw Error(ErrorCode::usage, "a person has at least one record",
              {"write ", Field("records_per_person").number(1), " or more"}, "records_per_person");
}

/// A receipt holds no other number, and worst cases hold for no larger table.
void require_expected_rows(const QuantileQuery& query) {
  const Field field("expected_rows");
  if (!query.expected_rows || (*query.expected_rows > 0 && *query.expected_rows <= RankProfile::max_records)) return;
  throw Error(ErrorCode::usage, {field, ": not from 1 to " + std::to_string(RankProfile::max_records)},
              {"write about how many rows there are, or leave ", field, " out"});
}

}  // namespace

std::vector<Rational> synthetic_rows(std::uint64_t rows) {
  if (rows < 1 || rows > 1'000'000) {
    throw Error(ErrorCode::usage, "synthetic rows: not from 1 to 1000000",
                "about as many rows as the table has are useful");
  }
  const auto parts = static_cast<std::int64_t>(rows);
  std::vector<Rational> quantiles;
  for (std::int64_t i = 1; i <= parts; ++i) quantiles.emplace_back(i, parts);
  return quantiles;
}

void QuantileQuery::validate() const {
  const Field mechanism_field("mechanism");
  if (quantiles.empty()) {
    throw Error(ErrorCode::usage, "no quantiles",
                {"write for example ", Field("quantiles").numbers({"0.25", "0.5", "0.75"})}, "quantiles");
  }
  require_small_denominators(quantiles);
  require_increasing(quantiles);
  require_records(*this);
  require_expected_rows(*this);
  if (budget.measure() == Measure::approximate && mechanism != Mechanism::independent) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " needs no delta",
                {"leave the delta out, or use ", mechanism_field.text("independent")}, "delta");
  }
  if (rates == Rates::as_published && mechanism != Mechanism::approximate && mechanism != Mechanism::exponential) {
    throw Error(ErrorCode::usage, "published rates are those of approximate, not of " + to_string(mechanism),
                {"write ", mechanism_field.text("approximate"), ", or leave ", Field("rates"), " out"}, "rates");
  }
  if (base == Base::adaptive && (mechanism == Mechanism::independent || mechanism == Mechanism::tree)) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " has no adaptive base", {"leave ", Field("base"), " out"},
                "base");
  }
  if (mechanism == Mechanism::exponential && quantiles.size() > 1) {
    throw Error(ErrorCode::usage, "the exponential mechanism releases one quantile at a time",
                {"use ", mechanism_field.text("approximate"), " for several"}, "mechanism");
  }
  if (intervals) require_intervals(*this);
  require_narrow_noise(*this);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() == quantiles.size() && Rational::parse(names[i]) == quantiles[i]) continue;
    throw Error(ErrorCode::usage, "the names do not belong to the quantiles", "leave them out", "quantiles");
  }
}

void QuantileQuery::validate(const Lattice& lattice) const {
  validate();
  if (lattice.size() > largest_lattice(*this)) {
    throw Error(ErrorCode::usage, "joint selections and adaptive bases take at most 2^46 possible values",
                {"take a coarser step, or ", Field("mechanism").text("approximate")});
  }
}

void require_narrow_noise(const QuantileQuery& query) {
  if (!is_noise_too_wide(query)) return;
  throw Error(ErrorCode::usage, "the noise of counts would be wider than any table",
              "give the release a larger budget");
}

void require_short_joint(const QuantileQuery& query) {
  if (query.mechanism != Mechanism::joint && query.mechanism != Mechanism::joint_total) return;
  const double epsilon = query.budget.measure() == Measure::zcdp ? std::sqrt(8 * query.budget.rho().to_double())
                                                                 : query.budget.epsilon().to_double();
  // Each quantile has this many ranks that weigh much. Their products are the numbers in the tables; doubles end at e^709, and what lies
  // beside what weighs much needs the rest.
  const double ranks = 1 + 4.0 * query.records_per_person / epsilon;
  // Measured with 100,000 records: 70 quantiles at epsilon = 1/100, and 199 at 1, take less than a second.
  constexpr double most = 425;
  const double quantiles =
      std::max(static_cast<double>(AutoPolicy::standard().most_at_once.value), std::floor(most / std::log(ranks)));
  if (static_cast<double>(query.quantiles.size()) <= quantiles) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} of {} quantiles could take minutes and gigabytes; at this budget it takes at most {}",
                          to_string(query.mechanism), query.quantiles.size(), quantiles),
              {"use ", Field("mechanism").text("auto"), " or ", Field("mechanism").text("approximate"),
               ", or ask for fewer quantiles"},
              "mechanism");
}

void require_statistics_alone(const QuantileQuery& query) {
  require_records(query);
  require_expected_rows(query);
  if (!query.intervals) return;
  throw Error(ErrorCode::usage, {Field("intervals"), ": intervals need quantiles, and there are none"},
              "leave it out: counts, shares and means have intervals of their own", "intervals");
}

void require_query(const QuantileQuery& query, const Lattice& lattice) {
  query.quantiles.empty() ? require_statistics_alone(query) : query.validate(lattice);
}

}  // namespace fractile
