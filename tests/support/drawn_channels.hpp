// Shared by tests: random channels, pairs of channels and analysts, in all shapes that deciders of refinement can meet.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "fractile/flow.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {

inline Channel channel(const std::vector<std::vector<const char*>>& rows) { return Channel(matrix(rows)); }

inline const Channel g2 = channel({{"2/3", "1/6", "1/6"}, {"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}});
inline const Channel g3 = channel({{"3/4", "1/6", "1/12"}, {"1/4", "1/2", "1/4"}, {"1/12", "1/6", "3/4"}});

/// Draws channels. Their entries have small denominators, and some are zero.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  /// A number from 0 to limit - 1.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  /// A matrix whose rows add up to 1. An entry is zero with probability `zeros` / 4.
  Matrix stochastic(std::size_t rows, std::size_t columns, std::size_t zeros) {
    Matrix result(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::int64_t> weights(columns);
      for (std::int64_t& weight : weights) weight = below(4) < zeros ? 0 : static_cast<std::int64_t>(1 + below(9));
      weights[below(columns)] += 1;
      const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
      for (std::size_t j = 0; j < columns; ++j) result(i, j) = Rational(weights[j], sum);
    }
    return result;
  }

  /// `whole` with an additional column, which takes `share` of column `from`.
  static Matrix split_off(const Matrix& whole, std::size_t from, const Rational& share) {
    Matrix result(whole.rows(), whole.columns() + 1);
    for (std::size_t i = 0; i < whole.rows(); ++i) {
      for (std::size_t j = 0; j < whole.columns(); ++j) result(i, j) = whole(i, j);
      result(i, whole.columns()) = whole(i, from) * share;
      result(i, from) -= result(i, whole.columns());
    }
    return result;
  }

  /// `whole` with an additional row, which equals another row.
  Matrix with_equal_rows(const Matrix& whole) {
    Matrix result(whole.rows() + 1, whole.columns());
    const std::size_t repeated = below(whole.rows());
    for (std::size_t i = 0; i < result.rows(); ++i) {
      for (std::size_t j = 0; j < result.columns(); ++j) {
        result(i, j) = whole(i == whole.rows() ? repeated : i, j);
      }
    }
    return result;
  }

 private:
  std::mt19937_64 random_;
};

enum class Shape { square, tall, wide, dependent, proportional, equal_rows, end };

/// The first channel of a pair.
inline Matrix drawn(Drawing& drawing, Shape shape) {
  const std::size_t size = 2 + drawing.below(3);
  const std::size_t zeros = drawing.below(3);
  switch (shape) {
    case Shape::square:
      return drawing.stochastic(size, size, zeros);
    case Shape::tall:
      return drawing.stochastic(size + 1 + drawing.below(2), size, zeros);
    case Shape::wide:
      return drawing.stochastic(size, size + 1 + drawing.below(2), zeros);
    case Shape::dependent:  // the rank is below the numbers of rows and columns
      return drawing.stochastic(size + 1, size, zeros) * drawing.stochastic(size, size + 1, zeros);
    case Shape::proportional: {
      const Matrix base = drawing.stochastic(size + drawing.below(2), size, zeros);
      const Matrix twice = Drawing::split_off(base, drawing.below(size), Rational(1, 2));
      return Drawing::split_off(twice, drawing.below(size), drawing.below(2) == 0 ? Rational(0) : Rational(2, 7));
    }
    default:
      return drawing.with_equal_rows(drawing.stochastic(size, size + drawing.below(2), zeros));
  }
}

enum class Alteration { none, sparse, slightly_moved, moved, slightly_negative, negative, unrelated, end };

/// Moves some probability of B from one output to another, under one secret.
inline void move_probability(Drawing& drawing, Matrix& b, const Rational& share) {
  const std::size_t x = drawing.below(b.rows());
  const std::size_t z = drawing.below(b.columns());
  const Rational moved = b(x, z) * share;
  b(x, z) -= moved;
  b(x, (z + 1) % b.columns()) += moved;
}

/// W with a negative entry: `share` times the smallest entry with which A W >= 0 holds.
inline Matrix with_negative_entry(Drawing& drawing, const Matrix& a, Matrix w, const Rational& share) {
  const std::size_t y = drawing.below(w.rows());
  const std::size_t z = drawing.below(w.columns());
  w(y, (z + 1) % w.columns()) += w(y, z);
  w(y, z) = 0;
  const Matrix b = a * w;
  std::optional<Rational> most;
  for (std::size_t x = 0; x < a.rows(); ++x) {
    if (a(x, y).sign() == 0) continue;
    const Rational here = b(x, z) / a(x, y);
    if (!most || here < *most) most = here;
  }
  const Rational below_zero = most.value_or(1) * share;
  w(y, z) -= below_zero;
  w(y, (z + 1) % w.columns()) += below_zero;
  return w;
}

/// The second channel of a pair.
inline Matrix followed(Drawing& drawing, const Matrix& a, Alteration change) {
  const Rational tiny = Rational(1, 10).pow(static_cast<std::int64_t>(6 * (1 + drawing.below(5))));
  const std::size_t outputs = 2 + drawing.below(3);
  Matrix w = drawing.stochastic(a.columns(), outputs, change == Alteration::sparse ? 3 : drawing.below(2));
  Matrix b = a * w;
  switch (change) {
    case Alteration::slightly_moved:
      move_probability(drawing, b, tiny);
      return b;
    case Alteration::moved:
      move_probability(drawing, b, Rational(1, 2));
      return b;
    case Alteration::slightly_negative:
      return a * with_negative_entry(drawing, a, std::move(w), tiny);
    case Alteration::negative:
      return a * with_negative_entry(drawing, a, std::move(w), 1);
    case Alteration::unrelated:
      return drawing.stochastic(a.rows(), outputs, drawing.below(3));
    default:
      return b;
  }
}

struct Pair {
  Channel from;
  Channel to;
};

/// A pair; as the seed grows, all shapes and changes occur in turn.
inline Pair drawn_pair(std::uint64_t seed) {
  constexpr auto shapes = static_cast<std::uint64_t>(Shape::end);
  constexpr auto changes = static_cast<std::uint64_t>(Alteration::end);
  Drawing drawing(seed);
  const Matrix a = drawn(drawing, static_cast<Shape>(seed % shapes));
  const Matrix b = followed(drawing, a, static_cast<Alteration>(seed / shapes % changes));
  return {Channel(a), Channel(b)};
}

inline Pair any_pair() { return drawn_pair(*rc::gen::arbitrary<std::uint64_t>()); }
inline Drawing any_drawing() { return Drawing(*rc::gen::arbitrary<std::uint64_t>()); }
inline Channel any_channel(Drawing& drawing) {
  return Channel(drawn(drawing, static_cast<Shape>(drawing.below(static_cast<std::size_t>(Shape::end)))));
}
/// A channel whose secrets are the observations of `first`.
inline Channel any_after(Drawing& drawing, const Channel& first) {
  return Channel(drawing.stochastic(first.observations().size(), 1 + drawing.below(4), drawing.below(4)));
}

/// An analyst with their true expected losses.
inline Counterexample analyst_with(Prior prior, Loss loss, const Channel& from, const Channel& to) {
  Counterexample result{std::move(prior), std::move(loss), {}, {}};
  result.loss_from = expected_loss(result.prior, from, result.loss);
  result.loss_to = expected_loss(result.prior, to, result.loss);
  return result;
}

inline Counterexample any_analyst(Drawing& drawing, const Channel& from, const Channel& to) {
  const std::size_t secrets = from.secrets().size();
  const Matrix prior = drawing.stochastic(1, secrets, drawing.below(3));
  const Matrix losses = drawing.stochastic(secrets, 2 + drawing.below(3), drawing.below(4));
  return analyst_with(Prior({prior.row(0).begin(), prior.row(0).end()}), Loss(losses), from, to);
}

}  // namespace fractile::flow
