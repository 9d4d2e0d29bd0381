// A publication's plan, as JSON, CSV and a table.
#include <algorithm>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "publication/tables.hpp"
#include "report/release/plan_words.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/decimals.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/release_members.hpp"
#include "report/text/shown_text.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// The amount in six digits, for readers; the exact number may have many more.
std::string short_amount(const Budget& budget) {
  const double amount = budget.measure() == Measure::zcdp ? budget.rho().to_double() : budget.epsilon().to_double();
  return plain(amount, 6);
}

std::string amount_in_words(const Budget& budget) {
  return budget.measure() == Measure::zcdp ? with_decimals(budget.rho()) : with_decimals(budget.epsilon());
}

std::string records_or(const std::optional<std::uint64_t>& records, const char* otherwise) {
  return records ? fmt::format("{}", *records) : otherwise;
}

std::string records_or(const std::optional<double>& records, const char* otherwise) {
  return records ? plain(*records, 3) : otherwise;
}

/// The largest error; nothing where it grows with the number of records, and this number is not known.
std::optional<std::uint64_t> worst_of(const PlannedCell& cell) {
  const bool grows = !cell.units && cell.worst && *cell.worst > largest_bound_of_any_number;
  return grows ? std::nullopt : cell.worst;
}

bool grows_with_rows(const PublicationPlan& plan) {
  return std::ranges::any_of(plan.levels, [](const PlannedLevel& level) {
    return std::ranges::any_of(level.cells, [](const PlannedCell& cell) { return cell.worst && !worst_of(cell); });
  });
}

/// The units as a share of all that the cell is expected to have.
template <class Units>
std::string share_or(const PlannedCell& cell, const std::optional<Units>& units, const char* otherwise) {
  if (!cell.units || *cell.units == 0 || !units) return otherwise;
  return plain(static_cast<double>(*units) / static_cast<double>(*cell.units), 2);
}

const PublicationTable& table_of(const PublicationPlan& plan, const PlannedLevel& level) {
  return plan.publication.tables[level.part.table];
}

std::vector<std::string> columns_of(const PublicationPlan& plan, const PlannedLevel& level) {
  const PublicationTable& table = table_of(plan, level);
  return publication_detail::columns_of(table, table.levels[level.part.level]).names();
}

std::string joined_or(const std::vector<std::string>& words, const char* between, const char* otherwise) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return words.empty() ? otherwise : text;
}

std::string level_name(const PublicationPlan& plan, const PlannedLevel& level) {
  return joined_or(columns_of(plan, level), " x ", "everyone");
}

void write_part(Writer& json, const char* name, const std::optional<Budget>& budget) {
  if (budget) object(json, name, [&] { write_cost(json, *budget); });
}

void write_cell(Writer& json, const PlannedCell& cell) {
  list(json, "keys", cell.keys);
  number(json, "rows", records_or(cell.rows, "null"));
  if (cell.units != cell.rows) number(json, "units", records_or(cell.units, "null"));
  number(json, "worst_case", records_or(worst_of(cell), "null"));
  number(json, "worst_case_share", share_or(cell, worst_of(cell), "null"));
  number(json, "typical", records_or(cell.typical, "null"));
  number(json, "nine_in_ten", records_or(cell.nine_in_ten, "null"));
  number(json, "nine_in_ten_share", share_or(cell, cell.nine_in_ten, "null"));
  member(json, "worth", to_string(cell.worth));
  if (cell.count_error) member(json, "count_error", *cell.count_error);
  if (cell.mean_error) number(json, "mean_error", plain(cell.mean_error->to_double(), 4));
}

bool is_drawn(const PlannedLevel& level) { return level.part.share.sign() > 0; }

/// The levels that are drawn, followed by the totals that only add counts up.
std::vector<const PlannedLevel*> all_levels(const PublicationPlan& plan) {
  std::vector<const PlannedLevel*> all;
  for (const std::vector<PlannedLevel>* levels : {&plan.levels, &plan.sums}) {
    for (const PlannedLevel& level : *levels) all.push_back(&level);
  }
  return all;
}

void write_level(Writer& json, const PublicationPlan& plan, const PlannedLevel& level) {
  member(json, "table", table_of(plan, level).name);
  list(json, "by", columns_of(plan, level));
  member(json, "share", level.part.share.to_string());
  if (is_drawn(level)) write_part(json, "cost", level.part.cost);
  write_part(json, "quantiles_cost", level.quantiles_cost);
  write_part(json, "counts_cost", level.counts_cost);
  if (level.quantiles_cost) member(json, "mechanism", to_string(level.used.mechanism));
  if (!level.unbounded_reason.empty()) member(json, "without_worst_case", level.unbounded_reason);
  if (level.settled_from) member(json, "intervals_settled_from", *level.settled_from);
  objects(json, "cells", level.cells, [&](const PlannedCell& cell) { write_cell(json, cell); });
}

/// The cell that decides a level: the one with the largest error as a share of its records. Lost cells come last.
const PlannedCell& worst_cell(const PlannedLevel& level) {
  const auto share = [](const PlannedCell& cell) {
    return cell.units && *cell.units > 0 && cell.worth != CellWorth::lost
               ? cell.nine_in_ten.value_or(0) / static_cast<double>(*cell.units)
               : -1.0;
  };
  return *std::ranges::max_element(level.cells, {}, share);
}

/// The largest error of the level's counts; nothing if no counts are published.
std::optional<std::uint64_t> largest_count_error(const PlannedLevel& level) {
  std::optional<std::uint64_t> largest;
  for (const PlannedCell& cell : level.cells) largest = std::max(largest, cell.count_error);
  return largest;
}

Row level_row(const PublicationPlan& plan, const PlannedLevel& level) {
  const PlannedCell& cell = worst_cell(level);
  return {table_of(plan, level).name,
          level_name(plan, level),
          fmt::format("{}", level.cells.size()),
          is_drawn(level) ? short_amount(level.part.cost) : "0",
          level.counts_cost ? short_amount(*level.counts_cost) : "-",
          level.quantiles_cost ? to_string(level.used.mechanism) : "-",
          records_or(cell.rows, "-"),
          records_or(cell.nine_in_ten, "-"),
          share_or(cell, cell.nine_in_ten, "-"),
          records_or(worst_of(cell), "-"),
          records_or(largest_count_error(level), "-")};
}

/// "income by region x sex: north female, south male": the cells for which `is_meant` is true.
template <class IsMeant>
std::string cells_in_words(const PublicationPlan& plan, const IsMeant& is_meant) {
  constexpr std::size_t most_named = 20;
  std::string text;
  for (const PlannedLevel& level : plan.levels) {
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const PlannedCell& cell : level.cells) {
      if (!is_meant(level, cell)) continue;
      if (++count <= most_named) names.push_back(joined_or(cell.keys, " ", "everyone"));
    }
    if (count == 0) continue;
    const std::string others = count > most_named ? " and " + counted(count - most_named, "other") : "";
    text += shown_text(fmt::format("  {} by {}: {}{}", table_of(plan, level).name, level_name(plan, level),
                                   joined_or(names, ", ", ""), others)) +
            "\n";
  }
  return text;
}

std::string cells_worth(const PublicationPlan& plan, CellWorth worth) {
  return cells_in_words(plan, [&](const PlannedLevel&, const PlannedCell& cell) { return cell.worth == worth; });
}

/// The cells whose intervals may end only at the ends of the range, and how many records would suffice. Lost cells are listed elsewhere.
std::string unsettled_in_words(const PublicationPlan& plan) {
  std::uint64_t enough = 0;
  const std::string cells = cells_in_words(plan, [&](const PlannedLevel& level, const PlannedCell& cell) {
    const bool is_unsettled = level.settled_from && cell.units && *cell.units < *level.settled_from;
    if (!is_unsettled || cell.worth == CellWorth::lost) return false;
    enough = std::max(enough, *level.settled_from);
    return true;
  });
  if (cells.empty()) return {};
  return fmt::format(
      "\nIntervals may end only at the ends of the range, since these {} are too few; about {} would do:\n{}",
      plan.publication.weights ? "units of weight" : "records", enough, cells);
}

struct CoarseTable {
  std::string name;
  std::uint64_t possible_values;
  NoiseInWords words;
};

/// The tables whose values are rounded to few possible ones. What one person's records become may be a small whole number itself.
std::vector<CoarseTable> coarse_tables(const Publication& publication) {
  std::vector<CoarseTable> coarse;
  for (const PublicationTable& table : publication.tables) {
    const bool is_whole = table.per_person == PerPerson::count || table.per_person == PerPerson::any ||
                          table.per_person == PerPerson::all;
    const std::optional<NoiseInWords> words = report_detail::coarse_step(table.lattice);
    if (!words || is_whole || (table.quantiles.empty() && !table.mean)) continue;
    coarse.push_back({table.name, table.lattice.size(), *words});
  }
  return coarse;
}

std::string coarse_steps(const Publication& publication) {
  return joined(coarse_tables(publication), "", [](const CoarseTable& table) {
    return fmt::format("\nIn {}, {}:\n  {}\n", shown_text(table.name), table.words.what, table.words.hint);
  });
}

std::string weak_budget(const Publication& publication) {
  const std::optional<NoiseInWords> words = report_detail::weak_budget(publication.budget);
  return words ? fmt::format("\nwarning: {}:\n  {}\n", words->what, words->hint) : "";
}

/// Why there is a dash in place of a worst case; empty where there is none.
std::string why_not_known(const PublicationPlan& plan) {
  std::vector<std::string> reasons;
  if (grows_with_rows(plan)) reasons.emplace_back("where it grows with the records: state rows in the file");
  std::vector<std::string> unknown;
  for (const PlannedLevel& level : plan.levels) {
    if (level.unbounded_reason.empty() || std::ranges::find(unknown, level.unbounded_reason) != unknown.end()) continue;
    unknown.push_back(level.unbounded_reason);
  }
  if (!unknown.empty()) reasons.push_back("where it is not known: " + joined_or(unknown, ", or ", ""));
  return joined_or(reasons, "; or ", "");
}

/// Why a level's cost does not depend on its number of cells.
std::string cost_of_a_level(const Publication& publication) {
  const auto has_values = [](const PublicationTable& table) { return table.per_person.has_value(); };
  if (std::ranges::none_of(publication.tables, has_values))
    return "A level costs as much as each of its cells, since a record is in only one of them.\n";
  return fmt::format(
      "A level costs a person the same whatever its number of cells: a record is in only one of them, and\n"
      "where a person counts with one value in a cell, they count in at most {} of them.\n",
      publication.records_per_person);
}

}  // namespace

std::string to_json(const PublicationPlan& plan) {
  const OwnEnvironment own;
  const Publication& publication = plan.publication;
  Document document(release_schema);
  Writer& json = document.json();
  member(json, "kind", "publication plan");
  member(json, "title", publication.title);
  object(json, "privacy", [&] {
    member(json, "measure", to_string(publication.budget.measure()));
    write_cost(json, publication.budget);
    member(json, "neighbors", to_string(publication.neighbors));
    if (!publication.person.empty()) member(json, "person", publication.person);
    member(json, "records_per_person", std::uint64_t{publication.records_per_person});
    if (publication.sql_stability > 1) member(json, "sql_stability", std::uint64_t{publication.sql_stability});
  });
  member(json, "confidence", publication.confidence.to_string());
  const auto write = [&](const PlannedLevel& level) { write_level(json, plan, level); };
  objects(json, "levels", plan.levels, write);
  if (!plan.sums.empty()) objects(json, "totals_of_counts", plan.sums, write);
  const std::vector<CoarseTable> coarse = coarse_tables(publication);
  if (!coarse.empty()) {
    objects(json, "coarse_steps", coarse, [&](const CoarseTable& table) {
      member(json, "table", table.name);
      member(json, "possible_values", table.possible_values);
    });
  }
  write_weak_budget(json, publication.budget);
  return document.text();
}

std::string to_csv(const PublicationPlan& plan) {
  const char* const budget = plan.publication.budget.measure() == Measure::zcdp ? "rho" : "epsilon";
  std::string text = csv_line({"table", "level", "cell", budget, "rows", "worst_case", "typical", "nine_in_ten",
                               "worth", "count_error", "mean_error"});
  for (const PlannedLevel* const level : all_levels(plan)) {
    for (const PlannedCell& cell : level->cells) {
      text += csv_line({table_of(plan, *level).name, level_name(plan, *level), joined_or(cell.keys, " ", "everyone"),
                        is_drawn(*level) ? amount_in_words(level->part.cost) : "0", records_or(cell.rows, ""),
                        records_or(worst_of(cell), ""), records_or(cell.typical, ""), records_or(cell.nine_in_ten, ""),
                        to_string(cell.worth), records_or(cell.count_error, ""),
                        cell.mean_error ? plain(cell.mean_error->to_double(), 4) : ""});
    }
  }
  return text;
}

std::vector<NoiseInWords> beside_csv(const PublicationPlan& plan) {
  const OwnEnvironment own;
  std::vector<NoiseInWords> all = mapped(coarse_tables(plan.publication), [](const CoarseTable& table) {
    return NoiseInWords{fmt::format("warning: in {}, {}", shown_text(table.name), table.words.what), table.words.hint};
  });
  if (const auto words = report_detail::weak_budget(plan.publication.budget)) {
    all.push_back({"warning: " + words->what, words->hint});
  }
  return all;
}

std::string to_table(const PublicationPlan& plan) {
  const OwnEnvironment own;
  const Publication& publication = plan.publication;
  const bool is_rho = publication.budget.measure() == Measure::zcdp;
  std::vector<Row> rows{{"table", "level", "cells", is_rho ? "rho" : "epsilon", "for counts", "mechanism", "records",
                         "nine in ten", "share", "worst", "counts"}};
  for (const PlannedLevel* const level : all_levels(plan)) rows.push_back(level_row(plan, *level));
  const auto has_counts = [](const PlannedLevel* level) { return largest_count_error(*level).has_value(); };
  const bool any_counts = std::ranges::any_of(all_levels(plan), has_counts);
  if (!any_counts) {
    for (Row& row : rows) row.pop_back();
  }
  const auto has_listed = [](const PublicationTable& table) { return !table.lattice.is_regular(); };
  const bool any_listed = std::ranges::any_of(publication.tables, has_listed);
  const std::string dashes = why_not_known(plan);
  std::string text = publication.title.empty() ? "" : shown_text(publication.title) + "\n\n";
  text += aligned(rows, 2);
  text += fmt::format(
      "\nAll levels together cost {} ({}), neighbors {}, at most {} a person{}.\n{}"
      "records       expected in the least accurate cell of the level; - if the file does not state rows\n"
      "nine in ten   simulated releases miss no quantile by more; they are releases of a public normal table with that "
      "many records, or fewer if that hardly changes errors{}\n"
      "share         the same error as a share of the cell's records\n"
      "worst         exceeded with probability at most {} per quantile, whatever the data{}{}\n",
      publication.budget.to_string(), to_string(publication.budget.measure()), to_string(publication.neighbors),
      publication_detail::most_of_person(publication),
      publication.sql_stability == 1
          ? ""
          : fmt::format(", each of which changes at most {} rows of the query's result", publication.sql_stability),
      cost_of_a_level(publication), any_listed ? "; where candidates are listed, these records lie on them" : "",
      plain((Rational(1) - publication.confidence).to_double(), 4),
      publication.confidence == Rational(19, 20) ? "" : "; the receipt and the page will state it at 0.05",
      dashes.empty() ? "" : "; - " + dashes);
  if (any_counts) {
    text +=
        "counts        of the level's cells are off by no more, each with the probability of its table's intervals, or "
        "0.95 without them; a total that adds counts up has the noise of all of its cells\n";
  }
  if (publication.weights) {
    const RecordWeights& weights = *publication.weights;
    text += fmt::format("Errors are in units of weight, {} each: a record counts as its weight in units, at most {}.\n",
                        weights.step.to_decimal(), weights.most_units_of_record());
  }
  const std::string noise = cells_worth(plan, CellWorth::noise);
  if (!noise.empty()) {
    text += "\nMostly noise with this part of the budget; a larger share would help:\n" + noise;
  }
  const std::string lost = cells_worth(plan, CellWorth::lost);
  if (!lost.empty()) {
    text += "\nMostly noise even with the whole budget; publish them by fewer columns, or ask for fewer quantiles:\n" +
            lost;
  }
  return text + unsettled_in_words(plan) + coarse_steps(publication) + weak_budget(publication);
}

}  // namespace fractile
