// verify() refuses tampered certificates, and those of wrong deciders. docs/proofs/refinement.md
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <map>
#include <string>

#include "fractile/flow.hpp"
#include "support/drawn_channels.hpp"
#include "support/exact_feasibility.hpp"
#include "support/statistics.hpp"

namespace fractile::flow {
namespace {

using fractile::testing::leads_to;

// --- Tampered certificates --------------------------------------------------------------------------------------------

bool is_ever_made(const Channel& channel, std::size_t observation) {
  for (std::size_t x = 0; x < channel.secrets().size(); ++x) {
    if (channel(x, observation).sign() != 0) return true;
  }
  return false;
}

TEST(VerifyWitness, RejectsAChangedEntry) {
  EXPECT_TRUE(rc::check("by 1 .. 10^-39", [] {
    Drawing drawing = any_drawing();
    const Channel from = any_channel(drawing);
    const Channel to = from * any_after(drawing, from);
    const Matrix honest = std::get<Witness>(refines(from, to).verdict).matrix;
    RC_ASSERT(verify(from, to, Witness{honest}));
    const Rational little = Rational(1, 10).pow(static_cast<std::int64_t>(drawing.below(40)));
    const std::size_t y = drawing.below(honest.rows());
    const std::size_t z = drawing.below(honest.columns());
    for (const Rational& change : {little, -little}) {
      Matrix changed = honest;
      changed(y, z) += change;
      RC_ASSERT(!verify(from, to, Witness{changed}));
      if (honest.columns() == 1 || !is_ever_made(from, y)) continue;
      changed(y, (z + 1) % honest.columns()) -= change;  // the row adds up to 1 again
      RC_ASSERT(!verify(from, to, Witness{changed}));
    }
  }));
}

// For each check, a matrix that only this check rejects.
TEST(VerifyWitness, NeedsAllItsChecks) {
  const Channel from = channel({{"1/2", "1/2", "0"}, {"1/4", "1/4", "1/2"}});
  const Channel to = channel({{"1/2", "1/2"}, {"3/4", "1/4"}});
  const auto holds = [&](const std::vector<std::vector<const char*>>& rows) {
    return verify(from, to, Witness{matrix(rows)});
  };
  EXPECT_TRUE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1", "0"}}));
  EXPECT_TRUE(holds({{"1", "0"}, {"0", "1"}, {"1", "0"}}));  // another one, since two columns are equal

  const Matrix negative = matrix({{"3/2", "-1/2"}, {"-1/2", "3/2"}, {"1", "0"}});
  EXPECT_EQ(from.matrix() * negative, to.matrix());
  EXPECT_FALSE(verify(from, to, Witness{negative}));

  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1/2", "1/2"}}));  // stochastic, but leads elsewhere
  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}}));
  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1", "0"}, {"1", "0"}}));
  EXPECT_FALSE(holds({{"1/2", "1/2", "0"}, {"1/2", "1/2", "0"}, {"1", "0", "0"}}));

  const Channel never_the_second = channel({{"1", "0"}, {"1", "0"}});
  const Channel certain = channel({{"1"}, {"1"}});
  EXPECT_TRUE(verify(never_the_second, certain, Witness{matrix({{"1"}, {"1"}})}));
  const Matrix heavy = matrix({{"1"}, {"2"}});
  EXPECT_EQ(never_the_second.matrix() * heavy, certain.matrix());
  EXPECT_FALSE(verify(never_the_second, certain, Witness{heavy}));
}

TEST(VerifyCounterexample, RejectsWrongUtilities) {
  int tampered = 0;
  EXPECT_TRUE(rc::check("changed and exchanged", [&tampered] {
    const Pair pair = any_pair();
    const Refinement refinement = refines(pair.from, pair.to);
    if (!refinement.refuted()) return;
    ++tampered;
    const Counterexample honest = std::get<Counterexample>(refinement.verdict);
    RC_ASSERT(verify(pair.from, pair.to, honest));
    const Rational gain = honest.loss_from - honest.loss_to;
    for (const Rational& change : {gain / 1000, -gain / 1000, gain, Rational(1)}) {
      Counterexample changed = honest;
      changed.loss_from += change;
      RC_ASSERT(!verify(pair.from, pair.to, changed));
      changed = honest;
      changed.loss_to -= change;
      RC_ASSERT(!verify(pair.from, pair.to, changed));
    }
    Counterexample exchanged = honest;
    std::swap(exchanged.loss_from, exchanged.loss_to);
    RC_ASSERT(!verify(pair.from, pair.to, exchanged));
    RC_ASSERT(!verify(pair.to, pair.from, honest));
    RC_ASSERT(!verify(pair.to, pair.from, exchanged));
  }));
  EXPECT_GT(tampered, 10);
}

// Two losses change places and the utilities are computed anew: accepted exactly where the second channel is still better.
TEST(VerifyCounterexample, RejectsLossesUnderWhichTheSecondIsNotBetter) {
  const Refinement refinement = refines(g2, g3);
  ASSERT_TRUE(refinement.refuted());
  const Counterexample honest = std::get<Counterexample>(refinement.verdict);
  const Matrix& losses = honest.loss.matrix();
  int rejected = 0;
  for (std::size_t first = 0; first < losses.rows() * losses.columns(); ++first) {
    for (std::size_t second = 0; second < first; ++second) {
      Matrix changed = losses;
      std::swap(changed(first / losses.columns(), first % losses.columns()),
                changed(second / losses.columns(), second % losses.columns()));
      const Counterexample tampered = analyst_with(honest.prior, Loss(changed), g2, g3);
      const bool still_better = tampered.loss_to < tampered.loss_from;
      EXPECT_EQ(verify(g2, g3, tampered), still_better);
      if (!still_better) ++rejected;
    }
  }
  EXPECT_GT(rejected, 0);
  // Equal is not better.
  EXPECT_FALSE(verify(g2, g3, analyst_with(honest.prior, Loss(Matrix(3, 2)), g2, g3)));
  EXPECT_FALSE(verify(g2, g2, analyst_with(honest.prior, honest.loss, g2, g2)));
}

// --- Mutants: wrong deciders, whose certificates verify() must refute -------------------------------------------------

/// Two channels, and a matrix with a negative entry that leads from one to the other. No stochastic one does.
struct Trap {
  Channel from;
  Channel to;
  Matrix solution;
};

Trap drawn_trap(std::uint64_t seed) {
  Drawing drawing(seed);
  const Rational share = seed % 2 == 0 ? Rational(1) : Rational(1, 1'000'000);
  while (true) {
    const std::size_t size = 2 + drawing.below(3);
    const Matrix a = drawing.stochastic(size, size, 0);
    const Matrix w = with_negative_entry(drawing, a, drawing.stochastic(size, size, 0), share);
    if (!leads_to(a, a * w)) return {Channel(a), Channel(a * w), w};
  }
}

/// Negative entries become 0, and rows are scaled to add up to 1.
Matrix clamped(Matrix w) {
  for (std::size_t y = 0; y < w.rows(); ++y) {
    Rational sum;
    for (std::size_t z = 0; z < w.columns(); ++z) {
      if (w(y, z).sign() < 0) w(y, z) = 0;
      sum += w(y, z);
    }
    for (std::size_t z = 0; z < w.columns(); ++z) w(y, z) /= sum;
  }
  return w;
}

Matrix in_doubles(Matrix w) {
  for (std::size_t y = 0; y < w.rows(); ++y) {
    for (std::size_t z = 0; z < w.columns(); ++z) w(y, z) = Rational::from_double(w(y, z).to_double());
  }
  return w;
}

Matrix transposed(const Matrix& w) {
  Matrix result(w.columns(), w.rows());
  for (std::size_t y = 0; y < w.rows(); ++y) {
    for (std::size_t z = 0; z < w.columns(); ++z) result(z, y) = w(y, z);
  }
  return result;
}

TEST(RefinementMutant, WitnessesWithoutTheSignCheckAreCaught) {
  const std::map<std::string, std::function<Matrix(const Matrix&)>> mutants = {
      {"keeps the negative entry", [](const Matrix& w) { return w; }},
      {"makes it zero", clamped},
      {"makes it zero and computes in doubles", [](const Matrix& w) { return in_doubles(clamped(w)); }},
      {"exchanges rows and columns", [](const Matrix& w) { return clamped(transposed(w)); }},
  };
  for (std::uint64_t seed = 0; seed < fractile::testing::effort(100); ++seed) {
    const Trap trap = drawn_trap(seed);
    EXPECT_EQ(trap.from.matrix() * trap.solution, trap.to.matrix()) << seed;
    EXPECT_TRUE(refines(trap.from, trap.to).refuted()) << seed;
    for (const auto& [name, mutant] : mutants) {
      EXPECT_FALSE(verify(trap.from, trap.to, Witness{mutant(trap.solution)})) << name << ", seed " << seed;
    }
  }
}

// Doubles are not exact even where there is a witness.
TEST(RefinementMutant, AWitnessInDoublesIsCaught) {
  const Matrix witness = std::get<Witness>(refines(g3, g2).verdict).matrix;
  EXPECT_TRUE(verify(g3, g2, Witness{witness}));
  EXPECT_FALSE(verify(g3, g2, Witness{in_doubles(witness)}));
}

TEST(RefinementMutant, AnswersToTheOppositeQuestionAreCaught) {
  int witnesses = 0;
  int counterexamples = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Pair pair = drawn_pair(seed);
    const bool leads = leads_to(pair.from.matrix(), pair.to.matrix());
    const Refinement opposite = refines(pair.to, pair.from);
    if (opposite.refines() && !leads) {
      EXPECT_FALSE(verify(pair.from, pair.to, std::get<Witness>(opposite.verdict))) << seed;
      ++witnesses;
    }
    if (opposite.refuted() && leads) {
      EXPECT_FALSE(verify(pair.from, pair.to, std::get<Counterexample>(opposite.verdict))) << seed;
      ++counterexamples;
    }
  }
  EXPECT_GT(witnesses, 0);
  EXPECT_GT(counterexamples, 20);
}

// A wrong decider: it refutes where doubles find the second channel better, or nearly as good.
TEST(RefinementMutant, ARefutationWithinAToleranceIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Drawing drawing(seed);
    const Channel from = any_channel(drawing);
    const Channel to = from * any_after(drawing, from);
    const Counterexample claimed = any_analyst(drawing, from, to);
    if (claimed.loss_to.to_double() > claimed.loss_from.to_double() + 1e-9) continue;
    EXPECT_FALSE(verify(from, to, claimed)) << seed;
    ++caught;
  }
  EXPECT_GT(caught, 20);
}

}  // namespace
}  // namespace fractile::flow
