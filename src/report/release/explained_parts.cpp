// The words say what docs/proofs prove, and no more: claims_test checks every sentence against tables whose records are known.
#include "report/release/explained_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "libraries/fmt.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/release_figure.hpp"
#include "report/text/decimals.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

constexpr double million_million = 1e12;  // above it, numbers are no longer written out
constexpr const char* more_than_that = "more than a million million";

/// The number with enough digits to compare, rounded up.
std::string up(double value) {
  if (value >= million_million) return more_than_that;
  if (value >= 1e6) return with_separators(plain(value * 1.005, 3));
  const double scale = value < 10 ? 100 : 1;
  return with_separators(fmt::format("{}", std::ceil(value * scale * (1 - 1e-12)) / scale));
}

/// "a factor of at most 7.39 (e^2)".
std::string factor_in_words(double epsilon) {
  const std::string power = "e^" + with_separators(plain(epsilon, 4));
  const double factor = std::exp(epsilon);
  return factor < million_million ? fmt::format("a factor of at most {} ({})", up(factor), power)
                                  : fmt::format("a factor of at most {}, {}", power, more_than_that);
}

/// The case with which the promise compares a release, for `whose` records: "that person".
std::string without_records_of(const std::string& whose, Neighbors neighbors) {
  return neighbors == Neighbors::add_remove ? fmt::format("without {}'s records", whose)
                                            : fmt::format("with any other records in place of {}'s", whose);
}

/// A sentence with a decimal not below the budget's number; empty if the number is a decimal.
std::string as_numbers(const Budget& budget) {
  const auto above = [](double value) { return std::ceil(value * 1e4 * (1 + 1e-12)) / 1e4; };
  if (budget.measure() == Measure::zcdp) {
    return budget.rho().is_decimal() ? ""
                                     : fmt::format(" As a number, rho is at most {}.", above(budget.rho().to_double()));
  }
  const Exponent& epsilon = budget.epsilon();
  if (!epsilon.is_log() && epsilon.coefficient().is_decimal()) return {};
  return fmt::format(" As a number, epsilon is at most {}.", above(epsilon.to_double()));
}

std::string measure_in_words(Measure measure) {
  switch (measure) {
    case Measure::pure:
      return "pure differential privacy";
    case Measure::zcdp:
      return "zero-concentrated differential privacy";
    case Measure::approximate:
      return "approximate differential privacy";
  }
  return {};
}

/// How probable the consequences of a release may become because of a person's records.
void explain_probabilities(Page& page, const Promise& promise) {
  const bool presence = promise.neighbors == Neighbors::add_remove;
  page.paragraph(fmt::format(
      "Think of a person, and of anything, good or bad, that may result from the publication of these values. If the "
      "{} had been made {}, it would happen with some probability. The first column has examples of such "
      "probabilities. As it is, the probability is at most that of the second column.",
      promise.what, without_records_of("that person", promise.neighbors)));
  std::vector<Row> rows{
      {presence ? "without the person's records" : "with other records in their place", "as it is, at most"}};
  for (const std::int64_t percent : {1, 10, 50}) {
    const Rational probability(percent, 100);
    rows.push_back({in_a_hundred(probability), becomes_at_most(promise.cost, probability)});
  }
  page.table({"probabilities", fmt::format("What may result from the {} because of a person's records", promise.what)},
             rows);
  page.paragraph("The two columns may change places: the promise holds in both directions.");
}

/// Compares a factor of the odds with the answer to a survey question.
std::string survey_of(double epsilon) {
  const double lies = 100 / (1 + std::exp(epsilon));  // in percent
  std::string truthfully = "truthfully except with a probability below one in a million million";
  if (lies > 1e-10) {
    int places = 0;
    double kept = 0;  // of the lies, rounded down
    for (double unit = 1; kept == 0; unit /= 10, ++places) kept = std::floor(lies / unit * (1 - 1e-9)) * unit;
    truthfully = fmt::format("truthfully with a probability of {:.{}f} % and otherwise with the opposite", 100 - kept,
                             places - 1);
  }
  return "no more than by their answer in a survey in which everyone answers a yes-or-no question, " + truthfully;
}

/// Pure privacy bounds odds, by e^epsilon for neighbors. Two tables in which a person's records say different things are two steps apart
/// under add-remove, and one step under change-one.
void explain_odds(Page& page, const Promise& promise) {
  const double epsilon = promise.cost.epsilon().to_double();
  const bool presence = promise.neighbors == Neighbors::add_remove;
  const double of_values = presence ? 2 * epsilon : epsilon;
  std::string words = "To someone who knows everybody else's records, the values change ";
  if (presence && !promise.has_public_rows) {
    words += fmt::format("the odds that the person's records are in the table by {}, and ", factor_in_words(epsilon));
  }
  page.paragraph(words + fmt::format("the odds of what these records say by {}: {}.", factor_in_words(of_values),
                                     survey_of(of_values)));
}

/// How much of the promise remains for a person with more records than declared (docs/proofs/composition.md, 4).
std::string of_more_records(Measure measure) {
  switch (measure) {
    case Measure::pure:
      return "For somebody with twice as many records, the cost is twice as high; with three times as many, three "
             "times as high; and so on.";
    case Measure::zcdp:
      return "For somebody with twice as many records, the cost is four times as high; with three times as many, nine "
             "times as high; and so on.";
    case Measure::approximate:
      return "For somebody with twice as many records, epsilon is twice as high, and delta is 1 + e^epsilon times as "
             "high.";
  }
  return {};
}

/// Which facts about a person's records are protected.
std::string protected_in_words(const Promise& promise) {
  if (promise.neighbors == Neighbors::change_one) {
    return fmt::format(
        "The promise protects what the person's records say, and whether they hold a {}. It does not protect that the "
        "person is in the table, or how many rows the table has.",
        promise.value);
  }
  if (!promise.has_public_rows) {
    return "The promise protects whether the person's records are in the table at all, and what they say.";
  }
  return fmt::format(
      "The promise protects what the person's records say, and whether they hold a {}. The number of rows was declared "
      "public: to someone who knows all other rows, it shows by itself whether the person is in the table.",
      promise.value);
}

/// Between which files the promise holds, and what it does not cover.
std::string weighted_promise(const WeightsDescription& weights) {
  if (weights.declared.stability) {
    return fmt::format(
        "Records have weights. The promise is about files that differ in one person's records and in the weights that "
        "these records change: at most {} in all. This was declared, and nothing checks it.",
        counted(*weights.declared.stability, "record"));
  }
  return "Records have weights. The promise is about weighted files: one with a person's weighted records and one "
         "without them, in which all other weights are the same. Where weights were calibrated to totals, a person "
         "also affects the weights of others. The promise does not cover that.";
}

/// "the column id", or less on a public page.
std::string identifying_column(const Page& page, const Promise& promise) {
  return promise.source.person == withheld ? "a column of the table"
                                           : "the column " + page.typed(promise.source.person);
}

/// The condition on a person for whom the promise holds.
std::string who_is_meant(const Promise& promise) {
  if (promise.source.sql_stability) return " whose records change no more rows of the query's result than is declared";
  return promise.source.person.empty()
             ? " who has no more than " + counted(promise.records_per_person, "record") + " in the table"
             : "";
}

/// What rho, epsilon and delta mean.
std::vector<std::pair<std::string, std::string>> words_of_budget(const Promise& promise) {
  const Measure measure = promise.cost.measure();
  if (measure == Measure::zcdp) return {{"rho", "how much the probabilities may change; smaller is more private"}};
  const bool presence = promise.neighbors == Neighbors::add_remove;
  const std::string change =
      !presence ? "how much the odds of what a person's records say may change: by a factor of e^epsilon"
      : promise.has_public_rows
          ? "how much the odds of what a person's records say may change: by a factor of e^(2 epsilon)"
          : "how much the odds may change: of whether a person's records are in the table by a factor of e^epsilon, of "
            "what they say by e^(2 epsilon)";
  if (measure == Measure::pure) return {{"epsilon", change + "; smaller is more private"}};
  return {{"epsilon", change + ", except for what delta allows; smaller is more private"},
          {"delta", "by how much a probability may exceed what epsilon allows; smaller is more private"}};
}

std::string neighbors_of(const WeightsDescription& weights) {
  return weights.declared.stability
             ? "two tables that differ in one person's records and in the weights that these change"
             : "two weighted files, one of which has one record more, and in which all other weights are the same";
}

}  // namespace

std::string record_in_words(const SourceDescription& source, const std::string& value, bool is_grouped) {
  if (source.per_person) {
    return fmt::format("a person{} who has {} in this column, with one value: {}", is_grouped ? " in a group" : "",
                       counts_anything(source) ? "something" : "a " + value, one_value_in_words(*source.per_person));
  }
  if (source.one_row_a_person)
    return fmt::format("a person's row of the query's result that has a {} in this column", value);
  return fmt::format("a row of the table that has a {} in this column{}", value, and_what_else_counts(source));
}

Promise promise_of(const Release& release) {
  return {release.cost(),
          release.query.neighbors,
          records_per_person(release),
          release.source,
          release.public_rows.has_value(),
          value_in_words(release.lattice.kind()),
          "release",
          release.is_grouped() ? "in all groups together" : ""};
}

std::string promise_in_short(const Promise& promise) {
  const Rational ten(10, 100);
  return fmt::format(
      "If something would happen with a probability of {} {}, it happens with a probability of at most {} as it is. "
      "This holds for everybody{}.",
      in_a_hundred(ten),
      promise.neighbors == Neighbors::add_remove ? "without your records" : "with other records in place of yours",
      becomes_at_most(promise.cost, ten), who_is_meant(promise));
}

void explain_people(Page& page, const Promise& promise) {
  page.section("For whom the promise holds");
  const std::string records = counted(promise.records_per_person, "record");
  const std::string& together = promise.together;
  if (promise.source.sql_stability) {
    page.paragraph("For every person whose records change no more rows of the query's result than is declared below.");
  } else if (promise.source.person.empty()) {
    page.paragraph(fmt::format("For every person who has at most {} in the table{}. {}", records,
                               together.empty() ? "" : ", " + together, of_more_records(promise.cost.measure())));
  } else if (!promise.of_tables.empty()) {
    page.paragraph(fmt::format("For every person, as identified by {}, however many records they have. {}",
                               identifying_column(page, promise), promise.of_tables));
  } else if (promise.source.one_row_a_person) {
    page.paragraph(fmt::format(
        "For every person, as identified by {}, however many records they have: the query makes one row of them.",
        identifying_column(page, promise)));
  } else if (promise.source.per_person) {
    page.paragraph(fmt::format(
        "For every person, as identified by {}, however many records they have: each counts with one value{}.",
        identifying_column(page, promise),
        together.empty() ? ""
                         : fmt::format(" in a {0}, in {1} of their {0}s at most, chosen at random", promise.group,
                                       promise.records_per_person)));
  } else {
    page.paragraph(fmt::format(
        "For every person, as identified by {}, however many records they have: at most {} of theirs, chosen at "
        "random, counted{}.",
        identifying_column(page, promise), records, together.empty() ? "" : " " + together));
  }
  if (promise.source.weights) page.paragraph(weighted_promise(*promise.source.weights));
  page.paragraph(protected_in_words(promise));
}

void explain_strength(Page& page, const Promise& promise) {
  page.section("How strong the promise is");
  page.paragraph(fmt::format("The {} costs {} ({}).{}", promise.what, promise.cost.to_string(),
                             measure_in_words(promise.cost.measure()), as_numbers(promise.cost)));
  explain_probabilities(page, promise);
  if (promise.cost.measure() == Measure::pure) explain_odds(page, promise);
  if (promise.cost.measure() == Measure::zcdp) {
    page.paragraph(
        fmt::format("rho is not comparable with epsilon. For comparison with other releases: it implies epsilon = {} "
                    "with delta = one in a million.",
                    up(epsilon_of_zcdp(promise.cost.rho(), Rational(1, 1'000'000)).to_double())));
  }
  page.paragraph("Other releases about the same people add to this cost: epsilons add up, and so do deltas and rhos.");
}

void explain_unprotected(Page& page, const Promise& promise, std::vector<std::string> particular) {
  page.section("What is not protected");
  std::vector<std::string> items = std::move(particular);
  if (promise.neighbors == Neighbors::change_one) items.emplace_back("Who is in the table, and how many rows it has.");
  items.push_back(fmt::format(
      "That there was a {0} at all, and that it succeeded, which shows that nothing in the table made it fail.",
      promise.what));
  items.emplace_back(
      "What is true of people in general. A release may teach about somebody what it teaches about everybody like "
      "them, whether they are in the table or not.");
  page.list(items);
}

void explain_checks(Page& page, const std::string& where, bool has_quantiles, bool has_statistics) {
  page.section("For output checkers");
  const std::string noise = "random noise was added to the counts, and to the sums, from which they follow";
  const std::string drawn = "drawn at random among the possible values";
  const std::string how = !has_statistics  ? "they were " + drawn
                          : !has_quantiles ? noise
                                           : fmt::format("quantiles were {}, and for all others {}", drawn, noise);
  page.paragraph(fmt::format(
      "No minimum count was applied, and none is needed. Such a rule keeps somebody from being recognized in an exact "
      "figure about few people. These values are not exact: {}, so that one person's records change the probability of "
      "what is published by no more than is said above, however few records there are{}.",
      how, where));
  if (!has_quantiles) return;
  page.paragraph(
      fmt::format("No {} is the copy of a record: each was drawn among the possible values, and could have been drawn "
                  "had no record had it.",
                  has_statistics ? "quantile" : "value"));
}

std::vector<std::pair<std::string, std::string>> words_of(const Promise& promise, const std::string& record) {
  std::vector<std::pair<std::string, std::string>> words{
      {"quantile", "the value at or below which a given share of the records lies; the one of 50 % is the median"},
      {"record", record},
      {"differential privacy",
       "a promise: whatever is published would have come about with almost the same probability " +
           without_records_of("a person", promise.neighbors)}};
  for (auto& word : words_of_budget(promise)) words.push_back(std::move(word));
  words.insert(
      words.end(),
      {{"neighbors", promise.source.weights                       ? neighbors_of(*promise.source.weights)
                     : promise.neighbors == Neighbors::add_remove ? "two tables, one of which has one record more"
                                                                  : "two tables that differ in what one record says"},
       {"rank error", fmt::format("by how many {} a value misses its quantile", counted_noun(promise.source))},
       {"budget", "what all releases about the same people together may cost"},
       {"receipt",
        "the file that holds a release and all that it was made with; its SHA-256 changes when it is changed"}});
  return words;
}

// --- What else both say ------------------------------------------------------------------------------------------------

void explain_about(Page& page, const About& about) {
  std::vector<std::string> items;
  for (const auto& [what, text] : {std::pair{"Published by", &about.curator}, std::pair{"What for", &about.use},
                                   std::pair{"About", &about.region}, std::pair{"Date", &about.date},
                                   std::pair{"Contact", &about.contact}, std::pair{"What it is", &about.description}}) {
    if (!text->empty()) items.push_back(fmt::format("{}: {}", what, page.typed(*text)));
  }
  if (!items.empty()) page.list(items);
}

void warn_of_seed(Page& page, std::uint64_t seed) {
  page.section("NOT PRIVATE");
  page.paragraph(
      fmt::format("The random bits came from the seed {}. Anyone who knows it can undo the noise: none of the promises "
                  "below holds. Do not publish these values.",
                  seed));
}

void explain_rounded(Page& page, std::uint64_t records) {
  page.paragraph(fmt::format(
      "With that probability, up to {} of these records are finer than the granularity that was found privately, and "
      "rounded to it; where the step is the data's own, there are none.",
      with_separators(std::to_string(records))));
}

std::vector<std::string> counted_texts(const Release& release, const std::string& groups) {
  std::vector<std::string> texts;
  const bool are_values = counts_of(release.source) == Counts::persons_values;
  const char* const one = are_values ? "A person's value" : "A record";
  const char* const moves = are_values ? "it" : "its value";
  const char* const numbers = release.query.quantiles.empty() ? "numbers" : "quantiles";
  if (counts_at(release.lattice) == CountsAt::nearest) {
    texts.push_back(
        fmt::format("{} counts at the possible value nearest to its own. That moves {} by at most half a step, or, "
                    "beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.",
                    one, moves));
  }
  if (counts_at(release.lattice) == CountsAt::not_after) {
    texts.push_back(fmt::format(
        "{} counts at the last possible value that is not after its own. That moves {} back by less than a step, or, "
        "beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.",
        one, moves));
  }
  if (release.source.weights) {
    const std::string words = weights_in_words(*release.source.weights);
    texts.push_back(
        fmt::format("The {}. The effect of clamping and rounding weights is not in the numbers above. Compared with "
                    "records of one unit each: {}.",
                    words, weighted_noise_in_words(*release.source.weights)));
  }
  if (release.source.per_person && release.is_grouped()) {
    texts.push_back(fmt::format(
        "A person counts in at most {0} of their {1}, chosen at random. The {2} over all their {1} may differ: "
        "there, a person in more {1} would weigh more.",
        release.query.records_per_person, groups, numbers));
  } else if (counts_of(release.source) == Counts::sampled_records) {
    texts.push_back(fmt::format(
        "At most {} of each person count{}, chosen at random. The {} of all records may differ: there, a person with "
        "more records would weigh more.",
        counted(records_per_person(release), "record"), records_per_person(release) == 1 ? "s" : "", numbers));
  }
  return texts;
}

void explain_counted(Page& page, const Release& release) {
  for (const std::string& text : counted_texts(release, "groups")) page.paragraph(text);
}

bool has_others(const Release& release, std::size_t column) {
  const std::vector<std::string>& others = release.source.others;
  if (others.empty() || others[column].empty()) return false;
  return std::ranges::any_of(release.groups,
                             [&](const Release::Group& group) { return group.key[column] == others[column]; });
}

bool has_all_combinations(const Release& release) {
  std::size_t combinations = 1;
  for (std::size_t column = 0; column < release.groups.front().key.size(); ++column) {
    std::set<std::string> keys;
    for (const Release::Group& group : release.groups) keys.insert(group.key[column]);
    combinations *= keys.size();
    if (combinations > release.groups.size()) return false;
  }
  return combinations == release.groups.size();
}

void explain_others(Page& page, const Release& release) {
  const SourceDescription& source = release.source;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < source.others.size(); ++i) {
    if (has_others(release, i))
      columns.push_back(fmt::format("in {} as {}", page.typed(source.by[i]), page.typed(source.others[i])));
  }
  if (columns.empty()) return;
  page.paragraph(fmt::format("A record whose key is not listed, or which has none, counts {}{}.",
                             fmt::join(columns, ", and "),
                             has_all_combinations(release) ? "" : ", if the cell of its keys is listed"));
}

void explain_query(Page& page, const Release& release) {
  const std::string which =
      release.source.sql == withheld ? "Its publisher keeps its text." : "It is: " + page.typed(release.source.sql);
  if (release.source.one_row_a_person) {
    page.paragraph(
        "The query was checked: it makes one row of each person's records, from these records alone, and works row by "
        "row before and after that. A value that cannot be computed is missing. " +
        which);
  } else if (release.source.sql_stability) {
    page.paragraph(
        "The query was not checked: a row of its result may come from several records, and a record may change several "
        "rows. How many rows one person's records change was declared. " +
        which);
  } else {
    page.paragraph(
        "The query was checked: it works row by row, so that each row of its result comes from one record. A value "
        "that cannot be computed from a record is missing in its row. " +
        which);
  }
  std::vector<std::string> tables;
  for (const NamedTable& table : release.source.tables) {
    tables.push_back(fmt::format("{} ({})", page.typed(table.name), page.typed(table.file)));
  }
  if (!tables.empty()) page.paragraph(fmt::format("It could also read: {}.", fmt::join(tables, ", ")));
}

void explain_failures(Page& page, const std::vector<std::string>& failures) {
  page.paragraph(
      fmt::format("A table with one of these makes a release fail, and the failure shows that there is one: {}.",
                  fmt::join(failures, "; ")));
  page.paragraph("It was assumed that nobody could watch the program at work: how long it takes depends on the data.");
}

void explain_declared(Page& page, const std::vector<std::string>& declarations) {
  page.section("What was assumed");
  page.paragraph(
      "The following was declared, and nothing checks it. Where it is false, the promise is weaker, or the numbers do "
      "not mean what is said here.");
  page.list(declarations);
}

void explain_open_ends(Page& page) {
  page.paragraph(
      R"("Or below" and "or above" stand at the ends of the possible values, beyond which nothing is known.)");
}

std::string account_in_short(const LedgerAccount& account) {
  return fmt::format("Of {} for these people, {} is left.", account.dataset.budget.to_string(),
                     account.balance.remaining.to_string());
}

void explain_account(Page& page, const PageOptions& options, const std::string& which) {
  page.section(account_heading);
  const auto& [dataset, balance] = *options.account;
  page.paragraph(fmt::format(
      "The ledger{} allows {} for each {} in all. All releases together, including {}, have spent {}; what is reserved "
      "counts as spent. What is left is {}.",
      options.is_public ? "" : " of the dataset " + page.typed(dataset.name), dataset.budget.to_string(),
      page.typed(dataset.unit), which, balance.spent.to_string(), balance.remaining.to_string()));
}

std::vector<std::string> proofs_of(const Release& release) {
  static const std::map<Mechanism, std::vector<std::string>> of_mechanisms{
      {Mechanism::exponential, {"single_quantile", "joint_total"}},  // the second is about weights of values
      {Mechanism::approximate, {"approximate_quantiles", "joint_total"}},
      {Mechanism::independent, {"independent"}},
      {Mechanism::tree, {"count_tree"}},
  };
  static const std::map<std::string, std::string> of_parts{{"bounds", "private_bounds"},
                                                           {"rows", "counted_rows"},
                                                           {"granularity", "granularity"},
                                                           {"heaps", "heaping"},
                                                           {"count", "counts"}};
  std::vector<std::string> pages;
  const auto add = [&](const std::string& page) {
    if (std::ranges::find(pages, page) == pages.end()) pages.push_back(page);
  };
  for (const Release::Group& group : release.groups) {
    const auto known = of_mechanisms.find(group.used.mechanism);
    for (const std::string& page : release.query.quantiles.empty() ? std::vector<std::string>()
                                   : known == of_mechanisms.end()  ? std::vector<std::string>{"joint_total"}
                                                                   : known->second)
      add(page);
    for (const PartCost& part : group.spent) {
      if (const auto of_part = of_parts.find(part.part); of_part != of_parts.end()) add(of_part->second);
    }
  }
  if (release.query.intervals) add("intervals");
  const bool has_bounds = !release.query.quantiles.empty() && release.errors->unbounded_reason.empty();
  if (!release.query.intervals && has_bounds) add("rank_error");
  if (release.is_grouped()) add("groups");
  if (!release.source.person.empty()) add("contribution_bounding");
  if (release.source.per_person || release.source.one_row_a_person) add("one_value_per_person");
  if (release.source.weights) add("weights");
  if (!release.source.sql.empty() && !release.source.sql_stability) add("row_wise_queries");
  return pages;
}

std::optional<NoiseInWords> doubtful_bounds_in_words(const Release& release) {
  const std::optional<std::uint64_t>& told = release.query.expected_rows;
  if (!release.bounds || !told) return {};
  const std::optional<std::uint64_t> enough = records_that_bounds_hold(release, receipt_confidence);
  if (!enough || *told >= *enough) return {};
  return NoiseInWords{
      fmt::format("{} {} may be too few to find bounds, which may be far from the values", *told,
                  counted_noun(release.source)),
      fmt::format("{} would be enough: write bounds that are known without the data, or ask for less extreme quantiles "
                  "or with a larger epsilon",
                  *enough)};
}

void explain_proofs(Page& page, const std::vector<std::string>& pages) {
  page.paragraph(fmt::format(
      "The proofs are the pages {}.md in docs/proofs of the program. The model is the central one: the program's user "
      "holds the table, and is trusted with it.",
      fmt::join(pages, ".md, ")));
}

Release for_everybody(Release release) {
  release.source.file.clear();
  release.source.files.clear();
  release.source.tables.clear();
  if (release.charge) release.charge->dataset.clear();
  if (!release.source.sql.empty()) release.source.sql = withheld;
  if (!release.source.person.empty()) release.source.person = withheld;
  if (release.source.weights) release.source.weights->declared.column = withheld;
  return release;
}

// The program itself writes no receipt with invisible characters.
void hold_receipt(Page& page, const std::string& receipt) {
  page.section("Receipt");
  if (shown_lines(receipt) != receipt) {
    page.paragraph("The receipt holds characters that cannot be seen, and is left out: keep the file.");
    return;
  }
  page.paragraph("Saved as it stands, this page is a receipt, too: fractile explain reads it and checks its SHA-256.");
  page.verbatim(receipt_id, receipt, "The receipt, SHA-256 " + sha256_of(receipt));
}

}  // namespace fractile::report_detail
