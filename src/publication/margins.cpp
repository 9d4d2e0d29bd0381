// The statistics beside the quantiles of a level: as drawn for the level or, for a margin that adds up, sums over the finest cells.
// Proof: docs/proofs/counts.md
#include "publication/margins.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "exact/lists.hpp"
#include "publication/tables.hpp"

namespace fractile {
namespace {

const PublishedLevel* finest_of(const PublishedTables& tables, std::size_t table) {
  const auto is_it = [&](const PublishedLevel& each) { return each.table == table && each.level == 0; };
  const auto at = std::ranges::find_if(tables.levels, is_it);
  return at == tables.levels.end() ? nullptr : &*at;
}

/// The keys that a finest cell has in a level's columns.
std::vector<std::string> in_level(const GroupKey& key, const KeyLevel& level) {
  return mapped(level, [&](std::size_t place) { return key[place]; });
}

/// A total of a table whose margins draw nothing.
PublishedLevel sum_by_level(const PublishedLevel& finest, const PublicationTable& table, std::size_t level) {
  const KeyLevel& columns = table.levels[level];
  Release release{finest.release.query, finest.release.lattice, {}};
  release.source = finest.release.source;
  release.source.by = publication_detail::columns_of(table, columns);
  release.source.others = publication_detail::others_of(table, columns);
  release.unsafe_seed = finest.release.unsafe_seed;
  release.charge = finest.release.charge;
  release.errors = finest.release.errors;
  release.program = finest.release.program;
  release.receipt = finest.release.receipt;
  std::set<std::vector<std::string>> known;
  for (const Release::Group& group : finest.release.groups) {
    std::vector<std::string> keys = in_level(group.key, columns);
    if (!known.insert(keys).second) continue;
    release.groups.emplace_back();
    if (!keys.empty()) release.groups.back().key = GroupKey(std::move(keys));
  }
  return {finest.table, level, std::move(release), finest.stored};
}

}  // namespace

void publication_detail::add_sums(PublishedTables& tables) {
  for (const PublishedLevel& finest : tables.levels) {
    const PublicationTable& table = tables.publication.tables[finest.table];
    for (std::size_t level = table.drawn_levels(); finest.level == 0 && level < table.levels.size(); ++level)
      tables.sums.push_back(sum_by_level(finest, table, level));
  }
}

std::vector<const PublishedLevel*> levels_of(const PublishedTables& tables) {
  std::vector<const PublishedLevel*> levels = mapped(tables.levels, [](const PublishedLevel& level) { return &level; });
  for (const PublishedLevel& level : tables.sums) levels.push_back(&level);
  std::ranges::stable_sort(levels, {},
                           [](const PublishedLevel* level) { return std::pair(level->table, level->level); });
  return levels;
}

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
