// What stands beside the quantiles of a level: as it was drawn at the finest cells, or of a margin their sums.
// Proof: docs/proofs/counts.md
#include <algorithm>
#include <map>

#include "fractile/published_tables.hpp"

namespace fractile {
namespace {

const PublishedLevel* finest_of(const PublishedTables& tables, std::size_t table) {
  const auto is_it = [&](const PublishedLevel& each) { return each.table == table && each.level == 0; };
  const auto at = std::ranges::find_if(tables.levels, is_it);
  return at == tables.levels.end() ? nullptr : &*at;
}

/// The keys that a finest cell has in a level's columns.
std::vector<std::string> in_level(const GroupKey& key, const KeyLevel& level) {
  std::vector<std::string> keys;
  for (const std::size_t place : level) keys.push_back(key[place]);
  return keys;
}

}  // namespace

std::optional<StatisticsTerms> statistics_terms(const PublishedTables& tables, std::size_t table) {
  const PublishedLevel* const finest = finest_of(tables, table);
  return finest ? finest->release.statistics : std::nullopt;
}

std::vector<Statistics> statistics_of(const PublishedTables& tables, const PublishedLevel& level) {
  std::vector<Statistics> statistics;
  if (level.release.statistics) {
    for (const Release::Group& group : level.release.groups) statistics.push_back(group.statistics.value());
    return statistics;
  }
  const PublishedLevel* const finest = finest_of(tables, level.table);
  if (!finest || !finest->release.statistics) return {};
  const KeyLevel& columns = tables.publication.tables[level.table].levels[level.level];
  std::map<std::vector<std::string>, std::vector<Statistics>> cells;
  for (const Release::Group& group : finest->release.groups)
    cells[in_level(group.key, columns)].push_back(group.statistics.value());
  Margins margins(*finest->release.statistics, finest->release.lattice);
  for (const Release::Group& group : level.release.groups)
    statistics.push_back(margins.of(cells.at(group.key.texts())));
  return statistics;
}

}  // namespace fractile
