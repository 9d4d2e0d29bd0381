#include "flow/pipeline/canonical_post.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/post_images.hpp"

namespace fractile::flow {
namespace {

using Kind = PostProcessor::Kind;

constexpr std::size_t most_tuples = 4096;
constexpr std::size_t most_values = 10;

/// Outputs by tuple, numbered as they come up: equal for what tells the same.
using Classes = std::vector<std::size_t>;

Classes classes_of(const Pipeline& pipeline, const std::vector<Tuple>& tuples) {
  const Images images = images_of(pipeline, tuples);
  std::vector<std::optional<std::size_t>> numbers(images.names.size());
  Classes classes;
  std::size_t known = 0;
  for (const std::size_t image : images.image) {
    if (!numbers[image]) numbers[image] = known++;
    classes.push_back(*numbers[image]);
  }
  return classes;
}

/// In the order in which they are preferred. Counting the others tells the same: only sets without the first value.
std::vector<PostProcessor> simple_posts(std::size_t values) {
  std::vector<PostProcessor> posts{{Kind::identity, {}, {}}};
  for (std::size_t set = 0; set < std::size_t{1} << (values - 1); ++set) {
    PostProcessor post{Kind::count, {}, {}};
    for (std::size_t value = 1; value < values; ++value) {
      if ((set >> (value - 1) & 1) == 1) post.counted.push_back(value);
    }
    posts.push_back(std::move(post));
  }
  posts.push_back({Kind::sum, {}, {}});
  posts.push_back({Kind::mode, {}, {}});
  return posts;
}

bool is_listed(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  return values <= most_values && pipeline.participants <= most_tuples &&
         power(values, pipeline.participants) <= Rational(static_cast<std::int64_t>(most_tuples));
}

PostProcessor of_listed_tuples(Pipeline pipeline) {
  const std::vector<Tuple> tuples = all_tuples(pipeline.participants, pipeline.values.size());
  const Classes own = classes_of(pipeline, tuples);
  PostProcessor post = pipeline.post;
  for (PostProcessor& simple : simple_posts(pipeline.values.size())) {
    pipeline.post = simple;
    if (classes_of(pipeline, tuples) == own) return simple.kind == post.kind ? post : std::move(simple);
  }
  return post;
}

PostProcessor of_many_tuples(const Pipeline& pipeline) {
  if (pipeline.post.kind == Kind::sum && pipeline.values.size() == 2) return {Kind::count, {1}, {}};
  if (pipeline.post.kind != Kind::round) return pipeline.post;
  Pipeline one = pipeline;
  one.participants = 1;
  one.secret = {};
  const bool keeps_apart = images_of(one, all_tuples(1, one.values.size())).names.size() == one.values.size();
  return keeps_apart ? PostProcessor{Kind::identity, {}, {}} : pipeline.post;
}

}  // namespace

PostProcessor canonical_post(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr || pipeline.secret.kind == Secret::Kind::histogram) return pipeline.post;
  return is_listed(pipeline) ? of_listed_tuples(pipeline) : of_many_tuples(pipeline);
}

}  // namespace fractile::flow
