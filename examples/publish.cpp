// Publishes quartiles of incomes by region, from at most three records per person, and pays from a ledger.
#include <fractile/publication.hpp>
#include <iostream>

using namespace fractile;

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const Lattice incomes = Lattice::regular(0, 200'000, 100);
  const RecordSelection people{.person = "id", .records_per_person = 3, .by = "region", .keys = {"east", "west"}};
  const QuantileQuery quartiles{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(1, 2))};
  const ReleaseRequest request{ColumnToCount{"income", incomes, NullPolicy::drop, people}, quartiles};
  std::cout << publish(Source::file({.file = argv[1]}), request, Payment{argv[2]}).release->receipt;
  return 0;
} catch (const Error& error) {
  std::cerr << error.what() << "\n  " << error.hint() << '\n';
  return static_cast<int>(error.code());
}
