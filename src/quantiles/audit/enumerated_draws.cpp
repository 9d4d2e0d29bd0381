#include "quantiles/audit/enumerated_draws.hpp"

#include <map>

#include "exact/law.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint/joint_law.hpp"
#include "quantiles/stages/count_tree.hpp"

namespace fractile {

void EnumeratedDraws::run(const std::function<void()>& release,
                          const std::function<void(const Enclosure&, const std::vector<CountedNoise>&)>& visit) {
  way_.clear();
  do {
    at_ = 0;
    noises_.clear();
    release();
    if (at_ != way_.size()) throw Error(ErrorCode::internal, "a release that draws differently after the same draws");
    visit(way_.empty() ? Enclosure::of(Rational(1)) : way_.back().probability, noises_);
  } while (advance());
}

std::uint64_t EnumeratedDraws::select(const Selection& selection, const PreparedRate& rate) {
  return next([&] {
           const std::vector<Run> runs = selection.outcomes();
           const std::vector<Enclosure> masses = softmax_law(runs, rate.rate);
           std::vector<Option> options;
           for (std::size_t k = 0; k < runs.size(); ++k) options.push_back({{runs[k].start}, masses[k]});
           return options;
         })
      .front();
}

std::vector<Split> EnumeratedDraws::select(const JointSplits& splits) {
  return next([&] {
    std::map<std::vector<Split>, Enclosure> merged;
    for (const auto& [each, p] : joint_splits_law(splits.problem())) {
      const auto [at, fresh] = merged.try_emplace(splits.alike(each), p);
      if (!fresh) at->second += p;
    }
    return std::vector<Option>(merged.begin(), merged.end());
  });
}

void EnumeratedDraws::add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) {
  noises_.push_back({noise.price(), {counts.begin(), counts.end()}});
}

namespace {

/// The probability that discrete Laplace noise is at least so much: p^least / (1 + p) for least >= 0, p = exp(-rate), and the rest of 1
/// by symmetry.
Enclosure at_least(std::int64_t least, const Exponent& rate) {
  const Enclosure one = Enclosure::of(Rational(1));
  const Enclosure p = (Enclosure::of(Rational(0)) - Enclosure::of(rate)).exp();
  const auto tail = [&](std::int64_t k) {
    return (Enclosure::of(Rational(0)) - Enclosure::of(rate * Rational(k))).exp() / (one + p);
  };
  return least >= 0 ? tail(least) : one - tail(1 - least);
}

}  // namespace

std::size_t EnumeratedDraws::reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                             const std::vector<std::int64_t>& borders) {
  if (noise.measure() != Measure::pure) throw Error(ErrorCode::internal, "records are counted under pure privacy only");
  return next([&] {
           std::vector<Option> options;
           Enclosure left = Enclosure::of(Rational(1));
           for (std::size_t i = 0; i < borders.size(); ++i) {
             const Enclosure further = at_least(borders[i] - count, noise.rate());
             options.push_back({{i}, left - further});
             left = further;
           }
           options.push_back({{borders.size()}, left});
           return options;
         })
      .front();
}

const std::vector<std::uint64_t>& EnumeratedDraws::next(const std::function<std::vector<Option>()>& options) {
  if (at_ == way_.size()) {
    way_.push_back({options(), 0, {}});
    take(at_, 0);
  }
  const Step& step = way_[at_++];
  return step.options[step.taken].first;
}

void EnumeratedDraws::take(std::size_t step, std::size_t option) {
  way_[step].taken = option;
  way_[step].probability = way_[step].options[option].second;
  if (step > 0) way_[step].probability *= way_[step - 1].probability;
}

/// To the next way; false when all were taken.
bool EnumeratedDraws::advance() {
  while (!way_.empty() && way_.back().taken + 1 == way_.back().options.size()) way_.pop_back();
  if (way_.empty()) return false;
  take(way_.size() - 1, way_.back().taken + 1);
  return true;
}

}  // namespace fractile
