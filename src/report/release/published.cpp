// What was published, as CSV and as a table: of a release, of groups, and of a receipt that was read back.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fractile/receipts.hpp"
#include "fractile/release_report.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::aligned;
using report_detail::csv_line;
using report_detail::lower_text;
using report_detail::OpenEnds;
using report_detail::Row;
using report_detail::upper_text;

/// A heading, and a row a value: quantile and value, with groups the key before them, with intervals their ends after them.
void add_release(std::vector<Row>& rows, const QuantileRelease& release, const Row& before, OpenEnds ends) {
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    rows.push_back(before);
    Row& row = rows.back();
    row.insert(row.end(), {release.query.quantiles[i].to_string(), release.lattice.text(release.indices[i])});
    if (release.intervals.empty()) continue;
    const Interval& interval = release.intervals[i];
    const Receipt::Ends written{release.lattice.text(interval.lower), release.lattice.text(interval.upper),
                                interval.or_below, interval.or_above};
    row.push_back(lower_text(written, ends));
    row.push_back(upper_text(written, ends));
  }
}

Row heading(Row columns, bool with_intervals) {
  if (with_intervals) columns.insert(columns.end(), {"lower", "upper"});
  return columns;
}

std::vector<Row> rows_of(const QuantileRelease& release, const std::string& value, OpenEnds ends) {
  std::vector<Row> rows{heading({"quantile", value}, !release.intervals.empty())};
  add_release(rows, release, {}, ends);
  return rows;
}

std::vector<Row> rows_of(const GroupedRelease& groups, const std::string& key, const std::string& value,
                         OpenEnds ends) {
  const bool with_intervals = !groups.releases.empty() && !groups.releases.front().intervals.empty();
  std::vector<Row> rows{heading({key, "quantile", value}, with_intervals)};
  for (std::size_t g = 0; g < groups.releases.size(); ++g) {
    add_release(rows, groups.releases[g], {groups.keys[g]}, ends);
  }
  return rows;
}

std::vector<Row> rows_of(const Receipt& receipt, const std::string& key, const std::string& value, OpenEnds ends) {
  const bool grouped = !receipt.source.by.empty();
  const bool with_intervals = !receipt.interval_level.empty();
  std::vector<Row> rows{heading(grouped ? Row{key, "quantile", value} : Row{"quantile", value}, with_intervals)};
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      rows.push_back(grouped ? Row{group.key, each.quantile, each.value} : Row{each.quantile, each.value});
      if (!with_intervals) continue;
      rows.back().push_back(lower_text(each.interval, ends));
      rows.back().push_back(upper_text(each.interval, ends));
    }
  }
  return rows;
}

/// `seed`: of reproducible bits, else empty.
std::string csv_of(const std::vector<Row>& rows, const std::string& seed) {
  std::string text;
  for (Row row : rows) {
    if (!seed.empty()) row.push_back(text.empty() ? "unsafe_seed" : seed);
    text += csv_line(row);
  }
  return text;
}

std::string seed_of(const QuantileRelease& release) {
  return release.unsafe_seed ? std::to_string(*release.unsafe_seed) : "";
}

/// Values and their intervals' ends to the right, what is before them to the left.
std::string table_of(const std::vector<Row>& rows, bool with_intervals) {
  return aligned(rows, rows.front().size() - (with_intervals ? 3 : 1));
}

/// What the intervals of a release are about.
std::string intervals_in_words(const QuantileRelease& release, const SourceDescription& source) {
  const IntervalRequest& request = *release.query.intervals;
  const std::string percent = report_detail::share_of(request.level);
  const bool of_table = request.of == IntervalOf::table;
  return fmt::format(
      "lower, upper: {}, {}, {}{}\n",
      report_detail::held_quantile(of_table, !source.person.empty(), report_detail::counts_at(release.lattice)),
      percent,
      !request.together   ? "each by itself"
      : source.by.empty() ? "all at once"
                          : "all of a group at once",
      of_table ? "" : ", if the sample is a simple random one");
}

/// The lines under a table: what was promised, what ran (`mechanism`, in words), what was left out.
std::string terms_of(const QuantileRelease& release, const SourceDescription& source, const std::string& mechanism) {
  const QuantileQuery& query = release.query;
  std::string text =
      fmt::format("\n{} ({}), neighbors {}, at most {} {}{} a person, mechanism {}\n", release.cost().to_string(),
                  to_string(release.cost().measure()), to_string(query.neighbors), query.records_per_person,
                  source.sql_stability.empty() ? "record" : "row", query.records_per_person == 1 ? "" : "s", mechanism);
  if (!source.sql_stability.empty()) {
    text += fmt::format("declared, not checked: a record changes at most {} row{} of the query's result\n",
                        source.sql_stability, source.sql_stability == "1" ? "" : "s");
  }
  if (std::ranges::find(source.declared, "disjoint_persons") != source.declared.end()) {
    text += "declared, not checked: no person has records in two of the countings that were merged\n";
  }
  if (release.bounds) {
    text += fmt::format("{} of that found the bounds: {} to {}\n", release.bounds->cost.to_string(),
                        release.lattice.text(0), release.lattice.text(release.lattice.size() - 1));
  }
  if (query.intervals) text += intervals_in_words(release, source);
  if (!source.by.empty()) text += "all groups together spend that once\n";
  if (!source.person.empty()) text += "of each person's records no more than that count, sampled at random\n";
  if (release.used.granularity) {
    text += fmt::format("the values were found to be multiples of {}\n",
                        distance_text(release.lattice.kind(), *release.used.granularity));
  }
  if (release.used.heaping) {
    text += fmt::format("many of the values were found to be multiples of {}\n",
                        distance_text(release.lattice.kind(), *release.used.heaping));
  }
  if (!release.used.reason.empty()) text += fmt::format("chosen by auto: {}\n", release.used.reason);
  if (source.null_policy == "drop") {
    const ValueKind kind = release.lattice.kind();
    text += fmt::format("records without a {} (NULL, empty{}){} were left out\n",
                        kind == ValueKind::number ? "number"
                        : kind == ValueKind::date ? "date"
                                                  : "time",
                        kind == ValueKind::number        ? source.unreadable == "missing" ? ", NaN, no number" : ", NaN"
                        : source.unreadable == "missing" ? ", something else"
                                                         : "",
                        source.person.empty() ? "" : " or without a person");
  }
  if (release.public_records) text += fmt::format("{} rows (declared public)\n", *release.public_records);
  if (release.unsafe_seed)
    text += fmt::format("NOT PRIVATE: random bits from --unsafe-seed {}\n", *release.unsafe_seed);
  return text;
}

std::string mechanisms_of(const GroupedRelease& groups) {
  std::set<std::string> names;
  for (const QuantileRelease& release : groups.releases) names.insert(to_string(release.used.mechanism));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string to_csv(const QuantileRelease& release) {
  return csv_of(rows_of(release, "value", OpenEnds::infinite), seed_of(release));
}

std::string to_csv(const GroupedRelease& groups) {
  return csv_of(rows_of(groups, "key", "value", OpenEnds::infinite),
                groups.releases.empty() ? "" : seed_of(groups.releases.front()));
}

std::string to_csv(const Receipt& receipt) {
  return csv_of(rows_of(receipt, "key", "value", OpenEnds::infinite), receipt.unsafe_seed);
}

std::string to_table(const QuantileRelease& release, const SourceDescription& source) {
  return table_of(rows_of(release, source.column, OpenEnds::in_words), !release.intervals.empty()) +
         terms_of(release, source, to_string(release.used.mechanism));
}

std::string to_table(const GroupedRelease& groups, const SourceDescription& source) {
  QuantileRelease terms = groups.releases.at(0);
  const std::string text =
      table_of(rows_of(groups, source.by, source.column, OpenEnds::in_words), !terms.intervals.empty());
  if (groups.ran_alike()) return text + terms_of(terms, source, to_string(terms.used.mechanism));
  terms.used.granularity.reset();
  terms.used.heaping.reset();
  terms.used.reason.clear();
  return text + terms_of(terms, source, mechanisms_of(groups)) +
         "what ran differs between the groups: --format json tells\n";
}

std::string to_table(const Receipt& receipt) {
  return table_of(rows_of(receipt, receipt.source.by, receipt.source.column, OpenEnds::in_words),
                  !receipt.interval_level.empty());
}

}  // namespace fractile
