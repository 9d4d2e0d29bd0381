#include "report/release/statistics_words.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "libraries/fmt.hpp"
#include "report/release/cells.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"

namespace fractile::report_detail {
namespace {

/// A heading, and one row per number.
std::vector<Row> rows_of(const Page& page, const Release& release) {
  const Row headings{"what", "value", "from", "to"};
  std::vector<Row> rows{behind_key(GroupKey(typed(page, key_headings(release))), headings)};
  for (const Release::Group& group : release.groups) {
    for (const StatisticRow& each : statistic_rows(release, group)) {
      const Row row{statistic_in_words(page, each, release.source), each.value.empty() ? "none" : each.value,
                    each.lower, each.upper};
      rows.push_back(behind_key(GroupKey(typed(page, group.key.texts())), row));
    }
  }
  return rows;
}

/// Whether a released number of records is above the number of rows, which is public.
bool has_more_than_rows(const Release& release) {
  if (!release.public_rows || release.source.weights) return false;
  const auto exceeds = [&](const Statistics::Records& records) {
    return records.value > 0 && static_cast<std::uint64_t>(records.value) > *release.public_rows;
  };
  return std::ranges::any_of(release.groups, [&](const Release::Group& group) {
    return group.statistics &&
           (exceeds(group.statistics->count) || std::ranges::any_of(group.statistics->below, exceeds));
  });
}

}  // namespace

CellTable::Cell statistic_cell(const StatisticRow& row) {
  CellTable::Cell cell{row.value};
  if (row.value.empty()) cell.value.text = "none";
  cell.beside = {row.lower, row.upper};
  return cell;
}

std::string statistic_in_words(const Page& page, const StatisticRow& row, const SourceDescription& source) {
  if (row.statistic == "count") return counted_noun(source);
  if (row.statistic == "count below") return counted_noun(source) + " below " + page.typed(row.at);
  if (row.statistic == "weight") return "total weight";
  if (row.statistic == "weight below") return "weight below " + page.typed(row.at);
  if (row.statistic == "share below") return "share below " + page.typed(row.at);
  return row.statistic;
}

std::vector<std::string> statistics_terms_in_words(const StatisticsTerms& terms, const Release& release) {
  std::vector<std::string> texts{fmt::format(
      "With a probability of at least {}, each interval, from its lower to its upper end, holds the true value for "
      "{}{}, whatever they are. This holds for each interval by itself, not for all of them at once.",
      share_of(terms.level), records_in_words(release.source), and_where_statistics_count(release))};
  const bool have_weights = release.source.weights.has_value();
  const bool are_people = counts_of(release.source) == Counts::persons_values;
  const char* const number = have_weights ? "sum" : "count";
  // A person may count in several groups, and so counts of persons do not add up.
  const std::string of_people = have_weights ? "These are sums of weights as they count, on their grid. "
                                : are_people ? ""
                                             : "These are numbers of people only where each person has one record. ";
  const std::string adds_up = release.source.per_person
                                  ? ""
                                  : fmt::format(
                                        "Noise was added to each {0} once, so that {0}s of groups add up to "
                                        "those of all groups together. ",
                                        number);
  texts.push_back(fmt::format("{}{}Where there are hardly any {}, a {} may be below zero.", of_people, adds_up,
                              have_weights ? "records" : counted_noun(release.source), number));
  std::vector<std::string> ratios;
  if (!terms.request.below.empty()) ratios.emplace_back("shares");
  if (terms.request.mean) ratios.emplace_back("mean");
  if (ratios.empty()) return texts;
  texts.push_back(fmt::format("Where the {} is not above zero, the table has no {}.",
                              have_weights ? "total weight" : "count", fmt::join(ratios, " and no ")));
  if (terms.request.mean) {
    texts.push_back(fmt::format(
        "The mean is that of the values at which {} count: values beyond the ends of the range count as its "
        "ends, which moves the mean where there are many of them.",
        are_people ? "persons" : "records"));
  }
  return texts;
}

void explain_statistics(Page& page, const Release& release) {
  if (!release.statistics) return;
  const StatisticsTerms& terms = *release.statistics;
  const Counts counts = counts_of(release.source);
  const bool have_weights = release.source.weights.has_value();
  page.section(have_weights ? "What the records weigh" : "How many records there are");
  const bool are_values = counts == Counts::persons_values;
  const std::string groups = !are_values || !release.is_grouped()
                                 ? ""
                                 : fmt::format(", in {} of their groups at most", release.query.records_per_person);
  page.paragraph(fmt::format("{}: {}. {} is counted if {} a value in this column{}{}.",
                             release.query.quantiles.empty() ? "Published" : "Also published",
                             statistics_in_words(terms.request, release.lattice.kind(), release.source),
                             are_values ? "A person" : "A record", are_values ? "one of their records has" : "it has",
                             and_what_else_counts(release.source), groups));
  page.table({"statistics", "Counts and what follows from them", key_columns_of(release) + 1}, rows_of(page, release));
  for (const std::string& text : statistics_terms_in_words(terms, release)) page.paragraph(text);
  if (!has_more_than_rows(release)) return;
  page.paragraph(
      fmt::format("The table has {} row{}, a public number, and no more records can count: a released number above "
                  "this is above it by noise alone.",
                  with_separators(std::to_string(*release.public_rows)), *release.public_rows == 1 ? "" : "s"));
}

}  // namespace fractile::report_detail
