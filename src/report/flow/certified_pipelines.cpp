#include "report/flow/certified_pipelines.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "report/flow/flow_numbers.hpp"

namespace fractile::report_detail {
namespace {

using Kind = flow::PostProcessor::Kind;

/// Whether the answers of all participants are shown, each by itself.
bool is_side_by_side(const flow::PostProcessor& post) {
  if (post.kind != Kind::table) return post.kind == Kind::identity || post.kind == Kind::round;
  const std::set<std::size_t> outputs(post.image.begin(), post.image.end());
  return outputs.size() == post.image.size();
}

/// Whether the output is a count of some answers, or a sum of answers that have only two values.
bool is_count(const flow::Pipeline& pipeline) {
  return pipeline.post.kind == Kind::count || (pipeline.post.kind == Kind::sum && pipeline.shown().size() == 2);
}

/// The pipeline, with one perturber for all participants if their perturbers are the same at both odds.
flow::Pipeline with_one_perturber(flow::Pipeline pipeline, const Rational& from, const Rational& to) {
  const std::vector<flow::Perturber> each = pipeline.perturber.each();
  const bool are_equal = !each.empty() && std::ranges::all_of(each, [&](const flow::Perturber& one) {
    return one.at(flow::Odds(from)) == each.front().at(flow::Odds(from)) &&
           one.at(flow::Odds(to)) == each.front().at(flow::Odds(to));
  });
  if (are_equal) pipeline.perturber = each.front();
  return pipeline;
}

class Parts {
 public:
  Parts(const flow::Pipeline& asked, const Rational& from, const Rational& to)
      : asked_(with_one_perturber(asked, from, to)) {
    add(asked);
    if (!asked.perturber.is_shared() && asked_.perturber.is_shared()) add(asked_);
  }

  std::vector<CertifiedPart> of(bool is_witness) && {
    if (asked_.perturber.release() != nullptr) return std::move(parts_);
    switch (asked_.secret.kind) {
      case flow::Secret::Kind::everyone:
        of_everyone(is_witness);
        break;
      case flow::Secret::Kind::target:
        of_target(is_witness);
        break;
      case flow::Secret::Kind::histogram:
        if (is_witness && asked_.post.kind == Kind::identity) add(bar(), "one bar");
        break;
    }
    return std::move(parts_);
  }

 private:
  void add(flow::Pipeline pipeline, std::string name = {}) {
    if (name.empty()) name = whose(pipeline);
    parts_.push_back({std::move(pipeline), std::move(name)});
  }

  flow::Pipeline single() const {
    flow::Pipeline one = asked_;
    one.participants = 1;
    one.secret = {};
    if (!one.perturber.each().empty()) one.perturber = asked_.perturber.each().back();
    if (one.post.kind == Kind::table) one.post = {};
    return one;
  }

  flow::Pipeline bar() const {
    std::vector<Rational> heights;
    for (std::size_t height = 0; height <= asked_.participants; ++height) {
      heights.emplace_back(static_cast<std::int64_t>(height));
    }
    return {1, std::move(heights), asked_.perturber, asked_.post};
  }

  void of_everyone(bool is_witness) {
    if (!asked_.perturber.is_shared()) return;
    const bool is_shuffled = asked_.post.kind == Kind::shuffle;
    if (is_side_by_side(asked_.post) || (is_witness && (is_count(asked_) || is_shuffled))) add(single());
    if (is_witness) return;
    flow::Pipeline unknown = asked_;  // its rows are rows of everyone's channel
    unknown.secret = {flow::Secret::Kind::target, {asked_.participants - 1}};
    add(std::move(unknown));
  }

  void of_target(bool is_witness) {
    if (is_side_by_side(asked_.post)) add(single(), "the target alone");
    if (!is_witness || !asked_.perturber.is_shared()) return;
    flow::Pipeline everyone = asked_;  // the target's rows are rows of everyone's channel
    everyone.secret = {};
    add(everyone);
    if (is_count(asked_) || asked_.post.kind == Kind::shuffle) add(single());
  }

  flow::Pipeline asked_;
  std::vector<CertifiedPart> parts_;
};

}  // namespace

std::vector<CertifiedPart> certified_parts(const flow::Pipeline& asked, bool is_witness, const Rational& from,
                                           const Rational& to) {
  return Parts(asked, from, to).of(is_witness);
}

}  // namespace fractile::report_detail
