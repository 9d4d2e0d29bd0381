#include "figures/scale.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/fmt.hpp"

namespace fractile::figures::detail {
namespace {

double position(const Axis& axis, double value) {
  if (!axis.logarithmic) return (value - axis.least) / (axis.most - axis.least);
  return std::log10(value / axis.least) / std::log10(axis.most / axis.least);
}

/// A little more than the value's own digits are noise of the arithmetic. Separators of thousands as tables have them.
std::string number_text(double value) {
  if (value == 0) return "0";
  std::string text = fmt::format("{:.10g}", value);
  constexpr std::size_t fewest_digits = 5;
  const std::size_t begin = text.front() == '-' ? 1 : 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  if (end - begin < fewest_digits) return text;
  std::string grouped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > begin && i < end && (end - i) % 3 == 0) grouped += ',';
    grouped += text[i];
  }
  return grouped;
}

std::string tic_text(const Axis& axis, double value) {
  return axis.percent ? number_text(value * 100) + " %" : number_text(value);
}

/// 1, 2 or 5 times a power of ten.
double nice_step(double width, int most) {
  const double least = width / std::max(1, most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> linear_tics(const Axis& axis, int most) {
  const double step = nice_step(axis.most - axis.least, most);
  std::vector<double> values;
  const auto first = static_cast<long long>(std::ceil(axis.least / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(axis.most / step + 1e-9));
  for (long long i = first; i <= last; ++i) values.push_back(static_cast<double>(i) * step);
  return values;
}

std::vector<double> logarithmic_tics(const Axis& axis, int most) {
  const double decades = std::log10(axis.most / axis.least);
  if (decades < 0.7) return linear_tics(axis, most);
  const std::vector<int> digits = 3 * decades <= most ? std::vector{1, 2, 5} : std::vector{1};
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / most)));
  std::vector<double> values;
  for (int power = static_cast<int>(std::floor(std::log10(axis.least))); power <= std::log10(axis.most) + 1e-9;
       ++power) {
    if (power % stride != 0) continue;
    for (const int digit : digits) values.push_back(digit * std::pow(10, power));
  }
  return values;
}

}  // namespace

Axis drawable(Axis axis) {
  constexpr double least_part = 1e-9;  // of the ends: narrower axes have no tics that doubles tell apart
  if (axis.logarithmic && !(axis.least > 0)) axis.least = std::max(axis.most / 1e6, 1e-300);
  const double size = std::max(std::abs(axis.least), std::abs(axis.most));
  if (!(axis.most - axis.least > size * least_part)) axis.most = axis.least + std::max(1.0, size * least_part);
  return axis;
}

Scale::Scale(const Axis& axis, double from, double to) : axis_(drawable(axis)), from_(from), to_(to) {}

double Scale::at(double value) const {
  constexpr double farthest = 1000;
  const double part = axis_.logarithmic && !(value > 0) ? -farthest : position(axis_, value);
  return from_ + std::clamp(part, -farthest, farthest) * (to_ - from_);
}

std::vector<Tic> tics_of(const Axis& wanted, int most) {
  const Axis axis = drawable(wanted);
  const double slack = axis.logarithmic ? 0 : (axis.most - axis.least) * 1e-9;
  std::vector<Tic> tics;
  const std::vector<double> values = !axis.tics.empty() ? axis.tics
                                     : axis.logarithmic ? logarithmic_tics(axis, most)
                                                        : linear_tics(axis, most);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (value < axis.least - slack || value > axis.most + slack) continue;
    tics.push_back({value, axis.words.empty() ? tic_text(axis, value) : axis.words.at(i)});
  }
  return tics;
}

}  // namespace fractile::figures::detail
