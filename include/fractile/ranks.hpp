// What a counted column consists of: lattices, dates, profiles of ranks, keys of groups, weights, and where records came from.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {

// --- Dates and times -------------------------------------------------------------------------------------------------
//
// Dates and times as whole numbers: how they are read and written. Proleptic Gregorian calendar, years 0001 to 9999, no leap
// seconds; instants are in UTC. Source: a subset of ISO 8601 and RFC 3339.
// Proof: docs/proofs/rank_profile.md
// Thread-safety: functions of their arguments, for any number of threads.

/// What the values of a column or a lattice are. date: a day. timestamp: a day and a time that a clock somewhere showed, without its
/// offset from UTC. instant: the same moment everywhere.
enum class ValueKind { number, date, timestamp, instant };

/// "number", "date", "timestamp", "instant".
std::string to_string(ValueKind kind);
/// The kind of that name; nothing for another text.
std::optional<ValueKind> value_kind_of(std::string_view name);

/// A time in ticks since the beginning of 1970: days of a date, else microseconds. Leap seconds are not times here.
struct Moment {
  ValueKind kind;  ///< not a number
  std::int64_t ticks;
  friend bool operator==(const Moment&, const Moment&) = default;
};

constexpr std::int64_t microseconds_a_day = 86'400'000'000;
/// From 0001-01-01 to 9999-12-31.
constexpr std::int64_t first_day = -719'162;
constexpr std::int64_t last_day = 2'932'896;

/// Reads 2024-01-31, or a date, T or one space, and a time: 17:05, 17:05:09 or 17:05:09.25, with Z or an offset (+01, +0100, +01:00)
/// for an instant. Digits beyond microseconds are cut off. Nothing for any other text. How one text is read depends on it alone.
std::optional<Moment> read_moment(std::string_view text);

/// Where a record with this time counts on a lattice of this kind, in the lattice's ticks: a timestamp counts as its day, and a day
/// as its first moment. Nothing where only one of the two has an offset from UTC.
std::optional<std::int64_t> ticks_on(ValueKind lattice, const Moment& moment);

/// A cell of text as ticks_on() a lattice: read_moment(), or inf or infinity in any case with an optional sign, which become the
/// last or, with a minus, the first 64-bit integer. ASCII white space around the text is ignored. Nothing for anything else.
std::optional<std::int64_t> cell_ticks(ValueKind lattice, std::string_view cell);

/// The unit in which a column that is not a text holds its times.
enum class TimeUnit { days, seconds, milliseconds, microseconds, nanoseconds };

/// A column's number in a lattice's ticks: rounded down, and clamped to 64-bit integers.
std::int64_t ticks_in(ValueKind lattice, std::int64_t number, TimeUnit unit);

/// "2024-01-31"; "2024-01-31T17:05:09", with three or six digits of the second where they are needed; "...Z" for an instant. Throws
/// `internal` outside the years above, and for a number.
std::string moment_text(ValueKind kind, std::int64_t ticks);

/// Reads a whole number and w, d, h, min, s, ms or us: "7d", "15min"; in microseconds. Nothing for any other text and beyond 64
/// bits; "1m" is not read either, since it might mean a month.
std::optional<std::int64_t> read_span(std::string_view text);

/// A number of ticks, as a multiple of the largest unit that divides it: "7d", "36h", "-15min"; read_span() reads back what is not
/// below 0. Throws `internal` for a fraction of a microsecond, and for a number.
std::string span_text(ValueKind kind, const Rational& ticks);

/// A value as it is printed: a number by its decimals, ticks by moment_text().
std::string value_text(ValueKind kind, const Rational& value);
/// The step of a lattice, or a multiple of it: decimals, or span_text().
std::string distance_text(ValueKind kind, const Rational& distance);
/// The difference of two values: decimals, or for times the days, hours, minutes and seconds that it consists of: "-12d 3h 0.250s".
std::string duration_text(ValueKind kind, const Rational& duration);
/// Reads back what value_text() wrote. Throws `data` for anything else.
Rational read_value(ValueKind kind, const std::string& text);

// --- Lattices, profiles and scores -----------------------------------------------------------------------------------
//
// Ranks: the lattice of candidates, the profile of a column on it, and the scores of candidates.
// Source: quantile-score-candidates 2025, equations (5)-(7).
// Proof: docs/proofs/rank_profile.md
// Proof: docs/proofs/scores.md

/// Where a record lies among the candidates: 2 i + 1 on candidate i, 2 i before candidate i (and after candidate i - 1).
using Position = std::uint64_t;

/// The public, declared set of candidates: an arithmetic progression that is never materialized, or an increasing list. A lattice
/// cannot be empty. Its values are exact decimals or times. Times are whole numbers of ticks since 1970: days for dates,
/// microseconds for the other kinds.
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
  /// Moving copies, so that no empty lattice is left behind.
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
  /// point, the upper one when two are equally near, decided exactly; infinities clamp. Among explicit points: on a point when
  /// equal to it (a double: when equal to the point's nearest double), otherwise between two. For times, values are ticks, and on a
  /// regular lattice a value counts at the last point that is not after it, such as its day. Throws `data` for NaN.
  Position position_of(double value) const;
  Position position_of(std::int64_t value) const;
  Position position_of(const Rational& value) const;
  /// position_of(sum / count), of a count above 0.
  Position position_of_mean(std::int64_t sum, std::uint64_t count) const;
  /// The same for many values at once; there are as many positions as values.
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

struct ProfileParts;

/// All that the mechanisms may know about a column: how many records lie at each position of a lattice. From this follow the runs
/// of candidates that no record separates. Sensitive: a profile is the data.
/// Thread-safety: a value; threads may share it while none changes it.
class RankProfile {
 public:
  /// A profile has at most this many records: 2^48 - 1.
  static constexpr std::uint64_t max_records = (std::uint64_t{1} << 48) - 1;

  /// Counts at strictly increasing positions on the lattice. Throws `data` when they are more than max_records in all.
  RankProfile(Lattice lattice, std::vector<Position> positions, std::span<const std::uint64_t> counts);

  /// The lattice on which its records were counted; profiles share it.
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
  friend bool operator==(const RankProfile& a, const RankProfile& b) {
    return a.lattice_ == b.lattice_ && std::ranges::equal(a.positions_, b.positions_) &&
           std::ranges::equal(a.cumulative_, b.cumulative_);
  }
  friend RankProfile relabeled(RankProfile profile, const Lattice& lattice);

 private:
  friend struct ProfileMemory;
  RankProfile(Lattice lattice, std::shared_ptr<const void> memory, std::span<const Position> positions,
              std::span<const std::uint64_t> cumulative)
      : lattice_(std::move(lattice)), memory_(std::move(memory)), positions_(positions), cumulative_(cumulative) {}

  Lattice lattice_;
  // The memory of both spans is never written again: copies share it, and so may the profiles of many groups.
  std::shared_ptr<const void> memory_;
  std::span<const Position> positions_;
  std::span<const std::uint64_t> cumulative_;
};

/// The same positions on a lattice with other names for its candidates, such as in other units. Throws `internal` unless both
/// lattices have equally many candidates and both are regular or both listed.
RankProfile relabeled(RankProfile profile, const Lattice& lattice);

/// The same records on lattice().between(lowest, highest): records outside move to the nearest candidate. Throws `usage` as
/// between() does.
RankProfile clamped(const RankProfile& profile, std::uint64_t lowest, std::uint64_t highest);
/// The same for profiles on one lattice, which share their new one. Throws `usage` also when they are on several lattices.
std::vector<RankProfile> clamped(std::span<const RankProfile> profiles, std::uint64_t lowest, std::uint64_t highest);

/// Builds a profile from records in any order, or from counts. On at most 2^20 candidates every position has a counter, of 4
/// to 8 bytes, for each thread that counts; on more, the positions of all records are kept and sorted by their digits: 8 bytes per
/// record, 16 while they are sorted. Not for use from two threads at once.
class ProfileBuilder {
 public:
  /// Uses at most this many threads, 0 for as many as the machine runs at once. add() of a span, and the sorting in finish(), use
  /// one thread for every 131,072 records; below twice that number, only the calling thread. The profile is the same, bit for bit.
  explicit ProfileBuilder(Lattice lattice, std::size_t threads = 1);
  ProfileBuilder(ProfileBuilder&&) noexcept;
  ProfileBuilder& operator=(ProfileBuilder&&) noexcept;
  ~ProfileBuilder();

  /// Throws `data` for NaN, and beyond RankProfile::max_records.
  void add(double value);
  void add(std::int64_t value);
  /// Adds many values at once, in a fraction of the time.
  void add(std::span<const double> values);
  void add(std::span<const std::int64_t> values);
  void add_position(Position position, std::uint64_t count);
  /// Takes everything that was added to another builder, which is empty afterwards. Throws `usage` unless both count on one
  /// lattice; throws `data` beyond RankProfile::max_records.
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
/// The largest value of interval_score(): a candidate that is farther off gets this score.
inline constexpr std::uint64_t farthest_score = ~std::uint64_t{0} / 2;
/// max(0, den * below - num * n, num * n - den * (below + equal)): zero on every true alpha-quantile, however tied.
std::uint64_t interval_score(const QuantileFraction& alpha, std::uint64_t below, std::uint64_t equal, std::uint64_t n);

// --- Keys of groups --------------------------------------------------------------------------------------------------
//
// Public keys of groups: with one key column a group's key is a text, with several it is a text for each of them.
// Thread-safety: values; threads may share them while none changes one.

/// The columns that hold the keys, in the order of a key's texts; none without groups.
class KeyColumns {
 public:
  KeyColumns() = default;
  /// One column, or none for "".
  KeyColumns(std::string name);  // NOLINT(google-explicit-constructor): the usual case is one name
  KeyColumns(const char* name) : KeyColumns(std::string(name)) {}  // NOLINT(google-explicit-constructor): the same
  KeyColumns(std::initializer_list<std::string> names) : names_(names) {}
  explicit KeyColumns(std::vector<std::string> names) : names_(std::move(names)) {}

  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::size_t column) const { return names_[column]; }
  const std::vector<std::string>& names() const { return names_; }
  /// Throws `usage` for a name that is empty or occurs twice.
  void validate() const;
  friend bool operator==(const KeyColumns&, const KeyColumns&) = default;

 private:
  std::vector<std::string> names_;
};

/// For people: "region", "region and sex", "region, sex and sector".
std::string to_string(const KeyColumns& columns);

/// The key of a group: a text for each key column. Two keys are equal when all their texts are.
class GroupKey {
 public:
  /// The key of a whole column, which has no groups.
  GroupKey() = default;
  /// The key of a group by one key column; "" is not a key.
  GroupKey(std::string text);  // NOLINT(google-explicit-constructor): the usual case is one text
  GroupKey(const char* text) : GroupKey(std::string(text)) {}  // NOLINT(google-explicit-constructor): the same
  explicit GroupKey(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  const std::string& operator[](std::size_t column) const { return texts_[column]; }
  const std::vector<std::string>& texts() const& { return texts_; }
  std::vector<std::string> texts() && { return std::move(texts_); }
  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend auto operator<=>(const GroupKey& a, const GroupKey& b) { return a.texts_ <=> b.texts_; }

 private:
  std::vector<std::string> texts_;
};

/// For people: the texts with commas between them. Two keys may read the same, so never look anything up by this text.
std::string to_string(const GroupKey& key);

/// The keys of all groups, in their order. They are public, and never come from the data.
class GroupKeys {
 public:
  static constexpr std::size_t most = 100'000;
  static constexpr std::size_t most_columns = 16;

  /// No keys: there are no groups.
  GroupKeys() = default;
  /// The keys of one key column.
  GroupKeys(std::vector<std::string> keys);  // NOLINT(google-explicit-constructor): the usual case is one column
  GroupKeys(std::initializer_list<std::string> keys) : GroupKeys(std::vector<std::string>(keys)) {}
  /// Every combination of the columns' keys; the last column's keys change first. Throws `usage` for more than `most`.
  static GroupKeys crossed(std::vector<std::vector<std::string>> lists);
  /// Only these combinations, each with a text for each column. Throws `usage` unless all have equally many texts.
  static GroupKeys tuples(const std::vector<std::vector<std::string>>& tuples);
  /// Keys by number: `numbers` holds, group by group and column by column, the place of a key in the column's list. Throws `usage`
  /// unless each list has exactly its column's keys, in the order in which groups first use them.
  static GroupKeys numbered(std::vector<std::vector<std::string>> lists, std::vector<std::uint32_t> numbers);

  bool empty() const { return numbers().empty(); }
  /// How many groups there are.
  std::size_t size() const { return columns() == 0 ? 0 : numbers().size() / columns(); }
  std::size_t columns() const { return content_ ? content_->lists.size() : 0; }
  /// The keys of a column, in the order in which groups first use them.
  const std::vector<std::string>& list(std::size_t column) const { return content_->lists[column]; }
  /// Which of the column's keys a group has.
  std::uint32_t number(std::size_t group, std::size_t column) const { return numbers()[group * columns() + column]; }
  const std::vector<std::uint32_t>& numbers() const;
  GroupKey operator[](std::size_t group) const;
  std::vector<GroupKey> all() const;

  /// The same groups with other texts for one column's keys.
  GroupKeys with_list(std::size_t column, std::vector<std::string> texts) const;

  /// Throws `usage` for more than `most` groups or `most_columns` columns, for an empty text, and for a key that occurs twice.
  void validate() const;

  /// The same keys in the same order.
  friend bool operator==(const GroupKeys& a, const GroupKeys& b);

 private:
  /// Never changed, and shared by copies: a hundred thousand keys pass through many hands.
  struct Content {
    std::vector<std::vector<std::string>> lists;  ///< one per column
    std::vector<std::uint32_t> numbers;           ///< a key's place in its list, group by group
    mutable std::atomic<bool> is_valid = false;   ///< validate() has passed
  };
  GroupKeys(std::vector<std::vector<std::string>> lists, std::vector<std::uint32_t> numbers);

  std::shared_ptr<const Content> content_;  // none without keys
};

// --- Weights ---------------------------------------------------------------------------------------------------------
//
// Weights of records, as in surveys: points of a public grid. A record of weight w counts as w / step records of its value.
// Proof: docs/proofs/weights.md
// Thread-safety: values; threads may share them while none changes one.

/// How records are weighted. All of it is public. A record's weight is a function of that record alone: clamped to the bounds, then
/// rounded to the nearest multiple of the step, the upper one when two are equally near.
struct RecordWeights {
  /// The finest grid has this many steps up to the largest weight, so that every total of weights can be counted.
  static constexpr std::uint32_t most_units = 4096;

  std::string column;  ///< the column that holds the weights
  Rational lower;      ///< a smaller weight counts as this one
  Rational upper;      ///< a larger weight counts as this one
  Rational step;       ///< the distance between weights; a record of weight `step` is one unit
  /// A declaration by the owner, which Fractile does not check: how many of the counted records differ when one person joins or
  /// leaves. Each of these records appears, disappears or has another weight, and nothing else differs. (Where weights are
  /// calibrated to totals, a person who joins changes the weights of others.) The promise is made to persons with this many
  /// records. Nothing: neighbors are weighted files that differ by one weighted record, and all other weights stay as they are.
  std::optional<std::uint32_t> stability = {};
  /// About how large the weights are on average, by public knowledge: the expected number of units is computed from it and the
  /// expected number of records.
  std::optional<Rational> mean = {};

  /// Throws `usage` unless there is a column, 0 <= lower <= upper and 0 < upper, both are multiples of the step, which is above 0, there are
  /// at most `most_units` steps in `upper`, the stability is at least 1, and the mean lies within the bounds and is above 0.
  void validate() const;
  /// lower, lower + step, ..., upper, valid as above: the weights that records can have.
  Lattice grid() const;
  /// How many units a record of the smallest weight is.
  std::uint32_t least_units_of_record() const;
  /// The same for the largest weight.
  std::uint32_t most_units_of_record() const;

  /// Only the members that decide how many units a record counts as.
  RecordWeights as_counted() const { return {column, lower, upper, step}; }

  friend bool operator==(const RecordWeights&, const RecordWeights&) = default;
};

// --- Provenance ------------------------------------------------------------------------------------------------------
//
// Where the records of a release came from, and which of their cells counted.
// Thread-safety: values; threads may share them while none changes one.

/// What to do with NULL, empty cells and NaN: leave the record out, or refuse the table.
enum class NullPolicy { drop, error };
/// "drop", "error".
inline std::string to_string(NullPolicy policy) { return policy == NullPolicy::drop ? "drop" : "error"; }

/// How numbers are written in delimited text.
struct NumberStyle {
  /// The decimal point, "." or ","; empty: ".".
  std::string decimal = {};
  /// What may separate groups of three digits before the decimal point: one of . , ' and a blank, which also allows no-break
  /// blanks; empty: nothing.
  std::string thousands = {};

  bool is_plain() const { return (decimal.empty() || decimal == ".") && thousands.empty(); }
  /// Throws `usage` unless both are as described, and different.
  void validate() const;

  friend bool operator==(const NumberStyle&, const NumberStyle&) = default;
};

/// What to do with a cell that is not a number (or time): refuse the table, or treat the cell as empty.
enum class Unreadable { error, missing };
/// "error", "missing".
inline std::string to_string(Unreadable unreadable) { return unreadable == Unreadable::error ? "error" : "missing"; }

/// What a person's records become before anything else is done with them: one value for the person, or for the person in each
/// group. A function of these records as a multiset, decided exactly. Proof: docs/proofs/one_value_per_person.md
enum class PerPerson {
  sum,    ///< of integers, decimals and doubles: the exact sum; for doubles, the double nearest to it
  count,  ///< how many of these records hold something in the column, whatever its type
  mean,   ///< the exact sum divided by their number; for doubles, the double nearest to it
  min,
  max,
  median,  ///< the value in the middle; of an even number of values, the lower of the two middle ones
  any,     ///< 1 where one of the numbers is not 0, else 0
  all,     ///< 1 where none of the numbers is 0, else 0
};
inline constexpr std::array all_per_person{PerPerson::sum, PerPerson::count,  PerPerson::mean, PerPerson::min,
                                           PerPerson::max, PerPerson::median, PerPerson::any,  PerPerson::all};
/// "sum", "count", ...
inline std::string to_string(PerPerson how) {
  constexpr std::array names{"sum", "count", "mean", "min", "max", "median", "any", "all"};
  return names.at(static_cast<std::size_t>(how));
}

/// A further table that a query may read.
struct NamedTable {
  std::string name;  ///< a letter or _, then letters, digits and _; letter case does not count; not "input"
  std::string file;  ///< as TableOptions::file; the format is that of the file's name, csv for "-"
};

/// Says that a release is a margin of a table: its records are exactly those of a finer level's cells.
struct MarginOf {
  KeyColumns by;             ///< the columns of these cells
  std::uint64_t cells = 0;   ///< the number of cells
  std::string cells_sha256;  ///< of the cells' keys, as lists of texts in JSON; identifies levels of the same cells
  std::vector<std::string> others = {};  ///< as RecordSelection::others, of these columns
};

/// For weighted records: the release's query is about units of weight.
struct WeightsDescription {
  RecordWeights declared;
  std::uint32_t records_per_person = 1;  ///< how many records of one person count, or rows of a query

  /// How many records a person's units come from: `records_per_person`, or all records whose weights one person can change.
  std::uint32_t changed_records() const { return declared.stability.value_or(records_per_person); }
  /// The factor by which the noise, in units, is larger than for as many records of one unit each.
  Rational noise_factor() const {
    return Rational(std::int64_t{declared.most_units_of_record()}) * Rational(std::int64_t{changed_records()}) /
           Rational(std::int64_t{records_per_person});
  }
  /// The same factor for the noise as a share of the total, where a mean weight is expected: a record of mean weight is fewer units
  /// than one of the largest weight.
  std::optional<Rational> relative_noise_factor() const {
    if (!declared.mean) return {};
    return noise_factor() * declared.step / *declared.mean;
  }
  friend bool operator==(const WeightsDescription&, const WeightsDescription&) = default;
};

/// Where the records came from, as the user wrote it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  NullPolicy null_policy = NullPolicy::drop;
  std::string engine;
  std::string person = {};              ///< the column by which persons' records were bounded, if any
  KeyColumns by = {};                   ///< the columns of the groups' keys, if there are groups
  std::vector<NamedTable> tables = {};  ///< the further tables that the query could read
  /// The stability that was declared for the query; nothing when the query is row-wise. The release was made with over_query().
  std::optional<std::uint32_t> sql_stability = {};
  /// A declaration that is never checked: no person has records in two of the countings that were merged.
  bool disjoint_persons = false;
  std::vector<std::string> missing = {};  ///< texts that were declared to count as missing
  /// What was done with a cell that is not a number; nothing: such a cell was an error.
  std::optional<Unreadable> unreadable = {};
  std::optional<MarginOf> margin_of = {};
  std::optional<PerPerson> per_person = {};  ///< how each person's records became one value, if they did
  bool one_row_a_person = false;             ///< whether the query made one row of each person's records
  std::optional<WeightsDescription> weights = {};
  /// Whether each person's records were sampled once for several columns, whatever they held.
  bool whole_records = false;
  /// For a table in several files: the name of each file, in order. Then `file` has all names that were typed, sorted, with commas
  /// between them.
  std::vector<std::string> files = {};
  /// As RecordSelection::others: none, or for each column of `by` the key under which records without a listed key count.
  std::vector<std::string> others = {};
};

// --- Counted columns -------------------------------------------------------------------------------------------------
//
// The output of counting and the input of a release: profiles, with the facts on which the privacy promise rests.
// Thread-safety: values; threads may share them while none changes one.

/// A column that was counted: one profile, or one per key of several groups, and how many of its records can be one person's.
class CountedColumn {
 public:
  /// A profile of your own. You declare that no person has more than `records_per_person` records in it; Fractile does not check that.
  /// Throws `usage` for 0.
  CountedColumn(RankProfile profile, std::uint32_t records_per_person);
  /// One profile for each key. You declare that each record is in at most one of them, decided by that record alone, and that no person has
  /// more than `records_per_person` records in all of them together. Throws `usage` for 0 records, for no keys, for another number of profiles,
  /// for keys of different numbers of columns, and for profiles on different lattices.
  CountedColumn(std::vector<GroupKey> keys, std::vector<RankProfile> profiles, std::uint32_t records_per_person);

  /// Declares that the profiles count rows of a query's result, and that one record changes at most `stability` of these rows
  /// (TableOptions::sql_stability). A release multiplies the records of a person by `stability`. Throws `usage` for 0.
  CountedColumn over_query(std::uint32_t stability) &&;
  /// Declares the table's number of rows, with or without a number, to be public. Throws `usage` where there are groups, and for more
  /// than RankProfile::max_records.
  CountedColumn with_public_rows(std::uint64_t rows) &&;

  /// Declares that records are counted in units of weight: a record is at most `weights.most_units_of_record()` records of its
  /// value. A release multiplies the records of a person by this number. Throws `usage` as RecordWeights::validate() does, and
  /// where the number of rows is public.
  CountedColumn weighted(RecordWeights weights) &&;

  /// The same records in other groups: `group_of` has, for each current group, the place in `groups` of the group that takes its
  /// records. If `groups` is empty, all records become one column without groups. Throws `usage` unless each current group has a
  /// place.
  CountedColumn in_groups(std::vector<GroupKey> groups, std::span<const std::size_t> group_of) const;

  const Lattice& lattice() const { return profiles_.front().lattice(); }
  /// One profile for each key, and a single one without groups.
  const std::vector<RankProfile>& profiles() const& { return profiles_; }
  std::vector<RankProfile> profiles() && { return std::move(profiles_); }
  bool has_groups() const { return !keys_.empty(); }
  const std::vector<GroupKey>& keys() const { return keys_; }
  /// No person has more records of the table than this; they may have more rows in a query's result.
  std::uint32_t records_per_person() const { return records_per_person_; }
  std::uint32_t sql_stability() const { return sql_stability_; }
  const std::optional<std::uint64_t>& public_rows() const { return public_rows_; }
  const std::optional<RecordWeights>& weights() const { return weights_; }

  /// Throws `usage` when `asked` records per person are fewer than one person may have here.
  void require_bound(std::uint64_t asked) const;

 private:
  std::vector<GroupKey> keys_;
  std::vector<RankProfile> profiles_;
  std::uint32_t records_per_person_;
  std::uint32_t sql_stability_ = 1;
  std::optional<std::uint64_t> public_rows_ = {};
  std::optional<RecordWeights> weights_ = {};
};

}  // namespace fractile
