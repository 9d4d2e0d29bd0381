// What was published, as CSV and as a table: of a release, of groups, and of a receipt that was read back.
#include <fmt/format.h>

#include <set>

#include "fractile/report.hpp"
#include "report/csv_cells.hpp"
#include "report/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::aligned;
using report_detail::csv_line;
using report_detail::Row;

/// A heading, and a row a value: quantile and value, with groups the key before them.
void add_release(std::vector<Row>& rows, const QuantileRelease& release, const Row& before) {
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    rows.push_back(before);
    rows.back().insert(rows.back().end(), {release.query.quantiles[i].to_string(), release.value(i).to_decimal()});
  }
}

std::vector<Row> rows_of(const QuantileRelease& release, const std::string& value) {
  std::vector<Row> rows{{"quantile", value}};
  add_release(rows, release, {});
  return rows;
}

std::vector<Row> rows_of(const GroupedRelease& groups, const std::string& key, const std::string& value) {
  std::vector<Row> rows{{key, "quantile", value}};
  for (std::size_t g = 0; g < groups.releases.size(); ++g) add_release(rows, groups.releases[g], {groups.keys[g]});
  return rows;
}

std::vector<Row> rows_of(const Receipt& receipt, const std::string& key, const std::string& value) {
  const bool grouped = !receipt.source.by.empty();
  std::vector<Row> rows{grouped ? Row{key, "quantile", value} : Row{"quantile", value}};
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      rows.push_back(grouped ? Row{group.key, each.quantile, each.value} : Row{each.quantile, each.value});
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

/// All but the last column to the left.
std::string table_of(const std::vector<Row>& rows) { return aligned(rows, rows.front().size() - 1); }

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
  if (release.bounds) {
    text += fmt::format("{} of that found the bounds: {} to {}\n", release.bounds->cost.to_string(),
                        release.lattice.lower().to_decimal(), release.lattice.upper().to_decimal());
  }
  if (!source.by.empty()) text += "all groups together spend that once\n";
  if (!source.person.empty()) text += "of each person's records no more than that count, sampled at random\n";
  if (release.used.granularity) {
    text += fmt::format("the values were found to be multiples of {}\n", release.used.granularity->to_decimal());
  }
  if (release.used.heaping) {
    text += fmt::format("many of the values were found to be multiples of {}\n", release.used.heaping->to_decimal());
  }
  if (!release.used.reason.empty()) text += fmt::format("chosen by auto: {}\n", release.used.reason);
  if (source.null_policy == "drop") {
    text += fmt::format("records without a number (NULL, empty, NaN){} were left out\n",
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

std::string to_csv(const QuantileRelease& release) { return csv_of(rows_of(release, "value"), seed_of(release)); }

std::string to_csv(const GroupedRelease& groups) {
  return csv_of(rows_of(groups, "key", "value"), groups.releases.empty() ? "" : seed_of(groups.releases.front()));
}

std::string to_csv(const Receipt& receipt) { return csv_of(rows_of(receipt, "key", "value"), receipt.unsafe_seed); }

std::string to_table(const QuantileRelease& release, const SourceDescription& source) {
  return table_of(rows_of(release, source.column)) + terms_of(release, source, to_string(release.used.mechanism));
}

std::string to_table(const GroupedRelease& groups, const SourceDescription& source) {
  QuantileRelease terms = groups.releases.at(0);
  const std::string text = table_of(rows_of(groups, source.by, source.column));
  if (groups.ran_alike()) return text + terms_of(terms, source, to_string(terms.used.mechanism));
  terms.used.granularity.reset();
  terms.used.heaping.reset();
  terms.used.reason.clear();
  return text + terms_of(terms, source, mechanisms_of(groups)) +
         "what ran differs between the groups: --format json tells\n";
}

std::string to_table(const Receipt& receipt) {
  return table_of(rows_of(receipt, receipt.source.by, receipt.source.column));
}

}  // namespace fractile
