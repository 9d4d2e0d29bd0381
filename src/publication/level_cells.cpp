#include "publication/level_cells.hpp"

#include <algorithm>

#include "exact/lists.hpp"
#include "libraries/fmt.hpp"
#include "publication/tables.hpp"
#include "report/release/interval_text.hpp"

namespace fractile::publication_detail {

namespace {

constexpr const char* unreliable = "unreliable";

std::string mark_of(const Rational& share, const Rational& value, const Rational& lower, const Rational& upper) {
  const Rational allowed = share * (value.sign() < 0 ? Rational(0) - value : value);
  return upper - lower > allowed ? unreliable : "";
}

/// The mark of a quantile.
std::string mark_of(const PublicationMarks& marks, const Release& release, const Release::Group& group,
                    std::size_t quantile) {
  const Lattice& lattice = release.lattice;
  if (!marks.unreliable || group.intervals.empty() || lattice.kind() != ValueKind::number) return {};
  const Interval& interval = group.intervals[quantile];
  if (interval.or_below || interval.or_above) return unreliable;
  return mark_of(*marks.unreliable, lattice.at(group.indices[quantile]), lattice.at(interval.lower),
                 lattice.at(interval.upper));
}

/// The marks of a cell's statistics, in the order of statistic_rows().
std::vector<std::string> marks_of(const PublicationMarks& marks, const Statistics& statistics, ValueKind kind) {
  const auto of_records = [&](const Statistics::Records& records) -> std::string {
    if (!marks.unreliable) return {};
    return mark_of(*marks.unreliable, Rational(records.value), Rational(records.interval.lower),
                   Rational(records.interval.upper));
  };
  const auto of_ratio = [&](const Statistics::Ratio& ratio) -> std::string {
    if (!marks.unreliable) return {};
    return ratio.value ? mark_of(*marks.unreliable, *ratio.value, ratio.lower, ratio.upper) : unreliable;
  };
  std::vector<std::string> all{of_records(statistics.count)};
  for (std::size_t i = 0; i < statistics.below.size(); ++i) {
    all.push_back(of_records(statistics.below[i]));
    all.push_back(of_ratio(statistics.shares[i]));
  }
  if (statistics.mean) all.push_back(kind == ValueKind::number ? of_ratio(*statistics.mean) : "");
  return all;
}

}  // namespace

bool is_hidden(const PublicationMarks& marks, const Statistics& statistics) {
  return marks.hidden && statistics.count.value < static_cast<std::int64_t>(*marks.hidden);
}

std::string label_of(const Publication& publication, const std::string& column, const std::string& key) {
  const auto at = std::ranges::find(publication.keys, column, &KeyColumn::column);
  if (at == publication.keys.end() || at->labels.empty()) return key;
  const auto place = static_cast<std::size_t>(std::ranges::find(at->keys, key) - at->keys.begin());
  if (place >= at->labels.size()) return key;
  const std::string& label = at->labels[place];
  const bool is_shared = std::ranges::count(at->labels, label) > 1;  // readers could not tell its cells apart
  return is_shared ? fmt::format("{} ({})", label, key) : label;
}

std::vector<std::string> labels_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                                   const GroupKey& key) {
  return tabulated(level.size(), [&](std::size_t i) { return label_of(publication, table.by[level[i]], key[i]); });
}

std::string heading_of(const PublicationTable& table, const KeyLevel& level) {
  return level.empty() ? table.name + ", everyone" : table.name + " by " + to_string(columns_of(table, level));
}

std::vector<Cell> cells_of(const PublishedTables& tables, const PublishedLevel& level) {
  const std::vector<Statistics> statistics = statistics_of(tables, level);
  Release shown{level.release.query, level.release.lattice, {}};  // a margin that adds up has no statistics itself
  shown.statistics = level.release.statistics ? level.release.statistics : statistics_terms(tables, level.table);
  shown.source = level.release.source;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < level.release.groups.size(); ++i) {
    const PublicationMarks& marks = tables.publication.marks;
    Cell& cell = cells.emplace_back(Cell{level.release.groups[i]});
    for (std::size_t k = 0; k < cell.group.indices.size(); ++k) {
      cell.marks.push_back(mark_of(marks, level.release, cell.group, k));
    }
    if (statistics.empty()) continue;
    Release::Group with = level.release.groups[i];
    with.statistics = statistics[i];
    cell.beside = report_detail::statistic_rows(shown, with);
    const std::vector<std::string> beside = marks_of(marks, statistics[i], shown.lattice.kind());
    cell.marks.insert(cell.marks.end(), beside.begin(), beside.end());
    cell.is_hidden = publication_detail::is_hidden(marks, statistics[i]);
  }
  return cells;
}

std::string note_of_marks(const PublicationMarks& marks) {
  if (!marks.unreliable) return {};
  return fmt::format("* unreliable: the value's interval is open, or wider than {} of the value",
                     report_detail::share_of(*marks.unreliable));
}

std::string note_of_hidden(const PublicationMarks& marks) {
  if (!marks.hidden) return {};
  return fmt::format(
      "hidden: the released count is below {}; the intervals' level holds over all cells; among the cells that are "
      "shown, intervals hold less often",
      *marks.hidden);
}

}  // namespace fractile::publication_detail
