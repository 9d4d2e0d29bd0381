#include "fractile/error.hpp"
#include "fractile/quantiles.hpp"
#include "quantiles/approximate.hpp"

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
    throw Error(ErrorCode::usage,
                "the quantile " + quantiles[i].to_string() + (repeated ? " stands twice" : " comes after a larger one"),
                "write them once each, in increasing order");
  }
}

/// Whatever node of the recursion a quantile is decided in, its fraction there has a denominator that divides this one's.
void require_small_denominators(const std::vector<Rational>& quantiles) {
  Rational common = 1;
  for (const Rational& q : quantiles) {
    const Rational d = q.denominator();
    common *= (common / d).denominator();  // least common multiple
    QuantileFraction::of(q);
  }
  if (common > Rational(std::int64_t{1} << 31)) {
    throw Error(ErrorCode::usage, "the quantiles' common denominator " + common.to_string() + " is above 2147483648",
                "write all of them with at most nine decimals, or as multiples of one fraction");
  }
}

}  // namespace

void QuantileQuery::validate() const {
  if (quantiles.empty()) throw Error(ErrorCode::usage, "no quantiles", "write for example --quantiles 0.25,0.5,0.75");
  require_small_denominators(quantiles);
  require_increasing(quantiles);
  if (records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record", "write --records-per-person 1 or more");
  }
  if (mechanism == Mechanism::exponential && quantiles.size() > 1) {
    throw Error(ErrorCode::usage, "the exponential mechanism releases one quantile at a time",
                "use --mechanism approximate for several");
  }
}

QuantileRelease release_quantiles(const RankProfile& profile, const Lattice& lattice, const QuantileQuery& query,
                                  RandomBits& bits, Filter filter) {
  query.validate();
  if (profile.candidates() != lattice.size()) {
    throw Error(ErrorCode::usage, "the profile was counted on another lattice");
  }
  const Calibration calibration(query, levels_for(query.quantiles.size()));
  const QuantileTree tree(profile, query.quantiles, calibration, subcells_for(lattice.size()));
  return {query, lattice, sample_quantiles(tree, query.quantiles.size(), bits, filter), bits.unsafe_seed(), {}};
}

}  // namespace fractile
