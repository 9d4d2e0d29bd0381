#include "report/release/release_figure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "libraries/fmt.hpp"
#include "report/release/cells.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/text/time_axis.hpp"

namespace fractile::report_detail {
namespace {

constexpr std::size_t rows_a_figure = 36;  // groups in a figure, so that it fits on a printed page

/// Where a value is drawn: a number, or the ticks of a time.
double place(const Release& release, std::uint64_t index) { return release.lattice.at(index).to_double(); }

struct Extent {
  double least;
  double most;
};

/// The axis over an extent, with a little room on both sides.
figures::Axis axis_over(const Extent& extent, ValueKind kind) {
  const double width = extent.most - extent.least;
  if (kind != ValueKind::number) return time_axis(kind, extent.least, extent.most);
  const double room = width > 0 ? width * 0.05 : std::max(1.0, std::abs(extent.most) * 0.05);
  return {false, extent.least - room, extent.most + room};
}

Extent extent_of(const Release& release) {
  Extent extent{1e300, -1e300};
  const auto add = [&](std::uint64_t index) {
    extent.least = std::min(extent.least, place(release, index));
    extent.most = std::max(extent.most, place(release, index));
  };
  for (const Release::Group& group : release.groups) {
    for (const std::uint64_t index : group.indices) add(index);
    for (const Interval& interval : group.intervals) {
      add(interval.lower);
      add(interval.upper);
    }
  }
  return extent;
}

/// What the bars of a figure are, or why there are none.
std::string about_bars(const Release& release) {
  if (release.query.intervals) {
    return fmt::format("bars: {}, {}{}", held_quantile(release), share_of(release.query.intervals->level),
                       release.query.intervals->is_simultaneous ? " together" : " each");
  }
  if (has_share_bars(release)) {
    return fmt::format(
        "bars: with a probability of {} each, the share that a value truly stands for lies within its bar; they cover "
        "the error added for privacy only",
        share_of(release.errors->confidence));
  }
  return "no bars, since errors are not known as shares of the records";
}

std::string values_of(const Release& release) { return values_in_words(release.source, release.source.column); }

figures::Figure curve(const Release& release, const std::string& name) {
  const bool with_intervals = release.query.intervals.has_value();
  const Release::Group& group = release.groups.front();
  figures::Line line;
  line.mark = 1;
  line.spread = with_intervals ? figures::Spread::sideways : figures::Spread::upright;
  line.joined = false;
  for (std::size_t i = 0; i < group.indices.size(); ++i) {
    const double x = place(release, group.indices[i]);
    const double y = release.query.quantiles[i].to_double();
    figures::Point point{x, y, 0, 0};
    if (with_intervals) {
      point.least = place(release, group.intervals[i].lower);
      point.most = place(release, group.intervals[i].upper);
    } else if (has_share_bars(release)) {
      const Shares shares = shares_of(release, i);
      point.least = shares.from.to_double();
      point.most = shares.to.to_double();
    }
    line.points.push_back(point);
  }
  figures::Axis share{false, 0, 1, {0, 0.25, 0.5, 0.75, 1}, true};
  figures::Figure figure{name,
                         "Published values of " + values_of(release),
                         about_bars(release),
                         values_of(release),
                         "share of " + counted_noun(release.source) + " at or below",
                         {}};
  figure.panels.push_back({"", axis_over(extent_of(release), release.lattice.kind()), share, {line}});
  const std::string first = release.lattice.text(group.indices.front());
  const std::string noun = counted_noun(release.source);
  figure.description = line.points.size() == 1
                           ? fmt::format("1 value, {}, at its share of the {}; the table has it.", first, noun)
                           : fmt::format("{} values from {} to {}, each at its share of the {}; the table has them.",
                                         line.points.size(), first, release.lattice.text(group.indices.back()), noun);
  return figure;
}

// --- Groups -----------------------------------------------------------------------------------------------------------

std::optional<double> value_at(const Release& release, const Release::Group& group, const Rational& quantile) {
  const auto at = std::ranges::find(release.query.quantiles, quantile);
  if (at == release.query.quantiles.end()) return {};
  return place(release, group.indices[static_cast<std::size_t>(at - release.query.quantiles.begin())]);
}

/// The row of a group, with a box for the quartiles if both were asked for.
figures::Range range_of(const Release& release, const Release::Group& group) {
  figures::Range range{to_string(group.key), place(release, group.indices.front()),
                       place(release, group.indices.back())};
  range.box_from = value_at(release, group, Rational(1, 4));
  range.box_to = value_at(release, group, Rational(3, 4));
  range.middle = value_at(release, group, Rational(1, 2));
  for (const std::uint64_t index : group.indices) range.marks.push_back(place(release, index));
  for (const Interval& interval : group.intervals) {
    range.least = std::min(range.least, place(release, interval.lower));
    range.most = std::max(range.most, place(release, interval.upper));
  }
  return range;
}

/// Groups by their middle values, from the largest on. Groups with equal values stay in the order of the list.
std::vector<const Release::Group*> sorted_groups(const Release& release) {
  std::vector<const Release::Group*> groups;
  for (const Release::Group& group : release.groups) groups.push_back(&group);
  const auto middle = [](const Release::Group* group) { return group->indices[group->indices.size() / 2]; };
  std::ranges::stable_sort(groups, std::ranges::greater(), middle);
  return groups;
}

std::string about_rows(const Release& release) {
  const bool with_intervals = release.query.intervals.has_value();
  std::string text = with_intervals ? "thin lines over all intervals, a stroke at each value"
                                    : "thin lines from the lowest value to the highest, a stroke at each";
  const Release::Group& group = release.groups.front();
  if (value_at(release, group, Rational(1, 4)) && value_at(release, group, Rational(3, 4)))
    text += ", a box from 25 % to 75 %";
  if (value_at(release, group, Rational(1, 2))) text += ", a thick stroke at 50 %";
  return with_intervals ? text : text + "; by how much each may be off is not drawn";
}

void draw_groups(Page& page, const Release& release, const std::string& name) {
  const std::vector<const Release::Group*> groups = sorted_groups(release);
  const std::size_t figures = (groups.size() + rows_a_figure - 1) / rows_a_figure;
  const figures::Axis axis = axis_over(extent_of(release), release.lattice.kind());
  for (std::size_t f = 0; f < figures; ++f) {
    const std::size_t first = f * rows_a_figure;
    const std::size_t end = std::min(groups.size(), first + rows_a_figure);
    figures::RangeFigure figure{
        figures == 1 ? name : fmt::format("{}_{}", name, f + 1), {}, values_of(release), axis, {}};
    const std::string which = figures == 1 ? "" : fmt::format(", groups {} to {} of {}", first + 1, end, groups.size());
    figure.title = fmt::format("{} by {}{}, from the highest middle value on: {}", values_of(release),
                               to_string(release.source.by), which, about_rows(release));
    figure.description = end - first == 1 ? "1 group; the table has its values."
                                          : fmt::format("{} groups; the table has their values.", end - first);
    for (std::size_t g = first; g < end; ++g) figure.rows.push_back(range_of(release, *groups[g]));
    page.figure(figure);
  }
}

/// Whether all groups have equal errors.
bool have_equal_errors(const Release& release) {
  return std::ranges::all_of(release.groups, [&](const Release::Group& group) {
    return group.rank_errors == release.groups.front().rank_errors;
  });
}

}  // namespace

bool has_share_bars(const Release& release) {
  const Release::Group& group = release.groups.front();
  return !release.is_grouped() && !release.query.intervals && release.public_rows.value_or(0) > 0 &&
         release.source.null_policy == NullPolicy::error && release.source.person.empty() &&
         std::ranges::all_of(group.rank_errors, [](const auto& each) { return each.has_value(); });
}

Shares shares_of(const Release& release, std::size_t i) {
  const Rational& quantile = release.query.quantiles[i];
  const Rational reach = Rational(*release.groups.front().rank_errors[i]) / Rational(*release.public_rows);
  return {rounded_down(std::max(Rational(0), quantile - reach), 4),
          rounded_up(std::min(Rational(1), quantile + reach), 4)};
}

void draw_release(Page& page, const Release& release, const std::string& name) {
  if (!release.is_grouped()) {
    page.figure(curve(release, name));
  } else {
    draw_groups(page, release, name);
  }
}

namespace {

/// What the cells hold.
std::string about_cells(const Release& release) {
  if (release.query.intervals) return "with their intervals";
  const std::string noun = counted_noun(release.source);
  return have_equal_errors(release) ? fmt::format("and in the first row by how many {} they may be off", noun)
                                    : fmt::format("with the number of {} that each may be off", noun);
}

bool says_errors_once(const Release& release) { return !release.query.intervals && have_equal_errors(release); }

/// A value with its interval or its error. An error that is the same for all groups is left out, since the table states it once.
CellTable::Cell cell_of(const Release& release, const Release::Group& group, std::size_t i) {
  CellTable::Cell cell = value_cell(release, group, i);
  if (!release.query.intervals && !says_errors_once(release)) cell.beside = {error_of(group, i)};
  return cell;
}

CellTable empty_table(const Release& release, const std::string& of) {
  CellTable table{
      TableHead{"release", fmt::format("The published values{}, {}", of, about_cells(release))}, {}, {}, {}};
  if (!release.query.intervals) table.beside = {"off by at most"};
  return table;
}

constexpr const char* off_by = "(off by at most)";

}  // namespace

CellTable wide_table(const Release& release) {
  CellTable table = empty_table(release, "");
  table.head.left = key_columns_of(release);
  table.headings = key_headings(release);
  for (const Rational& quantile : release.query.quantiles) table.headings.push_back(share_of(quantile));
  if (says_errors_once(release)) {
    CellTable::Line& line = table.lines.emplace_back(CellTable::Line{{off_by}, {}});
    line.names.resize(table.head.left);
    for (std::size_t i = 0; i < release.query.quantiles.size(); ++i)
      line.cells.push_back({error_of(release.groups.front(), i)});
  }
  for (const Release::Group& group : release.groups) {
    CellTable::Line& line = table.lines.emplace_back(CellTable::Line{group.key.texts(), {}});
    for (std::size_t i = 0; i < group.indices.size(); ++i) line.cells.push_back(cell_of(release, group, i));
  }
  return table;
}

CellTable crossed_table(const Release& release) {
  std::vector<std::vector<std::string>> tuples;
  for (const GroupKey& key : release.keys()) tuples.push_back(key.texts());
  const GroupKeys keys = GroupKeys::tuples(tuples);
  const std::vector<std::string>& columns = keys.list(1);
  CellTable table = empty_table(release, " of " + share_of(release.query.quantiles.front()));
  table.headings = {fmt::format("{}", fmt::join(key_headings(release), " / "))};
  table.headings.insert(table.headings.end(), columns.begin(), columns.end());
  if (says_errors_once(release)) {
    table.lines.push_back(
        {{off_by}, std::vector<CellTable::Cell>(columns.size(), {error_of(release.groups.front(), 0)})});
  }
  const std::size_t before = table.lines.size();
  const CellTable::Cell left_out{{"-", ""}};
  for (const std::string& key : keys.list(0))
    table.lines.push_back({{key}, std::vector<CellTable::Cell>(columns.size(), left_out)});
  for (std::size_t group = 0; group < keys.size(); ++group) {
    table.lines[before + keys.number(group, 0)].cells[keys.number(group, 1)] =
        cell_of(release, release.groups[group], 0);
  }
  return table;
}

}  // namespace fractile::report_detail
