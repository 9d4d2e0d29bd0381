#include "flow/pipeline/canonical_post.hpp"

#include <gtest/gtest.h>

#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

using Kind = PostProcessor::Kind;

const Perturber response = Perturber::randomized_response(2);

TEST(CanonicalPost, TellsTheSameInOneWay) {
  // A sum over two values counts the larger; every injective table is the identity.
  EXPECT_EQ(canonical_post(pipeline_of(3, response, summing())).kind, Kind::count);
  EXPECT_EQ(canonical_post(pipeline_of(1000, response, summing())).kind, Kind::count);
  EXPECT_EQ(canonical_post(pipeline_of(2, response, {Kind::table, {}, {2, 3, 1, 0}})).kind, Kind::identity);
  // A constant counts no participant. A post-processor in canonical form stays as it is.
  EXPECT_TRUE(canonical_post(pipeline_of(2, response, {Kind::table, {}, {0, 0, 0, 0}})).counted.empty());
  EXPECT_EQ(canonical_post(pipeline_of(2, response, {Kind::table, {}, {0, 0, 0, 0}})).kind, Kind::count);
  EXPECT_EQ(canonical_post(pipeline_of(2, response, counting({0}))).counted, std::vector<std::size_t>{0});
  EXPECT_EQ(canonical_post(pipeline_of(2, response, {Kind::table, {}, {1, 0, 0, 1}})).kind, Kind::table);
  PostProcessor fine{Kind::round, {}, {}, Rational(1, 2)};
  EXPECT_EQ(canonical_post(pipeline_of(2, response, fine)).kind, Kind::identity);
  EXPECT_EQ(canonical_post(pipeline_of(1000, response, fine)).kind, Kind::identity);
  fine.unit = 10;
  EXPECT_EQ(canonical_post(pipeline_of(1000, response, fine)).kind, Kind::round);
}

}  // namespace
}  // namespace fractile::flow
