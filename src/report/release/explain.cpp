// A release in plain language. What is said here is what docs/proofs claim, and no more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "fractile/accounting.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "fractile/text.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/explained_guess.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/key_cells.hpp"
#include "report/release/release_figure.hpp"
#include "report/release/statistics_words.hpp"
#include "report/text/page.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::CountsAt;
using report_detail::in_a_hundred;
using report_detail::lattice_in_words;
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

std::string percent_of(const Rational& share) { return fmt::format("{:.4g} %", (share * Rational(100)).to_double()); }

std::string table_name(const Page& page, const Release& release) {
  if (!release.source.sql.empty()) return "the result of a query";
  if (release.source.file.empty()) return "a table";  // of a public page
  return release.source.file == "-" ? "standard input" : page.typed(release.source.file);
}

/// At which value a record counts.
CountsAt counts_at(const Release& release) { return report_detail::counts_at(release.lattice); }

bool has_persons(const Release& release) { return !release.source.person.empty(); }

std::string held_quantile(const Release& release) {
  return report_detail::held_quantile(release.query.intervals->of == IntervalOf::table, has_persons(release),
                                      counts_at(release));
}

/// What the promise compares with.
std::string without_the_person(const Release& release) {
  return release.query.neighbors == Neighbors::add_remove ? "without that person's records"
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
void explain_probabilities(Page& page, const Release& release) {
  const bool presence = release.query.neighbors == Neighbors::add_remove;
  page.paragraph(fmt::format(
      "Think of anything, good or bad, that may come of these values being published. Had the release been made {}, it "
      "would come about with some probability. The first column has examples. As it is, the probability is at most "
      "that of the second column.",
      without_the_person(release)));
  std::vector<report_detail::Row> rows{
      {presence ? "without the person's records" : "with other records in their place", "as it is, at most"}};
  for (const std::int64_t percent : {1, 10, 50}) {
    const Rational probability(percent, 100);
    rows.push_back({in_a_hundred(probability), in_a_hundred(largest_probability(release.cost(), probability))});
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
void explain_odds(Page& page, const Release& release) {
  const double epsilon = release.cost().epsilon().to_double();
  const bool presence = release.query.neighbors == Neighbors::add_remove;
  const double of_values = presence ? 2 * epsilon : epsilon;
  std::string words = "To someone who knows everybody else's records, the values change ";
  if (presence && !release.public_rows) {
    words +=
        fmt::format("the odds that the person's records are in the table by a factor of at most {} (e^{:.4g}), and ",
                    up(std::exp(epsilon)), epsilon);
  }
  page.paragraph(words + fmt::format("the odds of what these records say by a factor of at most {} (e^{:.4g}): {}.",
                                     up(std::exp(of_values)), of_values, survey_of(of_values)));
}

void explain_strength(Page& page, const Release& release) {
  page.section("How strong the promise is");
  page.paragraph(fmt::format("The release costs {} ({}).{}", release.cost().to_string(),
                             measure_in_words(release.cost().measure()), as_numbers(release.cost())));
  explain_probabilities(page, release);
  if (release.cost().measure() == Measure::pure) explain_odds(page, release);
  if (release.cost().measure() == Measure::zcdp) {
    page.paragraph(
        fmt::format("A rho is no epsilon. For comparison with other releases: it implies epsilon = {} with delta = one "
                    "in a million.",
                    up(epsilon_of_zcdp(release.cost().rho(), Rational(1, 1'000'000)).to_double())));
  }
  page.paragraph("Other releases about the same people add to this cost: epsilons add up, and so do deltas and rhos.");
}

std::string records_of(const Release& release) {
  return release.query.records_per_person == 1 ? "1 record"
                                               : fmt::format("{} records", release.query.records_per_person);
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
std::string round_numbers_in_words(const Release& release) {
  const MechanismUsed& used = release.groups.front().used;
  const auto text = [&](const Rational& distance) { return distance_text(release.lattice.kind(), distance); };
  std::vector<std::string> found;
  if (used.granularity) found.push_back("most values are multiples of " + text(*used.granularity));
  if (used.heaping) found.push_back("many are multiples of " + text(*used.heaping));
  if (found.empty()) return {};
  return fmt::format("A part of the budget suggested that {}; the values above were drawn accordingly.",
                     fmt::join(found, ", and "));
}

/// A heading, and a row a value; on pages with figures also of which shares it may be the quantile, when that is drawn.
std::vector<report_detail::Row> published_rows(const Page& page, const Release& release) {
  const bool with_intervals = release.query.intervals.has_value();
  const bool with_shares = page.has_figures() && report_detail::has_share_bars(release);
  std::vector<report_detail::Row> rows{{"share", page.typed(release.source.column)}};
  if (with_intervals) {
    rows[0].insert(rows[0].end(), {"from", "to"});
  } else {
    rows[0].emplace_back("off by at most");
  }
  if (with_shares) rows[0].insert(rows[0].end(), {"a quantile of, from", "to"});
  const auto typed = [&](report_detail::Row row) {
    for (std::string& name : row) name = page.typed(name);
    return row;
  };
  rows[0] = report_detail::behind_key(GroupKey(typed(report_detail::key_headings(release))), rows[0]);
  for (const Release::Group& group : release.groups) {
    for (std::size_t i = 0; i < group.indices.size(); ++i) {
      rows.push_back({share_of(release.query.quantiles[i]), release.lattice.text(group.indices[i])});
      report_detail::Row& row = rows.back();
      if (with_intervals) {
        const report_detail::Ends ends = report_detail::ends_of(release.lattice, group.intervals[i]);
        row.push_back(lower_text(ends, OpenEnds::in_words));
        row.push_back(upper_text(ends, OpenEnds::in_words));
      } else {
        row.push_back(group.rank_errors[i] ? fmt::format("{} records", *group.rank_errors[i]) : "not known");
      }
      if (with_shares) {
        const report_detail::Shares shares = report_detail::shares_of(release, i);
        row.insert(row.end(), {share_of(shares.from), share_of(shares.to)});
      }
      row = report_detail::behind_key(GroupKey(typed(group.key.texts())), row);
    }
  }
  return rows;
}

void explain_values(Page& page, const Release& release) {
  page.section("What was published");
  const bool grouped = release.is_grouped();
  page.paragraph(fmt::format("Quantiles of the column {} of {}. About so many of {} lie at or below the value{}:",
                             page.typed(release.source.column), table_name(page, release),
                             report_detail::records_in_words(has_persons(release)),
                             report_detail::and_where_they_count(counts_at(release))));
  if (page.has_figures()) report_detail::draw_release(page, release);
  constexpr std::size_t most_columns = 10;  // of values, on a page
  const bool is_wide = page.has_figures() && grouped && release.query.quantiles.size() <= most_columns;
  const std::size_t keys = report_detail::key_columns_of(release);
  std::vector<report_detail::Row> rows = is_wide ? report_detail::wide_rows(release) : published_rows(page, release);
  std::size_t names = is_wide ? keys : keys + 1;
  std::string caption = "The published values";
  if (is_wide && keys == 2 && release.query.quantiles.size() == 1) {
    std::vector<report_detail::Row> crossed = report_detail::crossed_rows(release);
    if (crossed.front().size() <= most_columns) {
      rows = std::move(crossed);
      names = 1;
      caption += fmt::format(" of {}", share_of(release.query.quantiles.front()));
    }
  }
  if (is_wide) caption += ", " + report_detail::about_wide_rows(release);
  page.table({"release", caption, names}, rows);
  if (grouped) page.paragraph("The groups were listed beforehand; an empty one has values, too.");
  const std::string found = round_numbers_in_words(release);
  if (!grouped && !found.empty()) page.paragraph(found);
}

void explain_comparisons(Page& page, const Release& release, const std::vector<NamedComparison>& comparisons) {
  page.section("What was compared");
  std::vector<report_detail::Row> rows = report_detail::comparison_rows(release, comparisons);
  const auto compared = static_cast<std::ptrdiff_t>(report_detail::compared_cells(release));
  for (report_detail::Row& row : rows) {
    std::ranges::transform(row.begin(), row.end() - compared, row.begin(),
                           [&](const std::string& name) { return page.typed(name); });
  }
  const bool with_ratios = release.lattice.kind() == ValueKind::number;
  page.table({"comparisons", with_ratios ? "Differences and ratios" : "Differences",
              rows.front().size() - report_detail::compared_cells(release)},
             rows);
  page.paragraph(report_detail::comparisons_in_words(release, comparisons) + " " +
                 report_detail::about_comparisons(release));
}

/// What of a person's records is protected.
std::string protected_in_words(const Release& release) {
  if (release.query.neighbors == Neighbors::change_one) {
    return fmt::format(
        "What is protected is what the person's records say, and whether they hold a {}. That the person is in the "
        "table, and how many rows it has, is not protected.",
        value_in_words(release.lattice.kind()));
  }
  if (!release.public_rows) {
    return "What is protected is whether the person's records are in the table at all, and what they say.";
  }
  return fmt::format(
      "What is protected is what the person's records say, and whether they hold a {}. The number of rows was declared "
      "public: to someone who knows all other rows, it shows by itself whether the person is in the table.",
      value_in_words(release.lattice.kind()));
}

void explain_people(Page& page, const Release& release) {
  page.section("For whom the promise holds");
  const std::string records = records_of(release);
  if (release.source.sql_stability) {
    page.paragraph("For every person whose records change no more rows of the query's result than is declared below.");
  } else if (release.source.person.empty()) {
    page.paragraph(fmt::format("For every person who has at most {} in the table{}. {}", records,
                               !release.is_grouped() ? "" : ", in all groups together",
                               of_more_records(release.cost().measure())));
  } else {
    page.paragraph(fmt::format(
        "For every person, as {} tells persons apart, however many records they have: at most {} "
        "of theirs, chosen at random, counted{}.",
        release.source.person == report_detail::withheld ? "a column of the table"
                                                         : "the column " + page.typed(release.source.person),
        records, !release.is_grouped() ? "" : " in all groups together"));
  }
  page.paragraph(protected_in_words(release));
}

/// What errors and intervals are not about: values between the possible ones, and records that do not count.
void explain_counted(Page& page, const Release& release) {
  if (counts_at(release) == CountsAt::nearest) {
    page.paragraph(
        "A record counts at the possible value nearest to its own. That moves its value by at most half a step, or, "
        "beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.");
  }
  if (counts_at(release) == CountsAt::not_after) {
    page.paragraph(
        "A record counts at the last possible value that is not after its own. That moves its value back by less than "
        "a step, or, beyond the ends, to the nearest end. The error of this rounding is not in the numbers above.");
  }
  if (has_persons(release)) {
    page.paragraph(fmt::format(
        "At most {} of each person count{}, chosen at random. In the quantiles of all records, which may be others, a "
        "person with more records would weigh more.",
        records_of(release), release.query.records_per_person == 1 ? "s" : ""));
  }
}

/// Which question, which level, of which intervals, and on which assumption.
void explain_intervals(Page& page, const Release& release) {
  const bool of_table = release.query.intervals->of == IntervalOf::table;
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}. The table above has an interval "
      "beside each for {}. {}",
      report_detail::records_in_words(has_persons(release)), held_quantile(release),
      of_table ? "It says nothing about anybody who is not in the table." : "It covers both errors."));
  page.paragraph(fmt::format(
      "With a probability of at least {}, {}. This holds whatever the {}.", share_of(release.query.intervals->level),
      release.query.intervals->together
          ? fmt::format("all intervals{} hold their quantiles at once", !release.is_grouped() ? "" : " of a group")
          : "an interval holds its quantile: each by itself, not all of them at once",
      of_table ? "data are" : "distribution is"));
  if (!of_table) {
    page.paragraph(
        "Nothing checks that the records are a simple random sample, as is assumed below: of a census, of volunteers "
        "or "
        "of a sample with weights the intervals do not say what they seem to.");
  }
  explain_counted(page, release);
  page.paragraph(
      R"("Or below" and "or above" stand at the ends of the possible values, beyond which nothing is known.)");
}

/// Up to how many records a bound is told for.
std::string up_to_records(const Release& release) {
  return fmt::format("as long as at most {} records count{}", release.errors->rows,
                     !release.is_grouped() ? "" : " in a group");
}

void warn_of_noise(Page& page, const Release& release) {
  const std::optional<NoiseInWords> noise = noise_in_words(release);
  if (!noise) return;
  page.paragraph(fmt::format("Warning: {}: {}.", page.typed(noise->what), page.typed(noise->hint)));
}

void explain_errors(Page& page, const Release& release) {
  page.section("How wrong the numbers may be");
  if (release.query.intervals) return explain_intervals(page, release);
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}{}. A value is a quantile when no "
      "more than the wanted share of these records lies below it, and no less lies at or below it. It is off by "
      "r records when one of these two numbers of records misses the share by r.",
      report_detail::records_in_words(has_persons(release)), report_detail::and_where_they_count(counts_at(release))));
  warn_of_noise(page, release);
  if (!release.errors->without.empty()) {
    page.paragraph(fmt::format("No bound is known for all values: {}. fractile plan shows usual errors.",
                               page.typed(release.errors->without)));
    return explain_counted(page, release);
  }
  page.paragraph(fmt::format(
      "With a probability of at least {}, each value taken by itself is off by no more than the table above "
      "says, whatever the data, {}.{} Usual errors are many times smaller: fractile plan shows them.",
      percent_of(release.errors->confidence), up_to_records(release),
      !release.errors->together
          ? ""
          : fmt::format(" With the same probability no value is off by more than {}.", *release.errors->together)));
  page.paragraph(
      "This is only the error added for privacy: how far the table's records stand for anybody else is not in it.");
  if (release.errors->rounded) {
    page.paragraph(fmt::format(
        "With that probability, up to {} of these records are finer than the granularity that was found privately, and "
        "rounded to it; where the step is the data's own, there are none.",
        *release.errors->rounded));
  }
  explain_counted(page, release);
}

/// What was checked of the query, or declared, and what it could read.
void explain_query(Page& page, const Release& release) {
  const bool is_checked = !release.source.sql_stability;
  page.paragraph(fmt::format("The query was {} row by row, each row of its result coming from one record. {}{}",
                             is_checked ? "checked: it goes" : "not checked, and need not go",
                             is_checked ? "A value that cannot be computed from a record is missing in its row. " : "",
                             release.source.sql == report_detail::withheld
                                 ? "Its publisher keeps its text."
                                 : "It is: " + page.typed(release.source.sql)));
  std::vector<std::string> tables;
  for (const NamedTable& table : release.source.tables) {
    tables.push_back(fmt::format("{} ({})", page.typed(table.name), page.typed(table.file)));
  }
  if (!tables.empty()) page.paragraph(fmt::format("Besides, it could read: {}.", fmt::join(tables, ", ")));
}

/// How the range was found, and how surely it holds the quantiles.
void explain_found_bounds(Page& page, const Release& release) {
  if (!release.bounds) return;
  std::string surely = " Nothing is known of how surely it holds the quantiles";
  if (release.bounds->enough_records) {
    surely = fmt::format(
        " With a probability of at least {} it holds all quantiles that were asked for, if at least {} records count",
        percent_of(release.errors->confidence), *release.bounds->enough_records);
  } else if (release.is_grouped()) {
    surely += " of a group, since it was found among the records of all groups";
  }
  page.paragraph(fmt::format(
      "{} of the budget found the range of possible values, {}, which is not that of the data.{}. A quantile "
      "beyond it counts as its nearest end.",
      percent_of(release.bounds->share), lattice_in_words(release.lattice), surely));
}

void explain_what_was_left_out(Page& page, const Release& release) {
  std::vector<std::string> missing;
  for (const std::string& text : release.source.missing) missing.push_back(page.typed(text));
  const bool is_declared = !missing.empty();
  if (release.source.null_policy == NullPolicy::drop) {
    page.paragraph(fmt::format(
        "Records in which the column holds {} were left out.",
        release.source.unreadable == Unreadable::missing ? "no " + value_in_words(release.lattice.kind()) : "nothing"));
  }
  if (is_declared) page.paragraph(fmt::format("Declared to be nothing, too: {}.", fmt::join(missing, ", ")));
}

void explain_assumptions(Page& page, const Release& release) {
  page.section("What was assumed");
  page.paragraph(
      "The following was declared, and nothing checks it. Where it is false, the promise is weaker, or the numbers do "
      "not mean what is said here.");
  page.list(report_detail::declarations_of(release, [&](const std::string& words) { return page.typed(words); }));
  explain_found_bounds(page, release);
  if (!release.source.sql.empty()) explain_query(page, release);
  if (release.lattice.kind() == ValueKind::instant) page.paragraph("All times are in UTC.");
  explain_what_was_left_out(page, release);
  page.paragraph(
      fmt::format("A table with one of these makes a release fail, and the failure shows that there is one: {}.",
                  fmt::join(report_detail::failures_of(release), "; ")));
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
      {"count", "counting records"},
      {"sum", "the mean"},
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

/// What was spent on what, as far as it is known; of several groups that differ, nothing.
std::string spending_of(const Page& page, const Release& release) {
  const std::vector<PartCost>& spent = release.groups.front().spent;
  const bool alike = std::ranges::all_of(release.groups, [&](const Release::Group& group) {
    return std::ranges::equal(group.spent, spent,
                              [](const auto& a, const auto& b) { return a.on == b.on && a.amount == b.amount; });
  });
  if (spent.size() < 2 || !alike) return {};
  std::string text;
  for (const PartCost& part : spent)
    text +=
        (text.empty() ? "" : "; ") + amount_in_words(part.amount.to_string()) + " for " + part_in_words(page, part.on);
  return text;
}

/// The pages with the proofs of what ran, without repetitions.
std::vector<std::string> proofs_of(const Release& release) {
  static const std::map<Mechanism, std::vector<std::string>> of_mechanisms{
      {Mechanism::exponential, {"single_quantile", "joint_total"}},  // the weights of what is possible: of the second
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
    for (const std::string& page :
         known == of_mechanisms.end() ? std::vector<std::string>{"joint_total"} : known->second)
      add(page);
    for (const PartCost& part : group.spent) {
      if (const auto of_part = of_parts.find(part.on); of_part != of_parts.end()) add(of_part->second);
    }
  }
  if (release.query.intervals) add("intervals");
  if (!release.query.intervals && release.errors->without.empty()) add("rank_error");
  if (release.is_grouped()) add("groups");
  if (has_persons(release)) add("contribution_bounding");
  if (!release.source.sql.empty() && !release.source.sql_stability) add("row_wise_queries");
  return pages;
}

void explain_origin(Page& page, const Release& release) {
  page.section("How it was done");
  const MechanismUsed& first = release.groups.front().used;
  const bool alike = std::ranges::all_of(
      release.groups, [&](const Release::Group& group) { return group.used.mechanism == first.mechanism; });
  page.paragraph(
      fmt::format("By {}, {}. Its output has exactly the probabilities that its proof is about.", release.program,
                  alike ? fmt::format("mechanism {}{}{}", to_string(first.mechanism),
                                      first.reason.empty() ? "" : ", chosen because: ", page.typed(first.reason))
                        : "with a mechanism for each group, which the receipt tells"));
  if (const std::string spending = spending_of(page, release); !spending.empty()) {
    page.paragraph(fmt::format("Every draw was charged before it was made{}. The parts of {} are: {}.",
                               !release.is_grouped() ? "" : ", in every group", release.cost().to_string(), spending));
  }
  page.paragraph(fmt::format(
      "The proofs are the pages {}.md in docs/proofs of the program. The model is the central one: its user holds the "
      "table, and is trusted with it.",
      fmt::join(proofs_of(release), ".md, ")));
  if (const std::optional<Charge>& charge = release.charge) {
    page.paragraph(fmt::format("A ledger paid for it: entry {}{}.", charge->entry,
                               charge->dataset.empty() ? "" : " of the dataset " + page.typed(charge->dataset)));
  }
  page.paragraph("The receipt's SHA-256 is " + sha256_of(release.receipt) + "; it fits.");
}

// --- For those who decide, and those who check -------------------------------------------------------------------------

/// The largest of all values; nothing when one of them is not known.
std::optional<std::uint64_t> largest_error(const Release& release) {
  std::uint64_t largest = 0;
  for (const Release::Group& group : release.groups) {
    for (const std::optional<std::uint64_t>& each : group.rank_errors) {
      if (!each) return {};
      largest = std::max(largest, *each);
    }
  }
  return largest;
}

std::string error_in_short(const Release& release) {
  if (release.query.intervals) {
    return fmt::format(
        "Each value has an interval beside it that holds {} with a probability of at least {}{}.",
        held_quantile(release), share_of(release.query.intervals->level),
        release.query.intervals->of == IntervalOf::population ? ", if the sample is a simple random one" : "");
  }
  const std::optional<std::uint64_t> largest = largest_error(release);
  if (!largest) return "How far the values may be off at worst is not known for all of them.";
  return fmt::format(
      "With a probability of at least {} each, the values miss the quantiles of {}{}, by at most {} records, {}.",
      percent_of(release.errors->confidence), report_detail::records_in_words(has_persons(release)),
      report_detail::and_where_they_count(counts_at(release)), *largest, up_to_records(release));
}

/// What is asked of a person for whom the promise holds.
std::string who_is_meant(const Release& release) {
  if (release.source.sql_stability) return " whose records change no more rows of the query's result than is declared";
  return release.source.person.empty() ? " who has no more than " + records_of(release) + " in the table" : "";
}

void explain_in_short(Page& page, const Release& release, const PageOptions& options) {
  page.section("In short");
  const Rational ten(10, 100);
  std::vector<std::string> items{
      fmt::format("If something would come about with a probability of {} {}, it comes about with at most {} as it is. "
                  "That is so for everybody{}.",
                  in_a_hundred(ten),
                  release.query.neighbors == Neighbors::add_remove ? "without your records"
                                                                   : "with other records in place of yours",
                  in_a_hundred(largest_probability(release.cost(), ten)), who_is_meant(release)),
      error_in_short(release)};
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
void explain_unprotected(Page& page, const Release& release) {
  page.section("What is not protected");
  std::vector<std::string> items;
  items.push_back(!release.bounds ? fmt::format("The possible values, {}, which were chosen beforehand.",
                                                lattice_in_words(release.lattice))
                                  : "The distance between possible values, which was chosen beforehand.");
  items.emplace_back("Which quantiles were asked for, of which column, and at what cost.");
  if (release.is_grouped()) items.emplace_back("The list of groups, which is public knowledge.");
  if (release.public_rows) {
    items.push_back(fmt::format("The number of rows, {}, which was declared public.", *release.public_rows));
  }
  if (release.query.neighbors == Neighbors::change_one)
    items.emplace_back("Who is in the table, and how many rows it has.");
  items.emplace_back(
      "That the release succeeded: nothing in the table makes it fail. And that there was a release at all.");
  items.emplace_back(
      "What is so of people in general. A release may teach about somebody what it teaches about everybody like "
      "them, whether they are in the table or not.");
  page.list(items);
}

void explain_checks(Page& page, const Release& release) {
  page.section("For whoever checks outputs");
  page.paragraph(fmt::format(
      "No minimum count was applied, and none is needed. Such a rule keeps somebody from being recognised in an exact "
      "figure about few people. These values are not exact: they were drawn at random among the possible values, so "
      "that "
      "one person's records change the probability of what is published by no more than is said above, however few "
      "records there are{}.",
      !release.is_grouped() ? "" : " in a group"));
  page.paragraph(
      "No value is the copy of a record: each was drawn among the possible values, and could have been drawn had no "
      "record "
      "had it.");
}

/// What rho, epsilon and delta mean.
std::vector<std::pair<std::string, std::string>> words_of_budget(const Release& release) {
  const Measure measure = release.cost().measure();
  if (measure == Measure::zcdp) return {{"rho", "how much the probabilities may change; smaller is more private"}};
  std::string change = "how much the odds of what a person's records say may change: by a factor of e^epsilon";
  if (release.query.neighbors == Neighbors::add_remove) {
    change =
        "how much the odds may change: of whether a person's records are in the table by a factor of e^epsilon, of "
        "what "
        "they say by e^(2 epsilon)";
  }
  if (measure == Measure::pure) return {{"epsilon", change + "; smaller is more private"}};
  return {{"epsilon", change + ", but for what delta allows; smaller is more private"},
          {"delta", "by how much a probability may exceed what epsilon allows; smaller is more private"}};
}

void explain_words(Page& page, const Release& release) {
  page.section("What the words mean");
  std::vector<std::pair<std::string, std::string>> words{
      {"quantile", "the value at or below which a given share of the records lies; the one of 50 % is the median"},
      {"record",
       fmt::format("a row of the table that has a {} in this column{}", value_in_words(release.lattice.kind()),
                   has_persons(release) ? " and was chosen to count" : "")},
      {"differential privacy",
       "a promise: whatever is published would have come about with almost the same probability without a person's "
       "records"}};
  for (auto& word : words_of_budget(release)) words.push_back(std::move(word));
  words.insert(
      words.end(),
      {{"neighbours", release.query.neighbors == Neighbors::add_remove
                          ? "two tables, one of which has one record more"
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

std::string title_of(const Page& page, const Release& release, const About& about) {
  if (!about.title.empty()) return page.typed(about.title);
  const std::size_t quantiles = release.query.quantiles.size();
  return fmt::format("{} quantile{} of {}{}", quantiles, quantiles == 1 ? "" : "s", page.typed(release.source.column),
                     !release.is_grouped() ? "" : " by " + page.typed(to_string(release.source.by)));
}

void explain_on(Page& page, const Release& release, const std::vector<NamedComparison>& comparisons,
                const PageOptions& options) {
  page.title(title_of(page, release, options.about));
  explain_about(page, options.about);
  if (release.unsafe_seed) {
    page.section("NOT PRIVATE");
    page.paragraph(
        fmt::format("The random bits came from the seed {}. Whoever knows it can undo the noise: none of the promises "
                    "below holds. Do not publish these values.",
                    *release.unsafe_seed));
  } else {
    explain_in_short(page, release, options);
  }
  explain_values(page, release);
  report_detail::explain_statistics(page, release);
  if (!comparisons.empty()) explain_comparisons(page, release, comparisons);
  explain_people(page, release);
  explain_strength(page, release);
  if (!options.guess_above.empty() && !release.unsafe_seed) {
    report_detail::explain_guess(page, release, options.guess_above);
  }
  explain_errors(page, release);
  if (options.account) explain_account(page, options);
  explain_assumptions(page, release);
  explain_unprotected(page, release);
  explain_origin(page, release);
  explain_checks(page, release);
  explain_words(page, release);
}

/// What only its publisher should see is withheld.
Release for_everybody(Release release) {
  release.source.file.clear();
  release.source.tables.clear();
  if (release.charge) release.charge->dataset.clear();
  if (!release.source.sql.empty()) release.source.sql = report_detail::withheld;
  if (!release.source.person.empty()) release.source.person = report_detail::withheld;
  return release;
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

std::string explain(const Release& release, Prose prose, const std::vector<NamedComparison>& comparisons,
                    const PageOptions& options) {
  report_detail::ProsePage page(prose);
  explain_on(page, with_receipt(release), comparisons, options);
  return page.text();
}

WebPage to_html(const Release& release, const std::vector<NamedComparison>& comparisons, const PageOptions& options) {
  const Release whole = with_receipt(release);
  report_detail::HtmlPage page;
  explain_on(page, options.is_public ? for_everybody(whole) : whole, comparisons, options);
  if (!options.is_public) hold_receipt(page, whole.receipt);
  return std::move(page).finished();
}

}  // namespace fractile
