#include "report/release/key_cells.hpp"

#include <algorithm>

namespace fractile::report_detail {

std::size_t key_columns_of(const Release& release) { return release.groups.front().key.size(); }

/// Not every release says where its records came from.
Row key_headings(const Release& release) {
  Row headings = release.source.by.names();
  headings.resize(key_columns_of(release));
  return headings;
}

Row csv_key_headings(Row names, const Row& others) {
  for (std::string& name : names) {
    if (std::ranges::find(others, name) != others.end()) name.insert(0, "key.");
  }
  return names;
}

Row csv_key_headings(const Release& release, const Row& others) {
  if (key_columns_of(release) == 1) return {"key"};
  return csv_key_headings(key_headings(release), others);
}

Row behind_key(const GroupKey& key, const Row& cells) {
  Row row = key.texts();
  row.insert(row.end(), cells.begin(), cells.end());
  return row;
}

}  // namespace fractile::report_detail
