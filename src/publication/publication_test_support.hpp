// Small publications for tests.
#pragma once

#include <string>
#include <vector>

#include "fractile/publication_plan.hpp"

namespace fractile::publication_test {

inline PublicationTable table_by(const std::string& name, std::vector<std::string> by, std::vector<KeyLevel> levels) {
  PublicationTable table{name, name, Lattice::regular(0, 1000, 1), {Rational(1, 4), Rational(1, 2), Rational(3, 4)}};
  table.by = std::move(by);
  table.levels = std::move(levels);
  return table;
}

/// Four regions, two sexes, and a table of all margins: 8, 4, 2 and 1 cells.
inline Publication earnings(const Budget& budget = Budget::pure(Rational(1))) {
  Publication publication{"Earnings", budget};
  publication.keys = {{"region", {"n", "s", "e", "w"}}, {"sex", {"f", "m"}, {"women", "men"}}};
  publication.tables = {table_by("pay", {"region", "sex"}, {{0, 1}, {0}, {1}, {}})};
  return publication;
}

}  // namespace fractile::publication_test
