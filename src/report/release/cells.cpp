#include "report/release/cells.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "report/release/interval_text.hpp"

namespace fractile::report_detail {

std::size_t key_columns_of(const Release& release) { return release.groups.front().key.size(); }

/// There is a heading for each key column, even if the release does not say where its records came from.
Row key_headings(const Release& release) {
  Row headings = release.source.by.names();
  headings.resize(key_columns_of(release));
  return headings;
}

Row csv_key_headings(Row names, const Row& others) {
  const Row keys = names;
  const auto is_one_of = [](const std::string& name, const Row& row) {
    return std::ranges::find(row, name) != row.end();
  };
  for (std::string& name : names) {
    if (!is_one_of(name, others)) continue;
    do {
      name.insert(0, "key.");
    } while (is_one_of(name, others) || is_one_of(name, keys));
  }
  return names;
}

Row csv_key_headings(const Release& release, const Row& others) {
  if (key_columns_of(release) == 1) return {"key"};
  return csv_key_headings(key_headings(release), others);
}

Row typed(const Page& page, Row names) {
  for (std::string& name : names) name = page.typed(name);
  return names;
}

Row behind_key(const GroupKey& key, Row cells) {
  Row row;
  row.reserve(key.size() + cells.size());
  row.insert(row.end(), key.texts().begin(), key.texts().end());
  row.insert(row.end(), std::make_move_iterator(cells.begin()), std::make_move_iterator(cells.end()));
  return row;
}

namespace {

std::size_t decimals_of(const std::string& number) {
  const std::size_t point = number.find('.');
  return point == std::string::npos ? 0 : number.size() - point - 1;
}

/// The number with zeros appended, so that it has as many decimals as any possible value.
std::string padded(const Lattice& lattice, std::string number) {
  if (lattice.kind() != ValueKind::number || !lattice.is_regular()) return number;
  if (!lattice.lower().is_decimal() || !lattice.step().is_decimal()) return number;
  const std::size_t most =
      std::max(decimals_of(lattice.lower().to_decimal()), decimals_of(lattice.step().to_decimal()));
  const std::size_t has = decimals_of(number);
  if (has == 0 && most > 0) number += '.';
  return number.append(most > has ? most - has : 0, '0');
}

}  // namespace

CellTable::Number number_at(const Lattice& lattice, std::uint64_t index) {
  std::string text = lattice.text(index);
  return {padded(lattice, text), text};
}

std::vector<CellTable::Number> numbers_of(const Lattice& lattice, const Interval& interval) {
  Ends shown = ends_of(lattice, interval);
  const std::string lower = lower_text(shown, OpenEnds::infinite);
  const std::string upper = upper_text(shown, OpenEnds::infinite);
  shown.lower = padded(lattice, shown.lower);
  shown.upper = padded(lattice, shown.upper);
  return {{lower_text(shown, OpenEnds::in_words), lower}, {upper_text(shown, OpenEnds::in_words), upper}};
}

CellTable::Cell value_cell(const Release& release, const Release::Group& group, std::size_t quantile) {
  CellTable::Cell cell{number_at(release.lattice, group.indices[quantile])};
  if (!group.intervals.empty()) cell.beside = numbers_of(release.lattice, group.intervals[quantile]);
  return cell;
}

CellTable::Number error_of(const Release::Group& group, std::size_t quantile) {
  const std::optional<std::uint64_t>& error = group.rank_errors[quantile];
  if (!error) return {"not known", ""};
  return std::to_string(*error);
}

}  // namespace fractile::report_detail
