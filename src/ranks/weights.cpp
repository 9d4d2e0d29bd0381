#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "ranks/expected_units.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse(const Words& what, const Words& hint, const char* field) {
  throw Error(ErrorCode::usage, what, hint, field);
}

const Field bounds_field("weight_bounds");
const Field step_field("weight_step");

void require_grid(const RecordWeights& weights) {
  const auto& [column, lower, upper, step, stability, mean] = weights;
  if (step.sign() <= 0)
    refuse({step_field, ": not above 0"}, {"write for example ", step_field.number(1)}, "weight_step");
  if (lower.sign() < 0 || upper.sign() <= 0 || upper < lower) {
    refuse({bounds_field, ": the smallest weight is at least 0, and the largest is above 0 and not smaller"},
           {"write the smallest and the largest weight: ", bounds_field.pair("0", "300")}, "weight_bounds");
  }
  for (const Rational* bound : {&lower, &upper}) {
    if ((*bound / step).is_integer()) continue;
    refuse({bounds_field, ": ", bound->to_string(), " is not a multiple of ", step_field, ", ", step.to_string()},
           "write multiples of the step, or a finer step", "weight_bounds");
  }
  if (upper / step <= Rational(std::int64_t{RecordWeights::most_units})) return;
  refuse({step_field, fmt::format(": the largest weight is more than {} steps", RecordWeights::most_units)},
         "write a coarser step: noise grows with the largest weight, and the errors of rounding are far smaller",
         "weight_step");
}

}  // namespace

void RecordWeights::validate() const {
  if (column.empty()) {
    const Field field("weight");
    refuse({field, " is missing: the column of weights"}, {"name it, for example ", field.text("weight")}, "weight");
  }
  require_grid(*this);
  if (stability == std::uint32_t{0}) {
    const Field field("weight_stability");
    refuse({field, ": a person's own record is one of those that change"}, {"write ", field.number(1), " or more"},
           "weight_stability");
  }
  if (!mean || (mean->sign() > 0 && lower <= *mean && *mean <= upper)) return;
  refuse({Field("expected_weight"), ": a mean of weights lies within ", bounds_field, " and above 0"},
         "write about how large the weights are on average, as is publicly known", "expected_weight");
}

Lattice RecordWeights::grid() const {
  validate();
  return Lattice::regular(lower, upper, step);
}

std::uint32_t RecordWeights::least_units_of_record() const {
  return static_cast<std::uint32_t>((lower / step).to_int64());
}

std::uint32_t RecordWeights::most_units_of_record() const {
  return static_cast<std::uint32_t>((upper / step).to_int64());
}

std::uint64_t expected_units(const RecordWeights& weights, std::uint64_t records) {
  const Field field("expected_weight");
  if (!weights.mean) {
    refuse({Field("expected_rows"), " says how many records there are, and ", field, " is missing: their mean weight"},
           {"write about how large the weights are on average, as is publicly known: ",
            field.number(((weights.lower + weights.upper) / Rational(2)).to_decimal())},
           "expected_weight");
  }
  const Rational units = Rational(records) * *weights.mean / weights.step;
  return std::clamp(units, Rational(1), Rational(static_cast<std::int64_t>(RankProfile::max_records)))
      .floor()
      .to_uint64();
}

}  // namespace fractile
