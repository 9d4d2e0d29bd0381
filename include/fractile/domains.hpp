// Domains and metrics: what data look like, and how far apart two of them are.
// Sources: quantile-score-candidates 2022 and 2025, gumbel-max 2023; the vocabulary is OpenDP's.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// Numbers that data and candidates are made of.
template <class T>
concept Number =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

/// Numbers, and what scores are made of besides.
template <class T>
concept Atom = Number<T> || std::same_as<T, std::uint64_t> || std::same_as<T, Rational>;

/// "int32", "double", "rational".
template <Atom T>
std::string type_name() {
  if constexpr (std::same_as<T, std::int32_t>) return "int32";
  if constexpr (std::same_as<T, std::int64_t>) return "int64";
  if constexpr (std::same_as<T, std::uint64_t>) return "uint64";
  if constexpr (std::same_as<T, float>) return "float";
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, Rational>) return "rational";
}

/// The exact value; throws `usage` for NaN and infinities.
template <Atom T>
Rational to_rational(const T& value) {
  if constexpr (std::same_as<T, Rational>) {
    return value;
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    return Rational(value >> 1) * Rational(2) + Rational(value & 1);
  } else if constexpr (std::floating_point<T>) {
    return Rational::from_double(static_cast<double>(value));
  } else {
    return Rational(value);
  }
}

/// One value of type T: null (NaN) allowed or not, between bounds or not.
/// Thread-safety: a value; threads may share it while none changes it.
template <Atom T>
class AtomDomain {
 public:
  using Carrier = T;
  /// Every value; for floating-point types also NaN.
  static AtomDomain all() { return {std::floating_point<T>, {}}; }
  /// Every value but NaN.
  static AtomDomain non_null() { return {false, {}}; }
  /// Values from lower to upper; throws `usage` when there are none.
  static AtomDomain bounded(T lower, T upper) {
    if (!(lower <= upper)) throw Error(ErrorCode::usage, "bounds: the lower one is not at most the upper one");
    return {false, std::pair(lower, upper)};
  }

  bool nullable() const { return nullable_; }
  const std::optional<std::pair<T, T>>& bounds() const { return bounds_; }
  bool contains(const T& value) const {
    if constexpr (std::floating_point<T>) {
      if (std::isnan(value)) return nullable_;
    }
    return !bounds_ || (bounds_->first <= value && value <= bounds_->second);
  }
  std::string to_string() const {
    std::string text = type_name<T>();
    if (nullable_) text += " or NaN";
    if (bounds_) text += " in [" + shown(bounds_->first) + ", " + shown(bounds_->second) + "]";
    return text;
  }
  friend bool operator==(const AtomDomain&, const AtomDomain&) = default;

 private:
  AtomDomain(bool nullable, std::optional<std::pair<T, T>> bounds) : nullable_(nullable), bounds_(std::move(bounds)) {}
  static std::string shown(const T& value) {
    if constexpr (std::floating_point<T>) {  // the shortest text that is read back as the value, in every locale
      std::array<char, 32> text{};
      return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
    } else {
      return to_rational(value).to_string();
    }
  }

  bool nullable_;
  std::optional<std::pair<T, T>> bounds_;
};

/// A value or none: the nulls of types that have no NaN.
template <class Element>
struct OptionDomain {
  using Carrier = std::optional<typename Element::Carrier>;
  Element element;

  bool contains(const Carrier& value) const { return !value || element.contains(*value); }
  std::string to_string() const { return "optional " + element.to_string(); }
  friend bool operator==(const OptionDomain&, const OptionDomain&) = default;
};

/// Any number of elements, or a known number.
template <class Element>
struct VectorDomain {
  using Carrier = std::vector<typename Element::Carrier>;
  Element element;
  std::optional<std::size_t> size = {};

  bool contains(const Carrier& values) const {
    return (!size || values.size() == *size) &&
           std::ranges::all_of(values, [this](const typename Element::Carrier& v) { return element.contains(v); });
  }
  std::string to_string() const {
    return "vector of " + (size ? std::to_string(*size) + " " : std::string()) + element.to_string();
  }
  friend bool operator==(const VectorDomain&, const VectorDomain&) = default;
};

/// How many records must be added or removed, whatever their order.
struct SymmetricDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "SymmetricDistance"; }
  friend bool operator==(const SymmetricDistance&, const SymmetricDistance&) = default;
};

/// How many records must be inserted or deleted, order kept.
struct InsertDeleteDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "InsertDeleteDistance"; }
  friend bool operator==(const InsertDeleteDistance&, const InsertDeleteDistance&) = default;
};

/// How many records must be replaced, whatever their order; tables of different sizes are infinitely far apart.
struct ChangeOneDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "ChangeOneDistance"; }
  friend bool operator==(const ChangeOneDistance&, const ChangeOneDistance&) = default;
};

/// How many places hold different records; tables of different sizes are infinitely far apart.
struct HammingDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "HammingDistance"; }
  friend bool operator==(const HammingDistance&, const HammingDistance&) = default;
};

/// max_i |u_i - v_i|. Monotonic: only between vectors all of whose differences have one sign, infinite otherwise.
struct LInfDistance {
  using Distance = Rational;
  bool monotonic = false;
  std::string to_string() const { return monotonic ? "LInfDistance (monotonic)" : "LInfDistance"; }
  friend bool operator==(const LInfDistance&, const LInfDistance&) = default;
};

/// max_ij |(u_i - v_i) - (u_j - v_j)|: gumbel-max 2023, equation (6); InfDifferenceDistance in quantile-score 2022.
struct RangeDistance {
  using Distance = Rational;
  static std::string to_string() { return "RangeDistance"; }
  friend bool operator==(const RangeDistance&, const RangeDistance&) = default;
};

/// Metrics between tables that count added and removed records (the 2025 paper's ARDatasetMetric).
template <class M>
concept AddRemoveMetric = std::same_as<M, SymmetricDistance> || std::same_as<M, InsertDeleteDistance>;
/// Metrics between tables of one size that count changed records.
template <class M>
concept ChangeMetric = std::same_as<M, ChangeOneDistance> || std::same_as<M, HammingDistance>;
template <class M>
concept DatasetMetric = AddRemoveMetric<M> || ChangeMetric<M>;
/// Metrics between vectors of scores.
template <class M>
concept ScoreMetric = std::same_as<M, LInfDistance> || std::same_as<M, RangeDistance>;

namespace detail {

/// Records of u that v lacks, as multisets.
template <class T>
std::uint64_t missing(const std::vector<T>& u, const std::vector<T>& v) {
  std::map<T, std::int64_t> surplus;
  for (const T& x : u) ++surplus[x];
  for (const T& x : v) --surplus[x];
  std::uint64_t total = 0;
  for (const auto& [x, s] : surplus) total += s > 0 ? static_cast<std::uint64_t>(s) : 0;
  return total;
}

template <class T>
std::uint64_t longest_common_subsequence(const std::vector<T>& u, const std::vector<T>& v) {
  std::vector<std::uint64_t> row(v.size() + 1, 0);
  for (const T& x : u) {
    std::uint64_t diagonal = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      const std::uint64_t above = row[j + 1];
      row[j + 1] = x == v[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

/// u_i - v_i, exactly; nothing when the sizes differ.
template <Atom T>
std::optional<std::vector<Rational>> differences(const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  std::vector<Rational> result;
  for (std::size_t i = 0; i < u.size(); ++i) result.push_back(to_rational(u[i]) - to_rational(v[i]));
  return result;
}

}  // namespace detail

/// The distance of two members of a domain; nothing when it is infinite. By definition, and slowly: for tests.
template <class T>
std::optional<std::uint64_t> distance(SymmetricDistance, const std::vector<T>& u, const std::vector<T>& v) {
  return detail::missing(u, v) + detail::missing(v, u);
}

template <class T>
std::optional<std::uint64_t> distance(InsertDeleteDistance, const std::vector<T>& u, const std::vector<T>& v) {
  return u.size() + v.size() - 2 * detail::longest_common_subsequence(u, v);
}

template <class T>
std::optional<std::uint64_t> distance(ChangeOneDistance, const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  return detail::missing(u, v);
}

template <class T>
std::optional<std::uint64_t> distance(HammingDistance, const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < u.size(); ++i) total += u[i] == v[i] ? 0U : 1U;
  return total;
}

template <Atom T>
std::optional<Rational> distance(const LInfDistance& metric, const std::vector<T>& u, const std::vector<T>& v) {
  const auto differences = detail::differences(u, v);
  if (!differences) return std::nullopt;
  Rational largest = 0;
  bool up = false;
  bool down = false;
  for (const Rational& d : *differences) {
    up |= d.sign() > 0;
    down |= d.sign() < 0;
    largest = std::max(largest, d.sign() < 0 ? -d : d);
  }
  if (metric.monotonic && up && down) return std::nullopt;
  return largest;
}

template <Atom T>
std::optional<Rational> distance(RangeDistance, const std::vector<T>& u, const std::vector<T>& v) {
  const auto differences = detail::differences(u, v);
  if (!differences) return std::nullopt;
  if (differences->empty()) return Rational(0);
  const auto [least, most] = std::ranges::minmax_element(*differences);
  return *most - *least;
}

}  // namespace fractile
