// A program with choices of its own: it is linked with -ffast-math, has a RapidJSON and a {fmt} with other macros, and Arrow's own header.
#define RAPIDJSON_HAS_STDSTRING 1
#define RAPIDJSON_PARSE_DEFAULT_FLAGS kParseCommentsFlag | kParseNanAndInfFlag
#define RAPIDJSON_ASSERT(what) ((what) ? void() : throw 1)
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#define FMT_HEADER_ONLY
#define FMT_THROW(what) throw 1
#include <fmt/format.h>
#include <xmmintrin.h>

#include <fractile/error.hpp>
#include <fractile/exact.hpp>
#include <fractile/receipts.hpp>
#include <fractile/release.hpp>
#include <fractile/source.hpp>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "arrow.h"

using namespace fractile;

namespace {

int failures = 0;

void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "not so: " << what << '\n';
  ++failures;
}

/// Subnormal numbers lie before 0 and after it.
void count_subnormals() {
  const double smallest = std::numeric_limits<double>::denorm_min();
  std::vector<double> values = {-smallest, smallest, -1e-310, 1e-310, 1e308};
  const Frame frame = Frame::of({reinterpret_cast<const std::byte*>(values.data()), "g", values.size(), 8, {}}, "x");
  const RankProfile profile = frame.profile("x", Lattice::explicit_points({-1, 0, 1}), NullPolicy::error);
  require(profile.below(1) == 2 && profile.equal(1) == 0, "subnormal numbers are not 0");
  require(Rational::from_double(-1e-310).sign() < 0, "-1e-310 is below 0");
}

void read_receipt_beside_another_rapidjson() {
  ProfileBuilder builder(Lattice::regular(0, 125, 1));
  for (const std::int64_t age : {31, 44, 57, 23, 38}) builder.add(age);
  RandomBits bits = RandomBits::system();
  const Release released = with_receipt(
      release(CountedColumn(builder.finish(), 1), QuantileQuery{{Rational(1, 2)}, Budget::pure(Rational(1))}, bits));
  rapidjson::Document document;
  document.Parse("{\"x\": NaN /* of the program */}");
  require(!document.HasParseError(), "the program's RapidJSON is its own");
  require(read_receipt(released.receipt, "receipt").value(0) == released.value(0), "a receipt is read");
  require(!explain(released, Prose::text).empty(), "a receipt is explained");
  try {
    read_receipt("{\"x\": NaN}", "receipt");
    require(false, "NaN is no JSON");
  } catch (const Error& error) {
    require(error.code() == ErrorCode::data, "NaN is no JSON");
  }
}

void format_beside_another_fmt() {
  try {
    const std::string never = fmt::format(fmt::runtime("{"), 1);
    require(false, "{ is no format");
  } catch (int) {  // of the program
  }
  require(fmt::format("{:.2f}", 0.5) == "0.50", "the program's {fmt} is its own");
}

}  // namespace

int main() {
  static_assert(ARROW_FLAG_NULLABLE == 2);
  const unsigned before = _mm_getcsr() & 0x8040U;
  require(before == 0x8040U, "the program flushes subnormal numbers");
  count_subnormals();
  read_receipt_beside_another_rapidjson();
  format_beside_another_fmt();
  require((_mm_getcsr() & 0x8040U) == before, "the program's environment is as it was");
  if (failures == 0) std::cout << "a program of its own choices\n";
  return failures;
}
