#include "quantiles/joint/joint_proposal.hpp"

#include <algorithm>

#include "exact/exp_bounds.hpp"
#include "exact/majorant.hpp"
#include "fractile/error.hpp"

namespace fractile {

bool UnitDraw::offers(std::uint64_t weight) {
  sum_ += weight;
  if (sum_ > std::uint64_t{1} << unit_bits) throw Error(ErrorCode::internal, "a table entry is below its parts");
  if (found_ || target_ >= sum_) return false;
  found_ = true;
  weight_ = weight;
  return true;
}

namespace {

/// exp(-rate * cost).
Enclosure target_of(const JointProblem& problem, const Proposal& proposal, std::int64_t precision) {
  const Enclosure cost = Enclosure::of_whole(problem.scaled_cost(proposal.total, proposal.below));
  return (-(Enclosure::of(problem.rate, precision) * cost / problem.target.denominator)).exp();
}

/// Multiplies `result` by (mass of its part / all mass) for each quantile; divides it by r! for r quantiles that share a part, and
/// by the weights of all choices (their probabilities times 2^62). `whole` turns whole numbers into Number.
template <class Number, class Whole>
void times_factors(Number& result, const JointProblem& problem, const Proposal& proposal, Whole whole) {
  const Number base = whole(problem.base.total());
  std::uint64_t sharing = 0;
  for (std::size_t j = 0; j < proposal.parts.size(); ++j) {
    const SplitPart& part = proposal.parts[j];
    sharing = j > 0 && proposal.parts[j - 1].start == part.start ? sharing + 1 : 1;
    result *= whole(problem.base.mass(part.start, part.end));
    result /= base;
    if (sharing > 1) result /= whole(sharing);
  }
  for (const std::uint64_t weight : proposal.weights) result /= whole(weight);
  result *= whole(proposal.slice);
}

/// The power of two that the factors leave out.
std::int64_t twos_of(const Proposal& proposal, const LeadingDouble& total, int scale) {
  return static_cast<std::int64_t>(proposal.below.size()) * scale - total.exponent +
         static_cast<std::int64_t>(unit_bits * proposal.weights.size());
}

}  // namespace

Enclosure acceptance(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale,
                     std::int64_t precision) {
  Enclosure result = target_of(problem, proposal, precision);
  times_factors(result, problem, proposal, [](uint128 number) { return Enclosure::of_whole(number); });
  return scaled(result / Enclosure::of_double(total.leading), static_cast<slong>(twos_of(proposal, total, scale)));
}

// If the cost is c bits, least <= c <= most, then 2^-c is between 2^-least (1 - (most - least)) and 2^-least.
Bounds acceptance_bounds(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale) {
  constexpr double room = 0x1p-48;  // for a few roundings
  constexpr double most_bits = 0x1p20;
  const RateBounds rate = RateBounds::of(problem.rate);
  const double cost = static_cast<double>(problem.scaled_cost(proposal.total, proposal.below)) /
                      static_cast<double>(problem.target.denominator);
  const double least = cost * rate.bits_per_unit() * (1 - room);
  const double most = cost * rate.most_bits_per_unit() * (1 + room);
  if (!(most < most_bits)) return {0, HUGE_VAL};
  const double whole = std::floor(least);
  WideReal product(exp2_minus(least - whole), -static_cast<std::int64_t>(whole));
  times_factors(product, problem, proposal, [](auto number) { return WideReal(static_cast<double>(number)); });
  product /= WideReal(total.leading);
  const std::int64_t twos = twos_of(proposal, total, scale) + product.exponent();
  const double value = std::ldexp(product.leading(), static_cast<int>(std::clamp<std::int64_t>(twos, -1'000, 1'000)));
  const auto factors = static_cast<double>(6 * proposal.parts.size() + 2 * proposal.weights.size() + 16);
  const double error = 0x1p-44 + factors * 0x1p-51;  // exp2_minus has an error of less than 2^-45
  // The result is at most 1 except for roundings. Results below 2^-1000 are bounded by a slightly larger number.
  if (twos < -1'000) return {0, 0x1p-999};
  return {value * std::max(0.0, 1 - error - (most - least) * (1 + room)), value * (1 + error)};
}

std::vector<Split> splits_of(const Proposal& proposal, const JointProblem& problem, RandomBits& bits) {
  if (!proposal.splits.empty()) return proposal.splits;
  std::vector<Split> splits;
  for (const SplitPart& part : proposal.parts) splits.push_back(problem.base.draw(part.start, part.end, bits));
  std::ranges::sort(splits);
  return splits;
}

}  // namespace fractile
