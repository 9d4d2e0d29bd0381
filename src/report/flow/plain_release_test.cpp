#include <gtest/gtest.h>

#include <vector>

#include "report/flow/plain_channel.hpp"

namespace fractile::report_detail {
namespace {

using Mechanism = flow::CentralMechanism::Kind;

flow::Pipeline released(Mechanism mechanism, std::vector<Rational> quantiles, Neighbors neighbors) {
  constexpr std::size_t records = 3;
  const std::vector<Rational> candidates{-1, 0, 2, 5};
  return {records,
          candidates,
          flow::Perturber::release({mechanism, std::move(quantiles), neighbors}, candidates.size()),
          {}};
}

void expect_equal_channels(const flow::Pipeline& pipeline) {
  const Rational odds = Rational(3, 2).pow(pipeline.perturber.root_degree());
  const std::optional<flow::Channel> plain = plain_channel(pipeline, odds);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(*plain, flow::channel_at(pipeline, flow::Odds(odds)).channel);
}

// The check of a certificate multiplies a release out from its definition, and the search multiplies it out in another way. Both must
// agree.
TEST(PlainRelease, IsTheReleaseThatIsLookedAt) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    for (const Rational& quantile : {Rational(0), Rational(1, 3), Rational(1, 2), Rational(3, 4), Rational(1)}) {
      expect_equal_channels(released(Mechanism::exponential, {quantile}, neighbors));
      expect_equal_channels(released(Mechanism::gumbel_max, {quantile}, neighbors));
    }
    expect_equal_channels(released(Mechanism::approximate, {Rational(1, 2)}, neighbors));
    expect_equal_channels(released(Mechanism::approximate, {Rational(0), Rational(2, 3)}, neighbors));
    expect_equal_channels(released(Mechanism::approximate, {Rational(1, 4), Rational(1, 2), Rational(1)}, neighbors));
  }
}

TEST(PlainRelease, IsPostProcessedAnswerByAnswer) {
  flow::Pipeline pipeline =
      released(Mechanism::approximate, {Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Neighbors::add_remove);
  for (const flow::PostProcessor::Kind kind :
       {flow::PostProcessor::Kind::sum, flow::PostProcessor::Kind::count, flow::PostProcessor::Kind::mode}) {
    pipeline.post = {kind, {1, 2}};
    expect_equal_channels(pipeline);
  }
  pipeline.secret = flow::Secret::target_knowing({0, 3});
  expect_equal_channels(pipeline);
}

TEST(PlainRelease, HasNoIrrationalProbabilities) {
  const flow::Pipeline pipeline = released(Mechanism::exponential, {Rational(1, 2)}, Neighbors::add_remove);
  EXPECT_FALSE(plain_channel(pipeline, 2).has_value());
}

}  // namespace
}  // namespace fractile::report_detail
