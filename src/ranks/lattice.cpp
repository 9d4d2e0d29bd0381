#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "exact/divisor.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "ranks/affine_filter.hpp"
#include "ranks/decimal.hpp"
#include "ranks/sorted_points.hpp"
#include "ranks/whole_grid.hpp"

namespace fractile {
namespace {

void require_number(double value) {
  if (std::isnan(value)) throw Error(ErrorCode::data, "NaN has no rank", {"drop it or refuse it with ", Field("null")});
}

void require_numbers(std::span<const double> values) {
  bool any_nan = false;
  for (const double value : values) any_nan |= std::isnan(value);
  if (any_nan) require_number(std::nan(""));
}

void require_as_many(std::size_t values, std::size_t positions) {
  if (values != positions) throw Error(ErrorCode::internal, "there must be one position for each value");
}

constexpr std::uint64_t exact_as_double = std::uint64_t{1} << 53;

// Values that are computed at once; mostly none of them needs more than a few operations.
constexpr std::size_t together = 16;

constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

bool is_exact_as_double(std::int64_t value) {
  return static_cast<std::uint64_t>(value) + exact_as_double <= 2 * exact_as_double;
}

/// Returns whether all conversions were exact.
bool convert(std::span<const std::int64_t> wholes, double* doubles) {
  bool all_exact = true;
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    doubles[i] = static_cast<double>(wholes[i]);
    all_exact = all_exact && is_exact_as_double(wholes[i]);
  }
  return all_exact;
}

}  // namespace

/// lower + i * step.
struct Lattice::Regular {
  /// A value counts at the nearest of the points after these are moved up by `ahead`.
  Regular(const Rational& from, const Rational& to, const Rational& by, const Rational& ahead)
      : lower(from),
        step(by),
        entry(from + ahead),
        size((to - from) / by + Rational(1)),
        points(size.to_uint64()),
        filter(entry, to + ahead, by, points),
        grid(WholeGrid::of(entry, by)),
        wholes(WholeSteps::of(from, to, by, ahead)) {}

  /// Whole numbers on a lattice of whole numbers, such as times.
  struct WholeSteps {
    /// Nothing unless bounds, step and the difference of the bounds are signed 64-bit whole numbers.
    static std::optional<WholeSteps> of(const Rational& from, const Rational& to, const Rational& by,
                                        const Rational& ahead) {
      const auto fits = [](const Rational& number) { return number.is_integer() && number.fits_int64(); };
      if (!fits(from) || !fits(to) || !fits(by) || !(to - from).fits_int64()) return {};
      const std::uint64_t step = by.to_uint64();
      return WholeSteps{from.to_int64(), to.to_int64(), (by / Rational(2) - ahead).floor().to_uint64(), step,
                        Divisor(std::max<std::uint64_t>(step, 2))};
    }

    /// floor((value - first + early) / step), clamped. `early` is rounded down, which moves no whole number to another point.
    Position position_of(std::int64_t value) const {
      const auto passed =
          static_cast<std::uint64_t>(std::clamp(value, first, last)) - static_cast<std::uint64_t>(first);
      return 2 * (step == 1 ? passed : by_step.into(passed + early)) + 1;
    }
    void positions_of(std::span<const std::int64_t> values, Position* positions) const {
      const WholeSteps steps = *this;  // a copy, which writing positions cannot change
      for (std::size_t from = 0; from < values.size(); from += together) {
        const auto some = values.subspan(from, std::min(together, values.size() - from));
        if (step == 1 && steps.pass(some, positions + from)) continue;
        for (std::size_t i = 0; i < some.size(); ++i) positions[from + i] = steps.position_of(some[i]);
      }
    }
    /// For steps of 1, in vectors. Returns whether the positions are right, that is, whether no value is beyond a bound.
    bool pass(std::span<const std::int64_t> values, Position* positions) const {
      const auto lowest = static_cast<std::uint64_t>(first);
      const auto highest = static_cast<std::uint64_t>(last);
      // The highest bit is set if a value is beyond a bound, since the bounds are less than 2^63 apart.
      std::uint64_t distances = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<std::uint64_t>(values[i]);
        distances |= (value - lowest) | (highest - value);
        positions[i] = 2 * (value - lowest) + 1;
      }
      return distances < top_bit;
    }

    std::int64_t first;
    std::int64_t last;
    std::uint64_t early;  ///< how far below a point a value may be and count at it, rounded down
    std::uint64_t step;
    Divisor by_step;  ///< the step, if it is 2 or more
  };

  std::uint64_t clamped(const Rational& index) const {
    if (index.sign() <= 0) return 0;
    return index < size ? index.to_uint64() : points - 1;
  }
  std::uint64_t clamped(int128 index) const {
    if (index <= 0) return 0;
    return index < static_cast<int128>(points) ? static_cast<std::uint64_t>(index) : points - 1;
  }

  /// floor((value - entry) / step + 1/2), clamped: by definition.
  std::uint64_t nearest_index(const Rational& value) const {
    return clamped(((value - entry) / step + Rational(1, 2)).floor());
  }
  std::uint64_t nearest_index(std::int64_t value) const {
    return grid ? clamped(grid->nearest_index(value)) : nearest_index(Rational(value));
  }
  std::uint64_t nearest_index_of_mean(std::int64_t sum, std::uint64_t count) const {
    return grid ? clamped(grid->nearest_index_of_mean(sum, count)) : nearest_index(Rational(sum) / Rational(count));
  }
  /// Without the filter. The value is not NaN.
  std::uint64_t nearest_index(double value) const {
    if (std::isinf(value)) return value > 0 ? points - 1 : 0;
    const std::optional<int128> index = grid ? grid->nearest_index(value) : std::nullopt;
    return index ? clamped(*index) : nearest_index(Rational::from_double(value));
  }

  Position exact_position_of(double value) const {
    require_number(value);
    return 2 * nearest_index(value) + 1;
  }
  Position position_of(double value) const {
    const Position position = filter(value);
    return position == AffineFilter::uncertain ? exact_position_of(value) : position;
  }
  Position position_of(std::int64_t value) const {
    return wholes ? wholes->position_of(value) : 2 * nearest_index(value) + 1;
  }
  void positions_of(std::span<const double> values, Position* positions) const {
    if (!filter(values, positions)) return;
    for (std::size_t from = 0; from < values.size(); from += together) {
      const std::size_t end = std::min(from + together, values.size());
      Position any = 0;
      for (std::size_t i = from; i < end; ++i) any |= positions[i];
      if (any != AffineFilter::uncertain) continue;  // only `uncertain` has the highest bit
      for (std::size_t i = from; i < end; ++i) {
        if (positions[i] == AffineFilter::uncertain) positions[i] = exact_position_of(values[i]);
      }
    }
  }

  Rational lower;
  Rational step;
  Rational entry;
  Rational size;
  std::uint64_t points;
  AffineFilter filter;
  std::optional<WholeGrid> grid;
  std::optional<WholeSteps> wholes;
};

struct Lattice::Explicit : SortedPoints {
  using SortedPoints::SortedPoints;
};

namespace {

void require_times(const std::vector<Rational>& points, ValueKind kind) {
  const Rational ticks = kind == ValueKind::date ? Rational(1) : Rational(microseconds_a_day);
  for (const Rational& point : points) {
    if (point.is_integer() && point >= Rational(first_day) * ticks && point < Rational(last_day + 1) * ticks) continue;
    throw Error(ErrorCode::usage, "a possible value is not a valid " + to_string(kind) + " of the years 0001 to 9999",
                "write dates such as 2024-01-31");
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i - 1] < points[i]) continue;
    throw Error(ErrorCode::usage,
                "the candidates are not strictly increasing: " + value_text(kind, points[i - 1]) + ", " +
                    value_text(kind, points[i]),
                "sort them and drop repetitions");
  }
}

std::string order_text(ValueKind kind, const Rational& bound) {
  return kind == ValueKind::number ? bound.to_string() : value_text(kind, bound);
}

/// `next`: the first upper bound that fits, if it is not after the year 9999.
std::string fitting_hint(ValueKind kind, const Rational& next, const Rational& step) {
  const Rational day_ticks = kind == ValueKind::date ? Rational(1) : Rational(microseconds_a_day);
  const bool beyond = kind != ValueKind::number && next >= Rational(last_day + 1) * day_ticks;
  return "an upper bound of " + value_text(kind, beyond ? next - step : next) + " would fit";
}

}  // namespace

Lattice Lattice::regular(const Rational& lower, const Rational& upper, const Rational& step, ValueKind kind) {
  const OwnEnvironment own;
  require_decimal(lower, "the lower bound");
  require_decimal(upper, "the upper bound");
  require_decimal(step, "the step");
  if (kind != ValueKind::number) {
    require_times({lower}, kind);
    require_times({upper}, kind);
  }
  if (upper < lower) {
    throw Error(ErrorCode::usage,
                "the bounds " + order_text(kind, lower) + " " + order_text(kind, upper) + " are in the wrong order",
                "write the lower bound first", "bounds");
  }
  if (kind != ValueKind::number && !step.is_integer()) {
    throw Error(ErrorCode::usage, "the step is not a whole number of ticks", "write 1d, or 1us", "step");
  }
  if (kind != ValueKind::number && step.sign() > 0 && !step.fits_uint64()) {  // every step divides equal bounds
    throw Error(ErrorCode::usage, "the step is longer than any time between two dates", "write 1d, or 1us", "step");
  }
  if (step.sign() <= 0) {
    throw Error(ErrorCode::usage, "the step " + step.to_string() + " is not positive",
                "write the distance between neighboring values, such as 1 or 0.01", "step");
  }
  const Rational steps = (upper - lower) / step;
  if (!steps.is_integer()) {
    const Rational fitting = lower + (steps.floor() + Rational(1)) * step;
    throw Error(ErrorCode::usage,
                "the step " + distance_text(kind, step) + " does not divide the bounds " + value_text(kind, lower) +
                    " to " + value_text(kind, upper),
                fitting_hint(kind, fitting, step));
  }
  if (steps >= Rational(max_size)) {
    throw Error(ErrorCode::usage, "more than 2^62 values between the bounds", "use a larger step");
  }
  Lattice lattice;
  lattice.regular_ =
      std::make_shared<Regular>(lower, upper, step, kind == ValueKind::number ? Rational(0) : step * Rational(1, 2));
  lattice.kind_ = kind;
  return lattice;
}

Lattice Lattice::explicit_points(std::vector<Rational> points, ValueKind kind) {
  const OwnEnvironment own;
  if (kind != ValueKind::number) require_times(points, kind);
  Lattice lattice;
  lattice.kind_ = kind;
  lattice.explicit_ = std::make_shared<Explicit>(std::move(points));
  return lattice;
}

Lattice Lattice::numbers(std::uint64_t count) {
  const OwnEnvironment own;
  if (count == 0 || count > max_size) throw Error(ErrorCode::usage, "a lattice has from 1 to 2^62 candidates");
  return regular(0, Rational(count - 1), 1);
}

std::uint64_t Lattice::size() const { return regular_ ? regular_->points : explicit_->size(); }

bool Lattice::is_regular() const { return regular_ != nullptr; }

Rational Lattice::at(std::uint64_t index) const {
  if (index >= size()) throw Error(ErrorCode::internal, "a candidate beyond the lattice");
  if (!regular_) return explicit_->at(index);
  return regular_->lower + Rational(index) * regular_->step;
}

const Rational& Lattice::step() const {
  if (!regular_) throw Error(ErrorCode::internal, "explicit candidates have no step");
  return regular_->step;
}

Lattice Lattice::between(std::uint64_t lowest, std::uint64_t highest) const {
  const OwnEnvironment own;
  if (lowest > highest || highest >= size()) {
    throw Error(ErrorCode::usage, "a part of a lattice lies between two of its candidates, the lower one first");
  }
  if (lowest == 0 && highest == size() - 1) return *this;
  if (regular_) return regular(at(lowest), at(highest), regular_->step, kind_);
  std::vector<Rational> points;
  points.reserve(highest - lowest + 1);
  for (std::uint64_t i = lowest; i <= highest; ++i) points.push_back(explicit_->at(i));
  return explicit_points(std::move(points), kind_);
}

bool operator==(const Lattice& a, const Lattice& b) {
  if (a.regular_ == b.regular_ && a.explicit_ == b.explicit_) return a.kind_ == b.kind_;
  if (a.kind_ != b.kind_ || a.size() != b.size() || a.is_regular() != b.is_regular()) return false;
  return a.regular_ ? a.regular_->lower == b.regular_->lower && a.regular_->step == b.regular_->step
                    : a.explicit_->points() == b.explicit_->points();
}

Position Lattice::position_of(double value) const {
  const OwnEnvironment own;
  if (regular_) return regular_->position_of(value);
  require_number(value);
  return explicit_->position_of(value);
}

Position Lattice::position_of(std::int64_t value) const {
  return regular_ ? regular_->position_of(value) : explicit_->position_of(value);
}

Position Lattice::position_of(const Rational& value) const {
  return regular_ ? 2 * regular_->nearest_index(value) + 1 : explicit_->position_of(value);
}

Position Lattice::position_of_mean(std::int64_t sum, std::uint64_t count) const {
  if (count == 0) throw Error(ErrorCode::usage, "the mean of no numbers is undefined");
  return regular_ ? 2 * regular_->nearest_index_of_mean(sum, count) + 1
                  : explicit_->position_of(Rational(sum) / Rational(count));
}

void Lattice::positions_of(std::span<const double> values, std::span<Position> positions) const {
  const OwnEnvironment own;
  require_as_many(values.size(), positions.size());
  if (regular_) {
    regular_->positions_of(values, positions.data());
  } else {
    require_numbers(values);
    explicit_->positions_of(values, positions.data());
  }
}

void Lattice::positions_of(std::span<const std::int64_t> values, std::span<Position> positions) const {
  const OwnEnvironment own;
  require_as_many(values.size(), positions.size());
  if (regular_ && regular_->wholes) {
    return regular_->wholes->positions_of(values, positions.data());
  }
  if (!regular_ && !explicit_->wholes_enter_as_doubles()) {
    for (std::size_t i = 0; i < values.size(); ++i) positions[i] = explicit_->position_of(values[i]);
    return;
  }
  std::array<double, 512> doubles{};
  for (std::size_t from = 0; from < values.size(); from += doubles.size()) {
    const auto wholes = values.subspan(from, std::min(doubles.size(), values.size() - from));
    const auto places = positions.subspan(from, wholes.size());
    const bool all_exact = convert(wholes, doubles.data());
    positions_of(std::span(doubles).first(wholes.size()), places);
    if (all_exact) continue;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
      if (!is_exact_as_double(wholes[i])) places[i] = position_of(wholes[i]);
    }
  }
}

}  // namespace fractile
