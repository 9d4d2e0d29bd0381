// A receipt in plain language. What is said here is what docs/proofs claim, and no more.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "fractile/accounting.hpp"
#include "fractile/report.hpp"
#include "report/text_columns.hpp"

namespace fractile {
namespace {

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
    if (!markdown_) return words;
    std::string escaped;
    for (const char c : words) {
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

  /// A page holds no control characters, whatever a receipt holds.
  static std::string clean(std::string words) {
    std::ranges::replace_if(
        words, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return words;
  }

  static std::string underlined(const std::string& words, char line) {
    return clean(words) + "\n" + std::string(words.size(), line) + "\n";
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

/// "10 %", or "1/3" when no decimals will do.
std::string share_of(const std::string& quantile) {
  const Rational percent = Rational::parse(quantile) * Rational(100);
  return percent.is_decimal() ? percent.to_decimal() + " %" : quantile;
}

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

/// Pure privacy is a bound on odds.
std::string odds_of(double epsilon, const std::string& compared) {
  const double factor = std::exp(epsilon);
  return fmt::format(
      "Whatever someone knows beforehand: seeing the published values changes the odds that he gives to any statement "
      "about one person by a factor of at most {} (e^{:.4g}), compared with a release made {}. It is the promise of a "
      "survey "
      "in which everyone answers a yes-or-no question, truly with a probability of {} % and otherwise with the "
      "opposite.",
      up(factor), epsilon, compared, up(100 * factor / (1 + factor)));
}

/// The definition of (epsilon, delta).
std::string probabilities_of(double epsilon, const std::string& delta, const std::string& compared) {
  return fmt::format(
      "Whatever may come of the published values, for good or ill: its probability is at most {} times (e^{:.4g}) what "
      "it would be of a release made {}, plus {}.",
      up(std::exp(epsilon)), epsilon, compared, delta);
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

std::string strength_of(const Budget& budget, const std::string& compared) {
  switch (budget.measure()) {
    case Measure::pure:
      return odds_of(budget.epsilon().to_double(), compared);
    case Measure::approximate:
      return probabilities_of(budget.epsilon().to_double(), budget.delta().to_string(), compared);
    case Measure::zcdp:
      return "Such a budget has no single epsilon; this is one of the promises that follow from it. " +
             probabilities_of(epsilon_of_zcdp(budget.rho(), Rational(1, 1'000'000)).to_double(), "one in a million",
                              compared);
  }
  return {};
}

void explain_strength(Page& page, const Receipt& receipt) {
  page.section("How strong the promise is");
  page.paragraph(fmt::format("The release costs {} ({}).", receipt.budget.to_string(),
                             measure_in_words(receipt.budget.measure())));
  page.paragraph(strength_of(receipt.budget, without_the_person(receipt)));
  page.paragraph("Other releases about the same people add to this cost: epsilons add up, and so do rhos.");
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
  std::vector<report_detail::Row> rows{{"share", page.typed(receipt.source.column), "off by at most"}};
  if (grouped) rows[0].insert(rows[0].begin(), page.typed(receipt.source.by));
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      rows.push_back(
          {share_of(each.quantile), each.value, each.rank_error ? *each.rank_error + " records" : "not known"});
      if (grouped) rows.back().insert(rows.back().begin(), page.typed(group.key));
    }
  }
  page.table(rows);
  if (grouped) page.paragraph("The groups were listed beforehand; an empty one has values, too.");
  const std::string found = round_numbers_in_words(receipt.groups.front());
  if (!grouped && !found.empty()) page.paragraph(found);
}

void explain_people(Page& page, const Receipt& receipt) {
  page.section("For whom the promise holds");
  const std::string records = receipt.records_per_person == "1" ? "1 record" : receipt.records_per_person + " records";
  if (receipt.source.person.empty()) {
    page.paragraph(
        fmt::format("For every person who has at most {} in the table{}. If somebody has more than that, the promise "
                    "to him is weaker in proportion.",
                    records, receipt.source.by.empty() ? "" : ", in all groups together"));
  } else {
    page.paragraph(fmt::format(
        "For every person, as the column {} tells persons apart, however many records he has: at most {} "
        "of his, chosen at random, counted{}.",
        page.typed(receipt.source.person), records, receipt.source.by.empty() ? "" : " in all groups together"));
  }
  page.paragraph(
      receipt.neighbors == "add-remove"
          ? "What is protected is whether the person's records are in the table at all, and what they say."
          : "What is protected is what the person's records say. That somebody is in the table, and how many records "
            "there are, is not, except that a record may lack its number.");
}

void explain_errors(Page& page, const Receipt& receipt) {
  page.section("How wrong the numbers may be");
  page.paragraph(
      "The values were drawn at random near the true quantiles, which is what protects people. A value is off by r "
      "records when r more or fewer of them lie at or below it than should.");
  if (!receipt.without.empty()) {
    page.paragraph(
        fmt::format("No bound is known for all values: {}. fractile plan tells usual errors.", receipt.without));
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
  if (!receipt.source.sql.empty()) {
    page.paragraph("That each row of the query's result comes from one person's records alone: " +
                   page.typed(receipt.source.sql));
  }
  page.paragraph(receipt.source.null_policy == "drop"
                     ? "Records without a number were left out."
                     : "The release would have failed had there been a record without a number.");
  if (!receipt.public_records.empty()) {
    page.paragraph(fmt::format("That the number of records, {}, is public.", receipt.public_records));
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
  page.paragraph(fmt::format("By {}, {}. Its output has exactly the probabilities that its proof is about.",
                             receipt.program,
                             alike ? fmt::format("mechanism {}{}{}", first.mechanism,
                                                 first.reason.empty() ? "" : ", chosen because: ", first.reason)
                                   : "with a mechanism for each group, which the receipt tells"));
  if (const std::string spending = spending_of(receipt); !spending.empty()) {
    page.paragraph(fmt::format("Every draw was charged before it was made{}. Of {} it took: {}.",
                               receipt.source.by.empty() ? "" : ", in every group",
                               receipt.budget.measure() == Measure::zcdp ? "rho" : "epsilon", spending));
  }
  page.paragraph("The receipt's SHA-256 is " + receipt.sha256 + "; it fits.");
}

}  // namespace

std::string explain(const Receipt& receipt, Prose prose) {
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
  explain_people(page, receipt);
  explain_strength(page, receipt);
  explain_errors(page, receipt);
  explain_assumptions(page, receipt);
  explain_origin(page, receipt);
  return page.text();
}

}  // namespace fractile
