#include "flow/loss/noisy_argmax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Enclosure enclosed_loss(const Pipeline& pipeline, const Rational& odds) {
  return GuessedMode(mode_guesser(), DenseLoss(pipeline, mode_guesser())).loss(Enclosure::of(odds, 320));
}

/// Noise that mostly reverses heights: low bars seem high.
Perturber reversing(std::size_t heights) {
  const Rational all(heights);
  Matrix noise(heights, heights);
  for (std::size_t x = 0; x < heights; ++x) {
    for (std::size_t y = 0; y < heights; ++y) noise(x, y) = Rational(x + y + 1 == heights ? 3 : 0, 4) + 1 / all / 4;
  }
  return Perturber::fixed(Channel(std::move(noise)));
}

/// Noise without symmetry, and with heights that are never shown.
Perturber lopsided(std::size_t heights) {
  Matrix noise(heights, heights);
  for (std::size_t x = 0; x < heights; ++x) {
    noise(x, 0) = Rational(1, 5);
    noise(x, (2 * x + 1) % heights) += Rational(3, 5);
    noise(x, x / 2) += Rational(1, 5);
  }
  return Perturber::fixed(Channel(std::move(noise)));
}

/// Deterministic noise on the heights 0 .. 5: middle heights seem higher than the others.
Perturber middling() {
  Matrix noise(6, 6);
  for (std::size_t x = 0; x < 6; ++x) noise(x, x >= 1 && x <= 3 ? 1 : 0) = 1;
  return Perturber::fixed(Channel(std::move(noise)));
}

std::vector<Perturber> perturbers(std::size_t heights) {
  return {Perturber::geometric(heights), Perturber::randomized_response(heights), reversing(heights),
          lopsided(heights)};
}

Pipeline argmax_of(std::size_t participants, std::size_t bars, Perturber perturber) {
  Pipeline pipeline = noisy_argmax(participants, bars);
  pipeline.perturber = std::move(perturber);
  return pipeline;
}

/// From the channel's rows: entry (k, k') is the sum over histograms with highest bar k of the probability that k' is shown.
Matrix sums_by_guess(const Pipeline& pipeline, const Rational& odds) {
  const PipelineChannel rows = channel_at(pipeline, Odds(odds));
  Matrix sums(pipeline.values.size(), pipeline.values.size());
  for (std::size_t x = 0; x < rows.secrets.size(); ++x) {
    const std::vector<std::size_t>& bars = rows.secrets[x];
    const auto mode = static_cast<std::size_t>(std::ranges::max_element(bars) - bars.begin());
    for (std::size_t shown = 0; shown < sums.columns(); ++shown) sums(mode, shown) += rows.channel(x, shown);
  }
  return sums;
}

// docs/proofs/noisy_argmax.md: sums over histograms give what listing them gives.
TEST(NoisyArgmax, LossIsThatOfTheRows) {
  for (std::size_t bars = 2; bars <= 4; ++bars) {
    for (std::size_t participants = 1; participants <= 5; ++participants) {
      for (const Perturber& perturber : perturbers(participants + 1)) {
        const Pipeline pipeline = argmax_of(participants, bars, perturber);
        for (const Rational& odds : {Rational(1), Rational(21, 20), Rational(3), Rational(100)}) {
          const Enclosure enclosed = enclosed_loss(pipeline, odds);
          EXPECT_TRUE(enclosed.contains(expected_loss(pipeline, mode_guesser(), Odds(odds))))
              << bars << " " << participants << " " << odds.to_string();
          EXPECT_LT(radius(enclosed), 0x1p-120);
        }
      }
    }
  }
}

// Perturbers of bars that are not geometric.
TEST(NoisyArgmax, TakesOtherPerturbers) {
  Pipeline pipeline = noisy_argmax(3, 3);
  pipeline.perturber = Perturber::fixed(Channel(
      matrix({{"1/2", "0", "1/2", "0"}, {"0", "1", "0", "0"}, {"1/3", "1/3", "0", "1/3"}, {"0", "0", "0", "1"}})));
  EXPECT_TRUE(enclosed_loss(pipeline, 2).contains(expected_loss(pipeline, mode_guesser(), Odds(2))));
}

// docs/proofs/noisy_argmax.md, "Guesses": of the bars on one side of the shown one, the first is the best guess.
TEST(NoisyArgmax, EarlierBarsOnOneSideAreBetterGuesses) {
  for (const Perturber& perturber : perturbers(6)) {
    const Matrix sums = sums_by_guess(argmax_of(5, 4, perturber), Rational(21, 20));
    for (std::size_t shown = 0; shown < 4; ++shown) {
      for (std::size_t k = 1; k < 4; ++k) {
        if (k != shown && k != shown + 1) {
          EXPECT_GE(sums(k - 1, shown), sums(k, shown)) << k << " " << shown;
        }
      }
    }
  }
}

std::string best_guesses(const Pipeline& pipeline, const Rational& odds) {
  const Matrix sums = sums_by_guess(pipeline, odds);
  std::string result;
  for (std::size_t shown = 0; shown < sums.columns(); ++shown) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < sums.rows(); ++k) {
      if (sums(k, shown) > sums(best, shown)) best = k;
    }
    result += std::to_string(best);
  }
  return result;
}

// All three kinds of guesses are somewhere better than the others: bar 0, the shown bar, and the one after it.
TEST(NoisyArgmax, EveryKindOfGuessIsSomewhereTheBest) {
  const auto expect = [](const Pipeline& pipeline, const Rational& odds, const std::string& guesses) {
    EXPECT_EQ(best_guesses(pipeline, odds), guesses);
    EXPECT_TRUE(enclosed_loss(pipeline, odds).contains(expected_loss(pipeline, mode_guesser(), Odds(odds)))) << guesses;
  };
  expect(noisy_argmax(5, 4), 3, "0123");
  expect(noisy_argmax(5, 4), Rational(21, 20), "0100");
  expect(argmax_of(5, 4, reversing(6)), 1, "1000");
  expect(argmax_of(5, 3, middling()), 1, "020");
}

/// In doubles and by definition: for every true and shown highest bar, a product over bars.
class ByDefinition {
 public:
  ByDefinition(const Pipeline& pipeline, const Rational& odds)
      : participants_(pipeline.participants), bars_(pipeline.values.size()) {
    const Channel channel = pipeline.perturber.at(Odds(odds));
    for (std::size_t x = 0; x <= participants_; ++x) {
      at_.emplace_back();
      below_.emplace_back(1);
      for (const Rational& p : channel.matrix().row(x)) {
        at_.back().push_back(p.to_double());
        below_.back().push_back(below_.back().back() + at_.back().back());
      }
    }
  }

  double loss() const {
    std::vector<double> sums(bars_ * bars_);
    for (std::size_t m = 1; m <= participants_; ++m) {
      for (std::size_t h = 0; h <= participants_; ++h) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += product(m, h, i / bars_, i % bars_);
      }
    }
    double right = 0;
    for (std::size_t shown = 0; shown < bars_; ++shown) {
      double best = 0;
      for (std::size_t k = 0; k < bars_; ++k) best = std::max(best, sums[k * bars_ + shown]);
      right += best;
    }
    double histograms = 1;
    for (std::size_t i = 1; i < bars_; ++i) {
      histograms *= static_cast<double>(participants_ + i) / static_cast<double>(i);
    }
    return 1 - right / histograms;
  }

 private:
  /// Pr[a bar before, at or after the shown one meets the condition on noisy heights | x].
  double chance(std::size_t x, std::size_t h, std::size_t bar, std::size_t shown) const {
    return bar == shown ? at_[x][h] : below_[x][bar < shown ? h : h + 1];
  }

  /// Over all histograms whose first highest bar, k, has m participants: the first highest noisy bar is the shown one, with h.
  double product(std::size_t m, std::size_t h, std::size_t k, std::size_t shown) const {
    const std::size_t rest = participants_ - m;
    std::vector<double> series(rest + 1);
    series[0] = chance(m, h, k, shown);
    for (std::size_t bar = 0; bar < bars_; ++bar) {
      if (bar == k) continue;
      std::vector<double> next(rest + 1);
      for (std::size_t x = 0; x < (bar < k ? m : m + 1) && x <= rest; ++x) {
        const double p = chance(x, h, bar, shown);
        for (std::size_t n = x; n <= rest; ++n) next[n] += p * series[n - x];
      }
      series = std::move(next);
    }
    return series[rest];
  }

  std::size_t participants_;
  std::size_t bars_;
  std::vector<std::vector<double>> at_;
  std::vector<std::vector<double>> below_;
};

// More people than can be listed; near odds 1 the shown bar is not the best guess, at 20 far heights are left out.
TEST(NoisyArgmax, SixtyPeopleByDefinition) {
  const Pipeline pipeline = noisy_argmax(60, 5);
  for (const Rational& odds : {Rational(101, 100), Rational(3, 2), Rational(20)}) {
    const Enclosure enclosed = enclosed_loss(pipeline, odds);
    EXPECT_NEAR(enclosed.to_double(), ByDefinition(pipeline, odds).loss(), 1e-12) << odds.to_string();
    EXPECT_LT(radius(enclosed), 0x1p-120);
  }
}

// Large odds leave most distances out; what is left out is accounted for. At 2^67 it is just too little to be looked at, and much
// more than what is rounded.
TEST(NoisyArgmax, FarHeightsAreAccountedFor) {
  const Pipeline pipeline = noisy_argmax(12, 3);
  for (const Rational& odds : {Rational::dyadic(1, 14), Rational::dyadic(1, 40), Rational::dyadic(1, 67)}) {
    EXPECT_TRUE(enclosed_loss(pipeline, odds).contains(expected_loss(pipeline, mode_guesser(), Odds(odds))))
        << odds.to_string();
  }
}

// A ball of odds that is wide, or unbounded: the result encloses the loss at all of them.
TEST(NoisyArgmax, WideOddsGiveAWideBall) {
  const Pipeline pipeline = noisy_argmax(4, 3);
  for (const Rational& width : {Rational(1, 1000000), Rational(1, 4), Rational(1)}) {
    Enclosure odds;
    arb_union(odds.arb(), Enclosure::of(2, 320).arb(), Enclosure::of(2 + width, 320).arb(), 320);
    const Enclosure enclosed = GuessedMode(mode_guesser(), DenseLoss(pipeline, mode_guesser())).loss(odds);
    EXPECT_TRUE(enclosed.contains(expected_loss(pipeline, mode_guesser(), Odds(2))));
    EXPECT_TRUE(enclosed.contains(expected_loss(pipeline, mode_guesser(), Odds(2 + width))));
  }
  Enclosure unknown;
  arb_zero_pm_inf(unknown.arb());
  const Enclosure enclosed = GuessedMode(mode_guesser(), DenseLoss(pipeline, mode_guesser())).loss(unknown);
  EXPECT_TRUE(enclosed.contains(expected_loss(pipeline, mode_guesser(), Odds(2))));
}

}  // namespace
}  // namespace fractile::flow
