// What was published, as CSV and as a table.
#include <set>
#include <utility>

#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "report/release/cells.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/decimals.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// The headings of a row's cells after its key: a quantile, its value and, with intervals, their ends. Next to statistics, rows also have a
/// cell that says what they are about, and they always have ends.
Row headings_of(const Release& release, const std::string& value) {
  if (release.statistics) return {"statistic", "at", value, "lower", "upper"};
  Row headings{"quantile", value};
  if (release.query.intervals) headings.insert(headings.end(), {"lower", "upper"});
  return headings;
}

/// A quantile, its value and, with intervals, the ends.
Row quantile_row(const Release& release, const Release::Group& group, std::size_t i, OpenEnds ends) {
  Row row;
  row.reserve(4);
  row.push_back(release.query.name(i));
  row.push_back(release.lattice.text(group.indices[i]));
  if (!release.query.intervals) return row;
  const Ends written = ends_of(release.lattice, group.intervals[i]);
  row.push_back(lower_text(written, ends));
  row.push_back(upper_text(written, ends));
  return row;
}

/// A quantile's row next to rows of statistics, which always have ends.
Row beside(Row quantile) {
  quantile.insert(quantile.begin(), "quantile");
  quantile.resize(5);
  return quantile;
}

/// Calls add(row) for each value. With groups, the row begins with the key.
void for_each_row(const Release& release, OpenEnds ends, auto add) {
  for (const Release::Group& group : release.groups) {
    const auto add_behind_key = [&](Row row) { add(behind_key(group.key, std::move(row))); };
    for (std::size_t i = 0; i < group.indices.size(); ++i) {
      Row row = quantile_row(release, group, i, ends);
      add_behind_key(release.statistics ? beside(std::move(row)) : std::move(row));
    }
    for (const StatisticRow& each : statistic_rows(release, group)) {
      add_behind_key({each.statistic, each.at, each.value, each.lower, each.upper});
    }
  }
}

/// What the intervals of a release hold.
std::string intervals_in_words(const Release& release) {
  const IntervalRequest& request = *release.query.intervals;
  const std::string percent = share_of(request.level);
  const bool of_table = request.subject == IntervalSubject::table;
  return fmt::format("lower, upper: {}, {}, {}{}\n", held_quantile(release), percent,
                     !request.is_simultaneous ? "each by itself"
                     : release.is_grouped()   ? "all of a group at once"
                                              : "all at once",
                     of_table ? "" : ", if the sample is a simple random one");
}

/// What was counted, what it cost, and what its intervals hold.
std::string statistics_terms(const Release& release) {
  const StatisticsTerms& terms = *release.statistics;
  return fmt::format(
      "{}, for a part of the budget, {}: {}\n"
      "lower, upper of these: the true value for {}{}, {}, each by itself\n",
      release.query.quantiles.empty() ? "published" : "beside the quantiles",
      release.cost().scaled(terms.request.share).to_string(),
      statistics_in_words(terms.request, release.lattice.kind(), release.source), records_in_words(release.source),
      and_where_statistics_count(release), share_of(terms.level));
}

/// The mechanisms that ran: all of them if groups ran different ones.
std::string mechanisms_of(const Release& release) {
  if (release.query.quantiles.empty()) return noise_on_counts;
  std::set<std::string> names;
  for (const Release::Group& group : release.groups) names.insert(to_string(group.used.mechanism));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What was found out about the values, and why this mechanism ran, if these hold for all groups.
std::string findings_of(const Release& release) {
  if (!release.ran_alike()) return {};
  const MechanismUsed& used = release.groups.front().used;
  const std::string found = round_numbers_in_words(release);
  std::string text = found.empty() ? "" : fmt::format("a part of the budget suggested that {}\n", found);
  if (!used.reason.empty()) text += fmt::format("chosen by auto: {}\n", used.reason);
  return text;
}

/// A line on which records were left out.
std::string left_out(const Release& release) {
  const SourceDescription& source = release.source;
  if (source.null_policy == NullPolicy::error) return {};
  const ValueKind kind = release.lattice.kind();
  const bool is_number = kind == ValueKind::number;
  std::vector<std::string> missing{"NULL", "empty"};
  if (is_number) missing.emplace_back("NaN");
  const bool counts_anything = report_detail::counts_anything(source);
  if (source.unreadable == Unreadable::missing && !counts_anything) missing.emplace_back("something else");
  std::string kinds = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i) kinds += (i + 1 < missing.size() ? ", " : " or ") + missing[i];
  return fmt::format("records without {} ({}){}{} were left out\n",
                     counts_anything           ? "anything in the column"
                     : is_number               ? "a number"
                     : kind == ValueKind::date ? "a date"
                                               : "a time",
                     kinds,
                     source.weights ? (source.person.empty() ? " or without a weight" : ", without a weight") : "",
                     source.person.empty() ? "" : " or without a person");
}

/// The lines under a table: what was promised, which mechanism ran, and what was left out.
std::string terms_of(const Release& release) {
  const QuantileQuery& query = release.query;
  const SourceDescription& source = release.source;
  const char* const noun = source.sql_stability                          ? "row"
                           : counts_of(source) == Counts::persons_values ? "value"
                                                                         : "record";
  std::string text =
      fmt::format("\n{} ({}), neighbors {}, at most {} a person, mechanism {}\n", query.budget.to_string(),
                  to_string(query.budget.measure()), to_string(query.neighbors),
                  counted(report_detail::records_per_person(release), noun), mechanisms_of(release));
  if (source.weights) {
    text += fmt::format("{}\n{}\n{}\n", weights_in_words(*source.weights), weighted_neighbors_in_words(*source.weights),
                        weighted_noise_in_words(*source.weights));
  }
  if (source.sql_stability) {
    text += fmt::format("declared, not checked: a record changes at most {} of the query's result\n",
                        counted(*source.sql_stability, "row"));
  }
  if (source.disjoint_persons) {
    text += "declared, not checked: no person has records in two of the profiles that were merged\n";
  }
  if (release.bounds) {
    text += fmt::format("a part of the budget, {}, found the bounds: {} to {}\n", release.bounds->cost.to_string(),
                        release.lattice.text(0), release.lattice.text(release.lattice.size() - 1));
    if (const auto enough = records_that_bounds_hold(release, receipt_confidence)) {
      text += fmt::format("with a probability of at least {} they hold all quantiles, if at least {} {} count\n",
                          share_of(receipt_confidence), *enough, counted_noun(release.source));
    }
  }
  if (query.intervals) text += intervals_in_words(release);
  if (release.statistics) text += statistics_terms(release);
  if (release.is_grouped()) text += "all groups together spend that once\n";
  if (source.one_row_a_person) text += "the query makes one row of each person's records\n";
  if (source.per_person) {
    text += fmt::format("a person counts once{}: with {}\n", release.is_grouped() ? " in a group" : "",
                        one_value_in_words(*source.per_person));
    if (release.is_grouped()) text += "of each person's groups, at most that many count, sampled at random\n";
  } else if (source.whole_records) {
    text +=
        "of each person's records, at most that many were sampled at random, once for all tables, whatever they hold\n";
  } else if (!source.person.empty() && !source.one_row_a_person) {
    text += "of each person's records, at most that many count, sampled at random\n";
  }
  text += findings_of(release) + left_out(release);
  if (release.public_rows) text += counted(*release.public_rows, "row") + " (declared public)\n";
  if (release.unsafe_seed) {
    text += fmt::format("NOT PRIVATE: random bits from --unsafe-seed {}\n", *release.unsafe_seed);
  }
  if (!release.ran_alike()) text += "what ran differs between the groups; the receipt says how\n";
  return text;
}

}  // namespace

std::string to_csv(const Release& release) {
  Row headings = headings_of(release, "value");
  if (release.unsafe_seed) headings.emplace_back("unsafe_seed");
  Row keys = release.is_grouped() ? csv_key_headings(release, headings) : Row();
  keys.insert(keys.end(), headings.begin(), headings.end());
  std::string text = csv_line(keys);
  for_each_row(release, OpenEnds::infinite, [&](Row row) {
    if (release.unsafe_seed) row.push_back(std::to_string(*release.unsafe_seed));
    append_csv_line(text, row);
  });
  return text;
}

std::string to_table(const Release& release) {
  std::vector<Row> rows(1, key_headings(release));
  for (std::string& heading : headings_of(release, values_in_words(release.source, release.source.column)))
    rows.front().push_back(std::move(heading));
  for_each_row(release, OpenEnds::in_words, [&](Row row) { rows.push_back(std::move(row)); });
  // Numbers stand to the right, and the cells before them to the left.
  const std::size_t numbers = release.query.intervals || release.statistics ? 3 : 1;
  return aligned(rows, rows.front().size() - numbers) + terms_of(release);
}

}  // namespace fractile
