#include "flow/refinement/three_secrets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fractile::flow {
namespace {

using Three = std::array<double, 3>;

Three cross(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double product(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::vector<Three> columns_of(const RoughRows& rows, const std::array<std::size_t, 3>& secrets) {
  std::vector<Three> columns;
  for (std::size_t y = 0; y < rows.front().size(); ++y) {
    const Three column{rows[secrets[0]][y], rows[secrets[1]][y], rows[secrets[2]][y]};
    if (column[0] + column[1] + column[2] > 0) columns.push_back(column);
  }
  return columns;
}

/// Directions between which all columns lie, in order: the corners of the convex hull of what the analyst believes after each.
std::vector<Three> hull_of(const std::vector<Three>& columns) {
  std::vector<Three> points;
  for (const Three& column : columns) {
    const double sum = column[0] + column[1] + column[2];
    points.push_back({column[0] / sum, column[1] / sum, column[2] / sum});
  }
  std::ranges::sort(points);
  std::vector<Three> hull;
  const auto add_half = [&](const auto& ordered) {
    const std::size_t start = hull.size();
    for (const Three& point : ordered) {
      while (hull.size() >= start + 2) {
        const Three& a = hull[hull.size() - 2];
        const Three& b = hull.back();
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0) break;
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();  // with which the other half begins
  };
  add_half(points);
  std::ranges::reverse(points);
  add_half(points);
  return hull;
}

struct Bet {
  Three costs;
  double gain = 0;
};

/// The side of the hull beyond which most of the second channel lies.
Bet best_bet(const std::vector<Three>& from, const std::vector<Three>& to) {
  const std::vector<Three> hull = hull_of(from);
  Bet best;
  if (hull.size() < 3) return best;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    Three costs = cross(hull[i], hull[(i + 1) % hull.size()]);
    const double largest = std::max({std::abs(costs[0]), std::abs(costs[1]), std::abs(costs[2])});
    if (!(largest > 0)) continue;
    for (double& cost : costs) cost /= largest;
    if (product(costs, hull[(i + 2) % hull.size()]) < 0) {
      for (double& cost : costs) cost = -cost;
    }
    double gain = 0;
    for (const Three& column : from) gain += std::min(0.0, product(costs, column));  // rounding errors
    for (const Three& column : to) gain -= std::min(0.0, product(costs, column));
    if (gain > best.gain) best = {costs, gain};
  }
  return best;
}

Rational rounded_cost(double value) {
  constexpr int bits = 60;
  return Rational::dyadic(std::llround(std::ldexp(value, bits)), -bits);
}

}  // namespace

std::optional<std::vector<Rational>> bet_on_three(const RoughRows& from, const RoughRows& to) {
  constexpr double rounding = 1e-12;
  constexpr std::size_t most_secrets = 12;
  Bet best;
  std::array<std::size_t, 3> of_best{};
  const std::size_t secrets = std::min(from.size(), most_secrets);
  for (std::size_t i = 0; i + 2 < secrets; ++i) {
    for (std::size_t j = i + 1; j + 1 < secrets; ++j) {
      for (std::size_t k = j + 1; k < secrets; ++k) {
        const std::array<std::size_t, 3> three{i, j, k};
        const Bet bet = best_bet(columns_of(from, three), columns_of(to, three));
        if (bet.gain > best.gain) {
          best = bet;
          of_best = three;
        }
      }
    }
  }
  if (!(best.gain > rounding)) return {};
  std::vector<Rational> costs(from.size());
  for (std::size_t i = 0; i < of_best.size(); ++i) costs[of_best[i]] = rounded_cost(best.costs[i]);
  return costs;
}

Matrix losses_of_bet(const std::vector<Rational>& bet) {
  const Rational least = std::min(Rational(0), *std::ranges::min_element(bet));
  Matrix losses(bet.size(), 2);
  for (std::size_t x = 0; x < bet.size(); ++x) {
    losses(x, 0) = (bet[x] - least) / 2;
    losses(x, 1) = -least / 2;
  }
  return losses;
}

}  // namespace fractile::flow
