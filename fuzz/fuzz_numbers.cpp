// Any text, also as a cell of a table, is read as a number or refused. What is read can be printed and read back unchanged.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "source/text/text_numbers.hpp"

using fractile::Error;
using fractile::Exponent;
using fractile::NumberStyle;
using fractile::Rational;
using fractile::source_detail::in_plain_style;
using fractile::source_detail::is_whole_number;
using fractile::source_detail::number_in;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void numbers(std::string_view text) {
  const Rational value = Rational::parse(text);
  require(Rational::parse(value.to_string()) == value);
  if (value.is_decimal()) require(Rational::parse(value.to_decimal()) == value);
}

void exponents(std::string_view text) {
  const Exponent value = Exponent::parse(text);
  require(Exponent::parse(value.to_string()) == value);
}

/// What a cell of a table holds.
void cells(std::string_view text) {
  for (const NumberStyle& style :
       {NumberStyle{}, NumberStyle{","}, NumberStyle{",", "."}, NumberStyle{"", "'"}, NumberStyle{",", " "}}) {
    const auto plain = in_plain_style(text, style);
    if (plain) number_in(*plain);
  }
  const auto number = number_in(text);
  if (number && std::abs(*number) >= 0x1p53 && std::abs(*number) < 0x1p127) is_whole_number(text, *number);
}

template <class Parse>
void tried(Parse&& parse, std::string_view text) {
  try {
    parse(text);
  } catch (const Error&) {  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 60));
  cells(text);
  tried(numbers, text);
  tried(exponents, text);
  return 0;
}
