// Verdicts about refinement against an independent decider, their certificates, and mutants of both. docs/proofs/refinement.md
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "support/exact_feasibility.hpp"
#include "support/pipelines.hpp"
#include "support/statistics.hpp"

namespace fractile::flow {
namespace {

using fractile::testing::leads_to;

Channel channel(const std::vector<std::vector<const char*>>& rows) { return Channel(matrix(rows)); }

const Channel g2 = channel({{"2/3", "1/6", "1/6"}, {"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}});
const Channel g3 = channel({{"3/4", "1/6", "1/12"}, {"1/4", "1/2", "1/4"}, {"1/12", "1/6", "3/4"}});

// Appendix B. The paper prints 7/30, 8/15, 7/30 as the middle row.
TEST(Refinement, GeometricWitnessIsTheProductWithTheInverse) {
  const Refinement refinement = refines(g3, g2);
  ASSERT_TRUE(refinement.refines());
  EXPECT_EQ(std::get<Witness>(refinement.verdict).matrix,
            matrix({{"5/6", "1/12", "1/12"}, {"5/24", "7/12", "5/24"}, {"1/12", "1/12", "5/6"}}));
  EXPECT_TRUE(refines(g2, g3).refuted());
}

TEST(Refinement, AsksForAsManySecrets) { EXPECT_THROW(refines(g3, channel({{"1"}, {"1"}})), Error); }

// --- What can go wrong at the edges -----------------------------------------------------------------------------------

std::string shown(const Matrix& matrix) {
  std::ostringstream text;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (const Rational& entry : matrix.row(i)) text << entry.to_string() << ' ';
    text << '\n';
  }
  return text.str();
}

bool verified(const Channel& from, const Channel& to, const Refinement& refinement) {
  if (refinement.refines()) return verify(from, to, std::get<Witness>(refinement.verdict));
  return refinement.refuted() && verify(from, to, std::get<Counterexample>(refinement.verdict));
}

/// The verdict is what the simplex method in rationals says, and comes with a certificate that holds.
void expect_decided_rightly(const Channel& from, const Channel& to) {
  const Refinement refinement = refines(from, to);
  EXPECT_EQ(refinement.refines(), leads_to(from.matrix(), to.matrix())) << refinement.reason << "\nfrom\n"
                                                                        << shown(from.matrix()) << "to\n"
                                                                        << shown(to.matrix());
  EXPECT_TRUE(verified(from, to, refinement)) << refinement.reason << "\nfrom\n"
                                              << shown(from.matrix()) << "to\n"
                                              << shown(to.matrix());
}

TEST(Refinement, DecidesTheSmallestChannels) {
  const std::vector<Channel> channels = {
      channel({{"1"}, {"1"}}),
      channel({{"0", "1"}, {"0", "1"}}),
      channel({{"1", "0"}, {"0", "1"}}),
      channel({{"0", "1"}, {"1", "0"}}),
      channel({{"1/2", "1/2"}, {"1/2", "1/2"}}),
      channel({{"1/2", "1/2"}, {"0", "1"}}),
      channel({{"1/2", "0", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/4", "1/4", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/2", "1/3", "1/6"}, {"1/6", "1/3", "1/2"}}),
      channel({{"1/3", "1/3", "1/3", "0"}, {"0", "1/3", "1/3", "1/3"}}),
  };
  for (const Channel& from : channels) {
    for (const Channel& to : channels) expect_decided_rightly(from, to);
  }
  const Channel one_secret = channel({{"1/3", "2/3"}});
  expect_decided_rightly(one_secret, channel({{"1"}}));
  expect_decided_rightly(channel({{"1"}}), one_secret);
}

// --- Against the independent decider ----------------------------------------------------------------------------------

/// Draws channels. Entries have small denominators, some are zero.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  /// 0 .. below - 1.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  /// Rows that add up to 1; an entry is zero `zeros` times out of 4.
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

  /// The same with one more column, which takes `share` from column `from`.
  static Matrix split_off(const Matrix& whole, std::size_t from, const Rational& share) {
    Matrix result(whole.rows(), whole.columns() + 1);
    for (std::size_t i = 0; i < whole.rows(); ++i) {
      for (std::size_t j = 0; j < whole.columns(); ++j) result(i, j) = whole(i, j);
      result(i, whole.columns()) = whole(i, from) * share;
      result(i, from) -= result(i, whole.columns());
    }
    return result;
  }

  /// The same with one more row, equal to another.
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
Matrix drawn(Drawing& drawing, Shape shape) {
  const std::size_t size = 2 + drawing.below(3);
  const std::size_t zeros = drawing.below(3);
  switch (shape) {
    case Shape::square:
      return drawing.stochastic(size, size, zeros);
    case Shape::tall:
      return drawing.stochastic(size + 1 + drawing.below(2), size, zeros);
    case Shape::wide:
      return drawing.stochastic(size, size + 1 + drawing.below(2), zeros);
    case Shape::dependent:  // of a rank below its rows and columns
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

enum class Change { none, sparse, slightly_moved, moved, slightly_negative, negative, unrelated, end };

/// B with some probability moved from one output to another, under one secret.
void move_probability(Drawing& drawing, Matrix& b, const Rational& share) {
  const std::size_t x = drawing.below(b.rows());
  const std::size_t z = drawing.below(b.columns());
  const Rational moved = b(x, z) * share;
  b(x, z) -= moved;
  b(x, (z + 1) % b.columns()) += moved;
}

/// A W for a W with a negative entry, as far below zero as A W allows, times the share.
Matrix after_negative_entry(Drawing& drawing, const Matrix& a, Matrix w, const Rational& share) {
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
  return a * w;
}

/// The second channel of a pair.
Matrix followed(Drawing& drawing, const Matrix& a, Change change) {
  const Rational tiny = Rational(1, 10).pow(static_cast<std::int64_t>(6 * (1 + drawing.below(5))));
  const std::size_t outputs = 2 + drawing.below(3);
  Matrix w = drawing.stochastic(a.columns(), outputs, change == Change::sparse ? 3 : drawing.below(2));
  Matrix b = a * w;
  switch (change) {
    case Change::slightly_moved:
      move_probability(drawing, b, tiny);
      return b;
    case Change::moved:
      move_probability(drawing, b, Rational(1, 2));
      return b;
    case Change::slightly_negative:
      return after_negative_entry(drawing, a, std::move(w), tiny);
    case Change::negative:
      return after_negative_entry(drawing, a, std::move(w), 1);
    case Change::unrelated:
      return drawing.stochastic(a.rows(), outputs, drawing.below(3));
    default:
      return b;
  }
}

struct Pair {
  Channel from;
  Channel to;
};

/// All shapes and changes occur in turn.
Pair drawn_pair(std::uint64_t seed) {
  constexpr auto shapes = static_cast<std::uint64_t>(Shape::end);
  constexpr auto changes = static_cast<std::uint64_t>(Change::end);
  Drawing drawing(seed);
  const Matrix a = drawn(drawing, static_cast<Shape>(seed % shapes));
  const Matrix b = followed(drawing, a, static_cast<Change>(seed / shapes % changes));
  return {Channel(a), Channel(b)};
}

TEST(Refinement, AgreesWithTheSimplexMethodInRationals) {
  std::map<std::string, int> reasons;
  for (std::uint64_t seed = 0; seed < fractile::testing::effort(1000); ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair = drawn_pair(seed);
    expect_decided_rightly(pair.from, pair.to);
    ++reasons[refines(pair.from, pair.to).reason];
  }
  EXPECT_EQ(reasons.size(), 7U);  // no way to a verdict went untried
}

// Geometric and randomized responses of nearly the same odds, in both directions.
TEST(Refinement, NearTiesAreDecided) {
  const Rational odds = Rational::parse("3.000000");
  for (const Rational& less : {Rational::parse("2.999999"), odds - Rational(1, 10).pow(40)}) {
    for (const Perturber& perturber : {Perturber::geometric(4), Perturber::randomized_response(4)}) {
      const Refinement down = refines(perturber.at(odds), perturber.at(less));
      EXPECT_TRUE(down.refines());
      EXPECT_TRUE(refines(perturber.at(less), perturber.at(odds)).refuted());
      // More columns than rows: the linear program's part.
      const Channel split(Drawing::split_off(perturber.at(odds).matrix(), 0, Rational(1, 3)));
      const Matrix mixed = split.matrix() * Drawing(1).stochastic(5, 7, 1);
      EXPECT_TRUE(refines(Channel(mixed), Channel(mixed)).refines());
    }
    const Pipeline sums = pipeline_of(2, Perturber::randomized_response(3), summing());
    EXPECT_TRUE(check_refinement(sums, odds, less).refinement.refuted());
    const Pipeline counts = pipeline_of(2, Perturber::randomized_response(3), counting({1}));
    EXPECT_TRUE(check_refinement(counts, odds, less).refinement.refines());
    EXPECT_TRUE(check_refinement(counts, less, odds).refinement.refuted());
  }
}

TEST(Refinement, FollowsPostProcessing) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Drawing drawing(seed);
    const Channel first(drawing.stochastic(4, 3, 1));
    const Channel second = first * Channel(drawing.stochastic(3, 5, 2));
    const Channel third = second * Channel(drawing.stochastic(5, 2, 1));
    EXPECT_TRUE(refines(first, first).refines());
    const Refinement one = refines(first, second);
    const Refinement other = refines(second, third);
    ASSERT_TRUE(one.refines() && other.refines());
    const Matrix both = std::get<Witness>(one.verdict).matrix * std::get<Witness>(other.verdict).matrix;
    EXPECT_TRUE(verify(first, third, Witness{both}));
  }
}

// What verify() takes is right: certificates that were tampered with are refused.
TEST(Verify, RefusesWhatIsWrong) {
  const Witness witness = std::get<Witness>(refines(g3, g2).verdict);
  EXPECT_TRUE(verify(g3, g2, witness));
  EXPECT_FALSE(verify(g2, g3, witness));
  for (std::size_t y = 0; y < 3; ++y) {
    Witness moved = witness;
    moved.matrix(y, 0) += Rational(1, 1000);
    moved.matrix(y, 1) -= Rational(1, 1000);
    EXPECT_FALSE(verify(g3, g2, moved));
    Witness heavier = witness;
    heavier.matrix(y, 2) += Rational(1, 1000);
    EXPECT_FALSE(verify(g3, g2, heavier));
  }
  // It leads from one to the other, but is not stochastic.
  const Channel flat = channel({{"1/2", "1/2"}, {"1/2", "1/2"}});
  const Matrix negative = matrix({{"3/2", "-1/2"}, {"-1/2", "3/2"}});
  EXPECT_EQ(flat.matrix() * negative, flat.matrix());
  EXPECT_FALSE(verify(flat, flat, Witness{negative}));
  EXPECT_FALSE(verify(g3, g2, Witness{Matrix::identity(2)}));

  const Counterexample counterexample = std::get<Counterexample>(refines(g2, g3).verdict);
  EXPECT_TRUE(verify(g2, g3, counterexample));
  EXPECT_FALSE(verify(g3, g2, counterexample));
  Counterexample boasting = counterexample;
  boasting.utility_to -= Rational(1, 1000);
  EXPECT_FALSE(verify(g2, g3, boasting));
  Counterexample indifferent = counterexample;
  indifferent.loss = Loss(matrix({{"1", "1"}, {"1", "1"}, {"1", "1"}}));
  indifferent.utility_from = 1;
  indifferent.utility_to = 1;
  EXPECT_FALSE(verify(g2, g3, indifferent));
}

}  // namespace
}  // namespace fractile::flow
