#include "report/release/release_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/time_axis.hpp"

namespace fractile::report_detail {
namespace {

constexpr std::size_t rows_a_figure = 36;  // of groups, so that a figure fits a printed page

/// Where a value is drawn: a number, or the ticks of a time.
double place(const Receipt& receipt, const std::string& text) { return read_value(receipt.kind, text).to_double(); }

/// Outwards, in ten-thousandths.
Rational rounded_down(const Rational& share) { return (share * Rational(10'000)).floor() / Rational(10'000); }
Rational rounded_up(const Rational& share) { return (share * Rational(10'000)).ceil() / Rational(10'000); }

struct Extent {
  double least;
  double most;
};

/// With a little room on both sides.
figures::Axis axis_over(const Extent& extent, ValueKind kind) {
  const double width = extent.most - extent.least;
  if (kind != ValueKind::number) return time_axis(kind, extent.least, extent.most);
  const double room = width > 0 ? width * 0.05 : std::max(1.0, std::abs(extent.most) * 0.05);
  return {false, extent.least - room, extent.most + room};
}

Extent extent_of(const Receipt& receipt) {
  Extent extent{1e300, -1e300};
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    extent.least = std::min(extent.least, place(receipt, text));
    extent.most = std::max(extent.most, place(receipt, text));
  };
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      add(each.value);
      add(each.interval.lower);
      add(each.interval.upper);
    }
  }
  return extent;
}

/// What the bars of a figure are, or why there are none.
std::string about_bars(const Receipt& receipt) {
  if (!receipt.interval_level.empty()) {
    const CountsAt at = counts_at(receipt.regular_lattice, receipt.kind);
    return fmt::format(
        "bars: {}, {}{}", held_quantile(receipt.interval_of == "table", !receipt.source.person.empty(), at),
        share_of(Rational::parse(receipt.interval_level)), receipt.intervals_together ? " together" : " each");
  }
  if (has_share_bars(receipt)) {
    return fmt::format("bars: of which share the value may be the quantile, {} each, the error of privacy only",
                       share_of(Rational::parse(receipt.confidence)));
  }
  return "no bars, since the number of records is not public: the table has errors in records";
}

figures::Figure curve(const Receipt& receipt) {
  const bool with_intervals = !receipt.interval_level.empty();
  figures::Line line;
  line.mark = 1;
  line.spread = with_intervals ? figures::Spread::sideways : figures::Spread::upright;
  line.joined = false;
  for (const Receipt::Published& each : receipt.groups.front().quantiles) {
    const double x = place(receipt, each.value);
    const double y = Rational::parse(each.quantile).to_double();
    figures::Point point{x, y, 0, 0};
    if (with_intervals) {
      point.least = place(receipt, each.interval.lower);
      point.most = place(receipt, each.interval.upper);
    } else if (has_share_bars(receipt)) {
      const Shares shares = shares_of(receipt, each);
      point.least = shares.from.to_double();
      point.most = shares.to.to_double();
    }
    line.points.push_back(point);
  }
  figures::Axis share{false, 0, 1, {0, 0.25, 0.5, 0.75, 1}, true};
  figures::Figure figure{"release",
                         "Published values of " + receipt.source.column,
                         about_bars(receipt),
                         receipt.source.column,
                         "share of records at or below",
                         {}};
  figure.panels.push_back({"", axis_over(extent_of(receipt), receipt.kind), share, {line}});
  figure.description =
      fmt::format("{} values from {} to {}, each at its share of the records; the table has them.", line.points.size(),
                  receipt.groups.front().quantiles.front().value, receipt.groups.front().quantiles.back().value);
  return figure;
}

// --- Groups -----------------------------------------------------------------------------------------------------------

std::optional<double> value_at(const Receipt& receipt, const Receipt::Group& group, const Rational& quantile) {
  for (const Receipt::Published& each : group.quantiles) {
    if (Rational::parse(each.quantile) == quantile) return place(receipt, each.value);
  }
  return {};
}

/// A box of the quartiles, where both were asked for.
figures::Range range_of(const Receipt& receipt, const Receipt::Group& group) {
  figures::Range range{group.key, place(receipt, group.quantiles.front().value),
                       place(receipt, group.quantiles.back().value)};
  range.box_from = value_at(receipt, group, Rational(1, 4));
  range.box_to = value_at(receipt, group, Rational(3, 4));
  range.middle = value_at(receipt, group, Rational(1, 2));
  for (const Receipt::Published& each : group.quantiles) {
    range.marks.push_back(place(receipt, each.value));
    if (each.interval.lower.empty()) continue;
    range.least = std::min(range.least, place(receipt, each.interval.lower));
    range.most = std::max(range.most, place(receipt, each.interval.upper));
  }
  return range;
}

/// By their middle values, from the largest on; groups of equal ones as they were listed.
std::vector<const Receipt::Group*> sorted_groups(const Receipt& receipt) {
  struct Placed {
    Rational middle;
    const Receipt::Group* group;
  };
  std::vector<Placed> placed;
  for (const Receipt::Group& group : receipt.groups) {
    placed.push_back({read_value(receipt.kind, group.quantiles[group.quantiles.size() / 2].value), &group});
  }
  std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) { return a.middle > b.middle; });
  std::vector<const Receipt::Group*> groups;
  groups.reserve(placed.size());
  for (const Placed& each : placed) groups.push_back(each.group);
  return groups;
}

std::string about_rows(const Receipt& receipt) {
  std::string text = "thin lines from the lowest value to the highest, a stroke at each";
  if (!receipt.interval_level.empty()) text = "thin lines over all intervals, a stroke at each value";
  const Receipt::Group& group = receipt.groups.front();
  if (value_at(receipt, group, Rational(1, 4)) && value_at(receipt, group, Rational(3, 4)))
    text += ", a box from 25 % to 75 %";
  if (value_at(receipt, group, Rational(1, 2))) text += ", a thick stroke at 50 %";
  return text + "; the table says how far each may be off";
}

void draw_groups(Page& page, const Receipt& receipt) {
  const std::vector<const Receipt::Group*> groups = sorted_groups(receipt);
  const std::size_t figures = (groups.size() + rows_a_figure - 1) / rows_a_figure;
  const figures::Axis axis = axis_over(extent_of(receipt), receipt.kind);
  for (std::size_t f = 0; f < figures; ++f) {
    const std::size_t first = f * rows_a_figure;
    const std::size_t end = std::min(groups.size(), first + rows_a_figure);
    figures::RangeFigure figure{
        figures == 1 ? "release" : fmt::format("release_{}", f + 1), {}, receipt.source.column, axis, {}};
    const std::string which = figures == 1 ? "" : fmt::format(", groups {} to {} of {}", first + 1, end, groups.size());
    figure.title = fmt::format("{} by {}{}, from the highest middle value on: {}", receipt.source.column,
                               receipt.source.by, which, about_rows(receipt));
    figure.description = fmt::format("{} groups; the table has their values.", end - first);
    for (std::size_t g = first; g < end; ++g) figure.rows.push_back(range_of(receipt, *groups[g]));
    page.figure(figure);
  }
}

/// The same for all groups?
bool have_equal_errors(const Receipt& receipt) {
  const auto& first = receipt.groups.front().quantiles;
  return std::ranges::all_of(receipt.groups, [&](const Receipt::Group& group) {
    return std::ranges::equal(group.quantiles, first, {}, &Receipt::Published::rank_error,
                              &Receipt::Published::rank_error);
  });
}

std::string error_text(const Receipt::Published& value) { return value.rank_error.value_or("not known"); }

}  // namespace

bool has_share_bars(const Receipt& receipt) {
  const Receipt::Group& group = receipt.groups.front();
  return receipt.source.by.empty() && receipt.interval_level.empty() && !receipt.public_records.empty() &&
         receipt.public_records != "0" && receipt.source.null_policy == "error" && receipt.source.person.empty() &&
         std::ranges::all_of(group.quantiles, [](const auto& each) { return each.rank_error.has_value(); });
}

Shares shares_of(const Receipt& receipt, const Receipt::Published& value) {
  const Rational quantile = Rational::parse(value.quantile);
  const Rational reach = Rational::parse(*value.rank_error) / Rational::parse(receipt.public_records);
  return {rounded_down(std::max(Rational(0), quantile - reach)), rounded_up(std::min(Rational(1), quantile + reach))};
}

void draw_release(Page& page, const Receipt& receipt) {
  if (receipt.source.by.empty()) {
    page.figure(curve(receipt));
  } else {
    draw_groups(page, receipt);
  }
}

std::string about_wide_rows(const Receipt& receipt) {
  if (!receipt.interval_level.empty()) return "with their intervals";
  return have_equal_errors(receipt) ? "and in the first row by how many records they may be off"
                                    : "with the number of records that each may be off";
}

std::vector<Row> wide_rows(const Receipt& receipt) {
  const bool with_intervals = !receipt.interval_level.empty();
  const bool equal = !with_intervals && have_equal_errors(receipt);
  std::vector<Row> rows{{receipt.source.by}};
  const std::vector<Receipt::Published>& quantiles = receipt.groups.front().quantiles;
  for (const Receipt::Published& each : quantiles) rows[0].push_back(share_of(Rational::parse(each.quantile)));
  if (equal) {
    rows.push_back({"(off by at most)"});
    for (const Receipt::Published& each : quantiles) rows.back().push_back(error_text(each));
  }
  for (const Receipt::Group& group : receipt.groups) {
    rows.push_back({group.key});
    for (const Receipt::Published& each : group.quantiles) {
      std::string cell = each.value;
      if (with_intervals) {
        cell += fmt::format(" ({} to {})", lower_text(each.interval, OpenEnds::in_words),
                            upper_text(each.interval, OpenEnds::in_words));
      } else if (!equal) {
        cell += fmt::format(" ({})", error_text(each));
      }
      rows.back().push_back(std::move(cell));
    }
  }
  return rows;
}

}  // namespace fractile::report_detail
