#include "flow/loss/total_in_doubles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fractile::flow {
namespace {

/// The cumulant generating function of one participant's step.
TotalInDoubles::Cumulants cumulants_of(const std::vector<double>& logs, double theta) {
  double highest = log_of_zero;
  for (std::size_t s = 0; s < logs.size(); ++s) highest = std::max(highest, logs[s] + theta * static_cast<double>(s));
  double sum = 0;
  double mean = 0;
  for (std::size_t s = 0; s < logs.size(); ++s) {
    const double part = std::exp(logs[s] + theta * static_cast<double>(s) - highest);
    sum += part;
    mean += part * static_cast<double>(s);
  }
  return {highest + std::log(sum), mean / sum};
}

}  // namespace

TotalInDoubles::TotalInDoubles(const TargetTotal& target, const Rational& odds) : people_(target.others()) {
  for (const std::vector<Enclosure>& law : target.step_laws(Enclosure::of(odds, enclosure_bits))) {
    logs_.emplace_back();
    for (const Enclosure& p : law) logs_.back().push_back(is_zero(p) ? log_of_zero : p.log().to_double());
  }
}

TotalInDoubles::Cumulants TotalInDoubles::at(double theta) const {
  Cumulants all;
  for (std::size_t value = 0; value < logs_.size(); ++value) {
    if (people_[value] == 0) continue;
    const Cumulants one = cumulants_of(logs_[value], theta);
    all.log_moment += static_cast<double>(people_[value]) * one.log_moment;
    all.tilted_mean += static_cast<double>(people_[value]) * one.tilted_mean;
  }
  return all;
}

double TotalInDoubles::divergence(double theta, double other) const {
  const Cumulants here = at(theta);
  return at(other).log_moment - here.log_moment + (theta - other) * here.tilted_mean;
}

Rational ratio_of(double theta) {
  constexpr int bits = 16;
  const double log = theta / std::numbers::ln2;
  const double whole = std::floor(log);
  return Rational::dyadic(static_cast<std::int64_t>(std::ldexp(std::exp2(log - whole), bits)),
                          static_cast<std::int64_t>(whole) - bits);
}

}  // namespace fractile::flow
