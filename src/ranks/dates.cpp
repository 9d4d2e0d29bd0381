#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "exact/wide_integers.hpp"
#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "ranks/ticks.hpp"

namespace fractile {
namespace {

constexpr std::int64_t microseconds_a_second = 1'000'000;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

constexpr std::array<std::string_view, 4> kind_names{"number", "date", "timestamp", "instant"};

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};

/// From the largest unit to the smallest.
constexpr std::array units{Unit{"d", microseconds_a_day},    Unit{"h", 3'600'000'000}, Unit{"min", 60'000'000},
                           Unit{"s", microseconds_a_second}, Unit{"ms", 1000},         Unit{"us", 1}};
constexpr Unit week{"w", 7 * microseconds_a_day};

/// The divisor is above 0.
constexpr std::int64_t floor_of(std::int64_t number, std::int64_t divisor) {
  const std::int64_t towards_zero = number / divisor;
  return towards_zero - (number < towards_zero * divisor ? 1 : 0);
}

std::int64_t nearest64(int128 number) {
  return static_cast<std::int64_t>(std::clamp<int128>(number, smallest, largest));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}

  bool at_end() const { return left_.empty(); }
  bool next_is_digit() const { return !left_.empty() && is_digit(left_.front()); }
  bool take(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }
  /// A number from `least` to `most` that is written with exactly this many digits.
  std::optional<int> number(std::size_t digits, int least, int most) {
    if (left_.size() < digits || !std::ranges::all_of(left_.substr(0, digits), is_digit)) return {};
    int value = 0;
    for (const char c : left_.substr(0, digits)) value = 10 * value + (c - '0');
    left_.remove_prefix(digits);
    return value >= least && value <= most ? std::optional(value) : std::nullopt;
  }
  /// One or more digits after a point, in microseconds; further digits are cut off.
  std::optional<std::int64_t> fraction() {
    if (!next_is_digit()) return {};
    std::int64_t value = 0;
    std::int64_t worth = microseconds_a_second / 10;
    for (; next_is_digit(); left_.remove_prefix(1), worth /= 10) value += worth * (left_.front() - '0');
    return value;
  }

 private:
  std::string_view left_;
};

std::optional<std::int64_t> day_of(Reader& reader) {
  const std::optional<int> year = reader.number(4, 1, 9999);
  if (!year || !reader.take('-')) return {};
  const std::optional<int> month = reader.number(2, 1, 12);
  if (!month || !reader.take('-')) return {};
  const std::optional<int> day = reader.number(2, 1, 31);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return {};
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

/// Microseconds since midnight.
std::optional<std::int64_t> time_of(Reader& reader) {
  const std::optional<int> hour = reader.number(2, 0, 23);
  if (!hour || !reader.take(':')) return {};
  const std::optional<int> minute = reader.number(2, 0, 59);
  if (!minute) return {};
  std::int64_t time = (*hour * 60 + *minute) * (60 * microseconds_a_second);
  if (!reader.take(':')) return time;
  const std::optional<int> second = reader.number(2, 0, 59);
  if (!second) return {};
  time += *second * microseconds_a_second;
  if (!reader.take('.')) return time;
  const std::optional<std::int64_t> fraction = reader.fraction();
  return fraction ? std::optional(time + *fraction) : std::nullopt;
}

/// How far a clock is ahead of UTC, in microseconds.
std::optional<std::int64_t> offset_of(Reader& reader) {
  if (reader.take('Z')) return 0;
  const bool behind = reader.take('-');
  if (!behind && !reader.take('+')) return {};
  const std::optional<int> hours = reader.number(2, 0, 23);
  if (!hours) return {};
  std::optional<int> minutes = 0;
  if (reader.take(':') || reader.next_is_digit()) minutes = reader.number(2, 0, 59);
  if (!minutes) return {};
  const std::int64_t offset = (*hours * 60 + *minutes) * (60 * microseconds_a_second);
  return behind ? -offset : offset;
}

std::string date_text(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

/// The text after whole seconds: nothing, three digits or six.
std::string fraction_text(std::int64_t microseconds) {
  if (microseconds == 0) return {};
  return microseconds % 1000 == 0 ? fmt::format(".{:03}", microseconds / 1000) : fmt::format(".{:06}", microseconds);
}

std::string time_text(std::int64_t microseconds) {
  const std::int64_t seconds = microseconds / microseconds_a_second;
  return fmt::format("{:02}:{:02}:{:02}{}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                     fraction_text(microseconds % microseconds_a_second));
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool is_infinity(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(text, word, {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  };
  return is("inf") || is("infinity");
}

}  // namespace

std::string to_string(ValueKind kind) { return std::string(kind_names.at(static_cast<std::size_t>(kind))); }

std::optional<ValueKind> value_kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return {};
  return static_cast<ValueKind>(found - kind_names.begin());
}

std::optional<Moment> read_moment(std::string_view text) {
  Reader reader(text);
  const std::optional<std::int64_t> day = day_of(reader);
  if (!day) return {};
  if (reader.at_end()) return Moment{ValueKind::date, *day};
  if (!reader.take('T') && !reader.take(' ')) return {};
  const std::optional<std::int64_t> time = time_of(reader);
  if (!time) return {};
  const std::int64_t shown = *day * microseconds_a_day + *time;
  if (reader.at_end()) return Moment{ValueKind::timestamp, shown};
  const std::optional<std::int64_t> offset = offset_of(reader);
  if (!offset || !reader.at_end()) return {};
  return Moment{ValueKind::instant, shown - *offset};
}

std::optional<std::int64_t> ticks_on(ValueKind lattice, const Moment& moment) {
  if ((lattice == ValueKind::instant) != (moment.kind == ValueKind::instant)) return {};
  if (lattice == moment.kind) return moment.ticks;
  return ticks_in(lattice, moment.ticks, moment.kind == ValueKind::date ? TimeUnit::days : TimeUnit::microseconds);
}

std::optional<std::int64_t> cell_ticks(ValueKind lattice, std::string_view cell) {
  std::string_view text = without_blanks(cell);
  if (const std::optional<Moment> moment = read_moment(text)) return ticks_on(lattice, *moment);
  const bool is_below = text.starts_with('-');
  if (is_below || text.starts_with('+')) text.remove_prefix(1);
  if (!is_infinity(text)) return {};
  return is_below ? smallest : largest;
}

namespace {

// Conversions as types, so that each is compiled with a constant factor.
template <std::int64_t Factor>
struct Times {
  std::int64_t operator()(std::int64_t number) const { return nearest64(static_cast<int128>(number) * Factor); }
};

template <std::int64_t Divisor>
struct Parts {
  std::int64_t operator()(std::int64_t number) const { return floor_of(number, Divisor); }
};

/// Calls work() with the function that turns numbers in a unit into a lattice's ticks.
template <class Work>
auto with_conversion(ValueKind lattice, TimeUnit unit, Work&& work) {
  const bool in_days = lattice == ValueKind::date;
  switch (unit) {
    case TimeUnit::days:
      return in_days ? work(Times<1>()) : work(Times<microseconds_a_day>());
    case TimeUnit::seconds:
      return in_days ? work(Parts<microseconds_a_day / microseconds_a_second>()) : work(Times<microseconds_a_second>());
    case TimeUnit::milliseconds:
      return in_days ? work(Parts<microseconds_a_day / 1000>()) : work(Times<1000>());
    case TimeUnit::nanoseconds:
      return in_days ? work(Parts<microseconds_a_day * 1000>()) : work(Parts<1000>());
    default:
      return in_days ? work(Parts<microseconds_a_day>()) : work(Times<1>());
  }
}

}  // namespace

std::int64_t ticks_in(ValueKind lattice, std::int64_t number, TimeUnit unit) {
  return with_conversion(lattice, unit, [&](auto convert) { return convert(number); });
}

void ticks_in(ValueKind lattice, std::span<const std::int64_t> numbers, TimeUnit unit, std::int64_t* ticks) {
  with_conversion(lattice, unit, [&](auto convert) { std::ranges::transform(numbers, ticks, convert); });
}

std::string moment_text(ValueKind kind, std::int64_t ticks) {
  const std::int64_t day = kind == ValueKind::date ? ticks : floor_of(ticks, microseconds_a_day);
  if (kind == ValueKind::number || day < first_day || day > last_day) {
    throw Error(ErrorCode::internal, "a time beyond the years 0001 to 9999");
  }
  if (kind == ValueKind::date) return date_text(day);
  return date_text(day) + "T" + time_text(ticks - day * microseconds_a_day) + (kind == ValueKind::instant ? "Z" : "");
}

std::optional<std::int64_t> read_span(std::string_view text) {
  int128 count = 0;
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (digits.empty()) return {};
  for (const char c : digits) {
    count = 10 * count + (c - '0');
    if (count > largest) return {};
  }
  const std::string_view name = text.substr(digits.size());
  const auto* const unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end() && name != week.name) return {};
  const int128 span = count * (name == week.name ? week.microseconds : unit->microseconds);
  return span > largest ? std::nullopt : std::optional(static_cast<std::int64_t>(span));
}

std::string span_text(ValueKind kind, const Rational& ticks) {
  const Rational span = kind == ValueKind::date ? ticks * Rational(microseconds_a_day) : ticks;
  if (kind == ValueKind::number || !span.is_integer()) throw Error(ErrorCode::internal, "a span that is not whole");
  if (span.sign() == 0) return kind == ValueKind::date ? "0d" : "0s";
  for (const Unit& unit : units) {
    const Rational count = span / Rational(unit.microseconds);
    if (count.is_integer()) return count.to_string() + std::string(unit.name);
  }
  throw Error(ErrorCode::internal, "a span that is not whole");
}

std::string value_text(ValueKind kind, const Rational& value) {
  return kind == ValueKind::number ? value.to_decimal() : moment_text(kind, value.to_int64());
}

std::string distance_text(ValueKind kind, const Rational& distance) {
  return kind == ValueKind::number ? distance.to_decimal() : span_text(kind, distance);
}

std::string duration_text(ValueKind kind, const Rational& duration) {
  if (kind == ValueKind::number) return duration.to_decimal();
  if (kind == ValueKind::date || duration.sign() == 0) return span_text(kind, duration);
  std::int64_t left = (duration.sign() < 0 ? -duration : duration).to_int64();
  std::string text;
  for (const Unit& unit : units) {
    if (unit.microseconds == microseconds_a_second) break;
    const std::int64_t count = left / unit.microseconds;
    left %= unit.microseconds;
    if (count > 0) text += fmt::format("{}{}{}", text.empty() ? "" : " ", count, unit.name);
  }
  if (left > 0) {
    const std::int64_t seconds = left / microseconds_a_second;
    text += fmt::format("{}{}{}s", text.empty() ? "" : " ", seconds, fraction_text(left % microseconds_a_second));
  }
  return (duration.sign() < 0 ? "-" : "") + text;
}

Rational read_value(ValueKind kind, const std::string& text) {
  if (kind == ValueKind::number) return Rational::parse(text);
  const std::optional<Moment> moment = read_moment(text);
  if (!moment || moment->kind != kind) throw Error(ErrorCode::data, "a value is not a valid " + to_string(kind));
  return moment->ticks;
}

}  // namespace fractile
