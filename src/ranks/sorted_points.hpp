// Where records enter a list of candidates: a table of buckets leads to the few candidates that are near a record.
// Proof: docs/proofs/rank_profile.md
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile {

/// A function from doubles to 0 .. last that never decreases: affine in the double, or in its place among all doubles, which suits
/// points that are spaced like powers.
struct BucketMap {
  /// The value's place among all doubles, as a double. Never decreases.
  static double place_among_doubles(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return static_cast<double>(bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits);
  }
  std::uint32_t operator()(double value) const {
    const double bucket = ((by_place ? place_among_doubles(value) : value) - first) * per_unit;
    const double positive = bucket > 0 ? bucket : 0;  // NaN, from 0 times infinity, is 0
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(positive < last ? positive : last));
  }
  /// The same for many values, in vectors of the machine's width.
  void operator()(std::span<const double> values, std::uint32_t* buckets) const;
  bool by_place;
  double first;
  double per_unit;
  double last;  // below 2^31
};

class SortedPoints {
 public:
  /// Throws `usage` unless there is a point and all points are finite decimals that increase strictly, also as doubles.
  explicit SortedPoints(std::vector<Rational> points);

  std::size_t size() const { return points_.size(); }
  const Rational& at(std::size_t index) const { return points_[index]; }
  const std::vector<Rational>& points() const { return points_; }

  /// The value is not NaN.
  Position position_of(double value) const { return search().place(value, map_(value)); }
  Position position_of(std::int64_t value) const { return position_of(Rational(value)); }
  /// The position on a point if the value is equal to it.
  Position position_of(const Rational& value) const;
  void positions_of(std::span<const double> values, Position* positions) const;
  /// Whether whole numbers up to 2^53 have the positions of their doubles: no other point rounds to such a number.
  bool wholes_enter_as_doubles() const { return wholes_enter_as_doubles_; }

 private:
  /// A binary search without branches, with the same number of steps in every bucket.
  struct Search {
    Position place(double value, std::uint32_t bucket) const {
      std::size_t index = first_in[bucket];
      for (std::size_t half = first_half; half > 0; half /= 2) index += doubles[index + half - 1] < value ? half : 0;
      return 2 * index + (doubles[index] == value ? 1 : 0);
    }
    const double* doubles;
    const std::uint32_t* first_in;
    std::size_t first_half;
  };
  Search search() const { return {doubles_.data(), first_in_.data(), first_half_}; }
  void make_buckets();

  std::vector<Rational> points_;
  std::vector<double> doubles_;  // followed by as many NaN as a search may read beyond the end
  BucketMap map_{};
  std::vector<std::uint32_t> first_in_;  // for each bucket: the number of points in the buckets before it
  std::size_t first_half_ = 0;           // the first step of a search among as many points as the fullest bucket has
  bool wholes_enter_as_doubles_ = true;
};

}  // namespace fractile
