// Differences and ratios with intervals, from receipts.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "report/release/cells.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {

using namespace report_detail;

namespace {

std::optional<Rational> quantile_of(const std::string& word) {
  try {
    return Rational::parse(word);
  } catch (const Error&) {
    return {};
  }
}

bool is_among(const std::string& word, const std::vector<Rational>& quantiles) {
  const std::optional<Rational> q = quantile_of(word);
  return q && std::ranges::find(quantiles, *q) != quantiles.end();
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, what,
              "name two keys of the groups, or two of the quantiles: 0.25,0.75 compares the quartiles");
}

/// Pairs of places of two groups whose keys differ in one column only.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

GroupKey with_text(const GroupKey& key, std::size_t column, const std::string& text) {
  std::vector<std::string> texts = key.texts();
  texts[column] = text;
  return GroupKey(std::move(texts));
}

/// The columns in which this word is a key.
std::vector<std::size_t> columns_with(const std::string& word, const std::vector<GroupKey>& keys) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; !keys.empty() && column < keys.front().size(); ++column) {
    const auto has_word = [&](const GroupKey& key) { return key[column] == word; };
    if (std::ranges::any_of(keys, has_word)) columns.push_back(column);
  }
  return columns;
}

/// The groups of the second key in order, each paired with its counterpart of the first key.
Pairs pairs_of(const ComparisonRequest& request, std::size_t column, const std::vector<GroupKey>& keys) {
  std::map<GroupKey, std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i], i);
  Pairs pairs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i][column] != request.second) continue;
    const auto first = places.find(with_text(keys[i], column, request.first));
    if (first != places.end()) pairs.emplace_back(first->second, i);
  }
  return pairs;
}

/// The pairs of groups if two keys are compared; no pairs if two quantiles are.
Pairs what_is_compared(const ComparisonRequest& request, const std::vector<GroupKey>& keys,
                       const std::vector<Rational>& quantiles) {
  if (request.first == request.second) refuse(fmt::format("'{}' would be compared with itself", request.first));
  const std::vector<std::size_t> of_first = columns_with(request.first, keys);
  const std::vector<std::size_t> of_second = columns_with(request.second, keys);
  std::vector<std::size_t> columns;
  std::ranges::set_intersection(of_first, of_second, std::back_inserter(columns));
  if (columns.size() > 1) {
    refuse(fmt::format("'{}' and '{}' are both keys of more than one column", request.first, request.second));
  }
  if (columns.size() == 1) {
    Pairs pairs = pairs_of(request, columns.front(), keys);
    if (pairs.empty()) {
      refuse(fmt::format("no group with '{}' has a counterpart with '{}'", request.first, request.second));
    }
    return pairs;
  }
  const auto is_key = [&](const std::string& word) { return !columns_with(word, keys).empty(); };
  const bool are_quantiles = is_among(request.first, quantiles) && is_among(request.second, quantiles);
  if (!of_first.empty() && !of_second.empty() && !are_quantiles) {
    refuse(fmt::format("'{}' and '{}' are keys of different columns", request.first, request.second));
  }
  for (const std::string& word : {request.first, request.second}) {
    if (is_among(word, quantiles) || is_key(word)) continue;
    const bool is_beside_key = is_key(request.first) || is_key(request.second);
    const bool may_be_key = !keys.empty() && keys.front().size() > 0 && (is_beside_key || !quantile_of(word));
    refuse(fmt::format("'{}' is {} of the quantiles", word,
                       may_be_key ? "neither a key of the groups nor one" : "not one"));
  }
  for (const std::string& word : {request.first, request.second}) {
    if (is_key(word) && !is_among(word, quantiles))
      refuse(fmt::format("'{}' is a key, and would be compared with something that is not a key", word));
  }
  if (*quantile_of(request.first) == *quantile_of(request.second)) {
    refuse(fmt::format("'{}' would be compared with itself", request.first));
  }
  return {};
}

std::size_t place_of(const Release& release, const std::string& quantile) {
  const auto& quantiles = release.query.quantiles;
  return static_cast<std::size_t>(std::ranges::find(quantiles, Rational::parse(quantile)) - quantiles.begin());
}

/// Dates and times have only a difference, since their origin is not a zero.
Comparison compared_values(const Release& release, const Estimate& first, const Estimate& second) {
  Comparison comparison = compare(first, second);
  if (release.lattice.kind() != ValueKind::number) comparison.ratio.reset();
  return comparison;
}

enum class Towards { lower, nearest, upper };

/// This many significant digits, or all digits if there are no more.
template <int Digits>
std::string rounded(const Rational& ratio, Towards end) {
  if (ratio.is_decimal() && ratio.to_decimal().size() <= Digits + 2) return ratio.to_decimal();
  constexpr int most_digits = 30;
  Rational scale(1);
  const Rational magnitude = ratio.sign() < 0 ? Rational(0) - ratio : ratio;
  for (int i = 0; i < most_digits && magnitude * scale < Rational(10).pow(Digits - 1); ++i) scale *= Rational(10);
  const Rational scaled = ratio * scale;
  const Rational whole = end == Towards::lower   ? scaled.floor()
                         : end == Towards::upper ? scaled.ceil()
                                                 : (scaled + Rational(1, 2)).floor();
  return (whole / scale).to_decimal();
}

/// Writes all digits of a difference.
auto difference_writer(ValueKind kind) {
  return [kind](const Rational& value, Towards /*end*/) { return duration_text(kind, value); };
}

/// The cells of the value, the lower end and the upper end.
template <class Writer>
Row cells_of(const Estimate& estimate, Writer written, OpenEnds ends) {
  const Ends texts{written(estimate.lower, Towards::lower), written(estimate.upper, Towards::upper), estimate.or_below,
                   estimate.or_above};
  return {written(estimate.value, Towards::nearest), lower_text(texts, ends), upper_text(texts, ends)};
}

Row appended(Row row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

}  // namespace

void ComparisonRequest::require_among(const std::vector<GroupKey>& keys, const std::vector<Rational>& quantiles) const {
  what_is_compared(*this, keys, quantiles);
}

std::vector<NamedComparison> comparisons_of(const Release& release, const ComparisonRequest& request) {
  const std::vector<Rational>& quantiles = release.query.quantiles;
  const Pairs pairs = what_is_compared(request, release.keys(), quantiles);
  if (release.groups.front().intervals_in_pairs.empty()) {
    throw Error(ErrorCode::usage, "the receipt has no intervals, so nothing can be compared",
                {"release with ", Field("intervals").blank("LEVEL")});
  }
  std::vector<NamedComparison> result;
  for (const auto& [first, second] : pairs) {
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      result.push_back({release.groups[second].key, release.query.name(i), request.first,
                        compared_values(release, estimate_in_pairs(release, release.groups[first], i),
                                        estimate_in_pairs(release, release.groups[second], i))});
    }
  }
  if (!pairs.empty()) return result;
  const std::size_t first = place_of(release, request.first);
  const std::size_t second = place_of(release, request.second);
  for (const Release::Group& group : release.groups) {
    result.push_back({group.key, release.query.name(second), release.query.name(first),
                      compared_values(release, estimate_in_pairs(release, group, first),
                                      estimate_in_pairs(release, group, second))});
  }
  return result;
}

std::string to_csv(const Release& release, const std::vector<NamedComparison>& comparisons) {
  const ValueKind kind = release.lattice.kind();
  const Row headings{release.statistics ? "at" : "quantile", "against", "value", "lower", "upper"};
  std::string text;
  const auto add = [&](const std::string& statistic, const Row& key, const Row& cells) {
    Row row = appended(appended({statistic}, key), cells);
    if (release.unsafe_seed) row.push_back(text.empty() ? "unsafe_seed" : std::to_string(*release.unsafe_seed));
    text += csv_line(row);
  };
  const Row others = appended({"statistic", "unsafe_seed"}, headings);
  add("statistic", release.is_grouped() ? csv_key_headings(release, others) : Row(), headings);
  for (const Release::Group& group : release.groups) {
    for (std::size_t i = 0; i < group.indices.size(); ++i) {
      const Ends ends = ends_of(release.lattice, group.intervals[i]);
      add("value", group.key.texts(),
          {release.query.name(i), "", release.lattice.text(group.indices[i]), lower_text(ends, OpenEnds::infinite),
           upper_text(ends, OpenEnds::infinite)});
    }
    for (const StatisticRow& each : statistic_rows(release, group)) {
      add(each.statistic, group.key.texts(), {each.at, "", each.value, each.lower, each.upper});
    }
  }
  for (const NamedComparison& each : comparisons) {
    const Row names{each.quantile, each.against};
    add("difference", each.key.texts(),
        appended(names, cells_of(each.comparison.difference, difference_writer(kind), OpenEnds::infinite)));
    if (!each.comparison.ratio) continue;
    add("ratio", each.key.texts(), appended(names, cells_of(*each.comparison.ratio, rounded<6>, OpenEnds::infinite)));
  }
  return text;
}

std::vector<report_detail::Row> report_detail::comparison_rows(const Release& release,
                                                               const std::vector<NamedComparison>& comparisons) {
  const bool with_ratios = release.lattice.kind() == ValueKind::number;
  Row heading{"quantile", "against", "difference", "lower", "upper"};
  if (with_ratios) heading.insert(heading.end(), {"ratio", "lower", "upper"});
  std::vector<Row> rows{appended(key_headings(release), heading)};
  for (const NamedComparison& each : comparisons) {
    const std::optional<Estimate>& ratio = each.comparison.ratio;
    const Row row = behind_key(each.key, {each.quantile, each.against});
    rows.push_back(appended(
        row, cells_of(each.comparison.difference, difference_writer(release.lattice.kind()), OpenEnds::in_words)));
    if (!with_ratios) continue;
    rows.back() =
        appended(std::move(rows.back()), ratio ? cells_of(*ratio, rounded<4>, OpenEnds::in_words) : Row{"-", "-", "-"});
  }
  return rows;
}

std::string report_detail::comparisons_in_words(const Release& release,
                                                const std::vector<NamedComparison>& comparisons) {
  // For several groups, only the intervals within each group hold at once.
  const bool of_two_groups = comparisons.front().key == comparisons.back().key;
  const bool at_once = release.query.intervals->is_simultaneous && of_two_groups;
  const bool with_ratios = release.lattice.kind() == ValueKind::number;
  return fmt::format("With a probability of at least {}, {}, for no further budget. Each side of a comparison is {}.",
                     share_of(release.query.intervals->level),
                     at_once       ? with_ratios ? "all these differences and ratios lie between their ends at once"
                                                 : "all these differences lie between their ends at once"
                     : with_ratios ? "a difference and its ratio lie between their ends: each line by itself"
                                   : "a difference lies between its ends: each line by itself",
                     held_quantile(release));
}

std::size_t report_detail::compared_cells(const Release& release) {
  return release.lattice.kind() == ValueKind::number ? 6 : 3;
}

std::string report_detail::about_comparisons(const Release& release) {
  const std::string chosen = "This holds for comparisons that were chosen before anybody looked at the values. ";
  if (release.lattice.kind() != ValueKind::number) return chosen + "Dates and times have differences, but no ratios.";
  return chosen + "A ratio is left out where the number it divides by, or a part of its interval, is not above 0.";
}

std::string to_table(const Release& release, const std::vector<NamedComparison>& comparisons) {
  const std::vector<Row> rows = comparison_rows(release, comparisons);
  return aligned(rows, rows.front().size() - compared_cells(release)) + comparisons_in_words(release, comparisons) +
         "\n" + about_comparisons(release) + "\n";
}

}  // namespace fractile
