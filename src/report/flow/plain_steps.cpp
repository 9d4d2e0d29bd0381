#include "report/flow/plain_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "report/flow/plain_channel.hpp"
#include "report/flow/plain_families.hpp"
#include "report/flow/plain_polynomials.hpp"

namespace fractile::report_detail {
namespace {

constexpr std::size_t most_step_columns = 8;
constexpr std::size_t most_step_rows = 200;
constexpr std::size_t most_step_degree = 100;  // of determinants

using Square = std::vector<std::vector<Rational>>;

Rational odds_of_base(const flow::Pipeline& pipeline, const Rational& base) {
  return base.pow(pipeline.perturber.root_degree());
}

/// The least common denominator of a participant's entries, which are fractions of the base.
std::optional<Coefficients> denominator_of(const flow::Perturber& perturber) {
  std::vector<std::vector<std::size_t>> answers;
  for (std::size_t y = 0; y < perturber.answers(); ++y) answers.push_back({y});
  const auto fractions = fractions_of(perturber, answers);
  if (!fractions) return {};
  Coefficients common{1};
  for (const std::vector<Fraction>& row : *fractions) {
    for (const Fraction& entry : row) common = least_multiple(common, entry.second);
  }
  return common;
}

/// A row's weights are powers of 1/base. Multiplied by the largest power, they are polynomials, and their sum is the row's denominator.
std::optional<Coefficients> denominator_of_release(const flow::Pipeline& pipeline, std::size_t longest) {
  const auto rows = plain_exponents(pipeline);
  if (!rows) return {};
  Coefficients all{1};
  for (const std::vector<std::int64_t>& exponents : *rows) {
    const auto [least, most] = std::ranges::minmax(exponents);
    Coefficients sum(static_cast<std::size_t>(most - least) + 1);
    for (const std::int64_t exponent : exponents) sum[static_cast<std::size_t>(most - exponent)] += 1;
    all = least_multiple(all, sum);
    if (all.size() > longest) return {};
  }
  return all;
}

/// A common denominator of the channel's entries.
std::optional<Coefficients> denominator_of(const flow::Pipeline& pipeline, std::size_t longest) {
  if (pipeline.perturber.release() != nullptr) return denominator_of_release(pipeline, longest);
  const bool is_of_bars = pipeline.secret.kind == flow::Secret::Kind::histogram;
  const std::size_t perturbed = is_of_bars ? pipeline.values.size() : pipeline.participants;
  const std::vector<flow::Perturber> each = perturbers_of(pipeline);
  Coefficients all{1};
  std::optional<Coefficients> one;
  for (std::size_t i = 0; i < perturbed; ++i) {
    if (i < each.size()) one = denominator_of(each[i]);
    if (!one) return {};
    all = times(all, *one);
    if (all.size() > longest) return {};
  }
  return all;
}

/// The channel's rows times the denominator. They are polynomials of at most the same degree, since probabilities are at most 1.
std::optional<std::vector<std::vector<Coefficients>>> rows_in_base(const flow::Pipeline& pipeline,
                                                                   const Coefficients& denominator) {
  std::vector<flow::Matrix> values;
  for (std::size_t i = 0; i < denominator.size(); ++i) {
    const std::optional<flow::Channel> channel = plain_channel(pipeline, odds_of_base(pipeline, Rational(i + 1)));
    if (!channel || channel->observations().size() > most_step_columns || channel->secrets().size() > most_step_rows)
      return {};
    values.push_back(channel->matrix());
  }
  std::vector<std::vector<Coefficients>> rows;
  for (std::size_t x = 0; x < values.front().rows(); ++x) {
    rows.emplace_back();
    for (std::size_t y = 0; y < values.front().columns(); ++y) {
      std::vector<Rational> entry = tabulated(
          values.size(), [&](std::size_t i) { return values[i](x, y) * value_at(denominator, Rational(i + 1)); });
      rows.back().push_back(through(std::move(entry)));
    }
  }
  return rows;
}

/// The solution of left X = right and the determinant of left, by Gauss-Jordan elimination. The determinant is 0 where there is no pivot.
std::pair<Square, Rational> solved(Square left, Square right) {
  Rational determinant = 1;
  const std::size_t size = left.size();
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t pivot = i;
    while (pivot < size && left[pivot][i].sign() == 0) ++pivot;
    if (pivot == size) return {{}, 0};
    if (pivot != i) {
      std::swap(left[pivot], left[i]);
      std::swap(right[pivot], right[i]);
      determinant = -determinant;
    }
    determinant *= left[i][i];
    const Rational unit = left[i][i];
    for (Rational& entry : left[i]) entry /= unit;
    for (Rational& entry : right[i]) entry /= unit;
    for (std::size_t k = 0; k < size; ++k) {
      const Rational factor = left[k][i];
      if (k == i || factor.sign() == 0) continue;
      for (std::size_t j = 0; j < size; ++j) left[k][j] -= factor * left[i][j];
      for (std::size_t j = 0; j < right[i].size(); ++j) right[k][j] -= factor * right[i][j];
    }
  }
  return {std::move(right), determinant};
}

Square values_of(const std::vector<std::vector<Coefficients>>& rows, const Rational& base) {
  const auto value = [&](const Coefficients& entry) { return value_at(entry, base); };
  return mapped(rows, [&](const std::vector<Coefficients>& row) { return mapped(row, value); });
}

std::vector<std::vector<Coefficients>> slopes_of(const std::vector<std::vector<Coefficients>>& rows) {
  return mapped(rows, [](const std::vector<Coefficients>& row) { return mapped(row, slope); });
}

/// The places of independent rows, one per column; empty when there are fewer independent rows than columns.
std::vector<std::size_t> independent_rows(const Square& values) {
  std::vector<std::size_t> chosen;
  Square reduced;
  std::vector<std::size_t> pivots;
  for (std::size_t x = 0; x < values.size() && chosen.size() < values.front().size(); ++x) {
    std::vector<Rational> row = values[x];
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      const Rational factor = row[pivots[i]] / reduced[i][pivots[i]];
      for (std::size_t y = 0; y < row.size(); ++y) row[y] -= factor * reduced[i][y];
    }
    const auto pivot = std::ranges::find_if(row, [](const Rational& entry) { return entry.sign() != 0; });
    if (pivot == row.end()) continue;
    pivots.push_back(static_cast<std::size_t>(pivot - row.begin()));
    reduced.push_back(std::move(row));
    chosen.push_back(x);
  }
  return chosen.size() == values.front().size() ? chosen : std::vector<std::size_t>{};
}

template <class Rows>
Rows chosen_of(const Rows& rows, const std::vector<std::size_t>& chosen) {
  Rows result;
  for (const std::size_t x : chosen) result.push_back(rows[x]);
  return result;
}

/// Whether row X = slope for every row, where X is the solution for the chosen rows.
bool moves_all(const Square& rows, const Square& slopes, const Square& solution) {
  for (std::size_t x = 0; x < rows.size(); ++x) {
    for (std::size_t z = 0; z < solution.size(); ++z) {
      Rational sum;
      for (std::size_t y = 0; y < solution.size(); ++y) sum += rows[x][y] * solution[y][z];
      if (sum != slopes[x][z]) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<bool> small_steps(const flow::Pipeline& pipeline, const Rational& from, const Rational& to) {
  const std::optional<Coefficients> denominator = denominator_of(pipeline, most_step_degree);
  if (!denominator) return {};
  const auto rows = rows_in_base(pipeline, *denominator);
  if (!rows) return {};
  const auto slopes = slopes_of(*rows);
  const std::size_t columns = rows->front().size();
  const std::size_t degree = columns * (denominator->size() - 1);
  if (degree > most_step_degree) return {};
  const auto [low, high] = bases_around(from, to, pipeline.perturber.root_degree());
  const std::vector<std::size_t> chosen = independent_rows(values_of(*rows, (low + high) / 2));
  if (chosen.empty()) return {};
  const auto square = chosen_of(*rows, chosen);
  const auto square_slopes = chosen_of(slopes, chosen);

  // Determinants, and solutions times determinants, are polynomials of at most this degree. A row times such a solution has at most this
  // degree plus that of a row. All are interpolated as polynomials of base - 1, since determinants are 0 where the base is 1.
  std::vector<Rational> determinants;
  std::vector<std::vector<Rational>> entries(columns * columns);
  for (std::size_t i = 0; i < degree + denominator->size() + 1; ++i) {
    const Rational base = Rational(i + 2);
    const auto [solution, determinant] = solved(values_of(square, base), values_of(square_slopes, base));
    determinants.push_back(determinant);
    if (determinant.sign() == 0) return {};
    if (!moves_all(values_of(*rows, base), values_of(slopes, base), solution)) return false;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      entries[k].push_back(solution[k / columns][k % columns] * determinant);
    }
  }
  Coefficients whole = through(determinants);
  const bool is_turned = value_at(whole, low - 1).sign() < 0;
  const auto turned = [&](Coefficients polynomial, bool turns) {
    return turns ? less({0}, polynomial) : std::move(polynomial);
  };
  if (!is_positive(turned(std::move(whole), is_turned), low - 1, high - 1)) return {};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k / columns == k % columns) continue;
    if (!is_never_negative(turned(through(std::move(entries[k])), !is_turned), low - 1, high - 1)) return {};
  }
  return true;
}

}  // namespace fractile::report_detail
