#include <algorithm>
#include <cmath>
#include <limits>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {
namespace {

__extension__ using int128 = __int128;

void require_decimal(const Rational& value, const char* what) {
  if (!value.is_decimal()) {
    throw Error(ErrorCode::usage, std::string(what) + " " + value.to_string() + " has no finite decimal expansion",
                "write a decimal such as 0.05");
  }
}

/// The least double that is at least `value`.
double double_at_or_above(const Rational& value) {
  const double nearest = value.to_double();
  if (std::isinf(nearest)) return nearest > 0 ? nearest : -std::numeric_limits<double>::max();
  return Rational::from_double(nearest) < value ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
                                                : nearest;
}

}  // namespace

/// lower + i * step; what the filters need of it in double precision and in whole numbers.
struct Lattice::Regular {
  Regular(const Rational& from, const Rational& to, const Rational& by)
      : lower(from), upper(to), step(by), size((to - from) / by + Rational(1)) {
    points = size.to_uint64();
    lower_double = lower.to_double();
    per_step = (Rational(1) / step).to_double();
    lower_error = std::abs(lower_double) * per_step * 0x1p-52;
    const Rational common = lower.denominator() * step.denominator();
    const Rational scaled_lower = lower * common;
    const Rational scaled_step = step * common;
    if (common < Rational(std::int64_t{1} << 31) && scaled_lower.fits_int64() && scaled_step.fits_int64()) {
      integer_scale = common.to_int64();
      integer_lower = scaled_lower.to_int64();
      integer_step = scaled_step.to_int64();
    }
  }

  std::uint64_t clamped(const Rational& index) const {
    if (index.sign() <= 0) return 0;
    return index < size ? index.to_uint64() : points - 1;
  }

  /// floor((value - lower) / step + 1/2), clamped: by definition.
  std::uint64_t nearest_index(const Rational& value) const {
    return clamped(((value - lower) / step + Rational(1, 2)).floor());
  }

  /// The same from double arithmetic whenever its error cannot matter. With t the computed index + 1/2 before rounding down,
  /// |t - exact| <= lower_error + (|t| + 1) 2^-49: three rounded operations on operands rounded once each.
  std::uint64_t nearest_index(double value) const {
    if (std::isinf(value)) return value > 0 ? points - 1 : 0;
    const double t = (value - lower_double) * per_step + 0.5;
    const double error = lower_error + (std::abs(t) + 1) * 0x1p-49;
    const double low = std::floor(t - error);
    const double high = std::floor(t + error);
    const auto last = static_cast<double>(points - 1);
    if (high <= 0) return 0;
    if (low > last) return points - 1;
    if (low == high && high < 0x1p53) return std::min(static_cast<std::uint64_t>(low), points - 1);
    return nearest_index(Rational::from_double(value));
  }

  std::uint64_t nearest_index(std::int64_t value) const {
    if (integer_step == 0) return nearest_index(Rational(value));
    // floor((2 (value - lower) + step) / (2 step)), everything times integer_scale; below 2^97 throughout.
    const int128 top = 2 * (static_cast<int128>(value) * integer_scale - integer_lower) + integer_step;
    if (top < 0) return 0;
    const int128 index = top / (2 * static_cast<int128>(integer_step));
    return index < static_cast<int128>(points) ? static_cast<std::uint64_t>(index) : points - 1;
  }

  Rational lower;
  Rational upper;
  Rational step;
  Rational size;
  std::uint64_t points = 0;
  double lower_double = 0;
  double per_step = 0;
  double lower_error = 0;
  std::int64_t integer_scale = 0;
  std::int64_t integer_lower = 0;
  std::int64_t integer_step = 0;  // 0: does not fit
};

struct Lattice::Explicit {
  std::vector<Rational> points;
  std::vector<double> doubles;  // nearest to the points, strictly increasing
};

Lattice Lattice::regular(const Rational& lower, const Rational& upper, const Rational& step) {
  require_decimal(lower, "the lower bound");
  require_decimal(upper, "the upper bound");
  require_decimal(step, "the step");
  if (upper < lower) {
    throw Error(ErrorCode::usage,
                "the bounds " + lower.to_string() + " " + upper.to_string() + " are in the wrong order",
                "write the lower bound first");
  }
  if (step.sign() <= 0) {
    throw Error(ErrorCode::usage, "the step " + step.to_string() + " is not positive",
                "write the distance between neighbouring values, such as 1 or 0.01");
  }
  const Rational steps = (upper - lower) / step;
  if (!steps.is_integer()) {
    const Rational fitting = lower + (steps.floor() + Rational(1)) * step;
    throw Error(ErrorCode::usage,
                "the step " + step.to_decimal() + " does not divide the bounds " + lower.to_decimal() + " to " +
                    upper.to_decimal(),
                "an upper bound of " + fitting.to_decimal() + " would fit");
  }
  if (steps >= Rational(static_cast<std::int64_t>(max_size))) {
    throw Error(ErrorCode::usage, "more than 2^62 values between the bounds", "use a larger step");
  }
  Lattice lattice;
  lattice.regular_ = std::make_shared<Regular>(lower, upper, step);
  return lattice;
}

Lattice Lattice::explicit_points(std::vector<Rational> points) {
  if (points.empty()) throw Error(ErrorCode::usage, "no candidates", "list at least one value");
  auto list = std::make_shared<Explicit>();
  for (const Rational& point : points) {
    require_decimal(point, "the candidate");
    list->doubles.push_back(point.to_double());
    if (!std::isfinite(list->doubles.back())) {
      throw Error(ErrorCode::usage, "the candidate " + point.to_string() + " is beyond double precision");
    }
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::string pair = points[i - 1].to_decimal() + ", " + points[i].to_decimal();
    if (points[i] <= points[i - 1]) {
      throw Error(ErrorCode::usage, "the candidates are not strictly increasing: " + pair,
                  "sort them and drop repetitions");
    }
    if (list->doubles[i] <= list->doubles[i - 1]) {
      throw Error(ErrorCode::usage, "two candidates are the same in double precision: " + pair,
                  "space them further apart");
    }
  }
  list->points = std::move(points);
  Lattice lattice;
  lattice.explicit_ = std::move(list);
  return lattice;
}

std::uint64_t Lattice::size() const { return regular_ ? regular_->points : explicit_->points.size(); }

bool Lattice::is_regular() const { return regular_ != nullptr; }

Rational Lattice::at(std::uint64_t index) const {
  if (index >= size()) throw Error(ErrorCode::internal, "a candidate beyond the lattice");
  if (!regular_) return explicit_->points[index];
  return regular_->lower + Rational(static_cast<std::int64_t>(index)) * regular_->step;
}

const Rational& Lattice::step() const {
  if (!regular_) throw Error(ErrorCode::internal, "explicit candidates have no step");
  return regular_->step;
}

Position Lattice::position_of(double value) const {
  if (std::isnan(value)) throw Error(ErrorCode::data, "NaN has no rank", "drop it or refuse it with --null");
  if (regular_) return 2 * regular_->nearest_index(value) + 1;
  const auto& doubles = explicit_->doubles;
  const auto at = std::lower_bound(doubles.begin(), doubles.end(), value);
  const auto index = static_cast<Position>(at - doubles.begin());
  return at != doubles.end() && *at == value ? 2 * index + 1 : 2 * index;
}

Position Lattice::position_of(std::int64_t value) const {
  if (regular_) return 2 * regular_->nearest_index(value) + 1;
  const auto& points = explicit_->points;
  const Rational exact(value);
  const auto at = std::lower_bound(points.begin(), points.end(), exact);
  const auto index = static_cast<Position>(at - points.begin());
  return at != points.end() && *at == exact ? 2 * index + 1 : 2 * index;
}

double Lattice::double_threshold(Position p) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::uint64_t index = p / 2;
  if (regular_) {
    if (index == 0) return -infinity;
    if (index >= regular_->points) return infinity;
    return double_at_or_above(at(index) - regular_->step * Rational(1, 2));
  }
  if (p == 0) return -infinity;
  if (p % 2 == 1) return explicit_->doubles[index];
  return std::nextafter(explicit_->doubles[index - 1], infinity);
}

}  // namespace fractile
