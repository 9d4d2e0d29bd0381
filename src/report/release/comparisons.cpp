// Differences and ratios with intervals, from receipts.
#include <fmt/format.h>

#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/text_columns.hpp"

namespace fractile {
namespace {

using report_detail::csv_line;
using report_detail::OpenEnds;
using report_detail::Row;

enum class Compared { keys, quantiles };

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

Compared what_is_compared(const ComparisonRequest& request, const std::vector<std::string>& keys,
                          const std::vector<Rational>& quantiles) {
  const auto is_key = [&](const std::string& word) { return std::ranges::find(keys, word) != keys.end(); };
  if (request.first == request.second) refuse(fmt::format("'{}' would be compared with itself", request.first));
  if (is_key(request.first) && is_key(request.second)) return Compared::keys;
  for (const std::string& word : {request.first, request.second}) {
    if (is_among(word, quantiles)) continue;
    if (is_key(word)) refuse(fmt::format("'{}' is a key, and would be compared with what is none", word));
    refuse(fmt::format("'{}' is not one of the quantiles", word));
  }
  if (*quantile_of(request.first) == *quantile_of(request.second)) {
    refuse(fmt::format("'{}' would be compared with itself", request.first));
  }
  return Compared::quantiles;
}

std::vector<Rational> quantiles_of(const Receipt& receipt) {
  std::vector<Rational> quantiles;
  for (const Receipt::Published& each : receipt.groups.front().quantiles) {
    quantiles.push_back(Rational::parse(each.quantile));
  }
  return quantiles;
}

const Receipt::Group& group_of(const Receipt& receipt, const std::string& key) {
  return *std::ranges::find(receipt.groups, key, &Receipt::Group::key);
}

const Receipt::Published& quantile_in(const Receipt::Group& group, const std::string& quantile) {
  const Rational q = Rational::parse(quantile);
  return *std::ranges::find_if(group.quantiles, [&](const auto& each) { return Rational::parse(each.quantile) == q; });
}

Estimate estimate_of(const Receipt::Published& published, ValueKind kind) {
  const Receipt::Ends& ends = published.in_pairs;
  return {read_value(kind, published.value), read_value(kind, ends.lower), read_value(kind, ends.upper), ends.or_below,
          ends.or_above};
}

/// Of dates and times only the difference: where they count from is no zero.
Comparison compared_values(const Receipt::Published& first, const Receipt::Published& second, ValueKind kind) {
  Comparison comparison = compare(estimate_of(first, kind), estimate_of(second, kind));
  if (kind != ValueKind::number) comparison.ratio.reset();
  return comparison;
}

enum class Towards { lower, nearest, upper };

/// So many significant digits, or all of them where they are no more.
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

/// All of a difference.
auto in_full(ValueKind kind) {
  return [kind](const Rational& value, Towards /*end*/) { return duration_text(kind, value); };
}

/// Value, lower and upper end.
template <class Writer>
Row cells_of(const Estimate& estimate, Writer written, OpenEnds ends) {
  const Receipt::Ends texts{written(estimate.lower, Towards::lower), written(estimate.upper, Towards::upper),
                            estimate.or_below, estimate.or_above};
  return {written(estimate.value, Towards::nearest), report_detail::lower_text(texts, ends),
          report_detail::upper_text(texts, ends)};
}

Row joined(Row row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

}  // namespace

void ComparisonRequest::require_among(const std::vector<std::string>& keys,
                                      const std::vector<Rational>& quantiles) const {
  what_is_compared(*this, keys, quantiles);
}

std::vector<NamedComparison> comparisons_of(const Receipt& receipt, const ComparisonRequest& request) {
  const Compared compared = what_is_compared(request, receipt.keys(), quantiles_of(receipt));
  if (receipt.groups.front().quantiles.front().in_pairs.lower.empty()) {
    throw Error(ErrorCode::usage, "the receipt has no intervals, and nothing to compare",
                {"release with ", Field("intervals").blank("LEVEL")});
  }
  std::vector<NamedComparison> result;
  if (compared == Compared::keys) {
    const Receipt::Group& first = group_of(receipt, request.first);
    const Receipt::Group& second = group_of(receipt, request.second);
    for (std::size_t i = 0; i < first.quantiles.size(); ++i) {
      result.push_back({second.key, second.quantiles[i].quantile, first.key,
                        compared_values(first.quantiles[i], second.quantiles[i], receipt.kind)});
    }
    return result;
  }
  for (const Receipt::Group& group : receipt.groups) {
    const Receipt::Published& first = quantile_in(group, request.first);
    const Receipt::Published& second = quantile_in(group, request.second);
    result.push_back({group.key, second.quantile, first.quantile, compared_values(first, second, receipt.kind)});
  }
  return result;
}

std::string to_csv(const Receipt& receipt, const std::vector<NamedComparison>& comparisons) {
  const bool grouped = !receipt.source.by.empty();
  std::string text;
  const auto add = [&](const std::string& statistic, const std::string& key, const Row& cells) {
    Row row = joined(grouped ? Row{statistic, key} : Row{statistic}, cells);
    if (!receipt.unsafe_seed.empty()) row.push_back(text.empty() ? "unsafe_seed" : receipt.unsafe_seed);
    text += csv_line(row);
  };
  add("statistic", "key", {"quantile", "against", "value", "lower", "upper"});
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      add("value", group.key,
          {each.quantile, "", each.value, report_detail::lower_text(each.interval, OpenEnds::infinite),
           report_detail::upper_text(each.interval, OpenEnds::infinite)});
    }
  }
  for (const NamedComparison& each : comparisons) {
    const Row names{each.quantile, each.against};
    add("difference", each.key,
        joined(names, cells_of(each.comparison.difference, in_full(receipt.kind), OpenEnds::infinite)));
    if (!each.comparison.ratio) continue;
    add("ratio", each.key, joined(names, cells_of(*each.comparison.ratio, rounded<6>, OpenEnds::infinite)));
  }
  return text;
}

std::vector<report_detail::Row> report_detail::comparison_rows(const Receipt& receipt,
                                                               const std::vector<NamedComparison>& comparisons) {
  const bool grouped = !receipt.source.by.empty();
  const bool with_ratios = receipt.kind == ValueKind::number;
  Row heading{"quantile", "against", "difference", "lower", "upper"};
  if (with_ratios) heading.insert(heading.end(), {"ratio", "lower", "upper"});
  std::vector<Row> rows{joined(grouped ? Row{receipt.source.by} : Row{}, heading)};
  for (const NamedComparison& each : comparisons) {
    const std::optional<Estimate>& ratio = each.comparison.ratio;
    const Row row = joined(grouped ? Row{each.key} : Row{}, {each.quantile, each.against});
    rows.push_back(joined(row, cells_of(each.comparison.difference, in_full(receipt.kind), OpenEnds::in_words)));
    if (!with_ratios) continue;
    rows.back() =
        joined(std::move(rows.back()), ratio ? cells_of(*ratio, rounded<4>, OpenEnds::in_words) : Row{"-", "-", "-"});
  }
  return rows;
}

std::string report_detail::comparisons_in_words(const Receipt& receipt,
                                                const std::vector<NamedComparison>& comparisons) {
  // Of several groups, only the intervals of each hold at once.
  const bool of_two_groups = comparisons.front().key == comparisons.back().key;
  const bool at_once = receipt.intervals_together && of_two_groups;
  const bool with_ratios = receipt.kind == ValueKind::number;
  const bool of_persons = !receipt.source.person.empty();
  const CountsAt at = counts_at(receipt.regular_lattice, receipt.kind);
  return fmt::format("With a probability of at least {}, {}, for no further budget. What is compared is {}.",
                     share_of(Rational::parse(receipt.interval_level)),
                     at_once       ? with_ratios ? "all these differences and ratios lie between their ends at once"
                                                 : "all these differences lie between their ends at once"
                     : with_ratios ? "a difference and its ratio lie between their ends: each line by itself"
                                   : "a difference lies between its ends: each line by itself",
                     held_quantile(receipt.interval_of == "table", of_persons, at));
}

std::size_t report_detail::compared_cells(const Receipt& receipt) { return receipt.kind == ValueKind::number ? 6 : 3; }

std::string report_detail::about_comparisons(const Receipt& receipt) {
  const std::string chosen = "That is so of comparisons that were chosen before anybody looked at the values. ";
  if (receipt.kind != ValueKind::number) return chosen + "Dates and times have differences, and no ratios.";
  return chosen + "A ratio is left out where the number it divides by, or a part of its interval, is not above 0.";
}

std::string to_table(const Receipt& receipt, const std::vector<NamedComparison>& comparisons) {
  const std::vector<Row> rows = report_detail::comparison_rows(receipt, comparisons);
  return report_detail::aligned(rows, rows.front().size() - report_detail::compared_cells(receipt)) +
         report_detail::comparisons_in_words(receipt, comparisons) + "\n" + report_detail::about_comparisons(receipt) +
         "\n";
}

}  // namespace fractile
