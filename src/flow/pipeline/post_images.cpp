#include "flow/pipeline/post_images.hpp"

#include <algorithm>
#include <map>

#include "flow/channel/names.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/tallies.hpp"

namespace fractile::flow {
namespace {

using Observation = std::vector<Rational>;

Rational number(std::size_t value) { return value; }

Rational rounded(const Rational& value, const Rational& unit) { return (value / unit + Rational(1, 2)).floor() * unit; }

/// The index of a tuple in the numbering of PostProcessor::image: the last member changes fastest.
std::size_t index_of(const Tuple& tuple, std::size_t values) {
  std::size_t index = 0;
  for (const std::size_t value : tuple) index = index * values + value;
  return index;
}

Observation tally_of(const std::vector<Tuple>& steps, const Tuple& tuple) {
  Observation result(steps.front().size());
  for (const std::size_t answer : tuple) {
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += number(steps[answer][k]);
  }
  return result;
}

Observation image_of(const Pipeline& pipeline, const Tuple& tuple) {
  const PostProcessor& post = pipeline.post;
  Observation result;
  switch (post.kind) {
    case PostProcessor::Kind::count:
      return {number(static_cast<std::size_t>(std::ranges::count_if(
          tuple, [&](std::size_t value) { return std::ranges::count(post.counted, value) > 0; })))};
    case PostProcessor::Kind::sum:
      result.emplace_back();
      for (const std::size_t value : tuple) result.front() += pipeline.shown()[value];
      return result;
    case PostProcessor::Kind::mode:
      return {pipeline.shown()[mode_of(composition_of(tuple, pipeline.shown().size()))]};
    case PostProcessor::Kind::table:
      return {number(post.image[index_of(tuple, pipeline.shown().size())])};
    case PostProcessor::Kind::round:
      for (const std::size_t value : tuple) result.push_back(rounded(pipeline.shown()[value], post.unit));
      return result;
    case PostProcessor::Kind::shuffle:
    case PostProcessor::Kind::bits:
      return tally_of(tallied(pipeline), tuple);
    case PostProcessor::Kind::identity:
      break;
  }
  for (const std::size_t value : tuple) result.push_back(pipeline.shown()[value]);
  return result;
}

}  // namespace

Images images_of(const Pipeline& pipeline, const std::vector<Tuple>& tuples) {
  std::vector<Observation> observed;
  observed.reserve(tuples.size());
  std::map<Observation, std::size_t> order;
  for (const Tuple& tuple : tuples) {
    observed.push_back(image_of(pipeline, tuple));
    order.emplace(observed.back(), 0);
  }
  Images images;
  for (auto& [observation, index] : order) {
    index = images.names.size();
    images.names.push_back(tuple_name(names_of(observation)));
  }
  images.image.reserve(tuples.size());
  for (const Observation& observation : observed) images.image.push_back(order.at(observation));
  return images;
}

}  // namespace fractile::flow
