// Any text is read as a number or refused. What is read can be printed and read back unchanged.
#include <cstdlib>
#include <string_view>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

using fractile::Error;
using fractile::Exponent;
using fractile::Rational;

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
  tried(numbers, text);
  tried(exponents, text);
  return 0;
}
