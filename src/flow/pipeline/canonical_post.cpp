#include "flow/pipeline/canonical_post.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/post_images.hpp"

namespace fractile::flow {
namespace {

using Kind = PostProcessor::Kind;

constexpr std::size_t most_tuples = 4096;

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

/// The count that alone can tell the same: of the values that change the output when one participant has them and all others the first.
/// (Counting the first value and not some others tells the same as counting those.)
PostProcessor possible_count(const Classes& classes, std::size_t values) {
  PostProcessor post{Kind::count, {}, {}};
  for (std::size_t value = 1; value < values; ++value) {
    if (classes[value] != classes[0]) post.counted.push_back(value);
  }
  return post;
}

bool is_listed(const Pipeline& pipeline) {
  return pipeline.participants <= most_tuples &&
         power(pipeline.shown().size(), pipeline.participants) <= Rational(static_cast<std::int64_t>(most_tuples));
}

PostProcessor of_listed_tuples(Pipeline pipeline) {
  const std::size_t values = pipeline.shown().size();
  const std::vector<Tuple> tuples = all_tuples(pipeline.participants, values);
  const Classes own = classes_of(pipeline, tuples);
  PostProcessor post = pipeline.post;
  for (const PostProcessor& simple : {PostProcessor{Kind::identity, {}, {}}, possible_count(own, values),
                                      PostProcessor{Kind::sum, {}, {}}, PostProcessor{Kind::mode, {}, {}}}) {
    pipeline.post = simple;
    if (classes_of(pipeline, tuples) == own) return simple.kind == post.kind ? post : simple;
  }
  return post;
}

PostProcessor of_many_tuples(const Pipeline& pipeline) {
  if (pipeline.post.kind == Kind::sum && pipeline.shown().size() == 2) return {Kind::count, {1}, {}};
  if (pipeline.post.kind != Kind::round) return pipeline.post;
  Pipeline one = pipeline;
  one.participants = 1;
  one.secret = {};
  const bool keeps_apart = images_of(one, all_tuples(1, one.shown().size())).names.size() == one.shown().size();
  return keeps_apart ? PostProcessor{Kind::identity, {}, {}} : pipeline.post;
}

}  // namespace

Perturber canonical_perturber(const Perturber& perturber) {
  if (perturber.each().empty()) return perturber;
  const Perturber& first = perturber.each().front();
  const bool are_equal = std::ranges::all_of(perturber.each(), [&](const Perturber& other) {
    return noise_of(other).numerators == noise_of(first).numerators &&
           noise_of(other).denominator == noise_of(first).denominator;
  });
  return are_equal ? first : perturber;
}

PostProcessor canonical_post(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr || pipeline.secret.kind == Secret::Kind::histogram) return pipeline.post;
  return is_listed(pipeline) ? of_listed_tuples(pipeline) : of_many_tuples(pipeline);
}

}  // namespace fractile::flow
