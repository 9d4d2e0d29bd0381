#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "ranks/affine_filter.hpp"
#include "ranks/decimal.hpp"
#include "ranks/sorted_points.hpp"
#include "ranks/whole_grid.hpp"

namespace fractile {
namespace {

void require_number(double value) {
  if (std::isnan(value)) throw Error(ErrorCode::data, "NaN has no rank", "drop it or refuse it with --null");
}

void require_numbers(std::span<const double> values) {
  bool any_nan = false;
  for (const double value : values) any_nan |= std::isnan(value);
  if (any_nan) require_number(std::nan(""));
}

void require_as_many(std::size_t values, std::size_t positions) {
  if (values != positions) throw Error(ErrorCode::internal, "as many positions as values are needed");
}

constexpr std::uint64_t exact_as_double = std::uint64_t{1} << 53;

bool is_exact_as_double(std::int64_t value) {
  return static_cast<std::uint64_t>(value) + exact_as_double <= 2 * exact_as_double;
}

/// Whether all of them were exact.
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
  Regular(const Rational& from, const Rational& to, const Rational& by)
      : lower(from),
        step(by),
        size((to - from) / by + Rational(1)),
        points(size.to_uint64()),
        filter(from, to, by, points),
        grid(WholeGrid::of(from, by)) {}

  std::uint64_t clamped(const Rational& index) const {
    if (index.sign() <= 0) return 0;
    return index < size ? index.to_uint64() : points - 1;
  }
  std::uint64_t clamped(int128 index) const {
    if (index <= 0) return 0;
    return index < static_cast<int128>(points) ? static_cast<std::uint64_t>(index) : points - 1;
  }

  /// floor((value - lower) / step + 1/2), clamped: by definition.
  std::uint64_t nearest_index(const Rational& value) const {
    return clamped(((value - lower) / step + Rational(1, 2)).floor());
  }
  std::uint64_t nearest_index(std::int64_t value) const {
    return grid ? clamped(grid->nearest_index(value)) : nearest_index(Rational(value));
  }
  /// Without the filter; not NaN.
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
  Position position_of(std::int64_t value) const { return 2 * nearest_index(value) + 1; }
  void positions_of(std::span<const double> values, Position* positions) const {
    if (!filter(values, positions)) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (positions[i] == AffineFilter::uncertain) positions[i] = exact_position_of(values[i]);
    }
  }

  Rational lower;
  Rational step;
  Rational size;
  std::uint64_t points;
  AffineFilter filter;
  std::optional<WholeGrid> grid;
};

struct Lattice::Explicit : SortedPoints {
  using SortedPoints::SortedPoints;
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
  Lattice lattice;
  lattice.explicit_ = std::make_shared<Explicit>(std::move(points));
  return lattice;
}

std::uint64_t Lattice::size() const { return regular_ ? regular_->points : explicit_->size(); }

bool Lattice::is_regular() const { return regular_ != nullptr; }

Rational Lattice::at(std::uint64_t index) const {
  if (index >= size()) throw Error(ErrorCode::internal, "a candidate beyond the lattice");
  if (!regular_) return explicit_->at(index);
  return regular_->lower + Rational(static_cast<std::int64_t>(index)) * regular_->step;
}

const Rational& Lattice::step() const {
  if (!regular_) throw Error(ErrorCode::internal, "explicit candidates have no step");
  return regular_->step;
}

Position Lattice::position_of(double value) const {
  if (regular_) return regular_->position_of(value);
  require_number(value);
  return explicit_->position_of(value);
}

Position Lattice::position_of(std::int64_t value) const {
  return regular_ ? regular_->position_of(value) : explicit_->position_of(value);
}

void Lattice::positions_of(std::span<const double> values, std::span<Position> positions) const {
  require_as_many(values.size(), positions.size());
  if (regular_) {
    regular_->positions_of(values, positions.data());
  } else {
    require_numbers(values);
    explicit_->positions_of(values, positions.data());
  }
}

void Lattice::positions_of(std::span<const std::int64_t> values, std::span<Position> positions) const {
  require_as_many(values.size(), positions.size());
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
