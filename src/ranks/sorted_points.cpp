// One source, compiled for several instruction sets (Highway) one of these is chosen at the first call: the buckets of many values.
// All of them have the arithmetic of one value, operation for operation.
#include "libraries/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ranks/sorted_points.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first, and includes this file again for every instruction set.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "fractile/error.hpp"
#include "ranks/decimal.hpp"
#include "ranks/sorted_points.hpp"

HWY_BEFORE_NAMESPACE();
namespace fractile::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Reals = hn::ScalableTag<double>;

/// place_among_doubles() of each value; its sum rounds once, as one instruction would.
template <class V>
HWY_INLINE auto places_among_doubles(V values) {
  const hn::ScalableTag<std::int64_t> whole;
  const auto bits = hn::BitCast(whole, values);
  const auto mirrored = hn::Sub(hn::Set(whole, std::numeric_limits<std::int64_t>::min()), bits);
  return hn::ConvertTo(Reals(), hn::IfThenElse(hn::Lt(bits, hn::Zero(whole)), mirrored, bits));
}

template <bool by_place>
void buckets_of(const BucketMap& map, std::span<const double> values, std::uint32_t* buckets) {
  const Reals real;
  const hn::Rebind<std::int32_t, Reals> narrow;
  const hn::Rebind<std::uint32_t, Reals> stored;
  const auto first = hn::Set(real, map.first);
  const auto per_unit = hn::Set(real, map.per_unit);
  const auto last = hn::Set(real, map.last);
  std::size_t k = 0;
  for (; k + hn::Lanes(real) <= values.size(); k += hn::Lanes(real)) {
    auto value = hn::LoadU(real, values.data() + k);
    if constexpr (by_place) value = places_among_doubles(value);
    const auto bucket = hn::Mul(hn::Sub(value, first), per_unit);
    const auto positive = hn::IfThenElseZero(hn::Gt(bucket, hn::Zero(real)), bucket);
    const auto least = hn::IfThenElse(hn::Lt(positive, last), positive, last);
    hn::StoreU(hn::BitCast(stored, hn::DemoteTo(narrow, least)), stored, buckets + k);
  }
  for (; k < values.size(); ++k) buckets[k] = map(values[k]);
}

void buckets_by_value(const BucketMap& map, std::span<const double> values, std::uint32_t* buckets) {
  buckets_of<false>(map, values, buckets);
}

void buckets_by_place(const BucketMap& map, std::span<const double> values, std::uint32_t* buckets) {
  buckets_of<true>(map, values, buckets);
}

}  // namespace
}  // namespace fractile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fractile {
namespace {

constexpr std::size_t buckets_per_point = 4;

std::vector<double> doubles_of(const std::vector<Rational>& points) {
  std::vector<double> doubles;
  for (const Rational& point : points) {
    require_decimal(point, "the candidate");
    doubles.push_back(point.to_double());
    if (!std::isfinite(doubles.back())) {
      throw Error(ErrorCode::usage, "the candidate " + point.to_string() + " is beyond double precision");
    }
  }
  return doubles;
}

void require_increasing(const std::vector<Rational>& points, const std::vector<double>& doubles) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::string pair = points[i - 1].to_decimal() + ", " + points[i].to_decimal();
    if (points[i] <= points[i - 1]) {
      throw Error(ErrorCode::usage, "the candidates are not strictly increasing: " + pair,
                  "sort them and drop repetitions");
    }
    if (doubles[i] <= doubles[i - 1]) {
      throw Error(ErrorCode::usage, "two candidates are the same in double precision: " + pair,
                  "space them further apart");
    }
  }
}

BucketMap map_between(const std::vector<double>& points, bool by_place) {
  const double first = by_place ? BucketMap::place_among_doubles(points.front()) : points.front();
  const double last = by_place ? BucketMap::place_among_doubles(points.back()) : points.back();
  const auto last_bucket = static_cast<double>(std::bit_ceil(buckets_per_point * points.size()) - 1);
  return {by_place, first, last_bucket / (last - first), last_bucket};
}

std::size_t fullest_bucket(const BucketMap& map, const std::vector<double>& doubles) {
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < doubles.size();) {
    const std::size_t bucket = map(doubles[i]);
    std::size_t end = i + 1;
    while (end < doubles.size() && map(doubles[end]) == bucket) ++end;
    fullest = std::max(fullest, end - i);
    i = end;
  }
  return fullest;
}

/// Whether some whole number up to 2^53 compares differently with the point than with the point's nearest double.
bool misleads_wholes(const Rational& point, double nearest) {
  return std::abs(nearest) <= 0x1p53 && nearest == std::floor(nearest) && Rational::from_double(nearest) != point;
}

}  // namespace

HWY_EXPORT(buckets_by_value);
HWY_EXPORT(buckets_by_place);

void BucketMap::operator()(std::span<const double> values, std::uint32_t* buckets) const {
  if (by_place) {
    HWY_DYNAMIC_DISPATCH(buckets_by_place)(*this, values, buckets);
  } else {
    HWY_DYNAMIC_DISPATCH(buckets_by_value)(*this, values, buckets);
  }
}

SortedPoints::SortedPoints(std::vector<Rational> points) : points_(std::move(points)) {
  if (points_.empty()) throw Error(ErrorCode::usage, "no candidates", "list at least one value");
  doubles_ = doubles_of(points_);
  require_increasing(points_, doubles_);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    wholes_enter_as_doubles_ = wholes_enter_as_doubles_ && !misleads_wholes(points_[i], doubles_[i]);
  }
  make_buckets();
}

void SortedPoints::make_buckets() {
  const BucketMap by_value = map_between(doubles_, false);
  const BucketMap by_place = map_between(doubles_, true);
  const std::size_t fullest = fullest_bucket(by_value, doubles_);
  const std::size_t fullest_by_place = fullest_bucket(by_place, doubles_);
  map_ = fullest <= fullest_by_place ? by_value : by_place;
  first_half_ = std::bit_floor(std::min(fullest, fullest_by_place));
  first_in_.assign(static_cast<std::size_t>(map_.last) + 1, 0);
  for (const double point : doubles_) {
    const std::size_t bucket = map_(point);
    if (bucket + 1 < first_in_.size()) ++first_in_[bucket + 1];
  }
  std::partial_sum(first_in_.begin(), first_in_.end(), first_in_.begin());
  doubles_.resize(doubles_.size() + 2 * first_half_, std::numeric_limits<double>::quiet_NaN());
}

Position SortedPoints::position_of(const Rational& value) const {
  const auto at = std::lower_bound(points_.begin(), points_.end(), value);
  const auto index = static_cast<Position>(at - points_.begin());
  return at != points_.end() && *at == value ? 2 * index + 1 : 2 * index;
}

void SortedPoints::positions_of(std::span<const double> values, Position* positions) const {
  const Search found = search();
  std::array<std::uint32_t, 512> buckets{};
  for (std::size_t from = 0; from < values.size(); from += buckets.size()) {
    const std::span<const double> block = values.subspan(from, std::min(buckets.size(), values.size() - from));
    map_(block, buckets.data());
    for (std::size_t i = 0; i < block.size(); ++i) positions[from + i] = found.place(block[i], buckets[i]);
  }
}

}  // namespace fractile
#endif
