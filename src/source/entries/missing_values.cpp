#include "source/entries/missing_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "source/files/missing_cells.hpp"
#include "source/text/text_numbers.hpp"

namespace fractile::source_detail {
namespace {

/// A text without blanks around it, and without a leading plus.
std::string_view bare(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

std::optional<double> real_of(std::string_view text) {
  text = bare(text);
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || status != std::errc() || end != text.data() + text.size() || std::isnan(number)) return {};
  return number;
}

/// The shortest form of a text of digits with or without a sign; nothing for other texts.
std::optional<std::string> whole_of(std::string_view text) {
  text = bare(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  const std::size_t first = text.find_first_not_of('0');
  if (first == std::string_view::npos) return "0";
  return (is_negative ? "-" : "") + std::string(text.substr(first));
}

/// The nearest floating-point number of 16 bits; of two equally near ones, the even one.
double nearest_half(double number) {
  constexpr double first_beyond = 65520;  // the largest is 65504
  constexpr int least_exponent = -14;
  constexpr int digits = 10;  // behind the first one, in base 2
  if (std::fabs(number) >= first_beyond) return std::copysign(std::numeric_limits<double>::infinity(), number);
  const int exponent = number == 0 ? least_exponent : std::max(std::ilogb(number), least_exponent);
  return number - std::remainder(number, std::ldexp(1, exponent - digits));
}

/// The floating-point number of 16, 32 or 64 bits that is nearest to a number.
double nearest_of(int bits, double number) {
  if (bits == 16) return nearest_half(number);
  return bits == 32 ? static_cast<double>(static_cast<float>(number)) : number;
}

/// The whole number, if it has at most 128 bits.
std::optional<int128> wide(const Rational& number) {
  const Rational high = (number / Rational(2).pow(64)).floor();
  if (!high.fits_int64()) return {};
  const Rational low = number - high * Rational(2).pow(64);
  return static_cast<int128>((static_cast<uint128>(high.to_int64()) << 64) | low.to_uint64());
}

/// The number in units of 10^-scale, if that is a whole number.
std::optional<int128> units_of(std::string_view text, int scale) {
  constexpr std::size_t longest = 100;
  text = bare(text);
  if (text.size() > longest || !real_of(text)) return {};
  try {
    const Rational units = Rational::parse(std::string(text)) * Rational(10).pow(scale);
    if (units == units.floor()) return wide(units);
  } catch (const Error&) {  // inf
  }
  return {};
}

/// A time in the units of the column, if the column can hold it.
std::optional<int128> time_of(std::string_view text, const NumberForm& form) {
  constexpr std::int64_t a_second = 1'000'000;  // microseconds
  constexpr std::int64_t a_day = 86'400 * a_second;
  const std::optional<std::int64_t> moment = missing_moment(form.time, text);
  if (!moment) return {};
  const auto divisor = [&]() -> Rational {
    switch (*form.unit) {
      case TimeUnit::days:
        return a_day;
      case TimeUnit::seconds:
        return a_second;
      case TimeUnit::milliseconds:
        return 1'000;
      case TimeUnit::microseconds:
        return 1;
      case TimeUnit::nanoseconds:
        return {1, 1'000};
    }
    return 1;
  }();
  const Rational units = Rational(*moment) / divisor;
  return units == units.floor() ? wide(units) : std::nullopt;
}

}  // namespace

MissingValues::MissingValues(const std::vector<std::string>& declared, const NumberForm& form)
    : is_real_(form.is_real) {
  for (const std::string& text : declared) {
    if (form.is_real) {
      const std::optional<double> number = real_of(text);
      if (number) real_.insert(nearest_of(form.bits, *number));
    } else if (const auto number = form.unit ? time_of(text, form) : units_of(text, form.scale)) {
      whole_.insert(*number);
    }
  }
}

ColumnView MissingValues::without(const ColumnView& cells, std::vector<std::uint64_t>& validity) const {
  if (is_real_) return without(cells, validity, [&](std::size_t row) { return cells.numbers<double>()[row]; });
  return without(cells, validity, [&](std::size_t row) { return int128{cells.numbers<std::int64_t>()[row]}; });
}

MissingNames::MissingNames(const std::vector<std::string>& declared) : texts_(declared.begin(), declared.end()) {
  for (const std::string& text : declared) {
    if (auto whole = whole_of(text)) {
      whole_.insert(std::move(*whole));
    } else if (const auto number = real_of(text)) {
      others_.insert(*number);
    }
  }
}

std::string_view MissingNames::without(std::string_view name) const {
  if (texts_.empty()) return name;
  if (texts_.contains(name)) return {};
  const std::optional<std::string> whole = whole_of(name);
  if (whole && whole_.contains(*whole)) return {};
  const std::optional<double> number = real_of(name);
  if (!number) return name;
  if (others_.contains(*number)) return {};
  // 7.0 equals a declared 7, but 2^53 + 1 in digits equals no other whole number
  if (!whole && std::floor(*number) == *number && std::fabs(*number) < 9e15 &&
      whole_.contains(std::to_string(static_cast<std::int64_t>(*number)))) {
    return {};
  }
  return name;
}

}  // namespace fractile::source_detail
