// Small publications for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"

namespace fractile::publication_test {

inline PublicationTable table_by(const std::string& name, std::vector<std::string> by, std::vector<KeyLevel> levels) {
  PublicationTable table{name, name, Lattice::regular(0, 1000, 1), {Rational(1, 4), Rational(1, 2), Rational(3, 4)}};
  table.by = std::move(by);
  table.levels = std::move(levels);
  return table;
}

/// A table by four regions and two sexes, with all margins: its levels have 8, 4, 2 and 1 cells.
inline Publication earnings(const Budget& budget = Budget::pure(Rational(1))) {
  Publication publication{"Earnings", budget};
  publication.keys = {{"region", {"n", "s", "e", "w"}}, {"sex", {"f", "m"}, {"women", "men"}}};
  publication.tables = {table_by("pay", {"region", "sex"}, {{0, 1}, {0}, {1}, {}})};
  return publication;
}

/// Records that are given as profiles, so that tests can make thousands of publications.
class CountedCells final : public Records {
 public:
  /// `asked`: receives the names of the columns that are counted.
  explicit CountedCells(std::vector<std::vector<std::uint64_t>> counts, std::vector<std::string>* asked = nullptr)
      : counts_(std::move(counts)), asked_(asked) {}
  void require_countable(const std::vector<ColumnToCount>&) const override {}
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits&,
                                   const std::function<void()>&) const override {
    std::vector<CountedColumn> counted;
    for (const ColumnToCount& column : columns) {
      if (asked_ != nullptr) asked_->push_back(column.column);
      std::vector<RankProfile> profiles;
      for (const std::vector<std::uint64_t>& cell : counts_) {
        ProfileBuilder builder(column.lattice);
        for (std::size_t i = 0; i < cell.size(); ++i)
          builder.add_position(column.lattice.position_of(static_cast<std::int64_t>(i)), cell[i]);
        profiles.push_back(builder.finish());
      }
      counted.push_back(column.selection.counted(std::move(profiles)));
    }
    return counted;
  }
  std::vector<TableColumn> columns() const override { return {}; }
  std::string engine() const override { return "none"; }

 private:
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<std::string>* asked_;
};

}  // namespace fractile::publication_test
