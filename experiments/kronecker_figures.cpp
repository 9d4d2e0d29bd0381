#include "experiments/kronecker_figures.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "libraries/fmt.hpp"

namespace fractile::experiments::kronecker_utility {
namespace {

using Abscissa = std::function<double(const Exponent&)>;

double epsilon_itself(const Exponent& epsilon) { return epsilon.to_double(); }
double exp_of_epsilon(const Exponent& epsilon) { return epsilon.exponential().to_double(); }

// --- Lines ------------------------------------------------------------------------------------------------------------

constexpr const char* geometric_colour = "#123f8c";
constexpr const char* response_colour = "#f08c00";
constexpr const char* rising_colour = "#d4001a";
constexpr const char* quiet_colour = "#707070";

Point point_at(double x, double y) { return {x, y, y, y}; }

Point point_of(const flow::LossPoint& point, const Abscissa& x) {
  return point_at(x(point.epsilon), point.loss.lower.to_double());
}

Line line_of(const LossCurve& curve, const Abscissa& x) {
  const bool is_geometric = curve.mechanism == "geometric";
  Line line{is_geometric ? "geometric noise" : "randomized response", is_geometric ? geometric_colour : response_colour,
            is_geometric ? 1 : 2, 2.5};
  for (const flow::LossPoint& point : curve.points) line.points.push_back(point_of(point, x));
  return line;
}

/// A line for every stretch on which the loss rises. It begins at the point before the stretch.
std::vector<Line> rising_lines(const LossCurve& curve, const Abscissa& x) {
  std::vector<Line> lines;
  bool rose = false;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const bool rises = curve.points[i].change == flow::Change::rises;
    if (rises && !rose) {
      lines.push_back({"larger epsilon, larger loss", rising_colour, 1, 6});
      lines.back().points.push_back(point_of(curve.points[i - 1], x));
    }
    if (rises) lines.back().points.push_back(point_of(curve.points[i], x));
    rose = rises;
  }
  return lines;
}

Line level_line(double loss, double from, double to) {
  return {"without a release", quiet_colour, 3, 2, 0, {point_at(from, loss), point_at(to, loss)}};
}

// --- Panels -----------------------------------------------------------------------------------------------------------

/// The y axis of the points from least_x to most_x, with some room above and below.
Axis y_axis(const std::vector<Line>& lines, double least_x, double most_x) {
  double least = std::numeric_limits<double>::max();
  double most = 0;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      if (point.x < least_x || point.x > most_x) continue;
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  const bool is_level = most - least < 1e-9 * most;
  const double room = is_level ? 0.05 * most : 0.08 * (most - least);
  return {false, std::max(0.0, least - room), most + room};
}

/// A panel of curves up to some epsilon. They start at epsilon = 0, where nothing is released.
Panel panel_up_to(std::string title, const std::vector<const LossCurve*>& curves, double most_epsilon) {
  std::vector<Line> lines;
  lines.push_back(level_line(curves.front()->without_release.to_double(), 0, most_epsilon));
  for (const LossCurve* const curve : curves) {
    lines.push_back(line_of(*curve, epsilon_itself));
    lines.back().points.insert(lines.back().points.begin(), point_at(0, curve->without_release.to_double()));
    std::ranges::move(rising_lines(*curve, epsilon_itself), std::back_inserter(lines));
  }
  const Axis y = y_axis(lines, 0, most_epsilon);
  return {std::move(title), Axis{false, 0, most_epsilon}, y, std::move(lines)};
}

// --- Figures ----------------------------------------------------------------------------------------------------------

std::string where_it_rises(std::size_t points) {
  return points == 0 ? "no loss certainly rises from one point to the next"
                     : fmt::format("losses rise at {} points", points);
}

Figure figure_3(const std::vector<LossCurve>& curves) {
  std::size_t rises = 0;
  for (const LossCurve& curve : curves) rises += curve.rises();
  const auto most = static_cast<double>(figure_3_epsilon);
  return {"figure_3",
          "Figure 3: noisy ArgMax, 20 people, 3 categories",
          where_it_rises(rises),
          "epsilon",
          "expected loss (probability of naming a wrong category)",
          {panel_up_to("(a) prior uniform over all 231 histograms", {curves.data()}, most),
           panel_up_to("(b) over the 171 that leave no category out", {curves.data() + 1}, most)}};
}

/// The curves of one prior.
std::vector<const LossCurve*> curves_with(const std::vector<LossCurve>& curves, const std::string& prior) {
  std::vector<const LossCurve*> chosen;
  for (const LossCurve& curve : curves) {
    if (curve.prior == prior) chosen.push_back(&curve);
  }
  return chosen;
}

Figure figure_4(const Results& results) {
  std::size_t rises = 0;
  for (const LossCurve& curve : results.figure_4) rises += curve.rises();
  Figure figure{"figure_4",
                fmt::format("Figure 4: guessing one of {} custody statuses from a noisy count of code 0",
                            people_of(*results.population)),
                fmt::format("posterior Bayes risk under three priors; {}", where_it_rises(rises)),
                "epsilon",
                "expected loss (Bayes risk)",
                {}};
  for (const auto& [prior, words] :
       {std::pair{"frequencies", "frequencies (the text's)"}, std::pair{"uniform", "uniform over all codes"},
        std::pair{"uniform-uncounted", "uniform over uncounted codes"}}) {
    const std::vector<const LossCurve*> curves = curves_with(results.figure_4, prior);
    for (const auto& [part, most] : {std::pair{'a', Rational(figure_4_epsilon)}, std::pair{'b', figure_4_detail}}) {
      const std::string title = fmt::format("({}) prior {}, up to {}", part, words, most.to_decimal());
      figure.panels.push_back(panel_up_to(title, curves, most.to_double()));
    }
  }
  return figure;
}

/// The digits that all losses near the window have in common. The rest of each loss is drawn in millionths.
const Rational appendix_d1_base{1654304, 1000};
constexpr std::int64_t appendix_d1_scale = 1'000'000;

Figure appendix_d1(const LossCurve& whole) {
  LossCurve curve = whole;
  for (flow::LossPoint& point : curve.points) {
    point.loss.lower = (point.loss.lower - appendix_d1_base) * Rational(appendix_d1_scale);
  }
  std::vector<Line> lines{line_of(curve, exp_of_epsilon)};
  std::ranges::move(rising_lines(curve, exp_of_epsilon), std::back_inserter(lines));
  const double least = lines.front().points.front().x;
  const double most = lines.front().points.back().x;
  const Axis y = y_axis(lines, least, most);
  return {"appendix_d1",
          "Appendix D.1: guessing the fourth of four values from a noisy count of zeros",
          "four people with values 0 to 6, three of them known; uniform prior; the loss is 1000 times the distance",
          "exp(epsilon)",
          fmt::format("expected loss less {}, in millionths", appendix_d1_base.to_decimal()),
          {{"", Axis{false, least, most}, y, std::move(lines)}}};
}

}  // namespace

std::vector<Figure> figures_of(const Results& results) {
  std::vector<Figure> figures{figure_3(results.figure_3)};
  if (results.population) figures.push_back(figure_4(results));
  figures.push_back(appendix_d1(results.appendix_d1));
  return figures;
}

}  // namespace fractile::experiments::kronecker_utility
