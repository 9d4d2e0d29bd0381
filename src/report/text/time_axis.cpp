#include "report/text/time_axis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "libraries/fmt.hpp"

namespace fractile::report_detail {
namespace {

constexpr int most_tics = 6;
constexpr double days_a_month = 30.436875;

/// The first day of a month. The month may be counted beyond a year's end.
std::int64_t first_of(std::int64_t month) {
  const auto year = static_cast<int>(std::floor(static_cast<double>(month) / 12));
  const auto in_year = static_cast<unsigned>(month - 12 * std::int64_t{year});
  return std::chrono::sys_days{std::chrono::year{year} / std::chrono::month{in_year + 1} / 1}
      .time_since_epoch()
      .count();
}

std::int64_t month_of(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return 12 * std::int64_t{static_cast<int>(date.year())} + static_cast<unsigned>(date.month()) - 1;
}

void add(figures::Axis& axis, double at, const std::string& words) {
  axis.tics.push_back(at);
  axis.words.push_back(words);
}

/// Tics at multiples of this many months, or of years: "2024-07", or "2024".
void add_months(figures::Axis& axis, double ticks_a_day, std::int64_t stride) {
  const auto first =
      static_cast<std::int64_t>(std::clamp(axis.least / ticks_a_day, double{first_day}, double{last_day}));
  for (std::int64_t month = (month_of(first) + stride - 1) / stride * stride; month < std::int64_t{12} * 10'000;
       month += stride) {
    const auto day = first_of(month);
    if (static_cast<double>(day) * ticks_a_day > axis.most) return;
    if (day < first_day || static_cast<double>(day) * ticks_a_day < axis.least) continue;
    add(axis, static_cast<double>(day) * ticks_a_day, moment_text(ValueKind::date, day).substr(0, stride < 12 ? 7 : 4));
  }
}

/// Tics at multiples of this many ticks. If they are days apart, they show only the date.
void add_ticks(figures::Axis& axis, ValueKind kind, double ticks_a_day, double stride) {
  const double first = std::max(double{first_day} * ticks_a_day, axis.least);
  const double last = std::min(double{last_day + 1} * ticks_a_day - 1, axis.most);
  const auto steps = static_cast<std::int64_t>(std::floor(last / stride));
  for (auto step = static_cast<std::int64_t>(std::ceil(first / stride)); step <= steps; ++step) {
    const double at = static_cast<double>(step) * stride;
    const std::string text = moment_text(kind, static_cast<std::int64_t>(at));
    const bool in_days = stride >= ticks_a_day;
    add(axis, at, in_days ? text.substr(0, 10) : text.substr(11, stride >= 60e6 ? 5 : std::string::npos));
  }
}

}  // namespace

figures::Axis time_axis(ValueKind kind, double least, double most) {
  const double ticks_a_day = kind == ValueKind::date ? 1 : double{microseconds_a_day};
  const double width = std::max(most - least, kind == ValueKind::date ? 2.0 : 2e6);
  figures::Axis axis{false, least - width * 0.05, least + width * 1.05};
  const double tick = (axis.most - axis.least) / most_tics;
  for (const double unit : {1e6, 60e6, 3600e6}) {
    for (const double count : {1, 2, 5, 10, 15, 30}) {
      if (kind == ValueKind::date || count * unit < tick || (unit == 3600e6 && count > 2)) continue;
      add_ticks(axis, kind, ticks_a_day, count * unit);
      return axis;
    }
  }
  for (const double hours : {3, 6, 12}) {
    if (kind == ValueKind::date || hours * 3600e6 < tick) continue;
    add_ticks(axis, kind, ticks_a_day, hours * 3600e6);
    return axis;
  }
  for (const double days : {1, 2, 7, 14}) {
    if (days * ticks_a_day < tick) continue;
    add_ticks(axis, kind, ticks_a_day, days * ticks_a_day);
    return axis;
  }
  for (const int months : {1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12'000, 24'000}) {
    if (months * days_a_month * ticks_a_day < tick && months < 24'000) continue;
    add_months(axis, ticks_a_day, months);
    return axis;
  }
  return axis;
}

}  // namespace fractile::report_detail
