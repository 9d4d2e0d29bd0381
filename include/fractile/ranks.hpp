// Ranks: the lattice of candidates, the profile of a column on it, and the scores of candidates.
// Source: quantile-score-candidates 2025, equations (5)-(7).
// Proof: docs/proofs/rank_profile.md
// Proof: docs/proofs/scores.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fractile/dates.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// Where a record lies among the candidates: 2 i + 1 on candidate i, 2 i before candidate i (and after candidate i - 1).
using Position = std::uint64_t;

/// The public, declared set of candidates: an arithmetic progression that is never materialized, or an increasing list.
/// Cannot be empty. Values are exact decimals, or times: these are whole numbers of ticks since 1970, days of dates and microseconds of
/// the other kinds.
/// Thread-safety: a value; threads may share it while none changes it.
class Lattice {
 public:
  static constexpr std::uint64_t max_size = std::uint64_t{1} << 62;

  /// lower, lower + step, ..., upper. Throws `usage` unless lower <= upper, step > 0, step divides upper - lower, all
  /// are finite decimals, and there are at most 2^62 points.
  /// For times, throws `usage` also unless all three are whole and the bounds lie within the years 0001 to 9999.
  static Lattice regular(const Rational& lower, const Rational& upper, const Rational& step,
                         ValueKind kind = ValueKind::number);
  /// Strictly increasing finite decimals, at least one; throws `usage` otherwise, and as above.
  static Lattice explicit_points(std::vector<Rational> points, ValueKind kind = ValueKind::number);
  /// 0, 1, ..., count - 1, for candidates that are only numbered. Throws `usage` unless 1 <= count <= 2^62.
  static Lattice numbers(std::uint64_t count);

  Lattice(const Lattice& other) = default;
  Lattice& operator=(const Lattice& other) = default;
  /// Copies, so that no empty one is left behind.
  Lattice(Lattice&& other) noexcept : Lattice() { *this = static_cast<const Lattice&>(other); }
  Lattice& operator=(Lattice&& other) noexcept { return *this = static_cast<const Lattice&>(other); }
  ~Lattice() = default;

  std::uint64_t size() const;
  bool is_regular() const;
  ValueKind kind() const { return kind_; }
  /// at(index) as it is printed: value_text().
  std::string text(std::uint64_t index) const { return value_text(kind_, at(index)); }
  Rational at(std::uint64_t index) const;
  Rational lower() const { return at(0); }
  Rational upper() const { return at(size() - 1); }
  /// Only for regular lattices.
  const Rational& step() const;
  /// The candidates lowest .. highest. Throws `usage` unless lowest <= highest and both are candidates.
  Lattice between(std::uint64_t lowest, std::uint64_t highest) const;
  /// Whether values have the same positions and the same names on both: equal candidates, of one kind, regular or listed.
  friend bool operator==(const Lattice& a, const Lattice& b);

  /// The position of a record, a function of that record alone. On a regular lattice: clamped to the bounds, then the nearest
  /// point, the upper one when two are equally near, decided exactly; infinities clamp. Among explicit points: on a point
  /// when equal to it (a double: when equal to the point's nearest double), otherwise between two.
  /// For times, values are ticks, and on a regular lattice a value counts at the last point that is not after it: the day it is on.
  /// Throws `data` for NaN.
  Position position_of(double value) const;
  Position position_of(std::int64_t value) const;
  Position position_of(const Rational& value) const;
  /// position_of(sum / count), of a count above 0.
  Position position_of_mean(std::int64_t sum, std::uint64_t count) const;
  /// The same for many at once; as many positions as values.
  void positions_of(std::span<const double> values, std::span<Position> positions) const;
  void positions_of(std::span<const std::int64_t> values, std::span<Position> positions) const;

 private:
  struct Regular;
  struct Explicit;
  Lattice() = default;
  std::shared_ptr<const Regular> regular_;
  std::shared_ptr<const Explicit> explicit_;
  ValueKind kind_ = ValueKind::number;
};

/// All that the mechanisms may know about a column: how many records lie at each position of a lattice. Runs of candidates that see
/// the same data follow from it. Sensitive: it is the data.
/// Thread-safety: a value; threads may share it while none changes it.
class RankProfile {
 public:
  /// A profile has at most this many records: 2^48 - 1.
  static constexpr std::uint64_t max_records = (std::uint64_t{1} << 48) - 1;

  /// Counts at strictly increasing positions on the lattice. Throws `data` when they are more than max_records in all.
  RankProfile(Lattice lattice, std::vector<Position> positions, std::span<const std::uint64_t> counts);

  /// What its records were counted on; profiles share it.
  const Lattice& lattice() const { return lattice_; }
  std::uint64_t candidates() const { return lattice_.size(); }
  std::uint64_t records() const { return cumulative_.back(); }
  /// Number of distinct positions.
  std::size_t distinct() const { return positions_.size(); }
  Position position(std::size_t k) const { return positions_[k]; }
  /// Records at positions 0 .. k-1 (in order of position), k in 0 .. distinct().
  std::uint64_t cumulative(std::size_t k) const { return cumulative_[k]; }
  std::uint64_t count(std::size_t k) const { return cumulative(k + 1) - cumulative(k); }

  /// #(x < candidate) and #(x = candidate).
  std::uint64_t below(std::uint64_t candidate) const;
  std::uint64_t equal(std::uint64_t candidate) const;

  /// Throws `usage` when it was counted on another lattice.
  void require_on(const Lattice& lattice) const;
  /// The profile of both columns together; throws `usage` unless both were counted on one lattice.
  static RankProfile merge(const RankProfile& a, const RankProfile& b);
  friend bool operator==(const RankProfile&, const RankProfile&) = default;
  friend RankProfile relabeled(RankProfile profile, const Lattice& lattice);

 private:
  friend class ProfileBuilder;
  explicit RankProfile(Lattice lattice) : lattice_(std::move(lattice)) {}

  Lattice lattice_;
  std::vector<Position> positions_;
  std::vector<std::uint64_t> cumulative_;
};

/// The same positions on a lattice with other names for its candidates, such as in other units. Throws `internal` unless both
/// lattices have equally many candidates and both are regular or both listed.
RankProfile relabeled(RankProfile profile, const Lattice& lattice);

/// The same records on lattice().between(lowest, highest): those outside on the nearest candidate. Throws `usage` as
/// there.
RankProfile clamped(const RankProfile& profile, std::uint64_t lowest, std::uint64_t highest);
/// The same for profiles on one lattice, which share their new one. Throws `usage` also when they are on several lattices.
std::vector<RankProfile> clamped(std::span<const RankProfile> profiles, std::uint64_t lowest, std::uint64_t highest);

/// Builds a profile from records in any order, or from counts. On at most 2^20 candidates every position has a counter, of 4
/// to 8 bytes, for each thread that counts; on more, the positions of all records are kept and sorted by their digits: 8 bytes per
/// record, 16 while they are sorted. Not for use from two threads at once.
class ProfileBuilder {
 public:
  /// Uses at most this many threads, 0 for as many as the machine runs at once. Spans in add(), and the sorting in finish(), take
  /// one thread for every 131,072 records, and below twice that number only the calling thread. The profile is the same, bit for
  /// bit.
  explicit ProfileBuilder(Lattice lattice, std::size_t threads = 1);
  ProfileBuilder(ProfileBuilder&&) noexcept;
  ProfileBuilder& operator=(ProfileBuilder&&) noexcept;
  ~ProfileBuilder();

  /// Throws `data` for NaN, and beyond RankProfile::max_records.
  void add(double value);
  void add(std::int64_t value);
  /// Adds many at once, which takes a fraction of the time.
  void add(std::span<const double> values);
  void add(std::span<const std::int64_t> values);
  void add_position(Position position, std::uint64_t count);
  /// All that was added to another builder, which is empty afterwards. Throws `usage` unless both count on one lattice;
  /// throws `data` beyond RankProfile::max_records.
  void take(ProfileBuilder& other);
  /// The profile of all that was added; the builder is empty afterwards.
  RankProfile finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A quantile alpha = numerator / denominator in lowest terms, in [0, 1], denominator at most 2^31.
struct QuantileFraction {
  std::uint64_t numerator;
  std::uint64_t denominator;
  /// Throws `usage` when alpha is outside [0, 1] or its denominator is above 2^31.
  static QuantileFraction of(const Rational& alpha);
};

/// quantile-score-candidates 2025, equation (7): |den * min(below, limit) - num * min(n - equal, limit)|, lower is better. The
/// limit times the denominator must fit 64 bits.
std::uint64_t rank_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n,
                         std::uint64_t size_limit);
/// interval_score() is at most this large; a candidate that is farther off counts as this far.
inline constexpr std::uint64_t farthest_score = ~std::uint64_t{0} / 2;
/// max(0, den * below - num * n, num * n - den * (below + equal)): zero on every true alpha-quantile, however tied.
std::uint64_t interval_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n);

}  // namespace fractile
