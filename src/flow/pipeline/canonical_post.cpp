#include "flow/pipeline/canonical_post.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/post_images.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

using Kind = PostProcessor::Kind;

constexpr std::size_t most_tuples = 4096;

/// Outputs by tuple, numbered in the order in which they occur. Equivalent post-processors have equal lists.
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

/// The only count that can be equivalent: it counts the values that change the output when one participant has them and all others
/// have the first value. (Counting the first value and not some others is equivalent to counting those others.)
PostProcessor possible_count(const Classes& classes, std::size_t values) {
  PostProcessor post{Kind::count, {}, {}};
  for (std::size_t value = 1; value < values; ++value) {
    if (classes[value] != classes[0]) post.counted.push_back(value);
  }
  return post;
}

bool is_listed(const Pipeline& pipeline) {
  return pipeline.participants <= most_tuples &&
         power(pipeline.shown().size(), pipeline.participants) <= Rational(most_tuples);
}

PostProcessor of_listed_tuples(Pipeline pipeline) {
  const std::size_t values = pipeline.shown().size();
  const std::vector<Tuple> tuples = all_tuples(pipeline.participants, values);
  const Classes own = classes_of(pipeline, tuples);
  PostProcessor post = pipeline.post;
  for (const PostProcessor& simple :
       {PostProcessor{Kind::identity, {}, {}}, possible_count(own, values), PostProcessor{Kind::sum, {}, {}},
        PostProcessor{Kind::mode, {}, {}}, PostProcessor{Kind::shuffle, {}, {}}}) {
    pipeline.post = simple;
    if (classes_of(pipeline, tuples) == own) return simple.kind == post.kind ? post : simple;
  }
  return post;
}

PostProcessor of_many_tuples(const Pipeline& pipeline) {
  const bool adds_or_shuffles = pipeline.post.kind == Kind::sum || pipeline.post.kind == Kind::shuffle;
  if (adds_or_shuffles && pipeline.shown().size() == 2) return {Kind::count, {1}, {}};
  if (pipeline.post.kind != Kind::round) return pipeline.post;
  const Pipeline one = alone(pipeline);
  const bool keeps_apart = images_of(one, all_tuples(1, one.shown().size())).names.size() == one.shown().size();
  return keeps_apart ? PostProcessor{Kind::identity, {}, {}} : pipeline.post;
}

}  // namespace

std::vector<std::size_t> own_places(const Pipeline& pipeline, const Pipeline& simple) {
  const std::vector<std::string> own = outline_of(pipeline).observation_names;
  const std::vector<std::string> shown = outline_of(simple).observation_names;
  std::vector<std::size_t> places(shown.size());
  const bool adds_or_shuffles = pipeline.post.kind == Kind::sum || pipeline.post.kind == Kind::shuffle;
  if (adds_or_shuffles && !is_listed(pipeline)) {  // for two values, a count of the second one
    const bool increases = pipeline.post.kind == Kind::sum && pipeline.shown()[0] < pipeline.shown()[1];
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = increases ? i : places.size() - 1 - i;
    return places;
  }
  const std::vector<Tuple> tuples = all_tuples(pipeline.participants, pipeline.shown().size());
  const Images images = images_of(pipeline, tuples);
  const Images simply = images_of(simple, tuples);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    names.emplace(simply.names[simply.image[i]], images.names[images.image[i]]);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<std::size_t>(std::ranges::find(own, names.at(shown[i])) - own.begin());
  }
  return places;
}

namespace {

/// The named family whose matrix in odds this is, if there is one.
std::optional<Perturber> family_of(const Pipeline& pipeline, const Perturber& perturber) {
  const std::size_t values = perturber.values();
  const std::size_t answers = perturber.answers();
  std::vector<Perturber> families;
  if (answers == values) families.push_back(Perturber::randomized_response(values));
  if (answers >= values && (answers - values) % 2 == 0) {
    families.push_back(Perturber::wide_geometric(values, (answers - values) / 2));
  }
  for (const Perturber& family : families) {
    if (!have_one_law(noise_of(family), noise_of(perturber))) continue;
    Pipeline renamed = pipeline;
    renamed.perturber = family;
    try {
      renamed.validate();  // geometric noise needs equally spaced values
    } catch (const Error&) {
      continue;
    }
    return family;
  }
  return {};
}

}  // namespace

Perturber canonical_perturber(const Pipeline& pipeline) {
  const Perturber& perturber = pipeline.perturber;
  if (perturber.release() != nullptr) return perturber;
  const Perturber& first = perturber.is_shared() ? perturber : perturber.each().front();
  const auto is_first = [&](const Perturber& one) { return have_one_law(noise_of(one), noise_of(first)); };
  if (!std::ranges::all_of(perturber.each(), is_first)) return perturber;
  if (first.is_refinement_preserving()) return first;
  return family_of(pipeline, first).value_or(first);
}

Pipeline alone(const Pipeline& pipeline) {
  Pipeline one = pipeline;
  one.participants = 1;
  one.secret = {};
  return one;
}

Pipeline target_alone(const Pipeline& pipeline) {
  Pipeline one = alone(pipeline);
  if (!pipeline.perturber.each().empty()) one.perturber = pipeline.perturber.each().back();
  return one;
}

bool is_side_by_side(const Pipeline& pipeline) {
  using Kind = PostProcessor::Kind;
  return pipeline.perturber.release() == nullptr &&
         (pipeline.post.kind == Kind::identity || pipeline.post.kind == Kind::round);
}

Pipeline canonical_pipeline(const Pipeline& pipeline) {
  Pipeline simple = pipeline;
  simple.post = canonical_post(pipeline);
  simple.perturber = canonical_perturber(pipeline);
  return simple;
}

PostProcessor canonical_post(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr || pipeline.secret.kind == Secret::Kind::histogram) return pipeline.post;
  return is_listed(pipeline) ? of_listed_tuples(pipeline) : of_many_tuples(pipeline);
}

}  // namespace fractile::flow
