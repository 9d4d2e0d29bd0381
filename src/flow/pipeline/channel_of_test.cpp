#include "flow/pipeline/channel_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "support/pipelines.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"

namespace fractile::flow {
namespace {

using By = CentralMechanism::Kind;

CentralMechanism releasing(By mechanism, const std::vector<const char*>& quantiles,
                           Neighbors neighbors = Neighbors::add_remove) {
  CentralMechanism release{mechanism, {}, neighbors};
  for (const char* quantile : quantiles) release.quantiles.push_back(Rational::parse(quantile));
  return release;
}

const std::vector<CentralMechanism>& releases() {
  static const std::vector<CentralMechanism> all{
      releasing(By::exponential, {"1/2"}),
      releasing(By::exponential, {"1/4"}, Neighbors::change_one),
      releasing(By::exponential, {"1"}),
      releasing(By::approximate, {"1/2"}),
      releasing(By::approximate, {"1/4", "3/4"}),
      releasing(By::approximate, {"1/4", "1/2", "3/4"}),
      releasing(By::approximate, {"1/5", "1/2", "1"}, Neighbors::change_one),
      releasing(By::gumbel_max, {"1/2"}),
      releasing(By::gumbel_max, {"1/3"}, Neighbors::change_one),
  };
  return all;
}

const std::vector<Composition>& tables() {
  static const std::vector<Composition> all{{1, 0, 0, 0}, {2, 0, 0, 1}, {0, 3, 2, 1}, {0, 0, 0, 5}};
  return all;
}

Rational sum_of(const std::vector<Rational>& numbers) {
  Rational sum;
  for (const Rational& number : numbers) sum += number;
  return sum;
}

// The channel has the law from which release() draws.
TEST(ReleaseLaw, IsThatOfReleases) {
  const Exponent epsilon = Exponent::parse("2");
  for (const CentralMechanism& release : releases()) {
    if (release.kind == By::gumbel_max) continue;
    const Composition table{0, 4, 1, 2};
    const RankProfile profile(Lattice::numbers(4), {3, 5, 7}, std::vector<std::uint64_t>{4, 1, 2});
    QuantileQuery query{release.quantiles, Budget::pure(epsilon)};
    query.neighbors = release.neighbors;
    query.mechanism = release.kind == By::exponential ? Mechanism::exponential : Mechanism::approximate;
    std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
    RandomBits bits = RandomBits::system();
    for (std::uint64_t i = 0; i < testing::effort(60'000); ++i) {
      ++counts[fractile::release(profile, query, bits).only().indices];
    }
    const Rational degree = root_degree(release, 4);
    const Enclosure base = Enclosure::of(epsilon / degree, enclosure_bits).exp();
    const std::vector<Enclosure> law = release_law(release, table, base);
    std::vector<std::uint64_t> observed;
    std::vector<double> expected;
    const auto outputs = release_outputs(release, 4);
    for (std::size_t i = 0; i < law.size(); ++i) {
      observed.push_back(counts[std::vector<std::uint64_t>(outputs[i].begin(), outputs[i].end())]);
      expected.push_back(law[i].to_double());
    }
    EXPECT_EQ(counts.size(), outputs.size());
    EXPECT_GT(testing::chi_square_p(observed, expected), 1e-9) << release.quantiles.size();
  }
}

TEST(ReleaseLaw, IsOneInAllNumbers) {
  const Rational base(7, 4);
  for (const CentralMechanism& release : releases()) {
    for (const Composition& table : tables()) {
      const std::vector<Rational> exact = release_law(release, table, base);
      EXPECT_EQ(sum_of(exact), Rational(1));
      const std::vector<Enclosure> enclosed = release_law(release, table, Enclosure::of(base, enclosure_bits));
      const std::vector<RationalFunction> symbolic = release_law(release, table, RationalFunction::variable());
      for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_TRUE(enclosed[i].contains(exact[i]));
        EXPECT_LT(radius(enclosed[i]), 1e-90);
        Rational numerator;
        Rational denominator;
        fmpz_poly_evaluate_fmpq(flint_of(numerator), symbolic[i].numerator(), flint_of(base));
        fmpz_poly_evaluate_fmpq(flint_of(denominator), symbolic[i].denominator(), flint_of(base));
        EXPECT_EQ(numerator / denominator, exact[i]);
      }
    }
  }
}

// interval_score of the median of 0, 0, 3 is 0, 1, 1, 3 in units of 1/2, at a rate of epsilon / 2; equation (7) of
// quantile-score-candidates 2025 gives |2 below - (3 - equal)|.
TEST(ReleaseLaw, IsTheExponentialMechanism) {
  const Composition table{2, 0, 0, 1};
  const Rational third(1, 3);
  EXPECT_EQ(root_degree(releases().front(), 4), 2);
  EXPECT_EQ(release_law(releases().front(), table, Rational(3)),
            (std::vector<Rational>{Rational(1, 2), third / 2, third / 2, third / 2}));
  const Rational all = Rational(1) + third * 3;
  EXPECT_EQ(release_law(releases().front(), table, Rational(3)).front(), Rational(1) / all);
  const std::vector<Rational> scored = release_law(releasing(By::gumbel_max, {"1/2"}), table, Rational(3));
  // Scores 1, 1, 1, 2.
  EXPECT_EQ(scored[0], scored[1]);
  EXPECT_EQ(scored[3] / scored[0], third);
}

TEST(ReleaseLaw, CostsEpsilonAndNotMuchLess) {
  for (const CentralMechanism& release : releases()) {
    if (release.neighbors == Neighbors::change_one || release.kind == By::gumbel_max) continue;
    const Rational base = 2;
    const Rational odds = base.pow(root_degree(release, 3));
    Rational worst;
    for (const Composition& table : {Composition{1, 1, 1}, Composition{2, 0, 1}, Composition{0, 0, 3}}) {
      for (std::size_t value = 0; value < 3; ++value) {
        Composition more = table;
        ++more[value];
        const std::vector<Rational> p = release_law(release, table, base);
        const std::vector<Rational> q = release_law(release, more, base);
        for (std::size_t i = 0; i < p.size(); ++i) worst = std::max({worst, p[i] / q[i], q[i] / p[i]});
      }
    }
    EXPECT_LE(worst, odds);
    EXPECT_GT(worst.pow(4), odds);
  }
}

TEST(ReleaseLaw, RefusesOtherReleases) {
  EXPECT_THROW(root_degree(releasing(By::exponential, {"1/4", "1/2"}), 4), Error);
  EXPECT_THROW(root_degree(releasing(By::approximate, {"1/5", "2/5", "3/5", "4/5"}), 4), Error);
  EXPECT_THROW(root_degree(releasing(By::approximate, {"1/2", "1/4"}), 4), Error);
  EXPECT_THROW(root_degree(releasing(By::exponential, {}), 4), Error);
  EXPECT_THROW(root_degree(releasing(By::exponential, {"3/2"}), 4), Error);
  EXPECT_THROW(root_degree(releasing(By::exponential, {"0.123456789"}), 4), Error);
}

Pipeline median_of(std::size_t records, std::size_t values, const PostProcessor& post = {}) {
  return pipeline_of(records, Perturber::release(releasing(By::exponential, {"1/2"}), values), post);
}

TEST(ReleasePipeline, KnownOthersSeeRowsOfEveryones) {
  const Pipeline everyone = median_of(3, 3);
  Pipeline target = everyone;
  target.secret = Secret::target_knowing({2, 0});
  const PipelineChannel all = channel_at(everyone, Odds(9));
  const PipelineChannel some = channel_at(target, Odds(9));
  ASSERT_EQ(all.secrets.size(), 10U);
  ASSERT_EQ(some.secrets.size(), 3U);
  const std::vector<std::vector<std::size_t>> tuples{{0, 0, 2}, {0, 1, 2}, {0, 2, 2}};
  for (std::size_t x = 0; x < 3; ++x) {
    const auto row = static_cast<std::size_t>(std::ranges::find(all.secrets, tuples[x]) - all.secrets.begin());
    EXPECT_TRUE(std::ranges::equal(some.channel.matrix().row(x), all.channel.matrix().row(row)));
  }
}

TEST(ReleasePipeline, PostProcessesWhatIsReleased) {
  PostProcessor halves;
  halves.kind = PostProcessor::Kind::round;
  halves.unit = 2;
  const PipelineChannel plain = channel_at(median_of(2, 4), Odds(9));
  const PipelineChannel rounded = channel_at(median_of(2, 4, halves), Odds(9));
  EXPECT_EQ(rounded.channel.observations(), (std::vector<std::string>{"0", "2", "4"}));  // 1 and 3 go upwards
  for (std::size_t x = 0; x < plain.secrets.size(); ++x) {
    EXPECT_EQ(rounded.channel(x, 0), plain.channel(x, 0));
    EXPECT_EQ(rounded.channel(x, 1), plain.channel(x, 1) + plain.channel(x, 2));
    EXPECT_EQ(rounded.channel(x, 2), plain.channel(x, 3));
  }
  const Perturber quartiles = Perturber::release(releasing(By::approximate, {"1/4", "1/2", "3/4"}), 3);
  const Rational odds = Rational(2).pow(quartiles.root_degree());
  const PipelineChannel all = channel_at(pipeline_of(2, quartiles, {}), Odds(odds));
  const PipelineChannel mode = channel_at(pipeline_of(2, quartiles, taking_the_mode()), Odds(odds));
  const PipelineChannel sums = channel_at(pipeline_of(2, quartiles, summing()), Odds(odds));
  const PipelineChannel count = channel_at(pipeline_of(2, quartiles, counting({0})), Odds(odds));
  EXPECT_EQ(all.channel.observations().size(), 10U);
  EXPECT_EQ(mode.channel.observations(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(sums.channel.observations(), (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(count.channel.observations(), (std::vector<std::string>{"0", "1", "2", "3"}));
  for (std::size_t x = 0; x < all.secrets.size(); ++x) {
    const auto p = [&](const char* tuple) {
      const std::vector<std::string>& names = all.channel.observations();
      return all.channel(x, static_cast<std::size_t>(std::ranges::find(names, tuple) - names.begin()));
    };
    EXPECT_EQ(count.channel(x, 2), p("(0,0,1)") + p("(0,0,2)"));
    EXPECT_EQ(sums.channel(x, 3), p("(0,1,2)") + p("(1,1,1)"));
    EXPECT_EQ(mode.channel(x, 2), p("(0,2,2)") + p("(1,2,2)") + p("(2,2,2)"));
  }
}

TEST(ReleasePipeline, IsEnclosedWhereItIsNotRational) {
  const Pipeline pipeline = median_of(3, 3);
  EXPECT_FALSE(is_exact_at(pipeline, Odds(3)));
  EXPECT_TRUE(is_exact_at(pipeline, Odds(Rational(9, 4))));
  EXPECT_THROW(channel_at(pipeline, Odds(3)), Error);
  const ChannelBounds bounds = channel_bounds(pipeline, Exponent::parse("ln 3"));
  // Of 0, 0, 0: 1 against base^-3 twice, base = sqrt 3.
  const RealBounds& p = bounds.probabilities[0][0];
  EXPECT_EQ(p.to_decimal(12), "0.722073702373");  // 1 / (1 + 2 / (3 sqrt 3))
  EXPECT_LT(p.upper - p.lower, Rational::parse("1e-80"));
}

TEST(ReleasePipeline, IsValidated) {
  const Perturber median = Perturber::release(releasing(By::exponential, {"1/2"}), 3);
  Pipeline pipeline = pipeline_of(3, median, {});
  pipeline.values = {2, 1, 0};
  EXPECT_THROW(pipeline.validate(), Error);
  pipeline = pipeline_of(3, median, {});
  pipeline.secret.kind = Secret::Kind::histogram;
  EXPECT_THROW(pipeline.validate(), Error);
  EXPECT_THROW(median.at(Odds(4)), Error);
  EXPECT_THROW(pipeline_of(3, median, {PostProcessor::Kind::table, {}, {0, 1}}).validate(), Error);
  EXPECT_NO_THROW(pipeline_of(3, median, {PostProcessor::Kind::table, {}, {0, 1, 0}}).validate());
}

}  // namespace
}  // namespace fractile::flow
