// ./dev demo: prints quartiles and deciles of a public column, with the released values next to the true ones. Also an example of the
// library.
#include <fmt/core.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"

namespace {

using namespace fractile;

std::vector<Rational> evenly_spaced(std::int64_t parts) {
  std::vector<Rational> quantiles;
  for (std::int64_t i = 1; i < parts; ++i) quantiles.emplace_back(i, parts);
  return quantiles;
}

/// The smallest value with at least a share q of the records at or below it. This is not private; it is only for the demonstration.
Rational true_quantile(const RankProfile& profile, const Rational& q) {
  const Rational wanted = q * Rational(profile.records());
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    if (Rational(profile.cumulative(k + 1)) >= wanted) return profile.lattice().at(profile.position(k) / 2);
  }
  return profile.lattice().upper();
}

void show(const char* title, std::int64_t parts, const CountedColumn& counted, RandomBits& bits) {
  const QuantileQuery query{evenly_spaced(parts), Budget::pure(Rational(1))};
  const Release released = release(counted, query, bits);
  fmt::print("\n{} for epsilon = 1\n{:<10}{:>12}{:>12}\n", title, "quantile", "released", "true");
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) {
    const Rational& q = query.quantiles[i];
    fmt::print("{:<10}{:>12}{:>12}\n", q.to_string(), released.value(i).to_decimal(),
               true_quantile(counted.profiles().front(), q).to_decimal());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fractile_demo FILE.csv COLUMN\n");
    return 2;
  }
  try {
    const Lattice cents = Lattice::regular(0, 200'000, Rational::parse("0.01"));
    RandomBits bits = RandomBits::system();
    const CountedColumn wages = Table::open({.file = argv[1]}).count({{argv[2], cents}}, bits).front();
    fmt::print(
        "Weekly wages in dollars, of {} possible values from 0 to 200000 in steps of 0.01.\n"
        "Only a demonstration on public data may show the column 'true'; the released numbers are private.\n",
        cents.size());
    show("Quartiles", 4, wages, bits);
    show("Deciles", 10, wages, bits);
    fmt::print(
        "\nEach table cost epsilon = 1; together they cost 2. The same from the command line:\n"
        "  build/release/fractile release {} --column {} --bounds 0 200000 --step 0.01 \\\n"
        "      --quantiles quartiles --epsilon 1\n",
        argv[1], argv[2]);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "fractile_demo: {}\n  {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
