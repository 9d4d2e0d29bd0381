// A publication as a record for the public registry of deployments.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "publication/remaining_parts.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/registry_record.hpp"
#include "report/text/decimals.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// Adds the texts that are not there yet.
void add_all(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& each : more) {
    if (std::ranges::find(all, each) == all.end()) all.push_back(each);
  }
}

/// Drops what is declared about all groups together where the same is declared about a whole table.
void drop_weaker(std::vector<std::string>& declarations) {
  const std::string weaker = ", in all groups together";
  std::erase_if(declarations, [&, all = declarations](const std::string& each) {
    const std::size_t at = each.find(weaker);
    if (at == std::string::npos) return false;
    std::string stronger = each;
    return std::ranges::find(all, stronger.erase(at, weaker.size())) != all.end();
  });
}

/// "3 quantiles of pay by region and sex with totals, beside counts": describes a table whose publisher does not describe it.
std::string described(const PublicationTable& table) {
  const std::size_t quantiles = table.quantiles.size();
  SourceDescription source;
  source.per_person = table.per_person;
  const std::string values = values_in_words(source, table.column);
  std::string text = quantiles == 0 ? values : fmt::format("{} of {}", counted(quantiles, "quantile"), values);
  if (!table.by.empty()) text += fmt::format(" by {}", enumerated(table.by));
  if (table.levels.size() > 1) text += " with totals";
  std::vector<std::string> beside;
  if (table.count) beside.emplace_back("counts");
  if (!table.below.empty()) beside.emplace_back("shares below values");
  if (table.mean) beside.emplace_back("means");
  if (quantiles == 0) return fmt::format("{} of {}", enumerated(beside), text);
  if (!beside.empty()) text += fmt::format(", beside {}", enumerated(beside));
  return text;
}

/// What is not protected, for all tables together.
std::string unprotected_of(const PublishedTables& published) {
  std::vector<std::string> possible;
  std::vector<std::string> failures;
  for (const PublishedLevel& level : published.levels) {
    const std::string& column = published.publication.tables[level.table].column;
    add_all(possible, {fmt::format("of {} {}", column, lattice_in_words(level.release.lattice))});
    add_all(failures, failures_of(level.release));
  }
  return fmt::format(
      "The possible values ({}), the quantiles and other statistics that were asked for, the keys and cells, and the "
      "parameters. That the publication succeeded, which it would not have with one of these in the table: {}.",
      fmt::join(possible, "; "), fmt::join(failures, "; "));
}

/// Levels of which all count records, or all count persons' values.
struct LevelsAlike {
  const Release* promised;          ///< the one in which most of a person's records or values count
  std::vector<std::string> tables;  ///< the names of their tables
};

/// Those that count records come first.
std::vector<LevelsAlike> levels_alike(const PublishedTables& tables) {
  std::vector<LevelsAlike> all;
  for (const bool have_values : {false, true}) {
    LevelsAlike alike{nullptr, {}};
    for (const PublishedLevel& level : tables.levels) {
      if (level.release.source.per_person.has_value() != have_values) continue;
      const bool is_more = alike.promised == nullptr ||
                           alike.promised->query.records_per_person < level.release.query.records_per_person;
      if (is_more) alike.promised = &level.release;
      add_all(alike.tables, {tables.publication.tables[level.table].name});
    }
    if (alike.promised != nullptr) all.push_back(std::move(alike));
  }
  return all;
}

/// For whom the parameters hold, by tables if some count records and others persons' values.
std::string unit_of(const std::vector<LevelsAlike>& all) {
  if (all.size() == 1) return registry_record(*all.front().promised).unit;
  std::string unit;
  for (const LevelsAlike& alike : all) {
    unit += fmt::format("{}In {}: {}", unit.empty() ? "" : " ", enumerated(alike.tables),
                        registry_record(*alike.promised).unit);
  }
  return unit;
}

}  // namespace

std::string to_registry(const PublishedTables& tables, const About& about) {
  const std::vector<LevelsAlike> alike = levels_alike(tables);
  RegistryRecord record = registry_record(*alike.front().promised);
  record.unit = unit_of(alike);
  record.declarations.clear();
  for (const PublishedLevel& level : tables.levels) {
    add_all(record.declarations,
            {fmt::format("The possible values of {}, {}, were chosen without looking at the data.",
                         tables.publication.tables[level.table].name, lattice_in_words(level.release.lattice))});
  }
  add_all(record.declarations, {"Everything else in the request was chosen without looking at the data, too."});
  std::vector<std::string> domains;
  bool add_up = false;
  for (const PublishedLevel& level : tables.levels) {
    const RegistryRecord of_level = registry_record(level.release);
    add_all(domains, {of_level.domain});
    const auto as_typed = [](const std::string& words) { return words; };
    add_all(record.declarations, declarations_of_records(level.release, as_typed));
    add_all(record.mechanisms, of_level.mechanisms);
    add_all(record.post_processing, of_level.post_processing);
    record.is_private = record.is_private && of_level.is_private;
    add_up = add_up || (level.release.statistics && !level.release.source.per_person);
  }
  drop_weaker(record.declarations);
  std::vector<std::string> described_tables;
  for (const PublicationTable& table : tables.publication.tables) described_tables.push_back(described(table));
  record.description =
      fmt::format("{}: {}.", counted(described_tables.size(), "table"), fmt::join(described_tables, "; "));
  record.cost = publication_detail::cost_of(tables);
  record.domain = fmt::to_string(fmt::join(domains, " "));
  record.unprotected = unprotected_of(tables);
  record.composition =
      "The costs of tables and of levels of totals add up to the stated cost, and each draw was charged before it was "
      "made; the cells of a level share no records, so that a level costs the same whatever their number.";
  if (add_up) add_all(record.post_processing, {"counts of totals are those of their cells added up"});
  if (tables.publication.marks.hidden || tables.publication.marks.unreliable) {
    add_all(record.post_processing, {"cells are marked or left out by what was published of them"});
  }
  record.receipt = tables.receipt;
  return in_yaml(record, about);
}

}  // namespace fractile
