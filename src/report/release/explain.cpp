// A receipt in plain language. What is said here is what docs/proofs claim, and no more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "fractile/accounting.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release_leakage.hpp"
#include "fractile/text.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/guess_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/release_figure.hpp"
#include "report/text/page.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::CountsAt;
using report_detail::in_a_hundred;
using report_detail::lower_text;
using report_detail::OpenEnds;
using report_detail::Page;
using report_detail::share_of;
using report_detail::upper_text;
using report_detail::value_in_words;

// --- Words -------------------------------------------------------------------------------------------------------------

/// Enough digits to compare; never below the number.
std::string up(double value) {
  if (value >= 1e6) return fmt::format("{:.2e}", value * 1.005);
  const double scale = value < 10 ? 100 : 1;
  return fmt::format("{}", std::ceil(value * scale * (1 - 1e-12)) / scale);
}

std::string percent_of(const std::string& share) {
  return fmt::format("{:.4g} %", (Rational::parse(share) * Rational(100)).to_double());
}

std::string table_name(const Page& page, const Receipt& receipt) {
  if (!receipt.source.sql.empty()) return "the result of a query";
  if (receipt.source.file.empty()) return "a table";  // of a public page
  return receipt.source.file == "-" ? "standard input" : page.typed(receipt.source.file);
}

/// At which value a record counts.
CountsAt counts_at(const Receipt& receipt) { return report_detail::counts_at(receipt.regular_lattice, receipt.kind); }

bool has_persons(const Receipt& receipt) { return !receipt.source.person.empty(); }

std::string held_quantile(const Receipt& receipt) {
  return report_detail::held_quantile(receipt.interval_of == "table", has_persons(receipt), counts_at(receipt));
}

/// What the promise compares with.
std::string without_the_person(const Receipt& receipt) {
  return receipt.neighbors == "add-remove" ? "without that person's records"
                                           : "with any other records in place of that person's";
}

/// What of a budget is no decimal number, as one that is not below it.
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

/// What may come of the release because a person took part.
void explain_probabilities(Page& page, const Receipt& receipt) {
  const bool presence = receipt.neighbors == "add-remove";
  page.paragraph(fmt::format(
      "Think of anything, good or bad, that may come of these values being published. Had the release been made {}, it "
      "would come about with some probability. The first column has examples. As it is, the probability is at most "
      "that of the second column.",
      without_the_person(receipt)));
  std::vector<report_detail::Row> rows{
      {presence ? "without the person's records" : "with other records in their place", "as it is, at most"}};
  for (const std::int64_t percent : {1, 10, 50}) {
    const Rational probability(percent, 100);
    rows.push_back({in_a_hundred(probability), in_a_hundred(largest_probability(receipt.budget, probability))});
  }
  page.table({"probabilities", "What may come of the release because a person took part"}, rows);
  page.paragraph("The two columns may change places: the promise holds in both directions.");
}

/// The odds that the answer to a survey question changes as much.
std::string survey_of(double epsilon) {
  const double factor = std::exp(epsilon);
  return fmt::format(
      "no more than by their answer in a survey in which everyone answers a yes-or-no question, truthfully with a "
      "probability of {} % and otherwise with the opposite",
      up(factor > 1e9 ? 100 : 100 * factor / (1 + factor)));
}

/// Pure privacy is a bound on odds: e^epsilon for neighbours; records that say one thing and records that say another are two
/// steps of add-remove apart, and one of change-one.
void explain_odds(Page& page, const Receipt& receipt) {
  const double epsilon = receipt.budget.epsilon().to_double();
  const bool presence = receipt.neighbors == "add-remove";
  const double of_values = presence ? 2 * epsilon : epsilon;
  std::string words = "To someone who knows everybody else's records, the values change ";
  if (presence && receipt.public_records.empty()) {
    words +=
        fmt::format("the odds that the person's records are in the table by a factor of at most {} (e^{:.4g}), and ",
                    up(std::exp(epsilon)), epsilon);
  }
  page.paragraph(words + fmt::format("the odds of what these records say by a factor of at most {} (e^{:.4g}): {}.",
                                     up(std::exp(of_values)), of_values, survey_of(of_values)));
}

void explain_strength(Page& page, const Receipt& receipt) {
  page.section("How strong the promise is");
  page.paragraph(fmt::format("The release costs {} ({}).{}", receipt.budget.to_string(),
                             measure_in_words(receipt.budget.measure()), as_numbers(receipt.budget)));
  explain_probabilities(page, receipt);
  if (receipt.budget.measure() == Measure::pure) explain_odds(page, receipt);
  if (receipt.budget.measure() == Measure::zcdp) {
    page.paragraph(
        fmt::format("A rho is no epsilon. For comparison with other releases: it implies epsilon = {} with delta = one "
                    "in a million.",
                    up(epsilon_of_zcdp(receipt.budget.rho(), Rational(1, 1'000'000)).to_double())));
  }
  page.paragraph("Other releases about the same people add to this cost: epsilons add up, and so do deltas and rhos.");
}

// --- A guess about a person --------------------------------------------------------------------------------------------

[[noreturn]] void refuse_guess(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "guess");
}

Rational tick_of(const Receipt& receipt, const std::string& text) {
  if (receipt.kind == ValueKind::number) {
    try {
      return Rational::parse(text);
    } catch (const Error&) {
      refuse_guess("'" + text + "' is no limit among these values", "write a number");
    }
  }
  const std::optional<Moment> moment = read_moment(text);
  if (!moment || moment->kind != receipt.kind) {
    refuse_guess("'" + text + "' is no limit among these values", "write one as they are written");
  }
  return moment->ticks;
}

/// The share of the records above the limit as the published quantiles have it, linearly between two.
Rational share_above(const Receipt& receipt, const std::string& limit) {
  const std::vector<Receipt::Published>& published = receipt.groups.front().quantiles;
  const Rational at = tick_of(receipt, limit);
  for (std::size_t i = 0; i < published.size(); ++i) {
    const Rational value = tick_of(receipt, published[i].value);
    const Rational share = Rational::parse(published[i].quantile);
    const bool is_last = i + 1 == published.size();
    if (is_last ? at == value : value <= at && at < tick_of(receipt, published[i + 1].value)) {
      if (is_last) return Rational(1) - share;
      const Rational next = tick_of(receipt, published[i + 1].value);
      const Rational next_share = Rational::parse(published[i + 1].quantile);
      return Rational(1) - (share + (next_share - share) * (at - value) / (next - value));
    }
  }
  refuse_guess("the limit lies beyond the published values, which do not say how many records do",
               "take one between them");
}

constexpr const char* any_number_of_rows = "4294967295";  // nobody told how many

/// From public, declared and published numbers alone (docs/proofs/leakage.md, "Releases of quantiles").
void explain_guess(Page& page, const Receipt& receipt, const std::string& limit) {
  if (!receipt.source.by.empty()) refuse_guess("a guess is explained of a release without groups", "leave it out");
  if (receipt.records_per_person != "1") {
    refuse_guess("a guess is explained where a person has one record at most", "leave it out");
  }
  const Rational share = share_above(receipt, limit);
  const std::vector<Rational> priors{share, Rational(1) - share};
  const Neighbors neighbors = receipt.neighbors == "add-remove" ? Neighbors::add_remove : Neighbors::change_one;
  const Rational allowed = allowed_guesses(receipt.budget, neighbors, PersonGuess::About::above, priors);
  const bool are_rows_told = receipt.rows != any_number_of_rows;
  const std::string whether = fmt::format("whether a person's {} is above {}", value_in_words(receipt.kind), limit);
  page.section("What an attacker gains");
  std::string words = fmt::format(
      "In a table{} of which, as these values have it, {} lie above {}, an attacker who knows that and no person's "
      "value guesses {} rightly in {} of cases without this release",
      are_rows_told ? fmt::format(" of {} records", receipt.rows) : "", report_detail::percent_up(share), limit,
      whether, report_detail::percent_up(std::max(priors[0], priors[1])));
  if (are_rows_told) {
    const auto rows = Rational::parse(receipt.rows).to_uint64();
    words += fmt::format(", and in at most {} with it, if people's values do not depend on each other",
                         report_detail::percent_up(std::min(allowed, guesses_by_share(share, rows))));
  }
  page.paragraph(words + fmt::format(". Whatever they know of all others, the promise allows at most {}.",
                                     report_detail::percent_up(allowed)));
}

std::string records_of(const Receipt& receipt) {
  return receipt.records_per_person == "1" ? "1 record" : receipt.records_per_person + " records";
}

/// What is left of the promise to somebody with more records than declared (docs/proofs/composition.md, 4).
std::string of_more_records(Measure measure) {
  switch (measure) {
    case Measure::pure:
      return "For somebody with twice as many, the cost is twice as high; with three times as many, three times; and "
             "so on.";
    case Measure::zcdp:
      return "For somebody with twice as many, the cost is four times as high; with three times as many, nine times; "
             "and "
             "so on.";
    case Measure::approximate:
      return "For somebody with twice as many, epsilon is twice as high, and delta 1 + e^epsilon times.";
  }
  return {};
}

/// What a part of the budget found of the values; empty when it found nothing or did not look.
std::string round_numbers_in_words(const Receipt::Group& group) {
  std::vector<std::string> found;
  if (!group.granularity.empty()) found.push_back("most values are multiples of " + group.granularity);
  if (!group.heaping.empty()) found.push_back("many are multiples of " + group.heaping);
  if (found.empty()) return {};
  return fmt::format("A part of the budget suggested that {}; the values above were drawn accordingly.",
                     fmt::join(found, ", and "));
}

/// A heading, and a row a value; on pages with figures also of which shares it may be the quantile, when that is drawn.
std::vector<report_detail::Row> published_rows(const Page& page, const Receipt& receipt) {
  const bool grouped = !receipt.source.by.empty();
  const bool with_intervals = !receipt.interval_level.empty();
  const bool with_shares = page.has_figures() && report_detail::has_share_bars(receipt);
  std::vector<report_detail::Row> rows{{"share", page.typed(receipt.source.column)}};
  if (with_intervals) {
    rows[0].insert(rows[0].end(), {"from", "to"});
  } else {
    rows[0].emplace_back("off by at most");
  }
  if (with_shares) rows[0].insert(rows[0].end(), {"a quantile of, from", "to"});
  if (grouped) rows[0].insert(rows[0].begin(), page.typed(receipt.source.by));
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      rows.push_back({share_of(Rational::parse(each.quantile)), each.value});
      report_detail::Row& row = rows.back();
      if (with_intervals) {
        row.push_back(lower_text(each.interval, OpenEnds::in_words));
        row.push_back(upper_text(each.interval, OpenEnds::in_words));
      } else {
        row.push_back(each.rank_error ? *each.rank_error + " records" : "not known");
      }
      if (with_shares) {
        const report_detail::Shares shares = report_detail::shares_of(receipt, each);
        row.insert(row.end(), {share_of(shares.from), share_of(shares.to)});
      }
      if (grouped) row.insert(row.begin(), page.typed(group.key));
    }
  }
  return rows;
}

void explain_values(Page& page, const Receipt& receipt) {
  page.section("What was published");
  const bool grouped = !receipt.source.by.empty();
  page.paragraph(fmt::format("Quantiles of the column {} of {}. About so many of {} lie at or below the value{}:",
                             page.typed(receipt.source.column), table_name(page, receipt),
                             report_detail::records_in_words(has_persons(receipt)),
                             report_detail::and_where_they_count(counts_at(receipt))));
  if (page.has_figures()) report_detail::draw_release(page, receipt);
  constexpr std::size_t most_columns = 10;  // of values, on a page
  const bool is_wide = page.has_figures() && grouped && receipt.groups.front().quantiles.size() <= most_columns;
  std::vector<report_detail::Row> rows = is_wide ? report_detail::wide_rows(receipt) : published_rows(page, receipt);
  const std::size_t names = grouped && !is_wide ? 2 : 1;
  page.table(
      {"release", "The published values" + std::string(is_wide ? ", " + report_detail::about_wide_rows(receipt) : ""),
       names},
      rows);
  if (grouped) page.paragraph("The groups were listed beforehand; an empty one has values, too.");
  const std::string found = round_numbers_in_words(receipt.groups.front());
  if (!grouped && !found.empty()) page.paragraph(found);
}

void explain_comparisons(Page& page, const Receipt& receipt, const std::vector<NamedComparison>& comparisons) {
  page.section("What was compared");
  std::vector<report_detail::Row> rows = report_detail::comparison_rows(receipt, comparisons);
  const auto compared = static_cast<std::ptrdiff_t>(report_detail::compared_cells(receipt));
  for (report_detail::Row& row : rows) {
    std::ranges::transform(row.begin(), row.end() - compared, row.begin(),
                           [&](const std::string& name) { return page.typed(name); });
  }
  const bool with_ratios = receipt.kind == ValueKind::number;
  page.table({"comparisons", with_ratios ? "Differences and ratios" : "Differences",
              rows.front().size() - report_detail::compared_cells(receipt)},
             rows);
  page.paragraph(report_detail::comparisons_in_words(receipt, comparisons) + " " +
                 report_detail::about_comparisons(receipt));
}

/// What of a person's records is protected.
std::string protected_in_words(const Receipt& receipt) {
  if (receipt.neighbors != "add-remove") {
    return fmt::format(
        "What is protected is what the person's records say, and whether they hold a {}. That the person is in the "
        "table, and how many rows it has, is not protected.",
        value_in_words(receipt.kind));
  }
  if (receipt.public_records.empty()) {
    return "What is protected is whether the person's records are in the table at all, and what they say.";
  }
  return fmt::format(
      "What is protected is what the person's records say, and whether they hold a {}. The number of rows was declared "
      "public: to someone who knows all other rows, it shows by itself whether the person is in the table.",
      value_in_words(receipt.kind));
}

void explain_people(Page& page, const Receipt& receipt) {
  page.section("For whom the promise holds");
  const std::string records = records_of(receipt);
  if (!receipt.source.sql_stability.empty()) {
    page.paragraph("For every person whose records change no more rows of the query's result than is declared below.");
  } else if (receipt.source.person.empty()) {
    page.paragraph(fmt::format("For every person who has at most {} in the table{}. {}", records,
                               receipt.source.by.empty() ? "" : ", in all groups together",
                               of_more_records(receipt.budget.measure())));
  } else {
    page.paragraph(fmt::format(
        "For every person, as {} tells persons apart, however many records they have: at most {} "
        "of theirs, chosen at random, counted{}.",
        receipt.source.person == report_detail::withheld ? "a column of the table"
                                                         : "the column " + page.typed(receipt.source.person),
        records, receipt.source.by.empty() ? "" : " in all groups together"));
  }
  page.paragraph(protected_in_words(receipt));
}

/// What errors and intervals are not about: values between the possible ones, and records that do not count.
void explain_counted(Page& page, const Receipt& receipt) {
  if (counts_at(receipt) == CountsAt::nearest) {
    page.paragraph(
        "A record counts at the possible value nearest to its own. That moves its value by at most half a step, or, "
        "beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.");
  }
  if (counts_at(receipt) == CountsAt::not_after) {
    page.paragraph(
        "A record counts at the last possible value that is not after its own. That moves its value back by less than "
        "a step, or, beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.");
  }
  if (has_persons(receipt)) {
    page.paragraph(fmt::format(
        "At most {} of each person count{}, chosen at random. In the quantiles of all records, which may be others, a "
        "person with more records would weigh more.",
        records_of(receipt), receipt.records_per_person == "1" ? "s" : ""));
  }
}

/// Which question, which level, of which intervals, and on which assumption.
void explain_intervals(Page& page, const Receipt& receipt) {
  const bool of_table = receipt.interval_of == "table";
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}. The table above has an interval "
      "beside each for {}. {}",
      report_detail::records_in_words(has_persons(receipt)), held_quantile(receipt),
      of_table ? "It says nothing about anybody who is not in the table." : "It covers both errors."));
  page.paragraph(fmt::format(
      "With a probability of at least {}, {}. This holds whatever the {}.",
      share_of(Rational::parse(receipt.interval_level)),
      receipt.intervals_together
          ? fmt::format("all intervals{} hold their quantiles at once", receipt.source.by.empty() ? "" : " of a group")
          : "an interval holds its quantile: each by itself, not all of them at once",
      of_table ? "data are" : "distribution is"));
  if (!of_table) {
    page.paragraph(
        "Nothing checks that the records are a simple random sample, as is assumed below: of a census, of volunteers "
        "or "
        "of a sample with weights the intervals do not say what they seem to.");
  }
  explain_counted(page, receipt);
  page.paragraph(
      R"("Or below" and "or above" stand at the ends of the possible values, beyond which nothing is known.)");
}

/// Up to how many records a bound is told for.
std::string up_to_records(const Receipt& receipt) {
  return fmt::format("as long as at most {} records count{}", receipt.rows,
                     receipt.source.by.empty() ? "" : " in a group");
}

void warn_of_noise(Page& page, const Receipt& receipt) {
  const std::optional<NoiseInWords> noise = receipt.noise();
  if (!noise) return;
  page.paragraph(fmt::format("Warning: {}: {}.", page.typed(noise->what), page.typed(noise->hint)));
}

void explain_errors(Page& page, const Receipt& receipt) {
  page.section("How wrong the numbers may be");
  if (!receipt.interval_level.empty()) return explain_intervals(page, receipt);
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}{}. A value is a quantile when no "
      "more than the wanted share of these records lies below it, and no less lies at or below it. It is off by "
      "r records when one of these two numbers of records misses the share by r.",
      report_detail::records_in_words(has_persons(receipt)), report_detail::and_where_they_count(counts_at(receipt))));
  warn_of_noise(page, receipt);
  if (!receipt.without.empty()) {
    page.paragraph(fmt::format("No bound is known for all values: {}. fractile plan shows usual errors.",
                               page.typed(receipt.without)));
    return explain_counted(page, receipt);
  }
  page.paragraph(fmt::format(
      "With a probability of at least {}, each value taken by itself is off by no more than the table above "
      "says, whatever the data, {}.{} Usual errors are many times smaller: fractile plan shows them.",
      percent_of(receipt.confidence), up_to_records(receipt),
      receipt.together.empty() ? ""
                               : " With the same probability no value is off by more than " + receipt.together + "."));
  page.paragraph(
      "This is only the error added for privacy: how far the table's records stand for anybody else is not in it.");
  if (!receipt.rounded.empty()) {
    page.paragraph(fmt::format(
        "With that probability, up to {} of these records are finer than the granularity that was found privately, and "
        "rounded to it; where the step is the data's own, there are none.",
        receipt.rounded));
  }
  explain_counted(page, receipt);
}

/// What was checked of the query, or declared, and what it could read.
void explain_query(Page& page, const Receipt& receipt) {
  const std::string& stability = receipt.source.sql_stability;
  page.paragraph(
      fmt::format("The query was {} row by row, each row of its result coming from one record. {}{}",
                  stability.empty() ? "checked: it goes" : "not checked, and need not go",
                  stability.empty() ? "A value that cannot be computed from a record is missing in its row. " : "",
                  receipt.source.sql == report_detail::withheld ? "Its publisher keeps its text."
                                                                : "It is: " + page.typed(receipt.source.sql)));
  std::vector<std::string> tables;
  for (const NamedTable& table : receipt.source.tables) {
    tables.push_back(fmt::format("{} ({})", page.typed(table.name), page.typed(table.file)));
  }
  if (!tables.empty()) page.paragraph(fmt::format("Besides, it could read: {}.", fmt::join(tables, ", ")));
}

/// How the range was found, and how surely it holds the quantiles.
void explain_found_bounds(Page& page, const Receipt& receipt) {
  if (receipt.bounds_share.empty()) return;
  std::string surely = " Nothing is known of how surely it holds the quantiles";
  if (!receipt.bounds_enough_records.empty()) {
    surely = fmt::format(
        " With a probability of at least {} it holds all quantiles that were asked for, if at least {} records count",
        percent_of(receipt.confidence), receipt.bounds_enough_records);
  } else if (!receipt.source.by.empty()) {
    surely += " of a group, since it was found among the records of all groups";
  }
  page.paragraph(fmt::format(
      "{} of the budget found the range of possible values, {}, which is not that of the data.{}. A quantile "
      "beyond it counts as its nearest end.",
      percent_of(receipt.bounds_share), receipt.lattice, surely));
}

void explain_what_was_left_out(Page& page, const Receipt& receipt) {
  std::vector<std::string> missing;
  for (const std::string& text : receipt.source.missing) missing.push_back(page.typed(text));
  const bool is_declared = !missing.empty();
  if (receipt.source.null_policy == "drop") {
    page.paragraph(
        fmt::format("Records in which the column holds {} were left out.",
                    receipt.source.unreadable == "missing" ? "no " + value_in_words(receipt.kind) : "nothing"));
  }
  if (is_declared) page.paragraph(fmt::format("Declared to be nothing, too: {}.", fmt::join(missing, ", ")));
}

void explain_assumptions(Page& page, const Receipt& receipt) {
  page.section("What was assumed");
  page.paragraph(
      "The following was declared, and nothing checks it. Where it is false, the promise is weaker, or the numbers do "
      "not mean what is said here.");
  page.list(report_detail::declarations_of(receipt, [&](const std::string& words) { return page.typed(words); }));
  explain_found_bounds(page, receipt);
  if (!receipt.source.sql.empty()) explain_query(page, receipt);
  if (receipt.kind == ValueKind::instant) page.paragraph("All times are in UTC.");
  explain_what_was_left_out(page, receipt);
  page.paragraph(
      fmt::format("A table with one of these makes a release fail, and the failure shows that there is one: {}.",
                  fmt::join(report_detail::failures_of(receipt), "; ")));
  page.paragraph("It was assumed that nobody could watch the program at work: how long it takes depends on the data.");
}

/// What a receipt calls a part of a release (docs/receipt.md, `spent`).
std::string part_in_words(const Page& page, const std::string& part) {
  static const std::map<std::string, std::string> words{
      {"bounds", "finding the range of the values"},
      {"rows", "a noisy count of the records"},
      {"granularity", "finding the number of which the values are multiples"},
      {"heaps", "finding whether many values are round numbers"},
      {"counts", "noisy counts, from which the values were read"},
      {"cells", "noisy counts, from which the intervals were read"},
      {"quantiles", "drawing values"},
  };
  if (const auto known = words.find(part); known != words.end()) return known->second;
  return part.starts_with("level ") ? "drawing values (" + page.typed(part) + ")" : page.typed(part);
}

/// An amount of a budget; of fractions that are longer than anybody reads, four digits.
std::string amount_in_words(const std::string& amount) {
  constexpr std::size_t longest = 15;
  const bool is_fraction = amount.find_first_not_of("0123456789/") == std::string::npos;
  if (amount.size() <= longest || !is_fraction) return amount;
  return fmt::format("about {:.4g}", Rational::parse(amount).to_double());
}

/// What was spent on what, as far as the receipt tells; of several groups that differ, nothing.
std::string spending_of(const Page& page, const Receipt& receipt) {
  const std::vector<Receipt::Spent>& spent = receipt.groups.front().spent;
  const bool alike = std::ranges::all_of(receipt.groups, [&](const Receipt::Group& group) {
    return std::ranges::equal(group.spent, spent,
                              [](const auto& a, const auto& b) { return a.on == b.on && a.amount == b.amount; });
  });
  if (spent.size() < 2 || !alike) return {};
  std::string text;
  for (const Receipt::Spent& part : spent)
    text += (text.empty() ? "" : "; ") + amount_in_words(part.amount) + " for " + part_in_words(page, part.on);
  return text;
}

/// The pages with the proofs of what ran, without repetitions.
std::vector<std::string> proofs_of(const Receipt& receipt) {
  static const std::map<std::string, std::vector<std::string>> of_mechanisms{
      {"exponential", {"single_quantile", "joint_total"}},  // the weights of what is possible are those of the second
      {"approximate", {"approximate_quantiles", "joint_total"}},
      {"independent", {"independent"}},
      {"tree", {"count_tree"}},
  };
  static const std::map<std::string, std::string> of_parts{
      {"bounds", "private_bounds"}, {"rows", "counted_rows"}, {"granularity", "granularity"}, {"heaps", "heaping"}};
  std::vector<std::string> pages;
  const auto add = [&](const std::string& page) {
    if (std::ranges::find(pages, page) == pages.end()) pages.push_back(page);
  };
  for (const Receipt::Group& group : receipt.groups) {
    const auto known = of_mechanisms.find(group.mechanism);
    for (const std::string& page :
         known == of_mechanisms.end() ? std::vector<std::string>{"joint_total"} : known->second)
      add(page);
    for (const Receipt::Spent& part : group.spent) {
      if (const auto of_part = of_parts.find(part.on); of_part != of_parts.end()) add(of_part->second);
    }
  }
  if (!receipt.interval_level.empty()) add("intervals");
  if (receipt.interval_level.empty() && receipt.without.empty()) add("rank_error");
  if (!receipt.source.by.empty()) add("groups");
  if (has_persons(receipt)) add("contribution_bounding");
  if (!receipt.source.sql.empty() && receipt.source.sql_stability.empty()) add("row_wise_queries");
  return pages;
}

void explain_origin(Page& page, const Receipt& receipt) {
  page.section("How it was done");
  const Receipt::Group& first = receipt.groups.front();
  const bool alike = std::ranges::all_of(
      receipt.groups, [&](const Receipt::Group& group) { return group.mechanism == first.mechanism; });
  page.paragraph(
      fmt::format("By {}, {}. Its output has exactly the probabilities that its proof is about.", receipt.program,
                  alike ? fmt::format("mechanism {}{}{}", first.mechanism,
                                      first.reason.empty() ? "" : ", chosen because: ", page.typed(first.reason))
                        : "with a mechanism for each group, which the receipt tells"));
  if (const std::string spending = spending_of(page, receipt); !spending.empty()) {
    page.paragraph(fmt::format("Every draw was charged before it was made{}. The parts of {} are: {}.",
                               receipt.source.by.empty() ? "" : ", in every group", receipt.budget.to_string(),
                               spending));
  }
  page.paragraph(fmt::format(
      "The proofs are the pages {}.md in docs/proofs of the program. The model is the central one: its user holds the "
      "table, and is trusted with it.",
      fmt::join(proofs_of(receipt), ".md, ")));
  page.paragraph("The receipt's SHA-256 is " + receipt.sha256 + "; it fits.");
}

// --- For those who decide, and those who check -------------------------------------------------------------------------

/// The largest of all values; nothing when one of them is not known.
std::optional<Rational> largest_error(const Receipt& receipt) {
  Rational largest;
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      if (!each.rank_error) return {};
      largest = std::max(largest, Rational::parse(*each.rank_error));
    }
  }
  return largest;
}

std::string error_in_short(const Receipt& receipt) {
  if (!receipt.interval_level.empty()) {
    return fmt::format("Each value has an interval beside it that holds {} with a probability of at least {}{}.",
                       held_quantile(receipt), share_of(Rational::parse(receipt.interval_level)),
                       receipt.interval_of == "population" ? ", if the sample is a simple random one" : "");
  }
  const std::optional<Rational> largest = largest_error(receipt);
  if (!largest) return "How far the values may be off at worst is not known for all of them.";
  return fmt::format(
      "With a probability of at least {} each, the values miss the quantiles of {}{}, by at most {} records, {}.",
      percent_of(receipt.confidence), report_detail::records_in_words(has_persons(receipt)),
      report_detail::and_where_they_count(counts_at(receipt)), largest->to_string(), up_to_records(receipt));
}

/// What is asked of a person for whom the promise holds.
std::string who_is_meant(const Receipt& receipt) {
  if (!receipt.source.sql_stability.empty())
    return " whose records change no more rows of the query's result than is declared";
  return receipt.source.person.empty() ? " who has no more than " + records_of(receipt) + " in the table" : "";
}

void explain_in_short(Page& page, const Receipt& receipt, const PageOptions& options) {
  page.section("In short");
  const Rational ten(10, 100);
  std::vector<std::string> items{
      fmt::format("If something would come about with a probability of {} {}, it comes about with at most {} as it is. "
                  "That is so for everybody{}.",
                  in_a_hundred(ten),
                  receipt.neighbors == "add-remove" ? "without your records" : "with other records in place of yours",
                  in_a_hundred(largest_probability(receipt.budget, ten)), who_is_meant(receipt)),
      error_in_short(receipt)};
  if (options.account) {
    items.push_back(fmt::format("Of {} for these people, {} is left.", options.account->dataset.budget.to_string(),
                                options.account->balance.remaining.to_string()));
  }
  page.list(items);
}

void explain_account(Page& page, const PageOptions& options) {
  page.section("What was spent on these people, and what is left");
  const auto& [dataset, balance] = *options.account;
  page.paragraph(fmt::format(
      "The ledger{} allows {} for each {} in all. All releases together, this one among them, have spent {}; what is "
      "reserved counts as spent. What is left is {}.",
      options.is_public ? "" : " of the dataset " + page.typed(dataset.name), dataset.budget.to_string(),
      page.typed(dataset.unit), balance.spent.to_string(), balance.remaining.to_string()));
}

/// What anybody may learn of the table, or knew before.
void explain_unprotected(Page& page, const Receipt& receipt) {
  page.section("What is not protected");
  std::vector<std::string> items;
  items.push_back(receipt.bounds_share.empty()
                      ? fmt::format("The possible values, {}, which were chosen beforehand.", receipt.lattice)
                      : "The distance between possible values, which was chosen beforehand.");
  items.emplace_back("Which quantiles were asked for, of which column, and at what cost.");
  if (!receipt.source.by.empty()) items.emplace_back("The list of groups, which is public knowledge.");
  if (!receipt.public_records.empty()) {
    items.push_back(fmt::format("The number of rows, {}, which was declared public.", receipt.public_records));
  }
  if (receipt.neighbors != "add-remove") items.emplace_back("Who is in the table, and how many rows it has.");
  items.emplace_back(
      "That the release succeeded: nothing in the table makes it fail. And that there was a release at all.");
  items.emplace_back(
      "What is so of people in general. A release may teach about somebody what it teaches about everybody like "
      "them, whether they are in the table or not.");
  page.list(items);
}

void explain_checks(Page& page, const Receipt& receipt) {
  page.section("For whoever checks outputs");
  page.paragraph(fmt::format(
      "No minimum count was applied, and none is needed. Such a rule keeps somebody from being recognised in an exact "
      "figure about few people. These values are not exact: they were drawn at random among the possible values, so "
      "that "
      "one person's records change the probability of what is published by no more than is said above, however few "
      "records there are{}.",
      receipt.source.by.empty() ? "" : " in a group"));
  page.paragraph(
      "No value is the copy of a record: each was drawn among the possible values, and could have been drawn had no "
      "record "
      "had it.");
}

/// What rho, epsilon and delta mean.
std::vector<std::pair<std::string, std::string>> words_of_budget(const Receipt& receipt) {
  const Measure measure = receipt.budget.measure();
  if (measure == Measure::zcdp) return {{"rho", "how much the probabilities may change; smaller is more private"}};
  std::string change = "how much the odds of what a person's records say may change: by a factor of e^epsilon";
  if (receipt.neighbors == "add-remove") {
    change =
        "how much the odds may change: of whether a person's records are in the table by a factor of e^epsilon, of "
        "what "
        "they say by e^(2 epsilon)";
  }
  if (measure == Measure::pure) return {{"epsilon", change + "; smaller is more private"}};
  return {{"epsilon", change + ", but for what delta allows; smaller is more private"},
          {"delta", "by how much a probability may exceed what epsilon allows; smaller is more private"}};
}

void explain_words(Page& page, const Receipt& receipt) {
  page.section("What the words mean");
  std::vector<std::pair<std::string, std::string>> words{
      {"quantile", "the value at or below which a given share of the records lies; the one of 50 % is the median"},
      {"record", fmt::format("a row of the table that has a {} in this column{}", value_in_words(receipt.kind),
                             has_persons(receipt) ? " and was chosen to count" : "")},
      {"differential privacy",
       "a promise: whatever is published would have come about with almost the same probability without a person's "
       "records"}};
  for (auto& word : words_of_budget(receipt)) words.push_back(std::move(word));
  words.insert(
      words.end(),
      {{"neighbours", receipt.neighbors == "add-remove" ? "two tables, one of which has one record more"
                                                        : "two tables that differ in what one record says"},
       {"rank error", "by how many records a value misses its quantile"},
       {"budget", "what all releases about the same people together may cost"},
       {"receipt",
        "the file that holds a release and all that it was made with; its SHA-256 changes when it is changed"}});
  page.glossary(words);
}

/// As its publisher has it.
void explain_about(Page& page, const About& about) {
  std::vector<std::string> items;
  for (const auto& [what, text] : {std::pair{"Published by", &about.curator}, std::pair{"What for", &about.use},
                                   std::pair{"About", &about.region}, std::pair{"Date", &about.date},
                                   std::pair{"Contact", &about.contact}, std::pair{"What it is", &about.description}}) {
    if (!text->empty()) items.push_back(fmt::format("{}: {}", what, page.typed(*text)));
  }
  if (!items.empty()) page.list(items);
}

std::string title_of(const Page& page, const Receipt& receipt, const About& about) {
  if (!about.title.empty()) return page.typed(about.title);
  const std::size_t quantiles = receipt.groups.front().quantiles.size();
  return fmt::format("{} quantile{} of {}{}", quantiles, quantiles == 1 ? "" : "s", page.typed(receipt.source.column),
                     receipt.source.by.empty() ? "" : " by " + page.typed(receipt.source.by));
}

void explain_on(Page& page, const Receipt& receipt, const std::vector<NamedComparison>& comparisons,
                const PageOptions& options) {
  page.title(title_of(page, receipt, options.about));
  explain_about(page, options.about);
  if (!receipt.unsafe_seed.empty()) {
    page.section("NOT PRIVATE");
    page.paragraph(
        fmt::format("The random bits came from the seed {}. Whoever knows it can undo the noise: none of the promises "
                    "below holds. Do not publish these values.",
                    receipt.unsafe_seed));
  } else {
    explain_in_short(page, receipt, options);
  }
  explain_values(page, receipt);
  if (!comparisons.empty()) explain_comparisons(page, receipt, comparisons);
  explain_people(page, receipt);
  explain_strength(page, receipt);
  if (!options.guess_above.empty() && receipt.unsafe_seed.empty()) explain_guess(page, receipt, options.guess_above);
  explain_errors(page, receipt);
  if (options.account) explain_account(page, options);
  explain_assumptions(page, receipt);
  explain_unprotected(page, receipt);
  explain_origin(page, receipt);
  explain_checks(page, receipt);
  explain_words(page, receipt);
}

/// What only its publisher should see is withheld.
Receipt for_everybody(Receipt receipt) {
  receipt.source.file.clear();
  receipt.source.tables.clear();
  if (!receipt.source.sql.empty()) receipt.source.sql = report_detail::withheld;
  if (!receipt.source.person.empty()) receipt.source.person = report_detail::withheld;
  return receipt;
}

/// To the letter, or not at all: the program writes no receipt with characters that a person cannot see.
void hold_receipt(Page& page, const std::string& receipt) {
  page.section("Receipt");
  if (shown_lines(receipt) != receipt) {
    page.paragraph("It holds characters that cannot be seen, and is left out: keep the file.");
    return;
  }
  page.paragraph("Saved as it stands, this page is a receipt, too: fractile explain reads it and checks its SHA-256.");
  page.verbatim(report_detail::receipt_id, receipt);
}

}  // namespace

std::string explain(const Receipt& receipt, Prose prose, const std::vector<NamedComparison>& comparisons,
                    const std::string& guess_above) {
  report_detail::ProsePage page(prose);
  PageOptions options;
  options.guess_above = guess_above;
  explain_on(page, receipt, comparisons, options);
  return page.text();
}

WebPage to_html(const Receipt& receipt, const std::vector<NamedComparison>& comparisons, const PageOptions& options) {
  report_detail::HtmlPage page;
  explain_on(page, options.is_public ? for_everybody(receipt) : receipt, comparisons, options);
  if (!options.is_public && !options.receipt.empty()) hold_receipt(page, options.receipt);
  return std::move(page).finished();
}

}  // namespace fractile
