// A release in plain language. It says what docs/proofs prove, and no more.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "report/release/cells.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/explained_guess.hpp"
#include "report/release/explained_parts.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/plan_words.hpp"
#include "report/release/release_figure.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/release/statistics_words.hpp"
#include "report/text/page.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

// --- Words -------------------------------------------------------------------------------------------------------------

std::string percent_of(const Rational& share) { return fmt::format("{:.4g} %", (share * Rational(100)).to_double()); }

std::string table_name(const Page& page, const Release& release) {
  if (!release.source.sql.empty()) return "the result of a query";
  if (release.source.file.empty()) return "a table";  // on a public page
  if (const std::size_t files = release.source.files.size(); files > 0) {
    return fmt::format("{} ({} {})", page.typed(release.source.file), files, files == 1 ? "file" : "files");
  }
  return release.source.file == "-" ? "standard input" : page.typed(release.source.file);
}

/// One line per value. Pages with figures also show between which shares the value is a quantile, when bars of shares are drawn.
CellTable listed_values(const Page& page, const Release& release) {
  const bool with_shares = page.has_figures() && has_share_bars(release);
  CellTable table{TableHead{"release", "The published values", key_columns_of(release) + 1}, {}, {}, {}};
  table.headings = behind_key(GroupKey(typed(page, key_headings(release))),
                              {"share", values_in_words(release.source, page.typed(release.source.column))});
  if (release.query.intervals) {
    table.headings.insert(table.headings.end(), {"from", "to"});
  } else {
    table.headings.push_back("off by at most, in " + counted_noun(release.source));
  }
  if (with_shares) table.headings.insert(table.headings.end(), {"a quantile of, from", "to"});
  for (const Release::Group& group : release.groups) {
    for (std::size_t i = 0; i < group.indices.size(); ++i) {
      CellTable::Line& line = table.lines.emplace_back(CellTable::Line{
          behind_key(GroupKey(typed(page, group.key.texts())), {share_of(release.query.quantiles[i])}), {}});
      CellTable::Cell cell = value_cell(release, group, i);
      line.cells.push_back({cell.value});
      for (CellTable::Number& end : cell.beside) line.cells.push_back({std::move(end)});
      if (!release.query.intervals) line.cells.push_back({error_of(group, i)});
      if (!with_shares) continue;
      const Shares shares = shares_of(release, i);
      line.cells.push_back({share_of(shares.from)});
      line.cells.push_back({share_of(shares.to)});
    }
  }
  return table;
}

/// A table with as many values on one line as fit on a page.
CellTable published_table(const Page& page, const Release& release) {
  constexpr std::size_t most_columns = 10;
  const std::size_t quantiles = release.query.quantiles.size();
  if (!page.has_figures() || !release.is_grouped() || quantiles > most_columns) return listed_values(page, release);
  if (key_columns_of(release) == 2 && quantiles == 1) {
    CellTable crossed = crossed_table(release);
    if (crossed.headings.size() <= most_columns) return crossed;
  }
  return wide_table(release);
}

void explain_values(Page& page, const Release& release) {
  page.section("What was published");
  const bool grouped = release.is_grouped();
  if (release.source.per_person) {
    page.paragraph(fmt::format(
        "Each person counts once{}: with {}.",
        grouped ? fmt::format(" in a group, in {} of their groups at most", release.query.records_per_person) : "",
        one_value_in_words(*release.source.per_person)));
  }
  if (release.query.quantiles.empty()) {
    return page.paragraph(fmt::format("Statistics of the column {} of {}, and no quantiles.",
                                      page.typed(release.source.column), table_name(page, release)));
  }
  page.paragraph(fmt::format(
      "Quantiles of {} of {}. A percentage says approximately what share of {} lies at or below the value{}:",
      column_in_words(release.source, page.typed(release.source.column)), table_name(page, release),
      records_in_words(release.source), and_where_they_count(release.lattice)));
  if (page.has_figures()) draw_release(page, release);
  page.table(published_table(page, release));
  if (grouped) page.paragraph("The groups were listed beforehand; an empty group has values, too.");
  const std::string found = round_numbers_in_words(release);
  if (!grouped && !found.empty()) {
    page.paragraph(
        fmt::format("A part of the budget suggested that {}; the values above were drawn accordingly.", found));
  }
}

void explain_comparisons(Page& page, const Release& release, const std::vector<NamedComparison>& comparisons) {
  page.section(compared_heading);
  std::vector<Row> rows = comparison_rows(release, comparisons);
  const auto compared = static_cast<std::ptrdiff_t>(compared_cells(release));
  for (Row& row : rows) {
    std::ranges::transform(row.begin(), row.end() - compared, row.begin(),
                           [&](const std::string& name) { return page.typed(name); });
  }
  const bool with_ratios = release.lattice.kind() == ValueKind::number;
  page.table({"comparisons", with_ratios ? "Differences and ratios" : "Differences",
              rows.front().size() - compared_cells(release)},
             rows);
  page.paragraph(comparisons_in_words(release, comparisons) + " " + about_comparisons(release));
}

void warn_of_noise(Page& page, const Release& release) {
  for (const auto& noise :
       {report_detail::doubtful_bounds_in_words(release), noise_in_words(release), empty_groups_in_words(release)}) {
    if (noise) page.paragraph(fmt::format("Warning: {}: {}.", page.typed(noise->what), page.typed(noise->hint)));
  }
}

/// The question that the intervals answer, their level, and what they assume.
void explain_intervals(Page& page, const Release& release) {
  const bool of_table = release.query.intervals->subject == IntervalSubject::table;
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}. The table above has beside each "
      "value an interval for {}. {}",
      records_in_words(release.source), held_quantile(release),
      of_table ? "An interval says nothing about people who are not in the table."
               : "An interval covers both the error added for privacy and the error of sampling."));
  page.paragraph(fmt::format(
      "With a probability of at least {}, {}. This holds whatever the {}.", share_of(release.query.intervals->level),
      release.query.intervals->is_simultaneous
          ? fmt::format("all intervals{} hold their quantiles at once", !release.is_grouped() ? "" : " of a group")
          : "an interval holds its quantile: each by itself, not all of them at once",
      of_table ? "data are" : "distribution is"));
  if (!of_table) {
    page.paragraph(
        "Nothing checks that the records are a simple random sample, as is assumed below. For a census, volunteers or "
        "a sample with weights, the intervals do not mean what they seem to mean.");
  }
  explain_counted(page, release);
  explain_open_ends(page);
}

void explain_errors(Page& page, const Release& release, bool is_typical_known) {
  page.section("How wrong the numbers may be");
  if (release.query.quantiles.empty()) {
    page.paragraph("To protect people, noise was added to counts. The intervals above say how far off they may be.");
    return explain_counted(page, release);
  }
  if (release.query.intervals) return explain_intervals(page, release);
  page.paragraph(fmt::format(
      "To protect people, the values were drawn at random near the quantiles of {}{}. A value is a quantile when no "
      "more than the wanted share of these {} lies below it, and no less than this share lies at or below it. A value "
      "is off by r {} when one of these two numbers of {} misses the share by r.",
      records_in_words(release.source), and_where_they_count(release.lattice), counted_noun(release.source),
      counted_noun(release.source), counted_noun(release.source)));
  if (!release.errors->unbounded_reason.empty()) {
    page.paragraph(fmt::format("No bound is known for all values: {}. fractile plan shows typical errors.",
                               page.typed(release.errors->unbounded_reason)));
    return explain_counted(page, release);
  }
  page.paragraph(fmt::format(
      "With a probability of at least {}, each value taken by itself is off by no more than the table above says, "
      "whatever the data, {}.{} Typical errors are many times smaller{}.",
      percent_of(release.errors->confidence), up_to_records(release, release.is_grouped() ? " in a group" : ""),
      !release.errors->simultaneous_rank
          ? ""
          : fmt::format(" With the same probability no value is off by more than {}.",
                        with_separators(std::to_string(*release.errors->simultaneous_rank))),
      is_typical_known ? "" : ": fractile plan shows them"));
  page.paragraph(
      "This is only the error added for privacy. It does not include how well the table's records represent other "
      "people.");
  if (release.errors->rounding) explain_rounded(page, *release.errors->rounding);
  explain_counted(page, release);
}

/// How the range was found, and with which probability it holds the quantiles.
void explain_found_bounds(Page& page, const Release& release) {
  if (!release.bounds) return;
  std::string surely = " The probability that it holds the quantiles is not known";
  if (release.bounds->enough_records) {
    surely = fmt::format(
        " With a probability of at least {} it holds all quantiles that were asked for, if at least {} {} count",
        percent_of(release.errors->confidence), *release.bounds->enough_records, counted_noun(release.source));
  } else if (release.is_grouped()) {
    surely =
        " The probability that it holds the quantiles of a group is not known, since it was found among the records of "
        "all groups";
  }
  page.paragraph(fmt::format(
      "{} of the budget found the range of possible values, {}, which is not the range of the data.{}. A quantile "
      "beyond the range counts as its nearest end.",
      percent_of(release.bounds->share), lattice_in_words(release.lattice), surely));
}

void explain_what_was_left_out(Page& page, const Release& release) {
  std::vector<std::string> missing;
  for (const std::string& text : release.source.missing) missing.push_back("'" + page.typed(text) + "'");
  const bool is_declared = !missing.empty();
  if (release.source.null_policy == NullPolicy::drop) {
    page.paragraph(fmt::format("Records in which the column holds {}{} were left out.",
                               report_detail::left_out_in_words(release.source, release.lattice.kind()),
                               release.source.weights ? ", or which have no weight," : ""));
  }
  if (is_declared) page.paragraph(fmt::format("Also declared to be missing: {}.", fmt::join(missing, ", ")));
  explain_others(page, release);
}

void explain_assumptions(Page& page, const Release& release) {
  explain_declared(page, declarations_of(release, [&](const std::string& words) { return page.typed(words); }));
  explain_found_bounds(page, release);
  if (!release.source.sql.empty()) explain_query(page, release);
  if (release.lattice.kind() == ValueKind::instant) page.paragraph("All times are in UTC.");
  explain_what_was_left_out(page, release);
  explain_failures(page, failures_of(release));
}

/// The words for a part of a release as receipts name it (docs/receipt.md, `spent`).
std::string part_in_words(const Page& page, const std::string& part) {
  static const std::map<std::string, std::string> words{
      {"bounds", "finding the range of the values"},
      {"rows", "a noisy count of the records"},
      {"granularity", "finding the number of which the values are multiples"},
      {"heaps", "finding whether many values are round numbers"},
      {"counts", "noisy counts, from which the values were read"},
      {"cells", "noisy counts, which decided the intervals and may have moved the values"},
      {"quantiles", "drawing values"},
      {"count", "counting records"},
      {"sum", "the mean"},
  };
  if (const auto known = words.find(part); known != words.end()) return known->second;
  return part.starts_with("level ") ? "drawing values (" + page.typed(part) + ")" : page.typed(part);
}

/// An amount of a budget. A fraction that is too long to read is rounded to four digits.
std::string amount_in_words(const std::string& amount) {
  constexpr std::size_t longest = 15;
  const bool is_fraction = amount.find_first_not_of("0123456789/") == std::string::npos;
  if (amount.size() <= longest || !is_fraction) return amount;
  return "about " + plain(Rational::parse(amount).to_double(), 4);
}

/// What was spent on which part, if a receipt says so; empty for several groups that differ.
std::string spending_of(const Page& page, const Release& release) {
  const std::vector<PartCost>& spent = release.groups.front().spent;
  const bool alike = std::ranges::all_of(release.groups, [&](const Release::Group& group) {
    return std::ranges::equal(group.spent, spent,
                              [](const auto& a, const auto& b) { return a.part == b.part && a.amount == b.amount; });
  });
  if (spent.size() < 2 || !alike) return {};
  std::string text;
  for (const PartCost& part : spent)
    text += (text.empty() ? "" : "; ") + amount_in_words(part.amount.to_string()) + " for " +
            part_in_words(page, part.part);
  return text;
}

void explain_origin(Page& page, const Release& release) {
  page.section("How it was done");
  const MechanismUsed& first = release.groups.front().used;
  const auto all_have = [&](const auto& member) {
    return std::ranges::all_of(release.groups,
                               [&](const Release::Group& group) { return group.used.*member == first.*member; });
  };
  const bool alike = all_have(&MechanismUsed::mechanism);
  const std::string reason = all_have(&MechanismUsed::reason) ? first.reason : "";
  page.paragraph(fmt::format("By {}, {}. Its output has exactly the probabilities that its proof is about.",
                             release.program,
                             release.query.quantiles.empty() ? "with " + std::string(noise_on_counts)
                             : alike ? fmt::format("mechanism {}{}{}", to_string(first.mechanism),
                                                   reason.empty() ? "" : ", chosen because: ", page.typed(reason))
                                     : "with a mechanism for each group, which the receipt names"));
  if (const std::string spending = spending_of(page, release); !spending.empty()) {
    page.paragraph(fmt::format("Every draw was charged before it was made{}. The parts of {} are: {}.",
                               !release.is_grouped() ? "" : ", in every group", release.cost().to_string(), spending));
  }
  explain_proofs(page, proofs_of(release));
  if (const std::optional<Charge>& charge = release.charge) {
    page.paragraph(fmt::format("A ledger paid for the release: entry {}{}.", charge->entry,
                               charge->dataset.empty() ? "" : " of the dataset " + page.typed(charge->dataset)));
  }
  page.paragraph("The receipt's SHA-256 is " + sha256_of(release.receipt) + "; it was checked.");
}

// --- For those who decide, and those who check -------------------------------------------------------------------------

/// The largest of all errors; nothing when one of them is not known.
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

std::string worst_in_short(const Release& release) {
  if (release.query.intervals) {
    const std::string held = held_quantile(release);
    return fmt::format("Each value has an interval beside it that holds {}{} with a probability of at least {}{}.",
                       held, held.find(',') == std::string::npos ? "" : ",", share_of(release.query.intervals->level),
                       release.query.intervals->subject == IntervalSubject::population
                           ? ", if the sample is a simple random one"
                           : "");
  }
  if (release.query.quantiles.empty()) {
    return fmt::format(
        "Each number has an interval beside it that holds, with a probability of at least {}, the true value for {}{}.",
        share_of(release.statistics->level), records_in_words(release.source), and_where_statistics_count(release));
  }
  const std::optional<std::uint64_t> largest = largest_error(release);
  if (!largest) return "How far the values may be off at worst is not known for all of them.";
  return fmt::format(
      "With a probability of at least {} each, the values miss the quantiles of {}{}, by at most {}, {}.",
      percent_of(release.errors->confidence), records_in_words(release.source), and_where_they_count(release.lattice),
      counted_in_words(release.source, *largest), up_to_records(release, release.is_grouped() ? " in a group" : ""));
}

void explain_in_short(Page& page, const Release& release, const std::optional<TypicalError>& typical,
                      const PageOptions& options) {
  page.section(short_heading);
  std::vector<std::string> items{promise_in_short(report_detail::promise_of(release))};
  if (typical) items.push_back(typical_in_words(*typical, release.source, counts_at(release.lattice), "a value is"));
  items.push_back(worst_in_short(release));
  if (options.account) items.push_back(account_in_short(*options.account));
  page.list(items);
}

/// What anyone may learn about the table or knew before.
void explain_unprotected(Page& page, const Release& release) {
  std::vector<std::string> items;
  items.push_back(!release.bounds ? fmt::format("The possible values, {}, which were chosen beforehand.",
                                                lattice_in_words(release.lattice))
                                  : "The distance between possible values, which was chosen beforehand.");
  items.push_back(fmt::format("Which {} were asked for, of which column, and at what cost.",
                              release.query.quantiles.empty() ? "statistics" : "quantiles"));
  if (release.is_grouped()) items.emplace_back("The list of groups, which is public knowledge.");
  if (release.public_rows) {
    items.push_back(fmt::format("The number of rows, {}, which was declared public.",
                                with_separators(std::to_string(*release.public_rows))));
  }
  report_detail::explain_unprotected(page, report_detail::promise_of(release), std::move(items));
}

void explain_words(Page& page, const Release& release) {
  page.section("What the words mean");
  page.glossary(
      words_of(report_detail::promise_of(release),
               record_in_words(release.source, value_in_words(release.lattice.kind()), release.is_grouped())));
}

std::string title_of(const Page& page, const Release& release, const About& about) {
  if (!about.title.empty()) return page.typed(about.title);
  const std::size_t quantiles = release.query.quantiles.size();
  const std::string what = quantiles == 0 ? "Counts" : counted(quantiles, "quantile");
  return fmt::format("{} of {}{}", what, values_in_words(release.source, page.typed(release.source.column)),
                     !release.is_grouped() ? "" : " by " + page.typed(to_string(release.source.by)));
}

void explain_on(Page& page, const Release& release, const std::vector<NamedComparison>& comparisons,
                const PageOptions& options) {
  page.title(title_of(page, release, options.about));
  explain_about(page, options.about);
  const std::optional<TypicalError> typical = typical_error(release);
  if (release.unsafe_seed) {
    warn_of_seed(page, *release.unsafe_seed);
  } else {
    explain_in_short(page, release, typical, options);
  }
  warn_of_noise(page, release);
  explain_values(page, release);
  explain_statistics(page, release);
  if (!comparisons.empty()) explain_comparisons(page, release, comparisons);
  explain_people(page, report_detail::promise_of(release));
  explain_strength(page, report_detail::promise_of(release));
  if (!options.guess_above.empty() && !release.unsafe_seed) {
    explain_guess(page, release, options.guess_above);
  }
  explain_errors(page, release, typical && !release.unsafe_seed);
  if (options.account) explain_account(page, options, "this one");
  explain_assumptions(page, release);
  explain_unprotected(page, release);
  explain_origin(page, release);
  explain_checks(page, !release.is_grouped() ? "" : " in a group", !release.query.quantiles.empty(),
                 release.statistics.has_value());
  explain_words(page, release);
}

}  // namespace

std::string explain(const Release& release, Prose prose, const std::vector<NamedComparison>& comparisons,
                    const PageOptions& options) {
  const OwnEnvironment own;
  ProsePage page(prose);
  explain_on(page, with_told_bounds(with_receipt(release)), comparisons, options);
  return page.text();
}

WebPage to_html(const Release& release, const std::vector<NamedComparison>& comparisons, const PageOptions& options) {
  const OwnEnvironment own;
  const Release whole = with_told_bounds(with_receipt(release));
  HtmlPage page;
  explain_on(page, options.is_public ? for_everybody(whole) : whole, comparisons, options);
  if (!options.is_public) hold_receipt(page, whole.receipt);
  return std::move(page).finished();
}

}  // namespace fractile
