// Explains a publication in plain language, and makes its page. It says what docs/proofs prove, and no more.
#include <algorithm>
#include <optional>
#include <utility>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "publication/level_cells.hpp"
#include "publication/remaining_parts.hpp"
#include "publication/tables.hpp"
#include "publication/tables_page.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/explained_parts.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/plan_words.hpp"
#include "report/release/release_figure.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/release/statistics_words.hpp"
#include "report/text/page.hpp"

namespace fractile {

using namespace publication_detail;
using namespace report_detail;

namespace {

/// A table with its levels that were drawn, the finest first.
struct Table {
  const PublicationTable& table;
  std::size_t place;
  std::vector<const PublishedLevel*> levels;

  const Release& finest() const { return levels.front()->release; }
  bool has_quantiles() const { return !table.quantiles.empty(); }
  bool has_totals() const { return table.levels.size() > 1; }
  bool draws_totals() const { return levels.size() > 1; }
};

std::vector<Table> tables_of(const PublishedTables& tables) {
  std::vector<Table> found;
  for (std::size_t i = 0; i < tables.publication.tables.size(); ++i) {
    Table table{tables.publication.tables[i], i, {}};
    for (const PublishedLevel& level : tables.levels) {
      if (level.table == i) table.levels.push_back(&level);
    }
    if (!table.levels.empty()) found.push_back(std::move(table));
  }
  return found;
}

bool has_persons(const Table& table) { return !table.finest().source.person.empty(); }

/// Adds a word unless it is already there.
void add(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

std::string level_in_words(const Page& page, const Table& table, const PublishedLevel& level) {
  const KeyLevel& columns = table.table.levels[level.level];
  return columns.empty() ? "everyone"
                         : "by " + page.typed(to_string(publication_detail::columns_of(table.table, columns)));
}

/// The word for what a record holds in the columns of all tables.
std::string value_of(const std::vector<Table>& tables) {
  std::vector<std::string> words;
  for (const Table& each : tables) add(words, value_in_words(each.finest().lattice.kind()));
  return words.size() == 1 ? words.front() : "value";
}

/// The table whose release states the promise: the first that counts records or, if all count persons' values, the first.
const Table& promised_table(const std::vector<Table>& tables) {
  const auto of_records = std::ranges::find_if(tables, [](const Table& each) { return !each.table.per_person; });
  return of_records == tables.end() ? tables.front() : *of_records;
}

/// How much of each person counts, where some tables count records and others one value of each person; else empty.
std::string counted_of_persons(const Page& page, const std::vector<Table>& tables) {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> names;
  for (const Table& table : tables) {
    const Release& release = table.finest();
    const std::uint32_t most = report_detail::records_per_person(release);
    const std::string text =
        !table.table.per_person
            ? fmt::format("at most {} of theirs, chosen at random, counted in all cells of a level together",
                          counted(most, "record"))
        : release.is_grouped()
            ? fmt::format(
                  "they counted with one value in a cell, in at most {} of their cells of a level, chosen at random",
                  most)
            : "they counted with one value";
    const auto place = static_cast<std::size_t>(std::ranges::find(texts, text) - texts.begin());
    if (place == texts.size()) {
      texts.push_back(text);
      names.emplace_back();
    }
    names[place].push_back(page.typed(table.table.name));
  }
  const auto has_values = [](const Table& table) { return table.table.per_person.has_value(); };
  if (texts.size() == 1 || std::ranges::none_of(tables, has_values)) return {};
  std::string words;
  for (std::size_t i = 0; i < texts.size(); ++i)
    words += fmt::format("{}In {}, {}.", i == 0 ? "" : " ", enumerated(names[i]), texts[i]);
  return words;
}

Promise promise_of(const Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  Promise promise = report_detail::promise_of(promised_table(tables).finest());
  for (const PublishedLevel& level : published.levels) {
    promise.records_per_person = std::max(promise.records_per_person, report_detail::records_per_person(level.release));
  }
  promise.cost = cost_of(published);
  promise.value = value_of(tables);
  promise.what = "publication";
  promise.together =
      has_persons(tables.front()) ? "in each table, in all of its cells together" : "in all cells together";
  const bool has_cells = std::ranges::any_of(tables, [](const Table& each) { return each.finest().is_grouped(); });
  if (promise.source.per_person && !has_cells) promise.together = "";
  promise.group = "cell";
  promise.of_tables = counted_of_persons(page, tables);
  return promise;
}

// --- How wrong ----------------------------------------------------------------------------------------------------------

std::string assumed_sample(const Table& table) {
  return table.finest().query.intervals->subject == IntervalSubject::population
             ? ", if the sample is a simple random one"
             : "";
}

/// The largest error of a quantile in a level's cells; nothing if one is unknown.
std::optional<std::uint64_t> largest_error(const Release& release, std::size_t quantile) {
  std::uint64_t largest = 0;
  for (const Release::Group& group : release.groups) {
    const std::optional<std::uint64_t>& error = group.rank_errors[quantile];
    if (!error) return {};
    largest = std::max(largest, *error);
  }
  return largest;
}

/// The largest error in the finest level's cells; nothing if the error of a value of any level is unknown.
std::optional<std::uint64_t> largest_error(const Table& table) {
  std::uint64_t largest = 0;
  for (const PublishedLevel* level : table.levels) {
    for (std::size_t i = 0; i < level->release.query.quantiles.size(); ++i) {
      const std::optional<std::uint64_t> error = largest_error(level->release, i);
      if (!error) return {};
      if (level == table.levels.front()) largest = std::max(largest, *error);
    }
  }
  return largest;
}

/// Says up to how many records in a cell the bounds of the table's levels hold.
std::string up_to_records(const Table& table) {
  const PublishedLevel* least = *std::ranges::min_element(
      table.levels, {}, [](const PublishedLevel* level) { return level->release.errors->rows; });
  return report_detail::up_to_records(least->release, " in a cell");
}

std::string error_in_short(const Page& page, const Table& table) {
  const std::string name = page.typed(table.table.name);
  const Release& release = table.finest();
  if (release.query.intervals) {
    const std::string level = share_of(release.query.intervals->level);
    if (release.query.intervals->is_simultaneous) {
      return fmt::format(
          "With a probability of at least {} in each cell, all intervals beside the values of {} hold, at once, {}{}.",
          level, name, held_quantile(table.finest()), assumed_sample(table));
    }
    return fmt::format("With a probability of at least {} each, the intervals beside the values of {} hold {}{}.",
                       level, name, held_quantile(table.finest()), assumed_sample(table));
  }
  if (!table.has_quantiles()) {
    return fmt::format(
        "With a probability of at least {} each, the intervals beside the numbers of {} hold the true values for {}{}.",
        share_of(release.statistics->level), name, records_in_words(release.source),
        and_where_statistics_count(release));
  }
  const std::optional<std::uint64_t> largest = largest_error(table);
  if (!largest) return fmt::format("How far the values of {} may be off at worst is not known for all of them.", name);
  return fmt::format(
      "With a probability of at least {} each, the values of {}{} miss the quantiles of {}{}, by at most {}, {}.{}",
      share_of(release.errors->confidence), name,
      table.draws_totals() ? " " + level_in_words(page, table, *table.levels.front()) : "",
      records_in_words(release.source), and_where_they_count(release.lattice),
      counted_in_words(release.source, *largest), up_to_records(table),
      table.draws_totals() ? " Totals may be off by more: a table below says by how much." : "");
}

/// One row per level: by how many records its values may be off.
std::vector<Row> error_rows(const Page& page, const Table& table) {
  std::vector<Row> rows{{"level"}};
  for (const Rational& quantile : table.finest().query.quantiles) rows[0].push_back(share_of(quantile));
  for (const PublishedLevel* level : table.levels) {
    Row& row = rows.emplace_back(Row{level_in_words(page, table, *level)});
    for (std::size_t i = 0; i < level->release.query.quantiles.size(); ++i) {
      const std::optional<std::uint64_t> error = largest_error(level->release, i);
      row.push_back(error ? counted_in_words(level->release.source, *error) : "not known");
    }
  }
  return rows;
}

void explain_intervals(Page& page, const Table& table) {
  const IntervalRequest& request = *table.finest().query.intervals;
  const bool of_table = request.subject == IntervalSubject::table;
  page.paragraph(fmt::format(
      "{}: beside each value is an interval for {}. With a probability of at least {}, {}. This holds whatever the "
      "{}.{}",
      page.typed(table.table.name), held_quantile(table.finest()), share_of(request.level),
      request.is_simultaneous ? "all intervals of a cell hold their quantiles at once"
                              : "an interval holds its quantile: each by itself, not all of them at once",
      of_table ? "data are" : "distribution is",
      of_table ? " An interval says nothing about people who are not in the table."
               : " An interval covers both the error added for privacy and the error of sampling."));
}

void explain_rank_errors(Page& page, const Table& table) {
  const Release& release = table.finest();
  const std::string noun = counted_noun(release.source);
  page.paragraph(fmt::format(
      "{}: a value is a quantile when no more than the wanted share of {}{}, lies below it, and no less than this "
      "share lies at or below it. A value is off by r {} when one of these two numbers of {} misses the share by r. "
      "With a probability of at least {}, each value taken by itself is off by no more than this table says, whatever "
      "the data, {}.",
      page.typed(table.table.name), records_in_words(release.source), and_where_they_count(release.lattice), noun, noun,
      share_of(release.errors->confidence), up_to_records(table)));
  page.table({fmt::format("errors_{}", table.place + 1),
              fmt::format("{}: by how many {} a value may be off, at most", page.typed(table.table.name), noun)},
             error_rows(page, table));
  std::vector<std::string> reasons;
  std::optional<std::uint64_t> rounded;
  for (const PublishedLevel* level : table.levels) {
    const ErrorTerms& errors = *level->release.errors;
    if (!errors.unbounded_reason.empty()) add(reasons, page.typed(errors.unbounded_reason));
    if (errors.rounding) rounded = std::max(rounded.value_or(0), *errors.rounding);
  }
  for (const std::string& reason : reasons)
    page.paragraph(fmt::format("No bound is known for all values: {}.", reason));
  if (rounded) explain_rounded(page, *rounded);
}

/// A cell as readers know it: "north, women".
std::string cell_in_words(const Page& page, const PublishedTables& published, const Table& table,
                          const PublishedLevel& level, const GroupKey& key) {
  Row labels = labels_of(published.publication, table.table, table.table.levels[level.level], key);
  for (std::string& label : labels) label = page.typed(label);
  return fmt::to_string(fmt::join(labels, ", "));
}

/// Names the smallest of the cells that are shown and whose intervals may end only at the ends of the range; empty if there is none.
std::string smallest_unsettled(const Page& page, const PublishedTables& published, const Table& table,
                               const PublishedLevel& level) {
  const Release& release = level.release;
  const std::optional<UnsettledEnds> ends = unsettled_ends(release);
  if (!ends) return {};
  const std::vector<Cell> cells = publication_detail::cells_of(published, level);
  std::vector<std::size_t> unsettled = unsettled_groups(release, *ends);
  std::erase_if(unsettled, [&](std::size_t i) { return cells[i].is_hidden; });
  if (unsettled.empty()) return {};
  const Release::Group& smallest = release.groups[unsettled.front()];
  return fmt::format(
      "intervals of {} of {} cells may end only at the ends of the range. The smallest of them is {}, with about {} by "
      "a noisy count; about {} would do",
      unsettled.size(), std::ranges::count(cells, false, &Cell::is_hidden),
      cell_in_words(page, published, table, level, smallest.key), counted_in_words(release.source, *smallest.used.rows),
      ends->settled_from);
}

/// What a level's warning says; empty if there is none. Says nothing about how many records there are in cells that are left out.
std::string noise_of(const Page& page, const PublishedTables& published, const Table& table,
                     const PublishedLevel& level) {
  const std::optional<NoiseInWords> noise = noise_in_words(level.release);
  if (!noise) return {};
  const bool has_intervals = level.release.query.intervals.has_value();
  if (has_intervals && level.release.is_grouped()) return smallest_unsettled(page, published, table, level);
  if (has_intervals || published.publication.marks.hidden) return page.typed(noise->what);
  // The budget that would do is the level's. It may be smaller than that of the publication.
  const char* const whose = noise->hint.ends_with(" would do") ? " for this level" : "";
  return page.typed(noise->what) + ": " + page.typed(noise->hint) + whose;
}

void warn_of_noise(Page& page, const PublishedTables& published, const Table& table) {
  for (const PublishedLevel* level : table.levels) {
    const std::string noise = noise_of(page, published, table, *level);
    if (noise.empty()) continue;
    page.paragraph(fmt::format("Warning, of {} {}: {}.", page.typed(table.table.name),
                               level_in_words(page, table, *level), noise));
  }
}

/// What errors do not cover. Each text is said once, with the names of the tables that it is about, unless it is about all of them.
void explain_counted(Page& page, const std::vector<Table>& tables) {
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;
  for (const Table& table : tables) {
    for (const std::string& text : counted_texts(table.finest(), "cells")) {
      auto said = std::ranges::find(texts, text, &std::pair<std::string, std::vector<std::string>>::first);
      if (said == texts.end()) said = texts.insert(texts.end(), {text, {}});
      said->second.push_back(page.typed(table.table.name));
    }
  }
  for (const auto& [text, names] : texts)
    page.paragraph((names.size() == tables.size() ? "" : enumerated(names) + ": ") + text);
}

void explain_errors(Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  page.section("How wrong the numbers may be");
  const bool has_quantiles = std::ranges::any_of(tables, [](const Table& each) { return each.has_quantiles(); });
  page.paragraph(has_quantiles ? "To protect people, the values were drawn at random near the quantiles."
                               : "To protect people, noise was added to counts.");
  bool are_totals_drawn = false;
  for (const Table& table : tables) {
    if (table.finest().query.intervals) {
      explain_intervals(page, table);
    } else if (table.has_quantiles()) {
      explain_rank_errors(page, table);
    }
    warn_of_noise(page, published, table);
    if (const std::optional<StatisticsTerms> terms = statistics_terms(published, table.place)) {
      std::string words = page.typed(table.table.name) + ": this is about " +
                          (table.finest().source.weights ? "total weights" : "counts") +
                          " and the numbers that follow from them.";
      for (const std::string& each : statistics_terms_in_words(*terms, table.finest())) words += " " + each;
      page.paragraph(words);
    }
    are_totals_drawn = are_totals_drawn || (table.has_quantiles() && table.draws_totals());
    if (table.table.per_person && table.has_totals() && statistics_terms(published, table.place)) {
      page.paragraph(page.typed(table.table.name) +
                     ": counts of totals also count persons, and were drawn separately. Where a person counts in "
                     "several cells, the counts of the cells add up to more.");
    }
  }
  if (std::ranges::any_of(tables, [](const Table& each) { return each.finest().query.intervals.has_value(); })) {
    explain_open_ends(page);
  }
  page.paragraph(
      "Where there are no intervals for a population, this is only the error added for privacy. It does not include "
      "how well the table's records represent other people.");
  if (are_totals_drawn) {
    page.paragraph(
        "Quantiles of totals were drawn separately, each level with its own part of the budget. They were not computed "
        "from the values of the cells, and need not agree with them.");
  }
  explain_counted(page, tables);
}

// --- What it is -----------------------------------------------------------------------------------------------------------

/// The values whose typical error is said: those of the finest level. Totals have other errors.
std::string value_in_short(const Page& page, const Table& table) {
  const KeyColumns& by = table.finest().source.by;
  const std::string cell = by.empty() ? "" : " by " + page.typed(to_string(by));
  return fmt::format("a value of {}{} is", page.typed(table.table.name), cell);
}

void explain_in_short(Page& page, const PublishedTables& published, const std::vector<Table>& tables,
                      const PageOptions& options) {
  page.section(short_heading);
  std::vector<std::string> items{promise_in_short(promise_of(page, published, tables))};
  for (const Table& table : tables) {
    if (const auto typical = typical_error(table.finest())) {
      items.push_back(typical_in_words(*typical, table.finest().source, counts_at(table.finest().lattice),
                                       value_in_short(page, table)));
    }
    items.push_back(error_in_short(page, table));
  }
  if (options.account) items.push_back(account_in_short(*options.account));
  page.list(items);
}

/// Explains which cells a table has, and which records count in them.
void explain_table(Page& page, const PublishedTables& published, const Table& table) {
  page.section(fmt::format("Table {}: {}", table.place + 1, page.typed(table.table.name)));
  const Release& release = table.finest();
  const std::string values = lattice_in_words(release.lattice);
  if (table.has_quantiles()) {
    page.paragraph(fmt::format(
        "Quantiles of {}. A percentage says approximately what share of {} lies at or below the value{}. The "
        "possible values are {}.",
        column_in_words(release.source, page.typed(table.table.column)), records_in_words(release.source),
        and_where_they_count(release.lattice), values));
  } else {
    page.paragraph(fmt::format("The table is about the column {}. The possible values are {}.",
                               page.typed(table.table.column), values));
  }
  if (const std::optional<StatisticsTerms> terms = statistics_terms(published, table.place)) {
    const bool are_values = counts_of(release.source) == Counts::persons_values;
    page.paragraph(fmt::format("{}: {}. {} is counted if {} a value in this column{}.",
                               table.has_quantiles() ? "Also published" : "Published",
                               statistics_in_words(terms->request, release.lattice.kind(), release.source),
                               are_values ? "A person" : "A record", are_values ? "one of their records has" : "it has",
                               and_what_else_counts(release.source)));
  }
  if (table.table.per_person) {
    const std::uint32_t most = release.query.records_per_person;
    page.paragraph(fmt::format(
        "Each person counts once{}: with {}.{}", release.is_grouped() ? " in a cell" : "",
        one_value_in_words(*table.table.per_person),
        release.is_grouped()
            ? fmt::format(
                  " A person with records in several cells of a level counts in at most {} of them, chosen at random.",
                  most)
            : ""));
  }
  show_cells(page, published, table.place);
  draw_cells(page, published, table.place);
  if (table.table.by.empty()) return;
  const char* const of_totals =
      !table.has_totals() ? ""
      : table.table.per_person
          ? " In a total, a person's value is made from their records in all listed cells of the total, and from no "
            "other records."
          : " A total is of the records of the listed cells that it adds up, and of no other records.";
  page.paragraph(fmt::format("The cells were listed beforehand; an empty cell has values, too.{}", of_totals));
}

Row cost_row(const Page& page, const Table& table, const PublishedLevel& level, bool has_charges) {
  Row row{page.typed(table.table.name), level_in_words(page, table, level), std::to_string(level.release.groups.size()),
          with_decimals(level.release.cost())};
  if (has_charges) row.push_back(level.release.charge ? std::to_string(level.release.charge->entry) : "");
  return row;
}

void explain_costs(Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  page.section("What each table cost");
  const bool has_charges =
      std::ranges::any_of(published.levels, [](const PublishedLevel& each) { return each.release.charge.has_value(); });
  std::vector<Row> rows{{"table", "level", "cells", "cost"}};
  if (has_charges) rows[0].emplace_back("entry of the ledger");
  for (const Table& table : tables) {
    for (const PublishedLevel* level : table.levels) rows.push_back(cost_row(page, table, *level, has_charges));
  }
  page.table({"costs", "The levels and their cost", 2}, rows);
  const std::string sum = with_decimals(published.cost());
  const bool has_values =
      std::ranges::any_of(tables, [](const Table& table) { return table.table.per_person.has_value(); });
  page.paragraph(fmt::format(
      "{} Each record lies in at most one cell of a level, and so a level costs a person the same whatever its number "
      "of cells.{}",
      costs_all(published) ? fmt::format("Together they cost exactly the budget of the publication, {}.", sum)
                           : fmt::format("Together they cost {}, less than the budget of the publication, {}.", sum,
                                         with_decimals(published.publication.budget)),
      !has_values ? ""
                  : " Where each person counts with one value in a cell, the cost covers all the cells in which they "
                    "count."));
  if (has_charges) {
    page.paragraph(
        "Levels that were paid for together have consecutive entries. A level that the ledger already held was taken "
        "over with its numbers and its cost. This cost counts here, but was not paid again.");
  }
}

void explain_marks(Page& page, const PublicationMarks& marks) {
  if (!marks.unreliable && !marks.hidden) return;
  page.section("Marks");
  page.paragraph(
      "Marks are computed from released numbers alone. They cost nothing, and reveal nothing that these numbers do "
      "not.");
  if (marks.hidden) {
    page.paragraph(fmt::format(
        "A cell whose released count is below {} is left out of tables, figures and CSV, with all of its numbers. The "
        "receipt has them: they were drawn with the same noise as all others, and protect people as well. The "
        "intervals' level holds over all cells; among the cells that are shown, intervals hold less often.",
        *marks.hidden));
  }
  if (!marks.unreliable) return;
  page.paragraph(fmt::format(
      "A number is marked with * when its interval is wider than {} of the number, or ends at an end of the possible "
      "values beyond which nothing is known. A share or mean without a value is marked, too, since its interval is all "
      "that it can be. Dates and times have no such marks.",
      share_of(*marks.unreliable)));
}

// --- What it rests on ------------------------------------------------------------------------------------------------------

std::string possible_values(const Page& page, const Table& table, const char* what) {
  return fmt::format("The possible values of {}, {}, {}", page.typed(table.table.name),
                     lattice_in_words(table.finest().lattice), what);
}

/// The declarations of all tables, each once. One that not all tables share begins with its table's name. Each table's first declaration is
/// replaced by its possible values and, once for all tables, by a sentence about what else was chosen.
std::vector<std::string> declarations_of(const Page& page, const std::vector<Table>& tables) {
  std::vector<std::string> items;
  for (const Table& table : tables) {
    add(items, possible_values(page, table, "were chosen without looking at the data."));
  }
  add(items, "Everything else in the request was chosen without looking at the data, too.");
  std::vector<std::vector<std::string>> of_tables;
  of_tables.reserve(tables.size());
  for (const Table& table : tables) {
    of_tables.push_back(
        report_detail::declarations_of(table.finest(), [&](const std::string& words) { return page.typed(words); }));
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t i = 1; i < of_tables[t].size(); ++i) {
      const std::string& item = of_tables[t][i];
      const bool is_of_all = std::ranges::all_of(
          of_tables, [&](const std::vector<std::string>& all) { return std::ranges::find(all, item) != all.end(); });
      add(items, is_of_all ? item : page.typed(tables[t].table.name) + ": " + item);
    }
  }
  return items;
}

/// Explains which records were left out, without saying how many: their number must not be revealed.
void explain_what_was_left_out(Page& page, const std::vector<Table>& tables) {
  std::vector<std::string> missing;
  for (const Table& table : tables) {
    const Release& release = table.finest();
    const SourceDescription& source = release.source;
    const std::string value = left_out_in_words(source, release.lattice.kind());
    std::string words;
    if (source.null_policy == NullPolicy::drop)
      words = fmt::format(" Records that hold {} in the column{} were left out.", value,
                          source.weights ? ", or that have no weight," : "");
    std::vector<std::string> listed;  // the columns of which some keys, or combinations of keys, are left out
    for (std::size_t i = 0; i < table.table.by.size(); ++i) {
      if (!has_others(release, i)) listed.push_back(table.table.by[i]);
    }
    if (!table.table.by.empty() && !has_all_combinations(release)) listed = table.table.by;
    if (!listed.empty()) {
      words += fmt::format(" Records with keys in {} that no listed cell has were left out of all levels.",
                           page.typed(to_string(KeyColumns(listed))));
    }
    if (!words.empty()) page.paragraph(page.typed(table.table.name) + ":" + words);
    explain_others(page, release);
    for (const std::string& text : source.missing) add(missing, "'" + page.typed(text) + "'");
  }
  page.paragraph("The number of records left out is not published.");
  if (!missing.empty()) page.paragraph(fmt::format("Also declared to be missing: {}.", fmt::join(missing, ", ")));
}

void explain_assumptions(Page& page, const std::vector<Table>& tables) {
  explain_declared(page, declarations_of(page, tables));
  if (!tables.front().finest().source.sql.empty()) explain_query(page, tables.front().finest());
  const auto is_any_of = [&](ValueKind kind) {
    return std::ranges::any_of(tables, [&](const Table& each) { return each.finest().lattice.kind() == kind; });
  };
  if (is_any_of(ValueKind::instant)) {
    page.paragraph(is_any_of(ValueKind::timestamp) ? "Times that end with Z are in UTC." : "All times are in UTC.");
  }
  std::vector<std::string> failures;
  for (const Table& table : tables) {
    for (const std::string& each : failures_of(table.finest())) add(failures, each);
  }
  explain_failures(page, failures);
  page.section("What was left out");
  explain_what_was_left_out(page, tables);
}

void explain_unprotected(Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  std::vector<std::string> items =
      mapped(tables, [&](const Table& table) { return possible_values(page, table, "which were chosen beforehand."); });
  items.emplace_back("Which tables were asked for, with which quantiles, of which columns, and at what cost.");
  items.emplace_back("The lists of keys and cells, which are public knowledge.");
  report_detail::explain_unprotected(page, promise_of(page, published, tables), std::move(items));
}

void explain_origin(Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  page.section("How it was done");
  std::vector<std::string> programs;
  std::vector<std::string> mechanisms;
  std::vector<std::string> proofs{"publication"};
  std::vector<std::string> datasets;
  for (const PublishedLevel& level : published.levels) {
    add(programs, level.release.program);
    if (level.release.query.quantiles.empty()) add(mechanisms, noise_on_counts);
    for (const Release::Group& group : level.release.groups) {
      if (!level.release.query.quantiles.empty()) add(mechanisms, to_string(group.used.mechanism));
    }
    for (const std::string& proof : proofs_of(level.release)) add(proofs, proof);
    if (level.release.charge && !level.release.charge->dataset.empty())
      add(datasets, page.typed(level.release.charge->dataset));
  }
  page.paragraph(fmt::format(
      "By {}, with {} {}. Its output has exactly the probabilities that its proofs are about. Every draw was charged "
      "before it was made, in every cell.",
      enumerated(programs), mechanisms.size() == 1 ? "mechanism" : "mechanisms", enumerated(mechanisms)));
  const auto samples_records = [](const Table& each) { return has_persons(each) && !each.table.per_person; };
  if (promised_table(tables).finest().source.whole_records) {
    std::vector<std::string> sampled;
    for (const Table& each : tables) {
      if (samples_records(each)) sampled.push_back(page.typed(each.table.name));
    }
    page.paragraph(fmt::format(
        "A person's records that count{} were chosen once for all tables that were drawn together, at random among all "
        "of their records. A chosen record counts wherever it has a value and a listed key.",
        sampled.size() == tables.size() ? "" : " in " + enumerated(sampled)));
  } else if (std::ranges::any_of(tables, samples_records)) {
    page.paragraph(
        "A person's records that count in a table were chosen once for all of its levels that were drawn together.");
  }
  explain_proofs(page, proofs);
  if (!datasets.empty())
    page.paragraph(fmt::format("A ledger paid for the publication, from the dataset {}.", enumerated(datasets)));
  page.paragraph("The receipt's SHA-256 is " + sha256_of(published.receipt) +
                 "; it was checked. It holds the receipt of each level, which can be checked by itself.");
}

void explain_words(Page& page, const PublishedTables& published, const std::vector<Table>& tables) {
  page.section("What the words mean");
  const Release& promised = promised_table(tables).finest();
  const auto has_values = [](const Table& each) { return each.table.per_person.has_value(); };
  const bool are_alike = std::ranges::all_of(
      tables, [&](const Table& each) { return each.table.per_person == promised.source.per_person; });
  const std::string record =
      promised.source.per_person && are_alike
          ? record_in_words(promised.source, value_of(tables), promised.is_grouped())
      : promised.source.per_person
          ? "a person who counts in a cell, with the one value that the table is of"
          : fmt::format("a row of the data that has a {} in the column that a table is of{}{}", value_of(tables),
                        and_what_else_counts(promised.source),
                        std::ranges::any_of(tables, has_values)
                            ? "; where each person counts with one value, a person with that value"
                            : "");
  std::vector<std::pair<std::string, std::string>> words = words_of(promise_of(page, published, tables), record);
  words.insert(
      words.begin() + 2,
      {{"cell", "the records that one number of a table is about: those with the same listed keys, or all records"},
       {"level", "the cells of a table by the same columns of keys: the finest, or totals"}});
  page.glossary(words);
}

// --- All of it ----------------------------------------------------------------------------------------------------------

std::string title_of(const Page& page, const PublishedTables& published, const std::vector<Table>& tables,
                     const About& about) {
  if (!about.title.empty()) return page.typed(about.title);
  if (!published.publication.title.empty()) return page.typed(published.publication.title);
  return "Tables of " + enumerated(mapped(tables, [&](const Table& table) { return page.typed(table.table.name); }));
}

const std::optional<std::uint64_t>* seed_of(const PublishedTables& published) {
  const auto seeded = std::ranges::find_if(
      published.levels, [](const PublishedLevel& each) { return each.release.unsafe_seed.has_value(); });
  return seeded == published.levels.end() ? nullptr : &seeded->release.unsafe_seed;
}

void explain_checks(Page& page, const PublishedTables& published) {
  const auto any = [&](const auto& is_so) {
    return std::ranges::any_of(published.levels, [&](const PublishedLevel& level) { return is_so(level.release); });
  };
  report_detail::explain_checks(page, " in a cell",
                                any([](const Release& each) { return !each.query.quantiles.empty(); }),
                                any([](const Release& each) { return each.statistics.has_value(); }));
}

void explain_on(Page& page, const PublishedTables& published, const PageOptions& options) {
  const std::vector<Table> tables = tables_of(published);
  page.title(title_of(page, published, tables, options.about));
  explain_about(page, options.about);
  if (const auto* seed = seed_of(published)) {
    warn_of_seed(page, **seed);
  } else {
    explain_in_short(page, published, tables, options);
  }
  for (const Table& table : tables) explain_table(page, published, table);
  explain_marks(page, published.publication.marks);
  explain_people(page, promise_of(page, published, tables));
  explain_strength(page, promise_of(page, published, tables));
  explain_costs(page, published, tables);
  explain_errors(page, published, tables);
  if (options.account) explain_account(page, options, "those of this publication");
  explain_assumptions(page, tables);
  explain_unprotected(page, published, tables);
  explain_origin(page, published, tables);
  if (!published.publication.marks.hidden) explain_checks(page, published);
  explain_words(page, published, tables);
}

/// Ends a page with its receipt, if it is small: a page of 2,000 cells and their deciles must stay below 4 MB.
void end_with_receipt(Page& page, const std::string& receipt) {
  constexpr std::size_t largest = 2'000'000;  // bytes
  if (receipt.size() <= largest) return hold_receipt(page, receipt);
  page.section("Receipt");
  page.paragraph("The receipt is too large for a page, and is left out: keep the file.");
}

/// Without bounds that grow with the number of records in a cell where this number is not known.
PublishedTables with_told_bounds(PublishedTables tables) {
  for (PublishedLevel& level : tables.levels) level.release = report_detail::with_told_bounds(std::move(level.release));
  return tables;
}

PublishedTables for_everybody(PublishedTables tables) {
  for (PublishedLevel& level : tables.levels) level.release = report_detail::for_everybody(std::move(level.release));
  for (PublishedLevel& level : tables.sums) level.release = report_detail::for_everybody(std::move(level.release));
  return tables;
}

}  // namespace

std::string explain(const PublishedTables& tables, Prose prose, const PageOptions& options) {
  const OwnEnvironment own;
  ProsePage page(prose);
  explain_on(page, with_told_bounds(tables), options);
  return page.text();
}

WebPage to_html(const PublishedTables& tables, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  const PublishedTables told = with_told_bounds(tables);
  explain_on(page, options.is_public ? for_everybody(told) : told, options);
  if (!options.is_public) end_with_receipt(page, tables.receipt);
  return std::move(page).finished();
}

}  // namespace fractile
