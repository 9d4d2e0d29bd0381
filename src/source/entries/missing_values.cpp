#include "source/entries/missing_values.hpp"

#include <charconv>
#include <cmath>

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

/// The number in units of 10^-scale, if that is a whole number.
std::optional<std::int64_t> units_of(std::string_view text, int scale) {
  constexpr std::size_t longest = 100;
  text = bare(text);
  if (text.size() > longest || !real_of(text)) return {};
  try {
    Rational units = Rational::parse(std::string(text));
    for (int k = 0; k < scale; ++k) units = units * Rational(10);
    if (units == units.floor() && units.fits_int64()) return units.to_int64();
  } catch (const Error&) {  // inf
  }
  return {};
}

/// A time in the units of the column, if the column can hold it.
std::optional<std::int64_t> time_of(std::string_view text, const NumberForm& form) {
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
  return units == units.floor() && units.fits_int64() ? std::optional(units.to_int64()) : std::nullopt;
}

}  // namespace

MissingValues::MissingValues(const std::vector<std::string>& declared, const NumberForm& form)
    : is_real_(form.is_real) {
  for (const std::string& text : declared) {
    if (form.is_real) {
      const std::optional<double> number = real_of(text);
      if (number) real_.insert(form.is_single ? static_cast<double>(static_cast<float>(*number)) : *number);
    } else if (const auto number = form.unit ? time_of(text, form) : units_of(text, form.scale)) {
      whole_.insert(*number);
    }
  }
}

ColumnView MissingValues::without(const ColumnView& cells, std::vector<std::uint64_t>& validity) const {
  if (whole_.empty() && real_.empty()) return cells;
  constexpr std::size_t word = 64;
  validity.assign((cells.rows() + word - 1) / word, 0);
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    if (cells.is_null(row)) continue;
    const bool is_missing =
        is_real_ ? real_.contains(cells.numbers<double>()[row]) : whole_.contains(cells.numbers<std::int64_t>()[row]);
    validity[row / word] |= std::uint64_t{!is_missing} << (row % word);
  }
  return {cells.numbers<double>().data(), validity.data(), cells.rows()};
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
