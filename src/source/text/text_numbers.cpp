#include "source/text/text_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "source/engine/misread_texts.hpp"

namespace fractile::source_detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number 0.DIGITS times ten to a power.
struct DecimalText {
  std::string digits;  // the first one is not 0; empty for 0
  std::int64_t power = 0;
};

/// `number`: a text that std::from_chars() takes for a finite number.
DecimalText decimal_in(std::string_view number) {
  constexpr std::int64_t far = std::int64_t{1} << 32;  // beyond the length of any cell
  DecimalText decimal;
  if (number.starts_with('-')) number.remove_prefix(1);
  bool is_behind_point = false;
  std::size_t at = 0;
  for (; at < number.size() && (is_digit(number[at]) || number[at] == '.'); ++at) {
    if (number[at] == '.') {
      is_behind_point = true;
      continue;
    }
    const bool is_leading = decimal.digits.empty() && number[at] == '0';
    if (!is_leading) decimal.digits += number[at];
    if (is_leading && is_behind_point) --decimal.power;
    if (!is_leading && !is_behind_point) ++decimal.power;
  }
  if (at == number.size()) return decimal;
  std::string_view written = number.substr(at + 1);
  if (written.starts_with('+')) written.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, status] = std::from_chars(written.data(), written.data() + written.size(), exponent);
  if (status != std::errc()) exponent = written.starts_with('-') ? -far : far;
  decimal.power += std::clamp(exponent, -far, far);
  return decimal;
}

/// Reads what most cells hold: up to 15 digits, with or without a point. Both whole numbers of the division are doubles, so it rounds
/// once.
std::optional<double> short_decimal(std::string_view text) {
  constexpr std::size_t most_digits = 15;
  constexpr std::array<double, most_digits + 1> powers{1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.size() > most_digits + 1) return std::nullopt;
  std::uint64_t digits = 0;
  std::size_t count = 0;
  std::size_t behind = 0;
  bool has_point = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
      ++count;
      behind += has_point ? 1 : 0;
    } else if (c == '.' && !has_point) {
      has_point = true;
    } else {
      return std::nullopt;
    }
  }
  if (count == 0 || count > most_digits) return std::nullopt;
  const auto whole = static_cast<double>(digits);
  const double number = behind == 0 ? whole : whole / powers[behind];
  return is_negative ? -number : number;
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  if (const auto number = short_decimal(text)) return number;
  if (is_misread(text)) return std::nullopt;
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || status == std::errc::invalid_argument) return std::nullopt;
  if (status == std::errc()) return number;
  // far above or far below 1
  const double size = decimal_in(text).power > 0 ? std::numeric_limits<double>::infinity() : 0;
  return std::copysign(size, text.starts_with('-') ? -1.0 : 1.0);
}

namespace {

/// The bytes of the mark between thousands with which the text begins; 0 if it begins with none.
std::size_t size_of_mark(std::string_view text, const NumberStyle& style) {
  constexpr std::array<std::string_view, 3> all_blanks{" ", "\xC2\xA0",
                                                       "\xE2\x80\xAF"};  // the others do not break a line
  if (style.thousands != " ") return text.starts_with(style.thousands) ? style.thousands.size() : 0;
  const auto* const mark =
      std::ranges::find_if(all_blanks, [&](std::string_view blank) { return text.starts_with(blank); });
  return mark == all_blanks.end() ? 0 : mark->size();
}

/// Whether this is a number, either with all marks between its thousands or with none.
bool is_styled(std::string_view rest, char decimal, const NumberStyle& style) {
  const auto digits = [&] { return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin()); };
  const auto skip_sign = [&] {
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  };
  constexpr std::size_t group = 3;
  skip_sign();
  const std::size_t first = digits();
  rest.remove_prefix(first);
  for (bool is_group = first > 0 && first <= group; is_group;) {
    const std::size_t mark = size_of_mark(rest, style);
    const std::string_view after = rest.substr(mark);
    is_group = mark > 0 && after.size() >= group && std::all_of(after.begin(), after.begin() + group, is_digit);
    if (is_group) rest.remove_prefix(mark + group);
  }
  if (rest.starts_with(decimal)) {
    rest.remove_prefix(1);
    rest.remove_prefix(digits());
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    skip_sign();
    const std::size_t power = digits();
    if (power == 0) return false;
    rest.remove_prefix(power);
  }
  return rest.empty();
}

}  // namespace

std::optional<std::string> in_plain_style(std::string_view text, const NumberStyle& style) {
  if (style.is_plain()) return std::string(text);
  text = trimmed(text);  // a blank around a number is no separator
  const char decimal = style.decimal.empty() ? '.' : style.decimal.front();
  std::string plain(text);
  if (style.thousands.empty()) {
    if (plain.find('.') != std::string::npos) return std::nullopt;
    std::ranges::replace(plain, decimal, '.');
    return plain;
  }
  std::string without_marks;
  bool has_marks = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = size_of_mark(text.substr(at), style);
    if (mark == 0) without_marks += text[at];
    has_marks = has_marks || mark > 0;
    at += std::max<std::size_t>(mark, 1);
  }
  if (!has_marks && text.find_first_of(".,") == std::string_view::npos) return plain;
  if (!is_styled(text, decimal, style)) return std::nullopt;
  std::ranges::replace(without_marks, decimal, '.');
  return without_marks;
}

std::optional<double> number_in(std::string_view text, const NumberStyle& style) {
  if (style.is_plain()) return number_in(text);
  const std::optional<std::string> plain = in_plain_style(text, style);
  return plain ? number_in(*plain) : std::nullopt;
}

bool is_whole_number(std::string_view text, double number) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  DecimalText decimal = decimal_in(text);
  std::array<char, 64> expected{};
  const auto end = std::to_chars(expected.begin(), expected.end(), std::abs(number), std::chars_format::fixed).ptr;
  const auto size = static_cast<std::size_t>(decimal.power);  // near that of `expected`
  const bool rounds_up = decimal.digits.size() > size && decimal.digits[size] >= '5';
  decimal.digits.resize(size, '0');
  if (rounds_up) {
    auto digit = decimal.digits.rbegin();
    for (; digit != decimal.digits.rend() && *digit == '9'; ++digit) *digit = '0';
    if (digit == decimal.digits.rend()) {
      decimal.digits.insert(decimal.digits.begin(), '1');
    } else {
      ++*digit;
    }
  }
  return decimal.digits == std::string_view(expected.data(), static_cast<std::size_t>(end - expected.data()));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks_of_cells);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks_of_cells) - first + 1);
}

std::string_view without_blanks(std::string_view text) {
  return !text.empty() && static_cast<unsigned char>(text.front()) < '!' ? trimmed(text) : text;
}

}  // namespace fractile::source_detail
