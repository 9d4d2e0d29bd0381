// Dates and times as whole numbers: what is read, and how it is written. Proleptic Gregorian calendar, years 0001 to 9999, no leap
// seconds; instants are in UTC. Source: a subset of ISO 8601 and RFC 3339.
// Proof: docs/proofs/rank_profile.md
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fractile/exact.hpp"

namespace fractile {

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
/// as its first moment. Nothing where one has an offset from UTC and the other has none.
std::optional<std::int64_t> ticks_on(ValueKind lattice, const Moment& moment);

/// A cell of text as ticks_on() a lattice: read_moment(), or inf or infinity in any case with an optional sign, which are the first and the
/// last of all 64-bit integers; ASCII white space around them does not count. Nothing for anything else.
std::optional<std::int64_t> cell_ticks(ValueKind lattice, std::string_view cell);

/// The unit in which a column that is not a text holds its times.
enum class TimeUnit { days, seconds, milliseconds, microseconds, nanoseconds };

/// A column's number in a lattice's ticks: rounded down, and the nearest 64-bit integer where it is beyond 64 bits.
std::int64_t ticks_in(ValueKind lattice, std::int64_t number, TimeUnit unit);

/// "2024-01-31"; "2024-01-31T17:05:09", with three or six digits of the second where they are needed; "...Z" of an
/// instant. Throws `internal` outside the years above, and of a number.
std::string moment_text(ValueKind kind, std::int64_t ticks);

/// Reads a whole number and w, d, h, min, s, ms or us: "7d", "15min"; in microseconds. Nothing for any other text and beyond 64
/// bits; "1m" is not read either, since it might mean a month.
std::optional<std::int64_t> read_span(std::string_view text);

/// A number of ticks of a kind, in the largest unit of which it is a whole multiple: "7d", "36h", "-15min"; read_span() reads what
/// is not below 0. Throws `internal` unless whole.
std::string span_text(ValueKind kind, const Rational& ticks);

/// A value of a kind in a lattice's ticks, as it is printed: the decimals of a number, moment_text(), and nothing else.
std::string value_text(ValueKind kind, const Rational& value);
/// The step of a lattice, or a multiple of it: decimals, or span_text().
std::string distance_text(ValueKind kind, const Rational& distance);
/// The difference of two values: decimals, or for times the days, hours, minutes and seconds that it consists of: "-12d 3h 0.250s".
std::string duration_text(ValueKind kind, const Rational& duration);
/// What value_text() wrote. Throws `data` for anything else.
Rational read_value(ValueKind kind, const std::string& text);

}  // namespace fractile
