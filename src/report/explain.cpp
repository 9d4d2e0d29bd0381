// A receipt in plain language. What is said here is what docs/proofs claim, and no more.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "fractile/accounting.hpp"
#include "fractile/report.hpp"
#include "fractile/text.hpp"
#include "report/interval_text.hpp"
#include "report/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::lower_text;
using report_detail::OpenEnds;
using report_detail::share_of;
using report_detail::upper_text;

/// Headings, paragraphs and a table, as text or Markdown.
class Page {
 public:
  explicit Page(Prose prose) : markdown_(prose == Prose::markdown) {}

  void title(const std::string& words) { text_ = markdown_ ? "# " + clean(words) + "\n" : underlined(words, '='); }
  void section(const std::string& words) {
    text_ += "\n" + (markdown_ ? "## " + clean(words) + "\n" : underlined(words, '-'));
    if (!markdown_) between_ = false;
  }
  void paragraph(const std::string& words) { add(wrapped(clean(words))); }
  void table(std::vector<report_detail::Row> rows) {
    for (report_detail::Row& row : rows) {
      for (std::string& cell : row) cell = clean(cell);
    }
    add(markdown_ ? piped(rows) : report_detail::aligned(rows));
  }
  /// What someone typed, so that it means nothing to Markdown.
  std::string typed(const std::string& words) const {
    std::string shown = shown_text(words);
    if (!markdown_) return shown;
    std::string escaped;
    for (const char c : shown) {
      if (std::ispunct(static_cast<unsigned char>(c)) != 0) escaped += '\\';
      escaped += c;
    }
    return escaped;
  }
  const std::string& text() const { return text_; }

 private:
  void add(const std::string& block) {
    text_ += (between_ ? "\n" : "") + block;
    between_ = true;
  }

  /// Nothing that a receipt holds acts on a terminal.
  static std::string clean(const std::string& words) { return shown_text(words); }

  static std::string underlined(const std::string& words, char line) {
    const std::string title = clean(words);
    return title + "\n" + std::string(report_detail::width_of(title), line) + "\n";
  }

  static std::string wrapped(const std::string& words) {
    constexpr std::size_t width = 96;
    std::string lines;
    std::string line;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      const std::string word = words.substr(at, end - at);
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines += line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
      at = end + 1;
    }
    return lines + line + "\n";
  }

  static std::string piped(const std::vector<report_detail::Row>& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += "|";
      for (const std::string& cell : rows[i]) text += " " + cell + " |";
      text += "\n";
      if (i > 0) continue;
      text += "|";
      for (std::size_t j = 0; j < rows[i].size(); ++j) text += j == 0 ? " :--- |" : " ---: |";
      text += "\n";
    }
    return text;
  }

  bool markdown_;
  bool between_ = true;  // a line is left empty before the next block
  std::string text_;
};

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
  return receipt.source.file == "-" ? "standard input" : page.typed(receipt.source.file);
}

/// What the promise compares with.
std::string without_the_person(const Receipt& receipt) {
  return receipt.neighbors == "add-remove" ? "without that person's records"
                                           : "with any other records in place of that person's";
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

/// "2.8 in 100", "28 in 100"; never below the probability.
std::string in_a_hundred(const Rational& probability) {
  const Rational percent = probability * Rational(100);
  const Rational unit = percent < Rational(10) ? Rational(1, 10) : Rational(1);
  return ((percent / unit).ceil() * unit).to_decimal() + " in 100";
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
  page.table(rows);
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
  if (presence) {
    words +=
        fmt::format("the odds that the person's records are in the table by a factor of at most {} (e^{:.4g}), and ",
                    up(std::exp(epsilon)), epsilon);
  }
  page.paragraph(words + fmt::format("the odds of what these records say by a factor of at most {} (e^{:.4g}): {}.",
                                     up(std::exp(of_values)), of_values, survey_of(of_values)));
}

void explain_strength(Page& page, const Receipt& receipt) {
  page.section("How strong the promise is");
  page.paragraph(fmt::format("The release costs {} ({}).", receipt.budget.to_string(),
                             measure_in_words(receipt.budget.measure())));
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
  return fmt::format("A part of the budget found that {}; the values above were drawn accordingly.",
                     fmt::join(found, ", and "));
}

void explain_values(Page& page, const Receipt& receipt) {
  page.section("What was published");
  page.paragraph(
      fmt::format("Quantiles of the column {} of {}. About so many of the records lie at or below the value:",
                  page.typed(receipt.source.column), table_name(page, receipt)));
  const bool grouped = !receipt.source.by.empty();
  const bool with_intervals = !receipt.interval_level.empty();
  std::vector<report_detail::Row> rows{{"share", page.typed(receipt.source.column)}};
  if (with_intervals) {
    rows[0].insert(rows[0].end(), {"from", "to"});
  } else {
    rows[0].emplace_back("off by at most");
  }
  if (grouped) rows[0].insert(rows[0].begin(), page.typed(receipt.source.by));
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      rows.push_back({share_of(Rational::parse(each.quantile)), each.value});
      if (with_intervals) {
        rows.back().push_back(lower_text(each.interval, OpenEnds::in_words));
        rows.back().push_back(upper_text(each.interval, OpenEnds::in_words));
      } else {
        rows.back().push_back(each.rank_error ? *each.rank_error + " records" : "not known");
      }
      if (grouped) rows.back().insert(rows.back().begin(), page.typed(group.key));
    }
  }
  page.table(rows);
  if (grouped) page.paragraph("The groups were listed beforehand; an empty one has values, too.");
  const std::string found = round_numbers_in_words(receipt.groups.front());
  if (!grouped && !found.empty()) page.paragraph(found);
}

void explain_comparisons(Page& page, const Receipt& receipt, const std::vector<NamedComparison>& comparisons) {
  page.section("What was compared");
  std::vector<report_detail::Row> rows = report_detail::comparison_rows(receipt, comparisons);
  for (report_detail::Row& row : rows) {
    std::ranges::transform(row.begin(), row.end() - 6, row.begin(),
                           [&](const std::string& name) { return page.typed(name); });
  }
  page.table(rows);
  page.paragraph(report_detail::comparisons_in_words(receipt, comparisons) + " " + report_detail::about_comparisons);
}

void explain_people(Page& page, const Receipt& receipt) {
  page.section("For whom the promise holds");
  const std::string records = receipt.records_per_person == "1" ? "1 record" : receipt.records_per_person + " records";
  if (!receipt.source.sql_stability.empty()) {
    page.paragraph("For every person whose records change no more rows of the query's result than is declared below.");
  } else if (receipt.source.person.empty()) {
    page.paragraph(fmt::format("For every person who has at most {} in the table{}. {}", records,
                               receipt.source.by.empty() ? "" : ", in all groups together",
                               of_more_records(receipt.budget.measure())));
  } else {
    page.paragraph(fmt::format(
        "For every person, as the column {} tells persons apart, however many records they have: at most {} "
        "of theirs, chosen at random, counted{}.",
        page.typed(receipt.source.person), records, receipt.source.by.empty() ? "" : " in all groups together"));
  }
  page.paragraph(receipt.neighbors == "add-remove"
                     ? "What is protected is whether the person's records are in the table at all, and what they say."
                     : "What is protected is what the person's records say, and whether they hold a number. That "
                       "somebody is in the "
                       "table, and how many rows it has, is not protected.");
}

/// Which question, which level, of which intervals, and on which assumption.
void explain_intervals(Page& page, const Receipt& receipt) {
  const bool of_table = receipt.interval_of == "table";
  page.paragraph(of_table ? "The values were drawn at random near the quantiles of the table's records, which is what "
                            "protects people. The table above has an interval beside each: where the quantile of these "
                            "records is. It says nothing about anybody who is not in the table."
                          : "The table's records stand for a population, and the values were drawn at random near the "
                            "records' quantiles, which is what protects people. The table above has an interval beside "
                            "each: where the quantile of the population is. It covers both errors.");
  page.paragraph(fmt::format(
      "With a probability of at least {}, {}. This holds whatever the {}.",
      share_of(Rational::parse(receipt.interval_level)),
      receipt.intervals_together
          ? fmt::format("all intervals{} hold their quantiles at once", receipt.source.by.empty() ? "" : " of a group")
          : "an interval holds its quantile: each by itself, not all of them at once",
      of_table ? "data are" : "distribution is"));
  if (!of_table) {
    page.paragraph(
        "It was assumed that the records are a simple random sample of the population, one record a person. Nothing "
        "checks that: of a census, of volunteers or of a sample with weights the intervals do not say what they seem "
        "to.");
  }
  page.paragraph(
      R"("Or below" and "or above" stand at the ends of the possible values, beyond which nothing is known.)");
}

void explain_errors(Page& page, const Receipt& receipt) {
  page.section("How wrong the numbers may be");
  if (!receipt.interval_level.empty()) return explain_intervals(page, receipt);
  page.paragraph(
      "The values were drawn at random near the true quantiles, which is what protects people. A value is off by r "
      "records when r more or fewer of them lie at or below it than should.");
  if (receipt.noise) {
    const auto [what, hint] = in_words(*receipt.noise);
    page.paragraph(fmt::format("Warning: {}: {}.", what, hint));
  }
  if (!receipt.without.empty()) {
    page.paragraph(fmt::format("No bound is known for all values: {}. fractile plan tells usual errors.",
                               page.typed(receipt.without)));
    return;
  }
  page.paragraph(fmt::format(
      "With a probability of at least {}, each value taken by itself is off by no more than the table above "
      "says, whatever the data, as long as there are at most {} records{}.{} Usual errors are many times "
      "smaller: fractile plan tells them.",
      percent_of(receipt.confidence), receipt.rows, receipt.source.by.empty() ? "" : " in a group",
      receipt.together.empty() ? ""
                               : " With the same probability no value is off by more than " + receipt.together + "."));
  if (!receipt.rounded.empty()) {
    page.paragraph(fmt::format(
        "Of these, up to {} are records finer than the granularity that was found privately, and rounded to it; where "
        "the step is the data's own, there are none.",
        receipt.rounded));
  }
}

std::string declared_in_words(const Receipt& receipt) {
  return fmt::format(
      "Declared, not checked: one person's records change at most {} row{} of the query's result{}. If they change "
      "more, the "
      "promise is weaker. ",
      receipt.records_per_person, receipt.records_per_person == "1" ? "" : "s",
      receipt.neighbors == "add-remove" ? ", where a row that changes counts as two" : "");
}

/// What was checked of the query, or declared, and what it could read.
void explain_query(Page& page, const Receipt& receipt) {
  const std::string& stability = receipt.source.sql_stability;
  page.paragraph((stability.empty()
                      ? "The query was checked: it goes row by row, each row of its result coming from one record. "
                      : declared_in_words(receipt)) +
                 "It is: " + page.typed(receipt.source.sql));
  std::vector<std::string> tables;
  for (const NamedTable& table : receipt.source.tables) {
    tables.push_back(fmt::format("{} ({})", page.typed(table.name), page.typed(table.file)));
  }
  if (!tables.empty()) page.paragraph(fmt::format("Besides, it could read: {}.", fmt::join(tables, ", ")));
}

void explain_assumptions(Page& page, const Receipt& receipt) {
  page.section("What was assumed");
  if (receipt.bounds_share.empty()) {
    page.paragraph(fmt::format(
        "That the possible values, {}, were chosen without looking at the data; so was everything else that "
        "was typed.{}",
        receipt.lattice, receipt.regular_lattice ? " Values outside count as the nearest end." : ""));
  } else {
    page.paragraph(
        fmt::format("Nothing of the possible values but their step: {} of the budget found the range, {}, which is not "
                    "that of the data but one that holds the quantiles. Values outside count as the nearest end.",
                    percent_of(receipt.bounds_share), receipt.lattice));
  }
  if (!receipt.source.sql.empty()) explain_query(page, receipt);
  page.paragraph(receipt.source.null_policy == "drop"
                     ? "That in every record the column holds a number or nothing; records with nothing were left out. "
                       "Any other content makes a release fail, and the failure tells that there is some."
                     : "That in every record the column holds a number. Anything else makes a release fail, and the "
                       "failure tells that there is some.");
  if (!receipt.public_records.empty()) {
    page.paragraph(fmt::format("That the number of rows of the table, {}, is public.", receipt.public_records));
  }
  page.paragraph("That nobody could watch the program at work: how long it takes depends on the data.");
}

/// What was spent on what, as far as the receipt tells; of several groups that differ, nothing.
std::string spending_of(const Receipt& receipt) {
  const std::vector<Receipt::Spent>& spent = receipt.groups.front().spent;
  const bool alike = std::ranges::all_of(receipt.groups, [&](const Receipt::Group& group) {
    return std::ranges::equal(group.spent, spent,
                              [](const auto& a, const auto& b) { return a.on == b.on && a.amount == b.amount; });
  });
  if (spent.size() < 2 || !alike) return {};
  std::string text;
  for (const Receipt::Spent& part : spent) text += (text.empty() ? "" : ", ") + part.amount + " on " + part.on;
  return text;
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
  if (const std::string spending = spending_of(receipt); !spending.empty()) {
    page.paragraph(fmt::format("Every draw was charged before it was made{}. Of {} it took: {}.",
                               receipt.source.by.empty() ? "" : ", in every group",
                               receipt.budget.measure() == Measure::zcdp ? "rho" : "epsilon", spending));
  }
  page.paragraph("The receipt's SHA-256 is " + receipt.sha256 + "; it fits.");
}

}  // namespace

std::string explain(const Receipt& receipt, Prose prose, const std::vector<NamedComparison>& comparisons) {
  Page page(prose);
  const std::size_t quantiles = receipt.groups.front().quantiles.size();
  page.title(fmt::format("{} quantile{} of {}{}", quantiles, quantiles == 1 ? "" : "s",
                         page.typed(receipt.source.column),
                         receipt.source.by.empty() ? "" : " by " + page.typed(receipt.source.by)));
  if (!receipt.unsafe_seed.empty()) {
    page.section("NOT PRIVATE");
    page.paragraph(
        fmt::format("The random bits came from the seed {}. Whoever knows it can undo the noise: none of the promises "
                    "below holds. Do not publish these values.",
                    receipt.unsafe_seed));
  }
  explain_values(page, receipt);
  if (!comparisons.empty()) explain_comparisons(page, receipt, comparisons);
  explain_people(page, receipt);
  explain_strength(page, receipt);
  explain_errors(page, receipt);
  explain_assumptions(page, receipt);
  explain_origin(page, receipt);
  return page.text();
}

}  // namespace fractile
