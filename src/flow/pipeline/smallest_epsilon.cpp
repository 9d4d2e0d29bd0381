// The cost of a release for one participant.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/pipeline/canonical_post.hpp"
#include "flow/pipeline/secrets.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

/// The highest of p / q over all pairs of entries; nothing when some q is 0 where p is not.
class LargestRatio {
 public:
  void add(std::span<const Rational> one, std::span<const Rational> other) {
    for (std::size_t y = 0; y < one.size() && is_finite_; ++y) {
      if (other[y].sign() == 0) {
        is_finite_ = one[y].sign() == 0;
      } else if (one[y] > largest_ * other[y]) {
        largest_ = one[y] / other[y];
      }
    }
  }
  std::optional<Exponent> epsilon() const { return is_finite_ ? std::optional(Exponent::log(largest_)) : std::nullopt; }

 private:
  Rational largest_ = 1;
  bool is_finite_ = true;
};

/// Secrets in which one participant has another value than in this one.
std::vector<Tuple> changed(const Pipeline& pipeline, const std::vector<std::size_t>& groups, const Tuple& secret) {
  std::vector<Tuple> result;
  std::size_t begin = 0;
  for (const std::size_t people : groups) {
    const std::size_t end = begin + people;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin && secret[i] == secret[i - 1]) continue;  // the same multiset
      for (std::size_t value = 0; value < pipeline.values.size(); ++value) {
        if (value == secret[i]) continue;
        Tuple other = secret;
        other[i] = value;
        std::sort(other.begin() + static_cast<std::ptrdiff_t>(begin), other.begin() + static_cast<std::ptrdiff_t>(end));
        result.push_back(std::move(other));
      }
    }
    begin = end;
  }
  return result;
}

/// All histograms in which one participant votes for another bar.
std::vector<Tuple> with_another_vote(const Tuple& bars) {
  std::vector<Tuple> result;
  for (std::size_t from = 0; from < bars.size(); ++from) {
    checkpoint();
    for (std::size_t to = 0; to < bars.size(); ++to) {
      if (from == to || bars[from] == 0) continue;
      result.push_back(bars);
      --result.back()[from];
      ++result.back()[to];
    }
  }
  return result;
}

std::optional<Exponent> from_all_rows(const Pipeline& pipeline, const Rational& odds) {
  const PipelineChannel made = channel_at(pipeline, Odds(odds));
  std::map<Tuple, std::size_t> rows;
  for (std::size_t x = 0; x < made.secrets.size(); ++x) rows.emplace(made.secrets[x], x);
  const bool is_everyone = pipeline.secret.kind == Secret::Kind::everyone;
  const std::vector<std::size_t> groups = is_everyone ? arranged_groups(pipeline) : std::vector<std::size_t>{1};
  LargestRatio ratio;
  for (const auto& [secret, x] : rows) {
    checkpoint();
    const bool are_bars = pipeline.secret.kind == Secret::Kind::histogram;
    for (const Tuple& other : are_bars ? with_another_vote(secret) : changed(pipeline, groups, secret)) {
      ratio.add(made.channel.matrix().row(x), made.channel.matrix().row(rows.at(other)));
    }
  }
  return ratio.epsilon();
}

/// If all answers are shown side by side, a changed value changes the law of its own answer and of no other, so all other factors of a
/// result's probability cancel in every ratio.
std::optional<Exponent> from_each_answer(const Pipeline& pipeline, const Rational& odds) {
  const bool is_target = pipeline.secret.kind == Secret::Kind::target;
  if (is_target || pipeline.perturber.is_shared()) return from_all_rows(target_alone(pipeline), odds);
  Pipeline one = alone(pipeline);
  Exponent most;
  for (const Perturber& perturber : pipeline.perturber.each()) {
    one.perturber = perturber;
    const std::optional<Exponent> here = from_all_rows(one, odds);
    if (!here) return {};
    most = std::max(most, *here);
  }
  return most;
}

}  // namespace

std::optional<Exponent> smallest_epsilon(const Pipeline& pipeline, const Odds& odds) {
  const OwnEnvironment own;
  pipeline.validate();
  const bool are_bars = pipeline.secret.kind == Secret::Kind::histogram;
  return is_side_by_side(pipeline) && !are_bars ? from_each_answer(pipeline, odds.value())
                                                : from_all_rows(pipeline, odds.value());
}

}  // namespace fractile::flow
