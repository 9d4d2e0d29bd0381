// Includes every public header and releases the median of a few ages.
#include <concepts>
#include <fractile/error.hpp>
#include <fractile/exact.hpp>
#include <fractile/flow.hpp>
#include <fractile/fractile.hpp>
#include <fractile/ledger.hpp>
#include <fractile/measurements.hpp>
#include <fractile/pipelines.hpp>
#include <fractile/planning.hpp>
#include <fractile/privacy.hpp>
#include <fractile/publication.hpp>
#include <fractile/ranks.hpp>
#include <fractile/receipts.hpp>
#include <fractile/release.hpp>
#include <fractile/reports.hpp>
#include <fractile/source.hpp>
#include <fractile/version.hpp>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "arrow.h"

#if FRACTILE_VERSION < 100
#error "versions before 0.1.0 had no such macro"
#endif

using namespace fractile;

// A promise needs a bound: what was not counted, or was counted without one, is not released.
template <class Column>
concept Releasable = requires(Column column, QuantileQuery query, RandomBits bits) {
  release(column, query, bits);
};
static_assert(Releasable<CountedColumn> && !Releasable<RankProfile> && !Releasable<std::vector<RankProfile>>);
static_assert(!std::constructible_from<CountedColumn, RankProfile> && !std::is_default_constructible_v<CountedColumn>);

/// Whether a promise to persons of one record is refused of a column that may hold three of one.
bool refuses_a_smaller_bound(const RankProfile& profile, const QuantileQuery& query, RandomBits& bits) {
  try {
    release(CountedColumn(profile, 3), query, bits);
  } catch (const Error& error) {
    return error.field() == "records_per_person";
  }
  return false;
}

/// Whether an error tells which argument is wrong, in the library's words.
bool tells_its_field() {
  try {
    Budget::pure(Rational(0));
  } catch (const Error& error) {
    return error.field() == "epsilon" && error.hint() == "write for example epsilon = 1" &&
           error.hint_words().to_string() == error.hint();
  }
  return false;
}

int main() {
  if (!tells_its_field()) return 1;
  if (std::to_string(FRACTILE_VERSION_MAJOR) + "." + std::to_string(FRACTILE_VERSION_MINOR) + "." +
          std::to_string(FRACTILE_VERSION_PATCH) !=
      version) {
    return 1;
  }
  const Lattice ages = Lattice::regular(0, 125, 1);
  ProfileBuilder builder(ages);
  for (const std::int64_t age : {31, 44, 57, 23, 38}) builder.add(age);
  const QuantileQuery query{{Rational(1, 2)}, Budget::pure(Exponent::parse("ln 3"))};
  RandomBits bits = RandomBits::system();
  const CountedColumn counted(builder.finish(), 1);
  if (!refuses_a_smaller_bound(counted.profiles().front(), query, bits)) return 1;
  Release released = release(counted, query, bits);
  released.source.column = "age";
  std::cout << version << ' ' << to_json(released);
  return released.at("0.5") <= Rational(125) ? 0 : 1;
}
